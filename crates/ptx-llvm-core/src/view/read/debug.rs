//! The graph of the debug information, where a compile unit asks for DWARF.
//!
//! LLVM's C API gives a node's operands but few of its numbers and names, so a node is read from its printed text:
//! `<0x55..> = distinct !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)`. References to other nodes are printed as
//! addresses, which are looked up among the node's own operands and leave no trace in the view.

use std::ffi::c_uint;

use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMGetSubprogram;
use llvm_sys::prelude::*;
use rustc_hash::FxHashMap as HashMap;

use super::functions::Locals;
use super::metadata::DBG;
use super::reader::{Asked, Reader};
use super::text::{cstr, print_value};
use crate::error::LlvmError;
use crate::view::id::{InstId, MetadataId};
use crate::view::metadata::{DebugField, DebugNode, DebugRecord, DebugRecordKind};

/// Nodes that are in one another's text are read this deep; expressions do not nest.
const MAX_NESTING: u32 = 4;

impl Reader {
    /// Finds the compile units that ask for DWARF.
    pub(super) fn compile_units(&mut self, raw: LLVMModuleRef) {
        // SAFETY: the module is alive; the buffer has the size LLVM states.
        let units = unsafe {
            let name = c"llvm.dbg.cu".as_ptr();
            let mut units = vec![std::ptr::null_mut(); LLVMGetNamedMetadataNumOperands(raw, name) as usize];
            LLVMGetNamedMetadataOperands(raw, name, units.as_mut_ptr());
            units
        };
        let asks =
            |unit: &LLVMValueRef| !unit.is_null() && print_value(*unit).contains("emissionKind: FullDebug");
        let asking: Vec<LLVMValueRef> = units.into_iter().filter(asks).collect();
        if asking.is_empty() {
            return;
        }
        // SAFETY: the module is alive; the text is ours to dispose.
        let text = unsafe {
            let text = LLVMPrintModuleToString(raw);
            let copy = cstr(text);
            LLVMDisposeMessage(text);
            copy
        };
        self.dwarf = if text.contains("!DIArgList()") { Asked::Graph } else { Asked::Variables };
        self.view.compile_units = asking.into_iter().map(|unit| self.metadata_id(unit)).collect();
    }

    /// The id of a node of the debug information, where it is read.
    pub(super) fn debug_id(&mut self, raw: LLVMMetadataRef) -> Option<MetadataId> {
        if raw.is_null() || self.dwarf == Asked::Lines {
            return None;
        }
        // SAFETY: `raw` is metadata of the context.
        Some(self.metadata_id(unsafe { LLVMMetadataAsValue(self.context, raw) }))
    }

    /// The subprogram of a function.
    pub(super) fn subprogram(&mut self, function: LLVMValueRef) -> Option<MetadataId> {
        // SAFETY: `function` is a function of the module.
        self.debug_id(unsafe { LLVMGetSubprogram(function) })
    }

    /// What the debug information states of a global variable.
    pub(super) fn global_debug(&mut self, global: LLVMValueRef) -> Vec<MetadataId> {
        if self.dwarf == Asked::Lines {
            return Vec::new();
        }
        // SAFETY: `global` is a global variable of the module; the list is disposed once, after the last use, and `at` is below
        // its length.
        let nodes: Vec<LLVMMetadataRef> = unsafe {
            let mut count = 0;
            let list = LLVMGlobalCopyAllMetadata(global, &raw mut count);
            if list.is_null() {
                return Vec::new();
            }
            let nodes = (0..count as c_uint)
                .filter(|&at| LLVMValueMetadataEntriesGetKind(list, at) == DBG)
                .map(|at| LLVMValueMetadataEntriesGetMetadata(list, at))
                .collect();
            LLVMDisposeValueMetadataEntries(list);
            nodes
        };
        nodes.into_iter().filter_map(|node| self.debug_id(node)).collect()
    }

    /// The debug records before an instruction.
    pub(super) fn records(
        &mut self,
        inst: LLVMValueRef,
        before: InstId,
        locals: &Locals,
        found: &mut Vec<DebugRecord>,
    ) -> Result<(), LlvmError> {
        if self.dwarf != Asked::Variables {
            return Ok(());
        }
        // SAFETY: `inst` is an instruction of the module, and the iteration ends in null.
        let mut record = unsafe { LLVMGetFirstDbgRecord(inst) };
        while !record.is_null() {
            found.extend(self.record(record, before, locals)?);
            // SAFETY: `record` is a live record.
            record = unsafe { LLVMGetNextDbgRecord(record) };
        }
        Ok(())
    }

    fn record(
        &mut self,
        raw: LLVMDbgRecordRef,
        before: InstId,
        locals: &Locals,
    ) -> Result<Option<DebugRecord>, LlvmError> {
        // SAFETY: `raw` is a live record; the getters of variables are called for records of variables only.
        let (kind, variable, expression, location) = unsafe {
            let kind = match LLVMDbgRecordGetKind(raw) {
                LLVMDbgRecordKind::LLVMDbgRecordLabel => return Ok(None),
                LLVMDbgRecordKind::LLVMDbgRecordDeclare => DebugRecordKind::Declare,
                LLVMDbgRecordKind::LLVMDbgRecordValue | LLVMDbgRecordKind::LLVMDbgRecordAssign => {
                    DebugRecordKind::Value
                }
            };
            let variable = LLVMDbgVariableRecordGetVariable(raw);
            (kind, variable, LLVMDbgVariableRecordGetExpression(raw), LLVMDbgRecordGetDebugLoc(raw))
        };
        let (Some(variable), Some(of_list), Some(expression)) =
            (self.debug_id(variable), self.is_of_list(expression), self.debug_id(expression))
        else {
            return Ok(None);
        };
        let value = if of_list {
            None
        } else {
            // SAFETY: the record is of a variable, and its list of values is not empty: no list in the module is.
            let value = unsafe { LLVMDbgVariableRecordGetValue(raw, 0) };
            if value.is_null() { None } else { Some(self.value(value, locals)?) }
        };
        let location = (!location.is_null()).then(|| self.location(location));
        Ok(Some(DebugRecord { before, kind, value, variable, expression, location }))
    }

    /// Whether an expression combines a list of values.
    fn is_of_list(&self, expression: LLVMMetadataRef) -> Option<bool> {
        if expression.is_null() {
            return None;
        }
        // SAFETY: `expression` is metadata of the context.
        let text = print_value(unsafe { LLVMMetadataAsValue(self.context, expression) });
        Some(text.contains("DW_OP_LLVM_arg"))
    }

    /// Reads a node with its operands `parts`; `None` where lines alone are read.
    pub(super) fn debug_node(&mut self, raw: LLVMValueRef, parts: &[LLVMValueRef]) -> Option<DebugNode> {
        if self.dwarf == Asked::Lines {
            return None;
        }
        let text = print_value(raw);
        let mut operands = HashMap::default();
        for &part in parts.iter().filter(|part| !part.is_null()) {
            // SAFETY: an operand of a node is metadata as a value, or a constant, whose metadata LLVM makes.
            let address = unsafe { LLVMValueAsMetadata(part) };
            operands.insert(address.addr(), part);
        }
        let body = &text[text.find('!')?..];
        let mut refer = |address: usize| operands.get(&address).map(|&part| self.metadata_id(part));
        Text { rest: body }.node(&mut refer, 0)
    }
}

/// What is left to read of a node's text.
struct Text<'t> {
    rest: &'t str,
}

impl Text<'_> {
    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// What precedes the first of `ends`, without spaces around.
    fn until(&mut self, ends: &[char]) -> &str {
        let (word, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        word.trim()
    }

    /// `!DIClass(key: value, ...)`.
    fn node(&mut self, refer: &mut dyn FnMut(usize) -> Option<MetadataId>, depth: u32) -> Option<DebugNode> {
        if !self.eat("!") || depth >= MAX_NESTING {
            return None;
        }
        let class = self.until(&['(']).to_owned();
        self.eat("(");
        let mut fields = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.eat(")") || self.rest.is_empty() {
                return Some(DebugNode { class, fields });
            }
            let key = self.key();
            if let Some(value) = self.value(refer, depth) {
                fields.push((key, value));
            }
            self.rest = self.rest.trim_start();
            self.eat(",");
        }
    }

    /// `key: `, where one is here.
    fn key(&mut self) -> String {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let Some(end) = end else { return String::new() };
        let (key, rest) = self.rest.split_at(end);
        match rest.strip_prefix(": ") {
            Some(rest) if !key.is_empty() => {
                let key = key.to_owned();
                self.rest = rest;
                key
            }
            Some(_) | None => String::new(),
        }
    }

    fn value(
        &mut self,
        refer: &mut dyn FnMut(usize) -> Option<MetadataId>,
        depth: u32,
    ) -> Option<DebugField> {
        if self.rest.starts_with('"') {
            return Some(DebugField::Text(self.quoted()));
        }
        if self.rest.starts_with('!') {
            let node = self.node(refer, depth + 1);
            if node.is_none() {
                self.until(&[',', ')']);
            }
            return node.map(DebugField::Nested);
        }
        if self.eat("<") {
            let address = usize::from_str_radix(self.until(&['>']).trim_start_matches("0x"), 16).ok();
            self.eat(">");
            return address.and_then(refer).map(DebugField::Node);
        }
        let word = self.until(&[',', ')']);
        // A constant has its type before it.
        let last = word.rsplit(' ').next().unwrap_or(word);
        match (last.parse(), last) {
            (Ok(number), _) => Some(DebugField::Integer(number)),
            (Err(_), "null") => None,
            (Err(_), _) => Some(DebugField::Word(word.to_owned())),
        }
    }

    /// A text in quotes, in which LLVM writes quotes, backslashes and what cannot be printed as `\` and two digits.
    fn quoted(&mut self) -> String {
        let bytes = self.rest.as_bytes();
        let mut text = Vec::new();
        let mut at = 1;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let digits = self.rest.get(at..at + 2);
                    match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                        Some(value) => {
                            text.push(value);
                            at += 2;
                        }
                        None => text.push(byte),
                    }
                }
                byte => text.push(byte),
            }
        }
        let rest = self.rest.get(at..);
        debug_assert!(rest.is_some(), "byte {at} is not after a quoted text: {}", self.rest);
        // Default: without it, reading the node ends here.
        self.rest = rest.unwrap_or("");
        String::from_utf8_lossy(&text).into_owned()
    }
}

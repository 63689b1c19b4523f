//! Inline assembly with instructions that several threads execute together, but without `convergent`: producers other than CUDA's forget it,
//! and LLVM then duplicates a barrier.

use inkwell::values::AsValueRef as _;
use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use ptx_isa::{Mnemonic, Mod, Opcode, forms_of};

use super::{Convergent, is_call};
use crate::module::Module;
use crate::raw;

/// Adds `convergent` to calls of assembly with such instructions, to the functions that they are in, and to the functions that call these.
///
/// ```text
///   call void asm sideeffect "bar.sync 0;", ""()    -->    call void asm sideeffect "bar.sync 0;", ""() convergent
/// ```
///
/// # Safety
///
/// The module is alive, and nothing else changes it meanwhile.
pub(super) unsafe fn mark(module: &Module<'_>, convergent: &Convergent) {
    // SAFETY: attributes are created in the module's context and added to calls and functions.
    unsafe {
        let attribute = LLVMCreateEnumAttribute(module.context().raw(), convergent.kind, 0);
        let mut work = Vec::new();
        let mut through_addresses = Vec::new();
        for function in module.inkwell().get_functions().filter(|function| function.count_basic_blocks() > 0)
        {
            let function = function.as_value_ref();
            for block in raw::blocks(function) {
                for call in raw::instructions(block).into_iter().filter(|instruction| is_call(*instruction)) {
                    let callee = LLVMGetCalledValue(call);
                    let is_assembly = !LLVMIsAInlineAsm(callee).is_null();
                    if !is_assembly && LLVMIsAFunction(callee).is_null() {
                        through_addresses.push((function, call));
                    }
                    if is_assembly && !convergent.is(call) && is_convergent(&text(callee)) {
                        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute);
                        work.push(function);
                    }
                }
            }
        }
        let mut is_address_taken = false;
        while let Some(function) = work.pop() {
            if convergent.is_function(function) {
                continue;
            }
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
            let mut place = LLVMGetFirstUse(function);
            while !place.is_null() {
                let user = LLVMGetUser(place);
                match !LLVMIsAInstruction(user).is_null()
                    && is_call(user)
                    && LLVMGetCalledValue(user) == function
                {
                    true => work.push(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))),
                    false => is_address_taken = true,
                }
                place = LLVMGetNextUse(place);
            }
            if is_address_taken {
                for (caller, call) in through_addresses.drain(..) {
                    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute);
                    work.push(caller);
                }
            }
        }
    }
}

/// The text of inline assembly.
///
/// # Safety
///
/// The value is inline assembly that is alive.
unsafe fn text(assembly: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: the text has as many bytes as LLVM says, and is copied at once.
    unsafe {
        let text = LLVMGetInlineAsmAsmString(assembly, &raw mut length);
        let bytes = if length == 0 { &[][..] } else { std::slice::from_raw_parts(text.cast::<u8>(), length) };
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// Whether an instruction of the text needs threads together. What is not a known instruction, such as a macro of the module's own
/// assembly, may be one; of an opcode with unknown modifiers any row may be meant.
pub(super) fn is_convergent(text: &str) -> bool {
    statements(text).any(|statement| {
        let end = statement.find(|letter: char| !(letter.is_ascii_alphanumeric() || "_.:".contains(letter)));
        let mut words = statement[..end.unwrap_or(statement.len())].split('.');
        let Some(opcode) = words.next().and_then(Opcode::from_ptx) else { return true };
        let modifiers: Option<Vec<Mod>> = words.map(Mod::from_ptx).collect();
        match modifiers.and_then(|modifiers| Mnemonic::of(opcode, &modifiers)) {
            Some(mnemonic) => mnemonic.rows().any(|row| row.effects().convergent),
            None => forms_of(opcode).1.iter().any(|form| form.effects.convergent),
        }
    })
}

/// The instructions of a text: without comments, directives, labels, braces and predicates.
fn statements(text: &str) -> impl Iterator<Item = String> {
    let text = without_comments(text);
    let pieces: Vec<String> = text.split([';', '{', '}', '\n']).map(str::to_owned).collect();
    pieces.into_iter().filter_map(|piece| {
        let mut rest = piece.trim();
        loop {
            rest = match rest.chars().next()? {
                // `@%p bra L`, `@!%p bra L`
                '@' => rest.split_once(char::is_whitespace)?.1.trim_start(),
                // A directive, or the operands of an instruction whose vector was cut off: `{%a, %b}, [%p]`.
                '.' | ',' | '%' | '[' | '(' | ')' | '0'..='9' | '-' => return None,
                // An operand: `{$0, $1}`; labels begin with `$` too.
                '$' if !rest.contains(':') => return None,
                _ => match rest.split_once(':') {
                    // `L: add.s32 ..`, but not `ld.shared::cta.b32`.
                    Some((label, after)) if !label.contains(['.', ' ', '\t']) && !after.starts_with(':') => {
                        after.trim_start()
                    }
                    _ => return Some(rest.to_owned()),
                },
            };
        }
    })
}

/// A text with a space for each `// ..` and `/* .. */`.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let comment = match from.as_bytes().get(1) {
            Some(b'/') => from.find('\n').unwrap_or(from.len()),
            // One without an end takes the rest of the text, which is refused later.
            Some(b'*') => from[2..].find("*/").map_or(from.len(), |end| end + 4),
            _ => 0,
        };
        out.push(if comment > 0 { ' ' } else { '/' });
        rest = &from[comment.max(1)..];
    }
    out.push_str(rest);
    out
}

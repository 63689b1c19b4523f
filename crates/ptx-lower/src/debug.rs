//! `.file`, `.loc` and the labels of DWARF sections as LLVM debug information (manual 11.5).
//!
//! Each instruction carries the location of the last `.loc`. Information that locations cannot express is in separate
//! metadata: `!ptx.file` has the file numbers, `!ptx.debug` on an instruction the directives and labels that preceded
//! it, if they are more than one new location ([`ptx_llvm_core::debug_marks::DebugLine`]).

use ptx_ir::{Body, DebugFile, DebugLocation, InlinedAt, Item, Module, Stmt};
use ptx_llvm_core::build::{DebugInfo, Metadata, Value};
use ptx_llvm_core::debug_marks::{self, DebugLine};
use ptx_llvm_core::marks;
use rustc_hash::FxHashMap;

use crate::emit::Emitter;
use crate::sections::{Sections, SourceFile};
use crate::shared::Shared;

/// The debug directives and labels of a body.
#[derive(Default)]
pub(crate) struct DebugTrail<'m> {
    /// By instruction: the directives and labels since the previous one, in order.
    before: FxHashMap<usize, Vec<Mark<'m>>>,
    /// Those after the last instruction.
    last: Vec<Mark<'m>>,
    /// Those that wait for an instruction that they can be attached to.
    waiting: Vec<Mark<'m>>,
}

/// A directive or label.
struct Mark<'m> {
    line: Line<'m>,
    kind: Kind,
}

enum Line<'m> {
    Label(&'m str),
    Location(&'m DebugLocation),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A location other than the last.
    NewLocation,
    /// A label that no section names.
    Label,
    /// The same location once more, or a label that a section names.
    Other,
}

/// The files of a module by their numbers.
pub(crate) fn files<'m, 'c>(
    module: &'m Module,
    debug: &mut DebugInfo<'c>,
) -> FxHashMap<u32, SourceFile<'m, 'c>> {
    let files = module.items.iter().filter_map(|item| match item {
        Item::File(file, _) => Some(file),
        _ => None,
    });
    let file = |file: &'m DebugFile| {
        let path = module.name(file.name);
        (file.index, SourceFile { path, node: debug.file_node(path) })
    };
    files.map(file).collect()
}

/// Adds the table of files to the module (mapping, "Debug information"), and returns its nodes.
pub(crate) fn keep_files<'c>(shared: &Shared<'_, 'c>) -> Vec<Metadata<'c>> {
    let mut nodes = Vec::new();
    for item in &shared.module.items {
        let Item::File(DebugFile { index, stamp, .. }, _) = item else { continue };
        let Some(&SourceFile { path, node }) = shared.files.get(index) else { continue };
        let (time, size) = (stamp.map(|(time, _)| time), stamp.and_then(|(_, size)| size));
        let node = debug_marks::File { file: node, number: *index, path, time, size }.node(shared.types);
        shared.out.add_named_metadata(marks::FILE, node);
        nodes.push(node);
    }
    nodes
}

impl<'m> DebugTrail<'m> {
    /// The directives and labels of a body. In debug code `ptxas` starts a block at every label, also at unused ones and at several at
    /// the same position, and whatever the previous label describes ends there.
    pub(crate) fn of(
        module: &'m Module,
        body: &'m Body,
        sections: &Sections<'_, '_>,
        is_debugging: bool,
    ) -> Self {
        let mut trail = Self::default();
        let mut last: Option<&DebugLocation> = None;
        for (at, statement) in body.statements.iter().enumerate() {
            match statement {
                Stmt::Location(location) => {
                    let place = |l: &DebugLocation| (l.file, l.line, l.column, l.inlined.clone());
                    let new = last.map(place) != Some(place(location));
                    last = Some(location);
                    let kind = if new { Kind::NewLocation } else { Kind::Other };
                    trail.last.push(Mark { line: Line::Location(location), kind });
                }
                Stmt::Label(label) => {
                    let name = module.name(body.label(*label).name);
                    let kind = if sections.label(name).is_some() { Kind::Other } else { Kind::Label };
                    if kind == Kind::Other || is_debugging {
                        trail.last.push(Mark { line: Line::Label(name), kind });
                    }
                }
                Stmt::Inst(_) if !trail.last.is_empty() => {
                    // A single label is that of the block.
                    if trail.last.iter().filter(|mark| matches!(mark.line, Line::Label(_))).count() == 1 {
                        trail.last.retain(|mark| mark.kind != Kind::Label);
                    }
                    trail.before.insert(at, std::mem::take(&mut trail.last));
                }
                _ => {}
            }
        }
        trail
    }
}

impl<'c> Emitter<'_, '_, 'c> {
    /// Attaches the marks before a statement to the first instruction built for it since `before`, unless they are
    /// one new location, which the instruction has anyway.
    pub(crate) fn attach_debug_since(&mut self, statement: usize, before: Option<Value<'c>>) {
        if let Some(marks) = self.trail.before.remove(&statement) {
            self.trail.waiting.extend(marks);
        }
        if self.trail.waiting.is_empty() {
            return;
        }
        let Some(first) = self.b.first_since(before) else { return };
        let single = matches!(self.trail.waiting.as_slice(), [Mark { kind: Kind::NewLocation, .. }]);
        let waiting = std::mem::take(&mut self.trail.waiting);
        if !single {
            self.attach_debug(first, &waiting);
        }
    }

    /// Attaches marks that wait at the end of a block to its branch.
    pub(crate) fn attach_waiting_debug(&mut self) {
        let waiting = std::mem::take(&mut self.trail.waiting);
        if let (false, Some(last)) = (waiting.is_empty(), self.b.last_instruction()) {
            self.attach_debug(last, &waiting);
        }
    }

    fn attach_debug(&self, instruction: Value<'c>, marks: &[Mark<'_>]) {
        self.types.attach(instruction, marks::DEBUG, self.debug_lines(marks));
    }

    /// Marks as metadata.
    fn debug_lines(&self, marks: &[Mark<'_>]) -> Metadata<'c> {
        let lines = marks.iter().filter_map(|mark| match mark.line {
            Line::Label(name) => {
                let node = self.shared.sections.label(name);
                Some(node.unwrap_or_else(|| self.types.metadata_string(name)))
            }
            Line::Location(location) => self.debug_line(location),
        });
        self.types.metadata_node(&lines.collect::<Vec<_>>())
    }

    /// A `.loc` as metadata; `None` for a file without `.file`, which names no place.
    fn debug_line(&self, location: &DebugLocation) -> Option<Metadata<'c>> {
        let file = |number: u32| self.shared.files.get(&number).map(|file| file.node);
        let call = |call: &InlinedAt| {
            let label = self.shared.sections.label(self.shared.module.name(call.name))?;
            let (offset, line, column) = (call.offset, call.line, call.column);
            Some(debug_marks::Call { label, offset, file: file(call.file)?, line, column })
        };
        let inlined = location.inlined.as_deref().and_then(call);
        let (line, column) = (location.line, location.column);
        let location = debug_marks::Location { file: file(location.file)?, line, column, inlined };
        Some(DebugLine::Location(location).node(self.types))
    }

    /// Attaches the marks after the last instruction to the function.
    pub(crate) fn keep_last_debug(&mut self) {
        if !self.trail.last.is_empty() {
            let lines = self.debug_lines(&self.trail.last);
            self.types.attach_to_global(self.signature.function.value(), marks::DEBUG_END, lines);
        }
    }

    /// Creates a location for each statement: that of the last `.loc` before it. Functions without `.loc` get none.
    pub(crate) fn locate(&mut self, debug: &mut Option<DebugInfo<'c>>) {
        let Some(debug) = debug else { return };
        let files = &self.shared.files;
        let locations = || {
            self.body.statements.iter().filter_map(|statement| match statement {
                Stmt::Location(location) => Some(location),
                _ => None,
            })
        };
        let known = |location: &DebugLocation| files.contains_key(&location.file);
        // The location of the function is that of its first line that was not inlined.
        let own = locations().find(|location| location.inlined.is_none() && known(location));
        let Some(first) = own.or_else(|| locations().find(|location| known(location))) else { return };
        let Some(path) = files.get(&first.file) else { return };
        let file = debug.file(&self.shared.out, path.path);
        let name = self.shared.module.name(self.function.name);
        let scope = debug.subprogram(name, name, file, first.line, Some(self.signature.function));
        let mut scopes = Scopes {
            files,
            own: (first.file, scope),
            others: FxHashMap::default(),
            calls: FxHashMap::default(),
        };
        let mut current = debug.location(0, 0, scope, None);
        let mut found = FxHashMap::default();
        for (at, statement) in self.body.statements.iter().enumerate() {
            if let Stmt::Location(location) = statement {
                current = self.location(debug, &mut scopes, location).unwrap_or(current);
                scopes.calls.insert((location.file, location.line, location.column), current);
            }
            found.insert(at, current);
        }
        self.locations = found;
    }

    fn location(
        &self,
        debug: &mut DebugInfo<'c>,
        scopes: &mut Scopes<'_, 'c>,
        location: &DebugLocation,
    ) -> Option<Metadata<'c>> {
        let module = &self.shared.out;
        let Some(inlined) = &location.inlined else {
            let scope = scopes.of_file(debug, module, location.file)?;
            return Some(debug.location(location.line, location.column, scope, None));
        };
        // An earlier `.loc` has the location of the call, which may be inlined code itself (manual 11.5.3).
        let call = match scopes.calls.get(&(inlined.file, inlined.line, inlined.column)) {
            Some(call) => *call,
            None => {
                let caller = scopes.of_file(debug, module, inlined.file)?;
                debug.location(inlined.line, inlined.column, caller, None)
            }
        };
        let path = scopes.files.get(&location.file)?.path;
        let label = self.shared.module.name(inlined.name);
        // Default: `function_name` with a label alone names the string at that label.
        let offset = inlined.offset.unwrap_or(0);
        // The name is what identifies the string again: linking may bring another label of that name.
        let name = self.shared.sections.string(label, offset).unwrap_or_else(|| format!("{label}+{offset}"));
        let key = (location.file, Some(name.clone()));
        let scope = match scopes.others.get(&key) {
            Some(scope) => *scope,
            None => {
                let file = debug.file(module, path);
                let scope = debug.subprogram(&name, &name, file, location.line, None);
                scopes.others.insert(key, scope);
                scope
            }
        };
        Some(debug.location(location.line, location.column, scope, Some(call)))
    }
}

/// The scopes of one function by file.
struct Scopes<'a, 'c> {
    files: &'a FxHashMap<u32, SourceFile<'a, 'c>>,
    own: (u32, Metadata<'c>),
    /// By file, and by name for inlined functions.
    others: FxHashMap<(u32, Option<String>), Metadata<'c>>,
    /// The last location of each call site, for code that was inlined there.
    calls: FxHashMap<(u32, u32, u32), Metadata<'c>>,
}

impl<'c> Scopes<'_, 'c> {
    fn of_file(
        &mut self,
        debug: &mut DebugInfo<'c>,
        module: &ptx_llvm_core::Module<'c>,
        file: u32,
    ) -> Option<Metadata<'c>> {
        if file == self.own.0 {
            return Some(self.own.1);
        }
        if let Some(scope) = self.others.get(&(file, None)) {
            return Some(*scope);
        }
        let path = self.files.get(&file)?.path;
        let node = debug.file(module, path);
        let scope = debug.scope_in_file(self.own.1, node);
        self.others.insert((file, None), scope);
        Some(scope)
    }
}

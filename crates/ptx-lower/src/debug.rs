//! `.file`, `.loc` and the labels of DWARF sections as LLVM debug information (manual 11.5).
//!
//! Each instruction carries the location of the last `.loc`. Information that locations cannot express is in separate
//! metadata: `!ptx.file` has the file numbers, `!ptx.debug` on an instruction the directives and labels that preceded
//! it, if they are more than one new location.

use ptx_ir::{Body, DebugLocation, Item, Module, Stmt};
use ptx_llvm::build::{DebugInfo, Metadata, Value};
use ptx_llvm::marks::{self, DebugLine};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::emit::Emitter;
use crate::shared::Shared;

/// The debug directives and labels of a body.
#[derive(Default)]
pub(crate) struct DebugTrail {
    /// By instruction: the directives and labels since the previous one, in order.
    before: FxHashMap<usize, Vec<Mark>>,
    /// Those after the last instruction.
    last: Vec<Mark>,
    /// Those that wait for an instruction that they can be attached to.
    waiting: Vec<Mark>,
}

/// A directive or label.
struct Mark {
    text: String,
    kind: Kind,
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

/// The names in DWARF sections: labels among them must stay where they are.
pub(crate) fn section_names(module: &Module) -> FxHashSet<&str> {
    let lines = module.items.iter().flat_map(|item| match item {
        Item::Section(section) => section.lines.iter().map(|line| module.name(line.text)).collect(),
        Item::DwarfLine(text) => vec![module.name(*text)],
        _ => Vec::new(),
    });
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    lines
        .flat_map(|line| line.split(move |c| !part(c)))
        .filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
        .collect()
}

/// Adds the table of files to the module (mapping, "Debug information").
pub(crate) fn keep_files(shared: &Shared<'_, '_>) {
    for item in &shared.module.items {
        let Item::File(file, _) = item else { continue };
        let mut parts = vec![file.index.to_string(), shared.module.name(file.name).to_owned()];
        if let Some((time, size)) = file.stamp {
            parts.push(time.to_string());
            parts.extend(size.map(|size| size.to_string()));
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        shared.out.add_named_metadata(marks::FILE, shared.types.metadata_strings(&parts));
    }
}

impl DebugTrail {
    /// The directives and labels of a body. In debug code `ptxas` starts a block at every label, also at unused ones and at several at
    /// the same position, and whatever the previous label describes ends there.
    pub(crate) fn of(module: &Module, body: &Body, names: &FxHashSet<&str>, is_debugging: bool) -> Self {
        let mut trail = Self::default();
        let mut last: Option<&DebugLocation> = None;
        for (at, statement) in body.statements.iter().enumerate() {
            match statement {
                Stmt::Location(location) => {
                    let place = |l: &DebugLocation| (l.file, l.line, l.column, l.inlined.clone());
                    let new = last.map(place) != Some(place(location));
                    last = Some(location);
                    let kind = if new { Kind::NewLocation } else { Kind::Other };
                    trail.last.push(Mark { text: location_text(module, location), kind });
                }
                Stmt::Label(label) => {
                    let name = module.name(body.label(*label).name);
                    let kind = if names.contains(name) { Kind::Other } else { Kind::Label };
                    if kind == Kind::Other || is_debugging {
                        trail.last.push(Mark { text: DebugLine::Label(name).to_string(), kind });
                    }
                }
                Stmt::Inst(_) if !trail.last.is_empty() => {
                    // A single label is that of the block.
                    if trail.last.iter().filter(|mark| mark.text.ends_with(':')).count() == 1 {
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

/// A `.loc` as `!ptx.debug` has it.
fn location_text(module: &Module, location: &DebugLocation) -> String {
    let inlined = location.inlined.as_deref().map(|call| marks::Call {
        label: module.name(call.name),
        offset: call.offset,
        file: call.file,
        line: call.line,
        column: call.column,
    });
    let (file, line, column) = (location.file, location.line, location.column);
    DebugLine::Location(marks::Location { file, line, column, inlined }).to_string()
}

impl<'c> Emitter<'_, '_, 'c> {
    /// Attaches the marks before a statement to the first instruction built for it since `before`, unless they are
    /// one new location, which the instruction has anyway.
    pub(crate) fn attach_debug_since(&mut self, statement: usize, before: Option<Value<'c>>) {
        self.trail.waiting.extend(self.trail.before.remove(&statement).unwrap_or_default());
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

    fn attach_debug(&self, instruction: Value<'c>, marks: &[Mark]) {
        let texts: Vec<&str> = marks.iter().map(|mark| mark.text.as_str()).collect();
        self.types.attach(instruction, marks::DEBUG, self.types.metadata_strings(&texts));
    }

    /// Attaches the marks after the last instruction to the function.
    pub(crate) fn keep_last_debug(&mut self) {
        let texts: Vec<&str> = self.trail.last.iter().map(|mark| mark.text.as_str()).collect();
        if !texts.is_empty() {
            self.signature.function.add_attribute(self.types, marks::DEBUG_END, &texts.join(";"));
        }
    }

    /// Creates a location for each statement: that of the last `.loc` before it. Functions without `.loc` get none.
    pub(crate) fn locate(&mut self, debug: &mut Option<DebugInfo<'c>>) {
        let Some(debug) = debug else { return };
        let files: FxHashMap<u32, &str> = self
            .shared
            .module
            .items
            .iter()
            .filter_map(|item| match item {
                Item::File(file, _) => Some((file.index, self.shared.module.name(file.name))),
                _ => None,
            })
            .collect();
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
        let file = debug.file(&self.shared.out, path);
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
        let path = scopes.files.get(&location.file)?;
        let label = self.shared.module.name(inlined.name);
        let linkage = match inlined.offset {
            Some(offset) => format!("{label}+{offset}"),
            None => label.to_owned(),
        };
        let key = (location.file, Some(linkage.clone()));
        let scope = match scopes.others.get(&key) {
            Some(scope) => *scope,
            None => {
                let file = debug.file(module, path);
                let name = function_name(self.shared.module, label, inlined.offset.unwrap_or(0));
                let name = name.as_deref().unwrap_or(label);
                let scope = debug.subprogram(name, &linkage, file, location.line, None);
                scopes.others.insert(key, scope);
                scope
            }
        };
        Some(debug.location(location.line, location.column, scope, Some(call)))
    }
}

/// The text at a label of a DWARF section of strings, as far as its lines are single bytes.
fn function_name(module: &Module, label: &str, offset: u64) -> Option<String> {
    let sections = module.items.iter().filter_map(|item| match item {
        Item::Section(section) => Some(section),
        _ => None,
    });
    let lines = sections.flat_map(|section| section.lines.iter().map(|line| module.name(line.text)));
    let mut lines = lines.skip_while(|line| line.split(':').next().map(str::trim) != Some(label));
    let first = lines.next()?.split_once(':')?.1;
    let bytes = std::iter::once(first).chain(lines).filter_map(|line| {
        let code = line.split("//").next()?.trim().strip_prefix(".b8")?;
        Some(code.split(',').map(|number| number.trim().parse::<u8>().ok()))
    });
    let skipped = usize::try_from(offset).ok()?;
    let text: Option<Vec<u8>> =
        bytes.flatten().skip(skipped).take_while(|byte| !matches!(byte, Some(0))).take(4096).collect();
    String::from_utf8(text?).ok().filter(|text| !text.is_empty())
}

/// The scopes of one function by file.
struct Scopes<'a, 'c> {
    files: FxHashMap<u32, &'a str>,
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
        module: &ptx_llvm::Module<'c>,
        file: u32,
    ) -> Option<Metadata<'c>> {
        if file == self.own.0 {
            return Some(self.own.1);
        }
        if let Some(scope) = self.others.get(&(file, None)) {
            return Some(*scope);
        }
        let path = self.files.get(&file)?;
        let node = debug.file(module, path);
        let scope = debug.scope_in_file(self.own.1, node);
        self.others.insert((file, None), scope);
        Some(scope)
    }
}

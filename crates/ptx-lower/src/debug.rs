//! `.file` and `.loc` as LLVM debug information (manual 11.5).

use ptx_ir::{DebugLocation, Item, Stmt};
use ptx_llvm::build::{DebugInfo, Metadata};
use rustc_hash::FxHashMap;

use crate::emit::Emitter;

impl<'c> Emitter<'_, '_, 'c> {
    /// Makes a location for each statement: that of the last `.loc` before it. Functions without `.loc` get none.
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
        // The function is where its first line that was not inlined is.
        let own = locations().find(|location| location.inlined.is_none() && known(location));
        let Some(first) = own.or_else(|| locations().find(|location| known(location))) else { return };
        let Some(path) = files.get(&first.file) else { return };
        let file = debug.file(&self.shared.out, path);
        let name = self.shared.module.name(self.function.name);
        let scope = debug.subprogram(name, file, first.line, Some(self.signature.function));
        let mut scopes = Scopes { files, own: (first.file, scope), others: FxHashMap::default() };
        let mut current = debug.location(0, 0, scope, None);
        let mut found = FxHashMap::default();
        for (at, statement) in self.body.statements.iter().enumerate() {
            if let Stmt::Location(location) = statement {
                current = self.location(debug, &mut scopes, location).unwrap_or(current);
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
        let caller = scopes.of_file(debug, module, inlined.file)?;
        let call = debug.location(inlined.line, inlined.column, caller, None);
        let path = scopes.files.get(&location.file)?;
        let name = self.shared.module.name(inlined.name);
        let name = match inlined.offset {
            Some(offset) => format!("{name}+{offset}"),
            None => name.to_owned(),
        };
        let key = (location.file, Some(name.clone()));
        let scope = match scopes.others.get(&key) {
            Some(scope) => *scope,
            None => {
                let file = debug.file(module, path);
                let scope = debug.subprogram(&name, file, location.line, None);
                scopes.others.insert(key, scope);
                scope
            }
        };
        Some(debug.location(location.line, location.column, scope, Some(call)))
    }
}

/// The scopes of one function by file.
struct Scopes<'a, 'c> {
    files: FxHashMap<u32, &'a str>,
    own: (u32, Metadata<'c>),
    /// By file, and by name for inlined functions.
    others: FxHashMap<(u32, Option<String>), Metadata<'c>>,
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

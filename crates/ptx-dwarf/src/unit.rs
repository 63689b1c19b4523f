//! A compile unit: its functions, variables, namespaces and imports (DWARF 2, 3 and 4).

use std::collections::VecDeque;

use gimli::constants as dw;
use ptx_llvm_core::view::{
    DebugField, DebugNode, LocationId, Metadata, MetadataId, SourcePath, Symbol, View,
};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::Program;
use crate::entry::{Entries, EntryId, ExpressionPart, Value, constant, number};
use crate::expression::{Expression, Step, address_class, op_piece, op_plus, parts};
use crate::locations::LocationLists;
use crate::scope::ScopeKey;
use crate::trace::{FunctionTrace, TracedVariable, VariableLocation};

/// Scopes around a type are followed this deep; beyond, it is in the unit.
const MAX_CONTEXT: u32 = 64;

/// The label that location lists are called by.
const LISTS: &str = "$L__debug_loc";

/// The language of that name.
fn language(word: &str) -> Option<u64> {
    (0..0x9100).find(|&number| gimli::DwLang(number).static_string() == Some(word)).map(u64::from)
}

/// The language that a unit with a name and a version of DWARF 6's is in.
fn versioned_language(word: &str) -> Option<u64> {
    // What DWARF 5 and before call the latest version of each.
    let older = match word {
        "DW_LNAME_C" => dw::DW_LANG_C11,
        "DW_LNAME_C_plus_plus" => dw::DW_LANG_C_plus_plus_14,
        "DW_LNAME_Rust" => dw::DW_LANG_Rust,
        "DW_LNAME_Python" => dw::DW_LANG_Python,
        "DW_LNAME_OpenCL_C" | "DW_LNAME_OpenCL_CPP" => dw::DW_LANG_OpenCL,
        "DW_LNAME_Julia" => dw::DW_LANG_Julia,
        "DW_LNAME_Fortran" => dw::DW_LANG_Fortran08,
        _ => return None,
    };
    Some(u64::from(older.0))
}

/// The state of one unit.
pub(crate) struct Unit<'u, 'v> {
    program: &'u mut dyn Program,
    pub(crate) view: &'v View,
    lists: &'u mut LocationLists,
    id: MetadataId,
    pub(crate) entries: Entries,
    /// The entries of types and members.
    pub(crate) types: HashMap<MetadataId, EntryId>,
    /// Types and declarations whose entries are empty so far.
    pub(crate) waiting: VecDeque<(MetadataId, EntryId)>,
    pub(crate) index: Option<EntryId>,
    namespaces: HashMap<MetadataId, EntryId>,
    /// The entries that stand for a function wherever its code is: what it was inlined from, else its code, else a declaration.
    functions: HashMap<MetadataId, EntryId>,
    /// The variables of functions that were inlined, as their entries have them.
    abstract_variables: HashMap<MetadataId, EntryId>,
    /// The same of blocks.
    abstract_scopes: HashMap<MetadataId, EntryId>,
}

impl<'u, 'v> Unit<'u, 'v> {
    pub(crate) fn new(
        (view, program): (&'v View, &'u mut dyn Program),
        lists: &'u mut LocationLists,
        id: MetadataId,
    ) -> Self {
        Self {
            program,
            view,
            lists,
            id,
            entries: Entries::new(),
            types: HashMap::default(),
            waiting: VecDeque::new(),
            index: None,
            namespaces: HashMap::default(),
            functions: HashMap::default(),
            abstract_variables: HashMap::default(),
            abstract_scopes: HashMap::default(),
        }
    }

    /// Everything that the unit has.
    pub(crate) fn build(mut self, traces: &[FunctionTrace]) -> Entries {
        let view = self.view;
        let Some(unit) = view.debug_node(self.id) else { return self.entries };
        self.heading(unit);
        let unit_of = |trace: &&FunctionTrace| {
            view.debug_node(trace.subprogram).and_then(|node| node.node("unit")) == Some(self.id)
        };
        let own: Vec<&FunctionTrace> = traces.iter().filter(unit_of).collect();
        let mut inlined: Vec<MetadataId> = Vec::new();
        let mut seen = HashSet::default();
        for trace in &own {
            for (key, _) in &trace.scopes {
                let is_function = view.debug_node(key.node).is_some_and(|node| node.class == "DISubprogram");
                if key.inlined_at.is_some() && is_function && seen.insert(key.node) {
                    inlined.push(key.node);
                }
            }
        }
        // Every function has its entry before anything refers to one.
        for &function in &inlined {
            if let Some(node) = view.debug_node(function) {
                let parent = self.definition_parent(node);
                let entry = self.entries.add(parent, dw::DW_TAG_subprogram);
                self.functions.insert(function, entry);
            }
        }
        let mut entries = Vec::new();
        for trace in &own {
            let Some(node) = view.debug_node(trace.subprogram) else { continue };
            let parent = self.definition_parent(node);
            let entry = self.entries.add(parent, dw::DW_TAG_subprogram);
            self.functions.entry(trace.subprogram).or_insert(entry);
            entries.push((*trace, entry));
        }
        for function in inlined {
            self.abstract_function(function, &own);
        }
        for &(trace, entry) in &entries {
            self.concrete_function(trace, entry);
        }
        for (trace, entry) in entries {
            self.function_scopes(trace, entry);
        }
        self.globals(unit);
        for list in ["enums", "retainedTypes"] {
            for ty in self.list(unit.node(list)) {
                self.type_entry(Some(ty), 0);
            }
        }
        for import in self.list(unit.node("imports")) {
            self.import(import);
        }
        self.fill_types();
        self.entries
    }

    fn heading(&mut self, unit: &DebugNode) {
        let root = self.entries.root();
        self.entries.set(root, dw::DW_AT_producer, Value::Text(unit.text("producer").to_owned()));
        let language =
            language(unit.word("language")).or_else(|| versioned_language(unit.word("sourceLanguageName")));
        self.entries.set(
            root,
            dw::DW_AT_language,
            Value::Number(language.unwrap_or(u64::from(dw::DW_LANG_C.0))),
        );
        if let Some(file) = unit.node("file").and_then(|file| self.view.file_node(file)) {
            let SourcePath { directory, name } = self.view.file(file);
            self.entries.set(root, dw::DW_AT_name, Value::Text(name.clone()));
            self.entries.set(root, dw::DW_AT_stmt_list, Value::Section(".debug_line".to_owned()));
            if !directory.is_empty() {
                self.entries.set(root, dw::DW_AT_comp_dir, Value::Text(directory.clone()));
            }
        }
        // What location lists count from: their addresses are whole.
        self.entries.set(root, dw::DW_AT_low_pc, Value::Address("0".to_owned()));
    }

    /// The entry around what has a scope.
    pub(crate) fn context(&mut self, scope: Option<MetadataId>, depth: u32) -> EntryId {
        let root = self.entries.root();
        let view = self.view;
        let Some((id, node)) = scope.and_then(|id| Some((id, view.debug_node(id)?))) else { return root };
        if depth >= MAX_CONTEXT {
            return root;
        }
        match node.class.as_str() {
            "DINamespace" => self.namespace(id, node, depth),
            "DICompositeType" => self.type_entry(Some(id), depth).unwrap_or(root),
            "DISubprogram" => self.function(id, depth),
            "DILexicalBlock" | "DILexicalBlockFile" | "DICommonBlock" | "DIModule" => {
                self.context(node.node("scope"), depth + 1)
            }
            _ => root,
        }
    }

    fn namespace(&mut self, id: MetadataId, node: &DebugNode, depth: u32) -> EntryId {
        if let Some(&known) = self.namespaces.get(&id) {
            return known;
        }
        let parent = self.context(node.node("scope"), depth + 1);
        let entry = self.entries.add(parent, dw::DW_TAG_namespace);
        self.namespaces.insert(id, entry);
        self.name(entry, node);
        entry
    }

    /// `DW_AT_decl_file` and `DW_AT_decl_line`.
    pub(crate) fn source(&mut self, entry: EntryId, node: &DebugNode) {
        let file = node.node("file").and_then(|file| self.file(file));
        if let (Some(file), Some(line)) = (file, number(node, "line")) {
            self.entries.set(entry, dw::DW_AT_decl_file, Value::Number(u64::from(file)));
            self.entries.set(entry, dw::DW_AT_decl_line, Value::Number(line));
        }
    }

    fn file(&mut self, id: MetadataId) -> Option<u32> {
        Some(self.program.file_number(self.view.file_node(id)?))
    }

    /// The entry that stands for a function; a declaration where it has no code.
    fn function(&mut self, id: MetadataId, depth: u32) -> EntryId {
        if let Some(&known) = self.functions.get(&id) {
            return known;
        }
        let view = self.view;
        let Some(node) = view.debug_node(id) else { return self.entries.root() };
        let parent = self.context(node.node("scope"), depth + 1);
        // What is around it may have brought it up.
        match self.functions.get(&id) {
            Some(&known) => known,
            None => self.declaration(id, parent),
        }
    }

    /// A function that is only declared (DWARF 2, 3.3.1); what it says is filled in with the types.
    pub(crate) fn declaration(&mut self, id: MetadataId, parent: EntryId) -> EntryId {
        if let Some(&known) = self.functions.get(&id) {
            return known;
        }
        let entry = self.entries.add(parent, dw::DW_TAG_subprogram);
        self.functions.insert(id, entry);
        self.waiting.push_back((id, entry));
        entry
    }

    /// What a declaration says.
    pub(crate) fn fill_declaration(&mut self, entry: EntryId, node: &DebugNode) {
        self.function_heading(entry, node);
        self.flag(entry, dw::DW_AT_declaration);
        self.access(entry, node);
        let virtuality = if node.has_flag("spFlags", "DISPFlagPureVirtual") {
            2
        } else {
            u64::from(node.has_flag("spFlags", "DISPFlagVirtual"))
        };
        if virtuality > 0 {
            self.entries.set(entry, dw::DW_AT_virtuality, Value::Number(virtuality));
        }
        if let Some(ty) = node.node("type").and_then(|ty| self.view.debug_node(ty)) {
            self.signature(entry, ty);
        }
    }

    /// Name, place and result of a function.
    fn function_heading(&mut self, entry: EntryId, node: &DebugNode) {
        let linkage = node.text("linkageName");
        if !linkage.is_empty() {
            self.entries.set(entry, dw::DW_AT_MIPS_linkage_name, Value::Text(linkage.to_owned()));
        }
        self.name(entry, node);
        self.source(entry, node);
        if node.has_flag("flags", "DIFlagPrototyped") {
            self.flag(entry, dw::DW_AT_prototyped);
        }
        let types = node.node("type").and_then(|ty| self.view.debug_node(ty)).and_then(|ty| ty.node("types"));
        if let Some(Metadata::Node(parts)) = types.map(|types| self.view.metadata(types)) {
            self.set_type(entry, parts.first().copied().flatten());
        }
        if node.has_flag("flags", "DIFlagArtificial") {
            self.flag(entry, dw::DW_AT_artificial);
        }
        if !node.has_flag("spFlags", "DISPFlagLocalToUnit") {
            self.flag(entry, dw::DW_AT_external);
        }
    }

    /// What a function says about itself where it is defined: where it is declared, or everything.
    fn definition_heading(&mut self, entry: EntryId, node: &DebugNode) {
        match node.node("declaration") {
            Some(declared) => {
                let is_named =
                    |id| self.view.debug_node(id).is_some_and(|node| !node.text("linkageName").is_empty());
                let linkage = node.text("linkageName");
                if !is_named(declared) && !linkage.is_empty() {
                    self.entries.set(entry, dw::DW_AT_MIPS_linkage_name, Value::Text(linkage.to_owned()));
                }
                let declared = self.function(declared, 0);
                self.entries.set(entry, dw::DW_AT_specification, Value::Entry(declared));
            }
            None => self.function_heading(entry, node),
        }
    }

    /// The entry around a function's definition: the namespace, for one that is a member the unit.
    fn definition_parent(&mut self, node: &DebugNode) -> EntryId {
        if node.node("declaration").is_some() {
            return self.entries.root();
        }
        let is_namespace =
            |scope: MetadataId| self.view.debug_node(scope).is_some_and(|node| node.class == "DINamespace");
        let scope = node.node("scope").filter(|scope| is_namespace(*scope));
        self.context(scope, 0)
    }

    /// A function as it was before it was inlined (DWARF 2, 3.3.8.1).
    fn abstract_function(&mut self, id: MetadataId, traces: &[&FunctionTrace]) {
        let view = self.view;
        let Some(node) = view.debug_node(id) else { return };
        let Some(&entry) = self.functions.get(&id) else { return };
        self.definition_heading(entry, node);
        // Inlined, whether the source asked for it or not.
        self.entries.set(entry, dw::DW_AT_inline, Value::Number(1));
        for parameter in self.list(node.node("templateParams")) {
            self.template_parameter(entry, parameter);
        }
        let mut variables = self.list(node.node("retainedNodes"));
        for trace in traces {
            variables.extend(trace.variables.iter().map(|variable| variable.variable));
        }
        let mut seen = HashSet::default();
        variables.retain(|&variable| {
            seen.insert(variable)
                && view.debug_node(variable).is_some_and(|node| node.class == "DILocalVariable")
                && self.function_around(variable) == Some(id)
        });
        self.parameters_first(&mut variables);
        for variable in variables {
            let Some(node) = view.debug_node(variable) else { continue };
            let scope = node.node("scope").and_then(|scope| ScopeKey::innermost(view, scope, None));
            let parent = scope.map_or(entry, |scope| self.abstract_scope(scope, entry));
            let one = self.entries.add(parent, variable_tag(node));
            self.variable_heading(one, node);
            self.abstract_variables.insert(variable, one);
            if node.has_flag("flags", "DIFlagObjectPointer") {
                self.entries.set(entry, dw::DW_AT_object_pointer, Value::Entry(one));
            }
        }
    }

    /// A block of a function as it was before it was inlined.
    fn abstract_scope(&mut self, scope: ScopeKey, function: EntryId) -> EntryId {
        let mut pending = Vec::new();
        let mut next = Some(scope);
        let mut parent = function;
        while let Some(key) = next {
            if let Some(&known) = self.abstract_scopes.get(&key.node) {
                parent = known;
                break;
            }
            next = key.outer_block(self.view);
            // The outermost one is the function.
            if next.is_some() {
                pending.push(key.node);
            }
        }
        for block in pending.into_iter().rev() {
            parent = self.entries.add(parent, dw::DW_TAG_lexical_block);
            self.abstract_scopes.insert(block, parent);
        }
        parent
    }

    /// The function that a variable's scope is in.
    fn function_around(&self, variable: MetadataId) -> Option<MetadataId> {
        let scope = self.view.debug_node(variable)?.node("scope")?;
        let mut key = ScopeKey::innermost(self.view, scope, None)?;
        while let Some(outer) = key.outer_block(self.view) {
            key = outer;
        }
        Some(key.node)
    }

    fn parameters_first(&self, variables: &mut [MetadataId]) {
        variables.sort_by_key(|&variable| argument_order(self.view, variable));
    }

    /// A function's code.
    fn concrete_function(&mut self, trace: &FunctionTrace, entry: EntryId) {
        let view = self.view;
        let origin = self.functions.get(&trace.subprogram).copied();
        let Some(node) = view.debug_node(trace.subprogram) else { return };
        let key = ScopeKey { node: trace.subprogram, inlined_at: None };
        self.code(entry, trace, key);
        let frame = vec![ExpressionPart::Byte(dw::DW_OP_call_frame_cfa.0)];
        self.entries.set(entry, dw::DW_AT_frame_base, Value::Block(frame));
        match origin {
            Some(origin) if origin != entry => {
                self.entries.set(entry, dw::DW_AT_abstract_origin, Value::Entry(origin));
            }
            Some(_) | None => {
                self.definition_heading(entry, node);
                for parameter in self.list(node.node("templateParams")) {
                    self.template_parameter(entry, parameter);
                }
            }
        }
    }

    /// The labels around the code of a scope.
    fn code(&mut self, entry: EntryId, trace: &FunctionTrace, key: ScopeKey) {
        if let Some((_, (start, end))) = trace.scopes.iter().find(|(own, _)| *own == key) {
            self.entries.set(entry, dw::DW_AT_low_pc, Value::Address(start.clone()));
            self.entries.set(entry, dw::DW_AT_high_pc, Value::Address(end.clone()));
        }
    }

    /// Blocks, inlined functions and variables of a function's code.
    fn function_scopes(&mut self, trace: &FunctionTrace, function: EntryId) {
        let view = self.view;
        let root = ScopeKey { node: trace.subprogram, inlined_at: None };
        let mut made: HashMap<ScopeKey, EntryId> = HashMap::default();
        made.insert(root, function);
        let mut variables: Vec<&TracedVariable> = trace.variables.iter().collect();
        variables.sort_by_key(|variable| argument_order(view, variable.variable));
        // Parameters of a function precede everything else in it, in order.
        let mut by_scope: HashMap<ScopeKey, Vec<&TracedVariable>> = HashMap::default();
        for variable in variables {
            let scope = view.debug_node(variable.variable).and_then(|node| node.node("scope"));
            let key = scope.and_then(|scope| ScopeKey::innermost(view, scope, variable.inlined_at));
            if let Some(key) = key {
                by_scope.entry(key).or_default().push(variable);
            }
        }
        let mut noted: HashSet<(MetadataId, Option<LocationId>)> = HashSet::default();
        for variable in by_scope.get(&root).into_iter().flatten() {
            noted.insert((variable.variable, variable.inlined_at));
            self.variable(function, variable);
        }
        self.unseen_variables(trace, function, &noted);
        for (key, _) in &trace.scopes {
            self.scope(*key, trace, &mut made, &by_scope);
        }
    }

    /// Variables of the function that no record speaks of: they were optimized out.
    fn unseen_variables(
        &mut self,
        trace: &FunctionTrace,
        function: EntryId,
        noted: &HashSet<(MetadataId, Option<LocationId>)>,
    ) {
        let view = self.view;
        let Some(node) = view.debug_node(trace.subprogram) else { return };
        let mut retained = self.list(node.node("retainedNodes"));
        self.parameters_first(&mut retained);
        for variable in retained {
            let is_own = view.debug_node(variable).is_some_and(|node| {
                node.class == "DILocalVariable" && node.node("scope") == Some(trace.subprogram)
            });
            if is_own && !noted.contains(&(variable, None)) {
                let location = VariableLocation::Nowhere;
                self.variable(function, &TracedVariable { variable, inlined_at: None, location });
            }
        }
    }

    /// The entry of a scope, after those around it.
    fn scope(
        &mut self,
        key: ScopeKey,
        trace: &FunctionTrace,
        made: &mut HashMap<ScopeKey, EntryId>,
        variables: &HashMap<ScopeKey, Vec<&TracedVariable>>,
    ) {
        let view = self.view;
        let mut pending = Vec::new();
        let mut next = Some(key);
        while let Some(key) = next.filter(|key| !made.contains_key(key)) {
            pending.push(key);
            next = key.outer(view);
        }
        let mut parent = next.and_then(|key| made.get(&key).copied());
        for key in pending.into_iter().rev() {
            let (Some(around), Some(node)) = (parent, view.debug_node(key.node)) else { return };
            let own: &[&TracedVariable] = match variables.get(&key) {
                Some(own) => own,
                None => &[],
            };
            let entry = if node.class == "DISubprogram" {
                self.inlined_function(around, trace, key)
            } else if own.is_empty() {
                // A block without variables says nothing.
                around
            } else {
                let entry = self.entries.add(around, dw::DW_TAG_lexical_block);
                if let Some(&origin) = self.abstract_scopes.get(&key.node) {
                    self.entries.set(entry, dw::DW_AT_abstract_origin, Value::Entry(origin));
                }
                self.code(entry, trace, key);
                entry
            };
            for variable in own {
                self.variable(entry, variable);
            }
            made.insert(key, entry);
            parent = Some(entry);
        }
    }

    /// A place that a function was inlined to (DWARF 2, 3.3.8.2).
    fn inlined_function(&mut self, parent: EntryId, trace: &FunctionTrace, key: ScopeKey) -> EntryId {
        let entry = self.entries.add(parent, dw::DW_TAG_inlined_subroutine);
        if let Some(&origin) = self.functions.get(&key.node) {
            self.entries.set(entry, dw::DW_AT_abstract_origin, Value::Entry(origin));
        }
        self.code(entry, trace, key);
        if let Some(call) = key.inlined_at.map(|call| self.view.location(call)) {
            if let Some(file) = call.file {
                let file = self.program.file_number(file);
                self.entries.set(entry, dw::DW_AT_call_file, Value::Number(u64::from(file)));
            }
            self.entries.set(entry, dw::DW_AT_call_line, Value::Number(u64::from(call.line)));
            if call.column > 0 {
                self.entries.set(entry, dw::DW_AT_call_column, Value::Number(u64::from(call.column)));
            }
        }
        entry
    }

    fn variable(&mut self, parent: EntryId, variable: &TracedVariable) {
        let view = self.view;
        let Some(node) = view.debug_node(variable.variable) else { return };
        let entry = self.entries.add(parent, variable_tag(node));
        match &variable.location {
            VariableLocation::Nowhere => {}
            VariableLocation::Everywhere(location) => {
                self.entries.set(entry, dw::DW_AT_address_class, Value::Number(location.class));
                self.entries.set(entry, dw::DW_AT_location, Value::Block(location.parts.clone()));
            }
            VariableLocation::Ranges(ranges) if ranges.is_empty() => {}
            VariableLocation::Ranges(ranges) => {
                if let Some(list) = self.lists.add(LISTS, ranges) {
                    self.entries.set(entry, dw::DW_AT_location, Value::Section(list));
                }
            }
        }
        match self.abstract_variables.get(&variable.variable) {
            Some(&origin) => self.entries.set(entry, dw::DW_AT_abstract_origin, Value::Entry(origin)),
            None => self.variable_heading(entry, node),
        }
        if node.has_flag("flags", "DIFlagObjectPointer")
            && !self.entries.has(parent, dw::DW_AT_object_pointer)
        {
            self.entries.set(parent, dw::DW_AT_object_pointer, Value::Entry(entry));
        }
    }

    fn variable_heading(&mut self, entry: EntryId, node: &DebugNode) {
        self.name(entry, node);
        self.source(entry, node);
        self.set_type(entry, node.node("type"));
        if node.has_flag("flags", "DIFlagArtificial") {
            self.flag(entry, dw::DW_AT_artificial);
        }
    }

    /// Global variables: those that the unit lists, wherever their parts lie.
    fn globals(&mut self, unit: &DebugNode) {
        let view = self.view;
        let mut locations: HashMap<MetadataId, Vec<(Symbol, Expression)>> = HashMap::default();
        for (at, global) in view.globals.iter().enumerate() {
            for pair in global.debug.iter().filter_map(|&pair| view.debug_node(pair)) {
                if let (Some(variable), Some(expression)) = (pair.node("var"), expression_of(view, pair)) {
                    let symbol = Symbol::Global(ptx_llvm_core::view::GlobalId::new(at));
                    locations.entry(variable).or_default().push((symbol, expression));
                }
            }
        }
        let mut seen = HashSet::default();
        for pair in self.list(unit.node("globals")).into_iter().filter_map(|pair| view.debug_node(pair)) {
            let Some(variable) = pair.node("var").filter(|variable| seen.insert(*variable)) else { continue };
            let Some(entry) = self.global(variable) else { continue };
            let own: Vec<_> = locations.remove(&variable).into_iter().flatten().collect();
            let constant_value = expression_of(view, pair).and_then(|expression| expression.constant);
            match constant_value {
                Some(value) if own.is_empty() => {
                    self.entries.set(entry, dw::DW_AT_const_value, constant(value));
                }
                Some(_) | None => self.global_location(entry, own),
            }
        }
    }

    fn global(&mut self, id: MetadataId) -> Option<EntryId> {
        let node = self.view.debug_node(id)?;
        let declared = node.node("declaration").and_then(|declared| self.static_member(declared));
        let scope = if declared.is_some() { None } else { node.node("scope") };
        let parent = self.context(scope, 0);
        let entry = self.entries.add(parent, dw::DW_TAG_variable);
        match declared {
            Some(member) => self.entries.set(entry, dw::DW_AT_specification, Value::Entry(member)),
            None => {
                self.name(entry, node);
                self.set_type(entry, node.node("type"));
                if node.word("isLocal") != "true" {
                    self.flag(entry, dw::DW_AT_external);
                }
                self.source(entry, node);
            }
        }
        let linkage = node.text("linkageName");
        if !linkage.is_empty() {
            self.entries.set(entry, dw::DW_AT_MIPS_linkage_name, Value::Text(linkage.to_owned()));
        }
        Some(entry)
    }

    /// The location of a global variable: one, or those of its parts in order.
    fn global_location(&mut self, entry: EntryId, mut locations: Vec<(Symbol, Expression)>) {
        locations.sort_by_key(|(_, expression)| expression.fragment);
        let mut steps = Vec::new();
        let mut class = None;
        let mut end = 0;
        for (symbol, expression) in locations {
            let Some((name, space, offset)) = self.program.variable(symbol) else { continue };
            if let Some((first, _)) = expression.fragment.filter(|(first, _)| *first > end) {
                steps.extend(op_piece((first - end) / 8));
            }
            class = class.or(expression.class).or(Some(address_class(space)));
            steps.push(Step::Symbol(name));
            if let Some(offset) = u64::try_from(offset).ok().filter(|offset| *offset > 0) {
                steps.extend(op_plus(offset));
            }
            steps.extend(expression.steps);
            let Some((first, bits)) = expression.fragment else { break };
            steps.extend(op_piece(bits / 8));
            end = first + bits;
        }
        let Some(class) = class else { return };
        let block = parts(&steps, &|_| String::new());
        self.entries.set(entry, dw::DW_AT_address_class, Value::Number(class));
        self.entries.set(entry, dw::DW_AT_location, Value::Block(block));
    }

    /// The entry of a static member of a structure.
    fn static_member(&mut self, id: MetadataId) -> Option<EntryId> {
        let scope = self.view.debug_node(id)?.node("scope");
        let class = self.type_entry(scope, 0)?;
        Some(self.member(class, id))
    }

    /// `using` of C++, `use` of Rust: another place where a name is known.
    fn import(&mut self, id: MetadataId) {
        let view = self.view;
        let Some(node) = view.debug_node(id) else { return };
        let tag = match node.word("tag") {
            "DW_TAG_imported_module" => dw::DW_TAG_imported_module,
            "DW_TAG_imported_declaration" => dw::DW_TAG_imported_declaration,
            _ => return,
        };
        let Some(entity) = node.node("entity").and_then(|entity| self.entity(entity)) else { return };
        let parent = self.context(node.node("scope"), 0);
        let entry = self.entries.add(parent, tag);
        self.source(entry, node);
        self.entries.set(entry, dw::DW_AT_import, Value::Entry(entity));
        self.name(entry, node);
    }

    fn entity(&mut self, id: MetadataId) -> Option<EntryId> {
        let view = self.view;
        let node = view.debug_node(id)?;
        match node.class.as_str() {
            "DINamespace" => Some(self.namespace(id, node, 0)),
            "DISubprogram" => Some(self.function(id, 0)),
            _ => self.type_entry(Some(id), 0),
        }
    }
}

/// The expression of a `DIGlobalVariableExpression`.
fn expression_of(view: &View, pair: &DebugNode) -> Option<Expression> {
    match pair.field("expr") {
        Some(DebugField::Nested(node)) => Expression::of(node),
        Some(DebugField::Node(id)) => view.debug_node(*id).and_then(Expression::of),
        Some(DebugField::Integer(_) | DebugField::Text(_) | DebugField::Word(_)) | None => None,
    }
}

fn variable_tag(node: &DebugNode) -> gimli::DwTag {
    if number(node, "arg").is_some_and(|argument| argument > 0) {
        dw::DW_TAG_formal_parameter
    } else {
        dw::DW_TAG_variable
    }
}

/// Orders variables: arguments by their number, before all others.
fn argument_order(view: &View, variable: MetadataId) -> (bool, Option<u64>) {
    let argument = view.debug_node(variable).and_then(|node| number(node, "arg"));
    let argument = argument.filter(|argument| *argument > 0);
    (argument.is_none(), argument)
}

//! The context of all rules: the module, the declarations so far, and the diagnostics.

use ptx_diag::{Diagnostic, Diagnostics, Severity, Span};
use ptx_ir::{Body, Function, FunctionId, Inst, LabelId, Module, Operand, Param, Stmt, StrId, VarId};
use ptx_isa::{Construct, Form, Mnemonic, Mod, PtxVersion, ScalarType, Since};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes;
use crate::debug;
use crate::old_parameters;
use crate::targets::Target;

/// The state of one run.
pub(crate) struct Checker<'m> {
    /// The module that is checked.
    pub(crate) module: &'m Module,
    /// The version and architecture that are in force.
    pub(crate) target: Target,
    /// The highest required version that is newer than the one in force.
    pub(crate) needed: Option<PtxVersion>,
    /// How many bits an address has.
    pub(crate) address_size: u32,
    /// The positions of the `.file` indices so far.
    pub(crate) files: FxHashMap<u32, Span>,
    /// The target of each alias so far.
    pub(crate) aliases: FxHashMap<StrId, StrId>,
    /// File, line and column of every `.loc` so far.
    pub(crate) locations: FxHashSet<(u32, u32, u32)>,
    /// The labels of all debug sections.
    pub(crate) section_labels: FxHashSet<&'m str>,
    /// The mnemonics that the target has: a module has few distinct ones.
    pub(crate) available: FxHashSet<Mnemonic>,
    /// The mnemonics that keep the constraints of their rows.
    pub(crate) consistent: FxHashSet<Mnemonic>,
    /// The lists and prototypes of the body that is checked, by label.
    pub(crate) lists: FxHashMap<LabelId, &'m Stmt>,
    /// The parameters and results of the function that is checked.
    pub(crate) inputs: FxHashSet<VarId>,
    /// See [`Self::inputs`].
    pub(crate) outputs: FxHashSet<VarId>,
    variables: FxHashMap<StrId, VarId>,
    functions: FxHashMap<StrId, FunctionId>,
    definitions: FxHashMap<StrId, FunctionId>,
    defined: FxHashSet<StrId>,
    needs: Vec<Need>,
    findings: Diagnostics,
    /// All findings, those beyond [`MOST_FINDINGS`] too, which are not kept.
    found: usize,
    hidden: Option<Hidden>,
}

/// How many findings are kept: errors, and as many that are none.
pub(crate) const MOST_FINDINGS: usize = 1000;

/// Something that the version or architecture in force does not have.
struct Need {
    since: Since,
    span: Span,
    what: String,
}

/// The message in place of diagnostics that are not kept.
#[derive(Clone, Copy)]
enum Hidden {
    Warnings,
    Errors,
}

impl<'m> Checker<'m> {
    pub(crate) fn new(module: &'m Module) -> Self {
        let with_body = module.function_ids().filter(|&id| module.function(id).body.is_some());
        let definitions = with_body.map(|id| (module.function(id).name, id)).collect();
        Self {
            module,
            target: Target::default(),
            needed: None,
            address_size: module.address_size(),
            files: FxHashMap::default(),
            aliases: FxHashMap::default(),
            locations: FxHashSet::default(),
            section_labels: debug::section_labels(module),
            available: FxHashSet::default(),
            consistent: FxHashSet::default(),
            lists: FxHashMap::default(),
            inputs: FxHashSet::default(),
            outputs: FxHashSet::default(),
            variables: FxHashMap::default(),
            functions: FxHashMap::default(),
            definitions,
            defined: FxHashSet::default(),
            needs: Vec::new(),
            findings: Diagnostics::new(),
            found: 0,
            hidden: None,
        }
    }

    /// Adds a finding.
    pub(crate) fn report(&mut self, finding: Diagnostic) {
        self.found += 1;
        let errors = self.findings.error_count();
        match finding.severity {
            Severity::Error if errors < MOST_FINDINGS => self.findings.push(finding),
            Severity::Error => self.hidden = Some(Hidden::Errors),
            Severity::Warning | Severity::Note if self.findings.len() - errors < MOST_FINDINGS => {
                self.findings.push(finding);
            }
            Severity::Warning | Severity::Note => self.hidden = self.hidden.or(Some(Hidden::Warnings)),
        }
    }

    /// Adds findings when `what` came later than the version or architecture in force.
    pub(crate) fn require(&mut self, since: Since, span: Span, what: &str) {
        if self.target.is_older(since.ptx) {
            self.needed = self.needed.max(Some(since.ptx));
        }
        let count = self.target.lacks(since).into_iter().filter(|lacks| *lacks).count();
        self.found += count;
        match self.needs.len() < 2 * MOST_FINDINGS {
            true if count > 0 => self.needs.push(Need { since, span, what: what.to_owned() }),
            false if count > 0 => self.hidden = Some(Hidden::Errors),
            _ => {}
        }
    }

    /// Reports what the version or architecture in force does not have: of a statement and its parts what came last.
    fn report_needs(&mut self) {
        let mut needs = std::mem::take(&mut self.needs);
        needs.sort_by_key(|need| (need.span.lo, std::cmp::Reverse(need.span.hi)));
        let mut end = 0;
        let overlaps = |one: &Need, other: &Need| {
            end = one.span.hi.max(end);
            other.span.lo < end
        };
        for group in needs.chunk_by(overlaps) {
            let [lacks_version, lacks_target] = [0, 1].map(|aspect| {
                let lacking = group.iter().filter(|need| self.target.lacks(need.since)[aspect]);
                lacking
                    .reduce(|last, need| if need.since.is_after(&last.since)[aspect] { need } else { last })
            });
            if let Some(need) = lacks_version {
                self.report(self.target.needs_version(need.since, need.span, &need.what));
            }
            if let Some(need) = lacks_target {
                self.report(self.target.needs_target(need.since, need.span, &need.what));
            }
        }
    }

    /// Adds findings when the version or architecture in force does not have a construct yet.
    pub(crate) fn require_construct(&mut self, construct: Construct, span: Span) {
        self.require(construct.since(), span, construct.text());
    }

    /// How many findings there are so far.
    pub(crate) fn found(&self) -> usize {
        self.found
    }

    /// All findings, in the order of the text.
    pub(crate) fn into_findings(mut self) -> Diagnostics {
        self.report_needs();
        self.findings.sort_by_place();
        // Default: of no findings none is hidden.
        let last = self.findings.iter().last().and_then(|finding| finding.span).unwrap_or_default();
        if let Some(hidden) = self.hidden {
            self.findings.push(match hidden {
                Hidden::Errors => {
                    Diagnostic::error(codes::TOO_MANY, last, "there are more errors than these")
                }
                Hidden::Warnings => {
                    Diagnostic::warning(codes::TOO_MANY, last, "there are more warnings than these")
                }
            });
        }
        self.findings
    }

    /// Makes ready for the statements of a function.
    pub(crate) fn enter(&mut self, function: &Function, body: &'m Body) {
        let variable = |param: &Param| match param {
            Param::Variable(id) => Some(*id),
            Param::Register(..) => None,
        };
        let old = old_parameters::of(self.module, function);
        self.inputs = function.params.iter().filter_map(variable).chain(old).collect();
        self.outputs = function.results.iter().filter_map(variable).collect();
        self.lists.clear();
        for stmt in &body.statements {
            if let Stmt::CallTargets(label, _) | Stmt::CallPrototype(label, _) = stmt {
                self.lists.insert(*label, stmt);
            }
        }
    }

    /// The first module variable of a name, when it is not `id` itself.
    pub(crate) fn first_variable(&mut self, name: StrId, id: VarId) -> Option<VarId> {
        let first = *self.variables.entry(name).or_insert(id);
        (first != id).then_some(first)
    }

    /// The first function of a name, when it is not `id` itself.
    pub(crate) fn first_function(&mut self, name: StrId, id: FunctionId) -> Option<FunctionId> {
        let first = *self.functions.entry(name).or_insert(id);
        (first != id).then_some(first)
    }

    /// Whether a variable or function of the name was defined so far.
    pub(crate) fn is_defined(&self, name: StrId) -> bool {
        self.defined.contains(&name)
    }

    /// Notes a definition.
    pub(crate) fn set_defined(&mut self, name: StrId) {
        self.defined.insert(name);
    }

    /// The definition of the function that `id` declares, or `id` itself.
    pub(crate) fn definition(&self, id: FunctionId) -> FunctionId {
        let name = self.module.functions.get(id.0 as usize).map(|function| function.name);
        name.and_then(|name| self.definitions.get(&name).copied()).unwrap_or(id)
    }
}

/// One instruction with all that its rules need.
#[derive(Clone, Copy)]
pub(crate) struct Site<'m> {
    pub(crate) module: &'m Module,
    pub(crate) function: &'m Function,
    pub(crate) body: &'m Body,
    pub(crate) inst: &'m Inst,
}

impl<'m> Site<'m> {
    pub(crate) fn mnemonic(&self) -> Mnemonic {
        self.inst.mnemonic
    }

    pub(crate) fn form(&self) -> &'static Form {
        self.inst.mnemonic.form()
    }

    pub(crate) fn has(&self, modifier: Mod) -> bool {
        self.inst.mnemonic.has(modifier)
    }

    /// Whether one of the modifiers was chosen.
    pub(crate) fn has_any(&self, modifiers: &[Mod]) -> Option<Mod> {
        modifiers.iter().copied().find(|&modifier| self.has(modifier))
    }

    /// The operand with this index in the form; `Omitted` past the end.
    pub(crate) fn operand(&self, at: usize) -> Operand {
        self.body.operands(self.inst).get(at).copied().unwrap_or(Operand::Omitted)
    }

    /// The source range of the operand with this index in the form, or of the whole instruction.
    pub(crate) fn span(&self, at: usize) -> Span {
        self.body.operand_spans(self.inst).get(at).copied().unwrap_or(self.inst.at.0)
    }

    /// The position of the whole instruction.
    pub(crate) fn whole(&self) -> Span {
        self.inst.at.0
    }

    /// The description of an operand for messages: "`%r1` of type `.b32`", "an integer constant" ...
    pub(crate) fn describe(&self, operand: Operand) -> String {
        match operand {
            Operand::Omitted => "nothing".to_owned(),
            Operand::Sink => "`_`".to_owned(),
            Operand::Register(reg) | Operand::Not(reg) => {
                format!("a `{}` register", self.register_type(reg))
            }
            Operand::Element(reg, _) => format!("a `.{}` component", self.body.reg_type(reg).as_str()),
            Operand::Selected(..) => "a part of a register".to_owned(),
            Operand::Negated(..) => "a negated register".to_owned(),
            Operand::Sum(..) | Operand::SpecialSum(..) => "a register plus a constant".to_owned(),
            Operand::Special(reg, component) => match component {
                Some(component) => format!("the special register `{reg}.{}`", component.as_str()),
                None => format!("the special register `{reg}`"),
            },
            Operand::Immediate(value) if value.as_integer().is_some() => "an integer constant".to_owned(),
            Operand::Immediate(_) => "a floating-point constant".to_owned(),
            Operand::Symbol(..) => "the address of a variable or function".to_owned(),
            Operand::Address(..) => "a memory address".to_owned(),
            Operand::Bracket(_) => "several values in brackets".to_owned(),
            Operand::Vector(list) => format!("a vector of {}", list.len()),
            Operand::List(_) => "a list in parentheses".to_owned(),
            Operand::Label(_) => "a label".to_owned(),
        }
    }

    fn register_type(&self, reg: ptx_ir::RegId) -> String {
        let decl = self.body.decl(reg);
        match decl.shape.lanes() {
            1 => format!(".{}", decl.ty.as_str()),
            lanes => format!(".v{lanes} .{}", decl.ty.as_str()),
        }
    }
}

/// "`.b32`", for messages.
pub(crate) fn dotted(ty: ScalarType) -> String {
    format!("`.{}`", ty.as_str())
}

//! All that is found out about two modules.

use std::collections::{BTreeMap, BTreeSet};

use ptx_cli::Terminal;
use ptx_diag::SourceFile;
use ptx_diff::{Comparison, FunctionChange, Line, MachineChange, compare_machine};
use ptx_machine::{Executions, Issued, MachineCode, NotMeasured, Source, Usage, Weighted};
use ptx_profile::Counts;

use crate::input::Input;

/// Something of the first module and of the second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Both<T> {
    pub before: T,
    pub after: T,
}

/// Two modules compared.
pub struct Compared<'a> {
    inputs: Both<&'a Input>,
    /// What differs between the texts.
    pub comparison: Comparison,
    /// What differs between the machine code, if that is asked for.
    pub machine: Option<Machine>,
}

/// The machine code of two modules compared.
pub struct Machine {
    code: Both<MachineCode>,
    issued: Both<Option<Issued>>,
    /// For each function of the comparison that both have machine code of, by its place there.
    functions: BTreeMap<usize, MachineChange>,
    /// Functions that only the machine code of the first module has.
    pub removed: Vec<String>,
    /// Functions that only the machine code of the second module has.
    pub added: Vec<String>,
}

/// The machine code of a function of both modules.
pub struct MachineFunction<'a> {
    /// What differs.
    pub change: &'a MachineChange,
    /// What ptxas tells of both.
    pub usage: Both<Option<Usage>>,
    /// What is issued, or why that is not known; `None` without a profile, or if it is not a kernel that was launched.
    pub issued: Both<Option<Result<&'a Weighted, &'a NotMeasured>>>,
}

impl<'a> Compared<'a> {
    /// Compares two modules and their machine code.
    pub fn new(
        inputs: Both<&'a Input>,
        code: Option<(MachineCode, MachineCode)>,
        terminal: Terminal,
    ) -> Self {
        let compare = || ptx_diff::compare(&inputs.before.module, &inputs.after.module);
        let comparison = terminal.step("compare", compare);
        let machine = code.map(|(before, after)| {
            let code = Both { before, after };
            terminal.step("compare machine code", || Machine::new(inputs, code, &comparison))
        });
        Self { inputs, comparison, machine }
    }

    /// Whether the modules are the same, and so is their machine code if it was compared.
    pub fn is_same(&self) -> bool {
        self.comparison.is_same() && self.machine.as_ref().is_none_or(Machine::is_same)
    }

    /// The texts.
    pub fn sources(&self) -> Both<&'a SourceFile> {
        Both { before: &self.inputs.before.source, after: &self.inputs.after.source }
    }

    /// What is counted of a statement of the first module; `None` without a profile, and if it is not an instruction.
    pub fn before(&self, line: &Line) -> Option<Counts> {
        let executed = self.inputs.before.executed.as_ref().filter(|_| line.is_instruction);
        executed.map(|executed| executed.of(line.span))
    }

    /// What is counted of a statement of the second module.
    pub fn after(&self, line: &Line) -> Option<Counts> {
        let executed = self.inputs.after.executed.as_ref().filter(|_| line.is_instruction);
        executed.map(|executed| executed.of(line.span))
    }

    /// Whether each module has a profile.
    pub fn is_weighted(&self) -> Both<bool> {
        Both { before: self.inputs.before.executed.is_some(), after: self.inputs.after.executed.is_some() }
    }

    /// What was executed of a function in both modules; `None` without a profile.
    pub fn executed(&self, function: &FunctionChange) -> Both<Option<Counts>> {
        let total = |input: &Input, name: &str| input.executed.as_ref().map(|executed| executed.total(name));
        Both {
            before: total(self.inputs.before, &function.name),
            after: total(self.inputs.after, &function.new_name),
        }
    }

    /// The places of the functions of the comparison: those of which most was executed first, if there is a profile.
    pub fn order(&self) -> Vec<usize> {
        let functions = &self.comparison.functions;
        let mut order: Vec<usize> = (0..functions.len()).collect();
        order.sort_by_key(|at| {
            let executed = self.executed(&functions[*at]);
            let warps = [executed.before, executed.after].into_iter().flatten().map(|counts| counts.warps);
            std::cmp::Reverse(warps.max())
        });
        order
    }

    /// The machine code of a function, if both have some.
    pub fn machine_function(&self, at: usize) -> Option<MachineFunction<'_>> {
        let machine = self.machine.as_ref()?;
        let change = machine.functions.get(&at)?;
        let function = &self.comparison.functions[at];
        let names = Both { before: function.name.as_str(), after: function.new_name.as_str() };
        let usage = |code: &MachineCode, name: &str| code.usage.get(name).copied();
        Some(MachineFunction {
            change,
            usage: Both {
                before: usage(&machine.code.before, names.before),
                after: usage(&machine.code.after, names.after),
            },
            issued: Both {
                before: machine.issued.before.as_ref().and_then(|issued| issued.of_kernel(names.before)),
                after: machine.issued.after.as_ref().and_then(|issued| issued.of_kernel(names.after)),
            },
        })
    }

    /// Whether a function is the same in text and in machine code, with the same name.
    pub fn is_same_function(&self, at: usize) -> bool {
        let function = &self.comparison.functions[at];
        function.is_same()
            && function.name == function.new_name
            && self.machine_function(at).is_none_or(|machine| machine.change.is_same())
    }
}

impl Machine {
    fn new(inputs: Both<&Input>, code: Both<MachineCode>, comparison: &Comparison) -> Self {
        let mut functions = BTreeMap::new();
        let (mut of_before, mut of_after) = (BTreeSet::new(), BTreeSet::new());
        for (at, function) in comparison.functions.iter().enumerate() {
            let found = (
                code.before.functions.get_key_value(&function.name),
                code.after.functions.get_key_value(&function.new_name),
            );
            if let (Some((name, before)), Some((new_name, after))) = found {
                functions.insert(at, compare_machine((name, before), (new_name, after)));
                of_before.insert(name);
                of_after.insert(new_name);
            }
        }
        let alone = |code: &MachineCode, matched: &BTreeSet<&String>| {
            code.functions.keys().filter(|name| !matched.contains(name)).cloned().collect()
        };
        let (removed, added) = (alone(&code.before, &of_before), alone(&code.after, &of_after));
        let issued =
            Both { before: issued(inputs.before, &code.before), after: issued(inputs.after, &code.after) };
        Self { code, issued, functions, removed, added }
    }

    fn is_same(&self) -> bool {
        self.removed.is_empty()
            && self.added.is_empty()
            && self.functions.values().all(MachineChange::is_same)
    }

    /// How many functions have machine code in both modules, and of how many it is the same.
    pub fn functions(&self) -> (usize, usize) {
        let same = self.functions.values().filter(|change| change.is_same()).count();
        (self.functions.len(), same)
    }

    /// The architectures that the machine code is for.
    pub fn architectures(&self) -> Both<&str> {
        Both { before: &self.code.before.architecture, after: &self.code.after.architecture }
    }

    /// Whether executions of each module's machine code are estimated.
    pub fn has_weights(&self) -> Both<bool> {
        Both { before: self.issued.before.is_some(), after: self.issued.after.is_some() }
    }

    /// How often warps issue the instruction of a function of the first module at an address.
    pub fn warps_before(&self, function: &str, address: u64) -> Option<f64> {
        self.issued.before.as_ref()?.warps(function, address)
    }

    /// How often warps issue the instruction of a function of the second module at an address.
    pub fn warps_after(&self, function: &str, address: u64) -> Option<f64> {
        self.issued.after.as_ref()?.warps(function, address)
    }
}

/// What the launches of a profile issue.
fn issued(input: &Input, code: &MachineCode) -> Option<Issued> {
    let executed = input.executed.as_ref()?;
    let counts = executed
        .executed()
        .map(|(span, counts)| (span, Executions { threads: counts.threads, warps: counts.warps }));
    let source = Source::new(&input.module, &input.source, counts);
    let mut launched: BTreeMap<String, u64> = BTreeMap::new();
    for launch in executed.launches() {
        let threads = launched.entry(launch.kernel.clone()).or_default();
        *threads = threads.saturating_add(launch.threads());
    }
    Some(Issued::new(code, &source, &launched))
}

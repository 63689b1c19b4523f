//! Programs as PTX text.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::syntax::*;
use super::volatile;

/// The whole module; declarations that nothing uses are left out.
pub(super) fn print(module: &Module, sm: u16) -> String {
    let mut printer = Printer { module, labels: 0 };
    let functions: Vec<(String, String)> =
        module.functions.iter().map(|function| printer.function(function)).collect();
    let used = functions_used(module);
    let mut text = String::new();
    for ((_, body), function) in functions.iter().zip(&module.functions) {
        if function.kernel || used.contains(function.name.as_str()) {
            text += body;
        }
    }
    let words = words(&text);
    let version = volatile::version(&text);
    let mut top = format!(".version {version}\n.target sm_{sm}\n.address_size 64\n");
    for &id in &module.statics {
        let variable = &module.variables[id];
        if words.contains(variable.name.as_str()) {
            let _ = writeln!(top, "{};", declaration(variable, true));
        }
    }
    // Functions may refer to each other in tables before them.
    for ((head, _), function) in functions.iter().zip(&module.functions) {
        if !function.kernel && used.contains(function.name.as_str()) {
            let _ = writeln!(top, "{head};");
        }
    }
    top + &text
}

/// The functions that the kernel reaches.
fn functions_used(module: &Module) -> HashSet<&str> {
    fn visit(module: &Module, body: &[Statement], used: &mut HashSet<FunctionId>) {
        for statement in body {
            let named = match statement.what {
                What::Call { target: Target::Direct(f) | Target::Prototype(_, f), .. } => vec![f],
                What::Call { target: Target::Table(_, f, g), .. } => vec![f, g],
                What::FunctionAddress { function, .. } => vec![function],
                _ => Vec::new(),
            };
            for f in named {
                if used.insert(f) {
                    visit(module, &module.functions[f].scope.body, used);
                }
            }
            for inner in statement.what.bodies() {
                visit(module, inner, used);
            }
        }
    }
    let mut used = HashSet::new();
    if let Some(kernel) = module.functions.last() {
        visit(module, &kernel.scope.body, &mut used);
    }
    used.into_iter().map(|f| module.functions[f].name.as_str()).collect()
}

fn words(text: &str) -> HashSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '%' && c != '$').collect()
}

fn declaration(variable: &Variable, top: bool) -> String {
    let mut text = String::new();
    let dynamic = variable.space == Space::Shared && variable.count.is_none();
    if dynamic {
        text += ".extern ";
    }
    let _ = write!(
        text,
        ".{} .align {} .{} {}",
        variable.space.name(),
        variable.align,
        variable.element,
        variable.name
    );
    match variable.count {
        None => text += "[]",
        Some(0) => {}
        Some(count) => {
            let _ = write!(text, "[{count}]");
        }
    }
    if let (Some(initial), true) = (&variable.initial, top) {
        let values: Vec<String> = initial.iter().map(u8::to_string).collect();
        let _ = write!(text, " = {{{}}}", values.join(", "));
    }
    text
}

/// Widths in the words of `.callprototype` and parameter lists.
fn parameter(module: &Module, function: &Function, parameter: &Parameter, name: Option<&str>) -> String {
    match *parameter {
        Parameter::Variable(id) => {
            let mut variable = module.variables[id].clone();
            if let Some(name) = name {
                name.clone_into(&mut variable.name);
            }
            let text = declaration(&variable, false);
            // A scalar needs no alignment, and a prototype takes none for one.
            if variable.count == Some(0) {
                text.replace(&format!(".align {} ", variable.align), "")
            } else {
                text
            }
        }
        Parameter::Register(register) => {
            let info = &function.registers[register];
            format!(".reg .b{} {}", info.bits, name.unwrap_or(&info.name))
        }
        Parameter::Vector(vector) => {
            let info = &function.vectors[vector];
            format!(".reg .v{} .{} {}", info.lanes.len(), info.element, name.unwrap_or(&info.name))
        }
    }
}

fn parameters(module: &Module, function: &Function, list: &[Parameter], name: Option<&str>) -> String {
    let all: Vec<String> = list.iter().map(|one| parameter(module, function, one, name)).collect();
    format!("({})", all.join(", "))
}

struct Printer<'m> {
    module: &'m Module,
    labels: usize,
}

impl Printer<'_> {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}", self.labels)
    }

    /// The head, and the whole function.
    fn function(&mut self, function: &Function) -> (String, String) {
        let list = parameters(self.module, function, &function.parameters, None);
        let results = parameters(self.module, function, &function.results, None);
        let head = match (function.kernel, function.results.is_empty()) {
            (true, _) => format!(".visible .entry {}{list}", function.name),
            (false, true) => format!(".func {} {list}", function.name),
            (false, false) => format!(".func {results} {} {list}", function.name),
        };
        let mut text = format!("{head}\n");
        self.scope(function, &function.scope, &mut text);
        (head, text)
    }

    fn scope(&mut self, function: &Function, scope: &Scope, text: &mut String) {
        let mut body = String::new();
        self.statements(function, &scope.body, &mut body);
        let used = words(&body);
        *text += "{\n";
        for &register in &scope.registers {
            let RegisterInfo { name, bits } = &function.registers[register];
            if used.contains(name.as_str()) {
                let ty = if *bits == 1 { "pred".to_owned() } else { format!("b{bits}") };
                let _ = writeln!(text, ".reg .{ty} {name};");
            }
        }
        for &vector in &scope.vectors {
            let VectorInfo { name, element, lanes } = &function.vectors[vector];
            if used.contains(name.as_str()) {
                let _ = writeln!(text, ".reg .v{} .{element} {name};", lanes.len());
            }
        }
        for &id in &scope.variables {
            let variable = &self.module.variables[id];
            if used.contains(variable.name.as_str()) {
                let _ = writeln!(text, "{};", declaration(variable, false));
            }
        }
        *text += &body;
        *text += "}\n";
    }

    fn statements(&mut self, function: &Function, body: &[Statement], text: &mut String) {
        for statement in body {
            self.statement(function, statement, text);
        }
    }

    fn statement(&mut self, function: &Function, statement: &Statement, text: &mut String) {
        let name = |register: Register| function.registers[register].name.clone();
        let guard = statement
            .guard
            .map(|(register, negated)| format!("@{}{} ", if negated { "!" } else { "" }, name(register)));
        let guard = guard.unwrap_or_default();
        match &statement.what {
            What::If { predicate, negated, then, otherwise } => {
                let (not_then, end) = (self.label(), self.label());
                // The branch leaves when the condition does not hold.
                let sign = if *negated { "" } else { "!" };
                let _ = writeln!(text, "@{sign}{} bra {not_then};", name(*predicate));
                self.statements(function, then, text);
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "bra {end};");
                }
                let _ = writeln!(text, "{not_then}:");
                self.statements(function, otherwise, text);
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "{end}:");
                }
            }
            What::Loop { counter, predicate, limit, body } => {
                let head = self.label();
                let (counter, predicate) = (name(*counter), name(*predicate));
                let _ = writeln!(text, "mov.u32 {counter}, 0;\n{head}:");
                self.statements(function, body, text);
                let limit = operand(function, limit);
                let _ = writeln!(
                    text,
                    "add.u32 {counter}, {counter}, 1;\nsetp.lt.u32 {predicate}, {counter}, {limit};\n\
                     @{predicate} bra {head};"
                );
            }
            What::Switch { index, arms } => {
                let (table, end) = (self.label(), self.label());
                let labels: Vec<String> = arms.iter().map(|_| self.label()).collect();
                let _ = writeln!(
                    text,
                    "{table}: .branchtargets {};\nbrx.idx {}, {table};",
                    labels.join(", "),
                    name(*index)
                );
                for (arm, label) in arms.iter().zip(&labels) {
                    let _ = writeln!(text, "{label}:");
                    self.statements(function, arm, text);
                    let _ = writeln!(text, "bra {end};");
                }
                let _ = writeln!(text, "{end}:");
            }
            What::Scope(scope) => self.scope(function, scope, text),
            What::Call { target, arguments, results, uniform } => {
                self.call(function, *target, [arguments, results], *uniform, &guard, text);
            }
            copy @ What::BulkCopy { .. } => self.bulk_copy(function, copy, text),
            simple => {
                let _ = writeln!(text, "{guard}{};", self.instruction(function, simple));
            }
        }
    }

    fn call(
        &mut self,
        function: &Function,
        target: Target,
        [arguments, results]: [&Vec<Argument>; 2],
        uniform: bool,
        guard: &str,
        text: &mut String,
    ) {
        let list = |all: &[Argument]| {
            let all: Vec<String> = all
                .iter()
                .map(|one| match one {
                    Argument::Variable(id) => self.module.variables[*id].name.clone(),
                    Argument::Lanes(lanes) => lanes_text(function, lanes),
                })
                .collect();
            format!("({})", all.join(", "))
        };
        let results = if results.is_empty() { String::new() } else { format!("{}, ", list(results)) };
        let arguments = list(arguments);
        let (callee, table) = match target {
            Target::Direct(f) => (self.module.functions[f].name.clone(), None),
            Target::Prototype(register, f) => {
                let label = self.label();
                let of = &self.module.functions[f];
                let mut declared = format!("{label}: .callprototype ");
                if !of.results.is_empty() {
                    declared += &parameters(self.module, of, &of.results, Some("_"));
                    declared += " ";
                }
                declared += "_ ";
                declared += &parameters(self.module, of, &of.parameters, Some("_"));
                let _ = writeln!(text, "{declared};");
                (function.registers[register].name.clone(), Some(label))
            }
            Target::Table(register, f, g) => {
                let label = self.label();
                let names = [f, g].map(|f| self.module.functions[f].name.as_str());
                let names = if f == g { names[0].to_owned() } else { names.join(", ") };
                let _ = writeln!(text, "{label}: .calltargets {names};");
                (function.registers[register].name.clone(), Some(label))
            }
        };
        let uniform = if uniform { ".uni" } else { "" };
        let table = table.map(|label| format!(", {label}")).unwrap_or_default();
        let _ = writeln!(text, "{guard}call{uniform} {results}{callee}, {arguments}{table};");
    }

    /// A copy whose bytes a barrier of one arrival counts, and the loop that waits for them.
    fn bulk_copy(&mut self, function: &Function, what: &What, text: &mut String) {
        let What::BulkCopy { bytes, to, from, barrier, state, predicate } = what else { return };
        let (again, barrier) = (self.label(), &self.module.variables[*barrier].name);
        let [state, predicate] = [state, predicate].map(|one| &function.registers[*one].name);
        let [to, from] = [to, from].map(|at| self.address(function, at));
        let _ = writeln!(
            text,
            "mbarrier.init.shared.b64 [{barrier}], 1;\nfence.proxy.async;\n\
             mbarrier.arrive.expect_tx.shared.b64 {state}, [{barrier}], {bytes};\n\
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes {to}, {from}, {bytes}, [{barrier}];\n\
             {again}:\nmbarrier.try_wait.shared.b64 {predicate}, [{barrier}], {state};\n\
             @!{predicate} bra {again};\nmbarrier.inval.shared.b64 [{barrier}];"
        );
    }

    fn address(&self, function: &Function, at: &Address) -> String {
        let base = match at.base {
            Base::Variable(id) => self.module.variables[id].name.as_str(),
            Base::Register(register) => function.registers[register].name.as_str(),
        };
        match at.offset {
            0 => format!("[{base}]"),
            offset => format!("[{base}+{offset}]"),
        }
    }

    fn instruction(&self, function: &Function, what: &What) -> String {
        let name = |register: &Register| function.registers[*register].name.as_str();
        let op = |one: &Operand| operand(function, one);
        let list = |all: &[Operand]| all.iter().map(op).collect::<Vec<_>>().join(", ");
        let space = |space: &Option<Space>| space.map(|s| format!(".{}", s.name())).unwrap_or_default();
        let address = |at: &Address| self.address(function, at);
        let vector = |lanes: &Lanes| match count(function, lanes) {
            1 => String::new(),
            n => format!(".v{n}"),
        };
        match what {
            What::Compute { operation, ty, to, arguments } => {
                format!("{operation}.{ty} {}, {}", name(to), list(arguments))
            }
            What::Compare { comparison, ty, to, arguments } => {
                format!("setp.{comparison}.{ty} {}, {}", name(to), list(arguments))
            }
            What::Select { ty, to, arguments, predicate } => {
                format!("selp.{ty} {}, {}, {}", name(to), list(arguments), name(predicate))
            }
            What::Convert { to_type, from_type, to, from } => {
                format!("cvt.{to_type}.{from_type} {}, {}", name(to), name(from))
            }
            What::Pack { ty, to, from } => format!("mov.{ty} {}, {}", name(to), lanes_text(function, from)),
            What::Unpack { ty, to, from } => format!("mov.{ty} {}, {}", lanes_text(function, to), name(from)),
            What::CopyVector { element, to, from } => {
                let (to_text, from) = (lanes_text(function, to), lanes_text(function, from));
                format!("mov{}.{element} {to_text}, {from}", vector(to))
            }
            What::AddressOf { ty, to, variable, offset } => {
                let variable = &self.module.variables[*variable].name;
                match offset {
                    0 => format!("mov.{ty} {}, {variable}", name(to)),
                    offset => format!("mov.{ty} {}, {variable}+{offset}", name(to)),
                }
            }
            What::Identify { to, what } => {
                let special = match what {
                    Identity::Thread => "%tid.x",
                    Identity::Block => "%ctaid.x",
                    Identity::Threads => "%ntid.x",
                };
                format!("mov.u32 {}, {special}", name(to))
            }
            What::FunctionAddress { to, function: called } => {
                format!("mov.u64 {}, {}", name(to), self.module.functions[*called].name)
            }
            What::MapAddress { to, from } => {
                format!("mapa.shared::cluster.u64 {}, {}, 0", name(to), name(from))
            }
            What::ConvertAddress { space, back, to, from } => {
                let back = if *back { ".to" } else { "" };
                format!("cvta{back}.{}.u64 {}, {}", space.name(), name(to), name(from))
            }
            What::Load { qualifier, space: s, ty, to, at } => {
                format!(
                    "ld{qualifier}{}{}.{ty} {}, {}",
                    space(s),
                    vector(to),
                    lanes_text(function, to),
                    address(at)
                )
            }
            What::Store { qualifier, space: s, ty, from, at } => {
                format!(
                    "st{qualifier}{}{}.{ty} {}, {}",
                    space(s),
                    vector(from),
                    address(at),
                    lanes_text(function, from)
                )
            }
            What::Atomic { operation, space: s, ty, to, at, arguments } => match to {
                Some(to) => format!(
                    "atom{}.{operation}.{ty} {}, {}, {}",
                    space(s),
                    name(to),
                    address(at),
                    list(arguments)
                ),
                None => format!("red{}.{operation}.{ty} {}, {}", space(s), address(at), list(arguments)),
            },
            What::AsyncCopy { bytes, to, from } => {
                let level = if *bytes == 16 { "cg" } else { "ca" };
                format!("cp.async.{level}.shared.global {}, {}, {bytes}", address(to), address(from))
            }
            What::BulkStore { bytes, to, from } => format!(
                "fence.proxy.async;\ncp.async.bulk.global.shared::cta.bulk_group {}, {}, {bytes};\n\
                 cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0",
                address(to),
                address(from)
            ),
            What::Plain(text) => (*text).to_owned(),
            What::Exit => "exit".to_owned(),
            What::Trap => "trap".to_owned(),
            What::Return => "ret".to_owned(),
            What::If { .. }
            | What::Loop { .. }
            | What::Switch { .. }
            | What::Scope(_)
            | What::BulkCopy { .. }
            | What::Call { .. } => {
                unreachable!("a compound is not an instruction")
            }
        }
    }
}

fn operand(function: &Function, operand: &Operand) -> String {
    match operand {
        Operand::Register(register) => function.registers[*register].name.clone(),
        Operand::Immediate(value) => value.to_string(),
    }
}

/// How many elements.
pub(super) fn count(function: &Function, lanes: &Lanes) -> usize {
    match lanes {
        Lanes::One(_) => 1,
        Lanes::Braces(all) => all.len(),
        Lanes::Vector(vector) => function.vectors[*vector].lanes.len(),
    }
}

fn lanes_text(function: &Function, lanes: &Lanes) -> String {
    match lanes {
        Lanes::One(one) => operand(function, one),
        Lanes::Braces(all) => {
            format!("{{{}}}", all.iter().map(|one| operand(function, one)).collect::<Vec<_>>().join(", "))
        }
        Lanes::Vector(vector) => function.vectors[*vector].name.clone(),
    }
}

//! The frame of a program: globals, helper functions, the kernel, control flow.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use fastrand::Rng;

use super::assembly::WARPGROUP;
use super::compound::FIXED;
use super::ty::{Element, Ty};

/// Threads that execute a program which multiplies no matrices.
const THREADS: u32 = 4;
/// Bytes of input of a thread.
pub const INPUT: u32 = 64;
/// Bytes of output of a thread.
pub const OUTPUT: u32 = 256;
/// Bytes of the objects in memory that a thread works on.
pub(super) const OBJECT: u32 = 32;

/// A kernel with what it needs.
#[derive(Clone, Debug)]
pub struct Program {
    /// The kernel's name, with which all its names begin.
    pub name: String,
    /// The seed it was generated from.
    pub seed: u64,
    /// LLVM IR, without a target.
    pub text: String,
}

impl Program {
    /// How many threads execute it.
    pub(super) fn threads(&self) -> u32 {
        if self.multiplies() { WARPGROUP } else { THREADS }
    }

    /// Whether it multiplies matrices, which `sm_90a` alone does.
    pub(super) fn multiplies(&self) -> bool {
        self.text.contains("wgmma")
    }

    /// The program with its seed, from which its input follows: what [`Program::kept`] reads.
    pub fn keep(&self) -> String {
        format!("; seed {}\n{}", self.seed, self.text)
    }

    /// A program that was kept, perhaps made smaller since.
    ///
    /// # Errors
    /// When the text has no `; seed` line or no kernel.
    pub fn kept(text: &str) -> Result<Self> {
        let after = |mark: &str| text.split_once(mark).map(|(_, rest)| rest);
        let word = |rest: &str| {
            rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
        };
        let seed = after("; seed ").map(word).context("no line with the seed")?.parse()?;
        let name = after("define ptx_kernel void @").map(word).context("no kernel")?;
        Ok(Self { name, seed, text: text.to_owned() })
    }
}

/// Memory that a program works on.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// The pointer to a thread's part, as an operand.
    pub(super) pointer: String,
    /// Its type.
    pub(super) ty: &'static str,
    pub(super) written: bool,
    pub(super) bytes: u32,
}

/// A function that the kernel can call.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    pub(super) names: Vec<String>,
    pub(super) parameters: Vec<Ty>,
    pub(super) result: Vec<Ty>,
    /// What is said of each parameter: `zeroext`, `signext` or nothing.
    extensions: Vec<&'static str>,
    /// Whether the parameters are fields of one structure.
    together: bool,
}

impl Helper {
    /// A type of functions, which have no names yet.
    fn any(rng: &mut Rng) -> Self {
        let parameters: Vec<Ty> = (0..rng.u32(1..4)).map(|_| Ty::any(rng)).collect();
        let results = if rng.u8(..4) == 0 { 2 } else { 1 };
        let result = (0..results).map(|_| Ty::any(rng)).collect();
        let words = ["", "", "zeroext ", "signext "];
        let extensions = parameters.iter().map(|ty| if ty.is_short() { words[rng.usize(..4)] } else { "" });
        let extensions = extensions.collect();
        Self { names: Vec::new(), parameters, result, extensions, together: rng.u8(..4) == 0 }
    }

    /// The structure that has all parameters, every second one in an array.
    fn whole(&self) -> String {
        let text = |(at, ty): (usize, &Ty)| match at % 2 {
            0 => ty.text(),
            _ => format!("[1 x {}]", ty.text()),
        };
        let fields: Vec<String> = self.parameters.iter().enumerate().map(text).collect();
        format!("{{ {} }}", fields.join(", "))
    }

    /// Where a parameter is in the structure.
    fn path(at: usize) -> String {
        if at.is_multiple_of(2) { at.to_string() } else { format!("{at}, 0") }
    }
}

pub(super) struct Generator {
    pub(super) rng: Rng,
    pub(super) name: String,
    /// The architecture's number.
    pub(super) sm: u16,
    pub(super) body: String,
    /// Variables of the function, before the body.
    pub(super) locals: String,
    pub(super) values: Vec<(Ty, String)>,
    pub(super) objects: Vec<Object>,
    pub(super) helpers: Vec<Helper>,
    pub(super) label: String,
    /// The function that is being written.
    pub(super) function: String,
    /// Variables that statements asked for.
    pub(super) variables: String,
    /// What the host executes in place of inline assembly.
    pub(super) functions: String,
    /// How many threads execute the program.
    pub(super) threads: u32,
    next: u32,
    pub(super) depth: u32,
    used: u32,
}

/// The program of a seed, whose names begin with `name`, of what an architecture has.
pub fn program(seed: u64, name: &str, sm: u16) -> Program {
    let mut generator = Generator {
        rng: Rng::with_seed(seed),
        name: name.to_owned(),
        sm,
        body: String::new(),
        locals: String::new(),
        values: Vec::new(),
        objects: Vec::new(),
        helpers: Vec::new(),
        label: "entry".to_owned(),
        function: String::new(),
        variables: String::new(),
        functions: String::new(),
        threads: THREADS,
        next: 0,
        depth: 0,
        used: 0,
    };
    if sm == 90 && generator.rng.u8(..3) == 0 {
        generator.threads = WARPGROUP;
    }
    let mut text = globals(name, generator.threads, &mut generator.rng);
    text += &FIXED.replace("NAME", name);
    for number in 0..generator.rng.u32(..3) {
        text += &generator.helper(number);
    }
    text += &generator.kernel();
    text += &generator.variables;
    text += &generator.functions;
    Program { name: name.to_owned(), seed, text }
}

/// The memory that statements work on, with random contents.
fn globals(name: &str, threads: u32, rng: &mut Rng) -> String {
    let bytes = |rng: &mut Rng, count: u32| -> String {
        (0..count).map(|_| format!("\\{:02X}", rng.u8(..))).collect()
    };
    let whole = OBJECT * threads;
    format!(
        "@{name}_c = internal addrspace(4) constant [{OBJECT} x i8] c\"{}\", align 16\n\
         @{name}_g = internal addrspace(1) global [{whole} x i8] c\"{}\", align 16\n\
         @{name}_s = internal addrspace(3) global [{whole} x i8] undef, align 16\n",
        bytes(rng, OBJECT),
        bytes(rng, whole)
    )
}

impl Generator {
    /// A fresh value's name.
    pub(super) fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// Appends an instruction that gives a value.
    pub(super) fn emit(&mut self, instruction: &str) -> String {
        let name = self.fresh();
        let _ = writeln!(self.body, "  {name} = {instruction}");
        name
    }

    /// Appends an instruction that gives nothing.
    pub(super) fn effect(&mut self, instruction: &str) {
        let _ = writeln!(self.body, "  {instruction}");
    }

    /// Appends an instruction whose value later ones may use.
    pub(super) fn define(&mut self, ty: Ty, instruction: &str) {
        let name = self.emit(instruction);
        self.values.push((ty, name));
    }

    /// A variable of the module, as an operand.
    pub(super) fn constant(&mut self, definition: &str) -> String {
        self.next += 1;
        let name = format!("@{}_table{}", self.name, self.next);
        let _ = writeln!(self.variables, "{name} = {definition}");
        name
    }

    pub(super) fn start_block(&mut self, label: &str) {
        let _ = writeln!(self.body, "{label}:");
        self.label = label.to_owned();
    }

    pub(super) fn fresh_label(&mut self, word: &str) -> String {
        self.next += 1;
        format!("{word}{}", self.next)
    }

    /// One or two functions of one type.
    fn helper(&mut self, number: u32) -> String {
        let mut helper = Helper::any(&mut self.rng);
        let mut text = String::new();
        for twin in 0..self.rng.u32(1..3) {
            let name = format!("{}_h{number}_{twin}", self.name);
            self.enter(&name);
            let parameters = self.parameters(&helper);
            self.statements(6);
            let returned = result_text(&helper.result);
            let value = match helper.result.as_slice() {
                [one] => self.operand(*one),
                several => {
                    let mut whole = "poison".to_owned();
                    for (at, &ty) in several.iter().enumerate() {
                        let value = self.operand(ty);
                        whole = self
                            .emit(&format!("insertvalue {returned} {whole}, {} {value}, {at}", ty.text()));
                    }
                    whole
                }
            };
            self.effect(&format!("ret {returned} {value}"));
            let inline = if self.rng.bool() { " noinline" } else { "" };
            let _ = writeln!(
                text,
                "define internal {returned} @{name}({parameters}){inline} {{\nentry:\n{}{}}}",
                self.locals, self.body
            );
            helper.names.push(name);
        }
        self.helpers.push(helper);
        text
    }

    /// The parameters of a function that starts, whose values statements may use.
    fn parameters(&mut self, helper: &Helper) -> String {
        if helper.together {
            let whole = helper.whole();
            for (at, &ty) in helper.parameters.iter().enumerate() {
                self.define(ty, &format!("extractvalue {whole} %all, {}", Helper::path(at)));
            }
            return format!("{whole} %all");
        }
        let mut list = Vec::new();
        for (at, (&ty, extension)) in helper.parameters.iter().zip(&helper.extensions).enumerate() {
            list.push(format!("{} {extension}%a{at}", ty.text()));
            self.values.push((ty, format!("%a{at}")));
        }
        list.join(", ")
    }

    /// Arguments for a call.
    pub(super) fn arguments(&mut self, helper: &Helper) -> String {
        if helper.together {
            let whole = helper.whole();
            let mut value = "poison".to_owned();
            for (at, &ty) in helper.parameters.iter().enumerate() {
                let field = self.operand(ty);
                let path = Helper::path(at);
                value = self.emit(&format!("insertvalue {whole} {value}, {} {field}, {path}", ty.text()));
            }
            return format!("{whole} {value}");
        }
        let mut list = Vec::new();
        for (&ty, extension) in helper.parameters.iter().zip(&helper.extensions) {
            list.push(format!("{} {extension}{}", ty.text(), self.operand(ty)));
        }
        list.join(", ")
    }

    /// Makes values of what a call returned.
    pub(super) fn take_result(&mut self, helper: &Helper, value: &str) {
        match helper.result.as_slice() {
            [one] => self.values.push((*one, value.to_owned())),
            several => {
                let result = result_text(several);
                for (at, &ty) in several.iter().enumerate() {
                    self.define(ty, &format!("extractvalue {result} {value}, {at}"));
                }
            }
        }
    }

    /// Starts a function.
    fn enter(&mut self, name: &str) {
        name.clone_into(&mut self.function);
        self.body.clear();
        self.locals.clear();
        self.values.clear();
        self.objects.clear();
        self.label = "entry".to_owned();
        self.depth = 0;
        self.used = 0;
    }

    fn kernel(&mut self) -> String {
        let name = self.name.clone();
        self.enter(&name);
        self.effect("%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()");
        self.values.push((Ty::int(32), "%t".into()));
        for (pointer, base, space, size) in [
            ("%input", "%in".to_owned(), 1, INPUT),
            ("%output", "%out".to_owned(), 1, OUTPUT),
            ("%global", format!("@{name}_g"), 1, OBJECT),
            ("%shared", format!("@{name}_s"), 3, OBJECT),
        ] {
            self.effect(&format!("{pointer}.at = mul i32 %t, {size}"));
            self.effect(&format!(
                "{pointer} = getelementptr i8, ptr addrspace({space}) {base}, i32 {pointer}.at"
            ));
        }
        self.effect("%local = alloca [32 x i8], align 16");
        self.effect("%generic = addrspacecast ptr addrspace(3) %shared to ptr");
        self.effect(&format!(
            "call void @llvm.memcpy.p0.p1.i64(ptr align 16 %local, ptr addrspace(1) align 16 %input, i64 {OBJECT}, i1 false)"
        ));
        self.effect(&format!(
            "call void @llvm.memset.p3.i64(ptr addrspace(3) align 16 %shared, i8 {}, i64 {OBJECT}, i1 false)",
            self.rng.clone().u8(..)
        ));
        let object =
            |pointer: &str, ty, written, bytes| Object { pointer: pointer.into(), ty, written, bytes };
        self.objects = vec![
            object("%input", "ptr addrspace(1)", false, INPUT),
            object("%local", "ptr", true, OBJECT),
            object("%generic", "ptr", true, OBJECT),
            object("%shared", "ptr addrspace(3)", true, OBJECT),
            object("%global", "ptr addrspace(1)", true, OBJECT),
            object(&format!("@{name}_c"), "ptr addrspace(4)", false, OBJECT),
        ];
        if self.threads == WARPGROUP {
            self.fill_matrix();
            (0..4).for_each(|_| self.assembly());
        }
        let count = self.rng.u32(8..30);
        self.statements(count);
        self.sink_last();
        self.effect("ret void");
        format!(
            "define ptx_kernel void @{name}(ptr addrspace(1) align 16 %in, ptr addrspace(1) align 16 %out) {{\nentry:\n{}{}}}\n",
            self.locals, self.body
        )
    }

    /// Stores the last values, as many as there is room for.
    fn sink_last(&mut self) {
        for (ty, value) in self.values.clone().into_iter().rev() {
            let (ty, value) = self.storable(ty, &value);
            if self.used + ty.bytes() > OUTPUT {
                return;
            }
            let place = self.emit(&format!("getelementptr i8, ptr addrspace(1) %output, i32 {}", self.used));
            self.effect(&format!("store {} {value}, ptr addrspace(1) {place}, align 1", ty.text()));
            self.used += ty.bytes();
        }
    }

    /// So many statements.
    pub(super) fn statements(&mut self, count: u32) {
        for _ in 0..count {
            match self.rng.u8(..24) {
                0 | 1 if self.depth < 3 => self.branch(),
                2 | 3 if self.depth < 2 => self.repeat(),
                4 if self.depth < 3 => self.switch(),
                5 if self.depth < 2 => self.flow(),
                6 if self.depth < 3 => self.local_for_a_while(),
                _ => self.statement(),
            }
        }
    }

    /// Statements in a scope of their own, and values of the types at its end; the block that they end in.
    pub(super) fn scope(&mut self, label: &str, types: &[Ty]) -> (Vec<String>, String) {
        let (mark, depth) = (self.values.len(), self.depth);
        self.depth += 1;
        self.start_block(label);
        let count = self.rng.u32(..4);
        self.statements(count);
        let results = types.iter().map(|&ty| self.operand(ty)).collect();
        self.values.truncate(mark);
        self.depth = depth;
        (results, self.label.clone())
    }

    pub(super) fn some_types(&mut self) -> Vec<Ty> {
        (0..self.rng.u32(..3)).map(|_| Ty::any(&mut self.rng)).collect()
    }

    /// Makes what several blocks bring one value each.
    pub(super) fn join(&mut self, label: &str, types: &[Ty], arms: &[(Vec<String>, String)]) {
        self.start_block(label);
        for (at, &ty) in types.iter().enumerate() {
            let incoming: Vec<String> =
                arms.iter().map(|(values, from)| format!("[ {}, %{from} ]", values[at])).collect();
            self.define(ty, &format!("phi {} {}", ty.text(), incoming.join(", ")));
        }
    }

    fn branch(&mut self) {
        let types = self.some_types();
        let condition = self.operand(Ty::int(1));
        let (then, other, end) =
            (self.fresh_label("then"), self.fresh_label("else"), self.fresh_label("end"));
        // Sometimes one arm is the edge alone.
        let short = self.rng.u8(..3) == 0;
        let direct: Vec<String> = types.iter().map(|&ty| self.operand(ty)).collect();
        let from = self.label.clone();
        let target = if short { &end } else { &other };
        self.effect(&format!("br i1 {condition}, label %{then}, label %{target}"));
        let mut arms = vec![self.scope(&then, &types)];
        self.effect(&format!("br label %{end}"));
        if short {
            arms.push((direct, from));
        } else {
            arms.push(self.scope(&other, &types));
            self.effect(&format!("br label %{end}"));
        }
        self.join(&end, &types, &arms);
    }

    /// A loop that runs at most seven times, with values that it carries around, and perhaps a way out of its middle.
    fn repeat(&mut self) {
        let mut types = self.some_types();
        types.push(Ty::any(&mut self.rng));
        let first: Vec<String> = types.iter().map(|&ty| self.operand(ty)).collect();
        let bound = self.operand(Ty::int(32));
        let bound = self.emit(&format!("and i32 {bound}, 7"));
        let (head, inside, latch, end) = (
            self.fresh_label("head"),
            self.fresh_label("inside"),
            self.fresh_label("latch"),
            self.fresh_label("end"),
        );
        let before = self.label.clone();
        self.effect(&format!("br label %{head}"));
        let mark = self.values.len();
        // The values that come around are named before they exist.
        let counter = self.fresh();
        let more = self.fresh();
        let names: Vec<(String, String)> = types.iter().map(|_| (self.fresh(), self.fresh())).collect();
        self.start_block(&head);
        self.effect(&format!("{counter} = phi i32 [ 0, %{before} ], [ {more}, %{latch} ]"));
        for ((ty, first), (now, later)) in types.iter().zip(&first).zip(&names) {
            self.effect(&format!("{now} = phi {} [ {first}, %{before} ], [ {later}, %{latch} ]", ty.text()));
            self.values.push((*ty, now.clone()));
        }
        self.values.push((Ty::int(32), counter.clone()));
        let goes_on = self.emit(&format!("icmp ult i32 {counter}, {bound}"));
        self.effect(&format!("br i1 {goes_on}, label %{inside}, label %{end}"));
        let (values, _) = self.scope(&inside, &types);
        let mut arms = vec![(names.iter().map(|(now, _)| now.clone()).collect::<Vec<_>>(), head.clone())];
        if self.rng.bool() {
            let leaves = self.operand(Ty::int(1));
            arms.push((values.clone(), self.label.clone()));
            self.effect(&format!("br i1 {leaves}, label %{end}, label %{latch}"));
        } else {
            self.effect(&format!("br label %{latch}"));
        }
        self.start_block(&latch);
        self.effect(&format!("{more} = add i32 {counter}, 1"));
        for ((ty, value), (_, later)) in types.iter().zip(&values).zip(&names) {
            self.effect(&format!("{later} = select i1 true, {} {value}, {} {value}", ty.text(), ty.text()));
        }
        self.effect(&format!("br label %{head}"));
        self.values.truncate(mark);
        self.join(&end, &types, &arms);
    }

    fn switch(&mut self) {
        let types = self.some_types();
        let bits = *self.rng.choice(&[8, 16, 32, 64, 24, 65, 128, 200]).unwrap_or(&32);
        let value = self.operand(Ty::int(bits));
        let value = self.emit(&format!("and i{bits} {value}, 15"));
        // Numbers that are close, near zero or far from it.
        let far = if self.rng.bool() { 0 } else { self.rng.u64(..) >> 64u32.saturating_sub(bits - 1) };
        let far = far / 32 * 32;
        let value = self.emit(&format!("or i{bits} {value}, {far}"));
        let count = self.rng.u32(1..12);
        let labels: Vec<String> = (0..count.min(4)).map(|_| self.fresh_label("case")).collect();
        let (default, end) = (self.fresh_label("default"), self.fresh_label("end"));
        let start = self.rng.u64(..4);
        let cases: Vec<String> = (0..u64::from(count))
            .map(|at| {
                let label = &labels[self.rng.usize(..labels.len())];
                format!("i{bits} {}, label %{label}", far + start + at)
            })
            .collect();
        self.effect(&format!("switch i{bits} {value}, label %{default} [ {} ]", cases.join(" ")));
        let mut arms = Vec::new();
        for label in labels.iter().chain([&default]) {
            // A label that no case took is a block no one reaches.
            arms.push(self.scope(label, &types));
            self.effect(&format!("br label %{end}"));
        }
        self.join(&end, &types, &arms);
    }

    /// A value with bits that are the same everywhere, of a type whose bytes all count.
    pub(super) fn storable(&mut self, ty: Ty, value: &str) -> (Ty, String) {
        let (ty, value) = self.canonical(ty, value);
        if ty.is_whole() {
            return (ty, value);
        }
        let wide = ty.of(Element::Int(match ty.lanes {
            None => ty.element.bits().next_multiple_of(8),
            Some(_) => ty.element.bits().next_power_of_two().max(8),
        }));
        let text = format!("zext {} {value} to {}", ty.text(), wide.text());
        (wide, self.emit(&text))
    }

    /// A number with one NaN for all.
    pub(super) fn canonical(&mut self, ty: Ty, value: &str) -> (Ty, String) {
        if ty.element.is_int() {
            return (ty, value.to_owned());
        }
        let text = ty.text();
        let unordered = self.emit(&format!("fcmp uno {text} {value}, {value}"));
        let truth = ty.of(Element::Int(1)).text();
        let nan = ty.not_a_number();
        (ty, self.emit(&format!("select {truth} {unordered}, {text} {nan}, {text} {value}")))
    }
}

pub(super) fn result_text(result: &[Ty]) -> String {
    match result {
        [one] => one.text(),
        several => {
            let all: Vec<String> = several.iter().map(|ty| ty.text()).collect();
            format!("{{ {} }}", all.join(", "))
        }
    }
}

//! Statements, and the module that they are printed as.

use std::fmt::Write as _;
use std::ops::Range;

use super::{ARCHITECTURE, COUNTERS, INPUT, Program, SLOTS};

/// A statement. Registers and labels of its own have names that no other statement of the program has, so that any can be left out.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Statement {
    /// Instructions.
    Plain(String),
    /// Lines that compute the predicate, and what is executed where it holds and where it does not.
    If { head: String, predicate: String, sides: [Vec<Self>; 2] },
    /// Lines before the loop, its body, and lines that compute whether there is another round.
    Loop { head: String, body: Vec<Self>, tail: String, again: String },
    /// Lines that compute an index, and the case that it chooses.
    Switch { head: String, index: String, cases: Vec<Vec<Self>> },
    /// A jump to the end of the region that is so many levels above the one it is in; 0 is its own.
    Leave { head: String, predicate: String, levels: usize },
    /// The end of the thread.
    Exit { head: String, predicate: String },
}

impl Statement {
    fn bodies(&self) -> Vec<&Vec<Self>> {
        match self {
            Self::Plain(_) | Self::Leave { .. } | Self::Exit { .. } => Vec::new(),
            Self::If { sides, .. } => sides.iter().collect(),
            Self::Loop { body, .. } => vec![body],
            Self::Switch { cases, .. } => cases.iter().collect(),
        }
    }

    fn bodies_mut(&mut self) -> Vec<&mut Vec<Self>> {
        match self {
            Self::Plain(_) | Self::Leave { .. } | Self::Exit { .. } => Vec::new(),
            Self::If { sides, .. } => sides.iter_mut().collect(),
            Self::Loop { body, .. } => vec![body],
            Self::Switch { cases, .. } => cases.iter_mut().collect(),
        }
    }
}

/// How many statements a program has.
pub(super) fn count(program: &Program) -> usize {
    fn statements(body: &[Statement]) -> usize {
        body.iter()
            .map(|one| 1 + one.bodies().into_iter().map(|inner| statements(inner)).sum::<usize>())
            .sum()
    }
    program.functions.iter().chain([&program.body]).map(|body| statements(body)).sum()
}

/// The program without some of its statements, which are counted in the order of the text.
pub(super) fn without(program: &Program, range: Range<usize>) -> Program {
    fn prune(body: &mut Vec<Statement>, next: &mut usize, range: &Range<usize>) {
        body.retain_mut(|statement| {
            let is_kept = !range.contains(next);
            *next += 1;
            for inner in statement.bodies_mut() {
                prune(inner, next, range);
            }
            is_kept
        });
    }
    let (mut program, mut next) = (program.clone(), 0);
    let Program { functions, body, .. } = &mut program;
    functions.iter_mut().chain([body]).for_each(|body| prune(body, &mut next, &range));
    program
}

struct Printer {
    text: String,
    labels: usize,
    /// The labels at the ends of the regions that are open.
    ends: Vec<String>,
}

impl Printer {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn line(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.is_empty()) {
            self.text += &format!("    {}\n", line.trim());
        }
    }

    fn region(&mut self, body: &[Statement]) {
        let end = self.label();
        self.ends.push(end.clone());
        body.iter().for_each(|statement| self.statement(statement));
        self.ends.pop();
        self.text += &format!("{end}:\n");
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Plain(text) => self.line(text),
            Statement::If { head, predicate, sides } => {
                let [other, end] = [self.label(), self.label()];
                self.line(head);
                self.line(&format!("@!{predicate} bra {other};"));
                self.region(&sides[0]);
                self.line(&format!("bra {end};"));
                self.text += &format!("{other}:\n");
                self.region(&sides[1]);
                self.text += &format!("{end}:\n");
            }
            Statement::Loop { head, body, tail, again } => {
                let start = self.label();
                self.line(head);
                self.text += &format!("{start}:\n");
                self.region(body);
                self.line(tail);
                self.line(&format!("@{again} bra {start};"));
            }
            Statement::Switch { head, index, cases } => {
                let (targets, end) = (self.label(), self.label());
                let starts: Vec<String> = cases.iter().map(|_| self.label()).collect();
                self.line(head);
                self.text += &format!("{targets}: .branchtargets {};\n", starts.join(", "));
                self.line(&format!("brx.idx {index}, {targets};"));
                for (start, case) in starts.iter().zip(cases) {
                    self.text += &format!("{start}:\n");
                    self.region(case);
                    self.line(&format!("bra {end};"));
                }
                self.text += &format!("{end}:\n");
            }
            Statement::Leave { head, predicate, levels } => {
                let at = self.ends.len().saturating_sub(1 + levels);
                let end = self.ends.get(at).cloned().unwrap_or_default();
                self.line(head);
                self.line(&format!("@{predicate} bra {end};"));
            }
            Statement::Exit { head, predicate } => {
                self.line(head);
                self.line(&format!("@{predicate} exit;"));
            }
        }
    }
}

/// Registers that hold what is computed, by their type: how many there are.
pub(super) const DATA: [(&str, &str, u32); 5] =
    [("b32", "r", 8), ("b64", "q", 3), ("f32", "f", 4), ("f64", "d", 2), ("b16", "h", 2)];

/// Registers of statements: many of each, as each has a name of its own.
const OWN: &str =
    "    .reg .pred %p<2000>;\n    .reg .b32 %t<6000>;\n    .reg .b64 %a<4000>;\n    .reg .f32 %g<500>;\n";

fn data_registers() -> String {
    DATA.iter().fold(String::new(), |mut text, (ty, name, count)| {
        let _ = writeln!(text, "    .reg .{ty} %{name}<{count}>;");
        text
    })
}

/// The module of a program.
pub(super) fn print(program: &Program) -> String {
    let mut printer = Printer { text: String::new(), labels: 0, ends: Vec::new() };
    let table: Vec<String> = (0..64_u32).map(|at| at.wrapping_mul(0x9e37_79b1).to_string()).collect();
    printer.text += &format!(
        ".version 8.7\n.target sm_{ARCHITECTURE}\n.address_size 64\n\n.const .align 8 .b32 table[64] = {{{}}};\n",
        table.join(", ")
    );
    for (at, body) in program.functions.iter().enumerate() {
        function(&mut printer, at, body);
    }
    let threads = program.threads();
    printer.text += &format!(
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n, .param .u32 m)\n{{\n{}{OWN}    .reg .b32 %v<20>;\n    .reg .b64 %x<10>;\n    \
         .shared .align 16 .b8 words[4096];\n    .shared .align 16 .b8 counters[512];\n    .shared .align 16 .b8 own[8192];\n    .local .align 16 .b8 local[64];\n",
        data_registers()
    );
    printer.line(&prologue(threads));
    printer.region(&program.body);
    printer.line(&epilogue());
    printer.text += "}\n";
    printer.text
}

/// `%v0` to `%v2` are `tid`, `%v3` the thread in its block, `%v4` the block, `%v5` the thread in the grid, `%v6` the lane, `%v7` and
/// `%v8` parameters, `%v9` threads of a block, `%v10` the lanes that begin, `%x0` the input, `%x1` the thread's part of the output, `%x2` counters of all threads.
fn prologue(threads: u32) -> String {
    let own = COUNTERS * 4;
    let bytes = SLOTS * 4;
    format!(
        "ld.param.u64 %x3, [out];\nld.param.u64 %x4, [in];\nld.param.u32 %v7, [n];\nld.param.u32 %v8, [m];\n\
         cvta.to.global.u64 %x2, %x3;\ncvta.to.global.u64 %x0, %x4;\n\
         mov.u32 %v0, %tid.x;\nmov.u32 %v1, %tid.y;\nmov.u32 %v2, %tid.z;\nmov.u32 %v11, %ntid.x;\nmov.u32 %v12, %ntid.y;\n\
         mad.lo.u32 %v3, %v2, %v12, %v1;\nmad.lo.u32 %v3, %v3, %v11, %v0;\nmov.u32 %v4, %ctaid.x;\nmov.u32 %v9, {threads};\n\
         mad.lo.u32 %v5, %v4, %v9, %v3;\nmov.u32 %v6, %laneid;\n\
         mul.wide.u32 %x1, %v5, {bytes};\nadd.s64 %x1, %x1, %x2;\nadd.s64 %x1, %x1, {own};\n\
         shl.b32 %v13, %v3, 2;\nmov.u32 %v14, words;\nadd.u32 %v15, %v14, %v13;\n\
         mul.wide.u32 %x5, %v5, 4;\nadd.s64 %x5, %x5, %x0;\n\
         ld.global.u32 %r0, [%x5];\nmov.u32 %r1, %v3;\nmov.u32 %r2, %v7;\nmov.u32 %r3, %v5;\nmov.u32 %r4, %v4;\nmov.u32 %r5, %v0;\n\
         not.b32 %r6, %v6;\nmad.lo.u32 %r7, %v3, %v8, %v7;\n\
         cvt.u64.u32 %q0, %v3;\nmul.wide.u32 %q1, %r0, %v8;\nmov.b64 %q2, %x5;\nsub.s64 %q2, %q2, %x0;\n\
         cvt.rn.f32.u32 %f0, %v3;\ncvt.rn.f32.s32 %f1, %r0;\nmov.f32 %f2, 0f3F800000;\nmov.b32 %f3, %r0;\n\
         cvt.rn.f64.u32 %d0, %v5;\nmov.f64 %d1, 0d3FF8000000000000;\ncvt.u16.u32 %h0, %v3;\ncvt.u16.u32 %h1, %r0;\n\
         mov.u32 %v16, %v3;\nzero:\nsetp.ge.u32 %p0, %v16, 1024;\n@%p0 bra zeroed;\nshl.b32 %v17, %v16, 2;\nadd.u32 %v17, %v17, %v14;\n\
         st.shared.u32 [%v17], %v16;\nadd.u32 %v16, %v16, %v9;\nbra zero;\nzeroed:\n\
         mov.u32 %v16, %v3;\nclear:\nsetp.ge.u32 %p0, %v16, 128;\n@%p0 bra cleared;\nshl.b32 %v17, %v16, 2;\nmov.u32 %v18, counters;\nadd.u32 %v17, %v17, %v18;\n\
         st.shared.u32 [%v17], 0;\nadd.u32 %v16, %v16, %v9;\nbra clear;\ncleared:\n\
         st.local.v4.u32 [local], {{%r0, %r1, %r2, %r3}};\nst.local.v4.u32 [local+16], {{%r4, %r5, %r6, %r7}};\n\
         st.local.v4.u32 [local+32], {{%r0, %r1, %r2, %r3}};\nst.local.v4.u32 [local+48], {{%r4, %r5, %r6, %r7}};\n\
         bar.sync 0;\nactivemask.b32 %v10;"
    )
}

/// Stores every register with data after the words that the thread uses on the way, and words of shared memory.
fn epilogue() -> String {
    let mut text = String::new();
    let mut at = 128;
    for (ty, name, count) in DATA {
        let bytes = if ty.ends_with("64") { 8 } else { 4 };
        for number in 0..count {
            if ty == "b16" {
                let _ = writeln!(text, "st.global.u16 [%x1+{at}], %{name}{number};");
            } else {
                let _ = writeln!(text, "st.global.{ty} [%x1+{at}], %{name}{number};");
            }
            at += bytes;
        }
    }
    text + "ret;\n"
}

/// A device function: `%r0` and `%r1` are its parameters, `%r0` is its result.
fn function(printer: &mut Printer, at: usize, body: &[Statement]) {
    printer.text += &format!(
        ".func (.param .b32 result) f{at}(.param .b32 a, .param .b32 b)\n{{\n{}{OWN}    .reg .b32 %v<20>;\n",
        data_registers()
    );
    printer.line(
        "ld.param.b32 %r0, [a];\nld.param.b32 %r1, [b];\nadd.u32 %r2, %r0, %r1;\nxor.b32 %r3, %r0, %r1;\nmov.b32 %r4, 7;\nmov.b32 %r5, %r1;\nnot.b32 %r6, %r0;\nmov.u32 %r7, %tid.x;\nmov.u32 %v3, %tid.x;\nmov.u32 %v6, %laneid;\nmov.u32 %v7, 3;\nmov.u32 %v8, 5;\nmov.u32 %v4, %ctaid.x;\nmov.u32 %v5, %r0;\nmov.u32 %v0, %tid.x;\n\
             cvt.u64.u32 %q0, %r0;\ncvt.s64.s32 %q1, %r1;\nmul.wide.u32 %q2, %r0, %r1;\nmov.b32 %f0, %r0;\ncvt.rn.f32.s32 %f1, %r1;\nmov.f32 %f2, 0f40000000;\nmov.b32 %f3, %r1;\n\
             cvt.rn.f64.s32 %d0, %r0;\nmov.f64 %d1, 0d3FE0000000000000;\ncvt.u16.u32 %h0, %r0;\ncvt.u16.u32 %h1, %r1;",
    );
    printer.region(body);
    printer.line("st.param.b32 [result], %r0;\nret;");
    printer.text += "}\n";
}

/// Bytes of both buffers.
pub(super) fn buffers(program: &Program) -> [usize; 2] {
    let threads = program.threads() * program.grid;
    [(COUNTERS + SLOTS * threads) as usize * 4, INPUT as usize * 4]
}

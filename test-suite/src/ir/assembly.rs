//! Inline assembly of several instructions that update what is tied to their results: under guards, in parts, and with products of matrices.
//!
//! The host executes a function in LLVM IR in its place ([`on_host`]):
//!
//! ```text
//!   %v9 = call i32 asm sideeffect "// p0_plain8\0A add.u32 $0, $0, $1;", "=&r,r,0"(i32 %v1, i32 %v2)
//!   %v9 = call i32 @p0_plain8(i32 %v1, i32 %v2)
//! ```

use std::fmt::Write as _;

use fastrand::Rng;

use super::generate::Generator;
use super::ty::Ty;

/// Threads that multiply matrices together.
pub(super) const WARPGROUP: u32 = 128;
/// What a product of two matrices of ones adds: the length of a row of bytes (manual 9.7.15.2).
const SUM: u32 = 32;
/// The offsets between the parts of a matrix in a descriptor: 128 and 256 bytes in units of 16, and the parts without a swizzle.
const OFFSETS: u64 = 8 << 16 | 16 << 32;
/// Operations of two numbers, as PTX and as LLVM IR.
const OPERATIONS: &[(&str, &str)] = &[
    ("add.u32", "add i32 A, B"),
    ("sub.u32", "sub i32 A, B"),
    ("mul.lo.u32", "mul i32 A, B"),
    ("xor.b32", "xor i32 A, B"),
    ("and.b32", "and i32 A, B"),
    ("min.u32", "call i32 @llvm.umin.i32(i32 A, i32 B)"),
    ("max.s32", "call i32 @llvm.smax.i32(i32 A, i32 B)"),
];

/// A text in PTX with the same in LLVM IR, while both are written.
struct Draft {
    text: String,
    plain: String,
    /// The values in LLVM IR of `$0`, `$1` and so on, results first; nothing for results that are not written yet.
    values: Vec<Option<String>>,
    results: usize,
    next: u32,
}

impl Draft {
    fn emit(&mut self, instruction: &str) -> String {
        self.next += 1;
        let name = format!("%x{}", self.next);
        let _ = writeln!(self.plain, "  {name} = {instruction}");
        name
    }

    /// An operand that has a value, in PTX and in LLVM IR.
    fn read(&self, rng: &mut Rng) -> (String, String) {
        let known: Vec<(usize, &String)> =
            self.values.iter().enumerate().filter_map(|(at, value)| Some((at, value.as_ref()?))).collect();
        let (at, value) = known[rng.usize(..known.len())];
        (format!("${at}"), value.clone())
    }

    fn statement(&mut self, rng: &mut Rng) {
        let to = rng.usize(..self.results);
        let old = self.values[to].clone();
        let [(a, av), (b, bv), (c, cv)] = [(); 3].map(|()| self.read(rng));
        let value = match (rng.u8(..6), old) {
            // Under a guard, which may leave the old value.
            (0..=2, Some(old)) => {
                let (name, plain) = rng.choice(OPERATIONS).unwrap_or(&OPERATIONS[0]);
                let not = if rng.bool() { "!" } else { "" };
                let _ = write!(self.text, " setp.lt.s32 q, {c}, 0; @{not}q {name} ${to}, {a}, {b};");
                let is_less = self.emit(&format!("icmp slt i32 {cv}, 0"));
                let new = self.emit(&plain.replace('A', &av).replace('B', &bv));
                let (yes, no) = if not.is_empty() { (new, old) } else { (old, new) };
                self.emit(&format!("select i1 {is_less}, i32 {yes}, i32 {no}"))
            }
            // A part of the result; the rest is that of the last source.
            (3, _) => {
                let _ = write!(self.text, " vadd2.u32.u32.u32 ${to}.h0, {a}, {b}, {c};");
                let sum = self.emit(&format!("add i32 {av}, {bv}"));
                let sum = self.emit(&format!("and i32 {sum}, 65535"));
                let rest = self.emit(&format!("and i32 {cv}, -65536"));
                self.emit(&format!("or i32 {sum}, {rest}"))
            }
            (4, _) => {
                let _ = write!(self.text, " bfi.b32 ${to}, {a}, {b}, 8, 8;");
                let part = self.emit(&format!("and i32 {av}, 255"));
                let part = self.emit(&format!("shl i32 {part}, 8"));
                let rest = self.emit(&format!("and i32 {bv}, -65281"));
                self.emit(&format!("or i32 {part}, {rest}"))
            }
            _ => {
                let (name, plain) = rng.choice(OPERATIONS).unwrap_or(&OPERATIONS[0]);
                let _ = write!(self.text, " {name} ${to}, {a}, {b};");
                self.emit(&plain.replace('A', &av).replace('B', &bv))
            }
        };
        self.values[to] = Some(value);
    }

    /// A product that is added to four results, of a matrix with the descriptor `$matrix` and itself.
    fn product(&mut self, from: usize, matrix: usize) {
        let sums: Vec<String> = (from..from + 4).map(|at| format!("${at}")).collect();
        let _ = write!(
            self.text,
            " wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {{{}}}, ${matrix}, ${matrix}, 1; \
             wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
            sums.join(", ")
        );
        for at in from..from + 4 {
            let old = self.values[at].clone().unwrap_or_else(|| "0".to_owned());
            self.values[at] = Some(self.emit(&format!("add i32 {old}, {SUM}")));
        }
    }

    /// Makes the first result depend on another one.
    fn record(&mut self, from: usize) {
        let [Some(sum), Some(value)] = [0, from].map(|at| self.values[at].clone()) else { return };
        let _ = write!(self.text, " mad.lo.u32 $0, $0, 31, ${from};");
        let sum = self.emit(&format!("mul i32 {sum}, 31"));
        self.values[0] = Some(self.emit(&format!("add i32 {sum}, {value}")));
    }

    /// Gives a value to each result that has none.
    fn complete(&mut self, rng: &mut Rng) {
        for to in 0..self.results {
            if self.values[to].is_none() {
                let (from, value) = self.read(rng);
                let _ = write!(self.text, " mov.b32 ${to}, {from};");
                self.values[to] = Some(value);
            }
        }
    }
}

impl Generator {
    /// A text with results that are tied to values, often several to one.
    pub(super) fn assembly(&mut self) {
        let multiplies =
            self.threads == WARPGROUP && self.depth == 0 && self.function == self.name && self.rng.bool();
        // The first result depends on all sums, which need not live until the end of the text.
        let results = if multiplies { 1 + 4 * self.rng.usize(1..4) } else { self.rng.usize(1..5) };
        let word = Ty::int(32);
        let inputs: Vec<String> = (0..self.rng.usize(1..3)).map(|_| self.operand(word)).collect();
        let first = self.operand(word);
        let ties: Vec<Option<String>> = (0..results)
            .map(|_| match self.rng.u8(..5) {
                0 => None,
                1 => Some(self.operand(word)),
                _ => Some(first.clone()),
            })
            .collect();
        let tied = ties.iter().enumerate().map(|(at, tie)| tie.is_some().then(|| format!("%o{at}")));
        let values = tied.chain((0..inputs.len()).map(|at| Some(format!("%i{at}"))));
        let mut draft =
            Draft { text: String::new(), plain: String::new(), values: values.collect(), results, next: 0 };
        for _ in 0..self.rng.u32(1..5) {
            draft.statement(&mut self.rng);
        }
        if multiplies {
            draft.complete(&mut self.rng);
            for from in (1..results).step_by(4) {
                draft.product(from, results + inputs.len());
                draft.record(from);
            }
        }
        draft.complete(&mut self.rng);
        self.call_assembly(&draft, &inputs, &ties, multiplies);
    }

    /// Calls the text, makes values of its results, and defines the function that is the same on the host.
    fn call_assembly(&mut self, draft: &Draft, inputs: &[String], ties: &[Option<String>], multiplies: bool) {
        let name = self.fresh_label("plain");
        let name = format!("{}_{name}", self.name);
        let (mut constraints, mut arguments, mut parameters) = (Vec::new(), Vec::new(), Vec::new());
        constraints.extend(vec!["=&r".to_owned(); draft.results]);
        for (at, input) in inputs.iter().enumerate() {
            constraints.push("r".to_owned());
            arguments.push(format!("i32 {input}"));
            parameters.push(format!("i32 %i{at}"));
        }
        if multiplies {
            constraints.push("l".to_owned());
            arguments.push("i64 %matrix".to_owned());
            parameters.push("i64 %matrix".to_owned());
        }
        for (at, tie) in ties.iter().enumerate() {
            if let Some(tie) = tie {
                constraints.push(at.to_string());
                arguments.push(format!("i32 {tie}"));
                parameters.push(format!("i32 %o{at}"));
            }
        }
        let values: Vec<String> = draft.values.iter().take(draft.results).flatten().cloned().collect();
        let ty = match values.len() {
            1 => "i32".to_owned(),
            count => format!("{{ {} }}", vec!["i32"; count].join(", ")),
        };
        let called = self.emit(&format!(
            "call {ty} asm sideeffect \"// {name}\\0A{{ .reg .pred q;{} }}\", \"{}\"({}) convergent",
            draft.text,
            constraints.join(","),
            arguments.join(", ")
        ));
        let mut plain = format!("define {ty} @{name}({}) {{\n{}", parameters.join(", "), draft.plain);
        if let [value] = values.as_slice() {
            self.values.push((Ty::int(32), called));
            let _ = writeln!(plain, "  ret i32 {value}\n}}");
        } else {
            let mut whole = "poison".to_owned();
            for (at, value) in values.iter().enumerate() {
                // Not every result is used.
                if at == 0 || self.rng.bool() {
                    self.define(Ty::int(32), &format!("extractvalue {ty} {called}, {at}"));
                }
                let _ = writeln!(plain, "  %r{at} = insertvalue {ty} {whole}, i32 {value}, {at}");
                whole = format!("%r{at}");
            }
            let _ = writeln!(plain, "  ret {ty} {whole}\n}}");
        }
        self.functions += &plain;
    }

    /// At the start of a kernel: a matrix of ones in shared memory, with its descriptor in `%matrix`.
    pub(super) fn fill_matrix(&mut self) {
        let name = format!("{}_fill", self.name);
        self.functions += &format!(
            "@{0}_m = internal addrspace(3) global [2048 x i8] undef, align 1024\n\
             define void @{name}(i64 %to, i32 %ones) {{\n  ret void\n}}\n",
            self.name
        );
        self.effect(&format!("%matrix.at = ptrtoint ptr addrspace(3) @{}_m to i64", self.name));
        self.effect("%matrix.part = zext i32 %t to i64");
        self.effect("%matrix.offset = mul i64 %matrix.part, 16");
        self.effect("%matrix.to = add i64 %matrix.at, %matrix.offset");
        self.effect(&format!(
            "call void asm sideeffect \"// {name}\\0Ast.shared.v4.b32 [$0], {{$1, $1, $1, $1}}; fence.proxy.async; bar.sync 0;\", \
             \"l,r,~{{memory}}\"(i64 %matrix.to, i32 {}) convergent",
            0x0101_0101
        ));
        self.effect("%matrix.start = lshr i64 %matrix.at, 4");
        self.effect(&format!("%matrix = or i64 %matrix.start, {OFFSETS}"));
    }
}

/// A program in which each call of inline assembly calls the function that is the same on the host.
pub(super) fn on_host(text: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    for line in text.lines() {
        replaced += &plain_call(line).unwrap_or_else(|| line.to_owned());
        replaced.push('\n');
    }
    replaced
}

fn plain_call(line: &str) -> Option<String> {
    let (before, rest) = line.split_once(" asm ")?;
    let (_, rest) = rest.split_once("\"// ")?;
    let (name, rest) = rest.split_once("\\0A")?;
    let (_, arguments) = rest.split_once("\"(")?;
    Some(format!("{before} @{name}({arguments}"))
}

#[cfg(test)]
mod tests {
    use super::on_host;

    #[test]
    fn host_calls_a_function() {
        let line = "  %v = tail call i32 asm sideeffect \"// p_plain1\\0A{ add.u32 $0, $0, $1; }\", \"=&r,r,0\"(i32 %a, i32 %b) convergent";
        assert_eq!(on_host(line), "  %v = tail call i32 @p_plain1(i32 %a, i32 %b) convergent\n");
        assert_eq!(on_host("  ret void"), "  ret void\n");
    }
}

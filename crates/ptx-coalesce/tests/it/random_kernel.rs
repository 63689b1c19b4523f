//! Random kernels whose blocks have parameters, for which every edge has copies, as raising emits them for phis.
//!
//! No register is read before it is written: the entry writes all of them except `%a`, which are read only in the block that writes
//! them. Backward branches are counted, so that every kernel ends.
//!
//! A third of the kernels multiply matrices, which all threads of a warpgroup have to do together: there, no value depends on the thread.

use std::fmt::Write as _;

/// Fills both factors, which are one matrix, with ones, and describes it: it starts at a multiple of 1,024, and its parts of 128 bytes follow each
/// other.
const MATRICES: &str = "mov.u32 %count, 0;
$L_fill:
cvt.u64.u32 %offset, %count;
mov.u64 %m0, matrix;
add.u64 %m0, %m0, %offset;
st.shared.u32 [%m0], 0x01010101;
add.u32 %count, %count, 4;
setp.lt.u32 %out_of, %count, 2048;
@%out_of bra $L_fill;
bar.sync 0;
fence.proxy.async;
mov.u64 %m0, matrix;
shr.u64 %matrices, %m0, 4;
or.b64 %matrices, %matrices, 0x1000080000;
";
/// The bytes that each thread stores.
pub const STORED_BYTES: usize = 16;

/// The number of backward branches that a thread may take.
const BACK_BRANCHES: u32 = 12;
const PREDICATES: usize = 4;
const FLOATS: usize = 3;

/// The text of a module with one kernel, `k`, that takes the address of its results.
pub fn text(random: &mut fastrand::Rng) -> String {
    let blocks = random.usize(2..8);
    let is_uniform = random.u8(0..3) == 0;
    let mut kernel =
        Kernel { random, is_uniform, code: String::new(), values: 0, addresses: 0, blocks: Vec::new() };
    let globals = [kernel.new_value(), kernel.new_value()];
    for _ in 0..blocks {
        let block = kernel.new_block();
        kernel.blocks.push(block);
    }
    let mut scope = Scope { values: globals.to_vec(), addresses: Vec::new() };
    kernel.pass(0, &scope);
    for block in 0..blocks {
        scope.values = globals.to_vec();
        scope.addresses.clear();
        kernel.block(block, &mut scope);
    }
    kernel.finish(globals)
}

/// A block's parameters, and the registers that predecessors write: others, which the block copies, or the same.
struct Block {
    parameters: Vec<usize>,
    passed: Vec<usize>,
}

/// What statements of a block read.
struct Scope {
    /// Numbers of `%v`.
    values: Vec<usize>,
    /// Registers with addresses, each with its state space.
    addresses: Vec<(String, &'static str)>,
}

struct Kernel<'r> {
    random: &'r mut fastrand::Rng,
    /// Whether all threads do the same.
    is_uniform: bool,
    code: String,
    values: usize,
    addresses: usize,
    blocks: Vec<Block>,
}

impl Kernel<'_> {
    fn line(&mut self, line: &str) {
        self.code.push_str(line);
        self.code.push('\n');
    }

    fn new_value(&mut self) -> usize {
        self.values += 1;
        self.values - 1
    }

    fn new_block(&mut self) -> Block {
        let parameters: Vec<usize> = (0..self.random.usize(1..4)).map(|_| self.new_value()).collect();
        let passed = match self.random.bool() {
            true => parameters.iter().map(|_| self.new_value()).collect(),
            false => parameters.clone(),
        };
        Block { parameters, passed }
    }

    fn predicate(&mut self) -> String {
        format!("%q{}", self.random.usize(0..PREDICATES))
    }

    fn float(&mut self) -> String {
        format!("%f{}", self.random.usize(0..FLOATS))
    }

    /// A register that the block may read; sometimes one of any block.
    fn read(&mut self, scope: &Scope) -> String {
        let value = match self.random.u8(0..25) {
            0 => self.random.usize(0..self.values),
            _ => scope.values[self.random.usize(0..scope.values.len())],
        };
        format!("%v{value}")
    }

    /// A register to write that the block reads.
    fn overwrite(&mut self, scope: &Scope) -> String {
        format!("%v{}", scope.values[self.random.usize(0..scope.values.len())])
    }

    fn operand(&mut self, scope: &Scope) -> String {
        match self.random.u8(0..6) {
            0 => self.random.u8(0..16).to_string(),
            _ => self.read(scope),
        }
    }

    /// A register to write: a new one, or one that the block reads.
    fn write(&mut self, scope: &mut Scope) -> String {
        if self.random.u8(0..3) == 0 {
            return self.overwrite(scope);
        }
        let value = self.new_value();
        scope.values.push(value);
        format!("%v{value}")
    }

    /// The copies of an edge.
    fn pass(&mut self, to: usize, scope: &Scope) {
        let Some(block) = self.blocks.get(to) else { return };
        for passed in block.passed.clone() {
            let value = self.operand(scope);
            self.line(&format!("mov.b32 %v{passed}, {value};"));
        }
    }

    fn block(&mut self, at: usize, scope: &mut Scope) {
        self.line(&format!("$L_{at}:"));
        let Block { parameters, passed } = &self.blocks[at];
        scope.values.extend(parameters);
        for (parameter, passed) in parameters.clone().into_iter().zip(passed.clone()) {
            if parameter != passed {
                self.line(&format!("mov.b32 %v{parameter}, %v{passed};"));
            }
        }
        for _ in 0..self.random.usize(2..7) {
            self.statement(scope);
        }
        self.terminator(at, scope);
    }

    fn statement(&mut self, scope: &mut Scope) {
        if self.is_uniform && self.random.u8(0..4) == 0 {
            return self.product(scope);
        }
        match self.random.u8(0..22) {
            0..=3 => {
                let to = self.write(scope);
                self.arithmetic("", &to, scope);
            }
            4..=8 => {
                let negated = if self.random.bool() { "!" } else { "" };
                let guard = format!("@{negated}{} ", self.predicate());
                // Mostly a register that the block wrote before without a condition.
                let to = self.overwrite(scope);
                self.arithmetic(&guard, &to, scope);
            }
            9 => {
                let (from, to) = (self.read(scope), self.write(scope));
                self.line(&format!("mov.b32 {to}, {from};"));
            }
            10 | 11 => self.record(scope),
            12 => _ = self.compare(scope),
            13 => {
                let (to, from) = (self.predicate(), self.predicate());
                self.line(&format!("mov.pred {to}, {from};"));
            }
            14 => self.retype(scope),
            15 => self.two_results(scope),
            16..=20 => self.address(scope),
            _ => self.changing_address(scope),
        }
    }

    /// A product that is added to registers, sometimes to copies of the same values one after the other, of which all are recorded.
    fn product(&mut self, scope: &mut Scope) {
        let sums: Vec<[usize; 4]> =
            (0..self.random.usize(1..4)).map(|_| [0; 4].map(|_| self.new_value())).collect();
        let first = [0; 4].map(|_| self.read(scope));
        for (sum, from) in sums.iter().flat_map(|sums| sums.iter().zip(&first)) {
            self.line(&format!("mov.b32 %v{sum}, {from};"));
        }
        for [a, b, c, d] in &sums {
            self.line("wgmma.fence.sync.aligned;");
            let sums = format!("{{%v{a}, %v{b}, %v{c}, %v{d}}}");
            self.line(&format!(
                "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {sums}, %matrices, %matrices, 1;"
            ));
            self.line("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;");
            let recorded = [a, b, c, d][self.random.usize(0..4)];
            self.line(&format!("mad.lo.s32 %sum, %sum, 31, %v{recorded};"));
            scope.values.extend([a, b, c, d]);
        }
    }

    fn arithmetic(&mut self, guard: &str, to: &str, scope: &Scope) {
        let (a, b) = (self.read(scope), self.operand(scope));
        let operation = ["add.s32", "sub.s32", "mul.lo.s32", "xor.b32", "min.u32"][self.random.usize(0..5)];
        match self.random.u8(0..4) {
            0 => self.line(&format!("{guard}mov.b32 {to}, {a};")),
            _ => self.line(&format!("{guard}{operation} {to}, {a}, {b};")),
        }
    }

    /// Makes the result depend on a value, and on the order in which values are recorded.
    fn record(&mut self, scope: &Scope) {
        let value = self.read(scope);
        self.line(&format!("mad.lo.s32 %sum, %sum, 31, {value};"));
    }

    fn compare(&mut self, scope: &Scope) -> String {
        let (predicate, a, b) = (self.predicate(), self.read(scope), self.operand(scope));
        let comparison = ["lt.s32", "eq.u32", "gt.u32"][self.random.usize(0..3)];
        self.line(&format!("setp.{comparison} {predicate}, {a}, {b};"));
        predicate
    }

    /// Copies from and to registers of another type, and among these.
    fn retype(&mut self, scope: &mut Scope) {
        let (float, other) = (self.float(), self.float());
        match self.random.u8(0..3) {
            0 => {
                let from = self.read(scope);
                self.line(&format!("mov.b32 {float}, {from};"));
            }
            1 => {
                let to = self.write(scope);
                self.line(&format!("mov.b32 {to}, {float};"));
            }
            _ => self.line(&format!("mov.b32 {float}, {other};")),
        }
    }

    fn two_results(&mut self, scope: &mut Scope) {
        let (a, b) = (self.new_value(), self.new_value());
        let offset = 8 * self.random.usize(0..4);
        self.line(&format!("ld.global.v2.u32 {{%v{a}, %v{b}}}, [table+{offset}];"));
        scope.values.push(a);
        if self.random.bool() {
            scope.values.push(b);
        }
    }

    /// An address moved to a register of its own, as selection does in each block.
    fn address(&mut self, scope: &mut Scope) {
        let known = scope.addresses.len();
        if known == 0 || self.random.bool() {
            let (variable, space) = [("table", "global"), ("window", "shared")][self.random.usize(0..2)];
            let (register, offset) = (format!("%a{}", self.addresses), 4 * self.random.usize(1..3));
            self.addresses += 1;
            if self.random.u8(0..6) == 0 {
                // The read is under the same condition.
                let (guard, to) = (self.predicate(), self.read(scope));
                self.line(&format!("@{guard} mov.u64 {register}, {variable}+{offset};"));
                self.line(&format!("@{guard} ld.{space}.u32 {to}, [{register}];"));
                return;
            }
            self.line(&format!("mov.u64 {register}, {variable}+{offset};"));
            scope.addresses.push((register, space));
        }
        let (register, space) = scope.addresses[self.random.usize(0..scope.addresses.len())].clone();
        let to = self.write(scope);
        self.line(&format!("ld.{space}.u32 {to}, [{register}];"));
    }

    /// A read through a register that several moves of addresses write, some of them guarded.
    fn changing_address(&mut self, scope: &mut Scope) {
        let (register, offset) = (format!("%m{}", self.random.usize(0..2)), 4 * self.random.usize(0..2));
        let guard = if self.random.bool() { format!("@{} ", self.predicate()) } else { String::new() };
        self.line(&format!("{guard}mov.u64 {register}, table+{offset};"));
        let (register, to) = (format!("%m{}", self.random.usize(0..2)), self.write(scope));
        self.line(&format!("ld.global.u32 {to}, [{register}];"));
    }

    fn terminator(&mut self, at: usize, scope: &Scope) {
        let last = self.blocks.len();
        let (target, other) = (self.random.usize(0..=last), self.random.usize(0..=last));
        let kind = self.random.u8(0..5);
        let targets: &[usize] = match kind {
            0 => &[at + 1],
            1 => &[target],
            _ => &[target, other],
        };
        if targets.iter().any(|target| *target <= at) {
            self.line("sub.u32 %count, %count, 1;\nsetp.eq.u32 %out_of, %count, 0;");
            self.line(&format!("@%out_of bra $L_{last};"));
        }
        match kind {
            0 => self.pass(at + 1, scope),
            1 => {
                self.pass(target, scope);
                self.line(&format!("bra.uni $L_{target};"));
            }
            _ => {
                let predicate = if self.random.bool() { self.compare(scope) } else { self.predicate() };
                let negated = if self.random.bool() { "!" } else { "" };
                self.pass(target, scope);
                if kind == 2 {
                    self.pass(other, scope);
                }
                self.line(&format!("@{negated}{predicate} bra $L_{target};"));
                if kind > 2 {
                    self.pass(other, scope);
                    if self.random.u8(0..8) == 0 {
                        self.line(&format!("mov.pred {predicate}, %q0;"));
                    }
                }
                self.line(&format!("bra.uni $L_{other};"));
            }
        }
    }

    /// Puts declarations and first values before the blocks, and stores after them.
    fn finish(self, globals: [usize; 2]) -> String {
        let Self { random, is_uniform, code, values, addresses, blocks } = self;
        let mut text = String::from(".version 8.0\n.target sm_90a\n.address_size 64\n");
        let numbers: Vec<String> = (0..8).map(|_| random.u32(..).to_string()).collect();
        let _ = writeln!(text, ".global .align 8 .u32 table[8] = {{{}}};", numbers.join(", "));
        text.push_str(".shared .align 8 .b8 window[16];\n.shared .align 1024 .b8 matrix[2048];\n");
        text.push_str(".visible .entry k(.param .u64 out) {\n");
        let _ = writeln!(text, ".reg .pred %q<{PREDICATES}>, %out_of; .reg .f32 %f<{FLOATS}>;");
        let _ = writeln!(text, ".reg .b32 %v<{values}>, %sum, %count, %thread;");
        let _ = writeln!(text, ".reg .b64 %a<{}>, %m<2>, %to, %offset, %matrices;", addresses + 1);
        let thread = if is_uniform { "%ctaid.x" } else { "%tid.x" };
        let _ =
            writeln!(text, "ld.param.u64 %to, [out];\nmov.u32 %thread, {thread};\nmov.u32 %sum, %thread;");
        if is_uniform {
            text.push_str(MATRICES);
        }
        let _ = writeln!(text, "mov.u32 %count, {BACK_BRANCHES};");
        text.push_str("st.shared.u32 [window+4], 5;\nst.shared.u32 [window+8], 77;\n");
        text.push_str("mov.u64 %m0, table;\nmov.u64 %m1, table+4;\n");
        for value in 0..values {
            let (factor, constant) = (random.u8(0..4), random.u8(0..16));
            let _ = writeln!(text, "mad.lo.s32 %v{value}, %thread, {factor}, {constant};");
        }
        for float in 0..FLOATS {
            let _ = writeln!(text, "mov.b32 %f{float}, %v{};", random.usize(0..values));
        }
        for predicate in 0..PREDICATES {
            let _ = writeln!(text, "setp.gt.u32 %q{predicate}, %thread, {};", random.u8(0..32));
        }
        text.push_str(&code);
        let _ = writeln!(text, "$L_{}:", blocks.len());
        let _ = writeln!(text, "mul.wide.u32 %offset, %thread, {STORED_BYTES};\nadd.u64 %to, %to, %offset;");
        let [one, two] = globals;
        let _ = writeln!(text, "st.global.v4.u32 [%to], {{%sum, %count, %v{one}, %v{two}}};\nret;\n}}");
        text
    }
}

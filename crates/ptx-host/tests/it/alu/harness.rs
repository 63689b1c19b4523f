//! Compiles operations and compares what they compute with the interpreter.

use ptx_exec::RowOperation;
use ptx_host::emit::Emit;
use ptx_host::emit::alu::{Nan, Style, alu_with};
use ptx_llvm_core::build::{Builder, CastOp, Types, Volatility};
use ptx_llvm_core::host::{Cpu, HostMachine, Jit};
use ptx_llvm_core::{Context, Module, OptLevel};
use ptx_program::{Alu, Binary, Dual, FULL, Formula, Packing, Row, Src, Ternary, Unary, WARP};

/// An operation and what its sources are.
#[derive(Clone, Debug)]
pub struct Case {
    pub alu: Alu,
    /// For each source the bits of its register's row, and the bits that values have: fewer in predicates and in the low parts of
    /// registers.
    pub sources: Vec<(u32, u64)>,
}

const SRC: Src = Src::register(0);

fn source(bits: u32) -> (u32, u64) {
    (bits, u64::MAX >> (64 - bits))
}

pub fn unary(op: Unary, packing: Packing, bits: u32) -> Case {
    Case { alu: Alu::Unary { op, packing, d: 0, a: SRC }, sources: vec![source(bits)] }
}

pub fn binary(op: Binary, packing: Packing, bits: [u32; 2]) -> Case {
    let alu = Alu::Binary { op, packing, d: 0, a: SRC, b: SRC };
    Case { alu, sources: bits.map(source).to_vec() }
}

pub fn ternary(op: Ternary, packing: Packing, bits: [u32; 3]) -> Case {
    let alu = Alu::Ternary { op, packing, d: 0, a: SRC, b: SRC, c: SRC };
    Case { alu, sources: bits.map(source).to_vec() }
}

pub fn formula(op: Formula, bits: [u32; 4]) -> Case {
    let alu = Alu::Formula { op, d: 0, srcs: [SRC; 4] };
    Case { alu, sources: bits.map(source).to_vec() }
}

pub fn dual(op: Dual, bits: [u32; 4]) -> Case {
    let alu = Alu::Dual { op, dsts: [0, 0], srcs: [SRC; 4] };
    Case { alu, sources: bits.map(source).to_vec() }
}

/// Numbers that look random (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.next() % from.len() as u64) as usize]
    }

    /// A value of one kind for all sources of a lane, so that special ones meet.
    fn value(&mut self, kind: u64) -> u64 {
        const SPECIAL: [u64; 12] =
            [0, 1, 2, 31, 32, 33, 63, 64, 0x7fff, 0x8000, 0xffff_ffff_8000_0000, u64::MAX];
        const F16: [u64; 14] = [
            0, 1, 0x3ff, 0x400, 0x3c00, 0x4000, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x7ff7, 0x3800,
            0x3bff,
        ];
        const F32: [u64; 16] = [
            0,
            1,
            0x7f_ffff,
            0x80_0000,
            0x80_0001,
            0x3f80_0000,
            0x3f00_0000,
            0x4000_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7f80_0001,
            0x7fc0_0000,
            0x7fff_ffff,
            0x4b00_0000,
            0x4f00_0000,
            0x5f00_0000,
        ];
        const F64: [u64; 15] = [
            0,
            1,
            0xf_ffff_ffff_ffff,
            0x10_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0x3fe0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff0_0000_0000_0001,
            0x7ff8_0000_0000_0000,
            0x380f_ffff_f000_0000,
            0x36a0_0000_0000_0000,
            0x47ef_ffff_f000_0000,
            0x41e0_0000_0000_0000,
            0x43e0_0000_0000_0000,
        ];
        let sign = self.next();
        let random = self.next();
        match kind {
            0 => random,
            1 => self.pick(&SPECIAL),
            2 => random % 70,
            3 => random >> (random % 64),
            4 => {
                let half = self.pick(&F16) | (sign & 1) << 15;
                let other = self.pick(&F16) | (sign & 2) << 14;
                half | other << 16 | half << 32 | other << 48
            }
            5 => self.pick(&F32) | (sign & 1) << 31 | (self.pick(&F32) | (sign >> 1 & 1) << 31) << 32,
            6 => self.pick(&F64) | (sign & 1) << 63,
            // Numbers of usual size in binary32, twice.
            7 => (random & 0x807f_ffff_807f_ffff) + ((0x70 + sign % 32) << 23) * 0x1_0000_0001,
            // The same in binary64.
            8 => (random & 0x800f_ffff_ffff_ffff) + ((0x3c0 + sign % 128) << 52),
            // Near the smallest normal binary32, and few bits.
            9 => (random & 0x807f_0000_807f_0000) + ((sign % 6) << 23) * 0x1_0000_0001,
            // Near the ends of binary32 in binary64, rounding to them or half-way.
            10 => {
                let exponent =
                    self.pick(&[0x368, 0x369, 0x36a, 0x36b, 0x37f, 0x380, 0x381, 0x47e, 0x47f, 0x3f0, 0x40f]);
                (random & self.pick(&[0x8008_0000_0000_0000, 0x800f_ffff_f000_0000, 0x800f_ffff_ffff_ffff]))
                    + (exponent << 52)
            }
            // Halves of usual size.
            _ => (random & 0x83ff_83ff_83ff_83ff) + ((0xa + sign % 12) << 10) * 0x1_0001_0001_0001,
        }
    }

    const KINDS: u64 = 12;
}

/// The processors that code is compiled for: those of them that this one can run.
fn processors() -> Vec<Cpu> {
    let host = Cpu::host().expect("LLVM 22");
    let mut known = vec![Cpu::baseline("x86-64-v2").unwrap()];
    if !host.triple.starts_with("x86_64") {
        return vec![host];
    }
    if host.has("avx2") {
        known.push(Cpu::baseline("x86-64-v3").unwrap());
    }
    if host.vector_bits() == 512 {
        known.push(Cpu::baseline("x86-64-v4").unwrap());
    }
    known.push(host);
    known
}

/// `void f(ptr sources, ptr results)`: as many lanes of each source, one array of 64-bit numbers after the other, and the
/// same of the results. `false` where the operation has no form.
fn function(
    module: &Module<'_>,
    machine: &HostMachine,
    name: &str,
    lanes: u32,
    case: &Case,
    style: Style,
) -> bool {
    let types = Types::new(module.context());
    let ty = types.function(types.void(), &[types.pointer(0), types.pointer(0)]);
    let f = module.function(name, ty).unwrap();
    machine.set_function(types, f);
    let builder = Builder::new(types);
    builder.position_at_end(f.append_block(types, "entry"));
    let emit = Emit { module, types, builder };
    let words = if lanes == 1 { types.int(64) } else { types.vector(types.int(64), lanes) };
    let place = |index: usize| types.int_value(64, 8 * u64::from(lanes) * index as u64);
    let [from, to] = f.parameters()[..] else { panic!("two parameters") };
    let arguments: Vec<_> = case
        .sources
        .iter()
        .enumerate()
        .map(|(index, (bits, _))| {
            let at = emit.builder.offset(from, place(index)).unwrap();
            let word = emit.builder.load(words, at, 8, Volatility::Ordinary).unwrap();
            emit.resize(word, *bits).unwrap()
        })
        .collect();
    let results =
        alu_with(&emit, &case.alu, &arguments, style).unwrap_or_else(|error| panic!("{case:?}: {error}"));
    for (index, result) in results.iter().flatten().enumerate() {
        let at = emit.builder.offset(to, place(index)).unwrap();
        let bits = emit.bits(*result);
        let word = if bits == 64 {
            *result
        } else {
            emit.builder
                .cast(CastOp::ZExt, *result, words)
                .unwrap_or_else(|error| panic!("{case:?}: {error}"))
        };
        emit.builder.store(word, at, 8, Volatility::Ordinary).unwrap();
    }
    emit.builder.ret(None).unwrap();
    results.is_some()
}

/// Rows of sources: `rows[n][source]`.
#[allow(clippy::needless_range_loop)]
fn data(case: &Case, rows: usize, random: &mut Random) -> Vec<Vec<Row>> {
    let row_of = |random: &mut Random| {
        let mut row = vec![[0u64; WARP]; 4];
        for lane in 0..WARP {
            let kind = random.next() % Random::KINDS;
            // Now and then the sources are of different kinds.
            let mixed = random.next().is_multiple_of(3);
            for (index, (_, mask)) in case.sources.iter().enumerate() {
                let kind = if mixed { random.next() % Random::KINDS } else { kind };
                row[index][lane] = random.value(kind) & mask;
                if index > 0 && random.next().is_multiple_of(16) {
                    row[index][lane] = row[index - 1][lane] & mask;
                }
            }
        }
        row
    };
    (0..rows).map(|_| row_of(random)).collect()
}

/// Runs compiled code of `lanes` lanes on a whole row.
fn run(address: usize, lanes: usize, count: usize, sources: &[Row]) -> [Row; 2] {
    // SAFETY: the function was built by `function` with these parameters, and reads and writes so many words.
    let f: extern "C" fn(*const u64, *mut u64) = unsafe { std::mem::transmute(address as *const ()) };
    let mut results = [[0u64; WARP]; 2];
    for first in (0..WARP).step_by(lanes) {
        let mut from = [0u64; 4 * WARP];
        let mut to = [0u64; 2 * WARP];
        for (index, source) in sources.iter().take(count).enumerate() {
            from[index * lanes..][..lanes].copy_from_slice(&source[first..][..lanes]);
        }
        f(from.as_ptr(), to.as_mut_ptr());
        for (index, result) in results.iter_mut().enumerate() {
            result[first..][..lanes].copy_from_slice(&to[index * lanes..][..lanes]);
        }
    }
    results
}

/// Whether `PTX_HOST_ALL` asks for every pair of processor and lanes.
fn asks_for_all() -> bool {
    std::env::var_os("PTX_HOST_ALL").is_some()
}

/// The processors and numbers of lanes that code is compiled for: some of all pairs, and all with `PTX_HOST_ALL` in the environment.
fn jobs() -> Vec<(Cpu, u32)> {
    let processors = processors();
    let all = asks_for_all();
    let lanes = |index: usize| if all { vec![1, 4, 16] } else { vec![[4, 16, 16, 1][index % 4]] };
    processors
        .into_iter()
        .enumerate()
        .flat_map(|(index, cpu)| lanes(index).into_iter().map(move |lanes| (cpu.clone(), lanes)))
        .collect()
}

/// The part of these pairs that a test takes by default.
fn taken_jobs() -> Vec<(Cpu, u32)> {
    let jobs = jobs();
    if asks_for_all() {
        jobs
    } else {
        testing::sample_of_test("processors that arithmetic is compiled for", jobs, 1)
    }
}

/// Compares all cases, or by default a part of them, of which `missing` have no plain form.
pub fn check(name: &str, cases: &[Case], missing: usize) {
    let rows = std::env::var("PTX_HOST_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(16);
    let few = if asks_for_all() { cases.len() } else { 60 };
    let taken = testing::sample_of_test("arithmetic operations as code for the host", cases.to_vec(), few);
    let jobs = taken_jobs();
    let results: Vec<Result<usize, String>> =
        jobs.iter().map(|(cpu, lanes)| check_on(name, cpu, *lanes, &taken, rows)).collect();
    let counts: Vec<usize> =
        results.into_iter().map(|result| result.unwrap_or_else(|error| panic!("{error}"))).collect();
    if !testing::takes_all() && !asks_for_all() {
        assert!(counts.iter().all(|count| *count <= missing), "more than {missing} have no form: {counts:?}");
        return;
    }
    assert!(
        counts.iter().all(|count| *count <= counts[0]),
        "plain forms are those that there always are: {counts:?}"
    );
    assert_eq!(counts[0], missing, "have no plain form");
}

fn check_on(name: &str, cpu: &Cpu, lanes: u32, cases: &[Case], rows: usize) -> Result<usize, String> {
    let machine = HostMachine::new(cpu, OptLevel::O2).expect("a target");
    let jit = Jit::new(cpu).expect("the host");
    // The plain forms are those of scalars and of SSE4.2.
    let plain = lanes == 1 || cpu.name == "x86-64-v2";
    let style = if plain { Style::PLAIN } else { Style::of(cpu) };
    let (mut missing, mut random, mut differences) = (0, Random(rows as u64), Vec::new());
    for (part, cases) in cases.chunks(64).enumerate() {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::new(&context, "alu");
        machine.set_up(&mut module);
        let forms: Vec<bool> = cases
            .iter()
            .enumerate()
            .map(|(index, case)| function(&module, &machine, &format!("f{index}"), lanes, case, style))
            .collect();
        module.verify().expect("valid");
        machine.optimize(&mut module, "default<O2>").expect("runs");
        let object = machine.emit_object(module).expect("the backend takes it");
        let code = jit.add_object(&format!("{name}-{part}"), &object).expect("links");
        for (index, (case, has_form)) in cases.iter().zip(forms).enumerate() {
            if !has_form {
                missing += 1;
                continue;
            }
            let address = code.address(&format!("f{index}")).expect("defined");
            differences.extend(compare(address, lanes, case, &data(case, rows, &mut random)));
        }
    }
    if differences.is_empty() {
        return Ok(missing);
    }
    let some = differences.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
    Err(format!("{name}, {lanes} lanes for {}: {} operations differ\n{some}", cpu.name, differences.len()))
}

/// The first lane that differs, as text.
fn compare(address: usize, lanes: u32, case: &Case, data: &[Vec<Row>]) -> Option<String> {
    let operation = RowOperation::new(case.alu);
    for sources in data {
        let mut expected = [[0u64; WARP]; 2];
        let [first, second] = &mut expected;
        operation.apply([&sources[0], &sources[1], &sources[2], &sources[3]], FULL, [first, second]);
        let found = run(address, lanes as usize, case.sources.len(), sources);
        for lane in 0..WARP {
            let [expected, found] = [expected, found].map(|results| results.map(|result| result[lane]));
            if expected != found {
                let arguments: Vec<u64> = sources.iter().map(|source| source[lane]).collect();
                return Some(format!("{:?}: of {arguments:x?} {found:x?}, not {expected:x?}", case.alu));
            }
        }
    }
    None
}

/// Compares all cases with [`Nan::Any`]: any NaN is as good as another where the bits of a NaN of `.f32` are left open.
pub fn check_open_nans(cases: &[Case]) {
    for (cpu, lanes) in taken_jobs() {
        let style = Style { nan: Nan::Any, ..Style::of(&cpu) };
        let machine = HostMachine::new(&cpu, OptLevel::O2).expect("a target");
        let jit = Jit::new(&cpu).expect("the host");
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::new(&context, "alu");
        machine.set_up(&mut module);
        for (index, case) in cases.iter().enumerate() {
            assert!(function(&module, &machine, &format!("f{index}"), lanes, case, style));
        }
        module.verify().expect("valid");
        machine.optimize(&mut module, "default<O2>").expect("runs");
        let code = jit.add_object("any", &machine.emit_object(module).expect("code")).expect("links");
        let mut random = Random(7);
        for (index, case) in cases.iter().enumerate() {
            let address = code.address(&format!("f{index}")).expect("defined");
            let operation = RowOperation::new(case.alu);
            for sources in data(case, 16, &mut random) {
                let mut expected = [[0u64; WARP]; 2];
                let [first, second] = &mut expected;
                operation.apply([&sources[0], &sources[1], &sources[2], &sources[3]], FULL, [first, second]);
                let found = run(address, lanes as usize, case.sources.len(), &sources);
                for (found, expected) in found[0].iter().zip(expected[0]) {
                    let both_nan =
                        [*found, expected].map(|raw| f32::from_bits(raw as u32).is_nan()) == [true; 2];
                    assert!(*found == expected || both_nan, "{:?}: {found:x}, not {expected:x}", case.alu);
                }
            }
        }
    }
}

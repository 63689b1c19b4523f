//! What `ptx-inspect` claims of kernels, against what the interpreter counts when it executes them: sectors of global memory, conflicts of banks, branches that do not
//! part warps, and registers that are the same for all threads of a warp. The two have no code in common.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use ptx_diag::{SourceFile, Span};
use ptx_exec::{Argument, Counts, Launch, Observation, Profile, Reconvergence, Sink, Trace, TraceEvent};
use ptx_inspect::{Analysis, Class, FunctionReport, LayoutAccess, Level, Padding, Report, Swizzle, inspect};
use test_suite::kernels::Size;
use test_suite::stage;
use test_suite::weighted::sets::{Kernel, SETS, kernels};

/// Launches in which threads execute more instructions are not traced.
const MOST_TRACED: u64 = 1 << 18;

/// What was compared.
#[derive(Default, Debug)]
struct Compared {
    sectors: usize,
    exact_sectors: usize,
    conflicts: usize,
    unknown: usize,
    branches: usize,
    divergent_branches: usize,
    uniform: usize,
}

/// A kernel with its launch and the claims.
struct Inspected {
    kernel: Kernel,
    source: SourceFile,
    module: ptx_ir::Module,
    report: Report,
}

impl Inspected {
    fn new(mut kernel: Kernel) -> Self {
        let source = SourceFile::new("kernel.ptx", kernel.ptx.as_str());
        let module = stage::read_and_verify(&source).expect("a kernel of the suite");
        // Threads of a warp come together again where their ways meet.
        kernel.launch.reconvergence = Reconvergence::Late;
        let lines = |spans: &[Span]| spans.iter().map(|span| source.position(span.lo).line).collect();
        let analyses =
            [Analysis::Divergence, Analysis::Coalescing, Analysis::BankConflicts, Analysis::Registers];
        let report = inspect(&module, &analyses, Some(kernel.launch.block), &lines, &|_| String::new());
        Self { kernel, source, module, report }
    }

    /// Compares the registers with what the page of `--view` shows.
    fn compare_registers(&self) {
        let bodies = self.module.functions.iter().filter_map(|function| function.body.as_ref());
        for (function, body) in self.report.functions.iter().zip(bodies) {
            let most = function.registers.as_ref().map(|registers| registers.most.live.units());
            let shown = ptx_ir::pressure::register_pressure(body);
            assert_eq!(most.unwrap_or_default(), shown, "{}: {}", self.kernel.name, function.name);
        }
    }

    fn function(&self, name: &str) -> &FunctionReport {
        self.report.functions.iter().find(|function| function.name == name).expect("a function with a body")
    }

    fn observe(&self, observation: &Observation) -> Vec<Profile> {
        let verified = stage::verify(&self.module, &self.source).expect("verified");
        let observed = ptx_exec::run_observed(verified, &self.kernel.launch, observation);
        observed.result.unwrap_or_else(|error| panic!("{}: {error}", self.kernel.name));
        observed.profile
    }

    fn line(&self, span: Span) -> u32 {
        self.source.position(span.lo).line
    }

    /// Compares the counts, and returns how many instructions threads executed.
    fn compare_counts(&self, compared: &mut Compared) -> u64 {
        let profile = self.observe(&Observation { profile: true, ..Observation::default() });
        for one in &profile {
            let (function, line) = (self.function(&one.function), self.line(one.span));
            let at = format!("{} line {line}: {}", self.kernel.name, one.instruction);
            compare_sectors(function, line, &one.counts, compared, &at);
            compare_conflicts(function, line, &one.counts, compared, &at);
            for branch in &function.divergence.as_ref().expect("asked for").branches {
                if branch.line == line {
                    compared.branches += 1;
                    compared.divergent_branches += usize::from(branch.level == Level::Thread);
                    let is_uniform = branch.level < Level::Thread;
                    assert!(!(is_uniform && one.counts.divergent > 0), "{at} parts warps, but is {branch:?}");
                }
            }
        }
        profile.iter().map(|one| one.counts.threads).sum()
    }

    /// Compares what threads of a warp write.
    fn compare_values(&self, compared: &mut Compared) {
        let mut uniform: BTreeSet<(u32, String)> = BTreeSet::new();
        for function in &self.report.functions {
            let values = &function.divergence.as_ref().expect("asked for").values;
            let same = values.iter().filter(|value| value.class <= Class::Warp);
            uniform.extend(same.map(|value| (value.line, value.register.clone())));
        }
        let [x, y, _] = self.kernel.launch.block;
        let written = Arc::new(Mutex::new(Written { uniform, ..Written::default() }));
        let (source, sink) = (self.source.clone(), Arc::clone(&written));
        let sink: Sink = Arc::new(move |event: &TraceEvent| {
            let thread = event.thread[0] + x * (event.thread[1] + y * event.thread[2]);
            let place = (event.block, thread / 32, source.position(event.span.lo).line);
            sink.lock().expect("no panic").add(place, thread, event);
        });
        let trace = Trace { block: None, thread: None, instructions: None, sink };
        self.observe(&Observation { trace: Some(trace), ..Observation::default() });
        let written = written.lock().expect("no panic");
        assert!(written.wrong.is_empty(), "{}: {:?}", self.kernel.name, written.wrong);
        compared.uniform += written.seen.len();
    }
}

/// The block, the warp, and the line of an instruction.
type Where = ([u32; 3], u32, u32);

/// What threads write, of registers that are claimed to be the same for a warp.
#[derive(Default)]
struct Written {
    uniform: BTreeSet<(u32, String)>,
    /// The last instruction, the last thread of it, and what its first thread wrote.
    last: Option<(Where, u32, BTreeMap<String, u128>)>,
    seen: BTreeSet<(u32, String)>,
    wrong: Vec<String>,
}

impl Written {
    /// The events of the threads of a warp follow each other, in the order of the threads.
    fn add(&mut self, place: Where, thread: u32, event: &TraceEvent) {
        let values = event.writes.iter().map(|value| (value.register.to_string(), value.bits));
        let values = values.filter(|(name, _)| self.uniform.contains(&(place.2, name.clone())));
        let values: BTreeMap<String, u128> = values.collect();
        match &mut self.last {
            Some((other, before, first)) if *other == place && *before < thread => {
                *before = thread;
                if *first != values {
                    self.wrong.push(format!("line {}, thread {thread}: {values:?}, not {first:?}", place.2));
                }
                self.seen.extend(values.into_keys().map(|name| (place.2, name)));
            }
            _ => self.last = Some((place, thread, values)),
        }
    }
}

fn compare_sectors(function: &FunctionReport, line: u32, counts: &Counts, compared: &mut Compared, at: &str) {
    for access in function.coalescing.as_ref().expect("asked for").iter().filter(|access| access.line == line)
    {
        let Some(claim) = access.sectors else {
            compared.unknown += 1;
            continue;
        };
        compared.sectors += 1;
        let (least, most) = (u64::from(claim.least) * counts.warps, u64::from(claim.most) * counts.warps);
        assert!(counts.sectors <= most, "{at}: {counts:?}, but {access:?}");
        if counts.threads == 32 * counts.warps {
            compared.exact_sectors += usize::from(least == most);
            assert!(counts.sectors >= least, "{at}: {counts:?}, but {access:?}");
        }
    }
}

fn compare_conflicts(
    function: &FunctionReport,
    line: u32,
    counts: &Counts,
    compared: &mut Compared,
    at: &str,
) {
    let conflicts = function.bank_conflicts.as_ref().expect("asked for");
    for access in conflicts.accesses.iter().filter(|access| access.line == line) {
        let Some(claim) = access.conflicts else {
            compared.unknown += 1;
            continue;
        };
        compared.conflicts += 1;
        assert!(counts.conflicts <= u64::from(claim.most) * counts.warps, "{at}: {counts:?}, but {access:?}");
        if counts.threads == 32 * counts.warps {
            assert!(
                counts.conflicts >= u64::from(claim.least) * counts.warps,
                "{at}: {counts:?}, but {access:?}"
            );
        }
    }
}

#[test]
fn claims_are_what_is_counted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compared = Compared::default();
    let all =
        SETS.into_iter().flat_map(|set| kernels(root, set, Size::Small, |_| true).expect("the suite's"));
    let all = testing::sample("kernels that are inspected and executed", all.collect(), 60);
    for kernel in all {
        let inspected = Inspected::new(kernel);
        inspected.compare_registers();
        let threads = inspected.compare_counts(&mut compared);
        if threads <= MOST_TRACED {
            inspected.compare_values(&mut compared);
        }
    }
    // Each is compared in any sample, and often if it is all of them.
    let Compared { sectors, exact_sectors, conflicts, branches, divergent_branches, uniform, .. } = compared;
    assert!(sectors > 0 && exact_sectors > 0 && conflicts > 0 && uniform > 0, "{compared:?}");
    assert!(divergent_branches < branches, "{compared:?}");
    if testing::takes_all() {
        assert!(sectors > 2_000 && exact_sectors > 300 && conflicts > 4_000, "{compared:?}");
        assert!(branches - divergent_branches > 300 && uniform > 10_000, "{compared:?}");
    }
}

/// The conflicts of the kernel of docs/analyze.md by line, and what it leaves.
fn transposed(text: &str) -> (Vec<u64>, Vec<u8>) {
    let source = SourceFile::new("transpose.ptx", text);
    let module = stage::read_and_verify(&source).expect("valid");
    let verified = stage::verify(&module, &source).expect("valid");
    let numbers = (0..64 * 64).flat_map(|number| (number as f32).to_le_bytes()).collect();
    let mut launch = Launch::new("transpose");
    launch.grid = [2, 1, 1];
    launch.block = [32, 8, 1];
    launch.arguments = vec![
        Argument::Buffer(vec![0; 64 * 64 * 4]),
        Argument::Buffer(numbers),
        Argument::Bytes(64u32.to_le_bytes().to_vec()),
        Argument::Bytes(2f32.to_le_bytes().to_vec()),
    ];
    let observation = Observation { profile: true, ..Observation::default() };
    let observed = ptx_exec::run_observed(verified, &launch, &observation);
    let outcome = observed.result.unwrap_or_else(|error| panic!("{error}"));
    let shared = observed.profile.iter().filter(|one| one.instruction.contains(".shared"));
    let conflicts = shared.map(|one| one.counts.conflicts / one.counts.warps).collect();
    (conflicts, outcome.buffers[0].clone().expect("a buffer"))
}

#[test]
fn layouts_have_the_conflicts_that_are_claimed_and_change_no_result() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/demo-data/transpose.ptx");
    let text = std::fs::read_to_string(path).expect("there");
    let module = stage::read_and_verify(&SourceFile::new("transpose.ptx", text.as_str())).expect("valid");
    let lines = |spans: &[Span]| vec![0; spans.len()];
    let report = inspect(&module, &[Analysis::BankConflicts], Some([32, 8, 1]), &lines, &|_| String::new());
    let conflicts = report.functions[0].bank_conflicts.as_ref().expect("asked for");
    let [array] = conflicts.arrays.as_slice() else { panic!("{conflicts:?}") };
    let claimed = |of: fn(&LayoutAccess) -> Option<u32>| -> Vec<u64> {
        array.accesses.iter().map(|access| of(access).expect("there is such a layout").into()).collect()
    };
    let (before, result) = transposed(&text);
    assert_eq!(before, claimed(|access| Some(access.before)));
    assert!(before.iter().any(|conflicts| *conflicts > 0));

    let Padding { row, bytes } = array.padding.expect("one without conflicts");
    let padded = text.replace(", 128, ", &format!(", {}, ", row + bytes)).replace("tile[4096]", "tile[8192]");
    assert_eq!(transposed(&padded), (claimed(|access| access.padded), result.clone()));

    let Swizzle { row, rows, unit } = array.swizzle.expect("one without conflicts");
    let moved = |register: &str| {
        format!(
            "sub.u32 %r18, {register}, %r6; div.u32 %r19, %r18, {row}; rem.u32 %r19, %r19, {rows};
             mul.lo.u32 %r19, %r19, {unit}; xor.b32 %r18, %r18, %r19; add.u32 {register}, %r18, %r6;"
        )
    };
    let swizzled = text
        .replace("st.shared", &format!("{}\n st.shared", moved("%r11")))
        .replace("ld.shared", &format!("{}\n ld.shared", moved("%r15")));
    assert_eq!(transposed(&swizzled), (claimed(|access| access.swizzled), result));
}

//! Kernels of any size with one kind of control flow, or a mixture: how compilation for the host grows with them is measured on these.
//!
//! Each thread works on its own word of the first buffer, so that engines can be compared.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use ptx_diag::SourceFile;
use ptx_exec::{Argument, DecodedLaunch, Executed, Launch, LoadedLaunch};
use ptx_host::analysis::Launched;
use ptx_host::{CompileError, Compiler, Kernels, Options};
use ptx_llvm_core::host::Cpu;

use crate::growth::timed;
use crate::stage;

/// A kind of control flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// None: arithmetic only.
    Straight,
    /// Divergent `if` and `else`, one after the other.
    IfElse,
    /// The same, with conditions that are the same in all threads.
    Uniform,
    /// Divergent branches to one label at the end.
    Exits,
    /// Threads that store something and exit.
    ExitsWithStores,
    /// One divergent `brx.idx`.
    Switch,
    /// A `brx.idx` in a loop, as in an interpreter of byte code.
    SwitchInLoop,
    /// A chain of comparisons that branch to targets after it.
    Chain,
    /// Loops whose trip counts differ between threads, one after the other.
    Loops,
    /// Loops in loops, with a way out of both.
    Nests,
    /// Guarded instructions.
    Guards,
    /// Block barriers.
    Barriers,
    /// Calls of a function with a branch, which are inlined.
    Calls,
    /// Loads and stores.
    Accesses,
    /// Loads and stores of memory that is not known before the kernel runs: global, or local.
    Generic,
    /// Accesses of local memory through generic addresses, also by a function that is passed a pointer, and loops on volatile variables there.
    Own,
    /// One long loop of divergent branches.
    LongLoop,
    /// Operations of all lanes after divergent branches.
    Votes,
    /// Exchanges between lanes in straight code.
    Shuffles,
    /// Branches into the join of the next one.
    Joins,
    /// A loop that copies registers against the order of its instructions: what is known of one is known of the next an iteration later.
    Copies,
    /// Divergent branches each of which is divergent because of the one before it.
    Conditions,
    /// As `Conditions`, in a loop and against the order of its instructions.
    ConditionsBackward,
    /// Many ways back to the head of one loop.
    Continues,
    /// Loops in loops, as deep as the kernel is long.
    DeepNests,
    /// Branches in branches, as deep.
    DeepBranches,
    /// One long loop of divergent branches that may wait for other threads, as memory decides whether it goes on.
    LongWait,
    /// Divergent branches, and such loops.
    Waits,
}

/// All kinds.
pub const SHAPES: [Shape; 28] = [
    Shape::Straight,
    Shape::IfElse,
    Shape::Uniform,
    Shape::Exits,
    Shape::ExitsWithStores,
    Shape::Switch,
    Shape::SwitchInLoop,
    Shape::Chain,
    Shape::Loops,
    Shape::Nests,
    Shape::Guards,
    Shape::Barriers,
    Shape::Calls,
    Shape::Accesses,
    Shape::Generic,
    Shape::Own,
    Shape::LongLoop,
    Shape::Votes,
    Shape::Shuffles,
    Shape::Joins,
    Shape::Copies,
    Shape::Conditions,
    Shape::ConditionsBackward,
    Shape::Continues,
    Shape::DeepNests,
    Shape::DeepBranches,
    Shape::LongWait,
    Shape::Waits,
];

/// The first of [`SHAPES`] are in mixtures. After a loop that waits all later blocks run in turn, which costs up to three times as much for each:
/// a mixture with such a loop is dearer where it is split than where it is small and in one function.
const MIXED: usize = SHAPES.len() - 2;

const HEAD: &str = "\
.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 o) f(.reg .b32 v) { .reg .pred q; setp.eq.u32 q, v, 77; @q bra X; add.u32 o, v, 1; ret; X: mov.u32 o, 3; ret; }
.func g(.param .b64 v) { .reg .b64 p; .reg .b32 w; ld.param.u64 p, [v]; ld.u32 w, [p]; add.u32 w, w, 1; st.u32 [p], w; ret; }
.shared .b32 s[64];
.visible .entry k(.param .u64 p) {
.reg .pred q; .reg .b32 x, y, t, i, z; .reg .b64 a, b;
ld.param.u64 a, [p]; mov.u32 t, %tid.x; mul.wide.u32 b, t, 4; add.u64 a, a, b; ld.global.u32 x, [a]; mov.u32 y, t; mov.u32 i, 0;
";

/// A kernel `k` of about so many instructions. Its parameter is the address of a word for each thread.
pub fn kernel(shape: Shape, instructions: usize) -> String {
    let mut text = HEAD.to_owned();
    piece(&mut text, shape, 0, instructions);
    text.push_str("END: st.global.u32 [a], x; ret; }\n");
    text
}

/// A kernel of pieces of random kinds and sizes, of about so many instructions, `times` times one after the other. One of each kind, as small as can be,
/// comes before them: what is known only at the beginning of a kernel, that registers are the same in all threads or that all threads are there, makes up to
/// three quarters of the code for a piece unnecessary, so that a kernel of two equal halves takes more than twice as long as one of the first half.
pub fn mixture(seed: u64, instructions: usize, times: usize) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut pieces, mut left) = (Vec::new(), instructions);
    while left > 0 {
        let size = random.usize(1..=left.clamp(1, 40 + instructions / 4));
        left -= size.min(left);
        // Barriers and operations of all lanes need those that have left for the end.
        let shape = SHAPES[random.usize(..MIXED)];
        pieces.extend(
            Some((shape, size))
                .filter(|_| !matches!(shape, Shape::Barriers | Shape::Votes | Shape::Shuffles)),
        );
    }
    let mut text = HEAD.to_owned();
    let first: Vec<_> =
        SHAPES.into_iter().filter(|shape| pieces.iter().any(|(used, _)| used == shape)).collect();
    let first = first.into_iter().map(|shape| (shape, 1));
    let all = first.chain(pieces.iter().copied().cycle().take(times * pieces.len()));
    all.enumerate().for_each(|(number, (shape, size))| piece(&mut text, shape, number, size));
    text.push_str("END: st.global.u32 [a], x; ret; }\n");
    text
}

/// Appends a piece of about `size` instructions; `number` tells its labels from those of other pieces.
fn piece(text: &mut String, shape: Shape, number: usize, size: usize) {
    let n = number;
    let mut each = |per: usize, line: &dyn Fn(usize) -> String| {
        for c in 0..(size / per).max(1) {
            text.push_str(&line(c));
            text.push('\n');
        }
    };
    match shape {
        Shape::Straight => each(2, &|c| format!("mad.lo.u32 x, x, {}, {c}; xor.b32 y, y, x;", 2 * c + 3)),
        Shape::IfElse => each(5, &|c| {
            format!(
                "setp.gt.u32 q, x, {}; @q bra A{n}_{c}; add.u32 x, x, {c}; bra B{n}_{c}; A{n}_{c}: mul.lo.u32 x, x, 3; B{n}_{c}:",
                c * 77
            )
        }),
        Shape::Uniform => each(6, &|c| {
            format!(
                "setp.gt.u32 q, i, {}; @q bra A{n}_{c}; add.u32 x, x, {c}; bra B{n}_{c}; A{n}_{c}: mul.lo.u32 x, x, 3; B{n}_{c}: add.u32 i, i, 1;",
                c % 5
            )
        }),
        Shape::Exits => each(3, &|c| {
            format!("xor.b32 y, y, {}; setp.eq.u32 q, y, {}; @q bra END;", c * 77 + 1, c + 1_000_000)
        }),
        Shape::ExitsWithStores => each(5, &|c| {
            format!(
                "xor.b32 y, y, {}; setp.eq.u32 q, y, {}; @!q bra A{n}_{c}; st.global.u32 [a], {c}; exit; A{n}_{c}:",
                c * 7 + 1,
                c % 64
            )
        }),
        Shape::Switch | Shape::SwitchInLoop | Shape::Chain => switch(text, shape, n, size),
        Shape::Loops => each(5, &|c| {
            format!(
                "and.b32 y, x, 3; A{n}_{c}: add.u32 x, x, {c}; sub.u32 y, y, 1; setp.gt.s32 q, y, 0; @q bra A{n}_{c};"
            )
        }),
        Shape::Nests => each(12, &|c| {
            format!(
                "and.b32 y, x, 3; A{n}_{c}: and.b32 z, x, 1; B{n}_{c}: add.u32 x, x, {c}; setp.eq.u32 q, x, {}; @q bra C{n}_{c}; sub.u32 z, z, 1; \
                 setp.gt.s32 q, z, 0; @q bra B{n}_{c}; sub.u32 y, y, 1; setp.gt.s32 q, y, 0; @q bra A{n}_{c}; C{n}_{c}:",
                c * 3
            )
        }),
        Shape::Guards => each(2, &|c| format!("setp.gt.u32 q, x, {c}; @q add.u32 x, x, {c};")),
        Shape::Barriers => each(3, &|c| format!("bar.sync 0; st.shared.u32 [s], t; xor.b32 x, x, {c};")),
        Shape::Calls => each(6, &|_| "call (x), f, (x);".to_owned()),
        Shape::Accesses => {
            each(3, &|_| "ld.global.u32 y, [a]; add.u32 x, x, y; st.global.u32 [a], x;".to_owned());
        }
        Shape::Generic | Shape::Own => with_local_memory(text, shape, n, size),
        Shape::LongLoop => {
            let _ = writeln!(text, "mov.u32 i, 0; T{n}:");
            piece(text, Shape::Joins, n, size);
            let _ = writeln!(text, "add.u32 i, i, 1; setp.lt.u32 q, i, 2; @q bra T{n};");
        }
        Shape::LongWait => {
            let _ = writeln!(text, "mov.u32 i, 0; T{n}:");
            piece(text, Shape::Joins, n, size);
            let _ = writeln!(
                text,
                "add.u32 i, i, 1; ld.volatile.global.u32 y, [a]; and.b32 y, y, 0; add.u32 y, y, i; setp.lt.u32 q, y, 2; @q bra T{n};"
            );
        }
        Shape::Waits => each(8, &|c| {
            format!(
                "setp.gt.u32 q, x, {}; @q bra A{n}_{c}; add.u32 x, x, {c}; A{n}_{c}: xor.b32 x, x, 5;\n\
                 W{n}_{c}: ld.volatile.global.u32 y, [a]; and.b32 y, y, 0; setp.ne.u32 q, y, 0; @q bra W{n}_{c};",
                c * 77
            )
        }),
        Shape::Votes => each(5, &|c| {
            format!(
                "setp.gt.u32 q, x, {}; @q bra A{n}_{c}; add.u32 x, x, {c}; A{n}_{c}: vote.sync.ballot.b32 y, q, -1; add.u32 x, x, y;",
                c * 77
            )
        }),
        Shape::Shuffles => {
            each(2, &|c| format!("shfl.sync.bfly.b32 y, x, {}, 31, -1; add.u32 x, x, y;", c % 32));
        }
        Shape::Copies | Shape::Conditions | Shape::ConditionsBackward => chain(text, shape, n, size),
        Shape::Continues => {
            let _ = writeln!(text, "mov.u32 i, 0; T{n}: add.u32 i, i, 1; setp.gt.u32 q, i, 9; @q bra E{n};");
            for c in 0..(size / 4).max(1) {
                let _ = writeln!(
                    text,
                    "xor.b32 x, x, {c}; and.b32 y, x, 7; setp.eq.u32 q, y, {}; @q bra T{n};",
                    c % 8
                );
            }
            let _ = writeln!(text, "E{n}:");
        }
        Shape::DeepNests => deep(text, (size / 5).max(1), |c| {
            let head = format!("and.b32 y{n}_{c}, x, 1; A{n}_{c}: add.u32 x, x, {c};");
            let end = format!("sub.u32 y{n}_{c}, y{n}_{c}, 1; setp.gt.s32 q, y{n}_{c}, 0; @q bra A{n}_{c};");
            (Some(format!("y{n}_{c}")), head, end)
        }),
        Shape::DeepBranches => deep(text, (size / 4).max(1), |c| {
            let head = format!("xor.b32 x, x, {c}; setp.eq.u32 q, x, {}; @q bra A{n}_{c};", 77 * c);
            (None, head, format!("add.u32 x, x, 1; A{n}_{c}:"))
        }),
        Shape::Joins => {
            each(4, &|c| {
                format!(
                    "setp.gt.u32 q, x, {}; @q bra J{n}_{}; add.u32 x, x, {c}; J{n}_{c}: xor.b32 x, x, {c};",
                    c * 77,
                    c + 1
                )
            });
            let _ = writeln!(text, "J{n}_{}:", (size / 4).max(1));
        }
    }
}

/// Appends what is nested so deep: for each level its register, if it has one, what comes before the inner levels, and what comes after them.
fn deep(text: &mut String, levels: usize, level: impl Fn(usize) -> (Option<String>, String, String)) {
    let levels: Vec<_> = (0..levels).map(level).collect();
    levels
        .iter()
        .flat_map(|(register, ..)| register)
        .for_each(|name| _ = writeln!(text, ".reg .b32 {name};"));
    levels.iter().for_each(|(_, head, _)| _ = writeln!(text, "{head}"));
    levels.iter().rev().for_each(|(_, _, end)| _ = writeln!(text, "{end}"));
}

/// Appends a chain of registers, each of which follows from the one before it: by a copy, or by a branch.
fn chain(text: &mut String, shape: Shape, n: usize, size: usize) {
    let count = match shape {
        Shape::Copies => (size / 2).max(1),
        _ => (size / 4).max(1),
    };
    let _ = writeln!(text, ".reg .b32 r{n}_<{}>;", count + 1);
    let loops = shape != Shape::Conditions;
    if loops {
        (0..=count).for_each(|c| _ = writeln!(text, "mov.u32 r{n}_{c}, 0;"));
        let _ = writeln!(text, "mov.u32 i, 0; T{n}:");
    } else {
        let _ = writeln!(text, "mov.u32 r{n}_0, x;");
    }
    for c in 0..count {
        // The chain begins with the last register if it is against the order.
        let (to, from) = if loops { (c, c + 1) } else { (c + 1, c) };
        let _ = match shape {
            Shape::Copies => writeln!(text, "mov.b32 r{n}_{to}, r{n}_{from};"),
            _ => writeln!(
                text,
                "setp.eq.u32 q, r{n}_{from}, {}; mov.u32 r{n}_{to}, 1; @q bra A{n}_{c}; mov.u32 r{n}_{to}, 2; A{n}_{c}:",
                c % 3
            ),
        };
    }
    if loops {
        let _ = writeln!(text, "mov.u32 r{n}_{count}, x; add.u32 i, i, 1; setp.lt.u32 q, i, 3; @q bra T{n};");
    }
    let _ = writeln!(text, "add.u32 x, x, r{n}_{};", if loops { 0 } else { count });
}

/// Appends accesses through generic addresses, some of which are of local memory.
fn with_local_memory(text: &mut String, shape: Shape, n: usize, size: usize) {
    text.push_str("{ .local .align 8 .b8 d[64]; .reg .b64 e, c; mov.u64 e, d; cvta.local.u64 e, e;\n");
    let per = if shape == Shape::Own { 14 } else { 8 };
    for c in 0..(size / per).max(1) {
        let _ = match shape {
            Shape::Own => writeln!(
                text,
                "st.volatile.u32 [e+16], 2; W{n}_{c}: ld.volatile.u32 y, [e+16]; sub.u32 y, y, 1; add.u32 x, x, {c}; st.volatile.u32 [e+16], y; setp.gt.s32 q, y, 0;\n\
                 @q bra W{n}_{c}; add.u64 c, e, {}; st.u32 [c], x; {{ .param .b64 v; st.param.b64 [v], c; call g, (v); }} ld.u32 x, [c];",
                4 * (c % 16)
            ),
            _ => writeln!(
                text,
                "and.b32 y, x, {}; setp.eq.u32 q, y, 0; selp.b64 c, e, a, q; ld.u32 y, [c]; st.u32 [e+{}], x; add.u32 x, x, y; st.volatile.u32 [c], x; ld.u64 b, [e+{}];",
                c % 8,
                8 * (c % 6),
                8 * (c % 7)
            ),
        };
    }
    text.push_str("}\n");
}

/// Appends branches to one of many targets.
fn switch(text: &mut String, shape: Shape, n: usize, size: usize) {
    let (count, is_chain) = match shape {
        Shape::Chain => ((size / 4).max(1), true),
        _ => ((size / 2).max(1), false),
    };
    if shape == Shape::SwitchInLoop {
        let _ = writeln!(text, "mov.u32 i, 0; T{n}:");
    }
    if is_chain {
        (0..count).for_each(|c| _ = writeln!(text, "setp.eq.u32 q, x, {c}; @q bra C{n}_{c};"));
        let _ = writeln!(text, "bra E{n};");
    } else {
        let targets: Vec<String> = (0..count).map(|c| format!("C{n}_{c}")).collect();
        let _ = writeln!(
            text,
            "min.u32 t, x, {}; S{n}: .branchtargets {}; brx.idx t, S{n};",
            count - 1,
            targets.join(", ")
        );
    }
    (0..count).for_each(|c| _ = writeln!(text, "C{n}_{c}: mad.lo.u32 x, x, {}, {c}; bra E{n};", 2 * c + 3));
    let _ = writeln!(text, "E{n}:");
    if shape == Shape::SwitchInLoop {
        let _ = writeln!(text, "and.b32 x, x, 63; add.u32 i, i, 1; setp.lt.u32 q, i, 5; @q bra T{n};");
    }
}

/// What came of compiling and executing a kernel.
#[derive(Debug)]
pub struct Measured {
    /// Processor time of compilation.
    pub compiled: Duration,
    /// Whether both engines leave the same.
    pub is_right: bool,
}

/// Compiles a kernel of this module for the host CPU, and executes it with 96 threads in both engines.
///
/// # Errors
/// The kernel is not valid or not compiled, or an engine does not finish it.
pub fn measure(text: &str) -> Result<Measured> {
    let source = SourceFile::new("control_flow.ptx", text.to_owned());
    let module = stage::read(&source)?;
    let mut launch = Launch::new("k");
    (launch.grid, launch.block) = ([1, 1, 1], [96, 1, 1]);
    launch.limits.timeout = Some(Duration::from_secs(60));
    let input =
        (0..96_u32).flat_map(|thread| (thread.wrapping_mul(2_654_435_761) >> (thread % 29)).to_le_bytes());
    launch.arguments = vec![Argument::Buffer(input.collect())];
    let decoded = || -> Result<_> {
        let verified = stage::verify(&module, &source)?;
        let decoded =
            DecodedLaunch::at_host_addresses(verified, &launch).map_err(|error| anyhow!("{error}"))?;
        Ok(decoded.load())
    };
    let left =
        |loaded: &LoadedLaunch<'_>| loaded.outcome(Executed::default()).buffers.into_iter().flatten().next();
    let (interpreted, loaded) = (decoded()?, decoded()?);
    interpreted.launch().map_err(|error| anyhow!("interpreted: {error}"))?;
    let compiler = Compiler::new(Cpu::host()?)?;
    let launched = Launched::blocks(launch.block);
    let kernels = Kernels::new(Options::default());
    let (kernel, compiled) = timed(|| compiler.kernel(&kernels, loaded.program(), &launched));
    let kernel = kernel.map_err(|error| match error {
        CompileError::Refused(refusal) => anyhow!("not compiled: {}", refusal.why),
        CompileError::Llvm(error) => anyhow!("LLVM refuses the code: {error}"),
    })?;
    let setup = loaded.set_up().map_err(|error| anyhow!("{error}"))?;
    ptx_host::launch(&kernel, &setup).result.map_err(|error| anyhow!("compiled: {error}"))?;
    let (expected, actual) = (left(&interpreted), left(&loaded));
    ensure!(expected.is_some(), "the launch has no buffer");
    Ok(Measured { compiled, is_right: expected == actual })
}

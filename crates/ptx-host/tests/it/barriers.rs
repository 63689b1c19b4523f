//! Kernels whose warps wait for each other, and launches that are stopped: both engines leave the same bytes, or the same error.

use std::num::NonZeroUsize;
use std::time::Duration;

use ptx_diag::SourceFile;
use ptx_exec::{Argument, DecodedLaunch, ExecError, Launch, LoadedLaunch, TrapKind};
use ptx_host::analysis::Launched;
use ptx_host::{Compiler, Kernels};
use ptx_llvm_core::host::Cpu;

const WORDS: usize = 4096;

fn source(body: &str) -> SourceFile {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<30>;\n.reg .b64 %rd<12>;\n.shared .align 8 .b8 s[4096];\n\
         ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];\n\
         mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n\
         mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; mov.u32 %r20, s; shl.b32 %r21, %r4, 2;\n\
         add.u32 %r22, %r20, %r21;\n{body}\n}}\n"
    );
    SourceFile::new("k.ptx", text)
}

fn input() -> Vec<u8> {
    (0..WORDS as u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect()
}

pub fn launch(grid: u32, block: u32, n: u32) -> Launch {
    let mut launch = Launch::new("k");
    (launch.grid, launch.block) = ([grid, 1, 1], [block, 1, 1]);
    launch.limits.timeout = Some(Duration::from_secs(120));
    launch.arguments = vec![
        Argument::Buffer(vec![0xa5; 4 * WORDS]),
        Argument::Buffer(input()),
        Argument::Bytes(n.to_le_bytes().to_vec()),
    ];
    launch
}

/// What the buffers hold at the end.
fn contents(loaded: &LoadedLaunch<'_>) -> Vec<Option<Vec<u8>>> {
    loaded.outcome(ptx_exec::Executed::default()).buffers
}

/// Both engines: what the interpreter leaves, and the compiled kernel.
pub fn both(body: &str, launch: &Launch) -> [Result<Vec<Option<Vec<u8>>>, ExecError>; 2] {
    let source = source(body);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let verified = || ptx_verify::verify(&module).expect("valid PTX").0;
    let interpreted = DecodedLaunch::new(verified(), launch).expect("a kernel").load();
    let interpreted = interpreted.launch().map(|_| contents(&interpreted));
    let loaded = DecodedLaunch::at_host_addresses(verified(), launch).expect("a kernel").load();
    let compiler = Compiler::new(Cpu::host().expect("LLVM 22")).expect("a linker");
    let launched = Launched::blocks(launch.block);
    let kernel = compiler.kernel(&Kernels::default(), loaded.program(), &launched).expect("compiled");
    let compiled = crate::common::execute(&kernel, &loaded).map(|_| contents(&loaded));
    [interpreted, compiled]
}

/// Both engines leave the same bytes, on one host thread and on two.
pub fn agree(body: &str, grid: u32, block: u32, n: u32) -> Vec<u32> {
    let mut words = Vec::new();
    for threads in [1, 2] {
        let mut launch = launch(grid, block, n);
        launch.threads = NonZeroUsize::new(threads);
        let [interpreted, compiled] = both(body, &launch).map(|result| result.expect("it is not stopped"));
        assert!(interpreted == compiled, "{body}");
        let bytes = compiled[0].clone().expect("a buffer");
        words = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
    }
    words
}

/// Both engines stop with the same error; gives what it is.
pub fn stop_alike(body: &str, launch: &Launch) -> TrapKind {
    let [interpreted, compiled] = both(body, launch).map(|result| result.map(drop).expect_err(body));
    assert_eq!(interpreted, compiled, "{body}");
    match compiled {
        ExecError::Trap(trap) => trap.kind,
        ExecError::Refused(findings) => panic!("{findings:?}"),
    }
}

/// The sum of each block's inputs, by halves: in the end word `tid` of the block has the sum of those that it added up.
const REDUCE: &str = "ld.global.u32 %r6, [%rd5]; st.shared.u32 [%r22], %r6; shr.u32 %r7, %r3, 1;\n\
    again: bar.sync 0; setp.eq.u32 %p1, %r7, 0; @%p1 bra finish; setp.ge.u32 %p2, %r4, %r7; @%p2 bra next;\n\
    shl.b32 %r8, %r7, 2; add.u32 %r9, %r22, %r8; ld.shared.u32 %r10, [%r9]; ld.shared.u32 %r11, [%r22]; add.u32 %r11, %r11, %r10;\n\
    st.shared.u32 [%r22], %r11; next: shr.u32 %r7, %r7, 1; bra.uni again;\n\
    finish: ld.shared.u32 %r12, [%r20]; st.global.u32 [%rd4], %r12; ret;";

#[test]
fn blocks_add_up() {
    for block in [32, 64, 256, 512] {
        let words = agree(REDUCE, 4, block, 0);
        for number in 0..4 {
            let of_block = |thread: u32| (number * block + thread).wrapping_mul(2_654_435_761) >> 7;
            let sum = (0..block).map(of_block).fold(0u32, u32::wrapping_add);
            assert_eq!(words[(number * block) as usize], sum, "block {number} of {block} threads");
        }
    }
}

#[test]
fn inclusive_sums_with_partial_warps() {
    // Each step adds what is 1, 2, 4 .. places before; two barriers a step.
    let body = "ld.global.u32 %r6, [%rd5]; st.shared.u32 [%r22], %r6; mov.u32 %r7, 1;\n\
        again: setp.ge.u32 %p1, %r7, %r3; @%p1 bra finish; bar.sync 0; mov.u32 %r10, 0; setp.lt.u32 %p2, %r4, %r7; @%p2 bra none;\n\
        shl.b32 %r8, %r7, 2; sub.u32 %r9, %r22, %r8; ld.shared.u32 %r10, [%r9]; none: bar.sync 0; add.u32 %r6, %r6, %r10;\n\
        st.shared.u32 [%r22], %r6; shl.b32 %r7, %r7, 1; bra.uni again; finish: st.global.u32 [%rd4], %r6; ret;";
    for block in [1, 33, 96, 250] {
        let words = agree(body, 3, block, 0);
        let mut sum = 0u32;
        for thread in 0..block {
            sum = sum.wrapping_add((2 * block + thread).wrapping_mul(2_654_435_761) >> 7);
            assert_eq!(words[(2 * block + thread) as usize], sum, "thread {thread} of {block}");
        }
    }
}

#[test]
fn reductions_of_predicates() {
    let body = "ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 1; setp.eq.u32 %p1, %r7, 1; setp.lt.u32 %p2, %r4, %r1;\n\
        barrier.cta.red.popc.aligned.u32 %r8, 0, %p1; bar.red.and.pred %p3, 1, %p2; bar.red.or.pred %p4, 2, 128, %p2;\n\
        selp.u32 %r9, 1000, 0, %p3; selp.u32 %r10, 10000, 0, %p4; add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, %r10;\n\
        st.global.u32 [%rd4], %r8; ret;";
    for n in [0, 1, 127, 128] {
        let words = agree(body, 2, 128, n);
        let odd = (0..128u32).filter(|i| i.wrapping_mul(2_654_435_761) >> 7 & 1 == 1).count() as u32;
        let wanted = odd + if n == 128 { 1000 } else { 0 } + if n > 0 { 10000 } else { 0 };
        assert_eq!(words[0], wanted, "n = {n}");
    }
    let part = "setp.lt.u32 %p2, %r4, 40; bar.red.popc.u32 %r8, 0, %p2; st.global.u32 [%rd4], %r8; ret;";
    assert_eq!(agree(part, 1, 77, 0)[76], 40);
}

#[test]
fn producers_and_consumers_at_named_barriers() {
    // Warp 0 writes, warps 1 to 3 read; barrier 1 tells that there is something, barrier 2 that there is room.
    let body = "mov.u32 %r6, 0; shr.u32 %r7, %r4, 5; and.b32 %r8, %r4, 31; shl.b32 %r9, %r8, 2; add.u32 %r9, %r20, %r9; mov.u32 %r10, 0;\n\
        setp.ne.u32 %p1, %r7, 0; @%p1 bra reader;\n\
        writer: mad.lo.u32 %r11, %r6, 100, %r8; st.shared.u32 [%r9], %r11; bar.arrive 1, 128; bar.sync 2, 128; add.u32 %r6, %r6, 1;\n\
        setp.lt.u32 %p2, %r6, 5; @%p2 bra writer; bra.uni finish;\n\
        reader: bar.sync 1, 128; ld.shared.u32 %r12, [%r9]; add.u32 %r10, %r10, %r12; bar.arrive 2, 128; add.u32 %r6, %r6, 1;\n\
        setp.lt.u32 %p3, %r6, 5; @%p3 bra reader; finish: st.global.u32 [%rd4], %r10; ret;";
    let words = agree(body, 2, 128, 0);
    // 5 rounds of 100 * round + lane.
    assert_eq!((words[31], words[32], words[127]), (0, 1000, 1000 + 5 * 31));
}

#[test]
fn what_lives_across_barriers_is_each_warps_own() {
    // A counter and sums of each thread, an address that follows from an index, one row that only some lanes write (zero elsewhere), two
    // barriers of which a loop takes one or the other, threads that exit before and between them, and partial warps.
    let body = "setp.ge.u32 %p1, %r5, %r1; @%p1 ret; mov.u32 %r6, 0; mov.u32 %r7, %r4; and.b32 %r8, %r4, 3; setp.eq.u32 %p2, %r8, 1;\n\
                @%p2 mov.u32 %r9, 77; mov.u64 %rd6, %rd5; st.shared.u32 [%r22], %r4;\n\
                again: and.b32 %r10, %r6, 1; setp.eq.u32 %p3, %r10, 0; @%p3 bra even; bar.sync 3; xor.b32 %r11, %r4, 32; bra.uni next;\n\
                even: bar.sync 3; xor.b32 %r11, %r4, 1;\n\
                next: shl.b32 %r12, %r11, 2; add.u32 %r12, %r12, %r20; ld.shared.u32 %r13, [%r12]; add.u32 %r7, %r7, %r13;\n\
                ld.global.u32 %r14, [%rd6]; add.u32 %r7, %r7, %r14; add.s64 %rd6, %rd6, 4; bar.sync 3; st.shared.u32 [%r22], %r7;\n\
                add.u32 %r6, %r6, 1; setp.gt.u32 %p4, %r4, 250; @%p4 bra done; setp.lt.u32 %p5, %r6, 5; @%p5 bra again;\n\
                done: mad.lo.u32 %r7, %r9, 3, %r7; st.global.u32 [%rd4], %r7; ret;";
    for (block, n) in [(256, 4096), (96, 4096), (75, 4096), (256, 700), (32, 4096), (20, 30), (512, 600)] {
        agree(body, 3, block, n);
    }
}

#[test]
fn threads_that_exit_are_not_waited_for() {
    let body = "setp.ge.u32 %p1, %r4, %r1; @%p1 exit; st.shared.u32 [%r22], %r4; bar.sync 0; sub.u32 %r6, %r1, %r4; sub.u32 %r6, %r6, 1;\n\
        shl.b32 %r6, %r6, 2; add.u32 %r6, %r20, %r6; ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd4], %r7; ret;";
    for n in [0, 1, 32, 45, 64, 100] {
        let words = agree(body, 2, 128, n);
        assert_eq!(words.first().copied(), Some(n.checked_sub(1).unwrap_or(0xa5a5_a5a5)), "n = {n}");
    }
    // They exit after the others came to the barrier, in the same warp and in others.
    let late = "setp.lt.u32 %p1, %r4, %r1; @%p1 bra wait; mov.u32 %r6, 0; again: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 50; @%p2 bra again;\n\
        st.global.u32 [%rd4], %r6; exit; wait: bar.sync 0; st.global.u32 [%rd4], %r4; ret;";
    for n in [0, 5, 40, 96] {
        let words = agree(late, 1, 96, n);
        assert!((0..96).all(|i| words[i as usize] == if i < n { i } else { 50 }), "n = {n}");
    }
}

#[test]
fn threads_of_a_warp_come_to_one_barrier_by_different_ways() {
    let body = "and.b32 %r6, %r4, 1; setp.eq.u32 %p1, %r6, 1; @%p1 bra odd; mov.u32 %r7, 7; bra.uni on; odd: mov.u32 %r7, 9;\n\
        on: st.shared.u32 [%r22], %r7; bar.sync 0; xor.b32 %r8, %r21, 4; add.u32 %r8, %r20, %r8; ld.shared.u32 %r9, [%r8];\n\
        st.global.u32 [%rd4], %r9; ret;";
    let words = agree(body, 1, 64, 0);
    assert_eq!(words[..4], [9, 7, 9, 7]);
}

#[test]
fn guards_that_are_true_for_whole_warps() {
    let body = "shr.u32 %r6, %r4, 5; setp.eq.u32 %p1, %r6, 0; st.shared.u32 [%r22], %r4; @%p1 bar.sync 3, 32; @!%p1 bar.sync 4, 64;\n\
        bar.sync 0; xor.b32 %r8, %r21, 128; add.u32 %r8, %r20, %r8; mov.u32 %r9, 5; @%p1 ld.shared.u32 %r9, [%r8]; st.global.u32 [%rd4], %r9; ret;";
    assert_eq!(agree(body, 1, 96, 0)[..2], [32, 33]);
    let given = "shr.u32 %r6, %r4, 5; add.u32 %r7, %r6, 1; barrier.sync.aligned %r7, 32; st.global.u32 [%rd4], %r7; ret;";
    assert_eq!(agree(given, 1, 96, 0)[95], 3);
}

#[test]
fn special_registers_of_the_launch() {
    let body = "mov.u32 %r6, %total_smem_size; mov.u32 %r7, %dynamic_smem_size; mad.lo.u32 %r6, %r7, 100000, %r6; mov.u32 %r8, %clusterid.x;\n\
        mov.u32 %r9, %nclusterid.x; mad.lo.u32 %r6, %r8, 7, %r6; mad.lo.u32 %r6, %r9, 1000, %r6; mov.u32 %r10, %cluster_nctarank;\n\
        add.u32 %r6, %r6, %r10; mov.u32 %r11, %cluster_ctaid.y; add.u32 %r6, %r6, %r11; st.global.u32 [%rd4], %r6; ret;";
    // 4096 bytes, block 1 of 2 with one block in a cluster.
    assert_eq!(agree(body, 2, 32, 0)[40], 4096 + 7 + 2000 + 1);
    // Clocks go on.
    let clocks = "mov.u64 %rd6, %globaltimer; mov.u64 %rd7, %clock64; nanosleep.u32 5; again: mov.u64 %rd8, %globaltimer; mov.u64 %rd9, %clock64;\n\
        setp.eq.u64 %p1, %rd8, %rd6; @%p1 bra again; setp.gt.u64 %p2, %rd8, %rd6; setp.gt.u64 %p3, %rd9, %rd7; selp.u32 %r6, 1, 0, %p2; selp.u32 %r7, 2, 0, %p3;\n\
        or.b32 %r6, %r6, %r7; st.global.u32 [%rd4], %r6; ret;";
    assert_eq!(agree(clocks, 1, 32, 0)[..32], [3; 32]);
}

#[test]
fn asynchronous_copies() {
    // Each thread copies 16 bytes, then stores the word `tid / 16` of the thread `tid ^ 1`.
    let read = "cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all; bar.sync 0; xor.b32 %r12, %r4, 1; shl.b32 %r13, %r12, 4;\n\
        add.u32 %r13, %r20, %r13; shr.u32 %r14, %r4, 4; shl.b32 %r14, %r14, 2; add.u32 %r13, %r13, %r14; ld.shared.u32 %r15, [%r13];\n\
        st.global.u32 [%rd4], %r15; ret;";
    let places = "shl.b32 %r6, %r4, 4; add.u32 %r7, %r20, %r6; cvt.u64.u32 %rd6, %r6; add.s64 %rd7, %rd2, %rd6; st.shared.u32 [%r22], %r4; bar.sync 0;";
    let input = |word: u32| word.wrapping_mul(2_654_435_761) >> 7;
    let expected = |kept: &dyn Fn(u32) -> u32| -> Vec<u32> {
        let word = |thread: u32| {
            let (other, word) = (thread ^ 1, thread / 16);
            // The bytes that are copied, from the lowest on; the others are zero.
            let bytes = kept(other).saturating_sub(4 * word).min(4);
            (u64::from(input(4 * other + word)) & ((1 << (8 * bytes)) - 1)) as u32
        };
        (0..64).map(word).collect()
    };
    let run = |copy: &str| agree(&format!("{places} {copy} {read}"), 1, 64, 0)[..64].to_vec();
    assert_eq!(run("cp.async.cg.shared.global [%r7], [%rd7], 16;"), expected(&|_| 16));
    let by_words = "cp.async.ca.shared.global [%r7], [%rd7], 4; cp.async.ca.shared.global [%r7+4], [%rd7+4], 4; cp.async.ca.shared.global [%r7+8], [%rd7+8], 8;";
    assert_eq!(run(by_words), expected(&|_| 16));
    assert_eq!(
        run("and.b32 %r8, %r4, 31; cp.async.cg.shared.global [%r7], [%rd7], 16, %r8;"),
        expected(&|thread| thread % 32)
    );
    // Where the predicate is true nothing is copied, and the address may be any.
    let ignored = "setp.gt.u32 %p1, %r4, 37; mov.u64 %rd8, %rd7; @%p1 mov.u64 %rd8, 0; cp.async.cg.shared.global [%r7], [%rd8], 16, %p1;";
    assert_eq!(run(ignored), expected(&|thread| if thread > 37 { 0 } else { 16 }));
    // Threads for which the guard is false leave what was there: the first word is a thread's number.
    let guarded = "setp.lt.u32 %p1, %r4, 5; @%p1 cp.async.cg.shared.global [%r7], [%rd7], 16;";
    let words = run(guarded);
    assert_eq!((words[0], words[1], words[8]), (input(4), input(0), 36));
}

#[test]
fn warps_that_no_one_comes_to_are_a_deadlock() {
    let body = "setp.lt.u32 %p1, %r4, 32; @%p1 bra other; bar.sync 1, 96; bra.uni finish; other: bar.sync 2, 64; finish: ret;";
    assert!(matches!(stop_alike(body, &launch(2, 64, 0)), TrapKind::Deadlock(_)));
    let alone = "bar.sync 1, 64; ret;";
    let TrapKind::Deadlock(text) = stop_alike(alone, &launch(1, 32, 0)) else { panic!() };
    assert!(text.ends_with("wait at barrier 1, to which 32 of 64 threads have come"), "{text}");
    let one_short = "setp.eq.u32 %p1, %r4, 0; @%p1 bra spin; bar.sync 0; ret; spin: bar.sync 1; ret;";
    assert!(matches!(stop_alike(one_short, &launch(1, 64, 0)), TrapKind::Misuse(_)));
}

#[test]
fn misuse_is_told_as_the_interpreter_does() {
    for body in [
        // Different barriers in a warp, one of them twice in the text.
        "setp.lt.u32 %p1, %r4, 16; @%p1 bra a; bar.sync 0; bra.uni finish; a: bar.sync 0; finish: ret;",
        "setp.lt.u32 %p1, %r4, 16; @%p1 bar.sync 0; ret;",
        "bar.sync %r1; ret;",
        "bar.sync 1, %r1; ret;",
        "barrier.sync.aligned %r4, 64; ret;",
        "mov.u32 %r6, 64; setp.lt.u32 %p1, %r4, 32; @%p1 mov.u32 %r6, 32; @!%p1 mov.u32 %r6, 96; bar.sync 1, %r6; bar.sync 1, 96; ret;",
    ] {
        let mut launch = launch(1, 64, 17);
        launch.threads = NonZeroUsize::new(1);
        let kind = stop_alike(body, &launch);
        assert!(matches!(kind, TrapKind::Misuse(_) | TrapKind::Deadlock(_)), "{body}: {kind:?}");
    }
}

#[test]
fn the_first_block_that_is_stopped_is_told() {
    // Block 1 is stopped late, blocks from 3 on at once.
    let body = "setp.lt.u32 %p1, %r2, 1; @%p1 ret; setp.gt.u32 %p1, %r2, 2; @%p1 trap; mov.u32 %r6, 0;\n\
        again: bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 2000; @%p2 bra again; setp.eq.u32 %p3, %r2, 1; @%p3 trap; ret;";
    let mut launch = launch(50, 64, 0);
    launch.threads = NonZeroUsize::new(1);
    assert_eq!(stop_alike(body, &launch), TrapKind::Trap);
}

#[test]
fn loops_end_with_the_time() {
    for body in [
        // With barriers and without, all lanes and some of them.
        "spin: add.u32 %r6, %r6, 1; bar.sync 0; setp.ge.u32 %p1, %r4, 0; @%p1 bra spin; ret;",
        "spin: add.u32 %r6, %r6, 1; setp.ne.u32 %p1, %r1, 5; @%p1 bra spin; st.global.u32 [%rd4], %r6; ret;",
        "spin: setp.eq.u32 %p1, %r4, 33; @%p1 bra spin; ret;",
    ] {
        let mut launch = launch(3, 64, 0);
        launch.limits.timeout = Some(Duration::from_millis(60));
        let begin = std::time::Instant::now();
        let [interpreted, compiled] =
            both(body, &launch).map(|result| result.map(drop).expect_err("it is stopped"));
        assert!(begin.elapsed() < Duration::from_secs(120), "{body}");
        let kind = |error: &ExecError| match error {
            ExecError::Trap(trap) => (trap.kind.clone(), trap.kernel.clone(), trap.span.is_some()),
            ExecError::Refused(findings) => panic!("{findings:?}"),
        };
        assert_eq!(kind(&compiled), (TrapKind::Timeout, "k".to_owned(), true), "{body}");
        assert_eq!(kind(&interpreted), kind(&compiled), "{body}");
    }
}

#[test]
fn many_launches_of_one_kernel() {
    let source = source(REDUCE);
    let (module, _) = ptx_syntax::parse(&source);
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let mut launch = launch(8, 256, 0);
    launch.threads = NonZeroUsize::new(2);
    let loaded = DecodedLaunch::at_host_addresses(verified, &launch).expect("a kernel").load();
    let compiler = Compiler::new(Cpu::host().expect("LLVM 22")).expect("a linker");
    let kernels = Kernels::default();
    let launched = Launched::blocks(launch.block);
    let first = compiler.kernel(&kernels, loaded.program(), &launched).expect("compiled");
    let mut expected = None;
    for _ in 0..2000 {
        let again = compiler.kernel(&kernels, loaded.program(), &launched).expect("compiled");
        assert!(std::sync::Arc::ptr_eq(&first, &again), "it is compiled once");
        crate::common::execute(&again, &loaded).expect("it is not stopped");
        let found = contents(&loaded);
        assert!(*expected.get_or_insert(found.clone()) == found);
    }
}

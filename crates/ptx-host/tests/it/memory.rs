//! Accesses that compiled code checks: each fault that the interpreter tells is told alike, at the same addresses, and nothing else is. What is expected
//! follows from the kernels: buffers have 2048 bytes, and each kernel has one mistake.

use crate::common::{Case, checked_alike, execute, processors};
use ptx_exec::engine::Interpretation;
use ptx_exec::{Argument, DecodedLaunch, Executed, Launch};
use ptx_host::analysis::Launched;
use ptx_host::{Kernel, Options, Rest};
use ptx_llvm_core::host::Jit;

/// Launches in both engines, in memory at the same addresses; gives what stops it. The grid is executed by one host thread.
fn checked(case: &Case<'_>) -> Option<String> {
    let module = case.module();
    let mut launch = case.launch();
    launch.threads = Some(std::num::NonZeroUsize::MIN);
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let decoded = DecodedLaunch::at_host_addresses(verified, &launch).expect("decoded");
    let loaded = decoded.load();
    let outcome = |loaded: &ptx_exec::LoadedLaunch<'_>| loaded.outcome(Executed::default()).buffers;
    let expected = loaded.launch().map(|executed| (executed.output, outcome(&loaded)));
    for cpu in processors() {
        let jit = Jit::new(&cpu).expect("a linker");
        let options = Options::default().with_check_memory(true);
        let launched = Launched::blocks(case.block);
        let kernel = Kernel::compile_with(loaded.program(), &launched, &cpu, &jit, &options);
        let kernel = kernel.expect("compiled");
        let actual = execute(&kernel, &loaded).map(|executed| (executed.output, outcome(&loaded)));
        assert!(actual == expected, "{}: {}\n{actual:#?}\n{expected:#?}", cpu.name, case.body);
    }
    expected.err().map(|error| error.to_string())
}

/// The same where each launch has memory of its own, as one takes from the heap what the next one does not get: without the addresses in the texts.
fn checked_apart(case: &Case<'_>) -> Option<String> {
    checked_of(case, |_| {})
}

/// The same of a launch that is changed before.
fn checked_of(case: &Case<'_>, change: impl FnOnce(&mut Launch)) -> Option<String> {
    let module = case.module();
    let mut launch = case.launch();
    change(&mut launch);
    let mut texts = Vec::new();
    for cpu in [None].into_iter().chain(processors().into_iter().map(Some)) {
        let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
        let decoded = DecodedLaunch::at_host_addresses(verified, &launch).expect("decoded");
        let loaded = decoded.load();
        let result = match cpu {
            None => loaded.launch(),
            Some(cpu) => {
                let jit = Jit::new(&cpu).expect("a linker");
                let options = Options::default().with_check_memory(true);
                let launched = Launched::blocks(case.block);
                let kernel = Kernel::compile_with(loaded.program(), &launched, &cpu, &jit, &options);
                execute(&kernel.expect("compiled"), &loaded)
            }
        };
        let text = result.err().map(|error| error.to_string());
        let is_address = |word: &&str| !word.starts_with("0x");
        texts.push(text.map(|text| text.split(' ').filter(is_address).collect::<Vec<_>>().join(" ")));
    }
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:#?}\n{}", case.body);
    texts.swap_remove(0)
}

/// What stops a kernel of so many blocks and threads begins and goes on like this.
fn stops(case: &Case<'_>, parts: &[&str]) {
    let text = checked(case).unwrap_or_else(|| panic!("it runs: {}", case.body));
    for part in parts {
        assert!(text.contains(part), "{part}: {text}\n{}", case.body);
    }
}

fn warp_stops(body: &str, parts: &[&str]) {
    stops(&Case::warp(body), parts);
}

fn runs(case: &Case<'_>) {
    assert_eq!(checked(case), None, "{}", case.body);
}

/// Variables of each kind.
const VARIABLES: &str =
    ".const .align 8 .b8 fixed[32];\n.global .align 8 .b8 table[24];\n.shared .align 16 .b8 room[1024];\n";

#[test]
fn plain_accesses_of_buffers_are_checked() {
    // 512 words: threads of the third block of 256.
    let body = "st.global.u32 [%rd4], %r5; ret;";
    let case = Case { grid: 3, block: [256, 1, 1], ..Case::warp(body) };
    stops(
        &case,
        &[
            "access of 4 bytes at 0x",
            "in .global memory is out of bounds",
            "block (2, 0, 0), thread (0, 0, 0)",
        ],
    );
    runs(&Case { grid: 2, ..case });
    // The middle of a warp.
    let body = "ld.global.u32 %r6, [%rd5+1996]; st.global.u32 [%rd1], %r6; ret;";
    warp_stops(
        body,
        &["access of 4 bytes", "thread (13, 0, 0)", "offset 2048 of argument 1 (`in`), which has 2048 bytes"],
    );
    // Before the beginning, and with a stride downwards.
    let body = "sub.s64 %rd6, %rd5, 40; ld.global.u32 %r6, [%rd6]; st.global.u32 [%rd1], %r6; ret;";
    warp_stops(body, &["thread (0, 0, 0)"]);
    let body = "sub.s64 %rd6, %rd2, %rd3; ld.global.u32 %r6, [%rd6+80]; st.global.u32 [%rd1], %r6; ret;";
    warp_stops(body, &["thread (21, 0, 0)"]);
    // Vectors of elements.
    let body = "mul.wide.u32 %rd6, %r5, 16; add.s64 %rd6, %rd6, %rd2; ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd6+1600];\n\
                add.u32 %r6, %r6, %r9; st.global.u32 [%rd4], %r6; ret;";
    warp_stops(body, &["access of 4 bytes", "thread (28, 0, 0)"]);
    // An index that wraps around in the warp: 2^32 - 16 and further.
    let body = "add.u32 %r6, %r4, -16; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd6, %rd6, %rd2; ld.global.u32 %r7, [%rd6];\n\
                st.global.u32 [%rd4], %r7; ret;";
    warp_stops(body, &["thread (0, 0, 0)"]);
}

#[test]
fn lanes_that_do_not_run_may_have_any_address() {
    let body = "setp.lt.u32 %p1, %r5, %r1; @%p1 bra go; ret; go: ld.global.u32 %r6, [%rd5+1000]; st.global.u32 [%rd4], %r6; ret;";
    runs(&Case { grid: 2, block: [256, 1, 1], n: 262, ..Case::warp(body) });
    let case = Case { grid: 2, block: [256, 1, 1], n: 263, ..Case::warp(body) };
    stops(&case, &["block (1, 0, 0), thread (6, 0, 0)"]);
    // A guard; no lane at all.
    let body = "setp.lt.u32 %p1, %r5, %r1; @%p1 ld.global.u32 %r6, [%rd5+1948]; @%p1 st.global.u32 [%rd4], %r6; ret;";
    runs(&Case { n: 25, ..Case::warp(body) });
    runs(&Case { n: 0, ..Case::warp(body) });
    stops(&Case { n: 26, ..Case::warp(body) }, &["thread (25, 0, 0)"]);
    let body = "setp.eq.u32 %p1, %r1, 1; mov.u64 %rd6, 8; @%p1 st.global.u32 [%rd6], %r1; ret;";
    runs(&Case { n: 0, ..Case::warp(body) });
    stops(&Case { n: 1, ..Case::warp(body) }, &["it is 8 bytes after a null pointer"]);
}

#[test]
fn addresses_that_depend_on_data_are_checked() {
    let body = "ld.global.u32 %r6, [%rd5]; and.b32 %r6, %r6, 511; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd7, %rd2, %rd6;\n\
                ld.global.u32 %r7, [%rd7]; st.global.u32 [%rd4], %r7; ret;";
    runs(&Case { grid: 2, block: [128, 1, 1], ..Case::warp(body) });
    let body = "mul.lo.u32 %r6, %r4, %r4; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r4; ret;";
    // 23 * 23 is the first square above 511.
    warp_stops(body, &["access of 4 bytes", "thread (23, 0, 0)", "offset 2116 of argument 0 (`out`)"]);
    // Two buffers in turn.
    let body = "mov.u32 %r6, 0; again: and.b32 %r7, %r6, 1; setp.eq.u32 %p1, %r7, 0; selp.b64 %rd6, %rd5, %rd4, %p1;\n\
                ld.global.u32 %r8, [%rd6]; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 9; @%p2 bra again; st.global.u32 [%rd4], %r8; ret;";
    runs(&Case { block: [64, 1, 1], ..Case::warp(body) });
}

#[test]
fn loops_that_lanes_go_through_alone_are_checked() {
    // Without checks the lanes go through this loop one after the other; lane 9 has a row that ends after the buffer of 512 words.
    let body = "mul.lo.u32 %r11, %r5, 7; mul.lo.u32 %r13, %r5, 29; rem.u32 %r13, %r13, 13; setp.eq.u32 %p1, %r5, 9; selp.u32 %r11, 508, %r11, %p1;\n\
                selp.u32 %r13, 6, %r13, %p1; add.u32 %r12, %r11, %r13; mov.u32 %r14, 0; setp.ge.u32 %p1, %r11, %r12; @%p1 bra none;\n\
                mul.wide.u32 %rd6, %r11, 4; add.s64 %rd6, %rd2, %rd6;\n\
                again: ld.global.u32 %r16, [%rd6]; and.b32 %r16, %r16, 511; mul.wide.u32 %rd7, %r16, 4; add.s64 %rd7, %rd2, %rd7;\n\
                ld.global.u32 %r17, [%rd7]; mad.lo.u32 %r14, %r14, 3, %r17; add.s64 %rd6, %rd6, 4; add.u32 %r11, %r11, 1;\n\
                setp.lt.u32 %p2, %r11, %r12; @%p2 bra again;\n\
                none: st.global.u32 [%rd4], %r14; ret;";
    warp_stops(body, &["thread (9, 0, 0)"]);
}

#[test]
fn misaligned_accesses_stop() {
    warp_stops(
        "st.global.u32 [%rd4+2], %r4; ret;",
        &["access of 4 bytes", "is not aligned to 4 bytes", "thread (0, 0, 0)"],
    );
    let body = "cvt.u64.u32 %rd6, %r4; add.s64 %rd6, %rd6, %rd2; ld.global.u16 %r6, [%rd6]; st.global.u32 [%rd4], %r6; ret;";
    warp_stops(body, &["access of 2 bytes", "is not aligned to 2 bytes", "thread (1, 0, 0)"]);
    let body = "ld.global.v2.u32 {%r6, %r7}, [%rd5]; st.global.u32 [%rd4], %r6; ret;";
    warp_stops(body, &["is not aligned to 8 bytes", "thread (1, 0, 0)"]);
    let body = "atom.global.add.u32 %r6, [%rd2+6], 1; ret;";
    warp_stops(body, &["is not aligned to 4 bytes"]);
}

#[test]
fn memory_of_a_block_is_checked() {
    let shared = |body: &'static str| Case { before: VARIABLES, ..Case::warp(body) };
    stops(
        &shared(
            "shl.b32 %r6, %r4, 2; mov.u32 %r7, room; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6+960], %r4; ret;",
        ),
        &["access of 4 bytes at 0x400 in .shared memory is out of bounds", "thread (16, 0, 0)"],
    );
    stops(
        &shared("mov.u32 %r6, room; st.shared.u32 [%r6+2], %r4; ret;"),
        &["in .shared memory is not aligned to 4 bytes"],
    );
    stops(
        &shared(
            "mov.u32 %r6, room; sub.u32 %r6, %r6, 4; ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd4], %r7; ret;",
        ),
        &["access of 4 bytes at 0xfffffffc in .shared memory"],
    );
    stops(
        &shared(
            "mul.lo.u32 %r6, %r4, 40; mov.u32 %r7, room; add.u32 %r6, %r6, %r7; atom.shared.add.u32 %r8, [%r6], 1; ret;",
        ),
        &["at 0x410 in .shared memory", "thread (26, 0, 0)"],
    );
    // A sum in shared memory: lanes that do not run would read beyond the end.
    let body = "shl.b32 %r6, %r4, 2; mov.u32 %r7, room; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6], %r4; bar.sync 0; mov.u32 %r8, 128;\n\
                again: setp.ge.u32 %p1, %r4, %r8; @%p1 bra next; shl.b32 %r9, %r8, 2; add.u32 %r9, %r9, %r6; ld.shared.u32 %r10, [%r9];\n\
                ld.shared.u32 %r11, [%r6]; add.u32 %r10, %r10, %r11; st.shared.u32 [%r6], %r10; next: bar.sync 0; shr.u32 %r8, %r8, 1;\n\
                setp.ne.u32 %p2, %r8, 0; @%p2 bra again; ld.shared.u32 %r12, [room]; st.global.u32 [%rd4], %r12; ret;";
    runs(&Case { before: VARIABLES, block: [256, 1, 1], grid: 2, ..Case::warp(body) });
}

#[test]
fn constants_parameters_and_generic_addresses_are_checked() {
    let with = |body: &'static str| Case { before: VARIABLES, ..Case::warp(body) };
    stops(
        &with(
            "mov.u64 %rd6, fixed; add.s64 %rd6, %rd6, %rd3; ld.const.u32 %r6, [%rd6]; st.global.u32 [%rd4], %r6; ret;",
        ),
        &["in .const memory is out of bounds", "thread (8, 0, 0)"],
    );
    stops(&with("mov.u64 %rd6, table; st.global.u64 [%rd6+24], 1; ret;"), &["offset 24 of variable `table`"]);
    stops(
        &with("mov.u64 %rd6, 8; ld.u32 %r6, [%rd6]; st.global.u32 [%rd4], %r6; ret;"),
        &["access of 4 bytes at 0x8 in generic memory is out of bounds"],
    );
    stops(
        &with(
            "mov.u64 %rd6, room; cvta.shared.u64 %rd6, %rd6; add.s64 %rd6, %rd6, %rd3; st.u32 [%rd6+1000], %r4; ret;",
        ),
        &["at 0x400 in .shared::cluster memory", "thread (6, 0, 0)"],
    );
    stops(
        &with("mov.u64 %rd6, fixed; cvta.const.u64 %rd6, %rd6; st.u32 [%rd6], %r4; ret;"),
        &["in .const memory, which is read-only"],
    );
    stops(
        &with("mov.u64 %rd6, fixed; cvta.const.u64 %rd6, %rd6; atom.add.u32 %r6, [%rd6], 1; ret;"),
        &["in .const memory, which has none"],
    );
    // Generic addresses of each space, and of several at once.
    runs(&with(
        "mov.u64 %rd6, room; cvta.shared.u64 %rd6, %rd6; add.s64 %rd6, %rd6, %rd3; st.u32 [%rd6], %r4; ld.u32 %r6, [%rd6];\n\
                and.b32 %r7, %r4, 1; setp.eq.u32 %p1, %r7, 0; selp.b64 %rd7, %rd6, %rd5, %p1; ld.u32 %r8, [%rd7];\n\
                add.u32 %r8, %r8, %r6; st.u32 [%rd4], %r8; ret;",
    ));
}

#[test]
fn local_memory_is_checked() {
    let start = ".local .align 8 .b8 own[64]; mov.u64 %rd6, own; ";
    let body = format!("{start}add.s64 %rd6, %rd6, %rd3; st.local.u32 [%rd6], %r4; ret;");
    warp_stops(
        &body,
        &["access of 4 bytes at 0x40 in .local memory is out of bounds", "thread (16, 0, 0)", "own"],
    );
    let body = format!("{start}st.local.u32 [%rd6+1], %r4; ret;");
    warp_stops(&body, &["in .local memory is not aligned to 4 bytes"]);
    let body = format!(
        "{start}and.b64 %rd7, %rd3, 60; add.s64 %rd6, %rd6, %rd7; st.local.u32 [%rd6], %r4; ld.local.u32 %r6, [%rd6]; st.global.u32 [%rd4], %r6; ret;"
    );
    runs(&Case::warp(&body));
}

#[test]
fn wide_and_asynchronous_accesses_are_checked() {
    let wide = |body: &'static str| Case { before: VARIABLES, ..Case::warp(body) };
    stops(
        &wide("mov.b128 %q1, {%rd1, %rd2}; st.global.b128 [%rd1+2040], %q1; ret;"),
        &["is not aligned to 16 bytes"],
    );
    stops(&wide("mov.b128 %q1, {%rd1, %rd2}; st.global.b128 [%rd1+2048], %q1; ret;"), &["access of 8 bytes"]);
    stops(
        &wide(
            "shl.b32 %r6, %r4, 4; mov.u32 %r7, room; add.u32 %r6, %r6, %r7; mul.wide.u32 %rd6, %r4, 80; add.s64 %rd6, %rd6, %rd2;\n\
                 cp.async.cg.shared.global [%r6], [%rd6], 16; cp.async.wait_all; ret;",
        ),
        &["thread (26, 0, 0)"],
    );
    // Nothing is read where nothing is copied.
    runs(&wide(
        "shl.b32 %r6, %r4, 4; mov.u32 %r7, room; add.u32 %r6, %r6, %r7; mul.wide.u32 %rd6, %r4, 80; add.s64 %rd6, %rd6, %rd2;\n\
                setp.lt.u32 %p1, %r4, 25; selp.u32 %r8, 16, 0, %p1; cp.async.cg.shared.global [%r6], [%rd6], 16, %r8; cp.async.wait_all;\n\
                ld.shared.u32 %r9, [%r6]; st.global.u32 [%rd4], %r9; ret;",
    ));
    stops(
        &wide(
            "shl.b32 %r6, %r4, 4; mov.u32 %r7, room; add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, 640; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r6];\n\
                 st.global.u32 [%rd4], %r7; ret;",
        ),
        &["access of 16 bytes at 0x400 in .shared memory is out of bounds", "thread (24, 0, 0)"],
    );
    runs(&wide(
        "shl.b32 %r6, %r4, 4; mov.u32 %r7, room; add.u32 %r6, %r6, %r7; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r6];\n\
                st.global.u32 [%rd4], %r7; ret;",
    ));
}

#[test]
fn a_heap_is_checked_piece_by_piece() {
    let before =
        ".extern .func (.param .b64 p) malloc(.param .b64 bytes);\n.extern .func free(.param .b64 p);\n";
    let take = "{ .param .b64 b; .param .b64 p; st.param.b64 [b], 16; call.uni (p), malloc, (b); ld.param.b64 %rd6, [p]; }\n";
    let give = "{ .param .b64 p; st.param.b64 [p], %rd6; call.uni free, (p); }\n";
    let case = |body: &str, threads| {
        let body = body.to_owned();
        let case = Case { before, block: [threads, 1, 1], ..Case::warp(&body) };
        checked_apart(&case)
    };
    assert_eq!(
        case(
            &format!(
                "{take}st.u32 [%rd6+12], %r4; ld.u32 %r6, [%rd6+12]; st.global.u32 [%rd4], %r6;\n{give}ret;"
            ),
            64
        ),
        None
    );
    let text = case(
        &format!("{take}st.u32 [%rd6], %r4;\n{give}ld.u32 %r6, [%rd6]; st.global.u32 [%rd4], %r6; ret;"),
        1,
    )
    .expect("stops");
    assert!(text.contains("in .global memory that was freed"), "{text}");
    let text = case(&format!("{take}st.u32 [%rd6+16], %r4; ret;"), 1).expect("stops");
    assert!(text.contains("is out of bounds"), "{text}");
}

/// Kernels whose threads access all memory that they get from the launch itself, in each way, and leave or print what is there.
const GIVEN: &str = ".version 8.7
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 p) malloc(.param .b64 bytes);
.global .align 1 .b8 text[4] = {37, 115, 10, 0};
.const .align 4 .b8 fixed[8] = {65, 66, 67, 0};
.shared .align 16 .b8 room[64];
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 r) leaf(.param .align 8 .b8 s[16], .param .b32 i) {
    .reg .b64 %rd<9>; .reg .b32 %r<9>; .local .align 8 .b8 own[32];
    ld.param.b32 %r1, [i]; ld.param.u32 %r2, [s+8]; mov.u64 %rd2, own; cvta.local.u64 %rd4, %rd2; and.b32 %r1, %r1, 7;
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd4, %rd3; st.u32 [%rd4], %r2; add.s64 %rd2, %rd2, %rd3; ld.local.u32 %r3, [%rd2];
    mov.b64 %rd5, s; ld.param.u32 %r5, [%rd5+8]; add.u32 %r3, %r3, %r5; st.param.b32 [r], %r3; ret; }
.func (.param .b32 r) sum(.param .b32 n) {
    .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p; .local .align 8 .b8 own[16];
    ld.param.b32 %r1, [n]; st.local.u32 [own+4], %r1; mov.u32 %r2, 0; setp.eq.u32 %p, %r1, 0; @%p bra end; sub.u32 %r3, %r1, 1;
    { .param .b32 a; .param .b32 q; st.param.b32 [a], %r3; call.uni (q), sum, (a); ld.param.b32 %r2, [q]; }
    end: mov.u64 %rd1, own; cvta.local.u64 %rd1, %rd1; ld.u32 %r4, [%rd1+4]; add.u32 %r2, %r2, %r4; st.param.b32 [r], %r2; ret; }
.visible .entry k(.param .u64 out, .param .align 16 .b8 s[32]) BOUNDS {
    .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .pred %p<4>; .local .align 8 .b8 args[16];
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r3, %r2, %r3, %r1;
    mul.wide.u32 %rd2, %r3, 8; add.s64 %rd1, %rd1, %rd2; and.b32 %r4, %r1, 7; mul.wide.u32 %rd2, %r4, 4;
    BODY
    st.global.v2.u32 [%rd1], {%r5, %r6}; ret; }
";

/// The words of such a kernel, one pair for each thread, and what it prints.
fn given(bounds: &str, body: &str, change: impl FnOnce(&mut Launch)) -> (Vec<u32>, String) {
    let text = GIVEN.replace("BOUNDS", bounds).replace("BODY", body);
    let mut launch = Launch { grid: [2, 1, 1], block: [8, 1, 1], dynamic_shared: 64, ..Launch::new("k") };
    launch.threads = std::num::NonZeroUsize::new(2);
    launch.limits.timeout = Some(std::time::Duration::from_secs(120));
    let fields = (1..=8_u32).flat_map(u32::to_le_bytes).collect();
    change(&mut launch);
    let threads = launch.grid[0] * launch.block[0];
    launch.arguments = vec![Argument::Buffer(vec![0; 8 * threads as usize]), Argument::Bytes(fields)];
    let outcome = checked_alike(&text, &launch).unwrap_or_else(|error| panic!("{error}\n{body}"));
    let buffer = outcome.buffers[0].as_deref().expect("a buffer");
    (crate::common::words(buffer), String::from_utf8(outcome.output).expect("text"))
}

#[test]
fn memory_of_the_launch_itself_is_known() {
    let pairs =
        |pair: &dyn Fn(u32) -> [u32; 2]| (0..16).flat_map(|thread| pair(thread % 8)).collect::<Vec<_>>();
    let words = |body: &str| given("", body, |_| {}).0;
    // Parameters and constants, also at generic addresses; `%r5` and `%r6` are left.
    let body = "mov.b64 %rd3, s; add.s64 %rd4, %rd3, %rd2; ld.param.u32 %r5, [%rd4]; cvta.param.u64 %rd5, %rd3; add.s64 %rd5, %rd5, %rd2; ld.u32 %r6, [%rd5];";
    assert_eq!(words(body), pairs(&|thread| [thread + 1; 2]));
    let body = "cvt.u64.u32 %rd2, %r4; mov.b64 %rd3, fixed; add.s64 %rd4, %rd3, %rd2; ld.const.u8 %r5, [%rd4]; cvta.const.u64 %rd5, %rd3; add.s64 %rd5, %rd5, %rd2; ld.u8 %r6, [%rd5];";
    let letters = [65, 66, 67, 0, 0, 0, 0, 0];
    assert_eq!(words(body), pairs(&|thread| [letters[thread as usize]; 2]));
    // Parameters and local memory of functions, on each level of a recursion.
    let body = "cvt.u64.u32 %rd3, %r1; { .param .align 8 .b8 a[16]; .param .b32 i; .param .b32 q; st.param.u64 [a], %rd3; st.param.u64 [a+8], %rd3; st.param.b32 [i], %r1;\n\
                call.uni (q), leaf, (a, i); ld.param.b32 %r5, [q]; } { .param .b32 i; .param .b32 q; st.param.b32 [i], %r1; call.uni (q), sum, (i); ld.param.b32 %r6, [q]; }";
    assert_eq!(words(body), pairs(&|thread| [2 * thread, thread * (thread + 1) / 2]));
    // The stack.
    let body = "add.u32 %r5, %r1, 8; cvt.u64.u32 %rd3, %r5; alloca.u64 %rd4, %rd3, 16; st.local.u32 [%rd4+4], %r1; cvta.local.u64 %rd5, %rd4; ld.u32 %r6, [%rd5+4];";
    assert_eq!(words(body), pairs(&|thread| [thread + 8, thread]));
    // Shared memory of the size of the launch, in each of its windows.
    let body = "mov.u64 %rd3, dynamic; add.s64 %rd3, %rd3, %rd2; st.shared.u32 [%rd3+32], %r1; ld.shared::cluster.u32 %r5, [%rd3+32]; cvta.shared.u64 %rd4, %rd3; ld.u32 %r6, [%rd4+32];";
    assert_eq!(words(body), pairs(&|thread| [thread; 2]));
    // That of another block of the cluster.
    let body = "mov.u64 %rd3, room; add.s64 %rd3, %rd3, %rd2; mad.lo.u32 %r7, %r2, 100, %r1; st.shared.u32 [%rd3], %r7; barrier.cluster.arrive; barrier.cluster.wait;\n\
                xor.b32 %r8, %r2, 1; mapa.shared::cluster.u64 %rd4, %rd3, %r8; ld.shared::cluster.u32 %r5, [%rd4]; cvta.shared.u64 %rd5, %rd3; mapa.u64 %rd5, %rd5, %r8; ld.u32 %r6, [%rd5];\n\
                barrier.cluster.arrive; barrier.cluster.wait;";
    let expected: Vec<u32> = (0..16).flat_map(|thread| [(1 - thread / 8) * 100 + thread % 8; 2]).collect();
    assert_eq!(given(".reqnctapercluster 2", body, |_| {}).0, expected);
}

#[test]
fn the_workspace_of_a_grid_is_known() {
    // Its size, and the barrier, which each thread counts up; at global and generic addresses.
    let body = "mov.u32 %r7, %envreg2; mov.u32 %r8, %envreg1; mov.b64 %rd3, {%r7, %r8}; atom.release.gpu.global.add.u32 %r9, [%rd3+4], 1;\n\
                again: ld.acquire.gpu.u32 %r6, [%rd3+4]; setp.lt.u32 %p1, %r6, 16; @%p1 bra again; ld.u32 %r5, [%rd3];";
    assert_eq!(given("", body, |launch| launch.cooperative = true).0, [8, 16].repeat(16));
    // Nothing beyond it is.
    for (access, part) in [
        ("ld.global.u32 %r5, [%rd3+8];", "offset 8 of the workspace of the grid, which has 8 bytes"),
        ("ld.u32 %r5, [%rd3+-4];", "4 bytes before the workspace of the grid, which has 8 bytes"),
        ("st.global.u32 [%rd3+2], 0;", "is not aligned to 4 bytes"),
    ] {
        let body = format!(
            "mov.u32 %r7, %envreg2; mov.u32 %r8, %envreg1; mov.b64 %rd3, {{%r7, %r8}}; {access} ret;"
        );
        let text = checked_of(&Case::warp(&body), |launch| launch.cooperative = true);
        assert!(text.as_ref().is_some_and(|text| text.contains(part)), "{text:?}");
    }
}

/// A launch that the interpreter begins and compiled code goes on with has one workspace.
#[test]
fn both_engines_have_the_same_workspace() {
    let body = "mov.u32 %r7, %envreg2; mov.u32 %r8, %envreg1; mov.b64 %rd6, {%r7, %r8};\n\
                atom.global.add.u32 %r9, [%rd6+4], 1; st.global.u32 [%rd4], %r9; ret;";
    let case = Case { grid: 2, block: [1; 3], ..Case::warp(body) };
    let (module, mut launch) = (case.module(), case.launch());
    (launch.cooperative, launch.threads) = (true, Some(std::num::NonZeroUsize::MIN));
    for (cpu, check) in processors().iter().flat_map(|cpu| [(cpu, false), (cpu, true)]) {
        let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
        let decoded = DecodedLaunch::at_host_addresses(verified, &launch).expect("decoded");
        let loaded = decoded.load();
        let jit = Jit::new(cpu).expect("a linker");
        let options = Options::default().with_check_memory(check);
        let launched = Launched::blocks(case.block);
        let kernel = Kernel::compile_with(loaded.program(), &launched, cpu, &jit, &options);
        let setup = loaded.set_up().expect("a launch");
        let interpretation = Interpretation::new(setup.clone());
        let (relay, (tell, told)) = (interpretation.relay(), std::sync::mpsc::channel());
        interpretation.notify_at(1, move || tell.send(relay.take_rest()).expect("a receiver"));
        interpretation.run().result.expect("the first block ends");
        assert_eq!(told.recv(), Ok(1..2));
        let rest = Rest { first: 1, timeout: None, cancellation: None };
        let report = ptx_host::launch_rest(&kernel.expect("compiled"), &setup, &rest, |_, run| run());
        report.result.expect("the second block ends");
        assert_eq!(report.compiled_blocks, 1);
        let left = loaded.outcome(Executed::default()).buffers[0].clone().expect("a buffer");
        // The second block counts on from what the first one has left.
        assert_eq!(crate::common::words(&left)[..2], [0, 1], "{}, checks: {check}", cpu.name);
    }
}

#[test]
fn texts_are_printed_from_memory_of_each_kind() {
    // Constants, a parameter, shared memory of both blocks of a cluster, and a piece of the heap.
    let print = "{ .param .b64 f; .param .b64 a; .param .b32 q; st.param.b64 [f], %rd3; st.param.b64 [a], %rd4; call.uni (q), vprintf, (f, a); }";
    let body = "mov.u64 %rd3, text; cvta.global.u64 %rd3, %rd3; mov.u64 %rd4, args; cvta.local.u64 %rd4, %rd4; add.u32 %r7, %r2, 65;\n\
                st.shared.u8 [room], %r7; st.shared.u8 [room+1], 0; barrier.cluster.arrive; barrier.cluster.wait;\n\
                mov.u64 %rd5, fixed; cvta.const.u64 %rd5, %rd5; st.local.u64 [args], %rd5; PRINT\n\
                mov.b64 %rd5, s; cvta.param.u64 %rd5, %rd5; add.s64 %rd5, %rd5, 28; st.local.u64 [args], %rd5; PRINT\n\
                mov.u64 %rd5, room; cvta.shared.u64 %rd5, %rd5; st.local.u64 [args], %rd5; PRINT\n\
                xor.b32 %r8, %r2, 1; mapa.u64 %rd6, %rd5, %r8; st.local.u64 [args], %rd6; PRINT\n\
                { .param .b64 b; .param .b64 p; st.param.b64 [b], 16; call.uni (p), malloc, (b); ld.param.b64 %rd6, [p]; }\n\
                st.u32 [%rd6], 0x595857; st.local.u64 [args], %rd6; PRINT\n\
                barrier.cluster.arrive; barrier.cluster.wait;";
    let (_, text) =
        given(".reqnctapercluster 2", &body.replace("PRINT", print), |launch| launch.block = [1; 3]);
    assert_eq!(text, "ABC\n\u{8}\nA\nB\nWXY\nABC\n\u{8}\nB\nA\nWXY\n");
}

/// How both engines describe a bad access, the interpreter in memory of its own, where each buffer is far from all others: without the addresses, which
/// differ in global memory.
fn described(case: &Case<'_>) -> String {
    let (module, launch) = (case.module(), case.launch());
    let verified = || ptx_verify::verify(&module).expect("valid PTX").0;
    let error = ptx_exec::run(verified(), &launch).expect_err("it is stopped").to_string();
    let is_shown = |word: &&str| !word.starts_with("0x");
    let shown = |text: &str| text.split(' ').filter(is_shown).collect::<Vec<_>>().join(" ");
    let expected = shown(&error);
    assert_eq!(checked_apart(case), Some(expected.clone()), "{}", case.body);
    expected
}

#[test]
fn both_engines_name_the_same_object() {
    let with = |body: &str| {
        let body = format!(".local .align 8 .b8 own[64]; {body} st.global.u32 [%rd4], %r6; ret;");
        described(&Case { before: VARIABLES, block: [1, 1, 1], n: 1_000_000, ..Case::warp(&body) })
    };
    for (body, part) in [
        // Before and after the second buffer, near and far, also through an index, a loop and a choice.
        (
            "ld.global.u32 %r6, [%rd2+2048];",
            "is out of bounds: offset 2048 of argument 1 (`in`), which has 2048 bytes;",
        ),
        ("ld.global.u32 %r6, [%rd2+6000];", "offset 6000 of argument 1 (`in`)"),
        ("ld.global.u32 %r6, [%rd2+100000000];", "offset 100000000 of argument 1 (`in`)"),
        (
            "mul.wide.u32 %rd6, %r1, 4; add.s64 %rd6, %rd6, %rd2; ld.global.u32 %r6, [%rd6];",
            "offset 4000000 of argument 1 (`in`)",
        ),
        (
            "ld.global.u32 %r7, [%rd2+4]; shl.b32 %r7, %r7, 3; mad.wide.u32 %rd6, %r7, 8, %rd2; ld.global.u32 %r6, [%rd6];",
            "offset 1327217856 of argument 1 (`in`)",
        ),
        (
            // Further than an allocator of the process puts buffers apart: a valid address may be at a smaller distance.
            "mov.u64 %rd6, %rd1; again: add.s64 %rd6, %rd6, 3000000000; ld.global.u32 %r6, [%rd6+8192]; bra again;",
            "offset 3000008192 of argument 0 (`out`)",
        ),
        ("ld.global.u32 %r6, [%rd2+-8];", "8 bytes before argument 1 (`in`), which has 2048 bytes;"),
        (
            "ld.global.u32 %r6, [%rd2+-40000000];",
            "40000000 bytes before argument 1 (`in`), which has 2048 bytes;",
        ),
        ("ld.global.u32 %r6, [%rd1+-8];", "8 bytes before argument 0 (`out`), which has 2048 bytes;"),
        ("ld.u32 %r6, [%rd1+1000000];", "offset 1000000 of argument 0 (`out`)"),
        ("atom.global.add.u32 %r6, [%rd1+10000], 1;", "offset 10000 of argument 0 (`out`)"),
        // A pointer that is computed from both buffers belongs to neither; it is near one of them.
        (
            "setp.eq.u32 %p1, %r1, 0; selp.b64 %rd6, %rd1, %rd2, %p1; ld.global.u32 %r6, [%rd6+2052];",
            "offset 2052 of argument 1 (`in`)",
        ),
        // Pointers that were in memory.
        (
            "st.global.u64 [%rd1], %rd2; ld.global.u64 %rd6, [%rd1]; ld.global.u32 %r6, [%rd6+2056];",
            "offset 2056 of argument 1 (`in`)",
        ),
        // Variables.
        (
            "mov.u64 %rd6, table; ld.global.u32 %r6, [%rd6+24];",
            "offset 24 of variable `table`, which has 24 bytes;",
        ),
        (
            "mul.wide.u32 %rd6, %r1, 4; mov.u64 %rd7, table; add.s64 %rd6, %rd7, %rd6; ld.global.u32 %r6, [%rd6];",
            "offset 4000000 of variable `table`",
        ),
        (
            "mov.u64 %rd6, table; sub.s64 %rd6, %rd6, 16; ld.global.u32 %r6, [%rd6];",
            "16 bytes before variable `table`",
        ),
        // No object.
        ("mov.u64 %rd6, 0; ld.global.u32 %r6, [%rd6];", "it is a null pointer"),
        ("mov.u64 %rd6, 16; ld.u32 %r6, [%rd6+8];", "it is 24 bytes after a null pointer"),
        (
            "mov.u64 %rd6, 0x7000; ld.global.u32 %r6, [%rd6];",
            "there is no argument or variable at this address",
        ),
        // In the buffer.
        ("ld.global.u32 %r6, [%rd2+6];", "is not aligned to 4 bytes: offset 6 of argument 1 (`in`)"),
        // Other memory.
        ("ld.shared.u32 %r6, [room+1024];", "offset 1024 of variable `room`, which has 1024 bytes;"),
        (
            "mov.u64 %rd6, room; cvta.shared.u64 %rd6, %rd6; ld.u32 %r6, [%rd6+65536];",
            "offset 65536 of variable `room`",
        ),
        ("ld.const.u32 %r6, [fixed+40];", "offset 40 of variable `fixed`, which has 32 bytes;"),
        (
            "mov.u64 %rd6, fixed; cvta.const.u64 %rd6, %rd6; st.u32 [%rd6+8], 1;",
            "which is read-only: offset 8 of variable `fixed`",
        ),
        (
            "mov.u64 %rd6, own; add.s64 %rd6, %rd6, %rd3; ld.local.u32 %r6, [%rd6+64];",
            "offset 64 of variable `own`, which has 64 bytes;",
        ),
        (
            "mov.u64 %rd6, own; cvta.local.u64 %rd6, %rd6; ld.u32 %r6, [%rd6+6];",
            "is not aligned to 4 bytes: offset 6 of variable `own`",
        ),
        (
            "mov.u64 %rd6, own; cvta.local.u64 %rd6, %rd6; atom.add.u32 %r6, [%rd6], 1;",
            "in .local memory, which has none: offset 0 of variable `own`",
        ),
        (
            "mov.b64 %rd6, n; cvta.param.u64 %rd6, %rd6; ld.u32 %r6, [%rd6+4];",
            "offset 20 of the kernel's parameters, which has 20 bytes;",
        ),
    ] {
        let text = with(body);
        assert!(text.contains(part), "{body}\n{text}");
    }
}

//! Accesses that compiled code checks: each fault that the interpreter tells is told alike, at the same addresses, and nothing else is. What is expected
//! follows from the kernels: buffers have 2048 bytes, and each kernel has one mistake.

use crate::common::{Case, processors};
use ptx_exec::{DecodedLaunch, Executed};
use ptx_host::analysis::Launched;
use ptx_host::{Kernel, Options};
use ptx_llvm::host::Jit;

/// Launches in both engines, in memory at the same addresses; gives what stops it. The grid is executed by one host thread.
fn checked(case: &Case<'_>) -> Option<String> {
    let module = case.module();
    let mut launch = case.launch();
    launch.threads = Some(std::num::NonZeroUsize::MIN);
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let decoded = DecodedLaunch::at_host_addresses(verified, &launch).expect("decoded");
    let loaded = decoded.expect("addresses of 64 bits").load();
    let outcome = |loaded: &ptx_exec::LoadedLaunch<'_>| loaded.outcome(Executed::default()).buffers;
    let expected = loaded.launch().map(|executed| (executed.output, outcome(&loaded)));
    for cpu in processors() {
        let jit = Jit::new(&cpu).expect("a linker");
        let options = Options::default().with_check_memory(true);
        let launched = Launched::blocks(case.block);
        let kernel = Kernel::compile_with(loaded.program(), &launched, &cpu, &jit, &options);
        let kernel = kernel.expect("compiled");
        let actual = ptx_host::launch(&kernel, &loaded).map(|executed| (executed.output, outcome(&loaded)));
        assert!(actual == expected, "{}: {}\n{actual:#?}\n{expected:#?}", cpu.name, case.body);
    }
    expected.err().map(|error| error.to_string())
}

/// The same where each launch has memory of its own, as one takes from the heap what the next one does not get: without the addresses in the texts.
fn checked_apart(case: &Case<'_>) -> Option<String> {
    let module = case.module();
    let launch = case.launch();
    let mut texts = Vec::new();
    for cpu in [None].into_iter().chain(processors().into_iter().map(Some)) {
        let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
        let decoded = DecodedLaunch::at_host_addresses(verified, &launch).expect("decoded");
        let loaded = decoded.expect("addresses of 64 bits").load();
        let result = match cpu {
            None => loaded.launch(),
            Some(cpu) => {
                let jit = Jit::new(&cpu).expect("a linker");
                let options = Options::default().with_check_memory(true);
                let launched = Launched::blocks(case.block);
                let kernel = Kernel::compile_with(loaded.program(), &launched, &cpu, &jit, &options);
                ptx_host::launch(&kernel.expect("compiled"), &loaded)
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

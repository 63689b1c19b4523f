//! Remarks on kernels whose accesses and branches are known: what follows from the PTX by hand.

use crate::common::prepared;
use ptx_diag::SourceFile;
use ptx_exec::Memory;
use ptx_host::analysis::Launched;
use ptx_host::{Options, Stage, explain, print_after};
use ptx_llvm_core::host::Cpu;

/// `%r4` is the index of the thread, `%rd4` and `%rd5` the addresses of its words of output and input; the body begins at line 9.
const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n\
                    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .local .align 4 .b8 own[64]; .shared .align 4 .b8 s[512];\n\
                    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n]; mov.u32 %r4, %tid.x;\n\
                    mul.wide.u32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n";
const FIRST: u32 = 9;

fn kernel(body: &str) -> (ptx_exec::Prepared, SourceFile) {
    let source = SourceFile::new("k.ptx", format!("{HEAD}{body}\n}}\n"));
    (prepared::prepared(&source, &Memory::new()), source)
}

/// Vectors of 8 numbers of 32 bits.
fn cpu() -> Cpu {
    Cpu::baseline("x86-64-v3").expect("a level of x86-64")
}

/// The remarks on a kernel: the line of the body, what, and why.
fn remarks_on(body: &str) -> Vec<(u32, String)> {
    let (prepared, source) = kernel(body);
    let program = prepared.program();
    let found = explain(program, &Launched::blocks([64, 1, 1]), &cpu(), &Options::default())
        .expect("compiled")
        .remarks;
    let line = |pc: u32| source.position(program.origins[pc as usize].span.lo).line - FIRST;
    found
        .iter()
        .map(|remark| (line(remark.pc), format!("{}: {}", remark.kind.as_str(), remark.reason)))
        .collect()
}

fn has(body: &str, expected: &[(u32, &str)]) {
    let expected: Vec<(u32, String)> =
        expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
    assert_eq!(remarks_on(body), expected, "{body}");
}

#[test]
fn plain_accesses_and_branches_have_none() {
    has(
        "ld.global.u32 %r5, [%rd5]; ld.global.u32 %r6, [%rd2]; add.u32 %r5, %r5, %r6; setp.eq.u32 %p1, %r1, 3; @%p1 bra done;\n\
         st.global.u32 [%rd4], %r5; done: ret;",
        &[],
    );
}

#[test]
fn gathers_and_scatters_tell_what_their_addresses_depend_on() {
    has(
        "ld.global.u32 %r5, [%rd5];\n\
         mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd2, %rd6;\n\
         ld.global.u32 %r6, [%rd6];\n\
         st.global.u32 [%rd6], %r4; ret;",
        &[
            (2, "gather: the address depends on a loaded value"),
            (3, "scatter: the address depends on a loaded value"),
        ],
    );
    has(
        "xor.b32 %r5, %r4, 3; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd2, %rd6;\n\
         ld.global.u32 %r6, [%rd6]; st.global.u32 [%rd4], %r6; ret;",
        &[(
            1,
            "gather: the address depends on `%tid.x` through `xor.b32`, whose result has no stride between lanes",
        )],
    );
    has(
        "mul.wide.u32 %rd6, %r4, 12; add.s64 %rd6, %rd2, %rd6;\n\
         ld.global.u32 %r6, [%rd6]; st.global.u32 [%rd4], %r6; ret;",
        &[(1, "gather: the addresses of lanes are 12 bytes apart, and each accesses 4")],
    );
    has(
        "atom.global.add.u32 %r5, [%rd1], 1;\n\
         mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd2, %rd6; st.global.u32 [%rd6], %r4; ret;",
        &[
            (0, "lane by lane: it is atomic, and each lane depends on the result of the previous lane"),
            (1, "scatter: the address depends on the result of an atomic operation"),
        ],
    );
    has(
        "shfl.sync.bfly.b32 %r5, %r4, 1, 0x1f, -1;\n\
         mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd2, %rd6; st.global.u32 [%rd6], %r4; ret;",
        &[(1, "scatter: the address depends on the result of `shfl.sync.bfly.b32`")],
    );
}

#[test]
fn registers_for_several_values_depend_on_the_least_regular_one() {
    // `%rd7` has a stride on one way, and is loaded on the other.
    has(
        "mul.wide.u32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; setp.eq.u32 %p1, %r1, 3; @%p1 bra on;\nld.global.u32 %r5, [%rd5];\n\
         mul.wide.u32 %rd6, %r5, 4; add.s64 %rd7, %rd2, %rd6;\n\
         on: ld.global.u32 %r6, [%rd7]; st.global.u32 [%rd4], %r6; ret;",
        &[(3, "gather: the address depends on a loaded value")],
    );
}

#[test]
fn registers_that_follow_from_themselves_depend_on_where_they_began() {
    has(
        "mov.u32 %r5, %tid.x; mov.u32 %r9, 0; again: shl.b32 %r5, %r5, 1; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1; @%p1 bra again;\n\
         mov.u32 %r6, s; add.u32 %r7, %r6, %r5;\n\
         ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd4], %r8; ret;",
        &[(2, "gather: the address depends on `%tid.x`")],
    );
}

#[test]
fn registers_are_told_of_by_the_value_that_they_have() {
    // The address has a stride although its register has had another one, and a loaded value.
    has(
        "ld.global.u32 %r5, [%rd5]; mov.u32 %r5, %tid.x; shl.b32 %r5, %r5, 2; mov.u32 %r6, s; add.u32 %r5, %r6, %r5;\n\
         ld.shared.u32 %r8, [%r5]; st.global.u32 [%rd4], %r8; ret;",
        &[],
    );
    // The condition is the same for all lanes although its register has been the number of the thread.
    has(
        "min.u32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra low; mov.u32 %r5, 1; bra end; low: mov.u32 %r5, 2;\n\
         end: st.global.u32 [%rd4], %r5; ret;",
        &[],
    );
}

#[test]
fn indices_that_may_wrap_around_are_tested() {
    has(
        "add.u32 %r5, %r4, %r1; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd2, %rd6;\n\
         ld.global.u32 %r6, [%rd6]; st.global.u32 [%rd4], %r6; ret;",
        &[(1, "tested: the 32-bit index that the address is computed from may wrap around")],
    );
}

#[test]
fn generic_and_volatile_accesses_have_theirs() {
    has(
        "ld.u32 %r5, [%rd5]; st.global.u32 [%rd4], %r5; ret;",
        &[(0, "tested: the address is generic, and may be in shared or local memory")],
    );
    has(
        "ld.volatile.global.u32 %r5, [%rd5]; st.global.u32 [%rd4], %r5; ret;",
        &[(0, "lane by lane: it is volatile, or ordered with accesses of other threads")],
    );
}

#[test]
fn branches_tell_what_their_conditions_depend_on() {
    has(
        "setp.lt.u32 %p1, %r4, 5;\n\
         @%p1 bra low;\n\
         st.global.u32 [%rd4], %r4; bra.uni done;\n\
         low: st.global.u32 [%rd4+512], %r4;\n\
         done: st.global.u32 [%rd4+1024], %r4; ret;",
        &[
            (1, "divergent branch: the condition depends on `%tid.x`"),
            (2, "masked: lanes have diverged at a branch whose condition depends on `%tid.x`"),
            (3, "masked: lanes have diverged at a branch whose condition depends on `%tid.x`"),
        ],
    );
    has(
        "ld.global.u32 %r5, [%rd5]; setp.lt.u32 %p1, %r5, 5;\n\
         @%p1 ret;\n\
         st.global.u32 [%rd4], %r4; ret;",
        &[(1, "divergent branch: the condition depends on a loaded value")],
    );
}

#[test]
fn guards_are_masks() {
    has(
        "ld.global.u32 %r5, [%rd5]; setp.lt.u32 %p1, %r5, 5;\n@%p1 st.global.u32 [%rd4], %r4; ret;",
        &[(1, "masked: the guard depends on a loaded value")],
    );
}

#[test]
fn registers_that_lanes_write_at_different_times_are_named() {
    // The counter of a loop that lanes leave one by one is an index afterwards.
    let body = "mov.u32 %r5, 0;\n\
                again: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r4;\n\
                @%p1 bra again;\n\
                mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd1, %rd6;\n\
                st.global.u32 [%rd6], %r4; ret;";
    has(
        body,
        &[
            (2, "divergent branch: the condition depends on `%tid.x`"),
            (4, "scatter: the address depends on a register that lanes write at different times"),
        ],
    );
}

#[test]
fn stages_print_what_is_known() {
    let body = "setp.lt.u32 %p1, %r4, 5;\n@%p1 bra done;\nst.global.u32 [%rd4], %r4;\ndone: ret;";
    let (prepared, source) = kernel(body);
    let program = prepared.program();
    let place = |pc: u32| source.position(program.origins[pc as usize].span.lo).line.to_string();
    let print = |stage| {
        let launched = Launched::blocks([64, 1, 1]);
        print_after(stage, program, &launched, &cpu(), &Options::default(), &place).expect("compiled")
    };
    let rows = print(Stage::Rows);
    // Of 64 threads the warps begin at 0 and 32: 8 lanes of a vector, 8 from one to the next.
    let index = "i32, a stride: 1 from lane to lane, 8 from vector to vector, from 0 to 63";
    assert!(rows.contains("7: mov.u32\n") && rows.contains(index), "{rows}");
    assert!(rows.contains("9: setp.lt.u32\n") && rows.contains("any values"), "{rows}");
    let schedule = print(Stage::Schedule);
    assert!(schedule.contains("block 0:\n    run by all 32 lanes of a warp\n"), "{schedule}");
    assert!(schedule.contains("where lanes diverge"), "{schedule}");
    let [code, optimized] = [print(Stage::Code), print(Stage::Optimized)];
    assert!(code.contains("@kernel(ptr") && optimized.contains("@kernel(ptr"), "{code}\n{optimized}");
    assert!(code.len() > optimized.len(), "{code}\n{optimized}");
}

#[test]
fn loops_that_lanes_go_through_alone_tell_so() {
    // The loop is left in different rounds, as `%r5` was loaded; what is loaded in it depends on nothing that is.
    has(
        "ld.global.u32 %r5, [%rd5]; and.b32 %r5, %r5, 31; mov.u32 %r8, 0;\n\
         again: mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd2, %rd6;\n\
         ld.global.u32 %r6, [%rd6];\n\
         ld.global.u32 %r7, [%rd6+64];\n\
         add.u32 %r8, %r8, %r6; add.u32 %r8, %r8, %r7; add.u32 %r5, %r5, 3; setp.lt.u32 %p1, %r5, 64;\n\
         @%p1 bra again;\n\
         st.global.u32 [%rd4], %r8; ret;",
        &[
            (2, "lane by lane: lanes execute the loop one after another, since it mostly consists of loads"),
            (3, "lane by lane: lanes execute the loop one after another, since it mostly consists of loads"),
            (5, "divergent branch: the condition depends on a loaded value"),
        ],
    );
}

#[test]
fn matrices_are_accessed_by_lines_or_elements() {
    has(
        "mov.u32 %r5, s; shl.b32 %r6, %r4, 4; and.b32 %r6, %r6, 496; add.u32 %r6, %r6, %r5;\n\
         ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r6];\n\
         .reg .b32 %w<8>; wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7}, [s];\n\
         .reg .f32 %f<8>; wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd2];\n\
         wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};\n\
         add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %w0; st.global.u32 [%rd4], %r7; ret;",
        &[
            (1, "line by line: a row of the matrix is at the address that one lane specifies"),
            (2, "gather: lanes hold elements that are not adjacent in the matrix"),
            (3, "gather: lanes hold elements that are not adjacent in the matrix"),
            (4, "scatter: lanes hold elements that are not adjacent in the matrix"),
        ],
    );
}

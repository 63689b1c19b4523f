//! What is known of kernels: where lanes wait, and which rows have a stride. The expectations follow from the PTX by hand.

use crate::common::prepared;
use ptx_diag::SourceFile;
use ptx_exec::{Memory, Prepared};
use ptx_host::analysis::{Analysis, Indexed, Launched, Shape, Stride, Terminator};
use ptx_program::{Alu, Binary, Effect, Op, Program};

fn prepared(body: &str) -> Prepared {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n{body}\n}}\n"
    );
    let source = SourceFile::new("k.ptx", text);
    prepared::prepared(&source, &Memory::new())
}

fn analyse(program: &Program, block: [u32; 3], lanes: u32) -> Analysis {
    Analysis::new(program, &Launched::blocks(block), lanes).expect("compiled")
}

/// The shapes of the values that the kernel stores, in order.
fn stored(body: &str, block: [u32; 3], lanes: u32) -> Vec<Shape> {
    let prepared = prepared(body);
    let program = prepared.program();
    let analysis = analyse(program, block, lanes);
    let stores = program.code.iter().filter_map(|inst| match &inst.op {
        Op::Effect(Effect::Store(store)) => Some(analysis.shapes.src(store.srcs[0])),
        _ => None,
    });
    stores.collect()
}

const fn strided(within: i64, across: Option<i64>) -> Shape {
    Shape::Strided(Stride { within, across })
}

const INDEX: &str = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n\
                     ld.param.u32 %r9, [n]; ld.param.u64 %rd1, [out];\n";

#[test]
fn global_indices_have_stride_one_and_multiples_have_theirs() {
    let body = format!(
        "{INDEX} mad.lo.s32 %r4, %r1, %r2, %r3; shl.b32 %r5, %r4, 3; sub.s32 %r6, 7, %r5; mul.lo.s32 %r7, %r4, %r9;\n\
         mul.lo.s32 %r8, %r2, 3; xor.b32 %r10, %r4, 1;\n\
         st.global.u32 [%rd1], %r4; st.global.u32 [%rd1], %r5; st.global.u32 [%rd1], %r6; st.global.u32 [%rd1], %r7;\n\
         st.global.u32 [%rd1], %r8; st.global.u32 [%rd1], %r10; ret;"
    );
    // A stride that is a parameter is not a constant, so the product is taken to be any values.
    let expected = [
        strided(1, Some(16)),
        strided(8, Some(128)),
        strided(-8, Some(-128)),
        Shape::Varying,
        Shape::Constant(256 * 3),
        Shape::Varying,
    ];
    assert_eq!(stored(&body, [256, 1, 1], 16), expected);
}

#[test]
fn rows_of_a_square_block_are_uniform_in_a_chunk() {
    let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; ld.param.u32 %r9, [n];\n\
                ld.param.u64 %rd1, [out]; mad.lo.s32 %r4, %r2, %r9, %r1;\n\
                st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], %r2; st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r4; ret;";
    // Of 16 x 16 threads, lanes 0 to 15 have y = 2 w and lanes 16 to 31 have y = 2 w + 1.
    let half = [strided(1, None), strided(0, None), Shape::Constant(0), strided(1, None)];
    assert_eq!(stored(body, [16, 16, 1], 16), half);
    assert_eq!(stored(body, [16, 16, 1], 8), half, "x is 0 or 8 at the first lane of a chunk");
    // 64 x 4 threads: a warp lies in one row, which has two warps.
    let row = [strided(1, Some(16)), Shape::Uniform, Shape::Constant(0), strided(1, Some(16))];
    assert_eq!(stored(body, [64, 4, 1], 16), row);
    // 12 is not a multiple of 16: chunks go over the ends of rows.
    let ragged = [Shape::Varying, Shape::Varying, Shape::Constant(0), Shape::Varying];
    assert_eq!(stored(body, [12, 10, 1], 16), ragged);
}

#[test]
fn products_with_more_bits_have_a_stride_or_an_index() {
    let body = format!(
        "{INDEX} mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, %rd4;\n\
         cvt.u64.u32 %rd6, %r4; shl.b64 %rd8, %rd6, 3; cvt.u32.u64 %r5, %rd8; and.b32 %r6, %r1, 1023; mad.lo.s32 %r10, %r6, %r2, %r3; mad.wide.u32 %rd7, %r10, 8, %rd1;\n\
         st.global.u64 [%rd1], %rd3; st.global.u64 [%rd1], %rd5; st.global.u64 [%rd1], %rd8; st.global.u32 [%rd1], %r5; st.global.u64 [%rd1], %rd7; ret;"
    );
    let index = Stride { within: 1, across: Some(16) };
    let indexed = |is_signed, scale| Shape::Indexed(Indexed { index, bits: 32, is_signed, scale });
    // A grid may have 2^31 - 1 blocks, so that the number of a thread may wrap around; below 1,024 blocks it does not.
    let expected = [
        indexed(true, 4),
        strided(4, Some(64)),
        indexed(false, 8),
        strided(8, Some(128)),
        strided(8, Some(128)),
    ];
    assert_eq!(stored(&body, [256, 1, 1], 16), expected);
}

#[test]
fn aligned_groups_of_threads_are_uniform() {
    let body = format!(
        "{INDEX} shr.u32 %r4, %r3, 5; and.b32 %r5, %r3, 31; shr.u32 %r6, %r3, 4; setp.lt.u32 %p1, %r3, 64; selp.u32 %r7, 1, 2, %p1;\n\
         setp.lt.u32 %p2, %r3, 33; selp.u32 %r8, 1, 2, %p2; and.b32 %r9, %r3, 32; shr.u32 %r10, %r3, 3; and.b32 %r11, %r10, 0x1ffffffc; and.b32 %r12, %r10, 6;\n\
         st.global.u32 [%rd1], %r4; st.global.u32 [%rd1], %r5; st.global.u32 [%rd1], %r6; st.global.u32 [%rd1], %r7;\n\
         st.global.u32 [%rd1], %r8; st.global.u32 [%rd1], %r9; st.global.u32 [%rd1], %r11; st.global.u32 [%rd1], %r12; ret;"
    );
    let (uniform, varying) = (Shape::Uniform, Shape::Varying);
    let halves = strided(0, None);
    // In the last one bit 0 of `tid >> 3` does not count.
    let warps = [uniform, strided(1, Some(16)), halves, uniform, varying, uniform, uniform, halves];
    assert_eq!(stored(&body, [128, 1, 1], 16), warps);
    // A warp has two rows of 16 threads: the lower four bits count within a row.
    let rows = stored(&body, [16, 16, 1], 16);
    assert_eq!(rows[1..3], [strided(1, None), strided(0, None)]);
}

#[test]
fn counters_of_uniform_loops_are_uniform_and_lanes_stay_together() {
    let body = format!(
        "{INDEX} mov.u32 %r4, 0; mov.u32 %r5, %r3;\n\
         again: add.s32 %r4, %r4, 1; add.s32 %r5, %r5, %r9; setp.lt.s32 %p1, %r4, %r9; @%p1 bra again;\n\
         st.global.u32 [%rd1], %r4; st.global.u32 [%rd1], %r5; ret;"
    );
    assert_eq!(stored(&body, [32, 1, 1], 16), [Shape::Uniform, strided(1, Some(16))]);
    let prepared = prepared(&body);
    let analysis = analyse(prepared.program(), [32, 1, 1], 16);
    assert!((0..analysis.graph.blocks().len()).all(|block| analysis.schedule.is_together(block)));
}

#[test]
fn what_lanes_take_out_of_a_loop_that_they_leave_apart_is_their_own() {
    // The counter is the same for all lanes in the loop, but each keeps that of the round in which it left.
    let body = format!(
        "{INDEX} mov.u32 %r4, 0;\n\
         again: add.s32 %r4, %r4, 1; mul.lo.s32 %r6, %r4, 2; st.global.u32 [%rd1], %r6; setp.lt.u32 %p1, %r4, %r3; @%p1 bra again;\n\
         st.global.u32 [%rd1], %r4; ret;"
    );
    assert_eq!(stored(&body, [32, 1, 1], 16), [Shape::Varying, Shape::Varying]);
    // Where no one reads the counter after the loop, it stays one value.
    let body = body.replace("st.global.u32 [%rd1], %r4; ret;", "ret;");
    assert_eq!(stored(&body, [32, 1, 1], 16), [Shape::Uniform]);
}

#[test]
fn sides_of_a_branch_wait_for_each_other_where_they_meet() {
    let body = format!(
        "{INDEX} setp.lt.u32 %p1, %r3, 5; @%p1 bra yes;\n\
         mov.u32 %r4, 1; bra.uni after;\n\
         yes: mov.u32 %r4, 2;\n\
         after: mov.u32 %r5, %r2; st.global.u32 [%rd1], %r4; st.global.u32 [%rd1], %r5; ret;"
    );
    let shapes = stored(&body, [32, 1, 1], 16);
    assert_eq!(shapes, [Shape::Varying, Shape::Constant(32)], "one of two constants, for each lane");
    let prepared = prepared(&body);
    let analysis = analyse(prepared.program(), [32, 1, 1], 16);
    let blocks = analysis.graph.blocks();
    assert_eq!(blocks.len(), 4);
    let together: Vec<bool> = (0..4).map(|block| analysis.schedule.is_together(block)).collect();
    assert_eq!(together, [true, false, false, true]);
    assert!(matches!(blocks[3].terminator, Terminator::Exit { guard: None }));
    let waiting = |block| analysis.schedule.waiting(block).iter().copied().collect::<Vec<_>>();
    assert_eq!((waiting(1), waiting(2)), (vec![2], vec![3]), "as in the table of the module");
}

#[test]
fn lanes_that_have_exited_wait_nowhere() {
    let body = format!(
        "{INDEX} setp.ge.u32 %p1, %r3, %r9; @%p1 bra done; bar.sync 0; st.global.u32 [%rd1], %r3;\n\
         done: ret;"
    );
    // Lanes that go to a `ret` have exited, too.
    for body in [body.replace("@%p1 bra done", "@%p1 ret"), body] {
        let prepared = prepared(&body);
        let analysis = analyse(prepared.program(), [32, 1, 1], 16);
        assert!((0..analysis.graph.blocks().len()).all(|block| analysis.schedule.is_together(block)));
    }
}

/// A check in a loop does not let lanes part that go on: no block runs any more where one of them does not.
#[test]
fn lanes_that_stop_the_launch_do_so_at_once() {
    let body = format!(
        "{INDEX} mov.u32 %r4, 0;\n\
         loop: add.u32 %r5, %r3, %r4; setp.lt.u32 %p1, %r5, %r9; @%p1 bra fine; st.global.u32 [%rd1], %r5; trap;\n\
         fine: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 20; @%p2 bra loop;\n\
         st.global.u32 [%rd1], %r4; ret;"
    );
    assert_eq!(stored(&body, [32, 1, 1], 16)[1], Shape::Uniform);
    let prepared = prepared(&body);
    let analysis = analyse(prepared.program(), [32, 1, 1], 16);
    let blocks = analysis.graph.blocks();
    let apart: Vec<_> = (0..blocks.len()).filter(|&id| !analysis.schedule.is_together(id)).collect();
    let [stops] = apart[..] else { panic!("{apart:?}") };
    assert!(matches!(blocks[stops].terminator, Terminator::Stop { guard: None }));
}

#[test]
fn loops_with_two_entries_are_scheduled_too() {
    let body = format!(
        "{INDEX} mov.u32 %r4, 0; setp.lt.u32 %p1, %r3, 5; @%p1 bra second;\n\
         first: add.s32 %r4, %r4, 1;\n\
         second: add.s32 %r4, %r4, 2; setp.lt.u32 %p2, %r4, %r9; @%p2 bra first;\n\
         st.global.u32 [%rd1], %r4; ret;"
    );
    assert_eq!(stored(&body, [32, 1, 1], 16), [Shape::Varying]);
}

#[test]
fn what_is_not_compiled_is_refused_at_its_place() {
    let prepared = prepared("mov.u32 %r1, 0; stacksave.u32 %r1; ret;");
    let refusal = Analysis::new(prepared.program(), &Launched::blocks([32, 1, 1]), 16).expect_err("refused");
    assert_eq!((refusal.pc, refusal.why), (1, "memory allocated on the stack is not compiled"));
}

#[test]
fn warps_that_run_together_have_numbers_and_share_what_follows_from_rows() {
    let body = format!(
        "{INDEX} mov.u32 %r4, %tid.y; mov.u32 %r5, %warpid; mov.u32 %r6, %laneid; shr.u32 %r7, %r3, 5; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n\
         ld.global.u32 %r8, [%rd3]; mad.lo.u32 %r10, %r4, %r9, %r3;\n\
         st.global.u32 [%rd1], %r3; st.global.u32 [%rd1], %r4; st.global.u32 [%rd1], %r5; st.global.u32 [%rd1], %r6; st.global.u32 [%rd1], %r7;\n\
         st.global.u32 [%rd1], %r8; st.global.u32 [%rd1], %r10; ret;"
    );
    let of = |block: [u32; 3]| {
        let prepared = prepared(&body);
        let program = prepared.program();
        let analysis = Analysis::of_group(program, &Launched::blocks(block), 16, 4).expect("compiled");
        let stores = program.code.iter().filter_map(|inst| match &inst.op {
            Op::Effect(Effect::Store(store)) => Some(store.srcs[0]),
            _ => None,
        });
        stores.map(|src| (analysis.shapes.src(src), analysis.shapes.chunkwise_of(src))).collect::<Vec<_>>()
    };
    // Four warps are eight chunks of 16 lanes, numbered with three bits. Of 16 x 16 threads each chunk is a row.
    let [line, row, varying] = [strided(1, None), strided(0, None), Shape::Varying];
    let square = [(line, 0), (row, 7), (row, 6), (line, 1), (row, 0), (varying, 0), (line, 7)];
    assert_eq!(of([16, 16, 1]), square);
    // Of 32 x 8 threads each warp is a row.
    let wide = [(line, 1), (row, 6), (row, 6), (line, 1), (row, 1), (varying, 1), (line, 7)];
    assert_eq!(of([32, 8, 1]), wide);
    // Threads of one row are consecutive in the whole group.
    let actual = of([256, 1, 1]);
    assert_eq!(actual[0], (strided(1, Some(16)), 7));
    assert_eq!([actual[2], actual[3]], [(row, 6), (line, 1)]);
    assert_eq!(actual[4], (row, 7), "the number of a warp, found as that of a chunk");
}

#[test]
fn loops_are_known_by_what_lanes_come_back_to() {
    // A loop in another one, a block of its own that is one, and what is before, between and after them.
    let body = "mov.u32 %r1, 0; mov.u32 %r3, 1; outer: add.u32 %r1, %r1, 1;\n\
                inner: mul.lo.u32 %r3, %r3, 3; setp.lt.u32 %p1, %r3, 99; @%p1 bra inner; setp.lt.u32 %p2, %r1, 7; @%p2 bra outer;\n\
                mov.u32 %r2, 0; alone: add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 9; @%p3 bra alone; ret;";
    let prepared = prepared(body);
    let graph = analyse(prepared.program(), [32, 1, 1], 8).graph;
    let sizes: Vec<usize> = (0..graph.blocks().len())
        .map(|id| graph.blocks()[id].end - graph.blocks()[id].first)
        .map(|n| n as usize)
        .collect();
    // Their instructions tell which is which: the beginning, what `outer`, `inner` and the branch back begin, the rest. The last branch is an exit.
    assert_eq!(sizes, [2, 1, 2, 1, 1, 2]);
    let around: Vec<&[usize]> = (0..sizes.len()).map(|id| graph.loop_around(id)).collect();
    let none: &[usize] = &[];
    assert_eq!(around, [none, &[1, 2, 3], &[1, 2, 3], &[1, 2, 3], none, &[5]]);
    assert!(graph.are_in_one_loop(1, 3) && graph.are_in_one_loop(5, 5));
    assert!(!graph.are_in_one_loop(3, 5) && !graph.are_in_one_loop(0, 0));
    let natural: Vec<Option<Vec<usize>>> = (0..sizes.len())
        .map(|id| graph.natural_loop(id).map(|inside| inside.into_iter().collect()))
        .collect();
    let expected = [None, Some(vec![1, 2, 3]), Some(vec![2]), None, None, Some(vec![5])];
    assert_eq!(natural, expected);
}

/// For each operation in single precision, in order, whether the NaNs of its result may have any payload.
fn any_nans(body: &str) -> Vec<bool> {
    let prepared = prepared(&format!(
        ".reg .f32 %f<9>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; mul.wide.u32 %rd2, %r1, 4;\n\
         add.s64 %rd1, %rd1, %rd2; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+512];\n{body}\nst.global.f32 [%rd1], %f8; ret;"
    ));
    let program = prepared.program();
    let analysis = analyse(program, [64, 1, 1], 32);
    let sums = program.code.iter().filter_map(|inst| match &inst.op {
        Op::Alu(Alu::Binary { op: Binary::Float(..), d, .. }) => Some(analysis.nans.has_any(*d)),
        _ => None,
    });
    sums.collect()
}

#[test]
fn nans_of_loaded_values_may_be_any_if_nothing_observes_them() {
    // %f1 is a loaded value or a sum, and only operands of sums: directly, shuffled, copied and selected.
    let sum = "@%p1 add.f32 %f1, %f1, %f2;";
    let shuffled =
        "mov.b32 %r2, %f1; shfl.sync.down.b32 %r3, %r2, 4, 31, -1; mov.b32 %f3, %r3; add.f32 %f8, %f1, %f3;";
    assert_eq!(any_nans(&format!("{sum} {shuffled}")), [true, true]);
    let selected = "selp.f32 %f3, %f1, %f2, %p1; add.f32 %f8, %f1, %f3;";
    assert_eq!(any_nans(&format!("{sum} {selected}")), [true, true]);
    // The bits are stored, of a copy, of what is shuffled, of what is selected; or they are an integer.
    let observed = [
        "st.global.f32 [%rd1+1024], %f1; add.f32 %f8, %f1, %f1;",
        "mov.f32 %f3, %f1; st.global.f32 [%rd1+1024], %f3; add.f32 %f8, %f1, %f1;",
        "mov.b32 %r2, %f1; shfl.sync.down.b32 %r3, %r2, 4, 31, -1; st.global.u32 [%rd1+1024], %r3; add.f32 %f8, %f1, %f1;",
        "selp.f32 %f3, %f1, %f2, %p1; st.global.f32 [%rd1+1024], %f3; add.f32 %f8, %f1, %f1;",
        "mov.b32 %r2, %f1; and.b32 %r2, %r2, 1; cvt.rn.f32.u32 %f3, %r2; add.f32 %f8, %f1, %f3;",
        "cvt.f64.f32 %fd1, %f1; cvt.rn.f32.f64 %f3, %fd1; add.f32 %f8, %f1, %f3;",
    ];
    for rest in observed {
        assert_eq!(any_nans(&format!(".reg .f64 %fd<2>; {sum} {rest}")), [false, true], "{rest}");
    }
}

//! Lanes of a warp that come to an operation at two instructions: those that come to the same operation with the same mask carry it out together,
//! wherever they are (manual 9.7.9.6). Which programs have such lanes follows from the PTX by hand.

use crate::common;
use crate::common::Case;

/// Lanes with an odd number execute `odd`, the others `even`, and all store `%r8`; `%m0` is the mask of the lanes with an odd number.
fn sides(odd: &str, even: &str) -> String {
    format!(
        ".reg .b32 %m<4>; mov.u32 %r7, %laneid; and.b32 %r6, %r7, 1; setp.ne.u32 %p1, %r6, 0; mov.u32 %r8, 0; mul.lo.u32 %r9, %r7, 7;\n\
         vote.sync.ballot.b32 %m0, %p1, -1; not.b32 %m1, %m0;\n\
         @%p1 bra odd; {even} bra.uni join; odd: {odd} join: st.global.u32 [%rd4], %r8; ret;"
    )
}

/// Compares what both engines leave, or what stops them; code that checks its shapes leaves that, too.
fn alike(case: &Case<'_>) {
    if case.launches_alike().is_ok() {
        case.agrees();
        case.holds();
    }
}

#[test]
fn operations_in_both_branches_are_joined() {
    for (odd, even) in [
        // All lanes, which the interpreter joins.
        ("shfl.sync.bfly.b32 %r8, %r9, 1, 31, -1;", "shfl.sync.bfly.b32 %r8, %r9, 1, 31, -1;"),
        ("vote.sync.ballot.b32 %r8, 1, -1;", "vote.sync.ballot.b32 %r8, 0, -1;"),
        ("redux.sync.add.u32 %r8, %r9, -1;", "redux.sync.add.u32 %r8, %r7, -1;"),
        ("bar.warp.sync -1;", "bar.warp.sync -1;"),
        // Some, by a constant.
        (
            "@%p1 shfl.sync.idx.b32 %r8, %r9, 1, 31, 0xffff0000;",
            "shfl.sync.idx.b32 %r8, %r9, 1, 31, 0xffff0000;",
        ),
        // By registers, of which it is not known that they are different.
        ("shfl.sync.idx.b32 %r8, %r9, 1, 31, %m1;", "shfl.sync.idx.b32 %r8, %r9, 0, 31, %r1;"),
        // The second one of a side, and the first one of the other.
        (
            "vote.sync.all.pred %p2, 1, %m0; shfl.sync.up.b32 %r8, %r9, 1, 0, -1;",
            "shfl.sync.up.b32 %r8, %r9, 1, 0, -1;",
        ),
    ] {
        alike(&Case::warp(&sides(odd, even)));
    }
}

#[test]
fn what_the_interpreter_joins() {
    // Each lane has seven times the number of its neighbour, which is on the other side.
    let shuffle = "shfl.sync.bfly.b32 %r8, %r9, 1, 31, -1;";
    let out = Case::warp(&sides(shuffle, shuffle)).interpreted();
    let expected: Vec<u32> = (0..32).map(|lane| (lane ^ 1) * 7).collect();
    assert_eq!(common::words(&out)[..32], expected);
}

#[test]
fn operations_that_are_joined_are_found() {
    let body = sides("vote.sync.any.pred %p2, 1, -1;", "vote.sync.any.pred %p2, 0, -1;");
    let prepared = Case::warp(&body).prepared();
    let launched = ptx_host::analysis::Launched::blocks([32, 1, 1]);
    let analysis = ptx_host::analysis::Analysis::new(prepared.program(), &launched, 16).expect("analysed");
    let program = prepared.program();
    let is_operation = |pc: u32| {
        use ptx_program::{Effect, Op};
        matches!(program.code.get(pc as usize).map(|inst| &inst.op), Some(Op::Effect(Effect::Collective(_))))
    };
    let mut last: Vec<u32> = (0..program.code.len() as u32).filter(|&pc| is_operation(pc)).collect();
    last.drain(..last.len() - 2);
    let mut apart: Vec<u32> = analysis.apart.concat();
    apart.sort_unstable();
    assert_eq!(apart, last);
}

#[test]
fn a_loop_that_lanes_leave_and_what_follows_it_are_joined() {
    // Lanes that have left the loop wait after it with the mask of those in it.
    let body = "mov.u32 %r8, %laneid; again: shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 20; @%p1 bra again;\n\
                shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1; st.global.u32 [%rd4], %r9; ret;";
    Case::warp(body).agrees();
    // All lanes leave it together.
    Case::warp(&body.replace("mov.u32 %r8, %laneid;", "mov.u32 %r8, %r1;")).agrees();
}

#[test]
fn lanes_that_were_sent_elsewhere_by_the_same_branch_come_first() {
    // Lanes at the operation of all wait for those that the branch has sent to the block after it, which comes back.
    let body = "mov.u32 %r8, %laneid; mov.u32 %r10, 0;\n\
                again: shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1; add.u32 %r8, %r8, %r9; and.b32 %r9, %r8, 1; setp.eq.u32 %p1, %r9, 0;\n\
                add.u32 %r10, %r10, 1; setp.ge.u32 %p2, %r10, 6; @%p2 bra finish; @%p1 bra again;\n\
                xor.b32 %r8, %r8, %r3; add.u32 %r8, %r8, 3; bra again;\n\
                finish: st.global.u32 [%rd4], %r8; ret;";
    Case::warp(body).agrees();
}

#[test]
fn a_function_that_is_called_on_both_sides_agrees() {
    let before = ".func (.reg .b32 %out) sum(.reg .b32 %in) { redux.sync.add.u32 %out, %in, -1; ret; }";
    let call = "call (%r8), sum, (%r9);";
    Case { before, ..Case::warp(&sides(call, call)) }.agrees();
}

#[test]
fn what_stops_joined_operations_is_told_alike() {
    let shuffle = "shfl.sync.bfly.b32 %r8, %r9, 1, 31,";
    for (odd, even) in [
        // No lane comes with the mask of the others; with an operation of another kind; and lanes that have exited are not waited for.
        (format!("{shuffle} -1;"), format!("{shuffle} 0x7fffffff;")),
        (format!("{shuffle} -1; {shuffle} -1;"), format!("{shuffle} -1; vote.sync.any.pred %p2, 1, -1;")),
        (format!("setp.lt.u32 %p2, %r7, 16; @%p2 ret; {shuffle} -1;"), format!("{shuffle} -1; {shuffle} 3;")),
        // The mask of one of the instructions does not name the lane.
        (format!("{shuffle} 0xffff0000;"), format!("{shuffle} %m1;")),
    ] {
        let body = sides(&odd, &even);
        let result = Case::warp(&body).launches_alike();
        assert!(result.is_err(), "{body}");
    }
}

#[test]
fn many_operations_in_loops_are_joined() {
    // Lanes go round as often as their number has it, and meet at whichever of the operations they are: all of one kind.
    for mask in ["-1", "%m0"] {
        let body = format!(
            ".reg .b32 %m<4>; mov.u32 %r7, %laneid; and.b32 %r6, %r7, 3; mov.u32 %r8, %r4; mov.u32 %r10, 0; mov.u32 %m0, -1;\n\
             again: setp.gt.u32 %p1, %r10, %r6; @%p1 bra side; redux.sync.add.u32 %r9, %r8, {mask}; add.u32 %r8, %r8, %r9; bra next;\n\
             side: redux.sync.add.u32 %r9, %r10, {mask}; xor.b32 %r8, %r8, %r9; @!%p1 redux.sync.add.u32 %r9, 7, {mask};\n\
             next: add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, 6; @%p2 bra again;\n\
             match.any.sync.b32 %r9, %r10, {mask}; redux.sync.add.u32 %r11, %r9, {mask}; add.u32 %r8, %r8, %r11; st.global.u32 [%rd4], %r8; ret;"
        );
        alike(&Case::warp(&body));
    }
}

#[test]
fn operations_that_differ_agree() {
    for (odd, even) in [
        // The operations differ.
        ("shfl.sync.idx.b32 %r8, %r9, 3, 31, %m0;", "vote.sync.ballot.b32 %r8, 1, %m1;"),
        ("shfl.sync.idx.b32 %r8, %r9, 3, 31, %m0;", "shfl.sync.bfly.b32 %r8, %r9, 2, 31, %m1;"),
        ("redux.sync.add.u32 %r8, %r9, %m0;", "redux.sync.max.u32 %r8, %r9, %m1;"),
        // The masks are known.
        ("redux.sync.add.u32 %r8, %r9, 0xaaaaaaaa;", "redux.sync.add.u32 %r8, %r9, 0x55555555;"),
    ] {
        let body = sides(odd, even);
        Case::warp(&body).agrees();
    }
}

#[test]
fn operations_of_groups_one_after_the_other_agree() {
    // Groups of lanes with one value wait at the second shuffle while others are at the first one.
    let groups = ".reg .b32 %m<4>; and.b32 %r6, %r4, 3; match.any.sync.b32 %m1, %r6, -1; mov.u32 %m0, %m1;\n";
    let shuffles = "shfl.sync.bfly.b32 %r8, %r4, 4, 31, %m0; add.u32 %r8, %r8, 3; shfl.sync.bfly.b32 %r8, %r8, 8, 31, %m0;";
    let store = "st.global.u32 [%rd4], %r8;";
    Case::warp(&format!("{groups}{shuffles}{store} ret;")).agrees();
    // In a loop, in which all lanes meet before the mask is another one.
    let rounds = format!(
        "mov.u32 %r10, %r4; mov.u32 %r11, 0; again: {} {shuffles} add.u32 %r10, %r10, %r8; add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 4;\n\
         @%p1 bra again; {store} ret;",
        groups.replace("and.b32 %r6, %r4, 3", "shr.u32 %r6, %r10, %r11; and.b32 %r6, %r6, 3")
    );
    Case::warp(&rounds).agrees();
    // Changed so that lanes with one mask may be at both.
    for changed in [
        // The mask changes between them.
        shuffles.replace("add.u32 %r8, %r8, 3;", "xor.b32 %m0, %m0, %r1;"),
        // Some come to the second one alone.
        format!("setp.lt.u32 %p1, %r4, 9; @%p1 bra second; {}", shuffles.replace("3;", "3; second:")),
        // They come to the first one again.
        format!(
            "mov.u32 %r8, %r4; first: {}",
            shuffles.replace("%r4, 4", "%r8, 4").replace("3;", "3; setp.lt.u32 %p1, %r8, 9; @%p1 bra first;")
        ),
        // They come to the second one again.
        shuffles.replace("3;", "3; second:")
            + "add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 9; @%p1 bra second;",
    ] {
        alike(&Case::warp(&format!("{groups}{changed}{store} ret;")));
    }
}

#[test]
fn masks_of_lanes_that_were_together_agree() {
    let body = |found: &str, condition: &str, side: &str| {
        let shuffle = "shfl.sync.idx.b32 %r8, %r9, 3, 31, ";
        format!(
            ".reg .b32 %m<4>; mov.u32 %r7, %laneid; and.b32 %r6, %r7, 1; setp.ne.u32 %p1, %r6, 0; setp.gt.u32 %p2, %r7, 3; mul.lo.u32 %r9, %r7, 7;\n\
             mov.u32 %r8, 0; {found} @{condition} bra join; {side} {shuffle} %m0; add.u32 %r9, %r9, %r8;\n\
             join: {shuffle} -1; add.u32 %r8, %r8, %r9; st.global.u32 [%rd4], %r8; ret;"
        )
    };
    let ballot = "vote.sync.ballot.b32 %m0, %p1, -1;";
    // On the side of the lanes of the mask; found there; each group of them.
    Case::warp(&body(ballot, "!%p1", "")).agrees();
    Case::warp(&body("", "%p1", "activemask.b32 %m0;")).agrees();
    Case::warp(
        &body("", "%p1", "shr.u32 %r10, %r7, 3; match.any.sync.b32 %m0, %r10, 0x55555555;")
            .replace("%r9, 3, 31,  %m0", "%r9, 6, 0x181f, %m0"),
    )
    .agrees();
    // Changed so that lanes of the mask may come past the block.
    for changed in [
        // Another condition, the opposite one, one that has changed, one more way around it, and a mask that has changed.
        body(ballot, "!%p2", ""),
        body(ballot, "%p1", ""),
        body(&format!("{ballot} setp.ne.u32 %p1, %r7, 9;"), "!%p1", ""),
        body(&format!("{ballot} @%p2 bra join;"), "!%p1", ""),
        body(ballot, "!%p1", "or.b32 %m0, %m0, %r1;"),
        // They come to it again.
        body(ballot, "!%p1", "again:").replace("join:", "setp.lt.u32 %p2, %r9, 50; @%p2 bra again; join:"),
    ] {
        alike(&Case::warp(&changed));
    }
}

#[test]
fn tiles_agree() {
    // As nvcc computes the masks of tiles of eight lanes, anew for each shuffle.
    let tile = |own: u32, number: u32| {
        format!(
            "mov.u32 %r{own}, %laneid; and.b32 %m{own}, %r{own}, -8; shl.b32 %m{number}, %m9, %m{own}; shfl.sync.bfly.b32 %r8, %r9, {own}, 0x181f, %m{number}; add.u32 %r9, %r9, %r8;"
        )
    };
    let body = format!(
        ".reg .b32 %m<40>; mul.lo.u32 %r9, %r4, 7; mov.u32 %m9, 255; {} {} st.global.u32 [%rd4], %r9; ret;",
        tile(20, 30),
        tile(22, 31)
    );
    Case::warp(&body).agrees();
    // Other tiles, and a mask that is another one for the lanes of a guard.
    let other = body.replace("and.b32 %m22, %r22, -8", "and.b32 %m22, %r22, -4");
    alike(&Case::warp(&other));
    let guarded = body.replace("shl.b32 %m31", "setp.lt.u32 %p1, %r4, 9; @%p1 shl.b32 %m31");
    alike(&Case::warp(&guarded));
}

#[test]
fn aligned_operations_in_both_branches_are_compiled() {
    // All lanes of a warp come to one of them: that is what `.aligned` means, and the condition is the same in a warp.
    let fragments = "{%f0, %f1, %f2, %f3}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f0, %f1, %f2, %f3};";
    let product = format!("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {fragments}");
    let values: String = (10..16).map(|row| format!("add.u32 %r{row}, %r7, 0x3c003c00;")).collect();
    let zeros: String = (0..4).map(|row| format!("mov.f32 %f{row}, 0f00000000;")).collect();
    let store = "cvt.rzi.s32.f32 %r8, %f0; shfl.sync.idx.b32 %r8, %r8, 0, 31, -1;";
    let body = sides(&product, &product)
        .replace("@%p1 bra odd", &format!("{values}{zeros} setp.eq.u32 %p1, %r6, 7; @%p1 bra odd"))
        .replace("join:", &format!("join: {store}"));
    Case::warp(&body).agrees();
}

/// CUTLASS's kernels for sm_90a: where lanes run ahead of those that ask a barrier in vain, lanes may wait at thousands of places, and code would
/// take minutes to be made. Where they are kept waiting lanes part at few.
#[test]
fn lanes_that_run_ahead_wait_at_too_many_places() {
    let text = include_str!("../../../ptx-exec/tests/it/cutlass/universal90.ptx");
    let source = ptx_diag::SourceFile::new("universal90.ptx", text.to_owned());
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let surroundings = ptx_exec::Surroundings {
        memory: ptx_exec::Memory::new(),
        heap: ptx_exec::DeviceHeap::default(),
        limits: ptx_exec::Limits::default(),
    };
    let image = ptx_exec::Image::new(verified, surroundings).expect("no variables");
    let prepared = image.kernel("cooperative").expect("a kernel");
    let mut launched = ptx_host::analysis::Launched::blocks([384, 1, 1]);
    launched.clusters = true;
    let refused = ptx_host::analysis::Analysis::new(prepared.program(), &launched, 16).expect_err("too many");
    assert_eq!(refused.why, ptx_host::analysis::APART);
    let analysis = ptx_host::analysis::Analysis::handing_over(prepared.program(), &launched, 16);
    let analysis = analysis.expect("not refused").expect("lanes ask barriers");
    let places = |id| analysis.schedule.waiting(id).len();
    assert_eq!(analysis.apart, [] as [[u32; 2]; 0]);
    assert!((0..analysis.graph.blocks().len()).all(|id| places(id) < 4));
}

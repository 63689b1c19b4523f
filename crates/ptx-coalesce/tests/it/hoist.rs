//! Small bodies before and after the hoisting of copies.

use crate::common::{body, expect};
use ptx_coalesce::hoist;

#[track_caller]
fn hoisted(before: &str, after: &str) {
    expect(before, after, |module| hoist(body(module)));
}

#[track_caller]
fn unchanged(text: &str) {
    hoisted(text, text);
}

#[test]
fn copies_move_before_the_branch_if_its_target_does_not_read_them() {
    hoisted(
        "$L_1:
        add.s32 %r3, %r1, %r2;
        setp.gt.s32 %p1, %r3, 10;
        @%p1 bra $L_2;
        mov.b32 %r1, %r3;
        mov.b32 %r2, 7;
        bra.uni $L_1;
        $L_2:
        st.shared.u32 [table], %r3;",
        "$L_1:
        add.s32 %r3, %r1, %r2;
        setp.gt.s32 %p1, %r3, 10;
        mov.b32 %r1, %r3;
        mov.b32 %r2, 7;
        @%p1 bra $L_2;
        bra.uni $L_1;
        $L_2:
        st.shared.u32 [table], %r3;",
    );
}

#[test]
fn copies_stay_if_the_target_reads_what_one_of_them_writes() {
    unchanged(
        "$L_1:
        add.s32 %r3, %r1, %r2;
        setp.gt.s32 %p1, %r3, 10;
        @!%p1 bra $L_2;
        mov.b32 %r1, %r3;
        mov.b32 %r2, 7;
        bra.uni $L_1;
        $L_2:
        st.shared.u32 [table], %r2;",
    );
}

#[test]
fn copies_stay_if_a_later_block_reads_what_they_write() {
    unchanged(
        "$L_1:
        @%p1 bra $L_2;
        mov.b32 %r1, %r3;
        bra.uni $L_1;
        $L_2:
        @%p2 bra $L_3;
        add.s32 %r3, %r3, 1;
        $L_3:
        st.shared.u32 [table], %r1;",
    );
}

#[test]
fn a_target_that_writes_before_it_reads_does_not_keep_copies() {
    hoisted(
        "$L_1:
        st.shared.u32 [table], %r1;
        @%p1 bra $L_2;
        mov.b32 %r1, %r3;
        bra.uni $L_1;
        $L_2:
        mov.u32 %r1, 5;
        st.shared.u32 [table], %r1;",
        "$L_1:
        st.shared.u32 [table], %r1;
        mov.b32 %r1, %r3;
        @%p1 bra $L_2;
        bra.uni $L_1;
        $L_2:
        mov.u32 %r1, 5;
        st.shared.u32 [table], %r1;",
    );
    // A guarded write may leave the old value.
    unchanged(
        "$L_1:
        @%p1 bra $L_2;
        mov.b32 %r1, %r3;
        bra.uni $L_1;
        $L_2:
        @%p2 mov.u32 %r1, 5;
        st.shared.u32 [table], %r1;",
    );
}

#[test]
fn copies_stay_if_one_writes_the_predicate() {
    unchanged(
        "$L_1:
        @%p1 bra $L_2;
        mov.b32 %r1, %r3;
        mov.pred %p1, %p2;
        bra.uni $L_1;
        $L_2:
        st.shared.u32 [table], %r3;",
    );
    // Other predicates are like other registers.
    hoisted(
        "$L_1:
        @%p1 bra $L_2;
        mov.pred %p3, %p1;
        bra.uni $L_1;
        $L_2:
        st.shared.u32 [table], %r3;",
        "$L_1:
        mov.pred %p3, %p1;
        @%p1 bra $L_2;
        bra.uni $L_1;
        $L_2:
        st.shared.u32 [table], %r3;",
    );
}

#[test]
fn only_copies_between_two_branches_move() {
    for middle in [
        "add.s32 %r1, %r3, 1;",
        "@%p2 mov.b32 %r1, %r3;",
        "mov.b32 %r1, %r3; st.shared.u32 [table], %r3;",
        "mov.u32 %r1, %tid.x;",
    ] {
        unchanged(&format!("$L_1: @%p1 bra $L_2; {middle} bra.uni $L_1; $L_2: st.shared.u32 [table], %r3;"));
    }
    unchanged("$L_1: @%p1 bra $L_2; mov.b32 %r1, %r3; @%p2 bra $L_1; $L_2: st.shared.u32 [table], %r3;");
    unchanged("$L_1: bra.uni $L_2; mov.b32 %r1, %r3; bra.uni $L_1; $L_2: st.shared.u32 [table], %r3;");
    unchanged("@%p1 bra $L_2; $L_1: mov.b32 %r1, %r3; bra.uni $L_1; $L_2: st.shared.u32 [table], %r3;");
}

#[test]
fn a_branch_back_to_its_own_block_counts_as_a_read() {
    unchanged(
        "$L_1:
        add.s32 %r2, %r1, 1;
        setp.gt.s32 %p1, %r2, 10;
        @%p1 bra $L_1;
        mov.b32 %r1, %r2;
        bra.uni $L_2;
        $L_2:
        st.shared.u32 [table], %r1;",
    );
}

#[test]
fn every_run_is_examined_on_its_own() {
    hoisted(
        "$L_1:
        @%p1 bra $L_2;
        mov.b32 %r1, %r3;
        bra.uni $L_1;
        $L_2:
        @%p2 bra $L_3;
        mov.b32 %r2, %r3;
        bra.uni $L_2;
        $L_3:
        st.shared.u32 [table], %r1;",
        "$L_1:
        @%p1 bra $L_2;
        mov.b32 %r1, %r3;
        bra.uni $L_1;
        $L_2:
        mov.b32 %r2, %r3;
        @%p2 bra $L_3;
        bra.uni $L_2;
        $L_3:
        st.shared.u32 [table], %r1;",
    );
}

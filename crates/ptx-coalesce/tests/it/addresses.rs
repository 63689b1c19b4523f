//! Small bodies before and after the sharing of addresses.

use crate::common::{body, declaration, expect};
use ptx_coalesce::share_addresses;
use rustc_hash::FxHashSet as HashSet;

#[track_caller]
fn shared(before: &str, after: &str) {
    expect(before, after, |module| share_addresses(body(module), &HashSet::default()));
}

#[track_caller]
fn unchanged(text: &str) {
    shared(text, text);
}

#[test]
fn a_dominated_move_is_removed() {
    shared(
        "mov.u64 %rd1, table;
        ld.shared.u32 %r1, [%rd1];
        setp.eq.s32 %p1, %r1, 0;
        @%p1 bra $L_1;
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2+4], %r1;
        $L_1:
        mov.u64 %rd3, table;
        st.shared.u32 [%rd3+8], %r1;",
        "mov.u64 %rd1, table;
        ld.shared.u32 %r1, [%rd1];
        setp.eq.s32 %p1, %r1, 0;
        @%p1 bra $L_1;
        st.shared.u32 [%rd1+4], %r1;
        $L_1:
        st.shared.u32 [%rd1+8], %r1;",
    );
}

#[test]
fn a_dominated_move_in_the_same_block_is_removed() {
    shared(
        "mov.u64 %rd1, table;
        mov.u64 %rd2, table;
        add.u64 %rd3, %rd2, %rd1;",
        "mov.u64 %rd1, table;
        add.u64 %rd3, %rd1, %rd1;",
    );
}

#[test]
fn moves_on_the_two_sides_of_a_branch_stay() {
    unchanged(
        "@%p1 bra $L_1;
        mov.u64 %rd1, table;
        st.shared.u32 [%rd1], %r1;
        bra.uni $L_2;
        $L_1:
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r2;
        $L_2:
        mov.u64 %rd3, table;
        st.shared.u32 [%rd3], %r3;",
    );
}

#[test]
fn a_move_below_in_the_text_can_be_the_dominating_one() {
    shared(
        "bra.uni $L_2;
        $L_1:
        mov.u64 %rd1, table;
        st.shared.u32 [%rd1], %r1;
        bra.uni $L_3;
        $L_2:
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r2;
        bra.uni $L_1;
        $L_3:",
        "bra.uni $L_2;
        $L_1:
        st.shared.u32 [%rd2], %r1;
        bra.uni $L_3;
        $L_2:
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r2;
        bra.uni $L_1;
        $L_3:",
    );
}

#[test]
fn the_head_of_a_loop_dominates_its_body() {
    shared(
        "bra.uni $L_2;
        $L_1:
        mov.u64 %rd1, table;
        st.shared.u32 [%rd1], %r1;
        $L_2:
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r2;
        @%p1 bra $L_1;",
        "bra.uni $L_2;
        $L_1:
        st.shared.u32 [%rd2], %r1;
        $L_2:
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r2;
        @%p1 bra $L_1;",
    );
}

#[test]
fn a_loop_that_may_not_run_dominates_nothing_after_it() {
    unchanged(
        "@%p1 bra $L_2;
        $L_1:
        mov.u64 %rd1, table;
        st.shared.u32 [%rd1], %r1;
        @%p2 bra $L_1;
        $L_2:
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r2;",
    );
}

#[test]
fn a_register_with_another_write_stays() {
    unchanged(
        "mov.u64 %rd1, table;
        st.shared.u32 [%rd1], %r1;
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r1;
        @%p1 mov.u64 %rd2, other;
        st.shared.u32 [%rd2], %r2;",
    );
    // Nor is it what others are replaced by.
    unchanged(
        "mov.u64 %rd1, table;
        add.u64 %rd1, %rd1, 4;
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r1;",
    );
}

#[test]
fn a_guarded_move_stays() {
    unchanged(
        "mov.u64 %rd1, table;
        st.shared.u32 [%rd1], %r1;
        @%p1 mov.u64 %rd2, table;
        @%p1 st.shared.u32 [%rd2], %r1;",
    );
    unchanged(
        "@%p1 mov.u64 %rd1, table;
        @%p1 st.shared.u32 [%rd1], %r1;
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r1;",
    );
}

#[test]
fn other_addresses_and_types_are_not_shared() {
    unchanged(
        "mov.u64 %rd1, table;
        mov.u64 %rd2, other;
        mov.u64 %rd3, table+4;
        mov.u32 %r1, table;
        st.shared.u32 [%rd1], %r1;
        st.shared.u32 [%rd2], %r1;
        st.shared.u32 [%rd3], %r1;",
    );
}

#[test]
fn unreachable_moves_stay() {
    unchanged(
        "mov.u64 %rd1, table;
        st.shared.u32 [%rd1], %r1;
        bra.uni $L_1;
        mov.u64 %rd2, table;
        st.shared.u32 [%rd2], %r1;
        mov.u64 %rd3, table;
        st.shared.u32 [%rd3], %r1;
        $L_1:",
    );
}

#[test]
fn registers_of_foreign_declarations_stay() {
    let text = "{
        .reg .b64 %inner;
        mov.u64 %inner, table;
        st.shared.u32 [%inner], %r1;
        }
        mov.u64 %rd1, table;
        st.shared.u32 [%rd1], %r1;";
    expect(text, text, |module| {
        let foreign = HashSet::from_iter([declaration(module, "%inner")]);
        share_addresses(body(module), &foreign);
    });
}

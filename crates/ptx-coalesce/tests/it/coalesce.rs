//! Small bodies before and after copy coalescing.

use crate::common::{body, declaration, expect, kernel, register};
use ptx_coalesce::coalesce;
use rustc_hash::FxHashSet as HashSet;

#[track_caller]
fn coalesced(before: &str, after: &str) {
    wanting(&[], before, after);
}

#[track_caller]
fn unchanged(text: &str) {
    coalesced(text, text);
}

/// Coalesces with these pairs of registers wanted.
#[track_caller]
fn wanting(pairs: &[(&str, &str)], before: &str, after: &str) {
    expect(before, after, |module| {
        let wanted = pairs.iter().map(|(a, b)| (register(module, a), register(module, b))).collect();
        coalesce(body(module), &HashSet::default(), &HashSet::default(), wanted);
    });
}

#[test]
fn the_phi_of_a_loop_becomes_one_register() {
    coalesced(
        "mov.u32 %r1, 0;
        mov.b32 %r2, %r1;
        $L_1:
        mov.b32 %r3, %r2;
        add.s32 %r4, %r3, 1;
        mov.b32 %r2, %r4;
        setp.lt.s32 %p1, %r4, 10;
        @%p1 bra $L_1;
        st.shared.u32 [table], %r4;",
        "mov.u32 %r2, 0;
        $L_1:
        add.s32 %r2, %r2, 1;
        setp.lt.s32 %p1, %r2, 10;
        @%p1 bra $L_1;
        st.shared.u32 [table], %r2;",
    );
}

#[test]
fn a_join_of_two_branches_becomes_one_register() {
    coalesced(
        "ld.shared.u32 %r1, [table];
        setp.eq.s32 %p1, %r1, 0;
        @%p1 bra $L_1;
        add.s32 %r2, %r1, 1;
        mov.b32 %r4, %r2;
        bra.uni $L_2;
        $L_1:
        add.s32 %r3, %r1, 2;
        mov.b32 %r4, %r3;
        $L_2:
        mov.b32 %r5, %r4;
        st.shared.u32 [table], %r5;",
        "ld.shared.u32 %r1, [table];
        setp.eq.s32 %p1, %r1, 0;
        @%p1 bra $L_1;
        add.s32 %r4, %r1, 1;
        bra.uni $L_2;
        $L_1:
        add.s32 %r4, %r1, 2;
        $L_2:
        st.shared.u32 [table], %r4;",
    );
}

/// The lost-copy problem: the phi's value is read after the loop, when the next one has been computed.
#[test]
fn a_phi_that_is_read_after_its_next_value_keeps_its_register() {
    coalesced(
        "mov.u32 %r1, 0;
        $L_1:
        mov.b32 %r2, %r1;
        add.s32 %r3, %r2, 1;
        mov.b32 %r1, %r3;
        setp.lt.s32 %p1, %r3, 10;
        @%p1 bra $L_1;
        st.shared.u32 [table], %r2;",
        "mov.u32 %r1, 0;
        $L_1:
        mov.b32 %r2, %r1;
        add.s32 %r1, %r2, 1;
        setp.lt.s32 %p1, %r1, 10;
        @%p1 bra $L_1;
        st.shared.u32 [table], %r2;",
    );
}

/// The swap problem: two phis take each other's value; three copies are the fewest that exchange two registers.
#[test]
fn phis_that_exchange_their_values_keep_a_register_between() {
    coalesced(
        "ld.shared.u32 %r1, [table];
        ld.shared.u32 %r2, [table+4];
        $L_1:
        mov.b32 %r5, %r1;
        mov.b32 %r6, %r2;
        mov.b32 %r1, %r6;
        mov.b32 %r2, %r5;
        @%p1 bra $L_1;
        st.shared.u32 [table], %r1;
        st.shared.u32 [table+4], %r2;",
        "ld.shared.u32 %r1, [table];
        ld.shared.u32 %r6, [table+4];
        $L_1:
        mov.b32 %r5, %r1;
        mov.b32 %r1, %r6;
        mov.b32 %r6, %r5;
        @%p1 bra $L_1;
        st.shared.u32 [table], %r1;
        st.shared.u32 [table+4], %r6;",
    );
}

#[test]
fn a_copy_does_not_interfere_with_its_live_source() {
    coalesced(
        "ld.shared.u32 %r1, [table];
        mov.b32 %r2, %r1;
        st.shared.u32 [table], %r1;
        st.shared.u32 [table+4], %r2;",
        "ld.shared.u32 %r2, [table];
        st.shared.u32 [table], %r2;
        st.shared.u32 [table+4], %r2;",
    );
}

/// Only a copy and its source are known to have the same value.
#[test]
fn two_copies_of_a_register_interfere() {
    coalesced(
        "ld.shared.u32 %r1, [table];
        mov.b32 %r2, %r1;
        mov.b32 %r3, %r1;
        add.s32 %r4, %r2, %r3;
        st.shared.u32 [table], %r4;",
        "ld.shared.u32 %r2, [table];
        mov.b32 %r3, %r2;
        add.s32 %r4, %r2, %r3;
        st.shared.u32 [table], %r4;",
    );
}

#[test]
fn a_copy_stays_if_its_source_changes_while_it_is_live() {
    unchanged(
        "ld.shared.u32 %r1, [table];
        mov.b32 %r2, %r1;
        add.s32 %r1, %r1, 1;
        st.shared.u32 [table], %r1;
        st.shared.u32 [table+4], %r2;",
    );
}

#[test]
fn a_copy_stays_if_it_changes_while_its_source_is_live() {
    unchanged(
        "ld.shared.u32 %r1, [table];
        mov.b32 %r2, %r1;
        add.s32 %r2, %r2, 1;
        st.shared.u32 [table], %r1;
        st.shared.u32 [table+4], %r2;",
    );
}

/// The copy is above the other write in the text, so that the walk backward comes to it later.
#[test]
fn a_copy_does_not_remove_the_interference_of_another_write() {
    unchanged(
        "mov.b32 %r2, %r1;
        st.shared.u32 [table], %r2;
        ld.shared.u32 %r2, [table+4];
        st.shared.u32 [table+8], %r2;
        st.shared.u32 [table+12], %r1;",
    );
    unchanged(
        "bra.uni $L_2;
        $L_1:
        ld.shared.u32 %r2, [table+4];
        st.shared.u32 [table+8], %r2;
        st.shared.u32 [table+12], %r1;
        bra.uni $L_3;
        $L_2:
        mov.b32 %r2, %r1;
        st.shared.u32 [table], %r2;
        bra.uni $L_1;
        $L_3:",
    );
}

#[test]
fn a_guarded_write_ends_no_live_range() {
    // In the same block, and in a later one.
    for label in ["", "$L_1:"] {
        unchanged(&format!(
            "mov.u32 %r1, 1;
            ld.shared.u32 %r2, [table];
            st.shared.u32 [table+4], %r2;
            {label}
            @%p1 mov.u32 %r1, 7;
            st.shared.u32 [table+8], %r1;
            mov.b32 %r2, %r1;
            st.shared.u32 [table+12], %r2;"
        ));
    }
}

#[test]
fn a_guarded_copy_is_no_reason_to_coalesce() {
    unchanged(
        "ld.shared.u32 %r1, [table];
        @%p1 mov.b32 %r2, %r1;
        st.shared.u32 [table], %r2;",
    );
}

#[test]
fn guards_get_the_representative_too() {
    coalesced(
        "setp.eq.s32 %p1, %r1, 0;
        mov.pred %p2, %p1;
        @!%p2 st.shared.u32 [table], %r1;
        @%p1 bra $L_1;
        st.shared.u32 [table+4], %r1;
        $L_1:",
        "setp.eq.s32 %p2, %r1, 0;
        @!%p2 st.shared.u32 [table], %r1;
        @%p2 bra $L_1;
        st.shared.u32 [table+4], %r1;
        $L_1:",
    );
}

#[test]
fn registers_of_different_types_are_not_coalesced() {
    let text = "ld.shared.u32 %r1, [table];
        mov.b32 %f1, %r1;
        add.f32 %f2, %f1, %f1;
        st.shared.f32 [table], %f2;";
    unchanged(text);
    wanting(&[("%r1", "%f2")], text, text);
}

#[test]
fn wanted_pairs_are_coalesced_unless_they_interfere() {
    wanting(
        &[("%r1", "%r2")],
        "ld.shared.u32 %r1, [table];
        st.shared.u32 [table+4], %r1;
        ld.shared.u32 %r2, [table+8];
        st.shared.u32 [table+12], %r2;",
        "ld.shared.u32 %r1, [table];
        st.shared.u32 [table+4], %r1;
        ld.shared.u32 %r1, [table+8];
        st.shared.u32 [table+12], %r1;",
    );
    let overlapping = "ld.shared.u32 %r1, [table];
        ld.shared.u32 %r2, [table+8];
        st.shared.u32 [table+4], %r1;
        st.shared.u32 [table+12], %r2;";
    wanting(&[("%r1", "%r2")], overlapping, overlapping);
}

#[test]
fn a_write_that_nothing_reads_interferes_with_what_is_live() {
    let text = "ld.shared.u32 %r1, [table];
        ld.shared.u32 %r2, [table+8];
        st.shared.u32 [table+4], %r1;";
    wanting(&[("%r1", "%r2")], text, text);
}

#[test]
fn results_of_one_instruction_interfere_even_if_they_are_not_read() {
    for read in ["", "st.shared.u32 [table+8], %r1;", "st.shared.u32 [table+8], %r2;"] {
        let text = format!("ld.shared.v2.u32 {{%r1, %r2}}, [table]; {read}");
        wanting(&[("%r1", "%r2")], &text, &text);
    }
}

#[test]
fn operands_and_results_of_one_instruction_may_share_a_register() {
    wanting(
        &[("%r1", "%r2")],
        "ld.shared.u32 %r1, [table];
        add.s32 %r2, %r1, %r1;
        st.shared.u32 [table], %r2;",
        "ld.shared.u32 %r1, [table];
        add.s32 %r1, %r1, %r1;
        st.shared.u32 [table], %r1;",
    );
}

#[test]
fn kept_copies_are_no_reason_to_coalesce() {
    let text = "ld.shared.u32 %r1, [table];
        mov.b32 %r2, %r1;
        mov.b32 %r3, %r2;
        st.shared.u32 [table], %r3;";
    let after = "ld.shared.u32 %r1, [table];
        mov.b32 %r3, %r1;
        st.shared.u32 [table], %r3;";
    expect(text, after, |module| {
        let kept = HashSet::from_iter([register(module, "%r2")]);
        coalesce(body(module), &HashSet::default(), &kept, Vec::new());
    });
}

#[test]
fn kept_copies_stay_even_if_their_registers_are_coalesced() {
    let before = "ld.shared.u32 %r1, [table];
        mov.b32 %r2, %r1;
        st.shared.u32 [table], %r2;";
    let after = "ld.shared.u32 %r1, [table];
        mov.b32 %r1, %r1;
        st.shared.u32 [table], %r1;";
    expect(before, after, |module| {
        let pair = (register(module, "%r1"), register(module, "%r2"));
        let kept = HashSet::from_iter([pair.1]);
        coalesce(body(module), &HashSet::default(), &kept, vec![pair]);
    });
}

#[test]
fn registers_of_foreign_declarations_stay() {
    let text = "ld.shared.u32 %r1, [table];
        {
        .reg .b32 %inner;
        mov.b32 %inner, %r1;
        add.s32 %inner, %inner, 1;
        mov.b32 %r2, %inner;
        }
        st.shared.u32 [table], %r2;";
    for is_wanted in [false, true] {
        expect(text, text, |module| {
            let foreign = HashSet::from_iter([declaration(module, "%inner")]);
            let pair = (register(module, "%r1"), register(module, "%inner"));
            let wanted = if is_wanted { vec![pair] } else { Vec::new() };
            coalesce(body(module), &foreign, &HashSet::default(), wanted);
        });
    }
}

#[test]
fn the_representative_of_every_register_is_known_afterwards() {
    let mut module = kernel(
        "ld.shared.u32 %r1, [table];
        mov.b32 %r2, %r1;
        mov.b32 %r3, %r2;
        add.s32 %r4, %r3, 1;
        st.shared.u32 [table], %r4;",
    );
    let [one, two, three, four] = ["%r1", "%r2", "%r3", "%r4"].map(|name| register(&module, name));
    let found = coalesce(body(&mut module), &HashSet::default(), &HashSet::default(), Vec::new());
    assert_eq!([one, two, three, four].map(|own| found.representative(own)), [two, two, two, four]);
}

/// The first product writes its sums while those of the second one hold the same first values, to which the second product adds.
#[test]
fn accumulators_with_one_first_value_are_two_registers() {
    let products = |first: &str, second: &str| {
        format!(
            "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {{{first}, %r2, %r3, %r4}}, %rd1, %rd1, 1;
            st.shared.u32 [table], {first};
            wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {{{second}, %r6, %r7, %r8}}, %rd1, %rd1, 1;
            st.shared.u32 [table], {second};"
        )
    };
    let before = format!(
        "ld.shared.u32 %r9, [table];
        mov.b32 %r1, %r9;
        mov.b32 %r5, %r9;
        {}",
        products("%r1", "%r5")
    );
    let after = format!(
        "ld.shared.u32 %r1, [table];
        mov.b32 %r5, %r1;
        {}",
        products("%r1", "%r5")
    );
    coalesced(&before, &after);
}

/// What a guarded instruction may leave as it is lives on to it.
#[test]
fn guarded_result_with_the_same_first_value_is_another_register() {
    coalesced(
        "ld.shared.u32 %r9, [table];
        mov.b32 %r1, %r9;
        mov.b32 %r5, %r9;
        @%p1 add.s32 %r1, %r2, 1;
        st.shared.u32 [table], %r1;
        @%p1 add.s32 %r5, %r2, 2;
        st.shared.u32 [table], %r5;",
        "ld.shared.u32 %r1, [table];
        mov.b32 %r5, %r1;
        @%p1 add.s32 %r1, %r2, 1;
        st.shared.u32 [table], %r1;
        @%p1 add.s32 %r5, %r2, 2;
        st.shared.u32 [table], %r5;",
    );
}

//! Small bodies before and after dropping moves of constants.

use crate::common::{body, expect};
use ptx_coalesce::drop_known_constants;

#[track_caller]
fn dropped(before: &str, after: &str) {
    expect(before, after, |module| drop_known_constants(body(module)));
}

#[track_caller]
fn unchanged(text: &str) {
    dropped(text, text);
}

#[test]
fn constants_of_nested_branches_are_moved_once() {
    dropped(
        "mov.f32 %f1, 0f00000000;
        mov.f32 %f2, %f1;
        @%p1 bra $L_2;
        ld.shared.u32 %r1, [table];
        mov.f32 %f1, 0f00000000;
        mov.f32 %f2, %f1;
        mov.b32 %r2, 0;
        @%p2 bra $L_2;
        mov.f32 %f1, 0f3F800000;
        mov.f32 %f2, 0f00000000;
        $L_2:
        st.shared.f32 [table], %f1;
        st.shared.f32 [table+4], %f2;
        st.shared.u32 [table+8], %r2;",
        "mov.f32 %f1, 0f00000000;
        mov.f32 %f2, %f1;
        @%p1 bra $L_2;
        ld.shared.u32 %r1, [table];
        mov.b32 %r2, 0;
        @%p2 bra $L_2;
        mov.f32 %f1, 0f3F800000;
        $L_2:
        st.shared.f32 [table], %f1;
        st.shared.f32 [table+4], %f2;
        st.shared.u32 [table+8], %r2;",
    );
}

#[test]
fn constants_that_all_predecessors_have_are_known() {
    dropped(
        "@%p1 bra $L_1;
        mov.b32 %r1, 7;
        bra.uni $L_2;
        $L_1:
        mov.u32 %r1, 7;
        $L_2:
        mov.b32 %r1, 7;
        st.shared.u32 [table], %r1;",
        "@%p1 bra $L_1;
        mov.b32 %r1, 7;
        bra.uni $L_2;
        $L_1:
        mov.u32 %r1, 7;
        $L_2:
        st.shared.u32 [table], %r1;",
    );
}

#[test]
fn registers_that_may_hold_something_else_are_written() {
    // Another constant, another bit pattern, a guarded write, a write by an operation.
    for between in [
        "mov.b32 %r1, 8;",
        "@%p1 mov.b32 %r1, 8;",
        "add.s32 %r1, %r1, 1;",
        "ld.shared.u32 %r1, [table];",
        "@%p1 bra $L_1;\nmov.b32 %r1, 8;\n$L_1:",
    ] {
        unchanged(&format!("mov.b32 %r1, 7;\n{between}\nmov.b32 %r1, 7;\nst.shared.u32 [table], %r1;"));
    }
    unchanged("mov.f32 %f1, 0f00000000;\nmov.f32 %f1, 0f80000000;\nst.shared.f32 [table], %f1;");
    // The loop may come back with something else.
    unchanged(
        "mov.b32 %r1, 7;
        $L_1:
        mov.b32 %r1, 7;
        st.shared.u32 [table], %r1;
        add.s32 %r1, %r1, 1;
        @%p1 bra $L_1;",
    );
    // A guarded move tells nothing.
    unchanged("@%p1 mov.b32 %r1, 7;\nmov.b32 %r1, 7;\nst.shared.u32 [table], %r1;");
}

#[test]
fn registers_that_are_free_for_long_are_written_again() {
    let text = |count: usize| {
        let others = "add.s32 %r2, %r2, %r3;\n".repeat(count);
        (
            format!("mov.b32 %r1, 7;\n{others}mov.b32 %r1, 7;\nst.shared.u32 [table], %r1;"),
            format!("mov.b32 %r1, 7;\n{others}st.shared.u32 [table], %r1;"),
        )
    };
    let (near, after) = text(20);
    dropped(&near, &after);
    unchanged(&text(100).0);
}

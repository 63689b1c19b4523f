//! Addresses: what is a pointer, what is a number, and into which space or variable a pointer points.

use super::*;

#[test]
fn parameter_used_as_address_is_a_pointer_into_its_space() {
    let text = body("ld.global.u32 %r1, [%d0+4]; add.s64 %d1, %d0, 16; st.global.u32 [%d1], %r1;");
    has(
        &text,
        &[
            "@k(ptr addrspace(1) noundef %p, i32 noundef %n)",
            "getelementptr i8, ptr addrspace(1) %p, i64 4",
            "load i32",
            "getelementptr i8, ptr addrspace(1) %p, i64 16",
        ],
    );
    lacks(&text, "inttoptr");
    lacks(&text, "alloca");
}

#[test]
fn pointer_kept_in_a_loop_stays_a_pointer() {
    let text = body(
        "cvta.to.global.u64 %d1, %d0; mov.u32 %r1, 0;\nL: st.global.u32 [%d1], %r1; add.s64 %d1, %d1, 4; add.s32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r0; @%p1 bra L;",
    );
    has(
        &text,
        &[
            "addrspacecast ptr %p to ptr addrspace(1)",
            "phi ptr addrspace(1)",
            "phi i32",
            "getelementptr i8, ptr addrspace(1)",
        ],
    );
    lacks(&text, "inttoptr");
}

#[test]
fn shared_address_in_a_32_bit_register_is_a_pointer() {
    let text = ir(&format!(
        ".shared .align 4 .b8 s[64];\n.entry k()\n{{\n{REGISTERS}mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, s; add.s32 %r3, %r2, %r1;\nst.shared.u32 [%r3], %r1; ret;\n}}\n"
    ));
    has(&text, &["@s = internal addrspace(3) global [64 x i8] undef, align 4"]);
    has(&text, &["getelementptr i8, ptr addrspace(3) @s, i32", "store i32"]);
    lacks(&text, "inttoptr");
}

#[test]
fn shared_address_is_stored_with_the_width_of_its_register() {
    let text = ir(&format!(
        ".shared .align 4 .b8 s[64];\n.global .align 4 .b8 g[64];\n.entry k(.param .u64 p)\n{{\n{REGISTERS}ld.param.u64 %d0, [p];\n\
         mov.u32 %r1, s; st.global.u32 [%d0], %r1; mov.u32 %r2, g; st.global.u32 [%d0+4], %r2; mov.u16 %h1, s; st.global.u16 [%d0+8], %h1; ret;\n}}\n"
    ));
    has(&text, &["store i32 ptrtoint (ptr addrspace(3) @s to i32)"]);
    has(&text, &["store i32 ptrtoint (ptr addrspace(1) @g to i32)"]);
    has(&text, &["store i16 ptrtoint (ptr addrspace(3) @s to i16)"]);
}

#[test]
fn variable_in_a_generic_access_is_accessed_where_it_lies() {
    let text = ir(&format!(
        ".shared .align 4 .u32 s;\n.entry k()\n{{\n{REGISTERS}ld.u32 %r1, [s]; st.u32 [s], %r1; ret;\n}}\n"
    ));
    has(&text, &["load i32, ptr addrspacecast (ptr addrspace(3) @s to ptr)", "store i32"]);
}

#[test]
fn pointer_loaded_from_memory_is_loaded_as_a_pointer() {
    let text = body("ld.global.u64 %d1, [%d0]; st.u32 [%d1+8], %r0;");
    has(&text, &["load ptr, ptr addrspace(1) %p, align 8", "getelementptr i8, ptr %"]);
}

#[test]
fn address_passed_on_to_a_function_is_a_pointer_all_the_way() {
    let text = ir(&format!(
        ".visible .func f(.param .b64 a)\n{{\n{REGISTERS}ld.param.b64 %d1, [a]; st.global.u32 [%d1], 1; ret;\n}}\n\
         .visible .func g(.param .b64 b)\n{{\n{REGISTERS}ld.param.b64 %d1, [b]; add.s64 %d1, %d1, 8;\n{{\n.param .b64 x;\n\
         st.param.b64 [x], %d1; call f, (x);\n}}\nret;\n}}\n"
    ));
    has(
        &text,
        &[
            "define void @f(ptr addrspace(1) %a)",
            "define void @g(ptr addrspace(1) %b)",
            "call void @f(ptr addrspace(1) %",
        ],
    );
    lacks(&text, "inttoptr");
}

#[test]
fn all_names_of_dynamic_shared_memory_are_one_variable() {
    let text = ir(concat!(
        ".extern .shared .align 4 .b32 d[];\n.extern .shared .align 16 .b8 e[];\n",
        ".entry k() { .reg .b32 %r<4>; mov.b32 %r1, 5; st.shared.b32 [d], %r1; st.shared.b32 [e+4], %r1; ret; }\n",
    ));
    has(&text, &["@__ptx_dynamic_shared = external addrspace(3) global [0 x i8], align 16"]);
    has(&text, &["store i32 5, ptr addrspace(3) @__ptx_dynamic_shared, align 4"]);
    has(&text, &["getelementptr (i8, ptr addrspace(3) @__ptx_dynamic_shared, i64 4)"]);
    has(&text, &[r#"!{!"d", !"b32", !"4", !"k"}"#, r#"!{!"e", !"b8", !"16", !"k"}"#]);
}

#[test]
fn what_is_accessed_through_the_address_of_a_parameter_is_based_on_it() {
    let function = |access: &str| {
        ir(&format!(
            ".func (.param .b32 r) f(.param .align 8 .b8 s[16], .param .b64 o) {{\n{REGISTERS}\
             mov.b64 %d1, s; ld.param.b64 %d2, [o]; add.s64 %d3, %d1, %d2; mov.b32 %r1, 1;\n\
             {access} st.param.b32 [r], %r1; ret; }}\n"
        ))
    };
    for access in
        ["ld.param.b32 %r1, [%d3];", "st.param.b32 [%d3], %r1;", "st.param.v2.b32 [%d3], {%r1, %r1};"]
    {
        let text = function(access);
        has(&text, &["%d1 = addrspacecast ptr %s to ptr addrspace(5)"]);
        lacks(&text, "addrspace(101)");
        lacks(&text, "asm");
    }
}

#[test]
fn lower_half_of_a_shared_address_is_an_operand_of_32_bits() {
    let text = ir(
        ".shared .b32 s;\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<3>;\n.reg .b64 %d<2>;\nld.param.u64 %d0, [p];\nld.global.u32 %r1, [%d0];\nmapa.shared::cluster.u32 %r0, s, %r1;\nst.global.u32 [%d0], %r0;\nret; }\n",
    );
    has(
        &text,
        &["mapa.shared::cluster.u32 $0, $1, $2;\", \"=r,r,r\"", "i32 ptrtoint (ptr addrspace(3) @s to i32)"],
    );
}

/// The IR of a kernel with two variables in shared memory, whose addresses are in `%r1` and `%r2`, and a number `%r3` from memory.
fn two_variables(statements: &str) -> String {
    ir(&format!(
        ".shared .align 4 .b32 g[4];\n.shared .align 4 .b32 h[4];\n.visible .entry k(.param .u64 p)\n{{\n{REGISTERS}\
         ld.param.u64 %d0, [p]; mov.b32 %r1, g; mov.b32 %r2, h; ld.global.b32 %r3, [%d0]; {statements} ret; }}\n"
    ))
}

#[test]
fn a_sum_with_a_distance_between_variables_is_a_number() {
    for statements in [
        "sub.s32 %r4, %r2, %r1; mad.lo.s32 %r4, %r3, 4, %r4; add.s32 %r5, %r1, %r4; st.shared.b32 [%r5], %r3;",
        // The address is stored in memory, from which the distance may be loaded.
        "st.global.b32 [%d0], %r1; add.s32 %r5, %r1, %r3; st.shared.b32 [%r5], %r3;",
        // A branch may choose the distance.
        "setp.lt.u32 %p1, %r1, %r2; mov.u32 %r4, %tid.x; add.s32 %r5, %r1, %r4; @%p1 st.shared.b32 [%r5], %r3;",
    ] {
        let text = two_variables(statements);
        has(
            &text,
            &[
                "%r5 = add i32 ",
                "ptrtoint (ptr addrspace(3) @g to i32)",
                "inttoptr i32 %r5 to ptr addrspace(3)",
            ],
        );
    }
}

#[test]
fn a_sum_that_stays_in_its_variable_is_an_address() {
    for statements in [
        // No address leaves the registers.
        "add.s32 %r5, %r1, %r3; st.shared.b32 [%r5], %r3;",
        "st.global.b32 [%d0], %r1; mov.u32 %r4, %tid.x; add.s32 %r5, %r1, %r4; st.shared.b32 [%r5], %r3;",
        "setp.lt.u32 %p1, %r1, %r2; add.s32 %r5, %r1, 8; @%p1 st.shared.b32 [%r5], %r3;",
        // A distance within one variable.
        "add.s32 %r4, %r1, %r3; sub.s32 %r4, %r4, %r1; add.s32 %r5, %r1, %r4; st.shared.b32 [%r5], %r3;",
    ] {
        let text = two_variables(statements);
        has(&text, &["getelementptr", "ptr addrspace(3) @g"]);
        lacks(&text, "inttoptr");
    }
}

#[test]
fn a_bounded_index_stays_in_its_variable() {
    let table = |index: &str| {
        ir(&format!(
            ".global .align 4 .b32 g[4];\n.visible .entry k(.param .u64 p)\n{{\n{REGISTERS}\
             ld.param.u64 %d0, [p]; mov.b64 %d1, g; ld.global.b32 %r3, [%d0]; ld.global.b64 %d3, [%d0];\n\
             {index} ld.global.b32 %r5, [%d5]; st.global.b32 [%d0], %r5; ret; }}\n"
        ))
    };
    for index in [
        "and.b32 %r4, %r3, 3; mad.wide.u32 %d5, %r4, 4, %d1;",
        "shr.u32 %r4, %r3, 30; shl.b32 %r4, %r4, 2; cvt.u64.u32 %d4, %r4; add.s64 %d5, %d1, %d4;",
        "rem.u32 %r4, %r3, 4; mul.wide.u32 %d4, %r4, 4; add.s64 %d5, %d4, %d1;",
    ] {
        has(&table(index), &["%d5 = getelementptr i8, ptr addrspace(1) @g"]);
    }
    for index in [
        "and.b32 %r4, %r3, 7; mad.wide.u32 %d5, %r4, 4, %d1;",
        "and.b32 %r4, %r3, 3; add.s64 %d2, %d1, 4; mad.wide.u32 %d5, %r4, 4, %d2;",
        "and.b64 %d4, %d3, -4; add.s64 %d5, %d1, %d4;",
        "shr.s32 %r4, %r3, 30; mad.wide.s32 %d5, %r4, 4, %d1;",
    ] {
        has(&table(index), &["%d5 = add i64", "inttoptr i64 %d5"]);
    }
}

#[test]
fn an_unsigned_halfword_that_a_signed_product_reads_has_no_bound() {
    let big = |product: &str| {
        ir(&format!(
            ".global .align 4 .b8 g[131072];\n.visible .entry k(.param .u64 p)\n{{\n{REGISTERS}\
             ld.param.u64 %d0, [p]; mov.b64 %d1, g; ld.global.u16 %h1, [%d0];\n\
             {product} ld.global.b32 %r5, [%d5]; st.global.b32 [%d0], %r5; ret; }}\n"
        ))
    };
    has(
        &big("mul.wide.u16 %r4, %h1, 1; cvt.u64.u32 %d4, %r4; add.s64 %d5, %d1, %d4;"),
        &["%d5 = getelementptr i8"],
    );
    for product in [
        "mul.wide.s16 %r4, %h1, 1; cvt.u64.u32 %d4, %r4; add.s64 %d5, %d1, %d4;",
        "mul.wide.s16 %r4, %h1, 1; cvt.s64.s32 %d4, %r4; add.s64 %d5, %d1, %d4;",
    ] {
        has(&big(product), &["%d5 = add i64"]);
    }
}

#[test]
fn an_address_that_a_function_returns_in_a_vector_has_left_the_registers() {
    let text = ir(&format!(
        ".shared .align 4 .b32 g[4];\n.func (.reg .v2 .b32 o) f() {{ mov.b32 o.x, 0; mov.b32 o.y, g; ret; }}\n\
         .visible .entry k(.param .u64 p)\n{{\n{REGISTERS}ld.param.u64 %d0, [p]; ld.global.b32 %r3, [%d0];\n\
         mov.b32 %r1, g; add.s32 %r5, %r1, %r3; st.shared.b32 [%r5], %r3; ret; }}\n"
    ));
    has(&text, &["%r5 = add i32 %r3, ptrtoint (ptr addrspace(3) @g to i32)"]);
}

//! The module's assembly.

use super::{has, has_not, ptx, refusal};

#[test]
fn function_of_the_assembly_is_called() {
    let text =
        ptx("module asm \".func (.param .u32 r) f(.param .s32 a) { .reg .b32 x; ld.param.b32 x, [a];\"
module asm \"st.param.b32 [r], x; ret; }\"
declare i32 @f(i32)
define i32 @g(i32 %x) {\n  %r = call i32 @f(i32 %x)\n  ret i32 %r\n}");
    // The declaration has the types and the linkage of the definition.
    has(&text, &[".func (.param .u32 r) f( .param .s32 a ) ;", ".func (.param .u32 r) f(", "{", "}", ") g("]);
    has(&text, &["call.uni (retval0), f, (param0);"]);
    has_not(&text, ".extern");
}

#[test]
fn assembly_calls_a_function_that_it_does_not_declare() {
    let text = ptx("module asm \".visible .func f() { call g; ret; }\"
define internal void @g() {\n  ret void\n}");
    has(&text, &[".func g() ;", ".visible .func f()", "call g;", ".func g() {"]);
}

#[test]
fn declarations_of_the_assembly_give_way_to_definitions() {
    let text = ptx("module asm \".extern .global .u32 v;\"
module asm \".extern .func (.param .b32 r) g(.param .b32 a);\"
module asm \".visible .func f() { .reg .b32 x; ld.global.u32 x, [v]; st.global.u32 [v], x; ret; }\"
@v = internal addrspace(1) global i32 5
define internal i32 @g(i32 %a) {\n  ret i32 %a\n}");
    has(&text, &[".func (.param .b32", "g(", ".global .align 4 .b32 v = 5;", ".visible .func f"]);
    has_not(&text, ".extern");
}

#[test]
fn variables_follow_what_their_initial_values_name() {
    let text = ptx("module asm \".global .u64 b = a;\"
@a = internal addrspace(1) global i32 5
@b = external addrspace(1) global i64
@c = internal addrspace(1) global ptr addrspace(1) @b");
    has(&text, &[".b32 a = 5;", ".u64 b = a;", "c = b;"]);
    has_not(&text, ".extern");
    // In a circle one of them is declared before, which only visible ones can be.
    let text = ptx("module asm \".global .u64 b = c;\"
@b = external addrspace(1) global i64
@c = internal addrspace(1) global ptr addrspace(1) @b");
    has(&text, &[".extern .global .align 8 .u64 c;", ".u64 b = c;", ".visible .global .align 8 .u64 c = b;"]);
}

#[test]
fn comments_alone_are_nothing() {
    for text in ["// nothing", "", "/* nothing */\\0A"] {
        let text = ptx(&format!("module asm \"{text}\"\ndefine void @f() {{\n  ret void\n}}"));
        has_not(&text, "nothing");
    }
}

#[test]
fn names_of_the_assembly_are_taken() {
    let text = ptx("module asm \".global .u32 param0;\"
declare void @f(i32)
define void @g(i32 %param0) {\n  call void @f(i32 %param0)\n  ret void\n}");
    has_not(&text, "[param0]");
}

#[test]
fn assembly_that_cannot_be_placed_is_refused_at_its_place() {
    for (text, message) in [
        (
            "module asm \"// first\"\nmodule asm \"  frob\"",
            "R0104: expected a directive, found `frob`, in line 2, column 3 of",
        ),
        ("module asm \".symver f, f@1\"", "R0104: `.symver` is not a directive"),
        ("module asm \".version 8.0\"", "R0109: `.version` is not allowed in module assembly"),
        ("module asm \".target sm_90\"", "R0109: `.target` is not allowed in module assembly"),
        ("module asm \".file 1 \\22a\\22\"", "R0109: `.file` is not allowed in module assembly"),
        ("module asm \".func f() { .loc 1 2 3 ret; }\"", "R0109: `.loc` is not allowed in module assembly"),
        (
            "module asm \".func f() { ret; }\"\ndefine void @f() {\n  ret void\n}",
            "R0109: `f` is defined in the assembly and",
        ),
        (
            "module asm \".global .u32 v;\"\n@v = addrspace(1) global i32 0",
            "R0109: `v` is defined in the assembly and",
        ),
        (
            "module asm \".global .u32 v;\"\n@v = external addrspace(1) global i64",
            "R0109: `v` has 4 bytes, and is declared with 8",
        ),
        (
            "module asm \".extern .shared .u32 v;\"\n@v = addrspace(1) global i32 0",
            "R0109: `v` is in .global, but is declared in .shared",
        ),
        (
            "module asm \".extern .global .align 8 .u32 v;\"\n@v = addrspace(1) global i32 0",
            "R0109: `v` is aligned to 4, and declared for 8",
        ),
        ("module asm \".global .u32 f;\"\ndeclare void @f()", "R0109: `f` is a function in one of"),
        (
            "module asm \".func f(.param .b64 x) { ret; }\"\ndeclare void @f(i32)",
            "R0109: `f` is declared differently in LLVM IR: parameter 1 is",
        ),
        (
            "module asm \".func f(.reg .b32 x) { ret; }\"\ndeclare void @f(i32)",
            "R0109: `f` is declared differently in LLVM IR: parameter 1 is",
        ),
        (
            "module asm \".func f(.param .b32 x) { ret; }\"\ndeclare i32 @f(i32)",
            "R0109: `f` is declared differently in LLVM IR: it has 1 result",
        ),
        (
            "module asm \".entry f() { ret; }\"\ndeclare void @f()",
            "R0109: `f` is declared differently in LLVM IR: it is a kernel",
        ),
        ("module asm \".func f() { .reg .b32 a; mov.u32 a, q; ret; }\"", "R0104: name `q` is not declared"),
        (
            "module asm \".func f() { tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; ret; }\"",
            "R0106: tcgen05",
        ),
    ] {
        let found = refusal(text);
        assert!(found.starts_with(message), "{text}: {found}");
        assert!(found.contains("of the assembly of the module"), "{text}: {found}");
    }
}

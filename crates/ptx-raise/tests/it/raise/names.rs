//! Names, variables, and source locations.

use super::{has, has_not, ptx, readable, refusal};

#[test]
fn variables_keep_space_linkage_alignment_and_values() {
    let text = ptx("@a = addrspace(1) global [3 x i32] [i32 1, i32 2, i32 3], align 8
@b = internal addrspace(4) constant float 1.5
@c = external addrspace(3) global [0 x i8], align 16
@d = weak addrspace(1) global { i8, ptr } { i8 7, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @a to ptr), i64 4) }
@e = internal addrspace(3) global [8 x float] undef");
    has(&text, &[".visible .global .align 8 .b32 a[3] = {1, 2, 3}", ".const .align 4 .f32 b = 0f3FC00000"]);
    has(
        &text,
        &[".extern .shared .align 16 .b8 c[]", ".weak .global .align 8 .u64 d[2] = {7, generic(a)+4}"],
    );
    // Over 128 bits and defined here: LLVM takes it for aligned to 16.
    has(&text, &[".shared .align 16 .f32 e[8];"]);
}

#[test]
fn packed_addresses_are_written_by_masks() {
    let text = ptx("@a = addrspace(1) global i32 0
@p = addrspace(1) global <{ i8, ptr addrspace(1) }> <{ i8 1, ptr addrspace(1) @a }>");
    has(&text, &[".u8 p[9] = {1, 0xFF(a), 0xFF00(a)"]);
}

#[test]
fn bytes_of_addresses_are_written_by_masks() {
    let byte = |index: u32| {
        format!(
            "i8 extractelement (<8 x i8> bitcast (i64 ptrtoint (ptr addrspace(1) @a to i64) to <8 x i8>), i32 {index})"
        )
    };
    let text = ptx(&format!(
        "@a = addrspace(1) global i32 0
@p = addrspace(1) global [3 x i8] [{}, i8 4, {}]
@w = addrspace(1) global i32 bitcast (<4 x i8> <{}, i8 0, i8 1, i8 0> to i32)
@h = addrspace(1) global i32 extractelement (<2 x i32> bitcast (i64 ptrtoint (ptr addrspace(1) @a to i64) to <2 x i32>), i32 1)
@n = addrspace(1) global i16 trunc (i64 ptrtoint (ptr addrspace(1) @a to i64) to i16)",
        byte(7),
        byte(1),
        byte(2)
    ));
    has(&text, &["p[3] = {0xFF00000000000000(a), 4, 0xFF00(a)};", "w[4] = {0xFF0000(a), 0, 1, 0};"]);
    has(&text, &["h[4] = {0xFF00000000(a), 0xFF0000000000(a), 0xFF000000000000(a), 0xFF00000000000000(a)};"]);
    has(&text, &["n[2] = {0xFF(a), 0xFF00(a)};"]);
}

#[test]
fn addresses_in_integers_of_another_width_are_refused() {
    for (value, why) in [
        (
            "i128 add (i128 ptrtoint (ptr addrspace(1) @a to i128), i128 1)",
            "an address in an integer of more than 64 bits",
        ),
        ("ptr inttoptr (i32 ptrtoint (ptr addrspace(1) @a to i32) to ptr)", "a part of an address"),
    ] {
        let message = refusal(&format!("@a = addrspace(1) global i32 0\n@p = addrspace(1) global {value}"));
        assert!(message.starts_with("R0105") && message.contains(why), "{message}");
    }
}

#[test]
fn shared_variables_cannot_have_values() {
    let message = refusal("@s = internal addrspace(3) global i32 5");
    assert!(message.starts_with("R0105") && message.contains("variable s"), "{message}");
}

#[test]
fn names_ptx_cannot_spell_are_escaped() {
    let text = ptx("@.str = private addrspace(1) constant [2 x i8] c\"a\\00\"
define ptr @\"my.function\"() { ret ptr addrspacecast (ptr addrspace(1) @.str to ptr) }");
    has(&text, &["_$2Estr[2]", "my_$2Efunction", "_$2Estr", "cvta.global.u64"]);
}

#[test]
fn allocas_are_local_variables() {
    let text = ptx("define i32 @f(i32 %i) {
  %a = alloca [4 x i32], align 16
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %i
  store i32 7, ptr %p
  %q = getelementptr i8, ptr %a, i32 8
  %v = load i32, ptr %q
  call void @escape(ptr %a)
  ret i32 %v\n}
declare void @escape(ptr)");
    has(&text, &[".local .align 16 .b8 a[16]", "st.local.b32", "ld.local.b32"]);
    has(&text, &["[a+8]", "cvta.local.u64", "st.param.b64"]);
}

#[test]
fn registers_have_the_names_of_values() {
    let text = readable(
        "define i32 @f(i32 %width, float %x.addr) {
  %sum = add i32 %width, 7
  %1 = mul i32 %sum, %width
  %x_addr = fadd float %x.addr, 1.0
  %tid = fptosi float %x_addr to i32
  %r1 = add i32 %1, %tid
  ret i32 %r1\n}",
    );
    has(&text, &["ld.param.b32 %width, [width];", "ld.param.f32 %x_addr,", "add.s32 %sum, %width, 7;"]);
    // `%1` has only a number, and `%r1` is how registers without a name are called: it is that number.
    has(&text, &["mul.lo.s32 %r2, %sum, %width;", "add.rn.f32 %x_addr_1, %x_addr, 0f3F800000;"]);
    // `%tid` is a register of the machine.
    has(&text, &["cvt.rzi.s32.f32 %tid_1, %x_addr_1;", "add.s32 %r1, %r2, %tid_1;"]);
}

#[test]
fn labels_have_the_names_of_blocks() {
    let module = "define void @f(i1 %c) {
entry:
  br i1 %c, label %if.then, label %0
if.then:
  call void @g()
  br label %\"if then\"
0:
  call void @g()
  br label %\"if then\"
\"if then\":
  call void @g()
  br i1 %c, label %if.then, label %done
done:
  ret void\n}
declare void @g()";
    let text = readable(module);
    has(&text, &["bra $L__BB0_2;", "$L_if_then:", "bra.uni $L_if_then_1;", "$L__BB0_2:", "$L_if_then_1:"]);
    has(&ptx(module), &["bra $L__BB0_2;", "$L__BB0_1:", "$L__BB0_2:", "$L__BB0_3:"]);
}

#[test]
fn lines_say_where_they_are_in_the_source() {
    let module = "define i32 @f(i32 %n) !dbg !10 {
  %a = mul i32 %n, 3, !dbg !34
  ret i32 %a, !dbg !36\n}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: \"a.c\", directory: \"/source\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!10 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 2, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DISubroutineType(types: !12)
!12 = !{null}
!30 = distinct !DISubprogram(name: \"g\", scope: !1, file: !1, line: 1, type: !11, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!34 = !DILocation(line: 1, column: 20, scope: !30, inlinedAt: !37)
!36 = !DILocation(line: 4, column: 9, scope: !10)
!37 = distinct !DILocation(line: 4, column: 5, scope: !10)";
    let text = readable(module);
    has(
        &text,
        &[".loc 1 3 0 // a.c:3:0", "inlined_at 1 4 5 // a.c:1:20 @[ a.c:4:5 ]", ".loc 1 4 9 // a.c:4:9"],
    );
    has_not(&ptx(module), "//");
}

#[test]
fn any_name_of_a_value_becomes_one_that_ptxas_takes() {
    let names = [
        "tid",
        "ntid.x",
        "laneid",
        "warpid",
        "clock64",
        "pm0",
        "pm7_64",
        "envreg31",
        "envreg99",
        "lanemask_lt",
        "r1",
        "r01",
        "rd5",
        "f3",
        "fd2",
        "p1",
        "rs4",
        "add",
        "mov",
        "reg",
        "u32",
        "pragma",
        "version",
        "WARP_SZ",
        "SP",
        "SPL",
        "na\u{ef}ve",
        "a b",
        "a\\22b",
        "9lives",
        "12",
        "x-y",
        "x_y",
        "x.y",
        "x y",
        "$",
        "_",
        "%",
        "%r1",
        "$L__BB0_1",
        "param0",
        "retval0",
        "f",
        "f_param_0",
        "a0_0_0_",
        "\u{4f60}\u{597d}",
    ];
    let long = "n".repeat(300);
    let mut body = String::new();
    let mut last = "%0".to_owned();
    for name in names.iter().copied().chain([long.as_str()]) {
        body += &format!("  %\"{name}\" = add i32 {last}, %1\n");
        last = format!("%\"{name}\"");
    }
    let text = readable(&format!("define i32 @f(i32 %0, i32 %1) {{\n{body}  ret i32 {last}\n}}"));
    assert_eq!(text.matches("add.s32").count(), names.len() + 1, "{text}");
    assert!(text.lines().all(|line| line.len() < 200), "{text}");
}

#[test]
fn local_variables_have_names_that_nothing_else_has() {
    let text = ptx("@taken = addrspace(1) global i32 0
define i32 @f(ptr %p) {
  %taken = alloca i32
  %x.addr = alloca i32
  %x_addr = alloca i32
  %1 = alloca i32
  %param0 = alloca i32
  store volatile i32 1, ptr %taken
  store volatile i32 2, ptr %x.addr
  store volatile i32 3, ptr %x_addr
  store volatile i32 4, ptr %1
  store volatile i32 5, ptr %param0
  %g = load i32, ptr addrspace(1) @taken
  ret i32 %g\n}");
    has(&text, &[".local .align 4 .b8 __local_depot_f_0[4]", ".b8 x_addr[4]", ".b8 __local_depot_f_2[4]"]);
    has(&text, &["__local_depot_f_3[4]", "__local_depot_f_4[4]"]);
    has(
        &text,
        &[
            "__local_depot_f_0;",
            "], 1;",
            ", x_addr;",
            "], 2;",
            "__local_depot_f_2;",
            "], 3;",
            "ld.global.b32",
            "[taken]",
        ],
    );
}

#[test]
fn lines_of_the_source_survive() {
    let text = ptx("define void @f(ptr %p) !dbg !3 {
  store i32 1, ptr %p, !dbg !5
  ret void, !dbg !6\n}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: \"a.cu\", directory: \"/src\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!3 = distinct !DISubprogram(name: \"f\", file: !1, line: 4, unit: !0, type: !4, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 7, column: 2, scope: !3)
!6 = !DILocation(line: 8, column: 1, scope: !3)");
    has(&text, &[".file 1 \"/src/a.cu\"", ".loc 1 7 2", "st.b32", ".loc 1 8 1", "ret"]);
}

#[test]
fn names_of_passes_name_no_registers() {
    for was_ptx in ["", "!ptx.version = !{!0}\n!0 = !{!\"8.0\"}\n"] {
        let text = ptx(&format!(
            "declare {{ i32, i32 }} @g()
define i32 @f() {{
  %s = call {{ i32, i32 }} @g()
  %.fca.0.extract = extractvalue {{ i32, i32 }} %s, 0
  %.fca.1.extract = extractvalue {{ i32, i32 }} %s, 1
  %.sum = add i32 %.fca.0.extract, %.fca.1.extract
  ret i32 %.sum
}}
{was_ptx}"
        ));
        has(&text, &["add.s32 "]);
        has_not(&text, "fca");
    }
}

#[test]
fn numbers_far_beyond_the_other_registers_are_not_kept() {
    let body = "  %r1 = add i32 %a, %b
  %r122302454 = mul i32 %r1, %b
  %r4294967295 = xor i32 %r122302454, %r1
  %f77777777 = sitofp i32 %r4294967295 to float
  %r7 = fptosi float %f77777777 to i32
  ret i32 %r7";
    let text = readable(&format!("define i32 @f(i32 %a, i32 %b) {{\n{body}\n}}"));
    has(&text, &[".reg .b32 %r<8>", "add.s32 %r1,", "mul.lo.s32 %r2,", "xor.b32 %r3,"]);
    has_not(&text, "122302454");
    has_not(&text, "4294967295");
    has_not(&text, "77777777");
}

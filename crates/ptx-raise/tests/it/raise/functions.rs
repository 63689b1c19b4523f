//! Functions, calls and what they hand over.

use super::{has, has_not, ptx, refusal};

#[test]
fn kernels_take_typed_parameters_and_launch_bounds() {
    let text = ptx("define ptx_kernel void @k(i8 %a, i16 %b, i32 %c, float %d, ptr addrspace(1) align 16 %e) #0 { ret void }
attributes #0 = { \"nvvm.maxntid\"=\"128,2\" \"nvvm.minctasm\"=\"3\" \"nvvm.maxnreg\"=\"64\" }");
    has(&text, &[".visible .entry k(", ".param .u8 a", ".param .u16 b", ".param .u32 c", ".param .f32 d"]);
    has(
        &text,
        &[".param .u64 .ptr .global .align 16 e", ".maxntid 128, 2", ".minnctapersm 3", ".maxnreg 64"],
    );
}

#[test]
fn calls_pass_arguments_through_the_parameter_space() {
    let text = ptx("%pair = type { i32, i64 }
declare i16 @g(i8 signext, %pair, ptr byval([12 x i8]) align 4, double)
define i16 @f(ptr align 4 %p, %pair %v) {
  %r = call i16 @g(i8 signext -3, %pair %v, ptr byval([12 x i8]) align 4 %p, double 2.0)
  ret i16 %r\n}");
    has(&text, &[".extern .func (.param .b32 g_retval0) g"]);
    has(&text, &["st.param.b32 [param0], 4294967293", "st.param.b64 [param1+8]", "st.param.b32 [param2+8]"]);
    has(
        &text,
        &[
            "st.param.f64 [param3], 0d4000000000000000",
            "call.uni (retval0), g, (param0, param1, param2, param3)",
        ],
    );
    has(&text, &["ld.param.b32", "[retval0]"]);
}

#[test]
fn variables_of_calls_hide_nothing() {
    let text = ptx("@param0 = addrspace(1) global i32 0
declare void @g(ptr addrspace(1))
define ptx_kernel void @k(i32 %retval0, ptr %o) {
  call void @g(ptr addrspace(1) @param0)
  store i32 %retval0, ptr %o
  ret void\n}");
    has(
        &text,
        &[".param .u32 k_param_0", ".param .b64 param_0;", ", param0;", "[param_0]", "call.uni g, (param_0)"],
    );
}

#[test]
fn indirect_calls_have_a_prototype() {
    let text = ptx("define i32 @f(ptr %g, i32 %x) {\n  %r = call i32 %g(i32 %x)\n  ret i32 %r\n}");
    has(
        &text,
        &[
            "prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _);",
            "call (retval0), %rd1, (param0), prototype_0",
        ],
    );
}

#[test]
fn functions_are_declared_before_they_are_used() {
    let text = ptx("define ptx_kernel void @k() {\n  call void @later()\n  ret void\n}
define internal void @later() { ret void }");
    has(&text, &[".func later", ";", ".entry k", "call.uni later", ".func later", "ret"]);
}

#[test]
fn kernel_structures_are_read_in_place_unless_written() {
    let text = ptx("define ptx_kernel void @k(ptr byval({ i32, float }) align 4 %s, ptr %o) {
  %p = getelementptr i8, ptr %s, i64 4
  %v = load float, ptr %p
  store float %v, ptr %o
  ret void\n}
define ptx_kernel void @w(ptr byval({ i32, float }) align 4 %s) {
  store i32 1, ptr %s
  ret void\n}");
    has(
        &text,
        &["ld.param.f32 %f1, [s+4]", ".entry w", ".local .align 4 .b8", "ld.param.b32", "st.local.b32"],
    );
}

#[test]
fn narrow_integers_are_extended_where_it_matters() {
    let text = ptx("define i1 @f(i8 %a, i8 %b) {
  %s = add i8 %a, %b
  %d = udiv i8 %s, %b
  %c = icmp slt i8 %d, %s
  ret i1 %c\n}");
    has(&text, &["add.s16", "cvt.u16.u8", "div.u16", "cvt.s16.s8", "setp.lt.s16"]);
}

#[test]
fn vectors_of_bits_have_a_byte_for_each_between_functions() {
    let text = ptx("define <3 x i1> @f(<4 x i1> %a) {
  %s = shufflevector <4 x i1> %a, <4 x i1> %a, <3 x i32> <i32 2, i32 1, i32 3>
  ret <3 x i1> %s
}");
    has(&text, &["f_retval0[3]", ".b8 a[4]"]);
}

#[test]
fn pieces_of_arguments_and_results_go_to_the_parameter_space() {
    let text = ptx("define internal [2 x i64] @f(ptr byval([16 x i8]) align 8 %a) {
  %r = alloca [16 x i8], align 8
  %x = load i64, ptr %a, align 8
  store i64 %x, ptr %r, align 8
  %q = getelementptr i8, ptr %r, i64 8
  store i64 5, ptr %q, align 8
  %all = load [2 x i64], ptr %r, align 8
  ret [2 x i64] %all
}
define ptx_kernel void @k(ptr addrspace(1) %p, i64 %v) {
  %a = alloca [16 x i8], align 8
  %r = alloca [16 x i8], align 8
  store i64 %v, ptr %a, align 8
  %s = call [2 x i64] @f(ptr byval([16 x i8]) align 8 %a)
  store [2 x i64] %s, ptr %r, align 8
  %q = getelementptr i8, ptr %r, i64 8
  %y = load i64, ptr %q, align 8
  store i64 %y, ptr addrspace(1) %p, align 8
  ret void
}");
    has(&text, &["st.param.b64 [f_retval0], %rd", "st.param.b64 [f_retval0+8], 5", "ret"]);
    has(&text, &["st.param.b64 [", "call.uni", "ld.param.b64", "+8]", "st.global.b64"]);
    has_not(&text, ".local");
}

#[test]
fn low_bits_of_a_parameter_are_loaded_as_what_they_are() {
    let text = ptx("define void @f(ptr %p, i32 %a, i32 %b, i32 %c) {
  %n = trunc i32 %a to i8
  %s = sext i8 %n to i16
  store i16 %s, ptr %p, align 2
  %m = trunc i32 %b to i16
  %q = getelementptr i8, ptr %p, i64 2
  store i16 %m, ptr %q, align 2
  %d = trunc i32 %c to i8
  %e = sext i8 %d to i16
  %r = getelementptr i8, ptr %p, i64 4
  store i16 %e, ptr %r, align 2
  %g = getelementptr i8, ptr %p, i64 8
  store i32 %c, ptr %g, align 4
  ret void
}");
    has(&text, &["ld.param.s8 ", "[a]", "ld.param.b16", "[b]", "ld.param.b32", "[c]"]);
    // The whole of the last one is read too.
    assert_eq!(text.matches("cvt.").count(), 2, "{text}");
}

#[test]
fn a_device_functions_own_copy_of_a_structure_is_its_parameter() {
    let text = ptx("declare void @escape(ptr)
define void @f(ptr byval([24 x i8]) align 8 %s) {
  %q = getelementptr i8, ptr %s, i64 8
  store i64 5, ptr %q, align 8
  call void @escape(ptr %s)
  ret void
}");
    has(&text, &["mov.b64 %rd1, s;", "st.local.b64 [%rd1+8], 5", "cvta.local.u64"]);
    has_not(&text, "ld.param");
}

#[test]
fn argument_whose_address_went_through_local_memory_still_goes_to_the_parameter_space() {
    let text = ptx("declare void @g(ptr byval([16 x i8]) align 16)
define void @f(<4 x i32> %v) {
  %a = alloca [16 x i8], align 16
  %l = addrspacecast ptr %a to ptr addrspace(5)
  %b = addrspacecast ptr addrspace(5) %l to ptr
  call void @llvm.lifetime.start.p0(ptr %a)
  store <4 x i32> %v, ptr addrspace(5) %l, align 16
  call void @g(ptr byval([16 x i8]) align 16 %b)
  call void @llvm.lifetime.end.p0(ptr %a)
  ret void
}");
    has(&text, &["ld.param.v4.b32", "st.param.v4.b32 [param0]", "call.uni"]);
    has_not(&text, ".local");
}

#[test]
fn argument_by_value_is_as_aligned_as_the_function_says_and_its_source_as_the_call_says() {
    let text = ptx("declare void @g(ptr byval([2 x i64]) align 16)
define void @f(ptr %p, ptr %q) {
  call void @g(ptr byval([2 x i64]) %p)
  call void @g(ptr byval([2 x i64]) align 4 %q)
  ret void
}");
    assert_eq!(text.matches(".param .align 16 .b8 param0[16]").count(), 2, "{text}");
    let loads = |width: &str| text.matches(&format!("ld.{width} ")).count();
    assert_eq!((loads("b64"), loads("b32"), loads("v2.b64")), (2, 4, 0), "{text}");
}

#[test]
fn undefined_parts_of_arguments_and_results_are_not_written() {
    let text = ptx("declare void @g({ i32, i32, i32, i32 })
define alignstack(16) { i32, i32, i32, i32 } @f(i32 %x) {
  %some = insertvalue { i32, i32, i32, i32 } { i32 poison, i32 7, i32 undef, i32 poison }, i32 %x, 0
  call void @g({ i32, i32, i32, i32 } %some)
  ret { i32, i32, i32, i32 } %some
}");
    has(&text, &[".param .align 16 .b8 f_retval0[16]", ".param .align 4 .b8 param0[16]"]);
    has(&text, &["st.param.b32 [param0],", "st.param.b32 [param0+4],", "call.uni"]);
    has(&text, &["call.uni", "st.param.v2.b32 [f_retval0],", "ret"]);
    has_not(&text, "+8]");
    has_not(&text, "+12]");
}

/// A function whose result has `%x` in its first field and what `number` gives in the second.
fn returning(number: &str, rest: &str) -> String {
    ptx(&format!(
        "define {{ i32, i32 }} @f(i32 %x, ptr %p) {{
  {number}
  %first = insertvalue {{ i32, i32 }} poison, i32 %x, 0
  %both = insertvalue {{ i32, i32 }} %first, i32 %n, 1
  {rest}
  ret {{ i32, i32 }} %both
}}"
    ))
}

#[test]
fn numbers_left_open_that_are_only_returned_are_not_written() {
    let one = r#"%n = call i32 asm "", "=r"() nounwind memory(none)"#;
    let two = r#"%o = call { i32, i32 } asm "", "=r,=r"() nounwind memory(none)
  %n = extractvalue { i32, i32 } %o, 1"#;
    for number in ["%n = freeze i32 poison", one, two] {
        let text = returning(number, "");
        has(&text, &["st.param.b32 [f_retval0], %", "ret"]);
        has_not(&text, "+4]");
    }
    // A function that returns in registers returns all of them.
    let text = ptx(&format!(
        "define i32 @f() {{
  {one}
  ret i32 %n
}}"
    ));
    has(&text, &["st.param.b32 [f_retval0], %r"]);
}

#[test]
fn a_number_left_open_is_the_same_wherever_it_is_taken() {
    let one = r#"%n = call i32 asm "", "=r"() nounwind memory(none)"#;
    let twice = r#"%o = call { i32, i32 } asm "", "=r,=r"() nounwind memory(none)
  %n = extractvalue { i32, i32 } %o, 1
  %m = extractvalue { i32, i32 } %o, 1"#;
    let whole = r#"%o = call { i32, i32 } asm "", "=r,=r"() nounwind memory(none)
  %n = extractvalue { i32, i32 } %o, 1"#;
    for (number, rest) in [
        ("%n = freeze i32 poison", "store i32 %n, ptr %p"),
        (one, "store i32 %n, ptr %p"),
        (twice, "store i32 %m, ptr %p"),
        (whole, "store { i32, i32 } %o, ptr %p"),
        (one, "store { i32, i32 } %both, ptr %p"),
        (
            one,
            "%m = extractvalue { i32, i32 } %both, 1
  store i32 %m, ptr %p",
        ),
    ] {
        let text = returning(number, rest);
        let (returned, stored): (Vec<&str>, Vec<&str>) = text
            .lines()
            .filter(|line| line.trim_start().starts_with("st."))
            .partition(|line| line.contains("f_retval0"));
        // The last register of the last store, which is that of the second field.
        let second = |stores: &[&str]| {
            let last = stores.last().expect("a store").trim_end_matches(['}', ';']);
            last.rsplit([' ', '\t', '{']).next().expect("a register").to_owned()
        };
        assert!(returned.len() == 2 || returned.concat().contains(".v2"), "{text}");
        assert_eq!(second(&returned), second(&stored), "{text}");
    }
}

#[test]
fn a_number_left_open_that_a_loop_stores_is_one_number() {
    let text = ptx(r#"define void @f(ptr %p, i32 %count) {
entry:
  %n = call i32 asm "", "=r"() nounwind memory(none)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr i32, ptr %p, i32 %i
  store i32 %n, ptr %q
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}"#);
    has(&text, &["$L__BB0_1:", "st.b32 ", "setp"]);
}

#[test]
fn structures_and_numbers_are_loaded_in_the_order_of_the_parameters() {
    let text = ptx("define void @f(ptr byval([16 x i8]) align 8 %s, i32 %n, ptr %p) {
  %q = getelementptr i8, ptr %s, i64 8
  %b = load i64, ptr %q, align 8
  %a = load i64, ptr %s, align 8
  %x = add i64 %a, %b
  store i64 %x, ptr %p, align 8
  %r = getelementptr i8, ptr %p, i64 8
  store i32 %n, ptr %r, align 4
  ret void
}");
    has(
        &text,
        &["ld.param.b64", "[s+8]", "ld.param.b64", "[s]", "ld.param.b32", "[n]", "ld.param.b64", "[p]"],
    );
}

/// The optimization barriers of C, whose constraints are often those of the host.
#[test]
fn assembly_without_a_text_takes_any_constraint() {
    let text = ptx("define i32 @f(i32 %a, ptr %p, <4 x float> %v) {
  call void asm sideeffect \"\", \"g,r,X,imr,~{memory}\"(i32 %a, ptr %p, <4 x float> %v, i32 7)
  call void asm sideeffect \"\", \"=*m,*m,~{memory}\"(ptr elementtype(i32) %p, ptr elementtype(i32) %p)
  %b = call i32 asm sideeffect \"\", \"=g|m,0\"(i32 %a)
  %both = call { ptr, i32 } asm sideeffect \"\", \"=l,=rm,0,1,~{memory}\"(ptr %p, i32 %b)
  %q = extractvalue { ptr, i32 } %both, 0
  %c = extractvalue { ptr, i32 } %both, 1
  store i32 %c, ptr %q
  %any = call i32 asm sideeffect \"\", \"=r\"()
  ret i32 %c\n}");
    has(
        &text,
        &["ld.param.b32 %r1, [a]", "ld.param.b64 %rd1, [p]", "st.b32 [%rd1], %r1", "f_retval0], %r1;"],
    );
    let found = refusal(
        "define ptr @f(ptr %p) {
  %q = call ptr asm sideeffect \"\", \"=r,0\"(ptr %p)
  ret ptr %q\n}",
    );
    has(&found, &["R0104", "64 bits for a constraint of 32 bits"]);
}

/// The parameter of a kernel is read where it is when it is only copied, by calls that get it by value too.
#[test]
fn parameters_that_are_only_copied_on_have_no_copy_of_their_own() {
    let text = ptx("declare void @use(ptr byval([4 x i32]) align 4)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define ptx_kernel void @k(ptr byval([4 x i32]) align 4 %s, ptr %o) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %o, ptr align 4 %s, i64 16, i1 false)
  call void @use(ptr byval([4 x i32]) align 4 %s)
  ret void\n}");
    has(&text, &["ld.param.b32", "st.b32", "ld.param.b32", "st.param.b32", "call"]);
    has_not(&text, ".local");
    // A parameter that is written, or whose address is stored, is copied.
    for other in ["call void @keep(ptr %s)", "store i32 5, ptr %s"] {
        let text = ptx(&format!(
            "declare void @use(ptr byval([4 x i32]) align 4)
declare void @keep(ptr)
define ptx_kernel void @k(ptr byval([4 x i32]) align 4 %s) {{
  {other}
  call void @use(ptr byval([4 x i32]) align 4 %s)
  ret void\n}}"
        ));
        has(&text, &[".local .align 4 .b8"]);
    }
}

#[test]
fn device_function_reads_a_structure_in_place_that_it_copies_and_passes_on() {
    let text = ptx("declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare void @use(ptr byval([24 x i8]) align 8)
define void @f(ptr byval([24 x i8]) align 8 %s, ptr addrspace(1) %d) {
  call void @use(ptr byval([24 x i8]) align 8 %s)
  %q = getelementptr i8, ptr %s, i64 8
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 8 %d, ptr align 8 %q, i64 16, i1 false)
  ret void
}");
    has(&text, &["ld.param.b64", "[s]", "ld.param.b64", "[s+16]", "call.uni use, (param0);"]);
    has(&text, &["call.uni", "[s+8]", "[s+16]", "st.global.b64", "st.global.b64"]);
    has_not(&text, "ld.local");
    // A loop and a dynamic offset need an address, and a written parameter is the function's own copy.
    let copies = |call: &str| {
        ptx(&format!(
            "declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare void @use(ptr byval([512 x i8]) align 8)
define void @f(ptr byval([512 x i8]) align 8 %s, ptr addrspace(1) %d, i64 %n) {{
  {call}
  ret void\n}}"
        ))
    };
    for call in [
        "call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 8 %d, ptr align 8 %s, i64 512, i1 false)",
        "call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 8 %d, ptr align 8 %s, i64 %n, i1 false)",
        "%q = getelementptr i8, ptr %s, i64 %n\n  %v = load i8, ptr %q\n  store i8 %v, ptr addrspace(1) %d",
        "store i64 %n, ptr %s\n  call void @use(ptr byval([512 x i8]) align 8 %s)",
    ] {
        has(&copies(call), &["mov.b64 ", ", s;", ".local"]);
    }
}

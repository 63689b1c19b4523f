//! Arithmetic of integers, floating-point numbers and vectors.

use super::{has, has_not, ptx, refusal};

#[test]
fn contraction_decides_about_the_rounding_modifier() {
    let text = ptx("define float @f(float %a, float %b) {
  %x = fmul contract float %a, %b
  %y = fmul float %a, %b
  %z = fadd contract float %x, %y
  ret float %z\n}");
    has(&text, &["mul.f32", "mul.rn.f32", "add.f32"]);
}

#[test]
fn packed_halves_are_one_register() {
    let text = ptx("define <2 x half> @f(<2 x half> %a, <2 x half> %b) {
  %s = fadd contract <2 x half> %a, %b
  %e = extractelement <2 x half> %s, i32 1
  %r = insertelement <2 x half> %s, half %e, i32 0
  ret <2 x half> %r\n}");
    has(&text, &["add.f16x2", "mov.b32 {", "mov.b32 %r"]);
}

#[test]
fn wide_integers_carry() {
    let text = ptx(
        "define i128 @f(i128 %a, i128 %b) {\n  %s = add i128 %a, %b\n  %m = mul i128 %s, %b\n  ret i128 %m\n}",
    );
    has(&text, &["add.cc.u64", "addc.u64", "mul.lo.u64", "mul.hi.u64", "st.param.v2.b64"]);
}

#[test]
fn products_of_extended_operands_are_wide() {
    let text = ptx("define i64 @f(i32 %a, i32 %b) {
  %x = sext i32 %a to i64
  %y = sext i32 %b to i64
  %p = mul i64 %x, %y
  ret i64 %p\n}");
    has(&text, &["mul.wide.s32"]);
    has_not(&text, "cvt.s64.s32");
}

#[test]
fn shifts_take_amounts_of_32_bits() {
    let text =
        ptx("define i64 @f(i64 %a, i64 %b) {\n  %s = shl i64 %a, %b\n  %t = ashr i64 %s, 3\n  ret i64 %t\n}");
    has(&text, &["cvt.u32.u64", "shl.b64", "shr.s64", ", 3;"]);
}

#[test]
fn float_comparisons_know_unordered_operands() {
    let text = ptx("define i1 @f(float %a, float %b) {
  %x = fcmp ult float %a, %b
  %y = fcmp one float %a, %b
  %z = fcmp uno float %a, %b
  %v = and i1 %x, %y
  %w = or i1 %v, %z
  ret i1 %w\n}");
    has(&text, &["setp.ltu.f32", "setp.ne.f32", "setp.nan.f32", "and.pred", "or.pred"]);
}

#[test]
fn remainders_are_computed_in_every_format() {
    let text = ptx("define double @f(double %a, float %b, half %c, <2 x bfloat> %d, ptr %o) {
  %w = frem double %a, 3.0
  %x = frem float %b, 3.0
  %y = frem half %c, 3.0
  %z = frem <2 x bfloat> %d, %d
  store float %x, ptr %o
  store half %y, ptr %o
  store <2 x bfloat> %z, ptr %o
  ret double %w\n}");
    // By their bits, in each format itself; the remainder by a constant's digits is a product.
    has(&text, &["mul.hi.u64", "mul.hi.u32", "rem.u32"]);
    has_not(&text, "cvt.rn");
}

#[test]
fn an_index_of_32_bits_is_scaled_by_a_wide_product() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, i32 %i) {
  %w = sext i32 %i to i64
  %q = getelementptr float, ptr addrspace(1) %p, i64 %w
  %s = shl nuw i32 %i, 3
  %z = zext i32 %s to i64
  %r = getelementptr i8, ptr addrspace(1) %p, i64 %z
  store float 0.0, ptr addrspace(1) %q
  store float 0.0, ptr addrspace(1) %r
  ret void
}");
    has(&text, &["mul.wide.s32 %rd2, %r1, 4", "add.s64", "mul.wide.u32", ", %r1, 8", "add.s64"]);
    has_not(&text, "cvt");
    has_not(&text, "shl");
}

#[test]
fn an_exact_multiple_of_an_index_is_part_of_the_wide_product() {
    let address = |product: &str, extension: &str, element: &str| {
        ptx(&format!(
            "define ptx_kernel void @k(ptr addrspace(1) %p, i32 %i) {{
  %m = {product}
  %w = {extension} i32 %m to i64
  %q = getelementptr {element}, ptr addrspace(1) %p, i64 %w
  store float 0.0, ptr addrspace(1) %q
  ret void
}}"
        ))
    };
    for (product, extension, element, wide) in [
        ("mul nuw i32 %i, 24", "zext", "i8", "mul.wide.u32 %rd2, %r1, 24;"),
        ("mul nsw i32 %i, 6", "sext", "float", "mul.wide.s32 %rd2, %r1, 24;"),
        ("mul nuw i32 %i, 2147483647", "zext nneg", "i8", "mul.wide.u32 %rd2, %r1, 2147483647;"),
    ] {
        let text = address(product, extension, element);
        has(&text, &[wide]);
        has_not(&text, "mul.lo");
    }
    // It is computed in any case.
    let text = address(
        "mul nuw i32 %i, 24\n  %n = xor i32 %m, 1\n  store i32 %n, ptr addrspace(1) %p",
        "zext",
        "i8",
    );
    has(&text, &["mul.lo"]);
    has_not(&text, "mul.wide");
    // It may wrap as the extension is, is negative, or does not fit.
    for (product, extension, element) in [
        ("mul nsw i32 %i, 24", "zext", "i8"),
        ("mul nuw i32 %i, 24", "sext", "i8"),
        ("mul i32 %i, 24", "sext", "i8"),
        ("mul nsw i32 %i, -24", "sext", "i8"),
        ("mul nuw i32 %i, 2147483648", "zext", "i8"),
        ("mul nuw i32 %i, 2147483647", "zext", "float"),
    ] {
        let text = address(product, extension, element);
        assert!(
            text.contains("mul.lo") || text.contains("shl.b32") || text.contains("neg"),
            "{product}: {text}"
        );
    }
}

#[test]
fn halves_side_by_side_are_one_move() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, i32 %lo, i32 %hi) {
  %l = zext i32 %lo to i64
  %h = zext i32 %hi to i64
  %s = shl i64 %h, 32
  %w = or i64 %s, %l
  store i64 %w, ptr addrspace(1) %p, align 8
  ret void
}");
    has(&text, &["mov.b64 %rd2, {%r1, %r2}", "st.global.b64 [%rd1], %rd2"]);
    has_not(&text, "or.b64");
}

#[test]
fn a_frozen_poison_is_a_register_that_nothing_writes() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, i1 %c, i32 %v) {
  %u = freeze i32 poison
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi i32 [ %u, %0 ], [ %v, %a ]
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}");
    // The stored value is defined on one path only.
    let stored =
        text.split("st.global.b32").nth(1).and_then(|rest| rest.split(['%', ';']).nth(2)).expect("a store");
    let written = text.lines().filter(|line| line.contains(&format!(" \t%{stored},"))).count();
    assert_eq!(written, 1, "{text}");
}

#[test]
fn bits_of_a_floating_point_number_need_no_copy() {
    let text = ptx("define i32 @f(i32 %a, i32 %b) {
  %x = bitcast i32 %a to float
  %y = bitcast i32 %b to float
  %s = fadd float %x, %y
  %r = bitcast float %s to i32
  ret i32 %r
}");
    has(&text, &["add.rn.f32 %r3, %r1, %r2", "st.param.b32 [f_retval0], %r3"]);
    has_not(&text, "mov");
}

/// The choices of llc 22: an approximation if `afn` allows one in single precision, and for no other flag.
#[test]
fn approximations_are_where_they_are_allowed() {
    let module = |flags: &str, ty: &str, attributes: &str| {
        let suffix = if ty == "float" { "f32" } else { "f64" };
        format!(
            "declare {ty} @llvm.sqrt.{suffix}({ty})
define {ty} @f({ty} %a, {ty} %b, {ty} %c) {attributes} {{
  %q = fdiv {flags} {ty} %a, %b
  %i = fdiv {flags} {ty} 1.0, %q
  %s = call {flags} {ty} @llvm.sqrt.{suffix}({ty} %i)
  %t = call {flags} {ty} @llvm.sqrt.{suffix}({ty} %c)
  %r = fdiv {flags} {ty} 1.0, %t
  %e = fmul {ty} %s, %r
  ret {ty} %e\n}}"
        )
    };
    let flush = "\"denormal-fp-math-f32\"=\"preserve-sign\"";
    for flags in ["fast", "afn", "afn arcp", "ninf afn"] {
        let text = ptx(&module(flags, "float", ""));
        has(&text, &["div.approx.f32", "rcp.approx.f32", "sqrt.approx.f32", "rsqrt.approx.f32"]);
        let text = ptx(&module(flags, "float", flush));
        has(
            &text,
            &["div.approx.ftz.f32", "rcp.approx.ftz.f32", "sqrt.approx.ftz.f32", "rsqrt.approx.ftz.f32"],
        );
        assert!(!text.contains(" sqrt.approx.ftz.f32 \t%f5"), "{text}");
        has_not(&ptx(&module(flags, "double", "")), "approx");
    }
    for flags in ["", "arcp", "contract", "reassoc", "nnan ninf nsz"] {
        let text = ptx(&module(flags, "float", ""));
        has(&text, &["div.rn.f32", "rcp.rn.f32", "sqrt.rn.f32", "sqrt.rn.f32", "rcp.rn.f32"]);
        has_not(&text, "approx");
    }
}

/// A root that something else reads too is computed beside its reciprocal, and divides exactly where only the root may be near.
#[test]
fn a_root_that_is_read_twice_stays() {
    let module = |flags: &str| {
        format!(
            "declare float @llvm.sqrt.f32(float)
define float @f(float %a, ptr %p) {{
  %s = call afn float @llvm.sqrt.f32(float %a)
  store float %s, ptr %p
  %r = fdiv {flags} float 1.0, %s
  ret float %r\n}}"
        )
    };
    has(&ptx(&module("afn")), &["sqrt.approx.f32", "rsqrt.approx.f32"]);
    has(&ptx(&module("")), &["sqrt.approx.f32", "rcp.rn.f32"]);
}

#[test]
fn what_would_take_all_memory_is_refused_with_the_limit() {
    let found = refusal(
        "define void @f(ptr %p) {
  %a = load i65536, ptr %p
  %b = mul i65536 %a, %a
  store i65536 %b, ptr %p
  ret void\n}",
    );
    has(&found, &["R0101", "more than 262144"]);
}

#[test]
fn lines_of_ptx_cover_constants_and_numbers_of_fewer_bits() {
    let line = |operations: &str| {
        ptx(&format!("define i64 @f(i32 %a, i32 %b, i8 %c, i64 %d) {{\n{operations}\n  ret i64 %r\n}}"))
    };
    // The operands of a line follow from LLVM's language reference: `zext nneg` is an extension by the sign too, a number with zeros above its
    // 8 bits is not negative in 32, and a shift by 3 multiplies by 8.
    for (operations, expected) in [
        ("%x = sext i32 %a to i64\n %r = mul i64 %x, 24", "mul.wide.s32 %rd2, %r1, 24;"),
        ("%x = zext i32 %a to i64\n %r = shl i64 %x, 3", "mul.wide.u32 %rd2, %r1, 8;"),
        ("%x = zext nneg i32 %a to i64\n %y = sext i32 %b to i64\n %r = mul i64 %x, %y", "mul.wide.s32"),
        ("%x = zext i8 %c to i64\n %y = sext i32 %b to i64\n %r = mul i64 %x, %y", "mul.wide.s32"),
        ("%x = zext i32 %a to i64\n %r = or i64 %x, 21474836480", "mov.b64 %rd2, {%r1, "),
        ("%t = trunc i64 %d to i16\n %r = sext i16 %t to i64", "cvt.s64.s16"),
    ] {
        has(&line(operations), &[expected]);
    }
    // Constants that are no extension of a number of 32 bits, and a number that may be negative.
    for operations in [
        "%x = sext i32 %a to i64\n %r = mul i64 %x, 2147483648",
        "%x = zext i32 %a to i64\n %y = sext i32 %b to i64\n %r = mul i64 %x, %y",
        "%x = zext i32 %a to i64\n %r = or i64 %x, 21474836481",
    ] {
        let text = line(operations);
        assert!(!text.contains("mul.wide") && !text.contains("mov.b64"), "{text}");
    }
}

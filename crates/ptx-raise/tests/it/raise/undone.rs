//! Code that passes transform to several or other operations, and that is one instruction in PTX.

use super::{has, has_not, ptx, ptx_for};

#[test]
fn shifts_with_a_guard_against_large_amounts_are_one_clamped_shift() {
    for (guard, shifted, zero) in [
        ("icmp ult i32 %n, 32", "select i1 %c, i32 %s, i32 0", "%n"),
        ("icmp ugt i32 %n, 31", "select i1 %c, i32 0, i32 %s", "%n"),
        ("icmp eq i32 %high, 0", "select i1 %c, i32 %s, i32 0", "%m"),
    ] {
        let text = ptx(&format!(
            "define i32 @f(i32 %x, i32 %n) {{
  %high = and i32 %n, -32
  %m = and i32 %n, 31
  %c = {guard}
  %s = shl i32 %x, {zero}
  %r = {shifted}
  ret i32 %r\n}}"
        ));
        has(&text, &["ld.param.b32 %r1", "ld.param.b32 %r2", "shl.b32", ", %r1, %r2;", "st.param.b32"]);
        has_not(&text, "selp");
    }
}

#[test]
fn amounts_of_64_bits_that_are_tested_in_32_shift_by_their_low_word() {
    let text = ptx("define i64 @f(i64 %x, i64 %n) {
  %high = and i64 %n, 4294967232
  %c = icmp eq i64 %high, 0
  %m = and i64 %n, 63
  %s = lshr i64 %x, %m
  %r = select i1 %c, i64 %s, i64 0
  ret i64 %r\n}");
    has(&text, &["cvt.u32.u64 %r1, %rd2;", "shr.u64 %rd3, %rd1, %r1;"]);
    has_not(&text, "selp");
}

#[test]
fn narrow_amounts_keep_only_the_bits_that_were_tested() {
    let text = ptx("define i32 @f(i16 %x, i32 %n) {
  %high = and i32 %n, 65520
  %c = icmp eq i32 %high, 0
  %narrow = trunc i32 %n to i16
  %m = and i16 %narrow, 15
  %s = lshr i16 %x, %m
  %wide = zext i16 %s to i32
  %r = select i1 %c, i32 %wide, i32 0
  ret i32 %r\n}");
    has(&text, &["and.b32 %r3, %r2, 65535;", "shr.u16 %rs2, %rs1, %r3;", "cvt.u32.u16"]);
    has_not(&text, "selp");
}

#[test]
fn guards_that_are_no_clamp_stay() {
    for (guard, otherwise) in [
        ("icmp ult i32 %n, 31", "0"),
        ("icmp ult i32 %n, 64", "0"),
        ("icmp ult i32 %k, 32", "0"),
        ("icmp ugt i32 %n, 31", "0"),
        ("icmp ult i32 %n, 32", "1"),
    ] {
        let text = ptx(&format!(
            "define i32 @f(i32 %x, i32 %n, i32 %k) {{
  %c = {guard}
  %s = shl i32 %x, %n
  %r = select i1 %c, i32 %s, i32 {otherwise}
  ret i32 %r\n}}"
        ));
        has(&text, &["setp", "shl.b32", "selp.b32"]);
    }
}

#[test]
fn pairs_of_shorts_that_come_as_one_word_stay_one() {
    let module = "define void @f(i32 %a, i32 %b, ptr addrspace(1) %p) {
  %x = bitcast i32 %a to <2 x i16>
  %y = bitcast i32 %b to <2 x i16>
  %s = add <2 x i16> %x, %y
  %m = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %s, <2 x i16> <i16 1, i16 2>)
  store <2 x i16> %m, ptr addrspace(1) %p, align 4
  ret void\n}";
    let text = ptx(module);
    has(&text, &["add.u16x2", "mov.b32", "131073", "max.s16x2", "st.global.b32"]);
    has_not(&text, "%rs");
    // Nothing computes with pairs of integers before.
    has(&ptx_for(module, 80), &["add.s16", "add.s16", "max.s16", "max.s16"]);
}

#[test]
fn pairs_of_shorts_come_apart_after_what_computes_both() {
    let text = ptx("define i16 @f(i32 %a, i32 %b) {
  %x = bitcast i32 %a to <2 x i16>
  %y = bitcast i32 %b to <2 x i16>
  %m = call <2 x i16> @llvm.umin.v2i16(<2 x i16> %x, <2 x i16> %y)
  %h = extractelement <2 x i16> %m, i32 1
  ret i16 %h\n}");
    has(&text, &["min.u16x2 %r3, %r1, %r2;", "mov.b32 {%rs1, %rs2}, %r3;"]);
}

#[test]
fn pairs_of_shorts_that_are_loaded_are_loaded_as_one_word() {
    let module = |align: u32| {
        format!(
            "define void @f(ptr addrspace(1) %p, ptr addrspace(1) %q) {{
  %a = load <2 x i16>, ptr addrspace(1) %p, align {align}
  %b = load <2 x i16>, ptr addrspace(1) %q, align {align}
  %m = call <2 x i16> @llvm.smax.v2i16(<2 x i16> %a, <2 x i16> %b)
  store <2 x i16> %m, ptr addrspace(1) %p, align 4
  ret void\n}}"
        )
    };
    let text = ptx(&module(4));
    has(&text, &["ld.global.b32", "ld.global.b32", "max.s16x2", "st.global.b32"]);
    has_not(&text, "%rs");
    has(&ptx(&module(2)), &["ld.global.b16", "max.s16", "max.s16"]);
    // A sum is one instruction, too, where there is one (sm_90).
    let sum = module(4)
        .replace("call <2 x i16> @llvm.smax.v2i16(<2 x i16> %a, <2 x i16> %b)", "add <2 x i16> %a, %b");
    has(&ptx(&sum), &["ld.global.b32", "ld.global.b32", "add.u16x2", "st.global.b32"]);
    has(&ptx_for(&sum, 80), &["ld.global", "add.s16", "add.s16"]);
}

#[test]
fn words_of_a_loaded_vector_are_pairs_and_come_apart_where_elements_are_needed() {
    let text = ptx("define i16 @f(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = load <4 x i16>, ptr addrspace(1) %p, align 8
  %b = load <4 x i16>, ptr addrspace(1) %q, align 8
  %al = shufflevector <4 x i16> %a, <4 x i16> poison, <2 x i32> <i32 0, i32 1>
  %ah = shufflevector <4 x i16> %a, <4 x i16> poison, <2 x i32> <i32 2, i32 3>
  %bh = shufflevector <4 x i16> %b, <4 x i16> poison, <2 x i32> <i32 2, i32 3>
  %m = call <2 x i16> @llvm.umin.v2i16(<2 x i16> %al, <2 x i16> %bh)
  %n = call <2 x i16> @llvm.umax.v2i16(<2 x i16> %ah, <2 x i16> %bh)
  store <2 x i16> %m, ptr addrspace(1) %p, align 4
  store <2 x i16> %n, ptr addrspace(1) %q, align 4
  %e = extractelement <4 x i16> %b, i64 1
  ret i16 %e\n}");
    has(
        &text,
        &[
            "ld.global.v2.b32 {%r1, %r2}, [%rd1];",
            "ld.global.v2.b32 {%r3, %r4}, [%rd2];",
            "mov.b32 {%rs1, %rs2}, %r3;",
            "min.u16x2 %r5, %r1, %r4;",
            "max.u16x2 %r6, %r2, %r4;",
            "st.global.b32 [%rd1], %r5;",
            "st.global.b32 [%rd2], %r6;",
        ],
    );
}

#[test]
fn minima_of_bytes_are_computed_in_halfwords_that_have_their_signs() {
    let text = ptx("define i32 @f(i32 %a, i32 %b) {
  %x = trunc i32 %a to i8
  %y = trunc i32 %b to i8
  %w = sext i8 %x to i16
  %v = sext i16 %w to i32
  %m = call i8 @llvm.smin.i8(i8 %x, i8 %y)
  %s = sext i8 %m to i32
  %h = and i32 %s, 65535
  %r = add i32 %h, %v
  ret i32 %r\n}");
    has(&text, &["ld.param.s8 %rs1, [a];", "min.s16", "cvt.u32.u16"]);
    has_not(&text, "65535");
    has_not(&text, "cvt.s16.s8 %rs3, %rs1");
}

#[test]
fn branch_to_where_the_thread_ends_is_one_around_it() {
    let module = "declare void @fail()
define void @f(i1 %c, ptr addrspace(1) %p) {
  br i1 %c, label %good, label %bad
good:
  store i32 1, ptr addrspace(1) %p
  ret void
bad:
  call void @fail()
  unreachable\n}";
    has(
        &ptx(module),
        &["@%p1 bra $L__BB1_1;", "bra.uni $L__BB1_2;", "$L__BB1_1:", "st.global", "ret;", "$L__BB1_2:"],
    );
    // If the thread continues, one branch is sufficient.
    has(&ptx(&module.replace("  unreachable", "  ret void")), &["@!%p1 bra $L__BB1_2;", "st.global"]);
}

#[test]
fn quotients_of_one_are_reciprocals() {
    let text = ptx("define double @f(double %x) {
  %r = fdiv double -1.0, %x
  ret double %r\n}
define float @g(float %x) \"denormal-fp-math-f32\"=\"preserve-sign\" {
  %r = fdiv float 1.0, %x
  ret float %r\n}
define float @h(float %x) {
  %r = fdiv float 1.0, %x, !ptx.literal !0
  ret float %r\n}
!0 = !{}");
    has(&text, &["rcp.rn.f64", "neg.f64", "rcp.rn.ftz.f32", "div.rn.f32"]);
}

#[test]
fn a_sign_that_is_shifted_up_and_down_is_extended() {
    let text = ptx("define i64 @f(i32 %x, i64 %y) {
  %a = shl i32 %x, 24
  %b = ashr i32 %a, 24
  %c = shl i64 %y, 32
  %d = ashr exact i64 %c, 32
  %e = sext i32 %b to i64
  %r = add i64 %d, %e
  ret i64 %r\n}");
    has(&text, &["cvt.s32.s8", "cvt.s64.s32"]);
    has_not(&text, "shl");
}

#[test]
fn rotations_by_a_number_of_bits_turn_both_words() {
    let text = ptx("declare i64 @llvm.fshl.i64(i64, i64, i64)
define i64 @f(i64 %x) {
  %r = call i64 @llvm.fshl.i64(i64 %x, i64 %x, i64 40)
  ret i64 %r\n}");
    // Over 32: the words are swapped, and each gets 8 bits of the other.
    has(
        &text,
        &[
            "mov.b64 {%r1, %r2}, %rd1;",
            "shf.l.wrap.b32 %r3, %r2, %r1, 8;",
            "shf.l.wrap.b32 %r4, %r1, %r2, 8;",
            "mov.b64 %rd2, {%r4, %r3};",
        ],
    );
}

#[test]
fn shifts_of_two_words_by_a_number_read_no_more_than_they_need() {
    let text = ptx("define i128 @f(i128 %x) {
  %r = shl i128 %x, 64
  ret i128 %r\n}");
    has(&text, &["ld.param.v2.b64 {%rd1, %rd2}", "mov.b64 %rd3, 0;", "st.param.v2.b64", "{%rd3, %rd1}"]);
}

#[test]
fn roundings_of_bfloat_numbers_are_not_narrowed_and_widened_again() {
    let text = ptx("define float @f(bfloat %x) {
  %w = call bfloat @llvm.floor.bf16(bfloat %x)
  %r = fpext bfloat %w to float
  ret float %r\n}");
    has(&text, &["cvt.rmi.f32.f32 %f2, %f1;", "st.param"]);
    assert_eq!(text.matches("cvt.f32.bf16").count(), 1, "{text}");
}

#[test]
fn the_last_case_of_a_switch_falls_through_to_its_block() {
    let text = ptx("define i32 @f(i32 %x) {
entry:
  switch i32 %x, label %other [ i32 1, label %one
                                i32 2, label %two ]
two:
  ret i32 20
one:
  ret i32 10
other:
  ret i32 0\n}");
    has(&text, &["setp.eq.s32", "@%p1 bra", "setp.ne.s32", "@%p2 bra", "20", "10"]);
    has_not(&text, "bra.uni");
}

#[test]
fn divisors_chosen_where_the_result_is_open_are_left_out() {
    let text = ptx("define i32 @f(i32 %a, i32 %b) {
  %zero = icmp eq i32 %b, 0
  %ones = icmp eq i32 %b, -1
  %least = icmp eq i32 %a, -2147483648
  %over = and i1 %least, %ones
  %fits = select i1 %over, i32 1, i32 %b
  %d = select i1 %zero, i32 7, i32 %fits, !ptx.open !0
  %q = sdiv i32 %a, %d
  %u = select i1 %zero, i32 7, i32 %b, !ptx.open !0
  %r = urem i32 %q, %u
  ret i32 %r\n}
!0 = !{}");
    has(&text, &["div.s32 %r3, %r1, %r2;", "rem.u32 %r4, %r3, %r2;"]);
    has_not(&text, "setp");
}

#[test]
fn divisors_that_a_program_chooses_stay() {
    for (choice, mark) in [
        // No mark; another condition; another number; the choice of one is the program's.
        ("select i1 %zero, i32 7, i32 %b", ""),
        ("select i1 %other, i32 7, i32 %b", ", !ptx.open !0"),
        ("select i1 %zero, i32 7, i32 %a", ", !ptx.open !0"),
        ("select i1 %zero, i32 7, i32 %max", ", !ptx.open !0"),
    ] {
        let text = ptx(&format!(
            "define i32 @f(i32 %a, i32 %b) {{
  %zero = icmp eq i32 %b, 0
  %other = icmp eq i32 %a, 0
  %max = select i1 %other, i32 1, i32 %b
  %d = {choice}{mark}
  %q = udiv i32 %a, %d
  ret i32 %q\n}}
!0 = !{{}}"
        ));
        has(&text, &["setp", "selp", "div.u32"]);
    }
}

#[test]
fn eight_halfwords_are_accessed_as_four_words() {
    let text = ptx("define void @f(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %x = load <8 x i16>, ptr addrspace(1) %p, align 16
  %y = mul <8 x i16> %x, %x
  store <8 x i16> %y, ptr addrspace(1) %q, align 16
  store <8 x i16> %y, ptr addrspace(1) %p, align 8
  ret void\n}");
    has(&text, &["ld.global.v4.b32", "mov.b32 {%rs1, %rs2}, %r1;", "mul.lo.s16", "st.global.v4.b32"]);
    // Half as much where no more is aligned.
    has(&text, &["st.global.v4.b16", "st.global.v4.b16"]);
}

#[test]
fn bytes_are_converted_to_floats_as_bytes() {
    let text = ptx("define float @f(i32 %x) {
  %s = lshr i32 %x, 8
  %b = trunc i32 %s to i8
  %f = sitofp i8 %b to float
  ret float %f\n}");
    has(&text, &["shr.u32", "cvt.rn.f32.s8"]);
    has_not(&text, "cvt.s16.s8");
}

#[test]
fn signs_of_bytes_in_halfwords_are_extended_by_one_conversion() {
    let text = ptx("define i16 @f(i16 %x) {
  %a = shl i16 %x, 8
  %b = ashr exact i16 %a, 8
  ret i16 %b\n}");
    has(&text, &["cvt.s16.s8"]);
    has_not(&text, "shr");
}

#[test]
fn known_masks_choose_among_the_elements_of_pairs() {
    let text = ptx("declare <4 x half> @llvm.masked.load.v4f16.p1(ptr addrspace(1), <4 x i1>, <4 x half>)
define half @f(ptr addrspace(1) dereferenceable(8) %p) {
  %x = call <4 x half> @llvm.masked.load.v4f16.p1(ptr addrspace(1) align 8 %p,
    <4 x i1> <i1 true, i1 false, i1 true, i1 false>, <4 x half> poison)
  %h = extractelement <4 x half> %x, i32 2
  ret half %h\n}");
    has(&text, &["ld.global.v2.b32 {%r1, %r2}", "st.param.b16"]);
}

#[test]
fn sums_of_words_whose_top_one_is_regrouped_are_chains_of_carries() {
    for (top, text) in [
        ("%s = add i64 %c, %d\n  %h = add i64 %s, %z", "addc.u64 %rd6, %rd3, %rd4;"),
        ("%s = add i64 %c, %d\n  %h = add i64 %z, %s", "addc.u64 %rd6, %rd3, %rd4;"),
        ("%s = add i64 %d, %z\n  %h = add i64 %s, %c", "addc.u64 %rd6, %rd4, %rd3;"),
        ("%h = add i64 %z, %c", "addc.u64 %rd6, %rd3, 0;"),
        ("%h = add i64 %z, 5", "addc.u64 %rd6, 5, 0;"),
        ("%s = sub i64 %c, %d\n  %h = add i64 %s, %z", "addc.u64 %rd7, %rd5, 0;"),
    ] {
        let text_of = ptx(&format!(
            "define [2 x i64] @f(i64 %a, i64 %b, i64 %c, i64 %d) {{
  %p = call {{ i64, i1 }} @llvm.uadd.with.overflow.i64(i64 %a, i64 %b)
  %l = extractvalue {{ i64, i1 }} %p, 0
  %o = extractvalue {{ i64, i1 }} %p, 1
  %z = zext i1 %o to i64
  {top}
  %x = insertvalue [2 x i64] poison, i64 %l, 0
  %r = insertvalue [2 x i64] %x, i64 %h, 1
  ret [2 x i64] %r\n}}"
        ));
        has(&text_of, &["add.cc.u64", "%rd1, %rd2;", text]);
        has_not(&text_of, "setp");
    }
}

#[test]
fn differences_of_words_whose_top_one_is_regrouped_are_chains_of_borrows() {
    for (top, text) in [
        ("%s = sub i64 %c, %d\n  %h = sub i64 %s, %z", "subc.u64 %rd6, %rd3, %rd4;"),
        ("%s = sub i64 %c, %d\n  %h = add i64 %m, %s", "subc.u64 %rd6, %rd3, %rd4;"),
        ("%s = sub i64 %c, %z\n  %h = sub i64 %s, %d", "subc.u64 %rd6, %rd3, %rd4;"),
        ("%s = add i64 %m, %c\n  %h = sub i64 %s, %d", "subc.u64 %rd6, %rd3, %rd4;"),
        ("%h = sub i64 %c, %z", "subc.u64 %rd6, %rd3, 0;"),
        ("%h = add i64 %m, -1", "subc.u64 %rd6, -1, 0;"),
        ("%s = add i64 %c, %d\n  %h = add i64 %s, %m", "subc.u64 %rd7, %rd5, 0;"),
    ] {
        let text_of = ptx(&format!(
            "define [2 x i64] @f(i64 %a, i64 %b, i64 %c, i64 %d) {{
  %p = call {{ i64, i1 }} @llvm.usub.with.overflow.i64(i64 %a, i64 %b)
  %l = extractvalue {{ i64, i1 }} %p, 0
  %o = extractvalue {{ i64, i1 }} %p, 1
  %{} = {}ext i1 %o to i64
  {top}
  %x = insertvalue [2 x i64] poison, i64 %l, 0
  %r = insertvalue [2 x i64] %x, i64 %h, 1
  ret [2 x i64] %r\n}}",
            if top.contains("%m") { "m" } else { "z" },
            if top.contains("%m") { "s" } else { "z" },
        ));
        has(&text_of, &["sub.cc.u64", "%rd1, %rd2;", text]);
        has_not(&text_of, "setp");
    }
}

#[test]
fn flags_that_are_not_added_once_as_they_are_are_no_carries() {
    for top in [
        "%v = zext i1 %o to i64\n  %w = zext i1 %o to i64\n  %h = add i64 %v, %w",
        "%w = sext i1 %o to i64\n  %h = add i64 %c, %w",
        "%w = zext i1 %o to i64\n  %h = sub i64 %c, %w",
        "%n = xor i1 %o, true\n  %w = zext i1 %n to i64\n  %h = add i64 %c, %w",
    ] {
        let text = ptx(&format!(
            "define [2 x i64] @f(i64 %a, i64 %b, i64 %c) {{
  %p = call {{ i64, i1 }} @llvm.uadd.with.overflow.i64(i64 %a, i64 %b)
  %l = extractvalue {{ i64, i1 }} %p, 0
  %o = extractvalue {{ i64, i1 }} %p, 1
  {top}
  %x = insertvalue [2 x i64] poison, i64 %l, 0
  %r = insertvalue [2 x i64] %x, i64 %h, 1
  ret [2 x i64] %r\n}}"
        ));
        has(&text, &["add.s64", "setp.lt.u64"]);
        has_not(&text, "addc");
    }
}

#[test]
fn flags_of_narrower_words_are_no_carries() {
    let text = ptx("define [2 x i64] @f(i32 %a, i32 %b, i64 %c) {
  %p = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)
  %l = extractvalue { i32, i1 } %p, 0
  %o = extractvalue { i32, i1 } %p, 1
  %w = zext i1 %o to i64
  %h = add i64 %c, %w
  %m = zext i32 %l to i64
  %x = insertvalue [2 x i64] poison, i64 %m, 0
  %r = insertvalue [2 x i64] %x, i64 %h, 1
  ret [2 x i64] %r\n}");
    has(&text, &["add.s32", "setp.lt.u32", "add.s64"]);
}

#[test]
fn parameters_whose_low_bits_a_mask_takes_are_loaded_as_these() {
    let text = ptx("define i1 @f(i32 %a, i32 %b) {
  %x = trunc i32 %a to i16
  %y = trunc i32 %b to i16
  %m = and i16 %x, 255
  %n = and i16 %y, 255
  %r = icmp ult i16 %m, %n
  ret i1 %r\n}
define i64 @g(i64 %a) {
  %x = trunc i64 %a to i32
  %m = and i32 %x, 65535
  %r = zext i32 %m to i64
  ret i64 %r\n}
define i16 @h(i32 %a) {
  %x = trunc i32 %a to i16
  %m = and i16 %x, 254
  ret i16 %m\n}");
    has(
        &text,
        &[
            "ld.param.u8 %rs1",
            "ld.param.u8 %rs2",
            "setp.lt.u16",
            "ld.param.u16 %r1",
            "ld.param.b16",
            "and.b16",
        ],
    );
    assert_eq!(text.matches("and.b").count(), 1, "{text}");
}

#[test]
fn small_numbers_become_bfloats_by_single_precision() {
    let module = |value: &str| {
        format!(
            "define bfloat @f(i32 %a, i16 %b) {{\n  %x = {value}\n  %r = uitofp i32 %x to bfloat\n  ret bfloat %r\n}}"
        )
    };
    for value in ["and i32 %a, 16777215", "lshr i32 %a, 8", "zext i16 %b to i32"] {
        let text = ptx_for(&module(value), 80);
        has(&text, &["cvt.rn.f32.u32", "cvt.rn.bf16.f32"]);
        has_not(&text, "setp");
    }
    for value in ["and i32 %a, 33554431", "lshr i32 %a, 7"] {
        has(&ptx_for(&module(value), 80), &["cvt.rz.f32.u32", "setp.ne", "or.b32", "cvt.rn.bf16.f32"]);
    }
}

#[test]
fn rotations_count_back_from_the_amount_as_it_is() {
    let text = ptx_for(
        "declare i16 @llvm.fshl.i16(i16, i16, i16)
define i16 @f(i16 %x, i16 %n) {
  %r = call i16 @llvm.fshl.i16(i16 %x, i16 %x, i16 %n)
  ret i16 %r\n}",
        75,
    );
    has(&text, &["and.b16 %rs3, %rs2, 15;", "sub.s16 %rs4, 0, %rs2;", "and.b16 %rs5, %rs4, 15;"]);
}

#[test]
fn halves_that_are_chosen_as_whole_numbers_are_chosen_as_halves() {
    let text = ptx("define i32 @f(i32 %x, i16 %h, i1 %p, i1 %q) {
  %l = and i32 %x, 65535
  %a = select i1 %p, i32 %l, i32 7
  %w = zext i16 %h to i32
  %s = shl nuw i32 %w, 16
  %b = select i1 %q, i32 0, i32 %s
  %r = or disjoint i32 %b, %a
  ret i32 %r\n}
define i64 @g(i64 %x, i32 %l, i1 %p) {
  %h = and i64 %x, -4294967296
  %a = select i1 %p, i64 %h, i64 0
  %w = zext i32 %l to i64
  %r = or i64 %w, %a
  ret i64 %r\n}");
    has(&text, &["cvt.u16.u32", "selp.b16", ", 7, ", "selp.b16", "0, ", "mov.b32", "selp.b32", "mov.b64"]);
    for gone in ["shl", "65535", "and.b64", "or.b32", "or.b64"] {
        has_not(&text, gone);
    }
}

#[test]
fn choices_whose_other_bits_are_not_zero_stay_whole() {
    for (low, other) in [("131071", "7"), ("65535", "65536"), ("65535", "%x")] {
        let text = ptx(&format!(
            "define i32 @f(i32 %x, i16 %h, i1 %p) {{
  %l = and i32 %x, {low}
  %a = select i1 %p, i32 %l, i32 {other}
  %w = zext i16 %h to i32
  %s = shl nuw i32 %w, 16
  %r = or i32 %s, %a
  ret i32 %r\n}}"
        ));
        has(&text, &["selp.b32", "or.b32"]);
    }
}

#[test]
fn chain_that_another_one_reads_earlier_stays_where_its_words_are() {
    let text = ptx("define [3 x i64] @f(i64 %a, i64 %b, i64 %c, i64 %d) {
  %p = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %a, i64 %b)
  %l = extractvalue { i64, i1 } %p, 0
  %o = extractvalue { i64, i1 } %p, 1
  %q = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %c, i64 %d)
  %m = extractvalue { i64, i1 } %q, 0
  %n = extractvalue { i64, i1 } %q, 1
  %k = mul i64 %c, %d
  %v = zext i1 %o to i64
  %s = add i64 %k, %c
  %h = add i64 %s, %v
  %w = zext i1 %n to i64
  %t = add i64 %l, %d
  %g = add i64 %t, %w
  %x = insertvalue [3 x i64] poison, i64 %m, 0
  %y = insertvalue [3 x i64] %x, i64 %h, 1
  %r = insertvalue [3 x i64] %y, i64 %g, 2
  ret [3 x i64] %r\n}");
    // The second chain is at its first word and reads `%l` there; the first one cannot wait for `%k`.
    has(&text, &["add.s64", "add.cc.u64", "addc.u64", "mul.lo.s64"]);
    assert_eq!(text.matches("addc").count(), 1, "{text}");
}

#[test]
fn chain_that_an_instruction_reads_which_another_text_says_but_leaves_stays_before_it() {
    // The marked text computes `%y` and its flag, but `%other` reads the flag, too, so that the call of `%y` stays.
    let text = ptx("define [2 x i64] @f(i64 %a, i64 %b, i64 %c, i64 %d) {
  %x = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %a, i64 %b)
  %low = extractvalue { i64, i1 } %x, 0
  %y = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %low, i64 %c)
  %late = call i64 @llvm.nvvm.mulhi.ull(i64 %a, i64 %d)
  %flag = extractvalue { i64, i1 } %x, 1
  %carry = zext i1 %flag to i64
  %high = add i64 %late, %carry
  %z = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %high, i64 %d)
  %sum = extractvalue { i64, i1 } %z, 0
  %said = extractvalue { i64, i1 } %y, 1
  %word = zext i1 %said to i64
  %w = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %sum, i64 %word)
  %other = extractvalue { i64, i1 } %y, 1
  %top = extractvalue { i64, i1 } %w, 0, !ptx.inst !0
  %third = select i1 %other, i64 %top, i64 7
  %first = insertvalue [2 x i64] poison, i64 %top, 0
  %both = insertvalue [2 x i64] %first, i64 %third, 1
  ret [2 x i64] %both\n}
!0 = !{!\"add.cc.u64 $0, $3, $4; addc.cc.u64 $1, $5, $6; addc.u64 $2, 0, 0;\", !\"=l,=l,=l,l,l,l,l\", !\"1\"}
");
    has(&text, &["add.s64", "setp.lt.u64", "selp.b64"]);
}

#[test]
fn bytes_side_by_side_are_accessed_as_words() {
    let text = ptx("define void @f(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = load <16 x i8>, ptr addrspace(1) %p, align 16
  %a = extractelement <16 x i8> %v, i32 0
  %b = extractelement <16 x i8> %v, i32 7
  store i8 %a, ptr addrspace(1) %q
  %next = getelementptr i8, ptr addrspace(1) %q, i64 1
  store i8 %b, ptr addrspace(1) %next
  ret void\n}
define void @g(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = load <8 x i8>, ptr addrspace(1) %p, align 8
  %s = add <8 x i8> %v, %v
  store <8 x i8> %s, ptr addrspace(1) %q, align 8
  ret void\n}
define void @h(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %v = load <8 x i8>, ptr addrspace(1) %p, align 4
  store <8 x i8> %v, ptr addrspace(1) %q, align 4
  ret void\n}");
    has(
        &text,
        &["ld.global.v4.b32 {%r1, %r2, %r3, %r4}", "bfe.u32", "%r2, 24, 8;", "st.global.b8", "st.global.b8"],
    );
    has(
        &text,
        &["ld.global.v2.b32 {%r1, %r2}", "add.s16", "prmt.b32", ", 64;", ", 21520;", "st.global.v2.b32"],
    );
    has(&text, &["ld.global.b32", "ld.global.b32", "st.global.b32", "st.global.b32"]);
}

#[test]
fn equality_of_shorts_is_compared_as_it_was_written() {
    let text = ptx("define i1 @f(i16 %a, i16 %b) {
  %c = icmp eq i16 %a, %b, !ptx.mods !0
  ret i1 %c\n}
define i1 @g(i16 %a, i16 %b) {
  %c = icmp eq i16 %a, %b, !ptx.mods !1
  ret i1 %c\n}
!0 = !{!\".s16\"}
!1 = !{!\".b16\"}");
    has(&text, &["setp.eq.s16", "setp.eq.b16"]);
}

#[test]
fn address_of_a_variable_is_moved_once_for_the_blocks_below() {
    let module = |first: &str| {
        format!(
            "@s = internal addrspace(3) global [64 x i32] undef
define ptx_kernel void @k(i32 %n, i1 %c, i1 %d) {{
  {first}
  br i1 %c, label %left, label %right
left:
  %p = getelementptr i8, ptr addrspace(3) @s, i32 %n
  store i32 1, ptr addrspace(3) %p
  br i1 %d, label %below, label %end
below:
  %q = getelementptr i8, ptr addrspace(3) %p, i32 %n
  store i32 2, ptr addrspace(3) %q
  %u = getelementptr i32, ptr addrspace(3) @s, i32 %n
  store i32 3, ptr addrspace(3) %u
  br label %end
right:
  %v = getelementptr i16, ptr addrspace(3) @s, i32 %n
  store i32 4, ptr addrspace(3) %v
  br label %end
end:
  ret void\n}}"
        )
    };
    let moves = |text: &str| text.matches(", s;").count();
    // Neither side of the branch is on every way to the other.
    assert_eq!(moves(&ptx(&module(""))), 2);
    let first = "%f = getelementptr i64, ptr addrspace(3) @s, i32 %n\n  store i32 0, ptr addrspace(3) %f";
    assert_eq!(moves(&ptx(&module(first))), 1);
}

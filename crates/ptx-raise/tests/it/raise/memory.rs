//! Loads, stores, copies and addresses.

use super::{has, has_not, ptx};

#[test]
fn vectors_use_wide_accesses_when_aligned() {
    let text = ptx("define void @f(ptr addrspace(1) %p, ptr addrspace(3) %q) {
  %a = load <4 x float>, ptr addrspace(1) %p, align 16
  %b = load <4 x float>, ptr addrspace(1) %p, align 4
  %s = fadd <4 x float> %a, %b
  store <4 x float> %s, ptr addrspace(3) %q, align 8
  ret void\n}");
    has(&text, &["ld.global.v4.f32", "ld.global.f32", "add.rn.f32", "st.shared.v2.f32", "st.shared.v2.f32"]);
}

#[test]
fn badly_aligned_words_are_put_together_from_bytes() {
    let text = ptx("define i32 @f(ptr %p) {\n  %a = load i32, ptr %p, align 2\n  ret i32 %a\n}");
    has(&text, &["ld.b16", "ld.b16", "shl.b32", "16;", "or.b32"]);
}

#[test]
fn short_copies_unroll_and_long_ones_loop() {
    let text = ptx("declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @f(ptr %p, ptr addrspace(1) %q, i64 %n) {
  call void @llvm.memcpy.p0.p1.i64(ptr align 8 %p, ptr addrspace(1) align 8 %q, i64 12, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %p, i8 1, i64 4, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %p, ptr addrspace(1) %q, i64 %n, i1 false)
  ret void\n}");
    has(
        &text,
        &[
            "ld.global.b64",
            "ld.global.b32",
            "st.b64",
            "st.b32",
            "st.b32",
            "16843009",
            "setp.eq.s64",
            "ld.global.b8",
            "st.b8",
        ],
    );
}

#[test]
fn address_casts_are_cvta() {
    let text = ptx("define ptr addrspace(1) @f(ptr %p, ptr addrspace(3) %q, ptr %o) {
  %a = addrspacecast ptr %p to ptr addrspace(1)
  %b = addrspacecast ptr addrspace(3) %q to ptr
  store ptr %b, ptr %o
  ret ptr addrspace(1) %a\n}");
    has(&text, &["cvta.to.global.u64", "cvta.shared.u64", "st.b64"]);
}

#[test]
fn read_only_loads_use_the_texture_path() {
    let text = ptx("define float @f(ptr addrspace(1) %p) {
  %a = load float, ptr addrspace(1) %p, !invariant.load !0
  ret float %a\n}\n!0 = !{}");
    has(&text, &["ld.global.nc.f32"]);
}

#[test]
fn narrow_accesses_extend_and_truncate_by_themselves() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p) {
  %a = load i8, ptr addrspace(1) %p
  %b = sext i8 %a to i32
  %q = getelementptr i8, ptr addrspace(1) %p, i64 2
  %c = load i16, ptr addrspace(1) %q
  %d = zext i16 %c to i32
  %e = add i32 %b, %d
  %f = trunc i32 %e to i16
  store i16 %f, ptr addrspace(1) %q
  ret void
}");
    has(
        &text,
        &["ld.global.s8 %r1", "ld.global.u16 %r2", "add.s32 %r3, %r1, %r2", "st.global.b16 [%rd1+2], %r3"],
    );
    has_not(&text, "cvt");
}

#[test]
fn all_elements_of_a_vector_are_extended_as_they_are_loaded() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %v = load <2 x i8>, ptr addrspace(1) %p, align 2
  %a = extractelement <2 x i8> %v, i32 0
  %b = extractelement <2 x i8> %v, i32 1
  %x = sext i8 %a to i32
  %y = sext i8 %b to i32
  %d = sub i32 %x, %y
  store i32 %d, ptr addrspace(1) %o, align 4
  ret void
}");
    has(&text, &["ld.global.v2.s8", "sub.s32"]);
    has_not(&text, "cvt");
}

#[test]
fn elements_that_are_extended_in_different_ways_are_loaded_as_they_are() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %v = load <2 x i8>, ptr addrspace(1) %p, align 2
  %a = extractelement <2 x i8> %v, i32 0
  %b = extractelement <2 x i8> %v, i32 1
  %x = sext i8 %a to i32
  %y = zext i8 %b to i32
  %d = sub i32 %x, %y
  store i32 %d, ptr addrspace(1) %o, align 4
  ret void
}");
    has(&text, &["ld.global.v2.b8", "cvt.s32.s8"]);
}

#[test]
fn undefined_elements_in_memory_take_no_instruction() {
    let text = ptx("define void @f(ptr addrspace(1) %p, i32 %x) {
  %v = insertelement <4 x i32> poison, i32 %x, i32 1
  store <4 x i32> %v, ptr addrspace(1) %p, align 16
  ret void
}");
    has(&text, &["st.global.v4.b32"]);
    has_not(&text, "mov");
}

#[test]
fn elements_that_a_constant_mask_names_are_loaded_together() {
    let text = ptx("declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p1(<4 x i32>, ptr addrspace(1), <4 x i1>)
define void @f(ptr byval([16 x i8]) align 16 %a, ptr addrspace(1) %p) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %a, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x i32> poison)
  call void @llvm.masked.store.v4i32.p1(<4 x i32> %v, ptr addrspace(1) align 16 %p, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  ret void
}");
    has(&text, &["ld.param.v2.b32", "[a]", "ld.param.b32", "[a+8]"]);
    has(&text, &["st.global.v2.b32", "st.global.b32", "+8]"]);
    has_not(&text, ".local");
}

#[test]
fn neighbours_of_several_widths_are_stored_each_by_its_own() {
    let text = ptx("define void @f(ptr %p, i13 %a, i16 %b) {
  %s = insertvalue { i13, i16 } poison, i13 %a, 0
  %t = insertvalue { i13, i16 } %s, i16 %b, 1
  store { i13, i16 } %t, ptr %p, align 4
  ret void
}");
    has(&text, &["and.b16", "%rs1, 8191", "st.v2.b16", "{%rs3, %rs2}"]);
}

#[test]
fn constant_steps_from_converted_addresses_count() {
    // Through a number the address is in a register when the step is added.
    let converted =
        "ptr inttoptr (i64 ptrtoint (ptr addrspacecast (ptr addrspace(1) @g to ptr) to i64) to ptr)";
    let text = ptx(&format!(
        "@g = addrspace(1) global [64 x i8] zeroinitializer, align 16
define void @f(ptr addrspace(1) %out) {{
  %a = load i32, ptr getelementptr (i8, {converted}, i64 8)
  %b = atomicrmw add ptr getelementptr (i8, {converted}, i64 12), i32 %a monotonic
  store i32 %b, ptr getelementptr ([4 x i32], {converted}, i64 1, i64 2)
  ret void\n}}"
    ));
    has(&text, &["ld.b32", "+8]", "+12]", "st.b32", "+24]"]);
}

#[test]
fn constant_steps_within_the_memory_of_a_cluster_count() {
    let cluster = "ptr addrspace(7) inttoptr (i64 ptrtoint (ptr addrspace(7) addrspacecast (ptr addrspace(3) @s to ptr addrspace(7)) to i64) to ptr addrspace(7))";
    let text = ptx(&format!(
        "@s = addrspace(3) global [64 x i8] undef, align 16
declare void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(7), ptr addrspace(3), ptr addrspace(3), i32)
define i32 @f(ptr addrspace(3) %bar) {{
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(7) getelementptr (i8, {cluster}, i64 16), \
   ptr addrspace(3) %bar, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 32), i32 16)
  %a = load i32, ptr addrspace(7) getelementptr (i8, {cluster}, i64 8)
  ret i32 %a\n}}"
    ));
    has(&text, &["cp.async.bulk", "+16], [s+32], 16,", "ld.shared::cluster.b32", "+8]"]);
}

#[test]
fn constant_arithmetic_on_addresses_has_any_width() {
    let text = ptx("@g = addrspace(1) global [64 x i8] zeroinitializer, align 16
define void @f(ptr %p) {
  store i8 add (i8 ptrtoint (ptr addrspace(1) @g to i8), i8 1), ptr %p
  store i16 xor (i16 trunc (i64 ptrtoint (ptr addrspace(1) @g to i64) to i16), i16 7), ptr %p
  store i128 sub (i128 ptrtoint (ptr addrspace(1) @g to i128), i128 3), ptr %p
  ret void\n}");
    has(&text, &["add.s16", "st.b8", "xor.b16", "st.b16", "sub.cc.u64", "subc.u64", "st.b32"]);
}

#[test]
fn masked_loads_stay_within_what_is_known_of_the_object() {
    let load = |of: &str| {
        ptx(&format!(
            "@short = addrspace(1) global [3 x i8] zeroinitializer, align 4
@long = addrspace(1) global [4 x i8] zeroinitializer, align 4
define <4 x i8> @f(ptr addrspace(1) %p, ptr addrspace(1) dereferenceable(4) %q) {{
  %a = call <4 x i8> @llvm.masked.load.v4i8.p1(ptr addrspace(1) align 4 {of}, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x i8> poison)
  ret <4 x i8> %a\n}}"
        ))
    };
    for unknown in ["@short", "%p"] {
        let text = load(unknown);
        has(&text, &["ld.global.v2.b8", "ld.global.b8", "+2]"]);
        has_not(&text, "ld.global.b32");
    }
    for known in ["@long", "%q"] {
        has(&load(known), &["ld.global.b32"]);
    }
    // Bytes between two elements are in their object.
    let text = ptx("define <4 x i32> @f(ptr addrspace(1) %p) {
  %a = call <4 x i32> @llvm.masked.load.v4i32.p1(ptr addrspace(1) align 16 %p, <4 x i1> <i1 1, i1 0, i1 0, i1 1>, <4 x i32> poison)
  ret <4 x i32> %a\n}");
    has(&text, &["ld.global.v4.b32"]);
}

#[test]
fn memory_that_is_filled_as_a_whole_is_aligned_for_it() {
    let text = ptx("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @keep(ptr)
define void @f() {
  %t = alloca [64 x i8], align 1
  %short = alloca [3 x i8], align 1
  call void @llvm.memset.p0.i64(ptr align 1 %t, i8 0, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr align 1 %short, i8 0, i64 3, i1 false)
  call void @keep(ptr %t)
  call void @keep(ptr %short)
  ret void\n}");
    has(
        &text,
        &[
            ".local .align 8 .b8",
            ".local .align 2 .b8",
            "st.local.b64",
            "[t+56]",
            "st.local.b16",
            "st.local.b8",
        ],
    );
    has_not(&text, "bra");
}

#[test]
fn shared_addresses_have_32_bits_where_their_upper_halves_are_zero() {
    // Inside of the object, or cut off, or an address only.
    let text = ptx("@s = internal addrspace(3) global [64 x i8] undef
define void @f(ptr addrspace(1) %out, i64 %n) {
  %p = getelementptr inbounds i8, ptr addrspace(3) @s, i64 %n
  %number = ptrtoint ptr addrspace(3) %p to i64
  store i64 %number, ptr addrspace(1) %out
  %q = getelementptr i8, ptr addrspace(3) @s, i64 %n
  %whole = ptrtoint ptr addrspace(3) %q to i64
  %sum = add i64 %whole, 5
  %low = trunc i64 %sum to i32
  store i32 %low, ptr addrspace(3) %q
  ret void\n}");
    has(&text, &["add.s32", "cvt.u64.u32"]);
    has_not(&text, "mov.b64");
}

#[test]
fn shared_addresses_have_64_bits_where_their_upper_halves_are_read() {
    let readers = [
        "%number = ptrtoint ptr addrspace(3) %p to i64\n  store i64 %number, ptr addrspace(1) %out",
        "store ptr addrspace(3) %p, ptr addrspace(1) %out",
        "%less = icmp ult ptr addrspace(3) %p, @s\n  store i1 %less, ptr addrspace(1) %out",
        "call void @g(ptr addrspace(3) %p)",
        "%old = atomicrmw xchg ptr addrspace(1) %out, ptr addrspace(3) %p monotonic",
    ];
    for reader in readers {
        let text = ptx(&format!(
            "@s = internal addrspace(3) global [64 x i8] undef
declare void @g(ptr addrspace(3))
define void @f(ptr addrspace(1) %out, i64 %n) {{
  %p = getelementptr i8, ptr addrspace(3) @s, i64 %n
  {reader}
  ret void\n}}"
        ));
        assert!(text.contains("add.s64"), "{reader}:\n{text}");
    }
}

#[test]
fn shared_addresses_have_64_bits_where_parts_of_constants_read_their_upper_halves() {
    let number = "i64 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @s, i64 -8) to i64)";
    for stored in [
        format!("<2 x i64> <{number}, i64 1>"),
        format!("i32 extractelement (<2 x i32> bitcast ({number} to <2 x i32>), i32 1)"),
    ] {
        let text = ptx(&format!(
            "@s = internal addrspace(3) global [64 x i8] undef
define void @f(ptr addrspace(1) %out) {{
  store {stored}, ptr addrspace(1) %out
  ret void\n}}"
        ));
        assert!(text.contains("add.s64"), "{stored}:\n{text}");
    }
}

#[test]
fn sums_of_a_variable_and_a_constant_that_leave_32_bits_are_sums() {
    let text = ptx("@c = internal addrspace(4) constant [64 x i8] zeroinitializer
define void @f(ptr addrspace(1) %out) {
  store ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @c, i64 -8), ptr addrspace(1) %out
  store ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @c, i64 8), ptr addrspace(1) %out
  ret void\n}");
    has(&text, &["c;", "add.s64", "-8;", "c+8;"]);
}

//! Vectors of bytes, which stay packed in words.

use super::{has, has_not, readable};

#[test]
fn four_bytes_are_loaded_passed_and_stored_as_one_word() {
    let text = readable(
        "define void @f(ptr addrspace(1) %p, <4 x i8> %v) {
  %w = load <4 x i8>, ptr addrspace(1) %p
  store <4 x i8> %v, ptr addrspace(1) %p
  %r = call <4 x i8> @g(<4 x i8> %w)
  %q = getelementptr i8, ptr addrspace(1) %p, i64 4
  store <4 x i8> %r, ptr addrspace(1) %q
  ret void\n}
declare <4 x i8> @g(<4 x i8>)",
    );
    has(
        &text,
        &["ld.param.b32", "ld.global.b32", "st.global.b32", "st.param.b32", "ld.param.b32", "st.global.b32"],
    );
    for cut in ["bfe", "prmt", "cvt", "b16"] {
        has_not(&text, cut);
    }
}

#[test]
fn shuffled_bytes_take_one_instruction_for_two_words() {
    let text = readable(
        "define <4 x i8> @f(<4 x i8> %a, <4 x i8> %b) {
  %r = shufflevector <4 x i8> %a, <4 x i8> %b, <4 x i32> <i32 3, i32 4, i32 7, i32 0>
  ret <4 x i8> %r\n}
define <4 x i8> @g(<4 x i8> %a) {
  %r = insertelement <4 x i8> %a, i8 77, i32 2
  ret <4 x i8> %r\n}",
    );
    // 0x0743 and, with the constant first in the second operand, 0x3410.
    has(&text, &["prmt.b32 %r3, %r1, %r2, 1859;", ") g(", ", 77, 13328;"]);
    has_not(&text, "bfe");
}

#[test]
fn bits_of_bytes_are_combined_and_chosen_in_words() {
    let text = readable(
        "define <8 x i8> @f(i1 %c, <8 x i8> %a, <8 x i8> %b) {
  %x = xor <8 x i8> %a, %b
  %y = and <8 x i8> %x, <i8 1, i8 2, i8 3, i8 4, i8 0, i8 0, i8 0, i8 1>
  %z = select i1 %c, <8 x i8> %y, <8 x i8> %a
  ret <8 x i8> %z\n}",
    );
    has(
        &text,
        &["ld.param.v2.b32", "xor.b32", "and.b32", ", 67305985;", ", 16777216;", "selp.b32", "selp.b32"],
    );
    has(&text, &["st.param.v2.b32"]);
    has_not(&text, "b16");
}

#[test]
fn casts_between_bytes_and_words_copy_nothing() {
    let text = readable(
        "define i32 @f(<4 x i8> %a) {\n  %r = bitcast <4 x i8> %a to i32\n  ret i32 %r\n}
define <4 x i8> @g(i32 %a) {\n  %r = bitcast i32 %a to <4 x i8>\n  ret <4 x i8> %r\n}
define <2 x i64> @h(<16 x i8> %a) {\n  %r = bitcast <16 x i8> %a to <2 x i64>\n  ret <2 x i64> %r\n}",
    );
    has(&text, &["mov.b64", "{%r1, %r2}", "mov.b64", "{%r3, %r4}"]);
    for cut in ["bfe", "prmt", "cvt", "b16"] {
        has_not(&text, cut);
    }
}

#[test]
fn phis_of_words_are_words() {
    let module = |step: &str| {
        format!(
            "define void @f(ptr addrspace(1) %p, i32 %n) {{
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  %v = phi <4 x i8> [ zeroinitializer, %entry ], [ %w, %head ]
  %q = getelementptr <4 x i8>, ptr addrspace(1) %p, i32 %i
  %l = load <4 x i8>, ptr addrspace(1) %q
  %w = {step} <4 x i8> %l, %v
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %head, label %end
end:
  store <4 x i8> %w, ptr addrspace(1) %p
  ret void\n}}"
        )
    };
    let text = readable(&module("xor"));
    has(&text, &["xor.b32", "st.global.b32"]);
    has_not(&text, "b16");
    // Bytes that are computed one by one stay separate.
    let text = readable(&module("add"));
    has(&text, &["add.s16", "st.global.v4.b8"]);
    has_not(&text, "prmt");
}

#[test]
fn extended_bytes_come_out_of_their_word() {
    let text = readable(
        "define <4 x i32> @f(<4 x i8> %a) {\n  %r = sext <4 x i8> %a to <4 x i32>\n  ret <4 x i32> %r\n}
define <4 x i64> @g(<4 x i8> %a) {\n  %r = zext <4 x i8> %a to <4 x i64>\n  ret <4 x i64> %r\n}",
    );
    // 0x8880: the lowest byte, and its sign three times.
    has(&text, &["prmt.b32", ", 0, 34944;", ") g(", "bfe.u32", "cvt.u64.u32"]);
    has_not(&text, "b16");
}

#[test]
fn bytes_of_their_own_are_stored_as_they_are() {
    let text = readable(
        "define void @f(ptr addrspace(1) %p, i8 %a, i8 %b) {
  %x = insertelement <4 x i8> zeroinitializer, i8 %a, i32 0
  %y = insertelement <4 x i8> %x, i8 %b, i32 3
  store <4 x i8> %y, ptr addrspace(1) %p
  ret void\n}",
    );
    has(&text, &["st.global.v4.b8"]);
    // Code that was PTX keeps its registers.
    let text = readable(
        "define void @f(ptr addrspace(1) %p) {
  %v = load <4 x i8>, ptr addrspace(1) %p
  store <4 x i8> %v, ptr addrspace(1) %p
  ret void\n}
!ptx.version = !{!0}\n!0 = !{!\"8.0\"}",
    );
    has(&text, &["ld.global.v4.b8", "st.global.v4.b8"]);
}

//! Operations that carry the mark of the instruction they came from.

use super::ptx;

/// The lowering of `bfe.u32 %r, %a, 4, 12`, marked as `marked`; the shifts are by 16 and `last`.
fn marked_field(marked: &str, last: u32, uses: &str) -> String {
    ptx(&format!(
        "define i32 @f(i32 %a, ptr %p) {{
  %s = shl i32 %a, 16
  {uses}
  %r = lshr i32 %s, {last}, !ptx.inst !0
  ret i32 %r
}}
!0 = !{{!\"{marked}\", !\"=r,r\", !\"0\"}}
"
    ))
}

#[test]
fn marked_operations_become_the_instruction_they_came_from() {
    let text = marked_field("bfe.u32 $0, $1, 4, 12;", 20, "");
    assert!(text.contains("bfe.u32 \t%r2, %r1, 4, 12;"), "{text}");
    assert!(!text.contains("shl.b32") && !text.contains("shr.u32"), "{text}");
}

#[test]
fn mark_that_does_not_fit_the_operations_is_not_believed() {
    for (marked, last) in [
        ("bfe.u32 $0, $1, 4, 12;", 21),
        ("bfe.s32 $0, $1, 4, 12;", 20),
        ("bfe.u32 $0, $1, 4;", 20),
        ("no such thing", 20),
        ("st.global.u32 [$1], $0;", 20),
    ] {
        let text = marked_field(marked, last, "");
        assert!(text.contains("shl.b32") && text.contains(&format!(", {last};")), "{marked}: {text}");
    }
}

#[test]
fn operations_of_a_marked_instruction_that_others_use_stay() {
    let text = marked_field("bfe.u32 $0, $1, 4, 12;", 20, "store i32 %s, ptr %p");
    assert!(text.contains("bfe.u32") && text.contains("shl.b32"), "{text}");
}

#[test]
fn chain_whose_later_instruction_reads_an_earlier_result_stays_a_chain() {
    let text = ptx("define { i32, i32 } @f(i32 %a, i32 %b) {
  %s = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 2, i32 %a)
  %low = extractvalue { i32, i1 } %s, 0, !ptx.inst !0
  %borrow = extractvalue { i32, i1 } %s, 1
  %wide = zext i1 %borrow to i32
  %d = sub i32 %low, %b
  %high = sub i32 %d, %wide, !ptx.inst !1
  %x = insertvalue { i32, i32 } poison, i32 %low, 0
  %y = insertvalue { i32, i32 } %x, i32 %high, 1
  ret { i32, i32 } %y
}
declare { i32, i1 } @llvm.usub.with.overflow.i32(i32, i32)
!0 = !{!\"sub.cc.u32 $0, 2, $2; subc.u32 $1, $3, $4;\", !\"=r,=r,r,r,r\", !\"0\"}
!1 = !{!\"sub.cc.u32 $0, 2, $2; subc.u32 $1, $3, $4;\", !\"=r,=r,r,r,r\", !\"1\"}
");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("sub")).collect();
    assert_eq!(lines, ["sub.cc.u32 \t%r3, 2, %r1;", "subc.u32 \t%r4, %r3, %r2;"], "{text}");
}

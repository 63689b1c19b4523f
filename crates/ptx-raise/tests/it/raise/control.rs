//! Branches, phis, switches and loops.

use super::{has, has_not, ptx};

#[test]
fn two_phis_that_swap_keep_both_values() {
    let text = ptx("define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  ret i32 %a\n}");
    // A swap needs a third register: two copies out and one back at least.
    assert!(text.matches("mov.b32").count() >= 5, "{text}");
}

#[test]
fn branches_keep_polarity_and_blocks_their_order() {
    let text = ptx("define i32 @f(i1 %c, i1 %d) {
  br i1 %c, label %far, label %near
near:
  br i1 %d, label %next, label %far
next:
  ret i32 1
far:
  ret i32 2\n}");
    has(&text, &["@%p1 bra $L__BB0_3", "@!%p2 bra $L__BB0_3", "1;", "ret", "$L__BB0_3:", "2;", "ret"]);
}

#[test]
fn dense_switches_become_tables_and_sparse_ones_comparisons() {
    let body = "define i32 @f(i32 %x) { switch i32 %x, label %o [ CASES ]
a: ret i32 1
b: ret i32 2
c: ret i32 3
d: ret i32 4
o: ret i32 5\n}";
    let dense =
        ptx(&body.replace("CASES", "i32 7, label %a i32 8, label %b i32 9, label %c i32 10, label %d"));
    has(&dense, &["sub.s32", ", 7;", "setp.gt.u32", ", 3;", ".branchtargets", "brx.idx"]);
    let sparse =
        ptx(&body.replace("CASES", "i32 7, label %a i32 800, label %b i32 9, label %c i32 -1, label %d"));
    has(&sparse, &["setp.eq.s32", "800", "setp.eq.s32", "-1"]);
    has_not(&sparse, "brx.idx");
}

#[test]
fn unrolling_stays_forbidden() {
    let text = ptx("define void @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %done, !llvm.loop !0
done:
  ret void\n}
!0 = distinct !{!0, !1}
!1 = !{!\"llvm.loop.unroll.disable\"}");
    has(&text, &["$L__BB0_1:", ".pragma \"nounroll\";", "bra $L__BB0_1"]);
}

#[test]
fn copies_for_a_loop_stand_before_the_branch_out_of_it() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %back ]
  %next = add i64 %i, 1
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %i
  store i8 1, ptr addrspace(1) %at, align 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %out, label %back
back:
  br label %loop
out:
  ret void
}");
    let copy = text.lines().skip_while(|line| !line.contains("setp.")).nth(1).unwrap_or_default();
    assert!(copy.contains("mov.b64"), "{text}");
}

//! Intrinsics and inline assembly.

use ptx_raise::RaiseOptions;

use super::{has, ptx, raised, refusal};

#[test]
fn intrinsics_follow_the_table() {
    let text = ptx("declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { i32, i1 } @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define i32 @f() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = call { i32, i1 } @llvm.nvvm.shfl.sync.bfly.i32p(i32 -1, i32 %t, i32 1, i32 31)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = extractvalue { i32, i1 } %s, 0
  ret i32 %r\n}");
    has(&text, &["mov.u32 %r1, %tid.x", "shfl.sync.bfly.b32 %r2|%p1, %r1, 1, 31, 4294967295", "bar.sync 0"]);
}

#[test]
fn flags_of_an_intrinsic_choose_modifiers_and_operands() {
    let text = ptx("declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7), ptr addrspace(3), ptr, i32, i32, i16, i64, i1, i1, i32)
define void @f(ptr addrspace(7) %d, ptr addrspace(3) %b, ptr %t, i32 %x, i32 %y, i16 %m, i64 %c) {
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %d, ptr addrspace(3) %b, ptr %t, i32 %x, i32 %y, i16 %m, i64 %c, i1 0, i1 0, i32 0)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %d, ptr addrspace(3) %b, ptr %t, i32 %x, i32 %y, i16 %m, i64 %c, i1 0, i1 1, i32 0)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.tile.2d(ptr addrspace(7) %d, ptr addrspace(3) %b, ptr %t, i32 %x, i32 %y, i16 %m, i64 %c, i1 1, i1 0, i32 0)
  ret void\n}");
    let start = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    let lines: Vec<_> = text.lines().filter_map(|line| line.trim().strip_prefix(start)).collect();
    let [plain, hinted, multicast] = lines.as_slice() else { panic!("{text}") };
    let places = plain.trim_end_matches(';');
    // Destination, map with two coordinates, barrier.
    assert_eq!(places.matches(", ").count(), 4, "{plain}");
    assert!(hinted.starts_with(&format!(".L2::cache_hint{places}, %rd")), "{hinted}");
    assert!(multicast.starts_with(&format!(".multicast::cluster{places}, %rs")), "{multicast}");
}

#[test]
fn vectors_of_tensor_memory_are_lanes() {
    let options = RaiseOptions { target: None, version: None };
    let text = raised(
        "declare <2 x i32> @llvm.nvvm.tcgen05.ld.16x64b.x2(ptr addrspace(6), i1)
declare void @llvm.nvvm.tcgen05.st.16x64b.x2(ptr addrspace(6), <2 x i32>, i1)
define void @f(ptr addrspace(6) %a) \"target-cpu\"=\"sm_100a\" {
  %v = call <2 x i32> @llvm.nvvm.tcgen05.ld.16x64b.x2(ptr addrspace(6) %a, i1 1)
  call void @llvm.nvvm.tcgen05.st.16x64b.x2(ptr addrspace(6) %a, <2 x i32> %v, i1 0)
  ret void\n}",
        &options,
    );
    has(
        &text.expect("raised"),
        &[
            "tcgen05.ld.sync.aligned.16x64b.x2.pack::16b.b32 {%r2, %r3}, [%r1]",
            "tcgen05.st.sync.aligned.16x64b.x2.b32 [%r1], {%r2, %r3}",
        ],
    );
}

#[test]
fn unknown_intrinsics_are_refused_with_their_place() {
    let message = refusal(
        "declare double @llvm.pow.f64(double, double)
define double @f(double %x) {\n  %r = call double @llvm.pow.f64(double %x, double 2.0)\n  ret double %r\n}",
    );
    assert!(
        message.starts_with("R0103") && message.contains("llvm.pow.f64") && message.contains("function f"),
        "{message}"
    );
}

#[test]
fn inline_assembly_gets_our_registers_and_its_own_names() {
    let text = ptx("define i32 @f(i32 %a, i32 %b) {
  %x = call i32 asm \"{ .reg .b32 %r1; add.s32 %r1, $1, $2; mov.b32 $0, %r1; }\", \"=r,r,r\"(i32 %a, i32 %b)
  %y = call i32 asm \"add.s32 $0, $1, $2;\", \"=r,0,n\"(i32 %x, i32 5)
  ret i32 %y\n}");
    has(&text, &["add.s32 %a0_", ", %r1, %r2;", "add.s32 %r", ", 5;"]);
}

#[test]
fn broken_assembly_is_refused() {
    let message =
        refusal("define void @f() {\n  call void asm sideeffect \"frobnicate;\", \"\"()\n  ret void\n}");
    assert!(message.starts_with("R0104") && message.contains("frobnicate"), "{message}");
}

#[test]
fn hints_come_back() {
    let text = ptx("define i32 @f(ptr addrspace(1) %p) {
  %a = load i32, ptr addrspace(1) %p, !ptx.mods !0
  ret i32 %a\n}\n!0 = !{!\".cg\"}");
    has(&text, &["ld.global.cg.b32"]);
}

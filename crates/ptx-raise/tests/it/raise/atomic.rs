//! Order and scope of accesses.

use ptx_isa::Sm;
use ptx_raise::RaiseOptions;

use super::{has, ptx, raised, refusal};

#[test]
fn orders_and_scopes_are_never_weaker() {
    let text = ptx("define i32 @f(ptr addrspace(1) %p, ptr %q) {
  %a = load atomic i32, ptr addrspace(1) %p syncscope(\"device\") acquire, align 4
  store atomic i32 %a, ptr %q syncscope(\"block\") release, align 4
  %b = load atomic i32, ptr %q seq_cst, align 4
  %c = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope(\"cluster\") acq_rel, align 4
  %d = atomicrmw xchg ptr %q, i32 1 seq_cst, align 4
  fence syncscope(\"device\") seq_cst
  fence acquire
  %s = add i32 %b, %c
  %t = add i32 %s, %d
  ret i32 %t\n}");
    has(&text, &["ld.acquire.gpu.global.b32", "st.release.cta.b32", "fence.sc.sys", "ld.acquire.sys.b32"]);
    has(&text, &["atom.acq_rel.cluster.global.add.u32", "fence.sc.sys", "atom.acquire.sys.exch.b32"]);
    has(&text, &["exch", "fence.sc.gpu", "fence.acq_rel.sys"]);
}

#[test]
fn unused_relaxed_atomics_are_reductions() {
    let text = ptx("define void @f(ptr addrspace(3) %p, float %x) {
  %a = atomicrmw fadd ptr addrspace(3) %p, float %x syncscope(\"block\") monotonic, align 4
  %b = atomicrmw sub ptr addrspace(3) %p, i32 3 syncscope(\"block\") acquire, align 4
  ret void\n}");
    has(&text, &["red.relaxed.cta.shared.add.f32", "atom.acquire.cta.shared.add.u32"]);
}

#[test]
fn operations_that_atom_lacks_loop_around_cas() {
    let text = ptx("define i8 @f(ptr %p, i8 %x) {
  %a = atomicrmw nand ptr %p, i8 %x monotonic, align 1
  ret i8 %a\n}");
    has(
        &text,
        &["and.b64", "18446744073709551612;", "$L__BB0_1:", "atom.relaxed.sys.cas.b32", "bra $L__BB0_1"],
    );
}

#[test]
fn unknown_scopes_are_refused() {
    let message = refusal("define void @f() { fence syncscope(\"warp\") acquire ret void }");
    assert!(message.starts_with("R0108") && message.contains("warp"), "{message}");
}

#[test]
fn older_targets_order_memory_with_membar() {
    let text = ptx_for_old(
        "define i32 @f(ptr addrspace(1) %p) {
  %a = load atomic i32, ptr addrspace(1) %p syncscope(\"device\") acquire, align 4
  %b = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope(\"device\") seq_cst, align 4
  %s = add i32 %a, %b
  ret i32 %s\n}",
    );
    has(&text, &["ld.volatile.global.b32", "membar.gl", "membar.gl", "atom.global.add.u32", "membar.gl"]);
}

/// ptxas no longer supports targets before sm_75, so that its verdict is not available here.
fn ptx_for_old(text: &str) -> String {
    let options = RaiseOptions { target: Some(Sm::new(60)), version: None };
    raised(text, &options).unwrap_or_else(|message| panic!("refused: {message}"))
}

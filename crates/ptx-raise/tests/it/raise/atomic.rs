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

/// Everyone who can access an object of shared memory is in the scope (manual 8.5).
#[test]
fn operations_on_shared_memory_are_for_its_block() {
    let text = ptx("@v = internal addrspace(3) global i32 undef
define ptx_kernel void @k(ptr addrspace(3) %p, ptr %q) {
  %a = load atomic i32, ptr addrspace(3) %p acquire, align 4
  store atomic i32 %a, ptr addrspacecast (ptr addrspace(3) @v to ptr) release, align 4
  %b = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 syncscope(\"device\") acq_rel monotonic, align 4
  %c = atomicrmw add ptr addrspace(3) %p, i32 1 syncscope(\"singlethread\") acquire, align 4
  %d = load atomic volatile i32, ptr addrspace(3) %p acquire, align 4
  %e = atomicrmw add ptr %q, i32 1 acquire, align 4
  ret void\n}");
    has(&text, &["ld.acquire.cta.shared", "st.release.cta.shared", "atom.acq_rel.cta.shared.cas"]);
    has(&text, &["atom.acquire.cta.shared.add", "ld.acquire.sys.shared", "atom.acquire.sys.add"]);
}

/// The addresses of a block's shared memory can get to other blocks of its cluster: by `mapa`, or where code is not known.
#[test]
fn operations_on_shared_memory_are_for_the_cluster_if_that_can_access_it() {
    let operation = "  %a = atomicrmw add ptr addrspace(3) %p, i32 1 acquire, align 4\n";
    let kernel = |rest: &str| {
        format!("define ptx_kernel void @k(ptr addrspace(3) %p) {{\n{operation}{rest}  ret void\n}}\n")
    };
    let mapa = "declare ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)\n";
    let maps = "  %m = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %p, i32 1)\n  store i32 0, ptr addrspace(7) %m\n";
    let calls = "  call void @g()\n";
    let assembly = "  call void asm sideeffect \"membar.gl;\", \"\"()\n";
    for (text, scope) in [
        (kernel(""), "cta"),
        (kernel(maps) + mapa, "cluster"),
        (kernel(calls) + "declare void @g()\n", "cluster"),
        (kernel(calls) + "define internal void @g() noinline { ret void }\n", "cta"),
        (kernel(assembly), "cluster"),
        (kernel("").replace("ptx_kernel ", ""), "cluster"),
    ] {
        has(&ptx(&text), &[&format!("atom.acquire.{scope}.shared.add.u32")]);
    }
    // There are no clusters.
    let options = RaiseOptions { target: Some(Sm::new(80)), version: None };
    let text = raised(&(kernel(calls) + "declare void @g()\n"), &options).expect("raised");
    has(&text, &["atom.acquire.cta.shared.add.u32"]);
}

/// The fence of a `seq_cst` operation orders other locations, too: it is one for the block only where no thread synchronizes with another block.
#[test]
fn fences_before_operations_on_shared_memory_are_for_the_block_if_nobody_can_tell() {
    let kernel = |rest: &str| {
        format!(
            "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.membar.gl()
define ptx_kernel void @k(ptr addrspace(3) %p, ptr addrspace(1) %q) {{
  %a = atomicrmw add ptr addrspace(3) %p, i32 1 seq_cst, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = atomicrmw add ptr addrspace(1) %q, i32 1 syncscope(\"device\") monotonic, align 4
{rest}  ret void
}}
"
        )
    };
    for (rest, scope) in [
        ("", "cta"),
        ("  fence syncscope(\"block\") seq_cst\n", "cta"),
        ("  fence release\n", "sys"),
        ("  call void @llvm.nvvm.membar.gl()\n", "sys"),
        ("  store atomic i32 0, ptr addrspace(1) %q release, align 4\n", "sys"),
        ("  %b = atomicrmw add ptr addrspace(1) %q, i32 1 seq_cst, align 4\n", "sys"),
    ] {
        has(&ptx(&kernel(rest)), &[&format!("fence.sc.{scope}"), "atom.acquire.cta.shared.add.u32"]);
    }
}

/// PTX keeps the scopes that it was written with.
#[test]
fn scopes_of_ptx_are_kept() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(3) %p) {
  %a = atomicrmw add ptr addrspace(3) %p, i32 1 syncscope(\"device\") acquire, align 4
  ret void\n}
!ptx.version = !{!0}\n!0 = !{!\"8.0\"}");
    has(&text, &["atom.acquire.gpu.shared.add.u32"]);
}

/// ptxas no longer supports targets before sm_75, so that its verdict is not available here.
fn ptx_for_old(text: &str) -> String {
    let options = RaiseOptions { target: Some(Sm::new(60)), version: None };
    raised(text, &options).unwrap_or_else(|message| panic!("refused: {message}"))
}

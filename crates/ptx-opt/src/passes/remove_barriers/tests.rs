use ptx_llvm_core::{Context, Module};

const BARRIER: &str = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
const WARP_BARRIER: &str = "call void @llvm.nvvm.bar.warp.sync(i32 -1)";

/// A kernel after the pass; `B` is a barrier, `%t` the number of the thread, `%c` a condition that is the same for all threads and `%d` one that is not.
fn after(body: &str, attributes: &str) -> String {
    let text = format!(
        "target datalayout = \"e-p3:32:32-p5:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
@s = internal addrspace(3) global [64 x i32] poison
@z = internal addrspace(3) global [64 x i32] poison
@dynamic = external addrspace(3) global [0 x i32]
@other = external addrspace(3) global [0 x i32]
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare void @callee() convergent
define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {attributes} {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %c = icmp ult i32 %b, %n
  %d = icmp ult i32 %t, %n
  %s = getelementptr i32, ptr addrspace(3) @s, i32 %t
  %z = getelementptr i32, ptr addrspace(3) @z, i32 %t
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
{}
}}",
        body.replace("B;", BARRIER)
    );
    let context = Context::new().expect("LLVM 22");
    let mut module =
        Module::parse(&context, "m", text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    crate::pass::on_functions(&mut module, super::run).expect("runs");
    module.verify().expect("valid");
    module.to_text()
}

/// How many barriers are left.
fn left(body: &str) -> usize {
    after(body, "").matches(BARRIER).count()
}

const STORE: &str = "  store i32 %t, ptr addrspace(3) %s\n";
const LOAD: &str = "  %x = load i32, ptr addrspace(3) %s\n";

#[test]
fn of_two_barriers_without_accesses_between_them_one_is_left() {
    assert_eq!(super::PASS.name, "ptx-remove-barriers");
    assert_eq!(left(&format!("{STORE}  B;\n  B;\n  B;\n{LOAD}  ret void")), 1);
    assert_eq!(left(&format!("{STORE}  B;\n{LOAD}  ret void")), 1);
}

#[test]
fn at_the_beginning_and_at_the_end_there_is_nothing_to_order() {
    assert_eq!(left(&format!("  B;\n{STORE}  B;\n{LOAD}  B;\n  ret void")), 1);
}

#[test]
fn accesses_that_do_not_conflict_need_none() {
    let between = |before: &str, after: &str| left(&format!("{before}  B;\n{after}  ret void"));
    assert_eq!(between(LOAD, "  %y = load i32, ptr addrspace(3) %s\n"), 0, "both read");
    assert_eq!(between(STORE, "  %y = load i32, ptr addrspace(3) %z\n"), 0, "another variable");
    assert_eq!(between(STORE, "  %y = load i32, ptr addrspace(1) %g\n"), 0, "another space");
    assert_eq!(between(LOAD, STORE), 1);
    assert_eq!(between("  store i32 1, ptr addrspace(1) %g\n", "  %y = load i32, ptr addrspace(1) %q\n"), 1);
    let dynamic = |name: &str| format!("  store i32 1, ptr addrspace(3) @{name}\n");
    assert_eq!(between(&dynamic("dynamic"), &dynamic("other")), 1, "in the same place");
    assert_eq!(between(&dynamic("dynamic"), STORE), 1, "dynamic memory may be anywhere");
    let generic = "  %a = addrspacecast ptr addrspace(1) %p to ptr\n  store i32 1, ptr %a\n";
    assert_eq!(between(generic, LOAD), 1);
}

#[test]
fn what_may_synchronize_conflicts_with_everything() {
    let between = |before: &str, after: &str| left(&format!("{before}  B;\n{after}  ret void"));
    let global = "  store i32 1, ptr addrspace(1) %g\n";
    assert_eq!(between("  fence release\n", global), 1);
    assert_eq!(between("  %v = load volatile i32, ptr addrspace(3) %s\n", global), 1);
    assert_eq!(between("  %v = atomicrmw add ptr addrspace(3) %s, i32 1 acq_rel\n", global), 1);
    assert_eq!(between("  %v = atomicrmw add ptr addrspace(3) %s, i32 1 monotonic\n", global), 0);
    assert_eq!(between("  call void asm sideeffect \"membar.gl;\", \"\"()\n", global), 1);
    let shuffle = "  %v = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 1, i32 31)\n";
    assert_eq!(between(shuffle, global), 0);
}

#[test]
fn what_a_removed_barrier_brings_together_is_seen_by_the_next() {
    // Each of the two alone orders nothing, as the other one does it.
    let body = format!("{STORE}  B;\n  %y = load i32, ptr addrspace(1) %g\n  B;\n{LOAD}  ret void");
    assert_eq!(left(&body), 1);
}

#[test]
fn a_loop_comes_back_to_its_accesses() {
    let body = |last: &str| {
        format!(
            "  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
{STORE}  B;
{LOAD}{last}  %j = add i32 %i, 1
  %e = icmp ult i32 %j, %n
  br i1 %e, label %loop, label %end
end:
  ret void"
        )
    };
    assert_eq!(left(&body("  B;\n")), 2);
    assert_eq!(left(&body("")), 1);
    assert_eq!(left(&body("  B;\n  B;\n")), 2);
}

#[test]
fn barriers_that_some_threads_execute_stay_all() {
    let branch = |condition: &str| {
        format!(
            "  br i1 {condition}, label %one, label %end
one:
{STORE}  B;
  br label %end
end:
  B;
  B;
  ret void"
        )
    };
    assert_eq!(left(&branch("%c")), 0);
    assert_eq!(left(&branch("%d")), 3);
    let early = |condition: &str| {
        format!("  br i1 {condition}, label %gone, label %on\ngone:\n  ret void\non:\n  B;\n  B;\n  ret void")
    };
    assert_eq!(left(&early("%c")), 0);
    assert_eq!(left(&early("%d")), 2, "some threads are gone");
    // A value that depends on which way a thread took.
    let way = "  br i1 %d, label %one, label %two
one:
  br label %two
two:
  %v = phi i1 [ true, %0 ], [ false, %one ]
  br i1 %v, label %three, label %four
three:
  B;
  br label %four
four:
  ret void";
    assert_eq!(left(way), 1);
    assert_eq!(left(&way.replace("i1 %d", "i1 %c")), 0);
}

#[test]
fn how_often_a_thread_went_round_is_its_own() {
    let body = |bound: &str| {
        format!(
            "  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %j = add i32 %i, 1
  %e = icmp ult i32 %j, {bound}
  br i1 %e, label %loop, label %next
next:
  %f = icmp ult i32 %j, 7
  br i1 %f, label %one, label %end
one:
  B;
  br label %end
end:
  ret void"
        )
    };
    assert_eq!(left(&body("%n")), 0);
    assert_eq!(left(&body("%t")), 1);
}

#[test]
fn barriers_that_are_not_seen_keep_all() {
    for hidden in
        ["call void @callee()", "call void asm sideeffect \"bar.sync 0;\", \"\"()", "call void %q()"]
    {
        let hidden = if hidden.contains("%q") {
            "%f = addrspacecast ptr addrspace(1) %q to ptr\n  call void %f()"
        } else {
            hidden
        };
        assert_eq!(left(&format!("  B;\n  B;\n  {hidden}\n  ret void")), 2, "{hidden}");
    }
    assert_eq!(
        left(
            "  B;\n  call void asm sideeffect \"mbarrier.inval.shared.b64 [$0];\", \"r\"(i32 0)\n  ret void"
        ),
        0
    );
}

#[test]
fn other_barriers_order_as_much_as_they_wait() {
    let reduced = "  %v = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %d)\n";
    assert_eq!(left(&format!("{STORE}{reduced}{LOAD}  B;\n  ret void")), 0, "the reduction is a barrier");
    let arrives = "  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)\n";
    assert_eq!(left(&format!("{STORE}{arrives}  B;\n{LOAD}  ret void")), 1, "it does not wait");
    let some = "  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)\n";
    assert_eq!(left(&format!("{STORE}{some}  B;\n{LOAD}  ret void")), 1, "of some threads");
}

#[test]
fn blocks_of_one_warp_need_barriers_of_the_warp() {
    let body = format!("{STORE}  B;\n{LOAD}  ret void");
    let text = after(&body, "\"nvvm.reqntid\"=\"32,1,1\"");
    assert!(text.contains(WARP_BARRIER) && !text.contains(BARRIER), "{text}");
    let text = after(&body, "\"nvvm.reqntid\"=\"4,2\"");
    assert!(text.contains("@llvm.nvvm.bar.warp.sync(i32 255)"), "{text}");
    let text = after(&body, "\"nvvm.reqntid\"=\"32,2,1\"");
    assert!(text.contains(BARRIER) && !text.contains("warp.sync"), "{text}");
    let text = after(&body, "\"nvvm.maxntid\"=\"32,1,1\"");
    assert!(text.contains(BARRIER), "{text}");
}

#[test]
fn other_functions_and_barriers_stay() {
    let counted = "  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)\n";
    let text = after(&format!("{counted}{counted}  ret void"), "");
    assert_eq!(text.matches("aligned.count(i32 1").count(), 2, "{text}");
}

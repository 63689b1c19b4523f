use ptx_llvm_core::{Context, Module};

use crate::pass::on_functions;

/// A kernel with a loop that reads by its counter; `more` is in each round.
fn kernel(step: &str, comparison: &str, more: &str) -> String {
    format!(
        "target triple = \"nvptx64-nvidia-cuda\"
@parts = internal addrspace(3) global [64 x float] undef
define ptx_kernel void @k(ptr addrspace(1) %x, i64 %row, i32 %limit, i32 %by, ptr addrspace(1) %y) {{
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %loop
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %added, %loop ]
  %wide = sext i32 %i to i64
  %at = add i64 %wide, %row
  %p = getelementptr float, ptr addrspace(1) %x, i64 %at
  %v = load float, ptr addrspace(1) %p
  %added = fadd float %sum, %v
{more}
  %next = add i32 %i, {step}
  %goes = icmp {comparison} i32 %next, %limit
  br i1 %goes, label %loop, label %end
end:
  store float %added, ptr addrspace(1) %y
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) convergent
"
    )
}

fn unrolled(text: &str) -> String {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
    on_functions(&mut module, super::run).expect("runs");
    module.verify().expect("still valid");
    module.to_text()
}

/// How many loads of elements there are: one if the loop stays, five if it is unrolled.
fn loads(text: &str) -> usize {
    unrolled(text).matches("= load float").count()
}

#[test]
fn addresses_are_products_of_the_step_apart() {
    let text = unrolled(&kernel("%ntid", "slt", ""));
    let is_address = |line: &&str| line.contains("x i8], ptr addrspace(1)");
    let addresses: Vec<&str> = text.lines().filter(is_address).map(str::trim).collect();
    let sizes: Vec<&str> =
        addresses.iter().filter_map(|line| line.split(" x i8]").next()?.split('[').nth(1)).collect();
    assert_eq!(sizes, ["4", "8", "12", "16"], "{text}");
    assert!(addresses.iter().all(|line| line.ends_with("i32 %ntid")), "{text}");
    // Rounds in between need no counter; both loops are marked.
    assert_eq!(text.matches("add i32 %").count() - text.matches("add i32 %i").count(), 1, "{text}");
    assert_eq!(text.matches("!llvm.loop").count(), 2, "{text}");
    // What was unrolled stays as it is.
    assert_eq!(unrolled(&text).matches("= load float").count(), 5);
}

#[test]
fn loops_by_constants_are_unrolled_where_they_were_not_compiled() {
    for (step, comparison, distance) in [("1", "ne", 4), ("32", "slt", 128), ("64", "ule", 256)] {
        let text =
            kernel(step, comparison, "").replace("sext", if comparison == "ule" { "zext" } else { "sext" });
        let text = text.replace(&format!("add i32 %i, {step}"), &format!("add nsw i32 %i, {step}"));
        let found = unrolled(&text);
        assert!(found.contains(&format!(", i64 {distance}\n")), "{found}");
        assert_eq!(loads(&format!("{text}!ptx.version = !{{!0}}\n!0 = !{{!\"8.0\"}}\n")), 1);
    }
    // Other compilers have unrolled loops by such steps.
    assert_eq!(loads(&kernel("4", "slt", "")), 1);
    assert_eq!(loads(&kernel("3", "ne", "")), 1);
}

#[test]
fn loops_that_must_not_be_unrolled_stay() {
    let text = kernel("%ntid", "slt", "");
    assert_eq!(loads(&text), 5);
    let marked = text.replace("label %loop, label %end", "label %loop, label %end, !llvm.loop !1");
    let marked = format!("{marked}!1 = distinct !{{!1, !2}}\n!2 = !{{!\"llvm.loop.unroll.disable\"}}\n");
    assert_eq!(loads(&marked), 1);
    assert_eq!(loads(&format!("{text}!ptx.pragma = !{{!1}}\n!1 = !{{!\"nounroll\"}}\n")), 1);
    for attribute in ["ptx.pragma", "ptx.pragma.body"] {
        let of_function = text.replace(") {\nentry", &format!(") \"{attribute}\"=\"a;nounroll\" {{\nentry"));
        assert_eq!(loads(&of_function), 1);
    }
}

#[test]
fn operations_of_several_threads_are_copied_where_all_execute_the_loop_alike() {
    let barrier = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
    // Each thread begins with its own counter.
    assert_eq!(loads(&kernel("%ntid", "slt", barrier)), 1);
    assert_eq!(
        loads(&kernel(
            "%ntid",
            "slt",
            "  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %i, i32 0, i32 31)"
        )),
        1
    );
    let alike = kernel("%ntid", "slt", barrier).replace("[ %tid, %entry ]", "[ 0, %entry ]");
    assert_eq!(loads(&alike), 5);
    // Parameters of functions may differ.
    assert_eq!(loads(&alike.replace("ptx_kernel void", "void")), 1);
}

#[test]
fn loops_that_gain_too_little_stay() {
    let long: String = (0..60).map(|at| format!("  %z{at} = xor i32 %i, {at}\n")).collect();
    assert_eq!(loads(&kernel("%ntid", "slt", &long)), 1);
    assert_eq!(
        loads(&kernel("%ntid", "slt", "  %a = atomicrmw add ptr addrspace(1) %y, i32 1 monotonic")),
        1
    );
    assert_eq!(loads(&kernel("%ntid", "slt", "  %c = call i32 asm \"mov.u32 $0, 1;\", \"=r\"()")), 1);
}

#[test]
fn steps_and_limits_are_the_same_in_all_rounds() {
    let text = kernel("%ntid", "slt", "  %other = add i32 %i, %by");
    assert_eq!(loads(&text.replace("add i32 %i, %ntid", "add i32 %i, %other")), 1);
    assert_eq!(loads(&text.replace("%next, %limit", "%next, %other")), 1);
    assert_eq!(loads(&kernel("%ntid", "ne", "")), 1);
    assert_eq!(loads(&kernel("%ntid", "sgt", "")), 1);
    // The comparison the other way round is the same one.
    assert_eq!(
        loads(&kernel("%ntid", "slt", "").replace("slt i32 %next, %limit", "sgt i32 %limit, %next")),
        5
    );
    // A step that may be long is compared with 2^28.
    assert!(unrolled(&kernel("%by", "slt", "")).contains("icmp ult i32 %by, 268435456"));
    assert!(!unrolled(&kernel("%ntid", "slt", "")).contains("icmp ult i32 %ntid"));
}

#[test]
fn what_a_round_takes_from_the_two_before_it_is_the_same() {
    let text = kernel("%ntid", "slt", "")
        .replace("  %wide =", "  %last = phi float [ 1.0, %entry ], [ %sum, %loop ]\n  %older = phi float [ 2.0, %entry ], [ %last, %loop ]\n  %wide =")
        .replace("fadd float %sum, %v", "fsub float %older, %v");
    let text = unrolled(&text);
    let phi = |name: &str| {
        let start = format!("%{name} = phi float");
        text.lines().find(|line| line.trim().starts_with(&start)).map(str::to_owned)
    };
    let (sum, last, older) = (phi("sum"), phi("last"), phi("older"));
    // Each of the original loop's has a value of its own where the unrolled one leads there: those of the last three rounds.
    let values: Vec<String> = [sum, last, older]
        .into_iter()
        .map(|line| {
            let line = line.unwrap_or_else(|| panic!("{text}"));
            line.rsplit("[ ").next().and_then(|part| part.split(',').next()).unwrap_or_default().to_owned()
        })
        .collect();
    assert!(values[0] != values[1] && values[1] != values[2] && values[0] != values[2], "{text}");
    assert!(values.iter().all(|value| !["%sum", "%last", "%older"].contains(&value.as_str())), "{text}");
}

/// A loop of several blocks; one begins where another one ends.
#[test]
fn loops_after_each_other_are_unrolled() {
    let text = "target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr addrspace(1) %x, i32 %n, i32 %by, ptr addrspace(1) %y) {
entry:
  br label %one
one:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join ]
  %sum = phi float [ 0.0, %entry ], [ %added, %join ]
  %p = getelementptr float, ptr addrspace(1) %x, i32 %i
  %v = load float, ptr addrspace(1) %p
  %c = fcmp ogt float %v, 1.0
  br i1 %c, label %more, label %join
more:
  %w = fadd float %sum, %v
  br label %join
join:
  %added = phi float [ %sum, %one ], [ %w, %more ]
  %i.next = add i32 %i, %by
  %goes = icmp slt i32 %i.next, %n
  br i1 %goes, label %one, label %two
two:
  %j = phi i32 [ %i.next, %join ], [ %j.next, %two ]
  %total = phi float [ %added, %join ], [ %next, %two ]
  %q = getelementptr float, ptr addrspace(1) %x, i32 %j
  %u = load float, ptr addrspace(1) %q
  %next = fadd float %total, %u
  %j.next = add i32 %j, %by
  %on = icmp slt i32 %j.next, %n
  br i1 %on, label %two, label %end
end:
  %z = fadd float %next, %added
  store float %z, ptr addrspace(1) %y
  ret void
}
";
    assert_eq!(loads(text), 10);
    // The second one begins with a value that the first one leaves, in the block between them.
    let apart = text.replace(
        "br i1 %goes, label %one, label %two\n",
        "br i1 %goes, label %one, label %between
between:
  %left = phi i32 [ %i.next, %join ]
  %kept = phi float [ %added, %join ]
  br label %two
",
    );
    let apart = apart.replace("[ %i.next, %join ], [ %j.next", "[ %left, %between ], [ %j.next");
    let apart = apart.replace("[ %added, %join ], [ %next", "[ %kept, %between ], [ %next");
    assert_eq!(loads(&apart), 10);
    // So is its step.
    let step = apart
        .replace("%kept = phi", "%by.2 = phi i32 [ %by, %join ]\n  %kept = phi")
        .replace("%j, %by\n", "%j, %by.2\n");
    assert_eq!(loads(&step), 10);
    // A first one that stays does not keep the second one.
    let long: String = (0..70).map(|at| format!("  %z{at} = xor i32 %i, {at}\n")).collect();
    assert_eq!(loads(&text.replace("  %c = fcmp", &format!("{long}  %c = fcmp"))), 6);
}

use super::assembly::is_convergent;
use crate::context::Context;
use crate::machine::{Gpu, Machine, OptLevel};
use crate::module::Module;
use crate::pass::{Tuning, run_passes_tuned};

const PIPELINES: [&str; 6] =
    ["default<O1>", "default<O2>", "default<O3>", "default<Os>", "default<Oz>", "simplifycfg"];

/// What a pipeline makes of a module for a GPU.
fn optimized(text: &str, pipeline: &str, tuning: Tuning) -> String {
    let context = Context::new().expect("LLVM 22");
    let text = format!("target triple = \"nvptx64-nvidia-cuda\"\n{text}");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
    let machine = Machine::new(&Gpu::default().for_pipelines(), OptLevel::O2).expect("the target");
    run_passes_tuned(&mut module, pipeline, &machine, tuning).expect("the passes run");
    module.verify().expect("a valid module");
    module.to_text()
}

/// The labels of the blocks that branch to the block with `call`.
fn ways_to(text: &str, call: &str) -> Vec<String> {
    let mut block = String::new();
    let mut holder = None;
    let mut edges = Vec::new();
    for line in text.lines() {
        match line.split_once(':') {
            Some((label, _)) if !line.starts_with(' ') && !label.contains(' ') => {
                label.clone_into(&mut block);
            }
            _ if line.starts_with("define") => "entry".clone_into(&mut block),
            _ => {}
        }
        if line.contains(call) && line.starts_with(' ') {
            holder = Some(block.clone());
        }
        if line.trim_start().starts_with("br ") {
            edges.extend(
                line.split("label %")
                    .skip(1)
                    .map(|to| (block.clone(), to.split([',', ' ']).next().unwrap_or(to).to_owned())),
            );
        }
    }
    let holder = holder.unwrap_or_else(|| panic!("no {call} in {text}"));
    edges.into_iter().filter(|(_, to)| *to == holder).map(|(from, _)| from).collect()
}

/// A diamond, a flag that is known on one of its sides, and an operation that depends on the flag.
const DIAMOND: &str = "
define ptx_kernel void @k(ptr addrspace(1) %o, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = icmp ult i32 %t, 16
  br i1 %p, label %T, label %F
T:
  store i32 %t, ptr addrspace(1) %o
  br label %M
F:
  %a = getelementptr i8, ptr addrspace(1) %o, i64 4
  store i32 %n, ptr addrspace(1) %a
  %u = icmp ne i32 %n, 0
  br label %M
M:
  %f = phi i1 [ true, %T ], [ %u, %F ]
  br i1 %f, label %X, label %V
X:
  %m = call i32 @OPERATION()
  %b = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i32 %m, ptr addrspace(1) %b
  br label %V
V:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @OPERATION() ATTRIBUTES
";

fn diamond(operation: &str, attributes: &str) -> String {
    DIAMOND.replace("OPERATION", operation).replace("ATTRIBUTES", attributes)
}

#[test]
fn a_branch_before_a_convergent_operation_is_not_passed_by() {
    for pipeline in PIPELINES {
        for tuning in [Tuning::Source, Tuning::Compiled] {
            let text = optimized(&diamond("llvm.nvvm.activemask", ""), pipeline, tuning);
            assert_eq!(ways_to(&text, "activemask()").len(), 1, "{pipeline}: {text}");
            assert!(!text.contains("ptx.join"), "{text}");
        }
    }
    // Without an operation that is convergent the same passes do what this is about.
    let text = optimized(&diamond("ordinary", ""), "default<O2>", Tuning::Source);
    assert_eq!(ways_to(&text, "@ordinary()").len(), 2, "{text}");
}

#[test]
fn joins_that_inlining_makes_are_kept() {
    let callee = "
define internal void @callee(ptr addrspace(1) %o, i1 %f) convergent {
  br i1 %f, label %X, label %V
X:
  %m = call i32 @llvm.nvvm.activemask()
  store i32 %m, ptr addrspace(1) %o
  br label %V
V:
  ret void
}
declare i32 @llvm.nvvm.activemask()
";
    let join = "M:
  %f = phi i1 [ true, %T ], [ %u, %F ]
";
    let (before, after) = DIAMOND.split_once(join).expect("the join");
    let (_, rest) = after.split_once("V:\n").expect("the end");
    let rest = rest.replace("declare i32 @OPERATION() ATTRIBUTES\n", "");
    let caller = format!(
        "{before}{join}  call void @callee(ptr addrspace(1) %o, i1 %f) convergent\n  br label %V\nV:\n{rest}"
    );
    // The other way round: the callee has the diamond, and the caller the branch.
    let decides = diamond("llvm.nvvm.activemask", "")
        .replace("define ptx_kernel void @k(", "define internal i1 @callee(")
        .replace("M:\n  %f = phi i1 [ true, %T ], [ %u, %F ]\n  br i1 %f, label %X, label %V\n", "M:\n  %f = phi i1 [ true, %T ], [ %u, %F ]\n  %unused = call i32 @llvm.nvvm.activemask()\n  ret i1 %f\n");
    let (head, tail) = decides.split_once("X:\n").expect("the use");
    let (_, declarations) = tail.split_once("}\n").expect("the end");
    let decides = format!(
        "{head}}}\n{declarations}
define ptx_kernel void @k(ptr addrspace(1) %o, i32 %n) {{
  %f = call i1 @callee(ptr addrspace(1) %o, i32 %n) convergent
  br i1 %f, label %X, label %V
X:
  %m = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %n)
  store i32 %m, ptr addrspace(1) %o
  br label %V
V:
  ret void
}}
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
"
    );
    for pipeline in PIPELINES.iter().filter(|pipeline| pipeline.starts_with("default")) {
        let text = optimized(&format!("{caller}{callee}"), pipeline, Tuning::Source);
        assert!(!text.contains("@callee("), "{pipeline}: inlined: {text}");
        assert_eq!(ways_to(&text, "activemask()").len(), 1, "{pipeline}: {text}");
        let text = optimized(&decides, pipeline, Tuning::Source);
        assert!(!text.contains("@callee("), "{pipeline}: inlined: {text}");
        assert_eq!(ways_to(&text, "match.any.sync.i32(").len(), 1, "{pipeline}: {text}");
    }
}

#[test]
fn loops_with_a_barrier_are_rotated_and_their_joins_kept() {
    let text = "
define ptx_kernel void @k(ptr addrspace(1) %o, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = icmp ult i32 %t, 16
  br i1 %p, label %T, label %F
T:
  store i32 %t, ptr addrspace(1) %o
  br label %head
F:
  %a = getelementptr i8, ptr addrspace(1) %o, i64 4
  store i32 %n, ptr addrspace(1) %a
  %u = icmp ne i32 %n, 0
  br label %head
head:
  %go = phi i1 [ true, %T ], [ %u, %F ], [ %more, %body ]
  %i = phi i32 [ 0, %T ], [ 0, %F ], [ %next, %body ]
  br i1 %go, label %body, label %out
body:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br label %head
out:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
";
    // The level for the smallest code rotates no loops.
    for pipeline in ["default<O1>", "default<O2>", "default<O3>"] {
        let text = optimized(text, pipeline, Tuning::Source);
        let ways = ways_to(&text, "barrier.cta.sync.aligned.all(i32 0)");
        // Into the loop after all are together, and back.
        assert_eq!(ways.len(), 2, "{pipeline}: {text}");
        assert!(!ways.iter().any(|way| way == "T"), "{pipeline}: {text}");
    }
}

#[test]
fn assembly_with_a_barrier_is_not_duplicated() {
    let text = |assembly: &str| {
        diamond("ordinary", "").replace(
            "  br i1 %f, label %X, label %V",
            &format!(
                "  call void asm sideeffect \"{assembly}\", \"~{{memory}}\"()\n  br i1 %f, label %X, label %V"
            ),
        )
    };
    for assembly in
        ["bar.sync 14, 128;", "{ .reg .pred %q; barrier.sync 1; }", "unknown_macro;", "@%p bar.sync 0;"]
    {
        for pipeline in PIPELINES {
            let text = optimized(&text(assembly), pipeline, Tuning::Source);
            assert_eq!(text.matches("call void asm").count(), 1, "{pipeline}: {text}");
        }
    }
    let ordinary = optimized(&text("membar.gl;"), "default<O2>", Tuning::Source);
    assert_eq!(ordinary.matches("call void asm").count(), 2, "{ordinary}");
}

#[test]
fn callers_of_assembly_with_a_barrier_are_convergent() {
    let text = "
define internal void @inner() noinline { call void asm sideeffect \"bar.sync 0;\", \"~{memory}\"() ret void }
define internal void @outer() noinline { call void @inner() ret void }
define void @taken() { call void @through(ptr @outer) ret void }
define void @through(ptr %f) { call void %f() ret void }
define void @apart(ptr addrspace(1) %o) { store i32 1, ptr addrspace(1) %o ret void }
";
    let text = optimized(text, "no-op-module", Tuning::Source);
    for name in ["@inner", "@outer", "@taken", "@through"] {
        let line = text
            .lines()
            .find(|line| line.starts_with("define") && line.contains(&format!("{name}(")))
            .expect("the function");
        let group = line
            .split('#')
            .nth(1)
            .and_then(|rest| rest.split(' ').next())
            .unwrap_or_else(|| panic!("no attributes: {line}"));
        let attributes =
            text.lines().find(|line| line.starts_with(&format!("attributes #{group} "))).expect("the group");
        assert!(attributes.contains("convergent"), "{name}: {text}");
    }
    let apart = text.lines().find(|line| line.contains("@apart(")).expect("the function");
    assert!(!apart.contains('#'), "{apart}");
}

#[test]
fn assembly_is_convergent_by_its_instructions() {
    for text in [
        "bar.sync 0;",
        "shfl.sync.idx.b32 $0, $1, 0, 31, -1;",
        "mov.u32 $0, 1;\n\tactivemask.b32 $1;",
        "L: vote.sync.all.pred p, q, -1;",
        "call f, ($0);",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$0,$1,$2,$3};",
        "my_macro $0",
        "/* a comment */ bar.arrive 1, 64;",
    ] {
        assert!(is_convergent(text), "{text}");
    }
    for text in [
        "",
        "add.s32 $0, $1, $2;",
        "{ .reg .b32 t; mul.lo.u32 t, $1, $1; add.u32 $0, t, 1; }",
        "mov.b64 {$0, $1}, $2;",
        "ld.global.v4.b32 {$0, $1, $2, $3}, [$4];",
        "// bar.sync 0;\n add.s32 $0, $1, $2; /* bar.sync 0; */",
        "@p st.shared::cta.b32 [$0], $1;",
        "L: add.s32 $0, $0, 1; @p bra L;",
        "cp.async.cg.shared.global [$0], [$1], 16;",
    ] {
        assert!(!is_convergent(text), "{text}");
    }
}

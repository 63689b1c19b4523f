//! Optimizations of the lowered IR by LLVM: the facts that they need are in the IR, and no wrong ones are.

use ptx_diag::SourceFile;
use ptx_llvm_core::{Context, Gpu, Machine, OptLevel};

const HEADER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// The IR of a file before and after a pipeline.
fn through(pipeline: &str, text: &str) -> (String, String) {
    whole_file_through(pipeline, format!("{HEADER}{text}"))
}

/// The same for a file with its own header.
fn whole_file_through(pipeline: &str, text: String) -> (String, String) {
    let source = SourceFile::new("test.ptx", text);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    let context = Context::new().expect("LLVM 22");
    let mut lowered = ptx_lower::lower(&verified, &context).unwrap_or_else(|findings| panic!("{findings:?}"));
    let before = lowered.to_text();
    let machine = Machine::new(&Gpu::of_module(&lowered), OptLevel::O2).expect("a known GPU");
    ptx_llvm_core::run_passes(&mut lowered, pipeline, &machine).unwrap_or_else(|error| panic!("{error}"));
    (before, lowered.to_text())
}

/// How often a text is in another.
fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// The text before the first occurrence of a part.
fn before_first<'t>(text: &'t str, has: &str) -> &'t str {
    let at = text.find(has).unwrap_or_else(|| panic!("`{has}` is missing in\n{text}"));
    &text[..at]
}

#[test]
fn invariant_load_leaves_a_loop_that_writes_to_another_space() {
    let (before, after) = through(
        "default<O2>",
        ".visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<4>;
.shared .align 4 .b8 s[4096];
ld.param.u64 %d1, [p]; cvta.to.global.u64 %d1, %d1;
ld.param.u32 %r1, [n];
mov.u64 %d2, s; mov.u32 %r2, 0;
LOOP:
ld.global.u32 %r3, [%d1];
st.shared.u32 [%d2], %r3;
add.u64 %d2, %d2, 4; add.u32 %r2, %r2, 1;
setp.lt.u32 %p, %r2, %r1;
@%p bra LOOP;
ret;
}
",
    );
    let load = "load i32, ptr addrspace(1)";
    assert!(before_first(&before, load).contains("phi"), "the load is in the loop at first:\n{before}");
    assert!(!before_first(&after, load).contains("phi"), "and before it then:\n{after}");
    assert_eq!(count(&after, load), 1, "{after}");
}

#[test]
fn load_stays_in_a_loop_that_may_write_where_it_reads() {
    let (_, after) = through(
        "default<O2>",
        ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)
{
.reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<4>;
ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
LOOP:
ld.global.u32 %r3, [%d1];
st.global.u32 [%d2], %r2;
add.u32 %r4, %r4, %r3;
add.u64 %d2, %d2, 4; add.u32 %r2, %r2, 1;
setp.lt.u32 %p, %r2, %r1;
@%p bra LOOP;
st.global.u32 [%d1], %r4;
ret;
}
",
    );
    assert!(before_first(&after, "load i32, ptr addrspace(1)").contains("phi"), "{after}");
}

#[test]
fn depot_in_local_memory_becomes_registers() {
    // The output of compilers without optimization: every variable in a depot, accessed through generic addresses.
    let (before, after) = through(
        "default<O1>",
        ".visible .entry k(.param .u64 p, .param .u32 n)
{
.local .align 8 .b8 __local_depot0[16];
.reg .b64 %SP; .reg .b64 %SPL; .reg .b32 %r<5>; .reg .b64 %d<4>;
mov.u64 %SPL, __local_depot0;
cvta.local.u64 %SP, %SPL;
ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];
st.u64 [%SP], %d1; st.u32 [%SP+8], %r1;
ld.u32 %r2, [%SP+8]; add.u32 %r3, %r2, 1; st.u32 [%SP+12], %r3;
ld.u32 %r4, [%SP+12]; ld.u64 %d2, [%SP]; cvta.to.global.u64 %d3, %d2;
st.global.u32 [%d3], %r4;
ret;
}
",
    );
    assert!(before.contains("alloca"), "{before}");
    assert!(!after.contains("alloca") && count(&after, "load") == 0, "{after}");
}

#[test]
fn chain_of_comparisons_becomes_a_switch() {
    let (before, after) = through(
        "default<O2>",
        ".visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .pred %p<5>; .reg .b32 %r<5>; .reg .b64 %d<4>;
ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];
setp.eq.s32 %p1, %r1, 1; @%p1 bra ONE;
setp.eq.s32 %p2, %r1, 2; @%p2 bra TWO;
setp.eq.s32 %p3, %r1, 7; @%p3 bra SEVEN;
ret;
ONE: st.global.u32 [%d1], 10; ret;
TWO: st.global.u64 [%d1+8], 20; ret;
SEVEN: st.global.u16 [%d1+2], 70; ret;
}
",
    );
    assert!(!before.contains("switch i32") && after.contains("switch i32"), "{after}");
}

#[test]
fn required_extents_decide_comparisons() {
    let text = |directive: &str| {
        format!(
            ".visible .entry k(.param .u64 p)
{directive}
{{
.reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %d;
ld.param.u64 %d, [p];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.y;
setp.ge.u32 %p1, %r1, 128; @%p1 bra NEVER;
setp.ne.u32 %p2, %r3, 0; @%p2 bra NEVER;
st.global.u32 [%d], %r2;
ret;
NEVER: trap;
}}
"
        )
    };
    let (_, known) = through("default<O2>", &text(".reqntid 128"));
    assert!(known.contains("store i32 128") && !known.contains("trap"), "{known}");
    // The product does not restrict y, and leaves x its 128 threads.
    let (_, most) = through("default<O2>", &text(".maxntid 128"));
    assert!(most.contains("range(i32 0, 128)") && count(&most, "llvm.trap()") == 2, "{most}");
    assert_eq!(count(&most, "icmp"), 1, "only y is in question:\n{most}");
    let (_, open) = through("default<O2>", &text(""));
    assert!(open.contains("call i32 @llvm.nvvm.read.ptx.sreg.ntid.x"), "{open}");
}

#[test]
fn constant_memory_is_not_folded_because_the_host_may_write_it() {
    let (_, after) = through(
        "default<O3>",
        ".const .align 4 .u32 c = 5;
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<3>; .reg .b64 %d;
ld.param.u64 %d, [p];
ld.const.u32 %r1, [c];
st.global.u32 [%d], 1;
ld.const.u32 %r2, [c];
add.u32 %r1, %r1, %r2;
st.global.u32 [%d+4], %r1;
ret;
}
",
    );
    // Read once, for the device does not write it, and read at all.
    assert_eq!(count(&after, "load i32, ptr addrspace(4) @c"), 1, "{after}");
}

#[test]
fn adjacent_accesses_become_vectors() {
    let (before, after) = through(
        "default<O2>,function(load-store-vectorizer)",
        ".visible .entry k(.param .u64 .ptr .global .align 16 p)
{
.reg .b32 %r<5>; .reg .b64 %d;
ld.param.u64 %d, [p];
ld.global.u32 %r1, [%d]; ld.global.u32 %r2, [%d+4]; ld.global.u32 %r3, [%d+8]; ld.global.u32 %r4, [%d+12];
add.u32 %r1, %r1, %r2; add.u32 %r3, %r3, %r4; add.u32 %r1, %r1, %r3;
st.global.u32 [%d], %r1;
ret;
}
",
    );
    assert_eq!(count(&before, "load i32"), 4);
    assert!(after.contains("load <4 x i32>, ptr addrspace(1) %p, align 16"), "{after}");
}

#[test]
fn weak_load_with_a_cache_policy_is_read_once_and_ordered_ones_as_often_as_written() {
    let (_, after) = through(
        "default<O2>",
        ".visible .entry k(.param .u64 p, .param .u64 q)
{
.reg .b32 %r<9>; .reg .b64 %d<3>;
ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];
ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;
ld.global.L2::cache_hint.u32 %r2, [%d1], %d2;
ld.relaxed.gpu.global.v2.u32 {%r3, %r4}, [%d1];
ld.relaxed.gpu.global.v2.u32 {%r5, %r6}, [%d1];
add.u32 %r1, %r1, %r2;
st.global.u32 [%d1], %r1;
ret;
}
",
    );
    assert_eq!(count(&after, "asm \"ld.global.L2::cache_hint"), 1, "{after}");
    assert_eq!(count(&after, "asm sideeffect \"ld.relaxed"), 2, "their results are not used:\n{after}");
}

#[test]
fn device_function_that_only_computes_is_called_once() {
    let (_, after) = through(
        "cgscc(function-attrs),function(early-cse<memssa>)",
        ".func (.param .b32 r) f(.param .b32 a)
{
.reg .b32 %r<3>;
ld.param.u32 %r1, [a]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;
}
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .b32 %r<4>; .reg .b64 %d;
.param .b32 a; .param .b32 b; .param .b32 q; .param .b32 s;
ld.param.u64 %d, [p]; ld.param.u32 %r1, [n];
st.param.b32 [a], %r1; call (q), f, (a); ld.param.b32 %r2, [q];
st.global.u32 [%d], %r2;
st.param.b32 [b], %r1; call (s), f, (b); ld.param.b32 %r3, [s];
st.global.u32 [%d+4], %r3;
ret;
}
",
    );
    assert_eq!(count(&after, "call i32 @f("), 1, "{after}");
}

#[test]
fn pieces_of_a_result_go_from_a_call_to_the_return_untouched() {
    let (_, after) = through(
        "default<O2>",
        ".extern .func (.param .align 32 .b8 r[32]) g;
.visible .func (.param .align 32 .b8 r[32]) f()
{
.reg .b64 %d<4>;
.param .align 32 .b8 got[32];
call (got), g;
ld.param.v2.b64 {%d1, %d2}, [got];
ld.param.b64 %d3, [got+16];
st.param.v2.b64 [r], {%d1, %d2};
st.param.b64 [r+16], %d3;
ret;
}
",
    );
    let body = after.split("define").nth(1).unwrap_or_default();
    assert!(body.contains("ret ["), "{after}");
    for width in ["i128", "lshr", "trunc", "zext", "alloca"] {
        assert!(!body.contains(width), "`{width}` is in\n{body}");
    }
}

#[test]
fn functions_of_debugging_code_are_not_inlined() {
    let body = ".func (.param .b32 r) twice(.param .b32 a)
{
.reg .b32 %r<3>;
ld.param.b32 %r1, [a]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2;
ret;
}
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<3>; .reg .b64 %d<2>;
ld.param.u64 %d1, [p]; ld.global.u32 %r1, [%d1];
{
.param .b32 in; .param .b32 out;
st.param.b32 [in], %r1;
call.uni (out), twice, (in);
ld.param.b32 %r2, [out];
}
st.global.u32 [%d1], %r2;
ret;
}
";
    let (_, optimized) = through("default<O2>", body);
    assert!(!optimized.contains("@twice"), "{optimized}");
    let section = ".section .debug_abbrev\n{\n.b8 0\n}\n";
    let header = HEADER.replace("sm_90", "sm_90, debug");
    let (_, debugging) = whole_file_through("default<O2>", format!("{header}{body}{section}"));
    assert_eq!(count(&debugging, "@twice("), 2, "a definition and a call:\n{debugging}");
}

/// Instructions that end a thread or synchronize with others, as a statement under the predicate `%p`, or without one if it is not
/// conditional.
const ENDS_AND_ORDERS: [&str; 16] = [
    "@%p exit;",
    "@%p trap;",
    "@%p brkpt;",
    "@%p call gone;",
    "nanosleep.u32 20;",
    "bar.sync 0;",
    "barrier.cluster.arrive; barrier.cluster.wait;",
    "bar.warp.sync 0xffffffff;",
    "fence.acq_rel.gpu;",
    "fence.sc.cta;",
    "membar.gl;",
    "fence.proxy.async;",
    "griddepcontrol.launch_dependents;",
    "griddepcontrol.wait;",
    "cp.async.mbarrier.arrive.shared.b64 [m];",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [m], [%d2], 16, [m];",
];

#[test]
fn what_is_stored_before_an_end_or_an_order_stays_stored() {
    for space in ["global", "shared"] {
        for place in ["%d1", "x"] {
            for end in ENDS_AND_ORDERS {
                let text = format!(
                    ".extern .func gone() .noreturn;
.{space} .align 4 .u32 x;
.shared .align 16 .b64 m[4];
.func f(.param .u64 q, .param .u32 n, .param .u64 other)
{{
.reg .pred %p; .reg .b32 %r; .reg .b64 %d<3>;
ld.param.u64 %d1, [q]; ld.param.u32 %r, [n]; ld.param.u64 %d2, [other];
setp.eq.u32 %p, %r, 7;
st.{space}.u32 [{place}], 3;
{end}
st.{space}.u32 [{place}], 4;
ret;
}}
.visible .entry k(.param .u64 q, .param .u32 n, .param .u64 other)
{{
.reg .b32 %r; .reg .b64 %d<3>;
.param .u64 a; .param .u32 b; .param .u64 c;
ld.param.u64 %d1, [q]; ld.param.u32 %r, [n]; ld.param.u64 %d2, [other];
st.param.u64 [a], %d1; st.param.u32 [b], %r; st.param.u64 [c], %d2;
call f, (a, b, c);
ret;
}}
"
                );
                let (_, after) = through("default<O3>", &text);
                assert!(after.contains("store i32 3"), "`{end}`, .{space} [{place}]:\n{after}");
            }
        }
    }
}

#[test]
fn what_memory_holds_before_it_is_written_is_a_value() {
    // Each kernel branches on memory that was never stored to; what does not depend on it must still be stored.
    let cases = [
        (".shared .align 4 .b32 s;", "ld.shared.b32 %r1, [s];"),
        (
            ".shared .align 4 .b32 s[64];",
            "mov.u64 %d2, s; mul.wide.u32 %d3, %r2, 4; add.u64 %d2, %d2, %d3; ld.shared.b32 %r1, [%d2];",
        ),
        (".local .align 4 .b32 s;", "ld.local.b32 %r1, [s];"),
        (
            ".local .align 4 .b32 s[64];",
            "mov.u64 %d2, s; mul.wide.u32 %d3, %r2, 4; add.u64 %d2, %d2, %d3; ld.local.b32 %r1, [%d2];",
        ),
        (".local .align 8 .b8 s[16];", "st.local.b32 [s+4], 1; ld.local.v2.b32 {%r1, %r3}, [s];"),
        (
            ".local .align 4 .b32 s;",
            "setp.eq.u32 %p, %r2, 5; @%p st.local.b32 [s], 1; ld.local.b32 %r1, [s];",
        ),
        (".local .align 4 .b32 s;", "mov.u64 %d2, s; cvta.local.u64 %d2, %d2; ld.b32 %r1, [%d2];"),
    ];
    for (variable, load) in cases {
        let text = format!(
            ".visible .entry k(.param .u64 p, .param .u32 n)
{{
.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<4>;
{variable}
ld.param.u64 %d1, [p]; ld.param.u32 %r2, [n];
st.global.u32 [%d1], 11;
{load}
setp.eq.u32 %p, %r1, 7;
@%p bra A;
st.global.u32 [%d1+4], 12;
A:
st.global.u32 [%d1+8], 13;
ret;
}}
"
        );
        for pipeline in ["default<O1>", "default<O3>"] {
            let (_, after) = through(pipeline, &text);
            assert!(!after.contains("unreachable"), "{load}\n{after}");
            assert!(after.contains("store i32 11") && after.contains("store i32 13"), "{load}\n{after}");
        }
    }
}

#[test]
fn memory_that_is_written_first_is_left_as_it_is() {
    let lowered = |body: &str| {
        through(
            "default<O1>",
            &format!(
                ".visible .entry k(.param .u64 p, .param .u32 n)
{{
.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<4>;
.local .align 8 .b8 s[16];
ld.param.u64 %d1, [p]; ld.param.u32 %r2, [n]; setp.eq.u32 %p, %r2, 5;
{body}
ret;
}}
"
            ),
        )
        .0
    };
    let opens = |ir: &str| ir.contains("freeze") || ir.contains("asm");
    // On every way, also around a loop and by parts.
    for body in [
        "st.local.b32 [s], 1; ld.local.b32 %r1, [s]; st.global.b32 [%d1], %r1;",
        "@%p bra A; st.local.b32 [s], 1; bra B; A: st.local.b32 [s], 2; B: ld.local.b32 %r1, [s]; st.global.b32 [%d1], %r1;",
        "st.local.v2.b32 [s], {1, 2}; ld.local.b64 %d2, [s]; st.global.b64 [%d1], %d2;",
        "st.local.b32 [s], 1; L: ld.local.b32 %r1, [s]; st.local.b32 [s], %r2; setp.lt.u32 %p, %r1, 9; @%p bra L;",
        "st.local.b64 [s], 1; st.local.b64 [s+8], 1; mov.u64 %d2, s; st.global.b64 [%d1], %d2;",
    ] {
        let ir = lowered(body);
        assert!(!opens(&ir), "{body}\n{ir}");
    }
    // Not on every way, not all of it, or only after it is read.
    for body in [
        "@%p bra A; st.local.b32 [s], 1; A: ld.local.b32 %r1, [s]; st.global.b32 [%d1], %r1;",
        "st.local.b32 [s], 1; ld.local.b64 %d2, [s]; st.global.b64 [%d1], %d2;",
        "L: ld.local.b32 %r1, [s]; st.local.b32 [s], %r2; setp.lt.u32 %p, %r1, 9; @%p bra L;",
        "st.local.b64 [s], 1; mov.u64 %d2, s; st.global.b64 [%d1], %d2;",
    ] {
        let ir = lowered(body);
        assert!(opens(&ir), "{body}\n{ir}");
    }
}

#[test]
fn what_changes_is_read_each_time() {
    for (register, ty) in [
        ("smid", "u32"),
        ("warpid", "u32"),
        ("clock", "u32"),
        ("clock64", "u64"),
        ("globaltimer", "u64"),
        ("pm0", "u32"),
    ] {
        let (_, after) = through(
            "default<O3>",
            &format!(
                ".visible .entry k(.param .u64 p)
{{
.reg .{ty} %a, %b; .reg .b64 %d;
ld.param.u64 %d, [p];
mov.{ty} %a, %{register}; mov.{ty} %b, %{register};
sub.{ty} %b, %b, %a;
st.global.{ty} [%d], %b;
ret;
}}
"
            ),
        );
        let reads = count(&after, &format!("sreg.{register}()")) + count(&after, &format!("%{register};"));
        assert!(after.contains(" sub ") && reads >= 2, "{after}");
    }
}

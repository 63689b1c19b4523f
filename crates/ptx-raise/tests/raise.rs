//! Small LLVM IR inputs and what their PTX must say. Each result is also given to ptxas where that is installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use ptx_isa::{PtxVersion, Sm};
use ptx_llvm::{Context, Module};
use ptx_raise::{Annotations, Names, RaiseOptions, Style, raise_in_style};

#[path = "raise/memory.rs"]
mod memory;
#[path = "raise/undone.rs"]
mod undone;

/// Raises a module for sm_90, checks it with ptxas and gives the text.
fn ptx(text: &str) -> String {
    ptx_for(text, 90)
}

fn ptx_for(text: &str, sm: u16) -> String {
    let options = RaiseOptions { target: Some(Sm::new(sm)), version: None };
    let printed = raised(text, &options).unwrap_or_else(|message| panic!("refused: {message}"));
    assemble(&printed, sm);
    printed
}

/// The findings of a module that must be refused.
fn refusal(text: &str) -> String {
    let options = RaiseOptions { target: Some(Sm::new(90)), version: None };
    raised(text, &options).expect_err("a refusal")
}

/// The same with the names of LLVM's values and blocks, and places in the source.
fn readable(text: &str) -> String {
    let options = RaiseOptions { target: Some(Sm::new(90)), version: None };
    let style = Style { names: Names::Values, annotations: Annotations::Source };
    let printed = raised_in(text, &options, style).unwrap_or_else(|message| panic!("refused: {message}"));
    assemble(&printed, 90);
    printed
}

fn raised(text: &str, options: &RaiseOptions) -> Result<String, String> {
    raised_in(text, options, Style::default())
}

fn raised_in(text: &str, options: &RaiseOptions, style: Style) -> Result<String, String> {
    let context = Context::new().expect("LLVM 22");
    let text = format!("target triple = \"nvptx64-nvidia-cuda\"\n{text}");
    let module = Module::parse(&context, "test", text.as_bytes()).expect("valid LLVM IR");
    module.verify().expect("valid LLVM IR");
    match raise_in_style(&module, options, style) {
        Ok((module, _)) => Ok(ptx_ir::print(&module)),
        Err(found) => {
            let lines = found.iter().map(|finding| format!("{}: {}", finding.code.0, finding.message));
            Err(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Where the NVIDIA programs are, when they are.
fn oracle() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("PTX_ORACLE").map_or_else(|| root.join(".oracle/bin"), PathBuf::from);
    let program = folder.join("ptxas");
    program.exists().then_some(program)
}

fn assemble(text: &str, sm: u16) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let Some(ptxas) = oracle() else { return };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("ptx-raise-{}-{number}.ptx", std::process::id()));
    std::fs::write(&file, text).expect("a writable folder");
    let run =
        Command::new(ptxas).args(["-c", &format!("-arch=sm_{sm}"), "-o", "/dev/null"]).arg(&file).output();
    let run = run.expect("ptxas runs");
    let _ = std::fs::remove_file(&file);
    assert!(run.status.success(), "{}\n{text}", String::from_utf8_lossy(&run.stderr));
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = plain.as_str();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => panic!("`{part}` is not (or not in order) in\n{text}"),
        }
    }
}

#[track_caller]
fn has_not(text: &str, part: &str) {
    assert!(!text.contains(part), "`{part}` is in\n{text}");
}

#[test]
fn kernels_take_typed_parameters_and_launch_bounds() {
    let text = ptx("define ptx_kernel void @k(i8 %a, i16 %b, i32 %c, float %d, ptr addrspace(1) align 16 %e) #0 { ret void }
attributes #0 = { \"nvvm.maxntid\"=\"128,2\" \"nvvm.minctasm\"=\"3\" \"nvvm.maxnreg\"=\"64\" }");
    has(&text, &[".visible .entry k(", ".param .u8 a", ".param .u16 b", ".param .u32 c", ".param .f32 d"]);
    has(
        &text,
        &[".param .u64 .ptr .global .align 16 e", ".maxntid 128, 2", ".minnctapersm 3", ".maxnreg 64"],
    );
}

#[test]
fn version_and_target_come_from_the_attributes() {
    let text = raised(
        "define void @f() \"target-cpu\"=\"sm_80\" \"target-features\"=\"+ptx81\" { ret void }",
        &RaiseOptions::default(),
    );
    has(&text.expect("raised"), &[".version 8.1", ".target sm_80"]);
}

#[test]
fn options_override_the_module_and_must_suffice() {
    let module = "define float @f(float %x) \"target-cpu\"=\"sm_90\" { ret float %x }";
    let options = RaiseOptions { target: Some(Sm::new(80)), version: Some(PtxVersion::new(7, 0)) };
    has(&raised(module, &options).expect("raised"), &[".version 7.0", ".target sm_80"]);
    let old = RaiseOptions { target: Some(Sm::new(80)), version: Some(PtxVersion::new(6, 3)) };
    assert!(raised(module, &old).expect_err("too old").starts_with("R0106"));
}

#[test]
fn contraction_decides_about_the_rounding_modifier() {
    let text = ptx("define float @f(float %a, float %b) {
  %x = fmul contract float %a, %b
  %y = fmul float %a, %b
  %z = fadd contract float %x, %y
  ret float %z\n}");
    has(&text, &["mul.f32", "mul.rn.f32", "add.f32"]);
}

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
fn vectors_use_wide_accesses_when_aligned() {
    let text = ptx("define void @f(ptr addrspace(1) %p, ptr addrspace(3) %q) {
  %a = load <4 x float>, ptr addrspace(1) %p, align 16
  %b = load <4 x float>, ptr addrspace(1) %p, align 4
  %s = fadd <4 x float> %a, %b
  store <4 x float> %s, ptr addrspace(3) %q, align 8
  ret void\n}");
    has(&text, &["ld.global.v4.f32", "ld.global.f32", "add.rn.f32", "st.shared.v2.f32", "st.shared.v2.f32"]);
}

#[test]
fn badly_aligned_words_are_put_together_from_bytes() {
    let text = ptx("define i32 @f(ptr %p) {\n  %a = load i32, ptr %p, align 2\n  ret i32 %a\n}");
    has(&text, &["ld.b16", "ld.b16", "shl.b32", "16;", "or.b32"]);
}

#[test]
fn packed_halves_are_one_register() {
    let text = ptx("define <2 x half> @f(<2 x half> %a, <2 x half> %b) {
  %s = fadd contract <2 x half> %a, %b
  %e = extractelement <2 x half> %s, i32 1
  %r = insertelement <2 x half> %s, half %e, i32 0
  ret <2 x half> %r\n}");
    has(&text, &["add.f16x2", "mov.b32 {", "mov.b32 %r"]);
}

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
        &["and.b64", "18446744073709551612;", "$L__T0_0:", "atom.relaxed.sys.cas.b32", "bra $L__T0_0"],
    );
}

#[test]
fn unknown_scopes_are_refused() {
    let message = refusal("define void @f() { fence syncscope(\"warp\") acquire ret void }");
    assert!(message.starts_with("R0108") && message.contains("warp"), "{message}");
}

#[test]
fn calls_pass_arguments_through_the_parameter_space() {
    let text = ptx("%pair = type { i32, i64 }
declare i16 @g(i8 signext, %pair, ptr byval([12 x i8]) align 4, double)
define i16 @f(ptr align 4 %p, %pair %v) {
  %r = call i16 @g(i8 signext -3, %pair %v, ptr byval([12 x i8]) align 4 %p, double 2.0)
  ret i16 %r\n}");
    has(&text, &[".extern .func (.param .b32 g_retval0) g"]);
    has(&text, &["st.param.b32 [param0], 4294967293", "st.param.b64 [param1+8]", "st.param.b32 [param2+8]"]);
    has(
        &text,
        &[
            "st.param.f64 [param3], 0d4000000000000000",
            "call.uni (retval0), g, (param0, param1, param2, param3)",
        ],
    );
    has(&text, &["ld.param.b32", "[retval0]"]);
}

#[test]
fn variables_of_calls_hide_nothing() {
    let text = ptx("@param0 = addrspace(1) global i32 0
declare void @g(ptr addrspace(1))
define ptx_kernel void @k(i32 %retval0, ptr %o) {
  call void @g(ptr addrspace(1) @param0)
  store i32 %retval0, ptr %o
  ret void\n}");
    has(
        &text,
        &[".param .u32 k_param_0", ".param .b64 param_0;", ", param0;", "[param_0]", "call.uni g, (param_0)"],
    );
}

#[test]
fn indirect_calls_have_a_prototype() {
    let text = ptx("define i32 @f(ptr %g, i32 %x) {\n  %r = call i32 %g(i32 %x)\n  ret i32 %r\n}");
    has(
        &text,
        &[
            "prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _);",
            "call (retval0), %rd1, (param0), prototype_0",
        ],
    );
}

#[test]
fn functions_are_declared_before_they_are_used() {
    let text = ptx("define ptx_kernel void @k() {\n  call void @later()\n  ret void\n}
define internal void @later() { ret void }");
    has(&text, &[".func later", ";", ".entry k", "call.uni later", ".func later", "ret"]);
}

#[test]
fn variables_keep_space_linkage_alignment_and_values() {
    let text = ptx("@a = addrspace(1) global [3 x i32] [i32 1, i32 2, i32 3], align 8
@b = internal addrspace(4) constant float 1.5
@c = external addrspace(3) global [0 x i8], align 16
@d = weak addrspace(1) global { i8, ptr } { i8 7, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @a to ptr), i64 4) }
@e = internal addrspace(3) global [8 x float] undef");
    has(&text, &[".visible .global .align 8 .b32 a[3] = {1, 2, 3}", ".const .align 4 .f32 b = 0f3FC00000"]);
    has(
        &text,
        &[".extern .shared .align 16 .b8 c[]", ".weak .global .align 8 .u64 d[2] = {7, generic(a)+4}"],
    );
    has(&text, &[".shared .align 4 .f32 e[8];"]);
}

#[test]
fn packed_addresses_are_written_by_masks() {
    let text = ptx("@a = addrspace(1) global i32 0
@p = addrspace(1) global <{ i8, ptr addrspace(1) }> <{ i8 1, ptr addrspace(1) @a }>");
    has(&text, &[".u8 p[9] = {1, 0xFF(a), 0xFF00(a)"]);
}

#[test]
fn shared_variables_cannot_have_values() {
    let message = refusal("@s = internal addrspace(3) global i32 5");
    assert!(message.starts_with("R0105") && message.contains("variable s"), "{message}");
}

#[test]
fn names_ptx_cannot_spell_are_escaped() {
    let text = ptx("@.str = private addrspace(1) constant [2 x i8] c\"a\\00\"
define ptr @\"my.function\"() { ret ptr addrspacecast (ptr addrspace(1) @.str to ptr) }");
    has(&text, &["_$2Estr[2]", "my_$2Efunction", "_$2Estr", "cvta.global.u64"]);
}

#[test]
fn allocas_are_local_variables() {
    let text = ptx("define i32 @f(i32 %i) {
  %a = alloca [4 x i32], align 16
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %i
  store i32 7, ptr %p
  %q = getelementptr i8, ptr %a, i32 8
  %v = load i32, ptr %q
  call void @escape(ptr %a)
  ret i32 %v\n}
declare void @escape(ptr)");
    has(&text, &[".local .align 16 .b8 a[16]", "st.local.b32", "ld.local.b32"]);
    has(&text, &["[a+8]", "cvta.local.u64", "st.param.b64"]);
}

#[test]
fn registers_have_the_names_of_values() {
    let text = readable(
        "define i32 @f(i32 %width, float %x.addr) {
  %sum = add i32 %width, 7
  %1 = mul i32 %sum, %width
  %x_addr = fadd float %x.addr, 1.0
  %tid = fptosi float %x_addr to i32
  %r1 = add i32 %1, %tid
  ret i32 %r1\n}",
    );
    has(&text, &["ld.param.b32 %width, [width];", "ld.param.f32 %x_addr,", "add.s32 %sum, %width, 7;"]);
    // `%1` has only a number, and `%r1` is how registers without a name are called: it is that number.
    has(&text, &["mul.lo.s32 %r2, %sum, %width;", "add.rn.f32 %x_addr_1, %x_addr, 0f3F800000;"]);
    // `%tid` is a register of the machine.
    has(&text, &["cvt.rzi.s32.f32 %tid_1, %x_addr_1;", "add.s32 %r1, %r2, %tid_1;"]);
}

#[test]
fn labels_have_the_names_of_blocks() {
    let module = "define void @f(i1 %c) {
entry:
  br i1 %c, label %if.then, label %0
if.then:
  call void @g()
  br label %\"if then\"
0:
  call void @g()
  br label %\"if then\"
\"if then\":
  call void @g()
  br i1 %c, label %if.then, label %done
done:
  ret void\n}
declare void @g()";
    let text = readable(module);
    has(&text, &["bra $L__BB0_2;", "$L_if_then:", "bra.uni $L_if_then_1;", "$L__BB0_2:", "$L_if_then_1:"]);
    has(&ptx(module), &["bra $L__BB0_2;", "$L__BB0_1:", "$L__BB0_2:", "$L__BB0_3:"]);
}

#[test]
fn lines_say_where_they_are_in_the_source() {
    let module = "define i32 @f(i32 %n) !dbg !10 {
  %a = mul i32 %n, 3, !dbg !34
  ret i32 %a, !dbg !36\n}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: \"a.c\", directory: \"/source\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!10 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 2, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DISubroutineType(types: !12)
!12 = !{null}
!30 = distinct !DISubprogram(name: \"g\", scope: !1, file: !1, line: 1, type: !11, scopeLine: 1, spFlags: DISPFlagDefinition, unit: !0)
!34 = !DILocation(line: 1, column: 20, scope: !30, inlinedAt: !37)
!36 = !DILocation(line: 4, column: 9, scope: !10)
!37 = distinct !DILocation(line: 4, column: 5, scope: !10)";
    let text = readable(module);
    has(
        &text,
        &[".loc 1 3 0 // a.c:3:0", "inlined_at 1 4 5 // a.c:1:20 @[ a.c:4:5 ]", ".loc 1 4 9 // a.c:4:9"],
    );
    has_not(&ptx(module), "//");
}

#[test]
fn any_name_of_a_value_becomes_one_that_ptxas_takes() {
    let names = [
        "tid",
        "ntid.x",
        "laneid",
        "warpid",
        "clock64",
        "pm0",
        "pm7_64",
        "envreg31",
        "envreg99",
        "lanemask_lt",
        "r1",
        "r01",
        "rd5",
        "f3",
        "fd2",
        "p1",
        "rs4",
        "add",
        "mov",
        "reg",
        "u32",
        "pragma",
        "version",
        "WARP_SZ",
        "SP",
        "SPL",
        "na\u{ef}ve",
        "a b",
        "a\\22b",
        "9lives",
        "12",
        "x-y",
        "x_y",
        "x.y",
        "x y",
        "$",
        "_",
        "%",
        "%r1",
        "$L__BB0_1",
        "param0",
        "retval0",
        "f",
        "f_param_0",
        "a0_0_0_",
        "\u{4f60}\u{597d}",
    ];
    let long = "n".repeat(300);
    let mut body = String::new();
    let mut last = "%0".to_owned();
    for name in names.iter().copied().chain([long.as_str()]) {
        body += &format!("  %\"{name}\" = add i32 {last}, %1\n");
        last = format!("%\"{name}\"");
    }
    let text = readable(&format!("define i32 @f(i32 %0, i32 %1) {{\n{body}  ret i32 {last}\n}}"));
    assert_eq!(text.matches("add.s32").count(), names.len() + 1, "{text}");
    assert!(text.lines().all(|line| line.len() < 200), "{text}");
}

#[test]
fn local_variables_have_names_that_nothing_else_has() {
    let text = ptx("@taken = addrspace(1) global i32 0
define i32 @f(ptr %p) {
  %taken = alloca i32
  %x.addr = alloca i32
  %x_addr = alloca i32
  %1 = alloca i32
  %param0 = alloca i32
  store volatile i32 1, ptr %taken
  store volatile i32 2, ptr %x.addr
  store volatile i32 3, ptr %x_addr
  store volatile i32 4, ptr %1
  store volatile i32 5, ptr %param0
  %g = load i32, ptr addrspace(1) @taken
  ret i32 %g\n}");
    has(&text, &[".local .align 4 .b8 __local_depot_f_0[4]", ".b8 x_addr[4]", ".b8 __local_depot_f_2[4]"]);
    has(&text, &["__local_depot_f_3[4]", "__local_depot_f_4[4]"]);
    has(
        &text,
        &["[__local_depot_f_0], 1", "[x_addr], 2", "[__local_depot_f_2], 3", "ld.global.b32", "[taken]"],
    );
}

#[test]
fn kernel_structures_are_read_in_place_unless_written() {
    let text = ptx("define ptx_kernel void @k(ptr byval({ i32, float }) align 4 %s, ptr %o) {
  %p = getelementptr i8, ptr %s, i64 4
  %v = load float, ptr %p
  store float %v, ptr %o
  ret void\n}
define ptx_kernel void @w(ptr byval({ i32, float }) align 4 %s) {
  store i32 1, ptr %s
  ret void\n}");
    has(
        &text,
        &["ld.param.f32 %f1, [s+4]", ".entry w", ".local .align 4 .b8", "ld.param.b32", "st.local.b32"],
    );
}

#[test]
fn narrow_integers_are_extended_where_it_matters() {
    let text = ptx("define i1 @f(i8 %a, i8 %b) {
  %s = add i8 %a, %b
  %d = udiv i8 %s, %b
  %c = icmp slt i8 %d, %s
  ret i1 %c\n}");
    has(&text, &["add.s16", "cvt.u16.u8", "div.u16", "cvt.s16.s8", "setp.lt.s16"]);
}

#[test]
fn wide_integers_carry() {
    let text = ptx(
        "define i128 @f(i128 %a, i128 %b) {\n  %s = add i128 %a, %b\n  %m = mul i128 %s, %b\n  ret i128 %m\n}",
    );
    has(&text, &["add.cc.u64", "addc.u64", "mul.lo.u64", "mul.hi.u64", "st.param.v2.b64"]);
}

#[test]
fn products_of_extended_operands_are_wide() {
    let text = ptx("define i64 @f(i32 %a, i32 %b) {
  %x = sext i32 %a to i64
  %y = sext i32 %b to i64
  %p = mul i64 %x, %y
  ret i64 %p\n}");
    has(&text, &["mul.wide.s32"]);
    has_not(&text, "cvt.s64.s32");
}

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
fn short_copies_unroll_and_long_ones_loop() {
    let text = ptx("declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @f(ptr %p, ptr addrspace(1) %q, i64 %n) {
  call void @llvm.memcpy.p0.p1.i64(ptr align 8 %p, ptr addrspace(1) align 8 %q, i64 12, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %p, i8 1, i64 4, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %p, ptr addrspace(1) %q, i64 %n, i1 false)
  ret void\n}");
    has(
        &text,
        &[
            "ld.global.b64",
            "ld.global.b32",
            "st.b64",
            "st.b32",
            "st.b32",
            "16843009",
            "setp.eq.s64",
            "ld.global.b8",
            "st.b8",
        ],
    );
}

#[test]
fn shifts_take_amounts_of_32_bits() {
    let text =
        ptx("define i64 @f(i64 %a, i64 %b) {\n  %s = shl i64 %a, %b\n  %t = ashr i64 %s, 3\n  ret i64 %t\n}");
    has(&text, &["cvt.u32.u64", "shl.b64", "shr.s64", ", 3;"]);
}

#[test]
fn float_comparisons_know_unordered_operands() {
    let text = ptx("define i1 @f(float %a, float %b) {
  %x = fcmp ult float %a, %b
  %y = fcmp one float %a, %b
  %z = fcmp uno float %a, %b
  %v = and i1 %x, %y
  %w = or i1 %v, %z
  ret i1 %w\n}");
    has(&text, &["setp.ltu.f32", "setp.ne.f32", "setp.nan.f32", "and.pred", "or.pred"]);
}

#[test]
fn address_casts_are_cvta() {
    let text = ptx("define ptr addrspace(1) @f(ptr %p, ptr addrspace(3) %q, ptr %o) {
  %a = addrspacecast ptr %p to ptr addrspace(1)
  %b = addrspacecast ptr addrspace(3) %q to ptr
  store ptr %b, ptr %o
  ret ptr addrspace(1) %a\n}");
    has(&text, &["cvta.to.global.u64", "cvta.shared.u64", "st.b64"]);
}

#[test]
fn read_only_loads_use_the_texture_path() {
    let text = ptx("define float @f(ptr addrspace(1) %p) {
  %a = load float, ptr addrspace(1) %p, !invariant.load !0
  ret float %a\n}\n!0 = !{}");
    has(&text, &["ld.global.nc.f32"]);
}

#[test]
fn hints_come_back() {
    let text = ptx("define i32 @f(ptr addrspace(1) %p) {
  %a = load i32, ptr addrspace(1) %p, !ptx.mods !0
  ret i32 %a\n}\n!0 = !{!\".cg\"}");
    has(&text, &["ld.global.cg.b32"]);
}

#[test]
fn lines_of_the_source_survive() {
    let text = ptx("define void @f(ptr %p) !dbg !3 {
  store i32 1, ptr %p, !dbg !5
  ret void, !dbg !6\n}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: \"a.cu\", directory: \"/src\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!3 = distinct !DISubprogram(name: \"f\", file: !1, line: 4, unit: !0, type: !4, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 7, column: 2, scope: !3)
!6 = !DILocation(line: 8, column: 1, scope: !3)");
    has(&text, &[".file 1 \"/src/a.cu\"", ".loc 1 7 2", "st.b32", ".loc 1 8 1", "ret"]);
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
fn remainders_are_computed_in_every_format() {
    let text = ptx("define double @f(double %a, float %b, half %c, <2 x bfloat> %d, ptr %o) {
  %w = frem double %a, 3.0
  %x = frem float %b, 3.0
  %y = frem half %c, 3.0
  %z = frem <2 x bfloat> %d, %d
  store float %x, ptr %o
  store half %y, ptr %o
  store <2 x bfloat> %z, ptr %o
  ret double %w\n}");
    has(&text, &["copysign.f64", "copysign.f32", "cvt.rn.f16.f32", "cvt.rn.bf16.f32"]);
}

#[test]
fn what_has_no_counterpart_is_refused() {
    for (text, code) in [
        ("@t = thread_local addrspace(1) global i32 0", "R0109"),
        ("module asm \"nop\"", "R0109"),
        ("define i64 @f(fp128 %a) {\n  %r = fptosi fp128 %a to i64\n  ret i64 %r\n}", "R0101"),
        ("define i64 @f(x86_fp80 %a) {\n  %r = fptosi x86_fp80 %a to i64\n  ret i64 %r\n}", "R0102"),
        ("define ptx_kernel i32 @k() { ret i32 0 }", "R0107"),
        ("@v = addrspace(1) global i32 0\n@a = alias i32, ptr addrspace(1) @v", "R0109"),
    ] {
        let message = refusal(text);
        assert!(message.starts_with(code), "{text}: {message}");
    }
}

#[test]
fn raising_twice_gives_the_same_text() {
    let module = "@a = addrspace(1) global i32 0\n@b = addrspace(1) global ptr addrspace(1) @a
define void @f(i1 %c) {\n  br i1 %c, label %x, label %y\nx: ret void\ny: ret void\n}";
    assert_eq!(ptx(module), ptx(module));
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

/// ptxas knows nothing before sm_75 any more, so there is no second opinion here.
fn ptx_for_old(text: &str) -> String {
    let options = RaiseOptions { target: Some(Sm::new(60)), version: None };
    raised(text, &options).unwrap_or_else(|message| panic!("refused: {message}"))
}

/// What the lowering makes of `bfe.u32 %r, %a, 4, 12`, marked as `marked`; the shifts are by 16 and `last`.
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

#[test]
fn vectors_of_bits_have_a_byte_for_each_between_functions() {
    let text = ptx("define <3 x i1> @f(<4 x i1> %a) {
  %s = shufflevector <4 x i1> %a, <4 x i1> %a, <3 x i32> <i32 2, i32 1, i32 3>
  ret <3 x i1> %s
}");
    has(&text, &["f_retval0[3]", ".b8 a[4]"]);
}

#[test]
fn narrow_accesses_extend_and_truncate_by_themselves() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p) {
  %a = load i8, ptr addrspace(1) %p
  %b = sext i8 %a to i32
  %q = getelementptr i8, ptr addrspace(1) %p, i64 2
  %c = load i16, ptr addrspace(1) %q
  %d = zext i16 %c to i32
  %e = add i32 %b, %d
  %f = trunc i32 %e to i16
  store i16 %f, ptr addrspace(1) %q
  ret void
}");
    has(
        &text,
        &["ld.global.s8 %r1", "ld.global.u16 %r2", "add.s32 %r3, %r1, %r2", "st.global.b16 [%rd1+2], %r3"],
    );
    has_not(&text, "cvt");
}

#[test]
fn an_index_of_32_bits_is_scaled_by_a_wide_product() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, i32 %i) {
  %w = sext i32 %i to i64
  %q = getelementptr float, ptr addrspace(1) %p, i64 %w
  %s = shl nuw i32 %i, 3
  %z = zext i32 %s to i64
  %r = getelementptr i8, ptr addrspace(1) %p, i64 %z
  store float 0.0, ptr addrspace(1) %q
  store float 0.0, ptr addrspace(1) %r
  ret void
}");
    has(&text, &["mul.wide.s32 %rd2, %r1, 4", "add.s64", "mul.wide.u32", ", %r1, 8", "add.s64"]);
    has_not(&text, "cvt");
    has_not(&text, "shl");
}

#[test]
fn halves_side_by_side_are_one_move() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, i32 %lo, i32 %hi) {
  %l = zext i32 %lo to i64
  %h = zext i32 %hi to i64
  %s = shl i64 %h, 32
  %w = or i64 %s, %l
  store i64 %w, ptr addrspace(1) %p, align 8
  ret void
}");
    has(&text, &["mov.b64 %rd2, {%r1, %r2}", "st.global.b64 [%rd1], %rd2"]);
    has_not(&text, "or.b64");
}

#[test]
fn pieces_of_arguments_and_results_go_to_the_parameter_space() {
    let text = ptx("define internal [2 x i64] @f(ptr byval([16 x i8]) align 8 %a) {
  %r = alloca [16 x i8], align 8
  %x = load i64, ptr %a, align 8
  store i64 %x, ptr %r, align 8
  %q = getelementptr i8, ptr %r, i64 8
  store i64 5, ptr %q, align 8
  %all = load [2 x i64], ptr %r, align 8
  ret [2 x i64] %all
}
define ptx_kernel void @k(ptr addrspace(1) %p, i64 %v) {
  %a = alloca [16 x i8], align 8
  %r = alloca [16 x i8], align 8
  store i64 %v, ptr %a, align 8
  %s = call [2 x i64] @f(ptr byval([16 x i8]) align 8 %a)
  store [2 x i64] %s, ptr %r, align 8
  %q = getelementptr i8, ptr %r, i64 8
  %y = load i64, ptr %q, align 8
  store i64 %y, ptr addrspace(1) %p, align 8
  ret void
}");
    has(&text, &["st.param.b64 [f_retval0], %rd", "st.param.b64 [f_retval0+8], 5", "ret"]);
    has(&text, &["st.param.b64 [", "call.uni", "ld.param.b64", "+8]", "st.global.b64"]);
    has_not(&text, ".local");
}

#[test]
fn a_frozen_poison_is_a_register_that_nothing_writes() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, i1 %c, i32 %v) {
  %u = freeze i32 poison
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = phi i32 [ %u, %0 ], [ %v, %a ]
  store i32 %x, ptr addrspace(1) %p, align 4
  ret void
}");
    // What is stored is written on one path only.
    let stored =
        text.split("st.global.b32").nth(1).and_then(|rest| rest.split(['%', ';']).nth(2)).expect("a store");
    let written = text.lines().filter(|line| line.contains(&format!(" \t%{stored},"))).count();
    assert_eq!(written, 1, "{text}");
}

#[test]
fn low_bits_of_a_parameter_are_loaded_as_what_they_are() {
    let text = ptx("define void @f(ptr %p, i32 %a, i32 %b, i32 %c) {
  %n = trunc i32 %a to i8
  %s = sext i8 %n to i16
  store i16 %s, ptr %p, align 2
  %m = trunc i32 %b to i16
  %q = getelementptr i8, ptr %p, i64 2
  store i16 %m, ptr %q, align 2
  %d = trunc i32 %c to i8
  %e = sext i8 %d to i16
  %r = getelementptr i8, ptr %p, i64 4
  store i16 %e, ptr %r, align 2
  %g = getelementptr i8, ptr %p, i64 8
  store i32 %c, ptr %g, align 4
  ret void
}");
    has(&text, &["ld.param.s8 ", "[a]", "ld.param.b16", "[b]", "ld.param.b32", "[c]"]);
    // The whole of the last one is read too.
    assert_eq!(text.matches("cvt.").count(), 2, "{text}");
}

#[test]
fn all_elements_of_a_vector_are_extended_as_they_are_loaded() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %v = load <2 x i8>, ptr addrspace(1) %p, align 2
  %a = extractelement <2 x i8> %v, i32 0
  %b = extractelement <2 x i8> %v, i32 1
  %x = sext i8 %a to i32
  %y = sext i8 %b to i32
  %d = sub i32 %x, %y
  store i32 %d, ptr addrspace(1) %o, align 4
  ret void
}");
    has(&text, &["ld.global.v2.s8", "sub.s32"]);
    has_not(&text, "cvt");
}

#[test]
fn elements_that_are_extended_in_different_ways_are_loaded_as_they_are() {
    let text = ptx("define ptx_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %v = load <2 x i8>, ptr addrspace(1) %p, align 2
  %a = extractelement <2 x i8> %v, i32 0
  %b = extractelement <2 x i8> %v, i32 1
  %x = sext i8 %a to i32
  %y = zext i8 %b to i32
  %d = sub i32 %x, %y
  store i32 %d, ptr addrspace(1) %o, align 4
  ret void
}");
    has(&text, &["ld.global.v2.b8", "cvt.s32.s8"]);
}

#[test]
fn bits_of_a_floating_point_number_need_no_copy() {
    let text = ptx("define i32 @f(i32 %a, i32 %b) {
  %x = bitcast i32 %a to float
  %y = bitcast i32 %b to float
  %s = fadd float %x, %y
  %r = bitcast float %s to i32
  ret i32 %r
}");
    has(&text, &["add.rn.f32 %r3, %r1, %r2", "st.param.b32 [f_retval0], %r3"]);
    has_not(&text, "mov");
}

#[test]
fn a_device_functions_own_copy_of_a_structure_is_its_parameter() {
    let text = ptx("declare void @escape(ptr)
define void @f(ptr byval([24 x i8]) align 8 %s) {
  %q = getelementptr i8, ptr %s, i64 8
  store i64 5, ptr %q, align 8
  call void @escape(ptr %s)
  ret void
}");
    has(&text, &["mov.b64 %rd1, s;", "st.local.b64 [%rd1+8], 5", "cvta.local.u64"]);
    has_not(&text, "ld.param");
}

#[test]
fn argument_whose_address_went_through_local_memory_still_goes_to_the_parameter_space() {
    let text = ptx("declare void @g(ptr byval([16 x i8]) align 16)
define void @f(<4 x i32> %v) {
  %a = alloca [16 x i8], align 16
  %l = addrspacecast ptr %a to ptr addrspace(5)
  %b = addrspacecast ptr addrspace(5) %l to ptr
  call void @llvm.lifetime.start.p0(ptr %a)
  store <4 x i32> %v, ptr addrspace(5) %l, align 16
  call void @g(ptr byval([16 x i8]) align 16 %b)
  call void @llvm.lifetime.end.p0(ptr %a)
  ret void
}");
    has(&text, &["ld.param.v4.b32", "st.param.v4.b32 [param0]", "call.uni"]);
    has_not(&text, ".local");
}

#[test]
fn argument_by_value_is_as_aligned_as_the_function_says_and_its_source_as_the_call_says() {
    let text = ptx("declare void @g(ptr byval([2 x i64]) align 16)
define void @f(ptr %p, ptr %q) {
  call void @g(ptr byval([2 x i64]) %p)
  call void @g(ptr byval([2 x i64]) align 4 %q)
  ret void
}");
    assert_eq!(text.matches(".param .align 16 .b8 param0[16]").count(), 2, "{text}");
    let loads = |width: &str| text.matches(&format!("ld.{width} ")).count();
    assert_eq!((loads("b64"), loads("b32"), loads("v2.b64")), (2, 4, 0), "{text}");
}

#[test]
fn undefined_parts_of_arguments_and_results_are_not_written() {
    let text = ptx("declare void @g({ i32, i32, i32, i32 })
define alignstack(16) { i32, i32, i32, i32 } @f(i32 %x) {
  %some = insertvalue { i32, i32, i32, i32 } { i32 poison, i32 7, i32 undef, i32 poison }, i32 %x, 0
  call void @g({ i32, i32, i32, i32 } %some)
  ret { i32, i32, i32, i32 } %some
}");
    has(&text, &[".param .align 16 .b8 f_retval0[16]", ".param .align 4 .b8 param0[16]"]);
    has(&text, &["st.param.b32 [param0],", "st.param.b32 [param0+4],", "call.uni"]);
    has(&text, &["call.uni", "st.param.v2.b32 [f_retval0],", "ret"]);
    has_not(&text, "+8]");
    has_not(&text, "+12]");
}

#[test]
fn undefined_elements_in_memory_take_no_instruction() {
    let text = ptx("define void @f(ptr addrspace(1) %p, i32 %x) {
  %v = insertelement <4 x i32> poison, i32 %x, i32 1
  store <4 x i32> %v, ptr addrspace(1) %p, align 16
  ret void
}");
    has(&text, &["st.global.v4.b32"]);
    has_not(&text, "mov");
}

#[test]
fn elements_that_a_constant_mask_names_are_loaded_together() {
    let text = ptx("declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p1(<4 x i32>, ptr addrspace(1), <4 x i1>)
define void @f(ptr byval([16 x i8]) align 16 %a, ptr addrspace(1) %p) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 16 %a, <4 x i1> <i1 true, i1 true, i1 true, i1 false>, <4 x i32> poison)
  call void @llvm.masked.store.v4i32.p1(<4 x i32> %v, ptr addrspace(1) align 16 %p, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  ret void
}");
    has(&text, &["ld.param.v2.b32", "[a]", "ld.param.b32", "[a+8]"]);
    has(&text, &["st.global.v2.b32", "st.global.b32", "+8]"]);
    has_not(&text, ".local");
}

#[test]
fn names_of_passes_name_no_registers() {
    for was_ptx in ["", "!ptx.version = !{!0}\n!0 = !{!\"8.0\"}\n"] {
        let text = ptx(&format!(
            "declare {{ i32, i32 }} @g()
define i32 @f() {{
  %s = call {{ i32, i32 }} @g()
  %.fca.0.extract = extractvalue {{ i32, i32 }} %s, 0
  %.fca.1.extract = extractvalue {{ i32, i32 }} %s, 1
  %.sum = add i32 %.fca.0.extract, %.fca.1.extract
  ret i32 %.sum
}}
{was_ptx}"
        ));
        has(&text, &["add.s32 "]);
        has_not(&text, "fca");
    }
}

#[test]
fn structures_and_numbers_are_loaded_in_the_order_of_the_parameters() {
    let text = ptx("define void @f(ptr byval([16 x i8]) align 8 %s, i32 %n, ptr %p) {
  %q = getelementptr i8, ptr %s, i64 8
  %b = load i64, ptr %q, align 8
  %a = load i64, ptr %s, align 8
  %x = add i64 %a, %b
  store i64 %x, ptr %p, align 8
  %r = getelementptr i8, ptr %p, i64 8
  store i32 %n, ptr %r, align 4
  ret void
}");
    has(
        &text,
        &["ld.param.b64", "[s+8]", "ld.param.b64", "[s]", "ld.param.b32", "[n]", "ld.param.b64", "[p]"],
    );
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

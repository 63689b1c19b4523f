//! Constructs of LLVM IR that PTX expresses in another way, or only partly.

use ptx_isa::Sm;
use ptx_llvm_core::{Context, Module};
use ptx_raise::{RaiseOptions, raise};

/// The PTX of a module, and its warnings.
fn raised(text: &str, sm: u16) -> Result<(String, String), String> {
    let options = RaiseOptions { target: Some(Sm::new(sm)), version: None };
    let context = Context::new().expect("LLVM 22");
    let text = format!("target triple = \"nvptx64-nvidia-cuda\"\n{text}");
    let module = Module::parse(&context, "test", text.as_bytes()).expect("valid LLVM IR");
    module.verify().expect("valid LLVM IR");
    let lines = |found: &ptx_diag::Diagnostics| {
        let lines = found.iter().map(|finding| format!("{}: {}", finding.code.0, finding.message));
        lines.collect::<Vec<_>>().join("\n")
    };
    match raise(&module, &options) {
        Ok((module, warnings)) => Ok((ptx_ir::print(&module), lines(&warnings))),
        Err(found) => Err(lines(&found)),
    }
}

fn ptx(text: &str) -> (String, String) {
    raised(text, 90).unwrap_or_else(|found| panic!("refused: {found}"))
}

#[test]
fn variables_in_a_circle_are_declared_before() {
    let (text, warnings) =
        ptx("@v = global [2 x ptr] [ptr @w, ptr null]\n@w = global { i64, ptr } { i64 1, ptr @v }");
    let (declared, defined) = (text.find(".extern .global"), text.find(".visible .global"));
    assert!(declared.is_some() && declared < defined && text.matches(" v[2]").count() == 2, "{text}");
    assert!(warnings.is_empty(), "{warnings}");
}

#[test]
fn variable_that_holds_its_own_address_names_itself() {
    let (text, warnings) = ptx("@v = internal addrspace(1) global [2 x ptr] [ptr null, ptr addrspacecast (ptr addrspace(1) @v to ptr)]
@w = addrspace(1) global ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @w, i64 8)
define ptr addrspace(1) @f() {
  ret ptr addrspace(1) @v
}");
    assert!(text.contains(" v[2] = {0, generic(v)};") && text.contains(" w = w+8;"), "{text}");
    assert!(!text.contains(".extern") && warnings.is_empty(), "{text}\n{warnings}");
}

#[test]
fn internal_variables_in_a_circle_become_visible_with_a_warning() {
    let (text, warnings) =
        ptx("@v = internal global ptr @w\n@w = internal global ptr @v\ndefine ptr @f() {\n  ret ptr @v\n}");
    assert!(text.contains(".extern .global") && warnings.contains("R0114"), "{text}\n{warnings}");
}

#[test]
fn parameter_that_a_kernel_writes_is_read_from_its_copy() {
    let (text, _) = ptx("define ptx_kernel void @k(ptr byval(i64) align 8 %a, ptr addrspace(1) %b) {
  store i64 7, ptr %a, align 8
  %p = addrspacecast ptr %a to ptr addrspace(101)
  %x = load i64, ptr addrspace(101) %p, align 8
  store i64 %x, ptr addrspace(1) %b, align 8
  ret void
}");
    let (written, read) = (
        text.find("st.local.b64 \t[__local_byval_k_0], 7"),
        text.find("ld.local.b64 \t%rd3, [__local_byval_k_0]"),
    );
    assert!(written.is_some() && written < read, "{text}");
}

#[test]
fn the_stricter_bound_on_threads_is_kept() {
    let (text, _) = ptx(
        "define ptx_kernel void @k() \"nvvm.maxntid\"=\"256\" \"nvvm.reqntid\"=\"64,2\" {\n  ret void\n}",
    );
    assert!(text.contains(".reqntid 64, 2") && !text.contains(".maxntid"), "{text}");
    let found = raised(
        "define ptx_kernel void @k() \"nvvm.maxntid\"=\"64\" \"nvvm.reqntid\"=\"128\" {\n  ret void\n}",
        90,
    );
    assert!(found.expect_err("contradictory").contains("R0107"));
}

#[test]
fn functions_have_no_bounds_of_kernels() {
    let (text, warnings) =
        ptx("define void @f() \"nvvm.maxntid\"=\"64\" \"nvvm.maxnreg\"=\"40\" {\n  ret void\n}");
    assert!(!text.contains(".maxn"), "{text}");
    assert!(warnings.contains("R0111") && warnings.contains(".maxnreg"), "{warnings}");
}

#[test]
fn tail_calls_that_must_be_are_ordinary_with_a_warning() {
    let (text, warnings) = ptx(
        "declare i32 @g(i32)\ndefine i32 @f(i32 %a) {\n  %r = musttail call i32 @g(i32 %a)\n  ret i32 %r\n}",
    );
    assert!(text.contains("call.uni"), "{text}");
    assert!(warnings.contains("R0112"), "{warnings}");
}

#[test]
fn program_warns_who_compiles_it() {
    let (_, warnings) = ptx("@s = private constant [6 x i8] c\"slow!\\00\"
declare void @llvm.nvvm.compiler.warn(ptr)
define void @f() {
  call void @llvm.nvvm.compiler.warn(ptr @s)
  ret void
}");
    assert_eq!(warnings, "R0113: function f reports a warning: slow!");
}

#[test]
fn old_targets_have_no_atomics_of_the_system() {
    let text = "define i32 @f(ptr %p) {\n  %r = atomicrmw add ptr %p, i32 1 monotonic\n  ret i32 %r\n}";
    let (_, warnings) = raised(text, 50).expect("raised");
    assert!(warnings.contains("R0115"), "{warnings}");
    let (_, warnings) = raised(text, 60).expect("raised");
    assert!(warnings.is_empty(), "{warnings}");
}

#[test]
fn the_sign_of_quadruple_precision_is_a_bit() {
    let (text, _) = ptx("define fp128 @f(fp128 %a) {\n  %r = fneg fp128 %a\n  ret fp128 %r\n}");
    assert!(text.contains("xor.b64"), "{text}");
    let found = raised("define fp128 @f(fp128 %a) {\n  %r = fadd fp128 %a, %a\n  ret fp128 %r\n}", 90);
    assert!(found.expect_err("no arithmetic").contains("PTX has no arithmetic on fp128"));
}

#[test]
fn offsets_are_added_to_addresses_of_functions_in_registers() {
    let (text, _) =
        ptx("declare void @g()\ndefine ptr @f() {\n  ret ptr getelementptr (i8, ptr @g, i64 4)\n}");
    assert!(text.contains(", g;") && text.contains(", 4;") && !text.contains("g+4"), "{text}");
}

#[test]
fn other_names_of_functions_are_the_functions() {
    let (text, _) = ptx("declare void @g()\ndefine ptr @f() {\n  ret ptr no_cfi @g\n}");
    assert!(text.contains("mov.b64 \t%rd1, g;"), "{text}");
}

#[test]
fn atomic_operations_of_one_thread_alone_have_any_type() {
    let (text, _) = ptx("define i256 @f(ptr addrspace(5) %p) {
  %r = atomicrmw add ptr addrspace(5) %p, i256 1 seq_cst
  ret i256 %r
}");
    assert!(text.contains("ld.local.v2.b64") && !text.contains("atom"), "{text}");
}

#[test]
fn vectors_of_one_bit_each_are_results() {
    let parts = "{ <1 x i1>, <1 x i1>, <1 x i1>, <1 x i1>, <1 x i1>, <1 x i1>, <1 x i1>, <1 x i1> }";
    let (text, _) = ptx(&format!(
        "define {parts} @f(<8 x i1> %a) {{\n  %r = call {parts} @llvm.vector.deinterleave8.v8i1(<8 x i1> %a)\n  ret {parts} %r\n}}"
    ));
    assert!(text.contains("st.param") && !text.contains("st.param.pred"), "{text}");
}

//! Small LLVM IR inputs and their expected PTX. Each result is also assembled by ptxas if it is installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use ptx_isa::{PtxVersion, Sm};
use ptx_llvm_core::{Context, Module};
use ptx_raise::{Annotations, Names, RaiseOptions, Style, raise_in_style};

mod arithmetic;
mod assembly;
mod atomic;
mod bytes;
mod control;
mod functions;
mod intrinsics;
mod marks;
mod memory;
mod names;
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

/// The same with the names of LLVM's values and blocks, and source locations.
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
fn what_has_no_counterpart_is_refused() {
    for (text, code) in [
        ("@t = thread_local addrspace(1) global i32 0", "R0109"),
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

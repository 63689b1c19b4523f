//! The kernels that engines are measured with, compiled ahead of time for 64-bit Arm and executed by qemu at a small size: they leave the bits
//! that the interpreter leaves. scripts/setup installs what that needs (qemu-user, a cross compiler, Rust's library for the processor); where
//! it is not there, the test is counted as skipped, except in CI where it is required unless the set-up could not install it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Arguments, Trial};
use ptx_diag::SourceFile;
use ptx_exec::{DeviceHeap, Image, Limits, Memory, Surroundings};
use ptx_host::aot::{self, Product, Unit, UnitKernel};
use ptx_llvm_core::host::Cpu;
use ptx_verify::Verified;
use test_suite::kernels::{Given, KERNELS, Role, Size, Workload, bytes};
use test_suite::oracle::nvidia_folder;

const COMPILER: &str = "aarch64-linux-gnu-gcc";
const TRIPLE: &str = "aarch64-unknown-linux-gnu";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A Rust compiler with the standard library of the processor.
fn rustc() -> Option<PathBuf> {
    let path = nvidia_folder().join("aarch64/bin/rustc");
    path.is_file().then(|| path.canonicalize().expect("it is there"))
}

fn main() -> ExitCode {
    let exists =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success());
    let is_possible = exists("qemu-aarch64") && exists(COMPILER) && rustc().is_some();
    let run = || {
        if testing::takes("kernels for 64-bit Arm, executed by qemu") {
            kernels();
        }
        Ok(())
    };
    let name = "kernels for 64-bit Arm leave the bits that the interpreter leaves";
    let trial = Trial::test(name, run).with_ignored_flag(!is_possible);
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// The runtime library for the processor.
fn library() -> PathBuf {
    let target = root().join("target/aarch64");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "ptx-host-rt-c", "--target", TRIPLE, "--target-dir"])
        .arg(&target)
        .current_dir(root())
        .env("RUSTC", rustc().expect("asked for before"))
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", COMPILER)
        .output()
        .expect("Cargo runs");
    text(&output);
    target.join(TRIPLE).join("debug/libptx_host_rt.a")
}

/// An image of a module with variables of its own.
fn image(verified: Verified<'_>) -> std::sync::Arc<Image> {
    let (memory, heap, limits) = (Memory::new(), DeviceHeap::default(), Limits::default());
    Image::new(verified, Surroundings { memory, heap, limits }).expect("its variables fit")
}

/// Writes the object, the header and the buffers of a kernel; gives the function in C that launches it and what the interpreter leaves.
fn prepare(kernel: &'static str, folder: &Path) -> (String, Vec<(String, Vec<u8>)>) {
    let ptx = std::fs::read_to_string(root().join(format!("test-suite/bench/ptx/{kernel}.ptx")))
        .expect("compiled before");
    let (module, findings) = ptx_syntax::parse(&SourceFile::new(kernel, ptx));
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    let work = Workload::new(kernel, Size::Small).expect("a known kernel");
    let launch = work.launch();

    let images = [image(verified), image(verified)];
    let prepared = images.each_ref().map(|image| image.kernel(&launch.entry).expect("it is executed"));
    let symbol = aot::identifier(&launch.entry);
    let kernels = vec![UnitKernel { symbol: symbol.clone(), prepared, blocks: vec![launch.block] }];
    let files = vec![kernel.to_owned()];
    let unit = Unit { images: [&images[0], &images[1]], files, position: &|_| (0, 0, 0), kernels };
    let cpu = Cpu::baseline("aarch64").expect("a baseline");
    let object =
        aot::compile(&unit, &cpu, Product::Obj).unwrap_or_else(|errors| panic!("{kernel}: {errors:?}"));
    std::fs::write(folder.join(format!("{kernel}.o")), object).expect("a folder of the test");
    std::fs::write(folder.join(format!("{kernel}.h")), aot::header(&unit, kernel))
        .expect("a folder of the test");

    let outcome = ptx_exec::run(verified, &launch).expect("it is executed");
    let mut wanted = Vec::new();
    let (mut before, mut list, mut after) = (String::new(), String::new(), String::new());
    for (number, (given, left)) in work.arguments.iter().zip(&outcome.buffers).enumerate() {
        let Given::Buffer { role, words, .. } = given else {
            let _ = match given {
                Given::Integer(value) => write!(list, ", {value}u"),
                Given::Float(value) => write!(list, ", number({:#x})", value.to_bits()),
                Given::Buffer { .. } => Ok(()),
            };
            continue;
        };
        let file = format!("{kernel}.{number}");
        std::fs::write(folder.join(&file), bytes(words)).expect("a folder of the test");
        let size = 4 * words.len();
        let _ = writeln!(before, "    void *b{number} = get(\"{file}\", {size});");
        let _ = write!(list, ", (address)b{number}");
        if *role != Role::In {
            let _ = writeln!(after, "    put(\"{file}.out\", b{number}, {size});");
            wanted.push((format!("{file}.out"), left.clone().expect("it has a buffer")));
        }
    }
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    let source = format!(
        "static void run_{kernel}(void) {{\n{before}    PtxHostLaunch launch = {{.grid = {{{gx}, {gy}, {gz}}}, .block = {{{bx}, {by}, {bz}}}}};\n\
         \x20   int status = {symbol}(&launch{list});\n\
         \x20   if (status) {{ printf(\"{kernel}: %s\\n\", ptx_host_error()); exit(1); }}\n{after}}}\n",
    );
    (source, wanted)
}

const HEAD: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *get(const char *name, size_t bytes) {
    void *to = aligned_alloc(256, (bytes + 255) / 256 * 256);
    FILE *file = fopen(name, "rb");
    if (!file || fread(to, 1, bytes, file) != bytes) { perror(name); exit(1); }
    fclose(file);
    return to;
}
static void put(const char *name, const void *from, size_t bytes) {
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(from, 1, bytes, file) != bytes || fclose(file)) { perror(name); exit(1); }
}
static float number(unsigned bits) { float value; memcpy(&value, &bits, 4); return value; }
typedef uintptr_t address;
"#;

fn kernels() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut source, mut all) = (String::new(), Vec::new());
    let mut main = String::from("int main(void) {\n");
    for kernel in KERNELS {
        let (function, wanted) = prepare(kernel, folder.path());
        source.push_str(&function);
        let _ = writeln!(main, "    run_{kernel}();");
        all.push((kernel, wanted));
    }
    let headers: String = KERNELS.iter().map(|kernel| format!("#include \"{kernel}.h\"\n")).collect();
    let source = format!("{headers}{HEAD}{source}{main}    return 0;\n}}\n");
    std::fs::write(folder.path().join("main.c"), source).expect("a folder of the test");
    let compiled = Command::new(COMPILER)
        .args(["-std=c11", "-static", "-pthread", "-o", "main", "main.c"])
        .args(KERNELS.iter().map(|kernel| format!("{kernel}.o")))
        .arg(library())
        .arg("-I")
        .arg(root().canonicalize().expect("the workspace").join("crates/ptx-host-rt-c/include"))
        .args(["-lm", "-ldl"])
        .current_dir(folder.path())
        .output()
        .expect("asked for before");
    text(&compiled);
    let output = Command::new("qemu-aarch64").arg("./main").current_dir(folder.path()).output();
    assert_eq!(text(&output.expect("asked for before")), "");
    for (kernel, wanted) in all {
        assert!(!wanted.is_empty(), "{kernel} leaves nothing");
        for (file, wanted) in wanted {
            let got = std::fs::read(folder.path().join(&file)).expect("the program has written it");
            let differs = got.chunks(4).zip(wanted.chunks(4)).position(|(got, wanted)| got != wanted);
            assert_eq!(
                (differs, got.len()),
                (None, wanted.len()),
                "{kernel}: {file} differs at word {differs:?}"
            );
        }
    }
}

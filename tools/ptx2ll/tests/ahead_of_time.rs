//! Kernels compiled ahead of time, linked into programs in C and Rust. Tests for which a compiler or processor is missing are counted as skipped;
//! with CI=true a compiler is required.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::OnceLock;

use assert_cmd::cargo::cargo_bin_cmd;
use libtest_mimic::{Arguments, Trial};

/// The folder with the runtime library, which is built first: Cargo builds it for no test of another package.
fn library() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| testing::built(&["ptx-host-rt-c"], &[]))
}

fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn main() -> ExitCode {
    let trial = |name, is_possible: bool, test: fn()| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(!is_possible)
    };
    let is_x86 = cfg!(target_arch = "x86_64");
    let has_cc = std::env::var_os("CI").is_some() || exists("cc");
    #[cfg(target_arch = "x86_64")]
    let (has_avx2, has_avx512) = (
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512dq"),
    );
    #[cfg(not(target_arch = "x86_64"))]
    let (has_avx2, has_avx512) = (false, false);
    let trials = vec![
        trial("kernels are called from C on this processor", has_cc, || program_in_c(&["--target=host"])),
        trial("kernels are called from C with SSE4.2", has_cc && is_x86, || {
            program_in_c(&["--target=x86_64"]);
        }),
        trial("kernels are called from C with AVX2", has_cc && has_avx2, || {
            program_in_c(&["--target=x86_64", "--cpu=x86-64-v3"]);
        }),
        trial("kernels are called from C with AVX-512", has_cc && has_avx512, || {
            program_in_c(&["--target=x86_64", "--cpu=x86-64-v4"]);
        }),
        trial("the program in C of the documentation prints what is documented", has_cc, documented),
        trial("kernels whose functions call themselves are called from C", has_cc, recursion),
        trial("kernels are called from Rust", has_cc, program_in_rust),
        trial("the header is valid in C++", exists("c++"), header_in_cpp),
        trial("assembly, bitcode and LLVM IR have the same functions", true, other_products),
        trial("objects for other processors are written", true, other_processors),
        trial("what is not compiled is an error at its place", true, refusals),
        trial("arguments without meaning are refused", true, wrong_usage),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ahead").join(name)
}

fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/ptx-host-rt-c/include")
}

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Compiles mix.ptx to a file of a folder, from within the folder of the sources.
fn compile(arguments: &[&str], to: &Path) {
    cargo_bin_cmd!("ptx2ll")
        .args(arguments)
        .args(["--block=32", "--block=256", "mix.ptx", "-o"])
        .arg(to)
        .current_dir(source(""))
        .assert()
        .success()
        .stdout("")
        .stderr("");
}

/// Compiles a program in C that calls the kernels of an object in the folder of the header, and returns the path of the program.
fn link(source: &Path, object: &Path) -> PathBuf {
    let folder = object.parent().unwrap();
    let program = folder.join("program");
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
        .args([&program, source, object, &library().join("libptx_host_rt.a")])
        .arg("-I")
        .args([folder, Path::new("-I"), &include()])
        .args(["-lm", "-ldl"])
        .output()
        .unwrap();
    assert_eq!(text(&compiled), "");
    program
}

fn documented() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/ahead-of-time.md")).unwrap();
    let program = page.split("```c\n").nth(1).unwrap().split("```").next().unwrap();
    let (main, object) = (folder.path().join("main.c"), folder.path().join("saxpy.o"));
    std::fs::write(&main, program).unwrap();
    cargo_bin_cmd!("ptx2ll")
        .args(["--target=host", "--block=128", "-o"])
        .arg(&object)
        .arg(root.join("scripts/demo-data/saxpy.ptx"))
        .assert()
        .success();
    let output = text(&Command::new(link(&main, &object)).output().unwrap());
    // 2 * 1 + 1 and 2 * 999 + 1.
    assert_eq!(output, "3 1999\n");
    assert!(page.contains("It prints `3 1999`"));
}

fn program_in_c(arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("mix.o");
    compile(arguments, &object);
    let program = link(&source("mix.c"), &object);
    let output = text(&Command::new(&program).output().unwrap());
    // 5 and 256 threads are 261, and 10 and 256 are 266; the kernel prints seven times that.
    assert_eq!(
        output,
        "before\nsum = 1827\nafter\nsum = 1862\n\
         mix.ptx:114:5: the thread executed `trap`; in kernel count, block (0, 0, 0), thread (0, 0, 0)\n\
         the kernel `count` was compiled for blocks of 32 x 1 x 1, 256 x 1 x 1 threads, not of 48 x 1 x 1; `ptx2ll --block` takes others\n\
         all right\n"
    );
}

/// Thread `n` stores the Fibonacci number `n`, by its definition.
const FIBONACCI: &str = ".version 8.0
.target sm_80
.address_size 64
.func (.param .b32 result) fibonacci(.param .b32 n)
{
    .reg .pred %p; .reg .b32 %n, %a, %b;
    ld.param.u32 %n, [n]; mov.u32 %a, %n; setp.lt.u32 %p, %n, 2; @%p bra done;
    sub.u32 %n, %n, 1;
    { .param .b32 of; .param .b32 got; st.param.b32 [of], %n; call (got), fibonacci, (of); ld.param.b32 %a, [got]; }
    sub.u32 %n, %n, 1;
    { .param .b32 of; .param .b32 got; st.param.b32 [of], %n; call (got), fibonacci, (of); ld.param.b32 %b, [got]; }
    add.u32 %a, %a, %b;
done:
    st.param.b32 [result], %a; ret;
}
.visible .entry numbers(.param .u64 out)
{
    .reg .b32 %n, %f; .reg .b64 %to, %at;
    ld.param.u64 %to, [out]; mov.u32 %n, %tid.x; mul.wide.u32 %at, %n, 4; add.s64 %to, %to, %at;
    { .param .b32 of; .param .b32 got; st.param.b32 [of], %n; call (got), fibonacci, (of); ld.param.b32 %f, [got]; }
    st.global.u32 [%to], %f; ret;
}
";

fn recursion() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("numbers.ptx"), FIBONACCI).unwrap();
    let main = "#include <stdio.h>
        #include \"numbers.h\"
        int main(void) {
            uint32_t all[16] = {0};
            PtxHostLaunch launch = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
            int status = numbers(&launch, (uintptr_t)all);
            for (int i = 0; i < 16; i++) printf(\"%u \", all[i]);
            printf(\"%d%s\\n\", status, ptx_host_error());
            return 0;
        }";
    std::fs::write(path("main.c"), main).unwrap();
    cargo_bin_cmd!("ptx2ll")
        .args(["--target=host", "--block=16", "numbers.ptx", "-o", "numbers.o"])
        .current_dir(folder.path())
        .assert()
        .success();
    let output = text(&Command::new(link(&path("main.c"), &path("numbers.o"))).output().unwrap());
    assert_eq!(output, "0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 0\n");
}

fn program_in_rust() {
    let folder = tempfile::tempdir().unwrap();
    let (object, program) = (folder.path().join("mix.o"), folder.path().join("mix"));
    compile(&["--target=host", "--entry=saxpy"], &object);
    let main = folder.path().join("main.rs");
    std::fs::write(
        &main,
        "#[repr(C)]
         struct Launch { grid: [u32; 3], block: [u32; 3], shared: u32, threads: u32, timeout_ms: u64 }
         unsafe extern \"C\" { fn saxpy(launch: *const Launch, n: u32, a: f32, x: *const f32, y: u64) -> i32; }
         fn main() {
             let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
             let mut y = vec![1.0f32; 100];
             let launch = Launch { grid: [4, 1, 1], block: [32, 1, 1], shared: 0, threads: 0, timeout_ms: 0 };
             let status = unsafe { saxpy(&launch, 100, 3.0, x.as_ptr(), y.as_mut_ptr() as u64) };
             println!(\"{status} {} {}\", y[1], y[99]);
         }",
    )
    .unwrap();
    let compiled = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "-o"])
        .args([&program, &main])
        .arg("-L")
        .arg(library())
        .arg(format!("-Clink-arg={}", object.display()))
        .args(["-ldylib=ptx_host_rt", &format!("-Clink-arg=-Wl,-rpath,{}", library().display())])
        .output()
        .unwrap();
    text(&compiled);
    assert_eq!(text(&Command::new(&program).output().unwrap()), "0 4 298\n");
}

fn header_in_cpp() {
    let folder = tempfile::tempdir().unwrap();
    compile(&["--target=host"], &folder.path().join("mix.o"));
    let main = folder.path().join("main.cpp");
    std::fs::write(&main, "#include \"mix.h\"\nint main() { return saxpy(nullptr, 0, 0, nullptr, 0); }\n")
        .unwrap();
    let compiled = Command::new("c++")
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"])
        .args([folder.path(), Path::new("-I"), &include(), &main])
        .output()
        .unwrap();
    assert_eq!(text(&compiled), "");
}

fn other_products() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    compile(&["--target=x86_64", "--cpu=x86-64-v3", "--entry=saxpy"], &path("mix.s"));
    let assembly = std::fs::read_to_string(path("mix.s")).unwrap();
    // One function for C, and one with the fused multiplication of eight lanes.
    assert!(assembly.contains("\nsaxpy:"), "{assembly}");
    assert!(assembly.lines().any(|line| line.contains("vfmadd") && line.contains("%ymm")), "{assembly}");
    assert!(!assembly.contains("%zmm"), "{assembly}");
    compile(&["--target=x86_64", "--entry=saxpy"], &path("mix.ll"));
    let ir = std::fs::read_to_string(path("mix.ll")).unwrap();
    assert!(ir.contains("define i32 @saxpy(ptr %0, i32 %1, float %2, ptr %3, i64 %4)"), "{ir}");
    compile(&["--target=x86_64", "--entry=saxpy"], &path("mix.bc"));
    assert_eq!(std::fs::read(path("mix.bc")).unwrap()[..4], *b"BC\xc0\xde");
    // Text can be written to standard output; then no header is written.
    let output = cargo_bin_cmd!("ptx2ll")
        .args(["--target=aarch64", "--emit=asm", "--entry=saxpy", "--block=128"])
        .arg(source("mix.ptx"))
        .output()
        .unwrap();
    let neon = text(&output);
    assert!(neon.contains("fmla\tv"), "{neon}");
}

fn other_processors() {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("mix.o");
    let header = folder.path().join("other.h");
    // The machine of an ELF file is the number at its byte 18: 62 is x86-64 and 183 AArch64.
    for (target, cpu, machine) in [
        ("x86_64", "znver4", 62),
        ("x86_64", "x86-64-v2", 62),
        ("aarch64", "generic", 183),
        ("aarch64", "neoverse-n1", 183),
    ] {
        compile(&["--target", target, "--cpu", cpu, "--header", header.to_str().unwrap()], &object);
        let bytes = std::fs::read(&object).unwrap();
        assert_eq!((&bytes[..4], bytes[18]), (&b"\x7fELF"[..], machine));
    }
    assert!(std::fs::read_to_string(header).unwrap().contains("#ifndef PTX_OTHER_H"));
    assert!(!folder.path().join("mix.h").exists());
}

/// The diagnostics of a source that the tool rejects without writing an object.
fn rejected(ptx: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), ptx).unwrap();
    let output = cargo_bin_cmd!("ptx2ll")
        .args(["--error-format=short", "k.ptx", "-o", "k.o"])
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!folder.path().join("k.o").exists() && !folder.path().join("k.h").exists());
    String::from_utf8(output.stderr).unwrap()
}

fn refusals() {
    let kernel = |body: &str| {
        format!(".version 8.1\n.target sm_90\n.address_size 64\n.entry k()\n{{\n{body}\nret;\n}}\n")
    };
    assert_eq!(
        rejected(&kernel(""), &["--target=host"]),
        "k.ptx:4:8: error[T0021]: the block shape of the kernel `k` is not specified\n"
    );
    assert_eq!(
        rejected(&kernel("").replace("k()", "_Z1kv()"), &["--target=host"]),
        "k.ptx:4:8: error[T0021]: the block shape of the kernel `k()` is not specified\n"
    );
    // The instruction calls a function of the runtime that is not available to objects.
    let product = kernel(
        ".reg .b32 %r<5>;\n.reg .b64 %a;\nmov.u64 %a, 64;\n\
         multimem.ld_reduce.global.add.u32 %r1, [%a];",
    );
    let found = rejected(&product, &["--target=host", "--block=32"]);
    assert!(found.contains("k.ptx:9:1: error[T0020]: the kernel `k` is not compiled: "), "{found}");
    let narrow = ".version 8.0\n.target sm_70\n.address_size 32\n.entry k()\n{\nret;\n}\n";
    let found = rejected(narrow, &["--target=host", "--block=32"]);
    assert!(found.contains("modules with 32-bit addresses are not compiled"), "{found}");
    let required = kernel("").replace("k()\n", "k() .maxntid 64\n");
    let found = rejected(&required, &["--target=host", "--block=128"]);
    assert!(found.contains("the kernel takes at most 64 threads in a block, not 128"), "{found}");
    let found = rejected(&kernel(""), &["--target=host", "--block=128", "--entry=other"]);
    assert!(found.contains("X0001"), "{found}");
}

fn wrong_usage() {
    let cases: [(&[&str], &str); 7] = [
        (&["--emit=obj", "-o", "k.o"], "--emit=asm and --emit=obj require --target=host, x86_64 or aarch64"),
        (&["--block=32"], "--cpu, --block, --entry and --header require --target=host"),
        (&["--target=host", "--emit=ptx"], "--emit for a CPU target must be ll, bc, asm or obj"),
        (&["--target=host", "-O2"], "ptx2ll -O2 k.ptx | ll2ptx | ptx2ll --target=host"),
        (&["--target=host", "--block=0"], "expected the threads of a block, as in 256 or 16,16, not `0`"),
        (&["--target=host", "--cpu=pentium-x", "--block=32"], "LLVM 22 has no processor `pentium-x`"),
        (&["--target=riscv64"], "or a CPU: host, x86_64, aarch64"),
    ];
    for (arguments, message) in cases {
        let output = cargo_bin_cmd!("ptx2ll").arg(source("mix.ptx")).args(arguments).output().unwrap();
        let found = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{found}");
        assert!(found.contains(message), "{arguments:?}: {found}");
    }
}

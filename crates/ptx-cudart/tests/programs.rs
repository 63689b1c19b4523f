//! Programs in CUDA C++ that are linked with the libraries, compiled by `nvcc` with PTX alone; skipped where that is missing. Each checks its own
//! results, which follow from its kernels.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::OnceLock;

use cudart::properties::{Properties12, Properties13};
use cudart::table::{NAMES, Versions};
use libtest_mimic::{Arguments, Trial};

/// A program: its name, the files beside its own, and further arguments of `nvcc`.
type Program = (&'static str, &'static [&'static str], &'static [&'static str]);

const PROGRAMS: &[Program] = &[
    ("vector_add", &[], &[]),
    ("templates", &[], &["--extended-lambda"]),
    ("memory", &[], &[]),
    ("textures", &[], &[]),
    ("streams", &[], &[]),
    ("graphs", &[], &[]),
    ("cooperative", &[], &[]),
    ("managed", &[], &[]),
    ("occupancy", &[], &[]),
    ("clusters", &[], &[]),
    ("threads", &[], &["--default-stream", "per-thread"]),
    ("errors", &[], &[]),
    ("separate", &["separate_part"], &["-rdc=true"]),
    ("with_driver", &[], &["-lcuda"]),
];

/// Those that the headers of CUDA 12 compile, with a compiler of CUDA 13.
const PROGRAMS_12: &[&str] = &[
    "vector_add",
    "templates",
    "memory",
    "textures",
    "streams",
    "managed",
    "occupancy",
    "threads",
    "errors",
];

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for &program in &testing::sample("programs of the CUDA runtime", PROGRAMS.to_vec(), 4) {
        let run = move || {
            passes(13, program);
            Ok(())
        };
        trials.push(Trial::test(program.0, run).with_ignored_flag(!has_compiler(13)));
    }
    for &name in &testing::sample("programs of the runtime of CUDA 12", PROGRAMS_12.to_vec(), 1) {
        let program = *PROGRAMS.iter().find(|program| program.0 == name).expect("one of the programs");
        let run = move || {
            passes(12, program);
            Ok(())
        };
        trials.push(Trial::test(format!("{name} of CUDA 12"), run).with_ignored_flag(!has_compiler(12)));
    }
    // Its headers take the compiler long.
    if testing::takes("algorithms of Thrust and CUB") {
        let run = || {
            passes(13, ("algorithms", &[], &["--extended-lambda"]));
            Ok(())
        };
        trials.push(Trial::test("algorithms", run).with_ignored_flag(!has_compiler(13)));
    }
    for version in [12, 13] {
        let symbols = move || {
            names(version);
            Ok(())
        };
        let title = format!("the names and their versions are those of NVIDIA's library of CUDA {version}");
        trials.push(Trial::test(title, symbols).with_ignored_flag(!has_compiler(version)));
        let structures = move || {
            layouts(version);
            Ok(())
        };
        let title = format!("the structures and errors are those of the headers of CUDA {version}");
        trials.push(Trial::test(title, structures).with_ignored_flag(!has_compiler(version)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn oracle() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.oracle")
}

/// The folder of NVIDIA's runtime of a version.
fn runtime(version: u32) -> PathBuf {
    oracle().join("python/nvidia").join(if version == 12 { "cuda_runtime" } else { "cu13" })
}

fn nvcc() -> PathBuf {
    oracle().join("bin/nvcc")
}

fn has_compiler(version: u32) -> bool {
    nvcc().exists() && runtime(version).join("include/cuda_runtime.h").exists()
}

/// A folder with the driver, and the library under the names that programs are linked with and look for. They are built first: Cargo builds them for
/// no test.
fn libraries(version: u32) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let built = testing::built(&["ptx-cuda", "ptx-cudart-12", "ptx-cudart-13"], &[]);
        let folder = tempfile::tempdir().unwrap();
        for version in [12, 13] {
            let own = folder.path().join(version.to_string());
            std::fs::create_dir(&own).unwrap();
            let runtime = format!("libcudart{version}.so");
            let soname = format!("libcudart.so.{version}");
            let links = [
                ("libcuda.so", "libcuda.so"),
                ("libcuda.so", "libcuda.so.1"),
                (&runtime, "libcudart.so"),
                (&runtime, &soname),
            ];
            for (file, name) in links {
                std::os::unix::fs::symlink(built.join(file), own.join(name)).unwrap();
            }
        }
        folder
    });
    folder.path().join(version.to_string())
}

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Compiles a program and runs it with two devices of 1 GiB each.
fn passes(version: u32, (name, others, arguments): Program) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cuda");
    let mut compiler = Command::new(nvcc());
    compiler.args(["-std=c++17", "-w", "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90"]);
    compiler.arg("-I").arg(runtime(version).join("include")).args(arguments);
    for source in [&[name], others].concat() {
        compiler.arg(sources.join(format!("{source}.cu")));
    }
    compiler.arg("-o").arg(&program).arg("-L").arg(libraries(version));
    text(&compiler.current_dir(folder.path()).output().unwrap());
    let mut command = Command::new(program);
    for (variable, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PTX_")) {
        command.env_remove(variable);
    }
    command.env("LD_LIBRARY_PATH", libraries(version)).env("PTX_EXEC_CACHE", "");
    command.env("PTX_CUDA_DEVICES", "2").env("PTX_CUDA_MEMORY", (1u64 << 30).to_string());
    assert_eq!(text(&command.output().unwrap()), "passed\n");
}

/// The symbols that a library exports, with their versions.
fn exported(library: &Path) -> Vec<String> {
    let symbols = text(&Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().unwrap());
    let names = symbols.lines().filter_map(|line| line.split_whitespace().nth(2));
    let mut names: Vec<String> = names.filter(|name| name.contains("cuda")).map(str::to_owned).collect();
    names.sort();
    names
}

fn names(version: u32) {
    let own = exported(&libraries(version).join("libcudart.so"));
    let theirs = exported(&runtime(version).join("lib").join(format!("libcudart.so.{version}")));
    assert_eq!(own, theirs);
    let only = if version == 12 { Versions::Only12 } else { Versions::Only13 };
    let table = NAMES.iter().filter(|name| name.versions == Versions::Both || name.versions == only);
    let mut table: Vec<_> = table.map(|name| format!("{}@@libcudart.so.{version}", name.symbol)).collect();
    table.sort();
    table.extend([format!("libcudart.so.{version}@@libcudart.so.{version}")]);
    let own: Vec<_> = own.into_iter().filter(|name| !name.starts_with("libcudart")).collect();
    assert_eq!(own, table[..own.len()]);
}

/// Structures that have other fields in CUDA 12, which are not compared with its header: what they begin with is the same.
const OTHERWISE_IN_12: &[&str] = &["cudaKernelNodeParamsV2", "cudaFuncAttributes", "cudaMemcpyNodeParams"];

/// A program in C++ that compares what it is told with the headers, by static assertions.
fn layouts(version: u32) {
    use std::fmt::Write;

    let mut source = String::from("#include <cuda_runtime.h>\n#include <cuda.h>\n#include <cstddef>\n");
    let mut compare = |name: &str, size: usize, fields: &[(&str, usize)]| {
        writeln!(source, "static_assert(sizeof({name}) == {size}, \"{name}\");").unwrap();
        for (field, offset) in fields.iter().filter(|(field, _)| !field.is_empty()) {
            writeln!(source, "static_assert(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");")
                .unwrap();
        }
    };
    let structures = cudart::types::LAYOUTS.iter().filter(|(name, ..)| !name.is_empty());
    for (name, size, fields) in
        structures.filter(|(name, ..)| version == 13 || !OTHERWISE_IN_12.contains(name))
    {
        compare(name, *size, fields);
    }
    let properties = if version == 12 { Properties12::LAYOUT } else { Properties13::LAYOUT };
    compare("cudaDeviceProp", properties.0, properties.1);
    let only_13 = [10, 227, 917, 918, 919];
    for (number, name, _) in cudart::error::ERRORS {
        if version == 13 || !only_13.contains(number) {
            writeln!(source, "static_assert({} == {number}, \"\");", name.to_str().unwrap()).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("header.cpp");
    std::fs::write(&file, source).unwrap();
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++17", "-w", "-fsyntax-only", "-I"]).arg(runtime(version).join("include"));
    // What is the compiler's own is in the package of CUDA 13.
    text(&compiler.arg("-I").arg(runtime(13).join("include")).arg(&file).output().unwrap());
}

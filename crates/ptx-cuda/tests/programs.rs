//! Programs in C that are linked with the library, compiled with NVIDIA's `cuda.h`; skipped where that is missing. What they expect follows from
//! their kernels, which are a few lines each.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::OnceLock;

use cuda::table::{NAMES, Name, Subject};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let trial = |name, test: fn()| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(!has_header())
    };
    let trials = vec![
        trial("devices, contexts, modules, launches, streams and events", || passes("basics")),
        trial("kinds of memory, copies, pools and virtual memory", || passes("memory")),
        trial("graphs and capture", || passes("graphs")),
        trial("memory of graphs, freed by its graph and outside it", || passes("graph_memory")),
        trial("batches of copies, and operations that need connected devices", || passes("batches")),
        trial("arrays, textures, surfaces and tensor maps", || passes("textures")),
        trial("libraries, linking, fat binaries and attributes", || passes("libraries")),
        trial("threads, and the order of streams", || passes("threads")),
        trial("many launches and modules take no memory", endurance),
        trial("processes end while kernels run", leaving),
        trial("errors of kernels stay and are reported, and output is written in order", errors),
        trial("the structures, constants and names are those of the header", header),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.oracle/python/nvidia/cu13/include")
}

fn has_header() -> bool {
    let has_compiler =
        Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    has_compiler && include().join("cuda.h").exists()
}

/// A folder with the library under the names that programs are linked with and look for. It is built first: Cargo builds it for no test.
fn library() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let jit = cfg!(feature = "jit").then_some("ptx-cuda/jit");
        let features: Vec<&str> = jit.into_iter().collect();
        let built = testing::built(&["ptx-cuda"], &features).join("libcuda.so");
        let folder = tempfile::tempdir().unwrap();
        for name in ["libcuda.so", "libcuda.so.1"] {
            std::os::unix::fs::symlink(&built, folder.path().join(name)).unwrap();
        }
        folder
    });
    folder.path()
}

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    out.into_owned()
}

fn compile(folder: &Path, source: &Path) -> PathBuf {
    let program = folder.join("program");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let compiled = Command::new("cc")
        .args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-I")
        .arg(tests)
        .arg("-isystem")
        .arg(include())
        .arg("-L")
        .arg(library())
        .args(["-lcuda", "-lm"])
        .output()
        .unwrap();
    text(&compiled);
    program
}

/// Compiles a program and runs it with two devices of 1 GiB each.
fn run(name: &str) -> Output {
    run_with(name, &[], &[])
}

fn run_with(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/c/{name}.c"));
    let mut command = Command::new(compile(folder.path(), &source));
    for (variable, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PTX_")) {
        command.env_remove(variable);
    }
    command.env("LD_LIBRARY_PATH", library()).env("PTX_EXEC_CACHE", "");
    command.env("PTX_CUDA_DEVICES", "2").env("PTX_CUDA_MEMORY", (1u64 << 30).to_string());
    command.envs(environment.iter().copied()).args(arguments).output().unwrap()
}

fn passes(name: &str) {
    assert_eq!(text(&run(name)), "passed\n");
}

fn endurance() {
    let launches = testing::count("launches of one process", 1_000_000, 40_000);
    let modules = testing::count("modules of one process", 1000, 200);
    // LLVM would be loaded at some time, and each heap of the C library would keep what was freed in it.
    let environment = [("PTX_EXEC_ENGINE", "interp"), ("MALLOC_ARENA_MAX", "1")];
    let output = run_with("endurance", &[&launches.to_string(), &modules.to_string()], &environment);
    assert_eq!(text(&output), "passed\n");
}

fn leaving() {
    for engine in
        ["auto", "interp", "jit"].into_iter().filter(|engine| cfg!(feature = "jit") || *engine != "jit")
    {
        for way in ["return", "exit", "_exit"] {
            assert_eq!(
                text(&run_with("leaving", &[way], &[("PTX_EXEC_ENGINE", engine)])),
                "passed\n",
                "{way} {engine}"
            );
        }
    }
    assert_eq!(run_with("leaving", &["kill"], &[]).status.signal(), Some(9));
}

fn errors() {
    let output = run("errors");
    assert_eq!(text(&output), "before hello\nafter\npassed\n");
    let reports = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(reports.matches("error[").count(), 3, "{reports}");
    assert!(reports.contains("offset 4 of allocation 1, which has 4 bytes"), "{reports}");
}

/// A program in C that compares what it is told with the header, by static assertions.
fn header() {
    use std::fmt::Write;

    let mut source =
        String::from("#define __CUDA_API_VERSION_INTERNAL\n#include <cuda.h>\n#include <stddef.h>\n");
    for (name, size, fields) in cuda::types::LAYOUTS.iter().filter(|(name, ..)| !name.is_empty()) {
        writeln!(source, "_Static_assert(sizeof({name}) == {size}, \"{name}\");").unwrap();
        for (field, offset) in fields.iter().filter(|(field, _)| !field.is_empty()) {
            writeln!(source, "_Static_assert(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");")
                .unwrap();
        }
    }
    for (result, name, _) in cuda::error::RESULTS {
        writeln!(source, "_Static_assert({} == {}, \"\");", name.to_str().unwrap(), result.0).unwrap();
    }
    let in_header = |name: &&Name| name.subject != Subject::Profiler;
    for name in NAMES.iter().filter(in_header) {
        writeln!(source, "void *at_{0} = (void *)&{0};", name.symbol).unwrap();
    }
    source += "int main(void) { return 0; }\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("header.c");
    std::fs::write(&file, source).unwrap();
    let program = compile(folder.path(), &file);
    text(&Command::new(program).env("LD_LIBRARY_PATH", library()).output().unwrap());

    // No name of the header is missing.
    let preprocessed =
        Command::new("cc").args(["-E", "-P", "-I"]).arg(include()).arg(&file).output().unwrap();
    let preprocessed = text(&preprocessed);
    let declarations = preprocessed.split("void *at_").next().unwrap();
    let mut names: Vec<&str> = declarations
        .split("CUresult ")
        .skip(1)
        .filter_map(|rest| rest.split_once('('))
        .map(|(name, _)| name.trim())
        .filter(|name| {
            name.starts_with("cu") && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 600);
    let known: std::collections::HashSet<&str> = NAMES.iter().map(|name| name.symbol).collect();
    let missing: Vec<_> = names.iter().filter(|name| !known.contains(**name)).collect();
    assert!(missing.is_empty(), "{missing:?}");

    // The versions are those of the types of pointers to the functions.
    let typedefs = std::fs::read_to_string(include().join("cudaTypedefs.h")).unwrap();
    for name in NAMES.iter().filter(in_header) {
        let suffix = if name.symbol.ends_with("_ptsz") {
            "_ptsz"
        } else if name.symbol.ends_with("_ptds") {
            "_ptds"
        } else {
            ""
        };
        let typedef = format!("*PFN_{}_v{}{suffix})", name.base(), name.since);
        assert!(typedefs.contains(&typedef), "{typedef}");
    }
}

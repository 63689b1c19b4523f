//! Programs in C and Python that use the library: those of docs/runtime.md, and one that calls every function. They are counted as
//! skipped where there is no compiler or interpreter.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::OnceLock;

use libtest_mimic::{Arguments, Trial};

/// The folder with the library, which is built first: Cargo builds it for no test.
fn library() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let llvm = cfg!(feature = "llvm").then_some("ptx-exec-c/llvm");
    let jit = cfg!(feature = "jit").then_some("ptx-exec-c/jit");
    let features: Vec<&str> = llvm.into_iter().chain(jit).collect();
    FOLDER.get_or_init(|| testing::built(&["ptx-exec-c"], &features))
}

fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn main() -> ExitCode {
    let trial = |name, program, test: fn()| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(!exists(program))
    };
    let trials = vec![
        trial("the programs in C of the documentation print what is documented", "cc", programs_in_c),
        trial(
            "the program in Python of the documentation prints what is documented",
            "python3",
            program_in_python,
        ),
        trial("every function is called", "cc", every_function),
        trial("devices, modules and streams are used from C", "cc", devices),
        trial("textures, tensor maps and multimem addresses are used from C", "cc", objects),
        trial("what a driver needs is used from C", "cc", driver),
        trial("graphs, boxes and ordered streams are used from C", "cc", graphs),
        trial("ptx_run writes its errors to standard error", "cc", reported),
        trial("the header is valid in C++", "c++", header_in_cpp),
        trial("a program is compiled with the flags of pkg-config", "pkg-config", with_pkg_config),
        trial("a program is built with CMake", "cmake", with_cmake),
        trial("kernels are compiled and cached by default, and check accesses", "cc", compiled),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The blocks of docs/runtime.md in a language.
fn blocks(language: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/runtime.md");
    let page = std::fs::read_to_string(page).unwrap();
    let start = format!("```{language}\n");
    page.split(&start).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn text(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Compiles a program in C against the shared library and runs it, without a cache of kernels.
fn run_c(source: &str) -> String {
    run_c_with(source, &[("PTX_EXEC_CACHE", "")])
}

/// Compiles a program in C against the shared library, in a folder that is removed at the end.
fn compiled_c(source: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (file, program) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&file, source).unwrap();
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "-o"])
        .arg(&program)
        .arg(&file)
        .arg("-I")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("include"))
        .arg("-I")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"))
        .args(cfg!(feature = "llvm").then_some("-DWITH_LLVM"))
        .arg("-L")
        .arg(library())
        .arg("-lptx_exec")
        .arg(format!("-Wl,-rpath,{}", library().display()))
        .output()
        .unwrap();
    text(&compiled);
    (folder, program)
}

/// Compiles a program in C against the shared library and runs it with these variables of the environment.
fn run_c_with(source: &str, variables: &[(&str, &str)]) -> String {
    let (_folder, program) = compiled_c(source);
    let names = ["PTX_EXEC_ENGINE", "PTX_EXEC_CHECK", "PTX_EXEC_INTERPRETED_FIRST", "PTX_EXEC_CACHE"];
    let mut command = Command::new(&program);
    for name in names {
        command.env_remove(name);
    }
    text(&command.envs(variables.iter().copied()).output().unwrap())
}

/// Addresses differ from run to run.
fn without_addresses(text: &str) -> String {
    let words = text
        .split(' ')
        .map(|word| if word.starts_with("0x7") || word.starts_with("0x5") { "ADDRESS" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

fn programs_in_c() {
    let (programs, printed) = (blocks("c"), blocks("text"));
    assert_eq!(programs.len(), 2);
    for (program, printed) in programs.iter().zip(&printed) {
        assert_eq!(without_addresses(&run_c(program)), *printed);
    }
}

/// The first program of the page, whose kernel is compiled before its launch: `auto` needs no variable, `interp` compiles nothing.
fn compiled() {
    let (program, printed) = (&blocks("c")[0], &blocks("text")[0]);
    let at_once = ("PTX_EXEC_INTERPRETED_FIRST", "1");
    let kernels = |variables: &[(&str, &str)]| {
        let home = tempfile::tempdir().unwrap();
        let caches = home.path().to_str().unwrap();
        let found = run_c_with(program, &[&[at_once, ("XDG_CACHE_HOME", caches)], variables].concat());
        assert_eq!(without_addresses(&found), *printed);
        std::fs::read_dir(home.path().join("ptx-llvm")).map_or(0, Iterator::count)
    };
    // One for each of the two shapes of blocks, and what the cache knows about itself.
    assert_eq!(kernels(&[]) >= 2, cfg!(feature = "jit"));
    for variable in [("PTX_EXEC_ENGINE", "interp"), ("PTX_EXEC_CACHE", "")] {
        assert_eq!(kernels(&[variable]), 0, "{variable:?}");
    }
}

/// The library installed in a folder that is removed at the end. It is moved once, to show that nothing names the folder.
fn installed() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (first, moved) = (folder.path().join("first"), folder.path().join("moved"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/install-libptx-exec");
    text(&Command::new(script).arg(&first).arg(library()).output().unwrap());
    std::fs::rename(&first, &moved).unwrap();
    (folder, moved)
}

/// The first program of the page, with the shared and with the static library.
fn with_pkg_config() {
    let (folder, prefix) = installed();
    let (file, program) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&file, &blocks("c")[0]).unwrap();
    for options in ["--cflags --libs", "--cflags --libs --static"] {
        let flags = Command::new("pkg-config")
            .args(options.split(' '))
            .arg("ptx_exec")
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
            .output()
            .unwrap();
        if options.ends_with("--static") {
            std::fs::remove_file(prefix.join("lib/libptx_exec.so")).unwrap();
        }
        let mut compiler = Command::new("cc");
        compiler.arg("-o").arg(&program).arg(&file).args(text(&flags).split_whitespace());
        text(&compiler.output().unwrap());
        let run = Command::new(&program)
            .env("LD_LIBRARY_PATH", prefix.join("lib"))
            .env("PTX_EXEC_CACHE", "")
            .output()
            .unwrap();
        assert_eq!(without_addresses(&text(&run)), blocks("text")[0], "{options}");
    }
}

/// The first program of the page.
fn with_cmake() {
    let (folder, prefix) = installed();
    std::fs::write(folder.path().join("program.c"), &blocks("c")[0]).unwrap();
    let project = "cmake_minimum_required(VERSION 3.13)
project(program C)
find_package(ptx_exec 0.1 REQUIRED)
foreach(kind ptx_exec static)
    add_executable(program_${kind} program.c)
    target_link_libraries(program_${kind} ptx_exec::${kind})
endforeach()
";
    std::fs::write(folder.path().join("CMakeLists.txt"), project).unwrap();
    let build = folder.path().join("build");
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(folder.path()).arg("-B").arg(&build);
    text(&configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())).output().unwrap());
    text(&Command::new("cmake").arg("--build").arg(&build).output().unwrap());
    for program in ["program_ptx_exec", "program_static"] {
        let run = Command::new(build.join(program)).env("PTX_EXEC_CACHE", "").output().unwrap();
        assert_eq!(without_addresses(&text(&run)), blocks("text")[0], "{program}");
    }
}

fn program_in_python() {
    let library = library().join("libptx_exec.so");
    let run = Command::new("python3")
        .args(["-c", &blocks("python")[0]])
        .env("PTX_EXEC_LIBRARY", library)
        .env("PTX_EXEC_CACHE", "")
        .output()
        .unwrap();
    assert_eq!(text(&run), blocks("text")[2]);
}

const PROGRAMS: [&str; 4] = [
    include_str!("devices.c"),
    include_str!("objects.c"),
    include_str!("driver.c"),
    include_str!("graphs.c"),
];

fn every_function() {
    let header = include_str!("../include/ptx_exec.h");
    for name in header.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let call = format!("{name}(");
        let is_function = name.starts_with("ptx_") && header.contains(&call);
        assert!(
            !is_function || PROGRAMS.iter().any(|program| program.contains(&call)),
            "{name} is not called"
        );
    }
}

fn devices() {
    assert_eq!(run_c(PROGRAMS[0]), "ok\n");
}

fn objects() {
    assert_eq!(run_c(PROGRAMS[1]), "ok\n");
}

fn graphs() {
    assert_eq!(run_c(PROGRAMS[3]), "ok\n");
}

fn driver() {
    assert_eq!(run_c(PROGRAMS[2]), "ok\n");
}

/// The error of a run is on standard error, unless it is silenced.
fn reported() {
    let program = "
        #include \"ptx_exec.h\"
        int main(void) {
            ptx_run(\".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k() { trap; }\", 0, 0, 1, 1, 1, 1, 1, 1, 0);
            return 0;
        }";
    let (folder, program) = compiled_c(program);
    let run = |variables: &[(&str, &str)]| {
        let output = Command::new(&program).envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    let expected = "ptx_run: ptx:4:23: error[X0202]: the thread executed `trap`; `trap` in kernel k, block (0, 0, 0), thread (0, 0, 0)\n";
    assert_eq!(run(&[]), expected);
    assert_eq!(run(&[("PTX_EXEC_REPORT", "none")]), "");
    drop(folder);
}

fn header_in_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("header.cpp");
    std::fs::write(&file, "#include \"ptx_exec.h\"\nint main() { return 0; }\n").unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let mut compiler = Command::new("c++");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"]).arg(include).arg(&file);
    text(&compiler.output().unwrap());
}

//! `ptx-cuda ptxas`, and the tool by the name `ptxas`.

use std::fs;
use std::path::Path;

use crate::common::{TWICE, compile, run, succeeded, texts, tool};

/// Assembles a file with these options; gives the status, standard output and standard error.
fn ptxas(folder: &Path, options: &[&str]) -> (Option<i32>, String, String) {
    let output = tool(folder).current_dir(folder).arg("ptxas").args(options).output().unwrap();
    let (out, err) = texts(&output);
    (output.status.code(), out, err)
}

fn folder_with(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    folder
}

#[test]
fn what_is_assembled_is_loaded_by_the_driver() {
    let folder = folder_with("k.ptx", TWICE);
    let at = folder.path();
    let (status, out, err) =
        ptxas(at, &["-lineinfo", "--fmad=false", "-v", "-O3", "--gpu-name=sm_90a", "k.ptx", "-o", "k.cubin"]);
    assert_eq!((status, out.as_str()), (Some(0), ""), "{err}");
    assert_eq!(
        err,
        "ptxas info    : 0 bytes gmem\n\
         ptxas info    : Compiling entry function 'twice' for 'sm_90a'\n\
         ptxas info    : Function properties for twice\n    \
         0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
         ptxas info    : Used 8 registers\n"
    );
    let program = compile(at, "launch", "cuda");
    let output = run(at, &["--arch", "90a"], program, &[at.join("k.cubin").to_str().unwrap()]);
    let out = succeeded(&output);
    assert!(out.starts_with("1 devices of 9.0, ") && out.ends_with(": 2 4 6 8\n"), "{out}");
}

#[test]
fn errors_have_the_form_and_the_status_of_ptxas() {
    let wrong = TWICE
        .replace("add.u32 %n1, %n1, %n1", "add.u33 %n1, %n1, %n1")
        .replace("st.global.u32 [%a1]", "st.global.u32 [%b]");
    let folder = folder_with("k.ptx", &wrong);
    let (status, _, err) = ptxas(folder.path(), &["-arch=sm_80", "k.ptx", "-o", "k.cubin"]);
    assert_eq!(status, Some(255));
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 3, "{err}");
    assert!(lines[0].starts_with("ptxas k.ptx, line 12; error   : "), "{err}");
    assert!(lines[1].starts_with("ptxas k.ptx, line 13; error   : ") && lines[1].contains("%b"), "{err}");
    assert_eq!(lines[2], "ptxas fatal   : Ptx assembly aborted due to errors");
    assert!(!folder.path().join("k.cubin").exists());
}

#[test]
fn a_failed_run_leaves_the_old_output() {
    let folder = folder_with("k.ptx", "not PTX");
    let out = folder.path().join("k.cubin");
    fs::write(&out, "old").unwrap();
    assert_eq!(ptxas(folder.path(), &["k.ptx", "-o", "k.cubin"]).0, Some(255));
    assert_eq!(fs::read(&out).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn architectures_decide_what_is_accepted() {
    let folder = folder_with("k.ptx", &TWICE.replace("sm_80", "sm_90a"));
    let at = folder.path();
    for (arch, accepted) in [("sm_90a", true), ("sm_90", false), ("sm_80", false), ("sm_100a", false)] {
        let (status, _, err) = ptxas(at, &["-arch", arch, "k.ptx"]);
        assert_eq!(status, Some(if accepted { 0 } else { 255 }), "{arch}: {err}");
    }
    assert!(at.join("elf.o").exists());
    // A virtual architecture is for checking alone.
    let other = folder_with("k.ptx", TWICE);
    assert_eq!(ptxas(other.path(), &["-arch=compute_90", "k.ptx", "-o", "none"]).0, Some(0));
    assert!(!other.path().join("none").exists());
}

#[test]
fn a_later_version_is_refused_with_the_latest_one() {
    let folder = folder_with("k.ptx", &format!("\n{}", TWICE.replace("8.0", "99.9")));
    let (status, _, err) = ptxas(folder.path(), &["-arch=sm_80", "k.ptx"]);
    assert_eq!(status, Some(255));
    // As ptxas 13.5 says it; JAX reads the version.
    let first = "ptxas k.ptx, line 2; fatal   : Unsupported .version 99.9; current version is '9.5'";
    assert_eq!(err, format!("{first}\nptxas fatal   : Ptx assembly aborted due to errors\n"));
}

#[test]
fn functions_of_other_modules_are_left_to_the_linker() {
    let caller = TWICE
        .replace(".visible .entry", ".extern .func elsewhere();\n.visible .entry")
        .replace("ret;", "call elsewhere; ret;");
    let folder = folder_with("k.ptx", &caller);
    let at = folder.path();
    let (status, _, err) = ptxas(at, &["-arch=sm_80", "k.ptx"]);
    assert_eq!(status, Some(255));
    assert!(err.contains("line 15; error   : function `elsewhere`"), "{err}");
    assert_eq!(ptxas(at, &["-arch=sm_80", "-c", "k.ptx"]).0, Some(0));
    // Several files are linked.
    let callee = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func elsewhere() { ret; }\n";
    fs::write(at.join("callee.ptx"), callee).unwrap();
    assert_eq!(ptxas(at, &["-arch=sm_80", "k.ptx", "callee.ptx"]).0, Some(0));
}

#[test]
fn registers_are_limited_and_spills_are_estimated() {
    use std::fmt::Write as _;

    let mut body = String::new();
    for number in 0..60 {
        writeln!(body, "ld.volatile.global.u32 %r{number}, [%a1+{}];", 4 * number).unwrap();
    }
    for number in 0..60 {
        writeln!(body, "st.volatile.global.u32 [%a1+{}], %r{number};", 4 * (60 - number)).unwrap();
    }
    let text =
        TWICE.replace(".reg .b32 %n<2>;", ".reg .b32 %n<2>, %r<60>;").replace("ret;", &format!("{body}ret;"));
    let folder = folder_with("k.ptx", &text);
    let at = folder.path();
    let (status, _, err) = ptxas(at, &["-arch=sm_80", "-v", "-warn-spills", "-maxrregcount=32", "k.ptx"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(err.contains("ptxas info    : Used 32 registers, 360 bytes cmem[0]\n"), "{err}");
    assert!(
        err.contains("ptxas warning : Registers are spilled to local memory in function 'twice', "),
        "{err}"
    );
    let (status, _, err) =
        ptxas(at, &["-arch=sm_80", "-warn-spills", "-maxrregcount=32", "-Werror", "k.ptx", "-o", "strict"]);
    assert_eq!(status, Some(255), "{err}");
    assert!(err.contains("ptxas error   : Registers are spilled") && !at.join("strict").exists(), "{err}");
    // The driver reports the limit, too.
    let simple = folder_with("k.ptx", &text);
    assert_eq!(
        ptxas(simple.path(), &["-arch=sm_80", "-maxrregcount=24", "k.ptx", "-o", "k.cubin"]).0,
        Some(0)
    );
    let program = compile(simple.path(), "launch", "cuda");
    let image = simple.path().join("k.cubin");
    // The kernel reads past the end of the program's memory, which is an error here.
    let output = run(simple.path(), &["--bounds", "gpu"], program, &[image.to_str().unwrap()]);
    assert!(succeeded(&output).contains(", 24 registers: "), "{output:?}");
}

#[test]
fn wrong_options_and_files_are_named() {
    let folder = folder_with("k.ptx", TWICE);
    let at = folder.path();
    fs::write(at.join("k.cubin"), b"\x7fELF\x02\x01\x01\0").unwrap();
    for (options, message) in [
        (&["-nope", "k.ptx"][..], "ptxas fatal   : Unknown option 'nope'\n"),
        (&["-arch=sm_81", "k.ptx"], "ptxas fatal   : Value 'sm_81' is not defined for option 'gpu-name'\n"),
        (&["-arch=sm_80", "none.ptx"], "Input file 'none.ptx' could not be opened"),
        (&["-arch=sm_80", "k.cubin"], "Input file 'k.cubin' is not PTX"),
        (&["-arch=sm_80", "k.ptx", "-o", "none/k.cubin"], "Output file 'none/k.cubin' could not be opened"),
        (&["-arch=sm_80", "k.ptx", "-e", "none"], "ptxas fatal   : Unknown function none\n"),
        (&["-arch=sm_80", "k.ptx", "-optf", "none"], "Options file 'none' could not be opened"),
        (&["-arch=sm_80", "k.ptx", "-maxntid", "32"], "'maxntid' is not supported by this stand-in"),
    ] {
        let (status, out, err) = ptxas(at, options);
        assert_eq!((status, out.as_str()), (Some(255), ""), "{options:?}");
        assert!(err.contains(message), "{options:?}: {err}");
    }
    fs::write(at.join("options"), "-arch=sm_80 -o 'a b'").unwrap();
    assert_eq!(ptxas(at, &["-optf", "options", "k.ptx"]).0, Some(0));
    assert!(at.join("a b").exists());
    assert_eq!(ptxas(at, &["@options", "k.ptx"]).0, Some(0));
    // A file of options that names itself ends.
    fs::write(at.join("loop"), "-optf loop").unwrap();
    assert_eq!(ptxas(at, &["-optf", "loop", "k.ptx"]).0, Some(255));
}

#[test]
fn command_lines_of_programs() {
    let folder = folder_with("k.ptx", TWICE);
    for line in [
        // Triton 3.9
        "-lineinfo -suppress-debug-info -v --opt-level 0 --regAllocOptLevel=2 --gpu-name=sm_90a k.ptx -o out",
        // JAX (XLA)
        "k.ptx -o out -arch=sm_80 --warn-on-spills -v -O0",
        // CUDA.jl
        "--generate-line-info --compile-only --verbose --gpu-name sm_90 --output-file out k.ptx",
        // nvcc
        "-m64 --gpu-name sm_80 k.ptx -o out",
    ] {
        let options: Vec<&str> = line.split(' ').collect();
        let (status, _, err) = ptxas(folder.path(), &options);
        assert_eq!(status, Some(0), "{line}: {err}");
        assert!(!err.contains("warning"), "{line}: {err}");
        fs::remove_file(folder.path().join("out")).unwrap();
    }
}

#[test]
fn the_version_is_what_programs_search_for() {
    let folder = tempfile::tempdir().unwrap();
    let (status, out, _) = ptxas(folder.path(), &["--version"]);
    assert_eq!(status, Some(0));
    // Triton: `release (\d+\.\d+)`; JAX and Julia: `V(\d+)\.(\d+)\.(\d+)`.
    let release = out.split("release ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    assert!(release.split('.').all(|part| part.parse::<u32>().is_ok()), "{out}");
    let version = out.split(" V").nth(1).unwrap().trim();
    assert!(version.starts_with(release) && version.split('.').count() == 3, "{out}");
    assert!(out.contains("stand-in"), "{out}");
    let (_, architectures, _) = ptxas(folder.path(), &["--list-arch"]);
    assert!(
        architectures.lines().any(|line| line == "90a") && !architectures.contains("70"),
        "{architectures}"
    );
}

#[test]
fn the_tool_is_ptxas_by_that_name() {
    let folder = folder_with("k.ptx", TWICE);
    let at = folder.path();
    let output = run(
        at,
        &[],
        "sh",
        &[
            "-c",
            "command -v ptxas && ptxas --version && ptxas -arch=sm_80 - -o /dev/null < \"$0\"",
            at.join("k.ptx").to_str().unwrap(),
        ],
    );
    let out = succeeded(&output);
    assert!(out.contains("/bin/ptxas\n") && out.contains("stand-in"), "{out}");
}

//! The contract of ptx2ll, from outside: streams, files, exit status, findings.

use std::fs;

use assert_cmd::Command;

const KERNEL: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    add.s32 %r2, %r1, 1;
    st.global.u32 [%rd1], %r2;
    ret;
}
";

/// Two wrong lines, 6 and 7.
const WRONG: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
    frobnicate.u32 %r1;
    add.u33 %r2, %r1, 1;
    ret;
}
";

fn ptx2ll(arguments: &[&str], input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut command = Command::cargo_bin("ptx2ll").expect("built with the tests");
    let output = command.args(arguments).write_stdin(input).output().expect("runs");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code().expect("not killed"), output.stdout, err)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

#[cfg(unix)]
#[test]
fn limit_on_the_size_of_files_is_an_error_and_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let variables: String = (0..3000).map(|number| format!(".visible .global .u32 v{number};\n")).collect();
    let input = folder.path().join("in.ptx");
    fs::write(&input, format!(".version 8.0\n.target sm_80\n.address_size 64\n{variables}"))
        .expect("written");
    let program = assert_cmd::cargo::cargo_bin("ptx2ll");
    for emit in ["ll", "ptx"] {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -f 8; exec \"$0\" --emit=$1 -o out in.ptx"]).arg(&program).arg(emit);
        let output = command.current_dir(folder.path()).output().expect("runs");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write `out`"), "{output:?}");
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "no temporary file is left");
    }
}

#[test]
fn llvm_ir_goes_to_standard_output() {
    let (status, out, err) = ptx2ll(&[], KERNEL.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    let out = text(out);
    assert!(out.contains("define ptx_kernel void @k(") && out.contains("nvptx64-nvidia-cuda"), "{out}");
}

#[test]
fn bitcode_goes_to_a_pipe_and_llvm_reads_it() {
    let (status, out, _) = ptx2ll(&["--emit=bc", "-O2"], KERNEL.as_bytes());
    assert_eq!(status, 0);
    assert!(out.starts_with(b"BC\xc0\xde"));
}

#[test]
fn ptx_is_printed_back_and_again_the_same() {
    let (status, once, err) = ptx2ll(&["--emit=ptx", "-"], KERNEL.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    let (status, twice, _) = ptx2ll(&["--emit=ptx"], &once);
    assert_eq!(status, 0);
    let once = text(once);
    assert!(once.contains("st.global.u32") && once.contains(".target sm_80"), "{once}");
    assert_eq!(once, text(twice));
}

#[test]
fn instructions_are_explained() {
    let (status, out, err) = ptx2ll(&["--explain", "bfind"], b"");
    assert_eq!((status, err.as_str()), (0, ""));
    let out = text(out);
    assert!(out.contains("bfind{.shiftamt}.type  d, a") && out.contains("manual 9.7.1.16"), "{out}");
    let (status, out, err) = ptx2ll(&["--explain", "bfimd"], b"");
    assert_eq!((status, out.len()), (2, 0));
    assert!(err.contains("`bfimd`") && err.contains("did you mean `bfind`?"), "{err}");
    let (status, out, err) = ptx2ll(&["--explain", "bfind.f32"], b"");
    assert_eq!((status, out.len()), (2, 0));
    assert!(err.contains("`bfind` has no type `.f32`") && err.contains("write `bfind.s32` (or "), "{err}");
}

#[test]
fn directives_special_registers_and_modifiers_are_explained() {
    for (word, part) in [
        (".maxntid", "The most threads of a block"),
        ("%laneid", "Lane within the warp"),
        ("%tid.x", "with the components `.x`"),
        (".ftz", "Subnormal inputs and results are zeros"),
        (".acquire", "`atom`, `barrier`, `fence`, `ld`"),
        (".u32", "unsigned integer of 32 bits"),
    ] {
        let (status, out, err) = ptx2ll(&["--explain", word], b"");
        assert!(status == 0 && err.is_empty() && text(out).contains(part), "{word}: {err}");
    }
    for (word, near) in [
        (".maxnted", "`.maxntid`"),
        ("%lanid", "`%laneid`"),
        ("laneid", "`%laneid`"),
        ("reqntid", "`.reqntid`"),
        (".fzt", "`.ftz`"),
        ("%zzzzzz", "`%laneid`"),
    ] {
        let (status, out, err) = ptx2ll(&["--explain", word], b"");
        assert!(status == 2 && out.is_empty() && err.contains(near), "{word}: {err}");
    }
}

#[test]
fn codes_of_findings_are_explained() {
    let (status, out, err) = ptx2ll(&["--explain", "V0501"], b"");
    assert_eq!((status, err.as_str()), (0, ""));
    let out = text(out);
    assert!(out.starts_with("V0501: Modifiers that cannot be combined.\n\nWrong:\n\n    "), "{out}");
    assert!(out.contains("\n\nRight:\n\n    "), "{out}");
    let (status, out, err) = ptx2ll(&["--explain", "V9999"], b"");
    assert_eq!((status, out.len()), (2, 0));
    assert!(err.contains("no diagnostic has the code `V9999`"), "{err}");
}

/// Codes are declared by `codes!` alone, which lists them; those that the sources mention are all there is to explain.
#[test]
fn every_code_in_the_sources_is_explained() {
    let workspace = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<_> = ["crates", "tools"].map(|folder| workspace.join(folder)).into();
    let mut codes = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("tests") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = fs::read_to_string(&path).unwrap();
                let declared = source.split("Code = Code(\"").skip(1).filter_map(|rest| rest.get(..5));
                codes.extend(declared.filter(|code| !code.starts_with('Z')).map(str::to_owned));
            }
        }
    }
    assert!(codes.len() > 100, "{codes:?}");
    for code in &codes {
        assert_eq!(codes.iter().filter(|other| *other == code).count(), 1, "{code} is declared twice");
        let (status, out, err) = ptx2ll(&["--explain", code], b"");
        assert_eq!((status, err.as_str()), (0, ""), "{code}");
        assert!(text(out).len() > "V0501: .\n".len(), "{code}");
    }
}

#[test]
fn emit_none_only_checks() {
    let (status, out, err) = ptx2ll(&["--emit=none"], KERNEL.as_bytes());
    assert_eq!((status, out.len(), err.as_str()), (0, 0, ""));
    let (status, out, _) = ptx2ll(&["--emit=none"], WRONG.as_bytes());
    assert_eq!((status, out.len()), (1, 0));
}

#[test]
fn output_file_is_replaced_whole_and_only_on_success() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("k.ll");
    let name = path.to_str().expect("UTF-8");
    fs::write(&path, "precious").expect("writable");
    let (status, _, _) = ptx2ll(&["-o", name], WRONG.as_bytes());
    assert_eq!(status, 1);
    assert_eq!(fs::read_to_string(&path).expect("there"), "precious");
    let (status, out, _) = ptx2ll(&["-o", name], KERNEL.as_bytes());
    assert_eq!((status, out.len()), (0, 0));
    assert!(fs::read_to_string(&path).expect("there").contains("define ptx_kernel"));
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "no temporary file is left");
}

#[test]
fn all_errors_come_at_once_in_json_with_seven_keys() {
    let (status, _, err) = ptx2ll(&["--error-format=json"], WRONG.as_bytes());
    assert_eq!(status, 1);
    let lines: Vec<&str> = err.lines().collect();
    assert!(lines.len() >= 2, "{err}");
    for line in &lines {
        let mut rest = *line;
        for key in [
            "{\"file\":",
            ",\"line\":",
            ",\"column\":",
            ",\"severity\":",
            ",\"code\":",
            ",\"message\":",
            ",\"help\":",
        ] {
            let at = rest.find(key).unwrap_or_else(|| panic!("{key} is missing or out of order in {line}"));
            rest = &rest[at + key.len()..];
        }
        assert!(line.ends_with('}'));
    }
    for number in [6, 7] {
        assert!(
            lines.iter().any(|line| line.contains(&format!("\"line\":{number},"))),
            "line {number}: {err}"
        );
    }
}

#[test]
fn short_and_human_findings_name_file_line_and_column() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("wrong.ptx");
    fs::write(&path, WRONG).expect("writable");
    let name = path.to_str().expect("UTF-8");
    let (status, _, err) = ptx2ll(&["--error-format=short", name], b"");
    assert_eq!(status, 1);
    assert!(err.starts_with(&format!("{name}:6:5: error[P")), "{err}");
    let (status, _, err) = ptx2ll(&[name], b"");
    assert_eq!(status, 1);
    assert!(
        err.contains(&format!("--> {name}:6:5\n")) && err.contains("6 |     frobnicate.u32 %r1;"),
        "{err}"
    );
    assert!(!err.contains('\x1b'), "no colour in a pipe");
    let (_, _, err) = ptx2ll(&["--color=always", name], b"");
    assert!(err.contains('\x1b'));
}

#[test]
fn findings_name_functions_as_their_source_does() {
    let twice =
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry _Z1ki() { ret; }\n.entry _Z1ki() { ret; }\n";
    for format in ["short", "human"] {
        let (status, _, err) = ptx2ll(&[&format!("--error-format={format}")], twice.as_bytes());
        assert_eq!(status, 1);
        assert!(err.contains("function `k(int)` is already defined"), "{err}");
    }
    assert!(ptx2ll(&[], twice.as_bytes()).2.contains("| .entry _Z1ki()"), "the source is as it is");
    let (_, _, err) = ptx2ll(&["--error-format=json"], twice.as_bytes());
    assert!(
        err.contains("function `_Z1ki` is already defined"),
        "programs get the names of the input: {err}"
    );
}

#[test]
fn bad_inputs_are_rejected_and_not_crashed_on() {
    let nested = format!(".version 8.0\n.target sm_80\n.global .u32 x = {}1;\n", "(".repeat(10_000));
    let inputs: [&[u8]; 6] =
        [b"", b"\xff\xfe\x00\x01garbage", b".version 8.0", b"{", nested.as_bytes(), b"BC\xc0\xde"];
    for input in inputs {
        let (status, out, err) = ptx2ll(&["--error-format=short"], input);
        assert_eq!((status, out.len()), (1, 0), "{err}");
        assert!(err.contains("error["), "{err}");
    }
}

#[test]
fn target_and_version_replace_the_modules_own() {
    let arguments = ["--emit=ptx", "--target", "sm_90", "--ptx-version", "8.3"];
    let (status, out, _) = ptx2ll(&arguments, KERNEL.as_bytes());
    assert_eq!(status, 0);
    let out = text(out);
    assert!(out.contains(".version 8.3") && out.contains(".target sm_90") && !out.contains("sm_80"), "{out}");
}

#[test]
fn passes_and_levels_reach_the_pipeline() {
    let (status, out, _) = ptx2ll(&["--passes=strip-dead-prototypes", "-O1", "-S"], KERNEL.as_bytes());
    assert_eq!(status, 0);
    assert!(text(out).contains("define"));
    let (status, out, err) = ptx2ll(&["--passes=frobnicate"], KERNEL.as_bytes());
    assert_eq!((status, out.len()), (2, 0));
    assert!(err.contains("O0001"), "{err}");
}

#[test]
fn passes_are_listed_dumped_and_timed() {
    let (status, out, _) = ptx2ll(&["--print-passes"], b"");
    let out = text(out);
    assert!(status == 0 && out.contains("\n  ptx-count-first (function pass;"), "{out}");
    assert!(out.contains("ptx-point-branches<back>") && out.contains("opt --print-passes"), "{out}");
    let nested = "--passes=function(sroa,ptx-count-first,gvn)";
    let dumped = |options: &[&str]| {
        let (status, out, err) = ptx2ll(&[options, &[nested]].concat(), KERNEL.as_bytes());
        assert!(status == 0 && text(out).contains("define"), "{err}");
        let heads = err.lines().filter(|line| line.contains("***")).map(str::to_owned);
        (heads.collect::<Vec<_>>(), err)
    };
    let after_all = [
        "; *** IR Dump After function(sroa) ***",
        "; *** IR Dump After ptx-count-first ***",
        "; *** IR Dump After function(gvn) ***",
    ];
    assert_eq!(dumped(&[]).0.len(), 0);
    assert_eq!(dumped(&["--print-after-all"]).0, after_all);
    let (heads, err) = dumped(&["--print-after=gvn", "--print-before=ptx-count-first"]);
    assert_eq!(heads, ["; *** IR Dump Before ptx-count-first ***", after_all[2]]);
    assert_eq!(err.matches("define ").count(), 2, "{err}");
    let (heads, _) = dumped(&["--print-after=licm"]);
    assert_eq!(heads, ["; *** No IR Dump: no pass that ran is named licm ***"]);
    let (_, err) = dumped(&["--time-passes"]);
    assert!(err.contains("%  ptx-count-first\n") && err.contains("in all"), "{err}");
    let (_, err) = dumped(&["--print-after-all", "--time-passes", "--error-format=json"]);
    assert!(err.lines().all(|line| line.starts_with('{')) && err.contains("T0011"), "{err}");
}

#[test]
fn own_passes_stand_where_they_can_run() {
    for (passes, message) in [
        ("function(ptx-strip-hints)", "runs on modules"),
        ("cgscc(inline,function(ptx-count-first))", "not in `cgscc(..)`"),
        ("ptx-point-branches<forward>", "has no parameter `forward`"),
    ] {
        let (status, out, err) = ptx2ll(&["--passes", passes], KERNEL.as_bytes());
        assert_eq!((status, out.len()), (2, 0), "{passes}");
        assert!(err.contains("O0001") && err.contains(message), "{passes}: {err}");
    }
}

#[test]
fn wrong_usage_is_status_2() {
    let wrong: [&[&str]; 5] =
        [&["--frob"], &["--emit=asm"], &["-O9"], &["--emit=ptx", "-O2"], &["-S", "--emit=bc"]];
    for arguments in wrong {
        let (status, out, err) = ptx2ll(arguments, KERNEL.as_bytes());
        assert_eq!((status, out.len()), (2, 0), "{arguments:?}");
        assert!(!err.is_empty());
    }
}

#[test]
fn unreadable_input_and_unwritable_output_are_status_1() {
    let (status, _, err) = ptx2ll(&["/nonexistent.ptx"], b"");
    assert_eq!(status, 1);
    assert!(err.contains("T0001"), "{err}");
    let (status, _, err) = ptx2ll(&["--emit=ptx", "-o", "/nonexistent-folder/out"], KERNEL.as_bytes());
    assert_eq!(status, 1);
    assert!(err.contains("T0003"), "{err}");
}

#[test]
fn help_version_and_completions_are_there() {
    let (status, out, _) = ptx2ll(&["--help"], b"");
    let out = text(out);
    assert!(status == 0 && out.contains("Examples:") && out.contains("Exit status:"), "{out}");
    let (status, out, _) = ptx2ll(&["--version"], b"");
    let out = text(out);
    let lines: Vec<&str> = out.lines().collect();
    let [tool, llvm, ptx] = lines[..] else { panic!("{out}") };
    let commit = tool.strip_prefix(concat!("ptx2ll ", env!("CARGO_PKG_VERSION"))).expect("the version");
    let commit = commit.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    // Outside of a checkout of git there is none.
    assert!(
        commit.is_none_or(|commit| commit.len() == 12 && u64::from_str_radix(commit, 16).is_ok()),
        "{tool}"
    );
    assert!(status == 0 && llvm.starts_with("LLVM 22."), "{llvm}");
    assert_eq!(ptx, "PTX 9.5, sm_121");
    let (status, out, _) = ptx2ll(&["--completions", "bash"], b"");
    assert!(status == 0 && text(out).contains("complete"));
}

#[test]
fn options_of_llc_are_understood() {
    let (status, out, err) = ptx2ll(&["-S", "-mcpu=sm_90", "-mattr=+ptx88", "-"], KERNEL.as_bytes());
    let out = text(out);
    assert!(status == 0 && out.contains("\"target-cpu\"=\"sm_90\"") && out.contains("+ptx88"), "{err}{out}");
    let (status, _, err) = ptx2ll(&["-mcpu=sm_9"], KERNEL.as_bytes());
    assert!(status == 2 && err.contains("unknown architecture"), "{err}");
}

#[test]
fn cuda_sources_are_recognized() {
    for input in [
        "#include <cuda_runtime.h>\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n",
        "extern \"C\" __global__ void k() {}\n",
    ] {
        let (status, out, err) = ptx2ll(&[], input.as_bytes());
        assert_eq!((status, out.len()), (1, 0), "{err}");
        for part in ["error[P0008]", "nvcc --ptx", "clang++ -x cuda --cuda-device-only", "1 error\n"] {
            assert!(err.contains(part), "{part}: {err}");
        }
    }
}

/// With LD_DEBUG the dynamic loader prints every library that it loads.
#[cfg(all(target_os = "linux", target_env = "gnu", not(feature = "static")))]
#[test]
fn llvm_is_loaded_for_llvm_ir_alone() {
    let loads_llvm = |emit: &str| {
        let mut command = Command::cargo_bin("ptx2ll").expect("built with the tests");
        let output = command.env("LD_DEBUG", "files").arg(emit).write_stdin(KERNEL).output().expect("runs");
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && log.contains("libc.so"), "{log}");
        log.contains("libLLVM")
    };
    assert_eq!(["--emit=none", "--emit=ptx", "--emit=ll"].map(loads_llvm), [false, false, true]);
}

#[test]
fn several_inputs_are_linked_and_findings_name_their_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!(".version 8.0\n.target sm_80\n.address_size 64\n{text}")).expect("writable");
        path.display().to_string()
    };
    let one = file("one.ptx", ".extern .func f();\n.visible .entry k()\n{\ncall.uni f, ();\nret;\n}\n");
    let two = file("two.ptx", ".visible .func f() { trap; ret; }\n");
    let (status, out, err) = ptx2ll(&[&one, &two], b"");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(text(out).contains("define void @f()"));

    let again = file("again.ptx", "\n.visible .func f() { ret; }\n");
    let (status, out, err) = ptx2ll(&["--error-format=short", &one, &two, &again], b"");
    assert_eq!((status, out), (1, Vec::new()));
    let wanted = format!("{again}:5:16: error[K0001]: `f` is defined twice (first defined at {two}:4:16)");
    assert!(err.contains(&wanted), "{err}");

    let wrong = file("wrong.ptx", "\n\n.visible .func g() { frobnicate; }\n");
    let (status, _, err) = ptx2ll(&["--error-format=short", &one, &two, &wrong], b"");
    assert_eq!(status, 1);
    assert!(err.contains(&format!("{wrong}:6:")), "{err}");
}

#[test]
fn bitcode_is_linked_in_as_far_as_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join("library.ll");
    fs::write(&library, "define void @f() {\n  ret void\n}\ndefine void @g() {\n  ret void\n}\n")
        .expect("writable");
    let library = library.display().to_string();
    let program = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func f();\n.visible .entry k()\n{\ncall.uni f, ();\nret;\n}\n";
    let (status, out, err) = ptx2ll(&["--link-bitcode", &library], program.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    let out = text(out);
    assert!(out.contains("define internal void @f()") && !out.contains("@g"), "{out}");

    let defined = program.replace(".extern .func f();", ".visible .func f() { ret; }");
    let arguments = ["--error-format=short", "--link-bitcode", &library];
    let (status, out, err) = ptx2ll(&arguments, defined.as_bytes());
    assert_eq!((status, out), (1, Vec::new()));
    assert!(err.starts_with("<stdin>:4:16: error[I0006]: `f` is defined here and in"), "{err}");

    let (status, _, _) = ptx2ll(&["--emit=none", "--link-bitcode", &library], program.as_bytes());
    assert_eq!(status, 2);
}

#[test]
fn input_that_is_llvm_ir_is_said_to_be() {
    for (input, said) in [
        (&b"; ModuleID = 'm'\ndefine void @f() {\n  ret void\n}\n"[..], "the input is LLVM IR, not PTX"),
        (b"BC\xc0\xde5\x14\0\0", "the input is bitcode of LLVM IR, not PTX"),
    ] {
        let (status, out, err) = ptx2ll(&[], input);
        assert!(status == 1 && out.is_empty(), "{err}");
        assert!(err.contains("error[I0008]") && err.contains(said) && err.contains("ll2ptx"), "{err}");
    }
}

/// A new folder with these files.
fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, content).expect("writable");
    }
    folder
}

fn in_folder(folder: &std::path::Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ptx2ll").expect("built with the tests");
    let output = command.current_dir(folder).args(arguments).output().expect("runs");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), err)
}

#[test]
fn suffix_of_the_output_chooses_what_is_written() {
    let folder = folder_with(&[("k.ptx", KERNEL)]);
    let content = |arguments: &[&str], name: &str| {
        let (status, out, err) = in_folder(folder.path(), arguments);
        assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""), "{arguments:?}");
        fs::read(folder.path().join(name)).expect("written")
    };
    assert!(content(&["k.ptx", "-o", "a.bc"], "a.bc").starts_with(b"BC\xc0\xde"));
    assert!(content(&["k.ptx", "-o", "a.ptx"], "a.ptx").starts_with(b".version 8.0"));
    assert!(content(&["k.ptx", "-o", "a.ll"], "a.ll").starts_with(b"; ModuleID"));
    assert!(content(&["k.ptx", "-o", "a.txt"], "a.txt").starts_with(b"; ModuleID"));
    assert!(content(&["k.ptx", "--emit=ll", "-o", "b.bc"], "b.bc").starts_with(b"; ModuleID"));
    assert!(content(&["k.ptx", "-S", "-o", "c.bc"], "c.bc").starts_with(b"; ModuleID"));
}

#[test]
fn folders_are_translated_file_by_file_and_go_on_after_a_wrong_one() {
    let folder = folder_with(&[
        ("in/a.ptx", KERNEL),
        ("in/deep/b.ptx", KERNEL),
        ("in/wrong.ptx", WRONG),
        ("in/notes.txt", "no PTX"),
        ("empty/notes.txt", ""),
    ]);
    let (status, out, err) = in_folder(folder.path(), &["in", "--output-dir", "out", "--error-format=short"]);
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    assert!(
        err.contains("in/wrong.ptx:6:5: error[P0301]")
            && err.ends_with("1 of 3 files were rejected: in/wrong.ptx\n"),
        "{err}"
    );
    for made in ["out/a.ll", "out/deep/b.ll"] {
        assert!(fs::read_to_string(folder.path().join(made)).expect("written").contains("@k("), "{made}");
    }
    assert!(!folder.path().join("out/wrong.ll").exists());
    // Without a product folders need no place for it.
    let (status, _, err) = in_folder(folder.path(), &["in", "--emit=none", "--error-format=short"]);
    assert!(status == 1 && err.contains("1 of 3 files were rejected"), "{err}");
    for (arguments, part) in [
        (&["in"][..], "`in` is a folder"),
        (&["empty", "--output-dir", "out"], "`empty` contains no .ptx file"),
        (&["in/a.ptx", "in/deep/../a.ptx", "--output-dir", "out"], "would both become `out/a.ll`"),
        (&["in", "--output-dir", "out", "-o", "x"], "cannot be used with"),
    ] {
        let (status, out, err) = in_folder(folder.path(), arguments);
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
}

#[test]
fn every_line_is_json_when_json_is_asked_for() {
    let folder = folder_with(&[("k.ptx", KERNEL), ("wrong.ptx", WRONG), ("warned.ptx", WARNED)]);
    for arguments in [
        &["--frob"][..],
        &["--emit=asm"],
        &["--target", "sm_999"],
        &["-O9", "k.ptx"],
        &["--verbose", "k.ptx", "-o", "k.ll"],
        &["wrong.ptx"],
        &["nowhere.ptx"],
        &["warned.ptx", "-o", "warned.ll"],
        &["--explain", "V9999"],
        &["--explain", "fmaa"],
        &["wrong.ptx", "k.ptx", "--output-dir", "out"],
        &["k.ptx", "-o", "/dev/full"],
        &["k.ptx", "--passes=nope"],
        &["k.ptx", "--emit=ptx", "-O2"],
        &["k.ptx", "--passes=print,function(print<domtree>)", "-o", "k.ll"],
    ] {
        let (_, _, err) = in_folder(folder.path(), &[&["--error-format=json"], arguments].concat());
        assert!(!err.is_empty(), "{arguments:?}");
        for line in err.lines() {
            let object: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {line}"));
            assert_eq!(object.as_object().map(|object| object.len()), Some(7), "{line}");
        }
    }
}

#[test]
fn targets_are_those_there_are() {
    for (wrong, meant) in [("sm_123", "sm_121"), ("sm_85", "sm_86"), ("sm_91a", "sm_90a"), ("sm_79", "sm_80")]
    {
        let (status, _, err) = ptx2ll(&["--target", wrong], KERNEL.as_bytes());
        assert_eq!(status, 2);
        assert!(
            err.contains("'--target <TARGET>'") && err.contains(&format!("did you mean {meant}?")),
            "{err}"
        );
    }
    let (status, _, err) = ptx2ll(&["--target", "sm_999"], KERNEL.as_bytes());
    assert!(
        status == 2 && !err.contains("did you mean") && err.contains("--print-targets lists all"),
        "{err}"
    );
    let (status, _, err) = ptx2ll(&["--ptx-version", "99.9"], KERNEL.as_bytes());
    assert!(
        status == 2 && err.contains("'--ptx-version <X.Y>'") && err.contains("the newest is 9.5"),
        "{err}"
    );
    let (status, out, _) = ptx2ll(&["--print-targets"], b"");
    let out = text(out);
    assert!(status == 0 && out.contains("sm_90a   PTX 8.0\n") && out.lines().count() > 30, "{out}");
}

#[test]
fn the_instruction_table_is_printed_as_json() {
    let (status, out, _) = ptx2ll(&["--print-isa=json"], b"");
    let table: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    let rows = table["instructions"].as_array().expect("rows");
    assert_eq!((status, table["schema"].as_u64()), (0, Some(1)));
    assert_eq!(rows.len(), ptx_isa::all_forms().len());
    let (status, _, err) = ptx2ll(&["--print-isa=xml"], b"");
    assert!(status == 2 && err.contains("json"), "{err}");
}

#[test]
fn warnings_are_shown_hidden_or_errors() {
    let shown = ptx2ll(&["--emit=none"], WARNED.as_bytes());
    assert!(shown.0 == 0 && shown.2.contains("warning["), "{}", shown.2);
    let hidden = ptx2ll(&["--emit=none", "-w"], WARNED.as_bytes());
    assert_eq!((hidden.0, hidden.2.as_str()), (0, ""));
    let denied = ptx2ll(&["--emit=none", "-Werror"], WARNED.as_bytes());
    assert!(denied.0 == 1 && denied.2.contains("error[") && !denied.2.contains("warning["), "{}", denied.2);
    let both = ptx2ll(&["--emit=none", "-Werror", "-w"], WARNED.as_bytes());
    assert_eq!(both.0, 2);
}

/// A declaration without a name, which declares nothing.
const WARNED: &str =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32;\n.visible .entry k() { ret; }\n";

#[test]
fn small_code_can_be_asked_for() {
    for level in ["-Os", "-Oz"] {
        let (status, out, err) = ptx2ll(&[level], KERNEL.as_bytes());
        assert_eq!((status, err.as_str()), (0, ""), "{level}");
        assert!(text(out).contains("define ptx_kernel void @k("));
    }
}

#[test]
fn listing_without_hints_has_no_metadata_of_ours_and_means_the_same() {
    let kernel = KERNEL
        .replace(
            "    st.global.u32",
            "    setp.eq.s32 %p1, %r1, 0;\n    @%p1 bra $L__BB0_2;\n    st.global.cs.u32",
        )
        .replace("    ret;", "$L__BB0_2:\n    ret;")
        .replace("    .reg .b64", "    .reg .pred %p<2>;\n    .reg .b64");
    let (_, full, _) = ptx2ll(&[], kernel.as_bytes());
    let full = text(full);
    assert!(
        full.contains("!ptx.version") && full.contains("!ptx.mods") && full.contains("\"$L__BB0_2\":"),
        "{full}"
    );
    let (status, plain, err) = ptx2ll(&["--no-hints"], kernel.as_bytes());
    let plain = text(plain);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(!plain.contains("!ptx.") && !plain.contains('!'), "{plain}");
    assert!(plain.contains("\nL__BB0_2:") && plain.contains("store i32"), "{plain}");
    let (status, _, err) = ptx2ll(&["--no-hints", "--emit=bc"], kernel.as_bytes());
    assert!(status == 2 && err.contains("--no-hints"), "{err}");
}

#[test]
fn listing_without_hints_indexes_elements() {
    let kernel = KERNEL.replace("b64 %rd<2>", "b64 %rd<4>").replace(
        "    st.global.u32 [%rd1], %r2;",
        "    mul.wide.u32 %rd2, %r1, 4;\n    add.s64 %rd3, %rd1, %rd2;\n    st.global.u32 [%rd3], %r2;",
    );
    for level in ["-O0", "-O2"] {
        let (_, full, _) = ptx2ll(&[level], kernel.as_bytes());
        let full = text(full);
        assert!(full.contains("%rd3 = getelementptr i8, ptr addrspace(1) %p, i64 %rd2"), "{full}");
        let (status, plain, err) = ptx2ll(&[level, "--no-hints"], kernel.as_bytes());
        let plain = text(plain);
        assert_eq!((status, err.as_str()), (0, ""));
        assert!(
            plain.contains("%rd3 = getelementptr i32, ptr addrspace(1) %p, i64 ") && !plain.contains("%rd2"),
            "{plain}"
        );
    }
}

#[test]
fn file_over_the_limit_is_refused_before_it_is_read() {
    let folder = folder_with(&[]);
    let file = fs::File::create(folder.path().join("big.ptx")).expect("writable");
    file.set_len(5 << 30).expect("a sparse file");
    let start = std::time::Instant::now();
    let (status, _, err) = in_folder(folder.path(), &["big.ptx"]);
    assert!(status == 1 && err.contains("`big.ptx` is larger than 4 GiB"), "{err}");
    assert!(start.elapsed().as_secs() < 60, "it was read");
}

/// The limit on the size of files simulates a full disk.
#[cfg(unix)]
#[test]
fn output_that_does_not_fit_is_said_by_its_name_and_leaves_nothing() {
    let folder = folder_with(&[("k.ptx", KERNEL)]);
    let program = assert_cmd::cargo::cargo_bin("ptx2ll");
    let script = format!("trap '' XFSZ; ulimit -f 0; exec '{}' k.ptx -o k.ll", program.display());
    let output = std::process::Command::new("bash")
        .current_dir(folder.path())
        .args(["-c", &script])
        .output()
        .expect("runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("cannot write `k.ll`: File too large") && !err.contains(".ptx-"), "{err}");
    let left: Vec<_> =
        fs::read_dir(folder.path()).expect("there").map(|entry| entry.expect("there").file_name()).collect();
    assert_eq!(left, ["k.ptx"]);
}

#[test]
fn encodings_are_named() {
    let utf16: Vec<u8> = KERNEL.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (status, _, err) = ptx2ll(&[], &utf16);
    assert!(status == 1 && err.contains("UTF-16") && err.contains("1 error"), "{err}");
    let (status, _, err) = ptx2ll(&[], format!("\u{feff}{KERNEL}").as_bytes());
    assert!(status == 1 && err.contains("byte order mark") && err.contains("1 error"), "{err}");
}

/// A loop of `n` additions of what is loaded, each at an address of its own.
const LOOP: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry sum(.param .u64 p, .param .u32 n, .param .f32 x, .param .align 4 .b8 s[8])
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    ld.param.f32 %f2, [x];
    mov.u32 %r2, 0;
    mov.f32 %f1, 0f00000000;
again:
    xor.b32 %r3, %r2, 5;
    mad.lo.u32 %r4, %r3, %r2, %r1;
    mul.wide.u32 %rd2, %r4, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.volatile.global.f32 %f3, [%rd3];
    fma.rn.f32 %f1, %f1, %f2, %f3;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra again;
    st.global.f32 [%rd1], %f1;
    ret;
}
";

#[test]
fn a_launch_file_says_what_is_assumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |text: &str| {
        let path = folder.path().join("k.json");
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let path = file(
        r#"{"entry": "sum", "block": [64], "grid": [2, 3], "args": ["in=a.bin", "i32=-2", "f32=0.1", "hex=0000000000000000"], "print": ["0:f32:1"]}"#,
    );
    let (status, from_file, err) = ptx2ll(&["--emit=ptx", "--assume-launch", &path], LOOP.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    // The parameter is unsigned, and a number in single precision is not 0.1.
    let text = "block=64 grid=2,3 arg1=4294967294 arg2=0.10000000149011612";
    let (_, from_text, _) = ptx2ll(&["--emit=ptx", "--assume", text], LOOP.as_bytes());
    assert_eq!(String::from_utf8_lossy(&from_file), String::from_utf8_lossy(&from_text));
    // Named arguments are the same, as `ptxrun --template` writes them.
    let path = file(
        r#"{"entry": "sum", "block": [64], "grid": [2, 3], "args": ["in=a.bin", {"name": "n", "value": "i32=-2"}, {"value": "f32=0.1"}, "hex=0000000000000000"]}"#,
    );
    let (_, named, _) = ptx2ll(&["--emit=ptx", "--assume-launch", &path], LOOP.as_bytes());
    assert_eq!(String::from_utf8_lossy(&named), String::from_utf8_lossy(&from_text));
    let wrong = [
        ("{", "EOF"),
        (r#"{"block": [0]}"#, "`block`: expected up to three numbers from 1"),
        (r#"{"block": [1], "block": [2]}"#, "duplicate field `block`"),
        (r#"{"entry": "other", "block": [1]}"#, "other"),
        (r#"{"args": ["in=a.bin"]}"#, "nothing is assumed"),
    ];
    for (text, message) in wrong {
        let (status, out, err) = ptx2ll(&["--emit=ptx", "--assume-launch", &file(text)], LOOP.as_bytes());
        assert_eq!((status, out.as_slice()), (2, b"".as_slice()), "{text}: {err}");
        assert!(err.contains(message) && err.contains("k.json"), "{text}: {err}");
    }
    let (status, _, err) = ptx2ll(&["--emit=none", "--assume-launch", &path], LOOP.as_bytes());
    assert!(status == 2 && err.contains("no effect"), "{err}");
}

/// A loop of `n` rounds, each of ten products with what is loaded from addresses that only depend on the round.
fn rounds() -> String {
    let product = |at: i32| {
        format!(
            "    add.u32 %r4, %r3, {at};\n    mul.wide.u32 %rd2, %r4, 4;\n    add.u64 %rd3, %rd1, %rd2;\n    ld.global.f32 %f3, [%rd3];\n    fma.rn.f32 %f1, %f1, %f2, %f3;\n"
        )
    };
    let products: String = (0..10).map(|at| product(7 * at * at + 1)).collect();
    let (before, rest) = LOOP.split_once("    xor.b32").expect("the loop");
    let (_, after) = rest.split_once("    add.u32 %r2, %r2, 1;").expect("the counter");
    format!(
        "{before}    mul.lo.u32 %r3, %r2, %r2;\n    mul.lo.u32 %r3, %r3, 1000;\n{products}    add.u32 %r2, %r2, 1;{after}"
    )
}

#[test]
fn kernels_that_become_too_long_are_told() {
    let kernel = rounds();
    let loads = |out: &[u8]| String::from_utf8_lossy(out).matches("load float").count();
    for (assumed, message) in [
        ("arg1=10", "loops of `sum_"),
        ("block=64 arg1=10", "no argument is assumed in `sum_"),
        ("arg1=10 arg2=1.5", "arg1 is not assumed in `sum_"),
    ] {
        let (status, out, err) = ptx2ll(&["-O3", "--assume", assumed], kernel.as_bytes());
        assert_eq!(status, 0, "{err}");
        assert!(err.contains("O0003") && err.contains(message), "{assumed}: {err}");
        assert!(err.contains("it is for launches with"), "{err}");
        assert_eq!(loads(&out), 20, "{assumed}");
    }
    let (status, out, err) = ptx2ll(&["-O3", "--assume", "block=64 arg1=3"], kernel.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(loads(&out), 40, "unrolled");
}

#[test]
fn counters_are_added_to_ptx_and_to_llvm_ir() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\nld.param.u64 %a, [p];\nst.global.u32 [%a], 7;\nret;\n}\n";
    fs::write(folder.path().join("k.ptx"), kernel).expect("writable");
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("ptx2ll").expect("built with the tests");
        let output = command.current_dir(folder.path()).arg("k.ptx").args(arguments).output().expect("runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, out, err) = run(&["--instrument=accesses", "--emit=ptx"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let counter = "\tred.global.add.u64 \t[__ptx_counters], 1;\n\tst.global.u32 \t[%a], 7;\n";
    assert!(out.contains(counter) && out.matches("red.").count() == 1, "{out}");
    // The text of the place, in numbers: `k`, a tab, `k.ptx:8`.
    assert!(out.contains("{107, 9, 107, 46, 112, 116, 120, 58, 56, 9, 115"), "{out}");
    let (status, out, _) = run(&["--instrument=instructions", "-O2"]);
    assert_eq!((status, out.matches("atomicrmw add").count()), (Some(0), 3), "{out}");
    for (arguments, expected) in [
        (
            &["--instrument=barriers", "--emit=ptx"][..],
            "--instrument: the module has no function with such an instruction",
        ),
        (&["--instrument=blocks", "--emit=none"], "no effect with --emit=none"),
        (&["--instrument=blocks", "--target=host", "-o", "k.o"], "--instrument is for a GPU"),
        (&["--instrument=threads"], "threads"),
    ] {
        let (status, out, err) = run(arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
}

//! The contract of ll2ptx, from outside: streams, files, exit status, findings.

use std::fs;

use assert_cmd::Command;

const MODULE: &str = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @store(ptr addrspace(1) %p) #0 {
  store i32 7, ptr addrspace(1) %p, align 4
  ret void
}
attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
"#;

fn ll2ptx(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ll2ptx").expect("built with the tests");
    let output = command.args(arguments).write_stdin(input).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

#[test]
fn native_emitter_translates_standard_input_for_the_modules_own_target() {
    let (status, out, err) = ll2ptx(&[], MODULE.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    for part in [".version 8.0", ".target sm_80", ".entry store(", "st.global"] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn native_emitter_takes_target_version_and_level() {
    let (status, out, err) =
        ll2ptx(&["-S", "-O2", "--target=sm_90a", "--ptx-version=8.3"], MODULE.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains(".target sm_90a") && out.contains(".version 8.3"), "{out}");
}

#[test]
fn output_that_the_chosen_target_does_not_have_is_an_error() {
    // .maxclusterrank needs PTX 7.8 (manual 11.4.8), redux.sync needs sm_80 (manual 9.7.13.10).
    let text = r#"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
define ptx_kernel void @k(ptr addrspace(1) %p, i32 %x) #0 {
  %sum = call i32 @llvm.nvvm.redux.sync.add(i32 %x, i32 -1)
  store i32 %sum, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "target-cpu"="sm_90" "target-features"="+ptx80" "nvvm.maxclusterrank"="8" }
"#;
    let (status, out, err) = ll2ptx(&[], text.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("redux.sync.add") && out.contains(".maxclusterrank 8"), "{out}");
    for (choice, needed) in [(["--ptx-version", "7.0"], "7.8"), (["--target", "sm_70"], "needs sm_")] {
        let (status, out, err) = ll2ptx(&[choice[0], choice[1], "--error-format=short"], text.as_bytes());
        assert_eq!((status, out.as_str()), (1, ""));
        assert!(err.contains(needed), "{err}");
    }
}

#[test]
fn output_file_gets_what_standard_output_would() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (folder.path().join("m.ll"), folder.path().join("m.ptx"));
    fs::write(&input, MODULE).expect("writable");
    let name = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
    let (status, out, _) = ll2ptx(&[&name(&input), "-o", &name(&output)], b"");
    assert_eq!((status, out.as_str()), (0, ""));
    let (_, out, _) = ll2ptx(&[], MODULE.as_bytes());
    assert_eq!(fs::read_to_string(&output).expect("there"), out);
}

#[test]
fn llvms_backend_translates_standard_input() {
    let (status, out, err) = ll2ptx(&["--engine=llvm"], MODULE.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains(".target sm_80") && out.contains("st.global.b32"), "{out}");
}

#[test]
fn target_and_version_can_be_chosen() {
    let (status, out, _) =
        ll2ptx(&["--engine=llvm", "--target", "sm_90a", "--ptx-version", "8.3", "-"], MODULE.as_bytes());
    assert_eq!(status, 0);
    assert!(out.contains(".target sm_90a") && out.contains(".version 8.3"), "{out}");
}

#[test]
fn bad_input_is_status_1_and_leaves_the_output_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("out.ptx");
    fs::write(&path, "precious").expect("writable");
    let (status, out, err) = ll2ptx(&["-o", path.to_str().expect("UTF-8")], b"define nonsense");
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(err.starts_with("error[I0001]") && err.ends_with("1 error\n"), "{err}");
    assert_eq!(fs::read_to_string(&path).expect("there"), "precious");
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "no temporary file is left");
}

#[test]
fn json_findings_have_the_place() {
    let (status, _, err) = ll2ptx(&["--error-format=json"], b"define void @f() {\n  frob\n}\n");
    assert_eq!(status, 1);
    assert!(
        err.starts_with(r#"{"file":"<stdin>","line":2,"column":3,"severity":"error","code":"I0001","#),
        "{err}"
    );
    assert_eq!(err.lines().count(), 1);
}

#[test]
fn what_passes_print_is_a_note_where_each_line_is_json() {
    let passes = ["--passes=print,function(print<domtree>)", "--error-format=json"];
    let fails = "define ptx_kernel void @k(ptr %p, double %x) {
  %y = call double @llvm.sin.f64(double %x)
  store double %y, ptr %p
  ret void
}
declare double @llvm.sin.f64(double)
";
    for (engine, module, codes) in [
        ("--engine=native", MODULE, &["T0011"][..]),
        // LLVM ends the process here.
        ("--engine=llvm", fails, &["T0011", "T0005"]),
    ] {
        let (_, _, err) = ll2ptx(&[&passes[..], &[engine]].concat(), module.as_bytes());
        let objects: Vec<serde_json::Value> = err
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect();
        let found: Vec<_> = objects.iter().filter_map(|object| object["code"].as_str()).collect();
        assert_eq!(found, codes, "{err}");
        let message = objects[0]["message"].as_str().expect("text");
        assert!(message.contains("target triple") && message.contains("DominatorTree"), "{message}");
        assert_eq!(objects[0]["severity"], "note");
    }
    let (_, _, err) = ll2ptx(&passes[..1], MODULE.as_bytes());
    assert!(err.starts_with("; ModuleID"), "as LLVM prints it: {err}");
}

#[test]
fn wrong_pass_text_is_wrong_usage() {
    let (status, out, err) = ll2ptx(&["--engine=llvm", "--passes=frobnicate"], MODULE.as_bytes());
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("O0001") && err.contains("frobnicate"), "{err}");
}

#[test]
fn module_llvm_refuses_is_status_1() {
    let text = b"define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x\n}\n";
    let (status, _, err) = ll2ptx(&["--error-format=short"], text);
    assert_eq!(status, 1);
    assert!(err.starts_with("<stdin>: error[I0003]: "), "{err}");
}

#[test]
fn module_for_another_target_is_status_1() {
    let text = b"target triple = \"x86_64-linux-gnu\"\n";
    let (status, _, err) = ll2ptx(&["--error-format=short"], text);
    assert_eq!(status, 1);
    assert!(err.contains("error[I0004]") && err.contains("x86_64-linux-gnu"), "{err}");
}

#[test]
fn module_for_32_bits_has_addresses_of_32_bits() {
    let text = b"target triple = \"nvptx-nvidia-cuda\"\ndefine ptx_kernel void @k(ptr %p) {\n  ret void\n}\n";
    let (status, out, err) = ll2ptx(&["--error-format=short"], text);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains(".address_size 32") && out.contains(".param .u32"), "{out}");
    let (status, out, err) = ll2ptx(&["--error-format=short", "--engine=llvm"], text);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains(".address_size 32") && out.contains(".param .u32"), "{out}");
}

#[test]
fn module_of_which_the_layout_alone_is_for_32_bits_is_widened_with_a_warning() {
    let text = b"target datalayout = \"e-p:32:32\"\ntarget triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @k(ptr %p) {\n  ret void\n}\n";
    let (status, out, err) = ll2ptx(&["--error-format=short"], text);
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("warning[I0007]"), "{err}");
    assert!(out.contains(".address_size 64") && out.contains(".param .u64"), "{out}");
}

#[test]
fn module_of_32_bits_without_a_triple_is_told_with_the_option_that_widens_it() {
    let text = b"target datalayout = \"e-p:32:32\"\ndefine ptx_kernel void @k(ptr %p) {\n  ret void\n}\n";
    let (status, out, err) = ll2ptx(&["--error-format=json"], text);
    assert!(status == 0 && out.contains(".address_size 32"), "{err}");
    assert!(err.contains("\"I0009\"") && err.contains("--triple=nvptx64-nvidia-cuda"), "{err}");
    for option in ["--triple=nvptx64-nvidia-cuda", "-mtriple=nvptx64-nvidia-cuda"] {
        let (status, out, err) = ll2ptx(&[option], text);
        assert!(status == 0 && err.is_empty() && out.contains(".address_size 64"), "{option}: {err}");
    }
    let (status, out, err) = ll2ptx(&["--triple=nvptx-nvidia-cuda"], text);
    assert!(status == 0 && err.is_empty() && out.contains(".address_size 32"), "{err}");
    let (status, _, err) = ll2ptx(&["--triple=x86_64-linux-gnu"], text);
    assert!(status == 2 && err.contains("as in nvptx64-nvidia-cuda"), "{err}");
}

#[test]
fn options_of_llc_are_understood() {
    let (status, out, err) =
        ll2ptx(&["-S", "-O2", "-mcpu=sm_90", "-mattr=+ptx88", "-filetype=asm", "-"], MODULE.as_bytes());
    assert!(status == 0 && out.contains(".version 8.8\n.target sm_90\n"), "{err}");
    let (status, out, err) = ll2ptx(&["-mcpu", "sm_90", "-filetype", "null"], MODULE.as_bytes());
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    for (option, part) in [
        ("-filetype=obj", "ptxas -arch="),
        ("-filetype=elf", "expected asm or null"),
        ("-mcpu=sm_999", "unknown architecture"),
        ("-mattr=+sm_90", "-mcpu= has the architecture"),
        ("-mattr=+ptx999", "unknown version"),
    ] {
        let (status, out, err) = ll2ptx(&[option], MODULE.as_bytes());
        assert!(status == 2 && out.is_empty() && err.contains(part), "{option}: {err}");
    }
}

#[test]
fn cluster_bounds_that_the_target_has_no_use_for_are_left_out_with_a_warning() {
    let text = b"define ptx_kernel void @k() \"nvvm.maxclusterrank\"=\"8\" {\n  ret void\n}\n";
    let (status, out, err) = ll2ptx(&["--target=sm_80", "--error-format=short"], text);
    assert!(status == 0 && err.contains("warning[R0111]") && !out.contains("clusterrank"), "{err}");
    let (status, out, err) = ll2ptx(&["--target=sm_90", "--error-format=short"], text);
    assert!(status == 0 && err.is_empty() && out.contains(".maxclusterrank 8"), "{err}");
}

#[test]
fn fatal_error_of_llvm_is_a_finding_and_not_a_crash() {
    // A GPU has no thread-local storage; the backend ends with a fatal error.
    let text = b"target triple = \"nvptx64-nvidia-cuda\"\n@a = thread_local global i32 0\ndefine ptr @f() {\n  %p = call ptr @llvm.threadlocal.address.p0(ptr @a)\n  ret ptr %p\n}\ndeclare ptr @llvm.threadlocal.address.p0(ptr)\n";
    let (status, out, err) = ll2ptx(&["--engine=llvm", "--error-format=short"], text);
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("error[T0005]: fatal error in LLVM: "), "{err}");
}

/// The messages of LLVM's backend for modules that it rejects have the input's name, and no parts that differ between runs.
#[test]
fn what_llvms_backend_refuses_is_said_of_the_input() {
    let body = |text: &str| format!("define void @f(ptr %p, i128 %q, i32 %n) {{\n{text}\nret void\n}}\n");
    let (old, new) = (&["--target", "sm_50", "--ptx-version", "6.0"][..], &["--target", "sm_80"][..]);
    for (arguments, text, said) in [
        (&["--target", "sm_107a"][..], String::new(), "error[I0004]: LLVM 22 has no processor `sm_107a`"),
        (&["--ptx-version", "9.5"], String::new(), "error[I0004]: LLVM 22 has no PTX version 9.5"),
        (new, body("call void asm sideeffect \"foo $0\", \"x\"(i32 %n)"), "error[G0001]: LLVM: unknown asm constraint 'x'"),
        (new, body("call void asm sideeffect \"foo $0\", \"{eax}\"(i32 %n)"), "input reg for constraint '{eax}'"),
        (new, body("%r = atomicrmw add ptr %p, i128 %q seq_cst"), "error[G0001]: LLVM: unsupported cmpxchg"),
        (old, body("%a = alloca i32, i32 %n\nstore volatile i32 1, ptr %a"), "error[G0001]: LLVM: in function f"),
        (new, body("%x = load <vscale x 4 x i32>, ptr %p\nstore <vscale x 4 x i32> %x, ptr %p"), "error[T0005]"),
        (new, "@s = addrspace(3) global i32 5\n".to_owned(), "initial value of 's' is not allowed"),
        (new, "@t = global ptr @t\n".to_owned(), "Circular dependency found in global variable set"),
        (new, "@\"a b\" = global i32 0\n".to_owned(), "Symbol name with unsupported characters"),
        (old, "@v = global i32 1\n@w = alias i32, ptr @v\n".to_owned(), ".alias requires PTX version >= 6.3"),
        (new, "declare double @llvm.sin.f64(double)\ndefine double @f(double %x) {\n%r = call double @llvm.sin.f64(double %x)\nret double %r\n}\n".to_owned(), "Cannot select: t1: f64 = fsin t2"),
    ] {
        let arguments = [&["--engine=llvm", "--error-format=short"], arguments].concat();
        let (status, out, err) = ll2ptx(&arguments, text.as_bytes());
        assert_eq!((status, out.as_str()), (1, ""), "{text}: {err}");
        assert!(err.starts_with("<stdin>: error[") && err.contains(said) && !err.contains("<unknown>"), "{err}");
    }
}

#[test]
fn input_that_is_something_else_is_said_to_be() {
    for (input, said) in [
        (&b".version 8.0\n.target sm_80\n"[..], "the input is PTX, not LLVM IR"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "the input is an ELF file, not LLVM IR"),
        (b"\x1f\x8b\x08\x08\0\0", "the input is compressed (gzip), not LLVM IR"),
    ] {
        let (status, out, err) = ll2ptx(&[], input);
        assert_eq!((status, out.as_str()), (1, ""));
        assert!(err.contains("error[I0008]") && err.contains(said) && err.contains("help:"), "{err}");
    }
}

#[test]
fn output_that_cannot_be_written_is_said_by_its_name_alone() {
    let (status, _, err) = ll2ptx(&["-o", "/nonexistent-folder/out.ptx"], MODULE.as_bytes());
    assert_eq!(status, 1);
    assert!(err.contains("cannot write `/nonexistent-folder/out.ptx`: No such file or directory"), "{err}");
    assert!(!err.contains(".ptx-"), "{err}");
}

#[cfg(unix)]
#[test]
fn output_that_is_the_input_is_refused_and_the_input_stays() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("m"), MODULE).expect("writable");
    fs::hard_link(path("m"), path("hard")).expect("ours");
    std::os::unix::fs::symlink("m", path("soft")).expect("ours");
    for (input, output) in [("m", "m"), ("m", "hard"), ("m", "soft"), ("soft", "hard")] {
        let (input, output) = (path(input), path(output));
        let (input, output) = (input.to_str().expect("UTF-8"), output.to_str().expect("UTF-8"));
        let (status, _, err) = ll2ptx(&[input, "-o", output], b"");
        assert_eq!(status, 2, "{err}");
        assert!(err.contains(&format!("error[T0004]: the output `{output}` is")), "{err}");
        assert_eq!(fs::read_to_string(path("m")).expect("there"), MODULE);
    }
    // Writing to a device does not destroy an input.
    let (status, _, err) = ll2ptx(&["-", "-o", "/dev/null"], MODULE.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
}

#[cfg(unix)]
#[test]
fn output_to_a_pipe_by_its_name_reaches_the_reader() {
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let (status, out, err) = ll2ptx(&["-o", name], MODULE.as_bytes());
        assert_eq!((status, err.as_str()), (0, ""), "{name}");
        assert!(out.starts_with(".version 8.0"), "{name}: {out}");
    }
}

#[test]
fn manual_page_describes_every_option() {
    let (status, out, _) = ll2ptx(&["--man"], b"");
    assert_eq!(status, 0);
    assert!(out.contains("Accepted for compatibility with LLVM") && out.contains("Exit status"), "{out}");
}

#[test]
fn what_llvms_backend_cannot_select_is_a_finding_with_its_sentence() {
    let redux = "define i32 @f(i32 %x) {\n  %r = call i32 @llvm.nvvm.redux.sync.add(i32 %x, i32 -1)\n  ret i32 %r\n}\n";
    let quad = "define fp128 @f(fp128 %x) {\n  %r = fadd fp128 %x, %x\n  ret fp128 %r\n}\n";
    for (text, target, sentence) in [
        (redux, "sm_70", "Cannot select: intrinsic %llvm.nvvm.redux.sync.add"),
        (quad, "sm_80", "unsupported library call operation"),
    ] {
        let (status, out, err) =
            ll2ptx(&["--engine=llvm", "--error-format=short", "--target", target], text.as_bytes());
        assert_eq!((status, out.as_str()), (1, ""), "{err}");
        assert!(err.contains("error[T0005]: fatal error in LLVM: ") && err.contains(sentence), "{err}");
    }
    // Both engines have the same options.
    let (status, _, err) = ll2ptx(&["--engine=llvm", "--target", "sm_80"], redux.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
}

#[test]
fn engine_is_never_chosen_for_the_user() {
    let (status, out, err) = ll2ptx(&["--engine=auto"], MODULE.as_bytes());
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("'auto'") && err.contains("native, llvm"), "{err}");
}

#[test]
fn names_are_those_of_values_unless_numbers_are_asked_for() {
    let module = b"target triple = \"nvptx64-nvidia-cuda\"
define i32 @f(i32 %a, i1 %c) {
entry:
  %sum = add i32 %a, 1
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %out = phi i32 [ %sum, %entry ], [ 7, %left ]
  ret i32 %out
}";
    let (status, named, _) = ll2ptx(&[], module);
    assert_eq!(status, 0);
    assert!(named.contains("%out, %a, 1;") && named.contains("$L_right:"), "{named}");
    let (status, numbered, _) = ll2ptx(&["--names=numbers"], module);
    assert_eq!(status, 0);
    assert!(numbered.contains("add.s32 \t%r"), "{numbered}");
    assert!(!numbered.contains("%out") && numbered.contains("$L__BB0_2:"), "{numbered}");
}

#[test]
fn wrong_usage_is_status_2() {
    for arguments in
        [&["--frob"][..], &["-O4"], &["--target", "gfx90a"], &["--ptx-version", "8"], &["a", "b"]]
    {
        let (status, out, err) = ll2ptx(arguments, b"");
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}");
        assert!(!err.is_empty());
    }
}

#[test]
fn missing_input_file_is_status_1() {
    let (status, _, err) = ll2ptx(&["/nonexistent.ll"], b"");
    assert_eq!(status, 1);
    assert!(err.contains("T0001"), "{err}");
}

#[test]
fn help_shows_examples_and_exit_status() {
    let (status, out, _) = ll2ptx(&["--help"], b"");
    assert_eq!(status, 0);
    assert!(out.contains("Examples:") && out.contains("Exit status:"), "{out}");
}

#[test]
fn several_inputs_go_into_a_folder_and_nowhere_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(folder.path().join("in")).expect("writable");
    for name in ["in/a.ll", "in/b.ll"] {
        fs::write(folder.path().join(name), MODULE).expect("writable");
    }
    let (status, out, err) = ll2ptx(&[&at("in"), "--output-dir", &at("out")], b"");
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    for made in ["out/a.ptx", "out/b.ptx"] {
        let ptx = fs::read_to_string(folder.path().join(made)).expect("written");
        assert!(ptx.contains(".version"), "{ptx}");
    }
    let (status, _, err) = ll2ptx(&[&at("in/a.ll"), &at("in/b.ll")], b"");
    assert!(status == 2 && err.contains("2 inputs require --output-dir"), "{err}");
    let (status, _, err) = ll2ptx(&[&at("in")], b"");
    assert!(status == 2 && err.contains("is a folder"), "{err}");
}

#[test]
fn cuda_sources_are_recognized() {
    for input in
        ["#include <cuda.h>\n__global__ void k() {}\n", "template<class T> __global__ void k(T *p) {}\n"]
    {
        let (status, out, err) = ll2ptx(&["-"], input.as_bytes());
        assert!(status == 1 && out.is_empty() && err.contains("error[P0008]"), "{err}");
        assert!(err.contains("nvcc --ptx") && err.contains("-emit-llvm"), "{err}");
    }
}

#[test]
fn codes_instructions_and_targets_are_explained_here_too() {
    let (status, out, _) = ll2ptx(&["--explain", "R0103"], b"");
    assert!(status == 0 && out.starts_with("R0103: "), "{out}");
    let (status, out, _) = ll2ptx(&["--explain", "fma"], b"");
    assert!(status == 0 && out.starts_with("## fma"), "{out}");
    let (status, out, _) = ll2ptx(&["--print-targets"], b"");
    assert!(status == 0 && out.contains("sm_80"), "{out}");
    let (status, out, _) = ll2ptx(&["-Oz"], MODULE.as_bytes());
    assert!(status == 0 && out.contains(".version"), "{out}");
}

#[test]
fn constructors_are_lowered_where_asked_for() {
    let text = r#"
target triple = "nvptx64-nvidia-cuda"
@v = addrspace(1) global i32 0
define internal void @i() {
  store volatile i32 5, ptr addrspace(1) @v
  ret void
}
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @i, ptr null }]
"#;
    let (status, _, err) = ll2ptx(&["--error-format=short"], text.as_bytes());
    assert_eq!(status, 1);
    assert!(err.contains("R0109"), "{err}");
    let (_, _, err) = ll2ptx(&[], text.as_bytes());
    assert!(err.contains("--lower-ctors turns it into kernels"), "{err}");
    for engine in ["--engine=native", "--engine=llvm"] {
        let (status, out, err) = ll2ptx(&["--lower-ctors", "-O2", engine], text.as_bytes());
        assert_eq!((status, err.as_str()), (0, ""));
        for part in [
            ".weak .entry nvptx$device$init()",
            ".maxntid 1",
            "__init_array_object_i_",
            "= generic(__init_array",
        ] {
            assert!(out.contains(part), "{engine}: {part}: {out}");
        }
    }
    // The option has no effect on a module without constructors.
    let plain = ll2ptx(&[], MODULE.as_bytes());
    assert_eq!(ll2ptx(&["--lower-ctors"], MODULE.as_bytes()), plain);
}

/// A barrier that PTX does not have, in line 7 of a source.
const WRONG_BARRIER: &str = "target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr %p) !dbg !3 {
  call void asm sideeffect \"bar.sync 99;\", \"\"(), !dbg !5
  ret void, !dbg !5
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: DebugDirectivesOnly)
!1 = !DIFile(filename: \"a.cu\", directory: \"/src\")
!2 = !{i32 2, !\"Debug Info Version\", i32 3}
!3 = distinct !DISubprogram(name: \"k\", file: !1, line: 4, unit: !0, type: !4, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 7, column: 2, scope: !3)
";

#[test]
fn errors_about_the_ptx_name_what_the_user_has() {
    let (status, out, err) = ll2ptx(&[], WRONG_BARRIER.as_bytes());
    assert_eq!((status, out.as_str()), (1, ""));
    let place = "in function k: call void asm sideeffect \"bar.sync 99;\", \"\"()";
    assert!(err.contains("V0403") && err.contains(place) && err.contains("at a.cu:7:2"), "{err}");
    assert!(err.contains("--keep-ptx") && !err.contains("(as PTX)"), "{err}");
}

#[test]
fn the_ptx_that_was_judged_is_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("kept.ptx");
    let name = path.display().to_string();
    let (status, _, err) = ll2ptx(&["--keep-ptx", &name], WRONG_BARRIER.as_bytes());
    let kept = fs::read_to_string(&path).expect("written");
    let line = kept.lines().position(|line| line.contains("bar.sync")).expect("the barrier") + 1;
    assert_eq!(status, 1);
    assert!(err.contains(&format!("{name}:{line}:")) && err.contains("at a.cu:7:2"), "{err}");
    let (status, out, _) = ll2ptx(&["--keep-ptx", &name], WRONG_BARRIER.replace("99", "1").as_bytes());
    assert_eq!((status, out), (0, fs::read_to_string(&path).expect("written")));
    let (status, _, err) = ll2ptx(&["--keep-ptx", &name, "--engine=llvm"], b"");
    assert!(status == 2 && err.contains("--keep-ptx"), "{err}");
}

/// Every function is `optnone`, as clang's -O0 and debug targets have it.
#[test]
fn code_that_forbids_optimization_is_told_and_optimized_on_request() {
    let text = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %p) noinline optnone {
  %x = alloca i32, align 4
  store i32 7, ptr %x, align 4
  %y = load i32, ptr %x, align 4
  store i32 %y, ptr addrspace(1) %p, align 4
  ret void
}
"#;
    for (choice, warns, has_stack) in [("auto", true, true), ("no", false, true), ("yes", false, false)] {
        let option = format!("--unoptimized={choice}");
        let (status, out, err) = ll2ptx(&["-O2", &option, "--error-format=short"], text.as_bytes());
        assert_eq!(
            (status, err.contains("O0002"), out.contains(".local")),
            (0, warns, has_stack),
            "{err}{out}"
        );
    }
    let (status, _, err) = ll2ptx(&[], text.as_bytes());
    assert_eq!((status, err.as_str()), (0, ""));
}

#[test]
fn findings_name_functions_as_their_source_does() {
    let text = MODULE.replace("void @store", "i32 @_Z5storePi").replace("ret void", "ret i32 1");
    let (status, _, err) = ll2ptx(&["--error-format=short"], text.as_bytes());
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("a kernel that returns a value, in function store(int*)"), "{err}");
}

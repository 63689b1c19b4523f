//! `ptx-cuda run` and `ptx-cuda env`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{TWICE, compile, libraries, plain, run, succeeded, texts, tool};

/// A folder with the program `launch` and the PTX that it loads.
struct Program {
    folder: tempfile::TempDir,
    program: std::path::PathBuf,
    image: String,
}

fn program() -> Program {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "launch", "cuda");
    let image = folder.path().join("k.ptx");
    fs::write(&image, TWICE).unwrap();
    let image = image.to_str().unwrap().to_owned();
    Program { folder, program, image }
}

#[test]
fn options_reach_the_driver() {
    let Program { folder, program, image } = program();
    let options =
        ["--arch", "100a", "--devices", "3", "--memory", "512M", "--engine", "interp", "--check", "memory"];
    let output = run(folder.path(), &options, &program, &[&image]);
    assert_eq!(succeeded(&output), "3 devices of 10.0, 536870912 bytes, 8 registers: 2 4 6 8\n");
    let output = run(folder.path(), &["--devices", "0"], &program, &[&image]);
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(texts(&output).0, "cuInit(0): 100\n");
}

#[test]
fn architectures_are_those_of_the_driver() {
    let folder = tempfile::tempdir().unwrap();
    let help = texts(&tool(folder.path()).args(["run", "--help"]).output().unwrap()).0;
    let after = help.split("--arch <ARCH>").nth(1).unwrap().split("--devices").next().unwrap();
    let named = after.split("[possible values: ").nth(1).unwrap().split(']').next().unwrap();
    let named: Vec<&str> = named.split(',').map(str::trim).collect();
    let of_driver: Vec<&str> = cuda::architectures().map(|name| name.trim_start_matches("sm_")).collect();
    assert_eq!(named, of_driver);
}

#[test]
fn the_profile_has_every_kernel() {
    let Program { folder, program, image } = program();
    let profile = folder.path().join("p.json");
    let option = format!("--profile={}", profile.display());
    for _ in 0..2 {
        let output = run(folder.path(), &[&option], &program, &[&image]);
        succeeded(&output);
        let err = texts(&output).1;
        assert!(err.contains(": 1 launches of 1 kernels, "), "{err}");
        let row: Vec<&str> = err.lines().last().unwrap().split_whitespace().collect();
        assert_eq!((row[0], row[1], row[2], row[7]), ("1", "0", "interp", "twice"), "{err}");
    }
    // A line for each process.
    let text = fs::read_to_string(&profile).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        let kernel = &line["kernels"][0];
        assert_eq!((&kernel["kernel"], &kernel["launches"]), (&"twice".into(), &1.into()));
        // One warp executes each of the seven instructions.
        assert_eq!(kernel["warp_instructions"], 7);
        assert!(kernel["total_ns"].as_u64().unwrap() > 0);
    }
    assert_ne!(lines[0]["process"], lines[1]["process"]);
}

#[test]
fn calls_are_logged() {
    let Program { folder, program, image } = program();
    let output = run(folder.path(), &["--trace"], &program, &[&image]);
    succeeded(&output);
    let err = texts(&output).1;
    let calls = ["cuInit", "cuModuleLoad", "cuLaunchKernel", "cuMemcpyDtoH_v2"];
    assert!(calls.iter().all(|call| err.contains(&format!("ptx-cuda: {call}\n"))), "{err}");
    let log = folder.path().join("log");
    let output = run(folder.path(), &[&format!("--log={}", log.display())], &program, &["none.ptx"]);
    assert_eq!(output.status.code(), Some(4));
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains("cuModuleLoad: CUDA_ERROR_FILE_NOT_FOUND: none.ptx"), "{text}");
}

#[test]
fn the_status_is_that_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("no-program"), "").unwrap();
    let no_program = at.join("no-program");
    for (program, arguments, status) in [
        ("true", &[][..], 0),
        ("sh", &["-c", "exit 42"], 42),
        ("no-such-program-anywhere", &[], 127),
        (no_program.to_str().unwrap(), &[], 126),
    ] {
        let output = run(at, &[], program, arguments);
        assert_eq!(output.status.code(), Some(status), "{program}: {output:?}");
    }
    for arguments in
        [&["run"][..], &["run", "--arch", "81", "--", "true"], &["run", "--nope", "--", "true"], &["walk"]]
    {
        assert_eq!(tool(at).args(arguments).output().unwrap().status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn missing_libraries_are_named_with_the_way_to_build_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let empty = at.join("empty");
    fs::create_dir(&empty).unwrap();
    let start = || {
        let mut command = tool(at);
        command.args(["run", "--lib-dir"]).arg(&empty).args(["--", "true"]);
        command.output().unwrap()
    };
    let output = start();
    assert_eq!(output.status.code(), Some(1));
    let err = texts(&output).1;
    assert!(
        err.contains("libcuda.so is not in") && err.contains("cargo build --release -p ptx-cuda"),
        "{err}"
    );
    // The driver alone suffices.
    fs::copy(libraries().join("libcuda.so"), empty.join("libcuda.so.1")).unwrap();
    let output = start();
    succeeded(&output);
    let err = texts(&output).1;
    for (name, package) in [
        ("libnvJitLink.so", "ptx-nvjitlink"),
        ("libcudart13.so", "ptx-cudart-13"),
        ("libcudart12.so", "ptx-cudart-12"),
    ] {
        assert!(
            err.contains(&format!("{name} is missing")) && err.contains(&format!("-p {package}")),
            "{err}"
        );
    }
}

#[test]
fn an_installed_tool_prefers_its_own_folder_to_the_library_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (bin, lib, own) = (at.join("bin"), at.join("lib"), at.join("lib/ptx-llvm"));
    fs::create_dir(&bin).unwrap();
    fs::create_dir_all(&own).unwrap();
    let installed = bin.join("ptx-cuda");
    let built = assert_cmd::cargo::cargo_bin!("ptx-cuda");
    fs::hard_link(built, &installed).or_else(|_| fs::copy(built, &installed).map(drop)).unwrap();
    let env = || plain(&installed, at).args(["env", "-q", "--format=json"]).output().unwrap();
    let driver = || {
        let object: serde_json::Value = serde_json::from_str(&succeeded(&env())).unwrap();
        let links = std::path::PathBuf::from(object["TRITON_LIBCUDA_PATH"].as_str().unwrap());
        fs::canonicalize(links.join("libcuda.so.1")).unwrap()
    };
    let missing = env();
    assert_eq!(missing.status.code(), Some(1));
    assert!(texts(&missing).1.contains("lib/ptx-llvm or "), "{missing:?}");
    fs::write(lib.join("libcuda.so.1"), "").unwrap();
    assert!(driver().ends_with("lib/libcuda.so.1"));
    fs::write(own.join("libcuda.so"), "").unwrap();
    assert!(driver().ends_with("lib/ptx-llvm/libcuda.so"));
}

#[test]
fn libraries_have_the_names_that_programs_look_for() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let libraries = at.join("with a space");
    fs::create_dir(&libraries).unwrap();
    for name in ["libcuda.so", "libcudart13.so", "libnvJitLink.so", "libptx_exec.so"] {
        fs::write(libraries.join(name), "").unwrap();
    }
    let mut command = tool(at);
    command.args(["env", "--format=json", "--lib-dir"]).arg(&libraries);
    let output = command.output().unwrap();
    let object: serde_json::Value = serde_json::from_str(&succeeded(&output)).unwrap();
    let err = texts(&output).1;
    assert!(err.contains("libcudart12.so is missing") && err.lines().count() == 1, "{err}");
    let found = std::path::PathBuf::from(object["TRITON_LIBCUDA_PATH"].as_str().unwrap());
    let mut names: Vec<_> = fs::read_dir(&found)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    let wanted = "libcuda.so libcuda.so.1 libcudart.so libcudart.so.13 libgpuocelot.so libnvJitLink.so libnvJitLink.so.12 libnvJitLink.so.13";
    assert_eq!(names, wanted.split(' ').collect::<Vec<_>>());
    assert!(
        fs::canonicalize(found.join("libcudart.so.13")).unwrap().ends_with("with a space/libcudart13.so")
    );
    assert_eq!(object["LD_PRELOAD"], "libnvJitLink.so.13");
}

#[test]
fn a_shell_gets_the_same_environment() {
    let Program { folder, program, image } = program();
    let at = folder.path();
    let mut command = tool(at);
    command.args(["env", "-q", "--arch", "75", "--lib-dir"]).arg(libraries());
    let script = succeeded(&command.output().unwrap());
    let image_for_75 = at.join("k75.ptx");
    fs::write(&image_for_75, fs::read_to_string(image).unwrap().replace("sm_80", "sm_75")).unwrap();
    let shell = Command::new("sh")
        .arg("-c")
        .arg(format!("{script}\n\"$0\" \"$1\""))
        .arg(&program)
        .arg(image_for_75)
        .output()
        .unwrap();
    assert!(succeeded(&shell).starts_with("1 devices of 7.5, "));

    let mut command = tool(at);
    command.args(["env", "-q", "--format=json", "--lib-dir"]).arg(libraries());
    let object: serde_json::Value = serde_json::from_str(&succeeded(&command.output().unwrap())).unwrap();
    let ptxas = object["TRITON_PTXAS_PATH"].as_str().unwrap();
    assert!(fs::canonicalize(ptxas).unwrap().ends_with("ptx-cuda"), "{ptxas}");
    assert_eq!(object["CUPY_COMPILE_WITH_PTX"], "1");
    assert_eq!(object.get("PTX_CUDA_ARCH"), None);
}

#[test]
fn several_start_at_once() {
    let Program { folder, program, image } = program();
    let at = folder.path();
    std::thread::scope(|scope| {
        let start = || run(at, &[], &program, &[&image]);
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
        for run in runs {
            assert!(succeeded(&run.join().unwrap()).ends_with(": 2 4 6 8\n"));
        }
    });
    // One folder with links, and nothing that was temporary.
    let folders: Vec<_> =
        fs::read_dir(at.join("ptx-llvm/run")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(folders.len(), 1);
    let links: Vec<_> =
        fs::read_dir(folders[0].join("lib")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(links.iter().all(|name| name.to_string_lossy().starts_with("lib")), "{links:?}");
}

/// What loads an instrumented kernel, launches 2 blocks of 32 threads, and prints the counters.
const COUNTS: &str = "
import sys

cuda = ctypes.CDLL('libcuda.so.1')
def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    assert status == 0, (name, status)
context, module, kernel, data = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
call('cuInit', 0)
call('cuCtxCreate_v2', ctypes.byref(context), 0, 0)
call('cuModuleLoad', ctypes.byref(module), sys.argv[1].encode())
call('cuModuleGetFunction', ctypes.byref(kernel), module, b'twice')
call('cuMemAlloc_v2', ctypes.byref(data), 128)
call('cuMemsetD32_v2', data, 3, 32)
parameters = (ctypes.c_void_p * 1)(ctypes.addressof(data))
call('cuLaunchKernel', kernel, 2, 1, 1, 32, 1, 1, 0, None, parameters, None)
call('cuCtxSynchronize')
for line in counters(cuda, module):
    print(*line, sep='|')
";

/// The program of docs/instrument.md.
#[test]
fn counters_are_read_by_the_driver() {
    let is_required = std::env::var_os("CI").is_some_and(|value| value == "true");
    if !is_required && Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/instrument.md");
    let page = fs::read_to_string(page).unwrap();
    let reader = page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (mut module, _) = ptx_syntax::parse(&ptx_diag::SourceFile::new("k.ptx", TWICE));
    let counted = ptx_instrument::Counted::Accesses;
    ptx_instrument::instrument(&mut module, counted, |spans| {
        spans.iter().map(|span| format!("k.ptx@{}", span.lo)).collect()
    })
    .unwrap();
    let image = folder.path().join("counted.ptx");
    fs::write(&image, ptx_ir::print(&module)).unwrap();
    let script = folder.path().join("counts.py");
    fs::write(&script, format!("{reader}{COUNTS}")).unwrap();
    let (script, image) = (script.to_str().unwrap(), image.to_str().unwrap());
    let output = run(folder.path(), &[], "python3", &[script, image]);
    let place = |text: &str| TWICE.find(text).unwrap();
    let expected = format!(
        "64|twice|k.ptx@{}|ld.global.u32 %n1, [%a1]\n64|twice|k.ptx@{}|st.global.u32 [%a1], %n1\n",
        place("ld.global"),
        place("st.global")
    );
    assert_eq!(succeeded(&output), expected);
}

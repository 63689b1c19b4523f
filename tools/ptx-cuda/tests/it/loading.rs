//! `ptx-cuda loader`, with a program that calls the host as LLVM's libc does (`tests/device/calls.c`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::{succeeded, texts, tool};

fn image() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/device/calls.ptx")
}

/// `ptx-cuda loader OPTIONS calls.ptx WORDS`.
fn loader(options: &[&str], words: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tool(folder.path());
    command.arg("loader").args(options).arg(image()).args(words);
    command.env("LOADER_TEST", "a value").output().unwrap()
}

#[test]
fn the_status_is_that_of_main() {
    let output = loader(&[], &["status"]);
    assert_eq!(output.status.code(), Some(6));
    assert_eq!(texts(&output), ("constructed\ndestroyed\n".to_owned(), "what?\n".to_owned()));
    // Without arguments of its own there is the name of the image.
    assert_eq!(loader(&[], &[]).status.code(), Some(2));
    assert_eq!(succeeded(&loader(&[], &["environment"])), "constructed\ndestroyed\n");
    // Options after the image are the program's.
    assert_eq!(loader(&[], &["--threads"]).status.code(), Some(9));
}

#[test]
fn every_thread_prints() {
    for options in
        [&["--threads", "70", "--blocks=3"][..], &["--threads-x", "35", "--threads-y=2", "--blocks-x", "3"]]
    {
        // Threads along y print the number of those along x.
        let (x, y) = if options.len() == 3 { (70, 1) } else { (35, 2) };
        let out = succeeded(&loader(options, &["print", "50% of \"é\""]));
        let mut lines: Vec<&str> = out.lines().collect();
        assert_eq!((lines.remove(0), lines.pop()), ("constructed", Some("destroyed")));
        let mut wanted: Vec<String> = (0..x * 3)
            .flat_map(|thread| (0..y).map(move |_| format!("thread {thread}: 50% of \"é\", {thread}.50%")))
            .collect();
        wanted.sort_unstable();
        lines.sort_unstable();
        assert_eq!(lines, wanted);
    }
}

#[test]
fn memory_is_allocated_while_the_kernel_runs() {
    succeeded(&loader(&["--threads", "40", "--blocks", "2"], &["memory"]));
}

#[test]
fn files_are_those_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a file");
    let out = succeeded(&loader(&[], &["files", path.to_str().unwrap()]));
    let line = "a line that is longer than the packet of a thread, which has 64 bytes, and";
    assert_eq!(out, format!("constructed\n{line}\nanother\ndestroyed\n"));
    assert!(!path.exists());
    let missing = folder.path().join("no/such");
    assert_eq!(loader(&[], &["files", missing.to_str().unwrap()]).status.code(), Some(30));
}

#[test]
fn programs_end_within_a_kernel() {
    use std::os::unix::process::ExitStatusExt as _;

    let output = loader(&["--threads", "40"], &["exit"]);
    assert_eq!((output.status.code(), texts(&output).0), (Some(7), "constructed\n".to_owned()));
    let output = loader(&[], &["abort"]);
    assert_eq!((output.status.signal(), texts(&output).0), (Some(6), "constructed\n".to_owned()));
}

#[test]
fn errors_are_told() {
    let output = loader(&[], &["trap"]);
    assert_eq!(output.status.code(), Some(3));
    let (out, err) = texts(&output);
    assert!(
        out == "constructed\n" && err.contains("kernel _start, block (0, 0, 0), thread (0, 0, 0)"),
        "{out}{err}"
    );
    let output = loader(&[], &["unknown"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(texts(&output).1.contains("calls the host for operation 0x630003e7, which is not known"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.ptx");
    let text = fs::read_to_string(image()).unwrap();
    let load = |text: &str| {
        fs::write(&path, text).unwrap();
        let output = tool(folder.path()).arg("loader").arg(&path).output().unwrap();
        (output.status.code(), texts(&output).1)
    };
    let (status, err) =
        load(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry _start() { ret; }\n");
    assert!(status == Some(1) && err.contains("no kernel _begin"), "{err}");
    let (status, err) = load(&text.replace("__llvm_rpc_client[552]", "__llvm_rpc_client[1024]"));
    assert!(status == Some(1) && err.contains("has 1024 bytes, not 552"), "{err}");
    let (status, err) = load("\x7fELF");
    assert!(status == Some(1) && err.contains("cannot load"), "{err}");
    assert_eq!(tool(folder.path()).arg("loader").output().unwrap().status.code(), Some(2));
}

#[test]
fn the_image_may_come_from_ptxas_or_standard_input_and_the_tool_by_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let image = image();
    let made = folder.path().join("calls.cubin");
    let output = tool(folder.path()).args(["ptxas", "-arch=sm_80"]).arg(&image).arg("-o").arg(&made).output();
    succeeded(&output.unwrap());
    let link = folder.path().join("llvm-gpu-loader");
    std::os::unix::fs::symlink(assert_cmd::cargo::cargo_bin!("ptx-cuda"), &link).unwrap();
    let output = Command::new(&link).arg("--print-resource-usage").arg(&made).args(["print", "x"]).output();
    let out = succeeded(&output.unwrap());
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Executing kernel _begin:");
    assert!(lines[1].starts_with("_begin registers: ") && lines.contains(&"thread 0: x, 0.50%"), "{out}");
    let mut command = Command::new(&link);
    let command =
        command.args(["--no-parallelism", "-", "print", "y"]).stdin(fs::File::open(&image).unwrap());
    let out = succeeded(&command.stdout(Stdio::piped()).output().unwrap());
    assert_eq!(out, "constructed\nthread 0: y, 0.50%\ndestroyed\n");
    let output = Command::new(&link).env("PTX_CUDA_ARCH", "75").arg(&image).arg("status").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "sm_80 on sm_75");
}

#[test]
fn the_manual_page_and_completions_name_every_task() {
    let folder = tempfile::tempdir().unwrap();
    let page = succeeded(&tool(folder.path()).arg("man").output().unwrap());
    for text in [".TH ptx-cuda 1", "TASK RUN", "TASK LOADER", "\\-\\-print\\-resource\\-usage"] {
        assert!(page.contains(text), "{text}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = succeeded(&tool(folder.path()).args(["completions", shell]).output().unwrap());
        assert!(script.contains("loader") && script.contains("threads-y"), "{shell}");
    }
}

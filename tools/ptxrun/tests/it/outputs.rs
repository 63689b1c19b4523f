//! Outputs and inputs of buffers: pipes, devices and the files of the launch itself.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// A kernel that stores twice the number of each thread.
const TWICE: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 p) {
    .reg .s32 %s<3>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %s1, %tid.x;
    mul.wide.u32 %rd2, %s1, 4;
    add.s32 %s2, %s1, %s1;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %s2;
    ret;
}
";

fn ptxrun(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    command.env("XDG_CACHE_HOME", folder);
    let output = command.current_dir(folder).args(arguments).write_stdin(input).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

#[test]
fn buffers_go_to_pipes_and_never_replace_what_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::write(path("k.ptx"), TWICE).expect("writable");
    fs::hard_link(path("k.ptx"), path("hard")).expect("ours");
    let run = |outputs: &[String]| {
        let program = path("k.ptx");
        let mut all = vec![program.as_str(), "--entry", "twice", "--grid", "1", "--block", "1"];
        for output in outputs {
            all.extend(["--arg", output.as_str()]);
        }
        ptxrun(folder.path(), &all, "")
    };
    // 2 * 0 for the one thread.
    let (status, out, err) = run(&["out=4:/dev/stdout".to_owned()]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "\0\0\0\0", ""));
    for name in ["k.ptx", "hard"] {
        let (status, _, err) = run(&[format!("out=4:{}", path(name))]);
        assert_eq!(status, 2, "{err}");
        assert!(err.contains("T0004") && err.contains("the output `"), "{err}");
        assert_eq!(fs::read_to_string(path("k.ptx")).expect("there"), TWICE);
    }
    // A buffer may be written where it was read from.
    fs::write(path("x"), [1, 2, 3, 4]).expect("writable");
    let (status, _, err) = run(&[format!("inout={}:{}", path("x"), path("x"))]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(fs::read(path("x")).expect("there"), [0; 4]);
    let (status, _, err) = run(&[format!("out=4:{}", path("new")), format!("out=4:{}", path("new"))]);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("two buffers would be written to"), "{err}");
}

#[test]
fn devices_that_never_end_are_not_read_without_bound() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let launch = ["-", "--entry", "twice", "--grid", "1", "--block", "1", "--launch", "/dev/zero"];
    let (status, _, err) = ptxrun(folder.path(), &launch, TWICE);
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("a launch file has at most 256 MiB"), "{err}");
}

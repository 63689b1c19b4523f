//! Ctrl-C during a launch.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

/// The first block runs for ever, and others end at once.
const ENDLESS: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry _Z7endlessv()
{
    .reg .pred %p;
    .reg .b32 %r;
    mov.u32 %r, %ctaid.x;
    setp.ne.u32 %p, %r, 2;
    @%p ret;
forever:
    bra forever;
}
";

/// The report of a launch that is interrupted after a second.
fn interrupted(engine: &str) -> (Option<i32>, Value) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), ENDLESS).expect("writable");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("ptxrun"));
    command.current_dir(folder.path()).env("XDG_CACHE_HOME", folder.path());
    command.args(["k.ptx", "--grid", "4", "--block", "1", "--threads", "1", "--timeout", "100"]);
    command.args(["--error-format=json", engine]).stderr(Stdio::piped());
    let child = command.spawn().expect("runs");
    sleep(Duration::from_secs(if engine.ends_with("jit") { 4 } else { 2 }));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("ends");
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    let report = text.lines().next().unwrap_or_else(|| panic!("no report of {engine}"));
    (output.status.code(), serde_json::from_str(report).expect("JSON"))
}

#[test]
fn an_interrupted_launch_tells_where_it_was() {
    for engine in ["--engine=interp", "--engine=jit"] {
        let (status, report) = interrupted(engine);
        assert_eq!((status, &report["code"]), (Some(130), &"T0018".into()), "{engine}: {report}");
        let message = report["message"].as_str().expect("a text");
        assert!(message.starts_with("interrupted in the launch of kernel endless() after "), "{message}");
        assert!(message.ends_with(" of 4 blocks had been started"), "{message}");
        let details = &report["details"];
        assert_eq!((&details["kernel"], &details["blocks"]), (&"_Z7endlessv".into(), &4.into()), "{report}");
        // One thread executes the blocks in order; an engine may take several at once.
        assert!(details["started"].as_u64().is_some_and(|started| (3..=4).contains(&started)), "{report}");
    }
}

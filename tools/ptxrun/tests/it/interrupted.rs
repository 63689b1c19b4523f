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

/// `script` gives a program a terminal; where it is not installed nothing is tested.
#[cfg(target_os = "linux")]
#[test]
fn a_long_launch_shows_its_progress_on_a_terminal() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), ENDLESS).expect("writable");
    let run = |options: &str| {
        let tool = assert_cmd::cargo::cargo_bin("ptxrun");
        let tool = tool.display();
        let line = format!("stty rows 40 cols 80; {tool} k.ptx --grid 4 --block 1 --threads 1 {options}");
        let mut command = Command::new("script");
        command.current_dir(folder.path()).args(["-qc", &line, "/dev/null"]).stdin(Stdio::null());
        let output = command.env("TERM", "xterm").output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let progress = "endless(): 3 of 4 blocks started";
    let Some(long) = run("--engine=interp --timeout 2.5") else { return };
    assert!(long.contains(progress) || long.contains("endless(): 4 of 4 blocks started"), "{long}");
    assert!(long.contains("X0204"), "{long}");
    let short = run("--engine=interp --timeout 0.2").expect("installed");
    assert!(short.contains("X0204") && !short.contains("blocks started"), "{short}");
    let json = run("--engine=interp --timeout 2 --error-format=json").expect("installed");
    assert!(json.contains("X0204") && !json.contains("blocks started"), "{json}");
}

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

/// Blocks that are not started before the endless one ends; an engine may take several at once.
const STARTED: std::ops::RangeInclusive<u64> = 3..=4;

/// The report of a launch that is interrupted when its third block is executed. Compiling takes a time that depends on the machine: a launch
/// that was interrupted before is repeated with more time.
fn interrupted(engine: &str) -> (Option<i32>, Value) {
    let mut last = None;
    for seconds in [2, 4, 8, 16, 32] {
        let (status, report) = interrupted_after(engine, seconds);
        match report {
            Some(report) if report["details"]["started"].as_u64() != Some(0) => return (status, report),
            report => last = Some((status, report.unwrap_or_default())),
        }
    }
    last.expect("tried")
}

/// The status and the report of a launch that is interrupted after some seconds.
fn interrupted_after(engine: &str, seconds: u64) -> (Option<i32>, Option<Value>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ptx"), ENDLESS).expect("writable");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("ptxrun"));
    command.current_dir(folder.path()).env("XDG_CACHE_HOME", folder.path());
    command.args(["k.ptx", "--grid", "4", "--block", "1", "--threads", "1", "--timeout", "100"]);
    command.args(["--error-format=json", engine]).stderr(Stdio::piped());
    let child = command.spawn().expect("runs");
    sleep(Duration::from_secs(seconds));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("runs");
    assert!(sent.success());
    let output = child.wait_with_output().expect("ends");
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status.code(), text.lines().next().map(|report| serde_json::from_str(report).expect("JSON")))
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
        assert!(details["started"].as_u64().is_some_and(|started| STARTED.contains(&started)), "{report}");
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
    let is_shown = |text: &str| {
        STARTED.into_iter().any(|n| text.contains(&format!("endless(): {n} of 4 blocks started")))
    };
    if run("--help").is_none() {
        return;
    }
    // On a loaded machine the thread that shows progress may get no time for seconds.
    let repeated = |timeouts: [&str; 3], is_right: &dyn Fn(&str) -> bool| {
        let mut text = String::new();
        for time in timeouts {
            text = run(&format!("--engine=interp --timeout {time}")).expect("installed");
            if is_right(&text) {
                return;
            }
        }
        panic!("{text}");
    };
    repeated(["2.5", "5", "20"], &|text| is_shown(text) && text.contains("X0204"));
    repeated(["0.2"; 3], &|text| text.contains("X0204") && !text.contains("blocks started"));
    let json = run("--engine=interp --timeout 2 --error-format=json").expect("installed");
    assert!(json.contains("X0204") && !json.contains("blocks started"), "{json}");
}

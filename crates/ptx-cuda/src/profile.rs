//! The profile: with `PTX_CUDA_PROFILE` set, what the launches of each kernel took is written to standard error when the process exits, and, unless the
//! variable is `1`, appended to the file that it names, as one line of JSON for each process.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use ptx_demangle::{demangled, demangled_text};
use ptx_device::{DeviceError, Report};
use serde_json::json;

use crate::driver::lock;
use crate::log::LOG;

/// What is known of the launches of a kernel, by its name.
#[derive(Clone, Copy, Debug, Default)]
struct Launches {
    /// Those of which the interpreter executed every block.
    interpreted: u64,
    /// Those of which compiled code executed every block.
    compiled: u64,
    /// Those that the interpreter began and compiled code finished.
    mixed: u64,
    /// Those that were refused or stopped; no other figure includes them.
    failed: u64,
    total: Duration,
    longest: Duration,
    /// Instructions of warps that the interpreter executed; those of compiled code are not counted.
    warp_instructions: u64,
}

struct Profile {
    /// The file for JSON, if any.
    file: Option<PathBuf>,
    kernels: Mutex<BTreeMap<String, Launches>>,
}

/// The profile, if one is wanted.
fn profile() -> Option<&'static Profile> {
    static PROFILE: OnceLock<Option<Profile>> = OnceLock::new();
    let made = PROFILE.get_or_init(|| {
        let to = std::env::var_os("PTX_CUDA_PROFILE").filter(|to| !to.is_empty())?;
        let file = Some(PathBuf::from(to)).filter(|to| to.as_os_str() != "1");
        // SAFETY: the function lives as long as this library: it is called when that is unloaded, at the latest.
        let kept = unsafe { libc::atexit(write_at_exit) };
        if kept != 0 {
            LOG.report("ptx-cuda: the profile cannot be written at the end of the process");
        }
        Some(Profile { file, kernels: Mutex::default() })
    });
    made.as_ref()
}

/// The time at which a launch begins, if there is a profile.
pub fn begin() -> Option<Instant> {
    profile().map(|_| Instant::now())
}

/// Counts a launch that began at this time.
pub fn end(begin: Option<Instant>, kernel: &str, blocks: u64, report: &Result<Report, DeviceError>) {
    let (Some(begin), Some(profile)) = (begin, profile()) else { return };
    let time = begin.elapsed();
    let mut kernels = lock(&profile.kernels);
    let launches = kernels.entry(kernel.to_owned()).or_default();
    let Ok(report) = report else {
        launches.failed += 1;
        return;
    };
    match report.compiled_blocks {
        0 => launches.interpreted += 1,
        compiled if compiled >= blocks => launches.compiled += 1,
        _ => launches.mixed += 1,
    }
    launches.total += time;
    launches.longest = launches.longest.max(time);
    launches.warp_instructions += report.warp_instructions;
}

impl Launches {
    fn count(&self) -> u64 {
        self.interpreted + self.compiled + self.mixed
    }

    /// What executed them.
    fn engine(&self) -> &'static str {
        match (self.interpreted, self.compiled, self.mixed) {
            (0, 0, 0) => "-",
            (_, 0, 0) => "interp",
            (0, _, 0) => "jit",
            _ => "both",
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The kernels, those that took longest first.
fn sorted(profile: &Profile) -> Vec<(String, Launches)> {
    let mut kernels: Vec<_> =
        lock(&profile.kernels).iter().map(|(name, &launches)| (name.clone(), launches)).collect();
    kernels.sort_by_key(|(_, launches)| std::cmp::Reverse(launches.total));
    kernels
}

fn text(kernels: &[(String, Launches)]) -> String {
    let launches: u64 = kernels.iter().map(|(_, launches)| launches.count()).sum();
    let total: Duration = kernels.iter().map(|(_, launches)| launches.total).sum();
    let mut text = format!(
        "ptx-cuda: profile of process {}: {launches} launches of {} kernels, {:.3} ms\n",
        std::process::id(),
        kernels.len(),
        milliseconds(total)
    );
    text += " launches failed engine   total ms    mean ms longest ms  warp instr.  kernel\n";
    for (name, launches) in kernels {
        let name = demangled_text(name);
        let (count, total) = (launches.count(), milliseconds(launches.total));
        let mean = if count == 0 { 0.0 } else { total / count as f64 };
        let longest = milliseconds(launches.longest);
        let Launches { failed, warp_instructions, .. } = launches;
        let engine = launches.engine();
        // Writing to a `String` does not fail.
        let _ = writeln!(
            text,
            "{count:>9} {failed:>6} {engine:<6} {total:>10.3} {mean:>10.3} {longest:>10.3} {warp_instructions:>12}  {name}"
        );
    }
    text
}

fn line(kernels: &[(String, Launches)]) -> String {
    let kernels = kernels.iter().map(|(name, launches)| {
        json!({
            "kernel": name,
            "demangled": demangled(name),
            "launches": launches.count(),
            "interpreted": launches.interpreted,
            "compiled": launches.compiled,
            "mixed": launches.mixed,
            "failed": launches.failed,
            "total_ns": launches.total.as_nanos() as u64,
            "longest_ns": launches.longest.as_nanos() as u64,
            "warp_instructions": launches.warp_instructions,
        })
    });
    json!({ "process": std::process::id(), "kernels": kernels.collect::<Vec<_>>() }).to_string()
}

extern "C" fn write_at_exit() {
    // A panic must not leave a function that C calls.
    let _ = std::panic::catch_unwind(write);
}

fn write() {
    let Some(profile) = profile() else { return };
    let kernels = sorted(profile);
    // A process that launched nothing has no profile: the shell that starts a program, for instance.
    if kernels.is_empty() {
        return;
    }
    LOG.report(text(&kernels).trim_end());
    let Some(path) = &profile.file else { return };
    let file = OpenOptions::new().append(true).create(true).open(path);
    // One call, so that the lines of several processes do not mix.
    let written = file.and_then(|mut file| file.write_all(format!("{}\n", line(&kernels)).as_bytes()));
    if let Err(error) = written {
        LOG.report(&format!("ptx-cuda: the profile cannot be written to {}: {error}", path.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_json_have_the_same_figures() {
        let launches = Launches {
            interpreted: 2,
            mixed: 1,
            total: Duration::from_millis(6),
            longest: Duration::from_millis(4),
            warp_instructions: 77,
            ..Launches::default()
        };
        let failed = Launches { failed: 1, ..Launches::default() };
        let kernels = [("add".to_owned(), launches), ("_Z3badPf".to_owned(), failed)];
        let text = text(&kernels);
        assert!(text.contains(": 3 launches of 2 kernels, 6.000 ms\n"), "{text}");
        let rows: Vec<Vec<&str>> =
            text.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["3", "0", "both", "6.000", "2.000", "4.000", "77", "add"]);
        assert_eq!(rows[1], ["0", "1", "-", "0.000", "0.000", "0.000", "0", "bad(float*)"]);
        let parsed: serde_json::Value = serde_json::from_str(&line(&kernels)).unwrap();
        assert_eq!(parsed["kernels"][0]["launches"], 3);
        assert_eq!(parsed["kernels"][0]["longest_ns"], 4_000_000);
        assert_eq!(parsed["kernels"][1]["failed"], 1);
        let names = |at: usize| (&parsed["kernels"][at]["kernel"], &parsed["kernels"][at]["demangled"]);
        assert_eq!(names(0), (&json!("add"), &json!(null)));
        assert_eq!(names(1), (&json!("_Z3badPf"), &json!("bad(float*)")));
    }
}

//! What the tools print about passes while they run: dumps of the module, as LLVM's `opt` prints them, and times.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use ptx_diag::{Diagnostics, SourceFile};
use ptx_driver::{Observer, TargetChoice, load_pass_plugins, optimize_observed};
use ptx_llvm_core::Module;

use crate::arguments::{OptimizeArgs, PassReportArgs};
use crate::progress_bar::beside_bar;

/// Optimizes a module as the arguments specify, and prints to standard error what `told` asks for.
///
/// # Errors
///
/// Those of [`ptx_driver::optimize`].
pub fn optimize(
    arguments: &OptimizeArgs,
    told: &PassReportArgs,
    module: &mut Module<'_>,
    choice: TargetChoice,
    source: &SourceFile,
) -> Result<(), Diagnostics> {
    load_pass_plugins(&arguments.load_pass_plugin)?;
    let mut report = PassReport { told, started: None, times: Vec::new() };
    let passes = arguments.passes.as_deref();
    let result = optimize_observed(module, arguments.level, passes, choice, source, &mut report);
    for pass in told.print_before.iter().chain(&told.print_after) {
        if result.is_ok() && !report.times.iter().any(|(step, _)| names(step, pass)) {
            print(&format!("; *** No IR Dump: no pass that ran is named {pass} ***\n"));
        }
    }
    if told.time_passes {
        print(&time_table(&report.times));
    }
    result
}

/// Prints to standard error what the arguments ask for.
struct PassReport<'a> {
    told: &'a PassReportArgs,
    started: Option<Instant>,
    /// The steps that have run, each with its time.
    times: Vec<(String, Duration)>,
}

impl Observer for PassReport<'_> {
    fn before(&mut self, step: &str, module: &Module<'_>) {
        if self.told.print_before.iter().any(|pass| names(step, pass)) {
            print(&dump("Before", step, module));
        }
        self.started = Some(Instant::now());
    }

    fn after(&mut self, step: &str, module: &Module<'_>) {
        if let Some(started) = self.started.take() {
            self.times.push((step.to_owned(), started.elapsed()));
        }
        if self.told.print_after_all || self.told.print_after.iter().any(|pass| names(step, pass)) {
            print(&dump("After", step, module));
        }
    }
}

/// Prints as LLVM's printing passes do: where each line has to be a JSON object, the text becomes one with theirs. A failure cannot be reported.
fn print(text: &str) {
    beside_bar(|| {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    });
}

/// Whether a step has a pass: it is the pass, or passes of LLVM's that run together and of which it is one.
fn names(step: &str, pass: &str) -> bool {
    step == pass || step.split(['(', ')', ',', '<', '>', ';']).any(|name| name == pass)
}

fn dump(when: &str, step: &str, module: &Module<'_>) -> String {
    format!("; *** IR Dump {when} {step} ***\n{}", module.to_text())
}

/// A line for each step in the order in which they ran, with its time and its share, and their sum.
fn time_table(times: &[(String, Duration)]) -> String {
    let sum: Duration = times.iter().map(|(_, time)| *time).sum();
    let mut text = String::from("  time (ms)   share  passes\n");
    for (step, time) in times {
        // Without any time all shares are 0.
        let share = 100.0 * time.as_secs_f64() / sum.as_secs_f64().max(f64::MIN_POSITIVE);
        text.push_str(&format!("{:>11.3} {share:>6.1}%  {step}\n", 1e3 * time.as_secs_f64()));
    }
    text.push_str(&format!("{:>11.3}         in all\n", 1e3 * sum.as_secs_f64()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_the_passes_that_they_name() {
        assert!(names("ptx-count-first", "ptx-count-first"));
        assert!(names("function(sroa,early-cse<memssa>)", "early-cse"));
        assert!(names("default<O2>", "default<O2>"));
        assert!(!names("function(sroa)", "sro") && !names("default<O2>", "sroa"));
    }

    #[test]
    fn times_have_shares() {
        let times =
            [("sroa".to_owned(), Duration::from_millis(3)), ("gvn".to_owned(), Duration::from_millis(1))];
        let text = time_table(&times);
        assert!(text.contains("3.000   75.0%  sroa\n") && text.contains("4.000         in all"), "{text}");
        assert!(time_table(&[]).contains("0.000"));
    }
}

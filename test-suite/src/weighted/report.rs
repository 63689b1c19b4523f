//! The comparisons of a set of kernels as tables, with what is worse and has no written reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, anyhow};
use ptx_exec::Launch;
use ptx_machine::{Class, MachineLoop, Weighted};
use serde_json::{Value, json};

use crate::directive::Level;
use crate::judge::in_parallel;
use crate::oracle::Oracles;
use crate::weighted::compare::{Comparison, Finding, MOST_RATIO, Results};
use crate::weighted::kernel::{Assembled, Measured, Resources};
use crate::weighted::reasons::Reasons;
use crate::weighted::sets::Kernel;
use crate::weighted::trip_counts::{TripCounts, trip_counts};
use crate::weighted::way::Way;

/// What a kernel is held against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Over {
    /// The PTX as it was.
    Original,
    /// What another way makes of it.
    Way(Way),
}

/// What came of a kernel on a way.
pub type Attempt = Result<Comparison>;

/// Measures all kernels on all ways, `jobs` modules at a time; for each kernel the ways in their order. A kernel whose original fails has one attempt.
pub fn measure_all(
    oracles: &Oracles,
    kernels: &[Kernel],
    ways: &[Way],
    over: &Over,
    jobs: usize,
) -> Vec<Vec<Attempt>> {
    // Kernels of a module are translated and assembled together.
    let modules: Vec<&[Kernel]> = kernels.chunk_by(|a, b| a.ptx == b.ptx).collect();
    let measured = in_parallel(&modules, jobs, |kernels| module(oracles, kernels, ways, over));
    measured.into_iter().flatten().collect()
}

/// A module on a way, or one that was not changed.
struct Taken {
    assembled: Assembled,
    /// The trip counts of each function's loops in its optimized LLVM IR.
    trip_counts: Option<BTreeMap<String, TripCounts>>,
}

fn take(oracles: &Oracles, kernel: &Kernel, way: &Way) -> Result<Taken> {
    let ir = way.ir(oracles, kernel)?;
    let assembled = Assembled::new(oracles, &way.finish(oracles, &kernel.name, &ir)?)?;
    Ok(Taken { assembled, trip_counts: trip_counts(oracles, &ir)? })
}

/// A kernel that is made for its launch.
fn take_of_launch(oracles: &Oracles, kernel: &Kernel, way: &Way) -> Result<(Taken, Launch)> {
    let (ir, launch) = way.of_launch(oracles, kernel)?;
    let assembled = Assembled::new(oracles, &way.finish(oracles, &kernel.name, &ir)?)?;
    Ok((Taken { assembled, trip_counts: trip_counts(oracles, &ir)? }, launch))
}

fn module(oracles: &Oracles, kernels: &[Kernel], ways: &[Way], over: &Over) -> Vec<Vec<Attempt>> {
    let Some(first) = kernels.first() else { return Vec::new() };
    let original = Assembled::new(oracles, &first.ptx).context("the original");
    let lowered = Way::Level(Level::O0).ir(oracles, first);
    let lowered = lowered.and_then(|ir| trip_counts(oracles, &ir));
    let before = match over {
        Over::Original => None,
        Over::Way(way) => Some(take(oracles, first, way)),
    };
    let after: Vec<Result<Taken>> = ways.iter().map(|way| take(oracles, first, way)).collect();
    let of_kernel = |kernel: &Kernel| -> Result<Vec<Attempt>> {
        let lowered = made(&lowered)?.as_ref().and_then(|loops| loops.get(&kernel.launch.entry));
        let original = made(&original)?.measure(&kernel.launch).context("the original")?;
        let before = before.as_ref().map(|before| made(before)?.assembled.measure(&kernel.launch));
        let before = before.transpose()?;
        let before = before.as_ref().unwrap_or(&original);
        let compared = ways.iter().zip(&after).map(|(way, after)| {
            let own = (*way == Way::Specialized).then(|| take_of_launch(oracles, kernel, way)).transpose()?;
            let (after, launch) = match &own {
                Some((taken, launch)) => (taken, launch),
                None => (made(after)?, &kernel.launch),
            };
            let optimized = after.trip_counts.as_ref().and_then(|loops| loops.get(&launch.entry));
            let after = after.assembled.measure(launch)?;
            let results = results(kernel, &original, &after);
            Ok(Comparison {
                kernel: kernel.name.clone(),
                way: way.clone(),
                before: before.clone(),
                after,
                results,
                trip_counts: lowered.copied().zip(optimized.copied()).filter(|_| !way.is_of_source()),
            })
        });
        Ok(compared.collect())
    };
    kernels.iter().map(|kernel| of_kernel(kernel).unwrap_or_else(|error| vec![Err(error)])).collect()
}

/// What was made of a module, or the error of all its kernels.
fn made<T>(made: &Result<T>) -> Result<&T> {
    made.as_ref().map_err(|error| anyhow!("{error:#}"))
}

fn results(kernel: &Kernel, original: &Measured, after: &Measured) -> Results {
    match kernel.judge(&original.outcome, &after.outcome) {
        Err(error) => Results::Wrong(format!("{error:#}")),
        Ok(()) if original.outcome.buffers == after.outcome.buffers => Results::Same,
        Ok(()) => Results::Near,
    }
}

/// The figures of a way over all kernels.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Summary {
    /// The logarithms of the ratios of kernels that are measured.
    ratios: Vec<f64>,
    registers: Vec<f64>,
    above: usize,
    lost: usize,
    failed: usize,
    unmeasured: usize,
    /// Findings without a reason, and rows that nothing needs: complaints.
    pub unexplained: usize,
}

impl Summary {
    /// Issued instructions after over before, the geometric mean; 1 without kernels.
    pub fn ratio(&self) -> f64 {
        mean(&self.ratios)
    }

    /// Whether something failed, or is worse without a reason.
    pub fn is_bad(&self) -> bool {
        self.failed + self.unexplained > 0
    }

    /// The last row of the table.
    fn row(&self) -> String {
        let (count, ratio, registers) = (self.ratios.len(), self.ratio(), mean(&self.registers));
        format!("| geometric mean of {count} | | **{ratio:.3}** | | | {registers:.3} | | | | | | |\n")
    }

    /// The last line of a report.
    pub fn line(&self) -> String {
        format!(
            "weighted {:.4} on {} kernels, {} over {MOST_RATIO}, {} copies lost, registers {:.3}, {} failed",
            self.ratio(),
            self.ratios.len(),
            self.above,
            self.lost,
            mean(&self.registers),
            self.failed
        )
    }
}

/// The geometric mean of what is given by logarithms.
fn mean(logarithms: &[f64]) -> f64 {
    (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
}

/// A report on a way.
pub struct Report {
    /// The tables, and what is wrong.
    pub text: String,
    /// The figures.
    pub summary: Summary,
}

/// Reports on a way: a row for each kernel, a table of classes, findings.
pub fn report(way: &Way, attempts: &[(&str, &Attempt)], reasons: &mut Reasons) -> Report {
    let mut text = format!("| {way} {HEAD}");
    let (mut notes, mut summary) = (String::new(), Summary::default());
    let mut classes: BTreeMap<Class, [f64; 2]> = BTreeMap::new();
    for (name, attempt) in attempts {
        match attempt {
            Err(error) => {
                summary.failed += 1;
                let said = format!("{error:#}").replace('\n', " ");
                let _ = writeln!(notes, "failed: {name}: {said}");
            }
            Ok(one) => {
                text += &row(one);
                add(one, &mut summary, &mut classes, &mut notes);
                judge(one, reasons, &mut summary, &mut notes);
            }
        }
    }
    text += &summary.row();
    text += "\n";
    text += &class_table(way, &classes);
    for row in reasons.stale().filter(|_| way.is_judged()) {
        if row.split('\t').nth(1) == Some(&way.to_string()) {
            summary.unexplained += 1;
            let _ = writeln!(notes, "no longer needed: {row}");
        }
    }
    if !notes.is_empty() {
        let _ = write!(text, "\n{notes}");
    }
    if summary.unmeasured > 0 {
        let _ = writeln!(text, "\n{} not measured", summary.unmeasured);
    }
    Report { text, summary }
}

const HEAD: &str = "| warp instructions | ratio | thread instr. | static | registers | spilled | warps resident | loop iterations | pinned | residual | results |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n";

fn row(one: &Comparison) -> String {
    let (before, after) = (&one.before.resources, &one.after.resources);
    let step = |(was, is): (String, String)| if was == is { is } else { format!("{was} -> {is}") };
    let pair = |get: fn(&Resources) -> usize| step((get(before).to_string(), get(after).to_string()));
    let resident =
        |resources: &Resources| resources.resident.map_or("?".to_owned(), |warps| warps.to_string());
    let results = match &one.results {
        Results::Same => "same",
        Results::Near => "near",
        Results::Wrong(_) => "**wrong**",
    };
    let counts = match one.weighted() {
        Err(_) => ["not measured", "", "", "", "", ""].map(str::to_owned),
        Ok((was, is)) => [
            format!("{:.0} -> {:.0}", was.warps, is.warps),
            format!("{:.3}", is.warps / was.warps),
            format!("{:.3}", is.threads / was.threads),
            step((iterations(was), iterations(is))),
            format!("{:.0} %", is.pinned * 100.0),
            format!("{:.3}", was.residual.max(is.residual)),
        ],
    };
    let [warps, ratio, threads, loops, pinned, residual] = counts;
    let (static_ratio, registers) = (one.static_ratio(), pair(|r| r.registers));
    let (spilled, resident) = (pair(|r| r.spilled), step((resident(before), resident(after))));
    format!(
        "| {} | {warps} | {ratio} | {threads} | {static_ratio:.3} | {registers} | {spilled} | {resident} | {loops} | {pinned} | {residual} | {results} |\n",
        one.kernel
    )
}

fn iterations(weighted: &Weighted) -> String {
    // From a positive zero: the sum of nothing is a negative one.
    format!("{:.0}", weighted.loops.iter().map(|one| one.iterations).fold(0.0, std::ops::Add::add))
}

fn add(one: &Comparison, summary: &mut Summary, classes: &mut BTreeMap<Class, [f64; 2]>, notes: &mut String) {
    match one.weighted() {
        Err(why) => {
            summary.unmeasured += 1;
            let _ = writeln!(notes, "not measured: {}: {why}", one.kernel);
        }
        Ok((before, after)) => {
            summary.ratios.push((after.warps / before.warps).ln());
            summary.registers.push(one.registers().ln());
            // Each kernel counts the same, however long it runs.
            for (class, count) in &before.classes {
                classes.entry(*class).or_default()[0] += count / before.warps;
            }
            for (class, count) in &after.classes {
                classes.entry(*class).or_default()[1] += count / before.warps;
            }
        }
    }
}

fn judge(one: &Comparison, reasons: &mut Reasons, summary: &mut Summary, notes: &mut String) {
    let way = one.way.to_string();
    if let Results::Wrong(why) = &one.results {
        summary.failed += 1;
        let _ = writeln!(notes, "failed: {}: results differ: {why}", one.kernel);
    }
    let Some(ratio) = one.ratio() else { return };
    reasons.measured(&one.kernel, &way);
    let findings = one.findings();
    for finding in &findings {
        summary.above += usize::from(matches!(finding, Finding::Longer(_)));
        summary.lost += usize::from(matches!(finding, Finding::CopiesLost(..) | Finding::TripCountsLost(..)));
        let reason = reasons.explain(&one.kernel, &way, ratio);
        if reason.is_none() && one.way.is_judged() {
            summary.unexplained += 1;
        }
        let reason = reason.map_or(String::new(), |cause| format!(" ({cause})"));
        let _ = writeln!(notes, "finding: {}: {finding}{reason}", one.kernel);
    }
}

/// The shares of the classes before and after, in parts of the instructions issued before.
fn class_table(way: &Way, classes: &BTreeMap<Class, [f64; 2]>) -> String {
    let all: f64 = classes.values().map(|[before, _]| before).sum();
    let mut text = format!("| {way}, class | before, % of issued | after | ratio |\n|---|---:|---:|---:|\n");
    // What only paths have that are not taken is issued 0 times.
    for (class, [before, after]) in classes.iter().filter(|(_, [before, after])| before + after > 0.0) {
        let ratio = if *before > 0.0 { format!("{:.2}", after / before) } else { "new".to_owned() };
        let percent = |count: &f64| 100.0 * count / all;
        let _ = writeln!(text, "| {class} | {:.2} | {:.2} | {ratio} |", percent(before), percent(after));
    }
    text
}

/// A comparison as an object.
pub fn object(name: &str, attempt: &Attempt) -> Value {
    match attempt {
        Err(error) => json!({"kernel": name, "failed": format!("{error:#}")}),
        Ok(one) => json!({
            "kernel": one.kernel,
            "way": one.way.to_string(),
            "ratio": one.ratio(),
            "static": one.static_ratio(),
            "results": match &one.results {
                Results::Same => "same",
                Results::Near => "near",
                Results::Wrong(_) => "wrong",
            },
            "findings": one.findings().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "before": side(&one.before),
            "after": side(&one.after),
        }),
    }
}

fn side(measured: &Measured) -> Value {
    let resources = &measured.resources;
    let mut object = json!({
        "architecture": resources.architecture,
        "instructions": resources.instructions,
        "registers": resources.registers,
        "spilled": resources.spilled,
        "frame": resources.frame,
        "resident_warps": resources.resident,
    });
    match &measured.weighted {
        Err(why) => object["not_measured"] = json!(why.to_string()),
        Ok(weighted) => {
            object["warps"] = json!(weighted.warps);
            object["threads"] = json!(weighted.threads);
            object["pinned"] = json!(weighted.pinned);
            object["residual"] = json!(weighted.residual);
            let classes = weighted.classes.iter().map(|(class, count)| (class.to_string(), json!(count)));
            object["classes"] = Value::Object(classes.collect());
            let one = |one: &MachineLoop| json!({"line": one.line, "trips": one.trips, "copies": one.copies, "entries": one.entries, "iterations": one.iterations});
            object["loops"] = weighted.loops.iter().map(one).collect();
        }
    }
    object
}

/// Each block of a kernel's machine code with its count, lanes, and the PTX line and its count beside each instruction.
pub fn explanation(ptx: &str, measured: &Measured) -> String {
    let lines: Vec<&str> = ptx.lines().collect();
    let mut text = String::new();
    let Some(estimate) = &measured.estimate else {
        let why = measured.weighted.as_ref().err().map(ToString::to_string);
        return format!("not measured: {}\n", why.unwrap_or_default());
    };
    for block in &estimate.blocks {
        let (pinned, slow) =
            (if block.is_pinned { "" } else { ", open" }, if block.is_slow { ", slow path" } else { "" });
        let _ = writeln!(
            text,
            "--- {}: {:.0} threads, {:.1} lanes, {:.0} warps{pinned}{slow}",
            block.function,
            block.threads,
            block.lanes,
            block.warps()
        );
        for one in &block.instructions {
            let number = one.line.map_or(String::new(), |line| line.to_string());
            let source =
                one.line.and_then(|line| lines.get(line as usize - 1)).copied().map_or("", str::trim);
            let threads = one.line.and_then(|line| measured.source.lines.get(&line));
            let threads = threads.map_or(String::new(), |line| line.threads.to_string());
            let guard = one.guard.as_deref().map_or("", |guard| guard);
            let code = format!("{guard:5} {} {}", one.opcode, one.operands);
            let _ =
                writeln!(text, "  {:04x} {code:60.60} | {number:>5} {threads:>9} {source:.70}", one.address);
        }
    }
    for one in &estimate.loops {
        let line = one.line.map_or("none".to_owned(), |line| line.to_string());
        let _ = writeln!(
            text,
            "loop of PTX line {line}: {:.2} trips, {} copies, entered {:.0} times, {:.0} iterations",
            one.trips, one.copies, one.entries, one.iterations
        );
    }
    let _ =
        writeln!(text, "residual {:.4}, {:.0} % pinned", estimate.residual, estimate.pinned_share() * 100.0);
    text
}

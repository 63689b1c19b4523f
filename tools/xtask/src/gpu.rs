//! Jobs for a GPU and what came of them: `cargo xtask gpu-cases` and `cargo xtask gpu-record`, the two ends of `scripts/gpu-golden`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use test_suite::gpu::{Device, Output, job, record};
use test_suite::trial::{Case, collect};

use crate::cargo::workspace;

/// Writes the jobs into a file, one as JSON on each line, and prints how many there are.
pub(crate) fn write_cases(file: &Path) -> Result<()> {
    let (mut lines, mut launches, mut left_out) = (Vec::new(), 0, BTreeMap::<&str, usize>::new());
    for case in cases()? {
        match job(&case).with_context(|| case.name.clone())? {
            Ok(job) => {
                launches += job.launches.len();
                lines.push(serde_json::to_string(&job)? + "\n");
            }
            Err("not executed") => {}
            Err(why) => *left_out.entry(why).or_default() += 1,
        }
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, lines.concat()).with_context(|| file.display().to_string())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{launches} launches of {} files", lines.len())?;
    for (why, count) in left_out {
        writeln!(out, "left out: {count} files ({why})")?;
    }
    Ok(())
}

/// Judges what a GPU gave: what the cases expect is recorded, and the rest printed.
pub(crate) fn record_outputs(file: &Path) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut lines = text.lines();
    let device: Device = serde_json::from_str(lines.next().context("the file is empty")?)?;
    let mut outputs: BTreeMap<String, Vec<Output>> = BTreeMap::new();
    for line in lines {
        let output: Output = serde_json::from_str(line)?;
        outputs.entry(output.name.clone()).or_default().push(output);
    }
    let mut out = std::io::stdout().lock();
    let (mut recorded, mut failed) = (0, 0);
    for case in cases()? {
        let Some(outputs) = outputs.remove(&case.name) else { continue };
        let job = job(&case)?.map_err(anyhow::Error::msg).with_context(|| case.name.clone())?;
        match record(&case, &job, &device, &outputs) {
            Ok(recording) => {
                let path = recording.path(&workspace().join("test-suite/gpu"), &case.name);
                path.parent().map(fs::create_dir_all).transpose()?;
                fs::write(path, serde_json::to_string_pretty(&recording)? + "\n")?;
                recorded += 1;
            }
            Err(error) => {
                writeln!(out, "{}: {error:#}", case.name)?;
                failed += 1;
            }
        }
    }
    writeln!(out, "{}: {recorded} files recorded, {failed} differ", device.device)?;
    ensure!(outputs.is_empty(), "no such cases: {:?}", outputs.keys());
    ensure!(failed == 0, "the GPU gave something else than {failed} cases expect");
    Ok(())
}

fn cases() -> Result<Vec<Case>> {
    let (cases, complaints) = collect(&workspace().join("test-suite/cases"))?;
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(cases)
}

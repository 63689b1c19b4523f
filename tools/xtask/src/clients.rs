//! Real clients of CUDA, run without a GPU: `cargo xtask clients`.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use clap::Args;
use test_suite::clients::{CLIENTS, Client, Expected, Outcome, Packages, Run, Tools};

use crate::cargo::{cargo, workspace};

/// Which clients are run.
#[derive(Args)]
pub(crate) struct ClientsArguments {
    /// List the clients, with their packages and runs
    #[arg(long)]
    list: bool,
    /// Run these clients only
    #[arg(long = "client", value_name = "NAME")]
    clients: Vec<String>,
    /// Run what `scripts/test --all` runs
    #[arg(long)]
    small: bool,
    /// Run only what has this in its name
    #[arg(long, value_name = "TEXT")]
    run: Option<String>,
    /// Time limit of a run in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    limit: u64,
}

/// Runs clients with a release build, and compares what fails with the table.
pub(crate) fn run(arguments: &ClientsArguments) -> Result<()> {
    let mut out = io::stdout().lock();
    for name in &arguments.clients {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        ensure!(names.contains(&name.as_str()), "there is no client {name}; there are {}", names.join(", "));
    }
    let is_chosen = |client: &&Client| {
        arguments.clients.is_empty() || arguments.clients.iter().any(|name| name == client.name)
    };
    let chosen = || CLIENTS.iter().filter(is_chosen);
    if arguments.list {
        return chosen().try_for_each(|client| list(&mut out, client));
    }
    let packages = ["-p", "ptx-cuda-tool", "-p", "ptx-cuda", "-p", "ptx-nvjitlink", "-p", "ptx-exec-c"];
    let built = cargo()
        .args(["build", "--quiet", "--release", "--features", "ptx-cuda/jit,ptx-exec-c/jit"])
        .args(packages)
        .status()?;
    ensure!(built.success(), "the libraries do not build");
    let tools = Tools::new(workspace().join("target/release"), Duration::from_secs(arguments.limit), tell);
    let expected = Expected::read()?;
    let mut found = Vec::new();
    for client in chosen() {
        let packages = match Packages::install(client, &workspace().join("target/clients")) {
            Ok(packages) => packages,
            Err(error) => {
                writeln!(out, "skipped: {error}")?;
                continue;
            }
        };
        let named = |run: &&Run| arguments.run.as_ref().is_none_or(|text| run.name.contains(text.as_str()));
        for run in client.runs.iter().filter(named).filter(|run| run.small || !arguments.small) {
            let start = Instant::now();
            let outcome = tools.run(client, run, &packages);
            let (passed, failed, skipped) = (outcome.passed, outcome.failed.len(), outcome.skipped);
            let seconds = start.elapsed().as_secs();
            writeln!(
                out,
                "{} {}: {passed} passed, {failed} failed, {skipped} skipped, {seconds} s",
                client.name, run.name
            )?;
            for test in &outcome.failed {
                match expected.reason(test) {
                    Some(reason) => writeln!(out, "  {test}: {reason}")?,
                    // It is a difference, which is shown at the end.
                    None => writeln!(out, "  {test}")?,
                }
            }
            let differences = expected.differences(client.name, run.name, &outcome)?;
            if !differences.is_empty() {
                writeln!(out, "{}\n", outcome.tail)?;
            }
            found.extend(differences);
            out.flush()?;
        }
    }
    if !found.is_empty() {
        bail!("{} differences from test-suite/clients/expected.tsv:\n{}", found.len(), found.join("\n"));
    }
    Ok(())
}

/// Writes what became of a file of tests to standard error: a run has many of them.
fn tell(file: &str, outcome: &Outcome) {
    let Outcome { passed, failed, skipped, tail } = outcome;
    let mut text = format!("  {file}: {passed} passed, {} failed, {skipped} skipped\n", failed.len());
    if !failed.is_empty() {
        text += &format!("{}\n{tail}\n", failed.join("\n"));
    }
    // An error of writing to standard error has nowhere to be reported.
    let _ = io::stderr().write_all(text.as_bytes());
}

fn list(out: &mut impl Write, client: &Client) -> Result<()> {
    writeln!(out, "{}: {}", client.name, client.packages.join(" "))?;
    for run in client.runs {
        writeln!(out, "  {}{}", run.name, if run.small { "" } else { " (not in scripts/test --all)" })?;
    }
    Ok(())
}

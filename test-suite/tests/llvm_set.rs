//! LLVM IR there and back: PTX verifies again and leaves the same in memory, as LLVM does on the host.
#![allow(clippy::print_stdout)] // a test program reports to the terminal

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use test_suite::llvm_set::{Configuration, Execution, Host, Reasons, configurations, judge, unexplained};
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};
use test_suite::skip::Skips;

/// Of the shared set one configuration in this many is judged; `cargo xtask ll-set` judges all.
const SAMPLE: usize = 25;

/// How many functions were executed, and how many of them on the host too.
type Counts = Arc<Mutex<(usize, usize)>>;

fn main() -> ExitCode {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let oracles = Arc::new(Oracles::find(&nvidia_folder(), &llvm_folder()));
    let lli = Some(llvm_folder().join("bin/lli")).filter(|path| path.is_file() && oracles.opt.is_some());
    let skips = Arc::new(Skips::default());
    let counts = Counts::default();
    let shared = std::env::var_os("PTX_SHARED").map_or(PathBuf::from("../shared"), PathBuf::from);
    let shared = workspace.join(shared);
    let mut all = own(&workspace.join("test-suite/cases/llvm"));
    if shared.join("llvm-ir/manifest.tsv").is_file() {
        match configurations(&shared, &workspace.join("target")) {
            Ok(set) => all.extend(set.into_iter().step_by(SAMPLE)),
            Err(error) => {
                println!("the shared set: {error:#}");
                return ExitCode::FAILURE;
            }
        }
    } else {
        skips.count("no shared folder: LLVM's tests are not executed");
    }
    if oracles.ptxas.is_none() {
        skips.count("no ptxas: PTX of LLVM IR not judged");
    }
    if lli.is_none() {
        skips.count("no lli or opt: LLVM IR is not executed on the host");
    }
    let arguments = Arguments::from_args();
    // What the reasons and counts say holds for all of them.
    let complete = arguments.filter.is_none() && testing::takes_all();
    if arguments.filter.is_none() {
        all = testing::sample("modules of LLVM IR there and back", all, 24);
    }
    let has_host = lli.is_some();
    let trials = all.into_iter().map(|configuration| {
        let (oracles, lli, counts) = (Arc::clone(&oracles), lli.clone(), Arc::clone(&counts));
        Trial::test(configuration.name.clone(), move || hold(&configuration, &oracles, lli.as_ref(), &counts))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    println!("{}", skips.summary());
    let (executed, on_host) = *counts.lock().unwrap_or_else(PoisonError::into_inner);
    println!("{executed} functions executed, {on_host} of them on the host too");
    // Of the project's own files alone there are so many.
    if complete && (executed < 40 || has_host && on_host < 20) {
        println!("too few");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

/// The project's own files.
fn own(folder: &Path) -> Vec<Configuration> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ll"));
    paths.sort();
    let configuration = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Configuration { name, path, sm: None }
    };
    paths.into_iter().map(configuration).collect()
}

fn hold(
    configuration: &Configuration,
    oracles: &Oracles,
    lli: Option<&PathBuf>,
    counts: &Counts,
) -> Result<(), Failed> {
    let text = std::fs::read(&configuration.path)?;
    let report = judge(&String::from_utf8_lossy(&text), configuration.sm, oracles, lli)?;
    let unexplained = unexplained(configuration, &report, &Reasons::own()?);
    if !unexplained.is_empty() {
        return Err(unexplained.join("\n").into());
    }
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    for (_, execution) in &report.functions {
        counts.0 += usize::from(matches!(execution, Execution::Same(_)));
        counts.1 += usize::from(matches!(execution, Execution::Same(Host::Same)));
    }
    Ok(())
}

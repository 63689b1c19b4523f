//! How far real PTX comes: `cargo xtask corpus`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use test_suite::corpus::{self, Stage};
use test_suite::oracle::{Oracles, llvm_folder, nvidia_folder};

use crate::cargo::{jobs, workspace};

/// What is measured.
#[derive(Args)]
pub(crate) struct CorpusArguments {
    /// Files to check instead of the corpus
    files: Vec<PathBuf>,
    /// Folders of the corpus [default: all]
    #[arg(long, value_delimiter = ',')]
    folders: Vec<String>,
    /// Stages to run, in addition to those that they need [default: all]
    #[arg(long, value_delimiter = ',', value_parser = stage_named)]
    stages: Vec<Stage>,
    /// Check one file in this many
    #[arg(long, default_value_t = 1)]
    sample: usize,
    /// Seconds a file may take
    #[arg(long, default_value_t = 120)]
    limit: u64,
    /// The folder of the shared data [default: $PTX_SHARED, else ../shared, else the files of test-suite/corpus]
    #[arg(long)]
    shared: Option<PathBuf>,
}

/// The judges that are installed.
pub(crate) fn oracles() -> Oracles {
    Oracles::find(&nvidia_folder(), &llvm_folder())
}

/// The folder with the material for measuring: as asked for, else as the environment says, else beside the workspace.
pub(crate) fn shared_folder(asked: Option<&PathBuf>) -> PathBuf {
    match (asked, std::env::var_os("PTX_SHARED")) {
        (Some(folder), _) => folder.clone(),
        (None, Some(folder)) => workspace().join(folder),
        (None, None) => workspace().join("../shared"),
    }
}

/// The corpus that is part of the repository (test-suite/corpus), of some folders or of all.
fn own_files(folders: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = corpus::own_files()?;
    let folder = |file: &PathBuf| {
        file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned())
    };
    files.retain(|file| folders.is_empty() || folder(file).is_some_and(|own| folders.contains(&own)));
    Ok(files)
}

/// Judges the files, prints the table, the failures by kind and every file that failed.
pub(crate) fn measure(arguments: &CorpusArguments) -> Result<()> {
    let files =
        sampled_files(&arguments.files, &arguments.folders, arguments.sample, arguments.shared.as_ref())?;
    let jobs = jobs();
    let stages = if arguments.stages.is_empty() { &Stage::ALL } else { arguments.stages.as_slice() };
    let limit = Duration::from_secs(arguments.limit);
    let reports = corpus::measure(&std::env::current_exe()?, stages, &files, jobs, limit)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", corpus::summary(&reports))?;
    if reports.iter().any(|report| report.passed(Stage::Lower)) {
        writeln!(out, "{}", corpus::counts_table(&reports))?;
    }
    for (stage, text, paths) in corpus::classes(&reports) {
        let example = paths.first().map_or(Path::new(""), PathBuf::as_path);
        writeln!(out, "{:9} {:4} x {text}\n            {}", stage.as_str(), paths.len(), example.display())?;
    }
    Ok(())
}

fn stage_named(name: &str) -> Result<Stage, String> {
    let names = Stage::ALL.map(Stage::as_str).join(", ");
    Stage::parse(name).ok_or_else(|| format!("the stages are {names}"))
}

/// The files named, else one in `sample` of those of the corpus that ptxas accepts, of these folders.
pub(crate) fn sampled_files(
    named: &[PathBuf],
    folders: &[String],
    sample: usize,
    shared: Option<&PathBuf>,
) -> Result<Vec<PathBuf>> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let asked = shared.is_some() || std::env::var_os("PTX_SHARED").is_some();
    let shared = shared_folder(shared);
    if !asked && !shared.join("corpus/manifest.tsv").is_file() {
        return Ok(own_files(folders)?.into_iter().step_by(sample.max(1)).collect());
    }
    let unpacked = corpus::unpack(&shared.join("corpus/ptx.tar.xz"), &workspace().join("target"))?;
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    let all = corpus::accepted_files(&shared.join("corpus/manifest.tsv"), &unpacked, &folders)?;
    Ok(all.into_iter().step_by(sample.max(1)).collect())
}

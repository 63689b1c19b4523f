//! Many inputs, each translated separately into a folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use ptx_diag::{Diagnostic, Diagnostics, Format};

use crate::code;
use crate::failure::{ExitStatus, Failure};
use crate::program::forget_input;
use crate::progress_bar::{set_bar, show_input};
use crate::terminal::Terminal;

/// Inputs that are translated one by one.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Each input file with its output file; `None` without one.
    pub files: Vec<(PathBuf, Option<PathBuf>)>,
}

/// The files that the summary names.
const MOST_NAMED: usize = 10;

/// The maximum nesting depth of folders.
const MOST_LEVELS: usize = 64;

impl Batch {
    /// Collects the files among the inputs, and in the folders among them the files with one of the suffixes, at any depth, sorted by
    /// name. The outputs have the same paths in the folder of `product` as the inputs in theirs, with its suffix.
    ///
    /// # Errors
    ///
    /// A folder that cannot be read or contains no such file, and two inputs with the same output.
    pub fn new(
        inputs: &[PathBuf],
        suffixes: &[&str],
        product: Option<(&Path, &str)>,
    ) -> Result<Self, Failure> {
        let mut files: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
        let target = |below: &Path| product.map(|(folder, suffix)| folder.join(below).with_extension(suffix));
        for input in inputs {
            if !input.is_dir() {
                let name = input.file_name().map_or_else(|| PathBuf::from("stdin"), PathBuf::from);
                files.push((input.clone(), target(&name)));
                continue;
            }
            let mut found = Vec::new();
            collect(input, suffixes, MOST_LEVELS, &mut found)?;
            if found.is_empty() {
                let kinds: Vec<String> = suffixes.iter().map(|suffix| format!(".{suffix}")).collect();
                let message = format!("`{}` contains no {} file", input.display(), kinds.join(" or "));
                return Err(refused(input, message, "specify files with this suffix, or another folder"));
            }
            files.extend(found.into_iter().map(|file| {
                let below = file.strip_prefix(input).unwrap_or(&file).to_owned();
                (file, target(&below))
            }));
        }
        let mut made: HashMap<&Path, &Path> = HashMap::with_capacity(files.len());
        for (file, product) in &files {
            let Some(product) = product else { continue };
            if let Some(other) = made.insert(product, file) {
                let (other, product) = (other.display(), product.display());
                let message = format!("`{other}` and `{}` would both become `{product}`", file.display());
                return Err(refused(file, message, "translate them into two folders"));
            }
        }
        Ok(Self { files })
    }
}

/// Collects the files of a folder that have one of the suffixes.
fn collect(folder: &Path, suffixes: &[&str], levels: usize, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error: std::io::Error| {
        let name = folder.display().to_string();
        let finding =
            Diagnostic::error_without_place(code::UNREADABLE, format!("cannot read `{name}`: {error}"));
        Failure::about(ExitStatus::Rejected, &name, finding)
    };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    for path in paths {
        let has_suffix = || {
            let suffix = path.extension().and_then(|suffix| suffix.to_str());
            suffix.is_some_and(|suffix| suffixes.contains(&suffix))
        };
        if path.is_dir() {
            // Links can form cycles.
            if levels > 0 && !path.is_symlink() {
                collect(&path, suffixes, levels - 1, found)?;
            }
        } else if has_suffix() {
            found.push(path);
        }
    }
    Ok(())
}

/// Translates each file, continues after files that fail, and shows the progress if standard error is a terminal.
///
/// # Errors
///
/// If files failed. Their number and the diagnostics of each are already reported.
pub fn run_batch(
    terminal: Terminal,
    batch: &Batch,
    mut work: impl FnMut(&Path, Option<&Path>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let bar = match terminal.format() {
        Format::Human(_) if batch.files.len() > 1 => ProgressBar::new(batch.files.len() as u64),
        _ => ProgressBar::hidden(),
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    set_bar(Some(bar.clone()));
    let (mut failed, mut status, mut has_run) = (Vec::new(), ExitStatus::Rejected, false);
    for (file, product) in &batch.files {
        show_input(file.display().to_string());
        forget_input();
        let made =
            product.as_deref().map_or(Ok(()), make_folder).and_then(|()| work(file, product.as_deref()));
        if let Err(failure) = made {
            status = failure.status();
            has_run |= status == ExitStatus::Failed;
            let name = file.display().to_string();
            failure.of_input(&name).report(terminal);
            failed.push(name);
        }
        bar.inc(1);
    }
    set_bar(None);
    bar.finish_and_clear();
    if failed.is_empty() {
        return Ok(());
    }
    if batch.files.len() > 1 {
        let what = if has_run { "failed" } else { "were rejected" };
        let more = if failed.len() > MOST_NAMED { ", .." } else { "" };
        let names = failed.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        terminal.say(format!("{} of {} files {what}: {names}{more}", failed.len(), batch.files.len()));
    }
    Err(Failure::about_several(status, Vec::new()))
}

/// Creates the folder of a file.
fn make_folder(file: &Path) -> Result<(), Failure> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| {
        let name = folder.display().to_string();
        let message = format!("cannot make the folder `{name}`: {error}");
        Failure::about(
            ExitStatus::Rejected,
            &name,
            Diagnostic::error_without_place(code::UNWRITABLE, message),
        )
    })
}

/// Rejects folders among inputs that are not translated separately.
///
/// # Errors
///
/// Wrong usage, if there is a folder.
pub fn refuse_folders(inputs: &[PathBuf]) -> Result<(), Failure> {
    match inputs.iter().find(|input| input.is_dir()) {
        Some(folder) => Err(refused(folder, format!("`{}` is a folder", folder.display()), FOLDER_HELP)),
        None => Ok(()),
    }
}

/// The help for a folder among the inputs.
const FOLDER_HELP: &str = "--output-dir translates each file in it";

fn refused(path: &Path, message: String, help: &str) -> Failure {
    let mut findings = Diagnostics::new();
    findings.push(Diagnostic::error_without_place(code::USAGE, message).with_help(help));
    let source = ptx_diag::SourceFile::new(path.display().to_string(), Vec::new());
    Failure::new(ExitStatus::Usage, source, findings)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn tens_of_thousands_of_inputs_take_no_time_to_compare() {
        let mut inputs: Vec<PathBuf> =
            (0..30_000).map(|at| PathBuf::from(format!("in/file{at}.ptx"))).collect();
        let product = Some((Path::new("out"), "ll"));
        let start = Instant::now();
        let batch = Batch::new(&inputs, &["ptx"], product).expect("all are different");
        // All pairs of them would take minutes.
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert_eq!(
            batch.files.last().and_then(|(_, product)| product.clone()),
            Some("out/file29999.ll".into())
        );
        inputs.push(PathBuf::from("other/file7.ptx"));
        let failure = Batch::new(&inputs, &["ptx"], product).expect_err("two are called file7.ptx");
        assert!(
            format!("{failure:?}")
                .contains("`in/file7.ptx` and `other/file7.ptx` would both become `out/file7.ll`")
        );
    }
}

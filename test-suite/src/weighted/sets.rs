//! The kernels that are measured, with their launches.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use ptx_exec::{Completion, Launch, Outcome};

use crate::directive::{self, Ending};
use crate::kernels::{Given, KERNELS, Size, Workload, words};
use crate::stage;
use crate::trial::{Case, files};

/// The names of the sets: the kernels of `bench/`, and folders of `cases/`.
pub const SETS: [&str; 5] = ["bench", "cuda", "toolkit", "triton", "opt"];

/// A kernel with a launch that has to finish.
#[derive(Debug)]
pub struct Kernel {
    /// The set that it belongs to.
    pub set: &'static str,
    /// `set/file/entry`; `set/entry` where the file has the name of its kernel.
    pub name: String,
    /// The PTX text.
    pub ptx: String,
    /// The launch.
    pub launch: Launch,
    /// The CUDA source beside it, which compiles to the same kernels.
    cuda: Option<PathBuf>,
    judge: Judge,
}

/// What decides whether results are right.
#[derive(Debug)]
enum Judge {
    Workload(Workload),
    Directive(directive::Launch),
}

impl Kernel {
    /// Its CUDA source.
    ///
    /// # Errors
    /// When the set has none.
    pub fn source(&self) -> Result<&Path> {
        self.cuda.as_deref().with_context(|| format!("{} has no CUDA source", self.name))
    }

    /// Whether what a launch of other code of the kernel left is right: as near to what is expected as the kernel's description wants it, for kernels of `bench/`
    /// to what the original left.
    ///
    /// # Errors
    /// What is wrong.
    pub fn judge(&self, original: &Outcome, outcome: &Outcome) -> Result<()> {
        match &self.judge {
            Judge::Directive(launch) => {
                stage::judge(launch, &String::from_utf8_lossy(&outcome.output), &outcome.buffers)
            }
            Judge::Workload(work) => {
                let buffers = original.buffers.iter().zip(&outcome.buffers);
                for (given, (wanted, got)) in work.arguments.iter().zip(buffers) {
                    if let Given::Buffer { name, .. } = given {
                        let [wanted, got] = [wanted, got].map(|bytes| bytes.as_deref().map(words));
                        let (wanted, got) = wanted.zip(got).context("a buffer did not come back")?;
                        work.judge(name, &wanted, &got)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// The kernels of a set whose names `is_wanted` selects. `root` is the folder of the test suite.
///
/// # Errors
/// When the set does not exist, or a file cannot be read.
pub fn kernels(root: &Path, set: &str, size: Size, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Kernel>> {
    let set = SETS.into_iter().find(|known| *known == set);
    let set = set.with_context(|| format!("the sets are {}", SETS.join(", ")))?;
    if set == "bench" {
        return bench(root, size, is_wanted);
    }
    let folder = root.join("cases").join(set);
    let mut all = Vec::new();
    for path in files(&folder)?.iter().filter(|path| path.extension().is_some_and(|e| e == "ptx")) {
        let case = Case::read(&folder, path).with_context(|| path.display().to_string())?;
        let file = case.name.trim_end_matches(".ptx");
        let has_to_finish = |launch: &&directive::Launch| {
            launch.ending == Ending::Finish && launch.completion == Completion::Eager
        };
        for launch in case.directives.launches.iter().filter(has_to_finish) {
            let entry = &launch.entry;
            let name = if entry == file { format!("{set}/{file}") } else { format!("{set}/{file}/{entry}") };
            if all.iter().any(|known: &Kernel| known.name == name) || !is_wanted(&name) {
                continue;
            }
            let text = std::str::from_utf8(case.source().text())?.to_owned();
            all.push(Kernel {
                set,
                name,
                ptx: text,
                launch: stage::exec_launch(launch, NonZeroUsize::MIN),
                cuda: Some(path.with_extension("cu")).filter(|source| source.exists()),
                judge: Judge::Directive(launch.clone()),
            });
        }
    }
    Ok(all)
}

fn bench(root: &Path, size: Size, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Kernel>> {
    let mut all = Vec::new();
    for kernel in KERNELS {
        let name = format!("bench/{kernel}");
        if is_wanted(&name) {
            let path = root.join("bench/ptx").join(format!("{kernel}.ptx"));
            let ptx = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let work = Workload::new(kernel, size)?;
            let mut launch = work.launch();
            launch.threads = Some(NonZeroUsize::MIN);
            all.push(Kernel { set: "bench", name, ptx, launch, cuda: None, judge: Judge::Workload(work) });
        }
    }
    Ok(all)
}

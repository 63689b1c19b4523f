//! Kernels for known launches (`ptx-specialize`): all that a launch says is assumed, and the results are those that the launch expects.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use ptx_diag::SourceFile;
use ptx_llvm_core::Context;
use ptx_specialize::specialize;
use test_suite::assumed::{assumptions, specialized};
use test_suite::directive::{Ending, Launch, parse};
use test_suite::stage;

/// The PTX files below a folder of cases, in order.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder of cases");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "ptx"));
    files.sort();
    files
}

/// Executes a launch with a kernel that is made for it: with LLVM's passes, or without LLVM.
fn check(path: &Path, launch: &Launch, with_llvm: bool) -> Result<()> {
    let text = std::fs::read_to_string(path)?;
    let source = SourceFile::new(path.display().to_string(), text);
    let exec = stage::exec_launch(launch, NonZeroUsize::MIN);
    let (text, name) = if with_llvm {
        let (ir, name) = specialized(source.name(), &String::from_utf8_lossy(source.text()), &exec)?;
        (stage::raise(&mut stage::read_llvm(&Context::new()?, "specialized", &ir)?)?, name)
    } else {
        let mut module = stage::read_and_verify(&source)?;
        let assumed = assumptions(&module, &exec);
        let made = specialize(&mut module, &assumed).with_context(|| assumed.to_string())?;
        (ptx_ir::print(&module), made.name)
    };
    ensure!(text.contains(&format!("{}_assumptions", name)), "the module says what is assumed");
    let launch = Launch { entry: name, ..launch.clone() };
    stage::execute(&SourceFile::new("specialized.ptx", text), &launch, NonZeroUsize::MIN, None)
}

/// Checks every launch of these files that has to finish.
fn check_all(files: &[PathBuf], with_llvm: bool) {
    let mut checked = 0;
    for path in files {
        let text = std::fs::read_to_string(path).expect("readable");
        let directives = parse(path, &text).expect("directives");
        for launch in directives.launches.iter().filter(|launch| launch.ending == Ending::Finish) {
            let result = check(path, launch, with_llvm);
            result.unwrap_or_else(|error| panic!("{} {}: {error:?}", path.display(), launch.entry));
            checked += 1;
        }
    }
    assert!(checked >= files.len() / 2, "{checked} launches of {} files", files.len());
}

#[test]
fn kernels_for_launches_of_the_benchmark_compute_the_same() {
    check_all(&files("bench"), true);
}

#[test]
fn constants_alone_change_no_result() {
    for folder in ["bench", "cuda"] {
        check_all(&files(folder), false);
    }
}

#[test]
fn kernels_for_launches_of_other_compilers_compute_the_same() {
    for folder in ["cuda", "triton"] {
        let files = testing::sample("launches of kernels for them alone", files(folder), 6);
        check_all(&files, true);
    }
}

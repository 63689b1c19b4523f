//! How fast the front half reads, checks and prints a large file.
//!
//! The file is made here: the kernels of the test-suite's benchmark programs, repeated under other names up to the
//! asked size. `docs/performance.md` has the figures.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, Throughput};
use ptx_diag::SourceFile;
use ptx_ir::print;
use ptx_syntax::parse;
use ptx_verify::verify;

/// How large the file is at least, in bytes.
const SIZE: usize = 8 << 20;

/// The programs' texts, each with the name of its kernel, which all its names at module level contain.
fn programs(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).expect("the benchmark programs");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        (name, std::fs::read_to_string(path).expect("a program"))
    };
    paths.iter().map(read).collect()
}

/// One file of at least [`SIZE`] bytes with the kernels of all programs, again and again.
fn large_file() -> String {
    let programs = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test-suite/cases/bench"));
    let mut text = String::from(".version 9.5\n.target sm_80\n.address_size 64\n");
    for round in 0.. {
        for (name, program) in &programs {
            let (_, kernels) = program.split_once(".address_size 64\n").expect("a header");
            let renamed = kernels.replace(name.as_str(), &format!("{name}_{round}"));
            text.push_str(&renamed.replace("K256", &format!("K256_{round}")));
        }
        if text.len() >= SIZE {
            break;
        }
    }
    text
}

fn main() {
    let text = large_file();
    // Other programs can be measured with the same text.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("front_half.ptx");
    std::fs::write(&path, &text).expect("a folder for the file");

    let source = SourceFile::new("front_half.ptx", text.clone().into_bytes());
    let (module, findings) = parse(&source);
    assert!(!findings.has_errors() && verify(&module).is_ok(), "the file must be valid");

    let mut criterion = Criterion::default().measurement_time(Duration::from_secs(4)).configure_from_args();
    let mut group = criterion.benchmark_group("front half");
    group.sample_size(20).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse", |bencher| bencher.iter_with_large_drop(|| parse(black_box(&source))));
    group.bench_function("parse and verify", |bencher| {
        bencher.iter_with_large_drop(|| {
            let (module, findings) = parse(black_box(&source));
            assert!(verify(&module).is_ok());
            (module, findings)
        });
    });
    group.throughput(Throughput::Bytes(print(&module).len() as u64));
    group.bench_function("print", |bencher| bencher.iter_with_large_drop(|| print(black_box(&module))));
    group.finish();
    criterion.final_summary();
}

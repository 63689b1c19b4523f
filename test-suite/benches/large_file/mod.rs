//! Generates the input: the kernels of the test-suite's benchmark programs, repeated under other names up to the given
//! size.

mod processor_time;

use std::path::{Path, PathBuf};

pub use processor_time::ProcessorTime;

/// How large the file of most measurements is at least, in bytes.
pub const SIZE: usize = 8 << 20;

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

/// One file of at least `size` bytes with the kernels of all programs, again and again.
pub fn large_file(size: usize) -> String {
    let programs = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/bench"));
    let mut text = String::from(".version 9.5\n.target sm_80\n.address_size 64\n");
    for round in 0.. {
        for (name, program) in &programs {
            let (_, kernels) = program.split_once(".address_size 64\n").expect("a header");
            let renamed = kernels.replace(name.as_str(), &format!("{name}_{round}"));
            text.push_str(&renamed.replace("K256", &format!("K256_{round}")));
        }
        if text.len() >= size {
            break;
        }
    }
    text
}

//! Tells this build from others: `PTX_HOST_SOURCES` is the hash of all sources that decide what code a kernel becomes, and what the code and the
//! runtime know of each other. The version does not change with each change of them; kernels in a cache on disk may be of another build.

use std::fs;
use std::path::{Path, PathBuf};

/// Outside of the workspace only the sources of this crate are there; the versions of the others are fixed by this one's then.
const SOURCES: [&str; 7] = [
    "src",
    "../ptx-host-rt/src",
    "../ptx-exec/src",
    "../ptx-program/src",
    "../ptx-llvm-core/src",
    "../ptx-isa/src",
    "../../Cargo.lock",
];

fn main() {
    let mut hasher = blake3::Hasher::new();
    for source in SOURCES.map(Path::new).into_iter().filter(|source| source.exists()) {
        println!("cargo:rerun-if-changed={}", source.display());
        let mut files = Vec::new();
        add(source, &mut files);
        files.sort();
        for file in files {
            let contents = fs::read(&file).unwrap_or_default();
            let name = file.to_string_lossy();
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
            hasher.update(&(contents.len() as u64).to_le_bytes()).update(&contents);
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=PTX_HOST_SOURCES={}", hasher.finalize().to_hex());
}

/// The files of a folder, at any depth.
fn add(path: &Path, files: &mut Vec<PathBuf>) {
    match fs::read_dir(path) {
        Ok(items) => items.flatten().for_each(|item| add(&item.path(), files)),
        Err(_) => files.push(path.to_owned()),
    }
}

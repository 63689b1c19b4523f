//! Links LLVM 22: its shared library by default, its static libraries with the feature `static`.
//!
//! llvm-sys could do it, but chooses by features that exclude each other, so that `--features static` alone would not
//! be enough in a workspace; it is told not to link instead.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".to_owned());
    let config = Path::new(&prefix).join("bin/llvm-config");
    let version = llvm_config(&config, &["--version"]);
    assert!(version.starts_with("22."), "LLVM 22 is needed, {prefix} holds {version}");
    println!("cargo:rustc-link-search=native={}", llvm_config(&config, &["--libdir"]));

    let (kind, mode) = match std::env::var_os("CARGO_FEATURE_STATIC") {
        Some(_) => ("static", "--link-static"),
        None => ("dylib", "--link-shared"),
    };
    for file in llvm_config(&config, &["--libnames", mode]).split_whitespace() {
        let stem = file.strip_prefix("lib").unwrap_or(file);
        let name = stem.strip_suffix(".a").or(stem.strip_suffix(".so")).unwrap_or(stem);
        println!("cargo:rustc-link-lib={kind}={name}");
    }
    for flag in llvm_config(&config, &["--system-libs", mode]).split_whitespace() {
        link_system_library(flag);
    }
    if kind == "static" {
        println!("cargo:rustc-link-lib=dylib=stdc++");
    }
}

/// Links what llvm-config names as `-lNAME` or as the path of a shared library.
fn link_system_library(flag: &str) {
    if let Some(name) = flag.strip_prefix("-l") {
        println!("cargo:rustc-link-lib=dylib={name}");
        return;
    }
    let path = PathBuf::from(flag);
    let stem = path.file_name().and_then(|file| file.to_str()).and_then(|file| file.strip_prefix("lib"));
    let name = stem.and_then(|stem| stem.split(".so").next());
    let (Some(folder), Some(name)) = (path.parent(), name) else {
        panic!("llvm-config names a system library in a form that is not known: {flag}");
    };
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib={name}");
}

fn llvm_config(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; scripts/setup installs LLVM 22", program.display()));
    assert!(output.status.success(), "{} {arguments:?} failed", program.display());
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

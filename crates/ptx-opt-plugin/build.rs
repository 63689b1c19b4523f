//! Compiles the part in C++, and links LLVM's shared library: the same that `opt` and ptx-llvm-core load.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/plugin.cpp");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".to_owned());
    let config = Path::new(&prefix).join("bin/llvm-config");
    let ask = |what: &str| {
        let output = Command::new(&config).arg(what).output();
        let output = output.unwrap_or_else(|error| panic!("{}: {error}", config.display()));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let mut build = cc::Build::new();
    // LLVM's headers have warnings of their own.
    build
        .cpp(true)
        .debug(false)
        .std("c++17")
        .warnings(false)
        .include(ask("--includedir"))
        .file("src/plugin.cpp");
    ask("--cxxflags")
        .split_whitespace()
        .filter(|flag| flag.starts_with("-D") || flag.starts_with("-f"))
        .for_each(|flag| {
            build.flag(flag);
        });
    build.compile("ptx_plugin");
    println!("cargo:rustc-link-search=native={}", ask("--libdir"));
    println!("cargo:rustc-link-lib=dylib=LLVM-22");
}

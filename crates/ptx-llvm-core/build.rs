//! Makes LLVM 22 available: its shared library when it is first needed, its static libraries with the feature `static`.
//!
//! llvm-sys could link LLVM, but then every start of a tool would load and relocate a library of more than 100 MB, also
//! for work that needs none of it; it is told not to. Instead each name of LLVM's C API is a jump through a pointer
//! that `ptx_llvm_core::load` fills (`src/library.rs`). This script writes those jumps, in assembly, and the list of names in
//! the same order. Where it knows no assembly for the target, the shared library is linked as usual.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    println!("cargo:rustc-check-cfg=cfg(llvm_at_run_time)");
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".to_owned());
    let programs = Path::new(&prefix).join("bin");
    let config = programs.join("llvm-config");
    let version = run(&config, &["--version"]);
    assert!(version.starts_with("22."), "LLVM 22 is needed, {prefix} holds {version}");
    let folder = run(&config, &["--libdir"]);
    let targets = run(&config, &["--targets-built"]);
    for (target, name) in [("X86", "llvm_has_x86"), ("AArch64", "llvm_has_aarch64")] {
        println!("cargo:rustc-check-cfg=cfg({name})");
        if targets.split_whitespace().any(|built| built == target) {
            println!("cargo:rustc-cfg={name}");
        }
    }

    if std::env::var_os("CARGO_FEATURE_STATIC").is_some() {
        link(&config, &folder, "static", "--link-static");
        // LLVM's interpreter calls libffi, which llvm-config does not name.
        link_by_name("ffi");
        link_by_name("stdc++");
    } else if let Some(jump) = Jump::of_target() {
        load_at_run_time(&programs, &folder, jump);
    } else {
        link(&config, &folder, "dylib", "--link-shared");
    }
}

/// How a jump through a pointer is written.
#[derive(Clone, Copy)]
enum Jump {
    X86,
    Arm,
}

impl Jump {
    /// For the target that is built for; nothing where the assembly or the library's format are others.
    fn of_target() -> Option<Self> {
        let target = |key: &str| std::env::var(key).unwrap_or_default();
        match (target("CARGO_CFG_TARGET_OS").as_str(), target("CARGO_CFG_TARGET_ARCH").as_str()) {
            ("linux", "x86_64") => Some(Jump::X86),
            ("linux", "aarch64") => Some(Jump::Arm),
            _ => None,
        }
    }

    /// The instructions; x17 is the register that the Arm procedure call standard leaves to such jumps.
    fn assembly(self, slot: usize) -> String {
        let offset = 8 * slot;
        match self {
            Jump::X86 => format!("    jmp qword ptr [rip + ptx_llvm_slots + {offset}]\n"),
            Jump::Arm => format!(
                "    adrp x17, ptx_llvm_slots + {offset}\n    ldr x17, [x17, :lo12:ptx_llvm_slots + {offset}]\n    br x17\n"
            ),
        }
    }
}

/// Writes the jumps and the names they are for.
fn load_at_run_time(programs: &Path, folder: &str, jump: Jump) {
    let file = run(&programs.join("llvm-config"), &["--libnames", "--link-shared"]);
    let library =
        Path::new(folder).join(&file).canonicalize().unwrap_or_else(|error| panic!("{file}: {error}"));
    println!("cargo:rerun-if-changed={}", library.display());
    let symbols = run(
        &programs.join("llvm-nm"),
        &["--dynamic", "--defined-only", "--format=just-symbols", &library.to_string_lossy()],
    );
    let is_function = |name: &&str| {
        name.starts_with("LLVM") && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let mut names: Vec<&str> =
        symbols.lines().map(|line| line.split('@').next().unwrap_or(line)).filter(is_function).collect();
    names.sort_unstable();
    names.dedup();
    assert!(!names.is_empty(), "{} exports no C API", library.display());

    let mut assembly = String::from(".text\n");
    for (slot, name) in names.iter().enumerate() {
        // Hidden, so that the library's own calls go to its own functions.
        let _ = write!(
            assembly,
            ".globl {name}\n.hidden {name}\n.type {name}, %function\n{name}:\n{}.size {name}, . - {name}\n",
            jump.assembly(slot)
        );
    }
    assembly.push_str(".data\n.p2align 3\n.globl ptx_llvm_slots\n.hidden ptx_llvm_slots\nptx_llvm_slots:\n");
    for _ in &names {
        assembly.push_str("    .quad {not_loaded}\n");
    }
    assembly.push_str(".text\n");

    let output = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(output.join("jumps.s"), assembly).expect("a file");
    std::fs::write(output.join("names"), names.join("\n")).expect("a file");
    let soname = library.file_name().expect("the name of a file").to_string_lossy();
    println!("cargo:rustc-env=PTX_LLVM_LIBRARY={soname}");
    // On the machine that is built for, if that is another, it is where Debian has it.
    let is_native = std::env::var_os("TARGET") == std::env::var_os("HOST");
    let installed = Path::new(if is_native { folder } else { DEBIAN_FOLDER }).join(&*soname);
    println!("cargo:rustc-env=PTX_LLVM_LIBRARY_PATH={}", installed.display());
    println!("cargo:rustc-cfg=llvm_at_run_time");
}

/// Links LLVM's libraries and what they need of the system's.
fn link(config: &Path, folder: &str, kind: &str, mode: &str) {
    println!("cargo:rustc-link-search=native={folder}");
    for file in run(config, &["--libnames", mode]).split_whitespace() {
        let stem = file.strip_prefix("lib").unwrap_or(file);
        let name = stem.strip_suffix(".a").or(stem.strip_suffix(".so")).unwrap_or(stem);
        println!("cargo:rustc-link-lib={kind}={name}");
    }
    for flag in run(config, &["--system-libs", mode]).split_whitespace() {
        link_system_library(flag);
    }
}

/// Links what llvm-config names as `-lNAME` or as the path of a shared library.
fn link_system_library(flag: &str) {
    if let Some(name) = flag.strip_prefix("-l") {
        link_by_name(name);
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

/// Libraries that not every system has, or in an older version: they are linked statically too, where the C compiler finds that form of them.
const PREFERRED_STATIC: [&str; 4] = ["ffi", "stdc++", "z", "zstd"];

/// Links a library of the system.
fn link_by_name(name: &str) {
    let wants_static = PREFERRED_STATIC.contains(&name) && std::env::var_os("CARGO_FEATURE_STATIC").is_some();
    match wants_static.then(|| static_library(name)).flatten() {
        Some(folder) => {
            println!("cargo:rustc-link-search=native={}", folder.display());
            println!("cargo:rustc-link-lib=static={name}");
        }
        None => println!("cargo:rustc-link-lib=dylib={name}"),
    }
}

/// The folder in which the C compiler finds a static library; it prints the bare name of one that it does not find. For another machine it is the
/// compiler that Cargo is told to link with.
fn static_library(name: &str) -> Option<PathBuf> {
    let compiler = std::env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let output = Command::new(compiler).arg(format!("-print-file-name=lib{name}.a")).output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    path.is_absolute().then(|| path.parent().map(Path::to_owned)).flatten()
}

/// The folder of LLVM's libraries in Debian.
const DEBIAN_FOLDER: &str = "/usr/lib/llvm-22/lib";

/// What to do where LLVM is not found.
const INSTALL: &str = "the development files of LLVM 22 are needed (llvm-22-dev of Debian; scripts/setup installs them), in /usr/lib/llvm-22 \
or in the folder that LLVM_SYS_221_PREFIX names; the crate ptx-llvm needs no LLVM without its default feature `llvm`";

fn run(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; {INSTALL}", program.display()));
    assert!(output.status.success(), "{} {arguments:?} failed", program.display());
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

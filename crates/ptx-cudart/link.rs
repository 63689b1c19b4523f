// Part of the build scripts of the libraries: how they are linked.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn variable(name: &str) -> PathBuf {
    PathBuf::from(env::var_os(name).unwrap_or_else(|| panic!("Cargo sets {name}")))
}

/// The name of a file in single quotes for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// The linker that the C compiler calls by a name.
fn program(name: &str) -> Option<PathBuf> {
    let compiler = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let output = Command::new(compiler).arg(format!("-print-prog-name={name}")).output().ok()?;
    let found = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    if found.is_absolute() {
        return Some(found);
    }
    // A program that the compiler has no own one of is looked for as a shell does.
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Gives a library its name, and its symbols the version that `symbols.map` says.
///
/// Programs that are linked with NVIDIA's library name the version of each symbol. `rustc` passes a version script of its own, which has no version,
/// and linkers refuse to combine the two. So the C compiler is told to call a linker by the name `ld.bfd`, which it finds in the folder of `-B`: a
/// script that calls the linker with this version script in the place of the other.
pub fn link(name: &str) {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../ptx-cudart/link.rs");
    println!("cargo:rerun-if-changed=symbols.map");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
    // The code that programs run at exit calls it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    let Some(linker) = program("ld.bfd").or_else(|| program("ld")) else {
        println!(
            "cargo:warning=no linker `ld` is found: {name} will have no versions of symbols, which the dynamic loader warns of"
        );
        return;
    };
    let script = variable("CARGO_MANIFEST_DIR").join("symbols.map");
    let folder = variable("OUT_DIR").join("linker");
    fs::create_dir_all(&folder).expect("a folder for the linker");
    let text = format!(
        "#!/bin/sh
for argument; do
    shift
    case $argument in
        --version-script=*) argument=--version-script={} ;;
    esac
    set -- \"$@\" \"$argument\"
done
exec {} \"$@\"
",
        quoted(&script),
        quoted(&linker)
    );
    let file = folder.join("ld.bfd");
    fs::write(&file, text).expect("a linker");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("rights of a linker");
    println!("cargo:rustc-cdylib-link-arg=-B{}", folder.display());
    println!("cargo:rustc-cdylib-link-arg=-fuse-ld=bfd");
}

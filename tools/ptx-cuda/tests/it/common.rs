//! The tool, the libraries, and programs in C that are linked with them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Adds a number to itself.
pub const TWICE: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 data)
{
    .reg .b32 %n<2>;
    .reg .b64 %a<3>;
    ld.param.u64 %a0, [data];
    mov.u32 %n0, %tid.x;
    mad.wide.u32 %a1, %n0, 4, %a0;
    ld.global.u32 %n1, [%a1];
    add.u32 %n1, %n1, %n1;
    st.global.u32 [%a1], %n1;
    ret;
}
";

/// The folder with the libraries, which are built first: Cargo builds them for no test.
pub fn libraries() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| testing::built(&["ptx-cuda", "ptx-nvjitlink"], &[])).clone()
}

/// A command without the settings of whoever runs the tests, and with caches in a folder of its own.
pub fn plain(program: impl AsRef<std::ffi::OsStr>, caches: &Path) -> Command {
    let mut command = Command::new(program);
    for (variable, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PTX_")) {
        command.env_remove(variable);
    }
    command.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD");
    command.env("XDG_CACHE_HOME", caches).env("PTX_EXEC_CACHE", "");
    command
}

/// The tool.
pub fn tool(caches: &Path) -> Command {
    plain(assert_cmd::cargo::cargo_bin!("ptx-cuda"), caches)
}

/// `ptx-cuda run --lib-dir LIBRARIES OPTIONS -- PROGRAM ARGUMENTS`.
pub fn run(
    caches: &Path,
    options: &[&str],
    program: impl AsRef<std::ffi::OsStr>,
    arguments: &[&str],
) -> Output {
    let mut command = tool(caches);
    command.args(["run", "-q", "--lib-dir"]).arg(libraries()).args(options);
    command.arg("--").arg(program).args(arguments).output().unwrap()
}

/// Standard output and standard error.
pub fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Standard output of what must have succeeded.
pub fn succeeded(output: &Output) -> String {
    let (out, err) = texts(output);
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    out
}

/// Compiles a program of `tests/c` with a library of this name, into a folder.
pub fn compile(folder: &Path, name: &str, library: &str) -> PathBuf {
    let program = folder.join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/c/{name}.c"));
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-L")
        .arg(libraries())
        .arg(format!("-l{library}"))
        .output()
        .unwrap();
    succeeded(&compiled);
    program
}

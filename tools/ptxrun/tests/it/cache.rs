//! Kernels that later runs load from the cache on disk.
//!
//! The expected results are computed here: `out[i] = (i + 3)^2 + n` in a block of 64.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A kernel that adds `n`, a constant of the program.
fn kernel(n: u32) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 three = 3;\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .b32 %i, %v; .reg .b64 %a, %o;\n\
         ld.param.u64 %a, [out]; mov.u32 %i, %tid.x; ld.global.u32 %v, [three]; add.u32 %v, %v, %i; mul.lo.u32 %v, %v, %v;\n\
         add.u32 %v, %v, {n}; mul.wide.u32 %o, %i, 4; add.s64 %a, %a, %o; st.global.u32 [%a], %v; ret;\n}}\n"
    )
}

fn expected(n: u32) -> String {
    let words: Vec<String> = (0..64u32).map(|i| ((i + 3) * (i + 3) + n).to_string()).collect();
    format!("0:u32 = {}\n", words.join(" "))
}

fn command(folder: &Path, n: u32, more: &str) -> Command {
    let path = folder.join(format!("{n}.ptx"));
    if !path.exists() {
        fs::write(&path, kernel(n)).expect("writable");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxrun"));
    let fixed = "--engine=jit --entry k --grid 1 --block 64 --arg zero=256 --print 0:u32";
    command.arg(path).args(fixed.split(' ')).args(more.split_whitespace());
    command.env_remove("XDG_CACHE_HOME").env("HOME", folder).current_dir(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the kernel, checks its result, and returns the tool's standard error.
fn run(folder: &Path, n: u32, more: &str) -> String {
    finished(command(folder, n, more).spawn().expect("it starts"), n)
}

fn finished(child: Child, n: u32) -> String {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let error = text(output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(text(output.stdout), expected(n));
    error
}

/// The files of a cache, if there is one.
fn files(folder: &Path) -> Vec<PathBuf> {
    let items = fs::read_dir(folder).into_iter().flatten();
    items.map(|item| item.expect("an item").path()).collect()
}

const FOUND: &str = "the kernel was loaded from the cache";

#[test]
fn a_kernel_is_compiled_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let usual = folder.path().join(".cache/ptx-llvm");
    assert!(!run(folder.path(), 1, "--verbose").contains(FOUND));
    assert_eq!(files(&usual).len(), 1);
    let found = run(folder.path(), 1, "--verbose");
    assert!(found.contains(FOUND) && found.contains(".cache/ptx-llvm"), "{found}");
    // Nothing is reported without `--verbose`.
    assert_eq!(run(folder.path(), 1, ""), "");
    // Other code, and other folders.
    assert!(!run(folder.path(), 2, "--verbose").contains(FOUND));
    assert!(!run(folder.path(), 1, "--verbose --cache-dir here/and/there").contains(FOUND));
    assert!(run(folder.path(), 1, "--verbose --cache-dir here/and/there").contains(FOUND));
    assert_eq!(files(&folder.path().join("here/and/there")).len(), 1);
    assert_eq!(files(&usual).len(), 2);
    let caches = folder.path().join("caches");
    let elsewhere = |n| {
        let mut command = command(folder.path(), n, "--verbose");
        command.env("XDG_CACHE_HOME", &caches);
        finished(command.spawn().expect("it starts"), n)
    };
    assert!(!elsewhere(1).contains(FOUND));
    assert!(elsewhere(1).contains(FOUND));
    assert_eq!(files(&caches.join("ptx-llvm")).len(), 1);
}

#[test]
fn nothing_is_kept_where_that_is_not_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    for _ in 0..2 {
        assert!(!run(folder.path(), 1, "--verbose --no-cache").contains("cache"));
    }
    assert!(!folder.path().join(".cache").exists());
    // Code that checks the compiler's claims is for its process alone.
    for _ in 0..2 {
        assert!(!run(folder.path(), 1, "--verbose --jit-check-shapes").contains(FOUND));
    }
    // Not one byte.
    assert!(!run(folder.path(), 1, "--verbose --cache-size 0").contains(FOUND));
    assert_eq!(files(&folder.path().join(".cache/ptx-llvm")).len(), 0);
    // Room for one of two: how long a kernel is depends on the processor.
    run(folder.path(), 1, "--cache-dir one");
    let bytes: u64 =
        files(&folder.path().join("one")).iter().map(|file| file.metadata().expect("a file").len()).sum();
    let room = format!("--verbose --cache-size {} --cache-dir c", bytes * 3 / 2);
    let size = |n| run(folder.path(), n, &room).contains(FOUND);
    assert!(!size(1) && !size(2));
    assert_eq!(files(&folder.path().join("c")).len(), 1);
    for wrong in ["many", "1T", "-1", "99999999999999G"] {
        let output = command(folder.path(), 1, &format!("--cache-size={wrong}")).output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = "the cache is not used";
    let open = folder.path().join("open");
    fs::create_dir(&open).expect("a folder");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).expect("its own");
    for place in ["open", "/proc", "/proc/none", "1.ptx"] {
        let told = run(folder.path(), 1, &format!("--verbose --cache-dir {place}"));
        assert!(told.contains(refused) && !told.contains(FOUND), "{place}: {told}");
        assert_eq!(run(folder.path(), 1, &format!("--cache-dir {place}")), "", "{place}");
    }
    assert_eq!(files(&open).len(), 0);
}

#[test]
fn a_full_disk_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let ptxrun = command(folder.path(), 1, "--verbose --cache-dir c");
    // No file may have more than a block of 512 or 1024 bytes, which a kernel's has.
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""]).arg(ptxrun.get_program()).args(ptxrun.get_args());
    limited.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let told = finished(limited.spawn().expect("it starts"), 1);
    assert!(told.contains("the cache is not used"), "{told}");
    assert!(files(&folder.path().join("c")).is_empty());
    assert!(!run(folder.path(), 1, "--verbose --cache-dir c").contains(FOUND));
    assert!(run(folder.path(), 1, "--verbose --cache-dir c").contains(FOUND));
}

#[test]
fn what_is_damaged_is_compiled_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("c");
    let found = || run(folder.path(), 7, "--verbose --cache-dir c").contains(FOUND);
    assert!(!found() && found());
    let path = files(&cache).pop().expect("a file");
    let whole = fs::read(&path).expect("readable");
    let mut changed = whole.clone();
    // The constant of the kernel, 7, may be in its code; wherever this byte is, it is not used.
    changed[whole.len() / 2] ^= 0xff;
    for contents in [&whole[..whole.len() / 2], &[], b"not a kernel", &changed] {
        fs::write(&path, contents).expect("writable");
        assert!(!found());
        assert!(found());
        assert_eq!(fs::read(&path).expect("readable"), whole);
    }
}

#[test]
fn processes_use_one_folder_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("c");
    for _ in 0..2 {
        let start = |n| (command(folder.path(), n, "--cache-dir c").spawn().expect("it starts"), n);
        let children: Vec<(Child, u32)> = [1, 2, 3, 1, 2, 1].map(start).into();
        children.into_iter().for_each(|(child, n)| assert_eq!(finished(child, n), ""));
    }
    assert_eq!(files(&cache).len(), 3);
    for n in 1..=3 {
        assert!(run(folder.path(), n, "--verbose --cache-dir c").contains(FOUND));
    }
}

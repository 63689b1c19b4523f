//! What a cache gives is what was put there for the key, or nothing.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Child, Command};
use std::time::Instant;

use ptx_diag::SourceFile;
use ptx_exec::Memory;
use ptx_llvm_core::host::{Cpu, Jit};

use super::*;
use crate::analysis::Launched;
use crate::code::Runs;
use crate::kernel::PIPELINE;
use crate::prepared::prepared;
use crate::{Kernel, Options};

/// What made all entries.
const LLVM: &str = "22.0.0";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn cache(folder: &tempfile::TempDir, limit: u64) -> Cache {
    Cache::open(&folder.path().join("cache"), limit).expect("a folder of one's own")
}

/// An entry that follows from a number, with so many bytes of code.
fn entry(number: u8, bytes: usize) -> Entry {
    let runs = if number.is_multiple_of(2) { Runs::Warp } else { Runs::Block };
    Entry {
        runs,
        llvm: LLVM.parse().expect("a version"),
        object: (0..bytes).map(|at| (at as u8).wrapping_mul(number) ^ number).collect(),
    }
}

fn names(cache: &Cache) -> Vec<String> {
    let items = fs::read_dir(cache.path()).expect("readable");
    let mut names: Vec<String> =
        items.map(|item| item.expect("an item").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn set_age(path: &Path, age: Duration) {
    let file = fs::File::options().write(true).open(path).expect("writable");
    file.set_modified(SystemTime::now() - age).expect("its own");
}

#[test]
fn what_was_put_is_there_for_later_ones() {
    let folder = folder();
    let first = cache(&folder, 1 << 20);
    assert_eq!(first.get(&Key::of(1)), None);
    first.put(&Key::of(1), &entry(1, 1000));
    first.put(&Key::of(2), &entry(2, 0));
    let second = cache(&folder, 1 << 20);
    assert_eq!(second.get(&Key::of(1)), Some(entry(1, 1000)));
    assert_eq!(second.get(&Key::of(2)), Some(entry(2, 0)));
    assert_eq!(second.get(&Key::of(3)), None);
    second.put(&Key::of(1), &entry(7, 10));
    assert_eq!(first.get(&Key::of(1)), Some(entry(7, 10)));
    assert!(first.take_trouble().is_none() && second.take_trouble().is_none());
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(first.path()), 0o700);
    assert_eq!(mode(&first.path().join(Key::of(1).file_name())), 0o600);
}

#[test]
fn a_file_that_is_not_whole_is_not_used() {
    let folder = folder();
    let cache = cache(&folder, 1 << 20);
    let path = cache.path().join(Key::of(5).file_name());
    cache.put(&Key::of(5), &entry(5, 40));
    let whole = fs::read(&path).expect("there");
    // The mark, the key, a byte, the LLVM after its length, the object and the checksum.
    assert_eq!(whole.len(), 8 + 32 + 1 + 4 + LLVM.len() + 40 + 32);
    let mut bad: Vec<Vec<u8>> = (0..whole.len()).map(|length| whole[..length].to_vec()).collect();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        bad.push(changed);
    }
    bad.push([&whole[..], b"\0"].concat());
    bad.push(b"\x7fELF".repeat(100));
    for contents in bad {
        fs::write(&path, &contents).expect("writable");
        assert_eq!(cache.get(&Key::of(5)), None, "{contents:?}");
        assert!(cache.take_trouble().expect("a note").to_string().contains("it is truncated"));
        assert!(!path.exists(), "it is removed");
    }
    cache.put(&Key::of(5), &entry(5, 40));
    assert_eq!(cache.get(&Key::of(5)), Some(entry(5, 40)));
    // A whole file of another kernel.
    fs::rename(&path, cache.path().join(Key::of(6).file_name())).expect("renamed");
    assert_eq!(cache.get(&Key::of(6)), None);
}

#[test]
fn what_others_may_have_written_is_not_used() {
    let folder = folder();
    let cache = cache(&folder, 1 << 20);
    let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).expect("its own");
    let path = cache.path().join(Key::of(1).file_name());
    cache.put(&Key::of(1), &entry(1, 100));
    for mode in [0o660, 0o602, 0o666] {
        set(&path, mode);
        assert_eq!(cache.get(&Key::of(1)), None);
        assert!(cache.take_trouble().expect("a note").to_string().contains("other users may write to it"));
    }
    set(&path, 0o644);
    assert_eq!(cache.get(&Key::of(1)), Some(entry(1, 100)));
    // Neither are other kinds of files, which no process waits for either.
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&path, &elsewhere).expect("renamed");
    symlink(&elsewhere, &path).expect("a link");
    assert_eq!(cache.get(&Key::of(1)), None);
    assert!(cache.take_trouble().is_some());
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("a folder");
    assert_eq!(cache.get(&Key::of(1)), None);
    assert!(cache.take_trouble().expect("a note").to_string().contains("it is not a plain file"));
    fs::remove_dir(&path).expect("removed");
    let fifo = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
    assert!(fifo.success());
    assert_eq!(cache.get(&Key::of(1)), None);

    let open = |path: &Path| Cache::open(path, 1 << 20).map(drop).map_err(|error| error.to_string());
    for mode in [0o770, 0o702, 0o1777] {
        set(cache.path(), mode);
        assert!(open(cache.path()).expect_err("untrusted").contains("other users may write to it"));
    }
    set(cache.path(), 0o755);
    assert_eq!(open(cache.path()), Ok(()));
    set(folder.path(), 0o777);
    assert!(open(cache.path()).expect_err("untrusted").contains("may rename what is in this folder"));
    // As in /tmp no one renames the folder of another user there.
    set(folder.path(), 0o1777);
    assert_eq!(open(cache.path()), Ok(()));
    fs::write(folder.path().join("file"), "").expect("writable");
    assert!(open(&folder.path().join("file")).is_err());
}

#[test]
fn files_that_were_not_used_for_longest_are_removed_first() {
    let folder = folder();
    // Each file has 83 bytes beside the object: 1000 in all. Ten are allowed, and a full cache is emptied to 8.75 of them.
    let cache = cache(&folder, 10_000);
    let path = |number: u8| cache.path().join(Key::of(number).file_name());
    let minutes = |count: u64| Duration::from_secs(60 * count);
    for number in 1..=10 {
        cache.put(&Key::of(number), &entry(number, 917));
        set_age(&path(number), minutes(100 - u64::from(number)));
    }
    assert_eq!(names(&cache).len(), 10);
    // Another file is not the cache's, however old and large.
    fs::write(cache.path().join("notes.txt"), vec![0; 50_000]).expect("writable");
    set_age(&cache.path().join("notes.txt"), minutes(10_000));
    assert!(cache.get(&Key::of(1)).is_some() && cache.get(&Key::of(2)).is_some());
    cache.put(&Key::of(11), &entry(11, 917));
    let left: Vec<u8> = (1..=11).filter(|&number| path(number).exists()).collect();
    assert_eq!(left, [1, 2, 6, 7, 8, 9, 10, 11]);
    assert!(cache.path().join("notes.txt").exists());
    // What is larger than all may be is not kept, and nothing is removed for it.
    cache.put(&Key::of(12), &entry(12, 20_000));
    assert_eq!(names(&cache).len(), 9);
}

#[test]
fn what_was_never_finished_is_removed_after_a_while() {
    let folder = folder();
    let cache = cache(&folder, 1 << 20);
    let (old, new) = (cache.path().join(".unfinished-1-0-5"), cache.path().join(".unfinished-1-0-6"));
    fs::write(&old, "a").expect("writable");
    fs::write(&new, "a").expect("writable");
    set_age(&old, Duration::from_secs(3600));
    cache.put(&Key::of(1), &entry(1, 10));
    assert!(!old.exists() && new.exists());
}

#[test]
fn what_cannot_be_written_is_no_error() {
    let folder = folder();
    let cache = cache(&folder, 1 << 20);
    fs::remove_dir(cache.path()).expect("it is empty");
    cache.put(&Key::of(1), &entry(1, 10));
    assert!(cache.take_trouble().is_some());
    assert_eq!(cache.get(&Key::of(1)), None);
    // No one can write there, root neither.
    #[cfg(target_os = "linux")]
    {
        let cache = Cache::open(Path::new("/proc"), 1 << 20).expect("root's folder is trusted");
        cache.put(&Key::of(1), &entry(1, 10));
        assert!(cache.take_trouble().is_some());
        assert!(Cache::open(Path::new("/proc/cache"), 1 << 20).is_err());
    }
}

#[test]
fn what_another_llvm_compiled_is_compiled_anew() {
    let source = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{ ret; }\n";
    let prepared = prepared(&SourceFile::new("k.ptx", source.to_owned()), &Memory::new());
    let (program, launched) = (prepared.program(), Launched::blocks([32, 1, 1]));
    let cpu = Cpu::host().expect("LLVM 22");
    let jit = Jit::new(&cpu).expect("a linker");
    let folder = folder();
    let cache = cache(&folder, 1 << 20);
    let is_kept = || {
        let kernel = Kernel::cached(program, &launched, &cpu, &jit, &Options::default(), &cache);
        kernel.expect("compiled").is_from_cache()
    };
    assert_eq!([is_kept(), is_kept()], [false, true]);
    let key = Key::new(program, &launched, Processor::Named(&cpu), PIPELINE);
    let own = cache.get(&key).expect("kept");
    cache.put(&key, &Entry { llvm: LLVM.parse().expect("a version"), ..own.clone() });
    assert_eq!([is_kept(), is_kept()], [false, true]);
    assert_eq!(cache.get(&key).expect("kept").llvm, own.llvm);
}

/// The folder that the tests below give to processes of their own, each of which is this program with one of its tests.
const FOLDER: &str = "PTX_HOST_TEST_CACHE";

/// This program again, for the test that calls this.
fn process(test: &str, folder: &Path) -> Child {
    let program = std::env::current_exe().expect("a program");
    let mut command = Command::new(program);
    command.args([&format!("cache::tests::{test}"), "--exact"]).env(FOLDER, folder);
    command.stdout(std::process::Stdio::null()).spawn().expect("it starts")
}

/// The cache in the folder that a process was given, where this is one of them.
fn cache_of_process(limit: u64) -> Option<Cache> {
    let folder = std::env::var_os(FOLDER)?;
    Some(Cache::open(Path::new(&folder), limit).expect("a folder"))
}

/// Of so many keys each has one entry that is right.
const KEYS: u8 = 8;

fn right(number: u8) -> Entry {
    entry(number, 5000 + 700 * usize::from(number))
}

/// Room for four of the eight.
const ROOM: u64 = 32_000;

/// Looks for entries, and puts those that are not there.
fn use_with_others(cache: &Cache) {
    let mut found = 0;
    for round in 0..400u32 {
        let number = (round.wrapping_mul(2_654_435_761) >> 16) as u8 % KEYS;
        match cache.get(&Key::of(number)) {
            Some(entry) => {
                found += 1;
                assert_eq!(entry, right(number));
            }
            None => cache.put(&Key::of(number), &right(number)),
        }
        if let Some(trouble) = cache.take_trouble() {
            panic!("{trouble}");
        }
    }
    assert!(found > 0, "nothing was ever found");
}

#[test]
fn processes_share_a_folder() {
    if let Some(cache) = cache_of_process(ROOM) {
        return use_with_others(&cache);
    }
    let folder = folder();
    let path = folder.path().join("cache");
    let mut processes: Vec<Child> = (0..5).map(|_| process("processes_share_a_folder", &path)).collect();
    assert!(processes.iter_mut().all(|process| process.wait().expect("it ends").success()));
    let cache = Cache::open(&path, ROOM).expect("a folder");
    let left = names(&cache);
    assert!(!left.is_empty(), "the processes kept nothing");
    assert!(left.iter().all(|name| Key::is_file_name(name)), "{left:?}");
    let bytes: u64 = cache.files().expect("readable").iter().map(|file| file.bytes).sum();
    assert!(bytes <= ROOM, "{bytes}");
}

/// Writes a large entry until it is ended.
fn write_for_ever(cache: &Cache) -> ! {
    let large = entry(3, 8 << 20);
    loop {
        cache.put(&Key::of(3), &large);
        cache.remove(&Key::of(3));
    }
}

#[test]
fn a_process_that_is_killed_while_it_writes_leaves_nothing_that_is_used() {
    const TEST: &str = "a_process_that_is_killed_while_it_writes_leaves_nothing_that_is_used";
    if let Some(cache) = cache_of_process(1 << 30) {
        write_for_ever(&cache);
    }
    let folder = folder();
    let path = folder.path().join("cache");
    let unfinished = |path: &Path| {
        let items = fs::read_dir(path).into_iter().flatten().flatten();
        items.map(|item| item.path()).find(|item| {
            let name = item.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(UNFINISHED) && item.metadata().is_ok_and(|file| file.len() > 0)
        })
    };
    let begin = Instant::now();
    for _ in 0..4 {
        let mut process = process(TEST, &path);
        while unfinished(&path).is_none() && begin.elapsed() < Duration::from_secs(100) {
            std::thread::yield_now();
        }
        process.kill().expect("it runs");
        process.wait().expect("it ends");
        let cache = Cache::open(&path, 1 << 30).expect("a folder");
        let found = cache.get(&Key::of(3));
        assert!(found.is_none_or(|found| found == entry(3, 8 << 20)), "a part of a file was used");
        assert!(cache.take_trouble().is_none(), "a file was there in part");
        // It goes on as if nothing had been there.
        cache.put(&Key::of(4), &entry(4, 100));
        assert_eq!(cache.get(&Key::of(4)), Some(entry(4, 100)));
        if let Some(left) = unfinished(&path) {
            set_age(&left, Duration::from_secs(3600));
            cache.put(&Key::of(4), &entry(4, 100));
            assert!(!left.exists());
        }
        cache.remove(&Key::of(3));
    }
}

//! Compiled kernels on disk.
//!
//! A folder has a file for each kernel, named after the hash of all that decides its code ([`Key`]). What is in such a file becomes code of the
//! process, so that the folder is used only where no other user can have put something there, or exchange it ([`folder`](self::folder)): that is
//! what is trusted, as ssh trusts its keys. The checksum in a file is against accidents, not against people.
//!
//! Processes share a folder without locks. A file is written under another name and renamed once it is whole, and never changed: a reader
//! finds all of it or none. It is not flushed to the disk before; what a machine that loses power leaves of it does not have its checksum,
//! and is written anew. Files that were not used for longest are removed where all of them take more than the limit.

mod entry;
mod folder;
mod key;
mod processor;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::fs::{fstat, futimens, openat, renameat, statat, unlinkat};
use thiserror::Error;

pub(crate) use entry::Entry;
pub(crate) use key::Key;
pub(crate) use processor::{Description, Processor};

/// Bytes that the files of a cache may take together, unless something else is asked for.
pub const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// How a file that is being written is called at first.
const UNFINISHED: &str = ".unfinished-";

/// A file that has not been finished for so long never will be.
const ABANDONED: Duration = Duration::from_secs(600);

/// Why a cache cannot be used, or something in it not be read or written. Kernels are compiled then as without one.
#[derive(Debug, Error)]
pub enum CacheError {
    /// Someone else may write there.
    #[error("{}: {why}", path.display())]
    Untrusted {
        /// The folder or file.
        path: PathBuf,
        /// Why it is not trusted.
        why: &'static str,
    },
    /// The system refused an access.
    #[error("{}: {error}", path.display())]
    Refused {
        /// The folder or file.
        path: PathBuf,
        /// What the system gives as the reason.
        error: io::Error,
    },
}

/// A folder of compiled kernels, which any number of processes of one user may use at a time.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    folder: OwnedFd,
    limit: u64,
    /// The last thing that went wrong.
    trouble: Mutex<Option<CacheError>>,
}

impl Cache {
    /// The cache in a folder, which is made, for this user alone, where there is none. Its files take no more than `limit` bytes together.
    ///
    /// # Errors
    /// The folder cannot be made or read; someone other than this user and root may write to it, or rename a folder that it is in.
    pub fn open(path: &Path, limit: u64) -> Result<Self, CacheError> {
        let (path, folder) = folder::open(path)?;
        Ok(Self { path, folder, limit, trouble: Mutex::default() })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last thing that went wrong since the last call: a file that could not be read or written, or is not trusted.
    pub fn take_trouble(&self) -> Option<CacheError> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note(&self, name: &str, error: impl Into<io::Error>) {
        let error = CacheError::Refused { path: self.path.join(name), error: error.into() };
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// What is there for a key, and is whole.
    pub(crate) fn get(&self, key: &Key) -> Option<Entry> {
        let name = key.file_name();
        // A file that waits for a writer would make the open call wait, too.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&self.folder, &name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(rustix::io::Errno::NOENT) => return None,
            Err(error) => {
                self.note(&name, error);
                return None;
            }
        };
        if let Err(why) = fstat(&file).map_err(io::Error::from).and_then(|stat| folder::check_file(&stat)) {
            self.note(&name, why);
            return None;
        }
        let read = entry::read(std::fs::File::from(file), key);
        match read {
            Ok((entry, file)) => {
                // Where that is refused, the file looks unused for longer than it is.
                let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
                let _ = futimens(&file, &Timestamps { last_access: now, last_modification: now });
                Some(entry)
            }
            Err(error) => {
                self.note(&name, error);
                self.remove(key);
                None
            }
        }
    }

    /// Removes what is there for a key.
    pub(crate) fn remove(&self, key: &Key) {
        let _ = unlinkat(&self.folder, key.file_name(), AtFlags::empty());
    }

    /// Keeps an entry, in place of what is there.
    pub(crate) fn put(&self, key: &Key, entry: &Entry) {
        let bytes = entry::bytes(entry, key);
        if bytes.len() as u64 > self.limit {
            return;
        }
        if let Err(error) = self.write(&key.file_name(), &bytes) {
            self.note(&key.file_name(), error);
        }
        self.shrink();
    }

    /// Writes a file so that it is never there in part.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Machines and containers that share the folder have processes of the same numbers.
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let unfinished = format!("{UNFINISHED}{}-{number}-{time}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = openat(&self.folder, &unfinished, flags, Mode::RUSR | Mode::WUSR)?;
        let mut file = std::fs::File::from(made);
        let written = file.write_all(bytes).and_then(|()| {
            renameat(&self.folder, &unfinished, &self.folder, name)?;
            Ok(())
        });
        if written.is_err() {
            let _ = unlinkat(&self.folder, &unfinished, AtFlags::empty());
        }
        written
    }

    /// Removes the files that were not used for longest where all take more than the limit, and what processes left that were ended while
    /// they wrote.
    fn shrink(&self) {
        let Ok(mut files) = self.files() else { return };
        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        let now = SystemTime::now();
        files.retain(|file| {
            let is_abandoned =
                file.is_unfinished && now.duration_since(file.used).is_ok_and(|unused| unused > ABANDONED);
            if is_abandoned && unlinkat(&self.folder, &file.name, AtFlags::empty()).is_ok() {
                bytes -= file.bytes;
            }
            !file.is_unfinished
        });
        if bytes <= self.limit {
            return;
        }
        files.sort_by_key(|file| file.used);
        // Some more than needed, so that the next kernel does not find the folder full again.
        let goal = self.limit - self.limit / 8;
        for file in files {
            if bytes <= goal {
                return;
            }
            // Another process may have done it.
            let _ = unlinkat(&self.folder, &file.name, AtFlags::empty());
            bytes -= file.bytes;
        }
    }

    /// The files of the cache; others that may be in the folder are not its own.
    fn files(&self) -> io::Result<Vec<CacheFile>> {
        let mut files = Vec::new();
        for item in Dir::read_from(&self.folder)? {
            let item = item?;
            let Ok(name) = item.file_name().to_str() else { continue };
            let is_unfinished = name.starts_with(UNFINISHED);
            if !is_unfinished && !Key::is_file_name(name) {
                continue;
            }
            // It may be gone by now.
            let Ok(stat) = statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                continue;
            }
            let seconds = Duration::from_secs(u64::try_from(stat.st_mtime).unwrap_or_default());
            let used = SystemTime::UNIX_EPOCH + seconds + Duration::from_nanos(stat.st_mtime_nsec);
            let bytes = u64::try_from(stat.st_size).unwrap_or_default();
            files.push(CacheFile { name: name.into(), bytes, used, is_unfinished });
        }
        Ok(files)
    }
}

/// A file of a cache.
struct CacheFile {
    name: OsString,
    bytes: u64,
    used: SystemTime,
    is_unfinished: bool,
}

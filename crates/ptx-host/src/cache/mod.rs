//! The cache of compiled kernels on disk.
//!
//! A folder has a file for each kernel, named after the hash of everything that determines its code ([`Key`]). The contents of such a file become
//! code of the process, so the folder is only used if no other user can have written or replaced anything in it ([`folder`](self::folder)): like
//! ssh's keys, it is trusted because of its permissions. The checksum in a file protects against accidents, not against attackers.
//!
//! Processes share a folder without locks. A file is written under a temporary name, renamed when it is complete, and never changed: a reader
//! sees all of it or none. It is not flushed to disk before; if power is lost, a truncated file does not match its checksum
//! and is written anew. If the files exceed the limit in total, the least recently used ones are removed.

mod entry;
mod error;
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
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, fstat, futimens, openat, renameat,
    statat, unlinkat,
};

pub(crate) use entry::Entry;
pub use error::CacheError;
pub(crate) use key::Key;
pub(crate) use processor::{Description, Processor};

/// The default limit on the total bytes of a cache's files.
pub const DEFAULT_CACHE_BYTES: u64 = 256 << 20;

/// The prefix of the temporary name of a file that is being written.
const UNFINISHED: &str = ".unfinished-";

/// The age from which an unfinished file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(600);

/// A folder of compiled kernels, which any number of processes of one user may share.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    folder: OwnedFd,
    limit: u64,
    /// The last error.
    trouble: Mutex<Option<CacheError>>,
}

impl Cache {
    /// Opens the cache in a folder, which is created, accessible to this user only, if there is none. Its files take at most `limit` bytes in total.
    ///
    /// # Errors
    /// The folder cannot be created or read; or someone other than this user and root may write to it, or rename one of its parent folders.
    pub fn open(path: &Path, limit: u64) -> Result<Self, CacheError> {
        let (path, folder) = folder::open(path)?;
        Ok(Self { path, folder, limit, trouble: Mutex::default() })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last error since the previous call: a file that could not be read or written, or is not trusted.
    pub fn take_trouble(&self) -> Option<CacheError> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note(&self, name: &str, error: impl Into<io::Error>) {
        let error = CacheError::Refused { path: self.path.join(name), error: error.into() };
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// The entry for a key, if there is a complete one.
    pub(crate) fn get(&self, key: &Key) -> Option<Entry> {
        let name = key.file_name();
        // Opening a FIFO without a writer would block otherwise.
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
                // If that is refused, the file looks unused for longer than it is.
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

    /// Removes the entry for a key.
    pub(crate) fn remove(&self, key: &Key) {
        let _ = unlinkat(&self.folder, key.file_name(), AtFlags::empty());
    }

    /// Stores an entry, replacing an existing one.
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

    /// Writes a file atomically.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Machines and containers that share the folder may have processes with the same numbers.
        // Default: the name is also unique on a machine whose clock is before 1970, except beside others like it.
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

    /// Removes the least recently used files if the total exceeds the limit, and temporary files of processes that were killed while
    /// writing.
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
        // Somewhat more than needed, so that the next kernel does not find the folder full again.
        let goal = self.limit - self.limit / 8;
        for file in files {
            if bytes <= goal {
                return;
            }
            // Another process may have removed it already.
            let _ = unlinkat(&self.folder, &file.name, AtFlags::empty());
            bytes -= file.bytes;
        }
    }

    /// The files of the cache; other files in the folder are ignored.
    fn files(&self) -> io::Result<Vec<CacheFile>> {
        let mut files = Vec::new();
        for item in Dir::read_from(&self.folder)? {
            let item = item?;
            let Ok(name) = item.file_name().to_str() else { continue };
            let is_unfinished = name.starts_with(UNFINISHED);
            if !is_unfinished && !Key::is_file_name(name) {
                continue;
            }
            // It may have been removed meanwhile.
            let Ok(stat) = statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                continue;
            }
            // A file from before 1970 counts as one from then.
            let seconds = Duration::from_secs(stat.st_mtime.max(0) as u64);
            let used = SystemTime::UNIX_EPOCH + seconds + Duration::from_nanos(stat.st_mtime_nsec);
            let bytes = stat.st_size.max(0) as u64;
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

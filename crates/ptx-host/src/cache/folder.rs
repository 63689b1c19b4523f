//! Which folders and files are trusted: those that only this user and root can have written.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, lstat, open as open_file};
use rustix::process::geteuid;

use super::error::CacheError;

/// The mode bits that let the group and all others write.
const WRITE_OF_OTHERS: u32 = 0o022;

/// With this bit, only their owners can rename and remove a folder's entries, as in `/tmp`.
const STICKY: u32 = 0o1000;

/// Opens a folder, created for this user only if there is none; returns its canonical path.
///
/// # Errors
/// It cannot be created or opened; or it, or one of its parents, does not belong to this user or root, or may be written by others.
pub(super) fn open(path: &Path) -> Result<(PathBuf, OwnedFd), CacheError> {
    let refused = |error: io::Error| CacheError::Refused { path: path.to_owned(), error };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(refused)?;
    let path = path.canonicalize().map_err(refused)?;
    // A user who can rename a parent folder can replace it by another one.
    for folder in path.ancestors().skip(1) {
        let stat = lstat(folder).map_err(|error| refused(error.into()))?;
        let is_kept = stat.st_mode & WRITE_OF_OTHERS == 0 || stat.st_mode & STICKY != 0;
        let renames = if is_kept { Ok(()) } else { Err("other users may rename what is in this folder") };
        check_owner(&stat)
            .and(renames)
            .map_err(|why| CacheError::Untrusted { path: folder.to_owned(), why })?;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = open_file(&path, flags, Mode::empty()).map_err(|error| refused(error.into()))?;
    let stat = fstat(&folder).map_err(|error| refused(error.into()))?;
    check(&stat).map_err(|why| CacheError::Untrusted { path: path.clone(), why })?;
    Ok((path, folder))
}

/// Whether the contents of a file of the folder are trusted.
///
/// # Errors
/// The reason why not.
pub(super) fn check_file(stat: &Stat) -> io::Result<()> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a plain file"));
    }
    check(stat).map_err(io::Error::other)
}

fn check(stat: &Stat) -> Result<(), &'static str> {
    check_owner(stat)?;
    if stat.st_mode & WRITE_OF_OTHERS == 0 { Ok(()) } else { Err("other users may write to it") }
}

fn check_owner(stat: &Stat) -> Result<(), &'static str> {
    let is_own = stat.st_uid == geteuid().as_raw() || stat.st_uid == 0;
    if is_own { Ok(()) } else { Err("it belongs to another user") }
}

//! Which folders and files are trusted: those that no one but this user and root can have written.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, lstat, open as open_file};
use rustix::process::geteuid;

use super::CacheError;

/// The bits of a mode that let the group and all others write.
const WRITE_OF_OTHERS: u32 = 0o022;

/// With this bit a folder's items are renamed and removed by their owners alone, as in `/tmp`.
const STICKY: u32 = 0o1000;

/// A folder by its path without links, for this user alone where it is made.
///
/// # Errors
/// It cannot be made or opened; or it, or a folder that it is in, is not this user's or root's, or may be written by others.
pub(super) fn open(path: &Path) -> Result<(PathBuf, OwnedFd), CacheError> {
    let refused = |error: io::Error| CacheError::Refused { path: path.to_owned(), error };
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(refused)?;
    let path = path.canonicalize().map_err(refused)?;
    // Who can rename a folder that it is in can put another one in its place.
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
/// Why not.
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

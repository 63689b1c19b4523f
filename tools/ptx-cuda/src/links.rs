//! The folder with links to the libraries and to this program, under the names that programs look for. There is one for each installation, which
//! stays: a running program may need it at any time.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use ptx_device::cache_folder_in;

use crate::error::Error;

/// A link in the folder: its name there, and what it links to.
pub type Link = (PathBuf, PathBuf);

/// The folder with these links, which is made if it does not exist. Several processes may do so at once.
///
/// # Errors
/// If it cannot be made, or if another user could change it.
pub fn folder(links: &[Link]) -> Result<PathBuf, Error> {
    let user = rustix::process::geteuid().as_raw();
    let caches = cache_folder_in(std::env::var_os("XDG_CACHE_HOME"), std::env::home_dir());
    let temporary = std::env::temp_dir().join(format!("ptx-cuda-{user}"));
    // A user without a home, or with one that cannot be written, has a folder among the temporary files.
    let usable = caches.map(|caches| (make(&caches, user).map(|()| caches.clone()), caches));
    let base = match usable {
        Some((Ok(base), _)) => base,
        Some((Err(_), _)) | None => {
            make(&temporary, user).map_err(|error| Error::with("use", &temporary, error))?;
            temporary
        }
    };
    let folder = base.join("run").join(key(links));
    for inner in [base.join("run"), folder.clone(), folder.join("lib"), folder.join("bin")] {
        make(&inner, user).map_err(|error| Error::with("use", &inner, error))?;
    }
    if folder.as_os_str().as_bytes().iter().any(|byte| b":;".contains(byte)) {
        return Err(Error::with(
            "use",
            &folder,
            "the dynamic linker takes `:` and `;` for the end of a folder",
        ));
    }
    for (name, target) in links {
        let path = folder.join(name);
        link(&path, target).map_err(|error| Error::with("make", &path, error))?;
    }
    Ok(folder)
}

/// A name that depends on the targets of the links.
fn key(links: &[Link]) -> String {
    let mut hasher = blake3::Hasher::new();
    for path in links.iter().flat_map(|(name, target)| [name, target]) {
        let bytes = path.as_os_str().as_bytes();
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Makes a folder that only this user can change, or checks that it is one: what is in it is executed.
fn make(folder: &Path, user: u32) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let metadata = fs::symlink_metadata(folder)?;
    // A symbolic link may refer to a folder of the user: it must be one that no other user can change.
    let owned = metadata.uid() == user && fs::metadata(folder)?.uid() == user;
    let writable_by_others = fs::metadata(folder)?.mode() & 0o022 != 0;
    if owned && !writable_by_others {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::PermissionDenied, "other users can change this folder"))
}

/// Makes a link, or leaves the one that is there if it is the same. A link is replaced as a whole, so that no program finds it missing.
fn link(path: &Path, target: &Path) -> io::Result<()> {
    if fs::read_link(path).is_ok_and(|old| old == target) {
        return Ok(());
    }
    let folder = path.parent().ok_or(ErrorKind::NotFound)?;
    let made = tempfile::Builder::new().prefix(".link").make_in(folder, |path| symlink(target, path))?;
    made.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_made_once_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libcuda.so.1");
        for target in ["/a", "/a", "/b"] {
            link(&path, Path::new(target)).unwrap();
            assert_eq!(fs::read_link(&path).unwrap(), Path::new(target));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_others_can_write_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let user = rustix::process::geteuid().as_raw();
        let inner = folder.path().join("a/b");
        make(&inner, user).unwrap();
        make(&inner, user).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(make(&inner, user).unwrap_err().kind(), ErrorKind::PermissionDenied);
        assert!(make(&inner, user + 1).is_err());
    }

    #[test]
    fn each_installation_has_its_own_folder() {
        let one = [(PathBuf::from("lib/a"), PathBuf::from("/x"))];
        let other = [(PathBuf::from("lib/a"), PathBuf::from("/y"))];
        assert_eq!(key(&one), key(&one));
        assert_ne!(key(&one), key(&other));
    }
}

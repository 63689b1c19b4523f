//! The usual directory of compiled kernels.

use std::ffi::OsString;
use std::path::PathBuf;

/// `ptx-llvm` where the user has caches, given the variable `XDG_CACHE_HOME` and the home directory. By the XDG Base Directory Specification
/// a path that is not absolute is none.
pub fn cache_folder_in(caches: Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    let named = caches.map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = named.or_else(|| Some(home?.join(".cache")).filter(|path| path.is_absolute()));
    caches.map(|caches| caches.join("ptx-llvm"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_not_absolute_are_none() {
        let folder = |caches: Option<&str>, home: Option<&str>| {
            cache_folder_in(caches.map(Into::into), home.map(Into::into))
        };
        assert_eq!(folder(Some("/c"), Some("/h")), Some("/c/ptx-llvm".into()));
        assert_eq!(folder(Some("c"), Some("/h")), Some("/h/.cache/ptx-llvm".into()));
        assert_eq!(folder(None, Some("/h")), Some("/h/.cache/ptx-llvm".into()));
        assert_eq!((folder(None, Some("h")), folder(Some(""), None)), (None, None));
    }
}

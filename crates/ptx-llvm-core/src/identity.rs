//! Which LLVM compiles, told from others without loading it again.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::SystemTime;

use crate::error::LlvmError;
use crate::library::{self, version};

/// The LLVM of a process: its version and, where its library is loaded at run time, the file that it came from.
///
/// What it compiled may be used by other processes as long as it [is the same](Identity::is_current).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    version: String,
    file: Option<Library>,
}

/// A library's file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Library {
    path: PathBuf,
    bytes: u64,
    /// When it was last changed, in nanoseconds from the epoch.
    changed: u128,
}

impl Library {
    fn at(path: PathBuf) -> Option<Self> {
        let found = path.metadata().ok()?;
        let changed = found.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(Self { path, bytes: found.len(), changed: changed.as_nanos() })
    }
}

impl Identity {
    /// That of this process, which loads the library.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Missing`] when it cannot be loaded.
    pub fn of_process() -> Result<Self, LlvmError> {
        Ok(Self { version: version()?, file: library::path().and_then(Library::at) })
    }

    /// Whether this process compiles with the same LLVM. A library that is loaded at run time is not loaded for that: its file has to be as it was.
    pub fn is_current(&self) -> bool {
        if library::is_loaded() {
            return Self::of_process().is_ok_and(|own| own == *self);
        }
        self.file.as_ref().is_some_and(|file| Library::at(file.path.clone()).as_ref() == Some(file))
    }
}

/// A text from which the same is parsed.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.version)?;
        match &self.file {
            None => Ok(()),
            Some(Library { path, bytes, changed }) => {
                write!(f, "\n{bytes}\n{changed}\n{}", path.display())
            }
        }
    }
}

impl FromStr for Identity {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.splitn(4, '\n');
        let version = parts.next().ok_or(())?.to_owned();
        let Some(bytes) = parts.next() else { return Ok(Self { version, file: None }) };
        let bytes = bytes.parse().map_err(|_| ())?;
        let changed = parts.next().and_then(|changed| changed.parse().ok()).ok_or(())?;
        let path = parts.next().ok_or(())?.into();
        Ok(Self { version, file: Some(Library { path, bytes, changed }) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_was_changed_is_another_one() {
        let folder = std::env::temp_dir().join(format!("ptx-llvm-identity-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("library");
        std::fs::write(&path, "one").unwrap();
        let before = Library::at(path.clone());
        assert!(before.is_some());
        assert_eq!(Library::at(path.clone()), before);
        std::fs::write(&path, "three").unwrap();
        assert_ne!(Library::at(path.clone()), before);
        std::fs::write(&path, "two").unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_ne!(Library::at(path.clone()), before);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(Library::at(path), None);
    }

    #[test]
    fn its_text_is_read_again() {
        let own = Identity::of_process().unwrap();
        assert!(own.is_current());
        assert_eq!(own.to_string().parse(), Ok(own.clone()));
        let other = Identity { version: "22.0.0".to_owned(), ..own };
        assert!(!other.is_current());
        assert_eq!(other.to_string().parse(), Ok(other.clone()));
        let linked = Identity { version: "22.1.8".to_owned(), file: None };
        assert_eq!(linked.to_string().parse(), Ok(linked.clone()));
        assert_eq!("22.1.8\nmany\n1\n/a".parse::<Identity>(), Err(()));
        assert_eq!("22.1.8\n1".parse::<Identity>(), Err(()));
    }
}

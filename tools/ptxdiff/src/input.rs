//! What is read of a module: its text, and what was executed of it.

use std::path::Path;

use ptx_cli::{ExitStatus, Failure, Terminal, read_input, refuse_folders};
use ptx_diag::SourceFile;
use ptx_driver::{Comments, read_ptx};
use ptx_ir::Module;
use ptx_profile::{Placed, Profile};

/// A module with what was executed of it.
pub struct Input {
    /// Its text.
    pub source: SourceFile,
    /// The module.
    pub module: Module,
    /// The profile, if one is given.
    pub executed: Option<Placed>,
}

impl Input {
    /// Reads a module and its profile; what is wrong with them is reported with the status of wrong usage, since 1 has another meaning here.
    pub fn read(path: &Path, profile: Option<&Path>, terminal: Terminal) -> Result<Self, Failure> {
        let source = text(path)?;
        let found = terminal.step("read PTX", || read_ptx(&source, Comments::Dropped));
        let (module, _) = match found {
            Ok(read) => read,
            Err(found) => return Err(Failure::new(ExitStatus::Usage, source, found)),
        };
        let executed = match profile {
            Some(path) => {
                let file = text(path)?;
                let placed = Profile::parse(&file).and_then(|profile| profile.place(&source, &module));
                Some(placed.map_err(|found| Failure::new(ExitStatus::Usage, file, found))?)
            }
            None => None,
        };
        Ok(Self { source, module, executed })
    }
}

fn text(path: &Path) -> Result<SourceFile, Failure> {
    let as_usage = |failure: Failure| failure.with_status(ExitStatus::Usage);
    refuse_folders(&[path.to_owned()]).map_err(as_usage)?;
    read_input(path).map_err(as_usage)
}

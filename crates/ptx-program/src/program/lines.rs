//! Source lines that PTX was compiled from, as given by `.file` and `.loc` (manual 11.5.2, 11.5.3).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use ptx_ir::{DebugLocation, Item, Module};

/// A source line that PTX was compiled from.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SourceLine {
    /// The file name given by `.file`.
    pub file: Arc<str>,
    /// 1-based.
    pub line: u32,
    /// 1-based; 0 if unknown.
    pub column: u32,
    /// The call site, if the line is in an inlined function.
    pub inlined_at: Option<Arc<SourceLine>>,
}

impl SourceLine {
    /// Number of nested inlined calls.
    fn depth(&self) -> usize {
        std::iter::successors(self.inlined_at.as_ref(), |line| line.inlined_at.as_ref()).count()
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column != 0 {
            write!(f, ":{}", self.column)?;
        }
        match &self.inlined_at {
            Some(caller) => write!(f, ", inlined at {caller}"),
            None => Ok(()),
        }
    }
}

/// Maximum number of nested inlined calls that a line records.
const DEEPEST: usize = 32;

/// The files of a module by number, and the lines found so far by file, line and column.
#[derive(Debug, Default)]
pub struct Files {
    names: HashMap<u32, Arc<str>>,
    seen: HashMap<[u32; 3], Arc<SourceLine>>,
}

impl Files {
    /// The files that a module declares.
    pub fn of(module: &Module) -> Self {
        let file = |item: &Item| match item {
            Item::File(file, _) => Some((file.index, Arc::from(module.name(file.name)))),
            _ => None,
        };
        Self { names: module.items.iter().filter_map(file).collect(), seen: HashMap::new() }
    }

    /// The line of a `.loc`; `None` if it has none. The call site of an inlined function is the location of an earlier
    /// `.loc`, which may itself be in an inlined function.
    pub fn line(&mut self, location: &DebugLocation) -> Option<Arc<SourceLine>> {
        let file = Arc::clone(self.names.get(&location.file).filter(|_| location.line != 0)?);
        let (line, column) = (location.line, location.column);
        let call = location.inlined.as_ref().map(|at| [at.file, at.line, at.column]);
        let caller = call.and_then(|call| self.seen.get(&call)).filter(|caller| caller.depth() < DEEPEST);
        let found = Arc::new(SourceLine { file, line, column, inlined_at: caller.cloned() });
        self.seen.insert([location.file, line, column], Arc::clone(&found));
        Some(found)
    }
}

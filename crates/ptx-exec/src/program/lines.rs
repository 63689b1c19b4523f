//! The source that PTX was compiled from, as `.file` and `.loc` name it (manual 11.5.2, 11.5.3).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use ptx_ir::{DebugLocation, Item, Module};

/// A line of the source that PTX was compiled from.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SourceLine {
    /// The file, as `.file` names it.
    pub file: Arc<str>,
    /// From 1.
    pub line: u32,
    /// From 1; 0 where it is not known.
    pub column: u32,
    /// Where the function of the line was inlined.
    pub inlined_at: Option<Arc<SourceLine>>,
}

impl SourceLine {
    /// How many calls it holds.
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

/// The most calls within calls that a line holds.
const DEEPEST: usize = 32;

/// The files of a module by their numbers, and the lines so far by file, line and column.
#[derive(Debug, Default)]
pub struct Files {
    names: HashMap<u32, Arc<str>>,
    seen: HashMap<[u32; 3], Arc<SourceLine>>,
}

impl Files {
    pub fn of(module: &Module) -> Self {
        let file = |item: &Item| match item {
            Item::File(file, _) => Some((file.index, Arc::from(module.name(file.name)))),
            _ => None,
        };
        Self { names: module.items.iter().filter_map(file).collect(), seen: HashMap::new() }
    }

    /// The line that a `.loc` names; nothing where it names none. The place of a call is that of an earlier `.loc`, which
    /// may be of an inlined function too.
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

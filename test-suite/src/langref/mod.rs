//! LLVM's language reference, walked: every instruction and every intrinsic that no target owns, at every class of types.
//!
//! A [`Piece`] is a module with one function that holds one construct. [`pieces`] writes them from the lists of types, operators, flags and
//! forms of the reference, and from LLVM's signatures of the intrinsics (`generic.tsv`: the name, the results and the parameters as
//! LLVM's own description gives them; `same as 0` is the first type the intrinsic is overloaded in, `!` marks an
//! argument that must be a constant). [`judge`] raises each and lets ptxas judge; what is refused goes through llc and ptxas for comparison, for
//! whatever LLVM's backend can, ours must.
//!
//! Invariant: LLVM's verifier accepts every piece that [`pieces`] gives.

mod arithmetic;
mod generic;
mod judge;
mod memory;
mod modules;
mod record;
mod shapes;
mod types;

pub use generic::{Overloaded, names};
pub use judge::{Peer, Verdict, judge, peer};
pub use record::{Group, groups, table};

use anyhow::Result;
use ptx_llvm_core::{Context, Module};

/// Where a piece's own name goes in its text, so that several fit into one module.
const MARK: char = '#';

/// A module with one construct of LLVM IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What it holds: `add nsw i33`.
    pub title: String,
    /// The module; `#` is in every name of its own.
    text: String,
    /// Whether it can share a module with others.
    company: Company,
}

/// Whether a piece can share a module with others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Company {
    /// All that it defines has the mark in its name.
    Any,
    /// It says something about its module.
    Alone,
}

impl Piece {
    fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { title: title.into(), text: text.into(), company: Company::Any }
    }

    fn alone(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { company: Company::Alone, ..Self::new(title, text) }
    }

    /// A function that gives the result of one instruction on its parameters `%a`, `%b`, `%c`, ...
    fn value(title: impl Into<String>, result: &str, parameters: &[&str], instruction: &str) -> Self {
        let body = format!("  %r = {instruction}\n  ret {result} %r\n");
        Self::function(title, result, parameters, &body)
    }

    /// A function that executes one instruction without a result.
    fn effect(title: impl Into<String>, parameters: &[&str], instruction: &str) -> Self {
        Self::function(title, "void", parameters, &format!("  {instruction}\n  ret void\n"))
    }

    fn function(title: impl Into<String>, result: &str, parameters: &[&str], body: &str) -> Self {
        let names = ('a'..='z').zip(parameters).map(|(name, ty)| format!("{ty} %{name}"));
        let parameters: Vec<String> = names.collect();
        Self::new(title, format!("define {result} @f{MARK}({}) {{\n{body}}}\n", parameters.join(", ")))
    }

    /// The module, alone.
    pub fn text(&self) -> String {
        self.text.replace(MARK, "")
    }

    /// The module with `name` in every name of its own.
    fn named(&self, name: &str) -> String {
        self.text.replace(MARK, name)
    }
}

/// Every piece: those of the reference, and the calls of intrinsics.
///
/// # Errors
/// Without LLVM.
pub fn pieces() -> Result<Vec<Piece>> {
    let context = Context::new()?;
    let mut list = written();
    list.retain(|piece| is_valid(&context, piece));
    list.extend(generic::pieces()?);
    Ok(list)
}

/// The pieces without the calls of intrinsics.
pub fn written() -> Vec<Piece> {
    let chapters = [arithmetic::pieces(), memory::pieces(), shapes::pieces(), modules::pieces()];
    chapters.into_iter().flatten().collect()
}

fn is_valid(context: &Context, piece: &Piece) -> bool {
    Module::parse_text(context, "piece", piece.text().as_bytes()).is_ok_and(|module| module.verify().is_ok())
}

/// Combinations that the reference excludes and this walk writes all the same: linkages with initial values, conventions without
/// results, pointers of one space taken for another's. No more than so many pieces are left out for such reasons.
pub const MOST_MISTAKES: usize = 60;

/// The written pieces that LLVM's verifier refuses, with its complaint.
///
/// # Errors
/// Without LLVM.
pub fn mistakes() -> Result<Vec<(String, String)>> {
    let context = Context::new()?;
    let mut list = Vec::new();
    for piece in written() {
        let read = Module::parse_text(&context, "piece", piece.text().as_bytes());
        if let Err(error) = read.and_then(|module| module.verify()) {
            list.push((piece.title, error.to_string()));
        }
    }
    Ok(list)
}

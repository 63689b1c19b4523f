//! The LLVM type of a function's result that is bytes.
//!
//! The result of a function is a byte array (manual 7.1), which its body writes and its callers read in pieces of any size.
//! In an LLVM type with exactly these pieces each one is a value, which no pass has to split:
//!
//! ```text
//! .func (.param .align 8 .b8 r[16]) f          define { i32, i32, i64 } @f()
//!   st.param.b32 [r], %r1;                     and not [16 x i8], of which each store would write four elements
//!   st.param.b32 [r+4], %r2;
//!   st.param.b64 [r+8], %rd1;
//! ```
//!
//! The pieces are computed for each function of a module that has such a result. All callers of a function have to agree on its type, so that the
//! accesses of all bodies are collected first.

use std::collections::BTreeSet;

use ptx_ir::{AddressBase, Function, Item, Module, Operand, Param, StrId, Symbol, VarId};
use ptx_isa::{ControlSem, Field, MemorySem, Sem, VectorLength};
use ptx_llvm_core::build::{Type, Types};
use rustc_hash::FxHashMap;

use crate::module_analysis::functions_by_address;
use crate::slots::whole_scalar;

/// A result of more pieces stays an array: each would be a value.
const MOST_PIECES: usize = 256;
/// The widest piece in bytes: wider accesses are of several registers.
const WIDEST: u64 = 8;

/// The sizes in bytes of the pieces of a result, one after the other. Each is at a multiple of its size, and together they
/// are as long as the result, which is a multiple of the largest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pieces(Vec<u32>);

impl Pieces {
    /// The type with a field for each piece: an array where all are of one size, else a structure.
    pub(crate) fn ty<'c>(&self, types: Types<'c>) -> Type<'c> {
        match self.0.as_slice() {
            [first, rest @ ..] if rest.iter().all(|piece| piece == first) => {
                types.array(types.int(first * 8), self.0.len() as u64)
            }
            pieces => types.structure(&pieces.iter().map(|piece| types.int(piece * 8)).collect::<Vec<_>>()),
        }
    }

    /// How LLVM aligns the type, in bytes.
    pub(crate) fn align(&self) -> u32 {
        debug_assert!(!self.0.is_empty(), "a result has at least one byte");
        self.0.iter().copied().fold(1, u32::max)
    }

    /// The coarsest pieces that no access crosses; `None` when there are too many.
    fn of(bytes: u64, accesses: &BTreeSet<(u64, u64)>) -> Option<Pieces> {
        // Every access begins and ends at a cut, so that no piece crosses the end of one. Accesses past the end are undefined.
        let mut cuts: BTreeSet<u64> = accesses
            .iter()
            .filter(|(offset, width)| offset + width <= bytes)
            .flat_map(|&(offset, width)| [offset, offset + width])
            .collect();
        cuts.extend([0, bytes]);
        // LLVM pads a structure to a multiple of its most aligned field: with a field whose size does not divide that of the
        // result the type would be longer than the result.
        let widest = WIDEST.min(1 << bytes.trailing_zeros().min(8));
        let mut pieces = Vec::new();
        let mut at = 0;
        for cut in cuts {
            while at < cut {
                // Checked for each piece: a result may have gigabytes, and with one access all the rest is one gap.
                if pieces.len() == MOST_PIECES {
                    return None;
                }
                // Likewise LLVM would insert padding before a field that is not at a multiple of its size.
                let left = cut - at;
                let aligned = 1 << at.trailing_zeros().min(8);
                let fits = 1 << left.ilog2();
                let piece = widest.min(aligned).min(fits);
                pieces.push(piece as u32);
                at += piece;
            }
        }
        Some(Pieces(pieces))
    }
}

/// For functions by name the pieces of their results. A function that is called through its address has the type that a
/// prototype gives (manual 11.3.3), and is not among them.
pub(crate) type ResultPieces = FxHashMap<StrId, Pieces>;

/// Finds the pieces of every function whose result is bytes, from its body and from those of its callers in the module.
pub(crate) fn result_pieces(module: &Module) -> ResultPieces {
    let mut others = functions_by_address(module);
    // An alias and the function that it names have one type, but callers of either are found by name only.
    for item in &module.items {
        if let Item::Alias(alias, _) = item {
            others.extend([alias.name, alias.target].map(|id| module.function(id).name));
        }
    }
    let mut accesses: FxHashMap<StrId, BTreeSet<(u64, u64)>> = FxHashMap::default();
    let mut sizes: FxHashMap<StrId, u64> = FxHashMap::default();
    for function in &module.functions {
        if let Some(bytes) = result_variable(module, function).and_then(|var| module.variable(var).bytes())
            && !others.contains(&function.name)
        {
            sizes.insert(function.name, bytes);
        }
    }
    if sizes.is_empty() {
        return ResultPieces::default();
    }
    for function in &module.functions {
        find_accesses(module, function, &sizes, &mut accesses);
    }
    let pieces = |(name, found): (StrId, BTreeSet<(u64, u64)>)| {
        let bytes = *sizes.get(&name).filter(|bytes| **bytes > 0)?;
        Some((name, Pieces::of(bytes, &found)?))
    };
    accesses.into_iter().filter_map(pieces).collect()
}

/// The variable that a function's only result is, when it is not one scalar.
fn result_variable(module: &Module, function: &Function) -> Option<VarId> {
    match function.results.as_slice() {
        &[Param::Variable(var)] if whole_scalar(module.variable(var)).is_none() => Some(var),
        _ => None,
    }
}

/// Adds the accesses of a body to results of functions: its own and those of the functions it calls.
fn find_accesses(
    module: &Module,
    function: &Function,
    sizes: &FxHashMap<StrId, u64>,
    accesses: &mut FxHashMap<StrId, BTreeSet<(u64, u64)>>,
) {
    let Some(body) = &function.body else { return };
    // By variable, the functions whose result it holds: the body's own result variable, and the variables that its calls write results to.
    // One variable may receive the results of several functions, which then share all accesses to it.
    let mut holders: FxHashMap<VarId, Vec<StrId>> = FxHashMap::default();
    if let Some(own) = result_variable(module, function) {
        holders.entry(own).or_default().push(function.name);
    }
    for (_, inst) in
        body.instructions().filter(|(_, inst)| inst.mnemonic.sem() == Sem::Control(ControlSem::Call))
    {
        let operands = body.operands(inst);
        if let (Some(Operand::List(results)), Some(Operand::Symbol(Symbol::Function(callee), _))) =
            (operands.first(), operands.get(1))
            && let [Operand::Symbol(Symbol::Variable(var), _)] = body.list(*results)
        {
            holders.entry(*var).or_default().push(module.function(*callee).name);
        }
    }
    if holders.is_empty() {
        return;
    }
    for (_, inst) in body.instructions() {
        if !matches!(inst.mnemonic.sem(), Sem::Memory(MemorySem::Load | MemorySem::Store)) {
            continue;
        }
        let Some(ty) = inst.mnemonic.scalar_type() else { continue };
        let lanes = u64::from(inst.mnemonic.vector_length(VectorLength::Of(Field::Vec)));
        for operand in body.operands(inst) {
            let Operand::Address(AddressBase::Symbol(Symbol::Variable(var)), offset) = operand else {
                continue;
            };
            let (Some(names), Ok(offset)) = (holders.get(var), u64::try_from(*offset)) else { continue };
            let width = u64::from(ty.bytes());
            for name in names.iter().filter(|name| sizes.contains_key(*name)) {
                let own = accesses.entry(*name).or_default();
                own.extend((0..lanes).map(|lane| (offset + lane * width, width)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(bytes: u64, accesses: &[(u64, u64)]) -> Vec<u32> {
        Pieces::of(bytes, &accesses.iter().copied().collect()).map_or_else(Vec::new, |pieces| pieces.0)
    }

    #[test]
    fn pieces_are_those_that_are_accessed() {
        assert_eq!(pieces(16, &[(0, 4), (4, 4), (8, 8)]), [4, 4, 8]);
        assert_eq!(pieces(8, &[(0, 2), (2, 2), (4, 4)]), [2, 2, 4]);
    }

    #[test]
    fn what_nobody_accesses_is_in_the_widest_pieces() {
        assert_eq!(pieces(32, &[(0, 8), (8, 8), (16, 8)]), [8, 8, 8, 8]);
        assert_eq!(pieces(16, &[(0, 4), (4, 4), (8, 4)]), [4, 4, 4, 4]);
        assert_eq!(pieces(16, &[(1, 1)]), [1, 1, 2, 4, 8]);
    }

    #[test]
    fn accesses_of_two_widths_meet_in_the_finer() {
        assert_eq!(pieces(8, &[(0, 8), (0, 4), (4, 4)]), [4, 4]);
    }

    #[test]
    fn a_length_is_a_multiple_of_every_piece() {
        assert_eq!(pieces(12, &[(0, 8), (8, 4)]), [4, 4, 4]);
        assert_eq!(pieces(3, &[(0, 1)]), [1, 1, 1]);
    }

    #[test]
    fn a_long_result_is_not_cut_into_more_pieces_than_it_may_have() {
        assert_eq!(pieces(8 * 256, &[(0, 8)]).len(), 256);
        assert!(pieces(8 * 257, &[(0, 8)]).is_empty());
        assert!(pieces(1 << 46, &[(0, 4)]).is_empty());
    }

    #[test]
    fn accesses_past_the_end_do_not_count() {
        assert_eq!(pieces(8, &[(4, 8)]), [8]);
    }
}

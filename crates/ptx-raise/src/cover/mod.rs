//! The cover of a function: the translation of LLVM's instructions to PTX's, decided before any is emitted.
//!
//! A [`Cover`] is computed from a function of LLVM's ([`SourceFunction`]) and its blocks ([`Flow`]); it has one [`Decision`] for each instruction
//! that is not emitted as itself. The emitter follows the cover.
//!
//! ```text
//! %a = sext i32 %x to i64                          ; Folded
//! %b = sext i32 %y to i64                          ; Folded
//! %r = mul i64 %a, %b                              ; Emit(Text): mul.wide.s32 %r, %x, %y;
//! ```
//!
//! A rule counts the uses of the values that its action reads and releases the operands that it no longer reads ([`state`]):
//! instructions without uses are then folded.

mod aggregate_abi;
mod any_all;
mod byte_extreme;
mod carry_chain;
mod chosen_operand;
mod clamped_shift;
mod converted_number;
mod decision;
mod index_product;
mod inverse_root;
mod lines;
mod marked;
mod matching;
mod narrow_access;
mod packed_i16;
pub(crate) mod pattern;
mod select_halves;
mod shared_product;
mod state;
mod undef;
mod uses;
mod word_phi;

use ptx_llvm_core::view::InstId;
use rustc_hash::FxHashSet as HashSet;

pub(crate) use self::decision::{
    Action, ChosenOperand, ClampedShift, Decision, ExtendingLoad, Fused, Half, HalfSource, Joined, LowBits,
    Narrow, Pair, Piece, Text, Truths, WideProduct,
};
pub(crate) use self::packed_i16::{shorts, viewed, word_of_load};
pub(crate) use self::state::Cover;

use self::decision::Match;
use self::lines::Lines;
use self::state::Covering;
use self::undef::Search;
use self::uses::{UseList, Uses};
use crate::context::ModuleContext;
use crate::error::Result;
use crate::flow::Flow;
use crate::signature::Signature;
use crate::source_function::SourceFunction;

/// A rule that replaces several instructions by fewer of PTX's.
enum Rule {
    /// Matches the IR that lines of PTX lower to.
    Lines(&'static Lines),
    /// Matches one instruction, and is called for each that no earlier rule has matched.
    Each(fn(&Covering<'_, '_, '_>, InstId) -> Option<Match>),
    /// Needs the whole function.
    All(fn(&mut Covering<'_, '_, '_>)),
}

/// Divisions, whose result for a divisor of zero is unspecified (manual 9.7.1.8, 9.7.1.9).
static DIVISIONS: Lines = Lines::new(&[
    ("div.u16 $0, $1, $2;", "=h,h,h"),
    ("div.u32 $0, $1, $2;", "=r,r,r"),
    ("div.u64 $0, $1, $2;", "=l,l,l"),
    ("div.s16 $0, $1, $2;", "=h,h,h"),
    ("div.s32 $0, $1, $2;", "=r,r,r"),
    ("div.s64 $0, $1, $2;", "=l,l,l"),
    ("rem.u16 $0, $1, $2;", "=h,h,h"),
    ("rem.u32 $0, $1, $2;", "=r,r,r"),
    ("rem.u64 $0, $1, $2;", "=l,l,l"),
    ("rem.s16 $0, $1, $2;", "=h,h,h"),
    ("rem.s32 $0, $1, $2;", "=r,r,r"),
    ("rem.s64 $0, $1, $2;", "=l,l,l"),
]);

/// Sign extensions of low bits (manual 9.7.9.21).
static SIGN_FIELDS: Lines = Lines::new(&[
    ("cvt.s16.s8 $0, $1;", "=h,h"),
    ("cvt.s32.s8 $0, $1;", "=r,r"),
    ("cvt.s32.s16 $0, $1;", "=r,r"),
    ("cvt.s64.s8 $0, $1;", "=l,l"),
    ("cvt.s64.s16 $0, $1;", "=l,l"),
    ("cvt.s64.s32 $0, $1;", "=l,l"),
]);

/// Halves side by side (manual 9.7.9.4).
static HALVES: Lines =
    Lines::new(&[("mov.b32 $0, {$1, $2};", "=r,h,h"), ("mov.b64 $0, {$1, $2};", "=l,r,r")]);

/// Products in twice the width of their operands (manual 9.7.1.5).
static PRODUCTS: Lines = Lines::new(&[
    ("mul.wide.u16 $0, $1, $2;", "=r,h,h"),
    ("mul.wide.s16 $0, $1, $2;", "=r,h,h"),
    ("mul.wide.u32 $0, $1, $2;", "=l,r,r"),
    ("mul.wide.s32 $0, $1, $2;", "=l,r,r"),
]);

/// The rules, in their order. The first ones cover more instructions or remove memory accesses; those after them find less to cover.
const RULES: &[Rule] = &[
    // Code that was one PTX instruction: no rule is closer to the original, and no other one may cover a part of it.
    Rule::All(marked::find),
    // The same without a mark; the marked ones have covered their words already.
    Rule::All(carry_chain::find),
    // These look through casts, which accesses absorb.
    Rule::Each(clamped_shift::find),
    Rule::Lines(&DIVISIONS),
    Rule::Lines(&SIGN_FIELDS),
    // Loads of whole pairs come before loads that extend their elements.
    Rule::All(packed_i16::find),
    // An access that extends or truncates has no cost, so that it precedes products that do so.
    Rule::All(narrow_access::find),
    // Selected halves are halves that the plain rule does not recognize.
    Rule::Each(select_halves::find),
    Rule::Lines(&HALVES),
    Rule::Each(inverse_root::find),
    Rule::Each(any_all::find),
    Rule::Each(index_product::find),
    Rule::Each(byte_extreme::find),
    Rule::Lines(&PRODUCTS),
    Rule::Each(converted_number::find),
    // After the rules that cover a choice or a product as a whole.
    Rule::Each(chosen_operand::find),
    Rule::All(shared_product::find),
    // Depends on the decisions about loads.
    Rule::All(word_phi::find),
];

/// Computes the decisions about the instructions of a function.
///
/// # Errors
///
/// Calls whose results cannot be passed.
pub(crate) fn cover<'v>(
    source: SourceFunction<'v>,
    module: &mut ModuleContext<'v, '_>,
    signature: &Signature,
    flow: &Flow,
) -> Result<Cover<'v>> {
    let mut uses = UseList::of(source, flow);
    let idle = Search { source, flow, signature }.idle_writes(&uses.of_results);
    uses.forget(|user| idle.insts.contains(user));
    let cover = Cover::new(source, Uses::new(source, &uses));
    drop(uses);
    let text_inputs = HashSet::default();
    let mut covering = Covering { source, module, signature, flow, cover, text_inputs };
    idle.insts.into_iter().for_each(|id| covering.fold(id));
    idle.fields.into_iter().for_each(|id| covering.emit(id, Action::SkipField));
    // Before all rules: removes a variable in memory with all of its accesses.
    aggregate_abi::find(&mut covering)?;
    apply(&mut covering);
    Ok(covering.cover)
}

/// Applies the rules. Consecutive rules for single instructions are applied together, and the first one that matches covers the
/// instruction.
fn apply(covering: &mut Covering<'_, '_, '_>) {
    let is_each = |rule: &Rule| !matches!(rule, Rule::All(_));
    for rules in RULES.chunk_by(|one, next| is_each(one) && is_each(next)) {
        if let [Rule::All(find)] = rules {
            find(covering);
            continue;
        }
        for id in covering.insts() {
            if covering.is_decided(id) {
                continue;
            }
            let found = rules.iter().find_map(|rule| match rule {
                Rule::Lines(lines) => lines.find(covering, id),
                Rule::Each(find) => find(covering, id),
                Rule::All(_) => None,
            });
            if let Some(found) = found {
                covering.replace(id, found);
            }
        }
    }
}

//! Matches written operands to those of a row, and selects one of several rows by the operands.
//!
//! Who reads text, who emits instructions and who looks into brackets has the same rule: what is emitted is read back as the row that it was
//! emitted as.

use super::chosen::Mnemonic;
use crate::form::{Operand, OperandKind, Role};

/// The syntactic form of an operand, as far as it distinguishes operands of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A register, but no predicate.
    Register,
    /// A predicate register.
    Predicate,
    /// The opposite of one.
    NotPredicate,
    /// A part of a register.
    Selected,
    /// A register or a part of one with the sign turned around.
    Negated,
    /// A constant.
    Immediate,
    /// `_`.
    Sink,
    /// The name of a variable or function.
    Symbol,
    /// A label.
    Label,
    /// `[a]`.
    Address,
    /// `[a, b]`.
    Bracket,
    /// `{a, b}`.
    Vector,
    /// `(a, b)`.
    List,
    /// A special register, a component of a register, or a sum.
    Value,
}

impl OperandKind {
    /// Whether this kind accepts an operand, as far as that distinguishes rows of one mnemonic.
    pub const fn takes(self, shape: Shape) -> bool {
        use Shape as S;
        let is_predicate = matches!(shape, S::Predicate | S::NotPredicate);
        match self {
            OperandKind::Predicate => is_predicate || matches!(shape, S::Sink | S::Immediate),
            OperandKind::Address | OperandKind::AddressIn(_) | OperandKind::TensorAddress => {
                matches!(shape, S::Address)
            }
            OperandKind::LooseAddress => matches!(shape, S::Address | S::Register | S::Predicate),
            OperandKind::Bracketed(_) => matches!(shape, S::Bracket),
            OperandKind::Braced(..) => matches!(shape, S::Vector),
            OperandKind::Reference | OperandKind::Callee => {
                matches!(shape, S::Register | S::Predicate | S::Symbol)
            }
            OperandKind::Coordinates(_) => matches!(shape, S::Register | S::Predicate | S::Vector),
            OperandKind::Selected(..) => {
                matches!(shape, S::Register | S::Predicate | S::Selected | S::Immediate)
            }
            OperandKind::Signed(..) => {
                matches!(shape, S::Register | S::Predicate | S::Selected | S::Negated | S::Immediate)
            }
            OperandKind::Immediate(..) => matches!(shape, S::Immediate),
            OperandKind::Label | OperandKind::BranchTargets | OperandKind::CallTargets => {
                matches!(shape, S::Label)
            }
            OperandKind::Results | OperandKind::Arguments => matches!(shape, S::List),
            OperandKind::Move(_) => !matches!(shape, S::Address | S::Bracket | S::List),
            OperandKind::Vector(..) => {
                !is_predicate && !matches!(shape, S::Address | S::Bracket | S::Immediate)
            }
            OperandKind::WideVector(..) | OperandKind::Elements(..) | OperandKind::Registers(..) => {
                !is_predicate && !matches!(shape, S::Address | S::Bracket)
            }
            OperandKind::Value(_)
            | OperandKind::Register(_)
            | OperandKind::Wide(_)
            | OperandKind::Untyped(_)
            | OperandKind::CachePolicy => {
                !is_predicate
                    && !matches!(
                        shape,
                        S::Address | S::Bracket | S::Vector | S::List | S::Selected | S::Negated
                    )
            }
        }
    }
}

/// The operands of a row, or of a pair of brackets, that are present: the written ones, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement(u32);

impl Placement {
    /// The maximum number of operands.
    pub(crate) const MOST: usize = u32::BITS as usize;

    /// Whether the operand is present.
    pub const fn has(self, at: usize) -> bool {
        at < Self::MOST && self.0 >> at & 1 == 1
    }

    /// How many have one.
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The written operands, each at its index in the row; `None` for those that are omitted.
    pub fn spread<T>(
        self,
        places: usize,
        written: impl IntoIterator<Item = T>,
    ) -> impl Iterator<Item = Option<T>> {
        let mut written = written.into_iter();
        (0..places).map(move |at| if self.has(at) { written.next() } else { None })
    }
}

/// A row that a mnemonic may mean.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The row.
    pub mnemonic: Mnemonic,
    /// The operands that must be present while only second results are optional; `None` when the number of written operands decides.
    fixed: Option<Placement>,
}

impl Candidate {
    /// The row of a mnemonic.
    pub fn new(mnemonic: Mnemonic) -> Self {
        let places = mnemonic.form().operands;
        let is_open = |place: &Operand| place.role.is_optional() && !place.is_conditional();
        let fixed = (!places.iter().any(is_open)).then(|| {
            let needed = |(at, place): (usize, &Operand)| u32::from(mnemonic.needs(place)) << at;
            Placement(places.iter().take(Placement::MOST).enumerate().map(needed).sum())
        });
        Self { mnemonic, fixed }
    }

    fn place<W>(
        &self,
        written: &[W],
        is_paired: impl Fn(&W) -> bool,
        shape: impl Fn(&W) -> Shape,
    ) -> Option<Placement> {
        match self.fixed {
            Some(fixed) if !written.iter().any(&is_paired) => {
                (written.len() == fixed.count()).then_some(fixed)
            }
            _ => self.mnemonic.place(self.mnemonic.form().operands, written, is_paired, shape),
        }
    }

    fn kinds_fit(&self, placement: Placement, shapes: impl Iterator<Item = Shape>) -> bool {
        let places = self.mnemonic.form().operands;
        let mut pairs = places.iter().zip(placement.spread(places.len(), shapes));
        pairs.all(|(place, shape)| shape.is_none_or(|shape| place.kind.takes(shape)))
    }
}

/// The row that operands match, by its number, and their placement: the first row that accepts their number and their kinds. If there is
/// none, the first that accepts their number, for which errors in the operands are reported. `None` when no row has that many.
pub fn choose_row<W>(
    rows: &[Candidate],
    written: &[W],
    is_paired: impl Fn(&W) -> bool,
    shape: impl Fn(&W) -> Shape,
) -> Option<(usize, Placement)> {
    let mut counted = None;
    for (at, row) in rows.iter().enumerate() {
        let Some(placement) = row.place(written, &is_paired, &shape) else { continue };
        if rows.len() == 1 || row.kinds_fit(placement, written.iter().map(&shape)) {
            return Some((at, placement));
        }
        counted = counted.or(Some((at, placement)));
    }
    counted
}

impl Mnemonic {
    /// Matches the written operands to those of a row or of a pair of brackets. Optional operands that depend on a modifier are present
    /// only with it, other optional ones from the first on; second results are those after a bar.
    ///
    /// `None` when there are too few operands or too many.
    pub fn place<W>(
        &self,
        places: &[Operand],
        written: &[W],
        is_paired: impl Fn(&W) -> bool,
        shape: impl Fn(&W) -> Shape,
    ) -> Option<Placement> {
        let needed = places.iter().filter(|place| self.needs(place)).count();
        let unpaired = written.iter().filter(|operand| !is_paired(operand)).count();
        let mut spare = unpaired.checked_sub(needed)?;
        // The operands of a call are distinguished by its lists.
        let is_call = places.iter().any(|place| place.kind == OperandKind::Callee);
        let mut rest = written.iter().peekable();
        let mut taken = Placement(0);
        for (at, place) in places.iter().take(Placement::MOST).enumerate() {
            let takes = |next: &&W| match place.role {
                Role::DefPair => is_paired(next),
                _ if is_paired(next) => false,
                Role::Def | Role::Update | Role::Use => true,
                Role::DefOpt | Role::UseOpt if place.is_conditional() => self.asks_for(place),
                Role::DefOpt | Role::UseOpt
                    if is_call && matches!(place.kind, OperandKind::Results | OperandKind::Arguments) =>
                {
                    shape(next) == Shape::List
                }
                Role::DefOpt | Role::UseOpt => is_call || spare > 0,
            };
            if rest.next_if(takes).is_some() {
                taken.0 |= 1 << at;
                let is_open = place.role.is_optional() && !place.is_conditional();
                spare -= usize::from(is_open && !is_call);
            } else if place.role.is_required() {
                return None;
            }
        }
        rest.next().is_none().then_some(taken)
    }

    /// [`Self::place`] of this number of plain values.
    pub fn place_values(&self, places: &[Operand], written: usize) -> Option<Placement> {
        self.place(places, &vec![(); written], |()| false, |()| Shape::Value)
    }

    /// Whether the operand must be present.
    fn needs(&self, place: &Operand) -> bool {
        place.role.is_required() || (place.role.is_optional() && self.asks_for(place))
    }
}

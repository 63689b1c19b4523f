//! Loads and stores of less than a register (manual 9.4.1): `ld.s8` extends what it loads to the width of its register, and `st.b8`
//! takes the low bits of a wider one. So an extension right after a load and a truncation right before a store need no
//! instruction of their own. A parameter of which only the low bits are read is loaded as these.

use std::collections::BTreeMap;

use ptx_llvm::view::{AtomicOrder, BinaryOp, CastOp, InstId, Op, Type, Value};

use super::FunctionRaiser;
use super::memory::MAX_VECTOR;
use crate::references::for_each_operand;
use crate::signature::Passing;
use crate::types::{Class, Scalar};

/// What `!ptx.mods` says of a load of 16 bits that fills the machine's register with the sign.
pub(super) const SIGNED_LOAD: &str = ".s16";

/// How a load fills wider registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Widening {
    pub(super) class: Class,
    /// The type that says how: `u8`, `s16`, ...
    pub(super) text: String,
    /// By element of what is loaded: the extensions that get its register.
    pub(super) casts: Vec<Vec<InstId>>,
}

/// An extension of all elements of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Extension {
    op: CastOp,
    narrow: u32,
    wide: u32,
}

impl Extension {
    /// The type that a load that extends so has.
    fn text(self) -> String {
        let letter = if self.op == CastOp::SExt { 's' } else { 'u' };
        format!("{letter}{}", self.narrow)
    }
}

impl FunctionRaiser<'_, '_, '_> {
    /// Finds the extensions of loads and truncations for stores.
    pub(super) fn widen_accesses(&mut self) {
        self.narrow_parameters();
        for block in self.layout.clone() {
            for id in self.function.block(block).inst_ids() {
                if self.fused.contains(&id) || self.spelled.contains(&id) {
                    continue;
                }
                if let Some(widening) = self.widening(id).or_else(|| self.vector_widening(id)) {
                    self.replace_casts(&widening);
                    // The elements of a vector come out of the load too.
                    self.fused.extend(self.users.get(id.index()).into_iter().flatten());
                    self.widened.insert(id, widening);
                } else if let Some((truncation, wide)) = self.truncated_store(id) {
                    self.fused.insert(truncation);
                    self.narrowed.insert(id, wide);
                }
            }
        }
    }

    /// Takes the extensions that a load does out of the function.
    fn replace_casts(&mut self, widening: &Widening) {
        // Nothing looks through these extensions: what they extend has no register.
        let casts = || widening.casts.iter().flatten();
        self.spelled.extend(casts());
        self.fused.extend(casts());
    }

    /// Parameters of which only the low bits are read are loaded as what is read of them.
    fn narrow_parameters(&mut self) {
        if self.signature.registers.is_some() {
            return;
        }
        let mut users: BTreeMap<u32, Vec<InstId>> = BTreeMap::new();
        for block in &self.layout {
            for id in self.function.block(*block).inst_ids() {
                for_each_operand(&self.function.inst(id).op, &mut |operand| {
                    if let Value::Arg(at) = operand {
                        users.entry(at).or_default().push(id);
                    }
                });
            }
        }
        for (at, users) in users {
            if let &[truncation] = users.as_slice()
                && !self.text_inputs.contains(&Value::Arg(at))
                && let Some(widening) = self.low_bits_of(at, truncation)
            {
                self.replace_casts(&widening);
                self.fused.insert(truncation);
                if self.module.is_to_debug()
                    && let [casts] = widening.casts.as_slice()
                    && let &[cast] = casts.as_slice()
                {
                    self.loading_casts.insert(cast, at as usize);
                }
                self.narrow_parameters.insert(at as usize, widening);
            }
        }
    }

    /// The mask that alone reads a truncation, and the type of the low bits that it keeps with zeros above them.
    fn low_mask(&self, truncation: InstId) -> Option<(InstId, Extension)> {
        let wide =
            self.plain_bits(self.function.inst(truncation).ty).filter(|bits| matches!(bits, 16 | 32))?;
        let &[mask] = self.users.get(truncation.index())? else { return None };
        let inst = self.function.inst(mask);
        let Op::Binary { op: BinaryOp::And, rhs, .. } = inst.op else { return None };
        let narrow = match self.number(rhs)? {
            0xff => 8,
            0xffff => 16,
            _ => return None,
        };
        let marked = inst.metadata("ptx.inst").is_some() || inst.metadata("ptx.literal").is_some();
        let free = !marked && !self.fused.contains(&mask) && !self.spelled.contains(&mask);
        let extension = Extension { op: CastOp::ZExt, narrow, wide };
        (free && narrow < wide && !self.text_inputs.contains(&Value::Inst(truncation)))
            .then_some((mask, extension))
    }

    /// How a parameter that only a truncation reads is loaded.
    fn low_bits_of(&self, at: u32, truncation: InstId) -> Option<Widening> {
        let parameter = self.signature.params.get(at as usize)?;
        let wide = self.plain_bits(parameter.ty)?;
        let inst = self.function.inst(truncation);
        let narrow = self.plain_bits(inst.ty).filter(|bits| matches!(bits, 8 | 16 | 32))?;
        let fits = matches!(parameter.passing, Passing::Scalar(_))
            && matches!(wide, 16 | 32 | 64)
            && matches!(inst.op, Op::Cast { op: CastOp::Trunc, .. })
            && !self.fused.contains(&truncation)
            && !self.spelled.contains(&truncation);
        if !fits {
            return None;
        }
        let masked = || self.low_mask(truncation).map(|(mask, extension)| (extension, vec![mask]));
        let widening = match self.extension_of(truncation).or_else(masked) {
            Some((extension, casts)) => Widening {
                class: Scalar::Int(extension.wide).class(),
                text: extension.text(),
                casts: vec![casts],
            },
            None => Widening {
                class: Scalar::Int(narrow).class(),
                text: format!("{}{narrow}", if self.needs_sign(truncation, narrow) { 's' } else { 'b' }),
                casts: vec![vec![truncation]],
            },
        };
        Some(widening)
    }

    /// Whether something needs the sign of a byte, and nothing zeros above it.
    fn needs_sign(&self, id: InstId, bits: u32) -> bool {
        let users = self.users.get(id.index()).unwrap_or_default();
        let extends = |with| {
            users.iter().any(|user| matches!(self.function.inst(*user).op, Op::Cast { op, .. } if op == with))
        };
        bits == 8 && extends(CastOp::SExt) && !extends(CastOp::ZExt)
    }

    /// What a load is extended to, when that is all that is done with it.
    fn widening(&self, id: InstId) -> Option<Widening> {
        let inst = self.function.inst(id);
        let Op::Load { align, order: AtomicOrder::NotAtomic, .. } = inst.op else { return None };
        if self.is_own_register(id) {
            return None;
        }
        let (extension, casts) = self.extension_of(id)?;
        let aligned = u64::from(align) * 8 >= u64::from(extension.narrow);
        let class = Scalar::Int(extension.wide).class();
        aligned.then(|| Widening { class, text: extension.text(), casts: vec![casts] })
    }

    /// What all elements of a loaded vector are extended to, when that is all that is done with them.
    fn vector_widening(&self, id: InstId) -> Option<Widening> {
        let inst = self.function.inst(id);
        let Op::Load { align, order: AtomicOrder::NotAtomic, .. } = inst.op else { return None };
        let Type::Vector { len: len @ (2 | 4), .. } = *self.module.view.ty(inst.ty) else { return None };
        let mut casts = vec![Vec::new(); len as usize];
        let mut common = None;
        for user in self.users.get(id.index())? {
            let Op::ExtractElement { index, .. } = self.function.inst(*user).op else { return None };
            let place = casts.get_mut(usize::try_from(self.number(index)?).ok()?)?;
            let (extension, own) = self.extension_of(*user)?;
            let taken = self.fused.contains(user) || self.is_own_register(*user);
            if *common.get_or_insert(extension) != extension || taken {
                return None;
            }
            place.extend(own);
        }
        let extension = common?;
        let bytes = u64::from(extension.narrow / 8 * len);
        let class = Scalar::Int(extension.wide).class();
        let fits = bytes <= MAX_VECTOR && u64::from(align) >= bytes;
        fits.then(|| Widening { class, text: extension.text(), casts })
    }

    /// How all uses of an integer extend it, with the extensions.
    fn extension_of(&self, id: InstId) -> Option<(Extension, Vec<InstId>)> {
        let narrow = self.plain_bits(self.function.inst(id).ty).filter(|bits| matches!(bits, 8 | 16 | 32))?;
        if self.text_inputs.contains(&Value::Inst(id)) {
            return None;
        }
        let users = self.users.get(id.index())?;
        let first = self.function.inst(*users.first()?);
        let Op::Cast { op: op @ (CastOp::SExt | CastOp::ZExt), .. } = first.op else { return None };
        let wide = self.plain_bits(first.ty).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        let extension = Extension { op, narrow, wide };
        let same = users.iter().all(|user| {
            let cast = self.function.inst(*user);
            matches!(cast.op, Op::Cast { op: other, .. } if other == op)
                && cast.ty == first.ty
                && cast.metadata("ptx.inst").is_none()
                && !self.fused.contains(user)
                && !self.spelled.contains(user)
                && !self.combines(*user, extension)
        });
        same.then(|| (extension, users.to_vec()))
    }

    /// Whether PTX loaded an integer of 16 bits as `.s16`: the machine's registers have 32 bits, and signed operations need not extend it
    /// then.
    pub(super) fn is_signed_half(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        let stated = inst.metadata("ptx.mods").map(|node| self.module.view.strings(node));
        self.plain_bits(inst.ty) == Some(16) && stated.is_some_and(|texts| texts.contains(&SIGNED_LOAD))
    }

    /// Whether a user of an extension may become one instruction with it: products, halves side by side, indices.
    fn combines(&self, cast: InstId, extension: Extension) -> bool {
        let doubles = extension.narrow >= 16 && extension.wide == 2 * extension.narrow;
        let users = self.users.get(cast.index()).unwrap_or_default();
        doubles
            && users.iter().map(|user| self.function.inst(*user)).any(|user| match user.op {
                Op::Binary { op: BinaryOp::Mul | BinaryOp::Shl, .. } => {
                    user.metadata("ptx.literal").is_none()
                }
                Op::Binary { op: BinaryOp::Or, .. } | Op::Gep { .. } => true,
                _ => false,
            })
    }

    /// The truncation whose result a store alone takes, and what it truncates.
    fn truncated_store(&self, id: InstId) -> Option<(InstId, Value)> {
        let Op::Store { value: Value::Inst(stored), align, order: AtomicOrder::NotAtomic, .. } =
            self.function.inst(id).op
        else {
            return None;
        };
        let truncation = self.function.inst(stored);
        let Op::Cast { op: CastOp::Trunc, value, .. } = truncation.op else { return None };
        let narrow = self.plain_bits(truncation.ty).filter(|bits| matches!(bits, 8 | 16 | 32))?;
        let wide = self.module.view.value_type(self.function, value)?;
        self.plain_bits(wide).filter(|bits| matches!(bits, 16 | 32 | 64))?;
        let alone = self.uses.get(stored.index()) == Some(&1)
            && !self.fused.contains(&stored)
            && !self.spelled.contains(&stored)
            && !self.is_own_register(stored)
            && !self.returned_pieces.contains_key(&id)
            && matches!(value, Value::Inst(_) | Value::Arg(_));
        (alone && u64::from(align) * 8 >= u64::from(narrow)).then_some((stored, value))
    }

    /// The width of an integer type.
    fn plain_bits(&self, ty: ptx_llvm::view::TypeId) -> Option<u32> {
        match self.module.view.ty(ty) {
            Type::Int { bits } => Some(*bits),
            _ => None,
        }
    }
}

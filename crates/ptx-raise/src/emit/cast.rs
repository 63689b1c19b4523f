//! Casts (manual 9.7.9.19, 9.7.9.21).

use std::rc::Rc;

use ptx_isa::{Mnemonic, Mod, ScalarType, ptx};
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{BinaryOp, CastOp, InstId, Op, TypeId, Value};

use super::append::Arg;
use super::pairs::cast_single_pairs;
use super::state::Emitter;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::types::{Class, Leaf, Scalar};
use crate::types::{integer_class, integer_type};
use crate::value::{Base, Fill, Upper, Val, mask};

/// How many bits of an integer single precision holds exactly.
const SINGLE_DIGITS: u32 = 24;

impl Emitter<'_, '_, '_> {
    /// A cast, element by element.
    pub(super) fn cast(&mut self, id: InstId, op: CastOp, value: Value) -> Result<()> {
        let from = self.value_leaves(value)?;
        let to = self.leaves(self.type_of(id))?;
        if let (CastOp::BitCast, Some(register), [Leaf { scalar: Scalar::Int(32), .. }]) =
            (op, self.whole_pair(value), &*to)
        {
            return self.define_one(id, Val::reg(register));
        }
        let values = self.value(value)?;
        if op != CastOp::BitCast {
            self.no_quadruple(id, &[value])?;
        }
        let result = match op {
            CastOp::BitCast => self.bit_cast(&from, &values, &to)?,
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt => {
                self.integer_cast(op, self.value_type(value)?, self.type_of(id), &values)?
            }
            _ => {
                let parts = self.apart(&from, &values)?;
                let targets = Self::element_scalars(&to);
                if parts.len() != targets.len() {
                    let values = self.wide_cast(op, self.value_type(value)?, self.type_of(id), &values)?;
                    return self.define(id, values.into());
                }
                let mut converted = Vec::with_capacity(parts.len());
                let literal = self.function.inst(id).metadata(marks::LITERAL).is_some();
                let fits_single = op == CastOp::UIToFP && self.fits_single(value);
                for ((value, from), to) in parts.into_iter().zip(targets) {
                    if self.is_same_number(id, from, to) {
                        converted.push(value);
                        continue;
                    }
                    let (value, from) = match value {
                        Val::Register(register, _) if fits_single => {
                            (Val::Register(register, Upper::Zero), Scalar::Int(SINGLE_DIGITS))
                        }
                        value => (value, from),
                    };
                    let value = self.convert(op, value, from, to)?;
                    converted.push(if literal { Val::reg(self.in_register(value, to)?) } else { value });
                }
                self.together(&to, &converted)?
            }
        };
        self.define(id, Rc::from(result))
    }

    /// Whether single precision holds a number of 32 bits: some bits of another one, or a narrower one extended.
    fn fits_single(&self, value: Value) -> bool {
        if self.source.integer_bits(value) != Some(32) {
            return false;
        }
        let digits = match self.cover.plain_op(value) {
            Some(Op::Binary { op: BinaryOp::And, rhs, .. }) => {
                self.source.number(*rhs).map(|mask| u64::BITS - mask.leading_zeros())
            }
            Some(Op::Binary { op: BinaryOp::LShr, rhs, .. }) => {
                self.source.number(*rhs).and_then(|amount| 32_u32.checked_sub(u32::try_from(amount).ok()?))
            }
            Some(Op::Cast { op: CastOp::ZExt, value, .. }) => self.source.integer_bits(*value),
            _ => None,
        };
        digits.is_some_and(|digits| digits <= SINGLE_DIGITS)
    }

    /// The leaves of an operand with their types, pairs taken apart.
    pub(super) fn parts_of(&mut self, value: Value) -> Result<Vec<(Val, Scalar)>> {
        let (leaves, values) = (self.value_leaves(value)?, self.value(value)?);
        self.apart(&leaves, &values)
    }

    /// The width of an instruction's integer results, when that is over 64 bits.
    pub(super) fn wide_result(&self, id: InstId) -> Option<u32> {
        self.width_of_integers(self.type_of(id)).filter(|bits| *bits > 64)
    }

    /// The width of an integer type, or of the elements of a vector of integers.
    pub(super) fn width_of_integers(&self, ty: TypeId) -> Option<u32> {
        self.source.int_bits(self.module.view.element_type(ty))
    }

    /// Conversions between pointers and integers over 64 bits.
    pub(super) fn wide_cast(
        &mut self,
        op: CastOp,
        from: TypeId,
        to: TypeId,
        values: &[Val],
    ) -> Result<Vec<Val>> {
        let (source, target) = (self.leaves(from)?, self.leaves(to)?);
        match op {
            CastOp::PtrToInt | CastOp::PtrToAddr
                if self.width_of_integers(to).is_some_and(|bits| bits > 64) =>
            {
                let above = (target.len() / values.len().max(1)).saturating_sub(1);
                let mut words = Vec::with_capacity(target.len());
                for (pointer, &value) in source.iter().zip(values) {
                    let low = self.in_register(value, pointer.scalar)?;
                    words.push(Val::reg(self.resized(low, pointer.scalar.class(), Class::B64)?));
                    words.extend(std::iter::repeat_n(Val::Bits(0), above));
                }
                Ok(words)
            }
            CastOp::IntToPtr => {
                let words = (values.len() / target.len().max(1)).max(1);
                let mut pointers = Vec::with_capacity(target.len());
                for (pointer, words) in target.iter().zip(values.chunks(words)) {
                    let low = words.first().copied();
                    let low = low.ok_or_else(|| RaiseError::new(INSTRUCTION, "an empty integer"))?;
                    pointers.push(self.convert(CastOp::IntToPtr, low, Scalar::Int(64), pointer.scalar)?);
                }
                Ok(pointers)
            }
            _ => Err(RaiseError::new(
                INSTRUCTION,
                "a conversion between values of different numbers of registers",
            )),
        }
    }

    /// Integers in another width, element by element.
    pub(super) fn integer_cast(
        &mut self,
        op: CastOp,
        from: TypeId,
        to: TypeId,
        values: &[Val],
    ) -> Result<Vec<Val>> {
        let odd = || RaiseError::new(INSTRUCTION, "an integer cast of something else");
        let from = self.width_of_integers(from).ok_or_else(odd)?;
        let to = self.width_of_integers(to).ok_or_else(odd)?;
        let words = from.div_ceil(64).max(1) as usize;
        let mut result = Vec::new();
        for words in values.chunks(words) {
            result.extend(self.resize_integer(op, words, from, to)?);
        }
        Ok(result)
    }

    /// One integer in another width.
    pub(super) fn resize_integer(
        &mut self,
        op: CastOp,
        words: &[Val],
        from: u32,
        to: u32,
    ) -> Result<Vec<Val>> {
        if let ([value], true, true) = (words, from <= 64, to <= 64) {
            return Ok(vec![self.resize_one(op, *value, from, to)?]);
        }
        if op == CastOp::Trunc {
            let kept = to.div_ceil(64) as usize;
            let mut result: Vec<Val> = words.iter().take(kept).copied().collect();
            let (Some(last), width) = (result.last_mut(), to - 64 * (kept as u32 - 1)) else {
                return Ok(result);
            };
            let own = (from - 64 * (kept as u32 - 1)).min(64);
            *last = self.resize_one(CastOp::Trunc, *last, own, width)?;
            return Ok(result);
        }
        let fill = Fill::of(op == CastOp::SExt);
        let mut full = if from <= 64 {
            let word = words.first().copied().unwrap_or(Val::Bits(0));
            vec![self.extended(word, Scalar::Int(from), 64, fill)?]
        } else {
            self.full_words(words, from, fill)?
        };
        let count = to.div_ceil(64) as usize;
        if full.len() < count {
            let top = full.last().copied().ok_or_else(|| RaiseError::new(INSTRUCTION, "an empty integer"))?;
            let more = match fill {
                Fill::Zero => self.in_register(Val::Bits(0), Scalar::Int(64))?,
                Fill::Sign => self.compute(ptx!("shr.s64"), &[top.into(), Arg::Bits(63, 32)])?,
            };
            full.resize(count, more);
        }
        self.narrow_words(&full, to)
    }

    fn resize_one(&mut self, op: CastOp, value: Val, from: u32, to: u32) -> Result<Val> {
        let scalar = Scalar::Int(from);
        let fill = Fill::of(op == CastOp::SExt);
        if let Val::Bits(bits) = value {
            return Ok(Val::Bits(fill.extend(bits, from) & mask(to)));
        }
        match op {
            CastOp::ZExt | CastOp::SExt => {
                Ok(Val::Register(self.extended(value, scalar, to, fill)?, fill.upper()))
            }
            _ if to == 1 => {
                let register = self.in_register(value, scalar)?;
                self.extract_bits(register, scalar.class(), 0, Scalar::Int(1))
            }
            _ => {
                let register = self.in_register(value, scalar)?;
                self.resized(register, scalar.class(), integer_class(to)).map(Val::reg)
            }
        }
    }

    /// One element's conversion.
    pub(super) fn convert(&mut self, op: CastOp, value: Val, from: Scalar, to: Scalar) -> Result<Val> {
        match op {
            CastOp::FPTrunc | CastOp::FPExt => self.float_to_float(value, from, to),
            CastOp::FPToSI => self.float_to_int(value, from, to.bits(), true),
            CastOp::FPToUI => self.float_to_int(value, from, to.bits(), false),
            CastOp::SIToFP => self.int_to_float(value, from, to, true),
            CastOp::UIToFP => self.int_to_float(value, from, to, false),
            CastOp::PtrToInt | CastOp::PtrToAddr => {
                if let Val::Bits(bits) = value {
                    return Ok(Val::Bits(bits & mask(to.bits())));
                }
                let register = self.in_register(value, from)?;
                if to.bits() == 1 {
                    return self.extract_bits(register, from.class(), 0, to);
                }
                self.resized(register, from.class(), integer_class(to.bits())).map(Val::reg)
            }
            CastOp::IntToPtr => {
                if let Val::Bits(bits) = value {
                    return Ok(Val::Bits(bits & mask(to.bits())));
                }
                self.extended(value, from, to.class().bits(), Fill::Zero).map(Val::reg)
            }
            CastOp::AddrSpaceCast => self.cast_address(value, from, to),
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::BitCast => {
                Err(RaiseError::new(INSTRUCTION, "a cast between values of different shapes"))
            }
        }
    }

    /// `addrspacecast`: `cvta`, unless the address is still a symbol that can be named either way.
    pub(super) fn cast_address(&mut self, value: Val, from: Scalar, to: Scalar) -> Result<Val> {
        let (Scalar::Pointer { space: source, .. }, Scalar::Pointer { space: target, .. }) = (from, to)
        else {
            return Err(RaiseError::new(INSTRUCTION, "an addrspacecast of something that is not a pointer"));
        };
        match value {
            Val::Address { base: Base::Symbol(_), .. } => Ok(value),
            Val::Address { space, .. } if space == target => Ok(value),
            Val::Address { base, offset, space } => {
                let register = self.plain_address(base, offset, space)?;
                self.convert_address(register, space, target).map(Val::reg)
            }
            other => {
                let register = self.in_register(other, from)?;
                self.convert_address(register, source, target).map(Val::reg)
            }
        }
    }

    /// A floating-point value in another format, rounded to nearest even.
    pub(super) fn float_to_float(&mut self, value: Val, from: Scalar, to: Scalar) -> Result<Val> {
        if from == to {
            return Ok(value);
        }
        if (from, to) == (Scalar::Float, Scalar::BFloat)
            && !self.module.target.supports(ptx!("cvt.rn.bf16.f32"))
        {
            return self.narrow_to_bfloat(value);
        }
        let arg = self.arg(value, from)?;
        let mnemonic = match (from, to) {
            (Scalar::BFloat, Scalar::Float) => return self.widen_bfloat(value),
            (Scalar::BFloat, Scalar::Double) => {
                let single = self.widen_bfloat(value)?;
                return self.float_to_float(single, Scalar::Float, Scalar::Double);
            }
            (Scalar::Half, Scalar::Float) => ptx!("cvt.f32.f16"),
            (Scalar::Half, Scalar::Double) => ptx!("cvt.f64.f16"),
            // A subnormal number of single precision is none in double precision.
            (Scalar::Float, Scalar::Double) => ptx!("cvt.f64.f32").with_if(self.flush, Mod::Ftz)?,
            (Scalar::Float, Scalar::Half) => ptx!("cvt.rn.f16.f32"),
            (Scalar::Double, Scalar::Half) => ptx!("cvt.rn.f16.f64"),
            (Scalar::Double, Scalar::Float) => ptx!("cvt.rn.f32.f64"),
            (Scalar::Float, Scalar::BFloat) => ptx!("cvt.rn.bf16.f32"),
            (Scalar::Double, Scalar::BFloat) => ptx!("cvt.rn.bf16.f64"),
            _ => return Err(RaiseError::new(INSTRUCTION, "a floating-point cast of something else")),
        };
        if mnemonic == ptx!("cvt.rn.bf16.f64") && !self.module.target.supports(mnemonic) {
            let single = self.double_to_odd_single(value)?;
            return self.float_to_float(single, Scalar::Float, Scalar::BFloat);
        }
        Ok(Val::reg(self.compute(mnemonic, &[arg])?))
    }

    /// An integer as single precision rounded to odd: toward zero, with the last bit set if nonzero bits were cut off. Rounding
    /// that to a format with at least two digits less has the same result as rounding the integer.
    pub(super) fn int_to_odd_single(
        &mut self,
        register: ptx_ir::RegId,
        width: u32,
        signed: bool,
    ) -> Result<Val> {
        let ty = integer_type(signed, width);
        let single = self.compute(ptx!("cvt.rz.f32.s32").with_type(ty)?, &[register.into()])?;
        let to_integer = ptx!("cvt.rzi.s32.f32").with_types(&[ty])?;
        let back = self.compute(to_integer, &[single.into()])?;
        let differs = ptx!("setp.ne.s32").with_bits(width)?;
        let inexact = self.compute(differs, &[back.into(), register.into()])?;
        self.set_last_bit(single, inexact)
    }

    /// The same for a double-precision number.
    fn double_to_odd_single(&mut self, value: Val) -> Result<Val> {
        let arg = self.arg(value, Scalar::Double)?;
        let single = self.compute(ptx!("cvt.rz.f32.f64"), &[arg])?;
        let back = self.compute(ptx!("cvt.f64.f32"), &[single.into()])?;
        let inexact = self.compute(ptx!("setp.ne.f64"), &[back.into(), arg])?;
        self.set_last_bit(single, inexact)
    }

    fn set_last_bit(&mut self, single: ptx_ir::RegId, wanted: ptx_ir::RegId) -> Result<Val> {
        let (bits, _) = self.bits_of(Val::reg(single), Scalar::Float)?;
        let odd = self.compute(ptx!("or.b32"), &[bits.into(), Arg::Bits(1, 32)])?;
        let chosen = self.compute(ptx!("selp.b32"), &[odd.into(), bits.into(), wanted.into()])?;
        self.leaf_from(chosen, Scalar::Float)
    }

    /// The bfloat nearest to a single-precision number, by its bits: half a unit in the last place is added, slightly less to
    /// an even number. A NaN stays one.
    fn narrow_to_bfloat(&mut self, value: Val) -> Result<Val> {
        let number = self.in_register(value, Scalar::Float)?;
        let (bits, class) = self.bits_of(Val::reg(number), Scalar::Float)?;
        let last = self.compute(ptx!("bfe.u32"), &[bits.into(), Arg::Bits(16, 32), Arg::Bits(1, 32)])?;
        let half = self.compute(ptx!("add.s32"), &[bits.into(), Arg::Bits(0x7fff, 32)])?;
        let sum = self.compute(ptx!("add.s32"), &[half.into(), last.into()])?;
        let quiet = self.compute(ptx!("or.b32"), &[bits.into(), Arg::Bits(0x0040_0000, 32)])?;
        let is_nan = self.compute(ptx!("setp.nan.f32"), &[number.into(), number.into()])?;
        let rounded = self.compute(ptx!("selp.b32"), &[quiet.into(), sum.into(), is_nan.into()])?;
        self.extract_bits(rounded, class, 16, Scalar::BFloat)
    }

    /// A bfloat is the upper half of a single-precision number.
    fn widen_bfloat(&mut self, value: Val) -> Result<Val> {
        if let Val::Bits(bits) = value {
            return Ok(Val::Bits(bits << 16));
        }
        if let Val::Register(register, _) = value
            && let Some(single) = self.registers.singles.get(&register)
        {
            return Ok(*single);
        }
        let high = self.in_register(value, Scalar::BFloat)?;
        if self.module.target.supports(ptx!("cvt.f32.bf16")) {
            return Ok(Val::reg(self.compute(ptx!("cvt.f32.bf16"), &[high.into()])?));
        }
        let low = self.in_register(Val::Bits(0), Scalar::BFloat)?;
        let word = self.join_halves([low, high], Class::B16)?;
        self.leaf_from(word, Scalar::Float)
    }

    /// Rounds toward zero to an integer of that width; `.s` or `.u`. Values out of range are poison.
    pub(super) fn float_to_int(&mut self, value: Val, from: Scalar, bits: u32, signed: bool) -> Result<Val> {
        let (value, from) = self.wide_enough(value, from)?;
        // One bit needs a wider register to distinguish -1 from 0.
        let class = if bits == 1 { Class::B32 } else { integer_class(bits) };
        let arg = self.arg(value, from)?;
        let to_integer = ptx!("cvt.rzi.s32.f32").with_types(&[integer_type(signed, class.bits())])?;
        let register = self.compute(self.float_form(to_integer, from)?, &[arg])?;
        if bits == 1 { self.extract_bits(register, class, 0, Scalar::Int(1)) } else { Ok(Val::reg(register)) }
    }

    /// A bfloat as single precision where the target does not convert it itself.
    fn wide_enough(&mut self, value: Val, from: Scalar) -> Result<(Val, Scalar)> {
        if from == Scalar::BFloat {
            Ok((self.widen_bfloat(value)?, Scalar::Float))
        } else {
            Ok((value, from))
        }
    }

    fn int_to_float(&mut self, value: Val, from: Scalar, to: Scalar, signed: bool) -> Result<Val> {
        let bits = from.bits();
        if let (8, Val::Register(register, _), Scalar::Half | Scalar::Float | Scalar::Double) =
            (bits, value, to)
        {
            // The conversion reads no more than the low 8 bits.
            let convert = to_float(to, integer_type(signed, 8))?;
            return Ok(Val::reg(self.compute(convert, &[register.into()])?));
        }
        let register = self.extended(value, from, from.class().bits(), Fill::of(signed))?;
        let width = integer_class(bits).bits();
        let ty = integer_type(signed, width);
        let convert = to_float(to, ty)?;
        if to == Scalar::BFloat && !self.module.target.supports(convert) {
            // Single precision holds these exactly, so rounding happens once.
            if bits <= SINGLE_DIGITS {
                let single = self.compute(to_float(Scalar::Float, ty)?, &[register.into()])?;
                return self.float_to_float(Val::reg(single), Scalar::Float, Scalar::BFloat);
            }
            let single = self.int_to_odd_single(register, width, signed)?;
            return self.float_to_float(single, Scalar::Float, Scalar::BFloat);
        }
        Ok(Val::reg(self.compute(convert, &[register.into()])?))
    }

    /// The same bits as another type: each target leaf is a source leaf, a part of one, or several side by side.
    pub(super) fn bit_cast(&mut self, from: &[Leaf], values: &[Val], to: &[Leaf]) -> Result<Vec<Val>> {
        if from.len() == to.len() && from.iter().zip(to).all(|(a, b)| a.scalar == b.scalar) {
            return Ok(values.to_vec());
        }
        if let Some(cast) = self.cast_bytes(from, values, to)? {
            return Ok(cast);
        }
        if let Some(cast) = cast_single_pairs(self, from, values, to)? {
            return Ok(cast);
        }
        self.bits_from(from, values, 0, to)
    }

    /// The leaves that the bits of values are from one of them on.
    pub(super) fn bits_from(
        &mut self,
        from: &[Leaf],
        values: &[Val],
        mut start: u32,
        to: &[Leaf],
    ) -> Result<Vec<Val>> {
        let mut sources = Vec::with_capacity(from.len());
        let mut at = 0;
        for (leaf, &value) in from.iter().zip(values) {
            sources.push((at, *leaf, value));
            at += leaf.scalar.bits();
        }
        let mut result = Vec::with_capacity(to.len());
        for leaf in to {
            let end = start + leaf.scalar.bits();
            result.push(self.bits_between(&sources, start, end, leaf.scalar)?);
            start = end;
        }
        Ok(result)
    }

    fn bits_between(
        &mut self,
        sources: &[(u32, Leaf, Val)],
        start: u32,
        end: u32,
        scalar: Scalar,
    ) -> Result<Val> {
        let covering: Vec<_> = sources
            .iter()
            .filter(|(at, leaf, _)| *at < end && at + leaf.scalar.bits() > start)
            .copied()
            .collect();
        match covering.as_slice() {
            [(at, leaf, value)] if *at == start && leaf.scalar.bits() == scalar.bits() => {
                if let Val::Bits(_) = value {
                    return Ok(*value);
                }
                if leaf.scalar == scalar {
                    return Ok(*value);
                }
                let (bits, class) = self.bits_of(*value, leaf.scalar)?;
                let target = if scalar == Scalar::Int(1) { class } else { integer_class(scalar.bits()) };
                let bits = self.resized(bits, class, target)?;
                self.leaf_from(bits, scalar)
            }
            [(at, _, Val::Bits(bits))] => Ok(Val::Bits(bits >> (start - at) & mask(scalar.bits()))),
            [(at, leaf, value)] => {
                let (bits, class) = self.bits_of(*value, leaf.scalar)?;
                self.extract_bits(bits, class, start - at, scalar)
            }
            several => {
                let whole = several.first().is_some_and(|(at, ..)| *at == start)
                    && several.last().is_some_and(|(at, leaf, _)| at + leaf.scalar.bits() == end);
                if !whole {
                    return self.pieces_between(several, start, end, scalar);
                }
                let leaves: Vec<Leaf> = several.iter().map(|(_, leaf, _)| *leaf).collect();
                let values: Vec<Val> = several.iter().map(|(.., value)| *value).collect();
                let register = match (&leaves[..], &values[..]) {
                    (&[low, high], &[a, b])
                        if low.scalar.bits() == high.scalar.bits()
                            && matches!(low.scalar.bits(), 16 | 32) =>
                    {
                        let halves = [self.bits_of(a, low.scalar)?.0, self.bits_of(b, high.scalar)?.0];
                        self.join_halves(halves, integer_class(low.scalar.bits()))?
                    }
                    _ => self.join_bits(&leaves, &values, integer_class(scalar.bits()))?,
                };
                self.leaf_from(register, scalar)
            }
        }
    }

    /// A leaf out of parts of others: each part is cut out and they are put side by side.
    fn pieces_between(
        &mut self,
        sources: &[(u32, Leaf, Val)],
        start: u32,
        end: u32,
        scalar: Scalar,
    ) -> Result<Val> {
        let (mut pieces, mut values) = (Vec::new(), Vec::new());
        for (at, leaf, value) in sources {
            let (low, high) = (start.max(*at), end.min(at + leaf.scalar.bits()));
            let piece = Leaf { scalar: Scalar::Int(high - low), offset: 0, bytes: 0 };
            values.push(match value {
                Val::Bits(bits) => Val::Bits(bits >> (low - at) & mask(high - low)),
                other => {
                    let (bits, class) = self.bits_of(*other, leaf.scalar)?;
                    self.extract_bits(bits, class, low - at, piece.scalar)?
                }
            });
            pieces.push(piece);
        }
        let register = self.join_bits(&pieces, &values, integer_class(scalar.bits()))?;
        self.leaf_from(register, scalar)
    }
}

/// `cvt.rn` of integers of a type.
pub(super) fn to_float(to: Scalar, from: ScalarType) -> Result<Mnemonic> {
    let ty = to
        .float()
        .ok_or_else(|| RaiseError::new(INSTRUCTION, "a cast to a type that is not a floating-point type"))?;
    Ok(ptx!("cvt.rn.f32.s32").with_types(&[ty, from])?)
}

//! An instruction that is to be replaced by others.

use ptx_llvm_core::view::{
    Attributes, Constant, FastMath, FloatKind, Function, Inst, InstId, Metadata, Op, Type, TypeId, Value,
    View,
};

use rustc_hash::FxHashMap as HashMap;

use crate::code::{Code, float_name};

/// The alignment that the attributes of a pointer state.
pub(crate) fn stated_align(attributes: Option<&Attributes>) -> u64 {
    // Default: a pointer without `align` may have any address.
    attributes.and_then(|attributes| attributes.number("align")).unwrap_or(1)
}

/// An instruction with its types and operands.
pub(crate) struct Site<'v> {
    pub(crate) view: &'v View,
    pub(crate) function: &'v Function,
    pub(crate) inst: &'v Inst,
    /// The variables of the function that are copied or set as a whole, with the alignment that they get.
    pub(crate) filled: &'v HashMap<InstId, u64>,
    pub(crate) atomics: Atomics,
    pub(crate) args: Vec<(Value, TypeId)>,
    pub(crate) result: TypeId,
    pub(crate) fast: FastMath,
}

/// Atomic operations that only some targets have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Atomics {
    /// Compare-and-swap of 16 bits.
    pub swaps_16_bits: bool,
    /// Sums of `double`.
    pub adds_double: bool,
    /// Sums of `half`.
    pub adds_half: bool,
    /// Sums of pairs of `half`.
    pub adds_half_pair: bool,
    /// Sums of `bfloat` and of pairs of it.
    pub adds_bfloat: bool,
}

/// The kind of the elements of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    Int(u32),
    Float(FloatKind),
    Pointer,
}

impl<'v> Site<'v> {
    /// Whether results are rounded to nearest even: GPUs have no rounding mode that a program could change (`round.dynamic`).
    pub(crate) fn rounds_to_nearest(&self) -> bool {
        matches!(self.rounding(), None | Some("round.tonearest" | "round.dynamic"))
    }

    /// The rounding that a constrained operation names (`round.upward`).
    pub(crate) fn rounding(&self) -> Option<&'v str> {
        self.texts().find(|text| text.starts_with("round."))
    }

    /// The arguments that are texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'v str> + use<'v> {
        let (view, args) = (self.view, if let Op::Call(call) = &self.inst.op { &call.args[..] } else { &[] });
        args.iter().filter_map(|arg| match arg {
            Value::Metadata(id) => match view.metadata(*id) {
                Metadata::String(text) => Some(text.as_str()),
                _ => None,
            },
            _ => None,
        })
    }

    /// Whether an instruction reads the result.
    pub(crate) fn is_read(&self) -> bool {
        let insts = &self.function.insts;
        let own = insts.iter().position(|inst| std::ptr::eq(inst, self.inst)).map(InstId::new);
        own.is_none_or(|own| insts.iter().any(|inst| inst.op.any_operand(|value| value == Value::Inst(own))))
    }

    /// The type of an argument.
    pub(crate) fn ty(&self, at: usize) -> Option<TypeId> {
        self.args.get(at).map(|(_, ty)| *ty)
    }

    /// The type of an argument as LLVM spells it.
    pub(crate) fn type_text(&self, at: usize) -> Option<&'v str> {
        self.ty(at).map(|ty| self.view.type_text(ty))
    }

    /// The type of the elements of a vector, or the type itself.
    pub(crate) fn element_type(&self, ty: TypeId) -> TypeId {
        self.view.element_type(ty)
    }

    /// The kind of a type's elements; `None` for types other than numbers and addresses.
    pub(crate) fn element(&self, ty: TypeId) -> Option<Element> {
        match self.view.ty(self.element_type(ty)) {
            Type::Int { bits } => Some(Element::Int(*bits)),
            Type::Float(kind) => Some(Element::Float(*kind)),
            Type::Pointer { .. } => Some(Element::Pointer),
            _ => None,
        }
    }

    /// The width of integers, alone or in a vector.
    pub(crate) fn bits(&self, ty: TypeId) -> Option<u32> {
        match self.element(ty)? {
            Element::Int(bits) => Some(bits),
            Element::Float(_) | Element::Pointer => None,
        }
    }

    /// The width of integers over 64 bits, which have no registers.
    pub(crate) fn wide_bits(&self, ty: TypeId) -> Option<u32> {
        self.bits(ty).filter(|bits| *bits > 64)
    }

    /// The value of an argument that is an integer constant of at most 64 bits.
    pub(crate) fn constant(&self, at: usize) -> Option<u64> {
        let (Value::Const(id), ty) = self.args.get(at)? else { return None };
        match self.view.ty(*ty) {
            Type::Int { .. } => match self.view.constant(*id) {
                Constant::Zero => Some(0),
                constant => constant.as_u64(),
            },
            _ => None,
        }
    }

    /// The bits of an argument that is a constant vector of them; undefined ones count as zeros.
    pub(crate) fn bits_of_constant(&self, at: usize) -> Option<Vec<bool>> {
        let (Value::Const(id), ty) = self.args.get(at)? else { return None };
        match self.view.constant(*id) {
            Constant::Zero | Constant::Undef | Constant::Poison => Some(vec![false; self.lanes(*ty)]),
            Constant::Aggregate(elements) => elements
                .iter()
                .map(|element| match self.view.constant(*element) {
                    Constant::Undef | Constant::Poison => Some(false),
                    element => Some(element.as_u64()? != 0),
                })
                .collect(),
            _ => None,
        }
    }

    /// The alignment of an argument that is an address, or of each address of a vector.
    pub(crate) fn align(&self, at: usize) -> u64 {
        let Op::Call(call) = &self.inst.op else { return 1 };
        stated_align(call.arg_attributes.get(at)).clamp(1, 1 << 16)
    }

    /// The address space of an argument that is an address.
    pub(crate) fn space(&self, at: usize) -> Option<u32> {
        match self.view.ty(self.ty(at)?) {
            Type::Pointer { space } => Some(*space),
            _ => None,
        }
    }

    /// Whether the elements of a vector share bytes in memory.
    pub(crate) fn shares_bytes(&self, ty: TypeId) -> bool {
        self.bits(ty).is_some_and(|bits| !matches!(bits, 8 | 16 | 32 | 64) && (bits < 64 || bits % 64 != 0))
    }

    /// Whether an element, or a scalar, is one register.
    pub(crate) fn registers_hold(&self, ty: TypeId) -> bool {
        match self.element(ty) {
            Some(Element::Int(bits)) => bits <= 64,
            Some(Element::Float(kind)) => float_name(kind).is_some(),
            Some(Element::Pointer) => true,
            None => false,
        }
    }

    /// The metadata of a load of the same memory as the instruction's: whether the memory is constant.
    pub(crate) fn constant_memory(&self) -> &'static str {
        if self.inst.metadata("invariant.load").is_some() { ", !invariant.load !{}" } else { "" }
    }

    /// How many elements a vector has; one for anything else.
    pub(crate) fn lanes(&self, ty: TypeId) -> usize {
        match self.view.ty(ty) {
            Type::Vector { len, .. } => *len as usize,
            _ => 1,
        }
    }

    /// A function that computes the elements of its result one by one. `compute` gets an element of each argument, or the argument where that
    /// is not a vector, and gives an element of the result, or of each of its parts where that is a structure.
    pub(crate) fn each(
        &self,
        mut compute: impl FnMut(&mut Code, &[String]) -> Option<Vec<String>>,
    ) -> Option<String> {
        let mut code = Code::new();
        let parts: Vec<TypeId> = match self.view.ty(self.result) {
            Type::Struct { fields } => fields.to_vec(),
            _ => vec![self.result],
        };
        let lanes = self.lanes(*parts.first()?);
        let mut args = Vec::with_capacity(self.args.len());
        for (at, (_, ty)) in self.args.iter().enumerate() {
            args.push(code.elements(self, &format!("%a{at}"), *ty));
        }
        let mut results = vec![Vec::with_capacity(lanes); parts.len()];
        for lane in 0..lanes {
            let own: Option<Vec<String>> = args
                .iter()
                .map(|values| values.get(if values.len() == 1 { 0 } else { lane }).cloned())
                .collect();
            for (all, value) in results.iter_mut().zip(compute(&mut code, &own?)?) {
                all.push(value);
            }
        }
        let values: Option<Vec<String>> =
            results.iter().zip(&parts).map(|(values, ty)| code.vector(self, values, *ty)).collect();
        let values = values?;
        let value = match self.view.ty(self.result) {
            Type::Struct { .. } => code.structure(self, &values, self.result)?,
            _ => values.into_iter().next()?,
        };
        Some(code.finish(self, &value))
    }

    /// The same for a result of one part.
    pub(crate) fn each_one(
        &self,
        mut compute: impl FnMut(&mut Code, &[String]) -> Option<String>,
    ) -> Option<String> {
        self.each(|code, args| Some(vec![compute(code, args)?]))
    }
}

//! An instruction that is to be expressed by others.

use ptx_llvm::view::{Constant, FastMath, FloatKind, Type, TypeId, Value, View};

use super::code::Code;

/// An instruction: what it computes of what.
pub(super) struct Site<'v> {
    pub(super) view: &'v View,
    /// The intrinsic without `llvm.` and types, or the instruction: `vector.reduce.add`, `frem`.
    pub(super) name: &'v str,
    pub(super) args: Vec<(Value, TypeId)>,
    pub(super) result: TypeId,
    pub(super) fast: FastMath,
    /// The rounding that a constrained operation names (`round.upward`).
    pub(super) rounding: Option<&'v str>,
}

/// What the elements of a type are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    Int(u32),
    Float(FloatKind),
    Pointer,
}

impl Site<'_> {
    /// Whether results are rounded to nearest even: GPUs have no rounding mode that a program could change (`round.dynamic`).
    pub(super) fn rounds_to_nearest(&self) -> bool {
        matches!(self.rounding, None | Some("round.tonearest" | "round.dynamic"))
    }

    /// The type of an argument.
    pub(super) fn ty(&self, at: usize) -> Option<TypeId> {
        self.args.get(at).map(|(_, ty)| *ty)
    }

    /// The type of an argument as LLVM spells it.
    pub(super) fn type_text(&self, at: usize) -> Option<&str> {
        self.ty(at).map(|ty| self.view.type_text(ty))
    }

    /// The type of the elements of a vector, or the type itself.
    pub(super) fn element_type(&self, ty: TypeId) -> TypeId {
        match self.view.ty(ty) {
            Type::Vector { element, .. } => *element,
            _ => ty,
        }
    }

    /// What a type's elements are; `None` for what is not a number or an address.
    pub(super) fn element(&self, ty: TypeId) -> Option<Element> {
        match self.view.ty(self.element_type(ty)) {
            Type::Int { bits } => Some(Element::Int(*bits)),
            Type::Float(kind) => Some(Element::Float(*kind)),
            Type::Pointer { .. } => Some(Element::Pointer),
            _ => None,
        }
    }

    /// The width of integers, alone or in a vector.
    pub(super) fn bits(&self, ty: TypeId) -> Option<u32> {
        match self.element(ty)? {
            Element::Int(bits) => Some(bits),
            Element::Float(_) | Element::Pointer => None,
        }
    }

    /// The width of integers over 64 bits, which have no registers.
    pub(super) fn wide_bits(&self, ty: TypeId) -> Option<u32> {
        self.bits(ty).filter(|bits| *bits > 64)
    }

    /// The value of an argument that is an integer constant of at most 64 bits.
    pub(super) fn constant(&self, at: usize) -> Option<u64> {
        let (Value::Const(id), ty) = self.args.get(at)? else { return None };
        match self.view.ty(*ty) {
            Type::Int { .. } => match self.view.constant(*id) {
                Constant::Zero => Some(0),
                constant => constant.as_u64(),
            },
            _ => None,
        }
    }

    /// How many elements a vector has; one for anything else.
    pub(super) fn lanes(&self, ty: TypeId) -> usize {
        match self.view.ty(ty) {
            Type::Vector { len, .. } => *len as usize,
            _ => 1,
        }
    }

    /// A function that computes the elements of its result one by one. `compute` gets an element of each argument, or the argument where that
    /// is not a vector, and gives an element of the result, or of each of its parts where that is a structure.
    pub(super) fn each(
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
        let values: Vec<String> =
            results.iter().zip(&parts).map(|(values, ty)| code.vector(self, values, *ty)).collect();
        let value = match self.view.ty(self.result) {
            Type::Struct { .. } => code.structure(self, &values, self.result)?,
            _ => values.into_iter().next()?,
        };
        Some(code.finish(self, &value))
    }

    /// The same for a result of one part.
    pub(super) fn each_one(
        &self,
        mut compute: impl FnMut(&mut Code, &[String]) -> Option<String>,
    ) -> Option<String> {
        self.each(|code, args| Some(vec![compute(code, args)?]))
    }
}

//! An instruction that is to be expressed by others.

use ptx_llvm::view::{Constant, FastMath, FloatKind, Type, TypeId, Value, View};

/// An instruction: what it computes of what.
pub(super) struct Site<'v> {
    pub(super) view: &'v View,
    /// The intrinsic without `llvm.` and types, or the instruction: `vector.reduce.add`, `frem`.
    pub(super) name: &'v str,
    pub(super) args: Vec<(Value, TypeId)>,
    pub(super) result: TypeId,
    pub(super) fast: FastMath,
}

/// What the elements of a type are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    Int(u32),
    Float(FloatKind),
    Pointer,
}

impl Site<'_> {
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
}

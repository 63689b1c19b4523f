//! Host LLVM IR of single operations, at any width: a value is an integer, or a vector of integers with one element for each lane.

mod address;
pub mod alu;
mod bits;
mod convert;
mod embedded;
pub(crate) mod emitters;
mod float;
mod functions;
mod int;
mod lanes;
pub mod matrix;
mod narrow;
mod power;
mod rounding;
mod style;
mod video;

use ptx_llvm_core::build::{BinaryOp, Builder, CastOp, Type, Types, Value};
use ptx_llvm_core::{LlvmError, Module};

/// The result of an emitter.
pub type Emitted<'c> = Result<Value<'c>, LlvmError>;

/// Where operations are appended.
pub struct Emit<'m, 'c> {
    /// The module that gets declarations of intrinsics.
    pub module: &'m Module<'c>,
    /// The types of its context.
    pub types: Types<'c>,
    /// The builder, at the end of a block.
    pub builder: Builder<'c>,
}

/// The number of elements of a vector; 1 for a scalar.
pub(super) fn lanes_of(ty: Type<'_>) -> u32 {
    match ty.vector_parts() {
        Some((_, lanes)) => lanes,
        None => 1,
    }
}

impl<'c> Emit<'_, 'c> {
    /// `element` if `like` is a scalar, otherwise a vector of it with as many lanes.
    pub fn like(&self, like: Value<'c>, element: Type<'c>) -> Type<'c> {
        match like.ty().vector_parts() {
            Some((_, lanes)) => self.types.vector(element, lanes),
            None => element,
        }
    }

    /// The width of an integer or of the integers of a vector.
    pub fn bits(&self, value: Value<'c>) -> u32 {
        let element = value.ty().vector_parts().map_or(value.ty(), |(element, _)| element);
        let bits = element.int_bits();
        debug_assert!(bits.is_some(), "the width of {}", element.text());
        // Default: what is done with another value by its width is a type error of LLVM.
        bits.unwrap_or(0)
    }

    /// Zero-extends or truncates to `bits` bits.
    ///
    /// # Errors
    /// The value is not of integers.
    pub fn resize(&self, value: Value<'c>, bits: u32) -> Emitted<'c> {
        let from = self.bits(value);
        let op = if from < bits { CastOp::ZExt } else { CastOp::Trunc };
        if from == bits {
            return Ok(value);
        }
        self.builder.cast(op, value, self.like(value, self.types.int(bits)))
    }

    /// Sign-extends or truncates to `bits` bits.
    ///
    /// # Errors
    /// The value is not of integers.
    pub fn resize_signed(&self, value: Value<'c>, bits: u32) -> Emitted<'c> {
        let from = self.bits(value);
        let op = if from < bits { CastOp::SExt } else { CastOp::Trunc };
        if from == bits {
            return Ok(value);
        }
        self.builder.cast(op, value, self.like(value, self.types.int(bits)))
    }

    /// The constant `value` in the form of `like`: a splat if that is a vector.
    pub fn constant(&self, like: Value<'c>, bits: u32, value: u64) -> Value<'c> {
        let one = self.types.int_value(bits, value);
        match like.ty().vector_parts() {
            Some((_, lanes)) => self.types.vector_value(&vec![one; lanes as usize]).unwrap_or(one),
            None => one,
        }
    }

    /// A binary instruction.
    ///
    /// # Errors
    /// The types do not match.
    pub fn binary(&self, op: BinaryOp, a: Value<'c>, b: Value<'c>) -> Emitted<'c> {
        self.builder.binary(op, a, b)
    }
}

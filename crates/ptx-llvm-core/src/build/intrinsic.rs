//! Declarations of LLVM's own intrinsics, by name and overloaded types.
//!
//! LLVM makes the declaration of an intrinsic from the types that it is overloaded for, and does what is undefined when those
//! are too few or of another kind. So the overloads of each intrinsic are written down here, and checked before LLVM is asked.

use llvm_sys::core::*;
use llvm_sys::prelude::LLVMModuleRef;

use super::global::Function;
use super::handle::{Type, Value};
use super::instruction::{Builder, Built};
use crate::{LlvmError, Module};

/// What a type that an intrinsic is overloaded for has to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A floating-point number, or a vector of them.
    Float,
    /// An integer, or a vector of them.
    Int,
    /// A number, or a vector of them.
    Number,
    /// A vector of integers.
    IntVector,
    /// A vector of floating-point numbers.
    FloatVector,
    /// A vector of numbers or pointers.
    Vector,
    /// A vector of pointers.
    Pointers,
    /// A pointer.
    Pointer,
    /// A pointer, or a vector of them.
    AnyPointer,
    /// One integer.
    Scalar,
}

impl Kind {
    fn admits(self, ty: Type<'_>) -> bool {
        let element = ty.element();
        let vector = ty.vector_parts().is_some();
        let (int, float) = (element.int_bits().is_some(), element.is_any_float());
        let pointer = element.pointer_space().is_some();
        match self {
            Kind::Float => float,
            Kind::Int => int,
            Kind::Number => int || float,
            Kind::IntVector => vector && int,
            Kind::FloatVector => vector && float,
            Kind::Vector => vector && (int || float || pointer),
            Kind::Pointers => vector && pointer,
            Kind::Pointer => !vector && pointer,
            Kind::AnyPointer => pointer,
            Kind::Scalar => !vector && int,
        }
    }
}

/// Intrinsics (without `llvm.`) and the types they are overloaded for, in LLVM's order: results before operands
/// (`llvm/IR/Intrinsics.td` of LLVM 22).
const OVERLOADS: &[(&[&str], &[Kind])] = &[
    (
        &[
            "fma",
            "fmuladd",
            "sqrt",
            "fabs",
            "floor",
            "ceil",
            "trunc",
            "rint",
            "nearbyint",
            "round",
            "roundeven",
            "minnum",
            "maxnum",
            "minimum",
            "maximum",
            "minimumnum",
            "maximumnum",
            "copysign",
            "canonicalize",
            "sin",
            "cos",
            "tan",
            "exp",
            "exp2",
            "exp10",
            "log",
            "log2",
            "log10",
            "pow",
        ],
        &[Kind::Float],
    ),
    (&["ldexp"], &[Kind::Float, Kind::Int]),
    (&["is.fpclass"], &[Kind::Float]),
    (&["fptosi.sat", "fptoui.sat"], &[Kind::Int, Kind::Float]),
    (&["lrint", "llrint", "lround", "llround"], &[Kind::Int, Kind::Float]),
    (
        &[
            "ctpop",
            "ctlz",
            "cttz",
            "bswap",
            "bitreverse",
            "fshl",
            "fshr",
            "abs",
            "smax",
            "smin",
            "umax",
            "umin",
            "sadd.sat",
            "uadd.sat",
            "ssub.sat",
            "usub.sat",
            "sshl.sat",
            "ushl.sat",
            "sadd.with.overflow",
            "uadd.with.overflow",
            "ssub.with.overflow",
            "usub.with.overflow",
            "smul.with.overflow",
            "umul.with.overflow",
        ],
        &[Kind::Int],
    ),
    (&["scmp", "ucmp"], &[Kind::Int, Kind::Int]),
    (
        &[
            "vector.reduce.add",
            "vector.reduce.mul",
            "vector.reduce.and",
            "vector.reduce.or",
            "vector.reduce.xor",
            "vector.reduce.smax",
            "vector.reduce.smin",
            "vector.reduce.umax",
            "vector.reduce.umin",
        ],
        &[Kind::IntVector],
    ),
    (
        &[
            "vector.reduce.fadd",
            "vector.reduce.fmul",
            "vector.reduce.fmax",
            "vector.reduce.fmin",
            "vector.reduce.fmaximum",
            "vector.reduce.fminimum",
        ],
        &[Kind::FloatVector],
    ),
    (&["vector.reverse", "experimental.vector.compress"], &[Kind::Vector]),
    (&["masked.load", "masked.store"], &[Kind::Vector, Kind::Pointer]),
    (&["masked.gather", "masked.scatter"], &[Kind::Vector, Kind::Pointers]),
    (&["masked.expandload", "masked.compressstore"], &[Kind::Vector]),
    (&["memcpy", "memmove"], &[Kind::Pointer, Kind::Pointer, Kind::Scalar]),
    (&["memset"], &[Kind::Pointer, Kind::Scalar]),
    (&["prefetch"], &[Kind::Pointer]),
    (&["lifetime.start", "lifetime.end"], &[Kind::Pointer]),
    (&["ptrmask"], &[Kind::AnyPointer, Kind::Int]),
    (&["expect", "expect.with.probability"], &[Kind::Scalar]),
    (&["ssa.copy", "arithmetic.fence"], &[Kind::Number]),
];

impl<'c> Module<'c> {
    /// The declaration of an LLVM intrinsic by the name without its types (`llvm.fma`), and the types that it is overloaded for,
    /// in LLVM's order: for `llvm.fma.v16f32` that is `<16 x float>`. It is added when the module has none. Intrinsics that are not
    /// overloaded, such as those of a target, take no types.
    ///
    /// # Errors
    ///
    /// When LLVM has no such intrinsic, it is an overloaded one whose types this crate does not know, or the types are too few,
    /// too many or of another kind.
    pub fn intrinsic(&self, name: &str, overloads: &[Type<'c>]) -> Result<Function<'c>, LlvmError> {
        // SAFETY: the module is alive.
        unsafe { declare(self.raw(), name, overloads) }
    }
}

impl<'c> Builder<'c> {
    /// A call of an LLVM intrinsic, as [`Module::intrinsic`] finds it; it is declared in the module that is built when it is not yet.
    ///
    /// # Errors
    ///
    /// As [`Module::intrinsic`], and when the arguments are not those of the intrinsic. That an operand has to be a constant is for LLVM's
    /// verifier.
    pub fn intrinsic(&self, name: &str, overloads: &[Type<'c>], arguments: &[Value<'c>]) -> Built<'c> {
        self.at()?;
        let block = self.block()?;
        // SAFETY: the block is alive, and in a function of a module.
        let function = unsafe {
            let module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(block.raw));
            declare(module, name, overloads)?
        };
        self.call(function, arguments)
    }
}

/// Declares an intrinsic in a module.
///
/// # Safety
///
/// The module is alive, and of the context of the types.
unsafe fn declare<'c>(
    module: LLVMModuleRef,
    name: &str,
    overloads: &[Type<'c>],
) -> Result<Function<'c>, LlvmError> {
    // SAFETY: LLVM reads that many bytes, and gives 0 for a name that it does not know.
    let number = unsafe { LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()) };
    if number == 0 {
        return Err(LlvmError::Other { message: format!("LLVM has no intrinsic {name}") });
    }
    // SAFETY: the number is that of an intrinsic.
    let kinds: &[Kind] = match unsafe { LLVMIntrinsicIsOverloaded(number) } != 0 {
        true => kinds_of(name)?,
        false => &[],
    };
    let fits =
        kinds.len() == overloads.len() && kinds.iter().zip(overloads).all(|(kind, ty)| kind.admits(*ty));
    if !fits {
        let types: Vec<String> = overloads.iter().map(|ty| ty.text()).collect();
        let message = format!("{name} is overloaded for {kinds:?}, not for {}", types.join(", "));
        return Err(LlvmError::Other { message });
    }
    let mut raw: Vec<_> = overloads.iter().map(|ty| ty.raw).collect();
    // SAFETY: an intrinsic, and as many types of the kinds that its declaration is made of.
    unsafe {
        let function = LLVMGetIntrinsicDeclaration(module, number, raw.as_mut_ptr(), raw.len());
        Ok(Function::from_raw(Value::new(function), Type::new(LLVMGlobalGetValueType(function))))
    }
}

fn kinds_of(name: &str) -> Result<&'static [Kind], LlvmError> {
    let short = name.strip_prefix("llvm.").unwrap_or(name);
    let found = OVERLOADS.iter().find(|(names, _)| names.contains(&short));
    found.map(|(_, kinds)| *kinds).ok_or_else(|| LlvmError::Other {
        message: format!("the types that {name} is overloaded for are unknown"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::build::Types;

    /// A type that the kind admits.
    fn example(types: Types<'_>, kind: Kind) -> Type<'_> {
        match kind {
            Kind::Float | Kind::FloatVector => types.vector(types.f32(), 4),
            Kind::Int | Kind::IntVector | Kind::Number | Kind::Vector => types.vector(types.int(32), 4),
            Kind::Pointers => types.vector(types.pointer(0), 4),
            Kind::Pointer | Kind::AnyPointer => types.pointer(0),
            Kind::Scalar => types.int(64),
        }
    }

    #[test]
    fn every_overload_is_the_one_that_llvm_has() {
        let context = Context::new().expect("LLVM 22");
        let types = Types::new(&context);
        for (names, kinds) in OVERLOADS {
            for name in *names {
                let module = Module::new(&context, "m");
                let overloads: Vec<_> = kinds.iter().map(|kind| example(types, *kind)).collect();
                let name = format!("llvm.{name}");
                let function = module.intrinsic(&name, &overloads).expect(&name);
                let text = module.to_text();
                // LLVM names the declaration by the types that it really used: one for each of the overloads.
                let mangled: String = kinds
                    .iter()
                    .map(|kind| match kind {
                        Kind::Float | Kind::FloatVector => ".v4f32",
                        Kind::Int | Kind::IntVector | Kind::Number | Kind::Vector => ".v4i32",
                        Kind::Pointers => ".v4p0",
                        Kind::Pointer | Kind::AnyPointer => ".p0",
                        Kind::Scalar => ".i64",
                    })
                    .collect();
                assert!(text.contains(&format!("@{name}{mangled}(")), "{name}{mangled}:\n{text}");
                assert!(!function.ty().parameters().is_empty(), "{name}");
                // The reader checks a declaration's type against its name.
                let again = Module::parse(&context, "again", text.as_bytes()).expect(&name);
                again.verify().expect(&name);
                assert_eq!(again.to_text().matches("declare").count(), 1, "{text}");
            }
        }
    }

    #[test]
    fn wrong_overloads_are_errors() {
        let context = Context::new().expect("LLVM 22");
        let (module, types) = (Module::new(&context, "m"), Types::new(&context));
        let (int, float) = (types.int(32), types.f32());
        for (name, overloads) in [
            ("llvm.fma", &[][..]),
            ("llvm.fma", &[int]),
            ("llvm.fma", &[float, float]),
            ("llvm.ctpop", &[float]),
            ("llvm.vector.reduce.add", &[int]),
            ("llvm.masked.load", &[int, types.pointer(0)]),
            ("llvm.no.such.thing", &[]),
            ("frob", &[]),
            ("llvm.trap", &[int]),
            ("llvm.vector.interleave2", &[types.vector(int, 4)]),
        ] {
            assert!(module.intrinsic(name, overloads).is_err(), "{name} {overloads:?}");
        }
        assert!(module.intrinsic("llvm.trap", &[]).is_ok());
        assert!(module.intrinsic("llvm.x86.avx512.add.ps.512", &[]).is_ok());
    }
}

//! Intrinsics that are not one instruction, by their names: the only classification of calls of intrinsics in this crate.

use ptx_llvm::intrinsics::base_name;
use ptx_llvm::view::BinaryOp;

/// Declares a group of intrinsics with their names after `llvm.`, without the types that they are overloaded for.
macro_rules! group {
    ($(#[$m:meta])* $name:ident { $($(#[$vm:meta])* $v:ident $($own:literal)|+),* $(,)? }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $name {
            $($(#[$vm])* $v),*
        }

        impl $name {
            /// The variant of a name.
            fn of(name: &str) -> Option<Self> {
                match name {
                    $($($own)|+ => Some(Self::$v),)*
                    _ => None,
                }
            }
        }
    };
}

group! {
    /// Intrinsics without a computation, or with a constant result.
    Plain {
        /// Information for optimizers.
        Hint "lifetime.start" | "lifetime.end" | "assume" | "donothing" | "sideeffect"
            | "experimental.noalias.scope.decl" | "invariant.end" | "var.annotation" | "prefetch" | "fake.use"
            | "pseudoprobe" | "codeview.annotation" | "reloc.none" | "seh.scope.begin" | "seh.scope.end"
            | "seh.try.begin" | "seh.try.end" | "xray.customevent" | "xray.typedevent" | "objc.clang.arc.use" | "objc.clang.arc.noop.use"
            | "experimental.convergence.anchor" | "experimental.convergence.entry"
            | "experimental.convergence.loop" | "instrprof.callsite" | "dbg.value" | "dbg.declare" | "dbg.label"
            | "dbg.assign",
        /// Its first argument.
        Argument "expect" | "expect.with.probability" | "ssa.copy" | "launder.invariant.group"
            | "strip.invariant.group" | "annotation" | "ptr.annotation" | "arithmetic.fence",
        /// Properties that are unknown at run time: nothing is constant, and there are no frames to walk. There is nothing
        /// between the last variable of the stack and its end.
        Zero "invariant.start" | "is.constant" | "returnaddress" | "frameaddress" | "addressofreturnaddress"
            | "sponentry" | "get.dynamic.area.offset",
        /// Checks are made, and the rounding is to nearest: there is no mode that changes it.
        One "allow.runtime.check" | "allow.ubsan.check" | "experimental.widenable.condition" | "get.rounding",
        ObjectSize "objectsize",
        Trap "ubsantrap",
        PointerCopy "nvvm.move.ptr" | "nvvm.internal.addrspace.wrap",
        CycleCounter "readcyclecounter",
        SteadyCounter "readsteadycounter",
        CompilerError "nvvm.compiler.error",
        CompilerWarning "nvvm.compiler.warn",
        Reflect "nvvm.reflect",
        /// The handle of a texture, a sampler or a surface.
        Handle "nvvm.texsurf.handle" | "nvvm.texsurf.handle.internal",
    }
}

group! {
    /// Intrinsics for memory and addresses.
    MemoryOp {
        LoadUniform "nvvm.ldu.global.i" | "nvvm.ldu.global.f" | "nvvm.ldu.global.p",
        MaskAddress "ptrmask",
        SaveStack "stacksave",
        RestoreStack "stackrestore",
        StartList "va_start",
        CopyList "va_copy",
        EndList "va_end",
    }
}

group! {
    /// Counting and moving bits of an integer.
    BitOp {
        CountOnes "ctpop",
        LeadingZeros "ctlz",
        TrailingZeros "cttz",
        SwapBytes "bswap",
        Reverse "bitreverse",
    }
}

group! {
    /// Other operations on integers.
    IntegerOp {
        Absolute "abs",
        FunnelLeft "fshl",
        FunnelRight "fshr",
        SignedMin "smin",
        SignedMax "smax",
        UnsignedMin "umin",
        UnsignedMax "umax",
    }
}

/// Arithmetic that may leave its type: which, and whether of numbers with a sign.
pub(crate) type Leaving = (BinaryOp, bool);

/// The arithmetic of a name without its end.
fn leaving(name: &str) -> Option<Leaving> {
    Some(match name {
        "sadd" => (BinaryOp::Add, true),
        "ssub" => (BinaryOp::Sub, true),
        "smul" => (BinaryOp::Mul, true),
        "uadd" => (BinaryOp::Add, false),
        "usub" => (BinaryOp::Sub, false),
        "umul" => (BinaryOp::Mul, false),
        _ => return None,
    })
}

group! {
    /// Intrinsics whose result has another type than the operand.
    Conversion {
        ToSigned "fptosi.sat",
        ToUnsigned "fptoui.sat",
        Classify "is.fpclass",
        ToHalf "convert.to.fp16",
        FromHalf "convert.from.fp16",
    }
}

group! {
    /// Functions of floating-point numbers that PTX computes exactly.
    FloatOp {
        Min "minnum" | "minimumnum",
        Max "maxnum" | "maximumnum",
        MinOrNan "minimum",
        MaxOrNan "maximum",
        MultiplyAdd "fma" | "fmuladd",
        Absolute "fabs",
        CopySign "copysign",
        SquareRoot "sqrt",
        Floor "floor",
        Ceil "ceil",
        Truncate "trunc",
        RoundEven "rint" | "nearbyint" | "roundeven",
        Canonicalize "canonicalize",
    }
}

group! {
    /// Functions that PTX approximates or does not have.
    Transcendental {
        Sin "sin",
        Cos "cos",
        Tanh "tanh",
        Exp2 "exp2",
        Log2 "log2",
        /// Functions that are legalized if an approximation is allowed, except in double precision.
        Composed "tan" | "exp" | "exp10" | "log" | "log10" | "pow",
        /// Functions without an approximation.
        Absent "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "sincos" | "sincospi",
    }
}

group! {
    /// Operations under `experimental.constrained.` that have a rounding; those to nearest, and those on 16-bit formats, are legalized.
    ConstrainedOp {
        Add "fadd",
        Subtract "fsub",
        Multiply "fmul",
        Divide "fdiv",
        MultiplyAdd "fma" | "fmuladd",
        SquareRoot "sqrt",
        Narrow "fptrunc",
        FromSigned "sitofp",
        FromUnsigned "uitofp",
    }
}

/// A function of floating-point numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Exact(FloatOp),
    Transcendental(Transcendental),
}

/// An intrinsic that is not one instruction of the table of intrinsics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Generic {
    Plain(Plain),
    Memory(MemoryOp),
    Bits(BitOp),
    Integer(IntegerOp),
    /// Saturating operations.
    Saturating(Leaving),
    /// Operations that report overflow.
    Overflow(Leaving),
    Convert(Conversion),
    Float(Function),
    Constrained(ConstrainedOp),
}

impl Generic {
    /// The kind of an intrinsic, by its name; `None` if it is in the table of intrinsics, or unknown.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let short = base_name(name).strip_prefix("llvm.")?;
        if let Some(own) = short.strip_prefix("experimental.constrained.") {
            return ConstrainedOp::of(own).map(Self::Constrained);
        }
        // Elements past the length are poison, and the others are computed as if there were no length.
        if let Some(own) = short.strip_prefix("vp.") {
            return Function::of(if own == "roundtozero" { "trunc" } else { own }).map(Self::Float);
        }
        let plain = || Plain::of(short).map(Self::Plain);
        let memory = || MemoryOp::of(short).map(Self::Memory);
        let bits = || BitOp::of(short).map(Self::Bits);
        let integer = || IntegerOp::of(short).map(Self::Integer);
        let saturating = || {
            let own = short.strip_suffix(".sat").and_then(leaving);
            own.filter(|(op, _)| *op != BinaryOp::Mul).map(Self::Saturating)
        };
        let overflow = || short.strip_suffix(".with.overflow").and_then(leaving).map(Self::Overflow);
        let conversion = || Conversion::of(short).map(Self::Convert);
        let float = || Function::of(short).map(Self::Float);
        let integers = || bits().or_else(integer).or_else(saturating).or_else(overflow);
        plain().or_else(memory).or_else(integers).or_else(conversion).or_else(float)
    }
}

impl Function {
    fn of(name: &str) -> Option<Self> {
        FloatOp::of(name).map(Self::Exact).or_else(|| Transcendental::of(name).map(Self::Transcendental))
    }
}

/// Whether an intrinsic has no effect, but is information for optimizers.
pub(crate) fn is_hint(name: &str) -> bool {
    base_name(name).strip_prefix("llvm.").and_then(Plain::of) == Some(Plain::Hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_by_their_families() {
        assert_eq!(
            Generic::of("llvm.vp.roundtozero.v4f32"),
            Some(Generic::Float(Function::Exact(FloatOp::Truncate)))
        );
        let constrained = |name: &str| Generic::of(&format!("llvm.experimental.constrained.{name}.f32"));
        assert_eq!(constrained("fadd"), Some(Generic::Constrained(ConstrainedOp::Add)));
        // Intrinsics that are one instruction are rows of the table of intrinsics.
        assert_eq!(Generic::of("llvm.nvvm.shfl.sync.up.i32"), None);
    }
}

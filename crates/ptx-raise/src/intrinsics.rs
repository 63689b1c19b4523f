//! Intrinsics that are not one instruction, by their names after `llvm.`.

use ptx_llvm_core::intrinsics::base_name;
use ptx_llvm_core::view::BinaryOp;

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
            pub(crate) fn of(name: &str) -> Option<Self> {
                match name {
                    $($($own)|+ => Some(Self::$v),)*
                    _ => None,
                }
            }
        }
    };
}

group! {
    /// Intrinsics that have code of their own, or none.
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
        LoadUniform "nvvm.ldu.global.i" | "nvvm.ldu.global.f" | "nvvm.ldu.global.p",
        MaskAddress "ptrmask",
        SaveStack "stacksave",
        RestoreStack "stackrestore",
        StartList "va_start",
        CopyList "va_copy",
        EndList "va_end",
        ToSigned "fptosi.sat",
        ToUnsigned "fptoui.sat",
        Classify "is.fpclass",
        ToHalf "convert.to.fp16",
        FromHalf "convert.from.fp16",
    }
}

/// Arithmetic that may leave its type: which, and whether of numbers with a sign.
pub(crate) type Leaving = (BinaryOp, bool);

/// The arithmetic of a name without its end.
pub(crate) fn leaving(name: &str) -> Option<Leaving> {
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

/// Whether an intrinsic has no effect, but is information for optimizers.
pub(crate) fn is_hint(name: &str) -> bool {
    base_name(name).strip_prefix("llvm.").and_then(Plain::of) == Some(Plain::Hint)
}

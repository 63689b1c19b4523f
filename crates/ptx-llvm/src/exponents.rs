//! `llvm.ldexp` of exponents over 32 bits, which LLVM 22 folds wrongly: it takes the low 32 bits of a constant exponent, so that
//! `ldexp(%x, 4294967296)` becomes `%x`.

use inkwell::values::AsValueRef as _;
use llvm_sys::LLVMIntPredicate::{LLVMIntSGT, LLVMIntSLT};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use crate::module::Module;
use crate::raw;

/// The intrinsic's names begin so.
const NAME: &str = "llvm.ldexp.";

/// Scaling by more than this exponent, up or down, gives infinity or zero for every number and every type.
const MOST: i64 = 1 << 20;

/// Clamps such exponents to where they make no difference, and calls the intrinsic of 32 bits.
///
/// ```text
/// %r = call double @llvm.ldexp.f64.i64(double %x, i64 %e)
/// ```
///
/// becomes
///
/// ```text
/// %most = call i64 @llvm.smin.i64(i64 %e, i64 1048576)      as icmp and select
/// %clamped = call i64 @llvm.smax.i64(i64 %most, i64 -1048576)
/// %exponent = trunc i64 %clamped to i32
/// %r = call double @llvm.ldexp.f64.i32(double %x, i32 %exponent)
/// ```
pub(crate) fn clamp_wide_exponents(module: &Module<'_>) {
    // SAFETY: the module is alive and nothing else changes it meanwhile; calls are collected before they are replaced.
    unsafe {
        for function in module.inkwell().get_functions() {
            let is_wide = function.get_name().to_bytes().starts_with(NAME.as_bytes())
                && function.get_type().get_param_types().get(1).is_some_and(|_| {
                    exponent_bits(LLVMTypeOf(LLVMGetParam(function.as_value_ref(), 1))) > 32
                });
            if !is_wide {
                continue;
            }
            let mut calls = Vec::new();
            let mut place = LLVMGetFirstUse(function.as_value_ref());
            while !place.is_null() {
                let user = LLVMGetUser(place);
                if !LLVMIsACallInst(user).is_null() && LLVMGetCalledValue(user) == function.as_value_ref() {
                    calls.push(user);
                }
                place = LLVMGetNextUse(place);
            }
            for call in calls {
                clamp(module, function.as_value_ref(), call);
            }
        }
    }
}

/// The width of an integer or of the elements of a vector.
///
/// # Safety
///
/// The type is alive, and an integer or a vector of them.
unsafe fn exponent_bits(ty: LLVMTypeRef) -> u32 {
    // SAFETY: as the caller promises.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                exponent_bits(LLVMGetElementType(ty))
            }
            LLVMTypeKind::LLVMIntegerTypeKind => LLVMGetIntTypeWidth(ty),
            _ => 0,
        }
    }
}

/// # Safety
///
/// The call is one of the intrinsic in the module, with an exponent over 32 bits.
unsafe fn clamp(module: &Module<'_>, intrinsic: LLVMValueRef, call: LLVMValueRef) {
    // SAFETY: operands and types are the call's; the builder is disposed once.
    unsafe {
        let context = module.context().raw();
        let (number, exponent) = (LLVMGetOperand(call, 0), LLVMGetOperand(call, 1));
        let wide = LLVMTypeOf(exponent);
        let word = LLVMInt32TypeInContext(context);
        let narrow = match LLVMGetTypeKind(wide) {
            LLVMTypeKind::LLVMVectorTypeKind => LLVMVectorType(word, LLVMGetVectorSize(wide)),
            LLVMTypeKind::LLVMIntegerTypeKind => word,
            // Vectors without a fixed length exist on no target of this project.
            _ => return,
        };
        let builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, call);
        let mut clamped = exponent;
        for (predicate, bound) in [(LLVMIntSGT, MOST), (LLVMIntSLT, -MOST)] {
            let bound = raw::splat(wide, bound);
            let beyond = LLVMBuildICmp(builder, predicate, clamped, bound, c"".as_ptr());
            clamped = LLVMBuildSelect(builder, beyond, bound, clamped, c"".as_ptr());
        }
        let clamped = LLVMBuildCast(builder, LLVMOpcode::LLVMTrunc, clamped, narrow, c"".as_ptr());
        let (mut types, mut arguments) = ([LLVMTypeOf(number), narrow], [number, clamped]);
        let id = LLVMGetIntrinsicID(intrinsic);
        let callee = LLVMGetIntrinsicDeclaration(module.raw(), id, types.as_mut_ptr(), types.len());
        let ty = LLVMIntrinsicGetType(context, id, types.as_mut_ptr(), types.len());
        let count = arguments.len() as u32;
        let scaled = LLVMBuildCall2(builder, ty, callee, arguments.as_mut_ptr(), count, c"".as_ptr());
        LLVMSetFastMathFlags(scaled, LLVMGetFastMathFlags(call));
        raw::replace_with(call, scaled);
        LLVMDisposeBuilder(builder);
    }
}

#[cfg(test)]
mod tests {
    use crate::context::Context;
    use crate::machine::{Gpu, Machine, OptLevel};
    use crate::module::Module;
    use crate::pass::run_passes;

    /// What a pipeline makes of scaling a number by a constant.
    fn scaled(types: (&str, &str), exponent: &str, pipeline: &str) -> String {
        let (number, width) = types;
        let mangled = |text: &str| match text {
            "float" => "f32".to_owned(),
            "double" => "f64".to_owned(),
            "<2 x float>" => "v2f32".to_owned(),
            "<2 x i64>" => "v2i64".to_owned(),
            other => other.to_owned(),
        };
        let name = format!("@llvm.ldexp.{}.{}", mangled(number), mangled(width));
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
define {number} @f({number} %x) {{
  %r = call {number} {name}({number} %x, {width} {exponent})
  ret {number} %r
}}
declare {number} {name}({number}, {width})
"
        );
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        let machine = Machine::new(&Gpu::default().for_pipelines(), OptLevel::O2).expect("the target");
        run_passes(&mut module, pipeline, &machine).expect("the passes run");
        module.to_text()
    }

    #[test]
    fn exponents_over_32_bits_are_not_taken_modulo_their_words() {
        for pipeline in ["instcombine", "default<O1>", "default<O3>"] {
            for number in ["float", "double"] {
                for width in ["i33", "i64", "i128"] {
                    for exponent in ["4294967296", "4294967297", "-4294967296"] {
                        let text = scaled((number, width), exponent, pipeline);
                        // Neither the number itself, nor its double or half; 2^1048576 is beyond all numbers.
                        assert!(!text.contains(&format!("ret {number} %x")), "{text}");
                        let is_scaled = text.contains("i32 1048576") || text.contains("i32 -1048576");
                        assert!(
                            is_scaled || text.contains("0x7FF0000000000000") || text.contains("0.0"),
                            "{text}"
                        );
                        assert!(
                            !text.contains("fmul")
                                || text.contains("0x7FF0000000000000")
                                || text.contains("0.0"),
                            "{text}"
                        );
                    }
                }
            }
            let text = scaled(("<2 x float>", "<2 x i64>"), "<i64 4294967296, i64 3>", pipeline);
            assert!(!text.contains("ret <2 x float> %x"), "{text}");
        }
        let text = scaled(("double", "i64"), "3", "instcombine");
        assert!(text.contains("fmul double %x, 8.0"), "{text}");
    }
}

//! `llvm.ldexp` of exponents over 32 bits, which LLVM 22 folds wrongly: it takes the low 32 bits of a constant exponent, so that
//! `ldexp(%x, 4294967296)` becomes `%x`.

use crate::build::{CastOp, IntPredicate};
use crate::edit::{Editor, Inst, Opcode, Type, TypeKind, edit};
use crate::error::LlvmError;
use crate::module::Module;

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
pub(crate) fn clamp_wide_exponents(module: &mut Module<'_>) -> Result<(), LlvmError> {
    if !module.declares_any(NAME) {
        return Ok(());
    }
    edit(module, |editor| {
        for function in editor.functions().filter(|function| function.name().starts_with(NAME.as_bytes())) {
            let exponent = function.parameter(1).and_then(|exponent| exponent.ty().scalar().integer_bits());
            if exponent.is_none_or(|bits| bits <= 32) {
                continue;
            }
            // Collected before they are replaced.
            let calls: Vec<Inst<'_>> = function
                .users()
                .filter_map(|user| user.as_op(Opcode::Call))
                .filter(|call| call.called_function() == Some(function))
                .collect();
            calls.into_iter().try_for_each(|call| clamp(editor, call))?;
        }
        Ok(())
    })
}

/// The call is one of the intrinsic, with an exponent over 32 bits.
fn clamp<'e>(editor: &Editor<'e>, call: Inst<'e>) -> Result<(), LlvmError> {
    let Some([number, exponent]) = call.two_operands() else { return Ok(()) };
    let wide: Type<'e> = exponent.ty();
    // Vectors without a fixed length exist on no target of this project.
    if let TypeKind::ScalableVector { .. } = wide.kind() {
        return Ok(());
    }
    let narrow = editor.shaped_as(editor.integer(32), wide);
    let builder = editor.before(call)?;
    let mut clamped = exponent;
    for (predicate, bound) in [(IntPredicate::Sgt, MOST), (IntPredicate::Slt, -MOST)] {
        let bound = wide.number(bound)?;
        let beyond = builder.int_compare(predicate, clamped, bound)?;
        clamped = builder.select(beyond, bound, clamped)?;
    }
    let clamped = builder.cast(CastOp::Trunc, clamped, narrow)?;
    let scaled = builder.intrinsic("llvm.ldexp", &[number.ty(), narrow], &[number, clamped])?;
    if let Some(scaled) = scaled.as_inst() {
        scaled.set_fast_math(call.fast_math());
    }
    editor.replace(call, scaled)
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

use ptx_llvm_core::{Context, Module};

use super::flush_inputs;

fn flushed(attribute: &str, body: &str) -> String {
    let text = format!(
            "define float @f(float %x, float %y, double %d, <2 x half> %h) {attribute} {{\n{body}\n  ret float %r\n}}
declare float @llvm.fabs.f32(float)
declare float @llvm.sqrt.f32(float)
declare <2 x half> @llvm.fma.v2f16(<2 x half>, <2 x half>, <2 x half>)
"
        );
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
    flush_inputs(&mut module).expect("runs");
    module.verify().expect("a valid module");
    module.to_text()
}

#[test]
fn inputs_are_flushed_once_where_the_mode_demands_it() {
    let body =
        "  %a = call float @llvm.fabs.f32(float %x)\n  %s = fadd float %a, %y\n  %r = fmul float %s, %y";
    let selects = |attribute: &str| flushed(attribute, body).matches("select").count();
    for (output, input, expected) in [
        ("ieee", "ieee", 0),
        ("preserve-sign", "ieee", 0),
        ("positive-zero", "ieee", 0),
        ("preserve-sign", "preserve-sign", 0),
        // `%a`, `%y` and `%s`.
        ("ieee", "preserve-sign", 3),
        ("positive-zero", "preserve-sign", 3),
        ("ieee", "positive-zero", 3),
        ("preserve-sign", "positive-zero", 3),
        ("positive-zero", "positive-zero", 3),
    ] {
        let attribute = format!("\"denormal-fp-math-f32\"=\"{output},{input}\"");
        assert_eq!(selects(&attribute), expected, "{attribute}");
    }
    // An instruction without `.ftz` in a function that has it otherwise.
    let body = "  %n = fptrunc float %x to bfloat\n  %w = fpext bfloat %n to float\n  %r = fadd float %w, %y";
    let text = flushed("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"", body);
    assert!(
        text.contains("call float @llvm.canonicalize.f32(float %x)") && !text.contains("select"),
        "{text}"
    );
    // The general attribute counts for other types too, whose instructions have no `.ftz` that is meant.
    let body = "  %e = fptrunc double %d to float\n  %v = call <2 x half> @llvm.fma.v2f16(<2 x half> %h, <2 x half> %h, <2 x half> %h)\n  %z = extractelement <2 x half> %v, i32 0\n  %w = fpext half %z to float\n  %r = fadd float %w, %e";
    let text = flushed("\"denormal-fp-math\"=\"preserve-sign,preserve-sign\"", body);
    assert_eq!(text.matches("select").count(), 3, "{text}");
    assert!(text.contains("\"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\""), "{text}");
    assert!(text.contains("\"denormal-fp-math\"=\"ieee,ieee\""), "{text}");
}

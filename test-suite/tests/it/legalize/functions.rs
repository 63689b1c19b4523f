//! Functions of floating-point numbers, and operations that name their rounding.

use crate::legalize::program::{Case, check};

#[test]
fn halves_are_rounded_away_from_zero() {
    let cases: Vec<Case> =
        ["float", "double", "<3 x float>"].iter().map(|ty| Case::call("llvm.round", ty, &[ty])).collect();
    check(&cases, 64, &["llvm.round"]);
    // Half precision is rounded as single precision is.
    let reference = "%w = fpext half %a0 to float
  %x = call float @llvm.round(float %w)
  %r = fptrunc float %x to half";
    check(&[Case::call("llvm.round", "half", &["half"]).like(reference)], 64, &["llvm.round"]);
}

/// A call of an operation under `experimental.constrained.`, and what it is without that.
fn constrained(name: &str, types: (&str, &str), (count, rounding): (usize, &str), plain: &str) -> Case {
    let (from, to) = types;
    let args: Vec<String> = (0..count).map(|at| format!("{from} %a{at}")).collect();
    let rounding = if rounding.is_empty() { String::new() } else { format!(", metadata !\"{rounding}\"") };
    let body = format!(
        "%r = call {to} @llvm.experimental.constrained.{name}({}{rounding}, metadata !\"fpexcept.strict\")",
        args.join(", ")
    );
    Case::new(&vec![from; count], body, &[(to, "%r")]).like(format!("%r = {plain}"))
}

#[test]
fn operations_that_round_to_nearest_are_plain_ones() {
    let f = "float";
    let mut cases = Vec::new();
    for rounding in ["round.tonearest", "round.dynamic"] {
        for (name, sign) in [("fadd", "fadd"), ("fsub", "fsub"), ("fmul", "fmul"), ("fdiv", "fdiv")] {
            cases.push(constrained(name, (f, f), (2, rounding), &format!("{sign} float %a0, %a1")));
        }
        let fma = "call float @llvm.fma(float %a0, float %a1, float %a2)";
        cases.push(constrained("fma", (f, f), (3, rounding), fma));
        cases.push(constrained("sqrt", (f, f), (1, rounding), "call float @llvm.sqrt(float %a0)"));
        cases.push(constrained("fptrunc", ("double", f), (1, rounding), "fptrunc double %a0 to float"));
        cases.push(constrained("sitofp", ("i64", f), (1, rounding), "sitofp i64 %a0 to float"));
    }
    for (rounding, function) in [
        ("round.tonearest", "rint"),
        ("round.towardzero", "trunc"),
        ("round.upward", "ceil"),
        ("round.downward", "floor"),
    ] {
        let plain = format!("call float @llvm.{function}(float %a0)");
        cases.push(constrained("nearbyint", (f, f), (1, rounding), &plain));
    }
    cases.push(constrained("floor", (f, f), (1, ""), "call float @llvm.floor(float %a0)"));
    cases.push(constrained("maxnum", (f, f), (2, ""), "call float @llvm.maxnum(float %a0, float %a1)"));
    cases.push(constrained("fpext", (f, "double"), (1, ""), "fpext float %a0 to double"));
    for predicate in ["oeq", "ult", "uno"] {
        let plain = format!("fcmp {predicate} float %a0, %a1");
        cases.push(constrained("fcmp", (f, "i1"), (2, ""), &plain));
        let Some(case) = cases.last_mut() else { continue };
        let all = format!("float %a1, metadata !\"{predicate}\"");
        case.body = case.body.replace("float %a1", &all);
        case.body.push_str("\n  %x = zext i1 %r to i8");
        case.reference = Some(format!("%r = {plain}\n  %x = zext i1 %r to i8"));
        case.results = vec![("i8".to_owned(), "%x".to_owned())];
    }
    check(&cases, 16, &["constrained"]);
}

#[test]
fn signs_of_quadruple_precision_are_bits() {
    let mut cases = Vec::new();
    for (operation, reference) in [
        ("fneg fp128 %x", "xor i128 %a0, -170141183460469231731687303715884105728"),
        ("call fp128 @llvm.fabs(fp128 %x)", "and i128 %a0, 170141183460469231731687303715884105727"),
        ("call fp128 @llvm.copysign(fp128 %x, fp128 %y)", "or i128 %size, %sign"),
    ] {
        let body = format!(
            "%x = bitcast i128 %a0 to fp128\n  %y = bitcast i128 %a1 to fp128\n  %z = {operation}
  %r = bitcast fp128 %z to i128"
        );
        let reference = format!(
            "%size = and i128 %a0, 170141183460469231731687303715884105727
  %sign = and i128 %a1, -170141183460469231731687303715884105728\n  %r = {reference}"
        );
        cases.push(Case::new(&["i128", "i128"], body, &[("i128", "%r")]).like(reference));
    }
    check(&cases, 16, &["fneg", "llvm.fabs", "llvm.copysign"]);
}

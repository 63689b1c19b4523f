//! Floating-point numbers taken apart and put together.

use crate::legalize::program::{Case, check, legal_of};

/// Types, and how far apart their exponents are.
const TYPES: [(&str, u32); 4] = [("half", 45), ("float", 300), ("double", 2200), ("<3 x float>", 300)];

fn of(ty: &str, element: &str) -> String {
    match ty.split_once(" x ") {
        Some((count, _)) => format!("{count} x {element}>"),
        None => element.to_owned(),
    }
}

fn exponents() -> Vec<Case> {
    let mut cases = Vec::new();
    for (ty, range) in TYPES {
        let i32 = of(ty, "i32");
        for bound in [range, range / 3, u32::MAX / 4] {
            let limit = match ty.split_once(" x ") {
                Some(_) => format!("<i32 {bound}, i32 {bound}, i32 {bound}>"),
                None => bound.to_string(),
            };
            let body =
                format!("%e = srem {i32} %a1, {limit}\n  %r = call {ty} @llvm.ldexp({ty} %a0, {i32} %e)");
            cases.push(Case::new(&[ty, &i32], body, &[(ty, "%r")]));
        }
        let both = format!("{{{ty}, {i32}}}");
        let body = format!(
            "%s = call {both} @llvm.frexp({ty} %a0)\n  %r = extractvalue {both} %s, 0\n  %e = extractvalue {both} %s, 1"
        );
        cases.push(Case::new(&[ty], body, &[(ty, "%r"), (&i32, "%e")]));
    }
    for (wide, narrowed) in [
        (
            "i64",
            "%l = call i64 @llvm.smax(i64 %a1, i64 -9999)\n  %m = call i64 @llvm.smin(i64 %l, i64 9999)\n  %e = trunc i64 %m to i32",
        ),
        ("i8", "%e = sext i8 %a1 to i32"),
    ] {
        let body = format!("%r = call float @llvm.ldexp(float %a0, {wide} %a1)");
        let reference = format!("{narrowed}\n  %r = call float @llvm.ldexp(float %a0, i32 %e)");
        cases.push(Case::new(&["float", wide], body, &[("float", "%r")]).like(reference));
    }
    cases
}

fn remainders() -> Vec<Case> {
    let types = ["half", "float", "double", "<2 x float>"];
    let plain = types.map(|ty| Case::new(&[ty, ty], format!("%r = frem {ty} %a0, %a1"), &[(ty, "%r")]));
    // The host's processor makes zero of subnormal numbers of this type when it rounds to it; the remainder is exact.
    let bfloat = Case::new(&["bfloat", "bfloat"], "%r = frem bfloat %a0, %a1", &[("bfloat", "%r")]).like(
        "%a = fpext bfloat %a0 to float
  %b = fpext bfloat %a1 to float
  %x = frem float %a, %b
  %i = bitcast float %x to i32
  %h = lshr i32 %i, 16
  %n = trunc i32 %h to i16
  %r = bitcast i16 %n to bfloat",
    );
    plain.into_iter().chain([bfloat]).collect()
}

#[test]
fn exponents_are_taken_and_given() {
    check(&exponents(), 200, &["llvm.ldexp", "llvm.frexp"]);
}

#[test]
fn remainders_are_exact() {
    check(&remainders(), 400, &[" frem "]);
}

/// `lli` flushes nothing, but what computes with integers alone cannot be flushed.
#[test]
fn what_takes_numbers_apart_has_no_arithmetic_that_flushes() {
    for cases in [exponents(), remainders()] {
        let legal = legal_of(&cases, "\"denormal-fp-math-f32\"=\"preserve-sign\"");
        for operation in ["fadd", "fsub", "fmul", "fdiv", "fneg", "fpext", "fptrunc", "fcmp"] {
            assert!(!legal.contains(&format!(" {operation} ")), "{operation}");
        }
    }
}

#[test]
fn fractions_and_whole_numbers_are_apart() {
    let mut cases = Vec::new();
    for (ty, _) in TYPES {
        let both = format!("{{{ty}, {ty}}}");
        let body = format!(
            "%s = call {both} @llvm.modf({ty} %a0)\n  %r = extractvalue {both} %s, 0\n  %w = extractvalue {both} %s, 1"
        );
        let case = Case::new(&[ty], body, &[(ty, "%r"), (ty, "%w")]);
        // The host has no such function of halves.
        cases.push(if ty == "half" {
            case.like(
                "%f = fpext half %a0 to float
  %s = call {float, float} @llvm.modf(float %f)
  %p = extractvalue {float, float} %s, 0
  %q = extractvalue {float, float} %s, 1
  %r = fptrunc float %p to half
  %w = fptrunc float %q to half",
            )
        } else {
            case
        });
    }
    for ty in ["float", "double"] {
        for (name, to) in [("lrint", "i32"), ("llrint", "i64"), ("lround", "i64"), ("llround", "i64")] {
            let body = format!(
                "%size = call {ty} @llvm.fabs({ty} %a0)
  %small = fcmp olt {ty} %size, 1048576.0
  %x = select i1 %small, {ty} %a0, {ty} 2.5
  %r = call {to} @llvm.{name}({ty} %x)"
            );
            cases.push(Case::new(&[ty], body, &[(to, "%r")]));
        }
    }
    check(&cases, 100, &["llvm.modf", "llvm.lrint", "llvm.llrint", "llvm.lround", "llvm.llround"]);
}

#[test]
fn powers_are_products_of_squares() {
    let mut cases = Vec::new();
    let products =
        "%s = fmul T %a0, %a0\n  %q = fmul T %s, %s\n  %x3 = fmul T %a0, %s\n  %x7 = fmul T %x3, %q\n";
    for ty in ["float", "double"] {
        for (power, result) in [
            (0, "fadd T 1.0, 0.0"),
            (1, "freeze T %a0"),
            (4, "freeze T %q"),
            (7, "freeze T %x7"),
            (-3, "fdiv T 1.0, %x3"),
        ] {
            let body = format!("%r = call {ty} @llvm.powi({ty} %a0, i32 {power})");
            let reference = format!("{products}  %r = {result}").replace('T', ty);
            cases.push(Case::new(&[ty], body, &[(ty, "%r")]).like(reference));
        }
        let exponent = "%m = and i32 %a1, 7\n  %n = sub i32 0, %m\n  %neg = icmp slt i32 %a1, 0\n  %e = select i1 %neg, i32 %n, i32 %m\n";
        let body = format!("{exponent}  %r = call {ty} @llvm.powi({ty} %a0, i32 %e)");
        let bits = "%b0 = trunc i32 %m to i1
  %m1 = lshr i32 %m, 1
  %c1 = trunc i32 %m1 to i1
  %m2 = lshr i32 %m, 2
  %c2 = trunc i32 %m2 to i1
  %p0 = select i1 %b0, T %a0, T 1.0
  %y1 = fmul T %p0, %s
  %p1 = select i1 %c1, T %y1, T %p0
  %y2 = fmul T %p1, %q
  %p2 = select i1 %c2, T %y2, T %p1
  %i2 = fdiv T 1.0, %p2
  %r = select i1 %neg, T %i2, T %p2"
            .replace("%b0", "%c0");
        let reference = format!("{exponent}{products}  {bits}").replace('T', ty);
        cases.push(Case::new(&[ty, "i32"], body, &[(ty, "%r")]).like(reference));
    }
    check(&cases, 60, &["llvm.powi"]);
}

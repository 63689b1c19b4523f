//! Integers over 64 bits, and what leaves its range.

use crate::legalize::program::{Case, check};

const WIDE: [&str; 6] = ["i65", "i96", "i128", "i192", "i256", "<2 x i128>"];

#[test]
fn bits_are_counted_and_turned_round() {
    let mut cases = Vec::new();
    for ty in WIDE {
        cases.push(Case::call("llvm.ctpop", ty, &[ty]));
        cases.push(Case::call("llvm.bitreverse", ty, &[ty]));
        for name in ["ctlz", "cttz", "abs"] {
            let body = format!("%r = call {ty} @llvm.{name}({ty} %a0, i1 false)");
            cases.push(Case::new(&[ty], body, &[(ty, "%r")]));
        }
    }
    for ty in ["i80", "i96", "i128", "i256"] {
        cases.push(Case::call("llvm.bswap", ty, &[ty]));
    }
    check(
        &cases,
        24,
        &["llvm.ctpop.i1", "llvm.bitreverse.i1", "llvm.ctlz.i1", "llvm.cttz.i1", "llvm.abs", "llvm.bswap.i1"],
    );
}

#[test]
fn comparisons_choose_what_they_chose() {
    let mut cases = Vec::new();
    for ty in WIDE {
        for name in ["smin", "smax", "umin", "umax"] {
            cases.push(Case::call(&format!("llvm.{name}"), ty, &[ty, ty]));
        }
    }
    for ty in ["i8", "i64", "i65", "i128"] {
        for name in ["scmp", "ucmp"] {
            cases.push(Case::call(&format!("llvm.{name}"), "i8", &[ty, ty]));
            cases.push(Case::call(&format!("llvm.{name}"), "i128", &[ty, ty]));
        }
    }
    check(&cases, 24, &["llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax", "llvm.scmp", "llvm.ucmp"]);
}

#[test]
fn numbers_side_by_side_are_shifted() {
    let mut cases = Vec::new();
    for ty in ["i65", "i96", "i128", "i256", "<2 x i128>"] {
        for name in ["fshl", "fshr"] {
            cases.push(Case::call(&format!("llvm.{name}"), ty, &[ty, ty, ty]));
        }
    }
    for bits in [65, 96, 128, 192, 256, 320, 512] {
        let ty = format!("i{bits}");
        for (name, near, far, toward, back) in
            [("fshl", "%a0", "%a1", "shl", "lshr"), ("fshr", "%a1", "%a0", "lshr", "shl")]
        {
            // Amounts on both sides of words and of the width.
            let body = format!(
                "%m = and {ty} %a2, 1023\n  %r = call {ty} @llvm.{name}({ty} %a0, {ty} %a1, {ty} %m)"
            );
            // The host has no code for the remainders by widths that are not powers of two.
            let reference = format!(
                "%n = trunc {ty} %a2 to i32
  %m = and i32 %n, 1023
  %k = urem i32 %m, {bits}
  %l = sub i32 {most}, %k
  %x = zext i32 %k to {ty}
  %y = zext i32 %l to {ty}
  %near = {toward} {ty} {near}, %x
  %one = {back} {ty} {far}, 1
  %far = {back} {ty} %one, %y
  %r = or {ty} %near, %far",
                most = bits - 1
            );
            cases.push(Case::new(&[&ty, &ty, &ty], body, &[(&ty, "%r")]).like(reference));
            for amount in [0, 1, 64, 65, 200, 1000] {
                let body = format!("%r = call {ty} @llvm.{name}({ty} %a0, {ty} %a1, {ty} {})", amount);
                cases.push(Case::new(&[&ty, &ty], body, &[(&ty, "%r")]));
            }
        }
    }
    check(&cases, 12, &["llvm.fshl.i1", "llvm.fshr.i1", "llvm.fshl.i2", "llvm.fshr.v"]);
}

#[test]
fn sums_and_products_that_leave_the_range_say_so_or_saturate() {
    let mut cases = Vec::new();
    for (ty, bit) in
        [("i65", "i1"), ("i96", "i1"), ("i128", "i1"), ("i192", "i1"), ("<2 x i128>", "<2 x i1>")]
    {
        for operation in ["add", "sub", "mul"] {
            for sign in ["s", "u"] {
                let both = format!("{{{ty}, {bit}}}");
                let body = format!(
                    "%s = call {both} @llvm.{sign}{operation}.with.overflow({ty} %a0, {ty} %a1)
  %r = extractvalue {both} %s, 0
  %o = extractvalue {both} %s, 1"
                );
                cases.push(Case::new(&[ty, ty], body, &[(ty, "%r"), (bit, "%o")]));
                if operation != "mul" {
                    cases.push(Case::call(&format!("llvm.{sign}{operation}.sat"), ty, &[ty, ty]));
                }
            }
        }
    }
    for (ty, bits) in [("i8", 8), ("i32", 32), ("i64", 64), ("i65", 65), ("i128", 128)] {
        for sign in ["s", "u"] {
            let body = format!(
                "%m = urem {ty} %a1, {bits}\n  %r = call {ty} @llvm.{sign}shl.sat({ty} %a0, {ty} %m)"
            );
            cases.push(Case::new(&[ty, ty], body, &[(ty, "%r")]));
        }
    }
    check(&cases, 40, &["with.overflow", "add.sat", "sub.sat", "shl.sat"]);
}

#[test]
fn numbers_with_a_fixed_point_are_rounded_as_they_were() {
    let mut cases = Vec::new();
    for (ty, bits) in [("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64), ("<2 x i16>", 16)] {
        for scale in [0, 3, bits / 2, bits - 1] {
            for sign in ["s", "u"] {
                let body = format!("%r = call {ty} @llvm.{sign}mul.fix.sat({ty} %a0, {ty} %a1, i32 {scale})");
                cases.push(Case::new(&[ty, ty], body, &[(ty, "%r")]));
                if ty.starts_with('<') {
                    continue;
                }
                // What does not fit is open without saturation.
                let half = bits / 2;
                let (down, most) = if sign == "s" { ("ashr", bits - 1) } else { ("lshr", bits) };
                let body = format!(
                    "%x = {down} {ty} %a0, {half}
  %y = {down} {ty} %a1, {half}
  %r = call {ty} @llvm.{sign}mul.fix({ty} %x, {ty} %y, i32 {scale})"
                );
                cases.push(Case::new(&[ty, ty], body, &[(ty, "%r")]));
                // A divisor of at least one, whose quotient is not larger than the dividend.
                let (one, all) = (1u64 << scale.min(most - 1), u64::MAX >> (64 - most));
                let scale = scale.min(most - 1);
                for sat in ["", ".sat"] {
                    let body = format!(
                        "%p = and {ty} %a1, u0x{all:X}
  %y = or {ty} %p, u0x0{one:X}
  %r = call {ty} @llvm.{sign}div.fix{sat}({ty} %a0, {ty} %y, i32 {scale})"
                    );
                    cases.push(Case::new(&[ty, ty], body, &[(ty, "%r")]));
                }
                let body = format!(
                    "%z = icmp eq {ty} %a1, 0
  %y = select i1 %z, {ty} 1, {ty} %a1
  %r = call {ty} @llvm.{sign}div.fix.sat({ty} %a0, {ty} %y, i32 {scale})"
                );
                cases.push(Case::new(&[ty, ty], body, &[(ty, "%r")]));
            }
        }
    }
    check(&cases, 40, &["mul.fix", "div.fix"]);
}

#[test]
fn divisions_by_powers_of_two_are_shifts() {
    let mut cases = Vec::new();
    for operation in ["udiv", "urem", "sdiv", "srem"] {
        for (ty, divisors) in [
            ("i128", ["1", "2", "u0x10000000000000000", "-4", "u0x80000000000000000000000000000000"]),
            ("i65", ["1", "8", "u0x08000000000000000", "-1", "u0x10000000000000000"]),
        ] {
            for divisor in divisors {
                let body = format!("%r = {operation} {ty} %a0, {divisor}");
                cases.push(Case::new(&[ty], body, &[(ty, "%r")]));
            }
        }
        let body = format!("%r = {operation} <2 x i128> %a0, <i128 16, i128 10>");
        cases.push(Case::new(&["<2 x i128>"], body, &[("<2 x i128>", "%r")]));
    }
    // One divided by -1 would leave the range: no case has it, for the smallest number is not divided by it.
    let negative =
        |case: &Case| case.body.contains("sdiv i65 %a0, -1") || case.body.contains("srem i65 %a0, -1");
    cases.retain(|case| !negative(case));
    check(
        &cases,
        24,
        &["udiv i128", "urem i128", "sdiv i128", "srem i128", "udiv i65", "srem i65", "udiv <2", "srem <2"],
    );
}

#[test]
fn conversions_round_once() {
    let mut cases = Vec::new();
    for ty in ["i65", "i96", "i128", "i192", "i256"] {
        for operation in ["uitofp", "sitofp"] {
            for float in ["float", "double"] {
                // Numbers past the range of the format are infinite, which the host has wrong.
                let (down, beyond) = match (float, ty) {
                    ("float", "i192") => (if operation == "uitofp" { "lshr" } else { "ashr" }, 72),
                    ("float", "i256") => (if operation == "uitofp" { "lshr" } else { "ashr" }, 136),
                    _ => ("lshr", 0),
                };
                let body = format!("%x = {down} {ty} %a0, {beyond}\n  %r = {operation} {ty} %x to {float}");
                cases.push(Case::new(&[ty], body, &[(float, "%r")]));
            }
            let body = format!("%r = {operation} {ty} %a0 to half");
            let reference = format!(
                "%d = {operation} {ty} %a0 to double\n  %f = fptrunc double %d to float\n  %r = fptrunc float %f to half"
            );
            cases.push(Case::new(&[ty], body, &[("half", "%r")]).like(reference));
        }
        for operation in ["fptoui", "fptosi"] {
            for float in ["float", "double"] {
                cases.push(saturating(operation, float, ty));
                let sign = if operation == "fptoui" { "call T @llvm.fabs(T %x)" } else { "freeze T %x" };
                let body = format!(
                    "%size = call T @llvm.fabs(T %a0)
  %small = fcmp olt T %size, 0x43E0000000000000
  %x = select i1 %small, T %a0, T 2.5
  %y = {sign}
  %r = {operation} T %y to {ty}"
                )
                .replace('T', float);
                cases.push(Case::new(&[float], body, &[(ty, "%r")]));
            }
        }
    }
    check(
        &cases,
        60,
        &[
            "fptoui.sat",
            "fptosi.sat",
            "fptosi double",
            "fptoui float",
            "uitofp i128",
            "sitofp i65",
            "sitofp i256",
        ],
    );
}

/// A conversion that saturates. The host has those to integers of up to 128 bits.
fn saturating(operation: &str, float: &str, ty: &str) -> Case {
    let body = format!("%r = call {ty} @llvm.{operation}.sat({float} %a0)");
    let case = Case::new(&[float], body, &[(ty, "%r")]);
    let bits: u64 = ty.trim_start_matches('i').parse().expect("a width");
    if bits <= 128 {
        return case;
    }
    let signed = operation == "fptosi";
    let power = bits - u64::from(signed);
    // No finite `float` is that large.
    let above = if float == "float" { 0x7ff0_0000_0000_0000 } else { (power + 1023) << 52 };
    let below = if signed { above | 1 << 63 } else { 0 };
    let (most, least) = if signed {
        (format!("lshr {ty} -1, 1"), format!("shl {ty} 1, {power}"))
    } else {
        (format!("sub {ty} 0, 1"), format!("add {ty} 0, 0"))
    };
    case.like(format!(
        "%over = fcmp oge {float} %a0, 0x{above:016X}
  %under = fcmp ole {float} %a0, 0x{below:016X}
  %nan = fcmp uno {float} %a0, %a0
  %out = or i1 %over, %under
  %none = or i1 %out, %nan
  %x = select i1 %none, {float} 0.0, {float} %a0
  %i = {operation} {float} %x to {ty}
  %most = {most}
  %least = {least}
  %s = select i1 %over, {ty} %most, {ty} %i
  %r = select i1 %under, {ty} %least, {ty} %s"
    ))
}

#[test]
fn products_without_carries_are_sums_of_moved_numbers() {
    let mut cases = Vec::new();
    for bits in [8, 32, 64, 65] {
        let mut reference = String::from("%s0 = add iN 0, 0\n");
        for at in 0..bits {
            reference += &format!(
                "  %m{at} = shl iN %a0, {at}\n  %b{at}.x = lshr iN %a1, {at}\n  %t{at} = trunc iN %b{at}.x to i1
  %c{at} = select i1 %t{at}, iN %m{at}, iN 0\n  %s{} = xor iN %s{at}, %c{at}\n",
                at + 1
            );
        }
        let ty = format!("i{bits}");
        reference = format!("{reference}  %r = add iN %s{bits}, 0").replace("iN", &ty);
        cases.push(Case::call("llvm.clmul", &ty, &[&ty, &ty]).like(reference));
    }
    check(&cases, 16, &["clmul"]);
}

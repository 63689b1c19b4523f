//! Vectors: elements moved, searched and combined.

use std::fmt::Write;

use crate::legalize::program::{Case, check};

#[test]
fn elements_are_moved_where_they_were_moved() {
    let v = "<4 x i32>";
    let mut cases = vec![
        Case::call("llvm.vector.reverse", v, &[v]),
        Case::call("llvm.vector.reverse", "<5 x half>", &["<5 x half>"]),
        Case::new(
            &[v, "<2 x i32>"],
            "%r = call <4 x i32> @llvm.vector.insert(<4 x i32> %a0, <2 x i32> %a1, i64 2)",
            &[(v, "%r")],
        ),
        Case::new(
            &[v],
            "%r = call <2 x i32> @llvm.vector.extract(<4 x i32> %a0, i64 2)",
            &[("<2 x i32>", "%r")],
        ),
        Case::call("llvm.vector.interleave2", "<8 x i32>", &[v, v]),
        Case::call("llvm.vector.interleave3", "<6 x i65>", &["<2 x i65>"; 3]).like(
            "%x = shufflevector <2 x i65> %a0, <2 x i65> %a1, <4 x i32> <i32 0, i32 2, i32 1, i32 3>
  %y = shufflevector <2 x i65> %a2, <2 x i65> poison, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %r = shufflevector <4 x i65> %x, <4 x i65> %y, <6 x i32> <i32 0, i32 1, i32 4, i32 2, i32 3, i32 5>",
        ),
        Case::new(
            &["<6 x i16>"],
            "%s = call {<2 x i16>, <2 x i16>, <2 x i16>} @llvm.vector.deinterleave3(<6 x i16> %a0)
  %r = extractvalue {<2 x i16>, <2 x i16>, <2 x i16>} %s, 0
  %t = extractvalue {<2 x i16>, <2 x i16>, <2 x i16>} %s, 1
  %u = extractvalue {<2 x i16>, <2 x i16>, <2 x i16>} %s, 2",
            &[("<2 x i16>", "%r"), ("<2 x i16>", "%t"), ("<2 x i16>", "%u")],
        )
        .like(
            "%r = shufflevector <6 x i16> %a0, <6 x i16> poison, <2 x i32> <i32 0, i32 3>
  %t = shufflevector <6 x i16> %a0, <6 x i16> poison, <2 x i32> <i32 1, i32 4>
  %u = shufflevector <6 x i16> %a0, <6 x i16> poison, <2 x i32> <i32 2, i32 5>",
        ),
        Case::new(&[v], "%s = call <4 x i32> @llvm.stepvector()\n  %r = add <4 x i32> %s, %a0", &[(v, "%r")]),
        Case::call("llvm.experimental.vector.compress", v, &[v, "<4 x i1>", v]),
    ];
    for (name, at) in [("splice.left", 1), ("splice.left", 0), ("splice.right", 1), ("splice.right", 4)] {
        let body = format!("%r = call {v} @llvm.vector.{name}({v} %a0, {v} %a1, i32 {at})");
        cases.push(Case::new(&[v, v], body, &[(v, "%r")]));
    }
    let gone =
        ["reverse", "vector.insert", "vector.extract", "interleave", "splice", "stepvector", "compress"];
    check(&cases, 8, &gone);
}

#[test]
fn searches_find_what_they_found() {
    let (v, mask) = ("<4 x i8>", "<4 x i1>");
    // LLVM 22 does not come to an end with `extract.last.active` on x86-64 with SSE4.2 or AVX2: each lane of the mask replaces the one before.
    let mut last = String::from("%r0 = add i8 %a2, 0\n");
    for lane in 0..4 {
        writeln!(last, "  %m{lane} = extractelement <4 x i1> %a1, i32 {lane}").unwrap();
        writeln!(last, "  %e{lane} = extractelement <4 x i8> %a0, i32 {lane}").unwrap();
        writeln!(last, "  %r{} = select i1 %m{lane}, i8 %e{lane}, i8 %r{lane}", lane + 1).unwrap();
    }
    last.push_str("  %r = add i8 %r4, 0");
    let mut cases = vec![
        Case::call("llvm.experimental.vector.match", mask, &[v, "<3 x i8>", mask]),
        Case::call("llvm.experimental.vector.extract.last.active", "i8", &[v, mask, "i8"]).like(last),
        Case::new(
            &["i32", "i32"],
            "%r = call <4 x i1> @llvm.get.active.lane.mask(i32 %a0, i32 %a1)",
            &[(mask, "%r")],
        ),
        Case::new(
            &["i8", "i8"],
            "%x = and i8 %a0, 7\n  %y = and i8 %a1, 7\n  %r = call <4 x i1> @llvm.get.active.lane.mask(i8 %x, i8 %y)",
            &[(mask, "%r")],
        ),
    ];
    for (ty, element) in [(mask, "i1"), (v, "i8"), ("<3 x i65>", "i65")] {
        let zero = format!("%r = call i32 @llvm.experimental.cttz.elts({ty} %a0, i1 false)");
        cases.push(Case::new(&[ty], zero, &[("i32", "%r")]));
        let one = format!(
            "%v = insertelement {ty} zeroinitializer, {element} 1, i32 2\n  %r = call i64 @llvm.experimental.cttz.elts({ty} %v, i1 false)"
        );
        cases.push(Case::new(&[ty], one, &[("i64", "%r")]));
    }
    for count in ["i16", "i32", "i64", "i128"] {
        let body =
            format!("%r = call i32 @llvm.experimental.get.vector.length({count} %a0, i32 5, i1 false)");
        cases.push(Case::new(&[count], body, &[("i32", "%r")]));
    }
    check(&cases, 16, &["match", "last.active", "lane.mask", "cttz.elts", "vector.length"]);
}

#[test]
fn reductions_combine_all_elements() {
    let mut cases = Vec::new();
    for (ty, element) in
        [("<4 x i32>", "i32"), ("<3 x i8>", "i8"), ("<2 x i128>", "i128"), ("<5 x i1>", "i1")]
    {
        for name in ["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"] {
            cases.push(Case::call(&format!("llvm.vector.reduce.{name}"), element, &[ty]));
        }
    }
    for (ty, element) in [("<3 x float>", "float"), ("<2 x double>", "double")] {
        for name in ["fadd", "fmul"] {
            cases.push(Case::call(&format!("llvm.vector.reduce.{name}"), element, &[element, ty]));
        }
        for name in ["fmax", "fmin", "fmaximum", "fminimum"] {
            // Which zero is larger is open, and a NaN may be any: both have one form here.
            let body = format!(
                "%n = fcmp uno {ty} %a0, zeroinitializer
  %z = fcmp oeq {ty} %a0, zeroinitializer
  %e = or <{count} x i1> %n, %z
  %v = select <{count} x i1> %e, {ty} zeroinitializer, {ty} %a0
  %r = call {element} @llvm.vector.reduce.{name}({ty} %v)",
                count = if element == "float" { 3 } else { 2 },
            );
            cases.push(Case::new(&[ty], body, &[(element, "%r")]));
        }
    }
    let (sums, long) = ("<4 x i32>", "<16 x i32>");
    cases.push(Case::call("llvm.vector.partial.reduce.add", sums, &[sums, long]));
    check(&cases, 8, &["llvm.vector.reduce", "partial.reduce"]);
}

//! Accesses of memory by mask.

use crate::legalize::program::{Case, check};

/// A case that stores a vector of four elements in memory, makes an access of it, and gives what is in memory then and what was loaded.
fn access(element: &str, args: &[&str], access: &str) -> Case {
    let v = format!("<4 x {element}>");
    let body = format!(
        "%p = alloca [8 x i64], align 32
  store <8 x i64> zeroinitializer, ptr %p, align 32
  store {v} %a0, ptr %p, align 16
  {access}
  %after = load <8 x i64>, ptr %p, align 32"
    );
    let results: &[(&str, &str)] = if access.contains("%r =") {
        &[("<8 x i64>", "%after"), (&v, "%r")]
    } else {
        &[("<8 x i64>", "%after")]
    };
    Case::new(args, body, results)
}

#[test]
fn accesses_by_mask_are_those_of_its_elements() {
    let mut cases = Vec::new();
    for element in ["i8", "i16", "half", "float", "double", "i128"] {
        let v = format!("<4 x {element}>");
        let own = |name: &str, text: &str| {
            let text = text.replace("VEC", &v).replace("NAME", name);
            access(element, &[&v, "<4 x i1>", &v], &text)
        };
        if element != "i128" {
            cases.push(own("load", "%r = call VEC @llvm.masked.load(ptr align 1 %p, <4 x i1> %a1, VEC %a2)"));
            cases.push(own("store", "call void @llvm.masked.store(VEC %a2, ptr align 1 %p, <4 x i1> %a1)"));
            cases.push(own(
                "",
                "%r = call VEC @llvm.masked.expandload(ptr align 1 %p, <4 x i1> %a1, VEC %a2)",
            ));
            cases
                .push(own("", "call void @llvm.masked.compressstore(VEC %a2, ptr align 1 %p, <4 x i1> %a1)"));
        }
        let places = "%ps = getelementptr i32, ptr %p, <4 x i64> <i64 3, i64 1, i64 0, i64 2>\n  ";
        cases.push(own(
            "",
            &format!(
                "{places}%r = call VEC @llvm.masked.gather(<4 x ptr> align 1 %ps, <4 x i1> %a1, VEC %a2)"
            ),
        ));
        cases.push(own(
            "",
            &format!("{places}call void @llvm.masked.scatter(VEC %a2, <4 x ptr> align 1 %ps, <4 x i1> %a1)"),
        ));
    }
    let gone = ["masked.load", "masked.store", "expandload", "compressstore", "gather", "scatter"];
    check(&cases, 8, &gone);
}

#[test]
fn a_mask_that_is_known_chooses_elements() {
    let mut cases = Vec::new();
    for mask in 0..16 {
        let bits: Vec<String> = (0..4).map(|at| format!("i1 {}", mask >> at & 1)).collect();
        let mask = format!("<{}>", bits.join(", "));
        for (element, align) in [("i8", 4), ("i32", 16), ("i32", 4), ("double", 32)] {
            let v = format!("<4 x {element}>");
            let load =
                format!("%r = call {v} @llvm.masked.load(ptr align {align} %p, <4 x i1> {mask}, {v} %a1)");
            let store =
                format!("call void @llvm.masked.store({v} %a1, ptr align {align} %p, <4 x i1> {mask})");
            let expand = format!("%r = call {v} @llvm.masked.expandload(ptr %p, <4 x i1> {mask}, {v} %a1)");
            for text in [load, store, expand] {
                cases.push(access(element, &[&v, &v], &text));
            }
        }
    }
    check(&cases, 2, &["masked."]);
}

#[test]
fn elements_that_share_bytes_are_loaded_together() {
    for element in ["i1", "i4", "i24"] {
        let v = format!("<4 x {element}>");
        let load = format!("%r = call {v} @llvm.masked.load(ptr align 1 %p, <4 x i1> %a1, {v} %a2)");
        // LLVM's code for the host loads each element from a byte of its own.
        let whole = format!("%w = load {v}, ptr %p\n  %r = select <4 x i1> %a1, {v} %w, {v} %a2");
        let (case, reference) =
            (access(element, &[&v, "<4 x i1>", &v], &load), access(element, &[], &whole).body);
        check(&[case.like(reference)], 8, &["masked.load"]);
    }
}

#[test]
fn a_histogram_counts_each_element() {
    let mut cases = Vec::new();
    for (name, step) in [
        ("add", "%n = add i8 %o, %a1"),
        ("uadd.sat", "%n = call i8 @llvm.uadd.sat.i8(i8 %o, i8 %a1)"),
        ("umin", "%n = call i8 @llvm.umin.i8(i8 %o, i8 %a1)"),
        ("umax", "%n = call i8 @llvm.umax.i8(i8 %o, i8 %a1)"),
    ] {
        let start = "%p = alloca [8 x i64], align 32
  store <8 x i64> zeroinitializer, ptr %p, align 32
  store <4 x i8> %a0, ptr %p
  %ps = getelementptr i8, ptr %p, <4 x i64> <i64 1, i64 0, i64 1, i64 3>\n  ";
        let body = format!(
            "{start}call void @llvm.experimental.vector.histogram.{name}.v4p0.i8(<4 x ptr> %ps, i8 %a1, <4 x i1> %a2)
  %r = load i32, ptr %p"
        );
        let mut reference = String::from(start);
        for (at, place) in [1, 0, 1, 3].into_iter().enumerate() {
            let own = |text: &str| {
                ["%o", "%n", "%q", "%c", "%w"]
                    .iter()
                    .fold(text.to_owned(), |text, name| text.replace(name, &format!("{name}{at}.")))
            };
            reference += &own(&format!(
                "%q = getelementptr i8, ptr %p, i64 {place}\n  %o = load i8, ptr %q\n  {step}
  %c = extractelement <4 x i1> %a2, i32 {at}\n  %w = select i1 %c, i8 %n, i8 %o\n  store i8 %w, ptr %q\n  "
            ));
        }
        reference += "%r = load i32, ptr %p";
        cases.push(Case::new(&["<4 x i8>", "i8", "<4 x i1>"], body, &[("i32", "%r")]).like(reference));
    }
    check(&cases, 8, &["histogram"]);
}

#[test]
fn a_distance_in_memory_leads_to_its_target() {
    let start = "%p = alloca [16 x i8], align 8
  store i64 %a0, ptr %p
  %q = getelementptr i8, ptr %p, i64 8
  %d = and i32 %a1, 7
  store i32 %d, ptr %q\n  ";
    let body = format!("{start}%t = call ptr @llvm.load.relative.i64(ptr %p, i64 8)\n  %r = load i8, ptr %t");
    let plain = format!("{start}%t = getelementptr i8, ptr %p, i32 %d\n  %r = load i8, ptr %t");
    check(&[Case::new(&["i64", "i32"], body, &[("i8", "%r")]).like(plain)], 16, &["load.relative"]);
}

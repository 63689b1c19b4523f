//! Read-modify-write operations and compare-and-swap.

use crate::legalize::program::{Case, check};

/// A case of an operation on 16 bytes, at a place among them, that gives what was there and all of them.
fn case(ty: &str, at: usize, operation: &str) -> Case {
    let body = format!(
        "%p = getelementptr i8, ptr @memory, i64 {at}
  store i128 %a0, ptr @memory
  {operation}
  %m = load i128, ptr @memory"
    );
    Case::new(&["i128", ty, ty], body, &[("i128", "%m"), (ty, "%r")])
}

#[test]
fn updates_of_every_width_store_what_they_stored() {
    let mut cases = Vec::new();
    for (ty, at) in [("i8", 5), ("i16", 6), ("i32", 4), ("i64", 8), ("i128", 0)] {
        for operation in
            ["nand", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "max", "umin", "add", "xchg"]
        {
            for order in ["monotonic", "acq_rel", "seq_cst"] {
                cases.push(case(ty, at, &format!("%r = atomicrmw {operation} ptr %p, {ty} %a1 {order}")));
            }
        }
    }
    for (ty, at) in [("float", 4), ("double", 8)] {
        for operation in ["fsub", "fmax", "fmin"] {
            let text =
                format!("%r = atomicrmw {operation} ptr %p, {ty} %a1 syncscope(\"singlethread\") acquire");
            cases.push(case(ty, at, &text));
        }
    }
    // What `atom` has stays.
    let gone =
        ["nand", "usub_cond", "usub_sat", "fsub", "fmax", "fmin"].map(|name| format!("atomicrmw {name}"));
    let gone: Vec<&str> = gone.iter().map(String::as_str).chain(["atomicrmw max ptr %p, i8"]).collect();
    check(&cases, 4, &gone);
}

#[test]
fn small_integers_are_compared_and_swapped_in_their_word() {
    let mut cases = Vec::new();
    for (ty, at) in [("i8", 7), ("i16", 2)] {
        // Two of three times the number that is there is expected.
        let swap = format!(
            "%o = load {ty}, ptr %p
  %k = urem {ty} %a1, 3
  %z = icmp eq {ty} %k, 0
  %e = select i1 %z, {ty} %a1, {ty} %o
  %x = cmpxchg ptr %p, {ty} %e, {ty} %a2 acq_rel acquire
  %r = extractvalue {{{ty}, i1}} %x, 0
  %f = extractvalue {{{ty}, i1}} %x, 1
  %g = zext i1 %f to i8"
        );
        let mut case = case(ty, at, &swap);
        case.results.push(("i8".to_owned(), "%g".to_owned()));
        cases.push(case);
    }
    check(&cases, 16, &["cmpxchg ptr %p, i"]);
}

#[test]
fn memory_of_a_thread_has_plain_accesses() {
    let mut cases = Vec::new();
    for operation in ["add", "xchg", "and"] {
        let text = format!(
            "%q = alloca i32\n  store i32 %a1, ptr %q\n  %r = atomicrmw {operation} ptr %q, i32 %a2 seq_cst
  %s = load i32, ptr %q\n  %t = cmpxchg ptr %q, i32 %s, i32 %a1 seq_cst seq_cst
  %u = load i32, ptr %q\n  store i32 %u, ptr @memory"
        );
        cases.push(case("i32", 4, &text));
    }
    check(&cases, 4, &["atomicrmw", "cmpxchg"]);
}

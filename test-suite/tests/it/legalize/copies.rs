//! Memory that is copied or set.

use crate::legalize::program::{Case, check};

/// A case that stores 64 bytes in memory at `%p`, does something there, and gives what the memory and 64 bytes at `%q` hold then. `%n` is a number below 32.
fn case(operation: &str) -> Case {
    let body = format!(
        "%n = and i64 %a1, 31
  %p = alloca [256 x i8], align 16
  %q = alloca [256 x i8], align 16
  store [256 x i8] zeroinitializer, ptr %p
  store [256 x i8] zeroinitializer, ptr %q
  store <64 x i8> %a0, ptr %p, align 1
  %p150 = getelementptr i8, ptr %p, i64 150
  store <64 x i8> %a0, ptr %p150, align 1
  %p3 = getelementptr i8, ptr %p, i64 3
  %p8 = getelementptr i8, ptr %p, i64 8
  {operation}
  %r = load <64 x i8>, ptr %p, align 1
  %s = load <64 x i8>, ptr %q, align 1
  %q140 = getelementptr i8, ptr %q, i64 140
  %t = load <64 x i8>, ptr %q140, align 1"
    );
    Case::new(
        &["<64 x i8>", "i64", "i8"],
        body,
        &[("<64 x i8>", "%r"), ("<64 x i8>", "%s"), ("<64 x i8>", "%t")],
    )
}

#[test]
fn copies_and_sets_write_what_they_wrote() {
    let mut cases = Vec::new();
    for (length, align) in
        [("0", 1), ("1", 1), ("12", 4), ("13", 1), ("31", 8), ("200", 8), ("203", 4), ("%n", 1)]
    {
        for is_volatile in [false, true] {
            cases.push(case(&format!(
                "call void @llvm.memcpy(ptr align {align} %q, ptr align {align} %p, i64 {length}, i1 {is_volatile})"
            )));
            for byte in ["%a2", "165"] {
                cases.push(case(&format!(
                    "call void @llvm.memset(ptr align {align} %q, i8 {byte}, i64 {length}, i1 {is_volatile})"
                )));
            }
        }
        let length = if length == "203" { "40" } else { length };
        for (to, from) in [("%p3", "%p"), ("%p", "%p3"), ("%q", "%p")] {
            cases.push(case(&format!(
                "call void @llvm.memmove(ptr {to}, ptr {from}, i64 {length}, i1 false)"
            )));
        }
    }
    check(&cases, 4, &["memcpy", "memmove", "memset"]);
}

#[test]
fn elements_are_copied_whole() {
    let mut cases = Vec::new();
    for size in [1, 2, 4, 8] {
        for (length, bytes) in [("16", "16"), ("%k", "%k")] {
            let lengths = format!("%k = and i64 %n, {}\n  ", -size);
            let own = |name: &str, to: &str, from: &str| {
                case(&format!(
                    "{lengths}call void @llvm.{name}.element.unordered.atomic.{to}, {from}, i64 {length}, i32 {size})"
                ))
                .like(case(&format!("{lengths}call void @llvm.{name}.{to}, {from}, i64 {bytes}, i1 false)")).body)
            };
            cases.push(own(
                "memcpy",
                &format!("p0.p0.i64(ptr align {size} %q"),
                &format!("ptr align {size} %p"),
            ));
            for (to, from) in [("%p8", "%p"), ("%p", "%p8")] {
                let (to, from) =
                    (format!("p0.p0.i64(ptr align {size} {to}"), format!("ptr align {size} {from}"));
                cases.push(own("memmove", &to, &from));
            }
            cases.push(own("memset", &format!("p0.i64(ptr align {size} %q"), "i8 %a2"));
        }
    }
    check(&cases, 4, &["element.unordered"]);
}

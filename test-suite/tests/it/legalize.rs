//! What legalizing makes of LLVM IR, executed by `lli` alone: no PTX is involved.

mod atomics;
mod copies;
mod floats;
mod functions;
mod integers;
mod memory;
mod program;
mod vectors;

use std::fmt::Write;
use std::process::Command;

use ptx_llvm_core::{Context, Gpu, Machine, Module, OptLevel, expand_wide_divisions};
use test_suite::oracle::llvm_folder;

/// Dividends and divisors, both of 128 bits: numbers of one word and of two, powers of two, negative ones, the ends of the range.
const NUMBERS: [i128; 12] = [
    1,
    2,
    3,
    10,
    -1,
    -7,
    1 << 64,
    (1 << 64) - 1,
    -(1 << 100) + 12345,
    0x0123_4567_89ab_cdef_fedc_ba98_7654_3210,
    i128::MAX,
    i128::MIN,
];

/// A program that ends with the number of results that are not what Rust's arithmetic gives.
fn program() -> String {
    let mut text = String::from("@wrong = global i32 0\n");
    let operations = ["udiv", "urem", "sdiv", "srem"];
    for operation in operations {
        let _ = write!(
            text,
            "define void @{operation}(i128 %a, i128 %b, i128 %expected) noinline optnone {{
  %r = {operation} i128 %a, %b
  %differs = icmp ne i128 %r, %expected
  %one = zext i1 %differs to i32
  %old = load i32, ptr @wrong
  %new = add i32 %old, %one
  store i32 %new, ptr @wrong
  ret void
}}
"
        );
    }
    text += "define i32 @main() {\n";
    for a in NUMBERS {
        for b in NUMBERS {
            let unsigned = (a as u128, b as u128);
            let results = [
                Some((unsigned.0 / unsigned.1) as i128),
                Some((unsigned.0 % unsigned.1) as i128),
                a.checked_div(b),
                a.checked_rem(b),
            ];
            for (operation, result) in operations.iter().zip(results) {
                // The smallest number divided by -1 is undefined.
                if let Some(result) = result {
                    let _ = writeln!(text, "  call void @{operation}(i128 {a}, i128 {b}, i128 {result})");
                }
            }
        }
    }
    text += "  %n = load i32, ptr @wrong\n  ret i32 %n\n}\n";
    text
}

#[test]
fn wide_divisions_give_what_they_gave() {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", program().as_bytes()).expect("valid LLVM IR");
    let machine = Machine::new(&Gpu::default(), OptLevel::O0).expect("the default machine");
    expand_wide_divisions(&mut module, &machine).expect("expanded");
    let text = module.to_text();
    assert!(
        ["udiv i128", "urem i128", "sdiv i128", "srem i128"].iter().all(|op| !text.contains(op)),
        "{text}"
    );
    let lli = llvm_folder().join("bin/lli");
    if !lli.exists() {
        assert!(std::env::var_os("CI").is_none(), "lli of LLVM 22 is missing");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.ll");
    // The passes ran for the GPU; `lli` has code for the host alone.
    let of_host: Vec<&str> = text.lines().filter(|line| !line.starts_with("target ")).collect();
    std::fs::write(&file, of_host.join("\n")).expect("written");
    let ended = Command::new(lli).arg(&file).status().expect("lli runs");
    assert_eq!(ended.code(), Some(0), "so many results differ");
}

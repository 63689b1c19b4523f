//! Lowering takes time in proportion to the input, whatever it looks like.

use std::time::Duration;

use ptx_diag::SourceFile;
use ptx_llvm_core::Context;
use test_suite::directive::Level;
use test_suite::growth::{complaint, timed};

const HEADER: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";
/// The size of the smaller input.
const SIZE: usize = 500;

fn time(text: &str) -> Duration {
    let source = SourceFile::new("large.ptx", format!("{HEADER}{text}"));
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    let context = Context::new().expect("LLVM 22");
    let (lowered, spent) = timed(|| ptx_lower::lower(&verified, &context));
    lowered.unwrap_or_else(|findings| panic!("{findings:?}"));
    spent
}

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

/// A kernel with a number in `%r1` and a condition.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k(.param .u32 n)\n{{\n.reg .b32 %r<4>; .reg .b64 %d; .reg .pred %p;\nld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 0;\n{body}ret;\n}}\n"
    )
}

/// The name of a shape and its text by size.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 9] = [
    ("parameters", |n| {
        let list: Vec<String> = (0..n).map(|at| format!(".param .u64 p{at}")).collect();
        let loads = many(n, |at| format!("ld.param.u64 %d, [p{at}]; st.global.u64 [%d], 1;\n"));
        format!(".visible .func f({})\n{{\n.reg .b64 %d;\n{loads}ret;\n}}\n", list.join(", "))
    }),
    ("calls", |n| {
        many(n, |at| {
            let call = if at == 0 { String::new() } else { format!("call f{};", at - 1) };
            format!(".func f{at}() {{ {call} ret; }}\n")
        })
    }),
    ("calls through pointers", |n| {
        let calls = many(n, |at| format!("P{at}: .callprototype _ ();\ncall %d, P{at};\n"));
        kernel(&format!("mov.u64 %d, 4096;\n{calls}"))
    }),
    ("aliases", |n| {
        let aliases = many(n, |at| format!(".visible .func a{at}();\n.alias a{at}, f;\n"));
        format!(".visible .func f() {{ ret; }}\n{aliases}")
    }),
    ("cases of a switch", |n| {
        let list: Vec<String> = (0..n).map(|at| format!("L{at}")).collect();
        let cases = many(n, |at| format!("L{at}: add.u32 %r2, %r2, 1;\n"));
        kernel(&format!("T: .branchtargets {};\nbrx.idx %r1, T;\n{cases}", list.join(", ")))
    }),
    ("loops one after the other", |n| {
        kernel(&many(n, |at| format!("L{at}: add.u32 %r2, %r2, 1; @%p bra L{at};\n")))
    }),
    ("branches to one place", |n| {
        kernel(&format!("{}END: add.u32 %r3, %r2, 1;\n", "@%p bra END; add.u32 %r2, %r2, 1;\n".repeat(n)))
    }),
    ("guards", |n| kernel(&"@%p add.u32 %r1, %r1, %r1;\n".repeat(n))),
    ("carries", |n| {
        kernel(&format!("add.cc.u32 %r1, %r1, %r1;\n{}", "addc.cc.u32 %r1, %r1, %r1;\n".repeat(n)))
    }),
];

/// The time to make a listing of what a text is lowered to.
fn listing_time(text: &str) -> Duration {
    let source = SourceFile::new("large.ptx", format!("{HEADER}{text}"));
    let module = test_suite::stage::read(&source).expect("valid");
    let context = Context::new().expect("LLVM");
    let lowered = test_suite::stage::lower(&module, &source, &context, Level::O0).expect("lowered");
    let (plain, spent) = timed(|| {
        let mut plain = lowered.without_hints().expect("readable");
        plain.rename_blocks(ptx_llvm_core::plain_label);
        plain.to_text()
    });
    assert!(plain.contains("\nL0:") && !plain.contains("!ptx."), "not a listing");
    spent
}

#[test]
fn time_of_listings_grows_as_the_input_does() {
    let labels = |n| kernel(&many(n, |at| format!("@%p bra $L{at};\nadd.u32 %r2, %r2, 1;\n$L{at}:\n")));
    assert_eq!(complaint("labels", SIZE, |size| listing_time(&labels(size))), None);
}

#[test]
fn time_grows_as_the_input_does() {
    let mut complaints = Vec::new();
    for (name, text) in SHAPES {
        complaints.extend(complaint(name, SIZE, |size| time(&text(size))));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

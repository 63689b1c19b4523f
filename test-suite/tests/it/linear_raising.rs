//! Raising takes time in proportion to the input, whatever it looks like.

use std::time::Duration;

use ptx_llvm_core::{Context, Module};
use ptx_raise::{RaiseOptions, raise};
use test_suite::growth::{complaint, timed};

/// The size of the smaller input.
const SIZE: usize = 400;

fn time(text: &str) -> Duration {
    let context = Context::new().expect("LLVM 22");
    let text = format!("target triple = \"nvptx64-nvidia-cuda\"\n{text}");
    let module = Module::parse(&context, "large", text.as_bytes()).expect("valid LLVM IR");
    let (text, spent) = timed(|| {
        let raised = raise(&module, &RaiseOptions::default());
        let (ptx, _) = raised.unwrap_or_else(|findings| panic!("{findings:?}"));
        ptx_ir::print(&ptx)
    });
    assert!(!text.is_empty());
    spent
}

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

fn list(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(", ")
}

/// A kernel with a number `%n`, a condition `%c` and a place `%p`.
fn kernel(body: &str) -> String {
    format!("define ptx_kernel void @k(i32 %n, i1 %c, ptr addrspace(1) %p) {{\nentry:\n{body}ret void\n}}\n")
}

/// The name of a shape and its text by size.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: [Shape; 12] = [
    ("numbers that live to the end", |n| {
        let products = many(n, |at| format!("%v{at} = mul i32 %n, {}\n", 2 * at + 3));
        let sums = many(n, |at| format!("%s{} = xor i32 %s{at}, %v{at}\n", at + 1));
        kernel(&format!("{products}%s0 = add i32 %n, 0\n{sums}store i32 %s{n}, ptr addrspace(1) %p\n"))
    }),
    ("loops that swap two numbers", |n| {
        kernel(&many(n, |at| {
            format!(
                "br label %p{at}\np{at}:\nbr label %l{at}\nl{at}:\n\
                 %a{at} = phi i32 [ %n, %p{at} ], [ %b{at}, %l{at} ]\n\
                 %b{at} = phi i32 [ 1, %p{at} ], [ %a{at}, %l{at} ]\n\
                 br i1 %c, label %l{at}, label %e{at}\ne{at}:\nstore volatile i32 %a{at}, ptr addrspace(1) %p\n"
            )
        }))
    }),
    ("numbers that one loop passes on", |n| {
        let phis = many(n, |at| format!("%a{at} = phi i32 [ {at}, %entry ], [ %a{}, %l ]\n", (at + 1) % n));
        let stores = many(n, |at| format!("store volatile i32 %a{at}, ptr addrspace(1) %p\n"));
        kernel(&format!("br label %l\nl:\n{phis}br i1 %c, label %l, label %e\ne:\n{stores}"))
    }),
    ("numbers that one loop counts", |n| {
        let phis = many(n, |at| format!("%a{at} = phi i32 [ {at}, %entry ], [ %b{at}, %l ]\n"));
        let sums = many(n, |at| format!("%b{at} = add i32 %a{at}, %n\n"));
        let stores = many(n, |at| format!("store volatile i32 %b{at}, ptr addrspace(1) %p\n"));
        kernel(&format!("br label %l\nl:\n{phis}{sums}br i1 %c, label %l, label %e\ne:\n{stores}"))
    }),
    ("branches that set what they skip", |n| {
        let blocks = many(n, |at| {
            format!(
                "%c{at} = icmp ugt i32 %v{at}, 5\nbr i1 %c{at}, label %t{at}, label %b{next}\nt{at}:\n\
                 %u{at} = mul i32 %v{at}, %n\nbr label %b{next}\nb{next}:\n\
                 %v{next} = phi i32 [ %v{at}, %b{at} ], [ %u{at}, %t{at} ]\n",
                next = at + 1
            )
        });
        kernel(&format!("br label %b0\nb0:\n%v0 = add i32 %n, 1\n{blocks}"))
    }),
    ("branches to one place with a number each", |n| {
        let blocks = many(n, |at| {
            format!("%v{at} = add i32 %n, {at}\nbr i1 %c, label %e, label %b{}\nb{}:\n", at + 1, at + 1)
        });
        let numbers = list(n, |at| format!("[ %v{at}, %b{at} ]"));
        kernel(&format!("br label %b0\nb0:\n{blocks}br label %e\ne:\n%r = phi i32 {numbers}, [ 1, %b{n} ]\n"))
    }),
    ("cases of a switch", |n| {
        let cases = many(n, |at| format!("i32 {}, label %c{at}\n", at * at));
        let blocks = many(n, |at| format!("c{at}:\nstore i32 {at}, ptr addrspace(1) %p\nbr label %d\n"));
        kernel(&format!("switch i32 %n, label %d [\n{cases}]\n{blocks}d:\n"))
    }),
    ("blocks with long names", |n| {
        let name = "a.name.that.is.longer.than.labels.and.registers.are";
        let blocks =
            many(n, |at| format!("br label %{name}{at}\n{name}{at}:\n%v.{name}{at} = mul i32 %n, 3\n"));
        kernel(&blocks)
    }),
    ("fields of a structure that is passed by value", |n| {
        let fields = many(n, |at| {
            format!(
                "%q{at} = getelementptr i8, ptr %s, i64 {}\n%v{at} = load i32, ptr %q{at}\nstore i32 %v{at}, ptr %o\n",
                at % 500 * 4
            )
        });
        format!(
            "define ptx_kernel void @k(ptr byval([2000 x i8]) align 4 %s, ptr %o) {{\n{fields}ret void\n}}\n"
        )
    }),
    ("calls", |n| {
        let calls = many(n, |at| format!("%v{at} = call i32 @f(i32 {at}, ptr null)\n"));
        format!("declare i32 @f(i32, ptr)\n{}", kernel(&calls))
    }),
    ("variables that refer to each other", |n| {
        let chain = many(n, |at| {
            let before = if at == 0 { n } else { at - 1 };
            format!(
                "@v{at} = addrspace(1) global [2 x ptr addrspace(1)] [ptr addrspace(1) @v{}, ptr addrspace(1) @v{before}]\n",
                at + 1
            )
        });
        chain + &format!("@v{n} = addrspace(1) global ptr addrspace(1) @v0\n")
    }),
    ("functions", |n| {
        many(n, |at| {
            let calls = format!("%y = call i32 @f{}(i32 %x)", at.saturating_sub(1));
            format!("define i32 @f{at}(i32 %x) {{\n{calls}\nret i32 %y\n}}\n")
        })
    }),
];

#[test]
fn time_grows_as_the_input_does() {
    let mut complaints = Vec::new();
    for (name, text) in SHAPES {
        complaints.extend(complaint(name, SIZE, |size| time(&text(size))));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

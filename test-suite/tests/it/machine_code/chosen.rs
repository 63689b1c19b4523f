//! Operations that are chosen, and products that sums share.

use std::num::NonZeroUsize;

use ptx_diag::SourceFile;
use ptx_driver::Atomics;
use ptx_exec::{Argument, Launch};
use test_suite::directive::Level;
use test_suite::stage;

use super::{count, instructions, oracles, raised};

const LEVELS: [Level; 4] = [Level::O0, Level::O1, Level::O2, Level::O3];

fn kernel(ty: &str, code: &str) -> String {
    format!(
        "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr addrspace(1) noalias %p, {ty} %a, {ty} %b, {ty} %c, i32 %n) {{
  %q = icmp ne i32 %n, 0
{code}
  store {ty} %r, ptr addrspace(1) %p
  ret void
}}
"
    )
}

/// The number that a kernel stores.
fn executed(ptx: &str, [a, b, c]: [u32; 3], condition: u32) -> u32 {
    let source = SourceFile::new("raised.ptx", ptx);
    let module = stage::read(&source).expect("raised PTX is read");
    let verified = stage::verify(&module, &source).expect("raised PTX is valid");
    let mut launch = Launch::new("k");
    launch.threads = Some(NonZeroUsize::MIN);
    launch.arguments = vec![Argument::Buffer(vec![0; 4])];
    launch
        .arguments
        .extend([a, b, c, condition].map(|number| Argument::Bytes(number.to_le_bytes().to_vec())));
    let outcome = ptx_exec::run(verified, &launch).expect("it ends");
    let bytes = outcome.buffers.into_iter().next().flatten().expect("the result");
    u32::from_le_bytes(bytes.try_into().expect("four bytes"))
}

/// LLVM's backend has two multiplications under a predicate.
#[test]
fn sums_with_a_chosen_product_are_one_instruction() {
    let code = "  %m = mul i32 %a, %b
  %s = select i1 %q, i32 0, i32 %m
  %u = add i32 %s, %c
  %m2 = mul i32 %u, %a
  %s2 = select i1 %q, i32 %m2, i32 0
  %r = add i32 %b, %s2";
    for level in LEVELS {
        let ptx = raised(&kernel("i32", code), level, 90, Atomics::Llvm);
        for condition in [0, 1] {
            let [a, b, c] = [7_u32, 0x8000_0001, 99];
            let u = if condition == 0 { a.wrapping_mul(b).wrapping_add(c) } else { c };
            let wanted = if condition == 0 { b } else { b.wrapping_add(u.wrapping_mul(a)) };
            assert_eq!(executed(&ptx, [a, b, c], condition), wanted, "{}: {ptx}", level.as_str());
        }
        let Some(oracles) = oracles() else { continue };
        let code = instructions(&oracles, &ptx);
        assert_eq!((count(&code, &["IMAD"]), count(&code, &["SEL", "IADD"])), (2, 0), "{code:#?}");
    }
}

#[test]
fn operations_on_chosen_operands_keep_their_results() {
    let float = |number: f32| number.to_bits();
    let numbers =
        [0, 1, 5, 31, u32::MAX, 1 << 31, float(1.5), float(-2.0), float(f32::INFINITY), float(f32::NAN)];
    /// A type, an operation, its identity, its operands, and what it computes.
    type Case = (&'static str, &'static str, &'static str, &'static str, fn(u32, u32) -> u32);
    let cases: [Case; 10] = [
        ("i32", "add", "0", "%s, %b", u32::wrapping_add),
        ("i32", "or", "0", "%b, %s", |a, b| a | b),
        ("i32", "xor", "0", "%s, %b", |a, b| a ^ b),
        ("i32", "and", "-1", "%s, %b", |a, b| a & b),
        ("i32", "sub", "0", "%b, %s", |a, b| b.wrapping_sub(a)),
        // Zero on the left changes the other operand.
        ("i32", "sub", "0", "%s, %b", u32::wrapping_sub),
        ("float", "fadd", "-0.0", "%s, %b", |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits()),
        // Adding zero makes a negative zero positive.
        ("float", "fadd", "0.0", "%s, %b", |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits()),
        ("float", "fsub", "0.0", "%b, %s", |a, b| (f32::from_bits(b) - f32::from_bits(a)).to_bits()),
        ("float", "fmul", "1.0", "%s, %b", |a, b| (f32::from_bits(a) * f32::from_bits(b)).to_bits()),
    ];
    for (ty, operation, identity, operands, wanted) in cases {
        let neutral = match identity {
            "-1" => u32::MAX,
            "-0.0" => float(-0.0),
            "1.0" => float(1.0),
            _ => 0,
        };
        for [then, other] in [[identity, "%a"], ["%a", identity]] {
            let code =
                format!("  %s = select i1 %q, {ty} {then}, {ty} {other}\n  %r = {operation} {ty} {operands}");
            for level in [Level::O0, Level::O2] {
                let ptx = raised(&kernel(ty, &code), level, 90, Atomics::Llvm);
                for (a, b, condition) in
                    numbers.iter().flat_map(|a| numbers.iter().flat_map(|b| [(*a, *b, 0), (*a, *b, 1)]))
                {
                    let chosen = if (then == identity) == (condition == 1) { neutral } else { a };
                    let (found, wanted) = (executed(&ptx, [a, b, 0], condition), wanted(chosen, b));
                    let is_nan = |bits: u32| ty == "float" && f32::from_bits(bits).is_nan();
                    let same = found == wanted || is_nan(found) && is_nan(wanted);
                    assert!(
                        same,
                        "{operation} {then} {other} {a:#x} {b:#x} {condition}: {found:#x}, not {wanted:#x}\n{ptx}"
                    );
                }
            }
        }
    }
}

#[test]
fn products_are_contracted_with_every_sum() {
    let code = |contract: &str| {
        format!(
            "  %m = fmul {contract} float %a, %a
  %s = fadd {contract} float %m, %b
  %d = fsub {contract} float %m, %c
  %e = fsub {contract} float %b, %m
  %sd = fmul float %s, %d
  %r = fmul float %sd, %e"
        )
    };
    let numbers = [1.000_000_1_f32, 0.3, -7.7];
    let [a, b, c] = numbers;
    for level in [Level::O0, Level::O2] {
        let ptx = raised(&kernel("float", &code("contract")), level, 80, Atomics::Llvm);
        assert_eq!((ptx.matches("fma.rn.f32").count(), ptx.matches("mul.").count()), (3, 2), "{ptx}");
        let wanted = a.mul_add(a, b) * a.mul_add(a, -c) * (-a).mul_add(a, b);
        assert_eq!(executed(&ptx, numbers.map(f32::to_bits), 0), wanted.to_bits(), "{ptx}");
        let ptx = raised(&kernel("float", &code("")), level, 80, Atomics::Llvm);
        assert_eq!(ptx.matches("fma").count(), 0, "{ptx}");
        let wanted = (a * a + b) * (a * a - c) * (b - a * a);
        assert_eq!(executed(&ptx, numbers.map(f32::to_bits), 0), wanted.to_bits(), "{ptx}");
    }
    // What else reads the product needs it anyway.
    let kept = code("contract").replace("%s, %d", "%s, %m");
    let ptx = raised(&kernel("float", &kept), Level::O0, 80, Atomics::Llvm);
    assert_eq!(ptx.matches("fma").count(), 0, "{ptx}");
}

//! Arithmetic on two numbers at once.

use std::num::NonZeroUsize;

use ptx_diag::SourceFile;
use ptx_driver::Atomics;
use ptx_exec::{Argument, Launch};
use test_suite::directive::Level;
use test_suite::stage;

use super::{count, instructions, oracles, raised, round_trip};

const LEVELS: [Level; 4] = [Level::O0, Level::O1, Level::O2, Level::O3];

/// A kernel that loads three vectors, computes `%r` and stores it.
fn kernel(ty: &str, code: &str) -> String {
    format!(
        "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
declare {ty} @llvm.fma({ty}, {ty}, {ty})
define ptx_kernel void @k(ptr addrspace(1) align 16 %p, ptr addrspace(1) align 16 %o, i32 %n) {{
  %a = load {ty}, ptr addrspace(1) %p, align 16
  %pb = getelementptr i8, ptr addrspace(1) %p, i64 64
  %b = load {ty}, ptr addrspace(1) %pb, align 16
  %pc = getelementptr i8, ptr addrspace(1) %p, i64 128
  %c = load {ty}, ptr addrspace(1) %pc, align 16
  %q = icmp sgt i32 %n, 0
{code}
  store {ty} %r, ptr addrspace(1) %o, align 16
  ret void
}}
"
    )
}

/// What a kernel stores: the bytes that are there for the values in memory.
fn executed(ptx: &str, memory: &[u8], condition: i32) -> Vec<u8> {
    let source = SourceFile::new("raised.ptx", ptx);
    let module = stage::read(&source).expect("raised PTX is read");
    let verified = stage::verify(&module, &source).expect("raised PTX is valid");
    let mut launch = Launch::new("k");
    launch.threads = Some(NonZeroUsize::MIN);
    let condition = Argument::Bytes(condition.to_le_bytes().to_vec());
    launch.arguments = vec![Argument::Buffer(memory.to_vec()), Argument::Buffer(vec![0; 64]), condition];
    let outcome = ptx_exec::run(verified, &launch).expect("it ends");
    outcome.buffers.into_iter().nth(1).flatten().expect("the results")
}

/// Numbers whose sums and products have to be rounded, and zeros, infinities and NaNs.
fn singles() -> Vec<f32> {
    let special = [0.0, -0.0, f32::INFINITY, f32::NAN, 1e-42, -1e38];
    (0..48)
        .map(|at: u16| special.get(usize::from(at % 11)).copied().unwrap_or(f32::from(at) * 0.37 - 7.3))
        .collect()
}

#[test]
fn pairs_of_single_precision_are_kept_in_a_round_trip() {
    let text = ".version 8.6
.target sm_100
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
 .reg .b64 %rd<12>;
 ld.param.u64 %rd1,[a]; ld.param.u64 %rd2,[b];
 ld.global.b64 %rd3,[%rd1]; ld.global.b64 %rd4,[%rd1+8]; ld.global.b64 %rd5,[%rd1+16];
 fma.rn.f32x2 %rd6,%rd3,%rd4,%rd5;
 add.rn.f32x2 %rd7,%rd6,%rd3;
 mul.rn.f32x2 %rd8,%rd7,%rd4;
 sub.rn.f32x2 %rd9,%rd8,%rd5;
 fma.rz.ftz.f32x2 %rd10,%rd9,%rd4,%rd5;
 st.global.b64 [%rd2],%rd10;
 ret;
}
";
    for level in LEVELS {
        let ptx = round_trip(text, level);
        for operation in ["fma.rn.f32x2", "add.rn.f32x2", "mul.rn.f32x2", "sub.rn.f32x2", "fma.rz.ftz.f32x2"]
        {
            assert_eq!(ptx.matches(operation).count(), 1, "{} {operation}: {ptx}", level.as_str());
        }
        assert!(!ptx.contains("cvt.") && !ptx.contains("shr.") && !ptx.contains("mov.b64"), "{ptx}");
        if let Some(oracles) = oracles() {
            let (own, original) = (instructions(&oracles, &ptx), instructions(&oracles, text));
            assert_eq!(own.len(), original.len(), "{}: {ptx}", level.as_str());
        }
    }
}

#[test]
fn vectors_of_single_precision_are_computed_in_pairs() {
    // Each with the number of instructions for pairs of two numbers, and the result of an element.
    type Wanted = fn(f32, f32, f32) -> f32;
    let cases: [(&str, [usize; 3], Wanted); 5] = [
        ("  %r = fadd <N x float> %a, %b", [1, 0, 0], |a, b, _| a + b),
        ("  %r = fsub <N x float> %a, %b", [1, 0, 0], |a, b, _| a - b),
        ("  %r = fmul <N x float> %a, %b", [0, 1, 0], |a, b, _| a * b),
        (
            "  %r = call <N x float> @llvm.fma(<N x float> %a, <N x float> %b, <N x float> %c)",
            [0, 0, 1],
            f32::mul_add,
        ),
        (
            "  %m = fmul <N x float> %a, %b\n  %s = fsub <N x float> %m, %c\n  %r = select i1 %q, <N x float> %s, <N x float> %a",
            [1, 1, 0],
            |a, b, c| a * b - c,
        ),
    ];
    let numbers = singles();
    let memory: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    for (code, packed, wanted) in cases {
        for len in [2, 3, 8] {
            let ty = format!("<{len} x float>");
            let text = kernel(&ty, &code.replace("<N x float>", &ty));
            let flushed = text.replace(") {\n", ") \"denormal-fp-math-f32\"=\"preserve-sign\" {\n");
            for level in LEVELS {
                let ptx = raised(&text, level, 100, Atomics::Llvm);
                let pairs = packed.iter().sum::<usize>() * (len / 2);
                assert_eq!(ptx.matches(".f32x2").count(), pairs, "{}: {ptx}", level.as_str());
                let result = executed(&ptx, &memory, 1);
                for at in 0..len {
                    let [a, b, c] = [at, 16 + at, 32 + at].map(|at| numbers[at]);
                    let wanted = wanted(a, b, c);
                    let found =
                        f32::from_le_bytes(result[4 * at..4 * at + 4].try_into().expect("four bytes"));
                    let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
                    assert!(same, "{} {at}: {found}, not {wanted}: {ptx}", level.as_str());
                }
                assert_eq!(raised(&flushed, level, 100, Atomics::Llvm).matches(".ftz.f32x2").count(), pairs);
                // Other architectures have none.
                assert!(!raised(&text, level, 90, Atomics::Llvm).contains("f32x2"));
                if level != Level::O2 {
                    continue;
                }
                let Some(oracles) = oracles() else { continue };
                let code = instructions(&oracles, &ptx);
                let found = [["FADD2"], ["FMUL2"], ["FFMA2"]].map(|opcode| count(&code, &opcode));
                assert_eq!(found, packed.map(|each| each * (len / 2)), "{}: {code:#?}", level.as_str());
            }
        }
    }
}

#[test]
fn contraction_of_pairs_is_left_to_ptxas() {
    let code = "  %m = fmul contract <2 x float> %a, %b\n  %r = fadd contract <2 x float> %m, %c";
    let ptx = raised(&kernel("<2 x float>", code), Level::O2, 100, Atomics::Llvm);
    assert!(ptx.contains("mul.f32x2") && ptx.contains("add.f32x2"), "{ptx}");
    let Some(oracles) = oracles() else { return };
    let code = instructions(&oracles, &ptx);
    assert_eq!((count(&code, &["FFMA2"]), count(&code, &["FADD2", "FMUL2"])), (1, 0), "{code:#?}");
}

#[test]
fn vectors_of_halfwords_are_combined_as_words() {
    // Instructions in PTX, for each two elements, and the result of an element.
    type Wanted = fn(u16, u16) -> u16;
    let cases: [(&str, &str, Wanted); 6] = [
        ("  %r = and <N x i16> %a, %b", "and.b32", |a, b| a & b),
        ("  %r = or <N x i16> %a, %b", "or.b32", |a, b| a | b),
        ("  %r = xor <N x i16> %a, %b", "xor.b32", |a, b| a ^ b),
        ("  %r = xor <N x i16> %a, splat (i16 -1)", "not.b32", |a, _| !a),
        ("  %r = add <N x i16> %a, %b", "add.u16x2", u16::wrapping_add),
        ("  %r = select i1 %q, <N x i16> %a, <N x i16> %b", "selp.b32", |a, _| a),
    ];
    let numbers: Vec<u16> = (0..96_u16).map(|at| at.wrapping_mul(0x9e37) ^ 0x8001).collect();
    let memory: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    for (code, operation, wanted) in cases {
        for len in [2, 4, 8] {
            let ty = format!("<{len} x i16>");
            let text = kernel(&ty, &code.replace("<N x i16>", &ty)).replace("declare", ";");
            for level in LEVELS {
                let ptx = raised(&text, level, 90, Atomics::Llvm);
                assert_eq!(ptx.matches(operation).count(), len / 2, "{}: {ptx}", level.as_str());
                assert!(!ptx.contains("mov.b32 \t{"), "{}: {ptx}", level.as_str());
                let result = executed(&ptx, &memory, 1);
                for at in 0..len {
                    let found = u16::from_le_bytes([result[2 * at], result[2 * at + 1]]);
                    let wanted = wanted(numbers[at], numbers[32 + at]);
                    assert_eq!(found, wanted, "{} {at}: {ptx}", level.as_str());
                }
            }
        }
    }
}

#[test]
fn minima_of_halfwords_stay_words_when_they_are_combined() {
    let text = ".version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
 .reg .b32 %r<30>; .reg .b64 %rd<5>;
 ld.param.u64 %rd1,[a]; ld.param.u64 %rd2,[b];
 ld.global.b32 %r3,[%rd1]; ld.global.b32 %r4,[%rd1+8]; ld.global.b32 %r5,[%rd1+16];
 max.u16x2 %r7,%r3,%r4; min.u16x2 %r8,%r4,%r5; xor.b32 %r6,%r7,%r8;
 st.global.b32 [%rd2],%r6;
 ret;
}
";
    let Some(oracles) = oracles() else { return };
    for level in LEVELS {
        let ptx = round_trip(text, level);
        let (own, original) = (instructions(&oracles, &ptx), instructions(&oracles, text));
        assert_eq!(own.len(), original.len(), "{}: {ptx}", level.as_str());
    }
}

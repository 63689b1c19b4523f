//! Programs of LLVM IR that `lli` executes as they are and legalized: what they print has to be the same.

use std::fmt::Write;
use std::process::Command;

use ptx_legalize::Atomics;
use ptx_llvm_core::view::View;
use ptx_llvm_core::{Context, Gpu, Module};
use test_suite::oracle::llvm_folder;

/// A function of one operation.
pub struct Case {
    /// LLVM's types of its arguments, which are `%a0` and so on: integers, floating-point numbers, vectors of them.
    pub args: Vec<String>,
    /// Instructions of LLVM IR.
    pub body: String,
    /// What they compute: types and names.
    pub results: Vec<(String, String)>,
    /// Instructions that compute the same, where LLVM has no code for the operation on the host.
    pub reference: Option<String>,
}

impl Case {
    pub fn new(args: &[&str], body: impl Into<String>, results: &[(&str, &str)]) -> Self {
        let own = |text: &&str| (*text).to_owned();
        let results = results.iter().map(|(ty, name)| (own(ty), own(name))).collect();
        Self { args: args.iter().map(own).collect(), body: body.into(), results, reference: None }
    }

    /// The same, held to other instructions.
    pub fn like(self, reference: impl Into<String>) -> Self {
        Self { reference: Some(reference.into()), ..self }
    }

    /// A call of an intrinsic on all arguments.
    pub fn call(name: &str, result: &str, args: &[&str]) -> Self {
        let list: Vec<String> = args.iter().enumerate().map(|(at, ty)| format!("{ty} %a{at}")).collect();
        Self::new(args, format!("%r = call {result} @{name}({})", list.join(", ")), &[(result, "%r")])
    }
}

/// Bytes from one result to the next in memory.
const SLOT: usize = 256;
/// How many results a case may have.
const SLOTS: usize = 3;

const SHOW: &str = "
@out = global [768 x i8] zeroinitializer, align 16
@memory = global i128 0, align 16
@word = constant [9 x i8] c\"%016llx \\00\"
@end = constant [2 x i8] c\"\\0A\\00\"
declare i32 @printf(ptr, ...)
define void @show() noinline optnone {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  %p = getelementptr i64, ptr @out, i64 %i
  %w = load i64, ptr %p
  store i64 0, ptr %p
  %x = call i32 (ptr, ...) @printf(ptr @word, i64 %w)
  %n = add i64 %i, 1
  %more = icmp ult i64 %n, 96
  br i1 %more, label %loop, label %done
done:
  %y = call i32 (ptr, ...) @printf(ptr @end)
  ret void
}
";

/// The element of a type, and how many there are in a vector.
fn shape(ty: &str) -> (&str, Option<usize>) {
    match ty.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).and_then(|rest| rest.split_once(" x "))
    {
        Some((count, element)) => (element, Some(count.parse().expect("a number of elements"))),
        None => (ty, None),
    }
}

/// The width of a number.
fn bits(element: &str) -> usize {
    match element {
        "half" | "bfloat" => 16,
        "float" => 32,
        "double" => 64,
        integer => integer.strip_prefix('i').and_then(|bits| bits.parse().ok()).expect("a type of numbers"),
    }
}

/// The digits of its significand, without the first one.
fn mantissa(element: &str) -> Option<usize> {
    match element {
        "half" => Some(10),
        "bfloat" => Some(7),
        "float" => Some(23),
        "double" => Some(52),
        _ => None,
    }
}

/// The same number of bits as an integer type.
fn as_integers(ty: &str) -> String {
    match shape(ty) {
        (element, Some(count)) => format!("<{count} x i{}>", bits(element)),
        (element, None) => format!("i{}", bits(element)),
    }
}

/// Bits of a number as LLVM writes them: zeros, ones, ends of ranges, few bits, powers of two and numbers beside them, any bits.
fn number(random: &mut fastrand::Rng, element: &str) -> String {
    let width = bits(element);
    let mut digits: Vec<bool> = vec![false; width];
    let any = |random: &mut fastrand::Rng, digits: &mut [bool]| digits.fill_with(|| random.bool());
    if let Some(mantissa) = mantissa(element) {
        any(random, &mut digits);
        match random.u8(..10) {
            // Zeros, infinities, the largest and smallest numbers.
            0 => digits[..width - 1].fill(false),
            1 => {
                digits[..mantissa].fill(false);
                digits[mantissa..width - 1].fill(true);
            }
            2 => {
                digits[..width - 1].fill(true);
                digits[mantissa] = false;
            }
            // Subnormal numbers, with any digits or one.
            3 => digits[mantissa..width - 1].fill(false),
            4 => {
                digits[..width - 1].fill(false);
                digits[random.usize(..mantissa + 1)] = true;
            }
            // Around one, which is where most numbers are: an exponent field of 0111.. or 1000.. and few bits beside.
            5..=8 => {
                let up = random.bool();
                digits[mantissa..width - 2].fill(!up);
                digits[width - 2] = up;
                for _ in 0..random.u8(..3) {
                    let place = mantissa + random.usize(..3);
                    digits[place] = !digits[place];
                }
                if random.bool() {
                    digits[..mantissa - random.usize(..mantissa)].fill(false);
                }
            }
            _ => {}
        }
    } else {
        match random.u8(..8) {
            0 => {}
            1 => digits.fill(true),
            2 => digits[width - 1] = true,
            3 => digits[..width - 1].fill(true),
            4 => digits[random.usize(..width)] = true,
            5 => {
                let start = random.usize(..width);
                digits[start..].fill(true);
            }
            6 => {
                let end = random.usize(..width) + 1;
                any(random, &mut digits[..end]);
            }
            _ => any(random, &mut digits),
        }
    }
    let mut text = String::from("u0x");
    let nibbles: Vec<u8> = digits
        .chunks(4)
        .map(|chunk| chunk.iter().enumerate().map(|(at, bit)| u8::from(*bit) << at).sum())
        .collect();
    for nibble in nibbles.iter().rev() {
        let _ = write!(text, "{nibble:X}");
    }
    text
}

/// A value of a type, as integers.
fn value(random: &mut fastrand::Rng, ty: &str) -> String {
    let (element, count) = shape(ty);
    let Some(count) = count else { return number(random, element) };
    let all: Vec<String> =
        (0..count).map(|_| format!("i{} {}", bits(element), number(random, element))).collect();
    format!("<{}>", all.join(", "))
}

/// A program that calls each case `rounds` times and prints what it computes, or its reference where that is wanted.
fn program(cases: &[Case], rounds: usize, (attributes, is_reference): (&str, bool)) -> String {
    let mut random = fastrand::Rng::with_seed(16);
    let mut text = String::from(SHOW);
    let mut main = String::from("define i32 @main() noinline optnone {\n");
    for (at, case) in cases.iter().enumerate() {
        let params: Vec<String> =
            case.args.iter().enumerate().map(|(at, ty)| format!("{} %b{at}", as_integers(ty))).collect();
        let _ = writeln!(text, "define void @f{at}({}) noinline optnone {attributes} {{", params.join(", "));
        for (at, ty) in case.args.iter().enumerate() {
            let _ = writeln!(text, "  %a{at} = bitcast {} %b{at} to {ty}", as_integers(ty));
        }
        let reference = case.reference.as_ref().filter(|_| is_reference);
        let _ = writeln!(text, "{}", reference.unwrap_or(&case.body));
        assert!(case.results.len() <= SLOTS, "too many results");
        for (slot, (ty, name)) in case.results.iter().enumerate() {
            let place = slot * SLOT;
            let _ =
                writeln!(text, "  store {ty} {name}, ptr getelementptr (i8, ptr @out, i64 {place}), align 1");
        }
        text += "  ret void\n}\n";
        for _ in 0..rounds {
            let args: Vec<String> = case
                .args
                .iter()
                .map(|ty| format!("{} {}", as_integers(ty), value(&mut random, ty)))
                .collect();
            let _ = writeln!(main, "  call void @f{at}({})\n  call void @show()", args.join(", "));
        }
    }
    text + &main + "  ret i32 0\n}\n"
}

/// The module legalized, as text for any machine.
fn legalized(text: &str) -> String {
    let context = Context::new().expect("LLVM 22");
    let module = Module::parse(&context, "m", text.as_bytes()).expect("valid LLVM IR");
    let view = View::new(&module).expect("a module that can be read");
    let legal = ptx_legalize::legalize(&module, &view, (Gpu::default(), Atomics::default()));
    let legal = legal.expect("legalized").expect("something to legalize");
    let text = legal.to_text();
    // The passes ran for the GPU; `lli` has code for the host alone.
    let of_host: Vec<&str> = text.lines().filter(|line| !line.starts_with("target ")).collect();
    of_host.join("\n")
}

/// What a program prints; `None` without `lli`.
fn executed(text: &str) -> Option<String> {
    let lli = llvm_folder().join("bin/lli");
    if !lli.exists() {
        assert!(std::env::var_os("CI").is_none(), "lli of LLVM 22 is missing");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.ll");
    std::fs::write(&file, text).expect("written");
    // With AVX512-FP16 LLVM 22 rounds the exponent of `ldexp` to a half, so that an infinity becomes a NaN.
    let ended = Command::new(lli).args(["-O0", "-mattr=-avx512fp16"]).arg(&file).output().expect("lli runs");
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    Some(String::from_utf8(ended.stdout).expect("text"))
}

/// A printed result with one NaN for all.
fn canonical(printed: &str, ty: &str) -> Vec<u8> {
    let words = printed.split_whitespace().map(|word| u64::from_str_radix(word, 16).expect("a number"));
    let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    let (element, count) = shape(ty);
    let Some(mantissa) = mantissa(element) else { return bytes };
    let size = bits(element) / 8;
    for number in bytes.chunks_mut(size).take(count.unwrap_or(1)) {
        let mut raw = [0; 8];
        raw[..size].copy_from_slice(number);
        let magnitude = u64::from_le_bytes(raw) & !(1 << (8 * size - 1));
        let infinity = (1u64 << (8 * size - 1)) - (1 << mantissa);
        if magnitude > infinity {
            number.copy_from_slice(&(infinity | 1 << (mantissa - 1)).to_le_bytes()[..size]);
        }
    }
    bytes
}

/// What cases become in functions with some attributes.
pub fn legal_of(cases: &[Case], attributes: &str) -> String {
    legalized(&program(cases, 1, (attributes, false)))
}

/// Holds legalized cases to the cases themselves.
pub fn check(cases: &[Case], rounds: usize, gone: &[&str]) {
    let text = program(cases, rounds, ("", false));
    let legal = legalized(&text);
    let context = Context::new().expect("LLVM 22");
    let before = Module::parse(&context, "m", text.as_bytes()).expect("valid LLVM IR").to_text();
    for name in gone {
        assert!(before.contains(name), "{name} is not tested");
        let left = legal.lines().find(|line| line.contains(name) && !line.starts_with("declare"));
        assert!(left.is_none(), "not legalized: {left:?}");
    }
    let plain = program(cases, rounds, ("", true));
    let (Some(expected), Some(found)) = (executed(&plain), executed(&legal)) else { return };
    let pairs: Vec<(&str, &str)> = expected.lines().zip(found.lines()).collect();
    assert_eq!(pairs.len(), cases.len() * rounds, "so many results are printed");
    for (number, (expected, found)) in pairs.into_iter().enumerate() {
        let case = &cases[number / rounds];
        // Sixteen digits and a space for eight bytes.
        let slot = SLOT / 8 * 17;
        for (at, (ty, _)) in case.results.iter().enumerate() {
            let part = at * slot..(at + 1) * slot;
            let (expected, found) = (&expected[part.clone()], &found[part]);
            if canonical(expected, ty) != canonical(found, ty) {
                let call = text.lines().filter(|line| line.contains("call void @f")).nth(number);
                panic!("{}\n{call:?}\nresult {at}: {found}\ninstead of {expected}", case.body);
            }
        }
    }
}

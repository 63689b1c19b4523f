use std::ffi::c_void;
use std::fmt::Write;

use super::compare_distances;
use crate::build::Types;
use crate::host::{Cpu, HostMachine, Jit};
use crate::{Context, Module, OptLevel};

const PREDICATES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// Whether comparisons of a function are replaced.
fn is_changed(body: &str) -> (bool, String) {
    let context = Context::new().expect("LLVM 22");
    let text = format!("define void @f(ptr %q, i32 %x, i32 %n, <4 x i32> %v) {{\n{body}\nret void\n}}");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid");
    let changed = compare_distances(&mut module).expect("runs");
    module.verify().expect("valid");
    (changed, module.to_text())
}

const SPLATS: &str = "%x0 = insertelement <4 x i32> poison, i32 %x, i32 0
%xs = shufflevector <4 x i32> %x0, <4 x i32> poison, <4 x i32> zeroinitializer
%n0 = insertelement <4 x i32> poison, i32 %n, i32 0
%ns = shufflevector <4 x i32> %n0, <4 x i32> poison, <4 x i32> zeroinitializer
";

/// `count` comparisons of sums `add` of `%xs` with `right`, each of which is stored.
fn comparisons(count: usize, add: &str, right: &str) -> String {
    let mut text = String::from(SPLATS);
    for k in 0..count {
        let offsets: Vec<_> = (0..4).map(|lane| format!("i32 {}", 4 * k + lane)).collect();
        writeln!(text, "%i{k} = {add} <4 x i32> %xs, <{}>", offsets.join(", ")).unwrap();
        writeln!(text, "%m{k} = icmp slt <4 x i32> %i{k}, {right}").unwrap();
        writeln!(text, "%e{k} = zext <4 x i1> %m{k} to <4 x i32>").unwrap();
        writeln!(
            text,
            "%q{k} = getelementptr i8, ptr %q, i64 {}\nstore <4 x i32> %e{k}, ptr %q{k}, align 4",
            16 * k
        )
        .unwrap();
    }
    text
}

#[test]
fn several_comparisons_are_of_one_distance() {
    let (changed, text) = is_changed(&comparisons(4, "or disjoint", "%ns"));
    assert!(changed, "{text}");
    assert!(text.contains("icmp slt <4 x i32> <i32 12, i32 13, i32 14, i32 15>"), "{text}");
    assert_eq!(text.matches("sub i64").count(), 1, "{text}");
    assert!(is_changed(&comparisons(4, "add nuw nsw", "splat (i32 7)")).0);
}

#[test]
fn sums_that_may_wrap_around_and_few_comparisons_stay() {
    for add in ["or", "add", "add nuw", "add nsw"] {
        assert!(!is_changed(&comparisons(8, add, "%ns")).0, "{add}");
    }
    assert!(!is_changed(&comparisons(3, "or disjoint", "%ns")).0);
    assert!(!is_changed(&comparisons(8, "or disjoint", "%v")).0, "a bound of each lane");
}

/// Compares a sum with a bound in all ways: of 16 lanes, directly, with the operands exchanged, and the least or greatest of two.
fn all_comparisons() -> String {
    let mut text = String::from(
        "declare <8 x i32> @llvm.smin.v8i32(<8 x i32>, <8 x i32>)\ndeclare <8 x i32> @llvm.umax.v8i32(<8 x i32>, <8 x i32>)\n\
         define void @f(ptr %q, i32 %x, i32 %n) {\n%x16 = or disjoint i32 %x, 16\n",
    );
    for (name, number) in [("a", "%x"), ("b", "%x16"), ("m", "%n")] {
        writeln!(text, "%{name}0 = insertelement <8 x i32> poison, i32 {number}, i32 0").unwrap();
        writeln!(
            text,
            "%{name} = shufflevector <8 x i32> %{name}0, <8 x i32> poison, <8 x i32> zeroinitializer"
        )
        .unwrap();
    }
    let offsets = |from: u32| (from..from + 8).map(|at| format!("i32 {at}")).collect::<Vec<_>>().join(", ");
    writeln!(text, "%s0 = or disjoint <8 x i32> %a, <{}>", offsets(0)).unwrap();
    writeln!(text, "%s1 = or disjoint <8 x i32> %b, <{}>", offsets(8)).unwrap();
    writeln!(text, "%s2 = call <8 x i32> @llvm.smin.v8i32(<8 x i32> %s0, <8 x i32> %s1)").unwrap();
    writeln!(text, "%s3 = call <8 x i32> @llvm.umax.v8i32(<8 x i32> %s1, <8 x i32> %s0)").unwrap();
    let mut number = 0;
    for predicate in PREDICATES {
        for sum in 0..4 {
            for operands in [format!("%s{sum}, %m"), format!("%m, %s{sum}")] {
                writeln!(text, "%c{number} = icmp {predicate} <8 x i32> {operands}").unwrap();
                writeln!(text, "%z{number} = zext <8 x i1> %c{number} to <8 x i8>").unwrap();
                writeln!(text, "%p{number} = getelementptr i8, ptr %q, i64 {}", number * 8).unwrap();
                writeln!(text, "store <8 x i8> %z{number}, ptr %p{number}, align 1").unwrap();
                number += 1;
            }
        }
    }
    text + "ret void\n}"
}

/// The bytes that [`all_comparisons`] stores.
const STORED: usize = PREDICATES.len() * 4 * 2 * 8;

/// What they must be: the definition of the predicates.
fn expected(x: u32, n: u32) -> Vec<u8> {
    let sum = |which: usize, lane: u32| {
        let [first, second] = [x + lane, x + 24 + lane];
        match which {
            0 => first,
            1 => second,
            2 => first.cast_signed().min(second.cast_signed()).cast_unsigned(),
            _ => first.max(second),
        }
    };
    let holds = |predicate: &str, a: u32, b: u32| {
        let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
        match predicate {
            "eq" => a == b,
            "ne" => a != b,
            "slt" => signed_a < signed_b,
            "sle" => signed_a <= signed_b,
            "sgt" => signed_a > signed_b,
            "sge" => signed_a >= signed_b,
            "ult" => a < b,
            "ule" => a <= b,
            "ugt" => a > b,
            _ => a >= b,
        }
    };
    let mut bytes = Vec::new();
    for predicate in PREDICATES {
        for which in 0..4 {
            for lane in 0..8 {
                bytes.push(u8::from(holds(predicate, sum(which, lane), n)));
            }
            for lane in 0..8 {
                bytes.push(u8::from(holds(predicate, n, sum(which, lane))));
            }
        }
    }
    bytes
}

#[test]
fn all_predicates_hold_for_the_same_lanes() {
    let cpu = Cpu::host().expect("LLVM 22");
    let machine = HostMachine::new(&cpu, OptLevel::O2).expect("the host's target");
    let jit = Jit::new(&cpu).expect("the host's own code");
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", all_comparisons().as_bytes()).expect("valid");
    machine.set_up(&mut module);
    let types = Types::new(module.context());
    let i32 = types.int(32);
    let ty = types.function(types.void(), &[types.pointer(0), i32, i32]);
    machine.set_function(types, module.function("f", ty).expect("the one above"));
    assert!(compare_distances(&mut module).expect("runs"));
    module.verify().expect("valid");
    assert_eq!(module.to_text().matches("sub i64").count(), 2, "signed and unsigned");
    let object = machine.emit_object(module).expect("the backend takes it");
    let code = jit.add_object("comparisons", &object).expect("links");
    let address = code.address("f").expect("defined");
    // SAFETY: the function built above takes these.
    let f: extern "C" fn(*mut u8, u32, u32) = unsafe { std::mem::transmute(address as *const c_void) };
    let ends = [0, 1 << 30, i32::MAX as u32, 1 << 31, 3 << 30, u32::MAX];
    let mut random = fastrand::Rng::with_seed(4);
    for end in ends {
        for other in ends {
            for distance in -40..40 {
                // The low bits of the base are zero, as `disjoint` says.
                let x = end.wrapping_add(random.u32(..64)) & !63;
                let n = other.wrapping_add_signed(distance);
                let mut found = [2; STORED];
                f(found.as_mut_ptr(), x, n);
                assert_eq!(found.to_vec(), expected(x, n), "{x:#x} {n:#x}");
            }
        }
    }
}

use std::ffi::c_void;
use std::fmt::Write;

use super::forward_stores;
use crate::build::Types;
use crate::host::{Cpu, HostMachine, Jit};
use crate::{Context, Module, OptLevel};

/// The text of a function after its loads are replaced, and how many shuffles it has then.
fn forwarded(body: &str) -> (String, usize) {
    let context = Context::new().expect("LLVM 22");
    let text = format!(
        "declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)\n\
         declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)\n\
         declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\ndeclare <4 x i32> @llvm.abs.v4i32(<4 x i32>, i1)\n\
         declare void @other()\n\
         define <4 x i32> @f(ptr %p, ptr %q, <4 x i32> %a, <4 x i32> %b, <8 x i16> %h, <4 x i1> %m) {{\n{body}\n}}"
    );
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid");
    let changed = forward_stores(&mut module).expect("runs");
    module.verify().expect("valid");
    let text = module.to_text();
    let shuffles = text.matches("shufflevector").count();
    assert_eq!(changed, shuffles > 0, "{text}");
    (text, shuffles)
}

/// `%a` and `%b` next to each other, and pointers between them.
const STORED: &str = "store <4 x i32> %a, ptr %p, align 4
%p16 = getelementptr i8, ptr %p, i64 16
store <4 x i32> %b, ptr %p16, align 4
%p12 = getelementptr i8, ptr %p16, i64 -4
%p14 = getelementptr i8, ptr %p, i64 14
%p20 = getelementptr i8, ptr %p, i64 20
";

#[test]
fn parts_of_two_stores_are_shuffled() {
    let (text, _) = forwarded(&format!("{STORED}%r = load <4 x i32>, ptr %p12, align 4\nret <4 x i32> %r"));
    let shuffle = "shufflevector <4 x i32> %a, <4 x i32> %b, <4 x i32> <i32 3, i32 4, i32 5, i32 6>";
    assert!(text.contains(shuffle), "{text}");
    // What lies between changes no memory that was stored.
    let between = "call void @llvm.prefetch.p0(ptr %q, i32 0, i32 3, i32 1)\n%t = call <4 x i32> @llvm.abs.v4i32(<4 x i32> %a, i1 0)";
    let (text, _) =
        forwarded(&format!("{STORED}{between}\n%r = load <4 x i32>, ptr %p12, align 4\nret <4 x i32> %r"));
    assert!(text.contains(shuffle), "{text}");
}

#[test]
fn lanes_beside_the_mask_have_their_own_value() {
    let (text, _) = forwarded(&format!(
        "{STORED}%r = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p20, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, \
         <4 x i32> <i32 7, i32 7, i32 7, i32 9>)\nret <4 x i32> %r"
    ));
    assert!(
        text.contains(
            "<4 x i32> %b, <4 x i32> <i32 7, i32 7, i32 7, i32 9>, <4 x i32> <i32 1, i32 2, i32 3, i32 7>"
        ),
        "{text}"
    );
}

#[test]
fn what_may_have_changed_is_loaded() {
    let changes = [
        "store i32 1, ptr %q, align 4",
        "store i8 1, ptr %p14, align 1",
        "store volatile i32 1, ptr %q, align 4",
        "%o = atomicrmw add ptr %q, i32 1 monotonic",
        "%o = load atomic i32, ptr %q acquire, align 4",
        "fence acquire",
        "call void @other()",
        "call void @llvm.masked.store.v4i32.p0(<4 x i32> %a, ptr %p12, <4 x i1> %m)",
        "store <8 x i16> %h, ptr %p20, align 2",
        // Elements of another size, and a vector that is longer.
        "store <8 x i16> %h, ptr %p, align 2",
    ];
    for change in changes {
        let (text, shuffles) =
            forwarded(&format!("{STORED}{change}\n%r = load <4 x i32>, ptr %p12, align 4\nret <4 x i32> %r"));
        assert_eq!(shuffles, 0, "{change}: {text}");
    }
    for load in [
        "load volatile <4 x i32>, ptr %p12, align 4",
        "load <4 x i32>, ptr %p14, align 1",
        "load <4 x i32>, ptr %p20, align 4",
        "call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p12, <4 x i1> %m, <4 x i32> zeroinitializer)",
    ] {
        let (text, shuffles) = forwarded(&format!("{STORED}%r = {load}\nret <4 x i32> %r"));
        assert_eq!(shuffles, 0, "{load}: {text}");
    }
}

/// One access of a random function.
enum Step {
    /// Elements of so many bytes, from a place; those in the mask.
    Store {
        at: usize,
        bytes: usize,
        count: usize,
        mask: u64,
    },
    Load {
        at: usize,
        bytes: usize,
        count: usize,
        mask: u64,
    },
}

/// Memory of a random function, in two parts whose pointers are different values; they may overlap.
const MEMORY: usize = 192;

fn steps(random: &mut fastrand::Rng) -> Vec<Step> {
    let mut step = |_| {
        let bytes = [4, 4, 4, 2, 8][random.usize(..5)];
        let count = if random.u8(..8) == 0 { 8 } else { 4 };
        let at = random.usize(..=(MEMORY / 2 - bytes * count) / 4) * 4;
        let at = if random.u8(..16) == 0 { at + 1 } else { at };
        let mask = if random.u8(..3) == 0 { random.u64(..1 << count) } else { (1 << count) - 1 };
        if random.bool() {
            Step::Store { at, bytes, count, mask }
        } else {
            Step::Load { at, bytes, count, mask }
        }
    };
    (0..24).map(&mut step).collect()
}

/// `void f(ptr %p, ptr %results, ptr %values)`: each store takes its value from `%values`, in order, and each load leaves its own in `%results`.
fn function(steps: &[Step]) -> String {
    let mut text = String::from("define void @f(ptr %p, ptr %results, ptr %values) {\n");
    let (mut declarations, mut loads) = (std::collections::BTreeSet::new(), String::new());
    for (number, step) in steps.iter().enumerate() {
        let (Step::Store { at, bytes, count, mask } | Step::Load { at, bytes, count, mask }) = step;
        let ty = format!("<{count} x i{}>", 8 * bytes);
        let suffix = format!("v{count}i{}.p0", 8 * bytes);
        let lanes: Vec<_> = (0..*count).map(|lane| format!("i1 {}", mask >> lane & 1)).collect();
        let mask = format!("<{count} x i1> <{}>", lanes.join(", "));
        writeln!(text, "%at{number} = getelementptr i8, ptr %p, i64 {at}").unwrap();
        writeln!(loads, "%from{number} = getelementptr i8, ptr %values, i64 {}", number * 64).unwrap();
        match step {
            Step::Store { .. } => {
                writeln!(loads, "%v{number} = load {ty}, ptr %from{number}, align 1").unwrap();
                writeln!(
                    text,
                    "call void @llvm.masked.store.{suffix}({ty} %v{number}, ptr align 1 %at{number}, {mask})"
                )
                .unwrap();
                declarations
                    .insert(format!("declare void @llvm.masked.store.{suffix}({ty}, ptr, <{count} x i1>)"));
            }
            Step::Load { .. } => {
                writeln!(
                    text,
                    "%v{number} = call {ty} @llvm.masked.load.{suffix}(ptr align 1 %at{number}, {mask}, {ty} zeroinitializer)"
                )
                .unwrap();
                declarations
                    .insert(format!("declare {ty} @llvm.masked.load.{suffix}(ptr, <{count} x i1>, {ty})"));
            }
        }
    }
    let mut stores = String::new();
    for (number, step) in steps.iter().enumerate() {
        if let Step::Load { bytes, count, .. } = step {
            writeln!(stores, "%to{number} = getelementptr i8, ptr %results, i64 {}", number * 64).unwrap();
            writeln!(stores, "store <{count} x i{}> %v{number}, ptr %to{number}, align 1", 8 * bytes)
                .unwrap();
        }
    }
    let head = "define void @f(ptr %p, ptr %results, ptr %values) {\n";
    let body = text.strip_prefix(head).unwrap_or_default();
    let declarations: Vec<_> = declarations.into_iter().collect();
    format!("{}\n{head}{loads}{body}{stores}ret void\n}}", declarations.join("\n"))
}

/// What loads find, byte by byte.
fn expected(steps: &[Step], memory: &mut [u8], values: &[u8]) -> Vec<u8> {
    let mut results = vec![0; steps.len() * 64];
    for (number, step) in steps.iter().enumerate() {
        let (Step::Store { at, bytes, count, mask } | Step::Load { at, bytes, count, mask }) = *step;
        for lane in (0..count).filter(|lane| mask >> lane & 1 != 0) {
            for byte in lane * bytes..(lane + 1) * bytes {
                match step {
                    Step::Store { .. } => memory[at + byte] = values[number * 64 + byte],
                    Step::Load { .. } => results[number * 64 + byte] = memory[at + byte],
                }
            }
        }
    }
    results
}

#[test]
fn random_accesses_find_what_was_stored() {
    let cpu = Cpu::host().expect("LLVM 22");
    let machine = HostMachine::new(&cpu, OptLevel::O2).expect("the host's target");
    let jit = Jit::new(&cpu).expect("the host's own code");
    let mut random = fastrand::Rng::with_seed(2211);
    let mut shuffles = 0;
    for round in 0..200 {
        let steps = steps(&mut random);
        let text = function(&steps);
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid");
        machine.set_up(&mut module);
        let types = Types::new(module.context());
        let ty = types.function(types.void(), &[types.pointer(0); 3]);
        machine.set_function(types, module.function("f", ty).expect("the one above"));
        forward_stores(&mut module).expect("runs");
        module.verify().expect("valid");
        shuffles += module.to_text().matches("shufflevector").count();
        let object = machine.emit_object(module).expect("the backend takes it");
        let code = jit.add_object(&format!("accesses{round}"), &object).expect("links");
        let address = code.address("f").expect("defined");
        // SAFETY: the function built above takes these.
        let f: extern "C" fn(*mut u8, *mut u8, *const u8) =
            unsafe { std::mem::transmute(address as *const c_void) };
        let values: Vec<u8> = (0..steps.len() * 64).map(|_| random.u8(..)).collect();
        let memory: Vec<u8> = (0..MEMORY).map(|_| random.u8(..)).collect();
        let [mut own, mut of_code] = [memory.clone(), memory];
        let results = expected(&steps, &mut own, &values);
        let mut found = vec![0; steps.len() * 64];
        f(of_code.as_mut_ptr(), found.as_mut_ptr(), values.as_ptr());
        assert_eq!((found, of_code), (results, own), "{text}");
    }
    assert!(shuffles > 100, "loads were replaced {shuffles} times");
}

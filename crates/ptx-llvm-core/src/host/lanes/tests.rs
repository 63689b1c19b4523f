use std::ffi::c_void;
use std::fmt::Write;

use super::remove_unread_lanes;
use crate::build::Types;
use crate::host::{Cpu, HostMachine, Jit};
use crate::{Context, Module, OptLevel};

const DECLARATIONS: &str = "declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v8i32.v8p0(<8 x i32>, <8 x ptr>, <8 x i1>)
declare <4 x i32> @llvm.smax.v4i32(<4 x i32>, <4 x i32>)
declare <4 x i32> @other(<4 x i32>)
";

/// The text of a function after its unread lanes are removed, and whether it was changed.
fn removed(body: &str) -> (String, bool) {
    let context = Context::new().expect("LLVM 22");
    let text = format!(
        "{DECLARATIONS}define i32 @f(ptr %q, <4 x i32> %a, <4 x i32> %b, <4 x ptr> %p, <8 x i32> %w, <8 x ptr> %pw, i1 %c) {{\n{body}\n}}"
    );
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid");
    let changed = remove_unread_lanes(&mut module).expect("runs");
    module.verify().expect("valid");
    let text = module.to_text();
    let body = text.split_once("define").expect("a function").1.split_once("\n}").expect("its end").0;
    (body.to_owned(), changed)
}

#[test]
fn a_scatter_of_one_lane_is_a_store_and_other_lanes_are_not_computed() {
    let (text, changed) = removed(
        "%b2 = add <4 x i32> %b, %b
         %s = shufflevector <4 x i32> %a, <4 x i32> %b2, <4 x i32> <i32 1, i32 2, i32 3, i32 4>
         %c1 = add <4 x i32> %a, %s
         call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %c1, <4 x ptr> align 2 %p, <4 x i1> <i1 1, i1 0, i1 0, i1 0>)
         ret i32 0",
    );
    assert!(changed);
    assert!(!text.contains("scatter") && !text.contains("%b2"), "{text}");
    assert!(
        text.contains("<4 x i32> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>"),
        "{text}"
    );
    assert!(text.contains("extractelement <4 x ptr> %p, i32 0"), "{text}");
    assert!(text.contains(", align 2"), "{text}");
}

#[test]
fn a_gather_of_few_lanes_keeps_the_others() {
    let (text, _) = removed(
        "%g = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %p, <4 x i1> <i1 0, i1 1, i1 1, i1 0>, <4 x i32> %a)
         store <4 x i32> %g, ptr %q
         ret i32 0",
    );
    assert_eq!(text.matches("load i32").count(), 2, "{text}");
    assert_eq!(text.matches(", align 1\n").count(), 2, "nothing is known of the addresses: {text}");
    assert!(text.contains("insertelement <4 x i32> %a"), "{text}");
}

#[test]
fn more_lanes_stay_together() {
    let scatter = |mask: &str| {
        removed(&format!(
            "call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %w, <8 x ptr> align 4 %pw, <8 x i1> <{mask}>)
             ret i32 0"
        ))
    };
    let (text, changed) = scatter("i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0");
    assert!(text.contains("scatter") && !changed, "{text}");
    let (text, changed) = scatter("i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0");
    assert!(text.matches("store i32").count() == 4 && changed, "{text}");
}

#[test]
fn values_around_a_loop_that_only_need_each_other_go() {
    let (text, _) = removed(
        "br label %loop
         loop:
         %s = phi <4 x i32> [ %a, %0 ], [ %n, %loop ]
         %t = phi <4 x i32> [ %b, %0 ], [ %m, %loop ]
         %m = add <4 x i32> %t, %b
         %x = shufflevector <4 x i32> %s, <4 x i32> %m, <4 x i32> <i32 0, i32 5, i32 6, i32 7>
         %n = add <4 x i32> %x, %a
         br i1 %c, label %loop, label %end
         end:
         %e = extractelement <4 x i32> %n, i32 0
         ret i32 %e",
    );
    assert!(!text.contains("%t") && !text.contains("%m"), "{text}");
    assert!(text.contains("%s = phi"), "{text}");
}

#[test]
fn lanes_that_something_reads_stay() {
    let kept = [
        // A divisor that is poison would be undefined behavior, and a call may read everything.
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%d = udiv <4 x i32> %b, %i\n%e = extractelement <4 x i32> %d, i64 0\nret i32 %e",
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%d = call <4 x i32> @other(<4 x i32> %i)\n%e = extractelement <4 x i32> %d, i64 0\nret i32 %e",
        // The other half of the same 64 bits.
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%d = bitcast <4 x i32> %i to <2 x i64>\n%e = extractelement <2 x i64> %d, i64 1\n%t = trunc i64 %e to i32\nret i32 %t",
        // An index that is not known.
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%k = ptrtoint ptr %q to i64\n%e = extractelement <4 x i32> %i, i64 %k\nret i32 %e",
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%m = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %i, <4 x i32> %b)\n%e = extractelement <4 x i32> %m, i64 3\nret i32 %e",
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%m = select <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x i32> %b, <4 x i32> %i\n%e = extractelement <4 x i32> %m, i64 3\nret i32 %e",
    ];
    for body in kept {
        let (text, _) = removed(body);
        assert!(text.contains("%i = insertelement"), "{text}");
    }
}

#[test]
fn insertions_and_selections_of_unread_lanes_go() {
    let gone = [
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%m = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %i, <4 x i32> %b)\n%e = extractelement <4 x i32> %m, i64 2\nret i32 %e",
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%m = select <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x i32> %b, <4 x i32> %i\n%e = extractelement <4 x i32> %m, i64 1\nret i32 %e",
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%d = bitcast <4 x i32> %i to <2 x i64>\n%e = extractelement <2 x i64> %d, i64 0\n%t = trunc i64 %e to i32\nret i32 %t",
        "%i = insertelement <4 x i32> %a, i32 7, i64 3\n%d = bitcast <4 x i32> %i to <8 x i16>\n%e = extractelement <8 x i16> %d, i64 5\n%t = zext i16 %e to i32\nret i32 %t",
    ];
    for body in gone {
        let (text, changed) = removed(body);
        assert!(!text.contains("%i =") && changed, "{text}");
    }
}

/// A function of random vectors `%v0`, `%v1`, .. of eight lanes, some of which are stored.
fn random_function(random: &mut fastrand::Rng) -> String {
    let mut text = format!("{DECLARATIONS}define void @f(ptr %results, ptr %values) {{\n");
    let inputs = 3;
    for number in 0..inputs {
        writeln!(text, "%from{number} = getelementptr i8, ptr %values, i64 {}", number * 32).unwrap();
        writeln!(text, "%v{number} = load <8 x i32>, ptr %from{number}, align 1").unwrap();
    }
    let count = inputs + random.usize(4..20);
    for number in inputs..count {
        // Mostly of the values just before, so that chains become long.
        let mut any = || number - 1 - random.usize(..number.min(4));
        let (a, b) = (any(), any());
        let lanes = |random: &mut fastrand::Rng, bound: u32| {
            (0..8).map(|_| format!("i32 {}", random.u32(..bound))).collect::<Vec<_>>().join(", ")
        };
        let bits = (0..8).map(|_| format!("i1 {}", random.u8(..2))).collect::<Vec<_>>().join(", ");
        let line = match random.u8(..9) {
            0 => format!("%v{number} = add <8 x i32> %v{a}, %v{b}"),
            1 => format!("%v{number} = xor <8 x i32> %v{a}, %v{b}"),
            2..5 => format!(
                "%v{number} = shufflevector <8 x i32> %v{a}, <8 x i32> %v{b}, <8 x i32> <{}>",
                lanes(random, 16)
            ),
            5 => format!("%v{number} = select <8 x i1> <{bits}>, <8 x i32> %v{a}, <8 x i32> %v{b}"),
            6 => format!(
                "%x{number} = extractelement <8 x i32> %v{a}, i64 {}\n\
                 %v{number} = insertelement <8 x i32> %v{b}, i32 %x{number}, i64 {}",
                random.u8(..8),
                random.u8(..8)
            ),
            7 => format!(
                "%x{number} = bitcast <8 x i32> %v{a} to <4 x i64>\n\
                 %y{number} = shufflevector <4 x i64> %x{number}, <4 x i64> poison, <4 x i32> <i32 {}, i32 {}, i32 {}, i32 {}>\n\
                 %v{number} = bitcast <4 x i64> %y{number} to <8 x i32>",
                random.u8(..4),
                random.u8(..4),
                random.u8(..4),
                random.u8(..4)
            ),
            _ => format!(
                "%x{number} = icmp ult <8 x i32> %v{a}, %v{b}\n\
                 %v{number} = select <8 x i1> %x{number}, <8 x i32> %v{b}, <8 x i32> splat (i32 5)"
            ),
        };
        writeln!(text, "{line}").unwrap();
    }
    for store in 0..random.usize(1..3) {
        let value = count - 1 - store;
        let places: Vec<_> = (0..8).map(|lane| format!("i64 {}", (store * 8 + lane) * 4)).collect();
        let chosen = random.usize(..8);
        let mask: Vec<_> =
            (0..8).map(|lane| format!("i1 {}", u8::from(lane == chosen || random.u8(..20) == 0))).collect();
        writeln!(text, "%to{store} = getelementptr i8, ptr %results, <8 x i64> <{}>", places.join(", "))
            .unwrap();
        writeln!(
            text,
            "call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %v{value}, <8 x ptr> align 4 %to{store}, <8 x i1> <{}>)",
            mask.join(", ")
        )
        .unwrap();
    }
    text + "ret void\n}"
}

/// What a function stores, and its instructions, as LLVM compiles it.
fn executed(jit: &Jit, machine: &HostMachine, name: &str, text: &str, changes: bool) -> ([u32; 16], usize) {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid");
    machine.set_up(&mut module);
    let types = Types::new(module.context());
    let ty = types.function(types.void(), &[types.pointer(0); 2]);
    machine.set_function(types, module.function("f", ty).expect("the one above"));
    if changes {
        remove_unread_lanes(&mut module).expect("runs");
        module.verify().expect("valid");
    }
    let lines = module.to_text().lines().count();
    let object = machine.emit_object(module).expect("the backend takes it");
    let code = jit.add_object(name, &object).expect("links");
    let address = code.address("f").expect("defined");
    // SAFETY: the function of the text takes these.
    let f: extern "C" fn(*mut u32, *const u32) = unsafe { std::mem::transmute(address as *const c_void) };
    let values: Vec<u32> = (0..24u32).map(|number| number.wrapping_mul(0x9e37_79b9)).collect();
    let mut results = [0; 16];
    f(results.as_mut_ptr(), values.as_ptr());
    (results, lines)
}

#[test]
fn random_functions_store_what_they_did_before() {
    let cpu = Cpu::host().expect("LLVM 22");
    let machine = HostMachine::new(&cpu, OptLevel::O2).expect("the host's target");
    let jit = Jit::new(&cpu).expect("the host's own code");
    let mut random = fastrand::Rng::with_seed(3211);
    let mut shorter = 0;
    for round in 0..150 {
        let text = random_function(&mut random);
        let (before, length) = executed(&jit, &machine, &format!("before{round}"), &text, false);
        let (after, now) = executed(&jit, &machine, &format!("after{round}"), &text, true);
        assert_eq!(before, after, "{text}");
        shorter += usize::from(now < length);
    }
    assert!(shorter > 30, "{shorter} functions became shorter");
}

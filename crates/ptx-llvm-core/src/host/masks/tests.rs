use std::ffi::c_void;

use super::widen_masks;
use crate::build::Types;
use crate::host::{Cpu, HostMachine, Jit};
use crate::{Context, Module, OptLevel};

/// Counts in each lane the rounds until its number is reached; lanes leave the loop one by one, and those of an even number are told after it.
const LOOP: &str = "define void @f(ptr %to, ptr %from) {
entry:
  %n = load <8 x i32>, ptr %from, align 4
  %even.bits = and <8 x i32> %n, splat (i32 1)
  %even = icmp eq <8 x i32> %even.bits, zeroinitializer
  br label %loop
loop:
  %m = phi <8 x i1> [ splat (i1 true), %entry ], [ %left, %loop ]
  %old = phi <8 x i1> [ zeroinitializer, %entry ], [ %m, %loop ]
  %c = phi <8 x i32> [ zeroinitializer, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %i.next = add i32 %i, 1
  %more = add <8 x i32> %c, splat (i32 1)
  %next = select <8 x i1> %m, <8 x i32> %more, <8 x i32> %c
  %below = icmp ult <8 x i32> %next, %n
  %left = and <8 x i1> %below, %m
  %bits = bitcast <8 x i1> %left to i8
  %any = icmp ne i8 %bits, 0
  br i1 %any, label %loop, label %after
after:
  %told = select <8 x i1> %even, <8 x i32> splat (i32 100), <8 x i32> zeroinitializer
  %last = select <8 x i1> %old, <8 x i32> splat (i32 1000), <8 x i32> zeroinitializer
  %sum = add <8 x i32> %next, %told
  %all = add <8 x i32> %sum, %last
  store <8 x i32> %all, ptr %to, align 4
  ret void
}";

#[test]
fn masks_between_blocks_are_as_wide_as_lanes() {
    for (vector_bits, ty) in [(256, "<8 x i32>"), (128, "<8 x i16>")] {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", LOOP.as_bytes()).expect("valid");
        widen_masks(&mut module, vector_bits).expect("runs");
        module.verify().expect("valid");
        let text = module.to_text();
        assert!(!text.contains("phi <8 x i1>"), "{text}");
        let phis = text.matches(&format!("= phi {ty}")).count();
        assert_eq!(phis, if vector_bits == 256 { 3 } else { 2 }, "{text}");
        assert!(text.contains(&format!("sext <8 x i1> %even to {ty}")), "{text}");
        assert!(!text.contains("select <8 x i1> %even"), "it is of another block: {text}");
        assert!(text.contains("bitcast <8 x i1> %left"), "that of the same block stays: {text}");
    }
}

#[test]
fn wide_masks_have_the_same_lanes() {
    let cpu = Cpu::host().expect("LLVM 22");
    let machine = HostMachine::new(&cpu, OptLevel::O2).expect("the host's target");
    let jit = Jit::new(&cpu).expect("the host's own code");
    for vector_bits in [128, 256] {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", LOOP.as_bytes()).expect("valid");
        machine.set_up(&mut module);
        let types = Types::new(module.context());
        let ty = types.function(types.void(), &[types.pointer(0); 2]);
        machine.set_function(types, module.function("f", ty).expect("the one above"));
        widen_masks(&mut module, vector_bits).expect("runs");
        let object = machine.emit_object(module).expect("the backend takes it");
        let code = jit.add_object(&format!("masks{vector_bits}"), &object).expect("links");
        let address = code.address("f").expect("defined");
        // SAFETY: the function above takes these.
        let f: extern "C" fn(*mut u32, *const u32) = unsafe { std::mem::transmute(address as *const c_void) };
        let from = [3, 1, 4, 1, 5, 9, 2, 6];
        let mut to = [0; 8];
        f(to.as_mut_ptr(), from.as_ptr());
        // The last round but one had the lanes that go on to the last: that of 9 alone.
        let expected =
            from.map(|n: u32| n + if n.is_multiple_of(2) { 100 } else { 0 } + if n == 9 { 1000 } else { 0 });
        assert_eq!(to, expected);
    }
}

//! The memory of objects that are linked into the process: alone in its process, so that it can be counted.
#![cfg(target_os = "linux")]

use ptx_llvm_core::build::{BinaryOp, Builder, Types};
use ptx_llvm_core::host::{Cpu, HostMachine, Jit};
use ptx_llvm_core::{Context, Module, OptLevel};

/// `i64 f(i64 x)`: calls `callback(x + 1)`.
fn object(machine: &HostMachine) -> Vec<u8> {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::new(&context, "m");
    machine.set_up(&mut module);
    let types = Types::new(&context);
    let ty = types.function(types.int(64), &[types.int(64)]);
    let (f, callback) = (module.function("f", ty).unwrap(), module.function("callback", ty).unwrap());
    machine.set_function(types, f);
    let b = Builder::new(types);
    b.position_at_end(f.append_block(types, "entry"));
    let next = b.binary(BinaryOp::Add, f.parameters()[0], types.int_value(64, 1)).unwrap();
    let result = b.call(callback, &[next]).unwrap();
    b.ret(Some(result)).unwrap();
    machine.emit_object(module).expect("the backend takes it")
}

/// Memory of the process that is in use, in KiB, and the number of its mappings.
fn memory() -> (u64, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let size = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    (size, std::fs::read_to_string("/proc/self/maps").unwrap().lines().count())
}

#[test]
fn dropped_objects_leave_nothing() {
    let cpu = Cpu::host().expect("LLVM 22");
    let machine = HostMachine::new(&cpu, OptLevel::O2).expect("the host's target");
    let jit = Jit::new(&cpu).expect("the host's own code");
    jit.define(&[("callback", 0x1000)]);
    let bytes = object(&machine);
    let link = || {
        let code = jit.add_object("own", &bytes).unwrap();
        assert_ne!(code.address("f").unwrap(), 0);
        code
    };
    // An object that is kept takes at least a page, which tells that the count below would see those that are not freed.
    (0..100).for_each(|_| drop(link()));
    let before = memory();
    let kept: Vec<_> = (0..100).map(|_| link()).collect();
    let held = memory();
    assert!(held.0 > before.0 + 400 && held.1 > before.1 + 100, "{before:?} {held:?}");
    drop(kept);
    let before = memory();
    (0..1000).for_each(|_| drop(link()));
    let after = memory();
    assert!(after.0 < before.0 + 400 && after.1 < before.1 + 10, "{before:?} {after:?}");
}

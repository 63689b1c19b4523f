//! What a debugger sees of code that is linked into the process.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::process::Command;

use ptx_llvm_core::build::{BinaryOp, Builder, DebugInfo, Types};
use ptx_llvm_core::host::{Cpu, HostMachine, Jit};
use ptx_llvm_core::{Context, Module, OptLevel};

/// Set in the process that a debugger runs.
const DEBUGGED: &str = "PTX_LLVM_DEBUGGED";

/// `i64 kernel(i64 x)`: calls `callback(x)` at line 5 of `/src/kernel.ptx`.
fn object(machine: &HostMachine) -> Vec<u8> {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::new(&context, "m");
    machine.set_up(&mut module);
    let types = Types::new(&context);
    let ty = types.function(types.int(64), &[types.int(64)]);
    let (f, callback) = (module.function("kernel", ty).unwrap(), module.function("callback", ty).unwrap());
    machine.set_function(types, f);
    let mut debug = DebugInfo::for_host(&module, types);
    let file = debug.file(&module, "/src/kernel.ptx");
    let scope = debug.subprogram("kernel", "kernel", file, 3, Some(f));
    let b = Builder::new(types);
    b.position_at_end(f.append_block(types, "entry"));
    b.set_location(Some(debug.location(5, 0, scope, None)));
    let result = b.call(callback, &f.parameters()).unwrap();
    b.set_location(Some(debug.location(6, 0, scope, None)));
    let next = b.binary(BinaryOp::Add, result, types.int_value(64, 1)).unwrap();
    b.ret(Some(next)).unwrap();
    debug.finish();
    module.verify().expect("valid");
    machine.optimize(&mut module, "default<O2>").expect("runs");
    machine.emit_object(module).expect("the backend takes it")
}

/// Where the debugger stops.
#[unsafe(no_mangle)]
extern "C" fn ptx_llvm_test_stop(x: u64) -> u64 {
    std::hint::black_box(x)
}

fn run() {
    let cpu = Cpu::host().expect("LLVM 22");
    let machine = HostMachine::new(&cpu, OptLevel::O2).expect("the host's target");
    let jit = Jit::new(&cpu).expect("the host's own code");
    jit.show_to_debuggers().expect("the linker knows how");
    jit.define(&[("callback", ptx_llvm_test_stop as extern "C" fn(u64) -> u64 as usize)]);
    let code = jit.add_object("kernel", &object(&machine)).unwrap();
    let address = code.address("kernel").unwrap();
    // SAFETY: the function built above has this type, and its code is held.
    let kernel: extern "C" fn(u64) -> u64 = unsafe { std::mem::transmute(address as *const c_void) };
    assert_eq!(kernel(41), 42);
}

/// Without gdb it only checks that code with debug information runs.
#[test]
fn gdb_names_functions_and_lines() {
    if std::env::var_os(DEBUGGED).is_some() {
        return run();
    }
    run();
    let commands = ["set breakpoint pending on", "break ptx_llvm_test_stop", "run", "backtrace 3"];
    let gdb = Command::new("gdb")
        .args(["-nx", "-batch"])
        .args(commands.iter().flat_map(|command| ["-ex", command]))
        .arg("--args")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "jit_debug::gdb_names_functions_and_lines", "--test-threads=1"])
        .env(DEBUGGED, "1")
        .output();
    let Ok(output) = gdb else { return };
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    // A system that forbids debugging runs nothing.
    if text.contains("ptrace") || text.contains("not permitted") {
        return;
    }
    let frame = text.lines().find(|line| line.starts_with("#1 "));
    assert!(frame.is_some_and(|line| line.contains("kernel") && line.contains("kernel.ptx:5")), "{text}");
}

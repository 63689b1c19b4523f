//! Kernels that are kept on disk: the same code for the same kernel, wherever its variables are, and for nothing else.
//!
//! What kernels leave is worked out here: `out[i] = in-place sum of a constant and of a variable`.

#![allow(unsafe_code, reason = "kernels are launched")]

use std::path::Path;
use std::process::Command;

use crate::common::prepared;
use ptx_diag::SourceFile;
use ptx_exec::{Memory, Prepared};
use ptx_host::analysis::Launched;
use ptx_host::{Cache, Compiler, Kernel, Kernels, Options};
use ptx_llvm_core::host::{Cpu, Jit};

/// `out[i] = calls + table[i & 3] + ADDED`, and then thread 0 adds one to `calls`. `pointer` holds the address of `table + 8`.
fn source(added: u32) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .global .u32 calls = 100;\n.global .u32 table[4] = {{10, 20, 30, 40}};\n.global .u64 pointer = generic(table) + 8;\n\
         .func (.reg .u32 r) at(.reg .u32 i)\n{{ .reg .b64 %a; mov.u64 %a, table; .reg .b64 %o; mul.wide.u32 %o, i, 4;\n\
         add.s64 %a, %a, %o; ld.global.u32 r, [%a]; ret; }}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .pred %p; .reg .b32 %i, %t, %v, %c; .reg .b64 %a, %o, %q;\n\
         ld.param.u64 %a, [out]; mov.u32 %i, %tid.x; and.b32 %t, %i, 3; call (%v), at, (%t);\n\
         ld.global.u32 %c, [calls]; add.u32 %v, %v, %c; add.u32 %v, %v, {added};\n\
         mul.wide.u32 %o, %i, 4; add.s64 %a, %a, %o; st.global.u32 [%a], %v;\n\
         setp.ne.u32 %p, %i, 0; @%p ret;\n\
         add.u32 %c, %c, 1; st.global.u32 [calls], %c;\n\
         ld.global.u64 %q, [pointer]; ld.u32 %v, [%q]; add.u32 %v, %v, 1; st.u32 [%q], %v; ret;\n}}\n"
    )
}

fn image(added: u32, memory: &Memory) -> Prepared {
    prepared::prepared(&SourceFile::new("k.ptx", source(added)), memory)
}

/// What a launch of one block of four leaves in `out`.
fn launch(kernel: &Kernel, prepared: &Prepared, memory: &Memory) -> [u32; 4] {
    let out = memory.allocate(16).expect("memory");
    // SAFETY: the kernel accesses its variables and sixteen bytes at its parameter.
    unsafe { kernel.run(prepared.program(), [1; 3], &out.to_le_bytes(), &[], 0).expect("it ends") };
    let mut bytes = [0; 16];
    memory.read(out, &mut bytes).expect("readable");
    let words = bytes.as_chunks::<4>().0;
    std::array::from_fn(|at| u32::from_le_bytes(words[at]))
}

const FOUR: Launched = Launched::blocks([4, 1, 1]);

#[test]
fn a_kernel_is_found_wherever_its_variables_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let cpu = Cpu::host().expect("LLVM");
    let memory = Memory::new();
    let first = image(1000, &memory);
    // Something in between, so that the variables of the second image are elsewhere in any case.
    memory.allocate(1 << 20).expect("memory");
    let second = image(1000, &memory);
    let place = |prepared: &Prepared| prepared.image().variable("table").expect("a variable").address;
    assert_ne!(place(&first), place(&second));
    for (prepared, is_there) in [(&first, false), (&first, true), (&second, true)] {
        // A process of its own would have an engine of its own.
        let (jit, cache) =
            (Jit::new(&cpu).expect("LLVM"), Cache::open(folder.path(), 1 << 20).expect("a folder"));
        let kernel =
            Kernel::cached(prepared.program(), &FOUR, &cpu, &jit, &Options::default(), &cache).expect("code");
        assert_eq!(kernel.is_from_cache(), is_there);
        assert!(cache.take_trouble().is_none());
        prepared.image().reset();
        assert_eq!(launch(&kernel, prepared, &memory), [1110, 1120, 1130, 1140]);
        assert_eq!(launch(&kernel, prepared, &memory), [1111, 1121, 1132, 1141]);
    }
}

#[test]
fn what_decides_the_code_decides_the_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let cpu = Cpu::host().expect("LLVM");
    let jit = Jit::new(&cpu).expect("LLVM");
    let cache = Cache::open(folder.path(), 1 << 20).expect("a folder");
    let memory = Memory::new();
    let (one, two) = (image(1000, &memory), image(2000, &memory));
    let is_there = |prepared: &Prepared, launched: &Launched, cpu: &Cpu| {
        let kernel = Kernel::cached(prepared.program(), launched, cpu, &jit, &Options::default(), &cache)
            .expect("code");
        if *launched == FOUR {
            prepared.image().reset();
            let added = if std::ptr::eq(prepared, &raw const one) { 1000 } else { 2000 };
            assert_eq!(launch(&kernel, prepared, &memory), [110, 120, 130, 140].map(|sum| sum + added));
        }
        kernel.is_from_cache()
    };
    let old = Cpu::of(&cpu.triple, "x86-64-v2", "");
    let older = Cpu::of(&cpu.triple, "x86-64-v2", "-sse4.2");
    let is_x86 = cpu.triple.starts_with("x86_64");
    for round in [false, true] {
        assert_eq!(is_there(&one, &FOUR, &cpu), round);
        assert_eq!(is_there(&two, &FOUR, &cpu), round, "another number in the program");
        assert_eq!(is_there(&one, &Launched::blocks([8, 1, 1]), &cpu), round, "another shape");
        assert_eq!(is_there(&one, &Launched::blocks([1, 4, 1]), &cpu), round, "another shape");
        if is_x86 {
            assert_eq!(is_there(&one, &FOUR, &old), round, "another processor");
            assert_eq!(is_there(&one, &FOUR, &older), round, "other features");
        }
    }
}

#[test]
fn what_is_no_code_is_compiled_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let cpu = Cpu::host().expect("LLVM");
    let jit = Jit::new(&cpu).expect("LLVM");
    let cache = Cache::open(folder.path(), 1 << 20).expect("a folder");
    let memory = Memory::new();
    let prepared = image(1, &memory);
    let compile =
        || Kernel::cached(prepared.program(), &FOUR, &cpu, &jit, &Options::default(), &cache).expect("code");
    assert!(!compile().is_from_cache());
    let file = std::fs::read_dir(folder.path()).expect("readable").next().expect("a file").expect("a file");
    let mut bytes = std::fs::read(file.path()).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(file.path(), &bytes).expect("writable");
    let kernel = compile();
    assert!(!kernel.is_from_cache());
    assert_eq!(launch(&kernel, &prepared, &memory), [111, 121, 131, 141]);
    assert!(cache.take_trouble().is_some());
    assert!(compile().is_from_cache());
}

/// The folder that the test below gives to a process of its own.
const FOLDER: &str = "PTX_HOST_TEST_KEPT";

/// The kernel for the processor of this process, and what it leaves.
fn kept(folder: &Path) -> (bool, [u32; 4]) {
    let memory = Memory::new();
    let prepared = image(1000, &memory);
    let compiler = Compiler::host().with_cache(Some(Cache::open(folder, 1 << 20).expect("a folder")));
    let kernel = compiler.kernel(&Kernels::default(), prepared.program(), &FOUR).expect("code");
    prepared.image().reset();
    (kernel.is_from_cache(), launch(&kernel, &prepared, &memory))
}

#[test]
fn a_kernel_that_is_kept_runs_without_llvm() {
    const LEFT: [u32; 4] = [1110, 1120, 1130, 1140];
    if let Some(folder) = std::env::var_os(FOLDER) {
        let is_linked = ptx_llvm_core::is_loaded();
        assert_eq!(kept(Path::new(&folder)), (true, LEFT));
        assert_eq!(ptx_llvm_core::is_loaded(), is_linked || !cfg!(target_arch = "x86_64"));
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(kept(folder.path()), (false, LEFT));
    let program = std::env::current_exe().expect("a program");
    let mut process = Command::new(program);
    process.args(["cache::a_kernel_that_is_kept_runs_without_llvm", "--exact"]).env(FOLDER, folder.path());
    let output = process.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert_eq!(kept(folder.path()), (true, LEFT));
}

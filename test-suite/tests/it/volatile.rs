//! Volatile accesses (manual 8.4.2): each is one volatile instruction, in every state space that can be written, at every level.

use std::path::Path;

use ptx_diag::SourceFile;
use ptx_driver::TargetChoice;
use ptx_isa::{PtxVersion, Sm};
use ptx_llvm_core::Context;
use test_suite::directive::Level;
use test_suite::oracle::{Oracles, nvidia_folder};
use test_suite::stage;

use crate::skipped::skip;

const LEVELS: [Level; 4] = [Level::O0, Level::O1, Level::O2, Level::O3];

/// Types of LLVM IR, with the number of instructions that one access of it takes.
const TYPES: [(&str, usize); 12] = [
    ("i8", 1),
    ("i16", 1),
    ("i32", 1),
    ("i64", 1),
    ("i128", 1),
    ("float", 1),
    ("double", 1),
    ("half", 1),
    ("ptr", 1),
    ("<2 x i32>", 1),
    ("<4 x float>", 1),
    ("<8 x half>", 1),
];

/// Two loads and two stores in local memory, and what is read goes to global memory.
fn local(ty: &str, generic: bool) -> String {
    let (cast, pointer) = match generic {
        true => ("  %q = addrspacecast ptr addrspace(5) %x to ptr\n", "ptr %q"),
        false => ("", "ptr addrspace(5) %x"),
    };
    format!(
        "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr addrspace(1) %o, {ty} %v) {{
  %x = alloca [2 x {ty}], align 16, addrspace(5)
{cast}  store volatile {ty} %v, {pointer}, align 16
  %a = load volatile {ty}, {pointer}, align 16
  %b = load volatile {ty}, {pointer}, align 16
  store volatile {ty} %b, {pointer}, align 16
  store {ty} %a, ptr addrspace(1) %o, align 16
  ret void
}}
"
    )
}

/// The text of a module for a version of PTX.
fn raised(text: &str, level: Level, version: Option<PtxVersion>, sm: Option<Sm>) -> String {
    let context = Context::new().expect("LLVM 22");
    let mut llvm = stage::read_llvm(&context, "m", text).expect("valid text");
    stage::optimize(&mut llvm, level).expect("the passes run");
    let choice = TargetChoice { version, sm };
    let (module, _) = ptx_driver::raise(&mut llvm, choice).expect("PTX");
    let ptx = ptx_ir::print(&module);
    stage::read_and_verify(&SourceFile::new("raised.ptx", ptx.as_str())).expect("valid PTX");
    ptx
}

fn count(ptx: &str, word: &str) -> usize {
    ptx.lines().filter(|line| line.contains(word)).count()
}

#[test]
fn volatile_accesses_of_local_memory_are_kept() {
    for (ty, each) in TYPES {
        for generic in [false, true] {
            let text = local(ty, generic);
            for level in LEVELS {
                for version in [None, Some(PtxVersion::new(8, 0)), Some(PtxVersion::new(9, 1))] {
                    let ptx = raised(&text, level, version, Some(Sm::new(90)));
                    let is_local = version == Some(PtxVersion::new(9, 1));
                    let (load, store) = match is_local {
                        true => ("ld.volatile.local.", "st.volatile.local."),
                        false => ("ld.volatile.", "st.volatile."),
                    };
                    let context = format!("{ty} {} {version:?}: {ptx}", level.as_str());
                    assert_eq!((count(&ptx, load), count(&ptx, store)), (2 * each, 2 * each), "{context}");
                    assert_eq!(
                        count(&ptx, ".volatile.local."),
                        if is_local { 4 * each } else { 0 },
                        "{context}"
                    );
                }
            }
        }
    }
}

#[test]
fn wide_volatile_accesses_are_one_instruction() {
    let ptx = |space: &str, ty: &str| {
        let (elements, scalar) = ty.split_once('.').expect("a vector");
        let registers = if scalar.ends_with("32") { "%r" } else { "%rd" };
        let count: usize = elements.trim_start_matches('v').parse().expect("a number");
        let list: Vec<String> = (0..count).map(|at| format!("{registers}{}", at + 10)).collect();
        let list = list.join(", ");
        format!(
            ".version 8.8\n.target sm_100\n.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {{
  .reg .b64 %rd<30>; .reg .b32 %r<30>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
  ld.volatile{space}.{ty} {{{list}}}, [%rd1];
  st.volatile{space}.{ty} [%rd2], {{{list}}};
  ret;
}}"
        )
    };
    for space in ["", ".global"] {
        for ty in ["v8.b32", "v4.b64", "v8.f32", "v4.f64", "v8.u32", "v4.s64", "v4.b32", "v2.b64"] {
            let text = ptx(space, ty);
            let source = SourceFile::new("wide.ptx", text.as_str());
            let module = stage::read_and_verify(&source).expect("valid PTX");
            for level in LEVELS {
                let context = Context::new().expect("LLVM 22");
                let mut llvm = stage::lower(&module, &source, &context, level).expect("LLVM IR");
                let back = stage::raise(&mut llvm).expect("PTX");
                let found = (count(&back, "ld.volatile"), count(&back, "st.volatile"));
                assert_eq!(found, (1, 1), "{space} {ty} {}: {back}", level.as_str());
            }
        }
    }
}

/// An atomic operation of local memory is a load and a store of one thread, and a volatile one stays.
#[test]
fn volatile_atomic_operations_of_local_memory_are_kept() {
    for operation in [
        "%a = atomicrmw volatile add ptr addrspace(5) %x, i32 %v monotonic",
        "%p = cmpxchg volatile ptr addrspace(5) %x, i32 0, i32 %v monotonic monotonic\n  %a = extractvalue { i32, i1 } %p, 0",
        "%a = load atomic volatile i32, ptr addrspace(5) %x monotonic, align 4\n  store atomic volatile i32 %v, ptr addrspace(5) %x monotonic, align 4",
    ] {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
define ptx_kernel void @k(ptr addrspace(1) %o, i32 %v) {{
  %x = alloca i32, addrspace(5)
  store i32 0, ptr addrspace(5) %x
  {operation}
  store i32 %a, ptr addrspace(1) %o
  ret void
}}
"
        );
        for level in LEVELS {
            let ptx = raised(&text, level, None, Some(Sm::new(90)));
            assert_eq!(
                (count(&ptx, "ld.volatile"), count(&ptx, "st.volatile")),
                (1, 1),
                "{operation}: {ptx}"
            );
        }
    }
}

/// In machine code: without `.volatile` ptxas keeps none of them.
#[test]
fn ptxas_keeps_volatile_accesses_of_local_memory() {
    let oracles = Oracles::find(&nvidia_folder(), Path::new(""));
    if oracles.ptxas.is_none() || oracles.nvdisasm.is_none() {
        return skip("no ptxas or nvdisasm");
    }
    for version in [PtxVersion::new(8, 0), PtxVersion::new(9, 1)] {
        for level in LEVELS {
            let ptx = raised(&local("i32", false), level, Some(version), Some(Sm::new(90)));
            let accesses = |ptx: &str| {
                let listing =
                    oracles.disassemble(&oracles.assemble(ptx).expect("machine code")).expect("a listing");
                let is = |line: &&str, words: [&str; 2]| words.iter().any(|word| line.contains(word));
                let loads = listing.lines().filter(|line| is(line, [" LDL ", " LD.E."])).count();
                let stores = listing.lines().filter(|line| is(line, [" STL ", " ST.E."])).count();
                (loads, stores)
            };
            assert_eq!(accesses(&ptx), (2, 2), "{version} {}: {ptx}", level.as_str());
            let plain = ptx.replace(".volatile", "");
            assert_ne!(accesses(&plain), (2, 2), "the accesses are counted: {plain}");
        }
    }
}

/// Dead store elimination must not put a volatile store of a constant into a wider one before it.
#[test]
fn volatile_stores_of_constants_after_wider_ones_are_kept() {
    for space in [0, 1, 3] {
        let variable = if space == 0 { String::new() } else { format!(" addrspace({space})") };
        let value = if space == 3 { "undef" } else { "zeroinitializer" };
        let text = format!(
            "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@x ={variable} global i64 {value}, align 8
define ptx_kernel void @k() {{
  store i64 1, ptr{variable} @x, align 8
  store volatile i16 -32768, ptr{variable} @x, align 8
  ret void
}}
"
        );
        for level in LEVELS {
            let ptx = raised(&text, level, None, Some(Sm::new(90)));
            assert_eq!(count(&ptx, "st.volatile."), 1, "{}: {ptx}", level.as_str());
        }
    }
}

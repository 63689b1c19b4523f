//! Variables without a stated alignment: LLVM assumes one (`Value::getPointerAlignment`) and forms vectors by it, so that the variable has to be
//! printed with it. `ptxas` places a variable by what is printed, and a GPU refuses accesses that are not aligned.

use ptx_diag::SourceFile;
use ptx_ir::{AddressBase, Operand, Stmt, Symbol};
use ptx_isa::{Opcode, ScalarType};
use ptx_llvm_core::Context;
use test_suite::directive::Level;
use test_suite::stage;

const SPACES: [(&str, u32); 4] = [("shared", 3), ("global", 1), ("constant", 4), ("generic", 0)];
const LINKAGES: [&str; 3] = ["internal", "", "weak"];
/// The element type, in LLVM IR and its bytes.
const ELEMENTS: [(&str, u64); 9] = [
    ("i8", 1),
    ("i16", 2),
    ("i32", 4),
    ("i64", 8),
    ("half", 2),
    ("float", 4),
    ("double", 8),
    ("<2 x half>", 4),
    ("<2 x float>", 8),
];

/// A kernel that reads the first bytes of a variable one element after another, and writes it at places that are not known.
fn module(space: (&str, u32), linkage: &str, element: (&str, u64), count: u64) -> String {
    let (ty, bytes) = element;
    let space = space.1;
    let read = (32 / bytes).min(count);
    let kind = if space == 4 { "constant" } else { "global" };
    let value = if space == 3 { "undef" } else { "zeroinitializer" };
    let pointer = format!("ptr addrspace({space})");
    let loads: String = (0..read)
        .map(|at| {
            format!(
                "  %v{at} = load {ty}, {pointer} getelementptr (i8, {pointer} @x, i64 {offset}), align {bytes}
  %o{at} = getelementptr i8, ptr addrspace(1) %o, i64 {offset}
  store {ty} %v{at}, ptr addrspace(1) %o{at}, align {bytes}
",
                offset = at * bytes,
            )
        })
        .collect();
    let store = match space {
        4 => String::new(),
        _ => format!(
            "  %p = getelementptr {ty}, {pointer} @x, i64 %i\n  store {ty} %n, {pointer} %p, align {bytes}\n"
        ),
    };
    format!(
        "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@x = {linkage} addrspace({space}) {kind} [{count} x {ty}] {value}
define ptx_kernel void @k(ptr addrspace(1) noalias align 32 %o, {ty} %n, i64 %i) {{
{store}  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{loads}  ret void
}}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
"
    )
}

/// The accesses of variables that are not aligned as the variable is declared, and how many vector accesses there are.
fn misaligned(ptx: &str) -> (Vec<String>, usize) {
    let module = stage::read(&SourceFile::new("raised.ptx", ptx)).expect("PTX");
    let (mut wrong, mut vectors) = (Vec::new(), 0);
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for statement in &body.statements {
            let Stmt::Inst(inst) = statement else { continue };
            if !matches!(inst.mnemonic.opcode(), Opcode::Ld | Opcode::St) {
                continue;
            }
            let mut elements = 1;
            let mut address = None;
            for operand in body.operands(inst) {
                match operand {
                    Operand::Vector(list) => elements = body.list(*list).len(),
                    Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), offset) => {
                        address = Some((*id, *offset));
                    }
                    _ => {}
                }
            }
            let Some((id, offset)) = address else { continue };
            let variable = module.variable(id);
            if module.name(variable.name) != "x" {
                continue;
            }
            let element = inst.mnemonic.scalar_type().map_or(1, |ty| u64::from(ty.bits()) / 8);
            let bytes = element * elements as u64;
            let natural = variable.scalar_type().map_or(1, |ty: ScalarType| ty.bits() / 8);
            let align = u64::from(variable.align.unwrap_or(natural));
            vectors += usize::from(elements > 1);
            if align < bytes || !(offset as u64).is_multiple_of(bytes) {
                wrong.push(format!("{bytes} bytes at {offset} of a variable aligned to {align}"));
            }
        }
    }
    (wrong, vectors)
}

/// The PTX of a module that LLVM optimizes at a level, here or before the project sees it.
fn raised(text: &str, level: Level, before: bool) -> String {
    let context = Context::new().expect("LLVM 22");
    let mut llvm = stage::read_llvm(&context, "m", text).expect("valid text");
    stage::optimize(&mut llvm, level).expect("the passes run");
    if before {
        let text = llvm.to_text();
        let mut again = stage::read_llvm(&context, "m", &text).expect("valid text");
        return stage::raise(&mut again).expect("PTX");
    }
    stage::raise(&mut llvm).expect("PTX")
}

#[test]
fn vectors_that_llvm_forms_are_aligned() {
    let mut texts = Vec::new();
    for space in SPACES {
        for linkage in LINKAGES.into_iter().filter(|linkage| space.0 != "shared" || *linkage == "internal") {
            for element in ELEMENTS {
                texts.extend([3, 6, 17, 40].map(|count| module(space, linkage, element, count)));
            }
        }
    }
    let mut vectors = 0;
    for text in testing::sample_of_test("variables without an alignment", texts, 80) {
        for level in [Level::O0, Level::O1, Level::O2, Level::O3] {
            for before in [false, true] {
                let ptx = raised(&text, level, before);
                let (wrong, formed) = misaligned(&ptx);
                assert!(wrong.is_empty(), "{} {wrong:?}: {text}\n{ptx}", level.as_str());
                vectors += formed;
            }
        }
    }
    assert!(vectors > 20, "LLVM formed {vectors} vectors");
}

#[test]
fn the_alignment_is_what_llvm_assumes() {
    // Data layout, LangRef: arrays and structures over 128 bits are placed at multiples of 16 if they are defined here, and of what their type
    // requires otherwise; a structure is preferred at multiples of 8.
    for (variable, align) in [
        ("@x = internal addrspace(1) global [3 x i8] zeroinitializer", 1),
        ("@x = internal addrspace(1) global [17 x i8] zeroinitializer", 16),
        ("@x = internal addrspace(1) global [4 x float] zeroinitializer", 4),
        ("@x = internal addrspace(1) global [5 x float] zeroinitializer", 16),
        ("@x = weak addrspace(1) global [5 x float] zeroinitializer", 4),
        ("@x = common addrspace(1) global [5 x float] zeroinitializer", 4),
        ("@x = linkonce_odr addrspace(1) global [5 x double] zeroinitializer", 8),
        ("@x = internal addrspace(1) global [5 x float] zeroinitializer, align 4", 4),
        ("@x = external addrspace(1) global [5 x double]", 8),
        ("@x = external addrspace(3) global [0 x double]", 8),
        ("@x = internal addrspace(1) global { i8, i8, i8 } zeroinitializer", 8),
        ("@x = internal addrspace(1) global <4 x float> zeroinitializer", 16),
        ("@x = internal addrspace(1) global <8 x float> zeroinitializer", 32),
    ] {
        let text = format!(
            "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
{variable}
define void @f(i64 %i) {{
  %p = getelementptr i8, ptr addrspace({space}) @x, i64 %i
  store i8 1, ptr addrspace({space}) %p
  ret void
}}
",
            space = if variable.contains("addrspace(3)") { 3 } else { 1 },
        );
        let ptx = raised(&text, Level::O0, false);
        let line = ptx
            .lines()
            .find(|line| line.contains(" x[") || line.contains(" x;") || line.contains(" x ="))
            .expect("the variable");
        assert!(line.contains(&format!(".align {align} ")), "{variable}: {line}");
    }
}

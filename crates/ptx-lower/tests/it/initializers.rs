//! Parts of addresses as initial values (manual 5.4.4). `ptxas` generates a relocation of one byte at the element's address for each,
//! with its other bytes zero; it accepts them only for `.u8`, `.u32` and `.u64`.

use ptx_diag::SourceFile;
use ptx_llvm_core::Context;

/// The line of LLVM IR that defines the variable `p` of some declarations.
fn variable(declarations: &str) -> String {
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{declarations}\n");
    let (module, findings) = ptx_syntax::parse(&SourceFile::new("test.ptx", text.as_str()));
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    let context = Context::new().expect("LLVM 22");
    let lowered = ptx_lower::lower(&verified, &context).unwrap_or_else(|findings| panic!("{findings:?}"));
    lowered.verify().expect("LLVM's verifier accepts it");
    let text = lowered.to_text();
    let line = text.lines().find(|line| line.starts_with("@p = ")).unwrap_or_else(|| panic!("{text}"));
    line.to_owned()
}

/// A byte of an integer as LLVM writes it.
fn byte(of: &str, index: u32) -> String {
    format!("i8 extractelement (<8 x i8> bitcast (i64 {of} to <8 x i8>), i32 {index})")
}

const X: &str = "ptrtoint (ptr addrspace(1) @x to i64)";
const GENERIC: &str = "ptrtoint (ptr addrspacecast (ptr addrspace(1) @x to ptr) to i64)";
const LATER: &str = "ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @x, i64 8) to i64)";

#[test]
fn bytes_of_addresses_stand_in_any_order() {
    let line = variable(
        ".visible .global .u32 x[4]; .visible .global .u8 p[6] = {0xFF00(x), 7, 0xFF(generic(x)), 0xFF(x), 0xFF0000(x+8)};",
    );
    let bytes = [byte(X, 1), "i8 7".into(), byte(GENERIC, 0), byte(X, 0), byte(LATER, 2), "i8 0".into()];
    let values = bytes.join(", ");
    assert_eq!(line, format!("@p = addrspace(1) externally_initialized global [6 x i8] [{values}], align 1"));
}

#[test]
fn eight_bytes_in_order_are_an_address() {
    let masks: Vec<String> =
        (0..8).map(|at| format!("{:#X}(x)", 0xFFu64 << (8 * at)).replace("0X", "0x")).collect();
    let line = variable(&format!(
        ".visible .global .u32 x; .visible .global .u8 p[10] = {{5, {}}};",
        masks.join(", ")
    ));
    assert!(
        line.contains(&format!("<{{ [1 x i8] c\"\\05\", i64 {X}, [1 x i8] zeroinitializer }}>")),
        "{line}"
    );
    let line = variable(&format!(
        ".visible .global .u32 x; .visible .global .u8 p[9] = {{0xFF(x), {}}};",
        masks.join(", ")
    ));
    let bytes: Vec<String> = [0, 0, 1, 2, 3, 4, 5, 6, 7].map(|index| byte(X, index)).to_vec();
    assert!(line.contains(&format!("[9 x i8] [{}]", bytes.join(", "))), "{line}");
}

#[test]
fn wider_elements_hold_one_byte_of_an_address() {
    let word = |index: u32| format!("i32 bitcast (<4 x i8> <{}, i8 0, i8 0, i8 0> to i32)", byte(X, index));
    let line = variable(".visible .global .u32 x; .visible .global .u32 p[2] = {0xFF000000(x), 0xFFFFFFFF};");
    assert!(line.contains(&format!("[2 x i32] [{}, i32 -1]", word(3))), "{line}");
    let line = variable(".visible .global .u32 x; .visible .const .u32 p = 0xFF00(x);");
    assert!(line.contains(&format!("addrspace(4) externally_initialized constant {}", word(1))), "{line}");
    let line = variable(".visible .global .u32 x; .visible .global .u64 p[2] = {0xFF00(x), x};");
    let zeros = ", i8 0".repeat(7);
    let wanted = format!("[i64 bitcast (<8 x i8> <{}{zeros}> to i64), i64 {X}]", byte(X, 1));
    assert!(line.contains(&wanted), "{line}");
}

#[test]
fn vectors_arrays_of_arrays_and_functions_have_parts_too() {
    let line = variable(".visible .global .u32 x; .visible .global .v2 .u8 p = {1, 0xFF00(x)};");
    assert!(line.contains(&format!("[2 x i8] [i8 1, {}]", byte(X, 1))), "{line}");
    let line = variable(".visible .global .u32 x; .visible .global .u8 p[2][1] = {{2}, {0xFF00(x)}};");
    assert!(line.contains(&format!("[[1 x i8] c\"\\02\", [1 x i8] [{}]]", byte(X, 1))), "{line}");
    let line = variable(".visible .func f() { ret; } .visible .global .u8 p[1] = {0xFF00(f)};");
    assert!(line.contains(&format!("[1 x i8] [{}]", byte("ptrtoint (ptr @f to i64)", 1))), "{line}");
}

use ptx_llvm_core::{Context, Module};

use super::choose_addresses;

const HEAD: &str = "
target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@a = internal addrspace(3) global [4 x i32] undef
@b = internal addrspace(3) global [8 x i32] undef
";

fn chosen(text: &str) -> String {
    let context = Context::new().expect("LLVM 22");
    let mut module = Module::parse(&context, "m", format!("{HEAD}{text}").as_bytes()).expect("valid text");
    choose_addresses(&mut module).expect("runs");
    module.verify().expect("a valid module");
    module.to_text()
}

#[test]
fn loads_of_shared_addresses_become_choices() {
    let text = chosen(
            "@t = private constant [3 x ptr addrspace(3)] [ptr addrspace(3) @a, ptr addrspace(3) @b, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @b, i64 16)]
define ptr addrspace(3) @f(i64 %i) {
  %p = getelementptr inbounds ptr addrspace(3), ptr @t, i64 %i
  %v = load ptr addrspace(3), ptr %p
  ret ptr addrspace(3) %v
}
define ptr addrspace(3) @g() {
  %v = load ptr addrspace(3), ptr getelementptr (i8, ptr @t, i64 8)
  ret ptr addrspace(3) %v
}",
        );
    assert!(!text.contains("@t"), "{text}");
    assert_eq!(text.matches("select").count(), 2, "{text}");
    assert!(text.contains("ret ptr addrspace(3) @b"), "a constant offset: {text}");
}

#[test]
fn tables_of_records_are_chosen_by_field() {
    let text = chosen(
            "@t = internal unnamed_addr addrspace(4) constant [2 x { i32, ptr }] [{ i32, ptr } { i32 5, ptr addrspacecast (ptr addrspace(3) @a to ptr) }, { i32, ptr } { i32 6, ptr addrspacecast (ptr addrspace(3) @b to ptr) }]
define ptr @f(i32 %i) {
  %p = getelementptr [2 x { i32, ptr }], ptr addrspacecast (ptr addrspace(4) @t to ptr), i64 0, i32 %i, i32 1
  %v = load ptr, ptr %p
  ret ptr %v
}
define i32 @g(i32 %i) {
  %p = getelementptr [2 x { i32, ptr }], ptr addrspace(4) @t, i64 0, i32 %i
  %q = getelementptr { i32, ptr }, ptr addrspace(4) %p, i64 0, i32 0
  %v = load i32, ptr addrspace(4) %q
  ret i32 %v
}",
        );
    assert!(!text.contains("@t"), "{text}");
    assert!(text.contains("select i1 %") && text.contains("i32 5, i32 6"), "{text}");
}

#[test]
fn large_tables_are_chosen_from_by_a_function() {
    let entries: Vec<String> = (0..40)
        .map(|n| format!("ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @a, i64 {n})"))
        .collect();
    let text = chosen(&format!(
        "@t = private constant [40 x ptr addrspace(3)] [{}]
define void @f(i64 %i, i64 %j, ptr %o) {{
  %p = getelementptr ptr addrspace(3), ptr @t, i64 %i
  %v = load ptr addrspace(3), ptr %p
  store ptr addrspace(3) %v, ptr %o
  %q = getelementptr ptr addrspace(3), ptr @t, i64 %j
  %w = load ptr addrspace(3), ptr %q
  store ptr addrspace(3) %w, ptr %o
  ret void
}}",
        entries.join(", ")
    ));
    assert_eq!(text.matches("call ptr addrspace(3) @t.at(").count(), 2, "{text}");
    assert_eq!(text.matches("select").count(), 39, "{text}");
}

#[test]
fn tables_that_are_not_only_loaded_from_stay() {
    for other in
        ["store ptr @t, ptr %o", "%v = load volatile ptr addrspace(3), ptr @t", "%v = load i64, ptr @t"]
    {
        let text = chosen(&format!(
            "@t = private constant [1 x ptr addrspace(3)] [ptr addrspace(3) @a]\ndefine void @f(ptr %o) {{\n  {other}\n  ret void\n}}"
        ));
        assert!(text.contains("@t = private"), "{text}");
    }
    // What PTX can initialize stays, too.
    let text = chosen(
        "@g = internal addrspace(1) global i32 0
@t = private constant [1 x ptr addrspace(1)] [ptr addrspace(1) @g]
define ptr addrspace(1) @f(i64 %i) {
  %p = getelementptr ptr addrspace(1), ptr @t, i64 %i
  %v = load ptr addrspace(1), ptr %p
  ret ptr addrspace(1) %v
}",
    );
    assert!(text.contains("@t = private") && !text.contains("select"), "{text}");
}

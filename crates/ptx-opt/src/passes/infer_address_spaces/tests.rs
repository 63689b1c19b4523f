use ptx_llvm_core::{Context, Gpu, Machine, Module, OptLevel, Tuning};

use super::infer_address_spaces;

const VARIABLES: &str = "
target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@s = internal addrspace(3) global [4 x i32] undef
@g = internal global [4 x i32] zeroinitializer
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
";
const S: &str = "addrspacecast (ptr addrspace(3) @s to ptr)";

fn inferred(function: &str) -> (String, String) {
    let context = Context::new().expect("LLVM 22");
    let text = format!("{VARIABLES}{function}");
    let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
    let before = module.to_text();
    let machine = Machine::new(&Gpu::default(), OptLevel::O2).expect("the default machine");
    infer_address_spaces(&mut module, &machine, Tuning::Source).expect("runs");
    module.verify().expect("valid afterwards");
    (before, module.to_text())
}

#[test]
fn constants_are_of_no_space() {
    let number = "inttoptr (i64 ptrtoint (ptr @g to i64) to ptr)";
    for other in [
        "null",
        "inttoptr (i64 4096 to ptr)",
        number,
        "@g",
        "getelementptr (i8, ptr @g, i64 4)",
        "getelementptr (i8, ptr inttoptr (i64 4096 to ptr), i64 4)",
    ] {
        let load = "%v = load i32, ptr %p\nret i32 %v\n}\n";
        let select = format!("%p = select i1 %c, ptr {S}, ptr {other}\n{load}");
        let phi = format!(
            "br i1 %c, label %a, label %b\na:\nbr label %b\nb:\n%p = phi ptr [ {S}, %0 ], [ {other}, %a ]\n{load}"
        );
        let step = format!(
            "%q = getelementptr i32, ptr {other}, i64 %k\n%p = select i1 %c, ptr {S}, ptr %q\n{load}"
        );
        let mask = format!(
            "%q = call ptr @llvm.ptrmask.p0.i64(ptr {other}, i64 %k)\n%p = select i1 %c, ptr {S}, ptr %q\n{load}"
        );
        let cast = format!(
            "%q = inttoptr i64 ptrtoint (ptr {other} to i64) to ptr\n%p = select i1 %c, ptr {S}, ptr %q\n{load}"
        );
        for body in [select, phi, step, mask, cast] {
            let (before, after) = inferred(&format!("define i32 @f(i1 %c, i64 %k) {{\n{body}"));
            assert_eq!(before, after);
        }
        let (_, after) = inferred(&format!(
            "define i1 @f(ptr addrspace(3) %q) {{\n%p = addrspacecast ptr addrspace(3) %q to ptr\nstore i32 1, ptr %p\n%e = icmp eq ptr %p, {other}\nret i1 %e\n}}\n"
        ));
        assert!(
            after.contains("store i32 1, ptr addrspace(3)")
                && after.contains(&format!("icmp eq ptr %p, {other}")),
            "{after}"
        );
    }
}

#[test]
fn steps_that_are_expressions_stay() {
    let generic = format!("i64 ptrtoint (ptr {S} to i64)");
    let halves = format!("<2 x i32> bitcast ({generic} to <2 x i32>)");
    let word = format!("i32 extractelement ({halves}, i32 0)");
    for index in [
        format!("i64 sub ({generic}, i64 ptrtoint (ptr @g to i64))"),
        format!("i64 bitcast (<2 x i32> <{word}, i32 0> to i64)"),
    ] {
        let place = format!("ptr getelementptr (i8, ptr {S}, {index})");
        let place_after = format!("ptr getelementptr (i8, {place}, i64 4)");
        let in_shared = format!("ptr addrspace(3) addrspacecast ({place} to ptr addrspace(3))");
        for body in [
            format!("%v = load i32, {place}\nret i32 %v"),
            format!("store i32 1, {place_after}\nret i32 0"),
            format!("%e = icmp eq {place}, {S}\n%v = zext i1 %e to i32\nret i32 %v"),
            format!("call void @llvm.memset.p0.i64({place}, i8 1, i64 4, i1 false)\nret i32 0"),
            format!("%v = load i32, {in_shared}\nret i32 %v"),
            format!("store i32 1, ptr addrspace(3) getelementptr (i8, {in_shared}, i64 4)\nret i32 0"),
        ] {
            let (before, after) = inferred(&format!("define i32 @f() {{\n{body}\n}}\n"));
            assert_eq!(before, after);
        }
    }
}

#[test]
fn known_spaces_are_inferred() {
    let cases = [
            // Two addresses of one space, and steps from them.
            (
                format!("i1 %c, i64 %k) {{\n%q = getelementptr i8, ptr {S}, i64 %k\n%p = select i1 %c, ptr %q, ptr getelementptr (i8, ptr {S}, i64 4)"),
                3,
            ),
            // Null beside global memory.
            (
                "i1 %c, ptr addrspace(1) %q) {\n%g = addrspacecast ptr addrspace(1) %q to ptr\n%p = select i1 %c, ptr %g, ptr null".to_owned(),
                1,
            ),
            // Nothing at all beside shared memory.
            (format!("i1 %c) {{\n%p = select i1 %c, ptr {S}, ptr poison"), 3),
        ];
    for (function, space) in cases {
        let (_, after) =
            inferred(&format!("define i32 @f({function}\n%v = load i32, ptr %p\nret i32 %v\n}}\n"));
        assert!(after.contains(&format!("load i32, ptr addrspace({space}) %p")), "{after}");
    }
}

#[test]
fn null_among_addresses_of_several_spaces_is_of_none() {
    // In a loop, and by way of another choice.
    let (before, after) = inferred(
        "define i32 @f(i1 %c, ptr addrspace(3) %s) {
  %g = addrspacecast ptr addrspace(3) %s to ptr
  br label %head
head:
  %p = phi ptr [ null, %0 ], [ %q, %head ]
  %q = select i1 %c, ptr %p, ptr %g
  %v = load volatile i32, ptr %q
  br i1 %c, label %head, label %end
end:
  ret i32 %v
}
",
    );
    assert_eq!(before, after);
}

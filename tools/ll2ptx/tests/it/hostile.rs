//! Hostile LLVM IR: for any contents, ll2ptx prints PTX or diagnostics, never incomplete PTX, and it never crashes.
//!
//! The name of an input describes its fault or peculiarity. The tests do not check which inputs can be translated, but that
//! the tool exits regularly for each, with LLVM's reader, its optimizer and both engines.

use std::fmt::Write as _;
use std::fs;

use assert_cmd::Command;
use ptx_diag::SourceFile;
use ptx_driver::{llvm_context, read_llvm};

const HEAD: &str = "target triple = \"nvptx64-nvidia-cuda\"\n";

const MODULE: &str = r#"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @store(ptr addrspace(1) %p, i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %yes, label %no
yes:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 7, ptr addrspace(1) %q, align 4
  br label %no
no:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx80" }
"#;

/// A function with this body, and a pointer, numbers and a condition to work with.
fn body(text: &str) -> String {
    format!("define void @f(ptr %p, i64 %a, i32 %b, double %d, i1 %c) {{\n{text}\nret void\n}}\n")
}

/// Lines made from their numbers.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut all, at| {
        let _ = writeln!(all, "{}", line(at));
        all
    })
}

/// The operand of link `at` of a chain that begins with `first`, which is a name such as `%p`.
fn link(at: usize, first: &str) -> String {
    if at == 0 { first.to_owned() } else { format!("%v{}", at - 1) }
}

fn large() -> Vec<(&'static str, String)> {
    let sum = lines(20_000, |at| format!("%v{at} = add i64 {}, %a", link(at, "%a")));
    let geps = lines(3_000, |at| format!("%v{at} = getelementptr i8, ptr {}, i64 %a", link(at, "%p")));
    let blocks = lines(50_000, |at| format!("br label %b{at}\nb{at}:"));
    let opens = lines(500, |at| format!("br label %b{at}\nb{at}:"));
    let closes = lines(499, |at| format!("l{at}:\nbr i1 %c, label %l{}, label %b{}", at + 1, 499 - at));
    let cases = lines(20_000, |at| format!("i64 {}, label %d", at * at));
    let types = lines(2_000, |at| format!("%t{} = type {{ %t{at} }}", at + 1));
    let doubled = lines(63, |at| format!("%t{} = type {{ %t{at}, %t{at} }}", at + 1));
    let chain = lines(20_000, |at| format!("!{at} = !{{!{}}}", at + 1));
    let aliases = lines(500, |at| format!("@a{} = alias void (), ptr @a{at}", at + 1));
    let calls = lines(2_000, |at| {
        let next = (at + 1) % 2_000;
        format!("define void @f{at}() {{\ncall void @f{next}()\nret void\n}}")
    });
    let nested =
        |open: &str, inner: &str, close: &str, times| open.repeat(times) + inner + &close.repeat(times);
    vec![
        ("a long chain of sums", body(&format!("{sum}store i64 %v19999, ptr %p"))),
        ("a long chain of addresses", body(&format!("{geps}store i64 1, ptr %v2999"))),
        ("many blocks", body(&blocks)),
        ("deeply nested loops", body(&format!("{opens}br i1 %c, label %l0, label %b499\n{closes}l499:"))),
        ("many cases", body(&format!("switch i64 %a, label %d [\n{cases}]\nd:"))),
        ("a long chain of types", format!("%t0 = type {{ i32 }}\n{types}@g = global %t2000 zeroinitializer")),
        (
            "a type larger than memory",
            format!("%t0 = type {{ i32 }}\n{doubled}@g = global %t63 zeroinitializer"),
        ),
        ("a long chain of metadata", format!("!n = !{{!0}}\n{chain}!20000 = !{{}}")),
        ("a long chain of aliases", format!("define void @a0() {{\nret void\n}}\n{aliases}")),
        ("a cycle of calls", calls),
        (
            "a deep constant expression",
            format!("@g = global i64 {}", nested("add (i64 ptrtoint (ptr @g to i64), i64 ", "1", ")", 2_000)),
        ),
        (
            "a constant expression too deep to read",
            format!("@g = global i64 {}", nested("add (i64 1, i64 ", "1", ")", 50_000)),
        ),
        ("a deep array", format!("@g = external global {}", nested("[2 x ", "i8", "]", 300))),
        (
            "deep braces in assembly",
            body(&format!("call void asm \"{}\", \"\"()", nested("{", "", "}", 20_000))),
        ),
        ("a wide vector", body("%x = load <4096 x i32>, ptr %p\nstore <4096 x i32> %x, ptr %p")),
        ("a wide integer", body("%x = load i65536, ptr %p\n%y = add i65536 %x, 1\nstore i65536 %y, ptr %p")),
        ("a large array as a value", body("%x = load [4096 x i32], ptr %p\nstore [4096 x i32] %x, ptr %p")),
        (
            "an array larger than memory",
            "@g = addrspace(1) global [18446744073709551615 x i64] zeroinitializer".into(),
        ),
        (
            "an array larger than memory on the stack",
            body("%x = alloca [4611686018427387904 x i64]\nstore ptr %x, ptr %p"),
        ),
    ]
}

fn strange() -> Vec<(&'static str, String)> {
    let asm = |text: &str, constraints: &str| {
        body(&format!("call void asm sideeffect \"{text}\", \"{constraints}\"(i32 %b)"))
    };
    let space = |number: u32| {
        format!(
            "@g = addrspace({number}) global i32 5\ndefine void @f(ptr addrspace({number}) %p) {{\nstore i32 1, ptr addrspace({number}) %p\nret void\n}}"
        )
    };
    vec![
        ("a type that contains itself", "%t = type { %u }\n%u = type { %t }\n@g = external global %t".into()),
        ("a variable of an opaque type", "%t = type opaque\n@g = global %t zeroinitializer".into()),
        ("a cycle of aliases", "@a = alias i32, ptr @b\n@b = alias i32, ptr @a".into()),
        ("a function found at run time", "define ptr @r() {\nret ptr null\n}\n@i = ifunc void (), ptr @r".into()),
        ("an address space that is nowhere", space(42)),
        ("the largest address space", space(16_777_215)),
        ("tensor memory as variables", space(6)),
        ("a cast between disjoint spaces", body("%l = alloca i32\n%q = addrspacecast ptr %l to ptr addrspace(3)\n%r = addrspacecast ptr addrspace(3) %q to ptr addrspace(1)\nstore i32 1, ptr addrspace(1) %r")),
        ("a register that is not a GPU's", asm("mov.u32 %r0, $0;", "{eax}")),
        ("a constraint that is not a GPU's", asm("foo $0", "x")),
        ("a constraint that is not a constraint", asm("foo $0", "!!")),
        ("an immediate that is none", asm("foo $0", "i")),
        ("an operand of assembly that is nowhere", asm("foo $7", "r")),
        ("assembly that ends in a dollar", asm("foo $", "r")),
        ("assembly that ends in a brace", asm("{ .reg .b32 %x; ", "r")),
        ("assembly that ends in an operand", asm("foo ${0:", "r")),
        ("a modifier of an operand that is nowhere", asm("foo ${0:Z}", "r")),
        ("variants of assembly", asm("$(a$|b$)", "r")),
        ("assembly with unbalanced strings", asm("foo \\22 $0;", "r")),
        ("a number twice as wide as its register", body("%r = call i64 asm \"mov.u32 $0, $1;\", \"=r,r\"(i32 %b)\nstore i64 %r, ptr %p")),
        ("a tie between different widths", body("%r = call i32 asm \"foo $0;\", \"=r,0\"(i64 %a)\nstore i32 %r, ptr %p")),
        ("a vector in a register", body("%r = call <4 x i32> asm \"foo $0;\", \"=r\"()\nstore <4 x i32> %r, ptr %p")),
        ("assembly of the module", "module asm \"}{ .foo\"".into()),
        ("an intrinsic that is nowhere", format!("{}declare i32 @llvm.nvvm.does.not.exist(i32)", body("%r = call i32 @llvm.nvvm.does.not.exist(i32 %b)"))),
        ("an intrinsic with another signature", format!("{}declare i64 @llvm.nvvm.read.ptx.sreg.tid.x(i64)", body("%r = call i64 @llvm.nvvm.read.ptx.sreg.tid.x(i64 %a)"))),
        ("an intrinsic with another mangling", format!("{}declare float @llvm.nvvm.ldu.global.f.f32.p1(ptr, i32)", body("%r = call float @llvm.nvvm.ldu.global.f.f32.p1(ptr %p, i32 4)"))),
        ("an intrinsic of another processor", format!("{}declare void @llvm.x86.sse2.pause()", body("call void @llvm.x86.sse2.pause()"))),
        ("an intrinsic that takes metadata", format!("{}declare void @llvm.foo(metadata)", body("call void @llvm.foo(metadata i32 5)"))),
        ("a trampoline", format!("{}declare void @llvm.init.trampoline(ptr, ptr, ptr)\ndeclare void @g(ptr nest)", body("call void @llvm.init.trampoline(ptr %p, ptr @g, ptr %p)"))),
        ("a coroutine", format!("{}declare token @llvm.coro.id(i32, ptr, ptr, ptr)\ndeclare ptr @llvm.coro.begin(token, ptr)", body("%i = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n%h = call ptr @llvm.coro.begin(token %i, ptr null)"))),
        ("a stack map", format!("{}declare void @llvm.experimental.stackmap(i64, i32, ...)", body("call void (i64, i32, ...) @llvm.experimental.stackmap(i64 0, i32 0, i32 %b)"))),
        ("an exception", "define void @f() personality ptr @__gxx_personality_v0 {\ninvoke void @g() to label %n unwind label %u\nn:\nret void\nu:\n%l = landingpad { ptr, i32 } cleanup\nresume { ptr, i32 } %l\n}\ndeclare void @g()\ndeclare i32 @__gxx_personality_v0(...)".into()),
        ("a branch out of assembly", body("callbr void asm \"\", \"!i\"() to label %n [label %u]\nn:\nret void\nu:")),
        ("a branch to an address", body("%q = select i1 %c, ptr blockaddress(@f, %n), ptr blockaddress(@f, %m)\nindirectbr ptr %q, [label %n, label %m]\nn:\nret void\nm:")),
        ("a call of nothing", body("call void null()")),
        ("a call of a number", body("call void inttoptr (i64 64 to ptr)()")),
        ("a call as another type", format!("{}declare void @g(float)", body("%r = call i64 @g(i64 %a)"))),
        ("a call with arguments of its own", format!("{}declare void @g(...)", body("call void (...) @g(i32 1, { i32, i64 } { i32 1, i64 2 }, <3 x i7> zeroinitializer)"))),
        ("a collector of garbage that is nowhere", "define void @f() gc \"nosuch\" {\nret void\n}".into()),
        ("a calling convention of another processor", "define x86_intrcc void @f(ptr byval(i32) %p) {\nret void\n}".into()),
        ("a variable of a thread", format!("@t = thread_local global i32 0\n{}", body("store i32 1, ptr @t"))),
        ("a floating-point type of another processor", body("%x = load x86_fp80, ptr %p\n%y = fadd x86_fp80 %x, %x\nstore x86_fp80 %y, ptr %p")),
        ("a vector without a length", body("%x = load <vscale x 4 x i32>, ptr %p\nstore <vscale x 4 x i32> %x, ptr %p")),
        ("constructors that are none", "@llvm.global_ctors = appending global [1 x i32] [i32 1]".into()),
        ("annotations of nothing", "!nvvm.annotations = !{!0, !1}\n!0 = !{null, !\"kernel\", i32 1}\n!1 = !{}".into()),
        ("attributes that are not numbers", "define ptx_kernel void @f() \"nvvm.maxntid\"=\"a,b\" \"nvvm.maxnreg\"=\"99999999999999\" \"nvvm.cluster_dim\"=\"0\" {\nret void\n}".into()),
        ("a processor of another maker", "define void @f() \"target-cpu\"=\"i386\" \"target-features\"=\"+avx,+ptx999\" {\nret void\n}".into()),
        ("flags of the module that clash", "!llvm.module.flags = !{!0, !1}\n!0 = !{i32 1, !\"wchar_size\", i32 4}\n!1 = !{i32 1, !\"wchar_size\", i32 8}".into()),
        ("flags of the module that are none", "!llvm.module.flags = !{!0}\n!0 = !{i32 99, !\"x\"}".into()),
        ("a data layout that is none", "target datalayout = \"garbage\"".into()),
        ("a data layout with an odd alignment", "target datalayout = \"e-p:64:63\"".into()),
        ("a data layout with other pointers", format!("target datalayout = \"e-p1:16:16-ni:1-G7-A9\"\n{}", body("store i32 1, ptr %p"))),
        ("metadata that contains itself", "!n = !{!0}\n!0 = !{!1}\n!1 = !{!0}".into()),
        ("names that are none in PTX", "@\"a b\" = global i32 0\n@\"\\00\" = global i32 0\n@\"\\FF\\FE\" = global i32 0\n@\".reg\" = global i32 0".into()),
        ("a zero byte in the text", "@a = global i32 0\n\0\n".into()),
        ("initial values that only a linker knows", "@a = global i64 sub (i64 ptrtoint (ptr @b to i64), i64 ptrtoint (ptr @a to i64))\n@b = global i32 trunc (i64 ptrtoint (ptr @a to i64) to i32)".into()),
        ("blocks that only reach each other", body("ret void\nl:\n%v = add i32 %w, 1\n%w = add i32 %v, 1\nbr label %l\ne:")),
        ("text that breaks off", "define void @f(".into()),
        ("no text", String::new()),
    ]
}

/// Runs the tool and checks that it exits regularly.
fn ends_in_order(name: &str, arguments: &[&str], input: &[u8]) {
    let mut command = Command::cargo_bin("ll2ptx").expect("built with the tests");
    let output = command.args(arguments).write_stdin(input).output().expect("runs");
    let err = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(
            output.stdout.starts_with(b".version") || output.stdout.starts_with(b"//"),
            "{name} {arguments:?}"
        ),
        Some(1) => {
            assert!(err.contains("error[") && output.stdout.is_empty(), "{name} {arguments:?}: {err}");
        }
        status => panic!("{name} {arguments:?}: {status:?}: {err}"),
    }
}

const WAYS: [&[&str]; 3] = [&[], &["-O2"], &["--engine=llvm"]];

#[test]
fn strange_text_gives_ptx_or_findings() {
    for (name, text) in strange() {
        // A layout is a whole module; all other texts are for this target.
        let text = if text.starts_with("target") { text } else { format!("{HEAD}{text}\n") };
        WAYS.iter().for_each(|way| ends_in_order(name, way, text.as_bytes()));
    }
}

#[test]
fn large_text_gives_ptx_or_findings() {
    for (name, text) in large() {
        ends_in_order(name, &[], format!("{HEAD}{text}\n").as_bytes());
    }
}

#[test]
fn bitcode_with_any_byte_changed_gives_ptx_or_findings() {
    let source = SourceFile::new("m.ll", MODULE);
    let context = llvm_context(&source).expect("LLVM 22");
    let whole = read_llvm(&context, &source).expect("valid").0.to_bitcode();
    ends_in_order("whole", &[], &whole);
    for at in (4..whole.len()).step_by(23) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        ends_in_order(&format!("byte {at} changed"), &[], &changed);
        ends_in_order(&format!("broken off at {at}"), &[], &whole[..at]);
    }
}

#[test]
fn crash_of_llvm_is_a_finding_and_leaves_the_output_file() {
    // LLVM 22's backend takes `llvm.init.trampoline` for possible on every processor and runs into unreachable code.
    let text = "define void @f(ptr %p) {\ncall void @llvm.init.trampoline(ptr %p, ptr @g, ptr %p)\nret void\n}\ndeclare void @llvm.init.trampoline(ptr, ptr, ptr)\ndeclare void @g(ptr nest)\n";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("out.ptx");
    fs::write(&path, "precious").expect("writable");
    let mut command = Command::cargo_bin("ll2ptx").expect("built with the tests");
    let path_text = path.to_str().expect("UTF-8");
    let output = command
        .args(["--engine=llvm", "--error-format=json", "-o", path_text])
        .write_stdin(format!("{HEAD}{text}"))
        .output()
        .expect("runs");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains(r#""code":"T0005""#) && err.contains("it crashed (SIG"), "{err}");
    assert_eq!(err.lines().count(), 1, "one finding, and it is whole");
    assert_eq!(fs::read_to_string(&path).expect("there"), "precious");
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "no temporary file is left");
}

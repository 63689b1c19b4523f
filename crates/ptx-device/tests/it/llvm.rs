//! Modules in LLVM IR. What is expected follows from the functions, which are a few lines each.

use ptx_device::{Device, DeviceError, Module, Shape};

const TRIPLE: &str = "target triple = \"nvptx64-nvidia-cuda\"\n";

/// `triple(x) = plus_one(3 * x)`, where `plus_one` is declared: what llvm-as of LLVM 22 makes of
///
/// ```text
/// target triple = "nvptx64-nvidia-cuda"
/// declare i32 @plus_one(i32)
/// define i32 @triple(i32 %x) {
///   %y = mul i32 %x, 3
///   %z = call i32 @plus_one(i32 %y)
///   ret i32 %z
/// }
/// ```
const BITCODE: &[u8] = include_bytes!("triple.bc");

const PLUS_ONE: &str = "define i32 @plus_one(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
";

/// `to[i] = triple(i)`
const CALLER: &str = ".version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 y) triple(.param .b32 x);
.visible .entry k(.param .u64 to)
{
    .reg .b32 %i, %y;
    .reg .b64 %a;
    mov.u32 %i, %tid.x;
    {
        .param .b32 x;
        .param .b32 y;
        st.param.b32 [x], %i;
        call.uni (y), triple, (x);
        ld.param.b32 %y, [y];
    }
    ld.param.u64 %a, [to];
    mad.wide.u32 %a, %i, 4, %a;
    st.global.u32 [%a], %y;
    ret;
}
";

fn words(device: &Device, address: u64, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count];
    device.read(address, &mut bytes).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[test]
fn text_is_known_by_its_name_or_by_its_first_words() {
    let device = Device::new();
    let store = format!(
        "{TRIPLE}@count = addrspace(1) global i32 5
define ptx_kernel void @add(ptr addrspace(1) %to, i32 %n) {{
  %old = load i32, ptr addrspace(1) @count
  %new = add i32 %old, %n
  store i32 %new, ptr addrspace(1) @count
  store i32 %new, ptr addrspace(1) %to
  ret void
}}
"
    );
    for name in ["add.ll", "add", "add.txt"] {
        let module = Module::load(&device, name, store.as_str()).unwrap();
        assert_eq!((module.kernels(), module.variables()), (vec!["add"], vec!["count"]));
        let to = device.allocate(4).unwrap();
        let add = module.kernel("add").unwrap();
        for wanted in [12, 19] {
            add.launch(&Shape::default(), &[to.into(), 7u32.into()]).unwrap();
            assert_eq!(words(&device, to, 1), [wanted]);
        }
        assert_eq!(words(&device, module.variable("count").unwrap().address, 1), [19]);
    }
    // A name with another extension decides.
    assert!(matches!(Module::load(&device, "add.ptx", store), Err(DeviceError::Module(_))));
}

#[test]
fn ptx_bitcode_and_text_are_linked() {
    let device = Device::new();
    let plus_one = format!("{TRIPLE}{PLUS_ONE}");
    let files =
        [("k.ptx", CALLER.as_bytes()), ("no extension", BITCODE), ("plus_one.ll", plus_one.as_bytes())];
    // The order does not matter.
    for first in 0..files.len() {
        let mut files = files;
        files.rotate_left(first);
        let module = Module::link(&device, files).unwrap();
        let to = device.allocate(16).unwrap();
        module.kernel("k").unwrap().launch(&Shape::linear(1, 4), &[to.into()]).unwrap();
        assert_eq!(words(&device, to, 4), [1, 4, 7, 10]);
        let names: Vec<String> = module.texts().map(|(name, _)| name.to_owned()).collect();
        let mut wanted =
            ["k.ptx", "no extension (as PTX)", "plus_one.ll (as PTX)"].map(str::to_owned).to_vec();
        wanted.rotate_left(first);
        assert_eq!(names, wanted);
    }
}

#[test]
fn stopped_threads_are_at_a_line_of_the_ptx_that_it_became() {
    let device = Device::new();
    let store = format!(
        "{TRIPLE}define ptx_kernel void @store(ptr addrspace(1) %to) {{
  store i32 1, ptr addrspace(1) %to
  ret void
}}
"
    );
    let module = Module::load(&device, "store.ll", store).unwrap();
    let error = module.kernel("store").unwrap().launch(&Shape::default(), &[64u64.into()]).unwrap_err();
    let text = error.to_string();
    let place = text.strip_prefix("store.ll (as PTX):").unwrap();
    let line: usize = place.split(':').next().unwrap().parse().unwrap();
    let (_, ptx) = module.texts().next().unwrap();
    let line = std::str::from_utf8(ptx).unwrap().lines().nth(line - 1).unwrap();
    assert!(line.trim().starts_with("st.global"), "{line}");
    assert!(text.contains("access of 4 bytes at 0x40") && text.contains("in kernel store"), "{text}");
}

#[test]
fn errors_have_places_in_the_llvm_ir() {
    let device = Device::new();
    let findings = |files: &[(&str, &[u8])]| match Module::link(&device, files.to_vec()) {
        Err(DeviceError::Module(findings)) => {
            findings.into_iter().map(|finding| finding.text).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let one = |name: &str, text: &[u8], starts: &str, part: &str| {
        let found = findings(&[(name, text)]);
        assert!(found.len() == 1 && found[0].starts_with(starts) && found[0].contains(part), "{found:?}");
    };
    // The second line, the third column.
    one("bad.ll", b"define void @f() {\n  frob\n}\n", "bad.ll:2:3: error[I0001]: ", "expected instruction");
    one(
        "twice.ll",
        b"define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}
",
        "twice.ll: error[I0003]: ",
        "dominate",
    );
    one("cut.bc", &BITCODE[..BITCODE.len() / 2], "cut.bc: error[I0002]: ", "");
    one("host.ll", b"target triple = \"x86_64-linux-gnu\"\n", "host.ll: error[I0004]: ", "x86_64");
    one("k.ll", CALLER.as_bytes(), "k.ll: error[I0008]: ", "the input is PTX, not LLVM IR");
    // What PTX has no form for.
    let unwind = b"declare i32 @p(...)
define void @f() personality ptr @p {
  %a = landingpad { ptr, i32 } cleanup
  ret void
}
";
    assert!(!findings(&[("unwind.ll", unwind)]).is_empty());
    // Every file is read before the module is rejected.
    let found = findings(&[("bad.ll", b"define void @f() {\n  frob\n}\n"), ("k.ptx", b"nothing")]);
    assert!(found.iter().any(|text| text.starts_with("bad.ll:2:3:")), "{found:?}");
    assert!(found.iter().any(|text| text.starts_with("k.ptx:1:1:")), "{found:?}");
    // Declared with one parameter in PTX, defined with two in LLVM IR.
    let other = b"define i32 @triple(i32 %x, i32 %y) {\n  ret i32 %x\n}\n";
    let found = findings(&[("k.ptx", CALLER.as_bytes()), ("other.ll", other)]);
    assert!(found.iter().any(|text| text.contains("error[K0002]") && text.contains("triple")), "{found:?}");
}

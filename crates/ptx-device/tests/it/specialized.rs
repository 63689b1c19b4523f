//! Launches execute the kernels that a module has for them (`ptx2ll --assume`).

use ptx_device::{Argument, Device, Module, Shape};
use ptx_diag::SourceFile;
use ptx_specialize::specialize;

/// Stores 7 to the first word of `out`.
const KERNEL: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .s32 n, .param .f32 x) {
    .reg .u64 %a; .reg .u32 %v;
    ld.param.u64 %a, [out];
    mov.u32 %v, 7;
    st.global.u32 [%a], %v;
    ret;
}
";

/// The module with a kernel for each of the assumptions, the first of which stores 8, the second 9 and so on, and a name.
fn with_kernels(assumptions: &[&str]) -> (String, Vec<String>) {
    let (mut text, mut names) = (KERNEL.to_owned(), Vec::new());
    for (assumed, stored) in assumptions.iter().zip(8..) {
        let (mut module, found) = ptx_syntax::parse(&SourceFile::new("k.ptx", text));
        assert!(!found.has_errors(), "{found:?}");
        let made = specialize(&mut module, &format!("entry=k {assumed}").parse().expect("assumptions"))
            .expect("a kernel");
        let printed = ptx_ir::print(&module);
        let copy = printed.find(&format!(".entry {}", made.name)).expect("the copy");
        let (before, after) = printed.split_at(copy);
        assert!(after.contains(", 7;"), "{after}");
        text = format!("{before}{}", after.replacen(", 7;", &format!(", {stored};"), 1));
        names.push(made.name);
    }
    (text, names)
}

/// What a launch stores.
fn stored(text: &str, shape: &Shape, n: i32, x: f32) -> u32 {
    let device = Device::new();
    let module = Module::load(&device, "k.ptx", text).expect("a module");
    let out = device.allocate(4).expect("memory");
    let arguments = [Argument::from(out), Argument::from(n), Argument::from(x)];
    module.kernel("k").expect("a kernel").launch(shape, &arguments).expect("a launch");
    let mut bytes = [0; 4];
    device.read(out, &mut bytes).expect("memory");
    u32::from_le_bytes(bytes)
}

#[test]
fn launches_that_are_as_assumed_execute_the_kernel_made_for_them() {
    let (text, _) = with_kernels(&["block=32", "block=32 arg1=-5", "grid=2 arg1=-5 arg2=1.5"]);
    let stored = |blocks, threads, n, x| stored(&text, &Shape::linear(blocks, threads), n, x);
    assert_eq!(stored(1, 64, 0, 0.0), 7);
    assert_eq!(stored(1, 32, 0, 0.0), 8);
    assert_eq!(stored(1, 32, -5, 0.0), 9, "the one with more assumptions");
    assert_eq!(stored(2, 32, -5, 1.5), 10, "the one with most");
    assert_eq!(stored(2, 32, -5, 1.25), 9);
    assert_eq!(stored(2, 64, -5, 1.5), 10);
    assert_eq!(stored(2, 64, -4, 1.5), 7);
}

#[test]
fn parameters_may_have_lost_their_sign() {
    let (text, _) = with_kernels(&["arg1=-5"]);
    let unsigned = text.replace(".param .s32", ".param .u32");
    assert_ne!(text, unsigned);
    assert_eq!(stored(&unsigned, &Shape::linear(1, 1), -5, 0.0), 8);
    assert_eq!(stored(&unsigned, &Shape::linear(1, 1), 5, 0.0), 7);
}

#[test]
fn a_variable_with_another_text_than_its_name_says_is_no_promise() {
    let (text, names) = with_kernels(&["block=32", "block=64"]);
    assert_eq!(stored(&text, &Shape::linear(1, 64), 0, 0.0), 9);
    // The variables and kernels change their names.
    let swapped =
        text.replace(&names[0], "swapped").replace(&names[1], &names[0]).replace("swapped", &names[1]);
    for threads in [32, 64] {
        assert_eq!(stored(&swapped, &Shape::linear(1, threads), 0, 0.0), 7);
    }
}

/// Copies a number from `in` to `out`.
const COPY: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in) {
    .reg .u64 %a; .reg .u32 %v;
    ld.param.u64 %a, [in];
    ld.global.u32 %v, [%a];
    ld.param.u64 %a, [out];
    st.global.u32 [%a], %v;
    ret;
}
";

#[test]
fn pointers_to_the_same_memory_are_not_apart() {
    let (mut module, _) = ptx_syntax::parse(&SourceFile::new("k.ptx", COPY));
    let made = specialize(&mut module, &"noalias".parse().expect("assumptions")).expect("a kernel");
    let printed = ptx_ir::print(&module);
    let copy = printed.find(&format!(".entry {}", made.name)).expect("the copy");
    let (before, after) = printed.split_at(copy);
    // The copy adds 1, so that the test sees which of them ran.
    let after = after.replacen("st.global.u32", "add.u32 %v, %v, 1;\n\tst.global.u32", 1);
    let device = Device::new();
    let module = Module::load(&device, "k.ptx", format!("{before}{after}")).expect("a module");
    let kernel = module.kernel("k").expect("a kernel");
    let (one, other) = (device.allocate(64).expect("memory"), device.allocate(64).expect("memory"));
    let ran = |out: u64, from: u64| {
        device.write(from, &5u32.to_le_bytes()).expect("memory");
        kernel.launch(&Shape::linear(1, 1), &[Argument::from(out), Argument::from(from)]).expect("a launch");
        let mut bytes = [0; 4];
        device.read(out, &mut bytes).expect("memory");
        u32::from_le_bytes(bytes)
    };
    assert_eq!(ran(one, other), 6, "apart");
    assert_eq!(ran(one, one + 32), 5, "in the same allocation");
}

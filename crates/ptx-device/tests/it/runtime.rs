//! Functions of CUDA's device runtime, and functions that are defined nowhere. What is expected follows from the kernels.

use ptx_device::{Device, DeviceError, DeviceOptions, Engine, ErrorKind, Module, Shape};

/// Three rounds in which each block stores a number, waits for the grid and adds that of the next block. Then block 0 takes memory of the heap.
const GRID: &str = ".version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 flags);
.extern .func (.param .b32 r) cudaMalloc(.param .b64 to, .param .b64 bytes);
.extern .func (.param .b32 r) cudaFree(.param .b64 address);
.global .align 8 .u64 address;
.visible .entry rounds(.param .u64 stored, .param .u64 sums)
{
    .reg .pred %p, %q; .reg .b32 %b, %n, %t, %v, %sum, %round, %next, %z; .reg .b64 %s, %o, %h, %a;
    ld.param.u64 %s, [stored]; ld.param.u64 %o, [sums];
    mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x; mov.u32 %t, %tid.x; mov.u32 %sum, 0; mov.u32 %round, 0; mov.u32 %z, 0;
    setp.ne.u32 %q, %t, 0;
    { .param .b32 scope; .param .b64 r; st.param.b32 [scope], 1; call (r), cudaCGGetIntrinsicHandle, (scope); ld.param.b64 %h, [r]; }
again:
    mad.lo.u32 %v, %round, 100, %b; mad.wide.u32 %a, %b, 4, %s; @!%q st.global.u32 [%a], %v;
    { .param .b64 h; .param .b32 f; .param .b32 r; st.param.b64 [h], %h; st.param.b32 [f], %z; call (r), cudaCGSynchronize, (h, f); }
    add.u32 %next, %b, 1; rem.u32 %next, %next, %n; mad.wide.u32 %a, %next, 4, %s; ld.global.u32 %v, [%a]; add.u32 %sum, %sum, %v;
    { .param .b64 h; .param .b32 f; .param .b32 r; st.param.b64 [h], %h; st.param.b32 [f], %z; call (r), cudaCGSynchronize, (h, f); }
    add.u32 %round, %round, 1; setp.lt.u32 %p, %round, 3; @%p bra again;
    mad.wide.u32 %a, %b, 4, %o; @!%q st.global.u32 [%a], %sum;
    or.b32 %t, %t, %b; setp.ne.u32 %q, %t, 0; @%q ret;
    { .param .b64 to; .param .b64 n; .param .b32 r; mov.u64 %a, address; cvta.global.u64 %a, %a; st.param.b64 [to], %a; st.param.b64 [n], 16;
      call (r), cudaMalloc, (to, n); ld.param.b32 %v, [r]; }
    setp.ne.u32 %p, %v, 0; @%p trap;
    ld.global.u64 %a, [address]; st.u32 [%a + 12], %v;
    { .param .b64 a; .param .b32 r; st.param.b64 [a], %a; call (r), cudaFree, (a); }
    ret;
}
";

fn rounds(options: DeviceOptions) {
    let device = Device::with(options);
    let module = Module::load(&device, "grid.ptx", GRID).unwrap();
    let blocks = 9u32;
    let (stored, sums) = (device.allocate(36).unwrap(), device.allocate(36).unwrap());
    let shape = Shape { cooperative: true, ..Shape::linear(blocks, 64) };
    let kernel = module.kernel("rounds").unwrap();
    for _ in 0..2 {
        kernel.launch(&shape, &[stored.into(), sums.into()]).unwrap();
        let mut bytes = [0; 36];
        device.read(sums, &mut bytes).unwrap();
        let found: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let wanted: Vec<u32> = (0..blocks).map(|block| 3 * ((block + 1) % blocks) + 300).collect();
        assert_eq!(found, wanted);
    }
    // Without a cooperative launch there is no grid to wait for.
    let error = kernel.launch(&Shape::linear(blocks, 64), &[stored.into(), sums.into()]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Trap);
    assert!(error.to_string().contains("function cudaCGSynchronize"), "{error}");
}

#[test]
fn blocks_of_a_grid_wait_for_each_other() {
    rounds(DeviceOptions { engine: Engine::Interpreter, ..DeviceOptions::default() });
}

#[test]
#[cfg(feature = "jit")]
fn compiled_blocks_of_a_grid_wait_for_each_other() {
    rounds(DeviceOptions {
        engine: Engine::Compiled,
        check: ptx_device::Check::Memory,
        ..DeviceOptions::default()
    });
}

#[test]
fn what_is_defined_nowhere_refuses_the_load() {
    let load = |text: &str| {
        let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n{text}");
        Module::load(&Device::new(), "m.ptx", text)
    };
    for (text, message) in [
        (
            ".extern .func f();\n.visible .entry k() { call f; ret; }",
            "m.ptx:5:23: error[X0102]: function `f` is declared and defined nowhere",
        ),
        (
            ".extern .global .u32 x;\n.visible .entry k() { .reg .u32 %r; ld.global.u32 %r, [x]; ret; }",
            "m.ptx:5:37: error[X0102]: variable `x` is",
        ),
        (".extern .global .u32 x;\n.global .u64 y = x;", "m.ptx:4:22: error[X0102]: variable `x` is"),
        (".extern .func f();\n.func g() { call f; ret; }", "m.ptx:5:13: error[X0102]: function `f` is"),
    ] {
        let error = load(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UndefinedSymbol, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let error = load(
        ".extern .func (.param .b32 r) cudaLaunchDevice();\n.visible .entry k() { .param .b32 r; call (r), cudaLaunchDevice; ret; }",
    );
    let error = error.unwrap_err();
    assert_eq!((matches!(error, DeviceError::Module(_)), error.kind()), (true, ErrorKind::Unsupported));
    assert!(
        error
            .to_string()
            .contains("m.ptx:5:38: error[K0005]: `cudaLaunchDevice` is a function of CUDA's device runtime"),
        "{error}"
    );
    // What is not used need not be defined, and what is built in is not.
    load(".extern .func f();\n.extern .global .u32 x;\n.extern .shared .u32 s[];\n.visible .entry k() { .reg .u32 %r; ld.shared.u32 %r, [s]; ret; }").unwrap();
    load(".extern .func (.param .b64 r) malloc(.param .b64 n);\n.visible .entry k() { .param .b64 n; .param .b64 r; st.param.b64 [n], 8; call (r), malloc, (n); ret; }").unwrap();
}

#[test]
fn functions_that_are_built_in_need_no_definition() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.visible .entry k() {
    .param .b64 n; .param .b64 p; .param .b32 i; st.param.b64 [n], 0; st.param.b32 [i], 0;
    ret;
    call (i), vprintf, (n, n); call (p), malloc, (n); call free, (n); call __assertfail, (n, n, i, n, n);
}";
    Module::load(&Device::new(), "m.ptx", text).unwrap().kernel("k").unwrap();
}

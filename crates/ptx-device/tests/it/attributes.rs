//! Attributes of kernels and limits of launches. What is expected follows from the directives and declarations of the kernels.

use ptx_device::{
    Device, DeviceOptions, ErrorKind, Limits, Module, MultiprocessorLimits, Shape, SharedMemory, Sm,
};

const KERNELS: &str = ".version 8.6
.target sm_90
.address_size 64
.const .align 4 .b8 table[100];
.shared .align 4 .b8 fixed[1000];
.visible .entry plain(.param .u64 p) { ret; }
.visible .entry required(.param .u64 p, .param .u32 n) .reqntid 8, 4 .reqnctapercluster 2
{
    .local .align 8 .b8 l[40]; .reg .b32 %v;
    st.local.u32 [l], 1; ld.shared.u32 %v, [fixed]; ret;
}
.visible .entry most(.param .u64 p) .maxntid 100, 2 .minnctapersm 3 .maxnreg 20 .explicitcluster .maxclusterrank 4 { ret; }
.extern .shared .align 16 .b8 dynamic[];
.visible .entry shared(.param .u64 p)
{
    .reg .b32 %v; st.shared.u32 [dynamic], 1; ld.shared.u32 %v, [fixed]; ret;
}
.visible .entry live(.param .u64 p)
{
    .reg .b64 %a, %w<13>; .reg .pred %q;
    ld.param.u64 %a, [p];
    ld.global.u64 %w0, [%a];
    ld.global.u64 %w1, [%a + 8];
    ld.global.u64 %w2, [%a + 16];
    ld.global.u64 %w3, [%a + 24];
    ld.global.u64 %w4, [%a + 32];
    ld.global.u64 %w5, [%a + 40];
    ld.global.u64 %w6, [%a + 48];
    ld.global.u64 %w7, [%a + 56];
    ld.global.u64 %w8, [%a + 64];
    ld.global.u64 %w9, [%a + 72];
    setp.eq.u64 %q, %w0, 0;
    add.u64 %w0, %w0, %w1; add.u64 %w0, %w0, %w2; add.u64 %w0, %w0, %w3; add.u64 %w0, %w0, %w4; add.u64 %w0, %w0, %w5;
    add.u64 %w0, %w0, %w6; add.u64 %w0, %w0, %w7; add.u64 %w0, %w0, %w8; add.u64 %w0, %w0, %w9;
    @%q st.global.u64 [%a], %w0;
    ret;
}
";

#[test]
fn attributes_are_those_of_the_text() {
    let module = Module::load(&Device::new(), "kernels.ptx", KERNELS).unwrap();
    let of = |name: &str| *module.kernel(name).unwrap().attributes();
    let plain = of("plain");
    assert_eq!((plain.max_threads, plain.static_shared_bytes, plain.local_bytes), (1024, 0, 0));
    assert_eq!((plain.constant_bytes, plain.parameter_bytes), (100, 8));
    assert_eq!((plain.ptx_version.unwrap().to_string(), plain.target), ("8.6".to_owned(), Some(Sm::new(90))));
    assert_eq!((plain.required_block, plain.required_cluster, plain.needs_cluster), (None, None, false));
    let required = of("required");
    assert_eq!((required.max_threads, required.required_block), (32, Some([8, 4, 1])));
    assert_eq!((required.static_shared_bytes, required.parameter_bytes), (1000, 12));
    assert_eq!((required.local_bytes, required.required_cluster), (40, Some([2, 1, 1])));
    let most = of("most");
    assert_eq!((most.max_threads, most.min_blocks, most.max_cluster_blocks), (200, Some(3), Some(4)));
    assert!(most.needs_cluster && most.registers <= 20);
    // Ten values and an address of 64 bits are live before the first addition; predicates are not counted.
    assert_eq!(of("live").registers, 22 + 4);
}

#[test]
fn more_shared_memory_than_usual_is_allowed_for_each_kernel() {
    let device = Device::with(DeviceOptions {
        architecture: Some(Sm::arch(90)),
        shared_memory: SharedMemory::OptIn,
        ..DeviceOptions::default()
    });
    let module = Module::load(&device, "kernels.ptx", KERNELS).unwrap();
    let kernel = module.kernel("shared").unwrap();
    let launch =
        |dynamic_shared: u32| kernel.launch(&Shape { dynamic_shared, ..Shape::default() }, &[0u64.into()]);
    // 48 KiB less the 1,000 bytes of `fixed` and 8 up to an address that is a multiple of 16.
    assert_eq!(kernel.dynamic_shared(), 48_144);
    launch(48_144).unwrap();
    let error = launch(48_145).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SharedMemory);
    assert!(error.to_string().contains("cuFuncSetAttribute"), "{error}");
    // What is set holds for all handles; 227 KiB is the maximum of sm_90.
    let other = module.kernel("shared").unwrap();
    assert_eq!(other.set_dynamic_shared(232_448 - 1007).unwrap_err().kind(), ErrorKind::SharedMemory);
    other.set_dynamic_shared(231_424).unwrap();
    assert_eq!(kernel.dynamic_shared(), 231_424);
    launch(231_424).unwrap();
    assert_eq!(launch(231_425).unwrap_err().kind(), ErrorKind::SharedMemory);
    // It may also be reduced.
    kernel.set_dynamic_shared(0).unwrap();
    assert_eq!(launch(1).unwrap_err().kind(), ErrorKind::SharedMemory);

    let limits = MultiprocessorLimits::of(Sm::new(90));
    assert_eq!(limits.resident_blocks(kernel.attributes(), 128, 0), 16);
}

#[test]
fn by_default_the_limit_of_the_device_holds() {
    let limits = Limits { shared: 64 << 10, ..Limits::default() };
    let device = Device::with(DeviceOptions { limits, ..DeviceOptions::default() });
    let kernel = Module::load(&device, "kernels.ptx", KERNELS).unwrap().kernel("shared").unwrap();
    let launch =
        |dynamic_shared: u32| kernel.launch(&Shape { dynamic_shared, ..Shape::default() }, &[0u64.into()]);
    launch(60 << 10).unwrap();
    assert_eq!(launch(64 << 10).unwrap_err().kind(), ErrorKind::SharedMemory);
}

//! Tensor maps of memory of a device.

use ptx_device::tensormap::{ElementType, Tensor};
use ptx_device::{Device, DeviceError, Module, Shape, TensorMap};

/// Transposes the order of the rows of a box: loads it row by row from the end, and stores it at once.
const KERNEL: &str = "
.version 8.6
.target sm_100
.address_size 64
.visible .entry turn(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128])
{
    .reg .pred %p;
    .reg .b32 %row, %s;
    .reg .b64 %from, %to, %state;
    .shared .align 128 .b8 s[512];
    .shared .b64 bar;
    mov.b64 %from, from;
    cvta.param.u64 %from, %from;
    mov.b64 %to, to;
    cvta.param.u64 %to, %to;
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 %state, [bar], 512;
    mov.u32 %row, 4;
    mov.b32 %s, s;
next:
    sub.u32 %row, %row, 1;
    cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%from, {0, %row}], [bar];
    add.u32 %s, %s, 128;
    setp.ne.u32 %p, %row, 0;
    @%p bra next;
wait:
    mbarrier.try_wait.shared.b64 %p, [bar], %state;
    @!%p bra wait;
    mov.b32 %s, s;
    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%to, {0, 0}], [%s];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
";

#[test]
fn a_tensor_map_is_an_argument() {
    let device = Device::new();
    let module = Module::load(&device, "turn.ptx", KERNEL).unwrap();
    let turn = module.kernel("turn").unwrap();
    let memory: Vec<u8> = (0..512u32).map(|n| (n * 7 % 251) as u8).collect();
    let (from, to) = (device.allocate(512).unwrap(), device.allocate(512).unwrap());
    device.write(from, &memory).unwrap();
    let map = |address, rows: &[u32]| {
        TensorMap::tiled(&Tensor::new(ElementType::U8, address, &[128, 4], &[128]), rows).unwrap()
    };
    let arguments = [map(from, &[128, 1]).into(), map(to, &[128, 4]).into()];
    turn.launch(&Shape::linear(1, 1), &arguments).unwrap();
    let mut found = [0; 512];
    device.read(to, &mut found).unwrap();
    let expected: Vec<u8> = memory.chunks(128).rev().flatten().copied().collect();
    assert_eq!(found[..], expected);

    // A map of memory that is not there stops the kernel.
    let arguments = [map(from, &[128, 1]).into(), map(64, &[128, 4]).into()];
    let error = turn.launch(&Shape::linear(1, 1), &arguments).unwrap_err();
    assert!(
        matches!(&error, DeviceError::Stopped(_)) && error.to_string().contains("bytes at 0x40"),
        "{error}"
    );
}

//! Encoding tensor maps and changing them (manual 9.7.9.28, 9.7.13.16; CUDA's driver: Tensor Map Object Management).

use ptx_exec::tensormap::{
    ElementType, Interleave, OutOfBounds, PixelBox, Promotion, Swizzle, Tensor, WideMode,
};
use ptx_exec::{Argument, TensorMap};

use crate::tensor::harness::*;

fn plain() -> Tensor {
    Tensor::new(ElementType::F32, TENSOR, &[64, 32, 8], &[256, 8192])
}

#[test]
fn encoding_is_the_opposite_of_decoding() {
    let mut tensor = plain();
    (tensor.swizzle, tensor.promotion) = (Swizzle::Bytes64, Promotion::Bytes256);
    tensor.out_of_bounds = OutOfBounds::Nan;
    tensor.element_strides = vec![1, 2, 8];
    tensor.dims[2] = 1 << 32;
    tensor.strides[1] = (1 << 40) - 16;
    let pixel_box = PixelBox { lower: vec![-32768], upper: vec![32767], channels: 16, pixels: 1024 };
    let maps = [
        TensorMap::tiled(&tensor, &[16, 256, 256]).unwrap(),
        TensorMap::im2col(&tensor, &pixel_box).unwrap(),
        TensorMap::im2col_wide(&tensor, (-3, -1), 16, 1000, WideMode::W).unwrap(),
        TensorMap::im2col_wide(&tensor, (-3, -1), 16, 1, WideMode::W128).unwrap(),
    ];
    for map in maps {
        let bytes = map.to_bytes();
        assert_eq!(TensorMap::from_bytes(&bytes), Ok(map));
        for at in 0..121 {
            let mut broken = bytes;
            broken[at] ^= 4;
            assert!(TensorMap::from_bytes(&broken).is_err(), "byte {at}");
        }
    }
    assert!(TensorMap::from_bytes(&[0; 128]).is_err());
}

/// What the driver does not encode, by the requirements that its reference lists, and a part of the message.
#[test]
fn what_the_driver_refuses_is_refused() {
    type Change = fn(&mut Tensor, &mut Vec<u32>);
    let cases: &[(&str, Change)] = &[
        ("1 to 5 dimensions", |t, _| t.dims = vec![]),
        ("1 to 5 dimensions", |t, _| t.dims = vec![1; 6]),
        ("expected 2 strides", |t, _| t.strides = vec![256]),
        ("expected 3 sizes of the box", |_, b| b.truncate(2)),
        ("expected 3 element strides", |t, _| t.element_strides = vec![1]),
        ("not a multiple of 16", |t, _| t.address += 8),
        ("not a multiple of 32", |t, _| {
            (t.address, t.interleave, t.swizzle) = (TENSOR + 16, Interleave::Bytes32, Swizzle::Bytes32);
        }),
        ("the size 0 of dimension 1", |t, _| t.dims[1] = 0),
        ("the size 4294967297 of dimension 0", |t, _| t.dims[0] = (1 << 32) + 1),
        ("the stride 264 of dimension 1", |t, _| t.strides[0] = 264),
        ("the stride 1099511627776 of dimension 2", |t, _| t.strides[1] = 1 << 40),
        ("along dimension 0 is not between 1 and 256", |_, b| b[0] = 0),
        ("along dimension 2 is not between 1 and 256", |_, b| b[2] = 257),
        ("a row of 6 elements of 32 bits is not a multiple of 16 bytes", |_, b| b[0] = 6),
        ("the element stride 0 of dimension 1", |t, _| t.element_strides[1] = 0),
        ("the element stride 9 of dimension 2", |t, _| t.element_strides[2] = 9),
        ("expected 3 to 5 dimensions", |t, b| {
            *t = Tensor {
                interleave: Interleave::Bytes16,
                ..Tensor::new(ElementType::F16, TENSOR, &[8, 8], &[16])
            };
            *b = vec![8, 8];
        }),
        ("goes with a swizzle of 32 bytes", |t, _| t.interleave = Interleave::Bytes32),
        ("longer than the 32 bytes", |t, b| (t.swizzle, b[0]) = (Swizzle::Bytes32, 12)),
        ("longer than the 64 bytes", |t, b| (t.swizzle, b[0]) = (Swizzle::Bytes64, 20)),
        ("longer than the 128 bytes", |t, b| (t.swizzle, b[0]) = (Swizzle::Bytes128Atom64, 36)),
        ("has no encoding", |t, _| t.swizzle = Swizzle::Bytes96),
        ("no NaN of type U32", |t, _| {
            (t.element, t.out_of_bounds) = (ElementType::U32, OutOfBounds::Nan);
        }),
        ("no NaN of type B4x16", |t, b| {
            (t.element, t.out_of_bounds, b[0]) = (ElementType::B4x16, OutOfBounds::Nan, 32);
        }),
        ("not a multiple of 2", |t, b| (t.element, t.dims[0], b[0]) = (ElementType::B4x16, 33, 32)),
        ("not a multiple of 128", |t, b| (t.element, b[0]) = (ElementType::B4x16P64, 128)),
        ("expected 128", |t, b| (t.element, t.dims[0], b[0]) = (ElementType::B6x16P32, 128, 64)),
        ("are not interleaved", |t, b| {
            (t.element, t.dims[0], b[0], t.interleave) =
                (ElementType::B6x16P32, 128, 128, Interleave::Bytes16);
        }),
        ("without a flip", |t, b| {
            (t.element, t.dims[0], b[0]) = (ElementType::B6x16P32, 128, 128);
            t.swizzle = Swizzle::Bytes128Atom32Flip8;
        }),
    ];
    for (part, change) in cases {
        let (mut tensor, mut sizes) = (plain(), vec![8, 4, 2]);
        assert!(TensorMap::tiled(&tensor, &sizes).is_ok());
        change(&mut tensor, &mut sizes);
        let text = TensorMap::tiled(&tensor, &sizes).expect_err(part).to_string();
        assert!(text.contains(part), "{text}, not {part}");
    }
}

#[test]
fn what_the_driver_refuses_of_pixels_is_refused() {
    let pixel_box = |corner: &[i32]| PixelBox {
        lower: corner.to_vec(),
        upper: vec![0; corner.len()],
        channels: 8,
        pixels: 64,
    };
    let images = |rank: usize| {
        let dims = [16, 9, 8, 7, 6];
        Tensor::new(ElementType::U16, TENSOR, &dims[..rank], &[32, 288, 2304, 16128][..rank - 1])
    };
    // The ranges of corners: 16, 8 and 5 bits.
    for (rank, lowest) in [(3, -32768), (4, -128), (5, -16)] {
        let corner = vec![lowest; rank - 2];
        assert!(TensorMap::im2col(&images(rank), &pixel_box(&corner)).is_ok());
        let corner = vec![lowest - 1; rank - 2];
        assert!(TensorMap::im2col(&images(rank), &pixel_box(&corner)).is_err());
    }
    let refused = |rank, pixel_box: &PixelBox, part: &str| {
        let text = TensorMap::im2col(&images(rank), pixel_box).expect_err(part).to_string();
        assert!(text.contains(part), "{text}, not {part}");
    };
    refused(2, &pixel_box(&[]), "expected 3 to 5 dimensions");
    refused(4, &pixel_box(&[0]), "expected 2 coordinates");
    refused(3, &pixel_box(&[9]), "no pixel of 9 lies between");
    refused(3, &PixelBox { channels: 257, ..pixel_box(&[0]) }, "257 channels");
    refused(3, &PixelBox { pixels: 1025, ..pixel_box(&[0]) }, "1025 pixels");
    refused(3, &PixelBox { channels: 4, ..pixel_box(&[0]) }, "not a multiple of 16 bytes");

    let wide = |swizzle| {
        let tensor = Tensor { swizzle, ..images(4) };
        TensorMap::im2col_wide(&tensor, (0, 0), 16, 10, WideMode::W).map_err(|error| error.to_string())
    };
    for swizzle in [Swizzle::Bytes64, Swizzle::Bytes128, Swizzle::Bytes128Atom32] {
        assert!(wide(swizzle).is_ok());
    }
    for swizzle in [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes128Atom32Flip8] {
        assert!(wide(swizzle).unwrap_err().contains("are swizzled within"));
    }
}

/// A kernel that makes a map of zeros in shared memory with `tensormap.replace`, copies it to global memory and loads with it.
fn replacing(changes: &str) -> String {
    format!(
        "mov.b32 %r1, s; mov.u32 %r2, %tid.x;
        shl.b32 %r3, %r2, 2; add.u32 %r3, %r3, %r1; st.shared.b32 [%r3], 0;
        bar.sync 0;
        setp.ne.u32 %p, %r2, 0; @%p bra MADE;
        {changes}
        MADE: bar.warp.sync -1;
        cvta.to.global.u64 %rd2, %out;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd2], [%r1], 128;
        bar.sync 0;"
    )
}

/// The changes that set every field, in the numbering of the manual's table.
const ALL_FIELDS: &str = "
    tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %tensor;
    tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r1], 2;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 0, 32;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 1, 4;
    mov.u32 %r4, 2; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 2, %r4;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 0, 40;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 1, 7;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r1], 2, 3;
    mov.u64 %rd3, 96; tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r1], 0, %rd3;
    tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r1], 1, 704;
    tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r1], 0, 1;
    tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r1], 1, 2;
    tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r1], 2, 1;
    tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1], 10;
    tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r1], 0;
    tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r1], 2;
    tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%r1], 0;
    tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r1], 1;";

#[test]
fn a_program_makes_a_map_of_zeros() {
    let mut tensor = Tensor::new(ElementType::Bf16, TENSOR, &[40, 7, 3], &[96, 704]);
    tensor.element_strides = vec![1, 2, 1];
    (tensor.swizzle, tensor.out_of_bounds) = (Swizzle::Bytes64, OutOfBounds::Nan);
    let expected = TensorMap::tiled(&tensor, &[32, 4, 2]).unwrap();
    let memory = noise(2112);
    let unused = TensorMap::tiled(&plain(), &[8, 4, 2]).unwrap();
    // The map is used from global memory.
    let body = format!(
        "{}
        mbarrier.init.shared.b64 [bar], 1;
        fence.proxy.tensormap::generic.acquire.gpu [%out], 128;
        setp.ne.u32 %p, %r2, 0; @%p bra END;
        cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%out, {{8, 1, 1}}], [bar];
        add.u64 %rd4, %out, 128; add.u32 %r5, %r1, 256;
        SHOW: ld.shared.b32 %r6, [%r1]; st.global.b32 [%rd4], %r6; add.u64 %rd4, %rd4, 4; add.u32 %r1, %r1, 4;
        setp.lt.u32 %p, %r1, %r5; @%p bra SHOW;
        END:",
        replacing(ALL_FIELDS)
    );
    let buffers = launch(&kernel(&[], &body), arguments(&unused, &memory, 0), 32).unwrap();
    let out = buffers[2].clone().unwrap();
    assert_eq!(out[..128], expected.to_bytes());
    let mut content = Vec::new();
    for (z, y) in [(1, 1), (1, 3), (2, 1), (2, 3)] {
        for x in 8..40 {
            let offset = element_offset(&tensor, 2, &[x, y, z]).unwrap();
            content.extend([Some(memory[offset]), Some(memory[offset + 1])]);
        }
    }
    assert_eq!(out[128..384], shared(Swizzle::Bytes64, 0, &content)[..256]);
}

/// Each field of a map in global memory, with what the driver encodes for the changed tensor.
#[test]
fn every_field_can_be_replaced() {
    type Change = fn(&mut Tensor, &mut Vec<u32>);
    let cases: &[(&str, Change)] = &[
        ("global_address.global.b1024.b64 [%out], 0x1000000040", |t, _| t.address = 0x10_0000_0040),
        ("box_dim.b1024.b32 [%out], 1, 256", |_, b| b[1] = 256),
        ("global_dim.global.b1024.b32 [%out], 2, 4294967295", |t, _| t.dims[2] = u32::MAX.into()),
        ("global_stride.global.b1024.b64 [%out], 1, 0x4000", |t, _| t.strides[1] = 0x4000),
        ("element_stride.global.b1024.b32 [%out], 2, 8", |t, _| t.element_strides[2] = 8),
        ("elemtype.global.b1024.b32 [%out], 7", |t, _| t.element = ElementType::F32),
        ("elemtype.global.b1024.b32 [%out], 1", |t, _| t.element = ElementType::U16),
        ("elemtype.global.b1024.b32 [%out], 2", |t, _| t.element = ElementType::U32),
        ("elemtype.global.b1024.b32 [%out], 3", |t, _| t.element = ElementType::S32),
        ("elemtype.global.b1024.b32 [%out], 4", |t, _| t.element = ElementType::U64),
        ("elemtype.global.b1024.b32 [%out], 5", |t, _| t.element = ElementType::S64),
        ("elemtype.global.b1024.b32 [%out], 6", |t, _| t.element = ElementType::F16),
        ("elemtype.global.b1024.b32 [%out], 8", |t, _| t.element = ElementType::F32Ftz),
        ("elemtype.global.b1024.b32 [%out], 9", |t, _| t.element = ElementType::F64),
        ("elemtype.global.b1024.b32 [%out], 11", |t, _| t.element = ElementType::Tf32),
        ("elemtype.global.b1024.b32 [%out], 12", |t, _| t.element = ElementType::Tf32Ftz),
        ("elemtype.global.b1024.b32 [%out], 0", |t, b| (t.element, b[0]) = (ElementType::U8, 8)),
        ("interleave_layout.global.b1024.b32 [%out], 1", |t, _| t.interleave = Interleave::Bytes16),
        ("swizzle_mode.global.b1024.b32 [%out], 1", |t, _| t.swizzle = Swizzle::Bytes32),
        ("swizzle_mode.global.b1024.b32 [%out], 2", |t, _| t.swizzle = Swizzle::Bytes64),
        ("swizzle_mode.global.b1024.b32 [%out], 3", |t, _| t.swizzle = Swizzle::Bytes128),
        ("fill_mode.global.b1024.b32 [%out], 1", |t, _| t.out_of_bounds = OutOfBounds::Nan),
    ];
    for (text, change) in cases {
        let (mut tensor, mut sizes) = (plain(), vec![8, 4, 2]);
        let before = TensorMap::tiled(&tensor, &sizes).unwrap();
        change(&mut tensor, &mut sizes);
        // A row of 8 elements has 16 bytes only when they have 2 bytes or more.
        let expected = if tensor.element == ElementType::U8 {
            assert!(TensorMap::tiled(&tensor, &sizes).is_err());
            None
        } else {
            Some(TensorMap::tiled(&tensor, &sizes).unwrap())
        };
        let body = format!("tensormap.replace.tile.{text};");
        let mut arguments = arguments(&before, &[0; 16], 0);
        arguments[2] = Argument::Buffer(before.to_bytes().to_vec());
        let buffers = launch(&kernel(&[], &body), arguments, 1).unwrap();
        let after = TensorMap::from_bytes(buffers[2].as_deref().unwrap().try_into().unwrap()).unwrap();
        match expected {
            Some(expected) => assert_eq!(after, expected, "{text}"),
            None => assert!(after.check().is_err()),
        }
    }
    for (atomicity, swizzle) in
        [(1, Swizzle::Bytes128Atom32), (2, Swizzle::Bytes128Atom32Flip8), (3, Swizzle::Bytes128Atom64)]
    {
        let tensor = Tensor { swizzle, ..plain() };
        let expected = TensorMap::tiled(&tensor, &[8, 4, 2]).unwrap();
        let before = TensorMap::tiled(&plain(), &[8, 4, 2]).unwrap();
        let body = format!(
            "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%out], {atomicity};
            tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%out], 3;"
        );
        let mut arguments = arguments(&before, &[0; 16], 0);
        arguments[2] = Argument::Buffer(before.to_bytes().to_vec());
        let buffers = launch(&kernel(&[], &body), arguments, 1).unwrap();
        assert_eq!(buffers[2].as_deref(), Some(&expected.to_bytes()[..]), "{swizzle:?}");
    }
}

#[test]
fn a_swizzle_of_96_bytes_is_set_by_the_program() {
    let tensor = Tensor::new(ElementType::U8, TENSOR, &[96, 8], &[96]);
    let map = TensorMap::tiled(&tensor, &[96, 8]).unwrap();
    let memory = noise(768);
    let content: Vec<Option<u8>> = memory.iter().copied().map(Some).collect();
    let body = "
        ld.param.v2.b64 {%rd5, %rd6}, [m]; st.global.v2.b64 [%out], {%rd5, %rd6};
        ld.param.v2.b64 {%rd5, %rd6}, [m+16]; st.global.v2.b64 [%out+16], {%rd5, %rd6};
        ld.param.v2.b64 {%rd5, %rd6}, [m+32]; st.global.v2.b64 [%out+32], {%rd5, %rd6};
        ld.param.v2.b64 {%rd5, %rd6}, [m+48]; st.global.v2.b64 [%out+48], {%rd5, %rd6};
        ld.param.v2.b64 {%rd5, %rd6}, [m+64]; st.global.v2.b64 [%out+64], {%rd5, %rd6};
        ld.param.v2.b64 {%rd5, %rd6}, [m+80]; st.global.v2.b64 [%out+80], {%rd5, %rd6};
        ld.param.v2.b64 {%rd5, %rd6}, [m+96]; st.global.v2.b64 [%out+96], {%rd5, %rd6};
        ld.param.v2.b64 {%rd5, %rd6}, [m+112]; st.global.v2.b64 [%out+112], {%rd5, %rd6};
        tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%out], 4;
        mbarrier.init.shared.b64 [bar], 1;
        cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%out, {0, 0}], [bar];
        mov.b32 %r1, s; add.u32 %r2, %r1, 768;
        SHOW: ld.shared.b32 %r3, [%r1]; st.global.b32 [%out+128], %r3; add.u64 %out, %out, 4; add.u32 %r1, %r1, 4;
        setp.lt.u32 %p, %r1, %r2; @%p bra SHOW;";
    // The mode is for sm_103a alone.
    let text = kernel(&[], body).replace("sm_100a", "sm_103a");
    let buffers = launch(&text, arguments(&map, &memory, 0), 1).unwrap();
    let out = buffers[2].clone().unwrap();
    assert_eq!(out[128..896], shared(Swizzle::Bytes96, 0, &content)[..768]);
}

#[test]
fn a_map_in_constant_memory_is_used() {
    let tensor = Tensor::new(ElementType::U32, TENSOR, &[8], &[]);
    let map = TensorMap::tiled(&tensor, &[8]).unwrap();
    let list: Vec<String> = map.to_bytes().iter().map(u8::to_string).collect();
    let constant = format!(".const .align 64 .b8 c[128] = {{{}}};\n.visible", list.join(", "));
    let body = "
        mov.b64 %rd1, c; cvta.const.u64 %rd1, %rd1; mbarrier.init.shared.b64 [bar], 1;
        cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%rd1, {0}], [bar];
        ld.shared.b32 %r1, [s+28]; st.global.b32 [%out], %r1;";
    let text = kernel(&[], body).replace(".visible", &constant);
    let memory = noise(32);
    let buffers = launch(&text, arguments(&map, &memory, 0), 1).unwrap();
    assert_eq!(buffers[2].as_deref().unwrap()[..4], memory[28..32]);
}

#[test]
fn an_argument_is_a_map_with_the_buffer_of_its_tensor() {
    // The tensor starts 32 bytes into the buffer; two rows change places.
    let tensor = Tensor::new(ElementType::U32, 32, &[8, 2], &[32]);
    let map = TensorMap::tiled(&tensor, &[8, 1]).unwrap();
    let memory = noise(96);
    let body = "
        mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 64;
        add.u32 %r1, %s, 128;
        cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%map, {0, 0}], [bar];
        cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%map, {0, 1}], [bar];
        WAIT: mbarrier.test_wait.shared.b64 %p, [bar], %rd1; @!%p bra WAIT;
        cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {0, 1}], [%s];
        cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {0, 0}], [%r1];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    let mut arguments = arguments(&map, &[0; 16], 0);
    arguments[0] = Argument::Tensor(map, memory.clone());
    let buffers = launch(&kernel(&[], body), arguments, 1).unwrap();
    let expected = [&memory[..32], &memory[64..], &memory[32..64]].concat();
    assert_eq!(buffers[0], Some(expected));
    assert_eq!(buffers[1], Some(vec![0; 16]));
}

/// Triton clears bit 21 of the second word of 64 bits of a map, for the drivers before CUDA 13.2.
#[test]
fn maps_survive_what_programs_clear_in_them() {
    for size in 1..200u64 {
        let tensor = Tensor::new(ElementType::F32, 0x1000, &[4 * size, 64], &[16 * size]);
        let map = TensorMap::tiled(&tensor, &[4, 8]).unwrap();
        let bytes = map.to_bytes();
        let mut cleared = bytes;
        cleared[8 + 21 / 8] &= !(1 << (21 % 8));
        assert_eq!((cleared, TensorMap::from_bytes(&cleared)), (bytes, Ok(map)));
        // Any other bit counts.
        cleared[8] ^= 1;
        assert!(TensorMap::from_bytes(&cleared).is_err());
    }
}

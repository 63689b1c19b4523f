//! Copies and maps that have no meaning stop the thread at the instruction.

use ptx_exec::tensormap::{ElementType, Interleave, PixelBox, Swizzle, Tensor, WideMode};
use ptx_exec::{Argument, TensorMap};

use crate::tensor::harness::*;

fn plain() -> Tensor {
    Tensor::new(ElementType::U16, TENSOR, &[64, 8], &[128])
}

fn map() -> TensorMap {
    TensorMap::tiled(&plain(), &[16, 4]).unwrap()
}

#[test]
fn what_is_no_tensor_map_is_reported() {
    let good = map().to_bytes();
    let mut flipped = good;
    flipped[40] ^= 1;
    let cases = [
        ([0; 128], "these 128 bytes are not a tensor map: expected what `ptx_exec::TensorMap` encodes"),
        ([0x5a; 128], "these 128 bytes are not a tensor map"),
        (flipped, "the checksum does not match"),
    ];
    for (bytes, part) in cases {
        let body = "mbarrier.init.shared.b64 [bar], 1;".to_owned() + &load_of(2, "", "");
        let mut arguments = arguments(&map(), &[0; 1024], 0);
        arguments[0] = Argument::Bytes(bytes.to_vec());
        let text = reason(launch(&kernel(&[0, 0], &body), arguments, 1).map(|_| Vec::new()));
        assert!(text.contains(part), "{text}");
    }
}

/// Loads that are refused, with the reason.
#[test]
fn loads_without_a_meaning_are_reported() {
    let (four, zero) = ([0; 4], [0, 0]);
    let swizzled = Tensor { swizzle: Swizzle::Bytes128, ..plain() };
    let slices = Tensor {
        interleave: Interleave::Bytes16,
        ..Tensor::new(ElementType::U16, TENSOR, &[16, 4, 4, 1], &[16, 64, 512])
    };
    let strided = Tensor { element_strides: vec![2, 1, 1, 1], ..slices.clone() };
    let wide = Tensor {
        swizzle: Swizzle::Bytes64,
        ..Tensor::new(ElementType::U16, TENSOR, &[32, 4, 4], &[64, 256])
    };
    let pixel_box = PixelBox { lower: vec![0; 2], upper: vec![0; 2], channels: 8, pixels: 4 };
    let pixels =
        TensorMap::im2col(&Tensor { interleave: Interleave::None, ..slices.clone() }, &pixel_box).unwrap();
    let two = TensorMap::im2col(&slices, &PixelBox { channels: 16, ..pixel_box }).unwrap();
    let row = TensorMap::im2col_wide(&wide, (0, 0), 32, 4, WideMode::W).unwrap();
    let row_128 = TensorMap::im2col_wide(&wide, (0, 0), 32, 4, WideMode::W128).unwrap();
    let padded = TensorMap::tiled(&Tensor::new(ElementType::B4x16P64, TENSOR, &[256], &[]), &[128]).unwrap();
    let boxed = |tensor: &Tensor, sizes: &[u32]| TensorMap::tiled(tensor, sizes).unwrap();
    let multicast = "mov.u16 %h1, 3;
        cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
        [%s], [%map, {%c0, %c1}], [bar], %h1;";
    let gather = "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes
        [%s], [%map, {%c0, %c1, 0, 0, 0}], [bar];";
    let cases: Vec<(&str, TensorMap, &[i32], String)> = vec![
        ("a copy of 3 dimensions with a tensor map of 2", map(), &[0, 0, 0], load_of(3, "", "")),
        ("needs a tensor map of boxes", pixels, &four, load_of(4, ".tile", "")),
        (
            "needs a tensor map of pixels (`im2col`)",
            boxed(&slices, &[8, 1, 1, 1]),
            &four,
            load_of(4, ".im2col", ", {0, 0}"),
        ),
        ("`im2col_wide`, W)", row_128, &[0, 0, 0], load_of(3, ".im2col::w", ", {0, 0}")),
        ("`im2col_wide`, W128)", row, &[0, 0, 0], load_of(3, ".im2col::w::128", ", {0, 0}")),
        ("starts at column 3, which is not a multiple of 16 bytes", map(), &[3, 0], load_of(2, "", "")),
        ("starts at column -1, which is not a multiple of 16 bytes", map(), &[-1, 0], load_of(2, "", "")),
        ("starts at column 64, which is not a multiple of 128", padded, &[64], load_of(1, "", "")),
        ("names blocks that the cluster does not have", map(), &zero, multicast.to_owned()),
        ("a box with one row", map(), &zero, gather.to_owned()),
        (
            "rows of 32 bytes lie in shared memory with a swizzle of 128",
            boxed(&swizzled, &[16, 4]),
            &zero,
            load_of(2, "", ""),
        ),
        ("is not made of slices of 8", boxed(&slices, &[12, 1, 1, 1]), &four, load_of(4, "", "")),
        ("an element stride does to slices", boxed(&strided, &[8, 1, 1, 1]), &four, load_of(4, "", "")),
        ("where the slices of 16 channels", two, &four, load_of(4, ".im2col", ", {0, 0}")),
        (
            "the filter is at 4 along dimension 1, outside of 0 to 3",
            pixels,
            &[0, 4, 0, 0],
            load_of(4, ".im2col", ", {0, 0}"),
        ),
        (
            "the filter is at -1 along dimension 2, outside of 0 to 3",
            pixels,
            &[0, 0, -1, 0],
            load_of(4, ".im2col", ", {0, 0}"),
        ),
        ("the halo or offset 256 is not below 256", pixels, &four, load_of(4, ".im2col", ", {0, 256}")),
        ("the halo or offset 512 is not below 512", row, &[0, 0, 0], load_of(3, ".im2col::w", ", {512, 0}")),
        (
            "the halo or offset 32 is not below 32",
            row_128,
            &[0, 0, 0],
            load_of(3, ".im2col::w::128", ", {32, 0}"),
        ),
        (
            "the halo or offset 32 is not below 32",
            row_128,
            &[0, 0, 0],
            load_of(3, ".im2col::w::128", ", {0, 32}"),
        ),
        (
            "the first pixel is at 4 along dimension 1, beyond 3",
            row,
            &[0, 4, 0],
            load_of(3, ".im2col::w", ", {0, 0}"),
        ),
    ];
    for (part, map, coordinates, copy) in cases {
        let text = reason(load(&map, &[0; 2048], 0, (coordinates, &copy, 0)));
        assert!(text.contains(part), "{text}, not {part}");
    }
}

#[test]
fn stores_without_a_meaning_are_reported() {
    let tensor = Tensor::new(ElementType::U16, TENSOR, &[16, 4, 4], &[32, 128]);
    let pixels = |lower, upper| {
        let pixel_box = PixelBox { lower: vec![lower], upper: vec![upper], channels: 8, pixels: 4 };
        TensorMap::im2col(&tensor, &pixel_box).unwrap()
    };
    let padded = TensorMap::tiled(&Tensor::new(ElementType::B4x16P64, TENSOR, &[256], &[]), &[128]).unwrap();
    let cases: Vec<(&str, TensorMap, &[i32], String)> = vec![
        ("are not negative, and these are [0, -1]", map(), &[0, -1], store_of(2, "")),
        ("are not negative", map(), &[-16, 0], store_of(2, "")),
        ("the corners are outside", pixels(-1, 0), &[0, 0, 0], store_of(3, ".im2col_no_offs")),
        ("the corners are outside", pixels(0, 1), &[0, 0, 0], store_of(3, ".im2col_no_offs")),
        ("`.b4x16_p64` cannot be stored", padded, &[0], store_of(1, "")),
    ];
    for (part, map, coordinates, copy) in cases {
        let text = reason(store(&map, &[0; 2048], 0, &[0; 2048], (coordinates, &copy)));
        assert!(text.contains(part), "{text}, not {part}");
    }
}

#[test]
fn places_in_memory_are_checked() {
    let copy = load_of(2, "", "");
    // Shared memory: alignment and the end.
    for (base, part) in
        [(64, "is not aligned to 128 bytes"), (SHOWN as u32, "128 bytes at 0x8000 in .shared")]
    {
        let text = reason(load(&map(), &[0; 1024], base, (&[0, 0], &copy, 128)));
        assert!(text.contains(part), "{text}, not {part}");
    }
    // The buffer is smaller than the map has it.
    let text = reason(load(&map(), &[0; 256], 0, (&[0, 1], &copy, 128)));
    assert!(text.contains("8 bytes at 0x1000000100 in .global memory is out of bounds"), "{text}");

    let tensor = Tensor { swizzle: Swizzle::Bytes32, ..plain() };
    let map = TensorMap::tiled(&tensor, &[16, 4]).unwrap();
    let body = |copy: &str| {
        kernel(&[0, 0], &format!("mbarrier.init.shared.b64 [bar], 1; add.u64 %map, %map, 16; {copy}"))
    };
    let refused = |text: &str| reason(launch(text, arguments(&map, &[0; 1024], 0), 1).map(|_| Vec::new()));
    assert!(refused(&body(&copy)).contains("is not aligned to 64 bytes"));
    let generic = "cvta.shared.u64 %map, 0; ".to_owned() + &copy;
    assert!(refused(&body(&generic)).contains("lies in .param, .const or .global, not in .shared"));
}

#[test]
fn replacements_without_a_meaning_are_reported() {
    let pixel_box = PixelBox { lower: vec![0], upper: vec![0], channels: 8, pixels: 4 };
    let tensor = Tensor::new(ElementType::U16, TENSOR, &[16, 4, 4], &[32, 128]);
    let pixels = TensorMap::im2col(&tensor, &pixel_box).unwrap();
    for (map, text, part) in [
        (map().to_bytes(), "rank.global.b1024.b32 [%out], 5", "5 is not a value of the field Rank"),
        (
            map().to_bytes(),
            "box_dim.global.b1024.b32 [%out], 0, 65536",
            "65536 is not a value of the field BoxDim(0)",
        ),
        (
            map().to_bytes(),
            "global_stride.global.b1024.b64 [%out], 4, 16",
            "16 is not a value of the field GlobalStride(4)",
        ),
        (map().to_bytes(), "rank.global.b1024.b32 [%out+4], 1", "is not aligned to 64 bytes"),
        (pixels.to_bytes(), "rank.global.b1024.b32 [%out], 1", "this one is of pixels"),
        ([7; 128], "rank.global.b1024.b32 [%out], 1", "are not a tensor map"),
    ] {
        let body = format!("tensormap.replace.tile.{text};");
        let mut arguments = arguments(&pixels, &[0; 16], 0);
        arguments[2] = Argument::Buffer(map.to_vec());
        let found = reason(launch(&kernel(&[], &body), arguments, 1).map(|_| Vec::new()));
        assert!(found.contains(part), "{found}, not {part}");
    }
    // Values that break a rule stop the copy that uses the map.
    let body = "ld.param.b32 %r1, [m]; mbarrier.init.shared.b64 [bar], 1;
        tensormap.replace.tile.global_dim.global.b1024.b32 [%out], 0, 0;
        cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%out, {0, 0}], [bar];";
    let mut arguments = arguments(&pixels, &[0; 16], 0);
    arguments[2] = Argument::Buffer(map().to_bytes().to_vec());
    let found = reason(launch(&kernel(&[], body), arguments, 1).map(|_| Vec::new()));
    assert!(found.contains("cannot be used: the size 0 of dimension 0"), "{found}");
}

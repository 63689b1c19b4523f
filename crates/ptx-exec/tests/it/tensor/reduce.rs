//! Reductions (manual 9.7.9.25.5.3).

use half::{bf16, f16};
use ptx_exec::TensorMap;
use ptx_exec::tensormap::{ElementType, Swizzle, Tensor};

use crate::tensor::harness::*;

/// The operations of a type on the bits of an element, from the table of operations and types.
type Combine = fn(u64, u64) -> u64;

fn signed(bits: u64) -> i32 {
    bits as u32 as i32
}

fn half_sum(a: u64, b: u64) -> u64 {
    // A sum of two halves is exact in double precision.
    f16::from_f64(f16::from_bits(a as u16).to_f64() + f16::from_bits(b as u16).to_f64()).to_bits().into()
}

fn brain_sum(a: u64, b: u64) -> u64 {
    let [a, b] = [a, b].map(|bits| bf16::from_bits(bits as u16).to_f32());
    bf16::from_f32(a + b).to_bits().into()
}

fn single_sum(a: u64, b: u64) -> u64 {
    (f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits().into()
}

fn flushed_sum(a: u64, b: u64) -> u64 {
    let flush = |x: f32| if x.is_subnormal() { 0.0f32.copysign(x) } else { x };
    let [a, b] = [a, b].map(|bits| flush(f32::from_bits(bits as u32)));
    flush(a + b).to_bits().into()
}

const OPERATIONS: &[(&str, ElementType, usize, Combine)] = &[
    ("add", ElementType::U32, 4, |a, b| u64::from((a as u32).wrapping_add(b as u32))),
    ("add", ElementType::S32, 4, |a, b| u64::from((a as u32).wrapping_add(b as u32))),
    ("add", ElementType::U64, 8, u64::wrapping_add),
    ("add", ElementType::F16, 2, half_sum),
    ("add", ElementType::Bf16, 2, brain_sum),
    ("add", ElementType::F32, 4, single_sum),
    ("add", ElementType::F32Ftz, 4, flushed_sum),
    ("min", ElementType::U32, 4, u64::min),
    ("max", ElementType::U32, 4, u64::max),
    ("min", ElementType::S32, 4, |a, b| u64::from(signed(a).min(signed(b)) as u32)),
    ("max", ElementType::S32, 4, |a, b| u64::from(signed(a).max(signed(b)) as u32)),
    ("min", ElementType::U64, 8, u64::min),
    ("max", ElementType::U64, 8, u64::max),
    ("min", ElementType::S64, 8, |a, b| (a as i64).min(b as i64) as u64),
    ("max", ElementType::S64, 8, |a, b| (a as i64).max(b as i64) as u64),
    ("min", ElementType::F16, 2, |a, b| extreme(a, b, |a, b| f16::from_bits(a) < f16::from_bits(b))),
    ("max", ElementType::F16, 2, |a, b| extreme(a, b, |a, b| f16::from_bits(a) > f16::from_bits(b))),
    ("min", ElementType::Bf16, 2, |a, b| extreme(a, b, |a, b| bf16::from_bits(a) < bf16::from_bits(b))),
    ("max", ElementType::Bf16, 2, |a, b| extreme(a, b, |a, b| bf16::from_bits(a) > bf16::from_bits(b))),
    ("inc", ElementType::U32, 4, |a, b| if a >= b { 0 } else { a + 1 }),
    ("dec", ElementType::U32, 4, |a, b| if a == 0 || a > b { b } else { a - 1 }),
    ("and", ElementType::U32, 4, |a, b| a & b),
    ("or", ElementType::S32, 4, |a, b| a | b),
    ("xor", ElementType::U32, 4, |a, b| a ^ b),
    ("and", ElementType::U64, 8, |a, b| a & b),
    ("or", ElementType::S64, 8, |a, b| a | b),
    ("xor", ElementType::U64, 8, |a, b| a ^ b),
];

fn extreme(a: u64, b: u64, is_better: fn(u16, u16) -> bool) -> u64 {
    if is_better(b as u16, a as u16) { b } else { a }
}

/// Bytes of elements without infinities and NaNs, small subnormals among them.
fn values(element: ElementType, count: usize) -> Vec<u8> {
    let mut bytes = noise(count);
    match element {
        ElementType::F16 => bytes.iter_mut().skip(1).step_by(2).for_each(|byte| *byte &= 0xbb),
        ElementType::Bf16 => bytes.iter_mut().skip(1).step_by(2).for_each(|byte| *byte &= 0xbf),
        ElementType::F32 | ElementType::F32Ftz => {
            bytes.iter_mut().skip(3).step_by(4).for_each(|byte| *byte &= 0xbf);
            // Every third is a subnormal.
            for element in bytes.chunks_exact_mut(4).step_by(3) {
                (element[3], element[2]) = (element[3] & 0x80, element[2] & 0x7f);
            }
        }
        _ => {}
    }
    bytes
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

#[test]
fn elements_are_combined_and_clipped() {
    for &(op, element, bytes, combine) in OPERATIONS {
        for (swizzle, row) in [(Swizzle::None, 48), (Swizzle::Bytes64, 64)] {
            let columns = row / bytes;
            let stride = 3 * row;
            let dims = [2 * columns as u64 - 1, 6];
            let mut tensor = Tensor::new(element, TENSOR, &dims, &[stride as u64]);
            tensor.swizzle = swizzle;
            let memory = values(element, stride * 6);
            let mut source = values(element, 1024);
            source.rotate_left(512);
            let map = TensorMap::tiled(&tensor, &[columns as u32, 4]).unwrap();
            for start in [[0, 0], [columns as i32, 3]] {
                let mut expected = memory.clone();
                for row in 0..4 {
                    for column in 0..columns {
                        let at = [i64::from(start[0]) + column as i64, i64::from(start[1]) + row as i64];
                        let Some(offset) = element_offset(&tensor, bytes, &at) else { continue };
                        let from = placed(swizzle, 256, (row * columns + column) * bytes) - 256;
                        let place = &mut expected[offset..offset + bytes];
                        let result = combine(word(place), word(&source[from..from + bytes]));
                        place.copy_from_slice(&result.to_le_bytes()[..bytes]);
                    }
                }
                let copy = format!(
                    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group [%map, {{%c0, %c1}}], [%s];"
                );
                let left = store(&map, &memory, 256, &source, (&start, &copy)).unwrap();
                assert!(left == expected && left != memory, "{op} {element:?} {swizzle:?} {start:?}");
            }
        }
    }
}

#[test]
fn an_operation_needs_a_type_that_has_it() {
    let memory = vec![0; 256];
    for (op, element) in [
        ("add", ElementType::U8),
        ("add", ElementType::S64),
        ("add", ElementType::F64),
        ("min", ElementType::F32),
        ("inc", ElementType::S32),
        ("xor", ElementType::F16),
        ("add", ElementType::B4x16),
    ] {
        let map = TensorMap::tiled(&Tensor::new(element, TENSOR, &[32], &[]), &[32]).unwrap();
        let copy = format!(
            "cp.reduce.async.bulk.tensor.1d.global.shared::cta.{op}.bulk_group [%map, {{%c0}}], [%s];"
        );
        let text = reason(store(&map, &memory, 0, &[0; 256], (&[0], &copy)));
        assert!(text.contains("have no operation"), "{text}");
    }
}

#[test]
fn pixels_are_combined_too() {
    let tensor = Tensor::new(ElementType::U32, TENSOR, &[4, 3, 2], &[16, 48]);
    let pixel_box = ptx_exec::tensormap::PixelBox { lower: vec![0], upper: vec![-1], channels: 4, pixels: 5 };
    let map = TensorMap::im2col(&tensor, &pixel_box).unwrap();
    let memory = vec![0; 96];
    let source: Vec<u8> = (1u32..=20).flat_map(u32::to_le_bytes).collect();
    let copy = "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group
        [%map, {%c0, %c1, %c2}], [%s];";
    let left = store(&map, &memory, 0, &source, (&[0, 1, 0], copy)).unwrap();
    // Of three pixels of a row the last is not taken: 1 of the first image, 0 and 1 of the second, two outside.
    let pixel = |n: usize| source[n * 16..n * 16 + 16].to_vec();
    let zeros = vec![0; 16];
    assert_eq!(left, [zeros.clone(), pixel(0), zeros.clone(), pixel(1), pixel(2), zeros].concat());
}

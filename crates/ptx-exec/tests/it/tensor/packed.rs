//! Elements of 4 and 6 bits (manual 5.5.1.1, 9.7.9.25.5.1).

use ptx_exec::TensorMap;
use ptx_exec::tensormap::{ElementType, Swizzle, Tensor};

use crate::tensor::harness::*;

/// The element of so many bits at a place of a row that starts at `row`.
fn element(memory: &[u8], row: usize, at: usize, bits: usize) -> u8 {
    let bit = |n: usize| memory[row + n / 8] >> (n % 8) & 1;
    (0..bits).fold(0, |value, n| value | bit(at * bits + n) << n)
}

/// Elements packed into bytes, the first in the lowest bits.
fn pack(elements: &[u8], bits: usize) -> Vec<u8> {
    let mut bytes = vec![0; elements.len() * bits / 8];
    for (at, value) in elements.iter().enumerate() {
        for n in 0..bits {
            bytes[(at * bits + n) / 8] |= (value >> n & 1) << ((at * bits + n) % 8);
        }
    }
    bytes
}

#[test]
fn packed_elements_are_copied_as_they_are() {
    // 180 elements of a row: the box ends outside of the tensor, within 16 elements.
    let tensor = Tensor::new(ElementType::B4x16, TENSOR, &[180, 5], &[96]);
    let memory = noise(480);
    let map = TensorMap::tiled(&tensor, &[64, 3]).unwrap();
    for start in [[0, 0], [128, 1], [-32, 3]] {
        let mut content = Vec::new();
        for row in 0..3 {
            let row = row + start[1] as usize;
            let elements: Vec<u8> = (0..64)
                .map(|at| at + start[0])
                .map(|at| {
                    let inside = (0..180).contains(&at) && row < 5;
                    if inside { element(&memory, row * 96, at as usize, 4) } else { 0 }
                })
                .collect();
            content.extend(pack(&elements, 4).into_iter().map(Some));
        }
        let found = load(&map, &memory, 0, (&start, &load_of(2, "", ""), 96)).unwrap();
        assert!(found == shared(Swizzle::None, 0, &content), "{start:?}");
    }
    let source = noise(96);
    let mut expected = memory.clone();
    for row in 0..2 {
        // Of 64 elements 52 are inside.
        expected[(row + 3) * 96 + 64..(row + 3) * 96 + 90].copy_from_slice(&source[row * 32..row * 32 + 26]);
    }
    let left = store(&map, &memory, 0, &source, (&[128, 3], &store_of(2, ""))).unwrap();
    assert_eq!(left, expected);
}

#[test]
fn padded_elements_take_a_byte_each_in_shared_memory() {
    for (kind, bits) in [(ElementType::B4x16P64, 4), (ElementType::B6x16P32, 6)] {
        for swizzle in [Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes128Atom32, Swizzle::Bytes128Atom64] {
            let stride = 256 * bits / 8 + 32;
            let mut tensor = Tensor::new(kind, TENSOR, &[256, 7], &[stride as u64]);
            tensor.swizzle = swizzle;
            let memory = noise(stride * 7);
            let map = TensorMap::tiled(&tensor, &[128, 5]).unwrap();
            for start in [[0, 0], [128, 2], [128, 4], [256, 0], [-128, 1]] {
                let mut content = Vec::new();
                for row in 0..5 {
                    let row = row + start[1] as usize;
                    for group in 0..8 {
                        let elements: Vec<u8> = (0..16)
                            .map(|at| start[0] + group * 16 + at)
                            .map(|at| {
                                let inside = (0..256).contains(&at) && row < 7;
                                if inside { element(&memory, row * stride, at as usize, bits) } else { 0 }
                            })
                            .collect();
                        content.extend(pack(&elements, bits).into_iter().map(Some));
                        // "The padded region that gets added is un-initialized."
                        content.extend(vec![None; 16 - 2 * bits]);
                    }
                }
                // The barrier counts the padding.
                let found = load(&map, &memory, 128, (&start, &load_of(2, "", ""), 5 * 128)).unwrap();
                assert!(found == shared(swizzle, 128, &content), "{kind:?} {swizzle:?} {start:?}");
            }
        }
    }
}

#[test]
fn stores_pack_the_lower_6_bits_of_bytes() {
    for swizzle in [Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes128Atom64] {
        let mut tensor = Tensor::new(ElementType::B6x16P32, TENSOR, &[128, 4], &[128]);
        tensor.swizzle = swizzle;
        let memory = noise(512);
        let map = TensorMap::tiled(&tensor, &[128, 3]).unwrap();
        let source = noise(1024);
        for start in [[0, 0], [0, 2]] {
            let mut expected = memory.clone();
            for row in 0..3 {
                let elements: Vec<u8> =
                    (0..128).map(|at| source[placed(swizzle, 0, row * 128 + at)] & 63).collect();
                let at = (row + start[1] as usize) * 128;
                if at < 512 {
                    expected[at..at + 96].copy_from_slice(&pack(&elements, 6));
                }
            }
            let left = store(&map, &memory, 0, &source, (&start, &store_of(2, ".tile"))).unwrap();
            assert!(left == expected, "{swizzle:?} {start:?}");
        }
    }
}

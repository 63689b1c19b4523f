//! Pixels for filters (manual 5.5.4, 5.5.5).

use ptx_exec::TensorMap;
use ptx_exec::tensormap::{ElementType, Interleave, OutOfBounds, PixelBox, Swizzle, Tensor, WideMode};

use crate::tensor::harness::*;

const CHANNELS: u64 = 24;

/// Images of 2-byte channels with padding: (C, W), (C, W, H) or (C, W, H, D), and N.
fn images(spatial: &[u64], count: u64) -> (Tensor, Vec<u8>) {
    let dims: Vec<u64> = [CHANNELS].iter().chain(spatial).chain(&[count]).copied().collect();
    let mut strides = vec![CHANNELS * 2 + 16];
    for &size in spatial {
        strides.push(strides.last().unwrap() * size + 32);
    }
    let bytes = (strides.last().unwrap() * count) as usize;
    (Tensor::new(ElementType::Bf16, TENSOR, &dims, &strides), noise(bytes))
}

/// The coordinates (W, H, D, N) of so many pixels: loops in loops, of which the first round starts at the filter and every later
/// one at the lower corner. Offsets move the filter and the box.
fn walk(
    tensor: &Tensor,
    pixel_box: &PixelBox,
    (start, offsets): (&[i32], &[u16]),
    wanted: usize,
) -> Vec<Vec<i64>> {
    let spatial = pixel_box.lower.len();
    let ranges: Vec<(i64, i64, i64, usize)> = (0..3)
        .map(|at| {
            if at >= spatial {
                return (0, 0, 0, 1);
            }
            let offset = i64::from(offsets[at]);
            let low = i64::from(pixel_box.lower[at]) + offset;
            let high = tensor.dims[at + 1] as i64 - 1 + i64::from(pixel_box.upper[at]) + offset;
            (i64::from(start[at + 1]) + offset, low, high, tensor.element_strides[at + 1] as usize)
        })
        .collect();
    let [w, h, d] = ranges[..] else { unreachable!() };
    let from = |first: bool, (start, low, ..): (i64, i64, i64, usize)| if first { start } else { low };
    let mut found = Vec::new();
    for n in i64::from(*start.last().unwrap()).. {
        let first_n = found.is_empty();
        for at_d in (from(first_n, d)..=d.2).step_by(d.3) {
            let first_d = found.is_empty();
            for at_h in (from(first_d, h)..=h.2).step_by(h.3) {
                let first_h = found.is_empty();
                for at_w in (from(first_h, w)..=w.2).step_by(w.3) {
                    let mut at = [at_w, at_h, at_d][..spatial].to_vec();
                    at.push(n);
                    found.push(at);
                    if found.len() == wanted {
                        return found;
                    }
                }
            }
        }
    }
    unreachable!()
}

/// The bytes of the channels of pixels.
fn channels(tensor: &Tensor, memory: &[u8], first: i32, count: u32, pixels: &[Vec<i64>]) -> Vec<Option<u8>> {
    let fill = if tensor.out_of_bounds == OutOfBounds::Nan { [0xf7, 0x7f] } else { [0; 2] };
    let mut content = Vec::new();
    for pixel in pixels {
        for channel in 0..i64::from(count) {
            let at: Vec<i64> = [i64::from(first) + channel].iter().chain(pixel).copied().collect();
            let offset = element_offset(tensor, 2, &at);
            content
                .extend((0..2).map(|byte| Some(offset.map_or(fill[byte], |offset| memory[offset + byte]))));
        }
    }
    content
}

#[test]
fn pixels_are_walked_along_w_h_d_and_n() {
    type Case = (&'static [u64], [&'static [i32]; 3], &'static [u16], &'static [u32]);
    let cases: [Case; 7] = [
        // Sizes, lower and upper corner, where the filter is with C and N, offsets, strides.
        (&[9], [&[0], &[0], &[0, 4, 1]], &[0], &[1]),
        (&[9], [&[-1], &[-2], &[8, -1, 0]], &[3], &[2]),
        (&[9, 7], [&[-1, -1], &[-1, -1], &[0, 4, 5, 1]], &[0, 0], &[1, 1]),
        (&[9, 7], [&[0, 0], &[-2, -2], &[8, 6, 4, 0]], &[2, 2], &[1, 1]),
        (&[8, 7], [&[-1, -1], &[-1, -1], &[0, 5, 3, 0]], &[1, 1], &[2, 2]),
        (&[6, 5, 4], [&[-1, -2, 0], &[-1, 0, -1], &[16, 3, -2, 1, 0]], &[1, 2, 1], &[1, 3, 2]),
        (&[3, 3, 3], [&[-1, -1, -1], &[1, 1, 1], &[0, -1, -1, -1, 1]], &[0, 0, 0], &[1, 1, 1]),
    ];
    for (sizes, [lower, upper, start], offsets, steps) in cases {
        for out_of_bounds in [OutOfBounds::Zeros, OutOfBounds::Nan] {
            let (mut tensor, memory) = images(sizes, 3);
            tensor.out_of_bounds = out_of_bounds;
            tensor.element_strides[1..=steps.len()].copy_from_slice(steps);
            let (lower, upper) = (lower.to_vec(), upper.to_vec());
            // More pixels than there are in the images.
            for pixels in [20, 150, 300] {
                let pixel_box = PixelBox { lower: lower.clone(), upper: upper.clone(), channels: 16, pixels };
                let map = TensorMap::im2col(&tensor, &pixel_box).unwrap();
                let walked = walk(&tensor, &pixel_box, (start, offsets), pixels as usize);
                let content = channels(&tensor, &memory, start[0], 16, &walked);
                let list: Vec<String> = offsets.iter().map(u16::to_string).collect();
                let more = format!(", {{{}}}", list.join(", "));
                let copy = load_of(start.len(), ".im2col", &more);
                let found = load(&map, &memory, 128, (start, &copy, content.len())).unwrap();
                assert!(found == shared(Swizzle::None, 128, &content), "{sizes:?} {pixel_box:?} {start:?}");
            }
        }
    }
}

#[test]
fn pixels_outside_of_an_image_are_zeros() {
    // 16 pixels with the values 1 to 16 in 4 rows, corners one pixel up and to the left: what published
    // measurements on an H100 have.
    let expected = [0, 0, 0, 0, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11];
    let tensor = Tensor::new(ElementType::F32, TENSOR, &[4, 4, 4, 1], &[16, 64, 256]);
    let memory: Vec<u8> = (1..=16).flat_map(|n| (n as f32).to_le_bytes().repeat(4)).collect();
    let pixel_box = PixelBox { lower: vec![-1; 2], upper: vec![-1; 2], channels: 4, pixels: 16 };
    let map = TensorMap::im2col(&tensor, &pixel_box).unwrap();
    let copy = load_of(4, ".im2col", ", {0, 0}");
    let found = load(&map, &memory, 0, (&[0, -1, -1, 0], &copy, 256)).unwrap();
    let expected: Vec<u8> = expected.iter().flat_map(|&n| (n as f32).to_le_bytes().repeat(4)).collect();
    assert_eq!(found[..256], expected);
}

#[test]
fn pixels_are_swizzled_and_may_come_in_slices() {
    let (mut tensor, memory) = images(&[6, 5], 2);
    tensor.swizzle = Swizzle::Bytes32;
    let pixel_box = PixelBox { lower: vec![-1; 2], upper: vec![0; 2], channels: 16, pixels: 33 };
    let map = TensorMap::im2col(&tensor, &pixel_box).unwrap();
    let start = [0, 2, 1, 0];
    let content = channels(&tensor, &memory, 0, 16, &walk(&tensor, &pixel_box, (&start, &[1, 0]), 33));
    let found =
        load(&map, &memory, 384, (&start, &load_of(4, ".im2col", ", {1, 0}"), content.len())).unwrap();
    assert!(found == shared(Swizzle::Bytes32, 384, &content));

    // NC/8HWC8: 3 slices of 8 channels.
    let mut tensor = Tensor::new(ElementType::F16, TENSOR, &[24, 6, 5, 2], &[16, 96, 1440]);
    tensor.interleave = Interleave::Bytes16;
    let memory = noise(2880);
    let pixel_box = PixelBox { channels: 8, ..pixel_box };
    let map = TensorMap::im2col(&tensor, &pixel_box).unwrap();
    let start = [16, 2, 1, 0];
    let mut content = Vec::new();
    for pixel in walk(&tensor, &pixel_box, (&start, &[0, 1]), 33) {
        let [w, h, n] = pixel[..] else { unreachable!() };
        let inside = (0..6).contains(&w) && (0..5).contains(&h) && n < 2;
        for byte in 0..16 {
            // The third slice of the image.
            let offset = n * 1440 + 2 * 480 + h * 96 + w * 16 + byte;
            content.push(Some(if inside { memory[offset as usize] } else { 0 }));
        }
    }
    let copy = load_of(4, ".im2col", ", {0, 1}");
    let found = load(&map, &memory, 0, (&start, &copy, content.len())).unwrap();
    assert!(found == shared(Swizzle::None, 0, &content));
}

#[test]
fn pixels_are_stored() {
    let (tensor, memory) = images(&[6, 5], 2);
    let pixel_box = PixelBox { lower: vec![1, 0], upper: vec![-1, -2], channels: 16, pixels: 40 };
    let map = TensorMap::im2col(&tensor, &pixel_box).unwrap();
    let start = [16, 3, 1, 1];
    let source = noise(40 * 32);
    let mut expected = memory.clone();
    // Channels and images outside of the tensor are left out.
    for (number, pixel) in walk(&tensor, &pixel_box, (&start, &[0, 0]), 40).iter().enumerate() {
        for channel in 0..16 {
            let at: Vec<i64> = [16 + channel].iter().chain(pixel).copied().collect();
            let Some(offset) = element_offset(&tensor, 2, &at) else { continue };
            let from = number * 32 + channel as usize * 2;
            expected[offset..offset + 2].copy_from_slice(&source[from..from + 2]);
        }
    }
    let left = store(&map, &memory, 0, &source, (&start, &store_of(4, ".im2col_no_offs"))).unwrap();
    assert!(left == expected && left != memory);
}

/// The pixels of images one after the other along W, from a start on.
fn row_walk(
    tensor: &Tensor,
    (low, high): (i32, i32),
    start: &[i32],
    offset: i32,
    wanted: usize,
) -> Vec<Vec<i64>> {
    let step = tensor.element_strides[1] as usize;
    let (low, high) = (low + offset, tensor.dims[1] as i32 - 1 + high + offset);
    let mut found = Vec::new();
    let mut first = start[1] + offset;
    let mut n = *start.last().unwrap();
    while found.len() < wanted {
        for w in (first..=high).step_by(step) {
            let mut at = vec![i64::from(w)];
            at.extend(start[2..start.len() - 1].iter().map(|&at| i64::from(at)));
            at.push(n.into());
            found.push(at);
        }
        (first, n) = (low, n + 1);
    }
    found.truncate(wanted);
    found
}

#[test]
fn rows_of_pixels_come_with_a_halo() {
    for (swizzle, count) in [(Swizzle::Bytes64, 32), (Swizzle::Bytes128, 64), (Swizzle::Bytes128Atom32, 64)] {
        for (rank, corners, start_w, step) in
            [(3, (0, 0), 2, 1), (4, (-1, 0), -1, 2), (4, (-1, -1), -1, 3), (5, (-2, -1), -4, 1)]
        {
            // (C, W, H, D, N)
            let dims = [[80, 9, 3, 2, 30][..rank - 1].to_vec(), vec![30]].concat();
            let mut strides = vec![176];
            for &size in &dims[1..rank - 1] {
                strides.push(strides.last().unwrap() * size);
            }
            let memory = noise((strides.last().unwrap() * 30) as usize);
            let mut tensor = Tensor::new(ElementType::F16, TENSOR, &dims, &strides);
            tensor.swizzle = swizzle;
            tensor.element_strides[1] = step;
            let mut start = vec![8, start_w];
            start.extend([2, 1][..rank - 3].iter());
            start.push(3);
            for (halo, offset) in [(0, 0), (2, 0), (1, 1), (3, 2)] {
                let more = format!(", {{{halo}, {offset}}}");
                // The halo follows the pixels.
                let map = TensorMap::im2col_wide(&tensor, corners, count, 37, WideMode::W).unwrap();
                let pixels = row_walk(&tensor, corners, &start, offset, 37 + halo);
                let content = channels(&tensor, &memory, 8, count, &pixels);
                let copy = load_of(rank, ".im2col::w", &more);
                let found = load(&map, &memory, 1024, (&start, &copy, content.len())).unwrap();
                assert!(found == shared(swizzle, 1024, &content), "{rank} {corners:?} {halo} {offset}");

                // 128 pixels, then the first that follows each 32 of them, then the second ..
                let map = TensorMap::im2col_wide(&tensor, corners, count, 5, WideMode::W128).unwrap();
                let all = row_walk(&tensor, corners, &start, offset, 128 + halo);
                let mut pixels = all[..128].to_vec();
                for n in 0..halo {
                    pixels.extend([32, 64, 96, 128].map(|end| all[end + n].clone()));
                }
                let content = channels(&tensor, &memory, 8, count, &pixels);
                let copy = load_of(rank, ".im2col::w::128", &more);
                let found = load(&map, &memory, 0, (&start, &copy, content.len())).unwrap();
                assert!(found == shared(swizzle, 0, &content), "{rank} {corners:?} {halo} {offset}");
            }
        }
    }
}

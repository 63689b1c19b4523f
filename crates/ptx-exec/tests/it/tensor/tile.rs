//! Boxes (manual 5.5.3, 5.5.6, 5.5.7).

use ptx_exec::TensorMap;
use ptx_exec::tensormap::{ElementType, Interleave, OutOfBounds, Swizzle, Tensor};

use crate::tensor::harness::*;

/// The type of the elements and their bytes.
const TYPES: [(ElementType, usize); 11] = [
    (ElementType::U8, 1),
    (ElementType::U16, 2),
    (ElementType::U32, 4),
    (ElementType::S32, 4),
    (ElementType::U64, 8),
    (ElementType::S64, 8),
    (ElementType::F16, 2),
    (ElementType::F32, 4),
    (ElementType::F32Ftz, 4),
    (ElementType::F64, 8),
    (ElementType::Bf16, 2),
];

/// A tensor with padding after each dimension, and its bytes.
fn tensor(element: ElementType, bytes: usize, dims: &[u64]) -> (Tensor, Vec<u8>) {
    let mut strides = Vec::new();
    let mut next = (dims[0] as usize * bytes).next_multiple_of(16) + 16;
    for &size in &dims[1..] {
        strides.push(next as u64);
        next = next * size as usize + 32;
    }
    (Tensor::new(element, TENSOR, dims, &strides), noise(next))
}

/// All coordinates of a box, the first dimension fastest.
fn box_coordinates(tensor: &Tensor, sizes: &[u32], start: &[i32]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for dimension in (0..sizes.len()).rev() {
        // The element stride of the first dimension does not count without an interleave.
        let step = if dimension == 0 { 1 } else { tensor.element_strides[dimension] };
        let steps = sizes[dimension].div_ceil(step);
        let along = |rest: &Vec<i64>| {
            let rest = rest.clone();
            (0..steps).map(move |at| {
                let mut list = vec![i64::from(start[dimension]) + i64::from(at * step)];
                list.extend(&rest);
                list
            })
        };
        all = all.iter().flat_map(along).collect();
    }
    all
}

/// What a load brings: the bytes of the box in order.
fn boxed(tensor: &Tensor, memory: &[u8], bytes: usize, sizes: &[u32], start: &[i32]) -> Vec<Option<u8>> {
    // Every 16 bits are 0x7ff7, which is what `fma.oob` looks for, as published measurements on an H100 have it.
    let filler = |byte: usize| match tensor.out_of_bounds {
        OutOfBounds::Zeros => 0,
        OutOfBounds::Nan => [0xf7, 0x7f][byte % 2],
    };
    let of = |at: Vec<i64>| {
        let offset = element_offset(tensor, bytes, &at);
        (0..bytes).map(move |byte| Some(offset.map_or(filler(byte), |offset| memory[offset + byte])))
    };
    box_coordinates(tensor, sizes, start).into_iter().flat_map(of).collect()
}

fn check_load(tensor: &Tensor, memory: &[u8], bytes: usize, sizes: &[u32], start: &[i32], base: u32) {
    let map = TensorMap::tiled(tensor, sizes).unwrap();
    let content = boxed(tensor, memory, bytes, sizes, start);
    let copy = load_of(sizes.len(), "", "");
    let found = load(&map, memory, base, (start, &copy, content.len())).unwrap();
    let expected = shared(tensor.swizzle, base as usize, &content);
    assert!(found == expected, "{tensor:?} {sizes:?} {start:?}: {}", difference(&found, &expected));
}

fn difference(found: &[u8], expected: &[u8]) -> String {
    let at = found.iter().zip(expected).position(|(a, b)| a != b);
    at.map_or(String::new(), |at| format!("at {at}: {:#x}, expected {:#x}", found[at], expected[at]))
}

#[test]
fn boxes_of_every_rank_and_type_are_loaded() {
    for (element, bytes) in TYPES {
        let row = 64 / bytes as u32;
        let sizes = [row, 3, 2, 3, 2];
        for rank in 1..=5 {
            let dims = [u64::from(row) * 2, 5, 4, 3, 4];
            let (tensor, memory) = tensor(element, bytes, &dims[..rank]);
            let start = [row as i32, 1, 2, 0, 1];
            check_load(&tensor, &memory, bytes, &sizes[..rank], &start[..rank], 0);
        }
    }
}

#[test]
fn what_lies_outside_of_the_tensor_is_filled() {
    for (element, bytes) in TYPES {
        for out_of_bounds in [OutOfBounds::Zeros, OutOfBounds::Nan] {
            if out_of_bounds == OutOfBounds::Nan && !element.is_float() {
                continue;
            }
            let row = 32 / bytes as i32;
            // Sizes that are not multiples of 16 bytes, so that a boundary is within a chunk.
            let (mut tensor, memory) = tensor(element, bytes, &[3 * row as u64 - 1, 4, 3]);
            tensor.out_of_bounds = out_of_bounds;
            let half = row / 2;
            for start in [
                [-half, 0, 0],
                [-row, 1, 1],
                [0, -2, 0],
                [2 * row, 2, 1],
                [3 * row, 0, 0],
                [i32::MAX / row * row - row + 1, 0, 0],
                [0, i32::MIN, 0],
                [half, 3, 2],
                [0, 0, 100],
            ] {
                let start = [start[0] / half * half, start[1], start[2]];
                check_load(&tensor, &memory, bytes, &[row as u32, 3, 2], &start, 128);
            }
        }
    }
}

/// All patterns, with the bytes of their rows.
const SWIZZLES: [(Swizzle, u32); 7] = [
    (Swizzle::None, 64),
    (Swizzle::Bytes32, 32),
    (Swizzle::Bytes64, 64),
    (Swizzle::Bytes128, 128),
    (Swizzle::Bytes128Atom32, 128),
    (Swizzle::Bytes128Atom32Flip8, 128),
    (Swizzle::Bytes128Atom64, 128),
];

#[test]
fn boxes_are_swizzled_by_the_address_in_shared_memory() {
    for (swizzle, row) in SWIZZLES {
        for (element, bytes) in [(ElementType::U8, 1), (ElementType::F16, 2), (ElementType::U64, 8)] {
            let columns = row / bytes as u32;
            let (mut tensor, memory) = tensor(element, bytes, &[u64::from(columns) * 2, 24, 3]);
            tensor.swizzle = swizzle;
            for base in [0, 128, 384, 1024 + 640] {
                check_load(&tensor, &memory, bytes, &[columns, 19, 2], &[columns as i32, 2, 1], base);
            }
            // Out of bounds within a chunk.
            let half = (columns / 2) as i32;
            check_load(&tensor, &memory, bytes, &[columns, 9, 1], &[-half, -3, 2], 256);
        }
    }
}

#[test]
fn element_strides_skip_elements() {
    let (mut tensor, memory) = tensor(ElementType::U32, 4, &[16, 20, 9]);
    // That of the first dimension does not count.
    tensor.element_strides = vec![2, 3, 2];
    for (sizes, start) in [([8, 9, 4], [4, 1, 1]), ([8, 10, 5], [0, 0, 0]), ([8, 11, 4], [8, -3, 6])] {
        check_load(&tensor, &memory, 4, &sizes, &start, 0);
    }
}

/// An interleaved tensor of 2-byte channels: (C, W, H, N) as N, slices of C, H, W, channels of a slice.
fn interleaved(interleave: Interleave, [c, w, h, n]: [u64; 4]) -> (Tensor, Vec<u8>, usize) {
    let slice = if interleave == Interleave::Bytes16 { 16 } else { 32 };
    let slices = c.div_ceil(slice / 2);
    // A pixel of a slice, a row of pixels with padding, an image.
    let (pixel, row) = (slice, slice * w + 32);
    let image = row * h * slices;
    let mut tensor = Tensor::new(ElementType::U16, TENSOR, &[c, w, h, n], &[pixel, row, image]);
    tensor.interleave = interleave;
    if interleave == Interleave::Bytes32 {
        tensor.swizzle = Swizzle::Bytes32;
    }
    (tensor, noise((image * n) as usize), slice as usize)
}

#[test]
fn interleaved_tensors_are_loaded_slice_by_slice() {
    for interleave in [Interleave::Bytes16, Interleave::Bytes32] {
        // The last slice is not full.
        let (tensor, memory, slice) = interleaved(interleave, [43, 6, 5, 3]);
        let channels = slice as i64 / 2;
        let (row, image) = (tensor.strides[1] as i64, tensor.strides[2] as i64);
        for (slices, start) in
            [(1, [0, 1, 2, 1]), (2, [channels as i32, -1, 3, 2]), (3, [2 * channels as i32, 4, 0, 0])]
        {
            let (wide, high, many) = (3, 2, 2);
            let sizes = [slices * channels as u32, wide, high, many];
            let mut content = Vec::new();
            // "the source multi-dimensional tensor layout is preserved at the destination"
            for n in 0..i64::from(many) {
                for part in 0..i64::from(slices) {
                    for h in 0..i64::from(high) {
                        for w in 0..i64::from(wide) {
                            for channel in 0..channels {
                                let c = i64::from(start[0]) + part * channels + channel;
                                let [w, h, n] = [w, h, n]
                                    .into_iter()
                                    .zip(&start[1..])
                                    .map(|(a, &b)| a + i64::from(b))
                                    .collect::<Vec<_>>()[..]
                                else {
                                    unreachable!()
                                };
                                let inside = (0..43).contains(&c)
                                    && (0..6).contains(&w)
                                    && (0..5).contains(&h)
                                    && (0..3).contains(&n);
                                // The slices of an image are its height times a row apart.
                                let offset = n * image
                                    + (c / channels) * 5 * row
                                    + h * row
                                    + w * slice as i64
                                    + (c % channels) * 2;
                                for byte in 0..2 {
                                    let value = if inside { memory[(offset + byte) as usize] } else { 0 };
                                    content.push(Some(value));
                                }
                            }
                        }
                    }
                }
            }
            let map = TensorMap::tiled(&tensor, &sizes).unwrap();
            let found = load(&map, &memory, 256, (&start, &load_of(4, ".tile", ""), content.len())).unwrap();
            let expected = shared(tensor.swizzle, 256, &content);
            assert!(found == expected, "{interleave:?} {start:?}: {}", difference(&found, &expected));
        }
    }
}

#[test]
fn an_interleave_of_16_bytes_goes_with_every_swizzle() {
    for (swizzle, _) in SWIZZLES {
        let (mut tensor, memory, _) = interleaved(Interleave::Bytes16, [8, 12, 8, 1]);
        tensor.swizzle = swizzle;
        let row = tensor.strides[1] as usize;
        let content: Vec<Option<u8>> = (0..8)
            .flat_map(|h| (0..12).map(move |w| (h, w)))
            .flat_map(|(h, w)| (0..16).map(move |byte| h * row + w * 16 + byte))
            .map(|offset| Some(memory[offset]))
            .collect();
        let map = TensorMap::tiled(&tensor, &[8, 12, 8, 1]).unwrap();
        let found = load(&map, &memory, 0, (&[0; 4], &load_of(4, "", ""), content.len())).unwrap();
        assert!(found == shared(swizzle, 0, &content), "{swizzle:?}");
    }
}

/// In every number of dimensions: loads through the window of the cluster, stores, and sums with what is there.
#[test]
fn boxes_of_every_rank_are_copied_every_way() {
    let (sizes, dims, start) = ([16, 3, 2, 3, 2], [20, 5, 4, 3, 4], [8, 3, 3, 1, 2]);
    for rank in 1..=5 {
        let (tensor, memory) = tensor(ElementType::U32, 4, &dims[..rank]);
        let (sizes, start) = (&sizes[..rank], &start[..rank]);
        let map = TensorMap::tiled(&tensor, sizes).unwrap();
        let content = boxed(&tensor, &memory, 4, sizes, start);
        for mode in ["", ".tile"] {
            let copy = load_of(rank, mode, "").replace("shared::cta.global", "shared::cluster.global");
            let found = load(&map, &memory, 0, (start, &copy, content.len())).unwrap();
            assert!(found == shared(tensor.swizzle, 0, &content), "{copy}");
        }
        let source = noise(content.len());
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let (mut stored, mut added) = (memory.clone(), memory.clone());
        for (number, at) in box_coordinates(&tensor, sizes, start).iter().enumerate() {
            let Some(offset) = element_offset(&tensor, 4, at) else { continue };
            let own = &source[number * 4..number * 4 + 4];
            stored[offset..offset + 4].copy_from_slice(own);
            let sum = word(&memory[offset..offset + 4]).wrapping_add(word(own));
            added[offset..offset + 4].copy_from_slice(&sum.to_le_bytes());
        }
        let copy = store_of(rank, "");
        assert!(store(&map, &memory, 0, &source, (start, &copy)).unwrap() == stored, "{copy}");
        let add = copy.replace("cp.async", "cp.reduce.async").replace("shared::cta", "shared::cta.add");
        assert!(store(&map, &memory, 0, &source, (start, &add)).unwrap() == added, "{add}");
        // A prefetch changes nothing.
        let list: Vec<String> = (0..rank).map(|at| format!("%c{at}")).collect();
        let prefetch =
            format!("cp.async.bulk.prefetch.tensor.{rank}d.L2.global [%map, {{{}}}];", list.join(", "));
        assert!(store(&map, &memory, 0, &source, (start, &prefetch)).unwrap() == memory, "{prefetch}");
    }
}

#[test]
fn boxes_are_stored_and_clipped() {
    for (swizzle, row) in SWIZZLES {
        for (element, bytes) in TYPES {
            let columns = row / bytes as u32;
            let (mut tensor, memory) = tensor(element, bytes, &[u64::from(columns) * 2 - 1, 10, 3]);
            tensor.swizzle = swizzle;
            tensor.element_strides = vec![1, 2, 1];
            let sizes = [columns, 7, 2];
            let map = TensorMap::tiled(&tensor, &sizes).unwrap();
            for start in [[0, 1, 1], [columns as i32, 0, 0], [(columns / 2) as i32, 5, 2], [0, 100, 0]] {
                let base = 384;
                let source = noise(4096);
                let mut expected = memory.clone();
                for (number, at) in box_coordinates(&tensor, &sizes, &start).iter().enumerate() {
                    let Some(offset) = element_offset(&tensor, bytes, at) else { continue };
                    for byte in 0..bytes {
                        expected[offset + byte] = source[placed(swizzle, base, number * bytes + byte) - base];
                    }
                }
                let left = store(&map, &memory, base as u32, &source, (&start, &store_of(3, ".tile")));
                assert!(left.unwrap() == expected, "{swizzle:?} {element:?} {start:?}");
            }
        }
    }
}

#[test]
fn loads_of_tf32_round() {
    // From the definition of the format: 10 bits of the fraction stay, ties go to even.
    let cases: [(u32, u32); 9] = [
        (0x3f80_0000, 0x3f80_0000),
        (0x3f80_0fff, 0x3f80_0000),
        (0x3f80_1000, 0x3f80_0000),
        (0x3f80_1001, 0x3f80_2000),
        (0x3f80_3000, 0x3f80_4000),
        (0xbfff_ffff, 0xc000_0000),
        (0x7f7f_ffff, 0x7f80_0000),
        (0xff80_0000, 0xff80_0000),
        // A NaN, as published measurements on an H100 have it.
        (0xffc0_1234, 0x7fff_e000),
    ];
    let mut words: Vec<u32> = cases.iter().map(|(from, _)| *from).collect();
    words.resize(12, 0);
    let memory: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for element in [ElementType::Tf32, ElementType::Tf32Ftz] {
        // The box is longer than the tensor, so that elements are read one by one, too.
        let mut tensor = Tensor::new(element, TENSOR, &[9], &[]);
        tensor.out_of_bounds = OutOfBounds::Nan;
        let map = TensorMap::tiled(&tensor, &[12]).unwrap();
        let found = load(&map, &memory, 0, (&[0], &load_of(1, "", ""), 48)).unwrap();
        let mut expected: Vec<u32> = cases.iter().map(|(_, to)| *to).collect();
        expected.resize(12, 0x7ff7_7ff7);
        let expected: Vec<u8> = expected.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(found[..48], expected);
        // A store keeps all bits.
        let left = store(&map, &memory, 0, &noise(48), (&[0], &store_of(1, ""))).unwrap();
        assert_eq!(left[..36], noise(48)[..36]);
    }
}

#[test]
fn four_rows_are_gathered_and_scattered() {
    for (swizzle, row) in [(Swizzle::None, 48), (Swizzle::Bytes128, 128), (Swizzle::Bytes64, 64)] {
        let columns = row / 2;
        let (mut tensor, memory) = tensor(ElementType::F16, 2, &[u64::from(columns) + 8, 12]);
        tensor.swizzle = swizzle;
        let map = TensorMap::tiled(&tensor, &[columns, 1]).unwrap();
        for rows in [[2, 5, 0, 9], [11, 12, -1, 11], [3, 3, 3, 100]] {
            let start = 16;
            let coordinates = [start, rows[0], rows[1], rows[2], rows[3]];
            let content: Vec<Option<u8>> = rows
                .iter()
                .flat_map(|&row| boxed(&tensor, &memory, 2, &[columns, 1], &[start, row]))
                .collect();
            let copy =
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes
                [%s], [%map, {%c0, %c1, %c2, %c3, %c4}], [bar];";
            let found = load(&map, &memory, 128, (&coordinates, copy, content.len())).unwrap();
            assert!(found == shared(swizzle, 128, &content), "{swizzle:?} {rows:?}");

            let coordinates = coordinates.map(|at| at.max(0));
            let source = noise(1024);
            let mut expected = memory.clone();
            for (number, &row) in coordinates[1..].iter().enumerate() {
                for column in 0..columns as usize {
                    let at = [i64::from(start) + column as i64, row.into()];
                    let Some(offset) = element_offset(&tensor, 2, &at) else { continue };
                    for byte in 0..2 {
                        let from = (number * columns as usize + column) * 2 + byte;
                        expected[offset + byte] = source[placed(swizzle, 128, from) - 128];
                    }
                }
            }
            let copy = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group
                [%map, {%c0, %c1, %c2, %c3, %c4}], [%s];";
            let left = store(&map, &memory, 128, &source, (&coordinates, copy)).unwrap();
            assert!(left == expected, "{swizzle:?} {rows:?}");
        }
    }
}

#[test]
fn the_forms_of_a_load_do_the_same() {
    let (tensor, memory) = tensor(ElementType::U32, 4, &[16, 4]);
    let map = TensorMap::tiled(&tensor, &[8, 2]).unwrap();
    let content = boxed(&tensor, &memory, 4, &[8, 2], &[4, 1]);
    let expected = shared(Swizzle::None, 0, &content);
    for copy in [
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%map, {%c0, 1}], [bar];",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::1
            [%s], [%map, {4, %c1}], [bar];",
        "mov.u16 %h1, 1;
        cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
            [%s], [%map, {%c0, %c1}], [bar], %h1;",
        "mov.u16 %h1, 1; createpolicy.fractional.L2::evict_last.b64 %rd2;
        cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2.L2::cache_hint
            [%s], [%map, {%c0, %c1}], [bar], %h1, %rd2;",
        "prefetch.param.tensormap [m]; prefetch.tensormap [%map];
        cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%map, {%c0, %c1}];
        fence.proxy.tensormap::generic.acquire.gpu [%map], 128;
        cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%map, {%c0, %c1}], [bar];",
    ] {
        let found = load(&map, &memory, 0, (&[4, 1], copy, content.len())).unwrap();
        assert!(found == expected, "{copy}");
    }
}

/// The rows of four words of a tensor of zeros, after all threads of a warp have executed a copy. Shared memory has the words `4 * n` to
/// `4 * n + 3` at `s + 128 * n`; `%r1` is the thread.
fn copied_by_a_warp(copy: &str) -> Vec<[u32; 4]> {
    let tensor = Tensor::new(ElementType::U32, TENSOR, &[4, 32], &[16]);
    let map = TensorMap::tiled(&tensor, &[4, 1]).unwrap();
    let body = format!(
        "mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r1, 128, %s; shl.b32 %r3, %r1, 2;
        add.u32 %r4, %r3, 1; add.u32 %r5, %r3, 2; add.u32 %r6, %r3, 3;
        st.shared.v4.b32 [%r2], {{%r3, %r4, %r5, %r6}};
        fence.proxy.async; bar.sync 0;
        {copy}
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    );
    let buffers = launch(&kernel(&[0, 0], &body), arguments(&map, &[0; 512], 0), 32).unwrap();
    let words = buffers[1].as_ref().unwrap().as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
    words.collect::<Vec<_>>().as_chunks().0.to_vec()
}

#[test]
fn every_thread_of_a_warp_copies() {
    let rows: Vec<[u32; 4]> = (0..32).map(|n| [4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 3]).collect();
    let first = |row: [u32; 4]| std::iter::once(row).chain([[0; 4]; 31]).collect::<Vec<_>>();
    let store = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {%c0, %c1}],";
    assert_eq!(copied_by_a_warp(&format!("mov.b32 %c1, %r1; {store} [%r2];")), rows);
    assert_eq!(copied_by_a_warp(&format!("{store} [%s];")), first(rows[0]));
    // All add the same.
    let add = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%map, {%c0, %c1}],";
    assert_eq!(copied_by_a_warp(&format!("{add} [%s];")), first([0, 32, 64, 96]));
    // The last of those who store something else each.
    let turns = format!("and.b32 %r7, %r1, 1; mad.lo.u32 %r7, %r7, 128, %s; {store} [%r7];");
    assert_eq!(copied_by_a_warp(&turns), first(rows[1]));
}

/// What of a heap may be accessed is asked for each step of a copy.
#[test]
fn a_tensor_may_be_in_memory_from_malloc() {
    let tensor = Tensor::new(ElementType::U32, TENSOR, &[8, 4], &[32]);
    let map = TensorMap::tiled(&tensor, &[4, 4]).unwrap();
    let body = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 2048; call.uni (r), malloc, (n); ld.param.b64 %rd3, [r]; }
        add.u64 %rd3, %rd3, 127; and.b64 %rd3, %rd3, -128; add.u64 %rd4, %rd3, 1024;
        mov.u32 %r1, 0;
        FILL: mul.wide.u32 %rd5, %r1, 4;
        add.u64 %rd6, %rd3, %rd5; st.global.b32 [%rd6], %r1;
        add.u64 %rd6, %map, %rd5; ld.b32 %r2, [%rd6]; add.u64 %rd6, %rd4, %rd5; st.global.b32 [%rd6], %r2;
        add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 32; @%p bra FILL;
        tensormap.replace.tile.global_address.global.b1024.b64 [%rd4], %rd3;
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 64;
        cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%s], [%rd4, {4, 2}], [bar];
        WAIT: mbarrier.test_wait.shared.b64 %p, [bar], %rd1; @!%p bra WAIT;
        cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd4, {0, 0}], [%s];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        mov.u32 %r1, 0;
        SHOW: ld.global.b32 %r2, [%rd3]; st.global.b32 [%out], %r2;
        add.u64 %rd3, %rd3, 4; add.u64 %out, %out, 4;
        add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 32; @%p bra SHOW;";
    let malloc = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.visible";
    let text = kernel(&[], body).replace(".visible", malloc);
    let buffers = launch(&text, arguments(&map, &[0; 128], 0), 1).unwrap();
    let words = buffers[2].as_ref().unwrap().as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
    // The box has two rows in the tensor and two below it.
    let rows = [[20, 21, 22, 23, 4, 5, 6, 7], [28, 29, 30, 31, 12, 13, 14, 15]];
    let zeros = [[0, 0, 0, 0, 20, 21, 22, 23], [0, 0, 0, 0, 28, 29, 30, 31]];
    assert_eq!(words.take(32).collect::<Vec<u32>>(), [rows, zeros].concat().concat());
}

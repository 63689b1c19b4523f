//! `tcgen05.cp`, `tcgen05.shift` and `tcgen05.commit` (manual 9.7.16.9, 9.7.16.12).

use super::image::{Tensor, descriptor, run_image};
use super::{END, START, stops};

/// Bytes of shared memory.
fn bytes() -> Vec<u8> {
    (0..65536u32).map(|at| (at.wrapping_mul(0x0101_6b35) >> 16) as u8).collect()
}

/// The lanes that get a row of a shape, as CUTLASS has them (`copy_traits_sm100.hpp`): a stride for each part of the number of a row,
/// and strides of copies.
fn lanes(shape: &str, row: usize) -> Vec<usize> {
    match shape {
        "128x256b" | "128x128b" => vec![row],
        "4x256b" => vec![row * 32],
        "64x128b.warpx2::02_13" => vec![row, row + 64],
        "64x128b.warpx2::01_23" => {
            let first = row % 32 + row / 32 * 64;
            vec![first, first + 32]
        }
        _ => (0..4).map(|copy| row + copy * 32).collect(),
    }
}

const SHAPES: [(&str, usize, usize); 6] = [
    ("128x256b", 128, 2),
    ("128x128b", 128, 1),
    ("4x256b", 4, 2),
    ("64x128b.warpx2::02_13", 64, 1),
    ("64x128b.warpx2::01_23", 64, 1),
    ("32x128b.warpx4", 32, 1),
];

/// What 16 bytes are in tensor memory. Elements of four bits are in the middle of their bytes, those of six in the low bits.
fn unpacked(format: &str, piece: &[u8]) -> Vec<u8> {
    let bits: Vec<u8> = piece.iter().flat_map(|byte| (0..8).map(move |n| byte >> n & 1)).collect();
    let (width, shift) = match format {
        "" => return piece.to_vec(),
        ".b8x16.b6x16_p32" => (6, 0),
        _ => (4, 2),
    };
    (0..16).map(|i| (0..width).fold(0, |byte, n| byte | bits[i * width + n] << (n + shift))).collect()
}

#[test]
fn rows_reach_their_lanes() {
    let memory = bytes();
    for (shape, rows, chunks) in SHAPES {
        for format in ["", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"] {
            // Without swizzling: 16 bytes of eight rows follow each other; 128 bytes swizzled.
            for swizzled in [false, true] {
                let (leading, stride) = if swizzled { (16, 1024) } else { (8192, 256) };
                let mode: u64 = if swizzled { 2 } else { 0 };
                let bits = (1024 >> 4) | (leading >> 4) << 16 | (stride >> 4) << 32 | 1 << 46 | mode << 61;
                let lane = if shape == "4x256b" { 31 } else { 0 };
                let body = format!(
                    "{}add.u32 %y11, %base, {};\n@%p1 tcgen05.cp.cta_group::1.{shape}{format} [%y11], %x10;\n",
                    descriptor(10, bits),
                    (lane << 16) + 40,
                );
                let before = Tensor::new();
                let found = run_image("sm_100a", &memory, &before, &body);
                let mut expected = before;
                for row in 0..rows {
                    for chunk in 0..chunks {
                        let at = if swizzled {
                            let at = 1024 + row % 8 * 128 + row / 8 * 1024 + chunk * 16;
                            at ^ (at >> 7 & 7) << 4
                        } else {
                            1024 + row % 8 * 16 + row / 8 * 256 + chunk * 8192
                        };
                        let piece = unpacked(format, &memory[at..at + 16]);
                        for (word, four) in piece.chunks_exact(4).enumerate() {
                            let value = u32::from_le_bytes(four.try_into().unwrap());
                            for target in lanes(shape, row) {
                                expected.set(target + lane, 40 + chunk * 4 + word, value);
                            }
                        }
                    }
                }
                assert!(found.0 == expected.0, "{shape}{format}, swizzled: {swizzled}");
            }
        }
    }
}

#[test]
fn shifts_move_32_bytes_of_32_lanes_down() {
    let body = "add.u32 %y11, %base, 4194404;\n@%p1 tcgen05.shift.cta_group::1.down [%y11];\n";
    let before = Tensor::new();
    let found = run_image("sm_100a", &[], &before, body);
    let mut expected = before.clone();
    // Lane 64, column 100: each lane but the last gets what the next one had.
    for lane in 64..95 {
        (100..108).for_each(|column| expected.set(lane, column, before.at(lane + 1, column)));
    }
    assert!(found.0 == expected.0);
}

#[test]
fn wrong_copies_stop_the_program() {
    let around = |line: &str| {
        format!(
            "{START}\nsetp.eq.u32 %p1, %t, 0;\nmov.b64 %x10, 0x400000000000;\nmov.b32 %y0, 3;\n@%p1 {line} // here\n{END}"
        )
    };
    for (line, why) in [
        ("tcgen05.shift.cta_group::1.down [%base+65536];", "from a multiple of 32 on, not from lane 1"),
        ("tcgen05.shift.cta_group::1.down [%base+508];", "column 512 of tensor memory"),
        ("tcgen05.cp.cta_group::1.128x128b [%base+65536], %x10;", "no lane 128"),
        ("tcgen05.cp.cta_group::1.128x128b [%base], 0;", "expected 1"),
        (
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [barrier], 3;",
            "blocks that the cluster does not have",
        ),
        ("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%out];", "a barrier lies in shared memory"),
    ] {
        stops(&around(line), why);
    }
}

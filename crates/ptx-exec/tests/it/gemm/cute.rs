//! `cute.cu`: kernels of CuTe's tensors, layouts and atoms, which wait for `cp.async` and multiply with `wgmma`.

use ptx_exec::{Argument, Launch};

use super::{bf16, check, f16, floats, halves, matrix, number, product};

const TEXT: &str = include_str!("cute.ptx");

fn launch(entry: &str, grid: [u32; 3], [a, b]: [Vec<u8>; 2], [m, n, k]: [usize; 3]) -> Launch {
    let d = vec![0xff; m * n * 4];
    let mut arguments = [a, b, d].map(Argument::Buffer).to_vec();
    arguments.extend([m, n, k].map(number));
    Launch { grid, block: [128, 1, 1], arguments, ..Launch::new(entry) }
}

#[test]
fn rows_of_halves_in_128_and_64_bytes() {
    let size @ [m, n, k] = [128, 192, 256];
    let (a, b) = (matrix(m, k, 1), matrix(n, k, 2));
    let launch = launch("halves", [2, 2, 1], [halves(&a, f16), halves(&b, f16)], size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

#[test]
fn columns_of_halves_in_128_and_32_bytes() {
    let size @ [m, n, k] = [256, 128, 128];
    let (a, b) = (matrix(m, k, 3), matrix(n, k, 4));
    // By columns: the transposed matrices by rows.
    let turned = |matrix: &[i32], rows: usize| -> Vec<i32> {
        (0..rows * k).map(|at| matrix[at % rows * k + at / rows]).collect()
    };
    let factors = [halves(&turned(&a, m), bf16), halves(&turned(&b, n), bf16)];
    let launch = launch("columns", [2, 2, 1], factors, size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

#[test]
fn bytes_in_32_bytes_and_without_swizzling() {
    let size @ [m, n, k] = [64, 128, 512];
    let (a, b) = (matrix(m, k, 5), matrix(n, k, 6));
    let bytes = |matrix: &[i32]| matrix.iter().map(|&value| value as u8).collect();
    let launch = launch("bytes", [1, 2, 1], [bytes(&a), bytes(&b)], size);
    let expected = product(&a, |at, column| b[column * k + at], size);
    check(TEXT, &launch, 2, &expected.into_iter().flat_map(i32::to_le_bytes).collect::<Vec<u8>>());
}

#[test]
fn values_of_eight_bits_in_two_formats() {
    let size @ [m, n, k] = [128, 64, 384];
    let (a, b) = (matrix(m, k, 7), matrix(n, k, 8));
    // Magnitudes of 0 to 4 (manual 5.2.3).
    let narrow = |matrix: &[i32], magnitudes: [u8; 5]| {
        let encode =
            |&value: &i32| magnitudes[value.unsigned_abs() as usize] | if value < 0 { 0x80 } else { 0 };
        matrix.iter().map(encode).collect::<Vec<u8>>()
    };
    let factors = [narrow(&a, [0, 0x38, 0x40, 0x44, 0x48]), narrow(&b, [0, 0x3c, 0x40, 0x42, 0x44])];
    let launch = launch("narrow", [2, 1, 1], factors, size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

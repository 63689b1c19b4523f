//! `cute100.cu`: kernels of CuTe's tensors, layouts and atoms, which multiply with `tcgen05` and read the sums from tensor memory.

use ptx_exec::{Argument, Launch};

use super::{bf16, check, f16, floats, halves, matrix, number, product};

const TEXT: &str = include_str!("cute100.ptx");

fn launch(entry: &str, grid: [u32; 3], [a, b]: [Vec<u8>; 2], [m, n, k]: [usize; 3]) -> Launch {
    let d = vec![0xff; m * n * 4];
    let mut arguments = [a, b, d].map(Argument::Buffer).to_vec();
    arguments.extend([m, n, k].map(number));
    Launch { grid, block: [128, 1, 1], arguments, ..Launch::new(entry) }
}

/// The same matrix by columns: element `at` of a column after the other.
fn by_columns(matrix: &[i32], rows: usize, k: usize) -> Vec<i32> {
    (0..rows * k).map(|at| matrix[at % rows * k + at / rows]).collect()
}

fn bytes(matrix: &[i32]) -> Vec<u8> {
    matrix.iter().map(|&value| value as i8 as u8).collect()
}

#[test]
fn halves_by_rows() {
    let size @ [m, n, k] = [256, 64, 128];
    let (a, b) = (matrix(m, k, 1), matrix(n, k, 2));
    let launch = launch("halves", [2, 1, 1], [halves(&a, f16), halves(&b, f16)], size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

#[test]
fn halves_by_columns_in_half_of_the_lanes() {
    let size @ [m, n, k] = [64, 256, 128];
    let (a, b) = (matrix(m, k, 3), matrix(n, k, 4));
    let [turned_a, turned_b] = [by_columns(&a, m, k), by_columns(&b, n, k)];
    let launch = launch("turned", [1, 2, 1], [halves(&turned_a, bf16), halves(&turned_b, bf16)], size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

#[test]
fn integers_by_rows() {
    let size @ [m, n, k] = [128, 96, 256];
    let (a, b) = (matrix(m, k, 5), matrix(n, k, 6));
    let launch = launch("integers", [1, 1, 1], [bytes(&a), bytes(&b)], size);
    let expected = product(&a, |at, column| b[column * k + at], size);
    check(TEXT, &launch, 2, &expected.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
}

#[test]
fn singles_by_columns_in_pieces_of_32_bytes() {
    let size @ [m, n, k] = [128, 64, 64];
    let (a, b) = (matrix(m, k, 7), matrix(n, k, 8));
    let launch = launch("singles", [1, 1, 1], [floats(&by_columns(&a, m, k)), floats(&b)], size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

#[test]
fn pairs_of_blocks() {
    // Two pairs after each other.
    let size @ [m, n, k] = [512, 64, 128];
    let (a, b) = (matrix(m, k, 9), matrix(n, k, 10));
    let launch = launch("pair", [4, 1, 1], [halves(&a, f16), halves(&b, f16)], size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

#[test]
fn pairs_of_blocks_with_64_rows_each() {
    let size @ [m, n, k] = [128, 256, 64];
    let (a, b) = (matrix(m, k, 11), matrix(n, k, 12));
    let launch = launch("halved", [2, 2, 1], [halves(&a, f16), halves(&by_columns(&b, n, k), f16)], size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

//! `shared.cu`: `wgmma` on memory that threads store to themselves.

use ptx_exec::{Argument, Launch};

use super::{bf16, check, f16, floats, halves, matrix, number, product};

const TEXT: &str = include_str!("shared.ptx");

fn launch(entry: &str, grid: [u32; 3], threads: u32, factors: [Vec<u8>; 2], [m, n, k]: [usize; 3]) -> Launch {
    let [a, b] = factors.map(Argument::Buffer);
    let arguments = vec![a, b, Argument::Buffer(vec![0xff; m * n * 4]), number(n), number(k)];
    Launch { grid, block: [threads, 1, 1], arguments, ..Launch::new(entry) }
}

#[test]
fn two_buffers_of_halves() {
    let size @ [m, n, k] = [128, 192, 256];
    let (a, b) = (matrix(m, k, 1), matrix(n, k, 2));
    let launch = launch("halves", [3, 2, 1], 128, [halves(&a, f16), halves(&b, f16)], size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

#[test]
fn factors_in_registers_and_columns_in_rows() {
    let size @ [m, n, k] = [128, 256, 128];
    let (a, b) = (matrix(m, k, 3), matrix(k, n, 4));
    let launch = launch("from_registers", [2, 2, 1], 256, [halves(&a, bf16), halves(&b, bf16)], size);
    check(TEXT, &launch, 2, &floats(&product(&a, |at, column| b[at * n + column], size)));
}

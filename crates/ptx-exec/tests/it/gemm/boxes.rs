//! `boxes.cu`: tensor copies bring tiles to shared memory and results back, `mbarrier` hands them over, `wgmma` multiplies.

use ptx_exec::tensormap::{ElementType, Swizzle, Tensor};
use ptx_exec::{Argument, Launch, TensorMap};

use super::{check, f16, floats, halves, matrix, number, product};

const TEXT: &str = include_str!("boxes.ptx");

/// A map of a matrix by rows, of which 128 bytes of 64 rows are copied at once.
fn map(element: ElementType, bytes: usize, [rows, columns]: [usize; 2], memory: Vec<u8>) -> Argument {
    let (dims, stride) = ([columns as u64, rows as u64], (columns * bytes) as u64);
    let tensor = Tensor { swizzle: Swizzle::Bytes128, ..Tensor::new(element, 0, &dims, &[stride]) };
    Argument::Tensor(TensorMap::tiled(&tensor, &[128 / bytes as u32, 64]).unwrap(), memory)
}

/// Sizes that are not multiples of a tile, so that parts of boxes are outside of the matrices.
const SIZE: [usize; 3] = [100, 84, 328];

fn launch(parts: u32, before: &[i32]) -> (Launch, Vec<i32>) {
    let [m, n, k] = SIZE;
    let (a, b) = (matrix(m, k, 1), matrix(n, k, 2));
    let arguments = vec![
        map(ElementType::F16, 2, [m, k], halves(&a, f16)),
        map(ElementType::F16, 2, [n, k], halves(&b, f16)),
        map(ElementType::F32, 4, [m, n], floats(before)),
        number(k),
    ];
    let launch = Launch { grid: [2, 2, parts], block: [160, 1, 1], arguments, ..Launch::new("tiles") };
    (launch, product(&a, |at, column| b[column * k + at], SIZE))
}

#[test]
fn tiles_come_and_go_by_tensor_copies() {
    let (launch, expected) = launch(1, &matrix(SIZE[0], SIZE[1], 5));
    check(TEXT, &launch, 2, &floats(&expected));
}

#[test]
fn parts_of_sums_are_added_by_tensor_reductions() {
    let before = matrix(SIZE[0], SIZE[1], 7);
    let (launch, product) = launch(3, &before);
    let expected: Vec<i32> = product.iter().zip(&before).map(|(sum, before)| sum + before).collect();
    check(TEXT, &launch, 2, &floats(&expected));
}

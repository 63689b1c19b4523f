//! `tma.cu` and `pipeline.cu`: a thread that copies by tensor maps, and warpgroups that multiply what has arrived. One thread signals
//! to it that all four warps of its group have read a stage, so these hold only where a wait is one of the whole warpgroup.

use ptx_exec::tensormap::{ElementType, Swizzle, Tensor};
use ptx_exec::{Argument, Launch, TensorMap};

use super::{check, f16, floats, halves, matrix, number, product};

const TMA: &str = include_str!("tma.ptx");
const PIPELINE: &str = include_str!("pipeline.ptx");

/// The map of boxes of a matrix by rows that is a buffer among the arguments.
fn map(
    buffer: usize,
    element: ElementType,
    [rows, columns]: [usize; 2],
    box_dims: [u32; 2],
    swizzle: Swizzle,
) -> Argument {
    let bytes = if element == ElementType::F32 { 4 } else { 2 };
    let address = Argument::buffer_address(buffer);
    let tensor = Tensor::new(element, address, &[columns as u64, rows as u64], &[(columns * bytes) as u64]);
    let map = TensorMap::tiled(&Tensor { swizzle, ..tensor }, &box_dims).unwrap();
    Argument::Bytes(map.to_bytes().to_vec())
}

#[test]
fn three_stages_of_boxes() {
    // Rows and columns that end within a tile: elements outside are zeros, and are not stored.
    let size @ [m, n, k] = [200, 160, 448];
    let (a, b) = (matrix(m, k, 1), matrix(n, k, 2));
    let mut arguments = vec![
        map(0, ElementType::F16, [m, k], [64, 128], Swizzle::Bytes128),
        map(1, ElementType::F16, [n, k], [64, 64], Swizzle::Bytes128),
        map(2, ElementType::F32, [m, n], [64, 64], Swizzle::None),
    ];
    arguments.extend([halves(&a, f16), halves(&b, f16), vec![0xff; m * n * 4]].map(Argument::Buffer));
    arguments.push(number(k));
    let launch = Launch {
        grid: [3, 2, 1],
        block: [384, 1, 1],
        dynamic_shared: 3 * (16384 + 8192) + 32768 + 48,
        arguments,
        ..Launch::new("halves")
    };
    check(TMA, &launch, 5, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

#[test]
fn four_stages_of_a_pipeline() {
    let size @ [m, n, k] = [256, 192, 576];
    let (a, b) = (matrix(m, k, 3), matrix(n, k, 4));
    let mut arguments = vec![
        map(0, ElementType::F16, [m, k], [64, 128], Swizzle::Bytes128),
        map(1, ElementType::F16, [n, k], [64, 96], Swizzle::Bytes128),
    ];
    arguments.extend([halves(&a, f16), halves(&b, f16), vec![0xff; m * n * 4]].map(Argument::Buffer));
    arguments.extend([m, n, k].map(number));
    let launch = Launch {
        grid: [2, 2, 1],
        block: [384, 1, 1],
        dynamic_shared: 4 * (16384 + 12288) + 64,
        arguments,
        ..Launch::new("halves")
    };
    check(PIPELINE, &launch, 4, &floats(&product(&a, |at, column| b[column * k + at], size)));
}

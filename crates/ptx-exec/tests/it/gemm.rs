//! Products of matrices by kernels in CUDA C++, compiled by nvcc: each `.ptx` here is of the `.cu` beside it, by the command at its
//! head. Elements are small integers, so that sums are exact, and are compared with those of a plain loop.

mod boxes;
mod cute;
mod cute100;
mod shared;
mod tma;

use std::time::Duration;

use executed_rows::run;
use ptx_diag::SourceFile;
use ptx_exec::{Argument, Completion, Launch, Limits};

/// Ways in which asynchronous operations complete.
const WAYS: [Completion; 5] = [
    Completion::Eager,
    Completion::Late,
    Completion::Random(1),
    Completion::Random(2),
    Completion::Random(3),
];

/// A matrix of integers between -4 and 4, by rows.
fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<i32> {
    let element = |at: usize| (at * 7 + at / columns * 5 + at / 11 + seed) % 9;
    (0..rows * columns).map(|at| element(at) as i32 - 4).collect()
}

/// The bytes of a matrix in a format of 16 bits.
fn halves(matrix: &[i32], encode: fn(f32) -> u16) -> Vec<u8> {
    matrix.iter().flat_map(|&value| encode(value as f32).to_le_bytes()).collect()
}

fn f16(value: f32) -> u16 {
    half::f16::from_f32(value).to_bits()
}

fn bf16(value: f32) -> u16 {
    half::bf16::from_f32(value).to_bits()
}

fn floats(matrix: &[i32]) -> Vec<u8> {
    matrix.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect()
}

/// The product of an m x k matrix with a k x n matrix, of which `b` gives an element by its row and column.
fn product(a: &[i32], b: impl Fn(usize, usize) -> i32, [m, n, k]: [usize; 3]) -> Vec<i32> {
    let element = |row: usize, column: usize| (0..k).map(|at| a[row * k + at] * b(at, column)).sum();
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

fn number(value: usize) -> Argument {
    Argument::Bytes((value as u32).to_le_bytes().to_vec())
}

/// Executes a kernel in every way and compares what it leaves in one of its buffers.
fn check(text: &str, launch: &Launch, buffer: usize, expected: &[u8]) {
    let source = SourceFile::new("gemm.ptx", text.to_owned());
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    for completion in WAYS {
        let limits = Limits { timeout: Some(Duration::from_secs(120)), ..Limits::default() };
        let launch = Launch { completion, limits, ..launch.clone() };
        let outcome = run(verified, &launch).unwrap_or_else(|error| panic!("{completion:?}: {error:?}"));
        let found = outcome.buffers[buffer].as_deref().unwrap();
        let wrong = found.iter().zip(expected).position(|(found, expected)| found != expected);
        assert_eq!((found.len(), wrong), (expected.len(), None), "{}, {completion:?}", launch.entry);
    }
}

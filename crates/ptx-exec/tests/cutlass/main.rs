//! Kernels of CUTLASS as `GemmUniversalAdapter` launches them: each `.ptx` here is of the `.cu` beside it, and each `.json` has what the `.cu`
//! prints as a program of the host, by the commands at its head: the grid, and the bytes of CUTLASS's parameters with the places of addresses and
//! tensor maps in them. Elements are small integers, so that sums are exact, and are compared with those of a plain loop.

use std::time::Duration;

use ptx_diag::SourceFile;
use ptx_exec::tensormap::{ElementType, Swizzle, Tensor};
use ptx_exec::{Argument, Completion, Launch, Limits, TensorMap, run};
use serde_json::Value;

/// Ways in which asynchronous operations complete.
const WAYS: [Completion; 4] =
    [Completion::Eager, Completion::Late, Completion::Random(1), Completion::Random(2)];

/// A matrix of integers between -3 and 3, by rows.
fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<i32> {
    let element = |at: usize| (at * 5 + at / columns * 3 + at / 13 + seed) % 7;
    (0..rows * columns).map(|at| element(at) as i32 - 3).collect()
}

/// The same matrix by columns.
fn by_columns(matrix: &[i32], rows: usize, columns: usize) -> Vec<i32> {
    (0..rows * columns).map(|at| matrix[at % rows * columns + at / rows]).collect()
}

fn f16(matrix: &[i32]) -> Vec<u8> {
    matrix.iter().flat_map(|&value| half::f16::from_f32(value as f32).to_le_bytes()).collect()
}

fn bf16(matrix: &[i32]) -> Vec<u8> {
    matrix.iter().flat_map(|&value| half::bf16::from_f32(value as f32).to_le_bytes()).collect()
}

fn f32(matrix: &[i32]) -> Vec<u8> {
    matrix.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect()
}

/// Eight bits each, of which the manual's 5.2.3 has the magnitudes of 0 to 3.
fn narrow(matrix: &[i32], magnitudes: [u8; 4]) -> Vec<u8> {
    let encode = |&value: &i32| magnitudes[value.unsigned_abs() as usize] | if value < 0 { 0x80 } else { 0 };
    matrix.iter().map(encode).collect()
}

/// `alpha` times the product of A (m x k, by rows) and B (k x n, given by columns), and `beta` times C.
fn product([a, b, c]: [&[i32]; 3], [m, n, k]: [usize; 3], [alpha, beta]: [i32; 2]) -> Vec<i32> {
    let element = |row: usize, column: usize| -> i32 {
        let sum: i32 = (0..k).map(|at| a[row * k + at] * b[column * k + at]).sum();
        alpha * sum + beta * c[row * n + column]
    };
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

/// `key=value` of a place.
fn field<'a>(parts: &'a str, key: &str) -> &'a str {
    let mut parts = parts.split(',').filter_map(|part| part.split_once('='));
    parts.find(|(name, _)| *name == key).unwrap_or_else(|| panic!("{key}")).1
}

fn list<T: std::str::FromStr>(parts: &str, key: &str) -> Vec<T> {
    let numbers = field(parts, key).split('x').map(|part| part.parse().ok());
    numbers.collect::<Option<_>>().unwrap_or_else(|| panic!("{key} of {parts}"))
}

/// What a place of the parameters holds: an address, or a tensor map.
fn place(text: &str) -> (usize, Vec<u8>) {
    let (at, parts) = text.split_once(':').unwrap();
    let kind = if parts.starts_with("address") { "address" } else { "tensormap" };
    let offset: u64 = field(parts, "offset").parse().unwrap();
    let address = Argument::buffer_address(field(parts, kind).parse().unwrap()) + offset;
    let bytes = if kind == "address" {
        address.to_le_bytes().to_vec()
    } else {
        let element = match field(parts, "type") {
            "u8" => ElementType::U8,
            "u16" => ElementType::U16,
            "u64" => ElementType::U64,
            "f16" => ElementType::F16,
            "bf16" => ElementType::Bf16,
            "f32" => ElementType::F32,
            other => panic!("{other}"),
        };
        let swizzle = match field(parts, "swizzle") {
            "none" => Swizzle::None,
            "32B" => Swizzle::Bytes32,
            "64B" => Swizzle::Bytes64,
            "128B" => Swizzle::Bytes128,
            other => panic!("{other}"),
        };
        let tensor = Tensor {
            element_strides: list(parts, "steps"),
            swizzle,
            ..Tensor::new(element, address, &list::<u64>(parts, "dims"), &list::<u64>(parts, "strides"))
        };
        TensorMap::tiled(&tensor, &list::<u32>(parts, "box")).unwrap().to_bytes().to_vec()
    };
    (at.parse().unwrap(), bytes)
}

fn dimensions(value: &Value) -> [u32; 3] {
    let numbers: Vec<u32> = value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as u32).collect();
    numbers.try_into().unwrap()
}

/// A launch of the file, with these buffers.
fn launch(launches: &str, entry: &str, buffers: [Vec<u8>; 5]) -> Launch {
    let all: Value = serde_json::from_str(launches).unwrap();
    let found = all.as_array().unwrap().iter().find(|launch| launch["entry"] == entry).unwrap();
    let text = found["params"].as_str().unwrap();
    let byte = |at: usize| u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).unwrap();
    let mut params: Vec<u8> = (0..text.len() / 2).map(byte).collect();
    for text in found["places"].as_array().unwrap() {
        let (at, bytes) = place(text.as_str().unwrap());
        params[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    let mut arguments = buffers.map(Argument::Buffer).to_vec();
    arguments.push(Argument::Bytes(params));
    Launch {
        grid: dimensions(&found["grid"]),
        block: dimensions(&found["block"]),
        cluster: Some(dimensions(&found["cluster"])),
        dynamic_shared: found["shared"].as_u64().unwrap() as u32,
        arguments,
        limits: Limits { timeout: Some(Duration::from_secs(60)), ..Limits::default() },
        ..Launch::new(entry)
    }
}

/// What the five buffers hold after a launch.
fn outcome(text: &str, launch: &Launch, completion: Completion) -> Vec<Vec<u8>> {
    let source = SourceFile::new("universal.ptx", text.to_owned());
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}"));
    let launch = Launch { completion, ..launch.clone() };
    let outcome = run(verified, &launch).unwrap_or_else(|error| panic!("{completion:?}: {error:?}"));
    outcome.buffers.into_iter().flatten().collect()
}

/// Executes a kernel in every way and compares D, its fourth buffer.
fn check(text: &str, launch: &Launch, expected: &[u8]) {
    for completion in WAYS {
        let found = &outcome(text, launch, completion)[3];
        let wrong = found.iter().zip(expected).position(|(found, expected)| found != expected);
        assert_eq!((found.len(), wrong), (expected.len(), None), "{}, {completion:?}", launch.entry);
    }
}

mod sm90 {
    use super::*;

    const TEXT: &str = include_str!("universal90.ptx");
    const LAUNCHES: &str = include_str!("universal90.json");

    /// Two warpgroups take turns; A goes to both blocks of a cluster.
    #[test]
    fn ping_pong() {
        let size @ [m, n, k] = [192, 192, 160];
        let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
        let buffers = [f16(&a), f16(&b), f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
        check(TEXT, &launch(LAUNCHES, "pingpong", buffers), &f32(&product([&a, &b, &c], size, [1, 2])));
    }

    /// Two warpgroups share a tile; B goes to both blocks of a cluster. Sums fit 8 bits.
    #[test]
    fn cooperative() {
        let size @ [m, n, k] = [256, 128, 128];
        let small = |matrix: Vec<i32>| -> Vec<i32> { matrix.into_iter().map(|value| value % 2).collect() };
        let (a, b, c) = (small(matrix(m, k, 4)), small(matrix(n, k, 5)), matrix(m, n, 6));
        let buffers = [
            bf16(&by_columns(&a, m, k)),
            bf16(&by_columns(&b, n, k)),
            bf16(&c),
            vec![0xff; m * n * 2],
            vec![0; 64],
        ];
        check(TEXT, &launch(LAUNCHES, "cooperative", buffers), &bf16(&product([&a, &b, &c], size, [1, 1])));
    }

    /// One kernel finds what there is of A, and where; the other multiplies with it.
    #[test]
    fn sparse() {
        const TEXT: &str = include_str!("sparse90.ptx");
        const LAUNCHES: &str = include_str!("sparse90.json");
        let size @ [m, n, k] = [256, 128, 256];
        let (mut a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        for (at, element) in a.iter_mut().enumerate() {
            if !PAIRS[(at / 4 * 5 + at / k) % 6].contains(&(at % 4)) {
                *element = 0;
            }
        }
        let compress = [f16(&a), vec![0; 64], vec![0; 64], vec![0xff; m * k], vec![0xff; m * k / 8]];
        let mut left = outcome(TEXT, &launch(LAUNCHES, "compress", compress), Completion::Eager);
        let (metadata, kept) = (left.remove(4), left.remove(3));
        let buffers = [kept, f16(&b), f32(&c), vec![0xff; m * n * 4], metadata];
        check(TEXT, &launch(LAUNCHES, "sparse", buffers), &f32(&product([&a, &b, &c], size, [1, 1])));
    }

    /// Values of eight bits in two formats.
    #[test]
    fn narrow_values() {
        let size @ [m, n, k] = [128, 128, 256];
        let (a, b, c) = (matrix(m, k, 7), matrix(n, k, 8), matrix(m, n, 9));
        let factors = [narrow(&a, [0, 0x38, 0x40, 0x44]), narrow(&b, [0, 0x3c, 0x40, 0x42])];
        let [a_bytes, b_bytes] = factors;
        let buffers = [a_bytes, b_bytes, f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
        check(TEXT, &launch(LAUNCHES, "narrow", buffers), &f32(&product([&a, &b, &c], size, [2, 0])));
    }
}

mod sm120 {
    use super::*;

    /// Values of eight bits in two formats; warps take turns.
    #[test]
    fn narrow_values() {
        let size @ [m, n, k] = [128, 192, 256];
        let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
        let factors = [narrow(&a, [0, 0x38, 0x40, 0x44]), narrow(&b, [0, 0x3c, 0x40, 0x42])];
        let [a_bytes, b_bytes] = factors;
        let buffers = [a_bytes, b_bytes, f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
        let launch = launch(include_str!("universal120.json"), "narrow", buffers);
        check(include_str!("universal120.ptx"), &launch, &f32(&product([&a, &b, &c], size, [1, 2])));
    }
}

mod sm80 {
    use super::*;

    const TEXT: &str = include_str!("universal80.ptx");
    const LAUNCHES: &str = include_str!("universal80.json");

    /// Half of K each is with two blocks, of which one waits for the other.
    #[test]
    fn split_along_k() {
        let size @ [m, n, k] = [128, 192, 160];
        let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
        let buffers = [f16(&a), f16(&b), f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
        check(TEXT, &launch(LAUNCHES, "dense", buffers), &f32(&product([&a, &b, &c], size, [1, 2])));
    }

    /// Two of four neighbours are kept of each row of A. Metadata are in the order that CUTLASS has for `ldmatrix`: 16 bits are about
    /// 16 columns, pairs of them follow each other down the rows, and of 32 rows eight times four that are eight apart are neighbours.
    #[test]
    fn sparse() {
        let size @ [m, n, k] = [128, 128, 128];
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let pair = |row: usize, chunk: usize| PAIRS[(row * 5 + chunk * 7 + row / 8) % 6];
        let kept = matrix(m, k / 2, 4);
        let (mut a, mut metadata) = (vec![0; m * k], vec![0u16; m * k / 16]);
        for row in 0..m {
            for chunk in 0..k / 4 {
                let [first, second] = pair(row, chunk);
                a[row * k + chunk * 4 + first] = kept[row * k / 2 + chunk * 2];
                a[row * k + chunk * 4 + second] = kept[row * k / 2 + chunk * 2 + 1];
                let (mut line, mut column) = (row / 32 * 32 + row % 8 * 4 + row % 32 / 8, chunk / 4);
                // The two by two that are off their diagonal change places.
                match (line % 2, column % 2) {
                    (0, 1) => (line, column) = (line + 1, column - 1),
                    (1, 0) => (line, column) = (line - 1, column + 1),
                    _ => {}
                }
                let at = column / 2 * m * 2 + line * 2 + column % 2;
                metadata[at] |= ((first | second << 2) << (chunk % 4 * 4)) as u16;
            }
        }
        let (b, c) = (matrix(n, k, 5), matrix(m, n, 6));
        let metadata = metadata.into_iter().flat_map(u16::to_le_bytes).collect();
        let buffers = [f16(&kept), f16(&b), f32(&c), vec![0xff; m * n * 4], metadata];
        check(TEXT, &launch(LAUNCHES, "sparse", buffers), &f32(&product([&a, &b, &c], size, [1, 1])));
    }
}

mod sm100 {
    use super::*;

    const TEXT: &str = include_str!("universal100.ptx");
    const LAUNCHES: &str = include_str!("universal100.json");

    /// Blocks take their tiles with `clusterlaunchcontrol`.
    #[test]
    fn blocks_alone() {
        let size @ [m, n, k] = [256, 128, 160];
        let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
        let buffers = [f16(&a), f16(&b), f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
        check(TEXT, &launch(LAUNCHES, "one", buffers), &f32(&product([&a, &b, &c], size, [1, 2])));
    }

    #[test]
    fn pairs_of_blocks() {
        let size @ [m, n, k] = [512, 64, 128];
        let small = |matrix: Vec<i32>| -> Vec<i32> { matrix.into_iter().map(|value| value % 2).collect() };
        let (a, b, c) = (small(matrix(m, k, 4)), small(matrix(n, k, 5)), matrix(m, n, 6));
        let buffers = [bf16(&a), bf16(&b), bf16(&c), vec![0xff; m * n * 2], vec![0; 64]];
        check(TEXT, &launch(LAUNCHES, "pair", buffers), &bf16(&product([&a, &b, &c], size, [1, 1])));
    }
}

//! Launches of the kernels here as their `.json` files have them; the tests of code for the host have them, too.

use std::time::Duration;

use ptx_exec::tensormap::{ElementType, Swizzle, Tensor};
use ptx_exec::{Argument, Content, Launch, Limits, Relocation, TensorMap};
use serde_json::Value;

/// A matrix of integers between -3 and 3, by rows.
pub fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<i32> {
    let element = |at: usize| (at * 5 + at / columns * 3 + at / 13 + seed) % 7;
    (0..rows * columns).map(|at| element(at) as i32 - 3).collect()
}

/// The same matrix by columns.
pub fn by_columns(matrix: &[i32], rows: usize, columns: usize) -> Vec<i32> {
    (0..rows * columns).map(|at| matrix[at % rows * columns + at / rows]).collect()
}

pub fn f16(matrix: &[i32]) -> Vec<u8> {
    matrix.iter().flat_map(|&value| half::f16::from_f32(value as f32).to_le_bytes()).collect()
}

pub fn bf16(matrix: &[i32]) -> Vec<u8> {
    matrix.iter().flat_map(|&value| half::bf16::from_f32(value as f32).to_le_bytes()).collect()
}

pub fn f32(matrix: &[i32]) -> Vec<u8> {
    matrix.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect()
}

/// Eight bits each, of which the manual's 5.2.3 has the magnitudes of 0 to 3.
pub fn narrow(matrix: &[i32], magnitudes: [u8; 4]) -> Vec<u8> {
    let encode = |&value: &i32| magnitudes[value.unsigned_abs() as usize] | if value < 0 { 0x80 } else { 0 };
    matrix.iter().map(encode).collect()
}

/// `alpha` times the product of A (m x k, by rows) and B (k x n, given by columns), and `beta` times C.
pub fn product([a, b, c]: [&[i32]; 3], [m, n, k]: [usize; 3], [alpha, beta]: [i32; 2]) -> Vec<i32> {
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

/// What a place of the parameters holds, the sixth argument: an address, or a tensor map.
fn relocation(text: &str) -> Relocation {
    let (at, parts) = text.split_once(':').unwrap();
    let kind = if parts.starts_with("address") { "address" } else { "tensormap" };
    let offset: u64 = field(parts, "offset").parse().unwrap();
    let buffer = field(parts, kind).parse().unwrap();
    let content = if kind == "address" {
        Content::Address { buffer, offset }
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
            ..Tensor::new(element, offset, &list::<u64>(parts, "dims"), &list::<u64>(parts, "strides"))
        };
        let map = TensorMap::tiled(&tensor, &list::<u32>(parts, "box")).unwrap();
        Content::Tensor { map, buffer }
    };
    Relocation { inside: 5, offset: at.parse().unwrap(), content }
}

fn dimensions(value: &Value) -> [u32; 3] {
    let numbers: Vec<u32> = value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as u32).collect();
    numbers.try_into().unwrap()
}

/// A launch of the file, with these buffers.
pub fn launch(launches: &str, entry: &str, buffers: [Vec<u8>; 5]) -> Launch {
    let all: Value = serde_json::from_str(launches).unwrap();
    let found = all.as_array().unwrap().iter().find(|launch| launch["entry"] == entry).unwrap();
    let text = found["params"].as_str().unwrap();
    let byte = |at: usize| u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).unwrap();
    let params: Vec<u8> = (0..text.len() / 2).map(byte).collect();
    let places = found["places"].as_array().unwrap();
    let mut arguments = buffers.map(Argument::Buffer).to_vec();
    arguments.push(Argument::Bytes(params));
    Launch {
        grid: dimensions(&found["grid"]),
        block: dimensions(&found["block"]),
        cluster: Some(dimensions(&found["cluster"])),
        dynamic_shared: found["shared"].as_u64().unwrap() as u32,
        arguments,
        relocations: places.iter().map(|text| relocation(text.as_str().unwrap())).collect(),
        limits: Limits { timeout: Some(Duration::from_secs(60)), ..Limits::default() },
        ..Launch::new(entry)
    }
}

/// The modules of two architectures, and their launches.
pub const SM90: [&str; 2] = [include_str!("universal90.ptx"), include_str!("universal90.json")];
pub const SM100: [&str; 2] = [include_str!("universal100.ptx"), include_str!("universal100.json")];

/// A product of two matrices: the module, a launch, and what its fourth buffer holds then.
pub type Product = (&'static str, Launch, Vec<u8>);

/// Numbers of which sums fit 8 bits.
fn small(matrix: Vec<i32>) -> Vec<i32> {
    matrix.into_iter().map(|value| value % 2).collect()
}

/// Two warpgroups take turns; A goes to both blocks of a cluster.
pub fn ping_pong() -> Product {
    let size @ [m, n, k] = [192, 192, 160];
    let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
    let buffers = [f16(&a), f16(&b), f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
    let [text, launches] = SM90;
    (text, launch(launches, "pingpong", buffers), f32(&product([&a, &b, &c], size, [1, 2])))
}

/// Two warpgroups share a tile; B goes to both blocks of a cluster.
pub fn cooperative() -> Product {
    let size @ [m, n, k] = [256, 128, 128];
    let (a, b, c) = (small(matrix(m, k, 4)), small(matrix(n, k, 5)), matrix(m, n, 6));
    let factors = [bf16(&by_columns(&a, m, k)), bf16(&by_columns(&b, n, k))];
    let [a_bytes, b_bytes] = factors;
    let buffers = [a_bytes, b_bytes, bf16(&c), vec![0xff; m * n * 2], vec![0; 64]];
    let [text, launches] = SM90;
    (text, launch(launches, "cooperative", buffers), bf16(&product([&a, &b, &c], size, [1, 1])))
}

/// Blocks take their tiles with `clusterlaunchcontrol`.
pub fn blocks_alone() -> Product {
    let size @ [m, n, k] = [256, 128, 160];
    let (a, b, c) = (matrix(m, k, 1), matrix(n, k, 2), matrix(m, n, 3));
    let buffers = [f16(&a), f16(&b), f32(&c), vec![0xff; m * n * 4], vec![0; 64]];
    let [text, launches] = SM100;
    (text, launch(launches, "one", buffers), f32(&product([&a, &b, &c], size, [1, 2])))
}

/// Two blocks multiply together.
pub fn pairs_of_blocks() -> Product {
    let size @ [m, n, k] = [512, 64, 128];
    let (a, b, c) = (small(matrix(m, k, 4)), small(matrix(n, k, 5)), matrix(m, n, 6));
    let buffers = [bf16(&a), bf16(&b), bf16(&c), vec![0xff; m * n * 2], vec![0; 64]];
    let [text, launches] = SM100;
    (text, launch(launches, "pair", buffers), bf16(&product([&a, &b, &c], size, [1, 1])))
}

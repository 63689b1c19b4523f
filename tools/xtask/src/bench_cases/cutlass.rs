//! CUTLASS's products of matrices as launch files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Real;
use crate::cargo::workspace;

/// A kernel of one of the modules, with the bytes of its buffers A, B, C and D.
struct Product {
    module: u32,
    entry: &'static str,
    buffers: [(usize, Element); 4],
}

/// What a buffer holds: small numbers, in turns.
#[derive(Clone, Copy)]
enum Element {
    F32,
    F16,
    Bf16,
}

use Element::{Bf16, F16, F32};

const PRODUCTS: [Product; 5] = [
    Product {
        module: 80,
        entry: "dense",
        buffers: [(128 * 160, F16), (192 * 160, F16), (128 * 192, F32), (128 * 192, F32)],
    },
    Product {
        module: 90,
        entry: "pingpong",
        buffers: [(192 * 160, F16), (192 * 160, F16), (192 * 192, F32), (192 * 192, F32)],
    },
    Product {
        module: 90,
        entry: "cooperative",
        buffers: [(256 * 128, Bf16), (128 * 128, Bf16), (256 * 128, Bf16), (256 * 128, Bf16)],
    },
    Product {
        module: 100,
        entry: "one",
        buffers: [(256 * 160, F16), (128 * 160, F16), (256 * 128, F32), (256 * 128, F32)],
    },
    Product {
        module: 100,
        entry: "pair",
        buffers: [(512 * 128, Bf16), (64 * 128, Bf16), (512 * 64, Bf16), (512 * 64, Bf16)],
    },
];

impl Element {
    /// So many of 1, -2, 0 and 2.
    fn bytes(self, count: usize) -> Vec<u8> {
        let one = |at: usize| [1.0_f32, -2.0, 0.0, 2.0][(at + at / 7) % 4].to_bits();
        let all = (0..count).map(one);
        match self {
            Self::F32 => all.flat_map(u32::to_le_bytes).collect(),
            Self::Bf16 => all.flat_map(|bits| ((bits >> 16) as u16).to_le_bytes()).collect(),
            Self::F16 => all.flat_map(|bits| half(bits).to_le_bytes()).collect(),
        }
    }
}

/// The half of a number in single precision that has one, by the layouts of both.
fn half(bits: u32) -> u16 {
    if bits == 0 {
        return 0;
    }
    let (sign, exponent) = (bits >> 31, (bits >> 23 & 0xff) + 15 - 127);
    (sign << 15 | exponent << 10 | (bits >> 13 & 0x3ff)) as u16
}

/// The launches of these names.
pub(super) fn products(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Real>> {
    let tests = workspace().join("crates/ptx-exec/tests/it/cutlass");
    let mut all = Vec::new();
    for product in &PRODUCTS {
        let name = format!("cutlass/{}/{}", product.module, product.entry);
        if is_wanted(&name) {
            let place = folder.join(&name);
            let module = tests.join(format!("universal{}", product.module));
            prepare(product, &module.with_extension("json"), &place).with_context(|| name.clone())?;
            all.push(Real { name, ptx: module.with_extension("ptx"), place });
        }
    }
    Ok(all)
}

fn prepare(product: &Product, launches: &Path, place: &Path) -> Result<()> {
    let all: Vec<Value> = serde_json::from_str(&fs::read_to_string(launches)?)?;
    let launch = all.iter().find(|launch| launch["entry"] == product.entry).context("no such launch")?;
    fs::create_dir_all(place)?;
    let mut arguments = Vec::new();
    for (at, (count, element)) in product.buffers.iter().enumerate() {
        fs::write(place.join(format!("{at}.bin")), element.bytes(*count))?;
        arguments.push(json!(format!("in={at}.bin")));
    }
    arguments.push(json!("zero=64"));
    let hex = launch["params"].as_str().context("no parameters")?;
    let places =
        launch["places"].as_array().context("no places")?.iter().map(field).collect::<Option<Vec<_>>>();
    let fields = places.context("a place is not as expected")?;
    arguments.push(json!({"bytes": hex.len() / 2, "hex": hex, "fields": fields}));
    let file = json!({
        "entry": launch["entry"], "grid": launch["grid"], "block": launch["block"], "cluster": launch["cluster"],
        "shared": launch["shared"], "args": arguments,
    });
    Ok(fs::write(place.join("launch.json"), format!("{file}\n"))?)
}

/// `48:address=4,offset=0` as a field of a launch file; tensor maps are written alike in both.
fn field(place: &Value) -> Option<Value> {
    let (at, spec) = place.as_str()?.split_once(':')?;
    let spec = if spec.starts_with("address=") { spec.replace(",offset=", "+") } else { spec.to_owned() };
    Some(json!({"at": at.parse::<u64>().ok()?, "value": spec}))
}

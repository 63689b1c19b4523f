//! What a launch file of `ptxrun` says, as assumptions: `--assume-launch`.

use std::path::Path;

use ptx_cli::{ExitStatus, Failure, read_input};
use ptx_demangle::named;
use ptx_diag::Diagnostic;
use ptx_ir::{FunctionKind, Module};
use ptx_isa::ScalarType;
use ptx_specialize::{Assumptions, Number, number_parameters};
use serde::Deserialize;
use serde_json::Value;

/// The fields of the file that are about the shape and the arguments. The others are for `ptxrun`.
#[derive(Deserialize)]
struct LaunchFile {
    entry: Option<String>,
    grid: Option<Vec<u32>>,
    block: Option<Vec<u32>>,
    #[serde(default)]
    args: Vec<Value>,
}

/// The assumptions of a launch file: the kernel, the shape, and the arguments that are integers of 8 to 64 bits or numbers in single or double precision, if their parameters
/// are such numbers.
///
/// # Errors
/// A file that cannot be read, or is rejected with the place in the JSON or the field.
pub(crate) fn assumptions(path: &Path, module: &Module) -> Result<Assumptions, Failure> {
    let source = read_input(path)?;
    // Some editors begin each text with a byte order mark, which JSON does not allow.
    let text = source.text().strip_prefix(b"\xef\xbb\xbf").unwrap_or(source.text());
    let rejected = |message: String| {
        let finding = Diagnostic::error_without_place(ptx_cli::code::USAGE, message);
        Failure::about(ExitStatus::Usage, &path.display().to_string(), finding)
    };
    let file: LaunchFile = serde_json::from_slice(text).map_err(|error| rejected(error.to_string()))?;
    let extents = |name: &str, list: Option<Vec<u32>>| {
        let three = |list: Vec<u32>| {
            let is_possible = (1..=3).contains(&list.len()) && !list.contains(&0);
            let mut extents = [1; 3];
            extents.iter_mut().zip(&list).for_each(|(to, from)| *to = *from);
            is_possible.then_some(extents)
        };
        let wrong = || rejected(format!("`{name}`: expected up to three numbers from 1"));
        list.map(|list| three(list).ok_or_else(wrong)).transpose()
    };
    let entry = file.entry.map(|wanted| {
        let kernels = module.functions.iter().filter(|function| function.kind == FunctionKind::Kernel);
        let all: Vec<&str> = kernels.map(|kernel| module.name(kernel.name)).collect();
        match named(&all, &wanted).as_slice() {
            [only] => (*only).to_owned(),
            // It is refused, with the names of the kernels.
            [] | [_, ..] => wanted,
        }
    });
    let types = number_parameters(module, entry.as_deref()).map_err(|error| rejected(error.to_string()))?;
    let number = |(index, (argument, ty)): (usize, (&Value, Option<ScalarType>))| {
        Some((index, Number::from_bytes(&bytes(argument)?, ty?)?))
    };
    let found = Assumptions {
        entry,
        grid: extents("grid", file.grid)?,
        block: extents("block", file.block)?,
        noalias: false,
        arguments: file.args.iter().zip(types).enumerate().filter_map(number).collect(),
    };
    if found.is_empty() {
        return Err(rejected(
            "nothing is assumed: expected `block`, `grid` or `args` with a number".to_owned(),
        ));
    }
    Ok(found)
}

/// The bytes of an argument that is one number, as in `i32=5`; absent for buffers, structures and others.
fn bytes(argument: &Value) -> Option<Vec<u8>> {
    // `{"name": "n", "value": "i32=5"}`
    if let Some(value) = argument.get("value") {
        return bytes(value);
    }
    let (kind, text) = argument.as_str()?.split_once('=')?;
    Some(match kind {
        "i8" | "u8" => integer(text)?.to_le_bytes()[..1].to_vec(),
        "i16" | "u16" => integer(text)?.to_le_bytes()[..2].to_vec(),
        "i32" | "u32" => integer(text)?.to_le_bytes()[..4].to_vec(),
        "i64" | "u64" => integer(text)?.to_le_bytes()[..8].to_vec(),
        "f32" => text.parse::<f32>().ok()?.to_le_bytes().to_vec(),
        "f64" => text.parse::<f64>().ok()?.to_le_bytes().to_vec(),
        _ => return None,
    })
}

/// A number in decimal, or in hexadecimal after `0x`. Whether it is in the range of its type is for `ptxrun` to tell.
fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    Some(sign * i128::from(magnitude.ok()?))
}

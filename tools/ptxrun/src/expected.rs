//! Comparison of a buffer after the launch with what it has to have (`--expect`).

use std::path::{Path, PathBuf};
use std::str::FromStr;

use ptx_cli::{ExitStatus, Failure, code};
use ptx_diag::{Detail, Diagnostic};

use crate::argument_spec::BufferSource;
use crate::keys::{first_and_rest, pairs};
use crate::npy::{Array, is_npy};
use crate::tolerance::{Tolerance, is_close};
use crate::value_type::ValueType;

/// What a buffer has to have after the launch (`--expect BUFFER=FILE,type=f32,rtol=1e-5`).
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectSpec {
    /// The buffer: the index of the argument, from 0, or a name.
    pub buffer: BufferSource,
    /// The file that has the expected elements.
    pub file: PathBuf,
    /// The type of the elements; `None` for that of the .npy file.
    pub ty: Option<ValueType>,
    /// How much they may differ.
    pub tolerance: Tolerance,
}

impl FromStr for ExpectSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, rest) = first_and_rest(text);
        let wanted = || format!("expected BUFFER=FILE[,type=TYPE][,atol=X][,rtol=X][,ulp=N], not `{text}`");
        let (buffer, file) = first.split_once('=').ok_or_else(wanted)?;
        if file.is_empty() {
            return Err(wanted());
        }
        let (mut ty, mut tolerance) = (None, Tolerance::default());
        for (key, value) in pairs(rest)? {
            match key {
                "type" => ty = Some(ValueType::named(value)?),
                _ if tolerance.set(key, value)? => {}
                _ => {
                    return Err(format!(
                        "`{key}` is not a key of --expect; there are type, atol, rtol and ulp"
                    ));
                }
            }
        }
        let file = PathBuf::from(file);
        if ty.is_none() && !is_npy(&file) {
            return Err("the type of the elements is missing, as in type=f32".to_owned());
        }
        Ok(Self { buffer: BufferSource::other(buffer)?, file, ty, tolerance })
    }
}

/// The differences that are shown of a buffer.
const MOST_SHOWN: usize = 5;

/// Compares a buffer with the contents of the file that has the expected elements.
///
/// # Errors
/// The file is not what was declared, or elements differ.
pub fn compare(spec: &ExpectSpec, found: &[u8], file: &[u8]) -> Result<(), Failure> {
    let name = spec.file.display().to_string();
    let shown = match &spec.buffer {
        BufferSource::Argument(index) => format!("the buffer of argument {index}"),
        other => format!("buffer `{other}`"),
    };
    let refused = |message: String| {
        Failure::about(ExitStatus::Rejected, &name, Diagnostic::error_without_place(code::BUFFERS, message))
    };
    let (ty, dims, expected) = elements(&spec.file, spec.ty, file).map_err(refused)?;
    let failed = |message: String, differences: usize| {
        let finding = Diagnostic::error_without_place(code::DIFFERENT, message)
            .with_detail("buffer", Detail::Text(spec.buffer.to_string()))
            .with_detail("differences", Detail::Number(differences as u64));
        Err(Failure::about(ExitStatus::Failed, &name, finding))
    };
    let size = ty.size();
    if found.len() != expected.len() {
        let (found, expected) = (found.len(), expected.len());
        return failed(format!("{shown} has {found} bytes, and {expected} are expected by `{name}`"), 0);
    }
    let pairs = || found.chunks_exact(size).zip(expected.chunks_exact(size)).enumerate();
    let differs =
        |(_, (found, expected)): &(usize, (&[u8], &[u8]))| !is_close(ty, found, expected, spec.tolerance);
    let count = pairs().filter(differs).count();
    if count == 0 {
        return Ok(());
    }
    let one = |(index, (found, expected)): (usize, (&[u8], &[u8]))| {
        format!("{} is {}, expected {}", place(index, &dims), ty.show(found), ty.show(expected))
    };
    let first: Vec<String> = pairs().filter(differs).take(MOST_SHOWN).map(one).collect();
    let more = if count > first.len() { "; .." } else { "" };
    let of = expected.len() / size;
    let first = first.join("; ");
    failed(
        format!("{shown} differs from `{name}` in {count} of {of} elements of {}: {first}{more}", ty.name()),
        count,
    )
}

/// The type, the dimensions and the bytes of the elements of a file.
fn elements<'f>(
    path: &Path,
    declared: Option<ValueType>,
    file: &'f [u8],
) -> Result<(ValueType, Vec<u64>, &'f [u8]), String> {
    if is_npy(path) {
        let (array, bytes) = Array::split(file)?;
        let ty = array.checked_type(declared)?;
        return Ok((ty, array.dims, bytes));
    }
    let ty = declared.ok_or("the type of the elements is not known")?;
    if !file.len().is_multiple_of(ty.size()) {
        return Err(format!("{} bytes are not a number of elements of {}", file.len(), ty.name()));
    }
    Ok((ty, Vec::new(), file))
}

/// The index of an element, in each dimension if there are several: `[3]`, `[1, 0]`.
fn place(index: usize, dims: &[u64]) -> String {
    if dims.len() < 2 {
        return format!("[{index}]");
    }
    let mut rest = index as u64;
    let mut indices: Vec<String> = Vec::new();
    for size in dims.iter().rev() {
        // No element has an index if a dimension is 0.
        indices.push((rest % size.max(&1)).to_string());
        rest /= size.max(&1);
    }
    indices.reverse();
    format!("[{}]", indices.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_indices_in_each_dimension() {
        assert_eq!((place(7, &[]), place(7, &[8])), ("[7]".to_owned(), "[7]".to_owned()));
        assert_eq!(place(7, &[3, 4]), "[1, 3]");
    }

    #[test]
    fn expectations_read_as_written() {
        let spec: ExpectSpec = "3=w.bin,type=f32,atol=0.5,ulp=2".parse().expect("valid");
        assert_eq!((spec.buffer, spec.ty), (BufferSource::Argument(3), Some(ValueType::F32)));
        assert_eq!(spec.tolerance, Tolerance { absolute: 0.5, relative: 0.0, steps: 2 });
        assert!("out=w.npy".parse::<ExpectSpec>().is_ok());
        for (text, part) in [
            ("3", "expected BUFFER=FILE"),
            ("3=", "expected BUFFER=FILE"),
            ("3=w.bin", "type of the elements is missing"),
            ("3=w.npy,atol=-1", "from 0"),
            ("3=w.npy,atol=nan", "from 0"),
            ("3=w.npy,eps=1", "`eps` is not a key of --expect"),
        ] {
            let error = text.parse::<ExpectSpec>().expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

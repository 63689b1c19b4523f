//! The syntax of ptxrun's command line: launch arguments (`--arg`), views of buffers (`--print`) and
//! dimensions (`--grid`).

use std::path::PathBuf;
use std::str::FromStr;

use crate::argument_spec::{ArgumentSpec, BufferSource, Composed, DeferredPart, TextureSpec};
use crate::filled::FilledSpec;
use crate::npy::is_npy;
use crate::sampler;
use crate::value_type::ValueType;

impl FromStr for ArgumentSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, value) = text.split_once('=').ok_or_else(|| {
            "expected KIND=VALUE, as in i32=5, f32=1.5, hex=00ff, in=FILE, out=BYTES:FILE".to_owned()
        })?;
        match kind {
            "hex" => hex_bytes(value).map(ArgumentSpec::Bytes),
            "tensormap" => value.parse().map(|spec| ArgumentSpec::TensorMap(Box::new(spec))),
            "texture" | "surface" => {
                TextureSpec::parse(value, kind == "surface").map(|spec| ArgumentSpec::Texture(Box::new(spec)))
            }
            "sampler" => sampler::parse(value).map(|sampler| ArgumentSpec::Sampler(Box::new(sampler))),
            "address" => address(value).map(|part| ArgumentSpec::Composed(Box::new(Composed::of(part)))),
            "in" => file(value).map(ArgumentSpec::In),
            "zero" => byte_count(value).map(ArgumentSpec::Zero),
            "buffer" => FilledSpec::parse(value).map(|spec| ArgumentSpec::Filled(Box::new(spec))),
            "out" => {
                let (bytes, path) = pair(value, "out=BYTES:FILE")?;
                let (bytes, path) = (byte_count(bytes)?, file(path)?);
                if is_npy(&path) {
                    return Err(format!(
                        "{UNTYPED}, as in buffer=zero,type=f32,dims=256,out={}",
                        path.display()
                    ));
                }
                Ok(ArgumentSpec::Out(bytes, path))
            }
            "inout" => {
                let (from, to) = pair(value, "inout=FILE:FILE")?;
                if to.contains(':') {
                    return Err("more than one `:`, so the two files cannot be told apart".to_owned());
                }
                let (from, to) = (file(from)?, file(to)?);
                if is_npy(&to) && !is_npy(&from) {
                    let (from, to) = (from.display(), to.display());
                    return Err(format!("{UNTYPED}, as in buffer=in={from},type=f32,out={to}"));
                }
                Ok(ArgumentSpec::InOut(from, to))
            }
            _ => match ValueType::from_name(kind) {
                Some(ty) => ty.parse(value).map(|bytes| ArgumentSpec::Number(ty, bytes)),
                None => Err(format!(
                    "`{kind}` is not a kind of argument; there are i8 .. i64, u8 .. u64, f16, bf16, f32, f64, hex, in, \
                     out, inout, zero, buffer, address, tensormap, texture, surface and sampler"
                )),
            },
        }
    }
}

/// What is wrong with an output whose elements have no type.
const UNTYPED: &str = "a .npy file needs the type and the dimensions of the buffer";

/// `BUFFER` or `BUFFER+BYTES`.
fn address(text: &str) -> Result<DeferredPart, String> {
    let (buffer, offset) = text.split_once('+').unwrap_or((text, "0"));
    Ok(DeferredPart::Address(BufferSource::other(buffer)?, byte_count(offset)?))
}

/// A texture, surface or sampler of the module (`--reference NAME=texture=..`).
#[derive(Clone, PartialEq, Debug)]
pub struct ReferenceSpec {
    /// The variable's name.
    pub name: String,
    /// The texture, surface or sampler.
    pub shown: ArgumentSpec,
}

impl FromStr for ReferenceSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || format!("expected NAME=texture=.., NAME=surface=.. or NAME=sampler=.., not `{text}`");
        let (name, shown) = text.split_once('=').ok_or_else(wanted)?;
        match shown.parse()? {
            shown @ (ArgumentSpec::Texture(_) | ArgumentSpec::Sampler(_)) => {
                Ok(Self { name: name.to_owned(), shown })
            }
            _ => Err(wanted()),
        }
    }
}

/// A view of a buffer after the launch (`--print BUFFER:TYPE[:COUNT]`).
#[derive(Clone, PartialEq, Debug)]
pub struct PrintSpec {
    /// The buffer: the argument's index, from 0, or a name.
    pub buffer: BufferSource,
    /// The type of its elements.
    pub ty: ValueType,
    /// The number of elements; `None` for all.
    pub count: Option<u64>,
}

impl FromStr for PrintSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(3, ':');
        let (Some(index), Some(ty)) = (parts.next(), parts.next()) else {
            return Err("expected INDEX:TYPE or INDEX:TYPE:COUNT, as in 2:f32:8".to_owned());
        };
        let buffer = BufferSource::other(index)?;
        let ty = ValueType::named(ty)?;
        let count = parts.next().map(byte_count).transpose()?;
        Ok(Self { buffer, ty, count })
    }
}

/// One to three dimensions (`--grid X[,Y[,Z]]`); omitted ones are 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimensions(pub [u32; 3]);

impl FromStr for Dimensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > 3 {
            return Err("there are at most three dimensions".to_owned());
        }
        let mut dimensions = [1; 3];
        for (dimension, part) in dimensions.iter_mut().zip(parts) {
            *dimension = part.trim().parse().ok().filter(|&n| n > 0).ok_or_else(|| {
                format!(
                    "`{part}` is not a dimension; dimensions are written X, X,Y or X,Y,Z with numbers from 1"
                )
            })?;
        }
        Ok(Self(dimensions))
    }
}

fn hex_bytes(text: &str) -> Result<Vec<u8>, String> {
    let digit =
        |byte: u8| (byte as char).to_digit(16).ok_or_else(|| "hex= requires hexadecimal digits".to_owned());
    if text.is_empty() || !text.len().is_multiple_of(2) {
        return Err("hex= requires two digits for each byte".to_owned());
    }
    text.as_bytes().chunks_exact(2).map(|pair| Ok((digit(pair[0])? * 16 + digit(pair[1])?) as u8)).collect()
}

fn byte_count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a count"))
}

fn file(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("a file name is missing".to_owned()) } else { Ok(PathBuf::from(text)) }
}

fn pair<'a>(text: &'a str, form: &str) -> Result<(&'a str, &'a str), String> {
    text.split_once(':').ok_or_else(|| format!("it is written {form}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        match text.parse() {
            Ok(ArgumentSpec::Bytes(bytes) | ArgumentSpec::Number(_, bytes)) => bytes,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn scalars_become_little_endian_bytes() {
        assert_eq!(bytes("i32=-5"), [0xfb, 0xff, 0xff, 0xff]);
        assert_eq!(bytes("u64=7"), [7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes("u16=0xBEEF"), [0xef, 0xbe]);
        assert_eq!(bytes("i8=-128"), [0x80]);
        assert_eq!(bytes("i64=-9223372036854775808"), [0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(bytes("f32=1.5"), [0, 0, 0xc0, 0x3f]);
        assert_eq!(bytes("f64=-0"), [0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(bytes("f32=-inf"), [0, 0, 0x80, 0xff]);
        assert_eq!(bytes("f16=1"), [0, 0x3c]);
        assert_eq!(bytes("bf16=1"), [0x80, 0x3f]);
        assert_eq!(bytes("hex=0011aaFF"), [0, 0x11, 0xaa, 0xff]);
    }

    #[test]
    fn f32_is_rounded_once() {
        // 1 + 2^-24 + 2^-60: above the tie, so it rounds up; as f64 it would be the tie and round to even.
        let text = "1.000000059604644776257986190";
        assert_eq!(bytes(&format!("f32={text}")), 1.000_000_1_f32.to_le_bytes());
    }

    #[test]
    fn buffers_name_sizes_and_files() {
        assert_eq!("in=a b".parse(), Ok(ArgumentSpec::In("a b".into())));
        assert_eq!("out=16:c:d".parse(), Ok(ArgumentSpec::Out(16, "c:d".into())));
        assert_eq!("inout=a:b".parse(), Ok(ArgumentSpec::InOut("a".into(), "b".into())));
        assert_eq!("zero=8".parse(), Ok(ArgumentSpec::Zero(8)));
    }

    #[test]
    fn wrong_arguments_say_what_is_wrong() {
        let wrong = [
            ("5", "KIND=VALUE"),
            ("i32=", "not a number"),
            ("i32=1.5", "not a number"),
            ("i32=0x", "not a number"),
            ("i32=+5", "not a number"),
            ("i32=2147483648", "does not fit i32"),
            ("u32=-1", "does not fit u32"),
            ("u64=0x10000000000000000", "does not fit u64"),
            ("u64=999999999999999999999999999999999999999999", "does not fit u64"),
            ("f32=1e39", "does not fit f32"),
            ("f16=1e5", "does not fit f16"),
            ("f32=one", "not a number"),
            ("hex=0", "two digits"),
            ("hex=", "two digits"),
            ("hex=zz", "hexadecimal"),
            ("hex=é", "hexadecimal"),
            ("in=", "file name"),
            ("out=16", "out=BYTES:FILE"),
            ("out=x:f", "not a count"),
            ("inout=a:b:c", "more than one `:`"),
            ("int=5", "not a kind"),
        ];
        for (text, part) in wrong {
            let error = text.parse::<ArgumentSpec>().expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn views_and_dimensions_read_as_written() {
        let view = PrintSpec { buffer: BufferSource::Argument(2), ty: ValueType::F32, count: Some(8) };
        assert_eq!("2:f32:8".parse(), Ok(view.clone()));
        assert_eq!("2:f32".parse(), Ok(PrintSpec { count: None, ..view.clone() }));
        let buffer = BufferSource::Buffer("sums_1".to_owned());
        assert_eq!("sums_1:f32:8".parse(), Ok(PrintSpec { buffer, ..view }));
        for text in ["2", "x y:f32", "2:float", "2:f32:x", "2:f32:1:2", ""] {
            assert!(text.parse::<PrintSpec>().is_err(), "{text}");
        }
        assert_eq!("4".parse(), Ok(Dimensions([4, 1, 1])));
        assert_eq!("4,2,3".parse(), Ok(Dimensions([4, 2, 3])));
        for text in ["", "0", "1,0", "1,2,3,4", "-1", "4294967296", "a"] {
            assert!(text.parse::<Dimensions>().is_err(), "{text}");
        }
    }
}

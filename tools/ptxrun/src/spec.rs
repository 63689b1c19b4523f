//! The syntax of ptxrun's command line: launch arguments (`--arg`), views of buffers (`--print`) and
//! dimensions (`--grid`).

use std::path::PathBuf;
use std::str::FromStr;

use half::{bf16, f16};

use crate::argument_spec::{ArgumentSpec, BufferSource, Composed, DeferredPart, TextureSpec};
use crate::sampler;

/// The scalar types that arguments and views are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueType {
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 64 bits.
    U64,
    /// IEEE half precision.
    F16,
    /// The upper half of single precision.
    Bf16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl ValueType {
    /// All types.
    const ALL: [ValueType; 12] = [
        ValueType::I8,
        ValueType::U8,
        ValueType::I16,
        ValueType::U16,
        ValueType::I32,
        ValueType::U32,
        ValueType::I64,
        ValueType::U64,
        ValueType::F16,
        ValueType::Bf16,
        ValueType::F32,
        ValueType::F64,
    ];

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::I8 => "i8",
            ValueType::U8 => "u8",
            ValueType::I16 => "i16",
            ValueType::U16 => "u16",
            ValueType::I32 => "i32",
            ValueType::U32 => "u32",
            ValueType::I64 => "i64",
            ValueType::U64 => "u64",
            ValueType::F16 => "f16",
            ValueType::Bf16 => "bf16",
            ValueType::F32 => "f32",
            ValueType::F64 => "f64",
        }
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            ValueType::I8 | ValueType::U8 => 1,
            ValueType::I16 | ValueType::U16 | ValueType::F16 | ValueType::Bf16 => 2,
            ValueType::I32 | ValueType::U32 | ValueType::F32 => 4,
            ValueType::I64 | ValueType::U64 | ValueType::F64 => 8,
        }
    }

    /// The little-endian bytes of a number written in decimal, or in hexadecimal after `0x` for integers.
    fn parse(self, text: &str) -> Result<Vec<u8>, String> {
        Ok(match self {
            ValueType::I8 => integer::<i8>(text, self)?.to_le_bytes().to_vec(),
            ValueType::U8 => integer::<u8>(text, self)?.to_le_bytes().to_vec(),
            ValueType::I16 => integer::<i16>(text, self)?.to_le_bytes().to_vec(),
            ValueType::U16 => integer::<u16>(text, self)?.to_le_bytes().to_vec(),
            ValueType::I32 => integer::<i32>(text, self)?.to_le_bytes().to_vec(),
            ValueType::U32 => integer::<u32>(text, self)?.to_le_bytes().to_vec(),
            ValueType::I64 => integer::<i64>(text, self)?.to_le_bytes().to_vec(),
            ValueType::U64 => integer::<u64>(text, self)?.to_le_bytes().to_vec(),
            ValueType::F16 => in_range(f16::from_f64(float(text, self)?), f16::is_infinite, text, self)?
                .to_le_bytes()
                .to_vec(),
            ValueType::Bf16 => in_range(bf16::from_f64(float(text, self)?), bf16::is_infinite, text, self)?
                .to_le_bytes()
                .to_vec(),
            // Parsed as f32 directly: through f64 it would be rounded twice.
            ValueType::F32 => {
                let value = text.parse::<f32>().map_err(|_| not_a_number(text, self))?;
                in_range(value, f32::is_infinite, text, self)?.to_le_bytes().to_vec()
            }
            ValueType::F64 => {
                in_range(float(text, self)?, f64::is_infinite, text, self)?.to_le_bytes().to_vec()
            }
        })
    }

    /// Formats a value for people; a floating-point number as the shortest decimal that is parsed to the same bits.
    ///
    /// `bytes` are those of one element; fewer bytes than an element are shown as `?`.
    pub fn show(self, bytes: &[u8]) -> String {
        fn exactly<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
            bytes.try_into().ok()
        }
        let text = match self {
            ValueType::I8 => exactly(bytes).map(|b| i8::from_le_bytes(b).to_string()),
            ValueType::U8 => exactly(bytes).map(|b| u8::from_le_bytes(b).to_string()),
            ValueType::I16 => exactly(bytes).map(|b| i16::from_le_bytes(b).to_string()),
            ValueType::U16 => exactly(bytes).map(|b| u16::from_le_bytes(b).to_string()),
            ValueType::I32 => exactly(bytes).map(|b| i32::from_le_bytes(b).to_string()),
            ValueType::U32 => exactly(bytes).map(|b| u32::from_le_bytes(b).to_string()),
            ValueType::I64 => exactly(bytes).map(|b| i64::from_le_bytes(b).to_string()),
            ValueType::U64 => exactly(bytes).map(|b| u64::from_le_bytes(b).to_string()),
            ValueType::F16 => exactly(bytes).map(|b| format!("{:?}", f16::from_le_bytes(b))),
            ValueType::Bf16 => exactly(bytes).map(|b| format!("{:?}", bf16::from_le_bytes(b))),
            ValueType::F32 => exactly(bytes).map(|b| format!("{:?}", f32::from_le_bytes(b))),
            ValueType::F64 => exactly(bytes).map(|b| format!("{:?}", f64::from_le_bytes(b))),
        };
        match text {
            Some(text) => text,
            None => "?".to_owned(),
        }
    }
}

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
            "out" => {
                let (bytes, path) = pair(value, "out=BYTES:FILE")?;
                Ok(ArgumentSpec::Out(byte_count(bytes)?, file(path)?))
            }
            "inout" => {
                let (from, to) = pair(value, "inout=FILE:FILE")?;
                if to.contains(':') {
                    return Err("more than one `:`, so the two files cannot be told apart".to_owned());
                }
                Ok(ArgumentSpec::InOut(file(from)?, file(to)?))
            }
            _ => match ValueType::from_name(kind) {
                Some(ty) => ty.parse(value).map(ArgumentSpec::Bytes),
                None => Err(format!(
                    "`{kind}` is not a kind of argument; there are i8 .. i64, u8 .. u64, f16, bf16, f32, f64, hex, in, \
                     out, inout, zero, address, tensormap, texture, surface and sampler"
                )),
            },
        }
    }
}

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
        let ty = ValueType::from_name(ty)
            .ok_or_else(|| format!("`{ty}` is not a type; there are i8 .. u64, f16 .. f64"))?;
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

/// An integer type that a launch argument can have.
trait Integer: TryFrom<i128> {}
impl<T: TryFrom<i128>> Integer for T {}

fn integer<T: Integer>(text: &str, ty: ValueType) -> Result<T, String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(rest) => (16, rest),
        None => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(not_a_number(text, ty));
    }
    let magnitude = i128::from_str_radix(digits, radix).map_err(|_| out_of_range(text, ty))?;
    T::try_from(sign * magnitude).map_err(|_| out_of_range(text, ty))
}

fn float(text: &str, ty: ValueType) -> Result<f64, String> {
    text.parse().map_err(|_| not_a_number(text, ty))
}

/// Rejects a finite number that was rounded to infinity.
fn in_range<T: Copy>(value: T, infinite: fn(T) -> bool, text: &str, ty: ValueType) -> Result<T, String> {
    let meant_infinite = text.to_ascii_lowercase().contains("inf");
    if infinite(value) && !meant_infinite { Err(out_of_range(text, ty)) } else { Ok(value) }
}

fn not_a_number(text: &str, ty: ValueType) -> String {
    format!("`{text}` is not a number of type {}", ty.name())
}

fn out_of_range(text: &str, ty: ValueType) -> String {
    format!("`{text}` does not fit {}", ty.name())
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
            Ok(ArgumentSpec::Bytes(bytes)) => bytes,
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

    #[test]
    fn values_show_as_people_read_them() {
        assert_eq!(ValueType::F32.show(&0.1f32.to_le_bytes()), "0.1");
        assert_eq!(ValueType::F32.show(&1e30f32.to_le_bytes()), "1e30");
        assert_eq!(ValueType::F64.show(&f64::NAN.to_le_bytes()), "NaN");
        assert_eq!(ValueType::I8.show(&[0xff]), "-1");
        assert_eq!(ValueType::F16.show(&[0, 0x3c]), "1.0");
        assert_eq!(ValueType::U32.show(&[1, 2]), "?");
    }
}

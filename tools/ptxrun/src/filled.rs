//! Buffers with a type: `buffer=random=7,type=f32,dims=256`.

use std::path::PathBuf;

use half::{bf16, f16};

use crate::keys::{number, pairs};
use crate::npy::is_npy;
use crate::tolerance::Tolerance;
use crate::value_type::ValueType;

/// A buffer with a type and a shape.
#[derive(Clone, PartialEq, Debug)]
pub struct FilledSpec {
    /// What it has at the start of the launch.
    pub filling: Filling,
    /// The type of its elements; `None` for that of the .npy file.
    pub ty: Option<ValueType>,
    /// Its dimensions, the outermost first; `None` for those of the file.
    pub dims: Option<Vec<u64>>,
    /// Where it is written after the launch.
    pub output: Option<PathBuf>,
    /// The file with what it has to have after the launch.
    pub expected: Option<(PathBuf, Tolerance)>,
}

/// The contents of a buffer at the start of a launch.
#[derive(Clone, PartialEq, Debug)]
pub enum Filling {
    /// Zeros.
    Zero,
    /// 0, 1, 2 and so on; integers wrap around.
    Iota,
    /// Random numbers of a seed.
    Random(u64),
    /// The bytes of an element.
    Value(Vec<u8>),
    /// Those of a file.
    File(PathBuf),
}

/// The keys after the contents.
const KEYS: &str = "type, dims, out, expect, atol, rtol and ulp";

impl FilledSpec {
    /// Parses the text after `buffer=`.
    ///
    /// # Errors
    /// A sentence that describes the error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (first, rest) = match text.split_once(',') {
            Some((first, rest)) => (first, Some(rest)),
            None => (text, None),
        };
        let (mut ty, mut dims, mut output, mut file) = (None, None, None, None);
        let mut tolerance = Tolerance::default();
        for (key, value) in pairs(rest.into_iter().flat_map(|rest| rest.split(',')))? {
            match key {
                "type" => ty = Some(ValueType::named(value)?),
                "dims" => {
                    let sizes = value.split('x').map(|size| number(key, size));
                    dims = Some(sizes.collect::<Result<Vec<u64>, _>>()?);
                }
                "out" => output = Some(path(key, value)?),
                "expect" => file = Some(path(key, value)?),
                _ if tolerance.set(key, value)? => {}
                _ => return Err(format!("`{key}` is not a key of buffers; there are {KEYS}")),
            }
        }
        let filling = filling(first, ty)?;
        let of_array = matches!(&filling, Filling::File(path) if is_npy(path));
        let is_file = matches!(filling, Filling::File(_));
        if ty.is_none() && !of_array {
            return Err("a buffer needs the type of its elements, as in type=f32".to_owned());
        }
        if dims.is_none() && !is_file {
            return Err("a buffer needs dimensions, as in dims=256 or dims=16x16".to_owned());
        }
        if file.is_none() && tolerance != Tolerance::default() {
            return Err("a tolerance needs expect=FILE".to_owned());
        }
        Ok(Self { filling, ty, dims, output, expected: file.map(|file| (file, tolerance)) })
    }

    /// The number of its elements, if its dimensions are given.
    ///
    /// # Errors
    /// It does not fit 64 bits.
    pub fn count(&self) -> Result<Option<u64>, String> {
        let Some(dims) = &self.dims else { return Ok(None) };
        let count = dims.iter().try_fold(1u64, |count, size| count.checked_mul(*size));
        count.map(Some).ok_or_else(|| "the dimensions of the buffer are too large".to_owned())
    }
}

fn path(key: &str, text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err(format!("{key}=: a file name is missing")) } else { Ok(PathBuf::from(text)) }
}

fn filling(text: &str, ty: Option<ValueType>) -> Result<Filling, String> {
    match text.split_once('=') {
        None if text == "zero" => Ok(Filling::Zero),
        None if text == "iota" => Ok(Filling::Iota),
        Some(("random", seed)) => number("random", seed).map(Filling::Random),
        Some(("fill", value)) => {
            let ty = ty.ok_or("fill= needs the type of the elements, as in type=f32")?;
            ty.parse(value).map(Filling::Value)
        }
        Some(("in", file)) => path("in", file).map(Filling::File),
        _ => Err(format!(
            "`{text}` is not the contents of a buffer; there are zero, iota, random=SEED, fill=VALUE and in=FILE"
        )),
    }
}

/// The bytes of `count` elements; `None` for a filling that is in a file.
pub fn bytes(filling: &Filling, ty: ValueType, count: usize) -> Option<Vec<u8>> {
    let elements = |element: &dyn Fn(u64) -> u64| {
        let all = (0..count as u64).map(element);
        all.flat_map(|bits| bits.to_le_bytes().into_iter().take(ty.size())).collect()
    };
    match filling {
        Filling::Zero => Some(vec![0; count * ty.size()]),
        Filling::Iota => Some(elements(&|index| integer(ty, index))),
        Filling::Random(seed) => Some(elements(&|index| random(ty, *seed, index))),
        Filling::Value(element) => Some(element.repeat(count)),
        Filling::File(_) => None,
    }
}

/// The bits of an integer in a type; rounded to the nearest number of a floating-point type, and wrapped to an integer type.
fn integer(ty: ValueType, value: u64) -> u64 {
    match ty {
        ValueType::F16 => f16::from_f64(value as f64).to_bits().into(),
        ValueType::Bf16 => bf16::from_f64(value as f64).to_bits().into(),
        ValueType::F32 => (value as f32).to_bits().into(),
        ValueType::F64 => (value as f64).to_bits(),
        ValueType::I8
        | ValueType::U8
        | ValueType::I16
        | ValueType::U16
        | ValueType::I32
        | ValueType::U32
        | ValueType::I64
        | ValueType::U64 => value,
    }
}

/// The bits of a random number: the upper bits of a word of SplitMix64, for a floating-point type as many as its significand has, below 1.
fn random(ty: ValueType, seed: u64, index: u64) -> u64 {
    let word = split_mix(seed, index);
    let fraction = |bits: u32| (word >> (64 - bits)) as f64 / (1u64 << bits) as f64;
    match ty {
        ValueType::F16 => f16::from_f64(fraction(11)).to_bits().into(),
        ValueType::Bf16 => bf16::from_f64(fraction(8)).to_bits().into(),
        ValueType::F32 => (fraction(24) as f32).to_bits().into(),
        ValueType::F64 => fraction(53).to_bits(),
        ValueType::I8
        | ValueType::U8
        | ValueType::I16
        | ValueType::U16
        | ValueType::I32
        | ValueType::U32
        | ValueType::I64
        | ValueType::U64 => word >> (64 - 8 * ty.size()),
    }
}

/// A word of the generator SplitMix64 (Steele, Lea and Flood 2014) with a seed, the first with index 0.
fn split_mix(seed: u64, index: u64) -> u64 {
    let mut word = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_words_are_those_of_the_published_generator() {
        // Published with the reference implementation, for this seed.
        let words = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431];
        for (index, word) in words.into_iter().enumerate() {
            assert_eq!(split_mix(1234567, index as u64), word);
        }
        // The upper bits of the first word: 0x599ed017fb08fc85.
        assert_eq!(random(ValueType::U8, 1234567, 0), 0x59);
        assert_eq!(random(ValueType::I32, 1234567, 0), 0x599e_d017);
        let float = f32::from_bits(random(ValueType::F32, 1234567, 0) as u32);
        assert_eq!(float, 0x0059_9ed0 as f32 / 16_777_216.0);
        let double = f64::from_bits(random(ValueType::F64, 1234567, 0));
        assert!((double - f64::from(float)).abs() < 1e-7);
    }

    #[test]
    fn buffers_have_a_type_and_a_shape() {
        let spec =
            FilledSpec::parse("fill=-1,type=i16,dims=2x3,out=y.npy,expect=z.npy,rtol=1e-3").expect("valid");
        assert_eq!(spec.filling, Filling::Value(vec![0xff, 0xff]));
        assert_eq!((spec.ty, spec.count()), (Some(ValueType::I16), Ok(Some(6))));
        assert_eq!(spec.output, Some("y.npy".into()));
        assert_eq!(
            spec.expected.map(|(file, tolerance)| (file, tolerance.relative)),
            Some(("z.npy".into(), 1e-3))
        );
        assert_eq!(bytes(&Filling::Iota, ValueType::U16, 3), Some(vec![0, 0, 1, 0, 2, 0]));
        let floats = bytes(&Filling::Iota, ValueType::F32, 2);
        assert_eq!(floats, Some([0f32.to_le_bytes(), 1f32.to_le_bytes()].concat()));
        assert_eq!(bytes(&Filling::Iota, ValueType::U8, 257).map(|bytes| bytes[256]), Some(0));
        assert_eq!(FilledSpec::parse("in=x.npy").map(|spec| (spec.ty, spec.dims)), Ok((None, None)));
        assert_eq!(FilledSpec::parse("in=x.bin,type=f64").map(|spec| spec.dims), Ok(None));
    }

    #[test]
    fn wrong_buffers_say_what_is_wrong() {
        for (text, part) in [
            ("iota", "needs the type"),
            ("iota,type=f32", "needs dimensions"),
            ("iota,type=float,dims=4", "`float` is not a type"),
            ("in=x.bin", "needs the type"),
            ("one,type=f32,dims=4", "`one` is not the contents of a buffer; there are zero, iota"),
            ("fill=300,type=u8,dims=4", "`300` does not fit u8"),
            ("random=x,type=u8,dims=4", "`x` is not such a number"),
            ("zero,type=u8,dims=4,size=4", "`size` is not a key of buffers"),
            ("zero,type=u8,dims=4,atol=1", "needs expect=FILE"),
            ("zero,type=u8,dims=4,expect=x,atol=-1", "from 0"),
            ("zero,type=u8,dims=4,type=u8", "given twice"),
        ] {
            let error = FilledSpec::parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
        let huge = FilledSpec::parse("zero,type=u8,dims=4294967296x4294967296x2").expect("parsed");
        assert!(huge.count().is_err());
    }
}

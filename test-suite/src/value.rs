//! Typed value lists: the inputs and expectations of execution tests.
//!
//! A list is written as items separated by blanks. An item is a number, `N*item`, a range `first..=last` or
//! `first..=last:step`, a group `(item item)*N`, `_` (not judged), `nan` (any NaN), or a generator that fills the rest:
//! `hash_u32(seed, mod)`, `hash_f32(seed, lo, hi)`, `row_starts(seed, mod)`, `file(NAME)`. Floating-point numbers are
//! decimal and rounded once to the type; `0x` gives the bits of any type.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// The type of a buffer's elements or of a parameter, in PTX's names (manual 5.2.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementType {
    /// Untyped bits of the given number of bytes (1, 2, 4 or 8).
    Bits(usize),
    /// An unsigned integer of the given number of bytes.
    Unsigned(usize),
    /// A signed integer of the given number of bytes.
    Signed(usize),
    /// IEEE half precision.
    F16,
    /// The upper half of an IEEE single.
    Bf16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
}

impl ElementType {
    /// Reads a type name such as `u32`, `s64`, `b8`, `f16`, `bf16`; `i32` means `s32`.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "f16" => return Ok(Self::F16),
            "bf16" => return Ok(Self::Bf16),
            "f32" => return Ok(Self::F32),
            "f64" => return Ok(Self::F64),
            _ => {}
        }
        let mut letters = name.chars();
        let kind = letters.next();
        let bytes = match letters.as_str() {
            "8" => 1,
            "16" => 2,
            "32" => 4,
            "64" => 8,
            _ => bail!("no such type: {name}"),
        };
        match kind {
            Some('b') => Ok(Self::Bits(bytes)),
            Some('u') => Ok(Self::Unsigned(bytes)),
            Some('s' | 'i') => Ok(Self::Signed(bytes)),
            _ => bail!("no such type: {name}"),
        }
    }

    /// Bytes of one element.
    pub fn bytes(self) -> usize {
        match self {
            Self::Bits(n) | Self::Unsigned(n) | Self::Signed(n) => n,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The element's value when it is a floating-point type.
    fn float(self, bits: u64) -> Option<f64> {
        match self {
            Self::Bits(_) | Self::Unsigned(_) | Self::Signed(_) => None,
            Self::F16 => Some(half::f16::from_bits(bits as u16).to_f64()),
            Self::Bf16 => Some(half::bf16::from_bits(bits as u16).to_f64()),
            Self::F32 => Some(f64::from(f32::from_bits(bits as u32))),
            Self::F64 => Some(f64::from_bits(bits)),
        }
    }

    /// The bits of one written number.
    fn bits(self, text: &str) -> Result<u64> {
        let width = self.bytes() * 8;
        let fits = |v: i128| v < 1i128 << width && v >= -(1i128 << (width - 1));
        let mask = u64::MAX >> (64 - width);
        if let Some(hex) = text.strip_prefix("0x") {
            let v = u64::from_str_radix(hex, 16).with_context(|| format!("bad number {text}"))?;
            ensure!(fits(i128::from(v)), "{text} does not fit {width} bits");
            return Ok(v);
        }
        let number = || text.parse::<f64>().with_context(|| format!("bad number {text}"));
        Ok(match self {
            Self::Bits(_) | Self::Unsigned(_) | Self::Signed(_) => {
                let v: i128 = text.parse().with_context(|| format!("bad number {text}"))?;
                ensure!(fits(v), "{text} does not fit {width} bits");
                v as u64 & mask
            }
            Self::F16 => u64::from(half::f16::from_f64(number()?).to_bits()),
            Self::Bf16 => u64::from(half::bf16::from_f64(number()?).to_bits()),
            Self::F32 => {
                u64::from(text.parse::<f32>().with_context(|| format!("bad number {text}"))?.to_bits())
            }
            Self::F64 => number()?.to_bits(),
        })
    }

    /// What people read in a mismatch report: bits, and the value of a floating-point type.
    fn show(self, bits: u64) -> String {
        let hex = format!("0x{bits:0digits$x}", digits = self.bytes() * 2);
        match (self.float(bits), self) {
            (Some(v), _) => format!("{v:?} ({hex})"),
            (None, Self::Signed(n)) => {
                let shift = 64 - 8 * n as u32;
                format!("{} ({hex})", ((bits << shift) as i64) >> shift)
            }
            (None, _) => format!("{bits} ({hex})"),
        }
    }
}

/// One expected element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// Exactly these bits, or near them where the judgement allows it.
    Bits(u64),
    /// Any NaN: the manual leaves the payload open.
    AnyNan,
    /// Not judged.
    Any,
}

/// How far a result may be from its expectation.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Judgement {
    /// Relative tolerance of floating-point elements.
    pub rtol: f64,
    /// Absolute tolerance of floating-point elements.
    pub atol: f64,
    /// The fraction of elements that may differ entirely.
    pub mismatch: f64,
}

/// The hash that fills the benchmark's inputs: a counter, multiplied and mixed (all arithmetic modulo 2^32).
pub(crate) fn hash(index: u32, seed: u32) -> u32 {
    let mut h = index.wrapping_mul(0x9E37_79B9).wrapping_add(seed.wrapping_mul(0x85EB_CA6B));
    h ^= h >> 16;
    h = h.wrapping_mul(0x7FEB_352D);
    h ^= h >> 15;
    h = h.wrapping_mul(0x846C_A68B);
    h ^ (h >> 16)
}

fn reduced(h: u32, modulus: u32) -> u32 {
    if modulus == 0 { h } else { h % modulus }
}

/// Reads a value list of `count` elements (any number when `None`); `file(...)` is looked up in `folder`.
pub fn parse_list(ty: ElementType, count: Option<usize>, text: &str, folder: &Path) -> Result<Vec<Element>> {
    let text = text.trim();
    if let Some((name, args)) = generator(text) {
        return generate(ty, count, name, args, folder).with_context(|| format!("in {text}"));
    }
    let tokens = tokenize(text)?;
    let mut list = Vec::new();
    let mut rest = tokens.as_slice();
    while !rest.is_empty() {
        rest = read_item(ty, rest, &mut list)?;
    }
    if let Some(count) = count {
        ensure!(list.len() == count, "{} values are written where {count} are declared", list.len());
    }
    Ok(list)
}

fn generator(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('(')?;
    let args = rest.strip_suffix(')')?;
    (name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty()).then_some((name, args))
}

fn generate(
    ty: ElementType,
    count: Option<usize>,
    name: &str,
    args: &str,
    folder: &Path,
) -> Result<Vec<Element>> {
    if name == "file" {
        let data = std::fs::read(folder.join(args.trim()))?;
        ensure!(data.len() % ty.bytes() == 0, "the file does not hold a whole number of elements");
        let elements: Vec<Element> =
            data.chunks_exact(ty.bytes()).map(|c| Element::Bits(from_bytes(c))).collect();
        ensure!(count.is_none_or(|n| n == elements.len()), "the file holds {} elements", elements.len());
        return Ok(elements);
    }
    let count = count.context("a generated list needs its length: TYPE[COUNT]")? as u32;
    let numbers: Vec<f64> = args.split(',').map(|a| a.trim().parse()).collect::<Result<_, _>>()?;
    let bits: Vec<u64> = match (name, numbers.as_slice()) {
        ("hash_u32", &[seed, modulus]) => {
            (0..count).map(|i| u64::from(reduced(hash(i, seed as u32), modulus as u32))).collect()
        }
        ("hash_f32", &[seed, lo, hi]) => {
            let value =
                |i| lo as f32 + (hi - lo) as f32 * ((hash(i, seed as u32) >> 8) as f32 * 2f32.powi(-24));
            match ty {
                ElementType::F32 => (0..count).map(|i| u64::from(value(i).to_bits())).collect(),
                ElementType::F16 => {
                    (0..count).map(|i| u64::from(half::f16::from_f32(value(i)).to_bits())).collect()
                }
                _ => bail!("hash_f32 fills f32 and f16 only"),
            }
        }
        ("row_starts", &[seed, modulus]) => {
            let mut at = 0u32;
            let mut starts = Vec::new();
            for i in 0..count {
                starts.push(u64::from(at));
                at = at.wrapping_add(1 + reduced(hash(i, seed as u32), modulus as u32));
            }
            starts
        }
        _ => bail!("no generator {name} of {} numbers", numbers.len()),
    };
    Ok(bits.into_iter().map(Element::Bits).collect())
}

fn tokenize(text: &str) -> Result<Vec<String>> {
    // Only the parentheses of groups need separating; a range or a repetition is one word.
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut tokens: Vec<String> = Vec::new();
    for word in spaced.split_whitespace() {
        // `)*N` was torn apart by the spacing: put the repetition back on the parenthesis.
        match tokens.last_mut() {
            Some(last) if last == ")" && word.starts_with('*') => last.push_str(word),
            _ => tokens.push(word.to_owned()),
        }
    }
    Ok(tokens)
}

fn read_item<'a>(ty: ElementType, tokens: &'a [String], list: &mut Vec<Element>) -> Result<&'a [String]> {
    let (first, rest) = tokens.split_first().context("a value is missing")?;
    if first != "(" {
        read_word(ty, first, list)?;
        return Ok(rest);
    }
    let end = rest.iter().position(|t| t.starts_with(')')).context("a group is not closed")?;
    let times: usize = match rest[end].strip_prefix(")*") {
        Some(n) => n.parse().with_context(|| format!("bad repetition {n}"))?,
        None => 1,
    };
    let mut group = Vec::new();
    for word in &rest[..end] {
        ensure!(word != "(", "groups do not nest");
        read_word(ty, word, &mut group)?;
    }
    for _ in 0..times {
        list.extend_from_slice(&group);
    }
    Ok(&rest[end + 1..])
}

fn read_word(ty: ElementType, word: &str, list: &mut Vec<Element>) -> Result<()> {
    if let Some((times, item)) = word.split_once('*') {
        let times: usize = times.parse().with_context(|| format!("bad repetition in {word}"))?;
        let mut one = Vec::new();
        read_word(ty, item, &mut one)?;
        for _ in 0..times {
            list.extend_from_slice(&one);
        }
        return Ok(());
    }
    if let Some((first, last)) = word.split_once("..=") {
        let (last, step) = last.split_once(':').unwrap_or((last, "1"));
        let [first, last, step] = [first, last, step].map(str::parse::<i64>);
        let (mut at, last, step) = (first?, last?, step?);
        ensure!(step != 0 && (last - at).signum() * step.signum() >= 0, "{word} never ends");
        while if step > 0 { at <= last } else { at >= last } {
            list.push(Element::Bits(ty.bits(&at.to_string())?));
            at += step;
        }
        return Ok(());
    }
    list.push(match word {
        "_" => Element::Any,
        "nan" => Element::AnyNan,
        number => Element::Bits(ty.bits(number)?),
    });
    Ok(())
}

/// The little-endian number that the bytes of an element are.
pub(crate) fn from_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b))
}

/// The little-endian bytes of a list that is an input; `nan` is the canonical quiet NaN there.
pub fn to_bytes(ty: ElementType, list: &[Element]) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(list.len() * ty.bytes());
    for element in list {
        let bits = match element {
            Element::Bits(bits) => *bits,
            Element::AnyNan => ty.bits("NaN").context("nan is not an integer")?,
            Element::Any => bail!("an input cannot be left open with `_`"),
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..ty.bytes()]);
    }
    Ok(bytes)
}

/// Compares a buffer with its expectation; the error names the first elements that differ.
pub fn compare(ty: ElementType, want: &[Element], got: &[u8], judgement: Judgement) -> Result<()> {
    ensure!(
        got.len() == want.len() * ty.bytes(),
        "{} bytes came back where {} are expected",
        got.len(),
        want.len() * ty.bytes()
    );
    let mut wrong = Vec::new();
    for (index, (want, got)) in want.iter().zip(got.chunks_exact(ty.bytes())).enumerate() {
        let got = from_bytes(got);
        let good = match *want {
            Element::Any => true,
            Element::AnyNan => ty.float(got).is_some_and(f64::is_nan),
            Element::Bits(bits) => bits == got || near(ty, bits, got, judgement),
        };
        if !good {
            wrong.push((index, want, got));
        }
    }
    if wrong.len() as f64 <= judgement.mismatch * want.len() as f64 {
        return Ok(());
    }
    let shown: Vec<String> = wrong
        .iter()
        .take(8)
        .map(|(index, want, got)| match want {
            Element::Bits(bits) => format!("[{index}] is {}, expected {}", ty.show(*got), ty.show(*bits)),
            Element::AnyNan | Element::Any => format!("[{index}] is {}, expected a NaN", ty.show(*got)),
        })
        .collect();
    bail!("{} of {} elements differ: {}", wrong.len(), want.len(), shown.join("; "))
}

fn near(ty: ElementType, want: u64, got: u64, judgement: Judgement) -> bool {
    match (ty.float(want), ty.float(got)) {
        (Some(want), Some(got)) if judgement.rtol > 0.0 || judgement.atol > 0.0 => {
            (want - got).abs() <= judgement.atol + judgement.rtol * want.abs()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(ty: &str, text: &str) -> Vec<u64> {
        let ty = ElementType::parse(ty).unwrap();
        let list = parse_list(ty, None, text, Path::new(".")).unwrap();
        list.iter().map(|e| if let Element::Bits(b) = e { *b } else { panic!("{e:?}") }).collect()
    }

    #[test]
    fn lists_repeat_range_and_group() {
        assert_eq!(bits("u32", "7 2*9 1..=3 6..=0:-3 (1 2)*2"), [7, 9, 9, 1, 2, 3, 6, 3, 0, 1, 2, 1, 2]);
        assert_eq!(bits("s8", "-1 127"), [0xff, 0x7f]);
        assert_eq!(bits("f32", "1.5 -0 0x7f800000"), [0x3fc0_0000, 0x8000_0000, 0x7f80_0000]);
        assert_eq!(bits("f16", "1 65504"), [0x3c00, 0x7bff]);
    }

    #[test]
    fn wrong_lists_are_refused() {
        let refuse = |ty: &str, n, text: &str| {
            assert!(parse_list(ElementType::parse(ty).unwrap(), n, text, Path::new(".")).is_err(), "{text}");
        };
        refuse("u8", None, "256");
        refuse("u32", Some(2), "1 2 3");
        refuse("u32", None, "(1 2");
        refuse("u32", None, "0..=4:-1");
        refuse("u32", None, "hash_u32(1, 0)");
        refuse("u32", None, "1.5");
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // Worked out with NumPy's uint32 arithmetic.
        assert_eq!([hash(0, 1), hash(1, 1), hash(12345, 7)], HASHES);
    }

    const HASHES: [u32; 3] = [0x1efe_e872, 0xe577_f3aa, 0x43c1_bff2];

    #[test]
    fn comparison_sees_bits_tolerances_and_nans() {
        let f32s = |text: &str| parse_list(ElementType::F32, None, text, Path::new(".")).unwrap();
        let bytes = |text: &str| to_bytes(ElementType::F32, &f32s(text)).unwrap();
        let judge = |want: &str, got: &str, j| compare(ElementType::F32, &f32s(want), &bytes(got), j).is_ok();
        let exact = Judgement::default();
        let loose = Judgement { rtol: 0.01, ..exact };
        assert!(judge("1 nan _", "1 nan 5", exact));
        assert!(!judge("0", "-0", exact), "the sign of zero counts");
        assert!(!judge("1", "1.001", exact) && judge("1", "1.001", loose) && !judge("1", "1.1", loose));
        assert!(!judge("1", "nan", loose) && !judge("nan", "1", loose));
        assert!(judge("1 1 1 1", "1 1 1 2", Judgement { mismatch: 0.25, ..exact }));
        assert!(!judge("1 1", "1", exact), "lengths count");
    }
}

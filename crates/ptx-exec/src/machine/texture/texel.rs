//! Texels: their contents, and filtering.

use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::texture::{BoundTexture, ChannelFormat, Comparison, Meaning, ReadMode, Sampler};

use super::axis::{ONE, Weight};
use crate::memory::{Fault, GlobalMemory};
use crate::texture::PlacedImage;

/// Four channels; those missing in an image are 0, 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Texel {
    Integers([u32; 4]),
    /// Single-precision bits, as in memory.
    Singles([u32; 4]),
    Floats([f64; 4]),
}

impl Texel {
    /// The channels as numbers; `None` for integers.
    pub(super) fn floats(self) -> Option<[f64; 4]> {
        match self {
            Texel::Integers(_) => None,
            Texel::Singles(bits) => Some(bits.map(|bits| f64::from(f32::from_bits(bits)))),
            Texel::Floats(floats) => Some(floats),
        }
    }

    /// The channels as 32-bit words.
    pub(super) fn words(self) -> [u32; 4] {
        match self {
            Texel::Integers(bits) | Texel::Singles(bits) => bits,
            Texel::Floats(floats) => floats.map(|x| Format::F32.narrow(x, Rounding::NearestEven) as u32),
        }
    }

    /// The channels in half precision; `None` for integers.
    pub(super) fn halves(self) -> Option<[u32; 4]> {
        Some(self.floats()?.map(|x| Format::F16.narrow(x, Rounding::NearestEven) as u32))
    }

    /// Replaces the image's channels by the result of comparing `depth` with them; `None` for integers.
    pub(super) fn compared(self, depth: f32, comparison: Comparison, channels: usize) -> Option<Self> {
        let depth = f64::from(depth);
        let mut floats = self.floats()?;
        for channel in floats.iter_mut().take(channels) {
            let passes = match comparison {
                Comparison::Never => false,
                Comparison::Less => depth < *channel,
                Comparison::Equal => depth == *channel,
                Comparison::LessOrEqual => depth <= *channel,
                Comparison::Greater => depth > *channel,
                Comparison::NotEqual => depth != *channel,
                Comparison::GreaterOrEqual => depth >= *channel,
                Comparison::Always => true,
            };
            *channel = f64::from(u8::from(passes));
        }
        Some(Texel::Floats(floats))
    }
}

/// A weighted sum of texels. Products and sums have more precision than single precision, to which the sum is rounded at the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mix {
    sum: [f64; 4],
}

impl Mix {
    /// Adds a texel; texels of weight 0 are ignored, even if they are infinite.
    pub(super) fn add(&mut self, floats: [f64; 4], weight: f64) {
        if weight != 0.0 {
            self.sum.iter_mut().zip(floats).for_each(|(sum, x)| *sum += x * weight);
        }
    }

    pub(super) const fn texel(self) -> Texel {
        Texel::Floats(self.sum)
    }
}

/// Converts a weight to a number.
pub(super) fn fraction(weight: Weight) -> f64 {
    f64::from(weight) / f64::from(ONE)
}

/// A normalized integer of a format; for signed formats the two smallest values are -1.
fn normalized(raw: u64, format: ChannelFormat, is_signed: bool) -> f64 {
    let bits = format.bytes() * 8;
    if is_signed {
        let largest = (1u64 << (bits - 1)) - 1;
        (signed(raw, bits) as f64 / largest as f64).max(-1.0)
    } else {
        raw as f64 / ((1u64 << bits) - 1) as f64
    }
}

fn signed(raw: u64, bits: u32) -> i64 {
    (raw << (64 - bits)) as i64 >> (64 - bits)
}

/// Converts sRGB to linear (IEC 61966-2-1).
fn linear(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Whether fetches from a texture return floating-point numbers.
fn gives_floats(image: &PlacedImage, read: ReadMode) -> bool {
    match image.image.format.meaning() {
        Meaning::Unsigned | Meaning::Signed => read == ReadMode::NormalizedFloat,
        Meaning::Float | Meaning::UnsignedFraction | Meaning::SignedFraction => true,
    }
}

/// Reads a texel at an address.
pub(super) fn read(
    texture: &BoundTexture,
    image: &PlacedImage,
    global: &GlobalMemory,
    address: u64,
) -> Result<Texel, Fault> {
    let (format, channels) = (image.image.format, image.image.channels as usize);
    let mut raw = [0; 4];
    for (n, raw) in raw.iter_mut().enumerate().take(channels) {
        let at = address + n as u64 * u64::from(format.bytes());
        *raw = image.read(global, at, format.bytes())?;
    }
    if format == ChannelFormat::Float {
        let mut bits = [0, 0, 0, 1f32.to_bits()];
        bits.iter_mut().zip(raw).take(channels).for_each(|(bits, raw)| *bits = raw as u32);
        return Ok(Texel::Singles(bits));
    }
    if !gives_floats(image, texture.read) {
        let is_signed = format.meaning() == Meaning::Signed;
        let extend = |raw| if is_signed { signed(raw, format.bytes() * 8) as u32 } else { raw as u32 };
        let mut integers = [0, 0, 0, 1];
        integers.iter_mut().zip(raw).take(channels).for_each(|(integer, raw)| *integer = extend(raw));
        return Ok(Texel::Integers(integers));
    }
    let mut floats = [0.0, 0.0, 0.0, 1.0];
    for (n, (float, raw)) in floats.iter_mut().zip(raw).enumerate().take(channels) {
        *float = match format.meaning() {
            Meaning::Float => Format::F16.widen(raw),
            Meaning::Unsigned | Meaning::UnsignedFraction => normalized(raw, format, false),
            Meaning::Signed | Meaning::SignedFraction => normalized(raw, format, true),
        };
        if texture.srgb && n < 3 {
            *float = linear(*float);
        }
    }
    Ok(Texel::Floats(floats))
}

/// The border colour, with the channels that the image has.
pub(super) fn border(texture: &BoundTexture, image: &PlacedImage, sampler: &Sampler) -> Texel {
    let channels = image.image.channels as usize;
    if gives_floats(image, texture.read) {
        let mut floats = [0.0, 0.0, 0.0, 1.0];
        floats.iter_mut().zip(sampler.border).take(channels).for_each(|(float, x)| *float = x.into());
        return Texel::Floats(floats);
    }
    let is_signed = image.image.format.meaning() == Meaning::Signed;
    let integer = |x: f32| if is_signed { x as i32 as u32 } else { x as u32 };
    let mut integers = [0, 0, 0, 1];
    integers.iter_mut().zip(sampler.border).take(channels).for_each(|(i, x)| *i = integer(x));
    Texel::Integers(integers)
}

//! Tensor maps on the command line: `tensormap=in=x.bin,type=f16,dims=256x512,box=64x16,swizzle=128B`.

use std::str::FromStr;

use ptx_exec::TensorMap;
use ptx_exec::tensormap::{
    ElementType, Interleave, OutOfBounds, PixelBox, Swizzle, Tensor, TensorMapError, WideMode,
};

use crate::argument_spec::{ArgumentSpec, BoxSpec, BufferSource, TensorMapSpec, WideBox};
use crate::keys::{first_and_rest, named, number, pairs};

/// The pixels of a row of the widest box.
const WIDEST_ROW: u32 = 128;

impl TensorMapSpec {
    /// The map of a buffer at this address.
    ///
    /// # Errors
    /// A map that cannot be encoded.
    pub fn encode(&self, buffer: u64) -> Result<TensorMap, TensorMapError> {
        let tensor = Tensor { address: buffer.wrapping_add(self.offset), ..self.tensor.clone() };
        match &self.bounding_box {
            BoxSpec::Box(sizes) => TensorMap::tiled(&tensor, sizes),
            BoxSpec::Pixels(pixel_box) => TensorMap::im2col(&tensor, pixel_box),
            BoxSpec::Wide(WideBox { corners, channels, pixels, mode }) => {
                TensorMap::im2col_wide(&tensor, *corners, *channels, *pixels, *mode)
            }
        }
    }
}

/// The names of types in PTX.
const TYPES: [(&str, ElementType); 16] = [
    ("u8", ElementType::U8),
    ("u16", ElementType::U16),
    ("u32", ElementType::U32),
    ("s32", ElementType::S32),
    ("u64", ElementType::U64),
    ("s64", ElementType::S64),
    ("f16", ElementType::F16),
    ("f32", ElementType::F32),
    ("f32.ftz", ElementType::F32Ftz),
    ("f64", ElementType::F64),
    ("bf16", ElementType::Bf16),
    ("tf32", ElementType::Tf32),
    ("tf32.ftz", ElementType::Tf32Ftz),
    ("b4x16", ElementType::B4x16),
    ("b4x16_p64", ElementType::B4x16P64),
    ("b6x16_p32", ElementType::B6x16P32),
];
const INTERLEAVES: [(&str, Interleave); 3] =
    [("none", Interleave::None), ("16B", Interleave::Bytes16), ("32B", Interleave::Bytes32)];
const SWIZZLES: [(&str, Swizzle); 7] = [
    ("none", Swizzle::None),
    ("32B", Swizzle::Bytes32),
    ("64B", Swizzle::Bytes64),
    ("128B", Swizzle::Bytes128),
    ("128B_ATOM_32B", Swizzle::Bytes128Atom32),
    ("128B_ATOM_32B_FLIP_8B", Swizzle::Bytes128Atom32Flip8),
    ("128B_ATOM_64B", Swizzle::Bytes128Atom64),
];
const FILLS: [(&str, OutOfBounds); 2] = [("zero", OutOfBounds::Zeros), ("nan", OutOfBounds::Nan)];
const MODES: [(&str, WideMode); 2] = [("w", WideMode::W), ("w128", WideMode::W128)];

/// Numbers that are separated by `x`.
fn list<T: FromStr>(key: &str, text: &str) -> Result<Vec<T>, String> {
    text.split('x').map(|part| number(key, part)).collect()
}

/// The strides of a tensor without padding.
fn packed(element: ElementType, dims: &[u64]) -> Result<Vec<u64>, String> {
    let too_large = || "the tensor is too large".to_owned();
    let row = dims.first().and_then(|size| size.checked_mul(element.bits())).ok_or_else(too_large)?;
    let mut stride = row / 8;
    let mut strides = Vec::new();
    for size in dims.iter().skip(1) {
        strides.push(stride);
        stride = stride.checked_mul(*size).ok_or_else(too_large)?;
    }
    Ok(strides)
}

impl FromStr for TensorMapSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (source, parts) = first_and_rest(text);
        let source = match source {
            own if own.contains('=') => {
                let own: ArgumentSpec = own.parse()?;
                if !own.is_plain_buffer() {
                    return Err(
                        "a tensor map begins with in=, out=, inout=, zero= or an argument's index".to_owned()
                    );
                }
                BufferSource::Own(own)
            }
            other => BufferSource::other(other)?,
        };
        let (mut element, mut dims, mut strides, mut steps) = (None, None, None, None);
        let (mut sizes, mut lower, mut upper) = (None, None, None);
        let (mut channels, mut pixels, mut wide) = (None, None, None);
        let mut tensor = Tensor::new(ElementType::U8, 0, &[], &[]);
        let mut offset = 0;
        for (key, value) in pairs(parts)? {
            match key {
                "type" => element = Some(named(&TYPES, key, value)?),
                "dims" => dims = Some(list(key, value)?),
                "strides" => strides = Some(list(key, value)?),
                "steps" => steps = Some(list(key, value)?),
                "box" => sizes = Some(list(key, value)?),
                "lower" => lower = Some(list(key, value)?),
                "upper" => upper = Some(list(key, value)?),
                "channels" => channels = Some(number(key, value)?),
                "pixels" => pixels = Some(number(key, value)?),
                "wide" => wide = Some(named(&MODES, key, value)?),
                "interleave" => tensor.interleave = named(&INTERLEAVES, key, value)?,
                "swizzle" => tensor.swizzle = named(&SWIZZLES, key, value)?,
                "fill" => tensor.out_of_bounds = named(&FILLS, key, value)?,
                "offset" => offset = number(key, value)?,
                _ => {
                    return Err(format!(
                        "`{key}` is not a key; there are type, dims, strides, steps, box, lower, upper, channels, pixels, \
                         wide, interleave, swizzle, fill and offset"
                    ));
                }
            }
        }
        tensor.element = element.ok_or("type= is missing")?;
        tensor.dims = dims.ok_or("dims= is missing")?;
        tensor.strides = match strides {
            Some(strides) => strides,
            None => packed(tensor.element, &tensor.dims)?,
        };
        tensor.element_strides = steps.unwrap_or_else(|| vec![1; tensor.dims.len()]);
        let bounding_box = match (sizes, lower, upper, channels) {
            (Some(sizes), None, None, None) if pixels.is_none() && wide.is_none() => BoxSpec::Box(sizes),
            (None, Some(lower), Some(upper), Some(channels)) => match (pixels, wide) {
                (pixels, Some(mode)) => {
                    let (&[first], &[last]) = (lower.as_slice(), upper.as_slice()) else {
                        return Err("with wide=, lower= and upper= are one number each".to_owned());
                    };
                    let pixels = pixels.unwrap_or(WIDEST_ROW);
                    BoxSpec::Wide(WideBox { corners: (first, last), channels, pixels, mode })
                }
                (Some(pixels), None) => BoxSpec::Pixels(PixelBox { lower, upper, channels, pixels }),
                (None, None) => return Err("pixels= is missing".to_owned()),
            },
            _ => return Err("either box= is needed, or lower=, upper=, channels= and pixels=".to_owned()),
        };
        let spec = Self { source, offset, tensor, bounding_box };
        // Buffers are aligned to more than a map requires.
        spec.encode(0).map_err(|error| error.to_string())?;
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_with_all_of_its_keys() {
        let spec: TensorMapSpec =
            "2,type=bf16,dims=256x512,strides=1024,box=64x16,steps=1x2,swizzle=128B,fill=nan,offset=32"
                .parse()
                .unwrap();
        let tensor = Tensor {
            element_strides: vec![1, 2],
            swizzle: Swizzle::Bytes128,
            out_of_bounds: OutOfBounds::Nan,
            ..Tensor::new(ElementType::Bf16, 4096 + 32, &[256, 512], &[1024])
        };
        assert_eq!(spec.source, BufferSource::Argument(2));
        assert_eq!(spec.encode(4096), TensorMap::tiled(&tensor, &[64, 16]));
    }

    #[test]
    fn strides_default_to_a_tensor_without_padding() {
        let spec: TensorMapSpec = "zero=1024,type=b4x16,dims=64x8x4,box=32x1x1".parse().unwrap();
        assert_eq!(spec.source, BufferSource::Own(ArgumentSpec::Zero(1024)));
        let tensor = Tensor::new(ElementType::B4x16, 0, &[64, 8, 4], &[32, 256]);
        assert_eq!(spec.encode(0), TensorMap::tiled(&tensor, &[32, 1, 1]));
    }

    #[test]
    fn pixels_have_corners() {
        let tensor = Tensor::new(ElementType::F16, 0, &[64, 9, 14, 64], &[128, 1152, 16128]);
        let spec: TensorMapSpec =
            "0,type=f16,dims=64x9x14x64,lower=-1x-2,upper=-1x0,channels=8,pixels=64".parse().unwrap();
        let pixel_box = PixelBox { lower: vec![-1, -2], upper: vec![-1, 0], channels: 8, pixels: 64 };
        assert_eq!(spec.encode(0), TensorMap::im2col(&tensor, &pixel_box));
        let spec: TensorMapSpec =
            "0,type=f16,dims=64x9x14x64,swizzle=64B,lower=-1,upper=0,channels=32,wide=w128".parse().unwrap();
        let tensor = Tensor { swizzle: Swizzle::Bytes64, ..tensor };
        assert_eq!(spec.encode(0), TensorMap::im2col_wide(&tensor, (-1, 0), 32, 128, WideMode::W128));
    }

    #[test]
    fn wrong_maps_say_what_is_wrong() {
        let wrong = [
            ("x-1,type=f16", "not an argument's index"),
            ("i32=5,type=f16", "begins with in="),
            ("zero=x,type=f16", "not a count"),
            ("0,f16", "KEY=VALUE"),
            ("0,kind=f16", "`kind` is not a key"),
            ("0,dims=16,box=16", "type= is missing"),
            ("0,type=f16,box=16", "dims= is missing"),
            ("0,type=f16,dims=16", "either box= is needed"),
            ("0,type=f16,dims=16,box=16,channels=8", "either box= is needed"),
            ("0,type=f16,dims=16x8x8,lower=0,upper=0,channels=8", "pixels= is missing"),
            ("0,type=half,dims=16,box=16", "expected one of u8, "),
            ("0,type=f16,dims=16y,box=16", "`16y` is not such a number"),
            ("0,type=f16,dims=16,box=16,swizzle=96B", "expected one of none, 32B, 64B, 128B"),
            ("0,type=f16,dims=16,box=4", "not a multiple of 16 bytes"),
            ("0,type=f16,dims=16,box=16,offset=8", "not a multiple of 16"),
            ("0,type=f16,dims=18446744073709551615,box=16", "too large"),
        ];
        for (text, part) in wrong {
            let error = text.parse::<TensorMapSpec>().expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

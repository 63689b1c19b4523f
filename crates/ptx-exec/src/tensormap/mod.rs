//! Tensor maps: what a tensor copy knows about the tensor and about the part of it that it copies (manual 5.5.8).
//!
//! A program sees 128 opaque bytes, which a driver encodes before the launch. The encoding is this project's own
//! ([`TensorMap::to_bytes`]); what can be encoded, and what is wrong, is as in `cuTensorMapEncodeTiled`,
//! `cuTensorMapEncodeIm2col` and `cuTensorMapEncodeIm2colWide` of the CUDA driver.
//!
//! ```
//! use ptx_exec::tensormap::{ElementType, Swizzle, Tensor};
//! use ptx_exec::{Argument, TensorMap};
//!
//! // A matrix of 512 rows and 256 columns at the start of a buffer; boxes have 16 rows and 64 columns.
//! let matrix = Tensor { swizzle: Swizzle::Bytes128, ..Tensor::new(ElementType::F16, 0, &[256, 512], &[512]) };
//! let map = TensorMap::tiled(&matrix, &[64, 16])?;
//! let argument = Argument::Tensor(map, vec![0; 512 * 512]);
//! # Ok::<(), ptx_exec::tensormap::TensorMapError>(())
//! ```

mod check;
mod encoding;

pub(crate) use encoding::Field;

use thiserror::Error;

/// The most dimensions of a tensor.
pub const MOST_DIMENSIONS: usize = 5;
/// Bytes of a tensor map, and what its address is a multiple of.
pub const BYTES: usize = 128;
pub(crate) const ALIGNMENT: u64 = 64;

/// The type of the elements of a tensor, with the number that `tensormap.replace` has for it (manual 9.7.9.28).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementType {
    /// `.u8`
    U8 = 0,
    /// `.u16`
    U16 = 1,
    /// `.u32`
    U32 = 2,
    /// `.s32`
    S32 = 3,
    /// `.u64`
    U64 = 4,
    /// `.s64`
    S64 = 5,
    /// `.f16`
    F16 = 6,
    /// `.f32`
    F32 = 7,
    /// `.f32` whose sums have no subnormals.
    F32Ftz = 8,
    /// `.f64`
    F64 = 9,
    /// `.bf16`
    Bf16 = 10,
    /// `.tf32`: loads round `.f32`.
    Tf32 = 11,
    /// `.tf32` whose sums have no subnormals.
    Tf32Ftz = 12,
    /// 4 bits, packed in global and in shared memory (`16U4_ALIGN8B`).
    B4x16 = 13,
    /// 4 bits; in shared memory 8 unused bytes follow 16 elements (`16U4_ALIGN16B`).
    B4x16P64 = 14,
    /// 6 bits (`16U6_ALIGN16B`). A load puts 4 unused bytes after 16 elements in shared memory, a store takes the lower 6 bits of
    /// each byte there (`.b6x16_p32`, `.b6p2x16`).
    B6x16P32 = 15,
}

impl ElementType {
    /// All types, by number.
    pub const ALL: [Self; 16] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::S32,
        Self::U64,
        Self::S64,
        Self::F16,
        Self::F32,
        Self::F32Ftz,
        Self::F64,
        Self::Bf16,
        Self::Tf32,
        Self::Tf32Ftz,
        Self::B4x16,
        Self::B4x16P64,
        Self::B6x16P32,
    ];

    /// Bits of an element in global memory.
    pub const fn bits(self) -> u64 {
        match self {
            Self::U8 => 8,
            Self::U16 | Self::F16 | Self::Bf16 => 16,
            Self::U32 | Self::S32 | Self::F32 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz => 32,
            Self::U64 | Self::S64 | Self::F64 => 64,
            Self::B4x16 | Self::B4x16P64 => 4,
            Self::B6x16P32 => 6,
        }
    }

    /// Bytes in shared memory of so many elements.
    pub(crate) const fn shared_bytes(self, elements: u64) -> u64 {
        if self.is_padded() { elements } else { elements * self.bits() / 8 }
    }

    /// Whether 16 elements take 16 bytes in shared memory and fewer in global memory.
    pub const fn is_padded(self) -> bool {
        matches!(self, Self::B4x16P64 | Self::B6x16P32)
    }

    /// Whether elements are narrower than a byte.
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::B4x16 | Self::B4x16P64 | Self::B6x16P32)
    }

    /// Whether there are NaNs of the type.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F16 | Self::F32 | Self::F32Ftz | Self::F64 | Self::Bf16 | Self::Tf32 | Self::Tf32Ftz
        )
    }
}

/// How the channels of a tensor lie in memory (manual 5.5.6).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Interleave {
    /// All channels of a pixel together.
    #[default]
    None = 0,
    /// In slices of 16 bytes, each with all pixels of an image: NC/8HWC8 with 2 bytes a channel.
    Bytes16 = 1,
    /// In slices of 32 bytes: NC/16HWC16 with 2 bytes a channel.
    Bytes32 = 2,
}

impl Interleave {
    /// Bytes of a slice.
    pub const fn slice(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Bytes16 => Some(16),
            Self::Bytes32 => Some(32),
        }
    }
}

/// Where parts of a box go in shared memory instead of one after the other (manual 5.5.7).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Swizzle {
    /// One after the other.
    #[default]
    None,
    /// Chunks of 16 bytes within 32 bytes.
    Bytes32,
    /// Chunks of 16 bytes within 64 bytes.
    Bytes64,
    /// Chunks of 16 bytes, for rows of 96 bytes; only `tensormap.replace` can select it.
    Bytes96,
    /// Chunks of 16 bytes within 128 bytes.
    Bytes128,
    /// Chunks of 32 bytes within 128 bytes.
    Bytes128Atom32,
    /// The same; the halves of each 16 bytes change places in every other line of 128 bytes.
    Bytes128Atom32Flip8,
    /// Chunks of 64 bytes within 128 bytes.
    Bytes128Atom64,
}

impl Swizzle {
    /// The numbers of mode and atomicity that `tensormap.replace` has for it (manual 9.7.9.28).
    pub(crate) const fn numbers(self) -> (u8, u8) {
        match self {
            Self::None => (0, 0),
            Self::Bytes32 => (1, 0),
            Self::Bytes64 => (2, 0),
            Self::Bytes128 => (3, 0),
            Self::Bytes96 => (4, 0),
            Self::Bytes128Atom32 => (3, 1),
            Self::Bytes128Atom32Flip8 => (3, 2),
            Self::Bytes128Atom64 => (3, 3),
        }
    }

    pub(crate) const fn from_numbers(mode: u8, atomicity: u8) -> Option<Self> {
        Some(match (mode, atomicity) {
            (0, _) => Self::None,
            (1, 0) => Self::Bytes32,
            (2, 0) => Self::Bytes64,
            (3, 0) => Self::Bytes128,
            (4, 0) => Self::Bytes96,
            (3, 1) => Self::Bytes128Atom32,
            (3, 2) => Self::Bytes128Atom32Flip8,
            (3, 3) => Self::Bytes128Atom64,
            _ => return None,
        })
    }

    /// The most bytes of a row of the box, if there is a limit.
    pub const fn span(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::Bytes32 => Some(32),
            Self::Bytes64 => Some(64),
            Self::Bytes96 => Some(96),
            Self::Bytes128 | Self::Bytes128Atom32 | Self::Bytes128Atom32Flip8 | Self::Bytes128Atom64 => {
                Some(128)
            }
        }
    }

    /// The address in shared memory of what would lie at `address` without it: the number of the line of 128 bytes, by exclusive
    /// or, changes the number of the chunk in the line.
    pub const fn apply(self, address: u64) -> u64 {
        let line = address >> 7;
        match self {
            Self::None => address,
            Self::Bytes32 | Self::Bytes96 => address ^ (line & 1) << 4,
            Self::Bytes64 => address ^ (line & 3) << 4,
            Self::Bytes128 => address ^ (line & 7) << 4,
            Self::Bytes128Atom32 => address ^ (line & 3) << 5,
            Self::Bytes128Atom32Flip8 => address ^ (line & 3) << 5 ^ (line & 1) << 3,
            Self::Bytes128Atom64 => address ^ (line & 1) << 6,
        }
    }
}

/// How much is fetched at once from memory to the second-level cache; there is no cache here.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Promotion {
    /// As much as is requested.
    #[default]
    None = 0,
    /// 64 bytes.
    Bytes64 = 1,
    /// 128 bytes.
    Bytes128 = 2,
    /// 256 bytes.
    Bytes256 = 3,
}

/// What a load gives for elements outside of the tensor (manual 5.5.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OutOfBounds {
    /// Zeros.
    #[default]
    Zeros = 0,
    /// The NaN that `fma.oob` takes for zero.
    Nan = 1,
}

/// A tensor in global memory. Lists are in the order of the dimensions, the innermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    /// The type of its elements.
    pub element: ElementType,
    /// The address of its first element.
    pub address: u64,
    /// Elements along each dimension.
    pub dims: Vec<u64>,
    /// Bytes from an element to the next one along each dimension but the innermost.
    pub strides: Vec<u64>,
    /// Elements from one that is copied to the next, along each dimension; that of the innermost counts only with an interleave.
    pub element_strides: Vec<u32>,
    /// How its channels lie in memory.
    pub interleave: Interleave,
    /// Where parts of a box go in shared memory.
    pub swizzle: Swizzle,
    /// How it goes through the cache.
    pub promotion: Promotion,
    /// What a load gives for elements outside of it.
    pub out_of_bounds: OutOfBounds,
}

impl Tensor {
    /// A tensor whose elements are all copied, without interleave and swizzle; zeros are outside of it.
    pub fn new(element: ElementType, address: u64, dims: &[u64], strides: &[u64]) -> Self {
        Self {
            element,
            address,
            dims: dims.to_vec(),
            strides: strides.to_vec(),
            element_strides: vec![1; dims.len()],
            interleave: Interleave::None,
            swizzle: Swizzle::None,
            promotion: Promotion::None,
            out_of_bounds: OutOfBounds::Zeros,
        }
    }
}

/// The pixels that `.im2col` takes (manual 5.5.4). Corners are in the order W, H, D, as dimensions are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PixelBox {
    /// The lowest coordinates of the filter's base.
    pub lower: Vec<i32>,
    /// The highest ones, counted from the last pixel of the image.
    pub upper: Vec<i32>,
    /// Channels of a pixel that are copied.
    pub channels: u32,
    /// Pixels that are copied.
    pub pixels: u32,
}

/// How many pixels of a row `.im2col::w` takes (manual 5.5.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WideMode {
    /// Those of the map.
    W,
    /// 128.
    W128,
}

/// What part of the tensor is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// A box with so many elements along each dimension.
    Tile([u32; MOST_DIMENSIONS]),
    Pixels(Pixels),
}

/// Pixels in the order of the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pixels {
    /// Corners along W, H, D.
    pub(crate) lower: [i16; 3],
    pub(crate) upper: [i16; 3],
    pub(crate) channels: u32,
    pub(crate) pixels: u32,
    /// Whether only W is walked along, and how far.
    pub(crate) wide: Option<WideMode>,
}

/// A tensor map. Everything in it can be changed by the program, so only [`TensorMap::check`] determines whether it can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorMap {
    pub(crate) element: ElementType,
    pub(crate) rank: usize,
    pub(crate) address: u64,
    pub(crate) dims: [u64; MOST_DIMENSIONS],
    pub(crate) strides: [u64; MOST_DIMENSIONS - 1],
    pub(crate) element_strides: [u32; MOST_DIMENSIONS],
    pub(crate) interleave: Interleave,
    /// Numbers of the swizzle's mode and atomicity, which are changed one by one.
    pub(crate) swizzle: (u8, u8),
    pub(crate) promotion: Promotion,
    pub(crate) out_of_bounds: OutOfBounds,
    pub(crate) part: Part,
}

/// Why something is not a tensor map.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct TensorMapError(pub(crate) String);

impl TensorMap {
    /// A map of boxes of a tensor, as `cuTensorMapEncodeTiled` makes it.
    ///
    /// # Errors
    /// For what the driver does not encode, with the limit that is broken.
    pub fn tiled(tensor: &Tensor, box_dims: &[u32]) -> Result<Self, TensorMapError> {
        let part = Part::Tile(fill(box_dims, dimensions(tensor)?, "sizes of the box")?);
        Self::new(tensor, part)
    }

    /// A map of pixels for a filter, as `cuTensorMapEncodeIm2col` makes it.
    ///
    /// # Errors
    /// As [`TensorMap::tiled`].
    pub fn im2col(tensor: &Tensor, pixel_box: &PixelBox) -> Result<Self, TensorMapError> {
        let spatial = tensor.dims.len().saturating_sub(2);
        let (lower, upper) = (corner(&pixel_box.lower, spatial)?, corner(&pixel_box.upper, spatial)?);
        let (channels, pixels) = (pixel_box.channels, pixel_box.pixels);
        Self::new(tensor, Part::Pixels(Pixels { lower, upper, channels, pixels, wide: None }))
    }

    /// A map of pixels of rows, as `cuTensorMapEncodeIm2colWide` makes it: the corners are along W.
    ///
    /// # Errors
    /// As [`TensorMap::tiled`].
    pub fn im2col_wide(
        tensor: &Tensor,
        (lower, upper): (i32, i32),
        channels: u32,
        pixels: u32,
        mode: WideMode,
    ) -> Result<Self, TensorMapError> {
        let (lower, upper) = (corner(&[lower], 1)?, corner(&[upper], 1)?);
        let wide = Some(mode);
        // What is ignored has one value.
        let pixels = if mode == WideMode::W128 { 128 } else { pixels };
        Self::new(tensor, Part::Pixels(Pixels { lower, upper, channels, pixels, wide }))
    }

    fn new(tensor: &Tensor, part: Part) -> Result<Self, TensorMapError> {
        let rank = dimensions(tensor)?;
        if tensor.swizzle == Swizzle::Bytes96 {
            let text = "the swizzle of 96 bytes has no encoding; `tensormap.replace` sets it";
            return Err(TensorMapError(text.to_owned()));
        }
        let map = Self {
            element: tensor.element,
            rank,
            address: tensor.address,
            dims: fill(&tensor.dims, rank, "sizes of the tensor")?,
            strides: fill(&tensor.strides, rank - 1, "strides")?,
            element_strides: fill(&tensor.element_strides, rank, "element strides")?,
            interleave: tensor.interleave,
            swizzle: tensor.swizzle.numbers(),
            promotion: tensor.promotion,
            out_of_bounds: tensor.out_of_bounds,
            part,
        };
        map.check()?;
        Ok(map)
    }

    /// The map of the same tensor so many bytes further in memory; as `cuTensorMapReplaceAddress`, but relative.
    #[must_use]
    pub const fn moved_by(&self, bytes: u64) -> Self {
        Self { address: self.address.wrapping_add(bytes), ..*self }
    }

    /// The pattern that the numbers of mode and atomicity mean.
    pub(crate) fn swizzle(&self) -> Result<Swizzle, TensorMapError> {
        let (mode, atomicity) = self.swizzle;
        Swizzle::from_numbers(mode, atomicity).ok_or_else(|| {
            TensorMapError(format!("swizzle mode {mode} does not go with swizzle atomicity {atomicity}"))
        })
    }
}

fn dimensions(tensor: &Tensor) -> Result<usize, TensorMapError> {
    let rank = tensor.dims.len();
    if (1..=MOST_DIMENSIONS).contains(&rank) {
        return Ok(rank);
    }
    Err(TensorMapError(format!("a tensor has 1 to {MOST_DIMENSIONS} dimensions, not {rank}")))
}

/// A list of a known length, filled up with zeros to the length of an array.
fn fill<T: Copy + Default, const N: usize>(
    list: &[T],
    wanted: usize,
    what: &str,
) -> Result<[T; N], TensorMapError> {
    if list.len() != wanted {
        return Err(TensorMapError(format!("expected {wanted} {what}, found {}", list.len())));
    }
    Ok(std::array::from_fn(|at| list.get(at).copied().unwrap_or_default()))
}

fn corner(list: &[i32], spatial: usize) -> Result<[i16; 3], TensorMapError> {
    let wide: [i32; 3] = fill(list, spatial, "coordinates of a corner of the pixels")?;
    let narrow = wide.map(i16::try_from);
    match narrow {
        [Ok(w), Ok(h), Ok(d)] => Ok([w, h, d]),
        _ => Err(TensorMapError(format!("a corner of the pixels at {list:?} is beyond 16 bits"))),
    }
}

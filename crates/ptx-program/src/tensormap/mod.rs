//! Tensor maps: descriptions of a tensor and of the part of it that a tensor copy transfers (manual 5.5.8).
//!
//! To a program a tensor map is 128 opaque bytes, which a driver encodes before the launch. The encoding is specific to
//! this project ([`TensorMap::to_bytes`]); the supported maps and their errors are those of `cuTensorMapEncodeTiled`,
//! `cuTensorMapEncodeIm2col` and `cuTensorMapEncodeIm2colWide` of the CUDA driver.
//!
//! ```
//! use ptx_program::tensormap::{ElementType, Swizzle, Tensor, TensorMap};
//!
//! // A matrix of 512 rows and 256 columns at the start of a buffer; boxes have 16 rows and 64 columns.
//! let matrix = Tensor { swizzle: Swizzle::Bytes128, ..Tensor::new(ElementType::F16, 0, &[256, 512], &[512]) };
//! let map = TensorMap::tiled(&matrix, &[64, 16])?;
//! assert_eq!(TensorMap::from_bytes(&map.to_bytes())?, map);
//! # Ok::<(), ptx_program::tensormap::TensorMapError>(())
//! ```

mod check;
mod encoding;

pub use encoding::Field;

use thiserror::Error;

/// Maximum rank of a tensor.
pub const MOST_DIMENSIONS: usize = 5;
/// Size of a tensor map in bytes. Its address must be a multiple of 64.
pub const BYTES: usize = 128;
/// Alignment of the address of a tensor map.
pub const ALIGNMENT: u64 = 64;

/// The element type of a tensor, numbered as for `tensormap.replace` (manual 9.7.9.28).
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
    /// `.f32`; reductions flush subnormals.
    F32Ftz = 8,
    /// `.f64`
    F64 = 9,
    /// `.bf16`
    Bf16 = 10,
    /// `.tf32`: loads round `.f32`.
    Tf32 = 11,
    /// `.tf32`; reductions flush subnormals.
    Tf32Ftz = 12,
    /// 4 bits, packed in global and in shared memory (`16U4_ALIGN8B`).
    B4x16 = 13,
    /// 4 bits; in shared memory 16 elements are followed by 8 unused bytes (`16U4_ALIGN16B`).
    B4x16P64 = 14,
    /// 6 bits (`16U6_ALIGN16B`). A load inserts 4 unused bytes after 16 elements in shared memory, a store uses the
    /// lower 6 bits of each byte there (`.b6x16_p32`, `.b6p2x16`).
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

    /// Size of `elements` elements in shared memory in bytes.
    pub const fn shared_bytes(self, elements: u64) -> u64 {
        if self.is_padded() { elements } else { elements * self.bits() / 8 }
    }

    /// Whether 16 elements occupy 16 bytes in shared memory and fewer in global memory.
    pub const fn is_padded(self) -> bool {
        matches!(self, Self::B4x16P64 | Self::B6x16P32)
    }

    /// Whether elements are narrower than a byte.
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::B4x16 | Self::B4x16P64 | Self::B6x16P32)
    }

    /// Whether the type has NaNs.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F16 | Self::F32 | Self::F32Ftz | Self::F64 | Self::Bf16 | Self::Tf32 | Self::Tf32Ftz
        )
    }
}

/// Layout of the channels of a tensor in memory (manual 5.5.6).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Interleave {
    /// All channels of a pixel are contiguous.
    #[default]
    None = 0,
    /// In slices of 16 bytes, each with all pixels of an image: NC/8HWC8 for 2-byte channels.
    Bytes16 = 1,
    /// In slices of 32 bytes: NC/16HWC16 for 2-byte channels.
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

/// Permutation of a box in shared memory (manual 5.5.7).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Swizzle {
    /// None.
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
    /// Like [`Swizzle::Bytes128Atom32`], with the halves of each 16 bytes swapped in every other line of 128 bytes.
    Bytes128Atom32Flip8,
    /// Chunks of 64 bytes within 128 bytes.
    Bytes128Atom64,
}

impl Swizzle {
    /// Mode and atomicity as numbered for `tensormap.replace` (manual 9.7.9.28).
    pub const fn numbers(self) -> (u8, u8) {
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

    /// The swizzle with these [numbers](Swizzle::numbers); `None` if there is none.
    pub const fn from_numbers(mode: u8, atomicity: u8) -> Option<Self> {
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

    /// Maximum row size of the box in bytes, if limited.
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

    /// The swizzled shared memory address for an unswizzled one: the number of the 128-byte line is combined by
    /// exclusive or with the number of the chunk in the line.
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

/// Granularity of fetches from memory to the L2 cache; there is no cache here.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Promotion {
    /// As requested.
    #[default]
    None = 0,
    /// 64 bytes.
    Bytes64 = 1,
    /// 128 bytes.
    Bytes128 = 2,
    /// 256 bytes.
    Bytes256 = 3,
}

/// The value that a load returns for elements outside the tensor (manual 5.5.3.3).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OutOfBounds {
    /// Zeros.
    #[default]
    Zeros = 0,
    /// The NaN that `fma.oob` treats as zero.
    Nan = 1,
}

/// A tensor in global memory. Lists are in dimension order, innermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    /// The type of its elements.
    pub element: ElementType,
    /// The address of its first element.
    pub address: u64,
    /// Elements along each dimension.
    pub dims: Vec<u64>,
    /// Strides in bytes of all dimensions except the innermost.
    pub strides: Vec<u64>,
    /// Strides in elements between copied elements, along each dimension; that of the innermost is only used with an interleave.
    pub element_strides: Vec<u32>,
    /// Layout of its channels in memory.
    pub interleave: Interleave,
    /// Permutation of a box in shared memory.
    pub swizzle: Swizzle,
    /// L2 promotion.
    pub promotion: Promotion,
    /// The value that a load returns for elements outside the tensor.
    pub out_of_bounds: OutOfBounds,
}

impl Tensor {
    /// A tensor with unit element strides, no interleave and no swizzle; out-of-bounds elements are zero.
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

/// The pixels accessed by `.im2col` (manual 5.5.4). Corners are in the order W, H, D, like dimensions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PixelBox {
    /// The lowest coordinates of the filter base.
    pub lower: Vec<i32>,
    /// The highest coordinates, relative to the last pixel of the image.
    pub upper: Vec<i32>,
    /// Copied channels per pixel.
    pub channels: u32,
    /// Number of copied pixels.
    pub pixels: u32,
}

/// Number of pixels per row accessed by `.im2col::w` (manual 5.5.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WideMode {
    /// As given by the map.
    W,
    /// 128.
    W128,
}

/// The part of the tensor that a copy transfers (manual 5.5.3, 5.5.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundingBox {
    /// A box with these sizes.
    Tile([u32; MOST_DIMENSIONS]),
    /// Pixels, in the modes `.im2col` and `.im2col::w`.
    Pixels(Pixels),
}

/// Pixels in the order of the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pixels {
    /// The lower corners along W, H, D.
    pub lower: [i16; 3],
    /// The upper corners along W, H, D.
    pub upper: [i16; 3],
    /// Copied channels per pixel.
    pub channels: u32,
    /// Number of copied pixels.
    pub pixels: u32,
    /// The W mode, if only W is traversed.
    pub wide: Option<WideMode>,
}

/// A tensor map. Programs can modify every field, so only [`TensorMap::check`] determines whether it is usable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorMap {
    /// The type of the elements.
    pub element: ElementType,
    /// Dimensions of the tensor.
    pub rank: usize,
    /// The address of the first element.
    pub address: u64,
    /// Elements along each dimension, innermost first.
    pub dims: [u64; MOST_DIMENSIONS],
    /// Strides in bytes of all dimensions except the innermost.
    pub strides: [u64; MOST_DIMENSIONS - 1],
    /// Strides in elements between copied elements, along each dimension.
    pub element_strides: [u32; MOST_DIMENSIONS],
    /// Layout of the channels in memory.
    pub interleave: Interleave,
    /// Numbers of the swizzle mode and atomicity, which are modified separately.
    pub swizzle: (u8, u8),
    /// L2 promotion.
    pub promotion: Promotion,
    /// The value that a load returns for elements outside the tensor.
    pub out_of_bounds: OutOfBounds,
    /// The part of the tensor that a copy transfers.
    pub bounding_box: BoundingBox,
}

/// The reason why something is not a tensor map.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct TensorMapError(pub(crate) String);

impl TensorMap {
    /// A map of boxes of a tensor, like `cuTensorMapEncodeTiled`.
    ///
    /// # Errors
    /// A tensor that the driver does not encode, with the violated limit.
    pub fn tiled(tensor: &Tensor, box_dims: &[u32]) -> Result<Self, TensorMapError> {
        let bounding_box = BoundingBox::Tile(fill(box_dims, dimensions(tensor)?, "sizes of the box")?);
        Self::new(tensor, bounding_box)
    }

    /// A map of pixels for a filter, like `cuTensorMapEncodeIm2col`.
    ///
    /// # Errors
    /// See [`TensorMap::tiled`].
    pub fn im2col(tensor: &Tensor, pixel_box: &PixelBox) -> Result<Self, TensorMapError> {
        let spatial = tensor.dims.len().saturating_sub(2);
        let (lower, upper) = (corner(&pixel_box.lower, spatial)?, corner(&pixel_box.upper, spatial)?);
        let (channels, pixels) = (pixel_box.channels, pixel_box.pixels);
        Self::new(tensor, BoundingBox::Pixels(Pixels { lower, upper, channels, pixels, wide: None }))
    }

    /// A map of pixels of rows, like `cuTensorMapEncodeIm2colWide`: the corners are along W.
    ///
    /// # Errors
    /// See [`TensorMap::tiled`].
    pub fn im2col_wide(
        tensor: &Tensor,
        (lower, upper): (i32, i32),
        channels: u32,
        pixels: u32,
        mode: WideMode,
    ) -> Result<Self, TensorMapError> {
        let (lower, upper) = (corner(&[lower], 1)?, corner(&[upper], 1)?);
        let wide = Some(mode);
        // The ignored argument is normalized.
        let pixels = if mode == WideMode::W128 { 128 } else { pixels };
        Self::new(tensor, BoundingBox::Pixels(Pixels { lower, upper, channels, pixels, wide }))
    }

    fn new(tensor: &Tensor, bounding_box: BoundingBox) -> Result<Self, TensorMapError> {
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
            bounding_box,
        };
        map.check()?;
        Ok(map)
    }

    /// The map of the same tensor moved by `bytes` bytes in memory; like `cuTensorMapReplaceAddress`, but relative.
    #[must_use]
    pub const fn moved_by(&self, bytes: u64) -> Self {
        Self { address: self.address.wrapping_add(bytes), ..*self }
    }

    /// The map of the same tensor at another address, like `cuTensorMapReplaceAddress`.
    ///
    /// # Errors
    /// An address that the driver does not encode.
    pub fn with_address(&self, address: u64) -> Result<Self, TensorMapError> {
        let map = Self { address, ..*self };
        map.check()?;
        Ok(map)
    }

    /// The swizzle for the numbers of mode and atomicity.
    pub fn swizzle(&self) -> Result<Swizzle, TensorMapError> {
        let (mode, atomicity) = self.swizzle;
        Swizzle::from_numbers(mode, atomicity).ok_or_else(|| {
            TensorMapError(format!(
                "swizzle mode {mode} cannot be combined with swizzle atomicity {atomicity}"
            ))
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

/// Checks the length of a list and pads it with zeros to the length of an array.
fn fill<T: Copy + Default, const N: usize>(
    list: &[T],
    wanted: usize,
    what: &str,
) -> Result<[T; N], TensorMapError> {
    if list.len() != wanted {
        return Err(TensorMapError(format!("expected {wanted} {what}, found {}", list.len())));
    }
    // As in the driver's structure, dimensions beyond the rank are zero.
    let mut filled = [T::default(); N];
    filled.iter_mut().zip(list).for_each(|(place, value)| *place = *value);
    Ok(filled)
}

fn corner(list: &[i32], spatial: usize) -> Result<[i16; 3], TensorMapError> {
    let wide: [i32; 3] = fill(list, spatial, "coordinates of a corner of the pixels")?;
    let narrow = wide.map(i16::try_from);
    match narrow {
        [Ok(w), Ok(h), Ok(d)] => Ok([w, h, d]),
        _ => Err(TensorMapError(format!("a corner of the pixels at {list:?} is beyond 16 bits"))),
    }
}

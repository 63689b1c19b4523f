//! Images: the storage of textures and surfaces.

use crate::scalar::bits::shifted;

/// The format of a channel of a texel, in the terms of the driver's `CUarray_format`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChannelFormat {
    /// `CU_AD_FORMAT_UNSIGNED_INT8`
    Unsigned8,
    /// `CU_AD_FORMAT_UNSIGNED_INT16`
    Unsigned16,
    /// `CU_AD_FORMAT_UNSIGNED_INT32`
    Unsigned32,
    /// `CU_AD_FORMAT_SIGNED_INT8`
    Signed8,
    /// `CU_AD_FORMAT_SIGNED_INT16`
    Signed16,
    /// `CU_AD_FORMAT_SIGNED_INT32`
    Signed32,
    /// `CU_AD_FORMAT_HALF`
    Half,
    /// `CU_AD_FORMAT_FLOAT`
    Float,
    /// `CU_AD_FORMAT_UNORM_INT8X*`: from 0 to 1.
    Unorm8,
    /// `CU_AD_FORMAT_UNORM_INT16X*`: from 0 to 1.
    Unorm16,
    /// `CU_AD_FORMAT_SNORM_INT8X*`: from -1 to 1.
    Snorm8,
    /// `CU_AD_FORMAT_SNORM_INT16X*`: from -1 to 1.
    Snorm16,
}

/// Interpretation of the numbers of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Unsigned integers.
    Unsigned,
    /// Signed integers.
    Signed,
    /// Floating-point values.
    Float,
    /// Normalized, from 0 to 1.
    UnsignedFraction,
    /// Normalized, from -1 to 1.
    SignedFraction,
}

impl ChannelFormat {
    /// Bytes of a channel.
    pub const fn bytes(self) -> u32 {
        match self {
            ChannelFormat::Unsigned8
            | ChannelFormat::Signed8
            | ChannelFormat::Unorm8
            | ChannelFormat::Snorm8 => 1,
            ChannelFormat::Unsigned16
            | ChannelFormat::Signed16
            | ChannelFormat::Unorm16
            | ChannelFormat::Snorm16
            | ChannelFormat::Half => 2,
            ChannelFormat::Unsigned32 | ChannelFormat::Signed32 | ChannelFormat::Float => 4,
        }
    }

    /// What its numbers mean.
    pub const fn meaning(self) -> Meaning {
        match self {
            ChannelFormat::Unsigned8 | ChannelFormat::Unsigned16 | ChannelFormat::Unsigned32 => {
                Meaning::Unsigned
            }
            ChannelFormat::Signed8 | ChannelFormat::Signed16 | ChannelFormat::Signed32 => Meaning::Signed,
            ChannelFormat::Half | ChannelFormat::Float => Meaning::Float,
            ChannelFormat::Unorm8 | ChannelFormat::Unorm16 => Meaning::UnsignedFraction,
            ChannelFormat::Snorm8 | ChannelFormat::Snorm16 => Meaning::SignedFraction,
        }
    }
}

/// The geometry of an image and its size in texels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extent {
    /// One axis.
    D1 {
        /// Texels along x.
        width: u32,
    },
    /// Two axes.
    D2 {
        /// Texels along x.
        width: u32,
        /// Texels along y.
        height: u32,
    },
    /// Three axes.
    D3 {
        /// Texels along x.
        width: u32,
        /// Texels along y.
        height: u32,
        /// Texels along z.
        depth: u32,
    },
    /// Six square faces: +x, -x, +y, -y, +z, -z.
    Cube {
        /// Texels along an edge.
        size: u32,
    },
}

impl Extent {
    /// The size along x, y and z; 1 for missing axes.
    pub const fn size(self) -> [u32; 3] {
        match self {
            Extent::D1 { width } => [width, 1, 1],
            Extent::D2 { width, height } => [width, height, 1],
            Extent::D3 { width, height, depth } => [width, height, depth],
            Extent::Cube { size } => [size, size, 1],
        }
    }

    /// Axes per face.
    pub const fn axes(self) -> usize {
        match self {
            Extent::D1 { .. } => 1,
            Extent::D2 { .. } | Extent::Cube { .. } => 2,
            Extent::D3 { .. } => 3,
        }
    }

    const fn faces(self) -> u32 {
        if matches!(self, Extent::Cube { .. }) { 6 } else { 1 }
    }
}

/// Storage of the texels of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Storage {
    /// A CUDA array: separate memory with these contents, which `ptx_exec::Outcome::images` returns after the launch.
    ///
    /// The nesting order is levels, layers (with six faces each for a cube array), planes, rows, texels along x,
    /// samples, channels; little-endian and without gaps.
    Array(Vec<u8>),
    /// Linear memory, which the kernel may also access by address.
    Linear {
        /// The first texel.
        start: Start,
        /// Bytes between rows; 1D textures have one row.
        pitch: u64,
    },
}

/// Start of linear memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Start {
    /// In the buffer of an argument of the launch.
    Argument {
        /// The index of the argument.
        index: usize,
        /// Offset of the first texel in bytes.
        offset: u64,
    },
    /// At an address of the `Memory` that the launch accesses.
    Address(u64),
}

/// An image: a CUDA array, a mipmapped array, or linear memory that textures are bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The channel format.
    pub format: ChannelFormat,
    /// Channels per texel: 1, 2 or 4.
    pub channels: u32,
    /// Geometry and size of level 0.
    pub extent: Extent,
    /// Layers of an array of 1D or 2D images, or cubes of an array of cubes; `None` for a single image.
    pub layers: Option<u32>,
    /// Mipmap levels; 1 without a mipmap.
    pub levels: u32,
    /// Samples per texel; 1 without multisampling.
    pub samples: u32,
    /// The texels.
    pub storage: Storage,
}

impl Image {
    /// A single image with separate memory.
    pub fn array(format: ChannelFormat, channels: u32, extent: Extent, bytes: Vec<u8>) -> Self {
        let storage = Storage::Array(bytes);
        Self { format, channels, extent, layers: None, levels: 1, samples: 1, storage }
    }

    /// Bytes of a texel, or of one of its samples.
    pub const fn texel_bytes(&self) -> u32 {
        self.format.bytes() * self.channels
    }

    /// The size of a level along x, y and z (manual 9.7.10.2).
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        self.extent.size().map(|size| (shifted(size.into(), level) as u32).max(1))
    }

    /// Layers of the image.
    pub fn layer_count(&self) -> u32 {
        // Default: an image that is not an array is one layer.
        self.layers.unwrap_or(1)
    }

    /// Layers in memory, counting faces.
    pub fn slices(&self) -> u64 {
        u64::from(self.layer_count()) * u64::from(self.extent.faces())
    }

    /// Bytes of a row of a level, including samples.
    pub fn row_bytes(&self, level: u32) -> u64 {
        u64::from(self.level_size(level)[0]) * u64::from(self.samples) * u64::from(self.texel_bytes())
    }

    /// Total rows of a level in all planes and layers.
    pub fn rows(&self, level: u32) -> u64 {
        let [_, height, depth] = self.level_size(level).map(u64::from);
        height.saturating_mul(depth).saturating_mul(self.slices())
    }

    /// Size of an array of this shape in bytes; `None` if it does not fit in 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        let of_level = |level| self.row_bytes(level).checked_mul(self.rows(level));
        (0..self.levels.min(32)).try_fold(0u64, |sum, level| sum.checked_add(of_level(level)?))
    }

    /// Describes the error of the description, if any.
    pub fn mistake(&self) -> Option<String> {
        /// Maximum texels along an axis, and layers (CUDA C++ Programming Guide, "Technical Specifications per Compute
        /// Capability"); linear memory has up to 2^28 texels along x.
        const LARGEST: u32 = 131_072;
        const LARGEST_LINEAR: u32 = 1 << 28;
        let size = self.extent.size();
        let is_linear = matches!(self.storage, Storage::Linear { .. });
        let largest = if is_linear { LARGEST_LINEAR } else { LARGEST };
        if !matches!(self.channels, 1 | 2 | 4) {
            return Some(format!("has {} channels; a texel has 1, 2 or 4", self.channels));
        }
        if size.iter().any(|&size| size == 0 || size > largest)
            || self.layers.is_some_and(|n| n == 0 || n > LARGEST)
        {
            return Some(format!("has an axis without texels, no layers, or more than {largest}"));
        }
        if self.layers.is_some() && matches!(self.extent, Extent::D3 { .. }) {
            return Some("is an array of solid images, which do not exist".to_owned());
        }
        let most = 32 - size.iter().fold(0, |all, size| all | size).leading_zeros();
        if self.levels == 0 || self.levels > most {
            return Some(format!("has {} levels; an image of its size has 1 to {most}", self.levels));
        }
        if !matches!(self.samples, 1 | 2 | 4 | 8 | 16) {
            return Some(format!("has {} samples in a texel; there are 1, 2, 4, 8 or 16", self.samples));
        }
        if self.samples > 1 && (self.levels > 1 || !matches!(self.extent, Extent::D2 { .. })) {
            return Some("has several samples in a texel, so it has two axes and one level".to_owned());
        }
        match &self.storage {
            Storage::Array(bytes) => {
                let Some(wanted) = self.bytes() else {
                    return Some("has more bytes of texels than 64 bits count".to_owned());
                };
                let given = bytes.len() as u64;
                (given != wanted).then(|| format!("has {given} bytes of texels; its shape takes {wanted}"))
            }
            Storage::Linear { .. } => self.linear_mistake(),
        }
    }

    fn linear_mistake(&self) -> Option<String> {
        let Storage::Linear { start, pitch } = self.storage else { return None };
        let texel = u64::from(self.texel_bytes());
        let first = match start {
            Start::Argument { offset, .. } => offset,
            Start::Address(address) => address,
        };
        let is_plain = self.layers.is_none() && self.levels == 1 && self.samples == 1;
        match self.extent {
            _ if !is_plain => {
                Some("lies in linear memory, which has no layers, levels or samples".to_owned())
            }
            Extent::D3 { .. } | Extent::Cube { .. } => {
                Some("lies in linear memory, which has one or two axes".to_owned())
            }
            _ if !first.is_multiple_of(texel) => {
                Some(format!("begins at byte {first}, which is not a multiple of its texels' {texel}"))
            }
            Extent::D2 { .. } if pitch < self.row_bytes(0) || !pitch.is_multiple_of(texel) => {
                let row = self.row_bytes(0);
                Some(format!(
                    "has a pitch of {pitch} bytes; it must be a multiple of {texel} and at least {row}"
                ))
            }
            Extent::D1 { .. } | Extent::D2 { .. } => None,
        }
    }

    /// Bytes of linear memory from the first texel to the end of the last.
    pub fn linear_bytes(&self, pitch: u64) -> u64 {
        self.rows(0).saturating_sub(1).saturating_mul(pitch).saturating_add(self.row_bytes(0))
    }
}

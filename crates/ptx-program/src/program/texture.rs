//! Textures and surfaces (manual 9.7.10, 9.7.11).

use ptx_isa::Mod;

use super::{Combine, Dst, Src};

/// Interpretation of the coordinates of a texture or surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Geometry {
    /// Texels along one to three axes.
    Axes {
        /// Number of axes.
        count: usize,
        /// Whether it is one layer of an array.
        is_array: bool,
        /// Whether a texel has several samples.
        has_samples: bool,
    },
    /// A direction from the centre of a cube.
    Cube {
        /// Whether it is one cube of an array.
        is_array: bool,
    },
}

/// The coordinates of a fetch.
#[derive(Clone, Debug, Hash)]
pub enum Coordinates {
    /// `.s32`: coordinates of a texel.
    Whole(Box<[Src]>),
    /// `.f32`: coordinates of a point between texels, or a direction.
    Point(Box<[Src]>),
}

/// The mipmap levels of a fetch.
#[derive(Clone, Debug, Hash)]
pub enum LevelOf {
    /// The finest level.
    Base,
    /// The level given by the operand, of the type of the coordinates.
    Given(Src),
    /// The level that follows from the derivatives of the coordinates along x and y of the screen.
    Gradient {
        /// The derivatives along x.
        dx: Box<[Src]>,
        /// The derivatives along y.
        dy: Box<[Src]>,
    },
}

/// The result registers of a fetch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Texels {
    /// Four channels of 32 bits.
    Words,
    /// Four channels in half precision.
    Halves,
    /// Two packed pairs of channels in half precision.
    HalfPairs,
}

/// `tex` and `tld4`.
#[derive(Clone, Debug, Hash)]
pub struct Fetch {
    /// The handle of the texture.
    pub texture: Src,
    /// The handle of the sampler, in the independent mode.
    pub sampler: Option<Src>,
    /// Interpretation of the coordinates.
    pub geometry: Geometry,
    /// The layer of an array.
    pub layer: Option<Src>,
    /// The sample index within a texel.
    pub sample: Option<Src>,
    /// The coordinates.
    pub at: Coordinates,
    /// The level.
    pub level: LevelOf,
    /// Offsets in texels for each axis.
    pub offsets: Box<[Src]>,
    /// The reference value of a depth comparison.
    pub depth: Option<Src>,
    /// `tld4`: the channel gathered from each of the four texels.
    pub gather: Option<usize>,
    /// The type of the results.
    pub texels: Texels,
    /// The destinations of the channels.
    pub dsts: Box<[Dst]>,
    /// Whether the texel is resident; always true here.
    pub resident: Option<Dst>,
}

/// Properties of textures, samplers and surfaces that can be queried (manual 9.7.10.5, 9.7.11.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Property {
    /// Texels along x.
    Width,
    /// Texels along y.
    Height,
    /// Texels along z.
    Depth,
    /// The format of a channel, as OpenCL's `cl_channel_type`.
    ChannelDataType,
    /// The channels that there are, as OpenCL's `cl_channel_order`.
    ChannelOrder,
    /// Layers of an array.
    ArraySize,
    /// Mipmap levels.
    Levels,
    /// Samples of a texel.
    Samples,
    /// Whether the image is in linear memory.
    MemoryLayout,
    /// Whether coordinates are normalized.
    NormalizedCoords,
    /// Whether the sampler overrides normalized coordinates.
    ForceUnnormalizedCoords,
    /// The filter of a sampler.
    FilterMode,
    /// The address mode of a sampler along an axis.
    AddressMode(usize),
}

impl Property {
    /// The property that a query asks for; the fields of an initializer have the same names.
    pub const fn of(query: Mod) -> Option<Self> {
        Some(match query {
            Mod::Width => Property::Width,
            Mod::Height => Property::Height,
            Mod::Depth => Property::Depth,
            Mod::ChannelDataType => Property::ChannelDataType,
            Mod::ChannelOrder => Property::ChannelOrder,
            Mod::ArraySize => Property::ArraySize,
            Mod::NumMipmapLevels => Property::Levels,
            Mod::NumSamples => Property::Samples,
            Mod::MemoryLayout => Property::MemoryLayout,
            Mod::NormalizedCoords => Property::NormalizedCoords,
            Mod::ForceUnnormalizedCoords => Property::ForceUnnormalizedCoords,
            Mod::FilterMode => Property::FilterMode,
            Mod::AddrMode0 => Property::AddressMode(0),
            Mod::AddrMode1 => Property::AddressMode(1),
            Mod::AddrMode2 => Property::AddressMode(2),
            _ => return None,
        })
    }
}

/// `txq`, `suq`.
#[derive(Clone, Copy, Debug, Hash)]
pub struct TextureQuery {
    /// The handle of the texture, sampler or surface.
    pub handle: Src,
    /// The property.
    pub property: Property,
    /// The level of a size query.
    pub level: Option<Src>,
    /// The destination.
    pub dst: Dst,
}

/// A type of opaque variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Opaque {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

/// Handling of out-of-bounds surface accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Beyond {
    /// `.trap`: stops the thread.
    Trap,
    /// `.clamp`: clamps to the nearest texel.
    Clamp,
    /// `.zero`: loads return zero and stores are ignored.
    Zero,
}

/// The operation of a surface access.
#[derive(Clone, Debug, Hash)]
pub enum SurfaceAction {
    /// `suld.b`: elements of `size` bytes.
    Load {
        /// Bytes of an element.
        size: u32,
        /// The destinations.
        dsts: Box<[Dst]>,
    },
    /// `sust.b`
    Store {
        /// Bytes of an element.
        size: u32,
        /// The values.
        srcs: Box<[Src]>,
    },
    /// `sust.p`: channels, converted to the format of the surface.
    StoreTexel {
        /// The channels.
        srcs: Box<[Src]>,
    },
    /// `sured.b`
    Reduce {
        /// Bytes of an element.
        size: u32,
        /// The operation.
        combine: Combine,
        /// The operand.
        src: Src,
    },
    /// `sured.p`: the format of the surface selects the operation, on unsigned or signed integers.
    ReduceTexel {
        /// Bytes of an element.
        size: u32,
        /// The operation on unsigned integers.
        unsigned: Combine,
        /// The operation on signed integers.
        signed: Combine,
        /// The operand.
        src: Src,
    },
}

impl SurfaceAction {
    /// Whether x is in units of texels or elements instead of bytes.
    pub const fn counts_elements(&self) -> bool {
        matches!(self, SurfaceAction::StoreTexel { .. } | SurfaceAction::ReduceTexel { .. })
    }
}

/// `suld`, `sust`, `sured`.
#[derive(Clone, Debug, Hash)]
pub struct SurfaceAccess {
    /// The handle of the surface.
    pub surface: Src,
    /// Interpretation of the coordinates.
    pub geometry: Geometry,
    /// The layer of an array.
    pub layer: Option<Src>,
    /// The coordinates.
    pub at: Box<[Src]>,
    /// What is done out of bounds.
    pub beyond: Beyond,
    /// The operation.
    pub action: SurfaceAction,
}

/// Texture and surface instructions.
#[derive(Clone, Debug, Hash)]
pub enum Texturing {
    /// `tex`, `tld4`
    Fetch(Fetch),
    /// `txq`, `suq`
    Query(TextureQuery),
    /// `istypep`
    IsType {
        /// The handle.
        handle: Src,
        /// The type that is asked for.
        opaque: Opaque,
        /// The destination of the predicate.
        dst: Dst,
    },
    /// `suld`, `sust`, `sured`
    Surface(SurfaceAccess),
}

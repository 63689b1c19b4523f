//! Textures and surfaces (manual 9.7.10, 9.7.11).

use ptx_isa::Mod;

use super::{Combine, Dst, Src};

/// Interpretation of the coordinates of a texture or surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Geometry {
    /// Texels along one to three axes.
    Axes { count: usize, is_array: bool, has_samples: bool },
    /// A direction from the centre of a cube.
    Cube { is_array: bool },
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
    Gradient { dx: Box<[Src]>, dy: Box<[Src]> },
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
    pub geometry: Geometry,
    /// The layer of an array.
    pub layer: Option<Src>,
    /// The sample index within a texel.
    pub sample: Option<Src>,
    pub at: Coordinates,
    pub level: LevelOf,
    /// Offsets in texels for each axis.
    pub offsets: Box<[Src]>,
    /// The reference value of a depth comparison.
    pub depth: Option<Src>,
    /// `tld4`: the channel gathered from each of the four texels.
    pub gather: Option<usize>,
    pub texels: Texels,
    pub dsts: Box<[Dst]>,
    /// Whether the texel is resident; always true here.
    pub resident: Option<Dst>,
}

/// Properties of textures, samplers and surfaces that can be queried (manual 9.7.10.5, 9.7.11.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Property {
    Width,
    Height,
    Depth,
    ChannelDataType,
    ChannelOrder,
    ArraySize,
    Levels,
    Samples,
    MemoryLayout,
    NormalizedCoords,
    ForceUnnormalizedCoords,
    FilterMode,
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
    pub handle: Src,
    pub property: Property,
    /// The level of a size query.
    pub level: Option<Src>,
    pub dst: Dst,
}

/// A type of opaque variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Opaque {
    Texture,
    Sampler,
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
    Load { size: u32, dsts: Box<[Dst]> },
    /// `sust.b`
    Store { size: u32, srcs: Box<[Src]> },
    /// `sust.p`: channels, converted to the format of the surface.
    StoreTexel { srcs: Box<[Src]> },
    /// `sured.b`
    Reduce { size: u32, combine: Combine, src: Src },
    /// `sured.p`: the format of the surface selects the operation, on unsigned or signed integers.
    ReduceTexel { size: u32, unsigned: Combine, signed: Combine, src: Src },
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
    pub geometry: Geometry,
    pub layer: Option<Src>,
    pub at: Box<[Src]>,
    pub beyond: Beyond,
    pub action: SurfaceAction,
}

/// Texture and surface instructions.
#[derive(Clone, Debug, Hash)]
pub enum Texturing {
    Fetch(Fetch),
    Query(TextureQuery),
    /// `istypep`
    IsType {
        handle: Src,
        opaque: Opaque,
        dst: Dst,
    },
    Surface(SurfaceAccess),
}

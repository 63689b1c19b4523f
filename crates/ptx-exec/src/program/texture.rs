//! Textures and surfaces (manual 9.7.10, 9.7.11).

use super::{Combine, Dst, Src};

/// What coordinates of a texture or surface mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Geometry {
    /// Texels along one to three axes.
    Axes { count: usize, is_array: bool, has_samples: bool },
    /// A direction from the middle of a cube.
    Cube { is_array: bool },
}

/// Where a fetch is.
#[derive(Clone, Debug, Hash)]
pub enum Coordinates {
    /// `.s32`: of one texel.
    Whole(Box<[Src]>),
    /// `.f32`: of a point between texels, or of a direction.
    Point(Box<[Src]>),
}

/// Which levels of a mipmap a fetch is from.
#[derive(Clone, Debug, Hash)]
pub enum LevelOf {
    /// The finest one.
    Base,
    /// The operand, of the type of the coordinates.
    Given(Src),
    /// Where the coordinates change by so much from one pixel to the next, along x and along y of the screen.
    Gradient { dx: Box<[Src]>, dy: Box<[Src]> },
}

/// What a fetch leaves in its registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Texels {
    /// Four channels of 32 bits.
    Words,
    /// Four channels in half precision.
    Halves,
    /// Two pairs of channels in half precision.
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
    /// The sample of a texel.
    pub sample: Option<Src>,
    pub at: Coordinates,
    pub level: LevelOf,
    /// Texels added to the coordinates, for each axis.
    pub offsets: Box<[Src]>,
    /// What the texels are compared with.
    pub depth: Option<Src>,
    /// `tld4`: the channel that is taken of each of the four texels.
    pub gather: Option<usize>,
    pub texels: Texels,
    pub dsts: Box<[Dst]>,
    /// Whether the texel is in memory, as all are here.
    pub resident: Option<Dst>,
}

/// What can be asked of textures, samplers and surfaces (manual 9.7.10.5, 9.7.11.4).
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
    /// The property that a query or a field of an initial value names.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "width" => Property::Width,
            "height" => Property::Height,
            "depth" => Property::Depth,
            "channel_data_type" => Property::ChannelDataType,
            "channel_order" => Property::ChannelOrder,
            "array_size" => Property::ArraySize,
            "num_mipmap_levels" => Property::Levels,
            "num_samples" => Property::Samples,
            "memory_layout" => Property::MemoryLayout,
            "normalized_coords" => Property::NormalizedCoords,
            "force_unnormalized_coords" => Property::ForceUnnormalizedCoords,
            "filter_mode" => Property::FilterMode,
            "addr_mode_0" => Property::AddressMode(0),
            "addr_mode_1" => Property::AddressMode(1),
            "addr_mode_2" => Property::AddressMode(2),
            _ => return None,
        })
    }
}

/// `txq`, `suq`.
#[derive(Clone, Copy, Debug, Hash)]
pub struct TextureQuery {
    pub handle: Src,
    pub property: Property,
    /// The level that a size is of.
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

/// What an access beyond the edge of a surface does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Beyond {
    /// `.trap`: stops the thread.
    Trap,
    /// `.clamp`: goes to the nearest place.
    Clamp,
    /// `.zero`: gives zeros and stores nothing.
    Zero,
}

/// What is done at a place of a surface.
#[derive(Clone, Debug, Hash)]
pub enum SurfaceAction {
    /// `suld.b`: elements of so many bytes.
    Load { size: u32, dsts: Box<[Dst]> },
    /// `sust.b`
    Store { size: u32, srcs: Box<[Src]> },
    /// `sust.p`: channels, converted to those of the surface.
    StoreTexel { srcs: Box<[Src]> },
    /// `sured.b`
    Reduce { size: u32, combine: Combine, src: Src },
    /// `sured.p`: the format of the surface determines which of the operations it is, on unsigned or signed numbers.
    ReduceTexel { size: u32, unsigned: Combine, signed: Combine, src: Src },
}

impl SurfaceAction {
    /// Whether x counts texels or numbers, not bytes.
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

/// What concerns textures, samplers and surfaces.
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

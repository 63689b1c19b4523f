//! Textures and surfaces (manual 9.7.10, 9.7.11).

use super::{Combine, Dst, Src};

/// What coordinates of a texture or surface mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Geometry {
    /// Texels along one to three axes.
    Axes { count: usize, is_array: bool, has_samples: bool },
    /// A direction from the middle of a cube.
    Cube { is_array: bool },
}

/// Where a fetch is.
#[derive(Clone, Debug)]
pub(crate) enum Coordinates {
    /// `.s32`: of one texel.
    Whole(Box<[Src]>),
    /// `.f32`: of a point between texels, or of a direction.
    Point(Box<[Src]>),
}

/// Which levels of a mipmap a fetch is from.
#[derive(Clone, Debug)]
pub(crate) enum LevelOf {
    /// The finest one.
    Base,
    /// The operand, of the type of the coordinates.
    Given(Src),
    /// Where the coordinates change by so much from one pixel to the next, along x and along y of the screen.
    Gradient { dx: Box<[Src]>, dy: Box<[Src]> },
}

/// What a fetch leaves in its registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Texels {
    /// Four channels of 32 bits.
    Words,
    /// Four channels in half precision.
    Halves,
    /// Two pairs of channels in half precision.
    HalfPairs,
}

/// `tex` and `tld4`.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    /// The handle of the texture.
    pub(crate) texture: Src,
    /// The handle of the sampler, in the independent mode.
    pub(crate) sampler: Option<Src>,
    pub(crate) geometry: Geometry,
    /// The layer of an array.
    pub(crate) layer: Option<Src>,
    /// The sample of a texel.
    pub(crate) sample: Option<Src>,
    pub(crate) at: Coordinates,
    pub(crate) level: LevelOf,
    /// Texels added to the coordinates, for each axis.
    pub(crate) offsets: Box<[Src]>,
    /// What the texels are compared with.
    pub(crate) depth: Option<Src>,
    /// `tld4`: the channel that is taken of each of the four texels.
    pub(crate) gather: Option<usize>,
    pub(crate) texels: Texels,
    pub(crate) dsts: Box<[Dst]>,
    /// Whether the texel is in memory, as all are here.
    pub(crate) resident: Option<Dst>,
}

/// What can be asked of textures, samplers and surfaces (manual 9.7.10.5, 9.7.11.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Property {
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
    pub(crate) fn from_name(name: &str) -> Option<Self> {
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureQuery {
    pub(crate) handle: Src,
    pub(crate) property: Property,
    /// The level that a size is of.
    pub(crate) level: Option<Src>,
    pub(crate) dst: Dst,
}

/// A type of opaque variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Opaque {
    Texture,
    Sampler,
    Surface,
}

/// What an access beyond the edge of a surface does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Beyond {
    /// `.trap`: stops the thread.
    Trap,
    /// `.clamp`: goes to the nearest place.
    Clamp,
    /// `.zero`: gives zeros and stores nothing.
    Zero,
}

/// What is done at a place of a surface.
#[derive(Clone, Debug)]
pub(crate) enum SurfaceAction {
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
    pub(crate) const fn counts_elements(&self) -> bool {
        matches!(self, SurfaceAction::StoreTexel { .. } | SurfaceAction::ReduceTexel { .. })
    }
}

/// `suld`, `sust`, `sured`.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceAccess {
    /// The handle of the surface.
    pub(crate) surface: Src,
    pub(crate) geometry: Geometry,
    pub(crate) layer: Option<Src>,
    pub(crate) at: Box<[Src]>,
    pub(crate) beyond: Beyond,
    pub(crate) action: SurfaceAction,
}

/// What concerns textures, samplers and surfaces.
#[derive(Clone, Debug)]
pub(crate) enum Texturing {
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

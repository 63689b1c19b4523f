//! How textures are read: textures, samplers, surfaces, and their handles.

/// What happens to coordinates beyond the edge, in the terms of the driver's `CUaddress_mode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum AddressMode {
    /// The image repeats. Unnormalized coordinates are clamped instead.
    Wrap,
    /// The nearest texel at the edge; PTX calls it `clamp_to_edge`.
    #[default]
    Clamp,
    /// The image repeats mirrored. Unnormalized coordinates are clamped instead.
    Mirror,
    /// The border's colour; PTX calls it `clamp_to_border`.
    Border,
    /// PTX's `clamp_ogl`: coordinates are clamped to the image, so that filters mix half of the border's colour in.
    ClampOgl,
}

/// How texels are mixed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Filter {
    /// The nearest one; PTX calls it `nearest`.
    #[default]
    Point,
    /// The neighbours along each axis, by their distance.
    Linear,
}

/// How a depth is compared with that of a texel: the comparison holds for the operand on the left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Comparison {
    /// Fails.
    Never,
    /// Passes where the operand is less.
    Less,
    /// Passes where it is equal.
    Equal,
    /// Passes where it is less or equal.
    #[default]
    LessOrEqual,
    /// Passes where it is greater.
    Greater,
    /// Passes where it differs.
    NotEqual,
    /// Passes where it is greater or equal.
    GreaterOrEqual,
    /// Passes.
    Always,
}

/// A sampler: how coordinates become texels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampler {
    /// What happens beyond the edge, along x, y and z.
    pub address: [AddressMode; 3],
    /// The colour beyond the edge, of [`AddressMode::Border`]. Integers are converted to those of the image.
    pub border: [f32; 4],
    /// How texels of a level are mixed.
    pub filter: Filter,
    /// How levels are mixed.
    pub level_filter: Filter,
    /// What is added to the level that is requested.
    pub level_bias: f32,
    /// The finest and the coarsest level that are taken.
    pub level_clamp: [f32; 2],
    /// The largest ratio of an anisotropic footprint. Fetches by gradients with more than 1 are refused.
    pub max_anisotropy: u32,
    /// Whether coordinates count texels even where the texture has normalized ones (`force_unnormalized_coords`).
    pub force_unnormalized: bool,
    /// Whether filters reach over the edges of a cube's faces (`CU_TRSF_SEAMLESS_CUBEMAP`).
    pub seamless: bool,
    /// How depths are compared; CUDA has no name for it, graphics interfaces have.
    pub comparison: Comparison,
}

impl Default for Sampler {
    /// The nearest texel, clamped; all levels.
    fn default() -> Self {
        Self {
            address: [AddressMode::Clamp; 3],
            border: [0.0; 4],
            filter: Filter::Point,
            level_filter: Filter::Point,
            level_bias: 0.0,
            level_clamp: [0.0, f32::MAX],
            max_anisotropy: 1,
            force_unnormalized: false,
            seamless: false,
            comparison: Comparison::LessOrEqual,
        }
    }
}

/// What a fetch gives of integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ReadMode {
    /// The integers (`CU_TRSF_READ_AS_INTEGER`).
    #[default]
    Element,
    /// Numbers of 8 and 16 bits as fractions of the largest one, from 0 or -1 to 1.
    NormalizedFloat,
}

/// A texture: an image and how it is read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Texture {
    /// The index of the image in [`Textures::images`].
    pub image: usize,
    /// What fetches give of integers.
    pub read: ReadMode,
    /// Whether the first three channels are in sRGB and become linear when they are read; only of fractions of 8 bits.
    pub srgb: bool,
    /// Whether coordinates go from 0 to 1; `None` for what the initial value of the variable specifies, or not.
    pub normalized: Option<bool>,
    /// The sampler of the unified mode; `None` for what the initial value of the variable specifies, or the default one.
    pub sampler: Option<Sampler>,
}

impl Texture {
    /// A texture that gives the elements of an image as they are.
    pub const fn new(image: usize) -> Self {
        Self { image, read: ReadMode::Element, srgb: false, normalized: None, sampler: None }
    }
}

/// A surface: a level of an image that is read and written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Surface {
    /// The index of the image in [`Textures::images`], which must be an array.
    pub image: usize,
    /// The level of the mipmap.
    pub level: u32,
}

/// Something that has a handle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Handle {
    /// The index of a texture in [`Textures::textures`].
    Texture(usize),
    /// The index of a sampler in [`Textures::samplers`].
    Sampler(usize),
    /// The index of a surface in [`Textures::surfaces`].
    Surface(usize),
}

/// The textures, samplers and surfaces of a launch, and the images they are of.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Textures {
    /// What textures and surfaces show.
    pub images: Vec<super::Image>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Samplers of the independent mode.
    pub samplers: Vec<Sampler>,
    /// Surfaces.
    pub surfaces: Vec<Surface>,
    /// What the module's variables of opaque types mean, by their names. Samplers with an initial value need none.
    pub references: Vec<(String, Handle)>,
}

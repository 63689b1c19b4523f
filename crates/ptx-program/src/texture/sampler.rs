//! Textures, samplers, surfaces, and their handles.

/// Handling of out-of-bounds coordinates, in the terms of the driver's `CUaddress_mode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum AddressMode {
    /// The image repeats. Unnormalized coordinates are clamped instead.
    Wrap,
    /// The nearest edge texel; `clamp_to_edge` in PTX.
    #[default]
    Clamp,
    /// The image repeats mirrored. Unnormalized coordinates are clamped instead.
    Mirror,
    /// The border colour; `clamp_to_border` in PTX.
    Border,
    /// PTX's `clamp_ogl`: coordinates are clamped to the image, so that filters blend in half of the border colour.
    ClampOgl,
}

/// The texture filter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Filter {
    /// The nearest texel; `nearest` in PTX.
    #[default]
    Point,
    /// Linear interpolation along each axis.
    Linear,
}

/// Comparison of a reference depth, the left operand, with that of a texel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Comparison {
    /// Always fails.
    Never,
    /// Passes if the operand is less.
    Less,
    /// Passes if it is equal.
    Equal,
    /// Passes if it is less or equal.
    #[default]
    LessOrEqual,
    /// Passes if it is greater.
    Greater,
    /// Passes if it differs.
    NotEqual,
    /// Passes if it is greater or equal.
    GreaterOrEqual,
    /// Always passes.
    Always,
}

/// A sampler: the mapping of coordinates to texels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampler {
    /// Address modes along x, y and z.
    pub address: [AddressMode; 3],
    /// The border colour for [`AddressMode::Border`]. For integers it is converted to the type of the image.
    pub border: [f32; 4],
    /// Filter within a level.
    pub filter: Filter,
    /// Filter between levels.
    pub level_filter: Filter,
    /// Bias added to the requested level.
    pub level_bias: f32,
    /// The finest and the coarsest level that may be selected.
    pub level_clamp: [f32; 2],
    /// Maximum anisotropy. Gradient fetches with more than 1 are refused.
    pub max_anisotropy: u32,
    /// Whether coordinates are in texels even if the texture has normalized ones (`force_unnormalized_coords`).
    pub force_unnormalized: bool,
    /// Whether filters extend across the edges of a cube's faces (`CU_TRSF_SEAMLESS_CUBEMAP`).
    pub seamless: bool,
    /// The depth comparison; not exposed by CUDA, but by graphics interfaces.
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

/// The result of fetching integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ReadMode {
    /// The integers (`CU_TRSF_READ_AS_INTEGER`).
    #[default]
    Element,
    /// 8- and 16-bit numbers normalized to 0 or -1 to 1.
    NormalizedFloat,
}

/// A texture: an image and its read mode.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Texture {
    /// The index of the image in [`Textures::images`].
    pub image: usize,
    /// The result of fetching integers.
    pub read: ReadMode,
    /// Whether the first three channels are sRGB and are linearized when read; only for 8-bit normalized formats.
    pub srgb: bool,
    /// Whether coordinates are normalized to 0..1; `None` for the value in the variable's initializer, by default not.
    pub normalized: Option<bool>,
    /// The sampler of the unified mode; `None` for the one in the variable's initializer, or the default one.
    pub sampler: Option<Sampler>,
}

impl Texture {
    /// A texture that returns the elements of an image unchanged.
    pub const fn new(image: usize) -> Self {
        Self { image, read: ReadMode::Element, srgb: false, normalized: None, sampler: None }
    }
}

/// A surface: a readable and writable level of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Surface {
    /// The index of the image in [`Textures::images`], which must be an array.
    pub image: usize,
    /// The mipmap level.
    pub level: u32,
}

/// A handle of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Handle {
    /// The index of a texture in [`Textures::textures`].
    Texture(usize),
    /// The index of a sampler in [`Textures::samplers`].
    Sampler(usize),
    /// The index of a surface in [`Textures::surfaces`].
    Surface(usize),
}

/// The textures, samplers and surfaces of a launch, and their images.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Textures {
    /// The images of textures and surfaces.
    pub images: Vec<super::Image>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Samplers of the independent mode.
    pub samplers: Vec<Sampler>,
    /// Surfaces.
    pub surfaces: Vec<Surface>,
    /// Bindings of the module's opaque variables, by name. Samplers with an initializer need none.
    pub references: Vec<(String, Handle)>,
}

//! Images, textures, surfaces and samplers.

use std::ffi::{c_char, c_void};

use ptx_device::texture::{
    AddressMode, ChannelFormat, Comparison, Extent, Filter, Handle, Image, ReadMode, Sampler, SharedImage,
    Start, Storage, Texture,
};

use crate::device::{PtxDevice, address_of};
use crate::module::PtxModule;
use crate::pointer::{given, items, room, store, text};
use crate::status::{Failure, PtxStatus, guard};

/// The format of a channel of a texel.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxChannelFormat {
    /// 8-bit unsigned integer.
    PtxUnsigned8 = 0,
    /// 16-bit unsigned integer.
    PtxUnsigned16 = 1,
    /// 32-bit unsigned integer.
    PtxUnsigned32 = 2,
    /// 8-bit signed integer.
    PtxSigned8 = 3,
    /// 16-bit signed integer.
    PtxSigned16 = 4,
    /// 32-bit signed integer.
    PtxSigned32 = 5,
    /// Half precision.
    PtxHalf = 6,
    /// Single precision.
    PtxFloat = 7,
    /// 8-bit unsigned normalized: a fraction of 255, from 0 to 1.
    PtxUnorm8 = 8,
    /// 16-bit unsigned normalized: a fraction of 65535, from 0 to 1.
    PtxUnorm16 = 9,
    /// 8-bit signed normalized: a fraction of 127, from -1 to 1.
    PtxSnorm8 = 10,
    /// 16-bit signed normalized: a fraction of 32767, from -1 to 1.
    PtxSnorm16 = 11,
}

/// Handling of out-of-bounds coordinates.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
pub enum PtxAddressMode {
    /// The nearest edge texel.
    PtxAddressClamp = 0,
    /// The image repeats; unnormalized coordinates are clamped.
    PtxAddressWrap = 1,
    /// The image repeats mirrored; unnormalized coordinates are clamped.
    PtxAddressMirror = 2,
    /// The border colour.
    PtxAddressBorder = 3,
    /// Like `clamp_ogl` of PTX: filters blend in half of the border colour.
    PtxAddressClampOgl = 4,
}

/// The filter within a level, or between levels.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxFilter {
    /// The nearest texel or level.
    PtxFilterPoint = 0,
    /// Linear interpolation.
    PtxFilterLinear = 1,
}

/// Comparison of a reference depth, the left operand, with that of a texel.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
pub enum PtxComparison {
    /// Less or equal.
    PtxLessOrEqual = 0,
    /// Always fails.
    PtxNever = 1,
    /// Less.
    PtxLess = 2,
    /// Equal.
    PtxEqual = 3,
    /// Greater.
    PtxGreater = 4,
    /// Different.
    PtxNotEqual = 5,
    /// Greater or equal.
    PtxGreaterOrEqual = 6,
    /// Always passes.
    PtxAlways = 7,
}

const FORMATS: [(PtxChannelFormat, ChannelFormat); 12] = [
    (PtxChannelFormat::PtxUnsigned8, ChannelFormat::Unsigned8),
    (PtxChannelFormat::PtxUnsigned16, ChannelFormat::Unsigned16),
    (PtxChannelFormat::PtxUnsigned32, ChannelFormat::Unsigned32),
    (PtxChannelFormat::PtxSigned8, ChannelFormat::Signed8),
    (PtxChannelFormat::PtxSigned16, ChannelFormat::Signed16),
    (PtxChannelFormat::PtxSigned32, ChannelFormat::Signed32),
    (PtxChannelFormat::PtxHalf, ChannelFormat::Half),
    (PtxChannelFormat::PtxFloat, ChannelFormat::Float),
    (PtxChannelFormat::PtxUnorm8, ChannelFormat::Unorm8),
    (PtxChannelFormat::PtxUnorm16, ChannelFormat::Unorm16),
    (PtxChannelFormat::PtxSnorm8, ChannelFormat::Snorm8),
    (PtxChannelFormat::PtxSnorm16, ChannelFormat::Snorm16),
];
const MODES: [(PtxAddressMode, AddressMode); 5] = [
    (PtxAddressMode::PtxAddressClamp, AddressMode::Clamp),
    (PtxAddressMode::PtxAddressWrap, AddressMode::Wrap),
    (PtxAddressMode::PtxAddressMirror, AddressMode::Mirror),
    (PtxAddressMode::PtxAddressBorder, AddressMode::Border),
    (PtxAddressMode::PtxAddressClampOgl, AddressMode::ClampOgl),
];
const FILTERS: [(PtxFilter, Filter); 2] =
    [(PtxFilter::PtxFilterPoint, Filter::Point), (PtxFilter::PtxFilterLinear, Filter::Linear)];
const COMPARISONS: [(PtxComparison, Comparison); 8] = [
    (PtxComparison::PtxLessOrEqual, Comparison::LessOrEqual),
    (PtxComparison::PtxNever, Comparison::Never),
    (PtxComparison::PtxLess, Comparison::Less),
    (PtxComparison::PtxEqual, Comparison::Equal),
    (PtxComparison::PtxGreater, Comparison::Greater),
    (PtxComparison::PtxNotEqual, Comparison::NotEqual),
    (PtxComparison::PtxGreaterOrEqual, Comparison::GreaterOrEqual),
    (PtxComparison::PtxAlways, Comparison::Always),
];

/// Decodes a constant from C, which may be any number; the tables contain the constants in numerical order.
pub(crate) fn constant<C, T: Copy>(number: u32, table: &[(C, T)], field: &str) -> Result<T, Failure> {
    let found = table.get(number as usize).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let last = table.len().saturating_sub(1);
        Failure::value(format!("`{field}` is {number}; expected a constant from 0 to {last}"))
    })
}

/// An image: an array with separate memory, or linear memory of the device. Fields that are 0 are absent or have their default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxImageOptions {
    /// The channel format: a `PtxChannelFormat`.
    pub format: u32,
    /// Channels per texel: 1, 2 or 4; 0 means 1.
    pub channels: u32,
    /// Texels along x.
    pub width: u32,
    /// Texels along y; 0 if there is no such axis.
    pub height: u32,
    /// Texels along z; 0 if there is no such axis.
    pub depth: u32,
    /// Nonzero for a cube: six square faces with `width` texels along an edge, and 0 for `height` and `depth`.
    pub is_cube: u32,
    /// Layers of an array of images, or cubes; 0 for a single one.
    pub layers: u32,
    /// Mipmap levels; 0 means 1.
    pub levels: u32,
    /// Samples per texel; 0 means 1.
    pub samples: u32,
    /// The first texel of linear memory; null for an array.
    pub address: *const c_void,
    /// Bytes between rows of linear memory with two axes; 0 with one axis.
    pub pitch: usize,
}

/// The mapping of coordinates to texels. All zeros: the nearest texel, clamped, all levels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxSamplerOptions {
    /// Address modes along x, y and z: each a `PtxAddressMode`.
    pub address: [u32; 3],
    /// The border colour for `PTX_ADDRESS_BORDER`.
    pub border: [f32; 4],
    /// The filter within a level: a `PtxFilter`.
    pub filter: u32,
    /// The filter between levels: a `PtxFilter`.
    pub level_filter: u32,
    /// Bias added to the requested level.
    pub level_bias: f32,
    /// Nonzero if `finest_level` and `coarsest_level` are used.
    pub has_level_clamp: u32,
    /// The finest level that may be selected.
    pub finest_level: f32,
    /// The coarsest level that may be selected.
    pub coarsest_level: f32,
    /// Maximum anisotropy; 0 means 1.
    pub max_anisotropy: u32,
    /// Nonzero if coordinates are in texels even if the texture has normalized ones.
    pub force_unnormalized: u32,
    /// Nonzero if filters extend across the edges of a cube's faces.
    pub seamless: u32,
    /// The depth comparison: a `PtxComparison`.
    pub comparison: u32,
}

/// The read mode of an image. All zeros: unconverted elements, at coordinates in texels or as the variable specifies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxTextureOptions {
    /// Nonzero if 8- and 16-bit integers are read as normalized numbers.
    pub read_fractions: u32,
    /// Nonzero if the first three channels are sRGB.
    pub srgb: u32,
    /// 0 for coordinates as the variable's initializer specifies, by default in texels; 1 for normalized ones; 2 for those in texels.
    pub coordinates: u32,
    /// The sampler of the unified mode; null for the one in the variable's initializer, or the default.
    pub sampler: *const PtxSamplerOptions,
}

/// An image on a device, from which textures and surfaces are created.
pub struct PtxImage(SharedImage);

impl PtxImageOptions {
    fn read(self, texels: &[u8]) -> Result<Image, Failure> {
        let Self { width, height, depth, channels, layers, levels, samples, address, pitch, .. } = self;
        let extent = match (self.is_cube != 0, height, depth) {
            (true, 0, 0) => Extent::Cube { size: width },
            (true, ..) => {
                return Err(Failure::value("a cube has `width` alone; `height` and `depth` are 0"));
            }
            (false, 0, 0) => Extent::D1 { width },
            (false, 0, _) => return Err(Failure::value("an image with `depth` has `height`, too")),
            (false, _, 0) => Extent::D2 { width, height },
            (false, ..) => Extent::D3 { width, height, depth },
        };
        let format = constant(self.format, &FORMATS, "format")?;
        let storage = if address.is_null() {
            Storage::Array(texels.to_vec())
        } else if texels.is_empty() {
            Storage::Linear { start: Start::Address(address_of(address)), pitch: pitch as u64 }
        } else {
            return Err(Failure::value("the texels of linear memory are those at its address"));
        };
        let layers = (layers != 0).then_some(layers);
        let (levels, samples) = (levels.max(1), samples.max(1));
        Ok(Image {
            layers,
            levels,
            samples,
            storage,
            ..Image::array(format, channels.max(1), extent, Vec::new())
        })
    }
}

impl PtxSamplerOptions {
    fn read(&self) -> Result<Sampler, Failure> {
        let mut address = [AddressMode::Clamp; 3];
        for (mode, &number) in address.iter_mut().zip(&self.address) {
            *mode = constant(number, &MODES, "address")?;
        }
        let default = Sampler::default();
        let level_clamp = if self.has_level_clamp == 0 {
            default.level_clamp
        } else {
            [self.finest_level, self.coarsest_level]
        };
        Ok(Sampler {
            address,
            border: self.border,
            filter: constant(self.filter, &FILTERS, "filter")?,
            level_filter: constant(self.level_filter, &FILTERS, "level_filter")?,
            level_bias: self.level_bias,
            level_clamp,
            max_anisotropy: self.max_anisotropy.max(1),
            force_unnormalized: self.force_unnormalized != 0,
            seamless: self.seamless != 0,
            comparison: constant(self.comparison, &COMPARISONS, "comparison")?,
        })
    }
}

/// Creates an image. The texels of an array are copied: level by level, layer by layer, rows without gaps; null and 0 for zeros.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_image_create(
    device: *const PtxDevice,
    options: *const PtxImageOptions,
    texels: *const c_void,
    bytes: usize,
    image: *mut *mut PtxImage,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, options) = unsafe { (given(device, "`device`")?, *given(options, "`options`")?) };
        // SAFETY: the header's contract.
        let texels = unsafe { items(texels.cast::<u8>(), bytes, "`texels`") }?;
        let mut described = options.read(texels)?;
        if texels.is_empty()
            && let Some(wanted) = described.bytes()
            && let Storage::Array(zeros) = &mut described.storage
        {
            let wanted = usize::try_from(wanted).ok();
            let wanted = wanted.filter(|&wanted| zeros.try_reserve_exact(wanted).is_ok());
            zeros.resize(
                wanted.ok_or_else(|| Failure::value("the image is larger than the memory there is"))?,
                0,
            );
        }
        let made = Box::new(PtxImage(device.0.image(described)?));
        // SAFETY: the header's contract.
        unsafe { store(image, Box::into_raw(made), "`image`") }
    })
}

/// Destroys the handle of an image. The image lives as long as textures and surfaces of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_image_destroy(image: *mut PtxImage) -> PtxStatus {
    guard(|| {
        if !image.is_null() {
            // SAFETY: the header's contract: it came from `ptx_image_create` and is destroyed once.
            drop(unsafe { Box::from_raw(image) });
        }
        Ok(())
    })
}

/// Copies all texels of an array out, in the order of `ptx_image_create`. `bytes` must be their total size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_image_copy_out(
    image: *const PtxImage,
    to: *mut c_void,
    bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let image = unsafe { given(image, "`image`") }?;
        let linear = || Failure::value("the image lies in linear memory, which is read by its address");
        let texels = image.0.texels().ok_or_else(linear)?;
        if texels.len() != bytes {
            let text = format!("the image has {} bytes of texels; room for {bytes} was given", texels.len());
            return Err(Failure::value(text));
        }
        // SAFETY: the header's contract.
        unsafe { room(to.cast::<u8>(), bytes, "`to`") }?.copy_from_slice(&texels);
        Ok(())
    })
}

/// Overwrites all texels of an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_image_copy_in(
    image: *const PtxImage,
    from: *const c_void,
    bytes: usize,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let image = unsafe { given(image, "`image`") }?;
        // SAFETY: the header's contract.
        let from = unsafe { items(from.cast::<u8>(), bytes, "`from`") }?;
        image.0.set_texels(from).map_err(|error| Failure::value(error.to_string()))
    })
}

/// Creates a texture of an image, like `cuTexObjectCreate`. `options` may be null. `handle` is passed to a kernel as a 64-bit parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_texture_create(
    device: *const PtxDevice,
    image: *const PtxImage,
    options: *const PtxTextureOptions,
    handle: *mut u64,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, image) = unsafe { (given(device, "`device`")?, given(image, "`image`")?) };
        let mut texture = Texture::new(0);
        // SAFETY: the header's contract.
        if let Some(options) = unsafe { options.as_ref() } {
            texture.read =
                if options.read_fractions == 0 { ReadMode::Element } else { ReadMode::NormalizedFloat };
            texture.srgb = options.srgb != 0;
            texture.normalized = match options.coordinates {
                0 => None,
                1 => Some(true),
                2 => Some(false),
                other => {
                    return Err(Failure::value(format!("`coordinates` is {other}; expected 0, 1 or 2")));
                }
            };
            // SAFETY: the header's contract.
            texture.sampler = unsafe { options.sampler.as_ref() }.map(PtxSamplerOptions::read).transpose()?;
        }
        let made = device.0.texture(&image.0, &texture)?;
        // SAFETY: the header's contract.
        unsafe { store(handle, made.value(), "`handle`") }
    })
}

/// Creates a surface of a level of an array, like `cuSurfObjectCreate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_surface_create(
    device: *const PtxDevice,
    image: *const PtxImage,
    level: u32,
    handle: *mut u64,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (device, image) = unsafe { (given(device, "`device`")?, given(image, "`image`")?) };
        let made = device.0.surface(&image.0, level)?;
        // SAFETY: the header's contract.
        unsafe { store(handle, made.value(), "`handle`") }
    })
}

/// Creates a sampler for modules with `.target texmode_independent`. `options` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_sampler_create(
    device: *const PtxDevice,
    options: *const PtxSamplerOptions,
    handle: *mut u64,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let device = unsafe { given(device, "`device`") }?;
        // SAFETY: the header's contract.
        let sampler = match unsafe { options.as_ref() } {
            Some(options) => options.read()?,
            None => Sampler::default(),
        };
        let made = device.0.sampler(sampler)?;
        // SAFETY: the header's contract.
        unsafe { store(handle, made.value(), "`handle`") }
    })
}

fn handle_of(value: u64) -> Result<Handle, Failure> {
    let nothing = || Failure::value(format!("{value:#x} is not the handle of a texture, surface or sampler"));
    Handle::from_value(value).ok_or_else(nothing)
}

/// Destroys a texture, surface or sampler, once all work of the device is complete. Kernels that use its handle later are stopped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_object_destroy(device: *const PtxDevice, handle: u64) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(device, "`device`") }?.0.destroy(handle_of(handle)?)?))
}

/// Binds a `.texref`, `.samplerref` or `.surfref` variable of a module to a texture, sampler or surface, for subsequent
/// launches; 0 removes the binding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_module_bind(
    module: *const PtxModule,
    name: *const c_char,
    handle: u64,
) -> PtxStatus {
    guard(|| {
        // SAFETY: the header's contract.
        let (module, name) = unsafe { (given(module, "`module`")?, text(name, "`name`")?) };
        let handle = (handle != 0).then(|| handle_of(handle)).transpose()?;
        Ok(module.module.bind(name, handle)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_order<C: Copy, T>(table: &[(C, T)], number: fn(C) -> u32) {
        for (index, (constant, _)) in table.iter().enumerate() {
            assert_eq!(number(*constant) as usize, index);
        }
    }

    #[test]
    fn tables_are_in_the_order_of_the_numbers() {
        in_order(&FORMATS, |constant| constant as u32);
        in_order(&MODES, |constant| constant as u32);
        in_order(&FILTERS, |constant| constant as u32);
        in_order(&COMPARISONS, |constant| constant as u32);
        let error = constant(5, &MODES, "address").unwrap_err();
        assert_eq!(error.text, "`address` is 5; expected a constant from 0 to 4");
    }

    #[test]
    fn zeros_are_the_defaults_of_samplers() {
        let zeros = PtxSamplerOptions {
            address: [0; 3],
            border: [0.0; 4],
            filter: 0,
            level_filter: 0,
            level_bias: 0.0,
            has_level_clamp: 0,
            finest_level: 0.0,
            coarsest_level: 0.0,
            max_anisotropy: 0,
            force_unnormalized: 0,
            seamless: 0,
            comparison: 0,
        };
        assert_eq!(zeros.read().unwrap(), Sampler::default());
    }
}

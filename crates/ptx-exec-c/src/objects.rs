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

/// What a channel of a texel holds.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxChannelFormat {
    /// An integer of 8 bits without sign.
    PtxUnsigned8 = 0,
    /// An integer of 16 bits without sign.
    PtxUnsigned16 = 1,
    /// An integer of 32 bits without sign.
    PtxUnsigned32 = 2,
    /// An integer of 8 bits.
    PtxSigned8 = 3,
    /// An integer of 16 bits.
    PtxSigned16 = 4,
    /// An integer of 32 bits.
    PtxSigned32 = 5,
    /// Half precision.
    PtxHalf = 6,
    /// Single precision.
    PtxFloat = 7,
    /// A fraction of 255, from 0 to 1.
    PtxUnorm8 = 8,
    /// A fraction of 65535, from 0 to 1.
    PtxUnorm16 = 9,
    /// A fraction of 127, from -1 to 1.
    PtxSnorm8 = 10,
    /// A fraction of 32767, from -1 to 1.
    PtxSnorm16 = 11,
}

/// What happens to coordinates beyond the edge.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
pub enum PtxAddressMode {
    /// The nearest texel at the edge.
    PtxAddressClamp = 0,
    /// The image repeats; coordinates that are not normalized are clamped.
    PtxAddressWrap = 1,
    /// The image repeats mirrored; coordinates that are not normalized are clamped.
    PtxAddressMirror = 2,
    /// The colour of the border.
    PtxAddressBorder = 3,
    /// As `clamp_ogl` of PTX: filters mix half of the border's colour in.
    PtxAddressClampOgl = 4,
}

/// How texels, or levels, are mixed.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PtxFilter {
    /// The nearest one.
    PtxFilterPoint = 0,
    /// The neighbours, by their distance.
    PtxFilterLinear = 1,
}

/// How a depth, on the left, is compared with that of a texel.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::enum_variant_names, reason = "C has no other scope for them")]
pub enum PtxComparison {
    /// Less or equal.
    PtxLessOrEqual = 0,
    /// Fails.
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
    /// Passes.
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

/// A constant from C, which may be any number; the tables have the constants in the order of their numbers.
pub(crate) fn constant<C, T: Copy>(number: u32, table: &[(C, T)], field: &str) -> Result<T, Failure> {
    let found = table.get(number as usize).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let last = table.len().saturating_sub(1);
        Failure::value(format!("`{field}` is {number}; expected a constant from 0 to {last}"))
    })
}

/// An image: an array with texels of its own, or linear memory of the device. What is 0 is not there or has its default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxImageOptions {
    /// What a channel holds: a `PtxChannelFormat`.
    pub format: u32,
    /// Channels of a texel: 1, 2 or 4; 0 counts as 1.
    pub channels: u32,
    /// Texels along x.
    pub width: u32,
    /// Texels along y; 0 where there is no such axis.
    pub height: u32,
    /// Texels along z; 0 where there is no such axis.
    pub depth: u32,
    /// Not 0 for a cube: six square faces with `width` texels along an edge, and 0 for `height` and `depth`.
    pub is_cube: u32,
    /// Layers of an array of images, or cubes; 0 for a single one.
    pub layers: u32,
    /// Levels of a mipmap; 0 counts as 1.
    pub levels: u32,
    /// Samples of a texel; 0 counts as 1.
    pub samples: u32,
    /// The first texel of linear memory; null for an array.
    pub address: *const c_void,
    /// Bytes from one row of linear memory with two axes to the next; 0 with one axis.
    pub pitch: usize,
}

/// How coordinates become texels. All zeros: the nearest texel, clamped, of all levels.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxSamplerOptions {
    /// What happens beyond the edge along x, y and z: each a `PtxAddressMode`.
    pub address: [u32; 3],
    /// The colour beyond the edge for `PTX_ADDRESS_BORDER`.
    pub border: [f32; 4],
    /// How texels of a level are mixed: a `PtxFilter`.
    pub filter: u32,
    /// How levels are mixed: a `PtxFilter`.
    pub level_filter: u32,
    /// What is added to the level that is requested.
    pub level_bias: f32,
    /// Not 0 for `finest_level` and `coarsest_level` to count.
    pub has_level_clamp: u32,
    /// The finest level that is taken.
    pub finest_level: f32,
    /// The coarsest level that is taken.
    pub coarsest_level: f32,
    /// The largest ratio of an anisotropic footprint; 0 counts as 1.
    pub max_anisotropy: u32,
    /// Not 0 where coordinates count texels even if the texture has normalized ones.
    pub force_unnormalized: u32,
    /// Not 0 where filters reach over the edges of a cube's faces.
    pub seamless: u32,
    /// How depths are compared: a `PtxComparison`.
    pub comparison: u32,
}

/// How an image is read. All zeros: the elements as they are, at coordinates that count texels or as the variable specifies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PtxTextureOptions {
    /// Not 0 for integers of 8 and 16 bits to be read as fractions of the largest one.
    pub read_fractions: u32,
    /// Not 0 where the first three channels are in sRGB.
    pub srgb: u32,
    /// 0 for coordinates as the initial value of the variable specifies, else in texels; 1 for normalized ones; 2 for those in texels.
    pub coordinates: u32,
    /// The sampler of the unified mode; null for what the initial value of the variable specifies, or the default.
    pub sampler: *const PtxSamplerOptions,
}

/// An image on a device, which textures and surfaces show.
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

/// Makes an image. The texels of an array are copied: level after level, in each layer after layer, in each the rows without gaps; null and 0 for zeros.
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

/// Destroys the handle of an image. Textures and surfaces of it keep it.
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

/// Copies all texels of an array, in the order of `ptx_image_create`. `bytes` has to be as many as they have.
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

/// Changes all texels of an array.
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

/// Makes a texture of an image, as `cuTexObjectCreate`. `options` may be null. `handle` is what a kernel has as a parameter of 64 bits.
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

/// Makes a surface of a level of an array, as `cuSurfObjectCreate`.
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

/// Makes a sampler for modules with `.target texmode_independent`. `options` may be null.
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
        let sampler = unsafe { options.as_ref() }.map(PtxSamplerOptions::read).transpose()?;
        let made = device.0.sampler(sampler.unwrap_or_default())?;
        // SAFETY: the header's contract.
        unsafe { store(handle, made.value(), "`handle`") }
    })
}

fn handle_of(value: u64) -> Result<Handle, Failure> {
    let nothing = || Failure::value(format!("{value:#x} is not the handle of a texture, surface or sampler"));
    Handle::from_value(value).ok_or_else(nothing)
}

/// Destroys a texture, surface or sampler, once all work of the device is done. Kernels that use its handle later are stopped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_object_destroy(device: *const PtxDevice, handle: u64) -> PtxStatus {
    // SAFETY: the header's contract.
    guard(|| Ok(unsafe { given(device, "`device`") }?.0.destroy(handle_of(handle)?)?))
}

/// Binds a `.texref`, `.samplerref` or `.surfref` variable of a module to a texture, sampler or surface, for launches from now on; 0 ends that.
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

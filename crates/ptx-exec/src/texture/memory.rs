//! The textures of launches, with the memory of their images.
//!
//! Arrays have separate memory, which is not addressable by programs. Like global memory it consists of words shared by
//! blocks, so that surface reductions are atomic.

use std::sync::Arc;

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_program::Order;
use ptx_program::texture::{
    BoundTexture, Declared, Handle, Image, Sampler, Start, Storage, Surface, Texture, Textures,
};
use thiserror::Error;

use super::slots::{MOST, Slots};
use crate::error::codes;
use crate::memory::{Concurrency, Fault, GlobalMemory, Region};

/// Row alignment of arrays: the maximum size of a surface access.
const ROW: u64 = 16;

/// Layout of a level.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Texels along x, y and z.
    size: [u32; 3],
    /// The address of its first texel, in the memory of arrays or in global memory.
    base: u64,
    /// Bytes between rows.
    pitch: u64,
}

/// An image with the layout of its levels.
#[derive(Debug)]
pub(crate) struct PlacedImage {
    /// Its description; the texels of arrays are in `memory` instead.
    pub(crate) image: Image,
    levels: Vec<Level>,
    /// The memory of an array.
    memory: Option<GlobalMemory>,
}

impl PlacedImage {
    /// The memory of an array.
    pub(crate) const fn own_memory(&self) -> Option<&GlobalMemory> {
        self.memory.as_ref()
    }

    /// Reads 1, 2, 4 or 8 bytes at an address of it.
    pub(crate) fn read(&self, global: &GlobalMemory, address: u64, size: u32) -> Result<u64, Fault> {
        self.memory.as_ref().unwrap_or(global).read(address, size, Order::Relaxed)
    }

    /// The current texels of an array, without padding.
    fn contents(&self) -> Option<Vec<u8>> {
        let padded = self.memory.as_ref()?.bytes_of(0)?;
        let mut bytes = Vec::new();
        let mut rest = padded.as_slice();
        for (number, level) in self.levels.iter().enumerate() {
            let (row, rows) = (self.image.row_bytes(number as u32), self.image.rows(number as u32));
            let (own, after) = rest.split_at((level.pitch * rows).min(rest.len() as u64) as usize);
            rest = after;
            for padded in own.chunks(level.pitch.max(1) as usize) {
                bytes.extend(padded.iter().take(row as usize));
            }
        }
        Some(bytes)
    }

    /// The address of byte `x` of a row; layers, and the planes of a layer, are contiguous.
    pub(crate) fn address(&self, level: u32, slice: u64, [x, y, z]: [u64; 3]) -> Option<u64> {
        let level = self.levels.get(level as usize)?;
        let [_, height, depth] = level.size.map(u64::from);
        Some(level.base + ((slice * depth + z) * height + y) * level.pitch + x)
    }
}

/// Why a texture, sampler or surface cannot be created.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct TextureError(pub(crate) String);

/// An image that textures and surfaces are created from. Clones share the texels: stores to it are visible through all of them.
#[derive(Clone, Debug)]
pub struct SharedImage(Arc<PlacedImage>);

impl SharedImage {
    /// Creates an image; the texels of an array are copied.
    ///
    /// # Errors
    /// Invalid descriptions or ones that the CUDA driver refuses, and linear memory in an argument.
    pub fn new(image: Image) -> Result<Self, TextureError> {
        let mistake = image.mistake().or_else(|| storage_mistake(&image, &|_| None));
        match mistake {
            Some(mistake) => Err(TextureError(format!("the image {mistake}"))),
            None => Ok(Self(Arc::new(place_image(image, &|_| None)))),
        }
    }

    /// Its description. The texels are in [`SharedImage::texels`].
    pub fn description(&self) -> &Image {
        &self.0.image
    }

    /// The address and size of its linear memory, from its first texel; `None` for an array.
    pub fn linear_memory(&self) -> Option<(u64, u64)> {
        match self.0.image.storage {
            Storage::Linear { start: Start::Address(address), pitch } => {
                Some((address, self.0.image.linear_bytes(pitch)))
            }
            Storage::Linear { start: Start::Argument { .. }, .. } | Storage::Array(_) => None,
        }
    }

    /// The current texels of an array, in the order of [`Storage::Array`]; `None` for linear memory.
    pub fn texels(&self) -> Option<Vec<u8>> {
        self.0.contents()
    }

    /// Overwrites all texels of an array.
    ///
    /// # Errors
    /// Linear memory, and a size other than [`Image::bytes`].
    pub fn set_texels(&self, bytes: &[u8]) -> Result<(), TextureError> {
        let image = &self.0.image;
        let Some(memory) = &self.0.memory else {
            return Err(TextureError(
                "the image lies in linear memory, which is changed by its address".to_owned(),
            ));
        };
        let too_many = || TextureError("the image has more bytes of texels than 64 bits count".to_owned());
        let wanted = image.bytes().ok_or_else(too_many)?;
        if bytes.len() as u64 != wanted {
            let given = bytes.len();
            return Err(TextureError(format!("the image has {wanted} bytes of texels; {given} were given")));
        }
        memory.write_bytes_of(0, &pad(image, bytes));
        Ok(())
    }
}

/// Textures, samplers and surfaces that launches can use, with the memory of their arrays. Stores of one launch to a
/// surface are visible to the next. Objects are given all at once ([`TextureSet::new`]) or created and destroyed
/// individually; clones of the set share the images.
#[derive(Clone, Debug, Default)]
pub struct TextureSet {
    pub(crate) images: Slots<Arc<PlacedImage>>,
    /// Each as it was described, and with defaults resolved.
    pub(crate) textures: Slots<(Texture, BoundTexture)>,
    pub(crate) samplers: Slots<Sampler>,
    pub(crate) surfaces: Slots<Surface>,
    pub(crate) references: Vec<(String, Handle)>,
}

impl TextureSet {
    /// Checks descriptions and copies the texels of arrays.
    ///
    /// # Errors
    /// [`codes::ARGUMENTS`] for invalid descriptions or ones that the CUDA driver refuses, and linear memory in an
    /// argument, which is only supported by [`run`](crate::run).
    pub fn new(given: Textures) -> Result<Self, Diagnostics> {
        let no_argument = |_: usize| None;
        Self::place(given, &no_argument)
    }

    /// Like [`TextureSet::new`]; `argument` returns the address and size of the buffer of an argument.
    pub(crate) fn place(
        given: Textures,
        argument: &dyn Fn(usize) -> Option<(u64, u64)>,
    ) -> Result<Self, Diagnostics> {
        let mut findings = Diagnostics::new();
        check(&given, argument, &mut findings);
        if findings.has_errors() {
            return Err(findings);
        }
        let Textures { images, textures, samplers, surfaces, references } = given;
        let plain = Declared::default();
        let bound = |texture: Texture| (texture, BoundTexture::new(&texture, &plain));
        Ok(Self {
            images: images.into_iter().map(|image| Arc::new(place_image(image, argument))).collect(),
            textures: textures.into_iter().map(bound).collect(),
            samplers: samplers.into_iter().collect(),
            surfaces: surfaces.into_iter().collect(),
            references,
        })
    }

    /// The current texels of each image, without padding; `None` for images in linear memory.
    pub fn contents(&self) -> Vec<Option<Vec<u8>>> {
        self.images.iter().map(|image| image.contents()).collect()
    }

    /// Creates a texture object of an image, like `cuTexObjectCreate`. The image index in `texture` is ignored.
    ///
    /// # Errors
    /// Textures that the CUDA driver refuses, and more than 2^20 objects.
    pub fn add_texture(&mut self, shown: &SharedImage, texture: &Texture) -> Result<Handle, TextureError> {
        if let Some(mistake) = texture.mistake(Some(&shown.0.image)) {
            return Err(TextureError(format!("the texture {mistake}")));
        }
        let texture = Texture { image: self.images.add(shown.0.clone()).ok_or_else(too_many)?, ..*texture };
        let bound = BoundTexture::new(&texture, &Declared::default());
        let added = self.textures.add((texture, bound));
        if added.is_none() {
            self.images.remove(texture.image);
        }
        added.map(Handle::Texture).ok_or_else(too_many)
    }

    /// Creates a surface object of a level of an array, like `cuSurfObjectCreate`.
    ///
    /// # Errors
    /// See [`TextureSet::add_texture`].
    pub fn add_surface(&mut self, shown: &SharedImage, level: u32) -> Result<Handle, TextureError> {
        let surface = Surface { image: 0, level };
        if let Some(mistake) = surface.mistake(Some(&shown.0.image)) {
            return Err(TextureError(format!("the surface {mistake}")));
        }
        let surface = Surface { image: self.images.add(shown.0.clone()).ok_or_else(too_many)?, level };
        let added = self.surfaces.add(surface);
        if added.is_none() {
            self.images.remove(surface.image);
        }
        added.map(Handle::Surface).ok_or_else(too_many)
    }

    /// Creates a sampler of the independent mode.
    ///
    /// # Errors
    /// More than 2^20 samplers.
    pub fn add_sampler(&mut self, sampler: Sampler) -> Result<Handle, TextureError> {
        self.samplers.add(sampler).map(Handle::Sampler).ok_or_else(too_many)
    }

    /// Destroys the object of a handle. The handle is reused only after 255 other objects have occupied its slot.
    ///
    /// # Errors
    /// Invalid handles.
    pub fn remove(&mut self, handle: Handle) -> Result<(), TextureError> {
        let image = match handle {
            Handle::Texture(index) => self.textures.remove(index).map(|(texture, _)| Some(texture.image)),
            Handle::Sampler(index) => self.samplers.remove(index).map(|_| None),
            Handle::Surface(index) => self.surfaces.remove(index).map(|surface| Some(surface.image)),
        };
        if let Some(image) = image.ok_or_else(|| nothing(handle))? {
            self.images.remove(image);
        }
        Ok(())
    }

    /// Checks that a handle is valid.
    ///
    /// # Errors
    /// If it is not.
    pub fn require(&self, handle: Handle) -> Result<(), TextureError> {
        let found = match handle {
            Handle::Texture(index) => self.textures.get(index).is_some(),
            Handle::Sampler(index) => self.samplers.get(index).is_some(),
            Handle::Surface(index) => self.surfaces.get(index).is_some(),
        };
        if found { Ok(()) } else { Err(nothing(handle)) }
    }
}

fn nothing(handle: Handle) -> TextureError {
    TextureError(format!("{handle:?} is not there, or was destroyed"))
}

fn too_many() -> TextureError {
    TextureError(format!("there are more than {MOST} images, textures, samplers or surfaces"))
}

/// Lays out an image; an array gets memory.
fn place_image(mut image: Image, argument: &dyn Fn(usize) -> Option<(u64, u64)>) -> PlacedImage {
    let mut levels = Vec::new();
    let mut memory = None;
    match &mut image.storage {
        Storage::Linear { start, pitch } => {
            let base = match *start {
                Start::Argument { index, offset } => match argument(index) {
                    Some((base, _)) => base + offset,
                    None => {
                        debug_assert!(false, "linear memory in argument {index}, which is not a buffer");
                        offset
                    }
                },
                Start::Address(address) => address,
            };
            let pitch = *pitch;
            levels.push(Level { size: image.level_size(0), base, pitch });
        }
        Storage::Array(bytes) => {
            let bytes = std::mem::take(bytes);
            let mut base = GlobalMemory::base(0);
            for number in 0..image.levels {
                let pitch = image.row_bytes(number).next_multiple_of(ROW);
                levels.push(Level { size: image.level_size(number), base, pitch });
                base += pitch * image.rows(number);
            }
            let region = Region::of_bytes(GlobalMemory::base(0), &pad(&image, &bytes), "the image");
            memory = Some(GlobalMemory::numbered(vec![region], Concurrency::Many));
        }
    }
    PlacedImage { image, levels, memory }
}

/// The texels of an array with row padding.
fn pad(image: &Image, bytes: &[u8]) -> Vec<u8> {
    let mut padded = Vec::new();
    let mut rest = bytes;
    for number in 0..image.levels {
        let (row, rows) = (image.row_bytes(number), image.rows(number));
        let (own, after) = rest.split_at((row * rows).min(rest.len() as u64) as usize);
        rest = after;
        for row in own.chunks(row.max(1) as usize) {
            padded.extend_from_slice(row);
            padded.resize(padded.len().next_multiple_of(ROW as usize), 0);
        }
    }
    padded
}

/// Refuses invalid descriptions, and those that the CUDA driver refuses.
fn check(given: &Textures, argument: &dyn Fn(usize) -> Option<(u64, u64)>, findings: &mut Diagnostics) {
    let mut report = |text: String| findings.push(Diagnostic::error_without_place(codes::ARGUMENTS, text));
    let counts = [given.images.len(), given.textures.len(), given.samplers.len(), given.surfaces.len()];
    if counts.iter().any(|&count| count > MOST) {
        report(format!("there are more than {MOST} images, textures, samplers or surfaces"));
    }
    for (index, image) in given.images.iter().enumerate() {
        if let Some(mistake) = image.mistake().or_else(|| storage_mistake(image, argument)) {
            report(format!("image {index} {mistake}"));
        }
    }
    for (index, texture) in given.textures.iter().enumerate() {
        if let Some(mistake) = texture.mistake(given.images.get(texture.image)) {
            report(format!("texture {index} {mistake}"));
        }
    }
    for (index, surface) in given.surfaces.iter().enumerate() {
        if let Some(mistake) = surface.mistake(given.images.get(surface.image)) {
            report(format!("surface {index} {mistake}"));
        }
    }
}

/// Describes linear memory that does not exist.
fn storage_mistake(image: &Image, argument: &dyn Fn(usize) -> Option<(u64, u64)>) -> Option<String> {
    let Storage::Linear { start: Start::Argument { index, offset }, pitch } = image.storage else {
        return None;
    };
    let Some((_, there)) = argument(index) else {
        return Some(format!("lies in argument {index}, which is not a buffer"));
    };
    let end = offset.saturating_add(image.linear_bytes(pitch));
    (end > there).then(|| format!("ends at byte {end} of argument {index}, which has {there}"))
}

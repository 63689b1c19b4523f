//! The textures of launches with the memory of their images.
//!
//! Arrays have memory of their own, which no address leads to. It is made of words that blocks share, as global memory is, so that
//! surfaces can be combined with in one step.

use ptx_diag::{Diagnostic, Diagnostics};

use super::bind::{surface_mistake, texture_mistake};
use super::{Image, Start, Storage, Textures};
use crate::error::codes;
use crate::memory::{Concurrency, Fault, GlobalMemory, Order, Region};

/// What rows of arrays are padded to: the most that an access to a surface moves.
const ROW: u64 = 16;
/// The most images, textures, samplers or surfaces of a set.
const MOST: usize = 1 << 20;

/// Where a level lies.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// Texels along x, y and z.
    size: [u32; 3],
    /// The address of its first texel, in the memory of arrays or in global memory.
    base: u64,
    /// Bytes from one row to the next.
    pitch: u64,
}

/// An image with the places of its levels.
#[derive(Debug)]
pub(crate) struct PlacedImage {
    /// What it is; the bytes of arrays are in their memory instead.
    pub(crate) image: Image,
    levels: Vec<Level>,
}

impl PlacedImage {
    const fn is_array(&self) -> bool {
        matches!(self.image.storage, Storage::Array(_))
    }

    /// The address of byte `x` of a row; the planes of a layer and the layers follow each other.
    pub(crate) fn address(&self, level: u32, slice: u64, [x, y, z]: [u64; 3]) -> Option<u64> {
        let level = self.levels.get(level as usize)?;
        let [_, height, depth] = level.size.map(u64::from);
        Some(level.base + ((slice * depth + z) * height + y) * level.pitch + x)
    }
}

/// Textures, samplers and surfaces that launches can use, with the memory of their arrays. What one launch stores to a surface the next
/// one finds there.
#[derive(Debug)]
pub struct TextureSet {
    pub(crate) given: Textures,
    pub(crate) images: Vec<PlacedImage>,
    pub(crate) memory: GlobalMemory,
}

impl Default for TextureSet {
    /// Nothing.
    fn default() -> Self {
        let memory = GlobalMemory::numbered(Vec::new(), Concurrency::Many);
        Self { given: Textures::default(), images: Vec::new(), memory }
    }
}

impl TextureSet {
    /// Checks descriptions and copies the texels of arrays.
    ///
    /// # Errors
    /// [`codes::ARGUMENTS`] for descriptions that make no sense or that CUDA's driver refuses, and linear memory in an argument, which
    /// only [`run`](crate::run) knows.
    pub fn new(given: Textures) -> Result<Self, Diagnostics> {
        let no_argument = |_: usize| None;
        Self::place(given, &no_argument)
    }

    /// The same; `argument` gives the address and bytes of the buffer of an argument.
    pub(crate) fn place(
        mut given: Textures,
        argument: &dyn Fn(usize) -> Option<(u64, u64)>,
    ) -> Result<Self, Diagnostics> {
        let mut findings = Diagnostics::new();
        check(&given, argument, &mut findings);
        if findings.has_errors() {
            return Err(findings);
        }
        let mut regions = Vec::new();
        let images = std::mem::take(&mut given.images);
        let images = images.into_iter().map(|image| place_image(image, argument, &mut regions)).collect();
        Ok(Self { given, images, memory: GlobalMemory::numbered(regions, Concurrency::Many) })
    }

    /// Reads 1, 2, 4 or 8 bytes at an address of an image.
    pub(crate) fn read(
        &self,
        image: &PlacedImage,
        global: &GlobalMemory,
        address: u64,
        size: u32,
    ) -> Result<u64, Fault> {
        let memory = if image.is_array() { &self.memory } else { global };
        memory.read(address, size, Order::Relaxed)
    }

    /// The texels of each image as they are now, without padding; nothing for images in linear memory.
    pub fn contents(&self) -> Vec<Option<Vec<u8>>> {
        let mut allocation = 0;
        let mut contents = |placed: &PlacedImage| {
            if !placed.is_array() {
                return None;
            }
            let padded = self.memory.bytes_of(allocation)?;
            allocation += 1;
            let mut bytes = Vec::new();
            let mut rest = padded.as_slice();
            for (number, level) in placed.levels.iter().enumerate() {
                let (row, rows) = (placed.image.row_bytes(number as u32), placed.image.rows(number as u32));
                let (own, after) = rest.split_at((level.pitch * rows).min(rest.len() as u64) as usize);
                rest = after;
                for padded in own.chunks(level.pitch.max(1) as usize) {
                    bytes.extend_from_slice(padded.get(..row as usize).unwrap_or_default());
                }
            }
            Some(bytes)
        };
        self.images.iter().map(&mut contents).collect()
    }
}

/// Gives an image its place; an array gets a region.
fn place_image(
    mut image: Image,
    argument: &dyn Fn(usize) -> Option<(u64, u64)>,
    regions: &mut Vec<Region>,
) -> PlacedImage {
    let mut levels = Vec::new();
    match &mut image.storage {
        Storage::Linear { start, pitch } => {
            let base = match *start {
                Start::Argument { index, offset } => argument(index).map_or(0, |(base, _)| base) + offset,
                Start::Address(address) => address,
            };
            let pitch = *pitch;
            levels.push(Level { size: image.level_size(0), base, pitch });
        }
        Storage::Array(bytes) => {
            let bytes = std::mem::take(bytes);
            let base = GlobalMemory::base(regions.len());
            let mut padded = Vec::new();
            let mut rest = bytes.as_slice();
            for number in 0..image.levels {
                let (row, rows) = (image.row_bytes(number), image.rows(number));
                let pitch = row.next_multiple_of(ROW);
                levels.push(Level {
                    size: image.level_size(number),
                    base: base + padded.len() as u64,
                    pitch,
                });
                let (own, after) = rest.split_at((row * rows).min(rest.len() as u64) as usize);
                rest = after;
                for row in own.chunks(row.max(1) as usize) {
                    padded.extend_from_slice(row);
                    padded.resize(padded.len().next_multiple_of(ROW as usize), 0);
                }
            }
            regions.push(Region::of_bytes(base, &padded, format!("image {}", regions.len())));
        }
    }
    PlacedImage { image, levels }
}

/// Refuses descriptions that make no sense, and those that CUDA's driver refuses.
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
        if let Some(mistake) = texture_mistake(given, texture) {
            report(format!("texture {index} {mistake}"));
        }
    }
    for (index, surface) in given.surfaces.iter().enumerate() {
        if let Some(mistake) = surface_mistake(given, surface) {
            report(format!("surface {index} {mistake}"));
        }
    }
}

/// Linear memory that is not there.
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

//! `tex` and `tld4` of one thread (manual 9.7.10.3, 9.7.10.4; CUDA C++ Programming Guide, "Texture Fetching").

use ptx_program::Geometry;
use ptx_program::texture::{BoundTexture, Extent, Filter, Image, Sampler, Storage};

use super::axis::{Axis, ONE, Pair};
use super::texel::{Mix, Texel, border, fraction, read};
use super::{cube, level};
use crate::error::TrapKind;
use crate::memory::GlobalMemory;
use crate::texture::PlacedImage;

/// The coordinates of a thread; those of missing axes are 0.
#[derive(Clone, Copy, Debug)]
pub(super) enum Position {
    Whole([i64; 3]),
    Point([f64; 3]),
}

/// The level requested by a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    Finest,
    Whole(i64),
    Detail(f64),
    /// The derivatives of the coordinates along x and y of the screen.
    Gradient([f64; 3], [f64; 3]),
}

/// The fetch of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) at: Position,
    pub(super) layer: u64,
    pub(super) sample: u64,
    pub(super) offsets: [i64; 3],
    pub(super) asked: Asked,
    pub(super) depth: Option<f32>,
    pub(super) gather: Option<usize>,
}

/// A texture with its image and sampler.
pub(super) struct Fetcher<'a> {
    pub(super) texture: BoundTexture,
    pub(super) sampler: Sampler,
    pub(super) image: &'a PlacedImage,
    pub(super) global: &'a GlobalMemory,
    /// Called with the address of each texel that is read, if they are counted.
    pub(super) reads: Option<&'a dyn Fn(u64)>,
}

/// A weighted texel; `None` is the border.
type Tap = (Option<(u64, [u64; 3])>, f64);

fn misuse<T>(text: impl Into<String>) -> Result<T, TrapKind> {
    Err(TrapKind::Misuse(text.into()))
}

/// Checks that a geometry is compatible with an image; an error describes the image.
pub(super) fn check_geometry(geometry: Geometry, image: &Image) -> Result<(), TrapKind> {
    let (axes, wants_cube, wants_layers, wants_samples) = match geometry {
        Geometry::Axes { count, is_array, has_samples } => (count, false, is_array, has_samples),
        Geometry::Cube { is_array } => (2, true, is_array, false),
    };
    let is_cube = matches!(image.extent, Extent::Cube { .. });
    let fits = axes == image.extent.axes()
        && wants_cube == is_cube
        && wants_layers == image.layers.is_some()
        && wants_samples == (image.samples > 1);
    if fits {
        return Ok(());
    }
    let array = if image.layers.is_some() { "an array of " } else { "" };
    let what = match image.extent {
        Extent::D1 { .. } => "1D",
        Extent::D2 { .. } if image.samples > 1 => "multi-sample 2D",
        Extent::D2 { .. } => "2D",
        Extent::D3 { .. } => "3D",
        Extent::Cube { .. } => "cube",
    };
    misuse(format!("the geometry is not that of the image, which is {array}{what}"))
}

impl Fetcher<'_> {
    /// The texel, or the four of `tld4`, in register order.
    pub(super) fn fetch(&self, request: &Request) -> Result<Texel, TrapKind> {
        match request.at {
            Position::Whole(at) => self.whole(request, at),
            Position::Point(_) if self.is_line() => {
                misuse("linear memory with one axis is fetched from by whole coordinates (`.s32`) only")
            }
            Position::Point(at) => self.point(request, at),
        }
    }

    fn is_line(&self) -> bool {
        let image = &self.image.image;
        matches!((&image.storage, image.extent), (Storage::Linear { .. }, Extent::D1 { .. }))
    }

    /// The layer in memory, for cubes its first face. Indices are clamped.
    fn layer(&self, request: &Request) -> u64 {
        let image = &self.image.image;
        let last = u64::from(image.layer_count().saturating_sub(1));
        let faces = if matches!(image.extent, Extent::Cube { .. }) { 6 } else { 1 };
        request.layer.min(last) * faces
    }

    fn axis(&self, size: [u32; 3], axis: usize) -> Axis {
        let is_cube = matches!(self.image.image.extent, Extent::Cube { .. });
        let normalized = is_cube || (self.texture.normalized && !self.sampler.force_unnormalized);
        Axis::new(size[axis], self.sampler.address[axis], normalized)
    }

    /// A single texel by index, without filtering.
    fn whole(&self, request: &Request, at: [i64; 3]) -> Result<Texel, TrapKind> {
        let image = &self.image.image;
        let coarsest = i64::from(image.levels) - 1;
        let number = match request.asked {
            Asked::Whole(level) => level.clamp(0, coarsest) as u32,
            Asked::Finest | Asked::Detail(_) | Asked::Gradient(..) => 0,
        };
        if request.sample >= u64::from(image.samples) {
            return misuse(format!(
                "a texel has {} samples; there is none with number {}",
                image.samples, request.sample
            ));
        }
        let size = image.level_size(number);
        let mut texel = Some([0; 3]);
        for axis in 0..image.extent.axes() {
            let wanted = at[axis] + request.offsets[axis];
            let found = if self.is_line() {
                // Linear memory has no address mode: out-of-bounds coordinates have no texel.
                u32::try_from(wanted).ok().filter(|&wanted| wanted < size[axis])
            } else {
                Axis::new(size[axis], self.sampler.address[axis], false).resolve(wanted)
            };
            texel = texel.zip(found).map(|(mut texel, found)| {
                texel[axis] = u64::from(found);
                texel
            });
        }
        match texel {
            None if self.is_line() => {
                let nothing = Sampler { border: [0.0; 4], ..self.sampler };
                Ok(border(&self.texture, self.image, &nothing))
            }
            texel => self.tap(number, texel.map(|texel| (self.layer(request), texel)), request),
        }
    }

    /// Reads a texel, or compares it with the reference depth of the request.
    fn tap(&self, number: u32, place: Option<(u64, [u64; 3])>, request: &Request) -> Result<Texel, TrapKind> {
        let texel = match place {
            None => border(&self.texture, self.image, &self.sampler),
            Some((slice, [x, y, z])) => {
                let image = &self.image.image;
                let x = (x * u64::from(image.samples) + request.sample) * u64::from(image.texel_bytes());
                let address = self.image.address(number, slice, [x, y, z]);
                let address =
                    address.ok_or_else(|| TrapKind::Defect("a level that the image lacks".to_owned()))?;
                if let Some(reads) = self.reads {
                    reads(address);
                }
                read(&self.texture, self.image, self.global, address).map_err(TrapKind::Fault)?
            }
        };
        let Some(depth) = request.depth else { return Ok(texel) };
        let compared = texel.compared(depth, self.sampler.comparison, self.image.image.channels as usize);
        compared.map_or_else(|| misuse("depths are not compared with integers"), Ok)
    }

    /// The level of detail of the request.
    fn detail(&self, request: &Request, at: [f64; 3]) -> Result<f64, TrapKind> {
        let image = &self.image.image;
        let (dx, dy) = match request.asked {
            Asked::Finest => return Ok(level::FINEST),
            Asked::Whole(level) => return Ok(level as f64),
            Asked::Detail(detail) => return Ok(detail),
            Asked::Gradient(dx, dy) => (dx, dy),
        };
        if self.sampler.max_anisotropy > 1 {
            let most = self.sampler.max_anisotropy;
            return misuse(format!(
                "fetches by gradients are executed with a largest anisotropy of 1, and the sampler has {most}"
            ));
        }
        let size = image.extent.size();
        if let Extent::Cube { size } = image.extent {
            let on_face = |change| cube::project_gradient(at, change).map(|part| part * f64::from(size));
            return Ok(level::detail(&on_face(dx), &on_face(dy)));
        }
        let axes = image.extent.axes();
        let normalized = self.texture.normalized && !self.sampler.force_unnormalized;
        let in_texels = |change: [f64; 3]| {
            let mut change = change;
            let sizes = size.map(|size| if normalized { f64::from(size) } else { 1.0 });
            change.iter_mut().zip(sizes).for_each(|(part, size)| *part *= size);
            change
        };
        Ok(level::detail(&in_texels(dx)[..axes], &in_texels(dy)[..axes]))
    }

    fn point(&self, request: &Request, at: [f64; 3]) -> Result<Texel, TrapKind> {
        let detail = self.detail(request, at)?;
        let levels = level::select(detail, &self.sampler, self.image.image.levels);
        if let Some(channel) = request.gather {
            return self.gather(request, at, levels.first, channel);
        }
        if levels.weight == 0 {
            return self.level(request, at, levels.first);
        }
        let mut mix = Mix::default();
        for (number, weight) in [(levels.first, ONE - levels.weight), (levels.first + 1, levels.weight)] {
            // If a weight is rounded to 1, the other level has weight 0 and may not exist.
            if weight > 0 {
                mix.add(self.mixable(self.level(request, at, number)?)?, fraction(weight));
            }
        }
        Ok(mix.texel())
    }

    fn mixable(&self, texel: Texel) -> Result<[f64; 4], TrapKind> {
        let text = "integers are not mixed: the filter of the sampler must be `nearest`, or the texture must be read as fractions";
        texel.floats().map_or_else(|| misuse(text), Ok)
    }

    /// The texel at a point of a level.
    fn level(&self, request: &Request, at: [f64; 3], number: u32) -> Result<Texel, TrapKind> {
        if self.sampler.filter == Filter::Point {
            let place = self.nearest(request, at, number);
            return self.tap(number, place, request);
        }
        let (taps, count) = self.footprint(request, at, number);
        let mut mix = Mix::default();
        for &(place, weight) in taps.iter().take(count) {
            if weight != 0.0 {
                mix.add(self.mixable(self.tap(number, place, request)?)?, weight);
            }
        }
        Ok(mix.texel())
    }

    /// The face or layer, and the coordinates in it.
    fn unfold(&self, request: &Request, at: [f64; 3]) -> (u64, [f64; 3]) {
        let layer = self.layer(request);
        if matches!(self.image.image.extent, Extent::Cube { .. }) {
            let cube::OnFace { face, at: [s, t] } = cube::project(at);
            return (layer + u64::from(face), [s, t, 0.0]);
        }
        (layer, at)
    }

    fn nearest(&self, request: &Request, at: [f64; 3], number: u32) -> Option<(u64, [u64; 3])> {
        let size = self.image.image.level_size(number);
        let (slice, at) = self.unfold(request, at);
        let mut texel = [0; 3];
        for axis in 0..self.image.image.extent.axes() {
            texel[axis] = self.axis(size, axis).nearest(at[axis], request.offsets[axis])?.into();
        }
        Some((slice, texel))
    }

    /// The texels around a point with their weights, first axis fastest.
    fn footprint(&self, request: &Request, at: [f64; 3], number: u32) -> ([Tap; 8], usize) {
        let size = self.image.image.level_size(number);
        let axes = self.image.image.extent.axes();
        let (slice, at) = self.unfold(request, at);
        let mut pairs = [Pair { first: 0, weight: 0 }; 3];
        for axis in 0..axes {
            pairs[axis] = self.axis(size, axis).pair(at[axis], request.offsets[axis]);
        }
        let mut taps: [Tap; 8] = [(None, 0.0); 8];
        let count = 1 << axes;
        for (corner, tap) in taps.iter_mut().enumerate().take(count) {
            let mut weight = 1.0;
            let mut texel = [0; 3];
            for (axis, pair) in pairs.iter().enumerate().take(axes) {
                let is_second = corner >> axis & 1 == 1;
                weight *= fraction(if is_second { pair.weight } else { ONE - pair.weight });
                texel[axis] = pair.first + i64::from(is_second);
            }
            *tap = (self.place(slice, texel, size), weight);
        }
        if self.is_seamless() {
            self.mend_corners(&mut taps, pairs, size);
        }
        (taps, count)
    }

    fn is_seamless(&self) -> bool {
        self.sampler.seamless && matches!(self.image.image.extent, Extent::Cube { .. })
    }

    /// Resolves texel indices that may be out of bounds; `None` for the border.
    fn place(&self, slice: u64, texel: [i64; 3], size: [u32; 3]) -> Option<(u64, [u64; 3])> {
        let within = |axis: usize| (0..i64::from(size[axis])).contains(&texel[axis]);
        if self.is_seamless() && within(0) != within(1) {
            let (cube, face) = (slice / 6 * 6, (slice % 6) as u32);
            let (face, [x, y]) = cube::beyond_edge(face, size[0], [texel[0], texel[1]]);
            return Some((cube + u64::from(face), [x.into(), y.into(), 0]));
        }
        let mut found = [0; 3];
        for axis in 0..self.image.image.extent.axes() {
            found[axis] = self.axis(size, axis).resolve(texel[axis])?.into();
        }
        Some((slice, found))
    }

    /// At a corner of a cube only three texels meet: the weight of the missing fourth is distributed equally among them.
    fn mend_corners(&self, taps: &mut [Tap; 8], pairs: [Pair; 3], size: [u32; 3]) {
        let is_beyond = |corner: usize, axis: usize| {
            let at = pairs[axis].first + (corner >> axis & 1) as i64;
            !(0..i64::from(size[axis])).contains(&at)
        };
        let Some(missing) = (0..4).find(|&corner| is_beyond(corner, 0) && is_beyond(corner, 1)) else {
            return;
        };
        let share = taps[missing].1 / 3.0;
        for (corner, tap) in taps.iter_mut().enumerate().take(4) {
            tap.1 = if corner == missing { 0.0 } else { tap.1 + share };
        }
    }

    /// `tld4`: a channel of the four texels, counter-clockwise from the lower left one; y points down.
    fn gather(
        &self,
        request: &Request,
        at: [f64; 3],
        number: u32,
        channel: usize,
    ) -> Result<Texel, TrapKind> {
        const ORDER: [usize; 4] = [0b10, 0b11, 0b01, 0b00];
        let (taps, _) = self.footprint(request, at, number);
        let (mut words, mut floats, mut is_float) = ([0; 4], [0.0; 4], false);
        for (n, corner) in ORDER.into_iter().enumerate() {
            let texel = self.tap(number, taps[corner].0, request)?;
            words[n] = texel.words()[channel.min(3)];
            if let Texel::Floats(channels) = texel {
                (floats[n], is_float) = (channels[channel.min(3)], true);
            } else {
                floats[n] = f64::from(f32::from_bits(words[n]));
            }
        }
        Ok(if is_float { Texel::Floats(floats) } else { Texel::Integers(words) })
    }
}

//! Texture and surface instructions of a warp.

mod axis;
mod cube;
mod fetch;
mod level;
mod surface;
mod texel;

use super::at::At;
use std::cell::RefCell;

use super::Stop;
use super::sectors::Sectors;
use crate::error::TrapKind;
use crate::memory::GlobalMemory;
use crate::texture::{PlacedImage, Units};
use fetch::{Asked, Fetcher, Position, Request, check_geometry};
use ptx_program::texture::{
    AddressMode, BoundTexture, Extent, Filter, Image, ReadMode, Sampler, Surface, describe, opaque_name,
};
use ptx_program::{
    Coordinates, Dst, Fetch, Geometry, LevelOf, Mask, Opaque, Property, Row, Src, SurfaceAccess,
    SurfaceAction, Texels, TextureQuery, Texturing, lanes,
};
use surface::{SurfaceCoordinates, SurfaceView, channel};

/// Range of texel offsets (manual 9.7.10.3).
const OFFSETS: std::ops::RangeInclusive<i64> = -8..=7;

/// The registers of one lane.
#[derive(Clone, Copy)]
struct LaneOf<'r> {
    rows: &'r [Row],
    constants: &'r [Row],
    lane: usize,
}

impl LaneOf<'_> {
    fn bits(self, src: Src) -> u64 {
        src.of(self.rows, self.constants)[self.lane]
    }

    /// The low bytes of a register, which may be wider.
    fn low(self, src: Src, bytes: u32) -> u64 {
        self.bits(src) & u64::MAX >> (64 - 8 * bytes)
    }

    fn word(self, src: Src) -> u32 {
        self.bits(src) as u32
    }

    /// The value of an operand that not all such instructions have.
    fn word_of(self, src: Option<Src>) -> u32 {
        match src {
            Some(src) => self.word(src),
            // The first level, layer or sample.
            None => 0,
        }
    }

    fn integer(self, src: Src) -> i64 {
        (self.word(src) as i32).into()
    }

    fn float(self, src: Src) -> f64 {
        f32::from_bits(self.word(src)).into()
    }

    /// Up to three values; missing ones are 0.
    fn three<T: Copy + Default>(self, srcs: &[Src], value: impl Fn(Self, Src) -> T) -> [T; 3] {
        let mut values = [T::default(); 3];
        values.iter_mut().zip(srcs).for_each(|(place, &src)| *place = value(self, src));
        values
    }
}

fn not_a<T>(value: u64, opaque: Opaque) -> Result<T, TrapKind> {
    let name = opaque_name(opaque);
    Err(TrapKind::Misuse(format!("{value:#x} is not the handle of a {name} of the launch")))
}

/// The textures of a launch, as accessed by instructions.
#[derive(Clone, Copy)]
struct Textures<'a> {
    units: &'a Units,
    global: &'a GlobalMemory,
    /// The sectors touched by the threads of the warp, if they are counted.
    touched: Option<&'a RefCell<Sectors>>,
}

impl<'a> Textures<'a> {
    fn texture(self, handle: u64) -> Result<(BoundTexture, &'a PlacedImage), TrapKind> {
        let texture = self.units.texture(handle);
        let found = texture.and_then(|texture| Some((texture, &**self.units.set.images.get(texture.image)?)));
        found.map_or_else(|| not_a(handle, Opaque::Texture), Ok)
    }

    fn sampler(self, handle: u64) -> Result<Sampler, TrapKind> {
        self.units.sampler(handle).map_or_else(|| not_a(handle, Opaque::Sampler), Ok)
    }

    fn surface(self, handle: u64) -> Result<SurfaceView<'a>, TrapKind> {
        let of = |surface: Surface| {
            let image = &**self.units.set.images.get(surface.image)?;
            let (memory, number) = (image.own_memory()?, surface.image);
            Some(SurfaceView { image, number, memory, level: surface.level })
        };
        match self.units.surface(handle).and_then(of) {
            Some(view) => Ok(view),
            None => not_a(handle, Opaque::Surface),
        }
    }

    /// The result of a query of a lane.
    fn query(self, query: &TextureQuery, lane: LaneOf<'_>) -> Result<u32, TrapKind> {
        let handle = lane.bits(query.handle);
        let level = lane.word_of(query.level);
        match self.units.opaque(handle) {
            Some(Opaque::Sampler) => {
                let found = of_sampler(&self.sampler(handle)?, query.property);
                found.map_or_else(|| not_a(handle, Opaque::Texture), Ok)
            }
            Some(Opaque::Surface) => {
                let view = self.surface(handle)?;
                let found = describe(&view.image.image, query.property, view.level, ReadMode::Element);
                found.map_or_else(|| not_a(handle, Opaque::Texture), Ok)
            }
            Some(Opaque::Texture) | None => {
                let (texture, placed) = self.texture(handle)?;
                let levels = placed.image.levels;
                if level >= levels {
                    let text = format!("the image has {levels} levels; there is none with number {level}");
                    return Err(TrapKind::Misuse(text));
                }
                Ok(match query.property {
                    Property::NormalizedCoords => texture.normalized.into(),
                    property => describe(&placed.image, property, level, texture.read)
                        .or_else(|| of_sampler(&texture.sampler, property))
                        .ok_or_else(|| {
                            TrapKind::Defect("a property of neither image nor sampler".to_owned())
                        })?,
                })
            }
        }
    }

    /// Records an access to bytes of an image, which is given by its number in the launch.
    fn touch(self, image: &PlacedImage, number: usize, address: u64, bytes: u64) {
        if let Some(touched) = self.touched {
            // Images that own their memory have separate address spaces.
            let memory = if image.own_memory().is_some() { number as u64 + 1 } else { 0 };
            touched.borrow_mut().add_to(memory, address, bytes);
        }
    }

    /// Fetches for a lane; returns the contents of its destination registers.
    fn fetch(self, fetch: &Fetch, lane: LaneOf<'_>) -> Result<[u32; 4], TrapKind> {
        let (texture, image) = self.texture(lane.bits(fetch.texture))?;
        let sampler = match fetch.sampler {
            Some(src) => self.sampler(lane.bits(src))?,
            None => texture.sampler,
        };
        check_geometry(fetch.geometry, &image.image)?;
        let reads = |address| self.touch(image, texture.image, address, image.image.texel_bytes().into());
        let reads: Option<&dyn Fn(u64)> = if self.touched.is_some() { Some(&reads) } else { None };
        let fetcher = Fetcher { texture, sampler, image, global: self.global, reads };
        let texel = fetcher.fetch(&request(fetch, lane)?)?;
        let halves = || {
            let text = "results in half precision are of numbers, and the texture gives integers".to_owned();
            texel.halves().ok_or(TrapKind::Misuse(text))
        };
        Ok(match fetch.texels {
            Texels::Words => texel.words(),
            Texels::Halves => halves()?,
            Texels::HalfPairs => {
                let [r, g, b, a] = halves()?;
                [r | g << 16, b | a << 16, 0, 0]
            }
        })
    }

    /// Accesses a surface for a lane; returns the loaded value.
    fn access(self, access: &SurfaceAccess, lane: LaneOf<'_>) -> Result<[u64; 4], TrapKind> {
        let view = self.surface(lane.bits(access.surface))?;
        let image = &view.image.image;
        check_surface(access.geometry, image)?;
        let texel = u64::from(image.texel_bytes());
        let bytes = match &access.action {
            SurfaceAction::Load { size, dsts } => u64::from(*size) * dsts.len() as u64,
            SurfaceAction::Store { size, srcs } => u64::from(*size) * srcs.len() as u64,
            SurfaceAction::StoreTexel { .. } => texel,
            SurfaceAction::Reduce { size, .. } | SurfaceAction::ReduceTexel { size, .. } => (*size).into(),
        };
        let coordinates = SurfaceCoordinates {
            layer: lane.word_of(access.layer).into(),
            at: lane.three(&access.at, LaneOf::integer),
            unit: if access.action.counts_elements() { bytes } else { 1 },
            bytes,
            beyond: access.beyond,
        };
        let mut loaded = [0; 4];
        let Some(address) = view.locate(&coordinates)? else { return Ok(loaded) };
        self.touch(view.image, view.number, address, bytes);
        match &access.action {
            SurfaceAction::Load { size, dsts } => {
                for (n, loaded) in loaded.iter_mut().enumerate().take(dsts.len()) {
                    *loaded = view.read(address + n as u64 * u64::from(*size), *size)?;
                }
            }
            SurfaceAction::Store { size, srcs } => {
                for (n, &src) in srcs.iter().enumerate() {
                    view.write(address + n as u64 * u64::from(*size), *size, lane.bits(src))?;
                }
            }
            SurfaceAction::StoreTexel { srcs } => {
                // Channels that the program does not provide are undefined; here they become 0.
                let size = image.format.bytes();
                for n in 0..image.channels {
                    let value = match srcs.get(n as usize) {
                        Some(&src) => channel(lane.word(src), image.format),
                        None => 0,
                    };
                    view.write(address + u64::from(n * size), size, value)?;
                }
            }
            SurfaceAction::Reduce { size, combine, src } => {
                view.combine(address, *size, *combine, lane.low(*src, *size))?;
            }
            SurfaceAction::ReduceTexel { size, unsigned, signed, src } => {
                let combine = if view.is_signed()? { *signed } else { *unsigned };
                view.combine(address, *size, combine, lane.low(*src, *size))?;
            }
        }
        Ok(loaded)
    }
}

/// The result of a sampler query, in the enumerations of the manual; `None` for properties it does not have.
fn of_sampler(sampler: &Sampler, property: Property) -> Option<u32> {
    Some(match property {
        Property::FilterMode => match sampler.filter {
            Filter::Point => 0,
            Filter::Linear => 1,
        },
        Property::AddressMode(axis) => match sampler.address.get(axis)? {
            AddressMode::Wrap => 0,
            AddressMode::Mirror => 1,
            AddressMode::ClampOgl => 2,
            AddressMode::Clamp => 3,
            AddressMode::Border => 4,
        },
        Property::ForceUnnormalizedCoords => sampler.force_unnormalized.into(),
        _ => return None,
    })
}

/// Checks that a geometry is compatible with a surface: the faces of cubes are layers.
fn check_surface(geometry: Geometry, image: &Image) -> Result<(), TrapKind> {
    let is_cube = matches!(image.extent, Extent::Cube { .. });
    match geometry {
        Geometry::Axes { count: 2, is_array: true, .. } if is_cube => Ok(()),
        geometry => check_geometry(geometry, image),
    }
}

/// The fetch of a lane.
fn request(fetch: &Fetch, lane: LaneOf<'_>) -> Result<Request, TrapKind> {
    let offsets = lane.three(&fetch.offsets, LaneOf::integer);
    if let Some(stray) = offsets.iter().find(|offset| !OFFSETS.contains(offset)) {
        return Err(TrapKind::Misuse(format!("the offset {stray} in texels is not between -8 and 7")));
    }
    let is_whole = matches!(fetch.at, Coordinates::Whole(_));
    Ok(Request {
        at: match &fetch.at {
            Coordinates::Whole(srcs) => Position::Whole(lane.three(srcs, LaneOf::integer)),
            Coordinates::Point(srcs) => Position::Point(lane.three(srcs, LaneOf::float)),
        },
        layer: lane.word_of(fetch.layer).into(),
        sample: lane.word_of(fetch.sample).into(),
        offsets,
        asked: match &fetch.level {
            LevelOf::Base => Asked::Finest,
            LevelOf::Given(src) if is_whole => Asked::Whole(lane.integer(*src)),
            LevelOf::Given(src) => Asked::Detail(lane.float(*src)),
            LevelOf::Gradient { dx, dy } => {
                Asked::Gradient(lane.three(dx, LaneOf::float), lane.three(dy, LaneOf::float))
            }
        },
        depth: fetch.depth.map(|src| f32::from_bits(lane.word(src))),
        gather: fetch.gather,
    })
}

/// Writes the destination registers of a lane.
fn put(rows: &mut [Row], dsts: &[Dst], lane: usize, values: impl IntoIterator<Item = u64>) {
    for (&dst, value) in dsts.iter().zip(values) {
        rows[dst as usize][lane] = value;
    }
}

/// Executes a texture, sampler or surface instruction for these lanes; an error includes the lane that is stopped.
pub(crate) fn texture(
    (units, global): (&Units, &GlobalMemory),
    rows: &mut [Row],
    constants: &[Row],
    texturing: &Texturing,
    active: Mask,
) -> Result<(), (TrapKind, usize)> {
    texture_of(Textures { units, global, touched: None }, rows, constants, texturing, active)
}

fn texture_of(
    units: Textures<'_>,
    rows: &mut [Row],
    constants: &[Row],
    texturing: &Texturing,
    active: Mask,
) -> Result<(), (TrapKind, usize)> {
    for lane in lanes(active) {
        let stop = |kind| (kind, lane);
        let of = LaneOf { rows: &*rows, constants, lane };
        match texturing {
            Texturing::Fetch(fetch) => {
                let values = units.fetch(fetch, of).map_err(stop)?;
                put(rows, &fetch.dsts, lane, values.map(u64::from));
                put(rows, fetch.resident.as_slice(), lane, [1]);
            }
            Texturing::Query(query) => {
                let value = units.query(query, of).map_err(stop)?;
                put(rows, &[query.dst], lane, [value.into()]);
            }
            Texturing::IsType { handle, opaque, dst } => {
                let is = units.units.opaque(of.bits(*handle)) == Some(*opaque);
                put(rows, &[*dst], lane, [is.into()]);
            }
            Texturing::Surface(access) => {
                let values = units.access(access, of).map_err(stop)?;
                if let SurfaceAction::Load { dsts, .. } = &access.action {
                    put(rows, dsts, lane, values);
                }
            }
        }
    }
    Ok(())
}

/// Executes a texture, sampler or surface instruction.
pub(super) fn texturing(at: &mut At<'_>, texturing: &Texturing) -> Result<(), Stop> {
    let At { grid, operands, place, .. } = at;
    let touched = grid.counting().map(|_| RefCell::default());
    let units = Textures { units: grid.units, global: &grid.global, touched: touched.as_ref() };
    texture_of(units, operands.rows, operands.constants, texturing, place.active)
        .map_err(|(kind, lane)| place.stop(kind, lane))?;
    if let (Some(observer), Some(touched)) = (grid.counting(), &touched) {
        observer.touch(place.pc, &touched.borrow());
    }
    Ok(())
}

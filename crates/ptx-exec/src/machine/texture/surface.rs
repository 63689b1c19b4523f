//! `suld`, `sust` and `sured` of one thread (manual 9.7.11).

use ptx_program::memory::Space;
use ptx_program::scalar::format::{Format, Rounding};
use ptx_program::texture::{ChannelFormat, Extent, Meaning};
use ptx_program::{Beyond, Combine, Order};

use crate::error::TrapKind;
use crate::memory::{Fault, FaultKind, GlobalMemory};
use crate::texture::PlacedImage;

/// The position of a surface access.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceCoordinates {
    pub(super) layer: u64,
    /// Along x, y and z; x in units of `unit` bytes.
    pub(super) at: [i64; 3],
    pub(super) unit: u64,
    /// Bytes accessed.
    pub(super) bytes: u64,
    pub(super) beyond: Beyond,
}

/// A mip level of an image.
pub(super) struct SurfaceView<'a> {
    pub(super) image: &'a PlacedImage,
    /// Its number in the launch.
    pub(super) number: usize,
    /// Its memory.
    pub(super) memory: &'a GlobalMemory,
    pub(super) level: u32,
}

impl SurfaceView<'_> {
    /// The address of an access; `None` if it is out of bounds with `.zero`.
    ///
    /// # Errors
    /// An access out of bounds with `.trap`, or misaligned.
    pub(super) fn locate(&self, coordinates: &SurfaceCoordinates) -> Result<Option<u64>, TrapKind> {
        let image = &self.image.image;
        let [width, height, depth] = image.level_size(self.level).map(i64::from);
        let row = image.row_bytes(self.level) as i64;
        let [x, y, z] = coordinates.at;
        let x = x * coordinates.unit as i64;
        let layers = image.slices() as i64;
        let layer = coordinates.layer.min(i64::MAX as u64) as i64;
        // The last position in a row at which the whole access is in bounds.
        let last = row - coordinates.bytes as i64;
        let is_within = (0..=last).contains(&x)
            && (0..height).contains(&y)
            && (0..depth).contains(&z)
            && (0..layers).contains(&layer);
        let outside = || {
            let layered = if image.layers.is_some() || matches!(image.extent, Extent::Cube { .. }) {
                format!(" in layer {layer} of {layers}")
            } else {
                String::new()
            };
            let bytes = coordinates.bytes;
            TrapKind::Surface(format!(
                "access of {bytes} bytes at byte {x} of row {y}, plane {z}{layered} is beyond the edge of the surface of \
                 {width} x {height} x {depth} texels with {row} bytes in a row"
            ))
        };
        let (x, y, z, layer) = match coordinates.beyond {
            _ if is_within => (x, y, z, layer),
            Beyond::Trap => return Err(outside()),
            // An access longer than a row has no valid position.
            Beyond::Clamp if last < 0 => return Err(outside()),
            Beyond::Clamp => {
                let x = x.clamp(0, last);
                (x, y.clamp(0, height - 1), z.clamp(0, depth - 1), layer.min(layers - 1))
            }
            Beyond::Zero => return Ok(None),
        };
        if !(x as u64).is_multiple_of(coordinates.bytes.max(1)) {
            let bytes = coordinates.bytes;
            let text = format!(
                "access of {bytes} bytes at byte {x} of a row of a surface is not aligned to {bytes} bytes"
            );
            return Err(TrapKind::MisalignedSurface(text));
        }
        let coordinates = [x, y, z].map(|at| at as u64);
        let address = self.image.address(self.level, layer as u64, coordinates);
        let fault = Fault { kind: FaultKind::OutOfBounds, space: Space::Global, address: 0, size: 1 };
        address.map(Some).ok_or(TrapKind::Fault(fault))
    }

    pub(super) fn read(&self, address: u64, size: u32) -> Result<u64, TrapKind> {
        self.memory.read(address, size, Order::Relaxed).map_err(TrapKind::Fault)
    }

    pub(super) fn write(&self, address: u64, size: u32, value: u64) -> Result<(), TrapKind> {
        self.memory.write(address, size, value, Order::Relaxed).map_err(TrapKind::Fault)
    }

    pub(super) fn combine(
        &self,
        address: u64,
        size: u32,
        combine: Combine,
        value: u64,
    ) -> Result<(), TrapKind> {
        let combined = |old| combine.of(Space::Global, old, value, 0);
        self.memory.update(address, size, combined).map(|_| ()).map_err(TrapKind::Fault)
    }

    /// Whether the surface contains signed integers; an error if it does not contain integers.
    pub(super) fn is_signed(&self) -> Result<bool, TrapKind> {
        match self.image.image.format.meaning() {
            Meaning::Unsigned => Ok(false),
            Meaning::Signed => Ok(true),
            Meaning::Float | Meaning::UnsignedFraction | Meaning::SignedFraction => {
                let text = "`sured.p` combines integers, and the format of the surface has none".to_owned();
                Err(TrapKind::Misuse(text))
            }
        }
    }
}

/// Converts a register to a channel of a surface: a single-precision number for fractional formats, else an integer of
/// the format's signedness. Values too large for the format saturate.
pub(super) fn channel(register: u32, format: ChannelFormat) -> u64 {
    let bits = format.bytes() * 8;
    let fraction = |lowest: f64, largest: u64| {
        let x = f64::from(f32::from_bits(register));
        let x = if x.is_nan() { 0.0 } else { x.clamp(lowest, 1.0) };
        (x * largest as f64).round_ties_even() as i64 as u64
    };
    match format.meaning() {
        Meaning::Unsigned => u64::from(register).min(u64::MAX >> (64 - bits)),
        Meaning::Signed => {
            let largest = (1i64 << (bits - 1)) - 1;
            i64::from(register as i32).clamp(-largest - 1, largest) as u64
        }
        Meaning::Float if bits == 16 => {
            Format::F16.narrow(Format::F32.widen(register.into()), Rounding::NearestEven)
        }
        Meaning::Float => register.into(),
        Meaning::UnsignedFraction => fraction(0.0, (1 << bits) - 1),
        Meaning::SignedFraction => fraction(-1.0, (1 << (bits - 1)) - 1),
    }
}

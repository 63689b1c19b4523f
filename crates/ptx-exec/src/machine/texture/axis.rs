//! Mapping of coordinates to texels along one axis (CUDA C++ Programming Guide, "Texture Fetching").

use ptx_program::texture::AddressMode;

/// A filter weight: fixed point with 8 fractional bits, from 0 to [`ONE`].
pub(super) type Weight = u32;
/// The weight 1.
pub(super) const ONE: Weight = 256;
/// Larger than any axis, and sums with it do not overflow.
const FAR: f64 = (1u64 << 40) as f64;

/// One axis of a level, as sampled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) size: u32,
    mode: AddressMode,
    normalized: bool,
}

/// Two adjacent texels, not yet resolved if out of bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The first texel.
    pub(super) first: i64,
    /// The weight of the second texel; that of the first is the remainder to 1.
    pub(super) weight: Weight,
}

impl Axis {
    /// Unnormalized coordinates do not wrap: the driver clamps them.
    pub(super) const fn new(size: u32, mode: AddressMode, normalized: bool) -> Self {
        let mode = match mode {
            AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::Clamp,
            mode => mode,
        };
        Self { size, mode, normalized }
    }

    /// A coordinate in texels, mapped into the image as far as the address mode does so. The computation is exact: a
    /// coordinate has 24 bits, the number of texels fewer than 29.
    fn place(self, coordinate: f64, offset: i64) -> f64 {
        let size = f64::from(self.size);
        // NaNs are treated as 0.
        let at = if coordinate.is_nan() { 0.0 } else { coordinate };
        let at = if self.normalized { at * size } else { at }.clamp(-FAR, FAR) + offset as f64;
        match self.mode {
            AddressMode::Wrap => at - size * (at / size).floor(),
            AddressMode::Mirror => {
                let turn = (at / size).floor();
                let fraction = at - size * turn;
                if turn.rem_euclid(2.0) == 0.0 { fraction } else { size - fraction }
            }
            AddressMode::ClampOgl => at.clamp(0.0, size),
            AddressMode::Clamp | AddressMode::Border => at,
        }
    }

    /// The texel that contains a coordinate; `None` for the border.
    pub(super) fn nearest(self, coordinate: f64, offset: i64) -> Option<u32> {
        let at = self.place(coordinate, offset).floor() as i64;
        // A coordinate clamped to the far edge is in the last texel.
        let at = if self.mode == AddressMode::ClampOgl { at.min(i64::from(self.size) - 1) } else { at };
        self.resolve(at)
    }

    /// The texels between whose centres a coordinate lies.
    pub(super) fn pair(self, coordinate: f64, offset: i64) -> Pair {
        let at = self.place(coordinate, offset) - 0.5;
        let first = at.floor();
        let weight = ((at - first) * f64::from(ONE) + 0.5).floor() as Weight;
        Pair { first: first as i64, weight }
    }

    /// Resolves a texel index that may be out of bounds; `None` for the border.
    pub(super) fn resolve(self, at: i64) -> Option<u32> {
        let size = i64::from(self.size);
        let within = match self.mode {
            AddressMode::Wrap => at.rem_euclid(size),
            // Mirrored coordinates are inside the image; past its edge the edge texel is repeated.
            AddressMode::Clamp | AddressMode::Mirror => at.clamp(0, size - 1),
            AddressMode::Border | AddressMode::ClampOgl => at,
        };
        u32::try_from(within).ok().filter(|&within| within < self.size)
    }
}

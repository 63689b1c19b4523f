//! From coordinates to texels along one axis (CUDA C++ Programming Guide, "Texture Fetching").

use crate::texture::AddressMode;

/// A weight of a filter: fixed point with 8 bits of fraction, from 0 to [`ONE`].
pub(super) type Weight = u32;
/// The weight 1.
pub(super) const ONE: Weight = 256;
/// No axis is as long, and sums with it do not overflow.
const FAR: f64 = (1u64 << 40) as f64;

/// One axis of a level as a sampler sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) size: u32,
    mode: AddressMode,
    normalized: bool,
}

/// Two neighbouring texels; those beyond the edge are not resolved yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The first of them.
    pub(super) first: i64,
    /// The weight of the second; the first has what is left of 1.
    pub(super) weight: Weight,
}

impl Axis {
    /// Unnormalized coordinates cannot repeat: the driver clamps them.
    pub(super) const fn new(size: u32, mode: AddressMode, normalized: bool) -> Self {
        let mode = match mode {
            AddressMode::Wrap | AddressMode::Mirror if !normalized => AddressMode::Clamp,
            mode => mode,
        };
        Self { size, mode, normalized }
    }

    /// A coordinate in texels within the image, where the mode brings it there. All of it is exact: a coordinate has 24 bits, the
    /// number of texels fewer than 29.
    fn place(self, coordinate: f64, offset: i64) -> f64 {
        let size = f64::from(self.size);
        // NaNs are 0.
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

    /// The texel that a coordinate lies in; `None` beyond the border.
    pub(super) fn nearest(self, coordinate: f64, offset: i64) -> Option<u32> {
        let at = self.place(coordinate, offset).floor() as i64;
        // What is clamped to the far edge lies in the last texel.
        let at = if self.mode == AddressMode::ClampOgl { at.min(i64::from(self.size) - 1) } else { at };
        self.resolve(at)
    }

    /// The texels whose middles a coordinate lies between.
    pub(super) fn pair(self, coordinate: f64, offset: i64) -> Pair {
        let at = self.place(coordinate, offset) - 0.5;
        let first = at.floor();
        let weight = ((at - first) * f64::from(ONE) + 0.5).floor() as Weight;
        Pair { first: first as i64, weight }
    }

    /// The texel of a number that may be beyond the edge; `None` beyond the border.
    pub(super) fn resolve(self, at: i64) -> Option<u32> {
        let size = i64::from(self.size);
        let within = match self.mode {
            AddressMode::Wrap => at.rem_euclid(size),
            // Mirrored coordinates lie in the image, and beyond its edge is the texel at the edge again.
            AddressMode::Clamp | AddressMode::Mirror => at.clamp(0, size - 1),
            AddressMode::Border | AddressMode::ClampOgl => at,
        };
        u32::try_from(within).ok().filter(|&within| within < self.size)
    }
}

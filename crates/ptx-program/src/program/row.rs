//! Rows of registers, sets of lanes, and the operands that name rows.

/// Lanes per warp.
pub const WARP: usize = 32;

/// One register of every lane of a warp; bits above the register's width are zero.
pub type Row = [u64; WARP];

/// A set of lanes: bit `n` is lane `n`.
pub type Mask = u32;

/// All lanes.
pub const FULL: Mask = u32::MAX;

/// Alignment of the local memory of the frame of a call, which is also the maximum alignment of a variable in it. That of the kernel begins at 0.
pub const FRAME_ALIGNMENT: u32 = 128;

/// A source operand: a register row of the frame, or a constant row of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub struct Src(u32);

impl Src {
    const CONSTANT: u32 = 1 << 31;

    /// The operand that is a register row of the frame.
    #[inline]
    pub const fn register(row: u32) -> Self {
        Self(row)
    }

    /// The operand that is a constant row of the program.
    #[inline]
    pub const fn constant(index: u32) -> Self {
        Self(index | Self::CONSTANT)
    }

    /// The row `n` rows further on.
    #[inline]
    pub const fn plus(self, n: u32) -> Self {
        Self(self.0 + n)
    }

    /// The index of the register row, if it is a register.
    #[inline]
    pub const fn as_register(self) -> Option<u32> {
        if self.0 & Self::CONSTANT == 0 { Some(self.0) } else { None }
    }

    /// The index of the constant row, if it is a constant.
    #[inline]
    pub const fn as_constant(self) -> Option<u32> {
        if self.0 & Self::CONSTANT == 0 { None } else { Some(self.0 & !Self::CONSTANT) }
    }

    /// The row it refers to.
    #[inline]
    pub fn of<'a>(self, rows: &'a [Row], constants: &'a [Row]) -> &'a Row {
        if self.0 & Self::CONSTANT == 0 {
            &rows[self.0 as usize]
        } else {
            &constants[(self.0 & !Self::CONSTANT) as usize]
        }
    }
}

/// A destination operand: the index of a register row.
pub type Dst = u32;

/// The guard predicate of an instruction.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Guard {
    /// The register row of the predicate.
    pub row: u32,
    /// Whether lanes execute the instruction if it is false.
    pub negated: bool,
}

/// Iterates over the lanes of a set in ascending order.
#[inline]
pub fn lanes(mask: Mask) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < WARP as u32).then_some(lane as usize)
    })
}

/// The lowest lane of a nonempty set.
#[inline]
pub fn first_lane(mask: Mask) -> usize {
    (mask.trailing_zeros() as usize).min(WARP - 1)
}

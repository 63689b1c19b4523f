//! The elements accessed by a tensor copy, and their addresses in both memories (manual 5.5).
//!
//! The inputs are a tensor map, a mode and the coordinates and offsets of an instruction, the output runs of elements
//! in shared memory order, each with its address in global memory and its range inside the tensor ([`Walk::runs`]).

use std::ops::Range;

use ptx_program::TensorMode;
use ptx_program::tensormap::{BoundingBox, MOST_DIMENSIONS, Pixels, TensorMap, WideMode};

/// Alignment of the address of the first element of a box.
const BOX_ALIGNMENT_BITS: i64 = 128;
/// Granularity of the first coordinate if shared memory is padded.
const PADDED_STEP: i64 = 128;
/// Limits of the halo and the offset along W.
const MOST_HALO: u64 = 512;
const MOST_HALO_128: u64 = 32;
const MOST_OFFSET: u64 = 32;
/// Pixels between two halos, and number of halos, in rows of 128 pixels.
const HALO_GROUP: u64 = 32;
const HALO_GROUPS: u64 = 4;

/// Elements that are contiguous in global and, before swizzling, in shared memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// The address of its first element in global memory, if inside the tensor.
    pub(super) global: u64,
    /// The range of its elements, from 0, inside the tensor.
    pub(super) inside: Range<u64>,
}

/// The parameters of a tensor copy.
#[derive(Clone, Debug)]
pub(super) struct Walk<'a> {
    pub(super) map: &'a TensorMap,
    pub(super) mode: TensorMode,
    /// As given by the instruction: one for each dimension, or a column and four rows.
    pub(super) coordinates: &'a [i64],
    pub(super) offsets: &'a [u64],
    /// Whether the tensor is written.
    pub(super) stores: bool,
}

type Coordinates = [i64; MOST_DIMENSIONS];

impl Walk<'_> {
    /// Elements per run.
    pub(super) fn run_length(&self) -> u64 {
        let row = match &self.map.bounding_box {
            BoundingBox::Tile(sizes) => sizes[0].into(),
            BoundingBox::Pixels(pixels) => u64::from(pixels.channels),
        };
        self.slice().map_or(row, |slice| slice.min(row))
    }

    /// Channels per slice, if the tensor is interleaved.
    fn slice(&self) -> Option<u64> {
        self.map.interleave.slice().map(|bytes| bytes * 8 / self.map.element.bits())
    }

    /// Number of runs.
    pub(super) fn count(&self) -> u64 {
        match (&self.map.bounding_box, self.mode) {
            (_, TensorMode::FourRows) => 4,
            (BoundingBox::Tile(sizes), _) => (1..self.map.rank)
                .fold(self.slices(sizes), |count, dimension| {
                    count.saturating_mul(self.steps(sizes, dimension))
                }),
            (BoundingBox::Pixels(_), TensorMode::Im2colW128) => HALO_GROUPS * (HALO_GROUP + self.offset(0)),
            (BoundingBox::Pixels(pixels), TensorMode::Im2colW) => u64::from(pixels.pixels) + self.offset(0),
            (BoundingBox::Pixels(pixels), _) => pixels.pixels.into(),
        }
    }

    /// Elements of the box along a dimension.
    fn steps(&self, sizes: &[u32; MOST_DIMENSIONS], dimension: usize) -> u64 {
        sizes[dimension].div_ceil(self.map.element_strides[dimension].max(1)).into()
    }

    /// Slices of a box, one if the tensor is not interleaved.
    fn slices(&self, sizes: &[u32; MOST_DIMENSIONS]) -> u64 {
        match self.slice() {
            Some(slice) => u64::from(sizes[0]) / slice,
            None => 1,
        }
    }

    fn offset(&self, at: usize) -> u64 {
        match self.offsets.get(at) {
            Some(offset) => *offset,
            // Modes without offsets start at the coordinates.
            None => 0,
        }
    }

    fn coordinate(&self, at: usize) -> i64 {
        // Default: dimensions beyond the rank have one element.
        self.coordinates.get(at).copied().unwrap_or(0)
    }

    /// Checks that the instruction is compatible with the map.
    ///
    /// # Errors
    /// The mismatch.
    pub(super) fn check(&self, rank: usize) -> Result<(), String> {
        let map = self.map;
        if map.rank != rank {
            return Err(format!("a copy of {rank} dimensions with a tensor map of {}", map.rank));
        }
        let (fits, wanted) = match (self.mode, &map.bounding_box) {
            (TensorMode::Tile | TensorMode::FourRows, bounding_box) => {
                (matches!(bounding_box, BoundingBox::Tile(_)), "boxes")
            }
            (TensorMode::Im2col, bounding_box) => {
                (matches!(bounding_box, BoundingBox::Pixels(Pixels { wide: None, .. })), "pixels (`im2col`)")
            }
            (TensorMode::Im2colW, bounding_box) => (
                matches!(bounding_box, BoundingBox::Pixels(Pixels { wide: Some(WideMode::W), .. })),
                "rows of pixels (`im2col_wide`, W)",
            ),
            (TensorMode::Im2colW128, bounding_box) => (
                matches!(bounding_box, BoundingBox::Pixels(Pixels { wide: Some(WideMode::W128), .. })),
                "rows of pixels (`im2col_wide`, W128)",
            ),
        };
        if !fits {
            return Err(format!("the copy needs a tensor map of {wanted}"));
        }
        self.check_start()?;
        self.check_slices()?;
        self.check_offsets()
    }

    /// Checks the start coordinates of the copy, and the restrictions on stores and on four-row copies.
    fn check_start(&self) -> Result<(), String> {
        let column = self.coordinate(0);
        let element = self.map.element;
        if column * element.bits() as i64 % BOX_ALIGNMENT_BITS != 0 {
            return Err(format!("the box starts at column {column}, which is not a multiple of 16 bytes"));
        }
        if element.is_padded() && column % PADDED_STEP != 0 {
            return Err(format!(
                "the box starts at column {column}, which is not a multiple of {PADDED_STEP}"
            ));
        }
        if self.stores && self.coordinates.iter().any(|&coordinate| coordinate < 0) {
            let text = "coordinates of what is stored are not negative, and these are";
            return Err(format!("{text} {:?}", self.coordinates));
        }
        if let (true, BoundingBox::Pixels(Pixels { lower, upper, .. })) =
            (self.stores, &self.map.bounding_box)
            && (lower.iter().any(|&corner| corner < 0) || upper.iter().any(|&corner| corner > 0))
        {
            return Err("pixels that are stored lie inside of the tensor; the corners are outside".to_owned());
        }
        if let (TensorMode::FourRows, BoundingBox::Tile(sizes)) = (self.mode, &self.map.bounding_box)
            && (sizes[1] != 1 || self.slice().is_some())
        {
            return Err("four rows need a box with one row and no interleave".to_owned());
        }
        Ok(())
    }

    /// Checks that whole slices of interleaved tensors are copied.
    fn check_slices(&self) -> Result<(), String> {
        let Some(slice) = self.slice() else { return Ok(()) };
        if self.coordinate(0) % slice as i64 != 0 {
            return Err(format!("the box starts within a slice of {slice} channels"));
        }
        let channels = match &self.map.bounding_box {
            BoundingBox::Tile(sizes) => u64::from(sizes[0]),
            BoundingBox::Pixels(pixels) => pixels.channels.into(),
        };
        if !channels.is_multiple_of(slice) {
            return Err(format!("a box of {channels} channels is not made of slices of {slice}"));
        }
        if matches!(self.map.bounding_box, BoundingBox::Pixels(_)) && channels != slice {
            return Err(format!(
                "where the slices of {channels} channels of pixels go is not documented; one slice has {slice}"
            ));
        }
        if self.map.element_strides[0] != 1 {
            return Err("what an element stride does to slices is not documented; expected 1".to_owned());
        }
        Ok(())
    }

    fn check_offsets(&self) -> Result<(), String> {
        let limits: &[u64] = match (self.mode, self.map.rank) {
            (TensorMode::Tile | TensorMode::FourRows, _) => &[],
            (TensorMode::Im2colW, _) => &[MOST_HALO, MOST_OFFSET],
            (TensorMode::Im2colW128, _) => &[MOST_HALO_128, MOST_OFFSET],
            (TensorMode::Im2col, 3) => &[1 << 16],
            (TensorMode::Im2col, 4) => &[1 << 8; 2],
            (TensorMode::Im2col, _) => &[1 << 5; 3],
        };
        let beyond = self.offsets.iter().zip(limits).find(|(offset, limit)| offset >= limit);
        if let Some((offset, limit)) = beyond {
            return Err(format!("the halo or offset {offset} is not below {limit}"));
        }
        Ok(())
    }

    /// The runs, in shared memory order.
    ///
    /// # Errors
    /// If pixels are outside their bounding box.
    pub(super) fn runs(&self) -> Result<Vec<Run>, String> {
        match (&self.map.bounding_box, self.mode) {
            (BoundingBox::Tile(sizes), TensorMode::FourRows) => {
                let row = |at: usize| {
                    self.run([self.coordinate(0), self.coordinate(1 + at), 0, 0, 0], sizes[0].into())
                };
                Ok((0..4).map(row).collect())
            }
            (BoundingBox::Tile(sizes), _) => Ok(self.boxed(sizes)),
            (BoundingBox::Pixels(pixels), TensorMode::Im2col) => self.filtered(pixels),
            (BoundingBox::Pixels(pixels), mode) => self.widened(pixels, mode),
        }
    }

    /// The runs of a box, first dimension fastest. The layout of the tensor is kept, so slices are the next-to-last dimension.
    fn boxed(&self, sizes: &[u32; MOST_DIMENSIONS]) -> Vec<Run> {
        let rank = self.map.rank;
        let length = self.run_length();
        // Dimensions in shared memory order; 0 stands for the slices.
        let mut order: Vec<usize> = (1..rank).collect();
        if self.slice().is_some() {
            order.insert(rank.saturating_sub(2), 0);
        }
        let mut counts: [u64; MOST_DIMENSIONS] = std::array::from_fn(|at| self.steps(sizes, at));
        counts[0] = self.slices(sizes);
        let total: u64 = order.iter().map(|&dimension| counts[dimension]).product();
        let step = |dimension: usize| match dimension {
            0 => length as i64,
            _ => self.map.element_strides[dimension].into(),
        };
        // The digits of a run's number in mixed radix, the fastest dimension first.
        let coordinates = |number: u64| {
            let mut rest = number;
            let mut at: Coordinates = std::array::from_fn(|dimension| self.coordinate(dimension));
            for &dimension in &order {
                at[dimension] += (rest % counts[dimension]) as i64 * step(dimension);
                rest /= counts[dimension];
            }
            at
        };
        (0..total).map(|number| self.run(coordinates(number), length)).collect()
    }

    /// Consecutive pixels at one filter position: along W, then H, D and N (manual 5.5.4).
    fn filtered(&self, pixels: &Pixels) -> Result<Vec<Run>, String> {
        let spatial = self.map.rank - 2;
        let mut at: Coordinates = std::array::from_fn(|dimension| self.coordinate(dimension));
        let (mut lower, mut upper) = (at, at);
        for n in 0..spatial {
            let dimension = n + 1;
            let (low, high) = self.corners(pixels, dimension);
            if !(low..=high).contains(&at[dimension]) {
                let coordinate = at[dimension];
                return Err(format!(
                    "the filter is at {coordinate} along dimension {dimension}, outside of {low} to {high}"
                ));
            }
            let offset = self.offset(n) as i64;
            at[dimension] += offset;
            (lower[dimension], upper[dimension]) = (low + offset, high + offset);
        }
        let length = self.run_length();
        let mut runs = Vec::with_capacity(pixels.pixels as usize);
        for _ in 0..pixels.pixels {
            runs.push(self.run(at, length));
            let mut dimension = 1;
            while dimension <= spatial {
                at[dimension] += i64::from(self.map.element_strides[dimension]);
                if at[dimension] <= upper[dimension] {
                    break;
                }
                at[dimension] = lower[dimension];
                dimension += 1;
            }
            if dimension > spatial {
                at[self.map.rank - 1] += 1;
            }
        }
        Ok(runs)
    }

    /// The bounds of the filter positions along a dimension, without offsets.
    fn corners(&self, pixels: &Pixels, dimension: usize) -> (i64, i64) {
        let last = self.map.dims[dimension] as i64 - 1;
        (pixels.lower[dimension - 1].into(), last + i64::from(pixels.upper[dimension - 1]))
    }

    /// Consecutive pixels of one image along W, and a halo: the pixels that follow, or in 128 mode those that follow
    /// each 32 pixels, the first of each, then the second (manual 5.5.5).
    fn widened(&self, pixels: &Pixels, mode: TensorMode) -> Result<Vec<Run>, String> {
        let (low, high) = self.corners(pixels, 1);
        if self.coordinate(1) > high {
            let text = "the first pixel is at";
            return Err(format!("{text} {} along dimension 1, beyond {high}", self.coordinate(1)));
        }
        let (halo, offset) = (self.offset(0), self.offset(1) as i64);
        let order: Vec<u64> = match mode {
            TensorMode::Im2colW128 => {
                let halos =
                    (0..halo).flat_map(|n| (1..=HALO_GROUPS).map(move |group| group * HALO_GROUP + n));
                (0..HALO_GROUPS * HALO_GROUP).chain(halos).collect()
            }
            _ => (0..u64::from(pixels.pixels) + halo).collect(),
        };
        let last = order.iter().copied().fold(0, u64::max);
        let mut at: Coordinates = std::array::from_fn(|dimension| self.coordinate(dimension));
        at[1] += offset;
        let length = self.run_length();
        let mut walked = Vec::with_capacity(last as usize + 1);
        for _ in 0..=last {
            walked.push(self.run(at, length));
            at[1] += i64::from(self.map.element_strides[1]);
            if at[1] > high + offset {
                at[1] = low + offset;
                at[self.map.rank - 1] += 1;
            }
        }
        Ok(order.iter().filter_map(|&number| walked.get(number as usize).cloned()).collect())
    }

    /// The run of elements along the first dimension from a position.
    fn run(&self, at: Coordinates, length: u64) -> Run {
        let map = self.map;
        let outer = || at.iter().zip(&map.dims).take(map.rank).skip(1);
        let is_inside = outer().all(|(&coordinate, &size)| (0..size as i64).contains(&coordinate));
        let within = |coordinate: i64| coordinate.clamp(0, map.dims[0] as i64);
        let (start, end) = (within(at[0]), within(at[0] + length as i64));
        let is_empty = !is_inside || start == end;
        let inside = if is_empty { 0..0 } else { (start - at[0]) as u64..(end - at[0]) as u64 };
        let bits = map.element.bits() as i64;
        let first = match self.slice() {
            Some(slice) => at[0].div_euclid(slice as i64).wrapping_mul(self.slice_stride()),
            None => at[0] * bits / 8,
        };
        let steps = at.iter().skip(1).zip(&map.strides).take(map.rank - 1);
        let offset = steps.fold(first, |sum, (&coordinate, &stride)| {
            sum.wrapping_add(coordinate.wrapping_mul(stride as i64))
        });
        Run { global: map.address.wrapping_add(offset as u64), inside }
    }

    /// Stride between slices of channels in bytes: the size of all pixels of an image.
    fn slice_stride(&self) -> i64 {
        let rank = self.map.rank;
        let (stride, size) = (self.map.strides[rank - 3], self.map.dims[rank - 2]);
        (stride as i64).wrapping_mul(size as i64)
    }
}

//! Accesses to shared memory whose lanes lie close together as it is known before (`analysis/patterns.rs`): one or two vectors that hold the
//! places of all lanes, and a shuffle.
//!
//! ```text
//! %low = masked.load(%first, ..), %high = masked.load(%first + 64, ..)
//! %x = shufflevector %low, %high, <0, 1, 2, 3, 8, 9, 10, 11, 16, ..>   ; 2 * tid - (tid & 3)
//! ```

use ptx_exec::Space;
use ptx_exec::program::Src;
use ptx_llvm::LlvmError;
use ptx_llvm::build::Value;

use super::Code;
use super::memory::Accessed;

/// Where the lanes of a chunk are.
pub(super) struct Window {
    /// Elements from the first lane to the window.
    least: i64,
    /// The element of each lane.
    places: Vec<u32>,
    /// For each vector and element the lane that is there.
    lanes: Vec<Vec<Option<u32>>>,
}

impl<'c> Code<'_, '_, 'c> {
    /// The window of an access of single elements, if there is one: each lane has an element of its own.
    pub(super) fn window_of(&self, accessed: Accessed<'_>) -> Option<Window> {
        const MOST_VECTORS: i64 = 2;
        let is_plain = accessed.address.space == Space::Shared && accessed.count == 1 && !self.checks();
        let pattern = self.analysis.patterns.of(&self.analysis.shapes, accessed.base).filter(|_| is_plain)?;
        let size = i64::from(accessed.size);
        let distances: Vec<i64> = pattern.iter().map(|&distance| i64::from(distance as i32)).collect();
        let least = *distances.iter().min()?;
        let span = distances.iter().max()?.checked_sub(least)? / size + 1;
        let count = i64::from(self.lanes);
        if distances.iter().any(|distance| distance % size != 0) || span > MOST_VECTORS * count {
            return None;
        }
        let places: Vec<u32> = distances.iter().map(|distance| ((distance - least) / size) as u32).collect();
        let vectors = (span + count - 1) / count;
        let mut lanes = vec![vec![None; count as usize]; vectors as usize];
        for (lane, &place) in places.iter().enumerate() {
            let element =
                lanes.get_mut((place / self.lanes) as usize)?.get_mut((place % self.lanes) as usize)?;
            if element.replace(lane as u32).is_some() {
                return None;
            }
        }
        Some(Window { least: least / size, places, lanes })
    }

    /// What the lanes of a chunk find.
    pub(super) fn load_window(
        &self,
        accessed: Accessed<'_>,
        window: &Window,
        chunk: usize,
    ) -> Result<Value<'c>, LlvmError> {
        let ty = self.types.vector(self.types.int(accessed.bits()), self.lanes);
        let active = self.active(accessed.guard, chunk)?;
        let mut vectors = Vec::new();
        for (number, lanes) in window.lanes.iter().enumerate() {
            let place = self.window_place(accessed, window, chunk, number)?;
            let mask = self.window_mask(active, lanes)?;
            vectors.push(self.builder().masked_load(ty, place, accessed.size, mask, ty.zero())?);
        }
        let places: Vec<_> = window.places.iter().map(|&place| Some(place)).collect();
        let (Some(&low), Some(&high)) = (vectors.first(), vectors.last()) else {
            return Err(super::registers::defect("a window without vectors"));
        };
        self.builder().shuffle(low, high, &places)
    }

    /// Stores what the lanes of a chunk have.
    pub(super) fn store_window(
        &self,
        accessed: Accessed<'_>,
        window: &Window,
        chunk: usize,
        src: Src,
    ) -> Result<(), LlvmError> {
        let active = self.active(accessed.guard, chunk)?;
        let value = self.emit.resize(self.vector(src, chunk)?, accessed.bits())?;
        for (number, lanes) in window.lanes.iter().enumerate() {
            let place = self.window_place(accessed, window, chunk, number)?;
            let mask = self.window_mask(active, lanes)?;
            let values = self.builder().shuffle(value, value, lanes)?;
            self.builder().masked_store(values, place, accessed.size, mask)?;
        }
        Ok(())
    }

    fn window_place(
        &self,
        accessed: Accessed<'_>,
        window: &Window,
        chunk: usize,
        number: usize,
    ) -> Result<Value<'c>, LlvmError> {
        let first = self.first(accessed.base, chunk)?;
        let elements = window.least + number as i64 * i64::from(self.lanes);
        let offset = accessed.offset(0).wrapping_add(elements * i64::from(accessed.size));
        self.place(accessed.address.space, first, offset)
    }

    /// The elements of a vector whose lanes run.
    fn window_mask(&self, active: Value<'c>, lanes: &[Option<u32>]) -> Result<Value<'c>, LlvmError> {
        let none = self.lanes;
        let lanes: Vec<_> = lanes.iter().map(|lane| Some(lane.unwrap_or(none))).collect();
        self.builder().shuffle(active, active.ty().zero(), &lanes)
    }
}

//! Copies and fills of rows that are not contiguous, as `cuMemcpy2D`, `cuMemcpy3D` and `cuMemsetD2D8` have them.

use super::device::{Memory, MemoryError};

/// Where the rows of a box are: the first byte of the first row, and the distances from one row, and from one plane, to the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pitched {
    /// Address of the first byte.
    pub address: u64,
    /// Bytes from a row to the next.
    pub pitch: u64,
    /// Bytes from a plane to the next.
    pub slice: u64,
}

/// The size of a box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BoxSize {
    /// Bytes of a row.
    pub width: u64,
    /// Rows of a plane.
    pub height: u64,
    /// Planes.
    pub depth: u64,
}

impl BoxSize {
    /// One row.
    pub const fn row(width: u64) -> Self {
        Self { width, height: 1, depth: 1 }
    }

    /// Whether nothing is in it.
    pub const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Bytes from the first byte of a box to its end, if rows and planes do not overlap and that is a number of 64 bits.
    fn span(self, pitch: u64, slice: u64) -> Option<u64> {
        let rows = pitch.checked_mul(self.height - 1)?.checked_add(self.width)?;
        let is_apart = (self.height == 1 || pitch >= self.width) && (self.depth == 1 || slice >= rows);
        is_apart.then(|| slice.checked_mul(self.depth - 1)?.checked_add(rows)).flatten()
    }

    /// The offsets of the rows at places with these pitches and slices.
    fn rows<const N: usize>(self, places: [(u64, u64); N]) -> impl Iterator<Item = [u64; N]> {
        let planes = 0..self.depth;
        planes.flat_map(move |z| {
            (0..self.height).map(move |y| places.map(|(pitch, slice)| z * slice + y * pitch))
        })
    }
}

impl Pitched {
    /// Contiguous bytes.
    pub const fn row(address: u64) -> Self {
        Self { address, pitch: 0, slice: 0 }
    }

    fn span(self, size: BoxSize) -> Result<u64, MemoryError> {
        let span = size.span(self.pitch, self.slice).filter(|&span| self.address.checked_add(span).is_some());
        let object = || "rows overlap, or have no addresses".to_owned();
        span.ok_or_else(|| MemoryError::OutOfBounds {
            address: self.address,
            bytes: size.width,
            object: object(),
        })
    }
}

impl Memory {
    /// Copies the rows of a box within the memory. The boxes must not overlap.
    ///
    /// # Errors
    /// If one of the boxes is not in one region, its rows overlap, or the destination is read-only. Then nothing is copied.
    pub fn copy_box(&self, to: Pitched, from: Pitched, size: BoxSize) -> Result<(), MemoryError> {
        if size.is_empty() {
            return Ok(());
        }
        self.require(from.address, from.span(size)?)?;
        self.require_writable(to.address, to.span(size)?)?;
        let rows = size.rows([(to.pitch, to.slice), (from.pitch, from.slice)]);
        rows.into_iter().try_for_each(|[target, source]| {
            self.copy(to.address + target, from.address + source, size.width)
        })
    }

    /// Writes bytes as the rows of a box; `pitch` and `slice` are the distances of its rows and planes in the bytes.
    ///
    /// # Errors
    /// See [`Memory::copy_box`]; [`MemoryError::OutOfBounds`] also if there are too few bytes.
    pub fn write_box(
        &self,
        to: Pitched,
        (bytes, pitch, slice): (&[u8], u64, u64),
        size: BoxSize,
    ) -> Result<(), MemoryError> {
        if size.is_empty() {
            return Ok(());
        }
        let span = size.span(pitch, slice).filter(|&span| span <= bytes.len() as u64);
        let too_few = || MemoryError::OutOfBounds {
            address: to.address,
            bytes: size.width,
            object: format!("{} bytes of the host are too few for them", bytes.len()),
        };
        span.ok_or_else(too_few)?;
        self.require_writable(to.address, to.span(size)?)?;
        size.rows([(to.pitch, to.slice), (pitch, slice)]).try_for_each(|[target, source]| {
            let row = bytes.get(source as usize..(source + size.width) as usize);
            self.write(to.address + target, row.ok_or_else(too_few)?)
        })
    }

    /// Reads the rows of a box to bytes; `pitch` and `slice` are the distances of its rows and planes in the bytes.
    ///
    /// # Errors
    /// See [`Memory::write_box`].
    pub fn read_box(
        &self,
        from: Pitched,
        (bytes, pitch, slice): (&mut [u8], u64, u64),
        size: BoxSize,
    ) -> Result<(), MemoryError> {
        if size.is_empty() {
            return Ok(());
        }
        let length = bytes.len();
        let too_few = || MemoryError::OutOfBounds {
            address: from.address,
            bytes: size.width,
            object: format!("{length} bytes of the host are too few for them"),
        };
        size.span(pitch, slice).filter(|&span| span <= length as u64).ok_or_else(too_few)?;
        self.require(from.address, from.span(size)?)?;
        size.rows([(from.pitch, from.slice), (pitch, slice)]).try_for_each(|[source, target]| {
            let row = bytes.get_mut(target as usize..(target + size.width) as usize);
            self.read(from.address + source, row.ok_or_else(too_few)?)
        })
    }

    /// Fills the rows of a box with copies of a pattern, the last of which in a row may be a part of it.
    ///
    /// # Errors
    /// See [`Memory::copy_box`].
    pub fn fill_box(&self, to: Pitched, pattern: &[u8], size: BoxSize) -> Result<(), MemoryError> {
        if size.is_empty() || pattern.is_empty() {
            return Ok(());
        }
        self.require_writable(to.address, to.span(size)?)?;
        let whole = size.width / pattern.len() as u64;
        let rest = &pattern[..(size.width % pattern.len() as u64) as usize];
        size.rows([(to.pitch, to.slice)]).try_for_each(|[offset]| {
            let start = to.address + offset;
            self.fill(start, pattern, whole)?;
            self.write(start + whole * pattern.len() as u64, rest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_rows_of_planes() {
        let memory = Memory::new();
        let (a, b) = (memory.allocate(1000).unwrap(), memory.allocate(1000).unwrap());
        let bytes: Vec<u8> = (0..240).map(|n| n as u8).collect();
        let size = BoxSize { width: 5, height: 3, depth: 2 };
        // 10 bytes in a row and 4 rows in a plane on the host, 16 and 5 at `a`, 7 and 3 at `b`.
        let (at, other) = (
            Pitched { address: a + 3, pitch: 16, slice: 80 },
            Pitched { address: b + 1, pitch: 7, slice: 21 },
        );
        memory.write_box(at, (&bytes, 10, 40), size).unwrap();
        memory.copy_box(other, at, size).unwrap();
        let mut back = vec![0xff; 100];
        memory.read_box(other, (&mut back, 8, 50), size).unwrap();
        for (z, y, x) in (0..2).flat_map(|z| (0..3).flat_map(move |y| (0..5).map(move |x| (z, y, x)))) {
            let wanted = (40 * z + 10 * y + x) as u8;
            assert_eq!(back[50 * z + 8 * y + x], wanted);
            let mut byte = [0];
            memory.read(a + 3 + (80 * z + 16 * y + x) as u64, &mut byte).unwrap();
            assert_eq!(byte, [wanted]);
        }
        assert_eq!((back[5], back[21], back[99]), (0xff, 0xff, 0xff));
        memory.fill_box(other, &[1, 2], size).unwrap();
        memory.read_box(other, (&mut back, 8, 50), size).unwrap();
        assert_eq!((&back[8..13], &back[58..63]), (&[1, 2, 1, 2, 1][..], &[1, 2, 1, 2, 1][..]));
        let mut between = [9; 2];
        memory.read(b + 6, &mut between).unwrap();
        assert_eq!(between, [0, 0]);
    }

    #[test]
    fn boxes_that_do_not_fit_are_errors_and_nothing_happens() {
        let memory = Memory::new();
        let a = memory.allocate(100).unwrap();
        let at = |offset, pitch, slice| Pitched { address: a + offset, pitch, slice };
        let size = BoxSize { width: 10, height: 5, depth: 2 };
        let last = memory.fill_box(at(0, 10, 50), &[1], size);
        assert_eq!((last, memory.region(a + 99).is_some()), (Ok(()), true));
        for place in [
            at(1, 10, 50),
            at(0, 11, 50),
            at(0, 10, 51),
            at(0, 9, 50),
            at(0, 10, 49),
            at(0, u64::MAX / 2, 50),
            at(0, 10, u64::MAX),
        ] {
            assert!(memory.fill_box(place, &[2], size).is_err(), "{place:?}");
            assert!(memory.write_box(place, (&[2; 100], 10, 50), size).is_err(), "{place:?}");
        }
        assert!(memory.write_box(at(0, 10, 50), (&[2; 99], 10, 50), size).is_err());
        let mut bytes = [0; 100];
        memory.read(a, &mut bytes).unwrap();
        assert_eq!(bytes, [1; 100]);
        let none = BoxSize { height: 0, ..size };
        memory.copy_box(at(0, 0, 0), at(1 << 40, 0, 0), none).unwrap();
    }
}

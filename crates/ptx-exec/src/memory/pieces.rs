//! The accessible bytes of a heap: those of pieces returned by `malloc` and not freed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ptx_diag::counted;

use super::FaultKind;

/// An allocation of `malloc`.
#[derive(Clone, Copy, Debug)]
struct Piece {
    bytes: u64,
    is_live: bool,
}

/// The pieces of a heap, by offset.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// One bit for each byte: whether it is in a live piece. Accesses test it without a lock.
    live: Box<[AtomicU64]>,
    /// Live pieces, and freed ones whose bytes have not been reused.
    known: Mutex<BTreeMap<u64, Piece>>,
}

/// The bitmap words of the bytes from `start` on, each with the mask of their bits.
fn words(start: u64, bytes: u64) -> impl Iterator<Item = (usize, u64)> {
    let end = start.saturating_add(bytes);
    (start / 64..end.div_ceil(64)).map(move |word| {
        let from = start.saturating_sub(word * 64).min(63);
        let to = (end - word * 64).min(64);
        (word as usize, (u64::MAX << from) & (u64::MAX >> (64 - to)))
    })
}

impl Pieces {
    /// The pieces of a heap of `bytes` bytes, initially none.
    pub(crate) fn of_heap(bytes: u64) -> Self {
        let live = (0..bytes.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { live, ..Self::default() }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<u64, Piece>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, start: u64, bytes: u64, is_live: bool) {
        for (word, bits) in words(start, bytes) {
            match self.live.get(word) {
                Some(word) if is_live => word.fetch_or(bits, Ordering::Relaxed),
                Some(word) => word.fetch_and(!bits, Ordering::Relaxed),
                None => 0,
            };
        }
    }

    /// Records an allocation by `malloc`.
    pub(crate) fn give(&self, start: u64, bytes: u64) {
        // Freed pieces are remembered to describe accesses to them. Those that overlap the new piece are forgotten:
        // pieces do not overlap each other, so only the last one that starts before it can reach into it.
        let mut known = self.known();
        let end = start.saturating_add(bytes.max(1));
        let before = known.range(..start).next_back();
        let first = before.filter(|(at, piece)| *at + piece.bytes > start).map_or(start, |(at, _)| *at);
        let gone: Vec<u64> = known.range(first..end).map(|(at, _)| *at).collect();
        for at in gone {
            known.remove(&at);
        }
        known.insert(start, Piece { bytes, is_live: true });
        self.set(start, bytes, true);
    }

    /// Records that `free` released the piece at this offset.
    pub(crate) fn take(&self, start: u64) {
        if let Some(piece) = self.known().get_mut(&start) {
            piece.is_live = false;
            self.set(start, piece.bytes, false);
        }
    }

    /// Checks whether an access is allowed.
    ///
    /// # Errors
    /// If its bytes are freed, or in no piece.
    pub(crate) fn check(&self, start: u64, bytes: u64) -> Result<(), FaultKind> {
        let is_live = |(word, bits): (usize, u64)| {
            self.live.get(word).is_some_and(|word| word.load(Ordering::Relaxed) & bits == bits)
        };
        if words(start, bytes).all(is_live) {
            return Ok(());
        }
        match self.at(start) {
            Some((_, piece)) if !piece.is_live => Err(FaultKind::Freed),
            _ => Err(FaultKind::OutOfBounds),
        }
    }

    /// The piece that contains a byte, and its offset.
    fn at(&self, start: u64) -> Option<(u64, Piece)> {
        let known = self.known();
        let (&at, &piece) = known.range(..=start).next_back()?;
        (start - at < piece.bytes.max(1)).then_some((at, piece))
    }

    /// Describes the piece that contains or precedes a byte.
    pub(crate) fn describe(&self, start: u64) -> Option<String> {
        let known = self.known();
        let (&at, piece) = known.range(..=start).next_back()?;
        let freed = if piece.is_live { "" } else { " and `free` took back" };
        Some(format!("offset {} of {} that `malloc` gave{freed}", start - at, counted(piece.bytes, "byte")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bytes_of_live_pieces_may_be_accessed() {
        let pieces = Pieces::of_heap(256);
        pieces.give(16, 100);
        pieces.give(128, 64);
        for (start, bytes) in [(16, 8), (112, 4), (115, 1), (128, 8), (184, 8)] {
            assert_eq!(pieces.check(start, bytes), Ok(()), "{start}");
        }
        for (start, bytes) in [(8, 8), (15, 1), (112, 8), (116, 1), (192, 1), (255, 8)] {
            assert_eq!(pieces.check(start, bytes), Err(FaultKind::OutOfBounds), "{start}");
        }
        pieces.take(16);
        assert_eq!(pieces.check(115, 1), Err(FaultKind::Freed));
        assert_eq!(pieces.check(116, 1), Err(FaultKind::OutOfBounds));
        assert_eq!(pieces.check(128, 8), Ok(()));
        assert_eq!(
            pieces.describe(20).unwrap(),
            "offset 4 of 100 bytes that `malloc` gave and `free` took back"
        );
        // What is allocated again is not freed any longer, and the rest of it belongs to no piece.
        pieces.give(32, 16);
        assert_eq!(pieces.check(40, 8), Ok(()));
        assert_eq!(pieces.check(100, 1), Err(FaultKind::OutOfBounds));
        assert_eq!(pieces.describe(49).unwrap(), "offset 17 of 16 bytes that `malloc` gave");
    }

    #[test]
    fn bits_of_words_are_those_of_the_bytes() {
        assert_eq!(words(0, 64).collect::<Vec<_>>(), [(0, u64::MAX)]);
        assert_eq!(words(60, 8).collect::<Vec<_>>(), [(0, 0xf << 60), (1, 0xf)]);
        assert_eq!(words(65, 1).collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(words(3, 0).collect::<Vec<_>>(), [(0, 0)]);
    }
}

//! A copy of the memory of a launch, whose changes are taken over once the launch is over, or discarded.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::region::Region;

/// The regions of a launch, and copies of them that the launch accesses instead, at the same addresses.
pub(crate) struct Shadow {
    /// Each region, its copy, and the words of both when they were the same.
    pairs: Vec<(Region, Region, Box<[u64]>)>,
}

impl Shadow {
    /// Copies of the regions.
    pub(super) fn of(regions: &[Region]) -> Self {
        let pair = |region: &Region| {
            let (copy, words) = region.copied();
            (region.clone(), copy, words)
        };
        Self { pairs: regions.iter().map(pair).collect() }
    }

    /// The copies, in the same order.
    pub(super) fn copies(&self) -> Arc<[Region]> {
        self.pairs.iter().map(|(_, copy, _)| copy.clone()).collect()
    }

    /// Stores the bytes of the copies that have changed. All others are left as they are now, as other launches and the host may have
    /// changed them meanwhile.
    pub(crate) fn commit(&self) {
        for (region, copy, before) in &self.pairs {
            for ((word, copy), &before) in region.covering().iter().zip(copy.covering()).zip(before) {
                let after = copy.load(Ordering::Relaxed);
                match changed_bytes(before, after) {
                    0 => {}
                    u64::MAX => word.store(after, Ordering::Relaxed),
                    changed => {
                        let new = |old: u64| Some(old & !changed | after & changed);
                        // The update function always succeeds.
                        let _ = word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, new);
                    }
                }
            }
        }
    }
}

/// A mask of the bytes that differ.
fn changed_bytes(before: u64, after: u64) -> u64 {
    let mask = |byte: u8| if byte == 0 { 0 } else { 0xff };
    u64::from_le_bytes((before ^ after).to_le_bytes().map(mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_bytes_are_stored() {
        let region = Region::allocate(21, 256, 64, "a").unwrap();
        region.write(region.base, &[1; 21]);
        let shadow = Shadow::of(std::slice::from_ref(&region));
        let copy = &shadow.copies()[0];
        assert_eq!((copy.base, copy.to_bytes()), (region.base, vec![1; 21]));
        copy.write(copy.base + 3, &[2, 1, 3]);
        copy.write(copy.base + 8, &[4; 8]);
        assert_eq!(region.to_bytes(), [1; 21], "nothing has been taken over");
        // Someone else stores beside it.
        region.write(region.base + 4, &[9]);
        region.write(region.base + 20, &[9]);
        shadow.commit();
        let expected = [1, 1, 1, 2, 9, 3, 1, 1, 4, 4, 4, 4, 4, 4, 4, 4, 1, 1, 1, 1, 9];
        assert_eq!(region.to_bytes(), expected);
    }

    #[test]
    fn regions_may_begin_and_end_inside_words() {
        let words: &'static [std::sync::atomic::AtomicU64] =
            Box::leak((0..4).map(|_| std::sync::atomic::AtomicU64::new(0)).collect());
        let base = words.as_ptr() as u64 + 5;
        let region = Region::of_host(words, (base, 20), true, "a").expect("in its words");
        let shadow = Shadow::of(std::slice::from_ref(&region));
        shadow.copies()[0].write(base, &(1..=20).collect::<Vec<u8>>());
        shadow.commit();
        assert_eq!(region.to_bytes(), (1..=20).collect::<Vec<u8>>());
        assert_eq!(words[3].load(Ordering::Relaxed), 20, "bytes after the region are left alone");
        assert_eq!(words[0].load(Ordering::Relaxed).to_le_bytes()[..5], [0; 5]);
    }
}

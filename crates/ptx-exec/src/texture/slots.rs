//! A slot map: numbered objects that can be added and removed individually.

use std::collections::VecDeque;

/// Maximum number of objects.
pub(crate) const MOST: usize = 1 << INDEX_BITS;
/// A number consists, from its lowest bit, of the slot index (20 bits) and the generation of the slot (8 bits), so that
/// the number of a removed object is not immediately reused.
const INDEX_BITS: u32 = 20;
const GENERATIONS: usize = 1 << 8;

#[derive(Clone, Debug)]
struct Slot<T> {
    generation: usize,
    item: Option<T>,
}

/// A slot map.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
    /// Free slots, in the order in which they became free.
    free: VecDeque<usize>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: VecDeque::new() }
    }
}

impl<T> FromIterator<T> for Slots<T> {
    /// Objects numbered from 0.
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let slots = items.into_iter().map(|item| Slot { generation: 0, item: Some(item) });
        Self { slots: slots.collect(), free: VecDeque::new() }
    }
}

impl<T> Slots<T> {
    /// Adds an object; returns its number, or `None` if there are too many.
    pub(crate) fn add(&mut self, item: T) -> Option<usize> {
        if let Some(place) = self.free.pop_front() {
            let slot = self.slots.get_mut(place)?;
            slot.item = Some(item);
            return Some(slot.generation << INDEX_BITS | place);
        }
        let place = self.slots.len();
        (place < MOST).then(|| self.slots.push(Slot { generation: 0, item: Some(item) }))?;
        Some(place)
    }

    /// The object with a number.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        let slot = self.slots.get(number % MOST)?;
        if slot.generation == number / MOST { slot.item.as_ref() } else { None }
    }

    /// Removes the object with a number.
    pub(crate) fn remove(&mut self, number: usize) -> Option<T> {
        self.get(number)?;
        let slot = self.slots.get_mut(number % MOST)?;
        slot.generation = (slot.generation + 1) % GENERATIONS;
        self.free.push_back(number % MOST);
        slot.item.take()
    }

    /// All objects, in slot order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().filter_map(|slot| slot.item.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_what_is_gone_are_of_nothing() {
        let mut slots: Slots<char> = "ab".chars().collect();
        assert_eq!((slots.get(0), slots.get(1), slots.get(2)), (Some(&'a'), Some(&'b'), None));
        assert_eq!(slots.remove(0), Some('a'));
        assert_eq!(slots.get(0), None);
        assert_eq!(slots.remove(0), None);
        let c = slots.add('c').unwrap();
        assert_eq!((c, slots.get(c), slots.get(0)), (1 << 20, Some(&'c'), None));
        assert_eq!(slots.add('d'), Some(2));
        assert_eq!(slots.iter().collect::<String>(), "cbd");
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut slots: Slots<()> = std::iter::repeat_n((), MOST).collect();
        assert_eq!(slots.add(()), None);
        assert_eq!(slots.remove(7), Some(()));
        assert_eq!(slots.add(()), Some(7 | 1 << 20));
    }
}

//! Values that are created on first use, once for each key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Values by their keys. Threads that request one under construction wait for it; other values can be constructed meanwhile.
#[derive(Debug)]
pub(crate) struct OnceMap<K, V> {
    values: Mutex<HashMap<K, Arc<OnceLock<V>>>>,
}

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> Self {
        Self { values: Mutex::default() }
    }
}

impl<K: Eq + Hash, V: Clone> OnceMap<K, V> {
    /// The value of a key, if it has been created.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.get(key)?.get().cloned()
    }

    /// The value of a key, created if there is none. If `make` panics there still is none.
    pub(crate) fn get_or_make(&self, key: K, make: impl FnOnce() -> V) -> V {
        let value = {
            let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(values.entry(key).or_default())
        };
        value.get_or_init(make).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use super::*;

    /// Longer than anything takes here.
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn values_of_different_keys_are_made_at_once() {
        let map = OnceMap::default();
        let ((to_second, of_first), (to_first, of_second)) = (channel(), channel());
        // Each goes on only where the other one is being made.
        let make = |key: u32, tell: Sender<()>, other: Receiver<()>| {
            let map = &map;
            move || {
                map.get_or_make(key, || {
                    tell.send(()).expect("the other one waits");
                    other.recv_timeout(LONG).expect("the other one is made meanwhile");
                    key * 10
                })
            }
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(make(1, to_second, of_second));
            let second = scope.spawn(make(2, to_first, of_first));
            assert_eq!(first.join().expect("made"), 10);
            assert_eq!(second.join().expect("made"), 20);
        });
    }

    #[test]
    fn a_value_is_made_once() {
        let (map, made) = (OnceMap::default(), AtomicU32::new(0));
        let (begun, has_begun) = channel();
        let make = || {
            made.fetch_add(1, Ordering::Relaxed);
            begun.send(()).expect("someone waits");
            // Time for the other thread to ask.
            std::thread::sleep(Duration::from_millis(50));
            5
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(|| map.get_or_make(1, make));
            has_begun.recv_timeout(LONG).expect("it is being made");
            assert_eq!(map.get_or_make(1, || panic!("it is made again")), 5);
            assert_eq!(first.join().expect("made"), 5);
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_was_not_made_is_not_there() {
        let map = OnceMap::default();
        assert_eq!(map.get(&1), None);
        map.get_or_make(1, || 7);
        assert_eq!((map.get(&1), map.get(&2)), (Some(7), None));
    }

    #[test]
    fn what_could_not_be_made_is_made_again() {
        let map = OnceMap::default();
        let fails = || map.get_or_make(1, || panic!("not now"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(fails)).is_err());
        assert_eq!(map.get_or_make(1, || 3), 3);
    }
}

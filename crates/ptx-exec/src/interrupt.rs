//! Stopping launches on request of another thread.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is called when the request comes.
type Listener = Box<dyn Fn() + Send>;

/// A request to stop launches, which any thread makes while they run. They end as if their time limit had expired, also if it
/// is made before they begin. Clones share the request.
#[derive(Clone, Default)]
pub struct Interrupt {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    is_requested: AtomicBool,
    /// Those of launches that run now, each with its number.
    listeners: Mutex<Listeners>,
}

#[derive(Default)]
struct Listeners {
    next: u64,
    all: Vec<(u64, Listener)>,
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt").field("is_requested", &self.is_requested()).finish_non_exhaustive()
    }
}

impl Interrupt {
    /// Stops all launches with this interrupt, now and later.
    pub fn request(&self) {
        // Under the lock, so that a listener that is added meanwhile is called once or sees the request.
        let listeners = self.listeners();
        self.shared.is_requested.store(true, Ordering::Release);
        listeners.all.iter().for_each(|(_, listener)| listener());
    }

    /// Whether the request has been made.
    pub fn is_requested(&self) -> bool {
        self.shared.is_requested.load(Ordering::Acquire)
    }

    /// Has a function called when the request comes, at once if it has come, until the result is dropped. The function must not use the interrupt.
    pub fn listen(&self, listener: impl Fn() + Send + 'static) -> Listening<'_> {
        let mut listeners = self.listeners();
        if self.is_requested() {
            listener();
        }
        let number = listeners.next;
        listeners.next += 1;
        listeners.all.push((number, Box::new(listener)));
        Listening { interrupt: self, number }
    }

    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.shared.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a listener of an [`Interrupt`] until it is dropped.
#[derive(Debug)]
pub struct Listening<'a> {
    interrupt: &'a Interrupt,
    number: u64,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.interrupt.listeners().all.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn listeners_are_called_while_they_are_kept() {
        let calls = Arc::new(AtomicU32::new(0));
        let count = |calls: &Arc<AtomicU32>| {
            let calls = calls.clone();
            move || {
                calls.fetch_add(1, Ordering::Relaxed);
            }
        };
        let interrupt = Interrupt::default();
        drop(interrupt.listen(count(&calls)));
        let kept = interrupt.listen(count(&calls));
        interrupt.clone().request();
        assert_eq!(calls.load(Ordering::Relaxed), 1);
        drop(kept);
        let late = interrupt.listen(count(&calls));
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        drop(late);
        assert!(interrupt.is_requested());
    }
}

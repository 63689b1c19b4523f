//! Time limits of launches: a thread that waits for the next of their deadlines, started with the first launch that has one.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::job::Job;

#[derive(Default)]
struct Watch {
    state: Mutex<State>,
    /// Signalled when an earlier deadline is added than the one the thread waits for.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: Vec<Weak<Job>>,
    /// When the thread wakes up; `None` while it waits for the first deadline.
    wakes: Option<Instant>,
    is_running: bool,
}

/// Sleep time of the thread if no launch has a deadline.
const IDLE: Duration = Duration::from_secs(3600);

fn the_watch() -> &'static Watch {
    static WATCH: OnceLock<Watch> = OnceLock::new();
    WATCH.get_or_init(Watch::default)
}

fn lock(watch: &Watch) -> MutexGuard<'_, State> {
    watch.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a launch watched until it is dropped.
pub(super) struct Watched<'a> {
    job: &'a Arc<Job>,
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let address = Arc::as_ptr(self.job);
        lock(the_watch()).jobs.retain(|job| job.as_ptr() != address);
    }
}

/// Watches a launch, and terminates it at its deadline.
pub(super) fn watch(job: &Arc<Job>) -> Watched<'_> {
    let watch = the_watch();
    let mut state = lock(watch);
    state.jobs.push(Arc::downgrade(job));
    if !state.is_running {
        // Without the thread there is no time limit; a host that refuses threads is failing anyway.
        let thread = std::thread::Builder::new().name("ptx-host watch".to_owned());
        state.is_running = thread.spawn(move || run(watch)).is_ok();
    }
    let is_sooner = job.deadline.is_some_and(|deadline| state.wakes.is_none_or(|wakes| deadline < wakes));
    if is_sooner {
        // One signal is enough until the thread is awake.
        state.wakes = job.deadline;
        watch.changed.notify_one();
    }
    Watched { job }
}

fn run(watch: &'static Watch) {
    let mut state = lock(watch);
    loop {
        let now = Instant::now();
        let mut next = None;
        // A job is not dropped here while the list is locked: its launch waits for the lock in `Watched::drop`.
        for job in state.jobs.iter().filter_map(Weak::upgrade) {
            let Some(deadline) = job.deadline else { continue };
            if deadline <= now {
                job.expire();
            } else if next.is_none_or(|next| deadline < next) {
                next = Some(deadline);
            }
        }
        state.wakes = next;
        let pause = next.map_or(IDLE, |next| next.saturating_duration_since(now));
        state = watch.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
    }
}

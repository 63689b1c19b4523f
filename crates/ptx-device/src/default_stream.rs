//! The order between default streams and those that wait for them (CUDA Programming Guide, "Implicit Synchronization").

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::progress::Progress;

/// How a stream is ordered with the default stream of its device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum StreamRole {
    /// Not at all, as with `CU_STREAM_NON_BLOCKING`.
    #[default]
    Independent,
    /// Its work waits for earlier work of default streams, as with `CU_STREAM_DEFAULT`.
    Blocking,
    /// It is a default stream, as the legacy one: its work waits for earlier work of all blocking streams, and they for its.
    Default,
}

/// The streams of a device that are ordered with each other.
#[derive(Debug, Default)]
pub(crate) struct DefaultOrder {
    streams: Mutex<Streams>,
}

#[derive(Debug, Default)]
struct Streams {
    blocking: Vec<Weak<Progress>>,
    default: Vec<Weak<Progress>>,
}

/// Work that has to be complete first.
pub(crate) type Earlier = Vec<(Arc<Progress>, u64)>;

fn pending(streams: &[Weak<Progress>]) -> Earlier {
    let known = streams.iter().filter_map(Weak::upgrade);
    known.filter_map(|progress| progress.pending().map(|count| (progress, count))).collect()
}

impl DefaultOrder {
    /// Adds a stream.
    pub(crate) fn add(&self, role: StreamRole, progress: &Arc<Progress>) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let list = match role {
            StreamRole::Independent => return,
            StreamRole::Blocking => &mut streams.blocking,
            StreamRole::Default => &mut streams.default,
        };
        list.retain(|stream| stream.strong_count() > 0);
        list.push(Arc::downgrade(progress));
    }

    /// Queues work of a stream, with the work of other streams that has to be complete first. Nothing else is queued meanwhile, so that streams do not
    /// wait for each other.
    pub(crate) fn queue(&self, role: StreamRole, queue: impl FnOnce(Earlier)) {
        if role == StreamRole::Independent {
            return queue(Vec::new());
        }
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let others = if role == StreamRole::Default { &streams.blocking } else { &streams.default };
        queue(pending(others));
    }
}

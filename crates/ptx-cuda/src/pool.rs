//! Stream-ordered allocation: pools, and memory that is freed in the order of a stream.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use crate::driver::{Gpu, lock};
use crate::error::Answer;
use crate::handle::{AnyHandle, Handle, Object, objects};
use crate::memory::{self, Kind, PoolUsage};

objects! { Pool, 4, INVALID_VALUE; }

/// A pool. Memory of all pools is that of the device; a pool counts what was allocated from it.
#[derive(Debug)]
pub struct Pool {
    pub gpu: &'static Gpu,
    pub is_default: bool,
    pub usage: Arc<PoolUsage>,
    /// `CU_MEMPOOL_ATTR_REUSE_*` and the release threshold, which are stored and have no effect: memory that is freed returns to the device.
    pub settings: Mutex<[u64; 4]>,
}

/// The pools that a device has by default, and at present.
#[derive(Clone, Copy, Debug, Default)]
struct Chosen {
    pub default: Option<Handle<Pool>>,
    pub current: Option<Handle<Pool>>,
}

static CHOSEN: Mutex<BTreeMap<i32, Chosen>> = Mutex::new(BTreeMap::new());

impl Pool {
    /// Creates a pool.
    pub fn create(gpu: &'static Gpu, is_default: bool) -> Answer<Handle<Self>> {
        let usage = Arc::<PoolUsage>::default();
        let (settings, kept) = (Mutex::new([1, 1, 1, 0]), usage.clone());
        let handle = Self::table().insert(Arc::new(Self { gpu, is_default, usage, settings }))?;
        kept.handle.store(handle.bits() as u64, Ordering::Relaxed);
        Ok(handle)
    }

    /// The default pool of a device.
    pub fn default_of(gpu: &'static Gpu) -> Answer<Handle<Self>> {
        let mut all = lock(&CHOSEN);
        let chosen = all.entry(gpu.ordinal).or_default();
        match chosen.default {
            Some(pool) => Ok(pool),
            None => Ok(*chosen.default.insert(Self::create(gpu, true)?)),
        }
    }

    /// The pool that a device allocates from.
    pub fn current_of(gpu: &'static Gpu) -> Answer<Handle<Self>> {
        let current = lock(&CHOSEN).get(&gpu.ordinal).and_then(|chosen| chosen.current);
        current.map_or_else(|| Self::default_of(gpu), Ok)
    }

    /// Makes a device allocate from a pool; `None` for the default one.
    pub fn choose(gpu: &Gpu, pool: Option<Handle<Self>>) {
        lock(&CHOSEN).entry(gpu.ordinal).or_default().current = pool;
    }

    /// Allocates memory.
    pub fn allocate(&self, bytes: u64, context: AnyHandle) -> Answer<u64> {
        let address = memory::allocate(self.gpu, bytes, Kind::Pool(self.usage.clone()), context)?;
        self.usage.add(bytes);
        Ok(address)
    }
}

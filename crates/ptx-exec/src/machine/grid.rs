//! A launch as its blocks see it: what they share, and the limits they count against.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ptx_program::memory::{AddressSize, Space};
use ptx_program::{Object, Program, Row};

use super::bind::Bound;
use super::executable::Executable;
use super::geometry::Geometry;
use super::heap::Heap;
use super::observer::Observer;
use super::postdominators::Postdominators;
use super::products::Products;
use super::queue::Queue;
use super::setup::Setup;
use crate::error::TrapKind;
use crate::interrupt::Interrupt;
use crate::launch::{Completion, Reconvergence};
use crate::memory::GlobalMemory;
use crate::texture::Units;

/// A launch that has been set up, and what its blocks have used of its limits.
pub(super) struct Launched {
    pub(super) setup: Arc<Setup>,
    /// The program: that of the kernel, or one derived from it.
    pub(super) executable: Arc<Executable>,
    /// The constants of the program for the blocks of each rank but the first.
    constants: Vec<Vec<Row>>,
    /// With late reconvergence, where the paths of branches meet.
    postdominators: Option<Postdominators>,
    started: Instant,
    deadline: Option<Instant>,
    steps: AtomicU64,
    /// The lowest number of a stopped cluster; `u64::MAX` if there is none.
    pub(super) stopped: AtomicU64,
    /// Whether the results are not needed any more.
    pub(super) is_abandoned: AtomicBool,
    /// The number of instructions at which `notice` is called.
    notice_at: AtomicU64,
    pub(super) notice: Mutex<Option<Notice>>,
}

/// A function that is called once.
pub(super) type Notice = Box<dyn FnOnce() + Send>;

impl Launched {
    /// A launch of this program that begins now.
    pub(super) fn new(setup: Arc<Setup>, executable: Arc<Executable>) -> Self {
        let started = Instant::now();
        let deadline = setup.spec.limits.timeout.and_then(|timeout: Duration| started.checked_add(timeout));
        let size = setup.geometry.cluster_size();
        Self {
            postdominators: match setup.spec.reconvergence {
                Reconvergence::Early => None,
                Reconvergence::Late => Some(Postdominators::of(&executable.program)),
            },
            constants: (1..size).map(|rank| executable.program.constants.of_rank(rank)).collect(),
            setup,
            executable,
            started,
            deadline,
            steps: AtomicU64::new(0),
            stopped: AtomicU64::new(u64::MAX),
            is_abandoned: AtomicBool::new(false),
            notice_at: AtomicU64::new(u64::MAX),
            notice: Mutex::default(),
        }
    }

    /// Has a function called once as soon as this many instructions have been executed.
    pub(super) fn notify_at(&self, steps: u64, notice: Notice) {
        *self.notice.lock().unwrap_or_else(PoisonError::into_inner) = Some(notice);
        self.notice_at.store(steps, Ordering::Relaxed);
    }

    /// Instructions executed so far.
    pub(super) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    #[cold]
    fn call_notice(&self) {
        let notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(notice) = notice {
            notice();
        }
    }
}

/// The state visible to all blocks.
pub(super) struct Grid<'p> {
    pub(super) program: &'p Program,
    /// Its instructions in the form the inner loop executes.
    pub(super) code: &'p [Bound],
    /// Its constants for the blocks of each rank.
    constants: Vec<&'p [Row]>,
    pub(super) geometry: Geometry,
    /// The address size.
    pub(super) addresses: AddressSize,
    pub(super) global: GlobalMemory,
    /// The address of the workspace of a cooperative launch; 0 for other launches.
    pub(super) workspace: u64,
    /// Textures, samplers and surfaces.
    pub(super) units: &'p Units,
    pub(super) constant: &'p [u8],
    pub(super) params: &'p [u8],
    pub(super) heap: &'p Mutex<Heap>,
    pub(super) completion: Completion,
    /// Where the paths of branches meet, with late reconvergence.
    pub(super) postdominators: Option<&'p Postdominators>,
    pub(super) observer: Option<&'p Observer>,
    /// An external implementation of matrix products, if any.
    pub(super) products: Option<&'static dyn Products>,
    /// The clusters that have not started.
    clusters: &'p dyn Queue,
    /// Whether another engine starts the clusters, and executes what it can itself.
    pub(super) is_assisted: bool,
    launched: &'p Launched,
}

impl<'p> Grid<'p> {
    pub(super) fn of(launched: &'p Launched, clusters: &'p dyn Queue) -> Self {
        let Launched { setup, executable, .. } = launched;
        Self {
            program: &executable.program,
            code: &executable.code,
            constants: std::iter::once(executable.program.constants.rows())
                .chain(launched.constants.iter().map(Vec::as_slice))
                .collect(),
            geometry: setup.geometry,
            addresses: executable.program.address_size,
            global: setup.global.clone(),
            workspace: setup.workspace,
            units: &setup.units,
            constant: &setup.constant,
            params: &setup.spec.params,
            heap: &setup.heap,
            completion: setup.spec.completion,
            postdominators: launched.postdominators.as_ref(),
            observer: setup.observer.as_deref(),
            products: setup.spec.products,
            clusters,
            is_assisted: false,
            launched,
        }
    }
}

impl Grid<'_> {
    /// The constants of the program for the block of a rank.
    #[inline]
    pub(super) fn constants(&self, rank: u32) -> &[Row] {
        self.constants[rank as usize]
    }

    /// Counts instructions of a cluster; an error if a limit is reached.
    ///
    /// Once a cluster has been stopped, later clusters are cancelled. Earlier ones run on, since they may be stopped
    /// too: then the first one is reported, regardless of the order in which host threads ran them.
    pub(super) fn spend(&self, cluster: u64, steps: u64) -> Result<(), TrapKind> {
        let before = self.launched.steps.fetch_add(steps, Ordering::Relaxed);
        if before + steps >= self.launched.notice_at.load(Ordering::Relaxed) {
            self.launched.notice_at.store(u64::MAX, Ordering::Relaxed);
            self.launched.call_notice();
        }
        let late = self.launched.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.launched.setup.spec.interrupt.as_ref().is_some_and(Interrupt::is_requested);
        let is_unneeded = self.launched.stopped.load(Ordering::Relaxed) < cluster
            || self.launched.is_abandoned.load(Ordering::Relaxed);
        if late || is_unneeded {
            return Err(TrapKind::Timeout);
        }
        match self.launched.setup.spec.limits.steps {
            Some(limit) if before + steps > limit => Err(TrapKind::Steps),
            _ => Ok(()),
        }
    }

    /// Counts bytes of output; an error if the limit is exceeded.
    pub(super) fn write_output(&self, bytes: u64) -> Result<(), TrapKind> {
        let before = self.launched.setup.written.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > self.launched.setup.spec.limits.output as u64 {
            Err(TrapKind::Output)
        } else {
            Ok(())
        }
    }

    /// Stack limit of a thread in bytes.
    pub(super) fn stack_limit(&self) -> usize {
        self.launched.setup.spec.limits.stack
    }

    /// Takes a cluster that has not started, which then never starts; returns its number.
    pub(super) fn take_cluster(&self) -> Option<u64> {
        self.clusters.take()
    }

    /// The observer, if it counts instruction costs.
    pub(super) fn counting(&self) -> Option<&Observer> {
        self.observer.filter(|observer| observer.is_counting())
    }

    /// Nanoseconds since the launch began.
    pub(super) fn nanoseconds(&self) -> u64 {
        self.launched.started.elapsed().as_nanos() as u64
    }

    /// The shared-memory variable that contains an address, and the offset in it.
    pub(super) fn shared_variable(&self, address: u64) -> Option<String> {
        let is_before = |object: &&Object| object.space == Space::Shared && object.address <= address;
        let variables = self.launched.setup.variables.iter().map(|(object, _)| object).filter(is_before);
        let found = variables.max_by_key(|object| (object.address, object.bytes, &object.name))?;
        Some(match address - found.address {
            0 => found.name.clone(),
            offset => format!("offset {offset} of {}", found.name),
        })
    }
}

//! The evaluator's memory: variables at places generated at random, so that a result that depends on them shows.

use std::collections::HashMap;

use anyhow::{Context as _, Result, ensure};
use fastrand::Rng;

use super::syntax::{Space, Variable, VariableId};

/// Whose a piece of memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    Everyone,
    Block(u32),
    Thread(u32),
}

/// What registers and memory hold that nothing was stored to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fill {
    Zeros,
    Ones,
    Random,
}

impl Fill {
    /// That of an environment of so many: few values are as bad as the two ends.
    pub(super) const fn of(environment: u64) -> Self {
        match environment {
            0 => Self::Zeros,
            1 => Self::Ones,
            _ => Self::Random,
        }
    }

    pub(super) fn value(self, rng: &mut Rng) -> u64 {
        match self {
            Self::Zeros => 0,
            Self::Ones => u64::MAX,
            // Programs compare with small numbers.
            Self::Random if rng.bool() => rng.u64(..8),
            Self::Random => rng.u64(..),
        }
    }
}

struct Region {
    space: Space,
    owner: Owner,
    base: u64,
    bytes: Vec<u8>,
}

/// Where variables are, and what they hold.
pub(super) struct Memory {
    regions: Vec<Region>,
    /// Where the generic addresses of spaces begin.
    windows: HashMap<Space, u64>,
    /// The distance between a shared address and the one that `mapa` gives for it.
    cluster: u64,
    /// Places of the variables at module scope.
    places: HashMap<VariableId, u64>,
    rng: Rng,
    fill: Fill,
    next: HashMap<Space, u64>,
}

/// Bytes of dynamic shared memory.
pub(super) const DYNAMIC: u32 = 256;
/// Bytes of a window.
const WINDOW: u64 = 1 << 32;

impl Memory {
    pub(super) fn new(mut rng: Rng, fill: Fill) -> Self {
        let mut windows = HashMap::new();
        for (space, at) in [(Space::Shared, 1u64), (Space::Local, 2), (Space::Const, 3)] {
            windows.insert(space, (at + 4 * rng.u64(1..1 << 16)) * WINDOW);
        }
        let cluster = rng.u64(0..4) << 24;
        Self {
            regions: Vec::new(),
            windows,
            cluster,
            places: HashMap::new(),
            rng,
            fill,
            next: HashMap::new(),
        }
    }

    /// Lays out the variables at module scope in a random order.
    pub(super) fn lay_out(&mut self, variables: &[Variable], statics: &[VariableId], blocks: u32) {
        let mut order = statics.to_vec();
        self.rng.shuffle(&mut order);
        let dynamic = self.place(Space::Shared, DYNAMIC, 16);
        for block in 0..blocks {
            self.add(Space::Shared, Owner::Block(block), dynamic, DYNAMIC);
        }
        for id in order {
            let variable = &variables[id];
            let Some(bytes) = variable.bytes() else {
                self.places.insert(id, dynamic);
                continue;
            };
            let at = self.place(variable.space, bytes, variable.align);
            self.places.insert(id, at);
            if variable.space == Space::Shared {
                for block in 0..blocks {
                    self.add(Space::Shared, Owner::Block(block), at, bytes);
                }
            } else {
                self.add(variable.space, Owner::Everyone, at, bytes);
                let region = self.regions.last_mut().map(|region| &mut region.bytes);
                let initial = variable.initial.clone().unwrap_or_default();
                for (at, byte) in region.into_iter().flatten().enumerate() {
                    *byte = initial.get(at).copied().unwrap_or_default();
                }
            }
        }
    }

    /// A free place of a space.
    fn place(&mut self, space: Space, bytes: u32, align: u32) -> u64 {
        let next = self.next.entry(space).or_insert(0);
        if *next == 0 {
            *next = if space == Space::Global { (1 << 48) + self.rng.u64(..1 << 30) * 16 } else { 64 };
        }
        let at = (*next + 16 * self.rng.u64(..8)).next_multiple_of(u64::from(align));
        *next = at + u64::from(bytes);
        at
    }

    fn add(&mut self, space: Space, owner: Owner, base: u64, bytes: u32) {
        // Memory that was never stored to may hold any value.
        let bytes = (0..bytes).map(|_| self.fill.value(&mut self.rng) as u8).collect();
        self.regions.push(Region { space, owner, base, bytes });
    }

    /// Memory of a thread or of everyone that begins with these bytes, and otherwise with anything.
    pub(super) fn allocate(
        &mut self,
        space: Space,
        owner: Owner,
        bytes: u32,
        align: u32,
        with: &[u8],
    ) -> u64 {
        let at = self.place(space, bytes, align);
        self.add(space, owner, at, bytes);
        if let Some(region) = self.regions.last_mut() {
            for (to, from) in region.bytes.iter_mut().zip(with) {
                *to = *from;
            }
        }
        at
    }

    pub(super) fn place_of(&self, variable: VariableId) -> Option<u64> {
        self.places.get(&variable).copied()
    }

    /// The generic address of an address in a space, or back.
    pub(super) fn convert(&self, space: Space, address: u64, back: bool) -> u64 {
        let window = self.windows.get(&space).copied().unwrap_or_default();
        if back { address.wrapping_sub(window) } else { address.wrapping_add(window) }
    }

    /// The address of the shared memory of this block, by its rank.
    pub(super) fn mapped(&self, address: u64) -> u64 {
        address.wrapping_add(self.cluster)
    }

    /// Marks that what is allocated from here on can be given back.
    pub(super) fn mark(&self) -> usize {
        self.regions.len()
    }

    pub(super) fn release(&mut self, mark: usize) {
        self.regions.truncate(mark);
    }

    /// The bytes at an address as a thread sees it; `space` is nothing for a generic one.
    pub(super) fn bytes(
        &mut self,
        space: Option<Space>,
        address: u64,
        count: u32,
        [block, thread]: [u32; 2],
    ) -> Result<&mut [u8]> {
        ensure!(address.is_multiple_of(u64::from(count)), "misaligned access of {count} bytes");
        let (space, at) = match space {
            Some(Space::Cluster) if address >= self.cluster => (Space::Shared, address - self.cluster),
            Some(Space::Cluster) => (Space::Shared, address),
            Some(space) => (space, address),
            None => {
                let window = self.windows.iter().find(|(_, w)| (**w..**w + WINDOW).contains(&address));
                window.map_or((Space::Global, address), |(space, window)| (*space, address - window))
            }
        };
        let region = self.regions.iter_mut().find(|region| {
            let owned = match region.owner {
                Owner::Everyone => true,
                Owner::Block(of) => of == block,
                Owner::Thread(of) => of == thread,
            };
            let end = region.base + region.bytes.len() as u64;
            owned && region.space == space && region.base <= at && at + u64::from(count) <= end
        });
        let region = region.with_context(|| format!("{space:?} access out of bounds"))?;
        let at = (at - region.base) as usize;
        Ok(&mut region.bytes[at..at + count as usize])
    }
}

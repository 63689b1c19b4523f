//! Memory orders, scopes and fences (manual 8, 9.7.13.4).
//!
//! | LLVM | load | store | read-modify-write |
//! |---|---|---|---|
//! | `unordered`, `monotonic` | `.relaxed` | `.relaxed` | `.relaxed` |
//! | `acquire`, `release`, `acq_rel` | `.acquire` | `.release` | the same |
//! | `seq_cst` | `fence.sc`, `.acquire` | `fence.sc`, `.release` | `fence.sc`, `.acquire` |
//!
//! The `fence.sc` before an access releases the accesses before it. Scopes of accesses to shared memory are those of its block or cluster
//! (`reach.rs`).
//! Before sm_70 there are no ordered accesses: relaxed ones are volatile, and `membar` before or after orders them.

use ptx_isa::{Field, Mod, ptx};
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{AtomicOrder, Scope};
use smallvec::smallvec;

use super::access::Modifiers;
use super::state::Emitter;
use crate::error::{ORDER, RaiseError, Result, SCOPE};

/// The scopes of an atomic operation.
pub(super) struct Scopes {
    /// That of the access.
    access: Scope,
    /// That of the `fence.sc` before it, if its order needs one.
    fence: Scope,
}

impl Emitter<'_, '_, '_> {
    /// Whether the target has the memory model of sm_70.
    pub(super) fn has_model(&self) -> bool {
        self.module.target.runs(ptx!("ld.relaxed.gpu.b32"))
    }

    /// The scope's modifier. A scope that the target lacks is replaced by a wider one.
    pub(super) fn scope_modifier(&self, scope: &Scope) -> Result<Mod> {
        match scope {
            Scope::System => Ok(Mod::Sys),
            Scope::Device => Ok(Mod::Gpu),
            Scope::Cluster if !self.module.target.runs(ptx!("atom.cluster.exch.b32")) => Ok(Mod::Gpu),
            Scope::Cluster => Ok(Mod::Cluster),
            Scope::Block | Scope::SingleThread => Ok(Mod::Cta),
            Scope::Other(name) => {
                Err(RaiseError::new(ORDER, format!("the scope \"{name}\" has no counterpart in PTX"))
                    .with_help("use \"block\", \"cluster\", \"device\" or none"))
            }
        }
    }

    /// `fence`.
    pub(super) fn fence(&mut self, order: AtomicOrder, scope: &Scope) -> Result<()> {
        let word = self.scope_modifier(scope)?;
        // A fence for the accesses of one thread is not needed, since PTX does not reorder them.
        if *scope == Scope::SingleThread {
            return Ok(());
        }
        if !self.has_model() {
            let fence = match scope {
                Scope::Block | Scope::SingleThread => ptx!("membar.cta"),
                Scope::Device | Scope::Cluster => ptx!("membar.gl"),
                Scope::System | Scope::Other(_) => ptx!("membar.sys"),
            };
            return self.emit(fence, &[]);
        }
        let halves = self.module.target.has_already(ptx!("fence.acquire.gpu").since());
        let fence = match order {
            AtomicOrder::SequentiallyConsistent => ptx!("fence.sc.sys"),
            AtomicOrder::Acquire if halves => ptx!("fence.acquire.sys"),
            AtomicOrder::Release if halves => ptx!("fence.release.sys"),
            AtomicOrder::Acquire
            | AtomicOrder::Release
            | AtomicOrder::AcquireRelease
            | AtomicOrder::NotAtomic
            | AtomicOrder::Unordered
            | AtomicOrder::Monotonic => ptx!("fence.acq_rel.sys"),
        };
        self.emit(fence.with_modifier(Field::Scope, word)?, &[])
    }

    /// The fence before relaxed accesses that makes them release, or part of the single order of `seq_cst`.
    pub(super) fn fence_before(&mut self, order: AtomicOrder, scope: &Scope) -> Result<()> {
        match order {
            AtomicOrder::SequentiallyConsistent => self.fence(order, scope),
            AtomicOrder::Release | AtomicOrder::AcquireRelease => self.fence(AtomicOrder::Release, scope),
            AtomicOrder::NotAtomic
            | AtomicOrder::Unordered
            | AtomicOrder::Monotonic
            | AtomicOrder::Acquire => Ok(()),
        }
    }

    /// The fence after relaxed accesses that makes them acquire.
    pub(super) fn fence_after(&mut self, order: AtomicOrder, scope: &Scope) -> Result<()> {
        match order {
            AtomicOrder::SequentiallyConsistent | AtomicOrder::Acquire | AtomicOrder::AcquireRelease => {
                self.fence(AtomicOrder::Acquire, scope)
            }
            AtomicOrder::NotAtomic
            | AtomicOrder::Unordered
            | AtomicOrder::Monotonic
            | AtomicOrder::Release => Ok(()),
        }
    }

    /// The modifiers of an `atom` before the memory model of sm_70, where all are relaxed.
    fn relaxed_atom(&mut self, scope: &Scope) -> Result<Modifiers> {
        let word = self.scope_modifier(scope)?;
        let has_scopes = self.module.target.runs(ptx!("atom.sys.exch.b32"));
        if *scope == Scope::System && !has_scopes {
            let message = format!("function {} has atomic operations of system scope", self.function.name);
            let help = "they are only atomic within the device: system scope requires sm_60";
            self.module.warn(SCOPE, message, help);
        }
        // Without a scope an operation is atomic on the device; the oldest targets have no other.
        Ok(if has_scopes && word != Mod::Gpu { smallvec![word] } else { smallvec![] })
    }

    /// `.acq_rel.gpu` and so on for `atom` and `red`, after the fence that the order needs before.
    pub(super) fn ordered_atom(&mut self, order: AtomicOrder, scopes: &Scopes) -> Result<Modifiers> {
        if !self.has_model() {
            self.fence_before(order, &scopes.fence)?;
            return self.relaxed_atom(&scopes.access);
        }
        let word = self.scope_modifier(&scopes.access)?;
        let strength = match order {
            AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic => Mod::Relaxed,
            AtomicOrder::Acquire => Mod::Acquire,
            AtomicOrder::Release => Mod::Release,
            AtomicOrder::AcquireRelease => Mod::AcqRel,
            AtomicOrder::SequentiallyConsistent => {
                self.fence(order, &scopes.fence)?;
                Mod::Acquire
            }
        };
        Ok(smallvec![strength, word])
    }

    /// The fence after an operation with the modifiers of [`Self::ordered_atom`].
    pub(super) fn after_atom(&mut self, order: AtomicOrder, scopes: &Scopes) -> Result<()> {
        if self.has_model() { Ok(()) } else { self.fence_after(order, &scopes.access) }
    }

    /// The modifiers of a load or store, after the fence that the order needs before. `strong` is what makes it acquire or release: LLVM
    /// has no loads that release, nor stores that acquire.
    pub(super) fn ordered_access(
        &mut self,
        volatile: bool,
        order: AtomicOrder,
        scopes: &Scopes,
        strong: Mod,
    ) -> Result<Modifiers> {
        let word = self.scope_modifier(&scopes.access)?;
        if !self.has_model() {
            self.fence_before(order, &scopes.fence)?;
            return Ok(smallvec![Mod::Volatile]);
        }
        // Volatile accesses are relaxed at system scope and never merged (manual 8.4).
        let (word, fence) = if volatile { (Mod::Sys, &Scope::System) } else { (word, &scopes.fence) };
        Ok(match order {
            AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic if volatile => {
                smallvec![Mod::Volatile]
            }
            AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic => {
                smallvec![Mod::Relaxed, word]
            }
            AtomicOrder::Acquire | AtomicOrder::Release | AtomicOrder::AcquireRelease => {
                smallvec![strong, word]
            }
            AtomicOrder::SequentiallyConsistent => {
                self.fence(order, fence)?;
                smallvec![strong, word]
            }
        })
    }
}

/// The one of two scopes that has fewer threads. What is not a scope of PTX stays, for the error about it.
fn narrower(stated: &Scope, possible: Scope) -> Scope {
    let threads = |scope: &Scope| match scope {
        Scope::Other(_) | Scope::SingleThread => 0,
        Scope::Block => 1,
        Scope::Cluster => 2,
        Scope::Device => 3,
        Scope::System => 4,
    };
    if threads(stated) <= threads(&possible) { stated.clone() } else { possible }
}

/// An order at least as strong as both.
pub(super) fn stronger(a: AtomicOrder, b: AtomicOrder) -> AtomicOrder {
    match (a, b) {
        (AtomicOrder::Release, AtomicOrder::Acquire) | (AtomicOrder::Acquire, AtomicOrder::Release) => {
            AtomicOrder::AcquireRelease
        }
        (a, b) => a.max(b),
    }
}

/// The scopes of an operation of `scope` on an object in an address space.
pub(super) fn scopes(emitter: &Emitter<'_, '_, '_>, scope: &Scope, space: u32) -> Scopes {
    let reach = emitter.module.reach.filter(|_| space == address_space::SHARED && emitter.has_model());
    let Some(reach) = reach else { return Scopes { access: scope.clone(), fence: scope.clone() } };
    let has_clusters = !emitter.module.target.lacks(ptx!("atom.cluster.exch.b32").since());
    let access = narrower(scope, reach.of_shared(has_clusters));
    let fence = if reach.has_fences_of_blocks() { access.clone() } else { scope.clone() };
    Scopes { access, fence }
}

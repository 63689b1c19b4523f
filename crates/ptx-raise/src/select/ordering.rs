//! Memory orders, scopes and fences (manual 8, 9.7.13.4).
//!
//! | LLVM | load | store | read-modify-write |
//! |---|---|---|---|
//! | `unordered`, `monotonic` | `.relaxed` | `.relaxed` | `.relaxed` |
//! | `acquire`, `release`, `acq_rel` | `.acquire` | `.release` | the same |
//! | `seq_cst` | `fence.sc`, `.acquire` | `fence.sc`, `.release` | `fence.sc`, `.acquire` |
//!
//! The `fence.sc` before an access releases what came before it. Loops around `atom.cas` have relaxed accesses
//! between fences instead. Before sm_70 there are no ordered accesses: volatile ones stand for relaxed, and `membar` before or after gives
//! the order.

use ptx_llvm::view::{AtomicOrder, Scope};

use super::FunctionRaiser;
use crate::error::{ORDER, Raised, Refusal, SCOPE};

/// Architectures with ordered and scoped accesses (manual 8).
const MEMORY_MODEL_SM: u16 = 70;
/// Architectures whose `atom` and `red` have scopes (manual 9.7.13.5).
const SCOPES_SM: u16 = 60;
/// Architectures with `.cluster`.
const CLUSTER_SM: u16 = 90;
/// `fence.acquire` and `fence.release` (manual 9.7.13.4).
const HALF_FENCES: ptx_isa::Since = ptx_isa::Since::new(8, 6, 90);

impl FunctionRaiser<'_, '_, '_> {
    /// Whether the target has the memory model of sm_70.
    pub(super) fn has_model(&self) -> bool {
        self.module.target.sm() >= MEMORY_MODEL_SM
    }

    /// The scope's word. A wider one stands for what the target lacks.
    pub(super) fn scope_word(&self, scope: &Scope) -> Raised<&'static str> {
        match scope {
            Scope::System => Ok(".sys"),
            Scope::Device => Ok(".gpu"),
            Scope::Cluster if self.module.target.sm() < CLUSTER_SM => Ok(".gpu"),
            Scope::Cluster => Ok(".cluster"),
            Scope::Block | Scope::SingleThread => Ok(".cta"),
            Scope::Other(name) => {
                Err(Refusal::new(ORDER, format!("the scope \"{name}\" has no counterpart in PTX"))
                    .with_help("use \"block\", \"cluster\", \"device\" or none"))
            }
        }
    }

    /// `fence`.
    pub(super) fn fence(&mut self, order: AtomicOrder, scope: &Scope) -> Raised<()> {
        let word = self.scope_word(scope)?;
        // A fence among the accesses of one thread orders nothing that PTX could reorder.
        if *scope == Scope::SingleThread {
            return Ok(());
        }
        if !self.has_model() {
            let level = match scope {
                Scope::Block | Scope::SingleThread => "cta",
                Scope::Device | Scope::Cluster => "gl",
                Scope::System | Scope::Other(_) => "sys",
            };
            return self.emit(&format!("membar.{level}"), &[]);
        }
        let halves = self.module.target.has_already(HALF_FENCES);
        let kind = match order {
            AtomicOrder::SequentiallyConsistent => "sc",
            AtomicOrder::Acquire if halves => "acquire",
            AtomicOrder::Release if halves => "release",
            AtomicOrder::Acquire
            | AtomicOrder::Release
            | AtomicOrder::AcquireRelease
            | AtomicOrder::NotAtomic
            | AtomicOrder::Unordered
            | AtomicOrder::Monotonic => "acq_rel",
        };
        self.emit(&format!("fence.{kind}{word}"), &[])
    }

    /// The fence before relaxed accesses that makes them release, or take their place in the one order of `seq_cst`.
    pub(super) fn fence_before(&mut self, order: AtomicOrder, scope: &Scope) -> Raised<()> {
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
    pub(super) fn fence_after(&mut self, order: AtomicOrder, scope: &Scope) -> Raised<()> {
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

    /// The modifiers of a relaxed `atom`.
    pub(super) fn relaxed_atom(&mut self, scope: &Scope) -> Raised<String> {
        let word = self.scope_word(scope)?;
        if *scope == Scope::System && self.module.target.sm() < SCOPES_SM {
            let message =
                format!("function {} has atomic operations of the system's scope", self.function.name);
            let help = "they are atomic on the device alone: those of the system begin with sm_60";
            self.module.warn(SCOPE, message, help);
        }
        Ok(match self.module.target.sm() {
            MEMORY_MODEL_SM.. => format!(".relaxed{word}"),
            // Without a scope an operation is atomic on the device.
            SCOPES_SM.. if word != ".gpu" => word.to_owned(),
            // The oldest targets have one kind of operation, as wide as they go.
            _ => String::new(),
        })
    }

    /// `.acq_rel.gpu` and so on for `atom` and `red`, after the fence that the order needs before.
    pub(super) fn ordered_atom(&mut self, order: AtomicOrder, scope: &Scope) -> Raised<String> {
        if !self.has_model() {
            self.fence_before(order, scope)?;
            return self.relaxed_atom(scope);
        }
        let word = self.scope_word(scope)?;
        Ok(match order {
            AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic => {
                format!(".relaxed{word}")
            }
            AtomicOrder::Acquire => format!(".acquire{word}"),
            AtomicOrder::Release => format!(".release{word}"),
            AtomicOrder::AcquireRelease => format!(".acq_rel{word}"),
            AtomicOrder::SequentiallyConsistent => {
                self.fence(order, scope)?;
                format!(".acquire{word}")
            }
        })
    }

    /// The fence after an operation with the modifiers of [`Self::ordered_atom`].
    pub(super) fn after_atom(&mut self, order: AtomicOrder, scope: &Scope) -> Raised<()> {
        if self.has_model() { Ok(()) } else { self.fence_after(order, scope) }
    }

    /// The modifiers of a load, after the fence that the order needs before.
    pub(super) fn ordered_load(
        &mut self,
        volatile: bool,
        order: AtomicOrder,
        scope: &Scope,
    ) -> Raised<String> {
        let word = self.scope_word(scope)?;
        if !self.has_model() {
            if order == AtomicOrder::SequentiallyConsistent {
                self.fence(order, scope)?;
            }
            return Ok(".volatile".to_owned());
        }
        self.model_access(volatile, order, scope, word, "acquire")
    }

    /// The modifiers of a store, after the fence that the order needs before.
    pub(super) fn ordered_store(
        &mut self,
        volatile: bool,
        order: AtomicOrder,
        scope: &Scope,
    ) -> Raised<String> {
        let word = self.scope_word(scope)?;
        if !self.has_model() {
            self.fence_before(order, scope)?;
            return Ok(".volatile".to_owned());
        }
        self.model_access(volatile, order, scope, word, "release")
    }

    fn model_access(
        &mut self,
        volatile: bool,
        order: AtomicOrder,
        scope: &Scope,
        word: &str,
        strong: &str,
    ) -> Raised<String> {
        // Volatile accesses are relaxed at system scope and never merged (manual 8.4).
        let (word, scope) = if volatile { (".sys", &Scope::System) } else { (word, scope) };
        match order {
            AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic => {
                Ok(if volatile { ".volatile".to_owned() } else { format!(".relaxed{word}") })
            }
            AtomicOrder::Acquire | AtomicOrder::Release | AtomicOrder::AcquireRelease => {
                Ok(format!(".{strong}{word}"))
            }
            AtomicOrder::SequentiallyConsistent => {
                self.fence(order, scope)?;
                Ok(format!(".{strong}{word}"))
            }
        }
    }
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

//! The special forms of code: each can be disabled, to find out what it is worth or whether it is at fault.

use std::fmt;

/// A special form of code. Disabling one never makes a kernel wrong or uncompilable, only (usually) slower.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// A warp runs part by part, because its rows need too many registers (`analysis/part.rs`).
    Parts,
    /// Several warps run in lockstep, for kernels with loops (`analysis/group.rs`).
    Groups,
    /// All warps of a block (CTA) run in lockstep, for kernels with short runs between barriers (`analysis/together.rs`).
    Together,
    /// Copies of blocks for each iteration of loops over barriers (`analysis/unroll.rs`).
    Unrolling,
    /// The warps of a block (CTA) take turns in one function (`analysis/turns.rs`).
    Turns,
    /// Turns are loops over warps, if all reach barriers in one order (`analysis/phases.rs`).
    Phases,
    /// Rows are recomputed after barriers instead of being saved (`analysis/again.rs`).
    Rematerialization,
    /// A version of the code for warps whose lanes have not exited (`Version::Full`).
    FullWarps,
    /// Loops that consist mostly of loads run one lane at a time (`analysis/alone.rs`).
    LaneLoops,
    /// Counters that are read after their loop are duplicated (`counters.rs`).
    Counters,
    /// Accesses to shared memory by vectors and a shuffle (`code/window.rs`).
    Windows,
    /// Tests for loads that are consecutive in each four lanes (`code/quads.rs`).
    Quads,
    /// Prefetches of the next iteration's loads (`code/prefetch.rs`).
    Prefetching,
    /// Prefetches of the next block's (CTA's) loads (`code/ahead.rs`).
    PrefetchingBlocks,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 14] = [
        Self::Parts,
        Self::Groups,
        Self::Together,
        Self::Unrolling,
        Self::Turns,
        Self::Phases,
        Self::Rematerialization,
        Self::FullWarps,
        Self::LaneLoops,
        Self::Counters,
        Self::Windows,
        Self::Quads,
        Self::Prefetching,
        Self::PrefetchingBlocks,
    ];

    /// Its name in options and remarks.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parts => "parts",
            Self::Groups => "groups",
            Self::Together => "together",
            Self::Unrolling => "unrolling",
            Self::Turns => "turns",
            Self::Phases => "phases",
            Self::Rematerialization => "rematerialization",
            Self::FullWarps => "full-warps",
            Self::LaneLoops => "lane-loops",
            Self::Counters => "counters",
            Self::Windows => "windows",
            Self::Quads => "quads",
            Self::Prefetching => "prefetching",
            Self::PrefetchingBlocks => "prefetching-blocks",
        }
    }

    /// The form with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Forms(u16);

impl Forms {
    /// No form.
    pub const NONE: Self = Self(0);

    /// Whether a form is in the set.
    pub const fn contains(self, form: Form) -> bool {
        self.0 >> form as u16 & 1 == 1
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Form> for Forms {
    fn from_iter<I: IntoIterator<Item = Form>>(forms: I) -> Self {
        Self(forms.into_iter().fold(0, |set, form| set | 1 << form as u16))
    }
}

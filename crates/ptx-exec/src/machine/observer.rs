//! What is observed of a launch: counts of instructions, and where registers are reported to.

use std::sync::atomic::{AtomicU64, Ordering};

use ptx_program::Program;
use ptx_program::decode::Registers;

use super::sectors::Sectors;
use crate::observe::{Counts, Observation, Profile, Trace};

/// Collects the observations of a launch.
pub(crate) struct Observer {
    /// By instruction; empty if nothing is counted.
    pub(super) counters: Vec<Counter>,
    pub(super) tracer: Option<Tracer>,
}

#[derive(Default)]
pub(super) struct Counter {
    pub(super) warps: AtomicU64,
    pub(super) threads: AtomicU64,
    pub(super) divergent: AtomicU64,
    pub(super) sectors: AtomicU64,
    pub(super) conflicts: AtomicU64,
}

pub(super) struct Tracer {
    pub(super) trace: Trace,
    pub(super) registers: Registers,
    /// By instruction of the program.
    pub(super) is_chosen: Vec<bool>,
}

impl Observer {
    pub(crate) fn new(program: &Program, observation: &Observation, registers: Registers) -> Self {
        let count = if observation.profile { program.code.len() } else { 0 };
        let tracer = observation.trace.clone().map(|trace| {
            let is_chosen = (0u32..).zip(&program.origins).map(|(pc, origin)| match &trace.instructions {
                None => true,
                Some(choice) => choice(origin.span, program.line_of(pc).map(|line| &**line)),
            });
            Tracer { is_chosen: is_chosen.collect(), registers, trace }
        });
        Self { counters: (0..count).map(|_| Counter::default()).collect(), tracer }
    }

    /// The counts, by PTX instruction.
    pub(crate) fn profile(&self, program: &Program) -> Vec<Profile> {
        let mut profile: Vec<Profile> = Vec::new();
        for ((pc, counter), origin) in (0u32..).zip(&self.counters).zip(&program.origins) {
            let counts = counter.counts();
            if counts.warps == 0 {
                continue;
            }
            let function = program.function_name(origin.function);
            // A PTX instruction may be several instructions here, which are counted once.
            if let Some(last) = profile.last_mut()
                && (last.span, last.function.as_str()) == (origin.span, function)
            {
                let warps = last.counts.warps.max(counts.warps);
                let threads = last.counts.threads.max(counts.threads);
                last.counts += counts;
                (last.counts.warps, last.counts.threads) = (warps, threads);
                continue;
            }
            profile.push(Profile {
                span: origin.span,
                source: program.line_of(pc).cloned(),
                instruction: origin.mnemonic.to_string(),
                function: function.to_owned(),
                counts,
            });
        }
        profile
    }

    /// Counts a divergent branch.
    pub(super) fn diverged(&self, pc: u32) {
        if let Some(counter) = self.counters.get(pc as usize) {
            counter.divergent.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether instructions are counted.
    pub(super) fn is_counting(&self) -> bool {
        !self.counters.is_empty()
    }

    /// Counts sectors that a thread touched for an instruction other than by its own accesses.
    pub(super) fn touch(&self, pc: u32, sectors: &Sectors) {
        if let Some(counter) = self.counters.get(pc as usize) {
            counter.add(sectors.count(), 0);
        }
    }
}

impl Counter {
    pub(super) fn add(&self, sectors: u64, conflicts: u64) {
        self.sectors.fetch_add(sectors, Ordering::Relaxed);
        self.conflicts.fetch_add(conflicts, Ordering::Relaxed);
    }

    pub(super) fn counts(&self) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            warps: of(&self.warps),
            threads: of(&self.threads),
            divergent: of(&self.divergent),
            sectors: of(&self.sectors),
            conflicts: of(&self.conflicts),
        }
    }
}

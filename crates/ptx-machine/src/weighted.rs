//! An estimate summed up.

use std::collections::BTreeMap;

use crate::class::Class;
use crate::estimate::{Estimate, MachineLoop};

/// How often instructions are issued.
#[derive(Clone, PartialEq, Debug)]
pub struct Weighted {
    /// By warps.
    pub warps: f64,
    /// By threads.
    pub threads: f64,
    /// By warps, of each class.
    pub classes: BTreeMap<Class, f64>,
    /// The part of `warps` whose count anchors and the graph fix.
    pub pinned: f64,
    /// The part of the anchors' executions that does not fit.
    pub residual: f64,
    /// The loops.
    pub loops: Vec<MachineLoop>,
}

impl Weighted {
    /// Sums an estimate up; padding is not issued.
    pub fn of(estimate: &Estimate) -> Self {
        let (mut warps, mut threads, mut classes) = (0.0, 0.0, BTreeMap::new());
        for block in &estimate.blocks {
            for instruction in block.instructions.iter().filter(|one| !one.is_padding()) {
                warps += block.warps();
                threads += block.threads;
                *classes.entry(Class::of(instruction)).or_default() += block.warps();
            }
        }
        Self {
            warps,
            threads,
            classes,
            pinned: estimate.pinned_share(),
            residual: estimate.residual,
            loops: estimate.loops.clone(),
        }
    }
}

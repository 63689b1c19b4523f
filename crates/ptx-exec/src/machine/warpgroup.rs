//! The matrix products that the warps of a warpgroup have issued, and in which order they see registers.

use std::collections::{BTreeSet, VecDeque};

use ptx_program::{Dst, FactorA, Row, Src, WARP, WARPGROUP, WarpgroupProduct};

use super::descriptor::SharedMatrix;
use super::matrix::Columns;

/// Operands that must agree between all warps of a group: the instruction, the descriptors of A and B, and whether D is added.
pub(super) type Common = (u32, [u64; 2], bool);

/// The products issued by the warps of a warpgroup.
#[derive(Debug, Default)]
pub(super) struct Warpgroup {
    /// Number of products issued by each warp.
    pub(super) counts: [u64; WARPGROUP],
    /// The products not yet issued by all warps.
    common: VecDeque<Common>,
    /// Number of products before those.
    passed: u64,
    /// Whether a warp waits for others.
    pub(super) is_awaited: bool,
}

impl Warpgroup {
    /// Records that a warp has issued its next product.
    pub(super) fn note(&mut self, warp: usize, common: Common) -> Result<(), &'static str> {
        let Some(count) = self.counts.get_mut(warp) else { return Ok(()) };
        // The first warp to issue a product determines its operands, with which those of the others are compared. A
        // product leaves the queue when all four have issued it, so that the length of the queue is the distance
        // between the fastest and the slowest warp.
        let at = count.saturating_sub(self.passed) as usize;
        *count += 1;
        match self.common.get(at) {
            None => self.common.push_back(common),
            Some(first) if first.0 != common.0 => {
                return Err("the warps of a warpgroup execute different `wgmma` instructions");
            }
            Some(first) if *first != common => {
                return Err("the warps of a warpgroup give different matrix descriptors or `scale-d`");
            }
            Some(_) => {}
        }
        while self.common.front().is_some() && self.counts.iter().all(|&count| count > self.passed) {
            self.common.pop_front();
            self.passed += 1;
        }
        Ok(())
    }
}

/// The products issued by a warp.
#[derive(Debug, Default)]
pub(super) struct Products {
    /// For each group that may still be waited for, the number of products issued up to its end.
    pub(super) groups: VecDeque<u64>,
    pub(super) order: RegisterOrder,
}

/// The register values seen by the products of a warp (manual 9.7.15.7.1): before the first `wgmma.fence`, and from a
/// wait until the next fence, they need not see what other instructions wrote meanwhile.
#[derive(Debug, Default)]
pub(super) struct RegisterOrder {
    pub(super) is_fenced: bool,
    /// The frame that executed the last wait, and its registers at that time. Before the first wait registers are undefined, modelled as zero.
    pub(super) waited: Option<(usize, Vec<Row>)>,
    /// Registers that products have written since or may still write, in which they see the sums.
    pub(super) sums: BTreeSet<Dst>,
}

impl RegisterOrder {
    /// The stale value that a product sees in a register, if any.
    fn stale(&self, frame: usize, register: Dst, rows: &[Row]) -> Option<(Dst, Row)> {
        if self.is_fenced || self.sums.contains(&register) {
            return None;
        }
        let before = match &self.waited {
            None => [0; WARP],
            Some((waited, before)) if *waited == frame => *before.get(register as usize)?,
            Some(_) => return None,
        };
        (before != *rows.get(register as usize)?).then_some((register, before))
    }

    /// The stale values that a product sees in its registers.
    pub(super) fn all_stale(
        &self,
        op: &WarpgroupProduct,
        work: &WarpgroupWork,
        frame: usize,
        rows: &[Row],
    ) -> Vec<(Dst, Row)> {
        let of_a: &[Src] = match &op.a {
            FactorA::Registers(srcs) => srcs,
            FactorA::Shared(_) => &[],
        };
        let of_d: &[Dst] = if work.accumulates { &op.d } else { &[] };
        let registers = of_a.iter().filter_map(|src| src.as_register()).chain(of_d.iter().copied());
        registers.filter_map(|register| self.stale(frame, register, rows)).collect()
    }
}

/// A factor in shared memory.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Shared(SharedMatrix),
    /// Already read: its values, line by line.
    Read(Vec<f64>),
}

/// A warp's share of a product, with the operands read at issue. The remaining operands are the registers of A and D.
#[derive(Clone, Debug)]
pub(super) struct WarpgroupWork {
    /// Number of earlier products of the warpgroup.
    pub(super) number: u64,
    pub(super) a: Option<Source>,
    pub(super) b: Source,
    pub(super) accumulates: bool,
    pub(super) columns: Columns,
    /// Stale register values that it sees.
    pub(super) stale: Vec<(Dst, Row)>,
}

impl WarpgroupWork {
    /// The value it sees in a register.
    pub(super) fn found(&self, src: Src, rows: &[Row], constants: &[Row]) -> Row {
        let stale = self.stale.iter().find(|(register, _)| Some(*register) == src.as_register());
        stale.map_or_else(|| *src.of(rows, constants), |(_, before)| *before)
    }

    /// Whether a factor has not been read yet.
    pub(super) fn reads_shared(&self) -> bool {
        let is_shared = |source: &Source| matches!(source, Source::Shared(_));
        is_shared(&self.b) || self.a.as_ref().is_some_and(is_shared)
    }
}

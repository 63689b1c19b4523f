//! Values of threads, of what depends on nothing but their indices.

use ptx_isa::{Component, SpecialReg};

use crate::operation::operate;
use crate::polynomial::{Atom, Polynomial};
use crate::values::Values;

/// A thread of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Thread {
    /// Its index in each dimension; `None` if it is not known.
    pub(crate) index: [Option<u32>; 3],
    pub(crate) lane: u32,
    pub(crate) warp: u32,
}

impl Values<'_, '_> {
    /// A sum of what depends on nothing but the thread; `None` if something else is in it.
    pub(crate) fn evaluate(&self, sum: &Polynomial, thread: &Thread) -> Option<i64> {
        let mut total = 0i64;
        for (atoms, factor) in sum.terms() {
            let mut product = factor;
            for atom in atoms {
                product = product.checked_mul(self.atom_of(*atom, thread)?)?;
            }
            total = total.checked_add(product)?;
        }
        Some(total)
    }

    fn atom_of(&self, atom: Atom, thread: &Thread) -> Option<i64> {
        match atom {
            Atom::Special(SpecialReg::Tid, Some(component)) => {
                thread.index.get(component.index()).copied().flatten().map(i64::from)
            }
            Atom::Special(SpecialReg::LaneId, None) => Some(thread.lane.into()),
            Atom::Operation(id) => {
                let operation = self.operation(id);
                let [a, b] = &operation.sources;
                operate(operation, self.evaluate(a, thread)?, self.evaluate(b, thread)?)
            }
            Atom::Special(..)
            | Atom::Parameter(..)
            | Atom::Address(_)
            | Atom::Iteration(_)
            | Atom::Finished(_)
            | Atom::Value(_)
            | Atom::Left(_) => None,
        }
    }
}

/// The threads of the warps of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Warps {
    pub(crate) all: Vec<Vec<Thread>>,
    /// Whether the shape of the block is known; otherwise warps are 32 threads that follow each other in the first dimension.
    pub(crate) is_known: bool,
}

/// Threads of a warp.
pub(crate) const WARP: u32 = 32;
/// Threads of the largest block.
const MOST_THREADS: u32 = 1024;

impl Warps {
    pub(crate) fn new(block: Option<[u32; 3]>) -> Self {
        let thread = |number: u32| {
            let index = match block {
                Some([x, y, _]) => {
                    let (x, y) = (x.max(1), y.max(1));
                    [number % x, number / x % y, number / x / y].map(Some)
                }
                None => [Some(number), None, None],
            };
            Thread { index, lane: number % WARP, warp: number / WARP }
        };
        let count = match block {
            Some(extents) => extents.iter().fold(1, |count: u32, extent| count.saturating_mul(*extent)),
            None => MOST_THREADS,
        };
        let threads: Vec<Thread> = (0..count.min(MOST_THREADS)).map(thread).collect();
        let all = threads.chunks(WARP as usize).map(<[Thread]>::to_vec).collect();
        Self { all, is_known: block.is_some() }
    }

    /// Whether an index of threads is the same for all of a warp.
    pub(crate) fn is_uniform(&self, component: Component) -> bool {
        self.all.iter().all(|warp| {
            warp.windows(2).all(|pair| match pair {
                [a, b] => a.index.get(component.index()) == b.index.get(component.index()),
                _ => true,
            })
        })
    }
}

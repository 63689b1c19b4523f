//! The pointers from which the address of an access is computed, by which a fault outside all memory is described.
//!
//! The registers of the address are followed backwards through all instructions of the function that write them, whatever the order in which they
//! are executed. The result is therefore only used where it names one object: a register that is used for two pointers has both.

use std::collections::BTreeSet;

use ptx_program::memory::Space;
use ptx_program::{Base, Dst, Effect, Functions, Load, Op, Operand, Program, Slot, Src};
use rustc_hash::FxHashMap;

/// Where a kernel gets a pointer from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Pointer {
    /// The parameter of 8 bytes at this offset.
    Parameter(u64),
    /// The variable with this address.
    Variable(u64),
}

impl Pointer {
    /// Its value in a launch with these parameters.
    pub(crate) fn value(self, params: &[u8]) -> Option<u64> {
        match self {
            Self::Variable(address) => Some(address),
            Self::Parameter(offset) => {
                let bytes = params.get(usize::try_from(offset).ok()?..)?;
                bytes.first_chunk().copied().map(u64::from_le_bytes)
            }
        }
    }
}

/// The pointers that the global or generic address of an instruction may be computed from. None if it may be computed from others, too: those in memory, or
/// those that a function was passed.
pub(crate) fn pointers(program: &Program, pc: u32) -> Vec<Pointer> {
    let Some(src) = address(program, pc) else { return Vec::new() };
    let mut search = Search::new(program, pc);
    search.read(src);
    while let Some(row) = search.left.pop() {
        search.written(row);
    }
    if search.is_open { Vec::new() } else { search.found.into_iter().collect() }
}

/// The operand that contains the only global or generic address of an instruction.
fn address(program: &Program, pc: u32) -> Option<Src> {
    let Op::Effect(effect) = &program.code.get(pc as usize)?.op else { return None };
    let runs = effect.accesses()?.runs;
    let is_global = |space| matches!(space, Space::Global | Space::Generic);
    let mut srcs = runs.iter().filter(|run| is_global(run.address.space)).map(|run| match run.address.base {
        Base::Row(src, _) => Some(src),
        Base::Frame => None,
    });
    let first = srcs.next()??;
    srcs.all(|src| src == Some(first)).then_some(first)
}

struct Search<'p> {
    program: &'p Program,
    /// The instructions of the function that write each row.
    writers: FxHashMap<Dst, Vec<&'p Op>>,
    is_kernel: bool,
    seen: BTreeSet<Dst>,
    left: Vec<Dst>,
    found: BTreeSet<Pointer>,
    /// Whether there may be other pointers.
    is_open: bool,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, pc: u32) -> Self {
        let function_of = |pc: usize| program.origins.get(pc).map(|origin| origin.function);
        let function = function_of(pc as usize);
        let mut writers: FxHashMap<Dst, Vec<&Op>> = FxHashMap::default();
        for (_, inst) in program.code.iter().enumerate().filter(|(at, _)| function_of(*at) == function) {
            inst.op.operands(&mut |operand| match operand {
                Operand::Write(&row) | Operand::Update(&row) => {
                    writers.entry(row).or_default().push(&inst.op);
                }
                Operand::Result(&Slot::Rows { first, count, .. }) => {
                    let rows = (0..count).filter_map(|n| first.plus(n).as_register());
                    rows.for_each(|row| writers.entry(row).or_default().push(&inst.op));
                }
                _ => {}
            });
        }
        let is_kernel = function == Some(Functions::KERNEL);
        let (seen, left, found) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
        Self { program, writers, is_kernel, seen, left, found, is_open: false }
    }

    fn read(&mut self, src: Src) {
        if let Some(row) = src.as_register() {
            if self.seen.insert(row) {
                self.left.push(row);
            }
        } else if let Some(index) = src.as_constant()
            && self.program.constants.global().binary_search(&index).is_ok()
        {
            let row = self.program.constants.rows().get(index as usize);
            self.found.extend(row.map(|row| Pointer::Variable(row[0])));
        }
    }

    /// Follows a register through the instructions that write it.
    fn written(&mut self, row: Dst) {
        let Some(writers) = self.writers.get(&row).cloned() else {
            // A parameter of the function.
            self.is_open |= !self.is_kernel;
            return;
        };
        for op in writers {
            match op {
                Op::Effect(Effect::Load(load)) => self.loaded(load, row),
                // Indices.
                Op::Effect(Effect::Atomic(atomic)) if atomic.size < 8 => {}
                Op::Effect(Effect::Special { register, .. }) => {
                    self.is_open |= matches!(register, ptx_isa::SpecialReg::Envreg(_));
                }
                Op::Effect(Effect::FrameAddress { .. } | Effect::ActiveMask { .. }) => {}
                Op::Alu(_) | Op::Effect(Effect::Copy(_) | Effect::Collective(_) | Effect::MapAddress(_)) => {
                    op.operands(&mut |operand| match operand {
                        Operand::Read(&src) | Operand::ReadPair(&src) => self.read(src),
                        Operand::Update(&row) => self.read(Src::register(row)),
                        _ => {}
                    });
                }
                Op::Effect(_) => self.is_open = true,
            }
        }
    }

    /// A load of elements shorter than a pointer loads an index.
    fn loaded(&mut self, load: &Load, row: Dst) {
        if load.size < 8 {
            return;
        }
        let start = match load.address.base {
            Base::Row(src, _) if load.address.space == Space::Param => {
                src.as_constant().and_then(|index| self.program.constants.rows().get(index as usize))
            }
            _ => None,
        };
        match (start, load.dsts.iter().position(|&dst| dst == row)) {
            (Some(start), Some(at)) if load.size == 8 => {
                let offset = start[0].wrapping_add(load.address.offset as u64).wrapping_add(8 * at as u64);
                self.found.insert(Pointer::Parameter(offset));
            }
            _ => self.is_open = true,
        }
    }
}

//! Work and traffic of a thread, by the statements of loops.

use std::collections::BTreeMap;

use ptx_ir::Inst;
use ptx_isa::{ArithSem, Field, MatrixSem, Mod, ScalarType, Sem, StateSpace, TypeKind};
use serde::Serialize;

use crate::flow::LoopFacts;
use crate::memory::Site;
use crate::values::Values;

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Work {
    /// Floating-point operations: of a fused multiply and add two, of packed ones those of each element, of a matrix product the share of a thread.
    pub float: f64,
    /// Integer operations: arithmetic, logic, shifts and comparisons.
    pub integer: f64,
    /// Bytes of global memory that are read.
    pub read: f64,
    /// Bytes of global memory that are written; atomic operations count as both.
    pub written: f64,
}

impl Work {
    /// Floating-point operations for each byte; `None` without accesses of global memory.
    pub fn intensity(&self) -> Option<f64> {
        let bytes = self.read + self.written;
        (bytes > 0.0).then(|| self.float / bytes)
    }

    pub(crate) fn add(&mut self, other: &Self, times: f64) {
        self.float += times * other.float;
        self.integer += times * other.integer;
        self.read += times * other.read;
        self.written += times * other.written;
    }
}

/// The work of an iteration of a loop, without loops in it, or of a function outside of loops. All branches are taken to be executed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LoopWork {
    /// The loop; `None` for what is outside of loops.
    pub r#loop: Option<LoopFacts>,
    /// The work.
    pub work: Work,
}

/// The work with loops of known trip counts in it, for each number of iterations of the others together.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WorkTerm {
    /// The numbers of the loops whose trip counts this is to be multiplied with; none for what is executed once.
    pub loops: Vec<usize>,
    /// The work.
    pub work: Work,
}

/// The work of a thread.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Roofline {
    /// The parts.
    pub parts: Vec<LoopWork>,
    /// Their sum.
    pub total: Vec<WorkTerm>,
    /// The floating-point operations for each byte, where they do not depend on trip counts that are not known: of all of it, or, in a function with such
    /// loops, of the deepest one with most operations.
    pub intensity: Option<f64>,
    /// Accesses of global memory whose size is not known; their bytes are missing.
    pub unknown: u32,
    /// Calls, whose work is missing.
    pub calls: u32,
}

impl Values<'_, '_> {
    pub(crate) fn roofline(&self, sites: &[Site]) -> Roofline {
        let code = self.code;
        let loops = (0..code.loops.all.len()).map(Some);
        let mut parts: BTreeMap<Option<usize>, Work> =
            loops.chain([None]).map(|number| (number, Work::default())).collect();
        let mut calls = 0;
        for &block in &code.order {
            let part = parts.entry(code.loops.around(block).next()).or_default();
            for (_, inst) in code.instructions(block) {
                part.add(&operations(inst), 1.0);
                calls += u32::from(inst.mnemonic.sem() == Sem::Control(ptx_isa::ControlSem::Call));
            }
        }
        let mut unknown = 0;
        for site in sites.iter().filter(|site| site.space == Some(StateSpace::Global)) {
            let part = parts.entry(code.loops.around(code.block_of(site.statement)).next()).or_default();
            match site.access.bytes {
                Some(bytes) => part.add(&traffic(site, bytes.into()), 1.0),
                None => unknown += 1,
            }
        }
        let parts: Vec<LoopWork> = parts
            .into_iter()
            .map(|(number, work)| LoopWork { r#loop: number.map(|number| self.loop_facts(number)), work })
            .collect();
        let total = self.total(&parts);
        let intensity = match total.as_slice() {
            [only] => only.work.intensity(),
            terms => {
                let deepest = terms.iter().map(|term| term.loops.len()).max();
                let deepest = terms.iter().filter(|term| Some(term.loops.len()) == deepest);
                deepest
                    .max_by(|a, b| a.work.float.total_cmp(&b.work.float))
                    .and_then(|term| term.work.intensity())
            }
        };
        Roofline { parts, total, intensity, unknown, calls }
    }

    /// The sum of all parts, with the trip counts that are constants.
    fn total(&self, parts: &[LoopWork]) -> Vec<WorkTerm> {
        let mut total: BTreeMap<Vec<usize>, Work> = BTreeMap::from([(Vec::new(), Work::default())]);
        for part in parts {
            let (mut times, mut loops) = (1.0, Vec::new());
            let mut around = part.r#loop.as_ref().map(|own| own.number);
            while let Some(number) = around {
                let facts = self.loop_facts(number);
                match facts.trips.filter(|_| !facts.may_end_before) {
                    Some(count) => times *= count as f64,
                    None => loops.push(number),
                }
                around = facts.parent;
            }
            loops.reverse();
            total.entry(loops).or_default().add(&part.work, times);
        }
        total.into_iter().map(|(loops, work)| WorkTerm { loops, work }).collect()
    }
}

/// The bytes of an access.
pub(crate) fn traffic(site: &Site, bytes: f64) -> Work {
    use crate::memory::AccessKind::{Atomic, Read, Write};
    let (read, written) = match site.access.kind {
        Read => (bytes, 0.0),
        Write => (0.0, bytes),
        Atomic => (bytes, bytes),
    };
    Work { read, written, ..Work::default() }
}

/// The operations of an instruction.
pub(crate) fn operations(inst: &Inst) -> Work {
    let ty = inst.mnemonic.scalar_type();
    let elements = match ty {
        Some(
            ScalarType::F16x2
            | ScalarType::Bf16x2
            | ScalarType::F32x2
            | ScalarType::U16x2
            | ScalarType::S16x2,
        ) => 2.0,
        Some(ScalarType::U8x4 | ScalarType::S8x4) => 4.0,
        _ => 1.0,
    };
    let is_float = ty.is_some_and(|ty| {
        ty.kind() == TypeKind::Float
            || matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2 | ScalarType::F32x2)
    });
    let count = match inst.mnemonic.sem() {
        Sem::Arith(
            ArithSem::Mad | ArithSem::Fma | ArithSem::FmaOob | ArithSem::Mad24 | ArithSem::MadCarry,
        ) => 2.0,
        Sem::Arith(_) => 1.0,
        Sem::Bits(_) | Sem::Compare(_) | Sem::Video(_) => 1.0,
        Sem::Matrix(
            MatrixSem::Mma
            | MatrixSem::MmaSparse
            | MatrixSem::MmaScaled
            | MatrixSem::Wmma
            | MatrixSem::Wgmma
            | MatrixSem::WgmmaSparse,
        ) => return product(inst),
        _ => return Work::default(),
    };
    match (inst.mnemonic.sem(), is_float) {
        (Sem::Arith(_), true) => Work { float: count * elements, ..Work::default() },
        _ => Work { integer: count * elements, ..Work::default() },
    }
}

/// The share of a thread in a matrix product.
fn product(inst: &Inst) -> Work {
    let threads = match inst.mnemonic.sem() {
        Sem::Matrix(MatrixSem::Wgmma | MatrixSem::WgmmaSparse) => 128.0,
        _ => 32.0,
    };
    let shape = inst.mnemonic.get(Field::Shape).and_then(|shape| extents(shape.as_str()));
    let Some([m, n, k]) = shape else { return Work::default() };
    let count = 2.0 * m * n * k / threads;
    let is_integer = inst
        .mnemonic
        .modifiers()
        .any(|modifier| matches!(modifier, Mod::S8 | Mod::U8 | Mod::S4 | Mod::U4 | Mod::B1 | Mod::S32));
    if is_integer {
        Work { integer: count, ..Work::default() }
    } else {
        Work { float: count, ..Work::default() }
    }
}

/// `m16n8k16` as numbers.
fn extents(shape: &str) -> Option<[f64; 3]> {
    let (m, rest) = shape.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some([m.parse().ok()?, n.parse().ok()?, k.parse().ok()?])
}

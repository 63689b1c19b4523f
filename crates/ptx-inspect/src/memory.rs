//! Accesses of memory.

use ptx_ir::{Inst, Operand};
use ptx_isa::{AsyncSem, Field, MatrixSem, MemorySem, Mod, OperandKey, OperandKind, Sem, StateSpace};
use serde::Serialize;

use crate::divergence::{Divergence, Level};
use crate::polynomial::{Atom, Polynomial};

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes at once.
    Atomic,
}

/// What an address is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddressForm {
    /// The same for all threads of a warp.
    Uniform,
    /// What is the same, and multiples of the indices of the thread.
    Affine,
    /// What is the same, and what else is computed of the indices of the thread alone.
    OfIndices,
    /// Something else.
    Unknown,
}

/// An access of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Access {
    /// Its line, from 1; 0 for none.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// What it does.
    pub kind: AccessKind,
    /// The state space, of generic addresses that of their base; `generic` if it is not known.
    pub space: &'static str,
    /// Bytes of a thread, vectors as a whole; `None` of accesses that threads do together and of those whose size is not a constant.
    pub bytes: Option<u32>,
    /// Elements of a vector; 1 for others.
    pub elements: u32,
    /// Cache operators, eviction priorities, prefetch sizes and policies, with their dots.
    pub cache: String,
    /// The address, as a sum of parameters, special registers and registers.
    pub address: Option<String>,
    /// What that is.
    pub form: AddressForm,
    /// Whether it is executed by a part of a warp in some cases, as far as its own guard and branches in the function are known.
    pub is_guarded: bool,
}

/// An access, for analyses of its addresses.
pub(crate) struct Site {
    pub(crate) statement: usize,
    pub(crate) space: Option<StateSpace>,
    pub(crate) sum: Option<Polynomial>,
    /// The bytes that each lane accesses, and how many lanes give an address.
    pub(crate) lanes: Option<(u32, u32)>,
    pub(crate) access: Access,
}

/// An address that is the same for a warp but for a part that is known of each thread.
pub(crate) struct Known {
    /// The part that is the same.
    pub(crate) same: Polynomial,
    /// The other one.
    pub(crate) own: Polynomial,
}

impl Divergence<'_, '_, '_> {
    /// The accesses of a function, in order, but for those of parameters.
    pub(crate) fn sites(&self) -> Vec<Site> {
        let code = self.values.code;
        let mut sites = Vec::new();
        for (at, inst) in code.body.instructions() {
            let effects = inst.mnemonic.effects();
            if !code.is_reached(code.block_of(at)) || !(effects.reads || effects.writes) {
                continue;
            }
            for (place, operand) in inst.mnemonic.form().operands.iter().zip(code.body.operands(inst)) {
                let space = match place.kind {
                    OperandKind::Address | OperandKind::LooseAddress => inst.mnemonic.space(),
                    OperandKind::AddressIn(space) => Some(space),
                    _ => continue,
                };
                // The address of a barrier in memory is not data.
                if operand.is_omitted() || is_barrier(inst.mnemonic.sem(), place.key) {
                    continue;
                }
                sites.extend(self.site(at, inst, (place.key, *operand), space));
            }
        }
        sites
    }

    fn site(
        &self,
        at: usize,
        inst: &Inst,
        (key, operand): (OperandKey, Operand),
        space: Option<StateSpace>,
    ) -> Option<Site> {
        let code = self.values.code;
        let sum = self.values.address(at, operand);
        let space = match space {
            Some(space) => Some(space.window()),
            None => sum.as_ref().and_then(|sum| self.values.window(sum)),
        };
        if space == Some(StateSpace::Param) {
            return None;
        }
        let (bytes, lanes) = size(self, inst);
        let form = match &sum {
            Some(sum) => self.form(sum),
            None => AddressForm::Unknown,
        };
        let is_guarded = inst.guard.is_some_and(|guard| self.of_guard(at, guard) == Level::Thread);
        let access = Access {
            line: code.line(at),
            instruction: code.text(inst),
            kind: kind(inst, key),
            space: match space {
                Some(space) => space.as_str(),
                None => "generic",
            },
            bytes,
            elements: elements(inst),
            cache: cache(inst),
            address: sum.as_ref().map(|sum| self.values.text(sum)),
            form,
            is_guarded,
        };
        Some(Site { statement: at, space, sum, lanes: bytes.zip(lanes), access })
    }

    /// What a sum is made of.
    pub(crate) fn form(&self, sum: &Polynomial) -> AddressForm {
        if self.of_sum(sum) < Level::Thread {
            return AddressForm::Uniform;
        }
        let is_index = |atom: Atom| {
            matches!(atom, Atom::Special(ptx_isa::SpecialReg::Tid | ptx_isa::SpecialReg::LaneId, _))
        };
        let is_affine = sum.terms().all(|(atoms, _)| {
            let mut own = atoms.iter().filter(|atom| self.of_atom(**atom) == Level::Thread);
            match (own.next(), own.next()) {
                (None, _) => true,
                (Some(one), None) => is_index(*one),
                (Some(_), Some(_)) => false,
            }
        });
        match self.split(sum) {
            _ if is_affine => AddressForm::Affine,
            Some(_) => AddressForm::OfIndices,
            None => AddressForm::Unknown,
        }
    }

    /// An address as what is the same for a warp, and what is known of each of its threads.
    pub(crate) fn split(&self, sum: &Polynomial) -> Option<Known> {
        let thread = self.warps.all.first().and_then(|warp| warp.first())?;
        // What is known of each thread is told apart even where it is the same for a warp: its value is known.
        let is_known = |atoms: &[Atom]| {
            let value = |atom: &Atom| self.values.evaluate(&Polynomial::atom(*atom), thread);
            !atoms.is_empty() && atoms.iter().all(|atom| value(atom).is_some())
        };
        let (same, own) = (sum.only(|atoms| !is_known(atoms)), sum.only(is_known));
        if same.atoms().any(|atom| self.of_atom(atom) == Level::Thread) {
            return None;
        }
        Some(Known { same, own })
    }
}

/// Whether an operand is the address of a barrier, which other instructions than its own only name.
fn is_barrier(sem: Sem, key: OperandKey) -> bool {
    key == OperandKey::Mbar && !matches!(sem, Sem::Async(AsyncSem::MbarrierArrive))
}

fn kind(inst: &Inst, key: OperandKey) -> AccessKind {
    let effects = inst.mnemonic.effects();
    let is_source = matches!(key, OperandKey::Src | OperandKey::SrcMem);
    let is_target = matches!(key, OperandKey::Dst | OperandKey::DstMem);
    match inst.mnemonic.sem() {
        Sem::Memory(MemorySem::Atom | MemorySem::Red | MemorySem::AtomVector | MemorySem::RedVector) => {
            AccessKind::Atomic
        }
        Sem::Memory(MemorySem::Load | MemorySem::LoadUniform) => AccessKind::Read,
        Sem::Memory(MemorySem::Store) => AccessKind::Write,
        _ if is_source => AccessKind::Read,
        _ if is_target => AccessKind::Write,
        _ => match (effects.reads, effects.writes) {
            (true, true) => AccessKind::Atomic,
            (true, false) => AccessKind::Read,
            (false, _) => AccessKind::Write,
        },
    }
}

/// The elements of a vector.
fn elements(inst: &Inst) -> u32 {
    match inst.mnemonic.get(Field::Vec) {
        Some(Mod::V2) => 2,
        Some(Mod::V4) => 4,
        Some(Mod::V8) => 8,
        _ => 1,
    }
}

/// The bytes of each thread, and how many lanes have an address of their own.
fn size(of: &Divergence<'_, '_, '_>, inst: &Inst) -> (Option<u32>, Option<u32>) {
    /// Bytes of a row of a matrix.
    const ROW: u32 = 16;
    let ty = inst.mnemonic.scalar_type();
    match inst.mnemonic.sem() {
        Sem::Memory(
            MemorySem::Load
            | MemorySem::LoadUniform
            | MemorySem::Store
            | MemorySem::Atom
            | MemorySem::Red
            | MemorySem::AtomVector
            | MemorySem::RedVector,
        ) => (ty.map(|ty| ty.bytes() * elements(inst)), Some(32)),
        Sem::Async(AsyncSem::CpAsync) => {
            let at = inst.mnemonic.form().operand(OperandKey::CpSize);
            let operands = of.values.code.body.operands(inst);
            let size = at.and_then(|at| operands.get(at)).and_then(|operand| match operand {
                Operand::Immediate(size) => size.as_integer(),
                _ => None,
            });
            (size.and_then(|size| u32::try_from(size).ok()), Some(32))
        }
        Sem::Matrix(MatrixSem::Ldmatrix | MatrixSem::Stmatrix) if inst.mnemonic.has(Mod::M8n8) => {
            let lanes = match inst.mnemonic.get(Field::Num) {
                Some(Mod::X1) => Some(8),
                Some(Mod::X2) => Some(16),
                Some(Mod::X4) => Some(32),
                _ => None,
            };
            (Some(ROW), lanes)
        }
        _ => (None, None),
    }
}

/// The modifiers that are about caches.
fn cache(inst: &Inst) -> String {
    let is_cache = |field| {
        matches!(
            field,
            Field::Cop | Field::EvictL1 | Field::EvictL2 | Field::CacheHint | Field::PrefetchSize | Field::Nc
        )
    };
    let chosen = inst.mnemonic.slots().filter(|(slot, _)| slot.field().is_some_and(is_cache));
    chosen.filter_map(|(_, modifier)| modifier).map(|modifier| format!(".{modifier}")).collect()
}

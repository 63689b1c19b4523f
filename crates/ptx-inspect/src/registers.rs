//! Registers that are live at once.

use ptx_ir::liveness::{BlockAccesses, End};
use ptx_ir::{Inst, RegId};
use ptx_isa::ScalarType;
use serde::Serialize;

use crate::code::Code;

/// Live ranges with more blocks and edges together are not walked.
const MOST_LIVE_RANGES: usize = 1 << 24;

/// Registers by class. Those of 16 bits and fewer take one of 32 bits, and vectors one for each element.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Pressure {
    /// Of 32 bits and fewer.
    pub bits32: u32,
    /// Of 64 bits, each two of the machine.
    pub bits64: u32,
    /// Of 128 bits, each four of the machine.
    pub bits128: u32,
    /// Predicates.
    pub predicates: u32,
}

impl Pressure {
    /// Registers of the machine, which have 32 bits.
    pub fn units(&self) -> u32 {
        self.bits32 + 2 * self.bits64 + 4 * self.bits128
    }

    fn add(&mut self, elements: u32, ty: ScalarType) {
        *self.of(ty) += elements;
    }

    fn remove(&mut self, elements: u32, ty: ScalarType) {
        *self.of(ty) -= elements;
    }

    fn of(&mut self, ty: ScalarType) -> &mut u32 {
        match (ty, ty.bits()) {
            (ScalarType::Pred, _) => &mut self.predicates,
            (_, 128) => &mut self.bits128,
            (_, 64) => &mut self.bits64,
            _ => &mut self.bits32,
        }
    }
}

/// The registers that are live at an instruction: before or after it, with those that it writes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PressurePoint {
    /// The line of the instruction.
    pub line: u32,
    /// The registers.
    pub live: Pressure,
}

/// The register pressure of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Registers {
    /// The registers that it names.
    pub named: u32,
    /// The point with the most registers of the machine; the first one of several.
    pub most: PressurePoint,
    /// The instruction there.
    pub instruction: String,
    /// The registers that are live there, each with the line where it was written last on the way, 0 where several are possible or none is.
    pub live: Vec<LiveRegister>,
    /// Every instruction, in the order of the text.
    pub points: Vec<PressurePoint>,
}

/// A register that is live.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LiveRegister {
    /// Its name.
    pub register: String,
    /// Its type.
    pub r#type: &'static str,
    /// The line of its only write; 0 if it has several.
    pub written: u32,
}

/// The point with the most registers.
struct Most {
    at: usize,
    live: Pressure,
    registers: Vec<RegId>,
}

/// The set of live registers while a block is walked from its end.
struct Live<'c, 'm> {
    code: &'c Code<'m>,
    is_live: Vec<bool>,
    now: Pressure,
}

impl Live<'_, '_> {
    fn insert(&mut self, register: RegId) {
        if !std::mem::replace(&mut self.is_live[register.index()], true) {
            let decl = self.code.body.decl(register);
            self.now.add(decl.shape.lanes(), decl.ty);
        }
    }

    fn remove(&mut self, register: RegId) {
        if std::mem::replace(&mut self.is_live[register.index()], false) {
            let decl = self.code.body.decl(register);
            self.now.remove(decl.shape.lanes(), decl.ty);
        }
    }

    /// Goes over an instruction to the point before it. Returns the registers of the point with more of them, before or after it.
    fn step(&mut self, at: usize, inst: &Inst, most: &mut Option<Most>) -> Pressure {
        let body = self.code.body;
        body.for_each_register(inst, |register, role| {
            if role.is_written() {
                self.insert(register);
            }
        });
        let after = self.now;
        self.compare(at, most);
        if inst.guard.is_none() {
            body.for_each_register(inst, |register, role| {
                if role.is_written() && !role.is_read() {
                    self.remove(register);
                }
            });
        }
        body.for_each_register(inst, |register, role| {
            if role.is_read() {
                self.insert(register);
            }
        });
        self.compare(at, most);
        if self.now.units() > after.units() { self.now } else { after }
    }

    /// Keeps this point if none has more; of several the first in the text.
    fn compare(&self, at: usize, most: &mut Option<Most>) {
        let rank = |at: usize, live: &Pressure| (live.units(), live.predicates, usize::MAX - at);
        if most.as_ref().is_none_or(|before| rank(at, &self.now) > rank(before.at, &before.live)) {
            *most = Some(Most { at, live: self.now, registers: self.registers() });
        }
    }

    fn registers(&self) -> Vec<RegId> {
        let all = (0..).zip(&self.is_live);
        all.filter(|(_, is_live)| **is_live).map(|(register, _)| RegId(register)).collect()
    }
}

/// The registers that are live at each instruction; `None` without instructions, or if there are too many.
pub(crate) fn registers(code: &Code<'_>) -> Option<Registers> {
    let live_out = accesses(code).live_at(&code.cfg, End::Finish, MOST_LIVE_RANGES)?;
    let mut points: Vec<(usize, Pressure)> = Vec::new();
    let mut most: Option<Most> = None;
    let mut own = Live { code, is_live: vec![false; code.body.registers.len()], now: Pressure::default() };
    for (block, live) in live_out.iter().enumerate() {
        own.registers().into_iter().for_each(|register| own.remove(register));
        live.iter().for_each(|register| own.insert(RegId(*register)));
        for (at, inst) in code.instructions(block).rev() {
            points.push((at, own.step(at, inst, &mut most)));
        }
    }
    points.sort_unstable_by_key(|(at, _)| *at);
    let Most { at, live, registers } = most?;
    let instruction =
        code.body.instructions().find(|(other, _)| *other == at).map(|(_, inst)| code.text(inst));
    Some(Registers {
        named: u32::try_from(code.body.registers.len()).ok()?,
        most: PressurePoint { line: code.line(at), live },
        instruction: instruction?,
        live: live_registers(code, &registers),
        points: points.into_iter().map(|(at, live)| PressurePoint { line: code.line(at), live }).collect(),
    })
}

fn live_registers(code: &Code<'_>, registers: &[RegId]) -> Vec<LiveRegister> {
    // The line of a register's write; 0 once there are two.
    let mut written: Vec<Option<u32>> = vec![None; code.body.registers.len()];
    for (at, inst) in code.body.instructions() {
        code.body.for_each_register(inst, |register, role| {
            if role.is_written() {
                let place = &mut written[register.index()];
                *place = Some(if place.is_none() { code.line(at) } else { 0 });
            }
        });
    }
    let live = |register: &RegId| LiveRegister {
        register: code.register(*register),
        r#type: code.body.reg_type(*register).as_str(),
        // A parameter in a register has no write.
        written: written[register.index()].into_iter().sum(),
    };
    registers.iter().map(live).collect()
}

fn accesses(code: &Code<'_>) -> BlockAccesses {
    let mut accesses = BlockAccesses::new(code.body.registers.len());
    for block in 0..code.cfg.blocks.len() {
        for (_, inst) in code.instructions(block) {
            code.body.for_each_register(inst, |register, role| {
                if role.is_read() {
                    accesses.read(block, register.index());
                }
            });
            if inst.guard.is_none() {
                code.body.for_each_register(inst, |register, role| {
                    if role.is_written() && !role.is_read() {
                        accesses.write(block, register.index());
                    }
                });
            }
        }
    }
    accesses
}

//! Vector registers, and accesses whose registers are wider than what is accessed.

use super::generate::Generator;
use super::syntax::*;

pub(super) fn episode(g: &mut Generator) {
    if g.one_in(3) {
        return widths(g);
    }
    let (element, lanes) = shape(g);
    let (a, b) = (filled(g, element, lanes), g.vector(None, element, lanes));
    let all = g.lanes_of(a);
    let braces =
        |registers: &[Register]| Lanes::Braces(registers.iter().copied().map(Operand::Register).collect());
    match g.rng.u8(..5) {
        0 => g.statement(What::CopyVector { element, to: Lanes::Vector(b), from: Lanes::Vector(a) }),
        1 => {
            let mut mixed = all.clone();
            g.rng.shuffle(&mut mixed);
            g.statement(What::CopyVector { element, to: Lanes::Vector(b), from: braces(&mixed) });
        }
        2 if element.bits * lanes <= 64 => {
            let ty = Type::b(element.bits * lanes);
            let whole = g.register(ty.bits);
            g.statement(What::Pack { ty, to: whole, from: Lanes::Vector(a) });
            g.observe(whole, ty);
            g.statement(What::Unpack { ty, to: Lanes::Vector(b), from: whole });
        }
        kind => {
            // Through memory, in one access or element by element.
            let bytes = element.bytes() * lanes;
            let space = *g.choose(&[Space::Local, Space::Local, Space::Shared, Space::Global]);
            let variable = g.place(space, Type::b(8), Some(2 * bytes), 16);
            g.alone(|g| {
                for half in 0..2 {
                    let at = Address { base: Base::Variable(variable), offset: half * i64::from(bytes) };
                    let from = Lanes::Vector(a);
                    g.statement(What::Store { qualifier: "", space: Some(space), ty: element, from, at });
                }
                let at = Address { base: Base::Variable(variable), offset: i64::from(bytes) };
                let mut to = g.lanes_of(b);
                g.rng.shuffle(&mut to);
                let to = if kind == 3 { Lanes::Vector(b) } else { braces(&to) };
                g.statement(What::Load { qualifier: "", space: Some(space), ty: element, to, at });
                finish(g, b, element);
            });
            g.statement(What::CopyVector { element, to: Lanes::Vector(b), from: Lanes::Vector(a) });
        }
    }
    finish(g, b, element);
    if element.bits > 8 {
        let lanes = g.lanes_of(b);
        g.current.pool.extend(lanes);
    }
}

/// Observes a vector: as a whole, or one element changed.
fn finish(g: &mut Generator, vector: VectorId, element: Type) {
    let lanes = g.lanes_of(vector);
    if g.rng.bool() {
        let to = *g.choose(&lanes);
        let from = g.value(element.bits);
        let operation = *g.choose(&["add", "sub", "mul.lo"]);
        g.compute(operation, Type::u(element.bits), to, &[Operand::Register(to), from]);
    }
    let at = g.output(element.bytes() * lanes.len() as u32);
    let from = Lanes::Vector(vector);
    g.statement(What::Store { qualifier: "", space: Some(Space::Global), ty: element, from, at });
}

/// An element and how many of them.
pub(super) fn shape(g: &mut Generator) -> (Type, u32) {
    let (bits, lanes) = *g.choose(&[(16, 2), (16, 4), (32, 2), (32, 4), (32, 4), (64, 2)]);
    (Type::b(bits), lanes)
}

/// A vector register with numbers in it.
pub(super) fn filled(g: &mut Generator, element: Type, lanes: u32) -> VectorId {
    let vector = g.vector(None, element, lanes);
    for lane in g.lanes_of(vector) {
        let from = g.value(element.bits);
        g.compute("mov", element, lane, &[from]);
    }
    vector
}

/// Narrow accesses of wide registers.
fn widths(g: &mut Generator) {
    let space = *g.choose(&[Space::Local, Space::Shared, Space::Global]);
    let variable = g.place(space, Type::b(8), Some(16), 16);
    g.alone(|g| {
        for half in 0..2 {
            let from = g.value(64);
            g.store_to(variable, 8 * half, Type::b(64), from);
        }
        for _ in 0..g.rng.usize(1..4) {
            let narrow = *g.choose(&[8, 16, 32]);
            let wide = *g.choose(&[16, 32, 64]);
            if wide < narrow {
                continue;
            }
            let lanes = if g.rng.bool() { 1 } else { *g.choose(&[2, 4]) };
            let offset = i64::from(g.rng.u32(..128 / (narrow * lanes)) * narrow * lanes / 8);
            let at = Address { base: Base::Variable(variable), offset };
            let ty = Type { letter: *g.choose(&['u', 's', 'b']), bits: narrow };
            if g.rng.bool() {
                let from: Vec<_> = (0..lanes).map(|_| Operand::Register(g.value_register(wide))).collect();
                let from = if lanes == 1 { Lanes::One(from[0]) } else { Lanes::Braces(from) };
                g.statement(What::Store { qualifier: "", space: Some(space), ty, from, at });
            }
            let to: Vec<Register> = (0..lanes).map(|_| g.register(wide)).collect();
            let all: Vec<_> = to.iter().copied().map(Operand::Register).collect();
            let lanes = if lanes == 1 { Lanes::One(all[0]) } else { Lanes::Braces(all) };
            g.statement(What::Load { qualifier: "", space: Some(space), ty, to: lanes, at });
            for register in to {
                g.observe(register, Type::b(wide));
            }
        }
    });
}

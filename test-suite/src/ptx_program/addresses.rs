//! Addresses are numbers: those of several variables added, subtracted, stored, loaded, converted, compared.

use super::generate::Generator;
use super::syntax::*;

/// Variables that one thread works on, and how it can name their bytes.
struct Places {
    space: Space,
    variables: Vec<VariableId>,
    /// Whether all variables are the same memory.
    one: bool,
    bytes: u32,
    /// A variable that holds addresses.
    table: VariableId,
    /// Width of addresses in registers.
    bits: u32,
}

pub(super) fn episode(g: &mut Generator) {
    let space = *g.choose(&[Space::Global, Space::Shared, Space::Local, Space::Global, Space::Const]);
    let count = g.rng.usize(2..4);
    let bytes = 8 * g.rng.u32(1..5);
    let variables: Vec<_> = (0..count)
        .map(|_| {
            let align = *g.choose(&[8, 16]);
            let element = if g.rng.bool() { Type::b(8) } else { Type::b(32) };
            let id = g.place(space, element, Some(bytes / element.bytes()), align);
            if space == Space::Const || (space == Space::Global && g.rng.bool()) {
                let count = bytes / element.bytes();
                let initial: Vec<u8> = (0..bytes).map(|_| g.rng.u8(..)).collect();
                // Words are written as their first byte alone.
                let element = &mut g.module.variables[id].element;
                if *element != Type::b(8) {
                    *element = Type::b(8);
                    g.module.variables[id].count = Some(count * 4);
                }
                g.module.variables[id].initial = Some(initial);
            }
            id
        })
        .collect();
    accesses(g, space, variables, false, bytes);
}

/// Dynamic shared memory under several names.
pub(super) fn dynamic(g: &mut Generator) {
    let count = g.rng.usize(2..4);
    let variables = (0..count)
        .map(|_| {
            let element = *g.choose(&[Type::b(8), Type::b(32), Type::u(16), Type::b(64)]);
            g.place(Space::Shared, element, None, 16)
        })
        .collect();
    accesses(g, Space::Shared, variables, true, 64);
}

fn accesses(g: &mut Generator, space: Space, variables: Vec<VariableId>, one: bool, bytes: u32) {
    let table = g.place(Space::Global, Type::b(64), Some(4), 8);
    let short = matches!(space, Space::Shared | Space::Local) && g.one_in(3);
    let places = Places { space, variables, one, bytes, table, bits: if short { 32 } else { 64 } };
    g.alone(|g| {
        for _ in 0..g.rng.usize(1..3) {
            round(g, &places);
        }
    });
}

/// Stores and loads of a few places by different names.
fn round(g: &mut Generator, places: &Places) {
    let variable = g.rng.usize(..places.variables.len());
    let ty = Type::b(*g.choose(&[8, 16, 32, 64]));
    let offset = i64::from(g.rng.u32(..places.bytes / ty.bytes()) * ty.bytes());
    let mut defined = places.space == Space::Const;
    for _ in 0..g.rng.usize(2..6) {
        let (at, space) = name(g, places, variable, offset);
        let bits = ty.bits.max(16);
        if places.space != Space::Const && (!defined || g.rng.bool()) {
            let from = Lanes::One(g.value(bits));
            g.statement(What::Store { qualifier: "", space, ty, from, at });
            defined = true;
        } else {
            let register = g.register(bits);
            let to = Lanes::One(Operand::Register(register));
            g.statement(What::Load { qualifier: "", space, ty, to, at });
            g.observe(register, Type::b(bits));
        }
    }
    let (a, b) = (address(g, places, variable, offset), address(g, places, variable, offset));
    if g.rng.bool() {
        same(g, a, b, places.bits);
    }
    // What is left there in the end.
    if places.space == Space::Const {
        return;
    }
    let register = g.register(ty.bits.max(16));
    let at = Address { base: Base::Variable(places.variables[variable]), offset };
    let (space, to) = (Some(places.space), Lanes::One(Operand::Register(register)));
    g.statement(What::Load { qualifier: "", space, ty, to, at });
    g.observe(register, Type::b(ty.bits.max(16)));
}

/// Observes that two registers hold the same address.
fn same(g: &mut Generator, a: Register, b: Register, bits: u32) {
    let predicate = g.register(1);
    let comparison = *g.choose(&["eq", "ne", "lt", "le"]);
    let arguments = [a, b].map(Operand::Register);
    g.statement(What::Compare { comparison, ty: Type::u(bits), to: predicate, arguments });
    let to = g.register(32);
    let arguments = [1, 2].map(Operand::Immediate);
    g.statement(What::Select { ty: Type::u(32), to, arguments, predicate });
    g.observe(to, Type::u(32));
}

/// An operand of an access, and the space that the access names.
fn name(g: &mut Generator, places: &Places, variable: usize, offset: i64) -> (Address, Option<Space>) {
    let chosen = if places.one { g.rng.usize(..places.variables.len()) } else { variable };
    if g.one_in(4) {
        let base = Base::Variable(places.variables[chosen]);
        return (Address { base, offset }, Some(places.space));
    }
    // Part of the offset is in the access.
    let rest = if g.rng.bool() { 0 } else { g.rng.i64(0..=offset) };
    let mut register = address(g, places, chosen, offset - rest);
    let mut space = Some(places.space);
    if places.bits == 64 && g.one_in(3) {
        let generic = g.register(64);
        let of = places.space;
        g.statement(What::ConvertAddress { space: of, back: false, to: generic, from: register });
        (register, space) = (generic, None);
        if g.one_in(3) {
            let back = g.register(64);
            g.statement(What::ConvertAddress { space: of, back: true, to: back, from: generic });
            (register, space) = (back, Some(of));
        }
    }
    (Address { base: Base::Register(register), offset: rest }, space)
}

/// A register with the address of a byte.
fn address(g: &mut Generator, places: &Places, variable: usize, offset: i64) -> Register {
    let bits = places.bits;
    match g.rng.u8(..6) {
        0 => plain(g, places, variable, offset),
        1 => {
            let from = plain(g, places, variable, offset);
            remembered(g, places, from)
        }
        2 => {
            // One of two addresses, by a condition that is not known at compile time.
            let right = plain(g, places, variable, offset);
            let other = g.rng.usize(..places.variables.len());
            let wrong = plain(g, places, other, 0);
            let zero = zero(g, bits);
            let predicate = g.register(1);
            let arguments = [Operand::Register(zero), Operand::Immediate(0)];
            g.statement(What::Compare { comparison: "eq", ty: Type::b(bits), to: predicate, arguments });
            let to = g.register(bits);
            let arguments = [right, wrong].map(Operand::Register);
            g.statement(What::Select { ty: Type::b(bits), to, arguments, predicate });
            to
        }
        _ => by_distance(g, places, variable, offset),
    }
}

/// `mov` of the variable's address.
fn plain(g: &mut Generator, places: &Places, variable: usize, offset: i64) -> Register {
    let to = g.register(places.bits);
    let within = if g.rng.bool() { offset } else { 0 };
    let variable = places.variables[variable];
    g.statement(What::AddressOf { ty: Type::u(places.bits), to, variable, offset: within });
    if within == offset {
        return to;
    }
    let sum = g.register(places.bits);
    let of = [Operand::Register(to), Operand::Immediate(offset as u64)];
    g.compute("add", Type::u(places.bits), sum, &of);
    sum
}

/// The same number after memory held it.
fn remembered(g: &mut Generator, places: &Places, from: Register) -> Register {
    let at = Address { base: Base::Variable(places.table), offset: 8 * g.rng.i64(0..4) };
    let (ty, space) = (Type::b(places.bits), Some(Space::Global));
    let qualifier = *g.choose(&["", "", ".volatile"]);
    let of = Lanes::One(Operand::Register(from));
    g.statement(What::Store { qualifier, space, ty, from: of, at });
    let to = g.register(places.bits);
    g.statement(What::Load { qualifier, space, ty, to: Lanes::One(Operand::Register(to)), at });
    to
}

/// A register that holds 0, which only the input determines.
fn zero(g: &mut Generator, bits: u32) -> Register {
    let to = g.register(bits);
    let of = [Operand::Register(g.current.input), Operand::Register(g.current.input)];
    if bits == 64 && g.rng.bool() {
        g.compute("sub", Type::u(64), to, &of);
        return to;
    }
    let number = g.value_register(bits);
    let a = g.register(bits);
    g.compute("and", Type::b(bits), a, &[Operand::Register(number), Operand::Immediate(1)]);
    g.compute("shr", Type::u(bits), to, &[Operand::Register(a), Operand::Immediate(1)]);
    to
}

/// Another variable's address, plus the distance between the two.
fn by_distance(g: &mut Generator, places: &Places, variable: usize, offset: i64) -> Register {
    let (bits, other) = (places.bits, g.rng.usize(..places.variables.len()));
    let (ty, any) = (Type::u(bits), Type::b(bits));
    let to = g.register(bits);
    let near = plain(g, places, other, 0);
    let far = plain(g, places, variable, offset);
    let mut distance = g.register(bits);
    let [near_operand, far_operand] = [near, far].map(Operand::Register);
    let back = match g.rng.u8(..4) {
        0 => {
            g.compute("xor", any, distance, &[far_operand, near_operand]);
            "xor"
        }
        1 => {
            g.compute("sub", ty, distance, &[near_operand, far_operand]);
            "sub"
        }
        _ => {
            g.compute("sub", ty, distance, &[far_operand, near_operand]);
            "add"
        }
    };
    if g.one_in(3) {
        distance = remembered(g, places, distance);
    }
    let near = if g.one_in(4) { remembered(g, places, near) } else { near };
    let ty = if back == "xor" { any } else { ty };
    if back == "add" && g.rng.bool() {
        let arguments = [distance, near].map(Operand::Register);
        let one = Operand::Immediate(1);
        g.compute("mad.lo", ty, to, &[arguments[0], one, arguments[1]]);
    } else {
        g.compute(back, ty, to, &[near, distance].map(Operand::Register));
    }
    to
}

//! Floating-point numbers: passed on bit for bit and computed with one rounding. The bits of a result that is
//! a NaN are not observed.

use super::generate::Generator;
use super::syntax::*;

/// Bits of numbers that are worth trying in each format: zeros, infinities, the smallest and largest, no numbers of both kinds.
const BITS_16: &[u64] =
    &[0, 0x8000, 0x3c00, 0xbc01, 0x7c00, 0xfc00, 0x7bff, 0x0001, 0x83ff, 0x7e01, 0x7c01, 0x3555];
const BITS_32: &[u64] = &[
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0001,
    0x7f80_0000,
    0xff80_0000,
    0x7f7f_ffff,
    1,
    0x807f_ffff,
    0x7fc0_0123,
    0xff80_0123,
    0x0080_0001,
    0x3eaa_aaab,
    0x4b80_0001,
];
const BITS_64: &[u64] = &[
    0,
    1 << 63,
    0x3ff0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    1,
    0x800f_ffff_ffff_ffff,
    0x7ff8_0000_0000_0123,
    0xfff0_0000_0000_0123,
    0x3fd5_5555_5555_5555,
    0x4340_0000_0000_0001,
];

pub(super) fn episode(g: &mut Generator) {
    let bits = *g.choose(&[16, 32, 32, 64]);
    let ty = Type { letter: 'f', bits };
    let mut numbers: Vec<Register> = (0..3).map(|_| number(g, ty)).collect();
    for _ in 0..g.rng.usize(2..6) {
        let from = *g.choose(&numbers);
        if g.one_in(3) {
            let to = passed(g, ty, from);
            numbers.push(to);
        } else {
            let to = computed(g, ty, &numbers);
            numbers.push(to);
        }
    }
}

/// A register with the bits of a number.
fn number(g: &mut Generator, ty: Type) -> Register {
    if g.one_in(3) {
        return g.value_register(ty.bits);
    }
    let all = match ty.bits {
        16 => BITS_16,
        32 => BITS_32,
        _ => BITS_64,
    };
    let (to, bits) = (g.register(ty.bits), *g.choose(all));
    g.compute("mov", Type::b(ty.bits), to, &[Operand::Immediate(bits)]);
    to
}

/// The same bits after moves, memory or a choice as a floating-point number.
fn passed(g: &mut Generator, ty: Type, from: Register) -> Register {
    let to = g.register(ty.bits);
    // Halves are moved as bits alone.
    let plain = if ty.bits == 16 { Type::b(16) } else { ty };
    match g.rng.u8(..4) {
        0 => g.compute("mov", plain, to, &[Operand::Register(from)]),
        1 => {
            let predicate = g.predicate();
            let (other, ty) = (number(g, ty), plain);
            g.statement(What::Select { ty, to, arguments: [from, other].map(Operand::Register), predicate });
        }
        _ => {
            let space = *g.choose(&[Space::Local, Space::Local, Space::Shared, Space::Global]);
            let variable = g.place(space, Type::b(ty.bits), Some(2), 16);
            g.compute("mov", Type::b(ty.bits), to, &[Operand::Register(from)]);
            g.alone(|g| {
                let at = Address { base: Base::Variable(variable), offset: 0 };
                let lanes =
                    |registers: [Register; 2]| Lanes::Braces(registers.map(Operand::Register).to_vec());
                let (qualifier, space, two) = ("", Some(space), [from, from]);
                g.statement(What::Store { qualifier, space, ty: plain, from: lanes(two), at });
                let other = g.register(ty.bits);
                g.statement(What::Load { qualifier, space, ty: plain, to: lanes([other, to]), at });
                g.observe(other, Type::b(ty.bits));
            });
        }
    }
    g.observe(to, Type::b(ty.bits));
    to
}

/// A sum or a product, observed where it is a number.
fn computed(g: &mut Generator, ty: Type, numbers: &[Register]) -> Register {
    let all: &[&str] = match ty.bits {
        16 => &["add.rn", "sub.rn", "mul.rn"],
        32 => &["add.rn", "sub.rn", "mul.rn", "fma.rn", "add.rn.ftz", "mul.rn.ftz", "fma.rn.ftz"],
        _ => &["add.rn", "sub.rn", "mul.rn", "fma.rn"],
    };
    let operation = *g.choose(all);
    let count = if operation.starts_with("fma") { 3 } else { 2 };
    let arguments: Vec<Operand> = (0..count).map(|_| Operand::Register(*g.choose(numbers))).collect();
    let raw = g.register(ty.bits);
    g.compute(operation, ty, raw, &arguments);
    if g.rng.bool() {
        let (predicate, told) = (g.register(1), g.register(32));
        let comparison = *g.choose(&["eq", "lt", "ge", "ltu"]);
        let other = *g.choose(numbers);
        let arguments = [raw, other].map(Operand::Register);
        g.statement(What::Compare { comparison, ty, to: predicate, arguments });
        let arguments = [1, 2].map(Operand::Immediate);
        g.statement(What::Select { ty: Type::u(32), to: told, arguments, predicate });
        g.observe(told, Type::u(32));
    }
    let (predicate, to) = (g.register(1), g.register(ty.bits));
    let arguments = [raw; 2].map(Operand::Register);
    g.statement(What::Compare { comparison: "nan", ty, to: predicate, arguments });
    let arguments = [Operand::Immediate(77), Operand::Register(raw)];
    g.statement(What::Select { ty: Type::b(ty.bits), to, arguments, predicate });
    g.observe(to, Type::b(ty.bits));
    to
}

//! Addresses as 64-bit numbers: sums, products and bits of them whose upper halves count, though addresses of shared, local, constant
//! and parameter memory are less than 2^32 and what computes with them may be narrower.

use super::generate::Generator;
use super::syntax::*;

pub(super) fn episode(g: &mut Generator) {
    for _ in 0..g.rng.usize(1..3) {
        let address = address(g);
        let number = g.value_register(64);
        let mut result = without(g, address, number);
        if g.one_in(3) {
            result = without(g, address, result);
        }
        observe(g, result);
        g.current.pool.push(result);
    }
}

/// A register with the address of a variable, or of a byte in it.
fn address(g: &mut Generator) -> Register {
    let mut spaces = vec![Space::Shared, Space::Shared, Space::Local, Space::Const, Space::Global];
    if g.current.function.kernel {
        spaces.push(Space::Param);
    }
    let space = *g.choose(&spaces);
    let variable = match space {
        // The kernel's own.
        Space::Param => 0,
        _ => g.place(space, Type::b(8), Some(16), 8),
    };
    let offset = if g.rng.bool() { 0 } else { g.rng.i64(0..8) };
    let (to, ty) = (g.register(64), Type::u(64));
    if matches!(space, Space::Shared | Space::Local) && g.one_in(3) {
        let narrow = g.register(32);
        g.statement(What::AddressOf { ty: Type::u(32), to: narrow, variable, offset });
        g.statement(What::Convert { to_type: ty, from_type: Type::u(32), to, from: narrow });
        return to;
    }
    g.statement(What::AddressOf { ty, to, variable, offset });
    if space != Space::Param && g.one_in(4) {
        let generic = g.register(64);
        g.statement(What::ConvertAddress { space, back: false, to: generic, from: to });
        return generic;
    }
    to
}

/// The number, made of the address and of what is the address and the number together.
fn without(g: &mut Generator, address: Register, number: Register) -> Register {
    let [a, n] = [address, number].map(Operand::Register);
    let (u, b) = (Type::u(64), Type::b(64));
    let of = |g: &mut Generator, operation: &'static str, ty: Type, all: &[Operand]| {
        let to = g.register(64);
        g.compute(operation, ty, to, all);
        Operand::Register(to)
    };
    let factor = Operand::Immediate(g.rng.u64(2..1 << 40));
    let amount = Operand::Immediate(g.rng.u64(1..40));
    let result = match g.rng.u8(..8) {
        0 => {
            let sum = of(g, "add", u, &[a, n]);
            let sum = remembered(g, sum);
            of(g, "sub", u, &[sum, a])
        }
        1 => {
            let difference = of(g, "sub", u, &[a, n]);
            of(g, "sub", u, &[a, difference])
        }
        2 => {
            let mixed = of(g, "xor", b, &[a, n]);
            let mixed = remembered(g, mixed);
            of(g, "xor", b, &[mixed, a])
        }
        3 => {
            let sum = of(g, "mad.lo", u, &[a, factor, n]);
            let product = of(g, "mul.lo", u, &[a, factor]);
            of(g, "sub", u, &[sum, product])
        }
        4 => {
            let shifted = of(g, "shl", b, &[a, amount]);
            let sum = of(g, "add", u, &[shifted, n]);
            of(g, "sub", u, &[sum, shifted])
        }
        5 => {
            let either = of(g, "or", b, &[a, n]);
            let both = of(g, "and", b, &[a, n]);
            let sum = of(g, "add", u, &[either, both]);
            of(g, "sub", u, &[sum, a])
        }
        6 => {
            let turned = of(g, "not", b, &[a]);
            let sum = of(g, "add", u, &[turned, n]);
            let sum = of(g, "add", u, &[sum, a]);
            of(g, "add", u, &[sum, Operand::Immediate(1)])
        }
        _ => {
            // Half by half: what the upper one is must be the same twice.
            let sum = of(g, "sub", u, &[n, a]);
            let whole = halves(g, sum);
            of(g, "add", u, &[whole, a])
        }
    };
    let Operand::Register(result) = result else { return number };
    result
}

/// The same number, taken apart and put together.
fn halves(g: &mut Generator, number: Operand) -> Operand {
    let Operand::Register(from) = number else { return number };
    let (parts, to) = ([32; 2].map(|bits| Operand::Register(g.register(bits))), g.register(64));
    let lanes = Lanes::Braces(parts.to_vec());
    g.statement(What::Unpack { ty: Type::b(64), to: lanes.clone(), from });
    g.statement(What::Pack { ty: Type::b(64), to, from: lanes });
    Operand::Register(to)
}

/// The same number, sometimes after memory held it.
fn remembered(g: &mut Generator, number: Operand) -> Operand {
    if !g.one_in(3) {
        return number;
    }
    let (to, local) = (g.register(64), g.place(Space::Local, Type::b(64), Some(1), 8));
    g.store_to(local, 0, Type::b(64), number);
    g.load_from(to, local, 0, Type::b(64));
    Operand::Register(to)
}

/// Observes a number, or its upper half alone.
fn observe(g: &mut Generator, number: Register) {
    if g.rng.bool() {
        return g.observe(number, Type::b(64));
    }
    let (upper, wide) = (g.register(32), g.register(64));
    let of = [Operand::Register(number), Operand::Immediate(32)];
    g.compute("shr", Type::u(64), wide, &of);
    g.statement(What::Convert { to_type: Type::u(32), from_type: Type::u(64), to: upper, from: wide });
    g.observe(upper, Type::b(32));
}

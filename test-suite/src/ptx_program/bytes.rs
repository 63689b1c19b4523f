//! Arrays of odd sizes, whose bytes are loaded and stored one by one, next to each other, up to the very end.

use super::generate::Generator;
use super::syntax::*;

pub(super) fn episode(g: &mut Generator) {
    let spaces = [Space::Global, Space::Shared, Space::Local, Space::Const, Space::Global];
    let space = *g.choose(&spaces);
    let unit = *g.choose(&[8, 8, 8, 16, 32]);
    let width = unit / 8;
    let count = *g.choose(&[3, 5, 6, 7, 11, 3]);
    let align = (*g.choose(&[4, 8, 16])).max(width);
    let variable = g.place(space, Type::b(8), Some(count * width), align);
    let initialized = space == Space::Const || (space == Space::Global && g.rng.bool());
    if initialized {
        let initial = (0..count * width).map(|_| g.rng.u8(..)).collect();
        g.module.variables[variable].initial = Some(initial);
    }
    g.alone(|g| {
        if !initialized {
            run(g, variable, unit, count, true);
        }
        run(g, variable, unit, count, false);
    });
}

/// Stores or loads of elements next to each other, most often up to the last.
fn run(g: &mut Generator, variable: VariableId, unit: u32, count: u32, store: bool) {
    let first = if store || g.rng.bool() { 0 } else { g.rng.u32(..count) };
    let ty = Type { letter: *g.choose(&['u', 'b']), bits: unit };
    let bits = unit.max(16);
    let sum = g.register(32);
    g.compute("mov", Type::u(32), sum, &[Operand::Immediate(0)]);
    let mut loaded = Vec::new();
    for at in first..count {
        let offset = i64::from(at * unit / 8);
        if store {
            let from = g.value(bits);
            g.store_to(variable, offset, ty, from);
        } else {
            let to = g.register(bits);
            g.load_from(to, variable, offset, ty);
            loaded.push(to);
        }
    }
    for to in loaded {
        let wide = if bits == 32 {
            to
        } else {
            let wide = g.register(32);
            g.statement(What::Convert { to_type: Type::u(32), from_type: Type::u(bits), to: wide, from: to });
            wide
        };
        let old = Operand::Register(sum);
        g.compute("mad.lo", Type::u(32), sum, &[old, Operand::Immediate(263), Operand::Register(wide)]);
    }
    if !store {
        g.observe(sum, Type::u(32));
    }
}

//! Threads that end, in functions and in the kernel: what they stored before stays, what would come after does not happen.

use super::calls;
use super::generate::Generator;
use super::syntax::*;

pub(super) fn episode(g: &mut Generator) {
    // A thread that has ended before stores nothing that others could read.
    let all_alive = g.together && !std::mem::replace(&mut g.ended, true);
    let shared = if all_alive && g.shape.threads > 1 {
        Some(g.place(Space::Shared, Type::b(32), Some(g.shape.threads), 4))
    } else {
        None
    };
    let trap = g.one_in(4);
    if g.one_in(3) {
        stores(g, shared, trap);
    } else {
        let together = g.together;
        calls::call_with(g, |g| stores(g, shared, trap));
        g.together = together;
    }
    let after = g.value_register(32);
    g.observe(after, Type::b(32));
    if let Some(variable) = shared {
        // Others see what ended threads stored.
        g.statement(What::Plain("bar.sync 0"));
        let address = slice(g, variable, 1);
        let register = g.register(32);
        let at = Address { base: Base::Register(address), offset: 0 };
        let (space, to) = (Some(Space::Shared), Lanes::One(Operand::Register(register)));
        g.statement(What::Load { qualifier: "", space, ty: Type::b(32), to, at });
        g.observe(register, Type::b(32));
    }
}

/// Stores, the end of some threads, and more stores to the same places.
fn stores(g: &mut Generator, shared: Option<VariableId>, trap: bool) {
    let at = g.output(4);
    let place = shared.map(|variable| slice(g, variable, 0));
    let store = |g: &mut Generator| {
        let from = Lanes::One(g.value(32));
        let ty = Type::b(32);
        g.statement(What::Store { qualifier: "", space: Some(Space::Global), ty, from, at });
        if let Some(register) = place {
            let from = Lanes::One(g.value(32));
            let at = Address { base: Base::Register(register), offset: 0 };
            g.statement(What::Store { qualifier: "", space: Some(Space::Shared), ty, from, at });
        }
    };
    store(g);
    let end = if trap { What::Trap } else { What::Exit };
    let predicate = g.predicate();
    let negated = g.rng.bool();
    if g.rng.bool() {
        g.guarded(Some((predicate, negated)), end);
    } else {
        let then = g.nested(|g| {
            if g.rng.bool() {
                store(g);
            }
            g.statement(end);
        });
        g.statement(What::If { predicate, negated, then, otherwise: Vec::new() });
    }
    store(g);
}

/// The address of the word of the thread that is so many further on in the block.
fn slice(g: &mut Generator, variable: VariableId, further: u64) -> Register {
    let [next, address] = [0; 2].map(|_| g.register(32));
    let in_block = Operand::Register(g.current.in_block);
    g.compute("add", Type::u(32), next, &[in_block, Operand::Immediate(further)]);
    let within = Operand::Immediate(u64::from(g.shape.threads) - 1);
    g.compute("and", Type::b(32), next, &[Operand::Register(next), within]);
    g.statement(What::AddressOf { ty: Type::u(32), to: address, variable, offset: 0 });
    let to = g.register(32);
    let four = Operand::Immediate(4);
    g.compute("mad.lo", Type::u(32), to, &[Operand::Register(next), four, Operand::Register(address)]);
    to
}

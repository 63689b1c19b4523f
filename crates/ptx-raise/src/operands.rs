//! The registers that an instruction of PTX mentions.

use ptx_ir::{AddressBase, Body, Inst, ListId, Operand, RegId};
use ptx_isa::{MoveSem, Role, Sem};

/// The registers, to and from, of an instruction that does nothing but copy.
pub(crate) fn copied(body: &Body, inst: &Inst) -> Option<(RegId, RegId)> {
    match (inst.mnemonic.sem(), inst.guard, body.operands(inst)) {
        (Sem::Move(MoveSem::Mov), None, &[Operand::Register(to), Operand::Register(from)]) => {
            Some((to, from))
        }
        _ => None,
    }
}

/// Calls `found` for every register that an instruction mentions, with how it uses it.
pub(crate) fn for_each_register(body: &Body, inst: &Inst, found: &mut dyn FnMut(RegId, Role)) {
    body.for_each_register(inst, found);
}

/// The operands of an instruction with other registers; the old list where all stay.
pub(crate) fn renamed(body: &mut Body, inst: &Inst, rename: impl Fn(RegId) -> RegId) -> ListId {
    let rename_operand = |operand: Operand| match operand {
        Operand::Register(register) => Operand::Register(rename(register)),
        Operand::Not(register) => Operand::Not(rename(register)),
        Operand::Element(register, component) => Operand::Element(rename(register), component),
        Operand::Negated(register, component) => Operand::Negated(rename(register), component),
        Operand::Sum(register, constant) => Operand::Sum(rename(register), constant),
        Operand::Selected(register, selector) => Operand::Selected(rename(register), selector),
        Operand::Address(AddressBase::Register(register), offset) => {
            Operand::Address(AddressBase::Register(rename(register)), offset)
        }
        Operand::Address(AddressBase::Symbol(_) | AddressBase::Absolute, _)
        | Operand::Omitted
        | Operand::Sink
        | Operand::Special(..)
        | Operand::SpecialSum(..)
        | Operand::Immediate(_)
        | Operand::Symbol(..)
        | Operand::Label(_)
        | Operand::Vector(_)
        | Operand::List(_)
        | Operand::Bracket(_) => operand,
    };
    let old: Vec<Operand> = body.operands(inst).to_vec();
    let new: Vec<Operand> =
        old.iter().map(|operand| rename_nested(body, *operand, &rename_operand)).collect();
    if new == old { inst.operands } else { body.add_list(new.into_iter().map(unplaced)) }
}

/// An operand with other registers, also those of the lists in it (a tensor's coordinates are a list in a list).
fn rename_nested(body: &mut Body, operand: Operand, rename: &impl Fn(Operand) -> Operand) -> Operand {
    let (Operand::Vector(list) | Operand::List(list) | Operand::Bracket(list)) = operand else {
        return rename(operand);
    };
    let old: Vec<Operand> = body.list(list).to_vec();
    let mut new = Vec::with_capacity(old.len());
    for &part in &old {
        new.push(match part {
            Operand::Vector(inner) => {
                let parts: Vec<Operand> = body.list(inner).iter().map(|&part| rename(part)).collect();
                if parts == body.list(inner) {
                    part
                } else {
                    Operand::Vector(body.add_list(parts.into_iter().map(unplaced)))
                }
            }
            part => rename(part),
        });
    }
    if new == old {
        return operand;
    }
    let list = body.add_list(new.into_iter().map(unplaced));
    match operand {
        Operand::Vector(_) => Operand::Vector(list),
        Operand::List(_) => Operand::List(list),
        _ => Operand::Bracket(list),
    }
}

fn unplaced(operand: Operand) -> (Operand, ptx_diag::Span) {
    (operand, ptx_diag::Span::default())
}

//! The traversal of the operands of an instruction, for all code that searches registers or symbols in them.

use ptx_isa::{MoveSem, Role, ScalarType, Sem, Shape};

use crate::body::{Body, Inst};
use crate::ids::RegId;
use crate::operand::{AddressBase, ListId, Operand};

/// The maximum nesting depth of lists: `[map, {x, y}]` contains a vector in brackets.
const DEPTH: usize = 2;

impl Body {
    /// The destination and source register of an instruction that only copies a register.
    pub fn copied(&self, inst: &Inst) -> Option<(RegId, RegId)> {
        match (inst.mnemonic.sem(), inst.guard, self.operands(inst)) {
            (Sem::Move(MoveSem::Mov), None, &[Operand::Register(to), Operand::Register(from)]) => {
                Some((to, from))
            }
            _ => None,
        }
    }

    /// Replaces the registers of an instruction's operands. Returns a new list, or the old one if nothing changes.
    pub fn renamed(&mut self, inst: &Inst, rename: impl Fn(RegId) -> RegId) -> ListId {
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
        let old: Vec<Operand> = self.operands(inst).to_vec();
        let new: Vec<Operand> =
            old.iter().map(|operand| rename_nested(self, *operand, &rename_operand)).collect();
        if new == old { inst.operands } else { self.add_list(new.into_iter().map(unplaced)) }
    }

    /// The shape of an operand, which determines the row of the instruction table and the position in it.
    pub fn shape(&self, operand: Operand) -> Shape {
        match operand {
            Operand::Register(register) if self.reg_type(register) == ScalarType::Pred => Shape::Predicate,
            Operand::Register(_) => Shape::Register,
            Operand::Not(_) => Shape::NotPredicate,
            Operand::Selected(..) => Shape::Selected,
            Operand::Negated(..) => Shape::Negated,
            Operand::Immediate(_) => Shape::Immediate,
            Operand::Sink => Shape::Sink,
            Operand::Symbol(..) => Shape::Symbol,
            Operand::Label(_) => Shape::Label,
            Operand::Address(..) => Shape::Address,
            Operand::Bracket(_) => Shape::Bracket,
            Operand::Vector(_) => Shape::Vector,
            Operand::List(_) => Shape::List,
            Operand::Omitted
            | Operand::Element(..)
            | Operand::Sum(..)
            | Operand::SpecialSum(..)
            | Operand::Special(..) => Shape::Value,
        }
    }

    /// Calls `visit` for every operand of an instruction and for all entries of its vectors, brackets and lists, in the order of the text, each
    /// list before its entries, with whether the operand is written, read or both. Entries of brackets are read.
    pub fn for_each_operand(&self, inst: &Inst, mut visit: impl FnMut(Operand, Role)) {
        let places = inst.mnemonic.form().operands;
        for (place, operand) in places.iter().zip(self.operands(inst)) {
            self.walk(*operand, place.role, DEPTH, &mut visit);
        }
    }

    fn walk(&self, operand: Operand, role: Role, depth: usize, visit: &mut impl FnMut(Operand, Role)) {
        visit(operand, role);
        if let (Some((list, role)), Some(depth)) = (entries(operand, role), depth.checked_sub(1)) {
            for entry in self.list(list) {
                self.walk(*entry, role, depth, visit);
            }
        }
    }

    /// Whether `is` returns true for any register of an instruction, see [`Self::for_each_register`].
    pub fn any_register(&self, inst: &Inst, is: impl Fn(RegId, Role) -> bool) -> bool {
        let mut found = false;
        self.for_each_register(inst, |register, role| found |= is(register, role));
        found
    }

    /// Calls `visit` for every register of an instruction, including its guard, with whether it is written, read or both. A register whose
    /// written part is specified by a selector is written as a whole: the rest is copied from another source (manual 9.7.18). A register that
    /// a guarded instruction writes may keep its value, independent of the role.
    pub fn for_each_register(&self, inst: &Inst, mut visit: impl FnMut(RegId, Role)) {
        if let Some(guard) = inst.guard {
            visit(guard.register, Role::Use);
        }
        self.for_each_operand(inst, |operand, role| match operand {
            Operand::Register(register) | Operand::Element(register, _) | Operand::Selected(register, _) => {
                visit(register, role);
            }
            Operand::Not(register)
            | Operand::Negated(register, _)
            | Operand::Sum(register, _)
            | Operand::Address(AddressBase::Register(register), _) => visit(register, Role::Use),
            Operand::Omitted
            | Operand::Sink
            | Operand::SpecialSum(..)
            | Operand::Special(..)
            | Operand::Immediate(_)
            | Operand::Symbol(..)
            | Operand::Address(AddressBase::Symbol(_) | AddressBase::Absolute, _)
            | Operand::Bracket(_)
            | Operand::Vector(_)
            | Operand::List(_)
            | Operand::Label(_) => {}
        });
    }
}

/// The list that an operand contains, and the role of its entries.
fn entries(operand: Operand, role: Role) -> Option<(ListId, Role)> {
    match operand {
        Operand::Bracket(list) => Some((list, Role::Use)),
        Operand::Vector(list) | Operand::List(list) => Some((list, role)),
        Operand::Omitted
        | Operand::Sink
        | Operand::Register(_)
        | Operand::Element(..)
        | Operand::Selected(..)
        | Operand::Negated(..)
        | Operand::Sum(..)
        | Operand::SpecialSum(..)
        | Operand::Not(_)
        | Operand::Special(..)
        | Operand::Immediate(_)
        | Operand::Symbol(..)
        | Operand::Address(..)
        | Operand::Label(_) => None,
    }
}

/// Replaces the registers of an operand and of the lists in it (a tensor's coordinates are a list in a list).
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

#[cfg(test)]
mod tests {
    use ptx_isa::{Component, Mnemonic, Role, ScalarType, Selector};

    use crate::{AddressBase, Body, BodyBuilder, Guard, Immediate, Inst, Operand, RegId, Stmt, Strings};

    /// The only instruction of a body and its registers.
    fn only(
        text: &str,
        guarded: bool,
        operands: impl Fn(&mut BodyBuilder, &[RegId]) -> Vec<Operand>,
    ) -> (Body, Inst) {
        let (mut strings, mut builder) = (Strings::default(), BodyBuilder::new());
        let registers: Vec<RegId> =
            (0..8).map(|_| builder.new_register(&mut strings, ScalarType::B32)).collect();
        let mut operands = operands(&mut builder, &registers);
        let guard = guarded.then_some(Guard { register: registers[7], negated: true });
        let mnemonic = Mnemonic::from_text(text).unwrap();
        operands.resize(mnemonic.form().operands.len(), Operand::Omitted);
        builder.push_inst(guard, mnemonic, &operands);
        let body = builder.finish();
        let inst = body.statements.iter().find_map(|stmt| match stmt {
            Stmt::Inst(inst) => Some(inst.clone()),
            _ => None,
        });
        (body, inst.unwrap())
    }

    fn registers(body: &Body, inst: &Inst) -> Vec<(u32, Role)> {
        let mut found = Vec::new();
        body.for_each_register(inst, |register, role| found.push((register.0, role)));
        found
    }

    #[test]
    fn what_is_in_brackets_is_read_however_deep() {
        let (body, inst) = only("tex.2d.v4.f32.f32", true, |builder, r| {
            let results = builder.list(&[
                Operand::Register(r[0]),
                Operand::Sink,
                Operand::Register(r[1]),
                Operand::Element(r[2], Component::Y),
            ]);
            let coordinates = builder.list(&[Operand::Element(r[3], Component::X), Operand::Register(r[4])]);
            let texel = builder.list(&[Operand::Register(r[5]), Operand::Vector(coordinates)]);
            vec![Operand::Vector(results), Operand::Omitted, Operand::Bracket(texel)]
        });
        let uses = [(7, Role::Use), (0, Role::Def), (1, Role::Def), (2, Role::Def)];
        let bracketed = [(5, Role::Use), (3, Role::Use), (4, Role::Use)];
        assert_eq!(registers(&body, &inst), [&uses[..], &bracketed[..]].concat());
    }

    #[test]
    fn results_of_a_call_are_written() {
        let (body, inst) = only("call", false, |builder, r| {
            let (results, arguments) =
                (builder.list(&[Operand::Register(r[0])]), builder.list(&[Operand::Register(r[1])]));
            vec![Operand::List(results), Operand::Register(r[2]), Operand::List(arguments)]
        });
        assert_eq!(registers(&body, &inst), [(0, Role::DefOpt), (2, Role::Use), (1, Role::UseOpt)]);
    }

    #[test]
    fn accumulators_are_read_and_written() {
        let (body, inst) = only("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8", false, |builder, r| {
            let sums = builder.list(&[r[0], r[1], r[2], r[3]].map(Operand::Register));
            let one = Operand::Immediate(Immediate::integer(1));
            vec![Operand::Vector(sums), Operand::Register(r[4]), Operand::Register(r[5]), one]
        });
        let sums = (0..4).map(|register| (register, Role::Update));
        let descriptors = (4..6).map(|register| (register, Role::Use));
        assert_eq!(registers(&body, &inst), sums.chain(descriptors).collect::<Vec<_>>());
    }

    #[test]
    fn result_with_a_selector_keeps_nothing_of_its_register() {
        let (body, inst) = only("vadd2.u32.u32.u32", false, |_, r| {
            let result = Operand::Selected(r[0], Selector::from_ptx("h0").unwrap());
            vec![result, Operand::Register(r[1]), Operand::Register(r[2]), Operand::Register(r[3])]
        });
        let sources = [(1, Role::Use), (2, Role::Use), (3, Role::Use)];
        assert_eq!(registers(&body, &inst), [&[(0, Role::Def)][..], &sources].concat());
    }

    #[test]
    fn addresses_sums_and_opposites_are_read() {
        let (body, inst) = only("ld.global.u32", false, |_, r| {
            vec![Operand::Register(r[0]), Operand::Address(AddressBase::Register(r[1]), 4)]
        });
        assert_eq!(registers(&body, &inst), [(0, Role::Def), (1, Role::Use)]);
        let (body, inst) = only("add.u32", false, |_, r| {
            vec![Operand::Register(r[0]), Operand::Sum(r[1], 3), Operand::Not(r[2])]
        });
        assert_eq!(registers(&body, &inst), [(0, Role::Def), (1, Role::Use), (2, Role::Use)]);
    }
}

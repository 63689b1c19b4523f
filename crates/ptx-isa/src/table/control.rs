//! Control flow and miscellaneous instructions (manual 9.7.12, 9.7.19).

use super::vocabulary::*;
use crate::families::{ControlSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, OperandKind, arg, def_opt, opt};
use crate::names::{Field, Mod::*};

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Bra,
        "Branches to a label; `.uni` asserts that all threads of the warp do.",
        &[Opt(Field::Uni, &[Uni])],
        &[arg("tgt", OperandKind::Label)],
        Sem::Control(ControlSem::Bra),
    )
    .effects(Effects::TERMINATOR)
    .section("9.7.12.3"),
    Form::new(
        Opcode::Brx,
        "Branches to the label that `index` selects from a list.",
        &[Lit(Idx), Opt(Field::Uni, &[Uni])],
        &[arg("index", V_U32), arg("tlist", OperandKind::BranchTargets)],
        Sem::Control(ControlSem::BrxIdx),
    )
    .since(6, 0, 30)
    .effects(Effects::TERMINATOR)
    .section("9.7.12.4"),
    Form::new(
        Opcode::Call,
        "Calls a function, by name or through a register with the prototype or the targets.",
        &[Opt(Field::Uni, &[Uni])],
        &[
            def_opt("ret", OperandKind::Results),
            arg("func", OperandKind::Callee),
            opt("args", OperandKind::Arguments),
            opt("targets", OperandKind::CallTargets),
        ],
        Sem::Control(ControlSem::Call),
    )
    .effects(Effects::SYNC)
    .section("9.7.12.5"),
    Form::new(
        Opcode::Ret,
        "Returns to the caller; in a kernel ends the thread.",
        &[Opt(Field::Uni, &[Uni])],
        &[],
        Sem::Control(ControlSem::Ret),
    )
    .effects(Effects::TERMINATOR)
    .section("9.7.12.6"),
    Form::new(Opcode::Exit, "Ends the thread.", &[], &[], Sem::Control(ControlSem::Exit))
        .effects(Effects::TERMINATOR)
        .section("9.7.12.7"),
    Form::new(
        Opcode::Trap,
        "Aborts the launch and interrupts the host.",
        &[],
        &[],
        Sem::Control(ControlSem::Trap),
    )
    .effects(Effects::TERMINATOR)
    .section("9.7.19.4"),
    Form::new(Opcode::Brkpt, "Suspends for a debugger.", &[], &[], Sem::Control(ControlSem::Brkpt))
        .effects(Effects::SIDE_EFFECTS)
        .section("9.7.19.1"),
    Form::new(
        Opcode::Nanosleep,
        "Suspends the thread for about that many nanoseconds.",
        &[One(Field::Type, &[U32])],
        &[arg("t", T)],
        Sem::Control(ControlSem::Nanosleep),
    )
    .since(6, 2, 70)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.19.2"),
    Form::new(
        Opcode::Pmevent,
        "Triggers one performance monitor event.",
        &[],
        &[arg("a", OperandKind::Immediate(0, 15))],
        Sem::Control(ControlSem::Pmevent),
    )
    .since(1, 4, 10)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.19.3"),
    Form::new(
        Opcode::Pmevent,
        "Triggers the performance monitor events of a mask.",
        &[Lit(MaskMod)],
        &[arg("a", OperandKind::Immediate(0, 65535))],
        Sem::Control(ControlSem::Pmevent),
    )
    .since(3, 0, 20)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.19.3"),
];

//! Collectives of a warp (manual 9.7.9.5, 9.7.13.7 to 9.7.13.11).

use super::vocabulary::*;
use crate::families::{Opcode, Sem, WarpSem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, arg, def, def_pair};
use crate::names::{Field, Mod::*};

/// The suggestion for collectives without a lane mask.
const WITH_MASK: &str = "add `.sync`, and as the last operand the mask of the lanes that take part";

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Shfl,
        "Reads a register of another lane; `p` is true if that lane is in range.",
        &[Lit(Sync), One(Field::Mode, &[Up, Down, Bfly, Idx]), Lit(B32)],
        &[
            def("d", RLIT),
            def_pair("p", PRED),
            arg("a", LIT),
            arg("b", V_B32),
            arg("c", V_B32),
            arg("membermask", V_U32),
        ],
        Sem::Warp(WarpSem::Shfl),
    )
    .since(6, 0, 30)
    .effects(Effects::CONVERGENT)
    .section("9.7.9.6"),
    Form::new(
        Opcode::Vote,
        "Tests whether a predicate is true for all lanes, for any, or the same for all.",
        &[Lit(Sync), One(Field::Mode, &[All, Any, Uni]), Lit(Pred)],
        &[def("d", PRED), arg("a", PRED), arg("membermask", V_U32)],
        Sem::Warp(WarpSem::Vote),
    )
    .since(6, 0, 30)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.8"),
    Form::new(
        Opcode::Vote,
        "The mask of the lanes for which a predicate is true.",
        &[Lit(Sync), One(Field::Mode, &[Ballot]), Lit(B32)],
        &[def("d", RLIT), arg("a", PRED), arg("membermask", V_U32)],
        Sem::Warp(WarpSem::Vote),
    )
    .since(6, 0, 30)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.8"),
    Form::new(
        Opcode::Shfl,
        "Reads a register of another lane; `p` is true if that lane is in range.",
        &[One(Field::Mode, &[Up, Down, Bfly, Idx]), Lit(B32)],
        &[def("d", RLIT), def_pair("p", PRED), arg("a", LIT), arg("b", V_B32), arg("c", V_B32)],
        Sem::Warp(WarpSem::Shfl),
    )
    .since(3, 0, 30)
    .removed(6, 4, 70, WITH_MASK)
    .effects(Effects::CONVERGENT)
    .section("9.7.9.5"),
    Form::new(
        Opcode::Vote,
        "Tests whether a predicate is true for all lanes, for any, or the same for all.",
        &[One(Field::Mode, &[All, Any, Uni]), Lit(Pred)],
        &[def("d", PRED), arg("a", PRED)],
        Sem::Warp(WarpSem::Vote),
    )
    .since(1, 2, 12)
    .removed(6, 4, 70, WITH_MASK)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Vote,
        "The mask of the lanes for which a predicate is true.",
        &[One(Field::Mode, &[Ballot]), Lit(B32)],
        &[def("d", R_U32), arg("a", PRED)],
        Sem::Warp(WarpSem::Vote),
    )
    .since(2, 0, 20)
    .removed(6, 4, 70, WITH_MASK)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Match,
        "The mask of the lanes that hold the same value.",
        &[One(Field::Mode, &[Any]), Lit(Sync), One(Field::Type, BITS32_64)],
        &[def("d", R_U32), arg("a", T), arg("membermask", V_U32)],
        Sem::Warp(WarpSem::Match),
    )
    .since(6, 0, 70)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.10"),
    Form::new(
        Opcode::Match,
        "The mask if all lanes hold the same value, else zero; `p` is true in the first case.",
        &[One(Field::Mode, &[All]), Lit(Sync), One(Field::Type, BITS32_64)],
        // The predicate may be the only result that is needed.
        &[def("d", R_U32).discardable(), def_pair("p", PRED), arg("a", T), arg("membermask", V_U32)],
        Sem::Warp(WarpSem::Match),
    )
    .since(6, 0, 70)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.10"),
    Form::new(
        Opcode::Redux,
        "Combines a value of all lanes.",
        &[Lit(Sync), One(Field::Op, &[Add, Min, Max]), One(Field::Type, &[U32, S32])],
        &[def("d", R_U32), arg("a", V_U32), arg("membermask", V_U32)],
        Sem::Warp(WarpSem::Redux),
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.11"),
    Form::new(
        Opcode::Redux,
        "Combines the bits of all lanes.",
        &[Lit(Sync), One(Field::Op, &[And, Or, Xor]), One(Field::Type, &[B32])],
        &[def("d", R_U32), arg("a", V_U32), arg("membermask", V_U32)],
        Sem::Warp(WarpSem::Redux),
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.11"),
    Form::new(
        Opcode::Redux,
        "The smallest or largest value of all lanes, or absolute value; with `.NaN` a NaN if one is.",
        &[Lit(Sync), One(Field::Op, &[Min, Max]), Opt(Field::Abs, &[AbsMod]), NAN, One(Field::Type, &[F32])],
        &[def("d", RT), arg("a", T), arg("membermask", V_U32)],
        Sem::Warp(WarpSem::ReduxFloat),
    )
    .only(8, 6, FAMILY_100)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.12"),
];

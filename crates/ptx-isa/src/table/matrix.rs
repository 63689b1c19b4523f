//! Loads, stores and transpositions of matrices by a warp (manual 9.7.14.5).

use super::vocabulary::*;
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Kind, TypeRule, VectorLength, arg, def};
use crate::names::{Field, Mod::*, Opcode, Sem};
use crate::types::ScalarType;

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Ldmatrix,
        "Loads 8x8 matrices from shared memory, a row an address.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n8]),
            One(Field::Num, &[X1, X2, X4]),
            Opt(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::Type, &[B16]),
        ],
        &[
            def("r", Kind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::Of(Field::Num))),
            arg("p", Kind::Address),
        ],
        Sem::Ldmatrix,
    )
    .since(6, 5, 75)
    .later(&[(SharedCta, at(7, 8, 75))])
    .effects(Effects { convergent: true, side_effects: true, ..Effects::READS })
    .section("9.7.14.5.15"),
    Form::new(
        Opcode::Stmatrix,
        "Stores 8x8 matrices to shared memory, a row an address.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n8]),
            One(Field::Num, &[X1, X2, X4]),
            Opt(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::Type, &[B16]),
        ],
        &[
            arg("p", Kind::Address),
            arg("r", Kind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::Of(Field::Num))),
        ],
        Sem::Stmatrix,
    )
    .since(7, 8, 90)
    .later(&[(SharedCta, at(7, 8, 75))])
    .effects(Effects { convergent: true, side_effects: true, ..Effects::WRITES })
    .section("9.7.14.5.16"),
    Form::new(
        Opcode::Movmatrix,
        "Transposes an 8x8 matrix across the warp.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n8]),
            One(Field::Trans, &[Trans]),
            One(Field::Type, &[B16]),
        ],
        &[def("d", R_B32), arg("a", R_B32)],
        Sem::Movmatrix,
    )
    .since(7, 8, 75)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5.17"),
];

//! Warp-level matrix instructions (manual 9.7.14).

use super::vocabulary::*;
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Kind, TypeRule, VectorLength, arg, def};
use crate::names::{Field, Mod::*, Opcode, Sem};
use crate::types::ScalarType;

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Mma,
        "Multiplies half-precision matrices and adds, in half precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k8]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F16]),
            One(Field::AType, &[F16]),
            One(Field::BType, &[F16]),
            One(Field::CType, &[F16]),
        ],
        &[
            def("d", regs(2, ScalarType::B32)),
            arg("a", regs(2, ScalarType::B32)),
            arg("b", regs(1, ScalarType::B32)),
            arg("c", regs(2, ScalarType::B32)),
        ],
        Sem::Mma,
    )
    .since(6, 5, 75)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies half-precision matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k8]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F32]),
            One(Field::AType, &[F16]),
            One(Field::BType, &[F16]),
            One(Field::CType, &[F32]),
        ],
        &[
            def("d", regs(4, ScalarType::F32)),
            arg("a", regs(2, ScalarType::B32)),
            arg("b", regs(1, ScalarType::B32)),
            arg("c", regs(4, ScalarType::F32)),
        ],
        Sem::Mma,
    )
    .since(6, 5, 75)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies bfloat matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k8]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F32]),
            One(Field::AType, &[Bf16]),
            One(Field::BType, &[Bf16]),
            One(Field::CType, &[F32]),
        ],
        &[
            def("d", regs(4, ScalarType::F32)),
            arg("a", regs(2, ScalarType::B32)),
            arg("b", regs(1, ScalarType::B32)),
            arg("c", regs(4, ScalarType::F32)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies half-precision matrices and adds, in half precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k16]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F16]),
            One(Field::AType, &[F16]),
            One(Field::BType, &[F16]),
            One(Field::CType, &[F16]),
        ],
        &[
            def("d", regs(2, ScalarType::B32)),
            arg("a", regs(4, ScalarType::B32)),
            arg("b", regs(2, ScalarType::B32)),
            arg("c", regs(2, ScalarType::B32)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies half-precision matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k16]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F32]),
            One(Field::AType, &[F16]),
            One(Field::BType, &[F16]),
            One(Field::CType, &[F32]),
        ],
        &[
            def("d", regs(4, ScalarType::F32)),
            arg("a", regs(4, ScalarType::B32)),
            arg("b", regs(2, ScalarType::B32)),
            arg("c", regs(4, ScalarType::F32)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies bfloat matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k16]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F32]),
            One(Field::AType, &[Bf16]),
            One(Field::BType, &[Bf16]),
            One(Field::CType, &[F32]),
        ],
        &[
            def("d", regs(4, ScalarType::F32)),
            arg("a", regs(4, ScalarType::B32)),
            arg("b", regs(2, ScalarType::B32)),
            arg("c", regs(4, ScalarType::F32)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies tf32 matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k4]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F32]),
            One(Field::AType, &[Tf32]),
            One(Field::BType, &[Tf32]),
            One(Field::CType, &[F32]),
        ],
        &[
            def("d", regs(4, ScalarType::F32)),
            arg("a", regs(2, ScalarType::B32)),
            arg("b", regs(1, ScalarType::B32)),
            arg("c", regs(4, ScalarType::F32)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies tf32 matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k8]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F32]),
            One(Field::AType, &[Tf32]),
            One(Field::BType, &[Tf32]),
            One(Field::CType, &[F32]),
        ],
        &[
            def("d", regs(4, ScalarType::F32)),
            arg("a", regs(4, ScalarType::B32)),
            arg("b", regs(2, ScalarType::B32)),
            arg("c", regs(4, ScalarType::F32)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies double-precision matrices and adds.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n8k4]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            One(Field::DType, &[F64]),
            One(Field::AType, &[F64]),
            One(Field::BType, &[F64]),
            One(Field::CType, &[F64]),
        ],
        &[
            def("d", regs(2, ScalarType::F64)),
            arg("a", regs(1, ScalarType::F64)),
            arg("b", regs(1, ScalarType::F64)),
            arg("c", regs(2, ScalarType::F64)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies matrices of bytes and adds; `.satfinite` clamps the sums.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n8k16]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            Opt(Field::Sat, &[Satfinite]),
            One(Field::DType, &[S32]),
            One(Field::AType, &[U8, S8]),
            One(Field::BType, &[U8, S8]),
            One(Field::CType, &[S32]),
        ],
        &[
            def("d", regs(2, ScalarType::S32)),
            arg("a", regs(1, ScalarType::B32)),
            arg("b", regs(1, ScalarType::B32)),
            arg("c", regs(2, ScalarType::S32)),
        ],
        Sem::Mma,
    )
    .since(6, 5, 75)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies matrices of bytes and adds; `.satfinite` clamps the sums.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k16]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            Opt(Field::Sat, &[Satfinite]),
            One(Field::DType, &[S32]),
            One(Field::AType, &[U8, S8]),
            One(Field::BType, &[U8, S8]),
            One(Field::CType, &[S32]),
        ],
        &[
            def("d", regs(4, ScalarType::S32)),
            arg("a", regs(2, ScalarType::B32)),
            arg("b", regs(1, ScalarType::B32)),
            arg("c", regs(4, ScalarType::S32)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
    Form::new(
        Opcode::Mma,
        "Multiplies matrices of bytes and adds; `.satfinite` clamps the sums.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8k32]),
            One(Field::ALayout, &[Row]),
            One(Field::BLayout, &[Col]),
            Opt(Field::Sat, &[Satfinite]),
            One(Field::DType, &[S32]),
            One(Field::AType, &[U8, S8]),
            One(Field::BType, &[U8, S8]),
            One(Field::CType, &[S32]),
        ],
        &[
            def("d", regs(4, ScalarType::S32)),
            arg("a", regs(4, ScalarType::B32)),
            arg("b", regs(2, ScalarType::B32)),
            arg("c", regs(4, ScalarType::S32)),
        ],
        Sem::Mma,
    )
    .since(7, 0, 80)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5"),
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

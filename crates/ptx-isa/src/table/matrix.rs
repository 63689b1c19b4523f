//! Loads, stores and transpositions of matrices by a warp (manual 9.7.14.5).

use super::vocabulary::*;
use crate::Slot;
use crate::families::{MatrixSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, TypeRule, VectorLength, arg, def};
use crate::length::VectorLengthRule;
use crate::names::{Field, Mod::*};
use crate::types::ScalarType;

/// Loads of byte matrices.
const fn load(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Ldmatrix, doc, slots, operands, Sem::Matrix(MatrixSem::Ldmatrix))
        .only(8, 6, BLACKWELL)
        .effects(Effects { convergent: true, side_effects: true, ..Effects::READS })
        .section("9.7.14.5.15")
}

/// `ptxas` also accepts `.x8`, which the manual does not have, with any number of registers that a vector may have, and generates the
/// machine instruction for one matrix.
const EIGHT: Slot = One(Field::Num, &[X8]);
const ANY_REGISTERS: OperandKind = OperandKind::Registers(TypeRule::Is(ScalarType::B32), VectorLength::Free);
const LOADED_EIGHT: &[Operand] = &[def("r", ANY_REGISTERS), addr("p")];
const STORED_EIGHT: &[Operand] = &[addr("p"), arg("r", ANY_REGISTERS)];

const LOADED: &[Operand] = &[
    def(
        "r",
        OperandKind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::By(VectorLengthRule::Matrices)),
    ),
    addr("p"),
];

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Ldmatrix,
        "Loads 8x8 matrices from shared memory, one address per row.",
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
            def("r", OperandKind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::Of(Field::Num))),
            arg("p", OperandKind::Address),
        ],
        Sem::Matrix(MatrixSem::Ldmatrix),
    )
    .since(6, 5, 75)
    .later(&[(SharedCta, at(7, 8, 75))])
    .effects(Effects { convergent: true, side_effects: true, ..Effects::READS })
    .section("9.7.14.5.15"),
    Form::new(
        Opcode::Ldmatrix,
        "Loads an 8x8 matrix; the machine code is that of `.x1`.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n8]),
            EIGHT,
            Opt(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::Type, &[B16]),
        ],
        LOADED_EIGHT,
        Sem::Matrix(MatrixSem::Ldmatrix),
    )
    .since(6, 5, 75)
    .later(&[(SharedCta, at(7, 8, 75))])
    .effects(Effects { convergent: true, side_effects: true, ..Effects::READS })
    .section("9.7.14.5.15"),
    Form::new(
        Opcode::Stmatrix,
        "Stores 8x8 matrices to shared memory, one address per row.",
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
            arg("p", OperandKind::Address),
            arg("r", OperandKind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::Of(Field::Num))),
        ],
        Sem::Matrix(MatrixSem::Stmatrix),
    )
    .since(7, 8, 90)
    .later(&[(SharedCta, at(7, 8, 75))])
    .effects(Effects { convergent: true, side_effects: true, ..Effects::WRITES })
    .section("9.7.14.5.16"),
    Form::new(
        Opcode::Stmatrix,
        "Stores an 8x8 matrix; the machine code is that of `.x1`.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n8]),
            EIGHT,
            Opt(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::Type, &[B16]),
        ],
        STORED_EIGHT,
        Sem::Matrix(MatrixSem::Stmatrix),
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
        Sem::Matrix(MatrixSem::Movmatrix),
    )
    .since(7, 8, 75)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5.17"),
    load(
        "Loads 16x16 matrices of bytes from shared memory and transposes them.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n16]),
            One(Field::Num, &[X1, X2]),
            One(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::Type, &[B8]),
        ],
        LOADED,
    ),
    load(
        "Loads a 16x16 matrix of bytes, transposed; the machine code is that of `.x1`.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n16]),
            EIGHT,
            One(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::Type, &[B8]),
        ],
        LOADED_EIGHT,
    ),
    load(
        "Loads 16x16 matrices of narrow values from shared memory, widens and transposes them.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n16]),
            One(Field::Num, &[X1, X2]),
            One(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::DstFmt, &[B8x16]),
            One(Field::SrcFmt, &[B6x16P32, B4x16P64]),
        ],
        LOADED,
    ),
    load(
        "Loads a 16x16 matrix of narrow values, widened and transposed; the machine code is that of `.x1`.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n16]),
            EIGHT,
            One(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::DstFmt, &[B8x16]),
            One(Field::SrcFmt, &[B6x16P32, B4x16P64]),
        ],
        LOADED_EIGHT,
    ),
    load(
        "Loads 8x16 matrices of narrow values from shared memory and widens them.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n16]),
            One(Field::Num, &[X1, X2, X4]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::DstFmt, &[B8x16]),
            One(Field::SrcFmt, &[B6x16P32, B4x16P64]),
        ],
        LOADED,
    ),
    load(
        "Loads an 8x16 matrix of narrow values, widened; the machine code is that of `.x1`.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M8n16]),
            EIGHT,
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::DstFmt, &[B8x16]),
            One(Field::SrcFmt, &[B6x16P32, B4x16P64]),
        ],
        LOADED_EIGHT,
    ),
    Form::new(
        Opcode::Stmatrix,
        "Stores 16x8 matrices of bytes to shared memory, transposed.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8]),
            One(Field::Num, &[X1, X2, X4]),
            One(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::Type, &[B8]),
        ],
        &[
            arg("p", OperandKind::Address),
            arg(
                "r",
                OperandKind::Vector(
                    TypeRule::Is(ScalarType::B32),
                    VectorLength::By(VectorLengthRule::Matrices),
                ),
            ),
        ],
        Sem::Matrix(MatrixSem::Stmatrix),
    )
    .only(8, 6, BLACKWELL)
    .effects(Effects { convergent: true, side_effects: true, ..Effects::WRITES })
    .section("9.7.14.5.16"),
    Form::new(
        Opcode::Stmatrix,
        "Stores a 16x8 matrix of bytes, transposed; the machine code is that of `.x1`.",
        &[
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[M16n8]),
            EIGHT,
            One(Field::Trans, &[Trans]),
            Opt(Field::Space, &[Shared, SharedCta]),
            One(Field::Type, &[B8]),
        ],
        STORED_EIGHT,
        Sem::Matrix(MatrixSem::Stmatrix),
    )
    .only(8, 6, BLACKWELL)
    .effects(Effects { convergent: true, side_effects: true, ..Effects::WRITES })
    .section("9.7.14.5.16"),
];

//! Multiplications of matrices by a warp: `mma` dense, sparse and with scales (manual 9.7.14.5, 9.7.14.6).

use super::vocabulary::*;
use crate::Slot;
use crate::constants::Constants;
use crate::families::{MatrixSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, Rule, TypeRule, VectorLength, arg, def};
use crate::length::VectorLengthRule;
use crate::names::{Field, Mod, Mod::*};
use crate::target::{Since, Sm};
use crate::types::ScalarType;

const fn fragment(field: Field, length: VectorLengthRule) -> OperandKind {
    OperandKind::Vector(TypeRule::FragmentOf(field), VectorLength::By(length))
}

const D: Operand = def("d", fragment(Field::DType, VectorLengthRule::D));
const A: Operand = arg("a", fragment(Field::AType, VectorLengthRule::A));
const B_: Operand = arg("b", fragment(Field::BType, VectorLengthRule::B));
const C: Operand = arg("c", fragment(Field::CType, VectorLengthRule::C));
/// The metadata: which elements of A are stored, and which threads provide it.
const E: Operand = arg("e", BARE_B32);
const F: Operand = arg("f", ANY_INTEGER).constants(Constants::SparsitySelector);
/// The byte and the threads that hold the scales of a matrix.
const IDS: OperandKind = OperandKind::Vector(TypeRule::Is(ScalarType::U16), VectorLength::Is(2));
const A_IDS: Operand =
    arg("scale-a-ids", IDS).constants(Constants::Elements(&[Constants::ScaleBytes, Constants::Range(0, 1)]));
const B_IDS: Operand =
    arg("scale-b-ids", IDS).constants(Constants::Elements(&[Constants::ScaleBytes, Constants::Range(0, 3)]));
const SCALE: OperandKind = BARE_B32;
const DENSE: &[Operand] = &[D, A, B_, C];
const SPARSE: &[Operand] = &[D, A, B_, C, E, F];
const SCALED: &[Operand] =
    &[D, A, B_, C, arg("scale-a-data", SCALE), A_IDS, arg("scale-b-data", SCALE), B_IDS];
const SPARSE_SCALED: &[Operand] =
    &[D, A, B_, C, E, F, arg("scale-a-data", SCALE), A_IDS, arg("scale-b-data", SCALE), B_IDS];

const ROW: Slot = One(Field::ALayout, &[Row]);
const COL: Slot = One(Field::BLayout, &[Col]);
const SPARSITY: Slot = One(Field::Sparsity, &[Sp, SpOrderedMetadata]);
const ORDERED: Slot = Lit(SpOrderedMetadata);
const ORDERED_LATER: (Mod, Since) = (SpOrderedMetadata, at(8, 5, 80));
const CLAMPED: Slot = Opt(Field::Sat, &[Satfinite]);
const BYTES: &[Mod] = &[U8, S8];
const NIBBLES: &[Mod] = &[U4, S4];
const F8: &[Mod] = &[E4m3, E5m2];
const F8F6F4: &[Mod] = &[E4m3, E5m2, E3m2, E2m3, E2m1];
/// A shape and types that were added after the 8-bit types of a kind.
const NARROWER_LATER: &[(Mod, Since)] = &[
    (M16n8k16, at(8, 7, 100)),
    (E3m2, on(8, 7, FAMILY_120)),
    (E2m3, on(8, 7, FAMILY_120)),
    (E2m1, on(8, 7, FAMILY_120)),
];
const NARROWER: &[Rule] = &[Rule::Excludes(M16n8k16, &[E3m2, E2m3, E2m1])];
/// Scaled sparse products of 4-bit values are those of the exact targets.
const EXACT_12X: &[Sm] = &[Sm::arch(120), Sm::arch(121)];

const fn dtype(set: &'static [Mod]) -> Slot {
    One(Field::DType, set)
}
const fn atype(set: &'static [Mod]) -> Slot {
    One(Field::AType, set)
}
const fn btype(set: &'static [Mod]) -> Slot {
    One(Field::BType, set)
}
const fn ctype(set: &'static [Mod]) -> Slot {
    One(Field::CType, set)
}
const fn shape(set: &'static [Mod]) -> Slot {
    One(Field::Shape, set)
}

const fn dense(doc: &'static str, slots: &'static [Slot]) -> Form {
    Form::new(Opcode::Mma, doc, slots, DENSE, Sem::Matrix(MatrixSem::Mma))
        .effects(Effects::CONVERGENT)
        .section("9.7.14.5.14")
}

const fn sparse(doc: &'static str, slots: &'static [Slot]) -> Form {
    Form::new(Opcode::Mma, doc, slots, SPARSE, Sem::Matrix(MatrixSem::MmaSparse))
        .since(7, 1, 80)
        .later(&[ORDERED_LATER])
        .effects(Effects::CONVERGENT)
        .section("9.7.14.6.3")
}

pub(super) static FORMS: &[Form] = &[
    dense(
        "Multiplies half-precision matrices in four groups of threads and adds.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M8n8k4]),
            One(Field::ALayout, &[Row, Col]),
            One(Field::BLayout, &[Row, Col]),
            dtype(&[F16, F32]),
            atype(&[F16]),
            btype(&[F16]),
            ctype(&[F16]),
        ],
    )
    .since(6, 4, 70),
    dense(
        "Multiplies half-precision matrices in four groups of threads and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M8n8k4]),
            One(Field::ALayout, &[Row, Col]),
            One(Field::BLayout, &[Row, Col]),
            dtype(&[F32]),
            atype(&[F16]),
            btype(&[F16]),
            ctype(&[F32]),
        ],
    )
    .since(6, 4, 70),
    dense(
        "Multiplies half-precision matrices and adds, in half precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k8, M16n8k16]),
            ROW,
            COL,
            dtype(&[F16]),
            atype(&[F16]),
            btype(&[F16]),
            ctype(&[F16]),
        ],
    )
    .since(6, 5, 75)
    .later(&[(M16n8k16, at(7, 0, 80))]),
    dense(
        "Multiplies half-precision matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k8, M16n8k16]),
            ROW,
            COL,
            dtype(&[F32]),
            atype(&[F16]),
            btype(&[F16]),
            ctype(&[F32]),
        ],
    )
    .since(6, 5, 75)
    .later(&[(M16n8k16, at(7, 0, 80))]),
    dense(
        "Multiplies bfloat matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k8, M16n8k16]),
            ROW,
            COL,
            dtype(&[F32]),
            atype(&[Bf16]),
            btype(&[Bf16]),
            ctype(&[F32]),
        ],
    )
    .since(7, 0, 80),
    dense(
        "Multiplies tf32 matrices and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k4, M16n8k8]),
            ROW,
            COL,
            dtype(&[F32]),
            atype(&[Tf32]),
            btype(&[Tf32]),
            ctype(&[F32]),
        ],
    )
    .since(7, 0, 80),
    dense(
        "Multiplies double-precision matrices and adds.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M8n8k4, M16n8k4, M16n8k8, M16n8k16]),
            ROW,
            COL,
            dtype(&[F64]),
            atype(&[F64]),
            btype(&[F64]),
            ctype(&[F64]),
            OPT_RND,
        ],
    )
    .since(7, 0, 80)
    .later(&[(M16n8k4, at(7, 8, 90)), (M16n8k8, at(7, 8, 90)), (M16n8k16, at(7, 8, 90))]),
    dense(
        "Multiplies matrices of bytes and adds; `.satfinite` clamps the sums.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M8n8k16, M16n8k16, M16n8k32]),
            ROW,
            COL,
            CLAMPED,
            dtype(&[S32]),
            atype(BYTES),
            btype(BYTES),
            ctype(&[S32]),
        ],
    )
    .since(6, 5, 75)
    .later(&[(M16n8k16, at(7, 0, 80)), (M16n8k32, at(7, 0, 80))]),
    dense(
        "Multiplies matrices of 4-bit integers and adds; `.satfinite` clamps the sums.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M8n8k32, M16n8k32, M16n8k64]),
            ROW,
            COL,
            CLAMPED,
            dtype(&[S32]),
            atype(NIBBLES),
            btype(NIBBLES),
            ctype(&[S32]),
        ],
    )
    .since(6, 5, 75)
    .later(&[(M16n8k32, at(7, 0, 80)), (M16n8k64, at(7, 0, 80))]),
    dense(
        "Combines the bits of matrices and counts those that are one.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M8n8k128, M16n8k128, M16n8k256]),
            ROW,
            COL,
            dtype(&[S32]),
            atype(&[B1]),
            btype(&[B1]),
            ctype(&[S32]),
            One(Field::Op, &[Xor, And]),
            Lit(Popc),
        ],
    )
    .since(7, 0, 75)
    .later(&[(M16n8k128, at(7, 0, 80)), (M16n8k256, at(7, 0, 80)), (And, at(7, 1, 80))]),
    dense(
        "Multiplies matrices of 8-bit floating-point values and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k16, M16n8k32]),
            ROW,
            COL,
            dtype(&[F32]),
            atype(F8),
            btype(F8),
            ctype(&[F32]),
        ],
    )
    .since(8, 4, 89)
    .later(&[(M16n8k16, at(8, 7, 89))]),
    dense(
        "Multiplies matrices of 8-bit floating-point values and adds, in half precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k16, M16n8k32]),
            ROW,
            COL,
            dtype(&[F16]),
            atype(F8),
            btype(F8),
            ctype(&[F16]),
        ],
    )
    .since(8, 7, 89),
    dense(
        "Multiplies matrices of narrow floating-point values, by their kind, and adds, in single precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k16, M16n8k32]),
            ROW,
            COL,
            Lit(KindF8f6f4),
            dtype(&[F32]),
            atype(F8F6F4),
            btype(F8F6F4),
            ctype(&[F32]),
        ],
    )
    .only(8, 6, BLACKWELL)
    .later(NARROWER_LATER)
    .rules(NARROWER),
    dense(
        "Multiplies matrices of narrow floating-point values, by their kind, and adds, in half precision.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k16, M16n8k32]),
            ROW,
            COL,
            Lit(KindF8f6f4),
            dtype(&[F16]),
            atype(F8F6F4),
            btype(F8F6F4),
            ctype(&[F16]),
        ],
    )
    .only(8, 7, BLACKWELL)
    .later(NARROWER_LATER)
    .rules(NARROWER),
    Form::new(
        Opcode::Mma,
        "Multiplies matrices of narrow floating-point values with scales for each block and adds.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k32]),
            ROW,
            COL,
            Lit(KindMxf8f6f4),
            Lit(BlockScale),
            Opt(Field::ScaleVec, &[ScaleVec1X]),
            dtype(&[F32]),
            atype(F8F6F4),
            btype(F8F6F4),
            ctype(&[F32]),
            One(Field::SType, &[Ue8m0]),
        ],
        SCALED,
        Sem::Matrix(MatrixSem::MmaScaled),
    )
    .only(8, 7, FAMILY_120)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5.14"),
    Form::new(
        Opcode::Mma,
        "Multiplies matrices of 4-bit floating-point values with scales for each block and adds.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64]),
            ROW,
            COL,
            Lit(KindMxf4),
            Lit(BlockScale),
            Opt(Field::ScaleVec, &[ScaleVec2X]),
            dtype(&[F32]),
            atype(&[E2m1]),
            btype(&[E2m1]),
            ctype(&[F32]),
            One(Field::SType, &[Ue8m0]),
        ],
        SCALED,
        Sem::Matrix(MatrixSem::MmaScaled),
    )
    .only(8, 7, FAMILY_120)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5.14"),
    Form::new(
        Opcode::Mma,
        "The same with scales for smaller blocks.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64]),
            ROW,
            COL,
            Lit(KindMxf4nvf4),
            Lit(BlockScale),
            One(Field::ScaleVec, &[ScaleVec2X, ScaleVec4X]),
            dtype(&[F32]),
            atype(&[E2m1]),
            btype(&[E2m1]),
            ctype(&[F32]),
            One(Field::SType, &[Ue8m0, Ue4m3]),
        ],
        SCALED,
        Sem::Matrix(MatrixSem::MmaScaled),
    )
    .only(8, 7, FAMILY_120)
    .rules(&[Rule::Needs(Ue4m3, &[ScaleVec4X]), Rule::Needs(Ue8m0, &[ScaleVec2X])])
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5.14"),
    Form::new(
        Opcode::Mma,
        "The same with powers of two for smaller blocks.",
        &[
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64]),
            ROW,
            COL,
            Lit(KindMxf4nvf4),
            Lit(BlockScale),
            One(Field::ScaleVec, &[ScaleVec4X]),
            dtype(&[F32]),
            atype(&[E2m1]),
            btype(&[E2m1]),
            ctype(&[F32]),
            One(Field::SType, &[Ue8m0]),
        ],
        SCALED,
        Sem::Matrix(MatrixSem::MmaScaled),
    )
    .only(9, 1, FAMILY_120)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.5.14"),
    sparse(
        "Multiplies a sparse half-precision matrix and adds, in half precision.",
        &[
            SPARSITY,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k16, M16n8k32]),
            ROW,
            COL,
            dtype(&[F16]),
            atype(&[F16]),
            btype(&[F16]),
            ctype(&[F16]),
        ],
    ),
    sparse(
        "Multiplies a sparse half-precision matrix and adds, in single precision.",
        &[
            SPARSITY,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k16, M16n8k32]),
            ROW,
            COL,
            dtype(&[F32]),
            atype(&[F16]),
            btype(&[F16]),
            ctype(&[F32]),
        ],
    ),
    sparse(
        "Multiplies a sparse bfloat matrix and adds.",
        &[
            SPARSITY,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k16, M16n8k32]),
            ROW,
            COL,
            dtype(&[F32]),
            atype(&[Bf16]),
            btype(&[Bf16]),
            ctype(&[F32]),
        ],
    ),
    sparse(
        "Multiplies a sparse tf32 matrix and adds.",
        &[
            SPARSITY,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k8, M16n8k16]),
            ROW,
            COL,
            dtype(&[F32]),
            atype(&[Tf32]),
            btype(&[Tf32]),
            ctype(&[F32]),
        ],
    ),
    sparse(
        "Multiplies a sparse matrix of bytes and adds; `.satfinite` clamps the sums.",
        &[
            SPARSITY,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k32, M16n8k64]),
            ROW,
            COL,
            CLAMPED,
            dtype(&[S32]),
            atype(BYTES),
            btype(BYTES),
            ctype(&[S32]),
        ],
    ),
    sparse(
        "Multiplies a sparse matrix of 4-bit integers and adds; `.satfinite` clamps the sums.",
        &[
            SPARSITY,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64, M16n8k128]),
            ROW,
            COL,
            CLAMPED,
            dtype(&[S32]),
            atype(NIBBLES),
            btype(NIBBLES),
            ctype(&[S32]),
        ],
    ),
    sparse(
        "Multiplies a sparse matrix of 8-bit floating-point values and adds, in single precision.",
        &[
            SPARSITY,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64]),
            ROW,
            COL,
            dtype(&[F32]),
            atype(F8),
            btype(F8),
            ctype(&[F32]),
        ],
    )
    .since(8, 4, 89),
    sparse(
        "Multiplies a sparse matrix of 8-bit floating-point values and adds, in half precision.",
        &[
            ORDERED,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64]),
            ROW,
            COL,
            dtype(&[F16]),
            atype(F8),
            btype(F8),
            ctype(&[F16]),
        ],
    )
    .only(8, 7, FAMILY_120),
    sparse(
        "Multiplies a sparse matrix of narrow floating-point values, by their kind, and adds, in single precision.",
        &[
            ORDERED,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64]),
            ROW,
            COL,
            Lit(KindF8f6f4),
            dtype(&[F32]),
            atype(F8F6F4),
            btype(F8F6F4),
            ctype(&[F32]),
        ],
    )
    .only(8, 6, BLACKWELL)
    .later(NARROWER_LATER),
    sparse(
        "Multiplies a sparse matrix of narrow floating-point values and adds, in half precision.",
        &[
            ORDERED,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64]),
            ROW,
            COL,
            Lit(KindF8f6f4),
            dtype(&[F16]),
            atype(F8F6F4),
            btype(F8F6F4),
            ctype(&[F16]),
        ],
    )
    .only(8, 7, FAMILY_120),
    Form::new(
        Opcode::Mma,
        "Multiplies a sparse matrix of narrow floating-point values with scales for each block and adds.",
        &[
            ORDERED,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k64]),
            ROW,
            COL,
            Lit(KindMxf8f6f4),
            Lit(BlockScale),
            Opt(Field::ScaleVec, &[ScaleVec1X]),
            dtype(&[F32]),
            atype(F8F6F4),
            btype(F8F6F4),
            ctype(&[F32]),
            One(Field::SType, &[Ue8m0]),
        ],
        SPARSE_SCALED,
        Sem::Matrix(MatrixSem::MmaScaled),
    )
    .only(8, 7, FAMILY_120)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.6.3"),
    Form::new(
        Opcode::Mma,
        "Multiplies a sparse matrix of 4-bit floating-point values with scales for each block and adds.",
        &[
            ORDERED,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k128]),
            ROW,
            COL,
            Lit(KindMxf4),
            Lit(BlockScale),
            Opt(Field::ScaleVec, &[ScaleVec2X]),
            dtype(&[F32]),
            atype(&[E2m1]),
            btype(&[E2m1]),
            ctype(&[F32]),
            One(Field::SType, &[Ue8m0]),
        ],
        SPARSE_SCALED,
        Sem::Matrix(MatrixSem::MmaScaled),
    )
    .only(8, 7, EXACT_12X)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.6.3"),
    Form::new(
        Opcode::Mma,
        "The same with scales for smaller blocks.",
        &[
            ORDERED,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k128]),
            ROW,
            COL,
            Lit(KindMxf4nvf4),
            Lit(BlockScale),
            One(Field::ScaleVec, &[ScaleVec2X, ScaleVec4X]),
            dtype(&[F32]),
            atype(&[E2m1]),
            btype(&[E2m1]),
            ctype(&[F32]),
            One(Field::SType, &[Ue8m0, Ue4m3]),
        ],
        SPARSE_SCALED,
        Sem::Matrix(MatrixSem::MmaScaled),
    )
    .only(8, 7, EXACT_12X)
    .rules(&[Rule::Needs(Ue4m3, &[ScaleVec4X]), Rule::Needs(Ue8m0, &[ScaleVec2X])])
    .effects(Effects::CONVERGENT)
    .section("9.7.14.6.3"),
    Form::new(
        Opcode::Mma,
        "The same with powers of two for smaller blocks.",
        &[
            ORDERED,
            Lit(Sync),
            Lit(Aligned),
            shape(&[M16n8k128]),
            ROW,
            COL,
            Lit(KindMxf4nvf4),
            Lit(BlockScale),
            One(Field::ScaleVec, &[ScaleVec4X]),
            dtype(&[F32]),
            atype(&[E2m1]),
            btype(&[E2m1]),
            ctype(&[F32]),
            One(Field::SType, &[Ue8m0]),
        ],
        SPARSE_SCALED,
        Sem::Matrix(MatrixSem::MmaScaled),
    )
    .only(9, 1, EXACT_12X)
    .effects(Effects::CONVERGENT)
    .section("9.7.14.6.3"),
];

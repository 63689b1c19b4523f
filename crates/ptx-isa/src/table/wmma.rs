//! Multiplications of matrices by a warp through opaque fragments: `wmma` (manual 9.7.14.4).

use super::vocabulary::*;
use crate::Slot;
use crate::families::{MatrixSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, Rule, TypeRule, VectorLength, arg, def, opt};
use crate::length::VectorLengthRule;
use crate::names::{Field, Mod, Mod::*};
use crate::target::Since;

const fn fragment(field: Field, length: VectorLengthRule) -> OperandKind {
    OperandKind::Vector(TypeRule::FragmentOf(field), VectorLength::By(length))
}

const STRIDE: Operand = opt("stride", V_U32);
const SPACE: Slot = Opt(Field::Space, &[Global, Shared, SharedCta]);
/// Sub-windows came after the forms without `.aligned` were gone.
const UNALIGNED_SPACE: Slot = Opt(Field::Space, &[Global, Shared]);
const LAYOUT: Slot = One(Field::ALayout, &[Row, Col]);
const LAYOUT_B: Slot = One(Field::BLayout, &[Row, Col]);
const K16: &[Mod] = &[M16n16k16, M8n32k16, M32n8k16];
const BYTES: &[Mod] = &[U8, S8];
const NIBBLES: &[Mod] = &[U4, S4];
const LATER: &[(Mod, Since)] = &[
    (U8, at(6, 3, 72)),
    (S8, at(6, 3, 72)),
    (S32, at(6, 3, 72)),
    (Bf16, at(7, 0, 80)),
    (M16n16k8, at(7, 0, 80)),
    (M8n8k4, at(7, 0, 80)),
    (M8n8k32, at(6, 3, 75)),
    (M8n8k128, at(6, 3, 75)),
    (SharedCta, at(7, 8, 70)),
    (And, at(7, 1, 80)),
];

const LOAD_A: &[Operand] = &[def("r", fragment(Field::AType, VectorLengthRule::A)), addr("p"), STRIDE];
const LOAD_B: &[Operand] = &[def("r", fragment(Field::BType, VectorLengthRule::B)), addr("p"), STRIDE];
const LOAD_C: &[Operand] = &[def("r", fragment(Field::CType, VectorLengthRule::C)), addr("p"), STRIDE];
const STORE_D: &[Operand] = &[addr("p"), arg("r", fragment(Field::DType, VectorLengthRule::D)), STRIDE];
const PRODUCT: &[Operand] = &[
    def("d", fragment(Field::DType, VectorLengthRule::D)),
    arg("a", fragment(Field::AType, VectorLengthRule::A)),
    arg("b", fragment(Field::BType, VectorLengthRule::B)),
    arg("c", fragment(Field::CType, VectorLengthRule::C)),
];

/// Both factors have one type.
const ONE_TYPE: &[Rule] = &[Rule::Excludes(S8, &[U8]), Rule::Excludes(S4, &[U4])];

const fn load(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Wmma, doc, slots, operands, Sem::Matrix(MatrixSem::WmmaLoad))
        .since(6, 3, 70)
        .later(LATER)
        .effects(Effects { convergent: true, side_effects: true, ..Effects::READS })
        .section("9.7.14.4.3")
}

const fn store(doc: &'static str, slots: &'static [Slot]) -> Form {
    Form::new(Opcode::Wmma, doc, slots, STORE_D, Sem::Matrix(MatrixSem::WmmaStore))
        .since(6, 3, 70)
        .later(LATER)
        .effects(Effects { convergent: true, side_effects: true, ..Effects::WRITES })
        .section("9.7.14.4.4")
}

const fn multiply(doc: &'static str, slots: &'static [Slot]) -> Form {
    Form::new(Opcode::Wmma, doc, slots, PRODUCT, Sem::Matrix(MatrixSem::Wmma))
        .since(6, 3, 70)
        .later(LATER)
        .rules(ONE_TYPE)
        .effects(Effects::CONVERGENT)
        .section("9.7.14.4.5")
}

/// The slots of a load of A, B or C: shapes with the types they have.
macro_rules! loading {
    ($matrix:ident, $field:ident, $layouts:expr, $shapes:expr, $types:expr) => {
        &[
            Lit(Load),
            Lit($matrix),
            Lit(Sync),
            Lit(Aligned),
            One(Field::ALayout, $layouts),
            One(Field::Shape, $shapes),
            SPACE,
            One(Field::$field, $types),
        ]
    };
}

/// The slots of a store of D.
macro_rules! storing {
    ($shapes:expr, $types:expr) => {
        &[
            Lit(Store),
            Lit(D),
            Lit(Sync),
            Lit(Aligned),
            LAYOUT,
            One(Field::Shape, $shapes),
            SPACE,
            One(Field::DType, $types),
        ]
    };
}

const EITHER: &[Mod] = &[Row, Col];

/// Shapes that PTX 6.1 added to the forms without `.aligned`, which were removed in PTX 6.3.
const UNALIGNED_LATER: &[(Mod, Since)] = &[(M8n32k16, at(6, 1, 70)), (M32n8k16, at(6, 1, 70))];

/// The slots of a load of A, B or C as PTX 6.0 has it.
macro_rules! loading_unaligned {
    ($matrix:ident, $field:ident, $types:expr) => {
        &[
            Lit(Load),
            Lit($matrix),
            Lit(Sync),
            One(Field::ALayout, EITHER),
            One(Field::Shape, K16),
            UNALIGNED_SPACE,
            One(Field::$field, $types),
        ]
    };
}

/// The row as PTX 6.0 has it.
const fn unaligned(form: Form) -> Form {
    form.since(6, 0, 70).later(UNALIGNED_LATER).removed(
        6,
        3,
        Since::FIRST_SM,
        "add `.aligned` after `.sync`; all threads of the warp execute it together",
    )
}

pub(super) static FORMS: &[Form] = &[
    load("Loads A, 16 columns.", loading!(A, AType, EITHER, K16, &[F16, U8, S8, Bf16]), LOAD_A),
    load("Loads A of tf32 values.", loading!(A, AType, EITHER, &[M16n16k8], &[Tf32]), LOAD_A),
    load("Loads A of double-precision values.", loading!(A, AType, EITHER, &[M8n8k4], &[F64]), LOAD_A),
    load("Loads A of 4-bit integers.", loading!(A, AType, &[Row], &[M8n8k32], NIBBLES), LOAD_A),
    load("Loads A of bits.", loading!(A, AType, &[Row], &[M8n8k128], &[B1]), LOAD_A),
    load("Loads B, 16 rows.", loading!(B, BType, EITHER, K16, &[F16, U8, S8, Bf16]), LOAD_B),
    load("Loads B of tf32 values.", loading!(B, BType, EITHER, &[M16n16k8], &[Tf32]), LOAD_B),
    load("Loads B of double-precision values.", loading!(B, BType, EITHER, &[M8n8k4], &[F64]), LOAD_B),
    load("Loads B of 4-bit integers.", loading!(B, BType, &[Col], &[M8n8k32], NIBBLES), LOAD_B),
    load("Loads B of bits.", loading!(B, BType, &[Col], &[M8n8k128], &[B1]), LOAD_B),
    load("Loads the matrix that is added.", loading!(C, CType, EITHER, K16, &[F16, F32, S32]), LOAD_C),
    load(
        "Loads the matrix that is added to a product of tf32 matrices.",
        loading!(C, CType, EITHER, &[M16n16k8], &[F32]),
        LOAD_C,
    ),
    load(
        "Loads the matrix that is added, in double precision.",
        loading!(C, CType, EITHER, &[M8n8k4], &[F64]),
        LOAD_C,
    ),
    load(
        "Loads the matrix that is added to a product of small integers or bits.",
        loading!(C, CType, EITHER, &[M8n8k32, M8n8k128], &[S32, F32]),
        LOAD_C,
    ),
    store("Stores the result.", storing!(K16, &[F16, F32, S32])),
    store("Stores the product of tf32 matrices.", storing!(&[M16n16k8], &[F32])),
    store("Stores the result, in double precision.", storing!(&[M8n8k4], &[F64])),
    store("Stores the product of small integers or bits.", storing!(&[M8n8k32, M8n8k128], &[S32, F32])),
    multiply(
        "Multiplies half-precision matrices and adds.",
        &[
            Lit(Mma),
            Lit(Sync),
            Lit(Aligned),
            LAYOUT,
            LAYOUT_B,
            One(Field::Shape, K16),
            One(Field::DType, &[F16, F32]),
            One(Field::CType, &[F16, F32]),
        ],
    ),
    multiply(
        "Multiplies half-precision matrices, adds, and clamps the sums to finite ones (removed in PTX 6.5).",
        &[
            Lit(Mma),
            Lit(Sync),
            Lit(Aligned),
            LAYOUT,
            LAYOUT_B,
            One(Field::Shape, K16),
            One(Field::DType, &[F16, F32]),
            One(Field::CType, &[F16, F32]),
            Lit(Satfinite),
        ],
    )
    .removed(6, 5, Since::FIRST_SM, "leave `.satfinite` out and clamp the sums"),
    unaligned(load(
        "Loads A, 16 columns (the form without `.aligned`, removed in PTX 6.3).",
        loading_unaligned!(A, AType, &[F16]),
        LOAD_A,
    )),
    unaligned(load(
        "Loads B, 16 rows (the form without `.aligned`, removed in PTX 6.3).",
        loading_unaligned!(B, BType, &[F16]),
        LOAD_B,
    )),
    unaligned(load(
        "Loads the matrix that is added (the form without `.aligned`, removed in PTX 6.3).",
        loading_unaligned!(C, CType, &[F16, F32]),
        LOAD_C,
    )),
    unaligned(store(
        "Stores the result (the form without `.aligned`, removed in PTX 6.3).",
        &[
            Lit(Store),
            Lit(D),
            Lit(Sync),
            LAYOUT,
            One(Field::Shape, K16),
            UNALIGNED_SPACE,
            One(Field::DType, &[F16, F32]),
        ],
    )),
    unaligned(multiply(
        "Multiplies half-precision matrices and adds (the form without `.aligned`, removed in PTX 6.3).",
        &[
            Lit(Mma),
            Lit(Sync),
            LAYOUT,
            LAYOUT_B,
            One(Field::Shape, K16),
            One(Field::DType, &[F16, F32]),
            One(Field::CType, &[F16, F32]),
            Opt(Field::Sat, &[Satfinite]),
        ],
    )),
    multiply(
        "Multiplies matrices of bytes and adds; `.satfinite` clamps the sums.",
        &[
            Lit(Mma),
            Lit(Sync),
            Lit(Aligned),
            LAYOUT,
            LAYOUT_B,
            One(Field::Shape, K16),
            One(Field::DType, &[S32]),
            One(Field::AType, BYTES),
            One(Field::BType, BYTES),
            One(Field::CType, &[S32]),
            Opt(Field::Sat, &[Satfinite]),
        ],
    ),
    multiply(
        "Multiplies bfloat matrices and adds.",
        &[
            Lit(Mma),
            Lit(Sync),
            Lit(Aligned),
            LAYOUT,
            LAYOUT_B,
            One(Field::Shape, K16),
            One(Field::DType, &[F32]),
            One(Field::AType, &[Bf16]),
            One(Field::BType, &[Bf16]),
            One(Field::CType, &[F32]),
        ],
    ),
    multiply(
        "Multiplies tf32 matrices and adds.",
        &[
            Lit(Mma),
            Lit(Sync),
            Lit(Aligned),
            LAYOUT,
            LAYOUT_B,
            One(Field::Shape, &[M16n16k8]),
            One(Field::DType, &[F32]),
            One(Field::AType, &[Tf32]),
            One(Field::BType, &[Tf32]),
            One(Field::CType, &[F32]),
        ],
    ),
    multiply(
        "Multiplies double-precision matrices and adds.",
        &[
            Lit(Mma),
            Lit(Sync),
            Lit(Aligned),
            LAYOUT,
            LAYOUT_B,
            One(Field::Shape, &[M8n8k4]),
            OPT_RND,
            One(Field::DType, &[F64]),
            One(Field::AType, &[F64]),
            One(Field::BType, &[F64]),
            One(Field::CType, &[F64]),
        ],
    ),
    multiply(
        "Multiplies matrices of 4-bit integers and adds; `.satfinite` clamps the sums.",
        &[
            Lit(Mma),
            Lit(Sync),
            Lit(Aligned),
            Lit(Row),
            Lit(Col),
            One(Field::Shape, &[M8n8k32]),
            One(Field::DType, &[S32]),
            One(Field::AType, NIBBLES),
            One(Field::BType, NIBBLES),
            One(Field::CType, &[S32]),
            Opt(Field::Sat, &[Satfinite]),
        ],
    ),
    multiply(
        "Combines the bits of matrices and counts those that are one.",
        &[
            Lit(Mma),
            One(Field::Op, &[Xor, And]),
            Lit(Popc),
            Lit(Sync),
            Lit(Aligned),
            Lit(Row),
            Lit(Col),
            One(Field::Shape, &[M8n8k128]),
            One(Field::DType, &[S32]),
            One(Field::AType, &[B1]),
            One(Field::BType, &[B1]),
            One(Field::CType, &[S32]),
        ],
    ),
];

//! Asynchronous multiplications of matrices by four warps: `wgmma` (manual 9.7.15).

use super::vocabulary::*;
use crate::Slot;
use crate::constants::Constants;
use crate::families::{MatrixSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Combination, Effects, Form, Operand, OperandKind, TypeRule, VectorLength, arg, update};
use crate::length::VectorLengthRule;
use crate::names::{Field, Mod, Mod::*};
use crate::target::Since;

/// Columns in steps of 8 up to 256.
const K8: &[Mod] = &[
    M64n8k8, M64n16k8, M64n24k8, M64n32k8, M64n40k8, M64n48k8, M64n56k8, M64n64k8, M64n72k8, M64n80k8,
    M64n88k8, M64n96k8, M64n104k8, M64n112k8, M64n120k8, M64n128k8, M64n136k8, M64n144k8, M64n152k8,
    M64n160k8, M64n168k8, M64n176k8, M64n184k8, M64n192k8, M64n200k8, M64n208k8, M64n216k8, M64n224k8,
    M64n232k8, M64n240k8, M64n248k8, M64n256k8,
];
const K16: &[Mod] = &[
    M64n8k16, M64n16k16, M64n24k16, M64n32k16, M64n40k16, M64n48k16, M64n56k16, M64n64k16, M64n72k16,
    M64n80k16, M64n88k16, M64n96k16, M64n104k16, M64n112k16, M64n120k16, M64n128k16, M64n136k16, M64n144k16,
    M64n152k16, M64n160k16, M64n168k16, M64n176k16, M64n184k16, M64n192k16, M64n200k16, M64n208k16,
    M64n216k16, M64n224k16, M64n232k16, M64n240k16, M64n248k16, M64n256k16,
];
const K32: &[Mod] = &[
    M64n8k32, M64n16k32, M64n24k32, M64n32k32, M64n40k32, M64n48k32, M64n56k32, M64n64k32, M64n72k32,
    M64n80k32, M64n88k32, M64n96k32, M64n104k32, M64n112k32, M64n120k32, M64n128k32, M64n136k32, M64n144k32,
    M64n152k32, M64n160k32, M64n168k32, M64n176k32, M64n184k32, M64n192k32, M64n200k32, M64n208k32,
    M64n216k32, M64n224k32, M64n232k32, M64n240k32, M64n248k32, M64n256k32,
];
const K64: &[Mod] = &[
    M64n8k64, M64n16k64, M64n24k64, M64n32k64, M64n40k64, M64n48k64, M64n56k64, M64n64k64, M64n72k64,
    M64n80k64, M64n88k64, M64n96k64, M64n104k64, M64n112k64, M64n120k64, M64n128k64, M64n136k64, M64n144k64,
    M64n152k64, M64n160k64, M64n168k64, M64n176k64, M64n184k64, M64n192k64, M64n200k64, M64n208k64,
    M64n216k64, M64n224k64, M64n232k64, M64n240k64, M64n248k64, M64n256k64,
];
/// Integers have fewer widths.
const INT_K32: &[Mod] = &[
    M64n8k32, M64n16k32, M64n24k32, M64n32k32, M64n48k32, M64n64k32, M64n80k32, M64n96k32, M64n112k32,
    M64n128k32, M64n144k32, M64n160k32, M64n176k32, M64n192k32, M64n208k32, M64n224k32, M64n240k32,
    M64n256k32,
];
const INT_K64: &[Mod] = &[
    M64n8k64, M64n16k64, M64n24k64, M64n32k64, M64n48k64, M64n64k64, M64n80k64, M64n96k64, M64n112k64,
    M64n128k64, M64n144k64, M64n160k64, M64n176k64, M64n192k64, M64n208k64, M64n224k64, M64n240k64,
    M64n256k64,
];
const BIT_K256: &[Mod] = &[
    M64n8k256,
    M64n16k256,
    M64n24k256,
    M64n32k256,
    M64n48k256,
    M64n64k256,
    M64n80k256,
    M64n96k256,
    M64n112k256,
    M64n128k256,
    M64n144k256,
    M64n160k256,
    M64n176k256,
    M64n192k256,
    M64n208k256,
    M64n224k256,
    M64n240k256,
    M64n256k256,
];
const F8: &[Mod] = &[E4m3, E5m2];
const BYTES: &[Mod] = &[U8, S8];

/// The accumulator: the product is added to its old value unless `scale-d` is false (manual 9.7.15.5.2).
const D: Operand = update(
    "d",
    OperandKind::Vector(TypeRule::FragmentOf(Field::DType), VectorLength::By(VectorLengthRule::D)),
);
const A_DESC: Operand = arg("a-desc", V_U64);
const A: Operand =
    arg("a", OperandKind::Vector(TypeRule::FragmentOf(Field::AType), VectorLength::By(VectorLengthRule::A)));
const B_DESC: Operand = arg("b-desc", V_U64);
/// The metadata: which elements of A are stored, and which threads provide it.
const META: Operand = arg("sp-meta", BARE_B32);
const SELECTOR: Operand = arg("sp-sel", ANY_INTEGER).constants(Constants::SparsitySelector);
/// Whether the old value of D is added.
const SCALE_D: Operand = arg("scale-d", PRED).constants(Constants::Range(0, 1));
/// 1, or -1 to negate the matrix.
const SCALE_A: Operand = arg("imm-scale-a", ANY_INTEGER).constants(Constants::Either(-1, 1));
const SCALE_B: Operand = arg("imm-scale-b", ANY_INTEGER).constants(Constants::Either(-1, 1));
const TRANS_A: Operand = arg("imm-trans-a", OperandKind::Immediate(0, 1));
const TRANS_B: Operand = arg("imm-trans-b", OperandKind::Immediate(0, 1));

/// Products of signed and unsigned bytes came later.
const MIXED_SIGNS: &[(Combination, Since)] = &[
    (&[(Field::AType, &[S8]), (Field::BType, &[U8])], on(8, 4, WARPGROUPS)),
    (&[(Field::AType, &[U8]), (Field::BType, &[S8])], on(8, 4, WARPGROUPS)),
];

const fn multiply(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Wgmma, doc, slots, operands, Sem::Matrix(MatrixSem::Wgmma))
        .only(8, 0, WARPGROUPS)
        .later_combined(MIXED_SIGNS)
        .effects(Effects::SYNC)
        .section("9.7.15.5.2")
}

const fn sparse(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Wgmma, doc, slots, operands, Sem::Matrix(MatrixSem::WgmmaSparse))
        .only(8, 2, WARPGROUPS)
        .later_combined(MIXED_SIGNS)
        .effects(Effects::SYNC)
        .section("9.7.15.6.4")
}

const ALIGNED: Slot = Opt(Field::Aligned, &[Aligned]);
const SHARED_A: &[Operand] = &[D, A_DESC, B_DESC, SCALE_D, SCALE_A, SCALE_B];
const REGISTER_A: &[Operand] = &[D, A, B_DESC, SCALE_D, SCALE_A, SCALE_B];
const SHARED_A_TURNED: &[Operand] = &[D, A_DESC, B_DESC, SCALE_D, SCALE_A, SCALE_B, TRANS_A, TRANS_B];
const REGISTER_A_TURNED: &[Operand] = &[D, A, B_DESC, SCALE_D, SCALE_A, SCALE_B, TRANS_B];
const SHARED_A_PLAIN: &[Operand] = &[D, A_DESC, B_DESC, SCALE_D];
const REGISTER_A_PLAIN: &[Operand] = &[D, A, B_DESC, SCALE_D];
const SPARSE_SHARED_A: &[Operand] = &[D, A_DESC, B_DESC, META, SELECTOR, SCALE_D, SCALE_A, SCALE_B];
const SPARSE_REGISTER_A: &[Operand] = &[D, A, B_DESC, META, SELECTOR, SCALE_D, SCALE_A, SCALE_B];
const SPARSE_SHARED_A_TURNED: &[Operand] =
    &[D, A_DESC, B_DESC, META, SELECTOR, SCALE_D, SCALE_A, SCALE_B, TRANS_A, TRANS_B];
const SPARSE_REGISTER_A_TURNED: &[Operand] =
    &[D, A, B_DESC, META, SELECTOR, SCALE_D, SCALE_A, SCALE_B, TRANS_B];
const SPARSE_SHARED_A_PLAIN: &[Operand] = &[D, A_DESC, B_DESC, META, SELECTOR, SCALE_D];
const SPARSE_REGISTER_A_PLAIN: &[Operand] = &[D, A, B_DESC, META, SELECTOR, SCALE_D];

/// The slots after the name: shapes and the types of D, A and B.
macro_rules! dense {
    ($shapes:expr, $d:expr, $a:expr, $b:expr) => {
        &[
            Lit(MmaAsync),
            Lit(Sync),
            ALIGNED,
            One(Field::Shape, $shapes),
            One(Field::DType, $d),
            One(Field::AType, $a),
            One(Field::BType, $b),
        ]
    };
}

/// The same for a sparse A.
macro_rules! thin {
    ($shapes:expr, $d:expr, $a:expr, $b:expr) => {
        &[
            Lit(MmaAsync),
            Lit(Sp),
            Lit(Sync),
            ALIGNED,
            One(Field::Shape, $shapes),
            One(Field::DType, $d),
            One(Field::AType, $a),
            One(Field::BType, $b),
        ]
    };
}

const CLAMPED: Slot = Opt(Field::Sat, &[Satfinite]);
const BYTES_DENSE: &[Slot] = &[
    Lit(MmaAsync),
    Lit(Sync),
    ALIGNED,
    One(Field::Shape, INT_K32),
    CLAMPED,
    One(Field::DType, &[S32]),
    One(Field::AType, BYTES),
    One(Field::BType, BYTES),
];
const BYTES_SPARSE: &[Slot] = &[
    Lit(MmaAsync),
    Lit(Sp),
    Lit(Sync),
    ALIGNED,
    One(Field::Shape, INT_K64),
    CLAMPED,
    One(Field::DType, &[S32]),
    One(Field::AType, BYTES),
    One(Field::BType, BYTES),
];
const BITS: &[Slot] = &[
    Lit(MmaAsync),
    Lit(Sync),
    ALIGNED,
    One(Field::Shape, BIT_K256),
    One(Field::DType, &[S32]),
    One(Field::AType, &[B1]),
    One(Field::BType, &[B1]),
    One(Field::Op, &[And]),
    Lit(Popc),
];

pub(super) static FORMS: &[Form] = &[
    multiply(
        "Multiplies half-precision matrices.",
        dense!(K16, &[F16, F32], &[F16], &[F16]),
        SHARED_A_TURNED,
    ),
    multiply(
        "Multiplies half-precision matrices; A is in registers.",
        dense!(K16, &[F16, F32], &[F16], &[F16]),
        REGISTER_A_TURNED,
    ),
    multiply("Multiplies bfloat matrices.", dense!(K16, &[F32], &[Bf16], &[Bf16]), SHARED_A_TURNED),
    multiply(
        "Multiplies bfloat matrices; A is in registers.",
        dense!(K16, &[F32], &[Bf16], &[Bf16]),
        REGISTER_A_TURNED,
    ),
    multiply("Multiplies tf32 matrices.", dense!(K8, &[F32], &[Tf32], &[Tf32]), SHARED_A),
    multiply(
        "Multiplies tf32 matrices; A is in registers.",
        dense!(K8, &[F32], &[Tf32], &[Tf32]),
        REGISTER_A,
    ),
    multiply(
        "Multiplies matrices of 8-bit floating-point values.",
        dense!(K32, &[F16, F32], F8, F8),
        SHARED_A,
    ),
    multiply(
        "Multiplies matrices of 8-bit floating-point values; A is in registers.",
        dense!(K32, &[F16, F32], F8, F8),
        REGISTER_A,
    ),
    multiply("Multiplies matrices of bytes.", BYTES_DENSE, SHARED_A_PLAIN),
    multiply("Multiplies matrices of bytes; A is in registers.", BYTES_DENSE, REGISTER_A_PLAIN),
    multiply("Combines bits and counts those that are one.", BITS, SHARED_A_PLAIN),
    multiply("Combines bits and counts those that are one; A is in registers.", BITS, REGISTER_A_PLAIN),
    sparse(
        "Multiplies a sparse half-precision matrix.",
        thin!(K32, &[F16, F32], &[F16], &[F16]),
        SPARSE_SHARED_A_TURNED,
    ),
    sparse(
        "Multiplies a sparse half-precision matrix; A is in registers.",
        thin!(K32, &[F16, F32], &[F16], &[F16]),
        SPARSE_REGISTER_A_TURNED,
    ),
    sparse(
        "Multiplies a sparse bfloat matrix.",
        thin!(K32, &[F32], &[Bf16], &[Bf16]),
        SPARSE_SHARED_A_TURNED,
    ),
    sparse(
        "Multiplies a sparse bfloat matrix; A is in registers.",
        thin!(K32, &[F32], &[Bf16], &[Bf16]),
        SPARSE_REGISTER_A_TURNED,
    ),
    sparse("Multiplies a sparse tf32 matrix.", thin!(K16, &[F32], &[Tf32], &[Tf32]), SPARSE_SHARED_A),
    sparse(
        "Multiplies a sparse tf32 matrix; A is in registers.",
        thin!(K16, &[F32], &[Tf32], &[Tf32]),
        SPARSE_REGISTER_A,
    ),
    sparse(
        "Multiplies a sparse matrix of 8-bit floating-point values.",
        thin!(K64, &[F16, F32], F8, F8),
        SPARSE_SHARED_A,
    ),
    sparse(
        "Multiplies a sparse matrix of 8-bit floating-point values; A is in registers.",
        thin!(K64, &[F16, F32], F8, F8),
        SPARSE_REGISTER_A,
    ),
    sparse("Multiplies a sparse matrix of bytes.", BYTES_SPARSE, SPARSE_SHARED_A_PLAIN),
    sparse("Multiplies a sparse matrix of bytes; A is in registers.", BYTES_SPARSE, SPARSE_REGISTER_A_PLAIN),
    Form::new(
        Opcode::Wgmma,
        "Orders registers and shared memory before the multiplications that follow.",
        &[Lit(Fence), Lit(Sync), ALIGNED],
        &[],
        Sem::Matrix(MatrixSem::WgmmaFence),
    )
    .only(8, 0, WARPGROUPS)
    .effects(Effects::SYNC)
    .section("9.7.15.7.1"),
    Form::new(
        Opcode::Wgmma,
        "Commits the multiplications so far as a group.",
        &[Lit(CommitGroup), Lit(Sync), ALIGNED],
        &[],
        Sem::Matrix(MatrixSem::WgmmaCommit),
    )
    .only(8, 0, WARPGROUPS)
    .effects(Effects::SYNC)
    .section("9.7.15.7.2"),
    Form::new(
        Opcode::Wgmma,
        "Waits until at most `N` of the newest groups are unfinished.",
        &[Lit(WaitGroup), Lit(Sync), ALIGNED],
        &[arg("N", OperandKind::Immediate(0, i64::MAX))],
        Sem::Matrix(MatrixSem::WgmmaWait),
    )
    .only(8, 0, WARPGROUPS)
    .effects(Effects::SYNC)
    .section("9.7.15.7.3"),
];

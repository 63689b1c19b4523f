//! Tensor memory and the multiplications that use it: `tcgen05` (manual 9.7.16).

use super::vocabulary::*;
use crate::Slot;
use crate::constants::Constants;
use crate::families::{MatrixSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, Rule, TypeRule, VectorLength, arg, def, opt};
use crate::length::VectorLengthRule;
use crate::names::{Field, Mod, Mod::*};
use crate::target::{Since, Sm};
use crate::types::ScalarType;

const GROUP: Slot = One(Field::CtaGroup, &[CtaGroup1, CtaGroup2]);
const EXCLUSIVE: Slot = One(Field::Exclusive, &[Exclusive]);
const REPEATS: Slot = One(Field::Num, &[X1, X2, X4, X8, X16, X32, X64, X128]);
/// A reduction is over two values at least.
const REDUCED: Slot = One(Field::Num, &[X2, X4, X8, X16, X32, X64, X128]);
/// Four values of which two are kept are the least that is compressed.
const COMPRESSED: Slot = One(Field::Num, &[X4, X8, X16, X32, X64, X128]);
/// Shapes whose lanes lie next to each other.
const SHAPES: Slot = One(Field::Shape, &[S16x64b, S16x128b, S16x256b, S32x32b]);
/// The shape of two halves with a distance between them.
const SPLIT: Slot = One(Field::Shape, &[S16x32bx2]);
const PACK: Slot = Opt(Field::Pack, &[Pack16b]);
const UNPACK: Slot = Opt(Field::Pack, &[Unpack16b]);
const DISTANCE: Operand = arg("immHalfSplitoff", ANY_INTEGER);
/// The wide shapes have fewer repeats: at most 128 registers.
const AT_MOST_128: &[Rule] = &[Rule::Excludes(S16x128b, &[X128]), Rule::Excludes(S16x256b, &[X64, X128])];

/// How many columns; `ptxas` holds those for one block alone to no power of two.
const EXCLUSIVE_COLUMNS: Operand = arg("nCols", V_U32).constants(Constants::Multiple(32, 32, i64::MAX));
/// How many columns.
const COLUMNS: Operand = arg("nCols", V_U32).constants(Constants::PowerOfTwo(32, 512));
const CELLS: OperandKind =
    OperandKind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::By(VectorLengthRule::TensorMemory));
const KEPT: OperandKind =
    OperandKind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::By(VectorLengthRule::CompressedValues));
const POSITIONS: OperandKind = OperandKind::Vector(
    TypeRule::Is(ScalarType::B32),
    VectorLength::By(VectorLengthRule::CompressedPositions),
);

const D_TMEM: Operand = tensor_memory("d-tmem");
const A_DESC: Operand = arg("a-desc", V_U64);
const A_TMEM: Operand = tensor_memory("a-tmem");
const B_DESC: Operand = arg("b-desc", V_U64);
const META: Operand = tensor_memory("sp-meta-tmem");
const IDESC: Operand = arg("idesc", V_U32);
const SCALE_A: Operand = tensor_memory("scale-A-tmem");
const SCALE_B: Operand = tensor_memory("scale-B-tmem");
/// Lanes of D that stay as they are.
const DISABLED: Operand = arg(
    "disable-output-lane",
    OperandKind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::By(VectorLengthRule::DisabledLanes)),
);
/// Whether the old value of D is added, and by which power of two it is divided.
const ENABLE_D: Operand = arg("enable-input-d", PRED);
const SCALE_D: Operand = arg("scale-input-d", OperandKind::Immediate(0, 15));
/// `ptxas` does not restrict the power for integers.
const SCALE_INTEGER_D: Operand = arg("scale-input-d", ANY_INTEGER);
const ZERO_COLUMNS: Operand = opt("zero-column-mask-desc", V_U64);

const KIND_ANY: Slot = One(Field::Kind, &[KindF16, KindTf32, KindF8f6f4, KindI8]);
/// D is scaled in half and single precision; `ptxas` also accepts a scale with integers.
const KIND_FLOAT: Slot = One(Field::Kind, &[KindF16, KindTf32]);
const KIND_INTEGER: Slot = One(Field::Kind, &[KindI8]);
const KIND_SCALED: Slot = One(Field::Kind, &[KindMxf8f6f4, KindMxf4, KindMxf4nvf4]);
const SCALES: Slot = Opt(Field::ScaleVec, &[ScaleVec1X, ScaleVec2X, ScaleVec4X, Block16, Block32]);
const ASHIFT: Slot = Opt(Field::Ashift, &[Ashift]);
/// What the collector buffer keeps of A for the next multiplication.
const COLLECT_A: Slot =
    Opt(Field::CollectorA, &[CollectorAFill, CollectorAUse, CollectorALastuse, CollectorADiscard]);
const COLLECT_B: Slot =
    Opt(Field::CollectorB, &[CollectorBFill, CollectorBUse, CollectorBLastuse, CollectorBDiscard]);
const COLLECT_BUFFERS: Slot = Opt(
    Field::CollectorB,
    &[
        CollectorB0Fill,
        CollectorB0Use,
        CollectorB0Lastuse,
        CollectorB0Discard,
        CollectorB1Fill,
        CollectorB1Use,
        CollectorB1Lastuse,
        CollectorB1Discard,
        CollectorB2Fill,
        CollectorB2Use,
        CollectorB2Lastuse,
        CollectorB2Discard,
        CollectorB3Fill,
        CollectorB3Use,
        CollectorB3Lastuse,
        CollectorB3Discard,
    ],
);

/// Integers came with the exact targets only.
const EXACT_INTEGER: &[Sm] = &[Sm::arch(100), Sm::arch(110)];
const EXACT: &[Sm] = &[Sm::arch(100), Sm::arch(103), Sm::arch(107), Sm::arch(110)];
const ONLY_107: &[Sm] = &[Sm::arch(107)];
const MMA_LATER: &[(Mod, Since)] = &[
    (KindI8, on(8, 6, EXACT_INTEGER)),
    (KindMxf4nvf4, at(8, 7, 100)),
    (Block16, at(8, 8, 100)),
    (Block32, at(8, 8, 100)),
    (ScaleVec1X, on(8, 6, EXACT)),
    (ScaleVec2X, on(8, 6, EXACT)),
    (ScaleVec4X, on(8, 6, EXACT)),
    (CollectorBFill, on(9, 4, FAMILY_107)),
    (CollectorBUse, on(9, 4, FAMILY_107)),
    (CollectorBLastuse, on(9, 4, FAMILY_107)),
    (CollectorBDiscard, on(9, 4, FAMILY_107)),
];
const SPARSE_LATER: &[(Mod, Since)] = &[
    (KindI8, on(8, 6, EXACT_INTEGER)),
    (KindMxf4, on(8, 6, EXACT)),
    (KindMxf4nvf4, on(8, 7, EXACT)),
    (Block16, at(8, 8, 100)),
    (Block32, at(8, 8, 100)),
    (ScaleVec1X, on(8, 6, EXACT)),
    (ScaleVec2X, on(8, 6, EXACT)),
    (ScaleVec4X, on(8, 6, EXACT)),
    (CollectorBFill, on(9, 4, FAMILY_107)),
    (CollectorBUse, on(9, 4, FAMILY_107)),
    (CollectorBLastuse, on(9, 4, FAMILY_107)),
    (CollectorBDiscard, on(9, 4, FAMILY_107)),
];
/// D is scaled in the family of 10.x, integers where they are at all.
const SCALED_D_LATER: &[(Mod, Since)] = &[
    (KindI8, on(8, 6, EXACT_INTEGER)),
    (KindF16, on(8, 6, FAMILY_100)),
    (KindTf32, on(8, 6, FAMILY_100)),
    (CollectorBFill, on(9, 4, FAMILY_107)),
    (CollectorBUse, on(9, 4, FAMILY_107)),
    (CollectorBLastuse, on(9, 4, FAMILY_107)),
    (CollectorBDiscard, on(9, 4, FAMILY_107)),
];
/// Which scales go with which kind, and what `.ashift` leaves of the collector.
const SCALE_RULES: &[Rule] = &[
    Rule::Excludes(KindMxf8f6f4, &[ScaleVec2X, ScaleVec4X, Block16]),
    Rule::Excludes(KindMxf4, &[ScaleVec1X, ScaleVec4X, Block16]),
    Rule::Needs(KindMxf4nvf4, &[ScaleVec2X, ScaleVec4X, Block16, Block32]),
];
/// Matrices are not kept (manual 9.7.16.10.9).
const NOT_KEPT: &[&[Mod]] = &[&[CollectorADiscard], &[CollectorB0Discard]];
const ASHIFT_RULES: &[Rule] = &[Rule::Excludes(Ashift, &[CollectorAFill, CollectorAUse])];

const fn memory(
    doc: &'static str,
    slots: &'static [Slot],
    operands: &'static [Operand],
    section: &'static str,
) -> Form {
    Form::new(Opcode::Tcgen05, doc, slots, operands, Sem::Matrix(MatrixSem::TensorMemory))
        .only(8, 6, TENSOR_MEMORY)
        .effects(Effects::SYNC)
        .section(section)
}

const fn multiply(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Tcgen05, doc, slots, operands, Sem::Matrix(MatrixSem::Tcgen05Mma))
        .only(8, 6, TENSOR_MEMORY)
        .later(MMA_LATER)
        .rules(ASHIFT_RULES)
        .defaults(NOT_KEPT)
        .effects(Effects::MEMORY)
        .section("9.7.16.10.9.1")
}

const fn sparse(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    multiply(doc, slots, operands).later(SPARSE_LATER).section("9.7.16.10.9.2")
}

const DENSE_SHARED: &[Slot] = &[Lit(Mma), GROUP, KIND_ANY, COLLECT_A, COLLECT_B];
const DENSE_TENSOR: &[Slot] = &[Lit(Mma), GROUP, KIND_ANY, ASHIFT, COLLECT_A, COLLECT_B];
const DENSE_SHARED_FLOAT: &[Slot] = &[Lit(Mma), GROUP, KIND_FLOAT, COLLECT_A, COLLECT_B];
const DENSE_SHARED_INTEGER: &[Slot] = &[Lit(Mma), GROUP, KIND_INTEGER, COLLECT_A];
const DENSE_TENSOR_FLOAT: &[Slot] = &[Lit(Mma), GROUP, KIND_FLOAT, ASHIFT, COLLECT_A, COLLECT_B];
const DENSE_TENSOR_INTEGER: &[Slot] = &[Lit(Mma), GROUP, KIND_INTEGER, ASHIFT, COLLECT_A];
const SPARSE_SHARED_FLOAT: &[Slot] = &[Lit(Mma), Lit(Sp), GROUP, KIND_FLOAT, COLLECT_A, COLLECT_B];
const SPARSE_SHARED_INTEGER: &[Slot] = &[Lit(Mma), Lit(Sp), GROUP, KIND_INTEGER, COLLECT_A];
const SPARSE_TENSOR_FLOAT: &[Slot] = &[Lit(Mma), Lit(Sp), GROUP, KIND_FLOAT, ASHIFT, COLLECT_A, COLLECT_B];
const SPARSE_TENSOR_INTEGER: &[Slot] = &[Lit(Mma), Lit(Sp), GROUP, KIND_INTEGER, ASHIFT, COLLECT_A];
const SCALED: &[Slot] = &[Lit(Mma), GROUP, KIND_SCALED, Lit(BlockScale), SCALES, COLLECT_A, COLLECT_B];
const SPARSE_SHARED: &[Slot] = &[Lit(Mma), Lit(Sp), GROUP, KIND_ANY, COLLECT_A, COLLECT_B];
const SPARSE_TENSOR: &[Slot] = &[Lit(Mma), Lit(Sp), GROUP, KIND_ANY, ASHIFT, COLLECT_A, COLLECT_B];
const SPARSE_SCALED: &[Slot] =
    &[Lit(Mma), Lit(Sp), GROUP, KIND_SCALED, Lit(BlockScale), SCALES, COLLECT_A, COLLECT_B];
const STATIONARY: &[Slot] = &[Lit(Mma), Lit(Ws), Lit(CtaGroup1), KIND_ANY, COLLECT_BUFFERS];
const SPARSE_STATIONARY: &[Slot] = &[Lit(Mma), Lit(Ws), Lit(Sp), Lit(CtaGroup1), KIND_ANY, COLLECT_BUFFERS];

pub(super) static FORMS: &[Form] = &[
    memory(
        "Allocates columns of tensor memory and writes their address to shared memory.",
        &[Lit(Alloc), GROUP, Lit(Sync), Lit(Aligned), Opt(Field::Space, &[SharedCta]), Lit(B32)],
        &[addr("dst"), COLUMNS],
        "9.7.16.7.1",
    ),
    memory(
        "Allocates columns of tensor memory, also more than there are once, for the block alone.",
        &[Lit(Alloc), EXCLUSIVE, GROUP, Lit(Sync), Lit(Aligned), Opt(Field::Space, &[SharedCta]), Lit(B32)],
        &[addr("dst"), EXCLUSIVE_COLUMNS],
        "9.7.16.7.1",
    )
    .only(9, 4, TENSOR_MEMORY),
    memory(
        "Frees columns of tensor memory.",
        &[Lit(Dealloc), GROUP, Lit(Sync), Lit(Aligned), Lit(B32)],
        &[arg("taddr", V_U32), COLUMNS],
        "9.7.16.7.1",
    ),
    memory(
        "Frees columns of tensor memory that were allocated for the block alone.",
        &[Lit(Dealloc), EXCLUSIVE, GROUP, Lit(Sync), Lit(Aligned), Lit(B32)],
        &[arg("taddr", V_U32), EXCLUSIVE_COLUMNS],
        "9.7.16.7.1",
    )
    .only(9, 4, TENSOR_MEMORY),
    memory(
        "Relinquishes the right to allocate.",
        &[Lit(RelinquishAllocPermit), GROUP, Lit(Sync), Lit(Aligned)],
        &[],
        "9.7.16.7.1",
    ),
    memory(
        "Loads from tensor memory to registers.",
        &[Lit(Ld), Lit(Sync), Lit(Aligned), SHAPES, REPEATS, PACK, Lit(B32)],
        &[def("r", CELLS), tensor_memory("taddr")],
        "9.7.16.8.3",
    )
    .rules(AT_MOST_128),
    memory(
        "Loads two parts of tensor memory to registers.",
        &[Lit(Ld), Lit(Sync), Lit(Aligned), SPLIT, REPEATS, PACK, Lit(B32)],
        &[def("r", CELLS), tensor_memory("taddr"), DISTANCE],
        "9.7.16.8.3",
    ),
    memory(
        "Loads from tensor memory and finds the smallest or largest value.",
        &[
            Lit(Ld),
            Lit(Red),
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[S32x32b]),
            REDUCED,
            One(Field::Op, &[Min, Max]),
            Opt(Field::Abs, &[AbsMod]),
            NAN,
            One(Field::Type, &[F32]),
        ],
        &[def("r", CELLS), def("redval", BARE_B32), tensor_memory("taddr")],
        "9.7.16.8.3",
    )
    .only(8, 8, FAMILIES_103_110),
    memory(
        "Loads two parts of tensor memory and finds the smallest or largest value.",
        &[
            Lit(Ld),
            Lit(Red),
            Lit(Sync),
            Lit(Aligned),
            SPLIT,
            REDUCED,
            One(Field::Op, &[Min, Max]),
            Opt(Field::Abs, &[AbsMod]),
            NAN,
            One(Field::Type, &[F32]),
        ],
        &[def("r", CELLS), def("redval", BARE_B32), tensor_memory("taddr"), DISTANCE],
        "9.7.16.8.3",
    )
    .only(8, 8, FAMILIES_103_110),
    memory(
        "Loads from tensor memory and finds the smallest or largest integer.",
        &[
            Lit(Ld),
            Lit(Red),
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[S32x32b]),
            REDUCED,
            One(Field::Op, &[Min, Max]),
            One(Field::Type, &[U32, S32]),
        ],
        &[def("r", CELLS), def("redval", BARE_B32), tensor_memory("taddr")],
        "9.7.16.8.3",
    )
    .only(8, 8, FAMILIES_103_110),
    memory(
        "Loads two parts of tensor memory and finds the smallest or largest integer.",
        &[
            Lit(Ld),
            Lit(Red),
            Lit(Sync),
            Lit(Aligned),
            SPLIT,
            REDUCED,
            One(Field::Op, &[Min, Max]),
            One(Field::Type, &[U32, S32]),
        ],
        &[def("r", CELLS), def("redval", BARE_B32), tensor_memory("taddr"), DISTANCE],
        "9.7.16.8.3",
    )
    .only(8, 8, FAMILIES_103_110),
    memory(
        "Loads from tensor memory, keeps two of four values with their positions, and finds the smallest or largest.",
        &[
            Lit(Ld),
            Lit(Red),
            Lit(Spcompress),
            Lit(Sync),
            Lit(Aligned),
            One(Field::Shape, &[S32x32b]),
            COMPRESSED,
            One(Field::Op, &[Min, Max]),
            Lit(Sp24),
            Opt(Field::Abs, &[AbsMod]),
            NAN,
            One(Field::Type, &[F32]),
            Lit(B2),
        ],
        &[def("e", POSITIONS), def("r", KEPT), def("redval", BARE_B32), tensor_memory("taddr")],
        "9.7.16.8.3",
    )
    .only(9, 4, ONLY_107),
    memory(
        "Stores registers to tensor memory.",
        &[Lit(St), Lit(Sync), Lit(Aligned), SHAPES, REPEATS, UNPACK, Lit(B32)],
        &[tensor_memory("taddr"), arg("r", CELLS)],
        "9.7.16.8.4",
    )
    .rules(AT_MOST_128),
    memory(
        "Stores registers to two parts of tensor memory.",
        &[Lit(St), Lit(Sync), Lit(Aligned), SPLIT, REPEATS, UNPACK, Lit(B32)],
        &[tensor_memory("taddr"), DISTANCE, arg("r", CELLS)],
        "9.7.16.8.4",
    ),
    memory(
        "Waits until the loads or stores of tensor memory are done.",
        &[One(Field::Action, &[WaitLd, WaitSt]), Lit(Sync), Lit(Aligned)],
        &[],
        "9.7.16.8.5",
    ),
    memory(
        "Copies from shared to tensor memory, widening narrow values.",
        &[
            Lit(Cp),
            GROUP,
            One(Field::Shape, &[S128x256b, S4x256b, S128x128b]),
            Opt(Field::DstFmt, &[B8x16]),
            Opt(Field::SrcFmt, &[B6x16P32, B4x16P64]),
        ],
        &[tensor_memory("taddr"), arg("s-desc", V_U64)],
        "9.7.16.9.1",
    )
    .rules(&[Rule::Together(Field::DstFmt, Field::SrcFmt)]),
    memory(
        "Copies 64 lanes from shared to tensor memory, to two warps each.",
        &[
            Lit(Cp),
            GROUP,
            Lit(S64x128b),
            One(Field::Multicast, &[Warpx20213, Warpx20123]),
            Opt(Field::DstFmt, &[B8x16]),
            Opt(Field::SrcFmt, &[B6x16P32, B4x16P64]),
        ],
        &[tensor_memory("taddr"), arg("s-desc", V_U64)],
        "9.7.16.9.1",
    )
    .rules(&[Rule::Together(Field::DstFmt, Field::SrcFmt)]),
    memory(
        "Copies 32 lanes from shared to tensor memory, to four warps.",
        &[
            Lit(Cp),
            GROUP,
            Lit(S32x128b),
            One(Field::Multicast, &[Warpx4]),
            Opt(Field::DstFmt, &[B8x16]),
            Opt(Field::SrcFmt, &[B6x16P32, B4x16P64]),
        ],
        &[tensor_memory("taddr"), arg("s-desc", V_U64)],
        "9.7.16.9.1",
    )
    .rules(&[Rule::Together(Field::DstFmt, Field::SrcFmt)]),
    memory(
        "Shifts rows of tensor memory down by one.",
        &[Lit(Shift), GROUP, Lit(Down)],
        &[tensor_memory("taddr")],
        "9.7.16.9.2",
    )
    .only(8, 6, EXACT),
    memory(
        "Orders asynchronous accesses of tensor memory with the synchronization of threads.",
        &[One(Field::Action, &[FenceBeforeThreadSync, FenceAfterThreadSync])],
        &[],
        "9.7.16.11.1",
    ),
    memory(
        "Arrives at a barrier when the multiplications and copies so far are done.",
        &[
            Lit(Commit),
            GROUP,
            Lit(MbarrierArriveOne),
            Opt(Field::SyncRestrict, &[SyncRestrictSharedReadMmaA]),
            Opt(Field::Space, &[SharedCluster]),
            Opt(Field::Multicast, &[MulticastCluster, MulticastCluster32b]),
            Lit(B64),
        ],
        &[addr("mbar"), CTA_MASK, CTA_MASK_32],
        "9.7.16.12.1",
    )
    .later(&[
        (MulticastCluster32b, on(9, 4, FAMILY_107)),
        (SyncRestrictSharedReadMmaA, on(9, 4, FAMILY_107)),
    ]),
    multiply("Multiplies and adds; A is in shared memory.", DENSE_SHARED, &[D_TMEM, A_DESC, B_DESC, IDESC, ENABLE_D]),
    multiply(
        "The same, except for some lanes.",
        DENSE_SHARED,
        &[D_TMEM, A_DESC, B_DESC, IDESC, DISABLED, ENABLE_D],
    ),
    multiply(
        "Multiplies and adds a scaled D; A is in shared memory.",
        DENSE_SHARED_FLOAT,
        &[D_TMEM, A_DESC, B_DESC, IDESC, ENABLE_D, SCALE_D],
    )
    .later(SCALED_D_LATER),
    multiply(
        "The same, with integers.",
        DENSE_SHARED_INTEGER,
        &[D_TMEM, A_DESC, B_DESC, IDESC, ENABLE_D, SCALE_INTEGER_D],
    )
    .later(SCALED_D_LATER),
    multiply(
        "The same, except for some lanes.",
        DENSE_SHARED_FLOAT,
        &[D_TMEM, A_DESC, B_DESC, IDESC, DISABLED, ENABLE_D, SCALE_D],
    )
    .later(SCALED_D_LATER),
    multiply(
        "The same, with integers.",
        DENSE_SHARED_INTEGER,
        &[D_TMEM, A_DESC, B_DESC, IDESC, DISABLED, ENABLE_D, SCALE_INTEGER_D],
    )
    .later(SCALED_D_LATER),
    multiply("Multiplies and adds; A is in tensor memory.", DENSE_TENSOR, &[D_TMEM, A_TMEM, B_DESC, IDESC, ENABLE_D]),
    multiply(
        "The same, except for some lanes.",
        DENSE_TENSOR,
        &[D_TMEM, A_TMEM, B_DESC, IDESC, DISABLED, ENABLE_D],
    ),
    multiply(
        "Multiplies and adds a scaled D; A is in tensor memory.",
        DENSE_TENSOR_FLOAT,
        &[D_TMEM, A_TMEM, B_DESC, IDESC, ENABLE_D, SCALE_D],
    )
    .later(SCALED_D_LATER),
    multiply(
        "The same, with integers.",
        DENSE_TENSOR_INTEGER,
        &[D_TMEM, A_TMEM, B_DESC, IDESC, ENABLE_D, SCALE_INTEGER_D],
    )
    .later(SCALED_D_LATER),
    multiply(
        "The same, except for some lanes.",
        DENSE_TENSOR_FLOAT,
        &[D_TMEM, A_TMEM, B_DESC, IDESC, DISABLED, ENABLE_D, SCALE_D],
    )
    .later(SCALED_D_LATER),
    multiply(
        "The same, with integers.",
        DENSE_TENSOR_INTEGER,
        &[D_TMEM, A_TMEM, B_DESC, IDESC, DISABLED, ENABLE_D, SCALE_INTEGER_D],
    )
    .later(SCALED_D_LATER),
    multiply(
        "Multiplies with scales for each block and adds; A is in shared memory.",
        SCALED,
        &[D_TMEM, A_DESC, B_DESC, IDESC, SCALE_A, SCALE_B, ENABLE_D],
    )
    .rules(SCALE_RULES),
    multiply(
        "Multiplies with scales for each block and adds; A is in tensor memory.",
        SCALED,
        &[D_TMEM, A_TMEM, B_DESC, IDESC, SCALE_A, SCALE_B, ENABLE_D],
    )
    .rules(SCALE_RULES),
    sparse(
        "Multiplies a sparse A in shared memory and adds.",
        SPARSE_SHARED,
        &[D_TMEM, A_DESC, B_DESC, META, IDESC, ENABLE_D],
    ),
    sparse(
        "The same, except for some lanes.",
        SPARSE_SHARED,
        &[D_TMEM, A_DESC, B_DESC, META, IDESC, DISABLED, ENABLE_D],
    ),
    sparse(
        "Multiplies a sparse A in shared memory and adds a scaled D.",
        SPARSE_SHARED_FLOAT,
        &[D_TMEM, A_DESC, B_DESC, META, IDESC, ENABLE_D, SCALE_D],
    )
    .later(SCALED_D_LATER),
    sparse(
        "The same, with integers.",
        SPARSE_SHARED_INTEGER,
        &[D_TMEM, A_DESC, B_DESC, META, IDESC, ENABLE_D, SCALE_INTEGER_D],
    )
    .later(SCALED_D_LATER),
    sparse(
        "The same, except for some lanes.",
        SPARSE_SHARED_FLOAT,
        &[D_TMEM, A_DESC, B_DESC, META, IDESC, DISABLED, ENABLE_D, SCALE_D],
    )
    .later(SCALED_D_LATER),
    sparse(
        "Multiplies a sparse A in tensor memory and adds.",
        SPARSE_TENSOR,
        &[D_TMEM, A_TMEM, B_DESC, META, IDESC, ENABLE_D],
    ),
    sparse(
        "The same, except for some lanes.",
        SPARSE_TENSOR,
        &[D_TMEM, A_TMEM, B_DESC, META, IDESC, DISABLED, ENABLE_D],
    ),
    sparse(
        "Multiplies a sparse A in tensor memory and adds a scaled D.",
        SPARSE_TENSOR_FLOAT,
        &[D_TMEM, A_TMEM, B_DESC, META, IDESC, ENABLE_D, SCALE_D],
    )
    .later(SCALED_D_LATER),
    sparse(
        "The same, with integers.",
        SPARSE_TENSOR_INTEGER,
        &[D_TMEM, A_TMEM, B_DESC, META, IDESC, ENABLE_D, SCALE_INTEGER_D],
    )
    .later(SCALED_D_LATER),
    sparse(
        "The same, except for some lanes.",
        SPARSE_TENSOR_FLOAT,
        &[D_TMEM, A_TMEM, B_DESC, META, IDESC, DISABLED, ENABLE_D, SCALE_D],
    )
    .later(SCALED_D_LATER),
    sparse(
        "Multiplies a sparse A in shared memory with scales for each block and adds.",
        SPARSE_SCALED,
        &[D_TMEM, A_DESC, B_DESC, META, IDESC, SCALE_A, SCALE_B, ENABLE_D],
    )
    .rules(SCALE_RULES),
    sparse(
        "Multiplies a sparse A in tensor memory with scales for each block and adds.",
        SPARSE_SCALED,
        &[D_TMEM, A_TMEM, B_DESC, META, IDESC, SCALE_A, SCALE_B, ENABLE_D],
    )
    .rules(SCALE_RULES),
    multiply(
        "Multiplies with a stationary B and adds; A is in shared memory.",
        STATIONARY,
        &[D_TMEM, A_DESC, B_DESC, IDESC, ENABLE_D, ZERO_COLUMNS],
    )
    .section("9.7.16.10.9.3"),
    multiply(
        "Multiplies with a stationary B and adds; A is in tensor memory.",
        STATIONARY,
        &[D_TMEM, A_TMEM, B_DESC, IDESC, ENABLE_D, ZERO_COLUMNS],
    )
    .section("9.7.16.10.9.3"),
    multiply(
        "Multiplies a sparse A in shared memory with a stationary B and adds.",
        SPARSE_STATIONARY,
        &[D_TMEM, A_DESC, B_DESC, META, IDESC, ENABLE_D, ZERO_COLUMNS],
    )
    .section("9.7.16.10.9.4"),
    multiply(
        "Multiplies a sparse A in tensor memory with a stationary B and adds.",
        SPARSE_STATIONARY,
        &[D_TMEM, A_TMEM, B_DESC, META, IDESC, ENABLE_D, ZERO_COLUMNS],
    )
    .section("9.7.16.10.9.4"),
];

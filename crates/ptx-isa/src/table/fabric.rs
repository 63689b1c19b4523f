//! Accesses to the memory of other devices through the fabric; newer than the manual, read off `ptxas`.

use super::tensor::{COORDINATES, OVERRIDES};
use super::vocabulary::*;
use crate::Slot;
use crate::constants::Constants;
use crate::families::{AsyncSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, Rule, TypeRule, arg, opt, when};
use crate::names::{Field, Mod, Mod::*};
use crate::target::Since;
use crate::types::ScalarType;

const ORDER: Slot = Opt(Field::MemOrder, &[Relaxed]);
const SYS: Slot = Opt(Field::Scope, &[Sys]);
const SCOPED: Rule = Rule::Needs(Relaxed, &[Sys]);
const COUNTED: Slot = Opt(Field::Counted, &[CountedBytes]);
const MULTIMEM: Slot = Opt(Field::Multimem, &[Multimem]);
const DIM: Slot = One(Field::Dim, &[D1, D2, D3, D4, D5]);
const TILE: Slot = Opt(Field::LoadMode, &[Tile]);
const ADDRESS: Slot = Lit(OverrideGlobalAddress);
const SIZES: Slot = Opt(Field::OverrideSizes, &[OverrideGlobalDim, OverrideGlobalDimStride]);

const SIZE: Operand = arg("size", V_U32);
const HANDLE: OperandKind = R_U32;
const FAR: OperandKind = OperandKind::Register(TypeRule::Is(ScalarType::U64));
/// `[handle, address]`, with a counter when bytes are counted.
const REMOTE: Operand = arg(
    "remote",
    OperandKind::Bracketed(&[
        arg("handle", HANDLE),
        arg("address", FAR),
        when("counter", FAR, &[CountedBytes]),
    ]),
);
/// The same of a tensor.
const REMOTE_TENSOR: Operand = arg(
    "remote",
    OperandKind::Bracketed(&[
        arg("tensorMap", OperandKind::Reference),
        arg("handle", HANDLE),
        arg("globalAddress", FAR),
        when("counter", FAR, &[CountedBytes]),
        OVERRIDES[1],
        OVERRIDES[2],
        OVERRIDES[3],
        COORDINATES,
    ]),
);
const LOCAL: Operand = arg("local", OperandKind::LooseAddress);
const OTHER: Operand = arg("value", OperandKind::LooseAddress);
const MBAR: Operand = arg("mbar", OperandKind::LooseAddress);
const BYTE_MASK: Operand = when("byteMask", BARE_U16, &[CpMask]);
/// All lanes of the warp take part.
const ALL_LANES: Operand = arg("membermask", ANY_INTEGER).constants(Constants::Either(-1, u32::MAX as i64));
const SIZE_RULES: &[Rule] =
    &[SCOPED, Rule::Needs(OverrideGlobalDim, &[D1]), Rule::Excludes(OverrideGlobalDimStride, &[D1])];
const LATER: &[(Mod, Since)] = &[(Tensor, on(9, 4, FAMILY_107))];

const OPERATIONS: &[Mod] = &[Add, Min, Max, And, Or, Xor];
const TYPES: &[Mod] = &[U32, S32, U64, S64, B32, B64, F16, Bf16, F32, F64];
/// Values that are combined on the way here: the same without double precision.
const PULLED: &[Mod] = &[U32, S32, U64, S64, B32, B64, F16, Bf16, F32];
const TYPE_RULES: &[Rule] = &[
    SCOPED,
    Rule::Needs(And, &[B32, B64]),
    Rule::Needs(Or, &[B32, B64]),
    Rule::Needs(Xor, &[B32, B64]),
    Rule::Excludes(Add, &[B32, B64, S32, S64]),
    Rule::Excludes(Min, &[B32, B64, F32, F64]),
    Rule::Excludes(Max, &[B32, B64, F32, F64]),
];

/// The same, and sums alone are kept in single precision.
const PULLED_TYPES: &[Rule] = &[
    SCOPED,
    Rule::Needs(And, &[B32, B64]),
    Rule::Needs(Or, &[B32, B64]),
    Rule::Needs(Xor, &[B32, B64]),
    Rule::Excludes(Add, &[B32, B64, S32, S64]),
    Rule::Excludes(Min, &[B32, B64, F32]),
    Rule::Excludes(Max, &[B32, B64, F32]),
    Rule::Needs(AccF32, &[Add]),
    Rule::Needs(AccF32, &[F16, Bf16]),
];

const fn try_(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Fabric, doc, slots, operands, Sem::Async(AsyncSem::Fabric))
        .since(9, 3, 100)
        .later(LATER)
        .effects(Effects::SYNC)
        .section("9.7.9.25")
}

pub(super) static FORMS: &[Form] = &[
    try_(
        "Requests memory of another device.",
        &[
            Lit(TryGet),
            Lit(Async),
            Lit(SharedCta),
            Lit(MbarrierCompleteTxBytes),
            Lit(MbarrierReportFabric),
            ORDER,
            SYS,
            Lit(B128),
        ],
        &[LOCAL, REMOTE, SIZE, MBAR],
    )
    .rules(&[SCOPED]),
    try_(
        "Requests a box of a tensor on another device.",
        &[
            Lit(TryGet),
            Lit(Async),
            Lit(Tensor),
            DIM,
            Lit(SharedCta),
            TILE,
            Lit(MbarrierCompleteTxBytes),
            Lit(MbarrierReportFabric),
            CACHE_HINT,
            ADDRESS,
            SIZES,
            ORDER,
            SYS,
            Lit(B128),
        ],
        &[LOCAL, REMOTE_TENSOR, MBAR, POLICY],
    )
    .rules(SIZE_RULES),
    try_(
        "Sends memory to another device or to several; of each 16 bytes those in the mask.",
        &[
            Lit(TryPut),
            Lit(Async),
            MULTIMEM,
            Lit(SharedCta),
            Lit(MbarrierCompleteTx16B),
            Lit(MbarrierReportFabric),
            COUNTED,
            Opt(Field::CpMask, &[CpMask]),
            ORDER,
            SYS,
            Lit(B128),
        ],
        &[REMOTE, LOCAL, SIZE, MBAR, BYTE_MASK],
    )
    .rules(&[SCOPED, Rule::Excludes(CountedBytes, &[CpMask])]),
    try_(
        "Sends a box of a tensor to another device or to several.",
        &[
            Lit(TryPut),
            Lit(Async),
            Lit(Tensor),
            MULTIMEM,
            DIM,
            Lit(SharedCta),
            TILE,
            Lit(MbarrierCompleteTx16B),
            Lit(MbarrierReportFabric),
            COUNTED,
            CACHE_HINT,
            ADDRESS,
            SIZES,
            ORDER,
            SYS,
            Lit(B128),
        ],
        &[REMOTE_TENSOR, LOCAL, SIZE, shared("mbar"), POLICY],
    )
    .rules(SIZE_RULES),
    try_(
        "Combines memory with that of another device or of several.",
        &[
            Lit(TryRed),
            Lit(Async),
            MULTIMEM,
            Lit(SharedCta),
            Lit(MbarrierCompleteTx16B),
            Lit(MbarrierReportFabric),
            COUNTED,
            ORDER,
            SYS,
            One(Field::Op, OPERATIONS),
            One(Field::Type, TYPES),
        ],
        &[REMOTE, LOCAL, SIZE, MBAR],
    )
    .rules(TYPE_RULES),
    try_(
        "Combines a value of another device and returns the old one.",
        &[
            Lit(TryAtom),
            Lit(Async),
            Lit(SharedCta),
            Lit(MbarrierCompleteTx16B),
            Lit(MbarrierReportFabric),
            CACHE_HINT,
            Lit(Relaxed),
            Lit(Sys),
            One(Field::Op, &[Add, Min, Max, And, Or, Xor, Exch, Cas]),
            One(Field::Type, &[U32, U64, B32, B64, B128, F16x2, Bf16x2, F32, F64]),
        ],
        &[REMOTE, LOCAL, OTHER, shared("mbar"), POLICY],
    )
    .since(9, 4, 100)
    .rules(&[
        Rule::Needs(And, &[B32, B64]),
        Rule::Needs(Or, &[B32, B64]),
        Rule::Needs(Xor, &[B32, B64]),
        Rule::Needs(Exch, &[B32, B64, B128]),
        Rule::Needs(Cas, &[B32, B64, B128]),
        Rule::Excludes(Add, &[B32, B64, B128]),
        Rule::Excludes(Min, &[B32, B64, B128, F32, F64]),
        Rule::Excludes(Max, &[B32, B64, B128, F32, F64]),
    ]),
    try_(
        "Combines memory of several devices into that of the block.",
        &[
            Lit(TryPullred),
            Lit(Async),
            Lit(Multimem),
            Lit(SharedCta),
            Lit(MbarrierCompleteTxBytes),
            Lit(MbarrierReportFabric),
            ORDER,
            SYS,
            One(Field::Op, OPERATIONS),
            Opt(Field::AccPrec, &[AccF32]),
            One(Field::Type, PULLED),
            Lit(Sync),
        ],
        &[LOCAL, REMOTE, SIZE, shared("mbar"), ALL_LANES],
    )
    .later(&[(AccF32, on(9, 3, BLACKWELL))])
    .rules(PULLED_TYPES),
    Form::new(
        Opcode::Fabric,
        "Commits the accesses so far.",
        &[Lit(Submit), Opt(Field::Action, &[CommitGroup, OpRestrictFetching])],
        &[],
        Sem::Async(AsyncSem::FabricGroup),
    )
    .since(9, 3, 100)
    .later(&[(CommitGroup, at(9, 5, 100))])
    .effects(Effects::SYNC)
    .section("9.7.9.25"),
    Form::new(
        Opcode::Fabric,
        "Waits until the sources of all but at most `N` of the newest groups are read.",
        &[Lit(Wait), Lit(SyncRestrictReads)],
        &[opt("N", ANY_INTEGER)],
        Sem::Async(AsyncSem::FabricGroup),
    )
    .since(9, 3, 100)
    .effects(Effects::SYNC)
    .section("9.7.9.25"),
    Form::new(
        Opcode::Fabric,
        "Waits until at most `N` of the newest groups are unfinished.",
        &[Lit(Wait), Lit(SyncRestrictRead)],
        &[arg("N", ANY_INTEGER)],
        Sem::Async(AsyncSem::FabricGroup),
    )
    .since(9, 5, 100)
    .effects(Effects::SYNC)
    .section("9.7.9.25"),
];

//! Asynchronous copies and reductions of blocks of memory (manual 9.7.9.25.4, 9.7.9.26, 9.7.9.27).

use super::vocabulary::*;
use crate::Slot;
use crate::constants::Constants;
use crate::families::{AsyncSem, MemorySem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, Rule, arg, when};
use crate::names::{Field, Mod, Mod::*};
use crate::target::Since;

/// How parts without valid data are reported to the barrier.
pub(super) const REPORTS: &[Mod] = &[
    MbarrierReportDisabled,
    MbarrierReportValidityPer16bytes8,
    MbarrierReportValidityPer16bytes80,
    MbarrierReportValidityPer16bytes8000,
    MbarrierReportValidityPer16bytes80000000,
    MbarrierReportValidityPerElementFf,
];
pub(super) const REPORT: Slot = Opt(Field::Report, REPORTS);
pub(super) const REPORT_LATER: [(Mod, Since); 6] = [
    (MbarrierReportDisabled, on(9, 4, FAMILY_107)),
    (MbarrierReportValidityPer16bytes8, on(9, 4, FAMILY_107)),
    (MbarrierReportValidityPer16bytes80, on(9, 4, FAMILY_107)),
    (MbarrierReportValidityPer16bytes8000, on(9, 4, FAMILY_107)),
    (MbarrierReportValidityPer16bytes80000000, on(9, 4, FAMILY_107)),
    (MbarrierReportValidityPerElementFf, on(9, 4, FAMILY_107)),
];
const COPY_LATER: &[(Mod, Since)] = &[
    REPORT_LATER[0],
    REPORT_LATER[1],
    REPORT_LATER[2],
    REPORT_LATER[3],
    REPORT_LATER[4],
    REPORT_LATER[5],
    (MulticastCluster32b, on(9, 4, FAMILY_107)),
    (CpMask, at(8, 6, 100)),
];
/// In shared memory 64 bits are only added.
const NEAR_TYPES: &[Rule] = &[
    Rule::Needs(And, &[B32]),
    Rule::Needs(Or, &[B32]),
    Rule::Needs(Xor, &[B32]),
    Rule::Needs(Inc, &[U32]),
    Rule::Needs(Dec, &[U32]),
    Rule::Excludes(Add, &[B32]),
    Rule::Needs(Min, &[U32, S32]),
    Rule::Needs(Max, &[U32, S32]),
];
/// Sums of single precision that keep subnormals came later than those of half precision.
const SINGLE_LATER: &[(Mod, Since)] = &[(F32, at(9, 4, 90))];
const REDUCTIONS: Slot = One(Field::Op, &[And, Or, Xor, Add, Inc, Dec, Min, Max]);

/// Copies are in units of 16 bytes.
pub(super) const SIZE: Operand = arg("size", V_U32).constants(Constants::Multiple(16, 0, 0xF_FFF0));
const IGNORED_LEFT: Operand = arg("ignoreBytesLeft", V_U32).constants(Constants::Range(0, 15));
const IGNORED_RIGHT: Operand = arg("ignoreBytesRight", V_U32).constants(Constants::Range(0, 15));
const BYTE_MASK: Operand = when("byteMask", BARE_U16, &[CpMask]);

const fn copy(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Cp, doc, slots, operands, Sem::Async(AsyncSem::BulkCopy))
        .since(8, 0, 90)
        .later(COPY_LATER)
        .effects(Effects::MEMORY)
        .section("9.7.9.25.4.1")
}

const fn reduce(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Cp, doc, slots, operands, Sem::Async(AsyncSem::BulkReduce))
        .since(8, 0, 90)
        .rules(REDUCTION_TYPES)
        .effects(Effects::MEMORY)
        .section("9.7.9.25.4.2")
}

pub(super) static FORMS: &[Form] = &[
    copy(
        "Copies from global memory to the block's shared memory; the barrier counts the bytes.",
        &[Lit(Async), Lit(Bulk), Lit(SharedCta), Lit(Global), Lit(MbarrierCompleteTxBytes), REPORT, CACHE_HINT],
        &[shared("dstMem"), global("srcMem"), SIZE, shared("mbar"), POLICY],
    )
    .since(8, 6, 90),
    copy(
        "The same; the given number of bytes at either end may be outside of the allocation, and have any value in the copy.",
        &[
            Lit(Async),
            Lit(Bulk),
            Lit(SharedCta),
            Lit(Global),
            Lit(MbarrierCompleteTxBytes),
            Lit(IgnoreOob),
            CACHE_HINT,
        ],
        &[shared("dstMem"), global("srcMem"), SIZE, IGNORED_LEFT, IGNORED_RIGHT, shared("mbar"), POLICY],
    )
    .since(9, 2, 90),
    copy(
        "Copies from global memory to shared memory of the cluster, of several blocks with a multicast.",
        &[
            Lit(Async),
            Lit(Bulk),
            Lit(SharedCluster),
            Lit(Global),
            Lit(MbarrierCompleteTxBytes),
            Opt(Field::Multicast, &[MulticastCluster, MulticastCluster32b]),
            REPORT,
            CACHE_HINT,
        ],
        &[shared("dstMem"), global("srcMem"), SIZE, shared("mbar"), CTA_MASK, CTA_MASK_32, POLICY],
    ),
    copy(
        "Copies from the block's shared memory to that of another block of the cluster.",
        &[Lit(Async), Lit(Bulk), Lit(SharedCluster), Lit(SharedCta), Lit(MbarrierCompleteTxBytes)],
        &[shared("dstMem"), shared("srcMem"), SIZE, shared("mbar")],
    ),
    copy(
        "Copies from shared to global memory; of each 16 bytes those in the mask.",
        &[
            Lit(Async),
            Lit(Bulk),
            Lit(Global),
            Lit(SharedCta),
            Lit(BulkGroup),
            CACHE_HINT,
            Opt(Field::CpMask, &[CpMask]),
        ],
        &[global("dstMem"), shared("srcMem"), SIZE, POLICY, BYTE_MASK],
    ),
    reduce(
        "Combines shared memory with that of another block of the cluster.",
        &[
            Lit(Reduce),
            Lit(Async),
            Lit(Bulk),
            Lit(SharedCluster),
            Lit(SharedCta),
            Lit(MbarrierCompleteTxBytes),
            REDUCTIONS,
            One(Field::Type, &[B32, U32, S32, U64]),
        ],
        &[shared("dstMem"), shared("srcMem"), SIZE, shared("mbar")],
    )
    .rules(NEAR_TYPES),
    reduce(
        "Combines shared with global memory.",
        &[
            Lit(Reduce),
            Lit(Async),
            Lit(Bulk),
            Lit(Global),
            Lit(SharedCta),
            Lit(BulkGroup),
            CACHE_HINT,
            REDUCTIONS,
            One(Field::Type, &[B32, U32, S32, B64, U64, S64, F32, F64]),
        ],
        &[global("dstMem"), shared("srcMem"), SIZE, POLICY],
    ),
    reduce(
        "Keeps the smaller or larger half-precision or bfloat values.",
        &[
            Lit(Reduce),
            Lit(Async),
            Lit(Bulk),
            Lit(Global),
            Lit(SharedCta),
            Lit(BulkGroup),
            CACHE_HINT,
            One(Field::Op, &[Min, Max]),
            One(Field::Type, &[F16, Bf16]),
        ],
        &[global("dstMem"), shared("srcMem"), SIZE, POLICY],
    ),
    reduce(
        "Adds half-precision, bfloat or single-precision values, keeping subnormals.",
        &[
            Lit(Reduce),
            Lit(Async),
            Lit(Bulk),
            Lit(Global),
            Lit(SharedCta),
            Lit(BulkGroup),
            CACHE_HINT,
            One(Field::Op, &[Add]),
            Lit(Noftz),
            One(Field::Type, &[F16, Bf16, F32]),
        ],
        &[global("dstMem"), shared("srcMem"), SIZE, POLICY],
    )
    .later(SINGLE_LATER),
    Form::new(
        Opcode::Cp,
        "Brings global memory into the second-level cache.",
        &[Lit(Async), Lit(Bulk), Lit(Prefetch), Lit(L2), Lit(Global), CACHE_HINT, Opt(Field::EvictL2, &[L2EvictLast])],
        &[global("srcMem"), SIZE, POLICY],
        Sem::Async(AsyncSem::BulkPrefetch),
    )
    .since(8, 0, 90)
    .later(&[(L2EvictLast, on(9, 4, FAMILY_107))])
    .rules(&[Rule::Excludes(L2CacheHint, &[L2EvictLast])])
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.25.4.3"),
    Form::new(
        Opcode::Cp,
        "Commits the bulk copies so far as a group.",
        &[Lit(Async), Lit(Bulk), Lit(CommitGroup)],
        &[],
        Sem::Async(AsyncSem::BulkCommit),
    )
    .since(8, 0, 90)
    .effects(Effects::MEMORY)
    .section("9.7.9.25.6.1"),
    Form::new(
        Opcode::Cp,
        "Waits until at most `N` of the newest groups are unfinished, or with `.read` until their sources are read.",
        &[Lit(Async), Lit(Bulk), Lit(WaitGroup), Opt(Field::Read, &[Read]),
            Opt(Field::SyncRestrict, &[SyncRestrictProxyAsync]),],
        &[arg("N", ANY_INTEGER)],
        Sem::Async(AsyncSem::BulkWait),
    )
    .since(8, 0, 90)
    .later(&[(SyncRestrictProxyAsync, at(9, 5, 90))])
    .rules(&[Rule::Excludes(Read, &[SyncRestrictProxyAsync])])
    .effects(Effects::MEMORY)
    .section("9.7.9.25.6.2"),
    Form::new(
        Opcode::Multimem,
        "Copies from shared memory to all memory of a multimem address; of each 16 bytes those in the mask.",
        &[
            Lit(Cp),
            Lit(Async),
            Lit(Bulk),
            Lit(Global),
            Lit(SharedCta),
            Lit(BulkGroup),
            Opt(Field::CpMask, &[CpMask]),
        ],
        &[global("dstMem"), shared("srcMem"), SIZE, BYTE_MASK],
        Sem::Async(AsyncSem::BulkCopy),
    )
    .since(9, 1, 90)
    .later(&[(CpMask, at(9, 1, 100))])
    .effects(Effects::MEMORY)
    .section("9.7.9.26"),
    Form::new(
        Opcode::Multimem,
        "Combines shared memory with all of a multimem address.",
        &[
            Lit(Cp),
            Lit(Reduce),
            Lit(Async),
            Lit(Bulk),
            Lit(Global),
            Lit(SharedCta),
            Lit(BulkGroup),
            REDUCTIONS,
            One(Field::Type, &[B32, U32, S32, B64, U64, S64, F32, F64]),
        ],
        &[global("dstMem"), shared("srcMem"), SIZE],
        Sem::Async(AsyncSem::BulkReduce),
    )
    .since(9, 1, 90)
    .rules(REDUCTION_TYPES)
    .effects(Effects::MEMORY)
    .section("9.7.9.27"),
    Form::new(
        Opcode::Multimem,
        "Keeps the smaller or larger half-precision or bfloat values.",
        &[
            Lit(Cp),
            Lit(Reduce),
            Lit(Async),
            Lit(Bulk),
            Lit(Global),
            Lit(SharedCta),
            Lit(BulkGroup),
            One(Field::Op, &[Min, Max]),
            One(Field::Type, &[F16, Bf16]),
        ],
        &[global("dstMem"), shared("srcMem"), SIZE],
        Sem::Async(AsyncSem::BulkReduce),
    )
    .since(9, 1, 90)
    .effects(Effects::MEMORY)
    .section("9.7.9.27"),
    Form::new(
        Opcode::Multimem,
        "Adds half-precision, bfloat or single-precision values, keeping subnormals.",
        &[
            Lit(Cp),
            Lit(Reduce),
            Lit(Async),
            Lit(Bulk),
            Lit(Global),
            Lit(SharedCta),
            Lit(BulkGroup),
            One(Field::Op, &[Add]),
            Lit(Noftz),
            One(Field::Type, &[F16, Bf16, F32]),
        ],
        &[global("dstMem"), shared("srcMem"), SIZE],
        Sem::Async(AsyncSem::BulkReduce),
    )
    .since(9, 1, 90)
    .later(SINGLE_LATER)
    .effects(Effects::MEMORY)
    .section("9.7.9.27"),
    Form::new(
        Opcode::Applypriority,
        "Sets the eviction priority of a block of the second-level cache.",
        &[Opt(Field::Space, &[Global]), One(Field::EvictL2, &[L2EvictNormal])],
        &[addr("a"), arg("size", OperandKind::Immediate(128, 128))],
        Sem::Memory(MemorySem::ApplyPriority),
    )
    .since(7, 4, 80)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.16"),
    Form::new(
        Opcode::Applypriority,
        "The same for a block of any size, without waiting.",
        &[Lit(Async), Lit(Bulk), Opt(Field::Space, &[Global]), Lit(BulkGroup), One(Field::EvictL2, &[L2EvictNormal])],
        &[addr("a"), SIZE],
        Sem::Memory(MemorySem::ApplyPriority),
    )
    .only(9, 4, FAMILY_107)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.16"),
];

//! Barriers in shared memory (manual 9.7.13.15).

use super::vocabulary::*;
use crate::Slot;
use crate::constants::Constants;
use crate::families::{AsyncSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{
    Effects, Form, Operand, OperandKind, Rule, TypeRule, VectorLength, arg, def, def_pair, opt,
};
use crate::names::{Field, Mod, Mod::*};
use crate::target::Since;
use crate::types::ScalarType;

const OWN: &[Mod] = &[Shared, SharedCta];
const ANY: &[Mod] = &[Shared, SharedCta, SharedCluster];
const NEAR: Slot = Opt(Field::Space, OWN);
const FAR: Slot = Opt(Field::Space, ANY);
const SCOPE: Slot = Opt(Field::Scope, &[Cta, Cluster]);
const MULTICAST: Slot = Opt(Field::Multicast, &[MulticastCluster32b]);
const RELEASES: Slot = Opt(Field::MemOrder, &[Release, Relaxed]);
const ACQUIRES: Slot = Opt(Field::MemOrder, &[Acquire, Relaxed]);
/// The phase that is arrived at; arrivals at the barrier of another block give none.
const STATE: Operand = def("state", OperandKind::Register(TypeRule::Is(ScalarType::U64)))
    .without(&[SharedCluster])
    .discardable_since(7, 1, 80);
/// The same of a thread that is not waited for later.
const LAST_STATE: Operand = STATE.discardable();
const PARITY: Operand = arg("phaseParity", V_U32).constants(Constants::Range(0, 1));
const HINT: Operand = opt("suspendTimeHint", V_U32);
const WAITED: Operand = def("waitComplete", PRED);
/// Whether an operation that the phase counted reported something, and what.
const REPORTED: Operand = def_pair("reportPredicate", PRED);
const REPORT_VALUE: Operand = def("reportValue", OperandKind::Value(TypeRule::Is(ScalarType::B8)));

const CTA_LATER: (Mod, Since) = (SharedCta, at(7, 8, 80));
const ARRIVE_LATER: &[(Mod, Since)] = &[
    CTA_LATER,
    (SharedCluster, at(8, 0, 90)),
    (Release, at(8, 0, 80)),
    (Cluster, at(8, 0, 90)),
    (Relaxed, at(8, 6, 90)),
    (ExpectTx, at(8, 0, 90)),
    (MulticastCluster32b, on(9, 4, FAMILY_107)),
];
const WAIT_LATER: &[(Mod, Since)] = &[
    CTA_LATER,
    (Parity, at(7, 1, 80)),
    (Acquire, at(8, 0, 80)),
    (Cluster, at(8, 0, 90)),
    (Relaxed, at(8, 6, 90)),
    (PhaseTypePrimary, at(9, 3, 90)),
    (PhaseTypeConditional, at(9, 3, 90)),
];

/// Arrivals with what is common to `arrive` and `arrive_drop`.
const fn arrive(
    doc: &'static str,
    slots: &'static [Slot],
    operands: &'static [Operand],
    section: &'static str,
) -> Form {
    Form::new(Opcode::Mbarrier, doc, slots, operands, Sem::Async(AsyncSem::MbarrierArrive))
        .since(7, 0, 80)
        .later(ARRIVE_LATER)
        .rules(FAR_RULES)
        .defaults(&[&[Release, Cta]])
        .effects(Effects::SYNC)
        .section(section)
}

/// Waits; `test_wait` returns at once, `try_wait` may suspend the thread.
const fn wait(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Mbarrier, doc, slots, operands, Sem::Async(AsyncSem::MbarrierWait))
        .since(7, 0, 80)
        .later(WAIT_LATER)
        .rules(&[Rule::Together(Field::MemOrder, Field::Scope), Rule::Needs(PhaseTypeConditional, &[Parity])])
        .defaults(&[&[Acquire, Cta]])
        .effects(Effects::SYNC)
        .section("9.7.13.15.16")
}

/// Order and scope come together, and a multicast is not for the block's own barrier.
const FAR_RULES: &[Rule] =
    &[Rule::Together(Field::MemOrder, Field::Scope), Rule::Excludes(MulticastCluster32b, OWN)];
/// The maximum number of arrivals that a phase waits for.
const MOST_ARRIVALS: i64 = 0xF_FFFF;
/// How many arrivals at once; braces may occur around it.
const COUNT: Operand =
    arg("count", OperandKind::Elements(TypeRule::Is(ScalarType::U32), VectorLength::Is(1)))
        .constants(Constants::Range(1, u32::MAX as i64));
const SINGLE: &[Operand] = &[STATE, shared("addr"), CTA_MASK_32];
const COUNTED: &[Operand] = &[STATE, shared("addr"), COUNT, CTA_MASK_32];
const EXPECTING: &[Operand] = &[STATE, shared("addr"), arg("txCount", V_U32), CTA_MASK_32];
const NOT_COMPLETING: &[Operand] = &[STATE, shared("addr"), COUNT];
const SINGLE_DROP: &[Operand] = &[LAST_STATE, shared("addr"), CTA_MASK_32];
const COUNTED_DROP: &[Operand] = &[LAST_STATE, shared("addr"), COUNT, CTA_MASK_32];
const EXPECTING_DROP: &[Operand] = &[LAST_STATE, shared("addr"), arg("txCount", V_U32), CTA_MASK_32];
const NOT_COMPLETING_DROP: &[Operand] = &[LAST_STATE, shared("addr"), COUNT];

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Mbarrier,
        "Initializes a barrier for `count` arrivals per phase.",
        &[Lit(Init), Opt(Field::Layout, &[LayoutV0, LayoutV1]), NEAR, Lit(B64)],
        &[shared("addr"), arg("count", V_U32).constants(Constants::Range(1, MOST_ARRIVALS))],
        Sem::Async(AsyncSem::MbarrierInit),
    )
    .since(7, 0, 80)
    .later(&[CTA_LATER, (LayoutV0, at(9, 3, 90)), (LayoutV1, at(9, 3, 90))])
    .effects(Effects::MEMORY)
    .section("9.7.13.15.9"),
    Form::new(
        Opcode::Mbarrier,
        "Invalidates a barrier, so that its memory may be used for something else.",
        &[Lit(Inval), NEAR, Lit(B64)],
        &[shared("addr")],
        Sem::Async(AsyncSem::MbarrierInval),
    )
    .since(7, 0, 80)
    .later(&[CTA_LATER])
    .effects(Effects::MEMORY)
    .section("9.7.13.15.10"),
    Form::new(
        Opcode::Mbarrier,
        "Tests which layout a barrier was initialized with.",
        &[Lit(CheckLayout), One(Field::Layout, &[LayoutV0, LayoutV1]), NEAR, Lit(B64)],
        &[def("p", PRED), addr("addr")],
        Sem::Async(AsyncSem::MbarrierCheckLayout),
    )
    .since(9, 3, 90)
    .effects(Effects::READS)
    .section("9.7.13.15"),
    Form::new(
        Opcode::Mbarrier,
        "Makes the phase wait for the given number of additional transactions.",
        &[Lit(ExpectTx), Opt(Field::MemOrder, &[Relaxed]), SCOPE, FAR, MULTICAST, Lit(B64)],
        &[shared("addr"), arg("txCount", V_U32), CTA_MASK_32],
        Sem::Async(AsyncSem::MbarrierTransactions),
    )
    .since(8, 0, 90)
    .later(&[(MulticastCluster32b, on(9, 4, FAMILY_107))])
    .rules(FAR_RULES)
    .effects(Effects::MEMORY)
    .section("9.7.13.15.11"),
    Form::new(
        Opcode::Mbarrier,
        "Reports to the phase that the given number of transactions is complete.",
        &[Lit(CompleteTx), Opt(Field::MemOrder, &[Relaxed]), SCOPE, FAR, MULTICAST, Lit(B64)],
        &[shared("addr"), arg("txCount", V_U32), CTA_MASK_32],
        Sem::Async(AsyncSem::MbarrierTransactions),
    )
    .since(8, 0, 90)
    .later(&[(MulticastCluster32b, on(9, 4, FAMILY_107))])
    .rules(FAR_RULES)
    .effects(Effects::MEMORY)
    .section("9.7.13.15.12"),
    arrive("Arrives.", &[Lit(Arrive), RELEASES, SCOPE, FAR, MULTICAST, Lit(B64)], SINGLE, "9.7.13.15.13"),
    arrive(
        "Arrives `count` times.",
        &[Lit(Arrive), RELEASES, SCOPE, FAR, MULTICAST, Lit(B64)],
        COUNTED,
        "9.7.13.15.13",
    )
    .since(7, 8, 90),
    arrive(
        "Expects transactions and arrives.",
        &[Lit(Arrive), Lit(ExpectTx), RELEASES, SCOPE, FAR, MULTICAST, Lit(B64)],
        EXPECTING,
        "9.7.13.15.13",
    ),
    arrive(
        "Arrives `count` times without completing the phase.",
        &[
            Lit(Arrive),
            Lit(NoComplete),
            Opt(Field::MemOrder, &[Release]),
            Opt(Field::Scope, &[Cta]),
            NEAR,
            Lit(B64),
        ],
        NOT_COMPLETING,
        "9.7.13.15.13",
    ),
    arrive(
        "Arrives and is not waited for in later phases.",
        &[Lit(ArriveDrop), RELEASES, SCOPE, FAR, MULTICAST, Lit(B64)],
        SINGLE_DROP,
        "9.7.13.15.14",
    ),
    arrive(
        "Arrives `count` times and is not waited for in later phases.",
        &[Lit(ArriveDrop), RELEASES, SCOPE, FAR, MULTICAST, Lit(B64)],
        COUNTED_DROP,
        "9.7.13.15.14",
    )
    .since(7, 8, 90),
    arrive(
        "Expects transactions, arrives and is not waited for in later phases.",
        &[Lit(ArriveDrop), Lit(ExpectTx), RELEASES, SCOPE, FAR, MULTICAST, Lit(B64)],
        EXPECTING_DROP,
        "9.7.13.15.14",
    ),
    arrive(
        "Arrives `count` times without completing the phase and is not waited for in later phases.",
        &[
            Lit(ArriveDrop),
            Lit(NoComplete),
            Opt(Field::MemOrder, &[Release]),
            Opt(Field::Scope, &[Cta]),
            NEAR,
            Lit(B64),
        ],
        NOT_COMPLETING_DROP,
        "9.7.13.15.14",
    ),
    Form::new(
        Opcode::Cp,
        "Arrives at a barrier when the earlier asynchronous copies of the thread are done.",
        &[Lit(Async), Lit(Mbarrier), Lit(Arrive), Opt(Field::NoInc, &[Noinc]), NEAR, Lit(B64)],
        &[addr("addr")],
        Sem::Async(AsyncSem::CpAsyncArrive),
    )
    .since(7, 0, 80)
    .later(&[CTA_LATER])
    .effects(Effects::SYNC)
    .section("9.7.13.15.15"),
    wait(
        "Tests whether the phase of `state`, or that of the parity, is complete.",
        &[
            Lit(TestWait),
            Lit(Parity),
            Opt(Field::PhaseType, &[PhaseTypeConditional]),
            ACQUIRES,
            SCOPE,
            NEAR,
            Lit(B64),
        ],
        &[WAITED, shared("addr"), PARITY],
    ),
    wait(
        "Tests whether the phase of `state` is complete.",
        &[Lit(TestWait), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, shared("addr"), arg("state", V_U64)],
    ),
    wait(
        "Tests the primary phase of a parity.",
        &[Lit(TestWait), Lit(Parity), Lit(PhaseTypePrimary), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, REPORTED, shared("addr"), PARITY],
    ),
    wait(
        "Tests the primary phase of a parity.",
        &[Lit(TestWait), Lit(Parity), Lit(PhaseTypePrimary), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, REPORTED, REPORT_VALUE, shared("addr"), PARITY],
    ),
    wait(
        "Tests the primary phase of `state`.",
        &[Lit(TestWait), Lit(PhaseTypePrimary), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, REPORTED, shared("addr"), arg("state", V_U64)],
    ),
    wait(
        "Tests the primary phase of `state`.",
        &[Lit(TestWait), Lit(PhaseTypePrimary), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, REPORTED, REPORT_VALUE, shared("addr"), arg("state", V_U64)],
    ),
    wait(
        "Waits for a limited time for the phase of the parity.",
        &[
            Lit(TryWait),
            Lit(Parity),
            Opt(Field::PhaseType, &[PhaseTypeConditional]),
            ACQUIRES,
            SCOPE,
            NEAR,
            Lit(B64),
        ],
        &[WAITED, shared("addr"), PARITY, HINT],
    )
    .since(7, 8, 90),
    wait(
        "Waits for a limited time for the phase of `state`.",
        &[Lit(TryWait), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, shared("addr"), arg("state", V_U64), HINT],
    )
    .since(7, 8, 90),
    wait(
        "Waits for a limited time for the primary phase of a parity.",
        &[Lit(TryWait), Lit(Parity), Lit(PhaseTypePrimary), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, REPORTED, shared("addr"), PARITY, HINT],
    )
    .since(7, 8, 90),
    wait(
        "Waits for a limited time for the primary phase of a parity.",
        &[Lit(TryWait), Lit(Parity), Lit(PhaseTypePrimary), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, REPORTED, REPORT_VALUE, shared("addr"), PARITY, HINT],
    )
    .since(7, 8, 90),
    wait(
        "Waits for a limited time for the primary phase of `state`.",
        &[Lit(TryWait), Lit(PhaseTypePrimary), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, REPORTED, shared("addr"), arg("state", V_U64), HINT],
    )
    .since(7, 8, 90),
    wait(
        "Waits for a limited time for the primary phase of `state`.",
        &[Lit(TryWait), Lit(PhaseTypePrimary), ACQUIRES, SCOPE, NEAR, Lit(B64)],
        &[WAITED, REPORTED, REPORT_VALUE, shared("addr"), arg("state", V_U64), HINT],
    )
    .since(7, 8, 90),
    Form::new(
        Opcode::Mbarrier,
        "The number of arrivals pending in the phase of `state`.",
        &[Lit(PendingCount), Lit(B64)],
        &[def("count", R_U32), arg("state", V_U64)],
        Sem::Async(AsyncSem::MbarrierPendingCount),
    )
    .since(7, 0, 80)
    .section("9.7.13.15.17"),
];

//! Loads, stores and prefetches (manual 9.7.9).

use super::vocabulary::*;
use crate::Since;
use crate::constraint::Constraint;
use crate::families::{MemorySem, Opcode, Sem};
use crate::form::Slot::{One, Opt};
use crate::form::{Combination, Effects, Form, OperandKind, TypeRule, VectorLength, arg, def, opt};
use crate::names::{Field, Mod, Mod::*};

const MEMORY_TYPES: &[Mod] = &[B8, B16, B32, B64, B128, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64];
const EVICT_L1: &[Mod] = &[L1EvictNormal, L1EvictUnchanged, L1EvictFirst, L1EvictLast, L1NoAllocate];
const EVICT_L2: &[Mod] = &[L2EvictNormal, L2EvictFirst, L2EvictLast];
const PREFETCH: &[Mod] = &[L2_64B, L2_128B, L2_256B];
const LD_LATER: &[(Mod, Since)] = &[
    CLUSTER_LATER,
    (Volatile, at(1, 1, 10)),
    (Nc, at(3, 1, 32)),
    (Weak, at(6, 0, 70)),
    (Relaxed, at(6, 0, 70)),
    (Acquire, at(6, 0, 70)),
    (Release, at(6, 0, 70)),
    (Mmio, at(8, 2, 70)),
    (ParamEntry, at(8, 3, 20)),
    (ParamFunc, at(8, 3, 20)),
    (SharedCta, at(7, 8, 20)),
    (SharedCluster, at(7, 8, 90)),
    (B128, at(8, 3, 70)),
    (L1EvictNormal, at(7, 4, 70)),
    (L1EvictUnchanged, at(7, 4, 70)),
    (L1EvictFirst, at(7, 4, 70)),
    (L1EvictLast, at(7, 4, 70)),
    (L1NoAllocate, at(7, 4, 70)),
    (L2EvictNormal, at(8, 8, 100)),
    (L2EvictFirst, at(8, 8, 100)),
    (L2EvictLast, at(8, 8, 100)),
    (L2CacheHint, at(7, 4, 80)),
    (L2_64B, at(7, 4, 75)),
    (L2_128B, at(7, 4, 75)),
    (L2_256B, at(7, 4, 80)),
];

/// Scopes and orders come together.
const LOAD_ORDERS: &[Mod] = &[Relaxed, Acquire];
const STORE_ORDERS: &[Mod] = &[Relaxed, Release];
const LOAD_COPS: &[Mod] = &[Ca, Cg, Cs, Lu, Cv];
const STORE_COPS: &[Mod] = &[Wb, Cg, Cs, Wt];
const CONST_AND_PARAM: &[Mod] = &[Const, Param, ParamEntry, ParamFunc];
const UNORDERED: &[Mod] = &[Const, Local, Param, ParamEntry, ParamFunc];
const NOT_GLOBAL: &[Mod] = &[Const, Local, Param, ParamEntry, ParamFunc, Shared, SharedCta, SharedCluster];
const LEVEL_1: &[Mod] =
    &[L1EvictNormal, L1EvictUnchanged, L1EvictFirst, L1EvictLast, L1NoAllocate, L2CacheHint];
const ORDER_IN: &str = "needs generic, global or shared memory";
const NOT_VOLATILE: &str = "is not allowed on constant or parameter memory";

/// The constraints of loads: orders and scopes (manual 9.7.9.8), cache modifiers (manual 9.7.9.1, 9.7.9.2). Which of the latter go
/// neither with `.volatile` nor with `.mmio`, or not with `.mmio`, is taken from `ptxas`.
const LOADS: &[Constraint] = &[
    Constraint::Needs(LOAD_ORDERS, SCOPES),
    Constraint::Needs(SCOPES, LOAD_ORDERS),
    Constraint::Misplaced(LOAD_ORDERS, UNORDERED, ORDER_IN),
    Constraint::Misplaced(&[Volatile], CONST_AND_PARAM, NOT_VOLATILE),
    Constraint::Needs(&[Mmio], LOAD_ORDERS),
    Constraint::Needs(&[Mmio], &[Sys]),
    Constraint::Excludes(&[Mmio], &[V2, V4, V8]),
    Constraint::Misplaced(&[Mmio], NOT_GLOBAL, GENERIC_OR_GLOBAL),
    Constraint::Excludes(LOAD_COPS, &[Volatile, Relaxed, Acquire, Mmio]),
    Constraint::Excludes(LOAD_COPS, EVICT_L1),
    Constraint::Misplaced(LEVEL_1, NOT_GLOBAL, GENERIC_OR_GLOBAL),
    Constraint::Misplaced(EVICT_L2, NOT_GLOBAL, GENERIC_OR_GLOBAL),
    Constraint::Misplaced(PREFETCH, NOT_GLOBAL, GENERIC_OR_GLOBAL),
    Constraint::Excludes(LEVEL_1, &[Volatile, Mmio]),
    Constraint::Excludes(PREFETCH, &[Mmio]),
    Constraint::Needs(&[Nc], &[Global]),
    Constraint::Excludes(&[Nc], &[Weak, Volatile, Relaxed, Acquire, Mmio, Lu, Cv]),
];
/// The constraints of stores (manual 9.7.9.11).
const STORES: &[Constraint] = &[
    Constraint::Needs(STORE_ORDERS, SCOPES),
    Constraint::Needs(SCOPES, STORE_ORDERS),
    Constraint::Misplaced(STORE_ORDERS, UNORDERED, ORDER_IN),
    Constraint::Misplaced(&[Volatile], CONST_AND_PARAM, NOT_VOLATILE),
    Constraint::Needs(&[Mmio], STORE_ORDERS),
    Constraint::Needs(&[Mmio], &[Sys]),
    Constraint::Excludes(&[Mmio], &[V2, V4, V8]),
    Constraint::Misplaced(&[Mmio], NOT_GLOBAL, GENERIC_OR_GLOBAL),
    Constraint::Excludes(STORE_COPS, &[Volatile, Relaxed, Release, Mmio]),
    Constraint::Excludes(STORE_COPS, EVICT_L1),
    Constraint::Misplaced(LEVEL_1, NOT_GLOBAL, GENERIC_OR_GLOBAL),
    Constraint::Misplaced(EVICT_L2, NOT_GLOBAL, GENERIC_OR_GLOBAL),
    Constraint::Excludes(LEVEL_1, &[Volatile, Mmio]),
];
/// Ordered accesses of 128 bits in the scope of the system, ordered accesses of mapped memory, and volatile ones of local memory, came
/// later than others.
const ORDERED_LATER: &[(Combination, Since)] = &[
    (
        &[(Field::MemOrder, &[Relaxed, Acquire, Release]), (Field::Scope, &[Sys]), (Field::Type, &[B128])],
        at(8, 4, 70),
    ),
    (&[(Field::Mmio, &[Mmio]), (Field::MemOrder, &[Acquire, Release])], at(9, 3, 70)),
    (&[(Field::MemOrder, &[Volatile]), (Field::Space, &[Local])], at(9, 1, 10)),
];

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Ld,
        "Loads registers from memory; `.nc` through the read-only cache.",
        &[
            Opt(Field::Mmio, &[Mmio]),
            Opt(Field::MemOrder, &[Weak, Volatile, Relaxed, Acquire]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, SPACES),
            Opt(Field::Cop, LOAD_COPS),
            Opt(Field::Nc, &[Nc]),
            Opt(Field::EvictL1, EVICT_L1),
            Opt(Field::EvictL2, EVICT_L2),
            CACHE_HINT,
            Opt(Field::PrefetchSize, PREFETCH),
            Opt(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, MEMORY_TYPES),
        ],
        &[
            def("d", OperandKind::WideVector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec))),
            arg("a", OperandKind::Address),
            opt("cache-policy", OperandKind::CachePolicy),
        ],
        Sem::Memory(MemorySem::Load),
    )
    .later(LD_LATER)
    .later_combined(ORDERED_LATER)
    .constraints(LOADS)
    .effects(Effects::READS)
    .section("9.7.9.8"),
    Form::new(
        Opcode::Ldu,
        "Loads registers from memory at an address that is the same for all threads of the warp.",
        &[Opt(Field::Space, &[Global]), Opt(Field::Vec, &[V2, V4, V8]), One(Field::Type, MEMORY_TYPES)],
        &[
            def("d", OperandKind::WideVector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec))),
            arg("a", OperandKind::Address),
        ],
        Sem::Memory(MemorySem::LoadUniform),
    )
    .since(2, 0, 20)
    .later(LD_LATER)
    .constraints(&[Constraint::Never(V8, "is not allowed on `ldu`, which loads at most 4 elements")])
    .effects(Effects::READS)
    .section("9.7.9.10"),
    Form::new(
        Opcode::St,
        "Stores registers to memory.",
        &[
            Opt(Field::Mmio, &[Mmio]),
            Opt(Field::MemOrder, &[Weak, Volatile, Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Local, Param, ParamFunc, Shared, SharedCta, SharedCluster]),
            Opt(Field::Cop, STORE_COPS),
            Opt(Field::EvictL1, EVICT_L1),
            Opt(Field::EvictL2, EVICT_L2),
            CACHE_HINT,
            Opt(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, MEMORY_TYPES),
        ],
        &[
            arg("a", OperandKind::Address),
            arg("b", OperandKind::WideVector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec))),
            opt("cache-policy", OperandKind::CachePolicy),
        ],
        Sem::Memory(MemorySem::Store),
    )
    .later(LD_LATER)
    .later_combined(ORDERED_LATER)
    .constraints(STORES)
    .effects(Effects::WRITES)
    .section("9.7.9.11"),
    Form::new(
        Opcode::Prefetch,
        "Brings the line of an address into a cache.",
        &[Opt(Field::Space, &[Global, Local]), One(Field::Level, &[L1, L2, L2EvictLast, L2EvictNormal])],
        &[arg("a", OperandKind::Address)],
        Sem::Memory(MemorySem::Prefetch),
    )
    .since(2, 0, 20)
    .later(&[(L2EvictLast, at(7, 4, 80)), (L2EvictNormal, at(7, 4, 80))])
    .constraints(&[Constraint::Misplaced(&[L2EvictLast, L2EvictNormal], &[Local], "needs global memory")])
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.15"),
    Form::new(
        Opcode::Prefetchu,
        "Brings the line of a generic address into the uniform cache.",
        &[One(Field::Level, &[L1])],
        &[arg("a", OperandKind::Address)],
        Sem::Memory(MemorySem::Prefetch),
    )
    .since(2, 0, 20)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.15"),
];

//! Loads, stores and prefetches (manual 9.7.9).

use super::vocabulary::*;
use crate::Since;
use crate::families::{MemorySem, Opcode, Sem};
use crate::form::Slot::{One, Opt};
use crate::form::{Effects, Form, Kind, Rule, TypeRule, VectorLength, arg, def, opt};
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

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Ld,
        "Loads registers from memory; `.nc` through the read-only cache.",
        &[
            Opt(Field::Mmio, &[Mmio]),
            Opt(Field::MemOrder, &[Weak, Volatile, Relaxed, Acquire]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, SPACES),
            Opt(Field::Cop, &[Ca, Cg, Cs, Lu, Cv]),
            Opt(Field::Nc, &[Nc]),
            Opt(Field::EvictL1, EVICT_L1),
            Opt(Field::EvictL2, EVICT_L2),
            CACHE_HINT,
            Opt(Field::PrefetchSize, PREFETCH),
            Opt(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, MEMORY_TYPES),
        ],
        &[
            def("d", Kind::WideVector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec))),
            arg("a", Kind::Address),
            opt("cache-policy", Kind::CachePolicy),
        ],
        Sem::Memory(MemorySem::Load),
    )
    .later(LD_LATER)
    .effects(Effects::READS)
    .section("9.7.9.8"),
    Form::new(
        Opcode::Ldu,
        "Loads registers from memory at an address that is the same for all threads of the warp.",
        &[Opt(Field::Space, &[Global]), Opt(Field::Vec, &[V2, V4, V8]), One(Field::Type, MEMORY_TYPES)],
        &[
            def("d", Kind::WideVector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec))),
            arg("a", Kind::Address),
        ],
        Sem::Memory(MemorySem::LoadUniform),
    )
    .since(2, 0, 20)
    .later(LD_LATER)
    .rules(&[Rule::Never(V8, "is not allowed on `ldu`, which loads at most 4 elements")])
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
            Opt(Field::Cop, &[Wb, Cg, Cs, Wt]),
            Opt(Field::EvictL1, EVICT_L1),
            Opt(Field::EvictL2, EVICT_L2),
            CACHE_HINT,
            Opt(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, MEMORY_TYPES),
        ],
        &[
            arg("a", Kind::Address),
            arg("b", Kind::WideVector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec))),
            opt("cache-policy", Kind::CachePolicy),
        ],
        Sem::Memory(MemorySem::Store),
    )
    .later(LD_LATER)
    .effects(Effects::WRITES)
    .section("9.7.9.11"),
    Form::new(
        Opcode::Prefetch,
        "Brings the line of an address into a cache.",
        &[Opt(Field::Space, &[Global, Local]), One(Field::Level, &[L1, L2, L2EvictLast, L2EvictNormal])],
        &[arg("a", Kind::Address)],
        Sem::Memory(MemorySem::Prefetch),
    )
    .since(2, 0, 20)
    .later(&[(L2EvictLast, at(7, 4, 80)), (L2EvictNormal, at(7, 4, 80))])
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.15"),
    Form::new(
        Opcode::Prefetchu,
        "Brings the line of a generic address into the uniform cache.",
        &[One(Field::Level, &[L1])],
        &[arg("a", Kind::Address)],
        Sem::Memory(MemorySem::Prefetch),
    )
    .since(2, 0, 20)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.15"),
];

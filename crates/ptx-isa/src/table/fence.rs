//! Fences between kinds of accesses (manual 9.7.13.4).

use super::vocabulary::*;
use crate::Slot;
use crate::families::{BlockSem, Opcode, Sem};
use crate::form::Slot::{Lit, One};
use crate::form::{Effects, Form, Operand, OperandKind, arg};
use crate::names::{Field, Mod, Mod::*};
use crate::target::Since;

const SIZE: Operand = arg("size", OperandKind::Immediate(128, 128));
const PROXY_LATER: &[(Mod, Since)] = &[(Async, at(8, 0, 90))];

const fn fence(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Fence, doc, slots, operands, Sem::Block(BlockSem::FenceProxy))
        .since(8, 3, 90)
        .effects(Effects::MEMORY)
        .section("9.7.13.4")
}

pub(super) static FORMS: &[Form] = &[
    fence(
        "Orders what was read from shared memory of the cluster, for the threads of the cluster.",
        &[Lit(Acquire), Lit(SyncRestrictSharedCluster), Lit(Cluster)],
        &[],
    )
    .since(8, 6, 90),
    fence(
        "Orders what was written to shared memory of the block, for the threads of the cluster.",
        &[Lit(Release), Lit(SyncRestrictSharedCta), Lit(Cluster)],
        &[],
    )
    .since(8, 6, 90),
    fence(
        "Makes initialized barriers visible to the cluster.",
        &[Lit(MbarrierInit), Lit(Release), Lit(Cluster)],
        &[],
    )
    .since(8, 0, 90),
    fence(
        "Orders what was read through aliases, for the whole system.",
        &[Lit(Alias), Lit(SyncRestrictRead), Lit(Release), Lit(Sys)],
        &[],
    )
    .since(9, 5, 90),
    fence(
        "Orders accesses to the same memory through different proxies.",
        &[Lit(Proxy), One(Field::ProxyKind, &[Alias, Async])],
        &[],
    )
    .since(7, 5, 70)
    .later(PROXY_LATER),
    fence(
        "Orders asynchronous accesses and others to one state space.",
        &[Lit(Proxy), Lit(Async), One(Field::Space, &[Global, SharedCta, SharedCluster])],
        &[],
    )
    .since(8, 0, 90),
    fence(
        "Orders accesses through aliases, for the whole system.",
        &[Lit(Proxy), Lit(Alias), One(Field::MemOrder, &[Acquire, Release]), Lit(Sys)],
        &[],
    )
    .since(9, 4, 90),
    fence(
        "Orders writes before later uses as a tensor map.",
        &[Lit(Proxy), Lit(TensormapGeneric), Lit(Release), One(Field::Scope, SCOPES)],
        &[],
    ),
    fence(
        "Orders uses as a tensor map after writes.",
        &[Lit(Proxy), Lit(TensormapGeneric), Lit(Acquire), One(Field::Scope, SCOPES)],
        &[addr("addr"), SIZE],
    ),
    fence(
        "Orders uses as a tensor map and other accesses.",
        &[Lit(Proxy), Lit(TensormapGeneric), Lit(AcqRel), One(Field::Scope, SCOPES)],
        &[],
    ),
    fence(
        "Orders uses of one tensor map and other accesses.",
        &[Lit(Proxy), Lit(TensormapGeneric), Lit(AcqRel), One(Field::Scope, SCOPES)],
        &[addr("addr"), arg("size", ANY_INTEGER)],
    ),
    fence(
        "Orders asynchronous accesses and others.",
        &[Lit(Proxy), Lit(AsyncGeneric), Lit(AcqRel), One(Field::Scope, SCOPES)],
        &[],
    ),
    fence(
        "Orders asynchronous accesses and others to one block of memory.",
        &[Lit(Proxy), Lit(AsyncGeneric), Lit(AcqRel), One(Field::Scope, SCOPES)],
        &[addr("addr"), arg("size", ANY_INTEGER)],
    ),
    fence(
        "Orders asynchronous accesses after reads of shared memory of the cluster.",
        &[Lit(Proxy), Lit(AsyncGeneric), Lit(Acquire), Lit(SyncRestrictSharedCluster), Lit(Cluster)],
        &[],
    )
    .since(8, 6, 90),
    fence(
        "Orders accesses to shared memory before asynchronous ones of the cluster.",
        &[Lit(Proxy), Lit(AsyncGeneric), Lit(Release), Lit(SyncRestrictSharedCta), Lit(Cluster)],
        &[],
    )
    .since(8, 6, 90),
    fence(
        "Orders reads of shared memory of the cluster before asynchronous accesses.",
        &[
            Lit(Proxy),
            Lit(AsyncGeneric),
            Lit(Release),
            Lit(SyncRestrictSharedClusterRead),
            One(Field::Scope, &[Cta, Cluster]),
        ],
        &[],
    )
    .since(9, 4, 90),
    fence(
        "Orders accesses of the fabric and others.",
        &[
            Lit(Proxy),
            One(Field::ProxyKind, &[FabricFabric, FabricGeneric, GenericFabric]),
            Lit(Alias),
            One(Field::MemOrder, &[Acquire, Release]),
            Lit(Sys),
        ],
        &[],
    )
    .since(9, 3, 100),
    Form::new(
        Opcode::Membar,
        "The older name of `fence.proxy`.",
        &[Lit(Proxy), One(Field::ProxyKind, &[Alias, Async])],
        &[],
        Sem::Block(BlockSem::FenceProxy),
    )
    .since(7, 5, 60)
    .later(PROXY_LATER)
    .effects(Effects::MEMORY)
    .section("9.7.13.4"),
];

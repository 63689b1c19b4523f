//! Which modifiers the decoder understands.
//!
//! The table grows; a modifier that is new in a known slot must not be taken for the slot's default. So every chosen
//! modifier is looked up here before anything is decoded, and an unknown one refuses the instruction.

use ptx_isa::{Field, Form, Mod, ScalarType, Slot};

use super::Decoded;
use super::body::Context;
use super::matrix::size_of;
use super::narrow::knows_pack;

/// Refuses an instruction with a modifier that the decoder does not know.
pub(super) fn check_modifiers(cx: &Context<'_>) -> Decoded<()> {
    let slots = cx.m.form().slots;
    let unknown = slots.iter().find_map(|slot| match *slot {
        Slot::Lit(modifier) => (!knows_literal(modifier)).then_some(modifier),
        Slot::One(field, _) | Slot::Opt(field, _) => {
            cx.m.get(field).filter(|&modifier| !knows(field, modifier))
        }
    });
    match unknown {
        None => Ok(()),
        Some(modifier) => cx.unsupported(&format!("`.{}` is not known here", modifier.as_str())),
    }
}

/// Whether every slot of a row that must be filled has a modifier that is understood.
pub(super) fn knows_some(form: &Form) -> bool {
    form.slots.iter().all(|slot| match *slot {
        Slot::Lit(modifier) => knows_literal(modifier),
        Slot::One(field, set) => set.iter().any(|&modifier| knows(field, modifier)),
        Slot::Opt(..) => true,
    })
}

/// Whether a modifier that a row always has is understood wherever it stands.
fn knows_literal(modifier: Mod) -> bool {
    use Mod::*;
    ScalarType::from_mod(modifier).is_some()
        || matches!(
            modifier,
            Sat | Satfinite
                | Relu
                | Sync
                | Aligned
                | Warp
                | Idx
                | To
                | Pack
                | MaskMod
                | Async
                | CommitGroup
                | WaitGroup
                | WaitAll
                | Global
                | TwoPi
                | Load
                | Store
                | Mma
                | A
                | B
                | C
                | D
                | Row
                | Col
                | Popc
                | KindF8f6f4
                | SpOrderedMetadata
                | KindMxf8f6f4
                | KindMxf4
                | KindMxf4nvf4
                | BlockScale
                | Init
                | Inval
                | CheckLayout
                | ExpectTx
                | CompleteTx
                | Arrive
                | ArriveDrop
                | NoComplete
                | TestWait
                | TryWait
                | Parity
                | PendingCount
                | Mbarrier
                | MbarrierCompleteTxBytes
                | Bulk
                | Reduce
                | BulkGroup
                | SharedCta
                | SharedCluster
                | Prefetch
                | L2
                | Cluster
                | Wait
                | Range
                | Add
                | Noftz
                | Fractional
                | Cvt
                | Tensormap
                | L1_32B
                | ValidAddr
                | Proxy
                | Alias
                | AsyncGeneric
                | TensormapGeneric
                | Acquire
                | Release
                | AcqRel
                | MbarrierInit
                | SyncRestrictRead
                | SyncRestrictSharedCta
                | SyncRestrictSharedCluster
                | SyncRestrictSharedClusterRead
                | Sys
                | Alloc
                | Dealloc
                | RelinquishAllocPermit
                | Ld
                | St
                | Red
                | Spcompress
                | Sp24
                | B2
        )
}

/// Whether a chosen modifier of a slot is understood.
fn knows(field: Field, modifier: Mod) -> bool {
    use Mod::*;
    match field {
        Field::Type | Field::AType | Field::BType | Field::CType | Field::DType => {
            ScalarType::from_mod(modifier).is_some()
                || knows_pack(modifier)
                || matches!(modifier, B1 | E4m3 | E5m2 | E3m2 | E2m3 | E2m1)
        }
        Field::Rnd => matches!(modifier, Rn | Rz | Rm | Rp | Rna | Rs | Rni | Rzi | Rmi | Rpi),
        Field::Sat => matches!(modifier, Sat | Satfinite),
        Field::Ftz => modifier == Ftz,
        Field::Approx => matches!(modifier, Approx | Full),
        Field::Cc => modifier == Cc,
        Field::Part => matches!(modifier, Hi | Lo | Wide),
        Field::Shiftamt => modifier == Shiftamt,
        Field::Clamp => matches!(modifier, Clamp | Wrap),
        Field::Nan => modifier == Nan,
        Field::Xorsign => modifier == XorsignAbs,
        Field::Abs => modifier == AbsMod,
        Field::Relu => modifier == Relu,
        Field::Cmp => matches!(
            modifier,
            Eq | Ne
                | Lt
                | Le
                | Gt
                | Ge
                | Lo
                | Ls
                | Hi
                | Hs
                | Equ
                | Neu
                | Ltu
                | Leu
                | Gtu
                | Geu
                | Num
                | NanCmp
        ),
        Field::Bool => matches!(modifier, And | Or | Xor),
        Field::Property => matches!(modifier, Finite | Infinite | Number | Notanumber | Normal | Subnormal),
        Field::Direction => matches!(modifier, L | R),
        // Lane selection, byte permutation, overshooting amounts, votes, matches and halves of `dp2a`.
        Field::Mode => matches!(
            modifier,
            Up | Down
                | Bfly
                | Idx
                | F4e
                | B4e
                | Rc8
                | Ecl
                | Ecr
                | Rc16
                | Clamp
                | Wrap
                | All
                | Any
                | Uni
                | Ballot
                | Lo
                | Hi
        ),
        // Memory here is as strong as the strongest order at the widest scope, or the order is looked at.
        Field::Sem => matches!(modifier, Weak | Volatile | Relaxed | Acquire | Release | AcqRel | Sc),
        Field::Scope => matches!(modifier, Cta | Cluster | Gpu | Sys),
        Field::Space => matches!(
            modifier,
            Const | Global | Local | Param | ParamEntry | ParamFunc | Shared | SharedCta | SharedCluster
        ),
        // There are no caches: these say how to use them and never what is read.
        Field::Cop | Field::EvictL1 | Field::EvictL2 | Field::CacheHint | Field::PrefetchSize | Field::Nc => {
            true
        }
        // A level of the cache, or of a `membar`.
        Field::Level => true,
        Field::Vec => matches!(modifier, V2 | V4 | V8),
        Field::Op => matches!(modifier, Add | Inc | Dec | Min | Max | Exch | Cas | And | Or | Xor | Popc),
        Field::Noftz => modifier == Noftz,
        Field::To => modifier == To,
        Field::Cta => modifier == Cta,
        Field::Sync => modifier == Sync,
        Field::Aligned => modifier == Aligned,
        Field::Uni => modifier == Uni,
        Field::Shape => {
            matches!(modifier, M8n8 | M8n16 | M16n16 | M16n8)
                || matches!(modifier, S16x64b | S16x128b | S16x256b | S32x32b | S16x32bx2)
                || size_of(modifier).is_some()
        }
        Field::ALayout | Field::BLayout => matches!(modifier, Row | Col),
        Field::Num => matches!(modifier, X1 | X2 | X4 | X8 | X16 | X32 | X64 | X128),
        Field::Trans => modifier == Trans,
        Field::DstFmt => modifier == B8x16,
        Field::SrcFmt => matches!(modifier, B6x16P32 | B4x16P64),
        Field::Action => {
            matches!(modifier, Sync | Arrive | Red | LaunchDependents | Wait | Inc | Dec)
                || matches!(modifier, WaitLd | WaitSt | FenceBeforeThreadSync | FenceAfterThreadSync)
        }
        Field::CtaGroup => matches!(modifier, CtaGroup1 | CtaGroup2),
        Field::Exclusive => modifier == Exclusive,
        Field::Pack => matches!(modifier, Pack16b | Unpack16b),
        Field::Mmio => modifier == Mmio,
        Field::Layout => matches!(modifier, LayoutV0 | LayoutV1),
        Field::Completion => modifier == MbarrierCompleteTxBytes,
        Field::Scale => matches!(modifier, ScaledN2Ue8m0 | Shr7 | Shr15),
        Field::PlusOne => modifier == Po,
        Field::Oob => modifier == Oob,
        Field::NoInc => modifier == Noinc,
        Field::Read => modifier == Read,
        Field::ScaleVec => matches!(modifier, ScaleVec1X | ScaleVec2X | ScaleVec4X),
        Field::SType => matches!(modifier, Ue8m0 | Ue4m3),
        Field::Sparsity => matches!(modifier, Sp | SpOrderedMetadata),
        Field::CpMask => modifier == CpMask,
        Field::Multicast => modifier == MulticastCluster,
        // The policies of caches, which are not there, and the ways that memory is accessed, which are all one.
        Field::Primary | Field::Secondary | Field::ProxyKind => true,
        // What only operations outside the interpreter have.
        Field::Geometry
        | Field::Mipmap
        | Field::Component
        | Field::Query
        | Field::PhaseType
        | Field::SyncRestrict
        | Field::Report
        | Field::Dim
        | Field::LoadMode
        | Field::OverrideAddress
        | Field::OverrideSizes
        | Field::MapField
        | Field::AccPrec
        | Field::Counted
        | Field::Multimem
        | Field::Kind
        | Field::Ashift
        | Field::CollectorA
        | Field::CollectorB => false,
    }
}

//! Modifier sets and operand rules that several chapters share.

use crate::form::{Kind, Slot, TypeRule, VectorLength};
use crate::names::{Field, Mod};
use crate::target::{PtxVersion, Since};
use crate::types::ScalarType;

pub(super) const fn at(major: u8, minor: u8, sm: u16) -> Since {
    Since { ptx: PtxVersion::new(major, minor), sm }
}

use Mod::*;

pub(super) const INT16_TO_64: &[Mod] = &[U16, U32, U64, S16, S32, S64];
pub(super) const INT32_64: &[Mod] = &[U32, U64, S32, S64];
pub(super) const SIGNED: &[Mod] = &[S16, S32, S64];
pub(super) const BITS16_TO_64: &[Mod] = &[B16, B32, B64];
pub(super) const BITS32_64: &[Mod] = &[B32, B64];
/// IEEE rounding modes.
pub(super) const RND: &[Mod] = &[Rn, Rz, Rm, Rp];
pub(super) const HALVES: &[Mod] = &[F16, F16x2];
pub(super) const BHALVES: &[Mod] = &[Bf16, Bf16x2];
pub(super) const SCOPES: &[Mod] = &[Cta, Cluster, Gpu, Sys];
pub(super) const SPACES: &[Mod] =
    &[Const, Global, Local, Param, ParamEntry, ParamFunc, Shared, SharedCta, SharedCluster];
/// `.cluster` scope came with clusters.
pub(super) const CLUSTER_LATER: (Mod, Since) = (Cluster, at(7, 8, 90));

pub(super) const FTZ: Slot = Slot::Opt(Field::Ftz, &[Ftz]);
pub(super) const SAT: Slot = Slot::Opt(Field::Sat, &[Sat]);
pub(super) const NAN: Slot = Slot::Opt(Field::Nan, &[Nan]);
pub(super) const XORSIGN: Slot = Slot::Opt(Field::Xorsign, &[XorsignAbs]);
pub(super) const OPT_RND: Slot = Slot::Opt(Field::Rnd, RND);
pub(super) const OPT_RN: Slot = Slot::Opt(Field::Rnd, &[Rn]);
pub(super) const CACHE_HINT: Slot = Slot::Opt(Field::CacheHint, &[L2CacheHint]);

/// A value of the instruction type.
pub(super) const T: Kind = Kind::Value(TypeRule::Of(Field::Type));
/// A register of the instruction type.
pub(super) const RT: Kind = Kind::Register(TypeRule::Of(Field::Type));
/// A value of the row's literal type.
pub(super) const LIT: Kind = Kind::Value(TypeRule::Literal);
/// A register of the row's literal type.
pub(super) const RLIT: Kind = Kind::Register(TypeRule::Literal);
pub(super) const PRED: Kind = Kind::Predicate;
pub(super) const V_U32: Kind = Kind::Value(TypeRule::Is(ScalarType::U32));
pub(super) const V_S32: Kind = Kind::Value(TypeRule::Is(ScalarType::S32));
pub(super) const V_B32: Kind = Kind::Value(TypeRule::Is(ScalarType::B32));
pub(super) const R_U32: Kind = Kind::Register(TypeRule::Is(ScalarType::U32));
pub(super) const R_B32: Kind = Kind::Register(TypeRule::Is(ScalarType::B32));

/// A vector of so many registers of a type.
pub(super) const fn regs(count: u8, ty: ScalarType) -> Kind {
    Kind::Vector(TypeRule::Is(ty), VectorLength::Is(count))
}

//! Modifier sets and operand rules that several chapters share.

use crate::constants::Constants;
use crate::form::{Operand, OperandKind, Rule, Slot, TypeRule, VectorLength, arg, opt, when};
use crate::names::{Field, Mod};
use crate::target::{Since, Sm};
use crate::types::{ScalarType, StateSpace};

pub(super) const fn at(major: u8, minor: u8, sm: u16) -> Since {
    Since::new(major, minor, sm)
}

/// A version and the targets that something is limited to.
pub(super) const fn on(major: u8, minor: u8, only: &'static [Sm]) -> Since {
    Since::on(major, minor, only)
}

/// The targets with tensor memory.
pub(super) const TENSOR_MEMORY: &[Sm] = &[Sm::family(100), Sm::family(110)];
/// The families of 10.x, 11.x and 12.x.
pub(super) const BLACKWELL: &[Sm] = &[Sm::family(100), Sm::family(110), Sm::family(120)];
/// The same without the families of 12.x, of which only the exact targets have it.
pub(super) const BLACKWELL_EXACT: &[Sm] = &[Sm::family(100), Sm::family(110), Sm::arch(120), Sm::arch(121)];
/// The same and sm_90a.
pub(super) const HOPPER_AND_BLACKWELL: &[Sm] =
    &[Sm::arch(90), Sm::family(100), Sm::family(110), Sm::family(120)];
/// Warpgroup instructions are those of sm_90a alone.
pub(super) const WARPGROUPS: &[Sm] = &[Sm::arch(90)];
/// The family of 10.x.
pub(super) const FAMILY_100: &[Sm] = &[Sm::family(100)];
/// The family of 12.x.
pub(super) const FAMILY_120: &[Sm] = &[Sm::family(120)];
/// Targets of features that were added with sm_107.
pub(super) const FAMILY_107: &[Sm] = &[Sm::family(107)];
/// Targets of features that were added with sm_107 and are in the family of 12.x, too.
pub(super) const FAMILIES_107_120: &[Sm] = &[Sm::family(107), Sm::family(120)];
/// Targets of features that were added with sm_103.
pub(super) const FAMILIES_103_110: &[Sm] = &[Sm::family(103), Sm::family(110)];

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
pub(super) const T: OperandKind = OperandKind::Value(TypeRule::Of(Field::Type));
/// A register of the instruction type.
pub(super) const RT: OperandKind = OperandKind::Register(TypeRule::Of(Field::Type));
/// A value of the row's literal type.
pub(super) const LIT: OperandKind = OperandKind::Value(TypeRule::Literal);
/// A register of the row's literal type.
pub(super) const RLIT: OperandKind = OperandKind::Register(TypeRule::Literal);
pub(super) const PRED: OperandKind = OperandKind::Predicate;
pub(super) const V_U32: OperandKind = OperandKind::Value(TypeRule::Is(ScalarType::U32));
pub(super) const V_S32: OperandKind = OperandKind::Value(TypeRule::Is(ScalarType::S32));
pub(super) const V_B32: OperandKind = OperandKind::Value(TypeRule::Is(ScalarType::B32));
pub(super) const R_U32: OperandKind = OperandKind::Register(TypeRule::Is(ScalarType::U32));
pub(super) const R_B32: OperandKind = OperandKind::Register(TypeRule::Is(ScalarType::B32));

pub(super) const V_U16: OperandKind = OperandKind::Value(TypeRule::Is(ScalarType::U16));
pub(super) const V_U64: OperandKind = OperandKind::Value(TypeRule::Is(ScalarType::U64));
pub(super) const V_B64: OperandKind = OperandKind::Value(TypeRule::Is(ScalarType::B64));

/// Any integer constant, where `ptxas` holds it to no range.
pub(super) const ANY_INTEGER: OperandKind = OperandKind::Immediate(i64::MIN, i64::MAX);
/// A 32-bit register, which may occur in braces.
pub(super) const BARE_B32: OperandKind =
    OperandKind::Registers(TypeRule::Is(ScalarType::B32), VectorLength::Is(1));
/// A 16-bit value, which may occur in braces.
pub(super) const BARE_U16: OperandKind =
    OperandKind::Elements(TypeRule::Is(ScalarType::U16), VectorLength::Is(1));

/// The result of `cvt.pack`: a wider register gets zeroes above it.
pub(super) const PACKED: OperandKind = OperandKind::Wide(TypeRule::Is(ScalarType::U32));
/// A source of `cvt.pack`: of a wider register the lower half.
pub(super) const INTEGER: OperandKind = OperandKind::Wide(TypeRule::Of(Field::AType));
/// The value that `cvt.pack` puts above its result.
pub(super) const OTHER_PART: OperandKind = OperandKind::Wide(TypeRule::Is(ScalarType::B32));

/// A needed address in brackets.
pub(super) const fn addr(name: &'static str) -> Operand {
    arg(name, OperandKind::Address)
}

/// A needed address of shared memory, of this block or another one of the cluster.
pub(super) const fn shared(name: &'static str) -> Operand {
    arg(name, OperandKind::AddressIn(StateSpace::Shared))
}

/// A needed address of global memory.
pub(super) const fn global(name: &'static str) -> Operand {
    arg(name, OperandKind::AddressIn(StateSpace::Global))
}

/// A needed address of tensor memory.
pub(super) const fn tensor_memory(name: &'static str) -> Operand {
    arg(name, OperandKind::TensorAddress)
}

/// A required address of shared memory, for which `ptxas` also accepts the register without brackets.
pub(super) const fn loose(name: &'static str) -> Operand {
    arg(name, OperandKind::LooseAddress)
}

/// The destination blocks of a multicast in the cluster, one bit each; 16 or 32 of them.
pub(super) const CTA_MASK: Operand =
    when("ctaMask", V_U16, &[MulticastCluster]).constants(Constants::Range(0, 0xFFFF));
/// See [`CTA_MASK`].
pub(super) const CTA_MASK_32: Operand =
    when("ctaMask", V_U32, &[MulticastCluster32b]).constants(Constants::Range(0, u32::MAX as i64));

/// The cache policy of `.L2::cache_hint`.
pub(super) const POLICY: Operand = opt("cache-policy", OperandKind::CachePolicy);

/// Why a modifier is not allowed with other state spaces.
pub(super) const GENERIC_OR_GLOBAL: &str = "needs generic or global memory";

/// The types that reductions in memory accept (manual 9.7.13.5).
pub(super) const REDUCTION_TYPES: &[Rule] = &[
    Rule::Needs(And, &[B32, B64]),
    Rule::Needs(Or, &[B32, B64]),
    Rule::Needs(Xor, &[B32, B64]),
    Rule::Needs(Inc, &[U32]),
    Rule::Needs(Dec, &[U32]),
    Rule::Excludes(Add, &[B32, B64, S64]),
    Rule::Excludes(Min, &[B32, B64, F32, F64]),
    Rule::Excludes(Max, &[B32, B64, F32, F64]),
];

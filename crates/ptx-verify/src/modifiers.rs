//! Combinations of modifiers that no single slot of a row can say, by meaning.

use ptx_diag::Diagnostic;
use ptx_isa::{Mod, Rule, Sem, Since};

use crate::context::{Checker, Site};
use crate::{bits, codes, compare, convert, mbarriers, memory, policies, sync, tensors, textures, video};

/// Checks the modifiers of an instruction together, and with its operands.
///
/// Every meaning is listed, so that a new one is looked at here.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    check_removed(cx, site);
    if refuses(cx, site) {
        return;
    }
    match site.mnemonic().sem() {
        Sem::Load => memory::check_load(cx, site),
        Sem::LoadUniform => memory::check_uniform(cx, site),
        Sem::Store => memory::check_store(cx, site),
        Sem::Prefetch => memory::check_prefetch(cx, site),
        Sem::Atom | Sem::Red => memory::check_atomic(cx, site),
        Sem::CpAsync => memory::check_copy(cx, site),
        Sem::Cvt => convert::check(cx, site),
        Sem::CvtNarrow => convert::check_narrow(cx, site),
        Sem::Barrier => sync::check_barrier(cx, site),
        Sem::Fence => sync::check_fence(cx, site),
        Sem::Lop3 => bits::check_logic(cx, site),
        Sem::Bfe | Sem::Bfi => bits::check_field(cx, site),
        Sem::Min | Sem::Max => compare::check_extremum(cx, site),
        Sem::Set | Sem::Setp => compare::check(cx, site),
        Sem::MbarrierArrive => mbarriers::check(cx, site),
        Sem::Elect => sync::check_elect(cx, site),
        Sem::Wgmma | Sem::WgmmaSparse => tensors::check_signs(cx, site),
        Sem::TensormapReplace => tensors::check_replaced(cx, site),
        Sem::TensorCopy | Sem::TensorReduce | Sem::TensorPrefetch => {
            tensors::check_overrides(cx, site);
        }
        Sem::Fabric | Sem::BulkCopy => tensors::check_halves(cx, site),
        Sem::Mma => {
            tensors::check_left_out(cx, site);
            tensors::check_bytes(cx, site);
            tensors::check_doubles(cx, site);
        }
        Sem::Wmma => {
            tensors::check_left_out(cx, site);
            tensors::check_factors(cx, site);
        }
        Sem::MmaSparse => {
            tensors::check_left_out(cx, site);
            tensors::check_metadata(cx, site);
        }
        Sem::MmaScaled => tensors::check_scale_ids(cx, site),
        Sem::StoreBulk => memory::check_fill(cx, site),
        Sem::Mapa | Sem::Getctarank => memory::check_shared_address(cx, site),
        Sem::Tex | Sem::Tld4 => textures::check(cx, site),
        Sem::Txq | Sem::SurfaceQuery => textures::check_query(cx, site),
        Sem::Video => video::check(cx, site),
        Sem::CreatePolicy => policies::check_policy(cx, site),
        Sem::Alloca => policies::check_alignment(cx, site),
        Sem::Add
        | Sem::Sub
        | Sem::Mul
        | Sem::Mad
        | Sem::Fma
        | Sem::Div
        | Sem::Rem
        | Sem::Abs
        | Sem::Neg
        | Sem::Sad
        | Sem::Mul24
        | Sem::Mad24
        | Sem::Dp4a
        | Sem::Dp2a
        | Sem::AddCarry
        | Sem::SubCarry
        | Sem::MadCarry
        | Sem::And
        | Sem::Or
        | Sem::Xor
        | Sem::Not
        | Sem::Cnot
        | Sem::Shl
        | Sem::Shr
        | Sem::Shf
        | Sem::Popc
        | Sem::Clz
        | Sem::Bfind
        | Sem::Fns
        | Sem::Brev
        | Sem::Bmsk
        | Sem::Szext
        | Sem::Prmt
        | Sem::Testp
        | Sem::Copysign
        | Sem::Rcp
        | Sem::Sqrt
        | Sem::Rsqrt
        | Sem::Sin
        | Sem::Cos
        | Sem::Lg2
        | Sem::Ex2
        | Sem::Tanh
        | Sem::Selp
        | Sem::Slct
        | Sem::Mov
        | Sem::MovVector
        | Sem::CvtPack
        | Sem::Cvta
        | Sem::Isspacep
        | Sem::CpAsyncCommit
        | Sem::CpAsyncWait
        | Sem::BarrierWarp
        | Sem::Shfl
        | Sem::Vote
        | Sem::Match
        | Sem::Activemask
        | Sem::Redux
        | Sem::WmmaLoad
        | Sem::WmmaStore
        | Sem::Ldmatrix
        | Sem::Stmatrix
        | Sem::Movmatrix
        | Sem::Bra
        | Sem::BrxIdx
        | Sem::Call
        | Sem::Ret
        | Sem::Exit
        | Sem::Trap
        | Sem::Brkpt
        | Sem::Pmevent
        | Sem::Nanosleep
        | Sem::FmaOob
        | Sem::Min3
        | Sem::Max3
        | Sem::PackedBytes
        | Sem::Istypep
        | Sem::SurfaceLoad
        | Sem::SurfaceStore
        | Sem::SurfaceReduce
        | Sem::VideoSimd
        | Sem::AtomVector
        | Sem::RedVector
        | Sem::StoreAsync
        | Sem::ReduceAsync
        | Sem::BulkReduce
        | Sem::BulkPrefetch
        | Sem::BulkCommit
        | Sem::BulkWait
        | Sem::TensormapCopy
        | Sem::MultimemLoadReduce
        | Sem::MultimemStore
        | Sem::MultimemReduce
        | Sem::ApplyPriority
        | Sem::Discard
        | Sem::MbarrierInit
        | Sem::MbarrierWait
        | Sem::MbarrierInval
        | Sem::MbarrierCheckLayout
        | Sem::MbarrierTransactions
        | Sem::MbarrierPendingCount
        | Sem::CpAsyncArrive
        | Sem::FenceProxy
        | Sem::ClusterBarrier
        | Sem::ReduxFloat
        | Sem::Griddepcontrol
        | Sem::TryCancel
        | Sem::QueryCancel
        | Sem::Setmaxnreg
        | Sem::Stacksave
        | Sem::Stackrestore
        | Sem::WgmmaFence
        | Sem::WgmmaCommit
        | Sem::WgmmaWait
        | Sem::TensorMemory
        | Sem::FabricGroup
        | Sem::Tcgen05Mma => {}
    }
}

/// Forms that later versions have no longer.
fn check_removed(cx: &mut Checker<'_>, site: Site<'_>) {
    let Some(removed) = site.form().removed else { return };
    if !cx.target.has(removed.from) {
        return;
    }
    if site.form().implied.is_some() {
        let misfit = ptx_isa::misfit_today(&site.mnemonic());
        cx.report(Diagnostic::error(codes::REMOVED, site.whole(), misfit.message).with_help(misfit.help));
        return;
    }
    let on = match removed.from.sm {
        Since::FIRST_SM => String::new(),
        sm => format!(" on sm_{sm}"),
    };
    let text = format!("`{}` is gone since PTX ISA {}{on}", site.mnemonic(), removed.from.ptx);
    cx.report(Diagnostic::error(codes::REMOVED, site.whole(), text).with_help(removed.instead));
}

/// Reports the first modifier that the row has only to say why there is no such instruction.
fn refuses(cx: &mut Checker<'_>, site: Site<'_>) -> bool {
    let refused = site.form().rules.iter().find_map(|rule| match rule {
        Rule::Never(modifier, reason) => site.has(*modifier).then_some((*modifier, *reason)),
        Rule::Together(..) | Rule::Needs(..) | Rule::Excludes(..) => None,
    });
    if let Some((modifier, reason)) = refused {
        misplaced(cx, site, modifier, reason);
    }
    refused.is_some()
}

/// A finding that two modifiers cannot stand together.
pub(crate) fn conflict(cx: &mut Checker<'_>, site: Site<'_>, one: Mod, other: Mod) {
    let text =
        format!("`.{}` and `.{}` cannot be combined in `{}`", one.as_str(), other.as_str(), site.mnemonic());
    cx.report(Diagnostic::error(codes::MODIFIER_CONFLICT, site.whole(), text));
}

/// A finding that a modifier has no place here, with the reason.
pub(crate) fn misplaced(cx: &mut Checker<'_>, site: Site<'_>, modifier: Mod, reason: &str) {
    let text = format!("`.{}` of `{}` {reason}", modifier.as_str(), site.mnemonic());
    cx.report(Diagnostic::error(codes::MODIFIER_PLACE, site.whole(), text));
}

/// A finding that no such instruction exists, for a reason that concerns several modifiers.
pub(crate) fn impossible(cx: &mut Checker<'_>, site: Site<'_>, reason: &str) {
    let text = format!("there is no `{}`: {reason}", site.mnemonic());
    cx.report(Diagnostic::error(codes::MODIFIER_CONFLICT, site.whole(), text));
}

/// A finding that something is missing, with what to write.
pub(crate) fn missing(cx: &mut Checker<'_>, site: Site<'_>, text: String, help: &str) {
    cx.report(Diagnostic::error(codes::MODIFIER_MISSING, site.whole(), text).with_help(help));
}

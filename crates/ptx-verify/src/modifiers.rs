//! Combinations of modifiers that no single slot of a row can express, by meaning.

use ptx_diag::Diagnostic;
use ptx_isa::{
    ArithSem, AsyncSem, BitsSem, BlockSem, CompareSem, MatrixSem, MemorySem, Mod, MoveSem, Rule, Sem, Since,
    TextureSem, VideoSem, WarpSem,
};

use crate::context::{Checker, Site};
use crate::{bits, codes, compare, convert, mbarriers, memory, policies, sync, tensors, textures, video};

/// Checks the modifiers of an instruction together, and with its operands.
///
/// Most meanings have no more rules than their rows state; those that have are named here, in the function of their group.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    check_removed(cx, site);
    if refuses(cx, site) {
        return;
    }
    match site.mnemonic().sem() {
        Sem::Arith(ArithSem::Min | ArithSem::Max) => compare::check_extremum(cx, site),
        Sem::Bits(BitsSem::Lop3) => bits::check_logic(cx, site),
        Sem::Bits(BitsSem::Bfe | BitsSem::Bfi) => bits::check_field(cx, site),
        Sem::Compare(CompareSem::Set | CompareSem::Setp) => compare::check(cx, site),
        Sem::Video(VideoSem::Video) => video::check(cx, site),
        Sem::Move(MoveSem::Cvt) => convert::check(cx, site),
        Sem::Move(MoveSem::CvtNarrow) => convert::check_narrow(cx, site),
        Sem::Memory(sem) => check_memory(cx, site, sem),
        Sem::Async(sem) => check_asynchronous(cx, site, sem),
        Sem::Texture(TextureSem::Tex | TextureSem::Tld4) => textures::check(cx, site),
        Sem::Texture(TextureSem::Txq | TextureSem::SurfaceQuery) => textures::check_query(cx, site),
        Sem::Warp(WarpSem::Elect) => sync::check_elect(cx, site),
        Sem::Block(BlockSem::Barrier) => sync::check_barrier(cx, site),
        Sem::Block(BlockSem::Fence) => sync::check_fence(cx, site),
        Sem::Block(BlockSem::Mapa | BlockSem::Getctarank) => memory::check_shared_address(cx, site),
        Sem::Matrix(sem) => check_matrix(cx, site, sem),
        Sem::Arith(_)
        | Sem::Bits(_)
        | Sem::Compare(_)
        | Sem::Video(_)
        | Sem::Move(_)
        | Sem::Texture(_)
        | Sem::Warp(_)
        | Sem::Block(_)
        | Sem::Control(_) => {}
    }
}

fn check_memory(cx: &mut Checker<'_>, site: Site<'_>, sem: MemorySem) {
    match sem {
        MemorySem::Load => memory::check_load(cx, site),
        MemorySem::LoadUniform => memory::check_uniform(cx, site),
        MemorySem::Store => memory::check_store(cx, site),
        MemorySem::Prefetch => memory::check_prefetch(cx, site),
        MemorySem::Atom | MemorySem::Red => memory::check_atomic(cx, site),
        MemorySem::CreatePolicy => policies::check_policy(cx, site),
        MemorySem::Alloca => policies::check_alignment(cx, site),
        _ => {}
    }
}

fn check_asynchronous(cx: &mut Checker<'_>, site: Site<'_>, sem: AsyncSem) {
    match sem {
        AsyncSem::CpAsync => memory::check_copy(cx, site),
        AsyncSem::StoreBulk => memory::check_fill(cx, site),
        AsyncSem::Fabric | AsyncSem::BulkCopy => tensors::check_halves(cx, site),
        AsyncSem::MbarrierArrive => mbarriers::check(cx, site),
        AsyncSem::TensormapReplace => tensors::check_replaced(cx, site),
        AsyncSem::TensorCopy | AsyncSem::TensorReduce | AsyncSem::TensorPrefetch => {
            tensors::check_overrides(cx, site);
        }
        _ => {}
    }
}

fn check_matrix(cx: &mut Checker<'_>, site: Site<'_>, sem: MatrixSem) {
    match sem {
        MatrixSem::Mma => {
            tensors::check_left_out(cx, site);
            tensors::check_bytes(cx, site);
            tensors::check_doubles(cx, site);
        }
        MatrixSem::Wmma => {
            tensors::check_left_out(cx, site);
            tensors::check_factors(cx, site);
        }
        MatrixSem::MmaSparse => {
            tensors::check_left_out(cx, site);
            tensors::check_metadata(cx, site);
        }
        MatrixSem::MmaScaled => tensors::check_scale_ids(cx, site),
        MatrixSem::Wgmma | MatrixSem::WgmmaSparse => tensors::check_signs(cx, site),
        _ => {}
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
    let text = format!("`{}` was removed in PTX ISA {}{on}", site.mnemonic(), removed.from.ptx);
    cx.report(Diagnostic::error(codes::REMOVED, site.whole(), text).with_help(removed.instead));
}

/// Reports the first modifier that the row has only for the reason why there is no such instruction.
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

/// A finding that two modifiers cannot be combined.
pub(crate) fn conflict(cx: &mut Checker<'_>, site: Site<'_>, one: Mod, other: Mod) {
    let text =
        format!("`.{}` and `.{}` cannot be combined in `{}`", one.as_str(), other.as_str(), site.mnemonic());
    cx.report(Diagnostic::error(codes::MODIFIER_CONFLICT, site.whole(), text));
}

/// Reports a modifier that is not allowed here, with the reason.
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

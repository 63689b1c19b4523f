//! Combinations of modifiers that no single slot of a row can express, by meaning.

use ptx_diag::Diagnostic;
use ptx_isa::{
    AsyncSem, BlockSem, CompareSem, Constraint, MatrixSem, MemorySem, MoveSem, Sem, Since, TextureSem,
    VideoSem,
};

use crate::context::{Checker, Site};
use crate::findings::{conflict, misplaced, needs};
use crate::{codes, compare, convert, memory, policies, tensors, textures, video};

/// Checks the modifiers of an instruction together, and with its operands.
///
/// What rows state is checked for all instructions. Few meanings have further rules, which are computed from types, targets and
/// operands; they are named here, in the function of their group.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    check_removed(cx, site);
    if !check_constraints(cx, site) {
        return;
    }
    match site.mnemonic().sem() {
        Sem::Compare(CompareSem::Set | CompareSem::Setp) => compare::check(cx, site),
        Sem::Video(VideoSem::Video) => video::check(cx, site),
        Sem::Move(MoveSem::Cvt) => convert::check(cx, site),
        Sem::Move(MoveSem::CvtNarrow) => convert::check_narrow(cx, site),
        Sem::Memory(sem) => check_memory(cx, site, sem),
        Sem::Async(sem) => check_asynchronous(cx, site, sem),
        Sem::Texture(TextureSem::Tex | TextureSem::Tld4) => textures::check_sampler(cx, site),
        Sem::Texture(TextureSem::Txq | TextureSem::SurfaceQuery) => textures::check_query(cx, site),
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
        MemorySem::Load | MemorySem::Store => memory::check_access(cx, site),
        MemorySem::LoadUniform => memory::check_uniform(cx, site),
        MemorySem::Prefetch => memory::check_prefetch(cx, site),
        MemorySem::CreatePolicy => policies::check_policy(cx, site),
        MemorySem::Discard
        | MemorySem::ApplyPriority
        | MemorySem::Atom
        | MemorySem::Red
        | MemorySem::AtomVector
        | MemorySem::RedVector
        | MemorySem::MultimemLoadReduce
        | MemorySem::MultimemStore
        | MemorySem::MultimemReduce
        | MemorySem::Stacksave
        | MemorySem::Stackrestore
        | MemorySem::Alloca => {}
    }
}

fn check_asynchronous(cx: &mut Checker<'_>, site: Site<'_>, sem: AsyncSem) {
    match sem {
        AsyncSem::CpAsync => memory::check_copy(cx, site),
        AsyncSem::StoreBulk => memory::check_fill(cx, site),
        AsyncSem::Fabric | AsyncSem::BulkCopy => tensors::check_halves(cx, site),
        AsyncSem::TensorCopy | AsyncSem::TensorReduce | AsyncSem::TensorPrefetch => {
            tensors::check_overrides(cx, site);
        }
        // The others have no rules beyond those of their rows, as most new ones.
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
        MatrixSem::MmaScaled
        | MatrixSem::Ldmatrix
        | MatrixSem::Stmatrix
        | MatrixSem::Movmatrix
        | MatrixSem::WmmaLoad
        | MatrixSem::WmmaStore
        | MatrixSem::Wgmma
        | MatrixSem::WgmmaSparse
        | MatrixSem::WgmmaFence
        | MatrixSem::WgmmaCommit
        | MatrixSem::WgmmaWait
        | MatrixSem::TensorMemory
        | MatrixSem::Tcgen05Mma => {}
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

/// Checks the constraints of the row. Returns whether there is such an instruction at all.
fn check_constraints(cx: &mut Checker<'_>, site: Site<'_>) -> bool {
    if cx.consistent.contains(&site.mnemonic()) {
        return true;
    }
    let mut is_consistent = true;
    for constraint in site.form().constraints {
        let Some((modifier, other)) = constraint.violation(&site.mnemonic()) else { continue };
        is_consistent = false;
        match (constraint, other) {
            (Constraint::Never(_, reason), _) => {
                misplaced(cx, site, modifier, reason);
                return false;
            }
            (Constraint::Misplaced(_, _, reason), _) => misplaced(cx, site, modifier, reason),
            (Constraint::Needs(_, needed), _) => needs(cx, site, modifier, needed),
            (Constraint::Excludes(..), Some(other)) => conflict(cx, site, modifier, other),
            (Constraint::Excludes(..), None) => {}
        }
    }
    if is_consistent {
        cx.consistent.insert(site.mnemonic());
    }
    true
}

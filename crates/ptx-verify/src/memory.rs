//! Modifiers of loads, stores, prefetches, atomics and copies (manual 8, 9.7.9, 9.7.13.5, 9.7.13.6).

use ptx_diag::Diagnostic;
use ptx_ir::{AddressBase, Operand, Symbol};
use ptx_isa::{Field, Mod, Opcode, ScalarType, Since, StateSpace};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::modifiers::{conflict, misplaced, missing};
use crate::moves::window;

const ORDERS: &[Mod] = &[Mod::Relaxed, Mod::Acquire, Mod::Release, Mod::AcqRel];

/// The modifiers of a load that go beyond those of every access.
pub(crate) fn check_load(cx: &mut Checker<'_>, site: Site<'_>) {
    check_access(cx, site);
    if site.has(Mod::Nc) {
        check_read_only(cx, site);
    }
}

/// The modifiers of a store, and what a store must not write.
pub(crate) fn check_store(cx: &mut Checker<'_>, site: Site<'_>) {
    check_access(cx, site);
}

fn check_read_only(cx: &mut Checker<'_>, site: Site<'_>) {
    if site.mnemonic().space() != Some(StateSpace::Global) {
        missing(cx, site, "`.nc` requires `.global`".to_owned(), "write `ld.global.nc`");
    }
    if let Some(other) = site.has_any(&[Mod::Weak, Mod::Volatile, Mod::Relaxed, Mod::Acquire, Mod::Mmio]) {
        conflict(cx, site, Mod::Nc, other);
    }
    if let Some(other) = site.has_any(&[Mod::Lu, Mod::Cv]) {
        conflict(cx, site, Mod::Nc, other);
    }
}

/// The rules that loads and stores share: order and scope, cache operators and hints, width.
fn check_access(cx: &mut Checker<'_>, site: Site<'_>) {
    check_order(cx, site);
    check_caching(cx, site);
    check_second_level(cx, site);
    check_width(cx, site);
}

/// Ordered accesses name their scope, others have none (manual 9.7.9.8, 9.7.9.11).
fn check_order(cx: &mut Checker<'_>, site: Site<'_>) {
    let scope = site.mnemonic().get(Field::Scope);
    let order = site.has_any(ORDERS);
    let space = site.mnemonic().space().map(window);
    match (order, scope) {
        (Some(order), None) => {
            let text = format!("`.{}` needs a scope", order.as_str());
            missing(cx, site, text, "add `.cta`, `.cluster`, `.gpu` or `.sys`");
        }
        (None, Some(scope)) => {
            let text = format!("the scope `.{}` needs a memory order", scope.as_str());
            missing(cx, site, text, "add `.relaxed`, or `.acquire` for loads and `.release` for stores");
        }
        _ => {}
    }
    if order.is_some() && site.has(Mod::Sys) && site.has(Mod::B128) {
        cx.require(Since::new(8, 4, 70), site.whole(), "an ordered 128-bit access of the system scope");
    }
    if let Some(strong) = order
        && !matches!(space, None | Some(StateSpace::Global | StateSpace::Shared))
    {
        misplaced(cx, site, strong, "needs generic, global or shared memory");
    }
    if site.has(Mod::Volatile) && matches!(space, Some(StateSpace::Const | StateSpace::Param)) {
        misplaced(cx, site, Mod::Volatile, "is not allowed on constant or parameter memory");
    }
    if site.has(Mod::Mmio) {
        check_mmio(cx, site, space);
    }
}

fn check_mmio(cx: &mut Checker<'_>, site: Site<'_>, space: Option<StateSpace>) {
    if site.has_any(ORDERS).is_none() || !site.has(Mod::Sys) {
        let text = "`.mmio` requires a memory order and the scope `.sys`".to_owned();
        missing(cx, site, text, "write `.mmio.relaxed.sys`");
    }
    if let Some(vector) = site.has_any(&[Mod::V2, Mod::V4, Mod::V8]) {
        conflict(cx, site, Mod::Mmio, vector);
    }
    if site.has_any(&[Mod::Acquire, Mod::Release]).is_some() {
        cx.require(Since::new(9, 3, 70), site.whole(), "`.mmio` with an order other than `.relaxed`");
    }
    if !matches!(space, None | Some(StateSpace::Global)) {
        misplaced(cx, site, Mod::Mmio, "needs generic or global memory");
    }
}

/// Cache operators, eviction priorities, hints and prefetch sizes (manual 9.7.9.1, 9.7.9.2).
fn check_caching(cx: &mut Checker<'_>, site: Site<'_>) {
    let mnemonic = site.mnemonic();
    let operator = mnemonic.get(Field::Cop);
    let priority = mnemonic.get(Field::EvictL1);
    if let Some(operator) = operator {
        let strong = &[Mod::Volatile, Mod::Relaxed, Mod::Acquire, Mod::Release, Mod::Mmio];
        if let Some(order) = site.has_any(strong) {
            conflict(cx, site, operator, order);
        }
        if let Some(priority) = priority {
            conflict(cx, site, operator, priority);
        }
    }
    let space = mnemonic.space().map(window);
    // Which of them go neither with `.volatile` nor with `.mmio`, or not with the latter, is taken from `ptxas`.
    const BOTH: &[Mod] = &[Mod::Volatile, Mod::Mmio];
    let hints = [
        (Field::EvictL1, BOTH),
        (Field::EvictL2, &[]),
        (Field::CacheHint, BOTH),
        (Field::PrefetchSize, &[Mod::Mmio]),
    ];
    let written = hints.into_iter().filter_map(|(field, without)| Some((mnemonic.get(field)?, without)));
    for (hint, without) in written {
        if !matches!(space, None | Some(StateSpace::Global)) {
            misplaced(cx, site, hint, "needs generic or global memory");
        }
        if let Some(order) = site.has_any(without) {
            conflict(cx, site, hint, order);
        }
    }
}

/// Eviction priorities of the second level belong to the 256-bit accesses (manual 9.7.9.2).
fn check_second_level(cx: &mut Checker<'_>, site: Site<'_>) {
    let mnemonic = site.mnemonic();
    let Some(priority) = mnemonic.get(Field::EvictL2) else { return };
    let bits = mnemonic.type_of(Field::Type).map(ScalarType::bits);
    if !matches!((mnemonic.get(Field::Vec), bits), (Some(Mod::V8), Some(32)) | (Some(Mod::V4), Some(64))) {
        misplaced(cx, site, priority, "needs `.v8` of 32 bits or `.v4` of 64 bits");
    }
}

/// `ldu` loads at most 128 bits (manual 9.7.9.10).
pub(crate) fn check_uniform(cx: &mut Checker<'_>, site: Site<'_>) {
    let bits = site.mnemonic().type_of(Field::Type).map_or(0, ScalarType::bits);
    let lanes = match site.mnemonic().get(Field::Vec) {
        Some(Mod::V4) => 4,
        Some(Mod::V2) => 2,
        _ => 1,
    };
    if bits * lanes > 128 {
        let text = format!("`ldu` loads at most 128 bits, not {lanes} times {bits}");
        cx.report(Diagnostic::error(codes::ACCESS_WIDTH, site.whole(), text));
    }
}

/// Vectors fill 128 bits; 256 in global memory since sm_100 (manual 9.7.9.8).
fn check_width(cx: &mut Checker<'_>, site: Site<'_>) {
    let mnemonic = site.mnemonic();
    let lanes = match mnemonic.get(Field::Vec) {
        None => return,
        Some(Mod::V2) => 2,
        Some(Mod::V4) => 4,
        Some(_) => 8,
    };
    let Some(ty) = mnemonic.type_of(Field::Type) else { return };
    let bits = ty.bits() * lanes;
    let global = matches!(mnemonic.space(), None | Some(StateSpace::Global));
    let wide = bits == 256 && global && ty != ScalarType::B128;
    if wide {
        let what = format!("the 256-bit access `{mnemonic}`");
        let since = Since::new(8, 8, 100);
        cx.require(since, site.whole(), &what);
    } else if bits > 128 {
        let text = format!("{lanes} elements of {} are {bits} bits; an access has at most 128", dotted(ty));
        cx.report(Diagnostic::error(codes::ACCESS_WIDTH, site.whole(), text));
    }
}

/// A prefetch names a space that caches, or the generic one (manual 9.7.9.15).
pub(crate) fn check_prefetch(cx: &mut Checker<'_>, site: Site<'_>) {
    if let Some(priority) = site.has_any(&[Mod::L2EvictLast, Mod::L2EvictNormal])
        && site.mnemonic().space() == Some(StateSpace::Local)
    {
        misplaced(cx, site, priority, "needs global memory");
    }
    check_uniform_line(cx, site);
}

/// The uniform cache holds what does not change: lines of global memory, constants and parameters (manual 9.7.9.15).
fn check_uniform_line(cx: &mut Checker<'_>, site: Site<'_>) {
    let Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _) = site.operand(0) else { return };
    let space = site.module.variables.get(id.0 as usize).map(|variable| window(variable.space));
    if site.mnemonic().opcode() == Opcode::Prefetchu
        && matches!(space, Some(StateSpace::Shared | StateSpace::Local))
    {
        let text = format!("`{}` cannot access shared or local memory", site.mnemonic());
        cx.report(Diagnostic::error(codes::ADDRESS_SPACE, site.span(0), text));
    }
}

/// Atomics: hints only in global memory, wide types only where the hardware has them (manual 9.7.13.5).
pub(crate) fn check_atomic(cx: &mut Checker<'_>, site: Site<'_>) {
    let space = site.mnemonic().space().map(window);
    let wide = site.mnemonic().type_of(Field::Type).is_some_and(|ty| ty.bits() == 64);
    if wide && site.has_any(&[Mod::And, Mod::Or, Mod::Xor, Mod::Min, Mod::Max]).is_some() {
        let what = format!("`{}`", site.mnemonic());
        let since = Since::new(3, 1, 32);
        cx.require(since, site.whole(), &what);
    }
    if site.has(Mod::L2CacheHint) && !matches!(space, None | Some(StateSpace::Global)) {
        misplaced(cx, site, Mod::L2CacheHint, "needs generic or global memory");
    }
}

/// `cp.async` copies 4, 8 or 16 bytes, and not more than it writes (manual 9.7.9.25.3.1).
pub(crate) fn check_copy(cx: &mut Checker<'_>, site: Site<'_>) {
    let Operand::Immediate(size) = site.operand(2) else { return };
    let Some(size) = size.as_integer() else { return };
    if !matches!(size, 4 | 8 | 16) {
        let text = format!("`cp.async` copies 4, 8 or 16 bytes, not {size}");
        return cx.report(Diagnostic::error(codes::IMMEDIATE_RANGE, site.span(2), text));
    }
    if let Operand::Immediate(source) = site.operand(3)
        && let Some(source) = source.as_integer()
        && source > size
    {
        let text = format!("`cp.async` cannot read {source} bytes to write {size}");
        cx.report(Diagnostic::error(codes::IMMEDIATE_RANGE, site.span(3), text));
    }
}

/// Sizes in 32 bits were added later, and `ptxas` accepts the address of `st.bulk.shared::cta` only in a register.
pub(crate) fn check_fill(cx: &mut Checker<'_>, site: Site<'_>) {
    if let Operand::Register(reg) = site.operand(1) {
        let ty = site.body.reg_type(reg);
        if matches!(ty, ScalarType::B128 | ScalarType::F16x2) {
            let text = format!(
                "the size of `{}` must have 32 or 64 bits and cannot be {}",
                site.mnemonic(),
                dotted(ty)
            );
            cx.report(Diagnostic::error(codes::OPERAND_TYPE, site.span(1), text));
        } else if ty.bits() == 32 {
            cx.require(Since::new(9, 0, 100), site.span(1), "a size in 32 bits");
        }
    }
    if site.mnemonic().space().is_some()
        && matches!(site.operand(0), Operand::Address(AddressBase::Symbol(_), _))
    {
        let text = format!("`{}` requires its address in a register", site.mnemonic());
        let help = "`mov` the address into a register first";
        cx.report(Diagnostic::error(codes::ADDRESS, site.span(0), text).with_help(help));
    }
}

/// `mapa` and `getctarank` look at addresses of shared memory (manual 9.7.9.23, 9.7.9.24).
pub(crate) fn check_shared_address(cx: &mut Checker<'_>, site: Site<'_>) {
    let Operand::Symbol(Symbol::Variable(id), _) = site.operand(1) else { return };
    let Some(variable) = site.module.variables.get(id.0 as usize) else { return };
    if window(variable.space) != StateSpace::Shared {
        let name = site.module.name(variable.name);
        let space = variable.space.as_str();
        let text = format!("`{name}` is in `.{space}`, but `{}` requires a shared address", site.mnemonic());
        cx.report(
            Diagnostic::error(codes::ADDRESS_SPACE, site.span(1), text)
                .with_help("use a variable in `.shared`")
                .with_related(variable.at.0, "declared here"),
        );
    }
}

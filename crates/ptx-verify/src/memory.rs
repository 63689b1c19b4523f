//! Widths and addresses of loads, stores, prefetches and copies (manual 9.7.9).

use ptx_diag::{Diagnostic, counted};
use ptx_ir::{AddressBase, Operand, Symbol};
use ptx_isa::{Construct, Field, Mod, Opcode, ScalarType, Since, StateSpace};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::findings::misplaced;

/// The widths of loads and stores.
pub(crate) fn check_access(cx: &mut Checker<'_>, site: Site<'_>) {
    check_second_level(cx, site);
    check_width(cx, site);
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
    let Some(bits) = site.mnemonic().type_of(Field::Type).map(ScalarType::bits) else {
        return debug_assert!(false, "`ldu` without a type");
    };
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
        cx.require(Construct::WideAccess.since(), site.whole(), &what);
    } else if bits > 128 {
        let text = format!("{lanes} elements of {} are {bits} bits; an access has at most 128", dotted(ty));
        cx.report(Diagnostic::error(codes::ACCESS_WIDTH, site.whole(), text));
    }
}

/// The uniform cache holds what does not change: lines of global memory, constants and parameters (manual 9.7.9.15).
pub(crate) fn check_prefetch(cx: &mut Checker<'_>, site: Site<'_>) {
    let Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), _) = site.operand(0) else { return };
    let space = site.module.variables.get(id.0 as usize).map(|variable| variable.space.window());
    if site.mnemonic().opcode() == Opcode::Prefetchu
        && matches!(space, Some(StateSpace::Shared | StateSpace::Local))
    {
        let text = format!("`{}` cannot access shared or local memory", site.mnemonic());
        cx.report(Diagnostic::error(codes::ADDRESS_SPACE, site.span(0), text));
    }
}

/// `cp.async` does not read more than it writes (manual 9.7.9.25.3.1).
pub(crate) fn check_copy(cx: &mut Checker<'_>, site: Site<'_>) {
    let integer = |at| match site.operand(at) {
        Operand::Immediate(value) => value.as_integer(),
        _ => None,
    };
    if let (Some(size @ (4 | 8 | 16)), Some(source)) = (integer(2), integer(3))
        && source > size
    {
        let text = format!("`cp.async` cannot read {} to write {size}", counted(source, "byte"));
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
    let variable = site.module.variable(id);
    if variable.space.window() != StateSpace::Shared {
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

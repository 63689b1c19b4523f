//! Textures, samplers and surfaces: what names them, and what a geometry leaves no room for (manual 9.7.10, 9.7.11).

use ptx_diag::Diagnostic;
use ptx_ir::{AddressBase, Operand, Symbol, VarType, Variable, ZeroOffsets};
use ptx_isa::{Construct, Field, Mod, Opaque, OperandKey, ScalarType, Sem, StateSpace, TextureSem, Width};

use crate::codes;
use crate::context::{Checker, Site};
use crate::findings::wrong_kind;
use crate::operand_position::{OperandPosition, Wanted};
use crate::scalar::check_scalar;

/// The type of variables that hold an object.
const fn type_of(object: Opaque) -> VarType {
    match object {
        Opaque::Texture => VarType::TexRef,
        Opaque::Sampler => VarType::SamplerRef,
        Opaque::Surface => VarType::SurfRef,
    }
}

/// The type of a variable: one in `.tex` is a texture, of any number type (manual 5.1.8).
fn opaque(variable: &Variable) -> VarType {
    if variable.space == StateSpace::Tex { VarType::TexRef } else { variable.ty }
}

const fn named(ty: VarType) -> &'static str {
    match ty {
        VarType::TexRef => "a `.texref` variable or a 64-bit register with its handle",
        VarType::SamplerRef => "a `.samplerref` variable or a 64-bit register with its handle",
        VarType::SurfRef => "a `.surfref` variable or a 64-bit register with its handle",
        VarType::Scalar(_) => "a variable",
    }
}

/// Checks the variable used as a texture, sampler, surface or tensor map.
pub(crate) fn check_object(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    symbol: Symbol,
    offset: i64,
) {
    let Some(wanted) = site.mnemonic().opaque(position.role).map(type_of) else { return };
    let found = match symbol {
        Symbol::Variable(id) => site.module.variables.get(id.0 as usize).map(opaque),
        Symbol::Function(_) => None,
    };
    // In the unified mode the sampler is part of the texture, and what else is written for one is not looked at.
    let unused = wanted == VarType::SamplerRef && !cx.target.has_samplers();
    let is_opaque = !matches!(found, None | Some(VarType::Scalar(_)));
    if offset != 0 || !(found == Some(wanted) || (unused && is_opaque)) {
        wrong_kind(cx, site, position, Operand::Symbol(symbol, offset), named(wanted));
    }
}

/// Checks the object of a query: its variable, or a register with its handle.
pub(crate) fn check_query(cx: &mut Checker<'_>, site: Site<'_>) {
    let Operand::Address(base, offset) = site.operand(1) else { return };
    let Some(row) = site.form().operands.get(1) else { return };
    let position = OperandPosition::new(1, row, site.span(1));
    let objects = queried(cx, site);
    let is_plain = offset == 0 && site.inst.zero_offsets == ZeroOffsets::Implied;
    let found = match base {
        AddressBase::Register(reg) if is_plain => {
            cx.require_construct(Construct::ReferenceHandle, position.span);
            let wanted = Wanted { ty: ScalarType::U64, width: Width::Same };
            return check_scalar(cx, site, position, wanted, Operand::Register(reg));
        }
        AddressBase::Symbol(Symbol::Variable(id)) if offset == 0 => {
            site.module.variables.get(id.0 as usize).map(opaque)
        }
        AddressBase::Register(_) | AddressBase::Symbol(_) | AddressBase::Absolute => None,
    };
    if !found.is_some_and(|found| objects.contains(&found)) {
        let wanted = objects.first().copied().unwrap_or(VarType::TexRef);
        wrong_kind(cx, site, position, site.operand(1), named(wanted));
    }
}

/// Samplers have properties of their own where they are declared apart; in the unified mode textures have all but
/// `.force_unnormalized_coords`, which nothing has then.
fn queried(cx: &Checker<'_>, site: Site<'_>) -> &'static [VarType] {
    const OF_SAMPLERS: &[Mod] = &[Mod::FilterMode, Mod::AddrMode0, Mod::AddrMode1, Mod::AddrMode2];
    if site.mnemonic().sem() == Sem::Texture(TextureSem::SurfaceQuery) {
        return &[VarType::SurfRef];
    }
    let independent = cx.target.has_samplers();
    match site.mnemonic().get(Field::Query) {
        Some(Mod::ForceUnnormalizedCoords) => &[VarType::SamplerRef],
        Some(Mod::MemoryLayout) if independent => &[VarType::TexRef, VarType::SamplerRef, VarType::SurfRef],
        Some(query) if independent && OF_SAMPLERS.contains(&query) => &[VarType::SamplerRef],
        _ => &[VarType::TexRef],
    }
}

/// Where samplers are declared apart each fetch names one; where they are not, fetches from cubes name none.
pub(crate) fn check_sampler(cx: &mut Checker<'_>, site: Site<'_>) {
    let geometry = site.mnemonic().get(Field::Geometry);
    let Some(at) = site.form().operand(OperandKey::At) else { return };
    let Operand::Bracket(parts) = site.operand(at) else { return };
    let parts = site.body.list(parts);
    let named = parts.len() > 2;
    if named && parts.iter().take(2).any(|part| matches!(part, Operand::Register(_))) {
        cx.require_construct(Construct::SamplerWithHandle, site.span(at));
    }
    if named && !cx.target.has_samplers() && is_misread(site, geometry) {
        let text = format!("`{}` does not accept a separate sampler with these operands", site.mnemonic());
        let help =
            "without `.target texmode_independent` a texture includes its sampler: specify only the texture";
        cx.report(Diagnostic::error(codes::OPERAND_KIND, site.span(at), text).with_help(help));
        return;
    }
    let text = match (cx.target.has_samplers(), named, geometry) {
        (true, false, _) => "a sampler must be specified after the texture",
        (false, true, Some(Mod::Cube | Mod::Acube)) if !site.has(Mod::Level) => {
            "a cube texture includes its sampler; a separate one is not allowed"
        }
        _ => return,
    };
    let help = "samplers are separate from textures only with `.target texmode_independent`";
    cx.report(Diagnostic::error(codes::OPERAND_MISSING, site.span(at), text).with_help(help));
}

/// Whether `ptxas` misinterprets other operands because of a second object, which the unified mode does not use.
fn is_misread(site: Site<'_>, geometry: Option<Mod>) -> bool {
    let has = |key: OperandKey| {
        let at = site.form().operand(key);
        at.is_some_and(|at| !site.operand(at).is_omitted())
    };
    if site.has(Mod::Level) {
        return geometry == Some(Mod::D3) || (has(OperandKey::E) && !has(OperandKey::F));
    }
    site.has(Mod::Grad) && has(OperandKey::F)
}

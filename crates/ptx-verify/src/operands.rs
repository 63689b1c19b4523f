//! Checks operands against the kinds and types that the row requires (manual 6, 9.4).

use ptx_diag::{Code, Diagnostic, Span};
use ptx_ir::{Immediate, Label, LabelKind, Operand, Symbol, VectorShape};
use ptx_isa::{
    ArithSem, AsyncSem, BitsSem, CompareSem, Constants, ControlSem, Effects, Kind, MemorySem, Mod, MoveSem,
    Role, ScalarType, Sem, TextureSem, TypeRule, VectorLength, VideoSem, WarpSem, Width,
};

use crate::context::{Checker, Site, dotted};
use crate::elements::{check_elements, has_untyped};
use crate::sums;
use crate::types::{agreeing, agrees, takes_immediate};
use crate::{address, calls, codes, composite, convert, moves, special_registers};

/// Checks every operand of an instruction; calls have rules of their own.
pub(crate) fn check(cx: &mut Checker<'_>, site: Site<'_>) {
    let form = site.form();
    for (at, place) in form.operands.iter().enumerate() {
        let value = Place { at, role: place.role, name: place.name, span: site.span(at) };
        let operand = site.operand(at);
        if operand.is_omitted() {
            check_omitted(cx, site, value, place);
        } else if place.is_conditional()
            && place.kind != Kind::CachePolicy
            && !site.mnemonic().asks_for(place)
        {
            let text = format!("`{}` has no operand `{}`", site.mnemonic(), place.name);
            let needed: Vec<String> = place.when.iter().map(|m| format!("`.{}`", m.as_str())).collect();
            let help = format!("the operand requires {}", needed.join(" or "));
            cx.report(Diagnostic::error(codes::OPERAND_MISSING, value.span, text).with_help(help));
        } else {
            check_one(cx, site, value, place.kind, operand);
            check_constants(cx, site, value, place.constants, operand);
        }
    }
    if site.mnemonic().sem() == Sem::Control(ControlSem::Call) {
        calls::check(cx, site);
    }
}

/// The position of an operand in the row.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) at: usize,
    pub(crate) role: Role,
    pub(crate) name: &'static str,
    pub(crate) span: Span,
}

impl Place {
    pub(crate) const fn is_written(self) -> bool {
        matches!(self.role, Role::Def | Role::DefPair)
    }
}

fn check_omitted(cx: &mut Checker<'_>, site: Site<'_>, place: Place, row: &ptx_isa::Operand) {
    if matches!(row.role, Role::Def | Role::Use) || site.mnemonic().asks_for(row) {
        let text = format!("`{}` needs its operand `{}`", site.mnemonic(), place.name);
        cx.report(
            Diagnostic::error(codes::OPERAND_MISSING, site.whole(), text)
                .with_help(format!("the form is `{}`", site.form().syntax())),
        );
    }
}

pub(crate) fn check_one(cx: &mut Checker<'_>, site: Site<'_>, place: Place, kind: Kind, operand: Operand) {
    match kind {
        Kind::Value(rule) => check_value(cx, site, place, rule, operand, Immediates::Allowed),
        Kind::Register(rule) => check_value(cx, site, place, rule, operand, Immediates::Forbidden),
        Kind::Wide(rule) => {
            if let Some(ty) = resolve(site, rule) {
                let exact =
                    site.mnemonic().sem() == Sem::Move(MoveSem::Cvt) && convert::fills_registers(site);
                let width = if exact { Width::Same } else { Width::AtLeast };
                check_scalar(cx, site, place, Wanted { ty, width }, operand);
            }
        }
        Kind::Untyped(rule) => check_untyped(cx, site, place, rule, operand),
        Kind::WideVector(rule, length) => {
            let lanes = site.mnemonic().vector_length(length);
            check_vector(cx, site, place, rule, lanes, Width::AtLeast, operand);
        }
        Kind::Vector(rule, length) => {
            let lanes = site.mnemonic().vector_length(length);
            if has_no_constants(cx, site, place, rule, operand) {
                check_vector(cx, site, place, rule, lanes, Width::Same, operand);
                if let Operand::Vector(list) = operand {
                    check_no_pairs(cx, site, place, rule, list);
                }
            }
        }
        Kind::Elements(rule, length) => check_bare(cx, site, place, rule, length, operand),
        Kind::Registers(rule, length) => {
            if holds_registers(cx, site, place, operand) {
                check_bare(cx, site, place, rule, length, operand);
            }
        }
        Kind::Move(rule) => moves::check(cx, site, place, rule, operand),
        Kind::Predicate => check_predicate(cx, site, place, operand),
        Kind::Immediate(low, high) => check_range(cx, site, place, (low, high), operand),
        Kind::CachePolicy => check_cache_policy(cx, site, place, operand),
        Kind::Address => address::check(cx, site, place, operand, site.mnemonic().space()),
        Kind::AddressIn(space) => address::check(cx, site, place, operand, Some(space)),
        Kind::TensorAddress => address::check_tensor(cx, site, place, operand),
        Kind::LooseAddress => composite::check_loose(cx, site, place, operand),
        Kind::Bracketed(parts) => composite::check_bracket(cx, site, place, parts, operand),
        Kind::Reference => composite::check_reference(cx, site, place, operand),
        Kind::Coordinates(rule) => composite::check_coordinates(cx, site, place, rule, operand),
        Kind::Selected(rule, selection) | Kind::Signed(rule, selection) => {
            composite::check_selected(cx, site, place, (rule, selection), operand);
        }
        Kind::Braced(rule, length) => match operand {
            Operand::Vector(list) => {
                let lanes = site.mnemonic().vector_length(length);
                check_vector(cx, site, place, rule, lanes, Width::Same, operand);
                check_no_pairs(cx, site, place, rule, list);
            }
            other => wrong_kind(cx, site, place, other, "a vector in braces"),
        },
        Kind::Label => check_label(cx, site, place, LabelKind::Code, operand),
        Kind::BranchTargets => check_label(cx, site, place, LabelKind::BranchTargets, operand),
        // The rules of calls look at all of these together.
        Kind::Callee | Kind::Results | Kind::Arguments | Kind::CallTargets => {}
    }
}

/// Whether constants are allowed for an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Immediates {
    Allowed,
    Forbidden,
}

/// The required type of an operand.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) ty: ScalarType,
    pub(crate) width: Width,
}

/// Checks integer constants against those that the operand accepts.
pub(crate) fn check_constants(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    place: Place,
    constants: Constants,
    operand: Operand,
) {
    let value = match operand {
        Operand::Immediate(value) => value.as_integer(),
        _ => None,
    };
    if let Some(value) = value.map(|value| value as i64)
        && !constants.takes(value, &site.mnemonic())
    {
        out_of_range(cx, site, place, value, &constants.text(&site.mnemonic()));
    }
}

/// A vector of just the type, or its only element without braces.
fn check_bare(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    place: Place,
    rule: TypeRule,
    length: VectorLength,
    operand: Operand,
) {
    let lanes = match (length, operand) {
        (VectorLength::Free, Operand::Vector(list)) if matches!(list.len(), 1 | 2 | 4) => list.len() as u8,
        (VectorLength::Free, Operand::Vector(list)) => {
            let text = format!(
                "operand `{}` of `{}` must have 1, 2 or 4 elements, not {}",
                place.name,
                site.mnemonic(),
                list.len()
            );
            return cx.report(Diagnostic::error(codes::VECTOR_LENGTH, place.span, text));
        }
        _ => site.mnemonic().vector_length(length),
    };
    match operand {
        Operand::Vector(_) => check_vector(cx, site, place, rule, lanes, Width::Same, operand),
        Operand::Register(reg) if site.body.decl(reg).shape != VectorShape::Scalar => {
            check_vector(cx, site, place, rule, lanes, Width::Same, operand);
        }
        scalar if lanes == 1 => check_value(cx, site, place, rule, scalar, Immediates::Allowed),
        other => wrong_kind(cx, site, place, other, &format!("a vector of {lanes}")),
    }
}

/// Whether there is no constant among the operand and its elements; else a finding.
fn holds_registers(cx: &mut Checker<'_>, site: Site<'_>, place: Place, operand: Operand) -> bool {
    let elements = match operand {
        Operand::Vector(list) => site.body.list(list),
        _ => &[operand],
    };
    let holds = !elements.iter().any(|element| matches!(element, Operand::Immediate(_)));
    if !holds {
        let text = format!("operand `{}` of `{}` must be a register", place.name, site.mnemonic());
        cx.report(Diagnostic::error(codes::OPERAND_KIND, place.span, text).with_label("a constant"));
    }
    holds
}

/// Vectors of untyped 32-bit values, packed fragments above all, have constants only beside untyped registers.
fn has_no_constants(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    place: Place,
    rule: TypeRule,
    operand: Operand,
) -> bool {
    let untyped = match operand {
        Operand::Vector(list) => has_untyped(site, ScalarType::B32, site.body.list(list)),
        _ => false,
    };
    resolve(site, rule) != Some(ScalarType::B32) || untyped || holds_registers(cx, site, place, operand)
}

/// The type of a rule; every row has one for each operand that has a rule, so that `None` means there is nothing to check.
pub(crate) fn resolve(site: Site<'_>, rule: TypeRule) -> Option<ScalarType> {
    site.mnemonic().register_type(rule)
}

fn check_value(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    place: Place,
    rule: TypeRule,
    operand: Operand,
    immediates: Immediates,
) {
    if immediates == Immediates::Forbidden
        && !place.is_written()
        && let Operand::Immediate(_) | Operand::Symbol(..) = operand
    {
        let text = format!("operand `{}` of `{}` must be a register", place.name, site.mnemonic());
        cx.report(Diagnostic::error(codes::OPERAND_KIND, place.span, text).with_label("a constant"));
        return;
    }
    let Some(ty) = resolve(site, rule) else { return };
    if let Operand::Symbol(symbol, offset) = operand
        && !place.is_written()
        && ty.is_integer_or_bits()
        && !matches!(rule, TypeRule::Is(_))
        && takes_symbols(site)
        && is_number(symbol, offset)
    {
        return;
    }
    if is_pair_for_number(site, rule, operand) {
        return wrong_type(cx, site, place, Wanted { ty, width: Width::Same }, ScalarType::F16x2);
    }
    check_scalar(cx, site, place, Wanted { ty, width: Width::Same }, operand);
}

/// A register of untyped bits; a typed one of the same width is refused with that.
fn check_untyped(cx: &mut Checker<'_>, site: Site<'_>, place: Place, rule: TypeRule, operand: Operand) {
    let Some(bits) = resolve(site, rule).and_then(ScalarType::as_bits) else { return };
    let before = cx.found();
    check_value(cx, site, place, rule, operand, Immediates::Forbidden);
    if cx.found() > before {
        return;
    }
    let (Operand::Register(reg) | Operand::Element(reg, _)) = operand else { return };
    let actual = site.body.reg_type(reg);
    if actual != bits {
        let text = format!(
            "operand `{}` of `{}` is {}, but must be untyped",
            place.name,
            site.mnemonic(),
            dotted(actual)
        );
        let help = format!("use a register of type {}", dotted(bits));
        cx.report(Diagnostic::error(codes::OPERAND_TYPE, place.span, text).with_help(help));
    }
}

/// A pair of halves may hold what an instruction's type names, and no amount, mask, coordinate or number of bits.
pub(crate) fn is_pair_for_number(site: Site<'_>, rule: TypeRule, operand: Operand) -> bool {
    let is_number = match rule {
        TypeRule::Is(ty) => matches!(ty, ScalarType::U32 | ScalarType::S32),
        // Packs of bytes and smaller integers.
        TypeRule::FragmentOf(_) => resolve(site, rule) == Some(ScalarType::U32),
        TypeRule::Of(_)
        | TypeRule::WideOf(_)
        | TypeRule::BitsOf(_)
        | TypeRule::Literal
        | TypeRule::HeldBy(_)
        | TypeRule::ValueOf(_) => false,
    };
    is_number && matches!(operand, Operand::Register(reg) if site.body.reg_type(reg) == ScalarType::F16x2)
}

fn check_no_pairs(cx: &mut Checker<'_>, site: Site<'_>, place: Place, rule: TypeRule, list: ptx_ir::ListId) {
    let Some(ty) = resolve(site, rule) else { return };
    // Beside an untyped register a pair counts as untyped too.
    if has_untyped(site, ty, site.body.list(list)) {
        return;
    }
    for (&element, &span) in site.body.list(list).iter().zip(site.body.list_spans(list)) {
        if is_pair_for_number(site, rule, element) {
            let wanted = Wanted { ty, width: Width::Same };
            wrong_type(cx, site, Place { span, ..place }, wanted, ScalarType::F16x2);
        }
    }
}

/// Checks one scalar operand, written or read.
pub(crate) fn check_scalar(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    place: Place,
    wanted: Wanted,
    operand: Operand,
) {
    match operand {
        Operand::Register(_) | Operand::Element(..) => {
            if let Some(ty) = scalar_type(cx, site, place, operand) {
                check_type(cx, site, place, wanted, ty);
            }
        }
        Operand::Sink => check_sink(cx, site, place),
        Operand::Immediate(value) if !place.is_written() => {
            check_constant(cx, site, place, wanted, value);
        }
        Operand::Special(reg, component) if !place.is_written() => {
            special_registers::check_converted(cx, site, place, wanted, reg, component.is_some());
        }
        Operand::Special(..) => {
            let text = "special registers cannot be written";
            cx.report(Diagnostic::error(codes::SPECIAL_REGISTER, place.span, text));
        }
        Operand::Sum(..) | Operand::SpecialSum(..) if !place.is_written() => {
            sums::check(cx, site, place, wanted, operand);
        }
        Operand::Not(reg) if wanted.ty == ScalarType::Pred && !place.is_written() => {
            check_type(cx, site, place, wanted, site.body.reg_type(reg));
        }
        Operand::Not(_)
        | Operand::Sum(..)
        | Operand::SpecialSum(..)
        | Operand::Selected(..)
        | Operand::Negated(..)
        | Operand::Immediate(_)
        | Operand::Symbol(..)
        | Operand::Address(..)
        | Operand::Bracket(_)
        | Operand::Vector(_)
        | Operand::List(_)
        | Operand::Label(_)
        | Operand::Omitted => {
            wrong_kind(cx, site, place, operand, &format!("a {} operand", dotted(wanted.ty)));
        }
    }
}

/// `ptxas` counts the address of a function, and that of a variable with an offset, as an integer constant.
pub(crate) const fn is_number(symbol: Symbol, offset: i64) -> bool {
    match symbol {
        Symbol::Function(_) => true,
        Symbol::Variable(_) => offset != 0,
    }
}

/// Arithmetic accepts such constants; divisions, which are calls for `ptxas`, and lanes of video instructions do not.
fn takes_symbols(site: Site<'_>) -> bool {
    site.form().effects == Effects::NONE
        && !matches!(
            site.mnemonic().sem(),
            Sem::Arith(ArithSem::Div | ArithSem::Rem) | Sem::Video(VideoSem::Video | VideoSem::VideoSimd)
        )
}

/// The requirement for memory operands.
pub(crate) const ADDRESS: &str = "a memory address in brackets";

pub(crate) fn wrong_kind(cx: &mut Checker<'_>, site: Site<'_>, place: Place, operand: Operand, wanted: &str) {
    let found = site.describe(operand);
    let text = format!("operand `{}` of `{}` must be {wanted}", place.name, site.mnemonic());
    let finding = Diagnostic::error(codes::OPERAND_KIND, place.span, text).with_label(found);
    let help = match operand {
        Operand::Symbol(..) | Operand::Register(_) if wanted == ADDRESS => {
            Some("write it in brackets: `[a]`")
        }
        Operand::Symbol(..) => Some("take the address with `mov` first"),
        Operand::Address(..) => Some("load the value with `ld` first"),
        _ => None,
    };
    cx.report(match help {
        Some(help) if !place.is_written() || wanted == ADDRESS => finding.with_help(help),
        _ => finding,
    });
}

/// The type of a register or component; a finding and nothing when it is not a scalar.
pub(crate) fn scalar_type(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    place: Place,
    operand: Operand,
) -> Option<ScalarType> {
    let (reg, component) = match operand {
        Operand::Register(reg) => (reg, None),
        Operand::Element(reg, component) => (reg, Some(component)),
        _ => return None,
    };
    let decl = site.body.decl(reg);
    let lanes = decl.shape.lanes();
    match component {
        None if decl.shape == VectorShape::Scalar => return Some(decl.ty),
        Some(component) if decl.shape != VectorShape::Scalar && (component.index() as u32) < lanes => {
            return Some(decl.ty);
        }
        None => {
            let text = format!("operand `{}` of `{}` must be a scalar", place.name, site.mnemonic());
            let label = site.describe(operand);
            let finding = Diagnostic::error(codes::OPERAND_KIND, place.span, text).with_label(label);
            cx.report(finding.with_help("name one component, such as `.x`"));
        }
        Some(component) => {
            let what = if lanes == 1 { "a scalar".to_owned() } else { format!("a vector of {lanes}") };
            let text = format!("{what} has no component `.{}`", component.as_str());
            cx.report(Diagnostic::error(codes::VECTOR_LENGTH, place.span, text));
        }
    }
    None
}

pub(crate) fn check_type(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    place: Place,
    wanted: Wanted,
    actual: ScalarType,
) {
    if !agrees(wanted.ty, actual, wanted.width) {
        wrong_type(cx, site, place, wanted, actual);
    }
}

fn wrong_type(cx: &mut Checker<'_>, site: Site<'_>, place: Place, wanted: Wanted, actual: ScalarType) {
    let text = format!(
        "operand `{}` of `{}` is {}, which does not agree with {}",
        place.name,
        site.mnemonic(),
        dotted(actual),
        dotted(wanted.ty)
    );
    let help = match wanted.width {
        Width::Same => format!("use a register of type {}", agreeing(wanted.ty)),
        Width::AtLeast => format!("use a register of type {}, or a wider one", agreeing(wanted.ty)),
    };
    cx.report(Diagnostic::error(codes::OPERAND_TYPE, place.span, text).with_help(help));
}

fn check_sink(cx: &mut Checker<'_>, site: Site<'_>, place: Place) {
    if !place.is_written() {
        let text = "`_` is only allowed for results that are not used";
        cx.report(Diagnostic::error(codes::SINK, place.span, text));
    } else if !may_be_discarded(site, place) {
        let text = format!("the result `{}` of `{}` cannot be discarded", place.name, site.mnemonic());
        let help = "name a register that nothing reads";
        cx.report(Diagnostic::error(codes::SINK, place.span, text).with_help(help));
    }
}

/// Whether `ptxas` accepts `_` for a result: second results, predicates of comparisons, and instructions that are executed for their
/// effect.
fn may_be_discarded(site: Site<'_>, place: Place) -> bool {
    let sem = site.mnemonic().sem();
    match place.role {
        Role::DefPair => !matches!(
            sem,
            Sem::Warp(WarpSem::Elect)
                | Sem::Bits(BitsSem::Lop3)
                | Sem::Texture(TextureSem::Tex | TextureSem::Tld4)
        ),
        Role::Def | Role::Use | Role::UseOpt => match sem {
            Sem::Compare(CompareSem::Setp)
            | Sem::Memory(MemorySem::Atom | MemorySem::AtomVector)
            | Sem::Bits(BitsSem::Lop3)
            | Sem::Async(AsyncSem::MbarrierArrive)
            | Sem::Warp(WarpSem::Elect) => true,
            // Its predicate may be the only result that is needed.
            Sem::Warp(WarpSem::Match) => site.has(Mod::All),
            _ => false,
        },
    }
}

fn check_constant(cx: &mut Checker<'_>, site: Site<'_>, place: Place, wanted: Wanted, value: Immediate) {
    if takes_immediate(wanted.ty, value) {
        return;
    }
    let found = site.describe(Operand::Immediate(value));
    let text = format!(
        "operand `{}` of `{}` is {found}, which does not agree with {}",
        place.name,
        site.mnemonic(),
        dotted(wanted.ty)
    );
    let finding = Diagnostic::error(codes::OPERAND_TYPE, place.span, text);
    cx.report(match wanted.ty {
        ScalarType::F32 => finding.with_help("write `1.0` or the bits as `0f3F800000`"),
        ScalarType::F64 => finding.with_help("write `1.0` or the bits as `0d3FF0000000000000`"),
        ScalarType::B32 => finding.with_help("write the bits as `0f3F800000` or as an integer"),
        ScalarType::F16 | ScalarType::F16x2 | ScalarType::Bf16 | ScalarType::Bf16x2 => {
            finding.with_help("`mov` the bits into a register first")
        }
        _ => finding,
    });
}

fn check_vector(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    place: Place,
    rule: TypeRule,
    lanes: u8,
    width: Width,
    operand: Operand,
) {
    let Some(ty) = resolve(site, rule) else { return };
    let wanted = Wanted { ty, width };
    match operand {
        Operand::Vector(list) if list.len() == usize::from(lanes) => {
            check_elements(cx, site, place, wanted, list);
        }
        Operand::Vector(list) => wrong_length(cx, site, place, lanes, list.len() as u32),
        Operand::Register(reg) if site.body.decl(reg).shape != VectorShape::Scalar => {
            let decl = site.body.decl(reg);
            if decl.shape.lanes() == u32::from(lanes) {
                check_type(cx, site, place, wanted, decl.ty);
            } else {
                wrong_length(cx, site, place, lanes, decl.shape.lanes());
            }
        }
        Operand::Special(reg, None)
            if site.mnemonic().sem() == Sem::Move(MoveSem::MovVector) && reg.is_vector() =>
        {
            special_registers::check_components(cx, site, place, ty, lanes, reg);
        }
        scalar if lanes == 1 && width == Width::AtLeast => check_scalar(cx, site, place, wanted, scalar),
        other => wrong_kind(cx, site, place, other, &format!("a vector of {lanes}")),
    }
}

pub(crate) fn wrong_length(cx: &mut Checker<'_>, site: Site<'_>, place: Place, lanes: u8, found: u32) {
    let text =
        format!("operand `{}` of `{}` must have {lanes} elements, not {found}", place.name, site.mnemonic());
    cx.report(Diagnostic::error(codes::VECTOR_LENGTH, place.span, text));
}

fn check_predicate(cx: &mut Checker<'_>, site: Site<'_>, place: Place, operand: Operand) {
    match operand {
        Operand::Not(reg) if !place.is_written() => {
            if site.body.reg_type(reg) != ScalarType::Pred {
                wrong_predicate(cx, site, place, operand);
            }
        }
        Operand::Register(reg) if site.body.reg_type(reg) == ScalarType::Pred => {}
        Operand::Sink => check_sink(cx, site, place),
        // Every constant but 0 is true.
        Operand::Immediate(value) if !place.is_written() && value.as_integer().is_some() => {}
        _ => wrong_predicate(cx, site, place, operand),
    }
}

fn wrong_predicate(cx: &mut Checker<'_>, site: Site<'_>, place: Place, operand: Operand) {
    let text = format!("operand `{}` of `{}` must be a predicate register", place.name, site.mnemonic());
    let label = site.describe(operand);
    cx.report(Diagnostic::error(codes::OPERAND_TYPE, place.span, text).with_label(label));
}

fn check_range(cx: &mut Checker<'_>, site: Site<'_>, place: Place, range: (i64, i64), operand: Operand) {
    let value = match operand {
        Operand::Immediate(value) => value.as_integer(),
        _ => None,
    };
    let Some(value) = value else {
        return wrong_kind(cx, site, place, operand, "an integer constant");
    };
    let (low, high) = range;
    if !(low..=high).contains(&(value as i64)) {
        out_of_range(cx, site, place, value as i64, &format!("from {low} to {high}"));
    }
}

/// Reports an immediate that the operand does not accept.
pub(crate) fn out_of_range(cx: &mut Checker<'_>, site: Site<'_>, place: Place, value: i64, range: &str) {
    let text = format!("operand `{}` of `{}` is {value}; it must be {range}", place.name, site.mnemonic());
    cx.report(Diagnostic::error(codes::IMMEDIATE_RANGE, place.span, text));
}

fn check_cache_policy(cx: &mut Checker<'_>, site: Site<'_>, place: Place, operand: Operand) {
    if !site.has(Mod::L2CacheHint) {
        let text = format!("the cache policy of `{}` requires `.L2::cache_hint`", site.mnemonic());
        return cx.report(Diagnostic::error(codes::OPERAND_MISSING, place.span, text));
    }
    let wanted = Wanted { ty: ScalarType::U64, width: Width::Same };
    check_scalar(cx, site, place, wanted, operand);
}

fn check_label(cx: &mut Checker<'_>, site: Site<'_>, place: Place, kind: LabelKind, operand: Operand) {
    let found = match operand {
        Operand::Label(label) => site.body.labels.get(label.0 as usize),
        _ => None,
    };
    let Some(label) = found else {
        return wrong_kind(cx, site, place, operand, "a label");
    };
    if label.kind != kind {
        let wanted = match kind {
            LabelKind::Code => "code",
            LabelKind::BranchTargets => "a `.branchtargets` list",
            LabelKind::CallTargets => "a `.calltargets` list",
            LabelKind::CallPrototype => "a `.callprototype`",
        };
        let name = site.module.name(label.name);
        let text = format!("`{name}` is not the label of {wanted}");
        cx.report(Diagnostic::error(codes::LABEL, place.span, text).with_related(label.at.0, "it is here"));
    } else if kind != LabelKind::Code {
        check_order(cx, site, place.span, label);
    }
}

/// Lists of targets and prototypes precede what uses them.
pub(crate) fn check_order(cx: &mut Checker<'_>, site: Site<'_>, span: Span, label: &Label) {
    if label.at.0.lo > site.whole().lo {
        let name = site.module.name(label.name);
        let text = format!("`{name}` must be before the instruction that uses it");
        let finding = Diagnostic::error(codes::LABEL, span, text);
        cx.report(finding.with_related(label.at.0, "it is here"));
    }
}

/// Guards are predicate registers (manual 8.7).
pub(crate) fn check_guard(cx: &mut Checker<'_>, site: Site<'_>) {
    if let Some(guard) = site.inst.guard
        && site.body.reg_type(guard.register) != ScalarType::Pred
    {
        let code: Code = codes::GUARD;
        let span = Span::new(site.whole().lo, site.whole().lo.saturating_add(1).min(site.whole().hi));
        let found = site.describe(Operand::Register(guard.register));
        let text = format!("the guard must be a predicate register, not {found}");
        let finding = Diagnostic::error(code, span, text);
        let ty = site.body.reg_type(guard.register);
        cx.report(match ty.as_bits() {
            Some(bits) if ty.is_integer_or_bits() && matches!(ty.bits(), 16 | 32 | 64) => {
                finding.with_help(format!("compare it with 0 first, by `setp.ne.{}`", bits.as_str()))
            }
            _ => finding,
        });
    }
}

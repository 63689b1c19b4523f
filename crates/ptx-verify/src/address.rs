//! Memory addresses (manual 6.4.1).

use ptx_diag::Diagnostic;
use ptx_ir::{AddressBase, FunctionKind, Operand, Symbol, VarId, VectorShape};
use ptx_isa::{BlockSem, MatrixSem, MemorySem, Mod, Note, ScalarType, Sem, StateSpace, TextureSem};

use crate::codes;
use crate::context::{Checker, Site, dotted};
use crate::findings::{ADDRESS, wrong_kind};
use crate::operand_position::OperandPosition;

/// Checks the address of an instruction that accesses memory in a state space; `None` is a generic address.
pub(crate) fn check(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    operand: Operand,
    space: Option<StateSpace>,
) {
    let Operand::Address(base, _) = operand else {
        return wrong_kind(cx, site, position, operand, ADDRESS);
    };
    if takes_any_address(site.mnemonic().sem()) {
        return match base {
            AddressBase::Register(reg) => check_base(cx, site, position, Some(StateSpace::Shared), reg),
            AddressBase::Symbol(_) | AddressBase::Absolute => {}
        };
    }
    if space == Some(StateSpace::ParamFunc) && !matches!(base, AddressBase::Symbol(_)) {
        let text = "`.param::func` can access parameters only by name";
        return cx.report(Diagnostic::error(codes::ADDRESS, position.span, text));
    }
    match base {
        AddressBase::Register(reg) => check_base(cx, site, position, space, reg),
        AddressBase::Symbol(Symbol::Variable(variable)) => {
            check_variable(cx, site, position, space, variable);
        }
        AddressBase::Symbol(Symbol::Function(_)) => {
            let text = format!("`{}` cannot access the code of a function", site.mnemonic());
            cx.report(Diagnostic::error(codes::ADDRESS, position.span, text));
        }
        AddressBase::Absolute if space != Some(StateSpace::Local) => {
            let text = "constant addresses exist only in `.local`";
            let help = "`mov` the address into a register first";
            cx.report(Diagnostic::error(codes::ADDRESS, position.span, text).with_help(help));
        }
        AddressBase::Absolute => {}
    }
}

/// Checks an address of tensor memory, which a 32-bit register holds (manual 9.7.16.1).
pub(crate) fn check_tensor(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    operand: Operand,
) {
    let reg = match operand {
        Operand::Address(AddressBase::Register(reg), _) => reg,
        _ => return wrong_kind(cx, site, position, operand, "a 32-bit register in brackets"),
    };
    let decl = site.body.decl(reg);
    // `ptxas` accepts typed integers, too, but not for the matrices of multiplications.
    let typed = site.mnemonic().sem() != Sem::Matrix(MatrixSem::Tcgen05Mma);
    let fits = decl.ty == ScalarType::B32 || (typed && decl.ty.bits() == 32 && decl.ty.is_integer_or_bits());
    if decl.shape != VectorShape::Scalar || !fits {
        let found = site.describe(Operand::Register(reg));
        let wanted = if typed { "a 32-bit register" } else { "a `.b32` register" };
        let text = format!("an address of tensor memory must be {wanted}, not {found}");
        cx.report(Diagnostic::error(codes::ADDRESS, position.span, text).with_help("use a `.b32` register"));
    }
}

/// Checks a name used as an address in a state space; texture handles are not checked.
pub(crate) fn check_symbol(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    space: StateSpace,
    symbol: Symbol,
) {
    match symbol {
        Symbol::Variable(id) => {
            let variable = site.module.variables.get(id.0 as usize);
            if variable.is_some_and(|variable| variable.scalar_type().is_some()) {
                check_variable(cx, site, position, Some(space), id);
            }
        }
        Symbol::Function(_) => {
            let text = format!("`{}` cannot access the code of a function", site.mnemonic());
            cx.report(Diagnostic::error(codes::ADDRESS, position.span, text));
        }
    }
}

/// Whether the address names memory that is not accessed through it, or an opaque object.
fn takes_any_address(sem: Sem) -> bool {
    matches!(sem, Sem::Block(BlockSem::FenceProxy) | Sem::Texture(TextureSem::Txq | TextureSem::SurfaceQuery))
}

fn check_base(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    space: Option<StateSpace>,
    reg: ptx_ir::RegId,
) {
    let (decl, sem) = (site.body.decl(reg), site.mnemonic().sem());
    let ty = decl.ty;
    if decl.shape != VectorShape::Scalar || !ty.is_integer_or_bits() || ty == ScalarType::B128 {
        let text =
            format!("an address must be an integer register, not {}", site.describe(Operand::Register(reg)));
        return cx.report(
            Diagnostic::error(codes::ADDRESS, position.span, text).with_help("use a `.b64` register"),
        );
    }
    if ty.bits() < 32 && (sem.has(Note::NoNarrowAddress) || site.has(Mod::Tensormap)) {
        let text = format!("an address must have 32 or 64 bits, but {} has {}", dotted(ty), ty.bits());
        return cx.report(
            Diagnostic::error(codes::ADDRESS, position.span, text).with_help("use a `.b64` register"),
        );
    }
    // Global and generic addresses have 64 bits, except in modules with 32-bit addresses. `ptxas` accepts a 32-bit register for one when it parses the program,
    // and rejects it when it generates machine code. Versions of it that generate code for older GPUs are not known to.
    let named = site.mnemonic().space();
    // A barrier is in shared memory, also where its address is a generic one.
    let is_far = matches!(space, None | Some(StateSpace::Global)) || named.is_none();
    let is_wide = is_far && sem.has(Note::WideAddress) && !site.has(Mod::Tensormap);
    if is_wide && cx.address_size == 64 && ty.bits() == 32 {
        let what = if named.is_none() { "generic" } else { "global" };
        let text = format!("{what} addresses must have 64 bits, but {} has 32", dotted(ty));
        let help = "widen it with `cvt.u64.u32`, or specify its state space";
        let finding = match cx.target.sm_at_least(75) {
            true => Diagnostic::error(codes::ADDRESS, position.span, text),
            false => Diagnostic::warning(codes::ADDRESS, position.span, text),
        };
        cx.report(finding.with_help(help));
    }
}

fn check_variable(
    cx: &mut Checker<'_>,
    site: Site<'_>,
    position: OperandPosition,
    space: Option<StateSpace>,
    id: VarId,
) {
    let variable = site.module.variable(id);
    if variable.scalar_type().is_none() {
        let text = format!("`{}` is a handle and has no value in memory", site.module.name(variable.name));
        let help = "read it with `mov.u64`";
        return cx.report(Diagnostic::error(codes::ADDRESS, position.span, text).with_help(help));
    }
    let own = variable.space.window();
    let agrees = match space {
        // Generic addresses reach these; constants and parameters have no generic form by name.
        None => matches!(own, StateSpace::Global | StateSpace::Shared | StateSpace::Local),
        Some(space) => space.window() == own,
    };
    if agrees {
        return check_parameter(cx, site, position, id);
    }
    let name = site.module.name(variable.name);
    let own_name = variable.space.as_str();
    let text = match space {
        Some(space) => {
            format!("`{name}` is in `.{own_name}`, but `{}` accesses `.{}`", site.mnemonic(), space.as_str())
        }
        None => format!("`{name}` is in `.{own_name}`, which generic addressing cannot access by name"),
    };
    let help = match site.mnemonic().sem() {
        Sem::Memory(MemorySem::Load | MemorySem::Store) => {
            format!("write `{}.{own_name}`", site.mnemonic().opcode().as_str())
        }
        // A generic access reaches global memory by name.
        _ => format!("use a variable in `.{}`", space.unwrap_or(StateSpace::Global).as_str()),
    };
    cx.report(
        Diagnostic::error(codes::ADDRESS_SPACE, position.span, text)
            .with_help(help)
            .with_related(variable.at.0, "declared here"),
    );
}

/// Parameters of the function are read, its results written (manual 7.1); `.param::entry` and `.param::func` name
/// parameters of kernels and of device functions and calls.
fn check_parameter(cx: &mut Checker<'_>, site: Site<'_>, position: OperandPosition, id: VarId) {
    let variable = site.module.variable(id);
    let name = site.module.name(variable.name);
    let sem = site.mnemonic().sem();
    let is_access = matches!(sem, Sem::Memory(MemorySem::Load | MemorySem::Store))
        && variable.space.window() == StateSpace::Param;
    if is_access && site.inst.guard.is_some() && !cx.inputs.contains(&id) && !cx.outputs.contains(&id) {
        let text = format!("an access to `{name}`, which is passed to a call or by it, cannot be guarded");
        let help = "branch around it, or move the value into a register first";
        return cx.report(
            Diagnostic::error(codes::GUARD, site.whole(), text)
                .with_help(help)
                .with_related(variable.at.0, "declared here"),
        );
    }
    let kernel = site.function.kind == FunctionKind::Kernel && cx.inputs.contains(&id);
    let (code, text) = if sem == Sem::Memory(MemorySem::Store) && cx.inputs.contains(&id) {
        (codes::WRITES_PARAMETER, format!("`{name}` is an input of the function and cannot be written"))
    } else if sem == Sem::Memory(MemorySem::Load) && cx.outputs.contains(&id) {
        (codes::ADDRESS, format!("`{name}` is a result of the function and cannot be read"))
    } else if site.mnemonic().space() == Some(StateSpace::ParamFunc) && kernel {
        (codes::ADDRESS_SPACE, format!("`{name}` is a parameter of a kernel, not in `.param::func`"))
    } else if site.mnemonic().space() == Some(StateSpace::ParamEntry) && !cx.inputs.contains(&id) {
        (codes::ADDRESS_SPACE, format!("`{name}` is not a parameter of a kernel and not in `.param::entry`"))
    } else {
        return;
    };
    cx.report(Diagnostic::error(code, position.span, text).with_related(variable.at.0, "declared here"));
}

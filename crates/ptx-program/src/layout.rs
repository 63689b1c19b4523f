//! Layout of variables in memory, and their initial contents (manual 5.4).

use std::borrow::Cow;

use ptx_diag::{Diagnostic, Diagnostics, Span};
use ptx_ir::{Immediate, Initializer, Linkage, Module, Symbol, VarId, Variable};
use ptx_isa::{ScalarType, StateSpace, TypeKind};
use rustc_hash::FxHashMap;

use crate::codes;
use crate::decode::Reached;
use crate::memory::{AddressSize, Space};
use crate::program::Object;
use crate::scalar::format::{Format, Rounding};
use crate::texture::{References, opaque_of};

/// Size of the constant memory of a module (manual 5.1.3: 64 KiB, and ten more banks through pointers).
const CONSTANT_BYTES: u64 = 11 << 16;

/// The space of each variable and its address there.
pub type VariableAddresses = FxHashMap<VarId, (Space, u64)>;

/// Layout of the variables of the module and of the functions reachable from a kernel, without parameters and variables
/// on the stack of a thread.
#[derive(Debug, Default)]
pub struct Layout {
    /// Where the variables are.
    pub addresses: VariableAddresses,
    /// The address size.
    pub address_size: AddressSize,
    /// Bytes of static shared memory of a block.
    shared: u64,
    /// Alignment of dynamic shared memory.
    dynamic_align: u64,
    has_dynamic: bool,
    /// Contents of the constant memory.
    pub constant: Vec<u8>,
    /// The global variables placed by this layout with their contents, in address order.
    pub globals: Vec<(VarId, Vec<u8>)>,
    /// Textures, samplers and surfaces.
    pub references: References,
}

impl Layout {
    /// The space of a variable and its address there.
    pub fn address(&self, id: VarId) -> Option<(Space, u64)> {
        self.addresses.get(&id).copied()
    }

    /// The variables outside global memory, and for each whether it is dynamic shared memory, whose size is only known
    /// at launch.
    pub fn objects(&self, module: &Module) -> Vec<(Object, bool)> {
        let object = |(id, (space, address)): (&VarId, &(Space, u64))| {
            let variable = module.variable(*id);
            let is_dynamic = *space == Space::Shared && variable.linkage == Linkage::Extern;
            let bytes = if is_dynamic { 0 } else { bytes_of(variable) };
            let name = format!("variable `{}`", module.name(variable.name));
            (Object { name, space: *space, address: *address, bytes }, is_dynamic)
        };
        let is_kept = |(_, (space, _)): &(&VarId, &(Space, u64))| *space != Space::Global;
        self.addresses.iter().filter(is_kept).map(object).collect()
    }

    /// The address of dynamic shared memory.
    fn dynamic_start(&self) -> u64 {
        align_up(self.shared, self.dynamic_align)
    }

    /// Bytes of shared memory of a block with `dynamic` bytes of dynamic shared memory.
    pub fn shared_bytes(&self, dynamic: u32) -> u64 {
        let has_dynamic = dynamic > 0 || self.has_dynamic;
        if has_dynamic { self.dynamic_start() + u64::from(dynamic) } else { self.shared }
    }
}

/// Inputs of a layout.
pub struct Ground<'a> {
    /// Variables that are already placed.
    pub known: &'a VariableAddresses,
    /// Maximum total size of global variables.
    pub limit: u64,
    /// Allocates the next global variable, given its name, size and alignment; `None` if there is no room.
    pub place_global: &'a mut dyn FnMut(&str, u64, u64) -> Option<u64>,
}

/// Lays out the variables of `reached`. Erroneous ones are not placed: those without a definition, too large, or whose
/// initial values cannot be computed.
pub fn lay_out(module: &Module, reached: &Reached, ground: Ground<'_>) -> (Layout, Diagnostics) {
    let mut findings = Diagnostics::new();
    let Ground { known, limit, place_global } = ground;
    let references = References::new(module);
    let address_size = AddressSize::of(module);
    let mut layout = Layout { addresses: known.clone(), references, address_size, ..Layout::default() };
    let (mut dynamic, mut initialized) = (Vec::new(), Vec::new());
    let (mut constant, mut global) = (0, 0);
    place_references(module, reached, &mut layout, &mut findings);
    let is_placed = |id: &&VarId| known.contains_key(id) || opaque_of(module.variable(**id)).is_some();
    for &id in reached.variables.iter().filter(|id| !is_placed(id)) {
        let variable = module.variable(id);
        let mut report = |code, text: String| findings.push(Diagnostic::error(code, variable.at.0, text));
        let name = module.name(variable.name);
        let space = match variable.space {
            StateSpace::Global => Space::Global,
            StateSpace::Const => Space::Const,
            StateSpace::Shared | StateSpace::SharedCta => Space::Shared,
            // On the stack of each thread: placed by the decoder of the function.
            StateSpace::Local | StateSpace::Param | StateSpace::ParamEntry | StateSpace::ParamFunc => {
                continue;
            }
            StateSpace::SharedCluster | StateSpace::Tex | StateSpace::Reg | StateSpace::SpecialReg => {
                report(
                    codes::UNSUPPORTED,
                    format!("variables in .{} cannot be executed yet", variable.space.as_str()),
                );
                continue;
            }
        };
        if space == Space::Shared && variable.linkage == Linkage::Extern {
            dynamic.push(id);
            continue;
        }
        if variable.linkage == Linkage::Extern {
            report(codes::UNDEFINED, format!("`{name}` is declared `.extern` and defined nowhere"));
            continue;
        }
        let Some(bytes) = variable.bytes().filter(|&bytes| bytes <= limit - global) else {
            report(codes::SIZE, format!("with `{name}` the variables take more than {limit} bytes"));
            continue;
        };
        let align = u64::from(variable.alignment().max(1));
        let address = match space {
            Space::Global => {
                let Some(address) = place_global(name, bytes, align) else {
                    report(codes::SIZE, format!("there is no room for `{name}` of {bytes} bytes"));
                    continue;
                };
                global += bytes;
                layout.globals.push((id, vec![0; bytes as usize]));
                initialized.push((id, Some(layout.globals.len() - 1), 0));
                address
            }
            Space::Const => {
                let at = align_up(constant, align);
                constant = at + bytes;
                initialized.push((id, None, at as usize));
                at
            }
            _ => {
                let at = align_up(layout.shared, align);
                layout.shared = at + bytes;
                at
            }
        };
        layout.addresses.insert(id, (space, address));
    }
    if constant > CONSTANT_BYTES {
        let text =
            format!("{constant} bytes of constant memory are more than the {CONSTANT_BYTES} there are");
        findings.push(Diagnostic::error_without_place(codes::SIZE, text));
        layout.addresses.retain(|_, (space, _)| *space != Space::Const);
        initialized.retain(|(_, allocation, _)| allocation.is_some());
        constant = 0;
    }
    layout.constant = vec![0; constant as usize];
    place_dynamic(module, &dynamic, &mut layout);
    for (id, allocation, offset) in initialized {
        if let Err(diagnostic) = initialize(module, reached, &mut layout, id, allocation, offset) {
            findings.push(*diagnostic);
            layout.addresses.remove(&id);
        }
    }
    (layout, findings)
}

/// Assigns handles to opaque variables; the name of such a variable denotes its handle.
fn place_references(module: &Module, reached: &Reached, layout: &mut Layout, findings: &mut Diagnostics) {
    for &id in &reached.variables {
        let variable = module.variable(id);
        // Parameters contain their own handles.
        let Some(opaque) = opaque_of(variable).filter(|_| variable.space != StateSpace::Param) else {
            continue;
        };
        match layout.references.add(module, id, opaque) {
            Ok(handle) => {
                layout.addresses.insert(id, (Space::Global, handle));
            }
            Err(finding) => findings.push(*finding),
        }
    }
}

/// Places dynamic shared memory: all `.extern .shared` variables alias the memory after the other variables (manual
/// 5.1.8, 11.6.1).
fn place_dynamic(module: &Module, dynamic: &[VarId], layout: &mut Layout) {
    layout.dynamic_align =
        dynamic.iter().map(|&id| u64::from(module.variable(id).alignment())).fold(16, u64::max);
    layout.has_dynamic = !dynamic.is_empty();
    for &id in dynamic {
        layout.addresses.insert(id, (Space::Shared, layout.dynamic_start()));
    }
}

/// The size of a variable that has been placed.
pub fn bytes_of(variable: &Variable) -> u64 {
    // Default: a size that does not fit 64 bits has been refused; no object would be as large.
    variable.bytes().unwrap_or(u64::MAX)
}

/// Rounds up to the next multiple of an alignment.
pub fn align_up(value: u64, align: u64) -> u64 {
    // Default: nothing has room beyond the last address.
    value.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX)
}

type Initialized = Result<(), Box<Diagnostic>>;

/// Writes the initial value of a variable.
fn initialize(
    module: &Module,
    reached: &Reached,
    layout: &mut Layout,
    id: VarId,
    allocation: Option<usize>,
    offset: usize,
) -> Initialized {
    let variable = module.variable(id);
    let (Some(init), Some(ty)) = (&variable.init, variable.scalar_type()) else { return Ok(()) };
    let size = ty.bytes() as usize;
    let mut writes = Vec::new();
    collect(variable, init, &mut writes)?;
    for (index, value) in writes {
        let bits = match &*value {
            Initializer::Value(immediate) => immediate_bits(*immediate, ty, variable.at.0)?,
            Initializer::Address { symbol, offset, generic } => {
                address_of(module, reached, layout, *symbol, *offset, *generic, variable.at.0)?.into()
            }
            Initializer::Masked { mask, symbol, offset, generic } => {
                let address = address_of(module, reached, layout, *symbol, *offset, *generic, variable.at.0)?;
                u128::from((address & mask) >> mask.trailing_zeros().min(63))
            }
            // References have no scalar type and do not get here.
            Initializer::List(_) | Initializer::Integers(_) | Initializer::Fields(_) => continue,
        };
        let target = match allocation {
            Some(allocation) => layout.globals.get_mut(allocation).map(|(_, bytes)| bytes),
            None => Some(&mut layout.constant),
        };
        let start = offset + index as usize * size;
        if let Some(place) = target.and_then(|bytes| bytes.get_mut(start..start + size)) {
            place.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    Ok(())
}

/// Collects the scalar values of an initializer, each with its element index.
fn collect<'i>(
    variable: &Variable,
    init: &'i Initializer,
    writes: &mut Vec<(u64, Cow<'i, Initializer>)>,
) -> Initialized {
    let lanes = u64::from(variable.shape.lanes());
    // Elements per nesting depth: the dimensions from the second on, then the lanes of a vector.
    let inner: Vec<Option<u64>> = variable.dims.iter().skip(1).copied().collect();
    let mut strides: Vec<u64> = (0..variable.dims.len())
        .map(|depth| inner[depth..].iter().flatten().fold(lanes, |n, &dim| n.saturating_mul(dim)))
        .collect();
    strides.push(1);
    let element = match variable.scalar_type() {
        Some(ty) => ty.bytes(),
        // Values of opaque types are refused elsewhere.
        None => 1,
    };
    let total = bytes_of(variable) / u64::from(element);
    let mut stack = vec![(init, 0u64, 0usize, total)];
    while let Some((value, start, depth, room)) = stack.pop() {
        let Some(count) = value.list_len() else {
            if room > 0 {
                writes.push((start, Cow::Borrowed(value)));
            }
            continue;
        };
        // Lists nested more deeply than the dimensions contain scalars.
        let stride = strides[depth.min(strides.len() - 1)];
        if (count as u64).saturating_mul(stride) > room {
            let text = "the initial value has more elements than the variable";
            return Err(Box::new(Diagnostic::error(codes::SIZE, variable.at.0, text)));
        }
        match value {
            Initializer::List(values) => {
                for (index, value) in values.iter().enumerate().rev() {
                    stack.push((value, start + index as u64 * stride, depth + 1, stride));
                }
            }
            Initializer::Integers(values) if stride > 0 => {
                writes.extend(values.iter().enumerate().map(|(index, value)| {
                    let value = Initializer::Value(Immediate::integer(value));
                    (start + index as u64 * stride, Cow::Owned(value))
                }));
            }
            Initializer::Integers(_)
            | Initializer::Fields(_)
            | Initializer::Value(_)
            | Initializer::Address { .. }
            | Initializer::Masked { .. } => {}
        }
    }
    Ok(())
}

fn address_of(
    module: &Module,
    reached: &Reached,
    layout: &Layout,
    symbol: Symbol,
    offset: i64,
    generic: bool,
    span: Span,
) -> Result<u64, Box<Diagnostic>> {
    let undefined = |name| {
        let text = format!("the address of `{name}` is not known before the launch");
        Box::new(Diagnostic::error(codes::UNDEFINED, span, text))
    };
    match symbol {
        Symbol::Variable(id) => {
            let id = reached.variable(module, id);
            let (space, address) =
                layout.address(id).ok_or_else(|| undefined(module.name(module.variable(id).name)))?;
            let window = if generic { space.window(layout.address_size) } else { 0 };
            Ok(address.wrapping_add(window).wrapping_add(offset as u64))
        }
        Symbol::Function(id) => {
            let number = reached.number(module, id);
            let number = number.ok_or_else(|| undefined(module.name(module.function(id).name)))?;
            Ok(layout.address_size.function_address(number).wrapping_add(offset as u64))
        }
    }
}

/// The bits of a constant as a value of a type.
///
/// # Errors
/// An integer given for a floating-point value, or a fraction for an integer.
pub fn immediate_bits(immediate: Immediate, ty: ScalarType, span: Span) -> Result<u128, Box<Diagnostic>> {
    let kept = |bits: u128| if ty.bits() == 128 { bits } else { bits & ((1 << ty.bits()) - 1) };
    let format = match ty {
        ScalarType::F16 => Some(Format::F16),
        ScalarType::Bf16 => Some(Format::Bf16),
        ScalarType::F32 | ScalarType::Tf32 => Some(Format::F32),
        ScalarType::F64 => Some(Format::F64),
        _ => None,
    };
    let unfit = |text: &str| Err(Box::new(Diagnostic::error(codes::OPERAND, span, text)));
    match (immediate, format) {
        // Every constant but 0 is true.
        (Immediate::S64(value, _), _) if ty == ScalarType::Pred => Ok((value != 0).into()),
        (Immediate::U64(value, _), _) if ty == ScalarType::Pred => Ok((value != 0).into()),
        (Immediate::S64(value, _), None) => Ok(kept(value as i128 as u128)),
        (Immediate::U64(value, _), None) => Ok(kept(value.into())),
        (Immediate::F32(bits, _), Some(Format::F32)) => Ok(bits.into()),
        (Immediate::F64(bits, _), Some(Format::F64)) => Ok(bits.into()),
        (Immediate::F32(bits, _), Some(format)) => {
            Ok(format.narrow(Format::F32.widen(bits.into()), Rounding::NearestEven).into())
        }
        (Immediate::F64(bits, _), Some(format)) => {
            Ok(format.narrow(f64::from_bits(bits), Rounding::NearestEven).into())
        }
        (Immediate::F32(bits, _), None) if ty.kind() == TypeKind::Bits && ty.bits() == 32 => Ok(bits.into()),
        (Immediate::F64(bits, _), None) if ty.kind() == TypeKind::Bits && ty.bits() == 64 => Ok(bits.into()),
        (Immediate::F32(..) | Immediate::F64(..), None) => {
            unfit("a floating-point constant is not allowed here")
        }
        (Immediate::S64(..) | Immediate::U64(..), Some(_)) => {
            unfit("an integer constant cannot be a floating-point value")
        }
    }
}

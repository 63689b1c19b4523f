//! What kernels require of a launch: their parameters, blocks and shared memory.

use std::collections::BTreeSet;

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_exec::codes;
use ptx_ir::{
    Function, FunctionDirective, FunctionId, FunctionKind, Module, Param, VarId, VarType, Variable,
};
use ptx_isa::{ScalarType, StateSpace};
use ptx_program::decode::{Launches, kernel_parameters, reach};
use ptx_program::layout::{Ground, VariableAddresses, lay_out};

use crate::argument_spec::ArgumentSpec;
use crate::pointers::pointers;
use crate::value_type::ValueType;

/// A parameter of a kernel.
pub struct Parameter<'m> {
    /// Its name.
    pub name: &'m str,
    /// Its declaration.
    pub variable: &'m Variable,
    /// Its offset in the parameters, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// Whether it seems to be the address of a buffer.
    pub is_pointer: bool,
}

/// What a kernel requires of a launch.
pub struct Required<'m> {
    /// Its name in the module.
    pub name: &'m str,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter<'m>>,
    /// `.reqntid`: the threads of a block.
    pub block: Option<[u32; 3]>,
    /// `.maxntid`: the most threads of a block.
    pub largest_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`: the blocks of a cluster.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of static shared memory of a block; `None` if the variables of the module cannot be laid out.
    pub shared_bytes: Option<u64>,
    /// Whether it uses shared memory whose size is that of the launch.
    pub has_dynamic_shared: bool,
}

/// The name of a type in PTX, without its point.
pub fn type_name(ty: VarType) -> &'static str {
    match ty {
        VarType::Scalar(ty) => ty.as_str(),
        VarType::TexRef => "texref",
        VarType::SamplerRef => "samplerref",
        VarType::SurfRef => "surfref",
    }
}

impl<'m> Required<'m> {
    /// The requirements of a kernel of a module that is written out.
    ///
    /// # Errors
    /// Parameters that cannot be passed.
    pub fn of(module: &'m Module, kernel: &'m Function) -> Result<Self, Diagnostics> {
        let name = module.name(kernel.name);
        let is_kernel = |id: &FunctionId| std::ptr::eq(module.function(*id), kernel);
        let mut places = Vec::new();
        if let Some(id) = module.function_ids().find(is_kernel) {
            (places, _) = kernel_parameters(module, id).map_err(|finding| {
                let mut findings = Diagnostics::new();
                findings.push(*finding);
                findings
            })?;
        }
        let pointers: BTreeSet<VarId> = pointers(module, kernel);
        let parameter = |(id, offset, bytes): (VarId, u32, u32)| {
            let variable = module.variable(id);
            let is_pointer = pointers.contains(&id);
            Parameter { name: module.name(variable.name), variable, offset, bytes, is_pointer }
        };
        let dims = |wanted: fn(&FunctionDirective) -> Option<[Option<u32>; 3]>| {
            let found = kernel.directives.iter().find_map(|(directive, _)| wanted(directive))?;
            // Default: those that a directive leaves out are 1 (manual 11.4).
            Some(found.map(|extent| extent.unwrap_or(1)))
        };
        let (shared_bytes, has_dynamic_shared) = shared(module, name);
        Ok(Self {
            name,
            parameters: places.into_iter().map(parameter).collect(),
            block: dims(|directive| match directive {
                FunctionDirective::ReqNtid(dims) => Some(*dims),
                _ => None,
            }),
            largest_block: dims(|directive| match directive {
                FunctionDirective::MaxNtid(dims) => Some(*dims),
                _ => None,
            }),
            cluster: dims(|directive| match directive {
                FunctionDirective::ReqNCtaPerCluster(dims) => Some(*dims),
                _ => None,
            }),
            shared_bytes,
            has_dynamic_shared,
        })
    }
}

/// Bytes of static shared memory of a kernel, and whether it uses dynamic shared memory.
fn shared(module: &Module, kernel: &str) -> (Option<u64>, bool) {
    let Ok(reached) = reach(module, kernel, Launches::One) else { return (None, false) };
    let is_dynamic = |id: &VarId| {
        let variable = module.variable(*id);
        let is_open = matches!(variable.dims.first(), Some(None | Some(0))) && variable.init.is_none();
        variable.space == StateSpace::Shared && is_open
    };
    let has_dynamic = reached.variables.iter().any(is_dynamic);
    // Only shared memory is of interest, so that all global variables are at one address.
    let mut place_global = |_: &str, _: u64, _: u64| Some(0);
    let ground =
        Ground { known: &VariableAddresses::default(), limit: u64::MAX, place_global: &mut place_global };
    let (layout, findings) = lay_out(module, &reached, ground);
    (Some(layout.shared_bytes(0)).filter(|_| !findings.has_errors()), has_dynamic)
}

/// Checks that the numbers among the arguments have the types of their parameters: a number of the same kind and size, or any of the size for untyped bits. What is wrong with
/// their count is left to the launch.
///
/// # Errors
/// Each argument of another type, with both types.
pub fn check_types(module: &Module, kernel: &str, arguments: &[ArgumentSpec]) -> Result<(), Diagnostics> {
    let is_kernel = |function: &&Function| {
        function.kind == FunctionKind::Kernel
            && function.body.is_some()
            && module.name(function.name) == kernel
    };
    let mut findings = Diagnostics::new();
    let Some(function) = module.functions.iter().find(is_kernel) else { return Ok(()) };
    if function.params.len() != arguments.len() {
        return Ok(());
    }
    for (index, (param, argument)) in function.params.iter().zip(arguments).enumerate() {
        let Param::Variable(id) = param else { continue };
        let variable = module.variable(*id);
        let (Some(ty), true) = (variable.scalar_type(), variable.dims.is_empty()) else { continue };
        let is = match argument {
            ArgumentSpec::Number(given, _) if !accepts(ty, *given) => {
                format!("is a number of type {}", given.name())
            }
            other if other.is_plain_buffer() && ty.is_float() => {
                "is a buffer, whose address is an integer".to_owned()
            }
            _ => continue,
        };
        let name = module.name(variable.name);
        let text = format!("argument {index} {is}; parameter `{name}` has type .{}", ty.as_str());
        let finding = Diagnostic::error(codes::ARGUMENTS, variable.at.0, text);
        findings.push(match value_type(ty) {
            Some(fit) => finding.with_help(format!("write {}=.., or hex= for its bytes", fit.name())),
            None => finding.with_help("write hex= for its bytes"),
        });
    }
    if findings.has_errors() { Err(findings) } else { Ok(()) }
}

/// Whether a parameter takes a number of a type.
fn accepts(parameter: ScalarType, given: ValueType) -> bool {
    if parameter.bytes() as usize != given.size() {
        return false;
    }
    let is_integer = !given.is_float();
    match parameter {
        ScalarType::F16 => given == ValueType::F16,
        ScalarType::Bf16 => given == ValueType::Bf16,
        ScalarType::F32 | ScalarType::F64 | ScalarType::Tf32 => given.is_float(),
        ScalarType::B8 | ScalarType::B16 | ScalarType::B32 | ScalarType::B64 | ScalarType::B128 => true,
        ScalarType::U8
        | ScalarType::U16
        | ScalarType::U32
        | ScalarType::U64
        | ScalarType::S8
        | ScalarType::S16
        | ScalarType::S32
        | ScalarType::S64 => is_integer,
        // Several numbers in one parameter are given by their bytes, or as one integer.
        ScalarType::F16x2
        | ScalarType::Bf16x2
        | ScalarType::F32x2
        | ScalarType::U16x2
        | ScalarType::S16x2
        | ScalarType::U8x4
        | ScalarType::S8x4
        | ScalarType::Pred => is_integer,
    }
}

/// The type in which a value for a parameter is written; `None` for those of several numbers or of 128 bits.
pub fn value_type(ty: ScalarType) -> Option<ValueType> {
    Some(match ty {
        ScalarType::B8 | ScalarType::U8 => ValueType::U8,
        ScalarType::S8 => ValueType::I8,
        ScalarType::B16 | ScalarType::U16 => ValueType::U16,
        ScalarType::S16 => ValueType::I16,
        ScalarType::B32 | ScalarType::U32 => ValueType::U32,
        ScalarType::S32 => ValueType::I32,
        ScalarType::B64 | ScalarType::U64 => ValueType::U64,
        ScalarType::S64 => ValueType::I64,
        ScalarType::F16 => ValueType::F16,
        ScalarType::Bf16 => ValueType::Bf16,
        ScalarType::F32 | ScalarType::Tf32 => ValueType::F32,
        ScalarType::F64 => ValueType::F64,
        ScalarType::F16x2
        | ScalarType::Bf16x2
        | ScalarType::F32x2
        | ScalarType::U16x2
        | ScalarType::S16x2
        | ScalarType::U8x4
        | ScalarType::S8x4
        | ScalarType::B128
        | ScalarType::Pred => return None,
    })
}

//! How functions are called in LLVM IR: the shapes of parameters and results, and the types that follow from them (manual 7).

use ptx_ir::{Body, Function, FunctionKind, LabelId, Module, Param, Prototype, Stmt, Variable};
use ptx_isa::ScalarType;
use ptx_llvm_core::address_space;
use ptx_llvm_core::build::{self, Type, Types, Value};
use rustc_hash::FxHashMap;

use crate::analysis::Analysis;
use crate::behaviour::Behaviour;
use crate::errors::{Result, unsupported};
use crate::pieces::Pieces;
use crate::represent::llvm_space;
use crate::slots::whole_scalar;
use crate::types::llvm_type;

/// How a parameter or result is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// One scalar.
    Scalar(ScalarType),
    /// A vector register: an array of its elements.
    Vector { ty: ScalarType, lanes: u32 },
    /// Bytes with an alignment: `byval` as a parameter, an array of integers as a result.
    Bytes { bytes: u64, align: u32 },
    /// Any number of bytes with an alignment, chosen by the call (manual 11.2.2): the variadic arguments of LLVM's
    /// functions, which are not parameters.
    Unsized { align: u32 },
}

impl Shape {
    pub(crate) fn parameter_type(self, types: Types<'_>) -> Type<'_> {
        match self {
            Shape::Scalar(ty) => llvm_type(types, ty),
            Shape::Vector { ty, lanes } => types.array(llvm_type(types, ty), u64::from(lanes)),
            Shape::Bytes { .. } | Shape::Unsized { .. } => types.pointer(address_space::GENERIC),
        }
    }

    pub(crate) fn result_type(self, types: Types<'_>) -> Type<'_> {
        match self {
            Shape::Scalar(_) | Shape::Vector { .. } => self.parameter_type(types),
            Shape::Unsized { align } => units(types, 0, align),
            Shape::Bytes { bytes, align } => {
                let unit = widest_unit(bytes, align);
                types.array(types.int(unit * 8), bytes / u64::from(unit))
            }
        }
    }

    pub(crate) fn align(self) -> u32 {
        match self {
            Shape::Scalar(ty) | Shape::Vector { ty, .. } => ty.bytes(),
            Shape::Bytes { align, .. } | Shape::Unsized { align } => align,
        }
    }
}

/// The size of the widest integer that bytes with that alignment can be an array of: alignments and sizes that LLVM has are
/// powers of two and multiples of one.
fn widest_unit(bytes: u64, align: u32) -> u32 {
    1 << bytes.trailing_zeros().min(align.clamp(1, 16).trailing_zeros())
}

/// The alignment of a result, when its type does not imply it.
pub(crate) fn unnatural_align(results: &[Shape]) -> Option<u32> {
    match results {
        [Shape::Bytes { bytes, align }] => Some(*align).filter(|align| *align != widest_unit(*bytes, *align)),
        _ => None,
    }
}

/// An array of integers as wide as the alignment, at least as long as the bytes: LLVM aligns variadic arguments by their
/// types.
pub(crate) fn units(types: Types<'_>, bytes: u64, align: u32) -> Type<'_> {
    types.array(types.int(align * 8), bytes.div_ceil(u64::from(align)))
}

/// The type of a function; one that accepts any number of bytes is variadic.
pub(crate) fn function_type<'c>(
    types: Types<'c>,
    result: Type<'c>,
    parameters: &[Type<'c>],
    shapes: &[Shape],
) -> Type<'c> {
    match shapes.last() {
        Some(Shape::Unsized { .. }) => types.variadic_function(result, parameters),
        Some(Shape::Scalar(_) | Shape::Vector { .. } | Shape::Bytes { .. }) | None => {
            types.function(result, parameters)
        }
    }
}

/// The LLVM result type for results of these shapes.
pub(crate) fn result_type<'c>(types: Types<'c>, results: &[Shape]) -> Type<'c> {
    match results {
        [] => types.void(),
        [one] => one.result_type(types),
        many => types.structure(&many.iter().map(|shape| shape.result_type(types)).collect::<Vec<_>>()),
    }
}

/// A declared function.
#[derive(Clone, Debug)]
pub(crate) struct Signature<'c> {
    pub(crate) function: build::Function<'c>,
    pub(crate) parameters: Vec<Shape>,
    pub(crate) results: Vec<Shape>,
    /// The alignment of the result, when its type does not imply it.
    pub(crate) result_align: Option<u32>,
    pub(crate) behaviour: Behaviour,
}

/// A parameter of the function being lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument<'c> {
    /// A scalar, in the register-like type of the signature.
    Scalar(Value<'c>),
    /// A pointer to the bytes of an aggregate.
    Memory(Value<'c>),
}

fn shape_of(module: &Module, body: Option<&Body>, param: Param) -> Result<Shape> {
    match param {
        Param::Register(_, register) => match body {
            Some(body) => match (body.reg_type(register), body.decl(register).shape.lanes()) {
                (ty, 1) => Ok(Shape::Scalar(ty)),
                (ty, lanes) => Ok(Shape::Vector { ty, lanes }),
            },
            None => unsupported("a parameter in a register has no declaration"),
        },
        Param::Variable(var) => {
            let variable = module.variable(var);
            if let Some(ty) = whole_scalar(variable) {
                return Ok(Shape::Scalar(ty));
            }
            if variable.scalar_type().is_none() && variable.dims.is_empty() {
                return Ok(Shape::Scalar(ScalarType::B64));
            }
            if variable.dims == [None] && variable.init.is_none() {
                return unsized_shape(module, variable);
            }
            match variable.bytes() {
                Some(bytes) if bytes > 0 && bytes <= u64::from(u32::MAX) => {
                    Ok(Shape::Bytes { bytes, align: variable.alignment().max(1) })
                }
                _ => unsupported(format!("the parameter `{}` has no size", module.name(variable.name))),
            }
        }
    }
}

/// The shape of a parameter without a size; LLVM has no types with an alignment greater than 16.
fn unsized_shape(module: &Module, variable: &Variable) -> Result<Shape> {
    match variable.alignment() {
        align @ (1 | 2 | 4 | 8 | 16) => Ok(Shape::Unsized { align }),
        align => unsupported(format!(
            "the parameter `{}` without a size is aligned to {align} bytes",
            module.name(variable.name)
        )),
    }
}

/// Parameters without a size are the last ones of functions.
fn check_unsized(kind: FunctionKind, parameters: &[Shape], results: &[Shape]) -> Result<()> {
    let is_unsized = |shape: &Shape| matches!(shape, Shape::Unsized { .. });
    let before_last = parameters.iter().rev().skip(1);
    let kernel = kind == FunctionKind::Kernel;
    if before_last.chain(results).any(is_unsized) || (kernel && parameters.iter().any(is_unsized)) {
        return unsupported("a parameter without a size is not the last one of a function");
    }
    Ok(())
}

/// The shapes of parameters and results of a prototype.
pub(crate) fn prototype_shapes(
    module: &Module,
    body: &Body,
    prototype: &Prototype,
) -> Result<(Vec<Shape>, Vec<Shape>)> {
    if prototype.abi_preserve.is_some() || prototype.abi_preserve_control.is_some() {
        return unsupported("its prototype has `.abi_preserve` or `.abi_preserve_control`");
    }
    let shapes = |params: &[Param]| {
        params.iter().map(|param| shape_of(module, Some(body), *param)).collect::<Result<Vec<_>>>()
    };
    let (parameters, results) = (shapes(&prototype.params)?, shapes(&prototype.results)?);
    check_unsized(FunctionKind::Device, &parameters, &results)?;
    Ok((parameters, results))
}

/// Declares a function; `analysis` is that of its body, wherever in the module the body is, and `pieces` are those of its
/// result where that is bytes.
pub(crate) fn declare<'c>(
    module: &Module,
    out: &ptx_llvm_core::Module<'c>,
    (types, address_bits): (Types<'c>, u32),
    function: &Function,
    analysis: Option<&Analysis>,
    behaviour: Behaviour,
    pieces: Option<&Pieces>,
) -> Result<Signature<'c>> {
    let holder = function.body.as_ref().or(function.reg_params.as_deref());
    let shapes = |params: &[Param]| {
        params.iter().map(|param| shape_of(module, holder, *param)).collect::<Result<Vec<_>>>()
    };
    let (mut parameters, results) = (shapes(&function.params)?, shapes(&function.results)?);
    check_unsized(function.kind, &parameters, &results)?;
    let kernel = function.kind == FunctionKind::Kernel;
    let mut parameter_types = Vec::new();
    for (param, shape) in function.params.iter().zip(&mut parameters) {
        if matches!(shape, Shape::Unsized { .. }) {
            continue;
        }
        let Param::Variable(var) = param else {
            parameter_types.push(shape.parameter_type(types));
            continue;
        };
        if let (true, Shape::Scalar(ty), true) =
            (kernel, *shape, analysis.is_some_and(|a| a.takes_address(module, *var)))
        {
            // Its address is taken: it must be in memory.
            *shape = Shape::Bytes {
                bytes: u64::from(ty.bytes()),
                align: module.variable(*var).alignment().max(1),
            };
        }
        let declared = module.variable(*var).pointer.filter(|pointer| pointer.reference.is_none());
        let declared = declared.and_then(|pointer| llvm_space(pointer.space));
        let inferred = analysis.and_then(|analysis| analysis.parameter_spaces.get(var).copied());
        let pointer = matches!(shape, Shape::Scalar(ty) if ty.bits() == address_bits);
        let space = inferred.or(declared.filter(|_| kernel)).filter(|_| pointer);
        parameter_types.push(space.map_or_else(|| shape.parameter_type(types), |space| types.pointer(space)));
    }
    let (result, result_align) = match (pieces, results.as_slice()) {
        (Some(pieces), [Shape::Bytes { align, .. }]) => {
            (pieces.ty(types), Some(*align).filter(|align| *align != pieces.align()))
        }
        (_, results) => (result_type(types, results), unnatural_align(results)),
    };
    let ty = function_type(types, result, &parameter_types, &parameters);
    let declared = out.function(module.name(function.name), ty)?;
    let signature = Signature { function: declared, parameters, results, result_align, behaviour };
    Ok(signature)
}

/// The statements of a body that declare the callees of indirect calls, by their labels.
pub(crate) fn prototypes(body: &Body) -> FxHashMap<LabelId, &Stmt> {
    let named = body.statements.iter().filter_map(|statement| match statement {
        Stmt::CallPrototype(label, _) | Stmt::CallTargets(label, _) => Some((*label, statement)),
        _ => None,
    });
    named.collect()
}

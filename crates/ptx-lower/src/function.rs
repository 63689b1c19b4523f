//! Signatures, attributes, and function prologues (manual 7, 11.4).

use ptx_ir::{
    Body, Function, FunctionDirective, FunctionKind, Linkage as PtxLinkage, Module, Operand, Param,
    Prototype, Reference, RegId, Stmt, Symbol, VarAttribute, VarId, Variable,
};
use ptx_isa::{ControlSem, ScalarType, Sem, StateSpace};
use ptx_llvm::address_space;
use ptx_llvm::build::{self, CastOp, Linkage, Type, Types, Volatility};
use ptx_llvm::marks;
use rustc_hash::FxHashSet;

use crate::analysis::Analysis;
use crate::behaviour::Behaviour;
use crate::emit::{Argument, Emitter, llvm_type};
use crate::errors::{Result, unsupported};
use crate::globals::storage_type;
use crate::pieces::Pieces;
use crate::slots::{is_param, whole_scalar};

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
    let before_last = parameters.split_last().map_or(&[][..], |(_, before)| before);
    let kernel = kind == FunctionKind::Kernel;
    if before_last.iter().chain(results).any(is_unsized) || (kernel && parameters.iter().any(is_unsized)) {
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
    out: &ptx_llvm::Module<'c>,
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
        let declared = declared.and_then(|pointer| crate::represent::llvm_space(pointer.space));
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

/// Names, attributes and linkage of a declared function.
pub(crate) fn describe<'c>(
    module: &Module,
    types: Types<'c>,
    function: &Function,
    signature: &Signature<'c>,
) -> Result<()> {
    let (target, behaviour) = (signature.function, signature.behaviour);
    for (index, ((param, value), shape)) in
        function.params.iter().zip(target.parameters()).zip(&signature.parameters).enumerate()
    {
        if function.kind == FunctionKind::Kernel {
            // The host passes bytes. LLVM IR from elsewhere may pass anything to a device function.
            target.add_parameter_noundef(types, index as u32);
        }
        if let Param::Variable(var) = param {
            let variable = module.variable(*var);
            value.set_name(module.name(variable.name));
            if let Some(pointer) = variable.pointer {
                describe_pointer(types, target, index as u32, value.ty(), pointer);
            }
        }
        if let Shape::Bytes { bytes, align } = shape {
            target.add_parameter_byval(types, index as u32, types.array(types.int(8), *bytes));
            target.add_parameter_align(types, index as u32, *align);
        }
    }
    if let Some(align) = signature.result_align {
        target.add_result_alignment(types, align);
    }
    let in_registers = |params: &[Param]| params.iter().any(|param| matches!(param, Param::Register(..)));
    if in_registers(&function.params) || in_registers(&function.results) {
        target.add_attribute(types, marks::ABI, "reg");
    }
    if function.kind == FunctionKind::Kernel {
        target.set_kernel();
    }
    let defined = function.body.is_some();
    target.set_linkage(match (function.linkage, function.kind) {
        (PtxLinkage::Weak, _) => Linkage::Weak,
        (PtxLinkage::Internal, FunctionKind::Kernel) => Linkage::Internal,
        (PtxLinkage::Internal, FunctionKind::Device) if defined => Linkage::Internal,
        (PtxLinkage::Internal | PtxLinkage::Visible | PtxLinkage::Extern | PtxLinkage::Common, _) => {
            Linkage::External
        }
    });
    target.add_flag(types, "nounwind");
    for (name, holds) in [
        ("convergent", behaviour.convergent),
        // The value of the attribute is the kind of memory; without a value it covers all.
        ("memory", !behaviour.touches_memory),
        ("nosync", !behaviour.synchronizes),
        ("willreturn", !behaviour.may_not_return),
        ("norecurse", !behaviour.recurses),
    ] {
        if holds {
            target.add_flag(types, name);
        }
    }
    if defined && is_debugging_code(module) {
        // A debugger shows the functions and variables of the source: DWARF sections refer to their labels and registers.
        target.add_flag(types, "noinline");
        target.add_flag(types, "optnone");
    }
    target_attributes(module, types, target);
    let directives = function.directives.iter().map(|(directive, _)| directive);
    for (key, pragmas) in [
        (marks::PRAGMA, crate::pragma::of_directives(module, directives)),
        (marks::PRAGMA_BODY, crate::pragma::leading(module, function.body.as_ref())),
    ] {
        if !pragmas.is_empty() {
            target.add_attribute(types, key, &pragmas.join(";"));
        }
    }
    for (directive, _) in &function.directives {
        add_directive(types, target, directive)?;
    }
    let has = |wanted: fn(&FunctionDirective) -> bool| function.directives.iter().any(|(d, _)| wanted(d));
    let sized = has(|directive| matches!(directive, FunctionDirective::ReqNCtaPerCluster(_)));
    if sized && !has(|directive| matches!(directive, FunctionDirective::ExplicitCluster)) {
        target.add_attribute(types, marks::IMPLICIT_CLUSTER, "");
    }
    Ok(())
}

/// `.ptr` of a kernel's parameter: `align` if LLVM accepts it, `"ptx.ptr"` for properties that the type does not express.
fn describe_pointer<'c>(
    types: Types<'c>,
    target: build::Function<'c>,
    index: u32,
    ty: Type<'c>,
    pointer: ptx_ir::ParamPointer,
) {
    let space = match pointer.reference {
        Some(Reference::Texture) => ".texref",
        Some(Reference::Sampler) => ".samplerref",
        Some(Reference::Surface) => ".surfref",
        None => pointer.space.map_or("", StateSpace::as_str),
    };
    let Some(own) = ty.pointer_space() else {
        let align = pointer.align.map(|align| format!(",{align}")).unwrap_or_default();
        return target.add_parameter_attribute(types, index, marks::PTR, &format!("{space}{align}"));
    };
    if let Some(align) = pointer.align {
        target.add_parameter_align(types, index, align);
    }
    if pointer.align.is_none() || crate::represent::llvm_space(pointer.space) != Some(own) {
        target.add_parameter_attribute(types, index, marks::PTR, space);
    }
}

/// Whether the module is debug code (`.target debug`, manual 11.1.2).
pub(crate) fn is_debugging_code(module: &Module) -> bool {
    module.target().is_some_and(|target| target.names.iter().any(|name| module.name(*name) == "debug"))
}

/// The target attributes for LLVM's own backend: the nearest ones that it supports. The exact ones are in `!ptx.version` and `!ptx.target`.
fn target_attributes<'c>(module: &Module, types: Types<'c>, target: build::Function<'c>) {
    if let Some(sm) = module.target().and_then(|target| target.sm) {
        target.add_attribute(types, "target-cpu", ptx_llvm::nearest_processor(&sm.to_string()));
    }
    if let Some(version) = module.version() {
        let known = ptx_llvm::nearest_version(u32::from(version.major) * 10 + u32::from(version.minor));
        target.add_attribute(types, "target-features", &format!("+ptx{known}"));
    }
}

fn dimensions(values: [Option<u32>; 3]) -> String {
    let last = values.iter().rposition(Option::is_some).map_or(1, |at| at + 1);
    let texts: Vec<String> = values.iter().take(last).map(|value| value.unwrap_or(1).to_string()).collect();
    texts.join(",")
}

/// Whether LLVM's attributes may have these extents. Its pass `nvvm-intr-range` multiplies them in 32 bits, and a product of zero
/// results in empty ranges; `ptxas` ignores zeros in cluster dimensions.
fn has_product(values: [Option<u32>; 3]) -> bool {
    let product = values.into_iter().flatten().try_fold(1, u32::checked_mul);
    product.is_some_and(|product| product != 0)
}

fn add_directive<'c>(
    types: Types<'c>,
    target: build::Function<'c>,
    directive: &FunctionDirective,
) -> Result<()> {
    let text = |key: &str, value: &str| target.add_attribute(types, key, value);
    let number = |key: &str, value: u32| target.add_attribute(types, key, &value.to_string());
    let extents = |key: &str, values: [Option<u32>; 3]| {
        let owner = if has_product(values) { "nvvm" } else { "ptx" };
        text(&format!("{owner}.{key}"), &dimensions(values));
    };
    match directive {
        FunctionDirective::MaxNtid(values) => extents("maxntid", *values),
        FunctionDirective::ReqNtid(values) => extents("reqntid", *values),
        // The second is the first's name before PTX 2.0 (`Verified::written_out`).
        FunctionDirective::MinNCtaPerSm(value) | FunctionDirective::MaxNCtaPerSm(value) => {
            number("nvvm.minctasm", *value);
        }
        FunctionDirective::MaxNReg(value) => number("nvvm.maxnreg", *value),
        FunctionDirective::NoReturn => target.add_flag(types, "noreturn"),
        // All of them together, in `describe`.
        FunctionDirective::Pragma(_) => {}
        FunctionDirective::ExplicitCluster => text(marks::EXPLICIT_CLUSTER, ""),
        FunctionDirective::ReqNCtaPerCluster(values) => extents("cluster_dim", *values),
        FunctionDirective::MaxClusterRank(value) => extents("maxclusterrank", [Some(*value), None, None]),
        FunctionDirective::BlocksAreClusters => text("nvvm.blocksareclusters", ""),
        FunctionDirective::Language(values) => {
            let values: Vec<String> = values.iter().map(u32::to_string).collect();
            text(marks::LANGUAGE, &values.join(","));
        }
        FunctionDirective::LocalMaxNReg(value) => number(marks::LOCAL_MAXNREG, *value),
        FunctionDirective::MinPerCtaMemory(value) => number(marks::MIN_PER_CTA_MEMORY, *value),
        FunctionDirective::AbiPreserve(value) => number(marks::ABI_PRESERVE, *value),
        FunctionDirective::AbiPreserveControl(value) => number(marks::ABI_PRESERVE_CONTROL, *value),
        FunctionDirective::Attribute(VarAttribute::Unified(a, b)) => {
            text(marks::UNIFIED, &format!("{a},{b}"));
        }
        FunctionDirective::Attribute(VarAttribute::Managed) => {
            return unsupported("a function cannot be managed");
        }
    }
    Ok(())
}

impl<'c> Emitter<'_, '_, 'c> {
    /// Assigns values to parameters and memory to the variables of the body.
    pub(crate) fn enter(&mut self) -> Result<()> {
        let values = self.signature.function.parameters();
        for ((param, shape), value) in self.function.params.iter().zip(&self.signature.parameters).zip(values)
        {
            match param {
                Param::Register(_, register) => self.enter_register(*register, shape, value)?,
                Param::Variable(var) => {
                    let argument = match shape {
                        Shape::Bytes { .. } | Shape::Unsized { .. } => Argument::Memory(value),
                        Shape::Scalar(ty) if self.analysis.takes_address(self.shared.module, *var) => {
                            let place = self.b.alloca(value.ty(), ty.bytes())?;
                            self.b.store(value, place, ty.bytes(), Volatility::Ordinary)?;
                            Argument::Memory(place)
                        }
                        Shape::Scalar(_) | Shape::Vector { .. } => Argument::Scalar(value),
                    };
                    self.arguments.insert(*var, argument);
                }
            }
        }
        if let (Some(Param::Variable(var)), Some(Shape::Unsized { .. })) =
            (self.function.params.last(), self.signature.parameters.last())
        {
            let list = self.b.alloca(self.types.pointer(address_space::GENERIC), 8)?;
            self.intrinsic("llvm.va_start.p0", self.types.void(), &[list])?;
            let first =
                self.b.load(self.types.pointer(address_space::GENERIC), list, 8, Volatility::Ordinary)?;
            self.arguments.insert(*var, Argument::Memory(first));
        }
        self.leave_open()?;
        let passed = self.passed_unsized();
        let own: Vec<VarId> = self
            .function
            .results
            .iter()
            .filter_map(|param| match param {
                Param::Variable(var) => Some(*var),
                Param::Register(..) => None,
            })
            .chain(self.body.statements.iter().filter_map(|statement| match statement {
                Stmt::Variable(var) => Some(*var),
                _ => None,
            }))
            .collect();
        for var in own {
            self.place_variable(var, passed.contains(&var))?;
        }
        Ok(())
    }

    /// The variables that calls pass to parameters without a size.
    fn passed_unsized(&self) -> FxHashSet<VarId> {
        let mut passed = FxHashSet::default();
        for (_, inst) in
            self.body.instructions().filter(|(_, inst)| inst.mnemonic.sem() == Sem::Control(ControlSem::Call))
        {
            let operands = self.body.operands(inst);
            let is_unsized = match operands.get(1) {
                Some(Operand::Symbol(Symbol::Function(id), _)) => {
                    let signature = self.shared.signatures.get(id);
                    signature.is_some_and(|signature| signature.function.ty().is_variadic())
                }
                _ => operands.get(3).is_some_and(|prototype| {
                    let shapes = self.prototype(*prototype);
                    shapes.is_ok_and(|(shapes, _)| matches!(shapes.last(), Some(Shape::Unsized { .. })))
                }),
            };
            if let (true, Some(Operand::List(list))) = (is_unsized, operands.get(2))
                && let Some(Operand::Symbol(Symbol::Variable(var), _)) = self.body.list(*list).last()
            {
                passed.insert(*var);
            }
        }
        passed
    }

    /// The initial value of a register parameter, element by element if it is a vector.
    fn enter_register(&mut self, register: RegId, shape: &Shape, value: build::Value<'c>) -> Result<()> {
        let Shape::Vector { lanes, .. } = *shape else {
            return self.initial_value(self.analysis.slots.lane(register, 0), value);
        };
        for lane in 0..lanes {
            let element = self.b.extract_field(value, lane)?;
            self.initial_value(self.analysis.slots.lane(register, lane as usize), element)?;
        }
        Ok(())
    }

    /// The initial value of a register, in the type that its first read requires.
    fn initial_value(&mut self, slot: crate::ssa::Slot, value: build::Value<'c>) -> Result<()> {
        let undefined = self
            .analysis
            .ssa
            .values
            .iter()
            .position(|info| info.slot == slot && info.def == crate::ssa::Def::Undefined);
        let value = match undefined {
            Some(at) => self.bits_as(value, self.repr_type(crate::ssa::ValueId(at as u32)))?,
            None => value,
        };
        self.initial.insert(slot, value);
        Ok(())
    }

    /// Initializes registers that are read before they are written with some number, the same at each read.
    fn leave_open(&mut self) -> Result<()> {
        for id in self.analysis.ssa.unwritten() {
            let Some(slot) = self.analysis.ssa.values.get(id.index()).map(|info| info.slot) else { continue };
            if slot != self.analysis.slots.carry() && !self.initial.contains_key(&slot) {
                let open = self.b.freeze(self.repr_type(id).poison())?;
                self.initial.insert(slot, open);
            }
        }
        Ok(())
    }

    fn place_variable(&mut self, var: VarId, is_passed_unsized: bool) -> Result<()> {
        let variable: &Variable = self.shared.module.variable(var);
        if is_param(variable.space) {
            if self.analysis.slots.param(var).is_none() {
                let place = if is_passed_unsized {
                    // As long as what a call copies.
                    let align = variable.alignment().clamp(1, 16);
                    let ty = units(self.types, variable.bytes().unwrap_or(0), align);
                    self.b.alloca(ty, align)?
                } else {
                    self.allocate(variable)?
                };
                self.arguments.insert(var, Argument::Memory(place));
            }
            return Ok(());
        }
        if variable.space == StateSpace::Local {
            let place = self.allocate(variable)?;
            let local = self.types.pointer(address_space::LOCAL);
            let place = self.b.cast(CastOp::AddrSpaceCast, place, local)?;
            self.locals.insert(var, place);
        }
        // Variables in other spaces are module variables.
        Ok(())
    }

    fn allocate(&mut self, variable: &Variable) -> Result<build::Value<'c>> {
        if variable.init.is_some() {
            return unsupported(format!("`{}` has an initial value", self.shared.module.name(variable.name)));
        }
        if variable.count.is_some() {
            return unsupported(format!(
                "`{}` is a range of variables",
                self.shared.module.name(variable.name)
            ));
        }
        let ty = storage_type(self.shared.module, (self.types, self.address_bits()), variable)?;
        let place = self.b.alloca(ty, variable.alignment().max(1))?;
        place.set_name(self.shared.module.name(variable.name));
        Ok(place)
    }
}

//! Names, attributes and linkage of functions (manual 11.4).

use ptx_ir::{
    Function, FunctionDirective, FunctionKind, Linkage as PtxLinkage, Module, Param, Reference, VarAttribute,
};
use ptx_llvm_core::build::{self, Linkage, Type, Types};
use ptx_llvm_core::marks;

use crate::behaviour::Behaviour;
use crate::errors::{Result, unsupported};
use crate::launch::extents;
use crate::pragma::{leading, of_directives};
use crate::represent::llvm_space;
use crate::signature::{Shape, Signature};

/// Names, attributes and linkage of a declared function.
pub(crate) fn describe<'c>(
    module: &Module,
    types: Types<'c>,
    function: &Function,
    signature: &Signature<'c>,
) -> Result<()> {
    let target = signature.function;
    describe_parameters(module, types, function, signature);
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
    target.set_linkage(linkage_of(function));
    describe_behaviour(types, target, signature.behaviour);
    if function.body.is_some() && is_debugging_code(module) {
        // A debugger shows the functions and variables of the source: DWARF sections refer to their labels and registers.
        target.add_flag(types, "noinline");
        target.add_flag(types, "optnone");
    }
    target_attributes(module, types, target);
    add_directives(module, types, function, target)
}

fn describe_parameters<'c>(
    module: &Module,
    types: Types<'c>,
    function: &Function,
    signature: &Signature<'c>,
) {
    let target = signature.function;
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
}

fn linkage_of(function: &Function) -> Linkage {
    match (function.linkage, function.kind) {
        (PtxLinkage::Weak, _) => Linkage::Weak,
        (PtxLinkage::Internal, FunctionKind::Kernel) => Linkage::Internal,
        (PtxLinkage::Internal, FunctionKind::Device) if function.body.is_some() => Linkage::Internal,
        (PtxLinkage::Internal | PtxLinkage::Visible | PtxLinkage::Extern | PtxLinkage::Common, _) => {
            Linkage::External
        }
    }
}

fn describe_behaviour<'c>(types: Types<'c>, target: build::Function<'c>, behaviour: Behaviour) {
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
}

/// The attributes of performance directives and pragmas.
fn add_directives<'c>(
    module: &Module,
    types: Types<'c>,
    function: &Function,
    target: build::Function<'c>,
) -> Result<()> {
    let directives = function.directives.iter().map(|(directive, _)| directive);
    for (key, pragmas) in [
        (marks::PRAGMA, of_directives(module, directives)),
        (marks::PRAGMA_BODY, leading(module, function.body.as_ref())),
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
    let space = match (pointer.reference, pointer.space) {
        (Some(Reference::Texture), _) => ".texref",
        (Some(Reference::Sampler), _) => ".samplerref",
        (Some(Reference::Surface), _) => ".surfref",
        (None, Some(space)) => space.as_str(),
        // `.ptr` without a space is of the generic one.
        (None, None) => "",
    };
    let Some(own) = ty.pointer_space() else {
        let text = match pointer.align {
            Some(align) => format!("{space},{align}"),
            None => space.to_owned(),
        };
        return target.add_parameter_attribute(types, index, marks::PTR, &text);
    };
    if let Some(align) = pointer.align {
        target.add_parameter_align(types, index, align);
    }
    if pointer.align.is_none() || llvm_space(pointer.space) != Some(own) {
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
        target.add_attribute(types, "target-cpu", ptx_llvm_core::nearest_processor(&sm.to_string()));
    }
    if let Some(version) = module.version() {
        let known = ptx_llvm_core::nearest_version(u32::from(version.major) * 10 + u32::from(version.minor));
        target.add_attribute(types, "target-features", &format!("+ptx{known}"));
    }
}

/// The extents as written: without those after the last written one.
fn dimensions(values: [Option<u32>; 3]) -> String {
    debug_assert!(values[0].is_some(), "a directive has at least one extent");
    let unwritten = values.iter().skip(1).rev().take_while(|value| value.is_none()).count();
    let texts = extents(values).map(|extent| extent.to_string());
    texts[..texts.len() - unwritten].join(",")
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

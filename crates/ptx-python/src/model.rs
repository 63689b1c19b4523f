//! Modules of PTX as objects: functions, parameters, registers, variables and instructions.

use std::sync::Arc;

use ptx_diag::{Diagnostics, Position, SourceFile};
use ptx_driver::{Comments, read_ptx};
use ptx_ir::{
    Body, Function as Tree, FunctionId, FunctionKind, Item, Linkage, Param, RegDecl, Stmt, VarType,
    Variable as VariableTree, VectorShape,
};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use crate::errors::{diagnostics, rejected};
use crate::translate::{Options, bytes_of, optimized, ptx_to_llvm};

/// A module with the text that it was read from.
struct Read {
    source: SourceFile,
    tree: ptx_ir::Module,
    warnings: Diagnostics,
}

/// A module of PTX, with its names resolved. ``str(module)`` prints it.
#[pyclass(frozen, module = "ptx_llvm", name = "Module")]
pub(crate) struct Module {
    read: Arc<Read>,
}

impl Module {
    /// Reads PTX.
    pub(crate) fn parse(py: Python<'_>, text: Vec<u8>, name: &str) -> PyResult<Self> {
        let source = SourceFile::new(name, text);
        let read = py.detach(|| match read_ptx(&source, Comments::Kept) {
            Ok((tree, warnings)) => Ok(Read { source, tree, warnings }),
            Err(found) => Err(vec![(source, found)]),
        });
        match read {
            Ok(read) => Ok(Self { read: Arc::new(read) }),
            Err(found) => Err(rejected(py, &found)),
        }
    }

    /// The text of the module, as it was given.
    pub(crate) fn source(&self) -> &SourceFile {
        &self.read.source
    }

    fn functions_of(&self, kind: FunctionKind) -> Vec<Function> {
        let ids = self.read.tree.function_ids();
        let ids = ids.filter(|id| self.read.tree.function(*id).kind == kind);
        ids.map(|id| Function { read: self.read.clone(), id }).collect()
    }

    fn find(&self, name: &str) -> Option<Function> {
        let tree = &self.read.tree;
        let id = tree.function_ids().find(|id| tree.name(tree.function(*id).name) == name)?;
        Some(Function { read: self.read.clone(), id: tree.definition(id) })
    }
}

#[pymethods]
impl Module {
    /// Checks the module against the rules of PTX: types, versions, targets, state spaces. Returns the warnings; errors raise ``PtxError``.
    fn verify<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Read { source, tree, warnings } = &*self.read;
        let (is_valid, more) = py.detach(|| match ptx_verify::verify(tree) {
            Ok((_, warnings)) => (true, warnings),
            Err(found) => (false, found),
        });
        let mut found = warnings.clone();
        found.append(more);
        let findings = vec![(source.clone(), found)];
        if is_valid { diagnostics(py, &findings) } else { Err(rejected(py, &findings)) }
    }

    /// The name of the text, as in diagnostics.
    #[getter]
    fn name(&self) -> &str {
        self.read.source.name()
    }

    /// The PTX version (``.version``), such as ``"8.0"``; ``None`` without one.
    #[getter]
    fn version(&self) -> Option<String> {
        self.read.tree.version().map(|version| version.to_string())
    }

    /// The architecture (``.target``), such as ``"sm_80"``; ``None`` without one.
    #[getter]
    fn target(&self) -> Option<String> {
        self.read.tree.target().and_then(|target| target.sm).map(|sm| sm.to_string())
    }

    /// The options after the architecture, such as ``["debug"]``.
    #[getter]
    fn target_options(&self) -> Vec<String> {
        let Some(target) = self.read.tree.target() else { return Vec::new() };
        let sm = target.sm.map(|sm| sm.to_string());
        let names = target.names.iter().map(|name| self.read.tree.name(*name).to_owned());
        names.filter(|name| Some(name) != sm.as_ref()).collect()
    }

    /// The size of addresses in bits: 64 or 32.
    #[getter]
    fn address_size(&self) -> u32 {
        self.read.tree.address_size()
    }

    /// The kernels (``.entry``), in the order of the text.
    #[getter]
    fn kernels(&self) -> Vec<Function> {
        self.functions_of(FunctionKind::Kernel)
    }

    /// The device functions (``.func``), in the order of the text: definitions, and declarations, which have no instructions.
    #[getter]
    fn functions(&self) -> Vec<Function> {
        self.functions_of(FunctionKind::Device)
    }

    /// The variables outside of functions, in the order of the text.
    #[getter]
    fn variables(&self) -> Vec<Variable> {
        let ids = self.read.tree.items.iter().filter_map(|item| match item {
            Item::Variable(id) => Some(*id),
            _ => None,
        });
        ids.map(|id| Variable::new(&self.read.tree, self.read.tree.variable(id))).collect()
    }

    /// The module as LLVM IR, optimized as :func:`ptx_llvm.ptx_to_llvm` does.
    #[pyo3(signature = (*, level = None, passes = None))]
    fn to_llvm(
        &self,
        py: Python<'_>,
        level: Option<Bound<'_, PyAny>>,
        passes: Option<String>,
    ) -> PyResult<String> {
        let options = options(py, level, 0, passes)?;
        ptx_to_llvm(py, self.source(), &options)
    }

    /// The module after optimization through LLVM IR, as :func:`ptx_llvm.optimize` does.
    #[pyo3(signature = (level = None, *, passes = None))]
    fn optimize(
        &self,
        py: Python<'_>,
        level: Option<Bound<'_, PyAny>>,
        passes: Option<String>,
    ) -> PyResult<Self> {
        let options = options(py, level, 2, passes)?;
        let text = optimized(py, self.source(), &options)?;
        Self::parse(py, text.into_bytes(), self.name())
    }

    /// The kernel or device function of a name.
    fn __getitem__(&self, name: &str) -> PyResult<Function> {
        self.find(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __contains__(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn __str__(&self) -> String {
        ptx_ir::print(&self.read.tree)
    }

    fn __repr__(&self) -> String {
        let names = self.kernels().iter().map(|kernel| kernel.name().to_owned()).collect::<Vec<_>>();
        format!("<ptx_llvm.Module {:?}, kernels: {}>", self.name(), names.join(", "))
    }
}

fn options(
    py: Python<'_>,
    level: Option<Bound<'_, PyAny>>,
    usual: u8,
    passes: Option<String>,
) -> PyResult<Options> {
    let level = match level {
        Some(level) => level,
        None => usual.into_pyobject(py)?.into_any(),
    };
    Options::new(&level, passes, None, None)
}

/// A module, or a text as `str` or `bytes` with its name.
pub(crate) fn source_of(input: &Bound<'_, PyAny>, name: Option<&str>, usual: &str) -> PyResult<SourceFile> {
    match input.cast::<Module>() {
        Ok(module) => Ok(module.get().source().clone()),
        Err(_) => Ok(SourceFile::new(name.unwrap_or(usual), bytes_of(input)?)),
    }
}

const fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Internal => "internal",
        Linkage::Extern => "extern",
        Linkage::Visible => "visible",
        Linkage::Weak => "weak",
        Linkage::Common => "common",
    }
}

/// A type with its number of elements: `f32`, `v4.f32`.
fn type_name(shape: VectorShape, name: &str) -> String {
    match shape {
        VectorShape::Scalar => name.to_owned(),
        VectorShape::V2 | VectorShape::V4 | VectorShape::V8 => format!("v{}.{name}", shape.lanes()),
    }
}

fn variable_type(variable: &VariableTree) -> String {
    let name = match variable.ty {
        VarType::Scalar(ty) => ty.as_str(),
        VarType::TexRef => "texref",
        VarType::SamplerRef => "samplerref",
        VarType::SurfRef => "surfref",
    };
    type_name(variable.shape, name)
}

/// A kernel or device function of a module.
#[pyclass(frozen, module = "ptx_llvm", name = "Function")]
pub(crate) struct Function {
    read: Arc<Read>,
    id: FunctionId,
}

impl Function {
    fn tree(&self) -> &Tree {
        self.read.tree.function(self.id)
    }

    fn parameters(&self, params: &[Param]) -> Vec<Parameter> {
        params.iter().filter_map(|param| self.parameter(*param)).collect()
    }

    fn parameter(&self, param: Param) -> Option<Parameter> {
        let tree = &self.read.tree;
        match param {
            Param::Variable(id) => {
                let variable = tree.variable(id);
                Some(Parameter {
                    name: tree.name(variable.name).to_owned(),
                    r#type: variable_type(variable),
                    size: variable.bytes(),
                    alignment: variable.alignment(),
                    dims: variable.dims.clone(),
                    space: "param".to_owned(),
                    pointer: variable.pointer.map(|pointer| match pointer.space {
                        Some(space) => space.as_str().to_owned(),
                        None => "generic".to_owned(),
                    }),
                })
            }
            Param::Register(decl, _) => {
                let function = self.tree();
                let body = function.body.as_ref().or(function.reg_params.as_deref())?;
                let decl = body.reg_decls.get(decl.0 as usize)?;
                let bytes = decl.ty.bytes() * decl.shape.lanes();
                Some(Parameter {
                    name: tree.name(decl.name).to_owned(),
                    r#type: type_name(decl.shape, decl.ty.as_str()),
                    size: Some(bytes.into()),
                    alignment: bytes,
                    dims: Vec::new(),
                    space: "reg".to_owned(),
                    pointer: None,
                })
            }
        }
    }

    /// The labels before each instruction, and the instructions.
    fn labelled<'a>(&'a self, body: &'a Body) -> Vec<(Vec<String>, &'a ptx_ir::Inst)> {
        let (mut labels, mut found) = (Vec::new(), Vec::new());
        for statement in &body.statements {
            match statement {
                Stmt::Label(label) => labels.push(self.read.tree.name(body.label(*label).name).to_owned()),
                Stmt::Inst(inst) => found.push((std::mem::take(&mut labels), inst)),
                Stmt::BranchTargets(..)
                | Stmt::CallTargets(..)
                | Stmt::CallPrototype(..)
                | Stmt::Registers(..)
                | Stmt::Variable(_)
                | Stmt::ScopeStart
                | Stmt::ScopeEnd
                | Stmt::Location(_)
                | Stmt::Pragma(_)
                | Stmt::Comment(_)
                | Stmt::TrailingComment(_)
                | Stmt::Mark(_) => {}
            }
        }
        found
    }

    fn register(&self, decl: &RegDecl) -> Register {
        Register {
            name: ptx_ir::print_register_name(&self.read.tree, decl),
            r#type: type_name(decl.shape, decl.ty.as_str()),
            // Default: what is not a range is one register.
            count: decl.count.unwrap_or(1),
        }
    }
}

#[pymethods]
impl Function {
    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.read.tree.name(self.tree().name)
    }

    /// Whether it is a kernel (``.entry``), not a device function (``.func``).
    #[getter]
    fn is_kernel(&self) -> bool {
        self.tree().kind == FunctionKind::Kernel
    }

    /// Whether it has no body.
    #[getter]
    fn is_declaration(&self) -> bool {
        self.tree().body.is_none()
    }

    /// The linkage: ``internal``, ``extern``, ``visible``, ``weak`` or ``common``.
    #[getter]
    fn linkage(&self) -> &'static str {
        linkage(self.tree().linkage)
    }

    /// The line of its name, from 1.
    #[getter]
    fn line(&self) -> u32 {
        self.read.source.position(self.tree().at.0.lo).line
    }

    /// The parameters, in order.
    #[getter]
    fn params(&self) -> Vec<Parameter> {
        self.parameters(&self.tree().params)
    }

    /// The results, in order; kernels have none.
    #[getter]
    fn results(&self) -> Vec<Parameter> {
        self.parameters(&self.tree().results)
    }

    /// The declarations of registers, in order.
    #[getter]
    fn registers(&self) -> Vec<Register> {
        let decls = self.tree().body.iter().flat_map(|body| &body.reg_decls);
        decls.map(|decl| self.register(decl)).collect()
    }

    /// The instructions, in the order of the text.
    #[getter]
    fn instructions(&self) -> Vec<Instruction> {
        let Some(body) = &self.tree().body else { return Vec::new() };
        let all = self.labelled(body);
        let offsets: Vec<u32> = all.iter().map(|(_, inst)| inst.at.0.lo).collect();
        let places = self.read.source.positions(&offsets);
        let tree = &self.read.tree;
        let instruction = |((labels, inst), place): ((Vec<String>, &ptx_ir::Inst), Position)| {
            let text = ptx_ir::print_instruction(tree, body, inst);
            let predicate = inst.guard.and_then(|_| {
                let (guard, _) = text.split_once(' ')?;
                Some(guard.trim_start_matches('@').to_owned())
            });
            Instruction {
                opcode: inst.mnemonic.opcode().as_str(),
                mnemonic: inst.mnemonic.to_string(),
                modifiers: inst.mnemonic.modifiers().map(|modifier| modifier.as_str()).collect(),
                operands: ptx_ir::print_operands(tree, body, inst),
                predicate,
                labels,
                line: place.line,
                column: place.column,
                text,
            }
        };
        all.into_iter().zip(places).map(instruction).collect()
    }

    fn __repr__(&self) -> String {
        let kind = if self.is_kernel() { "kernel" } else { "function" };
        let params = self.params();
        let params: Vec<String> =
            params.iter().map(|param| format!(".{} {}", param.r#type, param.name)).collect();
        format!("<ptx_llvm.Function {kind} {}({})>", self.name(), params.join(", "))
    }
}

/// A parameter or result of a function.
#[pyclass(frozen, get_all, module = "ptx_llvm", name = "Parameter")]
pub(crate) struct Parameter {
    /// The name.
    name: String,
    /// The type of the parameter, or of its elements: ``u64``, ``f32``, ``v4.f32``.
    r#type: String,
    /// The size in bytes; ``None`` if it does not fit 64 bits.
    size: Option<u64>,
    /// The alignment in bytes.
    alignment: u32,
    /// The dimensions of an array, outermost first; ``None`` for an empty one.
    dims: Vec<Option<u64>>,
    /// ``param``, or ``reg`` for a parameter in a register.
    space: String,
    /// For ``.ptr``, the state space that it points into: ``global``, ``generic`` and so on.
    pointer: Option<String>,
}

#[pymethods]
impl Parameter {
    fn __repr__(&self) -> String {
        let dims: String = self
            .dims
            .iter()
            .map(|dim| match dim {
                Some(length) => format!("[{length}]"),
                None => "[]".to_owned(),
            })
            .collect();
        format!("<ptx_llvm.Parameter .{} {}{dims}>", self.r#type, self.name)
    }
}

/// A declaration of registers.
#[pyclass(frozen, get_all, module = "ptx_llvm", name = "Register")]
pub(crate) struct Register {
    /// The name as declared: ``%p``, or ``%r<8>`` for the range ``%r0`` to ``%r7``.
    name: String,
    /// The type: ``b32``, ``pred``, ``v2.f32``.
    r#type: String,
    /// The number of registers.
    count: u32,
}

#[pymethods]
impl Register {
    fn __repr__(&self) -> String {
        format!("<ptx_llvm.Register .{} {}>", self.r#type, self.name)
    }
}

/// A variable outside of functions.
#[pyclass(frozen, get_all, module = "ptx_llvm", name = "Variable")]
pub(crate) struct Variable {
    /// The name.
    name: String,
    /// The state space: ``global``, ``const``, ``shared``.
    space: String,
    /// The type of the variable, or of its elements.
    r#type: String,
    /// The size in bytes; ``None`` if it does not fit 64 bits.
    size: Option<u64>,
    /// The alignment in bytes.
    alignment: u32,
    /// The dimensions of an array, outermost first; ``None`` for an empty one.
    dims: Vec<Option<u64>>,
    /// The linkage: ``internal``, ``extern``, ``visible``, ``weak`` or ``common``.
    linkage: String,
}

impl Variable {
    fn new(tree: &ptx_ir::Module, variable: &VariableTree) -> Self {
        Self {
            name: tree.name(variable.name).to_owned(),
            space: variable.space.as_str().to_owned(),
            r#type: variable_type(variable),
            size: variable.bytes(),
            alignment: variable.alignment(),
            dims: variable.dims.clone(),
            linkage: linkage(variable.linkage).to_owned(),
        }
    }
}

#[pymethods]
impl Variable {
    fn __repr__(&self) -> String {
        format!("<ptx_llvm.Variable .{} .{} {}>", self.space, self.r#type, self.name)
    }
}

/// An instruction. ``str()`` prints it.
#[pyclass(frozen, get_all, module = "ptx_llvm", name = "Instruction")]
pub(crate) struct Instruction {
    /// The opcode: ``ld``.
    opcode: &'static str,
    /// The opcode with its modifiers: ``ld.global.f32``.
    mnemonic: String,
    /// The modifiers in order: ``["global", "f32"]``.
    modifiers: Vec<&'static str>,
    /// The operands as text, results first: ``["%f1", "[%rd1+4]"]``.
    operands: Vec<String>,
    /// The predicate that guards it: ``%p1``, or ``!%p1``; ``None`` without one.
    predicate: Option<String>,
    /// The labels before it.
    labels: Vec<String>,
    /// The line, from 1.
    line: u32,
    /// The column in bytes, from 1.
    column: u32,
    /// The instruction as text, without the semicolon.
    text: String,
}

#[pymethods]
impl Instruction {
    /// The last label before it, or ``None``.
    #[getter]
    fn label(&self) -> Option<&str> {
        self.labels.last().map(String::as_str)
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<ptx_llvm.Instruction {}>", self.text)
    }
}

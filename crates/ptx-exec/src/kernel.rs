//! A decoded kernel and its launches.

use std::sync::{Arc, Mutex};

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{At, FunctionDirective, FunctionId, Module};
use ptx_isa::ScalarType;
use ptx_program::decode::{Reached, decode, kernel_parameters};
use ptx_program::layout::Layout;
use ptx_program::memory::{AddressSize, LOW_FUNCTIONS, LOW_LOCAL_BYTES, RANK_SHIFT, Space};
use ptx_program::texture::Handle;
use ptx_program::{Object, Program};
use ptx_verify::WrittenOut;

use crate::cluster_shape::Clusters;
use crate::engine::Checked;
use crate::error::{ExecError, codes, one};
use crate::extents::{check_directives, check_shape};
use crate::launch::{Limits, Shape};
use crate::machine::{Executable, Geometry, Heap, MOST_RESIDENT_BLOCKS, Observer, Setup};
use crate::memory::GlobalMemory;
use crate::spec::LaunchSpec;
use crate::texture::Units;

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name in the module.
    pub name: String,
    /// Its offset in the parameter space.
    pub offset: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// Alignment in the parameter space.
    pub align: u32,
    /// Its type; for an array the element type, for a texture, sampler or surface `.b64`.
    pub ty: ScalarType,
    /// Whether it is an array; structures are passed as arrays.
    pub is_array: bool,
}

/// A kernel, decoded and laid out, for any number of launches.
pub struct Kernel {
    executable: Arc<Executable>,
    /// The address size.
    size: AddressSize,
    parameters: Vec<Parameter>,
    parameter_bytes: u32,
    directives: Vec<(FunctionDirective, At)>,
    layout: Layout,
    /// The functions that it reaches, itself first.
    functions: Vec<FunctionId>,
    /// The variables, and whether each is dynamic shared memory.
    objects: Arc<[(Object, bool)]>,
    needs_heap: bool,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name()).finish_non_exhaustive()
    }
}

/// The memory of a launch: that of the module, and of its buffers.
pub(crate) struct Ground {
    pub(crate) global: GlobalMemory,
    /// Contents of constant memory.
    pub(crate) constant: Vec<u8>,
    pub(crate) heap: Arc<Mutex<Heap>>,
    /// Bindings of the module's opaque variables, which override the bindings by name of the textures.
    pub(crate) bound: Vec<(String, Handle)>,
}

impl Kernel {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.program().kernel().name
    }

    /// Its parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Bytes of its parameter space.
    pub fn parameter_bytes(&self) -> usize {
        self.parameter_bytes as usize
    }

    /// Bytes of static shared memory of a block, with the padding up to dynamic shared memory.
    pub fn static_shared_bytes(&self) -> u64 {
        self.layout.shared_bytes(0)
    }

    /// The functions that it reaches, itself first.
    pub(crate) fn functions(&self) -> &[FunctionId] {
        &self.functions
    }

    pub(crate) fn directives(&self) -> &[(FunctionDirective, At)] {
        &self.directives
    }

    /// Its program, for other engines.
    #[doc(hidden)]
    pub fn program(&self) -> &Arc<Program> {
        &self.executable.program
    }

    /// Whether it calls `malloc` or `free`.
    #[doc(hidden)]
    pub fn needs_heap(&self) -> bool {
        self.needs_heap
    }

    /// Decodes the first function of `reached`.
    ///
    /// # Errors
    /// Every reachable construct that cannot be executed.
    pub(crate) fn prepare(
        module: &WrittenOut<'_>,
        reached: &Reached,
        layout: Layout,
    ) -> Result<Self, Diagnostics> {
        let Some(&kernel) = reached.functions.first() else { return Err(Diagnostics::new()) };
        let size = AddressSize::of(module);
        if size == AddressSize::Bits32 && module.functions.len() as u64 > LOW_FUNCTIONS {
            let text = format!("more than {LOW_FUNCTIONS} functions have no addresses of 32 bits");
            return Err(one(codes::SIZE, text));
        }
        let (parameters, parameter_bytes) = parameters(module, kernel)?;
        let program = decode(module, reached, &layout)?;
        let space = Object {
            name: "the kernel's parameters".to_owned(),
            space: Space::Param,
            address: 0,
            bytes: parameter_bytes.into(),
        };
        let mut objects = layout.objects(module);
        objects.push((space, false));
        Ok(Self {
            executable: Arc::new(Executable::new(program)),
            size,
            parameters,
            parameter_bytes,
            directives: module.function(kernel).directives.clone(),
            layout,
            functions: reached.functions.clone(),
            objects: objects.into(),
            needs_heap: reached.needs_heap,
        })
    }

    /// Checks a launch against the kernel and the limits; returns its geometry.
    ///
    /// # Errors
    /// What does not fit the kernel or the limits.
    pub fn check(&self, shape: &Shape, limits: &Limits) -> Result<Geometry, Diagnostics> {
        let clusters = Clusters::new(&self.directives, shape)?;
        check_shape(clusters.grid, shape.block)?;
        check_directives(&self.directives, shape)?;
        let (needs, limit) =
            (self.layout.shared_bytes(shape.dynamic_shared), limits.shared.min(1 << RANK_SHIFT));
        if needs > limit {
            let text = format!("a block needs {needs} bytes of shared memory of {limit} there are");
            return Err(one(codes::SIZE, text));
        }
        if self.size == AddressSize::Bits32 && limits.stack as u64 > LOW_LOCAL_BYTES {
            let text = format!("a stack of {} bytes has no addresses of 32 bits", limits.stack);
            let help = format!("at most {LOW_LOCAL_BYTES} bytes");
            let mut findings = Diagnostics::new();
            findings.push(Diagnostic::error_without_place(codes::SIZE, text).with_help(help));
            return Err(findings);
        }
        let geometry = Geometry {
            grid: clusters.grid,
            block: shape.block,
            cluster: clusters.shape,
            is_explicit_cluster: clusters.is_explicit,
            shared: needs as u32,
            dynamic_shared: shape.dynamic_shared,
        };
        let most = self.executable.resident_blocks(&geometry);
        if shape.cooperative && geometry.blocks() > most as u64 {
            let text = format!(
                "a cooperative launch of {} blocks: at most {most} of this kernel can be there at once",
                geometry.blocks()
            );
            let help = format!("at most {MOST_RESIDENT_BLOCKS}, as far as their registers and memory fit");
            let mut findings = Diagnostics::new();
            findings.push(Diagnostic::error_without_place(codes::COOPERATIVE, text).with_help(help));
            return Err(findings);
        }
        Ok(geometry)
    }

    /// Checks a launch before its memory is there.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if it does not fit the kernel or the limits.
    #[doc(hidden)]
    pub fn checked<'a>(&'a self, spec: &'a LaunchSpec) -> Result<Checked<'a>, ExecError> {
        let geometry = self.check(&spec.shape, &spec.limits).map_err(ExecError::Refused)?;
        Ok(Checked { program: self.program(), spec, geometry })
    }

    /// Sets up one execution of a launch in this memory.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if it does not fit the kernel or the limits, or does not provide the textures that the kernel requires.
    pub(crate) fn set_up(
        &self,
        mut spec: LaunchSpec,
        ground: Ground,
        observer: Option<Arc<Observer>>,
    ) -> Result<Arc<Setup>, ExecError> {
        let Ground { global, constant, heap, bound } = ground;
        let checked = self.checked(&spec)?;
        let (geometry, threads) = (checked.geometry, checked.threads());
        let units = Units::bind(&self.layout.references, spec.textures.clone(), &bound);
        let units = units.map_err(ExecError::Refused)?;
        let (global, workspace) =
            if spec.shape.cooperative { global.with_workspace(self.size) } else { (global, 0) };
        spec.params.resize(self.parameter_bytes(), 0);
        Ok(Arc::new(Setup {
            executable: self.executable.clone(),
            geometry,
            threads,
            spec,
            global,
            workspace,
            units: Arc::new(units),
            constant,
            heap,
            variables: self.objects.clone(),
            observer,
            written: Arc::default(),
        }))
    }
}

/// The parameters of a kernel, and the size in bytes of its parameter space.
pub(crate) fn parameters(module: &Module, kernel: FunctionId) -> Result<(Vec<Parameter>, u32), Diagnostics> {
    let (places, total) = kernel_parameters(module, kernel).map_err(|finding| {
        let mut findings = Diagnostics::new();
        findings.push(*finding);
        findings
    })?;
    let parameter = |(id, offset, bytes): (ptx_ir::VarId, u32, u32)| {
        let variable = module.variable(id);
        Parameter {
            name: module.name(variable.name).to_owned(),
            offset,
            bytes,
            align: variable.alignment(),
            ty: variable.scalar_type().unwrap_or(ScalarType::B64),
            is_array: !variable.dims.is_empty(),
        }
    };
    Ok((places.into_iter().map(parameter).collect(), total))
}

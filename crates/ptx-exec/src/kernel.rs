//! A decoded kernel and its launches.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{At, FunctionDirective, FunctionId, Module};
use ptx_isa::ScalarType;

use crate::cluster_shape::Clusters;
use crate::decode::{Reached, decode, kernel_parameters};
use crate::engine::{Assistant, Instructions, Products};
use crate::error::{ExecError, Trap, TrapKind, codes, one};
use crate::extents::{check_directives, check_shape};
use crate::launch::{Completion, Limits, Reconvergence, Shape};
use crate::layout::Layout;
use crate::machine::{
    self, Executable, Finished, Geometry, Heap, MOST_RESIDENT_BLOCKS, Observer, Relay, Running,
};
use crate::memory::{
    AddressSize, Fault, GlobalMemory, LOW_FUNCTIONS, LOW_LOCAL_BYTES, RANK_SHIFT, Space, rank_and_offset,
};
use crate::object::{Object, nearest};
use crate::program::Program;
use crate::texture::{Handle, TextureSet, Units};

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

/// A kernel, decoded and laid out.
pub(crate) struct Kernel {
    executable: Arc<Executable>,
    /// The address size.
    size: AddressSize,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) parameter_bytes: u32,
    directives: Vec<(FunctionDirective, At)>,
    layout: Layout,
    /// The variables, and whether each is dynamic shared memory.
    objects: Arc<[(Object, bool)]>,
    pub(crate) needs_heap: bool,
}

/// Execution environment of a launch.
#[derive(Clone)]
pub(crate) struct With {
    pub(crate) shape: Shape,
    pub(crate) global: GlobalMemory,
    pub(crate) textures: Arc<TextureSet>,
    /// Bindings of the module's opaque variables, which override the bindings by name of the textures.
    pub(crate) bound: Vec<(String, Handle)>,
    pub(crate) constant: Vec<u8>,
    pub(crate) params: Vec<u8>,
    pub(crate) heap: Arc<Mutex<Heap>>,
    pub(crate) limits: Limits,
    pub(crate) completion: Completion,
    pub(crate) reconvergence: Reconvergence,
    pub(crate) observer: Option<Arc<Observer>>,
    pub(crate) threads: NonZeroUsize,
    /// An external implementation of matrix products, if any.
    pub(crate) products: Option<&'static dyn Products>,
}

impl Kernel {
    /// The program.
    pub(crate) fn program(&self) -> &Arc<Program> {
        &self.executable.program
    }

    /// Decodes the first function of `reached`.
    ///
    /// # Errors
    /// Every reachable construct that cannot be executed.
    pub(crate) fn prepare(module: &Module, reached: &Reached, layout: Layout) -> Result<Self, Diagnostics> {
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
            objects: objects.into(),
            needs_heap: reached.needs_heap,
        })
    }

    /// Checks a launch against the kernel and the limits; returns its geometry.
    ///
    /// # Errors
    /// What does not fit the kernel or the limits.
    pub(crate) fn check(&self, shape: &Shape, limits: &Limits) -> Result<Geometry, Diagnostics> {
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
            findings.push(Diagnostic::error_without_place(codes::SHAPE, text).with_help(help));
            return Err(findings);
        }
        Ok(geometry)
    }

    /// Runs all blocks and waits for them.
    ///
    /// # Errors
    /// What does not fit; then nothing was run. A stopped thread is reported in [`Finished`].
    pub(crate) fn launch(&self, with: With) -> Result<Finished, ExecError> {
        Ok(self.interpret(with)?.finish())
    }

    /// The same launch, for another engine to watch.
    ///
    /// # Errors
    /// What does not fit the kernel or the limits.
    pub(crate) fn interpret(&self, with: With) -> Result<Interpretation<'_>, ExecError> {
        let dynamic_shared = with.shape.dynamic_shared;
        let memory = self.memory_of(with.global.clone(), &with.shape);
        let params = with.params.clone();
        let setup = self.setup(with, memory)?;
        let seen = setup.global.clone();
        Ok(Interpretation { kernel: self, running: Running::new(setup), seen, params, dynamic_shared })
    }

    /// The global memory that a launch accesses, given what existed before it, and the address of its workspace: 0 if it is not cooperative.
    pub(crate) fn memory_of(&self, global: GlobalMemory, shape: &Shape) -> (GlobalMemory, u64) {
        if shape.cooperative { global.with_workspace(self.size) } else { (global, 0) }
    }

    /// Creates an executor of single instructions of a launch in this memory ([`Kernel::memory_of`]), for an engine whose program was derived
    /// from the kernel's.
    ///
    /// # Errors
    /// What does not fit the kernel or the limits.
    pub(crate) fn assistant(
        &self,
        with: With,
        instructions: &Instructions,
        memory: (GlobalMemory, u64),
    ) -> Result<Assistant, ExecError> {
        Ok(Assistant::new(self.setup(with, memory)?, instructions))
    }

    fn setup(
        &self,
        with: With,
        (global, workspace): (GlobalMemory, u64),
    ) -> Result<machine::Setup, ExecError> {
        let With {
            shape,
            textures,
            bound,
            constant,
            params,
            heap,
            limits,
            completion,
            reconvergence,
            observer,
            threads,
            products,
            ..
        } = with;
        let geometry = self.check(&shape, &limits).map_err(ExecError::Refused)?;
        let units = self.bind(textures, &bound)?;
        let executable = self.executable.clone();
        Ok(machine::Setup {
            executable,
            geometry,
            global,
            workspace,
            units,
            constant,
            params,
            heap,
            variables: self.objects.clone(),
            limits,
            completion,
            reconvergence,
            observer,
            threads,
            products,
        })
    }

    /// Binds the textures, samplers and surfaces of a launch for the threads of the kernel.
    ///
    /// # Errors
    /// [`ExecError::Refused`] for objects that the launch does not provide, or not as the kernel declares them.
    pub(crate) fn bind(
        &self,
        textures: Arc<TextureSet>,
        bound: &[(String, Handle)],
    ) -> Result<Units, ExecError> {
        Units::bind(&self.layout.references, textures, bound).map_err(ExecError::Refused)
    }

    /// Sets in the trap the object of a faulty access, in memory as the launch saw it: the one that contains the address, or else that of the pointer
    /// from which the address was computed, or else the nearest one.
    pub(crate) fn explain(&self, trap: &mut Trap, seen: &GlobalMemory, params: &[u8], dynamic_shared: u32) {
        let TrapKind::Fault(fault) = &trap.kind else { return };
        let fault = &fault.resolved(self.size);
        let object = match fault.space {
            Space::Local => return,
            Space::Global | Space::Generic => {
                let pointers = trap.pointers.iter().filter_map(|pointer| pointer.value(params));
                seen.describe(fault.address, pointers)
            }
            _ => nearest(&in_block(*fault), &self.objects(dynamic_shared)),
        };
        trap.object = Some(object.unwrap_or_else(|| nothing_at(fault)));
    }

    /// The variables; dynamic shared memory gets its actual size.
    fn objects(&self, dynamic_shared: u32) -> Vec<Object> {
        let sized = |(object, is_dynamic): &(Object, bool)| {
            let bytes = if *is_dynamic { dynamic_shared.into() } else { object.bytes };
            Object { bytes, ..object.clone() }
        };
        self.objects.iter().map(sized).collect()
    }
}

/// A launch that the interpreter is to execute, and of which another engine may take the clusters that have not started.
pub struct Interpretation<'k> {
    kernel: &'k Kernel,
    running: Running,
    seen: GlobalMemory,
    params: Vec<u8>,
    dynamic_shared: u32,
}

/// What the interpreter did of a launch.
#[derive(Debug)]
pub struct Interpreted {
    /// The error of the first of the stopped blocks, if any.
    pub result: Result<(), ExecError>,
    /// Output of its blocks, in block order.
    pub output: Vec<u8>,
    /// Instructions executed by warps and by threads.
    pub executed: [u64; 2],
    /// Number of clusters that ran to their ends.
    pub clusters: u64,
}

impl Interpretation<'_> {
    /// For a thread that takes clusters from the launch, or abandons it.
    pub fn relay(&self) -> Relay {
        self.running.relay()
    }

    /// Has a function called once, by a thread that executes the launch, as soon as this many instructions of warps have
    /// been executed. The launch goes on when it returns.
    pub fn notify_at(&self, steps: u64, notice: impl FnOnce() + Send + 'static) {
        self.running.notify_at(steps, notice);
    }

    /// Runs all blocks that no other engine takes, and waits for them.
    pub fn run(self) -> Interpreted {
        let Finished { result, output, executed, clusters } = self.finish();
        Interpreted { result: result.map_err(ExecError::Trap), output, executed, clusters }
    }

    fn finish(self) -> Finished {
        let mut finished = self.running.run();
        if let Err(trap) = &mut finished.result {
            self.kernel.explain(trap, &self.seen, &self.params, self.dynamic_shared);
        }
        finished
    }
}

impl std::fmt::Debug for Interpretation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interpretation").field("relay", &self.relay()).finish_non_exhaustive()
    }
}

/// Describes an address that is near no object.
fn nothing_at(fault: &Fault) -> String {
    /// Offsets below it are taken for field offsets from a null pointer.
    const PAGE: u64 = 4096;
    match (fault.space, fault.address) {
        (Space::Global | Space::Generic, 0) => "it is a null pointer".to_owned(),
        (Space::Global | Space::Generic, offset @ 1..PAGE) => {
            format!("it is {offset} bytes after a null pointer")
        }
        _ => "there is no argument or variable at this address".to_owned(),
    }
}

/// A fault in shared memory translated to the owning block, where variables have their offsets as addresses.
fn in_block(fault: Fault) -> Fault {
    match fault.space {
        Space::Shared | Space::SharedCluster => {
            Fault { space: Space::Shared, address: rank_and_offset(fault.address).1, ..fault }
        }
        Space::Generic | Space::Global | Space::Local | Space::Const | Space::Param => fault,
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

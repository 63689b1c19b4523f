//! A module whose variables keep their values across launches.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{FunctionId, Module, VarId};
use ptx_verify::Verified;

use crate::decode::{Launches, all_variables, kernels, reach};
use crate::engine::ImageLaunch;
use crate::error::{ExecError, codes, one};
use crate::inputs::host_threads;
use crate::kernel::{Kernel, Parameter, With, parameters};
use crate::launch::{Completion, Limits, Reconvergence, Shape};
use crate::layout::{Ground, VariableAddresses, bytes_of, lay_out};
use crate::machine::{Geometry, Heap};
use crate::memory::{AddressSize, HostMemory, Memory, MemoryError, Pieces, RegionKind, Space};
use crate::texture::{Handle, TextureError, TextureSet, check_reference, opaque_of};

/// The heap of device-side `malloc`, shared by clones. It is created when the first kernel needs it.
#[derive(Clone, Debug, Default)]
pub struct DeviceHeap {
    heap: Arc<Mutex<Heap>>,
    made: Arc<Mutex<bool>>,
}

impl DeviceHeap {
    /// Creates the heap in a memory, unless it exists already.
    fn make(&self, memory: &Memory, bytes: usize) -> Result<(), MemoryError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if !*made {
            let pieces = Arc::new(Pieces::of_heap(bytes as u64));
            let base = memory.add_heap(bytes as u64, Arc::clone(&pieces), "the heap of `malloc`")?;
            *self.heap.lock().unwrap_or_else(PoisonError::into_inner) = Heap::new(base, bytes as u64, pieces);
            *made = true;
        }
        Ok(())
    }
}

/// A variable of a module in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its address in [`Memory`], also for the `.const` space: data written there before a launch is seen by that
    /// launch.
    pub address: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// `.global` or `.const`.
    pub space: Space,
}

/// The execution environment of an [`Image`].
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The memory that contains the module's variables and is accessed by launches.
    pub memory: Memory,
    /// The heap of `malloc`.
    pub heap: DeviceHeap,
    /// Limits on variables and on each launch.
    pub limits: Limits,
}

/// Options of a launch, besides shape and parameters.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Host threads that blocks are spread over; `None` for as many as the host has.
    pub threads: Option<NonZeroUsize>,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// Where threads that a branch has parted run together again.
    pub reconvergence: Reconvergence,
    /// Describes host-process memory outside registered regions; without it, accesses there fault.
    pub host: Option<Arc<dyn HostMemory>>,
    /// Textures, samplers and surfaces.
    pub textures: Arc<TextureSet>,
}

/// Results of a launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The error of the first of the stopped blocks, if any.
    pub result: Result<(), ExecError>,
    /// Output of `vprintf` in block order; after a stop, the output of the blocks that ran until then.
    pub output: Vec<u8>,
    /// Warp-level instructions executed: each counts once per warp.
    pub warp_instructions: u64,
    /// Thread-level instructions executed; predicated-off threads do not count.
    pub thread_instructions: u64,
    /// Number of blocks that compiled code executed; the instructions of these are not counted.
    pub compiled_blocks: u64,
}

/// A module in memory: its variables have addresses and values, and its kernels are decoded once, on first request.
pub struct Image {
    module: Module,
    surroundings: Surroundings,
    known: VariableAddresses,
    variables: HashMap<String, Variable>,
    /// The address and initial bytes of each global variable, and of constant memory.
    initial: Vec<(u64, Vec<u8>)>,
    constant: Option<(u64, usize)>,
    kernels: Mutex<HashMap<FunctionId, Arc<Kernel>>>,
    /// Bindings of its opaque variables.
    bound: Mutex<Vec<(String, Handle)>>,
}

impl Image {
    /// Places the variables of a module in memory.
    ///
    /// # Errors
    /// [`codes::SIZE`] if they do not fit. Errors in individual variables or functions are reported only when a kernel
    /// that needs them is [requested](Image::kernel).
    pub fn new(module: Verified<'_>, surroundings: Surroundings) -> Result<Arc<Self>, Diagnostics> {
        let module = module.written_out().into_owned();
        let memory = surroundings.memory.clone();
        if AddressSize::of(&module) == AddressSize::Bits32 && memory.address_size() == AddressSize::Bits64 {
            let text = "the addresses of the module have 32 bits, those of the memory 64";
            let help = "give the device memory with 32-bit addresses";
            let mut findings = Diagnostics::new();
            findings.push(Diagnostic::error_without_place(codes::SIZE, text).with_help(help));
            return Err(findings);
        }
        let mut place_global = |name: &str, bytes: u64, align: u64| {
            memory.add(RegionKind::Variable, bytes, align, format!("variable `{name}`")).ok()
        };
        let limit = surroundings.limits.variables;
        let ground = Ground { known: &VariableAddresses::default(), limit, place_global: &mut place_global };
        let reached = all_variables(&module);
        let (layout, findings) = lay_out(&module, &reached, ground);
        let mut image = Self {
            known: layout.addresses,
            module,
            surroundings,
            variables: HashMap::new(),
            initial: Vec::new(),
            constant: None,
            kernels: Mutex::default(),
            bound: Mutex::default(),
        };
        let addresses = image.known.clone();
        let address = |id: &VarId| addresses.get(id).map(|&(_, address)| address);
        let globals = layout.globals.into_iter().filter_map(|(id, bytes)| Some((address(&id)?, bytes)));
        image.initial.extend(globals);
        if findings.iter().any(|finding| finding.code == codes::SIZE) {
            return Err(findings);
        }
        if !layout.constant.is_empty() {
            let bytes = layout.constant.len();
            let base = memory.add(RegionKind::Variable, bytes as u64, 1, "the constant memory".to_owned());
            let base = base.map_err(|error| one(codes::SIZE, error.to_string()))?;
            image.constant = Some((base, bytes));
            image.initial.push((base, layout.constant));
        }
        image.name_variables(&reached.variables);
        image.reset();
        Ok(Arc::new(image))
    }

    /// Registers variables by name, in reverse so that module variables take precedence: function-scope variables have
    /// no unique names.
    fn name_variables(&mut self, order: &[VarId]) {
        for &id in order.iter().rev() {
            let Some(&(space, address)) = self.known.get(&id) else { continue };
            let variable = self.module.variable(id);
            // The name of a texture denotes a handle, which has no memory.
            if opaque_of(variable).is_some() {
                continue;
            }
            let base = match (space, self.constant) {
                (Space::Const, Some((base, _))) => base,
                _ => 0,
            };
            let bytes = bytes_of(variable);
            let name = self.module.name(variable.name).to_owned();
            self.variables.insert(name, Variable { address: base + address, bytes, space });
        }
    }

    /// The address and initial bytes of each global variable, in a deterministic order, then of constant memory.
    #[doc(hidden)]
    pub fn initial(&self) -> &[(u64, Vec<u8>)] {
        &self.initial
    }

    /// The address of constant memory, if the module has any.
    #[doc(hidden)]
    pub fn constant(&self) -> Option<u64> {
        self.constant.map(|(address, _)| address)
    }

    /// The module, with shorthands expanded.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Resets all variables to their initial values.
    pub fn reset(&self) {
        for (address, bytes) in &self.initial {
            // The regions belong to the image and have exactly this size.
            let _ = self.surroundings.memory.write(*address, bytes);
        }
    }

    /// Looks up a global or constant variable by name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// Binds a `.texref`, `.samplerref` or `.surfref` variable, for subsequent launches, to the object with this handle
    /// in their [textures](Options::textures); `None` restores the default, the object of the variable's name.
    ///
    /// # Errors
    /// If there is no such variable, or it has another type.
    pub fn bind(&self, name: &str, handle: Option<Handle>) -> Result<(), TextureError> {
        if let Some(handle) = handle {
            check_reference(&self.module, name, handle)?;
        }
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        bound.retain(|(known, _)| known != name);
        bound.extend(handle.map(|handle| (name.to_owned(), handle)));
        Ok(())
    }

    /// The names of its global and constant variables, sorted.
    pub fn variables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.variables.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The names of its kernels, in module order.
    pub fn kernels(&self) -> Vec<&str> {
        kernels(&self.module).map(|id| self.module.name(self.module.function(id).name)).collect()
    }

    /// Looks up a kernel and decodes it on first use.
    ///
    /// # Errors
    /// [`codes::NO_KERNEL`], or every reachable construct that cannot be executed.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Prepared, Diagnostics> {
        let id = kernels(&self.module).find(|&id| self.module.name(self.module.function(id).name) == name);
        let prepared = |kernel| Prepared { image: self.clone(), name: name.into(), kernel };
        let mut kept = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = id.and_then(|id| kept.get(&id)) {
            return Ok(prepared(kernel.clone()));
        }
        let reached = reach(&self.module, name, Launches::Many)?;
        let mut no_room = |_: &str, _: u64, _: u64| None;
        let ground = Ground {
            known: &self.known,
            limit: self.surroundings.limits.variables,
            place_global: &mut no_room,
        };
        let (layout, findings) = lay_out(&self.module, &reached, ground);
        if findings.has_errors() {
            return Err(findings);
        }
        let kernel = Arc::new(Kernel::prepare(&self.module, &reached, layout)?);
        if kernel.needs_heap {
            let made = self.surroundings.heap.make(&self.surroundings.memory, self.surroundings.limits.heap);
            made.map_err(|error| one(codes::SIZE, error.to_string()))?;
        }
        if let Some(id) = id {
            kept.insert(id, kernel.clone());
        }
        Ok(prepared(kernel))
    }

    /// The parameters of a kernel, even if the kernel cannot be executed.
    ///
    /// # Errors
    /// Parameters that cannot be passed. A missing kernel has no parameters and is not an error.
    pub fn parameters(&self, name: &str) -> Result<Vec<Parameter>, Diagnostics> {
        let id = kernels(&self.module).find(|&id| self.module.name(self.module.function(id).name) == name);
        id.map_or(Ok(Vec::new()), |id| parameters(&self.module, id).map(|(parameters, _)| parameters))
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image").field("variables", &self.variables).finish_non_exhaustive()
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        for (address, _) in &self.initial {
            self.surroundings.memory.free_variable(*address);
        }
    }
}

/// A kernel of an [`Image`], ready for any number of launches.
#[derive(Clone)]
pub struct Prepared {
    image: Arc<Image>,
    name: Arc<str>,
    kernel: Arc<Kernel>,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Prepared {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The image that contains it.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// Its program, for other engines.
    #[doc(hidden)]
    pub fn program(&self) -> &crate::program::Program {
        self.kernel.program()
    }

    /// Whether it calls `malloc` or `free`.
    #[doc(hidden)]
    pub fn needs_heap(&self) -> bool {
        self.kernel.needs_heap
    }

    /// The geometry of a launch.
    ///
    /// # Errors
    /// As [`Prepared::check`].
    #[doc(hidden)]
    pub fn geometry(&self, shape: &Shape) -> Result<Geometry, Diagnostics> {
        self.kernel.check(shape, &self.image.surroundings.limits)
    }

    /// Its parameters.
    pub fn parameters(&self) -> &[Parameter] {
        &self.kernel.parameters
    }

    /// Bytes of its parameter space.
    pub fn parameter_bytes(&self) -> usize {
        self.kernel.parameter_bytes as usize
    }

    /// Checks a launch without running it.
    ///
    /// # Errors
    /// What does not fit the kernel or the limits.
    pub fn check(&self, shape: &Shape) -> Result<(), Diagnostics> {
        self.kernel.check(shape, &self.image.surroundings.limits).map(drop)
    }

    /// Runs all blocks and waits for them. `params` is the parameter space; bytes missing at its end are zero.
    pub fn launch(&self, shape: &Shape, params: &[u8], options: &Options) -> Report {
        match self.kernel.launch(self.with(shape, params, options)) {
            Err(error) => Report {
                result: Err(error),
                output: Vec::new(),
                warp_instructions: 0,
                thread_instructions: 0,
                compiled_blocks: 0,
            },
            Ok(finished) => Report {
                result: finished.result.map_err(ExecError::Trap),
                output: finished.output,
                warp_instructions: finished.executed[0],
                thread_instructions: finished.executed[1],
                compiled_blocks: 0,
            },
        }
    }

    /// The same launch, to be run by another engine.
    #[doc(hidden)]
    pub fn request(&self, shape: &Shape, params: &[u8], options: &Options) -> ImageLaunch {
        ImageLaunch::new(self.kernel.clone(), self.with(shape, params, options))
    }

    fn with(&self, shape: &Shape, params: &[u8], options: &Options) -> With {
        let Surroundings { memory, heap, limits } = &self.image.surroundings;
        let mut constant = Vec::new();
        if let Some((address, bytes)) = self.image.constant {
            constant.resize(bytes, 0);
            // The region belongs to the image.
            let _ = memory.read(address, &mut constant);
        }
        let mut space = vec![0; self.parameter_bytes()];
        let given = params.len().min(space.len());
        space[..given].copy_from_slice(&params[..given]);
        With {
            shape: *shape,
            global: memory.seen(options.host.clone()),
            textures: options.textures.clone(),
            bound: self.image.bound.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            constant,
            params: space,
            heap: heap.heap.clone(),
            limits: limits.clone(),
            completion: options.completion,
            reconvergence: options.reconvergence,
            observer: None,
            threads: options.threads.unwrap_or_else(host_threads),
            products: None,
        }
    }
}

//! A module whose variables keep their values across launches.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{FunctionId, Module, VarId};
use ptx_program::decode::{Launches, all_variables, kernels, reach};
use ptx_program::layout;
use ptx_program::layout::{VariableAddresses, bytes_of, lay_out};
use ptx_program::memory::{AddressSize, Space};
use ptx_program::texture::{Handle, opaque_of};
use ptx_verify::{Verified, WrittenOut};

use crate::engine::{Interpretation, Setup};
use crate::error::{ExecError, TrapKind, codes, one};
use crate::kernel::{Ground, Kernel, Parameter, parameters};
use crate::launch::{Limits, Report};
use crate::machine::Heap;
use crate::memory::{Memory, MemoryError, Pieces, RegionKind};
use crate::spec::LaunchSpec;
use crate::texture::{Opaque, TextureError, check_reference, reference};

/// The heap of device-side `malloc`, shared by clones. It is created when the first kernel needs it.
#[derive(Clone, Debug, Default)]
pub struct DeviceHeap {
    heap: Arc<Mutex<Heap>>,
    made: Arc<Mutex<bool>>,
    /// Its size, if it is not that of the limits.
    bytes: Arc<Mutex<Option<usize>>>,
}

impl DeviceHeap {
    /// Sets its size in place of that of the limits of its [`Surroundings`]; false if it has been created, and keeps its size.
    pub fn set_bytes(&self, bytes: usize) -> bool {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if !*made {
            *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) = Some(bytes);
        }
        !*made
    }

    /// Creates the heap in a memory, unless it exists already.
    fn make(&self, memory: &Memory, bytes: usize) -> Result<(), MemoryError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if !*made {
            let mut bytes = bytes;
            if let Some(own) = *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) {
                bytes = own;
            }
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
    /// Limits on the variables and the heap. Those on a launch are its own ([`LaunchSpec::limits`]).
    pub limits: Limits,
}

/// A module in memory: its variables have addresses and values, and its kernels are decoded once, on first request.
pub struct Image {
    module: WrittenOut<'static>,
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
        let ground =
            layout::Ground { known: &VariableAddresses::default(), limit, place_global: &mut place_global };
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

    /// Bytes of constant memory.
    pub fn constant_bytes(&self) -> u64 {
        match self.constant {
            Some((_, bytes)) => bytes as u64,
            None => 0,
        }
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
    /// in their [textures](LaunchSpec::textures); `None` restores the default, the object of the variable's name.
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

    /// The kind of the `.texref`, `.samplerref` or `.surfref` variable of this name, if there is one.
    pub fn reference(&self, name: &str) -> Option<Opaque> {
        reference(&self.module, name)
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
        let prepared = |kernel| Prepared { image: self.clone(), kernel };
        let mut kept = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = id.and_then(|id| kept.get(&id)) {
            return Ok(prepared(kernel.clone()));
        }
        let reached = reach(&self.module, name, Launches::Many)?;
        let mut no_room = |_: &str, _: u64, _: u64| None;
        let ground = layout::Ground {
            known: &self.known,
            limit: self.surroundings.limits.variables,
            place_global: &mut no_room,
        };
        let (layout, findings) = lay_out(&self.module, &reached, ground);
        if findings.has_errors() {
            return Err(findings);
        }
        let kernel = Arc::new(Kernel::prepare(&self.module, &reached, layout)?);
        if kernel.needs_heap() {
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

/// A kernel of an [`Image`], in whose memory it is launched.
#[derive(Clone, Debug)]
pub struct Prepared {
    image: Arc<Image>,
    kernel: Arc<Kernel>,
}

impl Deref for Prepared {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.kernel
    }
}

impl Prepared {
    /// The image that contains it.
    pub fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// Runs all blocks of a launch in the interpreter and waits for them.
    pub fn launch(&self, spec: LaunchSpec) -> Report {
        match self.set_up(spec) {
            Ok(setup) => Interpretation::new(setup).run(),
            Err(error) => Report::refused(error),
        }
    }

    /// The bytes that a launch may access, of which [`Prepared::try_out`] makes a copy.
    #[doc(hidden)]
    pub fn memory_bytes(&self) -> u64 {
        self.image.surroundings.memory.seen(None).bytes()
    }

    /// Runs a launch in the interpreter on a copy of the memory. What it has stored is taken over at its end, unless it is not over after this
    /// many instructions of warps: then nothing has happened, and the result is `None`, as it is at once if there is unregistered memory.
    ///
    /// The launch must not depend on others, and on the host, seeing its stores before its end.
    #[doc(hidden)]
    pub fn try_out(&self, mut spec: LaunchSpec, steps: u64) -> Option<Report> {
        spec.limits.steps = Some(steps);
        let mut ground = self.ground(&spec);
        let (global, shadow) = ground.global.shadowed()?;
        ground.global = global;
        let report = match self.kernel.set_up(spec, ground, None) {
            Ok(setup) => Interpretation::new(setup).run(),
            Err(error) => return Some(Report::refused(error)),
        };
        if let Err(ExecError::Trap(trap)) = &report.result
            && trap.kind == TrapKind::Steps
        {
            return None;
        }
        shadow.commit();
        Some(report)
    }

    /// Sets up one execution of a launch, for any engine.
    ///
    /// # Errors
    /// [`ExecError::Refused`] if the launch does not fit the kernel or the limits, or does not provide the textures that it requires.
    #[doc(hidden)]
    pub fn set_up(&self, spec: LaunchSpec) -> Result<Arc<Setup>, ExecError> {
        let ground = self.ground(&spec);
        self.kernel.set_up(spec, ground, None)
    }

    /// The memory of a launch that begins now.
    fn ground(&self, spec: &LaunchSpec) -> Ground {
        let Surroundings { memory, heap, .. } = &self.image.surroundings;
        let mut constant = Vec::new();
        if let Some((address, bytes)) = self.image.constant {
            constant.resize(bytes, 0);
            // The region belongs to the image.
            let _ = memory.read(address, &mut constant);
        }
        Ground {
            global: memory.seen(spec.host.clone()),
            constant,
            heap: heap.heap.clone(),
            bound: self.image.bound.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

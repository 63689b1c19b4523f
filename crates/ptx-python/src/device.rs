//! Devices, and the modules and kernels on them.

use std::num::NonZeroUsize;
use std::time::Duration;

use ptx_device::{
    AfterStop, Check, Device as Core, DeviceOptions, Engine, Interrupt, Kernel as KernelCore, LaunchControl,
    Limits, Module as ModuleCore, Parameter, Shape,
};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::arguments::Arguments;
use crate::errors::{device_error, warn_of_module};
use crate::interruptible::interruptible;
use crate::memory::{Allocation, DeviceArray};
use crate::model::source_of;
use crate::texture::{Reading, TextureObject};
use crate::translate::architecture;

/// A device that executes PTX on the processor of the host.
///
/// ``arch``
///     The architecture, such as ``"sm_90a"``: modules for later ones are refused. Without one, modules for any are accepted.
/// ``engine``
///     ``"auto"``: the interpreter, and native code for kernels that take long; ``"interp"`` or ``"jit"``: only one of them.
/// ``check``
///     ``"memory"``: every access of native code is checked, as the interpreter does; ``"none"``: none is, so that an incorrect kernel may
///     end the process. By default ``"memory"`` with ``"auto"``, and ``"none"`` with ``"jit"``.
/// ``threads``
///     Host threads that the blocks of a launch are spread over; by default as many as the host has.
/// ``timeout``
///     Seconds that a launch may take; by default no limit.
/// ``memory``
///     Bytes of its memory; by default as many as the host has.
/// ``print_output``
///     Whether what kernels print is written to ``sys.stdout`` at the end of a launch; otherwise :meth:`take_output` returns it.
#[pyclass(frozen, module = "ptx_llvm", name = "Device")]
pub(crate) struct Device {
    core: Core,
    prints: bool,
}

fn seconds(timeout: Option<f64>) -> PyResult<Option<Duration>> {
    let duration = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| PyValueError::new_err(format!("a timeout is a number of seconds, not {seconds}")))
    };
    timeout.map(duration).transpose()
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (arch = None, *, engine = "auto", check = None, threads = None, timeout = None, memory = None, print_output = true))]
    fn new(
        arch: Option<&str>,
        engine: &str,
        check: Option<&str>,
        threads: Option<usize>,
        timeout: Option<f64>,
        memory: Option<u64>,
        print_output: bool,
    ) -> PyResult<Self> {
        let engine = match engine {
            "auto" => Engine::Automatic,
            "interp" => Engine::Interpreter,
            "jit" => Engine::Compiled,
            other => {
                let text = format!("the engine is \"auto\", \"interp\" or \"jit\", not {other:?}");
                return Err(PyValueError::new_err(text));
            }
        };
        let check = match check {
            None => Check::Usual,
            Some("memory") => Check::Memory,
            Some("none") => Check::None,
            Some(other) => {
                let text = format!("the check is \"memory\" or \"none\", not {other:?}");
                return Err(PyValueError::new_err(text));
            }
        };
        let threads = threads.map(|threads| {
            NonZeroUsize::new(threads)
                .ok_or_else(|| PyValueError::new_err("a device has at least one thread"))
        });
        let options = DeviceOptions {
            architecture: arch.map(architecture).transpose()?,
            engine,
            check,
            threads: threads.transpose()?,
            limits: Limits { timeout: seconds(timeout)?, ..Limits::default() },
            memory,
            after_stop: AfterStop::GoOn,
            ..DeviceOptions::default()
        };
        Ok(Self { core: Core::with(options), prints: print_output })
    }

    /// The architecture, or ``None`` for any.
    #[getter]
    fn arch(&self) -> Option<String> {
        self.core.architecture().map(|sm| sm.to_string())
    }

    /// The engine: ``auto``, ``interp`` or ``jit``.
    #[getter]
    fn engine(&self) -> &'static str {
        match self.core.engine() {
            Engine::Automatic => "auto",
            Engine::Interpreter => "interp",
            Engine::Compiled => "jit",
        }
    }

    /// Bytes of memory in use: of arrays, of variables of modules, and of the heap of ``malloc``.
    #[getter]
    fn used_bytes(&self) -> u64 {
        self.core.used_bytes()
    }

    /// Loads a module: PTX or LLVM IR for NVPTX, as text or bitcode, or a :class:`Module`. Its variables keep their values between
    /// launches. Warnings are issued as ``PtxWarning``.
    #[pyo3(signature = (text, name = None))]
    fn load(slf: &Bound<'_, Self>, text: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<LoadedModule> {
        let py = slf.py();
        let source = source_of(text, name, "<module>")?;
        let device = &slf.get().core;
        let loaded = py.detach(|| ModuleCore::load(device, source.name(), source.text()));
        let core = loaded.map_err(|error| device_error(py, &error))?;
        warn_of_module(py, core.warnings())?;
        Ok(LoadedModule { core, device: slf.clone().unbind() })
    }

    /// Copies an array (NumPy, ``array.array``, ``bytes``, or anything else with the buffer protocol) to the device, where it stays.
    fn to_device(&self, array: &Bound<'_, PyAny>) -> PyResult<DeviceArray> {
        DeviceArray::copied(&self.core, array)
    }

    /// Allocates an array of zeros on the device. ``dtype`` is a type of NumPy, or a character of Python's module ``struct``; by default bytes.
    #[pyo3(signature = (shape, dtype = None))]
    fn zeros(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<Bound<'_, PyAny>>,
    ) -> PyResult<DeviceArray> {
        let dtype = dtype.unwrap_or_else(|| PyString::new(py, "B").into_any());
        DeviceArray::zeros(py, &self.core, shape, &dtype)
    }

    /// The same as :meth:`zeros`: memory of this device is zero when it is allocated.
    #[pyo3(signature = (shape, dtype = None))]
    fn empty(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        dtype: Option<Bound<'_, PyAny>>,
    ) -> PyResult<DeviceArray> {
        self.zeros(py, shape, dtype)
    }

    /// Creates a texture with the contents of an array of one, two or three axes, and of a last one for the channels if there are 2 or 4.
    #[pyo3(signature = (array, *, channels = 1, filter = "point", address_mode = "clamp", normalized = false, read_as_fractions = false))]
    fn texture(
        &self,
        array: &Bound<'_, PyAny>,
        channels: u32,
        filter: &str,
        address_mode: &str,
        normalized: bool,
        read_as_fractions: bool,
    ) -> PyResult<TextureObject> {
        let reading = Reading {
            filter: filter.to_owned(),
            address_mode: address_mode.to_owned(),
            is_normalized: normalized,
            reads_fractions: read_as_fractions,
        };
        TextureObject::texture(&self.core, array, channels, &reading)
    }

    /// Creates a surface, which kernels read and write, with the contents of an array as for :meth:`texture`.
    #[pyo3(signature = (array, *, channels = 1))]
    fn surface(&self, array: &Bound<'_, PyAny>, channels: u32) -> PyResult<TextureObject> {
        TextureObject::surface(&self.core, array, channels)
    }

    /// What kernels have printed since the last call, with ``print_output=False``.
    fn take_output(&self) -> String {
        String::from_utf8_lossy(&self.core.take_output()).into_owned()
    }

    fn __repr__(&self) -> String {
        let arch = match self.arch() {
            Some(arch) => arch,
            None => "any architecture".to_owned(),
        };
        format!("<ptx_llvm.Device {arch}, engine {}>", self.engine())
    }
}

impl Device {
    /// Writes what kernels have printed to Python's standard output.
    fn print(&self, py: Python<'_>) -> PyResult<()> {
        if !self.prints {
            return Ok(());
        }
        let text = self.take_output();
        if text.is_empty() {
            return Ok(());
        }
        let stdout = py.import("sys")?.getattr("stdout")?;
        // A process without a console has none.
        if stdout.is_none() { Ok(()) } else { stdout.call_method1("write", (text,)).map(drop) }
    }
}

/// A module on a device. ``module["name"]`` is a kernel of it.
#[pyclass(frozen, module = "ptx_llvm", name = "LoadedModule")]
pub(crate) struct LoadedModule {
    core: ModuleCore,
    device: Py<Device>,
}

#[pymethods]
impl LoadedModule {
    /// The names of its kernels, in the order of the text.
    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.core.kernels().into_iter().map(str::to_owned).collect()
    }

    /// The names of its variables, sorted.
    #[getter]
    fn variables(&self) -> Vec<String> {
        self.core.variables().into_iter().map(str::to_owned).collect()
    }

    /// The PTX that is executed, to which lines in errors refer: as given, or translated from LLVM IR.
    #[getter]
    fn ptx(&self) -> String {
        let texts = self.core.texts().map(|(_, text)| String::from_utf8_lossy(text));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// A kernel by its name. ``KeyError`` if there is none, ``LaunchError`` if it cannot be executed.
    fn kernel(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        if !self.core.kernels().contains(&name) {
            return Err(PyKeyError::new_err(name.to_owned()));
        }
        let found = py.detach(|| self.core.kernel(name));
        let core = found.map_err(|error| device_error(py, &error))?;
        Ok(Kernel { core, device: self.device.clone_ref(py) })
    }

    /// The memory of a ``.global`` or ``.const`` variable, as bytes.
    fn variable(&self, name: &str) -> PyResult<DeviceArray> {
        let found = self.core.variable(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        Ok(DeviceArray::of_variable(Allocation::of_variable(&self.core, found.address, found.bytes)))
    }

    /// Gives all variables their initial values.
    fn reset(&self) {
        self.core.reset();
    }

    fn __getitem__(&self, py: Python<'_>, name: &str) -> PyResult<Kernel> {
        self.kernel(py, name)
    }

    fn __contains__(&self, name: &str) -> bool {
        self.core.kernels().contains(&name)
    }

    fn __repr__(&self) -> String {
        format!("<ptx_llvm.LoadedModule, kernels: {}>", self.kernels().join(", "))
    }
}

/// Extents of a grid, a block or a cluster: a number, or up to three.
fn extents(object: &Bound<'_, PyAny>, what: &str) -> PyResult<[u32; 3]> {
    let given = object.extract::<u32>().map(|x| vec![x]).or_else(|_| object.extract::<Vec<u32>>());
    match given.as_deref() {
        Ok([x]) => Ok([*x, 1, 1]),
        Ok([x, y]) => Ok([*x, *y, 1]),
        Ok([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err(PyTypeError::new_err(format!("{what} is a number, or a tuple of one to three of them"))),
    }
}

/// The shape of a launch as Python gives it.
fn shape(
    grid: &Bound<'_, PyAny>,
    block: &Bound<'_, PyAny>,
    shared: u32,
    cluster: Option<&Bound<'_, PyAny>>,
    cooperative: bool,
) -> PyResult<Shape> {
    Ok(Shape {
        grid: extents(grid, "the grid")?,
        block: extents(block, "the block")?,
        cluster: cluster.map(|cluster| extents(cluster, "the cluster")).transpose()?,
        dynamic_shared: shared,
        cooperative,
    })
}

/// A kernel of a module on a device. ``kernel[grid, block](arguments..)`` launches it and waits for its end.
#[pyclass(frozen, module = "ptx_llvm", name = "Kernel")]
pub(crate) struct Kernel {
    core: KernelCore,
    device: Py<Device>,
}

impl Kernel {
    fn run(
        &self,
        py: Python<'_>,
        shape: &Shape,
        arguments: &[Bound<'_, PyAny>],
        timeout: Option<f64>,
    ) -> PyResult<Report> {
        let arguments = Arguments::new(py, &self.core, arguments)?;
        let interrupt = Interrupt::default();
        let control = LaunchControl { timeout: seconds(timeout)?, interrupt: Some(interrupt.clone()) };
        let (kernel, values) = (&self.core, &arguments.values);
        let launched =
            interruptible(py, || interrupt.request(), || kernel.launch_with(shape, values, &control))?;
        self.device.get().print(py)?;
        let report = launched.map_err(|error| device_error(py, &error))?;
        arguments.copy_back(py)?;
        Ok(Report {
            warp_instructions: report.warp_instructions,
            thread_instructions: report.thread_instructions,
            compiled_blocks: report.compiled_blocks,
        })
    }
}

#[pymethods]
impl Kernel {
    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.core.name()
    }

    /// The names and types of the parameters, in order; those of arrays, which are passed by value, have the size in bytes.
    #[getter]
    fn params(&self) -> Vec<(String, String)> {
        let of = |parameter: &Parameter| {
            let ty = parameter.ty.as_str();
            let ty =
                if parameter.is_array { format!("{ty}, {} bytes", parameter.bytes) } else { ty.to_owned() };
            (parameter.name.clone(), ty)
        };
        self.core.parameters().iter().map(of).collect()
    }

    /// Maximum threads of a block.
    #[getter]
    fn max_threads(&self) -> u32 {
        self.core.attributes().max_threads
    }

    /// Bytes of static shared memory of a block.
    #[getter]
    fn static_shared_bytes(&self) -> u64 {
        self.core.attributes().static_shared_bytes
    }

    /// An estimate of the 32-bit registers of a thread, which are only allocated for a GPU.
    #[getter]
    fn register_estimate(&self) -> u32 {
        self.core.attributes().registers
    }

    /// Launches the kernel and waits for its end. ``args`` are the arguments in order; ``shared`` is the dynamic shared memory of a block in
    /// bytes, ``cluster`` the blocks of a cluster, and ``timeout`` the seconds that the launch may take.
    ///
    /// An argument is a number, an array or a :class:`DeviceArray`. Arrays are copied to the device, and back unless they are
    /// read-only. What the kernel did to arrays is lost if a thread of it is stopped.
    #[pyo3(signature = (grid, block, args = None, *, shared = 0, cluster = None, cooperative = false, timeout = None))]
    fn launch(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        args: Option<Vec<Bound<'_, PyAny>>>,
        shared: u32,
        cluster: Option<&Bound<'_, PyAny>>,
        cooperative: bool,
        timeout: Option<f64>,
    ) -> PyResult<Report> {
        let shape = shape(grid, block, shared, cluster, cooperative)?;
        // Default: a kernel without parameters has no arguments.
        self.run(py, &shape, &args.unwrap_or_default(), timeout)
    }

    /// Compiles native code for launches of this shape, if the device does, so that the first takes no longer than others. Returns whether
    /// launches execute native code.
    #[pyo3(signature = (grid, block, *, shared = 0, cluster = None))]
    fn prepare(
        &self,
        py: Python<'_>,
        grid: &Bound<'_, PyAny>,
        block: &Bound<'_, PyAny>,
        shared: u32,
        cluster: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let shape = shape(grid, block, shared, cluster, false)?;
        py.detach(|| self.core.prepare(&shape)).map_err(|error| device_error(py, &error))
    }

    /// ``kernel[grid, block]``, ``kernel[grid, block, shared]``: what launches it with this shape.
    fn __getitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyTuple>) -> PyResult<ConfiguredKernel> {
        let wrong = || PyTypeError::new_err("a launch is kernel[grid, block] or kernel[grid, block, shared]");
        let (grid, block, shared) = match key.len() {
            2 => (key.get_item(0)?, key.get_item(1)?, 0),
            3 => (key.get_item(0)?, key.get_item(1)?, key.get_item(2)?.extract()?),
            _ => return Err(wrong()),
        };
        let shape = shape(&grid, &block, shared, None, false)?;
        Ok(ConfiguredKernel { kernel: slf.clone().unbind(), shape })
    }

    fn __repr__(&self) -> String {
        let params: Vec<String> =
            self.params().into_iter().map(|(name, ty)| format!(".{ty} {name}")).collect();
        format!("<ptx_llvm.Kernel {}({})>", self.core.name(), params.join(", "))
    }
}

/// A kernel with the shape of its launches, ``kernel[grid, block]``.
#[pyclass(frozen, module = "ptx_llvm", name = "ConfiguredKernel")]
pub(crate) struct ConfiguredKernel {
    kernel: Py<Kernel>,
    shape: Shape,
}

#[pymethods]
impl ConfiguredKernel {
    /// Launches the kernel and waits for its end, as :meth:`Kernel.launch`.
    #[pyo3(signature = (*args, timeout = None))]
    fn __call__(&self, args: &Bound<'_, PyTuple>, timeout: Option<f64>) -> PyResult<Report> {
        let arguments: Vec<_> = args.iter().collect();
        self.kernel.get().run(args.py(), &self.shape, &arguments, timeout)
    }

    fn __repr__(&self) -> String {
        let Shape { grid, block, .. } = self.shape;
        format!("<ptx_llvm.ConfiguredKernel {}, grid {grid:?}, block {block:?}>", self.kernel.get().name())
    }
}

/// What a launch did.
#[pyclass(frozen, get_all, module = "ptx_llvm", name = "Report")]
pub(crate) struct Report {
    /// Instructions that the interpreter executed of warps: each counts once for a warp.
    warp_instructions: u64,
    /// Instructions that the interpreter executed of threads.
    thread_instructions: u64,
    /// Blocks that native code executed, whose instructions are not counted.
    compiled_blocks: u64,
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        let Self { warp_instructions, thread_instructions, compiled_blocks } = self;
        format!(
            "<ptx_llvm.Report warp_instructions={warp_instructions}, thread_instructions={thread_instructions}, \
             compiled_blocks={compiled_blocks}>"
        )
    }
}

//! Memory of devices, and memory of Python objects.
//!
//! Objects give their memory by Python's buffer protocol. It is only copied, with pyo3's [`PyBuffer`], while Python's lock is held: kernels never
//! access it, so that no other thread of Python can change it under a kernel, and a kernel that goes wrong cannot change what Python owns.

use std::sync::Arc;

use ptx_device::Device as Core;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView, PyString, PyTuple};

use crate::errors::device_error;

/// Memory of a device: freed with the last handle, or that of a variable of a module.
pub(crate) struct Allocation {
    device: Core,
    /// The address of the first byte.
    pub(crate) address: u64,
    /// The size in bytes.
    pub(crate) bytes: u64,
    owner: Owner,
}

/// What memory of a device belongs to.
enum Owner {
    /// The handle.
    Handle,
    /// A module, which is kept as long as the memory is.
    Module(#[allow(dead_code, reason = "it is only kept")] ptx_device::Module),
}

impl Allocation {
    /// Allocates zeroed memory.
    pub(crate) fn new(py: Python<'_>, device: &Core, bytes: u64) -> PyResult<Arc<Self>> {
        // An array without elements has an address, too.
        let address = device.allocate(bytes.max(1)).map_err(|error| device_error(py, &error))?;
        Ok(Arc::new(Self { device: device.clone(), address, bytes, owner: Owner::Handle }))
    }

    /// The memory of a variable.
    pub(crate) fn of_variable(module: &ptx_device::Module, address: u64, bytes: u64) -> Arc<Self> {
        let owner = Owner::Module(module.clone());
        Arc::new(Self { device: module.device().clone(), address, bytes, owner })
    }

    pub(crate) fn write(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.device.write(self.address, bytes).map_err(|error| device_error(py, &error))
    }

    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let length = usize::try_from(self.bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut bytes = vec![0; length];
        if !bytes.is_empty() {
            self.device.read(self.address, &mut bytes).map_err(|error| device_error(py, &error))?;
        }
        Ok(bytes)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Owner::Handle = self.owner {
            // It was allocated, and nothing else frees it.
            let _ = self.device.release(self.address);
        }
    }
}

/// The memory of an object with the buffer protocol, or of one with DLPack, which NumPy views without a copy; `None` for other objects.
pub(crate) fn viewed<'py>(
    object: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
    if let Ok(view) = PyMemoryView::from(object) {
        return Ok(Some(view));
    }
    if !object.hasattr("__dlpack__")? {
        return Ok(None);
    }
    let view = PyMemoryView::from(&object.py().import("numpy")?.call_method1("from_dlpack", (object,))?)?;
    // Some versions of NumPy never give the right to write, and what kernels write would be lost.
    if view.getattr("readonly")?.extract()? {
        let text =
            format!("NumPy gives the memory of {what} as read-only: numpy.asarray(..) makes an array of it");
        return Err(PyTypeError::new_err(text));
    }
    Ok(Some(view))
}

/// The memory of an object, as bytes.
pub(crate) struct HostArray {
    /// The bytes; `None` if there are none, which cannot be viewed as bytes.
    buffer: Option<PyBuffer<u8>>,
    /// The address of its first byte, which tells arrays apart and is not accessed.
    pub(crate) start: usize,
    /// The number of its bytes.
    pub(crate) bytes: usize,
    /// Whether it must not be written.
    pub(crate) is_readonly: bool,
    /// The type of an element, as Python's module `struct` names it.
    pub(crate) format: String,
    /// The number of elements along each axis.
    pub(crate) shape: Vec<usize>,
}

impl HostArray {
    /// The memory of an object; `what` names it in errors.
    pub(crate) fn new(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let view = viewed(object, what)?.ok_or_else(|| no_buffer(object, what))?;
        let of_view = |name: &str| view.getattr(name);
        if !of_view("c_contiguous")?.extract::<bool>()? {
            let text = format!("{what} is not contiguous in C's order: numpy.ascontiguousarray copies it");
            return Err(PyValueError::new_err(text));
        }
        let bytes: usize = of_view("nbytes")?.extract()?;
        let format: String = of_view("format")?.extract()?;
        let mut found = Self {
            buffer: None,
            start: 0,
            bytes,
            is_readonly: of_view("readonly")?.extract()?,
            shape: of_view("shape")?.extract()?,
            format,
        };
        if bytes > 0 {
            let buffer = PyBuffer::<u8>::get(&view.call_method1("cast", ("B",))?)?;
            found.start = buffer.buf_ptr().addr();
            found.buffer = Some(buffer);
        }
        Ok(found)
    }

    /// Its bytes.
    pub(crate) fn read(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.buffer.as_ref().map_or_else(|| Ok(Vec::new()), |buffer| buffer.to_vec(py))
    }

    /// Overwrites its bytes, of which there must be as many.
    pub(crate) fn write(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        self.buffer.as_ref().map_or(Ok(()), |buffer| buffer.copy_from_slice(py, bytes))
    }

    /// Whether it has bytes in common with another one.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.start < other.start + other.bytes && other.start < self.start + self.bytes
    }
}

fn no_buffer(object: &Bound<'_, PyAny>, what: &str) -> PyErr {
    match object.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!(
            "{what} is a {name}, which does not give its memory (the buffer protocol)"
        )),
        Err(error) => error,
    }
}

/// The type of the elements of an array.
struct Element {
    /// As Python's module `struct` names it.
    format: String,
    /// The type of NumPy, if the array is one of NumPy's or was described by it.
    dtype: Option<Py<PyAny>>,
}

impl Element {
    /// A type with its size in bytes, from a character of Python's module `struct`, or what `numpy.dtype` takes.
    fn named(dtype: &Bound<'_, PyAny>) -> PyResult<(Self, usize)> {
        let py = dtype.py();
        if let Ok(text) = dtype.cast::<PyString>()
            && text.len()? == 1
        {
            let format: String = text.extract()?;
            let size = py.import("struct")?.call_method1("calcsize", (text,)).and_then(|size| size.extract());
            // Characters about the order of bytes alone have no size.
            let size = size.ok().filter(|size| *size > 0);
            let size =
                size.ok_or_else(|| PyValueError::new_err(format!("{format:?} is not the type of a number")))?;
            return Ok((Self { format, dtype: None }, size));
        }
        let dtype = py.import("numpy")?.getattr("dtype")?.call1((dtype,))?;
        let (format, size) = (dtype.getattr("char")?.extract()?, dtype.getattr("itemsize")?.extract()?);
        Ok((Self { format, dtype: Some(dtype.unbind()) }, size))
    }

    /// That of an array.
    fn of(array: &Bound<'_, PyAny>, format: String) -> PyResult<Self> {
        let dtype = array.getattr_opt("dtype")?.map(Bound::unbind);
        Ok(Self { format, dtype })
    }
}

/// The lengths of an array: a number, or several.
fn lengths(shape: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    shape.extract::<usize>().map(|length| vec![length]).or_else(|_| shape.extract::<Vec<usize>>())
}

/// Memory of a device that stays there between launches. It is passed to kernels as its address, and is freed when the last
/// reference is gone.
#[pyclass(frozen, module = "ptx_llvm", name = "DeviceArray")]
pub(crate) struct DeviceArray {
    pub(crate) memory: Arc<Allocation>,
    element: Element,
    shape: Vec<usize>,
}

impl DeviceArray {
    /// Zeroed memory for elements of a type.
    pub(crate) fn zeros(
        py: Python<'_>,
        device: &Core,
        shape: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (shape, (element, size)) = (lengths(shape)?, Element::named(dtype)?);
        let bytes = shape.iter().try_fold(size, |bytes, length| bytes.checked_mul(*length));
        let bytes =
            bytes.ok_or_else(|| PyValueError::new_err("the array is larger than the address space"))?;
        Ok(Self { memory: Allocation::new(py, device, bytes as u64)?, element, shape })
    }

    /// A copy of an array.
    pub(crate) fn copied(device: &Core, array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = array.py();
        let host = HostArray::new(array, "the array")?;
        let memory = Allocation::new(py, device, host.bytes as u64)?;
        memory.write(py, &host.read(py)?)?;
        Ok(Self { memory, element: Element::of(array, host.format)?, shape: host.shape })
    }

    /// The bytes of a variable.
    pub(crate) fn of_variable(memory: Arc<Allocation>) -> Self {
        let length = memory.bytes as usize;
        Self { memory, element: Element { format: "B".to_owned(), dtype: None }, shape: vec![length] }
    }

    /// An error unless an array has as many bytes.
    fn require(&self, host: &HostArray) -> PyResult<()> {
        if host.bytes as u64 == self.memory.bytes {
            return Ok(());
        }
        let (given, own) = (host.bytes, self.memory.bytes);
        Err(PyValueError::new_err(format!("the array has {given} bytes, the memory of the device {own}")))
    }

    fn to_numpy<'py>(
        &self,
        numpy: &Bound<'py, PyAny>,
        bytes: &Bound<'py, PyByteArray>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = numpy.py();
        let shape = PyTuple::new(py, &self.shape)?;
        let dtype = match &self.element.dtype {
            Some(dtype) => dtype.bind(py).clone(),
            None => PyString::new(py, &self.element.format).into_any(),
        };
        // An empty buffer is refused.
        if self.memory.bytes == 0 {
            return numpy.call_method1("empty", (shape, dtype));
        }
        numpy.call_method1("frombuffer", (bytes, dtype))?.call_method1("reshape", (shape,))
    }
}

#[pymethods]
impl DeviceArray {
    /// The address in the memory of the device. Sums of it and numbers are addresses, too, for kernels that take them.
    #[getter]
    fn address(&self) -> u64 {
        self.memory.address
    }

    /// The size in bytes.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.memory.bytes
    }

    /// The number of elements along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The type of an element, as Python's module ``struct`` names it.
    #[getter]
    fn format(&self) -> &str {
        &self.element.format
    }

    /// Copies the contents into an array of the same size, or into a new one, and returns it. A new one is a NumPy array if NumPy is
    /// installed, and otherwise a ``memoryview``.
    #[pyo3(signature = (out = None))]
    fn copy_to_host<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(out) = out {
            let host = HostArray::new(&out, "the array")?;
            self.require(&host)?;
            if host.is_readonly {
                return Err(PyValueError::new_err("the array is read-only"));
            }
            host.write(py, &self.memory.read(py)?)?;
            return Ok(out);
        }
        let bytes = PyByteArray::new(py, &self.memory.read(py)?);
        if let Ok(numpy) = py.import("numpy") {
            return self.to_numpy(&numpy, &bytes);
        }
        let view = PyMemoryView::from(&bytes)?;
        if self.memory.bytes == 0 {
            return Ok(view.into_any());
        }
        view.call_method1("cast", (self.element.format.as_str(), PyTuple::new(py, &self.shape)?))
    }

    /// Copies the contents of an array of the same size to the device.
    fn copy_from_host(&self, py: Python<'_>, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let host = HostArray::new(array, "the array")?;
        self.require(&host)?;
        self.memory.write(py, &host.read(py)?)
    }

    fn __len__(&self) -> PyResult<usize> {
        self.shape.first().copied().ok_or_else(|| PyTypeError::new_err("an array without axes has no length"))
    }

    fn __repr__(&self) -> String {
        format!("<ptx_llvm.DeviceArray at {:#x}, {} bytes>", self.memory.address, self.memory.bytes)
    }
}

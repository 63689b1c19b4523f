//! Arguments of a launch, as the parameters of its kernel declare them.

use std::sync::Arc;

use ptx_device::{Argument, Device as Core, Kernel, Parameter};
use ptx_isa::{ScalarType, TypeKind};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyMemoryView};

use crate::memory::{Allocation, DeviceArray, HostArray, viewed};
use crate::texture::TextureObject;

/// An array that is on the device during a launch.
struct Copy {
    host: HostArray,
    memory: Arc<Allocation>,
}

/// The arguments of a launch, which keep the memory that it uses until they are dropped.
pub(crate) struct Arguments {
    /// Their values.
    pub(crate) values: Vec<Argument>,
    copies: Vec<Copy>,
    /// The memory of arguments that were on the device before.
    kept: Vec<Arc<Allocation>>,
}

impl Arguments {
    /// Converts arguments, and copies arrays to the device.
    pub(crate) fn new(py: Python<'_>, kernel: &Kernel, given: &[Bound<'_, PyAny>]) -> PyResult<Self> {
        let parameters = kernel.parameters();
        if parameters.len() != given.len() {
            return Err(PyTypeError::new_err(format!(
                "kernel {} takes {}, not {}",
                kernel.name(),
                ptx_diag::counted(parameters.len(), "argument"),
                given.len()
            )));
        }
        let mut arguments = Self { values: Vec::new(), copies: Vec::new(), kept: Vec::new() };
        let device = kernel.module().device();
        for (number, (parameter, object)) in parameters.iter().zip(given).enumerate() {
            let what = format!("argument {number} ({})", parameter.name);
            let value = arguments.value(device, parameter, object, &what)?;
            arguments.values.push(value);
        }
        arguments.check_overlaps()?;
        for copy in &arguments.copies {
            copy.memory.write(py, &copy.host.read(py)?)?;
        }
        Ok(arguments)
    }

    /// Copies arrays back that are not read-only.
    pub(crate) fn copy_back(&self, py: Python<'_>) -> PyResult<()> {
        let written = self.copies.iter().filter(|copy| !copy.host.is_readonly);
        written.into_iter().try_for_each(|copy| copy.host.write(py, &copy.memory.read(py)?))
    }

    /// Arrays are copied as wholes, so that parts of each other would not be the same memory on the device.
    fn check_overlaps(&self) -> PyResult<()> {
        for (at, copy) in self.copies.iter().enumerate() {
            let mut others = self.copies[at + 1..].iter().map(|other| &other.host);
            if others.any(|other| other.overlaps(&copy.host) && !(other.is_readonly && copy.host.is_readonly))
            {
                return Err(PyValueError::new_err(
                    "two arrays overlap without being the same: Device.to_device copies memory that kernels share",
                ));
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        device: &Core,
        parameter: &Parameter,
        object: &Bound<'_, PyAny>,
        what: &str,
    ) -> PyResult<Argument> {
        let py = object.py();
        if let Ok(array) = object.cast::<DeviceArray>() {
            let memory = array.get().memory.clone();
            let address = memory.address;
            self.kept.push(memory);
            return address_argument(parameter, address, what);
        }
        if let Ok(texture) = object.cast::<TextureObject>() {
            return address_argument(parameter, texture.get().handle().value(), what);
        }
        if object.is_none() {
            return address_argument(parameter, 0, what);
        }
        if object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>() {
            return number(parameter, object, what);
        }
        let Some(view) = viewed(object, what)? else { return number(parameter, object, what) };
        let is_scalar =
            view.getattr("ndim")?.extract::<usize>()? == 0 && view.getattr("readonly")?.extract()?;
        let bytes: usize = view.getattr("nbytes")?.extract()?;
        if parameter.is_array {
            return structure(parameter, &view, bytes, what);
        }
        if is_scalar {
            return scalar(parameter, object, &view, bytes, what);
        }
        if !is_address(parameter) {
            if bytes == parameter.bytes as usize {
                return structure(parameter, &view, bytes, what);
            }
            let ty = parameter.ty.as_str();
            let text = format!("{what} has the type .{ty}, which cannot hold the address of an array");
            return Err(PyTypeError::new_err(text));
        }
        let host = HostArray::new(object, what)?;
        let is_same = |copy: &&mut Copy| copy.host.start == host.start && copy.host.bytes == host.bytes;
        let memory = match self.copies.iter_mut().filter(|copy| copy.host.bytes > 0).find(is_same) {
            Some(copy) => {
                if copy.host.is_readonly && !host.is_readonly {
                    copy.host = host;
                }
                copy.memory.clone()
            }
            None => {
                let memory = Allocation::new(py, device, host.bytes as u64)?;
                self.copies.push(Copy { host, memory: memory.clone() });
                memory
            }
        };
        address_argument(parameter, memory.address, what)
    }
}

/// Whether a parameter can be an address: an integer of 64 bits.
fn is_address(parameter: &Parameter) -> bool {
    let is_integer = matches!(parameter.ty.kind(), TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed);
    is_integer && !parameter.is_array && parameter.bytes == 8
}

fn address_argument(parameter: &Parameter, address: u64, what: &str) -> PyResult<Argument> {
    if is_address(parameter) {
        return Ok(address.into());
    }
    let array = if parameter.is_array { "an array of " } else { "" };
    let ty = parameter.ty.as_str();
    Err(PyTypeError::new_err(format!("{what} is {array}.{ty}, and an address has 64 bits")))
}

/// The bytes of a parameter that is passed by value.
fn structure(
    parameter: &Parameter,
    view: &Bound<'_, PyMemoryView>,
    bytes: usize,
    what: &str,
) -> PyResult<Argument> {
    if bytes != parameter.bytes as usize {
        let text = format!("{what} is passed by value and has {} bytes, not {bytes}", parameter.bytes);
        return Err(PyTypeError::new_err(text));
    }
    Ok(Argument::bytes(view.call_method0("tobytes")?.extract::<Vec<u8>>()?))
}

/// A number of NumPy, whose type is kept if it is that of the parameter.
fn scalar(
    parameter: &Parameter,
    object: &Bound<'_, PyAny>,
    view: &Bound<'_, PyMemoryView>,
    bytes: usize,
    what: &str,
) -> PyResult<Argument> {
    let format: String = view.getattr("format")?.extract()?;
    let is_float = matches!(format.as_str(), "e" | "f" | "d");
    let is_kept = match parameter.ty.kind() {
        TypeKind::Bits => true,
        TypeKind::Float => is_float,
        TypeKind::Unsigned | TypeKind::Signed => !is_float,
        TypeKind::Packed | TypeKind::Predicate => false,
    };
    if is_kept && bytes == parameter.bytes as usize {
        return structure(parameter, view, bytes, what);
    }
    number(parameter, object, what)
}

/// A number, by the type of the parameter.
fn number(parameter: &Parameter, object: &Bound<'_, PyAny>, what: &str) -> PyResult<Argument> {
    let ty = parameter.ty;
    if parameter.is_array {
        let text = format!("{what} is an array of .{}, which is passed by value as bytes", ty.as_str());
        return Err(PyTypeError::new_err(text));
    }
    let is_integer = object.hasattr("__index__")?;
    if !is_integer && !object.hasattr("__float__")? {
        let name = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{what} is a {name}: neither a number nor an array")));
    }
    match (ty, is_integer) {
        (ScalarType::F32, _) | (ScalarType::B32, false) => Ok((object.extract::<f64>()? as f32).into()),
        (ScalarType::F64, _) | (ScalarType::B64, false) => Ok(object.extract::<f64>()?.into()),
        _ => match ty.kind() {
            TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed if is_integer => {
                integer(parameter, object, what)
            }
            TypeKind::Bits
            | TypeKind::Unsigned
            | TypeKind::Signed
            | TypeKind::Float
            | TypeKind::Packed
            | TypeKind::Predicate => {
                let name = object.get_type().name()?;
                let text = format!(
                    "{what} has the type .{}, which a {name} is not converted to; its bytes can be passed",
                    ty.as_str()
                );
                Err(PyTypeError::new_err(text))
            }
        },
    }
}

/// An integer. Compilers declare signed integers as unsigned ones, too, so that both are accepted.
fn integer(parameter: &Parameter, object: &Bound<'_, PyAny>, what: &str) -> PyResult<Argument> {
    let (ty, bits) = (parameter.ty.as_str(), parameter.ty.bits());
    let out_of_range = || PyOverflowError::new_err(format!("{what} does not fit .{ty}"));
    let value = object.call_method0("__index__")?.extract::<i128>().map_err(|_| out_of_range())?;
    if bits < 128 && !(-(1i128 << (bits - 1))..1i128 << bits).contains(&value) {
        return Err(out_of_range());
    }
    Ok(Argument::bytes(&value.to_le_bytes()[..parameter.bytes as usize]))
}

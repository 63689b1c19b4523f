//! Textures and surfaces of devices.

use ptx_device::Device as Core;
use ptx_device::texture::{
    AddressMode, ChannelFormat, Extent, Filter, Handle, Image, ReadMode, Sampler, SharedImage, Texture,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::device_error;
use crate::memory::HostArray;

/// A texture or surface of a device, which is passed to kernels as its handle, and is destroyed when the last reference is gone.
#[pyclass(frozen, module = "ptx_llvm", name = "Texture")]
pub(crate) struct TextureObject {
    device: Core,
    handle: Handle,
    image: SharedImage,
}

impl Drop for TextureObject {
    fn drop(&mut self) {
        // It was made, and nothing else destroys it, so that there is no error.
        let destroy = || drop(self.device.destroy(self.handle));
        // That waits for launches, during which other threads of Python go on; an interpreter that ends has none.
        if Python::try_attach(|py| py.detach(destroy)).is_none() {
            destroy();
        }
    }
}

/// How a texture is read.
pub(crate) struct Reading {
    /// ``point`` or ``linear``.
    pub(crate) filter: String,
    /// ``clamp``, ``wrap``, ``mirror`` or ``border``.
    pub(crate) address_mode: String,
    /// Whether coordinates are from 0 to 1.
    pub(crate) is_normalized: bool,
    /// Whether 8- and 16-bit integers are read as numbers from 0 or -1 to 1.
    pub(crate) reads_fractions: bool,
}

impl Reading {
    fn texture(&self) -> PyResult<Texture> {
        let filter = match self.filter.as_str() {
            "point" => Filter::Point,
            "linear" => Filter::Linear,
            other => return Err(unknown("filter", other, "\"point\" or \"linear\"")),
        };
        let address = match self.address_mode.as_str() {
            "clamp" => AddressMode::Clamp,
            "wrap" => AddressMode::Wrap,
            "mirror" => AddressMode::Mirror,
            "border" => AddressMode::Border,
            other => {
                let known = "\"clamp\", \"wrap\", \"mirror\" or \"border\"";
                return Err(unknown("address mode", other, known));
            }
        };
        let read = if self.reads_fractions { ReadMode::NormalizedFloat } else { ReadMode::Element };
        let sampler = Sampler { address: [address; 3], filter, ..Sampler::default() };
        let texture = Texture::new(0);
        Ok(Texture { read, normalized: Some(self.is_normalized), sampler: Some(sampler), ..texture })
    }
}

fn unknown(what: &str, given: &str, known: &str) -> PyErr {
    PyValueError::new_err(format!("the {what} is {known}, not {given:?}"))
}

impl TextureObject {
    /// A texture with the contents of an array.
    pub(crate) fn texture(
        device: &Core,
        array: &Bound<'_, PyAny>,
        channels: u32,
        reading: &Reading,
    ) -> PyResult<Self> {
        let (py, texture) = (array.py(), reading.texture()?);
        let image = image(device, array, channels)?;
        let made = py.detach(|| device.texture(&image, &texture));
        let handle = made.map_err(|error| device_error(py, &error))?;
        Ok(Self { device: device.clone(), handle, image })
    }

    /// A surface with the contents of an array.
    pub(crate) fn surface(device: &Core, array: &Bound<'_, PyAny>, channels: u32) -> PyResult<Self> {
        let py = array.py();
        let image = image(device, array, channels)?;
        let made = py.detach(|| device.surface(&image, 0));
        let handle = made.map_err(|error| device_error(py, &error))?;
        Ok(Self { device: device.clone(), handle, image })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }
}

/// The image with the texels of an array of one, two or three axes, after which there may be one of channels.
fn image(device: &Core, array: &Bound<'_, PyAny>, channels: u32) -> PyResult<SharedImage> {
    let py = array.py();
    let host = HostArray::new(array, "the image")?;
    let format = format(&host.format)?;
    let axes = match channels {
        1 => host.shape.as_slice(),
        2 | 4 => match host.shape.split_last() {
            Some((last, axes)) if *last == channels as usize => axes,
            _ => {
                let text = format!("the last axis of the image has to be that of its {channels} channels");
                return Err(PyValueError::new_err(text));
            }
        },
        other => return Err(PyValueError::new_err(format!("an image has 1, 2 or 4 channels, not {other}"))),
    };
    let sizes = axes.iter().map(|size| u32::try_from(*size)).collect::<Result<Vec<_>, _>>();
    let sizes = sizes.map_err(|_| PyValueError::new_err("the image is too large"))?;
    let extent = match sizes[..] {
        [width] => Extent::D1 { width },
        [height, width] => Extent::D2 { width, height },
        [depth, height, width] => Extent::D3 { width, height, depth },
        _ => {
            let text = format!("an image has 1, 2 or 3 axes, not {}", sizes.len());
            return Err(PyValueError::new_err(text));
        }
    };
    let made = device.image(Image::array(format, channels, extent, host.read(py)?));
    made.map_err(|error| device_error(py, &error))
}

/// The format of channels that an array's elements have.
fn format(format: &str) -> PyResult<ChannelFormat> {
    Ok(match format {
        "B" => ChannelFormat::Unsigned8,
        "b" => ChannelFormat::Signed8,
        "H" => ChannelFormat::Unsigned16,
        "h" => ChannelFormat::Signed16,
        "I" => ChannelFormat::Unsigned32,
        "i" => ChannelFormat::Signed32,
        "e" => ChannelFormat::Half,
        "f" => ChannelFormat::Float,
        other => {
            let text =
                format!("an image has elements of 8, 16 or 32 bits, and floats of 16 or 32, not {other:?}");
            return Err(PyTypeError::new_err(text));
        }
    })
}

#[pymethods]
impl TextureObject {
    /// The number that kernels take.
    #[getter]
    fn handle_value(&self) -> u64 {
        self.handle.value()
    }

    /// The contents, which kernels change through a surface, as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let texels = self.image.texels();
        let texels = texels.ok_or_else(|| PyTypeError::new_err("the image is in memory of the device"))?;
        Ok(PyBytes::new(py, &texels))
    }

    fn __repr__(&self) -> String {
        let kind = match self.handle {
            Handle::Texture(_) => "texture",
            Handle::Sampler(_) => "sampler",
            Handle::Surface(_) => "surface",
        };
        format!("<ptx_llvm.Texture {kind} {:#x}>", self.handle.value())
    }
}

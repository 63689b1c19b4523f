//! Images: what modules and libraries are loaded from.

use std::ffi::{CStr, c_uint};
use std::sync::Once;

use ptx_device::DeviceError;
use ptx_image::{Files, ImageError, Kind, container, cubin, fatbin};

use crate::driver::Gpu;
use crate::error::{Answer, CUresult, Failure};
use crate::log::LOG;
use crate::pointer::{In, Out, host_bytes, write_text};

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Self {
        let result = match &error {
            ImageError::Invalid(_) => CUresult::INVALID_IMAGE,
            ImageError::NoPtx(_) | ImageError::IntermediateCode => CUresult::NO_BINARY_FOR_GPU,
            ImageError::MachineCode(reason) => {
                static TOLD: Once = Once::new();
                let text = format!(
                    "{reason}; this driver executes PTX: see its documentation for how the program is made to pass PTX on"
                );
                TOLD.call_once(|| LOG.report(&format!("ptx-cuda: {text}")));
                return Failure::because(CUresult::NO_BINARY_FOR_GPU, text);
            }
        };
        Failure::because(result, error.to_string())
    }
}

/// Reads an image from memory. Its size is known from the image itself, as the driver's functions are not told it, or it is `size`.
pub fn read(address: u64, size: Option<usize>, gpu: &Gpu) -> Answer<Files> {
    if address == 0 {
        return Err(Failure::value("an image is null"));
    }
    let newest = gpu.model.architecture.number.into();
    if let Some(size) = size {
        let bytes = host_bytes(address, size);
        return match Kind::of(bytes) {
            Kind::Wrapper => wrapped(address, gpu),
            _ => Ok(ptx_image::read(bytes, newest)?),
        };
    }
    // Bytes are read one by one: the image may be a shorter text.
    let known = (0..Kind::PREFIX)
        .take_while(|&index| index == 0 || host_bytes(address + index as u64 - 1, 1)[0] != 0)
        .count();
    let size = match Kind::of(host_bytes(address, known)) {
        Kind::Wrapper => return wrapped(address, gpu),
        // Images of these kinds are refused for their first bytes.
        Kind::Archive | Kind::IntermediateCode => known,
        // The first seven bytes of a header are not zero.
        Kind::Elf if known < 7 => known,
        Kind::Elf => {
            let tables = cubin::tables(&In::at(address).get()?)?;
            cubin::size(host_bytes(address, tables))?
        }
        Kind::FatBinary => fatbin::size(&In::at(address).get()?)?,
        Kind::Container => container::size(&In::at(address).get()?)?,
        // SAFETY: an image that is none of the above is a text that ends with a zero.
        Kind::Text => unsafe { CStr::from_ptr(address as *const libc::c_char) }.count_bytes(),
    };
    Ok(ptx_image::read(host_bytes(address, size), newest)?)
}

/// Reads the fat binary that a structure refers to.
fn wrapped(address: u64, gpu: &Gpu) -> Answer<Files> {
    let fields: [u64; 2] = In::at(address).get()?;
    read(fields[1], None, gpu)
}

/// Reads an image from a file.
pub fn read_file(path: &[u8], gpu: &Gpu) -> Answer<Files> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path));
    let failed = |error: std::io::Error| {
        Failure::because(CUresult::FILE_NOT_FOUND, format!("{}: {error}", path.display()))
    };
    let bytes = std::fs::read(path).map_err(failed)?;
    let mut files = ptx_image::read(&bytes, gpu.model.architecture.number.into())?;
    if let [(name, _)] = &mut files.list[..] {
        *name = path.display().to_string();
    }
    Ok(files)
}

/// The options of compilation: buffers for messages, of which the last size is how much was written.
#[derive(Debug, Default)]
pub struct JitOptions {
    pub info: Option<Out<u8>>,
    pub info_size: Option<(usize, Out<usize>)>,
    pub errors: Option<Out<u8>>,
    pub errors_size: Option<(usize, Out<usize>)>,
    pub time: Option<Out<f32>>,
    /// The most registers of a thread.
    pub registers: Option<u32>,
}

impl JitOptions {
    /// Reads a list of options (`CUjit_option`) and their values, which are numbers, or pointers, in the size of a pointer.
    pub fn read(count: c_uint, options: In<c_uint>, values: Out<usize>) -> Answer<Self> {
        let options = options.list(count as usize)?;
        let given = In::at(values.address()).list(count as usize)?;
        let mut read = Self::default();
        for (index, (&option, &value)) in options.iter().zip(&given).enumerate() {
            let value: usize = value;
            let slot = values.cast::<usize>().nth(index);
            let buffer = Out::at(value as u64);
            match option {
                0 => read.registers = Some(value as u32).filter(|&registers| registers > 0),
                2 => read.time = Some(slot.cast()),
                3 => read.info = Some(buffer),
                4 => read.info_size = Some((value as u32 as usize, slot)),
                5 => read.errors = Some(buffer),
                6 => read.errors_size = Some((value as u32 as usize, slot)),
                // Options that concern machine code, and reserved ones.
                1 | 7..=33 => {}
                _ => return Err(Failure::value(format!("there is no option {option} of compilation"))),
            }
        }
        Ok(read)
    }

    pub fn write(buffer: Option<Out<u8>>, size: Option<(usize, Out<usize>)>, text: &str) -> Answer {
        if let Some((room, slot)) = size {
            let written = match buffer {
                Some(buffer) if !buffer.is_null() => write_text(buffer, room, text.as_bytes())?,
                _ => 0,
            };
            slot.set(written)?;
        }
        Ok(())
    }

    /// Writes the messages about a module.
    pub fn tell(&self, errors: &str, info: &str) -> Answer {
        Self::write(self.errors, self.errors_size, errors)?;
        Self::write(self.info, self.info_size, info)?;
        if let Some(time) = self.time {
            time.set(0.0)?;
        }
        Ok(())
    }
}

/// Loads files as a module of a device.
pub fn load(gpu: &'static Gpu, files: &Files, options: &JitOptions) -> Answer<ptx_device::Module> {
    let loaded = ptx_device::Module::link(&gpu.device, files.list.iter().cloned());
    match loaded {
        Ok(module) => {
            let warnings: Vec<&str> = module.warnings().iter().map(|warning| warning.text.as_str()).collect();
            options.tell("", &warnings.join("\n"))?;
            Ok(module)
        }
        Err(error) => {
            options.tell(&error.to_string(), "")?;
            if matches!(error, DeviceError::Module(_) | DeviceError::Target { .. })
                && options.errors.is_none()
            {
                LOG.report(&error.to_string());
            }
            Err(gpu.failure(error))
        }
    }
}

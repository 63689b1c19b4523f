//! Images: what modules and libraries are loaded from.

use std::ffi::{CStr, c_uint};
use std::sync::Once;

use ptx_device::DeviceError;

use crate::driver::Gpu;
use crate::error::{Answer, CUresult, Failure};
use crate::fatbin;
use crate::log;
use crate::pointer::{In, Out, host_bytes, write_text};

/// The files of a module.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Names and texts.
    pub list: Vec<(String, Vec<u8>)>,
    /// The most registers of a thread, if they were limited.
    pub registers: Option<u32>,
}

/// The beginning of what linking returns: this, the bytes that follow, the number of files, the most registers or zero, and each file's name and
/// text with their sizes before them; all numbers have 64 bits.
const CONTAINER: &[u8; 8] = b"\x7fPTXFILE";

/// Packs files into what [`read`] reads.
pub fn pack(files: &Files) -> Vec<u8> {
    let mut packed = Vec::new();
    for (name, text) in &files.list {
        for part in [name.as_bytes(), text] {
            packed.extend((part.len() as u64).to_le_bytes());
            packed.extend_from_slice(part);
        }
    }
    let mut all = CONTAINER.to_vec();
    all.extend((packed.len() as u64).to_le_bytes());
    all.extend((files.list.len() as u64).to_le_bytes());
    // Default: zero is no limit.
    all.extend(u64::from(files.registers.unwrap_or(0)).to_le_bytes());
    all.extend(packed);
    all
}

fn unpack(mut bytes: &[u8], count: u64, registers: u64) -> Answer<Files> {
    let mut part = || {
        let (size, rest) = bytes.split_first_chunk::<8>()?;
        let size = usize::try_from(u64::from_le_bytes(*size)).ok()?;
        let (part, rest) = rest.split_at_checked(size)?;
        bytes = rest;
        Some(part.to_vec())
    };
    let mut file = || Some((String::from_utf8(part()?).ok()?, part()?));
    let list: Option<Vec<_>> = (0..count.min(1 << 20)).map(|_| file()).collect();
    let registers = u32::try_from(registers).ok().filter(|&registers| registers > 0);
    list.map(|list| Files { list, registers })
        .ok_or_else(|| Failure::because(CUresult::INVALID_IMAGE, "the linked files end early"))
}

fn text(name: &str, text: &[u8]) -> Answer<Files> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(Failure::because(CUresult::INVALID_IMAGE, "the image is empty"));
    }
    Ok(Files { list: vec![(name.to_owned(), text.to_vec())], registers: None })
}

/// Machine code, of which there is nothing to execute.
fn machine_code() -> Failure {
    let text = "the image is machine code (a cubin) and has no PTX; this driver executes PTX: see its documentation for how the program is made to pass PTX on";
    static TOLD: Once = Once::new();
    TOLD.call_once(|| log::report(&format!("ptx-cuda: {text}")));
    Failure::because(CUresult::NO_BINARY_FOR_GPU, text)
}

/// Reads an image from memory. Its size is known from the image itself, as the driver's functions are not told it, or it is `size`.
pub fn read(address: u64, size: Option<usize>, gpu: &Gpu) -> Answer<Files> {
    if address == 0 {
        return Err(Failure::value("an image is null"));
    }
    // The size of what is not recognized is that of a text, so that no more is read than there is.
    let has = |count: usize| {
        let known = size.map_or(count, |size| size.min(count));
        // Bytes are read one by one: the image may be a shorter text.
        (0..known)
            .take_while(|&index| index == 0 || host_bytes(address + index as u64 - 1, 1)[0] != 0)
            .count()
    };
    let begins_with =
        |magic: &[u8]| has(magic.len()) >= magic.len() && host_bytes(address, magic.len()) == magic;
    if begins_with(b"\x7fELF") {
        return Err(machine_code());
    }
    if begins_with(&fatbin::WRAPPER_MAGIC.to_le_bytes()) {
        let fields: [u64; 2] = In::from_address(address).get()?;
        return read(fields[1], None, gpu);
    }
    let newest = gpu.model.architecture.number.into();
    if begins_with(&fatbin::MAGIC.to_le_bytes()) {
        let header: [u8; 16] = In::from_address(address).get()?;
        let bytes = fatbin::size(&header)?;
        if size.is_some_and(|size| size < bytes) {
            return Err(Failure::because(CUresult::INVALID_IMAGE, "the fat binary is cut off"));
        }
        return text("fatbin.ptx", &without_zero(&fatbin::ptx(host_bytes(address, bytes), newest)?));
    }
    if begins_with(CONTAINER) {
        let [_, bytes, count, registers]: [u64; 4] = In::from_address(address).get()?;
        let bytes = usize::try_from(bytes).ok().filter(|&bytes| bytes <= 1 << 30);
        let bytes =
            bytes.ok_or_else(|| Failure::because(CUresult::INVALID_IMAGE, "the size of linked files"))?;
        if size.is_some_and(|size| size < bytes + 32) {
            return Err(Failure::because(CUresult::INVALID_IMAGE, "the linked files are cut off"));
        }
        return unpack(host_bytes(address + 32, bytes), count, registers);
    }
    match size {
        Some(size) => text("module.ptx", &without_zero(host_bytes(address, size))),
        // SAFETY: an image that is none of the above is a text that ends with a zero.
        None => text("module.ptx", unsafe { CStr::from_ptr(address as *const libc::c_char) }.to_bytes()),
    }
}

/// A text up to its first zero: PTX has none.
fn without_zero(text: &[u8]) -> Vec<u8> {
    text.iter().copied().take_while(|&byte| byte != 0).collect()
}

/// Reads an image from a file.
pub fn read_file(path: &[u8], gpu: &Gpu) -> Answer<Files> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path));
    let failed = |error: std::io::Error| {
        Failure::because(CUresult::FILE_NOT_FOUND, format!("{}: {error}", path.display()))
    };
    let mut bytes = std::fs::read(path).map_err(failed)?;
    let size = bytes.len();
    // What recognizes an image may look at a few bytes more than a short file has.
    bytes.extend([0; 64]);
    let mut files = read(bytes.as_ptr() as u64, Some(size), gpu)?;
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
        let given = In::from_address(values.address()).list(count as usize)?;
        let mut read = Self::default();
        for (index, (&option, &value)) in options.iter().zip(&given).enumerate() {
            let value: usize = value;
            let slot = Out::at((values.address() as usize + index * size_of::<usize>()) as *mut usize);
            let buffer = Out::at(value as *mut u8);
            match option {
                0 => read.registers = Some(value as u32).filter(|&registers| registers > 0),
                2 => read.time = Some(slot.cast()),
                3 => read.info = Some(buffer),
                4 => read.info_size = Some((value as u32 as usize, slot)),
                5 => read.errors = Some(buffer),
                6 => read.errors_size = Some((value as u32 as usize, slot)),
                // What decides about code or is for the future.
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
                log::report(&error.to_string());
            }
            Err(gpu.failure(error))
        }
    }
}

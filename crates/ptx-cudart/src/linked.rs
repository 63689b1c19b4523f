//! Binaries of programs that are compiled separately: the device code of several files, which is linked when it is loaded.

use crate::error::{Answer, Error, Failure};
use crate::functions::{cuLinkAddData_v2, cuLinkComplete, cuLinkCreate_v2, cuLinkDestroy};
use crate::pointer::{In, Out, Text};
use crate::types::Handle;

/// The structure by which `nvcc` describes a binary.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    binary: u64,
    /// In version 2 a list of the binaries to link, which ends with a null pointer.
    parts: u64,
}

/// The kind of input of a linker that fat binaries are, `CU_JIT_INPUT_FATBINARY`.
const FAT_BINARY: u32 = 2;

/// A linked image, which the driver keeps until this is dropped.
#[derive(Debug)]
pub struct Image {
    link: Handle,
    address: u64,
}

impl Image {
    /// Where it is.
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // It was created by the driver, which fails only where it is shut down.
        let _ = cuLinkDestroy(self.link);
    }
}

/// Links the parts of a binary, if it has any.
///
/// Parts without PTX for the device are left out: `nvcc` links its own library with everything. What is missing then is found unresolved.
///
/// # Errors
/// What the driver's linker says.
pub fn image(wrapper: u64) -> Answer<Option<Image>> {
    let wrapper = In::<Wrapper>::at(wrapper).get()?;
    if wrapper.version != 2 || wrapper.parts == 0 {
        return Ok(None);
    }
    let mut image = Image { link: 0, address: 0 };
    cuLinkCreate_v2(0, In::null(), Out::null(), Out::to(&mut image.link))?;
    let parts = In::<u64>::at(wrapper.parts);
    let (mut left_out, mut added) = (None, 0);
    for index in 0.. {
        let part = parts.nth(index).get()?;
        if part == 0 {
            break;
        }
        match add(image.link, part) {
            Ok(()) => added += 1,
            Err(failure) if failure.error == Error::NO_KERNEL_IMAGE => left_out = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    match left_out {
        Some(failure) if added == 0 => return Err(failure),
        _ => {}
    }
    cuLinkComplete(image.link, Out::to(&mut image.address), Out::null())?;
    Ok(Some(image))
}

/// Adds a part, whose size is known from its header.
fn add(link: Handle, part: u64) -> Answer {
    let [_, version_and_header, low, high] = In::<[u32; 4]>::at(part).get()?;
    let rest = (u64::from(high) << 32) | u64::from(low);
    let bytes =
        u64::from(version_and_header >> 16).checked_add(rest).and_then(|bytes| usize::try_from(bytes).ok());
    let bytes =
        bytes.ok_or_else(|| Failure::because(Error::INVALID_KERNEL_IMAGE, "the size of a fat binary"))?;
    cuLinkAddData_v2(link, FAT_BINARY, part, bytes, Text::of(c"part"), 0, In::null(), Out::null())
}

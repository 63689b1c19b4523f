//! Object files: their symbols.

use std::ffi::{CStr, c_char};

use llvm_sys::core::{LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMDisposeMemoryBuffer};
use llvm_sys::object::*;

use super::owned;
use crate::LlvmError;

/// A symbol that an object file defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The section that it is in, such as `.text`.
    pub section: String,
    /// Its offset in the section, in bytes.
    pub address: u64,
    /// Its size in bytes; 0 if unknown.
    pub size: u64,
}

/// The symbols that an object file defines in its sections; empty unless it is a 64-bit ELF file.
///
/// # Errors
///
/// [`LlvmError::Missing`] when LLVM's library cannot be loaded, [`LlvmError::Other`] when the bytes are not an object file.
pub fn symbols(object: &[u8]) -> Result<Vec<Symbol>, LlvmError> {
    crate::library::load()?;
    let mut found = Vec::new();
    // SAFETY: the buffer is a copy that lives until the binary is disposed of; the iterators belong to the binary and are disposed of
    // before it. A symbol without a section yields the end iterator, whose name is not read.
    unsafe {
        let name = c"object";
        let buffer =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(object.as_ptr().cast(), object.len(), name.as_ptr());
        let mut message = std::ptr::null_mut();
        let binary = LLVMCreateBinary(buffer, std::ptr::null_mut(), &raw mut message);
        if binary.is_null() {
            LLVMDisposeMemoryBuffer(buffer);
            return Err(LlvmError::Other { message: owned(message) });
        }
        // For other kinds the C API provides no sizes.
        if matches!(LLVMBinaryGetType(binary), LLVMBinaryType::LLVMBinaryTypeELF64L) {
            let symbol = LLVMObjectFileCopySymbolIterator(binary);
            let section = LLVMObjectFileCopySectionIterator(binary);
            while LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol) == 0 {
                LLVMMoveToContainingSection(section, symbol);
                if LLVMObjectFileIsSectionIteratorAtEnd(binary, section) == 0 {
                    found.push(Symbol {
                        name: text(LLVMGetSymbolName(symbol)),
                        section: text(LLVMGetSectionName(section)),
                        address: LLVMGetSymbolAddress(symbol),
                        size: LLVMGetSymbolSize(symbol),
                    });
                }
                LLVMMoveToNextSymbol(symbol);
            }
            LLVMDisposeSectionIterator(section);
            LLVMDisposeSymbolIterator(symbol);
        }
        LLVMDisposeBinary(binary);
        LLVMDisposeMemoryBuffer(buffer);
    }
    Ok(found)
}

/// Copies a string that LLVM owns.
///
/// # Safety
///
/// `text` is null or NUL-terminated.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(text).to_string_lossy().into_owned() }
}

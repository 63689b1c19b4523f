//! A module: how it comes into being and leaves again.

use std::ffi::CStr;
use std::fmt;
use std::ptr;

use inkwell::memory_buffer::MemoryBuffer;
use inkwell::targets::TargetTriple;
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::core::{
    LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMDisposeMemoryBuffer, LLVMDisposeMessage,
    LLVMGetDataLayoutStr, LLVMSetDataLayout,
};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::prelude::{LLVMMemoryBufferRef, LLVMModuleRef};

use crate::addresses::Addresses;
use crate::context::Context;
use crate::error::{LlvmError, TextPosition};
use crate::literals;

/// The first bytes of a bitcode file, and of one with Apple's wrapper.
const BITCODE_MAGIC: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// One LLVM module.
pub struct Module<'c> {
    context: &'c Context,
    inner: inkwell::module::Module<'c>,
}

impl<'c> Module<'c> {
    /// An empty module named `name` for addresses of 64 bits, with their triple and data layout.
    pub fn new(context: &'c Context, name: &str) -> Self {
        Self::with_addresses(context, name, Addresses::Bits64)
    }

    /// An empty module named `name` for addresses of so many bits, with their triple and data layout.
    pub fn with_addresses(context: &'c Context, name: &str, addresses: Addresses) -> Self {
        let inner = context.inkwell().create_module(name);
        inner.set_triple(&TargetTriple::create(addresses.triple()));
        let module = Self { context, inner };
        module.set_data_layout(addresses.data_layout());
        module
    }

    /// How many bits generic addresses have, by the target triple.
    pub fn addresses(&self) -> Addresses {
        let triple = self.inner.get_triple();
        Addresses::of_module(&triple.as_str().to_string_lossy())
    }

    /// Reads LLVM IR, as text or as bitcode by its first bytes; `name` becomes the module's identifier.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Parse`] or [`LlvmError::Bitcode`] with LLVM's message. What is read is not verified except for
    /// what LLVM's reader itself checks: call [`Module::verify`].
    pub fn parse(context: &'c Context, name: &str, bytes: &[u8]) -> Result<Self, LlvmError> {
        if is_bitcode(bytes) {
            Self::parse_bitcode(context, name, bytes)
        } else {
            Self::parse_text(context, name, bytes)
        }
    }

    /// Reads LLVM IR text, with the floating-point literals of LLVM 22 or of LLVM 23; `name` becomes the module's identifier.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Parse`] with LLVM's message and the place.
    pub fn parse_text(context: &'c Context, name: &str, text: &[u8]) -> Result<Self, LlvmError> {
        refuse_deep_nesting(text)?;
        let error = match Self::parse_as_written(context, name, text) {
            Err(error @ LlvmError::Parse { .. }) => error,
            other => return other,
        };
        // Only a text that LLVM 22 refuses can have literals of LLVM 23.
        let Some(respelled) = literals::respell(text) else { return Err(error) };
        Self::parse_as_written(context, name, &respelled.text).map_err(|error| match error {
            LlvmError::Parse { message, position } => {
                LlvmError::Parse { message, position: position.map(|place| respelled.original(place)) }
            }
            other => other,
        })
    }

    /// Reads LLVM IR text that is spelled as LLVM 22 does.
    fn parse_as_written(context: &'c Context, name: &str, text: &[u8]) -> Result<Self, LlvmError> {
        let buffer = Buffer::copy_of(text);
        let mut module: LLVMModuleRef = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: context and buffer are alive; this function leaves the buffer to us, and on failure gives a message
        // that is ours to dispose.
        let failed =
            unsafe { LLVMParseIRInContext2(context.raw(), buffer.0, &raw mut module, &raw mut message) } != 0;
        if failed || module.is_null() {
            // SAFETY: the message is null or a NUL-terminated string from LLVM.
            let text = unsafe { take_message(message) };
            return Err(LlvmError::from_parser(&text));
        }
        // SAFETY: the parser gave us a module of this context, which we own.
        Ok(unsafe { Self::adopt(context, module, name) })
    }

    /// Reads bitcode; `name` becomes the module's identifier.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Bitcode`] with LLVM's message.
    pub fn parse_bitcode(context: &'c Context, name: &str, bytes: &[u8]) -> Result<Self, LlvmError> {
        let earlier = context.take_messages();
        let buffer = Buffer::copy_of(bytes);
        let mut module: LLVMModuleRef = ptr::null_mut();
        // SAFETY: context and buffer are alive; the reader copies what it keeps.
        let failed = unsafe { LLVMParseBitcodeInContext2(context.raw(), buffer.0, &raw mut module) } != 0;
        if failed || module.is_null() {
            let said = context.take_messages();
            let message = said.into_iter().map(|message| message.text).collect::<Vec<_>>().join("; ");
            return Err(LlvmError::Bitcode { message });
        }
        context.put_back(earlier);
        // SAFETY: the reader gave us a module of this context, which we own.
        Ok(unsafe { Self::adopt(context, module, name) })
    }

    /// # Safety
    ///
    /// `module` is a live module of `context`, and no one else owns it.
    unsafe fn adopt(context: &'c Context, module: LLVMModuleRef, name: &str) -> Self {
        // SAFETY: by this function's contract.
        let inner = unsafe { inkwell::module::Module::new(module) };
        inner.set_name(name);
        Self { context, inner }
    }

    /// The same for a module that keeps its name.
    ///
    /// # Safety
    ///
    /// As for [`Module::adopt`].
    pub(crate) unsafe fn adopt_as_named(context: &'c Context, module: LLVMModuleRef) -> Self {
        // SAFETY: by this function's contract.
        Self { context, inner: unsafe { inkwell::module::Module::new(module) } }
    }

    /// The context the module lives in.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// inkwell's module, for building.
    pub fn inkwell(&self) -> &inkwell::module::Module<'c> {
        &self.inner
    }

    /// A module with the same contents, for passes that must not change this one.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self { context: self.context, inner: self.inner.clone() }
    }

    /// Whether the module has metadata of that name.
    pub fn has_metadata(&self, name: &str) -> bool {
        self.inkwell().get_global_metadata_size(name) > 0
    }

    /// Whether the module has a flag of that name (`llvm.module.flags`).
    pub fn has_flag(&self, name: &str) -> bool {
        // SAFETY: the module is alive; the name has as many bytes as stated.
        unsafe { !llvm_sys::core::LLVMGetModuleFlag(self.raw(), name.as_ptr().cast(), name.len()).is_null() }
    }

    /// Whether the module has a function whose name begins so.
    pub fn declares_any(&self, start: &str) -> bool {
        self.inkwell()
            .get_functions()
            .any(|function| function.get_name().to_bytes().starts_with(start.as_bytes()))
    }

    /// LLVM IR text.
    pub fn to_text(&self) -> String {
        self.inner.print_to_string().to_string()
    }

    /// Bitcode.
    pub fn to_bitcode(&self) -> Vec<u8> {
        let buffer = self.inner.write_bitcode_to_memory();
        bytes_of(&buffer).to_vec()
    }

    /// Runs LLVM's verifier.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Invalid`] with everything the verifier found.
    pub fn verify(&self) -> Result<(), LlvmError> {
        self.inner
            .verify()
            .map_err(|message| LlvmError::Invalid { message: message.to_string().trim_end().to_owned() })
    }

    /// The data layout as the module has it now; inkwell's own getter keeps a pointer that a change leaves dangling.
    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: LLVM returns a NUL-terminated string that lives in the module; it is copied at once.
        unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.inner.as_mut_ptr())) }
            .to_string_lossy()
            .into_owned()
    }

    /// Replaces the target triple, before [`check_target`](crate::check_target) checks it.
    pub fn set_target_triple(&self, triple: &str) {
        self.inner.set_triple(&TargetTriple::create(triple));
    }

    pub(crate) fn set_data_layout(&self, layout: &str) {
        let layout = [layout.as_bytes(), b"\0"].concat();
        // SAFETY: the module is alive and the layout ends in a NUL byte; LLVM copies it.
        unsafe { LLVMSetDataLayout(self.inner.as_mut_ptr(), layout.as_ptr().cast()) };
    }

    /// LLVM's module, which the caller owns from now on.
    pub(crate) fn into_raw(self) -> LLVMModuleRef {
        let raw = self.inner.as_mut_ptr();
        std::mem::forget(self.inner);
        raw
    }

    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.inner.as_mut_ptr()
    }
}

impl fmt::Debug for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("name", &self.inner.get_name()).finish_non_exhaustive()
    }
}

/// Whether the bytes begin as bitcode does; everything else is taken for text.
fn is_bitcode(bytes: &[u8]) -> bool {
    BITCODE_MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// Brackets nested deeper than this are refused: LLVM's reader recurses into them and would run out of stack.
const MAX_NESTING: usize = 4096;

/// Finds brackets nested too deep, outside quoted names and comments.
fn refuse_deep_nesting(text: &[u8]) -> Result<(), LlvmError> {
    let mut depth = 0usize;
    let (mut line, mut line_start) = (1u32, 0usize);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => {
                line = line.saturating_add(1);
                line_start = at + 1;
            }
            b'"' => {
                let rest = &text[at + 1..];
                let inside = rest.iter().position(|&byte| byte == b'"').unwrap_or(rest.len());
                let newlines = rest.iter().take(inside).filter(|&&byte| byte == b'\n').count();
                line = line.saturating_add(newlines as u32);
                at += inside + 1;
            }
            b';' => {
                let rest = &text[at..];
                at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()).saturating_sub(1);
            }
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            let message = format!("brackets are nested deeper than {MAX_NESTING} levels");
            let column = TextPosition::column(at, line_start);
            return Err(LlvmError::Parse { message, position: Some(TextPosition { line, column }) });
        }
        at += 1;
    }
    Ok(())
}

/// The whole content of a memory buffer.
pub(crate) fn bytes_of<'a>(buffer: &'a MemoryBuffer<'a>) -> &'a [u8] {
    // SAFETY: start and size describe one live allocation that the borrowed buffer owns.
    unsafe {
        let start = llvm_sys::core::LLVMGetBufferStart(buffer.as_mut_ptr());
        let size = llvm_sys::core::LLVMGetBufferSize(buffer.as_mut_ptr());
        std::slice::from_raw_parts(start.cast(), size)
    }
}

/// # Safety
///
/// `message` is null or a NUL-terminated string that LLVM gave us to dispose.
unsafe fn take_message(message: *mut std::ffi::c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: by this function's contract.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// A copy of some bytes in LLVM's own memory, followed by the NUL byte the assembly parser relies on.
struct Buffer(LLVMMemoryBufferRef);

impl Buffer {
    fn copy_of(bytes: &[u8]) -> Self {
        // SAFETY: the range is readable, the name ends in a NUL byte, and LLVM copies both.
        Self(unsafe {
            LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), c"input".as_ptr())
        })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the buffer is ours and is disposed once.
        unsafe { LLVMDisposeMemoryBuffer(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DATA_LAYOUT, TRIPLE};

    const TEXT: &str = "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";

    #[test]
    fn bitcode_round_trip_keeps_the_text() {
        let context = Context::new().expect("LLVM 22");
        let module = Module::parse(&context, "m", TEXT.as_bytes()).expect("valid text");
        let bitcode = module.to_bitcode();
        let again = Module::parse(&context, "m", &bitcode).expect("bitcode LLVM wrote");
        assert_eq!(module.to_text(), again.to_text());
        assert!(again.to_text().contains("%y = add i32 %x, 1"));
    }

    #[test]
    fn syntax_error_has_a_place() {
        let context = Context::new().expect("LLVM 22");
        let error = Module::parse(&context, "m", b"define void @f() {\n  frob\n}\n")
            .expect_err("no such instruction");
        let LlvmError::Parse { message, position } = error else { panic!("another error: {error}") };
        assert_eq!(position, Some(TextPosition { line: 2, column: 3 }));
        assert!(message.contains("expected instruction opcode"), "{message}");
    }

    #[test]
    fn literals_of_llvm_23_are_read_and_errors_after_them_keep_their_place() {
        let context = Context::new().expect("LLVM 22");
        let good = b"define float @f(float %x) {\n  %y = fmul float %x, f0x3FB8AA3B\n  ret float %y\n}\n";
        let module = Module::parse(&context, "m", good).expect("a literal of LLVM 23");
        assert!(module.to_text().contains("fmul float %x, 0x3FF7154760000000"), "{}", module.to_text());
        let bad = b"define float @f() {\n  ret float f0x3FB8AA3B oops\n}\n";
        let error = Module::parse(&context, "m", bad).err();
        let Some(LlvmError::Parse { position, .. }) = error else { panic!("not refused: {error:?}") };
        assert_eq!(position, Some(TextPosition { line: 2, column: 25 }));
    }

    #[test]
    fn broken_bitcode_is_an_error_and_prints_nothing() {
        let context = Context::new().expect("LLVM 22");
        let error = Module::parse(&context, "m", b"BC\xc0\xdegarbage").expect_err("not bitcode");
        assert!(matches!(&error, LlvmError::Bitcode { message } if !message.is_empty()), "{error:?}");
    }

    #[test]
    fn deep_nesting_is_refused_before_llvm_recurses() {
        let context = Context::new().expect("LLVM 22");
        let deep = format!("@a = global i64 {}0{}", "add (i64 1, i64 ".repeat(100_000), ")".repeat(100_000));
        let error = Module::parse(&context, "m", deep.as_bytes()).expect_err("too deep");
        assert!(
            matches!(&error, LlvmError::Parse { position: Some(TextPosition { line: 1, .. }), .. }),
            "{error:?}"
        );
        let quoted = format!("; {0}\n@\"{0}\" = global i32 0", "(".repeat(10_000));
        assert!(Module::parse(&context, "m", quoted.as_bytes()).is_ok());
    }

    #[test]
    fn verifier_finds_a_use_before_its_definition() {
        let context = Context::new().expect("LLVM 22");
        let module = Module::new(&context, "m");
        let void = context.inkwell().void_type().fn_type(&[], false);
        let function = module.inkwell().add_function("f", void, None);
        context.inkwell().append_basic_block(function, "no_terminator");
        let error = module.verify().expect_err("a block without a terminator");
        assert!(error.to_string().contains("does not have terminator"), "{error}");
    }

    #[test]
    fn new_module_has_the_target() {
        let context = Context::new().expect("LLVM 22");
        let text = Module::new(&context, "m").to_text();
        assert!(text.contains(&format!("target triple = \"{TRIPLE}\"")));
        assert!(text.contains(&format!("target datalayout = \"{DATA_LAYOUT}\"")));
    }
}

//! The context: owner of LLVM's types and constants, and collector of its messages.

use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
};
use llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef};

use crate::error::{LlvmError, Message};

/// Owner of LLVM's types, constants and metadata names, shared by the modules made in it.
///
/// Messages LLVM reports while it works on those modules are collected here instead of being printed.
pub struct Context {
    // Before `messages`: the context holds a pointer to them and must go first.
    inner: inkwell::context::Context,
    messages: Box<RefCell<Vec<Message>>>,
}

impl Context {
    /// A new, empty context.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Missing`] when LLVM's library cannot be loaded.
    pub fn new() -> Result<Self, LlvmError> {
        crate::library::load()?;
        let inner = inkwell::context::Context::create();
        let messages = Box::new(RefCell::new(Vec::new()));
        let target: *const RefCell<Vec<Message>> = &*messages;
        // SAFETY: the context is alive, and the handler's pointer stays valid as long as it: the box is owned beside
        // it, never moved out, and dropped after it.
        unsafe {
            LLVMContextSetDiagnosticHandler(inner.raw(), Some(collect), target.cast_mut().cast());
        }
        Ok(Self { inner, messages })
    }

    /// inkwell's context, for building types, constants and instructions.
    pub fn inkwell(&self) -> &inkwell::context::Context {
        &self.inner
    }

    /// Takes the messages collected so far.
    pub fn take_messages(&self) -> Vec<Message> {
        self.messages.take()
    }

    /// Restores messages taken earlier, before those collected since.
    pub(crate) fn put_back(&self, mut earlier: Vec<Message>) {
        earlier.append(&mut self.messages.borrow_mut());
        self.messages.replace(earlier);
    }

    pub(crate) fn raw(&self) -> LLVMContextRef {
        self.inner.raw()
    }
}

/// A context that a program owns which uses LLVM itself. Its messages go to the program's handler.
pub(crate) struct Lent(ManuallyDrop<Context>);

impl Lent {
    /// # Safety
    ///
    /// `context` is alive as long as the result.
    pub(crate) unsafe fn new(context: LLVMContextRef) -> Self {
        // SAFETY: by this function's contract; `drop` does not dispose it.
        let inner = unsafe { inkwell::context::Context::new(context) };
        Self(ManuallyDrop::new(Context { inner, messages: Box::default() }))
    }
}

impl Deref for Lent {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // SAFETY: it is taken once, here.
        let Context { inner, messages } = unsafe { ManuallyDrop::take(&mut self.0) };
        std::mem::forget(inner);
        drop(messages);
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("messages", &self.messages).finish_non_exhaustive()
    }
}

/// LLVM's diagnostic handler: appends to the list after `target`.
extern "C" fn collect(info: LLVMDiagnosticInfoRef, target: *mut c_void) {
    // SAFETY: `target` is the list `Context::new` registered, alive as long as the context that calls here.
    let messages = unsafe { &*target.cast::<RefCell<Vec<Message>>>() };
    // SAFETY: LLVM passes a valid diagnostic for the duration of the call; the description is ours to dispose.
    let (severity, text) = unsafe {
        let description = LLVMGetDiagInfoDescription(info);
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        LLVMDisposeMessage(description);
        (LLVMGetDiagInfoSeverity(info), text)
    };
    let severity = match severity {
        LLVMDiagnosticSeverity::LLVMDSError => "error",
        LLVMDiagnosticSeverity::LLVMDSWarning => "warning",
        LLVMDiagnosticSeverity::LLVMDSRemark => "remark",
        LLVMDiagnosticSeverity::LLVMDSNote => "note",
    };
    // A panic must not cross LLVM's frames; a list that is being read misses the message.
    if let Ok(mut list) = messages.try_borrow_mut() {
        list.push(Message { severity, text });
    }
}

//! Links object files into this process, with LLVM's ORC.

use std::ffi::{CStr, CString, c_int, c_void};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::orc2::lljit::*;
use llvm_sys::orc2::*;

use super::{Cpu, HostMachine};
use crate::build::c_name;
use crate::{LlvmError, OptLevel};

/// Links object files into this process and unlinks them again.
///
/// Each object has its own namespace: two objects may define the same symbol, and neither sees the other's. Undefined symbols
/// are resolved among those given to [`Jit::define`], and nowhere else: not in the process. The C functions that
/// LLVM calls for memory copies and for `fma` on processors without it are defined from the start; other operations for which a processor has
/// no instruction, such as `fptrunc` from `double` to `half`, are errors when the object is linked.
///
/// Pages are never writable and executable at once: ORC fills an object's memory while it is only writable, then makes code read-only
/// and executable, constants read-only. All of an object's memory is one reservation, so that code of the small code model reaches
/// its constants; calls out of it go through stubs.
#[derive(Clone, Debug)]
pub struct Jit {
    shared: Arc<Shared>,
}

/// An object that is linked into the process, and its namespace. Dropping it unlinks it: its code must not be running then, nor run later.
#[derive(Debug)]
pub struct JitCode {
    shared: Arc<Shared>,
    library: Library,
}

/// A symbol table (JITDylib) of ORC. LLVM's C API can only create them, so emptied ones are reused.
#[derive(Clone, Copy)]
struct Library(LLVMOrcJITDylibRef);

// SAFETY: a handle, whose uses are synchronized by ORC (see `Shared`).
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

struct Shared {
    jit: LLVMOrcLLJITRef,
    session: LLVMOrcExecutionSessionRef,
    /// The addresses of symbols that objects may use.
    symbols: Mutex<Vec<(CString, u64)>>,
    /// Empty symbol tables.
    free: Mutex<Vec<Library>>,
    /// Counts symbol tables, for their names.
    made: AtomicU64,
    /// Errors that ORC reported other than as results of its calls; boxed because ORC has its address.
    reported: Box<Mutex<Vec<String>>>,
}

// SAFETY: an LLJIT and its execution session may be used by several threads at once: ORC guards its tables by the session's lock and
// links objects outside of it. Handles are only passed to functions of ORC's C API.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: created in `Jit::new` and disposed once; no `JitCode` is left, since each holds a reference to this.
        unsafe {
            let _ = check(LLVMOrcDisposeLLJIT(self.jit));
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jit").finish_non_exhaustive()
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Library")
    }
}

impl Jit {
    /// A linker for objects for `cpu`, which must have the architecture of the process.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Target`] for another architecture, [`LlvmError::Missing`] when LLVM's library cannot be loaded,
    /// [`LlvmError::Other`] for errors from ORC.
    pub fn new(cpu: &Cpu) -> Result<Self, LlvmError> {
        if cpu.triple.split('-').next() != Some(std::env::consts::ARCH) {
            let message =
                format!("code for {} does not run in a process of {}", cpu.triple, std::env::consts::ARCH);
            return Err(LlvmError::Target { message });
        }
        let machine = HostMachine::new(cpu, OptLevel::O0)?;
        let reported = Box::new(Mutex::new(Vec::new()));
        let target: *const Mutex<Vec<String>> = &*reported;
        // SAFETY: the machine and its builder are each taken over by the next call; the reporter's pointer lives as long as the session, which
        // `Shared` disposes of before dropping its fields.
        unsafe {
            let builder = LLVMOrcCreateLLJITBuilder();
            let machine = LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine.into_raw());
            LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, machine);
            let mut jit = std::ptr::null_mut();
            check(LLVMOrcCreateLLJIT(&raw mut jit, builder))?;
            let session = LLVMOrcLLJITGetExecutionSession(jit);
            LLVMOrcExecutionSessionSetErrorReporter(session, report, target.cast_mut().cast());
            let shared = Shared {
                jit,
                session,
                symbols: Mutex::default(),
                free: Mutex::default(),
                made: AtomicU64::new(0),
                reported,
            };
            let jit = Self { shared: Arc::new(shared) };
            jit.define(&library_functions());
            Ok(jit)
        }
    }

    /// Registers objects that are added from now on with debuggers, with their symbols and lines (gdb's JIT interface, which
    /// lldb supports, too). It costs a copy of each object for as long as it is linked, so it is disabled by default.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Other`] for errors from ORC.
    pub fn show_to_debuggers(&self) -> Result<(), LlvmError> {
        // SAFETY: the session is alive; LLVM adds the plugin that registers objects to the linker.
        unsafe { check(LLVMOrcLLJITEnableDebugSupport(self.shared.jit)) }
    }

    /// Defines symbols by their addresses in this process, for objects that are added later; a later address replaces an
    /// earlier one. Names are as in the object file.
    pub fn define(&self, symbols: &[(&str, usize)]) {
        let mut known = lock(&self.shared.symbols);
        for (name, address) in symbols {
            let Ok(name) = CString::new(*name) else { continue };
            known.retain(|(other, _)| *other != name);
            known.push((name, *address as u64));
        }
    }

    /// Adds an object file; `name` is for messages. It is linked when an address is first requested.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Other`] when it is not an object file, or defines a symbol that was given to [`Jit::define`].
    pub fn add_object(&self, name: &str, object: &[u8]) -> Result<JitCode, LlvmError> {
        let library = self.shared.take_library()?;
        let code = JitCode { shared: Arc::clone(&self.shared), library };
        let name = c_name(name);
        // SAFETY: LLVM copies the bytes and the name, and takes over the buffer. The bytes need no NUL terminator: the C API's buffer
        // adds one.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                object.as_ptr().cast(),
                object.len(),
                name.as_ptr(),
            );
            check(LLVMOrcLLJITAddObjectFile(self.shared.jit, library.0, buffer))?;
        }
        self.shared.define_symbols(library)?;
        Ok(code)
    }
}

impl Shared {
    /// Returns an empty symbol table.
    fn take_library(&self) -> Result<Library, LlvmError> {
        if let Some(library) = lock(&self.free).pop() {
            return Ok(library);
        }
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let name = c_name(&format!("object{number}"));
        // SAFETY: the session is alive, and no other table has this name.
        Ok(Library(unsafe { LLVMOrcExecutionSessionCreateBareJITDylib(self.session, name.as_ptr()) }))
    }

    /// Defines the symbols of the process in a table.
    fn define_symbols(&self, library: Library) -> Result<(), LlvmError> {
        let known = lock(&self.symbols);
        if known.is_empty() {
            return Ok(());
        }
        let flags = (LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8)
            | (LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsCallable as u8);
        // SAFETY: each name is interned with one reference for the list, which takes it over, as the table takes over the list. A rejected list
        // is disposed of.
        unsafe {
            let mut pairs: Vec<LLVMOrcCSymbolMapPair> = known
                .iter()
                .map(|(name, address)| LLVMOrcCSymbolMapPair {
                    Name: LLVMOrcExecutionSessionIntern(self.session, name.as_ptr()),
                    Sym: LLVMJITEvaluatedSymbol {
                        Address: *address,
                        Flags: LLVMJITSymbolFlags { GenericFlags: flags, TargetFlags: 0 },
                    },
                })
                .collect();
            let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
            let result = check(LLVMOrcJITDylibDefine(library.0, unit));
            if result.is_err() {
                LLVMOrcDisposeMaterializationUnit(unit);
            }
            result
        }
    }
}

impl JitCode {
    /// The address of a symbol that the object defines; the first call links the object.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Other`] when the object defines no such symbol or uses an undefined one.
    pub fn address(&self, symbol: &str) -> Result<usize, LlvmError> {
        let Ok(name) = CString::new(symbol) else {
            return Err(LlvmError::Other { message: "the symbol contains a NUL character".to_owned() });
        };
        let (sender, receiver) = channel();
        let sender: Box<Sender<Result<u64, String>>> = Box::new(sender);
        // SAFETY: the table is alive as long as the session. The lookup takes over the reference to the name, reads the lists before it
        // returns, and calls `found` exactly once, which takes back the box.
        unsafe {
            let mut order = LLVMOrcCJITDylibSearchOrderElement {
                JD: self.library.0,
                JDLookupFlags: LLVMOrcJITDylibLookupFlags::LLVMOrcJITDylibLookupFlagsMatchAllSymbols,
            };
            let mut wanted = LLVMOrcCLookupSetElement {
                Name: LLVMOrcExecutionSessionIntern(self.shared.session, name.as_ptr()),
                LookupFlags: LLVMOrcSymbolLookupFlags::LLVMOrcSymbolLookupFlagsRequiredSymbol,
            };
            LLVMOrcExecutionSessionLookup(
                self.shared.session,
                LLVMOrcLookupKind::LLVMOrcLookupKindStatic,
                &raw mut order,
                1,
                &raw mut wanted,
                1,
                found,
                Box::into_raw(sender).cast(),
            );
        }
        // Another thread that links the same object may be the one that calls `found`.
        let result = receiver.recv().unwrap_or_else(|_| Err("the lookup was given up".to_owned()));
        result.map(|address| address as usize).map_err(|message| {
            let mut said = std::mem::take(&mut *lock(&self.shared.reported));
            said.insert(0, message);
            LlvmError::Other { message: said.join("; ") }
        })
    }
}

impl Drop for JitCode {
    fn drop(&mut self) {
        // SAFETY: the table belongs to this object only; clearing it frees the object's memory.
        let cleared = unsafe { check(LLVMOrcJITDylibClear(self.library.0)) };
        // A table that cannot be emptied is not reused.
        if cleared.is_ok() {
            lock(&self.shared.free).push(self.library);
        }
    }
}

/// The functions to which LLVM lowers operations that the processor lacks: their C names and addresses.
pub fn library_functions() -> [(&'static str, usize); 6] {
    extern "C" fn fma(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
    extern "C" fn fmaf(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    unsafe extern "C" {
        fn memcpy(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
        fn memmove(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
        fn memset(to: *mut c_void, byte: c_int, size: usize) -> *mut c_void;
        fn memcmp(a: *const c_void, b: *const c_void, size: usize) -> c_int;
    }
    type Copy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void;
    type Fill = unsafe extern "C" fn(*mut c_void, c_int, usize) -> *mut c_void;
    type Compare = unsafe extern "C" fn(*const c_void, *const c_void, usize) -> c_int;
    [
        ("memcpy", memcpy as Copy as usize),
        ("memmove", memmove as Copy as usize),
        ("memset", memset as Fill as usize),
        ("memcmp", memcmp as Compare as usize),
        ("fma", fma as extern "C" fn(f64, f64, f64) -> f64 as usize),
        ("fmaf", fmaf as extern "C" fn(f32, f32, f32) -> f32 as usize),
    ]
}

/// Receives the result of a lookup.
extern "C" fn found(error: LLVMErrorRef, result: LLVMOrcCSymbolMapPairs, count: usize, target: *mut c_void) {
    // SAFETY: `target` is the box that `address` gave away, and this is called once; ORC's list has as many entries as stated.
    unsafe {
        let sender = Box::from_raw(target.cast::<Sender<Result<u64, String>>>());
        let answer = match check(error) {
            Err(error) => Err(sentence(error)),
            Ok(()) if count == 1 && !result.is_null() => Ok((*result).Sym.Address),
            Ok(()) => Err("the lookup found nothing".to_owned()),
        };
        let _ = sender.send(answer);
    }
}

/// Collects the errors that ORC would print.
extern "C" fn report(target: *mut c_void, error: LLVMErrorRef) {
    /// Beyond this number, reports that were not retrieved are dropped.
    const KEPT: usize = 16;
    // SAFETY: `target` is the list that `Jit::new` registered, which outlives the session.
    let (list, error) = unsafe { (&*target.cast::<Mutex<Vec<String>>>(), check(error)) };
    if let Err(error) = error {
        let mut list = lock(list);
        if list.len() < KEPT {
            list.push(sentence(error));
        }
    }
}

/// Converts an error of LLVM, if there is one.
///
/// # Safety
///
/// `error` is null or an error that nothing else consumes.
unsafe fn check(error: LLVMErrorRef) -> Result<(), LlvmError> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: taking the message consumes the error, and the message is disposed once.
    let message = unsafe {
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        text
    };
    Err(LlvmError::Other { message })
}

/// The message of LLVM only.
fn sentence(error: LlvmError) -> String {
    match error {
        LlvmError::Other { message } => message,
        other => other.to_string(),
    }
}

/// Locks a mutex, ignoring poisoning: the lists stay valid if a thread panics while they are locked.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! LLVM's shared library, loaded when it is first needed.
//!
//! Loading it takes longer than reading most PTX files, and a tool that checks or prints PTX never calls it. So the
//! names of LLVM's C API are jumps through the pointers of one table, which `build.rs` writes and [`load`] fills. Every
//! call to LLVM needs a [`crate::Context`] or a [`crate::Machine`], and making one of them loads the library first.
//!
//! With the feature `static`, and on targets without such jumps, LLVM is linked and there is nothing to load.

use std::path::PathBuf;

use crate::error::LlvmError;

/// Loads LLVM 22, once in the process; making a [`crate::Context`] or a [`crate::Machine`] does so too.
///
/// # Errors
///
/// [`LlvmError::Missing`] when the library is not installed or is another version's.
pub fn load() -> Result<(), LlvmError> {
    imp::load().map_err(|message| LlvmError::Missing { message: message.to_owned() })?;
    crate::failure::install_handlers();
    Ok(())
}

/// LLVM's version, as in `22.1.8`. Loads its library.
///
/// # Errors
///
/// As [`load`].
pub fn version() -> Result<String, LlvmError> {
    load()?;
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the library is loaded, and the three places are ours.
    unsafe { llvm_sys::core::LLVMGetVersion(&raw mut major, &raw mut minor, &raw mut patch) };
    Ok(format!("{major}.{minor}.{patch}"))
}

/// Whether LLVM's library is loaded already, or was linked, so that asking it takes no time.
pub fn is_loaded() -> bool {
    imp::is_loaded()
}

/// The file that the library was loaded from, where it was loaded at run time.
pub(crate) fn path() -> Option<PathBuf> {
    imp::path()
}

/// Gives libraries that are loaded from now on LLVM's functions by name: plugins do not name the library that has them.
pub(crate) fn share() -> Result<(), LlvmError> {
    imp::share().map_err(|message| LlvmError::Missing { message })
}

#[cfg(not(llvm_at_run_time))]
mod imp {
    pub(super) fn load() -> Result<(), &'static str> {
        Ok(())
    }

    pub(super) fn share() -> Result<(), String> {
        Ok(())
    }

    pub(super) fn is_loaded() -> bool {
        true
    }

    pub(super) fn path() -> Option<std::path::PathBuf> {
        None
    }
}

#[cfg(llvm_at_run_time)]
mod imp {
    use std::arch::global_asm;
    use std::ffi::{CStr, OsStr, c_void};
    use std::os::unix::ffi::OsStrExt;
    use std::path::PathBuf;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicPtr, Ordering};

    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY, RTLD_LOCAL, Symbol};

    global_asm!(include_str!(concat!(env!("OUT_DIR"), "/jumps.s")), not_loaded = sym not_loaded);

    /// The names of the slots, in their order, one a line.
    const NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/names"));

    /// How many there are.
    const COUNT: usize = {
        let (mut count, mut at) = (1, 0);
        while at < NAMES.len() {
            count += (NAMES.as_bytes()[at] == b'\n') as usize;
            at += 1;
        }
        count
    };

    unsafe extern "C" {
        /// The table that the jumps read.
        #[link_name = "ptx_llvm_slots"]
        static SLOTS: [AtomicPtr<c_void>; COUNT];
    }

    /// What a slot holds before its function is known. No input leads here: see the module's invariant.
    extern "C" fn not_loaded() -> ! {
        panic!("LLVM is called before ptx_llvm_core::load")
    }

    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();

    pub(super) fn is_loaded() -> bool {
        LOADED.get().is_some_and(Result::is_ok)
    }

    pub(super) fn path() -> Option<PathBuf> {
        if !is_loaded() {
            return None;
        }
        // SAFETY: the table has a function of the library in each slot now, and zeros are a `Dl_info`. The name of the library's file is
        // valid as long as it is loaded, which is for ever.
        let file = unsafe {
            let function = SLOTS.first()?.load(Ordering::Acquire);
            let mut place: libc::Dl_info = std::mem::zeroed();
            if libc::dladdr(function, &raw mut place) == 0 || place.dli_fname.is_null() {
                return None;
            }
            CStr::from_ptr(place.dli_fname)
        };
        Some(OsStr::from_bytes(file.to_bytes()).into())
    }

    pub(super) fn share() -> Result<(), String> {
        let Some(path) = path() else { return Err("it is not loaded".to_owned()) };
        // SAFETY: the library is loaded already, so that no initializer runs.
        let library = unsafe { Library::open(Some(path), RTLD_LAZY | RTLD_GLOBAL) };
        std::mem::forget(library.map_err(|error| sentence(&error))?);
        Ok(())
    }

    pub(super) fn load() -> Result<(), &'static str> {
        LOADED.get_or_init(load_once).as_ref().copied().map_err(String::as_str)
    }

    fn load_once() -> Result<(), String> {
        let library = open().map_err(|error| sentence(&error))?;
        // SAFETY: `jumps.s` defines the table, with one aligned and initialized pointer for each of the names.
        let slots = unsafe { &SLOTS };
        for (name, slot) in NAMES.lines().zip(slots) {
            // SAFETY: the symbol is only kept as an address.
            let symbol: Result<Symbol<*mut c_void>, _> = unsafe { library.get(name) };
            slot.store(symbol.map_err(|error| sentence(&error))?.into_raw(), Ordering::Release);
        }
        // The addresses stay in use until the process ends.
        std::mem::forget(library);
        Ok(())
    }

    /// The library by its name, wherever the system's loader finds it, else where it was when this crate was built.
    fn open() -> Result<Library, libloading::Error> {
        let open = |name: &str| {
            // SAFETY: LLVM's initializers only register its own options and passes; they ask nothing of the caller.
            unsafe { Library::open(Some(name), RTLD_LAZY | RTLD_LOCAL) }
        };
        open(env!("PTX_LLVM_LIBRARY")).or_else(|error| open(env!("PTX_LLVM_LIBRARY_PATH")).map_err(|_| error))
    }

    /// The message of the system's loader, which libloading keeps after its own words.
    fn sentence(error: &libloading::Error) -> String {
        std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
    }
}

//! Plugins of LLVM's pass manager, as `opt --load-pass-plugin` loads them: shared libraries with passes of others.
//!
//! A plugin registers its passes with LLVM's `PassBuilder`, which the C API does not give out. The library `libptx_passes.so` (the crate ptx-opt-plugin)
//! runs pipelines with plugins in C++; it is looked for when the first plugin is loaded, and nothing else needs it.

use std::env;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use libloading::Library;

use crate::error::LlvmError;
use crate::library;
use crate::machine::Machine;
use crate::module::Module;
use crate::pass::Tuning;

/// The file of the library that runs pipelines with plugins.
const GLUE: &str = "libptx_passes.so";

/// What that library exports; each returns null, or a text that [`Glue::free`] frees.
struct Glue {
    /// Loads a plugin.
    load: unsafe extern "C" fn(plugin: *const c_char) -> *mut c_char,
    /// Runs a pipeline on a module with the passes of plugins.
    run: unsafe extern "C" fn(
        module: *mut c_void,
        pipeline: *const c_char,
        machine: *mut c_void,
        is_compiled: bool,
        plugins: *const *const c_char,
        count: usize,
    ) -> *mut c_char,
    free: unsafe extern "C" fn(text: *mut c_char),
}

/// The plugins of the process, and what runs them.
struct Plugins {
    glue: Glue,
    files: Vec<CString>,
}

static PLUGINS: RwLock<Option<Plugins>> = RwLock::new(None);

/// Loads a plugin for LLVM 22 into the process. Its passes then have names in all pipelines, and what it adds to LLVM's default pipelines runs in them.
///
/// # Errors
///
/// [`LlvmError::Other`] when the file cannot be loaded or is not a plugin of this version, when this program has LLVM linked into it, whose functions plugins
/// cannot call, and when `libptx_passes.so` is neither beside the program nor where the system looks for libraries. [`LlvmError::Missing`] without LLVM.
pub fn load_pass_plugin(file: &Path) -> Result<(), LlvmError> {
    if cfg!(not(llvm_at_run_time)) {
        let message = "LLVM is linked into this program, so that plugins cannot call it; `opt --load-pass-plugin` runs them";
        return Err(LlvmError::Other { message: message.to_owned() });
    }
    library::load()?;
    library::share()?;
    let name = CString::new(file.as_os_str().as_encoded_bytes())
        .map_err(|_| LlvmError::Other { message: "the name of a plugin has a NUL character".to_owned() })?;
    let mut plugins = PLUGINS.write().unwrap_or_else(PoisonError::into_inner);
    let loaded = match plugins.take() {
        Some(loaded) => plugins.insert(loaded),
        None => plugins.insert(Plugins { glue: Glue::find()?, files: Vec::new() }),
    };
    // SAFETY: the text ends in a NUL byte.
    let failed = unsafe { (loaded.glue.load)(name.as_ptr()) };
    loaded.glue.result(failed).map_err(|message| LlvmError::Other { message })?;
    if !loaded.files.contains(&name) {
        loaded.files.push(name);
    }
    Ok(())
}

/// Runs a pipeline with the plugins; `None` if there are none.
pub(crate) fn run(
    module: &Module<'_>,
    pipeline: &CStr,
    machine: &Machine,
    tuning: Tuning,
) -> Option<Result<(), String>> {
    let plugins = PLUGINS.read().unwrap_or_else(PoisonError::into_inner);
    let Plugins { glue, files } = plugins.as_ref().filter(|plugins| !plugins.files.is_empty())?;
    let files: Vec<*const c_char> = files.iter().map(|file| file.as_ptr()).collect();
    // SAFETY: the module and the machine are alive, texts end in NUL bytes, and there are as many files as stated.
    let message = unsafe {
        (glue.run)(
            module.raw().cast(),
            pipeline.as_ptr(),
            machine.inner().as_mut_ptr().cast(),
            tuning == Tuning::Compiled,
            files.as_ptr(),
            files.len(),
        )
    };
    Some(glue.result(message))
}

impl Glue {
    /// Loads the library, for the whole life of the process.
    fn find() -> Result<Self, LlvmError> {
        let mut failures = Vec::new();
        for place in places() {
            // SAFETY: the library's initializers are those of Rust's and C++'s standard libraries and of LLVM's.
            match unsafe { Library::new(&place) } {
                Ok(library) => {
                    // SAFETY: the library is this project's, and exports functions of these types.
                    let glue = unsafe { Self::of(library) };
                    return glue.map_err(|error| LlvmError::Other { message: error.to_string() });
                }
                Err(error) if place.exists() => failures.push(error.to_string()),
                Err(_) => {}
            }
        }
        let found = if failures.is_empty() { String::new() } else { format!(": {}", failures.join("; ")) };
        let message = format!(
            "plugins need {GLUE} of ptx-llvm beside the program, in ../lib, or where the system finds libraries{found}"
        );
        Err(LlvmError::Other { message })
    }

    /// # Safety
    ///
    /// The library is this project's, of the same version.
    unsafe fn of(library: Library) -> Result<Self, libloading::Error> {
        // SAFETY: by this function's contract.
        let glue = unsafe {
            Self {
                load: *library.get(b"ptx_plugin_load\0")?,
                run: *library.get(b"ptx_plugin_run\0")?,
                free: *library.get(b"ptx_plugin_free\0")?,
            }
        };
        std::mem::forget(library);
        Ok(glue)
    }

    /// The message that a function returned, if it failed.
    fn result(&self, message: *mut c_char) -> Result<(), String> {
        if message.is_null() {
            return Ok(());
        }
        // SAFETY: the text ends in a NUL byte, and is freed once.
        let text = unsafe {
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.free)(message);
            text
        };
        Err(text)
    }
}

/// Where the library may be: beside the program, in `lib` beside its folder, and where the system looks.
fn places() -> Vec<PathBuf> {
    let program = env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent);
    let beside = folder
        .map(|folder| [folder.join(GLUE), folder.join("../lib").join(GLUE), folder.join("deps").join(GLUE)]);
    beside.into_iter().flatten().chain([PathBuf::from(GLUE)]).collect()
}

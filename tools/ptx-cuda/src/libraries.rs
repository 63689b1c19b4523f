//! The project's libraries, and the names under which programs look for them.

use std::path::{Path, PathBuf};

use crate::error::Error;

/// A library.
pub struct Library {
    /// The name of the file that Cargo builds.
    pub built: &'static str,
    /// The names that programs look for, the first one that of a library that is preloaded.
    pub names: &'static [&'static str],
    /// What does not work without it, for a warning; `None` for a library that few programs need.
    pub lack: Option<&'static str>,
    /// Whether nothing works without it.
    pub is_required: bool,
    /// Whether each process loads it when it starts: Python programs prefer the file in an installed package to `LD_LIBRARY_PATH`, unless the library is
    /// loaded already.
    pub is_preloaded: bool,
    /// The arguments of `cargo build --release` that build it.
    pub build: &'static str,
}

pub const LIBRARIES: &[Library] = &[
    Library {
        built: "libcuda.so",
        names: &["libcuda.so", "libcuda.so.1"],
        lack: Some("there is no driver"),
        is_required: true,
        is_preloaded: false,
        build: "-p ptx-cuda --features ptx-cuda/jit",
    },
    Library {
        built: "libcudart12.so",
        names: &["libcudart.so.12"],
        lack: Some("programs that use the runtime API of CUDA 12 do not run"),
        is_required: false,
        is_preloaded: false,
        build: "-p ptx-cudart-12",
    },
    Library {
        built: "libcudart13.so",
        names: &["libcudart.so.13", "libcudart.so"],
        lack: Some("programs that use the runtime API of CUDA 13 do not run"),
        is_required: false,
        is_preloaded: false,
        build: "-p ptx-cudart-13",
    },
    Library {
        built: "libnvJitLink.so",
        names: &["libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"],
        lack: Some("NVIDIA's linker makes machine code, which the driver does not load"),
        is_required: false,
        is_preloaded: true,
        build: "-p ptx-nvjitlink",
    },
    // It has gpuocelot's `ptx_run`, by which tinygrad's mock devices execute kernels.
    Library {
        built: "libptx_exec.so",
        names: &["libgpuocelot.so"],
        lack: None,
        is_required: false,
        is_preloaded: false,
        build: "-p ptx-exec-c --features ptx-exec-c/jit",
    },
];

/// The libraries that are there, each with its file, and those that are missing.
pub struct Found {
    pub libraries: Vec<(&'static Library, PathBuf)>,
    pub missing: Vec<&'static Library>,
}

/// Looks for the libraries in a folder, or beside this program, in `../lib/ptx-llvm` and in `../lib`.
///
/// # Errors
/// If the driver is missing.
pub fn find(folder: Option<&Path>, program: &Path) -> Result<Found, Error> {
    let folders = match folder {
        Some(folder) => vec![folder.to_owned()],
        None => {
            let beside = program.parent().map(Path::to_owned);
            let lib = beside.as_ref().and_then(|beside| beside.parent()).map(|above| above.join("lib"));
            // What is installed has a folder of its own, since `lib` may be the system's. That one comes last: NVIDIA's driver may be in it.
            let own = lib.as_ref().map(|lib| lib.join("ptx-llvm"));
            beside.into_iter().chain(own).chain(lib).collect()
        }
    };
    let mut found = Found { libraries: Vec::new(), missing: Vec::new() };
    for library in LIBRARIES {
        let names = || [library.built].into_iter().chain(library.names.iter().copied());
        let files = folders.iter().flat_map(|folder| names().map(|name| folder.join(name)));
        match files.into_iter().find_map(|file| file.canonicalize().ok().filter(|file| file.is_file())) {
            Some(file) => found.libraries.push((library, file)),
            None => found.missing.push(library),
        }
    }
    match found.missing.iter().find(|library| library.is_required) {
        Some(driver) => {
            let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            Err(Error::rejected(format!(
                "{} is not in {}\n  build it with `cargo build --release {}`, or name its folder with --lib-dir",
                driver.built,
                folders.join(" or "),
                driver.build
            )))
        }
        None => Ok(found),
    }
}

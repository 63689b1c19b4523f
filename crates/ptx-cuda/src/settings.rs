//! What the environment selects. `PTX_CUDA_ARCH`, `PTX_CUDA_DEVICES` and `PTX_CUDA_MEMORY` are this driver's; the others are those of `libptx_exec`.

use std::path::PathBuf;

use ptx_device::{Bounds, Check, DeviceOptions, Engine, Limits, Sm, cache_folder_in};

use crate::error::{Answer, CUresult, Failure};
use crate::log;

/// A device as programs see it: what the CUDA C++ Programming Guide says of its compute capability.
#[derive(Debug)]
pub struct Model {
    /// The architecture, as in `.target`.
    pub name: &'static str,
    pub major: u32,
    pub minor: u32,
    /// Bytes of shared memory of a block that asks for it, and of a multiprocessor.
    pub shared_optin: u32,
    pub shared_per_multiprocessor: u32,
    pub threads_per_multiprocessor: u32,
    pub blocks_per_multiprocessor: u32,
    pub l2_bytes: u32,
}

const fn model(name: &'static str, cc: (u32, u32), shared: u32, threads: u32, blocks: u32, l2: u32) -> Model {
    Model {
        name,
        major: cc.0,
        minor: cc.1,
        shared_optin: (shared - 1) << 10,
        shared_per_multiprocessor: shared << 10,
        threads_per_multiprocessor: threads,
        blocks_per_multiprocessor: blocks,
        l2_bytes: l2 << 20,
    }
}

const MODELS: &[Model] = &[
    model("sm_75", (7, 5), 65, 1024, 16, 4),
    model("sm_80", (8, 0), 164, 2048, 32, 40),
    model("sm_86", (8, 6), 100, 1536, 16, 6),
    model("sm_89", (8, 9), 100, 1536, 24, 72),
    model("sm_90a", (9, 0), 228, 2048, 32, 50),
    model("sm_100a", (10, 0), 228, 2048, 32, 126),
    model("sm_103a", (10, 3), 228, 2048, 32, 126),
    model("sm_120a", (12, 0), 100, 1536, 24, 96),
];

/// What the driver is set up with.
#[derive(Debug)]
pub struct Settings {
    pub model: &'static Model,
    pub devices: u32,
    pub options: DeviceOptions,
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn wrong(name: &str, expected: &str) -> Failure {
    let text = format!("the environment variable `{name}` is not {expected}");
    log::report(&format!("ptx-cuda: {text}"));
    Failure::because(CUresult::INVALID_VALUE, text)
}

fn number(name: &str) -> Answer<Option<u64>> {
    let value = variable(name);
    value.map(|value| value.parse().map_err(|_| wrong(name, "a number"))).transpose()
}

fn chosen_model() -> Answer<&'static Model> {
    // Default: the latest architecture whose instructions are not those of one generation of data-centre devices alone.
    let name = variable("PTX_CUDA_ARCH").unwrap_or_else(|| "90a".to_owned());
    let digits = name.strip_prefix("sm_").unwrap_or(&name).trim_end_matches(['a', 'f']);
    let found =
        MODELS.iter().find(|model| model.name.trim_start_matches("sm_").trim_end_matches('a') == digits);
    found.ok_or_else(|| wrong("PTX_CUDA_ARCH", "one of 75, 80, 86, 89, 90a, 100a, 103a, 120a"))
}

impl Settings {
    /// Reads the environment.
    ///
    /// # Errors
    /// A variable with a value that it cannot have, which is also written to standard error.
    pub fn read() -> Answer<Self> {
        let model = chosen_model()?;
        let engine = match variable("PTX_EXEC_ENGINE").as_deref() {
            None | Some("auto") => Engine::Automatic,
            Some("interp") => Engine::Interpreter,
            Some("jit") => Engine::Compiled,
            Some(_) => return Err(wrong("PTX_EXEC_ENGINE", "`interp`, `jit` or `auto`")),
        };
        let check = match variable("PTX_EXEC_CHECK").as_deref() {
            // A program for a GPU may have accesses out of bounds that do no harm there: they are errors here, whatever the engine.
            None | Some("memory") => Check::Memory,
            Some("none") => Check::None,
            Some(_) => return Err(wrong("PTX_EXEC_CHECK", "`none` or `memory`")),
        };
        let bounds = match variable("PTX_CUDA_BOUNDS").as_deref() {
            None | Some("exact") => Bounds::Strict,
            Some("gpu") => Bounds::Lenient,
            Some(_) => return Err(wrong("PTX_CUDA_BOUNDS", "`exact` or `gpu`")),
        };
        let cache_folder = match std::env::var_os("PTX_EXEC_CACHE") {
            Some(folder) if folder.is_empty() => None,
            Some(folder) => Some(PathBuf::from(folder)),
            None => cache_folder_in(std::env::var_os("XDG_CACHE_HOME"), std::env::home_dir()),
        };
        let limits = Limits { shared: model.shared_optin.into(), heap: 64 << 20, ..Limits::default() };
        let options = DeviceOptions {
            architecture: Sm::from_text(model.name),
            limits,
            engine,
            check,
            interpreted_first: number("PTX_EXEC_INTERPRETED_FIRST")?,
            cache_folder,
            cache_bytes: number("PTX_EXEC_CACHE_SIZE")?,
            memory: number("PTX_CUDA_MEMORY")?,
            bounds,
            ..DeviceOptions::default()
        };
        let devices = match number("PTX_CUDA_DEVICES")?.unwrap_or(1) {
            devices @ 0..=64 => devices as u32,
            _ => return Err(wrong("PTX_CUDA_DEVICES", "at most 64")),
        };
        Ok(Self { model, devices, options })
    }
}

//! What the environment selects. `PTX_CUDA_ARCH`, `PTX_CUDA_DEVICES` and `PTX_CUDA_MEMORY` are this driver's; the others are those of `libptx_exec`.

use std::path::PathBuf;

use ptx_device::{
    Bounds, Check, DeviceOptions, Engine, Limits, MultiprocessorLimits, SharedMemory, Sm, cache_folder_in,
};

use crate::error::{Answer, CUresult, Failure};
use crate::log::LOG;

/// A device as programs see it.
#[derive(Debug)]
pub struct Model {
    /// The architecture, as in `.target`.
    pub name: &'static str,
    pub architecture: Sm,
    /// Bytes of the L2 cache of the largest such device.
    pub l2_bytes: u32,
}

impl Model {
    const fn new(name: &'static str, architecture: Sm, l2_mebibytes: u32) -> Self {
        Self { name, architecture, l2_bytes: l2_mebibytes << 20 }
    }

    /// The compute capability.
    pub fn capability(&self) -> (u32, u32) {
        let number = u32::from(self.architecture.number);
        (number / 10, number % 10)
    }

    /// The limits of its multiprocessors.
    pub fn limits(&self) -> MultiprocessorLimits {
        MultiprocessorLimits::of(self.architecture)
    }
}

const MODELS: &[Model] = &[
    Model::new("sm_75", Sm::new(75), 4),
    Model::new("sm_80", Sm::new(80), 40),
    Model::new("sm_86", Sm::new(86), 6),
    Model::new("sm_89", Sm::new(89), 72),
    Model::new("sm_90a", Sm::arch(90), 50),
    Model::new("sm_100a", Sm::arch(100), 126),
    Model::new("sm_103a", Sm::arch(103), 126),
    Model::new("sm_120a", Sm::arch(120), 96),
];

/// The architectures that `PTX_CUDA_ARCH` selects, as in `.target`.
pub fn architectures() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|model| model.name)
}

/// What devices are made with, as the environment selects it.
///
/// # Errors
/// A variable with a value that it cannot have, which is also written to standard error.
pub fn device_options() -> Result<DeviceOptions, String> {
    Settings::read().map(|settings| settings.options).map_err(|failure| {
        let Failure { result, reason } = failure;
        reason.unwrap_or_else(|| result.name())
    })
}

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
    LOG.report(&format!("ptx-cuda: {text}"));
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
            // A program for a GPU may have accesses out of bounds that do no harm there: they are errors here, with either engine.
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
        let limits = Limits { heap: 64 << 20, ..Limits::default() };
        let options = DeviceOptions {
            architecture: Some(model.architecture),
            limits,
            engine,
            check,
            interpreted_first: number("PTX_EXEC_INTERPRETED_FIRST")?,
            cache_folder,
            cache_bytes: number("PTX_EXEC_CACHE_SIZE")?,
            memory: number("PTX_CUDA_MEMORY")?,
            bounds,
            shared_memory: SharedMemory::OptIn,
            ..DeviceOptions::default()
        };
        let devices = match number("PTX_CUDA_DEVICES")? {
            None => 1,
            Some(devices @ 0..=64) => devices as u32,
            Some(_) => return Err(wrong("PTX_CUDA_DEVICES", "at most 64")),
        };
        Ok(Self { model, devices, options })
    }
}

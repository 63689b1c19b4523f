//! Kernels with the feature `jit`: a launch executes native code if the engine of its device does, and compiles it
//! before if no launch of its block shape did.

use std::fmt;
use std::sync::Arc;

use ptx_diag::Diagnostic;
use ptx_exec::engine::{ImageLaunch, Launchable};
use ptx_exec::{Options, Prepared, Report, Shape, codes};
use ptx_host::analysis::Launched;
use ptx_host::{CompileError, Kernel, Kernels, launch_with_output};
use ptx_link::Sources;

use crate::error::refused;
use crate::{Device, DeviceError, Engine};

/// The code of a kernel for each block shape.
#[derive(Clone, Default)]
pub(crate) struct Code {
    unchecked: Arc<Kernels>,
    /// Code that checks memory accesses.
    checked: Arc<Checked>,
}

/// Code that checks memory accesses.
struct Checked(Kernels);

impl Default for Checked {
    fn default() -> Self {
        Self(Kernels::new(ptx_host::Options::default().with_check_memory(true)))
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl Code {
    /// Compiles the code for launches of a shape; returns whether they execute compiled code.
    pub(crate) fn prepare(
        &self,
        device: &Device,
        prepared: &Prepared,
        shape: &Shape,
        sources: &Sources,
    ) -> Result<bool, DeviceError> {
        if device.engine() == Engine::Interpreter {
            return Ok(false);
        }
        let request = prepared.request(shape, &[], &device.options());
        Ok(self.of(device, &request, sources)?.is_some())
    }

    /// The code of a launch; `None` if the interpreter executes it. Launches that do not fit are left to the interpreter too.
    fn of(
        &self,
        device: &Device,
        request: &ImageLaunch,
        sources: &Sources,
    ) -> Result<Option<Arc<Kernel>>, DeviceError> {
        let Ok(begun) = request.begin() else { return Ok(None) };
        let compile = || match ptx_host::refused(&begun) {
            Some(why) => Err(Box::new(Diagnostic::error_without_place(codes::UNSUPPORTED, why))),
            None => {
                let launched = Launched::of(&begun.geometry);
                let kernels = if device.checks_memory() { &self.checked.0 } else { &self.unchecked };
                let kernel =
                    device.compilers().get(device.cache_folder()).kernel(kernels, begun.program, &launched);
                kernel.map_err(|error| Box::new(finding(&begun, &error)))
            }
        };
        match (compile(), device.engine()) {
            (Ok(kernel), _) => Ok(Some(kernel)),
            (Err(finding), Engine::Compiled) => Err(refused(sources, *finding)),
            (Err(_), Engine::Interpreter | Engine::Automatic) => Ok(None),
        }
    }

    pub(crate) fn launch(
        &self,
        device: &Device,
        prepared: &Prepared,
        (shape, params): (&Shape, &[u8]),
        options: &Options,
        sources: &Sources,
    ) -> Result<Report, DeviceError> {
        if device.engine() == Engine::Interpreter {
            return Ok(prepared.launch(shape, params, options));
        }
        let request = prepared.request(shape, params, options);
        let Some(kernel) = self.of(device, &request, sources)? else {
            return Ok(prepared.launch(shape, params, options));
        };
        let (result, output) = launch_with_output(&kernel, &request);
        Ok(Report { result, output, warp_instructions: 0, thread_instructions: 0 })
    }
}

/// Why there is no code, with the responsible instruction if known.
fn finding(begun: &ptx_exec::engine::Begun<'_>, error: &CompileError) -> Diagnostic {
    let text = format!("the kernel is not compiled: {error}");
    let origin = match error {
        CompileError::Refused(refusal) => begun.program.origins.get(refusal.pc as usize),
        CompileError::Llvm(_) => None,
    };
    match origin {
        Some(origin) => Diagnostic::error(codes::UNSUPPORTED, origin.span, text),
        None => Diagnostic::error_without_place(codes::UNSUPPORTED, text),
    }
}

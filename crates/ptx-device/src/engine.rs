//! Execution engines of a device.

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_exec::{Options, Prepared, Report, Shape, codes};
use ptx_link::Sources;

use crate::error::findings;
use crate::{Device, DeviceError};

/// The execution engine of the kernels of a device.
///
/// Compiled kernels have the same results as the interpreter and are stopped by the same errors, unless their accesses
/// are **not checked** ([`Check`]). The interpreter's counts ([`Report::warp_instructions`]) are zero.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Engine {
    /// The interpreter, which checks every access.
    #[default]
    Interpreter,
    /// Native code, which LLVM generates when a kernel is first launched with a block shape. Launches that cannot be
    /// compiled are errors. Accesses are not checked unless [`Check::Memory`] is set.
    Compiled,
    /// Native code if a launch can be compiled, otherwise the interpreter: also if there is no LLVM, or the crate lacks
    /// the feature `jit`. Accesses are checked unless [`Check::None`] is set.
    Automatic,
}

/// The checks of compiled kernels; the interpreter checks every access.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Check {
    /// Memory with [`Engine::Automatic`], nothing with [`Engine::Compiled`].
    #[default]
    Usual,
    /// None: an access outside the memory of the device is undefined behaviour as in a native program, so that an
    /// incorrect kernel may terminate the process or corrupt its memory.
    None,
    /// Every access, like the interpreter (`docs/compiled.md` lists possible differences in reports).
    Memory,
}

fn refused(sources: &Sources, finding: Diagnostic) -> DeviceError {
    let mut found = Diagnostics::new();
    found.push(finding);
    DeviceError::Kernel(findings(sources, &found))
}

#[cfg(feature = "jit")]
pub(crate) use compiled::{Code as Compiled, Compilers};
#[cfg(not(feature = "jit"))]
pub(crate) use interpreted::Code as Compiled;

#[cfg(not(feature = "jit"))]
mod interpreted {
    use super::*;

    /// No code: the feature `jit` is disabled.
    #[derive(Clone, Default, Debug)]
    pub(crate) struct Code;

    impl Code {
        pub(crate) fn prepare(
            &self,
            device: &Device,
            _: &Prepared,
            _: &Shape,
            sources: &Sources,
        ) -> Result<bool, DeviceError> {
            match device.engine() {
                Engine::Interpreter | Engine::Automatic => Ok(false),
                Engine::Compiled => {
                    let text = "compiled kernels require the feature `jit` of ptx-device";
                    let help = "enable the feature, or use the interpreter";
                    let finding = Diagnostic::error_without_place(codes::UNSUPPORTED, text).with_help(help);
                    Err(refused(sources, finding))
                }
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
            self.prepare(device, prepared, shape, sources)?;
            Ok(prepared.launch(shape, params, options))
        }
    }
}

#[cfg(feature = "jit")]
mod compiled {
    use std::fmt;
    use std::sync::{Arc, OnceLock};

    use ptx_exec::engine::{ImageLaunch, Launchable};
    use ptx_host::analysis::Launched;
    use ptx_host::{Cache, CompileError, Compiler, DEFAULT_CACHE_BYTES, Kernel, Kernels, launch_with_output};

    use super::*;

    /// The compiler of a device, created when a kernel first needs it.
    #[derive(Default)]
    pub(crate) struct Compilers {
        made: OnceLock<Compiler>,
    }

    impl Compilers {
        fn get(&self, device: &Device) -> &Compiler {
            self.made.get_or_init(|| {
                // An unusable cache is ignored.
                let folder = device.cache_folder();
                let cache = folder.and_then(|folder| Cache::open(folder, DEFAULT_CACHE_BYTES).ok());
                Compiler::host().with_cache(cache)
            })
        }
    }

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
                    let kernel = device.compilers().get(device).kernel(kernels, begun.program, &launched);
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
}

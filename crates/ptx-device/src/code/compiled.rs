//! Kernels with the feature `jit`: a launch executes native code if the engine of its device does, and compiles it
//! before if no launch of its block shape did.

use std::fmt;
use std::sync::Arc;

use ptx_diag::Diagnostic;
use ptx_exec::engine::{Begun, ImageLaunch, Launchable};
use ptx_exec::{Options, Prepared, Report, Shape, codes};
use ptx_host::analysis::Launched;
use ptx_host::{CompileError, Kernel, Kernels, launch_with_output};
use ptx_link::Sources;

use super::relay::{self, Budgets};
use crate::error::refused;
use crate::policy::{self, Compilation};
use crate::{Device, DeviceError, Engine};

/// The code of a kernel for each block shape.
#[derive(Clone, Default)]
pub(crate) struct Code {
    unchecked: Arc<Kernels>,
    /// Code that checks memory accesses.
    checked: Checked,
    /// What the interpreter executed before there was code.
    budgets: Arc<Budgets>,
}

/// Code that checks memory accesses.
#[derive(Clone)]
struct Checked(Arc<Kernels>);

impl Default for Checked {
    fn default() -> Self {
        Self(Arc::new(Kernels::new(ptx_host::Options::default().with_check_memory(true))))
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
        let Ok(begun) = request.begin() else { return Ok(false) };
        Ok(self.of(device, &begun, sources)?.is_some())
    }

    /// The code of a launch; `None` if the interpreter executes it.
    fn of(
        &self,
        device: &Device,
        begun: &Begun<'_>,
        sources: &Sources,
    ) -> Result<Option<Arc<Kernel>>, DeviceError> {
        let compile = || match ptx_host::refused(begun) {
            Some(why) => Err(Box::new(Diagnostic::error_without_place(codes::UNSUPPORTED, why))),
            None => {
                let kernel = self.compilation(device, begun).run();
                kernel.map_err(|error| Box::new(finding(begun, &error)))
            }
        };
        match (compile(), device.engine()) {
            (Ok(kernel), _) => Ok(Some(kernel)),
            (Err(finding), Engine::Compiled) => Err(refused(sources, *finding)),
            (Err(_), Engine::Interpreter | Engine::Automatic) => Ok(None),
        }
    }

    fn compilation(&self, device: &Device, begun: &Begun<'_>) -> Compilation {
        Compilation {
            compiler: device.compiler().clone(),
            kernels: if device.checks_memory() { self.checked.0.clone() } else { self.unchecked.clone() },
            program: begun.program.clone(),
            launched: Launched::of(&begun.geometry),
        }
    }

    /// How a launch begins.
    fn first(&self, device: &Device, request: &ImageLaunch, sources: &Sources) -> Result<First, DeviceError> {
        // The interpreter reports what does not fit.
        let Ok(begun) = request.begin() else { return Ok(First::Interpret) };
        let blocks = begun.geometry.blocks();
        let code =
            |kernel: Option<_>| kernel.map_or(First::Interpret, |kernel| First::Execute(kernel, blocks));
        if device.engine() == Engine::Compiled || begins_as_code(device, &begun) {
            return self.of(device, &begun, sources).map(code);
        }
        if ptx_host::refused(&begun).is_some() {
            return Ok(First::Interpret);
        }
        let compilation = self.compilation(device, &begun);
        Ok(match compilation.known() {
            Some(known) => code(known.ok()),
            None => First::Relay(compilation),
        })
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
        match self.first(device, &request, sources)? {
            First::Interpret => Ok(prepared.launch(shape, params, options)),
            First::Execute(kernel, compiled_blocks) => {
                let (result, output) = launch_with_output(&kernel, &request);
                Ok(Report { result, output, compiled_blocks, warp_instructions: 0, thread_instructions: 0 })
            }
            First::Relay(compilation) => {
                let budget = self.budgets.of(compilation.launched);
                let steps = device.interpreted_first(&compilation.program);
                Ok(relay::launch(request, compilation, &budget, steps).unwrap_or_else(|error| Report {
                    result: Err(error),
                    output: Vec::new(),
                    warp_instructions: 0,
                    thread_instructions: 0,
                    compiled_blocks: 0,
                }))
            }
        }
    }
}

/// How a launch begins.
enum First {
    /// In the interpreter, where it also ends.
    Interpret,
    /// As compiled code, with this number of blocks.
    Execute(Arc<Kernel>, u64),
    /// In the interpreter, until its kernel is compiled.
    Relay(Compilation),
}

/// Whether the kernel of a launch is compiled before it begins.
fn begins_as_code(device: &Device, begun: &Begun<'_>) -> bool {
    // Blocks that have started end in the interpreter, however long they are.
    let starts_at_once = begun.geometry.clusters() <= begun.threads.get() as u64;
    device.interpreted_first(begun.program) == 0
        // The interpreter would check accesses.
        || !device.checks_memory()
        || !policy::may_be_short(&begun.geometry)
        || ptx_host::kept_together(begun).is_some()
        || (starts_at_once && !policy::is_straight(begun.program))
}

/// Why the kernel was not compiled, with the responsible instruction if known.
fn finding(begun: &Begun<'_>, error: &CompileError) -> Diagnostic {
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

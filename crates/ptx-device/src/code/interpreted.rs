//! Kernels without the feature `jit`: the interpreter executes all launches.

use ptx_diag::Diagnostic;
use ptx_exec::{LaunchSpec, Prepared, Report, codes};
use ptx_link::Sources;

use crate::error::refused;
use crate::{Device, DeviceError, Engine};

/// No code: the feature `jit` is disabled.
#[derive(Clone, Default, Debug)]
pub(crate) struct Code;

impl Code {
    pub(crate) fn prepare(
        &self,
        device: &Device,
        _: &Prepared,
        _: &LaunchSpec,
        sources: &Sources,
    ) -> Result<bool, DeviceError> {
        match device.engine() {
            Engine::Interpreter | Engine::Automatic => Ok(false),
            Engine::Compiled => {
                let text = "compiled kernels require the feature `jit` of ptx-device";
                let help = "enable the feature, or use the interpreter";
                let finding = Diagnostic::error_without_place(codes::UNSUPPORTED, text).with_help(help);
                Err(DeviceError::Kernel(refused(sources, finding)))
            }
        }
    }

    pub(crate) fn launch(
        &self,
        device: &Device,
        prepared: &Prepared,
        spec: LaunchSpec,
        sources: &Sources,
    ) -> Result<Report, DeviceError> {
        self.prepare(device, prepared, &spec, sources)?;
        Ok(prepared.launch(spec))
    }
}

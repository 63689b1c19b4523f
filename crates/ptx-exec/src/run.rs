//! Runs a launch and collects its outcome.

use std::sync::Arc;

use ptx_program::decode::registers;
use ptx_program::memory::AddressSize;
use ptx_verify::Verified;

use crate::engine::Interpretation;
use crate::error::ExecError;
use crate::launch::{Launch, Outcome};
use crate::machine::Observer;
use crate::memory::Arena;
use crate::observe::{Observation, Observed, Profile};
use crate::repeat::DecodedLaunch;

/// Launches a kernel and waits for it.
///
/// Addresses depend only on the module and the launch: the buffers of the arguments come first, then the variables. For
/// kernels that share variables, or repeated launches of one kernel, use an [`Image`](crate::Image).
///
/// # Errors
/// [`ExecError::Refused`] if the launch does not fit the module or a construct reachable from the kernel cannot be
/// executed; [`ExecError::Trap`] if a thread was stopped.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_exec::{Argument, Launch, run};
///
/// let source = SourceFile::new("k.ptx", "
/// .version 8.0
/// .target sm_80
/// .address_size 64
/// .visible .entry k(.param .u64 to)
/// {
///     .reg .b64 %a;
///     ld.param.u64 %a, [to];
///     st.global.u8 [%a], 7;
///     ret;
/// }");
/// let (module, _) = ptx_syntax::parse(&source);
/// let (verified, _) = ptx_verify::verify(&module).unwrap();
/// let launch = Launch { arguments: vec![Argument::Buffer(vec![0, 0])], ..Launch::new("k") };
/// assert_eq!(run(verified, &launch).unwrap().buffers, [Some(vec![7, 0])]);
/// ```
pub fn run(module: Verified<'_>, launch: &Launch) -> Result<Outcome, ExecError> {
    run_watched(module, launch, None)
}

/// Like [`run`], with instrumentation: the profile is appended.
fn run_watched(
    module: Verified<'_>,
    launch: &Launch,
    observation: Option<(&Observation, &mut Vec<Profile>)>,
) -> Result<Outcome, ExecError> {
    let module = &module.written_out();
    let (decoded, reached) = DecodedLaunch::of(module, launch, Arena::new(AddressSize::of(module)))?;
    let observer = observation.as_ref().map(|(observation, _)| {
        let registers = registers(module, &reached, decoded.program());
        Arc::new(Observer::new(decoded.program(), observation, registers))
    });
    let loaded = decoded.load();
    let setup = loaded.observed_by(observer.clone())?;
    let executed = Interpretation::new(setup).run().executed();
    if let (Some(observer), Some((_, profile))) = (observer, observation) {
        profile.extend(observer.profile(loaded.program()));
    }
    Ok(loaded.outcome(executed?))
}

/// Launches a kernel, waits for it and records it; otherwise like [`run`].
pub fn run_observed(module: Verified<'_>, launch: &Launch, observation: &Observation) -> Observed {
    let mut profile = Vec::new();
    let result = run_watched(module, launch, Some((observation, &mut profile)));
    Observed { result, profile }
}

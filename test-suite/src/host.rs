//! LLVM IR executed on the host by `lli`.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use anyhow::Result;

use crate::judge::output_within;

/// What LLVM's code for the host calls to make a `bfloat`, and `lli` does not have: to nearest, to even; a NaN becomes quiet and keeps the
/// upper part of its payload, as in LLVM's compiler-rt.
pub(crate) const ROUND_TO_BFLOAT: &str = "\
define bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %upper = lshr i32 %bits, 16
  %odd = and i32 %upper, 1
  %half = add i32 %bits, 32767
  %sum = add i32 %half, %odd
  %nearest = lshr i32 %sum, 16
  %quiet = or i32 %upper, 64
  %isnan = fcmp uno float %x, 0.0
  %chosen = select i1 %isnan, i32 %quiet, i32 %nearest
  %result = trunc i32 %chosen to i16
  %value = bitcast i16 %result to bfloat
  ret bfloat %value
}
";

/// Executes `main` of a module.
///
/// # Errors
/// When `lli` cannot be run, or has not ended after `limit`.
pub(crate) fn execute(lli: &Path, module: &Path, limit: Duration) -> Result<Output> {
    let mut command = Command::new(lli);
    // Instructions for bfloat numbers of some hosts flush subnormal ones, and `ldexp` with those for halves rounds its exponent.
    output_within(command.arg("-mattr=-avx512bf16,-avxneconvert,-avx512fp16").arg(module), limit)
}

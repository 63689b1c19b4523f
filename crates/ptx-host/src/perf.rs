//! Names of compiled kernels for Linux's `perf`, which reads `/tmp/perf-PID.map`: a line for each function, with its address and size in
//! hexadecimal and its name.

use std::fs::OpenOptions;
use std::io::Write as _;

use ptx_llvm_core::LlvmError;
use ptx_llvm_core::host::symbols;

use crate::code::NAME;

/// Adds the functions of an object to the map of this process. `kernel` is the address of the kernel's function, `name` its name in the map.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn add(object: &[u8], kernel: usize, name: &str) -> Result<(), LlvmError> {
    let path = format!("/tmp/perf-{}.map", std::process::id());
    let text = lines(object, kernel, name)?;
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    // A single write, so that lines of other compilers in the process do not interleave with it.
    let written = options.open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| LlvmError::Other { message: format!("cannot write `{path}`: {error}") })
}

/// The lines of the map.
fn lines(object: &[u8], kernel: usize, name: &str) -> Result<String, LlvmError> {
    let symbols = symbols(object)?;
    let Some(own) = symbols.iter().find(|symbol| symbol.name == NAME) else { return Ok(String::new()) };
    let beside = symbols.iter().filter(|symbol| symbol.section == own.section && symbol.size > 0);
    let line = |symbol: &ptx_llvm_core::host::Symbol| {
        let address = (kernel as u64).wrapping_add(symbol.address).wrapping_sub(own.address);
        let part = if symbol.name == NAME { String::new() } else { format!(" {}", symbol.name) };
        format!("{address:x} {:x} kernel {}{part}\n", symbol.size, name.replace('\n', " "))
    };
    Ok(beside.map(line).collect())
}

//! What `-v` prints. Registers and spills are estimates: they are those that the driver reports as attributes of the kernel.

use ptx_device::{KernelAttributes, Module, Space};
use ptx_isa::Sm;

use super::options::Options;

/// Bytes of a constant bank in front of the parameters, before sm_90. Later architectures do not report this bank.
const BEFORE_PARAMETERS: u64 = 352;

/// Bytes of a register.
const REGISTER: u64 = 4;

/// The statistics, and the warnings about them that are wanted.
pub fn text(options: &Options, module: &Module) -> String {
    let mut text = String::new();
    if options.verbose {
        text += &of_module(module);
    }
    for name in module.kernels() {
        match module.kernel(name) {
            Ok(kernel) => text += &of_kernel(options, name, kernel.attributes()),
            Err(error) if !options.hide_warnings => {
                for finding in error.findings() {
                    text +=
                        &format!("ptxas warning : the driver does not execute '{name}': {}\n", finding.text);
                }
            }
            Err(_) => {}
        }
    }
    text
}

fn of_module(module: &Module) -> String {
    let bytes = |space| -> u64 {
        let all = module.variables();
        let variables = all.iter().filter_map(|name| module.variable(name));
        variables.filter(|variable| variable.space == space).map(|variable| variable.bytes).sum()
    };
    let constant = match bytes(Space::Const) {
        0 => String::new(),
        constant => format!(", {constant} bytes cmem[3]"),
    };
    format!("ptxas info    : {} bytes gmem{constant}\n", bytes(Space::Global))
}

fn of_kernel(options: &Options, name: &str, attributes: &KernelAttributes) -> String {
    let registers = options.registers.map_or(attributes.registers, |most| attributes.registers.min(most));
    let spilled = REGISTER * u64::from(attributes.registers - registers);
    let mut text = String::new();
    if options.verbose {
        let stack = attributes.local_bytes + spilled;
        let Sm { number, .. } = options.architecture;
        text +=
            &format!("ptxas info    : Compiling entry function '{name}' for '{}'\n", options.architecture);
        text += &format!(
            "ptxas info    : Function properties for {name}\n    {stack} bytes stack frame, {spilled} bytes spill stores, {spilled} bytes spill loads\n"
        );
        text += &format!("ptxas info    : Used {registers} registers");
        if attributes.static_shared_bytes > 0 {
            text += &format!(", {} bytes smem", attributes.static_shared_bytes);
        }
        if number < 90 {
            text += &format!(", {} bytes cmem[0]", BEFORE_PARAMETERS + attributes.parameter_bytes);
        }
        text.push('\n');
    }
    if options.warn_on_spills && spilled > 0 {
        text += &format!(
            "ptxas warning : Registers are spilled to local memory in function '{name}', {spilled} bytes spill stores, {spilled} bytes spill loads\n"
        );
    }
    if options.warn_on_local_memory && attributes.local_bytes > 0 {
        text += &format!(
            "ptxas warning : Local memory used for {name}, size of stack frame: {} bytes\n",
            attributes.local_bytes
        );
    }
    text
}

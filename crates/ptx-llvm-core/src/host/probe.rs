//! Queries which features a processor's name implies.
//!
//! LLVM's C API does not list the features of a processor. But its inliner only inlines a function into another if the features of the
//! callee are a subset of the caller's: so a function for the processor with the feature added is inlined exactly if the processor
//! already has it, and one for another processor exactly if this one has all of its features.

use super::{Cpu, HostMachine};
use crate::{Context, Module, OptLevel};

/// Whether the processor has a feature that its list of features does not mention.
pub(super) fn implies(cpu: &Cpu, feature: &str) -> bool {
    let separator = if cpu.features.is_empty() { "" } else { "," };
    let with = Cpu::of(&cpu.triple, &cpu.name, &format!("{}{separator}+{feature}", cpu.features));
    has_all(cpu, &with) == Some(true)
}

/// Whether `cpu` has all features of `other`, of the same target; `None` for names that LLVM does not know.
pub(super) fn has_all(cpu: &Cpu, other: &Cpu) -> Option<bool> {
    // Unknown names are rejected here.
    let machine = HostMachine::new(other, OptLevel::O0).ok()?;
    let attributes =
        |cpu: &Cpu| format!("\"target-cpu\"=\"{}\" \"target-features\"=\"{}\"", cpu.name, cpu.features);
    let text = format!(
        "define internal i32 @callee() {} {{ ret i32 7 }}\n\
         define i32 @caller() {} {{ %x = call i32 @callee() ret i32 %x }}\n",
        attributes(other),
        attributes(cpu)
    );
    let context = Context::new().ok()?;
    let mut module = Module::parse_text(&context, "probe", text.as_bytes()).ok()?;
    machine.set_up(&mut module);
    machine.run(&mut module, "cgscc(inline)").ok()?;
    Some(!module.to_text().contains("call i32"))
}

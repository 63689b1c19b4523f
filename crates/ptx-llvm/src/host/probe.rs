//! Queries which features a processor's name implies.
//!
//! LLVM's C API does not list the features of a processor. But its inliner only inlines a function into another if the features of the
//! callee are a subset of the caller's: so a function for the processor with the feature added is inlined exactly if the processor
//! already has it.

use super::{Cpu, HostMachine};
use crate::{Context, Module, OptLevel};

/// Whether the processor has a feature that its list of features does not mention.
pub(super) fn implies(cpu: &Cpu, feature: &str) -> bool {
    inlines(cpu, feature) == Some(true)
}

/// `None` for names that LLVM does not know.
fn inlines(cpu: &Cpu, feature: &str) -> Option<bool> {
    let separator = if cpu.features.is_empty() { "" } else { "," };
    let with = Cpu::of(&cpu.triple, &cpu.name, &format!("{}{separator}+{feature}", cpu.features));
    // Unknown names are rejected here.
    let machine = HostMachine::new(&with, OptLevel::O0).ok()?;
    let attributes =
        |features: &str| format!("\"target-cpu\"=\"{}\" \"target-features\"=\"{features}\"", cpu.name);
    let text = format!(
        "define internal i32 @with() {} {{ ret i32 7 }}\n\
         define i32 @without() {} {{ %x = call i32 @with() ret i32 %x }}\n",
        attributes(&with.features),
        attributes(&cpu.features)
    );
    let context = Context::new().ok()?;
    let mut module = Module::parse_text(&context, "probe", text.as_bytes()).ok()?;
    machine.set_up(&mut module);
    machine.run(&mut module, "cgscc(inline)").ok()?;
    Some(!module.to_text().contains("call i32"))
}

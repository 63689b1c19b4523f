//! The rules of the PTX manual, checked over the module model.
//!
//! [`verify`] checks a whole [`Module`] and reports all errors; if there are none, it returns a [`Verified`], the proof
//! that later stages require. It checks what the parser cannot: operand types and state spaces, ranges of immediates,
//! combinations of modifiers that no row of the instruction table can express, calls against signatures, directives
//! against each other, and the versions and architectures that have an instruction.
//!
//! Invariants:
//! - a [`Verified`] can only be constructed by [`verify`], and borrows the module, so that nothing changes after it;
//! - findings come in the order of the text, each with the position of the operand or directive it is about;
//! - one mistake causes one finding: consequences of an earlier finding are not reported.

use ptx_diag::Diagnostics;
use ptx_ir::{Item, Module};
use ptx_isa::PtxVersion;

use crate::context::Checker;
use crate::variables::DeclarationScope;

mod address;
mod body;
mod calls;
mod cluster_addresses;
pub mod codes;
mod compare;
mod composite;
mod context;
mod convert;
mod debug;
mod elements;
mod findings;
mod functions;
mod hand_over;
mod initializers;
mod labels;
mod memory;
mod modifiers;
mod moves;
mod old_parameters;
mod old_words;
mod operand_position;
mod operands;
mod policies;
mod redeclarations;
mod resources;
mod scalar;
mod single_elements;
mod special_registers;
mod sums;
mod targets;
mod tensors;
mod textures;
mod thread_state;
mod types;
mod variables;
mod video;
mod written_out;

pub use calls::signature_mismatch;
pub use targets::{first_version, is_known_version, known_targets, nearest_target};
pub use written_out::WrittenOut;

/// A module that obeys the manual's rules.
#[derive(Clone, Copy, Debug)]
pub struct Verified<'m> {
    module: &'m Module,
}

impl<'m> Verified<'m> {
    /// The module.
    pub fn module(self) -> &'m Module {
        self.module
    }
}

/// Checks a module; gives the proof with the warnings.
///
/// # Errors
/// All findings, warnings included, when one of them is an error.
///
/// ```
/// use ptx_diag::SourceFile;
///
/// let verdict = |instruction: &str| {
///     let text = format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {{ .reg .u32 %r; {instruction} }}");
///     let (module, _) = ptx_syntax::parse(&SourceFile::new("k.ptx", text));
///     ptx_verify::verify(&module).map(|(verified, _)| verified.module().functions.len())
/// };
/// assert_eq!(verdict("mov.u32 %r, 1;"), Ok(1));
/// assert_eq!(verdict("mov.f32 %r, 1.0;").unwrap_err().error_count(), 1);
/// ```
pub fn verify(module: &Module) -> Result<(Verified<'_>, Diagnostics), Diagnostics> {
    let findings = check(module).into_findings();
    if findings.has_errors() { Err(findings) } else { Ok((Verified { module }, findings)) }
}

/// The version of the PTX ISA that a module has to state for what it uses, where the one that it states is too low.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_isa::PtxVersion;
///
/// let text = ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k() { .reg .b32 %r; activemask.b32 %r; }";
/// let (module, _) = ptx_syntax::parse(&SourceFile::new("k.ptx", text));
/// assert_eq!(ptx_verify::needed_version(&module), Some(PtxVersion::new(6, 2)));
/// ```
pub fn needed_version(module: &Module) -> Option<PtxVersion> {
    check(module).needed
}

fn check(module: &Module) -> Checker<'_> {
    let mut cx = Checker::new(module);
    targets::check_header(&mut cx);
    for item in &module.items {
        match item {
            Item::Variable(id) => {
                variables::check(&mut cx, *id, DeclarationScope::Module);
                redeclarations::check_variable(&mut cx, *id);
            }
            Item::Registers(first, end, _) => variables::check_outer_registers(&mut cx, *first, *end),
            Item::Function(id) => functions::check(&mut cx, *id),
            Item::File(file, at) => debug::check_file(&mut cx, file, at.0),
            Item::Location(location) => debug::check_location(&mut cx, location),
            Item::Pragma(strings, at) => debug::check_outer_pragma(&mut cx, strings, at.0),
            Item::Section(section) => debug::check_section(&mut cx, section),
            Item::Alias(alias, at) => redeclarations::check_alias(&mut cx, *alias, at.0),
            Item::Version(..)
            | Item::Target(..)
            | Item::AddressSize(..)
            | Item::DwarfLine(_)
            | Item::Comment(_)
            | Item::TrailingComment(_) => {}
        }
    }
    thread_state::check(&mut cx);
    resources::check(&mut cx);
    cx
}

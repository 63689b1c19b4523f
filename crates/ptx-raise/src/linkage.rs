//! Linkage (manual 11.6).

use ptx_ir::Linkage as PtxLinkage;
use ptx_llvm_core::address_space;
use ptx_llvm_core::view::{Function, Linkage};

/// Whether a symbol has its content or body here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    Defined,
    Declared,
}

/// The linkage directive of a symbol. Its visibility has no effect, as for llc: other modules of a program that is linked
/// before it is loaded can refer to a hidden or protected symbol, and PTX cannot express that other programs cannot.
pub(crate) fn directive(linkage: Linkage, presence: Presence) -> PtxLinkage {
    match (presence, linkage) {
        (_, Linkage::AvailableExternally)
        | (Presence::Declared, Linkage::External | Linkage::ExternalWeak) => PtxLinkage::Extern,
        (_, Linkage::Internal | Linkage::Private | Linkage::Appending) => PtxLinkage::Internal,
        (_, Linkage::LinkOnce | Linkage::Weak | Linkage::ExternalWeak) => PtxLinkage::Weak,
        (_, Linkage::Common) => PtxLinkage::Common,
        (Presence::Defined, Linkage::External) => PtxLinkage::Visible,
    }
}

/// Whether a function has a body to emit.
pub(crate) fn is_defined(function: &Function) -> bool {
    !function.is_declaration() && function.linkage != Linkage::AvailableExternally
}

/// The address space a variable of LLVM's space `space` lies in: generic ones are kept in `.global`.
pub(crate) const fn stored_space(space: u32) -> u32 {
    if space == address_space::GENERIC { address_space::GLOBAL } else { space }
}

//! Linkage and what the linker sees (manual 11.6).

use ptx_ir::Linkage as PtxLinkage;
use ptx_llvm::view::{Linkage, Visibility};

/// Whether a symbol has its content or body here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Presence {
    Defined,
    Declared,
}

/// The linkage directive of a symbol. A hidden definition has none: other modules cannot name it.
pub(crate) fn directive(linkage: Linkage, visibility: Visibility, presence: Presence) -> PtxLinkage {
    match (presence, linkage) {
        (_, Linkage::AvailableExternally)
        | (Presence::Declared, Linkage::External | Linkage::ExternalWeak) => PtxLinkage::Extern,
        (_, Linkage::Internal | Linkage::Private | Linkage::Appending) => PtxLinkage::Internal,
        (_, Linkage::LinkOnce | Linkage::Weak | Linkage::ExternalWeak) => PtxLinkage::Weak,
        (_, Linkage::Common) => PtxLinkage::Common,
        (Presence::Defined, Linkage::External) => match visibility {
            Visibility::Default | Visibility::Protected => PtxLinkage::Visible,
            Visibility::Hidden => PtxLinkage::Internal,
        },
    }
}

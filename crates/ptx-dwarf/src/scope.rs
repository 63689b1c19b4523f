//! Scopes: functions and blocks of the source, in each place they were inlined to.

use ptx_llvm_core::view::{LocationId, MetadataId, View};

/// Scopes that stand around one another are followed this far.
const MAX_SCOPES: usize = 1024;

/// A function or a block in one of the places where its code is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScopeKey {
    /// A `DISubprogram` or `DILexicalBlock`.
    pub node: MetadataId,
    /// The call it was inlined at.
    pub inlined_at: Option<LocationId>,
}

impl ScopeKey {
    /// The scope that `node` is or only puts into another file.
    pub fn innermost(view: &View, node: MetadataId, inlined_at: Option<LocationId>) -> Option<Self> {
        let mut node = node;
        for _ in 0..MAX_SCOPES {
            let found = view.debug_node(node)?;
            match found.class.as_str() {
                "DILexicalBlockFile" => node = found.node("scope")?,
                "DILexicalBlock" | "DISubprogram" => return Some(Self { node, inlined_at }),
                _ => return None,
            }
        }
        None
    }

    /// The scope around within the same function.
    pub fn outer_block(self, view: &View) -> Option<Self> {
        let node = view.debug_node(self.node).filter(|node| node.class == "DILexicalBlock")?;
        Self::innermost(view, node.node("scope")?, self.inlined_at)
    }

    /// The scope around: of an inlined function that of the call.
    pub fn outer(self, view: &View) -> Option<Self> {
        if view.debug_node(self.node)?.class == "DILexicalBlock" {
            return self.outer_block(view);
        }
        let call = view.location(self.inlined_at?);
        Self::innermost(view, call.scope?, call.inlined_at)
    }
}

/// The scopes of a location, the innermost first.
pub fn scope_chain(view: &View, location: LocationId) -> Vec<ScopeKey> {
    let location = view.location(location);
    let mut scope = location.scope.and_then(|node| ScopeKey::innermost(view, node, location.inlined_at));
    let mut chain = Vec::new();
    while let Some(key) = scope.filter(|_| chain.len() < MAX_SCOPES) {
        chain.push(key);
        scope = key.outer(view);
    }
    chain
}

//! Metadata of the module and of loops.

use std::ptr;

use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;

use super::editor::Editor;
use super::handle::Node;
use crate::raw::node_operands;
use crate::{build, marks};

impl<'e> Editor<'e> {
    /// Whether the module has named metadata of this name.
    pub fn has_metadata(&self, name: &str) -> bool {
        // SAFETY: the module is alive; the name has as many bytes as stated.
        unsafe { !LLVMGetNamedMetadata(self.module, name.as_ptr().cast(), name.len()).is_null() }
    }

    /// The strings in the nodes of named metadata.
    pub fn metadata_strings(&self, name: &str) -> Vec<Vec<u8>> {
        let name = build::c_name(name);
        // SAFETY: the module is alive, the name ends in a NUL byte, and there is room for as many nodes as are counted.
        unsafe {
            let mut nodes =
                vec![ptr::null_mut(); LLVMGetNamedMetadataNumOperands(self.module, name.as_ptr()) as usize];
            LLVMGetNamedMetadataOperands(self.module, name.as_ptr(), nodes.as_mut_ptr());
            let strings = nodes.into_iter().flat_map(|node| node_operands(node));
            strings.filter_map(|string| text(string)).map(<[u8]>::to_vec).collect()
        }
    }

    /// A node for `!llvm.loop` of the branch back of one loop, which must not be unrolled.
    pub fn rolled_loop(&self) -> Node<'e> {
        let disable = self.types.metadata_strings(&[marks::UNROLL_DISABLE]);
        Node::new(self.types.metadata_as_value(self.types.distinct_node(&[disable])))
    }
}

impl Node<'_> {
    /// Whether it is of a loop that must not be unrolled: the `!llvm.loop` of a branch back, or its like.
    pub fn disables_unrolling(self) -> bool {
        // SAFETY: nodes are not freed before their editor.
        unsafe {
            node_operands(self.raw).into_iter().skip(1).any(|property| {
                let name = node_operands(property).first().and_then(|name| text(*name));
                name == Some(marks::UNROLL_DISABLE.as_bytes())
            })
        }
    }
}

/// The bytes of a string of metadata.
///
/// # Safety
///
/// The value is alive or null.
unsafe fn text<'v>(string: LLVMValueRef) -> Option<&'v [u8]> {
    // SAFETY: a string of metadata, which its context keeps, with its length.
    unsafe {
        if string.is_null() || LLVMIsAMDString(string).is_null() {
            return None;
        }
        let mut length = 0;
        let start = LLVMGetMDString(string, &raw mut length);
        Some(std::slice::from_raw_parts(start.cast(), length as usize))
    }
}

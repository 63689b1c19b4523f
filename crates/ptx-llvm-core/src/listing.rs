//! LLVM IR for people to read: without the metadata that only helps PTX come back as it was, and with plain names of blocks.

use std::ptr;

use inkwell::values::AsValueRef;
use llvm_sys::core::{LLVMGlobalEraseMetadata, LLVMSetMetadata};

use crate::error::LlvmError;
use crate::marks;
use crate::module::Module;
use crate::view::MetadataKind;

impl<'c> Module<'c> {
    /// The module without this project's metadata (docs/mapping.md, "Hints").
    ///
    /// ```text
    /// %r = load i32, ptr %p, !range !4, !ptx.mods !2    -->    %r = load i32, ptr %p, !range !4
    /// ```
    ///
    /// # Errors
    ///
    /// Those of LLVM's parser, which reads a text that LLVM has written.
    pub fn without_hints(self) -> Result<Self, LlvmError> {
        let context = self.context();
        let own = MetadataKind::REGISTERED.iter().filter(|kind| marks::is_own(kind));
        let kinds: Vec<u32> = own.map(|kind| context.inkwell().get_kind_id(kind)).collect();
        for global in self.inkwell().get_globals() {
            for &kind in &kinds {
                // SAFETY: the variable is alive; it need not have the kind.
                unsafe { LLVMGlobalEraseMetadata(global.as_value_ref(), kind) };
            }
        }
        for function in self.inkwell().get_functions() {
            for &kind in &kinds {
                // SAFETY: the function is alive; it need not have the kind.
                unsafe { LLVMGlobalEraseMetadata(function.as_value_ref(), kind) };
            }
            for instruction in function.get_basic_block_iter().flat_map(|block| block.get_instructions()) {
                for &kind in &kinds {
                    // SAFETY: the instruction is alive; a null node removes the kind.
                    unsafe { LLVMSetMetadata(instruction.as_value_ref(), kind, ptr::null_mut()) };
                }
            }
        }
        self.without_named(marks::is_own)
    }

    /// The module without the named metadata of which the names are wanted. LLVM's C API cannot remove it, and its text has it in lines of
    /// its own; nodes that nothing names are no longer there when the text is read.
    fn without_named(self, is_wanted: fn(&str) -> bool) -> Result<Self, LlvmError> {
        let is_named = |line: &&str| {
            let name = line.strip_prefix('!').and_then(|rest| rest.split_once(" = !{"));
            name.is_none_or(|(name, _)| !is_wanted(name))
        };
        let text = self.to_text();
        let mut kept = String::with_capacity(text.len());
        for line in text.lines().filter(is_named) {
            kept.push_str(line);
            kept.push('\n');
        }
        let name = self.inkwell().get_name().to_string_lossy().into_owned();
        Module::parse_text(self.context(), &name, kept.as_bytes())
    }

    /// Gives blocks the names that `name` makes of theirs, where no other value of the function has them.
    pub fn rename_blocks(&mut self, name: impl Fn(&str) -> Option<String>) {
        for function in self.inkwell().get_functions() {
            for block in function.get_basic_block_iter() {
                let old = block.get_name().to_string_lossy().into_owned();
                let Some(new) = name(&old) else { continue };
                block.set_name(&new);
                // LLVM adds a number to a name that is taken.
                if block.get_name().to_bytes() != new.as_bytes() {
                    block.set_name(&old);
                }
            }
        }
    }
}

/// A label such as `$L__BB0_2`, which LLVM writes in quotes, without the `$`; `None` for any other.
pub fn plain_label(name: &str) -> Option<String> {
    let plain = name.strip_prefix('$')?;
    let begins = plain.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let is_plain = plain.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    (begins && is_plain).then(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    const TEXT: &str = "@v = global i32 0, !ptx.scope !0
define void @f(ptr %p) !ptx.debug.end !0 !prof !1 {
  %L_taken = load i32, ptr %p, align 4, !range !2, !ptx.mods !0
  br label %\"$L_x\", !ptx.debug !0
\"$L_x\":
  call void asm \"; a, !ptx.mods !2\", \"\"()
  br label %\"$L_taken\"
\"$L_taken\":
  br label %\"$L odd\"
\"$L odd\":
  ret void
}
!ptx.version = !{!0}
!llvm.x = !{!1}
!0 = !{!\"a\"}
!1 = !{!\"function_entry_count\", i64 1}
!2 = !{i32 0, i32 4}
";

    #[test]
    fn hints_go_and_the_rest_stays() {
        let context = Context::new().expect("LLVM 22");
        let module = Module::parse_text(&context, "m", TEXT.as_bytes()).expect("valid LLVM IR");
        let mut module = module.without_hints().expect("readable");
        module.rename_blocks(plain_label);
        let text = module.to_text();
        assert_eq!(text.matches("ptx.").count(), 1, "{text}");
        for part in [
            "; a, !ptx.mods !2",
            "!range",
            "!prof",
            "!llvm.x = ",
            "label %L_x\n",
            "\nL_x:",
            "%L_taken = load",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        // Another value has the name, or it needs quotes.
        assert!(text.contains("\n\"$L_taken\":") && text.contains("\n\"$L odd\":"), "{text}");
    }
}

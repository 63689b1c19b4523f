//! The handles: pointers of LLVM's with the lifetime of their editor.

use std::fmt;
use std::marker::PhantomData;

use llvm_sys::core::{LLVMDisposeMessage, LLVMPrintValueToString};
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMMetadataRef, LLVMTypeRef, LLVMValueRef};

use crate::build;

/// The editor of a handle: a lifetime that the compiler neither shortens nor lengthens.
type Brand<'e> = PhantomData<fn(&'e ()) -> &'e ()>;

/// Declares a handle of a pointer of LLVM's; with `Option`, one that LLVM may answer without.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident(Option<$raw:ty>)) => {
        handle! {
            $(#[$doc])*
            $name($raw)
        }

        impl $name<'_> {
            /// `None` of a null pointer.
            pub(super) fn of(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then(|| Self::new(raw))
            }
        }
    };
    ($(#[$doc:meta])* $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name<'e> {
            pub(super) raw: $raw,
            brand: Brand<'e>,
        }

        impl $name<'_> {
            /// The pointer is not null, of the module that the editor edits or of its context, and of the kind that the handle is for.
            pub(super) fn new(raw: $raw) -> Self {
                debug_assert!(!raw.is_null(), "a handle of nothing");
                Self { raw, brand: PhantomData }
            }
        }
    };
}

handle! {
    /// A type of the module's context.
    Type(LLVMTypeRef)
}
handle! {
    /// Anything that can be an operand: a constant, a parameter, the result of an instruction, a block, inline assembly.
    Value(Option<LLVMValueRef>)
}
handle! {
    /// An instruction.
    Inst(Option<LLVMValueRef>)
}
handle! {
    /// A basic block of a function.
    Block(Option<LLVMBasicBlockRef>)
}
handle! {
    /// A function, defined or declared.
    Function(Option<LLVMValueRef>)
}
handle! {
    /// A global variable.
    Variable(Option<LLVMValueRef>)
}
handle! {
    /// A node of metadata.
    Node(Option<LLVMValueRef>)
}
handle! {
    /// A place in the source, as debug information has it.
    Location(Option<LLVMMetadataRef>)
}

/// Declares a handle of a number of the context's.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name<'e> {
            pub(super) number: u32,
            brand: Brand<'e>,
        }

        impl $name<'_> {
            pub(super) fn new(number: u32) -> Self {
                Self { number, brand: PhantomData }
            }
        }
    };
}

number! {
    /// A kind of metadata that instructions have, such as `prof`.
    MetadataKind
}
number! {
    /// The threads that an atomic operation synchronizes with, such as `device`.
    SyncScope
}

impl<'e> From<Inst<'e>> for Value<'e> {
    fn from(inst: Inst<'e>) -> Self {
        Value::new(inst.raw)
    }
}

impl<'e> From<Function<'e>> for Value<'e> {
    fn from(function: Function<'e>) -> Self {
        Value::new(function.raw)
    }
}

impl<'e> From<Variable<'e>> for Value<'e> {
    fn from(variable: Variable<'e>) -> Self {
        Value::new(variable.raw)
    }
}

impl<'e> Value<'e> {
    /// The same for the checked functions of [`build`].
    pub(super) fn build(self) -> build::Value<'e> {
        build::Value::new(self.raw)
    }
}

impl<'e> Type<'e> {
    /// The same for the checked functions of [`build`].
    pub(super) fn build(self) -> build::Type<'e> {
        build::Type::new(self.raw)
    }
}

/// LLVM's text of a value.
fn text(raw: LLVMValueRef) -> String {
    // SAFETY: a value of a handle is not freed before its editor; the string is LLVM's and is given back.
    unsafe {
        let raw = LLVMPrintValueToString(raw);
        let text = std::ffi::CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        text
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text(self.raw).trim())
    }
}

impl fmt::Debug for Inst<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text(self.raw).trim())
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.build().text())
    }
}

/// Declares the text of handles that have no short one in LLVM: their kind.
macro_rules! debug_as_kind {
    ($($name:ident),*) => {
        $(impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        })*
    };
}

debug_as_kind!(Block, Function, Variable, Node, Location);

//! The syntax tree of PTX, before names and numbers are resolved.
//!
//! A PTX file is a sequence of [`Statement`]s: directives, labels, instructions and braces. The tree borrows from the text; names
//! and numbers are slices of it with their spans. Nothing is resolved, so that a text with an unknown instruction or an undeclared name
//! has a tree, too. Formatters and editors can use it; [`crate::parse`] resolves it to a model.
//!
//! ```
//! use ptx_syntax::syntax::{Operand, OperandKind, Statement, statements};
//!
//! let text = ".reg .b32 %r<4>; @%p1 add.s32 %r1, %r2, -7; ret";
//! let read: Vec<_> = statements(text).collect();
//! let Ok(Statement::Instruction(add)) = &read[1] else { panic!("an instruction") };
//! assert_eq!((add.mnemonic.name.text, add.operands.len()), ("add.s32", 3));
//! assert!(matches!(add.operands[0].kind, OperandKind::Name(name) if name.text == "%r1" && name.span.lo == 30));
//! // After an error parsing resumes at the next statement; this one has no semicolon.
//! assert_eq!(read[2].as_ref().unwrap_err().message, "expected `,` or `;`, found the end of the input");
//! ```

pub use crate::elements::{Element, ElementKind, Elements, elements};
pub use crate::statements::{Statements, statements};
pub use crate::tree::{
    Address, Attribute, Constant, ConstantValue, Declaration, Declarator, Field, File, Function,
    FunctionDirective, Guard, Initializer, InlinedAt, Instruction, Location, Mnemonic, Name, Number, Operand,
    OperandKind, Parameter, Pointer, Prototype, Section, SpacedModifiers, Statement, Table, TablePart, Term,
    Variables,
};

//! Inline assembly with instructions that several threads execute together, but without `convergent`: producers other than CUDA's forget it,
//! and LLVM then duplicates a barrier.

use ptx_isa::{Mnemonic, Mod, Opcode, forms_of};

use super::{is_convergent as is_convergent_call, is_convergent_function};
use crate::edit::{Attribute, AttributeIndex, Block, Editor, Inst, Value};
use crate::error::LlvmError;

/// Adds `convergent` to calls of assembly with such instructions, to the functions that they are in, and to the functions that call these.
///
/// ```text
///   call void asm sideeffect "bar.sync 0;", ""()    -->    call void asm sideeffect "bar.sync 0;", ""() convergent
/// ```
pub(super) fn mark(editor: &Editor<'_>) -> Result<(), LlvmError> {
    let add = |call: Inst<'_>| call.add_call_attribute(AttributeIndex::Function, Attribute::Convergent);
    let mut work = Vec::new();
    let mut through_addresses = Vec::new();
    for function in editor.functions() {
        for call in function.instructions().into_iter().filter(|inst| inst.opcode().is_call()) {
            let text = call.callee().and_then(Value::asm_text);
            if text.is_none() && call.called_function().is_none() {
                through_addresses.push((function, call));
            }
            if text.is_some_and(|text| !is_convergent_call(call) && is_convergent(&text)) {
                add(call)?;
                work.push(function);
            }
        }
    }
    let mut is_address_taken = false;
    while let Some(function) = work.pop() {
        if is_convergent_function(function) {
            continue;
        }
        function.add_attribute(Attribute::Convergent);
        for user in function.users() {
            let call = user.as_inst().filter(|call| call.called_function() == Some(function));
            match call.and_then(Inst::block).map(Block::function) {
                Some(caller) => work.push(caller),
                None => is_address_taken = true,
            }
        }
        if is_address_taken {
            for (caller, call) in through_addresses.drain(..) {
                add(call)?;
                work.push(caller);
            }
        }
    }
    Ok(())
}

/// Whether an instruction of the text needs threads together. What is not a known instruction, such as a macro of the module's own
/// assembly, may be one; of an opcode with unknown modifiers any row may be meant.
pub(super) fn is_convergent(text: &str) -> bool {
    statements(text).any(|statement| {
        let end = statement.find(|letter: char| !(letter.is_ascii_alphanumeric() || "_.:".contains(letter)));
        let mut words = statement[..end.unwrap_or(statement.len())].split('.');
        let Some(opcode) = words.next().and_then(Opcode::from_ptx) else { return true };
        let modifiers: Option<Vec<Mod>> = words.map(Mod::from_ptx).collect();
        match modifiers.and_then(|modifiers| Mnemonic::of(opcode, &modifiers)) {
            Some(mnemonic) => mnemonic.rows().any(|row| row.effects().convergent),
            None => forms_of(opcode).1.iter().any(|form| form.effects.convergent),
        }
    })
}

/// The instructions of a text: without comments, directives, labels, braces and predicates.
fn statements(text: &str) -> impl Iterator<Item = String> {
    let text = without_comments(text);
    let pieces: Vec<String> = text.split([';', '{', '}', '\n']).map(str::to_owned).collect();
    pieces.into_iter().filter_map(|piece| {
        let mut rest = piece.trim();
        loop {
            rest = match rest.chars().next()? {
                // `@%p bra L`, `@!%p bra L`
                '@' => rest.split_once(char::is_whitespace)?.1.trim_start(),
                // A directive, or the operands of an instruction whose vector was cut off: `{%a, %b}, [%p]`.
                '.' | ',' | '%' | '[' | '(' | ')' | '0'..='9' | '-' => return None,
                // An operand: `{$0, $1}`; labels begin with `$` too.
                '$' if !rest.contains(':') => return None,
                _ => match rest.split_once(':') {
                    // `L: add.s32 ..`, but not `ld.shared::cta.b32`.
                    Some((label, after)) if !label.contains(['.', ' ', '\t']) && !after.starts_with(':') => {
                        after.trim_start()
                    }
                    _ => return Some(rest.to_owned()),
                },
            };
        }
    })
}

/// A text with a space for each `// ..` and `/* .. */`.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let comment = match from.as_bytes().get(1) {
            Some(b'/') => from.find('\n').unwrap_or(from.len()),
            // One without an end takes the rest of the text, which is refused later.
            Some(b'*') => from[2..].find("*/").map_or(from.len(), |end| end + 4),
            _ => 0,
        };
        out.push(if comment > 0 { ' ' } else { '/' });
        rest = &from[comment.max(1)..];
    }
    out.push_str(rest);
    out
}

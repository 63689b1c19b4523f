//! What is told about the word at a position.

use std::fmt::Write as _;

use ptx_demangle::{demangled, demangled_text};
use ptx_diag::{Span, counted};
use ptx_isa::{
    Candidate, Form, Mod, ScalarType, describe, describe_directive, describe_special, type_text, version_text,
};
use ptx_syntax::syntax::{ElementKind, elements};

use crate::document::Document;
use crate::index::{Access, Extent, Occurrence, Rows, StatementKind, Symbol, SymbolId, SymbolKind};
use crate::instruction::{InstructionAt, instruction_at, special_register};

/// A text about a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// The word.
    pub span: Span,
    /// Markdown.
    pub markdown: String,
}

/// The most instructions that write a register and are shown.
const SHOWN_WRITES: usize = 3;
/// The longest declaration that is shown, in bytes.
const SHOWN_BYTES: usize = 400;

/// The text about the word at an offset: an instruction, a modifier, a name, a directive or a number.
pub fn hover(document: &Document, offset: u32) -> Option<Hover> {
    let offset = document.inside(offset);
    if let Some(occurrence) = document.index().occurrence_at(offset)
        && let Some(id) = occurrence.symbol
    {
        return about_symbol(document, occurrence, id);
    }
    let extent = document.index().statement_before(offset).filter(|extent| offset <= extent.span.hi)?;
    let mut rows = Rows::default();
    if let Some(instruction) = instruction_at(document, extent, &mut rows)
        && let Some(found) = about_mnemonic(document, &instruction, offset)
    {
        return Some(found);
    }
    about_word(document, extent, offset)
}

/// An instruction's row, and the modifier at the offset.
fn about_mnemonic(document: &Document, at: &InstructionAt<'_>, offset: u32) -> Option<Hover> {
    let mnemonic = &at.instruction.mnemonic;
    let words = mnemonic.spaced.iter().flat_map(|spaced| &spaced.words);
    let span = words.fold(mnemonic.name.span, |span, word| span.to(word.span));
    let span = at.place(span);
    if !(span.lo..=span.hi).contains(&offset) {
        return None;
    }
    let forms: Vec<&Form> = match at.chosen {
        Some((chosen, _)) => vec![chosen.form()],
        None => at.rows.iter().map(|Candidate { mnemonic, .. }| mnemonic.form()).collect(),
    };
    let first = forms.first()?;
    let mut out = String::new();
    if let Some(modifier) = modifier_at(document.slice(span), offset - span.lo) {
        about_modifier(&mut out, first, modifier);
    }
    for form in &forms {
        let _ = writeln!(out, "{}\n", unindented(&describe(form)));
    }
    let _ = writeln!(out, "{}", first.sem.meaning());
    if let Some(since) = at.since() {
        let _ = write!(out, "\nAs written: {}.", version_text(since));
    }
    Some(Hover { span, markdown: out.trim_end().to_owned() })
}

/// The modifier of a mnemonic that contains an offset.
fn modifier_at(text: &str, offset: u32) -> Option<Mod> {
    let mut lo = 0;
    let word = text.split('.').find(|word| {
        let hi = lo + word.len();
        let is_here = (lo..=hi).contains(&(offset as usize));
        lo = hi + 1;
        is_here
    });
    Mod::from_ptx(word?.trim())
}

/// The slot of a modifier, with what else may be in it, and its versions.
fn about_modifier(out: &mut String, form: &Form, modifier: Mod) {
    let Some(slot) = form.slots.iter().find(|slot| slot.takes(modifier)) else { return };
    let _ = write!(out, "`.{}`", modifier.as_str());
    if let Some(field) = slot.field() {
        let _ = write!(out, " ({}{})", field.as_str(), if slot.is_optional() { ", optional" } else { "" });
    }
    if let Some(ty) = ScalarType::from_mod(modifier) {
        let _ = write!(out, ": {}", type_text(ty));
    }
    if let Some((_, since)) = form.later.iter().find(|(later, _)| *later == modifier) {
        let _ = write!(out, "; {}", version_text(*since));
    }
    out.push_str("\n\n---\n\n");
}

/// A row, whose syntax line is indented, with that line as PTX.
fn unindented(row: &str) -> String {
    match row.strip_prefix("    ").and_then(|row| row.split_once('\n')) {
        Some((line, rest)) => format!("```ptx\n{line}\n```\n{rest}"),
        None => row.to_owned(),
    }
}

fn about_symbol(document: &Document, occurrence: &Occurrence, id: SymbolId) -> Option<Hover> {
    let symbol = document.index().symbol(id)?;
    let name = document.slice(occurrence.span);
    let mut out = format!("```ptx\n{}\n```\n", declaration_text(document, symbol));
    let is_member = symbol.count.is_some() && occurrence.access != Access::Declare;
    let of_kind = if is_member {
        format!("`{name}`, a {} of `{}<..>`", symbol.kind.text(), document.slice(symbol.name))
    } else {
        format!("`{name}`, a {}", symbol.kind.text())
    };
    let _ = write!(out, "{of_kind}");
    if let Some(source) = demangled(name) {
        let _ = write!(out, ", in its source `{source}`");
    }
    if let Some(ty) = symbol.ty {
        let _ = write!(out, ": `.{}`", ty.as_str());
        // A variable may be an array of them.
        if symbol.kind == SymbolKind::Register {
            let _ = write!(out, ", {}", type_text(ty));
        }
    }
    if let Some(function) = symbol.function.and_then(|at| document.index().functions().get(at as usize))
        && let Some(function) = document.index().symbol(function.symbol)
    {
        let _ = write!(out, "; in `{}`", demangled_text(document.slice(function.name)));
    }
    out.push_str(".\n\n");
    about_uses(document, symbol, id, is_member.then_some(name), &mut out);
    Some(Hover { span: occurrence.span, markdown: out.trim_end().to_owned() })
}

/// How often a name is used, and the first instructions that write it.
fn about_uses(document: &Document, symbol: &Symbol, id: SymbolId, name: Option<&str>, out: &mut String) {
    let index = document.index();
    let uses = index.references(document.text(), id, name).filter(|one| one.access != Access::Declare);
    let uses: Vec<&Occurrence> = uses.collect();
    if symbol.kind != SymbolKind::Register {
        let _ = write!(out, "{}", counted(uses.len(), "use"));
        return;
    }
    let writes: Vec<&&Occurrence> = uses.iter().filter(|one| one.access.is_written()).collect();
    let reads = uses.iter().filter(|one| one.access != Access::Write).count();
    let _ = write!(out, "{}, {}", counted(writes.len(), "write"), counted(reads, "read"));
    if name.is_none() && symbol.count.is_some() {
        return;
    }
    for write in writes.iter().take(SHOWN_WRITES) {
        if let Some(statement) = index.statement_before(write.span.lo) {
            let line = document.line_of(statement.span.lo) + 1;
            let _ = write!(out, "\n- line {line}: `{}`", one_line(document.slice(statement.span)));
        }
    }
    if writes.len() > SHOWN_WRITES {
        let _ = write!(out, "\n- and {} more", writes.len() - SHOWN_WRITES);
    }
}

/// The directive of a declaration without its body.
pub(crate) fn declaration_text(document: &Document, symbol: &Symbol) -> String {
    let text = document.slice(symbol.declaration).trim_end_matches(['{', ';']).trim_end();
    let end = text.floor_char_boundary(SHOWN_BYTES);
    match text.get(..end) {
        Some(start) if end < text.len() => format!("{start} .."),
        _ => text.to_owned(),
    }
}

/// A text with each run of blanks as one, cut to a length that fits a line.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 120;
    let words: Vec<&str> = text.split_whitespace().take(LONGEST).collect();
    let mut line = words.join(" ");
    if line.len() > LONGEST {
        line.truncate(line.floor_char_boundary(LONGEST));
        line.push_str(" ..");
    }
    line
}

/// A special register, a directive, a type or a number.
fn about_word(document: &Document, extent: Extent, offset: u32) -> Option<Hover> {
    let lo = extent.span.lo;
    let element = elements(document.slice(extent.span))
        .take_while(|element| lo + element.span.lo <= offset)
        .filter(|element| lo + element.span.hi >= offset)
        .last()?;
    let span = Span::new(lo + element.span.lo, lo + element.span.hi);
    let text = document.slice(span);
    let markdown = match element.kind {
        ElementKind::Name | ElementKind::Dotted if text.starts_with('%') => {
            describe_special(special_register(text.split('.').next()?)?)
        }
        ElementKind::Name if text == "WARP_SZ" => {
            "The number of threads of a warp: 32. Manual 4.4.".to_owned()
        }
        ElementKind::Directive if extent.kind != StatementKind::Instruction => about_directive(text)?,
        ElementKind::Number => about_number(text)?,
        _ => return None,
    };
    Some(Hover { span, markdown })
}

/// A directive or a type, with its syntax as PTX.
pub(crate) fn about_directive(word: &str) -> Option<String> {
    describe_directive(word).map(|text| unindented(&text))
}

/// The value of a number in other notations.
fn about_number(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0f").filter(|digits| digits.len() == 8) {
        let bits = u32::from_str_radix(digits, 16).ok()?;
        return Some(format!("`{text}` = {:?} in single precision", f32::from_bits(bits)));
    }
    if let Some(digits) = lower.strip_prefix("0d").filter(|digits| digits.len() == 16) {
        let bits = u64::from_str_radix(digits, 16).ok()?;
        return Some(format!("`{text}` = {:?} in double precision", f64::from_bits(bits)));
    }
    let digits = lower.strip_suffix('u').unwrap_or(&lower);
    let value = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
        (Some(hexadecimal), _) => u64::from_str_radix(hexadecimal, 16),
        (_, Some(binary)) => u64::from_str_radix(binary, 2),
        _ if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8),
        _ => digits.parse(),
    };
    let value = value.ok()?;
    let signed = value as i64;
    let negative = if signed < 0 { format!(" = {signed}") } else { String::new() };
    Some(format!("`{text}` = {value}{negative} = 0x{value:X}"))
}

//! Debugging information entries (DWARF 2, 7.5) and the sections that hold them.
//!
//! Every form has a size that does not depend on where entries lie, so that offsets follow from one walk.

use std::collections::BTreeMap;
use std::fmt::Write;

use gimli::constants as dw;
use gimli::leb128::write::Leb128;
use gimli::{DwAt, DwForm, DwTag};
use ptx_llvm_core::view::DebugNode;

/// An entry of one unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EntryId(u32);

impl EntryId {
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A part of an expression or of a location list: a byte, or the address of a label or a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExpressionPart {
    /// A byte.
    Byte(u8),
    /// The address that a label or a variable has.
    Address(String),
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// A number, in the fewest of 1, 2, 4 and 8 bytes.
    Number(u64),
    /// A constant that is not negative; fewer bytes would not say so.
    Unsigned(u64),
    /// A constant that is negative.
    Signed(i64),
    Text(String),
    Flag,
    Entry(EntryId),
    /// The address of a label of the code.
    /// The address that a label or a variable has.
    Address(String),
    /// The place of a label in another section.
    Section(String),
    /// An expression.
    Block(Vec<ExpressionPart>),
}

impl Value {
    fn form(&self) -> DwForm {
        match self {
            Value::Number(0..=0xFF) => dw::DW_FORM_data1,
            Value::Number(0..=0xFFFF) => dw::DW_FORM_data2,
            Value::Number(0..=0xFFFF_FFFF) | Value::Section(_) => dw::DW_FORM_data4,
            Value::Number(_) => dw::DW_FORM_data8,
            Value::Unsigned(_) => dw::DW_FORM_udata,
            Value::Signed(_) => dw::DW_FORM_sdata,
            Value::Text(_) => dw::DW_FORM_string,
            Value::Flag => dw::DW_FORM_flag,
            Value::Entry(_) => dw::DW_FORM_ref4,
            Value::Address(_) => dw::DW_FORM_addr,
            Value::Block(parts) if size_of(parts) <= 0xFF => dw::DW_FORM_block1,
            Value::Block(_) => dw::DW_FORM_block4,
        }
    }

    fn size(&self) -> u64 {
        match self {
            Value::Number(0..=0xFF) | Value::Flag => 1,
            Value::Number(0..=0xFFFF) => 2,
            Value::Number(0..=0xFFFF_FFFF) | Value::Section(_) | Value::Entry(_) => 4,
            Value::Number(_) | Value::Address(_) => 8,
            Value::Unsigned(value) => uleb(*value).len() as u64,
            Value::Signed(value) => sleb(*value).len() as u64,
            Value::Text(text) => text.len() as u64 + 1,
            Value::Block(parts) => {
                let size = size_of(parts);
                size + if size <= 0xFF { 1 } else { 4 }
            }
        }
    }
}

/// How many bytes parts take.
pub(crate) fn size_of(parts: &[ExpressionPart]) -> u64 {
    parts.iter().map(|part| if matches!(part, ExpressionPart::Byte(_)) { 1 } else { 8 }).sum()
}

/// A number as DWARF's unsigned LEB128.
pub(crate) fn uleb(value: u64) -> Vec<u8> {
    Leb128::unsigned(value).bytes().to_vec()
}

/// A number as DWARF's signed LEB128.
pub(crate) fn sleb(value: i64) -> Vec<u8> {
    Leb128::signed(value).bytes().to_vec()
}

struct Entry {
    tag: DwTag,
    attributes: Vec<(DwAt, Value)>,
    children: Vec<EntryId>,
}

/// What entries of one kind have in common: tag, whether children follow, attributes with their forms.
type Abbreviation = (u16, bool, Vec<(u16, u16)>);

/// The abbreviations of all units, numbered from 1.
#[derive(Default)]
pub(crate) struct Abbreviations {
    numbers: BTreeMap<Abbreviation, u64>,
    order: Vec<Abbreviation>,
}

impl Abbreviations {
    fn number(&mut self, entry: &Entry) -> u64 {
        let attributes = entry.attributes.iter().map(|(name, value)| (name.0, value.form().0)).collect();
        let key = (entry.tag.0, !entry.children.is_empty(), attributes);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        self.order.push(key.clone());
        let number = self.order.len() as u64;
        self.numbers.insert(key, number);
        number
    }

    /// The lines of `.debug_abbrev` (DWARF 2, 7.5.3).
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Lines::default();
        for (at, (tag, children, attributes)) in self.order.iter().enumerate() {
            let mut head = uleb(at as u64 + 1);
            head.extend(uleb(u64::from(*tag)));
            head.push(u8::from(*children));
            lines.bytes(&head, &format!("{}: {}", at + 1, tag_name(DwTag(*tag))));
            for (name, form) in attributes {
                let mut pair = uleb(u64::from(*name));
                pair.extend(uleb(u64::from(*form)));
                lines.bytes(&pair, attribute_name(DwAt(*name)));
            }
            lines.bytes(&[0, 0], "");
        }
        lines.bytes(&[0], "");
        lines.done
    }
}

fn tag_name(tag: DwTag) -> &'static str {
    in_comment(tag.static_string(), "DW_TAG")
}

fn attribute_name(name: DwAt) -> &'static str {
    in_comment(name.static_string(), "DW_AT")
}

/// The name of a tag or an attribute; what kind of name it is if it is not known.
fn in_comment(known: Option<&'static str>, kind: &'static str) -> &'static str {
    known.unwrap_or(kind)
}

/// The header of a unit: length without itself, version, place of the abbreviations, size of an address.
const HEADER: u64 = 11;

/// The entries of a unit; the first one is the unit itself.
pub(crate) struct Entries {
    entries: Vec<Entry>,
}

impl Entries {
    /// A unit with nothing in it.
    pub(crate) fn new() -> Self {
        let unit = Entry { tag: dw::DW_TAG_compile_unit, attributes: Vec::new(), children: Vec::new() };
        Self { entries: vec![unit] }
    }

    /// The unit itself.
    pub(crate) const fn root(&self) -> EntryId {
        EntryId(0)
    }

    /// Adds an entry as the last child of another.
    pub(crate) fn add(&mut self, parent: EntryId, tag: DwTag) -> EntryId {
        let id = EntryId(self.entries.len() as u32);
        self.entries.push(Entry { tag, attributes: Vec::new(), children: Vec::new() });
        if let Some(parent) = self.entries.get_mut(parent.index()) {
            parent.children.push(id);
        }
        id
    }

    /// Gives an entry an attribute, unless it has it already.
    pub(crate) fn set(&mut self, id: EntryId, name: DwAt, value: Value) {
        if let Some(entry) = self.entries.get_mut(id.index())
            && entry.attributes.iter().all(|(own, _)| *own != name)
        {
            entry.attributes.push((name, value));
        }
    }

    /// Whether an entry has an attribute.
    pub(crate) fn has(&self, id: EntryId, name: DwAt) -> bool {
        self.entries.get(id.index()).is_some_and(|entry| entry.attributes.iter().any(|(own, _)| *own == name))
    }

    /// Gives every entry its abbreviation and its place in the unit, and the length of the unit without its first field.
    fn layout(&self, abbreviations: &mut Abbreviations) -> (Vec<(u64, u64)>, u64) {
        let mut places = vec![(0, 0); self.entries.len()];
        let mut offset = HEADER;
        for step in self.walk() {
            match step {
                Step::Entry(id) => {
                    let Some(entry) = self.entries.get(id.index()) else { continue };
                    let number = abbreviations.number(entry);
                    if let Some(place) = places.get_mut(id.index()) {
                        *place = (number, offset);
                    }
                    let values: u64 = entry.attributes.iter().map(|(_, value)| value.size()).sum();
                    offset += uleb(number).len() as u64 + values;
                }
                Step::End => offset += 1,
            }
        }
        (places, offset - 4)
    }

    /// The entries in the order of the section.
    fn walk(&self) -> Vec<Step> {
        let mut steps = Vec::with_capacity(self.entries.len() * 2);
        let mut stack = vec![Step::Entry(self.root())];
        while let Some(step) = stack.pop() {
            if let Step::Entry(id) = step
                && let Some(entry) = self.entries.get(id.index())
                && !entry.children.is_empty()
            {
                stack.push(Step::End);
                stack.extend(entry.children.iter().rev().map(|&child| Step::Entry(child)));
            }
            steps.push(step);
        }
        steps
    }

    /// The unit's lines of `.debug_info` (DWARF 2, 7.5.1).
    pub(crate) fn lines(&self, abbreviations: &mut Abbreviations) -> Vec<String> {
        let (places, length) = self.layout(abbreviations);
        let mut lines = Lines::default();
        lines.text(format!(".b32 {length}"), "length of the unit");
        lines.bytes(&[2, 0], "DWARF version");
        lines.text(".b32 .debug_abbrev".to_owned(), "");
        lines.bytes(&[8], "size of an address");
        for step in self.walk() {
            let Step::Entry(id) = step else {
                lines.bytes(&[0], "end of children");
                continue;
            };
            let (Some(entry), Some(&(number, offset))) =
                (self.entries.get(id.index()), places.get(id.index()))
            else {
                continue;
            };
            lines.bytes(&uleb(number), &format!("0x{offset:x}: {}", tag_name(entry.tag)));
            for (name, value) in &entry.attributes {
                lines.value(attribute_name(*name), value, &places);
            }
        }
        lines.done
    }
}

/// A step through the tree of entries.
#[derive(Clone, Copy)]
enum Step {
    Entry(EntryId),
    /// The end of an entry's children.
    End,
}

/// The lines of a section.
#[derive(Default)]
pub(crate) struct Lines {
    /// Those that are complete.
    pub(crate) done: Vec<String>,
}

/// This many bytes are in a line.
const BYTES: usize = 32;

impl Lines {
    /// A line with a comment after it.
    pub(crate) fn text(&mut self, mut text: String, comment: &str) {
        if !comment.is_empty() {
            while text.len() < 40 {
                text.push(' ');
            }
            text.push_str(" // ");
            text.push_str(comment);
        }
        self.done.push(text);
    }

    /// Bytes, the comment after the first line of them.
    pub(crate) fn bytes(&mut self, bytes: &[u8], comment: &str) {
        for (at, chunk) in bytes.chunks(BYTES).enumerate() {
            let mut text = String::from(".b8 ");
            for (at, byte) in chunk.iter().enumerate() {
                let _ = write!(text, "{}{byte}", if at > 0 { "," } else { "" });
            }
            self.text(text, if at == 0 { comment } else { "" });
        }
    }

    /// Bytes and addresses.
    pub(crate) fn parts(&mut self, parts: &[ExpressionPart], comment: &str) {
        let mut bytes = Vec::new();
        let mut comment = comment;
        for part in parts {
            match part {
                ExpressionPart::Byte(byte) => bytes.push(*byte),
                ExpressionPart::Address(name) => {
                    self.bytes(&std::mem::take(&mut bytes), std::mem::take(&mut comment));
                    self.text(format!(".b64 {name}"), "");
                }
            }
        }
        self.bytes(&bytes, comment);
    }

    fn value(&mut self, name: &str, value: &Value, places: &[(u64, u64)]) {
        match value {
            Value::Number(number) => match value.size() {
                1 => self.text(format!(".b8 {number}"), name),
                2 => self.bytes(&(*number as u16).to_le_bytes(), name),
                4 => self.text(format!(".b32 {number}"), name),
                _ => self.text(format!(".b64 {number}"), name),
            },
            Value::Unsigned(number) => self.bytes(&uleb(*number), name),
            Value::Signed(number) => self.bytes(&sleb(*number), name),
            Value::Text(text) => {
                let shown: String =
                    text.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
                self.bytes(&[text.as_bytes(), &[0]].concat(), &format!("{name} {shown}"));
            }
            Value::Flag => self.bytes(&[1], name),
            Value::Entry(id) => {
                let (_, offset) = places[id.index()];
                self.text(format!(".b32 {offset}"), &format!("{name} 0x{offset:x}"));
            }
            Value::Address(label) => self.text(format!(".b64 {label}"), name),
            Value::Section(label) => self.text(format!(".b32 {label}"), name),
            Value::Block(parts) => {
                let size = size_of(parts);
                match value.form() {
                    dw::DW_FORM_block1 => self.text(format!(".b8 {size}"), name),
                    _ => self.text(format!(".b32 {size}"), name),
                }
                self.parts(parts, "");
            }
        }
    }
}

/// A number of a node that is not negative.
pub(crate) fn number(node: &DebugNode, key: &str) -> Option<u64> {
    node.integer(key).and_then(|value| u64::try_from(value).ok())
}

/// A constant of the source; what 64 bits do not hold loses the bits above.
pub(crate) fn constant(value: i128) -> Value {
    match u64::try_from(value) {
        Ok(value) => Value::Unsigned(value),
        Err(_) => Value::Signed(value as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_the_place_of_the_entry() {
        let mut entries = Entries::new();
        let root = entries.root();
        let variable = entries.add(root, dw::DW_TAG_variable);
        let ty = entries.add(root, dw::DW_TAG_base_type);
        entries.set(variable, dw::DW_AT_type, Value::Entry(ty));
        entries.set(ty, dw::DW_AT_byte_size, Value::Number(4));
        let lines = entries.lines(&mut Abbreviations::default());
        // Header 11, unit 1, variable 1 + 4: the type begins at 17, and the unit has 20 bytes with its length.
        assert!(lines.iter().any(|line| line.starts_with(".b32 17 ")), "{lines:?}");
        assert!(lines.first().is_some_and(|line| line.starts_with(".b32 16 ")), "{lines:?}");
    }
}

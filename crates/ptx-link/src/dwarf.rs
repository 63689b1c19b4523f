//! The data of DWARF sections of several units in one module.
//!
//! `DW_AT_decl_file` and `DW_AT_call_file` are numbers of `.file`, which change, and `ptxas` ignores all data if units refer to different
//! tables of abbreviations, so that there must be one table, in which each has a new number. The texts of `.debug_abbrev` and `.debug_info` are
//! read as far as it takes to find these numbers (DWARF 2 to 4, sections 7.5.1 to 7.5.4):
//!
//! ```text
//! .b8 2        // the number of an abbreviation: becomes .b8 19
//! .b8 3        // a decl_file: becomes .b8 5
//! ```

use std::collections::HashMap;

/// Why the data of a unit cannot be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreadable {
    /// The data ends early, or what should be a number is an address.
    Data,
    /// DWARF of another version, or of a form that has no numbers in place.
    Form,
    /// A new number needs more bytes than there are.
    Size,
}

/// A number or address of a `.b8`, `.b16`, `.b32` or `.b64`.
struct Item {
    /// Its place in the text.
    from: usize,
    to: usize,
    width: usize,
    value: Option<u64>,
}

/// A section's data, read from its beginning.
struct Reader<'t> {
    text: &'t str,
    items: Vec<Item>,
    next: usize,
    /// The bytes before the next item.
    at: u64,
}

/// An attribute of an abbreviation: what it is and its form.
type Attribute = (u64, u64);

/// An abbreviation.
#[derive(Clone)]
struct Abbreviation {
    attributes: Vec<Attribute>,
    /// Its data after the number.
    bytes: Vec<u8>,
}

const DECL_FILE: u64 = 0x3a;
const CALL_FILE: u64 = 0x58;

/// A unit's data.
pub struct UnitData<'t> {
    /// The text of `.debug_info`.
    pub info: &'t str,
    /// The text of `.debug_abbrev`.
    pub abbreviations: &'t str,
    /// The numbers of files that change.
    pub files: HashMap<u64, u64>,
}

impl UnitData<'_> {
    /// Whether nothing in the data depends on other units.
    pub fn is_independent(&self) -> bool {
        self.files.iter().all(|(old, new)| old == new) && self.abbreviations.is_empty()
    }
}

/// The data of several units for one module.
#[derive(Debug)]
pub struct MergedData {
    /// The text of `.debug_info` of each unit.
    pub infos: Vec<Result<String, Unreadable>>,
    /// The text of `.debug_abbrev` of all.
    pub abbreviations: String,
}

/// The abbreviations of all units.
#[derive(Default)]
struct Table {
    numbers: HashMap<Vec<u8>, u64>,
    bytes: Vec<(u64, Vec<u8>)>,
}

/// Changes the data of units so that it holds in one module. A unit of which the data cannot be changed has an error.
pub fn merge_data(units: &[UnitData<'_>]) -> MergedData {
    let mut table = Table::default();
    let infos = units.iter().map(|unit| changed(unit, &mut table)).collect();
    MergedData { infos, abbreviations: table.text() }
}

/// The bytes of a section's text; `None` if a line is neither data nor a label.
pub fn data_size(text: &str) -> Option<u64> {
    let is_known = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        let data = code.rsplit(':').next().unwrap_or(code).trim();
        data.is_empty() || [".b8", ".b16", ".b32", ".b64"].into_iter().any(|name| data.starts_with(name))
    };
    let items = Reader::new(text).items;
    text.lines().all(is_known).then(|| items.iter().map(|item| item.width as u64).sum())
}

impl Table {
    /// The number of an abbreviation, which is a new one if need be.
    fn number(&mut self, abbreviation: &Abbreviation) -> u64 {
        let next = self.bytes.len() as u64 + 1;
        if let Some(&known) = self.numbers.get(&abbreviation.bytes) {
            return known;
        }
        self.numbers.insert(abbreviation.bytes.clone(), next);
        self.bytes.push((next, abbreviation.bytes.clone()));
        next
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (number, bytes) in &self.bytes {
            let number = (0..).map(|at| number >> (7 * at)).take_while(|rest| *rest > 0).collect::<Vec<_>>();
            let last = number.len().saturating_sub(1);
            let number = number.iter().enumerate();
            let number = number.map(|(at, part)| (part & 0x7f) as u8 | if at < last { 0x80 } else { 0 });
            let bytes = number.chain(bytes.iter().copied()).map(|byte| byte.to_string());
            text += &format!(".b8 {}\n", bytes.collect::<Vec<_>>().join(","));
        }
        text + ".b8 0\n"
    }
}

/// The text of a unit's `.debug_info` with new numbers.
fn changed(unit: &UnitData<'_>, table: &mut Table) -> Result<String, Unreadable> {
    let mut reader = Reader::new(unit.info);
    let mut changes: Vec<(usize, String)> = Vec::new();
    let mut tables: HashMap<u64, HashMap<u64, Abbreviation>> = HashMap::new();
    while reader.next < reader.items.len() {
        let length = reader.number(4)?;
        if length >= 0xffff_fff0 {
            return Err(Unreadable::Form);
        }
        let end = reader.at + length;
        let version = reader.number(2)?;
        if !(2..=4).contains(&version) {
            return Err(Unreadable::Form);
        }
        changes.push((reader.next, ".debug_abbrev".to_owned()));
        let offset = reader.section_offset()?;
        let address = reader.number(1)?;
        if let std::collections::hash_map::Entry::Vacant(entry) = tables.entry(offset) {
            entry.insert(table_at(unit.abbreviations, offset)?);
        }
        let known = tables.get(&offset).ok_or(Unreadable::Data)?;
        while reader.at < end {
            let first = reader.next;
            let code = reader.uleb()?;
            if code == 0 {
                continue;
            }
            let abbreviation = known.get(&code).ok_or(Unreadable::Data)?;
            reader.plan(first, table.number(abbreviation), ULEB, &mut changes)?;
            for &(attribute, form) in &abbreviation.attributes {
                let first = reader.next;
                let value = reader.form(form, version, address)?;
                if !matches!(attribute, DECL_FILE | CALL_FILE) {
                    continue;
                }
                if let Some(&number) = unit.files.get(&value.ok_or(Unreadable::Form)?) {
                    reader.plan(first, number, form, &mut changes)?;
                }
            }
        }
        if reader.at != end {
            return Err(Unreadable::Data);
        }
    }
    Ok(reader.with(&changes))
}

/// The form of numbers of seven bits a byte.
const ULEB: u64 = 0x0f;

/// The abbreviations of the table that begins at an offset.
fn table_at(text: &str, offset: u64) -> Result<HashMap<u64, Abbreviation>, Unreadable> {
    const IMPLICIT_CONST: u64 = 0x21;
    let mut reader = Reader::new(text);
    reader.skip(offset)?;
    let mut table = HashMap::new();
    loop {
        // The last table need not end.
        if reader.next == reader.items.len() {
            return Ok(table);
        }
        let code = reader.uleb()?;
        if code == 0 {
            return Ok(table);
        }
        let first = reader.next;
        let (_tag, _has_children) = (reader.uleb()?, reader.number(1)?);
        let mut attributes = Vec::new();
        loop {
            let (attribute, form) = (reader.uleb()?, reader.uleb()?);
            if (attribute, form) == (0, 0) {
                break;
            }
            if form == IMPLICIT_CONST {
                return Err(Unreadable::Form);
            }
            attributes.push((attribute, form));
        }
        let items = reader.items.get(first..reader.next).ok_or(Unreadable::Data)?;
        let bytes = items.iter().map(|item| item.value.and_then(|value| u8::try_from(value).ok()));
        let bytes = bytes.collect::<Option<_>>().ok_or(Unreadable::Data)?;
        table.insert(code, Abbreviation { attributes, bytes });
    }
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let mut items = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let code = line.split("//").next().unwrap_or(line);
            // Labels take no bytes.
            let data = code.rsplit_once(':').map_or(code, |(_, data)| data);
            let widths = [(".b8", 1), (".b16", 2), (".b32", 4), (".b64", 8)];
            let known = widths.into_iter().find_map(|(name, width)| {
                let numbers = data.trim_start().strip_prefix(name)?;
                numbers.starts_with(char::is_whitespace).then_some((numbers, width))
            });
            if let Some((numbers, width)) = known {
                let mut at = code.len() - numbers.len();
                for part in numbers.split(',') {
                    let trimmed = part.trim();
                    let from = start + at + part.len() - part.trim_start().len();
                    let item = Item { from, to: from + trimmed.len(), width, value: trimmed.parse().ok() };
                    items.push(item);
                    at += part.len() + 1;
                }
            }
            start += line.len();
        }
        Self { text, items, next: 0, at: 0 }
    }

    fn item(&mut self) -> Result<&Item, Unreadable> {
        let item = self.items.get(self.next).ok_or(Unreadable::Data)?;
        self.next += 1;
        self.at += item.width as u64;
        Ok(item)
    }

    /// A number of so many bytes, which may be items of their own.
    fn number(&mut self, bytes: usize) -> Result<u64, Unreadable> {
        let (mut value, mut done) = (0, 0);
        while done < bytes {
            let item = self.item()?;
            let (width, part) = (item.width, item.value.ok_or(Unreadable::Data)?);
            value |= part << (8 * done);
            done += width;
        }
        if done == bytes { Ok(value) } else { Err(Unreadable::Data) }
    }

    /// Passes over bytes.
    fn skip(&mut self, bytes: u64) -> Result<(), Unreadable> {
        let end = self.at.checked_add(bytes).ok_or(Unreadable::Data)?;
        while self.at < end {
            self.item()?;
        }
        if self.at == end { Ok(()) } else { Err(Unreadable::Data) }
    }

    fn uleb(&mut self) -> Result<u64, Unreadable> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.number(1)?;
            value |= (byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Unreadable::Data)
    }

    /// `.debug_abbrev`, a number of bytes after its beginning, or that number.
    fn section_offset(&mut self) -> Result<u64, Unreadable> {
        let text = self.text;
        let item = self.item()?;
        if item.width != 4 {
            return Err(Unreadable::Form);
        }
        if let Some(value) = item.value {
            return Ok(value);
        }
        let word = text.get(item.from..item.to).ok_or(Unreadable::Data)?;
        match word.split_once('+') {
            Some((_, offset)) => offset.trim().parse().map_err(|_| Unreadable::Data),
            None => Ok(0),
        }
    }

    /// Passes over a value; the number that it is.
    fn form(&mut self, form: u64, version: u64, address: u64) -> Result<Option<u64>, Unreadable> {
        let bytes = match form {
            0x01 => address,
            0x03 => self.number(2)?,
            0x04 => self.number(4)?,
            0x09 | 0x18 => self.uleb()?,
            0x0a => self.number(1)?,
            0x0b => return self.number(1).map(Some),
            0x05 => return self.number(2).map(Some),
            0x06 if self.is_number() => return self.number(4).map(Some),
            0x07 if self.is_number() => return self.number(8).map(Some),
            0x0d | 0x0f | 0x15 => return self.uleb().map(Some),
            0x08 => {
                while self.number(1)? != 0 {}
                return Ok(None);
            }
            0x0c | 0x11 => 1,
            0x12 => 2,
            0x06 | 0x0e | 0x13 | 0x17 => 4,
            0x07 | 0x14 | 0x20 => 8,
            0x10 if version == 2 => address,
            0x10 => 4,
            0x19 => 0,
            _ => return Err(Unreadable::Form),
        };
        self.skip(bytes)?;
        Ok(None)
    }

    fn is_number(&self) -> bool {
        self.items.get(self.next).is_some_and(|item| item.value.is_some())
    }

    /// Plans to replace the number that is the items from `first` to the next one.
    fn plan(
        &self,
        first: usize,
        number: u64,
        form: u64,
        changes: &mut Vec<(usize, String)>,
    ) -> Result<(), Unreadable> {
        let items = self.items.get(first..self.next).ok_or(Unreadable::Data)?;
        let last = items.len().saturating_sub(1);
        let mut rest = number;
        for (at, item) in items.iter().enumerate() {
            let bits = if form == ULEB { 7 } else { 8 * item.width as u32 };
            let mask = !u64::MAX.unbounded_shl(bits);
            // A number of seven bits a byte may be longer than it has to be.
            let goes_on = if form == ULEB && at < last { 0x80 } else { 0 };
            changes.push((first + at, (rest & mask | goes_on).to_string()));
            rest = rest.unbounded_shr(bits);
        }
        if rest == 0 { Ok(()) } else { Err(Unreadable::Size) }
    }

    /// The text with other items, which are in the order of the items.
    fn with(&self, changes: &[(usize, String)]) -> String {
        let mut text = String::with_capacity(self.text.len() + changes.len());
        let mut done = 0;
        let between = |from: usize, to: usize| {
            let kept = self.text.get(from..to);
            debug_assert!(kept.is_some(), "changes that are not in the order of the items");
            kept
        };
        for (at, value) in changes {
            let Some(item) = self.items.get(*at) else { continue };
            text.extend(between(done, item.from));
            text.push_str(value);
            done = item.to;
        }
        text.extend(between(done, self.text.len()));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit with an entry of `DW_TAG_variable` that has the name, the file as a number of one byte, and the line.
    const ABBREVIATIONS: &str = ".b8 1, 17, 1, 0, 0\n.b8 2, 52, 0, 3, 8, 58, 11, 59, 11, 0, 0\n.b8 0\n";
    const INFO: &str = ".b32 17\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n.b8 2\n.b8 118, 0\n.b8 1\n.b8 1 // 1\n.b8 2\n.b8 0\n.b8 2\n.b8 9\n";

    fn unit<'t>(info: &'t str, abbreviations: &'t str, files: &[(u64, u64)]) -> UnitData<'t> {
        UnitData { info, abbreviations, files: files.iter().copied().collect() }
    }

    #[test]
    fn files_and_abbreviations_change() {
        // A second unit without children of the first entry, and without a line.
        let abbreviations = ".b8 1, 17, 0, 0, 0\n.b8 2, 52, 0, 3, 8, 58, 11, 59, 11, 0, 0\n.b8 0\n";
        let merged =
            merge_data(&[unit(INFO, ABBREVIATIONS, &[]), unit(INFO, abbreviations, &[(1, 7), (2, 8)])]);
        assert_eq!(
            merged.abbreviations,
            ".b8 1,17,1,0,0\n.b8 2,52,0,3,8,58,11,59,11,0,0\n.b8 3,17,0,0,0\n.b8 0\n"
        );
        assert_eq!(merged.infos[0].as_deref(), Ok(INFO));
        let expected = INFO
            .replace(".b8 8\n.b8 1\n.b8 2\n", ".b8 8\n.b8 3\n.b8 2\n")
            .replace(".b8 118, 0\n.b8 1\n", ".b8 118, 0\n.b8 7\n")
            .replace(".b8 0\n.b8 2\n.b8 9", ".b8 0\n.b8 8\n.b8 9");
        assert_eq!(merged.infos[1].as_deref(), Ok(&*expected));
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let large = &[(1, 256), (2, 256)];
        let change =
            |info: &str, abbreviations: &str| merge_data(&[unit(info, abbreviations, large)]).infos.remove(0);
        assert_eq!(change(INFO, ABBREVIATIONS), Err(Unreadable::Size));
        // In two bytes, or as a number of seven bits a byte, they fit.
        let (two, leb) =
            (ABBREVIATIONS.replace("58, 11", "58, 5"), ABBREVIATIONS.replace("58, 11", "58, 15"));
        let long = INFO.replace(".b32 17", ".b32 19");
        let ends = |first: &str, second: &str| {
            let begin = format!(".b8 118, 0\n{first}\n");
            let end = format!(".b8 0\n{second}\n.b8 9");
            long.replace(".b8 118, 0\n.b8 1\n", &begin).replace(".b8 0\n.b8 2\n.b8 9", &end)
        };
        let changed = change(&ends(".b16 1", ".b8 2\n.b8 0"), &two).expect("readable");
        assert_eq!(changed, ends(".b16 256", ".b8 0\n.b8 1"));
        let changed = change(&ends(".b8 129, 0", ".b8 130, 0"), &leb).expect("readable");
        assert_eq!(changed, ends(".b8 128, 2", ".b8 128, 2"));
    }

    #[test]
    fn size_counts_every_number() {
        assert_eq!(data_size(INFO), Some(21));
        assert_eq!(data_size("$L_a:\n.b64 $L_b+4, 3 // .b8 1\n$L_c: .b16 2\n"), Some(18));
        assert_eq!(data_size(".b8 1\n.ascii \"x\"\n"), None);
    }

    #[test]
    fn data_of_another_form_is_refused() {
        for (info, expected) in [
            (INFO.replace(".b8 2\n.b8 0\n.b32 .debug", ".b8 5\n.b8 0\n.b32 .debug"), Unreadable::Form),
            (INFO.replace(".b32 17", ".b32 400"), Unreadable::Data),
            (INFO.replace(".b8 118, 0", ".b8 x, 0"), Unreadable::Data),
            (INFO.replace(".b8 1\n.b8 2\n.b8 118", ".b8 1\n.b8 3\n.b8 118"), Unreadable::Data),
        ] {
            let merged = merge_data(&[unit(&info, ABBREVIATIONS, &[])]);
            assert_eq!(merged.infos, [Err(expected)], "{info}");
        }
    }
}

//! The entries in the DWARF data of a PTX text, as far as the generator makes such data.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};

/// An entry with a name.
pub(super) struct Described {
    pub(super) name: String,
    /// The number of the file that declares it.
    pub(super) file: u32,
    /// The label or variable that its address is.
    pub(super) address: String,
}

/// The values of a section's lines, in order.
struct Values<'t>(std::vec::IntoIter<&'t str>);

impl<'t> Values<'t> {
    fn of(lines: &'t [String]) -> Self {
        let values = lines.iter().flat_map(|line| {
            let (_, data) = line.split_once(' ').unwrap_or_default();
            data.split(',').map(str::trim)
        });
        Self(values.collect::<Vec<_>>().into_iter())
    }

    fn word(&mut self) -> Result<&'t str> {
        self.0.next().context("the data ends early")
    }

    fn byte(&mut self) -> Result<u32> {
        let word = self.word()?;
        word.parse().with_context(|| format!("`{word}` is no number"))
    }
}

/// The entries with names in `.debug_info`.
pub(super) fn described(info: &[String], abbreviations: &[String]) -> Result<Vec<Described>> {
    let mut table = BTreeMap::new();
    let mut values = Values::of(abbreviations);
    loop {
        let code = values.byte()?;
        if code == 0 {
            break;
        }
        let (tag, _) = (values.byte()?, values.byte()?);
        let mut attributes = Vec::new();
        loop {
            match (values.byte()?, values.byte()?) {
                (0, 0) => break,
                attribute => attributes.push(attribute),
            }
        }
        table.insert(code, (tag, attributes));
    }
    let mut found = Vec::new();
    let mut values = Values::of(info);
    while values.0.len() > 0 {
        let (_length, version, _) = (values.byte()?, values.byte()?, values.byte()?);
        let (offset, _size) = (values.word()?, values.byte()?);
        if (version, offset) != (2, ".debug_abbrev") {
            bail!("a unit of version {version} with the abbreviations at `{offset}`");
        }
        let mut depth = 0;
        loop {
            let code = values.byte()?;
            if code == 0 {
                break;
            }
            let (tag, attributes) = table.get(&code).with_context(|| format!("no abbreviation {code}"))?;
            if *tag == 17 {
                depth += 1;
            }
            if let Some(entry) = entry(&mut values, attributes)? {
                found.push(entry);
            }
        }
        if depth != 1 {
            bail!("{depth} compile units in one");
        }
    }
    Ok(found)
}

fn entry(values: &mut Values<'_>, attributes: &[(u32, u32)]) -> Result<Option<Described>> {
    let (mut name, mut file, mut address) = (None, None, None);
    for (attribute, form) in attributes {
        match (attribute, form) {
            (3, 8) => {
                let mut bytes = Vec::new();
                loop {
                    match values.byte()? {
                        0 => break,
                        byte => bytes.push(u8::try_from(byte)?),
                    }
                }
                name = Some(String::from_utf8(bytes)?);
            }
            (58, 11) => file = Some(values.byte()?),
            (59, 11) => {
                values.byte()?;
            }
            (17, 1) => address = Some(values.word()?),
            (18, 1) => {
                values.word()?;
            }
            (2, 10) => {
                let (_size, _operation) = (values.byte()?, values.byte()?);
                address = Some(values.word()?);
            }
            other => bail!("an attribute {other:?}"),
        }
    }
    Ok(name.zip(file).zip(address).map(|((name, file), address)| Described {
        name,
        file,
        address: address.to_owned(),
    }))
}

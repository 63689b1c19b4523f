//! Arguments that are composed of several values (`args` and `buffers` of launch files): structures with fields at offsets, arrays, and
//! addresses and tensor maps in them.

use std::path::Path;

use serde_json::{Map, Value};

use crate::argument_spec::{ArgumentSpec, Composed, DeferredPart, beside};

/// The maximum size of a structure in bytes.
const MOST_BYTES: usize = 1 << 30;

impl Composed {
    /// Inserts another value at a byte.
    fn put(&mut self, at: usize, other: Composed) {
        let end = at + other.bytes.len();
        if let Some(place) = self.bytes.get_mut(at..end) {
            place.copy_from_slice(&other.bytes);
        }
        self.parts.extend(other.parts.into_iter().map(|(inner, part)| (at + inner, part)));
    }
}

/// Parses an argument of a launch file: a text as on the command line, an array, a structure, a buffer with such contents, or one of these with a name.
///
/// # Errors
/// The path of the error (`args[2].fields[0]`), and its message.
pub fn argument(value: &Value, name: &str, folder: &Path) -> Result<ArgumentSpec, String> {
    match value {
        Value::String(text) => {
            let spec: ArgumentSpec = text.parse().map_err(|error| format!("`{name}`: {error}"))?;
            Ok(beside(spec, folder))
        }
        Value::Object(object) if object.contains_key("value") => {
            known_keys(object, name, &["name", "value"])?;
            argument(&object["value"], &format!("{name}.value"), folder)
        }
        Value::Object(object) if object.contains_key("buffer") => {
            known_keys(object, name, &["buffer"])?;
            let inner = composed(&object["buffer"], &format!("{name}.buffer"), folder)?;
            Ok(ArgumentSpec::ComposedBuffer(Box::new(inner)))
        }
        other => composed(other, name, folder).map(|inner| ArgumentSpec::Composed(Box::new(inner))),
    }
}

/// Parses a value of any kind.
fn composed(value: &Value, name: &str, folder: &Path) -> Result<Composed, String> {
    match value {
        Value::String(_) => {
            field(argument(value, name, folder)?).map_err(|error| format!("`{name}`: {error}"))
        }
        Value::Array(values) => {
            let mut all = Composed::default();
            for (index, value) in values.iter().enumerate() {
                let next = composed(value, &format!("{name}[{index}]"), folder)?;
                let at = all.bytes.len();
                all.bytes.resize(checked(at, next.bytes.len(), name)?, 0);
                all.put(at, next);
            }
            Ok(all)
        }
        Value::Object(object) => structure(object, name, folder),
        Value::Null | Value::Bool(_) | Value::Number(_) => Err(format!(
            "`{name}`: expected a text such as \"u32=5\", a list or an object with `fields`, not {value}"
        )),
    }
}

/// An argument in a structure.
fn field(spec: ArgumentSpec) -> Result<Composed, String> {
    match spec {
        ArgumentSpec::Bytes(bytes) | ArgumentSpec::Number(_, bytes) => {
            Ok(Composed { bytes, parts: Vec::new() })
        }
        ArgumentSpec::Composed(composed) => Ok(*composed),
        ArgumentSpec::Texture(_) | ArgumentSpec::Sampler(_) => Ok(Composed::of(DeferredPart::Argument(spec))),
        ArgumentSpec::TensorMap(ref map) if map.source.own().is_none() => {
            Ok(Composed::of(DeferredPart::Argument(spec)))
        }
        ArgumentSpec::TensorMap(_)
        | ArgumentSpec::In(_)
        | ArgumentSpec::Out(..)
        | ArgumentSpec::InOut(..)
        | ArgumentSpec::Zero(_)
        | ArgumentSpec::Filled(_)
        | ArgumentSpec::ComposedBuffer(_) => {
            Err("a field has the address= of a buffer, which is another argument or in `buffers`".to_owned())
        }
    }
}

/// `{"bytes": 16, "hex": "00..", "fields": [{"at": 8, "value": ..}]}`
fn structure(object: &Map<String, Value>, name: &str, folder: &Path) -> Result<Composed, String> {
    known_keys(object, name, &["bytes", "hex", "fields"])?;
    let start = match object.get("hex") {
        None => Vec::new(),
        Some(Value::String(text)) => match format!("hex={text}").parse() {
            Ok(ArgumentSpec::Bytes(bytes)) => bytes,
            Ok(_) => Vec::new(),
            Err(error) => return Err(format!("`{name}.hex`: {error}")),
        },
        Some(other) => return Err(format!("`{name}.hex`: expected a text, not {other}")),
    };
    let fields = match object.get("fields") {
        None => &Vec::new(),
        Some(Value::Array(fields)) => fields,
        Some(other) => return Err(format!("`{name}.fields`: expected a list, not {other}")),
    };
    let mut found = Vec::new();
    for (index, value) in fields.iter().enumerate() {
        let name = format!("{name}.fields[{index}]");
        let Value::Object(object) = value else {
            return Err(format!("`{name}`: expected an object with `at` and `value`, not {value}"));
        };
        known_keys(object, &name, &["at", "value", "name"])?;
        let at = count(object, "at", &name)?.ok_or_else(|| format!("`{name}`: `at` is missing"))?;
        let value = object.get("value").ok_or_else(|| format!("`{name}`: `value` is missing"))?;
        let value = composed(value, &format!("{name}.value"), folder)?;
        found.push((at, checked(at, value.bytes.len(), &name)?, value));
    }
    found.sort_by_key(|(at, ..)| *at);
    if let Some([(_, end, _), (at, ..)]) = found.array_windows().find(|[(_, end, _), (at, ..)]| end > at) {
        return Err(format!(
            "`{name}`: the field at byte {at} begins before the one before it ends, at byte {end}"
        ));
    }
    let end = found.iter().map(|(_, end, _)| *end).fold(start.len(), usize::max);
    let bytes = count(object, "bytes", name)?.unwrap_or(end);
    if bytes < end {
        return Err(format!("`{name}`: too few bytes, {bytes}; the fields end at byte {end}"));
    }
    let mut all = Composed { bytes: start, parts: Vec::new() };
    all.bytes.resize(checked(0, bytes, name)?, 0);
    for (at, _, value) in found {
        all.put(at, value);
    }
    Ok(all)
}

fn known_keys(object: &Map<String, Value>, name: &str, known: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("`{name}`: unknown field `{key}`, expected {}", known.join(", "))),
        None => Ok(()),
    }
}

/// A number of bytes.
fn count(object: &Map<String, Value>, key: &str, name: &str) -> Result<Option<usize>, String> {
    let Some(value) = object.get(key) else { return Ok(None) };
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.map(Some).ok_or_else(|| format!("`{name}`: `{key}` is a number of bytes, not {value}"))
}

/// The end of a number of bytes from an offset.
fn checked(at: usize, bytes: usize, name: &str) -> Result<usize, String> {
    let end = at.checked_add(bytes).filter(|&end| end <= MOST_BYTES);
    end.ok_or_else(|| format!("`{name}`: it has more than {MOST_BYTES} bytes"))
}

#[cfg(test)]
mod tests {
    use crate::argument_spec::BufferSource;

    use super::*;

    fn read(text: &str) -> Result<ArgumentSpec, String> {
        argument(&serde_json::from_str(text).expect("JSON"), "a", Path::new("dir"))
    }

    fn address(index: usize, offset: u64) -> DeferredPart {
        DeferredPart::Address(BufferSource::Argument(index), offset)
    }

    #[test]
    fn structures_have_fields_arrays_and_structures_in_them() {
        let text = r#"{"bytes": 160, "fields": [
            {"at": 144, "value": {"fields": [{"at": 0, "value": "u16=7"}, {"at": 4, "name": "inner", "value": "address=1"}]}},
            {"at": 0, "value": ["u8=1", ["u16=2", "u8=3"], "address=b+64"]},
            {"at": 16, "value": "tensormap=0,type=f16,dims=64,box=64"}
        ]}"#;
        let Ok(ArgumentSpec::Composed(found)) = read(text) else { panic!("{:?}", read(text)) };
        let mut bytes = vec![0; 160];
        bytes[..4].copy_from_slice(&[1, 2, 0, 3]);
        bytes[144] = 7;
        assert_eq!(found.bytes, bytes);
        let map = "tensormap=0,type=f16,dims=64,box=64".parse().expect("a map");
        let named = DeferredPart::Address(BufferSource::Buffer("b".to_owned()), 64);
        assert_eq!(found.parts, [(4, named), (16, DeferredPart::Argument(map)), (148, address(1, 0))]);
    }

    #[test]
    fn fields_replace_what_the_structure_starts_with() {
        let text = r#"{"hex": "0102030405060708", "fields": [{"at": 2, "value": "u16=0xaabb"}]}"#;
        let Ok(ArgumentSpec::Composed(found)) = read(text) else { panic!() };
        assert_eq!(found.bytes, [1, 2, 0xbb, 0xaa, 5, 6, 7, 8]);
        let Ok(ArgumentSpec::ComposedBuffer(found)) = read(r#"{"buffer": ["address=0", "address=0+4"]}"#)
        else {
            panic!()
        };
        assert_eq!((found.bytes, found.parts), (vec![0; 16], vec![(0, address(0, 0)), (8, address(0, 4))]));
        assert_eq!(read(r#""in=x.bin""#), Ok(ArgumentSpec::In("dir/x.bin".into())));
    }

    #[test]
    fn wrong_structures_say_where_and_what() {
        for (text, wanted) in [
            ("5", "`a`: expected a text such as \"u32=5\", a list or an object with `fields`, not 5"),
            (r#"["u32=1", true]"#, "`a[1]`: expected a text"),
            (r#"["u32=x"]"#, "`a[0]`: `x` is not a number of type u32"),
            (r#"["in=x"]"#, "`a[0]`: a field has the address= of a buffer"),
            (r#"[{"buffer": []}]"#, "`a[0]`: unknown field `buffer`, expected bytes, hex, fields"),
            (r#"{"size": 4}"#, "`a`: unknown field `size`"),
            (r#"{"bytes": -4}"#, "`a`: `bytes` is a number of bytes, not -4"),
            (
                r#"{"bytes": 4, "fields": [{"at": 2, "value": "u32=1"}]}"#,
                "too few bytes, 4; the fields end at byte 6",
            ),
            (
                r#"{"fields": [{"at": 4, "value": "u32=1"}, {"at": 0, "value": "u64=1"}]}"#,
                "the field at byte 4 begins before the one before it ends, at byte 8",
            ),
            (
                r#"{"fields": [{"at": 0, "value": ["u32=1", "u8=300"]}]}"#,
                "`a.fields[0].value[1]`: `300` does not fit u8",
            ),
            (r#"{"fields": [{"value": "u32=1"}]}"#, "`a.fields[0]`: `at` is missing"),
            (r#"{"fields": [{"at": 1}]}"#, "`a.fields[0]`: `value` is missing"),
            (r#"{"fields": {"at": 1}}"#, "`a.fields`: expected a list"),
            (r#"{"fields": [{"at": 18446744073709551615, "value": "u8=1"}]}"#, "more than"),
            (r#"{"hex": "0"}"#, "`a.hex`: hex= requires two digits"),
            (r#"{"hex": 0}"#, "`a.hex`: expected a text"),
            (r#"{"buffer": "in=x"}"#, "`a.buffer`: a field has the address="),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }
}

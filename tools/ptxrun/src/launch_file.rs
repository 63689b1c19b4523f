//! A launch described in a file (`--launch FILE.json`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use ptx_exec::{Completion, Reconvergence};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::argument_spec::{ArgumentSpec, BufferSource, Composed, beside};
use crate::composed::argument;
use crate::expected::ExpectSpec;
use crate::spec::{Dimensions, PrintSpec, ReferenceSpec};

/// The JSON schema of launch files (`--launch-schema`). A test compares it with what is accepted.
pub const SCHEMA: &str = include_str!("launch.schema.json");

/// The contents of a launch file. Every field is optional and corresponds to the option of the same name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LaunchFile {
    /// `"entry": "saxpy"`
    pub entry: Option<String>,
    /// `"grid": [4, 1, 1]`
    pub grid: Option<Dimensions>,
    /// `"block": [128]`
    pub block: Option<Dimensions>,
    /// `"cluster": [2]`
    pub cluster: Option<Dimensions>,
    /// `"cooperative": true`
    pub cooperative: bool,
    /// `"shared": 1024`
    pub shared: Option<u64>,
    /// `"args": ["i32=5", "in=x.bin"]`, also structures; paths are relative to the launch file.
    pub args: Vec<ArgumentSpec>,
    /// `"buffers": {"a": "in=a.bin"}`: buffers that are not parameters, by their names.
    pub buffers: Vec<(String, ArgumentSpec)>,
    /// `"references": ["t=texture=in=x.bin,type=f32,dims=8"]`; paths are relative to the launch file.
    pub references: Vec<ReferenceSpec>,
    /// `"engine": "interp"`
    pub engine: Option<String>,
    /// `"async": "late"`
    pub completion: Option<Completion>,
    /// `"reconverge": "late"`
    pub reconvergence: Option<Reconvergence>,
    /// `"threads": 2`
    pub threads: Option<usize>,
    /// `"timeout": 1.5`
    pub timeout: Option<f64>,
    /// `"print": ["1:f32:4"]`
    pub print: Vec<PrintSpec>,
    /// `"expect": ["1=y.npy,rtol=1e-5"]`; paths are relative to the launch file.
    pub expect: Vec<ExpectSpec>,
}

/// The JSON form of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Json {
    /// The schema of the file, which editors use.
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    entry: Option<String>,
    grid: Option<Vec<u32>>,
    block: Option<Vec<u32>>,
    cluster: Option<Vec<u32>>,
    #[serde(default)]
    cooperative: bool,
    shared: Option<u64>,
    #[serde(default)]
    args: Vec<Value>,
    #[serde(default)]
    buffers: BTreeMap<String, Value>,
    #[serde(default)]
    references: Vec<String>,
    engine: Option<String>,
    #[serde(rename = "async")]
    completion: Option<String>,
    reconverge: Option<String>,
    threads: Option<usize>,
    timeout: Option<f64>,
    #[serde(default)]
    print: Vec<String>,
    #[serde(default)]
    expect: Vec<String>,
}

/// Any JSON in which no object has a duplicate key: the first of two values would be lost.
struct OnceEach;

impl<'de> Deserialize<'de> for OnceEach {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for OnceEach {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys: BTreeSet<String> = BTreeSet::new();
        while let Some((key, Self)) = map.next_entry::<String, Self>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format!("`{key}` is given twice")));
            }
            keys.insert(key);
        }
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
}

/// Parses a launch file; relative paths in it are resolved against `folder`.
///
/// # Errors
///
/// A message with the position in the JSON, or with the invalid field.
pub fn parse(text: &[u8], folder: &Path) -> Result<LaunchFile, String> {
    // Some editors begin each text with a byte order mark, which JSON does not allow.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let wrong = |error: serde_json::Error| error.to_string();
    serde_json::from_slice::<OnceEach>(text).map_err(wrong)?;
    let json: Json = serde_json::from_slice(text).map_err(wrong)?;
    let dimensions = |field: &str, value: Option<Vec<u32>>| {
        let text = value.map(|list| list.iter().map(u32::to_string).collect::<Vec<_>>().join(","));
        text.map(|text| text.parse().map_err(|error| format!("`{field}`: {error}"))).transpose()
    };
    let one = |(index, value): (usize, &Value)| argument(value, &format!("args[{index}]"), folder);
    let buffer = |(name, value): (&String, &Value)| {
        let place = format!("buffers.{name}");
        if !matches!(BufferSource::other(name), Ok(BufferSource::Buffer(_))) {
            return Err(format!("`{place}`: a name has letters, digits and `_`, and begins with no digit"));
        }
        let spec = match argument(value, &place, folder)? {
            // A value that is not a buffer is the content of the buffer.
            ArgumentSpec::Bytes(bytes) | ArgumentSpec::Number(_, bytes) => {
                ArgumentSpec::ComposedBuffer(Box::new(Composed { bytes, parts: Vec::new() }))
            }
            ArgumentSpec::Composed(composed) => ArgumentSpec::ComposedBuffer(composed),
            spec => spec,
        };
        if !spec.is_plain_buffer() {
            return Err(format!(
                "`{place}`: a buffer is in=, out=, inout=, zero=, buffer=, or values such as hex=, a list or an object with `fields`"
            ));
        }
        Ok((name.clone(), spec))
    };
    let reference = |(index, text): (usize, &String)| {
        let spec: ReferenceSpec = text.parse().map_err(|error| format!("`references[{index}]`: {error}"))?;
        Ok::<_, String>(ReferenceSpec { shown: beside(spec.shown, folder), ..spec })
    };
    let view = |(index, text): (usize, &String)| {
        text.parse::<PrintSpec>().map_err(|error| format!("`print[{index}]`: {error}"))
    };
    let expectation = |(index, text): (usize, &String)| {
        let spec: ExpectSpec = text.parse().map_err(|error| format!("`expect[{index}]`: {error}"))?;
        Ok::<_, String>(ExpectSpec { file: folder.join(&spec.file), ..spec })
    };
    let completion = |text: String| text.parse().map_err(|error| format!("`async`: {error}"));
    let reconvergence = |text: String| text.parse().map_err(|error| format!("`reconverge`: {error}"));
    Ok(LaunchFile {
        grid: dimensions("grid", json.grid)?,
        block: dimensions("block", json.block)?,
        cluster: dimensions("cluster", json.cluster)?,
        args: json.args.iter().enumerate().map(one).collect::<Result<_, String>>()?,
        buffers: json.buffers.iter().map(buffer).collect::<Result<_, String>>()?,
        references: json.references.iter().enumerate().map(reference).collect::<Result<_, String>>()?,
        print: json.print.iter().enumerate().map(view).collect::<Result<_, String>>()?,
        expect: json.expect.iter().enumerate().map(expectation).collect::<Result<_, String>>()?,
        completion: json.completion.map(completion).transpose()?,
        reconvergence: json.reconverge.map(reconvergence).transpose()?,
        entry: json.entry,
        cooperative: json.cooperative,
        shared: json.shared,
        engine: json.engine,
        threads: json.threads,
        timeout: json.timeout,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_read() {
        let text = br#"{"entry": "k", "grid": [4, 2], "block": [128], "cluster": [1, 1, 1], "cooperative": true, "shared": 64,
            "args": ["i32=1", "in=x.bin", "out=4:/abs"], "buffers": {"b": "in=y.bin", "a": "zero=4"}, "engine": "interp", "async": "random:7", "reconverge": "late", "threads": 2, "timeout": 0.5,
            "print": ["1:u8:2"]}"#;
        let launch = parse(text, Path::new("dir")).expect("valid");
        assert_eq!(launch.grid, Some(Dimensions([4, 2, 1])));
        assert_eq!(launch.block, Some(Dimensions([128, 1, 1])));
        let args = launch.args;
        assert_eq!(args[1], ArgumentSpec::In("dir/x.bin".into()));
        assert_eq!(args[2], ArgumentSpec::Out(4, "/abs".into()));
        let buffers = [("a", ArgumentSpec::Zero(4)), ("b", ArgumentSpec::In("dir/y.bin".into()))];
        assert_eq!(launch.buffers, buffers.map(|(name, spec)| (name.to_owned(), spec)));
        assert_eq!((launch.shared, launch.threads, launch.timeout), (Some(64), Some(2), Some(0.5)));
        assert!(launch.cooperative);
        assert_eq!(launch.completion, Some(Completion::Random(7)));
        assert_eq!(launch.reconvergence, Some(Reconvergence::Late));
        assert_eq!(launch.print.len(), 1);
    }

    #[test]
    fn a_buffer_is_a_buffer_or_what_it_has_in_it() {
        let of = |value: &str| {
            let text = format!(r#"{{"buffers": {{"x": {value}}}}}"#);
            let launch = parse(text.as_bytes(), Path::new("")).expect("valid");
            launch.buffers.into_iter().map(|(_, spec)| spec).collect::<Vec<_>>()
        };
        let bytes = |bytes: &[u8]| {
            let composed = Composed { bytes: bytes.to_vec(), parts: Vec::new() };
            vec![ArgumentSpec::ComposedBuffer(Box::new(composed))]
        };
        for value in [r#""hex=0102""#, r#"["hex=0102"]"#, r#"{"buffer": "hex=0102"}"#, r#"{"hex": "0102"}"#] {
            assert_eq!(of(value), bytes(&[1, 2]), "{value}");
        }
        assert_eq!(of(r#""u16=5""#), bytes(&[5, 0]));
        assert_eq!(of(r#""zero=4""#), [ArgumentSpec::Zero(4)]);
    }

    #[test]
    fn the_mark_of_the_byte_order_is_ignored() {
        let launch = parse(b"\xef\xbb\xbf{\"shared\": 4}", Path::new("")).expect("valid");
        assert_eq!(launch.shared, Some(4));
    }

    #[test]
    fn wrong_files_say_what_is_wrong() {
        let wrong: [(&[u8], &str); 14] = [
            (b"{", "EOF"),
            (br#"{"gird": [1]}"#, "unknown field `gird`"),
            (br#"{"grid": [0]}"#, "`grid`"),
            (br#"{"grid": []}"#, "`grid`"),
            (br#"{"args": ["u8=256"]}"#, "`args[0]`: `256` does not fit u8"),
            (
                br#"{"args": [{"fields": [{"at": 0, "value": "u8=256"}]}]}"#,
                "`args[0].fields[0].value`: `256` does not fit u8",
            ),
            (br#"{"buffers": {"a": "sampler="}}"#, "`buffers.a`: a buffer is in=, out="),
            (br#"{"buffers": {"a": "zero=6", "a": "zero=7"}}"#, "`a` is given twice"),
            (br#"{"grid": [1], "block": [1], "grid": [2]}"#, "`grid` is given twice"),
            (br#"{"args": [{"bytes": 4, "hex": "00", "bytes": 8}]}"#, "`bytes` is given twice"),
            (br#"{"buffers": {"1a": "zero=6"}}"#, "`buffers.1a`: a name has letters"),
            (br#"{"print": ["x"]}"#, "`print[0]`"),
            (br#"{"async": "never"}"#, "`async`: expected eager, late or random:SEED"),
            (br#"{"reconverge": "never"}"#, "`reconverge`: expected early or late"),
        ];
        for (text, part) in wrong {
            let error = parse(text, Path::new("")).expect_err(part);
            assert!(error.contains(part), "{error}");
        }
    }
}

//! A launch described in a file (`--launch FILE.json`).

use std::collections::BTreeMap;
use std::path::Path;

use ptx_exec::{Completion, Reconvergence};
use serde::Deserialize;
use serde_json::Value;

use crate::argument_spec::{ArgumentSpec, BufferSource, beside};
use crate::composed::argument;
use crate::spec::{Dimensions, PrintSpec, ReferenceSpec};

/// What a launch file says; every field is the option of the same name and may be left out.
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
    pub cooperative: Option<bool>,
    /// `"shared": 1024`
    pub shared: Option<u64>,
    /// `"args": ["i32=5", "in=x.bin"]`, with structures among them; files are looked for beside the launch file.
    pub args: Option<Vec<ArgumentSpec>>,
    /// `"buffers": {"a": "in=a.bin"}`: buffers that no parameter is the address of, by their names.
    pub buffers: Vec<(String, ArgumentSpec)>,
    /// `"references": ["t=texture=in=x.bin,type=f32,dims=8"]`; files are looked for beside the launch file.
    pub references: Option<Vec<ReferenceSpec>>,
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
    pub print: Option<Vec<PrintSpec>>,
}

/// The file as JSON has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Json {
    entry: Option<String>,
    grid: Option<Vec<u32>>,
    block: Option<Vec<u32>>,
    cluster: Option<Vec<u32>>,
    cooperative: Option<bool>,
    shared: Option<u64>,
    args: Option<Vec<Value>>,
    #[serde(default)]
    buffers: BTreeMap<String, Value>,
    references: Option<Vec<String>>,
    engine: Option<String>,
    #[serde(rename = "async")]
    completion: Option<String>,
    reconverge: Option<String>,
    threads: Option<usize>,
    timeout: Option<f64>,
    print: Option<Vec<String>>,
}

/// Reads a launch file's text; relative paths in it are taken from `folder`.
///
/// # Errors
///
/// A sentence with the place in the JSON, or the field and what is wrong with it.
pub fn parse(text: &[u8], folder: &Path) -> Result<LaunchFile, String> {
    let json: Json = serde_json::from_slice(text).map_err(|error| error.to_string())?;
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
        let spec = argument(value, &place, folder)?;
        if !spec.is_plain_buffer() {
            return Err(format!(
                "`{place}`: a buffer is in=, out=, inout=, zero= or an object with `buffer`"
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
    let completion = |text: String| text.parse().map_err(|error| format!("`async`: {error}"));
    let reconvergence = |text: String| text.parse().map_err(|error| format!("`reconverge`: {error}"));
    Ok(LaunchFile {
        grid: dimensions("grid", json.grid)?,
        block: dimensions("block", json.block)?,
        cluster: dimensions("cluster", json.cluster)?,
        args: json.args.map(|list| list.iter().enumerate().map(one).collect()).transpose()?,
        buffers: json.buffers.iter().map(buffer).collect::<Result<_, String>>()?,
        references: json
            .references
            .map(|list| list.iter().enumerate().map(reference).collect())
            .transpose()?,
        print: json.print.map(|list| list.iter().enumerate().map(view).collect()).transpose()?,
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
        let args = launch.args.expect("given");
        assert_eq!(args[1], ArgumentSpec::In("dir/x.bin".into()));
        assert_eq!(args[2], ArgumentSpec::Out(4, "/abs".into()));
        let buffers = [("a", ArgumentSpec::Zero(4)), ("b", ArgumentSpec::In("dir/y.bin".into()))];
        assert_eq!(launch.buffers, buffers.map(|(name, spec)| (name.to_owned(), spec)));
        assert_eq!((launch.shared, launch.threads, launch.timeout), (Some(64), Some(2), Some(0.5)));
        assert_eq!(launch.cooperative, Some(true));
        assert_eq!(launch.completion, Some(Completion::Random(7)));
        assert_eq!(launch.reconvergence, Some(Reconvergence::Late));
        assert_eq!(launch.print.map(|list| list.len()), Some(1));
    }

    #[test]
    fn wrong_files_say_what_is_wrong() {
        let wrong: [(&[u8], &str); 11] = [
            (b"{", "EOF"),
            (br#"{"gird": [1]}"#, "unknown field `gird`"),
            (br#"{"grid": [0]}"#, "`grid`"),
            (br#"{"grid": []}"#, "`grid`"),
            (br#"{"args": ["u8=256"]}"#, "`args[0]`: `256` does not fit u8"),
            (
                br#"{"args": [{"fields": [{"at": 0, "value": "u8=256"}]}]}"#,
                "`args[0].fields[0].value`: `256` does not fit u8",
            ),
            (br#"{"buffers": {"a": "u8=6"}}"#, "`buffers.a`: a buffer is in=, out="),
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

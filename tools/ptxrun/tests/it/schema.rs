//! The schema of launch files (`--launch-schema`), by an evaluator of the part of JSON Schema that it uses.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use regex_lite::Regex;
use serde_json::{Value, json};

fn ptxrun(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("ptxrun").expect("built with the tests");
    let output = command.current_dir(folder).args(arguments).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("not killed"), text(output.stdout), text(output.stderr))
}

fn schema() -> Value {
    let (status, out, err) = ptxrun(Path::new("."), &["--launch-schema"]);
    assert_eq!((status, err.as_str()), (0, ""));
    serde_json::from_str(&out).expect("JSON")
}

/// Whether a value fits a schema. A keyword that this function does not know is an error of the test.
fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    let number = |limit: &Value| limit.as_f64().expect("a number");
    schema.as_object().expect("an object").iter().all(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "title" | "description" | "definitions" => true,
        "$ref" => {
            let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a local path");
            fits(root, root.pointer(path).expect("a definition"), value)
        }
        "type" => match rule.as_str().expect("a type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "integer" => value.is_u64() || value.is_i64(),
            other => panic!("type {other}"),
        },
        "enum" => rule.as_array().expect("a list").contains(value),
        "anyOf" => rule.as_array().expect("a list").iter().any(|schema| fits(root, schema, value)),
        "pattern" => {
            let pattern = Regex::new(rule.as_str().expect("a pattern")).expect("a pattern");
            value.as_str().is_none_or(|text| pattern.is_match(text))
        }
        "minimum" => value.as_f64().is_none_or(|found| found >= number(rule)),
        "maximum" => value.as_f64().is_none_or(|found| found <= number(rule)),
        "exclusiveMinimum" => value.as_f64().is_none_or(|found| found > number(rule)),
        "minItems" => value.as_array().is_none_or(|list| list.len() as f64 >= number(rule)),
        "maxItems" => value.as_array().is_none_or(|list| list.len() as f64 <= number(rule)),
        "items" => value.as_array().is_none_or(|list| list.iter().all(|item| fits(root, rule, item))),
        "required" => value.as_object().is_none_or(|object| {
            rule.as_array()
                .expect("a list")
                .iter()
                .all(|key| object.contains_key(key.as_str().expect("a key")))
        }),
        "properties" => value.as_object().is_none_or(|object| {
            let known = rule.as_object().expect("an object");
            object.iter().all(|(key, value)| known.get(key).is_none_or(|schema| fits(root, schema, value)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|object| {
            let known = schema.get("properties").and_then(Value::as_object);
            let mut others =
                object.iter().filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
            others.all(|(_, value)| *rule != Value::Bool(false) && fits(root, rule, value))
        }),
        other => panic!("keyword {other}"),
    })
}

#[test]
fn the_schema_has_the_fields_of_launch_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.json"), r#"{"nothing": 1}"#).expect("writable");
    fs::write(folder.path().join("k.ptx"), "").expect("writable");
    let (_, _, err) = ptxrun(folder.path(), &["k.ptx", "--launch", "k.json"]);
    // The message lists all fields, each in backquotes.
    let (_, list) = err.split_once("expected one of ").expect("the fields");
    let mut fields: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    fields.sort_unstable();
    let schema = schema();
    let properties = schema["properties"].as_object().expect("an object");
    let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
    known.sort_unstable();
    assert_eq!(known, fields);
}

#[test]
fn launch_files_fit_the_schema() {
    let schema = schema();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for entry in fs::read_dir(root.join("scripts/demo-data")).expect("there") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|suffix| suffix == "json") {
            let text = fs::read(&path).expect("readable");
            let launch: Value = serde_json::from_slice(&text).expect("JSON");
            assert!(fits(&schema, &schema, &launch), "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 0);
    let kernel = root.join("scripts/demo-data/mix.ptx");
    let (_, template, _) = ptxrun(&root, &["--template", kernel.to_str().expect("UTF-8")]);
    let template: Value = serde_json::from_str(&template).expect("JSON");
    assert!(fits(&schema, &schema, &template), "{template}");
}

#[test]
fn files_that_are_refused_for_their_shape_do_not_fit_and_others_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kernel = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .align 4 .b8 a[8]) { ret; }\n";
    fs::write(folder.path().join("k.ptx"), kernel).expect("writable");
    let schema = schema();
    let cases = [
        (json!({"$schema": "launch.schema.json", "args": [["u32=1", "f32=2"]]}), true),
        (
            json!({"args": [{"name": "a", "value": {"bytes": 8, "fields": [{"at": 4, "value": "u32=1"}]}}]}),
            true,
        ),
        (
            json!({"args": [{"hex": "0011223344556677"}], "buffers": {"b": {"buffer": ["f32=1"]}, "c": "zero=4"}}),
            true,
        ),
        (
            json!({"args": ["hex=0011223344556677"], "buffers": {"b": "buffer=iota,type=u8,dims=4"}, "print": ["b:u8:2"]}),
            true,
        ),
        (
            json!({"args": [["u64=1"]], "engine": "interp", "async": "random:3", "reconverge": "late", "timeout": 5, "threads": 1}),
            true,
        ),
        (json!({"args": [["u64=1"]], "grid": [1, 1, 1, 1]}), false),
        (json!({"args": [["u64=1"]], "block": [0]}), false),
        (json!({"args": [5]}), false),
        (json!({"args": ["int=5"]}), false),
        (json!({"args": [{"bytes": 8, "size": 8}]}), false),
        (json!({"args": [{"fields": [{"value": "u64=1"}]}]}), false),
        (json!({"args": [["u64=1"]], "gird": [1]}), false),
        (json!({"args": [["u64=1"]], "engine": "gpu"}), false),
        (json!({"args": [["u64=1"]], "async": "never"}), false),
        (json!({"args": [["u64=1"]], "timeout": 0}), false),
        (json!({"args": [["u64=1"]], "expect": ["b"]}), false),
    ];
    for (launch, is_valid) in cases {
        assert_eq!(fits(&schema, &schema, &launch), is_valid, "{launch}");
        fs::write(folder.path().join("k.json"), launch.to_string()).expect("writable");
        let mut arguments = vec!["k.ptx", "--launch", "k.json"];
        for (field, option) in [("grid", "--grid"), ("block", "--block")] {
            if launch.get(field).is_none() {
                arguments.extend([option, "1"]);
            }
        }
        let (status, _, err) = ptxrun(folder.path(), &arguments);
        assert_eq!(status == 0, is_valid, "{launch}: {err}");
    }
}

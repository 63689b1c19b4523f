//! How many code files a new family of instructions touches: CONTRIBUTING ("Add a family") lists them.
//!
//! The test adds an arithmetic and an asynchronous instruction, and an operation of the engines, to a copy of the sources, as little
//! of them as their author must write himself ([`WRITTEN`]), and lets the compiler say where more is needed: every match that does not
//! have them yet is incomplete, and gets an arm so that the crates after it are checked too. These matches and what was written are the
//! files of CONTRIBUTING.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use serde_json::Value;

/// The headings of the lists in CONTRIBUTING, the word that the names of the added things begin with, and the most files.
const FAMILIES: [(&str, &str, usize); 3] = [
    ("An arithmetic family", "Probe", 4),
    ("An asynchronous family", "Issue", 6),
    ("An operation of the engines", "Engage", 4),
];

/// A text that the author of a family puts into a file, after another text.
struct Written {
    family: &'static str,
    file: &'static str,
    after: &'static str,
    text: &'static str,
}

/// The opcode and the meaning, the row, and what the interpreter's decoder gives.
const WRITTEN: &[Written] = &[
    Written {
        family: "Probe",
        file: "ptx-isa/src/families.rs",
        after: "Xor \"xor\",",
        text: " Probe \"probe\",",
    },
    Written {
        family: "Probe",
        file: "ptx-isa/src/families.rs",
        after: "    Arith(ArithSem) {\n",
        text: "        Probe Assembly => \"An instruction of a test.\",\n",
    },
    Written {
        family: "Probe",
        file: "ptx-isa/src/table/integer.rs",
        after: "pub(super) static FORMS: &[Form] = &[\n",
        text: "    Form::new(Opcode::Probe, \"A row of a test.\", &[One(TYPE, &[U32])], &[def(\"d\", RT), arg(\"a\", T)], \
               Sem::Arith(ArithSem::Probe)).section(\"9.7.1\"),\n",
    },
    Written {
        family: "Probe",
        file: "ptx-program/src/program/formula.rs",
        after: "    Fns,\n",
        text: "    Probe,\n",
    },
    Written {
        family: "Issue",
        file: "ptx-isa/src/families.rs",
        after: "Xor \"xor\",",
        text: " Issue \"issue\",",
    },
    Written {
        family: "Issue",
        file: "ptx-isa/src/families.rs",
        after: "    Async(AsyncSem) {\n",
        text: "        Issue Assembly => \"An instruction of a test.\",\n",
    },
    Written {
        family: "Issue",
        file: "ptx-isa/src/table/bulk.rs",
        after: "pub(super) static FORMS: &[Form] = &[\n",
        text: "    Form::new(Opcode::Issue, \"A row of a test.\", &[Lit(Async)], &[], Sem::Async(AsyncSem::Issue))\
               .section(\"9.7.9\"),\n",
    },
    Written {
        family: "Issue",
        file: "ptx-program/src/program/async_group.rs",
        after: "pub enum AsyncOp {\n",
        text: "    Issue(Address),\n",
    },
    Written {
        family: "Engage",
        file: "ptx-program/src/program/instruction.rs",
        after: "pub enum Effect {\n",
        text: "    Engage(Src),\n",
    },
];

/// Where the crates of the copy are below its root. Cargo tells packages of one name apart by their path below the workspace, and the copy
/// shares the target folder, for what is compiled of other projects.
const BELOW: &str = "families";

/// Each pass of the compiler comes one crate further at least; more passes than this find nothing new.
const MOST_PASSES: usize = 12;

#[test]
fn a_new_family_touches_the_files_that_contributing_lists() {
    if !testing::takes("check of a copy of the sources with a new family of instructions") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("families");
    copy_sources(root, &copy).expect("the sources can be copied");
    let mut touched: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for Written { family, file, after, text } in WRITTEN {
        let path = copy.join(BELOW).join("crates").join(file);
        let old = fs::read_to_string(&path).expect("readable");
        assert!(old.contains(after), "{file} has no {after:?} any more");
        fs::write(&path, old.replacen(after, &format!("{after}{text}"), 1)).expect("writable");
        touched.entry(family).or_default().insert(format!("crates/{file}"));
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let mut passes = 0;
    loop {
        let incomplete = check(&copy, target);
        if incomplete.is_empty() {
            break;
        }
        passes += 1;
        assert!(passes <= MOST_PASSES, "the compiler asks for more and more: {incomplete:#?}");
        complete(&copy, &incomplete, &mut touched);
    }
    let contributing = fs::read_to_string(root.join("CONTRIBUTING.md")).expect("readable");
    for (heading, family, most) in FAMILIES {
        let found = touched.remove(family).unwrap_or_default();
        assert_eq!(
            found,
            listed(&contributing, heading),
            "the code files of \"{heading}\" in CONTRIBUTING.md"
        );
        assert!(found.len() <= most, "{heading} touches {} code files: {found:#?}", found.len());
    }
}

/// The files in the list below a heading.
fn listed(text: &str, heading: &str) -> BTreeSet<String> {
    let below = text.split_once(&format!("### {heading}\n")).expect("the heading is in CONTRIBUTING.md").1;
    let lines = below.lines().skip_while(|line| !line.starts_with("- `")).take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.strip_prefix("- `")?.split('`').next()).map(str::to_owned).collect()
}

/// A match that does not have something new: the file, and where its arms begin.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct IncompleteMatch {
    file: String,
    arms: usize,
    /// What the compiler wrote.
    message: String,
}

/// Checks all crates of the copy; gives the matches that are not complete.
fn check(copy: &Path, target: &Path) -> BTreeSet<IncompleteMatch> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["check", "--offline", "--keep-going", "--message-format=json", "--workspace"]);
    // What the copy has of these is there because others need their manifests.
    for package in ["test-suite", "xtask", "executed-rows", "testing", "benches"] {
        command.args(["--exclude", package]);
    }
    command.env("CARGO_TARGET_DIR", target).env("CARGO_INCREMENTAL", "0").current_dir(copy);
    let output = command.output().expect("cargo starts");
    let mut incomplete = BTreeSet::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let message = &value["message"];
        if message["level"] != "error" || message["spans"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let rendered = message["rendered"].as_str().unwrap_or_default();
        assert_eq!(message["code"]["code"], "E0004", "another error than an incomplete match:\n{rendered}");
        let spans = message["spans"].as_array().into_iter().flatten();
        let span = spans.clone().find(|span| span["is_primary"] == true).expect("a primary span");
        let file = span["file_name"].as_str().expect("a file").to_owned();
        let end = span["byte_end"].as_u64().expect("an offset") as usize;
        let text = fs::read_to_string(copy.join(&file)).expect("readable");
        let arms = end + text[end..].find('{').expect("the arms follow what is matched") + 1;
        incomplete.insert(IncompleteMatch { file, arms, message: message["message"].to_string() });
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || !incomplete.is_empty(), "cargo check failed:\n{errors}");
    incomplete
}

/// Gives each match an arm for all that it does not have, the last of a file first, and notes whose it is.
fn complete(
    copy: &Path,
    incomplete: &BTreeSet<IncompleteMatch>,
    touched: &mut BTreeMap<&str, BTreeSet<String>>,
) {
    let mut done = BTreeSet::new();
    for found in incomplete.iter().rev() {
        for (_, family, _) in FAMILIES {
            if found.message.contains(&format!("::{family}")) {
                let file = found.file.strip_prefix(BELOW).unwrap_or(&found.file).trim_start_matches('/');
                touched.entry(family).or_default().insert(file.to_owned());
            }
        }
        if done.insert((&found.file, found.arms)) {
            let path = copy.join(&found.file);
            let mut text = fs::read_to_string(&path).expect("readable");
            text.insert_str(found.arms, " _ => todo!(),");
            fs::write(&path, text).expect("writable");
        }
    }
}

/// Copies the manifests and sources of the workspace, anew each time.
fn copy_sources(root: &Path, copy: &Path) -> io::Result<()> {
    if copy.exists() {
        fs::remove_dir_all(copy)?;
    }
    let parts = [
        "crates",
        "tools",
        "test-suite/Cargo.toml",
        "test-suite/src",
        "test-suite/tests",
        "test-suite/rows",
        "test-suite/testing",
        "test-suite/benches",
    ];
    let mut rest: Vec<PathBuf> = parts.map(PathBuf::from).to_vec();
    while let Some(path) = rest.pop() {
        let (from, to) = (root.join(&path), copy.join(BELOW).join(&path));
        if from.is_dir() {
            for entry in fs::read_dir(&from)? {
                rest.push(path.join(entry?.file_name()));
            }
        } else {
            fs::create_dir_all(to.parent().unwrap_or(copy))?;
            fs::copy(from, to)?;
        }
    }
    let mut manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    for part in ["crates/", "tools/", "test-suite"] {
        manifest = manifest.replace(&format!("\"{part}"), &format!("\"{BELOW}/{part}"));
    }
    fs::write(copy.join("Cargo.toml"), manifest)?;
    fs::copy(root.join("Cargo.lock"), copy.join("Cargo.lock")).map(drop)
}

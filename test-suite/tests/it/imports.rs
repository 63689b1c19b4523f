//! Which files of a crate import each other in a circle: such files can only be read, and changed, together.
//!
//! An edge is a path in a `use` or elsewhere that leads into another file of the same crate; tests do not count. A path through a
//! re-export (`pub use`) leads to the file that defines the item. No circle
//! may have more than [`LARGEST`] files, in any crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Circles of so many files are small enough to read at once.
const LARGEST: usize = 3;

/// Where a file is in the tree of modules.
type ModulePath = Vec<String>;

/// Re-exports of re-exports are followed this far.
const DEEPEST: usize = 8;

/// A path that a file names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct NamedPath {
    words: Vec<String>,
    /// What a `pub use` calls the item.
    exported: Option<String>,
}

/// The files of one crate, and which import which.
#[derive(Debug, Default)]
struct Imports {
    files: BTreeMap<ModulePath, String>,
    paths: BTreeMap<ModulePath, Vec<NamedPath>>,
    edges: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
}

impl Imports {
    /// Reads the files below `src`.
    fn of(src: &Path) -> Self {
        let mut imports = Self::default();
        for file in rust_files(src) {
            let name = file.strip_prefix(src).expect("a file below").to_string_lossy().into_owned();
            let mut path: ModulePath = name.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
            if path.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
                path.pop();
            }
            let text = fs::read_to_string(&file).expect("readable");
            imports.paths.insert(path.clone(), paths(&tokens(&text)));
            imports.files.insert(path, name);
        }
        for (module, found) in &imports.paths {
            let targets = found.iter().filter_map(|path| imports.resolve(&path.words, module, 0));
            let targets = targets.filter(|target| target != module).collect();
            imports.edges.insert(module.clone(), targets);
        }
        imports
    }

    /// The file that a path leads into, from a module.
    fn resolve(&self, path: &[String], module: &[String], depth: usize) -> Option<ModulePath> {
        let (first, mut rest) = path.split_first()?;
        let mut at: ModulePath = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => module.get(..module.len().checked_sub(1)?)?.to_vec(),
            name => {
                rest = path;
                let child = [module, &[name.to_owned()]].concat();
                self.files.contains_key(&child).then(|| module.to_vec())?
            }
        };
        while let Some((next, others)) = rest.split_first() {
            if next == "super" {
                at.pop()?;
            } else {
                let child = [at.as_slice(), std::slice::from_ref(next)].concat();
                if !self.files.contains_key(&child) {
                    break;
                }
                at = child;
            }
            rest = others;
        }
        if !self.files.contains_key(&at) {
            return None;
        }
        let defined = rest.first().and_then(|name| self.reexported(name, &at, depth));
        Some(defined.unwrap_or(at))
    }

    /// The file that defines what a module re-exports by a name.
    fn reexported(&self, name: &str, module: &[String], depth: usize) -> Option<ModulePath> {
        if depth >= DEEPEST {
            return None;
        }
        let mut found = self.paths.get(module)?.iter().filter(|path| path.exported.as_deref() == Some(name));
        found.find_map(|path| self.resolve(&path.words, module, depth + 1))
    }

    /// Everything that a file imports, directly or not.
    fn reached<'a>(&'a self, from: &'a ModulePath) -> BTreeSet<&'a ModulePath> {
        let mut seen = BTreeSet::new();
        let mut work = vec![from];
        while let Some(next) = work.pop() {
            for target in self.edges.get(next).into_iter().flatten() {
                if seen.insert(target) {
                    work.push(target);
                }
            }
        }
        seen
    }

    /// The names of the files of each circle.
    fn circles(&self) -> BTreeSet<BTreeSet<String>> {
        let reached: BTreeMap<_, _> = self.files.keys().map(|file| (file, self.reached(file))).collect();
        let circle_of = |file: &ModulePath| -> BTreeSet<String> {
            let there = reached[file].iter().filter(|other| reached[**other].contains(file));
            there.map(|other| self.files[*other].clone()).collect()
        };
        self.files.keys().map(circle_of).filter(|circle| circle.len() > 1).collect()
    }
}

pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Words, `::` and single characters of Rust, without comments, strings and the tests at the end.
fn tokens(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        let skip_to = |from: usize, end: &str| {
            let end: Vec<char> = end.chars().collect();
            let rest = chars.get(from..).unwrap_or_default();
            rest.windows(end.len()).position(|part| part == end).map_or(chars.len(), |n| from + n + end.len())
        };
        at = match (c, next) {
            ('/', Some('/')) => skip_to(at, "\n"),
            ('/', Some('*')) => skip_to(at, "*/"),
            ('r', Some('"')) => skip_to(at + 2, "\""),
            ('r', Some('#')) if chars.get(at + 2) == Some(&'"') => skip_to(at + 3, "\"#"),
            ('"', _) => {
                let mut end = at + 1;
                while chars.get(end).is_some_and(|c| *c != '"') {
                    end += 1 + usize::from(chars[end] == '\\');
                }
                end + 1
            }
            ('\'', Some('\\')) => skip_to(at + 3, "'"),
            ('\'', Some(_)) if chars.get(at + 2) == Some(&'\'') => at + 3,
            (':', Some(':')) => {
                found.push("::".to_owned());
                at + 2
            }
            (c, _) if is_word(c) => {
                let word: String = chars[at..].iter().take_while(|c| is_word(**c)).collect();
                let end = at + word.chars().count();
                found.push(word);
                end
            }
            (c, _) => {
                if !c.is_whitespace() {
                    found.push(c.to_string());
                }
                at + 1
            }
        };
    }
    found
}

/// All paths of more than one word, and those of `use`.
fn paths(tokens: &[String]) -> Vec<NamedPath> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(token) = tokens.get(at) {
        // `impl Trait + use<'a>` imports nothing.
        if token == "use" && tokens.get(at + 1).is_some_and(|next| next != "<") {
            let is_public = at > 0 && matches!(tokens[at - 1].as_str(), "pub" | ")");
            at = use_tree(tokens, at + 1, &[], is_public, &mut found);
            continue;
        }
        let mut path = Vec::new();
        while let Some(word) =
            tokens.get(at).filter(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
        {
            path.push(word.clone());
            at += 1;
            if tokens.get(at).map(String::as_str) != Some("::") {
                break;
            }
            at += 1;
        }
        if path.is_empty() {
            at += 1;
        } else if path.len() > 1 {
            found.push(NamedPath { words: path, exported: None });
        }
    }
    found
}

/// The paths of one tree of a `use`; gives where it ends.
fn use_tree(
    tokens: &[String],
    mut at: usize,
    before: &[String],
    is_public: bool,
    found: &mut Vec<NamedPath>,
) -> usize {
    let mut path = before.to_vec();
    let mut renamed = None;
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}" && token != ";") {
                    at = use_tree(tokens, at, &path, is_public, found);
                    at += usize::from(tokens.get(at).is_some_and(|token| token == ","));
                }
                return at + 1;
            }
            "as" => {
                renamed = tokens.get(at + 1).cloned();
                at += 2;
            }
            ";" | "," | "}" => break,
            word => {
                path.push(word.to_owned());
                at += 1;
            }
        }
    }
    let exported = renamed.or_else(|| path.last().cloned()).filter(|_| is_public);
    found.push(NamedPath { words: path, exported });
    at
}

/// The crates of the workspace, by name.
pub(crate) fn crates() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in ["crates", "tools"] {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.join("src").is_dir() {
                found.push((name, path.join("src")));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn no_circle_of_imports_is_large() {
    let mut found = String::new();
    for (name, src) in crates() {
        for circle in Imports::of(&src).circles().into_iter().filter(|circle| circle.len() > LARGEST) {
            found += &format!("\n{name}: {}", Vec::from_iter(circle).join(", "));
        }
    }
    assert!(
        found.is_empty(),
        "these files import each other in a circle with more than {LARGEST} files:{found}"
    );
}

#[test]
fn circles_are_found_through_every_form_of_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
    };
    write("lib.rs", "mod a;\nmod b;\nmod c;\nmod leaf;\npub use self::c::inner::T;\n");
    write("a.rs", "use crate::{b::{self, X as Y}, leaf};\n");
    write("b.rs", "fn f() { super::c::inner::g(\"crate::leaf::no\") } // crate::leaf\n");
    write("c/mod.rs", "mod inner;\n");
    write("c/inner.rs", "use super::super::a::Z;\nfn h<'a>(c: char) -> bool { c == '\"' }\n");
    write("leaf.rs", "fn f() {}\n#[cfg(test)]\nmod tests { use crate::a::Z; }\n");
    let circles = Imports::of(folder.path()).circles();
    let expected: BTreeSet<String> = ["a.rs", "b.rs", "c/inner.rs"].map(str::to_owned).into();
    assert_eq!(circles, BTreeSet::from([expected]));
}

#[test]
fn re_exports_lead_to_the_file_that_defines_the_item() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write(
        "lib.rs",
        "mod a;\nmod b;\npub use a::X as Y;\npub(crate) use crate::b::{Z, loops};\npub fn own() {}\n",
    );
    write("a.rs", "use crate::Z;\n");
    write("b.rs", "pub use crate::loops;\n");
    let edges = |from: &str| -> BTreeSet<String> {
        let imports = Imports::of(folder.path());
        let targets =
            imports.edges[&vec![from.to_owned()]].iter().map(|target| imports.files[target].clone());
        targets.collect()
    };
    assert_eq!(edges("a"), ["b.rs".to_owned()].into());
    write("b.rs", "use crate::{Y, own};\n");
    assert_eq!(edges("b"), ["a.rs", "lib.rs"].map(str::to_owned).into());
}

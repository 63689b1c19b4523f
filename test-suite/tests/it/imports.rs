//! Which files of a crate reach each other in a circle: such files can only be read, and changed, together.
//!
//! An edge is a path in a `use` or elsewhere that leads into another file of the same crate; tests do not count. A path through a
//! re-export (`pub use`) leads to the file that defines the item. A call of a method is an edge too, where its receiver has a type that
//! the text tells (`typed_calls.rs`): otherwise the files of a large type are a circle without an import. No circle
//! may have more than [`LARGEST`] files, and no type more than [`MOST_METHODS`] methods, in any crate but those of [`BEHIND`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::typed_calls::{Call, Items};

/// Circles of so many files are small enough to read at once.
const LARGEST: usize = 3;

/// A type with more methods, over all files, is several types.
const MOST_METHODS: usize = 60;

/// What a crate may have at most.
struct Limits {
    name: &'static str,
    /// Files in a circle by imports alone, and by imports and calls.
    imports: usize,
    circle: usize,
    /// Methods and associated functions of a type.
    methods: usize,
}

/// The crates that do not meet the limits yet, with what they have. A number may only become smaller, and a crate that meets the limits
/// leaves the table.
const BEHIND: &[Limits] = &[
    Limits { name: "ptx-device", imports: LARGEST, circle: 4, methods: MOST_METHODS },
    Limits { name: "ptx-dwarf", imports: LARGEST, circle: 4, methods: MOST_METHODS },
    Limits { name: "ptx-llvm-core", imports: 5, circle: 5, methods: 62 },
    Limits { name: "ptx-lower", imports: LARGEST, circle: 15, methods: 199 },
    Limits { name: "ptx-raise", imports: LARGEST, circle: 43, methods: 454 },
    Limits { name: "ptx-syntax", imports: LARGEST, circle: LARGEST, methods: 116 },
    Limits { name: "test-suite", imports: 19, circle: 19, methods: 130 },
];

/// The limits of a crate.
fn limits(name: &str) -> Limits {
    let behind = BEHIND.iter().find(|limits| limits.name == name);
    let &Limits { imports, circle, methods, .. } =
        behind.unwrap_or(&Limits { name: "", imports: LARGEST, circle: LARGEST, methods: MOST_METHODS });
    Limits { name: "", imports, circle, methods }
}

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
    items: BTreeMap<ModulePath, Items>,
    /// Files of tests, which do not count.
    tests: BTreeSet<ModulePath>,
    edges: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
}

/// A type of the crate: its name, and the file that defines it.
type TypeId<'a> = (&'a ModulePath, &'a str);

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
            let tokens = tokens(&text);
            imports.paths.insert(path.clone(), paths(&tokens));
            imports.items.insert(path.clone(), Items::of(&tokens));
            if name.split('/').any(|part| matches!(part, "tests" | "tests.rs")) {
                imports.tests.insert(path.clone());
            }
            imports.files.insert(path, name);
        }
        for (module, found) in &imports.paths {
            let targets = found.iter().filter_map(|path| imports.resolve(&path.words, module, 0));
            let targets = targets.filter(|target| target != module).collect();
            if !imports.tests.contains(module) {
                imports.edges.insert(module.clone(), targets);
            }
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

    /// Counts calls on `self`, parameters and their fields as imports, too.
    fn with_typed_calls(mut self) -> Self {
        let definers = self.definers();
        let mut found = Vec::new();
        for (module, items) in &self.items {
            for call in &items.calls {
                let files = self.callee(module, call).and_then(|method| definers.get(&method));
                // A method with several definitions, for other parameters of the type, is not known.
                if let Some(&[definer]) = files.map(Vec::as_slice)
                    && definer != module
                {
                    found.push((module.clone(), definer.clone()));
                }
            }
        }
        for (from, to) in found {
            self.edges.entry(from).or_default().insert(to);
        }
        self
    }

    /// The files that define each method.
    fn definers(&self) -> BTreeMap<(TypeId<'_>, &str), Vec<&ModulePath>> {
        let mut definers: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (module, items) in &self.items {
            for (ty, method) in &items.methods {
                if let Some(ty) = self.defined(ty, module) {
                    let files = definers.entry((ty, method.as_str())).or_default();
                    if files.last() != Some(&module) {
                        files.push(module);
                    }
                }
            }
        }
        definers
    }

    /// The type and name of the method that is called.
    fn callee<'a>(&'a self, module: &'a ModulePath, call: &'a Call) -> Option<(TypeId<'a>, &'a str)> {
        let mut ty = self.defined(&call.root, module)?;
        for field in &call.fields {
            let (file, name) = ty;
            ty = self.defined(self.items.get(file)?.types.get(name)?.get(field)?, file)?;
        }
        Some((ty, &call.method))
    }

    /// The type that a name means in a file.
    fn defined<'a>(&'a self, name: &'a str, module: &'a ModulePath) -> Option<TypeId<'a>> {
        let has =
            |file: &ModulePath| self.items.get(file).is_some_and(|items| items.types.contains_key(name));
        if has(module) {
            return Some((module, name));
        }
        let named = self.paths.get(module)?.iter();
        let named = named.filter(|path| path.words.last().is_some_and(|last| last == name));
        let mut files =
            named.filter_map(|path| self.resolve(&path.words, module, 0)).filter(|file| has(file));
        let file = files.next()?;
        self.files.get_key_value(&file).map(|(file, _)| (file, name))
    }

    /// The number of inherent methods and associated functions of each type, by name and file.
    fn methods(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for (module, items) in &self.items {
            for (file, name) in items.methods.iter().filter_map(|(ty, _)| self.defined(ty, module)) {
                *counts.entry(format!("{name} ({})", self.files[file])).or_insert(0) += 1;
            }
        }
        counts
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

/// The text before the tests at the end of a file.
fn without_tests(text: &str) -> &str {
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let is_of_tests = line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test,");
        // `mod tests;` is in another file, and code follows it.
        if is_of_tests && lines.peek().is_some_and(|next| next.contains("mod ") && next.contains('{')) {
            return &text[..at];
        }
        at += line.len();
    }
    text
}

/// Words, `::` and single characters of Rust, without comments, strings and the tests at the end.
fn tokens(text: &str) -> Vec<String> {
    let text = without_tests(text);
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
        // Nor does `pub(in path)`.
        if token == "in" && at >= 2 && tokens[at - 2] == "pub" {
            at += 1;
            while tokens.get(at).is_some_and(|token| token != ")") {
                at += 1;
            }
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

/// A crate whose files are held to the limits.
struct Measured {
    name: String,
    /// By imports alone.
    imports: Imports,
    /// By imports and calls.
    calls: Imports,
}

/// All crates of [`crates`], and the test suite's own.
static MEASURED: LazyLock<Vec<Measured>> = LazyLock::new(|| {
    let mut found = crates();
    found.push(("test-suite".to_owned(), Path::new(env!("CARGO_MANIFEST_DIR")).join("src")));
    let measured = |(name, src): (String, PathBuf)| {
        let (imports, calls) = (Imports::of(&src), Imports::of(&src).with_typed_calls());
        Measured { name, imports, calls }
    };
    found.into_iter().map(measured).collect()
});

/// Describes the circles with more files than allowed.
fn large_circles(imports: &Imports, most: usize) -> Vec<String> {
    let circles = imports.circles().into_iter().filter(|circle| circle.len() > most);
    circles.map(|circle| format!("{}: {}", circle.len(), Vec::from_iter(circle).join(", "))).collect()
}

#[test]
fn no_circle_of_imports_is_large() {
    let mut found = String::new();
    for Measured { name, imports, .. } in &*MEASURED {
        for circle in large_circles(imports, limits(name).imports) {
            found += &format!("\n{name}, {circle}");
        }
    }
    assert!(found.is_empty(), "these files import each other in a circle that is too large:{found}");
}

#[test]
fn no_circle_of_imports_and_calls_is_large() {
    let mut found = String::new();
    for Measured { name, calls, .. } in &*MEASURED {
        for circle in large_circles(calls, limits(name).circle) {
            found += &format!("\n{name}, {circle}");
        }
    }
    assert!(
        found.is_empty(),
        "these files import each other, or call methods of each other, in a circle that is too large:{found}"
    );
}

#[test]
fn no_type_has_too_many_methods() {
    let mut found = String::new();
    for Measured { name, imports, .. } in &*MEASURED {
        let most = limits(name).methods;
        for (ty, count) in imports.methods().into_iter().filter(|(_, count)| *count > most) {
            found += &format!("\n{name}, {ty}: {count}, expected at most {most}");
        }
    }
    assert!(found.is_empty(), "these types have too many methods:{found}");
}

#[test]
fn only_crates_behind_the_limits_have_their_own() {
    for limits in BEHIND {
        let found = MEASURED.iter().find(|measured| measured.name == limits.name);
        let Measured { imports, calls, .. } =
            found.unwrap_or_else(|| panic!("there is no crate {}", limits.name));
        let methods = imports.methods().into_values().fold(0, usize::max);
        let is_behind = methods > MOST_METHODS || !large_circles(calls, LARGEST).is_empty();
        assert!(is_behind, "{} meets the limits: take it out of the table", limits.name);
    }
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

/// The circles by imports and calls of a crate of these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("written");
    }
    let circles = Imports::of(folder.path()).with_typed_calls().circles();
    circles.into_iter().map(Vec::from_iter).collect()
}

/// A type with a field, and a file with methods of the type of the field.
const TYPES: [(&str, &str); 2] = [
    (
        "lib.rs",
        "mod a;\nmod b;\npub struct Whole<'a> { pub part: &'a mut Part, size: u32 }\npub struct Part;\n",
    ),
    ("b.rs", "use crate::{Part, a};\nimpl Part { pub(super) fn grow(&mut self) { a::ask() } }\n"),
];

#[test]
fn a_call_through_self_is_an_edge() {
    let a = "use crate::Part;\npub fn ask() {}\nimpl Part { fn own(&self) { self.grow(); } }\n";
    assert_eq!(circles_of(&[TYPES[0], TYPES[1], ("a.rs", a)]), [["a.rs", "b.rs"]]);
    let of_type = "use crate::Part;\npub fn ask() {}\nimpl Part { fn own() { Self::grow(&mut Part); } }\n";
    assert_eq!(circles_of(&[TYPES[0], TYPES[1], ("a.rs", of_type)]), [["a.rs", "b.rs"]]);
}

#[test]
fn a_call_through_a_parameter_is_an_edge() {
    let a = "use super::Part;\npub fn ask() {}\nfn free<F: Fn(u32) -> u32>(n: u32, part: &mut Part) { if n > 0 { part.grow(); } }\n";
    assert_eq!(circles_of(&[TYPES[0], TYPES[1], ("a.rs", a)]), [["a.rs", "b.rs"]]);
}

#[test]
fn a_call_through_a_field_is_an_edge() {
    let a = "use super::Whole;\npub fn ask() {}\nfn free(whole: Whole<'_>) { whole.part.grow(); }\n";
    assert_eq!(circles_of(&[TYPES[0], TYPES[1], ("a.rs", a)]), [["a.rs", "b.rs"]]);
    let own = "use super::Whole;\npub fn ask() {}\nimpl<'a> Whole<'a> { fn f(&self) { self.part.grow::<u32>() } }\n";
    assert_eq!(circles_of(&[TYPES[0], TYPES[1], ("a.rs", own)]), [["a.rs", "b.rs"]]);
}

#[test]
fn a_call_that_the_text_does_not_tell_is_no_edge() {
    let of_other = "pub fn ask() {}\nstruct Part;\nimpl Part { fn f(&self) { self.grow() } }\n";
    let of_field =
        "use crate::Whole;\npub fn ask() {}\nfn f(whole: Whole<'_>) { whole.size.grow(); whole.grow(); }\n";
    let of_variable =
        "use crate::Part;\npub fn ask() {}\nfn f(part: &Part) { let part = part.0; part.grow(); }\n";
    let of_several = "use crate::Part;\npub fn ask() {}\nimpl Part { fn grow(&self) { self.grow() } }\n";
    let of_trait = "use crate::Part;\npub fn ask() {}\nimpl Part { fn f(&self) { self.eq() } }\n";
    for text in [of_other, of_field, of_variable, of_several, of_trait] {
        assert_eq!(circles_of(&[TYPES[0], TYPES[1], ("a.rs", text)]), [[""; 0]; 0], "{text}");
    }
}

#[test]
fn methods_of_a_type_are_counted_over_all_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write(
        "lib.rs",
        "mod a;\nmod b;\npub struct T;\nimpl T { pub fn new() -> Self { T }\n const fn one(&self) {} }\n",
    );
    write("a.rs", "use super::T;\nimpl T { fn two(&self) {} }\nimpl Drop for T { fn drop(&mut self) {} }\n");
    write(
        "b.rs",
        "struct T;\nimpl T { fn own(&self) { fn inner() {} } }\n#[cfg(test)]\nmod tests { impl super::T { fn t() {} } }\n",
    );
    let expected = [("T (b.rs)".to_owned(), 1), ("T (lib.rs)".to_owned(), 3)];
    assert_eq!(Imports::of(folder.path()).methods(), BTreeMap::from(expected));
}

#[test]
fn tests_in_other_files_end_no_file() {
    let with_tests = "#[cfg(test)]\nmod tests;\nuse crate::b::f;\npub fn g() {}\n";
    let found = circles_of(&[
        ("lib.rs", "mod a;\nmod b;\n"),
        ("a.rs", with_tests),
        ("b.rs", "pub fn f() { crate::a::g() }\n#[cfg(test)]\npub(super) mod tests { use super::*; }\n"),
    ]);
    assert_eq!(found, [["a.rs", "b.rs"]]);
}

#[test]
fn the_place_where_an_item_is_visible_is_no_edge() {
    let found = circles_of(&[("lib.rs", "mod a;\nuse a::f;\n"), ("a.rs", "pub(in crate::a) fn f() {}\n")]);
    assert!(found.is_empty(), "{found:?}");
}

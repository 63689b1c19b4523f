//! The public items of the crate that programs depend on, compared with a list, so that a change of them is seen when it is made.
//!
//! Tools that make such lists read what only nightly compilers write. The crate is small, and its source has them all: what it
//! re-exports is in its `use` items.

use std::fs;
use std::path::Path;

use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, Type, Visibility};

const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/ptx-llvm");

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The conditions under which an item exists.
fn conditions(attributes: &[Attribute]) -> String {
    let of = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    of.map(|attribute| format!("{} ", spelled(attribute))).collect()
}

/// The tokens of an item, with spaces as people write them.
fn spelled(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (apart, together) in [
        (" :: ", "::"),
        (" :", ":"),
        (" ,", ","),
        (" ;", ";"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        ("& ", "&"),
        ("# [", "#["),
        (" [", "["),
        ("-> ", "-> "),
        (" ->", " ->"),
    ] {
        text = text.replace(apart, together);
    }
    // What closes a list of types and an arrow end alike.
    text.replace(" ->", "->").replace("->", " ->")
}

/// The lines of the public fields of a structure or variant.
fn fields(fields: &Fields, all: bool) -> Vec<String> {
    let counts = |field: &&syn::Field| all || is_public(&field.vis);
    fields
        .iter()
        .filter(counts)
        .map(|field| {
            let name = field.ident.as_ref().map(|name| format!("{name}: "));
            format!("    {}{}", name.unwrap_or_default(), spelled(&field.ty))
        })
        .collect()
}

fn of_impl(item: &ItemImpl) -> Vec<String> {
    let Type::Path(of) = &*item.self_ty else { return Vec::new() };
    let (of, conditions) = (spelled(of), conditions(&item.attrs));
    if let Some((path, _)) = &item.trait_ {
        return vec![format!("{conditions}impl {} for {of}", spelled(path))];
    }
    let functions = item.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) if is_public(&function.vis) => {
            Some(format!("{conditions}{of}: {}", spelled(&function.sig)))
        }
        ImplItem::Const(constant) if is_public(&constant.vis) => {
            Some(format!("{conditions}{of}: const {}: {}", constant.ident, spelled(&constant.ty)))
        }
        _ => None,
    });
    functions.collect()
}

/// The lines of an item, none if it is private.
fn of_item(item: &Item) -> Vec<String> {
    match item {
        Item::Fn(item) if is_public(&item.vis) => {
            vec![format!("{}{}", conditions(&item.attrs), spelled(&item.sig))]
        }
        Item::Use(item) if is_public(&item.vis) => {
            vec![format!("{}use {}", conditions(&item.attrs), spelled(&item.tree))]
        }
        Item::Struct(item) if is_public(&item.vis) => {
            let head = format!("{}struct {}{}", conditions(&item.attrs), item.ident, spelled(&item.generics));
            [vec![head], fields(&item.fields, false)].concat()
        }
        Item::Enum(item) if is_public(&item.vis) => {
            let head = format!("{}enum {}{}", conditions(&item.attrs), item.ident, spelled(&item.generics));
            let variants = item.variants.iter().flat_map(|variant| {
                let fields = fields(&variant.fields, true).into_iter().map(|field| format!("    {field}"));
                std::iter::once(format!("    {}", variant.ident)).chain(fields).collect::<Vec<_>>()
            });
            std::iter::once(head).chain(variants).collect()
        }
        Item::Type(item) if is_public(&item.vis) => {
            vec![format!("{}type {} = {}", conditions(&item.attrs), item.ident, spelled(&item.ty))]
        }
        Item::Const(item) if is_public(&item.vis) => {
            vec![format!("{}const {}: {}", conditions(&item.attrs), item.ident, spelled(&item.ty))]
        }
        Item::Trait(item) if is_public(&item.vis) => vec![spelled(item)],
        // What it makes is not known here; a change of it is one of the list.
        Item::Macro(item) => vec![spelled(item)],
        Item::Impl(item) => of_impl(item),
        _ => Vec::new(),
    }
}

/// The public items of the files of a folder, file by file.
fn listed(folder: &Path) -> String {
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    let mut list = String::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("a file without folders beside it");
        let file = syn::parse_file(&text).expect("Rust");
        list += &format!("# {}\n\n", path.file_name().expect("a file").to_string_lossy());
        file.items.iter().flat_map(of_item).for_each(|line| list += &format!("{line}\n"));
        list.push('\n');
    }
    list
}

#[test]
fn public_items_of_the_library_are_those_of_the_list() {
    let folder = Path::new(CRATE);
    let (found, path) = (listed(&folder.join("src")), folder.join("public-items.txt"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &found).expect("writable");
    }
    let expected = fs::read_to_string(&path).expect("the list (BLESS=1 writes it)");
    assert!(
        found == expected,
        "what programs can use of ptx-llvm has changed: BLESS=1 writes {}, and CHANGELOG.md tells it\n{}",
        path.display(),
        similar::TextDiff::from_lines(&expected, &found).unified_diff()
    );
}

#[test]
fn private_items_are_not_listed() {
    let items =
        |text: &str| syn::parse_file(text).expect("Rust").items.iter().flat_map(of_item).collect::<Vec<_>>();
    assert_eq!(
        items("fn f() {} pub(crate) struct S { pub a: u8 } use a::b; impl S { fn g(&self) {} }"),
        [""; 0]
    );
    assert_eq!(
        items(
            "#[cfg(unix)] pub fn f<T>(a: &[T]) -> Result<Vec<T>, E> { g() } pub struct S { pub a: Vec<u8>, b: u8 }"
        ),
        ["#[cfg(unix)] fn f<T>(a: &[T]) -> Result<Vec<T>, E>", "struct S", "    a: Vec<u8>"]
    );
    assert_eq!(
        items("pub enum E { A, B { c: u8 } } impl E { pub fn h(self) -> u8 { 1 } } impl Clone for E {}"),
        ["enum E", "    A", "    B", "        c: u8", "E: fn h(self) -> u8", "impl Clone for E"]
    );
}

//! Every request on real PTX: formatting keeps the meaning, and every name that the model resolves has a declaration here.

use std::path::{Path, PathBuf};

use ptx_analysis::{Access, Document, folds, format, outline, semantic_tokens};
use ptx_diag::SourceFile;
use ptx_syntax::parse;

/// The PTX files below a folder of the test suite.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test-suite").join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 40, "the corpus");
    found
}

fn texts() -> Vec<(PathBuf, String)> {
    let all: Vec<PathBuf> = files("cases").into_iter().chain(files("corpus")).collect();
    let sample = testing::sample("files of PTX for editors", all, 250);
    let texts = sample.into_iter().filter_map(|path| {
        let text = std::fs::read(&path).expect("a file");
        Some((path, String::from_utf8(text).ok()?))
    });
    texts.collect()
}

#[test]
fn formatting_keeps_the_meaning_and_is_idempotent() {
    let mut valid = 0;
    for (path, text) in texts() {
        let formatted = format(&Document::new(text.as_str()));
        let again = format(&Document::new(formatted.as_str()));
        assert!(
            again == formatted,
            "{}: formatted again it differs\n{formatted}\n----\n{again}",
            path.display()
        );
        let words = |text: &str| text.split_whitespace().collect::<String>();
        assert!(words(&formatted) == words(&text), "{}: words differ", path.display());
        let (module, diagnostics) = parse(&SourceFile::new("before", text.as_str()));
        if diagnostics.has_errors() {
            continue;
        }
        valid += 1;
        let (other, diagnostics) = parse(&SourceFile::new("after", formatted.as_str()));
        assert!(!diagnostics.has_errors(), "{}: {diagnostics:?}\n{formatted}", path.display());
        // Comments inside of statements are moved before them by the parser, where only their order is told.
        assert!(without_comments(&module) == without_comments(&other), "{}", path.display());
    }
    assert!(valid > 100, "{valid} valid files");
}

/// The module as the printer writes it, without comments and empty lines.
fn without_comments(module: &ptx_ir::Module) -> String {
    let printed = ptx_ir::print(module);
    let source = SourceFile::new("printed", printed.as_str());
    let (module, _) = ptx_syntax::parse_with(&source, ptx_syntax::Comments::Dropped);
    ptx_ir::print(&module)
}

#[test]
fn every_name_of_valid_ptx_has_a_declaration() {
    for (path, text) in texts() {
        let (_, diagnostics) = parse(&SourceFile::new("text", text.as_str()));
        if diagnostics.has_errors() {
            continue;
        }
        let document = Document::new(text.as_str());
        for one in document.index().occurrences() {
            let name = document.slice(one.span);
            let special = name.strip_prefix('%').and_then(ptx_isa::SpecialReg::from_ptx);
            // `vprintf` and its like are known to every module only by their declaration.
            if one.symbol.is_none() && special.is_none() && name != "WARP_SZ" {
                let line = document.line_of(one.span.lo) + 1;
                panic!("{}:{line}: `{name}` has no declaration", path.display());
            }
        }
        let declared = document.index().occurrences().iter().filter(|one| one.access == Access::Declare);
        assert!(declared.count() >= document.index().symbols().count(), "{}", path.display());
    }
}

#[test]
fn tokens_folds_and_symbols_are_in_order_and_inside_of_the_text() {
    for (path, text) in texts() {
        let document = Document::new(text.as_str());
        let end = text.len() as u32;
        let tokens = semantic_tokens(&document, 0, end);
        for pair in tokens.windows(2) {
            assert!(pair[0].span.hi <= pair[1].span.lo, "{}: {pair:?}", path.display());
        }
        assert!(tokens.iter().all(|token| token.span.lo < token.span.hi && token.span.hi <= end));
        // A part of the document has the same tokens as the whole.
        let (lo, hi) = (end / 3, end / 2);
        let mut part = semantic_tokens(&document, lo, hi);
        // The modifiers of a mnemonic come with it.
        part.retain(|token| token.span.lo <= hi);
        let first = part.first().map(|token| token.span.lo);
        let expected: Vec<_> =
            tokens.iter().filter(|token| Some(token.span.lo) >= first && token.span.lo <= hi).collect();
        assert!(part.iter().collect::<Vec<_>>() == expected || part.is_empty(), "{}", path.display());
        for fold in folds(&document) {
            assert!(fold.span.lo < fold.span.hi && fold.span.hi <= end, "{}", path.display());
        }
        for root in outline(&document) {
            let inside =
                |inner: ptx_diag::Span, outer: ptx_diag::Span| outer.lo <= inner.lo && inner.hi <= outer.hi;
            assert!(inside(root.name_span, root.span), "{}: {root:?}", path.display());
            for child in &root.children {
                assert!(inside(child.name_span, child.span), "{}: {child:?}", path.display());
            }
        }
    }
}

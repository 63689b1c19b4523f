//! Names and their scopes, by the rules of the manual (4.4, 5.4.6).

use ptx_analysis::{Access, Document, SymbolKind};

/// The declaration (by its number among the name's occurrences) that each occurrence of a name refers to.
fn declarations(text: &str, name: &str) -> Vec<Option<usize>> {
    let document = Document::new(text);
    let places: Vec<usize> = document
        .index()
        .occurrences()
        .iter()
        .filter(|one| document.slice(one.span) == name)
        .map(|one| one.span.lo as usize)
        .collect();
    let of = |at: &usize| {
        let symbol = document.index().symbol(document.index().occurrence_at(*at as u32)?.symbol?)?;
        places.iter().position(|place| *place == symbol.name.lo as usize)
    };
    places.iter().map(of).collect()
}

const HEAD: &str = ".version 7.0\n.target sm_80\n.address_size 64\n";

#[test]
fn inner_declarations_hide_outer_ones_to_the_end_of_their_braces() {
    let text = format!(
        "{HEAD}.func f() {{ .reg .b32 a; mov.b32 a, 1; {{ .reg .b32 a; mov.b32 a, 2; }} mov.b32 a, 3; ret; }}"
    );
    assert_eq!(declarations(&text, "a"), [Some(0), Some(0), Some(2), Some(2), Some(0)]);
}

#[test]
fn labels_are_found_before_and_after_in_the_scopes_around() {
    let text = format!(
        "{HEAD}.func f() {{ bra L; {{ bra L; L: bra L; }} L: {{ bra L; }} ret; }} .func g() {{ bra L; L: ret; }}"
    );
    // The first and the last but three are the outer label, those within the braces the inner one.
    assert_eq!(
        declarations(&text, "L"),
        [Some(4), Some(2), Some(2), Some(2), Some(4), Some(4), Some(7), Some(7)]
    );
}

#[test]
fn a_range_has_the_names_below_its_count() {
    let text = format!("{HEAD}.func f() {{ .reg .b32 %r<3>; mov.b32 %r2, %r3; ret; }}");
    let document = Document::new(text.as_str());
    let found: Vec<(&str, bool)> = document
        .index()
        .occurrences()
        .iter()
        .map(|one| (document.slice(one.span), one.symbol.is_some()))
        .collect();
    assert_eq!(found, [("f", true), ("%r", true), ("%r2", true), ("%r3", false)]);
}

#[test]
fn declarations_and_the_definition_of_a_function_are_one_symbol() {
    let text = format!("{HEAD}.func f();\n.func g() {{ call f; ret; }}\n.func f() {{ ret; }}\n");
    assert_eq!(declarations(&text, "f"), [Some(2), Some(2), Some(2)]);
    let text = format!("{HEAD}.extern .global .u32 v;\n.visible .global .u32 v = 1;\n.global .u64 p = v;");
    assert_eq!(declarations(&text, "v"), [Some(1), Some(1), Some(1)]);
}

#[test]
fn writes_and_reads_are_those_of_the_row() {
    let text = format!(
        "{HEAD}.func f() {{ .reg .b32 a, b; .reg .b64 c; .reg .pred p, q; \
         @p add.s32 a, a, b; setp.eq.s32 p|q, a, b; ld.v2.b32 {{a, b}}, [c+4]; st.b32 [c], a; ret; }}"
    );
    let document = Document::new(text.as_str());
    let accesses = |name: &str| -> Vec<Access> {
        let own = document.index().occurrences().iter().filter(|one| document.slice(one.span) == name);
        own.map(|one| one.access).collect()
    };
    use Access::{Declare, Read, Write};
    assert_eq!(accesses("a"), [Declare, Write, Read, Read, Write, Read]);
    assert_eq!(accesses("b"), [Declare, Read, Read, Write]);
    assert_eq!(accesses("c"), [Declare, Read, Read]);
    assert_eq!(accesses("p"), [Declare, Read, Write]);
    assert_eq!(accesses("q"), [Declare, Write]);
}

#[test]
fn names_in_statements_with_errors_are_found() {
    let text = format!("{HEAD}.func f() {{ .reg .b32 a; mov.b32 a a; mov.b32 a, 1; ret; }}");
    assert_eq!(declarations(&text, "a"), [Some(0); 4]);
}

#[test]
fn labels_of_debug_information_are_those_of_code_and_sections() {
    let text = format!(
        "{HEAD}.func f() {{ $start: ret; $end: }}\n.section .debug_info {{\n.b64 $start\n$info:\n.b32 $info\n}}\n"
    );
    assert_eq!(declarations(&text, "$start"), [Some(0), Some(0)]);
    assert_eq!(declarations(&text, "$info"), [Some(0), Some(0)]);
    let document = Document::new(text.as_str());
    let kinds: Vec<SymbolKind> = document.index().symbols().map(|(_, symbol)| symbol.kind).collect();
    assert_eq!(kinds, [SymbolKind::Function, SymbolKind::Label, SymbolKind::Label, SymbolKind::Label]);
}

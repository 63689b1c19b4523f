//! The three forms of findings, with the expected text written by hand.

use ptx_diag::{
    Code, Color, Detail, Diagnostic, Diagnostics, Finding, Format, MAX_SHOWN, Severity, SourceFile, Span,
    numbers, render,
};

const TEXT: &str = "\
.version 8.0
.target sm_80
.visible .entry k()
{
    add.u33 %r1, %r2, %r3;
}
";

fn findings() -> Diagnostics {
    let at = TEXT.find("add.u33").unwrap() as u32;
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(
        Diagnostic::error(Code("P0201"), Span::new(at + 3, at + 7), "`add` has no modifier `.u33`")
            .with_label("unknown modifier")
            .with_help("did you mean `.u32`?"),
    );
    diagnostics.push(
        Diagnostic::warning(Code("V0001"), Span::new(13, 20), "two targets")
            .with_related(Span::new(0, 8), "the version is here"),
    );
    diagnostics.push(Diagnostic::error_without_place(Code("L0001"), "no such thing"));
    diagnostics
}

#[test]
fn human_form_underlines_the_place_and_counts() {
    let source = SourceFile::new("k.ptx", TEXT);
    let expected = "\
error[P0201]: `add` has no modifier `.u33`
 --> k.ptx:5:8
  |
5 |     add.u33 %r1, %r2, %r3;
  |        ^^^^ unknown modifier
  |
  = help: did you mean `.u32`?

warning[V0001]: two targets
 --> k.ptx:2:1
  |
2 | .target sm_80
  | ^^^^^^^
  |
 ::: k.ptx:1:1
  |
1 | .version 8.0
  | -------- the version is here

error[L0001]: no such thing
--> k.ptx

2 errors, 1 warning
";
    assert_eq!(render(&source, &findings(), Format::Human(Color::Never)), expected);
}

#[test]
fn a_finding_has_what_is_known_of_a_diagnostic() {
    let source = SourceFile::new("k.ptx", TEXT);
    let all: Vec<Finding> = findings().iter().map(|found| Finding::new(&source, found)).collect();
    let [add, targets, thing] = all.as_slice() else { panic!("three diagnostics") };
    let place = add.position.expect("a location");
    assert_eq!((add.code, place.line, place.column, add.is_error), ("P0201", 5, 8, true));
    assert_eq!(add.help.as_deref(), Some("did you mean `.u32`?"));
    assert_eq!((targets.severity, targets.is_error, &targets.help), (Severity::Warning, false, &None));
    assert_eq!(targets.related, ["k.ptx:1:1: the version is here"]);
    assert_eq!((thing.position, thing.text.as_str()), (None, "k.ptx: error[L0001]: no such thing"));
    let human = all.iter().map(|finding| finding.human.as_str()).collect::<Vec<_>>().join("\n\n");
    let numbers = numbers(all.iter().map(|finding| finding.severity));
    assert_eq!(numbers, "2 errors, 1 warning");
    // One after the other they are the human form of all.
    assert_eq!(render(&source, &findings(), Format::Human(Color::Never)), format!("{human}\n\n{numbers}\n"));
}

#[test]
fn short_form_has_one_line_a_finding() {
    let source = SourceFile::new("k.ptx", TEXT);
    let expected = "\
k.ptx:5:8: error[P0201]: `add` has no modifier `.u33`
k.ptx:2:1: warning[V0001]: two targets
k.ptx: error[L0001]: no such thing
";
    assert_eq!(render(&source, &findings(), Format::Short), expected);
}

#[test]
fn json_form_has_exactly_the_seven_keys() {
    let source = SourceFile::new("k.ptx", TEXT);
    let expected = concat!(
        r#"{"file":"k.ptx","line":5,"column":8,"severity":"error","code":"P0201","#,
        r#""message":"`add` has no modifier `.u33`","help":"did you mean `.u32`?"}"#,
        "\n",
        r#"{"file":"k.ptx","line":2,"column":1,"severity":"warning","code":"V0001","#,
        r#""message":"two targets","help":null}"#,
        "\n",
        r#"{"file":"k.ptx","line":null,"column":null,"severity":"error","code":"L0001","#,
        r#""message":"no such thing","help":null}"#,
        "\n",
    );
    assert_eq!(render(&source, &findings(), Format::Json), expected);
}

#[test]
fn json_form_has_details_and_the_places_that_go_with_them() {
    let source = SourceFile::new("k.ptx", TEXT);
    let mut found = Diagnostics::new();
    let lo = TEXT.find("add").unwrap() as u32;
    let finding = Diagnostic::error(Code("X0203"), Span::new(lo, lo + 3), "deadlock")
        .with_related(Span::new(0, 4), "waits here")
        .with_detail("kernel", Detail::Text("k".to_owned()))
        .with_detail("block", Detail::Index([1, 2, 3]))
        .with_detail("bytes", Detail::Number(4));
    found.push(finding);
    let position = source.position(lo);
    let expected = format!(
        concat!(
            r#"{{"file":"k.ptx","line":{},"column":{},"severity":"error","code":"X0203","message":"deadlock","help":null,"#,
            r#""details":{{"block":[1,2,3],"bytes":4,"kernel":"k"}},"related":[{{"line":1,"column":1,"message":"waits here"}}]}}"#,
            "\n"
        ),
        position.line, position.column
    );
    assert_eq!(render(&source, &found, Format::Json), expected);
}

#[test]
fn ansi_colours_are_only_added_to_the_text() {
    let source = SourceFile::new("k.ptx", TEXT);
    let styled = render(&source, &findings(), Format::Human(Color::Always));
    let mut plain = String::new();
    let mut rest = styled.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    assert!(styled.len() > plain.len());
    assert_eq!(plain, render(&source, &findings(), Format::Human(Color::Never)));
}

#[test]
fn nothing_is_rendered_for_no_findings() {
    let source = SourceFile::new("k.ptx", TEXT);
    for format in [Format::Human(Color::Never), Format::Human(Color::Always), Format::Short, Format::Json] {
        assert_eq!(render(&source, &Diagnostics::new(), format), "");
    }
}

fn one(lo: u32, hi: u32) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(Diagnostic::error(Code("P0001"), Span::new(lo, hi), "bad"));
    diagnostics
}

#[test]
fn bytes_that_are_not_utf8_show_as_replacement_characters() {
    let source = SourceFile::new("b", b"a\xff\xfeb\x00c".to_vec());
    let expected = "\
error[P0001]: bad
 --> b:1:4
  |
1 | a\u{fffd}\u{fffd}b\u{fffd}c
  |    ^

1 error
";
    assert_eq!(render(&source, &one(3, 4), Format::Human(Color::Never)), expected);
}

#[test]
fn a_span_past_the_end_means_the_end() {
    let source = SourceFile::new("b", "ab\ncd");
    assert_eq!(render(&source, &one(900, 950), Format::Short), "b:2:3: error[P0001]: bad\n");
    let human = render(&source, &one(900, 950), Format::Human(Color::Never));
    assert!(human.contains(" --> b:2:3\n") && human.contains("2 | cd\n  |   ^"), "{human}");
    let empty = SourceFile::new("b", "");
    assert_eq!(render(&empty, &one(0, 0), Format::Short), "b:1:1: error[P0001]: bad\n");
    assert!(render(&empty, &one(7, 3), Format::Human(Color::Never)).contains("--> b:1:1"));
}

#[test]
fn control_characters_cannot_break_the_short_line() {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(Diagnostic::error(Code("P0001"), Span::new(0, 1), "bad `\x1b[31m\n`"));
    let source = SourceFile::new("b", "x");
    assert_eq!(render(&source, &diagnostics, Format::Short), "b:1:1: error[P0001]: bad `\\u{1b}[31m\\n`\n");
}

#[test]
fn a_long_line_is_quoted_near_the_place_with_its_true_column() {
    let mut text = "x".repeat(100_000);
    text.replace_range(70_000..70_001, "!");
    let source = SourceFile::new("b", text);
    let human = render(&source, &one(70_000, 70_001), Format::Human(Color::Never));
    assert!(human.contains("--> b:1:70001\n"), "{human}");
    let near = format!("note: near `{}!{}`", "x".repeat(40), "x".repeat(79));
    assert!(human.contains(&near), "{human}");
    assert!(human.len() < 400, "{}", human.len());
}

#[test]
fn thousands_of_findings_on_one_huge_line_take_one_sweep() {
    // 100 MB and 20,000 findings: one pass takes well under a second, a pass for each would take hours.
    let source = SourceFile::new("b", vec![b'y'; 100 << 20]);
    let mut diagnostics = Diagnostics::new();
    for index in (0..20_000).rev() {
        let at = index * 5_000;
        diagnostics.push(Diagnostic::error(Code("P0001"), Span::new(at, at + 1), "bad"));
    }
    let start = std::time::Instant::now();
    let short = render(&source, &diagnostics, Format::Short);
    let human = render(&source, &diagnostics, Format::Human(Color::Never));
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    assert!(short.starts_with("b:1:99995001: error"));
    assert!(short.ends_with("b:1:1: error[P0001]: bad\n"));
    assert_eq!(short.lines().count(), 20_000);
    assert_eq!(human.matches("error[P0001]").count(), MAX_SHOWN);
    assert!(human.ends_with("... and 19900 more\n20000 errors\n"));
}

#[test]
fn errors_are_shown_before_warnings_when_not_all_fit() {
    let mut diagnostics = Diagnostics::new();
    for _ in 0..MAX_SHOWN {
        diagnostics.push(Diagnostic::warning(Code("V0002"), Span::new(0, 1), "odd"));
    }
    diagnostics.push(Diagnostic::error(Code("P0001"), Span::new(0, 1), "bad"));
    let human = render(&SourceFile::new("b", "x"), &diagnostics, Format::Human(Color::Never));
    assert_eq!(human.matches("warning[V0002]").count(), MAX_SHOWN - 1);
    assert_eq!(human.matches("error[P0001]").count(), 1);
    assert!(human.ends_with("... and 1 more\n1 error, 100 warnings\n"));
}

#[test]
fn columns_count_characters_not_bytes() {
    let source = SourceFile::new("b", "é€x\n");
    let position = source.position(5);
    assert_eq!((position.line, position.column), (1, 3));
    assert_eq!(source.positions(&[5, 0, 2]).iter().map(|p| p.column).collect::<Vec<_>>(), [3, 1, 2]);
}

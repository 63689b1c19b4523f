//! Requests on strange texts: none panics, and all take time linear in the text.

use std::time::Duration;

use ptx_analysis::{
    Change, Document, Encoding, Position, completions, folds, format, hover, outline, rename,
    semantic_tokens, version_hints,
};

fn ask_everything(document: &Document, offset: u32) {
    let end = document.text().len() as u32;
    hover(document, offset);
    completions(document, offset);
    let _ = rename(document, offset, "name");
    semantic_tokens(document, offset, end);
    version_hints(document, 0, offset);
}

#[test]
fn every_offset_of_texts_with_random_changes_is_answered() {
    let seeds = [
        include_str!("../../../../test-suite/cases/parse/comments_and_debug.ptx"),
        include_str!("../../../../test-suite/cases/parse/declarations.ptx"),
        include_str!("../../../../test-suite/cases/parse/modifiers.ptx"),
    ];
    let words =
        ["{", "}", ";", "\"", "/*", "//", "<", "(", ".", ".reg", ".entry", "é", "\n", "\0", "@", ":", " = "];
    let mut random = fastrand::Rng::with_seed(11);
    let rounds = testing::count("rounds of random changes", 4000, 400);
    for round in 0..rounds {
        let mut text = seeds[round % seeds.len()].to_owned();
        for _ in 0..random.usize(1..5) {
            let at = text.floor_char_boundary(random.usize(0..=text.len()));
            let end = text.floor_char_boundary((at + random.usize(0..20)).min(text.len())).max(at);
            text.replace_range(at..end, random.choice(words).unwrap());
        }
        let document = Document::new(text.as_str());
        for _ in 0..5 {
            ask_everything(&document, random.u32(0..=text.len() as u32 + 1));
        }
        folds(&document);
        outline(&document);
        let formatted = format(&document);
        let own =
            |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '\u{1A}').collect::<String>();
        assert_eq!(own(&formatted), own(&text), "formatting changed a word of {text}");
        ptx_analysis::check(&text);
    }
}

/// A text of some repetitions.
type Text = Box<dyn Fn(usize) -> String>;

/// Processor time of this thread: other work on the machine does not count.
fn clock() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a clock of run time is not negative")
}

/// The time that everything takes for a text of `count` repetitions.
fn time(build: &dyn Fn(usize) -> String, count: usize) -> Duration {
    let text = build(count);
    let start = clock();
    let document = Document::new(text.as_str());
    ask_everything(&document, text.len() as u32 / 2);
    folds(&document);
    outline(&document);
    format(&document);
    clock() - start
}

#[test]
fn time_is_linear_in_strange_texts() {
    let head = ".version 7.0\n.target sm_80\n.address_size 64\n.func f()\n{\n";
    let shapes: [(&str, Text); 8] = [
        (
            "instructions",
            Box::new(move |n| format!("{head}.reg .b32 %r<9>;\n{}", "add.s32 %r1, %r2, %r3;\n".repeat(n))),
        ),
        ("one line", Box::new(move |n| format!("{head}{}", "bra L; ".repeat(n)))),
        (
            "labels",
            Box::new(move |n| {
                format!("{head}{}", (0..n).map(|i| format!("L{i}: bra L{i};\n")).collect::<String>())
            }),
        ),
        ("braces", Box::new(move |n| format!("{head}{}", "{ bra L;\n".repeat(n)))),
        ("errors", Box::new(move |n| format!("{head}{}", "add é ;;;\n".repeat(n)))),
        ("comments", Box::new(move |n| format!("{head}{}", "// é\n/* */".repeat(n)))),
        (
            "declarations",
            Box::new(move |n| {
                format!("{head}{}", (0..n).map(|i| format!(".reg .b32 a{i};\n")).collect::<String>())
            }),
        ),
        (
            "functions",
            Box::new(|n| (0..n).map(|i| format!(".func f{i}() {{ call f{i}; ret; }}\n")).collect()),
        ),
    ];
    for (name, build) in &shapes {
        // The least of three: the first one also allocates.
        let least = |count| (0..3).map(|_| time(build, count)).min().unwrap();
        let (small, large) = (least(2_000), least(16_000));
        // Eight times the text: quadratic time would be 64 times as long.
        assert!(large < small * 24 + Duration::from_millis(20), "{name}: {small:?}, then {large:?}");
    }
}

#[test]
fn changes_give_the_document_of_the_new_text() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut document = Document::new(".version 7.0\r\n.target sm_80\n// 😀é\n");
    for _ in 0..500 {
        let line = random.u32(0..5);
        let at = |column| Position { line, column };
        let (start, end) = (at(random.u32(0..12)), at(random.u32(0..12)));
        let text = (*random.choice(&["", "a", "\n", "\r", "😀", "x\r\n"]).unwrap()).to_owned();
        document = document.changed([Change { range: Some((start, end)), text }], Encoding::Utf16);
        let fresh = Document::new(document.text());
        for offset in 0..=document.text().len() as u32 {
            let position = |document: &Document| document.positions(Encoding::Utf16).at(offset);
            assert_eq!(position(&document), position(&fresh));
        }
    }
}

#[test]
fn the_ends_of_lines_stay_those_of_the_text() {
    for text in [
        include_str!("../../../../test-suite/cases/parse/comments_and_debug.ptx"),
        include_str!("../../../../test-suite/cases/parse/declarations.ptx"),
    ] {
        let untidy = text.replace(", ", ",").replace(";\n", " ;\n\n\n");
        let formatted = format(&Document::new(untidy.as_str()));
        let other = format(&Document::new(untidy.replace('\n', "\r\n")));
        assert_eq!(other, formatted.replace('\n', "\r\n"));
    }
}

#[test]
fn formatting_is_the_printers_layout() {
    let text = "\
.version 7.0 .target sm_80
.address_size 64
.extern .func (.param .b32 r) f (.param .b64 a) .noreturn ;
.global .align 4 .b8 t [4]={1,2, 3,4};
.visible .entry k ( .param .u64 p , // first
 .param .u32 n ) .maxntid 128,1 , 1 .pragma \"nounroll\"; {
.reg .b32 %r <10>; .reg .pred p,q;
@ ! p   add.s32 %r1,%r2 , -7;bra L1;   // done
   L1 : ld .global .u32 %r1,[ %rd1 + 4 ];
setp.lt.s32 p | q, %r1, 4;
{ call.uni (r), f, (x, x);
} ret; }
";
    let expected = "\
.version 7.0
.target sm_80
.address_size 64

.extern .func (.param .b32 r) f(
\t.param .b64 a
)
.noreturn
;
.global .align 4 .b8 t[4] = {1,2, 3,4};

.visible .entry k(
\t.param .u64 p, // first
\t.param .u32 n
)
.maxntid 128, 1, 1
.pragma \"nounroll\";
{
\t.reg .b32 \t%r<10>;
\t.reg .pred \tp, q;
\t@!p add.s32 \t%r1, %r2, -7;
\tbra \tL1; // done

L1:
\tld .global .u32 \t%r1, [%rd1+4];
\tsetp.lt.s32 \tp|q, %r1, 4;
\t{
\tcall.uni \t(r), f, (x, x);
\t}
\tret;
}
";
    assert_eq!(format(&Document::new(text)), expected);
}

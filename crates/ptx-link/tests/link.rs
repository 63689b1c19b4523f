//! Units that link, and what they link to; units that do not, and what is said of them.
//!
//! What is accepted and refused was held against nvlink 13.

use ptx_diag::{Diagnostics, SourceFile};
use ptx_ir::Module;
use ptx_link::{Sources, Unit, link};

const HEAD: &str = ".version 7.5\n.target sm_80\n.address_size 64\n";

fn read(source: &SourceFile) -> Module {
    let (module, found) = ptx_syntax::parse(source);
    assert!(!found.has_errors(), "{found:?}");
    if let Err(found) = ptx_verify::verify(&module) {
        panic!("{found:?}");
    }
    module
}

fn linked(texts: &[&str]) -> (Result<(Module, Diagnostics), Diagnostics>, Sources) {
    let named = texts.iter().enumerate().map(|(at, text)| {
        let text = if text.starts_with(".version") { (*text).to_owned() } else { format!("{HEAD}{text}") };
        SourceFile::new(format!("{}.ptx", ["a", "b", "c"][at]), text)
    });
    let files: Vec<SourceFile> = named.collect();
    let modules: Vec<Module> = files.iter().map(read).collect();
    let sources = Sources::new(files.clone()).expect("small");
    let units: Vec<Unit<'_>> =
        modules.iter().zip(&files).map(|(module, source)| Unit { module, source }).collect();
    (link(&units, &sources), sources)
}

/// The text of the linked module, which reads back and passes the verifier.
fn text(texts: &[&str]) -> String {
    let (result, sources) = linked(texts);
    let (module, _) = result.unwrap_or_else(|found| panic!("{:?}", sources.split(&found)));
    if let Err(found) = ptx_verify::verify(&module) {
        panic!("{:?}\n{}", found, ptx_ir::print(&module));
    }
    let text = ptx_ir::print(&module);
    read(&SourceFile::new("linked.ptx", text.as_str()));
    text
}

/// What is said when units do not link: file, line and message.
fn refusal(texts: &[&str]) -> Vec<String> {
    let (result, sources) = linked(texts);
    let found = result.expect_err("a refusal");
    let mut lines = Vec::new();
    for (source, findings) in sources.split(&found) {
        for finding in &findings {
            let line = finding.span.map_or(0, |span| source.position(span.lo).line);
            lines.push(format!("{}:{line}: {} {}", source.name(), finding.code.0, finding.message));
        }
    }
    lines
}

#[test]
fn declaration_gives_way_to_the_definition_of_another_unit() {
    let text = text(&[
        ".extern .global .align 4 .b32 x;\n.extern .func f();\n.visible .entry k()\n{\n.reg .b32 %r<2>;\nld.global.b32 %r1, [x];\ncall.uni f, ();\nret;\n}\n",
        ".visible .global .align 8 .b32 x = 5;\n.visible .func f() { ret; }\n",
    ]);
    assert!(!text.contains(".extern"), "{text}");
    assert_eq!(text.matches("x = 5").count(), 1, "{text}");
    assert!(text.find("x = 5") < text.find(".entry k"), "{text}");
    assert!(text.contains(".visible .func f()\n;"), "{text}");
}

#[test]
fn strong_beats_weak_and_weak_beats_common() {
    let linked = text(&[
        ".weak .global .u32 x = 1;\n.common .global .u32 y;\n",
        ".visible .global .u32 x = 2;\n.weak .global .u32 y = 3;\n",
        ".weak .global .u32 x = 4;\n.weak .global .u32 y = 5;\n",
    ]);
    assert!(linked.contains(".visible .global .u32 x = 2;") && linked.contains(".weak .global .u32 y = 3;"));
    assert_eq!((linked.matches(" x").count(), linked.matches(" y").count()), (1, 1), "{linked}");

    let linked = text(&[".weak .func f() { ret; }\n", ".visible .func f() { trap; ret; }\n"]);
    assert!(linked.contains("trap") && linked.matches("ret;").count() == 1, "{linked}");
}

#[test]
fn larger_common_variable_is_taken() {
    let linked = text(&[".common .global .u32 x;\n", ".common .global .u64 x;\n"]);
    assert!(linked.contains(".common .global .u64 x;") && !linked.contains(".u32 x"), "{linked}");
}

#[test]
fn things_of_one_unit_get_names_of_their_own() {
    let unit = ".global .u32 x = 1;\n.func f()\n{\n.reg .b32 %r<2>;\nld.global.u32 %r1, [x];\nret;\n}\n";
    let linked = text(&[unit, unit, ".visible .global .u32 f__1;\n"]);
    assert!(linked.contains("[x]") && linked.contains("[x__1]"), "{linked}");
    // `f__1` is taken.
    assert!(linked.contains(".func f()") && linked.contains(".func f__2()"), "{linked}");
    let linked = text(&[".global .u32 x = 1;\n", ".visible .global .u32 x = 2;\n"]);
    assert!(linked.contains(".global .u32 x__0 = 1;") && linked.contains(".visible .global .u32 x = 2;"));
}

#[test]
fn initial_values_name_what_stands_before_them() {
    let linked = text(&[
        ".extern .global .align 8 .b64 p;\n.extern .global .align 4 .b32 x;\n.visible .entry k() { ret; }\n",
        ".extern .func f();\n.visible .global .u64 p[2] = {x2, f};\n.visible .entry l() { ret; }\n"
            .replace("x2", "q")
            .replace(".visible .global .u64 p[2]", ".visible .global .u64 q;\n.visible .global .u64 p2[2]")
            .as_str(),
        ".visible .global .u32 x = 1;\n.visible .global .u64 p = x;\n.visible .func f() { ret; }\n",
    ]);
    assert!(linked.find("x = 1") < linked.find("p = x"), "{linked}");
    assert!(linked.find(".func f()") < linked.find("p2[2] = {q, f}"), "{linked}");
}

#[test]
fn two_definitions_are_refused_at_both_places() {
    assert_eq!(
        refusal(&[".visible .global .u32 x = 1;\n", "\n.visible .global .u32 x = 2;\n"]),
        ["b.ptx:5: K0001 `x` is defined twice (first defined at a.ptx:4:23)"]
    );
    assert_eq!(
        refusal(&[".visible .entry k() { ret; }\n", ".visible .entry k() { ret; }\n"]),
        ["b.ptx:4: K0001 `k` is defined twice (first defined at a.ptx:4:17)"]
    );
}

#[test]
fn registers_and_local_variables_of_a_module_are_not_linked() {
    let old = ".version 2.3\n.target sm_20\n.reg .u32 r;\n.local .u32 l;\n";
    let text = |line: u32, name: &str| {
        format!(
            "a.ptx:{line}: K0003 `{name}` is declared outside of functions, and no other module can be linked to this one"
        )
    };
    assert_eq!(refusal(&[old, ".visible .entry k() { ret; }\n"]), [text(3, "r"), text(4, "l")]);
}

#[test]
fn declarations_that_do_not_agree_are_refused() {
    let cases = [
        (".visible .global .u32 x = 1;\n", ".extern .global .u64 x;\n", "a different size"),
        (".visible .global .u32 x = 1;\n", ".extern .const .u32 x;\n", "a different state space"),
        (".visible .global .u32 x = 1;\n", ".extern .global .align 16 .u32 x;\n", "a higher alignment"),
        (".weak .global .u32 x = 1;\n", ".weak .global .u64 x = 1;\n", "a different size"),
        (
            ".visible .func f(.param .b32 a) { ret; }\n",
            ".extern .func f(.param .b32 a, .param .b32 b);\n",
            "a different number of parameters",
        ),
        (
            ".visible .func f(.param .b32 a) { ret; }\n",
            ".extern .func (.param .b32 r) f(.param .b32 a);\n",
            "a different number of results",
        ),
        (
            ".visible .func f(.param .b32 a) { ret; }\n",
            ".extern .func f(.param .b64 a);\n",
            "a different size of a parameter",
        ),
        (
            ".visible .func f(.param .align 4 .b8 a[16]) { ret; }\n",
            ".extern .func f(.param .align 16 .b8 a[16]);\n",
            "a different alignment of a parameter",
        ),
        (
            ".visible .func f(.param .b32 a) { ret; }\n",
            ".extern .func f(.reg .b32 a);\n",
            "a parameter or result in a different place",
        ),
    ];
    for (first, second, what) in cases {
        let said = refusal(&[first, second]);
        assert!(
            matches!(said.as_slice(), [one] if one.starts_with("b.ptx:4: K0002") && one.contains(what) && one.contains("a.ptx:4:")),
            "{first}{second}{said:?}"
        );
    }
    let said = refusal(&[".visible .global .u32 f;\n", ".extern .func f();\n"]);
    assert!(matches!(said.as_slice(), [one] if one.contains("function in one input")), "{said:?}");
}

#[test]
fn open_shared_memory_is_one_with_the_highest_alignment() {
    let linked = text(&[
        ".extern .shared .align 4 .b8 s[];\n.visible .entry k()\n{\n.reg .b32 %r<2>;\nld.shared.b32 %r1, [s];\nret;\n}\n",
        ".extern .shared .align 16 .b8 s[];\n.visible .entry l()\n{\n.reg .b32 %r<2>;\nld.shared.b32 %r1, [s];\nret;\n}\n",
    ]);
    assert_eq!(linked.matches(".extern .shared .align 16 .b8 s[];").count(), 1, "{linked}");
    assert_eq!(linked.matches(".extern").count(), 1, "{linked}");
}

#[test]
fn highest_version_and_the_target_that_all_run_on() {
    let linked = text(&[
        ".version 7.0\n.target sm_75\n.address_size 64\n",
        ".version 8.0\n.target sm_90a\n.address_size 64\n",
        ".version 7.8\n.target sm_80, debug\n.address_size 64\n.section .debug_info\n{\n.b8 1\n}\n",
    ]);
    assert!(linked.starts_with(".version 8.0\n.target sm_90a, debug\n.address_size 64\n"), "{linked}");
    let said = refusal(&[
        ".version 8.8\n.target sm_90a\n.address_size 64\n",
        ".version 8.8\n.target sm_100\n.address_size 64\n",
    ]);
    assert_eq!(
        said,
        ["a.ptx:2: K0003 code for sm_90a does not run on sm_100 (the target sm_100 is chosen at b.ptx:2:1)"]
    );
    let said = refusal(&[
        ".version 7.5\n.target sm_80\n.address_size 64\n",
        ".version 7.5\n.target sm_80, texmode_independent\n.address_size 64\n",
    ]);
    assert!(
        matches!(said.as_slice(), [one] if one.starts_with("b.ptx:2: K0003 `texmode_independent`")),
        "{said:?}"
    );
}

/// A kernel with one line of file 1 and DWARF sections that name it.
fn with_debug_information(name: &str, file: &str) -> String {
    format!(
        ".version 7.5\n.target sm_80\n.address_size 64\n.file 1 \"{file}\"\n.visible .entry {name}()\n{{\n$L__begin:\n.loc 1 5 3\n.loc 1 6 1, function_name $L__name, inlined_at 1 5 3\nret;\n}}\n\
         .section .debug_str\n{{\n$L__name:\n.b8 102, 0\n}}\n.section .debug_info\n{{\n.b32 .debug_str\n.b64 $L__begin\n}}\n"
    )
}

#[test]
fn files_get_numbers_of_their_own_and_lines_follow() {
    let (one, two) = (with_debug_information("k", "a.cu"), with_debug_information("l", "b.cu"));
    let (result, sources) = linked(&[&one, &two]);
    let (module, warnings) = result.expect("they link");
    let linked = ptx_ir::print(&module);
    assert!(linked.contains(".file\t1 \"a.cu\"") && linked.contains(".file\t2 \"b.cu\""), "{linked}");
    assert!(linked.contains(".loc\t2 6 1, function_name $L__name_1, inlined_at 2 5 3"), "{linked}");
    assert_eq!(linked.matches(".section").count(), 2, "{linked}");
    // The second unit's data would name the wrong files.
    assert_eq!(linked.matches(".b64").count(), 1, "{linked}");
    let split = sources.split(&warnings);
    let lines: Vec<_> = split.iter().map(|(source, found)| (source.name(), found.len())).collect();
    assert_eq!(lines, [("b.ptx", 1)]);
}

#[test]
fn sections_of_one_name_become_one_and_their_labels_differ() {
    let (one, two) = (with_debug_information("k", "a.cu"), with_debug_information("l", "a.cu"));
    let linked = text(&[&one, &two]);
    assert_eq!(linked.matches(".file").count(), 1, "{linked}");
    assert_eq!(linked.matches(".section").count(), 2, "{linked}");
    for word in
        ["$L__begin:", "$L__begin_1:", ".b64 $L__begin_1", "$L__name_1:", ".b32 $L__start_debug_str_1"]
    {
        assert!(linked.contains(word), "{word} is missing in\n{linked}");
    }
}

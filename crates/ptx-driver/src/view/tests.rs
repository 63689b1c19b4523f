use std::collections::{BTreeMap, BTreeSet};

use ptx_diag::Diagnostic;
use ptx_llvm_core::Context;
use ptx_report::{EdgeKind, Place, Remark};

use super::*;
use crate::lines::locate_lines;
use crate::program::read_program;
use crate::ptx_leg::lower;

const LOOP: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
    .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p1;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, 0;
AGAIN:
    add.s32 %r2, %r2, 5;
    st.global.u32 [%rd2], %r2;
    setp.lt.s32 %p1, %r2, %r1;
    @%p1 bra AGAIN;
    ret;
}
";

/// Without the hints, so that the pages have what the translation keeps.
fn viewed(name: &str, text: &str) -> View {
    let files = vec![SourceFile::new(name, text)];
    let program = read_program(files, TargetChoice::default(), Comments::Dropped).expect("valid");
    let mut located = program.module.clone();
    locate_lines(&mut located, &program.sources);
    let (verified, _) = ptx_verify::verify(&located).expect("valid");
    let context = Context::new().expect("LLVM 22");
    let lowered = lower(verified, &context).expect("lowers");
    let translated = Translated::new(lowered.to_text(), lowered);
    view(&program.sources, &program.module, Some(&translated), &[])
}

/// For each line of the input the texts of a column that are linked to it.
fn linked(column: &Column) -> BTreeMap<u32, Vec<&str>> {
    let mut linked: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for line in column.sections.iter().flat_map(|section| &section.lines) {
        if let Some(place) = line.places.first() {
            linked.entry(place.line).or_default().push(line.text.trim());
        }
    }
    linked
}

#[test]
fn lines_are_linked_both_ways() {
    for name in ["k.ptx", "a b/\u{e9}\"\\k.ptx", "<stdin>"] {
        let view = viewed(name, LOOP);
        let [ptx, llvm, raised] = &view.columns[..] else { panic!("three columns: {view:?}") };
        let (of_llvm, of_raised) = (linked(llvm), linked(raised));
        assert_eq!(
            of_llvm.get(&13),
            Some(&vec!["store i32 %r2.1, ptr addrspace(1) %rd2, align 4"]),
            "{name}"
        );
        assert_eq!(of_raised.get(&13), Some(&vec!["st.global.b32 \t[%rd2], %r2;"]), "{of_raised:?}");
        // Each instruction of the input is in both, but for the constant, which is an operand in LLVM IR.
        let all: BTreeSet<u32> = (7..=16).filter(|line| *line != 11).collect();
        assert_eq!(of_raised.keys().copied().collect::<BTreeSet<u32>>(), all, "{of_raised:?}");
        let known = linked(ptx);
        assert!(of_llvm.keys().chain(of_raised.keys()).all(|line| known.contains_key(line)));
    }
}

#[test]
fn columns_are_the_translation_without_debug_information() {
    let view = viewed("k.ptx", LOOP);
    let text = |column: &Column| -> String {
        column
            .sections
            .iter()
            .flat_map(|section| &section.lines)
            .map(|line| line.text.clone() + "\n")
            .collect()
    };
    assert_eq!(text(&view.columns[0]), LOOP);
    let program =
        read_program(vec![SourceFile::new("k.ptx", LOOP)], TargetChoice::default(), Comments::Dropped)
            .expect("valid");
    let (verified, _) = ptx_verify::verify(&program.module).expect("valid");
    let context = Context::new().expect("LLVM 22");
    let mut lowered = lower(verified, &context).expect("lowers");
    // Metadata has other numbers.
    let body = |text: &str| {
        text.lines()
            .take_while(|line| !line.starts_with('!'))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let shown = text(&view.columns[1]);
    let digits = |text: &str| text.replace(|digit: char| digit.is_ascii_digit(), "0");
    assert_eq!(digits(&body(&shown)), digits(&body(&lowered.to_text())));
    assert!(!shown.contains("!DI") && !shown.contains("!dbg") && !shown.contains("ptx.file"), "{shown}");
    let (raised, _) = raise(&mut lowered, TargetChoice::default()).expect("raises");
    assert_eq!(text(&view.columns[2]), ptx_ir::print(&raised));
}

#[test]
fn graphs_are_those_of_the_function() {
    let view = viewed("k.ptx", LOOP);
    let [function] = &view.functions[..] else { panic!("one function") };
    assert_eq!((function.name.as_str(), function.instructions), ("k", 9));
    let edges: Vec<_> = function.flow.edges.iter().map(|edge| (edge.from, edge.to, edge.kind)).collect();
    assert_eq!(edges, [(0, 1, EdgeKind::Only), (1, 1, EdgeKind::Taken), (1, 2, EdgeKind::Next)]);
    assert_eq!(function.flow.nodes[1].title, "AGAIN · lines 12–15");
    assert_eq!(function.flow.nodes[1].text[1], "st.global.u32 [%rd2], %r2");
    let tree: Vec<_> = function.dominators.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(tree, [(0, 1), (1, 2)]);
    let [of_ptx, of_raised] = &function.pressure[..] else { panic!("two curves") };
    // %rd1, %r1; %rd2 takes the place of %rd1; %r2.
    let values: Vec<u32> = of_ptx.points.iter().map(|point| point.value).collect();
    assert_eq!(values, [2, 3, 3, 4, 4, 4, 4, 4, 0]);
    assert_eq!(of_ptx.points[4].place, Some(Place { file: 0, line: 12 }));
    assert_eq!(of_raised.points.len(), 9);
}

#[test]
fn accesses_that_cost_more_than_they_have_to_have_notes() {
    let notes = |view: &View| -> Vec<(u32, String, usize)> {
        let lines = view.columns[0].sections.iter().flat_map(|section| &section.lines);
        let remarks = lines.flat_map(|line| &line.remarks);
        let note = |remark: &Remark| {
            (remark.place.expect("a line").line, remark.message.clone(), remark.details.len())
        };
        remarks.map(note).collect()
    };
    assert!(notes(&viewed("k.ptx", LOOP)).is_empty());
    let strided = LOOP
        .replace(
            "add.s32 %r2, %r2, 5;",
            "mov.u32 %r3, %tid.x; mad.wide.u32 %rd2, %r3, 128, %rd1; add.s32 %r2, %r2, 5;",
        )
        .replace("ret;", ".shared .b8 s[4096]; mov.u32 %r1, s; mad.lo.u32 %r3, %r3, 8, %r1;\n st.shared.u32 [%r3], 0; ret;");
    let view = viewed("k.ptx", &strided);
    let sectors = "a warp touches 32 sectors of memory, and needs 4".to_owned();
    let conflicts = "conflicts of banks take a warp 1 more cycle".to_owned();
    assert_eq!(notes(&view), [(13, sectors, 1), (17, conflicts, 1)]);
    // They are no diagnostics.
    assert!(view.remarks.is_empty());
}

#[test]
fn diagnostics_are_at_their_lines() {
    let file = SourceFile::new("k.ptx", "first\n  wrong here\nlast");
    let mut found = Diagnostics::new();
    let span = ptx_diag::Span::new(8, 13);
    found.push(Diagnostic::error(crate::code::SYNTAX, span, "this is wrong").with_help("correct it"));
    found.push(Diagnostic::warning_without_place(crate::code::SYNTAX, "of all"));
    let view = view_of_rejected(std::slice::from_ref(&file), &[(file.clone(), found)]);
    let lines: Vec<_> = view.columns[0].sections.iter().flat_map(|section| &section.lines).collect();
    let [remark] = &lines[1].remarks[..] else { panic!("one remark: {lines:?}") };
    assert_eq!(remark.part.clone().and_then(|part| lines[1].text.get(part)), Some("wrong"));
    assert_eq!(remark.details, ["help: correct it"]);
    assert_eq!((view.remarks.len(), view.remarks[1].place), (2, None));
    let page = view.to_html();
    assert!(page.contains("  <mark class=\"error\">wrong</mark> here"), "{page}");
}

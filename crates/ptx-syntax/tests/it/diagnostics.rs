//! What the reader reports about wrong texts, and how it recovers.

use crate::common::{HEAD, findings, findings_in_kernel};
use ptx_diag::SourceFile;

/// The help of the only finding.
fn help(text: &str) -> String {
    let source = SourceFile::new("test.ptx", format!("{HEAD}{text}"));
    let (_, findings) = ptx_syntax::parse(&source);
    let [finding] = findings.iter().collect::<Vec<_>>()[..] else { panic!("one finding: {findings:?}") };
    finding.help.clone().unwrap_or_default()
}

#[test]
fn an_unknown_instruction_is_told_with_the_nearest() {
    assert_eq!(findings_in_kernel("ad.s32 %r1, %r2, %r3;"), ["10:1 P0301 unknown instruction `ad`"]);
    assert_eq!(help(".entry k() { exot; }"), "did you mean `exit`?");
    assert_eq!(help(".entry k() { dad.s32; }"), "did you mean `add`?");
}

#[test]
fn wrong_modifiers_are_told_with_what_to_write() {
    let found = findings_in_kernel("brev.f32 %r1, %r2;");
    assert_eq!(found, ["10:5 P0302 `brev` has no type `.f32`"]);
    let found = findings_in_kernel("brev %r1, %r2;");
    assert_eq!(found, ["10:1 P0303 `brev` needs a type"]);
    assert_eq!(help(".entry k() { .reg .b32 r; brev r, r; }"), "write `brev.b32` (or `.b64`)");
    assert_eq!(
        findings_in_kernel("fma.f32 %f1, %f2, %f3;"),
        ["10:1 P0303 `fma.f32` needs a rounding modifier"]
    );
    let text = ".entry k() { .reg .f32 f; fma.f32 f, f, f, f; }";
    assert_eq!(help(text), "write `fma.rn.f32` (or `.rz`, `.rm`, `.rp`)");
    // The words may be parted by blanks; then the place is all of them.
    assert_eq!(findings_in_kernel("brev .f32 %r1, %r2;"), ["10:1 P0302 `brev` has no type `.f32`"]);
}

#[test]
fn a_misspelled_modifier_is_told_with_the_nearest() {
    let text = ".entry k() { .reg .b32 r; ld.globl.b32 r, [r]; }";
    assert_eq!(help(text), "did you mean `.global`? write `ld.global.b32`");
}

#[test]
fn special_registers_are_known_without_their_sign() {
    let of = |operand: &str| help(&format!(".entry k() {{ .reg .b32 r; mov.u32 r, {operand}; }}"));
    let write = |text: &str| format!("special registers begin with `%`: write `{text}`");
    assert_eq!(of("tid.x"), write("%tid.x"));
    assert_eq!(of("ntid.z"), write("%ntid.z"));
    assert_eq!(of("ctaid"), write("%ctaid.x"));
    assert_eq!(of("laneid"), write("%laneid"));
    assert_eq!(of("threadIdx.y"), write("%tid.y"));
    assert_eq!(of("warpSize"), write("WARP_SZ"));
    let lower = |text: &str| format!("special registers are in lower case: write `{text}`");
    assert_eq!(of("%TID.x"), lower("%tid.x"));
    assert_eq!(of("%Ctaid.Y"), lower("%ctaid.y"));
    assert_eq!(of("%LANEID"), lower("%laneid"));
    assert_eq!(of("NTID.z"), lower("%ntid.z"));
}

#[test]
fn a_number_with_the_suffix_of_c_is_shown_without_it() {
    let of = |number: &str| help(&format!(".entry k() {{ .reg .f32 %f1; mov.f32 %f1, {number}; }}"));
    let write = |number: &str| format!("the type of a number is that of the instruction: write `{number}`");
    for suffix in ["f", "F", "h", "L"] {
        assert_eq!(of(&format!("1.0{suffix}")), write("1.0"));
        assert_eq!(of(&format!("2.5e3{suffix}")), write("2.5e3"));
    }
    assert_eq!(of("7LL"), write("7"));
}

#[test]
fn numbers_of_operands_are_in_words() {
    let found = |text: &str| findings_in_kernel(text).concat();
    assert_eq!(found("bra;"), "10:1 P0304 `bra` takes 1 operand, not 0");
    assert_eq!(found("ret %r1;"), "10:1 P0304 `ret` takes 0 operands, not 1");
    assert_eq!(found("bar.sync;"), "10:1 P0304 `bar.sync` takes 1 or 2 operands, not 0");
    assert_eq!(found("cvt.u32.u16 %r1;"), "10:1 P0304 `cvt.u32.u16` takes 2 operands, not 1");
}

#[test]
fn what_other_languages_write_is_answered() {
    let of = |statement: &str| {
        help(&format!(".global .u32 g;\n.entry k() {{ .reg .b32 %r<4>; .reg .b32 a; {statement} }}"))
    };
    assert_eq!(of("return;"), "write `ret`");
    assert_eq!(of("ADD.s32 a, a, a;"), "did you mean `add`?");
    assert_eq!(of("LDG.E a, [a];").split(',').next(), Some("write `ld.global`"));
    assert_eq!(of("lds.u32 a, [a];"), "write `ld.shared`");
    assert_eq!(of("jmp a;"), "write `bra`");
    assert_eq!(of("mla.s32 a, a, a, a;").split(',').next(), Some("write `mad.lo.s32`"));
    assert_eq!(of("mol.s32 a, a, a;"), "", "`mul` and `mov` are as near");
    assert_eq!(of("mov.b32 a, r3;"), "did you mean `%r3`?");
    assert_eq!(of("mov.b32 a, r4;"), "", "the register does not exist");
    assert_eq!(of("mov.b32 a, b;"), "", "another letter is another name");
    assert_eq!(
        help(".func f() { ret; }\n.entry k() { call f(); }"),
        "expected a comma before the arguments: `call f, (a);`"
    );
}

#[test]
fn types_of_instructions_are_no_types_of_variables() {
    let found = findings(".global .pred a;\n.entry k() { .reg .bf16 b; .reg .f16x2 c; }");
    let expected =
        ["4:1 P0105 only registers can be predicates", "5:14 P0105 `.bf16` is a type of instructions only"];
    assert_eq!(found, expected);
}

#[test]
fn a_wrong_number_of_operands_is_told() {
    assert_eq!(findings_in_kernel("add.s32 %r1, %r2;"), ["10:1 P0304 `add.s32` takes 3 operands, not 2"]);
    assert_eq!(
        findings_in_kernel("add.s32 %r1|%p1, %r2, %r3;"),
        ["10:13 P0304 `add.s32` has no second destination"]
    );
    assert_eq!(help(".entry k() { .reg .b32 r; add.s32 r, r; }"), "the form is `add.s32  d, a, b`");
}

#[test]
fn an_undeclared_name_is_told_once() {
    let found = findings_in_kernel("add.s32 %q1, %q1, %r1;\nadd.s32 %q1, %r9, 1;\nst.u32 [nowhere], %r1;");
    let expected = [
        "10:9 P0201 register `%q1` is not declared",
        "11:14 P0201 register `%r9` is not declared",
        "12:9 P0201 name `nowhere` is not declared",
    ];
    assert_eq!(found, expected);
}

#[test]
fn help_names_the_range_or_the_nearest_name() {
    assert_eq!(help(".entry k() { .reg .b32 %r<4>; mov.b32 %r4, 0; }"), "`%r<4>` declares `%r0` to `%r3`");
    assert_eq!(help(".entry k() { .reg .b32 total; mov.b32 totel, 0; }"), "did you mean `total`?");
    assert_eq!(help(".entry k() { .reg .b32 %r<4>; mov.b32 %R3, 0; }"), "did you mean `%r3`?");
    assert_eq!(help(".entry k() { .reg .b32 sum; mov.b32 SUM, 0; }"), "did you mean `sum`?");
    assert_eq!(help(".entry k() { .reg .b32 %r<4>; mov.b32 %r3, %tidx.x; }"), "did you mean `%tid`?");
}

#[test]
fn duplicates_point_at_the_first() {
    let source = SourceFile::new("test.ptx", format!("{HEAD}.entry k() {{ .reg .b32 a;\n.reg .b64 a; }}"));
    let (_, findings) = ptx_syntax::parse(&source);
    let finding = findings.iter().next().expect("a finding");
    assert_eq!((finding.code.0, source.position(finding.span.expect("a place").lo).line), ("P0202", 5));
    let related = &finding.related[0];
    assert_eq!((related.text.as_str(), source.position(related.span.lo).line), ("first declared here", 4));
}

#[test]
fn names_share_one_scope_with_parameters_labels_and_ranges() {
    let twice = |text: &str| findings(&format!(".entry k(.param .u32 p)\n{{ {text} ret; }}"));
    assert_eq!(twice(".reg .u32 p;"), ["5:13 P0202 `p` is declared twice in this scope"]);
    assert_eq!(twice(".reg .u32 %q<4>, %q2;"), ["5:20 P0202 `%q2` is declared twice in this scope"]);
    assert_eq!(twice(".reg .u32 %q2, %q<4>;"), ["5:18 P0202 `%q` is declared twice in this scope"]);
    assert_eq!(twice(".reg .u32 L; L:"), ["5:16 P0202 `L` is declared in this scope"]);
    assert_eq!(twice("L: .reg .u32 L;"), ["5:16 P0202 `L` is declared twice in this scope"]);
    assert_eq!(twice("L: L:"), ["5:6 P0202 label `L` is defined twice in this scope"]);
    assert_eq!(twice("{ .reg .u32 p; }"), Vec::<String>::new());
    assert_eq!(
        findings(".func f() { ret; }\n.func f() { ret; }"),
        ["5:7 P0202 function `f` is already defined"]
    );
}

#[test]
fn undefined_labels_are_told_at_their_first_use() {
    let found = findings_in_kernel("bra nowhere;\nbra nowhere;\nbra inner;\n{ inner: }");
    let expected = [
        "10:5 P0201 label `nowhere` is not defined in this function",
        "12:5 P0201 label `inner` is not defined in this function",
    ];
    assert_eq!(found, expected);
}

#[test]
fn all_errors_come_in_one_run() {
    let found =
        findings_in_kernel("bogus %r1;\nadd.s32 %r1, %r2 %r3;\nmov.u32 %r1, 08;\nadd.s32 %r1, %r1, 1;\nxyz;");
    let codes: Vec<_> =
        found.iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(codes, ["10:1 P0301", "11:18 P0101", "12:14 P0401", "14:1 P0301"]);
}

#[test]
fn a_missing_semicolon_costs_one_error() {
    let found = findings_in_kernel("add.s32 %r1, %r2, %r3\nmov.b32 %q1, 0;\nret");
    let expected = [
        "10:21 P0101 expected `,` or `;`, found `mov.b32`",
        "11:9 P0201 register `%q1` is not declared",
        "12:3 P0101 expected `,` or `;`, found `ret`",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_missing_brace_is_told_where_it_is_missed() {
    let found = findings(".entry a()\n{ {\nret;\n}\n.entry b() { ret; }\n.global .u32 x;");
    assert_eq!(found, ["8:1 P0102 `.entry` is not allowed in a function"]);
    let found = findings(".entry a()\n{ ret;");
    assert_eq!(found, ["5:1 P0102 this `{` is never closed"]);
    let found = findings(".entry a() { ret; } }\n.entry b() { ret; }");
    assert_eq!(found, ["4:21 P0102 unmatched `}`"]);
}

#[test]
fn a_missing_opening_brace_costs_one_error() {
    let found = findings(".entry a()\nret;\n}\n.entry b() { bogus; }");
    assert_eq!(
        found,
        ["4:10 P0101 expected `{` or `;`, found `ret`", "7:14 P0301 unknown instruction `bogus`"]
    );
}

#[test]
fn calls_of_a_function_without_its_brace_say_nothing_new() {
    let found = findings(".func a()\nret;\n}\n.entry b() { call a; }");
    assert_eq!(found, ["4:9 P0101 expected `{` or `;`, found `ret`"]);
}

#[test]
fn instructions_outside_functions_are_told_once() {
    let found = findings("mov.u32 %r1, 0;\nadd.s32 %r1, %r1, 1;\n.entry b() { bogus; }");
    assert_eq!(
        found,
        ["4:1 P0101 expected a directive, found `mov`", "6:14 P0301 unknown instruction `bogus`"]
    );
}

#[test]
fn uses_of_a_declaration_with_an_error_say_nothing_new() {
    assert_eq!(
        findings_in_kernel(".reg .b33 %q<4>, z;\nmov.b32 %q1, z;"),
        ["10:6 P0103 `.b33` is not a type"]
    );
    assert_eq!(
        findings(".global .b33 g;\n.entry k() { .reg .u64 a; mov.u64 a, g; }"),
        ["4:9 P0103 `.b33` is not a type"]
    );
    assert_eq!(
        findings(".func f(.param .b33 a) { ret; }\n.entry k() { call f; }"),
        ["4:16 P0103 `.b33` is not a type"]
    );
}

#[test]
fn directives_that_do_not_belong_are_told() {
    assert_eq!(findings(".globl .u32 x;"), ["4:1 P0103 `.globl` is not a directive that is allowed here"]);
    assert_eq!(findings(".reg .u32 x;"), ["4:1 P0103 `.reg` is only allowed in functions"]);
    assert_eq!(
        findings_in_kernel(".branchtargets A; A:"),
        ["10:1 P0103 `.branchtargets` needs a label before it"]
    );
    assert_eq!(findings(".global[2] .u32 x;"), ["4:8 P0101 expected a type, found `[`"]);
    assert_eq!(findings(".loc 1 2 3"), ["4:1 P0103 `.loc` is only allowed in functions"]);
    assert_eq!(
        findings(".global .align 3 .u32 x;"),
        ["4:16 P0104 an alignment must be a power of two, not 3"]
    );
    assert_eq!(
        findings(".section .debug_str { hello }"),
        ["4:23 P0104 this is not a line of a debug section"]
    );
}

/// The order of the manual's syntax (5.4) is the only one `ptxas` takes.
#[test]
fn the_parts_of_a_declaration_have_their_order() {
    assert_eq!(
        findings(".global .b32 .align 8 x;"),
        ["4:14 P0101 expected the name of a variable, found `.align`"]
    );
    assert_eq!(findings(".global .v2 .align 8 .b32 x;"), ["4:13 P0103 `.align` is not a type"]);
    assert_eq!(findings(".global .b32 x[2+2];"), ["4:17 P0101 expected `]`, found `+`"]);
    assert!(findings(".align 4 .global .attribute(.managed) .align 8 .v2 .b32 x;").is_empty());
    assert!(findings(".entry k (.align 8 .param .b64 .ptr .texref .align 4 t) { ret; }").is_empty());
}

/// `ptxas` takes all digits at a name's end for the number of a register.
#[test]
fn registers_of_ranges_are_named_by_number() {
    assert!(findings_in_kernel(".reg .b32 q<3>; mov.b32 q01, q2;").is_empty());
    let found = findings_in_kernel(".reg .b32 q1<20>; mov.b32 q11, 0;");
    assert_eq!(found, ["10:27 P0201 name `q11` is not declared"]);
}

#[test]
fn lines_of_preprocessors_name_a_line_and_a_file() {
    assert!(findings("# 1 \"a.cu\" 3\n#line 2 \"b.cu\"\n.global .b32 v; # 7 \"c.cu\"\n").is_empty());
    assert_eq!(findings("#if 1\n.global .b32 v;"), ["4:1 P0001 `#` is not a valid token in PTX"]);
}

#[test]
fn zero_bytes_stand_at_the_end_only() {
    assert!(findings(".global .b32 v;\0\0").is_empty());
    assert_eq!(findings("// a\0b\n.global .b32 v;"), ["4:5 P0001 unexpected zero byte in the input"]);
}

#[test]
fn data_of_sections_fits_its_type() {
    for line in [".b8 256", ".b8 label", ".b32 a, b", ".b32 a - 4", ".b64 1.0", ".b128 1", ".b8 1 2"] {
        let found = findings(&format!(".section .debug_info {{ {line} }}"));
        assert!(matches!(&found[..], [one] if one.contains("P0104")), "{line}: {found:?}");
    }
    for line in [".b8 -128, 255", ".b32 a - b", ".b64 .debug_str + 4", "a: .b8 1\n,2 b:"] {
        assert!(findings(&format!(".section .debug_info {{ {line} }}")).is_empty(), "{line}");
    }
    assert!(findings(".section .a { x: } .section .b { x: }")[0].contains("P0202"));
}

#[test]
fn directives_of_device_functions_have_their_order() {
    assert!(findings(".func f () .noreturn .abi_preserve 4 .local_maxnreg 4 { exit; }").is_empty());
    assert!(findings(".func f () .abi_preserve 4 .noreturn { exit; }")[0].contains("P0105"));
    assert!(findings(".entry k () .maxntid 4;")[0].contains("P0101"));
}

#[test]
fn names_that_mean_something_are_not_given() {
    for text in
        [".entry WARP_SZ () { ret; }", ".global .b32 %laneid;", ".func _ () { ret; }", ".global .b32 _;"]
    {
        assert_eq!(findings(text).len(), 1, "{text}");
    }
}

#[test]
fn what_the_model_cannot_hold_is_told() {
    assert_eq!(
        findings_in_kernel("mov.u64 %rd1, gv[%r1];"),
        ["10:18 P0106 an index in a register is not supported"]
    );
}

#[test]
fn a_wrong_line_directive_leaves_the_next_line_alone() {
    let found = findings_in_kernel(".loc 1 x 3\nmov.b32 %q1, 0;");
    assert_eq!(found, ["10:8 P0101 expected a line, found `x`", "11:9 P0201 register `%q1` is not declared"]);
}

#[test]
fn a_comment_or_text_without_end_is_told_where_it_starts() {
    assert_eq!(findings(".entry k() { ret; /* no end }"), ["4:19 P0002 unterminated comment"]);
    assert_eq!(findings(".global .u32 x; /* no end"), ["4:17 P0002 unterminated comment"]);
    assert_eq!(findings(".file 1 \"no end\n.global .u32 x;"), ["4:9 P0002 unterminated string"]);
}

#[test]
fn an_empty_input_is_an_error() {
    for text in ["", "\n", "// nothing\n"] {
        let source = SourceFile::new("test.ptx", text);
        let (_, findings) = ptx_syntax::parse(&source);
        assert_eq!(findings.iter().map(|finding| finding.code.0).collect::<Vec<_>>(), ["P0006"]);
    }
}

#[test]
fn the_words_of_the_language_name_nothing() {
    for word in ["WARP_SZ", "inlined_at", "function_name"] {
        for text in [
            format!(".global .b32 {word};"),
            format!(".func {word} () {{ ret; }}"),
            format!(".entry k (.param .b32 {word}) {{ ret; }}"),
            format!(".entry k () {{ .reg .b32 {word}; ret; }}"),
            format!(".entry k () {{ {word}: ret; }}"),
        ] {
            assert!(!findings(&text).is_empty(), "{text}");
        }
    }
}

#[test]
fn habits_of_c_and_of_llvm_are_told_what_ptx_has() {
    let in_body =
        |statement: &str| help(&format!(".entry k() {{ .reg .pred %p1; .reg .b32 %s; {statement} }}"));
    assert_eq!(
        in_body("%s = add.u32 1, 2;"),
        "the result is the first operand of an instruction: `add.s32 %r1, %r2, %r3;`"
    );
    assert_eq!(in_body("bra %p1;"), "write the condition before the branch: `@%p1 bra label;`");
    assert_eq!(in_body("mov.u32 %index7, 1;"), "declare it first, with its type: `.reg .b32 %index7;`");
    assert_eq!(in_body(".reg .b32 %r[4];"), "`%r<4>` declares the registers `%r0` to `%r3`");
    assert_eq!(in_body(".reg float %f;"), "write `.f32`");
    assert_eq!(help(".entry k(.param u32 n) { ret; }"), "write `.u32`");
    assert_eq!(help("visible .entry k() { ret; }"), "write `.visible`");
    assert_eq!(help(".kernel k() { ret; }"), "did you mean `.entry`?");
}

#[test]
fn bytes_that_are_not_utf_8_are_allowed_in_comments_only() {
    let of = |text: &[u8]| {
        let source = SourceFile::new("test.ptx", [HEAD.as_bytes(), text].concat());
        let (module, findings) = ptx_syntax::parse(&source);
        let findings: Vec<_> = findings.iter().map(|one| (one.code.0, one.span.expect("a place"))).collect();
        (ptx_ir::print(&module), findings)
    };
    let at = |lo: usize, length: usize| {
        let lo = (HEAD.len() + lo) as u32;
        ("P0001", ptx_diag::Span::new(lo, lo + length as u32))
    };
    let (printed, findings) = of(b"// caf\xE9\n.global .b32 v;\n");
    assert!(findings.is_empty() && printed.contains("// caf\u{FFFD}\n"), "{findings:?}\n{printed}");
    assert_eq!(of(b".file 1 \"caf\xE9\"\n").1, [at(8, 6)]);
    assert_eq!(of(b".file 1 \"caf\xC3\xA9\"\n").1, [at(8, 7)]);
    assert_eq!(of(b".global .b32 caf\xE9;\n").1, [at(16, 1)]);
}

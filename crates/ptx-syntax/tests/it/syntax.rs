//! The syntax tree: examples of the manual, and what is read of texts with errors.

use ptx_syntax::syntax::{
    Constant, ConstantValue, Initializer, Name, Operand, OperandKind, Statement, TablePart, Term, statements,
};

/// The only statement of a text.
fn statement(text: &str) -> Statement<'_> {
    let mut read: Vec<_> = statements(text).collect();
    assert_eq!(read.len(), 1, "{text}: {read:?}");
    read.remove(0).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn texts<'s>(names: &[Name<'s>]) -> Vec<&'s str> {
    names.iter().map(|name| name.text).collect()
}

fn operands(text: &str) -> Vec<Operand<'_>> {
    match statement(text) {
        Statement::Instruction(instruction) => instruction.operands,
        other => panic!("an instruction, not {other:?}"),
    }
}

/// The message of the only error of a text, with the text at its place.
fn error(text: &str) -> (String, &str) {
    let errors: Vec<_> = statements(text).filter_map(Result::err).collect();
    let [error] = &errors[..] else { panic!("one error: {errors:?}") };
    let span = error.span.expect("a place");
    (error.message.clone(), &text[span.lo as usize..span.hi as usize])
}

/// A constant with the operators after their operands.
fn postfix(constant: &Constant<'_>) -> String {
    let ConstantValue::Expression(terms) = &constant.value else { panic!("an expression: {constant:?}") };
    let shown = terms.iter().map(|term| match term {
        Term::Number(number) => number.text.to_owned(),
        Term::WarpSize => "WARP_SZ".to_owned(),
        Term::Unary(sign, _) => format!("u{}", char::from(*sign)),
        Term::Cast(word) => format!(".{}", word.text),
        Term::Binary(operator, _) => String::from_utf8_lossy(operator).trim_end_matches('\0').to_owned(),
        Term::Conditional(_) => "?:".to_owned(),
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn operators_follow_their_operands_by_precedence() {
    // Manual 4.5.4, table 4: what binds tighter comes first, equals from the left, the conditional from the right.
    for (text, expected) in [
        ("1 + 2 * 3", "1 2 3 * +"),
        ("(1 + 2) * 3", "1 2 + 3 *"),
        ("10 - 4 - 3", "10 4 - 3 -"),
        ("1 << 2 + 3 < 4 == 5 & 6 ^ 7 | 8 && 9 || 10", "1 2 3 + << 4 < 5 == 6 & 7 ^ 8 | 9 && 10 ||"),
        ("-~!5", "5 u! u~ u-"),
        ("(.s64) 5 + 1", "5 .s64 1 +"),
        ("1 ? 2 : 3 ? 4 : 5", "1 2 3 4 5 ?: ?:"),
        ("1 ? 2 ? 3 : 4 : 5", "1 2 3 4 ?: 5 ?:"),
        ("WARP_SZ", "WARP_SZ"),
    ] {
        let text = format!("mov.b64 a, {text};");
        let [_, Operand { kind: OperandKind::Constant(constant), .. }] = &operands(&text)[..] else {
            panic!("a constant: {text}")
        };
        assert_eq!(postfix(constant), expected, "{text}");
    }
}

#[test]
fn operands_have_the_forms_of_chapter_6() {
    let text = "f _, r, v.x, a[3], a+4, !p, -b, 1.5, [a], [a+-8], [16], [t, {x, y}], {x, _};";
    let shown: Vec<String> = operands(text)
        .iter()
        .map(|operand| {
            let kind = format!("{:?}", operand.kind);
            let kind = kind.split(['(', ' ']).next().expect("a word").to_owned();
            format!("{kind} {}", &text[operand.span.lo as usize..operand.span.hi as usize])
        })
        .collect();
    let expected = [
        "Sink _",
        "Name r",
        "Component v.x",
        "Element a[3]",
        "Sum a+4",
        "Not !p",
        "Negated -b",
        "Constant 1.5",
        "Address [a]",
        "Address [a+-8]",
        "Address [16]",
        "Bracket [t, {x, y}]",
        "Vector {x, _}",
    ];
    assert_eq!(shown, expected);
    let call = operands("call.uni (r), f, (a, b), targets;");
    let [list, callee, arguments, targets] = &call[..] else { panic!("four operands: {call:?}") };
    assert!(
        matches!((&list.kind, &arguments.kind), (OperandKind::List(r), OperandKind::List(a)) if r.len() == 1 && a.len() == 2)
    );
    assert!(
        matches!((&callee.kind, &targets.kind), (OperandKind::Name(f), OperandKind::Name(t)) if f.text == "f" && t.text == "targets")
    );
}

#[test]
fn a_second_destination_follows_a_bar() {
    let paired: Vec<bool> = operands("setp.lt.s32 p|q, a, b;").iter().map(|one| one.paired).collect();
    assert_eq!(paired, [false, true, false, false]);
}

/// The examples of manual 11.3.1 to 11.3.3 and 11.5.2.
#[test]
fn directives_read_as_in_the_examples_of_the_manual() {
    let Statement::BranchTargets(label, targets) = statement("ts: .branchtargets L1, L2, N<3>;") else {
        panic!("branch targets")
    };
    let shown: Vec<_> =
        targets.iter().map(|(name, count)| (name.text, count.map(|count| count.text))).collect();
    assert_eq!((label.text, shown), ("ts", vec![("L1", None), ("L2", None), ("N", Some("3"))]));
    let Statement::CallTargets(_, functions) = statement("calltgt: .calltargets fastsin, fastcos;") else {
        panic!("call targets")
    };
    assert_eq!(texts(&functions), ["fastsin", "fastcos"]);
    let text = "Fproto1: .callprototype (.param .b32 r) _ (.param .f32 a, .param .b8 b[4]) .abi_preserve 10;";
    let Statement::CallPrototype(_, prototype) = statement(text) else { panic!("a prototype") };
    let parameters: Vec<_> = prototype.parameters.iter().map(|one| one.name).collect();
    assert_eq!((prototype.results.len(), texts(&parameters)), (1, vec!["a", "b"]));
    assert_eq!(texts(&prototype.directives[0].numbers), ["10"]);
    let text = ".section .debug_pubnames\n{\n.b32 LpubNames_end0-LpubNames_begin0\nLpubNames_begin0:\n.b8 0x2b, 0x00\n\
                .b32 .debug_info\ninfo_label1:\n.b32 0x000006b5, 0x00000364\nLpubNames_end0:\n}";
    let Statement::Section(section) = statement(text) else { panic!("a section") };
    assert_eq!(section.name.text, ".debug_pubnames");
    assert_eq!(texts(&section.labels), ["LpubNames_begin0", "info_label1", "LpubNames_end0"]);
}

#[test]
fn functions_and_variables_keep_their_parts() {
    let text =
        ".visible .entry k(.param .u64 .ptr .global .align 8 p) .maxntid 128, 2 .pragma \"nounroll\"; {";
    let Statement::Function(function) = statement(text) else { panic!("a function") };
    assert_eq!((function.linkage.map(|word| word.text), function.keyword.text), (Some("visible"), "entry"));
    let pointer = function.parameters[0].pointer.expect("a pointer");
    assert_eq!(pointer.alignment.map(|number| number.text), Some("8"));
    let [ntid, pragma] = &function.directives[..] else { panic!("two directives") };
    assert_eq!((texts(&ntid.numbers), texts(&pragma.texts)), (vec!["128", "2"], vec!["nounroll"]));
    assert!(function.body.is_some());
    let text = ".const .align 8 .v2 .f32 a[2][3] = {1, x}, b;";
    let Statement::Variables(variables) = statement(text) else { panic!("variables") };
    let declaration = &variables.declaration;
    assert_eq!((declaration.space.text, declaration.ty.text), ("const", "f32"));
    let [a, b] = &variables.declarators[..] else { panic!("two names") };
    assert_eq!((a.dimensions.len(), b.name.text, b.initializer.is_none()), (2, "b", true));
    assert!(matches!(&a.initializer, Some(Initializer::List(values)) if values.len() == 1));
}

/// Tables are one part of the tree; an expression at the end of one is none of it.
#[test]
fn numbers_of_tables_are_read_when_they_are_asked_for() {
    let text = ".global .b32 t[] = {{1, - 2}, {}, 0x3 , 4U, f, g + -8, 5 + 6};";
    let Statement::Variables(variables) = statement(text) else { panic!("variables") };
    let Some(Initializer::List(values)) = &variables.declarators[0].initializer else { panic!("a list") };
    let [Initializer::Table(table), Initializer::Value(last)] = &values[..] else { panic!("{values:?}") };
    let shown: Vec<String> = table
        .parts()
        .map(|part| match part {
            TablePart::Open => "{".to_owned(),
            TablePart::Close => "}".to_owned(),
            TablePart::Name(name) => name.text.to_owned(),
            TablePart::Offset(negative, number) => {
                format!("+{}{}", if negative { "-" } else { "" }, number.text)
            }
            TablePart::Decimal(value) => value.to_string(),
            TablePart::Number(minus, number) => {
                assert_eq!(&text[number.span.lo as usize..number.span.hi as usize], number.text);
                let sign = minus.map_or("", |at| &text[at as usize..=at as usize]);
                format!("{sign}{}", number.text)
            }
        })
        .collect();
    assert_eq!(shown.join(" "), "{ 1 -2 } { } 0x3 4U f g +-8");
    assert_eq!(postfix(last), "5 6 +");
}

/// A name ends before a dot in a directive, and has its modifiers or its component in an instruction.
#[test]
fn names_with_dots_are_told_by_the_statement() {
    let read: Vec<_> = statements(".target sm_80.address_size 64 .entry k.maxntid 1 { ret; }").collect();
    assert!(read.iter().all(Result::is_ok), "{read:?}");
    assert!(matches!(&read[0], Ok(Statement::Target(names, _)) if texts(names) == ["sm_80"]));
    let Statement::Instruction(load) = statement("@!p ld .shared::cta .b32 r, [a];") else {
        panic!("a load")
    };
    let spaced = load.mnemonic.spaced.expect("modifiers after blanks");
    assert_eq!((load.mnemonic.name.text, texts(&spaced.words)), ("ld", vec!["shared::cta", "b32"]));
    assert!(load.guard.is_some_and(|guard| guard.negated && guard.name.text == "p"));
}

#[test]
fn an_error_is_where_the_grammar_cannot_go_on() {
    let at = |message: &str, place| (message.to_owned(), place);
    assert_eq!(error("add.s32 a, b c;"), at("expected `,` or `;`, found `c`", "c"));
    assert_eq!(error("ld.b32 r, [a+];"), at("expected a constant, found `]`", "]"));
    assert_eq!(error("call (r) f;"), at("expected `,` and the function, found `f`", "f"));
    assert_eq!(error("mov.b32 a, (1 + 2;"), at("expected `)`, found `;`", ";"));
    assert_eq!(error("mov.b32 a, 1 ? 2;"), at("expected `:`, found `;`", ";"));
    assert_eq!(error(".reg .b32 r"), at("expected `;`, found the end of the input", "r"));
    assert_eq!(error(".reg .b3 r;"), at("`.b3` is not a type", ".b3"));
    assert_eq!(error(".global .b32 x[4;"), at("expected `]`, found `;`", ";"));
    assert_eq!(error(".global .b32 x = ;"), at("expected an initial value, found `;`", ";"));
    assert_eq!(error(".file 1;"), at("expected the file's name in quotes, found `;`", ";"));
    assert_eq!(
        error(".loc 1 2 3, inlined_at 4 5 6 x;").0,
        "expected `,` with the other one of `function_name` and `inlined_at`, found `x`"
    );
    assert_eq!(
        error(".func (.param .b32 r) f(.param .b32 a .param .b32 b);").0,
        "expected `,` or `)`, found `.param`"
    );
    assert_eq!(error(".section .debug_str { .b8 256 }"), at("this is not a line of a debug section", "256"));
}

#[test]
fn a_text_goes_on_after_each_error() {
    let text = "add.s32 a, b c;\nmov.b32 a b;\nL: sub.s32 a, b, c\nret;\n.frob 1;\n{ }";
    let read: Vec<bool> = statements(text).map(|one| one.is_ok()).collect();
    assert_eq!(read, [false, false, true, false, true, false, true, true]);
}

#[test]
fn every_truncation_of_a_sample_has_an_end() {
    let text = include_str!("../../../../test-suite/cases/parse/declarations.ptx");
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
        assert!(statements(&text[..end]).count() <= end + 1);
    }
}

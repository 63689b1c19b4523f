//! Statements of inline assembly, read into a body that exists.

use ptx_ir::{BodyBuilder, Immediate, Literal, Module, Operand, Stmt};
use ptx_isa::ScalarType;
use ptx_syntax::parse_asm;

/// A module and a body with two registers of 32 bits.
fn start() -> (Module, BodyBuilder, [Operand; 2]) {
    let mut module = Module::default();
    let mut code = BodyBuilder::new();
    let registers =
        [(); 2].map(|()| Operand::Register(code.new_register(&mut module.strings, ScalarType::B32)));
    (module, code, registers)
}

fn resolver(registers: [Operand; 2]) -> impl FnMut(&str) -> Option<Operand> {
    move |name| match name {
        "$0" => Some(registers[0]),
        "$1" => Some(registers[1]),
        _ => None,
    }
}

#[test]
fn placeholders_become_operands_and_names_stay_in_their_scope() {
    let (mut module, mut code, registers) = start();
    let text = "{ .reg .pred p; setp.eq.s32 p, $1, 0; selp.s32 $0, 1, 0, p; bra L; L: };";
    let read = parse_asm(text, &mut module, code.body_mut(), &mut resolver(registers));
    assert_eq!(read, Ok(()));
    let body = code.body();
    let found: Vec<_> = body.instructions().map(|(_, inst)| body.operands(inst)).collect();
    assert_eq!((found.len(), found[0][2], found[1][0]), (3, registers[1], registers[0]));
    assert!(matches!(body.statements.first(), Some(Stmt::ScopeStart)));
    assert!(matches!(body.statements.last(), Some(Stmt::ScopeEnd)));
}

#[test]
fn special_registers_and_symbols_of_the_module_are_known() {
    let (mut module, mut code, registers) = start();
    let source = ptx_diag::SourceFile::new(
        "m.ptx",
        ".version 8.0\n.target sm_80\n.global .u32 a; .global .u32 gv; .func f();",
    );
    let (with_symbols, _) = ptx_syntax::parse(&source);
    module.items = with_symbols.items;
    module.variables = with_symbols.variables;
    module.functions = with_symbols.functions;
    module.strings = with_symbols.strings;
    let text = "mov.u32 $0, %laneid; ld.global.u32 $1, [gv]; call f;";
    let read = parse_asm(text, &mut module, code.body_mut(), &mut resolver(registers));
    assert_eq!(read, Ok(()));
    assert_eq!(code.body().instructions().count(), 3);
}

#[test]
fn errors_leave_the_body_as_it_was() {
    let (mut module, mut code, registers) = start();
    let before = code.body().clone();
    let read = parse_asm(
        "{ .reg .b32 t; mov.b32 t, $1; add.s32 $0, t, $2; }",
        &mut module,
        code.body_mut(),
        &mut resolver(registers),
    );
    let findings = read.expect_err("`$2` is nothing");
    let messages: Vec<_> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["name `$2` is not declared"]);
    let after = code.body();
    assert_eq!(
        (&after.statements, &after.reg_decls, &after.registers, &after.labels),
        (&before.statements, &before.reg_decls, &before.registers, &before.labels)
    );
}

#[test]
fn labels_that_exist_keep_their_ids() {
    let (mut module, mut code, registers) = start();
    let name = module.strings.intern("outer");
    let outer = code.new_label(name, ptx_ir::LabelKind::Code);
    code.place(outer);
    let mut resolve = |name: &str| match name {
        "outer" => Some(Operand::Label(outer)),
        other => resolver(registers)(other),
    };
    let text = "{ { bra here; } bra outer; here: }";
    assert_eq!(parse_asm(text, &mut module, code.body_mut(), &mut resolve), Ok(()));
    let body = code.body();
    let targets: Vec<_> = body.instructions().map(|(_, inst)| body.operands(inst)[0]).collect();
    assert_eq!(targets[1], Operand::Label(outer));
    let Operand::Label(here) = targets[0] else { panic!("a label") };
    assert_eq!(module.name(body.label(here).name), "here");
    assert!(body.statements.iter().any(|stmt| matches!(stmt, Stmt::Label(label) if *label == here)));
}

#[test]
fn a_number_is_an_address_only_without_a_fraction() {
    let (mut module, mut code, registers) = start();
    let mut read = |number: Immediate| {
        let mut resolve = |name: &str| match name {
            "$1" => Some(Operand::Immediate(number)),
            other => resolver(registers)(other),
        };
        parse_asm("ld.global.b32 $0, [$1];", &mut module, code.body_mut(), &mut resolve)
    };
    assert_eq!(read(Immediate::integer(16)), Ok(()));
    // 1.0 would be read as the address 0.
    let findings = read(Immediate::F32(0x3F80_0000, Literal::Plain)).expect_err("no address");
    let messages: Vec<_> = findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages, ["`$1` is not an address and cannot contain one"]);
}

//! Directives of a module.

use crate::common;
use crate::common::{findings, module};
use ptx_ir::{
    FieldValue, FunctionDirective, FunctionKind, Immediate, Initializer, Item, Linkage, Literal, Module,
    Param, Symbol, VarAttribute, VarType, Variable, VectorShape,
};
use ptx_isa::{PtxVersion, ScalarType, Sm, StateSpace};

fn variable<'m>(module: &'m Module, name: &str) -> &'m Variable {
    module.variables.iter().find(|variable| module.name(variable.name) == name).expect("the variable")
}

#[test]
fn the_head_says_version_target_and_address_size() {
    let module = module("");
    assert_eq!(module.version(), Some(PtxVersion::new(8, 7)));
    assert_eq!(module.target().and_then(|target| target.sm), Some(Sm::new(90)));
    assert_eq!(module.address_size(), 64);
}

#[test]
fn a_variable_keeps_space_linkage_alignment_shape_type_and_dimensions() {
    let module = module(".visible .const .align 16 .v4 .f32 table[3][2];");
    let found = variable(&module, "table");
    assert_eq!(found.linkage, Linkage::Visible);
    assert_eq!((found.space, found.align), (StateSpace::Const, Some(16)));
    assert_eq!((found.shape, found.ty), (VectorShape::V4, VarType::Scalar(ScalarType::F32)));
    assert_eq!(found.dims, [Some(3), Some(2)]);
    assert_eq!(found.bytes(), Some(3 * 2 * 16));
}

#[test]
fn one_directive_declares_several_variables() {
    let module = module(".global .u32 a, b[4] = {1, 2}, c;");
    let names: Vec<_> = module.variables.iter().map(|variable| module.name(variable.name)).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(module.items.iter().filter(|item| matches!(item, Item::Variable(_))).count(), 3);
}

#[test]
fn a_range_declares_as_many_variables() {
    let module = module(".global .u32 p<3>; .global .u64 q = p2;");
    let names: Vec<_> = module.variables.iter().map(|variable| module.name(variable.name)).collect();
    assert_eq!(names, ["p0", "p1", "p2", "q"]);
    let address =
        Initializer::Address { symbol: Symbol::Variable(ptx_ir::VarId(2)), offset: 0, generic: false };
    assert_eq!(variable(&module, "q").init, Some(address));
}

#[test]
fn alignment_and_attributes_may_stand_before_the_space() {
    let module = module(
        ".align 8 .global .u32 a; .attribute(.managed) .global .u32 b; .global .attribute(.unified(1, 2)) .u32 c;",
    );
    assert_eq!(variable(&module, "a").align, Some(8));
    assert_eq!(variable(&module, "b").attributes, [VarAttribute::Managed]);
    assert_eq!(variable(&module, "c").attributes, [VarAttribute::Unified(1, 2)]);
}

#[test]
fn initial_values_nest_and_hold_addresses() {
    let module = module(
        ".global .u32 g; .func f(); \
         .global .u64 v[] = {g, g+4, g+-4, generic(g)+8, f, 5, 0x1F}; \
         .global .u8 m[2] = {0xFF(g), 0xFF00(generic(g)+4)}; \
         .global .f32 x[2][2] = {{0f3F800000, 1.5}, {}};",
    );
    let g = Symbol::Variable(ptx_ir::VarId(0));
    let address = |offset, generic| Initializer::Address { symbol: g, offset, generic };
    let Some(Initializer::List(values)) = &variable(&module, "v").init else { panic!("a list") };
    assert_eq!(values[..4], [address(0, false), address(4, false), address(-4, false), address(8, true)]);
    assert!(matches!(values[4], Initializer::Address { symbol: Symbol::Function(_), .. }));
    assert_eq!(values[5], Initializer::Value(Immediate::S64(5, Literal::Plain)));
    assert_eq!(values[6], Initializer::Value(Immediate::S64(31, Literal::Hex)));
    let masks = [(0xFF, 0, false), (0xFF00, 4, true)];
    let masks = masks.map(|(mask, offset, generic)| Initializer::Masked { mask, symbol: g, offset, generic });
    assert_eq!(variable(&module, "m").init, Some(Initializer::List(masks.to_vec())));
    let Some(Initializer::List(rows)) = &variable(&module, "x").init else { panic!("a list") };
    assert_eq!(rows[1], Initializer::List(Vec::new()));
    let Initializer::List(first) = &rows[0] else { panic!("a row") };
    assert_eq!(first[0], Initializer::Value(Immediate::F32(0x3F80_0000, Literal::Plain)));
}

#[test]
fn a_variable_may_hold_its_own_address() {
    let module = module(".global .u64 v[1] = {v};");
    let own = Initializer::Address { symbol: Symbol::Variable(ptx_ir::VarId(0)), offset: 0, generic: false };
    assert_eq!(variable(&module, "v").init, Some(Initializer::List(vec![own])));
}

#[test]
fn a_kernel_keeps_parameters_and_directives() {
    let module = module(
        ".weak .entry k(.param .u64 .ptr .global .align 16 a, .param .align 4 .b8 s[12])\n\
         .maxntid 128, 2\n.minnctapersm 3\n.pragma \"nounroll\";\n{ ret; }",
    );
    let function = &module.functions[0];
    assert_eq!((function.kind, function.linkage), (FunctionKind::Kernel, Linkage::Weak));
    let pointer = variable(&module, "a").pointer.expect("a pointer");
    assert_eq!((pointer.space, pointer.align), (Some(StateSpace::Global), Some(16)));
    assert_eq!((variable(&module, "s").align, variable(&module, "s").bytes()), (Some(4), Some(12)));
    let directives: Vec<_> = function.directives.iter().map(|(directive, _)| directive).collect();
    assert_eq!(directives[0], &FunctionDirective::MaxNtid([Some(128), Some(2), None]));
    assert_eq!(directives[1], &FunctionDirective::MinNCtaPerSm(3));
    assert!(matches!(directives[2], FunctionDirective::Pragma(texts) if module.name(texts[0]) == "nounroll"));
}

#[test]
fn functions_take_and_return_parameters_and_registers() {
    let module = module(
        ".func (.param .b32 r) a(.param .b64 x, .param .b64 y);\n\
         .func (.reg .u32 rv) b(.reg .u32 ra) { mov.u32 rv, ra; ret; }\n\
         .extern .func (.reg .f32 rv) c(.reg .f32 ra) .noreturn;",
    );
    let [a, b, c] = &module.functions[..] else { panic!("three functions") };
    assert_eq!((a.results.len(), a.params.len(), a.body.is_none()), (1, 2, true));
    let body = b.body.as_ref().expect("a body");
    let [Param::Register(result, _)] = b.results[..] else { panic!("a register") };
    assert_eq!(module.name(body.reg_decls[result.0 as usize].name), "rv");
    assert_eq!(c.reg_params.as_ref().map(|held| held.reg_decls.len()), Some(2));
    assert!(matches!(c.directives[..], [(FunctionDirective::NoReturn, _)]));
}

#[test]
fn a_declaration_and_a_definition_are_entries_of_their_own() {
    let module = module(".func f(); .func g() { call f; ret; } .func f() { ret; }");
    assert_eq!(module.functions.len(), 3);
    assert_eq!(module.definition(ptx_ir::FunctionId(0)), ptx_ir::FunctionId(2));
}

#[test]
fn debug_directives_are_kept() {
    let module = module(
        ".file 1 \"a.cu\", 12, 34\n.section .debug_str\n{\n$L__info_string0:\n.b8 95,90 // _Z\n\n.b32 .debug_abbrev+4\n}\n\
         .pragma \"x\", \"y\";\n",
    );
    let Item::File(file, _) = &module.items[3] else { panic!("a file") };
    assert_eq!((file.index, module.name(file.name), file.stamp), (1, "a.cu", Some((12, Some(34)))));
    let Item::Section(section) = &module.items[4] else { panic!("a section") };
    let lines: Vec<_> = section.lines.iter().map(|line| module.name(line.text)).collect();
    assert_eq!(lines, ["$L__info_string0:", ".b8 95,90 // _Z", ".b32 .debug_abbrev+4"]);
    assert!(matches!(&module.items[5], Item::Pragma(texts, _) if texts.len() == 2));
    let text = ".version 1.4\n.target sm_10\n@@DWARF .byte 0x2e\n";
    let (module, found) = ptx_syntax::parse(&ptx_diag::SourceFile::new("old.ptx", text));
    assert!(!found.has_errors());
    assert!(matches!(module.items[2], Item::DwarfLine(text) if module.name(text) == "@@DWARF .byte 0x2e"));
}

#[test]
fn fields_of_references_keep_names_and_numbers() {
    let module = module(".global .texref t = { width = 10, filter_mode = linear };");
    let Some(Initializer::Fields(fields)) = &variable(&module, "t").init else { panic!("fields") };
    let names: Vec<_> = fields.iter().map(|(name, _)| module.name(*name)).collect();
    assert_eq!(names, ["width", "filter_mode"]);
    assert!(matches!(fields[1].1, FieldValue::Name(name) if module.name(name) == "linear"));
    assert!(matches!(fields[0].1, FieldValue::Number(number) if number.as_integer() == Some(10)));
}

#[test]
fn of_several_alignments_the_largest_counts() {
    let module = module(".align 4 .global .align 64 .align 8 .b32 v;");
    assert_eq!(variable(&module, "v").align, Some(64));
}

#[test]
fn device_functions_are_declared_without_a_semicolon_too() {
    let module = module(".func f ()\n.func g () .pragma \"x\";\n.entry k () { ret; }");
    assert!(matches!(module.items[5], Item::Pragma(..)));
    assert!(module.functions[..2].iter().all(|function| function.body.is_none()));
}

#[test]
fn comments_trail_precede_or_move_before_what_they_stand_in() {
    let module = module(
        "// first\n.global /* inside */ .u32 a; // behind a\n/* two\nlines */\n.func f() // head\n{ ret; }\n# 1 \"x.cu\"\n",
    );
    let items: Vec<String> = module.items[3..]
        .iter()
        .map(|item| match item {
            Item::Comment(text) => format!("comment {}", module.name(*text)),
            Item::TrailingComment(text) => format!("trailing {}", module.name(*text)),
            Item::Variable(_) => "variable".to_owned(),
            Item::Function(_) => "function".to_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    let expected = [
        "comment // first",
        "comment /* inside */",
        "variable",
        "trailing // behind a",
        "comment /* two\nlines */",
        "comment // head",
        "function",
        "comment # 1 \"x.cu\"",
    ];
    assert_eq!(items, expected);
}

#[test]
fn carriage_returns_and_zero_bytes_at_the_end_say_nothing() {
    let module = module(".global .u32 a; // c\r\n.global .u32 b;\r\n\0\0\n\0");
    assert_eq!(module.variables.len(), 2);
    assert!(matches!(module.items[4], Item::TrailingComment(text) if module.name(text) == "// c"));
}

#[test]
fn comments_may_hold_any_bytes_and_texts_ascii_alone() {
    let read = |line: &[u8]| {
        let text = [common::HEAD.as_bytes(), line].concat();
        ptx_syntax::parse(&ptx_diag::SourceFile::new("test.ptx", text))
    };
    let (module, findings) = read(b".file 1 \"a.cu\" // \xFE\n");
    assert!(findings.is_empty());
    assert!(matches!(&module.items[4], Item::TrailingComment(text) if module.name(*text) == "// \u{FFFD}"));
    let (_, findings) = read(b".file 1 \"\xFF.cu\"\n");
    assert_eq!(findings.iter().map(|finding| finding.code.0).collect::<Vec<_>>(), ["P0001"]);
}

#[test]
fn an_alias_names_two_functions() {
    let module = module(".visible .func f() { ret; } .visible .func g(); .alias g, f;");
    let Some(Item::Alias(alias, _)) = module.items.last() else { panic!("an alias") };
    assert_eq!(module.name(module.function(alias.name).name), "g");
    assert_eq!(module.name(module.function(alias.target).name), "f");
}

#[test]
fn external_variables_may_be_declared_again() {
    assert_eq!(
        findings(".extern .global .u32 x; .visible .global .u32 x = 1; .extern .global .u32 x;"),
        Vec::<String>::new()
    );
    let twice = findings(".global .u32 x;\n.global .u32 x;");
    assert_eq!(twice, ["5:14 P0202 `x` is declared twice in this scope"]);
}

#[test]
fn hexadecimal_numbers_leave_a_table_of_integers_packed() {
    let module = module(".global .u32 v[4] = {1, 0x10, -3, 0xFFFFFFFF};");
    let Some(Initializer::Integers(values)) = &variable(&module, "v").init else { panic!("a packed list") };
    assert_eq!(values.iter().collect::<Vec<_>>(), [1, 16, -3, 0xFFFF_FFFF]);
    let hexadecimal = values.constants().map(|value| matches!(value, Immediate::S64(_, Literal::Hex)));
    assert_eq!(hexadecimal.collect::<Vec<_>>(), [false, true, false, true]);
}

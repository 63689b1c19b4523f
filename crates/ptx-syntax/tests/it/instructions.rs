//! Instructions and their operands.

use crate::common;
use crate::common::{body, count, findings_in_kernel, instructions, kernel, operands, register_name};
use ptx_ir::{AddressBase, Immediate, LabelKind, Literal, Operand, Stmt, Symbol};
use ptx_isa::{Component, Field, Mod, SpecialReg};

#[test]
fn operands_are_put_into_the_places_of_the_form() {
    let module = kernel("setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;");
    let [Operand::Register(p), Operand::Register(q), Operand::Register(a), five, Operand::Not(c)] =
        operands(&module)[..]
    else {
        panic!("five operands")
    };
    let names = [p, q, a, c].map(|register| register_name(&module, register));
    assert_eq!(names, ["%p1", "%p2", "%r1", "%p3"]);
    assert_eq!(five, Operand::Immediate(Immediate::S64(5, Literal::Plain)));
}

#[test]
fn places_that_are_left_out_are_omitted() {
    let module = kernel("setp.lt.s32 %p1, %r1, %r2;");
    assert_eq!(operands(&module)[1], Operand::Omitted);
    let module = kernel("bar.sync 0;");
    assert_eq!(operands(&module)[1], Operand::Omitted);
    let module = kernel("bar.red.popc.u32 %r1, 0, %p1;");
    assert!(matches!(
        operands(&module)[..],
        [Operand::Register(_), Operand::Immediate(_), Operand::Omitted, Operand::Register(_)]
    ));
}

#[test]
fn a_cache_policy_stands_exactly_with_its_modifier() {
    let module = kernel("ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd2;");
    assert!(matches!(operands(&module)[2], Operand::Register(_)));
    let module = kernel("ld.global.b32 %r1, [%rd1];");
    assert_eq!(operands(&module)[2], Operand::Omitted);
    let one = findings_in_kernel("ld.global.L2::cache_hint.b32 %r1, [%rd1];");
    assert_eq!(one, ["10:1 P0304 `ld.global.L2::cache_hint.b32` takes 3 operands, not 2"]);
    let one = findings_in_kernel("ld.global.b32 %r1, [%rd1], %rd2;");
    assert_eq!(one, ["10:1 P0304 `ld.global.b32` takes 2 operands, not 3"]);
}

#[test]
fn operands_decide_between_rows_of_one_mnemonic() {
    let size = kernel("cp.async.ca.shared.global [%rd1], [%rd2], 4, %r1;");
    let ignore = kernel("cp.async.ca.shared.global [%rd1], [%rd2], 4, %p1;");
    let row = |module: &ptx_ir::Module| instructions(module)[0].mnemonic.form().operands[3].name;
    assert_eq!((row(&size), row(&ignore)), ("src-size", "ignore-src"));
}

#[test]
fn modifiers_may_be_parted_by_blanks() {
    let module = kernel("ld .global .u32 %r1, [%rd1];");
    let inst = instructions(&module)[0];
    assert_eq!(inst.mnemonic.get(Field::Space), Some(Mod::Global));
}

#[test]
fn addresses_count_from_registers_symbols_or_nothing() {
    let base = |text: &str| {
        let module = kernel(&format!("ld.local.u32 %r1, {text};"));
        let Operand::Address(base, offset) = operands(&module)[1] else { panic!("an address: {text}") };
        let kind = match base {
            AddressBase::Register(register) => register_name(&module, register),
            AddressBase::Symbol(Symbol::Variable(id)) => module.name(module.variable(id).name).to_owned(),
            AddressBase::Symbol(Symbol::Function(_)) => "function".to_owned(),
            AddressBase::Absolute => "absolute".to_owned(),
        };
        (kind, offset)
    };
    assert_eq!(base("[%rd3]"), ("%rd3".to_owned(), 0));
    assert_eq!(base("[%rd3+-8]"), ("%rd3".to_owned(), -8));
    assert_eq!(base("[ %rd3 + 4*2 ]"), ("%rd3".to_owned(), 8));
    assert_eq!(base("[gv+-4]"), ("gv".to_owned(), -4));
    assert_eq!(base("[gv+0x10]"), ("gv".to_owned(), 16));
    assert_eq!(base("gv[2]"), ("gv".to_owned(), 8));
    assert_eq!(base("[123]"), ("absolute".to_owned(), 123));
}

#[test]
fn offsets_are_added_and_never_subtracted() {
    for text in ["ld.local.u32 %r1, [%rd3-4];", "mov.u64 %rd1, gv-4;"] {
        let findings = findings_in_kernel(text);
        assert!(
            findings.iter().any(|finding| finding.contains("cannot be subtracted")),
            "{text}: {findings:?}"
        );
    }
}

#[test]
fn an_array_element_as_a_value_is_its_address() {
    let module = kernel("mov.u64 %rd1, gv[3];");
    assert!(matches!(operands(&module)[1], Operand::Symbol(Symbol::Variable(_), 12)));
    let module = kernel("mov.u64 %rd1, gv+-4;");
    assert!(matches!(operands(&module)[1], Operand::Symbol(Symbol::Variable(_), -4)));
}

#[test]
fn vectors_hold_registers_sinks_and_constants() {
    let module = kernel("ld.global.v4.b32 {%r1, _, %r2, %r3}, [%rd1];");
    let Operand::Vector(list) = operands(&module)[0] else { panic!("a vector") };
    let entries = body(&module).list(list);
    assert_eq!((entries.len(), entries[1]), (4, Operand::Sink));
}

#[test]
fn special_registers_and_vector_registers_have_components() {
    let module = kernel("mov.u32 %r1, %tid.x;");
    assert_eq!(operands(&module)[1], Operand::Special(SpecialReg::Tid, Some(Component::X)));
    let module = kernel(".reg .v2 .f32 v; mov.f32 %f1, v.g;");
    assert!(matches!(operands(&module)[1], Operand::Element(_, Component::Y)));
}

#[test]
fn guards_are_predicates_that_may_be_negated() {
    let module = kernel("@%p1 bar.sync 0;\n@ ! %p2 bar.sync 0;");
    let found = instructions(&module);
    let guards: Vec<_> = found
        .iter()
        .filter_map(|inst| inst.guard)
        .map(|guard| (register_name(&module, guard.register), guard.negated))
        .collect();
    assert_eq!(guards, [("%p1".to_owned(), false), ("%p2".to_owned(), true)]);
}

#[test]
fn registers_exist_once_they_are_mentioned() {
    let module = common::module(".entry k() { .reg .b32 %r<1000000>, a; add.s32 %r7, %r7, %r999999; ret; }");
    assert_eq!((body(&module).reg_decls.len(), body(&module).registers.len()), (2, 2));
    assert_eq!(body(&module).registers[1].number, 999_999);
}

#[test]
fn inner_scopes_hide_registers_and_ranges() {
    let module = kernel(
        "add.s32 %r1, %r1, 1;\n{ .reg .b32 %r<3>; .reg .b32 %r5; add.s32 %r1, %r5, %r6; }\nadd.s32 %r1, %r5, 1;",
    );
    let [outer, inner, after] = instructions(&module)[..] else { panic!("three instructions") };
    let decls = |inst| -> Vec<u32> {
        let registers = body(&module).operands(inst).iter().filter_map(|operand| operand.as_register());
        registers.map(|register| body(&module).registers[register.index()].decl.0).collect()
    };
    // Declarations: %p, %r, %rd, %f, %fd, then the inner %r<3> and %r5.
    assert_eq!((decls(outer), decls(inner), decls(after)), (vec![1, 1], vec![5, 6, 1], vec![1, 1]));
    assert_eq!(count(&module, |stmt| matches!(stmt, Stmt::ScopeStart | Stmt::ScopeEnd)), 2);
}

#[test]
fn branches_go_to_the_innermost_label_of_the_scopes_around_them() {
    let module = kernel("bra L;\n{ bra L; bra M; L: { bra L; } }\nL:\nM:");
    let targets: Vec<u32> = instructions(&module)
        .iter()
        .map(|inst| match body(&module).operands(inst) {
            [Operand::Label(label)] => label.0,
            other => panic!("a label, not {other:?}"),
        })
        .collect();
    let (outer, inner, m) = (targets[0], targets[1], targets[2]);
    assert_eq!(targets, [outer, inner, m, inner]);
    let defined: Vec<u32> = body(&module)
        .statements
        .iter()
        .filter_map(|stmt| match stmt {
            Stmt::Label(label) => Some(label.0),
            _ => None,
        })
        .collect();
    assert_eq!(defined, [inner, outer, m]);
    assert_eq!(body(&module).labels.len(), 3);
}

#[test]
fn calls_keep_results_callee_arguments_and_prototype() {
    let module = kernel(
        "{ .param .b32 a; .param .b32 r;\n P: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;\n\
         call.uni (r), %rd1, (a), P; }\ncall fn0, ();\ncall fn0;",
    );
    let found = instructions(&module);
    let all: Vec<_> = found.iter().map(|inst| body(&module).operands(inst)).collect();
    assert!(matches!(all[0], [Operand::List(_), Operand::Register(_), Operand::List(_), Operand::Label(_)]));
    assert!(
        matches!(all[1], [Operand::Omitted, Operand::Symbol(Symbol::Function(_), 0), Operand::List(list), Operand::Omitted] if list.is_empty())
    );
    assert!(matches!(all[2], [Operand::Omitted, Operand::Symbol(..), Operand::Omitted, Operand::Omitted]));
    assert_eq!(body(&module).labels[0].kind, LabelKind::CallPrototype);
    let prototype = body(&module).statements.iter().find_map(|stmt| match stmt {
        Stmt::CallPrototype(_, prototype) => Some(prototype),
        _ => None,
    });
    assert!(prototype.is_some_and(|prototype| prototype.noreturn.is_some() && prototype.params.len() == 1));
}

#[test]
fn target_lists_name_labels_and_functions() {
    let module = kernel("T: .branchtargets A, B;\nF: .calltargets fn0, fn0;\nbrx.idx %r1, T;\nA:\nB:");
    let lists = count(&module, |stmt| matches!(stmt, Stmt::BranchTargets(_, targets) if targets.len() == 2));
    let calls =
        count(&module, |stmt| matches!(stmt, Stmt::CallTargets(_, functions) if functions.len() == 2));
    assert_eq!((lists, calls), (1, 1));
}

#[test]
fn locations_pragmas_and_comments_are_statements() {
    let module = kernel(
        ".loc 2 893 5, function_name $L__info_string0+7, inlined_at 1 3 30\n.pragma \"nounroll\";\n{ // callseq 1\n}",
    );
    let location = body(&module)
        .statements
        .iter()
        .find_map(|stmt| match stmt {
            Stmt::Location(location) => Some(location),
            _ => None,
        })
        .expect("a location");
    assert_eq!((location.file, location.line, location.column), (2, 893, 5));
    let inlined = location.inlined.as_ref().expect("an inlined location");
    assert_eq!((module.name(inlined.name), inlined.offset), ("$L__info_string0", Some(7)));
    assert_eq!((inlined.file, inlined.line, inlined.column), (1, 3, 30));
    assert_eq!(count(&module, |stmt| matches!(stmt, Stmt::Pragma(texts) if texts.len() == 1)), 1);
    let at =
        body(&module).statements.iter().position(|stmt| matches!(stmt, Stmt::ScopeStart)).expect("a scope");
    assert!(
        matches!(body(&module).statements[at + 1], Stmt::TrailingComment(text) if module.name(text) == "// callseq 1")
    );
}

#[test]
fn an_instruction_stands_from_its_guard_to_its_last_operand() {
    let module = kernel("@%p1 add.s32 %r1, %r2, 3 ;");
    let inst = instructions(&module)[0];
    let text = "@%p1 add.s32 %r1, %r2, 3";
    assert_eq!(inst.at.0.hi - inst.at.0.lo, text.len() as u32);
    let spans = body(&module).operand_spans(inst);
    assert_eq!(spans[2].lo - inst.at.0.lo, text.len() as u32 - 1);
}

/// `ptxas` gives out registers in another order without the zeros, when it compiles for debugging.
#[test]
fn written_offsets_of_zero_are_printed_again() {
    for (written, printed) in [
        ("ld.global.b32 %r1, [%rd1+0];", "ld.global.b32 \t%r1, [%rd1+0];"),
        ("ld.global.b32 %r1, [ %rd1 + 0x0 ];", "ld.global.b32 \t%r1, [%rd1+0];"),
        ("ld.global.b32 %r1, [%rd1];", "ld.global.b32 \t%r1, [%rd1];"),
        ("ld.global.b32 %r1, [%rd1+4];", "ld.global.b32 \t%r1, [%rd1+4];"),
    ] {
        let text = ptx_ir::print(&kernel(written));
        assert!(text.contains(printed), "{written}\n{text}");
    }
}

//! Instructions, operands and registers as text, each alone.

use ptx_ir::{print, print_instruction, print_operands, print_register_name};

use crate::common::{body, module};

const TEXT: &str = ".func (.param .b32 r) f(.param .b32 x, .param .b32 y) { ret; }
.visible .entry k(.param .u64 a)
{
    .reg .pred %p, %q, done;
    .reg .b32 %r<8>;
    .reg .b64 %rd<2>;
    .reg .v2 .f32 %v;
    ld.param.u64 %rd1, [a];
    setp.lt.and.s32 %p|%q, %r1, -5, !done;
    @!%p ld.global.v2.u32 {%r1, _}, [%rd1+-8];
    @%q bra $end;
    call.uni (%r2), f, (%r3, 7);
    mov.f32 %v.x, 0f3F800000;
    atom.global.cas.b32 %r4, [%rd1+0], %r5, 0x10;
    tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];
$end:
    ret;
}
";

#[test]
fn an_instruction_is_its_line_of_the_module() {
    let module = module(TEXT);
    let body = body(&module);
    let text = print(&module);
    let own: Vec<String> =
        body.instructions().map(|(_, inst)| print_instruction(&module, body, inst)).collect();
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> =
        lines.filter(|line| own.contains(&line.trim_end_matches(';').to_owned())).collect();
    // `ret` is there twice.
    assert_eq!(lines.len(), own.len() + 1, "{own:#?}");
    assert_eq!(own[2], "@!%p ld.global.v2.u32 {%r1, _}, [%rd1+-8]");
}

#[test]
fn operands_are_those_that_are_written() {
    let module = module(TEXT);
    let body = body(&module);
    let operands: Vec<Vec<String>> =
        body.instructions().map(|(_, inst)| print_operands(&module, body, inst)).collect();
    assert_eq!(operands[1], ["%p", "%q", "%r1", "-5", "!done"]);
    assert_eq!(operands[2], ["{%r1, _}", "[%rd1+-8]"]);
    assert_eq!(operands[3], ["$end"]);
    assert_eq!(operands[4], ["(%r2)", "f", "(%r3, 7)"]);
    assert_eq!(operands[6], ["%r4", "[%rd1+0]", "%r5", "0x10"]);
    assert_eq!(operands[7], ["{%r1, %r2, %r3, %r4}", "[%rd1, {%r5}]"]);
    assert!(operands[8].is_empty());
}

#[test]
fn a_declaration_has_the_number_of_its_registers() {
    let module = module(TEXT);
    let names: Vec<String> =
        body(&module).reg_decls.iter().map(|decl| print_register_name(&module, decl)).collect();
    assert_eq!(names, ["%p", "%q", "done", "%r<8>", "%rd<2>", "%v"]);
}

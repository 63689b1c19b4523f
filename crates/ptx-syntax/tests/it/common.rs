//! Reading small texts in tests.

use ptx_diag::{Diagnostics, SourceFile};
use ptx_ir::{Body, Inst, Module, Operand, Stmt};

/// What every file starts with; test texts go on from line 4.
pub const HEAD: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";

/// The module of a text without findings.
pub fn module(text: &str) -> Module {
    let source = SourceFile::new("test.ptx", format!("{HEAD}{text}"));
    let (module, findings) = ptx_syntax::parse(&source);
    assert_eq!(shown(&source, &findings), Vec::<String>::new(), "{text}");
    module
}

/// The findings about a text after [`HEAD`], as `line:column CODE message`.
pub fn findings(text: &str) -> Vec<String> {
    let source = SourceFile::new("test.ptx", format!("{HEAD}{text}"));
    let (_, findings) = ptx_syntax::parse(&source);
    shown(&source, &findings)
}

/// The findings about the statements of a kernel `k` with some registers; the first statement is on line 10.
pub fn findings_in_kernel(statements: &str) -> Vec<String> {
    findings(&kernel_text(statements))
}

/// A module with a kernel `k` around the statements.
pub fn kernel(statements: &str) -> Module {
    module(&kernel_text(statements))
}

fn kernel_text(statements: &str) -> String {
    let registers =
        ".reg .pred %p<9>;\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n.reg .f32 %f<9>; .reg .f64 %fd<9>;\n";
    format!(
        ".func fn0() {{ ret; }} .global .u32 gv[8];\n.visible .entry k()\n{{{registers}\n{statements}\nret;\n}}\n"
    )
}

pub fn shown(source: &SourceFile, findings: &Diagnostics) -> Vec<String> {
    let one = |finding: &ptx_diag::Diagnostic| {
        let place = finding.span.map(|span| source.position(span.lo));
        let place = place.map_or(String::new(), |at| format!("{}:{} ", at.line, at.column));
        format!("{place}{} {}", finding.code.0, finding.message)
    };
    findings.iter().map(one).collect()
}

/// The body of the last function.
pub fn body(module: &Module) -> &Body {
    module.functions.last().and_then(|function| function.body.as_ref()).expect("a function with a body")
}

/// The instructions of the last function without its last `ret`.
pub fn instructions(module: &Module) -> Vec<&Inst> {
    let mut found: Vec<&Inst> = body(module).instructions().map(|(_, inst)| inst).collect();
    found.pop();
    found
}

/// The operands of the only instruction before the last `ret`.
pub fn operands(module: &Module) -> Vec<Operand> {
    let found = instructions(module);
    assert_eq!(found.len(), 1);
    body(module).operands(found[0]).to_vec()
}

/// A register as it is written.
pub fn register_name(module: &Module, register: ptx_ir::RegId) -> String {
    let body = body(module);
    let decl = body.decl(register);
    let name = module.name(decl.name);
    match decl.count {
        Some(_) => format!("{name}{}", body.registers[register.index()].number),
        None => name.to_owned(),
    }
}

/// How many statements are of a kind.
pub fn count(module: &Module, is: impl Fn(&Stmt) -> bool) -> usize {
    body(module).statements.iter().filter(|stmt| is(stmt)).count()
}

//! Reading and printing of a kernel that consists of the given statements.

use ptx_diag::SourceFile;
use ptx_ir::{Body, Module, RegDeclId, RegId};

/// Parses a module, which has to be valid.
pub fn parse(text: &str) -> Module {
    let (module, findings) = ptx_syntax::parse(&SourceFile::new("test.ptx", text));
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    if let Err(findings) = ptx_verify::verify(&module) {
        panic!("{findings:?}\n{text}");
    }
    module
}

/// Parses a kernel with some registers of each type and two variables.
pub fn kernel(statements: &str) -> Module {
    parse(&format!(
        ".version 8.0\n.target sm_90a\n.address_size 64\n\
         .shared .align 4 .b8 table[64];\n.shared .align 4 .b8 other[64];\n\
         .visible .entry k() {{\n\
         .reg .pred %p<8>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<8>;\n\
         {statements}\nret;\n}}\n"
    ))
}

/// The body of a module's only function.
pub fn body(module: &mut Module) -> &mut Body {
    module.functions[0].body.as_mut().unwrap()
}

/// The register with this name; it has to be mentioned.
pub fn register(module: &Module, name: &str) -> RegId {
    let body = module.functions[0].body.as_ref().unwrap();
    let found = body.registers.iter().position(|register| {
        let decl = &body.reg_decls[register.decl.0 as usize];
        let stem = module.name(decl.name);
        match decl.count {
            Some(_) => name == format!("{stem}{}", register.number),
            None => name == stem,
        }
    });
    RegId(found.unwrap_or_else(|| panic!("{name}")) as u32)
}

/// The declaration of a single register.
pub fn declaration(module: &Module, name: &str) -> RegDeclId {
    let body = module.functions[0].body.as_ref().unwrap();
    body.registers[register(module, name).index()].decl
}

/// Asserts that a pass turns one list of statements into another.
#[track_caller]
pub fn expect(before: &str, after: &str, pass: impl FnOnce(&mut Module)) {
    let mut module = kernel(before);
    pass(&mut module);
    let (found, expected) = (ptx_ir::print(&module), ptx_ir::print(&kernel(after)));
    assert!(found == expected, "found:\n{found}\nexpected:\n{expected}");
    parse(&found);
}

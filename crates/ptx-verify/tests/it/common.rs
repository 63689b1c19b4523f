//! Reading and verifying short texts.

use ptx_diag::{Diagnostics, SourceFile};

/// The head of a module for the newest target.
pub const HEAD: &str = ".version 9.5\n.target sm_100a\n.address_size 64\n";

/// Registers of every kind, as statements of tests name them.
const REGISTERS: &str = ".reg .pred p<9>; .reg .b8 b<9>; .reg .b16 h<9>; .reg .b32 r<9>; .reg .b64 d<9>; \
                         .reg .b128 q<9>; .reg .f32 f<9>; .reg .f64 e<9>; .reg .u32 u<9>; .reg .s32 s<9>; \
                         .reg .f16 hf<9>; .reg .f16x2 hx<9>; .reg .v4 .f32 v<2>;";

/// A module whose kernel has these statements.
pub fn kernel(statements: &str) -> String {
    format!(
        "{HEAD}.global .align 16 .b8 gv[64];\n.shared .align 16 .b8 sv[64];\n.const .b32 cv;\n.global .texref tex;\n\
         .func fn0 () {{ ret; }}\n.entry k (.param .b64 kp) {{ .local .align 16 .b8 lv[64]; {REGISTERS}\n{statements}\nret; }}\n"
    )
}

/// Module directives under the newest target.
pub fn module(directives: &str) -> String {
    format!("{HEAD}{directives}\n")
}

/// The diagnostics: for errors and warnings of the parser and the verifier, the code and the text at the location.
pub fn findings(text: &str) -> Vec<(String, String)> {
    let source = SourceFile::new("test.ptx", text);
    let (module, read) = ptx_syntax::parse(&source);
    assert!(!read.has_errors(), "the reader rejects this: {read:?}\n{text}");
    let show = |found: &Diagnostics| {
        let place = |d: &ptx_diag::Diagnostic| {
            d.span.map_or(String::new(), |span| text[span.lo as usize..span.hi as usize].to_owned())
        };
        found.iter().map(|d| (d.code.0.to_owned(), place(d))).collect()
    };
    match ptx_verify::verify(&module) {
        Ok((_, warnings)) => show(&warnings),
        Err(found) => show(&found),
    }
}

/// Whether the verifier accepts a text, warnings or not.
pub fn is_accepted(text: &str) -> bool {
    let source = SourceFile::new("test.ptx", text);
    let (module, read) = ptx_syntax::parse(&source);
    assert!(!read.has_errors(), "the reader rejects this: {read:?}\n{text}");
    ptx_verify::verify(&module).is_ok()
}

/// Asserts that each line, as statements of a kernel, gives no finding.
pub fn accepts(lines: &[&str]) {
    for line in lines {
        assert_eq!(findings(&kernel(line)), [], "{line}");
    }
}

/// Asserts that each line gives exactly this finding, at this text.
pub fn rejects(lines: &[(&str, &str, &str)]) {
    for (line, code, at) in lines {
        let wanted = [((*code).to_owned(), (*at).to_owned())];
        assert_eq!(findings(&kernel(line)), wanted, "{line}");
    }
}

//! The properties of the front half that the fuzz targets check.

use ptx_diag::{Color, Diagnostics, Format, SourceFile, render};
use ptx_ir::Module;

/// Reads a text and shows the findings in every form.
pub fn read(data: &[u8]) -> (SourceFile, Module, Diagnostics) {
    let source = SourceFile::new("fuzz.ptx", data);
    let (module, findings) = ptx_syntax::parse(&source);
    for format in [Format::Human(Color::Never), Format::Short, Format::Json] {
        let shown = render(&source, &findings, format);
        assert_eq!(shown.is_empty(), findings.is_empty());
    }
    (source, module, findings)
}

/// Reads a text; a module without errors prints, reads back as the same module, and prints the same again.
pub fn print_and_read_back(data: &[u8]) {
    let (_, module, findings) = read(data);
    if findings.has_errors() || ptx_verify::verify(&module).is_err() {
        return;
    }
    let text = ptx_ir::print(&module);
    let (_, again, findings) = read(text.as_bytes());
    assert!(!findings.has_errors(), "the print has errors: {findings:?}\n{text}");
    assert!(again == module, "the print reads back as another module:\n{text}");
    assert!(ptx_verify::verify(&again).is_ok(), "the print does not verify:\n{text}");
    assert_eq!(ptx_ir::print(&again), text, "the second print differs");
}

/// Reads a text and verifies what could be read, errors or not, as the tools do to show everything at once.
pub fn verify(data: &[u8]) {
    let (source, module, _) = read(data);
    if let Err(findings) = ptx_verify::verify(&module) {
        assert!(findings.has_errors());
        render(&source, &findings, Format::Human(Color::Always));
    }
}

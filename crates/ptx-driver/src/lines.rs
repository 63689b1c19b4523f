//! The lines of the PTX itself as its debug information.

use ptx_diag::{SourceFile, Span};
use ptx_ir::{At, DebugFile, DebugLocation, Item, Module, Stmt};
use ptx_link::Sources;

/// Gives each instruction its line and column in `sources` as a `.loc`, in place of the debug information that the module has: its `.file`,
/// `.loc` and DWARF sections. What is lowered from the module has these lines as debug locations, which LLVM's passes keep and raising writes
/// as `.loc`.
///
/// ```
/// use ptx_driver::{Comments, TargetChoice, locate_lines, read_program};
/// use ptx_diag::SourceFile;
///
/// let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";
/// let mut program = read_program(vec![SourceFile::new("k.ptx", text)], TargetChoice::default(), Comments::Dropped).unwrap();
/// locate_lines(&mut program.module, &program.sources);
/// let printed = ptx_ir::print(&program.module);
/// assert!(printed.contains(".file\t1 \"k.ptx\"") && printed.contains(".loc\t1 6 5"), "{printed}");
/// ```
pub fn locate_lines(module: &mut Module, sources: &Sources) {
    for function in &mut module.functions {
        let Some(body) = &mut function.body else { continue };
        let spans: Vec<Span> = body.instructions().map(|(_, inst)| inst.at.0).collect();
        let mut places = sources.places(&spans).into_iter();
        let mut statements = Vec::with_capacity(body.statements.len() + spans.len());
        for statement in std::mem::take(&mut body.statements) {
            match statement {
                Stmt::Location(_) => continue,
                Stmt::Inst(_) => statements.extend(places.next().flatten().map(|(file, position)| {
                    let (file, line, column) = (file as u32 + 1, position.line, position.column);
                    Stmt::Location(DebugLocation { file, line, column, inlined: None, at: At::default() })
                })),
                _ => {}
            }
            statements.push(statement);
        }
        body.statements = statements;
    }
    module.items.retain(|item| {
        !matches!(item, Item::File(..) | Item::Section(_) | Item::Location(_) | Item::DwarfLine(_))
    });
    let files = (1..).zip(quoted_names(sources.files())).map(|(index, name)| {
        let name = module.strings.intern(&name);
        Item::File(DebugFile { index, name, stamp: None }, At::default())
    });
    let files: Vec<Item> = files.collect();
    let is_head = |item: &Item| matches!(item, Item::Version(..) | Item::Target(..) | Item::AddressSize(..));
    let heads = module.items.iter().enumerate().filter(|(_, item)| is_head(item));
    let at = heads.map(|(at, _)| at + 1).fold(0, usize::max);
    module.items.splice(at..at, files);
}

/// The names of files as PTX can have them in quotes, in ASCII and without escapes. All are different.
pub(crate) fn quoted_names(files: &[SourceFile]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(files.len());
    for file in files {
        let plain = |c: char| if c == '"' || c.is_control() || !c.is_ascii() { '_' } else { c };
        let mut name: String = file.name().chars().map(plain).collect();
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_different() {
        let files = ["a.ptx", "\u{e9}\"\n\\.ptx", "\u{e8}__\\.ptx"].map(|name| SourceFile::new(name, ""));
        assert_eq!(quoted_names(&files), ["a.ptx", "___\\.ptx", "___\\.ptx_"]);
    }
}

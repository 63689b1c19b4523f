//! Debugging directives (manual 11.5), which are kept as written.

use ptx_diag::Diagnostic;
use ptx_ir::{At, DebugFile, DebugLocation, InlinedAt, Item, Section, SectionLine, Stmt};
use ptx_isa::PtxVersion;

use crate::codes;
use crate::resolve::constant::{long_word, word};
use crate::resolve::{Resolved, Resolver};
use crate::tree::{self as syntax, Name, Number};

impl<'s> Resolver<'s, '_> {
    /// `.file`
    pub(crate) fn file(&mut self, file: &syntax::File<'s>) -> Resolved<()> {
        let index = word(file.index, "the number of a file")?;
        let name = self.string(file.name)?;
        let stamp = match file.stamp {
            None => None,
            Some((time, size)) => {
                let size = size.map(|size| long_word(size, "the size of a file")).transpose()?;
                Some((long_word(time, "the time of a file")?, size))
            }
        };
        self.module.items.push(Item::File(DebugFile { index, name, stamp }, At(file.span)));
        Ok(())
    }

    /// `.loc`
    pub(crate) fn location(&mut self, location: &syntax::Location<'s>) -> Resolved<()> {
        let [file, line, column] = position(location.position)?;
        let inlined = match &location.inlined {
            None => None,
            Some(inlined) => {
                let syntax::InlinedAt { name, offset, position: place } = **inlined;
                let name = self.intern(name);
                let offset = offset.map(|offset| long_word(offset, "an offset")).transpose()?;
                let [file, line, column] = position(place)?;
                Some(Box::new(InlinedAt { name, offset, file, line, column }))
            }
        };
        let at = At(location.span);
        self.body.statements.push(Stmt::Location(DebugLocation { file, line, column, inlined, at }));
        Ok(())
    }

    /// `.section`
    pub(crate) fn section(&mut self, section: syntax::Section<'s>) -> Resolved<()> {
        // The memory of the labels is free before the lines take theirs.
        for Name { text: name, span } in section.labels {
            if let Some(first) = self.section_labels.insert(name, span) {
                let message = format!("label `{name}` is defined twice");
                let error = Diagnostic::error(codes::DUPLICATE, span, message);
                return Err(Box::new(error.with_related(first, "first defined here")));
            }
        }
        let name = self.intern(section.name);
        let mut lines = Vec::new();
        // The bytes, because comments need not be UTF-8.
        let text = self.source.slice(section.text_span);
        for line in text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii) {
            if !line.is_empty() {
                let text = self.module.strings.intern(&String::from_utf8_lossy(line));
                lines.push(SectionLine { text });
            }
        }
        self.module.items.push(Item::Section(Section { name, lines, at: At(section.span) }));
        Ok(())
    }

    /// `@@DWARF`: debug information of PTX before version 2.0.
    pub(crate) fn dwarf_line(&mut self, line: Name<'s>) -> Resolved<()> {
        if self.module.version().is_some_and(|version| version >= PtxVersion::new(2, 0)) {
            let message = "since PTX ISA 2.0 there is no `@@DWARF`";
            let error = Diagnostic::error(codes::DIRECTIVE, line.span, message);
            return Err(Box::new(error.with_help("write a `.section`")));
        }
        let text = String::from_utf8_lossy(self.source.slice(line.span)).into_owned();
        let text = self.module.strings.intern(&text);
        self.module.items.push(Item::DwarfLine(text));
        Ok(())
    }
}

fn position([file, line, column]: [Number<'_>; 3]) -> Resolved<[u32; 3]> {
    Ok([word(file, "the number of a file")?, word(line, "a line")?, word(column, "a column")?])
}

//! Telling PTX from LLVM IR.

use std::path::Path;

/// The language of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// PTX text.
    Ptx,
    /// LLVM IR, text or bitcode.
    Llvm,
}

impl InputKind {
    /// By the file name's extension (`.ptx`, `.ll`, `.bc`), else by the content.
    pub fn of(path: &Path, bytes: &[u8]) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("ptx") => InputKind::Ptx,
            Some("ll" | "bc") => InputKind::Llvm,
            _ => Self::of_content(bytes),
        }
    }

    /// By the content: bitcode by its magic number, text by the first character that is not blank or in a comment.
    ///
    /// PTX begins with a directive (`.version`), a comment (`//`, `/*`) or old debug information (`@@DWARF`); LLVM IR
    /// with a `;` comment, a word, a global (`@x`), a type (`%t`) or metadata (`!`).
    pub fn of_content(bytes: &[u8]) -> Self {
        if bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b") {
            return InputKind::Llvm;
        }
        let mut rest = bytes;
        loop {
            rest = rest.trim_ascii_start();
            let end: &[u8] = match rest {
                [b'/', b'/', ..] => b"\n",
                [b'/', b'*', ..] => b"*/",
                [b'@', b'@', ..] => return InputKind::Ptx,
                [b';' | b'@' | b'%' | b'!' | b'$' | b'^' | b'a'..=b'z', ..] => return InputKind::Llvm,
                _ => return InputKind::Ptx,
            };
            let Some(at) = rest[2..].windows(end.len()).position(|window| window == end) else {
                return InputKind::Ptx;
            };
            rest = &rest[2 + at + end.len()..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_decides_before_content() {
        assert_eq!(InputKind::of(Path::new("k.ptx"), b"define"), InputKind::Ptx);
        assert_eq!(InputKind::of(Path::new("k.ll"), b".version 8.0"), InputKind::Llvm);
        assert_eq!(InputKind::of(Path::new("-"), b".version 8.0"), InputKind::Ptx);
    }

    #[test]
    fn content_tells_the_languages_apart() {
        let ptx: [&[u8]; 6] = [
            b"\n// comment\n/* another */ .version 8.0",
            b".version 7.0",
            b"@@DWARF .byte 1",
            b"",
            b"/* open",
            b"/*/ not closed",
        ];
        for text in ptx {
            assert_eq!(InputKind::of_content(text), InputKind::Ptx, "{:?}", String::from_utf8_lossy(text));
        }
        let llvm: [&[u8]; 5] =
            [b"; ModuleID", b"\ndefine void @f()", b"@g = global i32 0", b"!0 = !{}", b"BC\xc0\xde"];
        for text in llvm {
            assert_eq!(InputKind::of_content(text), InputKind::Llvm, "{:?}", String::from_utf8_lossy(text));
        }
    }
}

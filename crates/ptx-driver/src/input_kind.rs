//! Detection of the input's language: PTX, LLVM IR or neither.

use std::path::Path;

use ptx_diag::Diagnostic;

use crate::llvm_leg::code;

/// The language of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// PTX text.
    Ptx,
    /// LLVM IR, text or bitcode.
    Llvm,
}

impl InputKind {
    /// Detects the kind by the file name's extension (`.ptx`, `.ll`, `.bc`), otherwise by the content.
    pub fn of(path: &Path, bytes: &[u8]) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("ptx") => InputKind::Ptx,
            Some("ll" | "bc") => InputKind::Llvm,
            _ => Self::of_content(bytes),
        }
    }

    /// Detects the kind by the content: bitcode by its magic number, text by the first character that is not blank or in a comment.
    ///
    /// PTX begins with a directive (`.version`), a comment (`//`, `/*`) or old debug information (`@@DWARF`); LLVM IR
    /// with a `;` comment, a word, a global (`@x`), a type (`%t`) or metadata (`!`).
    pub fn of_content(bytes: &[u8]) -> Self {
        if BITCODE.into_iter().any(|magic| bytes.starts_with(magic)) {
            return InputKind::Llvm;
        }
        match skip_comments(bytes) {
            // An archive is neither; the PTX reader reports it.
            Some([b'@', b'@', ..] | [b'!', b'<', ..]) => InputKind::Ptx,
            Some([b';' | b'@' | b'%' | b'!' | b'$' | b'^' | b'a'..=b'z', ..]) => InputKind::Llvm,
            _ => InputKind::Ptx,
        }
    }
}

/// Skips leading blanks and comments of PTX; `None` if a comment is unterminated.
fn skip_comments(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'/', b'/', ..] => b"\n",
            [b'/', b'*', ..] => b"*/",
            _ => return Some(rest),
        };
        let tail = rest.get(2..)?;
        let at = tail.windows(end.len()).position(|window| window == end)?;
        rest = tail.get(at + end.len()..)?;
    }
}

/// The magic numbers of bitcode, without and with a wrapper.
const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];

/// The first words of modules in LLVM IR: none of them begins PTX.
const LLVM_WORDS: [&[u8]; 6] =
    [b"; ModuleID", b"source_filename", b"target ", b"define ", b"declare ", b"attributes #"];

/// The magic numbers of other files, with their description and how to extract their contents.
const OTHERS: [(&[u8], &str, &str); 7] = [
    (b"\x7fELF", "an ELF file", CONTENTS),
    (b"\x50\xed\x55\xba", "a fat binary", CONTENTS),
    (b"!<arch>\n", "an archive", CONTENTS),
    (b"\x1f\x8b", "compressed (gzip)", UNPACK),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd)", UNPACK),
    (b"\xfd7zXZ\0", "compressed (xz)", UNPACK),
    (b"PK\x03\x04", "compressed (zip)", UNPACK),
];
const CONTENTS: &str =
    "cuobjdump -ptx prints the PTX that such a file holds; compilers write LLVM IR with -emit-llvm";
const UNPACK: &str = "unpack it first";

/// The error for an input that could not be read because it is in another language; `None` if it may be in the expected one.
pub(crate) fn mistaken(expected: InputKind, bytes: &[u8]) -> Option<Diagnostic> {
    let begins = |with: &[u8]| bytes.starts_with(with);
    if let Some((message, help)) = encoding(bytes) {
        return Some(Diagnostic::error_without_place(code::LANGUAGE, message).with_help(help));
    }
    let (what, help) = if let Some((_, what, help)) = OTHERS.iter().find(|(magic, ..)| begins(magic)) {
        (*what, *help)
    } else {
        match expected {
            InputKind::Ptx if BITCODE.into_iter().any(begins) => {
                ("bitcode of LLVM IR", "ll2ptx translates LLVM IR")
            }
            InputKind::Ptx
                if LLVM_WORDS.into_iter().any(|word| bytes.trim_ascii_start().starts_with(word)) =>
            {
                ("LLVM IR", "ll2ptx translates LLVM IR")
            }
            InputKind::Llvm if begins_with_directive(bytes) => ("PTX", "ptx2ll translates PTX"),
            InputKind::Ptx | InputKind::Llvm => return None,
        }
    };
    let wanted = match expected {
        InputKind::Ptx => "PTX",
        InputKind::Llvm => "LLVM IR",
    };
    let message = format!("the input is {what}, not {wanted}");
    Some(Diagnostic::error_without_place(code::LANGUAGE, message).with_help(help))
}

/// The message and help for a text in an encoding that neither PTX nor LLVM IR allows.
fn encoding(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const UTF8: &str = "save the file without it, as plain ASCII: tail -c +4 removes it";
    const UTF16: &str = "save the file as ASCII or UTF-8: iconv -f UTF-16 -t ASCII converts it";
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Some(("the input begins with a byte order mark (U+FEFF)", UTF8)),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(("the input is UTF-16 text, not ASCII", UTF16)),
        // Without a mark every other byte of the first words is zero.
        [first, 0, second, 0, ..] | [0, first, 0, second, ..]
            if first.is_ascii() && *first != 0 && second.is_ascii() && *second != 0 =>
        {
            Some(("the input is UTF-16 text, not ASCII", UTF16))
        }
        _ => None,
    }
}

/// Whether a text begins, after comments, with `.version`, the first directive of each PTX file.
fn begins_with_directive(bytes: &[u8]) -> bool {
    skip_comments(bytes).is_some_and(|rest| rest.starts_with(b".version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_something_else_is_said_to_be() {
        for (expected, bytes, what) in [
            (InputKind::Llvm, &b"// by hand\n.version 8.0\n"[..], "the input is PTX, not LLVM IR"),
            (InputKind::Ptx, b"; ModuleID = 'a'\n", "the input is LLVM IR, not PTX"),
            (InputKind::Ptx, b"\ndefine void @f() { ret void }", "the input is LLVM IR, not PTX"),
            (InputKind::Ptx, b"BC\xc0\xde5", "the input is bitcode of LLVM IR, not PTX"),
            (InputKind::Ptx, b"\x7fELF\x02", "the input is an ELF file, not PTX"),
            (InputKind::Llvm, b"\x1f\x8b\x08", "the input is compressed (gzip), not LLVM IR"),
        ] {
            let finding = mistaken(expected, bytes).expect("not what was expected");
            assert_eq!((finding.code, finding.message.as_str()), (code::LANGUAGE, what));
        }
        for (expected, bytes) in [
            (InputKind::Ptx, &b".version"[..]),
            (InputKind::Ptx, b"versoin 8.0"),
            (InputKind::Llvm, b"defin void @f()"),
            (InputKind::Llvm, b""),
        ] {
            assert_eq!(mistaken(expected, bytes).map(|finding| finding.message), None);
        }
    }

    #[test]
    fn encodings_that_are_not_ascii_are_named() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        for (bytes, what) in [
            (b"\xef\xbb\xbf.version 8.0".to_vec(), "byte order mark"),
            (utf16("\u{feff}.version 8.0"), "UTF-16"),
            (utf16(".version 8.0"), "UTF-16"),
            (".version".encode_utf16().flat_map(u16::to_be_bytes).collect(), "UTF-16"),
        ] {
            for expected in [InputKind::Ptx, InputKind::Llvm] {
                let finding = mistaken(expected, &bytes).expect("no ASCII");
                assert!(finding.message.contains(what), "{}", finding.message);
            }
        }
        assert_eq!(mistaken(InputKind::Ptx, b"\0\0\0\0"), None);
    }

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

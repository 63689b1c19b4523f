//! Recognizes machine code and other files that programs hand over in place of PTX.

use ptx_diag::Diagnostic;

use crate::codes;

/// Number of the machine in an ELF header for code of NVIDIA's GPUs.
const EM_CUDA: u16 = 190;
/// Its offset in the header.
const MACHINE: usize = 18;

/// The formats by the bytes that they begin with, each with its description and how to get PTX instead.
const FORMATS: [(&[u8], &str, &str); 5] = [
    (b"\x50\xed\x55\xba", "a fatbin, which has code for several GPUs", EXTRACT),
    (b"\xb1\x43\x62\x46", "the descriptor of a fatbin, which is not a file", EXTRACT),
    (b"\xed\x43\x4e\x7f", "LTO-IR, NVIDIA's intermediate code for linking", COMPILE),
    (b"!<arch>\n", "a library of object files", EXTRACT),
    (b"\x7fELF", "an ELF file, not PTX", EXTRACT),
];

const EXTRACT: &str = "`cuobjdump --dump-ptx` gives its PTX, if it has been compiled with `-gencode arch=compute_90,code=compute_90` or `--ptx`";
const COMPILE: &str = "compile without `-dlto` and with `--ptx`, or `--gpu-architecture=compute_90` of NVRTC";

/// The error about a file that is machine code or another known format; `None` for a text.
pub(crate) fn refusal(contents: &[u8]) -> Option<Diagnostic> {
    let (_, what, help) = FORMATS.iter().find(|(magic, ..)| contents.starts_with(magic))?;
    let machine =
        contents.get(MACHINE..).and_then(<[u8]>::first_chunk).map(|&bytes| u16::from_le_bytes(bytes));
    let what = match machine {
        Some(EM_CUDA) if contents.starts_with(b"\x7fELF") => "a cubin, which is machine code for a GPU",
        _ => what,
    };
    Some(Diagnostic::error_without_place(codes::BINARY, format!("this is {what}")).with_help(*help))
}

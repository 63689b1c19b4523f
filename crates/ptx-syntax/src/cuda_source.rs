//! Recognizes CUDA C++, which is given in place of PTX.

use ptx_diag::{Diagnostic, SourceFile, Span};

use crate::codes;

/// The bytes of a file that are searched.
const SEARCHED: usize = 256 << 10;

/// Words that only CUDA C++ has. PTX has them at most in comments and in texts.
const WORDS: [&[u8]; 8] = [
    b"__global__",
    b"__device__",
    b"__shared__",
    b"#include",
    b"threadIdx.",
    b"blockIdx.",
    b"__syncthreads(",
    b"cudaMalloc(",
];

/// The error about a file of CUDA C++; `None` for another text. It is for texts that could not be read: a text with `.version` is PTX.
pub fn cuda_source(source: &SourceFile) -> Option<Diagnostic> {
    let text = source.text();
    let text = text.get(..SEARCHED).unwrap_or(text);
    let mut found: Option<Span> = None;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(length) = comment(rest) {
            at += length;
            continue;
        }
        if rest.starts_with(b".version") {
            return None;
        }
        if found.is_none()
            && let Some(word) = WORDS.iter().find(|word| rest.starts_with(word))
        {
            found = Some(Span::new(at as u32, (at + word.len()) as u32));
        }
        at += 1;
    }
    let span = found?;
    let name = match source.name() {
        name if name.starts_with('<') => "kernel.cu",
        name => name,
    };
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let language = if name.ends_with(".cu") { "" } else { " -x cu" };
    let help = format!(
        "compile it to PTX: `nvcc --ptx{language} -arch=sm_90 {name} -o {stem}.ptx` or `clang++ -x cuda --cuda-device-only \
         --cuda-gpu-arch=sm_90 -O2 -S {name} -o {stem}.ptx`; to LLVM IR by clang with `-emit-llvm`, too"
    );
    Some(Diagnostic::error(codes::CUDA, span, "the input is CUDA C++, not PTX or LLVM IR").with_help(help))
}

/// The length of a comment at the start of a text.
fn comment(text: &[u8]) -> Option<usize> {
    let end: &[u8] = match text {
        [b'/', b'/', ..] => b"\n",
        [b'/', b'*', ..] => b"*/",
        _ => return None,
    };
    let at = memchr::memmem::find(text.get(2..)?, end);
    Some(at.map_or(text.len(), |at| 2 + at + end.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Option<(String, u32)> {
        let finding = cuda_source(&SourceFile::new(name, text))?;
        Some((finding.help.expect("the commands"), finding.span.expect("a place").lo))
    }

    #[test]
    fn sources_of_kernels_are_recognized() {
        for (text, at) in [
            ("#include <cuda.h>\n__global__ void k() {}\n", 0),
            ("// a kernel\nextern \"C\" __global__ void k(float *p) { p[threadIdx.x] = 1; }\n", 23),
            ("/* __global__ */ template<class T> __device__ T f();", 35),
        ] {
            let (help, lo) = found("k.cu", text).expect(text);
            assert_eq!(lo, at, "{text}");
            assert!(help.contains("nvcc --ptx -arch=sm_90 k.cu -o k.ptx"), "{help}");
            assert!(help.contains("--cuda-device-only --cuda-gpu-arch=sm_90 -O2 -S k.cu -o k.ptx"), "{help}");
        }
        let (help, _) = found("<stdin>", "__global__ void k();").expect("a source");
        assert!(help.contains("nvcc --ptx -arch=sm_90 kernel.cu -o kernel.ptx"), "{help}");
        let (help, _) = found("a.b/k", "__global__ void k();").expect("a source");
        assert!(help.contains("--ptx -x cu"), "{help}");
    }

    #[test]
    fn ptx_and_other_texts_are_no_sources() {
        for text in [
            "",
            "// __global__ void k()\nadd.s32",
            "/* threadIdx.x",
            ".version 8.0\n.global .b8 text[] = \"__global__\";",
            "define void @f()",
            "int main() { return 0; }",
        ] {
            assert_eq!(found("k.ptx", text), None, "{text}");
        }
    }
}

//! What `ptx-inspect` finds in small functions. What is expected was worked out by hand from the PTX.

mod divergence;
mod memory;
mod structure;

use ptx_diag::{SourceFile, Span};
use ptx_inspect::{Analysis, Report, inspect};

/// The report about a module with these functions; lines count from the first of them.
fn module(functions: &str, analyses: &[Analysis], block: Option<[u32; 3]>) -> Report {
    let text = format!(".version 8.0 .target sm_80 .address_size 64\n{functions}");
    let source = SourceFile::new("k.ptx", text);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let lines =
        |spans: &[Span]| spans.iter().map(|span| source.position(span.lo).line.saturating_sub(1)).collect();
    inspect(&module, analyses, block, &lines, &|_| "k.ptx".to_owned())
}

/// The report about a kernel; its statements begin at line 1, one in each.
fn kernel(body: &str, analyses: &[Analysis], block: Option<[u32; 3]>) -> Report {
    let head = ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n) { .reg .pred %p<9>; .reg .b32 %r<30>; \
         .reg .b64 %rd<30>; .reg .f32 %f<9>; .shared .align 16 .b8 s[16384];";
    let report = module(&format!("{head} {}\n}}", body.trim_start()), analyses, block);
    assert_eq!(report.functions.len(), 1);
    report
}

//! Wrong files that are too large or too odd to lie in `cases/`: each gets a clear error, and quickly.

use std::time::{Duration, Instant};

use ptx_diag::{Diagnostics, SourceFile};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Reads, and verifies what reads; the findings must come within `limit`.
fn findings(text: impl Into<Vec<u8>>, limit: Duration) -> (SourceFile, Diagnostics) {
    let source = SourceFile::new("wrong.ptx", text);
    let start = Instant::now();
    let findings = match ptx_driver::read_ptx(&source, ptx_driver::Comments::Kept) {
        Err(findings) => findings,
        Ok((module, findings)) => match ptx_verify::verify(&module) {
            Err(findings) => findings,
            Ok(_) => findings,
        },
    };
    let spent = start.elapsed();
    assert!(spent < limit, "it took {spent:?}");
    (source, findings)
}

fn refused(text: impl Into<Vec<u8>>) -> (SourceFile, Diagnostics) {
    let (source, findings) = findings(text, Duration::from_secs(60));
    assert!(findings.has_errors(), "accepted");
    (source, findings)
}

fn first_line((source, findings): &(SourceFile, Diagnostics)) -> u32 {
    let span = findings.iter().find_map(|finding| finding.span).expect("a finding with a place");
    source.position(span.lo).line
}

#[test]
fn an_empty_file_is_an_error() {
    refused("");
    refused("\n\n  \t\n");
    refused("// only a comment");
}

#[test]
fn binary_garbage_is_an_error() {
    let mut state = 1u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    refused(noise.take(1 << 20).collect::<Vec<u8>>());
    refused(vec![0u8; 1 << 16]);
    refused(vec![0xffu8; 1 << 16]);
    refused([&HEAD.as_bytes()[..20], &[0xff, 0xfe, 0x00]].concat());
}

#[test]
fn an_object_file_is_an_error() {
    let program = std::env::current_exe().and_then(std::fs::read).expect("the test reads itself");
    refused(&program[..program.len().min(1 << 20)]);
}

#[test]
fn nested_parentheses_are_an_error_or_a_number() {
    let nest = |n| format!("{}1{}", "(".repeat(n), ")".repeat(n));
    let kernel = |value: &str| {
        format!("{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<2>;\nmov.u32 %r1, {value};\nret;\n}}\n")
    };
    let (_, few) = findings(kernel(&nest(10)), Duration::from_secs(60));
    assert!(!few.has_errors());
    let many = refused(kernel(&nest(10_000)));
    assert_eq!(first_line(&many), 7);
    refused(kernel(&"(".repeat(10_000)));
    refused(kernel(&"-".repeat(10_000)));
    refused(kernel(&"!~".repeat(10_000)));
    refused(kernel(&format!("{}1{}", "1 ? ".repeat(10_000), " : 0".repeat(10_000))));
}

#[test]
fn nested_blocks_and_initialisers_are_an_error_or_fine() {
    refused(format!("{HEAD}.visible .entry k()\n{}", "{".repeat(10_000)));
    refused(format!("{HEAD}.global .u32 v = {};\n", "{".repeat(10_000)));
    refused(format!("{HEAD}.global .u32 v[1] = {}1{};\n", "{".repeat(10_000), "}".repeat(10_000)));
    refused(format!("{HEAD}.visible .entry k()\n{{\nadd.u32 {};\n}}\n", "{".repeat(10_000)));
    refused(format!("{HEAD}.visible .entry k()\n{{\nld.u32 {};\n}}\n", "[".repeat(10_000)));
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_a_module() {
    let text = format!(
        "{HEAD}.global .align 4 .u32 v[2] = {{1, 2}};\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<4>;\n\
         .reg .pred %q;\nagain:\n/* c */ @%q bra again;\nmad.lo.u32 %r1, %r2, 0x10, -%r3;\n\
         ld.global.v2.u32 {{%r1, %r2}}, [v+4];\nret;\n}}\n"
    );
    for end in 0..text.len() {
        findings(&text[..end], Duration::from_secs(60));
    }
    for at in 0..text.len() {
        for byte in [b'\0', b'{', b'}', b'"', b';', b'(', 0xff] {
            let mut broken = text.clone().into_bytes();
            broken[at] = byte;
            findings(broken, Duration::from_secs(60));
        }
    }
}

#[test]
fn a_hundred_megabytes_are_refused_quickly() {
    let limit = Duration::from_secs(60);
    let size = testing::count("megabytes of wrong files", 100_usize, 20) << 20;
    let long_word = vec![b'a'; size];
    assert!(findings(long_word, limit).1.has_errors());
    let (_, found) = findings("frobnicate %r1, %r2;\n".repeat(size / 21), limit);
    assert!(found.has_errors());
    // One mistake at the very end of a file that is otherwise as it should be.
    let mut text = format!("{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<4>;\n");
    let line = "add.u32 %r1, %r2, %r3;\n";
    text.push_str(&line.repeat(size / line.len()));
    text.push_str("add.u32 %r1, %r2, %nowhere;\nret;\n}\n");
    let found = findings(text, limit);
    assert_eq!(first_line(&found) as usize, 7 + size / line.len());
    assert_eq!(found.1.error_count(), 1);
}

#[test]
fn numbers_and_names_of_any_length_are_an_error_or_fine() {
    let kernel = |operand: &str| {
        format!("{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<2>;\nmov.u32 %r1, {operand};\nret;\n}}\n")
    };
    refused(kernel(&"a".repeat(1 << 20)));
    refused(kernel(&format!("0x{}", "f".repeat(1 << 20))));
    findings(kernel(&"9".repeat(1 << 20)), Duration::from_secs(60));
    refused(format!("{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<99999999999999999999>;\nret;\n}}\n"));
    refused(format!("{HEAD}.global .u32 v[99999999999999999999];\n"));
    findings(
        format!("{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<2000000000>;\nret;\n}}\n"),
        Duration::from_secs(60),
    );
}

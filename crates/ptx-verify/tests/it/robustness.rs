//! The verifier does not panic on any output of the parser, and takes linear time for large modules.

use std::time::{Duration, Instant};

use crate::common;
use ptx_diag::SourceFile;

/// Verifies the parser's result for a text, with or without errors.
fn survive(text: &[u8]) {
    let source = SourceFile::new("test.ptx", text);
    let (module, _) = ptx_syntax::parse(&source);
    let _ = ptx_verify::verify(&module);
}

const SAMPLE: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.global .u64 p[2] = {g1, generic(g1)+8};\n\
    .visible .func (.param .b32 r) f (.param .align 8 .b8 a[16], .reg .pred q) { ret; }\n\
    .entry k (.param .u64 .ptr .global n) .maxntid 32, 1, 1 { .reg .pred p<3>; .reg .b32 r<8>; .reg .b64 d<8>; \
    .reg .v4 .f32 v; .shared .b8 s[64]; T: .branchtargets L, M; P: .callprototype (.param .b32 _) _ (.param .b32 _);\n\
    ld.param.u64 d0, [n]; @!p1 ld.global.v4.f32 v, [d0+16]; mov.b64 {r0, _}, d0; setp.lt.and.s32 p0|p1, r0, 5, !p2;\n\
    L: brx.idx r0, T; M: call (r1), d1, (r2), P; shfl.sync.idx.b32 r1|p1, r2, 0, 31, -1; cvt.rn.f32.s32 v.x, r1;\n\
    mov.u32 r3, %tid.x; atom.global.add.u32 r4, [d0], 1; st.shared.u8 [s+3], r4; bar.sync 0; ret; }\n";

#[test]
fn truncated_and_flipped_texts_give_findings_not_panics() {
    let sample = SAMPLE.replace("{g1, generic(g1)+8}", "{1, 2}");
    for end in 0..sample.len() {
        survive(&sample.as_bytes()[..end]);
    }
    for at in 0..sample.len() {
        for byte in [b'0', b'x', b'.', b'%', b'{', b';', b'_'] {
            let mut text = sample.clone().into_bytes();
            text[at] = byte;
            survive(&text);
        }
    }
}

#[test]
fn the_number_of_findings_is_limited() {
    let wrong = "add.f64 r, r, r;\n".repeat(3000);
    let text =
        format!(".version 8.0\n.target sm_80\n.address_size 64\n.entry k () {{ .reg .b32 r;\n{wrong} }}\n");
    let (module, found) = ptx_syntax::parse(&SourceFile::new("test.ptx", text));
    assert!(found.is_empty());
    let findings = ptx_verify::verify(&module).expect_err("wrong types");
    assert_eq!(findings.len(), 1001);
    assert_eq!(findings.iter().last().map(|finding| finding.code.0), Some("V0001"));
}

#[test]
fn operands_of_every_kind_at_every_place_are_survived() {
    let kinds = [
        "r0", "d0", "p0", "!p0", "f0", "v0", "v0.x", "_", "5", "1.5", "%tid.x", "%tid", "gv", "gv+4", "fn0",
        "[d0]", "[gv]", "[5]", "{r0, r1}", "{_, _}", "{5}", "L", "WARP_SZ",
    ];
    let forms = [
        "add.s32 A, B, r1",
        "mov.b64 A, B",
        "ld.global.v2.b32 A, B",
        "st.shared.b32 A, B",
        "cvt.u32.u64 A, B",
        "setp.eq.s32 A, B, 1",
        "selp.b32 r0, r1, A, B",
        "bar.sync A, B",
        "atom.global.add.u32 A, B, 1",
        "bra A",
        "prmt.b32 r0, A, B, 1",
        "call A, B",
        "cp.async.ca.shared.global A, B, 4",
        "brx.idx A, B",
    ];
    for form in forms {
        for a in kinds {
            for b in kinds {
                let line = form.replace('A', a).replace('B', b);
                survive(common::kernel(&format!("L: {line};")).as_bytes());
            }
        }
    }
}

#[test]
fn tens_of_thousands_of_everything_are_quick() {
    let many = 30_000;
    let mut text = common::module(".func f (.param .b32 a) { ret; }\n.entry k (");
    let params: Vec<_> = (0..2000).map(|at| format!(".param .b32 a{at}")).collect();
    text += &params.join(", ");
    text += ") { .reg .b32 r<30001>; .reg .b64 d;\n";
    for at in 0..many {
        text += &format!(
            "{{ .param .b32 x; st.param.b32 [x], r{at}; call f, (x); }}\nL{at}: ld.param.b32 r{at}, [a{}];\n",
            at % 2000
        );
    }
    text += "ret; }\n";
    let source = SourceFile::new("test.ptx", text);
    let (module, read) = ptx_syntax::parse(&source);
    assert!(!read.has_errors(), "{:?}", read.iter().next());
    let start = Instant::now();
    assert!(ptx_verify::verify(&module).is_ok());
    // A rule that searched all parameters or variables for each statement would take minutes.
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

//! The suggestions of diagnostics.

use ptx_diag::SourceFile;

/// The help of the only finding about a body.
fn help(body: &str) -> String {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {{ .reg .b32 %r<4>; .reg .f32 %f; .reg .pred %p; {body} }}"
    );
    let (module, found) = ptx_syntax::parse(&SourceFile::new("help.ptx", text));
    assert!(found.is_empty(), "{found:?}");
    let found = ptx_verify::verify(&module).expect_err("a finding");
    let mut findings = found.iter();
    let finding = findings.next().expect("a finding");
    assert_eq!(findings.next().map(|finding| &finding.message), None);
    finding.help.clone().unwrap_or_default()
}

#[test]
fn guard_that_is_a_number_is_to_be_compared() {
    assert_eq!(help("@%r1 mov.u32 %r2, 1;"), "compare it with 0 first, by `setp.ne.b32`");
    assert_eq!(help("@%f mov.u32 %r2, 1;"), "");
}

//! Calls, branches and prototypes. Right and wrong are `ptxas` 13.5's.

use crate::common::{findings, module};

/// The codes of a kernel's statements after module directives.
fn of(directives: &str, statements: &str) -> Vec<String> {
    let text = format!(
        "{directives}\n.entry k () {{ .reg .b32 r<4>; .reg .b64 d<4>; .reg .f32 f<4>; .reg .pred p<4>;\n{statements}\nret; }}"
    );
    findings(&module(&text)).into_iter().map(|(code, _)| code).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn arguments_agree_in_width_and_kind() {
    let fits = [
        (".func f (.param .u32 a) { ret; }", ".param .s32 x; call f, (x); call f, (r0); call f, (5);"),
        (".func f (.param .f32 a) { ret; }", ".param .b32 x; call f, (x); call f, (r0); call f, (1.5);"),
        (".func f (.reg .b32 a) { ret; }", ".param .b32 x; call f, (x); call f, (f0);"),
        (".func f (.param .align 8 .b8 a[16]) { ret; }", ".param .align 8 .u8 x[16]; call f, (x);"),
        (".func f (.param .b32 a, .param .b8 v[]);", ".param .b32 x; .param .b8 y[12]; call f, (x, y);"),
        (".func (.param .b32 r) f () { ret; }", ".param .b32 x; call (x), f; call (r0), f, (); call (_), f;"),
    ];
    for (directives, statements) in fits {
        assert_eq!(of(directives, statements), NONE, "{directives} {statements}");
    }
    let does_not = [
        (".func f (.param .f32 a) { ret; }", ".param .u32 x; call f, (x);"),
        (".func f (.param .b32 a) { ret; }", ".param .b64 x; call f, (x);"),
        (".func f (.param .b8 a[8]) { ret; }", ".param .b64 x; call f, (x);"),
        (".func f (.param .b8 a[8]) { ret; }", ".param .b8 x[12]; call f, (x);"),
        (".func f (.param .align 4 .b8 a[8]) { ret; }", ".param .align 8 .b8 x[8]; call f, (x);"),
        (".func f (.param .f32 a) { ret; }", "call f, (5);"),
        (".func f (.param .b32 a) { ret; }", ".local .b32 x; call f, (x);"),
        (".func f (.param .b32 a) { ret; }", "call f, (p0);"),
        (".func (.param .b32 r) f () { ret; }", ".param .b64 x; call (x), f;"),
        // An element of a vector cannot be an argument or a result.
        (".func f (.param .b32 a) { ret; }", ".reg .v4 .b32 v; call f, (v.y);"),
        (".func f (.reg .b32 a) { ret; }", ".reg .v4 .b32 v; call f, (v.y);"),
        (".func (.reg .b32 r) f () { ret; }", ".reg .v4 .b32 v; call (v.x), f;"),
    ];
    for (directives, statements) in does_not {
        assert_eq!(of(directives, statements), ["V0604"], "{directives} {statements}");
    }
}

#[test]
fn elements_of_vectors_are_moved_before_they_are_passed() {
    for (function, call, help) in [
        (".func f (.reg .b32 a) { ret; }", "call f, (v.y);", "`mov` it to a register, and pass that"),
        (".func (.reg .b32 r) f () { ret; }", "call (v.x), f;", "and copy it from there with `mov`"),
    ] {
        let text = module(&format!("{function} .entry k () {{ .reg .v4 .b32 v; {call} ret; }}"));
        let (read, _) = ptx_syntax::parse(&ptx_diag::SourceFile::new("test.ptx", text.as_str()));
        let found = ptx_verify::verify(&read).expect_err("the call is refused");
        let helps: Vec<&str> = found.iter().filter_map(|d| d.help.as_deref()).collect();
        assert!(matches!(helps[..], [one] if one.contains(help)), "{helps:?}");
    }
}

#[test]
fn parameters_of_the_function_are_not_passed_on() {
    let text = ".func g (.param .b32 a) { ret; } .func f (.param .b32 a) { call g, (a); ret; }";
    let codes: Vec<_> = findings(&module(text)).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["V0604"]);
}

#[test]
fn calls_have_as_many_arguments_and_results_as_the_function() {
    let f = ".func (.param .b32 r) f (.param .b32 a, .param .b32 b) { ret; }";
    assert_eq!(of(f, "call (r0), f, (r1, r2);"), NONE);
    assert_eq!(of(f, "call (r0), f, (r1);"), ["V0603"]);
    assert_eq!(of(f, "call f, (r1, r2);"), ["V0603"]);
    assert_eq!(of(f, "call f;"), ["V0603", "V0603"]);
}

#[test]
fn only_device_functions_are_called() {
    assert_eq!(of(".entry q () { ret; }", "call q;"), ["V0602"]);
}

#[test]
fn indirect_calls_have_a_prototype_or_targets() {
    let f = ".func f (.param .b32 a) { ret; } .func g () { ret; }";
    assert_eq!(of(f, "p: .callprototype _ (.param .b32 _); call d0, (r0), p;"), NONE);
    assert_eq!(of(f, "t: .calltargets f; call d0, (r0), t;"), NONE);
    assert_eq!(of(f, "call d0, (r0);"), ["V0605"]);
    assert_eq!(of(f, "p: .callprototype _ (); call d0, (r0), p;"), ["V0603"]);
    assert_eq!(of(f, "t: .calltargets f, g; call d0, (r0), t;"), ["V0603"]);
    assert_eq!(of(f, "p: .callprototype _ (.param .b32 _); call f0, (r0), p;"), ["V0602"]);
}

#[test]
fn indexed_branches_take_a_list_of_targets() {
    assert_eq!(of("", "T: .branchtargets A, B; A: brx.idx r0, T; B: @p0 bra A;"), NONE);
    assert_eq!(of("", "T: .branchtargets A; A: brx.idx d0, T;"), ["V0401"]);
    assert_eq!(of("", "T: .branchtargets A; A: brx.idx r0, A;"), ["V0601"]);
    assert_eq!(of("", "T: .branchtargets A; A: bra T;"), ["V0601"]);
}

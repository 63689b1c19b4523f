//! Versions, targets, variables, functions and debug directives. Right and wrong are `ptxas` 13.5's.

use crate::common::{findings, is_accepted, module};

fn codes(text: &str) -> Vec<String> {
    findings(text).into_iter().map(|(code, _)| code).collect()
}

/// Codes of module directives under the newest target.
fn of(directives: &str) -> Vec<String> {
    codes(&module(directives))
}

const NONE: [&str; 0] = [];

#[test]
fn the_head_names_a_version_and_a_target_that_go_together() {
    assert_eq!(codes(".version 8.0\n.target sm_90a\n.address_size 64\n"), NONE);
    assert_eq!(codes(".version 7.9\n.target sm_80\n.address_size 64\n"), ["V0102"]);
    assert_eq!(codes(".version 9.9\n.target sm_80\n.address_size 64\n"), ["V0102"]);
    assert_eq!(codes(".version 7.8\n.target sm_90a\n.address_size 64\n"), ["V0105"]);
    assert_eq!(codes(".version 9.0\n.target sm_90f\n.address_size 64\n"), ["V0104"]);
    assert_eq!(codes(".version 9.0\n.target sm_99\n.address_size 64\n"), ["V0104"]);
    assert_eq!(codes(".version 9.0\n.target texmode_unified\n.address_size 64\n"), ["V0103"]);
    assert_eq!(
        codes(".version 9.0\n.target sm_80, texmode_unified, texmode_independent\n.address_size 64\n"),
        ["V0106"]
    );
    assert_eq!(codes(".version 9.0\n.target sm_80, debug\n.address_size 64\n"), ["V0106"]);
    assert_eq!(codes(".version 2.2\n.target sm_20\n.address_size 64\n"), ["V0108"]);
}

#[test]
fn addresses_have_64_bits_unless_said_otherwise() {
    assert!(codes(".version 8.0\n.target sm_80\n.address_size 32\n").is_empty());
    // Without the directive 64 bits are assumed, with a warning.
    let text = ".version 8.0\n.target sm_80\n.entry k () { ret; }\n";
    assert_eq!(codes(text), ["V0107"]);
    assert!(is_accepted(text));
    // A module that uses 32-bit addresses has them, as for `ptxas`: their registers are not reported.
    let text = ".version 8.0\n.target sm_80\n.entry k () { .reg .b32 r; ld.global.b32 r, [r]; ret; }\n";
    assert_eq!(codes(text), ["V0107"]);
}

#[test]
fn an_unknown_target_has_a_near_one_for_help() {
    let source = ptx_diag::SourceFile::new("t", ".version 8.0\n.target sm_8O\n.address_size 64\n");
    let (module, _) = ptx_syntax::parse(&source);
    let found = ptx_verify::verify(&module).err().map(|found| found.iter().find_map(|d| d.help.clone()));
    assert_eq!(found.flatten().as_deref(), Some("did you mean `sm_80`?"));
}

#[test]
fn variables_have_declarable_types_spaces_and_sizes() {
    assert_eq!(
        of(".global .b128 a; .shared .align 16 .v4 .f32 b[4]; .const .f16 c; .extern .shared .b8 d[];"),
        NONE
    );
    for (text, code) in [
        (".shared .samplerref v;", "V0202"),
        (".global .b32 v[];", "V0204"),
        (".shared .b32 v[0];", "V0204"),
        (".global .v4 .b64 v;", "V0205"),
        (".common .shared .b32 v;", "V0209"),
        (".shared .attribute(.managed) .b32 v;", "V0208"),
    ] {
        assert_eq!(of(text).first().map(String::as_str), Some(code), "{text}");
    }
}

#[test]
fn initial_values_fit_the_variable() {
    let good = ".global .b32 g[2] = {1, 0x1ffffffff}; .global .u64 a[2] = {g, generic(g)+4}; .const .f32 pi = 3.14; \
                .global .u8 m[2] = {0xFF(g), 0xFF00(g)}; .global .u8 n[2][2] = {{1, 2}, {3}}; .global .b32 f = 1.0; \
                .global .v2 .b32 v[2] = {{1, 2}, {3, 4}};";
    assert_eq!(of(good), NONE);
    for text in [
        ".global .f32 v = 1;",
        ".global .u32 v = 1.0;",
        ".global .u8 v[2] = {1, 2, 3};",
        ".global .u8 v[2] = 1;",
        ".global .b32 v = {1};",
        ".global .v2 .b32 v[2] = {1, 2};",
        ".global .v4 .b32 v = {1, 2};",
        ".shared .b32 s; .global .u64 v = s;",
        ".global .b32 g; .global .b64 v = g;",
        ".global .b32 g; .global .s8 v = 0xFF(g);",
    ] {
        assert_eq!(of(text), ["V0207"], "{text}");
    }
    for text in [".shared .b32 v = 1;", ".extern .global .b32 v = 1;", ".global .f16 v = 1.0;"] {
        assert_eq!(of(text), ["V0206"], "{text}");
    }
}

#[test]
fn declarations_of_one_name_agree() {
    let good = ".extern .global .b32 v[]; .visible .global .b32 v[4]; .visible .func f (.param .b32 a); \
                .func f (.param .b32 a) { ret; } .func g (); .func g (); .func g () { ret; }";
    assert_eq!(of(good), NONE);
    for text in [
        ".extern .global .b32 v; .visible .global .b64 v;",
        ".extern .global .b32 v; .global .b32 v;",
        ".func f (.param .b32 a); .func f (.param .u32 a) { ret; }",
        ".func f (.param .b32 a); .func f () { ret; }",
        ".func f (.param .b32 a); .func f (.reg .b32 a) { ret; }",
        ".func f (); .visible .func f () { ret; }",
        ".func f (); .entry f () { ret; }",
    ] {
        assert_eq!(of(text), ["V0210"], "{text}");
    }
}

#[test]
fn parameters_fit_their_function() {
    let good = ".entry k (.param .u64 .ptr .global .align 16 p, .param .align 16 .b8 q[32]) { ret; } \
                .func (.reg .b32 r, .reg .b32 s) f (.reg .v2 .b32 a, .param .b8 b[]) { ret; }";
    assert_eq!(of(good), NONE);
    assert_eq!(of(".entry k (.param .b8 p[32764]) { ret; }"), NONE);
    for (text, code) in [
        (".func f (.param .u64 .ptr p) { ret; }", "V0302"),
        (".entry k (.param .b8 p[]) { ret; }", "V0204"),
        (".entry k (.param .v4 .f32 p) { ret; }", "V0301"),
        (".entry k (.param .b8 p[32765]) { ret; }", "V0303"),
        (".func (.param .b32 a, .param .b32 b) f () { ret; }", "V0301"),
        (".func f (.param .align 256 .b8 p[16]) { ret; }", "V0203"),
        (".func f (.param .b32 _) { ret; }", "V0301"),
        (".extern .func f () { ret; }", "V0209"),
    ] {
        assert_eq!(of(text), [code], "{text}");
    }
    let old = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k (.param .b8 p[4353]) { ret; }\n";
    assert_eq!(codes(old), ["V0303"]);
}

#[test]
fn function_directives_belong_to_kernels_and_go_together() {
    let good = ".entry k () .maxntid 128, 2 .minnctapersm 2 .maxnreg 64 { ret; } \
                .entry j () .blocksareclusters .reqntid 128 .reqnctapercluster 2 { ret; } .func f () .noreturn { exit; }";
    assert_eq!(of(good), NONE);
    for (text, code) in [
        (".entry k () .maxntid 0 { ret; }", "V0305"),
        (".entry k () .reqntid 4, 0 { ret; }", "V0305"),
        (".entry k () .maxntid 128 .reqntid 128 { ret; }", "V0306"),
        (".entry k () .reqnctapercluster 2 .maxclusterrank 4 { ret; }", "V0306"),
        (".entry k () .blocksareclusters .reqntid 128 { ret; }", "V0306"),
        (".func (.param .b32 r) f () .noreturn { exit; }", "V0304"),
        (".entry k () .pragma \"frequency 10\"; { ret; }", "V0309"),
    ] {
        assert_eq!(of(text), [code], "{text}");
    }
    assert_eq!(
        codes(".version 8.0\n.target sm_80\n.address_size 64\n.entry k () .maxclusterrank 4 { ret; }\n"),
        ["V0109"]
    );
}

#[test]
fn aliases_stand_for_defined_functions() {
    assert_eq!(of(".visible .func f () { ret; } .visible .func g (); .alias g, f;"), NONE);
    for text in [
        ".extern .func f (); .visible .func g (); .alias g, f;",
        ".visible .func f () { ret; } .visible .func g () { ret; } .alias g, f;",
        ".visible .func f (.param .b32 a) { ret; } .visible .func g (); .alias g, f;",
        ".weak .func f () { ret; } .weak .func g (); .alias g, f;",
    ] {
        assert_eq!(of(text), ["V0307"], "{text}");
    }
}

#[test]
fn file_indices_and_places_of_calls_are_declared() {
    assert_eq!(of(".file 1 \"a.cu\"\n.file 2 \"b.cu\""), NONE);
    assert_eq!(of(".file 1 \"a.cu\"\n.file 1 \"b.cu\""), ["V0308"]);
    let inlined = |first: &str| {
        of(&format!(
            ".file 1 \"a.cu\"\n.entry k () {{\n{first}\n.loc 1 10 5, function_name info0, inlined_at 1 3 4\nret; }}\n\
             .section .debug_str {{ info0: .b8 97, 98, 0 }}"
        ))
    };
    assert_eq!(inlined(".loc 1 3 4"), NONE);
    assert_eq!(inlined(""), ["V0308"]);
}

#[test]
fn sections_have_labels_since_7_0_and_differences_and_signs_since_7_5() {
    let at = |version: &str, line: &str| {
        codes(&format!(
            ".version {version}\n.target sm_60\n.address_size 64\n.entry k () {{ ret; }}\n\
             .section .debug_info {{\n.b8 1 // a: comment-with signs\n{line}\n}}\n"
        ))
    };
    assert_eq!(at("6.0", ".b32 -5"), ["V0108"]);
    assert_eq!(at("6.5", "a:\n.b32 4"), ["V0108"]);
    assert_eq!(at("7.0", "a:\n.b32 4"), NONE);
    assert_eq!(at("7.4", "a:\nb:\n.b32 b-a"), ["V0108"]);
    assert_eq!(at("7.5", "a:\nb:\n.b32 b-a"), NONE);
}

/// The reader refuses these by itself; modules made by code reach the verifier.
#[test]
fn types_of_instructions_and_predicates_are_no_types_of_variables() {
    let source = ptx_diag::SourceFile::new("t", module(".global .b32 v; .entry k () { ret; }"));
    let (mut module, _) = ptx_syntax::parse(&source);
    assert!(ptx_verify::verify(&module).is_ok());
    for ty in [ptx_isa::ScalarType::U16x2, ptx_isa::ScalarType::Bf16, ptx_isa::ScalarType::Pred] {
        module.variables[0].ty = ptx_ir::VarType::Scalar(ty);
        let found = ptx_verify::verify(&module).err();
        assert_eq!(found.and_then(|found| found.iter().next().map(|d| d.code.0)), Some("V0201"), "{ty:?}");
    }
}

/// The first architecture must be compatible with the others, as `ptxas` requires.
#[test]
fn several_targets_go_by_the_first() {
    let text = |targets: &str| format!(".version 9.5\n{targets}\n.address_size 64\n.entry k () {{ ret; }}\n");
    for accepted in [".target sm_90, sm_80", ".target sm_90\n.target sm_75", ".target sm_100a, sm_100f"] {
        assert!(codes(&text(accepted)).is_empty(), "{accepted}");
    }
    for refused in [".target sm_75, sm_80", ".target sm_100\n.target sm_90a", ".target sm_120a, sm_100f"] {
        assert_eq!(codes(&text(refused)), ["V0106"], "{refused}");
    }
}

/// `ptxas` looks at the parameters of definitions only.
#[test]
fn heads_without_a_body_may_say_more() {
    let text = |head: &str| format!(".version 9.5\n.target sm_90\n.address_size 64\n{head}\n");
    for parameter in
        [".param .pred a", ".param .v2 .b32 a", ".param .f16x2 a", ".param .b32 a, .param .b32 a"]
    {
        assert!(codes(&text(&format!(".func f ({parameter});"))).is_empty(), "{parameter}");
        let source = ptx_diag::SourceFile::new("t", text(&format!(".func f ({parameter}) {{ ret; }}")));
        let (module, read) = ptx_syntax::parse(&source);
        assert!(read.has_errors() || ptx_verify::verify(&module).is_err(), "{parameter}");
    }
}

/// The versions are those that `ptxas` names.
#[test]
fn features_of_modules_have_their_first_version() {
    let cases = [
        (".common .global .b32 v;", "4.3", "5.0"),
        (".weak .func f () { ret; }", "3.0", "3.1"),
        (".global .b32 g; .global .u64 v = generic(g);", "3.0", "3.1"),
        (".global .b32 g; .global .u8 v = 0xff(g);", "7.0", "7.1"),
        (".file 1 \"a\", 1, 2", "3.1", "3.2"),
        (".func f () { X: .branchtargets L; L: ret; }", "5.0", "6.0"),
        (".func f (.param .b8 a[]) { ret; }", "5.0", "6.0"),
    ];
    for (text, before, first) in cases {
        // A target that both versions have.
        let module = |version: &str| {
            format!(".version {version}\n.target sm_30\n.address_size 64\n{text}\n.entry k () {{ ret; }}\n")
        };
        assert!(codes(&module(before)).iter().any(|code| code == "V0108"), "{text} {before}");
        assert!(codes(&module(first)).is_empty(), "{text} {first}");
    }
}

/// A module of an older version, for its target.
fn of_version(version: &str, target: &str, directives: &str) -> String {
    format!(".version {version}\n.target {target}\n.address_size 64\n{directives}\n")
}

#[test]
fn types_that_came_later_are_asked_of_single_variables() {
    let accepted =
        |version: &str, target: &str, directive: &str| is_accepted(&of_version(version, target, directive));
    assert!(!accepted("7.0", "sm_80", ".global .b128 v;"));
    assert!(accepted("7.0", "sm_80", ".global .b128 v[2];"));
    assert!(!accepted("4.0", "sm_50", ".global .f16x2 v[2];"));
    assert!(accepted("4.0", "sm_50", ".global .v2 .f16x2 v;"));
    assert!(accepted("9.5", "sm_100a", ".func f (.param .f16x2 p[2]) { ret; }"));
    assert!(!accepted("9.5", "sm_100a", ".func f (.param .f16x2 p) { ret; }"));
    assert!(accepted("7.0", "sm_80", ".extern .func f (.param .b128 q);"));
}

#[test]
fn a_length_of_zero_is_that_of_the_initial_value() {
    for directive in
        [".global .b8 v[0] = {1, 2};", ".global .b8 v[0][2] = {{1}, {2}};", ".extern .shared .b8 v[0];"]
    {
        assert_eq!(findings(&module(directive)), [], "{directive}");
    }
    for directive in [".global .b8 v[0];", ".global .b8 v[2][0];"] {
        assert!(!is_accepted(&module(directive)), "{directive}");
    }
}

#[test]
fn negative_numbers_in_sections_and_bodies_of_extern_kernels() {
    let section = ".section .debug_info { .b8 1, -1 }";
    assert!(
        is_accepted(&of_version("7.5", "sm_80", section))
            && !is_accepted(&of_version("7.4", "sm_80", section))
    );
    assert!(!is_accepted(&module(".extern .entry k () { ret; }")));
    assert!(is_accepted(&module(".extern .entry k ();")));
}

#[test]
fn a_call_is_inlined_at_a_place_that_an_earlier_line_names() {
    let body = |lines: &str| {
        module(&format!(
            ".file 1 \"a.cu\"\n.section .debug_str {{ L: .b8 0 }}\n.entry k () {{ {lines} ret; }}"
        ))
    };
    let inlined = ".loc 1 2 3, function_name L, inlined_at 1 2 3";
    assert!(!is_accepted(&body(inlined)));
    assert!(is_accepted(&body(&format!(".loc 1 2 3\n{inlined}\n"))));
}

//! What the kernels of a module share: constant memory, shared memory, and the allocation of tensor memory. All verdicts are those of
//! `ptxas` when it generates code.

use crate::common::{HEAD, findings};

/// Statements that use tensor memory, with `#` for the number of blocks.
const TENSOR_MEMORY: &[&str] = &[
    "tcgen05.alloc.cta_group::#.sync.aligned.shared::cta.b32 [s], 32;",
    "tcgen05.dealloc.cta_group::#.sync.aligned.b32 %r1, 32;",
    "tcgen05.relinquish_alloc_permit.cta_group::#.sync.aligned;",
    "tcgen05.commit.cta_group::#.mbarrier::arrive::one.b64 [%d1];",
    "tcgen05.cp.cta_group::#.4x256b [%r1], %d1;",
    "tcgen05.shift.cta_group::#.down [%r1];",
    "tcgen05.mma.cta_group::#.kind::f16 [%r1], %d1, %d2, %r2, %p1;",
    "tcgen05.mma.sp.cta_group::#.kind::f16 [%r1], %d1, %d2, [%r3], %r2, %p1;",
];

const REGISTERS: &str = ".reg .b32 %r<5>; .reg .b64 %d<5>; .reg .pred %p<3>; .shared .b32 s;";

fn kernel(statements: &str) -> String {
    format!(".visible .entry k() {{ {REGISTERS} {statements} ret; }}\n")
}

fn function(name: &str, statements: &str) -> String {
    format!(".func {name}() {{ {REGISTERS} {statements} ret; }}\n")
}

fn found(text: &str) -> Vec<String> {
    findings(&format!("{HEAD}{text}")).into_iter().map(|(code, _)| code).collect()
}

fn of(statement: usize, blocks: u32) -> String {
    TENSOR_MEMORY[statement].replace('#', &blocks.to_string())
}

#[test]
fn a_kernel_uses_tensor_memory_of_one_block_or_of_a_pair() {
    for one in 0..TENSOR_MEMORY.len() {
        for other in 0..TENSOR_MEMORY.len() {
            let mixed = kernel(&(of(one, 1) + &of(other, 2)));
            assert_eq!(found(&mixed), ["V0501"], "{mixed}");
            for blocks in [1, 2] {
                let same = kernel(&(of(one, blocks) + &of(other, blocks)));
                assert_eq!(found(&same), [""; 0], "{same}");
            }
        }
    }
    // Tensor copies have the modifier for another purpose.
    let copy = "cp.async.bulk.tensor.1d.cta_group::1.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%d1, {%r1}], [s];";
    assert_eq!(found(&kernel(&(copy.to_owned() + &of(0, 2)))), [""; 0]);
}

#[test]
fn what_a_kernel_calls_uses_the_same_tensor_memory() {
    let (one, pair) = (of(0, 1), of(2, 2));
    let refused = [
        function("f", &pair) + &kernel(&format!("{one} call f;")),
        function("f", &pair) + &function("g", &one) + &kernel("call f; call g;"),
        function("g", &one) + &function("f", &format!("{pair} call g;")) + &kernel("call f;"),
        function("f", &pair) + &kernel(&format!("{one} mov.u64 %d1, f;")),
        kernel(&format!("{one} ret; {pair}")),
        kernel(&format!("{one} @%p1 {pair}")),
        format!(
            ".func g();\n{}{}{}",
            function("f", &format!("{pair} call g;")),
            function("g", &one),
            kernel("call f;")
        ),
    ];
    for text in refused {
        assert_eq!(found(&text), ["V0501"], "{text}");
    }
    let accepted = [
        function("f", &format!("{one} {pair}")) + &kernel(""),
        function("g", &one) + &function("f", &format!("{pair} call g;")) + &kernel(""),
        function("f", &pair) + &kernel("call f;") + &kernel(&one).replace("entry k", "entry k2"),
    ];
    for text in accepted {
        assert_eq!(found(&text), [""; 0], "{text}");
    }
}

#[test]
fn the_constants_of_a_module_have_64_kib() {
    let kernel = ".visible .entry k() { ret; }\n";
    let refused = [
        ".const .b8 c[65537];",
        ".const .b8 c[32768];\n.const .b8 d[32769];",
        ".const .b32 c[16385] = {1};",
        ".const .v4 .b32 c[4097];",
        ".const .b8 c[300][300];",
        ".weak .const .b8 c[65537];",
        ".visible .const .b8 c[65537];",
        ".func f() { .const .b8 c[65537]; ret; }",
        ".visible .entry a() { .const .b8 c[40000]; ret; }\n.visible .entry b() { .const .b8 c[40000]; ret; }",
        // Padding counts, in the order in which they are placed: those that other modules see are first.
        ".const .b8 x;\n.const .align 8 .b8 a[65529];",
        ".const .b8 x[15];\n.const .align 16 .b8 a[65521];",
        ".visible .const .b8 x;\n.visible .const .align 8 .b8 a[65529];",
        ".const .align 8 .b8 a[65529];\n.visible .const .b8 x;",
        ".const .align 8 .b8 a[65520];\n.const .b8 x;\n.const .b64 y;\n.const .b8 z;",
    ];
    for text in refused {
        assert_eq!(found(&format!("{text}\n{kernel}")), ["V0211"], "{text}");
    }
    let accepted = [
        ".const .b8 c[65536];",
        ".const .b8 c[32768];\n.const .b8 d[32768];",
        ".const .b8 x;\n.const .align 8 .b8 a[65528];",
        ".const .align 8 .b8 a[65529];\n.const .b8 x;",
        ".const .b8 x;\n.visible .const .align 8 .b8 a[65529];",
        ".const .b8 x;\n.const .align 16 .b8 d[32752];\n.const .b8 y;\n.const .align 16 .b8 e[32752];",
        ".const .b8 x;\n.const .b8 a[65535];",
    ];
    for text in accepted {
        assert_eq!(found(&format!("{text}\n{kernel}")), [""; 0], "{text}");
    }
}

/// What a module with a kernel that uses so many bytes gives for a target.
fn with_shared(target: &str, bytes: u32) -> Vec<String> {
    let text = format!(
        ".version 9.5\n.target {target}\n.address_size 64\n.shared .b8 m[{bytes}];\n.visible .entry k() {{ .reg .b32 %r; ld.shared.u8 %r, [m]; ret; }}\n"
    );
    findings(&text).into_iter().map(|(code, _)| code).collect()
}

#[test]
fn a_kernel_has_the_static_shared_memory_of_its_target() {
    let limits = [
        (49_152, "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_103 sm_107 sm_110 sm_120 sm_121"),
        (49_152, "sm_100f sm_103f sm_107f sm_110f sm_120f sm_121f"),
        (232_448, "sm_90a sm_100a sm_103a sm_107a sm_110a"),
        (101_376, "sm_120a sm_121a"),
    ];
    for (limit, targets) in limits {
        for target in targets.split(' ') {
            assert_eq!(with_shared(target, limit), [""; 0], "{target}");
            assert_eq!(with_shared(target, limit + 1), ["V0211"], "{target}");
        }
    }
}

#[test]
fn kernels_of_cuda_tile_have_all_shared_memory() {
    let kernel = |bytes: u32, directives: &str| {
        findings(&format!(
            ".version 9.5\n.target sm_80\n.address_size 64\n.visible .entry k() {directives}\n\
             {{ .shared .b8 m[{bytes}]; .reg .b32 %r1; ld.shared.u8 %r1, [m]; ret; }}"
        ))
    };
    let of =
        |bytes, directives| kernel(bytes, directives).into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    assert_eq!(of(86_016, ".reqntid 128\n.language 7"), [""; 0]);
    assert_eq!(of(232_449, ".reqntid 128\n.language 7"), ["V0211"]);
    assert_eq!(of(86_016, ".reqntid 128\n.language 1"), ["V0211"]);
}

#[test]
fn shared_variables_count_for_the_kernels_that_reach_them() {
    const TARGET: &str = ".version 9.5\n.target sm_90\n.address_size 64\n";
    const M: &str = ".shared .b8 m[50000];\n";
    const USE: &str = "ld.shared.u8 %r1, [m];";
    let of = |text: String| -> Vec<String> {
        findings(&(TARGET.to_owned() + &text.replace(".shared .b32 s;", "")))
            .into_iter()
            .map(|(code, _)| code)
            .collect()
    };
    let refused = [
        M.to_owned() + &kernel(USE),
        M.to_owned() + &kernel("mov.u32 %r1, m;"),
        M.to_owned() + &kernel(&format!("ret; {USE}")),
        M.to_owned() + &function("f", USE) + &kernel("call f;"),
        M.to_owned() + &function("f", USE) + &kernel("mov.u64 %d1, f;"),
        kernel(".shared .b8 m[50000];"),
        function("f", ".shared .b8 m[50000];") + &kernel("call f;"),
        format!(
            ".shared .b8 m[30000];\n.shared .b8 n[30000];\n{}",
            kernel(&(USE.to_owned() + &USE.replace("[m]", "[n]")))
        ),
        format!(
            ".shared .b8 n;\n.shared .align 8 .b8 m[49145];\n{}",
            kernel(&(USE.to_owned() + &USE.replace("[m]", "[n]")))
        ),
    ];
    for text in refused {
        assert_eq!(of(text.clone()), ["V0211"], "{text}");
    }
    let accepted = [
        M.to_owned() + &kernel(""),
        M.to_owned() + &function("f", USE) + &kernel(""),
        M.to_owned() + &function("f", USE),
        format!(
            ".shared .b8 m[30000];\n.shared .b8 n[30000];\n{}{}",
            kernel(USE),
            kernel(&USE.replace("[m]", "[n]")).replace("entry k", "entry k2")
        ),
        format!(
            ".extern .shared .b8 n[];\n.shared .b8 m[49152];\n{}",
            kernel(&(USE.to_owned() + &USE.replace("[m]", "[n]")))
        ),
        format!(
            ".shared .align 8 .b8 m[49145];\n.shared .b8 n;\n{}",
            kernel(&(USE.to_owned() + &USE.replace("[m]", "[n]")))
        ),
        format!(
            ".shared .b8 n;\n.visible .shared .align 8 .b8 m[49145];\n{}",
            kernel(&(USE.to_owned() + &USE.replace("[m]", "[n]")))
        ),
    ];
    for text in accepted {
        assert_eq!(of(text.clone()), [""; 0], "{text}");
    }
}

#[test]
fn differences_of_code_are_in_the_first_debug_sections() {
    let of = |debug: &str, section: &str, line: &str| -> Vec<String> {
        let text = format!(
            ".version 9.5\n.target sm_80{debug}\n.address_size 64\n.visible .entry k() {{\nL0: ret;\nL1: ret;\n}}\n\
             .section .debug_info {{\n.b8 1\n}}\n.section {section} {{\nS0:\n.b8 1\nS1: {line}\n}}\n"
        );
        findings(&text).into_iter().map(|(code, _)| code).collect()
    };
    for section in [
        ".debug_loc",
        ".debug_abbrev",
        ".debug_ranges",
        ".debug_pubnames",
        ".debug_str",
        ".debug_loclists",
        ".foo",
    ] {
        for line in [".b64 L1-L0", ".b32 L1-L0", ".b64 L1-S1", ".b64 S1-L1", ".b64 L1-k", ".b64 k-k"] {
            assert_eq!(of(", debug", section, line), ["V0308"], "{section} {line}");
            let without = if section == ".debug_str" { vec!["V0308"] } else { Vec::new() };
            assert_eq!(of("", section, line), without, "{section} {line}");
        }
        for line in [".b64 L1", ".b64 S1-S0", ".b64 k", ".b64 L1+4", ".b32 .debug_loc", ".b32 -4"] {
            assert_eq!(of(", debug", section, line), [""; 0], "{section} {line}");
        }
    }
    assert_eq!(of(", debug", ".debug_line", ".b64 L1-L0"), [""; 0]);
}

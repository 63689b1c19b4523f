//! Modules whose addresses have 32 bits (manual 11.1.3). What is expected follows from the kernels: each stores what it can read through
//! an address, and addresses themselves are compared only with each other.

use std::sync::Arc;

use crate::common::{execute, words};
use ptx_diag::SourceFile;
use ptx_exec::{
    AddressSize, Argument, DeviceHeap, ExecError, Image, Launch, LaunchSpec, Limits, Memory, MemoryError,
    Shape, Surroundings, Trap, codes,
};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 32\n";

fn module(text: &str) -> String {
    format!("{HEAD}{text}")
}

/// Kernel `k` on one thread; gives what its first argument, a buffer of `count` words, holds afterwards.
fn run(text: &str, count: usize) -> Vec<u32> {
    run_with(text, vec![Argument::Buffer(vec![0; 4 * count])])
}

fn run_with(text: &str, arguments: Vec<Argument>) -> Vec<u32> {
    let outcome = execute(text, &Launch { arguments, ..Launch::new("k") });
    words(outcome.unwrap().buffers[0].as_ref().unwrap())
}

fn trapped(text: &str, arguments: Vec<Argument>) -> Trap {
    match execute(text, &Launch { arguments, ..Launch::new("k") }) {
        Err(ExecError::Trap(trap)) => *trap,
        other => panic!("{other:?}"),
    }
}

fn refused(text: &str, arguments: Vec<Argument>) -> (ptx_diag::Code, String) {
    match execute(text, &Launch { arguments, ..Launch::new("k") }) {
        Err(ExecError::Refused(findings)) => {
            let finding = findings.iter().next().unwrap();
            (finding.code, finding.message.clone())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn pointers_have_four_bytes() {
    // Parameter 1 is at byte 4; element n of the first buffer becomes element n of the second and n.
    let text = module(
        ".visible .entry k(.param .u32 out, .param .u32 in, .param .u16 add) {
            .reg .b32 %r<9>; .reg .b16 %h;
            ld.param.u32 %r1, [out]; ld.param.u32 %r2, [out+4]; ld.param.u16 %h, [add];
            cvt.u32.u16 %r8, %h;
            cvta.to.global.u32 %r1, %r1; cvta.to.global.u32 %r2, %r2;
            mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2;
            add.u32 %r5, %r1, %r4; add.u32 %r6, %r2, %r4;
            ld.global.u32 %r7, [%r6]; add.u32 %r7, %r7, %r8; st.global.u32 [%r5], %r7;
            // The sum of register and offset has 32 bits, too.
            mov.u32 %r3, -16; add.u32 %r3, %r3, %r6;
            ld.u32 %r7, [%r3+16]; atom.add.u32 %r7, [%r5], %r7;
            ret;
        }",
    );
    let input: Vec<u8> = [5u32, 70, 900].iter().flat_map(|word| word.to_le_bytes()).collect();
    let arguments = vec![Argument::Buffer(vec![0; 12]), Argument::Buffer(input), Argument::Bytes(vec![3, 0])];
    let outcome = execute(&text, &Launch { arguments, block: [3, 1, 1], ..Launch::new("k") }).unwrap();
    assert_eq!(words(outcome.buffers[0].as_ref().unwrap()), [13, 143, 1803]);
}

#[test]
fn sums_of_addresses_wrap_around_at_32_bits() {
    let text = module(
        ".visible .entry k(.param .u32 out) { .reg .b32 %r<4>; .reg .b64 %d<2>;
            ld.param.u32 %r1, [out];
            // Base and offset exchanged: the register is negative.
            sub.u32 %r2, %r1, 0x7fffffff; sub.u32 %r2, %r2, 0x7fffffff;
            st.global.u32 [%r2+0x7ffffffe], 1; st.global.u32 [%r1+4], 2;
            add.u32 %r2, %r2, 0x7ffffffe; add.u32 %r2, %r2, 8;
            st.global.u32 [%r2], 3;
            // Of a register of 64 bits the lower half is the address.
            cvt.u64.u32 %d1, %r1; or.b64 %d1, %d1, 0x500000000;
            st.global.u32 [%d1+12], 4;
            ret; }",
    );
    // out - 2 * 0x7fffffff + 0x7ffffffe = out - 0x80000000, which is not mapped.
    let trap = trapped(&text, vec![Argument::Buffer(vec![0; 16])]);
    assert!(trap.to_string().contains("out of bounds"), "{trap}");
    let fixed = text
        .replace("[%r2+0x7ffffffe], 1", "[%r2+0xfffffffe], 1")
        .replace("0x7ffffffe; add", "0xfffffffe; add");
    assert_eq!(run(&fixed, 4), [1, 2, 3, 4]);
}

#[test]
fn every_space_has_generic_addresses_of_32_bits() {
    // 11, 22, 33, 44 and 55 lie in .global, .const, .shared, .local and .param; each is read through its generic address and back in its
    // own space, and the spaces' predicates are bits 0 to 4 of a word.
    let bits = ["global", "const", "shared", "local", "param"];
    let tests = |address: &str| {
        let test = |(n, space): (usize, &&str)| {
            format!(
                "isspacep.{space} %p, {address}; selp.u32 %r9, {}, 0, %p; or.b32 %r8, %r8, %r9;\n",
                1 << n
            )
        };
        bits.iter().enumerate().map(test).collect::<String>()
    };
    let part = |n: usize, space: &str, name: &str| {
        format!(
            "cvta.{space}.u32 %r2, {name}; ld.u32 %r3, [%r2]; st.global.u32 [%r1+{}], %r3;
             cvta.to.{space}.u32 %r4, %r2; ld.{space}.u32 %r3, [%r4]; st.global.u32 [%r1+{}], %r3;
             mov.u32 %r8, 0; {} st.global.u32 [%r1+{}], %r8;\n",
            12 * n,
            12 * n + 4,
            tests("%r2"),
            12 * n + 8
        )
    };
    let names = [("global", "g"), ("const", "c"), ("shared", "s"), ("local", "l"), ("param", "value")];
    let parts: String = names.iter().enumerate().map(|(n, (space, name))| part(n, space, name)).collect();
    let text = module(&format!(
        ".global .u32 pad; .global .u32 g = 11; .const .u32 before; .const .u32 c = 22;
         .visible .entry k(.param .u32 out, .param .u32 value) {{
            .shared .u32 s0; .shared .u32 s; .local .u32 l0; .local .u32 l; .reg .b32 %r<10>; .reg .pred %p;
            ld.param.u32 %r1, [out]; ld.global.u32 %r2, [pad]; ld.const.u32 %r2, [before];
            st.shared.u32 [s0], 0; st.shared.u32 [s], 33; st.local.u32 [l0], 0; st.local.u32 [l], 44;
            {parts} ret; }}"
    ))
    .replace(".version 8.0", ".version 8.3");
    let found = run_with(&text, vec![Argument::Buffer(vec![0; 60]), Argument::Bytes(vec![55, 0, 0, 0])]);
    // The window of parameters is in that of global memory (manual 9.7.9.19).
    let spaces = [1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4 | 1 << 0];
    let wanted =
        [11, 22, 33, 44, 55].into_iter().zip(spaces).flat_map(|(value, spaces)| [value, value, spaces]);
    assert_eq!(found, wanted.collect::<Vec<u32>>());
}

/// The judged forms of `cvta.u32` (`ptxas` 13.5), with what their operands are called there.
const FORMS: &[&str] = &[
    "@%p6 cvta.to.global.u32 %r0, gv+8",
    "cvta.const.u32 %r0, %r1",
    "cvta.const.u32 %r0, cv",
    "cvta.global.u32 %r0, gv+8",
    "cvta.local.u32 %r0, %r1",
    "cvta.local.u32 %r0, lv",
    "cvta.param.u32 %r0, %r1",
    "cvta.param.u32 %r0, kp",
    "cvta.shared::cluster.u32 %r0, %r1",
    "cvta.shared::cta.u32 %r0, %r1",
    "cvta.to.const.u32 %r0, gv+8",
    "cvta.to.global.u32 %r0, %r1",
    "cvta.to.global.u32 %r0, gv+8",
    "cvta.to.local.u32 %r0, gv+8",
    "cvta.to.param.u32 %r0, %r1",
    "cvta.to.param.u32 %r0, gv+8",
    "cvta.to.param::entry.u32 %r0, gv+8",
    "cvta.to.shared.u32 %r0, %r1",
    "cvta.to.shared.u32 %r1, %r0",
    "cvta.to.shared::cluster.u32 %r0, %r1",
    "cvta.to.shared::cta.u32 %r0, gv+8",
    "cvta.to.u32.global %r0, gv+8",
];

fn with_form(form: &str, size: u32) -> String {
    // Its result, and the opposite conversion of it, which must give the operand back.
    let (opcode, operands) = form.trim_start_matches("@%p6 ").split_once(' ').unwrap();
    let (result, operand) = operands.split_once(", ").unwrap();
    let space =
        ["global", "const", "local", "param::entry", "param", "shared::cluster", "shared::cta", "shared"]
            .into_iter()
            .find(|space| opcode.contains(&format!(".{space}")))
            .unwrap();
    let back = if opcode.contains(".to.") { format!("cvta.{space}") } else { format!("cvta.to.{space}") };
    format!(
        ".version 9.1\n.target sm_100a\n.address_size {size}\n.global .align 16 .b8 gv[64]; .const .align 16 .b8 cv[64];
         .visible .entry k(.param .u32 out, .param .align 16 .b8 kp[64]) {{
            .local .align 16 .b8 lv[64]; .reg .b32 %r<8>; .reg .pred %p<7>;
            mov.b32 %r0, 0x1230; mov.b32 %r1, 0x1230; setp.eq.u32 %p6, %r0, %r1;
            mov.b32 %r5, {operand};
            {form};
            {back}.u32 %r6, {result};
            sub.u32 %r6, %r6, %r5; setp.ne.u32 %p0, {result}, %r5; selp.u32 %r7, 1, 0, %p0;
            ld.param.u32 %r4, [out];
            st.global.u32 [%r4], %r6; st.global.u32 [%r4+4], %r7; ret; }}"
    )
}

#[test]
fn every_form_of_cvta_has_an_inverse() {
    for form in FORMS {
        let arguments = vec![Argument::Buffer(vec![7; 8]), Argument::Bytes(vec![0; 64])];
        let is_global = form.contains("global");
        // Global addresses are generic ones; no others are.
        assert_eq!(run_with(&with_form(form, 32), arguments), [0, u32::from(!is_global)], "{form}");
    }
}

#[test]
fn cvta_of_32_bits_needs_addresses_of_32_bits() {
    let text = with_form("cvta.const.u32 %r0, cv", 64).replace("%r4]", "%d]").replace("%r4+4]", "%d+4]");
    let text =
        text.replace("ld.param.u32 %r4", ".reg .b64 %d; ld.param.u64 %d").replace(".u32 out", ".u64 out");
    let (code, message) = refused(&text, vec![Argument::Buffer(vec![0; 8]), Argument::Bytes(vec![0; 64])]);
    assert_eq!(code, codes::UNSUPPORTED);
    assert!(message.contains("`cvta.const.u32`") && message.contains(".address_size 32"), "{message}");
}

#[test]
fn a_module_without_the_directive_has_the_addresses_that_it_uses() {
    let with = |body: &str, bits: u32| {
        format!(
            ".version 8.0\n.target sm_80\n.global .u32 g = 9;
             .visible .entry k(.param .u{bits} out) {{ .reg .u{bits} %a; .reg .u32 %v; ld.param.u{bits} %a, [out]; {body} ret; }}"
        )
    };
    let body = "ld.global.u32 %v, [g]; st.global.u32 [%a], %v;";
    assert_eq!((run(&with(body, 32), 1), run(&with(body, 64), 1)), (vec![9], vec![9]));
    // As `ptxas`, which takes each of these for a module of 32-bit addresses.
    for body in ["mov.u32 %v, g;", "cvta.shared.u32 %v, %v;", "prefetch.global.L1 [%v];", "ld.u32 %v, [%v];"]
    {
        let text = with(body, 64);
        let source = SourceFile::new("t", text.as_str());
        assert_eq!(ptx_syntax::parse(&source).0.address_size(), 32, "{body}");
    }
    for body in ["ld.shared.u32 %v, [%v];", "isspacep.shared %p, %v;", "ld.global.u32 %v, [g];"] {
        let source = SourceFile::new("t", with(&format!(".reg .pred %p; {body}"), 64));
        assert_eq!(ptx_syntax::parse(&source).0.address_size(), 64, "{body}");
    }
}

#[test]
fn initial_values_hold_addresses_of_four_bytes() {
    let text = module(
        ".global .u32 a[2] = {6, 7}; .const .u32 c = 8;
         .global .u32 table[3] = {a, a+4, generic(c)};
         .visible .entry k(.param .u32 out) { .reg .b32 %r<4>; ld.param.u32 %r0, [out];
            ld.global.u32 %r1, [table]; ld.u32 %r2, [%r1]; st.u32 [%r0], %r2;
            ld.global.u32 %r1, [table+4]; ld.u32 %r2, [%r1]; st.u32 [%r0+4], %r2;
            ld.global.u32 %r1, [table+8]; ld.u32 %r2, [%r1]; st.u32 [%r0+8], %r2; ret; }",
    );
    assert_eq!(run(&text, 3), [6, 7, 8]);
}

#[test]
fn functions_are_called_by_addresses_of_32_bits() {
    let text = module(
        ".func (.reg .u32 o) twice(.reg .u32 i) { shl.b32 o, i, 1; ret; }
         .func (.reg .u32 o) next(.reg .u32 i) { add.u32 o, i, 1; ret; }
         .global .u32 table[2] = {twice, next};
         .visible .entry k(.param .u32 out) { .reg .b32 %r<4>; ld.param.u32 %r0, [out];
            P: .callprototype (.reg .u32 _) _ (.reg .u32 _);
            ld.global.u32 %r1, [table]; call (%r2), %r1, (20), P; st.u32 [%r0], %r2;
            mov.u32 %r1, next; call (%r2), %r1, (20), P; st.u32 [%r0+4], %r2; ret; }",
    );
    assert_eq!(run(&text, 2), [40, 21]);
    let other = text.replace("mov.u32 %r1, next;", "mov.u32 %r1, out;");
    assert!(trapped(&other, vec![Argument::Buffer(vec![0; 8])]).to_string().contains("call"));
}

#[test]
fn what_is_printed_and_allocated_has_addresses_of_four_bytes() {
    // "%s %ld %lld %d\n": an address and a `long` take four bytes, a `long long` eight at a multiple of eight.
    let text = module(
        ".extern .func (.param .b32 r) vprintf(.param .b32 f, .param .b32 a);
         .extern .func (.param .b32 r) malloc(.param .b32 n);
         .extern .func free(.param .b32 p);
         .global .align 1 .b8 f[16] = {37, 115, 32, 37, 108, 100, 32, 37, 108, 108, 100, 32, 37, 100, 10, 0};
         .global .align 1 .b8 word[3] = {104, 105, 0};
         .visible .entry k(.param .u32 out) { .reg .b32 %r<8>; .local .align 8 .b8 depot[24];
            ld.param.u32 %r0, [out];
            { .param .b32 n; .param .b32 r; st.param.b32 [n], 24; call (r), malloc, (n); ld.param.b32 %r1, [r]; }
            st.u32 [%r1+20], 77; ld.u32 %r2, [%r1+20]; st.u32 [%r0], %r2;
            { .param .b32 p; st.param.b32 [p], %r1; call free, (p); }
            mov.u32 %r3, word; st.local.u32 [depot], %r3; st.local.u32 [depot+4], -5; st.local.u64 [depot+8], 0x200000000;
            st.local.u32 [depot+16], 6;
            mov.u32 %r4, f; mov.u32 %r5, depot; cvta.local.u32 %r5, %r5;
            { .param .b32 f0; .param .b32 a; .param .b32 r; st.param.b32 [f0], %r4; st.param.b32 [a], %r5;
              call (r), vprintf, (f0, a); ld.param.b32 %r6, [r]; }
            st.u32 [%r0+4], %r6; ret; }",
    );
    let arguments = vec![Argument::Buffer(vec![0; 8])];
    let outcome = execute(&text, &Launch { arguments, ..Launch::new("k") }).unwrap();
    assert_eq!(String::from_utf8(outcome.output).unwrap(), "hi -5 8589934592 6\n");
    assert_eq!(words(outcome.buffers[0].as_ref().unwrap()), [77, 4]);
}

#[test]
fn accesses_out_of_bounds_name_their_allocation() {
    let with = |offset: &str| {
        module(&format!(
            ".visible .entry k(.param .u32 out, .param .u32 other) {{ .reg .b32 %r<2>; ld.param.u32 %r0, [out];
                st.global.u32 [%r0+{offset}], 1; ret; }}"
        ))
    };
    let arguments = || vec![Argument::Buffer(vec![0; 8]), Argument::Buffer(vec![0; 8])];
    for (offset, wanted) in [
        ("8", "offset 8 of argument 0 (`out`), which has 8 bytes"),
        ("2000", "offset 2000 of argument 0 (`out`), which has 8 bytes"),
        ("0x10000000", "there is no argument or variable at this address"),
    ] {
        assert_eq!(trapped(&with(offset), arguments()).object.as_deref(), Some(wanted), "{offset}");
    }
    let null = with("0").replace("ld.param.u32 %r0, [out]", "mov.u32 %r0, 16");
    assert!(trapped(&null, arguments()).to_string().contains("0x10"));
}

#[test]
fn addresses_of_64_bits_do_not_reach_the_windows_of_32_bits() {
    // Where a module of 32-bit addresses has its own shared memory, local memory, parameters and constants, and functions.
    let windows = [0xc000_0000u32, 0xd000_0000, 0xe000_0000, 0xe800_0000, 0xf000_0010];
    let declared = ".shared .u32 s; .local .u32 l; .reg .b64 %d<2>; .reg .b32 %r<2>; .reg .pred %p;
        ld.param.u64 %d0, [out]; st.shared.u32 [s], 1; st.local.u32 [l], 2; ld.const.u32 %r0, [c];";
    let with = |body: &str| {
        format!(
            ".version 8.3\n.target sm_80\n.address_size 64\n.const .u32 c = 3;
             .visible .entry k(.param .u64 out) {{ {declared} {body} ret; }}"
        )
    };
    let buffer = || vec![Argument::Buffer(vec![0; 4])];
    for window in windows {
        for access in ["ld.u32 %r0, [%d1];", "st.u32 [%d1], 4;", "atom.add.u32 %r0, [%d1], 1;"] {
            let trap = trapped(&with(&format!("mov.u64 %d1, {window:#x}; {access}")), buffer());
            let text = trap.to_string();
            assert!(
                text.contains("out of bounds") && text.contains(&format!("{window:#x}")),
                "{access} {text}"
            );
        }
        let trap = trapped(
            &with(&format!("P: .callprototype _ (); mov.u64 %d1, {window:#x}; call %d1, (), P;")),
            buffer(),
        );
        assert!(trap.to_string().contains("call"), "{trap}");
        for space in ["shared::cluster", "shared", "local", "param", "const"] {
            let test = format!(
                "mov.u64 %d1, {window:#x}; isspacep.{space} %p, %d1; selp.u32 %r0, 9, 8, %p; st.u32 [%d0], %r0;"
            );
            let text = with(&test).replace("sm_80", "sm_90");
            assert_eq!(run(&text, 1), [8], "{space} {window:#x}");
        }
    }
}

#[test]
fn arguments_must_fit_32_bits() {
    let text = module(".visible .entry k(.param .u64 out) { ret; }");
    let (code, message) = refused(&text, vec![Argument::Buffer(vec![0; 8])]);
    assert_eq!((code, message.ends_with("of 8 bytes has 4 bytes")), (codes::ARGUMENTS, true), "{message}");
    let text = module(".visible .entry k(.param .u32 out, .param .u32 both) { ret; }");
    let arguments = vec![Argument::Buffer(vec![0; 8]), Argument::Multimem(vec![0])];
    let (code, message) = refused(&text, arguments);
    assert_eq!((code, message.contains("multimem")), (codes::ARGUMENTS, true), "{message}");
    let mut launch = Launch { arguments: vec![Argument::Buffer(vec![0; 8]); 2], ..Launch::new("k") };
    launch.limits.stack = 1 << 29;
    assert!(matches!(execute(&text, &launch), Err(ExecError::Refused(_))));
}

#[test]
fn shared_memory_of_a_cluster_has_generic_addresses_of_32_bits() {
    // Each block stores its rank + 100 to the other block's memory, through the address that `mapa` gives.
    let text = ".version 8.6\n.target sm_100\n.address_size 32
        .visible .entry k(.param .u32 out) .reqnctapercluster 2 { .shared .u32 s0; .shared .u32 s; .reg .b32 %r<9>; .reg .pred %p;
            ld.param.u32 %r0, [out]; st.shared.u32 [s0], 0;
            mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1; add.u32 %r3, %r1, 100;
            barrier.cluster.arrive; barrier.cluster.wait;
            cvta.shared.u32 %r4, s; mapa.u32 %r5, %r4, %r2; st.u32 [%r5], %r3;
            barrier.cluster.arrive; barrier.cluster.wait;
            ld.u32 %r6, [%r4]; getctarank.u32 %r7, %r5;
            isspacep.shared::cluster %p, %r5; @!%p trap; isspacep.shared::cta %p, %r5; @%p trap;
            isspacep.shared::cta %p, %r4; @!%p trap;
            mul.lo.u32 %r8, %r1, 8; add.u32 %r0, %r0, %r8;
            st.global.u32 [%r0], %r6; st.global.u32 [%r0+4], %r7; ret; }";
    let arguments = vec![Argument::Buffer(vec![0; 16])];
    let launch = Launch { arguments, grid: [2, 1, 1], ..Launch::new("k") };
    let outcome = execute(text, &launch).unwrap();
    assert_eq!(words(outcome.buffers[0].as_ref().unwrap()), [101, 1, 100, 0]);
    let missing = text.replace("xor.b32 %r2, %r1, 1;", "mov.u32 %r2, 20;");
    assert!(matches!(execute(&missing, &launch), Err(ExecError::Trap(_))));
}

fn image(memory: &Memory, text: &str) -> Result<Arc<Image>, ptx_diag::Diagnostics> {
    let source = SourceFile::new("test.ptx", text);
    let (module, _) = ptx_syntax::parse(&source);
    let (verified, _) = ptx_verify::verify(&module).unwrap();
    let surroundings =
        Surroundings { memory: memory.clone(), heap: DeviceHeap::default(), limits: Limits::default() };
    Image::new(verified, surroundings)
}

#[test]
fn memory_that_outlives_launches_can_have_addresses_of_32_bits() {
    let text = module(
        ".visible .global .u32 total = 5;
         .visible .entry k(.param .u32 p) { .reg .b32 %r<4>; ld.param.u32 %r0, [p];
            ld.u32 %r1, [%r0]; atom.global.add.u32 %r2, [total], %r1; ret; }",
    );
    let error = image(&Memory::new(), &text).unwrap_err();
    assert_eq!(error.iter().next().unwrap().code, codes::SIZE);

    let memory = Memory::with_addresses(AddressSize::Bits32);
    let image = image(&memory, &text).unwrap();
    let (a, b) = (memory.allocate(4).unwrap(), memory.allocate(4).unwrap());
    memory.write(a, &[7, 0, 0, 0]).unwrap();
    memory.write(b, &[30, 0, 0, 0]).unwrap();
    let kernel = image.kernel("k").unwrap();
    for address in [a, b] {
        let params = u32::try_from(address).unwrap().to_le_bytes();
        kernel.launch(LaunchSpec::new(Shape::default(), params)).result.unwrap();
    }
    let mut total = [0; 4];
    memory.read(image.variable("total").unwrap().address, &mut total).unwrap();
    assert_eq!(u32::from_le_bytes(total), 42);

    let params = (b as u32 + 4).to_le_bytes();
    let report = kernel.launch(LaunchSpec::new(Shape::default(), params));
    let Err(ExecError::Trap(trap)) = report.result else { panic!("{report:?}") };
    assert_eq!(trap.object.as_deref(), Some("offset 4 of allocation 2, which has 4 bytes"));
    memory.free(a).unwrap();
    let report = kernel.launch(LaunchSpec::new(Shape::default(), (a as u32).to_le_bytes()));
    let Err(ExecError::Trap(trap)) = report.result else { panic!("{report:?}") };
    assert_eq!(trap.object.as_deref(), Some("offset 0 of allocation 1, which had 4 bytes and was freed"));
    // There are less than 4 GiB of addresses; nothing is allocated of what does not fit.
    assert_eq!(memory.allocate(1 << 32), Err(MemoryError::NoRoom { bytes: 1 << 32 }));
}

//! Accesses to shared memory whose lanes lie close together as it is known before: both engines leave the same bytes, on each processor.

use crate::common::{Case, words};
use ptx_host::analysis::Launched;
use ptx_llvm_core::host::Cpu;

fn case(body: &str, block: u32, n: u32) -> Case<'_> {
    Case { before: ".shared .align 16 .b8 s[4096];", block: [block, 1, 1], n, ..Case::warp(body) }
}

/// With the addresses of the thread's words, which do not wrap around in a block, as `%rd7` and `%rd8`.
fn placed(body: &str) -> String {
    format!("mul.wide.u32 %rd6, %r4, 4; add.s64 %rd7, %rd1, %rd6; add.s64 %rd8, %rd2, %rd6;\n{body}")
}

/// The first words of the output, which is the same in both engines.
fn same(body: &str, block: u32, n: u32) -> Vec<u32> {
    let body = placed(body);
    let case = case(&body, block, n);
    case.agrees();
    words(&case.interpreted())
}

/// Whether code for the host's processor has gathers or scatters.
fn gathers(body: &str, block: u32) -> bool {
    let body = placed(body);
    let prepared = case(&body, block, 0).prepared();
    let cpu = Cpu::host().expect("LLVM 22");
    let before = ptx_host::unoptimized_ir(
        prepared.program(),
        &Launched::blocks([block, 1, 1]),
        &cpu,
        &ptx_host::Options::default(),
    )
    .expect("compiled");
    before.contains("masked.gather") || before.contains("masked.scatter")
}

fn given(word: u32) -> u32 {
    word.wrapping_mul(2_654_435_761) >> 7
}

/// A network of compare-exchanges for twice as many numbers as threads, without a loop.
fn network(length: u32) -> String {
    let half = length / 2;
    let mut body = format!(
        "mov.u32 %r10, s; shl.b32 %r11, %r4, 2; add.u32 %r12, %r10, %r11; ld.global.u32 %r13, [%rd8]; st.shared.u32 [%r12], %r13;\n\
         ld.global.u32 %r13, [%rd8+{}]; st.shared.u32 [%r12+{}], %r13; bar.sync 0; shl.b32 %r14, %r4, 1;\n",
        4 * half,
        4 * half
    );
    body += ".reg .b32 %i<200>;\n.reg .b32 %k<200>;\n.reg .b32 %a<200>;\n.reg .b32 %x<200>;\n.reg .b32 %y<200>;\n.reg .pred %z<200>;\n";
    let (mut run, mut step) = (2, 0);
    while run <= length {
        let mut distance = run / 2;
        while distance > 0 {
            body += &format!(
                "and.b32 %i{step}, %r4, {}; sub.u32 %k{step}, %r14, %i{step}; shl.b32 %a{step}, %k{step}, 2; add.u32 %a{step}x, %r10, %a{step};\n",
                distance - 1
            )
            .replace(&format!("%a{step}x"), &format!("%a{}", step + 100));
            let address = step + 100;
            let bytes = 4 * distance;
            body += &format!(
                "ld.shared.u32 %x{step}, [%a{address}]; ld.shared.u32 %y{step}, [%a{address}+{bytes}]; and.b32 %i{address}, %k{step}, {run};\n\
                 setp.eq.u32 %z{step}, %i{address}, 0; setp.gt.u32 %z{address}, %x{step}, %y{step}; xor.pred %z{step}, %z{step}, %z{address};\n\
                 @%z{step} bra keep{step}; st.shared.u32 [%a{address}], %y{step}; st.shared.u32 [%a{address}+{bytes}], %x{step}; keep{step}: bar.sync 0;\n"
            );
            distance /= 2;
            step += 1;
        }
        run *= 2;
    }
    body + &format!(
        "ld.shared.u32 %r15, [%r12]; st.global.u32 [%rd7], %r15; ld.shared.u32 %r15, [%r12+{}]; st.global.u32 [%rd7+{}], %r15; ret;",
        4 * half,
        4 * half
    )
}

#[test]
fn networks_sort() {
    for length in [64, 256] {
        let body = network(length);
        let mut sorted: Vec<u32> = (0..length).map(given).collect();
        sorted.sort_unstable();
        assert_eq!(same(&body, length / 2, 0)[..length as usize], sorted, "{length}");
        assert!(!gathers(&body, length / 2), "{length}");
    }
}

#[test]
fn lanes_that_do_not_run_access_nothing() {
    // Below n threads exchange words 4 apart, in pairs of runs of 4; one more number tells who wrote.
    let body = "mov.u32 %r10, s; shl.b32 %r11, %r4, 2; add.u32 %r12, %r10, %r11; mov.u32 %r13, %r4; st.shared.u32 [%r12], %r13;\n\
        shl.b32 %r14, %r3, 2; add.u32 %r15, %r12, %r14; add.u32 %r16, %r4, %r3; st.shared.u32 [%r15], %r16; bar.sync 0;\n\
        setp.ge.u32 %p1, %r4, %r1; @%p1 bra on; and.b32 %r17, %r4, 3; shl.b32 %r18, %r4, 1; sub.u32 %r19, %r18, %r17; shl.b32 %r20, %r19, 2; add.u32 %r21, %r10, %r20;\n\
        ld.shared.u32 %r22, [%r21]; ld.shared.u32 %r23, [%r21+16]; add.u32 %r22, %r22, 1000; add.u32 %r23, %r23, 2000;\n\
        st.shared.u32 [%r21], %r23; st.shared.u32 [%r21+16], %r22; on: bar.sync 0;\n\
        ld.shared.u32 %r24, [%r12]; ld.shared.u32 %r25, [%r15]; mad.lo.u32 %r26, %r25, 10000, %r24; st.global.u32 [%rd7], %r26; ret;";
    for block in [32, 64, 96] {
        for n in [0, 1, 5, 16, 17, 31, 40, 96] {
            let out = same(body, block, n);
            let mut words: Vec<u32> = (0..2 * block).collect();
            for thread in 0..block.min(n) {
                let low = (2 * thread - (thread & 3)) as usize;
                (words[low], words[low + 4]) = (words[low + 4] + 2000, words[low] + 1000);
            }
            for thread in 0..block as usize {
                let wanted = words[thread + block as usize].wrapping_mul(10000).wrapping_add(words[thread]);
                assert_eq!(out[thread], wanted, "{block} {n} {thread}");
            }
        }
        assert!(!gathers(body, block));
    }
}

#[test]
fn what_is_too_far_apart_or_not_alike_is_gathered() {
    let far = "mov.u32 %r10, s; mul.lo.u32 %r11, %r4, 12; add.u32 %r12, %r10, %r11; st.shared.u32 [%r12], %r4; ld.shared.u32 %r13, [%r12];\n\
        st.global.u32 [%rd7], %r13; ret;";
    let together = "mov.u32 %r10, s; and.b32 %r11, %r4, 1; shl.b32 %r12, %r11, 2; add.u32 %r13, %r10, %r12; mov.u32 %r14, 7; st.shared.u32 [%r13], %r14;\n\
        ld.shared.u32 %r15, [%r13]; st.global.u32 [%rd7], %r15; ret;";
    // A guard: the other lanes have another address.
    let guarded = "mov.u32 %r10, s; and.b32 %r11, %r4, 1; shl.b32 %r12, %r4, 1; sub.u32 %r13, %r12, %r11; shl.b32 %r14, %r13, 2; add.u32 %r15, %r10, %r14;\n\
        setp.gt.u32 %p1, %r4, %r1; @%p1 add.u32 %r15, %r14, 512; st.shared.u32 [%r15], %r4; ld.shared.u32 %r16, [%r15]; st.global.u32 [%rd7], %r16; ret;";
    for body in [far, together, guarded] {
        same(body, 32, 9);
        assert!(gathers(body, 32), "{body}");
    }
}

//! Loads and stores of vectors with elements left out, and instructions that change nothing a program sees (manual 9.7.9.11,
//! 9.7.9.15 to 9.7.9.18, 9.7.13.13, 9.7.19.3, 9.7.19.5). Expected values are what the stores around them write.

use crate::common::{execute, words};
use ptx_exec::{Argument, ExecError, FaultKind, Launch, TrapKind};

/// Executes lines on so many threads; `[%rd0]` is a buffer of 64 bytes of 0xff, which is given back.
fn launch(threads: u32, lines: &str) -> Result<Vec<u32>, TrapKind> {
    let text = format!(
        ".version 9.1\n.target sm_100a\n.address_size 64\n\
         .visible .entry k(.param .u64 p) .reqntid {threads} {{\n\
         .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<2>;\n.shared .align 16 .b8 s[64];\n\
         ld.param.u64 %rd0, [p];\nmov.u32 %r0, %tid.x;\n{lines}\nret;\n}}\n"
    );
    let arguments = vec![Argument::Buffer(vec![0xff; 64])];
    match execute(&text, &Launch { block: [threads, 1, 1], arguments, ..Launch::new("k") }) {
        Ok(outcome) => Ok(words(outcome.buffers[0].as_deref().unwrap())),
        Err(ExecError::Trap(trap)) => Err(trap.kind),
        Err(other) => panic!("{other:?}"),
    }
}

const KEPT: u32 = u32::MAX;

#[test]
fn elements_left_out_are_not_stored() {
    let lines =
        "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nst.global.v8.b32 [%rd0+32], {%r1, _, %r2, _, _, %r1, 7, _};";
    let wanted = [&[KEPT; 8] as &[u32], &[1, KEPT, 2, KEPT, KEPT, 1, 7, KEPT]].concat();
    assert_eq!(launch(1, lines), Ok(wanted));
    let lines = "mov.u64 %rd1, 0x200000001;\nst.global.v4.b64 [%rd0], {_, %rd1, _, %rd1};";
    let wanted = [&[KEPT, KEPT, 1, 2, KEPT, KEPT, 1, 2] as &[u32], &[KEPT; 8]].concat();
    assert_eq!(launch(1, lines), Ok(wanted));
}

#[test]
fn a_vector_with_elements_left_out_is_aligned_as_a_whole() {
    let lines = "mov.u32 %r1, 1;\nst.global.v8.b32 [%rd0+16], {%r1, _, _, _, _, _, _, _};";
    match launch(1, lines) {
        Err(TrapKind::Fault(fault)) => assert_eq!((fault.kind, fault.size), (FaultKind::Misaligned, 32)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn narrow_addresses_are_widened_by_their_sign_to_32_bits() {
    // `ptxas` loads such registers by their sign (`LDCU.S16`, `LDCU.U8`) and takes 32 bits of them as the address.
    for (ty, address) in [("b16", 0x10), ("u16", 0x10), ("s16", 0x10), ("u8", 0x10), ("s8", 0x10)] {
        let lines = format!(
            ".reg .{ty} %x;\n.reg .b16 %h;\nmov.b16 %h, {address};\ncvt.{}.u16 %x, %h;\n\
             st.shared.u32 [s], 3;\nst.shared.u32 [s+16], 4;\nld.shared.u32 %r1, [%x];\nst.global.u32 [%rd0], %r1;",
            ty.replace('b', "u")
        );
        assert_eq!(launch(1, &lines).unwrap()[0], 4, "{ty}");
    }
    let lines = ".reg .s8 %x;\nmov.u32 %r1, 0xf0;\ncvt.s8.s32 %x, %r1;\nld.shared.u32 %r1, [%x];";
    match launch(1, lines) {
        Err(TrapKind::Fault(fault)) => assert_eq!(fault.address, 0xffff_fff0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn hints_change_nothing() {
    let lines = "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0.5;\n\
                 createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd2, [%rd0], 32, 64;\n\
                 prefetch.global.L2 [%rd0];\nprefetch.global.L2::evict_last [%rd0];\nprefetchu.L1 [%rd0];\n\
                 st.global.L2::cache_hint.u32 [%rd0], 5, %rd1;\n\
                 ld.global.L1::no_allocate.L2::cache_hint.L2::128B.u32 %r1, [%rd0], %rd2;\n\
                 applypriority.global.L2::evict_normal [%rd0], 128;\n\
                 atom.global.add.L2::cache_hint.u32 %r2, [%rd0+4], %r1, %rd1;\nst.global.u32 [%rd0+8], %r2;\n\
                 pmevent 3;\npmevent.mask 5;";
    // -1 + 5 is 4, and the old value -1.
    assert_eq!(launch(1, lines).unwrap()[..4], [5, 4, KEPT, KEPT]);
}

#[test]
fn registers_of_a_warp_and_dependent_grids_change_nothing() {
    let lines = "setmaxnreg.inc.sync.aligned.u32 128;\ngriddepcontrol.wait;\nsetp.eq.u32 %p0, %r0, 77;\n\
                 @%p0 st.global.u32 [%rd0], %r0;\ngriddepcontrol.launch_dependents;\nsetmaxnreg.dec.sync.aligned.u32 64;";
    assert_eq!(launch(128, lines).unwrap()[..2], [77, KEPT]);
}

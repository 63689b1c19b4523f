//! Compiled kernels against the interpreter: the same program, the same buffers, every byte.

#![allow(unsafe_code)]

use crate::common::{processors, words};
use ptx_diag::SourceFile;
use ptx_exec::{Argument, DeviceHeap, ExecError, Image, Launch, Limits, Memory, Surroundings};
use ptx_host::analysis::Launched;
use ptx_host::{CompileError, Kernel, Options};
use ptx_llvm_core::host::{Cpu, Jit};
use ptx_program::memory::AddressSize;

const WORDS: usize = 512;

fn source(body: &str) -> SourceFile {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{{\n\
         .reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<30>;\n.reg .f32 %f<20>;\n.reg .b64 %rd<12>;\n\
         ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];\n\
         mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n\
         mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n{body}\n}}\n"
    );
    SourceFile::new("k.ptx", text)
}

/// Runs a kernel in both engines, and compares the output.
fn agree(body: &str, grid: u32, block: [u32; 3], n: u32) {
    let input: Vec<u8> =
        (0..WORDS as u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect();
    let output = vec![0xa5u8; 4 * WORDS];
    let source = source(body);
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let mut launch = Launch::new("k");
    (launch.grid, launch.block) = ([grid, 1, 1], block);
    launch.limits.timeout = Some(std::time::Duration::from_secs(120));
    launch.arguments = vec![
        Argument::Buffer(output.clone()),
        Argument::Buffer(input.clone()),
        Argument::Bytes(n.to_le_bytes().to_vec()),
    ];
    let expected = ptx_exec::run(verified, &launch).expect("the interpreter executes it");
    let expected = expected.buffers[0].clone().expect("a buffer");

    let surroundings =
        Surroundings { memory: Memory::new(), heap: DeviceHeap::default(), limits: Limits::default() };
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let prepared = Image::new(verified, surroundings).expect("no variables").kernel("k").expect("a kernel");
    let processors = processors();
    // What the analysis claims is checked for the longest and the shortest vectors.
    let checked = processors.iter().take(2).map(|cpu| (cpu, true));
    for (cpu, check_shapes) in processors.iter().map(|cpu| (cpu, false)).chain(checked) {
        let jit = Jit::new(cpu).expect("a linker");
        let options = Options::default().with_check_shapes(check_shapes);
        let kernel = Kernel::compile_with(prepared.program(), &Launched::blocks(block), cpu, &jit, &options);
        let kernel = kernel.expect("compiled");
        let mut actual = output.clone();
        let addresses = [actual.as_mut_ptr() as u64, input.as_ptr() as u64];
        let mut params: Vec<u8> = addresses.iter().flat_map(|address| address.to_le_bytes()).collect();
        params.extend(n.to_le_bytes());
        // SAFETY: the interpreter found that all accesses are in the two buffers and the parameters.
        unsafe { kernel.run(prepared.program(), [grid, 1, 1], &params, &[], 0) }
            .expect("no thread is stopped");
        assert!(
            actual == expected,
            "{}: {body}\n{:?}\n{:?}",
            cpu.name,
            &words(&actual)[..64],
            &words(&expected)[..64]
        );
    }
}

#[test]
fn straight_code() {
    let body = "ld.global.u32 %r6, [%rd5]; cvt.rn.f32.u32 %f1, %r6; mul.f32 %f2, %f1, 0f3F8CCCCD; fma.rn.f32 %f3, %f2, %f1, %f2;\n\
                st.global.f32 [%rd4], %f3; ret;";
    agree(body, 4, [128, 1, 1], 0);
    agree(body, 3, [50, 1, 1], 0);
}

#[test]
fn guards_and_early_exits() {
    let body = "setp.ge.u32 %p1, %r5, %r1; @%p1 bra done; ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 1; setp.eq.u32 %p2, %r7, 0;\n\
                mov.u32 %r8, 3; @%p2 add.u32 %r8, %r6, 7; @!%p2 st.global.u32 [%rd4], %r8; @%p2 st.global.u32 [%rd4], %r6; done: ret;";
    for n in [0, 1, 31, 100, 200, 256] {
        agree(body, 4, [64, 1, 1], n);
    }
    agree("setp.ge.u32 %p1, %r5, %r1; @%p1 ret; st.global.u32 [%rd4], %r4; ret;", 3, [96, 1, 1], 77);
}

#[test]
fn loops_that_lanes_leave_apart() {
    // The steps of the Collatz sequence of each element; the counter lives on after the loop.
    let body = "ld.global.u32 %r6, [%rd5]; and.b32 %r6, %r6, 1023; or.b32 %r6, %r6, 1; mov.u32 %r7, 0;\n\
                again: setp.eq.u32 %p1, %r6, 1; @%p1 bra finish; and.b32 %r8, %r6, 1; setp.eq.u32 %p2, %r8, 0; @%p2 bra even;\n\
                mad.lo.u32 %r6, %r6, 3, 1; bra.uni next; even: shr.u32 %r6, %r6, 1;\n\
                next: add.u32 %r7, %r7, 1; bra.uni again;\n\
                finish: st.global.u32 [%rd4], %r7; ret;";
    agree(body, 2, [256, 1, 1], 0);
    agree(body, 5, [33, 1, 1], 0);
}

#[test]
fn uniform_loops_and_sides() {
    let body = "mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u64 %rd6, %rd5;\n\
                again: setp.ge.u32 %p1, %r6, %r1; @%p1 bra finish; ld.global.u32 %r8, [%rd6]; xor.b32 %r7, %r7, %r8; add.u32 %r7, %r7, %r6;\n\
                setp.gt.u32 %p2, %r6, 3; @%p2 bra big; shl.b32 %r7, %r7, 1; bra.uni next; big: add.u32 %r7, %r7, 5;\n\
                next: add.u32 %r6, %r6, 1; add.s64 %rd6, %rd6, 4; bra.uni again; finish: st.global.u32 [%rd4], %r7; ret;";
    for n in [0, 1, 4, 9] {
        agree(body, 2, [128, 1, 1], n);
    }
}

#[test]
fn nested_divergence_and_two_entries() {
    let body = "ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 7; mov.u32 %r8, 0; setp.lt.u32 %p1, %r7, 3; @%p1 bra second;\n\
                first: add.u32 %r8, %r8, 1; setp.gt.u32 %p3, %r8, 40; @%p3 bra finish;\n\
                second: add.u32 %r8, %r8, %r7; and.b32 %r9, %r8, 3; setp.eq.u32 %p4, %r9, 2; @%p4 bra skip; add.u32 %r8, %r8, 3;\n\
                skip: setp.lt.u32 %p2, %r8, 30; @%p2 bra first;\n\
                finish: st.global.u32 [%rd4], %r8; ret;";
    agree(body, 2, [256, 1, 1], 0);
}

#[test]
fn blocks_of_two_dimensions_and_strided_places() {
    let body = "mov.u32 %r6, %tid.y; mad.lo.u32 %r7, %r6, %r3, %r4; mov.u32 %r10, %laneid; mul.wide.u32 %rd6, %r7, 8; add.s64 %rd7, %rd1, %rd6;\n\
                mul.wide.u32 %rd8, %r7, 4; add.s64 %rd9, %rd2, %rd8; ld.global.v2.u16 {%h1, %h2}, [%rd9]; cvt.u32.u16 %r8, %h1; cvt.s32.s16 %r9, %h2;\n\
                add.u32 %r8, %r8, %r10; st.global.v2.u32 [%rd7], {%r8, %r9}; ret;";
    for block in [[16, 16, 1], [8, 12, 1], [5, 7, 1], [32, 3, 1], [64, 2, 1]] {
        agree(body, 1, block, 0);
    }
}

#[test]
fn indices_that_wrap_around_between_lanes() {
    // Lanes below 18 have an index near 2^32, which `mul.wide.u32` and `cvt.u64.u32` leave there; they are out of bounds, and do not store.
    let wraps = "add.u32 %r6, %r4, -18; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd7, %rd1, %rd6; setp.ge.u32 %p1, %r4, 18;\n\
                 @%p1 st.global.u32 [%rd7], %r4; cvt.u64.u32 %rd8, %r6; shl.b64 %rd8, %rd8, 2; add.s64 %rd8, %rd8, %rd2;\n\
                 mov.u32 %r7, 0; @%p1 ld.global.u32 %r7, [%rd8]; @%p1 st.global.u32 [%rd7+256], %r7; ret;";
    agree(wraps, 1, [64, 1, 1], 0);
    agree(wraps, 1, [40, 1, 1], 0);
    // From lane 18 on the index is negative with a sign: 2^34 bytes before the others, to which 2^34 are added again.
    let signed = "add.u32 %r6, %r4, 0x7fffffee; mul.wide.s32 %rd6, %r6, 4; mov.u64 %rd8, 0x1ffffffb8; sub.s64 %rd6, %rd6, %rd8;\n\
                  add.s64 %rd7, %rd1, %rd6; setp.lt.u32 %p1, %r4, 18; @%p1 st.global.u32 [%rd7], %r4;\n\
                  mov.u64 %rd9, 0x400000000; add.s64 %rd10, %rd7, %rd9; @!%p1 st.global.u32 [%rd10], %r2; ret;";
    agree(signed, 1, [64, 1, 1], 0);
    // The difference of the first two lanes is negative, and the index is negative in some lanes.
    let backwards = "sub.u32 %r6, 20, %r4; mul.wide.s32 %rd6, %r6, 4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7+512], %r4;\n\
                     mad.wide.s32 %rd8, %r6, -4, %rd1; st.global.u32 [%rd8+1024], %r5; ret;";
    agree(backwards, 1, [96, 1, 1], 0);
}

#[test]
fn one_place_for_all_lanes_or_for_a_chunk() {
    let rows = "mov.u32 %r6, %tid.y; mul.wide.u32 %rd6, %r6, 8; add.s64 %rd7, %rd2, %rd6; setp.lt.u32 %p1, %r4, %r1; mov.u32 %r7, 9;\n\
                @%p1 ld.global.u32 %r7, [%rd7]; mov.u32 %r8, 0; @%p1 bra skip; ld.global.u32 %r8, [%rd7+4]; skip:\n\
                setp.eq.u32 %p2, %r1, 3; @%p2 ld.global.u32 %r9, [%rd2+16]; ld.global.v2.u32 {%r10, %r11}, [%rd7+8];\n\
                add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9; add.u32 %r7, %r7, %r11; mad.lo.u32 %r12, %r6, %r3, %r4;\n\
                mul.wide.u32 %rd8, %r12, 4; add.s64 %rd9, %rd1, %rd8; st.global.u32 [%rd9], %r7; ret;";
    for n in [0, 3, 7, 100] {
        for block in [[16, 16, 1], [8, 16, 1], [32, 4, 1], [5, 6, 1]] {
            agree(rows, 1, block, n);
        }
    }
    let last = "mul.lo.u32 %r6, %r4, %r4; setp.lt.u32 %p1, %r4, %r1; @%p1 st.global.u32 [%rd1+8], %r6; @%p1 bra done;\n\
                st.global.v2.u32 [%rd1+16], {%r6, %r4}; setp.gt.u32 %p2, %r1, 20; @%p2 st.global.u32 [%rd1+32], %r1; done: ret;";
    for n in [0, 1, 5, 17, 30, 40] {
        agree(last, 1, [32, 1, 1], n);
        agree(last, 1, [19, 1, 1], n);
    }
}

#[test]
fn vectors_of_consecutive_lanes() {
    for (count, registers) in [(2, "{%r6, %r7}"), (4, "{%r6, %r7, %r8, %r9}")] {
        let body = format!(
            "mul.wide.u32 %rd6, %r4, {bytes}; add.s64 %rd7, %rd2, %rd6; add.s64 %rd8, %rd1, %rd6; setp.lt.u32 %p1, %r4, %r1;\n\
             ld.global.v{count}.u32 {registers}, [%rd7]; add.u32 %r6, %r6, 1; @%p1 st.global.v{count}.u32 [%rd8], {registers}; ret;",
            bytes = 4 * count
        );
        for n in [0, 1, 13, 31, 64] {
            agree(&body, 1, [64, 1, 1], n);
            agree(&body, 1, [27, 1, 1], n);
        }
    }
}

#[test]
fn groups_of_consecutive_threads() {
    // Uniform in a warp or a chunk where the group is aligned, which depends on the shape of the block.
    let body = "mov.u32 %r6, %tid.x; shr.u32 %r7, %r6, 5; and.b32 %r8, %r6, 31; setp.lt.u32 %p1, %r6, 32; setp.le.s32 %p2, %r6, 15;\n\
                div.u32 %r9, %r6, 96; rem.u32 %r10, %r6, 64; and.b32 %r11, %r6, 48; selp.u32 %r12, 1, 2, %p1; selp.u32 %r13, 3, 5, %p2;\n\
                bfe.u32 %r14, %r6, 4, 3; mad.lo.u32 %r7, %r7, 3, %r8; mad.lo.u32 %r7, %r9, 5, %r7; mad.lo.u32 %r7, %r10, 7, %r7;\n\
                mad.lo.u32 %r7, %r11, 11, %r7; mad.lo.u32 %r7, %r12, 13, %r7; mad.lo.u32 %r7, %r13, 17, %r7; mad.lo.u32 %r7, %r14, 19, %r7;\n\
                mov.u32 %r15, %tid.y; mad.lo.u32 %r15, %r15, %r3, %r6; mul.wide.u32 %rd6, %r15, 4; add.s64 %rd7, %rd1, %rd6;\n\
                shr.u32 %r16, %r6, 3; and.b32 %r17, %r16, 0x1ffffffc; add.u32 %r18, %r17, %r6; shr.u32 %r19, %r18, 2; and.b32 %r19, %r19, 0xfff0;\n\
                mad.lo.u32 %r7, %r17, 23, %r7; mad.lo.u32 %r7, %r19, 29, %r7; @%p1 bra low; add.u32 %r7, %r7, 100; low: st.global.u32 [%rd7], %r7; ret;";
    for block in [[256, 1, 1], [16, 16, 1], [8, 8, 1], [48, 2, 1], [33, 2, 1], [64, 3, 1]] {
        agree(body, 1, block, 0);
    }
}

#[test]
fn nans_are_seen_as_one() {
    // Bits of the input as numbers: one in 16 is made a NaN with bits of its own. Sums in a loop, a NaN that only passes through, selections,
    // negations, comparisons, and a row that is written by a load and by an addition.
    let body = "ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 15; setp.eq.u32 %p1, %r7, 3; shl.b32 %r8, %r6, 7; @%p1 or.b32 %r8, %r8, 0x7f800001;\n\
                mov.b32 %f1, %r8; mov.f32 %f2, 0f3F800000; mov.u32 %r9, 0;\n\
                again: fma.rn.f32 %f2, %f1, %f2, %f1; mul.f32 %f3, %f2, %f1; add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, %r1; @%p2 bra again;\n\
                mov.f32 %f4, %f2; neg.f32 %f5, %f2; setp.gtu.f32 %p3, %f2, 0f00000000; selp.f32 %f6, %f2, %f1, %p3; selp.f32 %f7, %f2, %f3, %p3;\n\
                mov.b32 %r10, %f4; mov.b32 %r11, %f5; mov.b32 %r12, %f6; xor.b32 %r10, %r10, %r11; add.u32 %r10, %r10, %r12;\n\
                mov.b32 %r13, %f7; mad.lo.u32 %r10, %r10, 3, %r13; mov.f32 %f8, %f1; @%p3 add.f32 %f8, %f8, %f8; mov.b32 %r14, %f8;\n\
                mad.lo.u32 %r10, %r10, 5, %r14; cvt.rzi.s32.f32 %r15, %f2; add.u32 %r10, %r10, %r15; sqrt.rn.f32 %f9, %f5; max.f32 %f10, %f9, %f2;\n\
                mov.b32 %r16, %f10; mad.lo.u32 %r10, %r10, 7, %r16; st.global.u32 [%rd4], %r10; st.global.f32 [%rd4+1024], %f2; ret;";
    for n in [0, 1, 5] {
        agree(body, 1, [256, 1, 1], n);
    }
}

#[test]
fn nans_that_nothing_observes_leave_no_trace() {
    // %f1 is a loaded value or a sum, one in 16 a NaN with bits of its own. It is only added: directly, from another lane, copied around a loop, and
    // selected; beside it %f6 and %f7 are the same, and their bits are stored.
    let body = "ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 15; setp.eq.u32 %p1, %r7, 3; shl.b32 %r8, %r6, 7; @%p1 or.b32 %r8, %r8, 0x7f800001;\n\
                mov.b32 %f1, %r8; ld.global.u32 %r9, [%rd5+512]; shl.b32 %r9, %r9, 5; and.b32 %r10, %r9, 224; setp.eq.u32 %p2, %r10, 96;\n\
                @%p2 or.b32 %r9, %r9, 0xff800003; mov.b32 %f2, %r9; setp.gt.u32 %p3, %r7, 8; mov.f32 %f6, %f1; mov.f32 %f7, %f1;\n\
                @%p3 add.f32 %f1, %f1, %f2; @%p3 add.f32 %f6, %f6, %f2;\n\
                mov.u32 %r11, 0; mov.f32 %f3, %f1;\n\
                again: mov.b32 %r12, %f3; shfl.sync.bfly.b32 %r13, %r12, 3, 31, -1; mov.b32 %f4, %r13; selp.f32 %f3, %f4, %f1, %p2;\n\
                add.u32 %r11, %r11, 1; setp.lt.u32 %p4, %r11, %r1; @%p4 bra again;\n\
                add.f32 %f5, %f3, %f1; mul.f32 %f5, %f5, %f3; st.global.f32 [%rd4], %f5; st.global.f32 [%rd4+512], %f6; st.global.f32 [%rd4+1024], %f7; ret;";
    for n in [0, 1, 5] {
        agree(body, 1, [128, 1, 1], n);
    }
}

#[test]
fn nans_are_converted_as_one() {
    // Sums that are NaNs with bits of their own, to all formats; binary64 shows the bits of the canonical one.
    let conversions = [
        "cvt.rn.f16x2.f32 %x, %f2, %f3;",
        "cvt.rz.f16x2.f32 %x, %f3, %f2;",
        "cvt.rn.relu.f16x2.f32 %x, %f2, %f3;",
        "cvt.rn.bf16x2.f32 %x, %f2, %f3;",
        "cvt.rna.tf32.f32 %x, %f2;",
        "cvt.sat.f32.f32 %z, %f2; mov.b32 %x, %z;",
        "cvt.ftz.f32.f32 %z, %f2; mov.b32 %x, %z;",
        "cvt.rn.f16.f32 %half, %f2; cvt.u32.u16 %x, %half;",
        "cvt.rp.f16.f32 %half, %f3; cvt.u32.u16 %x, %half;",
        "cvt.rn.bf16.f32 %half, %f2; cvt.u32.u16 %x, %half;",
        "cvt.f64.f32 %w, %f2; mov.b64 {%x, %y}, %w; xor.b32 %x, %x, %y;",
    ];
    let sums = "ld.global.u32 %r6, [%rd5]; and.b32 %r7, %r6, 15; setp.eq.u32 %p1, %r7, 3; shl.b32 %r8, %r6, 7; @%p1 or.b32 %r8, %r8, 0x7f800001;\n\
                .reg .b32 %x, %y; .reg .f32 %z; .reg .b16 %half; .reg .f64 %w; mov.b32 %f1, %r8; fma.rn.f32 %f2, %f1, %f1, %f1; mul.f32 %f3, %f2, %f1; mov.u32 %r9, 0;\n";
    let hashed = conversions.map(|text| format!("{text} mad.lo.u32 %r9, %r9, 31, %x;\n")).concat();
    let body = format!("{sums}{hashed}st.global.u32 [%rd4], %r9; ret;");
    agree(&body, 1, [256, 1, 1], 0);
}

#[test]
fn several_lanes_store_to_one_place() {
    agree(
        "shr.u32 %r6, %r4, 3; mul.wide.u32 %rd6, %r6, 4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r4; ret;",
        1,
        [64, 1, 1],
        0,
    );
    agree("st.global.u32 [%rd1], %r5; ret;", 2, [64, 1, 1], 0);
}

/// Runs a kernel that stops in both engines: at the same instruction of the same thread.
fn stop_alike(body: &str, grid: u32, block: [u32; 3]) {
    let source = source(body);
    let (module, _) = ptx_syntax::parse(&source);
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let mut launch = Launch::new("k");
    (launch.grid, launch.block) = ([grid, 1, 1], block);
    launch.threads = Some(std::num::NonZeroUsize::MIN);
    launch.arguments = vec![
        Argument::Buffer(vec![0; 4 * WORDS]),
        Argument::Buffer(vec![0; 4 * WORDS]),
        Argument::Bytes(vec![0; 4]),
    ];
    let error = ptx_exec::run(verified, &launch).map(drop).expect_err("a thread is stopped");
    let ExecError::Trap(trap) = error else { panic!("{error}") };
    let surroundings =
        Surroundings { memory: Memory::new(), heap: DeviceHeap::default(), limits: Limits::default() };
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let prepared = Image::new(verified, surroundings).expect("no variables").kernel("k").expect("a kernel");
    let program = prepared.program();
    for cpu in processors() {
        let jit = Jit::new(&cpu).expect("a linker");
        let kernel = Kernel::compile(program, &Launched::blocks(block), &cpu, &jit).expect("compiled");
        let mut buffers = [vec![0u8; 4 * WORDS], vec![0u8; 4 * WORDS]];
        let params: Vec<u8> = buffers
            .iter_mut()
            .flat_map(|buffer| (buffer.as_mut_ptr() as u64).to_le_bytes())
            .chain([0; 4])
            .collect();
        // SAFETY: the kernels store only to the words of their threads.
        let stopped = unsafe { kernel.run(program, [grid, 1, 1], &params, &[], 0) }.expect_err("stopped");
        let number = (stopped.warp * 32 + stopped.lane) as u32;
        let thread = [number % block[0], number / block[0] % block[1], number / block[0] / block[1]];
        let place = stopped.pc.map(|pc| program.origins[pc as usize].span);
        assert_eq!((place, stopped.block, thread), (trap.span, trap.block, trap.thread), "{body}");
        assert_eq!(stopped.kind, trap.kind, "{body}");
    }
}

#[test]
fn traps_stop_at_their_instruction() {
    stop_alike("trap;", 1, [32, 1, 1]);
    stop_alike("setp.eq.u32 %p1, %r5, 75; @%p1 trap; st.global.u32 [%rd4], %r5; ret;", 3, [40, 1, 1]);
    stop_alike(
        "mov.u32 %r6, %tid.y; mad.lo.u32 %r7, %r6, %r3, %r4; setp.ne.u32 %p1, %r7, 37; @%p1 bra on; st.global.u32 [%rd4], %r5; brkpt; on: ret;",
        1,
        [8, 8, 1],
    );
    // No lane of any warp gets to it.
    agree("setp.eq.u32 %p1, %r5, 75000; @%p1 trap; st.global.u32 [%rd4], %r5; ret;", 3, [40, 1, 1], 0);
}

#[test]
fn what_is_not_compiled_is_refused() {
    let source = source("mov.b32 %r6, %reserved_smem_offset_begin; st.global.u32 [%rd4], %r6; ret;");
    let (module, _) = ptx_syntax::parse(&source);
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let surroundings =
        Surroundings { memory: Memory::new(), heap: DeviceHeap::default(), limits: Limits::default() };
    let prepared = Image::new(verified, surroundings).expect("no variables").kernel("k").expect("a kernel");
    let cpu = Cpu::host().expect("LLVM 22");
    let jit = Jit::new(&cpu).expect("a linker");
    let launched = Launched::blocks([32, 1, 1]);
    let error = Kernel::compile(prepared.program(), &launched, &cpu, &jit).expect_err("refused");
    assert!(matches!(error, CompileError::Refused(_)), "{error}");
    assert_eq!(error.to_string(), "the special register is not compiled yet");
}

#[test]
fn modules_with_32_bit_addresses_are_refused() {
    let text = ".version 8.0\n.target sm_80\n.address_size 32\n.visible .entry k(.param .u32 out)\n{\n\
                .reg .b32 %r<2>;\nld.param.u32 %r1, [out];\nst.shared.u32 [%r1], 1;\nret;\n}\n";
    let module = ptx_syntax::parse(&SourceFile::new("k.ptx", text)).0;
    let (verified, _) = ptx_verify::verify(&module).expect("valid PTX");
    let memory = Memory::with_addresses(AddressSize::Bits32);
    let surroundings = Surroundings { memory, heap: DeviceHeap::default(), limits: Limits::default() };
    let prepared = Image::new(verified, surroundings).expect("no variables").kernel("k").expect("a kernel");
    let cpu = Cpu::host().expect("LLVM 22");
    let jit = Jit::new(&cpu).expect("a linker");
    let launched = Launched::blocks([32, 1, 1]);
    let error = Kernel::compile(prepared.program(), &launched, &cpu, &jit).expect_err("refused");
    assert!(matches!(error, CompileError::Refused(_)), "{error}");
    assert_eq!(error.to_string(), "modules with 32-bit addresses are not compiled");
}

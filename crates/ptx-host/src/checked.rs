//! Tests of code that checks what the analysis claims: each wrong claim is found, at its line, and right ones are not.

use ptx_diag::SourceFile;
use ptx_exec::{Memory, Prepared, TrapKind};
use ptx_llvm_core::host::{Cpu, Jit};
use ptx_program::{Binary, Effect, Op, Program};

use crate::analysis::lies::{Lies, with};
use crate::analysis::{Facts, Launched, Shape, Zeros};
use crate::{Kernel, Options, prepared};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n\
                    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n\
                    ld.param.u64 %rd1, [out]; mov.u32 %r1, %laneid; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n";
/// The line of the body's first instruction.
const FIRST: usize = 8;

fn prepared(body: &str) -> (Prepared, SourceFile) {
    let source = SourceFile::new("k.ptx", format!("{HEAD}{body}\n}}\n"));
    (prepared::prepared(&source, &Memory::new()), source)
}

/// Runs one warp with checks while the analysis lies: the line and the text of what is found.
fn checked(body: &str, lies: Lies) -> Option<(usize, String)> {
    checked_in_blocks(body, 32, lies)
}

/// The same of a block of so many threads.
fn checked_in_blocks(body: &str, threads: u32, lies: Lies) -> Option<(usize, String)> {
    let (prepared, source) = prepared(body);
    let program: &Program = prepared.program();
    let cpu = Cpu::host().expect("LLVM 22");
    let jit = Jit::new(&cpu).expect("a linker");
    let options = Options::default().with_check_shapes(true);
    let launched = Launched::blocks([threads, 1, 1]);
    let compile = || Kernel::compile_with(program, &launched, &cpu, &jit, &options).expect("compiled");
    let kernel = with(lies, compile);
    let mut output: Vec<u32> = (0..64).map(|word| word * 77 % 64).collect();
    let params = (output.as_mut_ptr() as u64).to_le_bytes();
    // SAFETY: the lanes access their words of the output.
    let stop = unsafe { kernel.run(program, [1; 3], &params, &[], 256) }.err()?;
    let TrapKind::Defect(text) = stop.kind else { panic!("{:?}", stop.kind) };
    let span = program.origins[stop.pc.expect("an instruction") as usize].span;
    Some((source.position(span.lo).line as usize - FIRST, text))
}

/// Nothing is found where the analysis is right, and this where it lies.
fn finds(body: &str, lies: Lies, line: usize, part: &str) {
    assert_eq!(checked(body, Lies::default()), None, "{body}");
    let (at, text) = checked(body, lies).expect("the lie is found");
    assert!(at == line && text.contains(part), "line {at}: {text}");
}

const ONE_VALUE: &str = "all lanes are claimed to have one value";

#[test]
fn a_wrong_rule_for_an_operation_is_found() {
    let shape = |op: &Op, shape: Shape| match op {
        Op::Alu(ptx_program::Alu::Binary { op: Binary::Xor, .. }) => Shape::Uniform,
        _ => shape,
    };
    let body = "add.u32 %r2, %r1, 5;\nxor.b32 %r3, %r2, 1;\nst.global.u32 [%rd3], %r3; ret;";
    finds(body, Lies { shape: Some(shape), ..Lies::default() }, 1, ONE_VALUE);
}

#[test]
fn a_wrong_stride_is_found() {
    let shape = |op: &Op, shape: Shape| match (op, shape) {
        (Op::Alu(ptx_program::Alu::Binary { op: Binary::Shl(_), .. }), Shape::Strided(mut stride)) => {
            stride.across = stride.across.map(|across| across + 1);
            Shape::Strided(stride)
        }
        _ => shape,
    };
    let body = "shl.b32 %r2, %r1, 3;\nst.global.u32 [%rd3], %r2; ret;";
    finds(body, Lies { shape: Some(shape), ..Lies::default() }, 0, "a stride of 8");
}

#[test]
fn loads_and_shuffles_that_are_taken_to_give_one_value_are_found() {
    let loads = |op: &Op, shape: Shape| match op {
        Op::Effect(Effect::Load(load)) if load.address.space == ptx_program::memory::Space::Global => {
            Shape::Uniform
        }
        _ => shape,
    };
    let body = "ld.global.u32 %r2,\n[%rd3];\nst.global.u32 [%rd3], %r2; ret;";
    finds(body, Lies { shape: Some(loads), ..Lies::default() }, 0, ONE_VALUE);
    let shuffles = |op: &Op, shape: Shape| match op {
        Op::Effect(Effect::Collective(_)) => Shape::Uniform,
        _ => shape,
    };
    let body = "shfl.sync.bfly.b32 %r2, %r1, 1, 0x1f, -1;\nst.global.u32 [%rd3], %r2; ret;";
    finds(body, Lies { shape: Some(shuffles), ..Lies::default() }, 0, ONE_VALUE);
}

#[test]
fn wrong_bounds_and_bits_are_found() {
    let facts = |op: &Op, facts: Option<Facts>| match op {
        Op::Alu(ptx_program::Alu::Binary { op: Binary::And, .. }) => {
            Some(Facts { least: 0, most: 6, zeros: Zeros::default() })
        }
        _ => facts,
    };
    // Neither the same value nor a stride in the chunks of any processor.
    let body = "and.b32 %r2, %r1, 13;\nst.global.u32 [%rd3], %r2; ret;";
    finds(body, Lies { facts: Some(facts), ..Lies::default() }, 0, "claimed to be from 0x0 to 0x6");
    let differing = |op: &Op, bits: u64| match op {
        Op::Alu(ptx_program::Alu::Binary { op: Binary::And, .. }) => bits & !4,
        _ => bits,
    };
    finds(body, Lies { differing: Some(differing), ..Lies::default() }, 0, "claimed to differ in the bits");
    let chunkwise = |op: &Op, bits: u32| match op {
        Op::Alu(ptx_program::Alu::Binary { op: Binary::Xor, .. }) => 0,
        _ => bits,
    };
    let body = "xor.b32 %r2, %r1, 21;\nst.global.u32 [%rd3], %r2; ret;";
    finds(
        body,
        Lies { chunkwise: Some(chunkwise), ..Lies::default() },
        0,
        "claimed to differ by the bits 0x0",
    );
}

#[test]
fn lanes_that_lose_what_they_have_are_found() {
    // After the branch lanes 0 to 8 have 1, and the others have 2.
    let body = "mov.u32 %r2, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra after;\nmov.u32 %r2, 2;\nafter:\nst.global.u32 [%rd3], %r2; ret;";
    finds(body, Lies { keeps_nothing: true, ..Lies::default() }, 3, ONE_VALUE);
}

#[test]
fn lanes_that_run_without_the_others_are_found() {
    let body = "setp.lt.u32 %p1, %r1, 9; @%p1 bra after;\nst.global.u32 [%rd3], %r1;\nafter:\nst.global.u32 [%rd3+128], %r1; ret;";
    finds(body, Lies { parts_nothing: true, ..Lies::default() }, 1, "claimed to run this together");
}

#[test]
fn what_warps_that_run_together_are_wrongly_said_to_share_is_found() {
    // The number of the warp is one value in each of the two, and another one in the other.
    let shape = |op: &Op, shape: Shape| match op {
        Op::Alu(ptx_program::Alu::Binary { op: Binary::Shr(_), .. }) => Shape::Uniform,
        _ => shape,
    };
    let body = "mov.u32 %r2, %tid.x; mov.u32 %r4, 0; mov.u32 %r5, 0;\nshr.u32 %r3, %r2, 5;\n\
                again: ld.global.u32 %r6, [%rd3]; mad.lo.u32 %r4, %r6, %r3, %r4; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 8; @%p1 bra again;\n\
                st.global.u32 [%rd3+128], %r4; ret;";
    assert_eq!(checked_in_blocks(body, 64, Lies::default()), None);
    let lies = || Lies { shape: Some(shape), ..Lies::default() };
    assert_eq!(checked_in_blocks(body, 32, lies()), None, "it is right in one warp");
    let (line, text) = checked_in_blocks(body, 64, lies()).expect("the lie is found");
    assert!(line == 1 && text.contains("lane 32"), "line {line}: {text}");
}

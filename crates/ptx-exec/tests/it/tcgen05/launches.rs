//! Kernels between the lines that allocate tensor memory and those that free it, and their launches.

use ptx_exec::{Argument, Completion, ExecError, Launch, Trap, TrapKind};

use crate::common::execute;

/// The first lines of kernels: 128 threads, all 512 columns at `%base`, the thread in `%t`, and in `%own` the address of
/// column 0 of the lowest lane that its warp reaches. `%in` and `%out` are buffers.
pub(super) const START: &str = ".visible .entry k(.param .u64 pin, .param .u64 pout) {
    .shared .align 1024 .b8 memory[65536];
    .shared .align 8 .b64 barrier;
    .shared .align 4 .b32 slot;
    .reg .b64 %in, %out, %x<20>; .reg .b32 %base, %own, %t, %warp, %y<20>, %z<8>; .reg .pred %p<8>;
    ld.param.u64 %in, [pin];
    ld.param.u64 %out, [pout];
    mov.u32 %t, %tid.x;
    shr.u32 %warp, %t, 5;
    setp.ne.u32 %p0, %warp, 0;
    @%p0 bra ALLOCATED;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;
ALLOCATED:
    bar.sync 0;
    ld.shared.u32 %base, [slot];
    mov.u32 %y0, memory;
    shl.b32 %own, %warp, 21;
    add.u32 %own, %own, %base;
";

/// The barrier before the last lines.
pub(super) const END_OF_BLOCK: &str = "bar.sync 0; // end";
/// The last lines.
pub(super) const END: &str = "
    bar.sync 0; // end
    @%p0 bra FREED;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 512;
FREED:
    ret;
}
";

/// Runs a kernel of 128 threads whose operations are done when they are issued; what it left in its output.
pub(super) fn launch(target: &str, text: &str, input: Vec<u8>, output: usize) -> Result<Vec<u8>, ExecError> {
    launch_as(Completion::Eager, target, text, input, output)
}

pub(super) fn launch_as(
    completion: Completion,
    target: &str,
    text: &str,
    input: Vec<u8>,
    output: usize,
) -> Result<Vec<u8>, ExecError> {
    launch_blocks(1, completion, target, text, input, output)
}

/// Runs a cluster of so many blocks.
pub(super) fn launch_blocks(
    blocks: u32,
    completion: Completion,
    target: &str,
    text: &str,
    input: Vec<u8>,
    output: usize,
) -> Result<Vec<u8>, ExecError> {
    let header = format!(".version 9.5\n.target {target}\n.address_size 64\n");
    let arguments = vec![Argument::Buffer(input), Argument::Buffer(vec![0; output])];
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [128, 1, 1],
        cluster: Some([blocks, 1, 1]),
        arguments,
        completion,
        ..Launch::new("k")
    };
    let done = execute(&(header + text), &launch)?;
    Ok(done.buffers.into_iter().nth(1).flatten().unwrap())
}

/// The words that a kernel between [`START`] and [`END`] leaves, whenever its operations are done.
pub(super) fn words(target: &str, body: &str, input: Vec<u8>, count: usize) -> Vec<u32> {
    let text = format!("{START}{body}{END}");
    let found = [Completion::Eager, Completion::Late]
        .map(|completion| words_of(launch_as(completion, target, &text, input.clone(), count * 4).unwrap()));
    assert!(found[0] == found[1], "operations done late: {body}");
    found.into_iter().next().unwrap()
}

/// The same of a kernel in a cluster of two blocks.
pub(super) fn words_of_pair(target: &str, body: &str, input: Vec<u8>, count: usize) -> Vec<u32> {
    let text = format!("{START}{body}{END}").replace("cta_group::1", "cta_group::2");
    // No block of the pair may end, or free its memory, before the other is done with it.
    let text = text.replace(END_OF_BLOCK, "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n");
    let found = [Completion::Eager, Completion::Late].map(|completion| {
        words_of(launch_blocks(2, completion, target, &text, input.clone(), count * 4).unwrap())
    });
    assert!(found[0] == found[1], "operations done late: {body}");
    found.into_iter().next().unwrap()
}

pub(super) fn words_of(bytes: Vec<u8>) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// What stops a kernel, and the line of it, counted from 1 after the header.
pub(super) fn misuse(text: &str) -> (String, Trap) {
    match launch("sm_100a", text, Vec::new(), 1024) {
        Err(ExecError::Trap(trap)) => match &trap.kind {
            TrapKind::Misuse(why) => (why.clone(), *trap),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// `{%r0, %r1, ...}`.
pub(super) fn list(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("%{name}{n}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// A kernel of lines; the line that is stopped is the one that ends in `// here`.
pub(super) fn stops(body: &str, why: &str) {
    let (text, trap) = misuse(body);
    assert!(text.contains(why), "{text}");
    let here = 1 + body.lines().position(|line| line.ends_with("// here")).unwrap();
    // Three lines come before it.
    let before = format!(".version 9.5\n.target sm_100a\n.address_size 64\n{body}");
    let at = trap.span.unwrap().lo as usize;
    let line = before[..at].matches('\n').count() + 1;
    assert_eq!(line, here + 3, "{text}");
}

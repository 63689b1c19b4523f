//! Kernels that copy once, and the layout that shared memory has then.

use ptx_exec::tensormap::{Swizzle, Tensor};
use ptx_exec::{Argument, Completion, ExecError, Launch, TensorMap, TrapKind};

use crate::common::execute;

/// Bytes of shared memory that a kernel shows, and what they hold before.
pub const SHOWN: usize = 32768;
pub const UNTOUCHED: u8 = 0xcd;

/// The address of the tensor: it is the first buffer.
pub const TENSOR: u64 = Argument::buffer_address(0);

/// What the buffers hold after a launch.
type Buffers = Result<Vec<Option<Vec<u8>>>, TrapKind>;

/// A launch whose copies complete at once.
pub fn launch(text: &str, arguments: Vec<Argument>, threads: u32) -> Buffers {
    launch_with(text, arguments, threads, Completion::Eager)
}

/// A launch of a program that waits, whose results do not depend on when copies complete.
fn launch_each(text: &str, arguments: Vec<Argument>) -> Buffers {
    let eager = launch(text, arguments.clone(), 1);
    for completion in [Completion::Late, Completion::Random(5)] {
        assert_eq!(launch_with(text, arguments.clone(), 1, completion), eager, "{completion:?}\n{text}");
    }
    eager
}

fn launch_with(text: &str, arguments: Vec<Argument>, threads: u32, completion: Completion) -> Buffers {
    let mut launch = Launch { block: [threads, 1, 1], arguments, completion, ..Launch::new("k") };
    launch.limits.steps = Some(1 << 22);
    match execute(text, &launch) {
        Ok(outcome) => Ok(outcome.buffers),
        Err(ExecError::Trap(trap)) => {
            assert!(trap.span.is_some() && trap.instruction.contains("tensor"), "{trap:?}");
            Err(trap.kind)
        }
        Err(other) => panic!("{other:?}\n{text}"),
    }
}

/// A kernel with a tensor map, the tensor and room for what shared memory holds. `body` finds the map's generic address in
/// `%map`, that of shared memory in `%s`, and coordinates in `%c0` to `%c4`.
pub fn kernel(coordinates: &[i32], body: &str) -> String {
    let moves: String =
        coordinates.iter().enumerate().map(|(at, value)| format!("mov.b32 %c{at}, {value};\n")).collect();
    format!(
        ".version 8.8\n.target sm_100a\n.address_size 64
        .visible .entry k(.param .align 64 .b8 m[128], .param .u64 tensor, .param .u64 out, .param .u32 base) {{
            .reg .pred %p; .reg .b16 %h<8>; .reg .b32 %c<5>, %r<12>, %s; .reg .b64 %map, %tensor, %out, %rd<9>;
            .shared .align 1024 .b8 s[{SHOWN}];
            .shared .b64 bar;
            mov.b64 %map, m; cvta.param.u64 %map, %map;
            ld.param.u64 %tensor, [tensor]; ld.param.u64 %out, [out]; ld.param.u32 %r0, [base];
            mov.b32 %s, s; add.u32 %s, %s, %r0;
            {moves}
            {body}
            ret; }}"
    )
}

/// A kernel that shows shared memory, from its start on, after a body that waits for `bytes`. The last word is 0 when the phase
/// is over after the copy and was not before.
fn loading(coordinates: &[i32], copy: &str, bytes: usize) -> String {
    let body = format!(
        "mov.b32 %r1, s; add.u32 %r2, %r1, {SHOWN};
        FILL: st.shared.b32 [%r1], 0xcdcdcdcd; add.u32 %r1, %r1, 4; setp.lt.u32 %p, %r1, %r2; @%p bra FILL;
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], {bytes};
        mbarrier.test_wait.shared.b64 %p, [bar], %rd1; selp.u32 %r5, 2, 0, %p;
        {copy}
        mov.u32 %r6, 0;
        WAIT: mbarrier.test_wait.shared.b64 %p, [bar], %rd1; @%p bra OVER;
        add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 20000; @%p bra WAIT;
        or.b32 %r5, %r5, 4;
        OVER:
        mov.b32 %r1, s;
        SHOW: ld.shared.b32 %r3, [%r1]; st.global.b32 [%out], %r3; add.u32 %r1, %r1, 4; add.u64 %out, %out, 4;
        setp.lt.u32 %p, %r1, %r2; @%p bra SHOW;
        st.global.b32 [%out], %r5;"
    );
    kernel(coordinates, &body)
}

pub fn arguments(map: &TensorMap, tensor: &[u8], base: u32) -> Vec<Argument> {
    vec![
        Argument::Bytes(map.to_bytes().to_vec()),
        Argument::Buffer(tensor.to_vec()),
        Argument::Buffer(vec![0; SHOWN + 4]),
        Argument::Bytes(base.to_le_bytes().to_vec()),
    ]
}

/// Shared memory after a load of so many bytes to `base`. `copy` is the instruction.
pub fn load(
    map: &TensorMap,
    tensor: &[u8],
    base: u32,
    (coordinates, copy, bytes): (&[i32], &str, usize),
) -> Result<Vec<u8>, TrapKind> {
    let text = loading(coordinates, copy, bytes);
    let buffers = launch_each(&text, arguments(map, tensor, base))?;
    assert_eq!(buffers[1].as_deref(), Some(tensor), "a load does not write the tensor");
    let mut shown = buffers[2].clone().unwrap();
    assert_eq!(shown.split_off(SHOWN), [0; 4], "the barrier must count {bytes} bytes\n{copy}");
    Ok(shown)
}

/// The tensor after stores from shared memory that holds `shared` from `base` on.
pub fn store(
    map: &TensorMap,
    tensor: &[u8],
    base: u32,
    shared: &[u8],
    (coordinates, copy): (&[i32], &str),
) -> Result<Vec<u8>, TrapKind> {
    assert!(shared.len() <= SHOWN && shared.len().is_multiple_of(4));
    let body = format!(
        "mov.b32 %r1, %s; add.u32 %r2, %s, {};
        FILL: ld.global.b32 %r3, [%out]; st.shared.b32 [%r1], %r3; add.u32 %r1, %r1, 4; add.u64 %out, %out, 4;
        setp.lt.u32 %p, %r1, %r2; @%p bra FILL;
        fence.proxy.async;
        {copy}
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        shared.len()
    );
    let mut arguments = arguments(map, tensor, base);
    arguments[2] = Argument::Buffer(shared.to_vec());
    let buffers = launch_each(&kernel(coordinates, &body), arguments)?;
    Ok(buffers[1].clone().unwrap())
}

/// The pattern of a swizzle, as the manual's tables in 5.5.7 have it: for each line of 128 bytes the number of the chunk of 16
/// bytes that is at each place. The lines repeat.
pub fn pattern(swizzle: Swizzle) -> &'static [[usize; 8]] {
    match swizzle {
        Swizzle::None => &[[0, 1, 2, 3, 4, 5, 6, 7]],
        Swizzle::Bytes32 | Swizzle::Bytes96 => &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]],
        Swizzle::Bytes64 => &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
        ],
        Swizzle::Bytes128 => &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [1, 0, 3, 2, 5, 4, 7, 6],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [3, 2, 1, 0, 7, 6, 5, 4],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [5, 4, 7, 6, 1, 0, 3, 2],
            [6, 7, 4, 5, 2, 3, 0, 1],
            [7, 6, 5, 4, 3, 2, 1, 0],
        ],
        Swizzle::Bytes128Atom32 | Swizzle::Bytes128Atom32Flip8 => &[
            [0, 1, 2, 3, 4, 5, 6, 7],
            [2, 3, 0, 1, 6, 7, 4, 5],
            [4, 5, 6, 7, 0, 1, 2, 3],
            [6, 7, 4, 5, 2, 3, 0, 1],
        ],
        Swizzle::Bytes128Atom64 => &[[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]],
    }
}

/// Where the byte goes that is `offset` bytes from the start of a box at `base`.
pub fn placed(swizzle: Swizzle, base: usize, offset: usize) -> usize {
    let at = base + offset;
    let (line, chunk, mut byte) = (at / 128, at % 128 / 16, at % 16);
    let pattern = pattern(swizzle);
    let place = pattern[line % pattern.len()].iter().position(|&number| number == chunk).unwrap();
    // "a flip of adjacent 8-bytes within the 16-byte data at every alternate shared memory line"
    if swizzle == Swizzle::Bytes128Atom32Flip8 && line % 2 == 1 {
        byte = (byte + 8) % 16;
    }
    line * 128 + place * 16 + byte
}

/// Shared memory with the bytes of a box in it; `None` is for bytes that stay.
pub fn shared(swizzle: Swizzle, base: usize, content: &[Option<u8>]) -> Vec<u8> {
    let mut bytes = vec![UNTOUCHED; SHOWN];
    for (offset, byte) in content.iter().enumerate() {
        if let Some(byte) = byte {
            bytes[placed(swizzle, base, offset)] = *byte;
        }
    }
    bytes
}

/// The instruction that loads a box of so many dimensions.
pub fn load_of(rank: usize, mode: &str, more: &str) -> String {
    let coordinates: Vec<String> = (0..rank).map(|at| format!("%c{at}")).collect();
    format!(
        "cp.async.bulk.tensor.{rank}d.shared::cta.global{mode}.mbarrier::complete_tx::bytes
         [%s], [%map, {{{}}}], [bar]{more};",
        coordinates.join(", ")
    )
}

/// The instruction that stores one.
pub fn store_of(rank: usize, mode: &str) -> String {
    let coordinates: Vec<String> = (0..rank).map(|at| format!("%c{at}")).collect();
    let list = coordinates.join(", ");
    format!("cp.async.bulk.tensor.{rank}d.global.shared::cta{mode}.bulk_group [%map, {{{list}}}], [%s];")
}

/// The offset in global memory of the element at these coordinates, where the tensor has one (no interleave).
pub fn element_offset(tensor: &Tensor, bytes: usize, at: &[i64]) -> Option<usize> {
    let inside = at.iter().zip(&tensor.dims).all(|(&at, &size)| at >= 0 && (at as u64) < size);
    inside.then(|| {
        let outer = at[1..].iter().zip(&tensor.strides).map(|(&at, &stride)| at as usize * stride as usize);
        at[0] as usize * bytes + outer.sum::<usize>()
    })
}

/// Bytes that differ from each other, so that none can be mistaken.
pub fn noise(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..count).map(next).collect()
}

pub fn reason(result: Result<Vec<u8>, TrapKind>) -> String {
    match result {
        Err(TrapKind::Misuse(text)) => text,
        Err(TrapKind::Fault(fault)) => fault.to_string(),
        other => panic!("{other:?}"),
    }
}

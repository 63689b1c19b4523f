//! Kernels between an image of shared memory with one of tensor memory, and an image of tensor memory afterwards.

use super::{list, words, words_of_pair};

/// Columns of an image of tensor memory.
pub const COLUMNS: usize = 512;

/// Cells of tensor memory, lane after lane.
#[derive(Clone)]
pub struct Tensor(pub Vec<u32>);

impl Tensor {
    /// Something that is not zero in all cells.
    pub fn new() -> Self {
        Self((0..128 * COLUMNS as u32).map(|at| at.wrapping_mul(0x9e37_79b9) | 1).collect())
    }

    pub fn at(&self, lane: usize, column: usize) -> u32 {
        self.0[lane * COLUMNS + column]
    }

    pub fn set(&mut self, lane: usize, column: usize, value: u32) {
        self.0[lane * COLUMNS + column] = value;
    }

    /// Puts bits at a number of bits after the start of a column.
    pub fn put(&mut self, lane: usize, column: usize, bit: usize, width: usize, value: u64) {
        for i in 0..width {
            let (column, low) = (column + (bit + i) / 32, (bit + i) % 32);
            let cell = self.at(lane, column) & !(1 << low);
            self.set(lane, column, cell | ((value >> i & 1) as u32) << low);
        }
    }
}

/// The text that gives `%x{register}` a descriptor with the address of `memory` added.
pub fn descriptor(register: usize, bits: u64) -> String {
    format!(
        "mov.u32 %y9, memory;\nshr.u32 %y9, %y9, 4;\ncvt.u64.u32 %x9, %y9;\nadd.u64 %x{register}, %x9, {bits:#x};\n"
    )
}

/// Fills shared memory at `memory` and tensor memory, runs `body` in one thread (predicate `%p1`), waits for the barrier that
/// it commits to, and gives tensor memory.
pub fn run_image(target: &str, shared: &[u8], tensor: &Tensor, body: &str) -> Tensor {
    let commit = "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [barrier];";
    let text = image("setp.eq.u32 %p1, %t, 0;", &format!("{body}{commit}"), "bar.sync 0;");
    Tensor(words(target, &text, input(shared, tensor), 128 * COLUMNS))
}

/// The same in a pair of blocks, where the first thread of the even one issues what both get.
pub fn run_pair(target: &str, shared: &[Vec<u8>], tensors: &[Tensor], body: &str) -> Vec<Tensor> {
    let commit = "mov.b16 %h0, 3;
        @%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [barrier], %h0;";
    let prepare = format!(
        "mov.u32 %y0, %cluster_ctarank;
        mad.wide.u32 %in, %y0, {}, %in;
        mad.wide.u32 %out, %y0, {}, %out;
        mad.lo.u32 %y0, %y0, 128, %t;",
        65536 + 512 * COLUMNS,
        512 * COLUMNS
    );
    let meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;";
    let body = image("setp.eq.u32 %p1, %y0, 0;", &format!("{body}{commit}"), meet);
    let bytes = shared.iter().zip(tensors).flat_map(|(shared, tensor)| input(shared, tensor)).collect();
    let found = words_of_pair(target, &format!(".reg .b16 %h0;\n{prepare}{body}"), bytes, 256 * COLUMNS);
    found.chunks_exact(128 * COLUMNS).map(|part| Tensor(part.to_vec())).collect()
}

/// What a block gets.
fn input(shared: &[u8], tensor: &Tensor) -> Vec<u8> {
    assert!(shared.len() <= 65536);
    let mut input = shared.to_vec();
    input.resize(65536, 0xcc);
    input.extend(tensor.0.iter().flat_map(|cell| cell.to_le_bytes()));
    input
}

/// `issuer` sets `%p1`, `meet` lets all threads meet that the body concerns.
fn image(issuer: &str, body: &str, meet: &str) -> String {
    let registers = list("c", 16);
    let fours: Vec<String> = (0..4)
        .map(|n| format!("{{%c{}, %c{}, %c{}, %c{}}}", n * 4, n * 4 + 1, n * 4 + 2, n * 4 + 3))
        .collect();
    let each = |text: &dyn Fn(usize) -> String| (0..4).map(text).collect::<String>();
    format!(
        ".reg .b32 %c<16>; .reg .pred %q<4>;
        // Shared memory, 16 bytes a thread each time.
        mad.wide.u32 %x0, %t, 16, %in;
        mov.u32 %y1, memory;
        mad.lo.u32 %y1, %t, 16, %y1;
        mov.u32 %y2, 0;
    FILL:
        ld.global.v4.b32 {four}, [%x0];
        st.shared.v4.b32 [%y1], {four};
        add.u64 %x0, %x0, 2048;
        add.u32 %y1, %y1, 2048;
        add.u32 %y2, %y2, 1;
        setp.lt.u32 %q0, %y2, 32;
        @%q0 bra FILL;
        // Tensor memory, 16 columns each time.
        mad.wide.u32 %x0, %t, {row}, %in;
        add.u64 %x0, %x0, 65536;
        mov.u32 %y2, 0;
    STORE:
        {loads}
        add.u32 %y3, %own, %y2;
        tcgen05.st.sync.aligned.32x32b.x16.b32 [%y3], {registers};
        add.u64 %x0, %x0, 64;
        add.u32 %y2, %y2, 16;
        setp.lt.u32 %q0, %y2, {COLUMNS};
        @%q0 bra STORE;
        tcgen05.wait::st.sync.aligned;
        tcgen05.fence::before_thread_sync;
        fence.proxy.async.shared::cta;
        setp.eq.u32 %p1, %t, 0;
        @%p1 mbarrier.init.shared.b64 [barrier], 1;
        {meet}
        {issuer}
        tcgen05.fence::after_thread_sync;
        {body}
    WAIT:
        mbarrier.try_wait.parity.shared.b64 %q0, [barrier], 0;
        @!%q0 bra WAIT;
        tcgen05.fence::after_thread_sync;
        mad.wide.u32 %x0, %t, {row}, %out;
        mov.u32 %y2, 0;
    LOAD:
        add.u32 %y3, %own, %y2;
        tcgen05.ld.sync.aligned.32x32b.x16.b32 {registers}, [%y3];
        tcgen05.wait::ld.sync.aligned;
        {stores}
        add.u64 %x0, %x0, 64;
        add.u32 %y2, %y2, 16;
        setp.lt.u32 %q0, %y2, {COLUMNS};
        @%q0 bra LOAD;\n",
        four = fours[0],
        row = COLUMNS * 4,
        loads = each(&|n| format!("ld.global.v4.b32 {}, [%x0+{}];\n", fours[n], n * 16)),
        stores = each(&|n| format!("st.global.v4.b32 [%x0+{}], {};\n", n * 16, fours[n])),
    )
}

//! Products in tensor memory: those that the runtime computes with the processor's vectors have the bits that the interpreter finds element by
//! element. That they are computed with vectors is counted.

use crate::common::{interpreted, launched};
use ptx_exec::{Argument, Launch};
use ptx_host_rt::Computed;

/// Bytes in shared memory: A from 0 on, B from 8192 on.
const BYTES: usize = 8192 + 8192;
/// Columns that are allocated; A in tensor memory is in the second half of them.
const COLUMNS: usize = 64;

/// A product of a block. Instruction descriptors are those of the manual's table in 9.7.16.4.2.
#[derive(Clone, Copy)]
struct Product {
    kind: &'static str,
    /// The formats of A and B as the instruction descriptor has them.
    formats: [usize; 2],
    m: usize,
    n: usize,
    /// Whether it is `.ws`, which has more layouts of D.
    keeps_b: bool,
    /// Whether A is in tensor memory; whether B is transposed in memory.
    in_tensor: bool,
    transposed: bool,
    adds: bool,
    /// Whether A and B are negated.
    negates: [bool; 2],
    /// The first lane of D.
    lane: usize,
}

const PLAIN: Product = Product {
    kind: "f16",
    formats: [0, 0],
    m: 128,
    n: 32,
    keeps_b: false,
    in_tensor: false,
    transposed: false,
    adds: true,
    negates: [false; 2],
    lane: 0,
};

impl Product {
    /// The fields of the instruction descriptor (manual 9.7.16.4.2): D in single precision.
    fn instruction(&self) -> usize {
        let [a, b] = self.formats;
        let [negates_a, negates_b] = self.negates.map(usize::from);
        let transposed = usize::from(self.transposed);
        let fields = [(1, 4), (a, 7), (b, 10), (negates_a, 13), (negates_b, 14), (transposed, 16)];
        let sizes = [(self.n / 8, 17), (self.m / 16, 24)];
        fields.into_iter().chain(sizes).map(|(value, low)| value << low).sum()
    }

    fn text(&self) -> String {
        let Self { kind, m, n, keeps_b, in_tensor, transposed, adds, lane, .. } = *self;
        // Lines of eight rows are 128 bytes; the next 16 bytes of a line are as far as all lines take. Bits 46 to 48 are 1.
        let descriptor = |first: usize, leading: usize, stride: usize| {
            (first / 16) | ((leading / 16) << 16) | ((stride / 16) << 32) | (1 << 46)
        };
        let of_a = descriptor(0, m * 16, 128);
        // Of a transposed one eight columns of a row lie together, eight rows one after the other.
        let of_b = if transposed { descriptor(8192, 4096, 128) } else { descriptor(8192, n * 16, 128) };
        let list = |from: usize| (from..from + 32).map(|i| format!("%c{i}")).collect::<Vec<_>>().join(", ");
        let moves = |what: &str| -> String {
            let each = (0..COLUMNS).step_by(32).map(|first| match what {
                "st" => {
                    format!("tcgen05.st.sync.aligned.32x32b.x32.b32 [%r8+{first}], {{{}}};\n", list(first))
                }
                _ => format!("tcgen05.ld.sync.aligned.32x32b.x32.b32 {{{}}}, [%r8+{first}];\n", list(first)),
            });
            each.collect()
        };
        let initial: String = (0..COLUMNS)
            .map(|i| format!("ld.global.u32 %c{i}, [%rd3+{}]; and.b32 %c{i}, %c{i}, 0xbf7fbfff;\n", 4 * i))
            .collect();
        let stores: String =
            (0..COLUMNS).map(|i| format!("st.global.u32 [%rd4+{}], %c{i};\n", 4 * i)).collect();
        let a = if in_tensor { "[%r11]" } else { "%rd5" };
        let ws = if keeps_b { ".ws" } else { "" };
        format!(
            ".version 8.7\n.target sm_100a\n.address_size 64\n.shared .align 1024 .b8 memory[{BYTES}];\n\
             .shared .align 8 .b64 bar;\n.shared .b32 place;\n\
             .visible .entry k(.param .u64 out, .param .u64 in)\n{{\n\
             .reg .pred %p<6>;\n.reg .b32 %r<20>;\n.reg .b32 %c<{COLUMNS}>;\n.reg .b64 %rd<10>;\n\
             ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, memory;\n\
             mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd3, %rd2; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mov.u32 %r4, 0;\n\
             fill: ld.global.u32 %r5, [%rd3]; st.shared.u32 [%r3], %r5; add.s64 %rd3, %rd3, 512; add.u32 %r3, %r3, 512;\n\
             add.u32 %r4, %r4, 512; setp.lt.u32 %p1, %r4, {BYTES}; @%p1 bra fill;\n\
             setp.ge.u32 %p2, %r1, 32; setp.ne.u32 %p3, %r1, 0;\n\
             @!%p3 mbarrier.init.shared.b64 [bar], 1;\n\
             @%p2 bra ready; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], {COLUMNS};\n\
             ready: fence.proxy.async.shared::cta; bar.sync 0;\n\
             ld.shared.u32 %r6, [place]; shr.u32 %r7, %r1, 5; shl.b32 %r7, %r7, 21; add.u32 %r8, %r6, %r7;\n\
             mad.wide.u32 %rd3, %r1, 36, %rd2; mad.wide.u32 %rd4, %r1, {row}, %rd1;\n\
             {initial}{store}tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0;\n\
             @%p3 bra wait; tcgen05.fence::after_thread_sync;\n\
             add.u32 %r10, %r6, {d}; add.u32 %r11, %r10, 32; setp.eq.u32 %p4, {adds}, 1;\n\
             shr.u32 %r12, %r2, 4; cvt.u64.u32 %rd6, %r12; add.s64 %rd5, %rd6, {of_a}; add.s64 %rd6, %rd6, {of_b};\n\
             tcgen05.mma{ws}.cta_group::1.kind::{kind} [%r10], {a}, %rd6, {instruction}, %p4;\n\
             tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n\
             wait: mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0; @!%p5 bra wait;\n\
             tcgen05.fence::after_thread_sync;\n\
             {load}tcgen05.wait::ld.sync.aligned;\n{stores}\
             bar.sync 0; @%p2 bra done; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, {COLUMNS};\n\
             done: ret;\n}}\n",
            row = 4 * COLUMNS,
            store = moves("st"),
            load = moves("ld"),
            d = lane << 16,
            adds = u8::from(adds),
            instruction = self.instruction(),
        )
    }

    /// Compares both engines, with operands whose bits are among these.
    fn agrees(&self, mask: u32) {
        let mut launch = Launch::new("k");
        (launch.grid, launch.block) = ([1; 3], [128, 1, 1]);
        launch.limits.timeout = Some(std::time::Duration::from_secs(120));
        launch.threads = std::num::NonZeroUsize::new(1);
        let input = (0..BYTES as u32 / 4).flat_map(|i| {
            let mixed = (i ^ i << 13).wrapping_mul(2_654_435_761).rotate_left(i % 31);
            (mixed & mask).to_le_bytes()
        });
        launch.arguments =
            vec![Argument::Buffer(vec![0; 128 * COLUMNS * 4]), Argument::Buffer(input.collect())];
        let expected = interpreted(&self.text(), &launch).expect("it ends");
        let before = Computed::on_this_thread().tensor;
        let left = launched(&self.text(), &launch).expect("it ends");
        let computed = Computed::on_this_thread().tensor - before;
        assert_eq!(computed, 1, "{}", self.kind);
        assert!(left == expected, "{}", self.text());
    }
}

/// No infinities among halves.
const HALVES: u32 = 0xbfff_bfff;

#[test]
fn products_of_every_type() {
    for (kind, formats, mask) in [
        ("f16", [0, 0], HALVES),
        ("f16", [1, 1], HALVES),
        ("f16", [0, 0], u32::MAX),
        ("tf32", [2, 2], 0xbfff_ffff),
        ("f8f6f4", [0, 1], 0xbfbf_bfbf),
        ("f8f6f4", [1, 0], u32::MAX),
    ] {
        for in_tensor in [false, true] {
            Product { kind, formats, in_tensor, ..PLAIN }.agrees(mask);
        }
    }
}

#[test]
fn layouts_of_d() {
    for lane in [0, 16] {
        for in_tensor in [false, true] {
            Product { m: 64, lane, in_tensor, ..PLAIN }.agrees(HALVES);
        }
    }
    for (m, n) in [(32, 64), (64, 64), (128, 64)] {
        for in_tensor in [false, true] {
            Product { m, n, keeps_b: true, in_tensor, ..PLAIN }.agrees(HALVES);
        }
    }
}

#[test]
fn sizes_signs_and_transposed_factors() {
    for n in [16, 32] {
        Product { n, ..PLAIN }.agrees(HALVES);
    }
    Product { n: 8, m: 64, ..PLAIN }.agrees(HALVES);
    for negates in [[true, false], [false, true], [true, true]] {
        Product { negates, ..PLAIN }.agrees(HALVES);
        Product { negates, in_tensor: true, ..PLAIN }.agrees(HALVES);
    }
    Product { transposed: true, ..PLAIN }.agrees(HALVES);
    Product { transposed: true, formats: [1, 1], adds: false, ..PLAIN }.agrees(HALVES);
}

//! Products of warpgroups: those that the runtime computes with the processor's vectors have the interpreter's bits.

use crate::common::{is_checked, launched_alike, processors};
use ptx_exec::{Argument, Launch};
use ptx_host_rt::Computed;

/// Bytes that the kernel has in shared memory: A from 0 on, B from 4096 on.
const BYTES: usize = 4096 + 256 * 32;

struct Product<'a> {
    /// `.f32.f16.f16`, of D, A and B.
    types: &'a str,
    n: usize,
    k: usize,
    /// Whether A is in registers; whether B is transposed in memory.
    in_registers: bool,
    transposed: bool,
    /// Whether D is added, and `imm-scale-a`.
    adds: bool,
    sign: i32,
}

impl Product<'_> {
    fn text(&self) -> String {
        let Self { types, n, k, in_registers, transposed, adds, sign } = *self;
        let count = if types.starts_with(".f16") { n / 4 } else { n / 2 };
        let list = |name: &str, count: usize| {
            let all: Vec<String> = (0..count).map(|i| format!("%{name}{i}")).collect();
            format!("{{{}}}", all.join(", "))
        };
        let initial: String = (0..count)
            .map(|i| {
                format!("mul.lo.u32 %d{i}, %r1, {}; and.b32 %d{i}, %d{i}, 0xbf7fbfff;\n", 77_773 + 2 * i)
            })
            .collect();
        let stores: String =
            (0..count).map(|i| format!("st.global.u32 [%rd4+{}], %d{i};\n", 4 * i)).collect();
        // Lines of eight rows are 128 bytes; the next 16 bytes of a line are as far as all lines take.
        let descriptor = |leading: usize, stride: usize| ((leading / 16) << 16) | ((stride / 16) << 32);
        let of_a = descriptor(1024, 128);
        let of_b = if transposed { descriptor(128, 256) } else { descriptor(n * 16, 128) };
        let a = if in_registers { list("a", 4) } else { "%rd5".to_owned() };
        let is_half = types.ends_with(".f16.f16") || types.ends_with(".bf16.bf16");
        let trans = match (is_half, in_registers) {
            (true, true) => format!(", {}", u8::from(transposed)),
            (true, false) => format!(", 0, {}", u8::from(transposed)),
            (false, _) => String::new(),
        };
        let scales = if types.starts_with(".s32") { String::new() } else { format!(", {sign}, 1") };
        format!(
            ".version 8.7\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 memory[{BYTES}];\n\
             .visible .entry k(.param .u64 out, .param .u64 in)\n{{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<10>;\n.reg .b32 %d<128>;\n.reg .b32 %a<4>;\n.reg .b64 %rd<10>;\n\
             ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, memory;\n\
             mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd3, %rd2; shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; mov.u32 %r4, 0;\n\
             fill: ld.global.u32 %r5, [%rd3]; st.shared.u32 [%r3], %r5; add.s64 %rd3, %rd3, 512; add.u32 %r3, %r3, 512;\n\
             add.u32 %r4, %r4, 512; setp.lt.u32 %p1, %r4, {BYTES}; @%p1 bra fill;\n\
             fence.proxy.async.shared::cta; bar.sync 0;\n\
             ld.shared.u32 %a0, [%r2]; mul.lo.u32 %r6, %r1, 16; add.u32 %r6, %r6, %r2; ld.shared.u32 %a1, [%r6]; ld.shared.u32 %a2, [%r6+4]; ld.shared.u32 %a3, [%r6+8];\n\
             {initial}\
             shr.u32 %r7, %r2, 4; cvt.u64.u32 %rd6, %r7; or.b64 %rd5, %rd6, {of_a}; add.s64 %rd6, %rd6, 256; or.b64 %rd6, %rd6, {of_b};\n\
             setp.eq.u32 %p2, {}, 1;\n\
             wgmma.fence.sync.aligned;\n\
             wgmma.mma_async.sync.aligned.m64n{n}k{k}{types} {}, {a}, %rd6, %p2{scales}{trans};\n\
             wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n\
             mul.wide.u32 %rd7, %r1, {}; add.s64 %rd4, %rd1, %rd7;\n{stores}ret;\n}}\n",
            u8::from(adds),
            list("d", count),
            4 * count,
        )
    }

    /// Compares both engines, with operands whose bits are among these.
    fn agrees(&self, mask: u32) {
        let mut launch = Launch::new("k");
        (launch.grid, launch.block) = ([1; 3], [128, 1, 1]);
        launch.limits.timeout = Some(std::time::Duration::from_secs(120));
        let input = (0..BYTES as u32 / 4).flat_map(|i| {
            let mixed = (i ^ i << 13).wrapping_mul(2_654_435_761).rotate_left(i % 31);
            (mixed & mask).to_le_bytes()
        });
        launch.arguments = vec![Argument::Buffer(vec![0; 128 * 128 * 4]), Argument::Buffer(input.collect())];
        launch.threads = std::num::NonZeroUsize::new(1);
        let before = Computed::on_this_thread().warpgroup;
        let left = launched_alike(&self.text(), &launch).expect("it ends");
        // Each launch of compiled code has the four warps' parts computed with vectors; that of the interpreter none.
        let computed = Computed::on_this_thread().warpgroup - before;
        let launches: u64 = processors().iter().map(|cpu| 1 + u64::from(is_checked(cpu))).sum();
        assert_eq!(computed, 4 * launches, "{}", self.types);
        let left = left.buffers[0].as_ref().expect("a buffer");
        assert!(left.iter().any(|&byte| byte != 0), "{}", self.types);
    }
}

const PLAIN: Product<'static> = Product {
    types: ".f32.f16.f16",
    n: 16,
    k: 16,
    in_registers: false,
    transposed: false,
    adds: true,
    sign: 1,
};

/// The types of factors, with what of their bits keeps them from being infinite.
const TYPES: [(&str, usize, u32); 8] = [
    (".f32.f16.f16", 16, 0xbfff_bfff),
    (".f16.f16.f16", 16, 0xbfff_bfff),
    (".f32.bf16.bf16", 16, 0xbfff_bfff),
    (".f32.tf32.tf32", 8, 0xbfff_ffff),
    (".f32.e4m3.e5m2", 32, 0xbfbf_bfbf),
    (".f16.e5m2.e4m3", 32, 0xbfbf_bfbf),
    (".s32.s8.u8", 32, u32::MAX),
    (".s32.u8.u8", 32, u32::MAX),
];

#[test]
fn products_of_every_type() {
    for (types, k, mask) in TYPES {
        for in_registers in [false, true] {
            Product { types, k, in_registers, ..PLAIN }.agrees(mask);
        }
    }
}

#[test]
fn infinities_and_nans() {
    for (types, k, _) in TYPES {
        Product { types, k, ..PLAIN }.agrees(u32::MAX);
    }
}

#[test]
fn sizes_signs_and_transposed_factors() {
    for (n, adds) in [(8, true), (24, false), (96, true)] {
        Product { n, adds, ..PLAIN }.agrees(0xbfff_bfff);
    }
    for in_registers in [false, true] {
        Product { n: 32, sign: -1, in_registers, ..PLAIN }.agrees(0xbfff_bfff);
        Product { n: 32, transposed: true, in_registers, ..PLAIN }.agrees(0xbfff_bfff);
        Product { n: 32, types: ".f32.bf16.bf16", transposed: true, in_registers, ..PLAIN }
            .agrees(0xbfff_bfff);
    }
}

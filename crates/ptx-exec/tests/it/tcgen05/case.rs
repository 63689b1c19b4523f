//! Multiplications of one block or of a pair, with the plain products that they compute.
//!
//! Where elements lie is written down here as CUTLASS has it: the canonical layouts of matrices in shared memory as the
//! manual's table has them in terms of CuTe (9.7.16.3.3), the lanes and columns of D, A, metadata and scales as the layouts of
//! `cute/atom/mma_traits_sm100.hpp` (`tmem_frg`, `tmem_frg_ws`, `tmem_e_frg`, `tmem_e_frg_ws`, `tmem_sf_frg`), which are strides to
//! lanes and bits. All values are small integers, so that every sum is exact.

use super::image::{Tensor, descriptor, run_image, run_pair};
use super::list;

/// An element type: its bits in memory, and the bits of the numbers 0 to 3 with that of the sign.
#[derive(Clone, Copy, PartialEq)]
pub struct Type {
    name: &'static str,
    /// The number of the type in an instruction descriptor.
    code: u64,
    /// Bits that it takes up.
    bits: usize,
    /// Bits that it takes up where 16 elements are packed into 16 bytes of shared memory, or none.
    packed: usize,
    numbers: [u64; 4],
    sign: u64,
}

const fn ty(name: &'static str, code: u64, bits: usize, packed: usize, numbers: [u64; 4], sign: u64) -> Type {
    Type { name, code, bits, packed, numbers, sign }
}

pub const F16: Type = ty("f16", 0, 16, 0, [0, 0x3c00, 0x4000, 0x4200], 0x8000);
pub const BF16: Type = ty("bf16", 1, 16, 0, [0, 0x3f80, 0x4000, 0x4040], 0x8000);
/// The low 13 bits are ignored.
pub const TF32: Type = ty("tf32", 2, 32, 0, [0x1234, 0x3f80_1fff, 0x4000_0001, 0x4040_0000], 0x8000_0000);
pub const E4M3: Type = ty("e4m3", 0, 8, 0, [0, 0x38, 0x40, 0x44], 0x80);
pub const E5M2: Type = ty("e5m2", 1, 8, 0, [0, 0x3c, 0x40, 0x42], 0x80);
pub const E2M3: Type = ty("e2m3", 3, 8, 6, [0, 0b01000, 0b10000, 0b10100], 0x20);
pub const E3M2: Type = ty("e3m2", 4, 8, 6, [0, 0b01100, 0b10000, 0b10010], 0x20);
/// In the middle of a byte of tensor memory.
pub const E2M1: Type = ty("e2m1", 5, 8, 4, [0, 0b001000, 0b010000, 0b010100], 0x20);
/// Two in a byte.
pub const E2M1_PAIRS: Type = ty("e2m1", 1, 4, 0, [0, 0b010, 0b100, 0b101], 0x8);
pub const U8: Type = ty("u8", 0, 8, 0, [0, 1, 200, 255], 0);
pub const S8: Type = ty("s8", 1, 8, 0, [0, 1, 100, 127], 0);

impl Type {
    /// The value and the bits of a small number, or what there is instead of it.
    fn encode(self, number: i64) -> (f64, u64) {
        let at = number.unsigned_abs() as usize % 4;
        match self.name {
            "u8" => (self.numbers[at] as f64, self.numbers[at]),
            "s8" => {
                let value = self.numbers[at] as i64 * number.signum();
                (value as f64, value as u64 & 0xff)
            }
            _ => (number as f64, self.numbers[at] | if number < 0 { self.sign } else { 0 }),
        }
    }
}

/// Scales of blocks: what `.block_scale` is followed by, how many a row has, their format, and where they begin in a word.
#[derive(Clone, Copy)]
pub struct Scales {
    pub name: &'static str,
    pub count: usize,
    pub ue4m3: bool,
    pub ids: [usize; 2],
}

impl Scales {
    /// The bits and value of a scale.
    fn of(self, number: usize) -> (u64, f64) {
        if self.ue4m3 {
            [(0x30, 0.5), (0x38, 1.0), (0x3c, 1.5), (0x40, 2.0), (0x48, 4.0)][number % 5]
        } else {
            [(126, 0.5), (127, 1.0), (128, 2.0), (129, 4.0)][number % 4]
        }
    }

    fn of_a(self, row: usize, at: usize) -> (u64, f64) {
        self.of(row * 3 + at * 7 + row / 8)
    }

    fn of_b(self, column: usize, at: usize) -> (u64, f64) {
        self.of(column * 5 + at * 3 + 1)
    }
}

#[derive(Clone, Copy)]
pub struct Case {
    pub kind: &'static str,
    pub m: usize,
    pub n: usize,
    /// Of a dense A.
    pub k: usize,
    pub a: Type,
    pub b: Type,
    pub d: &'static str,
    /// `.cta_group::2`
    pub pair: bool,
    pub ws: bool,
    pub sparse: bool,
    pub selector: usize,
    pub in_tensor: bool,
    pub ashift: bool,
    pub transposed: [bool; 2],
    /// The swizzling modes of A and of B.
    pub swizzles: [u64; 2],
    pub negated: [bool; 2],
    pub saturates: bool,
    pub adds: bool,
    pub shift_d: usize,
    pub base: usize,
    pub disabled: Option<[u32; 8]>,
    /// A descriptor of columns that are zero, and the code of the most columns of a shift.
    pub zeros: Option<(u64, u64)>,
    pub scales: Option<Scales>,
    /// A suffix about collector buffers.
    pub collector: &'static str,
}

pub const CASE: Case = Case {
    kind: "f16",
    m: 128,
    n: 64,
    k: 16,
    a: F16,
    b: F16,
    d: "f32",
    pair: false,
    ws: false,
    sparse: false,
    selector: 0,
    in_tensor: false,
    ashift: false,
    transposed: [false; 2],
    swizzles: [0; 2],
    negated: [false; 2],
    saturates: false,
    adds: true,
    shift_d: 0,
    base: 0,
    disabled: None,
    zeros: None,
    scales: None,
    collector: "",
};

/// Columns of tensor memory: D at 0, then A, metadata, and scales of A and of B.
const AT_A: usize = 256;
const AT_META: usize = 320;
const AT_SCALES: [usize; 2] = [336, 352];
/// Bytes of shared memory before B.
pub const AT_B: usize = 32768;

/// The places that a chunk of a sparse row keeps, in order.
const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)];

impl Case {
    fn depth(&self) -> usize {
        if self.sparse { self.k * 2 } else { self.k }
    }

    /// Columns of B that are there.
    fn columns_of_b(&self) -> usize {
        self.n + self.zeros.map_or(0, |(bits, _)| (bits >> 56) as usize)
    }

    pub fn a_at(&self, row: usize, i: usize) -> (f64, u64) {
        self.a.encode(((row * 7 + i * 5 + row * i % 11) % 7) as i64 - 3)
    }

    fn b_at(&self, k: usize, n: usize) -> (f64, u64) {
        self.b.encode(((k * 3 + n * 11 + k * n % 13) % 7) as i64 - 3)
    }

    /// The places that chunk `at` of a row of A keeps, and its metadata.
    fn kept(&self, row: usize, at: usize) -> (Vec<usize>, u64) {
        let number = row * 7 + at * 5 + row / 8;
        let (first, second) = PAIRS[number % 6];
        match self.a.bits {
            32 => (vec![at * 2 + number % 2], if number.is_multiple_of(2) { 0b0100 } else { 0b1110 }),
            4 => {
                let pairs = [first, second].into_iter().flat_map(|p| [at * 8 + p * 2, at * 8 + p * 2 + 1]);
                (pairs.collect(), (first | second << 2) as u64)
            }
            _ => (vec![at * 4 + first, at * 4 + second], (first | second << 2) as u64),
        }
    }

    fn chunks(&self) -> usize {
        self.depth()
            / match self.a.bits {
                32 => 2,
                4 => 8,
                _ => 4,
            }
    }

    /// The depths that the stored elements of a row have.
    fn depths(&self, row: usize) -> Vec<usize> {
        if !self.sparse {
            return (0..self.k).collect();
        }
        (0..self.chunks()).flat_map(|at| self.kept(row, at).0).collect()
    }

    fn blocks(&self) -> usize {
        if self.pair { 2 } else { 1 }
    }

    /// The block, lane and column of an element of D (`tmem_frg`, `tmem_frg_ws`). Each block of a pair has half of the rows.
    pub fn place(&self, row: usize, column: usize) -> (usize, usize, usize) {
        let of_block = self.m / self.blocks();
        let (block, row) = (row / of_block, row % of_block);
        let (lane, column) = match (of_block, self.ws) {
            (128, _) => (row, column),
            // The manual's layouts C and F: half of the lanes.
            (64, false) if !self.pair || self.sparse => (self.base + row % 16 + row / 16 * 32, column),
            (64, _) => (row + column / (self.n / 2) * 64, column % (self.n / 2)),
            _ => (row + column / (self.n / 4) * 32, column % (self.n / 4)),
        };
        (block, lane, column)
    }

    /// The lanes of its block that must have a copy of a row of A.
    fn lanes(&self, row: usize) -> Vec<usize> {
        let mut lanes: Vec<usize> = (0..self.n).map(|column| self.place(row, column).1).collect();
        lanes.dedup();
        lanes
    }

    /// Writes what a block has of a matrix to shared memory; gives its descriptor without the start. `which` is 0 for A, 1 for B.
    pub fn lay_out(&self, which: usize, block: usize, memory: &mut [u8]) -> u64 {
        let (ty, mode) = ([self.a, self.b][which], self.swizzles[which]);
        let (lines, depth) = match which {
            0 => (self.m / self.blocks(), self.depths(0).len()),
            _ => (self.columns_of_b() / self.blocks(), self.depth()),
        };
        let first = block * lines;
        let t = 128 / ty.bits;
        // Strides in elements, as in the table.
        let (width, swizzle) = match mode {
            0 => (1, [0, 4, 3]),
            6 => (2, [1, 4, 3]),
            4 => (4, [2, 4, 3]),
            2 => (8, [3, 4, 3]),
            _ => (8, [2, 5, 2]),
        };
        let (leading, stride) = match (self.transposed[which], mode) {
            (false, 0) => (lines.div_ceil(8) * 8 * t, 8 * t),
            (false, _) => (t, 8 * width * t),
            (true, 0) => (lines.div_ceil(t) * 8 * t, 8 * t),
            (true, 1) => (8 * t * depth, 4 * 8 * t),
            (true, _) => (width * t * depth.max(8), 8 * width * t),
        };
        let offset = |line: usize, k: usize| match (self.transposed[which], mode) {
            (false, 0) => line % 8 * t + line / 8 * stride + k % t + k / t * leading,
            (false, _) => line % 8 * width * t + line / 8 * stride + k % t + k / t * t,
            (true, 0) => line % t + line / t * stride + k % 8 * t + k / 8 * leading,
            (true, 1) => {
                line % t + line / t % 8 * t + line / t / 8 * leading + k % 4 * 8 * t + k / 4 * stride
            }
            (true, _) => {
                let of_line = line % t + line / t % width * t + line / t / width * leading;
                of_line + k % 8 * width * t + k / 8 * stride
            }
        };
        for line in 0..lines {
            for i in 0..depth {
                let (_, mut raw) =
                    if which == 0 { self.a_at(first + line, i) } else { self.b_at(i, first + line) };
                let bit = offset(line, i) * ty.bits;
                let byte = bit / 8;
                let [count, base, shift] = swizzle;
                let byte = byte ^ (byte & ((1 << count) - 1) << (base + shift)) >> shift;
                let (mut at, mut bits) = (byte * 8 + bit % 8, ty.bits);
                if ty.packed != 0 {
                    // 16 elements follow each other from the lowest bit of their 16 bytes.
                    at = byte / 16 * 128 + byte % 16 * ty.packed;
                    bits = ty.packed;
                    raw = if ty.packed == 4 { raw >> 2 } else { raw };
                }
                for n in 0..bits {
                    let (byte, low) = ((at + n) / 8, (at + n) % 8);
                    memory[byte] = memory[byte] & !(1 << low) | ((raw >> n & 1) as u8) << low;
                }
            }
        }
        let bytes = |elements: usize| (elements * ty.bits / 8) as u64;
        bytes(leading) >> 4 << 16 | bytes(stride) >> 4 << 32 | 1 << 46 | mode << 61
    }

    /// Tensor memory of a block before.
    pub fn tensor(&self, block: usize) -> Tensor {
        let mut tensor = Tensor::new();
        let of_block = self.m / self.blocks();
        for row in block * of_block..(block + 1) * of_block {
            for column in 0..self.n {
                let (_, lane, at) = self.place(row, column);
                tensor.set(lane, at, self.old_bits(row, column));
            }
            for lane in self.lanes(row) {
                if self.in_tensor {
                    // With `.ashift` lane l multiplies what lane l + 1 has, the last one its own.
                    let held = if self.ashift && row % of_block > 0 { row - 1 } else { row };
                    for i in 0..self.depths(row).len() {
                        let raw = self.a_at(held, i).1;
                        tensor.put(lane, AT_A, i * self.a.bits, self.a.bits, raw);
                    }
                }
                if self.sparse {
                    self.put_metadata(&mut tensor, lane, row);
                }
            }
        }
        self.put_scales(&mut tensor, block);
        tensor
    }

    /// `tmem_e_frg`: a bit for each element (two for one of `.tf32`, half a bit for one of four bits) of a row.
    fn put_metadata(&self, tensor: &mut Tensor, lane: usize, row: usize) {
        for at in 0..self.chunks() {
            let bits = self.kept(row, at).1;
            let k = at
                * match self.a.bits {
                    32 => 2,
                    4 => 8,
                    _ => 4,
                };
            let first = lane - row % 16;
            let (lane, bit) = match self.a.bits {
                // Shape ((8, 2, 8), (16, 2)): strides in bits 1, 16, in lanes 1 and 8.
                16 => (first + row % 8 + k / 16 * 8, k % 16 + row / 8 % 2 * 16),
                // Shape ((8, 2, 8), (8, 2)), in units of two bits.
                32 => (first + row % 8 + k / 8 * 8, (k % 8 + row / 8 % 2 * 8) * 2),
                8 => (lane, k),
                _ => (lane, k / 2),
            };
            tensor.put(lane, AT_META + self.selector, bit, 4, bits);
        }
    }

    /// `tmem_sf_frg`: lines of 32 in a column each, in all four quarters of the lanes. Where the upper half of the lanes has the second
    /// half of the columns of D, it has the scales of those.
    fn put_scales(&self, tensor: &mut Tensor, block: usize) {
        let Some(scales) = self.scales else { return };
        let rows = self.m / self.blocks();
        for quarter in 0..4 {
            let (columns, first) =
                if rows == 64 { (self.n / 2, quarter / 2 * (self.n / 2)) } else { (self.n, 0) };
            for (which, lines) in [rows, columns].into_iter().enumerate() {
                // Words of 128 lines follow each other, or of 256.
                let apart = if lines <= 128 { 4 } else { 8 };
                for line in 0..lines {
                    for at in 0..scales.count {
                        let bits = match which {
                            0 => scales.of_a(block * rows + line, at),
                            _ => scales.of_b(first + line, at),
                        };
                        let byte = scales.ids[which] + at;
                        let column = AT_SCALES[which] + line / 32 + byte / 4 * apart;
                        tensor.put(quarter * 32 + line % 32, column, byte % 4 * 8, 8, bits.0);
                    }
                }
            }
        }
    }

    fn old(&self, row: usize, column: usize) -> f64 {
        ((row * 5 + column * 3) % 17) as f64 * 32.0 - 96.0
    }

    fn old_bits(&self, row: usize, column: usize) -> u32 {
        let value = self.old(row, column);
        match self.d {
            "f32" => (value as f32).to_bits(),
            "s32" if self.saturates => saturated(row, column) as u32,
            "s32" => value as i32 as u32,
            // The upper half is not looked at.
            _ => half(value) | 0xabcd_0000,
        }
    }

    pub fn expected(&self, row: usize, column: usize, zero: &[bool]) -> u32 {
        // The last lane has what the one before it multiplies.
        let of_block = self.m / self.blocks();
        let held = if self.ashift && row % of_block == of_block - 1 { row - 1 } else { row };
        let mut sum = if self.adds {
            let old = if self.saturates { f64::from(saturated(row, column)) } else { self.old(row, column) };
            // `ptxas` drops the divisor of integers.
            if self.d == "s32" { old } else { old / f64::from(1 << self.shift_d) }
        } else {
            0.0
        };
        let shift = self.columns_of_b() - self.n;
        for (i, k) in self.depths(row).into_iter().enumerate() {
            let (mut a, mut b) = (self.a_at(held, i).0, self.b_at(k, column + shift).0);
            a = if self.negated[0] { -a } else { a };
            b = if self.negated[1] { -b } else { b };
            if zero.get(column).copied().unwrap_or(false) {
                b = 0.0;
            }
            let scale = self.scales.map_or(1.0, |scales| {
                let at = k * scales.count / self.depth();
                scales.of_a(row, at).1 * scales.of_b(column, at).1
            });
            sum += a * b * scale;
        }
        match self.d {
            "f32" => (sum as f32).to_bits(),
            "s32" => {
                (if self.saturates { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum }) as i64 as u32
            }
            _ => half(sum),
        }
    }

    pub fn instruction(&self) -> u64 {
        let bit = |value: bool, at: u64| u64::from(value) << at;
        let common = bit(self.sparse, 2)
            | self.a.code << 7
            | self.b.code << 10
            | bit(self.negated[0], 13)
            | bit(self.negated[1], 14)
            | bit(self.transposed[0], 15)
            | bit(self.transposed[1], 16)
            | (self.n as u64 / 8) << 17;
        match self.scales {
            Some(scales) => {
                let k96 = bit(self.k == 96, 31);
                let ids = (scales.ids[1] as u64) << 4 | (scales.ids[0] as u64) << 29;
                common | ids | bit(!scales.ue4m3, 23) | (self.m as u64 / 128) << 27 | k96
            }
            None => {
                let d = match self.d {
                    "f16" => 0,
                    "f32" => 1,
                    _ => 2,
                };
                let rest = self.zeros.map_or(0, |(_, most)| most << 30);
                common
                    | self.selector as u64
                    | bit(self.saturates, 3)
                    | d << 4
                    | (self.m as u64 / 16) << 24
                    | rest
            }
        }
    }

    /// The instruction, with what its operands need before it.
    pub fn text(&self, descriptors: [u64; 2]) -> String {
        let mut text = descriptor(10, descriptors[0]);
        text += &descriptor(11, descriptors[1] + (AT_B as u64 >> 4));
        text += &format!("mov.b32 %y10, {:#x};\n", self.instruction());
        let address = |register: usize, offset: usize| format!("add.u32 %y{register}, %base, {offset};\n");
        text += &address(11, self.base << 16);
        text += &address(12, AT_A + (self.base << 16));
        text += &address(13, AT_META + (self.base << 16));
        text += &(address(14, AT_SCALES[0]) + &address(15, AT_SCALES[1]));
        text += &format!("setp.ne.u32 %p2, {}, 0;\n", u32::from(self.adds));
        let flag = |is: bool, name: &'static str| if is { name } else { "" };
        let scale = self.scales.map_or(String::new(), |scales| format!(".block_scale{}", scales.name));
        let a = if self.in_tensor { "[%y12]" } else { "%x10" };
        let mut operands = format!("[%y11], {a}, %x11, {}%y10", flag(self.sparse, "[%y13], "));
        if self.scales.is_some() {
            operands += ", [%y14], [%y15]";
        }
        if let Some(words) = self.disabled {
            for (n, word) in words.iter().enumerate() {
                text += &format!("mov.b32 %z{n}, {word:#x};\n");
            }
            operands += &format!(", {}", list("z", 4 * self.blocks()));
        }
        operands += ", %p2";
        if self.shift_d > 0 {
            operands += &format!(", {}", self.shift_d);
        }
        if let Some((bits, _)) = self.zeros {
            text += &format!("mov.b64 %x12, {bits:#x};\n");
            operands += ", %x12";
        }
        text + &format!(
            "@%p1 tcgen05.mma{}{}.cta_group::{}.kind::{}{scale}{}{} {operands};\n",
            flag(self.ws, ".ws"),
            flag(self.sparse, ".sp"),
            self.blocks(),
            self.kind,
            flag(self.ashift, ".ashift"),
            self.collector,
        )
    }

    fn target(&self) -> &'static str {
        if self.k == 96 { "sm_103a" } else { "sm_100a" }
    }

    /// Tensor memory of each block before and after.
    fn run(&self) -> (Vec<Tensor>, Vec<Tensor>) {
        let mut memories = vec![vec![0xa5; 65536]; self.blocks()];
        let mut descriptors = [1 << 46; 2];
        for (block, memory) in memories.iter_mut().enumerate() {
            if !self.in_tensor {
                descriptors[0] = self.lay_out(0, block, &mut memory[..AT_B]);
            }
            descriptors[1] = self.lay_out(1, block, &mut memory[AT_B..]);
        }
        let before: Vec<Tensor> = (0..self.blocks()).map(|block| self.tensor(block)).collect();
        let text = self.text(descriptors);
        let after = match self.pair {
            false => vec![run_image(self.target(), &memories[0], &before[0], &text)],
            true => run_pair(self.target(), &memories, &before, &text),
        };
        (before, after)
    }

    pub fn check_with(&self, zero: &[bool]) {
        let (mut expected, found) = self.run();
        for row in 0..self.m {
            for column in 0..self.n {
                let (block, lane, at) = self.place(row, column);
                let disabled =
                    self.disabled.is_some_and(|words| words[block * 4 + lane / 32] >> (lane % 32) & 1 == 1);
                if !disabled {
                    expected[block].set(lane, at, self.expected(row, column, zero));
                }
            }
        }
        let name = self.text([0; 2]);
        for (block, (found, expected)) in found.iter().zip(&expected).enumerate() {
            for (at, (found, expected)) in found.0.iter().zip(&expected.0).enumerate() {
                let (lane, column) = (at / 512, at % 512);
                assert_eq!(
                    found, expected,
                    "block {block}, lane {lane}, column {column}; M {}, N {}\n{name}",
                    self.m, self.n
                );
            }
        }
    }

    pub fn check(&self) {
        self.check_with(&[]);
    }
}

/// Sums at both ends of their range.
fn saturated(row: usize, column: usize) -> i32 {
    if (row + column).is_multiple_of(2) { i32::MAX - 1000 } else { i32::MIN + 1000 }
}

/// A binary16 of an integer or of a half of one below 2048.
fn half(value: f64) -> u32 {
    if value == 0.0 {
        return 0;
    }
    let exponent = value.abs().log2().floor();
    let fraction = (value.abs() / exponent.exp2() - 1.0) * 1024.0;
    assert_eq!(fraction.fract(), 0.0, "{value} fits");
    u32::from(value < 0.0) << 15 | ((exponent as i32 + 15) as u32) << 10 | fraction as u32
}

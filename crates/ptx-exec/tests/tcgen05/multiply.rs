//! `tcgen05.mma` of one block, against plain products (manual 9.7.16.10).
//!
//! Where elements lie is written down here as CUTLASS has it: the canonical layouts of matrices in shared memory as the
//! manual's table has them in terms of CuTe (9.7.16.3.3), the lanes and columns of D, A, metadata and scales as the layouts of
//! `cute/atom/mma_traits_sm100.hpp` (`tmem_frg`, `tmem_frg_ws`, `tmem_e_frg`, `tmem_e_frg_ws`, `tmem_sf_frg`), which are strides to
//! lanes and bits. All values are small integers, so that every sum is exact.

use super::image::{Tensor, descriptor, run_image};
use super::stops;
use super::{END, START};

/// An element type: its bits in memory, and the bits of the numbers 0 to 3 with that of the sign.
#[derive(Clone, Copy, PartialEq)]
struct Type {
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

const F16: Type = ty("f16", 0, 16, 0, [0, 0x3c00, 0x4000, 0x4200], 0x8000);
const BF16: Type = ty("bf16", 1, 16, 0, [0, 0x3f80, 0x4000, 0x4040], 0x8000);
/// The low 13 bits are ignored.
const TF32: Type = ty("tf32", 2, 32, 0, [0x1234, 0x3f80_1fff, 0x4000_0001, 0x4040_0000], 0x8000_0000);
const E4M3: Type = ty("e4m3", 0, 8, 0, [0, 0x38, 0x40, 0x44], 0x80);
const E5M2: Type = ty("e5m2", 1, 8, 0, [0, 0x3c, 0x40, 0x42], 0x80);
const E2M3: Type = ty("e2m3", 3, 8, 6, [0, 0b01000, 0b10000, 0b10100], 0x20);
const E3M2: Type = ty("e3m2", 4, 8, 6, [0, 0b01100, 0b10000, 0b10010], 0x20);
/// In the middle of a byte of tensor memory.
const E2M1: Type = ty("e2m1", 5, 8, 4, [0, 0b001000, 0b010000, 0b010100], 0x20);
/// Two in a byte.
const E2M1_PAIRS: Type = ty("e2m1", 1, 4, 0, [0, 0b010, 0b100, 0b101], 0x8);
const U8: Type = ty("u8", 0, 8, 0, [0, 1, 200, 255], 0);
const S8: Type = ty("s8", 1, 8, 0, [0, 1, 100, 127], 0);

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
struct Scales {
    name: &'static str,
    count: usize,
    ue4m3: bool,
    ids: [usize; 2],
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
struct Case {
    kind: &'static str,
    m: usize,
    n: usize,
    /// Of a dense A.
    k: usize,
    a: Type,
    b: Type,
    d: &'static str,
    ws: bool,
    sparse: bool,
    selector: usize,
    in_tensor: bool,
    ashift: bool,
    transposed: [bool; 2],
    /// The swizzling modes of A and of B.
    swizzles: [u64; 2],
    negated: [bool; 2],
    saturates: bool,
    adds: bool,
    shift_d: usize,
    base: usize,
    disabled: Option<[u32; 4]>,
    /// A descriptor of columns that are zero, and the code of the most columns of a shift.
    zeros: Option<(u64, u64)>,
    scales: Option<Scales>,
    /// A suffix about collector buffers.
    collector: &'static str,
}

const CASE: Case = Case {
    kind: "f16",
    m: 128,
    n: 64,
    k: 16,
    a: F16,
    b: F16,
    d: "f32",
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
const AT_B: usize = 32768;

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

    fn a_at(&self, row: usize, i: usize) -> (f64, u64) {
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

    /// The lane and column of an element of D (`tmem_frg`, `tmem_frg_ws`).
    fn place(&self, row: usize, column: usize) -> (usize, usize) {
        match (self.m, self.ws) {
            (128, _) => (row, column),
            (64, false) => (self.base + row % 16 + row / 16 * 32, column),
            (64, true) => (row + column / (self.n / 2) * 64, column % (self.n / 2)),
            _ => (row + column / (self.n / 4) * 32, column % (self.n / 4)),
        }
    }

    /// The lanes that must have a copy of a row of A.
    fn lanes(&self, row: usize) -> Vec<usize> {
        let mut lanes: Vec<usize> = (0..self.n).map(|column| self.place(row, column).0).collect();
        lanes.dedup();
        lanes
    }

    /// Writes a matrix to shared memory; gives its descriptor without the start. `which` is 0 for A, 1 for B.
    fn lay_out(&self, which: usize, memory: &mut [u8]) -> u64 {
        let (ty, mode) = ([self.a, self.b][which], self.swizzles[which]);
        let (lines, depth) = match which {
            0 => (self.m, self.depths(0).len()),
            _ => (self.columns_of_b(), self.depth()),
        };
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
                let (_, mut raw) = if which == 0 { self.a_at(line, i) } else { self.b_at(i, line) };
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

    /// Tensor memory before.
    fn tensor(&self) -> Tensor {
        let mut tensor = Tensor::new();
        for row in 0..self.m {
            for column in 0..self.n {
                let (lane, at) = self.place(row, column);
                tensor.set(lane, at, self.old_bits(row, column));
            }
            for lane in self.lanes(row) {
                if self.in_tensor {
                    // With `.ashift` lane l multiplies what lane l + 1 has, the last one its own.
                    let held = if self.ashift && row > 0 { row - 1 } else { row };
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
        self.put_scales(&mut tensor);
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

    /// `tmem_sf_frg`: lines of 32 in a column each, in all four quarters of the lanes.
    fn put_scales(&self, tensor: &mut Tensor) {
        let Some(scales) = self.scales else { return };
        for quarter in 0..4 {
            for (which, lines) in [self.m, self.n].into_iter().enumerate() {
                // Words of 128 lines follow each other, or of 256.
                let apart = if lines <= 128 { 4 } else { 8 };
                for line in 0..lines {
                    for at in 0..scales.count {
                        let bits = if which == 0 { scales.of_a(line, at) } else { scales.of_b(line, at) }.0;
                        let byte = scales.ids[which] + at;
                        let column = AT_SCALES[which] + line / 32 + byte / 4 * apart;
                        tensor.put(quarter * 32 + line % 32, column, byte % 4 * 8, 8, bits);
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

    fn expected(&self, row: usize, column: usize, zero: &[bool]) -> u32 {
        // The last lane has what the one before it multiplies.
        let held = if self.ashift { row.min(self.m - 2) } else { row };
        let mut sum = if self.adds {
            let old = if self.saturates { f64::from(saturated(row, column)) } else { self.old(row, column) };
            old / f64::from(1 << self.shift_d)
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

    fn instruction(&self) -> u64 {
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
    fn text(&self, descriptors: [u64; 2]) -> String {
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
                text += &format!("mov.b32 %y{}, {word:#x};\n", 16 + n);
            }
            operands += ", {%y16, %y17, %y18, %y19}";
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
            "@%p1 tcgen05.mma{}{}.cta_group::1.kind::{}{scale}{}{} {operands};\n",
            flag(self.ws, ".ws"),
            flag(self.sparse, ".sp"),
            self.kind,
            flag(self.ashift, ".ashift"),
            self.collector,
        )
    }

    fn target(&self) -> &'static str {
        if self.k == 96 { "sm_103a" } else { "sm_100a" }
    }

    fn run(&self) -> (Tensor, Tensor) {
        let mut memory = vec![0xa5; 65536];
        let a = if self.in_tensor { 1 << 46 } else { self.lay_out(0, &mut memory[..AT_B]) };
        let b = self.lay_out(1, &mut memory[AT_B..]);
        let before = self.tensor();
        let after = run_image(self.target(), &memory, &before, &self.text([a, b]));
        (before, after)
    }

    fn check_with(&self, zero: &[bool]) {
        let (mut expected, found) = self.run();
        for row in 0..self.m {
            for column in 0..self.n {
                let (lane, at) = self.place(row, column);
                let disabled = self.disabled.is_some_and(|words| words[lane / 32] >> (lane % 32) & 1 == 1);
                if !disabled {
                    expected.set(lane, at, self.expected(row, column, zero));
                }
            }
        }
        let name = self.text([0; 2]);
        for (at, (found, expected)) in found.0.iter().zip(&expected.0).enumerate() {
            let (lane, column) = (at / 512, at % 512);
            assert_eq!(found, expected, "lane {lane}, column {column}; M {}, N {}\n{name}", self.m, self.n);
        }
    }

    fn check(&self) {
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

#[test]
fn halves_of_all_shapes() {
    for (m, n) in [(128, 8), (128, 64), (128, 256), (64, 8), (64, 24), (64, 128)] {
        Case { m, n, ..CASE }.check();
    }
    Case { m: 64, base: 16, ..CASE }.check();
    Case { a: BF16, b: BF16, ..CASE }.check();
    Case { a: BF16, ..CASE }.check();
    Case { d: "f16", ..CASE }.check();
    Case { d: "f16", m: 64, n: 16, ..CASE }.check();
}

#[test]
fn swizzled_and_transposed_matrices() {
    for mode in [0, 6, 4, 2] {
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            Case { swizzles: [mode; 2], transposed, n: 128, ..CASE }.check();
        }
        Case {
            kind: "i8",
            k: 32,
            a: S8,
            b: U8,
            d: "s32",
            swizzles: [mode; 2],
            transposed: [true; 2],
            ..CASE
        }
        .check();
        let tf32 = Case { kind: "tf32", k: 8, a: TF32, b: TF32, swizzles: [mode; 2], ..CASE };
        tf32.check();
        Case { kind: "f8f6f4", k: 32, a: E5M2, b: E2M1, swizzles: [mode; 2], ..CASE }.check();
    }
    for transposed in [[true, false], [false, true], [true, true]] {
        let swizzles = transposed.map(|is| if is { 1 } else { 2 });
        Case { kind: "tf32", k: 8, a: TF32, b: TF32, swizzles, transposed, n: 96, ..CASE }.check();
    }
}

#[test]
fn modifiers_of_the_sum_and_signs() {
    Case { negated: [true, false], ..CASE }.check();
    Case { negated: [false, true], adds: false, ..CASE }.check();
    Case { shift_d: 3, ..CASE }.check();
    Case { shift_d: 1, kind: "tf32", k: 8, a: TF32, b: TF32, ..CASE }.check();
    Case { disabled: Some([0xffff_0000, 1, 0x8000_0001, 0x5555_5555]), ..CASE }.check();
    Case { collector: ".collector::a::fill", ..CASE }.check();
}

#[test]
fn bytes_and_integers() {
    let types = [E4M3, E5M2, E2M3, E3M2, E2M1];
    for (at, a) in types.into_iter().enumerate() {
        for b in [types[(at + 1) % 5], types[(at + 3) % 5]] {
            Case { kind: "f8f6f4", k: 32, a, b, m: if at % 2 == 0 { 64 } else { 128 }, ..CASE }.check();
        }
    }
    for (a, b) in [(U8, U8), (S8, U8), (U8, S8), (S8, S8)] {
        Case { kind: "i8", k: 32, a, b, d: "s32", n: 48, ..CASE }.check();
    }
    Case { kind: "i8", k: 32, a: S8, b: S8, d: "s32", saturates: true, ..CASE }.check();
}

#[test]
fn a_in_tensor_memory() {
    for (kind, k, a, b, d) in [
        ("f16", 16, F16, F16, "f32"),
        ("tf32", 8, TF32, TF32, "f32"),
        ("f8f6f4", 32, E2M1, E4M3, "f32"),
        ("f8f6f4", 32, E3M2, E2M3, "f32"),
        ("i8", 32, S8, U8, "s32"),
    ] {
        let case = Case { kind, k, a, b, d, in_tensor: true, ..CASE };
        case.check();
        Case { m: 64, base: 16, ..case }.check();
        Case { ashift: true, ..case }.check();
        Case { ashift: true, collector: ".collector::a::lastuse", ..case }.check();
        Case { m: 64, sparse: true, selector: 0, ..case }.check();
    }
}

#[test]
fn sparse_a() {
    for (kind, k, a, d) in [
        ("f16", 16, BF16, "f32"),
        ("tf32", 8, TF32, "f32"),
        ("f8f6f4", 32, E5M2, "f32"),
        ("f8f6f4", 32, E3M2, "f32"),
        ("i8", 32, S8, "s32"),
    ] {
        let case = Case { kind, k, a, b: a, d, sparse: true, ..CASE };
        case.check();
        Case { m: 64, base: 16, swizzles: [2, 4], ..case }.check();
        Case { in_tensor: true, ..case }.check();
    }
    for selector in 1..4 {
        Case { sparse: true, selector, ..CASE }.check();
    }
}

#[test]
fn b_that_is_kept() {
    for m in [32, 64, 128] {
        for n in [64, 128, 256] {
            Case { ws: true, m, n, ..CASE }.check();
        }
        let case = Case { ws: true, m, in_tensor: true, collector: ".collector::b2::fill", ..CASE };
        case.check();
        Case { sparse: true, ..case }.check();
        Case { sparse: true, in_tensor: false, kind: "i8", k: 32, a: S8, b: S8, d: "s32", ..case }.check();
        Case { sparse: true, kind: "tf32", k: 8, a: TF32, b: TF32, ..case }.check();
        Case { kind: "f8f6f4", k: 32, a: E4M3, b: E2M3, ..case }.check();
    }
}

#[test]
fn columns_of_b_that_are_zero() {
    // The manual's examples 2 to 4 (9.7.16.4.3), from the lowest column: columns are used four at a time and left out three at a time.
    let pattern =
        |text: &str, n: usize| -> Vec<bool> { text.bytes().cycle().take(n).map(|c| c == b'1').collect() };
    let spans = 1 << 39 | 2 << 40 | 3 << 48;
    let case = Case { ws: true, ..CASE };
    Case { zeros: Some((spans, 0)), ..case }.check_with(&pattern("0000111", 64));
    let halves = [pattern("1110000", 32), pattern("0000111", 32)].concat();
    Case { m: 64, zeros: Some((spans | 1 << 32, 0)), ..case }.check_with(&halves);
    let starts = 1 << 8 | 2 << 16 | 1 << 24;
    let quarters =
        [pattern("1110000", 32), pattern("1100001", 32), pattern("0011100", 32), pattern("0001110", 32)]
            .concat();
    let shifted = spans | 3 << 32 | starts | 2 << 56;
    Case { m: 32, n: 128, zeros: Some((shifted, 1)), ..case }.check_with(&quarters);
}

#[test]
fn scales_of_blocks() {
    let scales = |name, count, ue4m3, ids| Some(Scales { name, count, ue4m3, ids });
    for id in 0..4 {
        let case = Case { kind: "mxf8f6f4", k: 32, a: E2M1, b: E5M2, ..CASE };
        Case { scales: scales(".scale_vec::1X", 1, false, [id, 3 - id]), ..case }.check();
        Case { scales: scales(".block32", 1, false, [id, 3 - id]), n: 256, in_tensor: true, ..case }.check();
        Case { scales: scales("", 1, false, [id, id]), sparse: true, ..case }.check();
    }
    let mxf4 = Case { kind: "mxf4", k: 64, a: E2M1_PAIRS, b: E2M1_PAIRS, n: 136, ..CASE };
    for id in [0, 2] {
        Case { scales: scales("", 2, false, [id, 2 - id]), ..mxf4 }.check();
        Case { scales: scales(".scale_vec::2X", 2, false, [id, 2 - id]), in_tensor: true, ..mxf4 }.check();
        Case { scales: scales(".block32", 2, false, [id, id]), sparse: true, ..mxf4 }.check();
    }
    let nv = Case { kind: "mxf4nvf4", n: 40, ..mxf4 };
    Case { scales: scales(".scale_vec::4X", 4, true, [0, 0]), negated: [true, false], ..nv }.check();
    Case { scales: scales(".block16", 4, false, [0, 0]), sparse: true, in_tensor: true, ..nv }.check();
    Case { scales: scales(".block32", 2, false, [2, 0]), ..nv }.check();
}

#[test]
fn scales_of_96_elements() {
    let scales = |name, count, ue4m3, ids| Some(Scales { name, count, ue4m3, ids });
    // The table of shapes has K = 96 for pairs of blocks alone; CUTLASS has it for one block too (`mma_sm103.hpp`).
    let case = Case { kind: "mxf4nvf4", k: 96, a: E2M1_PAIRS, b: E2M1_PAIRS, ..CASE };
    for (n, swizzle) in [(64, 0), (256, 4)] {
        for id in 0..4 {
            let swizzles = [swizzle; 2];
            Case { scales: scales(".block32", 3, false, [id, 3 - id]), n, swizzles, ..case }.check();
        }
        for id in [0, 2] {
            Case { scales: scales(".block16", 6, true, [id, 2 - id]), n, ..case }.check();
        }
    }
}

#[test]
fn rows_may_go_on_elsewhere() {
    // 48 bytes of each row, from byte 96 of 128 on: the last 16 are in the second piece of shared memory.
    let case = Case {
        kind: "mxf4",
        k: 96,
        a: E2M1_PAIRS,
        b: E2M1_PAIRS,
        scales: Some(Scales { name: ".block32", count: 3, ue4m3: false, ids: [0, 0] }),
        n: 8,
        ..CASE
    };
    let mut memory = vec![0xa5; 65536];
    let plain = case.lay_out(1, &mut memory[AT_B..]);
    let swizzled = |byte: usize| byte ^ (byte >> 7 & 7) << 4;
    for row in 0..128 {
        for i in 0..96 {
            let chunk = 6 + i / 32;
            let start = if chunk < 8 { 0 } else { 16384 };
            let byte = swizzled(start + row * 128 + chunk % 8 * 16 + i % 32 / 2);
            let low = i % 2 * 4;
            memory[byte] = memory[byte] & !(0xf << low) | (case.a_at(row, i).1 as u8) << low;
        }
    }
    // Starts at byte 96, goes on at 16384, patterns of eight rows every 1024 bytes.
    let a = 6 | (16384 >> 4) << 16 | (1024 >> 4) << 32 | 1 << 46 | 1 << 52 | 2 << 61;
    // The address of the second piece counts from the start of shared memory too.
    let second = "shl.b64 %x9, %x9, 16;\nadd.u64 %x10, %x10, %x9;\nmov.b32 %y10";
    let text = case.text([a, plain]).replace("mov.b32 %y10", second);
    let found = run_image("sm_103a", &memory, &case.tensor(), &text);
    for row in 0..128 {
        for column in 0..8 {
            let (lane, at) = case.place(row, column);
            assert_eq!(found.at(lane, at), case.expected(row, column, &[]), "row {row}, column {column}");
        }
    }
}

#[test]
fn descriptors_without_meaning_stop_the_program() {
    let plain = 64 << 32 | 8 << 16 | 1u64 << 46;
    let idesc = CASE.instruction();
    let with = |a: u64, b: u64, idesc: u64, rest: &str| {
        format!(
            "{START}\nmov.b64 %x10, {a:#x};\nmov.b64 %x11, {b:#x};\nmov.b32 %y10, {idesc:#x};\nsetp.eq.u32 %p1, %t, 0;
            setp.eq.u32 %p2, %t, 0;\n@%p1 tcgen05.mma{rest}; // here\n{END}"
        )
    };
    let mma = ".cta_group::1.kind::f16 [%base], %x10, %x11, %y10, %p2";
    for (text, why) in [
        (with(0, plain, idesc, mma), "in bits 46 to 48, expected 1"),
        (with(plain, plain | 3 << 61, idesc, mma), "swizzling mode 3"),
        (with(plain | 1 << 55, plain, idesc, mma), "bits that mean nothing"),
        (with(plain, plain, idesc | 1 << 6, mma), "expected zeros"),
        (with(plain, plain, idesc | 3 << 7, mma), "no type"),
        (with(plain, plain, idesc | 1 << 2, mma), "for a sparse A"),
        (with(plain, plain, idesc & !(63 << 17), mma), "no such multiplication with M = 128 and N = 0"),
        (with(plain, plain, idesc + (1 << 24), mma), "no such multiplication with M = 144"),
        (with(plain | 6 << 61 | 1, plain, idesc, mma), "does not fit into a row"),
        (with(plain, plain | 1 << 61, idesc | 1 << 16, mma), "pieces of 32"),
        (
            with(plain, plain, idesc, &mma.replace("[%base]", "[%base+1048576]")),
            "the address of D is in lane 16",
        ),
        (with(plain, plain, idesc, &mma.replace("[%base]", "[%base+480]")), "column 512 of tensor memory"),
        (
            with(plain, plain, idesc, &mma.replace("%x10", "[%base+2097408]")),
            "the address of A is in lane 32, that of D in lane 0",
        ),
    ] {
        stops(&text, why);
    }
}

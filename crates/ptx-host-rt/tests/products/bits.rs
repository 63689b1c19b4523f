//! Factors and sums of random bits: NaNs, infinities, subnormal numbers and zeros of both signs are among them. What the interpreter leaves without
//! vectors is expected.

use ptx_exec::{Argument, Completion};

use crate::common::plain;
use crate::model::{A, Case, Layout, Type, kernel, launch};
use crate::products::all_types;
use crate::tensor::case::{
    AT_B, BF16, CASE, Case as TensorCase, E2M1, E2M1_PAIRS, E2M3, E3M2, E4M3, E5M2, F16, S8, Scales, TF32, U8,
};
use crate::tensor::image::{Tensor, run_image};

/// Numbers that look random.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 31) as u32
    }

    /// Elements of factors. Most words have no largest exponent in any format, so that most sums are numbers.
    fn factors(&mut self) -> u32 {
        match self.next() % 256 {
            0 => self.next(),
            1 => 0x8000_8000,
            2 => self.next() & 0x83ff_83ff,
            _ => self.next() & 0xbbbf_bbbf,
        }
    }

    /// Elements of D: of single precision, near the sums of factors; or anything.
    fn sums(&mut self, is_single: bool) -> u32 {
        let bits = self.next();
        match self.next() % 64 {
            0 => bits,
            1 => bits & 0x8000_0000,
            2 => bits & 0x807f_ffff,
            3 => 0x7f80_0000 | bits & 0x8000_0000,
            _ if is_single => bits & 0x807f_ffff | (112 + self.next() % 32) << 23,
            _ => bits & 0xbfff_bfff,
        }
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count / 4).flat_map(|_| self.factors().to_le_bytes()).collect()
    }

    /// A word of metadata whose fields all name two places in order.
    fn metadata(&mut self, ty: Type) -> u32 {
        let fields: &[u32] = match ty {
            Type::Tf32 => &[0b0100, 0b1110],
            _ => &[0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110],
        };
        (0..8).fold(0, |word, _| word << 4 | fields[self.next() as usize % fields.len()])
    }
}

/// Compares the registers that a product leaves.
fn agrees(case: &Case, bits: &mut Bits) {
    let is_sparse = case.selector.is_some();
    let kept = if is_sparse { case.k / 2 } else { case.k };
    let mut memory = Vec::new();
    let (mut first, mut of_a) = (0, 0);
    if let A::Shared { swizzle, mn_major } = case.place {
        let layout = Layout::packed(swizzle, mn_major, 64, case.a.bits());
        first = layout.store(&mut memory, case.a, (64, kept), &|_, _| 0);
        of_a = layout.descriptor();
    }
    let layout = Layout::packed(case.swizzle, case.mn_major, case.n, case.b.bits());
    let start = layout.store(&mut memory, case.b, (case.n, case.k), &|_, _| 0);
    let memory = bits.bytes(memory.len());
    let body = format!(
        "wgmma.fence.sync.aligned;\n{}\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
        case.instruction()
    );
    let text = kernel(memory.len(), [first, start], [of_a, layout.descriptor()], case.registers(), &body);
    let mut words = |count: usize, mut word: Box<dyn FnMut(&mut Bits) -> u32>| {
        (0..count).flat_map(|_| word(bits).to_le_bytes()).collect::<Vec<u8>>()
    };
    let (d, a) = (case.d, case.a);
    let arguments = [
        memory,
        words(128 * 4, Box::new(Bits::factors)),
        words(128 * case.registers(), Box::new(move |bits| bits.sums(d == Type::F32))),
        words(128, Box::new(move |bits| bits.metadata(a))),
    ];
    let arguments = arguments.map(Argument::Buffer).to_vec();
    let run = || launch(&text, 128, Completion::Eager, arguments.clone()).expect("it ends");
    let (found, wanted) = (run(), plain(run));
    assert!(found[2] == wanted[2], "{case:?}");
}

#[test]
fn registers_of_every_type_and_place() {
    let mut bits = Bits(3);
    for types in all_types() {
        let [_, a, _] = types;
        let case = Case::new(40, types);
        let limited: &[&'static str] =
            if matches!(a, Type::U8 | Type::S8) { &["", ".satfinite"] } else { &[""] };
        let selectors: &[Option<usize>] = match a {
            Type::B1 => &[None],
            _ if a.bits() == 8 => &[None, Some(0)],
            _ => &[None, Some(0), Some(1)],
        };
        for &selector in selectors {
            let k = if selector.is_some() { case.k * 2 } else { case.k };
            for place in [A::Registers, A::Shared { swizzle: 64, mn_major: false }] {
                for &suffix in limited {
                    // Other integers have N in steps of 16 from 32 on.
                    let n = if a.is_float() { 40 } else { 48 };
                    agrees(&Case { n, k, selector, place, suffix, ..case }, &mut bits);
                    let scales = if a.is_float() { [-1, 1] } else { [1, 1] };
                    let swizzle = if selector.is_some() { 128 } else { 32 };
                    let other = Case { n: 8, k, selector, place, scales, scale_d: "0", swizzle, ..case };
                    agrees(&other, &mut bits);
                }
            }
        }
        if a.bits() == 16 {
            let place = A::Shared { swizzle: 128, mn_major: true };
            agrees(&Case { n: 64, place, mn_major: true, ..case }, &mut bits);
        }
    }
}

/// Compares all cells of tensor memory.
fn cells_agree(case: &TensorCase, bits: &mut Bits) {
    let mut memory = vec![0; 65536];
    let mut descriptors = [1 << 46; 2];
    if !case.in_tensor {
        descriptors[0] = case.lay_out(0, 0, &mut memory[..AT_B]);
    }
    descriptors[1] = case.lay_out(1, 0, &mut memory[AT_B..]);
    let memory = bits.bytes(memory.len());
    // Metadata and scales stay as they are.
    let mut tensor: Tensor = case.tensor(0);
    for lane in 0..128 {
        (0..256).for_each(|column| tensor.set(lane, column, bits.sums(case.d == "f32")));
        (256..320).for_each(|column| tensor.set(lane, column, bits.factors()));
    }
    let target = if case.k == 96 { "sm_103a" } else { "sm_100a" };
    let run = || run_image(target, &memory, &tensor, &case.text(descriptors)).0;
    let (found, wanted) = (run(), plain(run));
    assert!(found == wanted, "{}", case.text(descriptors));
}

#[test]
fn cells_of_every_type() {
    let mut bits = Bits(5);
    let plain = [("f16", 16, F16, F16), ("f16", 16, BF16, F16), ("tf32", 8, TF32, TF32)];
    let mut kinds: Vec<_> = plain.map(|(kind, k, a, b)| (kind, k, a, b, "f32")).to_vec();
    kinds.push(("f16", 16, F16, F16, "f16"));
    for (a, b) in [(E4M3, E2M1), (E5M2, E4M3), (E2M3, E5M2), (E3M2, E2M3), (E2M1, E3M2)] {
        kinds.extend([("f8f6f4", 32, a, b, "f32"), ("f8f6f4", 32, b, a, "f16")]);
    }
    kinds.extend([("i8", 32, U8, S8, "s32"), ("i8", 32, S8, S8, "s32")]);
    for (kind, k, a, b, d) in kinds {
        for sparse in [false, true] {
            for in_tensor in [false, true] {
                let case = TensorCase { kind, k, a, b, d, sparse, in_tensor, n: 48, ..CASE };
                cells_agree(&case, &mut bits);
            }
            let case = TensorCase { kind, k, a, b, d, sparse, n: 16, ..CASE };
            cells_agree(&TensorCase { adds: false, m: 64, base: 16, ..case }, &mut bits);
            match kind {
                "i8" => cells_agree(&TensorCase { saturates: true, ..case }, &mut bits),
                _ => cells_agree(&TensorCase { negated: [true, false], ..case }, &mut bits),
            }
        }
    }
}

#[test]
fn cells_of_layouts_lanes_and_divisors() {
    let mut bits = Bits(9);
    for sparse in [false, true] {
        for (m, n) in [(32, 64), (64, 128), (128, 64)] {
            cells_agree(&TensorCase { ws: true, m, n, sparse, ..CASE }, &mut bits);
            cells_agree(&TensorCase { ws: true, m, n, sparse, in_tensor: true, ..CASE }, &mut bits);
        }
        let disabled = Some([0x8000_0001, 0, u32::MAX, 0x00ff_ff00, 0, 0, 0, 0]);
        cells_agree(&TensorCase { disabled, sparse, ..CASE }, &mut bits);
        cells_agree(&TensorCase { shift_d: 3, sparse, ..CASE }, &mut bits);
        cells_agree(&TensorCase { shift_d: 15, sparse, d: "f16", ..CASE }, &mut bits);
        cells_agree(&TensorCase { ashift: true, in_tensor: true, sparse, ..CASE }, &mut bits);
        cells_agree(&TensorCase { transposed: [true; 2], sparse, ..CASE }, &mut bits);
    }
}

#[test]
fn cells_with_scales() {
    let mut bits = Bits(13);
    let scales = |name, count, ue4m3, ids| Some(Scales { name, count, ue4m3, ids });
    for sparse in [false, true] {
        for (a, b) in [(E4M3, E5M2), (E2M3, E2M1), (E3M2, E4M3)] {
            let scales = scales("", 1, false, [1, 2]);
            let case = TensorCase { kind: "mxf8f6f4", k: 32, a, b, scales, sparse, ..CASE };
            cells_agree(&case, &mut bits);
            cells_agree(&TensorCase { in_tensor: true, n: 256, ..case }, &mut bits);
        }
        let pairs = TensorCase { k: 64, a: E2M1_PAIRS, b: E2M1_PAIRS, sparse, ..CASE };
        cells_agree(&TensorCase { kind: "mxf4", scales: scales("", 2, false, [0, 0]), ..pairs }, &mut bits);
        let block = scales(".block16", 4, true, [0, 0]);
        cells_agree(&TensorCase { kind: "mxf4nvf4", scales: block, ..pairs }, &mut bits);
    }
}

//! `mma.sp` against products of the whole matrices. Which lane holds which element of A is written here as the manual
//! writes it for each shape (9.7.14.6.2), which lane has which metadata as its figures show it.

use ptx_exec::{Argument, ExecError, TrapKind};

use crate::common::{Ran, Type, launch_warp, spread, texts_of};
use ptx_isa::{MatrixSem, Opcode, Sem};

/// A shape with the types that are held alike.
#[derive(Clone, Copy)]
struct Shape {
    k: usize,
    /// Columns of a chunk, of which half are kept.
    chunk: usize,
    /// Whether element `i` of A is in the row of the group's number, not in the one eight below.
    upper: fn(i: usize) -> bool,
    /// The first and last of the columns that element `i` of A is from.
    columns: fn(place: usize, i: usize) -> (usize, usize),
    /// The lane of a group, and its lowest bit, that have the four bits about a chunk.
    metadata: fn(selector: usize, row: usize, chunk: usize) -> (usize, usize),
    selectors: usize,
}

/// Figures 119 and 127.
const ONE_LANE: fn(usize, usize, usize) -> (usize, usize) =
    |selector, row, chunk| (selector, if row < 8 { 0 } else { 16 } + chunk * 4);
/// Figures 122 and 125: each of two lanes has half of the columns, of two rows.
const HALF_ROWS: fn(usize, usize, usize) -> (usize, usize) = |selector, row, chunk| {
    let first = selector * 2;
    (if chunk < 4 { first } else { first + 1 }, if row < 8 { 0 } else { 16 } + chunk % 4 * 4)
};
/// Figures 129 and 139: each of two lanes has one row.
const WHOLE_ROWS: fn(usize, usize, usize) -> (usize, usize) = |selector, row, chunk| {
    let first = selector * 2;
    (if row < 8 { first } else { first + 1 }, chunk * 4)
};
/// Figures 136, 137, 146 and 147: two lanes for the first half of the columns, two for the other.
const ALL_LANES: fn(usize, usize, usize) -> (usize, usize) = |_, row, chunk| match (chunk < 8, row < 8) {
    (true, true) => (0, chunk * 4),
    (true, false) => (1, chunk * 4),
    (false, true) => (2, (chunk - 8) * 4),
    (false, false) => (3, (chunk - 8) * 4),
};

const HALVES_16: Shape = Shape {
    k: 16,
    chunk: 4,
    upper: |i| i < 2,
    columns: |place, _| (place * 4, place * 4 + 3),
    metadata: ONE_LANE,
    selectors: 4,
};
const HALVES_32: Shape = Shape {
    k: 32,
    chunk: 4,
    upper: |i| i < 2 || (4..6).contains(&i),
    columns: |place, i| {
        let first = if i < 4 { place * 4 } else { place * 4 + 16 };
        (first, first + 3)
    },
    metadata: HALF_ROWS,
    selectors: 2,
};
const TF32_8: Shape = Shape {
    k: 8,
    chunk: 2,
    upper: |i| i == 0,
    columns: |place, _| (place * 2, place * 2 + 1),
    metadata: ONE_LANE,
    selectors: 4,
};
const TF32_16: Shape = Shape {
    k: 16,
    chunk: 2,
    upper: |i| i == 0 || i == 2,
    columns: |place, i| {
        let first = if i < 2 { place * 2 } else { place * 2 + 8 };
        (first, first + 1)
    },
    metadata: HALF_ROWS,
    selectors: 2,
};
const BYTES_32: Shape = Shape {
    k: 32,
    chunk: 4,
    upper: |i| i < 4,
    columns: |place, _| (place * 8, place * 8 + 7),
    metadata: WHOLE_ROWS,
    selectors: 2,
};
const BYTES_64: Shape = Shape {
    k: 64,
    chunk: 4,
    upper: |i| i < 4 || (8..12).contains(&i),
    columns: |place, i| {
        let first = if i < 8 { place * 8 } else { place * 8 + 32 };
        (first, first + 7)
    },
    metadata: ALL_LANES,
    selectors: 1,
};
const NIBBLES_64: Shape = Shape {
    k: 64,
    chunk: 8,
    upper: |i| i < 8,
    columns: |place, _| (place * 16, place * 16 + 15),
    metadata: WHOLE_ROWS,
    selectors: 2,
};
const NIBBLES_128: Shape = Shape {
    k: 128,
    chunk: 8,
    upper: |i| i < 8 || (16..24).contains(&i),
    columns: |place, i| {
        let first = if i < 16 { place * 16 } else { place * 16 + 64 };
        (first, first + 15)
    },
    metadata: ALL_LANES,
    selectors: 1,
};

/// The two indices of a chunk: each order of each pair comes, or each pair in order.
fn indices(row: usize, chunk: usize, ordered: bool) -> (usize, usize) {
    const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)];
    let (first, second) = PAIRS[(row * 7 + chunk * 5 + row / 8) % 6];
    if ordered || (row + chunk * 3) % 4 < 2 { (first, second) } else { (second, first) }
}

impl Shape {
    /// The columns that a chunk keeps, in the order in which they are stored, and the metadata for it.
    fn kept(&self, row: usize, chunk: usize, ordered: bool) -> (Vec<usize>, u32) {
        let start = chunk * self.chunk;
        let (first, second) = indices(row, chunk, ordered);
        let bits = (first | second << 2) as u32;
        match self.chunk {
            2 if (row + chunk).is_multiple_of(3) => (vec![start], 0b0100),
            2 => (vec![start + 1], 0b1110),
            4 => (vec![start + first, start + second], bits),
            _ => {
                let pair = |at: usize| [start + at * 2, start + at * 2 + 1];
                ([pair(first), pair(second)].concat(), bits)
            }
        }
    }

    /// All columns that a row keeps, in the order in which they are stored.
    fn kept_of_row(&self, row: usize, ordered: bool) -> Vec<usize> {
        (0..self.k / self.chunk).flat_map(|chunk| self.kept(row, chunk, ordered).0).collect()
    }

    /// The metadata of all lanes. Those that are not selected have what is not valid.
    fn metadata_of_lanes(&self, selector: usize, ordered: bool) -> Vec<u8> {
        let mut words = [0u32; 32];
        for row in 0..16 {
            for chunk in 0..self.k / self.chunk {
                let (lane, low) = (self.metadata)(selector, row, chunk);
                words[row % 8 * 4 + lane] |= self.kept(row, chunk, ordered).1 << low;
            }
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The bytes of all lanes' registers, lane after lane.
fn held(ty: Type, count: usize, value: impl Fn(usize, usize) -> i64) -> Vec<u8> {
    spread(ty.bits(), count, |lane, i| ty.encode(value(lane, i)))
}

fn launch(text: &str, arguments: Vec<Argument>) -> Result<Vec<Option<Vec<u8>>>, ExecError> {
    let target = if text.contains("kind::") || text.contains("f16.e") { "sm_120a" } else { "sm_90" };
    launch_warp("8.7", target, text, arguments)
}

/// A kernel that loads the registers of A, B, C and the metadata of each lane, multiplies and stores D where C was.
fn kernel(mnemonic: &str, registers: [usize; 3], selector: usize) -> String {
    let mut text = String::from(
        ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pe) {
            .reg .b32 %t, %e<1>; .reg .b64 %p<4>; mov.u32 %t, %tid.x;\n",
    );
    let mut lists = Vec::new();
    for (at, (name, count)) in ["a", "b", "c"].into_iter().zip(registers).chain([("e", 1)]).enumerate() {
        if name != "e" {
            text += &format!(".reg .b32 %{name}<{count}>;\n");
        }
        text +=
            &format!("ld.param.u64 %p{at}, [p{name}];\nmad.wide.u32 %p{at}, %t, {}, %p{at};\n", count * 4);
        let names: Vec<String> = (0..count).map(|n| format!("%{name}{n}")).collect();
        for (n, register) in names.iter().enumerate() {
            text += &format!("ld.global.b32 {register}, [%p{at}+{}];\n", n * 4);
        }
        lists.push(format!("{{{}}}", names.join(", ")));
    }
    text += &format!("{mnemonic} {2}, {0}, {1}, {2}, %e0, {selector};\n", lists[0], lists[1], lists[2]);
    for n in 0..registers[2] {
        text += &format!("st.global.b32 [%p2+{}], %c{n};\n", n * 4);
    }
    text + "ret;\n}\n"
}

static RAN: Ran = Ran::new();

fn check(mnemonic: &str, shape: Shape, [a, b, sum]: [Type; 3], selector: usize) {
    let ordered = mnemonic.contains("ordered");
    let kept: Vec<Vec<usize>> = (0..16).map(|row| shape.kept_of_row(row, ordered)).collect();
    let low = |ty: Type| if ty.is_unsigned() { 0 } else { -3 };
    // The whole of A: zero where nothing is kept.
    let a_value = |row: usize, column: usize| {
        if kept[row].contains(&column) {
            low(a) + ((row * 5 + column * 3 + column / 7) % 7) as i64
        } else {
            0
        }
    };
    let b_value = |row: usize, column: usize| {
        low(b).max(-2) + ((row * 3 + column * 11 + row / 5 + 1) % if b.is_unsigned() { 4 } else { 5 }) as i64
    };
    let a_value = |row, column| a_value(row, column).min(3);
    let c_value = |row: usize, column: usize| (row * 8 + column) as i64 - 60;
    let product = |row: usize, column: usize| {
        let terms = (0..shape.k).map(|depth| a_value(row, depth) * b_value(depth, column));
        terms.sum::<i64>() + c_value(row, column)
    };
    let [a_each, b_each] = [a, b].map(|ty| 32 / ty.bits());
    let a_held = |lane: usize, i: usize| {
        let (group, place) = (lane / 4, lane % 4);
        let row = if (shape.upper)(i) { group } else { group + 8 };
        let (first, last) = (shape.columns)(place, i);
        let stored = kept[row].iter().filter(|&&column| (first..=last).contains(&column));
        a_value(row, *stored.copied().collect::<Vec<_>>().get(i % a_each).unwrap())
    };
    // Registers of B go along k, and so do the lanes of a group in each (figures 121, 124, 132 to 135, 142 to 145).
    let b_held =
        |lane: usize, i: usize| b_value(i / b_each * 4 * b_each + lane % 4 * b_each + i % b_each, lane / 4);
    let sums = |value: &dyn Fn(usize, usize) -> i64| {
        held(sum, 4, |lane, i| value(lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2))
    };
    let arguments = vec![
        Argument::Buffer(held(a, shape.k / 4, a_held)),
        Argument::Buffer(held(b, shape.k / 4, b_held)),
        Argument::Buffer(sums(&c_value)),
        Argument::Buffer(shape.metadata_of_lanes(selector, ordered)),
    ];
    let registers = [shape.k / 4 / a_each, shape.k / 4 / b_each, 4 * sum.bits() / 32];
    let text = kernel(mnemonic, registers, selector);
    RAN.note(mnemonic);
    let buffers = launch(&text, arguments).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(buffers[2].as_deref(), Some(sums(&product).as_slice()), "{mnemonic} {selector}");
}

/// Both kinds of metadata and every selector. What comes before and after the types of the matrices is given.
fn check_all(shape: Shape, [a, b, sum]: [Type; 3], variants: &[&str], suffix: &str) {
    for variant in variants {
        for selector in 0..shape.selectors {
            let k = shape.k;
            let types = [sum, a, b, sum].map(Type::name).join(".");
            check(
                &format!("mma.{variant}.sync.aligned.m16n8k{k}.row.col{suffix}.{types}"),
                shape,
                [a, b, sum],
                selector,
            );
        }
    }
}

const BOTH: &[&str] = &["sp", "sp::ordered_metadata"];
const ORDERED: &[&str] = &["sp::ordered_metadata"];

#[test]
fn halves() {
    for shape in [HALVES_16, HALVES_32] {
        check_all(shape, [Type::F16, Type::F16, Type::F16], BOTH, "");
        check_all(shape, [Type::F16, Type::F16, Type::F32], BOTH, "");
        check_all(shape, [Type::Bf16, Type::Bf16, Type::F32], BOTH, "");
    }
}

#[test]
fn tf32() {
    for shape in [TF32_8, TF32_16] {
        check_all(shape, [Type::Tf32, Type::Tf32, Type::F32], BOTH, "");
    }
}

#[test]
fn integers_of_both_signs() {
    for (shapes, types) in
        [([BYTES_32, BYTES_64], [Type::U8, Type::S8]), ([NIBBLES_64, NIBBLES_128], [Type::U4, Type::S4])]
    {
        for shape in shapes {
            for a in types {
                for b in types {
                    check_all(shape, [a, b, Type::S32], BOTH, "");
                    check_all(shape, [a, b, Type::S32], BOTH, ".satfinite");
                }
            }
        }
    }
}

#[test]
fn narrow_floating_point_values() {
    let wide = [Type::E4m3, Type::E5m2];
    for a in wide {
        for b in wide {
            check_all(BYTES_64, [a, b, Type::F32], BOTH, "");
            check_all(BYTES_64, [a, b, Type::F16], ORDERED, "");
        }
    }
    let all = [Type::E4m3, Type::E5m2, Type::E3m2, Type::E2m3, Type::E2m1];
    for a in all {
        for b in all {
            for sum in [Type::F32, Type::F16] {
                check_all(BYTES_64, [a, b, sum], ORDERED, ".kind::f8f6f4");
            }
        }
    }
}

/// Ones times what each lane has in `b`, with the same metadata in all lanes: the first sum of lane 0.
fn first_sum(mnemonic: &str, metadata: u32, b: [u32; 2]) -> Result<f32, ExecError> {
    let is_tf32 = mnemonic.contains("tf32");
    let repeat = |word: u32| Argument::Buffer(word.to_le_bytes().repeat(64));
    let lanes = |even: u32, odd: u32| {
        let word = |at: usize| if (at / 2).is_multiple_of(2) { even } else { odd };
        Argument::Buffer((0..64).flat_map(|at| word(at).to_le_bytes()).collect())
    };
    let one = if is_tf32 { 0x3f80_0000 } else { 0x3c00_3c00 };
    let arguments = vec![repeat(one), lanes(b[0], b[1]), Argument::Buffer(vec![0; 512]), repeat(metadata)];
    let buffers = launch(&kernel(mnemonic, [2, 2, 4], 0), arguments)?;
    let bytes = buffers[2].as_deref().unwrap();
    Ok(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

const PLAIN: &str = "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
const IN_ORDER: &str = "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
const OF_TF32: &str = "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32";

#[test]
fn rows_of_b_that_meet_no_element_are_not_looked_at() {
    // Even lanes hold rows 0 and 1 of each four, odd ones rows 2 and 3, which are infinite.
    let b = [0x3c00_3c00, 0x7c00_7c00];
    assert_eq!(first_sum(PLAIN, 0x4444_4444, b).unwrap(), 8.0);
    assert_eq!(first_sum(PLAIN, 0x4444_4494, b).unwrap(), f32::INFINITY);
}

#[test]
fn invalid_metadata_is_reported() {
    let ones = [0x3c00_3c00; 2];
    let misuse = |mnemonic, metadata| match first_sum(mnemonic, metadata, ones) {
        Err(ExecError::Trap(trap)) => match trap.kind {
            TrapKind::Misuse(text) => text,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!(first_sum(PLAIN, 0x1111_1111, ones).unwrap(), 8.0);
    for metadata in [0x4444_4404, 0x4444_4454, 0x4444_44a4, 0x4444_44f4] {
        assert!(misuse(PLAIN, metadata).starts_with("bits 4 to 7 of the metadata are 0b"));
        assert!(misuse(IN_ORDER, metadata).starts_with("bits 4 to 7 of the metadata are 0b"));
    }
    assert!(misuse(IN_ORDER, 0x1444_4444).starts_with("bits 28 to 31 of the metadata are 0b0001"));
    assert!(misuse(OF_TF32, 0x4444_4e84).starts_with("bits 4 to 7 of the metadata are 0b1000"));
}

/// `ptxas` takes four selectors here, the manual two.
#[test]
fn selectors_without_lanes_are_refused() {
    let text = kernel("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", [4, 4, 4], 2);
    let arguments = [512, 512, 512, 128].map(|size| Argument::Buffer(vec![0; size])).to_vec();
    let error = launch(&text, arguments).unwrap_err();
    assert!(format!("{error:?}").contains("must be less than 2"), "{error:?}");
}

/// Every shape with every combination of types and modifiers that the table has.
#[test]
fn every_form_of_the_table() {
    halves();
    tf32();
    integers_of_both_signs();
    narrow_floating_point_values();
    RAN.expect_all(&texts_of(Opcode::Mma, Sem::Matrix(MatrixSem::MmaSparse)));
}

//! `mma` of dense matrices in every shape with every combination of types and layouts that the instruction table has, element by element: in each
//! launch an element of one factor is a digit of its number in the matrix, so that no two elements are alike in all launches. Which lane
//! holds which element is written here as the manual has it, one figure for each shape and width of elements; a row of the table for which
//! there is none fails.

use ptx_exec::Argument;
use ptx_isa::{Field, MatrixSem, Mnemonic, Mod, Opcode, Sem, all_forms};

use crate::common::{Type, launch_warp, mnemonics, spread};

/// The row and column of element `i` of a lane, from `groupID` and `threadID_in_group`.
type Held = fn(group: usize, place: usize, i: usize) -> (usize, usize);

/// A shape with elements of so many bits: M, N, K, and the fragments of A and B.
struct Figure {
    shape: &'static str,
    bits: usize,
    size: [usize; 3],
    a: Held,
    b: Held,
}

const fn figure(shape: &'static str, bits: usize, size: [usize; 3], a: Held, b: Held) -> Figure {
    Figure { shape, bits, size, a, b }
}

const fn lower(is_upper: bool, group: usize) -> usize {
    if is_upper { group } else { group + 8 }
}

/// Sections 9.7.14.5.2 to 9.7.14.5.13, in their order.
#[rustfmt::skip]
const FIGURES: &[Figure] = &[
    figure("m8n8k4", 64, [8, 8, 4], |g, p, _| (g, p), |g, p, _| (p, g)),
    figure("m8n8k16", 8, [8, 8, 16], |g, p, i| (g, p * 4 + i), |g, p, i| (p * 4 + i, g)),
    figure("m8n8k32", 4, [8, 8, 32], |g, p, i| (g, p * 8 + i), |g, p, i| (p * 8 + i, g)),
    figure("m8n8k128", 1, [8, 8, 128], |g, p, i| (g, p * 32 + i), |g, p, i| (p * 32 + i, g)),
    figure("m16n8k4", 32, [16, 8, 4], |g, p, i| (lower(i == 0, g), p), |g, p, _| (p, g)),
    figure("m16n8k4", 64, [16, 8, 4], |g, p, i| (lower(i == 0, g), p), |g, p, _| (p, g)),
    figure("m16n8k8", 16, [16, 8, 8], |g, p, i| (lower(i < 2, g), p * 2 + (i & 1)), |g, p, i| (p * 2 + i, g)),
    figure("m16n8k8", 32, [16, 8, 8],
        |g, p, i| (lower(i == 0 || i == 2, g), if i < 2 { p } else { p + 4 }),
        |g, p, i| (if i == 0 { p } else { p + 4 }, g)),
    figure("m16n8k8", 64, [16, 8, 8],
        |g, p, i| (lower(i == 0 || i == 2, g), if i < 2 { p } else { p + 4 }),
        |g, p, i| (if i == 0 { p } else { p + 4 }, g)),
    figure("m16n8k16", 16, [16, 8, 16],
        |g, p, i| (lower(i < 2 || (4..6).contains(&i), g), p * 2 + (i & 1) + if i < 4 { 0 } else { 8 }),
        |g, p, i| (p * 2 + (i & 1) + if i < 2 { 0 } else { 8 }, g)),
    figure("m16n8k16", 64, [16, 8, 16], |g, p, i| (lower(i % 2 == 0, g), i / 2 * 4 + p), |g, p, i| (p + i * 4, g)),
    figure("m16n8k16", 8, [16, 8, 16], |g, p, i| (lower(i < 4, g), p * 4 + (i & 3)), |g, p, i| (p * 4 + i, g)),
    figure("m16n8k32", 4, [16, 8, 32], |g, p, i| (lower(i < 8, g), p * 8 + (i & 7)), |g, p, i| (p * 8 + i, g)),
    figure("m16n8k32", 8, [16, 8, 32],
        |g, p, i| (lower(i < 4 || (8..12).contains(&i), g), p * 4 + (i & 3) + if i < 8 { 0 } else { 16 }),
        |g, p, i| (p * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, g)),
    figure("m16n8k64", 4, [16, 8, 64],
        |g, p, i| (lower(i < 8 || (16..24).contains(&i), g), p * 8 + (i & 7) + if i < 16 { 0 } else { 32 }),
        |g, p, i| (p * 8 + (i & 7) + if i < 8 { 0 } else { 32 }, g)),
    figure("m16n8k128", 1, [16, 8, 128], |g, p, i| (lower(i < 32, g), p * 32 + (i & 31)), |g, p, i| (p * 32 + i, g)),
    figure("m16n8k256", 1, [16, 8, 256],
        |g, p, i| (lower(i < 32 || (64..96).contains(&i), g), p * 32 + (i & 31) + if i < 64 { 0 } else { 128 }),
        |g, p, i| (p * 32 + (i & 31) + if i < 32 { 0 } else { 128 }, g)),
];

/// C and D: of eight rows, and of sixteen.
const SUMS_8: Held = |group, place, i| (group, place * 2 + i);
const SUMS_16: Held = |group, place, i| (lower(i < 2, group), place * 2 + (i & 1));

const TYPES: [Type; 16] = [
    Type::F16,
    Type::Bf16,
    Type::Tf32,
    Type::F32,
    Type::F64,
    Type::E4m3,
    Type::E5m2,
    Type::E3m2,
    Type::E2m3,
    Type::E2m1,
    Type::U8,
    Type::S8,
    Type::U4,
    Type::S4,
    Type::B1,
    Type::S32,
];

fn type_of(m: &Mnemonic, field: Field) -> Type {
    let name = m.get(field).unwrap().as_str();
    TYPES.into_iter().find(|ty| ty.name() == name).unwrap_or_else(|| panic!("{name} is not a type here"))
}

struct Fragment {
    ty: Type,
    elements: usize,
    held: Held,
}

impl Fragment {
    fn registers(&self) -> usize {
        (self.elements * self.ty.bits()).div_ceil(32).min(self.elements)
    }

    fn bytes(&self) -> usize {
        if self.ty == Type::F64 { 8 } else { 4 }
    }

    fn class(&self) -> &'static str {
        match self.ty {
            Type::F64 => "f64",
            Type::F32 => "f32",
            _ => "b32",
        }
    }

    /// The registers of all lanes.
    fn spread(&self, value: &dyn Fn(usize, usize) -> i64) -> Vec<u8> {
        spread(self.ty.bits(), self.elements, |lane, i| {
            let (row, column) = (self.held)(lane / 4, lane % 4, i);
            self.ty.encode(value(row, column))
        })
    }
}

/// Loads A, B and C, multiplies and stores D.
fn kernel(m: &Mnemonic, fragments: [&Fragment; 4]) -> String {
    let mut text = String::from(
        ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {\n\
         .reg .b32 %t; .reg .b64 %p<4>; mov.u32 %t, %tid.x;\n",
    );
    let mut lists = Vec::new();
    for (at, (name, fragment)) in ["a", "b", "c", "d"].into_iter().zip(fragments).enumerate() {
        let (count, class, bytes) = (fragment.registers(), fragment.class(), fragment.bytes());
        text += &format!(".reg .{class} %{name}<{count}>;\nld.param.u64 %p{at}, [p{name}];\n");
        text += &format!("mad.wide.u32 %p{at}, %t, {}, %p{at};\n", count * bytes);
        for n in (0..count).filter(|_| name != "d") {
            text += &format!("ld.global.{class} %{name}{n}, [%p{at}+{}];\n", n * bytes);
        }
        let names: Vec<String> = (0..count).map(|n| format!("%{name}{n}")).collect();
        lists.push(format!("{{{}}}", names.join(", ")));
    }
    text += &format!("{m} {}, {}, {}, {};\n", lists[3], lists[0], lists[1], lists[2]);
    for n in 0..fragments[3].registers() {
        let (class, bytes) = (fragments[3].class(), fragments[3].bytes());
        text += &format!("st.global.{class} [%p3+{}], %d{n};\n", n * bytes);
    }
    text + "ret;\n}\n"
}

/// The numbers that an element may be: the first and how many.
fn range(ty: Type) -> (i64, usize) {
    match ty {
        Type::B1 => (0, 2),
        Type::U4 | Type::U8 => (0, 7),
        _ => (-3, 7),
    }
}

/// Values without a pattern.
fn noise(row: usize, column: usize) -> usize {
    let mixed = (row * 257 + column + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
}

fn check(m: &Mnemonic, figure: &Figure) {
    let [rows, columns, depth] = figure.size;
    let [a, b, c, d] =
        [Field::AType, Field::BType, Field::CType, Field::DType].map(|field| type_of(m, field));
    let sums = if rows == 8 { SUMS_8 } else { SUMS_16 };
    let fragments = [
        Fragment { ty: a, elements: rows * depth / 32, held: figure.a },
        Fragment { ty: b, elements: depth * columns / 32, held: figure.b },
        Fragment { ty: c, elements: rows * columns / 32, held: sums },
        Fragment { ty: d, elements: rows * columns / 32, held: sums },
    ];
    check_fragments(m, &fragments, [depth, rows * depth, depth * columns]);
}

/// One launch for each digit of the numbers of the elements of A, and of those of B.
fn check_fragments(m: &Mnemonic, fragments: &[Fragment; 4], [depth, of_a, of_b]: [usize; 3]) {
    let text = kernel(m, fragments.each_ref());
    let width = of_b / depth;
    let join = |a: i64, b: i64| match (m.has(Mod::Xor), m.has(Mod::And)) {
        (true, _) => a ^ b,
        (_, true) => a & b,
        _ => a * b,
    };
    for (which, count) in [(0, of_a), (1, of_b)] {
        let (_, base) = range(fragments[which].ty);
        let digits = (1..).find(|&digits| base.pow(digits) >= count).unwrap();
        for digit in 0..digits {
            let value = |at: usize, number: usize, row: usize, column: usize| {
                let (low, base) = range(fragments[at].ty);
                let part = if at == which { number / base.pow(digit) } else { noise(row, column) };
                low + (part % base) as i64
            };
            let a = |row: usize, k: usize| value(0, row * depth + k, row, k);
            let b = |k: usize, column: usize| value(1, k * width + column, column + 300, k);
            let c = |row: usize, column: usize| (row * 8 + column) as i64 - 60;
            let product = |row: usize, column: usize| {
                (0..depth).map(|k| join(a(row, k), b(k, column))).sum::<i64>() + c(row, column)
            };
            let empty = vec![0; 32 * fragments[3].registers() * fragments[3].bytes()];
            let buffers = [fragments[0].spread(&a), fragments[1].spread(&b), fragments[2].spread(&c), empty];
            let target = if m.to_string().contains("kind::") || depth == 32 { "sm_120a" } else { "sm_90" };
            let arguments = buffers.map(Argument::Buffer).to_vec();
            let found = launch_warp("9.0", target, &text, arguments);
            let found = found.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            assert!(
                found[3].as_deref() == Some(&fragments[3].spread(&product)),
                "{m}, digit {digit} of {which}"
            );
        }
    }
}

/// Section 9.7.14.5.1: four lanes, and the four that are sixteen above, have a product of their own. Here the rows and columns of
/// product `n` are counted from `8 n`.
fn check_quads(m: &Mnemonic) {
    const ALONG: Held = |group, place, i| (group % 4 * 8 + place + group / 4 * 4, i);
    const ACROSS: Held = |group, place, i| (group % 4 * 8 + i + group / 4 * 4, place);
    const TURNED_ALONG: Held = |group, place, i| (i, group % 4 * 8 + place + group / 4 * 4);
    const TURNED_ACROSS: Held = |group, place, i| (place, group % 4 * 8 + i + group / 4 * 4);
    const HALVES: Held = |group, place, i| (group % 4 * 8 + place + group / 4 * 4, group % 4 * 8 + i);
    const SINGLES: Held = |group, place, i| {
        let row = (place & 1) + (i & 2) + group / 4 * 4;
        (group % 4 * 8 + row, group % 4 * 8 + (i & 4) + (place & 2) + (i & 1))
    };
    let sums = |field| {
        let ty = type_of(m, field);
        Fragment { ty, elements: 8, held: if ty == Type::F16 { HALVES } else { SINGLES } }
    };
    let is_row = |field| m.get(field) == Some(Mod::Row);
    let fragments = [
        Fragment { ty: Type::F16, elements: 4, held: if is_row(Field::ALayout) { ALONG } else { ACROSS } },
        Fragment {
            ty: Type::F16,
            elements: 4,
            held: if is_row(Field::BLayout) { TURNED_ACROSS } else { TURNED_ALONG },
        },
        sums(Field::CType),
        sums(Field::DType),
    ];
    check_fragments(m, &fragments, [4, 128, 128]);
}

#[test]
fn every_shape_and_type_of_the_table() {
    let mut used = vec![false; FIGURES.len()];
    let rows = all_forms()
        .iter()
        .filter(|form| form.opcode == Opcode::Mma && form.sem == Sem::Matrix(MatrixSem::Mma));
    for m in rows.flat_map(mnemonics) {
        // What a sum that is clamped or rounded looks like is shown in `matrices`.
        if m.get(Field::Rnd).is_some() || m.has(Mod::Satfinite) {
            continue;
        }
        let (shape, bits) = (m.get(Field::Shape).unwrap().as_str(), type_of(&m, Field::AType).bits());
        if (shape, bits) == ("m8n8k4", 16) {
            check_quads(&m);
            continue;
        }
        let found = FIGURES.iter().position(|figure| figure.shape == shape && figure.bits == bits);
        let found = found.unwrap_or_else(|| panic!("{m}: there is no figure here for the shape"));
        used[found] = true;
        check(&m, &FIGURES[found]);
    }
    let unused = used.iter().position(|used| !used);
    assert_eq!(unused.map(|at| FIGURES[at].shape), None, "the table has no such shape");
}

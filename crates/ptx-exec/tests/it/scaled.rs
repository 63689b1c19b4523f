//! `mma` with scales for blocks, of dense and of sparse matrices, against products of the scaled matrices (manual
//! 9.7.14.3).

use ptx_exec::{Argument, ExecError, TrapKind};

use crate::common::{Ran, launch_warp, narrow, spread, texts_of};
use ptx_isa::{MatrixSem, Opcode, Sem};

/// A format of elements: its name, bits, those of the numbers 0 to 3 (manual 5.2.3), and of the sign.
#[derive(Clone, Copy)]
struct Format(&'static str, usize, [u64; 4], u64);

const E4M3: Format = Format("e4m3", 8, [0, 0x38, 0x40, 0x44], 0x80);
const E5M2: Format = Format("e5m2", 8, [0, 0x3c, 0x40, 0x42], 0x80);
const E3M2: Format = Format("e3m2", 8, [0, 0b01100, 0b10000, 0b10010], 0x20);
const E2M3: Format = Format("e2m3", 8, [0, 0b01000, 0b10000, 0b10100], 0x20);
/// In the middle of a byte.
const E2M1_IN_BYTES: Format = Format("e2m1", 8, [0, 0b001000, 0b010000, 0b010100], 0x20);
const E2M1: Format = Format("e2m1", 4, [0, 0b010, 0b100, 0b101], 0x8);

impl Format {
    fn encode(self, value: i64) -> u64 {
        narrow(value, self.2, self.3)
    }
}

/// What follows the kind in a name, how many blocks a row has, and the type of the scales.
#[derive(Clone, Copy)]
struct Scales {
    kind: &'static str,
    blocks: usize,
    ty: &'static str,
}

impl Scales {
    /// The bits and the value of a scale.
    fn scale(self, number: usize) -> (u32, f64) {
        match self.ty {
            "ue8m0" => [(126, 0.5), (127, 1.0), (128, 2.0), (129, 4.0)][number % 4],
            _ => [(0x30, 0.5), (0x38, 1.0), (0x3c, 1.5), (0x44, 3.0), (0x48, 4.0)][number % 5],
        }
    }

    fn of_a(self, row: usize, block: usize) -> (u32, f64) {
        self.scale(row * 3 + block * 7 + row / 8)
    }

    fn of_b(self, block: usize, column: usize) -> (u32, f64) {
        self.scale(column * 5 + block * 3 + 1)
    }

    /// The words of all lanes; what is not selected is NaNs. `lane` tells where the scales of a row or column are.
    fn words(self, lines: usize, byte: usize, of: impl Fn(usize, usize) -> (usize, u32)) -> Vec<u8> {
        let mut words = [[0xff; 4]; 32];
        for line in 0..lines {
            for block in 0..self.blocks {
                let (lane, bits) = of(line, block);
                words[lane][byte + block] = bits as u8;
            }
        }
        words.concat()
    }
}

/// The columns that a row keeps, with the metadata of each chunk: pairs in order, of elements or of pairs of them.
fn kept(row: usize, k: usize, bits: usize) -> Vec<(Vec<usize>, u32)> {
    const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)];
    let chunk_of = |chunk: usize| {
        let (first, second) = PAIRS[(row * 7 + chunk * 5 + row / 8) % 6];
        let columns = match bits {
            8 => vec![chunk * 4 + first, chunk * 4 + second],
            _ => [first, second].iter().flat_map(|at| [chunk * 8 + at * 2, chunk * 8 + at * 2 + 1]).collect(),
        };
        (columns, (first | second << 2) as u32)
    };
    (0..k * bits / 32).map(chunk_of).collect()
}

fn launch(text: &str, arguments: Vec<Argument>) -> Result<Vec<Option<Vec<u8>>>, ExecError> {
    launch_warp("9.1", "sm_120a", text, arguments)
}

/// Loads the registers of each lane, multiplies and stores D where C was. `ids` are those of A and of B.
fn kernel(mnemonic: &str, registers: [usize; 2], ids: [&str; 2]) -> String {
    let mut text = String::from(
        ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pe, .param .u64 ps,
            .param .u64 pt) { .reg .b64 %p<6>; .reg .b32 %t; .reg .b16 %h; mov.u32 %t, %tid.x; cvt.u16.u32 %h, %t;\n",
    );
    let names = ["a", "b", "c", "e", "s", "t"];
    let counts = [registers[0], registers[1], 4, 1, 1, 1];
    let mut lists = Vec::new();
    for (at, (name, count)) in names.into_iter().zip(counts).enumerate() {
        text += &format!(".reg .b32 %r{name}<{count}>;\nld.param.u64 %p{at}, [p{name}];\n");
        text += &format!("mad.wide.u32 %p{at}, %t, {}, %p{at};\n", count * 4);
        let list: Vec<String> = (0..count).map(|n| format!("%r{name}{n}")).collect();
        for (n, register) in list.iter().enumerate() {
            text += &format!("ld.global.b32 {register}, [%p{at}+{}];\n", n * 4);
        }
        lists.push(format!("{{{}}}", list.join(", ")));
    }
    let metadata = if mnemonic.contains("sp::") { "%re0, 0, " } else { "" };
    let [a, b, c] = [&lists[0], &lists[1], &lists[2]];
    text += &format!("{mnemonic} {c}, {a}, {b}, {c}, {metadata}%rs0, {}, %rt0, {};\n", ids[0], ids[1]);
    (0..4).for_each(|n| text += &format!("st.global.b32 [%p2+{}], %rc{n};\n", n * 4));
    text + "ret;\n}\n"
}

static RAN: Ran = Ran::new();

fn check(scales: Scales, k: usize, [a, b]: [Format; 2], sparse: bool, byte: usize, threads: [usize; 2]) {
    let bits = a.1;
    let chunks: Vec<Vec<(Vec<usize>, u32)>> = (0..16).map(|row| kept(row, k, bits)).collect();
    let columns = |row: usize| -> Vec<usize> {
        if !sparse {
            return (0..k).collect();
        }
        chunks[row].iter().flat_map(|(columns, _)| columns.clone()).collect()
    };
    let a_value = |row: usize, column: usize| ((row * 5 + column * 3 + column / 7) % 7) as i64 - 3;
    let b_value = |row: usize, column: usize| ((row * 3 + column * 11 + row / 5 + 1) % 5) as i64 - 2;
    let c_value = |row: usize, column: usize| (row * 8 + column) as f32 - 60.0;
    let product = |row: usize, column: usize| {
        let terms = columns(row).into_iter().map(|depth| {
            let block = depth / (k / scales.blocks);
            let scale = scales.of_a(row, block).1 * scales.of_b(block, column).1;
            (a_value(row, depth) * b_value(depth, column)) as f64 * scale
        });
        (terms.sum::<f64>() + f64::from(c_value(row, column))) as f32
    };
    let each = 32 / bits;
    // Registers of A go down eight rows first, then along k (9.7.14.5.10 ff.); what a sparse A keeps lies as a dense one.
    let a_held = |lane: usize, i: usize| {
        let (register, row) = (i / each, lane / 4 + i / each % 2 * 8);
        let place = (register / 2 * 4 + lane % 4) * each + i % each;
        a.encode(a_value(row, columns(row)[place]))
    };
    let b_held =
        |lane: usize, i: usize| b.encode(b_value((i / each * 4 + lane % 4) * each + i % each, lane / 4));
    let sums = |value: &dyn Fn(usize, usize) -> f32| -> Vec<u8> {
        let of = |at: usize| value(at / 16 + at / 2 % 2 * 8, at / 4 % 4 * 2 + at % 2);
        (0..128).flat_map(|at| of(at).to_le_bytes()).collect()
    };
    let mut metadata = [0u32; 32];
    for (row, chunks) in chunks.iter().enumerate().filter(|_| sparse) {
        for (chunk, (_, bits)) in chunks.iter().enumerate() {
            metadata[row % 8 * 4 + chunk / 8 * 2 + row / 8] |= bits << (chunk % 8 * 4);
        }
    }
    let [of_a, of_b] = threads;
    let arguments = vec![
        Argument::Buffer(spread(bits, if sparse { k / 4 } else { k / 2 }, a_held)),
        Argument::Buffer(spread(bits, k / 4, b_held)),
        Argument::Buffer(sums(&c_value)),
        Argument::Buffer(metadata.iter().flat_map(|word| word.to_le_bytes()).collect()),
        // The lower or upper two lanes of a group have the scales of its rows (figure 43).
        Argument::Buffer(
            scales
                .words(16, byte, |row, block| (row % 8 * 4 + of_a * 2 + row / 8, scales.of_a(row, block).0)),
        ),
        // One of the four has those of its column (figure 44).
        Argument::Buffer(
            scales.words(8, byte, |column, block| (column * 4 + of_b, scales.of_b(block, column).0)),
        ),
    ];
    let variant = if sparse { "sp::ordered_metadata." } else { "" };
    let Scales { kind, ty, .. } = scales;
    let mnemonic = format!("mma.{variant}sync.aligned.m16n8k{k}.row.col.{kind}.f32.{}.{}.f32.{ty}", a.0, b.0);
    let ids = threads.map(|thread| format!("{{{byte}, {thread}}}"));
    let registers = [if sparse { k / 4 } else { k / 2 } / each, k / 4 / each];
    let text = kernel(&mnemonic, registers, [&ids[0], &ids[1]]);
    RAN.note(&mnemonic);
    let buffers = launch(&text, arguments).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(buffers[2].as_deref(), Some(sums(&product).as_slice()), "{mnemonic} {byte} {threads:?}");
}

/// Dense and sparse, with every byte and thread.
fn check_all(scales: Scales, k: usize, formats: [Format; 2]) {
    for sparse in [false, true] {
        for byte in (0..4).step_by(scales.blocks) {
            for threads in [[0, 0], [1, 1], [0, 2], [1, 3]] {
                check(scales, if sparse { k * 2 } else { k }, formats, sparse, byte, threads);
            }
        }
    }
}

#[test]
fn one_scale_for_a_row() {
    let all = [E4M3, E5M2, E3M2, E2M3, E2M1_IN_BYTES];
    for a in all {
        for b in all {
            for kind in ["kind::mxf8f6f4.block_scale", "kind::mxf8f6f4.block_scale.scale_vec::1X"] {
                check_all(Scales { kind, blocks: 1, ty: "ue8m0" }, 32, [a, b]);
            }
        }
    }
}

#[test]
fn scales_of_halves_and_quarters_of_a_row() {
    let cases = [
        ("kind::mxf4.block_scale", 2, "ue8m0"),
        ("kind::mxf4.block_scale.scale_vec::2X", 2, "ue8m0"),
        ("kind::mxf4nvf4.block_scale.scale_vec::2X", 2, "ue8m0"),
        ("kind::mxf4nvf4.block_scale.scale_vec::4X", 4, "ue4m3"),
        ("kind::mxf4nvf4.block_scale.scale_vec::4X", 4, "ue8m0"),
    ];
    for (kind, blocks, ty) in cases {
        check_all(Scales { kind, blocks, ty }, 64, [E2M1, E2M1]);
    }
}

/// Numbers in registers are not seen before they are executed.
#[test]
fn selectors_that_name_no_scales_are_reported() {
    let stopped = |ids: [&str; 2]| {
        let mnemonic = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0";
        let arguments = [512, 256, 512, 128, 128, 128].map(|size| Argument::Buffer(vec![0; size])).to_vec();
        match launch(&kernel(mnemonic, [4, 2], ids), arguments) {
            Ok(_) => None,
            Err(ExecError::Trap(trap)) => match trap.kind {
                TrapKind::Misuse(text) => Some(text),
                other => panic!("{other:?}"),
            },
            Err(other) => panic!("{other:?}"),
        }
    };
    assert_eq!(stopped(["{0, 1}", "{2, 3}"]), None);
    assert!(stopped(["{%h, 0}", "{0, 0}"]).unwrap().starts_with("byte 1 and thread 0 do not name"));
    assert!(stopped(["{0, 0}", "{0, %h}"]).unwrap().starts_with("byte 0 and thread 1 do not name"));
}

/// Every shape with every combination of types and modifiers that the table has.
#[test]
fn every_form_of_the_table() {
    one_scale_for_a_row();
    scales_of_halves_and_quarters_of_a_row();
    RAN.expect_all(&texts_of(Opcode::Mma, Sem::Matrix(MatrixSem::MmaScaled)));
}

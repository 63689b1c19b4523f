//! Every form of `ldmatrix` and `stmatrix` against matrices put together here: memory is read bit by bit into the matrix that the
//! manual speaks of, transposed where it is, and the fragments are taken from there (9.7.14.5.15, 9.7.14.5.16).

use ptx_exec::{Argument, ExecError, TrapKind};
use ptx_isa::{Field, Mod, Opcode, Slot, all_forms};

use crate::common::launch_warp;

fn launch(text: &str, arguments: Vec<Argument>) -> Result<Vec<Option<Vec<u8>>>, ExecError> {
    launch_warp("8.8", "sm_100a", text, arguments)
}

fn outcome(text: &str, memory: Vec<u8>) -> Vec<u8> {
    launch(text, vec![Argument::Buffer(memory)]).unwrap()[0].clone().unwrap()
}

/// Bytes without a pattern.
fn noise(count: usize) -> Vec<u8> {
    (0..count as u32).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 13) as u8 ^ ((at * at) >> 3) as u8).collect()
}

/// The row of shared memory whose address a lane gives: they are neither in order nor next to each other.
const fn row_of(lane: usize) -> usize {
    (lane * 5 + 3) % 32
}

/// A form of `ldmatrix`: rows and columns of the matrix in the registers, bits of an element in memory and in a register.
struct Form {
    shape: &'static str,
    format: &'static str,
    transposed: bool,
    rows: usize,
    columns: usize,
    stored: usize,
    held: usize,
    counts: &'static [usize],
}

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form { shape: "m8n8", format: "b16", transposed: false, rows: 8, columns: 8, stored: 16, held: 16, counts: &[1, 2, 4] },
    Form { shape: "m8n8", format: "b16", transposed: true, rows: 8, columns: 8, stored: 16, held: 16, counts: &[1, 2, 4] },
    Form { shape: "m16n16", format: "b8", transposed: true, rows: 16, columns: 16, stored: 8, held: 8, counts: &[1, 2] },
    Form { shape: "m16n16", format: "b8x16.b6x16_p32", transposed: true, rows: 16, columns: 16, stored: 6, held: 8, counts: &[1, 2] },
    Form { shape: "m16n16", format: "b8x16.b4x16_p64", transposed: true, rows: 16, columns: 16, stored: 4, held: 8, counts: &[1, 2] },
    Form { shape: "m8n16", format: "b8x16.b6x16_p32", transposed: false, rows: 8, columns: 16, stored: 6, held: 8, counts: &[1, 2, 4] },
    Form { shape: "m8n16", format: "b8x16.b4x16_p64", transposed: false, rows: 8, columns: 16, stored: 4, held: 8, counts: &[1, 2, 4] },
];

impl Form {
    /// An element of a matrix, whose rows or columns lie at the addresses of neighbouring lanes.
    fn element(&self, memory: &[u8], matrix: usize, row: usize, column: usize) -> u32 {
        let (line, at) = if self.transposed { (column, row) } else { (row, column) };
        let lines = if self.transposed { self.columns } else { self.rows };
        let line = &memory[row_of(matrix * lines + line) * 16..][..16];
        let bit = |n: usize| u32::from(line[n / 8] >> (n % 8) & 1);
        (0..self.stored).map(|n| bit(at * self.stored + n) << n).sum()
    }

    /// What a lane holds of a matrix: as many neighbours of a row as a register has room for, of every eighth row.
    fn fragment(&self, memory: &[u8], matrix: usize, lane: usize) -> Vec<u32> {
        let each = 32 / self.held;
        let word = |row: usize| {
            (0..each).map(|i| self.element(memory, matrix, row, lane % 4 * each + i) << (i * self.held)).sum()
        };
        (0..self.rows / 8).map(|block| word(lane / 4 + 8 * block)).collect()
    }
}

/// Brings the buffer into shared memory and lets each lane have the address of its row in `%a`, generic or not, and its
/// place in the results in `%rd1`.
fn kernel(space: &str, bytes: usize, body: &str) -> String {
    let address = if space.is_empty() { "cvta.shared.u64 %a, %a;" } else { "" };
    format!(
        ".visible .entry k(.param .u64 p) {{
            .shared .align 16 .b8 s[512];
            .reg .b32 %t; .reg .b32 %r<9>; .reg .b64 %a; .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [p]; mov.u32 %t, %tid.x;
            mad.wide.u32 %rd2, %t, 16, %rd1;
            ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%rd2];
            mov.b64 %a, s;
            mad.wide.u32 %rd2, %t, 16, %a;
            st.shared.v4.b32 [%rd2], {{%r0, %r1, %r2, %r3}};
            mad.lo.u32 %r0, %t, 5, 3; and.b32 %r0, %r0, 31;
            mad.wide.u32 %a, %r0, 16, %a;
            {address}
            mov.b64 %rd2, %rd1;
            mad.wide.u32 %rd1, %t, {bytes}, %rd1;
            bar.warp.sync 0xffffffff;
            {body}
            ret; }}"
    )
}

fn registers(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("%r{n}")).collect();
    names.join(", ")
}

/// The spaces, as they are written.
const SPACES: [&str; 3] = ["", ".shared", ".shared::cta"];

#[test]
fn every_form_loads_its_fragments() {
    let memory = noise(512);
    for form in FORMS {
        for &count in form.counts {
            for space in SPACES {
                let trans = if form.transposed { ".trans" } else { "" };
                let total = count * form.rows / 8;
                let list = registers(total);
                let mnemonic =
                    format!("ldmatrix.sync.aligned.{}.x{count}{trans}{space}.{}", form.shape, form.format);
                let mut body = format!("{mnemonic} {{{list}}}, [%a];\n");
                for n in 0..total {
                    body += &format!("st.global.b32 [%rd1+{}], %r{n};\n", 4 * n);
                }
                let expected: Vec<u8> = (0..32)
                    .flat_map(|lane| {
                        (0..count).flat_map(move |matrix| form.fragment(&noise(512), matrix, lane))
                    })
                    .flat_map(u32::to_le_bytes)
                    .collect();
                let found = outcome(&kernel(space, total * 4, &body), memory.clone());
                assert_eq!(found[..expected.len()], expected, "{mnemonic}");
                if count == 1 {
                    // `ptxas` makes `LDSM.16.M88` of `.x8` as of `.x1`, and so on for every form.
                    let eight = kernel(space, total * 4, &body.replace(".x1", ".x8"));
                    assert_eq!(
                        outcome(&eight, memory.clone())[..expected.len()],
                        expected,
                        "{mnemonic} as .x8"
                    );
                }
            }
        }
    }
}

/// Stores words of the buffer as matrices and brings shared memory back.
fn stored(mnemonic: &str, space: &str, count: usize) -> Vec<u8> {
    let mut body = String::new();
    for n in 0..count {
        body += &format!("ld.global.b32 %r{n}, [%rd1+{}];\n", 4 * n);
    }
    let list = registers(count);
    body += &format!(
        "{mnemonic} [%a], {{{list}}};
        bar.warp.sync 0xffffffff;
        mov.b64 %a, s; mad.wide.u32 %a, %t, 16, %a;
        ld.shared.v4.b32 {{%r0, %r1, %r2, %r3}}, [%a];
        mad.wide.u32 %rd2, %t, 16, %rd2;
        st.global.v4.b32 [%rd2], {{%r0, %r1, %r2, %r3}};"
    );
    outcome(&kernel(space, count * 4, &body), noise(512))
}

#[test]
fn every_form_stores_its_fragments() {
    for count in [1, 2, 4] {
        for space in SPACES {
            let words = |lane: usize, matrix: usize| {
                let at = (lane * count + matrix) * 4;
                <[u8; 4]>::try_from(&noise(512)[at..at + 4]).unwrap()
            };
            // 16x8 bytes, as `mma` leaves sums: columns lie in memory.
            let mut expected = noise(512);
            for (lane, matrix) in (0..32).flat_map(|lane| (0..count).map(move |matrix| (lane, matrix))) {
                for (i, byte) in words(lane, matrix).into_iter().enumerate() {
                    let row = if i < 2 { lane / 4 } else { lane / 4 + 8 };
                    let column = lane % 4 * 2 + (i & 1);
                    expected[row_of(matrix * 8 + column) * 16 + row] = byte;
                }
            }
            let mnemonic = format!("stmatrix.sync.aligned.m16n8.x{count}.trans{space}.b8");
            assert_eq!(stored(&mnemonic, space, count), expected, "{mnemonic}");
            if count == 1 {
                // `STSM.8.MT168`, as for one matrix.
                assert_eq!(stored(&mnemonic.replace("x1", "x8"), space, 1), expected, "{mnemonic} as .x8");
            }
            for trans in ["", ".trans"] {
                let mut expected = noise(512);
                for (lane, matrix) in (0..32).flat_map(|lane| (0..count).map(move |matrix| (lane, matrix))) {
                    for (i, half) in words(lane, matrix).chunks(2).enumerate() {
                        let (row, column) = (lane / 4, lane % 4 * 2 + i);
                        let (line, at) = if trans.is_empty() { (row, column) } else { (column, row) };
                        expected[row_of(matrix * 8 + line) * 16 + at * 2..][..2].copy_from_slice(half);
                    }
                }
                let mnemonic = format!("stmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16");
                assert_eq!(stored(&mnemonic, space, count), expected, "{mnemonic}");
                if count == 1 {
                    assert_eq!(
                        stored(&mnemonic.replace("x1", "x8"), space, 1),
                        expected,
                        "{mnemonic} as .x8"
                    );
                }
            }
        }
    }
}

#[test]
fn eight_matrices_are_one() {
    // `ptxas` accepts any vector of registers: machine code stores the first, and loads as many as one matrix has.
    let stored = |mnemonic: &str, list: &str| {
        let body = format!(
            "ld.global.b32 %r0, [%rd1]; mov.u32 %r1, 7; {mnemonic} [%a], {list}; bar.warp.sync 0xffffffff;
            mov.b64 %a, s; mad.wide.u32 %a, %t, 16, %a; ld.shared.v4.b32 {{%r0, %r1, %r2, %r3}}, [%a];
            mad.wide.u32 %rd2, %t, 16, %rd2; st.global.v4.b32 [%rd2], {{%r0, %r1, %r2, %r3}};"
        );
        outcome(&kernel(".shared", 4, &body), noise(512))
    };
    for form in ["m8n8.NN.shared.b16", "m16n8.NN.trans.shared.b8"] {
        let form = format!("stmatrix.sync.aligned.{form}");
        assert_eq!(
            stored(&form.replace("NN", "x8"), "{%r0, %r1}"),
            stored(&form.replace("NN", "x1"), "{%r0}")
        );
    }
    let text = kernel(".shared", 4, "ldmatrix.sync.aligned.m8n8.x8.shared.b16 {%r0, %r1}, [%a];");
    match launch(&text, vec![Argument::Buffer(vec![0; 512])]) {
        Err(ExecError::Refused(findings)) => {
            let text = &findings.iter().next().unwrap().message;
            assert!(text.contains("`.x8` loads one matrix"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

/// What stops an instruction whose addresses are those of `change`.
fn stopped(instruction: &str, change: &str) -> String {
    let text = kernel(".shared", 4, &format!("{change}\n{instruction}"));
    match launch(&text, vec![Argument::Buffer(vec![0; 512])]) {
        Err(ExecError::Trap(trap)) => match trap.kind {
            TrapKind::Fault(fault) => format!("{:?} {:#x} {}", fault.kind, fault.address, fault.size),
            other => panic!("{other:?}"),
        },
        other => panic!("{instruction}: {other:?}"),
    }
}

#[test]
fn rows_are_aligned_and_in_bounds() {
    for (instruction, last) in [
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];", 7),
        ("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r0}, [%a];", 7),
        ("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32 {%r0, %r1, %r2, %r3}, [%a];", 31),
        ("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%a];", 15),
        ("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64 {%r0, %r1, %r2, %r3}, [%a];", 31),
        ("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%a], {%r0};", 7),
        ("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%a], {%r0, %r1};", 15),
        ("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a], {%r0, %r1, %r2, %r3};", 31),
    ] {
        let of_lane = |lane: i32, address: &str| {
            format!(
                ".reg .pred %q; setp.eq.u32 %q, %t, {lane}; mov.b64 %rd1, {address}; @%q mov.b64 %a, %rd1;"
            )
        };
        assert_eq!(stopped(instruction, &of_lane(last, "24")), "Misaligned 0x18 16", "{instruction}");
        assert_eq!(stopped(instruction, &of_lane(last, "512")), "OutOfBounds 0x200 16", "{instruction}");
        // The addresses of further lanes are not looked at.
        if last < 31 {
            let text = kernel(".shared", 4, &format!("{}\n{instruction}", of_lane(last + 1, "24")));
            assert!(launch(&text, vec![Argument::Buffer(vec![0; 512])]).is_ok(), "{instruction}");
        }
    }
}

#[test]
fn the_padding_of_packed_rows_is_part_of_them() {
    // Eight bytes of elements are there, and eight of padding are not.
    let text = ".visible .entry k() {
        .shared .align 16 .b8 s[8];
        .reg .b32 %r<2>;
        mov.b32 %r0, s;
        ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r1}, [%r0];
        ret; }";
    match launch(text, Vec::new()) {
        Err(ExecError::Trap(trap)) => assert!(matches!(trap.kind, TrapKind::Fault(_)), "{trap:?}"),
        other => panic!("{other:?}"),
    }
}

/// The modifiers of a slot of a row, or that there are none.
fn choices(slots: &[Slot], field: Field) -> Vec<Mod> {
    let set = slots.iter().find_map(|slot| match slot {
        Slot::One(found, set) if *found == field => Some(set.to_vec()),
        _ => None,
    });
    set.unwrap_or_default()
}

/// A shape, a count or a format that comes to the table needs a place in the lists here.
#[test]
fn forms_are_those_of_the_table() {
    for form in all_forms() {
        let is_load = match form.opcode {
            Opcode::Ldmatrix => true,
            Opcode::Stmatrix => false,
            _ => continue,
        };
        for count in choices(form.slots, Field::Num) {
            // Executed as `.x1`, which `every_form_loads_its_fragments` shows.
            if count == Mod::X8 {
                continue;
            }
            let count: usize = count.as_str()[1..].parse().unwrap();
            for shape in choices(form.slots, Field::Shape) {
                let shape = shape.as_str();
                if !is_load {
                    assert!(
                        ["m8n8", "m16n8"].contains(&shape) && [1, 2, 4].contains(&count),
                        "{shape}.x{count}"
                    );
                    continue;
                }
                let mut formats: Vec<String> =
                    choices(form.slots, Field::Type).iter().map(|ty| ty.as_str().to_owned()).collect();
                for source in choices(form.slots, Field::SrcFmt) {
                    formats.push(format!("b8x16.{}", source.as_str()));
                }
                assert!(!formats.is_empty(), "{}", form.doc);
                for format in formats {
                    let listed = FORMS.iter().any(|form| {
                        form.shape == shape && form.format == format && form.counts.contains(&count)
                    });
                    assert!(listed, "ldmatrix {shape}.x{count}.{format}");
                }
            }
        }
    }
}

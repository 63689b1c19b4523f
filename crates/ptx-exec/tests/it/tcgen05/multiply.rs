//! `tcgen05.mma` of one block, against plain products (manual 9.7.16.10).

use super::case::{
    AT_B, BF16, CASE, Case, E2M1, E2M1_PAIRS, E2M3, E3M2, E4M3, E5M2, F16, S8, Scales, TF32, U8,
};
use super::image::run_image;
use super::stops;
use super::{END, START};

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
    Case { disabled: Some([0xffff_0000, 1, 0x8000_0001, 0x5555_5555, 0, 0, 0, 0]), ..CASE }.check();
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
    Case { kind: "i8", k: 32, a: S8, b: S8, d: "s32", shift_d: 2, ..CASE }.check();
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
fn lanes_left_out_and_divisors_go_with_all_else() {
    let lanes = Some([0xffff_0000, 1, 0x8000_0001, 0x5555_5555, 0, 0, 0, 0]);
    for (kind, k, a, d) in [
        ("f16", 16, F16, "f32"),
        ("tf32", 8, TF32, "f32"),
        ("f8f6f4", 32, E4M3, "f16"),
        ("i8", 32, S8, "s32"),
    ] {
        for (in_tensor, sparse) in [(false, false), (true, false), (false, true), (true, true)] {
            let case = Case { kind, k, a, b: a, d, in_tensor, sparse, ..CASE };
            let has_divisor = kind != "f8f6f4";
            Case { disabled: lanes, ..case }.check();
            if has_divisor {
                Case { shift_d: 2, ..case }.check();
                // `ptxas` does not take both with sparse integers.
                let takes_both = !(kind == "i8" && sparse);
                Case { disabled: lanes.filter(|_| takes_both), shift_d: 5, ..case }.check();
            }
            let ashift = in_tensor && !sparse;
            let pair = Case { pair: true, m: 256, n: 32, ashift, ..case };
            Case { disabled: lanes.map(|words| [words[3], 0, 1, 2, 3, 4, words[0], 5]), ..pair }.check();
            if has_divisor {
                Case { shift_d: 4, ..pair }.check();
                Case { disabled: lanes.filter(|_| !(kind == "i8" && sparse)), shift_d: 1, ..pair }.check();
            }
            if ashift {
                Case { disabled: lanes, ashift, ..case }.check();
                if has_divisor {
                    Case { shift_d: 3, ashift, ..case }.check();
                    Case { disabled: lanes, shift_d: 3, ashift, ..case }.check();
                }
            }
        }
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
    for (kind, k, a, b, d) in [
        ("f16", 16, BF16, BF16, "f32"),
        ("tf32", 8, TF32, TF32, "f32"),
        ("f8f6f4", 32, E3M2, E5M2, "f32"),
        ("i8", 32, U8, S8, "s32"),
    ] {
        for (in_tensor, sparse) in [(false, false), (true, false), (false, true), (true, true)] {
            Case { kind, k, a, b, d, in_tensor, sparse, ws: true, m: 64, ..CASE }.check();
        }
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
    // Every kind with A in tensor memory and sparse, in one block and in two.
    let mx = Case { kind: "mxf8f6f4", k: 32, a: E4M3, b: E3M2, ..CASE };
    for (case, name, count, ue4m3) in [
        (mx, "", 1, false),
        (mx, ".scale_vec::1X", 1, false),
        (mx, ".block32", 1, false),
        (mxf4, "", 2, false),
        (mxf4, ".scale_vec::2X", 2, false),
        (nv, ".scale_vec::2X", 2, false),
        (nv, ".scale_vec::4X", 4, true),
        (nv, ".block16", 4, true),
    ] {
        for (in_tensor, sparse) in [(true, false), (false, true), (true, true)] {
            let case = Case { in_tensor, sparse, scales: scales(name, count, ue4m3, [0, 0]), n: 32, ..case };
            case.check();
            Case { pair: true, m: 256, ..case }.check();
        }
    }
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
    let plain = case.lay_out(1, 0, &mut memory[AT_B..]);
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
    let found = run_image("sm_103a", &memory, &case.tensor(0), &text);
    for row in 0..128 {
        for column in 0..8 {
            let (_, lane, at) = case.place(row, column);
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

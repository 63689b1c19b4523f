//! Products of matrices in both engines, bit for bit: the interpreter's own results are held against a model in `crates/ptx-exec/tests/it`.

use crate::common;
use crate::common::Case;

/// How registers of a matrix are filled: their kind of register, how many there are, and the bits that elements keep of random ones.
#[derive(Clone, Copy)]
struct Held {
    kind: &'static str,
    count: usize,
    mask: u32,
}

const fn words(count: usize, mask: u32) -> Held {
    Held { kind: "b32", count, mask }
}

const fn floats(count: usize, mask: u32) -> Held {
    Held { kind: "f32", count, mask }
}

const fn doubles(count: usize, mask: u32) -> Held {
    Held { kind: "f64", count, mask }
}

/// Bits of which numbers of no more than 2 are made, and any numbers; of halves, bfloat16s, `.f32` and `.f64`, and bytes.
const SMALL: u32 = 0xbfff_bfff;
const SMALL_WIDE: u32 = 0xbfff_ffff;
const SMALL_BYTES: u32 = 0xbfbf_bfbf;
const ANY: u32 = u32::MAX;

/// A kernel that fills the registers, executes an instruction and stores its results. `special` replaces a register of one lane of A and
/// one of C.
fn body(instruction: &str, [d, a, b, c]: [Held; 4], special: Option<u32>) -> String {
    let mut text = String::from(
        "mov.u32 %r7, %laneid; ld.global.u32 %r6, [%rd5]; mad.lo.u32 %r6, %r6, 31, %r7; .reg .b32 %x, %y;\n",
    );
    let mut step = 0u32;
    let mut names = Vec::new();
    for (name, held) in [("a", a), ("b", b), ("c", c)] {
        text.push_str(&format!(".reg .{} %{name}<{}>;\n", held.kind, held.count));
        for register in 0..held.count {
            let mut random = |mask: u32| {
                step += 1;
                let (factor, addend) = (step.wrapping_mul(0x9e37_79b2) | 1, step.wrapping_mul(0x85eb_ca6b));
                format!(
                    "mad.lo.u32 %x, %r6, {factor}, {addend}; shr.u32 %y, %x, 15; xor.b32 %x, %x, %y; mul.lo.u32 %x, %x, 0x2c1b3c6d;\n\
                     shr.u32 %y, %x, 12; xor.b32 %x, %x, %y; and.b32 %x, %x, {mask};\n"
                )
            };
            text.push_str(&random(held.mask));
            if let Some(bits) = special.filter(|_| register == 0 && name != "b") {
                text.push_str(&format!("setp.eq.u32 %p1, %r7, 9; @%p1 mov.u32 %x, {bits};\n"));
            }
            match held.kind {
                "f64" => {
                    text.push_str("mov.u32 %r8, %x;\n");
                    text.push_str(&random(ANY));
                    text.push_str(&format!("mov.b64 %{name}{register}, {{%x, %r8}};\n"));
                }
                _ => text.push_str(&format!("mov.b32 %{name}{register}, %x;\n")),
            }
        }
        let all: Vec<String> = (0..held.count).map(|register| format!("%{name}{register}")).collect();
        names.push(format!("{{{}}}", all.join(", ")));
    }
    let all: Vec<String> = (0..d.count).map(|register| format!("%d{register}")).collect();
    text.push_str(&format!(".reg .{} %d<{}>;\n", d.kind, d.count));
    text.push_str(&format!("{instruction} {{{}}}, {};\n", all.join(", "), names.join(", ")));
    let size = if d.kind == "f64" { 8 } else { 4 };
    text.push_str(&format!("mul.wide.u32 %rd6, %r4, {}; add.s64 %rd7, %rd1, %rd6;\n", size * d.count));
    for register in 0..d.count {
        text.push_str(&format!("st.global.{} [%rd7+{}], %d{register};\n", d.kind, size * register));
    }
    text + "ret;"
}

fn agrees(target: &str, instruction: &str, held: [Held; 4], special: Option<u32>) {
    let body = body(instruction, held, special);
    Case { target, ..Case::warp(&body) }.agrees();
}

#[test]
fn halves_with_sums_in_single_precision() {
    let (d, c) = (floats(4, ANY), floats(4, SMALL_WIDE));
    let instruction = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    let held = |mask, c| [d, words(4, mask), words(2, mask), c];
    agrees("sm_80", instruction, held(SMALL, c), None);
    // Subnormal numbers; any numbers, of which many are infinite or NaNs; infinities and NaNs in one row.
    agrees("sm_80", instruction, held(0x83ff_83ff, floats(4, 0x807f_ffff)), None);
    agrees("sm_80", instruction, held(0xf7ff_ffff, floats(4, ANY)), None);
    agrees("sm_80", instruction, held(SMALL, c), Some(0x7c00_7c01));
    agrees("sm_80", instruction, held(SMALL, c), Some(0x7f80_fc00));
    agrees(
        "sm_80",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
        [d, words(2, SMALL), words(1, SMALL), c],
        None,
    );
}

#[test]
fn halves_with_sums_in_halves() {
    let held = |mask| [words(2, ANY), words(4, mask), words(2, mask), words(2, mask)];
    for mask in [SMALL, 0xf7ff_f7ff, 0x83ff_83ff] {
        agrees("sm_80", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", held(mask), None);
    }
    agrees(
        "sm_80",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
        [words(2, ANY), words(2, SMALL), words(1, SMALL), words(2, SMALL)],
        Some(0x7e00_7c00),
    );
}

#[test]
fn four_products_of_quads() {
    for (a, b) in [("row", "col"), ("col", "row"), ("row", "row"), ("col", "col")] {
        let factors = [words(2, SMALL), words(2, SMALL)];
        let name = |types: &str| format!("mma.sync.aligned.m8n8k4.{a}.{b}.{types}");
        agrees(
            "sm_70",
            &name("f32.f16.f16.f32"),
            [floats(8, ANY), factors[0], factors[1], floats(8, SMALL_WIDE)],
            None,
        );
        agrees(
            "sm_70",
            &name("f16.f16.f16.f16"),
            [words(4, ANY), factors[0], factors[1], words(4, SMALL)],
            None,
        );
        agrees(
            "sm_70",
            &name("f32.f16.f16.f16"),
            [floats(8, ANY), factors[0], factors[1], words(4, SMALL)],
            None,
        );
    }
}

#[test]
fn bfloat16_and_tf32() {
    let (d, c) = (floats(4, ANY), floats(4, SMALL_WIDE));
    for mask in [ANY, 0x807f_807f] {
        agrees(
            "sm_80",
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
            [d, words(4, mask), words(2, mask), c],
            None,
        );
    }
    agrees(
        "sm_80",
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
        [d, words(2, SMALL), words(1, SMALL), c],
        None,
    );
    for mask in [SMALL_WIDE, ANY, 0x807f_ffff] {
        agrees(
            "sm_80",
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
            [d, words(4, mask), words(2, mask), c],
            None,
        );
    }
    agrees(
        "sm_80",
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
        [d, words(2, SMALL_WIDE), words(1, SMALL_WIDE), c],
        Some(0x7f80_0001),
    );
}

#[test]
fn numbers_of_eight_bits() {
    for (a, b) in [("e4m3", "e5m2"), ("e5m2", "e4m3"), ("e4m3", "e4m3")] {
        for mask in [SMALL_BYTES, ANY] {
            let name = format!("mma.sync.aligned.m16n8k32.row.col.f32.{a}.{b}.f32");
            agrees(
                "sm_89",
                &name,
                [floats(4, ANY), words(4, mask), words(2, mask), floats(4, SMALL_WIDE)],
                None,
            );
        }
    }
    for (a, b) in [("e2m1", "e3m2"), ("e2m3", "e2m1")] {
        let name = format!("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.{a}.{b}.f32");
        agrees(
            "sm_120a",
            &name,
            [floats(4, ANY), words(4, 0x3c3c_3c3c), words(2, 0x3c3c_3c3c), floats(4, SMALL_WIDE)],
            None,
        );
    }
}

#[test]
fn integers() {
    for (a, b) in [("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")] {
        for limit in ["", ".satfinite"] {
            let name = format!("mma.sync.aligned.m16n8k32.row.col{limit}.s32.{a}.{b}.s32");
            agrees(
                "sm_80",
                &name,
                [words(4, ANY), words(4, ANY), words(2, ANY), words(4, ANY)],
                Some(0x7fff_ffff),
            );
        }
    }
    agrees(
        "sm_80",
        "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32",
        [words(4, ANY), words(2, ANY), words(1, ANY), words(4, ANY)],
        None,
    );
    agrees(
        "sm_80",
        "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32",
        [words(2, ANY), words(1, ANY), words(1, ANY), words(2, ANY)],
        None,
    );
}

#[test]
fn double_precision() {
    for mask in [SMALL_WIDE, ANY, 0x800f_ffff] {
        agrees(
            "sm_80",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
            [doubles(2, ANY), doubles(1, mask), doubles(1, mask), doubles(2, mask)],
            None,
        );
    }
    // NaNs with bits of their own, and infinities.
    for special in [0x7ff1_2345, 0xfff0_0000] {
        agrees(
            "sm_90",
            "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",
            [doubles(4, ANY), doubles(4, SMALL_WIDE), doubles(2, SMALL_WIDE), doubles(4, SMALL_WIDE)],
            Some(special),
        );
    }
    agrees(
        "sm_90",
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64",
        [doubles(4, ANY), doubles(8, SMALL_WIDE), doubles(4, SMALL_WIDE), doubles(4, SMALL_WIDE)],
        None,
    );
}

#[test]
fn fragments() {
    for (shape, a, b) in [("m16n16k16", "row", "col"), ("m32n8k16", "col", "row"), ("m8n32k16", "row", "row")]
    {
        let factors = [words(8, SMALL), words(8, SMALL)];
        let name = |types: &str| format!("wmma.mma.sync.aligned.{a}.{b}.{shape}.{types}");
        agrees(
            "sm_80",
            &name("f32.f32"),
            [floats(8, ANY), factors[0], factors[1], floats(8, SMALL_WIDE)],
            Some(0x7c01_3c00),
        );
        agrees(
            "sm_80",
            &name("f16.f16"),
            [words(4, ANY), factors[0], factors[1], words(4, ANY)],
            Some(0x7c01_3c00),
        );
    }
    agrees(
        "sm_80",
        "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32",
        [words(8, ANY), words(2, ANY), words(2, ANY), words(8, ANY)],
        None,
    );
    agrees(
        "sm_80",
        "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32",
        [floats(8, ANY), words(4, SMALL_WIDE), words(4, SMALL_WIDE), floats(8, SMALL_WIDE)],
        None,
    );
    agrees(
        "sm_80",
        "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64",
        [doubles(2, ANY), doubles(1, SMALL_WIDE), doubles(1, SMALL_WIDE), doubles(2, SMALL_WIDE)],
        None,
    );
}

#[test]
fn products_in_a_loop_and_transposed_matrices() {
    let body = "ld.global.u32 %r6, [%rd5]; and.b32 %r6, %r6, 0xbfffbfff; mov.u32 %r10, 0; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n\
                mul.lo.u32 %r7, %r6, 77; and.b32 %r7, %r7, 0xbfffbfff; mul.lo.u32 %r8, %r6, 99; and.b32 %r8, %r8, 0xbfffbfff;\n\
                again: movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r7;\n\
                mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r6, %r7, %r8, %r9}, {%r7, %r6}, {%f1, %f2, %f3, %f4};\n\
                mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r6, %r9, %r8, %r7}, {%r9, %r8}, {%f4, %f3, %f2, %f1};\n\
                add.f32 %f1, %f1, %f8; xor.b32 %r7, %r7, %r10; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r1; @%p1 bra again;\n\
                add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f5, %f5, %f6; add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f5; st.global.f32 [%rd4], %f1; ret;";
    Case { target: "sm_80", block: [64, 1, 1], grid: 2, n: 5, ..Case::warp(body) }.agrees();
}

#[test]
fn products_of_one_matrix_one_after_the_other() {
    // The same A twice, then with a register that has changed, then after a branch, where other lanes have run another product.
    let mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r6, %r7, %r8, %r9}";
    let body = format!(
        "ld.global.u32 %r6, [%rd5]; and.b32 %r6, %r6, 0xbfffbfff; mul.lo.u32 %r7, %r6, 77; and.b32 %r7, %r7, 0xbfffbfff; mov.u32 %r8, %r7; mov.u32 %r9, %r6;\n\
         mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.u32 %r10, 0;\n\
         again: {mma}, {{%r6, %r7}}, {{%f1, %f2, %f3, %f4}};\n {mma}, {{%r7, %r8}}, {{%f1, %f2, %f3, %f4}};\n {mma}, {{%r8, %r6}}, {{%f4, %f2, %f3, %f1}};\n\
         xor.b32 %r7, %r7, 0x1000; {mma}, {{%r8, %r8}}, {{%f1, %f2, %f3, %f4}};\n setp.eq.u32 %p2, %r1, %r10; @%p2 xor.b32 %r8, %r8, 0x100; @%p2 bra skip;\n\
         {mma}, {{%r7, %r7}}, {{%f1, %f2, %f3, %f4}}; skip: {mma}, {{%r6, %r6}}, {{%f1, %f2, %f3, %f4}};\n\
         add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra again; add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f1, %f1, %f3; st.global.f32 [%rd4], %f1; ret;"
    );
    for n in [1, 7] {
        Case { target: "sm_80", block: [64, 1, 1], n, ..Case::warp(&body) }.agrees();
    }
}

#[test]
fn nans_of_products_whose_bits_are_seen() {
    // The registers of one product hold bits of other instructions, too, so that its NaNs have to be canonical; those of the next one, of
    // the same A, have sums only. A NaN of a lane is in all sums of its row.
    let mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    let (factor, zero) = ("{%r6, %r7, %r8, %r6}, {%r7, %r6}", "{%f9, %f9, %f9, %f9}");
    for special in ["0x7c017c00", "0xfe007e00", "0x7c00fc00"] {
        let body = format!(
            "ld.global.u32 %r6, [%rd5]; and.b32 %r6, %r6, 0xbfffbfff; mul.lo.u32 %r7, %r6, 77; and.b32 %r7, %r7, 0xbfffbfff; mov.u32 %r8, %r7;\n\
             mov.u32 %r9, %laneid; setp.eq.u32 %p1, %r9, 5; @%p1 mov.u32 %r8, {special}; mov.f32 %f9, 0f00000000; mov.b32 %f5, %r6;\n\
             {mma} {{%f5, %f6, %f7, %f8}}, {factor}, {zero};\n {mma} {{%f1, %f2, %f3, %f4}}, {factor}, {{%f5, %f6, %f7, %f8}};\n\
             {mma} {{%f5, %f6, %f7, %f8}}, {factor}, {{%f1, %f2, %f3, %f4}};\n mov.u32 %r10, 0;\n"
        );
        let hash = |register| format!("mov.b32 %r11, %f{register}; mad.lo.u32 %r10, %r10, 31, %r11;\n");
        let body = body + &(1..=8).map(hash).collect::<String>() + "st.global.u32 [%rd4], %r10; ret;";
        Case { target: "sm_80", ..Case::warp(&body) }.agrees();
    }
}

#[test]
fn a_transposed_matrix() {
    // A lane holds two elements of a row: row `lane / 4`, columns `lane % 4 * 2` and the next (manual 9.7.14.5.17, figure of the matrix).
    let body = "mov.u32 %r6, %laneid; mul.lo.u32 %r7, %r6, 0x20002; add.u32 %r7, %r7, 0x10000; movmatrix.sync.aligned.m8n8.trans.b16 %r8, %r7;\n\
                st.global.u32 [%rd4], %r8; ret;";
    let case = Case::warp(body);
    // The element of row r and column c is 8 * r + c.
    let stored = common::words(&case.interpreted());
    for lane in 0..32u32 {
        let (row, column) = (lane / 4, lane % 4 * 2);
        let element = |row: u32, column: u32| 8 * row + column;
        assert_eq!(stored[lane as usize], element(column, row) | element(column + 1, row) << 16);
    }
    case.agrees();
}

/// The input copied to shared memory, of which matrices are loaded.
const SHARED_MATRICES: &str = ".shared .align 16 .b8 tile[2048]; mov.u32 %r7, %laneid; mov.u32 %r20, tile; mov.u32 %r21, 0;\n\
    fill: mad.lo.u32 %r22, %r21, 128, 0; mad.lo.u32 %r22, %r7, 4, %r22; cvt.u64.u32 %rd8, %r22; add.u64 %rd9, %rd2, %rd8; ld.global.u32 %r23, [%rd9];\n\
    mul.lo.u32 %r23, %r23, 0x9e3779b1; add.u32 %r24, %r20, %r22; st.shared.u32 [%r24], %r23; add.u32 %r21, %r21, 1; setp.lt.u32 %p1, %r21, 16; @%p1 bra fill;\n\
    bar.warp.sync -1; mul.lo.u32 %r25, %r7, 5; and.b32 %r25, %r25, 31; mad.lo.u32 %r26, %r25, 48, %r20;\n";

#[test]
fn matrices_in_shared_memory() {
    // Lines of 16 bytes in an order of their own, 48 bytes apart. The generic address is the same place.
    let store = "mul.wide.u32 %rd6, %r4, 16; add.s64 %rd7, %rd1, %rd6;\n";
    for (target, load, count) in [
        ("sm_80", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r26];", 4),
        ("sm_80", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10, %r11}, [%r26+16];", 2),
        (
            "sm_80",
            "cvt.u64.u32 %rd10, %r26; cvta.shared.u64 %rd10, %rd10; ldmatrix.sync.aligned.m8n8.x1.b16 {%r10}, [%rd10];",
            1,
        ),
        ("sm_100a", "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r10, %r11, %r12, %r13}, [%r26];", 4),
    ] {
        let stores: String =
            (0..count).map(|n| format!("st.global.u32 [%rd7+{}], %r{};\n", 4 * n, 10 + n)).collect();
        let body = format!("{SHARED_MATRICES}{load}\n{store}{stores}ret;");
        Case { target, ..Case::warp(&body) }.agrees();
    }
    for (target, change) in [
        ("sm_90", "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r26], {%r10, %r11, %r12, %r13};"),
        ("sm_90", "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r26+16], {%r10, %r11};"),
        ("sm_100a", "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%r26], {%r10, %r11, %r12, %r13};"),
    ] {
        let body = format!(
            "{SHARED_MATRICES} mul.lo.u32 %r10, %r7, 0x01020305; mul.lo.u32 %r11, %r7, 0x11131719; xor.b32 %r12, %r10, %r11; not.b32 %r13, %r10;\n\
             {change}\n bar.warp.sync -1; mov.u32 %r21, 0;\n\
             read: mad.lo.u32 %r22, %r21, 128, 0; mad.lo.u32 %r22, %r7, 4, %r22; add.u32 %r24, %r20, %r22; ld.shared.u32 %r23, [%r24];\n\
             cvt.u64.u32 %rd8, %r22; add.u64 %rd9, %rd1, %rd8; st.global.u32 [%rd9], %r23; add.u32 %r21, %r21, 1; setp.lt.u32 %p1, %r21, 16; @%p1 bra read; ret;"
        );
        Case { target, ..Case::warp(&body) }.agrees();
    }
}

#[test]
fn fragments_in_memory() {
    let registers = "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";
    let stores: String = (0..8).map(|n| format!("st.global.u32 [%rd7+{}], %r{};\n", 4 * n, 10 + n)).collect();
    let store = format!("mul.wide.u32 %rd6, %r4, 32; add.s64 %rd7, %rd1, %rd6;\n{stores} ret;");
    for load in [
        "wmma.load.a.sync.aligned.row.m16n16k16.global.f16",
        "wmma.load.b.sync.aligned.row.m16n16k16.f16",
        "wmma.load.b.sync.aligned.col.m8n32k16.global.f16",
        "wmma.load.c.sync.aligned.col.m16n16k16.global.f32",
    ] {
        let body = format!("{load} {registers}, [%rd2], 32;\n{store}");
        Case { target: "sm_80", ..Case::warp(&body) }.agrees();
    }
    // A matrix of sums with lines of 20 elements: what of it lanes load again as halves, and what is in shared memory then.
    let sums: String = (0..8)
        .map(|n| format!("mad.lo.u32 %r18, %r7, {}, 77; mov.b32 %f{n}, %r18;\n", 1000 * n + 3))
        .collect();
    for (place, memory) in [("[%rd1]", ".global"), ("[%rd1]", ""), ("[%r20]", ".shared")] {
        for order in ["row", "col"] {
            let body = format!(
                "{SHARED_MATRICES}{sums} wmma.store.d.sync.aligned.{order}.m16n16k16{memory}.f32 {place}, {{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}}, 20;\n\
                 wmma.load.a.sync.aligned.{order}.m16n16k16{memory}.f16 {registers}, {place}, 24; mad.lo.u32 %r24, %r7, 4, %r20;\n\
                 st.global.u32 [%rd4+1408], %r10; st.global.u32 [%rd4+1536], %r17; ld.shared.u32 %r18, [%r24]; st.global.u32 [%rd4+1664], %r18;\n\
                 ld.shared.u32 %r18, [%r24+128]; st.global.u32 [%rd4+1792], %r18; ld.shared.u32 %r18, [%r24+1280]; st.global.u32 [%rd4+1920], %r18; ret;"
            );
            Case { target: "sm_80", ..Case::warp(&body) }.agrees();
        }
    }
}

//! Accesses to multimem addresses (manual 9.7.9.14, 9.7.9.26, 9.7.9.27). Expected values are sums and bit patterns written
//! down by hand: the formats are in the manual's 5.2.3, and where an accumulation rounds decides the results.

use crate::common::execute;
use ptx_diag::SourceFile;
use ptx_exec::{
    Argument, DeviceHeap, ExecError, Image, Launch, LaunchSpec, Limits, Memory, Outcome, Shape, Surroundings,
};

/// Executes lines on one warp. `[%rd0]` is a multimem address of the `places`, `[%rd1]` a buffer of 512 bytes that is given
/// back after them, `%r0` the thread, and `s` shared memory.
fn launch(lines: &str, places: &[Vec<u8>]) -> Result<Outcome, ExecError> {
    let params: String = (0..places.len()).map(|n| format!(".param .u64 b{n}, ")).collect();
    let text = format!(
        ".version 9.1\n.target sm_100a\n.address_size 64\n\
         .visible .entry k({params}.param .u64 out, .param .u64 mc) {{\n\
         .reg .b8 %b<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<2>;\n\
         .shared .align 16 .b8 s[64];\n\
         ld.param.u64 %rd0, [mc];\nld.param.u64 %rd1, [out];\nmov.u32 %r0, %tid.x;\n{lines}\nret;\n}}\n"
    );
    let mut arguments: Vec<Argument> = places.iter().cloned().map(Argument::Buffer).collect();
    arguments.push(Argument::Buffer(vec![0; 512]));
    arguments.push(Argument::Multimem((0..places.len()).collect()));
    execute(&text, &Launch { block: [32, 1, 1], arguments, ..Launch::new("k") })
}

/// What thread 0 has of the places, as so many bytes.
fn loaded(lines: &str, places: &[Vec<u8>], bytes: usize) -> Vec<u8> {
    let outcome = launch(lines, places).unwrap();
    outcome.buffers[places.len()].as_ref().unwrap()[..bytes].to_vec()
}

fn message(result: Result<Outcome, ExecError>) -> String {
    match result {
        Ok(_) => panic!("nothing was wrong"),
        Err(ExecError::Trap(trap)) => trap.to_string(),
        Err(ExecError::Refused(findings)) => findings.iter().next().unwrap().message.clone(),
    }
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn stores_go_to_all_places() {
    let lines = "mad.wide.u32 %rd2, %r0, 4, %rd0;\nadd.u32 %r1, %r0, 100;\nmultimem.st.relaxed.sys.global.u32 [%rd2], %r1;";
    let outcome = launch(lines, &[vec![0; 128], vec![7; 128], vec![9; 128]]).unwrap();
    let wanted = words(&(100..132).collect::<Vec<u32>>());
    for place in 0..3 {
        assert_eq!(outcome.buffers[place].as_ref(), Some(&wanted));
    }
}

#[test]
fn vectors_are_stored_whole() {
    let lines = "mov.b32 %f0, 0f3f800000;\nmov.b32 %f1, 0f40000000;\nsetp.eq.u32 %p0, %r0, 0;\n\
                 @%p0 multimem.st.v4.f32 [%rd0+16], {%f0, %f1, %f0, %f1};";
    let outcome = launch(lines, &[vec![0; 32], vec![0; 32]]).unwrap();
    let (one, two) = (0x3f80_0000, 0x4000_0000);
    for place in 0..2 {
        assert_eq!(outcome.buffers[place], Some(words(&[0, 0, 0, 0, one, two, one, two])));
    }
}

#[test]
fn reductions_count_every_thread_in_every_place() {
    let lines = "multimem.red.add.u32 [%rd0], %r0;\nmultimem.red.max.s32 [%rd0+4], %r0;\nmultimem.red.or.b32 [%rd0+8], 6;";
    let outcome = launch(lines, &[words(&[1, 5, 8]), words(&[1000, 77, 1])]).unwrap();
    // 0 + 1 + ... + 31 is 496.
    assert_eq!(outcome.buffers[0], Some(words(&[497, 31, 14])));
    assert_eq!(outcome.buffers[1], Some(words(&[1496, 77, 7])));
}

#[test]
fn integers_of_all_places_are_combined() {
    let places = [words(&[12, 0xffff_fff0]), words(&[10, 3]), words(&[6, 0x10])];
    for (op, ty, offset, wanted) in [
        ("add", "u32", 0, 28),
        ("min", "u32", 0, 6),
        ("max", "u32", 0, 12),
        ("and", "b32", 0, 0),
        ("or", "b32", 0, 14),
        // 12 ^ 10 ^ 6
        ("xor", "b32", 0, 0),
        // -16, 3, 16
        ("min", "s32", 4, 0xffff_fff0),
        ("max", "s32", 4, 16),
        ("min", "u32", 4, 3),
        ("add", "s32", 4, 3),
    ] {
        let lines = format!(
            "multimem.ld_reduce.acquire.sys.global.{op}.{ty} %r1, [%rd0+{offset}];\nst.global.u32 [%rd1], %r1;"
        );
        assert_eq!(loaded(&lines, &places, 4), words(&[wanted]), "{op}.{ty}");
    }
}

#[test]
fn halves_are_summed_in_their_own_precision_or_in_single() {
    // 2048 and 1 in half precision; between 2048 and 4096 every second number is one, ties go to the even significand.
    let (large, one) = (0x6800_6800u32, 0x3c00_3c00);
    let places = [words(&[large]), words(&[one]), words(&[one])];
    let lines = |precision: &str| {
        format!("multimem.ld_reduce.add{precision}.f16x2 %r1, [%rd0];\nst.global.u32 [%rd1], %r1;")
    };
    assert_eq!(loaded(&lines(""), &places, 4), words(&[0x6800_6800]));
    // 2050
    assert_eq!(loaded(&lines(".acc::f32"), &places, 4), words(&[0x6801_6801]));
}

#[test]
fn bfloats_are_summed_in_their_own_precision_or_in_single() {
    // 256 and 1 as bfloats: between 256 and 512 every second number is one.
    let places = [words(&[0x4380_3f80, 0]), words(&[0x3f80_3f80, 0]), words(&[0x3f80_3f80, 0x3f80_0000])];
    let lines = |precision: &str| {
        format!(
            "multimem.ld_reduce.add{precision}.v2.bf16x2 {{%r1, %r2}}, [%rd0];\nst.global.v2.u32 [%rd1], {{%r1, %r2}};"
        )
    };
    // 3 below; above 256 + 1 + 1 stays 256, or is 258.
    assert_eq!(loaded(&lines(""), &places, 8), words(&[0x4380_4040, 0x3f80_0000]));
    assert_eq!(loaded(&lines(".acc::f32"), &places, 8), words(&[0x4381_4040, 0x3f80_0000]));
}

#[test]
fn bytes_are_summed_in_their_own_precision_or_in_half() {
    // .e4m3: 16 is 0x58 and 18 is 0x59; 1 is 0x38; 448 is 0x7e, the largest.
    let places = [vec![0x58, 0x7e, 0x38, 0xb8], vec![0x38, 0x7e, 0x38, 0x38], vec![0x38, 0x38, 0x38, 0x38]];
    let lines = |precision: &str| {
        format!("multimem.ld_reduce.add{precision}.e4m3x4 %r1, [%rd0];\nst.global.u32 [%rd1], %r1;")
    };
    // 16 + 1 + 1, 448 + 448 + 1, 3 is 0x44, -1 + 1 + 1.
    assert_eq!(loaded(&lines(""), &places, 4), [0x58, 0x7e, 0x44, 0x38]);
    assert_eq!(loaded(&lines(".acc::f16"), &places, 4), [0x59, 0x7e, 0x44, 0x38]);
}

#[test]
fn the_largest_and_the_smallest_bytes_are_found() {
    // .e5m2: 1 is 0x3c, -1 is 0xbc, 0.5 is 0x38, 2 is 0x40, a NaN is 0x7f.
    let places = [vec![0xbc, 0x7f, 0x38, 0x40], vec![0x38, 0x3c, 0xbc, 0x7f]];
    let lines = |op: &str| {
        format!(
            "multimem.ld_reduce.{op}.v2.e5m2x2 {{%h1, %h2}}, [%rd0];\nst.global.v2.u16 [%rd1], {{%h1, %h2}};"
        )
    };
    assert_eq!(loaded(&lines("max"), &places, 4), [0x38, 0x3c, 0x38, 0x40]);
    assert_eq!(loaded(&lines("min"), &places, 4), [0xbc, 0x3c, 0xbc, 0x40]);
    let lines = "multimem.ld_reduce.max.v4.e5m2 {%b0, %b1, %b2, %b3}, [%rd0];\nst.global.v4.b8 [%rd1], {%b0, %b1, %b2, %b3};";
    assert_eq!(loaded(lines, &places, 4), [0x38, 0x3c, 0x38, 0x40]);
}

#[test]
fn single_precision_values_are_summed() {
    let places = [words(&[0x3f80_0000, 1]), words(&[0x4000_0000, 2])];
    let lines = "multimem.ld_reduce.add.v2.f32 {%f1, %f2}, [%rd0];\nst.global.v2.f32 [%rd1], {%f1, %f2};";
    // 1 + 2, and two subnormals, which are kept.
    assert_eq!(loaded(lines, &places, 8), words(&[0x4040_0000, 3]));
}

#[test]
fn bulk_copies_and_reductions_go_to_all_places() {
    let lines = |opcode: &str| {
        format!(
            "mov.u32 %r1, s;\nmad.lo.u32 %r1, %r0, 4, %r1;\nsetp.lt.u32 %p0, %r0, 4;\n@%p0 st.shared.u32 [%r1], %r0;\n\
             fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p0, %r0, 0;\nmov.u32 %r1, s;\n\
             @%p0 multimem.{opcode} [%rd0], [%r1], 16;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
        )
    };
    let places = [words(&[5, 6, 7, 8]), words(&[9, 9, 9, 9])];
    let copied = launch(&lines("cp.async.bulk.global.shared::cta.bulk_group"), &places).unwrap();
    assert_eq!(copied.buffers[0], Some(words(&[0, 1, 2, 3])));
    assert_eq!(copied.buffers[1], Some(words(&[0, 1, 2, 3])));
    let added =
        launch(&lines("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"), &places).unwrap();
    assert_eq!(added.buffers[0], Some(words(&[5, 7, 9, 11])));
    assert_eq!(added.buffers[1], Some(words(&[9, 10, 11, 12])));
}

/// 1, 2 and 3, and the sums and limits of the tests below, as halves and bfloats.
const HALVES: [u32; 4] = [0, 0x3c00, 0x4000, 0x4200];
const BFLOATS: [u32; 4] = [0, 0x3f80, 0x4000, 0x4040];

/// Words of two values each.
fn pairs(values: &[u32]) -> Vec<u8> {
    words(&values.chunks(2).map(|pair| pair[0] | pair[1] << 16).collect::<Vec<u32>>())
}

#[test]
fn every_type_is_stored_to_all_places() {
    let lines = "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra DONE;\n\
        .reg .f64 %d;\nmov.b64 %d, 0x3ff8000000000000;\nmultimem.st.f64 [%rd0], %d;\n\
        mov.b16 %h0, 0x3c00;\nmov.b16 %h1, 0x4000;\nmov.b16 %h2, 0x0102;\n\
        multimem.st.release.sys.global.v2.f16 [%rd0+8], {%h0, %h1};\n\
        multimem.st.v4.bf16 [%rd0+16], {%h0, %h1, %h0, %h0};\n\
        multimem.st.v8.e5m2x2 [%rd0+32], {%h2, %h1, %h2, %h2, %h2, %h2, %h2, %h0};\n\
        mov.b32 %r1, 0x40003c00;\nmov.b32 %r2, 0x04030201;\n\
        multimem.st.f16x2 [%rd0+48], %r1;\nmultimem.st.v2.e4m3x4 [%rd0+56], {%r2, %r1};\n\
        cvt.u8.u32 %b0, %r2;\nmov.u32 %r3, 9;\ncvt.u8.u32 %b1, %r3;\n\
        multimem.st.weak.global.v4.e5m2 [%rd0+64], {%b0, %b1, %b1, %b0};\n\
        multimem.st.v8.e4m3 [%rd0+72], {%b1, %b0, %b0, %b0, %b0, %b0, %b0, %b1};\nDONE:";
    let wanted = words(&[
        0,
        0x3ff8_0000,
        0x4000_3c00,
        0,
        0x4000_3c00,
        0x3c00_3c00,
        0,
        0,
        0x4000_0102,
        0x0102_0102,
        0x0102_0102,
        0x3c00_0102,
        0x4000_3c00,
        0,
        0x0403_0201,
        0x4000_3c00,
        0x0109_0901,
        0,
        0x0101_0109,
        0x0901_0101,
    ]);
    let outcome = launch(lines, &[vec![0; 80], vec![0; 80]]).unwrap();
    assert_eq!(outcome.buffers[0].as_ref(), Some(&wanted));
    assert_eq!(outcome.buffers[1].as_ref(), Some(&wanted));
}

#[test]
fn single_precision_vectors_of_every_length() {
    let bytes = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let (one, other) = ([1.0f32, 2.5, -3.0, 8.0], [0.5f32, -1.0, 16.0, 0.25]);
    let sums: Vec<f32> = one.iter().zip(other).map(|(a, b)| a + b).collect();
    for (vector, count) in [("", 1), (".v2", 2), (".v4", 4)] {
        let names: Vec<String> = (1..=count).map(|n| format!("%f{n}")).collect();
        let list = if count == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) };
        let stores: String =
            (0..count).map(|n| format!("st.global.f32 [%rd1+{}], %f{};\n", 4 * n, n + 1)).collect();
        let lines = format!("multimem.ld_reduce.add{vector}.f32 {list}, [%rd0];\n{stores}");
        let places = [bytes(&one), bytes(&other)];
        assert_eq!(loaded(&lines, &places, 4 * count), bytes(&sums[..count]), "{vector}");
        let moves: String =
            (0..count).map(|n| format!("mov.b32 %f{}, {:#x};\n", n + 1, other[n].to_bits())).collect();
        let head = format!("{moves}setp.ne.u32 %p0, %r0, 0;\n");
        let store = format!("{head}@!%p0 multimem.st{vector}.f32 [%rd0], {list};");
        let added = format!("{head}@!%p0 multimem.red.add{vector}.f32 [%rd0], {list};");
        let left =
            |lines: &str| launch(lines, &places).unwrap().buffers[0].as_ref().unwrap()[..4 * count].to_vec();
        assert_eq!(left(&store), bytes(&other[..count]), "{vector}");
        assert_eq!(left(&added), bytes(&sums[..count]), "{vector}");
    }
}

#[test]
fn double_precision_values_are_summed() {
    // 0.5, 0.25 and -4: every sum of them is exact.
    let places = [0.5f64, 0.25, -4.0].map(|value| value.to_le_bytes().to_vec());
    let lines =
        ".reg .f64 %d;\nmultimem.ld_reduce.relaxed.gpu.global.add.f64 %d, [%rd0];\nst.global.f64 [%rd1], %d;";
    assert_eq!(loaded(lines, &places, 8), (-3.25f64).to_le_bytes());
}

#[test]
fn vectors_of_halves_and_bfloats_are_combined() {
    for (ty, numbers) in [("f16", HALVES), ("bf16", BFLOATS)] {
        let [zero, one, two, three] = numbers;
        let places = [pairs(&[one, two, zero, three]), pairs(&[two, one, zero, zero])];
        for (op, wanted) in [
            ("add", [three, three, zero, three]),
            ("add.acc::f32", [three, three, zero, three]),
            ("min", [one, one, zero, zero]),
            ("max", [two, two, zero, three]),
        ] {
            let lines = format!(
                "multimem.ld_reduce.acquire.sys.{op}.v4.{ty} {{%h0, %h1, %h2, %h3}}, [%rd0];\n\
                 st.global.v4.b16 [%rd1], {{%h0, %h1, %h2, %h3}};"
            );
            assert_eq!(loaded(&lines, &places, 8), pairs(&wanted), "{op}.{ty}");
        }
    }
}

#[test]
fn numbers_are_added_in_every_place() {
    // 32 threads add 0.5 and 2 to numbers of their own in each place.
    let places = [[1.0f32, 8.0, 0.0, -3.0], [-16.0, 0.25, 64.0, 5.0]];
    let bytes = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let lines = "mov.b32 %f0, 0f3f000000;\nmov.b32 %f1, 0f40000000;\n\
        multimem.red.relaxed.sys.global.add.f32 [%rd0], %f0;\nmultimem.red.add.f32 [%rd0+4], %f1;\n\
        multimem.red.add.v2.f32 [%rd0+8], {%f1, %f0};";
    let outcome = launch(lines, &places.map(|place| bytes(&place))).unwrap();
    for (at, [a, b, c, d]) in places.into_iter().enumerate() {
        assert_eq!(outcome.buffers[at], Some(bytes(&[a + 16.0, b + 64.0, c + 64.0, d + 16.0])));
    }
    let lines =
        ".reg .f64 %d;\nmov.b64 %d, 0x3fe0000000000000;\nmultimem.red.release.gpu.add.f64 [%rd0], %d;";
    let outcome = launch(lines, &[1.0f64, -7.0].map(|value| value.to_le_bytes().to_vec())).unwrap();
    assert_eq!(outcome.buffers[0], Some(17.0f64.to_le_bytes().to_vec()));
    assert_eq!(outcome.buffers[1], Some(9.0f64.to_le_bytes().to_vec()));
}

#[test]
fn halves_and_bfloats_are_combined_in_every_place() {
    for (ty, numbers) in [("f16", HALVES), ("bf16", BFLOATS)] {
        let [zero, one, two, three] = numbers;
        // One thread combines 1, 2, 1, 2 with what each place has.
        let before = [[one, one, two, zero], [two, zero, zero, three]];
        let places = before.map(|place| pairs(&place));
        let value = format!(
            "setp.ne.u32 %p0, %r0, 0;\nmov.b16 %h0, {one};\nmov.b16 %h1, {two};\nmov.b32 %r1, {};\n",
            one | two << 16
        );
        for (op, wanted) in [
            ("add", [[two, three, three, two], [three, two, one, 0]]),
            ("min", [[one, one, one, zero], [one, zero, zero, two]]),
            ("max", [[one, two, two, two], [two, two, one, three]]),
        ] {
            // 3 + 2
            let five = if ty == "f16" { 0x4500 } else { 0x40a0 };
            let mut wanted = wanted;
            if op == "add" {
                wanted[1][3] = five;
            }
            let mut forms = vec![
                format!("@!%p0 multimem.red.{op}.v4.{ty} [%rd0], {{%h0, %h1, %h0, %h1}};"),
                format!("@!%p0 multimem.red.relaxed.sys.{op}.v2.{ty}x2 [%rd0], {{%r1, %r1}};"),
            ];
            if op == "add" {
                forms.push(format!(
                    "@!%p0 multimem.red.add.{ty}x2 [%rd0], %r1;\n@!%p0 multimem.red.add.{ty}x2 [%rd0+4], %r1;"
                ));
            }
            for form in forms {
                let outcome = launch(&(value.clone() + &form), &places).unwrap();
                for (place, wanted) in wanted.iter().enumerate() {
                    assert_eq!(outcome.buffers[place], Some(pairs(wanted)), "{form}");
                }
            }
        }
    }
}

#[test]
fn bulk_reductions_of_halves_go_to_all_places() {
    for (ty, numbers) in [("f16", HALVES), ("bf16", BFLOATS)] {
        let [zero, one, two, three] = numbers;
        let before =
            [[one, one, two, zero, one, one, one, one], [two, zero, zero, one, zero, zero, zero, zero]];
        let source = [one | two << 16, one | two << 16, one | one << 16, two | two << 16];
        let stores: String = source
            .iter()
            .enumerate()
            .map(|(n, word)| format!("st.shared.u32 [s+{}], {word};\n", 4 * n))
            .collect();
        for (op, wanted) in [
            (
                "add.noftz",
                [
                    [two, three, three, two, two, two, three, three],
                    [three, two, one, three, one, one, two, two],
                ],
            ),
            (
                "min",
                [[one, one, one, zero, one, one, one, one], [one, zero, zero, one, zero, zero, zero, zero]],
            ),
            ("max", [[one, two, two, two, one, one, two, two], [two, two, one, two, one, one, two, two]]),
        ] {
            let lines = format!(
                "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra DONE;\n{stores}fence.proxy.async;\nmov.u32 %r1, s;\n\
                 multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{ty} [%rd0], [%r1], 16;\n\
                 cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:"
            );
            let outcome = launch(&lines, &before.map(|place| pairs(&place))).unwrap();
            for (place, wanted) in wanted.iter().enumerate() {
                assert_eq!(outcome.buffers[place], Some(pairs(wanted)), "{op}.{ty}");
            }
        }
    }
}

/// The least or greatest of integers in an order, or their sum, or a combination of their bits; of 32 or 64 bits.
fn combined(op: &str, ty: &str, values: &[u64]) -> u64 {
    let signed = |value: u64| if ty == "s32" { i64::from(value as u32 as i32) } else { value as i64 };
    let all = values.iter().copied();
    let sum = match op {
        "add" => all.fold(0, u64::wrapping_add),
        "and" => all.fold(u64::MAX, |a, b| a & b),
        "or" => all.fold(0, |a, b| a | b),
        "xor" => all.fold(0, |a, b| a ^ b),
        "min" if ty.starts_with('s') => all.min_by_key(|&value| signed(value)).unwrap(),
        "max" if ty.starts_with('s') => all.max_by_key(|&value| signed(value)).unwrap(),
        "min" => all.min().unwrap(),
        _ => all.max().unwrap(),
    };
    if ty.ends_with("32") { sum & 0xffff_ffff } else { sum }
}

const INTEGERS: [(&str, &[&str]); 6] = [
    ("b32", &["and", "or", "xor"]),
    ("b64", &["and", "or", "xor"]),
    ("u32", &["add", "min", "max"]),
    ("s32", &["add", "min", "max"]),
    ("u64", &["add", "min", "max"]),
    ("s64", &["min", "max"]),
];

#[test]
fn integers_of_every_type_are_loaded_stored_and_combined() {
    let values = [0x8000_0001_ffff_fffe_u64, 0x0000_0002_7000_0003, 0xffff_fff0_8000_0010];
    for (ty, ops) in INTEGERS {
        let (bits, bytes) = if ty.ends_with("32") { (32, 4) } else { (64, 8) };
        let low = |value: u64| value & (u64::MAX >> (64 - bits));
        let register = if bits == 32 { "%r1" } else { "%rd2" };
        let places = values.map(|value| value.to_le_bytes()[..bytes].to_vec());
        let mine = low(0x1234_5678_9abc_def0);
        let one = format!("setp.ne.u32 %p0, %r0, 0;\nmov.b{bits} {register}, {mine:#x};\n");
        for op in ops {
            let lines = format!(
                "multimem.ld_reduce.{op}.{ty} {register}, [%rd0];\nst.global.b{bits} [%rd1], {register};"
            );
            let wanted = combined(op, ty, &values.map(low)).to_le_bytes();
            assert_eq!(loaded(&lines, &places, bytes), wanted[..bytes], "ld_reduce.{op}.{ty}");
            let lines = format!("{one}@!%p0 multimem.red.{op}.{ty} [%rd0], {register};");
            let outcome = launch(&lines, &places).unwrap();
            for (place, value) in values.into_iter().enumerate() {
                let wanted = combined(op, ty, &[low(value), mine]).to_le_bytes()[..bytes].to_vec();
                assert_eq!(outcome.buffers[place], Some(wanted), "red.{op}.{ty}");
            }
            let stores = format!(
                "{one}@%p0 bra DONE;\nst.shared.b{bits} [s], {register};\nst.shared.b{bits} [s+{bytes}], {register};\n\
                 st.shared.b{bits} [s+{}], {register};\nst.shared.b{bits} [s+{}], {register};\n\
                 fence.proxy.async;\nmov.u32 %r1, s;\n\
                 multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{ty} [%rd0], [%r1], 16;\n\
                 cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:",
                2 * bytes % 16,
                3 * bytes % 16,
            );
            let repeated: Vec<Vec<u8>> = places.iter().map(|place| place.repeat(16 / bytes)).collect();
            let outcome = launch(&stores, &repeated).unwrap();
            for (place, value) in values.into_iter().enumerate() {
                let wanted = combined(op, ty, &[low(value), mine]).to_le_bytes()[..bytes].repeat(16 / bytes);
                assert_eq!(outcome.buffers[place], Some(wanted), "cp.reduce.{op}.{ty}");
            }
        }
        let outcome = launch(&format!("{one}@!%p0 multimem.st.{ty} [%rd0], {register};"), &places).unwrap();
        for place in 0..3 {
            assert_eq!(outcome.buffers[place], Some(mine.to_le_bytes()[..bytes].to_vec()), "st.{ty}");
        }
    }
}

#[test]
fn narrow_values_are_combined_in_every_form() {
    // 1, 2, 4 and 0.5 in both formats of 8 bits; the sums of two of them are exact.
    for (ty, [one, two, four, half, three, six, five]) in [
        ("e4m3", [0x38u8, 0x40, 0x48, 0x30, 0x44, 0x4c, 0x4a]),
        ("e5m2", [0x3c, 0x40, 0x44, 0x38, 0x42, 0x46, 0x45]),
    ] {
        let repeated = |bytes: [u8; 4]| bytes.repeat(4);
        let places = [repeated([one, two, four, half]), repeated([two, four, one, half])];
        for (op, wanted) in [
            ("add", [three, six, five, one]),
            ("add.acc::f16", [three, six, five, one]),
            ("min", [one, two, one, half]),
            ("max", [two, four, four, half]),
        ] {
            let wanted = repeated(wanted);
            for (vector, count, name, bits) in [
                (".v4", 4, ty.to_owned(), 8),
                (".v8", 8, ty.to_owned(), 8),
                (".v2", 2, format!("{ty}x2"), 16),
                (".v4", 4, format!("{ty}x2"), 16),
                (".v8", 8, format!("{ty}x2"), 16),
                ("", 1, format!("{ty}x4"), 32),
                (".v2", 2, format!("{ty}x4"), 32),
                (".v4", 4, format!("{ty}x4"), 32),
            ] {
                let class = match bits {
                    8 => "%b",
                    16 => "%h",
                    _ => "%r",
                };
                let names: Vec<String> = (0..count).map(|n| format!("{class}{n}")).collect();
                let list = if count == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) };
                let mut lines = format!("multimem.ld_reduce.{op}{vector}.{name} {list}, [%rd0];\n");
                for (n, register) in names.iter().enumerate() {
                    lines += &format!("st.global.b{bits} [%rd1+{}], {register};\n", n * bits / 8);
                }
                let bytes = count * bits / 8;
                assert_eq!(loaded(&lines, &places, bytes), wanted[..bytes], "{op}{vector}.{name}");
            }
        }
    }
}

#[test]
fn vectors_of_every_length_are_combined_and_stored() {
    for (ty, numbers) in [("f16", HALVES), ("bf16", BFLOATS)] {
        let [zero, one, two, three] = numbers;
        let places = [pairs(&[one, two, zero, three].repeat(2)), pairs(&[two, one, one, zero].repeat(2))];
        for (op, wanted) in [
            ("add", [three, three, one, three]),
            ("min", [one, one, zero, zero]),
            ("max", [two, two, one, three]),
        ] {
            let wanted = pairs(&wanted.repeat(2));
            for (vector, count, name, bits) in [
                (".v2", 2, ty.to_owned(), 16),
                (".v8", 8, ty.to_owned(), 16),
                ("", 1, format!("{ty}x2"), 32),
                (".v2", 2, format!("{ty}x2"), 32),
                (".v4", 4, format!("{ty}x2"), 32),
            ] {
                let class = if bits == 16 { "%h" } else { "%r" };
                let names: Vec<String> = (1..=count).map(|n| format!("{class}{n}")).collect();
                let list = if count == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) };
                let bytes = count * bits / 8;
                let mut lines = format!("multimem.ld_reduce.{op}{vector}.{name} {list}, [%rd0];\n");
                for (n, register) in names.iter().enumerate() {
                    lines += &format!("st.global.b{bits} [%rd1+{}], {register};\n", n * bits / 8);
                }
                assert_eq!(loaded(&lines, &places, bytes), wanted[..bytes], "{op}{vector}.{name}");
                if vector.is_empty() && op != "add" {
                    continue;
                }
                // What the second place has is combined with the first, and stored to both.
                let mut lines = "setp.ne.u32 %p0, %r0, 0;\n".to_owned();
                for (n, register) in names.iter().enumerate() {
                    let at = n * bits / 8;
                    let value = places[1][at..at + bits / 8]
                        .iter()
                        .rev()
                        .fold(0u32, |all, &b| all << 8 | u32::from(b));
                    lines += &format!("mov.b{bits} {register}, {value:#x};\n");
                }
                let combine = format!("{lines}@!%p0 multimem.red.{op}{vector}.{name} [%rd0], {list};");
                let outcome = launch(&combine, &places).unwrap();
                assert_eq!(outcome.buffers[0].as_ref().unwrap()[..bytes], wanted[..bytes], "{combine}");
                let store = format!("{lines}@!%p0 multimem.st{vector}.{name} [%rd0], {list};");
                let outcome = launch(&store, &places).unwrap();
                assert_eq!(outcome.buffers[0].as_ref().unwrap()[..bytes], places[1][..bytes], "{store}");
            }
        }
    }
}

#[test]
fn addresses_are_of_one_kind() {
    let places = [vec![0; 16], vec![0; 16]];
    let text = message(launch("multimem.red.add.u32 [%rd1], %r0;", &places));
    assert!(text.contains("is not a multimem address"), "{text}");
    let text = message(launch("ld.global.u32 %r1, [%rd0];", &places));
    assert!(text.contains("out of bounds"), "{text}");
    let text = message(launch("multimem.st.u32 [%rd0+16], %r0;", &places));
    assert!(text.contains("out of bounds"), "{text}");
    let text = message(launch("multimem.st.v2.f32 [%rd0+4], {%f0, %f1};", &places));
    assert!(text.contains("not aligned to 8 bytes"), "{text}");
    let text = message(launch("", &[vec![0; 16], vec![0; 8]]));
    assert!(text.contains("is a multimem address of what are not buffers of one size"), "{text}");
}

#[test]
fn memory_that_outlives_launches_has_multimem_addresses() {
    let source = SourceFile::new(
        "multimem.ptx",
        ".version 9.1\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 mc) {\n\
         .reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd0, [mc];\nmultimem.red.add.u32 [%rd0], 5;\n\
         multimem.ld_reduce.add.u32 %r0, [%rd0];\nmultimem.st.u32 [%rd0+4], %r0;\nret;\n}\n",
    );
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}");
    let (verified, _) = ptx_verify::verify(&module).unwrap();
    let memory = Memory::new();
    let surroundings =
        Surroundings { memory: memory.clone(), heap: DeviceHeap::default(), limits: Limits::default() };
    let image = Image::new(verified, surroundings).unwrap();
    let places = [memory.allocate(16).unwrap(), memory.allocate(8).unwrap()];
    let address = memory.multicast(&[places[0] + 8, places[1]], 8).unwrap();
    for _ in 0..2 {
        let report =
            image.kernel("k").unwrap().launch(LaunchSpec::new(Shape::default(), address.to_le_bytes()));
        report.result.unwrap();
    }
    // After the second launch each place holds 10, and so their sum.
    let mut bytes = [0; 16];
    memory.read(places[0], &mut bytes).unwrap();
    assert_eq!(bytes.to_vec(), words(&[0, 0, 10, 20]));
    memory.read(places[1], &mut bytes[..8]).unwrap();
    assert_eq!(bytes[..8].to_vec(), words(&[10, 20]));
    let error = memory.multicast(&[places[0] + 8, places[1]], 16).unwrap_err();
    assert!(error.to_string().contains("out of bounds"), "{error}");
}

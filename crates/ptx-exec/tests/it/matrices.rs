//! Matrix instructions against products computed element by element; which lane holds which element is written here as
//! the manual writes it for each shape (9.7.14.5.2 ff.).

use ptx_exec::Argument;

use crate::common::{Type, launch_warp, spread};

/// The row and column of element `i` of a lane, from the lane's group and its place in it.
type Held = fn(group: usize, place: usize, i: usize) -> (usize, usize);

struct Matrix {
    kind: Type,
    /// Elements that a lane holds.
    elements: usize,
    held: Held,
}

impl Matrix {
    fn registers(&self) -> usize {
        (self.elements * self.kind.bits()).div_ceil(32).min(self.elements)
    }

    fn register_bytes(&self) -> usize {
        if self.kind == Type::F64 { 8 } else { 4 }
    }

    /// The bytes of all lanes' registers, lane after lane.
    fn spread(&self, value: impl Fn(usize, usize) -> i64) -> Vec<u8> {
        spread(self.kind.bits(), self.elements, |lane, i| {
            let (row, column) = (self.held)(lane / 4, lane % 4, i);
            self.kind.encode(value(row, column))
        })
    }
}

fn launch(text: &str, arguments: Vec<Argument>) -> Vec<Option<Vec<u8>>> {
    let target = if text.contains("kind::") { "sm_120a" } else { "sm_90" };
    launch_warp("8.7", target, text, arguments).unwrap()
}

fn register(ty: Type) -> &'static str {
    match ty {
        Type::F64 => "f64",
        Type::F32 => "f32",
        _ => "b32",
    }
}

fn check(mnemonic: &str, k: usize, a: Matrix, b: Matrix, c: Matrix) {
    let is_bits = a.kind == Type::B1;
    let low = if a.kind.is_unsigned() { 0 } else { -3 };
    let a_value = |row: usize, column: usize| match is_bits {
        true => ((row * 5 + column * 3 + row * column) % 7 % 2) as i64,
        false => low + ((row * 5 + column * 3) % 7) as i64,
    };
    let b_low = if b.kind.is_unsigned() { 0 } else { -2 };
    let b_value = |row: usize, column: usize| match is_bits {
        true => ((row * 3 + column * 11 + row * column) % 5 % 2) as i64,
        false => b_low + ((row * 3 + column * 11 + 1) % 5) as i64,
    };
    let c_value = |row: usize, column: usize| (row * 8 + column) as i64 - 60;
    let join = |a: i64, b: i64| match (is_bits, mnemonic.contains(".xor.")) {
        (true, true) => a ^ b,
        (true, false) => a & b,
        (false, _) => a * b,
    };
    let product = |row: usize, column: usize| {
        (0..k).map(|depth| join(a_value(row, depth), b_value(depth, column))).sum::<i64>()
            + c_value(row, column)
    };
    let parts = [("a", &a), ("b", &b), ("c", &c)];
    let mut text = String::from(
        ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc) {\n.reg .b32 %t; .reg .b64 %p<9>;\nmov.u32 %t, %tid.x;\n",
    );
    for (at, (name, matrix)) in parts.iter().enumerate() {
        let (count, ty, bytes) = (matrix.registers(), register(matrix.kind), matrix.register_bytes());
        text += &format!(".reg .{ty} %{name}<8>;\nld.param.u64 %p{at}, [p{name}];\n");
        text += &format!("mad.wide.u32 %p{at}, %t, {}, %p{at};\n", count * bytes);
        (0..count).for_each(|n| text += &format!("ld.global.{ty} %{name}{n}, [%p{at}+{}];\n", n * bytes));
    }
    let list = |name: &str, count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("%{name}{n}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let [la, lb, lc] = parts.map(|(name, matrix)| list(name, matrix.registers()));
    text += &format!("{mnemonic} {lc}, {la}, {lb}, {lc};\n");
    for n in 0..c.registers() {
        text += &format!("st.global.{} [%p2+{}], %c{n};\n", register(c.kind), n * c.register_bytes());
    }
    text += "ret;\n}\n";
    let arguments = vec![
        Argument::Buffer(a.spread(a_value)),
        Argument::Buffer(b.spread(b_value)),
        Argument::Buffer(c.spread(c_value)),
    ];
    let buffers = launch(&text, arguments);
    assert_eq!(buffers[2].as_deref(), Some(c.spread(product).as_slice()), "{mnemonic}");
}

const fn matrix(kind: Type, elements: usize, held: Held) -> Matrix {
    Matrix { kind, elements, held }
}

#[test]
fn double_precision() {
    check(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        4,
        matrix(Type::F64, 1, |group, place, _| (group, place)),
        matrix(Type::F64, 1, |group, place, _| (place, group)),
        matrix(Type::F64, 2, |group, place, i| (group, place * 2 + (i & 1))),
    );
}

const C16: Held = |group, place, i| (if i < 2 { group } else { group + 8 }, place * 2 + (i & 1));

#[test]
fn tf32_in_the_small_shape() {
    check(
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
        4,
        matrix(Type::Tf32, 2, |group, place, i| (if i == 0 { group } else { group + 8 }, place)),
        matrix(Type::Tf32, 1, |group, place, _| (place, group)),
        matrix(Type::Tf32, 4, C16),
    );
}

#[test]
fn halves_with_half_sums() {
    check(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
        8,
        matrix(Type::F16, 4, |group, place, i| (if i < 2 { group } else { group + 8 }, place * 2 + (i & 1))),
        matrix(Type::F16, 2, |group, place, i| (place * 2 + i, group)),
        matrix(Type::F16, 4, C16),
    );
    check(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        16,
        matrix(Type::F16, 8, |group, place, i| {
            let row = if matches!(i, 0 | 1 | 4 | 5) { group } else { group + 8 };
            (row, if i < 4 { place * 2 + (i & 1) } else { place * 2 + (i & 1) + 8 })
        }),
        matrix(Type::F16, 4, |group, place, i| (place * 2 + (i & 1) + if i < 2 { 0 } else { 8 }, group)),
        matrix(Type::F16, 4, C16),
    );
}

#[test]
fn bytes_of_both_signs() {
    check(
        "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32",
        16,
        matrix(Type::U8, 4, |group, place, i| (group, place * 4 + i)),
        matrix(Type::S8, 4, |group, place, i| (place * 4 + i, group)),
        matrix(Type::S32, 2, |group, place, i| (group, place * 2 + i)),
    );
    check(
        "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.u8.s32",
        16,
        matrix(Type::S8, 8, |group, place, i| (if i < 4 { group } else { group + 8 }, place * 4 + (i & 3))),
        matrix(Type::U8, 4, |group, place, i| (place * 4 + i, group)),
        matrix(Type::S32, 4, C16),
    );
    check(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
        32,
        matrix(Type::S8, 16, |group, place, i| {
            let row = if i < 4 || (8..12).contains(&i) { group } else { group + 8 };
            (row, place * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
        }),
        matrix(Type::S8, 8, |group, place, i| (place * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, group)),
        matrix(Type::S32, 4, C16),
    );
}

#[test]
fn double_precision_in_larger_shapes() {
    let a =
        |elements| matrix(Type::F64, elements, |group, place, i| (group + 8 * (i % 2), place + 4 * (i / 2)));
    let b = |elements| matrix(Type::F64, elements, |group, place, i| (place + 4 * i, group));
    for k in [4, 8, 16] {
        let mnemonic = format!("mma.sync.aligned.m16n8k{k}.row.col.f64.f64.f64.f64");
        check(&mnemonic, k, a(k / 2), b(k / 4), matrix(Type::F64, 4, C16));
    }
}

#[test]
fn nibbles_of_both_signs() {
    for (a, b) in [(Type::U4, Type::S4), (Type::S4, Type::U4), (Type::S4, Type::S4)] {
        let name = |kind| if kind == Type::U4 { "u4" } else { "s4" };
        let types = format!("s32.{}.{}.s32", name(a), name(b));
        check(
            &format!("mma.sync.aligned.m8n8k32.row.col.{types}"),
            32,
            matrix(a, 8, |group, place, i| (group, place * 8 + i)),
            matrix(b, 8, |group, place, i| (place * 8 + i, group)),
            matrix(Type::S32, 2, |group, place, i| (group, place * 2 + i)),
        );
        check(
            &format!("mma.sync.aligned.m16n8k32.row.col.satfinite.{types}"),
            32,
            matrix(a, 16, |group, place, i| (if i < 8 { group } else { group + 8 }, place * 8 + (i & 7))),
            matrix(b, 8, |group, place, i| (place * 8 + i, group)),
            matrix(Type::S32, 4, C16),
        );
        check(
            &format!("mma.sync.aligned.m16n8k64.row.col.{types}"),
            64,
            matrix(a, 32, |group, place, i| {
                let row = if i < 8 || (16..24).contains(&i) { group } else { group + 8 };
                (row, place * 8 + (i & 7) + if i < 16 { 0 } else { 32 })
            }),
            matrix(b, 16, |group, place, i| (place * 8 + (i & 7) + if i < 8 { 0 } else { 32 }, group)),
            matrix(Type::S32, 4, C16),
        );
    }
}

#[test]
fn bits_are_counted() {
    for join in ["xor", "and"] {
        check(
            &format!("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{join}.popc"),
            128,
            matrix(Type::B1, 32, |group, place, i| (group, place * 32 + i)),
            matrix(Type::B1, 32, |group, place, i| (place * 32 + i, group)),
            matrix(Type::S32, 2, |group, place, i| (group, place * 2 + i)),
        );
        check(
            &format!("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.{join}.popc"),
            128,
            matrix(Type::B1, 64, |group, place, i| {
                (if i < 32 { group } else { group + 8 }, place * 32 + (i & 31))
            }),
            matrix(Type::B1, 32, |group, place, i| (place * 32 + i, group)),
            matrix(Type::S32, 4, C16),
        );
        check(
            &format!("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.{join}.popc"),
            256,
            matrix(Type::B1, 128, |group, place, i| {
                let row = if i < 32 || (64..96).contains(&i) { group } else { group + 8 };
                (row, place * 32 + (i & 31) + if i < 64 { 0 } else { 128 })
            }),
            matrix(Type::B1, 64, |group, place, i| {
                (place * 32 + (i & 31) + if i < 32 { 0 } else { 128 }, group)
            }),
            matrix(Type::S32, 4, C16),
        );
    }
}

#[test]
fn halves_and_bfloats_with_single_sums() {
    let a = |kind| {
        matrix(kind, 4, |group, place, i| (if i < 2 { group } else { group + 8 }, place * 2 + (i & 1)))
    };
    let b = |kind| matrix(kind, 2, |group, place, i| (place * 2 + i, group));
    for kind in [Type::F16, Type::Bf16] {
        let name = kind.name();
        let mnemonic = format!("mma.sync.aligned.m16n8k8.row.col.f32.{name}.{name}.f32");
        check(&mnemonic, 8, a(kind), b(kind), matrix(Type::F32, 4, C16));
    }
}

#[test]
fn bytes_of_floating_point_in_the_small_shape() {
    // As bytes of integers lie: four neighbours of a row in a register, four of a column.
    for (a, b) in [(Type::E4m3, Type::E5m2), (Type::E5m2, Type::E4m3), (Type::E4m3, Type::E4m3)] {
        for sum in [Type::F32, Type::F16] {
            for kind in ["", ".kind::f8f6f4"] {
                let (of_a, of_b, of_sum) = (a.name(), b.name(), sum.name());
                check(
                    &format!("mma.sync.aligned.m16n8k16.row.col{kind}.{of_sum}.{of_a}.{of_b}.{of_sum}"),
                    16,
                    matrix(a, 8, |group, place, i| {
                        (if i < 4 { group } else { group + 8 }, place * 4 + (i & 3))
                    }),
                    matrix(b, 4, |group, place, i| (place * 4 + i, group)),
                    matrix(sum, 4, C16),
                );
            }
        }
    }
}

#[test]
fn sums_of_doubles_are_rounded_as_asked() {
    // 1 + 2^-30 * 2^-30, one term of the four.
    for (rounding, expected) in [
        (".rn", 0x3ff0_0000_0000_0000_u64),
        (".rz", 0x3ff0_0000_0000_0000),
        (".rm", 0x3ff0_0000_0000_0000),
        (".rp", 0x3ff0_0000_0000_0001),
    ] {
        let text = format!(
            ".visible .entry k(.param .u64 p) {{ .reg .b64 %p; .reg .f64 %a, %b, %c<2>; .reg .pred %q; .reg .b32 %t;
                ld.param.u64 %p, [p];
                mov.f64 %a, 0d3e10000000000000; mov.f64 %c0, 0d3ff0000000000000; mov.f64 %c1, %c0;
                mov.u32 %t, %tid.x; mad.wide.u32 %p, %t, 16, %p; and.b32 %t, %t, 3; setp.eq.u32 %q, %t, 0;
                selp.f64 %b, %a, 0d0000000000000000, %q;
                mma.sync.aligned.m8n8k4.row.col{rounding}.f64.f64.f64.f64 {{%c0, %c1}}, {{%b}}, {{%a}}, {{%c0, %c1}};
                st.global.v2.f64 [%p], {{%c0, %c1}};
                ret; }}"
        );
        let buffers = launch(&text, vec![Argument::Buffer(vec![0; 512])]);
        assert_eq!(buffers[0], Some(expected.to_le_bytes().repeat(64)), "{rounding}");
    }
}

#[test]
fn narrow_floating_point_values() {
    let narrow = [
        (Type::E4m3, "e4m3"),
        (Type::E5m2, "e5m2"),
        (Type::E3m2, "e3m2"),
        (Type::E2m3, "e2m3"),
        (Type::E2m1, "e2m1"),
    ];
    for (a, of_a) in narrow {
        for (b, of_b) in narrow {
            let kind = if of_a.starts_with("e3")
                || of_a.starts_with("e2")
                || of_b.starts_with("e3")
                || of_b.starts_with("e2")
            {
                ".kind::f8f6f4"
            } else {
                ""
            };
            for (sum, name) in [(Type::F32, "f32"), (Type::F16, "f16")] {
                check(
                    &format!("mma.sync.aligned.m16n8k32.row.col{kind}.{name}.{of_a}.{of_b}.{name}"),
                    32,
                    matrix(a, 16, |group, place, i| {
                        let row = if i < 4 || (8..12).contains(&i) { group } else { group + 8 };
                        (row, place * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
                    }),
                    matrix(b, 8, |group, place, i| (place * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, group)),
                    matrix(sum, 4, C16),
                );
            }
        }
    }
}

/// Where the lane of a group and place is in its product: four lanes, and the four that are sixteen above
/// (9.7.14.5.1). The rows and columns of product `n` are counted from `8 n`.
const fn of_quads(group: usize) -> (usize, usize) {
    (group % 4 * 8, group / 4 * 4)
}

#[test]
fn four_products_of_quads() {
    let a = |layout| match layout {
        "row" => matrix(Type::F16, 4, |group, place, i| {
            let (first, half) = of_quads(group);
            (first + place + half, i)
        }),
        _ => matrix(Type::F16, 4, |group, place, i| {
            let (first, half) = of_quads(group);
            (first + i + half, place)
        }),
    };
    let b = |layout| match layout {
        "row" => matrix(Type::F16, 4, |group, place, i| {
            let (first, half) = of_quads(group);
            (place, first + i + half)
        }),
        _ => matrix(Type::F16, 4, |group, place, i| {
            let (first, half) = of_quads(group);
            (i, first + place + half)
        }),
    };
    for of_a in ["row", "col"] {
        for of_b in ["row", "col"] {
            check(
                &format!("mma.sync.aligned.m8n8k4.{of_a}.{of_b}.f16.f16.f16.f16"),
                4,
                a(of_a),
                b(of_b),
                matrix(Type::F16, 8, |group, place, i| {
                    let (first, half) = of_quads(group);
                    (first + place + half, first + i)
                }),
            );
            check(
                &format!("mma.sync.aligned.m8n8k4.{of_a}.{of_b}.f32.f16.f16.f32"),
                4,
                a(of_a),
                b(of_b),
                matrix(Type::F32, 8, |group, place, i| {
                    let (first, half) = of_quads(group);
                    // `%laneid & 1` and `%laneid & 2` are those of the place.
                    (first + (place & 1) + (i & 2) + half, first + (i & 4) + (place & 2) + (i & 1))
                }),
            );
        }
    }
}

#[test]
fn sums_saturate_only_when_asked() {
    let run = |mnemonic: &str| {
        let text = format!(
            ".visible .entry k(.param .u64 p) {{
                .reg .b32 %r<4>; .reg .b32 %d<2>; .reg .b64 %rd<3>;
                ld.param.u64 %rd1, [p];
                mov.u32 %r1, 0x7f7f7f7f; mov.u32 %r2, 0x7fffffff; mov.u32 %r3, 0;
                {mnemonic} {{%d0, %d1}}, {{%r1}}, {{%r1}}, {{%r2, %r3}};
                st.global.v2.u32 [%rd1], {{%d0, %d1}};
                ret; }}"
        );
        launch(&text, vec![Argument::Buffer(vec![0; 8])])[0].clone().unwrap()
    };
    // 16 * 127 * 127 = 258064 more than the largest integer.
    let words = |low: u32, high: u32| [low.to_le_bytes(), high.to_le_bytes()].concat();
    assert_eq!(run("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"), words(0x7fff_ffff + 258_064, 258_064));
    assert_eq!(run("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32"), words(0x7fff_ffff, 258_064));
}

#[test]
fn registers_are_transposed() {
    let text = ".visible .entry k(.param .u64 p) {
        .reg .b32 %r<4>; .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;
        mad.wide.u32 %rd1, %r1, 4, %rd1;
        ld.global.u32 %r2, [%rd1];
        movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r2;
        st.global.u32 [%rd1], %r3;
        ret; }";
    // Lane l holds elements 2 (l mod 4) and the next of row l / 4 (9.7.14.5.17), so memory is the matrix row by row.
    let plain: Vec<u8> = (0..64u16).flat_map(u16::to_le_bytes).collect();
    let transposed: Vec<u8> = (0..64u16).map(|at| at % 8 * 8 + at / 8).flat_map(u16::to_le_bytes).collect();
    assert_eq!(launch(text, vec![Argument::Buffer(plain)]), [Some(transposed)]);
}

#[test]
fn stored_matrices_lie_row_by_row() {
    for (suffix, transposed) in [("", false), (".trans", true)] {
        let text = format!(
            ".visible .entry k(.param .u64 p) {{
            .shared .align 16 .b8 s[256];
            .reg .b32 %r<9>; .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x;
            mad.wide.u32 %rd2, %r1, 8, %rd1;
            // Element numbers 2 l and 2 l + 1 of two matrices, the second one's from 64 on.
            shl.b32 %r2, %r1, 1;
            add.u32 %r3, %r2, 1;
            mov.b32 %r4, s;
            prmt.b32 %r5, %r2, %r3, 0x5410;
            add.u32 %r6, %r5, 0x00400040;
            and.b32 %r7, %r1, 15;
            mad.lo.u32 %r8, %r7, 16, %r4;
            stmatrix.sync.aligned.m8n8.x2{suffix}.shared.b16 [%r8], {{%r5, %r6}};
            bar.warp.sync 0xffffffff;
            mad.lo.u32 %r8, %r1, 8, %r4;
            ld.shared.v2.u32 {{%r5, %r6}}, [%r8];
            st.global.v2.u32 [%rd2], {{%r5, %r6}};
            ret; }}"
        );
        let stored = launch(&text, vec![Argument::Buffer(vec![0; 256])]);
        let place = |at: u16| if transposed { at % 8 * 8 + at / 8 } else { at };
        let expected: Vec<u8> =
            (0..128u16).map(|at| at / 64 * 64 + place(at % 64)).flat_map(u16::to_le_bytes).collect();
        assert_eq!(stored[0].as_deref(), Some(expected.as_slice()), "{suffix}");
    }
}

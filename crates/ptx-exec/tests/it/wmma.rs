//! `wmma` from memory to memory, against products computed element by element (manual 9.7.14.4). Values are small, so that
//! every product and every sum is exact in every type, in any order of the sum.

use ptx_exec::{Argument, ExecError, TrapKind};

use crate::common::{Ran, Type, launch_warp, texts_of};
use ptx_isa::{MatrixSem, Opcode, Sem};

/// Registers of a fragment, as the tables of 9.7.14.4.1 have them, and their type.
fn registers(ty: Type, elements: usize, is_factor: bool) -> (usize, &'static str) {
    match ty {
        Type::F16 if is_factor => (8, "b32"),
        Type::F64 => (elements / 32, "f64"),
        Type::F32 => (elements / 32, "f32"),
        _ => (elements * ty.bits() / 32 / 32, "b32"),
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Layout {
    Row,
    Col,
}

impl Layout {
    fn name(self) -> &'static str {
        if self == Layout::Row { "row" } else { "col" }
    }
}

/// A matrix in memory.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    ty: Type,
    rows: usize,
    columns: usize,
    layout: Layout,
    /// Elements between rows or columns that the stride adds.
    gap: usize,
}

impl Matrix {
    fn stride(&self) -> usize {
        self.gap + if self.layout == Layout::Row { self.columns } else { self.rows }
    }

    fn bytes(&self) -> usize {
        let pieces = if self.layout == Layout::Row { self.rows } else { self.columns };
        pieces * self.stride() * self.ty.bits() / 8
    }

    /// The memory that holds the matrix; what lies between rows or columns is all ones.
    fn in_memory(&self, value: impl Fn(usize, usize) -> i64) -> Vec<u8> {
        let mut memory = vec![0xff; self.bytes()];
        for row in 0..self.rows {
            for column in 0..self.columns {
                let number = match self.layout {
                    Layout::Row => row * self.stride() + column,
                    Layout::Col => column * self.stride() + row,
                };
                let raw = self.ty.encode(value(row, column));
                for bit in 0..self.ty.bits() {
                    let at = number * self.ty.bits() + bit;
                    memory[at / 8] &= !(1 << (at % 8));
                    memory[at / 8] |= ((raw >> bit & 1) as u8) << (at % 8);
                }
            }
        }
        memory
    }

    /// `, stride` where there is one.
    fn stride_operand(&self) -> String {
        if self.gap == 0 { String::new() } else { format!(", {}", self.stride()) }
    }
}

/// What a multiplication is, beside its matrices.
#[derive(Clone, Copy)]
struct Multiplication {
    size: (usize, usize, usize),
    a: Type,
    b: Type,
    c: Type,
    d: Type,
    /// What follows `.mma`, of bits.
    join: &'static str,
    suffix: &'static str,
}

impl Multiplication {
    fn new(size: (usize, usize, usize), a: Type, c: Type) -> Self {
        Self { size, a, b: a, c, d: c, join: "", suffix: "" }
    }

    /// The types as the mnemonic has them: of halves the factors have none.
    fn types(&self) -> String {
        let (a, b, c, d) = (self.a.name(), self.b.name(), self.c.name(), self.d.name());
        if self.a == Type::F16 { format!("{d}.{c}") } else { format!("{d}.{a}.{b}.{c}") }
    }

    fn joined(&self, a: i64, b: i64) -> i64 {
        match self.join {
            ".xor.popc" => a ^ b,
            ".and.popc" => a & b,
            _ => a * b,
        }
    }
}

fn launch(text: &str, arguments: Vec<Argument>) -> Result<Vec<Option<Vec<u8>>>, ExecError> {
    launch_warp("8.0", "sm_90", text, arguments)
}

static RAN: Ran = Ran::new();

fn check(multiplication: &Multiplication, layouts: [Layout; 4], gap: usize) {
    check_as(multiplication, layouts, gap, true);
}

/// The same with or without `.aligned`, which PTX 6.2 does not ask for. Halves have `.satfinite` until PTX 6.4.
fn check_as(multiplication: &Multiplication, layouts: [Layout; 4], gap: usize, is_aligned: bool) {
    let (m, n, k) = multiplication.size;
    let matrix = |at: usize, ty, rows, columns| Matrix { ty, rows, columns, layout: layouts[at], gap };
    let (a, b) = (matrix(0, multiplication.a, m, k), matrix(1, multiplication.b, k, n));
    let (c, d) = (matrix(2, multiplication.c, m, n), matrix(3, multiplication.d, m, n));
    let value = |ty: Type, row: usize, column: usize, step: usize| match ty {
        Type::B1 => ((row * 3 + column * step + row * column) % 5 % 2) as i64,
        ty => ((row * 5 + column * step) % 7) as i64 - if ty.is_unsigned() { 0 } else { 3 },
    };
    let a_value = |row, column| value(multiplication.a, row, column, 3);
    let b_value = |row, column| value(multiplication.b, row, column, 2);
    let c_value = |row, column| (row * 3 + column) as i64 % 64 - 20;
    let product = |row: usize, column: usize| {
        let terms = (0..k).map(|at| multiplication.joined(a_value(row, at), b_value(at, column)));
        terms.sum::<i64>() + c_value(row, column)
    };
    let shape = format!("m{m}n{n}k{k}");
    let mut text = ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {\n\
                    .reg .b64 %p<4>;\n"
        .to_owned();
    let mut fragments = Vec::new();
    for (at, (name, matrix, is_factor)) in
        [("a", a, true), ("b", b, true), ("c", c, false), ("d", d, false)].into_iter().enumerate()
    {
        let (count, register) = registers(matrix.ty, matrix.rows * matrix.columns, is_factor);
        let names: Vec<String> = (0..count).map(|number| format!("%{name}{number}")).collect();
        fragments.push(format!("{{{}}}", names.join(", ")));
        text += &format!(".reg .{register} %{name}<{count}>;\nld.param.u64 %p{at}, [p{name}];\n");
        if name != "d" {
            text += &format!(
                "wmma.load.{name}.sync.aligned.{}.{shape}.global.{} {}, [%p{at}]{};\n",
                matrix.layout.name(),
                matrix.ty.name(),
                fragments[at],
                matrix.stride_operand()
            );
        }
    }
    let mnemonic = format!(
        "wmma.mma{}.sync.aligned.{}.{}.{shape}.{}{}",
        multiplication.join,
        a.layout.name(),
        b.layout.name(),
        multiplication.types(),
        multiplication.suffix
    );
    text += &format!("{mnemonic} {}, {}, {}, {};\n", fragments[3], fragments[0], fragments[1], fragments[2]);
    text += &format!(
        "wmma.store.d.sync.aligned.{}.{shape}.{} [%p3], {}{};\nret;\n}}\n",
        d.layout.name(),
        d.ty.name(),
        fragments[3],
        d.stride_operand()
    );
    let arguments = vec![
        Argument::Buffer(a.in_memory(a_value)),
        Argument::Buffer(b.in_memory(b_value)),
        Argument::Buffer(c.in_memory(c_value)),
        Argument::Buffer(vec![0xff; d.bytes()]),
    ];
    let left = match is_aligned {
        true if multiplication.a == Type::F16 && !multiplication.suffix.is_empty() => {
            launch_warp("6.4", "sm_70", &text, arguments)
        }
        true => launch(&text, arguments),
        false => launch_warp("6.2", "sm_70", &text.replace(".sync.aligned", ".sync"), arguments),
    };
    let unaligned = || mnemonic.replace(".sync.aligned", ".sync");
    RAN.note(&if is_aligned { mnemonic.clone() } else { unaligned() });
    let buffers = left.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(buffers[3].as_deref(), Some(d.in_memory(product).as_slice()), "{mnemonic} {layouts:?} {gap}");
}

/// Every combination of the layouts that the shape allows, with the default stride and with a larger one.
fn check_all(multiplication: &Multiplication, gap: usize) {
    const BOTH: &[Layout] = &[Layout::Row, Layout::Col];
    let is_narrow = multiplication.a.bits() < 8;
    let of_a = if is_narrow { &BOTH[..1] } else { BOTH };
    let of_b = if is_narrow { &BOTH[1..] } else { BOTH };
    for &a in of_a {
        for &b in of_b {
            for (c, d) in [(Layout::Row, Layout::Row), (Layout::Col, Layout::Row), (Layout::Row, Layout::Col)]
            {
                check(multiplication, [a, b, c, d], 0);
                check(multiplication, [a, b, c, d], gap);
            }
        }
    }
}

const K16: [(usize, usize, usize); 3] = [(16, 16, 16), (8, 32, 16), (32, 8, 16)];

#[test]
fn halves_before_aligned_was_asked_for() {
    const LAYOUTS: [Layout; 2] = [Layout::Row, Layout::Col];
    for size in K16 {
        for (c, d) in
            [(Type::F16, Type::F16), (Type::F32, Type::F32), (Type::F16, Type::F32), (Type::F32, Type::F16)]
        {
            let multiplication = Multiplication { d, ..Multiplication::new(size, Type::F16, c) };
            for (a, b) in LAYOUTS.into_iter().flat_map(|a| LAYOUTS.map(|b| (a, b))) {
                check_as(&multiplication, [a, b, b, a], 8, false);
                check_as(&Multiplication { suffix: ".satfinite", ..multiplication }, [a, b, b, a], 8, false);
            }
        }
    }
}

#[test]
fn halves_that_are_clamped_where_they_are_finite() {
    for size in K16 {
        for (c, d) in
            [(Type::F16, Type::F16), (Type::F32, Type::F32), (Type::F16, Type::F32), (Type::F32, Type::F16)]
        {
            let multiplication = Multiplication { d, ..Multiplication::new(size, Type::F16, c) };
            check_all(&Multiplication { suffix: ".satfinite", ..multiplication }, 8);
        }
    }
}

#[test]
fn halves() {
    for size in K16 {
        for (c, d) in
            [(Type::F16, Type::F16), (Type::F32, Type::F32), (Type::F16, Type::F32), (Type::F32, Type::F16)]
        {
            check_all(&Multiplication { d, ..Multiplication::new(size, Type::F16, c) }, 8);
        }
    }
}

#[test]
fn bfloats_and_tf32() {
    for size in K16 {
        check_all(&Multiplication::new(size, Type::Bf16, Type::F32), 16);
    }
    check_all(&Multiplication::new((16, 16, 8), Type::Tf32, Type::F32), 4);
}

#[test]
fn doubles() {
    check_all(&Multiplication::new((8, 8, 4), Type::F64, Type::F64), 2);
}

#[test]
fn sums_of_doubles_are_rounded_as_asked() {
    // 1 + 2^-30 * 2^-30, one term of the four.
    let roundings = [
        ("", 0x3ff0_0000_0000_0000_u64),
        (".rn", 0x3ff0_0000_0000_0000),
        (".rz", 0x3ff0_0000_0000_0000),
        (".rm", 0x3ff0_0000_0000_0000),
        (".rp", 0x3ff0_0000_0000_0001),
    ];
    let layouts = ["row.row", "row.col", "col.row", "col.col"];
    for ((rounding, expected), layouts) in roundings.into_iter().flat_map(|r| layouts.map(|l| (r, l))) {
        let text = format!(
            ".visible .entry k(.param .u64 p) {{ .reg .b64 %p; .reg .f64 %a, %b, %c<2>; .reg .pred %q; .reg .b32 %t;
                ld.param.u64 %p, [p];
                mov.f64 %a, 0d3e10000000000000; mov.f64 %c0, 0d3ff0000000000000; mov.f64 %c1, %c0;
                mov.u32 %t, %tid.x; and.b32 %t, %t, 3; setp.eq.u32 %q, %t, 0;
                selp.f64 %b, %a, 0d0000000000000000, %q;
                wmma.mma.sync.aligned.{layouts}.m8n8k4{rounding}.f64.f64.f64.f64 {{%c0, %c1}}, {{%b}}, {{%a}}, {{%c0, %c1}};
                wmma.store.d.sync.aligned.row.m8n8k4.f64 [%p], {{%c0, %c1}};
                ret; }}"
        );
        RAN.note(&format!("wmma.mma.sync.aligned.{layouts}.m8n8k4{rounding}.f64.f64.f64.f64"));
        let buffers = launch(&text, vec![Argument::Buffer(vec![0; 512])]).unwrap();
        assert_eq!(buffers[0], Some(expected.to_le_bytes().repeat(64)), "{rounding}");
    }
}

#[test]
fn bytes_and_nibbles() {
    for size in K16 {
        for ty in [Type::U8, Type::S8] {
            let multiplication = Multiplication::new(size, ty, Type::S32);
            check_all(&multiplication, 16);
            check_all(&Multiplication { suffix: ".satfinite", ..multiplication }, 16);
        }
    }
    for ty in [Type::U4, Type::S4] {
        check_all(&Multiplication::new((8, 8, 32), ty, Type::S32), 32);
        check_all(
            &Multiplication { suffix: ".satfinite", ..Multiplication::new((8, 8, 32), ty, Type::S32) },
            8,
        );
    }
}

#[test]
fn bits() {
    for join in [".xor.popc", ".and.popc"] {
        let multiplication = Multiplication { join, ..Multiplication::new((8, 8, 128), Type::B1, Type::S32) };
        check_all(&multiplication, 32);
    }
}

/// The trap that a load of halves ends with.
fn stopped(stride: &str, address: &str) -> TrapKind {
    let text = format!(
        ".visible .entry k(.param .u64 p) {{ .reg .b64 %p, %q; .reg .b32 %a<8>, %t; .local .align 16 .b8 l[512];
            ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 32, %p; .reg .b64 %l; mov.u64 %l, l;
            cvta.local.u64 %l, %l;
            wmma.load.a.sync.aligned.row.m16n16k16.f16 {{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}}, [{address}]{stride};
            ret; }}"
    );
    match launch(&text, vec![Argument::Buffer(vec![0; 2048])]).unwrap_err() {
        ExecError::Trap(trap) => trap.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn undefined_loads_are_reported() {
    let misuse = |stride, address| match stopped(stride, address) {
        TrapKind::Misuse(text) => text,
        other => panic!("{other:?}"),
    };
    assert!(misuse("", "%q").contains("different addresses"));
    assert!(misuse(", %t", "%p").contains("different strides"));
    assert!(misuse(", 8", "%p").contains("stride 8"));
    assert!(misuse("", "%l").contains(".local"));
    assert!(matches!(stopped("", "%p+8"), TrapKind::Fault(_)));
    assert!(matches!(stopped(", 17", "%p"), TrapKind::Fault(_)));
}

#[test]
fn sums_of_halves_are_clamped_only_when_asked() {
    let run = |suffix: &str| {
        let text = format!(
            ".visible .entry k(.param .u64 p) {{ .reg .b64 %p; .reg .b32 %a<8>, %b<8>, %c<4>;
                ld.param.u64 %p, [p];
                wmma.load.a.sync.aligned.row.m16n16k16.f16 {{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}}, [%p];
                wmma.load.b.sync.aligned.col.m16n16k16.f16 {{%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}}, [%p];
                mov.b32 %c0, 0; mov.b32 %c1, 0; mov.b32 %c2, 0; mov.b32 %c3, 0;
                wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16{suffix} {{%c0, %c1, %c2, %c3}},
                    {{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}}, {{%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}},
                    {{%c0, %c1, %c2, %c3}};
                wmma.store.d.sync.aligned.row.m16n16k16.f16 [%p], {{%c0, %c1, %c2, %c3}};
                ret; }}"
        );
        // The transpose is the second factor. Row 0 squared is beyond the largest half, row 1 is NaNs, the product of both signs is below the smallest.
        let row = |raw: u16| raw.to_le_bytes().repeat(16);
        let memory = [row(0x5bff), row(0x7fff), row(0xdbff), row(0).repeat(13)].concat();
        let arguments = vec![Argument::Buffer(memory)];
        let buffers = launch_warp("6.4", "sm_70", &text, arguments).unwrap().remove(0).unwrap();
        let at = |row: usize, column: usize| {
            u16::from_le_bytes([buffers[row * 32 + column * 2], buffers[row * 32 + column * 2 + 1]])
        };
        [at(0, 0), at(0, 1), at(0, 2)]
    };
    assert_eq!(run(""), [0x7c00, 0x7fff, 0xfc00]);
    assert_eq!(run(".satfinite"), [0x7bff, 0, 0xfbff]);
}

/// Every shape with every combination of types, layouts and modifiers of products that the table has.
#[test]
fn every_product_of_the_table() {
    halves_before_aligned_was_asked_for();
    halves_that_are_clamped_where_they_are_finite();
    halves();
    bfloats_and_tf32();
    doubles();
    sums_of_doubles_are_rounded_as_asked();
    bytes_and_nibbles();
    bits();
    RAN.expect_all(&texts_of(Opcode::Wmma, Sem::Matrix(MatrixSem::Wmma)));
}

//! Allocation, loads and stores (manual 9.7.16.7, 9.7.16.8).

use ptx_isa::{Field, Mod, Opcode, Slot, all_forms};

use super::{END, START, launch, list, stops, words};
use crate::common::{Ran, mnemonics};

/// A shape with its repeats: registers, and the lane and column of a thread's register.
///
/// The manual has the layouts in figures 183 to 187. Here they are as CUTLASS writes the same facts down in
/// `copy_traits_sm100.hpp`: strides from the parts of a thread's number and of its registers to the number of a bit, where
/// the bits of a lane's columns follow each other.
struct Shape {
    name: &'static str,
    repeats: usize,
}

impl Shape {
    fn registers(&self) -> usize {
        self.repeats * [("16x128b", 2), ("16x256b", 4)].iter().find(|s| s.0 == self.name).map_or(1, |s| s.1)
    }

    fn place(&self, thread: usize, register: usize) -> (usize, usize) {
        let n = self.repeats;
        let (bits_of_lane, bit) = match self.name {
            "32x32b" => (32 * n, thread * 32 * n + register * 32),
            "16x64b" => {
                (64 * n, thread % 2 * 512 * n + thread / 2 % 2 * 32 + thread / 4 * 64 * n + register * 64)
            }
            "16x128b" => {
                let of_thread = thread % 4 * 32 + thread / 4 * 128 * n;
                (128 * n, of_thread + register % 2 * 1024 * n + register / 2 * 128)
            }
            "16x256b" => {
                let of_thread = thread % 4 * 64 + thread / 4 * 256 * n;
                let of_register = register % 2 * 32 + register / 2 % 2 * 2048 * n + register / 4 * 256;
                (256 * n, of_thread + of_register)
            }
            // The distance of the halves is the number of repeats.
            _ => (64 * n, thread % 16 * 64 * n + thread / 16 * 32 * n + register * 32),
        };
        (bit / bits_of_lane, bit % bits_of_lane / 32)
    }

    /// All shapes with all repeats that leave at most 128 registers.
    fn all() -> Vec<Shape> {
        let names = ["32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"];
        let shapes =
            names.into_iter().flat_map(|name| (0..8).map(move |power| Shape { name, repeats: 1 << power }));
        shapes.filter(|shape| shape.registers() <= 128).collect()
    }

    fn distance(&self, columns: usize) -> String {
        if self.name == "16x32bx2" { format!(", {}", self.repeats * columns) } else { String::new() }
    }
}

/// Fills all cells with `lane << 16 | column`, 128 columns at a time.
fn fill() -> String {
    let mut text = String::from(".reg .b32 %f<128>;\nand.b32 %y0, %own, 0xffff0000;\n");
    for part in 0..4 {
        for n in 0..128 {
            text += &format!("mad.lo.u32 %f{n}, %t, 65536, {};\n", part * 128 + n);
        }
        text += &format!("add.u32 %y1, %own, {};\n", part * 128);
        text += &format!("tcgen05.st.sync.aligned.32x32b.x128.b32 [%y1], {};\n", list("f", 128));
    }
    text + "tcgen05.wait::st.sync.aligned;\n"
}

/// Stores registers of each thread to the output, thread after thread.
fn put(name: &str, count: usize) -> String {
    let mut text = format!("mad.wide.u32 %x0, %t, {}, %out;\n", count * 4);
    (0..count).for_each(|n| text += &format!("st.global.b32 [%x0+{}], %{name}{n};\n", n * 4));
    text
}

#[test]
fn loads_find_the_cells_of_the_figures() {
    for shape in Shape::all() {
        let count = shape.registers();
        // Lanes 16 to 31 of each warp for the shapes of 16, and an odd first column.
        let lane = if shape.name.starts_with("32") { 0 } else { 16 };
        let columns = if shape.name == "32x32b" { shape.repeats } else { shape.repeats * 2 };
        let first = if columns >= 256 { 0 } else { 37 };
        let Shape { name, repeats } = shape;
        let body = format!(
            "{}.reg .b32 %r<{count}>;\nadd.u32 %y1, %own, {};
            tcgen05.ld.sync.aligned.{name}.x{repeats}.b32 {}, [%y1]{};
            tcgen05.wait::ld.sync.aligned;\n{}",
            fill(),
            (lane << 16) + first,
            list("r", count),
            shape.distance(1),
            put("r", count),
        );
        let found = words("sm_100a", &body, Vec::new(), 128 * count);
        for (at, word) in found.into_iter().enumerate() {
            let (thread, register) = (at / count, at % count);
            let (row, column) = shape.place(thread % 32, register);
            let expected = (thread / 32 * 32 + lane + row) << 16 | (first + column);
            assert_eq!(word as usize, expected, "{name}.x{repeats}: thread {thread}, register {register}");
        }
    }
}

#[test]
fn packed_loads_take_the_lower_halves_of_two_columns() {
    for shape in Shape::all() {
        let count = shape.registers();
        let Shape { name, repeats } = shape;
        let columns = (0..32).flat_map(|t| (0..count).map(move |r| (t, r)));
        let most = columns.map(|(t, r)| shape.place(t, r).1).max().unwrap();
        if most * 2 >= 512 {
            continue;
        }
        let body = format!(
            "{}.reg .b32 %r<{count}>;
            tcgen05.ld.sync.aligned.{name}.x{repeats}.pack::16b.b32 {}, [%own]{};
            tcgen05.wait::ld.sync.aligned;\n{}",
            fill(),
            list("r", count),
            shape.distance(2),
            put("r", count),
        );
        let found = words("sm_100a", &body, Vec::new(), 128 * count);
        for (at, word) in found.into_iter().enumerate() {
            let (_, column) = shape.place(at / count % 32, at % count);
            let expected = (2 * column + 1) << 16 | (2 * column);
            assert_eq!(word as usize, expected, "{name}.x{repeats}: register {at}");
        }
    }
}

/// Each thread stores its number and that of the register; all cells are then read.
fn stored(shape: &Shape, unpack: &str, distance: &str) -> Vec<u32> {
    let count = shape.registers();
    let Shape { name, repeats } = shape;
    let mut body = fill() + &format!(".reg .b32 %r<{count}>;\n");
    (0..count).for_each(|n| body += &format!("mad.lo.u32 %r{n}, %t, 65536, {};\n", 0x8000_8000 + n));
    let distance = if distance.is_empty() { String::new() } else { format!("{distance},") };
    body += &format!(
        "tcgen05.st.sync.aligned.{name}.x{repeats}{unpack}.b32 [%own], {distance} {};\n",
        list("r", count)
    );
    body += "tcgen05.wait::st.sync.aligned;\n.reg .b32 %g<128>;\nmad.wide.u32 %x0, %t, 2048, %out;\n";
    for part in 0..4 {
        body += &format!("add.u32 %y1, %own, {};\n", part * 128);
        body += &format!("tcgen05.ld.sync.aligned.32x32b.x128.b32 {}, [%y1];\n", list("g", 128));
        body += "tcgen05.wait::ld.sync.aligned;\n";
        (0..128).for_each(|n| body += &format!("st.global.b32 [%x0+{}], %g{n};\n", part * 512 + n * 4));
    }
    words("sm_100a", &body, Vec::new(), 128 * 512)
}

/// The cells before a store.
fn before() -> Vec<u32> {
    (0..128 * 512).map(|at| ((at as u32 / 512) << 16) + at as u32 % 512).collect()
}

#[test]
fn stores_reach_the_cells_of_the_figures_and_no_others() {
    for shape in Shape::all().into_iter().filter(|shape| [1, 2, 8, 32, 128].contains(&shape.repeats)) {
        let distance = shape.distance(1);
        let found = stored(&shape, "", distance.trim_start_matches(", "));
        let mut expected = before();
        for thread in 0..128 {
            for register in 0..shape.registers() {
                let (row, column) = shape.place(thread % 32, register);
                let value = (thread as u32).wrapping_mul(65536).wrapping_add(0x8000_8000 + register as u32);
                expected[(thread / 32 * 32 + row) * 512 + column] = value;
            }
        }
        assert!(found == expected, "{}.x{}", shape.name, shape.repeats);
    }
}

#[test]
fn unpacked_stores_spread_halves_over_two_columns() {
    for shape in Shape::all().into_iter().filter(|shape| [1, 4, 16].contains(&shape.repeats)) {
        let distance = shape.distance(2);
        let found = stored(&shape, ".unpack::16b", distance.trim_start_matches(", "));
        let mut expected = before();
        for thread in 0..128 {
            for register in 0..shape.registers() {
                let (row, column) = shape.place(thread % 32, register);
                let value = (thread as u32).wrapping_mul(65536).wrapping_add(0x8000_8000 + register as u32);
                let at = (thread / 32 * 32 + row) * 512 + 2 * column;
                (expected[at], expected[at + 1]) = (value & 0xffff, value >> 16);
            }
        }
        assert!(found == expected, "{}.x{}", shape.name, shape.repeats);
    }
}

static RAN: Ran = Ran::new();

/// Some values for each thread, through tensor memory to a reduction; what is found of them, and other registers.
fn reduced<const N: usize>(
    target: &str,
    mnemonic: &str,
    results: (usize, usize),
    values: &[[u32; N]; 128],
) -> Vec<Vec<u32>> {
    let input = values.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let mut body = format!(
        ".reg .b32 %v<{N}>, %q<{}>;\n.reg .b32 %e<{}>;\nmad.wide.u32 %x0, %t, {}, %in;\n",
        N + 1,
        results.0.max(1),
        4 * N
    );
    (0..N).for_each(|n| body += &format!("ld.global.b32 %v{n}, [%x0+{}];\n", n * 4));
    // Where the halves of the threads have columns of their own, those of the second come after them.
    let (shape, halves) = match mnemonic.contains("16x32bx2") {
        true => ("16x32bx2", format!(", {N}")),
        false => ("32x32b", String::new()),
    };
    body += &format!("tcgen05.st.sync.aligned.{shape}.x{N}.b32 [%own]{halves}, {};\n", list("v", N));
    body += "tcgen05.wait::st.sync.aligned;\nmov.b32 %e0, 0;\n";
    let (positions, kept) = results;
    let positions_text = if positions > 0 { format!("{}, ", list("e", positions)) } else { String::new() };
    RAN.note(mnemonic);
    body += &format!("{mnemonic} {positions_text}{}, %q{N}, [%own]{halves};\n", list("q", kept));
    let count = N + 2;
    body += &format!("tcgen05.wait::ld.sync.aligned;\nmad.wide.u32 %x0, %t, {}, %out;\n", 4 * count);
    body += &format!("st.global.b32 [%x0], %q{N};\n");
    let room = positions.max(1);
    (0..room).for_each(|n| body += &format!("st.global.b32 [%x0+{}], %e{n};\n", 4 + n * 4));
    (0..kept).for_each(|n| body += &format!("st.global.b32 [%x0+{}], %q{n};\n", 4 + (room + n) * 4));
    words(target, &body, input, 128 * count).chunks_exact(count).map(<[u32]>::to_vec).collect()
}

/// Numbers with some order to them, NaNs in every fifth thread.
fn floats<const N: usize>() -> [[u32; N]; 128] {
    std::array::from_fn(|thread| {
        std::array::from_fn(|n| match (thread * 7 + n * 5) % 23 {
            3 if thread % 5 == 0 => f32::NAN.to_bits(),
            value => (value as f32 - 11.5 - thread as f32 / 128.0).to_bits(),
        })
    })
}

#[test]
fn reductions_are_of_the_values_of_each_thread() {
    reductions_of::<2>();
    reductions_of::<4>();
    reductions_of::<8>();
    reductions_of::<16>();
    reductions_of::<32>();
    reductions_of::<64>();
    reductions_of::<128>();
}

/// Operations with and without `.abs` and `.NaN`.
const VARIANTS: [(&str, &str, &str); 8] = [
    ("min", "", ""),
    ("max", "", ""),
    ("min", ".abs", ""),
    ("max", ".abs", ""),
    ("min", "", ".NaN"),
    ("max", "", ".NaN"),
    ("min", ".abs", ".NaN"),
    ("max", ".abs", ".NaN"),
];

fn reductions_of<const N: usize>() {
    let values = floats::<N>();
    for (op, abs, nan, shape) in ["32x32b", "16x32bx2"]
        .into_iter()
        .flat_map(|shape| VARIANTS.map(|(op, abs, nan)| (op, abs, nan, shape)))
    {
        let mnemonic = format!("tcgen05.ld.red.sync.aligned.{shape}.x{N}.{op}{abs}{nan}.f32");
        let found = reduced("sm_103a", &mnemonic, (0, N), &values);
        for (thread, words) in found.iter().enumerate() {
            let all: Vec<f32> = values[thread].iter().map(|&bits| f32::from_bits(bits)).collect();
            let magnitude = |x: &f32| if abs.is_empty() { *x } else { x.abs() };
            let numbers = all.iter().filter(|x| !x.is_nan()).map(magnitude);
            let expected = match op {
                "min" => numbers.reduce(f32::min),
                _ => numbers.reduce(f32::max),
            };
            if !nan.is_empty() && all.iter().any(|x| x.is_nan()) {
                assert_eq!(words[0], 0x7fff_ffff, "{mnemonic}: thread {thread}");
            } else {
                assert_eq!(f32::from_bits(words[0]), expected.unwrap(), "{mnemonic}: thread {thread}");
            }
            assert_eq!(words[2..], values[thread], "{mnemonic}: the values are loaded too");
        }
    }
    let integers: [[u32; N]; 128] = std::array::from_fn(|thread| {
        std::array::from_fn(|n| {
            (thread as u32).wrapping_mul(0x9e37_79b9).wrapping_add((n as u32).wrapping_mul(0x6c07_8965))
        })
    });
    for (op, ty, shape) in ["32x32b", "16x32bx2"].into_iter().flat_map(|shape| {
        [("min", "u32"), ("max", "u32"), ("min", "s32"), ("max", "s32")].map(|(op, ty)| (op, ty, shape))
    }) {
        let mnemonic = format!("tcgen05.ld.red.sync.aligned.{shape}.x{N}.{op}.{ty}");
        for (thread, words) in reduced("sm_103a", &mnemonic, (0, N), &integers).iter().enumerate() {
            let all = integers[thread].iter().copied();
            let expected = match (op, ty) {
                ("min", "u32") => all.min(),
                ("max", "u32") => all.max(),
                ("min", _) => all.min_by_key(|&x| x as i32),
                _ => all.max_by_key(|&x| x as i32),
            };
            assert_eq!(Some(words[0]), expected, "{mnemonic}: thread {thread}");
        }
    }
}

#[test]
fn compressed_loads_keep_two_of_four() {
    compressed_of::<4>();
    compressed_of::<8>();
    compressed_of::<16>();
    compressed_of::<32>();
    compressed_of::<64>();
    compressed_of::<128>();
}

fn compressed_of<const N: usize>() {
    // Each position has two bits.
    let positions = N.div_ceil(32);
    let values =
        floats::<N>().map(|row| row.map(|bits| if f32::from_bits(bits).is_nan() { 0 } else { bits }));
    for (op, abs, nan) in VARIANTS {
        let mnemonic =
            format!("tcgen05.ld.red.spcompress.sync.aligned.32x32b.x{N}.{op}.sp::2:4{abs}{nan}.f32.b2");
        for (thread, words) in reduced("sm_107a", &mnemonic, (positions, N / 2), &values).iter().enumerate() {
            let all: Vec<f32> = values[thread].iter().map(|&bits| f32::from_bits(bits)).collect();
            let key = |x: f32| {
                let x = if abs.is_empty() { x } else { x.abs() };
                if op == "max" { -x } else { x }
            };
            let (mut kept, mut places) = (Vec::new(), vec![0; positions]);
            for chunk in 0..N / 4 {
                let mut order: Vec<usize> = (0..4).collect();
                order.sort_by(|&a, &b| key(all[chunk * 4 + a]).total_cmp(&key(all[chunk * 4 + b])));
                let mut two = [order[0], order[1]];
                two.sort_unstable();
                for at in two {
                    places[kept.len() / 16] |= (at as u32) << (2 * (kept.len() % 16));
                    kept.push(values[thread][chunk * 4 + at]);
                }
            }
            let rest = words[1..].split_at(positions);
            assert_eq!(rest.0, places, "{mnemonic}: thread {thread}");
            assert_eq!(rest.1[..N / 2], kept, "{mnemonic}: thread {thread}");
            let best = all.iter().copied().min_by(|a, b| key(*a).total_cmp(&key(*b))).unwrap();
            let best = if abs.is_empty() { best } else { best.abs() };
            assert_eq!(f32::from_bits(words[0]), best, "{mnemonic}: thread {thread}");
        }
    }
}

#[test]
fn allocation_waits_for_columns_to_be_freed() {
    // Warp 1 takes 256 columns, which are not there until warp 0 has freed its 512.
    let text = ".visible .entry k(.param .u64 pin, .param .u64 pout) {
        .shared .align 4 .b32 slot[2];
        .reg .b32 %t, %a, %n; .reg .b64 %o; .reg .pred %p, %q;
        ld.param.u64 %o, [pout];
        mov.u32 %t, %tid.x;
        setp.ge.u32 %p, %t, 64;
        @%p bra END;
        setp.ge.u32 %q, %t, 32;
        @%q bra SECOND;
        tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;
        bar.sync 1, 64;
        mov.u32 %n, 0;
    LOOP:
        add.u32 %n, %n, 1;
        setp.lt.u32 %p, %n, 20000;
        @%p bra LOOP;
        st.global.u32 [%o], %n;
        ld.shared.u32 %a, [slot];
        tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, 512;
        bra END;
    SECOND:
        bar.sync 1, 64;
        tcgen05.alloc.cta_group::1.sync.aligned.b32 [slot+4], 256;
        ld.shared.u32 %a, [slot+4];
        ld.global.u32 %n, [%o];
        st.global.u32 [%o+4], %n;
        tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
        tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, 256;
    END:
        ret;
    }";
    // The address of shared memory is generic where no space is named.
    let text = text.replace(
        "tcgen05.alloc.cta_group::1.sync.aligned.b32 [slot+4]",
        ".reg .b64 %g; cvta.shared.u64 %g, slot;\ntcgen05.alloc.cta_group::1.sync.aligned.b32 [%g+4]",
    );
    let bytes = launch("sm_100a", &text, Vec::new(), 8).unwrap();
    assert_eq!(bytes, [20000u32.to_le_bytes(), 20000u32.to_le_bytes()].concat());
}

#[test]
fn exclusive_columns_are_any_multiple_of_32() {
    // 96 columns; each thread stores its number times 1000 plus the column, and loads the last 32.
    let mut text = String::from(
        ".visible .entry k(.param .u64 pin, .param .u64 pout) {
        .shared .align 4 .b32 slot; .reg .b32 %t, %base, %own, %r<96>, %s<32>; .reg .b64 %out; .reg .pred %p;
        ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x; shr.u32 %own, %t, 5; setp.ne.u32 %p, %own, 0;
        @%p bra ALLOCATED;
        tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [slot], 96;
    ALLOCATED:
        bar.sync 0; ld.shared.u32 %base, [slot]; shl.b32 %own, %own, 21; add.u32 %own, %own, %base;\n",
    );
    (0..96).for_each(|n| text += &format!("mad.lo.u32 %r{n}, %t, 1000, {n};\n"));
    for (first, count) in [(0, 64), (64, 32)] {
        let names: Vec<String> = (first..first + count).map(|n| format!("%r{n}")).collect();
        text += &format!(
            "add.u32 %s0, %own, {first};\ntcgen05.st.sync.aligned.32x32b.x{count}.b32 [%s0], {{{}}};\n",
            names.join(", ")
        );
    }
    text += "tcgen05.wait::st.sync.aligned;\nadd.u32 %r0, %own, 64;\n";
    text += &format!("tcgen05.ld.sync.aligned.32x32b.x32.b32 {}, [%r0];\n", list("s", 32));
    text += "tcgen05.wait::ld.sync.aligned;\nmad.wide.u32 %out, %t, 128, %out;\n";
    (0..32).for_each(|n| text += &format!("st.global.u32 [%out+{}], %s{n};\n", n * 4));
    text += "bar.sync 0;\n@%p bra FREED;\n\
        tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32 %base, 96;\nFREED: ret;\n}\n";
    let found = launch("sm_107a", &text, Vec::new(), 128 * 32 * 4).unwrap();
    let expected = (0..128u32).flat_map(|t| (64..96).map(move |column| t * 1000 + column));
    assert_eq!(found, expected.flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
}

#[test]
fn misuse_is_located() {
    let around = |line: &str| format!("{START}\n{line} // here\n{END}");
    for (line, why) in [
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%y0}, [%base];", "reaches lanes 32 to 63"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%y0}, [%own+512];", "column 512 of tensor memory"),
        ("tcgen05.st.sync.aligned.16x64b.x1.b32 [%own+2097152], {%y0};", "reaches lanes"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%y0}, [%t];", "different addresses"),
        ("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 256;", "where 512 were allocated"),
        ("tcgen05.dealloc.cta_group::1.sync.aligned.b32 32, 32;", "no columns of tensor memory"),
    ] {
        stops(&around(line), why);
    }
    let free = "@!%p0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 512;\nbar.sync 0;";
    for (line, why) in [
        ("@!%p0 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 512;", "no columns"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%y0}, [%own];", "not allocated"),
        (
            "mov.u32 %y0, 48;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], %y0;",
            "power of two",
        ),
        (
            "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
            tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;",
            "given up the right",
        ),
        ("tcgen05.alloc.cta_group::1.sync.aligned.b32 [%out], 32;", "written to shared memory"),
    ] {
        stops(&around(&format!("{free}\n{line}")), why);
    }
}

#[test]
fn what_is_not_freed_is_reported_where_it_was_allocated() {
    let text = START.replace("[slot], 512;", "[slot], 512; // here");
    stops(&format!("{text}\nret;\n}}"), "without having freed");
}

#[test]
fn waiting_for_columns_forever_is_a_deadlock() {
    let body = "@!%p0 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;";
    match launch("sm_100a", &format!("{START}{body}{END}"), Vec::new(), 4) {
        Err(ptx_exec::ExecError::Trap(trap)) => {
            let text = trap.to_string();
            assert!(text.contains("deadlock"), "{text}");
            assert!(
                trap.related.iter().any(|(_, what)| what.contains("wait for columns of tensor memory")),
                "{:?}",
                trap.related
            );
        }
        other => panic!("{other:?}"),
    }
}

/// Every form of loads with a reduction that the table has.
#[test]
fn every_reduction_of_the_table() {
    reductions_are_of_the_values_of_each_thread();
    compressed_loads_keep_two_of_four();
    let forms = all_forms().iter().filter(|form| form.opcode == Opcode::Tcgen05);
    let reductions = forms.filter(|form| form.slots.iter().any(|slot| matches!(slot, Slot::Lit(Mod::Red))));
    RAN.expect_all(&reductions.flat_map(mnemonics).map(|mnemonic| mnemonic.to_string()).collect());
}

/// The modifiers of a slot of a row.
fn choices(slots: &'static [Slot], field: Field) -> Vec<&'static str> {
    let set = slots.iter().find_map(|slot| match slot {
        Slot::One(found, set) if *found == field => Some(*set),
        _ => None,
    });
    set.unwrap_or_default().iter().map(|modifier| modifier.as_str()).collect()
}

/// A shape or a count that comes to the table needs a place in `Shape`, from which the tests here are made.
#[test]
fn shapes_are_those_of_the_table() {
    let mut of_table = Vec::new();
    for form in all_forms().iter().filter(|form| form.opcode == Opcode::Tcgen05) {
        let is_access = |slot: &Slot| matches!(slot, Slot::Lit(Mod::Ld | Mod::St));
        if !form.slots.iter().any(is_access) {
            continue;
        }
        for shape in choices(form.slots, Field::Shape) {
            of_table.extend(choices(form.slots, Field::Num).into_iter().map(|count| (shape, count)));
        }
    }
    let here: Vec<(&str, String)> =
        Shape::all().iter().map(|shape| (shape.name, format!("x{}", shape.repeats))).collect();
    // Those of more than 128 registers are excluded by a rule.
    let wide = [("16x128b", "x128"), ("16x256b", "x64"), ("16x256b", "x128")];
    for (shape, count) in of_table.iter().filter(|pair| !wide.contains(pair)) {
        assert!(
            here.iter().any(|(name, repeats)| (name, repeats.as_str()) == (shape, *count)),
            "{shape}.{count}"
        );
    }
    for (shape, count) in &here {
        assert!(of_table.contains(&(*shape, count.as_str())), "{shape}.{count}");
    }
}

//! `suld`, `sust` and `sured`.

use ptx_exec::texture::{ChannelFormat, Extent, Handle, Image, Start, Storage, Surface, Texture, Textures};
use ptx_exec::{Argument, ExecError, Launch, Outcome};

use super::{Random, bits, execute, kernel, launch, outputs, trap};

/// An image of bytes 0, 1, 2 .. in a surface.
fn counted(format: ChannelFormat, channels: u32, extent: Extent, layers: Option<u32>) -> (Textures, Vec<u8>) {
    let image = Image { layers, ..Image::array(format, channels, extent, Vec::new()) };
    let bytes: Vec<u8> = (0..image.bytes().unwrap()).map(|n| (n * 7 + n / 256) as u8).collect();
    let image = Image { storage: Storage::Array(bytes.clone()), ..image };
    (
        Textures {
            images: vec![image],
            surfaces: vec![Surface { image: 0, level: 0 }],
            ..Textures::default()
        },
        bytes,
    )
}

fn on_surface(instruction: &str, textures: &Textures, inputs: &[Vec<u32>]) -> Result<Outcome, ExecError> {
    execute(&kernel(instruction), &launch(textures.clone(), Handle::Surface(0), inputs))
}

fn signed(values: &[i32]) -> Vec<u32> {
    values.iter().map(|&value| value as u32).collect()
}

/// A geometry with its coordinates in registers: x in `%r0`, y in `%r1`, z in `%r2`, the layer in `%r3`.
struct Shape {
    name: &'static str,
    coordinates: &'static str,
    extent: Extent,
    layers: Option<u32>,
}

const SHAPES: [Shape; 5] = [
    Shape { name: "1d", coordinates: "{%r0}", extent: Extent::D1 { width: 9 }, layers: None },
    Shape { name: "2d", coordinates: "{%r0,%r1}", extent: Extent::D2 { width: 9, height: 4 }, layers: None },
    Shape {
        name: "3d",
        coordinates: "{%r0,%r1,%r2,%r9}",
        extent: Extent::D3 { width: 9, height: 4, depth: 3 },
        layers: None,
    },
    Shape { name: "a1d", coordinates: "{%r3,%r0}", extent: Extent::D1 { width: 9 }, layers: Some(5) },
    Shape {
        name: "a2d",
        coordinates: "{%r3,%r0,%r1,%r9}",
        extent: Extent::D2 { width: 9, height: 4 },
        layers: Some(5),
    },
];

impl Shape {
    /// Rows, planes and layers.
    fn counts(&self) -> [i64; 3] {
        let [_, height, depth] = self.extent.size();
        [height.into(), depth.into(), self.layers.unwrap_or(1).into()]
    }

    /// The coordinates of the shape in `at` (x, y, z, layer), 0 for those it does not have.
    fn own(&self, at: [i32; 4]) -> [i64; 4] {
        let has = |axis: usize| self.coordinates.contains(["%r0", "%r1", "%r2", "%r3"][axis]);
        std::array::from_fn(|axis| {
            let value = if axis == 3 { i64::from(at[3] as u32) } else { at[axis].into() };
            if has(axis) { value } else { 0 }
        })
    }
}

/// Where an access of `size` bytes goes, x in bytes: by the manual inside it is at its coordinates, beyond with `.clamp` at the nearest place
/// that has room, with `.zero` nowhere.
fn place(shape: &Shape, at: [i32; 4], row: i64, size: i64, mode: &str) -> Option<usize> {
    let [x, y, z, layer] = shape.own(at);
    let [height, depth, layers] = shape.counts();
    let limits = [row - size + 1, height, depth, layers];
    let inside = [x, y, z, layer].iter().zip(limits).all(|(&at, limit)| at >= 0 && at < limit);
    if !inside && mode == "zero" {
        return None;
    }
    let clamp = |at: i64, limit: i64| at.max(0).min(limit - 1);
    let [x, y, z, layer] =
        [clamp(x, limits[0]), clamp(y, limits[1]), clamp(z, limits[2]), clamp(layer, limits[3])];
    Some((((layer * depth + z) * height + y) * row + x) as usize)
}

/// Places in and around a surface; x is a multiple of `step`.
fn places(count: usize, step: i32, row: i32) -> Vec<[i32; 4]> {
    let mut random = Random(41);
    let mut within = |low: i32, high: i32| low + (random.next() % (high - low + 1) as u32) as i32;
    (0..count)
        .map(|_| [within(-2, row / step + 2) * step, within(-2, 6), within(-2, 5), within(-1, 7)])
        .collect()
}

#[test]
fn loads_of_every_geometry_and_size() {
    for shape in &SHAPES {
        // 9 texels of 16 bytes: rows of 144 bytes, so that every size has places.
        let (textures, bytes) = counted(ChannelFormat::Unsigned32, 4, shape.extent, shape.layers);
        for (size, ty, register) in [(1, "b8", "%h"), (2, "b16", "%h"), (4, "b32", "%r"), (8, "b64", "%d")] {
            for (count, vector) in [(1usize, ""), (2, ".v2"), (4, ".v4")] {
                let whole = size * count as i64;
                if whole > 16 {
                    continue;
                }
                let names: Vec<String> = (0..count).map(|n| format!("{register}{}", 10 + n)).collect();
                let list = if count == 1 { names.concat() } else { format!("{{{}}}", names.join(",")) };
                for mode in ["clamp", "zero"] {
                    let (name, at) = (shape.name, shape.coordinates);
                    let store: String = names
                        .iter()
                        .enumerate()
                        .map(|(n, name)| {
                            let (cvt, to) = if register == "%d" { ("cvt.u32.u64", 20 + 2 * n) } else { ("cvt.u32.u16", 20 + n) };
                            match register {
                                "%r" => format!("mov.b32 %r{to}, {name};\n"),
                                "%d" => format!("{cvt} %r{to}, {name};\nshr.u64 {name}, {name}, 32;\n{cvt} %r{}, {name};\n", to + 1),
                                _ => format!("{cvt} %r{to}, {name};\n"),
                            }
                        })
                        .collect();
                    let instruction =
                        format!("suld.b.{name}{vector}.{ty}.{mode} {list}, [%d0, {at}];\n{store}");
                    let all = places(60, whole as i32, 144);
                    let inputs: Vec<Vec<u32>> = all.iter().map(|at| signed(at)).collect();
                    let outcome = on_surface(&instruction, &textures, &inputs).unwrap();
                    for (at, found) in all.iter().zip(outputs(&outcome)) {
                        let from = place(shape, *at, 144, whole, mode);
                        for n in 0..count {
                            let element = |from: usize| {
                                let from = from + n * size as usize;
                                bytes[from..from + size as usize]
                                    .iter()
                                    .rev()
                                    .fold(0u64, |v, &b| v << 8 | u64::from(b))
                            };
                            let wanted = from.map_or(0, element);
                            let got = if size == 8 {
                                u64::from(found[2 * n]) | u64::from(found[2 * n + 1]) << 32
                            } else {
                                found[n].into()
                            };
                            assert_eq!(got, wanted, "{instruction} at {at:?}");
                        }
                    }
                    assert_eq!(outcome.images[0].as_ref(), Some(&bytes), "loads change nothing");
                }
            }
        }
    }
}

#[test]
fn stores_of_every_geometry_and_size() {
    for shape in &SHAPES {
        let (textures, bytes) = counted(ChannelFormat::Unsigned8, 4, shape.extent, shape.layers);
        // Rows of 36 bytes: accesses of 8 bytes end at 32.
        for (ty, size, list) in [
            ("b8", 1, "%r8"),
            ("b16", 2, "%r8"),
            ("b32", 4, "%r8"),
            ("v2.b16", 4, "{%r8,%r10}"),
            ("v4.b8", 4, "{%r8,%r10,%r8,%r10}"),
            ("v2.b32", 8, "{%r8,%r10}"),
        ] {
            for mode in ["clamp", "zero"] {
                let (name, at) = (shape.name, shape.coordinates);
                let instruction =
                    format!("mov.b32 %r10, 0xa1b2c3d4;\nsust.b.{name}.{ty}.{mode} [%d0, {at}], {list};");
                for at in places(24, size, 36) {
                    // The nearest place of 8 bytes in a row of 36 is at byte 28, which is misaligned.
                    let at = if size == 8 { [at[0].clamp(0, 24), at[1], at[2], at[3]] } else { at };
                    let mut input = signed(&at);
                    input.resize(9, 0x1122_3344);
                    let outcome = on_surface(&instruction, &textures, &[input]).unwrap();
                    let (a, b) = ([0x44, 0x33, 0x22, 0x11], [0xd4, 0xc3, 0xb2, 0xa1]);
                    let stored: Vec<u8> = match ty {
                        "v2.b16" => [&a[..2], &b[..2]].concat(),
                        "v4.b8" => vec![a[0], b[0], a[0], b[0]],
                        "v2.b32" => [a, b].concat(),
                        _ => a[..size as usize].to_vec(),
                    };
                    let mut wanted = bytes.clone();
                    if let Some(to) = place(shape, at, 36, size.into(), mode) {
                        wanted[to..to + size as usize].copy_from_slice(&stored);
                    }
                    assert_eq!(outcome.images[0].as_ref(), Some(&wanted), "{instruction} at {at:?}");
                }
            }
        }
    }
}

#[test]
fn places_beyond_the_edge_trap() {
    let (textures, bytes) = counted(ChannelFormat::Unsigned8, 4, Extent::D2 { width: 9, height: 4 }, Some(5));
    let load = "suld.b.a2d.b32.trap %r20, [%d0, {%r3,%r0,%r1,%r9}];";
    let inside = on_surface(load, &textures, &[signed(&[32, 3, 0, 4])]).unwrap();
    let wanted = u32::from_le_bytes(bytes[4 * 144 + 140..].try_into().unwrap());
    assert_eq!(outputs(&inside)[0][0], wanted, "the last four bytes");
    for (at, part) in [
        ([36, 0, 0, 0], "access of 4 bytes at byte 36 of row 0, plane 0 in layer 0 of 5 is beyond the edge"),
        ([-4, 0, 0, 0], "at byte -4"),
        ([0, 4, 0, 0], "of row 4"),
        ([0, -1, 0, 0], "of row -1"),
        ([0, 0, 0, 5], "in layer 5 of 5"),
        ([2, 0, 0, 0], "access of 4 bytes at byte 2 of a row of a surface is not aligned to 4 bytes"),
    ] {
        for instruction in [load, "sust.b.a2d.b32.trap [%d0, {%r3,%r0,%r1,%r9}], %r8;"] {
            let found = trap(on_surface(instruction, &textures, &[signed(&at)]));
            assert!(found.to_string().contains(part), "{found}");
            assert_eq!(found.kind.code(), ptx_exec::codes::FAULT);
            assert!(found.span.is_some() && instruction.starts_with(&found.instruction));
        }
    }
    // A vector that ends beyond the row is beyond the edge; the nearest place for it is not aligned.
    let found = trap(on_surface(
        "suld.b.a2d.v2.b32.trap {%r20,%r21}, [%d0, {%r3,%r0,%r1,%r9}];",
        &textures,
        &[signed(&[32, 0, 0, 0])],
    ));
    assert!(found.to_string().contains("access of 8 bytes at byte 32"), "{found}");
    // No place at all.
    let (small, _) = counted(ChannelFormat::Unsigned8, 1, Extent::D1 { width: 2 }, None);
    let found = trap(on_surface("suld.b.1d.b32.clamp %r20, [%d0, {%r0}];", &small, &[vec![0]]));
    assert!(found.to_string().contains("beyond the edge of the surface of 2 x 1 x 1 texels"), "{found}");
}

/// `sust.p`: channels from left to right, converted from the kind of number that the format has; x counts texels.
#[test]
fn texels_are_stored_with_conversion() {
    use ChannelFormat::*;
    let f = bits;
    // The format, four registers, and the numbers in memory.
    let cases: [(ChannelFormat, [u32; 4], [u64; 4]); 12] = [
        (Unsigned8, [1, 255, 256, u32::MAX], [1, 255, 255, 255]),
        (Unsigned16, [1, 65535, 65536, u32::MAX], [1, 65535, 65535, 65535]),
        (Unsigned32, [1, 2, 3, u32::MAX], [1, 2, 3, 0xffff_ffff]),
        (Signed8, [-1i32 as u32, 127, 128, -129i32 as u32], [0xff, 0x7f, 0x7f, 0x80]),
        (Signed16, [-1i32 as u32, 32767, 32768, i32::MIN as u32], [0xffff, 0x7fff, 0x7fff, 0x8000]),
        (Signed32, [-1i32 as u32, 5, 6, i32::MIN as u32], [0xffff_ffff, 5, 6, 0x8000_0000]),
        (Float, [f(1.5), 0x7fc1_2345, 3, f(-0.0)], [0x3fc0_0000, 0x7fc1_2345, 3, 0x8000_0000]),
        // To the nearest: 1/3 is 0x3555, 65520 is half way to infinity and goes there.
        (Half, [f(1.0 / 3.0), f(65519.0), f(65520.0), f(-2.0)], [0x3555, 0x7bff, 0x7c00, 0xc000]),
        // 0.5 * 255 = 127.5, which is rounded to the even one.
        (Unorm8, [f(0.5), f(-1.0), f(2.0), f(0.25)], [128, 0, 255, 64]),
        (Unorm16, [f(0.5), f(f32::NAN), f(1.0), f(0.0)], [32768, 0, 65535, 0]),
        (Snorm8, [f(0.5), f(-1.0), f(-3.0), f(1.0)], [64, 0x81, 0x81, 127]),
        (Snorm16, [f(0.5), f(-1.0), f(1.5), f(0.0)], [16384, 0x8001, 32767, 0]),
    ];
    for (format, registers, numbers) in cases {
        for channels in [1usize, 2, 4] {
            for (count, list) in [(1, "%r4"), (2, "{%r4,%r5}"), (4, "{%r4,%r5,%r6,%r7}")] {
                let (textures, bytes) =
                    counted(format, channels as u32, Extent::D2 { width: 3, height: 2 }, None);
                let vector = ["", "", ".v2", "", ".v4"][count];
                let instruction = format!("sust.p.2d{vector}.b32.trap [%d0, {{%r0,%r1}}], {list};");
                let mut input = vec![2, 1, 0, 0];
                input.extend(registers);
                let outcome = on_surface(&instruction, &textures, &[input]).unwrap();
                let mut wanted = bytes.clone();
                let width = format.bytes() as usize;
                let first = 5 * channels * width;
                for n in 0..channels {
                    // Channels that the program does not give are unpredictable by the manual; here 0.
                    let number = if n < count { numbers[n] } else { 0 };
                    wanted[first + n * width..][..width].copy_from_slice(&number.to_le_bytes()[..width]);
                }
                assert_eq!(outcome.images[0].as_ref(), Some(&wanted), "{format:?} {channels} {count}");
            }
        }
    }
    let (textures, bytes) = counted(Unsigned32, 1, Extent::D2 { width: 3, height: 2 }, None);
    let store = |mode: &str, at: [i32; 2]| {
        on_surface(&format!("sust.p.2d.b32.{mode} [%d0, {{%r0,%r1}}], %r0;"), &textures, &[signed(&at)])
    };
    assert_eq!(store("zero", [3, 0]).unwrap().images[0].as_ref(), Some(&bytes));
    let mut wanted = bytes.clone();
    wanted[8..12].copy_from_slice(&[9, 0, 0, 0]);
    assert_eq!(store("clamp", [9, -1]).unwrap().images[0].as_ref(), Some(&wanted));
    assert!(trap(store("trap", [3, 0])).to_string().contains("at byte 12 of row 0"));
}

/// All threads of several blocks add to the same numbers.
#[test]
fn reductions_are_all_counted() {
    let (mut textures, _) = counted(ChannelFormat::Unsigned32, 1, Extent::D2 { width: 4, height: 2 }, None);
    textures.images[0].storage = Storage::Array(vec![0; 32]);
    let text = kernel(
        "and.b32 %r10, %r30, 3;\nsured.p.add.2d.b32.trap [%d0, {%r10,%r0}], %r1;\n\
        shl.b32 %r10, %r10, 2;\nsured.b.add.2d.u32.zero [%d0, {%r10,%r0}], %r1;",
    );
    let inputs: Vec<Vec<u32>> = (0..64).map(|_| vec![1, 3]).collect();
    let launch = Launch { grid: [8, 1, 1], ..launch(textures, Handle::Surface(0), &inputs) };
    let outcome = execute(&text, &launch).unwrap();
    let found = outcome.images[0].as_ref().unwrap();
    // 8 blocks of 16 threads each, twice 3.
    let wanted: Vec<u8> = [0u32, 0, 0, 0, 768, 768, 768, 768].iter().flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(found, &wanted);
}

#[test]
fn reductions_of_every_operation() {
    let (low, high) = (0x8000_0001u32, 0x7fff_fff0u32);
    // By bytes: the operation, its type, the old number, the operand and the new number.
    let words: [(&str, u64, u64, u64); 14] = [
        ("add.2d.u32", low.into(), high.into(), 0xffff_fff1),
        ("add.2d.s32", 5, (-7i32 as u32).into(), (-2i32 as u32).into()),
        ("add.2d.u64", u64::MAX, 3, 2),
        ("min.2d.u32", low.into(), high.into(), high.into()),
        ("min.2d.s32", low.into(), high.into(), low.into()),
        ("max.2d.u32", low.into(), high.into(), low.into()),
        ("max.2d.s32", low.into(), high.into(), high.into()),
        ("and.2d.b32", 0xff00_ff00, 0x0ff0_0ff0, 0x0f00_0f00),
        ("or.2d.b32", 0xff00_ff00, 0x0ff0_0ff0, 0xfff0_fff0),
        ("min.2d.u64", 1 << 63, 7, 7),
        ("max.2d.u64", 1 << 63, 7, 1 << 63),
        ("min.2d.s64", 1 << 63, 7, 1 << 63),
        ("max.2d.s64", 1 << 63, 7, 7),
        ("add.2d.u32", u32::MAX.into(), 1, 0),
    ];
    for (operation, old, operand, new) in words {
        let wide = operation.ends_with("64");
        let size = if wide { 8 } else { 4 };
        let (mut textures, mut bytes) =
            counted(ChannelFormat::Unsigned32, 2, Extent::D2 { width: 3, height: 2 }, None);
        bytes[32..32 + size].copy_from_slice(&old.to_le_bytes()[..size]);
        textures.images[0].storage = Storage::Array(bytes.clone());
        let register = if wide { "%d3" } else { "%r2" };
        let instruction =
            format!("mov.b64 %d3, {{%r2,%r3}};\nsured.b.{operation}.trap [%d0, {{%r0,%r1}}], {register};");
        let input = vec![8, 1, operand as u32, (operand >> 32) as u32];
        let outcome = on_surface(&instruction, &textures, &[input]).unwrap();
        bytes[32..32 + size].copy_from_slice(&new.to_le_bytes()[..size]);
        assert_eq!(outcome.images[0].as_ref(), Some(&bytes), "{operation}");
    }
    // By samples, where the format determines whether numbers are signed; x counts numbers of the type's size.
    for (format, operation, old, operand, new) in [
        (ChannelFormat::Unsigned32, "min.1d.b32", u64::from(low), u64::from(high), u64::from(high)),
        (ChannelFormat::Signed32, "min.1d.b32", low.into(), high.into(), low.into()),
        (ChannelFormat::Unsigned32, "max.1d.b32", low.into(), high.into(), low.into()),
        (ChannelFormat::Signed32, "max.1d.b32", low.into(), high.into(), high.into()),
        (ChannelFormat::Signed32, "add.1d.b32", 1, 2, 3),
        (ChannelFormat::Signed32, "and.1d.b32", 6, 3, 2),
        (ChannelFormat::Unsigned32, "or.1d.b32", 6, 3, 7),
        (ChannelFormat::Unsigned32, "min.1d.b64", 1 << 63, 7, 7),
        (ChannelFormat::Signed32, "min.1d.b64", 1 << 63, 7, 1 << 63),
        (ChannelFormat::Signed32, "max.1d.b64", 1 << 63, 7, 7),
    ] {
        let wide = operation.ends_with("64");
        let size = if wide { 8 } else { 4 };
        let (mut textures, mut bytes) =
            counted(format, if wide { 2 } else { 1 }, Extent::D1 { width: 4 }, None);
        bytes[2 * size..3 * size].copy_from_slice(&old.to_le_bytes()[..size]);
        textures.images[0].storage = Storage::Array(bytes.clone());
        let register = if wide { "%d3" } else { "%r2" };
        let instruction =
            format!("mov.b64 %d3, {{%r2,%r3}};\nsured.p.{operation}.clamp [%d0, {{%r0}}], {register};");
        let outcome =
            on_surface(&instruction, &textures, &[vec![2, 0, operand as u32, (operand >> 32) as u32]])
                .unwrap();
        bytes[2 * size..3 * size].copy_from_slice(&new.to_le_bytes()[..size]);
        assert_eq!(outcome.images[0].as_ref(), Some(&bytes), "{operation}");
    }
    let (textures, _) = counted(ChannelFormat::Float, 1, Extent::D1 { width: 4 }, None);
    let found = trap(on_surface("sured.p.add.1d.b32.trap [%d0, {%r0}], %r0;", &textures, &[vec![0]]));
    assert!(found.to_string().contains("combines integers"), "{found}");
}

#[test]
fn reductions_beyond_the_edge() {
    let (textures, bytes) =
        counted(ChannelFormat::Unsigned32, 1, Extent::D3 { width: 2, height: 2, depth: 2 }, None);
    let run = |mode: &str| {
        let text = format!("sured.b.or.3d.b32.{mode} [%d0, {{%r0,%r1,%r2,%r3}}], %r4;");
        on_surface(&text, &textures, &[signed(&[400, 1, -9, 0, -1])])
    };
    assert_eq!(run("zero").unwrap().images[0].as_ref(), Some(&bytes));
    let mut wanted = bytes.clone();
    wanted[12..16].copy_from_slice(&[255; 4]);
    assert_eq!(run("clamp").unwrap().images[0].as_ref(), Some(&wanted), "x 1, y 1, z 0");
    assert!(trap(run("trap")).to_string().contains("of row 1, plane -9"));
}

/// A level of a mipmap, and the faces of a cube as layers.
#[test]
fn levels_and_faces_are_surfaces() {
    let extent = Extent::D2 { width: 4, height: 4 };
    let bytes: Vec<u8> = (0..16 + 4 + 1).collect();
    let image = Image { levels: 3, ..Image::array(ChannelFormat::Unsigned8, 1, extent, bytes.clone()) };
    let textures = Textures {
        images: vec![image],
        surfaces: vec![Surface { image: 0, level: 1 }],
        ..Textures::default()
    };
    let text = "suld.b.2d.b8.trap %h0, [%d0, {%r0,%r1}];\ncvt.u32.u16 %r20, %h0;\nsust.b.2d.b8.trap [%d0, {%r1,%r0}], %r2;";
    let outcome = on_surface(text, &textures, &[vec![1, 0, 99]]).unwrap();
    assert_eq!(outputs(&outcome)[0][0], 17, "level 1 begins after 16 texels");
    let mut wanted = bytes;
    wanted[18] = 99;
    assert_eq!(outcome.images[0].as_ref(), Some(&wanted));

    let (textures, bytes) = counted(ChannelFormat::Unsigned8, 1, Extent::Cube { size: 3 }, Some(2));
    let text = "suld.b.a2d.b8.trap %h0, [%d0, {%r3,%r0,%r1,%r1}];\ncvt.u32.u16 %r20, %h0;";
    let found = outputs(&on_surface(text, &textures, &[vec![2, 1, 0, 11], vec![0, 0, 0, 6]]).unwrap());
    assert_eq!([found[0][0], found[1][0]], [u32::from(bytes[11 * 9 + 5]), u32::from(bytes[6 * 9])]);
    assert!(trap(on_surface(text, &textures, &[vec![2, 1, 0, 12]])).to_string().contains("layer 12 of 12"));
}

/// What is stored to a surface is fetched from a texture of the same image by the next launch, and by this one.
#[test]
fn textures_show_what_surfaces_hold() {
    let (mut textures, _) = counted(ChannelFormat::Unsigned8, 1, Extent::D1 { width: 8 }, None);
    textures.textures.push(Texture::new(0));
    let text = kernel(
        "ld.param.u64 %d3, [other];\nsust.p.1d.b32.trap [%d0, {%r30}], %r0;\n\
        tex.1d.v4.u32.s32 {%r20,%r21,%r22,%r23}, [%d3, {%r30}];",
    );
    let text = text.replace(".param .u64 out)", ".param .u64 out, .param .u64 other)");
    let inputs: Vec<Vec<u32>> = (0..8).map(|n| vec![100 + n * n]).collect();
    let mut launch = launch(textures, Handle::Surface(0), &inputs);
    launch.arguments.push(Argument::Handle(Handle::Texture(0)));
    let outcome = execute(&text, &launch).unwrap();
    let wanted: Vec<u8> = (0..8u8).map(|n| 100 + n * n).collect();
    assert_eq!(outcome.images, [Some(wanted.clone())]);
    let fetched: Vec<u8> = outputs(&outcome).iter().map(|words| words[0] as u8).collect();
    assert_eq!(fetched, wanted);
}

#[test]
fn what_is_no_surface_is_refused() {
    let refused = |image: Image, level| {
        let textures = Textures {
            images: vec![image],
            surfaces: vec![Surface { image: 0, level }],
            ..Textures::default()
        };
        let text = format!("{}.visible .entry k() {{ ret; }}", super::HEAD);
        super::refusal(execute(&text, &Launch { textures, ..Launch::new("k") }))
    };
    let image = Image::array(ChannelFormat::Unsigned8, 1, Extent::D1 { width: 2 }, vec![0; 2]);
    assert!(refused(image.clone(), 1).contains("surface 0 is of a level that the image does not have"));
    let linear = Image {
        storage: Storage::Linear { start: Start::Argument { index: 0, offset: 0 }, pitch: 0 },
        ..image
    };
    assert!(refused(linear, 0).contains("surfaces are of arrays"));
}

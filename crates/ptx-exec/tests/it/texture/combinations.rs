//! Every geometry with every way to choose a level, every type of results, and depths. All texels of a level and layer are the same, so that a
//! result is a formula of both: of level 0 or 1 and layer 0 or 1.

use ptx_exec::texture::{ChannelFormat, Comparison, Extent, Image, Sampler, Texture};

use super::{bits, fetch, sampled};

/// A geometry, its extent with 4 texels along each axis, and its layers; how coordinates and gradients are written.
struct Geometry {
    name: &'static str,
    extent: Extent,
    layers: Option<u32>,
    point: &'static str,
    gradient: &'static str,
}

const GEOMETRIES: [Geometry; 7] = [
    Geometry {
        name: "1d",
        extent: Extent::D1 { width: 4 },
        layers: None,
        point: "{%f0}",
        gradient: "{%f3}, {%f4}",
    },
    Geometry {
        name: "2d",
        extent: Extent::D2 { width: 4, height: 4 },
        layers: None,
        point: "{%f0,%f1}",
        gradient: "{%f4,%f3}, {%f4,%f5}",
    },
    Geometry {
        name: "3d",
        extent: Extent::D3 { width: 4, height: 4, depth: 4 },
        layers: None,
        point: "{%f0,%f1,%f2,%f2}",
        gradient: "{%f4,%f4,%f5,%f5}, {%f4,%f5,%f3,%f3}",
    },
    Geometry {
        name: "a1d",
        extent: Extent::D1 { width: 4 },
        layers: Some(2),
        point: "{%r6,%f0}",
        gradient: "{%f4}, {%f3}",
    },
    Geometry {
        name: "a2d",
        extent: Extent::D2 { width: 4, height: 4 },
        layers: Some(2),
        point: "{%r6,%f0,%f1,%f1}",
        gradient: "{%f3,%f4}, {%f5,%f4}",
    },
    Geometry {
        name: "cube",
        extent: Extent::Cube { size: 4 },
        layers: None,
        point: "{%f0,%f1,%f2,%f2}",
        gradient: "{%f4,%f3,%f4,%f4}, {%f4,%f5,%f5,%f5}",
    },
    Geometry {
        name: "acube",
        extent: Extent::Cube { size: 4 },
        layers: Some(2),
        point: "{%r6,%f0,%f1,%f2}",
        gradient: "{%f4,%f4,%f5,%f4}, {%f4,%f3,%f5,%f5}",
    },
];

impl Geometry {
    /// Two levels, every texel with the channels of its level and layer.
    fn image(&self, format: ChannelFormat, channels: impl Fn(u32, u32) -> Vec<[u8; 4]>) -> Image {
        let axes = match self.extent {
            Extent::D1 { .. } => 1,
            Extent::D2 { .. } | Extent::Cube { .. } => 2,
            Extent::D3 { .. } => 3,
        };
        let faces = if matches!(self.extent, Extent::Cube { .. }) { 6 } else { 1 };
        let mut bytes: Vec<u8> = Vec::new();
        for level in 0..2 {
            let texels = (4usize >> level).pow(axes) * faces;
            for layer in 0..self.layers.unwrap_or(1) {
                (0..texels).for_each(|_| bytes.extend(channels(level, layer).iter().flatten()));
            }
        }
        let count = channels(0, 0).len() as u32;
        Image { layers: self.layers, levels: 2, ..Image::array(format, count, self.extent, bytes) }
    }

    fn is_cube(&self) -> bool {
        matches!(self.extent, Extent::Cube { .. })
    }

    /// The mnemonic's beginning with what follows the coordinates, for each way to choose a level.
    fn ways(&self, is_whole: bool) -> Vec<(&'static str, String)> {
        let lod = if is_whole { "%r7" } else { "%f7" };
        let gradient = (".grad", format!(", {}", self.gradient));
        let mut ways = vec![("", String::new()), (".base", String::new()), (".level", format!(", {lod}"))];
        ways.extend((!is_whole).then_some(gradient));
        ways
    }

    /// Words of the threads for each level and layer: coordinates in the middle, gradients of more than a texel of level 1 or of
    /// nothing, the layer, the level and a depth.
    fn inputs(&self, is_whole: bool, depth: f32) -> Vec<(u32, u32, Vec<u32>)> {
        let mut all = Vec::new();
        for (level, layer) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            if layer >= self.layers.unwrap_or(1) {
                continue;
            }
            let at = if is_whole { [1, 0, 1] } else { [0.6f32, 0.25, 0.3].map(bits) };
            let change = bits(if level == 1 { 4.0 } else { 0.0 });
            let lod = if is_whole { level } else { bits(level as f32) };
            all.push((level, layer, [&at[..], &[change, 0, 0, layer, lod, bits(depth)]].concat()));
        }
        all
    }
}

fn half(x: f32) -> u32 {
    half::f16::from_f32(x).to_bits().into()
}

#[test]
fn levels_and_layers_of_every_geometry_in_every_type() {
    let value = |level: u32, layer: u32| 1.0 + 2.0 * level as f32 + 8.0 * layer as f32;
    let floats = |level, layer| {
        let x = value(level, layer);
        [x, -x, x / 2.0, 1024.0]
    };
    for geometry in &GEOMETRIES {
        let real = geometry
            .image(ChannelFormat::Float, |level, layer| floats(level, layer).map(f32::to_le_bytes).to_vec());
        let whole = |format| {
            geometry.image(format, |level, layer| {
                let x = value(level, layer) as u32;
                [x, x.wrapping_neg(), x + 1, 7].map(u32::to_le_bytes).to_vec()
            })
        };
        for is_whole in [false, true] {
            if is_whole && geometry.is_cube() {
                continue;
            }
            let at = if is_whole { geometry.point.replace("%f", "%r") } else { geometry.point.to_owned() };
            let ty = if is_whole { "s32" } else { "f32" };
            for (way, rest) in geometry.ways(is_whole) {
                for (results, kind) in [
                    ("v4.f32", "{%r20,%r21,%r22,%r23}"),
                    ("v4.u32", "{%r20,%r21,%r22,%r23}"),
                    ("v4.s32", "{%r20,%r21,%r22,%r23}"),
                    ("v4.f16", "{%h0,%h1,%h2,%h3}"),
                    ("v2.f16x2", "{%r20,%r21}"),
                ] {
                    let mut instruction =
                        format!("tex{way}.{}.{results}.{ty} {kind}, [%d0, {at}]{rest};", geometry.name);
                    if results == "v4.f16" {
                        (0..4).for_each(|n| instruction += &format!("\ncvt.u32.u16 %r2{n}, %h{n};"));
                    }
                    let image = match results {
                        "v4.u32" => whole(ChannelFormat::Unsigned32),
                        "v4.s32" => whole(ChannelFormat::Signed32),
                        _ => real.clone(),
                    };
                    let inputs = geometry.inputs(is_whole, 0.0);
                    let words: Vec<Vec<u32>> = inputs.iter().map(|(.., words)| words.clone()).collect();
                    let texture = if is_whole { Texture::new(0) } else { sampled(true, Sampler::default()) };
                    let found = fetch(&instruction, image, texture, &words);
                    for ((level, layer, _), found) in inputs.into_iter().zip(found) {
                        let level = if matches!(way, "" | ".base") { 0 } else { level };
                        let [r, g, b, a] = floats(level, layer);
                        let x = value(level, layer) as u32;
                        let wanted = match results {
                            "v4.f32" => [r, g, b, a].map(bits),
                            "v4.f16" => [r, g, b, a].map(half),
                            "v2.f16x2" => [half(r) | half(g) << 16, half(b) | half(a) << 16, 77, 77],
                            _ => [x, x.wrapping_neg(), x + 1, 7],
                        };
                        assert_eq!(found[..4], wanted, "{instruction} level {level} layer {layer}");
                    }
                }
            }
        }
    }
}

#[test]
fn depths_of_every_geometry() {
    // 1/8, 3/8, 5/8, 7/8 by level and layer; a depth of 1/2 is below the last two.
    let texel = |level: u32, layer: u32| (1 + 2 * level + 4 * layer) as f32 / 8.0;
    let sampler = Sampler { comparison: Comparison::Less, ..Sampler::default() };
    for geometry in GEOMETRIES.iter().filter(|geometry| geometry.name != "3d") {
        let image =
            geometry.image(ChannelFormat::Float, |level, layer| vec![texel(level, layer).to_le_bytes()]);
        for (way, rest) in geometry.ways(false) {
            for (results, kind) in [
                ("v4.f32", "{%r20,%r21,%r22,%r23}"),
                ("v4.f16", "{%h0,%h1,%h2,%h3}"),
                ("v2.f16x2", "{%r20,%r21}"),
            ] {
                let Geometry { name, point, .. } = geometry;
                let mut instruction =
                    format!("tex{way}.{name}.{results}.f32 {kind}, [%d0, {point}]{rest}, %f8;");
                if results == "v4.f16" {
                    (0..4).for_each(|n| instruction += &format!("\ncvt.u32.u16 %r2{n}, %h{n};"));
                }
                for depth in [0.5, 0.2] {
                    let inputs = geometry.inputs(false, depth);
                    let words: Vec<Vec<u32>> = inputs.iter().map(|(.., words)| words.clone()).collect();
                    let found = fetch(&instruction, image.clone(), sampled(true, sampler), &words);
                    for ((level, layer, _), found) in inputs.into_iter().zip(found) {
                        let level = if matches!(way, "" | ".base") { 0 } else { level };
                        let result = if depth < texel(level, layer) { 1.0 } else { 0.0 };
                        // Channels that are not there are 0, and the last one 1.
                        let wanted = match results {
                            "v4.f32" => [result, 0.0, 0.0, 1.0].map(bits),
                            "v4.f16" => [result, 0.0, 0.0, 1.0].map(half),
                            _ => [half(result), half(1.0) << 16, 77, 77],
                        };
                        assert_eq!(
                            found[..4],
                            wanted,
                            "{instruction} level {level} layer {layer} depth {depth}"
                        );
                    }
                }
            }
        }
    }
}

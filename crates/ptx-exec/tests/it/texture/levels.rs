//! Mipmaps: `.level` and `.grad`.

use ptx_exec::texture::{
    AddressMode, ChannelFormat, Extent, Filter, Handle, Image, Sampler, Texture, Textures,
};

use super::model::{Axis, sample};
use super::{Random, bits, execute, fetch, kernel, sampled, trap};

/// An image of 8 by 4 texels with its 4 levels, whose sizes are halved and at least 1 (manual 9.7.10.2); and the texels of each.
fn mipmap() -> (Image, Vec<(i64, i64, Vec<f32>)>) {
    let mut random = Random(3);
    let levels: Vec<(i64, i64, Vec<f32>)> = [(8, 4), (4, 2), (2, 1), (1, 1)]
        .into_iter()
        .map(|(w, h)| (w, h, (0..w * h).map(|_| random.between(-10.0, 10.0)).collect()))
        .collect();
    let bytes = levels.iter().flat_map(|(.., values)| values.iter().flat_map(|x| x.to_le_bytes())).collect();
    let extent = Extent::D2 { width: 8, height: 4 };
    (Image { levels: 4, ..Image::array(ChannelFormat::Float, 1, extent, bytes) }, levels)
}

fn at_level(level: &(i64, i64, Vec<f32>), at: &[f32], sampler: &Sampler) -> f64 {
    let (w, h, values) = level;
    let axis = |n, mode| Axis { n, mode, normalized: true, offset: 0 };
    let axes = [axis(*w, sampler.address[0]), axis(*h, sampler.address[1])];
    let texel = |numbers: Option<Vec<i64>>| {
        numbers.map_or(0.0, |numbers| f64::from(values[(numbers[1] * w + numbers[0]) as usize]))
    };
    // In double precision: the levels are mixed before the result is rounded.
    let mut sum = 0.0;
    for (x, a) in axes[0].parts(at[0], sampler.filter) {
        for (y, b) in axes[1].parts(at[1], sampler.filter) {
            sum += a * b * texel(x.zip(y).map(|(x, y)| vec![x, y]));
        }
    }
    sum
}

/// The level of detail with the bias, clamped to the sampler's levels and to those that there are; the nearest level, or both
/// neighbours with weights of 8 bits of fraction.
fn wanted(levels: &[(i64, i64, Vec<f32>)], at: &[f32], lod: f64, sampler: &Sampler) -> f32 {
    let [low, high] = sampler.level_clamp.map(f64::from);
    let lod = (lod + f64::from(sampler.level_bias)).min(high).max(low).clamp(0.0, 3.0);
    let value = match sampler.level_filter {
        Filter::Point => at_level(&levels[(lod + 0.5).floor() as usize], at, sampler),
        Filter::Linear => {
            let beta = ((lod - lod.floor()) * 256.0).round() / 256.0;
            let first = lod.floor() as usize;
            let coarser = levels.get(first + 1).map_or(0.0, |level| at_level(level, at, sampler));
            (1.0 - beta) * at_level(&levels[first], at, sampler) + beta * coarser
        }
    };
    value as f32
}

fn samplers() -> Vec<Sampler> {
    let mut all = Vec::new();
    for filter in [Filter::Point, Filter::Linear] {
        for level_filter in [Filter::Point, Filter::Linear] {
            for (level_bias, level_clamp) in [(0.0, [0.0, 100.0]), (0.75, [0.5, 2.25]), (-1.0, [1.0, 1.0])] {
                let address = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Clamp];
                all.push(Sampler {
                    filter,
                    level_filter,
                    level_bias,
                    level_clamp,
                    address,
                    ..Sampler::default()
                });
            }
        }
    }
    all
}

#[test]
fn levels_are_chosen_and_mixed() {
    let (image, levels) = mipmap();
    let mut random = Random(17);
    for sampler in samplers() {
        let points: Vec<[f32; 3]> = (0..120)
            .map(|n| {
                let lod = if n < 20 { n as f32 / 4.0 - 1.0 } else { random.between(-1.0, 4.5) };
                [random.between(-0.5, 1.5), random.between(-0.5, 1.5), lod]
            })
            .collect();
        let inputs: Vec<Vec<u32>> = points.iter().map(|at| at.iter().map(|&x| bits(x)).collect()).collect();
        let instruction = "tex.level.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}], %f2;";
        let found = fetch(instruction, image.clone(), sampled(true, sampler), &inputs);
        for (at, found) in points.iter().zip(found) {
            let wanted = wanted(&levels, at, at[2].into(), &sampler);
            let got = f32::from_bits(found[0]);
            // The sums of both sides are of the same numbers in other orders.
            assert!((got - wanted).abs() <= 2e-6, "{at:?}: {got} for {wanted}, {sampler:?}");
        }
    }
}

/// Without a level the finest one that the sampler allows is taken, with any bias.
#[test]
fn the_base_level_is_the_finest_one() {
    let (image, levels) = mipmap();
    for instruction in ["tex.2d", "tex.base.2d"] {
        let text = format!("{instruction}.v4.f32.f32 {{%r20,%r21,%r22,%r23}}, [%d0, {{%f0,%f1}}];");
        for (level_clamp, level) in [([0.0, 9.0], 0), ([2.0, 9.0], 2)] {
            let sampler = Sampler { level_bias: 3.0, level_clamp, ..Sampler::default() };
            let found = fetch(&text, image.clone(), sampled(true, sampler), &[vec![bits(0.99), bits(0.99)]]);
            assert_eq!(f32::from_bits(found[0][0]), *levels[level].2.last().unwrap());
        }
    }
}

#[test]
fn whole_coordinates_and_levels() {
    let (image, levels) = mipmap();
    let mut inputs = Vec::new();
    for level in -1i32..6 {
        for x in 0..9 {
            inputs.push(vec![x, 1, level as u32]);
        }
    }
    let instruction = "tex.level.2d.v4.f32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r1}], %r2;";
    for (input, found) in inputs.iter().zip(fetch(instruction, image.clone(), Texture::new(0), &inputs)) {
        let (w, h, values) = &levels[(input[2] as i32).clamp(0, 3) as usize];
        let (x, y) = (i64::from(input[0]).min(w - 1), 1.min(h - 1));
        assert_eq!(f32::from_bits(found[0]), values[(y * w + x) as usize], "{input:?}");
    }
}

/// λ = log2(ρ), where ρ is the longer of the changes of the coordinates along x and along y of the screen, in texels.
#[test]
fn gradients_choose_levels() {
    let (image, levels) = mipmap();
    let mut random = Random(23);
    for sampler in samplers() {
        let mut points: Vec<[f32; 6]> = (0..100)
            .map(|_| {
                let mut small = || random.between(-0.4, 0.4);
                let [a, b, c, d] = [small(), small(), small(), small()];
                [random.between(0.0, 1.0), random.between(0.0, 1.0), a, b, c, d]
            })
            .collect();
        // Without any change: the finest level. A change of 2 texels along x: level 1; of 4 along y: level 2.
        points.push([0.3, 0.6, 0.0, 0.0, 0.0, 0.0]);
        points.push([0.3, 0.6, 0.25, 0.0, 0.0, 0.0]);
        points.push([0.3, 0.6, 0.0, 0.0, 0.0, 1.0]);
        let inputs: Vec<Vec<u32>> = points.iter().map(|at| at.iter().map(|&x| bits(x)).collect()).collect();
        let instruction =
            "tex.grad.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}], {%f2,%f3}, {%f4,%f5};";
        let found = fetch(instruction, image.clone(), sampled(true, sampler), &inputs);
        for (at, found) in points.iter().zip(found) {
            let [_, _, a, b, c, d] = at.map(f64::from);
            let length = |s: f64, t: f64| (s * 8.0 * s * 8.0 + t * 4.0 * t * 4.0).sqrt();
            let lod = length(a, b).max(length(c, d)).log2();
            let wanted = wanted(&levels, at, lod, &sampler);
            let got = f32::from_bits(found[0]);
            assert!((got - wanted).abs() <= 2e-6, "{at:?}: {got} for {wanted}, {sampler:?}");
        }
    }
}

#[test]
fn gradients_of_one_and_three_axes_and_of_layers() {
    // Level n holds n everywhere.
    let constant = |sizes: &[usize]| -> Vec<u8> {
        sizes.iter().enumerate().flat_map(|(n, &size)| vec![n as u8; size]).collect()
    };
    let format = ChannelFormat::Unsigned8;
    let d1 = Image { levels: 4, ..Image::array(format, 1, Extent::D1 { width: 8 }, constant(&[8, 4, 2, 1])) };
    let d3 = Extent::D3 { width: 8, height: 4, depth: 2 };
    let d3 = Image { levels: 4, ..Image::array(format, 1, d3, constant(&[64, 8, 2, 1])) };
    let layered = Image { layers: Some(2), levels: 4, ..d1.clone() };
    let layered = Image { storage: ptx_exec::texture::Storage::Array(constant(&[16, 8, 4, 2])), ..layered };
    let texture = Texture { normalized: Some(true), ..Texture::new(0) };
    let input = |change: [f32; 6]| -> Vec<u32> { change.iter().map(|&x| bits(x)).collect() };
    let at = "{%r20,%r21,%r22,%r23}, [%d0, ";
    // 8 * 0.5 = 4 texels: level 2; 2 * 1 = 2 along z: level 1; the square root of 4² + 4² + 2² is 6, its logarithm 2.58: level 3.
    let text = format!("tex.grad.1d.v4.u32.f32 {at}{{%f6}}], {{%f0}}, {{%f3}};");
    let found = fetch(
        &text,
        d1,
        texture,
        &[input([0.5, 9.0, 9.0, 0.0, 9.0, 9.0]), input([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])],
    );
    assert_eq!([found[0][0], found[1][0]], [2, 3]);
    let text = format!("tex.grad.a1d.v4.u32.f32 {at}{{%r6,%f6}}], {{%f0}}, {{%f3}};");
    let found = fetch(&text, layered, texture, &[input([0.5, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    assert_eq!(found[0][0], 2);
    let text =
        format!("tex.grad.3d.v4.u32.f32 {at}{{%f6,%f6,%f6,%f6}}], {{%f0,%f1,%f2,%f0}}, {{%f3,%f4,%f5,%f0}};");
    let changes = [input([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), input([0.0, 0.0, 0.0, 0.5, 1.0, 1.0])];
    let found = fetch(&text, d3, texture, &changes);
    assert_eq!([found[0][0], found[1][0]], [1, 3]);
}

#[test]
fn anisotropic_gradients_are_refused_by_name() {
    let (image, _) = mipmap();
    let sampler = Sampler { max_anisotropy: 8, ..Sampler::default() };
    let textures =
        Textures { images: vec![image], textures: vec![sampled(true, sampler)], ..Textures::default() };
    let text =
        kernel("tex.grad.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}], {%f2,%f3}, {%f4,%f5};");
    let found = trap(execute(&text, &super::launch(textures, Handle::Texture(0), &[vec![0]]))).to_string();
    assert!(found.contains("a largest anisotropy of 1, and the sampler has 8"), "{found}");
}

/// A level of a 2D image is filtered as an image of its own.
#[test]
fn sample_of_the_model_agrees_with_its_axes() {
    let axis = |n| Axis { n, mode: AddressMode::Clamp, normalized: false, offset: 0 };
    let texel =
        |numbers: Option<Vec<i64>>| numbers.map_or(0.0, |numbers| (numbers[0] * 10 + numbers[1]) as f64);
    // x_B = 0.75, y_B = 0.25: by hand 7.5 + 0.25.
    assert_eq!(sample(&[axis(3), axis(3)], &[1.25, 0.75], Filter::Linear, &texel), 7.75);
}

//! Pairs of halves, and comparisons of depths, from chosen levels. Every texel of a level is the same, so that a result tells which level
//! it is from: λ = log2(ρ) of gradients (CUDA C++ Programming Guide, "Texture Fetching"), and the nearest level of a given one.

use ptx_exec::texture::{ChannelFormat, Comparison, Extent, Image, Sampler};

use super::{bits, fetch, sampled};

const SIZES: [usize; 4] = [32, 8, 2, 1];

/// 8 by 4 texels with 4 levels; all texels of a level have these channels.
fn mipmap(channels: u32, of_level: impl Fn(usize) -> Vec<f32>) -> Image {
    let texels = SIZES.iter().enumerate().flat_map(|(level, &size)| vec![of_level(level); size]).flatten();
    let bytes = texels.flat_map(|x| x.to_le_bytes()).collect();
    let extent = Extent::D2 { width: 8, height: 4 };
    Image { levels: 4, ..Image::array(ChannelFormat::Float, channels, extent, bytes) }
}

fn channels(level: usize) -> Vec<f32> {
    vec![level as f32 + 0.5, -(level as f32), 100.0 * level as f32, 1.0 / 3.0]
}

fn pairs(values: &[f32]) -> [u32; 2] {
    let half = |x: f32| u32::from(half::f16::from_f32(x).to_bits());
    [half(values[0]) | half(values[1]) << 16, half(values[2]) | half(values[3]) << 16]
}

#[test]
fn halves_are_of_the_level_that_is_chosen() {
    let image = mipmap(4, channels);
    // Coordinates, then a level or gradients: along x by 0.25 of 8 texels and by 0 of 4 is level 1, by 1 of 8 level 3.
    let float = |values: &[f32]| values.iter().map(|&x| bits(x)).collect::<Vec<u32>>();
    let gradients = [float(&[0.5, 0.5, 0.25, 0.0, 0.0, 0.0]), float(&[0.5, 0.5, 0.0, 0.0, 1.0, 0.0])];
    let to = "{%r20,%r21}, [%d0, ";
    for (instruction, normalized, inputs, levels) in [
        (format!("tex.2d.v2.f16x2.s32 {to}{{%r0,%r1}}];"), false, [vec![1, 2], vec![9, 9]], [0, 0]),
        (
            format!("tex.level.2d.v2.f16x2.s32 {to}{{%r0,%r1}}], %r2;"),
            false,
            [vec![1, 1, 1], vec![0, 0, 3]],
            [1, 3],
        ),
        (
            format!("tex.level.2d.v2.f16x2.f32 {to}{{%f0,%f1}}], %f2;"),
            true,
            [float(&[0.1, 0.9, 2.25]), float(&[0.5, 0.5, -1.0])],
            [2, 0],
        ),
        (
            format!("tex.grad.2d.v2.f16x2.f32 {to}{{%f0,%f1}}], {{%f2,%f3}}, {{%f4,%f5}};"),
            true,
            gradients.clone(),
            [1, 3],
        ),
        // The machine instruction of gradients takes single precision for every type.
        (
            format!("tex.grad.2d.v2.f16x2.s32 {to}{{%r0,%r1}}], {{%f2,%f3}}, {{%f4,%f5}};"),
            true,
            gradients.clone(),
            [1, 3],
        ),
    ] {
        let found = fetch(&instruction, image.clone(), sampled(normalized, Sampler::default()), &inputs);
        for (found, level) in found.iter().zip(levels) {
            assert_eq!(found[..2], pairs(&channels(level)), "{instruction}");
        }
    }
    let instruction = "tex.grad.2d.v4.f32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r1}], {%f2,%f3}, {%f4,%f5};";
    let found = fetch(instruction, image, sampled(true, Sampler::default()), &gradients);
    for (found, level) in found.iter().zip([1, 3]) {
        assert_eq!(found[..4], float(&channels(level)));
    }
}

#[test]
fn integer_coordinates_of_gradients_are_the_bits_of_numbers() {
    // 8 texels in one row; 0.3 of 8 is in the third.
    let bytes = (0..8).flat_map(|n| (n as f32).to_le_bytes()).collect();
    let image = Image::array(ChannelFormat::Float, 1, Extent::D1 { width: 8 }, bytes);
    let instruction = "tex.grad.1d.v4.f32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0}], {%f1}, {%f1};";
    let found =
        fetch(instruction, image, sampled(true, Sampler::default()), &[vec![bits(0.3), 0], vec![5, 0]]);
    // 5 is a number next to 0.
    assert_eq!([found[0][0], found[1][0]], [bits(2.0), bits(0.0)]);
}

#[test]
fn depths_are_compared_on_the_level_that_is_chosen() {
    // Level n has the depth n / 4.
    let image = mipmap(1, |level| vec![level as f32 / 4.0]);
    let sampler = Sampler { comparison: Comparison::Less, ..Sampler::default() };
    // The depth in %f7; a level or the gradients of one.
    let input = |level: f32, change: f32, depth: f32| {
        [0.5, 0.5, level, change, 0.0, 0.0, 0.0, depth].map(bits).to_vec()
    };
    let inputs = [input(1.0, 0.25, 0.2), input(1.0, 0.25, 0.25), input(3.0, 1.0, 0.7), input(2.0, 0.5, 0.7)];
    let passes = [true, false, true, false];
    let gradients = "{%f3,%f4}, {%f5,%f6}";
    for (instruction, is_base) in [
        ("tex.2d.NN [%d0, {%f0,%f1}], %f7;".to_owned(), true),
        ("tex.level.2d.NN [%d0, {%f0,%f1}], %f2, %f7;".to_owned(), false),
        (format!("tex.grad.2d.NN [%d0, {{%f0,%f1}}], {gradients}, %f7;"), false),
    ] {
        for (types, is_half) in
            [("v2.f16x2.f32 {%r20,%r21},", true), ("v4.f32.f32 {%r20,%r21,%r22,%r23},", false)]
        {
            let instruction = instruction.replace("NN", types);
            let found = fetch(&instruction, image.clone(), sampled(true, sampler), &inputs);
            for (found, passes) in found.iter().zip(passes) {
                // On level 0 nothing is below the depth 0.
                let result = f32::from(u8::from(passes && !is_base));
                // Channels that are not there are 0, and the last one 1.
                let wanted = [result, 0.0, 0.0, 1.0];
                if is_half {
                    assert_eq!(found[..2], pairs(&wanted), "{instruction}");
                } else {
                    assert_eq!(found[..4], wanted.map(bits), "{instruction}");
                }
            }
        }
    }
}

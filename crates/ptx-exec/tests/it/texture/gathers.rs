//! `tld4`, comparisons of depths, and textures with several samples.

use ptx_exec::texture::{
    AddressMode, ChannelFormat, Comparison, Extent, Filter, Handle, Image, Sampler, Texture, Textures,
};

use super::model::{Axis, sample};
use super::{Random, bits, execute, fetch, kernel, sampled, singles, trap};

/// The footprint of the linear filter: columns i and i+1 of rows j and j+1, where i = floor(x - 0.5); from the lower left
/// counter-clockwise, with y going down: (i, j+1), (i+1, j+1), (i+1, j), (i, j).
#[test]
fn gathers_begin_at_the_lower_left() {
    let extent = Extent::D2 { width: 4, height: 4 };
    let bytes: Vec<u8> = (0..16u8).flat_map(|n| [n, 100 + n, 50 + n, 200 + n]).collect();
    let image = Image::array(ChannelFormat::Unsigned8, 4, extent, bytes);
    for (component, base) in [("r", 0), ("g", 100), ("b", 50), ("a", 200)] {
        let instruction =
            format!("tld4.{component}.2d.v4.u32.f32 {{%r20,%r21,%r22,%r23}}|%p1, [%d0, {{%f0,%f1}}];");
        // Between the middles of texels (1, 2) and (2, 3); then one texel to the left and two up, by an offset.
        let found = fetch(&instruction, image.clone(), Texture::new(0), &[vec![bits(2.2), bits(3.1)]]);
        assert_eq!(found[0], [base + 13, base + 14, base + 10, base + 9, 1]);
        let instruction = format!(
            "tld4.{component}.2d.v4.u32.f32 {{%r20,%r21,%r22,%r23}}, [%d0, {{%f0,%f1}}], {{%r2,%r3}};"
        );
        let input = vec![bits(2.2), bits(3.1), -1i32 as u32, -2i32 as u32];
        let found = fetch(&instruction, image.clone(), Texture::new(0), &[input]);
        assert_eq!(found[0][..4], [base + 4, base + 5, base + 1, base]);
    }
}

#[test]
fn gathers_follow_the_address_modes() {
    let (image, values) = singles(Extent::D2 { width: 3, height: 2 }, 6);
    let mut random = Random(5);
    for mode in [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border] {
        let sampler = Sampler { address: [mode; 3], border: [-7.0; 4], ..Sampler::default() };
        let points: Vec<[f32; 2]> =
            (0..100).map(|_| [random.between(-1.0, 2.0), random.between(-1.0, 2.0)]).collect();
        let inputs: Vec<Vec<u32>> = points.iter().map(|at| at.iter().map(|&x| bits(x)).collect()).collect();
        let instruction = "tld4.r.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}];";
        let found = fetch(instruction, image.clone(), sampled(true, sampler), &inputs);
        for (at, found) in points.iter().zip(found) {
            let axis = |n, x| Axis { n, mode, normalized: true, offset: 0 }.parts(x, Filter::Linear);
            let (columns, rows) = (axis(3, at[0]), axis(2, at[1]));
            let texel = |column: usize, row: usize| match (columns[column].0, rows[row].0) {
                (Some(x), Some(y)) => values[(y * 3 + x) as usize],
                _ => -7.0,
            };
            let wanted = [texel(0, 1), texel(1, 1), texel(1, 0), texel(0, 0)].map(bits);
            assert_eq!(found[..4], wanted, "{at:?} {mode:?}");
        }
    }
}

#[test]
fn gathers_from_layers() {
    let (mut image, values) = singles(Extent::D2 { width: 2, height: 2 }, 12);
    image.layers = Some(3);
    let instruction = "tld4.r.a2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%f1,%f2,%f3}];";
    for layer in [0, 2, 9] {
        let found = fetch(instruction, image.clone(), Texture::new(0), &[vec![layer, bits(1.0), bits(1.0)]]);
        let own = &values[layer.min(2) as usize * 4..];
        assert_eq!(found[0][..4], [own[2], own[3], own[1], own[0]].map(bits));
    }
}

/// Each texel is compared, then the results 0 and 1 are mixed.
#[test]
fn depths_are_compared_before_the_filter() {
    let values: [f32; 6] = [0.1, 0.5, 0.9, 0.5, 0.3, 0.7];
    let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let image = Image::array(ChannelFormat::Float, 1, Extent::D2 { width: 3, height: 2 }, bytes);
    type Passes = fn(f32, f32) -> bool;
    let comparisons: [(Comparison, Passes); 8] = [
        (Comparison::Never, |_, _| false),
        (Comparison::Less, |depth, texel| depth < texel),
        (Comparison::Equal, |depth, texel| depth == texel),
        (Comparison::LessOrEqual, |depth, texel| depth <= texel),
        (Comparison::Greater, |depth, texel| depth > texel),
        (Comparison::NotEqual, |depth, texel| depth != texel),
        (Comparison::GreaterOrEqual, |depth, texel| depth >= texel),
        (Comparison::Always, |_, _| true),
    ];
    let mut random = Random(11);
    for (comparison, passes) in comparisons {
        for filter in [Filter::Point, Filter::Linear] {
            let sampler = Sampler { comparison, filter, ..Sampler::default() };
            let points: Vec<[f32; 3]> = (0..60)
                .map(|n| [random.between(-1.0, 4.0), random.between(-1.0, 3.0), [0.5, 0.2, 0.6][n % 3]])
                .collect();
            let inputs: Vec<Vec<u32>> =
                points.iter().map(|at| at.iter().map(|&x| bits(x)).collect()).collect();
            let instruction = "tex.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}], %f2;";
            let found = fetch(instruction, image.clone(), sampled(false, sampler), &inputs);
            let gather = "tld4.r.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}], %f2;";
            let gathered = fetch(gather, image.clone(), sampled(false, sampler), &inputs);
            for ((at, found), gathered) in points.iter().zip(found).zip(gathered) {
                let texel = |x: i64, y: i64| f64::from(u8::from(passes(at[2], values[(y * 3 + x) as usize])));
                let axis = |n| Axis { n, mode: AddressMode::Clamp, normalized: false, offset: 0 };
                let wanted = sample(&[axis(3), axis(2)], at, filter, &|numbers| {
                    numbers.map_or(0.0, |numbers| texel(numbers[0], numbers[1]))
                });
                assert_eq!(f32::from_bits(found[0]), wanted, "{at:?} {comparison:?} {filter:?}");
                assert_eq!(found[1..4], [0, 0, bits(1.0)], "there are no other channels");
                let (columns, rows) =
                    (axis(3).parts(at[0], Filter::Linear), axis(2).parts(at[1], Filter::Linear));
                let of = |column: usize, row: usize| {
                    bits(texel(columns[column].0.unwrap(), rows[row].0.unwrap()) as f32)
                };
                assert_eq!(gathered[..4], [of(0, 1), of(1, 1), of(1, 0), of(0, 0)]);
            }
        }
    }
}

/// The first coordinate is the sample, or the layer and then the sample.
#[test]
fn samples_of_a_texel() {
    let bytes: Vec<u8> = (0..3 * 2 * 4 * 2u8).collect();
    let extent = Extent::D2 { width: 3, height: 2 };
    let image = Image { samples: 4, ..Image::array(ChannelFormat::Unsigned8, 2, extent, bytes) };
    let mut inputs = Vec::new();
    for sample in 0..4u32 {
        for y in 0..2u32 {
            for x in 0..3u32 {
                inputs.push(vec![sample, x, y]);
            }
        }
    }
    let instruction = "tex.2dms.v4.u32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r1,%r2,%r3}];";
    for (input, found) in inputs.iter().zip(fetch(instruction, image.clone(), Texture::new(0), &inputs)) {
        let [sample, x, y] = input[..] else { unreachable!() };
        let first = ((y * 3 + x) * 4 + sample) * 2;
        assert_eq!(found[..4], [first, first + 1, 0, 1]);
    }
    let moved = "tex.2dms.v4.u32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r1,%r2,%r3}], {%r4,%r5};";
    let found = fetch(moved, image.clone(), Texture::new(0), &[vec![2, 2, 0, 0, -1i32 as u32, 1]]);
    assert_eq!(found[0][0], ((3 + 1) * 4 + 2) * 2);

    let bytes: Vec<u8> = (0..2 * 2 * 2 * 3).collect();
    let extent = Extent::D2 { width: 2, height: 2 };
    let array =
        Image { samples: 2, layers: Some(3), ..Image::array(ChannelFormat::Unsigned8, 1, extent, bytes) };
    let inputs: Vec<Vec<u32>> = (0..24u32).map(|n| vec![n / 8, n % 2, n / 2 % 2, n / 4 % 2]).collect();
    let instruction = "tex.a2dms.v4.u32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r1,%r2,%r3}];";
    for (n, found) in fetch(instruction, array, Texture::new(0), &inputs).into_iter().enumerate() {
        assert_eq!(found[0] as usize, n);
    }

    let textures = Textures { images: vec![image], textures: vec![Texture::new(0)], ..Textures::default() };
    let launch = super::launch(textures, Handle::Texture(0), &[vec![4, 0, 0]]);
    let text = kernel("tex.2dms.v4.u32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r1,%r2,%r3}];");
    let found = trap(execute(&text, &launch)).to_string();
    assert!(found.contains("a texel has 4 samples; there is none with number 4"), "{found}");
}

//! Addressing and filters, in one to three axes and in arrays.

use ptx_exec::texture::{
    AddressMode, ChannelFormat, Extent, Filter, Image, Sampler, Start, Storage, Texture, Textures,
};
use ptx_exec::{Argument, Launch};

use super::model::{Axis, sample};
use super::{Random, bits, execute, fetch, kernel, refusal, sampled, singles, trap};

const MODES: [AddressMode; 5] =
    [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border, AddressMode::ClampOgl];
const FILTERS: [Filter; 2] = [Filter::Point, Filter::Linear];
const BORDER: [f32; 4] = [-40.0, 2.0, 3.0, 4.0];

/// Every mode with both filters, normalized and not.
fn samplers() -> Vec<(Sampler, bool)> {
    let mut all = Vec::new();
    for mode in MODES {
        for filter in FILTERS {
            for normalized in [false, true] {
                // Along y the next mode, along z the one after it.
                let at = MODES.iter().position(|&known| known == mode).unwrap();
                let address = [mode, MODES[(at + 1) % 5], MODES[(at + 2) % 5]];
                all.push((Sampler { address, filter, border: BORDER, ..Sampler::default() }, normalized));
            }
        }
    }
    all
}

fn axes(size: &[i64], sampler: &Sampler, normalized: bool, offsets: &[i64]) -> Vec<Axis> {
    size.iter()
        .enumerate()
        .map(|(n, &size)| Axis {
            n: size,
            mode: sampler.address[n],
            normalized,
            offset: offsets.get(n).copied().unwrap_or(0),
        })
        .collect()
}

/// Coordinates in and around an image; the first ones are edges and middles of texels.
fn points(size: &[i64], normalized: bool) -> Vec<Vec<f32>> {
    let mut random = Random(99);
    let mut all: Vec<Vec<f32>> = Vec::new();
    for quarter in -10..=18 {
        all.push(
            size.iter()
                .map(|&n| quarter as f32 / 4.0 * if normalized { 1.0 / n as f32 } else { 1.0 })
                .collect(),
        );
    }
    for _ in 0..200 {
        all.push(
            size.iter()
                .map(|&n| {
                    let scale = if normalized { 1.0 } else { n as f32 };
                    random.between(-1.6, 2.7) * scale
                })
                .collect(),
        );
    }
    all
}

fn check(instruction: &str, extent: Extent, size: &[i64], offsets: &[i64]) {
    let (image, values) = singles(extent, size.iter().product::<i64>() as usize);
    let texel = |numbers: Option<Vec<i64>>| match numbers {
        None => f64::from(BORDER[0]),
        Some(numbers) => {
            let index = numbers.iter().zip(size).rev().fold(0, |index, (&i, &n)| index * n + i);
            f64::from(values[index as usize])
        }
    };
    for (sampler, normalized) in samplers() {
        let points = points(size, normalized);
        let mut words = Vec::new();
        for at in &points {
            let mut input: Vec<u32> = at.iter().map(|&x| bits(x)).collect();
            input.resize(4, bits(55.0));
            input.extend(offsets.iter().map(|&offset| offset as u32));
            words.push(input);
        }
        let found = fetch(instruction, image.clone(), sampled(normalized, sampler), &words);
        for (at, found) in points.iter().zip(found) {
            let wanted = sample(&axes(size, &sampler, normalized, offsets), at, sampler.filter, &texel);
            let got = f32::from_bits(found[0]);
            assert_eq!(got, wanted, "{instruction} at {at:?}, normalized {normalized}, {sampler:?}");
        }
    }
}

#[test]
fn one_axis_in_every_mode_with_both_filters() {
    check("tex.1d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0}];", Extent::D1 { width: 5 }, &[5], &[]);
    check("tex.1d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, %f0];", Extent::D1 { width: 1 }, &[1], &[]);
}

#[test]
fn two_axes_in_every_mode_with_both_filters() {
    let extent = Extent::D2 { width: 4, height: 3 };
    check("tex.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}];", extent, &[4, 3], &[]);
    check("tex.base.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}];", extent, &[4, 3], &[]);
}

#[test]
fn three_axes_in_every_mode_with_both_filters() {
    let extent = Extent::D3 { width: 3, height: 4, depth: 2 };
    check("tex.3d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1,%f2,%f3}];", extent, &[3, 4, 2], &[]);
}

#[test]
fn offsets_are_in_texels() {
    let at = "{%r20,%r21,%r22,%r23}, [%d0, ";
    let extent = Extent::D1 { width: 4 };
    check(&format!("tex.1d.v4.f32.f32 {at}{{%f0}}], {{%r4}};"), extent, &[4], &[-8]);
    let extent = Extent::D2 { width: 4, height: 8 };
    check(&format!("tex.2d.v4.f32.f32 {at}{{%f0,%f1}}], {{%r4,%r5}};"), extent, &[4, 8], &[3, -2]);
    let extent = Extent::D3 { width: 4, height: 2, depth: 2 };
    let text = format!("tex.3d.v4.f32.f32 {at}{{%f0,%f1,%f2,%f3}}], {{%r4,%r5,%r6,%r7}};");
    check(&text, extent, &[4, 2, 2], &[1, 7, -3]);
}

#[test]
fn offsets_beyond_their_range_stop_the_thread() {
    let (image, _) = singles(Extent::D1 { width: 4 }, 4);
    let textures = Textures { images: vec![image], textures: vec![Texture::new(0)], ..Textures::default() };
    let text = kernel("tex.1d.v4.f32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0}], {%r1};");
    let launch = super::launch(textures, ptx_exec::texture::Handle::Texture(0), &[vec![0, 8]]);
    let trap = trap(execute(&text, &launch));
    assert!(trap.to_string().contains("the offset 8 in texels is not between -8 and 7"), "{trap}");
    assert_eq!(trap.instruction, "tex.1d.v4.f32.s32");
}

/// Coordinates that are NaNs are 0; infinite ones are beyond the edge.
#[test]
fn coordinates_that_are_not_finite_go_somewhere() {
    let (image, values) = singles(Extent::D1 { width: 4 }, 4);
    let inputs = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38].map(|x| vec![bits(x)]);
    for (mode, wanted) in [
        (AddressMode::Clamp, [values[0], values[3], values[0], values[3]]),
        (AddressMode::Border, [values[0], -40.0, -40.0, -40.0]),
    ] {
        let sampler = Sampler { address: [mode; 3], border: BORDER, ..Sampler::default() };
        let instruction = "tex.1d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0}];";
        let found = fetch(instruction, image.clone(), sampled(false, sampler), &inputs);
        assert_eq!(found.iter().map(|words| f32::from_bits(words[0])).collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn a_texel_of_weight_zero_has_no_part() {
    let bytes = [1.0, f32::INFINITY, f32::NAN].iter().flat_map(|x: &f32| x.to_le_bytes()).collect();
    let image = Image::array(ChannelFormat::Float, 1, Extent::D1 { width: 3 }, bytes);
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let instruction = "tex.1d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0}];";
    let found = fetch(
        instruction,
        image,
        sampled(false, sampler),
        &[vec![bits(0.5)], vec![bits(1.5)], vec![bits(1.0)]],
    );
    assert_eq!(found[0][0], bits(1.0), "in the middle of the first texel");
    assert_eq!(found[1][0], bits(f32::INFINITY));
    assert_eq!(found[2][0], bits(f32::INFINITY), "half of both");
}

/// Whole coordinates name texels; they are not normalized, so that wrapping and mirroring modes clamp.
#[test]
fn whole_coordinates_are_not_filtered() {
    let (image, values) = singles(Extent::D2 { width: 3, height: 2 }, 6);
    for (mode, beyond) in [
        (AddressMode::Clamp, None),
        (AddressMode::Wrap, None),
        (AddressMode::Mirror, None),
        (AddressMode::Border, Some(-40.0)),
    ] {
        let sampler =
            Sampler { address: [mode; 3], filter: Filter::Linear, border: BORDER, ..Sampler::default() };
        let mut inputs = Vec::new();
        for y in -2i32..4 {
            for x in -3i32..6 {
                inputs.push(vec![x as u32, y as u32]);
            }
        }
        let instruction = "tex.2d.v4.f32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r1}];";
        let found = fetch(instruction, image.clone(), sampled(true, sampler), &inputs);
        for (input, found) in inputs.iter().zip(found) {
            let (x, y) = (input[0] as i32, input[1] as i32);
            let inside = (0..3).contains(&x) && (0..2).contains(&y);
            let clamped = values[(y.clamp(0, 1) * 3 + x.clamp(0, 2)) as usize];
            let wanted = if inside { clamped } else { beyond.unwrap_or(clamped) };
            assert_eq!(f32::from_bits(found[0]), wanted, "{x}, {y}, {mode:?}");
        }
    }
}

/// The index of a layer is an unsigned integer and clamped; the layers do not mix.
#[test]
fn layers_are_clamped() {
    let (mut image, values) = singles(Extent::D2 { width: 3, height: 2 }, 3 * 2 * 4);
    image.layers = Some(4);
    let layers = [0u32, 1, 3, 4, 1000, u32::MAX];
    let inputs: Vec<Vec<u32>> =
        layers.iter().map(|&layer| vec![layer, bits(2.5), bits(1.5), bits(8.0)]).collect();
    let instruction = "tex.a2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%f1,%f2,%f3}];";
    let found = fetch(instruction, image.clone(), Texture::new(0), &inputs);
    for (&layer, found) in layers.iter().zip(found) {
        assert_eq!(f32::from_bits(found[0]), values[layer.min(3) as usize * 6 + 5]);
    }
    let inputs: Vec<Vec<u32>> = layers.iter().map(|&layer| vec![layer, 1, 1]).collect();
    let instruction = "tex.a2d.v4.f32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r1,%r2,%r3}], {%r1,%r11};";
    let found = fetch(instruction, image, Texture::new(0), &inputs);
    for (&layer, found) in layers.iter().zip(found) {
        assert_eq!(f32::from_bits(found[0]), values[layer.min(3) as usize * 6 + 5]);
    }
    let (mut image, values) = singles(Extent::D1 { width: 3 }, 12);
    image.layers = Some(4);
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let inputs: Vec<Vec<u32>> = layers.iter().map(|&layer| vec![layer, bits(0.75)]).collect();
    let instruction = "tex.a1d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%f1}];";
    let found = fetch(instruction, image, sampled(false, sampler), &inputs);
    for (&layer, found) in layers.iter().zip(found) {
        let first = layer.min(3) as usize * 3;
        // x_B = 0.25
        let wanted = 0.75 * f64::from(values[first]) + 0.25 * f64::from(values[first + 1]);
        assert_eq!(f32::from_bits(found[0]), wanted as f32);
    }
}

/// Linear memory: the kernel's own buffer, here with the input words themselves as texels.
#[test]
fn linear_memory_is_fetched_from_by_whole_coordinates() {
    let storage = Storage::Linear { start: Start::Argument { index: 1, offset: 48 }, pitch: 0 };
    let image =
        Image { storage, ..Image::array(ChannelFormat::Unsigned32, 1, Extent::D1 { width: 20 }, Vec::new()) };
    // Thread n has the word n - 2 first: texels begin with the second thread's words, 12 a thread.
    let inputs: Vec<Vec<u32>> = (0..25u32).map(|n| vec![n.wrapping_sub(2), 100 + n]).collect();
    let instruction = "tex.1d.v4.u32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0}];";
    let sampler = Sampler { address: [AddressMode::Wrap; 3], border: BORDER, ..Sampler::default() };
    let found = fetch(instruction, image.clone(), sampled(false, sampler), &inputs);
    for (n, found) in found.into_iter().enumerate() {
        let texel = n as i64 - 2;
        let wanted = match texel {
            // Beyond the ends is nothing, in every address mode.
            ..0 | 20.. => 0,
            texel if texel % 12 == 0 => (texel / 12 - 1) as u32,
            texel if texel % 12 == 1 => 101 + texel as u32 / 12,
            _ => 0,
        };
        assert_eq!(found[..4], [wanted, 0, 0, 1], "texel {texel}");
    }
    let instruction = "tex.1d.v4.u32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0}];";
    let textures = Textures { images: vec![image], textures: vec![Texture::new(0)], ..Textures::default() };
    let launch = super::launch(textures, ptx_exec::texture::Handle::Texture(0), &inputs);
    assert!(trap(execute(&kernel(instruction), &launch)).to_string().contains("whole coordinates"));
}

#[test]
fn pitched_memory_is_filtered() {
    let values: Vec<f32> = (0..24).map(|n| (n * n) as f32).collect();
    let inputs: Vec<Vec<u32>> = values.chunks(12).map(|row| row.iter().map(|&x| bits(x)).collect()).collect();
    // Rows of 3 texels, 5 numbers from one to the next, from the second number on.
    let storage = Storage::Linear { start: Start::Argument { index: 1, offset: 4 }, pitch: 20 };
    let extent = Extent::D2 { width: 3, height: 4 };
    let image = Image { storage, ..Image::array(ChannelFormat::Float, 1, extent, Vec::new()) };
    let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let instruction = "mov.f32 %f0, 0f40000000;\nmov.f32 %f1, 0f3FC00000;\n\
        tex.2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f1}];";
    let found = fetch(instruction, image, sampled(false, sampler), &inputs);
    // (2, 1.5): between the second and third texel of the second row, which are numbers 7 and 8.
    assert_eq!(f32::from_bits(found[0][0]), (49.0 + 64.0) / 2.0);
}

#[test]
fn images_that_make_no_sense_are_refused() {
    let (image, _) = singles(Extent::D1 { width: 4 }, 4);
    let of = |image: Image| {
        let textures = Textures { images: vec![image], ..Textures::default() };
        let text = format!("{}.visible .entry k() {{ ret; }}", super::HEAD);
        refusal(execute(&text, &Launch { textures, ..Launch::new("k") }))
    };
    let linear = |index, offset, pitch| Storage::Linear { start: Start::Argument { index, offset }, pitch };
    let cases = [
        (Image { channels: 3, ..image.clone() }, "has 3 channels"),
        (
            Image { extent: Extent::D1 { width: 5 }, ..image.clone() },
            "has 16 bytes of texels; its shape takes 20",
        ),
        (Image { extent: Extent::D1 { width: 0 }, ..image.clone() }, "an axis without texels"),
        (Image { levels: 4, ..image.clone() }, "has 4 levels; an image of its size has 1 to 3"),
        (Image { samples: 3, ..image.clone() }, "3 samples"),
        (Image { samples: 2, ..image.clone() }, "two axes and one level"),
        (Image { storage: linear(0, 0, 0), ..image.clone() }, "argument 0, which is not a buffer"),
        (Image { storage: linear(0, 2, 0), ..image.clone() }, "begins at byte 2"),
        (Image { storage: linear(0, 0, 0), layers: Some(2), ..image.clone() }, "has no layers"),
        (
            Image { storage: linear(0, 0, 8), extent: Extent::D2 { width: 4, height: 2 }, ..image.clone() },
            "has a pitch of 8 bytes; it must be a multiple of 4 and at least 16",
        ),
    ];
    for (image, wanted) in cases {
        let found = of(image);
        assert!(found.contains(wanted), "{found}");
    }
    let image = Image { storage: linear(0, 8, 0), ..image };
    let textures = Textures { images: vec![image], ..Textures::default() };
    let text = format!("{}.visible .entry k(.param .u64 p) {{ ret; }}", super::HEAD);
    let arguments = vec![Argument::Buffer(vec![0; 20])];
    let found = refusal(execute(&text, &Launch { textures, arguments, ..Launch::new("k") }));
    assert!(found.contains("image 0 ends at byte 24 of argument 0, which has 20"), "{found}");
}

/// The geometry of the instruction is that of the image.
#[test]
fn other_geometries_stop_the_thread() {
    let (image, _) = singles(Extent::D2 { width: 2, height: 2 }, 4);
    let textures = Textures { images: vec![image], textures: vec![Texture::new(0)], ..Textures::default() };
    for (instruction, what) in [
        ("tex.1d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0}];", "which is 2D"),
        ("tex.a2d.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%f0,%f1,%f2}];", "which is 2D"),
        ("tex.2dms.v4.f32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0,%r0,%r1,%r2}];", "which is 2D"),
        ("tex.cube.v4.f32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0,%f0,%f1,%f2}];", "which is 2D"),
        ("suld.b.2d.b32.trap %r20, [%d0, {%r0,%r0}];", "is not the handle of a .surfref"),
    ] {
        let launch = super::launch(textures.clone(), ptx_exec::texture::Handle::Texture(0), &[vec![0]]);
        let found = trap(execute(&kernel(instruction), &launch)).to_string();
        assert!(found.contains(what), "{found}");
    }
}

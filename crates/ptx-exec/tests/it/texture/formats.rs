//! What fetches give of each format, and the types of their results.

use ptx_exec::texture::{ChannelFormat, Extent, Filter, Image, ReadMode, Sampler, Texture, Textures};

use super::{bits, execute, fetch, kernel, refusal, sampled, trap};

const WORDS: &str = "tex.1d.v4.u32.s32 {%r20,%r21,%r22,%r23}, [%d0, {%r0}];";

/// Texels of two channels with raw numbers 0x80, 0xff, 0x7f, 0x01 .., cut to the width, and what they are as elements and as fractions:
/// unsigned numbers over the largest one, signed ones over the largest one but at least -1.
#[test]
fn elements_and_fractions_of_every_format() {
    let one = bits(1.0);
    let f = |x: f64| bits(x as f32);
    let e = ReadMode::Element;
    let n = ReadMode::NormalizedFloat;
    use ChannelFormat::*;
    // The format, its numbers in memory, and what they are read as.
    let cases: [(ChannelFormat, ReadMode, [u64; 4], [u32; 4]); 18] = [
        (Unsigned8, e, [0x80, 0xff, 0x7f, 1], [0x80, 0xff, 0x7f, 1]),
        (Signed8, e, [0x80, 0xff, 0x7f, 1], [-128i32 as u32, u32::MAX, 127, 1]),
        (Unsigned16, e, [0x8000, 0xffff, 0x7fff, 1], [0x8000, 0xffff, 0x7fff, 1]),
        (Signed16, e, [0x8000, 0xffff, 0x7fff, 1], [-32768i32 as u32, u32::MAX, 0x7fff, 1]),
        (Unsigned32, e, [0x8000_0000, 0xffff_ffff, 5, 1], [0x8000_0000, 0xffff_ffff, 5, 1]),
        (Signed32, e, [0x8000_0000, 0xffff_ffff, 5, 1], [0x8000_0000, 0xffff_ffff, 5, 1]),
        (Unsigned8, n, [0x80, 0xff, 0x7f, 0], [f(128.0 / 255.0), one, f(127.0 / 255.0), 0]),
        (Signed8, n, [0x80, 0x81, 0x7f, 1], [f(-1.0), f(-1.0), one, f(1.0 / 127.0)]),
        (Unsigned16, n, [0x8000, 0xffff, 1, 0], [f(32768.0 / 65535.0), one, f(1.0 / 65535.0), 0]),
        (Signed16, n, [0x8000, 0x8001, 0x7fff, 0xffff], [f(-1.0), f(-1.0), one, f(-1.0 / 32767.0)]),
        (Unorm8, e, [0x80, 0xff, 3, 0], [f(128.0 / 255.0), one, f(3.0 / 255.0), 0]),
        (Snorm8, e, [0x80, 0xff, 3, 0], [f(-1.0), f(-1.0 / 127.0), f(3.0 / 127.0), 0]),
        (Unorm16, n, [0x80, 0xff, 3, 0], [f(128.0 / 65535.0), f(255.0 / 65535.0), f(3.0 / 65535.0), 0]),
        (Snorm16, e, [0x8000, 0xffff, 3, 0], [f(-1.0), f(-1.0 / 32767.0), f(3.0 / 32767.0), 0]),
        // 1.5, the largest number, the smallest subnormal, minus infinity
        (
            Half,
            e,
            [0x3e00, 0x7bff, 1, 0xfc00],
            [f(1.5), f(65504.0), f(2f64.powi(-24)), bits(f32::NEG_INFINITY)],
        ),
        (Half, n, [0x3e00, 0x8000, 0x3c00, 0], [f(1.5), f(-0.0), one, 0]),
        // All bits come through, those of numbers that are none too.
        (Float, e, [0x7f80_0001, 0xffc1_2345, 1, 0x8000_0000], [0x7f80_0001, 0xffc1_2345, 1, 0x8000_0000]),
        (Float, n, [0x3fc0_0000, 0, 0, 0], [0x3fc0_0000, 0, 0, 0]),
    ];
    for (format, read, numbers, wanted) in cases {
        let bytes = |number: u64| number.to_le_bytes()[..format.bytes() as usize].to_vec();
        let all: Vec<u8> = numbers.into_iter().flat_map(bytes).collect();
        let is_integer = read == e
            && matches!(format, Unsigned8 | Unsigned16 | Unsigned32 | Signed8 | Signed16 | Signed32);
        let alpha = if is_integer { 1 } else { one };
        for channels in [1, 2, 4] {
            let image = Image::array(format, channels, Extent::D1 { width: 4 / channels }, all.clone());
            let texture = Texture { read, ..Texture::new(0) };
            let inputs: Vec<Vec<u32>> = (0..4 / channels).map(|x| vec![x]).collect();
            let found = fetch(WORDS, image, texture, &inputs);
            for (x, found) in found.into_iter().enumerate() {
                // Channels that the image does not have are 0, 0 and 1.
                let mut texel = [0, 0, 0, alpha];
                let own = &wanted[x * channels as usize..][..channels as usize];
                texel[..own.len()].copy_from_slice(own);
                assert_eq!(found[..4], texel, "{format:?} {read:?} {channels}");
            }
        }
    }
}

#[test]
fn srgb_becomes_linear() {
    // IEC 61966-2-1, computed with NumPy in double precision: np.where(x <= .04045, x / 12.92, ((x + .055) / 1.055) ** 2.4)
    let table = [
        (0u8, 0.0f32),
        (5, 0.001_517_635),
        (10, 0.003_035_27),
        (11, 0.003_346_536),
        (128, 0.215_860_5),
        (200, 0.577_580_4),
        (255, 1.0),
    ];
    for (raw, linear) in table {
        let image = Image::array(ChannelFormat::Unsigned8, 4, Extent::D1 { width: 1 }, vec![raw; 4]);
        let texture = Texture { read: ReadMode::NormalizedFloat, srgb: true, ..Texture::new(0) };
        let found = fetch(WORDS, image, texture, &[vec![0]]);
        let [r, g, b, a, _] = found[0];
        assert_eq!((g, b), (r, r));
        assert!(
            (f32::from_bits(r) - linear).abs() <= linear * 2e-7,
            "{raw}: {} for {linear}",
            f32::from_bits(r)
        );
        assert_eq!(f32::from_bits(a), f32::from(raw) / 255.0, "the last channel is linear already");
    }
}

#[test]
fn half_precision_results() {
    let values = [1.5f32, -2.0, 1.0 / 3.0, 70000.0];
    let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let image = Image::array(ChannelFormat::Float, 4, Extent::D1 { width: 1 }, bytes);
    // 1.5, -2, 1/3 to the nearest (0x3555), and what is beyond the largest number: infinity.
    let wanted = [0x3e00, 0xc000, 0x3555, 0x7c00];
    let instruction = "tex.1d.v4.f16.s32 {%h0,%h1,%h2,%h3}, [%d0, {%r0}];\n\
        cvt.u32.u16 %r20, %h0;\ncvt.u32.u16 %r21, %h1;\ncvt.u32.u16 %r22, %h2;\ncvt.u32.u16 %r23, %h3;";
    assert_eq!(fetch(instruction, image.clone(), Texture::new(0), &[vec![0]])[0][..4], wanted);
    let instruction = "tex.1d.v2.f16x2.f32 {%r20,%r21}, [%d0, {%f0}];";
    let found = fetch(instruction, image, Texture::new(0), &[vec![0]]);
    assert_eq!(found[0][..4], [0xc000_3e00, 0x7c00_3555, 77, 77]);
}

/// Results that are not used, and that all texels are in memory.
#[test]
fn sinks_and_residency() {
    let image = Image::array(ChannelFormat::Unsigned8, 4, Extent::D1 { width: 1 }, vec![1, 2, 3, 4]);
    let instruction = "tex.1d.v4.u32.f32 {%r20,_,_,%r23}|%p1, [%d0, {%f0}];";
    assert_eq!(fetch(instruction, image, Texture::new(0), &[vec![0]]), [[1, 77, 77, 4, 1]]);
}

/// Integers are not mixed, compared or made halves of.
#[test]
fn what_integers_cannot_do_stops_the_thread() {
    let image = Image::array(ChannelFormat::Unsigned8, 1, Extent::D1 { width: 2 }, vec![1, 2]);
    let linear = sampled(false, Sampler { filter: Filter::Linear, ..Sampler::default() });
    for (instruction, texture, wanted) in [
        ("tex.1d.v4.u32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0}];", linear, "integers are not mixed"),
        ("tex.1d.v4.f16.f32 {%h0,%h1,%h2,%h3}, [%d0, {%f0}];", Texture::new(0), "half precision"),
        (
            "tex.1d.v4.u32.f32 {%r20,%r21,%r22,%r23}, [%d0, {%f0}], %f1;",
            Texture::new(0),
            "not compared with integers",
        ),
    ] {
        let textures =
            Textures { images: vec![image.clone()], textures: vec![texture], ..Textures::default() };
        let launch = super::launch(textures, ptx_exec::texture::Handle::Texture(0), &[vec![bits(1.2)]]);
        let found = trap(execute(&kernel(instruction), &launch)).to_string();
        assert!(found.contains(wanted), "{found}");
    }
}

#[test]
fn read_modes_that_a_format_does_not_have_are_refused() {
    let image = |format: ChannelFormat| {
        Image::array(format, 1, Extent::D1 { width: 1 }, vec![0; format.bytes() as usize])
    };
    let n = ReadMode::NormalizedFloat;
    let cases = [
        (
            image(ChannelFormat::Signed32),
            Texture { read: n, ..Texture::new(0) },
            "only those of 8 and 16 bits",
        ),
        (image(ChannelFormat::Unsigned8), Texture { srgb: true, ..Texture::new(0) }, "sRGB"),
        (image(ChannelFormat::Unsigned16), Texture { srgb: true, read: n, ..Texture::new(0) }, "sRGB"),
        (image(ChannelFormat::Float), Texture::new(1), "texture 0 is of image 1, which there is not"),
    ];
    for (image, texture, wanted) in cases {
        let textures = Textures { images: vec![image], textures: vec![texture], ..Textures::default() };
        let text = format!("{}.visible .entry k() {{ ret; }}", super::HEAD);
        let launch = ptx_exec::Launch { textures, ..ptx_exec::Launch::new("k") };
        let found = refusal(execute(&text, &launch));
        assert!(found.contains(wanted), "{found}");
    }
}

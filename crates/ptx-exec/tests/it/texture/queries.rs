//! `txq`, `suq` and `istypep`.

use ptx_exec::texture::{
    AddressMode, ChannelFormat, Extent, Filter, Handle, Image, ReadMode, Sampler, Start, Storage, Surface,
    Texture, Textures,
};
use ptx_exec::{Argument, Launch};

use super::{HEAD, execute, kernel, launch, outputs, trap};

fn ask(query: &str, textures: &Textures, handle: Handle) -> u32 {
    let text = kernel(&format!("{query} %r20, [%d0];"));
    let outcome = execute(&text, &launch(textures.clone(), handle, &[vec![2]]));
    outputs(&outcome.unwrap_or_else(|error| panic!("{error} {query}")))[0][0]
}

/// An image without texels worth looking at.
fn blank(
    format: ChannelFormat,
    channels: u32,
    extent: Extent,
    layers: Option<u32>,
    levels: u32,
    samples: u32,
) -> Image {
    let image = Image { layers, levels, samples, ..Image::array(format, channels, extent, Vec::new()) };
    let bytes = vec![0; image.bytes().unwrap() as usize];
    Image { storage: Storage::Array(bytes), ..image }
}

#[test]
fn sizes_layers_levels_and_samples() {
    let f = ChannelFormat::Float;
    let d2 = Extent::D2 { width: 12, height: 7 };
    // The image and its width, height, depth, layers, levels and samples; where there are no several of the last three, 0.
    let cases = [
        (blank(f, 1, Extent::D1 { width: 9 }, None, 1, 1), [9, 1, 1, 0, 0, 0]),
        (blank(f, 1, d2, None, 1, 1), [12, 7, 1, 0, 0, 0]),
        (blank(f, 1, d2, Some(5), 3, 1), [12, 7, 1, 5, 3, 0]),
        (blank(f, 1, Extent::D3 { width: 3, height: 4, depth: 5 }, None, 1, 1), [3, 4, 5, 0, 0, 0]),
        (blank(f, 1, Extent::Cube { size: 6 }, Some(2), 1, 1), [6, 6, 1, 2, 0, 0]),
        (blank(f, 1, d2, None, 1, 8), [12, 7, 1, 0, 0, 8]),
    ];
    for (image, wanted) in cases {
        let is_plain = image.samples == 1;
        let surfaces = if is_plain { vec![Surface { image: 0, level: 0 }] } else { Vec::new() };
        let textures = Textures {
            images: vec![image],
            textures: vec![Texture::new(0)],
            surfaces,
            ..Textures::default()
        };
        let names = ["width", "height", "depth", "array_size", "num_mipmap_levels", "num_samples"];
        for (name, wanted) in names.into_iter().zip(wanted) {
            assert_eq!(ask(&format!("txq.{name}.b32"), &textures, Handle::Texture(0)), wanted, "{name}");
        }
        for (name, wanted) in names.into_iter().zip(wanted).take(4).filter(|_| is_plain) {
            assert_eq!(ask(&format!("suq.{name}.b32"), &textures, Handle::Surface(0)), wanted, "{name}");
        }
    }
}

#[test]
fn sizes_of_levels() {
    let image = blank(ChannelFormat::Half, 2, Extent::D3 { width: 20, height: 5, depth: 9 }, None, 5, 1);
    let textures = Textures {
        images: vec![image],
        textures: vec![Texture { normalized: Some(true), ..Texture::new(0) }],
        surfaces: vec![Surface { image: 0, level: 2 }],
        ..Textures::default()
    };
    // Halved and rounded down, at least 1 (manual 9.7.10.2).
    for (level, wanted) in [[20, 5, 9], [10, 2, 4], [5, 1, 2], [2, 1, 1], [1, 1, 1]].into_iter().enumerate() {
        for (name, wanted) in ["width", "height", "depth"].into_iter().zip(wanted) {
            let text = kernel(&format!("txq.level.{name}.b32 %r20, [%d0], %r0;"));
            let launch = launch(textures.clone(), Handle::Texture(0), &[vec![level as u32]]);
            assert_eq!(outputs(&execute(&text, &launch).unwrap())[0][0], wanted, "{name} of level {level}");
        }
    }
    assert_eq!(ask("suq.width.b32", &textures, Handle::Surface(0)), 5);
    let text = kernel("txq.level.width.b32 %r20, [%d0], 5;");
    let found = trap(execute(&text, &launch(textures, Handle::Texture(0), &[vec![]]))).to_string();
    assert!(found.contains("the image has 5 levels; there is none with number 5"), "{found}");
}

/// The tables 12 and 13 of the manual (5.3.3).
#[test]
fn formats_and_orders_of_channels() {
    use ChannelFormat::*;
    let (e, n) = (ReadMode::Element, ReadMode::NormalizedFloat);
    let table = [
        (Snorm8, e, 0x10d0),
        (Signed8, n, 0x10d0),
        (Snorm16, e, 0x10d1),
        (Signed16, n, 0x10d1),
        (Unorm8, e, 0x10d2),
        (Unsigned8, n, 0x10d2),
        (Unorm16, e, 0x10d3),
        (Unsigned16, n, 0x10d3),
        (Signed8, e, 0x10d7),
        (Signed16, e, 0x10d8),
        (Signed32, e, 0x10d9),
        (Unsigned8, e, 0x10da),
        (Unsigned16, e, 0x10db),
        (Unsigned32, e, 0x10dc),
        (Half, e, 0x10dd),
        (Float, e, 0x10de),
    ];
    for (format, read, wanted) in table {
        for (channels, order) in [(1, 0x10b0), (2, 0x10b2), (4, 0x10b5)] {
            let textures = Textures {
                images: vec![blank(format, channels, Extent::D1 { width: 2 }, None, 1, 1)],
                textures: vec![Texture { read, ..Texture::new(0) }],
                surfaces: vec![Surface { image: 0, level: 0 }],
                ..Textures::default()
            };
            assert_eq!(ask("txq.channel_data_type.b32", &textures, Handle::Texture(0)), wanted);
            assert_eq!(ask("txq.channel_order.b32", &textures, Handle::Texture(0)), order);
            assert_eq!(ask("suq.channel_order.b32", &textures, Handle::Surface(0)), order);
            if read == e {
                assert_eq!(ask("suq.channel_data_type.b32", &textures, Handle::Surface(0)), wanted);
            }
        }
    }
}

/// `enum { wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border }` and `enum { nearest, linear }` (manual 9.7.10.5).
#[test]
fn properties_of_samplers() {
    let modes = [
        (AddressMode::Wrap, 0),
        (AddressMode::Mirror, 1),
        (AddressMode::ClampOgl, 2),
        (AddressMode::Clamp, 3),
        (AddressMode::Border, 4),
    ];
    for (mode, number) in modes {
        for (filter, is_linear) in [(Filter::Point, 0), (Filter::Linear, 1)] {
            for normalized in [false, true] {
                let address = [mode, AddressMode::Wrap, AddressMode::Border];
                let sampler = Sampler { address, filter, ..Sampler::default() };
                let textures = Textures {
                    images: vec![blank(ChannelFormat::Float, 1, Extent::D1 { width: 2 }, None, 1, 1)],
                    textures: vec![super::sampled(normalized, sampler)],
                    ..Textures::default()
                };
                let ask = |query| ask(query, &textures, Handle::Texture(0));
                assert_eq!(ask("txq.addr_mode_0.b32"), number);
                assert_eq!([ask("txq.addr_mode_1.b32"), ask("txq.addr_mode_2.b32")], [0, 4]);
                assert_eq!(ask("txq.filter_mode.b32"), is_linear);
                assert_eq!(ask("txq.normalized_coords.b32"), u32::from(normalized));
            }
        }
    }
}

#[test]
fn samplers_of_the_independent_mode() {
    let text = ".version 8.1\n.target sm_80, texmode_independent\n.address_size 64\n\
        .global .samplerref s = { addr_mode_0 = mirror, addr_mode_1 = 4, filter_mode = linear, force_unnormalized_coords = 1 };\n\
        .visible .entry k(.param .u64 out) {\n.reg .b64 %d<3>;\n.reg .b32 %r<5>;\nld.param.u64 %d1, [out];\n\
        txq.addr_mode_0.b32 %r0, [s];\ntxq.addr_mode_1.b32 %r1, [s];\ntxq.filter_mode.b32 %r2, [s];\n\
        txq.force_unnormalized_coords.b32 %r3, [s];\nst.global.v4.b32 [%d1], {%r0,%r1,%r2,%r3};\nret;\n}\n";
    let arguments = vec![Argument::Buffer(vec![0; 16])];
    let outcome = execute(text, &Launch { arguments, ..Launch::new("k") }).unwrap();
    assert_eq!(
        outcome.buffers[0].as_ref().unwrap().as_slice(),
        [1, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    );
}

#[test]
fn linear_memory_says_so() {
    let storage = Storage::Linear { start: Start::Argument { index: 1, offset: 0 }, pitch: 0 };
    let image =
        Image { storage, ..Image::array(ChannelFormat::Float, 1, Extent::D1 { width: 2 }, Vec::new()) };
    let array = blank(ChannelFormat::Float, 1, Extent::D1 { width: 2 }, None, 1, 1);
    let textures = Textures {
        images: vec![image, array],
        textures: vec![Texture::new(0), Texture::new(1)],
        surfaces: vec![Surface { image: 1, level: 0 }],
        ..Textures::default()
    };
    assert_eq!(ask("txq.memory_layout.b32", &textures, Handle::Texture(0)), 1);
    assert_eq!(ask("txq.memory_layout.b32", &textures, Handle::Texture(1)), 0);
    assert_eq!(ask("suq.memory_layout.b32", &textures, Handle::Surface(0)), 0);
}

#[test]
fn types_of_handles() {
    let textures = Textures {
        images: vec![blank(ChannelFormat::Float, 1, Extent::D1 { width: 2 }, None, 1, 1)],
        textures: vec![Texture::new(0)],
        samplers: vec![Sampler::default()],
        surfaces: vec![Surface { image: 0, level: 0 }],
        references: vec![],
    };
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 h, .param .u64 out) {{\n.reg .b64 %d<3>;\n.reg .b32 %r<5>;\n\
         .reg .pred %p<3>;\nld.param.u64 %d0, [h];\nld.param.u64 %d1, [out];\n\
         istypep.texref %p0, %d0;\nistypep.samplerref %p1, %d0;\nistypep.surfref %p2, %d0;\n\
         selp.u32 %r0, 1, 0, %p0;\nselp.u32 %r1, 1, 0, %p1;\nselp.u32 %r2, 1, 0, %p2;\n\
         st.global.b8 [%d1], %r0;\nst.global.b8 [%d1+1], %r1;\nst.global.b8 [%d1+2], %r2;\nret;\n}}\n"
    );
    let bytes = |value: u64| Argument::Bytes(value.to_le_bytes().to_vec());
    for (argument, wanted) in [
        (Argument::Handle(Handle::Texture(0)), [1, 0, 0]),
        (Argument::Handle(Handle::Sampler(0)), [0, 1, 0]),
        (Argument::Handle(Handle::Surface(0)), [0, 0, 1]),
        (Argument::Buffer(vec![0]), [0, 0, 0]),
        (bytes(0), [0, 0, 0]),
        (bytes(5), [0, 0, 0]),
        (bytes(u64::MAX), [0, 0, 0]),
    ] {
        let arguments = vec![argument.clone(), Argument::Buffer(vec![9; 3])];
        let outcome =
            execute(&text, &Launch { textures: textures.clone(), arguments, ..Launch::new("k") }).unwrap();
        assert_eq!(outcome.buffers[1].as_ref().unwrap().as_slice(), wanted, "{argument:?}");
    }
}

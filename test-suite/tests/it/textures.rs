//! Textures and surfaces of CUDA C++: what nvcc makes of `cases/toolkit/textures.cu`, as compiled and there and back, with results worked
//! out from the formulas of the CUDA Programming Guide ("Texture Fetching").

use std::path::Path;

use ptx_diag::SourceFile;
use ptx_exec::texture::{
    AddressMode, ChannelFormat, Extent, Filter, Handle, Image, ReadMode, Sampler, Start, Storage, Surface,
    Texture, Textures,
};
use ptx_exec::{Argument, Launch, Outcome};
use ptx_llvm_core::Context;
use test_suite::directive::Level;
use test_suite::stage;

const TARGETS: [&str; 4] = ["80", "90a", "100a", "120a"];

/// The PTX of a target, and what comes back of it from LLVM IR.
fn texts(target: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("cases/toolkit/textures.sm_{target}.ptx"));
    let text = std::fs::read_to_string(path).unwrap();
    let source = SourceFile::new("textures.ptx", text.as_str());
    let module = stage::read(&source).unwrap();
    let back = [Level::O0, Level::O2].map(|level| {
        let context = Context::new().unwrap();
        stage::raise(&mut stage::lower(&module, &source, &context, level).unwrap()).unwrap()
    });
    [text].into_iter().chain(back).collect()
}

/// Launches a kernel on every way, and judges what each leaves.
fn on_every_way(launch: &Launch, judge: impl Fn(&Outcome)) {
    for target in TARGETS {
        for text in texts(target) {
            let source = SourceFile::new("textures.ptx", text.as_str());
            let module = stage::read(&source).unwrap();
            let (verified, _) = ptx_verify::verify(&module).unwrap();
            let outcome =
                executed_rows::run(verified, launch).unwrap_or_else(|error| panic!("{error}\n{text}"));
            judge(&outcome);
        }
    }
}

fn floats(outcome: &Outcome, buffer: usize) -> Vec<f32> {
    let bytes = outcome.buffers[buffer].as_ref().unwrap();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn bytes<const N: usize>(numbers: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
    numbers.into_iter().flatten().collect()
}

/// The texels of a 5 x 4 image: multiples of 8, so that every mixture of them by eighths is exact.
fn texel(x: i32, y: i32) -> f32 {
    ((x * x * 3 + y * 5) % 11 * 8) as f32
}

fn picture() -> Image {
    let texels = (0..20).map(|i| texel(i % 5, i / 5).to_le_bytes());
    Image::array(ChannelFormat::Float, 1, Extent::D2 { width: 5, height: 4 }, bytes(texels))
}

fn textures(images: Vec<Image>, samplers: &[(Option<Sampler>, bool, ReadMode)]) -> Textures {
    let texture = |(image, (sampler, normalized, read)): (usize, &(Option<Sampler>, bool, ReadMode))| {
        Texture { read: *read, normalized: Some(*normalized), sampler: *sampler, ..Texture::new(image) }
    };
    Textures { textures: samplers.iter().enumerate().map(texture).collect(), images, ..Textures::default() }
}

/// The texel that a coordinate along an axis of so many texels addresses; none for the border.
type AddressFunction = fn(i32, i32) -> Option<i32>;

#[test]
fn linear_filters_mix_neighbours_by_distance() {
    let modes: [(AddressMode, AddressFunction); 3] = [
        (AddressMode::Clamp, |at, size| Some(at.clamp(0, size - 1))),
        (AddressMode::Border, |at, size| (0..size).contains(&at).then_some(at)),
        (AddressMode::Wrap, |at, size| Some(at.rem_euclid(size))),
    ];
    for (mode, address) in modes {
        // Coordinates are normalized for images that repeat; 8 x 4 texels have exact ones.
        let repeats = mode == AddressMode::Wrap;
        let image = if repeats {
            let texels = (0..32).map(|i| texel(i % 8, i / 8).to_le_bytes());
            Image::array(ChannelFormat::Float, 1, Extent::D2 { width: 8, height: 4 }, bytes(texels))
        } else {
            picture()
        };
        let [width, height, _] = image.extent.size().map(|n| n as i32);
        let sampler = Sampler { address: [mode; 3], filter: Filter::Linear, ..Sampler::default() };
        let mut launch = Launch { grid: [1, 48, 1], block: [64, 1, 1], ..Launch::new("filtered") };
        launch.textures = textures(vec![image], &[(Some(sampler), repeats, ReadMode::Element)]);
        let scale = if repeats { 0.125f32 } else { 1.0 };
        launch.arguments = vec![
            Argument::Handle(Handle::Texture(0)),
            Argument::Buffer(vec![0; 48 * 64 * 4]),
            Argument::Bytes(64i32.to_le_bytes().into()),
            Argument::Bytes(scale.to_le_bytes().into()),
        ];
        on_every_way(&launch, |outcome| {
            for (i, got) in floats(outcome, 1).into_iter().enumerate() {
                // In texels; half a texel is the middle of the first one. Normalized y counts 4 texels where x counts 8.
                let (x, y) =
                    ((i % 64) as f32 * 0.125, (i / 64) as f32 * if repeats { 0.0625 } else { 0.125 });
                let (a, b) = (x - 0.5, y - 0.5);
                let (left, top) = (a.floor(), b.floor());
                let at = |dx: i32, dy: i32| {
                    let (px, py) = (address(left as i32 + dx, width), address(top as i32 + dy, height));
                    px.zip(py).map_or(0.0, |(x, y)| texel(x, y))
                };
                let (u, v) = (a - left, b - top);
                let want = (1.0 - u) * (1.0 - v) * at(0, 0)
                    + u * (1.0 - v) * at(1, 0)
                    + (1.0 - u) * v * at(0, 1)
                    + u * v * at(1, 1);
                assert_eq!(got, want, "{mode:?} at {x}, {y}");
            }
        });
    }
}

#[test]
fn linear_memory_is_fetched_by_index() {
    let numbers = (0..32).map(|i| (i as f32 * 1.5).to_le_bytes());
    let linear = Image {
        storage: Storage::Linear { start: Start::Argument { index: 2, offset: 0 }, pitch: 128 },
        ..Image::array(ChannelFormat::Float, 1, Extent::D1 { width: 32 }, Vec::new())
    };
    let colours: Vec<u8> = (0..128u32).map(|i| (i * 37 % 256) as u8).collect();
    let quads = Image::array(ChannelFormat::Unsigned8, 4, Extent::D1 { width: 32 }, colours.clone());
    let mut launch = Launch { block: [32, 1, 1], ..Launch::new("fetched") };
    launch.textures = textures(
        vec![linear, quads],
        &[(None, false, ReadMode::Element), (None, false, ReadMode::NormalizedFloat)],
    );
    launch.arguments = vec![
        Argument::Handle(Handle::Texture(0)),
        Argument::Handle(Handle::Texture(1)),
        // The results replace what the texture shows; each thread writes what it has read.
        Argument::Buffer(bytes(numbers)),
    ];
    on_every_way(&launch, |outcome| {
        for (i, got) in floats(outcome, 2).into_iter().enumerate() {
            let colour = |channel: usize| f32::from(colours[4 * i + channel]) / 255.0;
            let want = i as f32 * 1.5 + colour(0) * 2.0 + colour(3);
            assert!((got - want).abs() <= 1e-5, "{got} {want}");
        }
    });
}

#[test]
fn volumes_and_layers_have_a_third_coordinate() {
    let volume: Vec<i32> = (0..64).map(|i| i * 7 % 64).collect();
    let layers: Vec<i32> = (0..64).map(|i| i * 11 % 64 - 30).collect();
    let cube = Extent::D3 { width: 4, height: 4, depth: 4 };
    let images = vec![
        Image::array(ChannelFormat::Signed32, 1, cube, bytes(volume.iter().map(|v| v.to_le_bytes()))),
        Image {
            layers: Some(4),
            ..Image::array(
                ChannelFormat::Signed32,
                1,
                Extent::D2 { width: 4, height: 4 },
                bytes(layers.iter().map(|v| v.to_le_bytes())),
            )
        },
    ];
    let mut launch = Launch { block: [64, 1, 1], ..Launch::new("volumes") };
    launch.textures = textures(images, &[(None, false, ReadMode::Element), (None, false, ReadMode::Element)]);
    launch.arguments = vec![
        Argument::Handle(Handle::Texture(0)),
        Argument::Handle(Handle::Texture(1)),
        Argument::Buffer(vec![0; 256]),
    ];
    on_every_way(&launch, |outcome| {
        let words = outcome.buffers[2].as_ref().unwrap();
        for (i, word) in words.chunks_exact(4).enumerate() {
            let got = i32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let (x, y, z) = (i % 4, i / 4 % 4, i / 16);
            assert_eq!(got, volume[i] * 10 + layers[z * 16 + x * 4 + y], "{x} {y} {z}");
        }
    });
}

#[test]
fn surfaces_are_read_and_written() {
    let from: Vec<u32> = (0..24).map(|i| i * i).collect();
    let extent = Extent::D2 { width: 6, height: 4 };
    let image = |texels: &[u32]| {
        Image::array(ChannelFormat::Unsigned32, 1, extent, bytes(texels.iter().map(|v| v.to_le_bytes())))
    };
    let mut launch = Launch { grid: [4, 1, 1], block: [6, 1, 1], ..Launch::new("surfaces") };
    launch.textures = Textures {
        images: vec![image(&from), image(&[0; 24])],
        surfaces: vec![Surface { image: 0, level: 0 }, Surface { image: 1, level: 0 }],
        ..Textures::default()
    };
    launch.arguments = vec![Argument::Handle(Handle::Surface(0)), Argument::Handle(Handle::Surface(1))];
    let next = |i: usize| if i % 6 == 5 { 0 } else { from[i + 1] };
    let want = bytes((0..24).map(|i| (from[i] + next(i)).to_le_bytes()));
    on_every_way(&launch, |outcome| assert_eq!(outcome.images[1].as_ref(), Some(&want)));
}

#[test]
fn gathers_take_four_texels_from_the_lower_left_on() {
    let mut launch = Launch { block: [9, 1, 1], ..Launch::new("gathered") };
    launch.textures = textures(vec![picture()], &[(None, false, ReadMode::Element)]);
    launch.arguments = vec![Argument::Handle(Handle::Texture(0)), Argument::Buffer(vec![0; 9 * 16])];
    on_every_way(&launch, |outcome| {
        for (i, got) in floats(outcome, 1).chunks_exact(4).enumerate() {
            // Around a corner of four texels: (0, 1), (1, 1), (1, 0), (0, 0), y downwards.
            let (x, y) = ((i % 3) as i32, (i / 3) as i32);
            let want = [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(dx, dy)| texel(x + dx, y + dy));
            assert_eq!(got, want, "{x} {y}");
        }
    });
}

#[test]
fn levels_of_a_mipmap_are_mixed() {
    // Levels of 4, 2 and 1 texels along an edge, each of one value.
    let texels = [vec![8.0f32; 16], vec![24.0; 4], vec![64.0; 1]].concat();
    let image = Image {
        levels: 3,
        ..Image::array(
            ChannelFormat::Float,
            1,
            Extent::D2 { width: 4, height: 4 },
            bytes(texels.iter().map(|v| v.to_le_bytes())),
        )
    };
    let sampler = Sampler { filter: Filter::Linear, level_filter: Filter::Linear, ..Sampler::default() };
    let mut launch = Launch { block: [12, 1, 1], ..Launch::new("levels") };
    launch.textures = textures(vec![image], &[(Some(sampler), true, ReadMode::Element)]);
    launch.arguments = vec![Argument::Handle(Handle::Texture(0)), Argument::Buffer(vec![0; 48])];
    on_every_way(&launch, |outcome| {
        let value = |level: usize| [8.0f32, 24.0, 64.0][level.min(2)];
        for (i, got) in floats(outcome, 1).into_iter().enumerate() {
            let (level, part) = (i / 4, (i % 4) as f32 * 0.25);
            assert_eq!(got, (1.0 - part) * value(level) + part * value(level + 1), "{i}");
        }
    });
}

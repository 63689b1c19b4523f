//! Textures of a device. What is expected follows from the kernels, which are a few lines each.

use std::sync::Arc;

use ptx_device::texture::{
    AddressMode, ChannelFormat, Extent, Filter, Handle, Image, Sampler, Start, Storage, Surface, Texture,
    TextureSet, Textures,
};
use ptx_device::{Argument, Device, DeviceError, Module, Shape};

const KERNELS: &str = ".version 8.0\n.target sm_80\n.address_size 64\n
.global .texref line;
// to[i] = line[i]
.visible .entry read(.param .u64 to) {
    .reg .u64 %t; .reg .u32 %i, %a, %b, %c, %d;
    ld.param.u64 %t, [to];
    mov.u32 %i, %tid.x;
    mad.wide.u32 %t, %i, 4, %t;
    tex.1d.v4.u32.s32 {%a, %b, %c, %d}, [line, {%i}];
    st.global.u32 [%t], %a;
    ret;
}
// Adds i to number i of a surface.
.visible .entry count(.param .u64 surface) {
    .reg .u64 %s; .reg .u32 %i;
    ld.param.u64 %s, [surface];
    mov.u32 %i, %tid.x;
    sured.p.add.1d.b32.trap [%s, {%i}], %i;
    ret;
}
";

#[test]
fn surfaces_keep_what_launches_store_and_textures_show_memory() {
    let device = Device::new();
    let module = Module::load(&device, "textures.ptx", KERNELS).unwrap();
    let (from, to) = (device.allocate(16).unwrap(), device.allocate(16).unwrap());
    let bytes: Vec<u8> = [7u32, 8, 9, 10].iter().flat_map(|n| n.to_le_bytes()).collect();
    device.write(from, &bytes).unwrap();
    let d1 = Extent::D1 { width: 4 };
    let linear = Storage::Linear { start: Start::Address(from), pitch: 0 };
    let image = |storage| Image { storage, ..Image::array(ChannelFormat::Unsigned32, 1, d1, Vec::new()) };
    let set = TextureSet::new(Textures {
        images: vec![image(linear), image(Storage::Array(vec![0; 16]))],
        textures: vec![Texture::new(0)],
        surfaces: vec![Surface { image: 1, level: 0 }],
        references: vec![("line".to_owned(), Handle::Texture(0))],
        ..Textures::default()
    });
    let set = Arc::new(set.unwrap());
    let read = module.kernel("read").unwrap();
    let shape = Shape::linear(1, 4);
    assert!(read.launch(&shape, &[Argument::from(to)]).is_err(), "nothing is given for `line` yet");
    device.set_textures(set.clone());
    read.launch(&shape, &[Argument::from(to)]).unwrap();
    let mut found = vec![0; 16];
    device.read(to, &mut found).unwrap();
    assert_eq!(found, bytes);
    let count = module.kernel("count").unwrap();
    for _ in 0..3 {
        count.launch(&shape, &[Argument::from(Handle::Surface(0).value())]).unwrap();
    }
    let wanted: Vec<u8> = [0u32, 3, 6, 9].iter().flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(set.contents(), [None, Some(wanted)]);
}

fn words(device: &Device, address: u64, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count];
    device.read(address, &mut bytes).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Numbers at an address, in two axes.
fn plane(address: u64, width: u32, height: u32, pitch: u64) -> Image {
    let storage = Storage::Linear { start: Start::Address(address), pitch };
    let extent = Extent::D2 { width, height };
    Image { storage, ..Image::array(ChannelFormat::Float, 1, extent, Vec::new()) }
}

const OBJECTS: &str = ".version 8.0\n.target sm_80\n.address_size 64\n
// to[i] = the texel at (x[i], y[i]) of a texture
.visible .entry look(.param .u64 texture, .param .u64 at, .param .u64 to) {
    .reg .u64 %t, %at, %to; .reg .u32 %i; .reg .f32 %x, %y, %a, %b, %c, %d;
    ld.param.u64 %t, [texture];
    ld.param.u64 %at, [at];
    ld.param.u64 %to, [to];
    mov.u32 %i, %tid.x;
    mad.wide.u32 %at, %i, 8, %at;
    mad.wide.u32 %to, %i, 4, %to;
    ld.global.v2.f32 {%x, %y}, [%at];
    tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%x, %y}];
    st.global.f32 [%to], %a;
    ret;
}
";

#[test]
fn texture_objects_show_pitched_memory_through_their_own_samplers() {
    let device = Device::new();
    let module = Module::load(&device, "objects.ptx", OBJECTS).unwrap();
    let look = module.kernel("look").unwrap();
    // Two rows of three numbers, 32 bytes apart.
    let from = device.allocate(64).unwrap();
    device.write(from, &floats(&[1.0, 2.0, 3.0])).unwrap();
    device.write(from + 32, &floats(&[5.0, 6.0, 7.0])).unwrap();
    let image = device.image(plane(from, 3, 2, 32)).unwrap();
    let border =
        Sampler { address: [AddressMode::Border; 3], border: [9.0, 0.0, 0.0, 0.0], ..Sampler::default() };
    let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let with = |sampler| Texture { sampler: Some(sampler), ..Texture::new(7) };
    let border = device.texture(&image, &with(border)).unwrap();
    let linear = device.texture(&image, &with(linear)).unwrap();

    let (at, to) = (device.allocate(32).unwrap(), device.allocate(16).unwrap());
    // The centre of (2, 1), a place between the four first centres, one beyond the right edge, one above the upper edge.
    device.write(at, &floats(&[2.5, 1.5, 1.0, 1.0, 3.5, 0.5, 0.5, -0.5])).unwrap();
    let run = |texture: Handle| {
        look.launch(&Shape::linear(1, 4), &[texture.into(), at.into(), to.into()])
            .map(|_| words(&device, to, 4).iter().map(|&bits| f32::from_bits(bits)).collect::<Vec<_>>())
    };
    // (1.0, 1.0) is in texel (1, 1) for the nearest one, and halfway between all of 1, 2, 5 and 6 for the filter.
    assert_eq!(run(border).unwrap(), [7.0, 6.0, 9.0, 9.0]);
    assert_eq!(run(linear).unwrap(), [7.0, 3.5, 3.0, 1.0]);

    device.destroy(linear).unwrap();
    assert!(matches!(device.destroy(linear), Err(DeviceError::Texture(_))));
    // Another texture takes its place, under another handle.
    let other = device.texture(&image, &Texture::new(0)).unwrap();
    assert_ne!(other.value(), linear.value());
    assert_eq!(run(other).unwrap(), [7.0, 6.0, 3.0, 1.0]);
    assert_eq!(run(border).unwrap(), [7.0, 6.0, 9.0, 9.0]);
    let error = run(linear).unwrap_err().to_string();
    assert!(
        error.contains("objects.ptx:15:5") && error.contains("is not the handle of a .texref"),
        "{error}"
    );
}

#[test]
fn arrays_are_shared_by_surfaces_and_textures_of_two_modules() {
    let device = Device::new();
    let [first, second] = ["first", "second"].map(|name| Module::load(&device, name, KERNELS).unwrap());
    let image = |texels: &[u32]| {
        let bytes = texels.iter().flat_map(|n| n.to_le_bytes()).collect();
        device.image(Image::array(ChannelFormat::Unsigned32, 1, Extent::D1 { width: 4 }, bytes)).unwrap()
    };
    let (a, b) = (image(&[10, 20, 30, 40]), image(&[1, 2, 3, 4]));
    let (of_a, of_b) = (Texture::new(0), Texture::new(0));
    let (of_a, of_b) = (device.texture(&a, &of_a).unwrap(), device.texture(&b, &of_b).unwrap());
    first.bind("line", Some(of_a)).unwrap();
    second.bind("line", Some(of_b)).unwrap();
    let surface = device.surface(&a, 0).unwrap();
    let to = device.allocate(16).unwrap();
    let read = |module: &Module| {
        module.kernel("read").unwrap().launch(&Shape::linear(1, 4), &[to.into()])?;
        Ok::<_, DeviceError>(words(&device, to, 4))
    };
    assert_eq!(read(&first).unwrap(), [10, 20, 30, 40]);
    assert_eq!(read(&second).unwrap(), [1, 2, 3, 4]);
    first.kernel("count").unwrap().launch(&Shape::linear(1, 4), &[surface.into()]).unwrap();
    assert_eq!(read(&first).unwrap(), [10, 21, 32, 43]);
    let texels = [10u32, 21, 32, 43].map(u32::to_le_bytes).concat();
    assert_eq!(a.texels(), Some(texels));
    a.set_texels(&[7; 16]).unwrap();
    assert_eq!(read(&first).unwrap(), [0x0707_0707; 4]);
    assert!(a.set_texels(&[7; 12]).is_err());

    // A binding that ends leaves nothing; one of a texture that is gone is refused when a kernel needs it.
    first.bind("line", None).unwrap();
    let error = read(&first).unwrap_err().to_string();
    assert!(error.contains("gives nothing for the .texref `line`"), "{error}");
    device.destroy(of_b).unwrap();
    assert!(matches!(read(&second), Err(DeviceError::Launch(_))));
}

#[test]
fn objects_that_there_cannot_be_are_refused() {
    let device = Device::new();
    let module = Module::load(&device, "textures.ptx", KERNELS).unwrap();
    let from = device.allocate(64).unwrap();
    let texel = Image::array(ChannelFormat::Unsigned32, 1, Extent::D1 { width: 1 }, vec![0; 4]);
    let array = device.image(texel.clone()).unwrap();
    let linear = device.image(plane(from, 3, 2, 32)).unwrap();
    let texture = device.texture(&array, &Texture::new(0)).unwrap();
    let sampler = device.sampler(Sampler::default()).unwrap();
    let refused = |result: Result<(), DeviceError>, wanted: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(wanted), "{text}\n{wanted}");
    };
    let image = |image| device.image(image).map(drop);
    refused(image(Image { channels: 3, ..texel.clone() }), "the image has 3 channels");
    refused(image(Image { levels: 2, ..texel.clone() }), "the image has 2 levels");
    refused(image(plane(from, 3, 3, 32)), "76 bytes at");
    refused(image(plane(from, 3, 2, 10)), "a pitch of 10 bytes");
    let start = Start::Argument { index: 0, offset: 0 };
    let storage = Storage::Linear { start, pitch: 0 };
    refused(image(Image { storage, ..texel }), "lies in argument 0, which is not a buffer");
    let srgb = Texture { srgb: true, ..Texture::new(0) };
    refused(device.texture(&array, &srgb).map(drop), "the texture is in sRGB");
    refused(device.surface(&linear, 0).map(drop), "the surface is of linear memory");
    refused(device.surface(&array, 1).map(drop), "the surface is of a level that the image does not have");
    refused(module.bind("lines", Some(texture)), "no texture, sampler or surface `lines`");
    refused(module.bind("line", Some(sampler)), "`line` is a .texref, and the handle is of a .samplerref");
    refused(module.bind("line", Some(Handle::Texture(5))), "Texture(5) is not there");
    assert!(linear.set_texels(&[]).is_err() && linear.texels().is_none());
}

#[test]
fn samplers_of_the_independent_mode_are_objects() {
    let device = Device::new();
    let text = OBJECTS.replace(".target sm_80", ".target sm_80, texmode_independent");
    let text = text.replace(".param .u64 at,", ".param .u64 at, .param .u64 sampler,");
    let text = text.replace(".reg .u64 %t,", ".reg .u64 %s, %t,");
    let text = text.replace("mov.u32 %i", "ld.param.u64 %s, [sampler]; mov.u32 %i");
    let text = text.replace("[%t, {", "[%t, %s, {");
    let module = Module::load(&device, "independent.ptx", text).unwrap();
    let look = module.kernel("look").unwrap();
    let array =
        Image::array(ChannelFormat::Float, 1, Extent::D2 { width: 2, height: 1 }, floats(&[2.0, 4.0]));
    let array = device.image(array).unwrap();
    let texture = device.texture(&array, &Texture::new(0)).unwrap();
    let (at, to) = (device.allocate(8).unwrap(), device.allocate(4).unwrap());
    device.write(at, &floats(&[1.0, 0.5])).unwrap();
    for (filter, wanted) in [(Filter::Point, 4.0), (Filter::Linear, 3.0f32)] {
        let sampler = device.sampler(Sampler { filter, ..Sampler::default() }).unwrap();
        look.launch(&Shape::linear(1, 1), &[texture.into(), at.into(), sampler.into(), to.into()]).unwrap();
        assert_eq!(words(&device, to, 1), [wanted.to_bits()]);
        device.destroy(sampler).unwrap();
    }
}

//! Textures of a device. What is expected follows from the kernels, which are a few lines each.

use std::sync::Arc;

use ptx_device::{Argument, Device, Module, Shape};
use ptx_exec::texture::{
    ChannelFormat, Extent, Handle, Image, Start, Storage, Surface, Texture, TextureSet, Textures,
};

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

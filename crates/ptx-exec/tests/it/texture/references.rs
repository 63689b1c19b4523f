//! Opaque variables and parameters, handles in registers, and the two texturing modes.

use ptx_exec::texture::{AddressMode, Extent, Filter, Handle, Sampler, Surface, Texture, Textures};
use ptx_exec::{Argument, Launch};

use super::{HEAD, execute, refusal, singles, trap};

const INDEPENDENT: &str = ".version 8.1\n.target sm_80, texmode_independent\n.address_size 64\n";

/// One thread that fetches at `%f0` = 2.25 and stores a number.
fn program(head: &str, variables: &str, params: &str, fetch: &str) -> String {
    format!(
        "{head}{variables}\n.visible .entry k(.param .u64 out{params}) {{\n.reg .b64 %d<9>;\n.reg .f32 %f<9>;\n\
         ld.param.u64 %d0, [out];\nmov.f32 %f0, 0f40100000;\n{fetch}\nst.global.f32 [%d0], %f1;\nret;\n}}\n"
    )
}

/// Four texels: 10, 20, 40, 80.
fn textures(texture: Texture, references: &[(&str, Handle)]) -> Textures {
    let (mut image, _) = singles(Extent::D1 { width: 4 }, 4);
    let bytes = [10f32, 20.0, 40.0, 80.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    image.storage = ptx_exec::texture::Storage::Array(bytes);
    Textures {
        images: vec![image],
        textures: vec![texture],
        samplers: vec![linear(), Sampler::default()],
        surfaces: vec![Surface { image: 0, level: 0 }],
        references: references.iter().map(|(name, handle)| ((*name).to_owned(), *handle)).collect(),
    }
}

fn linear() -> Sampler {
    Sampler { filter: Filter::Linear, address: [AddressMode::Border; 3], ..Sampler::default() }
}

fn number(text: &str, textures: Textures, more: &[Argument]) -> f32 {
    let mut arguments = vec![Argument::Buffer(vec![0; 4])];
    arguments.extend_from_slice(more);
    let outcome = execute(text, &Launch { textures, arguments, ..Launch::new("k") });
    let outcome = outcome.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    f32::from_le_bytes(outcome.buffers[0].as_deref().unwrap().try_into().unwrap())
}

/// x_B = 1.75: a quarter of 20 and three of 40.
const MIXED: f32 = 35.0;

#[test]
fn variables_are_bound_by_name() {
    let fetch = "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f0}];";
    let text = program(HEAD, ".global .texref t;", "", fetch);
    let with = |texture| textures(texture, &[("t", Handle::Texture(0))]);
    assert_eq!(number(&text, with(Texture::new(0)), &[]), 40.0, "texel 2");
    let texture = Texture { sampler: Some(linear()), ..Texture::new(0) };
    assert_eq!(number(&text, with(texture), &[]), MIXED);
    // A name means its handle.
    let fetch = "mov.u64 %d1, t;\nmov.u64 %d2, %d1;\ntex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d2, {%f0}];";
    assert_eq!(number(&program(HEAD, ".global .texref t;", "", fetch), with(texture), &[]), MIXED);
}

/// The initial value specifies what the launch leaves open.
#[test]
fn initial_values_of_textures() {
    let fetch = "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f0}];";
    let with = |texture| textures(texture, &[("t", Handle::Texture(0))]);
    for (fields, wanted) in [
        ("width = 4, filter_mode = linear, normalized_coords = 0", MIXED),
        // 2.25 * 4 = 9: texel 1 of the third turn, and between texels 0 and 1.
        ("normalized_coords = 1, addr_mode_0 = wrap", 20.0),
        ("normalized_coords = 1, addr_mode_0 = wrap, filter_mode = linear", 15.0),
        ("normalized_coords = 1, addr_mode_0 = clamp_to_border", 0.0),
        ("normalized_coords = 1, addr_mode_0 = clamp_to_edge", 80.0),
        // The middle of the last texel and the border: 4 is as far as coordinates go.
        ("normalized_coords = 1, addr_mode_0 = clamp_ogl, filter_mode = linear", 40.0),
        // floor(2.25) is even: 0.25 * 4 = 1.
        ("normalized_coords = 1, addr_mode_0 = mirror", 20.0),
    ] {
        let text = program(HEAD, &format!(".global .texref t = {{ {fields} }};"), "", fetch);
        assert_eq!(number(&text, with(Texture::new(0)), &[]), wanted, "{fields}");
        // What the launch specifies takes precedence.
        let given = Texture { sampler: Some(linear()), normalized: Some(false), ..Texture::new(0) };
        assert_eq!(number(&text, with(given), &[]), MIXED, "{fields}");
    }
    let text = program(HEAD, ".global .texref t = { width = 5 };", "", fetch);
    let launch = Launch {
        textures: with(Texture::new(0)),
        arguments: vec![Argument::Buffer(vec![0; 4])],
        ..Launch::new("k")
    };
    let found = refusal(execute(&text, &launch));
    assert!(found.contains("`t` is declared with Width 5, and its image has 4"), "{found}");
}

#[test]
fn samplers_apart_from_textures() {
    let fetch = "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, s, {%f0}];";
    let sampler = |fields: &str| format!(".global .texref t;\n.global .samplerref s = {{ {fields} }};");
    let normalized = Texture { normalized: Some(true), ..Texture::new(0) };
    for (texture, fields, wanted) in [
        (Texture::new(0), "filter_mode = linear", MIXED),
        (Texture::new(0), "filter_mode = nearest", 40.0),
        // The texture's coordinates are normalized, unless the sampler forces them not to be.
        (normalized, "addr_mode_0 = wrap", 20.0),
        (normalized, "force_unnormalized_coords = 1, filter_mode = linear", MIXED),
    ] {
        let text = program(INDEPENDENT, &sampler(fields), "", fetch);
        let textures = textures(texture, &[("t", Handle::Texture(0))]);
        assert_eq!(number(&text, textures, &[]), wanted, "{fields}");
    }
    // The launch's sampler takes precedence over the initial value, and is that of a variable without one.
    for init in ["", " = { filter_mode = nearest }"] {
        let text =
            program(INDEPENDENT, &format!(".global .texref t;\n.global .samplerref s{init};"), "", fetch);
        let textures = textures(Texture::new(0), &[("t", Handle::Texture(0)), ("s", Handle::Sampler(0))]);
        assert_eq!(number(&text, textures, &[]), MIXED);
    }
    // The texture's own sampler is not looked at.
    let texture = Texture { sampler: Some(linear()), ..Texture::new(0) };
    let text = program(INDEPENDENT, &sampler("filter_mode = nearest"), "", fetch);
    assert_eq!(number(&text, textures(texture, &[("t", Handle::Texture(0))]), &[]), 40.0);
}

/// In the unified mode a texture has its sampler, and the second object is not looked at, as `ptxas` does it.
#[test]
fn the_unified_mode_has_no_second_object() {
    let fetch = "mov.u64 %d2, 1;\ntex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, %d2, {%f0}];";
    let text = program(HEAD, "", ", .param .u64 h", &format!("ld.param.u64 %d1, [h];\n{fetch}"));
    let texture = Texture { sampler: Some(linear()), ..Texture::new(0) };
    let handle = [Argument::Handle(Handle::Texture(0))];
    assert_eq!(number(&text, textures(texture, &[]), &handle), MIXED);
}

#[test]
fn opaque_parameters_and_handles_in_registers() {
    let params = ", .param .texref t, .param .samplerref s, .param .surfref u";
    let handles = [Handle::Texture(0), Handle::Sampler(0), Handle::Surface(0)].map(Argument::Handle);
    let given = || textures(Texture::new(0), &[]);
    let fetch = "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, s, {%f0}];";
    assert_eq!(number(&program(INDEPENDENT, "", params, fetch), given(), &handles), MIXED);
    let fetch = "mov.u64 %d1, t;\nmov.u64 %d2, s;\ntex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, %d2, {%f0}];";
    assert_eq!(number(&program(INDEPENDENT, "", params, fetch), given(), &handles), MIXED);
    let fetch = ".reg .b32 %r<2>;\nmov.u32 %r0, 12;\nsuld.b.1d.b32.trap %r1, [u, {%r0}];\nmov.b32 %f1, %r1;";
    assert_eq!(number(&program(INDEPENDENT, "", params, fetch), given(), &handles), 80.0);
    let fetch = ".reg .b32 %r<2>;\ntxq.width.b32 %r0, [t];\ncvt.rn.f32.u32 %f1, %r0;";
    assert_eq!(number(&program(INDEPENDENT, "", params, fetch), given(), &handles), 4.0);
    // A parameter that is a number of 64 bits.
    let fetch = "ld.param.u64 %d1, [h];\ntex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0}];";
    assert_eq!(number(&program(HEAD, "", ", .param .u64 h", fetch), given(), &handles[..1]), 40.0);
}

/// Threads of one warp with handles of their own.
#[test]
fn handles_differ_from_lane_to_lane() {
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b) {{\n.reg .b64 %d<9>;\n.reg .f32 %f<9>;\n\
         .reg .b32 %r<9>;\n.reg .pred %p<2>;\nld.param.u64 %d0, [out];\nld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\n\
         mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 0;\nselp.b64 %d3, %d1, %d2, %p0;\n\
         shr.u32 %r2, %r0, 1;\nmad.wide.u32 %d4, %r0, 4, %d0;\nsetp.lt.u32 %p1, %r0, 6;\n\
         @%p1 tex.1d.v4.f32.s32 {{%f1,%f2,%f3,%f4}}, [%d3, {{%r2}}];\n@%p1 st.global.f32 [%d4], %f1;\nret;\n}}\n"
    );
    let mut given = textures(Texture::new(0), &[]);
    let other = [1f32, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let format = ptx_exec::texture::ChannelFormat::Float;
    given.images.push(ptx_exec::texture::Image::array(format, 1, Extent::D1 { width: 3 }, other));
    given.textures.push(Texture::new(1));
    let arguments = vec![
        Argument::Buffer(vec![0; 32]),
        Argument::Handle(Handle::Texture(0)),
        Argument::Handle(Handle::Texture(1)),
    ];
    let launch = Launch { textures: given, arguments, block: [8, 1, 1], ..Launch::new("k") };
    let outcome = execute(&text, &launch).unwrap();
    let numbers = outcome.buffers[0].as_ref().unwrap().chunks(4);
    let numbers: Vec<f32> = numbers.map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
    assert_eq!(numbers, [10.0, 1.0, 20.0, 2.0, 40.0, 3.0, 0.0, 0.0]);
}

#[test]
fn what_a_launch_does_not_give_is_refused() {
    let fetch = "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f0}];";
    let text = program(HEAD, ".global .texref t;", "", fetch);
    let of = |text: &str, textures, more: &[Argument]| {
        let mut arguments = vec![Argument::Buffer(vec![0; 4])];
        arguments.extend_from_slice(more);
        refusal(execute(text, &Launch { textures, arguments, ..Launch::new("k") }))
    };
    let given = |references: &[(&str, Handle)]| textures(Texture::new(0), references);
    let cases = [
        (of(&text, given(&[]), &[]), "the launch gives nothing for the .texref `t`"),
        (
            of(&text, given(&[("t", Handle::Surface(0))]), &[]),
            "`t` is a .texref, and the launch gives it a .surfref",
        ),
        (
            of(&text, given(&[("t", Handle::Texture(1))]), &[]),
            "the launch gives `t` Texture 1, which there is not",
        ),
        (
            of(&text, given(&[("u", Handle::Texture(0))]), &[]),
            "the module has no texture, sampler or surface `u`",
        ),
        (
            of(&program(HEAD, "", ", .param .texref t", fetch), given(&[]), &[Argument::Bytes(vec![0; 8])]),
            "argument 1 for parameter `t` of 8 bytes is not the handle of a .texref",
        ),
        (
            of(
                &program(HEAD, "", ", .param .texref t", fetch),
                given(&[]),
                &[Argument::Handle(Handle::Sampler(0))],
            ),
            "is the handle of a .samplerref",
        ),
        (
            of(
                &program(HEAD, "", ", .param .u64 t", ""),
                given(&[]),
                &[Argument::Handle(Handle::Texture(7))],
            ),
            "argument 1 is .texref 7, and the launch has 1 of them",
        ),
        (
            of(
                &program(HEAD, "", ", .param .u32 t", ""),
                given(&[]),
                &[Argument::Handle(Handle::Texture(0))],
            ),
            "parameter `t` of 4 bytes has 8 bytes",
        ),
    ];
    for (found, wanted) in cases {
        assert!(found.contains(wanted), "{found}");
    }
    // Variables that the kernel does not use need nothing.
    let text = program(HEAD, ".global .texref t;", "", "mov.f32 %f1, %f0;");
    assert_eq!(number(&text, given(&[]), &[]), 2.25);
}

#[test]
fn numbers_that_are_no_handles_stop_the_thread() {
    let fetch = "ld.param.u64 %d1, [h];\ntex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0}];";
    let text = program(HEAD, "", ", .param .u64 h", fetch);
    for argument in [
        Argument::Bytes(vec![0; 8]),
        Argument::Bytes(u64::MAX.to_le_bytes().to_vec()),
        Argument::Buffer(vec![0; 4]),
        Argument::Handle(Handle::Surface(0)),
    ] {
        let arguments = vec![Argument::Buffer(vec![0; 4]), argument];
        let launch = Launch { textures: textures(Texture::new(0), &[]), arguments, ..Launch::new("k") };
        let found = trap(execute(&text, &launch));
        assert!(found.to_string().contains("is not the handle of a .texref of the launch"), "{found}");
    }
    // Handles are not addresses.
    let text = program(HEAD, "", ", .param .u64 h", "ld.param.u64 %d1, [h];\nld.global.f32 %f1, [%d1];");
    let arguments = vec![Argument::Buffer(vec![0; 4]), Argument::Handle(Handle::Texture(0))];
    let launch = Launch { textures: textures(Texture::new(0), &[]), arguments, ..Launch::new("k") };
    assert!(trap(execute(&text, &launch)).to_string().contains("out of bounds"));
}

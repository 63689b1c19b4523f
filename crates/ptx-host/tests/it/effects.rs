//! Instructions that the interpreter's runtime executes for compiled kernels. Both engines are compared; what they give is written down here,
//! as the manual has it.

use crate::common::{launched_alike, words};
use ptx_exec::{Argument, Launch};
use ptx_program::texture::{ChannelFormat, Extent, Handle, Image, Texture, Textures};

/// A kernel whose thread `%r0` has `%rd2`, the address of 16 bytes of the output, and the handle `%rd0`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 object, .param .u64 out) {{\n\
         .reg .b64 %rd<20>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .pred %p<3>;\n\
         ld.param.u64 %rd0, [object];\nld.param.u64 %rd1, [out];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %rd2, %r0, 16, %rd1;\n\
         {body}\nret;\n}}\n"
    )
}

/// What the 64 threads of such a kernel store, and the image.
fn ran(body: &str, handle: Handle) -> Result<(Vec<u32>, Vec<u8>), String> {
    let texels = (0..40u32).flat_map(|n| (3 * n + 1).to_le_bytes()).collect();
    let image = Image::array(ChannelFormat::Unsigned32, 1, Extent::D1 { width: 40 }, texels);
    let textures = Textures {
        images: vec![image],
        textures: vec![Texture::new(0)],
        surfaces: vec![ptx_program::texture::Surface { image: 0, level: 0 }],
        ..Textures::default()
    };
    let arguments = vec![Argument::Handle(handle), Argument::Buffer(vec![0; 16 * 64])];
    let launch = Launch { block: [64, 1, 1], arguments, textures, ..Launch::new("k") };
    let outcome = launched_alike(&kernel(body), &launch)?;
    Ok((words(outcome.buffers[1].as_ref().unwrap()), outcome.images[0].clone().unwrap()))
}

#[test]
fn texels_by_their_number() {
    // Texel n is 3n + 1; coordinates beyond the last one are clamped to it (manual 9.7.10.3). Threads with an odd number keep the 7.
    let body = "mov.u32 %r8, 7; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0;\n\
                @%p0 tex.1d.v4.u32.s32 {%r8, %r9, %r10, %r11}, [%rd0, {%r0}]; st.global.u32 [%rd2], %r8;";
    let (stored, _) = ran(body, Handle::Texture(0)).unwrap();
    for thread in 0..64 {
        let expected = if thread % 2 == 1 { 7 } else { 3 * thread.min(39) + 1 };
        assert_eq!(stored[4 * thread as usize], expected, "thread {thread}");
    }
}

#[test]
fn queries() {
    let (stored, _) =
        ran("txq.width.b32 %r8, [%rd0]; st.global.u32 [%rd2], %r8;", Handle::Texture(0)).unwrap();
    assert!((0..64).all(|thread| stored[4 * thread] == 40));
    let body = "suq.width.b32 %r8, [%rd0]; st.global.u32 [%rd2], %r8; istypep.surfref %p0, %rd0; istypep.texref %p1, %rd0;\n\
                selp.u32 %r9, 5, 6, %p0; selp.u32 %r10, 5, 6, %p1; st.global.u32 [%rd2+4], %r9; st.global.u32 [%rd2+8], %r10;";
    let (stored, _) = ran(body, Handle::Surface(0)).unwrap();
    assert!((0..64).all(|thread| stored[4 * thread..][..3] == [40, 5, 6]));
}

#[test]
fn surfaces_are_loaded_and_stored_in_loops_and_branches() {
    // Each thread below 40 adds its number three times; the others are beyond the edge, where loads are 0 and nothing is stored.
    let body = "shl.b32 %r1, %r0, 2; mov.u32 %r2, 0;\n\
                again: suld.b.1d.b32.zero %r8, [%rd0, {%r1}]; add.u32 %r8, %r8, %r0; setp.lt.u32 %p0, %r0, 40;\n\
                @!%p0 bra over; sust.b.1d.b32.zero [%rd0, {%r1}], %r8;\n\
                over: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra again; st.global.u32 [%rd2], %r8;";
    let (stored, image) = ran(body, Handle::Surface(0)).unwrap();
    let image = words(&image);
    for thread in 0..64u32 {
        let before = 3 * thread + 1;
        let expected = if thread < 40 { before + 3 * thread } else { thread };
        assert_eq!(stored[4 * thread as usize], expected, "thread {thread}");
        assert!(thread >= 40 || image[thread as usize] == expected);
    }
}

#[test]
fn accesses_beyond_the_edge_stop_the_thread() {
    let body = "shl.b32 %r1, %r0, 2; setp.gt.u32 %p0, %r0, 9; @%p0 suld.b.1d.b32.trap %r8, [%rd0, {%r1}]; st.global.u32 [%rd2], %r8;";
    let error = ran(body, Handle::Surface(0)).unwrap_err();
    assert!(
        error.contains("access of 4 bytes at byte 160 of row 0") && error.contains("thread (40, 0, 0)"),
        "{error}"
    );
    let error = ran("mov.u64 %rd3, 5; txq.width.b32 %r8, [%rd3];", Handle::Texture(0)).unwrap_err();
    assert!(error.contains("is not the handle of a .texref of the launch"), "{error}");
}

#[test]
fn several_places_at_one_address() {
    let text = ".version 8.7\n.target sm_90\n.address_size 64\n\
                .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out, .param .u64 mc) {\n\
                .reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p;\n\
                ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [mc]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd3, %r0, 4;\n\
                add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3; setp.lt.u32 %p, %r0, 20;\n\
                multimem.ld_reduce.relaxed.sys.global.add.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;\n\
                @%p multimem.red.relaxed.sys.global.add.u32 [%rd2], %r0; @!%p multimem.st.relaxed.sys.global.u32 [%rd2], %r1; ret;\n}\n";
    let place = |scale: u32| (0..32u32).flat_map(|n| (scale * n).to_le_bytes()).collect::<Vec<u8>>();
    let arguments = vec![
        Argument::Buffer(place(3)),
        Argument::Buffer(place(10)),
        Argument::Buffer(vec![0; 128]),
        Argument::Multimem(vec![0, 1]),
    ];
    let outcome = launched_alike(text, &Launch { block: [32, 1, 1], arguments, ..Launch::new("k") }).unwrap();
    let [a, b, out] = [0, 1, 2].map(|n| words(outcome.buffers[n].as_ref().unwrap()));
    for n in 0..32u32 {
        let at = n as usize;
        assert_eq!(out[at], 13 * n);
        assert_eq!([a[at], b[at]], if n < 20 { [4 * n, 11 * n] } else { [13 * n; 2] });
    }
}

/// A product of one warp: the output is its D, two or four words for each thread.
fn product(target: &str, body: &str) -> Result<Vec<u32>, String> {
    let text = format!(
        ".version 8.7\n.target {target}\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n\
         .reg .b64 %rd<20>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .pred %p<3>;\n\
         ld.param.u64 %rd1, [out];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %rd2, %r0, 16, %rd1;\n{body}\nret;\n}}\n"
    );
    let arguments = vec![Argument::Buffer(vec![0; 512])];
    let outcome = launched_alike(&text, &Launch { block: [32, 1, 1], arguments, ..Launch::new("k") })?;
    Ok(words(outcome.buffers[0].as_ref().unwrap()))
}

#[test]
fn sparse_products() {
    // All kept elements of A are 1, at places 0 and 1 of each chunk of four (metadata 0b0100 for each); B(k, n) = 1 for all k: every sum is
    // the number of kept places of a row, 8 of 16, and C adds the number of the thread.
    let body = "mov.u32 %r1, 0x3c003c00; mov.u32 %r9, 0x44444444; cvt.rn.f32.u32 %f0, %r0;\n\
                mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r1, %r1}, {%f0, %f0, %f0, %f0}, %r9, 0x0;\n\
                st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};";
    let stored = product("sm_80", body).unwrap();
    for thread in 0..32 {
        let expected = (8.0 + thread as f32).to_bits();
        assert_eq!(stored[4 * thread..4 * thread + 4], [expected; 4], "thread {thread}");
    }
    // Metadata that no chunk can have stops a thread.
    let error = product("sm_80", &body.replace("0x44444444", "0")).unwrap_err();
    assert!(error.contains("which no chunk of this sparse matrix can have"), "{error}");
}

#[test]
fn scaled_products() {
    // 1.0 of `.e2m1` is 0b0010. All elements are 1, 64 of them along k; scales of `.ue8m0` are 2^(x - 127), of A 2^1, of B 2^2.
    let body = "mov.u32 %r1, 0x22222222; mov.u32 %r5, 0x80808080; mov.u32 %r6, 0x81818181; mov.f32 %f0, 0f3f000000;\n\
                mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f0, %f0, %f0, %f0}, %r5, {0, 0}, %r6, {0, 0};\n\
                st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};";
    let stored = product("sm_120a", body).unwrap();
    assert!(stored.iter().all(|&word| word == (64.0f32 * 8.0 + 0.5).to_bits()), "{stored:x?}");
}

#[test]
fn products_of_bits() {
    // Each row of A and column of B has 128 bits; `xor.popc` counts where they differ: all 128 here, but none of the lower half of each word.
    let body = "mov.u32 %r1, 0xffff0000; mov.u32 %r2, 0; \n\
                mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r3, %r4}, {%r1}, {%r2}, {%r0, %r0};\n\
                st.global.v2.u32 [%rd2], {%r3, %r4};";
    let stored = product("sm_80", body).unwrap();
    assert!((0..32).all(|thread| stored[4 * thread] == 64 + thread as u32));
}

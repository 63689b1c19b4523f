//! Sectors of memory and conflicts of banks that a profile counts. The expected counts were worked out by hand from the addresses: a
//! sector is 32 bytes, a bank gives one word of 4 bytes in a turn, and 8 rows of 16 bytes go in a turn without conflicts.

use std::num::NonZeroUsize;

use ptx_diag::SourceFile;
use ptx_exec::tensormap::{ElementType, Tensor};
use ptx_exec::texture::Handle;
use ptx_exec::texture::{ChannelFormat, Extent, Filter, Image, Sampler, Surface, Texture, Textures};
use ptx_exec::{Argument, Counts, Launch, Observation, TensorMap, run_observed};

/// The counts of the only instruction whose mnemonic begins so, in a kernel of one warp with buffers of 8 KiB in `%a` and `%b`.
fn counts(mnemonic: &str, body: &str, launch: Launch) -> Counts {
    let text = format!(
        ".version 8.8\n.target sm_100a\n.address_size 64
        .visible .entry k(.param .align 64 .b8 m[128], .param .u64 a, .param .u64 b, .param .u64 mc, .param .u64 h) {{
            .reg .pred %p<3>; .reg .b16 %h<9>; .reg .b32 %t, %s, %bar, %r<20>; .reg .f32 %f<9>; .reg .b64 %a, %b, %mc, %m, %hd, %rd<9>;
            .shared .align 1024 .b8 s[16384]; .shared .align 8 .b64 bar;
            ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %mc, [mc]; ld.param.u64 %hd, [h];
            mov.b64 %m, m; cvta.param.u64 %m, %m;
            mov.u32 %t, %tid.x; mov.u32 %s, s; mov.u32 %bar, bar; setp.eq.u32 %p0, %t, 0;
            @%p0 mbarrier.init.shared.b64 [%bar], 1; bar.sync 0;
            {body}
            ret; }}"
    );
    let source = SourceFile::new("test.ptx", text.clone());
    let (module, findings) = ptx_syntax::parse(&source);
    assert!(!findings.has_errors(), "{findings:?}\n{text}");
    let (verified, _) = ptx_verify::verify(&module).unwrap_or_else(|findings| panic!("{findings:?}\n{text}"));
    let observed = run_observed(verified, &launch, &Observation { profile: true, ..Observation::default() });
    if let Err(error) = &observed.result {
        panic!("{error}\n{body}");
    }
    let mut found = observed.profile.iter().filter(|profile| profile.instruction.starts_with(mnemonic));
    let counts = found.next().unwrap_or_else(|| panic!("{mnemonic}: {:?}", observed.profile)).counts;
    assert!(found.next().is_none(), "{mnemonic}");
    counts
}

/// A matrix of `.f32` with 16 columns of which 8 are in the tensor, and 4 rows of 64 bytes.
fn tensor() -> TensorMap {
    let tensor = Tensor::new(ElementType::F32, Argument::buffer_address(0), &[8, 4], &[64]);
    TensorMap::tiled(&tensor, &[8, 4]).unwrap()
}

fn launch() -> Launch {
    Launch {
        block: [32, 1, 1],
        threads: NonZeroUsize::new(1),
        arguments: vec![
            Argument::Bytes(tensor().to_bytes().to_vec()),
            Argument::Buffer(vec![0; 8192]),
            Argument::Buffer(vec![0; 8192]),
            Argument::Multimem(vec![1, 2]),
            Argument::Bytes(vec![0; 8]),
        ],
        ..Launch::new("k")
    }
}

/// Sectors and conflicts.
fn costs(mnemonic: &str, body: &str) -> (u64, u64) {
    let counts = counts(mnemonic, body, launch());
    (counts.sectors, counts.conflicts)
}

#[test]
fn rows_of_matrices_conflict_by_eights() {
    // Rows of 16 bytes, so many bytes apart, and the conflicts of eight of them: those of 128 bytes all begin at one bank; of 32 bytes
    // the fifth is where the first is; of 144 bytes each begins four banks further on, as without gaps.
    for (stride, each) in [(16, 0), (32, 1), (64, 3), (128, 7), (144, 0)] {
        for (count, registers) in [(1, "{%r1}"), (2, "{%r1, %r2}"), (4, "{%r1, %r2, %r3, %r4}")] {
            let at = format!("mad.lo.u32 %r9, %t, {stride}, %s;");
            let load = format!("{at} ldmatrix.sync.aligned.m8n8.x{count}.shared.b16 {registers}, [%r9];");
            assert_eq!(costs("ldmatrix", &load), (0, each * count), "{load}");
            let store = format!("{at} stmatrix.sync.aligned.m8n8.x{count}.shared.b16 [%r9], {registers};");
            assert_eq!(costs("stmatrix", &store), (0, each * count), "{store}");
        }
    }
    // 16 rows of bytes are two times eight.
    let bytes =
        "mad.lo.u32 %r9, %t, 128, %s; ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r9];";
    assert_eq!(costs("ldmatrix", bytes), (0, 14));
}

#[test]
fn a_matrix_of_wmma_is_rows_in_memory() {
    // 16 rows of 32 bytes: without gaps, 128 bytes apart, and 48 bytes apart, where they leave no sector of 752 bytes out.
    for (stride, sectors) in [(16, 16), (64, 16), (24, 24)] {
        let body = format!(
            "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}}, [%a], {stride};"
        );
        assert_eq!(costs("wmma", &body), (sectors, 0));
    }
}

#[test]
fn copies_of_single_threads_touch_both_memories() {
    // 32 times 16 bytes are 16 sectors. In shared memory they follow each other, or are 128 bytes apart.
    for (stride, conflicts) in [(16, 0), (128, 4 * 7)] {
        let body = format!(
            "mad.lo.u32 %r9, %t, {stride}, %s; mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %rd1, %a;
            cp.async.cg.shared.global [%r9], [%rd1], 16; cp.async.wait_all;"
        );
        assert_eq!(costs("cp.async.cg", &body), (16, conflicts));
    }
    // Each second word.
    let store = "mad.lo.u32 %r9, %t, 8, %s; @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 128;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r9], %t, [%bar];
        W: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0; @!%p1 bra W;";
    assert_eq!(costs("st.async", store), (0, 1));
}

#[test]
fn bulk_copies_touch_the_sectors_of_their_bytes() {
    let wait = "W: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0; @!%p1 bra W;";
    // Bytes 16 to 111 are in the first four sectors.
    let load = format!(
        "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 96;
        @%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%a+16], 96, [%bar]; {wait}"
    );
    assert_eq!(costs("cp.async.bulk.shared", &load), (4, 0));
    let done = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    for (mnemonic, instruction, sectors) in [
        ("cp.async.bulk.global", "cp.async.bulk.global.shared::cta.bulk_group [%a+32], [%s], 64;", 2),
        (
            "cp.async.bulk.global",
            "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%a], [%s], 64, 0x100;",
            2,
        ),
        ("cp.async.bulk.global", "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%a], [%s], 64, 0;", 0),
        ("cp.reduce", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%a+16], [%s], 32;", 2),
    ] {
        let instruction = instruction.replace(", 0x100;", ", %h1;").replace("64, 0;", "64, %h0;");
        let body = format!("mov.b16 %h0, 0; mov.b16 %h1, 0x100; @%p0 {instruction} {done}");
        assert_eq!(costs(mnemonic, &body), (sectors, 0), "{instruction}");
    }
}

#[test]
fn tensor_copies_touch_what_is_inside_of_the_tensor() {
    // A row of 8 numbers is a sector. From column 4 on half of each row is inside, which is in one sector too, from row 3 on one row.
    for (x, y, sectors) in [(0, 0, 4), (4, 0, 4), (8, 0, 0), (0, 3, 1), (0, -2, 2)] {
        let load = format!(
            "mov.b32 %r1, {x}; mov.b32 %r2, {y}; @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 128;
            @%p0 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%s], [%m, {{%r1, %r2}}], [%bar];
            W: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0; @!%p1 bra W;"
        );
        assert_eq!(costs("cp.async.bulk.tensor", &load), (sectors, 0), "{x} {y}");
    }
    let add = "mov.b32 %r1, 0; mov.b32 %r2, 1;
        @%p0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%m, {%r1, %r2}], [%s];
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    assert_eq!(costs("cp.reduce", add), (3, 0));
}

#[test]
fn a_multicast_reads_its_tensor_once() {
    let body = "mov.b32 %r1, 0; mov.b32 %r2, 0; mov.b16 %h1, 3; mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p2, %r3, 0;
        @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 128; barrier.cluster.arrive; barrier.cluster.wait;
        and.pred %p2, %p2, %p0;
        @%p2 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%s], [%m, {%r1, %r2}], [%bar], %h1;
        W: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0; @!%p1 bra W; barrier.cluster.arrive; barrier.cluster.wait;";
    let launch = Launch { grid: [2, 1, 1], cluster: Some([2, 1, 1]), ..launch() };
    assert_eq!(counts("cp.async.bulk.tensor", body, launch).sectors, 4);
}

#[test]
fn atomic_operations_count_each_word_once() {
    // Two words in a bank where each thread has every second one; one word for all.
    for (stride, conflicts) in [(0, 0), (4, 0), (8, 1)] {
        let body = format!("mad.lo.u32 %r9, %t, {stride}, %s; atom.shared.add.u32 %r1, [%r9], 1;");
        assert_eq!(costs("atom", &body), (0, conflicts));
    }
    assert_eq!(costs("red", "red.global.add.u32 [%a+64], 1;"), (1, 0));
    let vector = "mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %rd1, %a; mov.f32 %f1, 0f00000000;
        red.global.add.v4.f32 [%rd1], {%f1, %f1, %f1, %f1};";
    assert_eq!(costs("red", vector), (16, 0));
}

#[test]
fn multimem_addresses_are_several_places() {
    // 32 words are 4 sectors in each of the two buffers.
    let body = "mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %mc; multimem.ld_reduce.relaxed.gpu.global.add.u32 %r1, [%rd1];";
    assert_eq!(costs("multimem", body), (8, 0));
    let vector = "mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %rd1, %mc; mov.f32 %f1, 0f00000000;
        multimem.st.relaxed.gpu.global.v4.f32 [%rd1], {%f1, %f1, %f1, %f1};";
    assert_eq!(costs("multimem", vector), (32, 0));
}

#[test]
fn textures_and_surfaces_touch_texels() {
    // 64 texels of 4 bytes are a row of 256 bytes, 8 sectors.
    let image =
        Image::array(ChannelFormat::Float, 1, Extent::D2 { width: 64, height: 8 }, vec![0; 64 * 8 * 4]);
    let with = |filter: Filter, handle: Handle| {
        let sampler = Sampler { filter, ..Sampler::default() };
        let texture = Texture { normalized: Some(false), sampler: Some(sampler), ..Texture::new(0) };
        let mut launch = launch();
        launch.arguments[4] = Argument::Handle(handle);
        let surfaces = vec![Surface { image: 0, level: 0 }];
        launch.textures = Textures {
            images: vec![image.clone()],
            textures: vec![texture],
            surfaces,
            ..Textures::default()
        };
        launch
    };
    let fetch = |body: &str, filter: Filter| {
        counts(
            "tex",
            &format!("{body} tex.2d.v4.f32.f32 {{%f3, %f4, %f5, %f6}}, [%hd, {{%f1, %f2}}];"),
            with(filter, Handle::Texture(0)),
        )
        .sectors
    };
    let middle = "cvt.rn.f32.u32 %f1, %t; add.f32 %f1, %f1, 0f3f000000; mov.f32 %f2, 0f3f000000;";
    let edge = "cvt.rn.f32.u32 %f1, %t; add.f32 %f1, %f1, 0f3f800000; mov.f32 %f2, 0f3f800000;";
    // The middles of texels 0 to 31 of row 0; points between texels 0 to 32 of rows 0 and 1, five sectors of each.
    assert_eq!(fetch(middle, Filter::Point), 4);
    assert_eq!(fetch(middle, Filter::Linear), 4, "neighbours have no weight");
    assert_eq!(fetch(edge, Filter::Linear), 2 * 5);
    // Surfaces are accessed by bytes: thread t the texel 2 t of row 3.
    let store = "mul.lo.u32 %r1, %t, 8; mov.u32 %r2, 3; sust.b.2d.b32.trap [%hd, {%r1, %r2}], %t;";
    assert_eq!(counts("sust", store, with(Filter::Point, Handle::Surface(0))).sectors, 8);
    let load = "mov.u32 %r1, 128; mov.u32 %r2, 7; suld.b.2d.b32.trap %r3, [%hd, {%r1, %r2}];";
    assert_eq!(counts("suld", load, with(Filter::Point, Handle::Surface(0))).sectors, 1);
}

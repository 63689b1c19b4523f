//! Textures, samplers and surfaces.
//!
//! Expected texels come from `model`, which has the formulas of the CUDA C++ Programming Guide ("Texture Fetching", "Cubemap
//! Textures") and of the PTX manual (9.7.10, 9.7.11) in plain scalar code, or are written down beside the test with their reason.

mod combinations;
mod cubes;
mod fetches;
mod formats;
mod gathers;
mod halves;
mod levels;
mod model;
mod queries;
mod references;
mod surfaces;

use crate::common::execute;
use ptx_exec::texture::{ChannelFormat, Extent, Handle, Image, Sampler, Texture, Textures};
use ptx_exec::{Argument, ExecError, Launch, Outcome, Trap};

/// What stopped a launch.
pub(crate) fn trap(result: Result<Outcome, ExecError>) -> Trap {
    match result {
        Err(ExecError::Trap(trap)) => *trap,
        other => panic!("not stopped: {other:?}"),
    }
}

/// Why a launch was refused.
pub(crate) fn refusal(result: Result<Outcome, ExecError>) -> String {
    match result {
        Err(ExecError::Refused(findings)) => findings.iter().map(|f| f.message.clone() + "\n").collect(),
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) const HEAD: &str = ".version 8.1\n.target sm_80\n.address_size 64\n";

/// A kernel whose threads load 12 words each to `%r0` and on and, as numbers, to `%f0` and on; execute an instruction on the handle
/// `%d0`; and store `%r20` to `%r23`, which begin as 77, and the predicate `%p1`.
pub(crate) fn kernel(instruction: &str) -> String {
    let mut loads = String::new();
    for n in 0..12 {
        loads += &format!("ld.global.b32 %r{n}, [%d1+{}];\nmov.b32 %f{n}, %r{n};\n", 4 * n);
    }
    format!(
        "{HEAD}.visible .entry k(.param .u64 object, .param .u64 in, .param .u64 out) {{\n\
         .reg .b64 %d<20>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .b16 %h<20>;\n.reg .pred %p<3>;\n\
         ld.param.u64 %d0, [object];\nld.param.u64 %d1, [in];\nld.param.u64 %d2, [out];\n\
         mov.u32 %r30, %tid.x;\nmad.wide.u32 %d1, %r30, 48, %d1;\nmad.wide.u32 %d2, %r30, 20, %d2;\n{loads}\
         mov.b32 %r20, 77;\nmov.b32 %r21, 77;\nmov.b32 %r22, 77;\nmov.b32 %r23, 77;\n\
         setp.ne.u32 %p1, %r30, %r30;\n{instruction}\n\
         selp.u32 %r24, 1, 0, %p1;\n\
         st.global.b32 [%d2], %r20;\nst.global.b32 [%d2+4], %r21;\nst.global.b32 [%d2+8], %r22;\n\
         st.global.b32 [%d2+12], %r23;\nst.global.b32 [%d2+16], %r24;\nret;\n}}\n"
    )
}

/// The launch of such a kernel: a thread for each of the inputs.
pub(crate) fn launch(textures: Textures, handle: Handle, inputs: &[Vec<u32>]) -> Launch {
    let mut bytes = Vec::new();
    for input in inputs {
        assert!(input.len() <= 12);
        (0..12).for_each(|n| bytes.extend(input.get(n).copied().unwrap_or(0).to_le_bytes()));
    }
    let arguments =
        vec![Argument::Handle(handle), Argument::Buffer(bytes), Argument::Buffer(vec![0; 20 * inputs.len()])];
    Launch { block: [inputs.len() as u32, 1, 1], arguments, textures, ..Launch::new("k") }
}

/// What the threads of such a kernel stored.
pub(crate) fn outputs(outcome: &Outcome) -> Vec<[u32; 5]> {
    let bytes = outcome.buffers[2].as_ref().unwrap();
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    bytes.chunks(20).map(|bytes| std::array::from_fn(|n| word(&bytes[4 * n..4 * n + 4]))).collect()
}

/// Executes an instruction on a texture, for each of the inputs.
pub(crate) fn fetch(instruction: &str, image: Image, texture: Texture, inputs: &[Vec<u32>]) -> Vec<[u32; 5]> {
    let textures = Textures { images: vec![image], textures: vec![texture], ..Textures::default() };
    let mut all = Vec::new();
    for inputs in inputs.chunks(1024) {
        let launch = launch(textures.clone(), Handle::Texture(0), inputs);
        let outcome = execute(&kernel(instruction), &launch);
        all.extend(outputs(&outcome.unwrap_or_else(|error| panic!("{error}\n{instruction}"))));
    }
    all
}

pub(crate) fn bits(x: f32) -> u32 {
    x.to_bits()
}

/// Pseudo-random numbers: a linear congruential generator (Numerical Recipes), its upper bits.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// From `low` to `high`, with 12 bits.
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() % 4096) as f32 / 4096.0
    }
}

/// An image of numbers in single precision, of one channel: texel `n` is different from all others.
pub(crate) fn singles(extent: Extent, count: usize) -> (Image, Vec<f32>) {
    let mut random = Random(7);
    let values: Vec<f32> = (0..count).map(|n| n as f32 * 3.0 + random.between(0.0, 2.0)).collect();
    let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    (Image::array(ChannelFormat::Float, 1, extent, bytes), values)
}

/// A texture of image 0 with a sampler.
pub(crate) fn sampled(normalized: bool, sampler: Sampler) -> Texture {
    Texture { normalized: Some(normalized), sampler: Some(sampler), ..Texture::new(0) }
}

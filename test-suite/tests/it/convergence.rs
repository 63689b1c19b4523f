//! Threads that are together at a convergent operation in a program are together in its translation: by the machine code of `ptxas`, which brings
//! threads together again where their ways join (`BSSY`, `BSYNC`).

use std::path::Path;

use ptx_diag::SourceFile;
use ptx_llvm_core::Context;
use test_suite::directive::Level;
use test_suite::oracle::{Oracles, nvidia_folder};
use test_suite::stage;

use crate::skipped::skip;

/// A divergent branch, a join at which a flag is known on one of its sides, and an operation under that flag. `side` is code of both sides, and
/// `known` the flag on one of them.
fn program(operation: &str, side: &str, known: u32) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 o, .param .u32 n) {{
  .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .pred %p<8>;
  ld.param.u64 %rd1, [o]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r5, 77;
  setp.lt.u32 %p1, %r2, 16;
  @%p1 bra T;
  mul.lo.u32 %r3, %r2, 3;
  {side}
  st.global.u32 [%rd3+1024], %r3;
  setp.ne.u32 %p2, %r1, 0;
  selp.u32 %r4, 1, 0, %p2;
  bra M;
T:
  mul.lo.u32 %r3, %r2, 5;
  {side}
  st.global.u32 [%rd3+1024], %r3;
  mov.u32 %r4, {known};
M:
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra V;
  {operation}
V:
  ld.global.u32 %r12, [%rd3+4096];
  add.u32 %r5, %r5, %r12;
  st.global.u32 [%rd3], %r5;
  ret;
}}
"
    )
}

/// What a listing has of convergence barriers and operations of several threads, in its order.
fn outline(listing: &str) -> Vec<&str> {
    const WORDS: [&str; 9] = ["BSSY", "BSYNC", "VOTE", "VOTEU", "MATCH", "BAR", "SHFL", "REDUX", "WARPSYNC"];
    let words = listing.lines().filter_map(|line| {
        let after = line.split_once("*/")?.1.trim_start();
        let after =
            after.strip_prefix('@').map_or(after, |guarded| guarded.split_once(' ').map_or("", |it| it.1));
        after.split(|letter: char| !letter.is_ascii_alphanumeric()).next()
    });
    words.filter(|word| WORDS.contains(word)).collect()
}

/// How many convergence barriers are open at the operation.
fn open_at(outline: &[String], operation: &str) -> usize {
    let at = outline.iter().position(|word| word.starts_with(operation)).expect("the operation");
    let count = |word| outline[..at].iter().filter(|own| **own == word).count();
    count("BSSY") - count("BSYNC")
}

#[test]
fn operations_of_several_threads_are_not_divided() {
    let oracles = Oracles::find(&nvidia_folder(), Path::new(""));
    if oracles.ptxas.is_none() || oracles.nvdisasm.is_none() {
        return skip("no ptxas or nvdisasm");
    }
    let operations = [
        ("activemask.b32 %r5;", "VOTE"),
        ("vote.sync.ballot.b32 %r5, %p1, -1;", "VOTE"),
        ("match.any.sync.b32 %r5, %r2, -1;", "MATCH"),
        ("bar.sync 0;", "BAR"),
        ("shfl.sync.idx.b32 %r5, %r2, 0, 31, -1;", "SHFL"),
        ("redux.sync.add.s32 %r5, %r2, -1;", "REDUX"),
    ];
    // Long sides keep ptxas from predicating them.
    let long: String =
        (0..12).map(|at| format!("ld.global.u32 %r7, [%rd3+{}]; div.u32 %r3, %r3, %r7;", at * 4)).collect();
    let mut programs = Vec::new();
    for (operation, machine) in operations {
        for side in ["", "add.u32 %r3, %r3, 1;", &long] {
            programs.extend([0, 1].map(|known| (program(operation, side, known), machine)));
        }
    }
    let levels = [Level::O0, Level::O1, Level::O2, Level::O3];
    for (text, machine) in testing::sample_of_test("programs with divergent branches", programs, 3) {
        let source = SourceFile::new("program.ptx", text.as_str());
        let module = stage::read_and_verify(&source).expect("valid PTX");
        let outlined = |ptx: &str| {
            let listing =
                oracles.disassemble(&oracles.assemble(ptx).expect("machine code")).expect("a listing");
            outline(&listing).into_iter().map(str::to_owned).collect::<Vec<String>>()
        };
        let original = outlined(&text);
        for level in levels {
            let context = Context::new().expect("LLVM 22");
            let mut llvm = stage::lower(&module, &source, &context, level).expect("LLVM IR");
            let back = stage::raise(&mut llvm).expect("PTX");
            let own = outlined(&back);
            let open = (open_at(&own, machine), open_at(&original, machine));
            assert_eq!(open.0, open.1, "{}: {original:?} {own:?}\n{text}\n{back}", level.as_str());
        }
    }
}

//! Random programs in LLVM IR, executed on the host and as PTX.
//!
//! [`program`] writes kernels without undefined behaviour, whose results do not depend on what IEEE 754 and LLVM leave
//! open (the bits of a NaN, the order of threads): arithmetic of all widths, floating-point numbers, vectors, memory in all
//! address spaces, branches, loops, switches, addresses of blocks, calls, recursion, variable arguments, atomic operations, structures, inline assembly. [`judge`] executes a batch of them as LLVM's `lli` does on the
//! host, and in the interpreter as the PTX that raising makes of them: as they are, optimized, and once more through LLVM IR. The
//! memory of all must be equal.

mod addresses;
mod assembly;
mod beside;
mod compound;
mod edges;
mod flow;
mod generate;
mod judge;
mod lanes;
mod objects;
mod statement;
mod ty;
mod variables;

pub use generate::{Program, program};
pub use judge::{Cause, Difference, Judges, Verdict, judge};
pub use statement::INTEGER_ATOMICS;

#[cfg(test)]
mod tests {
    use super::program;

    /// Words of every kind of statement.
    const KINDS: &[&str] = &[
        " = add ",
        " = ashr ",
        " = srem ",
        " = icmp ",
        " = fcmp ",
        " = select ",
        " = fptrunc ",
        "llvm.fshl",
        "llvm.fptosi.sat",
        " = frem ",
        "llvm.roundeven",
        " = shufflevector ",
        "extractelement",
        "volatile",
        "llvm.masked.store",
        "llvm.memmove",
        " = cmpxchg ",
        " = atomicrmw ",
        "llvm.smul.with.overflow",
        "freeze",
        "_copy(",
        "_again(",
        "_list(",
        "llvm.smul.fix.sat",
        "llvm.masked.gather",
        "llvm.masked.scatter",
        "atomicrmw fadd",
        "load atomic",
        " nuw nsw ",
        "constrained.fdiv",
        "llvm.frexp",
        "switch i",
        "switch i200",
        "indirectbr",
        "blockaddress",
        "internal constant",
        "internal addrspace(4) constant [",
        "llvm.ptrmask",
        "ptrtoint",
        "inttoptr",
        "llvm.memcpy.inline",
        " = alloca <{",
        "llvm.vp.reduce",
        "reduce.fmaximum",
        "llvm.vector.reverse",
        "llvm.vector.extract",
        "llvm.vector.insert",
        "interleave2",
        "deinterleave2",
        "get.active.lane.mask",
        "cttz.elts",
        "llvm.stepvector",
        "vector.compress",
        "masked.expandload",
        "masked.compressstore",
        "trunc nuw",
        "zext nneg",
        "icmp samesign",
        "constrained.fma",
        "llvm.canonicalize",
        "i256",
        "i129",
        "<16 x i8>",
        "signext %a",
        "%all",
        "addrspacecast (ptr addrspace(4)",
        "llvm.stacksave",
        "llvm.lifetime.end",
        "getelementptr (i8, ptr inttoptr (i64 ptrtoint",
        "addrspacecast (ptr addrspace(7)",
        "trunc (i",
        "xor (i64 xor (i",
        "add (i8 ptrtoint",
        "extractelement (<4 x i16> bitcast (i64 ",
        "bitcast (<2 x i32> <i32 extractelement",
        "shufflevector (<2 x i16> bitcast (i32 ",
        "extractelement (<2 x i64> ptrtoint (<2 x ptr",
        "extractelement (<2 x i32> insertelement (",
        "sub (i128",
        "<2 x ptr> getelementptr (i32, <2 x ptr>",
        "[3 x i8] c",
        "freeze i32",
        "addrspace(3) global [3 x i8] undef\n",
        "= alloca i32, align 8",
        "internal constant [4 x ptr addrspace(3)]",
        "phi ptr addrspace(3) [",
        "\"denormal-fp-math-f32\"=\"ieee,preserve-sign\"",
        "\"denormal-fp-math-f32\"=\"positive-zero,positive-zero\"",
        "asm sideeffect",
        " @q ",
        "vadd2.u32.u32.u32",
        "wgmma.mma_async",
    ];

    #[test]
    fn every_kind_of_statement_is_drawn() {
        let texts: Vec<String> = (0..1600).map(|seed| program(seed, "p", 90).text).collect();
        let missing: Vec<_> =
            KINDS.iter().filter(|kind| !texts.iter().any(|text| text.contains(**kind))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}

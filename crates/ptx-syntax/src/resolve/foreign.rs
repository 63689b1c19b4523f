//! Suggestions for statements and instructions of other languages.

/// Suggests the PTX for a statement of C++, or for an instruction of the GPU's machine code or of another processor, that has another
/// name in PTX.
pub(crate) fn meant_by(word: &str) -> Option<&'static str> {
    if word.starts_with('%') {
        return Some("the result is the first operand of an instruction: `add.s32 %r1, %r2, %r3;`");
    }
    let lower = word.to_ascii_lowercase();
    of_source(word).or_else(|| of_machine(&lower)).or_else(|| of_processor(&lower))
}

/// C++ and CUDA C++.
fn of_source(word: &str) -> Option<&'static str> {
    Some(match word {
        "return" => "write `ret`",
        "goto" => "write `bra`",
        "if" | "while" | "for" => "write a guard before a branch: `@%p1 bra target`",
        "__syncthreads" => "write `bar.sync 0`",
        "__syncwarp" => "write `bar.warp.sync 0xffffffff`",
        "__threadfence" => "write `fence.acq_rel.gpu`",
        "printf" => "call `vprintf`",
        "atomicAdd" => "write `atom.global.add.u32`, with the state space and the type",
        "atomicCAS" | "cas" => "write `atom.global.cas.b32`, with the state space and the type",
        _ => return None,
    })
}

/// SASS, the machine code of NVIDIA's GPUs.
fn of_machine(word: &str) -> Option<&'static str> {
    Some(match word {
        "ldg" => "write `ld.global`, or `ld.global.nc` for data that the kernel does not write",
        "lds" => "write `ld.shared`",
        "ldl" => "write `ld.local`",
        "ldc" => "write `ld.const`, or `ld.param` for a parameter",
        "stg" => "write `st.global`",
        "sts" => "write `st.shared`",
        "stl" => "write `st.local`",
        "atomg" => "write `atom.global`",
        "atoms" => "write `atom.shared`",
        "ldgsts" => "write `cp.async`",
        "ldsm" => "write `ldmatrix`",
        "stsm" => "write `stmatrix`",
        "hmma" | "imma" | "dmma" | "bmma" | "qmma" => "write `mma.sync`",
        "iadd" | "iadd3" => "write `add.s32`",
        "imad" | "xmad" => "write `mad.lo.s32`",
        "imul" => "write `mul.lo.s32`",
        "imnmx" | "fmnmx" => "write `min` or `max` with a type",
        "fadd" => "write `add.f32`",
        "fmul" => "write `mul.f32`",
        "ffma" | "fmad" => "write `fma.rn.f32`",
        "dadd" => "write `add.f64`",
        "dmul" => "write `mul.f64`",
        "dfma" => "write `fma.rn.f64`",
        "hadd2" => "write `add.f16x2`",
        "hmul2" => "write `mul.f16x2`",
        "hfma2" => "write `fma.rn.f16x2`",
        "isetp" | "fsetp" | "dsetp" => "write `setp` with a comparison and a type: `setp.lt.s32`",
        "mufu" => "write `rcp`, `rsqrt`, `sin`, `cos`, `ex2` or `lg2` with `.approx`",
        "s2r" | "s2ur" | "cs2r" => "`mov` the special register: `mov.u32 %r1, %tid.x`",
        "i2f" | "f2i" | "f2f" | "i2i" => "write `cvt` with both types: `cvt.rn.f32.s32`",
        "plop3" | "lop" => "write `and`, `or`, `xor` or `lop3`",
        "warpsync" => "write `bar.warp.sync`",
        "bssy" | "bsync" => "PTX has no instructions for the convergence of branches: leave it out",
        "lea" => "write `mad.lo`, or `mov` for the address of a variable",
        "shfl_sync" => "write `shfl.sync`",
        "nop" => "PTX has no empty instruction: leave it out",
        _ => return None,
    })
}

/// The assembly languages of other processors.
fn of_processor(word: &str) -> Option<&'static str> {
    Some(match word {
        "jmp" | "br" | "b" | "jump" => "write `bra`",
        "je" | "jz" | "jne" | "jnz" | "jl" | "jg" | "beq" | "bne" | "blt" | "bge" => {
            "write `setp` and a guard before the branch: `@%p1 bra target`"
        }
        "mla" | "mac" => "write `mad.lo.s32`, or `fma.rn.f32` for floating-point numbers",
        "cmp" => "write `setp` with a comparison and a type: `setp.lt.s32`",
        "cmov" | "csel" | "sel" | "select" => "write `selp`",
        "load" | "ldr" => "write `ld` with a state space and a type: `ld.global.u32`",
        "store" | "str" => "write `st` with a state space and a type: `st.global.u32`",
        "move" => "write `mov`",
        "inc" => "write `add.s32` with the constant 1",
        "dec" => "write `sub.s32` with the constant 1",
        "mod" => "write `rem`",
        "lsl" | "sll" | "sal" => "write `shl`",
        "lsr" | "srl" => "write `shr.u32`",
        "asr" | "sra" | "sar" => "write `shr.s32`",
        "rol" | "ror" => "write `shf.l.wrap.b32` or `shf.r.wrap.b32` with the value twice",
        "eor" => "write `xor`",
        "mvn" => "write `not`",
        "bsr" => "write `bfind`",
        "bsf" | "ctz" | "ffs" => "write `brev` and `clz`, or `bfind`",
        "popcnt" => "write `popc`",
        "sext" | "zext" => "write `cvt` with both types: `cvt.s64.s32`",
        "halt" => "write `exit`",
        _ => return None,
    })
}

//! Opcodes, modifiers, slot names and meanings, each with its exact PTX spelling.

/// Declares an enum together with the exact PTX spelling of each variant.
macro_rules! named {
    ($(#[$m:meta])* $name:ident { $($(#[$vm:meta])* $v:ident $s:literal),* $(,)? }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum $name {
            $($(#[$vm])* #[doc = concat!("`", $s, "`")] $v),*
        }
        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$v),*];
            /// The exact PTX spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$v => $s),* }
            }
            /// Reads the exact PTX spelling.
            pub fn from_ptx(text: &str) -> Option<Self> {
                match text { $($s => Some(Self::$v),)* _ => None }
            }
        }
    };
}
pub(crate) use named;

named! {
    /// The first word of a mnemonic.
    Opcode {
        Abs "abs", Activemask "activemask", Add "add", Addc "addc", And "and", Atom "atom", Bar "bar",
        Barrier "barrier", Bfe "bfe", Bfi "bfi", Bfind "bfind", Bmsk "bmsk", Bra "bra", Brev "brev", Brkpt "brkpt",
        Brx "brx", Call "call", Clz "clz", Cnot "cnot", Copysign "copysign", Cos "cos", Cp "cp", Cvt "cvt",
        Cvta "cvta", Div "div", Dp2a "dp2a", Dp4a "dp4a", Ex2 "ex2", Exit "exit", Fence "fence", Fma "fma",
        Fns "fns", Isspacep "isspacep", Ld "ld", Ldmatrix "ldmatrix", Ldu "ldu", Lg2 "lg2", Lop3 "lop3", Mad "mad",
        Mad24 "mad24", Madc "madc", Match "match", Max "max", Membar "membar", Min "min", Mma "mma", Mov "mov",
        Movmatrix "movmatrix", Mul "mul", Mul24 "mul24", Nanosleep "nanosleep", Neg "neg", Not "not", Or "or",
        Pmevent "pmevent", Popc "popc", Prefetch "prefetch", Prefetchu "prefetchu", Prmt "prmt", Rcp "rcp",
        Red "red", Redux "redux", Rem "rem", Ret "ret", Rsqrt "rsqrt", Sad "sad", Selp "selp", Set "set",
        Setp "setp", Shf "shf", Shfl "shfl", Shl "shl", Shr "shr", Sin "sin", Slct "slct", Sqrt "sqrt", St "st",
        Stmatrix "stmatrix", Sub "sub", Subc "subc", Szext "szext", Tanh "tanh", Testp "testp", Trap "trap",
        Vote "vote", Xor "xor",
    }
}

named! {
    /// A modifier, without its dot.
    Mod {
        // Types.
        B8 "b8", B16 "b16", B32 "b32", B64 "b64", B128 "b128", U8 "u8", U16 "u16", U32 "u32", U64 "u64",
        S8 "s8", S16 "s16", S32 "s32", S64 "s64", F16 "f16", F16x2 "f16x2", Bf16 "bf16", Bf16x2 "bf16x2",
        Tf32 "tf32", F32 "f32", F32x2 "f32x2", F64 "f64", U16x2 "u16x2", S16x2 "s16x2", Pred "pred",
        U4 "u4", S4 "s4", B1 "b1",
        // Rounding and arithmetic.
        Rn "rn", Rz "rz", Rm "rm", Rp "rp", Rna "rna", Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi",
        Ftz "ftz", Noftz "noftz", Sat "sat", Satfinite "satfinite", Relu "relu", Approx "approx", Full "full",
        Nan "NaN", XorsignAbs "xorsign", AbsMod "abs", Cc "cc", Hi "hi", Lo "lo", Wide "wide", Shiftamt "shiftamt",
        Clamp "clamp", Wrap "wrap", L "l", R "r", F4e "f4e", B4e "b4e", Rc8 "rc8", Ecl "ecl", Ecr "ecr", Rc16 "rc16",
        // Comparison; `lo`, `hi` are shared with the parts above.
        Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge", Ls "ls", Hs "hs",
        Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu", Geu "geu", Num "num", NanCmp "nan",
        And "and", Or "or", Xor "xor",
        // Properties tested.
        Finite "finite", Infinite "infinite", Number "number", Notanumber "notanumber", Normal "normal",
        Subnormal "subnormal",
        // State spaces.
        Const "const", Global "global", Local "local", Param "param", ParamEntry "param::entry",
        ParamFunc "param::func", Shared "shared", SharedCta "shared::cta", SharedCluster "shared::cluster",
        To "to",
        // Memory.
        Weak "weak", Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel", Sc "sc",
        Volatile "volatile", Mmio "mmio", Cta "cta", Cluster "cluster", Gpu "gpu", Sys "sys", Gl "gl",
        Ca "ca", Cg "cg", Cs "cs", Lu "lu", Cv "cv", Wb "wb", Wt "wt", Nc "nc",
        L1EvictNormal "L1::evict_normal", L1EvictUnchanged "L1::evict_unchanged", L1EvictFirst "L1::evict_first",
        L1EvictLast "L1::evict_last", L1NoAllocate "L1::no_allocate",
        L2EvictNormal "L2::evict_normal", L2EvictFirst "L2::evict_first", L2EvictLast "L2::evict_last",
        L2CacheHint "L2::cache_hint", L2_64B "L2::64B", L2_128B "L2::128B", L2_256B "L2::256B",
        L1 "L1", L2 "L2", V2 "v2", V4 "v4", V8 "v8",
        // Atomics.
        Add "add", Inc "inc", Dec "dec", Min "min", Max "max", Exch "exch", Cas "cas",
        // Synchronization and warps.
        Sync "sync", Arrive "arrive", Red "red", Popc "popc", Warp "warp", Aligned "aligned", Up "up", Down "down",
        Bfly "bfly", Idx "idx", All "all", Any "any", Uni "uni", Ballot "ballot",
        // Asynchronous copies.
        Async "async", CommitGroup "commit_group", WaitGroup "wait_group", WaitAll "wait_all",
        // Matrices.
        M8n8 "m8n8", M8n8k4 "m8n8k4", M8n8k16 "m8n8k16", M16n8k4 "m16n8k4", M16n8k8 "m16n8k8", M16n8k16 "m16n8k16",
        M16n8k32 "m16n8k32", Row "row", Col "col", X1 "x1", X2 "x2", X4 "x4", Trans "trans",
        // Packing and masks.
        Pack "pack", MaskMod "mask",
    }
}

named! {
    /// What a modifier slot decides; the names are the manual's where it has one.
    Field {
        Type "type", AType "atype", BType "btype", CType "ctype", DType "dtype", Sat "sat", Ftz "ftz", Rnd "rnd",
        Approx "approx", Cc "cc", Part "part", Shiftamt "shiftamt", Clamp "clamp", Nan "NaN", Xorsign "xorsign",
        Abs "abs", Relu "relu", Cmp "CmpOp", Bool "BoolOp", Property "property", Direction "direction", Mode "mode",
        Sem "sem", Scope "scope", Space "space", Cop "cop", EvictL1 "level::eviction_priority",
        EvictL2 "level2::eviction_priority", CacheHint "level::cache_hint", PrefetchSize "level::prefetch_size",
        Level "level", Vec "vec", Nc "nc", Op "op", Noftz "noftz", To "to", Cta "cta", Sync "sync",
        Aligned "aligned", Uni "uni", Shape "shape", ALayout "alayout", BLayout "blayout", Num "num",
        Trans "trans", Action "action",
    }
}

named! {
    /// What an instruction means: one semantic family, whatever the type.
    ///
    /// The lowering, the reverse emitter and the executor match on it exhaustively, so that a row with a new meaning
    /// is flagged by the compiler in each of them. The details (type, rounding, part ...) are the modifiers.
    Sem {
        // Arithmetic on integers, floating-point numbers and packed ones, told apart by the type.
        Add "add", Sub "sub", Mul "mul", Mad "multiply-add", Fma "fused multiply-add", Div "div", Rem "rem",
        Abs "abs", Neg "neg", Min "min", Max "max", Sad "sum of absolute differences", Mul24 "mul24",
        Mad24 "mad24", Dp4a "dot product of 4 bytes", Dp2a "dot product of 2 halves and bytes",
        // Extended precision: the condition code is read (`-c` opcodes) or written (`.cc`), told by opcode and modifier.
        AddCarry "add with carry", SubCarry "subtract with borrow", MadCarry "multiply-add with carry",
        // Bits.
        And "and", Or "or", Xor "xor", Not "not", Cnot "logical not", Lop3 "three-input logic", Shl "shl", Shr "shr",
        Shf "funnel shift", Popc "popc", Clz "clz", Bfind "find leading bit", Fns "find n-th set bit",
        Brev "bit reverse", Bfe "bit field extract", Bfi "bit field insert", Bmsk "bit mask",
        Szext "extend or zero", Prmt "permute bytes",
        // Floating point only.
        Testp "test property", Copysign "copysign", Rcp "rcp", Sqrt "sqrt", Rsqrt "rsqrt", Sin "sin", Cos "cos",
        Lg2 "lg2", Ex2 "ex2", Tanh "tanh",
        // Comparison and selection.
        Set "compare to a value", Setp "compare to predicates", Selp "select by predicate", Slct "select by sign",
        // Moves and conversions.
        Mov "move", Cvt "convert", CvtPack "convert and pack", Cvta "convert address", Isspacep "test address space",
        // Memory.
        Load "load", LoadUniform "load, uniform", Store "store", Prefetch "prefetch", Atom "atomic", Red "reduction",
        CpAsync "asynchronous copy", CpAsyncCommit "commit asynchronous copies",
        CpAsyncWait "wait for asynchronous copies",
        // Synchronization and collectives.
        Barrier "block barrier", BarrierWarp "warp barrier", Fence "fence", Shfl "shuffle", Vote "vote",
        Match "match", Activemask "active mask", Redux "reduce over the warp",
        // Matrices.
        Mma "matrix multiply", Ldmatrix "load matrices", Stmatrix "store matrices",
        Movmatrix "transpose a matrix",
        // Control flow.
        Bra "branch", BrxIdx "indexed branch", Call "call", Ret "return", Exit "exit", Trap "trap",
        Brkpt "breakpoint", Pmevent "performance event", Nanosleep "sleep",
    }
}

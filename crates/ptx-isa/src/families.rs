//! The families of instructions: their opcodes, and what they mean, one row for each meaning.
//!
//! Meanings are organized in groups: an engine handles a group in one function, so that a new meaning of an existing group
//! requires a change only there. `CONTRIBUTING.md` ("Add a family") lists the files that a new one touches.

use crate::lowering::{self, Condition, Lowering};
use crate::names::named;

named! {
    /// The first word of a mnemonic.
    Opcode {
        Abs "abs", Activemask "activemask", Add "add", Addc "addc", Alloca "alloca", And "and",
        Applypriority "applypriority", Atom "atom", Bar "bar", Barrier "barrier", Bfe "bfe", Bfi "bfi",
        Bfind "bfind", Bmsk "bmsk", Bra "bra", Brev "brev", Brkpt "brkpt", Brx "brx", Call "call",
        Clusterlaunchcontrol "clusterlaunchcontrol", Clz "clz", Cnot "cnot", Copysign "copysign", Cos "cos",
        Cp "cp", Createpolicy "createpolicy", Cvt "cvt", Cvta "cvta", Discard "discard", Div "div",
        Dp2a "dp2a", Dp4a "dp4a", Elect "elect", Ex2 "ex2", Exit "exit", Fabric "fabric", Fence "fence",
        Fma "fma", Fns "fns", Getctarank "getctarank", Griddepcontrol "griddepcontrol", Isspacep "isspacep",
        Istypep "istypep", Ld "ld", Ldmatrix "ldmatrix", Ldu "ldu", Lg2 "lg2", Lop3 "lop3", Mad "mad",
        Mad24 "mad24", Madc "madc", Mapa "mapa", Match "match", Max "max", Mbarrier "mbarrier",
        Membar "membar", Min "min", Mma "mma", Mov "mov", Movmatrix "movmatrix", Mul "mul", Mul24 "mul24",
        Multimem "multimem", Nanosleep "nanosleep", Neg "neg", Not "not", Or "or", Pmevent "pmevent",
        Popc "popc", Prefetch "prefetch", Prefetchu "prefetchu", Prmt "prmt", Rcp "rcp", Red "red",
        Redux "redux", Rem "rem", Ret "ret", Rsqrt "rsqrt", Sad "sad", Selp "selp", Set "set",
        Setmaxnreg "setmaxnreg", Setp "setp", Shf "shf", Shfl "shfl", Shl "shl", Shr "shr", Sin "sin",
        Slct "slct", Sqrt "sqrt", St "st", Stackrestore "stackrestore", Stacksave "stacksave",
        Stmatrix "stmatrix", Sub "sub", Subc "subc", Suld "suld", Suq "suq", Sured "sured", Sust "sust",
        Szext "szext", Tanh "tanh", Tcgen05 "tcgen05", Tensormap "tensormap", Testp "testp", Tex "tex",
        Tld4 "tld4", Trap "trap", Txq "txq", Vabsdiff "vabsdiff", Vabsdiff2 "vabsdiff2", Vabsdiff4 "vabsdiff4",
        Vadd "vadd", Vadd2 "vadd2", Vadd4 "vadd4", Vavrg2 "vavrg2", Vavrg4 "vavrg4", Vmad "vmad", Vmax "vmax",
        Vmax2 "vmax2", Vmax4 "vmax4", Vmin "vmin", Vmin2 "vmin2", Vmin4 "vmin4", Vote "vote", Vset "vset",
        Vset2 "vset2", Vset4 "vset4", Vshl "vshl", Vshr "vshr", Vsub "vsub", Vsub2 "vsub2", Vsub4 "vsub4",
        Wgmma "wgmma", Wmma "wmma", Xor "xor",
    }
}

/// Properties of all instructions of a meaning, other than what they compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// Memory is accessed only at the operands, and immediately or in order with accesses of the same kind.
    AtOperands,
    /// `ptxas` does not accept registers of less than 32 bits as addresses.
    NoNarrowAddress,
    /// `ptxas` does not accept addresses of functions and variables as integer constants, as arithmetic does otherwise.
    NoSymbols,
    /// `ptxas` requires 64 bits of registers with global and generic addresses, except for those of tensor maps; for other instructions it
    /// widens them.
    WideAddress,
}

/// Declares the groups of meanings, from one row for each meaning: its name, how it is lowered (with the conditions under which
/// it is lowered in another way), notes in brackets, and what its instructions do.
macro_rules! families {
    ($($(#[$m:meta])* $group:ident($sem:ident) {
        $($v:ident $kind:ident $(($overrides:ident))? $([$($note:ident),*])? => $sentence:literal),* $(,)?
    })*) => {
        /// The semantics of an instruction: one family for all types, in its group.
        ///
        /// The lowering, the interpreter and the verifier match on the groups exhaustively. The details (type, rounding, part ...)
        /// are the modifiers.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Sem {
            $($(#[$m])* $group($sem)),*
        }

        impl Sem {
            /// Every meaning, in the order of declaration.
            pub const ALL: &'static [Self] = &[$($(Self::$group($sem::$v)),*),*];

            /// The effect of instructions of this meaning, in complete sentences. A row's own sentence ([`crate::Form::doc`])
            /// describes how it differs from the others.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $($(Self::$group($sem::$v) => $sentence),*),*
                }
            }

            /// How all instructions of this meaning are lowered, but for those that [`overrides`](Self::overrides) name.
            pub const fn lowering(self) -> Lowering {
                match self {
                    $($(Self::$group($sem::$v) => Lowering::$kind),*),*
                }
            }

            /// The modifiers and operands with which an instruction is lowered in another way.
            pub const fn overrides(self) -> &'static [(Condition, Lowering)] {
                match self {
                    $($(Self::$group($sem::$v) => families!(@overrides $($overrides)?)),*),*
                }
            }

            /// Whether all instructions of this meaning have the property.
            pub fn has(self, note: Note) -> bool {
                let notes: &[Note] = match self {
                    $($(Self::$group($sem::$v) => &[$($(Note::$note),*)?]),*),*
                };
                notes.contains(&note)
            }
        }

        $(
            $(#[$m])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
            pub enum $sem {
                $(#[doc = $sentence] $v),*
            }
        )*
    };
    (@overrides) => { &[] };
    (@overrides $overrides:ident) => { lowering::$overrides };
}

families! {
    /// Arithmetic on integers, floating-point numbers and packed vectors of them, distinguished by the type. Extended
    /// precision reads the condition code (`-c` opcodes) or writes it (`.cc`), distinguished by opcode and modifier.
    Arith(ArithSem) {
        Add Plain(SUM) => "The sum of `a` and `b`. Integers wrap around; floating-point sums are rounded once.",
        Sub Plain(SUM) => "The difference `a - b`. Integers wrap around; floating-point differences are rounded once.",
        Mul Plain(PRODUCT) =>
            "The product of `a` and `b`. Of an integer product `.lo` and `.hi` give the lower and the upper half, `.wide` all of it; a \
             floating-point product is rounded once.",
        Mad Plain(MAD) =>
            "The product `a * b` plus `c`. Of an integer product `.lo`, `.hi` or `.wide` selects the part that `c` is added to.",
        Fma Plain(FMA) => "The product `a * b` plus `c`, rounded only once, after the sum.",
        Div Plain(QUOTIENT) [NoSymbols] => "The quotient `a / b`.",
        Rem Plain [NoSymbols] => "The remainder of `a / b`; unspecified if `b` is zero.",
        Abs Plain(EXTREME) => "The absolute value of `a`.",
        Neg Plain(EXTREME) => "The value of `a` with the opposite sign.",
        Min Plain(EXTREME) =>
            "The smaller of `a` and `b`. If one operand is a NaN, the result is the other one, or a NaN with `.NaN`.",
        Max Plain(EXTREME) =>
            "The larger of `a` and `b`. If one operand is a NaN, the result is the other one, or a NaN with `.NaN`.",
        Min3 Assembly => "The smallest of `a`, `b` and `c`.",
        Max3 Assembly => "The largest of `a`, `b` and `c`.",
        Sad Intrinsic => "The sum `c + |a - b|`.",
        Mul24 Intrinsic =>
            "The 48-bit product of the low 24 bits of `a` and `b`, of which `.lo` gives the lower 32 bits and `.hi` the upper \
             32.",
        Mad24 Plain(MAD24) => "The product of the low 24 bits of `a` and `b`, of which 32 bits are added to `c`.",
        Dp4a Intrinsic => "The dot product of four bytes with four bytes, added to `c`.",
        Dp2a Intrinsic => "The dot product of two halves with two bytes, added to `c`.",
        AddCarry Plain => "Addition over several words: the carry goes from one instruction to the next in the condition code.",
        SubCarry Plain =>
            "Subtraction over several words: the carry of `a + ~b + 1`, the opposite of the borrow, goes from one instruction to the \
             next in the condition code.",
        MadCarry Plain(MADC) =>
            "Multiplication and addition over several words: the carry goes from one instruction to the next in the condition code.",
        PackedBytes Assembly => "Arithmetic on four bytes in one register, element by element.",
        FmaOob Assembly =>
            "The product `a * b` plus `c`, rounded once; zero if a source is the NaN that marks an out-of-bounds read.",
        Testp Plain => "Whether a floating-point value is finite, infinite, a number, a NaN, normal or subnormal.",
        Copysign Intrinsic => "The magnitude of one value with the sign of another.",
        Rcp Intrinsic => "One divided by `a`.",
        Sqrt Intrinsic => "The square root of `a`.",
        Rsqrt Intrinsic => "One divided by the square root of `a`.",
        Sin Intrinsic => "The sine of an angle in radians, or in turns with `.2pi`.",
        Cos Intrinsic => "The cosine of an angle in radians, or in turns with `.2pi`.",
        Lg2 Intrinsic => "The logarithm to the base 2.",
        Ex2 Intrinsic => "Two to the power of `a`.",
        Tanh Assembly => "The hyperbolic tangent.",
    }
    /// Logic, shifts and fields of bits.
    Bits(BitsSem) {
        And Plain => "The bits set in both `a` and `b`.",
        Or Plain => "The bits set in `a`, in `b` or in both.",
        Xor Plain => "The bits in which `a` and `b` differ.",
        Not Plain => "The bits of `a` inverted.",
        Cnot Plain => "One when `a` is zero, else zero.",
        Lop3 Plain => "Any bitwise function of `a`, `b` and `c`: bit `4a + 2b + c` of the last operand is the result for those bits.",
        Shl Plain => "The bits of `a` shifted left by `b`, filled with zeros. Amounts beyond the width give zero.",
        Shr Plain =>
            "The bits of `a` shifted right by `b`, filled with the sign of signed types, else with zeros. Amounts beyond the width shift \
             everything out.",
        Shf Intrinsic =>
            "The 64-bit value `b:a`, shifted left or right by `c`; `.l` gives the upper 32 bits, `.r` the lower ones.",
        Popc Plain => "The number of set bits of `a`.",
        Clz Plain => "The number of zero bits above the highest set bit of `a`; the width of the type if `a` is zero.",
        Bfind Intrinsic =>
            "The position of the highest set bit, or of the highest clear bit of a negative number; all ones if there is none. \
             `.shiftamt` counts from the top.",
        Fns Intrinsic => "The position of the n-th set bit of a mask, counted up or down from a base.",
        Brev Intrinsic => "The bits of `a` in reverse order.",
        Bfe Plain => "A field of the bits of `a`, moved to the bottom.",
        Bfi Plain => "The value `b` with a field of its bits replaced by the low bits of `a`.",
        Bmsk Intrinsic => "A run of ones at a given position and of a given length.",
        Szext Intrinsic => "The low `b` bits of `a`, extended by their sign or with zeros to 32 bits.",
        Prmt Intrinsic =>
            "Four bytes selected from the eight of `a` and `b`, by one selector each; a selector may replicate the sign of the \
             byte instead.",
    }
    /// Comparison and selection.
    Compare(CompareSem) {
        Set Plain(COMPARISON) => "Compares `a` with `b`, optionally combines the result with a predicate, and writes a number.",
        Setp Plain(COMPARISON) =>
            "Compares `a` with `b`, optionally combines the result with a predicate, and writes predicates.",
        Selp Plain => "Selects `a` if the predicate is true, else `b`.",
        Slct Plain(COMPARISON) => "Selects `a` if `c` is not negative, else `b`. A NaN selects `b`.",
    }
    /// Video instructions.
    Video(VideoSem) {
        Video Assembly [NoSymbols] =>
            "Arithmetic on bytes, halves or words selected from the operands, with 34 bits of intermediate precision and \
             optional saturation and a second operation.",
        VideoSimd Assembly [NoSymbols] => "Arithmetic on two halves or four bytes at once, lane by lane.",
    }
    /// Moves between registers, and conversions.
    Move(MoveSem) {
        Mov Plain(SPECIAL) => "Copies a value or an address to a register, or packs and unpacks a vector of parts.",
        MovVector Plain => "Copies each element of a vector, or each component of a special register.",
        Cvt Plain(CONVERSION) =>
            "Converts a value to another type. The rounding mode is that of floating-point results; `.rni`, `.rzi`, `.rmi` and \
             `.rpi` round to integers.",
        CvtPack Intrinsic => "Converts two values and packs the results into one register.",
        CvtNarrow Intrinsic => "Converts to or from floating-point formats of 8 bits and fewer, several values in one register.",
        Cvta Plain(NARROW_ADDRESS) => "Converts between a generic address and the corresponding address in a state space.",
        Isspacep Intrinsic => "Whether a generic address lies in a state space.",
    }
    /// Synchronous memory accesses, caches and the stack.
    Memory(MemorySem) {
        Load Plain(ACCESS) [WideAddress] =>
            "Reads memory into one register or a vector of registers. Narrow values are extended to the register by their type.",
        LoadUniform Intrinsic [AtOperands, WideAddress] =>
            "Reads global memory that is read-only during the kernel, from the same address in all threads of the warp.",
        Store Plain(ACCESS) [WideAddress] =>
            "Writes one register or a vector of registers to memory. Registers wider than the type are truncated.",
        Prefetch Intrinsic(PARAMETER) [AtOperands, WideAddress] => "Brings the line of an address, or a tensor map, into a cache.",
        Discard Intrinsic [WideAddress] => "Drops cached data without writing it back.",
        CreatePolicy Assembly [NoNarrowAddress] => "Creates a cache policy for `.L2::cache_hint`.",
        ApplyPriority Intrinsic [AtOperands, WideAddress] => "Changes the eviction priority of data in the second-level cache.",
        Atom Plain(ATOMIC) [WideAddress] =>
            "Atomically reads a memory location, combines it with an operand and writes it back; returns the old value.",
        Red Plain(ATOMIC) [WideAddress] =>
            "Atomically reads a memory location, combines it with an operand and writes it back; returns nothing.",
        AtomVector Assembly [WideAddress] =>
            "Combines several adjacent memory locations with operands, each atomically; returns the old values.",
        RedVector Assembly [WideAddress] =>
            "Combines several adjacent memory locations with operands, each atomically; returns nothing.",
        MultimemLoadReduce Assembly [WideAddress] => "Reads all memory locations of a multimem address and returns their reduction.",
        MultimemStore Assembly [WideAddress] => "Writes all memory locations of a multimem address.",
        MultimemReduce Assembly [NoNarrowAddress, WideAddress] =>
            "Combines all memory locations of a multimem address with an operand.",
        Stacksave Assembly => "The address of the top of the stack.",
        Stackrestore Assembly => "Resets the top of the stack to a saved address.",
        Alloca Assembly => "Allocates memory on the stack, until the function returns or the stack is restored.",
    }
    /// Asynchronous memory accesses, the tensor maps that describe them, and the groups and barriers in memory that track their
    /// completion.
    Async(AsyncSem) {
        CpAsync Intrinsic(UNREAD) [AtOperands] => "Copies a few bytes from global to shared memory asynchronously.",
        CpAsyncCommit Intrinsic => "Commits the thread's asynchronous copies since the last group as a group.",
        CpAsyncWait Intrinsic => "Waits for groups of the thread's asynchronous copies.",
        CpAsyncArrive Intrinsic [NoNarrowAddress] =>
            "Makes a barrier in shared memory track the completion of the thread's asynchronous copies.",
        StoreAsync Assembly [NoNarrowAddress] => "Writes memory without waiting for it.",
        ReduceAsync Assembly [NoNarrowAddress] => "Combines memory with an operand without waiting for it.",
        StoreBulk Intrinsic [AtOperands, NoNarrowAddress] => "Fills a range of shared memory with a value.",
        BulkCopy Intrinsic [NoNarrowAddress] =>
            "Copies a range of memory asynchronously; completion is tracked by a barrier in memory or a group.",
        BulkReduce Assembly => "Combines a range of memory element by element with another, asynchronously.",
        BulkPrefetch Intrinsic => "Brings a range of memory into the second-level cache, asynchronously.",
        BulkCommit Intrinsic => "Commits the thread's bulk copies since the last group as a group.",
        BulkWait Intrinsic => "Waits for groups of the thread's bulk copies.",
        TensorCopy Intrinsic => "Copies a box of a tensor that a tensor map describes, asynchronously.",
        TensorReduce Intrinsic => "Combines a box of a tensor element by element with shared memory, asynchronously.",
        TensorPrefetch Intrinsic => "Brings a box of a tensor into the second-level cache, asynchronously.",
        TensormapReplace Intrinsic [AtOperands, NoNarrowAddress] => "Replaces one field of a tensor map.",
        TensormapCopy Assembly => "Publishes a tensor map that was changed in shared memory.",
        MbarrierInit Intrinsic [WideAddress] => "Initializes a barrier in shared memory, which counts arrivals and transactions.",
        MbarrierInval Intrinsic [AtOperands, WideAddress] => "Invalidates a barrier in shared memory.",
        MbarrierCheckLayout Assembly [WideAddress] => "Tests the layout of a barrier in shared memory.",
        MbarrierTransactions Intrinsic [WideAddress] => "Changes the number of bytes that the current phase of a barrier waits for.",
        MbarrierArrive Intrinsic(ARRIVALS) [WideAddress] => "Counts an arrival at a barrier in shared memory; the last one completes the phase.",
        MbarrierWait Intrinsic [WideAddress] => "Tests or waits for the completion of a phase of a barrier in shared memory.",
        MbarrierPendingCount Intrinsic => "The number of arrivals that were pending in the phase when `state` was created.",
        Fabric Assembly [NoNarrowAddress] => "Accesses memory of other devices over the fabric.",
        FabricGroup Assembly => "Commits accesses over the fabric as a group, or waits for such groups.",
    }
    /// Textures and surfaces.
    Texture(TextureSem) {
        Tex Intrinsic(TEXTURE) [AtOperands] => "Reads a texture at coordinates.",
        Tld4 Intrinsic(GATHER) [AtOperands] => "Reads one component of the four texels around coordinates.",
        Txq Intrinsic [AtOperands] => "Queries a property of a texture or sampler.",
        Istypep Intrinsic => "Whether an address is that of a texture, sampler or surface variable.",
        SurfaceLoad Intrinsic [AtOperands] =>
            "Reads a surface at coordinates; the clamp mode defines the result of out-of-bounds reads.",
        SurfaceStore Intrinsic [AtOperands] =>
            "Writes a surface at coordinates; the clamp mode defines the effect of out-of-bounds writes.",
        SurfaceReduce Assembly => "Atomically combines a location of a surface with an operand.",
        SurfaceQuery Intrinsic [AtOperands] => "Queries a property of a surface.",
    }
    /// Warp-level operations, except those on matrices.
    Warp(WarpSem) {
        BarrierWarp Intrinsic => "Synchronizes the threads of a warp in the mask, and orders their memory accesses.",
        Shfl Intrinsic => "Exchanges a register with other lanes of the warp; `p` is true if the source lane was in range.",
        Vote Intrinsic => "Combines a predicate across all lanes in the mask.",
        Match Intrinsic(ALL_MATCH) => "Compares a value across the lanes in the mask.",
        Activemask Intrinsic => "The mask of the lanes that are executing.",
        Redux Intrinsic => "Reduces an integer across all lanes in the mask; each of them receives the result.",
        ReduxFloat Intrinsic => "The smallest or largest floating-point value of all lanes in the mask.",
        Elect Intrinsic => "Elects one of the lanes in the mask.",
    }
    /// Blocks, clusters and grids: barriers, fences, shared memory of others, launches.
    Block(BlockSem) {
        Barrier Intrinsic => "Synchronizes the threads of a block at a numbered barrier, and orders their memory accesses.",
        ClusterBarrier Intrinsic => "Synchronizes the threads of a cluster.",
        Fence Plain(FENCE) =>
            "Orders the thread's memory accesses before it with those after it, as observed by the other threads of the scope.",
        FenceProxy Intrinsic => "Orders accesses made through one proxy with those made through another.",
        Mapa Intrinsic => "The corresponding address in the shared memory of another block of the cluster.",
        Getctarank Intrinsic => "The rank of the block whose shared memory contains an address.",
        Griddepcontrol Intrinsic => "Controls the start of grids that depend on each other.",
        TryCancel Intrinsic => "Requests to cancel the launch of a block or cluster that has not started yet.",
        QueryCancel Intrinsic => "Reads the response to a request to cancel a launch.",
        Setmaxnreg Intrinsic => "Releases registers of the warpgroup, or requests more.",
    }
    /// Matrix products, and loads and stores of matrices.
    Matrix(MatrixSem) {
        Mma Intrinsic => "The product of two matrices plus a third. The lanes of a warp each hold fragments of them in registers.",
        MmaSparse Intrinsic(SELECTORS) =>
            "The product of a structured sparse matrix, whose metadata selects the stored elements, and a dense one, plus a \
             third.",
        MmaScaled Intrinsic => "The product of two matrices whose blocks have scales, plus a third.",
        Ldmatrix Intrinsic [AtOperands, NoNarrowAddress] =>
            "Loads small matrices from shared memory, distributed over the lanes of a warp as `mma` expects them.",
        Stmatrix Intrinsic [AtOperands, NoNarrowAddress] =>
            "Stores small matrices, distributed over the lanes of a warp, to shared memory.",
        Movmatrix Intrinsic => "Transposes a small matrix distributed over the lanes of a warp.",
        WmmaLoad Intrinsic [AtOperands, NoNarrowAddress] =>
            "Loads a matrix into fragments, whose layout is implementation-defined.",
        WmmaStore Intrinsic [AtOperands, NoNarrowAddress] =>
            "Stores a matrix from fragments, whose layout is implementation-defined.",
        Wmma Intrinsic => "The product of two matrices plus a third, in fragments whose layout is implementation-defined.",
        Wgmma Assembly =>
            "The product of two matrices plus a third, computed asynchronously by four warps together; descriptors locate the \
             matrices in shared memory.",
        WgmmaSparse Assembly => "The same product with a structured sparse matrix, whose metadata selects the stored elements.",
        WgmmaFence Intrinsic => "Orders accesses of registers with the warpgroup's multiplications.",
        WgmmaCommit Intrinsic => "Commits the warpgroup's multiplications since the last group as a group.",
        WgmmaWait Intrinsic => "Waits for groups of the warpgroup's multiplications.",
        TensorMemory Intrinsic [NoNarrowAddress] => "Manages tensor memory, moves data to and from it, or orders these accesses.",
        Tcgen05Mma Intrinsic(SCALED_INTEGERS) =>
            "The product of two matrices plus a matrix in tensor memory, issued by one thread and computed asynchronously.",
    }
    /// Control flow, and instructions that suspend a thread or notify a debugger or profiler.
    Control(ControlSem) {
        Bra Plain => "Branches to a label.",
        BrxIdx Plain => "Branches to one of a list of labels, selected by an index that must be in range.",
        Call Plain => "Calls a function with arguments and returns its results.",
        Ret Plain => "Returns from a function; in a kernel it ends the thread.",
        Exit Plain => "Ends the thread.",
        Trap Plain => "Aborts the launch with an error.",
        Brkpt Intrinsic => "Stops for a debugger.",
        Pmevent Intrinsic => "Raises performance events for a profiler.",
        Nanosleep Intrinsic => "Suspends the thread for about a given time, at most twice as long.",
    }
}

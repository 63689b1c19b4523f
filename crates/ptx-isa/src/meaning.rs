//! What each semantic family does, in a few sentences: what all its rows have in common.

use crate::names::Sem;

impl Sem {
    /// What instructions of this meaning do, in whole sentences. A row's own sentence ([`crate::Form::doc`]) says what
    /// sets it apart from the others.
    pub const fn meaning(self) -> &'static str {
        match self {
            Sem::Add => "The sum of `a` and `b`. Integers wrap around; floating-point sums are rounded once.",
            Sem::Sub => {
                "The difference `a - b`. Integers wrap around; floating-point differences are rounded once."
            }
            Sem::Mul => {
                "The product of `a` and `b`. Of an integer product `.lo` and `.hi` give the lower and the upper half, \
                 `.wide` all of it; a floating-point product is rounded once."
            }
            Sem::Mad => {
                "The product `a * b` plus `c`. Of an integer product `.lo`, `.hi` or `.wide` names the part that is added to."
            }
            Sem::Fma => "The product `a * b` plus `c`, rounded only once, after the sum.",
            Sem::Div => "The quotient `a / b`.",
            Sem::Rem => "What is left of `a` after dividing by `b`; by zero it is unspecified.",
            Sem::Abs => "The absolute value of `a`.",
            Sem::Neg => "The value of `a` with the opposite sign.",
            Sem::Min => "The smaller of `a` and `b`. A NaN gives way to a number unless `.NaN` asks for it.",
            Sem::Max => "The larger of `a` and `b`. A NaN gives way to a number unless `.NaN` asks for it.",
            Sem::Min3 => "The smallest of `a`, `b` and `c`.",
            Sem::Max3 => "The largest of `a`, `b` and `c`.",
            Sem::Sad => "The sum `c + |a - b|`.",
            Sem::Mul24 => {
                "The product of the low 24 bits of `a` and `b`, of whose 48 bits `.lo` gives the lower 32 and `.hi` the upper 32."
            }
            Sem::Mad24 => "The product of the low 24 bits of `a` and `b`, of which 32 bits are added to `c`.",
            Sem::Dp4a => "The dot product of four bytes with four bytes, added to `c`.",
            Sem::Dp2a => "The dot product of two halves with two bytes, added to `c`.",
            Sem::AddCarry => {
                "Addition over several words: the carry goes from one instruction to the next in the condition code."
            }
            Sem::SubCarry => {
                "Subtraction over several words: the carry of `a + ~b + 1`, the opposite of the borrow, goes from one instruction to the next in the condition code."
            }
            Sem::MadCarry => {
                "Multiplication and addition over several words: the carry goes from one instruction to the next in the condition code."
            }
            Sem::PackedBytes => "Arithmetic on four bytes in one register, each by itself.",
            Sem::And => "The bits set in both `a` and `b`.",
            Sem::Or => "The bits set in `a`, in `b` or in both.",
            Sem::Xor => "The bits in which `a` and `b` differ.",
            Sem::Not => "The bits of `a` turned around.",
            Sem::Cnot => "One when `a` is zero, else zero.",
            Sem::Lop3 => {
                "Any bitwise function of `a`, `b` and `c`: bit `4a + 2b + c` of the last operand is the result for those bits."
            }
            Sem::Shl => {
                "The bits of `a` shifted left by `b`, filled with zeros. Amounts beyond the width give zero."
            }
            Sem::Shr => {
                "The bits of `a` shifted right by `b`, filled with the sign of signed types, else with zeros. Amounts beyond the width shift everything out."
            }
            Sem::Shf => {
                "The 64 bits of `b` above `a`, shifted left or right by `c`; `.l` gives the upper 32 bits, `.r` the lower ones."
            }
            Sem::Popc => "How many bits of `a` are set.",
            Sem::Clz => {
                "How many zero bits are above the highest set bit of `a`; the whole width when there is none."
            }
            Sem::Bfind => {
                "The place of the highest bit that is set, or for negative numbers clear; all ones when there is none. `.shiftamt` counts from the top."
            }
            Sem::Fns => "The place of the n-th set bit of a mask, counted from a base up or down.",
            Sem::Brev => "The bits of `a` in reverse order.",
            Sem::Bfe => "A field of the bits of `a`, moved to the bottom.",
            Sem::Bfi => "The value `b` with a field of its bits replaced by the low bits of `a`.",
            Sem::Bmsk => "A run of ones at a given place and of a given length.",
            Sem::Szext => "The low `b` bits of `a`, extended by their sign or with zeros to 32 bits.",
            Sem::Prmt => {
                "Four bytes picked from the eight of `a` and `b`, one selector for each; a selector may repeat the byte's sign instead."
            }
            Sem::Testp => {
                "Whether a floating-point value is finite, infinite, a number, a NaN, normal or subnormal."
            }
            Sem::Copysign => "The size of one value with the sign of another.",
            Sem::Rcp => "One divided by `a`.",
            Sem::Sqrt => "The square root of `a`.",
            Sem::Rsqrt => "One divided by the square root of `a`.",
            Sem::Sin => "The sine of an angle in radians, with `.2pi` in turns.",
            Sem::Cos => "The cosine of an angle in radians, with `.2pi` in turns.",
            Sem::Lg2 => "The logarithm to the base 2.",
            Sem::Ex2 => "Two to the power of `a`.",
            Sem::Tanh => "The hyperbolic tangent.",
            Sem::FmaOob => {
                "The product `a * b` plus `c`, rounded once; zero when a source is the NaN that marks what was read out of bounds."
            }
            Sem::Set => {
                "Compares `a` with `b`, if asked combines the outcome with a predicate, and gives a number."
            }
            Sem::Setp => {
                "Compares `a` with `b`, if asked combines the outcome with a predicate, and writes predicates."
            }
            Sem::Selp => "Gives `a` where the predicate is true, else `b`.",
            Sem::Slct => "Gives `a` where `c` is not negative, else `b`. A NaN picks `b`.",
            Sem::MovVector => "Copies each element of a vector, or each component of a special register.",
            Sem::Mov => "Copies a value or an address to a register, or packs and unpacks a vector of parts.",
            Sem::Cvt => {
                "Converts a value to another type. The rounding mode is for floating-point results, `.rni` and its like round to integers."
            }
            Sem::CvtPack => "Converts two values and packs the results into one register.",
            Sem::CvtNarrow => {
                "Converts to or from floating-point formats of 8 bits and fewer, several values in one register."
            }
            Sem::Cvta => {
                "Converts between the generic address of a place and its address in one state space."
            }
            Sem::Isspacep => "Whether a generic address lies in a state space.",
            Sem::Load => {
                "Reads memory into one register or a vector of registers. Narrow values are extended to the register by their type."
            }
            Sem::LoadUniform => {
                "Reads global memory that is read-only meanwhile, from the same address in all threads of the warp."
            }
            Sem::Store => {
                "Writes one register or a vector of registers to memory. Of a wider register the low bits are written."
            }
            Sem::Prefetch => {
                "Brings the line of an address into a cache, or makes a place of parameters known to the hardware."
            }
            Sem::Discard => "Drops cached data without writing it back.",
            Sem::CreatePolicy => "Makes a cache policy, which `.L2::cache_hint` takes.",
            Sem::ApplyPriority => "Changes how soon data may leave the second-level cache.",
            Sem::Atom => {
                "Reads a place in memory, combines it with an operand and writes it back, in one step; gives what was there before."
            }
            Sem::Red => {
                "Reads a place in memory, combines it with an operand and writes it back, in one step; nothing comes back."
            }
            Sem::AtomVector => {
                "Combines several neighbouring places of memory with operands, each in one step; gives what was there before."
            }
            Sem::RedVector => {
                "Combines several neighbouring places of memory with operands, each in one step; nothing comes back."
            }
            Sem::StoreAsync => "Writes memory without waiting for it.",
            Sem::ReduceAsync => "Combines memory with an operand without waiting for it.",
            Sem::StoreBulk => "Fills a range of shared memory with a value.",
            Sem::CpAsync => "Copies a few bytes from global to shared memory while the thread goes on.",
            Sem::CpAsyncCommit => "Makes one group of the thread's asynchronous copies since the last group.",
            Sem::CpAsyncWait => "Waits for groups of the thread's asynchronous copies.",
            Sem::BulkCopy => {
                "Copies a range of memory while the thread goes on; a barrier in memory or a group tells when it is done."
            }
            Sem::BulkReduce => {
                "Combines a range of memory element by element with another, while the thread goes on."
            }
            Sem::BulkPrefetch => {
                "Brings a range of memory into the second-level cache, while the thread goes on."
            }
            Sem::BulkCommit => "Makes one group of the thread's bulk copies since the last group.",
            Sem::BulkWait => "Waits for groups of the thread's bulk copies.",
            Sem::TensorCopy => {
                "Copies a box of a tensor, which a tensor map describes, while the thread goes on."
            }
            Sem::TensorReduce => {
                "Combines a box of a tensor element by element with shared memory, while the thread goes on."
            }
            Sem::TensorPrefetch => {
                "Brings a box of a tensor into the second-level cache, while the thread goes on."
            }
            Sem::TensormapReplace => "Replaces one field of a tensor map.",
            Sem::TensormapCopy => "Publishes a tensor map that was changed in shared memory.",
            Sem::MultimemLoadReduce => "Reads all places of a multimem address and gives their combination.",
            Sem::MultimemStore => "Writes all places of a multimem address.",
            Sem::MultimemReduce => "Combines all places of a multimem address with an operand.",
            Sem::Fabric => "Accesses memory of other devices over the fabric.",
            Sem::FabricGroup => "Sends off accesses over the fabric as a group, or waits for groups of them.",
            Sem::Tex => "Reads a texture at coordinates.",
            Sem::Tld4 => "Reads one component of the four texels around coordinates.",
            Sem::Txq => "Asks for a property of a texture or sampler.",
            Sem::Istypep => "Whether an address is that of a texture, sampler or surface variable.",
            Sem::SurfaceLoad => {
                "Reads a surface at coordinates; what lies outside is read as the clamp mode says."
            }
            Sem::SurfaceStore => {
                "Writes a surface at coordinates; what lies outside is handled as the clamp mode says."
            }
            Sem::SurfaceReduce => "Combines a place of a surface with an operand in one step.",
            Sem::SurfaceQuery => "Asks for a property of a surface.",
            Sem::Video => {
                "Arithmetic on bytes, halves or words picked from the operands, at 34 bits inside, with saturation and a second operation if asked."
            }
            Sem::VideoSimd => "Arithmetic on two halves or four bytes at once, lane by lane.",
            Sem::Barrier => {
                "Synchronizes the threads of a block at a numbered barrier, and orders their memory accesses."
            }
            Sem::BarrierWarp => {
                "Synchronizes the threads of a warp that the mask names, and orders their memory accesses."
            }
            Sem::ClusterBarrier => "Synchronizes the threads of a cluster.",
            Sem::Fence => {
                "Orders the thread's memory accesses before it and after it, as the others of the scope see them."
            }
            Sem::FenceProxy => {
                "Orders accesses made through one kind of path to memory with those made through another."
            }
            Sem::Shfl => {
                "Exchanges a register with other lanes of the warp; `p` tells whether the source lane was in range."
            }
            Sem::Vote => "Gathers a predicate of all lanes that the mask names.",
            Sem::Match => "Compares a value over the lanes that the mask names.",
            Sem::Activemask => "The mask of the lanes that are executing.",
            Sem::Redux => {
                "Combines an integer of all lanes that the mask names; every one of them gets the result."
            }
            Sem::ReduxFloat => {
                "The smallest or largest floating-point value of all lanes that the mask names."
            }
            Sem::Elect => "Picks one lane of those that the mask names.",
            Sem::MbarrierInit => "Makes a barrier in shared memory, which counts arrivals and transactions.",
            Sem::MbarrierInval => "Ends a barrier in shared memory.",
            Sem::MbarrierCheckLayout => "Tells apart the kinds of barrier in shared memory.",
            Sem::MbarrierTransactions => "Changes how many bytes the current phase of a barrier waits for.",
            Sem::MbarrierArrive => {
                "Counts an arrival at a barrier in shared memory; the last one completes the phase."
            }
            Sem::MbarrierWait => {
                "Tests or waits for the completion of a phase of a barrier in shared memory."
            }
            Sem::MbarrierPendingCount => "How many arrivals a phase still waited for when `state` was made.",
            Sem::CpAsyncArrive => "Ties the thread's asynchronous copies to a barrier in shared memory.",
            Sem::Mapa => {
                "The address of the same place in the shared memory of another block of the cluster."
            }
            Sem::Getctarank => "The rank of the block whose shared memory an address lies in.",
            Sem::Griddepcontrol => "Controls the start of grids that depend on each other.",
            Sem::TryCancel => "Asks for the work of a block or cluster that has not started yet.",
            Sem::QueryCancel => "Reads the answer to a request for the work of another block or cluster.",
            Sem::Setmaxnreg => "Gives registers of the warpgroup back, or asks for more.",
            Sem::Stacksave => "The place of the top of the stack.",
            Sem::Stackrestore => "Sets the top of the stack back to a place that was saved.",
            Sem::Alloca => {
                "Takes memory from the stack, until the function returns or the stack is restored."
            }
            Sem::Mma => {
                "The product of two matrices plus a third. The lanes of a warp each hold fragments of them in registers."
            }
            Sem::MmaSparse => {
                "The product of a matrix of which half the elements are left out, and another, plus a third; metadata tells which."
            }
            Sem::MmaScaled => "The product of two matrices whose blocks have scales, plus a third.",
            Sem::Ldmatrix => {
                "Loads small matrices from shared memory, spread over the lanes of a warp as `mma` wants them."
            }
            Sem::Stmatrix => "Stores small matrices spread over the lanes of a warp to shared memory.",
            Sem::Movmatrix => "Transposes a small matrix spread over the lanes of a warp.",
            Sem::WmmaLoad => "Loads a matrix into fragments, whose layout is the hardware's own.",
            Sem::WmmaStore => "Stores a matrix from fragments, whose layout is the hardware's own.",
            Sem::Wmma => {
                "The product of two matrices plus a third, in fragments whose layout is the hardware's own."
            }
            Sem::Wgmma => {
                "The product of two matrices plus a third, by four warps together, while they go on; descriptors tell where in shared memory they lie."
            }
            Sem::WgmmaSparse => {
                "The same product with a matrix of which half the elements are left out; metadata tells which."
            }
            Sem::WgmmaFence => "Orders accesses of registers with the warpgroup's multiplications.",
            Sem::WgmmaCommit => "Makes one group of the warpgroup's multiplications since the last group.",
            Sem::WgmmaWait => "Waits for groups of the warpgroup's multiplications.",
            Sem::TensorMemory => {
                "Manages tensor memory, moves data to and from it, or orders these accesses."
            }
            Sem::Tcgen05Mma => {
                "The product of two matrices plus what is in tensor memory, issued by one thread, while it goes on."
            }
            Sem::Bra => "Goes on at a label.",
            Sem::BrxIdx => "Goes on at one of a list of labels, picked by an index that must be in range.",
            Sem::Call => "Calls a function with arguments and takes its results.",
            Sem::Ret => "Returns from a function; in a kernel it ends the thread.",
            Sem::Exit => "Ends the thread.",
            Sem::Trap => "Ends the whole launch with an error.",
            Sem::Brkpt => "Stops for a debugger.",
            Sem::Pmevent => "Raises performance events for a profiler.",
            Sem::Nanosleep => "Suspends the thread for about a given time, at most twice as long.",
        }
    }
}

//! Modifiers and the names of their slots, each with its exact PTX spelling; opcodes are in `families`.

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
        impl std::fmt::Display for $name {
            /// The exact PTX spelling.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use named;

/// How `ptxas` parses a modifier that differs from most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// In nearly any order with others, and once.
    Usual,
    /// A word of the instruction's name in a fixed position, directly after the opcode or after other such words: names may not be
    /// separated (`name.rs`).
    Name,
    /// It may be repeated without effect: `bar.sync.sync`.
    Repeats,
    /// After the types before it: `cvt.rn.f32.s32` is not `cvt.rn.s32.f32`.
    Type,
    /// After the layouts of matrices before it.
    Layout,
    /// After the state spaces before it.
    Space,
    /// After the operations before it: `.and.popc` multiplies with one and adds with the other.
    Operation,
}

/// Declares the modifiers, those that are read unusually with how ([`Reading`]).
macro_rules! modifiers {
    ($(#[$m:meta])* $name:ident { $($v:ident $s:literal $(($reading:ident))?),* $(,)? }) => {
        named! { $(#[$m])* $name { $($v $s),* } }
        impl $name {
            /// How it is read.
            pub(crate) const fn reading(self) -> Reading {
                match self {
                    $($(Self::$v => Reading::$reading,)?)*
                    _ => Reading::Usual,
                }
            }
        }
    };
}

modifiers! {
    /// A modifier, without its dot.
    Mod {
        // Types.
        B8 "b8" (Type), B16 "b16" (Type), B32 "b32" (Type), B64 "b64" (Type), B128 "b128" (Type),
        U8 "u8" (Type), U16 "u16" (Type), U32 "u32" (Type), U64 "u64" (Type),
        S8 "s8" (Type), S16 "s16" (Type), S32 "s32" (Type), S64 "s64" (Type), F16 "f16" (Type),
        F16x2 "f16x2" (Type), Bf16 "bf16" (Type), Bf16x2 "bf16x2" (Type),
        Tf32 "tf32" (Type), F32 "f32" (Type), F32x2 "f32x2" (Type), F64 "f64" (Type), U16x2 "u16x2" (Type),
        S16x2 "s16x2" (Type), Pred "pred" (Type),
        U4 "u4" (Type), S4 "s4" (Type), B1 "b1" (Type),
        // Rounding and arithmetic.
        Rn "rn", Rz "rz", Rm "rm", Rp "rp", Rna "rna", Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi",
        Ftz "ftz", Noftz "noftz", Sat "sat" (Repeats), Satfinite "satfinite" (Repeats), Relu "relu" (Repeats),
        Approx "approx" (Repeats), TwoPi "2pi", Full "full",
        Nan "NaN" (Repeats), XorsignAbs "xorsign", AbsMod "abs", Cc "cc" (Repeats), Hi "hi", Lo "lo",
        Wide "wide", Shiftamt "shiftamt" (Repeats),
        Clamp "clamp", Wrap "wrap", L "l", R "r", F4e "f4e", B4e "b4e", Rc8 "rc8", Ecl "ecl", Ecr "ecr",
        Rc16 "rc16",
        // Comparison; `lo`, `hi` are shared with the parts above.
        Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge", Ls "ls", Hs "hs",
        Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu", Geu "geu", Num "num", NanCmp "nan",
        And "and" (Operation), Or "or" (Operation), Xor "xor" (Operation),
        // Properties tested.
        Finite "finite", Infinite "infinite", Number "number", Notanumber "notanumber", Normal "normal",
        Subnormal "subnormal",
        // State spaces.
        Const "const" (Space), Global "global" (Space), Local "local" (Space), Param "param" (Space),
        ParamEntry "param::entry" (Space),
        ParamFunc "param::func" (Space), Shared "shared" (Space), SharedCta "shared::cta" (Space),
        SharedCluster "shared::cluster" (Space),
        To "to" (Name),
        // Memory.
        Weak "weak", Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel", Sc "sc",
        Volatile "volatile", Mmio "mmio", Cta "cta", Cluster "cluster" (Name), Gpu "gpu", Sys "sys", Gl "gl",
        Ca "ca", Cg "cg", Cs "cs", Lu "lu", Cv "cv", Wb "wb", Wt "wt", Nc "nc",
        L1EvictNormal "L1::evict_normal", L1EvictUnchanged "L1::evict_unchanged",
        L1EvictFirst "L1::evict_first",
        L1EvictLast "L1::evict_last", L1NoAllocate "L1::no_allocate",
        L2EvictNormal "L2::evict_normal", L2EvictFirst "L2::evict_first", L2EvictLast "L2::evict_last",
        L2CacheHint "L2::cache_hint", L2_64B "L2::64B", L2_128B "L2::128B", L2_256B "L2::256B",
        L1 "L1", L2 "L2", V2 "v2", V4 "v4", V8 "v8",
        // Atomics.
        Add "add", Inc "inc", Dec "dec", Min "min", Max "max", Exch "exch", Cas "cas",
        // Synchronization and warps.
        Sync "sync" (Repeats), Arrive "arrive" (Name), Red "red" (Name), Popc "popc" (Operation),
        Warp "warp" (Name),
        Aligned "aligned", Up "up", Down "down",
        Bfly "bfly", Idx "idx" (Name), All "all", Any "any", Uni "uni" (Repeats), Ballot "ballot",
        // Asynchronous copies.
        Async "async" (Name), CommitGroup "commit_group" (Name), WaitGroup "wait_group" (Name),
        WaitAll "wait_all" (Name),
        // Matrices.
        M8n8 "m8n8", M8n8k4 "m8n8k4", M8n8k16 "m8n8k16", M16n8k4 "m16n8k4", M16n8k8 "m16n8k8",
        M16n8k16 "m16n8k16",
        M16n8k32 "m16n8k32", Row "row" (Layout), Col "col" (Layout), X1 "x1", X2 "x2", X4 "x4", Trans "trans",
        // Packing and masks.
        Pack "pack" (Name), MaskMod "mask",
        // Narrow and packed types.
        U2 "u2" (Type), S2 "s2" (Type), B2 "b2" (Type), U8x4 "u8x4" (Type), S8x4 "s8x4" (Type),
        E4m3 "e4m3" (Type), E5m2 "e5m2" (Type), E3m2 "e3m2" (Type),
        E2m3 "e2m3" (Type), E2m1 "e2m1" (Type), E4m3x2 "e4m3x2" (Type), E5m2x2 "e5m2x2" (Type),
        E2m3x2 "e2m3x2" (Type), E3m2x2 "e3m2x2" (Type),
        E2m1x2 "e2m1x2" (Type), E4m3x4 "e4m3x4" (Type), E5m2x4 "e5m2x4" (Type), E2m3x4 "e2m3x4" (Type),
        E3m2x4 "e3m2x4" (Type), E2m1x4 "e2m1x4" (Type),
        Ue8m0 "ue8m0" (Type), Ue4m3 "ue4m3" (Type), Ue8m0x2 "ue8m0x2" (Type), Ue5m3x2 "ue5m3x2" (Type),
        S2f6x2 "s2f6x2" (Type), B1024 "b1024",
        B8x16 "b8x16" (Type), B6x16P32 "b6x16_p32" (Type), B4x16P64 "b4x16_p64" (Type), Texref "texref",
        Samplerref "samplerref",
        Surfref "surfref",
        // Narrow conversions and multiplications beyond bounds.
        Rs "rs", Oob "oob", IgnoreOob "ignore_oob", ScaledN2Ue8m0 "scaled::n2::ue8m0",
        // Textures and surfaces.
        D1 "1d", D2 "2d", D3 "3d", D4 "4d", D5 "5d", A1d "a1d", A2d "a2d", Cube "cube", Acube "acube",
        D2ms "2dms", A2dms "a2dms", Base "base", Level "level" (Name), Grad "grad" (Name), G "g",
        B "b" (Name),
        A "a" (Name), P "p" (Name),
        Trap "trap", Zero "zero", Width "width", Height "height", Depth "depth",
        ChannelDataType "channel_data_type", ChannelOrder "channel_order",
        NormalizedCoords "normalized_coords", ArraySize "array_size", NumMipmapLevels "num_mipmap_levels",
        NumSamples "num_samples", ForceUnnormalizedCoords "force_unnormalized_coords",
        FilterMode "filter_mode", AddrMode0 "addr_mode_0", AddrMode1 "addr_mode_1", AddrMode2 "addr_mode_2",
        MemoryLayout "memory_layout",
        // Video.
        Po "po", Shr7 "shr7", Shr15 "shr15",
        // Barriers in memory.
        Init "init" (Name), Inval "inval" (Name), CheckLayout "check_layout" (Name), LayoutV0 "layout::v0",
        LayoutV1 "layout::v1",
        ExpectTx "expect_tx" (Name), CompleteTx "complete_tx" (Name), ArriveDrop "arrive_drop" (Name),
        NoComplete "noComplete",
        Noinc "noinc", TestWait "test_wait" (Name), TryWait "try_wait" (Name), Parity "parity" (Name),
        PhaseTypePrimary "phase_type::primary", PhaseTypeConditional "phase_type::conditional",
        PendingCount "pending_count" (Name), Mbarrier "mbarrier" (Name),
        // Fences.
        Proxy "proxy" (Name), Alias "alias", AsyncGeneric "async::generic",
        TensormapGeneric "tensormap::generic",
        GenericFabric "generic::fabric", FabricGeneric "fabric::generic", FabricFabric "fabric::fabric",
        MbarrierInit "mbarrier_init", SyncRestrictSharedCluster "sync_restrict::shared::cluster",
        SyncRestrictSharedCta "sync_restrict::shared::cta",
        SyncRestrictSharedClusterRead "sync_restrict::shared::cluster::read",
        SyncRestrictRead "sync_restrict::read", SyncRestrictReads "sync_restrict::reads",
        SyncRestrictProxyAsync "sync_restrict::proxy::async",
        // Bulk copies.
        Bulk "bulk" (Name), Reduce "reduce" (Name), Tensor "tensor" (Name), Prefetch "prefetch" (Name),
        Cp "cp" (Name), BulkGroup "bulk_group",
        Read "read", CpMask "cp_mask", MbarrierCompleteTxBytes "mbarrier::complete_tx::bytes",
        MbarrierCompleteTx16B "mbarrier::complete_tx::16B",
        MbarrierReportDisabled "mbarrier::report::disabled",
        MbarrierReportValidityPer16bytes8 "mbarrier::report::validity::per_16bytes::8",
        MbarrierReportValidityPer16bytes80 "mbarrier::report::validity::per_16bytes::80",
        MbarrierReportValidityPer16bytes8000 "mbarrier::report::validity::per_16bytes::8000",
        MbarrierReportValidityPer16bytes80000000 "mbarrier::report::validity::per_16bytes::80000000",
        MbarrierReportValidityPerElementFf "mbarrier::report::validity::per_element::ff",
        MbarrierReportFabric "mbarrier::report::fabric", MulticastCluster "multicast::cluster",
        MulticastCluster32b "multicast::cluster::32b", MulticastClusterAll "multicast::cluster::all",
        CtaGroup1 "cta_group::1", CtaGroup2 "cta_group::2", Tile "tile", TileGather4 "tile::gather4",
        TileScatter4 "tile::scatter4", Im2col "im2col", Im2colW "im2col::w", Im2colW128 "im2col::w::128",
        Im2colNoOffs "im2col_no_offs", OverrideGlobalAddress "override::global_address",
        OverrideGlobalDim "override::global_dim", OverrideGlobalDimStride "override::global_dim_stride",
        // Tensor maps.
        Replace "replace" (Name), GlobalAddress "global_address", Rank "rank", BoxDim "box_dim",
        GlobalDim "global_dim", GlobalStride "global_stride", ElementStride "element_stride",
        Elemtype "elemtype", InterleaveLayout "interleave_layout", SwizzleMode "swizzle_mode",
        SwizzleAtomicity "swizzle_atomicity", FillMode "fill_mode", CpFenceproxy "cp_fenceproxy" (Name),
        Tensormap "tensormap",
        // Clusters and launches.
        Wait "wait" (Name), LaunchDependents "launch_dependents", TryCancel "try_cancel" (Name),
        QueryCancel "query_cancel" (Name),
        IsCanceled "is_canceled", GetFirstCtaid "get_first_ctaid", GetFirstCtaidX "get_first_ctaid::x",
        GetFirstCtaidY "get_first_ctaid::y", GetFirstCtaidZ "get_first_ctaid::z",
        // Multimem and fabric.
        LdReduce "ld_reduce" (Name), St "st" (Name), AccF32 "acc::f32", AccF16 "acc::f16",
        Multimem "multimem",
        CountedBytes "counted::bytes", TryGet "try_get" (Name), TryPut "try_put" (Name),
        TryRed "try_red" (Name),
        TryAtom "try_atom" (Name), TryPullred "try_pullred" (Name), Submit "submit" (Name),
        OpRestrictFetching "op_restrict::fetching",
        // Cache policies.
        Range "range" (Name), Fractional "fractional" (Name), Cvt "cvt" (Name),
        L2EvictUnchanged "L2::evict_unchanged",
        L1_32B "L1::32B", ValidAddr "valid_addr",
        // Warp matrices.
        Load "load" (Name), Store "store" (Name), Mma "mma" (Name), C "c" (Name), D "d" (Name), Sp "sp",
        SpOrderedMetadata "sp::ordered_metadata",
        M16n16 "m16n16", M8n16 "m8n16", M16n8 "m16n8", X8 "x8", X16 "x16", X32 "x32", X64 "x64", X128 "x128",
        KindF8f6f4 "kind::f8f6f4", KindMxf8f6f4 "kind::mxf8f6f4", KindMxf4 "kind::mxf4",
        KindMxf4nvf4 "kind::mxf4nvf4", BlockScale "block_scale", ScaleVec1X "scale_vec::1X",
        ScaleVec2X "scale_vec::2X", ScaleVec4X "scale_vec::4X", M16n8k64 "m16n8k64", M16n8k128 "m16n8k128",
        M16n8k256 "m16n8k256", M8n8k32 "m8n8k32", M8n8k128 "m8n8k128", M16n16k16 "m16n16k16",
        M8n32k16 "m8n32k16", M32n8k16 "m32n8k16", M16n16k8 "m16n16k8",
        // Tensor memory.
        Alloc "alloc" (Name), Dealloc "dealloc" (Name), Exclusive "exclusive",
        RelinquishAllocPermit "relinquish_alloc_permit" (Name), Ld "ld" (Name), S16x64b "16x64b",
        S16x128b "16x128b",
        S16x256b "16x256b", S32x32b "32x32b", S16x32bx2 "16x32bx2", Pack16b "pack::16b",
        Unpack16b "unpack::16b", Spcompress "spcompress" (Name), Sp24 "sp::2:4", WaitLd "wait::ld",
        WaitSt "wait::st",
        S128x256b "128x256b", S4x256b "4x256b", S128x128b "128x128b", S64x128b "64x128b", S32x128b "32x128b",
        Warpx20213 "warpx2::02_13", Warpx20123 "warpx2::01_23", Warpx4 "warpx4", Shift "shift" (Name),
        FenceBeforeThreadSync "fence::before_thread_sync", FenceAfterThreadSync "fence::after_thread_sync",
        Commit "commit" (Name), MbarrierArriveOne "mbarrier::arrive::one",
        SyncRestrictSharedReadMmaA "sync_restrict::shared::read::mma::a", KindF16 "kind::f16",
        KindTf32 "kind::tf32", KindI8 "kind::i8", Block16 "block16", Block32 "block32", Ashift "ashift",
        Ws "ws" (Name), CollectorAFill "collector::a::fill", CollectorAUse "collector::a::use",
        CollectorALastuse "collector::a::lastuse", CollectorADiscard "collector::a::discard",
        CollectorBFill "collector::b::fill", CollectorBUse "collector::b::use",
        CollectorBLastuse "collector::b::lastuse", CollectorBDiscard "collector::b::discard",
        CollectorB0Fill "collector::b0::fill", CollectorB0Use "collector::b0::use",
        CollectorB0Lastuse "collector::b0::lastuse", CollectorB0Discard "collector::b0::discard",
        CollectorB1Fill "collector::b1::fill", CollectorB1Use "collector::b1::use",
        CollectorB1Lastuse "collector::b1::lastuse", CollectorB1Discard "collector::b1::discard",
        CollectorB2Fill "collector::b2::fill", CollectorB2Use "collector::b2::use",
        CollectorB2Lastuse "collector::b2::lastuse", CollectorB2Discard "collector::b2::discard",
        CollectorB3Fill "collector::b3::fill", CollectorB3Use "collector::b3::use",
        CollectorB3Lastuse "collector::b3::lastuse", CollectorB3Discard "collector::b3::discard",
        // Warpgroup matrices.
        MmaAsync "mma_async" (Name), Fence "fence" (Name), M64n8k8 "m64n8k8", M64n16k8 "m64n16k8",
        M64n24k8 "m64n24k8",
        M64n32k8 "m64n32k8", M64n40k8 "m64n40k8", M64n48k8 "m64n48k8", M64n56k8 "m64n56k8",
        M64n64k8 "m64n64k8", M64n72k8 "m64n72k8", M64n80k8 "m64n80k8", M64n88k8 "m64n88k8",
        M64n96k8 "m64n96k8", M64n104k8 "m64n104k8", M64n112k8 "m64n112k8", M64n120k8 "m64n120k8",
        M64n128k8 "m64n128k8", M64n136k8 "m64n136k8", M64n144k8 "m64n144k8", M64n152k8 "m64n152k8",
        M64n160k8 "m64n160k8", M64n168k8 "m64n168k8", M64n176k8 "m64n176k8", M64n184k8 "m64n184k8",
        M64n192k8 "m64n192k8", M64n200k8 "m64n200k8", M64n208k8 "m64n208k8", M64n216k8 "m64n216k8",
        M64n224k8 "m64n224k8", M64n232k8 "m64n232k8", M64n240k8 "m64n240k8", M64n248k8 "m64n248k8",
        M64n256k8 "m64n256k8", M64n8k16 "m64n8k16", M64n16k16 "m64n16k16", M64n24k16 "m64n24k16",
        M64n32k16 "m64n32k16", M64n40k16 "m64n40k16", M64n48k16 "m64n48k16", M64n56k16 "m64n56k16",
        M64n64k16 "m64n64k16", M64n72k16 "m64n72k16", M64n80k16 "m64n80k16", M64n88k16 "m64n88k16",
        M64n96k16 "m64n96k16", M64n104k16 "m64n104k16", M64n112k16 "m64n112k16", M64n120k16 "m64n120k16",
        M64n128k16 "m64n128k16", M64n136k16 "m64n136k16", M64n144k16 "m64n144k16", M64n152k16 "m64n152k16",
        M64n160k16 "m64n160k16", M64n168k16 "m64n168k16", M64n176k16 "m64n176k16", M64n184k16 "m64n184k16",
        M64n192k16 "m64n192k16", M64n200k16 "m64n200k16", M64n208k16 "m64n208k16", M64n216k16 "m64n216k16",
        M64n224k16 "m64n224k16", M64n232k16 "m64n232k16", M64n240k16 "m64n240k16", M64n248k16 "m64n248k16",
        M64n256k16 "m64n256k16", M64n8k32 "m64n8k32", M64n16k32 "m64n16k32", M64n24k32 "m64n24k32",
        M64n32k32 "m64n32k32", M64n40k32 "m64n40k32", M64n48k32 "m64n48k32", M64n56k32 "m64n56k32",
        M64n64k32 "m64n64k32", M64n72k32 "m64n72k32", M64n80k32 "m64n80k32", M64n88k32 "m64n88k32",
        M64n96k32 "m64n96k32", M64n104k32 "m64n104k32", M64n112k32 "m64n112k32", M64n120k32 "m64n120k32",
        M64n128k32 "m64n128k32", M64n136k32 "m64n136k32", M64n144k32 "m64n144k32", M64n152k32 "m64n152k32",
        M64n160k32 "m64n160k32", M64n168k32 "m64n168k32", M64n176k32 "m64n176k32", M64n184k32 "m64n184k32",
        M64n192k32 "m64n192k32", M64n200k32 "m64n200k32", M64n208k32 "m64n208k32", M64n216k32 "m64n216k32",
        M64n224k32 "m64n224k32", M64n232k32 "m64n232k32", M64n240k32 "m64n240k32", M64n248k32 "m64n248k32",
        M64n256k32 "m64n256k32", M64n8k64 "m64n8k64", M64n16k64 "m64n16k64", M64n24k64 "m64n24k64",
        M64n32k64 "m64n32k64", M64n40k64 "m64n40k64", M64n48k64 "m64n48k64", M64n56k64 "m64n56k64",
        M64n64k64 "m64n64k64", M64n72k64 "m64n72k64", M64n80k64 "m64n80k64", M64n88k64 "m64n88k64",
        M64n96k64 "m64n96k64", M64n104k64 "m64n104k64", M64n112k64 "m64n112k64", M64n120k64 "m64n120k64",
        M64n128k64 "m64n128k64", M64n136k64 "m64n136k64", M64n144k64 "m64n144k64", M64n152k64 "m64n152k64",
        M64n160k64 "m64n160k64", M64n168k64 "m64n168k64", M64n176k64 "m64n176k64", M64n184k64 "m64n184k64",
        M64n192k64 "m64n192k64", M64n200k64 "m64n200k64", M64n208k64 "m64n208k64", M64n216k64 "m64n216k64",
        M64n224k64 "m64n224k64", M64n232k64 "m64n232k64", M64n240k64 "m64n240k64", M64n248k64 "m64n248k64",
        M64n256k64 "m64n256k64", M64n8k256 "m64n8k256", M64n16k256 "m64n16k256", M64n24k256 "m64n24k256",
        M64n32k256 "m64n32k256", M64n48k256 "m64n48k256", M64n64k256 "m64n64k256", M64n80k256 "m64n80k256",
        M64n96k256 "m64n96k256", M64n112k256 "m64n112k256", M64n128k256 "m64n128k256",
        M64n144k256 "m64n144k256", M64n160k256 "m64n160k256", M64n176k256 "m64n176k256",
        M64n192k256 "m64n192k256", M64n208k256 "m64n208k256", M64n224k256 "m64n224k256",
        M64n240k256 "m64n240k256", M64n256k256 "m64n256k256",
    }
}

named! {
    /// The property that a modifier slot decides; the names are those of the manual, if it has one.
    Field {
        Type "type", AType "atype", BType "btype", CType "ctype", DType "dtype", Sat "sat", Ftz "ftz",
        Rnd "rnd",
        Approx "approx", Cc "cc", Part "part", Shiftamt "shiftamt", Clamp "clamp", Nan "NaN", Xorsign "xorsign",
        Abs "abs", Relu "relu", Cmp "CmpOp", Bool "BoolOp", Property "property", Direction "direction",
        Mode "mode",
        MemOrder "sem", Scope "scope", Space "space", Cop "cop", EvictL1 "level::eviction_priority",
        EvictL2 "level2::eviction_priority", CacheHint "level::cache_hint", PrefetchSize "level::prefetch_size",
        Level "level", Vec "vec", Nc "nc", Op "op", Noftz "noftz", To "to", Cta "cta", Sync "sync",
        Aligned "aligned", Uni "uni", Shape "shape", ALayout "alayout", BLayout "blayout", Num "num",
        Trans "trans", Action "action",
        Geometry "geom", Mipmap "mipmap", Component "comp", Query "query", Multicast "multicast", PlusOne "po",
        Scale "scale", Layout "layout", PhaseType "phase_type", NoInc "noinc", ProxyKind "proxykind",
        SyncRestrict "sync_restrict", Report "report", CpMask "cp_mask", Read "read", Dim "dim",
        LoadMode "load_mode", CtaGroup "cta_group", OverrideAddress "override",
        OverrideSizes "override::sizes", MapField "field", AccPrec "acc_prec",
        Completion "completion_mechanism", Mmio "mmio", Counted "counted", Multimem "multimem",
        Primary "primary_priority", Secondary "secondary_priority", Sparsity "spvariant",
        ScaleVec "scale_vec_size", SType "stype", Exclusive "exclusive", Pack "pack", DstFmt "dst_fmt",
        SrcFmt "src_fmt", Kind "kind", Ashift "ashift", CollectorA "collector_usage",
        CollectorB "collector_usage_b", Oob "oob",
    }
}

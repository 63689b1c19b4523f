//! Asynchronous copies of parts of tensors, and the tensor map (manual 9.7.9.25.5, 9.7.9.28, 9.7.13.16).

use super::bulk::{REPORT, REPORT_LATER};
use super::vocabulary::*;
use crate::Slot;
use crate::families::{AsyncSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, Rule, TypeRule, VectorLength, arg, when};
use crate::length::VectorLengthRule;
use crate::names::{Field, Mod, Mod::*};
use crate::target::{Since, Sm};
use crate::types::ScalarType;

const DIM: Slot = One(Field::Dim, &[D1, D2, D3, D4, D5]);
/// Tensors are copied by tiles (manual 9.7.9.27.1.2).
const TILES: &[&[Mod]] = &[&[Tile]];
const LOADS: Slot = Opt(Field::LoadMode, &[Tile, TileGather4, Im2col, Im2colW, Im2colW128]);
const GROUP: Slot = Opt(Field::CtaGroup, &[CtaGroup1, CtaGroup2]);
const ADDRESS: Slot = Opt(Field::OverrideAddress, &[OverrideGlobalAddress]);
const SIZES: Slot = Opt(Field::OverrideSizes, &[OverrideGlobalDim, OverrideGlobalDimStride]);

const fn braced(
    name: &'static str,
    ty: ScalarType,
    length: VectorLengthRule,
    mods: &'static [Mod],
) -> Operand {
    when(name, OperandKind::Braced(TypeRule::Is(ty), VectorLength::By(length)), mods)
}

const STRIDES: OperandKind =
    OperandKind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::By(VectorLengthRule::TensorStrides));

/// The address, sizes and strides that are in for those of the tensor map, and the coordinates.
pub(super) const OVERRIDES: [Operand; 4] = [
    when("globalAddress", OperandKind::Register(TypeRule::Is(ScalarType::U64)), &[OverrideGlobalAddress]),
    braced(
        "globalDim",
        ScalarType::U16,
        VectorLengthRule::TensorSizes,
        &[OverrideGlobalDim, OverrideGlobalDimStride],
    ),
    when("globalStride", STRIDES, &[OverrideGlobalDimStride]),
    when(
        "globalStrideHigh",
        OperandKind::Register(TypeRule::Is(ScalarType::U16)),
        &[OverrideGlobalDimStride],
    ),
];
pub(super) const COORDINATES: Operand = arg(
    "tensorCoords",
    OperandKind::Braced(TypeRule::Is(ScalarType::S32), VectorLength::By(VectorLengthRule::TensorCoordinates)),
);
/// `[tensorMap, tensorCoords]`
const TENSOR: Operand = arg(
    "tensor",
    OperandKind::Bracketed(&[
        arg("tensorMap", OperandKind::Reference),
        OVERRIDES[0],
        OVERRIDES[1],
        OVERRIDES[2],
        OVERRIDES[3],
        COORDINATES,
    ]),
);
const OFFSETS: Operand =
    braced("im2colInfo", ScalarType::U16, VectorLengthRule::TensorOffsets, &[Im2col, Im2colW, Im2colW128]);

/// Which modes go with which numbers of dimensions.
const MODE_RULES: &[Rule] = &[
    Rule::Needs(TileGather4, &[D2]),
    Rule::Needs(TileScatter4, &[D2]),
    Rule::Needs(Im2col, &[D3, D4, D5]),
    Rule::Needs(Im2colW, &[D3, D4, D5]),
    Rule::Needs(Im2colW128, &[D3, D4, D5]),
    Rule::Needs(Im2colNoOffs, &[D3, D4, D5]),
    Rule::Needs(OverrideGlobalAddress, &[Tile, TileGather4, TileScatter4]),
    Rule::Needs(OverrideGlobalDim, &[OverrideGlobalAddress]),
    Rule::Needs(OverrideGlobalDimStride, &[OverrideGlobalAddress]),
    Rule::Needs(OverrideGlobalDim, &[D1]),
    Rule::Excludes(OverrideGlobalDimStride, &[D1, TileGather4, TileScatter4]),
    Rule::Excludes(L2CacheHint, &[L2EvictLast]),
];

/// The same, and 16 bits of a multicast leave no room for sizes that are in.
const CLUSTER_RULES: &[Rule] = &[
    Rule::Needs(TileGather4, &[D2]),
    Rule::Needs(TileScatter4, &[D2]),
    Rule::Needs(Im2col, &[D3, D4, D5]),
    Rule::Needs(Im2colW, &[D3, D4, D5]),
    Rule::Needs(Im2colW128, &[D3, D4, D5]),
    Rule::Needs(Im2colNoOffs, &[D3, D4, D5]),
    Rule::Needs(OverrideGlobalAddress, &[Tile, TileGather4, TileScatter4]),
    Rule::Needs(OverrideGlobalDim, &[OverrideGlobalAddress]),
    Rule::Needs(OverrideGlobalDimStride, &[OverrideGlobalAddress]),
    Rule::Needs(OverrideGlobalDim, &[D1]),
    Rule::Excludes(OverrideGlobalDimStride, &[D1, TileGather4, TileScatter4]),
    Rule::Excludes(L2CacheHint, &[L2EvictLast]),
    Rule::Excludes(MulticastCluster, &[OverrideGlobalDim, OverrideGlobalDimStride]),
];

const GATHER: &[Sm] = TENSOR_MEMORY;
const CTA_LATER: &[(Mod, Since)] = &[
    (TileGather4, at(8, 6, 100)),
    (Im2colW, at(8, 6, 100)),
    (Im2colW128, on(8, 6, GATHER)),
    (CtaGroup1, on(8, 6, GATHER)),
    (CtaGroup2, on(8, 6, GATHER)),
    REPORT_LATER[0],
    REPORT_LATER[1],
    REPORT_LATER[2],
    REPORT_LATER[3],
    REPORT_LATER[4],
    REPORT_LATER[5],
    (OverrideGlobalAddress, on(9, 4, FAMILY_107)),
];
const CLUSTER_LATER_MODES: &[(Mod, Since)] = &[
    (TileGather4, on(8, 6, GATHER)),
    (Im2colW, on(8, 6, GATHER)),
    (Im2colW128, on(8, 6, GATHER)),
    (CtaGroup1, on(8, 6, GATHER)),
    (CtaGroup2, on(8, 6, GATHER)),
    (MulticastCluster32b, on(9, 4, FAMILY_107)),
    REPORT_LATER[0],
    REPORT_LATER[1],
    REPORT_LATER[2],
    REPORT_LATER[3],
    REPORT_LATER[4],
    REPORT_LATER[5],
    (OverrideGlobalAddress, on(9, 4, FAMILY_107)),
];
const STORE_LATER: &[(Mod, Since)] =
    &[(TileScatter4, on(8, 6, GATHER)), (OverrideGlobalAddress, on(9, 4, FAMILY_107))];
const PREFETCH_LATER: &[(Mod, Since)] = &[
    (TileGather4, on(8, 6, GATHER)),
    (Im2colW, on(8, 6, GATHER)),
    (Im2colW128, on(8, 6, GATHER)),
    (L2EvictLast, on(9, 4, FAMILY_107)),
    (OverrideGlobalAddress, on(9, 4, FAMILY_107)),
];
/// Targets that swizzle in units of 96 bytes.
const BY_96_BYTES: Since = on(8, 8, &[Sm::arch(103), Sm::arch(107)]);
const REPLACE_LATER: &[(Mod, Since)] = &[(SwizzleAtomicity, on(8, 6, BLACKWELL))];

const MAP_SPACE: Slot = Opt(Field::Space, &[Global, SharedCta]);

const fn replace(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Tensormap, doc, slots, operands, Sem::Async(AsyncSem::TensormapReplace))
        .only(8, 3, HOPPER_AND_BLACKWELL)
        .later(REPLACE_LATER)
        .effects(Effects::MEMORY)
        .section("9.7.9.28")
}

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Cp,
        "Copies a box of a tensor to the block's shared memory; the barrier counts the bytes.",
        &[
            Lit(Async),
            Lit(Bulk),
            Lit(Tensor),
            DIM,
            Lit(SharedCta),
            Lit(Global),
            LOADS,
            Lit(MbarrierCompleteTxBytes),
            GROUP,
            REPORT,
            CACHE_HINT,
            ADDRESS,
            SIZES,
        ],
        &[loose("dstMem"), TENSOR, loose("mbar"), OFFSETS, POLICY],
        Sem::Async(AsyncSem::TensorCopy),
    )
    .since(8, 6, 90)
    .later(CTA_LATER)
    .rules(MODE_RULES)
    .defaults(TILES)
    .effects(Effects::MEMORY)
    .section("9.7.9.25.5.2"),
    Form::new(
        Opcode::Cp,
        "Copies a box of a tensor to shared memory of the cluster, of several blocks with a multicast.",
        &[
            Lit(Async),
            Lit(Bulk),
            Lit(Tensor),
            DIM,
            Lit(SharedCluster),
            Lit(Global),
            LOADS,
            Lit(MbarrierCompleteTxBytes),
            Opt(Field::Multicast, &[MulticastCluster, MulticastCluster32b]),
            GROUP,
            REPORT,
            CACHE_HINT,
            ADDRESS,
            SIZES,
        ],
        &[loose("dstMem"), TENSOR, loose("mbar"), OFFSETS, CTA_MASK, CTA_MASK_32, POLICY],
        Sem::Async(AsyncSem::TensorCopy),
    )
    .since(8, 0, 90)
    .later(CLUSTER_LATER_MODES)
    .rules(CLUSTER_RULES)
    .defaults(TILES)
    .effects(Effects::MEMORY)
    .section("9.7.9.25.5.2"),
    Form::new(
        Opcode::Cp,
        "Copies shared memory to a box of a tensor.",
        &[
            Lit(Async),
            Lit(Bulk),
            Lit(Tensor),
            DIM,
            Lit(Global),
            Lit(SharedCta),
            Opt(Field::LoadMode, &[Tile, TileScatter4, Im2colNoOffs]),
            Lit(BulkGroup),
            CACHE_HINT,
            ADDRESS,
            SIZES,
        ],
        &[TENSOR, loose("srcMem"), POLICY],
        Sem::Async(AsyncSem::TensorCopy),
    )
    .since(8, 0, 90)
    .later(STORE_LATER)
    .rules(MODE_RULES)
    .defaults(TILES)
    .effects(Effects::MEMORY)
    .section("9.7.9.25.5.2"),
    Form::new(
        Opcode::Cp,
        "Combines shared memory with a box of a tensor.",
        &[
            Lit(Reduce),
            Lit(Async),
            Lit(Bulk),
            Lit(Tensor),
            DIM,
            Lit(Global),
            Lit(SharedCta),
            One(Field::Op, &[Add, Min, Max, Inc, Dec, And, Or, Xor]),
            Opt(Field::LoadMode, &[Tile, Im2colNoOffs]),
            Lit(BulkGroup),
            CACHE_HINT,
            ADDRESS,
            SIZES,
        ],
        &[TENSOR, loose("srcMem"), POLICY],
        Sem::Async(AsyncSem::TensorReduce),
    )
    .since(8, 0, 90)
    .later(STORE_LATER)
    .rules(MODE_RULES)
    .defaults(TILES)
    .effects(Effects::MEMORY)
    .section("9.7.9.25.5.3"),
    Form::new(
        Opcode::Cp,
        "Brings a box of a tensor into the second-level cache.",
        &[
            Lit(Async),
            Lit(Bulk),
            Lit(Prefetch),
            Lit(Tensor),
            DIM,
            Lit(L2),
            Lit(Global),
            LOADS,
            CACHE_HINT,
            Opt(Field::EvictL2, &[L2EvictLast]),
            ADDRESS,
            SIZES,
        ],
        &[TENSOR, OFFSETS, POLICY],
        Sem::Async(AsyncSem::TensorPrefetch),
    )
    .since(8, 0, 90)
    .later(PREFETCH_LATER)
    .rules(MODE_RULES)
    .defaults(TILES)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.25.5.4"),
    replace(
        "Replaces the address in a tensor map.",
        &[Lit(Replace), Lit(Tile), Lit(GlobalAddress), MAP_SPACE, Lit(B1024), Lit(B64)],
        &[addr("addr"), arg("new_val", V_B64)],
    ),
    replace(
        "Replaces the number of dimensions in a tensor map, given as the number minus one.",
        &[Lit(Replace), Lit(Tile), Lit(Rank), MAP_SPACE, Lit(B1024), Lit(B32)],
        &[addr("addr"), arg("new_val", V_B32)],
    ),
    replace(
        "Replaces a size or step of dimension `ord` in a tensor map.",
        &[
            Lit(Replace),
            Lit(Tile),
            One(Field::MapField, &[BoxDim, GlobalDim, ElementStride]),
            MAP_SPACE,
            Lit(B1024),
            Lit(B32),
        ],
        &[addr("addr"), arg("ord", OperandKind::Immediate(0, 4)), arg("new_val", V_U32)],
    ),
    replace(
        "Replaces the stride of dimension `ord` in a tensor map.",
        &[Lit(Replace), Lit(Tile), Lit(GlobalStride), MAP_SPACE, Lit(B1024), Lit(B64)],
        &[addr("addr"), arg("ord", OperandKind::Immediate(0, 4)), arg("new_val", V_B64)],
    ),
    replace(
        "Replaces the element type of a tensor map, given as a number.",
        &[Lit(Replace), Lit(Tile), One(Field::MapField, &[Elemtype]), MAP_SPACE, Lit(B1024), Lit(B32)],
        &[
            addr("addr"),
            arg("new_val", OperandKind::Immediate(0, 15)).newer_constants(&[(13, 15, on(8, 7, BLACKWELL))]),
        ],
    ),
    replace(
        "Replaces the interleave layout of a tensor map, given as a number.",
        &[
            Lit(Replace),
            Lit(Tile),
            One(Field::MapField, &[InterleaveLayout]),
            MAP_SPACE,
            Lit(B1024),
            Lit(B32),
        ],
        &[addr("addr"), arg("new_val", OperandKind::Immediate(0, 2))],
    ),
    replace(
        "Replaces the swizzle mode of a tensor map, given as a number; 4, in units of 96 bytes, exists on some targets.",
        &[Lit(Replace), Lit(Tile), One(Field::MapField, &[SwizzleMode]), MAP_SPACE, Lit(B1024), Lit(B32)],
        &[addr("addr"), arg("new_val", OperandKind::Immediate(0, 4)).newer_constants(&[(4, 4, BY_96_BYTES)])],
    ),
    replace(
        "Replaces the swizzle atomicity of a tensor map, given as a number.",
        &[
            Lit(Replace),
            Lit(Tile),
            One(Field::MapField, &[SwizzleAtomicity]),
            MAP_SPACE,
            Lit(B1024),
            Lit(B32),
        ],
        &[addr("addr"), arg("new_val", OperandKind::Immediate(0, 3))],
    ),
    replace(
        "Replaces the fill mode of out-of-bounds elements in a tensor map, given as a number.",
        &[Lit(Replace), Lit(Tile), One(Field::MapField, &[FillMode]), MAP_SPACE, Lit(B1024), Lit(B32)],
        &[addr("addr"), arg("new_val", OperandKind::Immediate(0, 1))],
    ),
    Form::new(
        Opcode::Tensormap,
        "Copies a tensor map from shared to global memory and orders later uses after it.",
        &[
            Lit(CpFenceproxy),
            Lit(Global),
            Lit(SharedCta),
            Lit(TensormapGeneric),
            Lit(Release),
            One(Field::Scope, SCOPES),
            Lit(Sync),
            Lit(Aligned),
        ],
        &[global("dst"), shared("src"), arg("size", OperandKind::Immediate(128, 128))],
        Sem::Async(AsyncSem::TensormapCopy),
    )
    .since(8, 3, 90)
    .effects(Effects::SYNC)
    .section("9.7.13.16"),
];

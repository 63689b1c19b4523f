//! Textures and surfaces (manual 9.7.10, 9.7.11).

use super::vocabulary::*;
use crate::Since;
use crate::constraint::Constraint;
use crate::families::{Opcode, Sem, TextureSem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{
    Effects, Form, Operand, OperandKind, Rule, TypeRule, VectorLength, arg, def, def_pair, opt,
};
use crate::length::VectorLengthRule;
use crate::names::{Field, Mod, Mod::*};
use crate::types::ScalarType;

/// Whole coordinates reach texels and samples, not the faces of cubes.
const TEXELS: &[Mod] = &[D1, D2, D3, A1d, A2d, D2ms, A2dms];
/// Coordinates between 0 and 1, directions for cubes.
const POINTS: &[Mod] = &[D1, D2, D3, A1d, A2d, Cube, Acube];
/// Depths are compared in all but solid textures.
const DEPTHS: &[Mod] = &[D1, D2, A1d, A2d, Cube, Acube];
const SURFACES: &[Mod] = &[D1, D2, D3, A1d, A2d];
const CLAMPS: &[Mod] = &[Trap, Clamp, Zero];
const LOAD_COPS: &[Mod] = &[Ca, Cg, Cs, Cv];
const STORE_COPS: &[Mod] = &[Wb, Cg, Cs, Wt];
const TEXEL_TYPES: &[Mod] = &[U32, S32, F16, F32];
const TEX_LATER: &[(Mod, Since)] = &[
    (A1d, at(2, 3, 20)),
    (A2d, at(2, 3, 20)),
    (Cube, at(3, 0, 20)),
    (Acube, at(3, 0, 20)),
    (D2ms, at(3, 2, 30)),
    (A2dms, at(3, 2, 30)),
    (Base, at(3, 1, 20)),
    (F16, at(4, 2, 53)),
    (F16x2, at(4, 2, 53)),
];
const TLD4_LATER: &[(Mod, Since)] = &[(A2d, at(4, 3, 30)), (Cube, at(4, 3, 30)), (Acube, at(4, 3, 30))];
const QUERY_LATER: &[(Mod, Since)] = &[
    (ChannelDataType, at(2, 1, 10)),
    (ChannelOrder, at(2, 1, 10)),
    (ForceUnnormalizedCoords, at(2, 2, 10)),
    (ArraySize, at(4, 1, 10)),
    (NumMipmapLevels, at(4, 1, 20)),
    (NumSamples, at(4, 1, 30)),
    (MemoryLayout, at(4, 2, 10)),
];
/// A texel has no more.
const AT_MOST_128_BITS: &[Rule] = &[Rule::Excludes(V4, &[B64])];
/// Multi-sample textures have no mipmaps.
const ONE_LEVEL: &[Constraint] =
    &[Constraint::Never(D2ms, "has no levels"), Constraint::Never(A2dms, "has no levels")];
const SURFACE_LATER: &[(Mod, Since)] = &[(D3, at(3, 0, 20)), (A1d, at(3, 0, 20)), (A2d, at(3, 0, 20))];

const CTYPE: TypeRule = TypeRule::Of(Field::CType);
const TEXEL: Operand = def("d", OperandKind::Vector(TypeRule::Of(Field::DType), VectorLength::Is(4)));
const TEXEL_PAIR: Operand = def("d", OperandKind::Vector(TypeRule::Of(Field::DType), VectorLength::Is(2)));
/// Whether the texel is in memory.
const RESIDENT: Operand = def_pair("p", PRED).kept().since(7, 1, 60);
/// The texture, its sampler in the independent mode, and where.
const SAMPLE: Operand = arg(
    "at",
    OperandKind::Bracketed(&[
        arg("a", OperandKind::Reference),
        opt("b", OperandKind::Reference),
        arg("c", OperandKind::Coordinates(CTYPE)),
    ]),
);
const SURFACE: Operand = arg(
    "at",
    OperandKind::Bracketed(&[
        arg("a", OperandKind::Reference),
        arg("b", OperandKind::Coordinates(TypeRule::Is(ScalarType::S32))),
    ]),
);
const OFFSETS: Operand = opt(
    "e",
    OperandKind::Braced(TypeRule::Is(ScalarType::S32), VectorLength::By(VectorLengthRule::TextureOffsets)),
)
.since(4, 3, 30)
.without(&[Cube, Acube]);
const DEPTH: Operand = arg("f", OperandKind::Value(TypeRule::Is(ScalarType::F32)));
const LOD: Operand = arg("lod", OperandKind::Value(CTYPE));
const SLOPE: TypeRule = TypeRule::Is(ScalarType::F32);
const DX: Operand = arg("dPdx", OperandKind::Vector(SLOPE, VectorLength::By(VectorLengthRule::Gradient)));
const DY: Operand = arg("dPdy", OperandKind::Vector(SLOPE, VectorLength::By(VectorLengthRule::Gradient)));
const BASE: crate::Slot = Opt(Field::Mipmap, &[Base]);
/// The value that is combined with one of a surface: the low part of a wider register.
const COMBINED: Operand = arg("c", OperandKind::Wide(TypeRule::Of(Field::Type)));
const STORED: OperandKind = OperandKind::WideVector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec));

/// A texture fetch: one row for each pair of geometries and coordinates.
const fn tex(
    doc: &'static str,
    slots: &'static [crate::Slot],
    operands: &'static [Operand],
    ptx: (u8, u8),
    sm: u16,
) -> Form {
    Form::new(Opcode::Tex, doc, slots, operands, Sem::Texture(TextureSem::Tex))
        .since(ptx.0, ptx.1, sm)
        .later(TEX_LATER)
        .effects(Effects::READS)
        .section("9.7.10.3")
}

pub(super) static FORMS: &[Form] = &[
    tex(
        "Fetches a texel by integer coordinates.",
        &[
            BASE,
            One(Field::Geometry, TEXELS),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[S32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, OFFSETS],
        (1, 0),
        10,
    ),
    tex(
        "Fetches a filtered texel.",
        &[
            BASE,
            One(Field::Geometry, POINTS),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, OFFSETS],
        (1, 0),
        10,
    ),
    tex(
        "Fetches a filtered texel whose depth is compared.",
        &[
            BASE,
            One(Field::Geometry, DEPTHS),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, OFFSETS, DEPTH],
        (4, 3),
        30,
    ),
    tex(
        "Fetches a texel by integer coordinates, as two pairs.",
        &[
            BASE,
            One(Field::Geometry, TEXELS),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[S32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, OFFSETS],
        (4, 2),
        53,
    ),
    tex(
        "Fetches a filtered texel, as two pairs.",
        &[
            BASE,
            One(Field::Geometry, POINTS),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, OFFSETS],
        (4, 2),
        53,
    ),
    tex(
        "Fetches a filtered texel whose depth is compared, as two pairs.",
        &[
            BASE,
            One(Field::Geometry, DEPTHS),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, OFFSETS, DEPTH],
        (4, 3),
        53,
    ),
    tex(
        "Fetches a texel from a mipmap level, by integer coordinates.",
        &[
            Lit(Level),
            One(Field::Geometry, TEXELS),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[S32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, LOD, OFFSETS],
        (3, 1),
        20,
    )
    .constraints(ONE_LEVEL),
    tex(
        "Fetches a filtered texel from a level of a mipmap.",
        &[
            Lit(Level),
            One(Field::Geometry, POINTS),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, LOD, OFFSETS],
        (3, 1),
        20,
    ),
    tex(
        "Fetches a filtered texel from a level of a mipmap and compares its depth.",
        &[
            Lit(Level),
            One(Field::Geometry, DEPTHS),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, LOD, OFFSETS, DEPTH],
        (4, 3),
        30,
    ),
    tex(
        "Fetches a texel from a mipmap level by integer coordinates, as two pairs.",
        &[
            Lit(Level),
            One(Field::Geometry, TEXELS),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[S32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, LOD, OFFSETS],
        (4, 2),
        53,
    )
    .constraints(ONE_LEVEL),
    tex(
        "Fetches a filtered texel from a level of a mipmap, as two pairs.",
        &[
            Lit(Level),
            One(Field::Geometry, POINTS),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, LOD, OFFSETS],
        (4, 2),
        53,
    ),
    tex(
        "Fetches a filtered texel from a level of a mipmap and compares its depth, as two pairs.",
        &[
            Lit(Level),
            One(Field::Geometry, DEPTHS),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, LOD, OFFSETS, DEPTH],
        (4, 3),
        53,
    ),
    tex(
        "Fetches a texel by integer coordinates from the mipmap levels that the gradients select, as two pairs.",
        &[
            Lit(Grad),
            One(Field::Geometry, &[D1, D2, D3, A1d, A2d]),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[S32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, DX, DY, OFFSETS],
        (4, 2),
        53,
    ),
    tex(
        "Fetches a texel by integer coordinates from the mipmap levels that the gradients select.",
        &[
            Lit(Grad),
            One(Field::Geometry, &[D1, D2, D3, A1d, A2d]),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[S32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, DX, DY, OFFSETS],
        (3, 1),
        20,
    ),
    tex(
        "Fetches a filtered texel from the mipmap levels that the gradients select.",
        &[
            Lit(Grad),
            One(Field::Geometry, POINTS),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, DX, DY, OFFSETS],
        (3, 1),
        20,
    ),
    tex(
        "Fetches a filtered texel from the levels that the gradients select and compares its depth.",
        &[
            Lit(Grad),
            One(Field::Geometry, DEPTHS),
            Lit(V4),
            One(Field::DType, TEXEL_TYPES),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, DX, DY, OFFSETS, DEPTH],
        (4, 3),
        30,
    ),
    tex(
        "Fetches a filtered texel from the levels that the gradients select, as two pairs.",
        &[
            Lit(Grad),
            One(Field::Geometry, POINTS),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, DX, DY, OFFSETS],
        (4, 2),
        53,
    ),
    tex(
        "Fetches a filtered texel from the levels that the gradients select and compares its depth, as two pairs.",
        &[
            Lit(Grad),
            One(Field::Geometry, DEPTHS),
            Lit(V2),
            One(Field::DType, &[F16x2]),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL_PAIR, RESIDENT, SAMPLE, DX, DY, OFFSETS, DEPTH],
        (4, 3),
        53,
    ),
    Form::new(
        Opcode::Tld4,
        "Fetches one component of the four texels that a filtered fetch would interpolate.",
        &[
            One(Field::Component, &[R, G, B, A]),
            One(Field::Geometry, &[D2, A2d, Cube, Acube]),
            Lit(V4),
            One(Field::DType, &[U32, S32, F32]),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, OFFSETS],
        Sem::Texture(TextureSem::Tld4),
    )
    .since(2, 2, 20)
    .later(TLD4_LATER)
    .effects(Effects::READS)
    .section("9.7.10.4"),
    Form::new(
        Opcode::Tld4,
        "The same; the depths are compared.",
        &[
            One(Field::Component, &[R, G, B, A]),
            One(Field::Geometry, &[D2, A2d, Cube, Acube]),
            Lit(V4),
            One(Field::DType, &[U32, S32, F32]),
            One(Field::CType, &[F32]),
        ],
        &[TEXEL, RESIDENT, SAMPLE, OFFSETS, DEPTH],
        Sem::Texture(TextureSem::Tld4),
    )
    .since(4, 3, 30)
    .effects(Effects::READS)
    .section("9.7.10.4"),
    Form::new(
        Opcode::Txq,
        "Queries a property of a texture or sampler.",
        &[
            One(
                Field::Query,
                &[
                    Width,
                    Height,
                    Depth,
                    ChannelDataType,
                    ChannelOrder,
                    NormalizedCoords,
                    ArraySize,
                    NumMipmapLevels,
                    NumSamples,
                    MemoryLayout,
                    ForceUnnormalizedCoords,
                    FilterMode,
                    AddrMode0,
                    AddrMode1,
                    AddrMode2,
                ],
            ),
            Lit(B32),
        ],
        &[def("d", RLIT), arg("a", OperandKind::Address)],
        Sem::Texture(TextureSem::Txq),
    )
    .since(1, 5, 10)
    .later(QUERY_LATER)
    .effects(Effects::READS)
    .section("9.7.10.5"),
    Form::new(
        Opcode::Txq,
        "Queries the size of a mipmap level.",
        &[Lit(Level), One(Field::Query, &[Width, Height, Depth]), Lit(B32)],
        &[def("d", RLIT), arg("a", OperandKind::Address), arg("lod", V_U32)],
        Sem::Texture(TextureSem::Txq),
    )
    .since(4, 3, 30)
    .effects(Effects::READS)
    .section("9.7.10.5"),
    Form::new(
        Opcode::Istypep,
        "Tests whether an address is that of an opaque variable of this type.",
        &[One(Field::Type, &[Texref, Samplerref, Surfref])],
        &[def("p", PRED), arg("a", OperandKind::Value(TypeRule::Is(ScalarType::U64)))],
        Sem::Texture(TextureSem::Istypep),
    )
    .since(4, 0, 30)
    .section("9.7.10.6"),
    Form::new(
        Opcode::Suld,
        "Loads from a surface without conversion.",
        &[
            Lit(B),
            One(Field::Geometry, SURFACES),
            Opt(Field::Cop, LOAD_COPS),
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, &[B8, B16, B32, B64]),
            One(Field::Clamp, CLAMPS),
        ],
        &[def("d", STORED), SURFACE],
        Sem::Texture(TextureSem::SurfaceLoad),
    )
    .since(1, 5, 10)
    .later(SURFACE_LATER)
    .rules(AT_MOST_128_BITS)
    .effects(Effects::READS)
    .section("9.7.11.1"),
    Form::new(
        Opcode::Sust,
        "Stores to a surface without conversion.",
        &[
            Lit(B),
            One(Field::Geometry, SURFACES),
            Opt(Field::Cop, STORE_COPS),
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, &[B8, B16, B32, B64]),
            One(Field::Clamp, CLAMPS),
        ],
        &[SURFACE, arg("c", STORED)],
        Sem::Texture(TextureSem::SurfaceStore),
    )
    .since(1, 5, 10)
    .later(SURFACE_LATER)
    .rules(AT_MOST_128_BITS)
    .effects(Effects::WRITES)
    .section("9.7.11.2"),
    Form::new(
        Opcode::Sust,
        "Stores to a surface with conversion to its format.",
        &[
            Lit(P),
            One(Field::Geometry, SURFACES),
            Opt(Field::Cop, STORE_COPS),
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, &[B32]),
            One(Field::Clamp, CLAMPS),
        ],
        &[SURFACE, arg("c", STORED)],
        Sem::Texture(TextureSem::SurfaceStore),
    )
    .since(2, 0, 20)
    .later(&[(D3, at(3, 0, 20)), (A1d, at(4, 1, 30)), (A2d, at(4, 1, 30))])
    .effects(Effects::WRITES)
    .section("9.7.11.2"),
    Form::new(
        Opcode::Sured,
        "Combines a value with one of a surface, addressed by bytes.",
        &[
            Lit(B),
            One(Field::Op, &[Add, Min, Max, And, Or]),
            One(Field::Geometry, &[D1, D2, D3]),
            One(Field::Type, &[U32, U64, S32, B32]),
            One(Field::Clamp, CLAMPS),
        ],
        &[SURFACE, COMBINED],
        Sem::Texture(TextureSem::SurfaceReduce),
    )
    .since(2, 0, 20)
    .later(SURFACE_LATER)
    .rules(&[
        Rule::Excludes(Add, &[B32]),
        Rule::Excludes(Min, &[B32, U64]),
        Rule::Excludes(Max, &[B32, U64]),
        Rule::Needs(And, &[B32]),
        Rule::Needs(Or, &[B32]),
    ])
    .effects(Effects::MEMORY)
    .section("9.7.11.3"),
    Form::new(
        Opcode::Sured,
        "Keeps the smaller or larger of two 64-bit values in a surface, addressed by bytes.",
        &[
            Lit(B),
            One(Field::Op, &[Min, Max]),
            One(Field::Geometry, &[D1, D2, D3]),
            One(Field::Type, &[U64, S64]),
            One(Field::Clamp, CLAMPS),
        ],
        &[SURFACE, COMBINED],
        Sem::Texture(TextureSem::SurfaceReduce),
    )
    .since(8, 1, 50)
    .effects(Effects::MEMORY)
    .section("9.7.11.3"),
    Form::new(
        Opcode::Sured,
        "Combines a value with one of a surface, addressed by samples.",
        &[
            Lit(P),
            One(Field::Op, &[Add, Min, Max, And, Or]),
            One(Field::Geometry, &[D1, D2, D3]),
            One(Field::Type, &[B32, B64]),
            One(Field::Clamp, CLAMPS),
        ],
        &[SURFACE, COMBINED],
        Sem::Texture(TextureSem::SurfaceReduce),
    )
    .since(2, 0, 20)
    .later(&[(D3, at(3, 0, 20)), (B64, at(8, 1, 50))])
    .rules(&[Rule::Needs(B64, &[Min, Max])])
    .effects(Effects::MEMORY)
    .section("9.7.11.3"),
    Form::new(
        Opcode::Suq,
        "Queries a property of a surface.",
        &[
            One(
                Field::Query,
                &[Width, Height, Depth, ChannelDataType, ChannelOrder, ArraySize, MemoryLayout],
            ),
            Lit(B32),
        ],
        &[def("d", RLIT), arg("a", OperandKind::Address)],
        Sem::Texture(TextureSem::SurfaceQuery),
    )
    .since(1, 5, 10)
    .later(QUERY_LATER)
    .effects(Effects::READS)
    .section("9.7.11.4"),
];

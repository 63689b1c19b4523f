//! Atomic operations and reductions in memory (manual 9.7.13.5, 9.7.13.7).

use super::vocabulary::*;
use crate::Since;
use crate::constraint::Constraint;
use crate::families::{MemorySem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Combination, Effects, Form, Operand, OperandKind, TypeRule, VectorLength, arg, def, opt};
use crate::names::{Field, Mod, Mod::*};

const ATOM_LATER: &[(Mod, Since)] = &[
    CLUSTER_LATER,
    (Relaxed, at(6, 0, 70)),
    (Acquire, at(6, 0, 70)),
    (Release, at(6, 0, 70)),
    (AcqRel, at(6, 0, 70)),
    (Cta, at(5, 0, 60)),
    (Gpu, at(5, 0, 60)),
    (Sys, at(5, 0, 60)),
    (Shared, at(1, 2, 12)),
    (SharedCta, at(7, 8, 20)),
    (SharedCluster, at(7, 8, 90)),
    (F32, at(2, 0, 20)),
    (F64, at(5, 0, 60)),
    (S64, at(3, 1, 32)),
    (F16, at(6, 3, 70)),
    (Bf16, at(7, 8, 90)),
    (Bf16x2, at(7, 8, 90)),
    (B16, at(6, 3, 70)),
    (B128, at(8, 3, 90)),
    (L2CacheHint, at(7, 4, 80)),
];

/// Operations on 64 bits that came after those on 32.
const WIDE_LATER: &[(Combination, Since)] =
    &[(&[(Field::Op, &[And, Or, Xor, Min, Max]), (Field::Type, &[B64, U64, S64])], at(3, 1, 32))];
/// Accesses of 128 bits in the scope of the system.
const SYSTEM_LATER: &[(Combination, Since)] =
    &[(&[(Field::Scope, &[Sys]), (Field::Type, &[B128])], at(8, 4, 90))];
/// Only global memory is cached.
const HINTS: &[Constraint] =
    &[Constraint::Misplaced(&[L2CacheHint], &[Shared, SharedCta, SharedCluster], GENERIC_OR_GLOBAL)];

/// The value before the operation, which may not be needed.
const OLD: Operand = def("d", RT).discardable();
const VECTOR: OperandKind = OperandKind::Vector(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec));

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Atom,
        "Combines bits in memory. Gives the old value.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[And, Or, Xor]),
            CACHE_HINT,
            One(Field::Type, BITS32_64),
        ],
        &[OLD, arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Atom),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .later_combined(WIDE_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Exchanges a value in memory. Gives the old value.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Exch]),
            CACHE_HINT,
            One(Field::Type, &[B32, B64, B128]),
        ],
        &[OLD, arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Atom),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .later_combined(SYSTEM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Adds to a value in memory. Gives the old value.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Add]),
            CACHE_HINT,
            One(Field::Type, &[U32, S32, U64, F32, F64]),
        ],
        &[OLD, arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Atom),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Counts up to `b` and over to zero, or down and over to `b`. Gives the old value.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Inc, Dec]),
            CACHE_HINT,
            One(Field::Type, &[U32]),
        ],
        &[OLD, arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Atom),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Keeps the smaller or larger value in memory. Gives the old value.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Min, Max]),
            CACHE_HINT,
            One(Field::Type, &[U32, S32, U64, S64]),
        ],
        &[OLD, arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Atom),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .later_combined(WIDE_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Stores `c` when memory holds `b`. Gives the old value.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Cas]),
            CACHE_HINT,
            One(Field::Type, &[B16, B32, B64, B128]),
        ],
        &[
            OLD,
            arg("a", OperandKind::Address),
            arg("b", T),
            arg("c", T),
            opt("cache-policy", OperandKind::CachePolicy),
        ],
        Sem::Memory(MemorySem::Atom),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .later_combined(SYSTEM_LATER)
    .constraints(&[Constraint::Never(L2CacheHint, "is not allowed on a compare-and-swap")])
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Adds to a single-precision value in memory, keeping subnormals.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Add]),
            One(Field::Noftz, &[Noftz]),
            CACHE_HINT,
            One(Field::Type, &[F32]),
        ],
        &[OLD, arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Atom),
    )
    .since(9, 4, 90)
    .later(ATOM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Adds to half-precision or bfloat values in memory, keeping subnormals.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Add]),
            One(Field::Noftz, &[Noftz]),
            CACHE_HINT,
            One(Field::Type, &[F16, F16x2, Bf16, Bf16x2]),
        ],
        &[OLD, arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Atom),
    )
    .since(6, 2, 60)
    .later(ATOM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Red,
        "Combines bits in memory.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[And, Or, Xor]),
            CACHE_HINT,
            One(Field::Type, BITS32_64),
        ],
        &[arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Red),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .later_combined(WIDE_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Red,
        "Adds to a value in memory.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Add]),
            CACHE_HINT,
            One(Field::Type, &[U32, S32, U64, F32, F64]),
        ],
        &[arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Red),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Red,
        "Counts up to `b` and over to zero, or down and over to `b`.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Inc, Dec]),
            CACHE_HINT,
            One(Field::Type, &[U32]),
        ],
        &[arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Red),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Red,
        "Keeps the smaller or larger value in memory.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Min, Max]),
            CACHE_HINT,
            One(Field::Type, &[U32, S32, U64, S64]),
        ],
        &[arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Red),
    )
    .since(1, 1, 11)
    .later(ATOM_LATER)
    .later_combined(WIDE_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Red,
        "Adds to a single-precision value in memory, keeping subnormals.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Add]),
            One(Field::Noftz, &[Noftz]),
            CACHE_HINT,
            One(Field::Type, &[F32]),
        ],
        &[arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Red),
    )
    .since(9, 4, 90)
    .later(ATOM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Red,
        "Adds to half-precision or bfloat values in memory, keeping subnormals.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global, Shared, SharedCta, SharedCluster]),
            One(Field::Op, &[Add]),
            One(Field::Noftz, &[Noftz]),
            CACHE_HINT,
            One(Field::Type, &[F16, F16x2, Bf16, Bf16x2]),
        ],
        &[arg("a", OperandKind::Address), arg("b", T), opt("cache-policy", OperandKind::CachePolicy)],
        Sem::Memory(MemorySem::Red),
    )
    .since(6, 2, 60)
    .later(ATOM_LATER)
    .constraints(HINTS)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Atom,
        "Adds vectors of single-precision values in memory.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global]),
            Lit(Add),
            Opt(Field::Noftz, &[Noftz]),
            CACHE_HINT,
            One(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F32]),
        ],
        &[def("d", VECTOR).discardable(), addr("a"), arg("b", VECTOR), POLICY],
        Sem::Memory(MemorySem::AtomVector),
    )
    .since(8, 1, 90)
    .later(&[(Noftz, at(9, 4, 90))])
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Combines vectors of half-precision or bfloat values in memory, keeping subnormals.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global]),
            One(Field::Op, &[Add, Min, Max]),
            Lit(Noftz),
            CACHE_HINT,
            One(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, &[F16, Bf16]),
        ],
        &[def("d", VECTOR).discardable(), addr("a"), arg("b", VECTOR), POLICY],
        Sem::Memory(MemorySem::AtomVector),
    )
    .since(8, 1, 90)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Atom,
        "Combines vectors of pairs in memory, keeping subnormals.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Acquire, Release, AcqRel]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global]),
            One(Field::Op, &[Add, Min, Max]),
            Lit(Noftz),
            CACHE_HINT,
            One(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F16x2, Bf16x2]),
        ],
        &[def("d", VECTOR).discardable(), addr("a"), arg("b", VECTOR), POLICY],
        Sem::Memory(MemorySem::AtomVector),
    )
    .since(8, 1, 90)
    .effects(Effects::MEMORY)
    .section("9.7.13.5"),
    Form::new(
        Opcode::Red,
        "Adds vectors of single-precision values in memory.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global]),
            Lit(Add),
            Opt(Field::Noftz, &[Noftz]),
            CACHE_HINT,
            One(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F32]),
        ],
        &[addr("a"), arg("b", VECTOR), POLICY],
        Sem::Memory(MemorySem::RedVector),
    )
    .since(8, 1, 90)
    .later(&[(Noftz, at(9, 4, 90))])
    .effects(Effects::MEMORY)
    .section("9.7.13.6"),
    Form::new(
        Opcode::Red,
        "Combines vectors of half-precision or bfloat values in memory, keeping subnormals.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global]),
            One(Field::Op, &[Add, Min, Max]),
            Lit(Noftz),
            CACHE_HINT,
            One(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, &[F16, Bf16]),
        ],
        &[addr("a"), arg("b", VECTOR), POLICY],
        Sem::Memory(MemorySem::RedVector),
    )
    .since(8, 1, 90)
    .effects(Effects::MEMORY)
    .section("9.7.13.6"),
    Form::new(
        Opcode::Red,
        "Combines vectors of pairs in memory, keeping subnormals.",
        &[
            Opt(Field::MemOrder, &[Relaxed, Release]),
            Opt(Field::Scope, SCOPES),
            Opt(Field::Space, &[Global]),
            One(Field::Op, &[Add, Min, Max]),
            Lit(Noftz),
            CACHE_HINT,
            One(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F16x2, Bf16x2]),
        ],
        &[addr("a"), arg("b", VECTOR), POLICY],
        Sem::Memory(MemorySem::RedVector),
    )
    .since(8, 1, 90)
    .effects(Effects::MEMORY)
    .section("9.7.13.6"),
];

//! Cache policies and hints (manual 9.7.9.15, 9.7.9.17, 9.7.9.18).

use super::vocabulary::*;
use crate::families::{MemorySem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, OperandKind, TypeRule, arg, def, opt};
use crate::names::{Field, Mod, Mod::*};
use crate::types::ScalarType;

const PRIMARY: &[Mod] = &[L2EvictLast, L2EvictNormal, L2EvictFirst, L2EvictUnchanged];
const SECONDARY: &[Mod] = &[L2EvictFirst, L2EvictUnchanged];
const R_POLICY: OperandKind = OperandKind::Register(TypeRule::Is(ScalarType::U64));

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Createpolicy,
        "A policy for the first bytes of a range of addresses and another for the rest.",
        &[
            Lit(Range),
            Opt(Field::Space, &[Global]),
            One(Field::Primary, PRIMARY),
            Opt(Field::Secondary, SECONDARY),
            Lit(B64),
        ],
        &[def("cache-policy", R_POLICY), addr("a"), arg("primary-size", V_U32), arg("total-size", V_U32)],
        Sem::Memory(MemorySem::CreatePolicy),
    )
    .since(7, 4, 80)
    .section("9.7.9.18"),
    Form::new(
        Opcode::Createpolicy,
        "A policy for a fraction of the accesses and another for the rest.",
        &[Lit(Fractional), One(Field::Primary, PRIMARY), Opt(Field::Secondary, SECONDARY), Lit(B64)],
        &[def("cache-policy", R_POLICY), opt("fraction", OperandKind::Value(TypeRule::Is(ScalarType::F32)))],
        Sem::Memory(MemorySem::CreatePolicy),
    )
    .since(7, 4, 80)
    .section("9.7.9.18"),
    Form::new(
        Opcode::Createpolicy,
        "A policy from an access property of the host.",
        &[Lit(Cvt), Lit(L2), Lit(B64)],
        &[
            def("cache-policy", R_POLICY),
            arg("access-property", OperandKind::Value(TypeRule::Is(ScalarType::U64))),
        ],
        Sem::Memory(MemorySem::CreatePolicy),
    )
    .since(7, 4, 80)
    .section("9.7.9.18"),
    Form::new(
        Opcode::Discard,
        "Drops 128 bytes from the second-level cache without writing them back; they become undefined.",
        &[Opt(Field::Space, &[Global]), Lit(L2)],
        &[addr("a"), arg("size", OperandKind::Immediate(128, 128))],
        Sem::Memory(MemorySem::Discard),
    )
    .since(7, 4, 80)
    .effects(Effects::WRITES)
    .section("9.7.9.17"),
    Form::new(
        Opcode::Prefetch,
        "Brings a tensor map into the cache.",
        &[Opt(Field::Space, &[Const, Param]), Lit(Tensormap)],
        &[addr("a")],
        Sem::Memory(MemorySem::Prefetch),
    )
    .since(8, 0, 90)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.15"),
    Form::new(
        Opcode::Prefetch,
        "Brings 32 bytes of an address that is known to be valid into the first-level cache.",
        &[Opt(Field::Space, &[Global]), Lit(L1_32B), Lit(ValidAddr)],
        &[addr("a")],
        Sem::Memory(MemorySem::Prefetch),
    )
    .since(9, 4, 90)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.9.15"),
];

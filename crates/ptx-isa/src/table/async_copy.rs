//! Asynchronous copies of threads (manual 9.7.9.25).

use super::vocabulary::*;
use crate::Since;
use crate::constants::Constants;
use crate::families::{AsyncSem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, arg, opt};
use crate::names::{Field, Mod, Mod::*};

const CP_LATER: &[(Mod, Since)] =
    &[(L2CacheHint, at(7, 4, 80)), (L2_64B, at(7, 4, 80)), (L2_128B, at(7, 4, 80)), (L2_256B, at(7, 4, 80))];

/// How many bytes are copied.
const COPIED: Operand = arg("cp-size", ANY_INTEGER).constants(Constants::PowerOfTwo(4, 16));

pub(super) static FORMS: &[Form] = &[
    Form::new(Opcode::Cp, "Copies 4, 8 or 16 bytes from global to shared memory without waiting; bytes past `src-size` become zero.",
        &[Lit(Async), One(Field::Cop, &[Ca]), One(Field::Space, &[Shared, SharedCta]), Lit(Global), CACHE_HINT, Opt(Field::PrefetchSize, &[L2_64B, L2_128B, L2_256B])],
        &[arg("dst", OperandKind::Address), global("src"), COPIED, opt("src-size", V_U32), opt("cache-policy", OperandKind::CachePolicy)], Sem::Async(AsyncSem::CpAsync)).since(7, 0, 80).later(CP_LATER).effects(Effects::MEMORY).section("9.7.9.25.3.1"),
    Form::new(Opcode::Cp, "The same; zeros are written when `ignore-src` is true.",
        &[Lit(Async), One(Field::Cop, &[Ca]), One(Field::Space, &[Shared, SharedCta]), Lit(Global), CACHE_HINT, Opt(Field::PrefetchSize, &[L2_64B, L2_128B, L2_256B])],
        &[arg("dst", OperandKind::Address), global("src"), COPIED, arg("ignore-src", PRED), opt("cache-policy", OperandKind::CachePolicy)], Sem::Async(AsyncSem::CpAsync)).since(7, 5, 80).later(CP_LATER).effects(Effects::MEMORY).section("9.7.9.25.3.1"),
    Form::new(Opcode::Cp, "Copies 16 bytes from global to shared memory without waiting; bytes past `src-size` become zero.",
        &[Lit(Async), One(Field::Cop, &[Cg]), One(Field::Space, &[Shared, SharedCta]), Lit(Global), CACHE_HINT, Opt(Field::PrefetchSize, &[L2_64B, L2_128B, L2_256B])],
        &[arg("dst", OperandKind::Address), global("src"), arg("cp-size", OperandKind::Immediate(16, 16)), opt("src-size", V_U32), opt("cache-policy", OperandKind::CachePolicy)], Sem::Async(AsyncSem::CpAsync)).since(7, 0, 80).later(CP_LATER).effects(Effects::MEMORY).section("9.7.9.25.3.1"),
    Form::new(Opcode::Cp, "The same; zeros are written when `ignore-src` is true.",
        &[Lit(Async), One(Field::Cop, &[Cg]), One(Field::Space, &[Shared, SharedCta]), Lit(Global), CACHE_HINT, Opt(Field::PrefetchSize, &[L2_64B, L2_128B, L2_256B])],
        &[arg("dst", OperandKind::Address), global("src"), arg("cp-size", OperandKind::Immediate(16, 16)), arg("ignore-src", PRED), opt("cache-policy", OperandKind::CachePolicy)], Sem::Async(AsyncSem::CpAsync)).since(7, 5, 80).later(CP_LATER).effects(Effects::MEMORY).section("9.7.9.25.3.1"),
    Form::new(Opcode::Cp, "Commits the asynchronous copies so far as a group.",
        &[Lit(Async), Lit(CommitGroup)],
        &[], Sem::Async(AsyncSem::CpAsyncCommit)).since(7, 0, 80).effects(Effects::MEMORY).section("9.7.9.25.3.2"),
    Form::new(Opcode::Cp, "Waits until at most `n` of the newest groups are unfinished.",
        &[Lit(Async), Lit(WaitGroup)],
        &[arg("n", ANY_INTEGER)], Sem::Async(AsyncSem::CpAsyncWait)).since(7, 0, 80).effects(Effects::MEMORY).section("9.7.9.25.3.3"),
    Form::new(Opcode::Cp, "Waits for all asynchronous copies.",
        &[Lit(Async), Lit(WaitAll)],
        &[], Sem::Async(AsyncSem::CpAsyncWait)).since(7, 0, 80).effects(Effects::MEMORY).section("9.7.9.25.3.3"),
];

//! Barriers and fences (manual 9.7.13).

use super::vocabulary::*;
use crate::Since;
use crate::constants::Constants;
use crate::families::{BlockSem, Opcode, Sem, WarpSem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, arg, def, opt};
use crate::names::{Field, Mod, Mod::*};

const BAR_LATER: &[(Mod, Since)] = &[(Cta, at(7, 8, 20)), (Arrive, at(2, 0, 20)), (Red, at(2, 0, 20))];
/// The number of a barrier, of which a block has 16.
const BARRIER: Operand = arg("a", V_U32).constants(Constants::LowWord(&Constants::Range(0, 15)));
/// How many threads a barrier waits for: whole warps.
const THREADS: Operand = opt("b", V_U32).constants(WARPS);
const WARPS: Constants = Constants::LowWord(&Constants::Multiple(32, 0, 0xFFFF_FFE0));
/// The same where it must be given, and cannot be zero.
const ARRIVING: Operand =
    arg("b", V_U32).constants(Constants::LowWord(&Constants::Multiple(32, 32, 0xFFFF_FFE0)));
const FENCE_LATER: &[(Mod, Since)] = &[CLUSTER_LATER, (Acquire, at(8, 6, 90)), (Release, at(8, 6, 90))];

pub(super) static FORMS: &[Form] = &[
    Form::new(Opcode::Bar, "Waits until all threads, or `b` of them, have arrived at barrier `a`. All threads of the warp must execute it together.",
        &[Opt(Field::Cta, &[Cta]), One(Field::Action, &[Sync])],
        &[BARRIER, THREADS], Sem::Block(BlockSem::Barrier)).later(BAR_LATER).effects(Effects::SYNC).section("9.7.13.1"),
    Form::new(Opcode::Bar, "Arrives at barrier `a` without waiting. All threads of the warp must execute it together.",
        &[Opt(Field::Cta, &[Cta]), One(Field::Action, &[Arrive])],
        &[BARRIER, ARRIVING], Sem::Block(BlockSem::Barrier)).later(BAR_LATER).effects(Effects::SYNC).section("9.7.13.1"),
    Form::new(Opcode::Bar, "Waits at a barrier and counts the threads for which `c` is true. All threads of the warp must execute it together.",
        &[Opt(Field::Cta, &[Cta]), One(Field::Action, &[Red]), One(Field::Op, &[Popc]), Lit(U32)],
        &[def("d", R_U32), BARRIER, THREADS, arg("c", PRED)], Sem::Block(BlockSem::Barrier)).later(BAR_LATER).effects(Effects::SYNC).section("9.7.13.1"),
    Form::new(Opcode::Bar, "Waits at a barrier and tests whether `c` is true for all or any of the threads. All threads of the \
     warp must execute it together.",
        &[Opt(Field::Cta, &[Cta]), One(Field::Action, &[Red]), One(Field::Op, &[And, Or]), Lit(Pred)],
        &[def("p", PRED), BARRIER, THREADS, arg("c", PRED)], Sem::Block(BlockSem::Barrier)).later(BAR_LATER).effects(Effects::SYNC).section("9.7.13.1"),
    Form::new(Opcode::Barrier, "Waits until all threads, or `b` of them, have arrived at barrier `a`.",
        &[Opt(Field::Cta, &[Cta]), One(Field::Action, &[Sync]), Opt(Field::Aligned, &[Aligned])],
        &[BARRIER, THREADS], Sem::Block(BlockSem::Barrier)).since(6, 0, 30).later(BAR_LATER).effects(Effects::SYNC).section("9.7.13.1"),
    Form::new(Opcode::Barrier, "Arrives at barrier `a` without waiting.",
        &[Opt(Field::Cta, &[Cta]), One(Field::Action, &[Arrive]), Opt(Field::Aligned, &[Aligned])],
        &[BARRIER, ARRIVING], Sem::Block(BlockSem::Barrier)).since(6, 0, 30).later(BAR_LATER).effects(Effects::SYNC).section("9.7.13.1"),
    Form::new(Opcode::Barrier, "Waits at a barrier and counts the threads for which `c` is true.",
        &[Opt(Field::Cta, &[Cta]), One(Field::Action, &[Red]), One(Field::Op, &[Popc]), Opt(Field::Aligned, &[Aligned]), Lit(U32)],
        &[def("d", R_U32), BARRIER, THREADS, arg("c", PRED)], Sem::Block(BlockSem::Barrier)).since(6, 0, 30).later(BAR_LATER).effects(Effects::SYNC).section("9.7.13.1"),
    Form::new(Opcode::Barrier, "Waits at a barrier and tests whether `c` is true for all or any of the threads.",
        &[Opt(Field::Cta, &[Cta]), One(Field::Action, &[Red]), One(Field::Op, &[And, Or]), Opt(Field::Aligned, &[Aligned]), Lit(Pred)],
        &[def("p", PRED), BARRIER, THREADS, arg("c", PRED)], Sem::Block(BlockSem::Barrier)).since(6, 0, 30).later(BAR_LATER).effects(Effects::SYNC).section("9.7.13.1"),
    Form::new(Opcode::Bar, "Waits until all threads of the warp in `membermask` have arrived.",
        &[Lit(Warp), Lit(Sync)],
        &[arg("membermask", V_U32)], Sem::Warp(WarpSem::BarrierWarp)).since(6, 0, 30).effects(Effects::SYNC).section("9.7.13.2"),
    Form::new(Opcode::Membar, "Orders memory accesses as seen by the block, the device or the system; the same as `fence.sc` on sm_70 and later.",
        &[One(Field::Level, &[Cta, Gl, Sys])],
        &[], Sem::Block(BlockSem::Fence)).later(&[(Sys, at(2, 0, 20))]).effects(Effects::MEMORY).section("9.7.13.4"),
    Form::new(Opcode::Fence, "Orders memory accesses by the memory consistency model.",
        &[Opt(Field::MemOrder, &[Sc, AcqRel, Acquire, Release]), One(Field::Scope, SCOPES)],
        &[], Sem::Block(BlockSem::Fence)).since(6, 0, 70).later(FENCE_LATER).effects(Effects::MEMORY).section("9.7.13.4"),
    Form::new(Opcode::Activemask, "The mask of the lanes that execute it together.",
        &[Lit(B32)],
        &[def("d", R_B32)], Sem::Warp(WarpSem::Activemask)).since(6, 2, 30).effects(Effects::CONVERGENT).section("9.7.13.9"),
];

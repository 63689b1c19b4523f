//! Clusters, launches and registers of a block (manual 9.7.9.23, 9.7.9.24, 9.7.13.3, 9.7.13.13 to 9.7.13.18, 9.7.17, 9.7.19.5).

use super::vocabulary::*;
use crate::constants::Constants;
use crate::families::{BlockSem, MemorySem, Opcode, Sem, WarpSem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, OperandKind, TypeRule, VectorLength, arg, def, def_pair, opt};
use crate::names::{Field, Mod::*};
use crate::types::ScalarType;

const RESPONSE: OperandKind = OperandKind::Elements(TypeRule::Is(ScalarType::B128), VectorLength::Is(1));
const SHARED_ADDRESS: OperandKind = OperandKind::Move(TypeRule::Of(Field::Type));

pub(super) static FORMS: &[Form] = &[
    Form::new(
        Opcode::Mapa,
        "The address in block `b` that corresponds to a shared address of this block.",
        &[Opt(Field::Space, &[SharedCluster]), One(Field::Type, &[U32, U64])],
        &[def("d", RT), arg("a", SHARED_ADDRESS), arg("b", V_U32)],
        Sem::Block(BlockSem::Mapa),
    )
    .since(7, 8, 90)
    .section("9.7.9.23"),
    Form::new(
        Opcode::Getctarank,
        "The rank in the cluster of the block whose shared memory contains an address.",
        &[Opt(Field::Space, &[SharedCluster]), One(Field::Type, &[U32, U64])],
        &[def("d", R_U32), arg("a", SHARED_ADDRESS)],
        Sem::Block(BlockSem::Getctarank),
    )
    .since(7, 8, 90)
    .section("9.7.9.24"),
    Form::new(
        Opcode::Barrier,
        "Arrives at the barrier of the cluster.",
        &[
            Lit(Cluster),
            Lit(Arrive),
            Opt(Field::MemOrder, &[Release, Relaxed]),
            Opt(Field::Aligned, &[Aligned]),
        ],
        &[],
        Sem::Block(BlockSem::ClusterBarrier),
    )
    .since(7, 8, 90)
    .later(&[(Release, at(8, 0, 90)), (Relaxed, at(8, 0, 90))])
    .defaults(&[&[Release]])
    .effects(Effects::SYNC)
    .section("9.7.13.3"),
    Form::new(
        Opcode::Barrier,
        "Waits until all threads of the cluster have arrived.",
        &[Lit(Cluster), Lit(Wait), Opt(Field::MemOrder, &[Acquire]), Opt(Field::Aligned, &[Aligned])],
        &[],
        Sem::Block(BlockSem::ClusterBarrier),
    )
    .since(7, 8, 90)
    .later(&[(Acquire, at(8, 0, 90))])
    .defaults(&[&[Acquire]])
    .effects(Effects::SYNC)
    .section("9.7.13.3"),
    Form::new(
        Opcode::Elect,
        "Elects one lane of the mask; `p` is true in that lane, `d` is its number.",
        &[Lit(Sync)],
        &[def("d", R_U32).discardable(), def_pair("p", PRED).required(), arg("membermask", V_U32)],
        Sem::Warp(WarpSem::Elect),
    )
    .since(8, 0, 90)
    .effects(Effects::CONVERGENT)
    .section("9.7.13.14"),
    Form::new(
        Opcode::Griddepcontrol,
        "Lets dependent grids start, or waits for the grids that this one depends on.",
        &[One(Field::Action, &[LaunchDependents, Wait])],
        &[],
        Sem::Block(BlockSem::Griddepcontrol),
    )
    .since(7, 8, 90)
    .effects(Effects::SYNC)
    .section("9.7.13.13"),
    Form::new(
        Opcode::Clusterlaunchcontrol,
        "Requests to cancel the launch of a cluster that has not started; the response is written to `addr`.",
        &[
            Lit(TryCancel),
            Lit(Async),
            Opt(Field::Space, &[SharedCta]),
            Lit(MbarrierCompleteTxBytes),
            Opt(Field::Multicast, &[MulticastClusterAll]),
            Lit(B128),
        ],
        &[addr("addr"), addr("mbar")],
        Sem::Block(BlockSem::TryCancel),
    )
    .since(8, 6, 100)
    .later(&[(MulticastClusterAll, on(8, 6, BLACKWELL))])
    .effects(Effects::SYNC)
    .section("9.7.13.17"),
    Form::new(
        Opcode::Clusterlaunchcontrol,
        "Whether the response is that a launch was cancelled.",
        &[Lit(QueryCancel), Lit(IsCanceled), Lit(Pred), Lit(B128)],
        &[def("p", PRED), arg("try_cancel_response", OperandKind::Value(TypeRule::Is(ScalarType::B128)))],
        Sem::Block(BlockSem::QueryCancel),
    )
    .since(8, 6, 100)
    .section("9.7.13.18"),
    Form::new(
        Opcode::Clusterlaunchcontrol,
        "The first block of the cancelled cluster.",
        &[Lit(QueryCancel), Lit(GetFirstCtaid), Lit(V4), Lit(B32), Lit(B128)],
        &[
            def("d", OperandKind::Vector(TypeRule::Is(ScalarType::B32), VectorLength::Is(4))),
            arg("try_cancel_response", OperandKind::Value(TypeRule::Is(ScalarType::B128))),
        ],
        Sem::Block(BlockSem::QueryCancel),
    )
    .since(8, 6, 100)
    .section("9.7.13.18"),
    Form::new(
        Opcode::Clusterlaunchcontrol,
        "One coordinate of the first block of the cancelled cluster.",
        &[
            Lit(QueryCancel),
            One(Field::Component, &[GetFirstCtaidX, GetFirstCtaidY, GetFirstCtaidZ]),
            Lit(B32),
            Lit(B128),
        ],
        &[def("d", R_B32), arg("try_cancel_response", RESPONSE)],
        Sem::Block(BlockSem::QueryCancel),
    )
    .since(8, 6, 100)
    .section("9.7.13.18"),
    Form::new(
        Opcode::Setmaxnreg,
        "Requests or releases registers, so that each thread of the warp has the given number.",
        &[One(Field::Action, &[Inc, Dec]), Lit(Sync), Lit(Aligned), Lit(U32)],
        &[arg("imm-reg-count", OperandKind::Immediate(24, 256)).constants(Constants::Multiple(8, 24, 256))],
        Sem::Block(BlockSem::Setmaxnreg),
    )
    .only(8, 0, HOPPER_AND_BLACKWELL)
    .effects(Effects::CONVERGENT)
    .section("9.7.19.5"),
    Form::new(
        Opcode::Stacksave,
        "The stack pointer.",
        &[One(Field::Type, &[U32, U64])],
        &[def("d", RT)],
        Sem::Memory(MemorySem::Stacksave),
    )
    .since(7, 3, 52)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.17.1"),
    Form::new(
        Opcode::Stackrestore,
        "Sets the stack pointer back, which frees what was allocated since.",
        &[One(Field::Type, &[U32, U64])],
        &[arg("a", RT)],
        Sem::Memory(MemorySem::Stackrestore),
    )
    .since(7, 3, 52)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.17.2"),
    Form::new(
        Opcode::Alloca,
        "Allocates bytes on the stack, aligned to 8 bytes or to the last operand.",
        &[One(Field::Type, &[U32, U64])],
        &[
            def("ptr", RT),
            arg("size", T),
            opt("immAlign", ANY_INTEGER).constants(Constants::PowerOfTwo(1, 1 << 23)),
        ],
        Sem::Memory(MemorySem::Alloca),
    )
    .since(7, 3, 52)
    .effects(Effects::SIDE_EFFECTS)
    .section("9.7.17.3"),
];

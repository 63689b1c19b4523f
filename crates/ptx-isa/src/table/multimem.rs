//! Multimem addresses, asynchronous stores and reductions (manual 9.7.9.12 to 9.7.9.14, 9.7.13.7).

use super::vocabulary::*;
use crate::Slot;
use crate::constants::Constants;
use crate::families::{AsyncSem, MemorySem, Opcode, Sem};
use crate::form::Slot::{Lit, One, Opt};
use crate::form::{Effects, Form, Operand, OperandKind, Rule, TypeRule, VectorLength, arg, def};
use crate::names::{Field, Mod, Mod::*};
use crate::target::Since;

const OPERATIONS: &[Mod] = &[Min, Max, Add, And, Or, Xor];
const INTEGERS: &[Mod] = &[B32, B64, U32, U64, S32, S64];
const NARROW_4: &[Mod] = &[E5m2x4, E4m3x4];
const HELD: TypeRule = TypeRule::HeldBy(Field::Type);
const VALUES: OperandKind =
    OperandKind::Elements(TypeRule::ValueOf(Field::Type), VectorLength::Of(Field::Vec));
/// 8-bit values are in registers of just that width.
const BYTES: OperandKind = OperandKind::Vector(HELD, VectorLength::Of(Field::Vec));
const FLOATS: OperandKind = OperandKind::Elements(TypeRule::Of(Field::Type), VectorLength::Of(Field::Vec));
const GLOBAL: Slot = Opt(Field::Space, &[Global]);
const SCOPE: Slot = Opt(Field::Scope, SCOPES);
/// Halves are summed in single precision, 8-bit values in half precision.
const IN_SINGLE: Slot = Opt(Field::AccPrec, &[AccF32]);
const IN_HALF: Slot = Opt(Field::AccPrec, &[AccF16]);

const LOAD_ORDER: Slot = Opt(Field::MemOrder, &[Weak, Relaxed, Acquire]);
const STORE_ORDER: Slot = Opt(Field::MemOrder, &[Weak, Relaxed, Release]);
const REDUCE_ORDER: Slot = Opt(Field::MemOrder, &[Relaxed, Release]);
const NARROW: Since = on(8, 6, BLACKWELL_EXACT);
const LATER: &[(Mod, Since)] = &[
    (AccF32, at(8, 2, 90)),
    (AccF16, NARROW),
    (E5m2, NARROW),
    (E4m3, NARROW),
    (E5m2x2, NARROW),
    (E4m3x2, NARROW),
    (E5m2x4, NARROW),
    (E4m3x4, NARROW),
];
/// Sums alone are kept in a wider type (manual 9.7.9.14).
const WEAK_OR_SCOPED_LOADS: &[Rule] = &[
    Rule::Excludes(Weak, SCOPES),
    Rule::Needs(Relaxed, SCOPES),
    Rule::Needs(Acquire, SCOPES),
    Rule::Needs(Cta, ORDERS),
    Rule::Needs(Cluster, ORDERS),
    Rule::Needs(Gpu, ORDERS),
    Rule::Needs(Sys, ORDERS),
    Rule::Needs(And, &[B32, B64]),
    Rule::Needs(Or, &[B32, B64]),
    Rule::Needs(Xor, &[B32, B64]),
    Rule::Excludes(Add, &[B32, B64, S64]),
    Rule::Excludes(Min, &[B32, B64]),
    Rule::Excludes(Max, &[B32, B64]),
    Rule::Needs(AccF32, &[Add]),
    Rule::Needs(AccF16, &[Add]),
];
/// A weak access has no scope, the others need one.
const WEAK_OR_SCOPED: &[Rule] = &[
    Rule::Excludes(Weak, SCOPES),
    Rule::Needs(Relaxed, SCOPES),
    Rule::Needs(Acquire, SCOPES),
    Rule::Needs(Release, SCOPES),
    Rule::Needs(Cta, ORDERS),
    Rule::Needs(Cluster, ORDERS),
    Rule::Needs(Gpu, ORDERS),
    Rule::Needs(Sys, ORDERS),
    Rule::Needs(And, &[B32, B64]),
    Rule::Needs(Or, &[B32, B64]),
    Rule::Needs(Xor, &[B32, B64]),
    Rule::Excludes(Add, &[B32, B64, S64]),
    Rule::Excludes(Min, &[B32, B64]),
    Rule::Excludes(Max, &[B32, B64]),
];
const ORDERS: &[Mod] = &[Relaxed, Acquire, Release];

const fn load_reduce(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Multimem, doc, slots, operands, Sem::Memory(MemorySem::MultimemLoadReduce))
        .since(8, 1, 90)
        .later(LATER)
        .rules(WEAK_OR_SCOPED_LOADS)
        .effects(Effects::READS)
        .section("9.7.9.14")
}

const fn store(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Multimem, doc, slots, operands, Sem::Memory(MemorySem::MultimemStore))
        .since(8, 1, 90)
        .later(LATER)
        .rules(WEAK_OR_SCOPED)
        .effects(Effects::WRITES)
        .section("9.7.9.14")
}

const fn reduce(doc: &'static str, slots: &'static [Slot], operands: &'static [Operand]) -> Form {
    Form::new(Opcode::Multimem, doc, slots, operands, Sem::Memory(MemorySem::MultimemReduce))
        .since(8, 1, 90)
        .rules(WEAK_OR_SCOPED)
        .effects(Effects::MEMORY)
        .section("9.7.9.14")
}

const LOADED: &[Operand] = &[def("d", VALUES), addr("a")];
const LOADED_FLOATS: &[Operand] = &[def("d", VALUES), addr("a")];
const LOADED_BYTES: &[Operand] = &[def("d", BYTES), addr("a")];
const STORED: &[Operand] = &[addr("a"), arg("b", VALUES)];
const STORED_BYTES: &[Operand] = &[addr("a"), arg("b", BYTES)];
const STORED_FLOATS: &[Operand] = &[addr("a"), arg("b", VALUES)];

const ASYNC_TYPES: &[Mod] = &[B32, B64, U32, U64, S32, S64, F32, F64];
/// At most 16 bytes; `.cluster` is the scope of accesses to other blocks alone.
const STORE_ASYNC: &[Rule] =
    &[Rule::Excludes(V4, &[B64, U64, S64, F64]), Rule::Excludes(Cluster, &[Weak, SharedCta])];
/// Order and scope are those of accesses to global memory.
const STORE_WITHOUT_BARRIER: &[Rule] = &[
    Rule::Needs(Mmio, &[Sys]),
    Rule::Needs(Mmio, &[Release]),
    Rule::Needs(Release, &[Gpu, Sys]),
    Rule::Excludes(Weak, &[Gpu, Sys]),
    Rule::Excludes(SharedCta, &[Release, Gpu, Sys]),
];
/// Modifiers that were added after accesses to generic addresses.
const GLOBAL_LATER: &[(Mod, Since)] =
    &[(Release, at(8, 7, 100)), (Mmio, at(8, 7, 100)), (Global, at(8, 7, 100))];
const RED_ASYNC: &[Rule] = &[
    Rule::Needs(Async, &[Relaxed, Release]),
    Rule::Needs(And, &[B32]),
    Rule::Needs(Or, &[B32]),
    Rule::Needs(Xor, &[B32]),
    Rule::Needs(Inc, &[U32]),
    Rule::Needs(Dec, &[U32]),
    Rule::Excludes(Add, &[B32]),
    Rule::Needs(Min, &[U32, S32]),
    Rule::Needs(Max, &[U32, S32]),
    Rule::Needs(Mmio, &[Sys]),
    Rule::Needs(Mmio, &[Release]),
    Rule::Together(Field::MemOrder, Field::Scope),
];
const RED_TYPES: &[Mod] = &[U32, S32, U64, S64];

pub(super) static FORMS: &[Form] = &[
    load_reduce(
        "Combines integers or bits of all memory of a multimem address.",
        &[Lit(LdReduce), LOAD_ORDER, SCOPE, GLOBAL, One(Field::Op, OPERATIONS), One(Field::Type, INTEGERS)],
        &[def("d", RT), addr("a")],
    ),
    load_reduce(
        "Adds values of all memory of a multimem address.",
        &[
            Lit(LdReduce),
            LOAD_ORDER,
            SCOPE,
            GLOBAL,
            Lit(Add),
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F32]),
        ],
        LOADED_FLOATS,
    ),
    load_reduce(
        "Adds double-precision values of all memory of a multimem address.",
        &[Lit(LdReduce), LOAD_ORDER, SCOPE, GLOBAL, Lit(Add), One(Field::Type, &[F64])],
        LOADED_FLOATS,
    ),
    load_reduce(
        "Combines vectors of half-precision or bfloat values of all memory of a multimem address.",
        &[
            Lit(LdReduce),
            LOAD_ORDER,
            SCOPE,
            GLOBAL,
            One(Field::Op, &[Min, Max, Add]),
            IN_SINGLE,
            One(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, &[F16, Bf16]),
        ],
        LOADED,
    ),
    load_reduce(
        "Combines pairs of values of all memory of a multimem address.",
        &[
            Lit(LdReduce),
            LOAD_ORDER,
            SCOPE,
            GLOBAL,
            One(Field::Op, &[Min, Max, Add]),
            IN_SINGLE,
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F16x2, Bf16x2]),
        ],
        LOADED,
    ),
    load_reduce(
        "Combines vectors of 8-bit values of all memory of a multimem address.",
        &[
            Lit(LdReduce),
            LOAD_ORDER,
            SCOPE,
            GLOBAL,
            One(Field::Op, &[Min, Max, Add]),
            IN_HALF,
            One(Field::Vec, &[V4, V8]),
            One(Field::Type, &[E5m2, E4m3]),
        ],
        LOADED_BYTES,
    ),
    load_reduce(
        "Combines vectors of pairs of 8-bit values of all memory of a multimem address.",
        &[
            Lit(LdReduce),
            LOAD_ORDER,
            SCOPE,
            GLOBAL,
            One(Field::Op, &[Min, Max, Add]),
            IN_HALF,
            One(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, &[E5m2x2, E4m3x2]),
        ],
        LOADED,
    ),
    load_reduce(
        "Combines groups of four 8-bit values of all memory of a multimem address.",
        &[
            Lit(LdReduce),
            LOAD_ORDER,
            SCOPE,
            GLOBAL,
            One(Field::Op, &[Min, Max, Add]),
            IN_HALF,
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, NARROW_4),
        ],
        LOADED,
    ),
    store(
        "Stores integers or bits to all memory of a multimem address.",
        &[Lit(St), STORE_ORDER, SCOPE, GLOBAL, One(Field::Type, INTEGERS)],
        &[addr("a"), arg("b", T)],
    ),
    store(
        "Stores values to all memory of a multimem address.",
        &[Lit(St), STORE_ORDER, SCOPE, GLOBAL, Opt(Field::Vec, &[V2, V4]), One(Field::Type, &[F32])],
        STORED_FLOATS,
    ),
    store(
        "Stores a double-precision value to all memory of a multimem address.",
        &[Lit(St), STORE_ORDER, SCOPE, GLOBAL, One(Field::Type, &[F64])],
        STORED_FLOATS,
    ),
    store(
        "Stores vectors of half-precision, bfloat or pairs of 8-bit values to all memory of a multimem address.",
        &[
            Lit(St),
            STORE_ORDER,
            SCOPE,
            GLOBAL,
            One(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, &[F16, Bf16, E5m2x2, E4m3x2]),
        ],
        STORED,
    ),
    store(
        "Stores pairs or groups of four to all memory of a multimem address.",
        &[
            Lit(St),
            STORE_ORDER,
            SCOPE,
            GLOBAL,
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F16x2, Bf16x2, E5m2x4, E4m3x4]),
        ],
        STORED,
    ),
    store(
        "Stores vectors of 8-bit values to all memory of a multimem address.",
        &[Lit(St), STORE_ORDER, SCOPE, GLOBAL, One(Field::Vec, &[V4, V8]), One(Field::Type, &[E5m2, E4m3])],
        STORED_BYTES,
    ),
    reduce(
        "Combines integers or bits with all memory of a multimem address.",
        &[Lit(Red), REDUCE_ORDER, SCOPE, GLOBAL, One(Field::Op, OPERATIONS), One(Field::Type, INTEGERS)],
        &[addr("a"), arg("b", T)],
    ),
    reduce(
        "Adds a value to all memory of a multimem address.",
        &[Lit(Red), REDUCE_ORDER, SCOPE, GLOBAL, Lit(Add), One(Field::Type, &[F32])],
        &[addr("a"), arg("b", T)],
    ),
    reduce(
        "Adds a vector to all memory of a multimem address.",
        &[
            Lit(Red),
            REDUCE_ORDER,
            SCOPE,
            GLOBAL,
            Lit(Add),
            One(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F32]),
        ],
        STORED_FLOATS,
    ),
    reduce(
        "Adds a double-precision value to all memory of a multimem address.",
        &[Lit(Red), REDUCE_ORDER, SCOPE, GLOBAL, Lit(Add), One(Field::Type, &[F64])],
        &[addr("a"), arg("b", T)],
    ),
    reduce(
        "Combines vectors of half-precision or bfloat values with all memory of a multimem address.",
        &[
            Lit(Red),
            REDUCE_ORDER,
            SCOPE,
            GLOBAL,
            One(Field::Op, &[Min, Max, Add]),
            One(Field::Vec, &[V2, V4, V8]),
            One(Field::Type, &[F16, Bf16]),
        ],
        STORED,
    ),
    reduce(
        "Adds pairs to all memory of a multimem address.",
        &[Lit(Red), REDUCE_ORDER, SCOPE, GLOBAL, Lit(Add), One(Field::Type, &[F16x2, Bf16x2])],
        &[addr("a"), arg("b", T)],
    ),
    reduce(
        "Combines vectors of pairs with all memory of a multimem address.",
        &[
            Lit(Red),
            REDUCE_ORDER,
            SCOPE,
            GLOBAL,
            One(Field::Op, &[Min, Max, Add]),
            One(Field::Vec, &[V2, V4]),
            One(Field::Type, &[F16x2, Bf16x2]),
        ],
        STORED,
    ),
    Form::new(
        Opcode::St,
        "Stores to shared memory of the cluster without waiting; the barrier counts the bytes.",
        &[
            Lit(Async),
            Opt(Field::MemOrder, &[Weak]),
            Opt(Field::Scope, &[Cluster]),
            Opt(Field::Space, &[SharedCluster, SharedCta]),
            One(Field::Completion, &[MbarrierCompleteTxBytes]),
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, ASYNC_TYPES),
        ],
        &[addr("a"), arg("b", FLOATS), shared("mbar")],
        Sem::Async(AsyncSem::StoreAsync),
    )
    .since(8, 1, 90)
    .rules(STORE_ASYNC)
    .effects(Effects::WRITES)
    .section("9.7.9.12"),
    Form::new(
        Opcode::St,
        "Stores 16 bytes to shared memory of the cluster without waiting; the barrier counts the bytes.",
        &[
            Lit(Async),
            Opt(Field::MemOrder, &[Weak]),
            Opt(Field::Scope, &[Cluster]),
            Opt(Field::Space, &[SharedCluster, SharedCta]),
            One(Field::Completion, &[MbarrierCompleteTxBytes]),
            One(Field::Type, &[B128]),
        ],
        &[addr("a"), arg("b", T), shared("mbar")],
        Sem::Async(AsyncSem::StoreAsync),
    )
    .since(9, 2, 90)
    .rules(STORE_ASYNC)
    .effects(Effects::WRITES)
    .section("9.7.9.12"),
    Form::new(
        Opcode::St,
        "Stores to shared memory of the block without waiting; the barrier counts the bytes.",
        &[
            Lit(Async),
            Opt(Field::MemOrder, &[Weak]),
            One(Field::Space, &[SharedCta]),
            Opt(Field::Vec, &[V2, V4]),
            One(Field::Type, ASYNC_TYPES),
        ],
        &[addr("a"), arg("b", FLOATS), shared("mbar")],
        Sem::Async(AsyncSem::StoreAsync),
    )
    .since(8, 1, 90)
    .rules(STORE_ASYNC)
    .effects(Effects::WRITES)
    .section("9.7.9.12"),
    Form::new(
        Opcode::St,
        "Stores 16 bytes to shared memory of the block without waiting; the barrier counts the bytes.",
        &[
            Lit(Async),
            Opt(Field::MemOrder, &[Weak]),
            One(Field::Space, &[SharedCta]),
            One(Field::Type, &[B128]),
        ],
        &[addr("a"), arg("b", T), shared("mbar")],
        Sem::Async(AsyncSem::StoreAsync),
    )
    .since(9, 3, 90)
    .rules(STORE_ASYNC)
    .effects(Effects::WRITES)
    .section("9.7.9.12"),
    Form::new(
        Opcode::St,
        "Stores to global memory, or to that of the block, without waiting.",
        &[
            Lit(Async),
            Opt(Field::Mmio, &[Mmio]),
            Opt(Field::MemOrder, &[Release, Weak]),
            Opt(Field::Scope, &[Gpu, Sys]),
            Opt(Field::Space, &[Global, SharedCta]),
            One(Field::Type, &[B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64]),
        ],
        &[addr("a"), arg("b", T)],
        Sem::Async(AsyncSem::StoreAsync),
    )
    .since(8, 1, 90)
    .later(GLOBAL_LATER)
    .rules(STORE_WITHOUT_BARRIER)
    .effects(Effects::WRITES)
    .section("9.7.9.12"),
    Form::new(
        Opcode::Red,
        "Combines with shared memory of the cluster without waiting; the barrier counts the bytes.",
        &[
            Lit(Async),
            Opt(Field::MemOrder, &[Relaxed]),
            Opt(Field::Scope, &[Cluster]),
            Opt(Field::Space, &[SharedCluster]),
            One(Field::Completion, &[MbarrierCompleteTxBytes]),
            One(Field::Op, &[Inc, Dec, Min, Max, Add]),
            One(Field::Type, RED_TYPES),
        ],
        &[addr("a"), arg("b", T), shared("mbar")],
        Sem::Async(AsyncSem::ReduceAsync),
    )
    .since(8, 1, 90)
    .rules(RED_ASYNC)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Red,
        "Combines with global memory without waiting.",
        &[
            Lit(Async),
            Opt(Field::Mmio, &[Mmio]),
            Opt(Field::MemOrder, &[Release, Relaxed]),
            Opt(Field::Scope, &[Gpu, Sys]),
            Opt(Field::Space, &[Global]),
            One(Field::Op, &[Inc, Dec, Min, Max, Add]),
            One(Field::Type, RED_TYPES),
        ],
        &[addr("a"), arg("b", T)],
        Sem::Async(AsyncSem::ReduceAsync),
    )
    .since(8, 1, 90)
    .later(GLOBAL_LATER)
    .rules(RED_ASYNC)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Red,
        "Combines bits with shared memory of the cluster without waiting; the barrier counts the bytes.",
        &[
            Lit(Async),
            Opt(Field::MemOrder, &[Relaxed]),
            Opt(Field::Scope, &[Cluster]),
            Opt(Field::Space, &[SharedCluster]),
            One(Field::Completion, &[MbarrierCompleteTxBytes]),
            One(Field::Op, &[And, Or, Xor]),
            One(Field::Type, &[B32]),
        ],
        &[addr("a"), arg("b", V_U32), shared("mbar")],
        Sem::Async(AsyncSem::ReduceAsync),
    )
    .since(8, 1, 90)
    .rules(RED_ASYNC)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::Red,
        "Combines bits with global memory without waiting.",
        &[
            Lit(Async),
            Opt(Field::Mmio, &[Mmio]),
            Opt(Field::MemOrder, &[Release, Relaxed]),
            Opt(Field::Scope, &[Gpu, Sys]),
            Opt(Field::Space, &[Global]),
            One(Field::Op, &[And, Or, Xor]),
            One(Field::Type, &[B32]),
        ],
        &[addr("a"), arg("b", V_U32)],
        Sem::Async(AsyncSem::ReduceAsync),
    )
    .since(8, 1, 90)
    .later(GLOBAL_LATER)
    .rules(RED_ASYNC)
    .effects(Effects::MEMORY)
    .section("9.7.13.7"),
    Form::new(
        Opcode::St,
        "Fills shared memory with zeros; the size is a multiple of 8.",
        &[Lit(Bulk), Opt(Field::MemOrder, &[Weak]), Opt(Field::Space, &[SharedCta])],
        &[
            addr("a"),
            arg("size", OperandKind::Wide(TypeRule::Is(crate::ScalarType::U32)))
                .constants(Constants::Multiple(8, 0, 1 << 24)),
            arg("initval", OperandKind::Immediate(0, 0)),
        ],
        Sem::Async(AsyncSem::StoreBulk),
    )
    .since(8, 6, 100)
    .effects(Effects::WRITES)
    .section("9.7.9.13"),
];

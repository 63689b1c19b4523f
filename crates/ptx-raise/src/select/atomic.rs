//! Atomic accesses and fences (manual 8, 9.7.13).
//!
//! | LLVM | PTX |
//! |---|---|
//! | `unordered`, `monotonic` | `.relaxed` |
//! | `acquire`, `release`, `acq_rel` | the same |
//! | `seq_cst` load | `fence.sc`, then an acquire load |
//! | `seq_cst` store | `fence.sc`, then a relaxed store |
//! | `seq_cst` read-modify-write | `fence.sc`, then an acquire-release one |
//!
//! Before sm_70 there are no ordered accesses: volatile ones stand for relaxed, and `membar` before or after gives the order. Operations
//! that `atom` lacks become a loop around `atom.cas`.

use ptx_ir::{AddressBase, Operand, RegId};
use ptx_llvm::address_space;
use ptx_llvm::view::{
    AtomicOp, AtomicOrder, BinaryOp, FastMath, FloatPredicate, InstId, IntPredicate, Op, Scope, TypeId,
};

use super::FunctionRaiser;
use super::emit::{Arg, space_word};
use super::memory::integer_class;
use crate::error::{INSTRUCTION, ORDER, Raised, Refusal};
use crate::types::{Class, Leaf, Scalar};
use crate::value::{Val, mask};

/// Architectures with ordered and scoped accesses (manual 8).
const MEMORY_MODEL_SM: u16 = 70;
/// Architectures with `.cluster`.
const CLUSTER_SM: u16 = 90;

/// Where an atomic operation is.
#[derive(Clone, Copy)]
struct Place<'a> {
    address: Operand,
    space: u32,
    scope: &'a Scope,
}

impl FunctionRaiser<'_, '_, '_> {
    /// Whether the target has the memory model of sm_70.
    fn has_model(&self) -> bool {
        self.module.target.sm() >= MEMORY_MODEL_SM
    }

    /// The scope's word. A wider one stands for what the target lacks.
    fn scope_word(&self, scope: &Scope) -> Raised<&'static str> {
        match scope {
            Scope::System => Ok(".sys"),
            Scope::Device => Ok(".gpu"),
            Scope::Cluster if self.module.target.sm() < CLUSTER_SM => Ok(".gpu"),
            Scope::Cluster => Ok(".cluster"),
            Scope::Block | Scope::SingleThread => Ok(".cta"),
            Scope::Other(name) => {
                Err(Refusal::new(ORDER, format!("the scope \"{name}\" has no counterpart in PTX"))
                    .with_help("use \"block\", \"cluster\", \"device\" or none"))
            }
        }
    }

    /// `fence`.
    pub(super) fn fence(&mut self, order: AtomicOrder, scope: &Scope) -> Raised<()> {
        // A fence among the accesses of one thread orders nothing that PTX could reorder.
        if *scope == Scope::SingleThread {
            return Ok(());
        }
        if !self.has_model() {
            let level = match scope {
                Scope::Block => "cta",
                Scope::Device | Scope::Cluster => "gl",
                _ => "sys",
            };
            self.scope_word(scope)?;
            return self.emit(&format!("membar.{level}"), &[]);
        }
        let word = self.scope_word(scope)?;
        // The two halves of `.acq_rel` came later (manual 9.7.13.4).
        let halves = self.module.target.has_already(ptx_isa::Since::new(8, 6, 90));
        let kind = match order {
            AtomicOrder::SequentiallyConsistent => "sc",
            AtomicOrder::Acquire if halves => "acquire",
            AtomicOrder::Release if halves => "release",
            AtomicOrder::Acquire
            | AtomicOrder::Release
            | AtomicOrder::AcquireRelease
            | AtomicOrder::NotAtomic
            | AtomicOrder::Unordered
            | AtomicOrder::Monotonic => "acq_rel",
        };
        self.emit(&format!("fence.{kind}{word}"), &[])
    }

    /// A load with an order.
    pub(super) fn atomic_load(
        &mut self,
        id: InstId,
        pointer: Val,
        scalar: Scalar,
        volatile: bool,
        order: AtomicOrder,
        scope: &Scope,
    ) -> Raised<()> {
        let ty = self.type_of(id);
        let (address, space) = self.address_operand(pointer, scalar)?;
        let place = Place { address, space, scope };
        let opcode = self.ordered_opcode("ld", &place, volatile, order)?;
        let align = self.atomic_align(ty)?;
        let mods = self.hints(id);
        let values = self.load_leaves(ty, address, space_word(space)?, align, &opcode, &mods)?;
        if !self.has_model() && order >= AtomicOrder::Acquire && is_shared_memory(space) {
            self.fence(AtomicOrder::AcquireRelease, scope)?;
        }
        self.define(id, values.into());
        Ok(())
    }

    /// A store with an order.
    #[allow(clippy::too_many_arguments, reason = "an access has that many parts")]
    pub(super) fn atomic_store(
        &mut self,
        id: InstId,
        ty: TypeId,
        values: &[Val],
        pointer: Val,
        scalar: Scalar,
        volatile: bool,
        order: AtomicOrder,
        scope: &Scope,
    ) -> Raised<()> {
        let (address, space) = self.address_operand(pointer, scalar)?;
        let place = Place { address, space, scope };
        let opcode = self.ordered_opcode("st", &place, volatile, order)?;
        let align = self.atomic_align(ty)?;
        let mods = self.hints(id);
        self.store_leaves(ty, values, address, space_word(space)?, align, &opcode, &mods)
    }

    /// An atomic access is one access: its type must be one leaf of a size that PTX has.
    fn atomic_align(&mut self, ty: TypeId) -> Raised<u64> {
        let leaves = self.leaves(ty)?;
        match &*leaves {
            [Leaf { bytes: bytes @ (1 | 2 | 4 | 8), .. }] => Ok(*bytes),
            _ => Err(Refusal::new(ORDER, "an atomic access of several registers")),
        }
    }

    /// The opcode of a load or store with its order and scope, after the fences it needs before.
    fn ordered_opcode(
        &mut self,
        opcode: &str,
        place: &Place<'_>,
        volatile: bool,
        order: AtomicOrder,
    ) -> Raised<String> {
        let scope = self.scope_word(place.scope)?;
        if !is_shared_memory(place.space) {
            return Ok(opcode.to_owned());
        }
        let store = opcode == "st";
        if !self.has_model() {
            let before =
                order == AtomicOrder::SequentiallyConsistent || (store && order >= AtomicOrder::Release);
            if before {
                self.fence(AtomicOrder::SequentiallyConsistent, place.scope)?;
            }
            return Ok(format!("{opcode}.volatile"));
        }
        // Volatile accesses are relaxed at system scope and never merged.
        let scope = if volatile { ".sys" } else { scope };
        match order {
            AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic => {
                Ok(if volatile { format!("{opcode}.volatile") } else { format!("{opcode}.relaxed{scope}") })
            }
            AtomicOrder::Acquire | AtomicOrder::Release | AtomicOrder::AcquireRelease => {
                let word = if store { "release" } else { "acquire" };
                Ok(format!("{opcode}.{word}{scope}"))
            }
            AtomicOrder::SequentiallyConsistent => {
                self.emit(&format!("fence.sc{scope}"), &[])?;
                let word = if store { "relaxed" } else { "acquire" };
                Ok(format!("{opcode}.{word}{scope}"))
            }
        }
    }

    /// `.acq_rel.gpu` and so on for `atom` and `red`, after the fence that `seq_cst` needs before.
    fn atom_modifiers(&mut self, order: AtomicOrder, scope: &Scope) -> Raised<String> {
        if !self.has_model() {
            if order >= AtomicOrder::Release {
                self.fence(AtomicOrder::SequentiallyConsistent, scope)?;
            }
            return Ok(String::new());
        }
        let word = self.scope_word(scope)?;
        Ok(match order {
            AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic => {
                format!(".relaxed{word}")
            }
            AtomicOrder::Acquire => format!(".acquire{word}"),
            AtomicOrder::Release => format!(".release{word}"),
            AtomicOrder::AcquireRelease => format!(".acq_rel{word}"),
            AtomicOrder::SequentiallyConsistent => {
                self.emit(&format!("fence.sc{word}"), &[])?;
                format!(".acq_rel{word}")
            }
        })
    }

    /// The fence that older targets need after an acquiring operation.
    fn after_atom(&mut self, order: AtomicOrder, scope: &Scope) -> Raised<()> {
        let acquires = matches!(
            order,
            AtomicOrder::Acquire | AtomicOrder::AcquireRelease | AtomicOrder::SequentiallyConsistent
        );
        if !self.has_model() && acquires {
            self.fence(AtomicOrder::SequentiallyConsistent, scope)
        } else {
            Ok(())
        }
    }

    /// `atomicrmw`.
    pub(super) fn atomic_rmw(&mut self, id: InstId) -> Raised<()> {
        let function = self.function;
        let Op::AtomicRmw { op, ptr, value, order, scope, .. } = &function.inst(id).op else { return Ok(()) };
        let leaves = self.leaves(self.type_of(id))?;
        let [leaf] = &*leaves else {
            return Err(Refusal::new(ORDER, "an atomic operation on several registers"));
        };
        let scalar = leaf.scalar;
        let (operand, _) = self.scalar(*value)?;
        let (pointer, kind) = self.scalar(*ptr)?;
        let (address, space) = self.atom_address(pointer, kind)?;
        let place = Place { address, space, scope };
        let unused = self.uses.get(id.index()) == Some(&0);
        if let Some((name, operand)) = self.direct(*op, operand, scalar)? {
            let hints = self.hints(id);
            let value = self.atom(&name, &place, *order, operand, scalar, unused, &hints)?;
            self.define_one(id, value);
            return self.after_atom(*order, scope);
        }
        let modifiers = self.atom_modifiers(*order, scope)?;
        let op = *op;
        let old = self.exchange_loop(&place, &modifiers, scalar, &mut |this, old| {
            this.combine(op, old, operand, scalar)
        })?;
        self.define_one(id, old);
        self.after_atom(*order, scope)
    }

    /// Atomic operations work in global and shared memory; other addresses go through their generic form.
    fn atom_address(&mut self, pointer: Val, kind: Scalar) -> Raised<(Operand, u32)> {
        let (address, space) = self.address_operand(pointer, kind)?;
        if matches!(
            space,
            address_space::GENERIC
                | address_space::GLOBAL
                | address_space::SHARED
                | address_space::SHARED_CLUSTER
        ) {
            return Ok((address, space));
        }
        if space == address_space::LOCAL {
            let Operand::Address(base, offset) = address else { return Ok((address, space)) };
            let own = match base {
                AddressBase::Register(register) => register,
                AddressBase::Symbol(symbol) => {
                    self.emit_new(self.pointer_class(space), "mov.b64", &[Operand::Symbol(symbol, 0).into()])?
                }
                AddressBase::Absolute => {
                    return Err(Refusal::new(INSTRUCTION, "an atomic operation on a number"));
                }
            };
            let generic = self.convert_address(own, space, address_space::GENERIC)?;
            return Ok((Operand::Address(AddressBase::Register(generic), offset), address_space::GENERIC));
        }
        Err(Refusal::new(ORDER, "an atomic operation on memory that is not written"))
    }

    /// The operation and type words of `atom` for an operation, when it has them.
    fn direct(&mut self, op: AtomicOp, value: Val, scalar: Scalar) -> Raised<Option<(String, Val)>> {
        let since = |sm: u16, major, minor| ptx_isa::Since::new(major, minor, sm);
        Ok(match (op, scalar) {
            (AtomicOp::Xchg, Scalar::Int(32 | 64)) => Some((format!("exch.b{}", scalar.bits()), value)),
            (AtomicOp::Xchg, Scalar::Float | Scalar::Double | Scalar::Pointer { .. }) => {
                let (bits, class) = self.bits_of(value, scalar)?;
                Some((format!("exch.b{}", class.bits()), Val::reg(bits)))
            }
            (AtomicOp::Xchg, Scalar::HalfPair | Scalar::BFloatPair) => Some(("exch.b32".to_owned(), value)),
            (AtomicOp::Add, Scalar::Int(bits @ (32 | 64))) => Some((format!("add.u{bits}"), value)),
            (AtomicOp::Sub, Scalar::Int(bits @ (32 | 64))) => {
                let negative = match value {
                    Val::Bits(number) => Val::Bits(number.wrapping_neg() & mask(bits)),
                    other => {
                        let other = self.in_register(other, scalar)?;
                        Val::reg(self.emit_new(scalar.class(), &format!("neg.s{bits}"), &[other.into()])?)
                    }
                };
                Some((format!("add.u{bits}"), negative))
            }
            (AtomicOp::And, Scalar::Int(bits @ (32 | 64))) => Some((format!("and.b{bits}"), value)),
            (AtomicOp::Or, Scalar::Int(bits @ (32 | 64))) => Some((format!("or.b{bits}"), value)),
            (AtomicOp::Xor, Scalar::Int(bits @ (32 | 64))) => Some((format!("xor.b{bits}"), value)),
            (AtomicOp::Max, Scalar::Int(bits @ (32 | 64))) => Some((format!("max.s{bits}"), value)),
            (AtomicOp::Min, Scalar::Int(bits @ (32 | 64))) => Some((format!("min.s{bits}"), value)),
            (AtomicOp::UMax, Scalar::Int(bits @ (32 | 64))) => Some((format!("max.u{bits}"), value)),
            (AtomicOp::UMin, Scalar::Int(bits @ (32 | 64))) => Some((format!("min.u{bits}"), value)),
            (AtomicOp::UIncWrap, Scalar::Int(32)) => Some(("inc.u32".to_owned(), value)),
            (AtomicOp::UDecWrap, Scalar::Int(32)) => Some(("dec.u32".to_owned(), value)),
            (AtomicOp::FAdd, Scalar::Float) => Some(("add.f32".to_owned(), value)),
            (AtomicOp::FAdd, Scalar::Double) => Some(("add.f64".to_owned(), value)),
            (AtomicOp::FAdd, Scalar::Half | Scalar::HalfPair) if self.module.target.has(since(70, 6, 3)) => {
                Some((format!("add.noftz.{}", scalar.float_type().unwrap_or("f16")), value))
            }
            (AtomicOp::FAdd, Scalar::BFloat | Scalar::BFloatPair)
                if self.module.target.has(since(90, 7, 8)) =>
            {
                Some((format!("add.noftz.{}", scalar.float_type().unwrap_or("bf16")), value))
            }
            _ => None,
        })
    }

    fn atom(
        &mut self,
        name: &str,
        place: &Place<'_>,
        order: AtomicOrder,
        operand: Val,
        scalar: Scalar,
        unused: bool,
        hints: &str,
    ) -> Raised<Val> {
        let modifiers = self.atom_modifiers(order, place.scope)?;
        let space = space_word(place.space)?;
        // Exchanged floating-point numbers travel as bits.
        let bits = name.starts_with("exch");
        let kind = if bits && matches!(scalar, Scalar::Float | Scalar::Double | Scalar::Pointer { .. }) {
            Scalar::Int(scalar.bits())
        } else {
            scalar
        };
        let value = self.arg(operand, kind)?;
        let (operation, ty) = name.rsplit_once('.').unwrap_or((name, "b32"));
        let with = |text: String| {
            let full = format!("{text}{space}.{operation}{hints}.{ty}");
            if hints.is_empty() || ptx_isa::candidates(&full).is_ok() {
                full
            } else {
                format!("{text}{space}.{name}")
            }
        };
        let reduces = matches!(order, AtomicOrder::Unordered | AtomicOrder::Monotonic | AtomicOrder::Release);
        if unused && reduces && !bits {
            self.emit(&with(format!("red{modifiers}")), &[place.address.into(), value])?;
            return Ok(Val::Bits(0));
        }
        let register =
            self.emit_new(kind.class(), &with(format!("atom{modifiers}")), &[place.address.into(), value])?;
        if kind == scalar { Ok(Val::reg(register)) } else { self.leaf_from(register, scalar) }
    }

    /// What an operation stores, from the old value.
    fn combine(&mut self, op: AtomicOp, old: Val, value: Val, scalar: Scalar) -> Raised<Val> {
        let bits = scalar.bits();
        let plain = FastMath::default();
        let pick = |this: &mut Self, predicate: IntPredicate| -> Raised<Val> {
            let keep = this.compare_ints(predicate, old, value, scalar)?;
            this.choose(keep, old, value, scalar)
        };
        match op {
            AtomicOp::Xchg => Ok(value),
            AtomicOp::Add => self.int_binary(BinaryOp::Add, old, value, bits),
            AtomicOp::Sub => self.int_binary(BinaryOp::Sub, old, value, bits),
            AtomicOp::And => self.int_binary(BinaryOp::And, old, value, bits),
            AtomicOp::Nand => {
                let both = self.int_binary(BinaryOp::And, old, value, bits)?;
                self.int_binary(BinaryOp::Xor, both, Val::Bits(mask(bits)), bits)
            }
            AtomicOp::Or => self.int_binary(BinaryOp::Or, old, value, bits),
            AtomicOp::Xor => self.int_binary(BinaryOp::Xor, old, value, bits),
            AtomicOp::Max => pick(self, IntPredicate::Sgt),
            AtomicOp::Min => pick(self, IntPredicate::Slt),
            AtomicOp::UMax => pick(self, IntPredicate::Ugt),
            AtomicOp::UMin => pick(self, IntPredicate::Ult),
            AtomicOp::FAdd => self.float_binary(BinaryOp::FAdd, old, value, scalar, plain),
            AtomicOp::FSub => self.float_binary(BinaryOp::FSub, old, value, scalar, plain),
            AtomicOp::FMax => self.float_extreme("max", "", old, value, scalar),
            AtomicOp::FMin => self.float_extreme("min", "", old, value, scalar),
            AtomicOp::FMaximum => self.float_extreme("max", ".NaN", old, value, scalar),
            AtomicOp::FMinimum => self.float_extreme("min", ".NaN", old, value, scalar),
            AtomicOp::UIncWrap => {
                let full = self.compare_ints(IntPredicate::Uge, old, value, scalar)?;
                let more = self.int_binary(BinaryOp::Add, old, Val::Bits(1), bits)?;
                self.choose(full, Val::Bits(0), more, scalar)
            }
            AtomicOp::UDecWrap => {
                let zero = self.compare_ints(IntPredicate::Eq, old, Val::Bits(0), scalar)?;
                let over = self.compare_ints(IntPredicate::Ugt, old, value, scalar)?;
                let wraps = self.pred("or.pred", zero, over)?;
                let less = self.int_binary(BinaryOp::Sub, old, Val::Bits(1), bits)?;
                self.choose(wraps, value, less, scalar)
            }
            AtomicOp::USubCond | AtomicOp::USubSat => {
                let fits = self.compare_ints(IntPredicate::Uge, old, value, scalar)?;
                let less = self.int_binary(BinaryOp::Sub, old, value, bits)?;
                let otherwise = if op == AtomicOp::USubCond { old } else { Val::Bits(0) };
                self.choose(fits, less, otherwise, scalar)
            }
        }
    }

    /// The smaller or larger of two floating-point numbers; `.NaN` when one NaN makes the result one.
    pub(super) fn float_extreme(
        &mut self,
        word: &str,
        nan: &str,
        a: Val,
        b: Val,
        scalar: Scalar,
    ) -> Raised<Val> {
        let ty =
            scalar.float_type().ok_or_else(|| Refusal::new(INSTRUCTION, "a float minimum of integers"))?;
        if scalar == Scalar::Double && nan == ".NaN" {
            let extreme = self.float_extreme(word, "", a, b, scalar)?;
            let unordered = self.compare_floats(FloatPredicate::Uno, a, b, scalar)?;
            return self.choose(unordered, Val::Bits(0x7ff8 << 48), extreme, scalar);
        }
        let halves = matches!(scalar, Scalar::Half | Scalar::BFloat | Scalar::HalfPair | Scalar::BFloatPair);
        if halves && self.module.target.sm() < 80 {
            let (word, nan) = (word.to_owned(), nan.to_owned());
            return self.through_single(scalar, &[a, b], &mut |this, args| {
                this.float_extreme(&word, &nan, args[0], args[1], Scalar::Float)
            });
        }
        if scalar == Scalar::Float && nan == ".NaN" && self.module.target.sm() < 80 {
            let extreme = self.float_extreme(word, "", a, b, scalar)?;
            let unordered = self.compare_floats(FloatPredicate::Uno, a, b, scalar)?;
            return self.choose(unordered, Val::Bits(0x7fc0_0000), extreme, scalar);
        }
        let args = [self.arg(a, scalar)?, self.arg(b, scalar)?];
        let text = format!("{word}{}{nan}.{ty}", self.ftz(scalar));
        Ok(Val::reg(self.emit_new(scalar.class(), &text, &args)?))
    }

    /// A loop around `atom.cas`: the old value goes through `change` until nobody wrote in between. Values below 32 bits are changed
    /// inside the aligned word around them.
    fn exchange_loop(
        &mut self,
        place: &Place<'_>,
        modifiers: &str,
        scalar: Scalar,
        change: &mut dyn FnMut(&mut Self, Val) -> Raised<Val>,
    ) -> Raised<Val> {
        let space = space_word(place.space)?;
        let small = scalar.bits() < 32;
        let class = if small { Class::B32 } else { integer_class(scalar.bits()) };
        if scalar.bits() > 64 || !matches!(scalar.bits(), 8 | 16 | 32 | 64) {
            return Err(Refusal::new(ORDER, "an atomic operation of an odd width"));
        }
        let (address, shift) = if small { self.word_around(place)? } else { (place.address, None) };
        let weak = if self.has_model() { ".relaxed.sys" } else { ".volatile" };
        let first = self.emit_new(class, &format!("ld{weak}{space}.b{}", class.bits()), &[address.into()])?;
        let seen = self.register(class);
        self.emit(&format!("mov.b{}", class.bits()), &[seen.into(), first.into()])?;
        let again = self.new_label();
        self.builder.place(again);
        let expected = self.emit_new(class, &format!("mov.b{}", class.bits()), &[seen.into()])?;
        let old = self.narrow_part(expected, class, shift, scalar)?;
        let new = change(self, old)?;
        let stored = match shift {
            Some(shift) => self.replace_part(expected, shift, new, scalar)?,
            None => self.bits_of(new, scalar)?.0,
        };
        let text = format!("atom{modifiers}{space}.cas.b{}", class.bits());
        self.emit(&text, &[seen.into(), address.into(), expected.into(), stored.into()])?;
        let text = format!("setp.ne.s{}", class.bits());
        let failed = self.emit_new(Class::Pred, &text, &[seen.into(), expected.into()])?;
        self.branch_if(failed, false, again)?;
        self.narrow_part(seen, class, shift, scalar)
    }

    /// The aligned 32-bit word around a smaller value, and how many bits to its left the value stands.
    fn word_around(&mut self, place: &Place<'_>) -> Raised<(Operand, Option<RegId>)> {
        let Operand::Address(base, offset) = place.address else {
            return Err(Refusal::new(INSTRUCTION, "an atomic operation without an address"));
        };
        let class = self.pointer_class(place.space);
        let width = class.bits();
        let own = match base {
            AddressBase::Register(register) => register,
            AddressBase::Symbol(symbol) => {
                self.emit_new(class, &format!("mov.b{width}"), &[Operand::Symbol(symbol, 0).into()])?
            }
            AddressBase::Absolute => self.in_register(Val::Bits(0), Scalar::Int(width))?,
        };
        let whole =
            self.emit_new(class, &format!("add.s{width}"), &[own.into(), Arg::Bits(offset as u64, width)])?;
        let aligned =
            self.emit_new(class, &format!("and.b{width}"), &[whole.into(), Arg::Bits(!3, width)])?;
        let low = self.resized(whole, class, Class::B32)?;
        let byte = self.emit_new(Class::B32, "and.b32", &[low.into(), Arg::Bits(3, 32)])?;
        let shift = self.emit_new(Class::B32, "shl.b32", &[byte.into(), Arg::Bits(3, 32)])?;
        Ok((Operand::Address(AddressBase::Register(aligned), 0), Some(shift)))
    }

    fn narrow_part(
        &mut self,
        word: RegId,
        class: Class,
        shift: Option<RegId>,
        scalar: Scalar,
    ) -> Raised<Val> {
        let Some(shift) = shift else { return self.leaf_from(word, scalar) };
        let moved = self.emit_new(Class::B32, "shr.u32", &[word.into(), shift.into()])?;
        self.extract_bits(moved, class, 0, scalar)
    }

    fn replace_part(&mut self, word: RegId, shift: RegId, new: Val, scalar: Scalar) -> Raised<RegId> {
        let ones = self.in_register(Val::Bits(mask(scalar.bits())), Scalar::Int(32))?;
        let ones = self.emit_new(Class::B32, "shl.b32", &[ones.into(), shift.into()])?;
        let holes = self.emit_new(Class::B32, "not.b32", &[ones.into()])?;
        let rest = self.emit_new(Class::B32, "and.b32", &[word.into(), holes.into()])?;
        let (bits, class) = self.bits_of(new, scalar)?;
        let bits = self.resized(bits, class, Class::B32)?;
        let moved = self.emit_new(Class::B32, "shl.b32", &[bits.into(), shift.into()])?;
        self.emit_new(Class::B32, "or.b32", &[rest.into(), moved.into()])
    }

    /// `cmpxchg`: the old value, and whether it was the expected one.
    pub(super) fn compare_exchange(&mut self, id: InstId) -> Raised<()> {
        let function = self.function;
        let Op::CmpXchg { ptr, expected, new, success, failure, scope, .. } = &function.inst(id).op else {
            return Ok(());
        };
        let leaves = self.value_leaves(*expected)?;
        let [leaf] = &*leaves else { return Err(Refusal::new(ORDER, "a cmpxchg of several registers")) };
        let scalar = leaf.scalar;
        let (old_value, _) = self.scalar(*expected)?;
        let (new_value, _) = self.scalar(*new)?;
        let (pointer, kind) = self.scalar(*ptr)?;
        let (address, space) = self.atom_address(pointer, kind)?;
        let place = Place { address, space, scope };
        let order = stronger(*success, *failure);
        let modifiers = self.atom_modifiers(order, scope)?;
        let (old, equal) = if matches!(scalar.bits(), 32 | 64) {
            let text = format!("atom{modifiers}{}.cas.b{}", space_word(space)?, scalar.bits());
            let (before, class) = self.bits_of(old_value, scalar)?;
            let (after, _) = self.bits_of(new_value, scalar)?;
            let old = self.emit_new(class, &text, &[address.into(), before.into(), after.into()])?;
            let old = self.leaf_from(old, scalar)?;
            (old, self.compare_ints(IntPredicate::Eq, old, old_value, scalar)?)
        } else {
            let old = self.exchange_loop(&place, &modifiers, scalar, &mut |this, old| {
                let equal = this.compare_ints(IntPredicate::Eq, old, old_value, scalar)?;
                this.choose(equal, new_value, old, scalar)
            })?;
            (old, self.compare_ints(IntPredicate::Eq, old, old_value, scalar)?)
        };
        self.define(id, [old, equal].into());
        self.after_atom(order, scope)
    }
}

/// Memory that other threads see.
fn is_shared_memory(space: u32) -> bool {
    !matches!(space, address_space::CONST | address_space::LOCAL | address_space::PARAM)
}

/// An order at least as strong as both.
fn stronger(a: AtomicOrder, b: AtomicOrder) -> AtomicOrder {
    match (a, b) {
        (AtomicOrder::Release, AtomicOrder::Acquire) | (AtomicOrder::Acquire, AtomicOrder::Release) => {
            AtomicOrder::AcquireRelease
        }
        (a, b) => a.max(b),
    }
}

//! Read-modify-write operations and compare-and-swap that `atom` lacks (manual 9.7.13.5): loops around the compare-and-swap of a whole integer, or of the aligned 32-bit
//! word around a smaller one. Relaxed accesses are between the fences that the order needs.
//!
//! ```text
//! %r = atomicrmw nand ptr %p, i32 %x acquire
//! ```
//!
//! becomes
//!
//! ```text
//!   %first = load atomic i32, ptr %p monotonic, align 4
//!   br label %again
//! again:
//!   %old = phi i32 [ %first, %before ], [ %now, %again ]
//!   %both = and i32 %old, %x
//!   %new = xor i32 %both, -1
//!   %pair = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
//!   %now = extractvalue { i32, i1 } %pair, 0
//!   %done = extractvalue { i32, i1 } %pair, 1
//!   br i1 %done, label %end, label %again
//! end:
//!   fence acquire
//! ```
//!
//! `and`, `or` and `xor` of a smaller integer need no loop: they are one operation on the word around it, with an operand that does not change the rest.
//!
//! Thread-private memory has no atomic accesses: there an operation is a load and a store.

use ptx_llvm_core::view::{AtomicOp, AtomicOrder, FloatKind, Op, Scope};

use crate::code::{Code, Round, ir};
use crate::object::is_private;
use crate::site::{Element, Site};

/// Properties that both kinds of operations have.
struct Access<'v> {
    /// The type of the memory location, as LLVM spells it, and its width.
    ty: &'v str,
    bits: u32,
    pointer: &'v str,
    /// The width of addresses.
    address_bits: u32,
    order: AtomicOrder,
    scope: String,
}

impl<'v> Access<'v> {
    /// `None` if there is no such access.
    fn of(site: &Site<'v>, order: AtomicOrder, scope: &Scope, align: u32) -> Option<Self> {
        let ty = site.ty(1)?;
        let bits = site.view.layout(ty)?.bits as u32;
        let named = |name: &str| format!("syncscope(\"{name}\") ");
        let scope = match scope {
            Scope::System => String::new(),
            Scope::Device => named("device"),
            Scope::Cluster => named("cluster"),
            Scope::Block => named("block"),
            Scope::SingleThread => named("singlethread"),
            // Rejected by emission.
            Scope::Other(_) => return None,
        };
        let fits = matches!(bits, 8 | 16 | 32 | 64 | 128) && align >= bits / 8;
        let (ty, pointer) = (site.view.type_text(ty), site.type_text(0)?);
        let address_bits = site.view.layout(site.ty(0)?)?.bits as u32;
        fits.then_some(Self { ty, bits, pointer, address_bits, order, scope })
    }

    fn fence_before(&self, code: &mut Code) {
        let order = match self.order {
            AtomicOrder::SequentiallyConsistent => "seq_cst",
            AtomicOrder::Release | AtomicOrder::AcquireRelease => "release",
            _ => return,
        };
        code.line(format_args!("fence {}{order}", self.scope));
    }

    fn fence_after(&self, code: &mut Code) {
        if matches!(
            self.order,
            AtomicOrder::SequentiallyConsistent | AtomicOrder::Acquire | AtomicOrder::AcquireRelease
        ) {
            code.line(format_args!("fence {}acquire", self.scope));
        }
    }

    /// The value as an integer, or an integer as the value.
    fn cast(&self, code: &mut Code, value: &str, to_integer: bool) -> String {
        let (own, integer) = (self.ty, format!("i{}", self.bits));
        let (from, to) = if to_integer { (own, integer.as_str()) } else { (integer.as_str(), own) };
        let cast = match (own.starts_with("ptr"), to_integer) {
            _ if from == to => return value.to_owned(),
            (true, true) => "ptrtoint",
            (true, false) => "inttoptr",
            (false, _) => "bitcast",
        };
        ir!(code, "{cast} {from} {value} to {to}")
    }

    /// The aligned 32-bit word around a smaller value, and how many bits of it are below the value.
    fn word_around(&self, code: &mut Code) -> (String, String) {
        let (pointer, bits) = (self.pointer, self.address_bits);
        let address = ir!(code, "ptrtoint {pointer} %a0 to i{bits}");
        let word = ir!(code, "call {pointer} @llvm.ptrmask({pointer} %a0, i{bits} -4)");
        let low = code.resized(&address, bits, 32, false);
        let byte = ir!(code, "and i32 {low}, 3");
        (word, ir!(code, "shl i32 {byte}, 3"))
    }

    /// A word with zeros where a smaller value is, and ones elsewhere.
    fn holes(&self, code: &mut Code, shift: &str) -> String {
        let ones = ir!(code, "shl i32 {}, {shift}", ptx_llvm_core::view::mask(self.bits));
        ir!(code, "xor i32 {ones}, -1")
    }

    /// `and`, `or` or `xor` of a smaller integer and `%a1`, by the operation on the word around it. Returns the old value;
    /// where it is not read, nothing reads that of the word either, and the operation can be `red`.
    fn bitwise(&self, code: &mut Code, op: &str, is_read: bool) -> String {
        let (bits, pointer, scope) = (self.bits, self.pointer, &self.scope);
        let (word, shift) = self.word_around(code);
        let wide = ir!(code, "zext i{bits} %a1 to i32");
        let mut operand = ir!(code, "shl i32 {wide}, {shift}");
        if op == "and" {
            let holes = self.holes(code, &shift);
            operand = ir!(code, "or i32 {operand}, {holes}");
        }
        let order = match self.order {
            AtomicOrder::NotAtomic | AtomicOrder::Unordered | AtomicOrder::Monotonic => "monotonic",
            AtomicOrder::Acquire => "acquire",
            AtomicOrder::Release => "release",
            AtomicOrder::AcquireRelease => "acq_rel",
            AtomicOrder::SequentiallyConsistent => "seq_cst",
        };
        let old = ir!(code, "atomicrmw {op} {pointer} {word}, i32 {operand} {scope}{order}, align 4");
        if !is_read {
            return "poison".to_owned();
        }
        let moved = ir!(code, "lshr i32 {old}, {shift}");
        ir!(code, "trunc i32 {moved} to i{bits}")
    }

    /// A loop around compare-and-swap: `round` computes the new value from the one in memory, and a condition under which memory is not changed. Returns the old value.
    fn exchange(
        &self,
        code: &mut Code,
        is_whole: bool,
        round: impl FnOnce(&mut Code, &str) -> Option<(String, Option<String>)>,
    ) -> Option<String> {
        let (bits, pointer, scope) = (self.bits, self.pointer, &self.scope);
        let (place, shift) = match is_whole {
            true => ("%a0".to_owned(), None),
            false => {
                let (word, shift) = self.word_around(code);
                (word, Some(shift))
            }
        };
        let width = if is_whole { bits } else { 32 };
        let bytes = width / 8;
        let holes = shift.as_ref().map(|shift| self.holes(code, shift));
        self.fence_before(code);
        let first = ir!(code, "load atomic i{width}, {pointer} {place} {scope}monotonic, align {bytes}");
        let (mut old, mut always_swaps) = (String::new(), true);
        let [now] = code.repeated(None, [(&format!("i{width}"), &first)], |code, [seen], end| {
            let part = match &shift {
                Some(shift) => {
                    let moved = ir!(code, "lshr i32 {seen}, {shift}");
                    ir!(code, "trunc i32 {moved} to i{bits}")
                }
                None => seen.clone(),
            };
            old = self.cast(code, &part, false);
            let (new, leave) = round(code, &old)?;
            let swap = code.label();
            match leave {
                Some(leave) => {
                    always_swaps = false;
                    code.line(format_args!("br i1 {leave}, label %{end}, label %{swap}"));
                }
                None => code.line(format_args!("br label %{swap}")),
            }
            code.place(&swap);
            let mut new = self.cast(code, &new, true);
            if let (Some(shift), Some(holes)) = (&shift, &holes) {
                let wide = ir!(code, "zext i{bits} {new} to i32");
                let moved = ir!(code, "shl i32 {wide}, {shift}");
                let rest = ir!(code, "and i32 {seen}, {holes}");
                new = ir!(code, "or i32 {rest}, {moved}");
            }
            let pair = ir!(
                code,
                "cmpxchg {pointer} {place}, i{width} {seen}, i{width} {new} {scope}monotonic monotonic, align {bytes}"
            );
            let now = ir!(code, "extractvalue {{ i{width}, i1 }} {pair}, 0");
            let condition = ir!(code, "extractvalue {{ i{width}, i1 }} {pair}, 1");
            Some(Round { next: [now], condition, ends: true })
        })?;
        self.fence_after(code);
        // After a successful swap the old value equals the compared one, which is in a register that the loop does not need.
        Some(if is_whole && always_swaps { self.cast(code, &now, false) } else { old })
    }
}

/// `atomicrmw` operations that `atom` does not have.
pub(crate) fn updated(site: &Site<'_>) -> Option<String> {
    let Op::AtomicRmw { op, order, scope, align, volatile, .. } = &site.inst.op else { return None };
    let mut code = Code::new();
    let value = if is_private(site, site.args.first()?.0) && !matches!(scope, Scope::Other(_)) {
        let (ty, pointer) = (site.type_text(1)?, site.type_text(0)?);
        let kind = kind_of_access(*volatile);
        let old = ir!(code, "load {kind}{ty}, {pointer} %a0, align {align}");
        let new = combined(&mut code, *op, ty, &old)?;
        code.line(format_args!("store {kind}{ty} {new}, {pointer} %a0, align {align}"));
        old
    } else {
        let access = Access::of(site, *order, scope, *align)?;
        if is_one_instruction(site, *op, access.bits) {
            return None;
        }
        match bitwise(*op) {
            Some(name) if access.bits < 32 => access.bitwise(&mut code, name, site.is_read()),
            _ => access.exchange(&mut code, swaps(site, access.bits), |code, old| {
                Some((combined(code, *op, access.ty, old)?, None))
            })?,
        }
    };
    Some(code.finish(site, &value))
}

/// How LLVM spells that the accesses of thread-private memory are kept.
const fn kind_of_access(volatile: bool) -> &'static str {
    if volatile { "volatile " } else { "" }
}

/// LLVM's name of an operation that acts on each bit separately, without `nand`.
const fn bitwise(op: AtomicOp) -> Option<&'static str> {
    match op {
        AtomicOp::And => Some("and"),
        AtomicOp::Or => Some("or"),
        AtomicOp::Xor => Some("xor"),
        _ => None,
    }
}

/// `cmpxchg` of integers for which there is no instruction, or in thread-private memory.
pub(crate) fn exchanged(site: &Site<'_>) -> Option<String> {
    let Op::CmpXchg { success, failure, scope, align, volatile, .. } = &site.inst.op else { return None };
    let (ty, pointer) = (site.type_text(1)?, site.type_text(0)?);
    let mut code = Code::new();
    let old = if is_private(site, site.args.first()?.0) && !matches!(scope, Scope::Other(_)) {
        let kind = kind_of_access(*volatile);
        let old = ir!(code, "load {kind}{ty}, {pointer} %a0, align {align}");
        let equal = ir!(code, "icmp eq {ty} {old}, %a1");
        let stored = ir!(code, "select i1 {equal}, {ty} %a2, {ty} {old}");
        code.line(format_args!("store {kind}{ty} {stored}, {pointer} %a0, align {align}"));
        old
    } else {
        let order = match (*success, *failure) {
            (AtomicOrder::Release, AtomicOrder::Acquire) => AtomicOrder::AcquireRelease,
            (success, failure) => success.max(failure),
        };
        let access = Access::of(site, order, scope, *align)?;
        if swaps(site, access.bits) {
            return None;
        }
        access.exchange(&mut code, false, |code, old| {
            Some(("%a2".to_owned(), Some(ir!(code, "icmp ne {ty} {old}, %a1"))))
        })?
    };
    let equal = ir!(code, "icmp eq {ty} {old}, %a1");
    let value = code.structure(site, &[old, equal], site.result)?;
    Some(code.finish(site, &value))
}

/// Whether integers of this width are compared and swapped as a whole; wide ones always are, and rejected later if the target does not
/// support that.
fn swaps(site: &Site<'_>, bits: u32) -> bool {
    bits >= 32 || (bits == 16 && site.atomics.swaps_16_bits)
}

/// Whether `atom` has an operation.
fn is_one_instruction(site: &Site<'_>, op: AtomicOp, bits: u32) -> bool {
    let Some(ty) = site.ty(1) else { return false };
    let (lanes, element) = (site.lanes(ty), site.element(ty));
    let has = site.atomics;
    match (op, element) {
        (AtomicOp::Xchg, _) => bits >= 32,
        (
            AtomicOp::And
            | AtomicOp::Or
            | AtomicOp::Xor
            | AtomicOp::Add
            | AtomicOp::Sub
            | AtomicOp::Max
            | AtomicOp::Min
            | AtomicOp::UMax
            | AtomicOp::UMin,
            Some(Element::Int(_)),
        ) => matches!(bits, 32 | 64),
        (AtomicOp::UIncWrap | AtomicOp::UDecWrap, _) => bits == 32,
        (AtomicOp::FAdd, Some(Element::Float(kind))) => match (kind, lanes) {
            (FloatKind::Float, 1) => true,
            (FloatKind::Double, 1) => has.adds_double,
            (FloatKind::Half, 1) => has.adds_half,
            (FloatKind::Half, 2) => has.adds_half_pair,
            (FloatKind::BFloat, 1 | 2) => has.adds_bfloat,
            _ => false,
        },
        _ => false,
    }
}

/// The value that an operation stores, computed from the old value and the operand `%a1`.
fn combined(code: &mut Code, op: AtomicOp, ty: &str, old: &str) -> Option<String> {
    let extreme = |code: &mut Code, comparison: &str| code.extreme(comparison, ty, old, "%a1");
    Some(match op {
        AtomicOp::Xchg => "%a1".to_owned(),
        AtomicOp::Add => ir!(code, "add {ty} {old}, %a1"),
        AtomicOp::Sub => ir!(code, "sub {ty} {old}, %a1"),
        AtomicOp::And => ir!(code, "and {ty} {old}, %a1"),
        AtomicOp::Or => ir!(code, "or {ty} {old}, %a1"),
        AtomicOp::Xor => ir!(code, "xor {ty} {old}, %a1"),
        AtomicOp::Nand => {
            let both = ir!(code, "and {ty} {old}, %a1");
            ir!(code, "xor {ty} {both}, -1")
        }
        AtomicOp::Max => extreme(code, "sgt"),
        AtomicOp::Min => extreme(code, "slt"),
        AtomicOp::UMax => extreme(code, "ugt"),
        AtomicOp::UMin => extreme(code, "ult"),
        AtomicOp::FAdd => ir!(code, "fadd {ty} {old}, %a1"),
        AtomicOp::FSub => ir!(code, "fsub {ty} {old}, %a1"),
        AtomicOp::FMax => ir!(code, "call {ty} @llvm.maxnum({ty} {old}, {ty} %a1)"),
        AtomicOp::FMin => ir!(code, "call {ty} @llvm.minnum({ty} {old}, {ty} %a1)"),
        AtomicOp::FMaximum => ir!(code, "call {ty} @llvm.maximum({ty} {old}, {ty} %a1)"),
        AtomicOp::FMinimum => ir!(code, "call {ty} @llvm.minimum({ty} {old}, {ty} %a1)"),
        AtomicOp::UIncWrap => {
            let full = ir!(code, "icmp uge {ty} {old}, %a1");
            let more = ir!(code, "add {ty} {old}, 1");
            ir!(code, "select i1 {full}, {ty} 0, {ty} {more}")
        }
        AtomicOp::UDecWrap => {
            let zero = ir!(code, "icmp eq {ty} {old}, 0");
            let over = ir!(code, "icmp ugt {ty} {old}, %a1");
            let wraps = ir!(code, "or i1 {zero}, {over}");
            let less = ir!(code, "sub {ty} {old}, 1");
            ir!(code, "select i1 {wraps}, {ty} %a1, {ty} {less}")
        }
        AtomicOp::USubCond | AtomicOp::USubSat => {
            let fits = ir!(code, "icmp uge {ty} {old}, %a1");
            let less = ir!(code, "sub {ty} {old}, %a1");
            let otherwise = if op == AtomicOp::USubCond { old } else { "0" };
            ir!(code, "select i1 {fits}, {ty} {less}, {ty} {otherwise}")
        }
    })
}

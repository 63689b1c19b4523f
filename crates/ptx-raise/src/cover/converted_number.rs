//! Numbers that debug code converts to generic addresses in one step, although they are addresses in a space in LLVM IR in between.

use ptx_llvm_core::address_space;
use ptx_llvm_core::marks;
use ptx_llvm_core::view::{CastOp, InstId, Op, Type, Value};
use smallvec::smallvec;

use super::decision::{Action, Match};
use super::state::Covering;

/// The `cvta` of a number, in a register of 64 bits, from the window of a narrow space.
///
/// ```text
/// %a = inttoptr i64 %n to ptr addrspace(3)
/// %r = addrspacecast ptr addrspace(3) %a to ptr    ; cvta.shared.u64 %r, %n;
/// ```
pub(super) fn find(cover: &Covering<'_, '_, '_>, id: InstId) -> Option<Match> {
    let (source, view) = (cover.source, cover.source.view);
    let inst = source.inst(id);
    let Op::Cast { op: CastOp::AddrSpaceCast, value: Value::Inst(address), .. } = inst.op else {
        return None;
    };
    let inner = source.inst(address);
    let Op::Cast { op: CastOp::IntToPtr, value: number, .. } = inner.op else { return None };
    let Type::Pointer { space } = *view.ty(inner.ty) else { return None };
    let fits = source.to_debug
        && inner.name.is_empty()
        && inst.metadata(marks::LITERAL).is_some()
        && source.int_bits(source.type_of(number)?) == Some(view.addresses().bits())
        && matches!(view.ty(inst.ty), Type::Pointer { space: address_space::GENERIC });
    fits.then(|| Match { action: Action::ConvertNumber(number, space), reads: smallvec![number] })
}

//! Numbers that debug code converts to generic addresses in one step, although they are addresses in a space in LLVM IR in between.

use ptx_llvm::address_space;
use ptx_llvm::marks;
use ptx_llvm::view::{CastOp, InstId, Op, Type, Value};
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
    let (number, space) = cover.converted_number(id)?;
    Some(Match { action: Action::ConvertNumber(number, space), reads: smallvec![number] })
}

impl Covering<'_, '_, '_> {
    /// The number, and the space that it is an address of.
    fn converted_number(&self, id: InstId) -> Option<(Value, u32)> {
        if !self.source.to_debug {
            return None;
        }
        let inst = self.source.inst(id);
        let Op::Cast { op: CastOp::AddrSpaceCast, value: Value::Inst(address), .. } = inst.op else {
            return None;
        };
        let inner = self.source.inst(address);
        let Op::Cast { op: CastOp::IntToPtr, value, .. } = inner.op else { return None };
        let is_plain = inner.name.is_empty() && inst.metadata(marks::LITERAL).is_some();
        let view = self.source.view;
        let is_wide = self.source.int_bits(self.source.type_of(value)?) == Some(view.addresses().bits());
        match (view.ty(inst.ty), view.ty(inner.ty)) {
            (Type::Pointer { space: address_space::GENERIC }, Type::Pointer { space })
                if is_plain && is_wide =>
            {
                Some((value, *space))
            }
            _ => None,
        }
    }
}

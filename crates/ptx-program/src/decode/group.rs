//! Groups of asynchronous operations (manual 9.7.9.25.3.2, 9.7.9.25.3.3, 9.7.9.27.2).

use ptx_isa::{Field, Mod, OperandKey};

use super::context::Context;
use super::modifiers::STRONGEST;
use super::operand::src_operand;
use super::output::Decoded;
use crate::program::{AsyncGroup, Effect, Family, GroupAction};

/// `cp.async.commit_group`, `cp.async.bulk.commit_group`.
pub(super) fn commit(cx: &mut Context<'_>, family: Family) -> Decoded<()> {
    cx.emit(Effect::AsyncGroup(AsyncGroup { family, action: GroupAction::Commit }));
    Ok(())
}

/// `cp.async.wait_group`, `cp.async.wait_all`.
pub(super) fn wait_for_copies(cx: &mut Context<'_>) -> Decoded<()> {
    let action = match (cx.m.has(Mod::WaitAll), cx.m.has(Mod::WaitGroup)) {
        (true, false) => GroupAction::WaitForAll,
        (false, true) => GroupAction::Wait(src_operand(cx, OperandKey::Group)?),
        _ => return cx.unsupported("this kind of wait is not supported"),
    };
    cx.emit(Effect::AsyncGroup(AsyncGroup { family: Family::Copies, action }));
    Ok(())
}

/// `cp.async.bulk.wait_group`.
pub(super) fn wait_for_bulk(cx: &mut Context<'_>) -> Decoded<()> {
    cx.m.ignore(&[Field::SyncRestrict], STRONGEST);
    let most = src_operand(cx, OperandKey::GroupsLeft)?;
    let is_of_reads = cx.m.has(Mod::Read);
    let action = if is_of_reads { GroupAction::WaitForReads(most) } else { GroupAction::Wait(most) };
    cx.emit(Effect::AsyncGroup(AsyncGroup { family: Family::Bulk, action }));
    Ok(())
}

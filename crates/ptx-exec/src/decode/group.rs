//! Groups of asynchronous operations (manual 9.7.9.25.3.2, 9.7.9.25.3.3, 9.7.9.27.2).

use ptx_isa::{AsyncSem, Field, Mod, Sem};

use super::Decoded;
use super::body::{BodyDecoder, Context};
use super::modifiers::STRONGEST;
use crate::program::{AsyncGroup, Effect, Family, GroupAction};

impl BodyDecoder<'_> {
    /// `cp.async.commit_group`, `cp.async.wait_group`, `cp.async.wait_all`, and their forms for bulk operations.
    pub(super) fn group(&mut self, cx: &mut Context<'_>) -> Decoded<()> {
        let (family, action) = match cx.m.sem() {
            Sem::Async(AsyncSem::CpAsyncCommit) => (Family::Copies, GroupAction::Commit),
            Sem::Async(AsyncSem::BulkCommit) => (Family::Bulk, GroupAction::Commit),
            Sem::Async(AsyncSem::CpAsyncWait) if cx.m.has(Mod::WaitAll) => {
                (Family::Copies, GroupAction::WaitForAll)
            }
            Sem::Async(AsyncSem::CpAsyncWait) if cx.m.has(Mod::WaitGroup) => {
                (Family::Copies, GroupAction::Wait(self.src_named(cx, "n")?))
            }
            Sem::Async(AsyncSem::BulkWait) => {
                cx.m.ignore(&[Field::SyncRestrict], STRONGEST);
                let most = self.src_named(cx, "N")?;
                let is_of_reads = cx.m.has(Mod::Read);
                let action =
                    if is_of_reads { GroupAction::WaitForReads(most) } else { GroupAction::Wait(most) };
                (Family::Bulk, action)
            }
            _ => return cx.unsupported("it does nothing that is known with a group"),
        };
        cx.emit(Effect::AsyncGroup(AsyncGroup { family, action }));
        Ok(())
    }
}

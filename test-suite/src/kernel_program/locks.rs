//! Sections that one thread at a time executes: under a lock that threads try to take, or in the order of tickets. Each adds a number of its own, not in
//! one step, so that the sum is the same in every order.

use super::COUNTERS;
use super::arithmetic::Instructions;

/// The words, from the end of the counters, of the lock and of what is added up under it, of the next ticket, of the ticket that is served and of what
/// is added up in this order. All begin with the bytes that the output is filled with.
const LOCK: u32 = (COUNTERS - 8) * 4;
const LOCKED_SUM: u32 = LOCK + 4;
const TICKET: u32 = LOCK + 8;
const SERVED: u32 = LOCK + 12;
const SERVED_SUM: u32 = LOCK + 16;
/// A lock that no thread has taken.
const FREE: u32 = 0xa5a5_a5a5;

impl Instructions {
    /// A section that one thread at a time executes.
    pub(super) fn section(&mut self) -> String {
        let (value, again) = (self.value(), self.predicate());
        let [found, sum] = [self.word(), self.word()];
        let name = found.replace('%', "");
        let add = |at: u32| {
            format!(
                "ld.volatile.global.u32 {sum}, [%x2+{at}];\nadd.u32 {sum}, {sum}, {value};\nst.volatile.global.u32 [%x2+{at}], {sum};\nmembar.gl;\n"
            )
        };
        match self.rng.u32(..4) {
            0 => {
                let served = self.word();
                format!(
                    "atom.global.add.u32 {found}, [%x2+{TICKET}], 1;\nwait_{name}:\nld.volatile.global.u32 {served}, [%x2+{SERVED}];\n\
                     setp.ne.u32 {again}, {found}, {served};\n@{again} bra wait_{name};\n{}add.u32 {served}, {served}, 1;\n\
                     st.volatile.global.u32 [%x2+{SERVED}], {served};\n",
                    add(SERVED_SUM)
                )
            }
            // The section is in the loop, which threads leave that have executed it.
            1 => {
                let done = self.predicate();
                format!(
                    "take_{name}:\natom.global.acquire.gpu.cas.b32 {found}, [%x2+{LOCK}], {FREE}, 0;\nsetp.eq.u32 {done}, {found}, {FREE};\n\
                     @!{done} bra next_{name};\n{}st.volatile.global.u32 [%x2+{LOCK}], {FREE};\nnext_{name}:\n@!{done} bra take_{name};\n",
                    add(LOCKED_SUM)
                )
            }
            _ => format!(
                "take_{name}:\natom.global.acquire.gpu.cas.b32 {found}, [%x2+{LOCK}], {FREE}, 0;\nsetp.ne.u32 {again}, {found}, {FREE};\n\
                 @{again} bra take_{name};\n{}atom.global.exch.b32 {found}, [%x2+{LOCK}], {FREE};\n",
                add(LOCKED_SUM)
            ),
        }
    }
}

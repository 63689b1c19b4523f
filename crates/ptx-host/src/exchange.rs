//! If-conversion: branches around a few stores become guards of the stores, if each lane has just loaded from the addresses that it may store to.
//!
//! ```text
//! ld.shared.u32 %r1, [%a]; ld.shared.u32 %r2, [%a+16]         the same
//! setp.le.u32 %p, %r1, %r2                                    the same
//! @%p bra after                                               (removed)
//! st.shared.u32 [%a], %r2; st.shared.u32 [%a+16], %r1         @!%p st.shared.u32 [%a], %r2; @!%p st.shared.u32 [%a+16], %r1
//! after: ..                                                   after: ..
//! ```
//!
//! Such stores become vector stores of all lanes (`analysis/exchange.rs`), which take less time than a test whether any lane stores. Each
//! instruction keeps its number.

use ptx_program::{Effect, Guard, Inst, Op, Program};

use crate::analysis::{BlockId, Graph, Terminator, is_loaded_before};
use crate::inline::Inlined;

/// The most stores that a branch jumps over.
const MOST: u32 = 4;

/// Converts such branches to guards.
pub(crate) fn guard_exchanges(program: &Program, inlined: Option<Inlined>) -> Option<Inlined> {
    let now = inlined.as_ref().map_or(program, |inlined| &inlined.program);
    let exchanges = exchanges(now);
    if exchanges.is_empty() {
        return inlined;
    }
    let mut inlined = inlined.unwrap_or_else(|| Inlined::unchanged(program));
    for exchange in exchanges {
        let code = inlined.program.code.get_mut(exchange.branch as usize..exchange.after as usize);
        let Some([branch, stores @ ..]) = code else {
            debug_assert!(false, "a branch outside of the program");
            continue;
        };
        *branch = Inst { guard: None, op: Op::Effect(Effect::Nothing) };
        stores.iter_mut().for_each(|store| store.guard = Some(exchange.guard));
    }
    Some(inlined)
}

/// A branch around stores.
struct Exchange {
    branch: u32,
    /// The instruction after the stores.
    after: u32,
    /// The guard of the stores.
    guard: Guard,
}

fn exchanges(program: &Program) -> Vec<Exchange> {
    let may_be = |inst: &Inst| matches!(inst.op, Op::Effect(Effect::Branch { .. })) && inst.guard.is_some();
    if !program.code.iter().any(may_be) {
        return Vec::new();
    }
    let Ok(graph) = Graph::new(program) else { return Vec::new() };
    let mut entries = vec![0; graph.blocks().len()];
    for to in graph.blocks().iter().flat_map(|block| block.terminator.targets()) {
        entries[to] += 1;
    }
    (0..graph.blocks().len()).filter_map(|id| exchange(program, &graph, &entries, id)).collect()
}

/// The branch at the end of a block, if it jumps over such stores.
fn exchange(program: &Program, graph: &Graph, entries: &[u32], id: BlockId) -> Option<Exchange> {
    let block = graph.block(id);
    let Terminator::Branch { condition: (row, negated), taken, other } = block.terminator else {
        return None;
    };
    let side = graph.block(other);
    let after = graph.block(taken).first;
    // The instructions stay in place, so the side must be the code between the branch and its target, entered from nowhere else.
    let is_side = entries[other] == 1
        && side.first == block.end + 1
        && side.terminator == Terminator::Jump(taken)
        && side.end == after
        && (1..=MOST).contains(&(side.end - side.first));
    let inst = program.code.get(block.end as usize)?;
    let is_branch = matches!(inst.op, Op::Effect(Effect::Branch { .. }))
        && inst.guard.is_some_and(|guard| (guard.row, guard.negated) == (row, negated));
    let stores = |pc: u32| match program.code.get(pc as usize) {
        Some(Inst { guard: None, op: Op::Effect(Effect::Store(store)) }) => {
            is_loaded_before(program, block.first, block.end, store)
        }
        _ => false,
    };
    if !is_side || !is_branch || !(side.first..side.end).all(stores) {
        return None;
    }
    Some(Exchange { branch: block.end, after, guard: Guard { row, negated: !negated } })
}

#[cfg(test)]
mod tests {
    use ptx_diag::SourceFile;
    use ptx_exec::Memory;

    use super::*;
    use crate::prepared::prepared;

    /// How many branches become guards in a kernel, in which `%r1` is an address for each thread, and how many stores have guards then.
    fn guarded(body: &str) -> (usize, usize) {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n\
             .shared .align 8 .b8 s[4096];\nmov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 3; mov.u32 %r4, s; add.u32 %r1, %r4, %r3;\n{body}\nbar.sync 0; st.shared.u32 [%r1], %r5; ret;\n}}\n"
        );
        let prepared = prepared(&SourceFile::new("k.ptx", text), &Memory::new());
        let Some(made) = guard_exchanges(prepared.program(), None) else { return (0, 0) };
        let (before, after) = (&prepared.program().code, &made.program.code);
        assert_eq!(before.len(), after.len());
        let is_branch = |inst: &&Inst| matches!(inst.op, Op::Effect(Effect::Branch { .. }));
        let is_guarded =
            |inst: &&Inst| inst.guard.is_some() && matches!(inst.op, Op::Effect(Effect::Store(_)));
        let count = |code: &[Inst]| code.iter().filter(is_branch).count();
        (count(before) - count(after), after.iter().filter(is_guarded).count())
    }

    /// Loads of both words, and the condition.
    const LOADS: &str = "ld.shared.u32 %r5, [%r1]; ld.shared.u32 %r6, [%r1+4]; setp.le.u32 %p1, %r5, %r6;";

    #[test]
    fn exchanges_have_guards() {
        let two = format!("{LOADS} @%p1 bra on; st.shared.u32 [%r1], %r6; st.shared.u32 [%r1+4], %r5; on:");
        assert_eq!(guarded(&two), (1, 2));
        let other_way = two.replace("@%p1", "@!%p1");
        assert_eq!(guarded(&other_way), (1, 2));
        let one = format!("{LOADS} @%p1 bra on; st.shared.u32 [%r1], %r6; on:");
        assert_eq!(guarded(&one), (1, 1));
    }

    #[test]
    fn what_may_be_elsewhere_keeps_its_branch() {
        for (why, body) in [
            ("not loaded", "setp.le.u32 %p1, %r2, 7; @%p1 bra on; st.shared.u32 [%r1], %r6; on:"),
            ("another place", "LOADS @%p1 bra on; st.shared.u32 [%r1+8], %r6; on:"),
            ("another size", "LOADS @%p1 bra on; st.shared.u16 [%r1], 5; on:"),
            ("two elements", "LOADS @%p1 bra on; st.shared.v2.u32 [%r1], {%r6, %r5}; on:"),
            ("seen by others", "LOADS @%p1 bra on; st.release.cta.shared.u32 [%r1], %r6; on:"),
            (
                "another address since",
                "LOADS add.u32 %r1, %r1, 64; @%p1 bra on; st.shared.u32 [%r1], %r6; on:",
            ),
            (
                "the address was loaded",
                "LOADS ld.shared.u32 %r1, [%r1]; @%p1 bra on; st.shared.u32 [%r1], %r6; on:",
            ),
            (
                "loaded in some lanes",
                "setp.le.u32 %p1, %r2, 7; @%p1 ld.shared.u32 %r5, [%r1]; @%p1 bra on; st.shared.u32 [%r1], %r6; on:",
            ),
            ("loaded before", "LOADS bar.sync 0; @%p1 bra on; st.shared.u32 [%r1], %r6; on:"),
            ("more than stores", "LOADS @%p1 bra on; add.u32 %r7, %r5, 1; st.shared.u32 [%r1], %r7; on:"),
            ("a guard of its own", "LOADS @%p1 bra on; @%p2 st.shared.u32 [%r1], %r6; on:"),
            ("another way in", "LOADS @%p2 bra in; @%p1 bra on; in: st.shared.u32 [%r1], %r6; on:"),
            ("a way back", "again: LOADS @%p1 bra on; st.shared.u32 [%r1], %r6; bra again; on:"),
            (
                "too many",
                "LOADS @%p1 bra on; st.shared.u32 [%r1], 1; st.shared.u32 [%r1], 2; st.shared.u32 [%r1], 3;\n\
                 st.shared.u32 [%r1], 4; st.shared.u32 [%r1], 5; on:",
            ),
            (
                "global memory",
                "ld.global.u32 %r5, [%rd1]; setp.le.u32 %p1, %r5, 9; @%p1 bra on; st.global.u32 [%rd1], 1; on:",
            ),
        ] {
            assert_eq!(guarded(&body.replace("LOADS", LOADS)), (0, 0), "{why}");
        }
    }
}

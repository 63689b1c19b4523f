//! Loops of PTX that wait for other threads: how often they repeat depends on the scheduler, and so does every count inside of them.

use std::collections::BTreeSet;

use ptx_ir::cfg::Cfg;
use ptx_ir::{Body, Inst, RegId, Stmt};
use ptx_isa::{ControlSem, Sem};

/// Whether a loop is left when something has changed that other threads write: a condition of its exits depends on a load that sees others' stores,
/// an atomic operation, or the state of an `mbarrier`.
pub(crate) fn waits_for_others(body: &Body, cfg: &Cfg, blocks: &BTreeSet<usize>) -> bool {
    let inside: Vec<&Inst> =
        blocks.iter().flat_map(|block| instructions(body, cfg.blocks[*block].statements.clone())).collect();
    let mut wanted: BTreeSet<RegId> = BTreeSet::new();
    for block in blocks {
        let exits = cfg.blocks[*block].successors.iter().any(|to| !blocks.contains(&to.index()));
        let last = cfg.terminator(body, ptx_ir::cfg::BlockId(*block as u32));
        if let Some(last) = last.filter(|last| exits || is_end(last)) {
            body.for_each_register(last, |register, _| {
                wanted.insert(register);
            });
        }
    }
    // Backwards through what the conditions are computed of, inside of the loop, and through memory: what one thread has read of another is often
    // stored in shared memory for the rest of the block, which loads the condition there.
    let (mut is_added, mut is_loaded) = (true, false);
    while is_added {
        is_added = false;
        if is_loaded {
            for store in inside.iter().filter(|inst| inst.mnemonic.to_string().starts_with("st.")) {
                body.for_each_register(store, |register, _| is_added |= wanted.insert(register));
            }
        }
        for inst in &inside {
            if !body.any_register(inst, |register, role| role.is_written() && wanted.contains(&register)) {
                continue;
            }
            let mnemonic = inst.mnemonic.to_string();
            if sees_others(&mnemonic) {
                return true;
            }
            is_added |= !is_loaded && is_load_of_variable(&mnemonic);
            is_loaded |= is_load_of_variable(&mnemonic);
            body.for_each_register(inst, |register, role| {
                if !role.is_written() || inst.guard.is_some_and(|guard| guard.register == register) {
                    is_added |= wanted.insert(register);
                }
            });
        }
    }
    false
}

/// Whether an instruction loads from memory that a kernel may write.
fn is_load_of_variable(mnemonic: &str) -> bool {
    mnemonic.starts_with("ld.") && !mnemonic.starts_with("ld.param") && !mnemonic.starts_with("ld.const")
}

fn is_end(inst: &Inst) -> bool {
    matches!(inst.mnemonic.sem(), Sem::Control(ControlSem::Ret | ControlSem::Exit))
}

/// The instructions among some statements.
pub(crate) fn instructions(body: &Body, statements: std::ops::Range<usize>) -> impl Iterator<Item = &Inst> {
    body.statements[statements].iter().filter_map(|stmt| match stmt {
        Stmt::Inst(inst) => Some(inst),
        _ => None,
    })
}

/// Whether the result may change while the thread itself does nothing.
fn sees_others(mnemonic: &str) -> bool {
    let mut words = mnemonic.split('.');
    let opcode = words.next();
    let has = |word: &str| mnemonic.split('.').any(|other| other == word);
    match opcode {
        Some("atom") => true,
        Some("ld") => has("volatile") || has("acquire") || has("relaxed") || has("mmio"),
        Some("mbarrier") => has("test_wait") || has("try_wait"),
        Some("clusterlaunchcontrol") => true,
        _ => false,
    }
}

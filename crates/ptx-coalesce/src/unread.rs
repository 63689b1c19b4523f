//! Drops instructions whose results nothing reads.
//!
//! Input: any body. Output: the body without instructions that only compute registers which no instruction reads, and without those that only these read. Values of
//! several registers are converted as a whole, and often one of them is all that is needed:
//!
//! ```text
//! cvt.u64.u32 %rd1, %r1;
//! shl.b32 %r2, %r1, 2;            ->    shl.b32 %r2, %r1, 2;
//! st.shared.u32 [%r2], %r3;             st.shared.u32 [%r2], %r3;
//! ```

use ptx_ir::{Body, Inst, Operand, RegId, Stmt};
use ptx_isa::Effects;

/// Drops instructions whose results nothing reads. Registers for which `is_kept` is true count as read.
pub fn drop_unread(body: &mut Body, is_kept: &dyn Fn(&Body, RegId) -> bool) {
    let mut reads = vec![0_u32; body.registers.len()];
    let mut writers: Vec<Vec<u32>> = vec![Vec::new(); body.registers.len()];
    for (at, inst) in body.instructions() {
        body.for_each_register(inst, |register, role| {
            if role.is_read()
                && let Some(count) = reads.get_mut(register.index())
            {
                *count += 1;
            }
            if role.is_written()
                && let Some(list) = writers.get_mut(register.index())
            {
                list.push(at as u32);
            }
        });
    }
    for (register, count) in reads.iter_mut().enumerate() {
        *count += u32::from(is_kept(body, RegId(register as u32)));
    }
    let mut dropped = vec![false; body.statements.len()];
    let unread = |reads: &[u32], register: RegId| reads.get(register.index()) == Some(&0);
    let registers = (0..body.registers.len() as u32).map(RegId);
    let mut work: Vec<RegId> = registers.filter(|register| unread(&reads, *register)).collect();
    while let Some(register) = work.pop() {
        for &at in writers.get(register.index()).into_iter().flatten() {
            let at = at as usize;
            let Some(Stmt::Inst(inst)) = body.statements.get(at) else { continue };
            let Some(is_dropped) = dropped.get_mut(at).filter(|dropped| !**dropped) else { continue };
            if !only_computes(body, inst, |register| unread(&reads, register)) {
                continue;
            }
            *is_dropped = true;
            body.for_each_register(inst, |register, role| {
                if role.is_read()
                    && let Some(count) = reads.get_mut(register.index())
                {
                    *count -= 1;
                    if *count == 0 {
                        work.push(register);
                    }
                }
            });
        }
    }
    let mut dropped = dropped.into_iter();
    body.statements.retain(|_| dropped.next() != Some(true));
}

/// Whether an instruction does nothing but write registers that are not read.
fn only_computes(body: &Body, inst: &Inst, is_unread: impl Fn(RegId) -> bool) -> bool {
    let mnemonic = inst.mnemonic;
    if mnemonic.effects() != Effects::NONE || mnemonic.reads_carry() || mnemonic.writes_carry() {
        return false;
    }
    let (mut all_unread, mut is_plain) = (true, true);
    body.for_each_operand(inst, |operand, role| {
        // What special registers hold may depend on when they are read.
        is_plain &= !matches!(operand, Operand::Special(..) | Operand::SpecialSum(..));
        if role.is_written() {
            match operand {
                Operand::Register(register) | Operand::Element(register, _) => {
                    all_unread &= is_unread(register);
                }
                Operand::Sink | Operand::Omitted | Operand::Vector(_) | Operand::List(_) => {}
                _ => all_unread = false,
            }
        }
    });
    all_unread && is_plain
}

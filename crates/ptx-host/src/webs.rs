//! Gives each value of a register a row of its own.
//!
//! People and compilers use a register for one value after another. The analysis has one result for a row, which would have to hold for all
//! of them. So the accesses of a row are divided into webs: two are in one if they may be of the same value, and each web but the first
//! gets a new row.
//!
//! ```text
//! mov.u32 %r1, %tid.x                 the same
//! st.global.u32 [%rd1], %r1           the same
//! min.u32 %r1, %n, 1                  min.u32 %new, %n, 1
//! setp.eq.u32 %p, %r1, 0              setp.eq.u32 %p, %new, 0          ; uniform
//! ```
//!
//! The old value of a row goes on in a write with a guard, and in an accumulator. The zeros that rows hold when a kernel begins are
//! a value too. Operands of two consecutive rows keep their rows.
//!
//! Only rows with several writes have several webs. They are found for one such row at a time (`values.rs`), so that memory does not grow with
//! the product of rows and blocks.

mod values;

use ptx_program::{Inst, Op, Operand, Program, Slot, Src};

use crate::analysis::{BlockId, Dominance, Edges, Graph, guard_of};
use crate::inline::Inlined;
use values::{Blocks, Values};

/// What an instruction does to a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    /// It ends the life of the old value.
    Write,
    /// The old value goes on, in lanes that do not write or as an operand.
    Update,
}

/// An access of a row.
#[derive(Clone, Copy, Debug)]
struct Access {
    block: u32,
    pc: u32,
    kind: Kind,
}

/// A row of an instruction that gets another number.
struct Rename {
    pc: u32,
    /// Whether it is written, or read.
    is_written: bool,
    row: u32,
    to: u32,
}

/// Gives each value of a kernel a row of its own.
pub(crate) fn separate(program: &Program, inlined: Option<Inlined>) -> Option<Inlined> {
    let now = inlined.as_ref().map_or(program, |inlined| &inlined.program);
    let (renames, rows) = renames(now);
    if renames.is_empty() {
        return inlined;
    }
    let mut inlined = inlined.unwrap_or_else(|| Inlined::unchanged(program));
    for of_one in renames.chunk_by(|one, next| one.pc == next.pc) {
        let inst = of_one.first().and_then(|rename| inlined.program.code.get_mut(rename.pc as usize));
        debug_assert!(inst.is_some(), "an access outside of the program");
        inst.into_iter().for_each(|inst| rename(inst, of_one));
    }
    inlined.program.functions.kernel_mut().rows = rows;
    Some(inlined)
}

/// The new rows of operands, by instruction, and the number of rows then.
fn renames(program: &Program) -> (Vec<Rename>, u32) {
    let mut rows = program.kernel().rows;
    let is_split = written_again(program);
    if !is_split.contains(&true) {
        return (Vec::new(), rows);
    }
    // The analysis reports what keeps the kernel from being compiled.
    let Ok(graph) = Graph::new(program) else { return (Vec::new(), rows) };
    let edges = Edges::new(&graph);
    let dominance = Dominance::new(&edges);
    let accesses = Accesses::of(program, &graph, &dominance, &is_split);
    let Some(blocks) = Blocks::new(&edges, &dominance) else { return (Vec::new(), rows) };
    let mut values = Values::new(&blocks);
    let mut renames = Vec::new();
    for row in (0..program.kernel().rows).filter(|&row| is_split[row as usize]) {
        let accesses = accesses.of_row(row);
        let Some(webs) = values.webs(accesses) else { continue };
        let mut names: Vec<Option<u32>> = vec![None; accesses.len()];
        let mut name = |web: usize| {
            *names[web].get_or_insert_with(|| {
                rows += 1;
                rows - 1
            })
        };
        for (access, &web) in accesses.iter().zip(webs).filter(|(_, web)| **web != webs[0]) {
            let is_written = access.kind != Kind::Read;
            renames.push(Rename { pc: access.pc, is_written, row, to: name(web) });
        }
    }
    renames.sort_by_key(|rename| rename.pc);
    (renames, rows)
}

/// For each row of the kernel whether several instructions write it, and none needs it beside another row.
fn written_again(program: &Program) -> Vec<bool> {
    let rows = program.kernel().rows as usize;
    let (mut writes, mut is_fixed) = (vec![0_u32; rows], vec![false; rows]);
    let mut fix = |src: Option<u32>| {
        if let Some(is_fixed) = src.and_then(|row| is_fixed.get_mut(row as usize)) {
            *is_fixed = true;
        }
    };
    for inst in &program.code {
        inst.op.operands(&mut |operand| match operand {
            Operand::Write(&row) | Operand::Update(&row) => {
                if let Some(writes) = writes.get_mut(row as usize) {
                    *writes += 1;
                }
            }
            Operand::ReadPair(src) => [*src, src.plus(1)].into_iter().for_each(|src| fix(src.as_register())),
            Operand::Argument(slot) | Operand::Result(slot) => of_slot(slot).for_each(&mut fix),
            Operand::Read(_) | Operand::Frame(_) => {}
        });
    }
    writes.into_iter().zip(is_fixed).map(|(writes, is_fixed)| writes > 1 && !is_fixed).collect()
}

/// The rows of an argument or result.
fn of_slot(slot: &Slot) -> impl Iterator<Item = Option<u32>> + use<> {
    let (first, count) = match *slot {
        Slot::Rows { first, count, .. } => (first, count),
        Slot::Memory { .. } | Slot::Open { .. } | Slot::Nothing => (Src::constant(0), 0),
    };
    (0..count).map(move |n| first.plus(n).as_register())
}

/// The accesses of some rows, those of each in the order of the dominator tree.
struct Accesses {
    all: Vec<Access>,
    /// Where those of each row begin.
    starts: Vec<u32>,
}

impl Accesses {
    /// The accesses of the rows with a flag.
    fn of(program: &Program, graph: &Graph, dominance: &Dominance, of_rows: &[bool]) -> Self {
        let is_one = |row: u32| of_rows.get(row as usize) == Some(&true);
        let mut starts = vec![0; of_rows.len() + 1];
        for &id in dominance.order() {
            each(program, graph, id, &mut |row, _| {
                if is_one(row) {
                    starts[row as usize + 1] += 1;
                }
            });
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let none = Access { block: 0, pc: 0, kind: Kind::Read };
        let (mut next, mut all) = (starts.clone(), vec![none; starts[of_rows.len()] as usize]);
        for &id in dominance.order() {
            each(program, graph, id, &mut |row, access| {
                if is_one(row) {
                    all[next[row as usize] as usize] = access;
                    next[row as usize] += 1;
                }
            });
        }
        Self { all, starts }
    }

    fn of_row(&self, row: u32) -> &[Access] {
        &self.all[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }
}

/// The accesses of a block, in order. An instruction reads its operands before it writes.
fn each(program: &Program, graph: &Graph, id: BlockId, see: &mut dyn FnMut(u32, Access)) {
    let block = graph.block(id);
    let access = |pc, kind| Access { block: id as u32, pc, kind };
    let mut writes = Vec::new();
    for (pc, inst, _) in graph.code(program, block) {
        let guard = guard_of(inst);
        guard.iter().for_each(|guard| see(guard.row, access(pc, Kind::Read)));
        inst.op.operands(&mut |operand| match operand {
            Operand::Read(src) => src.as_register().iter().for_each(|&row| see(row, access(pc, Kind::Read))),
            Operand::Write(&row) if guard.is_none() => writes.push((row, Kind::Write)),
            Operand::Write(&row) | Operand::Update(&row) => writes.push((row, Kind::Update)),
            // These rows are not renamed.
            Operand::ReadPair(_) | Operand::Argument(_) | Operand::Result(_) | Operand::Frame(_) => {}
        });
        writes.drain(..).for_each(|(row, kind)| see(row, access(pc, kind)));
    }
    // The rows of a branch, and the guard of an operation at which lanes wait: it selects those that arrive.
    for row in block.terminator.decided_by() {
        see(row, access(block.end, Kind::Read));
    }
}

/// Changes the rows of an instruction.
fn rename(inst: &mut Inst, renames: &[Rename]) {
    let new = |row: u32, is_written: bool| {
        let found = renames.iter().find(|rename| rename.row == row && rename.is_written == is_written);
        // Default: operands without a new row keep theirs.
        found.map_or(row, |rename| rename.to)
    };
    if let Some(guard) = &mut inst.guard {
        guard.row = new(guard.row, false);
    }
    operands(&mut inst.op, &new);
}

fn operands(op: &mut Op, new: &dyn Fn(u32, bool) -> u32) {
    op.operands_mut(&mut |operand| match operand {
        Operand::Read(src) => {
            if let Some(row) = src.as_register() {
                *src = Src::register(new(row, false));
            }
        }
        Operand::Write(row) | Operand::Update(row) => *row = new(*row, true),
        Operand::ReadPair(_) | Operand::Argument(_) | Operand::Result(_) | Operand::Frame(_) => {}
    });
}

#[cfg(test)]
mod tests;

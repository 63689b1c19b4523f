//! `ptx-sink`: what only one side of a branch needs is computed on that side.
//!
//! nvcc computes before a guard what the guarded store stores, and LLVM's pipelines hoist it there. All warps execute it then, of which one needs it:
//!
//! ```text
//! %l = call float @llvm.log2(%x)             br i1 %is_first, label %guarded, label %end
//! %m = fmul float %l, %y            -->    guarded:
//! br i1 %is_first, label %guarded, ..       %l = call float @llvm.log2(%x)
//! guarded:                                  %m = fmul float %l, %y
//!   store float %m, ptr addrspace(1) %p     store float %m, ptr addrspace(1) %p
//! ```
//!
//! LLVM's `sink` moves all that it can, which costs registers and time: operands live longer, and `ptxas` executes short guarded code with predicates, where an address that is
//! computed before is free. So a group of instructions (those that are connected by their operands) moves only if
//! - it costs at least [`LEAST_COST`], about as many instructions as a branch and the wait for it;
//! - no more registers are live into the guarded side than before;
//! - no address is computed of it;
//! - the branch is in no loop: `ptxas` unrolls and pipelines loops of one block, and the code before the branch hides the latency of its loads.
//!
//! Instructions that read or write memory, communicate with other threads, or may not be executed for fewer threads stay, also those with a user that is a phi.

use std::collections::{HashMap, HashSet};

use ptx_graph::{Component, DominatorTree, components};
use ptx_llvm_core::edit::{Editor, Flow, Function, Inst, Opcode, TypeKind, Value};
use ptx_llvm_core::{LlvmError, marks};

use crate::opcodes::computes_values;
use crate::pass::{Pass, Run, When};

pub(super) const PASS: Pass = Pass {
    name: "ptx-sink",
    summary: "Moves computations that only one side of a branch needs there, if they are expensive and take no more registers.",
    when: When::LastAtLevels,
    run: Run::Function(run),
    parameters: &[],
};

/// The least cost of a group that is moved, in machine instructions.
const LEAST_COST: u32 = 8;

/// By how many 32-bit registers more may be live into one side of a branch.
const MOST_ADDED: u32 = 8;

/// How many branches an instruction is moved past.
const MOST_MOVES: u32 = 4;

/// How many users of an operand are looked at to find out whether it is live anyway.
const MOST_USERS: usize = 64;

fn run<'e>(editor: &Editor<'e>, function: Function<'e>) -> Result<(), LlvmError> {
    let graph = Flow::new(function);
    if graph.blocks().len() < 2 {
        return Ok(());
    }
    let tree = DominatorTree::new(&graph);
    let components = components(&graph);
    let mut sinking = Sinking { editor, graph: &graph, tree: &tree, moves: HashMap::new() };
    // What moves out of a block may move on: blocks come after those that dominate them.
    for &at in tree.order() {
        if is_in_cycle(&graph, at, &components) {
            continue;
        }
        let is_conditional = |end: Inst<'e>| end.condition().is_some();
        if !graph.blocks()[at].terminator().is_some_and(is_conditional) {
            continue;
        }
        for &side in graph.successors_of(at) {
            if graph.predecessors_of(side) == [at] {
                sinking.move_groups(at, side)?;
            }
        }
    }
    Ok(())
}

/// Whether control may come from a block back to it.
fn is_in_cycle(graph: &Flow<'_>, at: usize, components: &[Option<Component>]) -> bool {
    components[at].is_none_or(|component| component.size > 1) || graph.successors_of(at).contains(&at)
}

struct Sinking<'a, 'e> {
    editor: &'a Editor<'e>,
    graph: &'a Flow<'e>,
    tree: &'a DominatorTree,
    /// How often instructions have been moved.
    moves: HashMap<Inst<'e>, u32>,
}

/// Instructions of a block that are connected by their operands, and all of whose other users are on one side of its branch.
#[derive(Default)]
struct Group {
    /// Machine instructions, roughly.
    cost: u32,
    /// Registers of results that the side uses.
    live: u32,
    /// Registers of operands that the side does not use otherwise.
    added: u32,
    /// Whether an address is computed of it.
    is_address: bool,
}

impl<'e> Sinking<'_, 'e> {
    /// Moves the groups of a block that are worth it to one side of its branch.
    fn move_groups(&mut self, at: usize, side: usize) -> Result<(), LlvmError> {
        let Some(place) = self.graph.blocks()[side].first_after_phis() else { return Ok(()) };
        let candidates = self.candidates(at, side);
        if candidates.is_empty() {
            return Ok(());
        }
        let number: HashMap<Inst<'e>, usize> =
            candidates.iter().enumerate().map(|(number, inst)| (*inst, number)).collect();
        let roots = connected(&candidates, &number);
        let mut groups: HashMap<usize, Group> = HashMap::new();
        let mut seen = HashSet::new();
        for (&inst, &root) in candidates.iter().zip(&roots) {
            let group = groups.entry(root).or_default();
            group.cost += cost(inst);
            let mut outside = inst.users().filter(|user| !number.contains_key(user)).peekable();
            if outside.peek().is_some() {
                group.live += registers(inst.value());
                group.is_address |= outside.any(is_address);
            }
            for operand in inst.operands().filter(|operand| operand.as_inst().is_some()) {
                let is_own = operand.as_inst().is_some_and(|inst| number.contains_key(&inst));
                if !is_own && seen.insert((root, operand)) && !self.is_used_in(side, operand, &number) {
                    group.added += registers(operand);
                }
            }
        }
        // The most valuable first, as far as there are registers.
        let mut chosen: Vec<(usize, Group)> =
            groups.into_iter().filter(|(_, group)| group.cost >= LEAST_COST && !group.is_address).collect();
        chosen.sort_by_key(|(root, group)| (std::cmp::Reverse(group.cost), *root));
        let (mut moved, mut room) = (HashSet::new(), MOST_ADDED);
        for (root, group) in chosen {
            let more = group.added.saturating_sub(group.live);
            if more <= room {
                room -= more;
                moved.insert(root);
            }
        }
        if moved.is_empty() {
            return Ok(());
        }
        // It is no longer an instruction with a guard in PTX, which raising would compute the operands of before.
        if let Some(branch) = self.graph.blocks()[at].terminator() {
            branch.set_metadata(self.editor.metadata_kind(marks::GUARD), None);
        }
        // Candidates were found from the last to the first.
        for (inst, root) in candidates.into_iter().zip(roots).rev() {
            if moved.contains(&root) {
                *self.moves.entry(inst).or_default() += 1;
                self.editor.move_before(inst, place)?;
            }
        }
        Ok(())
    }

    /// The instructions of a block that may be executed on one side of its branch instead, the last first.
    fn candidates(&self, at: usize, side: usize) -> Vec<Inst<'e>> {
        let (mut found, mut is_found) = (Vec::new(), HashSet::new());
        for inst in self.graph.blocks()[at].instructions().into_iter().rev() {
            let is_done = self.moves.get(&inst).is_some_and(|moves| *moves >= MOST_MOVES);
            if is_done || !inst.has_users() || !is_movable(inst) {
                continue;
            }
            let is_needed_there = |user: Inst<'e>| {
                is_found.contains(&user) || user.opcode() != Opcode::Phi && self.is_within(side, user)
            };
            if inst.users().all(is_needed_there) {
                found.push(inst);
                is_found.insert(inst);
            }
        }
        found
    }

    /// Whether an instruction is only reached through this block.
    fn is_within(&self, side: usize, inst: Inst<'e>) -> bool {
        inst.block()
            .and_then(|block| self.graph.number(block))
            .is_some_and(|block| self.tree.dominates(side, block))
    }

    /// Whether a value is used on that side, not only by instructions that may be moved there.
    fn is_used_in(&self, side: usize, value: Value<'e>, candidates: &HashMap<Inst<'e>, usize>) -> bool {
        let users = value.users().filter_map(Value::as_inst).take(MOST_USERS);
        users.into_iter().any(|user| !candidates.contains_key(&user) && self.is_within(side, user))
    }
}

/// For each candidate the number of one that stands for its group: those that use each other's results are together.
fn connected<'e>(candidates: &[Inst<'e>], number: &HashMap<Inst<'e>, usize>) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..candidates.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for (at, inst) in candidates.iter().enumerate() {
        for user in inst.users().filter_map(|user| number.get(&user)) {
            let (a, b) = (root(&mut parent, at), root(&mut parent, *user));
            parent[a.max(b)] = a.min(b);
        }
    }
    (0..candidates.len()).map(|at| root(&mut parent, at)).collect()
}

/// Whether an instruction may be executed later and by fewer threads: it depends on its operands alone. Addresses stay where they are.
fn is_movable(inst: Inst<'_>) -> bool {
    if inst.has_debug_records() || matches!(inst.ty().kind(), TypeKind::Pointer(_)) {
        return false;
    }
    match inst.opcode() {
        Opcode::Call => inst.called_function().is_some_and(|function| {
            function.is_intrinsic()
                && function.attribute("memory") == Some(0)
                && function.attribute("convergent").is_none()
                && !inst.has_operand_bundles()
        }),
        // Division stays defined where fewer threads execute it.
        Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem | Opcode::FRem => true,
        opcode => computes_values(opcode),
    }
}

/// About how many machine instructions it is.
fn cost(inst: Inst<'_>) -> u32 {
    let words = registers(inst.value()).max(1);
    match inst.opcode() {
        Opcode::FDiv => 8 * words,
        Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem | Opcode::FRem => 16 * words,
        Opcode::BitCast
        | Opcode::ExtractElement
        | Opcode::ExtractValue
        | Opcode::InsertElement
        | Opcode::InsertValue
        | Opcode::Freeze => 0,
        Opcode::Call if !is_cheap(inst) => 6 * words,
        _ => words,
    }
}

/// Whether a call is one machine instruction.
fn is_cheap(call: Inst<'_>) -> bool {
    const CHEAP: [&str; 15] = [
        "llvm.nvvm.fma.",
        "llvm.fma.",
        "llvm.fmuladd.",
        "llvm.fabs.",
        "llvm.minnum.",
        "llvm.maxnum.",
        "llvm.minimum.",
        "llvm.maximum.",
        "llvm.umin.",
        "llvm.umax.",
        "llvm.smin.",
        "llvm.smax.",
        "llvm.abs.",
        "llvm.fsh",
        "llvm.nvvm.read.ptx.sreg.",
    ];
    let Some(function) = call.called_function() else { return false };
    CHEAP.iter().any(|name| function.name().starts_with(name.as_bytes()))
}

/// How many 32-bit registers a value takes.
fn registers(value: Value<'_>) -> u32 {
    let of = |kind: TypeKind<'_>| match kind {
        TypeKind::Integer(bits) => bits.div_ceil(32),
        TypeKind::Double => 2,
        // Addresses of shared and local memory have 32 bits.
        TypeKind::Pointer(3 | 5) => 1,
        TypeKind::Pointer(_) => 2,
        _ => 1,
    };
    match value.ty().kind() {
        TypeKind::Vector { element, length } => match element.kind() {
            TypeKind::Half | TypeKind::BFloat | TypeKind::Integer(16) => length.div_ceil(2),
            TypeKind::Integer(bits @ 1..=8) => (length * bits).div_ceil(32),
            kind => length * of(kind),
        },
        kind => of(kind),
    }
}

/// Whether a user computes an address.
fn is_address(user: Inst<'_>) -> bool {
    matches!(user.opcode(), Opcode::GetElementPtr | Opcode::IntToPtr)
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::{Context, Module};

    use super::PASS;

    /// The names of values that a function computes in the blocks after its entry, after the pass. `entry` computes them of `%x`, `%y`, `%i`; the first block stores
    /// what is in `guarded`.
    fn moved(entry: &str, guarded: &str) -> Vec<String> {
        let text = format!(
            "declare float @llvm.log2.f32(float)
declare float @llvm.nvvm.shfl.sync.down.f32(i32, float, i32, i32)
define void @f(ptr addrspace(1) %p, ptr addrspace(1) %q, float %a, i32 %j, i1 %c) {{
  %x = load float, ptr addrspace(1) %q
  %i = load i32, ptr addrspace(1) %p
{entry}
  br i1 %c, label %guarded, label %end
guarded:
{guarded}
  br label %end
end:
  ret void
}}
"
        );
        after(&text)
    }

    fn after(text: &str) -> Vec<String> {
        let context = Context::new().expect("LLVM 22");
        let mut module = Module::parse(&context, "m", text.as_bytes()).expect("valid text");
        crate::pass::on_functions(&mut module, super::run).expect("runs");
        module.verify().expect("still valid");
        let text = module.to_text();
        let (_, after) = text.split_once("\nguarded:").expect("the block");
        let (after, _) = after.split_once("\n}").expect("the end");
        let names = after.lines().filter_map(|line| line.trim().strip_prefix('%')?.split_once(" = "));
        names.map(|(name, _)| name.to_owned()).collect()
    }

    const LOG: &str =
        "  %l = call float @llvm.log2.f32(float %x)\n  %m = fmul float %l, %a\n  %n = fadd float %m, 1.0";
    const STORE: &str = "  store float %n, ptr addrspace(1) %p";

    #[test]
    fn what_one_side_needs_is_computed_there_in_order() {
        assert_eq!(PASS.name, "ptx-sink");
        assert_eq!(moved(LOG, STORE), ["l", "m", "n"]);
        let both = format!("{LOG}\n  %d = fdiv float %a, %x\n  %e = fsub float %d, %m");
        assert_eq!(
            moved(&both, &format!("{STORE}\n  store float %e, ptr addrspace(1) %q")),
            ["l", "m", "n", "d", "e"]
        );
    }

    #[test]
    fn a_guarded_instruction_becomes_a_block() {
        let text = |computed: &str| {
            format!(
                "declare float @llvm.log2.f32(float)
define void @f(ptr addrspace(1) %p, float %a, float %x, i1 %c) {{
{computed}
  br i1 %c, label %guarded, label %end, !ptx.guard !0
guarded:
{STORE}
  br label %end
end:
  ret void
}}
!0 = !{{}}"
            )
        };
        let is_guard = |computed: &str| {
            let context = Context::new().expect("LLVM 22");
            let mut module = Module::parse(&context, "m", text(computed).as_bytes()).expect("valid text");
            crate::pass::on_functions(&mut module, super::run).expect("runs");
            module.to_text().contains("!ptx.guard")
        };
        assert!(!is_guard(LOG));
        assert!(is_guard("  %n = fadd float %x, 1.0"));
    }

    #[test]
    fn what_is_cheap_or_needed_elsewhere_stays() {
        let few = "  %l = fmul float %x, %a\n  %m = fmul float %l, %a\n  %n = fadd float %m, 1.0";
        assert_eq!(moved(few, STORE), [""; 0]);
        let stored = format!("{LOG}\n  store float %n, ptr addrspace(1) %q");
        assert_eq!(moved(&stored, STORE), [""; 0]);
        // The logarithm is needed, and the rest is cheap.
        let stored = format!("{LOG}\n  store float %l, ptr addrspace(1) %q");
        assert_eq!(moved(&stored, STORE), [""; 0]);
    }

    #[test]
    fn loads_and_communication_stay_where_all_threads_execute_them() {
        let shuffled = "  %l = call float @llvm.nvvm.shfl.sync.down.f32(i32 -1, float %x, i32 1, i32 31)\n  %d = fdiv float %l, %a\n  %n = fadd float %d, 1.0";
        assert_eq!(moved(shuffled, STORE), ["d", "n"]);
        let loaded =
            "  %l = load float, ptr addrspace(1) %p\n  %d = fdiv float %l, %a\n  %n = fadd float %d, 1.0";
        assert_eq!(moved(loaded, STORE), ["d", "n"]);
    }

    #[test]
    fn addresses_stay() {
        let index = "  %d = udiv i32 %i, %j\n  %g = getelementptr float, ptr addrspace(1) %p, i32 %d";
        let store = "  store float %x, ptr addrspace(1) %g";
        assert_eq!(moved(index, store), [""; 0]);
        let inside =
            "  %g = getelementptr float, ptr addrspace(1) %p, i32 %d\n  store float %x, ptr addrspace(1) %g";
        assert_eq!(moved("  %d = udiv i32 %i, %j", inside), ["g"]);
    }

    #[test]
    fn no_more_registers_are_live_than_there_are_for_it() {
        let loads: String =
            (0..12).map(|at| format!("  %v{at} = load volatile float, ptr addrspace(1) %q\n")).collect();
        let sums = |count: usize| -> String {
            let sum = |at: usize| format!("  %s{} = fadd float %s{at}, %v{at}\n", at + 1);
            format!(
                "{loads}  %s0 = fdiv float %x, %a\n{}  %n = fadd float %s{count}, 1.0",
                (0..count).map(sum).collect::<String>()
            )
        };
        assert_eq!(moved(&sums(8), STORE).len(), 10, "nine are live, and one was");
        assert_eq!(moved(&sums(9), STORE), [""; 0]);
        // The operands are live there anyway.
        let uses: String =
            (0..9).map(|at| format!("  store volatile float %v{at}, ptr addrspace(1) %q\n")).collect();
        assert_eq!(moved(&sums(9), &format!("{uses}{STORE}")).len(), 11);
    }

    #[test]
    fn branches_in_loops_and_sides_with_other_ways_in_stay_as_they_are() {
        let guarded = |entry: &str, end: &str| {
            format!(
                "declare float @llvm.log2.f32(float)
define void @f(ptr addrspace(1) %p, float %a, float %x, i1 %c, i1 %d) {{
  {entry}
before:
{LOG}
  br i1 %c, label %guarded, label %end
guarded:
{STORE}
  br label %end
end:
  {end}
}}"
            )
        };
        assert_eq!(after(&guarded("br label %before", "ret void")), ["l", "m", "n"]);
        assert_eq!(after(&guarded("br label %before", "br label %before")), [""; 0]);
        // Without %n, which would not be computed on the other way.
        let other = guarded("br i1 %d, label %before, label %guarded", "ret void")
            .replace("store float %n,", "store float %a,");
        assert_eq!(after(&other), [""; 0]);
    }

    #[test]
    fn instructions_move_past_several_branches_but_not_past_any_number() {
        let chain = |length: usize| {
            let block = |at: usize| format!("b{at}:\n  br i1 %c, label %b{}, label %end\n", at + 1);
            let blocks: String = (0..length).map(block).collect();
            format!(
                "declare float @llvm.log2.f32(float)
define void @f(ptr addrspace(1) %p, float %a, float %x, i1 %c) {{
{LOG}
  br i1 %c, label %b0, label %end
{blocks}b{length}:
  br label %guarded
guarded:
{STORE}
  br label %end
end:
  ret void
}}"
            )
        };
        let after = |length| {
            let context = Context::new().expect("LLVM 22");
            let mut module = Module::parse(&context, "m", chain(length).as_bytes()).expect("valid text");
            crate::pass::on_functions(&mut module, super::run).expect("runs");
            module.verify().expect("still valid");
            let text = module.to_text();
            let before = text.split_once("llvm.log2.f32(float %x)").expect("the call").0;
            before.lines().filter(|line| line.starts_with('b')).count()
        };
        assert_eq!(after(2), 3, "the last block before the store");
        assert_eq!(after(20), 4);
    }
}

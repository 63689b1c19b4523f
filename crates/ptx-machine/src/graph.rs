//! The graph of blocks of a function in machine code.

use std::collections::BTreeMap;

use crate::listing::{Instruction, Item};

/// An edge of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The block that control leaves.
    pub from: usize,
    /// The block that it comes to; `None` where it leaves the function.
    pub to: Option<usize>,
    /// Whether it is never taken: the way of `BRA.DIV`, for warps that are divergent where the code was made for whole ones.
    pub is_never: bool,
}

/// A function's blocks and edges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The instructions of each block, in the order of the listing; block 0 is the entry.
    pub blocks: Vec<Vec<Instruction>>,
    /// The edges, by the blocks that they leave.
    pub edges: Vec<Edge>,
    /// The block that each label is before; labels at the end have none.
    pub labels: BTreeMap<String, usize>,
}

impl Graph {
    /// Takes a function apart.
    pub fn new(items: &[Item]) -> Self {
        let mut graph = Self::default();
        let (mut is_open, mut pending) = (false, Vec::new());
        for item in items {
            match item {
                Item::Label(name) => {
                    is_open = false;
                    pending.push(name.clone());
                }
                Item::Instruction(instruction) => {
                    if !is_open {
                        let here = graph.blocks.len();
                        graph.labels.extend(pending.drain(..).map(|name| (name, here)));
                        graph.blocks.push(Vec::new());
                    }
                    is_open = !ends_block(instruction);
                    graph.blocks.last_mut().into_iter().for_each(|block| block.push(instruction.clone()));
                }
            }
        }
        graph.edges = (0..graph.blocks.len()).flat_map(|at| graph.edges_of(at)).collect();
        graph
    }

    fn edges_of(&self, from: usize) -> Vec<Edge> {
        let Some(last) = self.blocks[from].last() else { return Vec::new() };
        let next = (from + 1 < self.blocks.len()).then_some(from + 1);
        let edge = |to| Edge { from, to, is_never: false };
        let mut edges = match last.base() {
            "BRA" | "JMP" => {
                let to = last.target().and_then(|label| self.labels.get(label).copied());
                vec![Edge { is_never: last.has("DIV"), ..edge(to) }]
            }
            "BRX" | "JMX" | "BRXU" | "JMXU" => {
                let targets = branch_targets(&last.operands);
                let to = targets.filter_map(|label| self.labels.get(label)).map(|to| edge(Some(*to)));
                to.collect()
            }
            "EXIT" | "RET" | "KILL" => vec![edge(None)],
            _ => return vec![edge(next)],
        };
        if is_conditional(last) {
            edges.extend(next.map(|next| edge(Some(next))));
        }
        edges
    }

    /// The blocks that can be executed: those that an edge which is ever taken reaches from the entry or from an entry of `calls`.
    pub fn reachable(&self, entries: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut successors = vec![Vec::new(); self.blocks.len()];
        for edge in self.edges.iter().filter(|edge| !edge.is_never) {
            successors[edge.from].extend(edge.to);
        }
        let mut seen = vec![false; self.blocks.len()];
        let mut stack: Vec<usize> = entries.into_iter().collect();
        while let Some(block) = stack.pop() {
            if let Some(place) = seen.get_mut(block)
                && !std::mem::replace(place, true)
            {
                stack.extend(&successors[block]);
            }
        }
        seen
    }

    /// For each block the name of the subroutine that it belongs to, of those behind the function: what ptxas adds for divisions and square roots, and functions of
    /// the module that are called by it alone (`$kernel$function`).
    pub fn subroutines(&self) -> Vec<Option<&str>> {
        let mut starts = vec![None; self.blocks.len()];
        for (name, block) in self.labels.iter().filter(|(name, _)| name.starts_with('$')) {
            starts[*block] = Some(name.as_str());
        }
        let mut current = None;
        starts
            .into_iter()
            .map(|start| {
                current = start.or(current);
                current
            })
            .collect()
    }
}

fn ends_block(instruction: &Instruction) -> bool {
    matches!(instruction.base(), "EXIT" | "RET" | "KILL" | "BRA" | "JMP" | "BRX" | "JMX" | "BRXU" | "JMXU")
}

/// Whether control may go on to the next instruction.
fn is_conditional(branch: &Instruction) -> bool {
    // `BRA.U UP0, L`, `BRA P1, L`: a second condition beside the guard.
    let operands = branch.operands.trim_start_matches('!').trim_start_matches('U');
    let has_predicate =
        operands.strip_prefix('P').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    branch.guard.is_some() || has_predicate || branch.has("DIV") || branch.has("CONV")
}

/// The labels of `(*"BRANCH_TARGETS .L_x_1,.L_x_2"*)`.
fn branch_targets(operands: &str) -> impl Iterator<Item = &str> {
    let list = operands.split_once("BRANCH_TARGETS").map(|(_, rest)| rest);
    let list = list.and_then(|rest| rest.split(['"', '*', ')']).next());
    list.into_iter().flat_map(|list| list.split(',')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::functions;

    fn graph(code: &str) -> Graph {
        let mut text = String::from("//------ .text.k ------\n");
        for (at, line) in code.lines().enumerate() {
            let line = line.trim();
            text +=
                &if line.ends_with(':') { format!("{line}\n") } else { format!("/*{at:04x}*/ {line} ;\n") };
        }
        Graph::new(&functions(&text)["k"])
    }

    fn edges(graph: &Graph) -> Vec<(usize, Option<usize>)> {
        graph.edges.iter().map(|edge| (edge.from, edge.to)).collect()
    }

    #[test]
    fn guarded_branches_and_exits_go_on() {
        let graph = graph(
            "ISETP P0\n@!P0 BRA `(.L_1)\n.L_0:\nFADD R1\n@P0 BRA `(.L_0)\n.L_1:\n@P1 EXIT\nSTG R2\nEXIT",
        );
        let wanted =
            [(0, Some(2)), (0, Some(1)), (1, Some(1)), (1, Some(2)), (2, None), (2, Some(3)), (3, None)];
        assert_eq!(edges(&graph), wanted);
    }

    #[test]
    fn uniform_predicates_are_conditions_and_divergence_is_never() {
        let graph =
            graph("BRA.U !UP0, `(.L_1)\nBRA.DIV UR4, `(.L_1)\nBRA `(.L_2)\n.L_1:\nSHFL R1\n.L_2:\nEXIT");
        let wanted =
            [(0, Some(3)), (0, Some(1)), (1, Some(3)), (1, Some(2)), (2, Some(4)), (3, Some(4)), (4, None)];
        assert_eq!(edges(&graph), wanted);
        assert!(graph.edges[2].is_never && !graph.edges[0].is_never);
    }

    #[test]
    fn indexed_branches_have_the_listed_targets() {
        let graph = graph("BRX R2 -0x230 (*\"BRANCH_TARGETS .L_1,.L_2\"*)\n.L_1:\nEXIT\n.L_2:\nEXIT");
        assert_eq!(edges(&graph), [(0, Some(1)), (0, Some(2)), (1, None), (2, None)]);
    }
}

//! A function with what all analyses need of it: its graph, in what order it is visited, what dominates what, its loops and its lines.

use ptx_diag::Span;
use ptx_ir::cfg::{BlockId, Cfg};
use ptx_ir::dominators::immediate_dominators;
use ptx_ir::{Body, Function, FunctionKind, Inst, Module, RegId, Stmt, print_instruction};

use crate::loops::Loops;

/// A function with a body.
pub(crate) struct Code<'m> {
    pub(crate) module: &'m Module,
    pub(crate) function: &'m Function,
    pub(crate) body: &'m Body,
    pub(crate) cfg: Cfg,
    /// The blocks that the entry reaches, in reverse post-order.
    pub(crate) order: Vec<usize>,
    /// The places of blocks in that order.
    pub(crate) position: Vec<usize>,
    /// The immediate dominator of each block, itself for the entry.
    pub(crate) immediate: Vec<Option<usize>>,
    /// The first and the last number of each block's part of the dominator tree.
    intervals: Vec<(usize, usize)>,
    /// The block of each statement.
    blocks: Vec<usize>,
    pub(crate) loops: Loops,
    /// The line of each statement, from 1; 0 for one without a line.
    lines: Vec<u32>,
}

impl<'m> Code<'m> {
    /// `lines` gives the line of each position, from 1, and 0 for none.
    pub(crate) fn new(
        module: &'m Module,
        function: &'m Function,
        body: &'m Body,
        lines: &impl Fn(&[Span]) -> Vec<u32>,
    ) -> Self {
        let cfg = Cfg::new(body);
        let order: Vec<usize> = cfg.reverse_post_order().iter().map(|block| block.index()).collect();
        let mut position = vec![0; cfg.blocks.len()];
        order.iter().enumerate().for_each(|(at, block)| position[*block] = at);
        let immediate = immediate_dominators(&cfg);
        let intervals = intervals(&order, &immediate);
        let mut blocks = vec![0; body.statements.len()];
        for (number, block) in cfg.blocks.iter().enumerate() {
            blocks[block.statements.clone()].fill(number);
        }
        let mut of_statements = vec![0; body.statements.len()];
        let (statements, spans): (Vec<usize>, Vec<Span>) =
            body.instructions().map(|(at, inst)| (at, inst.at.0)).unzip();
        for (at, line) in statements.into_iter().zip(lines(&spans)) {
            of_statements[at] = line;
        }
        let mut code = Self {
            module,
            function,
            body,
            cfg,
            order,
            position,
            immediate,
            intervals,
            blocks,
            loops: Loops::default(),
            lines: of_statements,
        };
        code.loops = Loops::new(&code);
        code
    }

    pub(crate) fn is_kernel(&self) -> bool {
        self.function.kind == FunctionKind::Kernel
    }

    /// Whether control that comes to `below` has always been at `above`.
    pub(crate) fn dominates(&self, above: usize, below: usize) -> bool {
        let ((first, last), (at, _)) = (self.intervals[above], self.intervals[below]);
        self.immediate[above].is_some() && self.immediate[below].is_some() && first <= at && at <= last
    }

    pub(crate) fn is_reached(&self, block: usize) -> bool {
        self.immediate[block].is_some()
    }

    pub(crate) fn block_of(&self, statement: usize) -> usize {
        self.blocks[statement]
    }

    /// The line of a statement, 0 for none.
    pub(crate) fn line(&self, statement: usize) -> u32 {
        self.lines[statement]
    }

    /// The instructions of a block, with their statements.
    pub(crate) fn instructions(&self, block: usize) -> impl DoubleEndedIterator<Item = (usize, &'m Inst)> {
        let body = self.body;
        self.cfg.blocks[block].statements.clone().filter_map(|at| match &body.statements[at] {
            Stmt::Inst(inst) => Some((at, inst)),
            _ => None,
        })
    }

    /// A statement that is an instruction.
    pub(crate) fn instruction(&self, statement: usize) -> Option<(usize, &'m Inst)> {
        match &self.body.statements[statement] {
            Stmt::Inst(inst) => Some((statement, inst)),
            _ => None,
        }
    }

    pub(crate) fn successors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.cfg.blocks[block].successors.iter().map(|successor| successor.index())
    }

    /// The predecessors that the entry reaches.
    pub(crate) fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> {
        let predecessors = self.cfg.blocks[block].predecessors.iter().map(|block| block.index());
        predecessors.filter(|predecessor| self.is_reached(*predecessor))
    }

    /// The last instruction of a block with its statement, if it is a terminator.
    pub(crate) fn terminator(&self, block: usize) -> Option<(usize, &'m Inst)> {
        self.instructions(block).next_back().filter(|(_, inst)| inst.mnemonic.effects().terminator)
    }

    /// The line of a block's first instruction, 0 for none.
    pub(crate) fn block_line(&self, block: usize) -> u32 {
        match self.instructions(block).next() {
            Some((at, _)) => self.line(at),
            None => 0,
        }
    }

    /// The name of the first label of a block.
    pub(crate) fn label(&self, block: usize) -> Option<&'m str> {
        self.cfg.blocks[block].statements.clone().find_map(|at| match &self.body.statements[at] {
            Stmt::Label(id) if self.cfg.block_of(*id) == u32::try_from(block).ok().map(BlockId) => {
                Some(self.module.name(self.body.label(*id).name))
            }
            _ => None,
        })
    }

    /// An instruction in one line.
    pub(crate) fn text(&self, inst: &Inst) -> String {
        let text = print_instruction(self.module, self.body, inst);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Whether a register is one of the module, which other functions write, too.
    pub(crate) fn is_of_module(&self, register: RegId) -> bool {
        let decl = self.body.registers.get(register.index()).map(|register| register.decl);
        self.body.module_registers.iter().any(|(own, _)| Some(*own) == decl)
    }

    /// The name of a register.
    pub(crate) fn register(&self, register: RegId) -> String {
        let decl = self.body.decl(register);
        let name = self.module.name(decl.name);
        match (decl.count, self.body.registers.get(register.index())) {
            (Some(_), Some(register)) => format!("{name}{}", register.number),
            _ => name.to_owned(),
        }
    }
}

/// The numbers of the dominator tree in the order of a walk from its root: of each block its own, and the last one below it.
fn intervals(order: &[usize], immediate: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); immediate.len()];
    for &block in order {
        if let Some(above) = immediate[block].filter(|above| *above != block) {
            children[above].push(block);
        }
    }
    let (mut found, mut next) = (vec![(0, 0); immediate.len()], 0);
    let mut path: Vec<(usize, usize)> = Vec::new();
    if let Some(&entry) = order.first() {
        found[entry].0 = next;
        path.push((entry, 0));
    }
    while let Some((block, child)) = path.last_mut() {
        match children[*block].get(*child) {
            Some(&below) => {
                *child += 1;
                next += 1;
                found[below].0 = next;
                path.push((below, 0));
            }
            None => {
                found[*block].1 = next;
                path.pop();
            }
        }
    }
    found
}

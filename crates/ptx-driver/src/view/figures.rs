//! The graphs of functions.

use std::collections::HashMap;

use ptx_diag::{SourceFile, Span};
use ptx_ir::cfg::{BlockId, Cfg};
use ptx_ir::dominators::immediate_dominators;
use ptx_ir::pressure::pressure_at;
use ptx_ir::{Body, Function, Inst, Module, Stmt, print_instruction};
use ptx_link::Sources;
use ptx_report::{Curve, Edge, EdgeKind, FunctionFigures, Graph, MOST_BLOCKS, Node, Place, Point};

/// A block of more instructions is shown with its first ones and its last.
const SHOWN_INSTRUCTIONS: usize = 9;
/// Those at its end, which decide where it goes.
const LAST_INSTRUCTIONS: usize = 2;

/// The graphs of each function with a body, and the registers of it and of the function of the same name in the raised module.
pub(super) fn figures(
    sources: &Sources,
    module: &Module,
    raised: Option<(&SourceFile, &Module)>,
) -> Vec<FunctionFigures> {
    let mut of_raised: HashMap<&str, &Body> = HashMap::new();
    if let Some((_, raised)) = raised {
        let bodies = raised.functions.iter().filter_map(|of| Some((raised.name(of.name), of.body.as_ref()?)));
        of_raised.extend(bodies);
    }
    let defined = module.functions.iter().filter_map(|function| Some((function, function.body.as_ref()?)));
    defined
        .map(|(function, body)| {
            let name = module.name(function.name);
            Figures::of(sources, module, function, body).finish(of_raised.get(name).copied())
        })
        .collect()
}

/// A function while its graphs are made.
struct Figures<'m> {
    module: &'m Module,
    name: &'m str,
    body: &'m Body,
    cfg: Cfg,
    /// By statement.
    places: HashMap<usize, Place>,
}

impl<'m> Figures<'m> {
    fn of(sources: &Sources, module: &'m Module, function: &'m Function, body: &'m Body) -> Self {
        let (statements, spans): (Vec<usize>, Vec<Span>) =
            body.instructions().map(|(at, inst)| (at, inst.at.0)).unzip();
        let places = statements.into_iter().zip(sources.places(&spans)).filter_map(|(at, place)| {
            let (file, position) = place?;
            Some((at, Place { file, line: position.line }))
        });
        let places = places.collect();
        Self { module, name: module.name(function.name), body, cfg: Cfg::new(body), places }
    }

    fn finish(&self, raised: Option<&Body>) -> FunctionFigures {
        let mut pressure = Vec::new();
        if let Some(points) = pressure_at(self.body) {
            let point = |(at, value)| Point { value, place: self.places.get(&at).copied() };
            pressure.push(Curve { name: "PTX".to_owned(), points: points.into_iter().map(point).collect() });
            if let Some(points) = raised.and_then(pressure_at) {
                let points = points.into_iter().map(|(_, value)| Point { value, place: None }).collect();
                pressure.push(Curve { name: "round-tripped PTX".to_owned(), points });
            }
        }
        FunctionFigures {
            name: self.name.to_owned(),
            instructions: self.body.instructions().count(),
            flow: self.flow(),
            dominators: self.dominators(),
            pressure,
        }
    }

    fn flow(&self) -> Graph {
        let shown = self.shown_blocks();
        let numbers: HashMap<usize, usize> = shown.iter().copied().zip(0..).collect();
        // The text of a graph that is not drawn is not needed.
        let with_text = shown.len() <= MOST_BLOCKS;
        let nodes = shown.iter().map(|&block| self.node(block, with_text)).collect();
        let mut edges = Vec::new();
        for (&block, from) in shown.iter().zip(0..) {
            let terminator = self.cfg.terminator(self.body, BlockId(block as u32));
            let successors = &self.cfg.blocks[block].successors;
            let is_branch = successors.len() == 2 && terminator.is_some_and(|inst| inst.guard.is_some());
            for (at, successor) in successors.iter().enumerate() {
                let kind = match (is_branch, at) {
                    (false, _) => EdgeKind::Only,
                    (true, 0) => EdgeKind::Taken,
                    (true, _) => EdgeKind::Next,
                };
                let to = numbers.get(&successor.index());
                edges.extend(to.map(|&to| Edge { from, to, kind }));
            }
        }
        Graph { nodes, edges }
    }

    /// The blocks that the entry reaches, and others that have instructions: what is after the last instruction is a block without any.
    fn shown_blocks(&self) -> Vec<usize> {
        let mut is_shown = vec![false; self.cfg.blocks.len()];
        self.cfg.reverse_post_order().iter().for_each(|block| is_shown[block.index()] = true);
        let has_code = |block: usize| self.cfg.first_inst(self.body, BlockId(block as u32)).is_some();
        (0..is_shown.len()).filter(|&block| is_shown[block] || has_code(block)).collect()
    }

    /// The blocks that the entry reaches, each with an edge from its immediate dominator.
    fn dominators(&self) -> Graph {
        let immediate = immediate_dominators(&self.cfg);
        let mut graph = Graph::default();
        let mut numbers = HashMap::new();
        for block in self.cfg.reverse_post_order() {
            let at = block.index();
            let number = graph.nodes.len();
            numbers.insert(at, number);
            graph.nodes.push(self.node(at, false));
            let dominator = immediate.get(at).copied().flatten().filter(|dominator| *dominator != at);
            // In this order dominators are before what they dominate.
            if let Some(&from) = dominator.and_then(|dominator| numbers.get(&dominator)) {
                graph.edges.push(Edge { from, to: number, kind: EdgeKind::Only });
            }
        }
        graph
    }

    fn node(&self, block: usize, with_text: bool) -> Node {
        let (mut label, mut found) = (None, Vec::new());
        for at in self.cfg.blocks[block].statements.clone() {
            match &self.body.statements[at] {
                Stmt::Label(id) if label.is_none() => {
                    label = Some(self.module.name(self.body.label(*id).name));
                }
                Stmt::Inst(inst) => found.push((at, inst)),
                _ => {}
            }
        }
        let places: Vec<Place> = found.iter().filter_map(|(at, _)| self.places.get(at).copied()).collect();
        let name = match label {
            Some(label) => label.to_owned(),
            None if block == 0 => "entry".to_owned(),
            None => format!("block {block}"),
        };
        let title = match (places.first(), places.last()) {
            (Some(first), Some(last)) if first.line == last.line => format!("{name} · line {}", first.line),
            (Some(first), Some(last)) => format!("{name} · lines {}–{}", first.line, last.line),
            _ => name,
        };
        let text = if with_text { self.text(&found) } else { Vec::new() };
        Node { title, text, places }
    }

    fn text(&self, found: &[(usize, &Inst)]) -> Vec<String> {
        let line = |(_, inst): &(usize, &Inst)| {
            let text = print_instruction(self.module, self.body, inst);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        if found.len() <= SHOWN_INSTRUCTIONS {
            return found.iter().map(line).collect();
        }
        let first = SHOWN_INSTRUCTIONS - LAST_INSTRUCTIONS - 1;
        let last = found.len() - LAST_INSTRUCTIONS;
        let mut text: Vec<String> = found[..first].iter().map(line).collect();
        text.push(format!("… {} more", last - first));
        text.extend(found[last..].iter().map(line));
        text
    }
}

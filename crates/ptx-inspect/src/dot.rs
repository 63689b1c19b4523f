//! Graphs in the language of Graphviz.

use std::fmt::Write as _;

use crate::calls::CallGraph;
use crate::flow::{EdgeKind, Flow};
use crate::report::Report;

impl Report {
    /// The calls and the control flow of each function, as far as they were asked for: each a graph for `dot`. `name` gives the name by which a function is shown.
    pub fn to_dot(&self, name: &impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        if let Some(calls) = &self.callgraph {
            write_calls(&mut out, calls, name);
        }
        for function in &self.functions {
            if let Some(flow) = &function.cfg {
                write_flow(&mut out, &name(&function.name), flow);
            }
        }
        out
    }
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

// Writing to a string does not fail, here and below.
fn write_calls(out: &mut String, calls: &CallGraph, name: &impl Fn(&str) -> String) {
    out.push_str("digraph calls {\n  node [shape=box];\n");
    for function in &calls.functions {
        let label = match function.stack {
            Some(stack) if stack > 0 => {
                format!("{}\n{} B local, {stack} B with calls", name(&function.name), function.local)
            }
            Some(_) => name(&function.name),
            None => format!("{}\n{} B local", name(&function.name), function.local),
        };
        let style = match (function.is_kernel, function.is_defined) {
            (true, _) => ", style=bold",
            (false, true) => "",
            (false, false) => ", style=dashed",
        };
        let _ = writeln!(out, "  {} [label={}{style}];", quoted(&function.name), quoted(&label));
    }
    for function in &calls.functions {
        for call in &function.calls {
            let style = if call.is_indirect { ", style=dashed" } else { "" };
            for target in &call.targets {
                let (from, to) = (quoted(&function.name), quoted(target));
                let _ = writeln!(out, "  {from} -> {to} [label=\"{}\"{style}];", call.line);
            }
        }
    }
    out.push_str("}\n");
}

fn write_flow(out: &mut String, name: &str, flow: &Flow) {
    let _ = writeln!(out, "digraph {} {{\n  label={};\n  node [shape=box];", quoted(name), quoted(name));
    for block in &flow.blocks {
        let title = match &block.label {
            Some(label) => label.clone(),
            None => format!("block {}", block.number),
        };
        let [first, last] = block.lines;
        let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
        let depth = flow.loops.iter().find(|own| Some(own.number) == block.r#loop).map(|own| own.depth);
        let depth: String = depth.into_iter().map(|depth| format!("\nloop depth {depth}")).collect();
        let _ = writeln!(out, "  b{} [label={}];", block.number, quoted(&format!("{title}\n{lines}{depth}")));
    }
    let has = |number: usize| flow.blocks.iter().any(|block| block.number == number);
    for block in &flow.blocks {
        for edge in block.edges.iter().filter(|edge| has(edge.to)) {
            let label = match edge.kind {
                EdgeKind::Only => "",
                EdgeKind::Taken => " [label=\"taken\"]",
                EdgeKind::Next => " [label=\"next\"]",
            };
            let _ = writeln!(out, "  b{} -> b{}{label};", block.number, edge.to);
        }
        if let Some(dominator) = block.dominator {
            let _ = writeln!(
                out,
                "  b{dominator} -> b{} [style=dotted, constraint=false, arrowhead=none];",
                block.number
            );
        }
    }
    out.push_str("}\n");
}

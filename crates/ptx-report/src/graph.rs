//! Graphs of blocks as drawings.

use crate::html::{escape, html};
use crate::layout::{Placed, Rect, Route, place};
use crate::lines::{Place, keys};

/// A block of a graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// Its name.
    pub title: String,
    /// What is shown below the name, line by line.
    pub text: Vec<String>,
    /// The lines of inputs that it has: hovering over the block marks them.
    pub places: Vec<Place>,
}

/// What an edge means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    /// The only way on.
    Only,
    /// Taken if the condition of a branch holds.
    Taken,
    /// Taken if it does not.
    Next,
}

/// An edge between two blocks, by their indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What it means.
    pub kind: EdgeKind,
}

/// A graph. The first node is at the top.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges; those that name no node are left out.
    pub edges: Vec<Edge>,
}

/// A graph of more blocks is not drawn: it could not be read.
pub const MOST_BLOCKS: usize = 200;

/// Text of more characters is cut in boxes.
const MOST_CHARACTERS: usize = 46;

const CHARACTER: f64 = 6.65;
const LINE: f64 = 14.0;
const MARGIN: f64 = 7.0;

impl Graph {
    /// Appends the graph as SVG, or why it is not drawn.
    pub(crate) fn write(&self, out: &mut String, name: &str) {
        let count = self.nodes.len();
        if count > MOST_BLOCKS {
            html!(out, "<p class=\"hint\">Not drawn: {count} blocks, more than {MOST_BLOCKS}.</p>\n");
            return;
        }
        let sizes: Vec<(f64, f64)> = self.nodes.iter().map(size).collect();
        let edges: Vec<Edge> =
            self.edges.iter().copied().filter(|edge| edge.from < count && edge.to < count).collect();
        let ends: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
        match place(&sizes, &ends) {
            Some(placed) => self.draw(out, name, &placed, &edges),
            None => out.push_str("<p class=\"hint\">Not drawn: too many edges pass too many blocks.</p>\n"),
        }
    }

    fn draw(&self, out: &mut String, name: &str, placed: &Placed, edges: &[Edge]) {
        let (width, height) = (placed.width.ceil(), placed.height.ceil());
        html!(
            out,
            "<div class=\"drawing\"><svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"group\" aria-label=\""
        );
        escape(out, name);
        out.push_str("\">\n");
        for (edge, route) in edges.iter().zip(&placed.routes) {
            draw_edge(out, edge.kind, route);
        }
        for (node, rect) in self.nodes.iter().zip(&placed.boxes) {
            draw_node(out, node, *rect);
        }
        out.push_str("</svg></div>\n");
    }
}

/// The beginning of a text that fits in a box.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn size(node: &Node) -> (f64, f64) {
    let lines = std::iter::once(&node.title).chain(&node.text);
    let longest = lines.map(|line| line.chars().count().min(MOST_CHARACTERS + 1)).fold(4, usize::max);
    (longest as f64 * CHARACTER + 2.0 * MARGIN, (node.text.len() + 1) as f64 * LINE + 2.0 * MARGIN)
}

fn draw_node(out: &mut String, node: &Node, rect: Rect) {
    let Rect { x, y, width, height } = rect;
    match node.places.first() {
        Some(first) => html!(out, "<a href=\"#p{}\" data-k=\"{}\">", first.key(), keys(&node.places)),
        // It has no line, and is an element of the same kind in any case.
        None => out.push_str("<a>"),
    }
    html!(
        out,
        "<rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\" />"
    );
    let (left, mut base) = (x + MARGIN, y + MARGIN + 10.0);
    html!(out, "<text class=\"soft\" x=\"{left:.1}\" y=\"{base:.1}\">");
    escape(out, &cut(&node.title));
    out.push_str("</text>");
    for line in &node.text {
        base += LINE;
        html!(out, "<text x=\"{left:.1}\" y=\"{base:.1}\">");
        escape(out, &cut(line));
        out.push_str("</text>");
    }
    out.push_str("</a>\n");
}

fn draw_edge(out: &mut String, kind: EdgeKind, route: &Route) {
    let class = match kind {
        EdgeKind::Only => "",
        EdgeKind::Taken => " taken",
        EdgeKind::Next => " next",
    };
    let back = if route.is_back { " back" } else { "" };
    html!(out, "<path class=\"edge{class}{back}\" d=\"");
    let mut points = route.points.iter();
    let Some(&(mut x, mut y)) = points.next() else { return };
    html!(out, "M{x:.1} {y:.1}");
    for &(next_x, next_y) in points {
        // Straight within a row, a curve between rows.
        if (next_x - x).abs() < 0.5 {
            html!(out, "L{next_x:.1} {next_y:.1}");
        } else {
            let bend = (next_y - y) / 2.0;
            html!(out, "C{x:.1} {:.1} {next_x:.1} {:.1} {next_x:.1} {next_y:.1}", y + bend, next_y - bend);
        }
        (x, y) = (next_x, next_y);
    }
    out.push_str("\" />\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(title: &str) -> Node {
        Node { title: title.to_owned(), ..Node::default() }
    }

    #[test]
    fn blocks_lead_to_their_lines() {
        let places = vec![Place { file: 0, line: 7 }, Place { file: 0, line: 8 }];
        let graph = Graph {
            nodes: vec![Node { places, text: vec!["a < b".to_owned()], ..node("L1") }, node("L2")],
            edges: vec![
                Edge { from: 0, to: 1, kind: EdgeKind::Taken },
                Edge { from: 0, to: 9, kind: EdgeKind::Only },
            ],
        };
        let mut out = String::new();
        graph.write(&mut out, "flow");
        assert!(out.contains("<a href=\"#p0-7\" data-k=\"0-7 0-8\">"), "{out}");
        assert!(out.contains("a &lt; b") && out.matches("class=\"edge").count() == 1, "{out}");
    }

    #[test]
    fn a_large_graph_is_not_drawn_and_the_page_tells_why() {
        let graph = Graph { nodes: vec![node("b"); MOST_BLOCKS + 1], edges: Vec::new() };
        let mut out = String::new();
        graph.write(&mut out, "flow");
        assert!(out.contains("201 blocks") && !out.contains("<svg"), "{out}");
    }

    #[test]
    fn long_text_is_cut_at_characters() {
        let long = "é".repeat(100);
        assert_eq!(cut(&long).chars().count(), MOST_CHARACTERS + 1);
        assert_eq!(cut("short"), "short");
    }
}

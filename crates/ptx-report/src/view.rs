//! The page of a program in all its forms.

use crate::curve::{Curve, write_curves};
use crate::graph::Graph;
use crate::html::{escape, heading, html, page};
use crate::lines::{Column, Remark, UNFOLDED_LINES};

/// A function with its graphs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionFigures {
    /// Its name.
    pub name: String,
    /// Its instructions.
    pub instructions: usize,
    /// Its blocks and the branches between them.
    pub flow: Graph,
    /// Its blocks, each below its immediate dominator.
    pub dominators: Graph,
    /// The registers that are live at each instruction, in units of 32 bits: of the input, and of other forms.
    pub pressure: Vec<Curve>,
}

/// A program in all its forms.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct View {
    /// What it is a view of.
    pub title: String,
    /// How it was made, as the options are; not shown if empty.
    pub subtitle: String,
    /// The diagnostics: those with a place are shown at its line, too, if the columns have them there.
    pub remarks: Vec<Remark>,
    /// The forms, side by side.
    pub columns: Vec<Column>,
    /// The functions.
    pub functions: Vec<FunctionFigures>,
}

/// The graphs of a program's first functions are drawn, up to so many blocks in total.
pub const MOST_BLOCKS_OF_PAGE: usize = 4_000;

impl View {
    /// The page: HTML with its style and its script, which needs no other file.
    pub fn to_html(&self) -> String {
        let mut out = heading(&self.title, &self.subtitle);
        self.write_remarks(&mut out);
        self.write_columns(&mut out);
        self.write_functions(&mut out);
        out.push_str("</main>\n");
        page(&self.title, &out)
    }

    fn write_remarks(&self, out: &mut String) {
        if self.remarks.is_empty() {
            return;
        }
        out.push_str("<h2>Diagnostics</h2>\n<ul class=\"remarks\">\n");
        self.remarks.iter().for_each(|remark| remark.write(out, "li"));
        out.push_str("</ul>\n");
    }

    fn write_columns(&self, out: &mut String) {
        out.push_str("<h2>Code</h2>\n<p class=\"hint\">Lines of the same PTX are marked together. Click on a line, or move with the arrow keys, and the others scroll to it. ");
        out.push_str("<label><input type=\"checkbox\" id=\"follow\" checked=\"checked\" /> scroll when hovering, too</label>");
        let is_folded = |column: &Column| {
            column.sections.iter().map(|section| section.lines.len()).sum::<usize>() > UNFOLDED_LINES
        };
        if self.columns.iter().any(is_folded) {
            html!(out, " Functions are folded where there are more than {UNFOLDED_LINES} lines.");
        }
        out.push_str("</p>\n<div class=\"panes\">\n");
        self.columns.iter().for_each(|column| column.write(out));
        out.push_str("</div>\n");
    }

    fn write_functions(&self, out: &mut String) {
        if self.functions.is_empty() {
            return;
        }
        out.push_str("<h2>Functions</h2>\n<p class=\"hint\"><span class=\"key taken\"></span> taken if the condition of a branch holds <span class=\"key next\"></span> if not; edges that go up are dashed. ");
        out.push_str("Hovering over a block marks its lines.</p>\n<div class=\"functions\">\n");
        let mut blocks = 0;
        for (number, function) in self.functions.iter().enumerate() {
            blocks += function.flow.nodes.len();
            function.write(out, number == 0, blocks <= MOST_BLOCKS_OF_PAGE);
        }
        out.push_str("</div>\n");
    }
}

impl FunctionFigures {
    fn write_pressure(&self, out: &mut String) {
        if self.pressure.is_empty() {
            return;
        }
        out.push_str(
            "<figure class=\"wide\"><figcaption>Register pressure <small>live registers of 32 bits at each instruction",
        );
        for (at, curve) in self.pressure.iter().enumerate() {
            let class = if at == 0 { "bar" } else { "curve" };
            html!(out, " <span class=\"key {class}\"></span>");
            escape(out, &curve.name);
            html!(out, " (at most {})", curve.most());
        }
        out.push_str("</small></figcaption>\n");
        write_curves(out, &self.pressure, "live registers");
        out.push_str("</figure>\n");
    }

    fn write(&self, out: &mut String, is_open: bool, is_drawn: bool) {
        let open = if is_open { " open=\"open\"" } else { "" };
        html!(out, "<details{open}><summary>");
        escape(out, &self.name);
        let (instructions, blocks) = (self.instructions, self.flow.nodes.len());
        html!(out, " <small>· {instructions} instructions · {blocks} blocks");
        if let Some(first) = self.pressure.first() {
            html!(out, " · at most {} live registers", first.most());
        }
        out.push_str("</small></summary>\n<div class=\"figures\">\n");
        self.write_pressure(out);
        for (graph, name) in [(&self.flow, "Control flow"), (&self.dominators, "Dominator tree")] {
            html!(out, "<figure><figcaption>{name}</figcaption>\n");
            if is_drawn {
                graph.write(out, name);
            } else {
                html!(
                    out,
                    "<p class=\"hint\">Not drawn: the functions up to here have more than {MOST_BLOCKS_OF_PAGE} blocks.</p>\n"
                );
            }
            out.push_str("</figure>\n");
        }
        out.push_str("</div>\n</details>\n");
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::lines::{Line, Place, Section, Weight};

    /// A view of so many lines in each column, with strange text and a remark at each tenth.
    fn view(lines: u32) -> View {
        let line = |number: u32| {
            let place = Some(Place { file: 0, line: number });
            let remark = Remark {
                weight: Weight::Warning,
                message: "`</script>` & \"co\"".to_owned(),
                details: Vec::new(),
                place,
                part: Some(2..5),
            };
            let remarks = if number.is_multiple_of(10) { vec![remark] } else { Vec::new() };
            let text = format!("// </script><!-- ]]> '{number}' \"é\u{1}\"");
            Line { number: Some(number), text, places: place.into_iter().collect(), remarks, margin: None }
        };
        let section = |name: &str, lines| Section { name: name.to_owned(), lines };
        let column = |title: &str, is_input| Column {
            title: title.to_owned(),
            is_input,
            sections: vec![section("f<int>", (1..=lines).map(line).collect())],
            ..Column::default()
        };
        View {
            title: "<k>".to_owned(),
            columns: vec![column("PTX", true), column("LLVM IR", false)],
            ..View::default()
        }
    }

    #[test]
    fn a_page_is_well_formed_and_has_each_line_once() {
        let page = view(3_000).to_html();
        let options = roxmltree::ParsingOptions {
            allow_dtd: true,
            nodes_limit: u32::MAX,
            ..roxmltree::ParsingOptions::default()
        };
        let tree = roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
        let with = |attribute: &'static str| {
            tree.descendants().filter(move |node| node.has_attribute(attribute)).map(move |node| {
                (node.attribute(attribute).map(str::to_owned), node.text().map(str::to_owned))
            })
        };
        let mut anchors: Vec<_> =
            with("id").filter_map(|(id, _)| id).filter(|id| id.starts_with('p')).collect();
        assert_eq!(anchors.len(), 3_000);
        anchors.sort();
        anchors.dedup();
        assert_eq!(anchors.len(), 3_000, "ids are unique");
        // In each of two columns.
        assert_eq!(with("data-k").count(), 6_000);
        let first = with("id").find(|(id, _)| id.as_deref() == Some("p0-1"));
        assert_eq!(first.and_then(|(_, text)| text).as_deref(), Some("// </script><!-- ]]> '1' \"é␁\""));
    }

    #[test]
    fn the_time_for_a_page_is_linear_in_its_lines() {
        let time = |lines: u32| {
            let view = view(lines);
            let once = || {
                let start = Instant::now();
                assert!(view.to_html().len() > 100 * lines as usize);
                start.elapsed()
            };
            (0..5).map(|_| once()).fold(Duration::MAX, Duration::min)
        };
        let (small, large) = (time(4_000), time(32_000));
        assert!(large < 24 * small, "{large:?} for 8 times what takes {small:?}");
    }
}

//! Columns of lines: a program in one of its forms.

use std::ops::Range;

use crate::html::{escape, html};

/// A line of an input, by which everything that belongs to it is linked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The index of the input, from 0.
    pub file: usize,
    /// The line in it, from 1.
    pub line: u32,
}

impl Place {
    /// The place in attributes of the page: also the end of the line's address.
    pub(crate) fn key(self) -> String {
        format!("{}-{}", self.file, self.line)
    }
}

/// Several places in an attribute of the page.
pub(crate) fn keys(places: &[Place]) -> String {
    places.iter().map(|place| place.key()).collect::<Vec<_>>().join(" ")
}

/// How serious a remark is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weight {
    /// The input is rejected.
    Error,
    /// The input is accepted, but probably has a mistake.
    Warning,
    /// Information only.
    Note,
}

impl Weight {
    /// The name, which is also the class in the page's style.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Weight::Error => "error",
            Weight::Warning => "warning",
            Weight::Note => "note",
        }
    }
}

/// A diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// How serious it is.
    pub weight: Weight,
    /// The message with its code.
    pub message: String,
    /// What explains it, each on a line of its own: help, related places.
    pub details: Vec<String>,
    /// The line that it is about.
    pub place: Option<Place>,
    /// The characters of that line that it is about, as a range of bytes.
    pub part: Option<Range<usize>>,
}

/// A measurement of a line.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Margin {
    /// The numbers, of the same width in all lines of a column.
    pub text: String,
    /// The part of everything that it is, from 0 to 1, which colours it.
    pub share: f64,
}

/// A line of a column.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Line {
    /// The number that is shown; `None` for a line that has none.
    pub number: Option<u32>,
    /// The text without the line's end.
    pub text: String,
    /// The lines of the input that it belongs to. In a column of inputs the first is the line itself.
    pub places: Vec<Place>,
    /// What is measured of it, shown before the text.
    pub margin: Option<Margin>,
    /// What is said about it, shown below it.
    pub remarks: Vec<Remark>,
}

/// Lines that can be folded together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Section {
    /// The name of the function that they are; empty for lines outside of functions, which are not folded.
    pub name: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A program in one of its forms.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Column {
    /// What it is, as in `LLVM IR`.
    pub title: String,
    /// More about it, as the name of a file.
    pub subtitle: String,
    /// Whether the lines are those of inputs: others are linked to them.
    pub is_input: bool,
    /// Why there are no lines; empty if there are.
    pub missing: String,
    /// The lines.
    pub sections: Vec<Section>,
}

/// Functions are folded in a column of more lines.
pub(crate) const UNFOLDED_LINES: usize = 5_000;

/// As many lines are laid out at once when they are scrolled into view.
const CHUNK: usize = 200;

impl Column {
    /// Appends the column.
    pub(crate) fn write(&self, out: &mut String) {
        let lines: usize = self.sections.iter().map(|section| section.lines.len()).sum();
        out.push_str("<article class=\"pane\" tabindex=\"0\" aria-label=\"");
        escape(out, &self.title);
        out.push_str("\"><h2>");
        escape(out, &self.title);
        out.push_str(" <small>");
        escape(out, &self.subtitle);
        out.push_str("</small></h2>\n");
        if !self.missing.is_empty() {
            out.push_str("<p>");
            escape(out, &self.missing);
            out.push_str("</p>\n");
        }
        let open = if lines > UNFOLDED_LINES { "" } else { " open=\"open\"" };
        for section in &self.sections {
            if section.name.is_empty() {
                self.write_lines(out, &section.lines);
                continue;
            }
            // What is to be read first must not be hidden.
            let has_remarks = section.lines.iter().any(|line| !line.remarks.is_empty());
            let open = if has_remarks { " open=\"open\"" } else { open };
            html!(out, "<details{open}><summary>");
            escape(out, &section.name);
            html!(out, " · {} lines</summary>\n", section.lines.len());
            self.write_lines(out, &section.lines);
            out.push_str("</details>\n");
        }
        out.push_str("</article>\n");
    }

    fn write_lines(&self, out: &mut String, lines: &[Line]) {
        for chunk in lines.chunks(CHUNK) {
            // The height before it is laid out: that of its lines.
            html!(
                out,
                "<div class=\"lines\" style=\"contain-intrinsic-height:auto {}px\">\n",
                chunk.len() * 17
            );
            chunk.iter().for_each(|line| self.write_line(out, line));
            out.push_str("</div>\n");
        }
    }

    fn write_line(&self, out: &mut String, line: &Line) {
        out.push_str("<div");
        if let Some(first) = line.places.first() {
            if self.is_input {
                html!(out, " id=\"p{}\"", first.key());
            }
            html!(out, " data-k=\"{}\"", keys(&line.places));
        }
        if let Some(number) = line.number {
            html!(out, " data-n=\"{number}\"");
        }
        out.push('>');
        if let Some(margin) = &line.margin {
            // The square root shows small shares, too.
            let heat = margin.share.clamp(0.0, 1.0).sqrt() * 0.6;
            html!(out, "<span class=\"costs\" style=\"background:rgba(var(--heat),{heat:.2})\">");
            escape(out, &margin.text);
            out.push_str("</span>");
        }
        write_marked(out, line);
        out.push_str("</div>\n");
        line.remarks.iter().for_each(|remark| remark.write(out, "div"));
    }
}

/// Appends the text of a line, with the parts marked that remarks are about.
fn write_marked(out: &mut String, line: &Line) {
    let mut parts: Vec<(Range<usize>, Weight)> =
        line.remarks.iter().filter_map(|remark| Some((remark.part.clone()?, remark.weight))).collect();
    parts.sort_by_key(|(part, _)| (part.start, part.end));
    let mut written = 0;
    for (part, weight) in parts {
        // Of parts that overlap the first is marked.
        if part.start < written || part.is_empty() {
            continue;
        }
        let (Some(before), Some(inside)) = (line.text.get(written..part.start), line.text.get(part.clone()))
        else {
            continue;
        };
        escape(out, before);
        html!(out, "<mark class=\"{}\">", weight.name());
        escape(out, inside);
        out.push_str("</mark>");
        written = part.end;
    }
    // This is the end of a part that is in the text.
    escape(out, &line.text[written..]);
}

impl Remark {
    /// Appends the remark as an element, with a link to its line if the element is in a list.
    pub(crate) fn write(&self, out: &mut String, element: &str) {
        html!(out, "<{element} class=\"remark {}\">", self.weight.name());
        if element == "li"
            && let Some(place) = self.place
        {
            html!(out, "<a href=\"#p{}\">line {}</a>: ", place.key(), place.line);
        }
        escape(out, &self.message);
        for detail in &self.details {
            out.push_str("<small>");
            escape(out, detail);
            out.push_str("</small>");
        }
        html!(out, "</{element}>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, parts: &[(usize, usize)]) -> Line {
        let remark = |&(start, end): &(usize, usize)| Remark {
            weight: Weight::Error,
            message: "wrong".to_owned(),
            details: Vec::new(),
            place: None,
            part: Some(start..end),
        };
        Line { text: text.to_owned(), remarks: parts.iter().map(remark).collect(), ..Line::default() }
    }

    #[test]
    fn parts_are_marked_once_and_never_inside_of_characters() {
        let marked = |text: &str, parts: &[(usize, usize)]| {
            let mut out = String::new();
            write_marked(&mut out, &line(text, parts));
            out.replace("<mark class=\"error\">", "[").replace("</mark>", "]")
        };
        assert_eq!(marked("add <b>, c", &[(4, 7)]), "add [&lt;b&gt;], c");
        assert_eq!(marked("abcdef", &[(3, 4), (0, 2), (1, 5)]), "[ab]c[d]ef");
        assert_eq!(marked("é日", &[(1, 2), (2, 5)]), "é[日]");
        assert_eq!(marked("ab", &[(1, 9), (1, 1)]), "ab");
    }

    #[test]
    fn a_large_column_is_folded_but_for_what_has_remarks() {
        let section = |name: &str, lines: Vec<Line>| Section { name: name.to_owned(), lines };
        let many = vec![Line::default(); UNFOLDED_LINES];
        let column = Column {
            sections: vec![section("large", many), section("wrong", vec![line("x", &[(0, 1)])])],
            ..Column::default()
        };
        let mut out = String::new();
        column.write(&mut out);
        assert!(out.contains("<details><summary>large"), "{}", &out[..200]);
        assert!(out.contains("<details open=\"open\"><summary>wrong"));
    }
}

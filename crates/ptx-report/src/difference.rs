//! The page of two programs compared.

use crate::html::{escape, heading, html, page};

/// What became of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowKind {
    /// Both have the same.
    Same,
    /// They differ in what matters less, as registers of machine code.
    Similar,
    /// What corresponds differs.
    Changed,
    /// Only the first has it.
    Removed,
    /// Only the second has it.
    Added,
    /// So many rows are left out that are the same.
    Omitted(usize),
    /// A heading for the rows after it: the name of a block.
    Heading,
}

impl RowKind {
    /// The class in the page's style, and the sign.
    const fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Same => ("same", ""),
            Self::Similar => ("similar", "="),
            Self::Changed => ("changed", "~"),
            Self::Removed => ("removed", "-"),
            Self::Added => ("added", "+"),
            Self::Omitted(_) => ("omitted", ""),
            Self::Heading => ("heading", ""),
        }
    }
}

/// One side of a row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cell {
    /// The line or the address.
    pub place: Option<String>,
    /// How often it was executed, if that is known: the number, and the part of the most executed row that this is, from 0 to 1, which colours it.
    pub weight: Option<(String, f64)>,
    /// The text.
    pub text: String,
}

/// What two programs have at corresponding places.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What became of it.
    pub kind: RowKind,
    /// That of the first program; of a heading its text.
    pub before: Option<Cell>,
    /// That of the second program.
    pub after: Option<Cell>,
}

/// Rows with a title.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SideBySide {
    /// What is compared, as in `Machine code`.
    pub title: String,
    /// What differs, in numbers.
    pub facts: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A function that both programs have.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ComparedFunction {
    /// Its name, by which functions are searched.
    pub name: String,
    /// In short what differs; it is shown when the function is folded.
    pub summary: String,
    /// Whether nothing differs.
    pub is_same: bool,
    /// Its texts.
    pub parts: Vec<SideBySide>,
}

/// Two programs compared.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Difference {
    /// What is compared.
    pub title: String,
    /// The names of the programs.
    pub before: String,
    /// The name of the second one.
    pub after: String,
    /// The result in a sentence.
    pub subtitle: String,
    /// What differs outside of functions.
    pub outside: Vec<Row>,
    /// The functions.
    pub functions: Vec<ComparedFunction>,
}

/// Functions are open until so many rows are shown.
const UNFOLDED_ROWS: usize = 2_000;

impl Difference {
    /// The page: HTML with its style and its script, which needs no other file.
    pub fn to_html(&self) -> String {
        let mut out = heading(&self.title, &self.subtitle);
        if !self.outside.is_empty() {
            out.push_str("<h2>Outside of functions</h2>\n");
            self.write_rows(&mut out, &self.outside);
        }
        out.push_str("<h2>Functions</h2>\n<p class=\"hint\"><label>Filter by name: <input type=\"search\" id=\"filter\" /></label> ");
        out.push_str("<label><input type=\"checkbox\" id=\"differing\" checked=\"checked\" /> only those that differ</label> ");
        html!(out, "<span id=\"shown\"></span></p>\n<div class=\"functions compared\">\n");
        let mut rows = 0;
        for function in &self.functions {
            rows += function.parts.iter().map(|part| part.rows.len()).sum::<usize>();
            self.write_function(&mut out, function, !function.is_same && rows <= UNFOLDED_ROWS);
        }
        out.push_str("</div>\n</main>\n");
        page(&self.title, &out)
    }

    fn write_function(&self, out: &mut String, function: &ComparedFunction, is_open: bool) {
        let open = if is_open { " open=\"open\"" } else { "" };
        let differs = if function.is_same { "" } else { " data-differs=\"\"" };
        out.push_str("<details data-name=\"");
        escape(out, &function.name);
        html!(out, "\"{differs}{open}><summary>");
        escape(out, &function.name);
        out.push_str(" <small>· ");
        escape(out, &function.summary);
        out.push_str("</small></summary>\n<div class=\"figures\">\n");
        for part in &function.parts {
            out.push_str("<section><h3>");
            escape(out, &part.title);
            out.push_str("</h3>\n");
            for fact in &part.facts {
                out.push_str("<p class=\"facts\">");
                escape(out, fact);
                out.push_str("</p>\n");
            }
            self.write_rows(out, &part.rows);
            out.push_str("</section>\n");
        }
        out.push_str("</div>\n</details>\n");
    }

    fn write_rows(&self, out: &mut String, rows: &[Row]) {
        if rows.is_empty() {
            return;
        }
        out.push_str(
            "<div class=\"scroll rows\" tabindex=\"0\"><table class=\"difference\">\n<thead><tr><th></th>",
        );
        for name in [&self.before, &self.after] {
            out.push_str("<th></th><th></th><th class=\"code\">");
            escape(out, name);
            out.push_str("</th>");
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        rows.iter().for_each(|row| row.write(out));
        out.push_str("</tbody></table></div>\n");
    }
}

impl Row {
    fn write(&self, out: &mut String) {
        let (class, sign) = self.kind.name();
        html!(out, "<tr class=\"{class}\"><td>{sign}</td>");
        match self.kind {
            RowKind::Omitted(count) => {
                html!(out, "<td></td><td class=\"code\" colspan=\"5\">… {count} the same</td>");
            }
            RowKind::Heading => {
                out.push_str("<td></td><td class=\"code\" colspan=\"5\">");
                if let Some(cell) = &self.before {
                    escape(out, &cell.text);
                }
                out.push_str("</td>");
            }
            _ => [&self.before, &self.after].into_iter().for_each(|cell| write_cell(out, cell.as_ref())),
        }
        out.push_str("</tr>\n");
    }
}

fn write_cell(out: &mut String, cell: Option<&Cell>) {
    let Some(cell) = cell else {
        out.push_str("<td></td><td></td><td class=\"code none\"></td>");
        return;
    };
    out.push_str("<td>");
    cell.place.iter().for_each(|place| escape(out, place));
    out.push_str("</td><td");
    if let Some((_, share)) = &cell.weight {
        // The square root shows small shares, too.
        html!(out, " style=\"background:rgba(var(--heat),{:.2})\"", share.clamp(0.0, 1.0).sqrt() * 0.6);
    }
    out.push('>');
    cell.weight.iter().for_each(|(number, _)| escape(out, number));
    out.push_str("</td><td class=\"code text\">");
    escape(out, &cell.text);
    out.push_str("</td>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Option<Cell> {
        Some(Cell {
            place: Some("7".to_owned()),
            weight: Some(("1,024".to_owned(), 0.5)),
            text: text.to_owned(),
        })
    }

    fn difference(functions: usize) -> Difference {
        let strange = "</table><script>alert(1)</script> & \"é\u{1}\" ]]>";
        let rows = vec![
            Row { kind: RowKind::Heading, before: cell(strange), after: None },
            Row { kind: RowKind::Same, before: cell(strange), after: cell(strange) },
            Row { kind: RowKind::Removed, before: cell(strange), after: None },
            Row { kind: RowKind::Omitted(3), before: None, after: None },
        ];
        let function = |number: usize| ComparedFunction {
            name: format!("f<{number}> '{strange}"),
            summary: strange.to_owned(),
            is_same: number.is_multiple_of(2),
            parts: vec![SideBySide {
                title: "PTX".to_owned(),
                facts: vec![strange.to_owned()],
                rows: rows.clone(),
            }],
        };
        Difference {
            title: strange.to_owned(),
            before: strange.to_owned(),
            outside: rows.clone(),
            functions: (0..functions).map(function).collect(),
            ..Difference::default()
        }
    }

    #[test]
    fn a_page_is_well_formed_and_has_each_function_once() {
        let page = difference(40).to_html();
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
        let tree = roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
        let functions: Vec<_> = tree.descendants().filter(|node| node.has_attribute("data-name")).collect();
        assert_eq!(functions.len(), 40);
        assert_eq!(functions.iter().filter(|node| node.has_attribute("data-differs")).count(), 20);
        // The script of the page is the only one.
        assert_eq!(tree.descendants().filter(|node| node.tag_name().name() == "script").count(), 1);
        let texts = tree.descendants().filter(|node| node.attribute("class") == Some("code text"));
        assert!(texts.clone().count() == 3 * 41 && texts.into_iter().all(|node| node.text().is_some()));
    }
}

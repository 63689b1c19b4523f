//! The page of an execution: what each instruction and each line of the source took.

use std::collections::BTreeMap;

use crate::flame::write_flame;
use crate::html::{escape, heading, html, page};
use crate::lines::{Column, Line, Margin, Place, Section};
use crate::spot::{Cost, Spot};

/// A file of the source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceText {
    /// Its name, as spots have it.
    pub name: String,
    /// Its lines; `None` if it could not be read.
    pub lines: Option<Vec<String>>,
}

/// An execution.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// What was executed.
    pub title: String,
    /// How, as the shape of the launch.
    pub subtitle: String,
    /// The kernel: the root of the flame graph.
    pub kernel: String,
    /// The inputs: name and lines.
    pub inputs: Vec<(String, Vec<String>)>,
    /// The source, as far as it is known.
    pub sources: Vec<SourceText>,
    /// The executed instructions.
    pub spots: Vec<Spot>,
}

/// The table of hot spots has the first so many.
const MOST_SPOTS: usize = 200;

/// The headings of what is shown before each line.
const HEADINGS: &str = "  share   warps    div. sectors  confl.  ";

impl Profile {
    /// What everything took.
    pub fn total(&self) -> Cost {
        let mut total = Cost::default();
        self.spots.iter().for_each(|spot| total += spot.cost);
        total
    }

    /// The executed instructions, those with the most work first; of equal ones in the order in which they are given.
    pub fn sorted(&self) -> Vec<&Spot> {
        let mut spots: Vec<&Spot> = self.spots.iter().collect();
        spots.sort_by_key(|spot| std::cmp::Reverse(spot.cost.work()));
        spots
    }

    /// What each line of the source took, by file and line, with the code that was inlined there.
    pub fn by_source(&self) -> BTreeMap<(&str, u32), Cost> {
        let mut lines: BTreeMap<(&str, u32), Cost> = BTreeMap::new();
        for spot in &self.spots {
            for (at, (file, line)) in spot.sources.iter().enumerate() {
                // A function that was inlined into itself has a line several times.
                if !spot.sources[..at].contains(&(file.clone(), *line)) {
                    *lines.entry((file.as_str(), *line)).or_default() += spot.cost;
                }
            }
        }
        lines
    }

    /// The page: HTML with its style and its script, which needs no other file.
    pub fn to_html(&self) -> String {
        let total = self.total();
        let mut out = heading(&self.title, &self.subtitle);
        write_total(&mut out, &total);
        self.write_spots(&mut out, &total);
        out.push_str("<h2>Where the work is</h2>\n<p class=\"hint\">The kernel, its functions, and the lines of the source: calls that were inlined above what they call.</p>\n");
        write_flame(&mut out, &self.kernel, &self.spots);
        out.push_str("<h2>Code</h2>\n<p class=\"hint\">Lines that belong together are marked together. Click on a line, or move with the arrow keys, and the others scroll to it. ");
        out.push_str("<label><input type=\"checkbox\" id=\"follow\" checked=\"checked\" /> scroll when hovering, too</label></p>\n<div class=\"panes\">\n");
        self.source_columns(&total).iter().for_each(|column| column.write(&mut out));
        self.input_column(&total).write(&mut out);
        out.push_str("</div>\n</main>\n");
        page(&self.title, &out)
    }

    fn write_spots(&self, out: &mut String, total: &Cost) {
        let sorted = self.sorted();
        out.push_str("<h2>Hot spots</h2>\n");
        if sorted.len() > MOST_SPOTS {
            html!(out, "<p class=\"hint\">The first {MOST_SPOTS} of {} instructions.</p>\n", sorted.len());
        }
        out.push_str("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr><th>share</th><th>sum</th>");
        out.push_str("<th>warps</th><th>threads</th><th>divergent</th><th>sectors</th><th>conflicts</th>");
        out.push_str("<th class=\"code\">line</th><th class=\"code\">instruction</th><th class=\"code\">source</th></tr></thead>\n<tbody>\n");
        let mut sum = 0.0;
        for spot in sorted.into_iter().take(MOST_SPOTS) {
            let share = spot.cost.share(total);
            sum += share;
            out.push_str("<tr");
            if let Some(place) = spot.place {
                html!(out, " data-k=\"{}\"", place.key());
            }
            html!(out, "><td>{}</td><td>{}</td>", percent(share), percent(sum));
            let Cost { warps, threads, divergent, sectors, conflicts } = spot.cost;
            for number in [warps, threads, divergent, sectors, conflicts] {
                html!(out, "<td>{}</td>", grouped(number));
            }
            out.push_str("<td class=\"code\">");
            if let Some(place) = spot.place {
                html!(out, "<a href=\"#p{}\">{}</a>", place.key(), place.line);
            }
            out.push_str("</td><td class=\"code\">");
            escape(out, &spot.instruction);
            out.push_str("</td><td class=\"code\">");
            if let Some((file, line)) = spot.sources.last() {
                escape(out, &format!("{file}:{line}"));
            }
            out.push_str("</td></tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
    }

    /// The inputs with what each line took.
    fn input_column(&self, total: &Cost) -> Column {
        let mut costs: BTreeMap<Place, Cost> = BTreeMap::new();
        for spot in &self.spots {
            if let Some(place) = spot.place {
                *costs.entry(place).or_default() += spot.cost;
            }
        }
        let mut sections = vec![headings()];
        for (file, (name, texts)) in self.inputs.iter().enumerate() {
            let mut lines = Vec::with_capacity(texts.len() + 1);
            if self.inputs.len() > 1 {
                lines.push(Line { text: format!("// {name}"), ..Line::default() });
            }
            for (line, text) in (1..).zip(texts) {
                let place = Place { file, line };
                let margin = Some(margin(costs.get(&place), total));
                let places = vec![place];
                lines.push(Line {
                    number: Some(line),
                    text: text.clone(),
                    places,
                    margin,
                    remarks: Vec::new(),
                });
            }
            sections.push(Section { name: String::new(), lines });
        }
        let names: Vec<&str> = self.inputs.iter().map(|(name, _)| name.as_str()).collect();
        let subtitle = names.join(", ");
        Column { title: "PTX".to_owned(), subtitle, is_input: true, sections, ..Column::default() }
    }

    /// The files of the source with what each line took.
    fn source_columns(&self, total: &Cost) -> Vec<Column> {
        let costs = self.by_source();
        let mut places: BTreeMap<(&str, u32), Vec<Place>> = BTreeMap::new();
        for spot in &self.spots {
            for (file, line) in &spot.sources {
                places.entry((file.as_str(), *line)).or_default().extend(spot.place);
            }
        }
        places.values_mut().for_each(|places| {
            places.sort_unstable();
            places.dedup();
        });
        let column = |source: &SourceText| {
            let mut column = Column { title: source.name.clone(), ..Column::default() };
            let Some(texts) = &source.lines else {
                "The file cannot be read.".clone_into(&mut column.missing);
                return column;
            };
            let line = |(line, text): (u32, &String)| {
                let key = (source.name.as_str(), line);
                // Default: no instruction is for this line.
                let places = places.get(&key).cloned().unwrap_or_default();
                let margin = Some(margin(costs.get(&key), total));
                Line { number: Some(line), text: text.clone(), places, margin, remarks: Vec::new() }
            };
            let lines = (1..).zip(texts).map(line).collect();
            column.sections = vec![headings(), Section { name: String::new(), lines }];
            column
        };
        self.sources.iter().map(column).collect()
    }
}

/// A line with the names of what is shown before the others.
fn headings() -> Section {
    let margin = Some(Margin { text: HEADINGS.to_owned(), share: 0.0 });
    Section { name: String::new(), lines: vec![Line { margin, ..Line::default() }] }
}

/// What is shown before a line.
fn margin(cost: Option<&Cost>, total: &Cost) -> Margin {
    let Some(cost) = cost else {
        return Margin { text: " ".repeat(HEADINGS.len()), share: 0.0 };
    };
    let share = cost.share(total);
    let [warps, divergent, sectors, conflicts] =
        [cost.warps, cost.divergent, cost.sectors, cost.conflicts].map(short);
    let text = format!("{:>7} {warps:>7} {divergent:>7} {sectors:>7} {conflicts:>7}  ", percent(share));
    Margin { text, share }
}

fn write_total(out: &mut String, total: &Cost) {
    out.push_str("<h2>Totals</h2>\n<table>\n<thead><tr><th>work</th><th>warps</th><th>threads</th><th>divergent</th><th>sectors</th><th>conflicts</th></tr></thead>\n<tbody><tr>");
    let Cost { warps, threads, divergent, sectors, conflicts } = *total;
    for number in [total.work(), warps, threads, divergent, sectors, conflicts] {
        html!(out, "<td>{}</td>", grouped(number));
    }
    out.push_str("</tr><tr>");
    let of_work = |number: u64| percent(number as f64 / total.work().max(1) as f64);
    let of_warps = |number: u64| percent(number as f64 / warps.max(1) as f64);
    let lanes = percent(threads as f64 / (32.0 * warps.max(1) as f64));
    html!(out, "<td>100.0%</td><td>{} of work</td><td>{lanes} of lanes</td>", of_work(warps));
    html!(out, "<td>{} of warps</td><td>{} of work</td>", of_warps(divergent), of_work(sectors));
    html!(out, "<td>{} of work</td></tr></tbody></table>\n", of_work(conflicts));
    out.push_str("<p class=\"hint\">Work is an estimate, one unit for each instruction that a warp executes, each sector of 32 bytes of memory that it accesses, and each additional pass by conflicts of banks. It does not measure the time of a GPU.</p>\n");
}

/// A share in percent.
fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// A number as it fits in the margin, or without its last digits.
fn short(number: u64) -> String {
    match number {
        0 => "·".to_owned(),
        1..1_000_000 => number.to_string(),
        1_000_000..1_000_000_000 => format!("{:.1}M", number as f64 / 1e6),
        _ => format!("{:.1}G", number as f64 / 1e9),
    }
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(line: u32, warps: u64, sectors: u64, sources: &[(&str, u32)]) -> Spot {
        Spot {
            place: Some(Place { file: 0, line }),
            function: "k".to_owned(),
            instruction: format!("i{line} <a>"),
            sources: sources.iter().map(|(file, line)| ((*file).to_owned(), *line)).collect(),
            cost: Cost { warps, threads: 32 * warps, sectors, ..Cost::default() },
        }
    }

    fn profile() -> Profile {
        let spots = vec![
            spot(1, 10, 0, &[("k.cu", 3)]),
            spot(2, 10, 30, &[("k.cu", 3), ("inline.h", 7)]),
            spot(3, 50, 0, &[("k.cu", 9), ("k.cu", 9)]),
        ];
        let texts = |count: u32| (1..=count).map(|line| format!("line {line} <")).collect::<Vec<_>>();
        Profile {
            title: "k".to_owned(),
            kernel: "k".to_owned(),
            inputs: vec![("k.ptx".to_owned(), texts(4))],
            sources: vec![
                SourceText { name: "k.cu".to_owned(), lines: Some(texts(9)) },
                SourceText { name: "inline.h".to_owned(), lines: None },
            ],
            spots,
            ..Profile::default()
        }
    }

    #[test]
    fn inlined_code_is_charged_to_the_call_too() {
        let profile = profile();
        let work: Vec<_> = profile.by_source().into_iter().map(|(line, cost)| (line, cost.work())).collect();
        assert_eq!(work, [(("inline.h", 7), 40), (("k.cu", 3), 50), (("k.cu", 9), 50)]);
        assert_eq!(profile.total().work(), 100);
        let order: Vec<_> = profile.sorted().iter().filter_map(|spot| spot.place).map(|at| at.line).collect();
        assert_eq!(order, [3, 2, 1]);
    }

    #[test]
    fn a_page_is_well_formed_and_has_all_numbers() {
        for profile in [profile(), Profile::default()] {
            let page = profile.to_html();
            let options =
                roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
            roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
            assert!(!page.contains("NaN") && !page.contains(">inf"), "{page}");
        }
        let page = profile().to_html();
        assert!(page.contains("<td>50.0%</td><td>50.0%</td><td>50</td>"), "{page}");
        assert!(page.contains("The file cannot be read.") && page.contains("i2 &lt;a&gt;"));
        // The line of the source and both of its instructions.
        assert!(page.contains("data-k=\"0-1 0-2\" data-n=\"3\""), "{page}");
        assert!(page.contains("k.cu:3 · 50.0%"), "{page}");
    }

    #[test]
    fn numbers_have_groups() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 5, 2_500_000].map(short), ["·", "5", "2.5M"]);
        let columns = margin(Some(&Cost { warps: 5, ..Cost::default() }), &Cost::default()).text;
        assert_eq!(columns.chars().count(), HEADINGS.chars().count());
    }
}

//! What an execution took as a flame graph, from the top down.

use std::collections::BTreeMap;

use crate::html::{escape, html};
use crate::lines::{Place, keys};
use crate::spot::Spot;

const WIDTH: f64 = 1200.0;
const ROW: f64 = 18.0;
const CHARACTER: f64 = 6.65;
/// Frames that are narrower are not drawn.
const NARROWEST: f64 = 0.7;
/// Calls that are inlined in each other more deeply are left out at their end.
const DEEPEST: usize = 40;

/// A frame: what it took with those in it.
#[derive(Default)]
struct Frame {
    work: u64,
    places: Vec<Place>,
    /// By name.
    inside: BTreeMap<String, Frame>,
}

impl Frame {
    /// The frames of these spots. The root is the kernel, whose own code is directly in it.
    fn of(kernel: &str, spots: &[Spot]) -> Self {
        let mut root = Self::default();
        for spot in spots {
            let lines = spot.sources.iter().map(|(file, line)| format!("{file}:{line}"));
            let mut frame = &mut root;
            frame.work += spot.cost.work();
            let function = Some(spot.function.clone()).filter(|function| function != kernel);
            for name in function.into_iter().chain(lines).take(DEEPEST) {
                frame = frame.inside.entry(name).or_default();
                frame.work += spot.cost.work();
            }
            frame.places.extend(spot.place);
        }
        root
    }

    fn depth(&self) -> usize {
        1 + self.inside.values().map(Frame::depth).fold(0, usize::max)
    }
}

/// Appends the flame graph of these spots, whose root has this name.
pub(crate) fn write_flame(out: &mut String, kernel: &str, spots: &[Spot]) {
    let root = Frame::of(kernel, spots);
    if root.work == 0 {
        out.push_str("<p class=\"hint\">Nothing was executed.</p>\n");
        return;
    }
    let height = root.depth() as f64 * ROW + 2.0;
    html!(
        out,
        "<div class=\"drawing\"><svg class=\"flame\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"group\" aria-label=\"Flame graph\">\n"
    );
    let drawing = Drawing { total: root.work as f64 };
    drawing.frame(out, kernel, &root, 0.0, 0);
    out.push_str("</svg></div>\n");
}

struct Drawing {
    total: f64,
}

impl Drawing {
    /// Draws a frame and those in it, the largest first. Their depth is limited.
    fn frame(&self, out: &mut String, name: &str, frame: &Frame, x: f64, depth: usize) {
        let width = frame.work as f64 / self.total * WIDTH;
        if width < NARROWEST {
            return;
        }
        let class = if depth == 0 { " class=\"function\"" } else { "" };
        match frame.places.first() {
            Some(first) => {
                html!(out, "<a{class} href=\"#p{}\" data-k=\"{}\">", first.key(), keys(&frame.places));
            }
            None => html!(out, "<g{class}>"),
        }
        let (y, share) = (depth as f64 * ROW + 1.0, 100.0 * frame.work as f64 / self.total);
        out.push_str("<title>");
        escape(out, name);
        html!(out, " · {share:.1}% · {} units of work</title>", frame.work);
        html!(out, "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" rx=\"2\" />", ROW - 1.0);
        let fits = ((width - 6.0) / CHARACTER) as usize;
        if fits >= 3 {
            html!(out, "<text x=\"{:.1}\" y=\"{}\">", x + 3.0, y + 12.5);
            escape(out, &shortened(&format!("{name} · {share:.1}%"), fits));
            out.push_str("</text>");
        }
        out.push_str(if frame.places.is_empty() { "</g>\n" } else { "</a>\n" });
        let mut inside: Vec<(&String, &Frame)> = frame.inside.iter().collect();
        inside.sort_by_key(|(_, frame)| std::cmp::Reverse(frame.work));
        let mut x = x;
        for (name, inner) in inside {
            self.frame(out, name, inner, x, depth + 1);
            x += inner.work as f64 / self.total * WIDTH;
        }
    }
}

/// A text of at most so many characters. Of a path the end is kept.
fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let end: String = text.chars().skip(count + 1 - most).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_long_names_is_kept() {
        assert_eq!(shortened("a/long/path/k.cu:7", 8), "…/k.cu:7");
        assert_eq!(shortened("k.cu:7", 8), "k.cu:7");
    }
}

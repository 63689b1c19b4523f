//! Values along the instructions of a function, as a drawing.

use crate::html::{escape, html};
use crate::lines::Place;

/// A value at an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The value.
    pub value: u32,
    /// The line of the instruction.
    pub place: Option<Place>,
}

/// Values of each instruction of a function, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Curve {
    /// What it is of, as in `PTX`.
    pub name: String,
    /// The values.
    pub points: Vec<Point>,
}

impl Curve {
    /// The largest value; 0 without points.
    pub(crate) fn most(&self) -> u32 {
        self.points.iter().map(|point| point.value).fold(0, u32::max)
    }

    /// At most [`COLUMNS`] points: each is the largest of those that it is for.
    fn columns(&self) -> Vec<Point> {
        let each = self.points.len().div_ceil(COLUMNS).max(1);
        self.points
            .chunks(each)
            .filter_map(|chunk| chunk.iter().copied().max_by_key(|point| point.value))
            .collect()
    }
}

/// Bars of a drawing: of more instructions, several share one.
const COLUMNS: usize = 240;
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 130.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 12.0;

/// Appends curves as SVG: the first as bars that are linked to their lines, the others as lines over it, each as wide as the drawing.
pub(crate) fn write_curves(out: &mut String, curves: &[Curve], unit: &str) {
    let most = curves.iter().map(Curve::most).fold(1, u32::max);
    let scale = HEIGHT / f64::from(most);
    let (width, height) = (LEFT + WIDTH + 10.0, TOP + HEIGHT + 22.0);
    html!(
        out,
        "<div class=\"drawing\"><svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\""
    );
    escape(out, unit);
    out.push_str("\">\n");
    let base = TOP + HEIGHT;
    for (value, y) in [(0, base), (most / 2, base - f64::from(most / 2) * scale), (most, TOP)] {
        html!(out, "<path class=\"axis\" d=\"M{LEFT} {y:.1}H{}\" />", LEFT + WIDTH);
        html!(
            out,
            "<text class=\"soft\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>\n",
            LEFT - 6.0,
            y + 4.0
        );
    }
    if let Some(first) = curves.first() {
        write_bars(out, &first.columns(), scale, unit);
        html!(out, "<text class=\"soft\" x=\"{LEFT}\" y=\"{}\">1</text>", base + 16.0);
        html!(
            out,
            "<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"end\">instruction {}</text>\n",
            LEFT + WIDTH,
            base + 16.0,
            first.points.len()
        );
    }
    for curve in curves.iter().skip(1) {
        write_line(out, &curve.columns(), scale);
    }
    out.push_str("</svg></div>\n");
}

fn write_bars(out: &mut String, points: &[Point], scale: f64, unit: &str) {
    let step = WIDTH / points.len().max(1) as f64;
    for (at, point) in points.iter().enumerate() {
        let (x, height) = (LEFT + at as f64 * step, f64::from(point.value) * scale);
        // Half of a pixel between bars that are wide enough for it.
        let width = if step > 2.0 { step - 0.5 } else { step };
        html!(out, "<rect class=\"bar\" x=\"{x:.1}\" y=\"{:.1}\"", TOP + HEIGHT - height);
        html!(out, " width=\"{width:.2}\" height=\"{height:.1}\"");
        if let Some(place) = point.place {
            html!(out, " data-k=\"{}\"", place.key());
        }
        html!(out, "><title>{} {}", point.value, unit);
        if let Some(place) = point.place {
            html!(out, ", line {}", place.line);
        }
        out.push_str("</title></rect>\n");
    }
}

fn write_line(out: &mut String, points: &[Point], scale: f64) {
    let step = WIDTH / points.len().max(1) as f64;
    out.push_str("<path class=\"curve\" d=\"");
    for (at, point) in points.iter().enumerate() {
        let (x, y) = (LEFT + at as f64 * step, TOP + HEIGHT - f64::from(point.value) * scale);
        let command = if at == 0 { 'M' } else { 'L' };
        html!(out, "{command}{x:.1} {y:.1}H{:.1}", x + step);
    }
    out.push_str("\" />\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_points_keep_their_peaks() {
        let points = |count: u32| -> Vec<Point> {
            (0..count).map(|value| Point { value: value % 1000, place: None }).collect()
        };
        let curve = Curve { name: String::new(), points: points(10_000) };
        let columns = curve.columns();
        assert!(
            columns.len() <= COLUMNS && columns.iter().any(|point| point.value == 999),
            "{}",
            columns.len()
        );
        let mut out = String::new();
        write_curves(&mut out, &[curve], "registers");
        assert_eq!(out.matches("<rect").count(), columns.len());
        // Nothing is divided by zero.
        out.clear();
        write_curves(&mut out, &[Curve::default()], "registers");
        assert!(!out.contains("NaN") && !out.contains("inf"), "{out}");
    }
}

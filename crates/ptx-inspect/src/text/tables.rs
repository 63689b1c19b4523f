//! Tables of text.

use crate::roofline::Work;

/// Rows with as many cells as there are titles; columns of numbers are aligned to the right.
pub(super) struct Table<const N: usize> {
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    pub(super) fn new(titles: [&str; N]) -> Self {
        Self { rows: vec![titles.map(str::to_owned)] }
    }

    pub(super) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells);
    }

    /// Appends the rows, or that there are none.
    pub(super) fn write(&self, out: &mut String) {
        if self.rows.len() < 2 {
            out.push_str("    none\n");
            return;
        }
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .fold(0, usize::max)
        };
        let is_number = |column: usize| {
            let cells = self.rows.iter().skip(1).filter_map(|row| row.get(column));
            cells.clone().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit()))
                && cells.clone().all(|cell| cell.is_empty() || !cell.contains([' ', '%', '[', '*', '@', ':']))
        };
        let columns: Vec<(usize, bool)> = (0..N).map(|column| (width(column), is_number(column))).collect();
        for row in &self.rows {
            let mut text = String::from("   ");
            for (cell, (width, is_number)) in row.iter().zip(&columns) {
                let gap = " ".repeat(width - cell.chars().count());
                text.push(' ');
                if *is_number {
                    text.push_str(&gap);
                }
                text.push_str(cell);
                if !*is_number {
                    text.push_str(&gap);
                }
                text.push(' ');
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
    }
}

/// A value, or what is shown where there is none.
pub(super) fn shown(value: Option<impl ToString>, missing: &str) -> String {
    match value {
        Some(value) => value.to_string(),
        None => missing.to_owned(),
    }
}

/// A line; `?` for none.
pub(super) fn line(line: u32) -> String {
    if line == 0 { "?".to_owned() } else { line.to_string() }
}

/// A number with at most two decimals.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `12 flops, 3 integer operations, 8 bytes read, 4 written`
pub(super) fn work(work: &Work) -> [String; 4] {
    [work.float, work.integer, work.read, work.written].map(number)
}

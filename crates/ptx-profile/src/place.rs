//! The rows of a profile at the instructions of a module.

use std::collections::BTreeMap;

use ptx_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use ptx_ir::{Inst, Module};
use rustc_hash::FxHashMap;

use crate::codes::OTHER_MODULE;
use crate::parse::{Counts, Launch, Profile, Row};

/// After so many rows that are of another module nothing is gained by more.
const MOST_FINDINGS: usize = 5;

/// What was executed of a module.
#[derive(Clone, Debug)]
pub struct Placed {
    launches: Vec<Launch>,
    counts: FxHashMap<Span, Counts>,
    totals: BTreeMap<String, Counts>,
}

impl Placed {
    /// The launches.
    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// What is counted of the instruction at a position; nothing of one that was not executed.
    pub fn of(&self, span: Span) -> Counts {
        // Default: a profile has a row for each instruction that was executed.
        self.counts.get(&span).copied().unwrap_or_default()
    }

    /// What was executed, by positions, in no order.
    pub fn executed(&self) -> impl Iterator<Item = (Span, Counts)> + '_ {
        self.counts.iter().map(|(span, counts)| (*span, *counts))
    }

    /// The sums of a function.
    pub fn total(&self, function: &str) -> Counts {
        // Default: nothing of the function was executed.
        self.totals.get(function).copied().unwrap_or_default()
    }
}

/// An instruction of a module.
struct Place {
    function: usize,
    span: Span,
}

impl Profile {
    /// Finds the instructions that were executed in a module with its text. The name of the file need not be the same, unless the profile has several.
    ///
    /// # Errors
    ///
    /// Rows, at their lines in the profile, at whose place the module has another instruction or none, and kernels that it does not have.
    pub fn place(&self, text: &SourceFile, module: &Module) -> Result<Placed, Diagnostics> {
        let mut findings = Diagnostics::new();
        for launch in &self.launches {
            if !module.functions.iter().any(|function| module.name(function.name) == launch.kernel) {
                let message =
                    format!("`{}` has no kernel `{}`, which was launched", text.name(), launch.kernel);
                findings.push(Diagnostic::error(OTHER_MODULE, Span::default(), message));
            }
        }
        if !self.rows.is_empty() && self.rows_of(text).next().is_none() {
            let message = format!("nothing of `{}` was executed, but other files were", text.name());
            findings.push(Diagnostic::error(OTHER_MODULE, Span::default(), message));
        }
        let places = places(text, module);
        let mut placed =
            Placed { launches: self.launches.clone(), counts: FxHashMap::default(), totals: BTreeMap::new() };
        for row in self.rows_of(text) {
            if findings.error_count() >= MOST_FINDINGS {
                break;
            }
            match find(row, text, module, &places) {
                Ok(place) => {
                    let counts = placed.counts.entry(place.span).or_default();
                    *counts = counts.plus(row.counts);
                    let total = placed.totals.entry(row.function.clone()).or_default();
                    *total = total.plus(row.counts);
                }
                Err(message) => findings
                    .push(Diagnostic::error(OTHER_MODULE, row.span, message).with_help(
                        "a profile is of the text that was executed: give the one of this module",
                    )),
            }
        }
        if findings.has_errors() { Err(findings) } else { Ok(placed) }
    }

    /// The rows of a text: all, if they are of one file, and else those with its name.
    fn rows_of<'p>(&'p self, text: &'p SourceFile) -> impl Iterator<Item = &'p Row> {
        let first = self.rows.first().map(|row| row.file.as_str());
        let is_one = self.rows.iter().all(|row| Some(row.file.as_str()) == first);
        self.rows.iter().filter(move |row| is_one || row.file == text.name())
    }
}

/// The instructions of a module by line and column.
fn places(text: &SourceFile, module: &Module) -> FxHashMap<(u32, u32), Place> {
    let mut found: Vec<Place> = Vec::new();
    for (function, one) in module.functions.iter().enumerate() {
        let instructions = one.body.iter().flat_map(|body| body.instructions());
        found.extend(instructions.map(|(_, inst): (usize, &Inst)| Place { function, span: inst.at.0 }));
    }
    let offsets: Vec<u32> = found.iter().map(|place| place.span.lo).collect();
    let positions = text.positions(&offsets);
    positions.into_iter().zip(found).map(|(at, place)| ((at.line, at.column), place)).collect()
}

/// The instruction of a row, or why it is not there.
fn find<'p>(
    row: &Row,
    text: &SourceFile,
    module: &Module,
    places: &'p FxHashMap<(u32, u32), Place>,
) -> Result<&'p Place, String> {
    let at = format!("{}:{}:{}", text.name(), row.line, row.column);
    let Some(place) = places.get(&(row.line, row.column)) else {
        return Err(format!("no instruction at {at}, where `{}` was executed", row.text));
    };
    let range = place.span.lo as usize..place.span.hi as usize;
    let own = text.text().get(range).map(String::from_utf8_lossy);
    let own: Vec<&str> = own.iter().flat_map(|own| own.split_whitespace()).collect();
    let own = own.join(" ");
    if own != row.text {
        return Err(format!("`{own}` at {at}, where `{}` was executed", row.text));
    }
    let function = module.functions.get(place.function).map(|function| module.name(function.name));
    if function != Some(row.function.as_str()) {
        return Err(format!("`{own}` at {at} is not in the function `{}`, which was executed", row.function));
    }
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";
    const LAUNCH: &str = r#"{"kind":"profile-launch","kernel":"k","grid":[1,1,1],"block":[32,1,1]}"#;

    fn row(file: &str, line: u32, column: u32, text: &str, warps: u64) -> String {
        format!(
            r#"{{"kind":"profile","file":"{file}","line":{line},"column":{column},"function":"k","text":"{text}","warps":{warps},"threads":9,"divergent":0,"sectors":0,"conflicts":0}}"#
        )
    }

    fn place(module: &str, rows: &[String]) -> Result<Placed, Vec<String>> {
        let text = SourceFile::new("a.ptx", format!("{HEAD}{module}"));
        let (module, findings) = ptx_syntax::parse(&text);
        assert!(!findings.has_errors());
        let profile = SourceFile::new("p.json", format!("{LAUNCH}\n{}\n", rows.join("\n")));
        let placed = Profile::parse(&profile).unwrap().place(&text, &module);
        placed.map_err(|findings| findings.iter().map(|finding| finding.message.clone()).collect())
    }

    const MODULE: &str =
        ".visible .entry k()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 1;  add.s32  %r2,\n  %r1, 1;\nret;\n}\n";

    #[test]
    fn instructions_of_a_line_are_told_apart_and_launches_added() {
        let rows = [
            row("k.ptx", 7, 1, "mov.u32 %r1, 1", 3),
            row("k.ptx", 7, 18, "add.s32 %r2, %r1, 1", 5),
            row("k.ptx", 7, 18, "add.s32 %r2, %r1, 1", 2),
        ];
        let placed = place(MODULE, &rows).unwrap();
        let mut warps: Vec<u64> = placed.executed().map(|(_, counts)| counts.warps).collect();
        warps.sort_unstable();
        assert_eq!(warps, [3, 7]);
        assert_eq!(placed.total("k").warps, 10);
        assert_eq!(placed.total("f"), Counts::default());
    }

    #[test]
    fn another_module_is_an_error_with_the_instruction() {
        for (rows, expected) in [
            (
                row("k.ptx", 7, 1, "mov.u32 %r1, 2", 3),
                "`mov.u32 %r1, 1` at a.ptx:7:1, where `mov.u32 %r1, 2` was executed",
            ),
            (row("k.ptx", 6, 1, "ret", 3), "no instruction at a.ptx:6:1, where `ret` was executed"),
            (
                row("k.ptx", 9, 1, "ret", 3).replace("\"k\"", "\"f\""),
                "`ret` at a.ptx:9:1 is not in the function `f`, which was executed",
            ),
        ] {
            assert_eq!(place(MODULE, &[rows]).unwrap_err(), [expected]);
        }
        let other = MODULE.replace("k()", "other()");
        assert_eq!(place(&other, &[]).unwrap_err(), ["`a.ptx` has no kernel `k`, which was launched"]);
        let many: Vec<String> = (20..40).map(|line| row("k.ptx", line, 1, "ret", 1)).collect();
        assert_eq!(place(MODULE, &many).unwrap_err().len(), MOST_FINDINGS);
    }

    #[test]
    fn rows_of_other_files_are_not_those_of_the_module() {
        let rows = [row("a.ptx", 9, 1, "ret", 3), row("b.ptx", 1, 1, "ret", 5)];
        assert_eq!(place(MODULE, &rows).unwrap().total("k").warps, 3);
        let rows = [row("c.ptx", 9, 1, "ret", 3), row("b.ptx", 1, 1, "ret", 5)];
        assert_eq!(
            place(MODULE, &rows).unwrap_err(),
            ["nothing of `a.ptx` was executed, but other files were"]
        );
    }
}

//! The text of a profile taken apart.

use ptx_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use serde::Deserialize;

use crate::codes::NO_PROFILE;

/// The grid and the block of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Launch {
    /// The name of the kernel.
    pub kernel: String,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
}

impl Launch {
    /// The threads of all blocks.
    pub fn threads(&self) -> u64 {
        let all = self.grid.iter().chain(&self.block).map(|extent| u64::from(*extent));
        // A grid of more threads than that was not executed.
        all.fold(1, u64::saturating_mul)
    }
}

/// How often an instruction was executed, and what its accesses took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
pub struct Counts {
    /// Executions by warps.
    pub warps: u64,
    /// Executions by threads; of a guarded instruction by those whose guard was true.
    pub threads: u64,
    /// Executions after which a warp had diverged.
    pub divergent: u64,
    /// Sectors of 32 bytes of global and local memory that were accessed.
    pub sectors: u64,
    /// Additional passes by conflicts of banks of shared memory.
    pub conflicts: u64,
}

impl Counts {
    /// The sums of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            warps: self.warps.saturating_add(other.warps),
            threads: self.threads.saturating_add(other.threads),
            divergent: self.divergent.saturating_add(other.divergent),
            sectors: self.sectors.saturating_add(other.sectors),
            conflicts: self.conflicts.saturating_add(other.conflicts),
        }
    }
}

/// An instruction that was executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The file that it is in.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its column in characters, from 1.
    pub column: u32,
    /// The function that it is in, as the PTX has the name.
    pub function: String,
    /// Its text with its operands, with single blanks.
    pub text: String,
    /// What is counted.
    pub counts: Counts,
    /// The row in the text of the profile.
    pub span: Span,
}

/// What a profile has.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its text.
    pub source: SourceFile,
    /// The launches, in order: profiles can be appended to each other.
    pub launches: Vec<Launch>,
    /// The instructions, in the order of the text.
    pub rows: Vec<Row>,
}

/// An object of a profile with the members that are needed; others may be added.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Object {
    ProfileLaunch(Launch),
    Profile(Instruction),
    /// Lines of the source.
    ProfileLine {},
    ProfileTotal {},
}

#[derive(Deserialize)]
struct Instruction {
    file: String,
    line: u32,
    column: u32,
    function: String,
    text: String,
    #[serde(flatten)]
    counts: Counts,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    ///
    /// Each line that is not an object of a profile, or that a launch is missing.
    pub fn parse(source: &SourceFile) -> Result<Self, Diagnostics> {
        let (mut launches, mut rows, mut findings) = (Vec::new(), Vec::new(), Diagnostics::new());
        let mut start = 0;
        for line in source.text().split_inclusive(|byte| *byte == b'\n') {
            // Inputs are smaller than 4 GiB.
            let span = Span::new(start, start + line.len() as u32);
            start = span.hi;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(Object::ProfileLaunch(launch)) => launches.push(launch),
                Ok(Object::Profile(Instruction { file, line, column, function, text, counts })) => {
                    rows.push(Row { file, line, column, function, text, counts, span });
                }
                Ok(Object::ProfileLine {} | Object::ProfileTotal {}) => {}
                Err(error) => {
                    findings.push(wrong(span, &error));
                    // A file of another kind has nothing else to tell.
                    break;
                }
            }
        }
        if !findings.has_errors() && launches.is_empty() {
            let message = "no launch in the profile";
            findings.push(
                Diagnostic::error(NO_PROFILE, Span::default(), message)
                    .with_help("`ptxrun k.ptx .. --profile=p.json` writes one"),
            );
        }
        if findings.has_errors() {
            return Err(findings);
        }
        Ok(Self { source: source.clone(), launches, rows })
    }
}

/// The finding that a line is not an object of a profile.
fn wrong(line: Span, error: &serde_json::Error) -> Diagnostic {
    // The reader counts columns in bytes from 1, and has 0 where it has no place.
    let at = match u32::try_from(error.column()) {
        Ok(column) => (line.lo + column.saturating_sub(1)).min(line.hi.saturating_sub(1)),
        Err(_) => line.lo,
    };
    let text = error.to_string();
    // The place is that of the diagnostic.
    let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
    Diagnostic::error(NO_PROFILE, Span::new(at, at + 1), format!("not a row of a profile: {reason}"))
        .with_help("`ptxrun k.ptx .. --profile=p.json` writes one")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCH: &str = r#"{"kind":"profile-launch","kernel":"k","grid":[4,2,1],"block":[64,1,1],"more":1}"#;
    const ROW: &str = r#"{"kind":"profile","file":"k.ptx","line":3,"column":5,"function":"k","source":null,"text":"ret","warps":1,"threads":2,"divergent":0,"sectors":3,"conflicts":4}"#;

    fn parse(text: &str) -> Result<Profile, Diagnostics> {
        Profile::parse(&SourceFile::new("p.json", text))
    }

    #[test]
    fn rows_and_launches_are_read_and_sums_passed_over() {
        let text = format!(
            "{LAUNCH}\n{ROW}\n{{\"kind\":\"profile-line\",\"warps\":1}}\n{{\"kind\":\"profile-total\"}}\n"
        );
        let profile = parse(&text.repeat(2)).unwrap();
        assert_eq!(profile.launches.len(), 2);
        assert_eq!(profile.launches[0].threads(), 512);
        assert_eq!(profile.rows.len(), 2);
        assert_eq!(
            profile.rows[0].counts,
            Counts { warps: 1, threads: 2, divergent: 0, sectors: 3, conflicts: 4 }
        );
        assert_eq!(&text.as_bytes()[profile.rows[0].span.lo as usize..][..ROW.len()], ROW.as_bytes());
    }

    #[test]
    fn what_is_no_profile_is_an_error_at_its_place() {
        let line = |text: &str| {
            let source = SourceFile::new("p.json", text);
            let findings = parse(text).unwrap_err();
            let first = findings.iter().next().unwrap().clone();
            (source.position(first.span.unwrap_or_default().lo).line, first.message)
        };
        assert_eq!(line(ROW), (1, "no launch in the profile".to_owned()));
        assert_eq!(line("").1, "no launch in the profile");
        for wrong in [
            "{",
            "[]",
            "{\"kind\":\"other\"}",
            "\u{7f}",
            &ROW.replace(",\"column\":5", ""),
            &ROW.replace(":3,", ":-3,"),
        ] {
            let (at, message) = line(&format!("{LAUNCH}\n{wrong}\n{ROW}\n"));
            assert!(at == 2 && message.starts_with("not a row of a profile: "), "{wrong}: {at} {message}");
        }
    }
}

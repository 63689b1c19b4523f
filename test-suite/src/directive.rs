//! The directives in a test file's comments: what is run, with which launches, and what must come out.
//!
//! A directive is a comment line `// KEY: rest` (`; KEY: rest` in LLVM IR), where KEY is in capitals. An unknown key
//! is an error, so that a misspelt expectation cannot pass unnoticed. README.md describes the language.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use ptx_exec::{Completion, Reconvergence};

use crate::value::{Element, ElementType, Judgement, parse_list};

/// How strongly LLVM optimizes between lowering and raising.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Level {
    /// `-O0`: nothing.
    O0,
    /// `-O1`.
    O1,
    /// `-O2`.
    O2,
    /// `-O3`.
    O3,
}

impl Level {
    /// The option as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::O0 => "-O0",
            Self::O1 => "-O1",
            Self::O2 => "-O2",
            Self::O3 => "-O3",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::O0, Self::O1, Self::O2, Self::O3].into_iter().find(|level| level.as_str() == word)
    }
}

/// Whether a text is compared with the golden file beside the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Golden {
    /// No golden file.
    No,
    /// The whole text equals `STEM.VERB[LEVEL].expected`.
    Yes,
}

/// One `RUN:` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// Reads and verifies without an error; R1 and R2; ptxas accepts the input and its print.
    Parse {
        /// Whether the printed module is a golden file.
        golden: Golden,
    },
    /// Every diagnostic is marked, and every mark found.
    Error,
    /// Lowers, optimizes and passes LLVM's verifier and llc; checks and a golden file on the IR.
    Lower {
        /// The pipeline.
        level: Level,
        /// The prefix of the check lines, if any are asked for.
        check: Option<String>,
        /// Whether the IR is a golden file.
        golden: Golden,
    },
    /// Raises LLVM IR to PTX that reads back, verifies and pleases ptxas.
    Raise {
        /// The pipeline that runs before.
        level: Level,
        /// The prefix of the check lines, if any are asked for.
        check: Option<String>,
        /// Whether the PTX is a golden file.
        golden: Golden,
    },
    /// R3 (PTX inputs) or R4 (LLVM IR inputs): there and back, accepted and computing the same.
    RoundTrip {
        /// The pipelines, one round trip each.
        levels: Vec<Level>,
        /// The prefix of the check lines on the PTX that comes back, if any are asked for.
        check: Option<String>,
    },
    /// Executes every launch in the interpreter and compares.
    Exec,
}

/// How a parameter is passed and what happens to its buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The bytes are the parameter itself.
    Value,
    /// A buffer that must come back unchanged.
    In,
    /// A buffer that starts as a poison pattern.
    Out,
    /// A buffer with a start value and an expectation.
    InOut,
}

/// One `ARG:` line.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// The name `WANT:` uses; empty for a value.
    pub name: String,
    /// Value or buffer.
    pub role: Role,
    /// Type of the elements.
    pub ty: ElementType,
    /// The start value (of [`Role::Out`], the poison).
    pub bytes: Vec<u8>,
    /// The expected elements and how near they must be; of [`Role::In`], the start value.
    pub want: Option<(Vec<Element>, Judgement)>,
}

/// What a launch must come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It finishes, and the buffers hold what is expected.
    Finish,
    /// It fails with a diagnostic of this code whose message contains the text.
    Fault {
        /// The diagnostic's code.
        code: String,
        /// A part of its message; may be empty.
        text: String,
    },
}

/// One `LAUNCH:` line with the `ARG:` and `WANT:` lines that follow it.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// The kernel.
    pub entry: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y, z, where the launch names them.
    pub cluster: Option<[u32; 3]>,
    /// Whether all blocks are there at once.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// Where threads that a branch has parted run together again.
    pub reconvergence: Reconvergence,
    /// Seconds after which the launch is a failure.
    pub timeout: f64,
    /// The parameters, in order.
    pub arguments: Vec<Argument>,
    /// What it must come to.
    pub ending: Ending,
    /// The lines that it prints, each with its end.
    pub printed: String,
}

/// How a check line is matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckKind {
    /// Somewhere after the previous match.
    After,
    /// In the line after the previous match.
    Next,
    /// Not between the previous match and the next one.
    Not,
}

/// One check line: a piece of text with `{{regular expressions}}` in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The prefix it was written with.
    pub prefix: String,
    /// How it is matched.
    pub kind: CheckKind,
    /// What is looked for.
    pub pattern: String,
    /// Its line in the test file, from 1.
    pub line: usize,
}

/// One `//~` mark: a diagnostic expected on a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The line the diagnostic is expected on, from 1.
    pub line: u32,
    /// Its code.
    pub code: String,
    /// A part of its message; may be empty.
    pub text: String,
}

/// Everything a test file says about itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Directives {
    /// What is run.
    pub runs: Vec<Run>,
    /// The launches of `RUN: exec` and of round trips.
    pub launches: Vec<Launch>,
    /// The check lines of all prefixes, in order.
    pub checks: Vec<Check>,
    /// The expected diagnostics.
    pub marks: Vec<Mark>,
    /// Files that `file(...)` mentions.
    pub files: Vec<PathBuf>,
    /// Why ptxas is not asked about this input, if it is not (`PTXAS: skip WHY`).
    pub skip_ptxas: Option<String>,
}

/// Reads the directives of a test file; `path` tells the comment's form and where `file(...)` looks.
pub fn parse(path: &Path, text: &str) -> Result<Directives> {
    let mut reader = Reader {
        comment: if path.extension().is_some_and(|e| e == "ll") { ";" } else { "//" },
        folder: path.parent().unwrap_or(Path::new(".")).to_owned(),
        found: Directives {
            runs: Vec::new(),
            launches: Vec::new(),
            checks: Vec::new(),
            marks: Vec::new(),
            files: Vec::new(),
            skip_ptxas: None,
        },
        wants: Vec::new(),
    };
    for (at, line) in text.lines().enumerate() {
        reader.line(at + 1, line).with_context(|| format!("line {}", at + 1))?;
    }
    reader.finish()
}

struct Reader {
    comment: &'static str,
    folder: PathBuf,
    found: Directives,
    /// The `WANT:` lines of the current launch: buffer, values, judgement; lines for one buffer are joined.
    wants: Vec<(String, String, Judgement)>,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) -> Result<()> {
        self.mark(number, line)?;
        let Some(comment) = line.trim_start().strip_prefix(self.comment) else { return Ok(()) };
        let Some((key, rest)) = comment.trim_start().split_once(':') else { return Ok(()) };
        let is_key = key.len() > 1 && key.starts_with(|c: char| c.is_ascii_uppercase());
        if !is_key || !key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-') {
            return Ok(());
        }
        let rest = rest.trim();
        match key {
            "RUN" => self.run(rest)?,
            "LAUNCH" => self.launch(rest)?,
            "ARG" => self.argument(rest)?,
            "WANT" => self.want(rest)?,
            "PTXAS" => {
                let why = rest.strip_prefix("skip ").context("write `PTXAS: skip WHY`")?;
                self.found.skip_ptxas = Some(why.to_owned());
            }
            _ => self.check(number, key, rest)?,
        }
        Ok(())
    }

    /// `//~ CODE text` marks its own line, `//~^ CODE` the line before, `//~@LINE CODE` any line.
    fn mark(&mut self, number: usize, line: &str) -> Result<()> {
        let sign = format!("{}~", self.comment);
        let Some((_, mark)) = line.split_once(sign.as_str()) else { return Ok(()) };
        for mark in mark.split(sign.as_str()) {
            let (line, mark) = if let Some(mark) = mark.strip_prefix('^') {
                (number as u32 - 1, mark)
            } else if let Some(mark) = mark.strip_prefix('@') {
                let (line, mark) = mark.split_once(' ').context("a mark needs a code")?;
                (line.parse()?, mark)
            } else {
                (number as u32, mark)
            };
            let (code, text) = mark.trim().split_once(' ').unwrap_or((mark.trim(), ""));
            ensure!(!code.is_empty(), "a mark needs a code");
            self.found.marks.push(Mark { line, code: code.to_owned(), text: text.trim().to_owned() });
        }
        Ok(())
    }

    fn run(&mut self, rest: &str) -> Result<()> {
        let mut words = rest.split_whitespace();
        let verb = words.next().context("RUN: needs a verb")?;
        let (mut levels, mut check, mut golden) = (Vec::new(), None, Golden::No);
        for word in words {
            if let Some(level) = Level::parse(word) {
                levels.push(level);
            } else if word == "check" {
                check = Some("CHECK".to_owned());
            } else if let Some(prefix) = word.strip_prefix("check=") {
                check = Some(prefix.to_owned());
            } else if word == "golden" {
                golden = Golden::Yes;
            } else {
                bail!("unknown option of RUN: {word}");
            }
        }
        let run = match (verb, levels.as_slice()) {
            ("parse", []) if check.is_none() => Run::Parse { golden },
            ("error", []) if check.is_none() && golden == Golden::No => Run::Error,
            ("lower", &[level]) => Run::Lower { level, check, golden },
            ("raise", &[level]) => Run::Raise { level, check, golden },
            ("roundtrip", [_, ..]) if golden == Golden::No => Run::RoundTrip { levels, check },
            ("exec", []) if check.is_none() && golden == Golden::No => Run::Exec,
            _ => bail!("no such run: {rest}"),
        };
        ensure!(!self.found.runs.contains(&run), "the same run twice");
        self.found.runs.push(run);
        Ok(())
    }

    fn launch(&mut self, rest: &str) -> Result<()> {
        self.close_launch()?;
        let mut launch = Launch {
            entry: String::new(),
            grid: [1; 3],
            block: [1; 3],
            cluster: None,
            cooperative: false,
            shared: 0,
            completion: Completion::default(),
            reconvergence: Reconvergence::default(),
            timeout: 20.0,
            arguments: Vec::new(),
            ending: Ending::Finish,
            printed: String::new(),
        };
        for word in rest.split_whitespace() {
            let (key, value) = word.split_once('=').with_context(|| format!("{word} is not KEY=VALUE"))?;
            match key {
                "entry" => launch.entry = value.to_owned(),
                "grid" => launch.grid = extent(value)?,
                "block" => launch.block = extent(value)?,
                "cluster" => launch.cluster = Some(extent(value)?),
                "cooperative" => launch.cooperative = value == "yes",
                "shared" => launch.shared = value.parse()?,
                "timeout" => launch.timeout = value.parse()?,
                "async" => launch.completion = value.parse().map_err(anyhow::Error::msg)?,
                "reconverge" => launch.reconvergence = value.parse().map_err(anyhow::Error::msg)?,
                _ => bail!("unknown key {key}"),
            }
        }
        ensure!(!launch.entry.is_empty(), "LAUNCH: needs entry=NAME");
        self.found.launches.push(launch);
        Ok(())
    }

    fn argument(&mut self, rest: &str) -> Result<()> {
        let launch = self.found.launches.last_mut().context("ARG: before LAUNCH:")?;
        let (head, values) = rest.split_once('=').map_or((rest, None), |(h, v)| (h, Some(v)));
        let mut words = head.split_whitespace();
        let mut word = || words.next().with_context(|| format!("{rest} is too short"));
        let first = word()?;
        let role = match first {
            "in" => Role::In,
            "out" => Role::Out,
            "inout" => Role::InOut,
            _ => Role::Value,
        };
        let (name, ty) =
            if role == Role::Value { (String::new(), first) } else { (word()?.to_owned(), word()?) };
        ensure!(words.next().is_none(), "{rest} is too long");
        let (ty, count) = match ty.strip_suffix(']').and_then(|t| t.split_once('[')) {
            Some((ty, count)) => (ElementType::parse(ty)?, Some(count.parse::<usize>()?)),
            None => (ElementType::parse(ty)?, (role == Role::Value).then_some(1)),
        };
        ensure!(
            launch.arguments.iter().all(|a| role == Role::Value || a.name != name),
            "two buffers are called {name}"
        );
        let (bytes, want) = if role == Role::Out {
            ensure!(values.is_none(), "an out buffer has no start value");
            (vec![0xA5; count.context("an out buffer needs its length")? * ty.bytes()], None)
        } else {
            let values = values.context("a value is missing")?;
            self.found.files.extend(file_of(values).map(|file| self.folder.join(file)));
            let list = parse_list(ty, count, values, &self.folder)?;
            let bytes = crate::value::to_bytes(ty, &list)?;
            (bytes, (role == Role::In).then_some((list, Judgement::default())))
        };
        launch.arguments.push(Argument { name, role, ty, bytes, want });
        Ok(())
    }

    fn want(&mut self, rest: &str) -> Result<()> {
        let launch = self.found.launches.last_mut().context("WANT: before LAUNCH:")?;
        if let Some(fault) = rest.strip_prefix("fault ") {
            let (code, text) = fault.trim().split_once(' ').unwrap_or((fault.trim(), ""));
            ensure!(launch.ending == Ending::Finish, "two endings");
            launch.ending = Ending::Fault { code: code.to_owned(), text: text.trim().to_owned() };
            return Ok(());
        }
        if let Some(line) = rest.strip_prefix("prints ") {
            launch.printed.push_str(line);
            launch.printed.push('\n');
            return Ok(());
        }
        let (name, values) = rest.split_once('=').context("write `WANT: BUFFER = VALUES`")?;
        let (mut judgement, mut words) = (Judgement::default(), Vec::new());
        for word in values.split_whitespace() {
            match word.split_once('=') {
                Some(("rtol", v)) => judgement.rtol = v.parse()?,
                Some(("atol", v)) => judgement.atol = v.parse()?,
                Some(("mismatch", v)) => judgement.mismatch = v.parse()?,
                _ => words.push(word),
            }
        }
        let (name, values) = (name.trim(), words.join(" "));
        self.found.files.extend(file_of(&values).map(|file| self.folder.join(file)));
        match self.wants.iter_mut().find(|w| w.0 == name) {
            Some(want) => {
                want.1.push(' ');
                want.1.push_str(&values);
                if judgement != Judgement::default() {
                    want.2 = judgement;
                }
            }
            None => self.wants.push((name.to_owned(), values, judgement)),
        }
        Ok(())
    }

    fn check(&mut self, line: usize, key: &str, rest: &str) -> Result<()> {
        let (prefix, kind) = if let Some(prefix) = key.strip_suffix("-NEXT") {
            (prefix, CheckKind::Next)
        } else if let Some(prefix) = key.strip_suffix("-NOT") {
            (prefix, CheckKind::Not)
        } else {
            (key, CheckKind::After)
        };
        ensure!(!rest.is_empty(), "{key}: checks nothing");
        self.found.checks.push(Check { prefix: prefix.to_owned(), kind, pattern: rest.to_owned(), line });
        Ok(())
    }

    /// Gives each buffer of the launch that ends here its expectation.
    fn close_launch(&mut self) -> Result<()> {
        let wants = std::mem::take(&mut self.wants);
        let Some(launch) = self.found.launches.last_mut() else {
            return Ok(());
        };
        for (name, values, judgement) in wants {
            let argument = launch
                .arguments
                .iter_mut()
                .find(|a| a.role != Role::Value && a.name == name)
                .with_context(|| format!("no buffer is called {name}"))?;
            let count = argument.bytes.len() / argument.ty.bytes();
            let list = parse_list(argument.ty, Some(count), &values, &self.folder)
                .with_context(|| format!("expectation of {name}"))?;
            argument.want = Some((list, judgement));
        }
        let entry = &launch.entry;
        match launch.ending {
            Ending::Finish => {
                let judged = launch.arguments.iter().any(|a| matches!(a.role, Role::Out | Role::InOut));
                ensure!(judged || !launch.printed.is_empty(), "the launch of {entry} has no result to judge");
                let open = launch.arguments.iter().find(|a| a.role != Role::Value && a.want.is_none());
                ensure!(open.is_none(), "the launch of {entry} leaves a buffer without WANT:");
            }
            Ending::Fault { .. } => {}
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Directives> {
        self.close_launch()?;
        let found = self.found;
        ensure!(!found.runs.is_empty(), "no RUN: line");
        let asked = |prefix: &str| {
            found.runs.iter().any(|run| match run {
                Run::Lower { check, .. } | Run::Raise { check, .. } | Run::RoundTrip { check, .. } => {
                    check.as_deref() == Some(prefix)
                }
                Run::Parse { .. } | Run::Error | Run::Exec => false,
            })
        };
        for check in &found.checks {
            ensure!(asked(&check.prefix), "line {}: no RUN: asks for {}", check.line, check.prefix);
        }
        for run in &found.runs {
            if let Run::Lower { check: Some(prefix), .. }
            | Run::Raise { check: Some(prefix), .. }
            | Run::RoundTrip { check: Some(prefix), .. } = run
            {
                ensure!(found.checks.iter().any(|c| c.prefix == *prefix), "no {prefix}: line");
            }
        }
        let runs_launches = found.runs.iter().any(|r| matches!(r, Run::Exec));
        ensure!(runs_launches != found.launches.is_empty(), "LAUNCH: and `RUN: exec` belong together");
        let expects_errors = found.runs.contains(&Run::Error);
        ensure!(expects_errors != found.marks.is_empty(), "`//~` marks and `RUN: error` belong together");
        Ok(found)
    }
}

fn extent(text: &str) -> Result<[u32; 3]> {
    let mut extent = [1; 3];
    for (at, part) in text.split(',').enumerate() {
        *extent.get_mut(at).context("at most three dimensions")? = part.parse()?;
    }
    Ok(extent)
}

/// The file that a list of values is taken from.
fn file_of(values: &str) -> Option<&str> {
    values.trim().strip_prefix("file(").and_then(|file| file.strip_suffix(')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Directives> {
        parse(Path::new("t.ptx"), text)
    }

    #[test]
    fn a_launch_collects_its_arguments_and_expectations() {
        let text = "// RUN: exec\n// LAUNCH: entry=k grid=2,3 block=32 shared=64\n// ARG: i32 = -5\n\
                    // ARG: in x u32 = 1 2\n// ARG: out y f32[3]\n// WANT: y = 1\n// WANT: y = 2*2 rtol=0.5\n";
        let found = read(text).unwrap();
        let launch = &found.launches[0];
        assert_eq!((launch.grid, launch.block, launch.shared), ([2, 3, 1], [32, 1, 1], 64));
        assert_eq!(launch.arguments[0].bytes, (-5i32).to_le_bytes());
        assert_eq!(launch.arguments[1].want.as_ref().unwrap().0.len(), 2);
        let (want, judgement) = launch.arguments[2].want.as_ref().unwrap();
        assert_eq!((want.len(), judgement.rtol), (3, 0.5));
    }

    #[test]
    fn marks_say_their_line() {
        let found = read("// RUN: error\nfoo; //~ P0101 unknown\n//~^ V1\n//~@9 P2 x\n").unwrap();
        let marks: Vec<_> = found.marks.iter().map(|m| (m.line, m.code.as_str(), m.text.as_str())).collect();
        assert_eq!(marks, [(2, "P0101", "unknown"), (2, "V1", ""), (9, "P2", "x")]);
    }

    #[test]
    fn what_could_pass_unnoticed_is_refused() {
        for text in [
            "mov.u32 %r1, %r2;",
            "// RUN: exec\n",
            "// RUN: parse\n// ARGS: i32 = 1\n",
            "// RUN: lower -O2 check\n",
            "// RUN: parse\n// CHECK: x\n",
            "// RUN: error\n",
            "// RUN: parse\nx //~ P0101\n",
            "// RUN: exec\n// LAUNCH: entry=k\n// ARG: out y u32[1]\n",
            "// RUN: exec\n// LAUNCH: entry=k\n// ARG: u32 = 1\n",
            "// RUN: exec\n// LAUNCH: entry=k\n// ARG: out y u32[1]\n// WANT: z = 1\n",
            "// RUN: lower\n",
            "// RUN: parse -O0\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

//! Very large and very odd inputs: `cargo xtask stress`.
//!
//! Each shape is written to the standard input of `ptx2ll --emit=none -` in three sizes, each twice the one before, and
//! the processor time and the largest memory of the process are printed, as Linux counts them. What takes linear time
//! takes about twice as long each time.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::cargo::{build_release, workspace};

/// What is measured.
#[derive(Args)]
pub(crate) struct StressArguments {
    /// Shapes to measure [default: all]
    shapes: Vec<String>,
    /// Multiplies the sizes
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// What `ptx2ll` emits
    #[arg(long, default_value = "none")]
    emit: String,
}

/// A kind of input.
struct Shape {
    name: &'static str,
    /// What the number counts.
    unit: &'static str,
    /// The middle size.
    size: u64,
    write: fn(&mut dyn Write, u64) -> io::Result<()>,
}

const HEAD: &str = ".version 8.5\n.target sm_80\n.address_size 64\n";
const KERNEL: &str = ".visible .entry k()\n{\n.reg .b32 %r<64>;\n.reg .pred %p<4>;\n";
const END: &str = "ret;\n}\n";

const SHAPES: &[Shape] = &[
    Shape { name: "comment-lines", unit: "bytes", size: 256 << 20, write: comment_lines },
    Shape { name: "one-comment", unit: "bytes", size: 256 << 20, write: one_comment },
    Shape { name: "blanks", unit: "bytes", size: 256 << 20, write: blanks },
    Shape {
        name: "instructions",
        unit: "instructions in one function",
        size: 1_000_000,
        write: instructions,
    },
    Shape { name: "one-line", unit: "instructions on one line", size: 1_000_000, write: one_line },
    Shape { name: "labels", unit: "labels with a branch each", size: 100_000, write: labels },
    Shape { name: "branch-targets", unit: "labels in one list", size: 100_000, write: branch_targets },
    Shape {
        name: "registers-range",
        unit: "registers of one range, each used",
        size: 1_000_000,
        write: register_range,
    },
    Shape {
        name: "registers-single",
        unit: "registers declared one by one",
        size: 1_000_000,
        write: register_names,
    },
    Shape { name: "functions", unit: "functions", size: 100_000, write: functions },
    Shape { name: "calls", unit: "functions, each called by the next", size: 100_000, write: calls },
    Shape { name: "variables", unit: "variables", size: 500_000, write: variables },
    Shape { name: "initializer", unit: "values of one variable", size: 2_000_000, write: initializer },
    Shape {
        name: "sibling-blocks",
        unit: "blocks one after the other",
        size: 200_000,
        write: sibling_blocks,
    },
    Shape { name: "nested-blocks", unit: "blocks in each other", size: 1_000_000, write: nested_blocks },
    Shape {
        name: "deep-names",
        unit: "uses of an outer name in 200 blocks",
        size: 1_000_000,
        write: deep_names,
    },
    Shape { name: "parentheses", unit: "parentheses around a number", size: 4_000_000, write: parentheses },
    Shape { name: "operands", unit: "operands of one instruction", size: 1_000_000, write: operands },
    Shape { name: "long-names", unit: "bytes of names of 100,000 bytes", size: 64 << 20, write: long_names },
    Shape { name: "long-number", unit: "digits of a number", size: 16 << 20, write: long_number },
    Shape { name: "debug-lines", unit: ".loc lines", size: 1_000_000, write: debug_lines },
    Shape { name: "errors", unit: "wrong instructions", size: 500_000, write: errors },
    Shape { name: "duplicates", unit: "declarations of one name", size: 500_000, write: duplicates },
    Shape {
        name: "unknown-labels",
        unit: "branches to labels that are nowhere",
        size: 100_000,
        write: unknown_labels,
    },
    Shape { name: "noise", unit: "random bytes", size: 32 << 20, write: noise },
    Shape { name: "zero-bytes", unit: "NUL bytes", size: 64 << 20, write: zero_bytes },
];

fn comment_lines(out: &mut dyn Write, size: u64) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    let line = format!("//{}\n", " comment".repeat(9));
    (0..size / line.len() as u64).try_for_each(|_| out.write_all(line.as_bytes()))
}

fn one_comment(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}/*")?;
    (0..size / 8).try_for_each(|_| out.write_all(b" comment"))?;
    writeln!(out, "*/")
}

fn blanks(out: &mut dyn Write, size: u64) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    (0..size / 8).try_for_each(|_| out.write_all(b"   \t \r\n\n"))
}

fn instructions(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|at| writeln!(out, "add.s32 %r{}, %r{}, {at};", at % 64, (at + 7) % 64))?;
    out.write_all(END.as_bytes())
}

fn one_line(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{}{}", HEAD, KERNEL.replace('\n', " "))?;
    (0..size).try_for_each(|at| write!(out, "add.s32 %r{}, %r{}, {at};", at % 64, (at + 7) % 64))?;
    out.write_all(END.as_bytes())
}

fn labels(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|at| writeln!(out, "L{at}:\n@%p1 bra L{};", size - 1 - at))?;
    out.write_all(END.as_bytes())
}

fn branch_targets(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}T: .branchtargets L0")?;
    (1..size).try_for_each(|at| write!(out, ", L{at}"))?;
    writeln!(out, ";\nbrx.idx %r1, T;")?;
    (0..size).try_for_each(|at| writeln!(out, "L{at}:"))?;
    out.write_all(END.as_bytes())
}

fn register_range(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<{size}>;\n")?;
    (1..size).try_for_each(|at| writeln!(out, "mov.b32 %r{at}, %r{};", at - 1))?;
    out.write_all(END.as_bytes())
}

fn register_names(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|at| writeln!(out, ".reg .b32 value{at};"))?;
    out.write_all(END.as_bytes())
}

fn functions(out: &mut dyn Write, size: u64) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    (0..size).try_for_each(|at| {
        writeln!(out, ".func (.reg .b32 out) f{at} (.reg .b32 in)\n{{\nmov.b32 out, in;\nret;\n}}")
    })
}

fn calls(out: &mut dyn Write, size: u64) -> io::Result<()> {
    writeln!(out, "{HEAD}.func f0 ()\n{{\nret;\n}}")?;
    (1..size).try_for_each(|at| writeln!(out, ".func f{at} ()\n{{\ncall f{};\nret;\n}}", at - 1))
}

fn variables(out: &mut dyn Write, size: u64) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    (0..size).try_for_each(|at| writeln!(out, ".global .align 4 .b32 v{at} = {at};"))
}

fn initializer(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}.global .b32 v[{size}] = {{0")?;
    (1..size).try_for_each(|at| write!(out, ", {at}"))?;
    writeln!(out, "}};")
}

fn sibling_blocks(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|_| writeln!(out, "{{\n.reg .b32 t;\nmov.b32 t, %r1;\n}}"))?;
    out.write_all(END.as_bytes())
}

fn nested_blocks(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|_| out.write_all(b"{\n"))?;
    (0..size).try_for_each(|_| out.write_all(b"}\n"))?;
    out.write_all(END.as_bytes())
}

fn deep_names(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..200).try_for_each(|at| writeln!(out, "{{\n.reg .b32 t{at};"))?;
    (0..size).try_for_each(|_| out.write_all(b"mov.b32 %r1, %r2;\n"))?;
    (0..200).try_for_each(|_| out.write_all(b"}\n"))?;
    out.write_all(END.as_bytes())
}

fn parentheses(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}.global .b32 v = ")?;
    (0..size).try_for_each(|_| out.write_all(b"("))?;
    out.write_all(b"1")?;
    (0..size).try_for_each(|_| out.write_all(b")"))?;
    writeln!(out, ";")
}

fn operands(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}add.s32 %r1")?;
    (0..size).try_for_each(|at| write!(out, ", %r{}", at % 64))?;
    writeln!(out, ";\n{END}")
}

fn long_names(out: &mut dyn Write, size: u64) -> io::Result<()> {
    const LENGTH: u64 = 100_000;
    out.write_all(HEAD.as_bytes())?;
    let stem = "n".repeat(LENGTH as usize);
    (0..size / LENGTH).try_for_each(|at| writeln!(out, ".global .b32 {stem}{at};"))
}

fn long_number(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}.global .b32 v = ")?;
    (0..size).try_for_each(|_| out.write_all(b"7"))?;
    writeln!(out, ";")
}

fn debug_lines(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}.file 1 \"a.cu\"\n{KERNEL}")?;
    (0..size).try_for_each(|at| writeln!(out, ".loc 1 {} 3", at + 1))?;
    out.write_all(END.as_bytes())
}

fn errors(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|at| writeln!(out, "add.s32 %r1, %nowhere{at}, 1;"))?;
    out.write_all(END.as_bytes())
}

fn duplicates(out: &mut dyn Write, size: u64) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    (0..size).try_for_each(|_| out.write_all(b".global .b32 v;\n"))
}

fn unknown_labels(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|at| writeln!(out, "bra L{at};"))?;
    out.write_all(END.as_bytes())
}

fn noise(out: &mut dyn Write, size: u64) -> io::Result<()> {
    let mut state = 1u64;
    (0..size / 8).try_for_each(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.write_all(&state.to_le_bytes())
    })
}

fn zero_bytes(out: &mut dyn Write, size: u64) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    (0..size / 8).try_for_each(|_| out.write_all(&[0; 8]))
}

/// What a run took.
struct Cost {
    bytes: u64,
    used: Usage,
    accepted: bool,
}

/// What a process has used so far.
#[derive(Clone, Copy, Default)]
struct Usage {
    /// Processor time in seconds.
    seconds: f64,
    /// The most memory at any time, in bytes.
    memory: u64,
}

/// Measures the shapes and prints a table.
pub(crate) fn measure(arguments: &StressArguments) -> Result<()> {
    build_release("ptx2ll")?;
    let program = workspace().join("target/release/ptx2ll");
    let wanted = |shape: &&Shape| {
        arguments.shapes.is_empty() || arguments.shapes.iter().any(|name| name == shape.name)
    };
    let mut out = io::stdout().lock();
    writeln!(out, "| shape | size | MB | seconds | times | peak MB | memory / input | verdict |")?;
    writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    for shape in SHAPES.iter().filter(wanted) {
        let mut before: Option<f64> = None;
        for half in [1, 2, 4] {
            let size = (shape.size as f64 * arguments.scale) as u64 * half / 2;
            let cost = run(&program, &arguments.emit, shape, size)
                .with_context(|| format!("{} with {size} {}", shape.name, shape.unit))?;
            let Usage { seconds, memory } = cost.used;
            let times = before.replace(seconds).map_or("-".to_owned(), |b| format!("{:.1}", seconds / b));
            writeln!(
                out,
                "| {} | {size} {} | {:.1} | {seconds:.2} | {times} | {} | {:.1} | {} |",
                shape.name,
                shape.unit,
                cost.bytes as f64 / 1e6,
                memory >> 20,
                memory as f64 / cost.bytes as f64,
                if cost.accepted { "accepted" } else { "refused" },
            )?;
            out.flush()?;
        }
    }
    Ok(())
}

fn run(program: &Path, emit: &str, shape: &Shape, size: u64) -> Result<Cost> {
    let mut child = Command::new(program)
        .args([&format!("--emit={emit}"), "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let pipe = child.stdin.take().context("no pipe")?;
    let mut counted = Counted { inner: BufWriter::with_capacity(1 << 20, pipe), bytes: 0 };
    let written = (shape.write)(&mut counted, size).and_then(|()| counted.flush());
    let bytes = counted.bytes;
    drop(counted);
    let used = watch(&mut child)?;
    let status = child.wait()?;
    written.context("the program stopped reading")?;
    let code = status.code();
    ensure!(matches!(code, Some(0 | 1)), "the program ended with {status}");
    Ok(Cost { bytes, used, accepted: code == Some(0) })
}

/// What a process has used, asked for again and again until it ends.
fn watch(child: &mut Child) -> Result<Usage> {
    let mut used = Usage::default();
    while child.try_wait()?.is_none() {
        if let Some(now) = usage(child.id()) {
            used = now;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(used)
}

/// Reads `/proc/ID`; nothing when the process has just ended.
fn usage(process: u32) -> Option<Usage> {
    const TICKS_A_SECOND: f64 = 100.0;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = peak.split_whitespace().next()?.parse().ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold blanks; user and system time are the 12th and 13th field behind it.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<f64>().ok());
    let seconds = ticks.sum::<Option<f64>>()? / TICKS_A_SECOND;
    Some(Usage { seconds, memory: kilobytes << 10 })
}

struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(data)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

//! Very large and very odd inputs, of any size.
//!
//! `cargo xtask stress` measures what they cost; `tests/linear.rs` shows that the cost grows as the size does.

use std::io::{self, Write};

/// A kind of input.
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    /// What the number counts.
    pub unit: &'static str,
    /// A size that is large.
    pub size: u64,
    /// Writes the input of a size.
    pub write: fn(&mut dyn Write, u64) -> io::Result<()>,
}

const HEAD: &str = ".version 8.5\n.target sm_80\n.address_size 64\n";
const KERNEL: &str = ".visible .entry k()\n{\n.reg .b32 %r<64>;\n.reg .pred %p<4>;\n";
const END: &str = "ret;\n}\n";

/// All of them.
pub const SHAPES: &[Shape] = &[
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
    Shape { name: "sibling-blocks", unit: "successive blocks", size: 200_000, write: sibling_blocks },
    Shape { name: "nested-blocks", unit: "nested blocks", size: 1_000_000, write: nested_blocks },
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
    Shape { name: "errors", unit: "invalid instructions", size: 500_000, write: errors },
    Shape { name: "duplicates", unit: "declarations of one name", size: 500_000, write: duplicates },
    Shape {
        name: "unknown-labels",
        unit: "branches to undefined labels",
        size: 100_000,
        write: unknown_labels,
    },
    Shape { name: "type-errors", unit: "operands of wrong types", size: 500_000, write: type_errors },
    Shape {
        name: "redeclarations",
        unit: "declarations of one function",
        size: 200_000,
        write: redeclarations,
    },
    Shape {
        name: "parameters",
        unit: "parameters of one function, and arguments of its call",
        size: 50_000,
        write: parameters,
    },
    Shape { name: "aliases", unit: "aliases of one function", size: 200_000, write: aliases },
    Shape { name: "section-lines", unit: "lines of a section", size: 500_000, write: section_lines },
    Shape {
        name: "comments-inside",
        unit: "comments inside an instruction",
        size: 500_000,
        write: comments_inside,
    },
    Shape {
        name: "nested-initializer",
        unit: "rows of an array of arrays",
        size: 500_000,
        write: nested_initializer,
    },
    Shape { name: "sum", unit: "terms of a constant expression", size: 1_000_000, write: sum },
    Shape { name: "truncated", unit: "instructions in a truncated text", size: 1_000_000, write: truncated },
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

fn type_errors(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|_| writeln!(out, "add.f64 %r1, %r2, %r3;"))?;
    out.write_all(END.as_bytes())
}

fn redeclarations(out: &mut dyn Write, size: u64) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    (0..size).try_for_each(|_| writeln!(out, ".extern .func f (.param .b32 a);"))
}

fn parameters(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}.func f (.reg .b32 a0")?;
    (1..size).try_for_each(|at| write!(out, ", .reg .b32 a{at}"))?;
    write!(out, ")\n{{\nret;\n}}\n{KERNEL}call f, (%r0")?;
    (1..size).try_for_each(|at| write!(out, ", %r{}", at % 64))?;
    writeln!(out, ");\n{END}")
}

fn aliases(out: &mut dyn Write, size: u64) -> io::Result<()> {
    writeln!(out, "{HEAD}.visible .func f ()\n{{\nret;\n}}")?;
    (0..size).try_for_each(|at| writeln!(out, ".visible .func g{at} ();\n.alias g{at}, f;"))
}

fn section_lines(out: &mut dyn Write, size: u64) -> io::Result<()> {
    writeln!(out, "{HEAD}.section .debug_str\n{{")?;
    (0..size).try_for_each(|at| writeln!(out, "L{at}:\n.b8 1,2,3,4"))?;
    writeln!(out, "}}")
}

fn comments_inside(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}add.s32 %r1")?;
    (0..size).try_for_each(|_| writeln!(out, "/* */ // c"))?;
    writeln!(out, ", %r2, %r3;\n{END}")
}

fn nested_initializer(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}.global .b32 v[{size}][2] = {{{{1, 2}}")?;
    (1..size).try_for_each(|at| write!(out, ", {{{at}, 2}}"))?;
    writeln!(out, "}};")
}

fn sum(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}.global .b64 v = 1")?;
    (1..size).try_for_each(|_| out.write_all(b" + 1"))?;
    writeln!(out, ";")
}

fn truncated(out: &mut dyn Write, size: u64) -> io::Result<()> {
    write!(out, "{HEAD}{KERNEL}")?;
    (0..size).try_for_each(|_| out.write_all(b"add.s32 %r1, %r2, %r3;\n"))?;
    out.write_all(b"add.s32 %r1, (")
}

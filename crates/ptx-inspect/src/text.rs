//! A report as text.

mod executed;
mod tables;

use std::fmt::Write as _;

use crate::facts::{Class, DivergenceFacts, Why};
use crate::memory::{Access, AccessKind, AddressForm};
use crate::registers::{Pressure, Registers};
use crate::report::{FunctionReport, Report};
use crate::{BankConflicts, CallGraph, Coalescing, Flow, Level, Roofline};
use tables::{Table, line, number, shown, work};

impl Report {
    /// The report for people. `name` gives the name by which a function is shown.
    pub fn to_text(&self, name: &impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        for function in &self.functions {
            let mut own = String::new();
            write_function(&mut own, function);
            if !own.is_empty() {
                head(&mut out, function, &name(&function.name));
                out.push_str(&own);
            }
        }
        if let Some(calls) = &self.callgraph {
            write_calls(&mut out, calls, name);
        }
        if let Some(roofline) = &self.executed {
            executed::write_executed(&mut out, roofline, name);
        }
        out
    }
}

/// The name and place of a function, and what is known of its blocks. Writing to a string does not fail, here and below.
fn head(out: &mut String, function: &FunctionReport, name: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let kind = if function.is_kernel { "kernel" } else { "function" };
    let _ = write!(out, "{kind} {name} ({}:{})", function.file, function.line);
    let depends =
        [function.divergence.is_some(), function.coalescing.is_some(), function.bank_conflicts.is_some()];
    if depends.contains(&true) {
        match function.block {
            Some([x, y, z]) => {
                let _ = write!(out, ", blocks of {x},{y},{z}");
            }
            None => out.push_str(", warps of 32 threads in x (see --block)"),
        }
    }
    out.push('\n');
}

fn write_function(out: &mut String, function: &FunctionReport) {
    if function.is_too_large {
        out.push_str("  the function is too large for its values to be followed\n");
    }
    if let Some(facts) = &function.divergence {
        write_divergence(out, facts);
    }
    if let Some(accesses) = &function.memory {
        write_memory(out, accesses);
    }
    if let Some(accesses) = &function.coalescing {
        write_coalescing(out, accesses);
    }
    if let Some(conflicts) = &function.bank_conflicts {
        write_conflicts(out, conflicts);
    }
    if let Some(registers) = &function.registers {
        write_registers(out, registers);
    }
    if let Some(flow) = &function.cfg {
        write_flow(out, flow);
    }
    if let Some(roofline) = &function.roofline {
        write_roofline(out, roofline);
    }
}

/// The source of a difference, and the lines on the way to it.
fn reason(why: &[Why]) -> String {
    let Some((source, way)) = why.split_last() else { return String::new() };
    let mut text = format!("{}: {}", line(source.line), source.text);
    if !way.is_empty() {
        let lines: Vec<String> = way.iter().rev().map(|step| line(step.line)).collect();
        let _ = write!(text, " -> {}", lines.join(" -> "));
    }
    text
}

fn write_divergence(out: &mut String, facts: &DivergenceFacts) {
    out.push_str("  branches\n");
    let mut table = Table::new(["line", "uniform", "instruction", "because of"]);
    for branch in &facts.branches {
        let level = match branch.level {
            Level::Block => "block",
            Level::Warp => "warp",
            Level::Thread => "no",
        };
        table.row([line(branch.line), level.to_owned(), branch.instruction.clone(), reason(&branch.why)]);
    }
    table.write(out);
    out.push_str("  values\n");
    let mut table = Table::new(["line", "register", "uniform", "value", "because of"]);
    for value in &facts.values {
        let class = match value.class {
            Class::Block => "block",
            Class::Warp => "warp",
            Class::Affine => "affine",
            Class::Divergent => "no",
        };
        let form = shown(value.form.as_deref(), "");
        table.row([line(value.line), value.register.clone(), class.to_owned(), form, reason(&value.why)]);
    }
    table.write(out);
}

fn write_memory(out: &mut String, accesses: &[Access]) {
    out.push_str("  accesses\n");
    let mut table = Table::new(["line", "kind", "space", "bytes", "cache", "form", "address"]);
    for access in accesses {
        let kind = match access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic",
        };
        let form = match access.form {
            AddressForm::Uniform => "uniform",
            AddressForm::Affine => "affine",
            AddressForm::OfIndices => "of indices",
            AddressForm::Unknown => "unknown",
        };
        let bytes = match (access.bytes, access.elements) {
            (None, _) => "unknown".to_owned(),
            (Some(bytes), 1) => bytes.to_string(),
            (Some(bytes), elements) => format!("{elements}*{}", bytes / elements),
        };
        table.row([
            line(access.line),
            kind.to_owned(),
            access.space.to_owned(),
            bytes,
            access.cache.clone(),
            form.to_owned(),
            shown(access.address.as_deref(), "unknown"),
        ]);
    }
    table.write(out);
}

/// `4`, or `4-5`.
fn range(least: u32, most: u32) -> String {
    if least == most { least.to_string() } else { format!("{least}-{most}") }
}

fn write_coalescing(out: &mut String, accesses: &[Coalescing]) {
    out.push_str("  sectors of global memory, of a full warp\n");
    let mut table =
        Table::new(["line", "sectors", "ideal", "ratio", "stride", "bytes", "instruction", "address"]);
    for access in accesses {
        let [sectors, ideal, ratio, stride] = match &access.sectors {
            Some(found) => [
                range(found.least, found.most),
                found.ideal.to_string(),
                format!("{:.2}", found.ratio()),
                shown(found.stride, "varies"),
            ],
            None => ["unknown", "", "", ""].map(str::to_owned),
        };
        let bytes = shown(access.bytes, "unknown");
        let address = shown(access.address.as_deref(), "unknown");
        table.row([
            line(access.line),
            sectors,
            ideal,
            ratio,
            stride,
            bytes,
            access.instruction.clone(),
            address,
        ]);
    }
    table.write(out);
}

fn write_conflicts(out: &mut String, conflicts: &BankConflicts) {
    out.push_str("  conflicts of banks of shared memory, of a full warp\n");
    let mut table = Table::new(["line", "ways", "cycles more", "bytes", "instruction", "address"]);
    for access in &conflicts.accesses {
        let [ways, cycles] = match &access.conflicts {
            Some(found) => [found.ways.to_string(), range(found.least, found.most)],
            None => ["unknown", ""].map(str::to_owned),
        };
        let bytes = shown(access.bytes, "unknown");
        let address = shown(access.address.as_deref(), "unknown");
        table.row([line(access.line), ways, cycles, bytes, access.instruction.clone(), address]);
    }
    table.write(out);
    for array in &conflicts.arrays {
        write_layout(out, array);
    }
}

fn write_layout(out: &mut String, array: &crate::ArrayLayout) {
    let _ = writeln!(out, "  layouts of {}", array.array);
    let mut table = Table::new(["line", "cycles more", "padded", "swizzled", "instruction"]);
    for access in &array.accesses {
        let [padded, swizzled] = [access.padded, access.swizzled].map(|cycles| shown(cycles, "-"));
        table.row([
            line(access.line),
            access.before.to_string(),
            padded,
            swizzled,
            access.instruction.clone(),
        ]);
    }
    table.write(out);
    match &array.padding {
        Some(padding) => {
            let _ = writeln!(out, "    padding: {} bytes after each row of {}", padding.bytes, padding.row);
        }
        None => out.push_str("    padding: none has fewer conflicts\n"),
    }
    match &array.swizzle {
        Some(swizzle) => {
            let (row, rows, unit) = (swizzle.row, swizzle.rows, swizzle.unit);
            let _ = writeln!(out, "    swizzle: offset ^ (offset / {row} % {rows} * {unit})");
        }
        None => out.push_str("    swizzle: none has fewer conflicts\n"),
    }
    if array.unknown > 0 {
        let _ = writeln!(out, "    {} more accesses are not known", array.unknown);
    }
}

/// `12 of 32 bits, 8 of 64, 1 predicate`
fn pressure(live: &Pressure) -> String {
    let mut text = format!("{} of 32 bits, {} of 64 bits", live.bits32, live.bits64);
    if live.bits128 > 0 {
        let _ = write!(text, ", {} of 128 bits", live.bits128);
    }
    let _ = write!(text, ", {} predicates", live.predicates);
    text
}

fn write_registers(out: &mut String, registers: &Registers) {
    let most = &registers.most;
    let (units, live) = (most.live.units(), pressure(&most.live));
    let _ = writeln!(out, "  registers: {units} live at most ({live}), of {} names", registers.named);
    let _ = writeln!(out, "  live at line {}: {}", line(most.line), registers.instruction);
    let mut table = Table::new(["register", "type", "written at line"]);
    for live in &registers.live {
        let written = if live.written == 0 { "several".to_owned() } else { line(live.written) };
        table.row([live.register.clone(), live.r#type.to_owned(), written]);
    }
    table.write(out);
}

fn write_flow(out: &mut String, flow: &Flow) {
    out.push_str("  blocks\n");
    let mut table = Table::new(["block", "lines", "instructions", "goes to", "dominator", "loop", "label"]);
    for block in &flow.blocks {
        let to: Vec<String> = block.edges.iter().map(|edge| edge.to.to_string()).collect();
        let dominator = if block.is_reached { shown(block.dominator, "") } else { "unreached".to_owned() };
        let own = flow.loops.iter().find(|own| Some(own.number) == block.r#loop);
        table.row([
            block.number.to_string(),
            format!("{}-{}", line(block.lines[0]), line(block.lines[1])),
            block.instructions.to_string(),
            to.join(" "),
            dominator,
            shown(own.map(|own| own.line), ""),
            shown(block.label.as_deref(), ""),
        ]);
    }
    table.write(out);
    if !flow.loops.is_empty() {
        out.push_str("  loops\n");
        let mut table = Table::new(["line", "depth", "header", "blocks", "exits", "iterations"]);
        for own in &flow.loops {
            table.row([
                line(own.line),
                own.depth.to_string(),
                own.header.to_string(),
                own.blocks.len().to_string(),
                own.exits.len().to_string(),
                iterations(own),
            ]);
        }
        table.write(out);
    }
    if flow.has_other_cycles {
        out.push_str("  there are cycles with several ways in, or nested too deep\n");
    }
}

/// How often a loop is executed.
fn iterations(own: &crate::LoopFacts) -> String {
    let count = own.trips.map(|count| count.to_string()).or_else(|| own.trips_term.clone());
    match (count, own.may_end_before) {
        (None, _) => "unknown".to_owned(),
        (Some(count), false) => count,
        (Some(count), true) => format!("at most {count}"),
    }
}

fn write_roofline(out: &mut String, roofline: &Roofline) {
    out.push_str("  work of a thread, with all branches taken as executed\n");
    let mut table =
        Table::new(["part", "iterations", "flops", "integer", "bytes read", "written", "flops/byte"]);
    let intensity = |of: Option<f64>| shown(of.map(number), "-");
    for part in &roofline.parts {
        let (name, count) = match &part.r#loop {
            Some(own) => (format!("loop at line {}", own.line), iterations(own)),
            None => ("outside of loops".to_owned(), "1".to_owned()),
        };
        let [float, integer, read, written] = work(&part.work);
        table.row([name, count, float, integer, read, written, intensity(part.work.intensity())]);
    }
    let line_of = |number: usize| {
        let own =
            roofline.parts.iter().filter_map(|part| part.r#loop.as_ref()).find(|own| own.number == number);
        shown(own.map(|own| own.line), "?")
    };
    for term in &roofline.total {
        let name = if term.loops.is_empty() { "total" } else { "+ for each" };
        let loops: Vec<String> =
            term.loops.iter().map(|number| format!("iteration@{}", line_of(*number))).collect();
        let [float, integer, read, written] = work(&term.work);
        let own = intensity(term.work.intensity());
        table.row([name.to_owned(), loops.join(" * "), float, integer, read, written, own]);
    }
    table.write(out);
    if roofline.unknown > 0 {
        let _ = writeln!(out, "    without {} accesses whose size is not known", roofline.unknown);
    }
    if roofline.calls > 0 {
        let _ = writeln!(out, "    without the work of {} calls", roofline.calls);
    }
}

fn write_calls(out: &mut String, calls: &CallGraph, name: &impl Fn(&str) -> String) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str("calls\n");
    let mut table = Table::new(["function", "kind", "local", "with calls", "calls"]);
    for function in &calls.functions {
        let kind = match (function.is_kernel, function.is_defined) {
            (true, _) => "kernel",
            (false, true) => "function",
            (false, false) => "declared",
        };
        let stack = match function.stack {
            Some(stack) => stack.to_string(),
            None if function.is_recursive => "recursive".to_owned(),
            None => "unknown".to_owned(),
        };
        let call = |call: &crate::Call| {
            let targets: Vec<String> = call.targets.iter().map(|target| name(target)).collect();
            let targets = if targets.is_empty() { "?".to_owned() } else { targets.join(" or ") };
            let by = if call.is_indirect { "*" } else { "" };
            format!("{by}{targets}@{}", line(call.line))
        };
        let all: Vec<String> = function.calls.iter().map(call).collect();
        table.row([name(&function.name), kind.to_owned(), function.local.to_string(), stack, all.join(", ")]);
    }
    table.write(out);
}

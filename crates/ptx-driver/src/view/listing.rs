//! PTX line by line.

use std::collections::{BTreeMap, BTreeSet};

use ptx_diag::{SourceFile, Span};
use ptx_ir::{Body, Inst, Item, Module, Stmt, print_operands};
use ptx_link::Sources;
use ptx_report::{Column, Line, Place, Section};

use crate::lines::quoted_names;

/// Where functions begin, each with its name.
pub(super) type Starts = [(Place, String)];

/// Where the functions of a module begin that have a body, in the order of the text.
pub(super) fn starts(sources: &Sources, module: &Module) -> Vec<(Place, String)> {
    let defined: Vec<_> = module.functions.iter().filter(|function| function.body.is_some()).collect();
    let spans: Vec<Span> = defined.iter().map(|function| function.at.0).collect();
    let mut starts: Vec<_> = sources
        .places(&spans)
        .into_iter()
        .zip(defined)
        .filter_map(|(place, function)| {
            let (file, position) = place?;
            Some((Place { file, line: position.line }, module.name(function.name).to_owned()))
        })
        .collect();
    starts.sort();
    starts
}

/// The inputs, one after the other.
pub(super) fn inputs(files: &[SourceFile], starts: &Starts) -> Column {
    let mut sections = Vec::new();
    for (file, source) in files.iter().enumerate() {
        let mut lines = Vec::new();
        if files.len() > 1 {
            lines.push(Line { text: format!("// {}", source.name()), ..Line::default() });
        }
        lines.extend((1..).zip(lines_of(source)).map(|(line, text)| Line {
            number: Some(line),
            text,
            places: vec![Place { file, line }],
            ..Line::default()
        }));
        let own = starts.iter().filter(|(place, _)| place.file == file);
        sections.extend(folded(lines, own.map(|(place, name)| (place.line, name.as_str()))));
    }
    let names: Vec<&str> = files.iter().map(SourceFile::name).collect();
    Column {
        title: "PTX".to_owned(),
        subtitle: names.join(", "),
        is_input: true,
        sections,
        ..Column::default()
    }
}

/// PTX that was raised from LLVM IR with the lines of inputs, without the directives that have them.
pub(super) fn raised(
    source: &SourceFile,
    module: &Module,
    files: &[SourceFile],
    loads: &ParameterLoads<'_>,
) -> Column {
    let shown = Shown::of(source, module, files, loads);
    let (mut lines, mut number) = (Vec::new(), 0);
    let mut starts = Vec::new();
    for (line, text) in (1..).zip(lines_of(source)) {
        if shown.hidden.contains(&line) {
            continue;
        }
        number += 1;
        if let Some(name) = shown.starts.get(&line) {
            starts.push((number, *name));
        }
        let places = shown.places.get(&line).copied().into_iter().collect();
        lines.push(Line { number: Some(number), text, places, ..Line::default() });
    }
    let sections = folded(lines, starts.into_iter());
    Column { title: "Round-tripped PTX".to_owned(), sections, ..Column::default() }
}

/// What is shown of PTX with the lines of inputs.
struct Shown<'m> {
    /// The lines that only have directives for debuggers.
    hidden: BTreeSet<u32>,
    /// The line of an input that an instruction's line belongs to.
    places: BTreeMap<u32, Place>,
    /// The lines in which functions begin.
    starts: BTreeMap<u32, &'m str>,
}

impl<'m> Shown<'m> {
    fn of(source: &SourceFile, module: &'m Module, files: &[SourceFile], loads: &ParameterLoads<'_>) -> Self {
        let mut found = Self { hidden: BTreeSet::new(), places: BTreeMap::new(), starts: BTreeMap::new() };
        let (mut numbers, names) = (BTreeMap::new(), quoted_names(files));
        for item in &module.items {
            if let Item::File(file, at) = item {
                found.hidden.insert(source.position(at.0.lo).line);
                let input = names.iter().position(|name| name == module.name(file.name));
                numbers.extend(input.map(|input| (file.index, input)));
            }
        }
        for function in &module.functions {
            let Some(body) = &function.body else { continue };
            found.starts.insert(source.position(function.at.0.lo).line, module.name(function.name));
            let mut place = None;
            for statement in &body.statements {
                match statement {
                    Stmt::Location(location) => {
                        found.hidden.insert(source.position(location.at.0.lo).line);
                        let file = numbers.get(&location.file).copied().filter(|_| location.line > 0);
                        place = file.map(|file| Place { file, line: location.line });
                    }
                    Stmt::Inst(inst) => {
                        let line = source.position(inst.at.0.lo).line;
                        let of_load = || {
                            let operand = loaded_parameter(module, body, inst)?;
                            loads.get(&(module.name(function.name), operand)).copied()
                        };
                        found.places.extend(of_load().or(place).map(|place| (line, place)));
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// The lines of a file. Bytes that are not UTF-8 are shown as replacement characters.
fn lines_of(source: &SourceFile) -> impl Iterator<Item = String> {
    let lines = (1..).map_while(|line| Some((source.line_start(line)?, source.line(line)?)));
    // After the last line's end there is nothing, and no line either.
    let end = source.text().len();
    let lines = lines.take_while(move |(start, _)| (*start as usize) < end);
    lines.map(|(_, line)| String::from_utf8_lossy(line).into_owned())
}

/// The loads of parameters of inputs, by function and operand. LLVM IR has parameters as arguments, without a place: their loads after the round
/// trip are recognized by what they load.
pub(super) type ParameterLoads<'m> = BTreeMap<(&'m str, String), Place>;

/// Finds the loads of parameters.
pub(super) fn parameter_loads<'m>(sources: &Sources, module: &'m Module) -> ParameterLoads<'m> {
    let mut loads = BTreeMap::new();
    for function in &module.functions {
        let Some(body) = &function.body else { continue };
        let (keys, spans): (Vec<String>, Vec<Span>) = body
            .instructions()
            .filter_map(|(_, inst)| Some((loaded_parameter(module, body, inst)?, inst.at.0)))
            .unzip();
        for (key, place) in keys.into_iter().zip(sources.places(&spans)) {
            if let Some((file, position)) = place {
                let place = Place { file, line: position.line };
                loads.entry((module.name(function.name), key)).or_insert(place);
            }
        }
    }
    loads
}

/// The operand of a load of a parameter.
fn loaded_parameter(module: &Module, body: &Body, inst: &Inst) -> Option<String> {
    let is_load = inst.mnemonic.to_string().starts_with("ld.param");
    if is_load { print_operands(module, body, inst).pop() } else { None }
}

/// Lines in sections: one begins at the line of each function, counted from 1, and ends at the last line before the next that is a brace.
pub(super) fn folded<'n>(lines: Vec<Line>, starts: impl Iterator<Item = (u32, &'n str)>) -> Vec<Section> {
    let mut starts = starts.peekable();
    let mut sections = vec![Section::default()];
    for line in lines {
        while let Some((_, name)) = starts.next_if(|(start, _)| line.number.is_some_and(|own| own >= *start))
        {
            sections.push(Section { name: name.to_owned(), lines: Vec::new() });
        }
        if let Some(last) = sections.last_mut() {
            last.lines.push(line);
        }
    }
    let mut split = Vec::with_capacity(2 * sections.len());
    for mut section in sections {
        let end = section.lines.iter().rposition(|line| line.text.trim() == "}");
        let after = match end {
            Some(end) if !section.name.is_empty() => section.lines.split_off(end + 1),
            _ => Vec::new(),
        };
        split.push(section);
        split.push(Section { name: String::new(), lines: after });
    }
    split.retain(|section| !section.lines.is_empty());
    split
}

//! The modules of a seed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fastrand::Rng;

use super::{Entry, Line, Place, Program, Store};

/// Paths, some of which several modules have.
const PATHS: [&str; 6] =
    ["a.cu", "b.cu", "/source/a.cu", "/source/include/common.h", "include/common.h", "../other/a.cu"];

/// Names of functions that are inlined, of which one ends as another does.
const INLINED: [&str; 5] = ["_Z3inli", "_Z5outerf", "inner", "deep", "_Z6helperi"];

pub(super) fn program(seed: u64) -> Program {
    let mut rng = Rng::with_seed(seed);
    let mut program = Program { seed, units: Vec::new(), stores: BTreeMap::new(), entries: BTreeMap::new() };
    let count = rng.usize(2..=4);
    for number in 0..count {
        let mut unit = Unit::new(&mut rng, number, number + 1 == count);
        let text = unit.text(&mut program);
        program.units.push(text);
    }
    program
}

/// A module while it is written.
struct Unit<'r> {
    rng: &'r mut Rng,
    number: usize,
    is_last: bool,
    /// Numbers and paths.
    files: Vec<(u32, &'static str)>,
    /// The offsets of the names of inlined functions after their labels.
    names: Vec<(&'static str, String)>,
    has_data: bool,
    functions: Vec<Function>,
}

/// What the data states of a function.
struct Function {
    name: String,
    file: u32,
}

impl<'r> Unit<'r> {
    fn new(rng: &'r mut Rng, number: usize, is_last: bool) -> Self {
        let mut paths = PATHS;
        rng.shuffle(&mut paths);
        let mut numbers = [1, 2, 3, 4];
        rng.shuffle(&mut numbers);
        let count = rng.usize(1..=3);
        let files = numbers.into_iter().zip(paths).take(count).collect();
        let has_data = rng.bool();
        Self { rng, number, is_last, files, names: Vec::new(), has_data, functions: Vec::new() }
    }

    fn text(&mut self, program: &mut Program) -> String {
        let debug = if self.has_data { ", debug" } else { "" };
        let mut text = format!(".version 8.0\n.target sm_80{debug}\n.address_size 64\n");
        for (number, path) in &self.files {
            let _ = writeln!(text, ".file {number} \"{path}\"");
        }
        let strings = self.strings();
        let next = format!("ext{}", self.number + 1);
        if !self.is_last {
            let _ = writeln!(text, ".extern .func {next};");
        }
        text += ".global .u32 counter;\n";
        text += &self.function(program, ".func", "helper", &[]);
        if self.number > 0 {
            text += &self.function(program, ".visible .func", &format!("ext{}", self.number), &["helper"]);
        }
        let mut called = vec!["helper"];
        if !self.is_last {
            called.push(&next);
        }
        text += &self.function(program, ".visible .entry", &format!("k{}", self.number), &called);
        text += &strings;
        if self.has_data {
            text += &self.data(program);
        }
        text
    }

    /// The names of inlined functions, each at a label or after another one.
    fn strings(&mut self) -> String {
        let mut text = ".section .debug_str\n{\n".to_owned();
        let mut names = INLINED;
        self.rng.shuffle(&mut names);
        let (mut labels, mut place) = (0, None);
        for name in names.into_iter().take(3) {
            place = match place.filter(|_| self.rng.bool()) {
                Some((label, offset)) => Some((label, offset)),
                None => {
                    let _ = writeln!(text, "$L__info_string{labels}:");
                    labels += 1;
                    Some((labels - 1, 0))
                }
            };
            let Some((label, offset)) = place else { continue };
            let added = if offset > 0 { format!("+{offset}") } else { String::new() };
            self.names.push((name, format!("$L__info_string{label}{added}")));
            let bytes: Vec<String> = name.bytes().chain([0]).map(|byte| byte.to_string()).collect();
            let _ = writeln!(text, ".b8 {}", bytes.join(","));
            place = Some((label, offset + bytes.len()));
        }
        text + "}\n"
    }

    fn line(&mut self) -> (u32, Line) {
        let (number, path) = self.files[self.rng.usize(..self.files.len())];
        let (line, column) = (self.rng.u32(1..200), self.rng.u32(0..60));
        (number, Line { file: path.to_owned(), line, column })
    }

    /// A function with some stores, and calls between them.
    fn function(&mut self, program: &mut Program, heading: &str, name: &str, called: &[&str]) -> String {
        let at = self.functions.len();
        let mut text = format!("{heading} {name}()\n{{\n");
        let (file, first) = self.line();
        let loc = |number: u32, line: &Line| format!(".loc {number} {} {}", line.line, line.column);
        let _ = writeln!(text, "{}", loc(file, &first));
        let data_name = format!("{name} of {}", self.number);
        if self.has_data {
            let _ = writeln!(text, "$L__func_begin{at}:\n{}", loc(file, &first));
        }
        self.functions.push(Function { name: data_name.clone(), file });
        let (mut here, mut inlined) = ((file, first), None);
        for step in 0..self.rng.usize(2..6) {
            // The first store follows the label at the beginning.
            match if step == 0 { 0 } else { self.rng.u32(0..6) } {
                1 | 2 => {
                    (here, inlined) = (self.line(), None);
                    let _ = writeln!(text, "{}", loc(here.0, &here.1));
                }
                3 | 4 => {
                    // Code of a function that was inlined where the location was.
                    let (function, label) = self.names[self.rng.usize(..self.names.len())].clone();
                    let call = here.clone();
                    here = self.line();
                    let place = format!("{} {} {}", call.0, call.1.line, call.1.column);
                    let own = loc(here.0, &here.1);
                    let _ = writeln!(text, "{own}, function_name {label}, inlined_at {place}");
                    inlined = Some((function.to_owned(), call.1));
                }
                5 => {
                    if let Some(callee) = called.get(self.rng.usize(..called.len().max(1))) {
                        let _ = writeln!(text, "call.uni {callee};");
                    }
                }
                _ => {}
            }
            let number = 1000 + program.stores.len() as u32;
            let _ = writeln!(text, "st.volatile.global.u32 [counter], {number};");
            let place = Place { line: here.1.clone(), inlined: inlined.clone() };
            let store = Store { place, unit: self.number, function: name.to_owned() };
            program.stores.insert(number, store);
            if step == 0 && self.has_data {
                let path = self.path(file);
                let entry = Entry { unit: self.number, file: path, store: number };
                program.entries.insert(data_name.clone(), entry.clone());
                program.entries.insert(format!("counter of {}", self.number), entry);
            }
        }
        // Every function that can be called is.
        for callee in called {
            let _ = writeln!(text, "call.uni {callee};");
        }
        text += "ret;\n";
        if self.has_data {
            let _ = writeln!(text, "$L__func_end{at}:");
        }
        text + "}\n"
    }

    fn path(&self, file: u32) -> String {
        self.files
            .iter()
            .find(|(number, _)| *number == file)
            .map(|(_, path)| (*path).to_owned())
            .unwrap_or_default()
    }

    /// DWARF data: a compile unit with an entry for each function, with or without a line, and one for the variable.
    fn data(&mut self, program: &mut Program) -> String {
        let string = |text: &str| {
            let bytes = text.bytes().chain([0]).map(|byte| byte.to_string());
            format!(".b8 {}\n", bytes.collect::<Vec<_>>().join(","))
        };
        let has_line = self.rng.bool();
        let line = if has_line { "59,11," } else { "" };
        let mut size = 2 + 4 + 1 + 1;
        let mut entries = String::new();
        for (at, function) in self.functions.iter().enumerate() {
            let line = if has_line { ".b8 7\n" } else { "" };
            entries += &format!(".b8 2\n{}.b8 {}\n{line}", string(&function.name), function.file);
            entries += &format!(".b64 $L__func_begin{at}\n.b64 $L__func_end{at}\n");
            size += 1 + function.name.len() + 1 + 1 + usize::from(has_line) + 16;
        }
        let name = format!("counter of {}", self.number);
        let file = self.files[self.rng.usize(..self.files.len())].0;
        if let Some(entry) = program.entries.get_mut(&name) {
            entry.file = self.path(file);
        }
        entries += &format!(".b8 3\n{}.b8 {file}\n.b8 9\n.b8 3\n.b64 counter\n", string(&name));
        size += 1 + name.len() + 1 + 1 + 1 + 9 + 1;
        let header = format!(".b32 {size}\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n");
        format!(
            ".section .debug_abbrev\n{{\n.b8 1,17,1,0,0\n.b8 2,46,0,3,8,58,11,{line}17,1,18,1,0,0\n\
             .b8 3,52,0,3,8,58,11,2,10,0,0\n.b8 0\n}}\n.section .debug_info\n{{\n{header}{entries}.b8 0\n}}\n"
        )
    }
}

//! The printer: a module as PTX text in one canonical form that resembles `nvcc`'s output.
//!
//! Names, order, comments, debug directives and literal forms are those of the model; blanks and line breaks are
//! canonical. Parsing the text returns an equal module, and printing that module returns the same text.

use std::fmt::Write as _;

use ptx_isa::StateSpace;

use crate::body::{Body, VectorShape};
use crate::module::{
    DebugLocation, FieldValue, Function, FunctionDirective, FunctionKind, Initializer, Item, Linkage, Module,
    Param, Reference, Section, TargetSpec, VarAttribute, VarType, Variable,
};
use crate::operand::{Immediate, Literal, Symbol};
use crate::strings::StrId;

mod parts;
mod statement;

pub use parts::{
    print_instruction, print_operands, print_register_name, print_signature, print_statement, print_variable,
};

/// Prints a module as PTX text.
///
/// ```
/// use ptx_ir::{At, Item, Module, print};
/// use ptx_isa::PtxVersion;
///
/// let mut module = Module::default();
/// module.items.push(Item::Version(PtxVersion::new(8, 0), At::default()));
/// module.items.push(Item::AddressSize(64, At::default()));
/// assert_eq!(print(&module), ".version 8.0\n.address_size 64\n");
/// ```
pub fn print(module: &Module) -> String {
    let mut printer = Printer::new(module);
    for item in &module.items {
        printer.item(item);
    }
    printer.out
}

struct Printer<'m> {
    module: &'m Module,
    out: String,
    numbers: itoa::Buffer,
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module) -> Self {
        Self { module, out: String::new(), numbers: itoa::Buffer::new() }
    }
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, id: StrId) {
        self.out.push_str(self.module.strings.get(id));
    }

    fn number(&mut self, value: impl itoa::Integer) {
        self.out.push_str(self.numbers.format(value));
    }

    /// Formats rare text with the slower formatter; writing to a string cannot fail.
    fn rare(&mut self, arguments: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(arguments);
    }

    /// A blank line, unless there already is one or the text is empty.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Appends a comment to the last line.
    fn trailing_comment(&mut self, text: StrId) {
        if self.out.ends_with('\n') {
            self.out.pop();
            self.out.push(' ');
        }
        self.name(text);
        self.out.push('\n');
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Version(version, _) => self.rare(format_args!(".version {version}\n")),
            Item::Target(target, _) => self.target(target),
            Item::AddressSize(bits, _) => self.rare(format_args!(".address_size {bits}\n")),
            Item::Variable(id) => {
                self.variable(self.module.variable(*id));
                self.text(";\n");
            }
            Item::Registers(first, end, linkage) => {
                self.linkage(*linkage);
                self.registers("", &self.module.registers[first.0 as usize..end.0 as usize]);
            }
            Item::Function(id) => {
                self.gap();
                self.function(self.module.function(*id));
            }
            Item::File(file, _) => {
                self.rare(format_args!("\t.file\t{} \"{}\"", file.index, self.module.name(file.name)));
                if let Some((time, size)) = file.stamp {
                    self.rare(format_args!(", {time}"));
                    if let Some(size) = size {
                        self.rare(format_args!(", {size}"));
                    }
                }
                self.text("\n");
            }
            Item::Section(section) => self.section(section),
            Item::Location(location) => self.location(location),
            Item::Pragma(texts, _) => {
                self.pragma(texts);
                self.text("\n");
            }
            Item::Alias(alias, _) => {
                self.text(".alias ");
                self.name(self.module.function(alias.name).name);
                self.text(", ");
                self.name(self.module.function(alias.target).name);
                self.text(";\n");
            }
            Item::DwarfLine(text) | Item::Comment(text) => {
                self.name(*text);
                self.text("\n");
            }
            Item::TrailingComment(text) => self.trailing_comment(*text),
        }
    }

    fn target(&mut self, target: &TargetSpec) {
        self.text(".target ");
        self.separated(&target.names, |printer, &name| printer.name(name));
        self.text("\n");
    }

    fn separated<T>(&mut self, entries: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (at, entry) in entries.iter().enumerate() {
            if at > 0 {
                self.text(", ");
            }
            print(self, entry);
        }
    }

    fn section(&mut self, section: &Section) {
        self.text("\t.section\t");
        self.name(section.name);
        self.text("\n\t{\n");
        for line in &section.lines {
            self.name(line.text);
            self.text("\n");
        }
        self.text("\t}\n");
    }

    fn pragma(&mut self, texts: &[StrId]) {
        self.text(".pragma ");
        self.separated(texts, |printer, &text| {
            printer.text("\"");
            printer.name(text);
            printer.text("\"");
        });
        self.text(";");
    }

    fn location(&mut self, location: &DebugLocation) {
        self.text("\t.loc\t");
        self.number(location.file);
        self.text(" ");
        self.number(location.line);
        self.text(" ");
        self.number(location.column);
        if let Some(inlined) = &location.inlined {
            self.text(", function_name ");
            self.name(inlined.name);
            if let Some(offset) = inlined.offset {
                self.text("+");
                self.number(offset);
            }
            self.rare(format_args!(", inlined_at {} {} {}", inlined.file, inlined.line, inlined.column));
        }
        self.text("\n");
    }

    fn linkage(&mut self, linkage: Linkage) {
        self.text(match linkage {
            Linkage::Internal => "",
            Linkage::Extern => ".extern ",
            Linkage::Visible => ".visible ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        });
    }

    fn attribute(&mut self, attribute: VarAttribute) {
        match attribute {
            VarAttribute::Managed => self.text(".attribute(.managed)"),
            VarAttribute::Unified(a, b) => self.rare(format_args!(".attribute(.unified({a}, {b}))")),
        }
    }

    fn shape(&mut self, shape: VectorShape) {
        self.text(match shape {
            VectorShape::Scalar => "",
            VectorShape::V2 => ".v2 ",
            VectorShape::V4 => ".v4 ",
            VectorShape::V8 => ".v8 ",
        });
    }

    fn space(&mut self, space: StateSpace) {
        self.text(".");
        self.text(space.as_str());
        self.text(" ");
    }

    /// A variable or parameter without the semicolon or comma after it.
    fn variable(&mut self, variable: &Variable) {
        self.linkage(variable.linkage);
        match variable.bank {
            None => self.space(variable.space),
            Some(bank) => self.rare(format_args!(".{}[{bank}] ", variable.space.as_str())),
        }
        for &attribute in &variable.attributes {
            self.attribute(attribute);
            self.text(" ");
        }
        // `.ptr` is followed by its own alignment, so that of the parameter is before it.
        if let Some(align) = variable.align {
            self.text(".align ");
            self.number(align);
            self.text(" ");
        }
        self.shape(variable.shape);
        self.text(match variable.ty {
            VarType::Scalar(_) => ".",
            VarType::TexRef => ".texref",
            VarType::SamplerRef => ".samplerref",
            VarType::SurfRef => ".surfref",
        });
        if let VarType::Scalar(ty) = variable.ty {
            self.text(ty.as_str());
        }
        self.text(" ");
        if let Some(pointer) = variable.pointer {
            self.text(".ptr ");
            if let Some(space) = pointer.space {
                self.space(space);
            }
            self.text(match pointer.reference {
                None => "",
                Some(Reference::Texture) => ".texref ",
                Some(Reference::Sampler) => ".samplerref ",
                Some(Reference::Surface) => ".surfref ",
            });
            if let Some(align) = pointer.align {
                self.rare(format_args!(".align {align} "));
            }
        }
        self.name(variable.name);
        if let Some(count) = variable.count {
            self.rare(format_args!("<{count}>"));
        }
        for dim in &variable.dims {
            self.text("[");
            if let Some(length) = dim {
                self.number(*length);
            }
            self.text("]");
        }
        if let Some(init) = &variable.init {
            self.text(" = ");
            self.initializer(init);
        }
    }

    fn initializer(&mut self, init: &Initializer) {
        match init {
            Initializer::List(values) => {
                self.text("{");
                self.separated(values, |printer, value| printer.initializer(value));
                self.text("}");
            }
            Initializer::Integers(values) => {
                self.text("{");
                for (at, constant) in values.constants().enumerate() {
                    if at > 0 {
                        self.text(", ");
                    }
                    self.immediate(constant);
                }
                self.text("}");
            }
            Initializer::Fields(fields) => {
                self.text("{");
                self.separated(fields, |printer, (name, value)| {
                    printer.name(*name);
                    printer.text(" = ");
                    match value {
                        FieldValue::Number(value) => printer.immediate(*value),
                        FieldValue::Name(name) => printer.name(*name),
                    }
                });
                self.text("}");
            }
            Initializer::Value(value) => self.immediate(*value),
            Initializer::Address { symbol, offset, generic } => self.address_of(*symbol, *offset, *generic),
            Initializer::Masked { mask, symbol, offset, generic } => {
                self.rare(format_args!("0x{mask:X}("));
                self.address_of(*symbol, *offset, *generic);
                self.text(")");
            }
        }
    }

    fn address_of(&mut self, symbol: Symbol, offset: i64, generic: bool) {
        if generic {
            self.text("generic(");
        }
        self.symbol(symbol);
        if generic {
            self.text(")");
        }
        self.offset(offset);
    }

    /// `+8` or `+-8` after a name, as compilers write it (`ptxas` does not accept a minus alone); empty for zero.
    fn offset(&mut self, offset: i64) {
        if offset != 0 {
            self.text("+");
            self.number(offset);
        }
    }

    fn symbol(&mut self, symbol: Symbol) {
        self.name(match symbol {
            Symbol::Variable(id) => self.module.variable(id).name,
            Symbol::Function(id) => self.module.function(id).name,
        });
    }

    fn immediate(&mut self, immediate: Immediate) {
        use Immediate::*;
        match immediate {
            S64(_, Literal::Text(text))
            | U64(_, Literal::Text(text))
            | F32(_, Literal::Text(text))
            | F64(_, Literal::Text(text)) => self.name(text),
            S64(value, Literal::Plain) => self.number(value),
            S64(value, Literal::Hex) if value < 0 => self.rare(format_args!("-0x{:X}", value.unsigned_abs())),
            S64(value, Literal::Hex) => self.rare(format_args!("0x{value:X}")),
            // Without the suffix a value in the signed range would be parsed as signed.
            U64(value, form) => {
                match form {
                    Literal::Hex => self.rare(format_args!("0x{value:X}")),
                    Literal::Plain | Literal::Text(_) => self.number(value),
                }
                if value <= i64::MAX as u64 {
                    self.text("U");
                }
            }
            F32(bits, _) => self.rare(format_args!("0f{bits:08X}")),
            F64(bits, _) => self.rare(format_args!("0d{bits:016X}")),
        }
    }

    fn function(&mut self, function: &Function) {
        self.signature(function);
        match &function.body {
            Some(body) => {
                self.text("\n{\n");
                self.body(body);
                self.text("}\n");
            }
            None => self.text("\n;\n"),
        }
    }

    fn signature(&mut self, function: &Function) {
        self.linkage(function.linkage);
        self.text(match function.kind {
            FunctionKind::Kernel => ".entry ",
            FunctionKind::Device => ".func ",
        });
        let registers = function.body.as_ref().or(function.reg_params.as_deref());
        for (directive, _) in &function.directives {
            // `.attribute` precedes the name; all other directives follow the parameters.
            if let FunctionDirective::Attribute(attribute) = directive {
                self.attribute(*attribute);
                self.text(" ");
            }
        }
        if !function.results.is_empty() {
            self.text("(");
            self.separated(&function.results, |printer, param| printer.param(registers, *param));
            self.text(") ");
        }
        self.name(function.name);
        self.params(registers, &function.params);
        for (directive, _) in &function.directives {
            self.function_directive(directive);
        }
    }

    fn params(&mut self, registers: Option<&Body>, params: &[Param]) {
        if params.is_empty() {
            self.text("()");
            return;
        }
        self.text("(\n");
        for (at, param) in params.iter().enumerate() {
            self.text("\t");
            self.param(registers, *param);
            self.text(if at + 1 < params.len() { ",\n" } else { "\n" });
        }
        self.text(")");
    }

    /// A parameter; `registers` is the body with the declaration of its register.
    fn param(&mut self, registers: Option<&Body>, param: Param) {
        match (param, registers) {
            (Param::Variable(id), _) => self.variable(self.module.variable(id)),
            (Param::Register(decl, _), Some(body)) => {
                let decl = &body.reg_decls[decl.0 as usize];
                self.text(".reg ");
                self.shape(decl.shape);
                self.text(".");
                self.text(decl.ty.as_str());
                self.text(" ");
                self.name(decl.name);
            }
            // A register parameter always belongs to a body; without one it has no name.
            (Param::Register(..), None) => self.text("_"),
        }
    }

    fn function_directive(&mut self, directive: &FunctionDirective) {
        use FunctionDirective::*;
        match directive {
            MaxNtid(shape) => self.dimensions(".maxntid", shape),
            ReqNtid(shape) => self.dimensions(".reqntid", shape),
            ReqNCtaPerCluster(shape) => self.dimensions(".reqnctapercluster", shape),
            MinNCtaPerSm(n) => self.rare(format_args!("\n.minnctapersm {n}")),
            MaxNCtaPerSm(n) => self.rare(format_args!("\n.maxnctapersm {n}")),
            MaxNReg(n) => self.rare(format_args!("\n.maxnreg {n}")),
            MaxClusterRank(n) => self.rare(format_args!("\n.maxclusterrank {n}")),
            AbiPreserve(n) => self.rare(format_args!("\n.abi_preserve {n}")),
            AbiPreserveControl(n) => self.rare(format_args!("\n.abi_preserve_control {n}")),
            NoReturn => self.text("\n.noreturn"),
            ExplicitCluster => self.text("\n.explicitcluster"),
            BlocksAreClusters => self.text("\n.blocksareclusters"),
            Pragma(texts) => {
                self.text("\n");
                self.pragma(texts);
            }
            Language(numbers) => {
                self.text("\n.language ");
                self.separated(numbers, |printer, &number| printer.number(number));
            }
            LocalMaxNReg(n) => self.rare(format_args!("\n.local_maxnreg {n}")),
            MinPerCtaMemory(n) => self.rare(format_args!("\n.minperctamemory {n}")),
            // Printed before the name.
            Attribute(_) => {}
        }
    }

    fn dimensions(&mut self, word: &str, shape: &[Option<u32>; 3]) {
        self.text("\n");
        self.text(word);
        for (at, length) in shape.iter().flatten().enumerate() {
            self.rare(format_args!("{} {length}", if at > 0 { "," } else { "" }));
        }
    }
}

#[cfg(test)]
mod tests;

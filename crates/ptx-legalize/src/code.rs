//! The text of a function of LLVM IR, written instruction by instruction.

use std::fmt::{Arguments, Write};

use ptx_llvm_core::view::{FloatKind, Type, TypeId};

use crate::site::Site;

/// The body of a function. Its parameters are `%a0`, `%a1` and so on.
pub(crate) struct Code {
    text: String,
    /// How many names were given.
    names: u32,
    /// The block that is being written.
    block: String,
}

/// How an iteration of a loop ends.
pub(crate) struct Round<const N: usize> {
    /// The values for the next iteration.
    pub(crate) next: [String; N],
    /// Decides whether there is a next iteration.
    pub(crate) condition: String,
    /// Whether the loop ends if the condition is true, or continues only then.
    pub(crate) ends: bool,
}

/// Writes an instruction that has a result and gives its name: `ir!(code, "add i32 {a}, {b}")`.
macro_rules! ir {
    ($code:expr, $($text:tt)*) => { $code.value(format_args!($($text)*)) };
}
pub(crate) use ir;

impl Code {
    pub(crate) fn new() -> Self {
        Self { text: String::from("entry:\n"), names: 0, block: "entry".to_owned() }
    }

    /// An instruction; gives the name of its result.
    pub(crate) fn value(&mut self, instruction: Arguments<'_>) -> String {
        let name = self.name();
        let _ = writeln!(self.text, "  {name} = {instruction}");
        name
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    /// An instruction without a result.
    pub(crate) fn line(&mut self, instruction: Arguments<'_>) {
        let _ = writeln!(self.text, "  {instruction}");
    }

    /// A name for a block.
    pub(crate) fn label(&mut self) -> String {
        self.names += 1;
        format!("b{}", self.names)
    }

    /// Begins a block.
    pub(crate) fn place(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
        label.clone_into(&mut self.block);
    }

    /// The block that is being written.
    pub(crate) fn block(&self) -> String {
        self.block.clone()
    }

    /// A loop of at least one iteration, or of none if `unless` is true. The loop-carried values start with a type and a value each; `round` writes an iteration,
    /// given their names and the block after the loop, and returns their values for the next iteration. Returns the values after the last one.
    pub(crate) fn repeated<const N: usize>(
        &mut self,
        unless: Option<&str>,
        start: [(&str, &str); N],
        round: impl FnOnce(&mut Self, &[String; N], &str) -> Option<Round<N>>,
    ) -> Option<[String; N]> {
        let (before, again, end) = (self.block(), self.label(), self.label());
        match unless {
            Some(none) => self.line(format_args!("br i1 {none}, label %{end}, label %{again}")),
            None => self.line(format_args!("br label %{again}")),
        }
        self.place(&again);
        let names = [(); N].map(|()| self.name());
        let top = self.text.len();
        let Round { next, condition, ends } = round(self, &names, &end)?;
        let last = self.block();
        let (met, unmet) = if ends { (&end, &again) } else { (&again, &end) };
        self.line(format_args!("br i1 {condition}, label %{met}, label %{unmet}"));
        self.place(&end);
        // The values of the back edge, and its block, are known now.
        let mut phis = String::new();
        for ((name, (ty, first)), next) in names.iter().zip(start).zip(&next) {
            let _ = writeln!(phis, "  {name} = phi {ty} [ {first}, %{before} ], [ {next}, %{last} ]");
        }
        self.text.insert_str(top, &phis);
        Some(next)
    }

    /// The smaller or larger of two values by a comparison (`slt`, `ugt`).
    pub(crate) fn extreme(&mut self, comparison: &str, ty: &str, a: &str, b: &str) -> String {
        let first = ir!(self, "icmp {comparison} {ty} {a}, {b}");
        ir!(self, "select i1 {first}, {ty} {a}, {ty} {b}")
    }

    /// An integer in another width: its low bits, or with its sign or zeros above.
    pub(crate) fn resized(&mut self, value: &str, from: u32, to: u32, signed: bool) -> String {
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => value.to_owned(),
            std::cmp::Ordering::Greater => ir!(self, "trunc i{from} {value} to i{to}"),
            std::cmp::Ordering::Less if signed => ir!(self, "sext i{from} {value} to i{to}"),
            std::cmp::Ordering::Less => ir!(self, "zext i{from} {value} to i{to}"),
        }
    }

    /// The elements of a vector, or the one that something else is.
    pub(crate) fn elements(&mut self, site: &Site<'_>, value: &str, ty: TypeId) -> Vec<String> {
        let Type::Vector { len, .. } = site.view.ty(ty) else { return vec![value.to_owned()] };
        let text = site.view.type_text(ty);
        (0..*len).map(|at| ir!(self, "extractelement {text} {value}, i32 {at}")).collect()
    }

    /// A vector of elements, or the one that something else is; `None` where there is not that one.
    pub(crate) fn vector(&mut self, site: &Site<'_>, elements: &[String], ty: TypeId) -> Option<String> {
        let Type::Vector { element, .. } = site.view.ty(ty) else { return elements.first().cloned() };
        Some(self.joined_as(site.view.type_text(ty), site.view.type_text(*element), elements))
    }

    /// A vector of elements, by the types as LLVM spells them.
    pub(crate) fn joined_as(&mut self, ty: &str, element: &str, elements: &[String]) -> String {
        let mut vector = "poison".to_owned();
        for (at, value) in elements.iter().enumerate() {
            vector = ir!(self, "insertelement {ty} {vector}, {element} {value}, i32 {at}");
        }
        vector
    }

    /// A structure of such values.
    pub(crate) fn structure(&mut self, site: &Site<'_>, parts: &[String], ty: TypeId) -> Option<String> {
        let Type::Struct { fields } = site.view.ty(ty) else { return None };
        let text = site.view.type_text(ty);
        let mut whole = "poison".to_owned();
        for (at, (part, field)) in parts.iter().zip(fields).enumerate() {
            let field = site.view.type_text(*field);
            whole = ir!(self, "insertvalue {text} {whole}, {field} {part}, {at}");
        }
        Some(whole)
    }

    /// The body, which gives `value`.
    pub(crate) fn finish(mut self, site: &Site<'_>, value: &str) -> String {
        let ty = site.view.type_text(site.result);
        let _ = writeln!(self.text, "  ret {ty} {value}");
        self.text
    }
}

/// The name of a floating-point type, where PTX computes with it.
pub(crate) const fn float_name(kind: FloatKind) -> Option<&'static str> {
    match kind {
        FloatKind::Half => Some("half"),
        FloatKind::BFloat => Some("bfloat"),
        FloatKind::Float => Some("float"),
        FloatKind::Double => Some("double"),
        FloatKind::Other(_) => None,
    }
}

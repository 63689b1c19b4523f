//! Intrinsics that no target owns, by their signatures.

use anyhow::{Context as _, Result};
use ptx_llvm_core::{Context, Gpu, Machine, Module, OptLevel, expand_intrinsics, has_expandable_intrinsics};

use super::Piece;
use super::is_valid;
use super::types::{FLOATS, POINTERS, Ty};

/// LLVM's signatures: name, results, parameters.
const SIGNATURES: &str = include_str!("generic.tsv");
/// So many choices are given to the verifier, evenly chosen.
const MOST_TRIED: usize = 400;
/// So many choices of types and constants are tried of one intrinsic, evenly chosen.
const MOST: usize = 40;

/// An intrinsic as LLVM describes it.
#[derive(Clone, Debug)]
pub struct Overloaded {
    /// Its name without types.
    pub name: &'static str,
    results: Vec<&'static str>,
    parameters: Vec<&'static str>,
}

/// The signatures, in the order of their names.
///
/// # Errors
/// When a line has no result.
pub fn names() -> Result<Vec<Overloaded>> {
    let parse = |line: &'static str| {
        let mut fields = line.split('\t');
        let split =
            |field: &'static str| field.split(", ").filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let name = fields.next().unwrap_or_default();
        let results = split(fields.next().with_context(|| format!("{name} without a result"))?);
        let parameters = split(fields.next().unwrap_or_default());
        Ok(Overloaded { name, results: results.into_iter().filter(|ty| *ty != "void").collect(), parameters })
    };
    SIGNATURES.lines().map(parse).collect()
}

pub(super) fn pieces() -> Result<Vec<Piece>> {
    let context = Context::new()?;
    let mut list = Vec::new();
    for intrinsic in names()? {
        let mut choices = intrinsic.calls(MOST_TRIED);
        choices.retain(|piece| is_valid(&context, piece) && is_expressed(&context, piece));
        let step = choices.len().div_ceil(MOST).max(1);
        list.extend(choices.into_iter().step_by(step));
    }
    Ok(list)
}

/// Whether LLVM's verifier accepts what passes make of a piece, where they express its intrinsic by others: it looks at the types
/// only then.
fn is_expressed(context: &Context, piece: &Piece) -> bool {
    let expressed = |module: &mut Module<'_>| {
        let machine = Machine::new(&Gpu::default(), OptLevel::O0)?;
        expand_intrinsics(module, &machine)
    };
    Module::parse_text(context, "piece", piece.text().as_bytes())
        .is_ok_and(|mut module| !has_expandable_intrinsics(&module) || expressed(&mut module).is_ok())
}

/// The types of a class to be overloaded in.
fn members(class: &str) -> Vec<Ty> {
    let scalars = |list: &[&'static str]| list.iter().map(|element| Ty::scalar(element)).collect::<Vec<_>>();
    let vectors = |list: &[(u32, &'static str)]| {
        list.iter().map(|(lanes, element)| Ty::vector(*lanes, element)).collect::<Vec<_>>()
    };
    let integers = ["i1", "i2", "i7", "i8", "i16", "i24", "i32", "i33", "i64", "i65", "i128", "i256"];
    let wide = [
        (2, "i8"),
        (4, "i8"),
        (2, "i16"),
        (3, "i32"),
        (4, "i32"),
        (2, "i64"),
        (5, "i13"),
        (1, "i32"),
        (8, "i1"),
        (2, "i128"),
        (16, "i8"),
    ];
    let floats = [
        (2, "half"),
        (2, "bfloat"),
        (4, "float"),
        (3, "double"),
        (1, "float"),
        (3, "half"),
        (8, "bfloat"),
        (2, "fp128"),
    ];
    let mixed = [
        (2, "i32"),
        (4, "i8"),
        (3, "i16"),
        (8, "i1"),
        (2, "i64"),
        (4, "i33"),
        (1, "i32"),
        (2, "i128"),
        (6, "i32"),
        (2, "half"),
        (2, "bfloat"),
        (4, "float"),
        (3, "double"),
        (16, "float"),
        (2, "ptr"),
        (4, "ptr addrspace(1)"),
        (4, "i32"),
        (4, "i64"),
        (4, "double"),
        (4, "half"),
    ];
    match class {
        "int" => [scalars(&integers), vectors(&wide)].concat(),
        "float" => [scalars(&FLOATS), vectors(&floats)].concat(),
        "vector" => vectors(&mixed),
        "pointer" => scalars(&POINTERS),
        _ => [
            scalars(&["i32", "i8", "i64", "i128", "float", "half", "ptr", "ptr addrspace(3)"]),
            vectors(&[(2, "i32"), (4, "float"), (2, "ptr"), (3, "ptr addrspace(1)")]),
        ]
        .concat(),
    }
}

/// Constants for arguments that must be some.
fn constants(ty: &str) -> &'static [&'static str] {
    match ty {
        "i1" => &["false", "true"],
        "i8" => &["0", "1"],
        "double" => &["0.5"],
        "i64" => &["0", "1", "2", "8"],
        _ => &["0", "1", "2", "3", "4", "16"],
    }
}

/// Texts for metadata, by intrinsic and by how many such arguments follow.
fn metadata(name: &str, following: usize) -> &'static [&'static str] {
    let constrained = name.starts_with("llvm.experimental.constrained.");
    if name.contains(".fcmp") && following == usize::from(constrained) {
        return &["!\"oeq\"", "!\"ult\"", "!\"une\"", "!\"ord\""];
    }
    if name == "llvm.vp.icmp" {
        return &["!\"eq\"", "!\"slt\"", "!\"uge\""];
    }
    if constrained && following == 0 {
        return &["!\"fpexcept.strict\"", "!\"fpexcept.ignore\""];
    }
    match name {
        _ if constrained || name == "llvm.fptrunc.round" => &[
            "!\"round.tonearest\"",
            "!\"round.downward\"",
            "!\"round.upward\"",
            "!\"round.towardzero\"",
            "!\"round.tonearestaway\"",
            "!\"round.dynamic\"",
        ],
        _ => &["!{}", "!{!\"x\"}"],
    }
}

/// The calls with one choice of types.
struct Calls {
    result: String,
    /// The types of the parameters.
    parameters: Vec<String>,
    /// What each argument may be.
    values: Vec<Vec<String>>,
}

impl Calls {
    /// So many calls differ in their arguments alone.
    const MOST: usize = 216;

    fn count(&self) -> usize {
        self.values.iter().map(Vec::len).product::<usize>().min(Self::MOST)
    }

    /// The arguments of a call below the count; the last of them changes first.
    fn arguments(&self, mut index: usize) -> Vec<String> {
        let mut list = Vec::new();
        for values in self.values.iter().rev() {
            list.push(values[index % values.len()].clone());
            index /= values.len();
        }
        list.reverse();
        list
    }
}

impl Overloaded {
    /// The places of the types that are free, results first.
    fn free(&self) -> Vec<&'static str> {
        let places = self.results.iter().chain(&self.parameters);
        let is_free = |ty: &&str| {
            ["int", "float", "vector", "pointer", "any"].contains(&ty.trim_end_matches('!'))
                || ty.starts_with("pointers")
        };
        places.copied().filter(is_free).map(|ty| ty.trim_end_matches('!')).collect()
    }

    /// Calls for at most so many of all choices, evenly chosen, valid or not.
    fn calls(&self, most: usize) -> Vec<Piece> {
        let mut choices: Vec<Vec<Ty>> = vec![Vec::new()];
        for class in self.free() {
            let longer = |choice: Vec<Ty>| {
                let members = match class.strip_prefix("pointers like ") {
                    Some(at) => {
                        let like = at.parse().ok().and_then(|at: usize| choice.get(at).copied());
                        like.map(|like| vec![like.of("ptr"), like.of("ptr addrspace(3)")]).unwrap_or_default()
                    }
                    None => members(class),
                };
                members.into_iter().map(move |ty| choice.iter().copied().chain([ty]).collect::<Vec<_>>())
            };
            choices = choices.into_iter().flat_map(longer).collect();
        }
        choices.retain(|choice| self.goes_together(choice));
        let calls: Vec<Calls> = choices.iter().filter_map(|choice| self.calls_at(choice)).collect();
        // Only those that are taken are written: there are millions of choices.
        let step = calls.iter().map(Calls::count).sum::<usize>().div_ceil(most).max(1);
        let (mut written, mut next) = (Vec::new(), 0);
        for of_types in &calls {
            while next < of_types.count() {
                written.push(self.call(&of_types.result, &of_types.parameters, &of_types.arguments(next)));
                next += step;
            }
            next -= of_types.count();
        }
        written
    }

    /// Whether the reference means a choice: what is computed element by element has as many elements everywhere, and lengths of
    /// memory are no vectors. The verifier does not look at that.
    fn goes_together(&self, choice: &[Ty]) -> bool {
        let classes = self.free();
        let numbers: Vec<Ty> = choice
            .iter()
            .zip(&classes)
            .filter(|(_, class)| matches!(**class, "int" | "float"))
            .map(|(ty, _)| *ty)
            .collect();
        let scalars = classes.contains(&"pointer")
            || self.name.starts_with("llvm.convert.")
            || ["llvm.load.relative", "llvm.experimental.get.vector.length", "llvm.get.active.lane.mask"]
                .contains(&self.name);
        if choice.iter().zip(&classes).any(|(ty, class)| *class == "vector" && !self.is_on(*ty)) {
            return false;
        }
        let exponent = matches!(self.name, "llvm.powi" | "llvm.experimental.constrained.powi");
        match numbers.as_slice() {
            _ if scalars => numbers.iter().all(|ty| ty.lanes == 0),
            [first, rest @ ..] if !exponent => rest.iter().all(|ty| ty.lanes == first.lanes),
            _ => true,
        }
    }

    /// Whether the intrinsic is for vectors of such elements.
    fn is_on(&self, ty: Ty) -> bool {
        let name = self.name.trim_start_matches("llvm.").trim_start_matches("experimental.");
        let (float, pointer) = (FLOATS.contains(&ty.element), ty.element.starts_with("ptr"));
        let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        if begins(&["vector.reduce.f", "vector.partial.reduce.f"]) {
            return float;
        }
        if begins(&["vector.reduce.", "vector.partial.", "vector.match", "cttz.elts", "stepvector"]) {
            return !float && !pointer;
        }
        if begins(&["vector.histogram."]) {
            return pointer;
        }
        !begins(&["loop.dependence.", "get.active.lane.mask"]) || ty.element == "i1"
    }

    fn calls_at(&self, choice: &[Ty]) -> Option<Calls> {
        let mut next = 0;
        let mut written = |place: &&'static str| {
            let text = place.trim_end_matches('!');
            let ty = resolve(text, choice, next);
            next += usize::from(is_overload(text));
            ty
        };
        let results: Option<Vec<String>> = self.results.iter().map(&mut written).collect();
        let parameters: Option<Vec<String>> = self.parameters.iter().map(&mut written).collect();
        let (results, parameters) = (results?, parameters?);
        let result = match results.as_slice() {
            [] => "void".to_owned(),
            [one] => one.clone(),
            more => format!("{{ {} }}", more.join(", ")),
        };
        let mut values: Vec<Vec<String>> = Vec::new();
        for (at, (ty, place)) in parameters.iter().zip(&self.parameters).enumerate() {
            let following = parameters.iter().skip(at + 1).filter(|ty| *ty == "metadata").count();
            values.push(match ty.as_str() {
                "..." => vec!["i32 1".to_owned()],
                "token" => vec!["token none".to_owned()],
                "metadata" => {
                    metadata(self.name, following).iter().map(|text| format!("metadata {text}")).collect()
                }
                _ if place.ends_with('!') => {
                    constants(ty).iter().map(|value| format!("{ty} {value}")).collect()
                }
                _ => vec![format!("{ty} %a{at}")],
            });
        }
        Some(Calls { result, parameters, values })
    }

    fn call(&self, result: &str, parameters: &[String], arguments: &[String]) -> Piece {
        let formal: Vec<&str> =
            arguments.iter().filter(|argument| argument.contains(" %a")).map(String::as_str).collect();
        let (formal, actual) = (formal.join(", "), arguments.join(", "));
        let name = self.name;
        let ty = if parameters.iter().any(|ty| ty == "...") {
            format!("{result} ({})", parameters.join(", "))
        } else {
            result.to_owned()
        };
        let (before, back, returned) = match result {
            "void" => ("", "void".to_owned(), "void"),
            "token" => ("%r = ", "void".to_owned(), "void"),
            _ => ("%r = ", format!("{result} %r"), result),
        };
        let shown: Vec<String> = arguments.iter().map(|argument| short(argument)).collect();
        let text = format!(
            "define {returned} @f#({formal}) {{\n  {before}call {ty} @{name}({actual})\n  ret {back}\n}}\n"
        );
        Piece::new(format!("{result} {name}({})", shown.join(", ")), text)
    }
}

/// An argument without the name of a parameter.
fn short(argument: &str) -> String {
    argument.split(" %a").next().unwrap_or_default().to_owned()
}

fn is_overload(place: &str) -> bool {
    ["int", "float", "vector", "pointer", "any"].contains(&place) || place.starts_with("pointers")
}

/// The type at a place; `next` is the number of the free type that is there, if one does.
fn resolve(place: &str, choice: &[Ty], next: usize) -> Option<String> {
    let chosen = |text: &str| text.parse().ok().and_then(|at: usize| choice.get(at).copied());
    if is_overload(place) {
        return choice.get(next).map(ToString::to_string);
    }
    if let Some(at) = place.strip_prefix("same as ") {
        return chosen(at).map(|ty| ty.to_string());
    }
    if let Some(at) = place.strip_prefix("element of ") {
        return chosen(at).map(|ty| ty.element.to_owned());
    }
    if let Some(at) = place.strip_prefix("i1 like ") {
        return chosen(at).map(|ty| ty.of("i1").to_string());
    }
    if let Some((part, at)) = place.strip_prefix("1/").and_then(|rest| rest.split_once(" of ")) {
        let (part, ty): (u32, Ty) = (part.parse().ok()?, chosen(at)?);
        return (ty.lanes >= part && ty.lanes % part == 0)
            .then(|| Ty { lanes: ty.lanes / part, ..ty }.to_string());
    }
    Some(place.to_owned())
}

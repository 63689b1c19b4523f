//! Intrinsics and the PTX instructions they stand for, as one table read both ways.
//!
//! An [`IntrinsicMapping`] pairs one intrinsic, by its full name with overload suffixes, with one PTX instruction: its [`Mnemonic`], and
//! what each operand is. Lowering asks [`by_mnemonic`] or [`by_special_register`], raising asks [`by_name`].
//!
//! The rows are written as patterns. In the intrinsic's name each group `{a|b}` makes one row per alternative, and groups
//! are named `A`, `B`, .. in their order. The other two columns repeat the choice: `{A}` is the chosen text itself, `{A:x|y}`
//! an alternative of its own at the same position. In the type column `{T:..}` works like the first group and names the
//! choice `T`, and bare `A`, `B`, `T` stand for it too; `t*n` repeats a type, several results are a struct. In the PTX
//! column `d` is the result, `d|p` both fields of the result, `<d:n>` the next `n` fields as a vector, `%i` argument `i`,
//! `[%i]` the same as an address, `<%i:n>` a vector of `n` arguments from `i`, `#i` an immediate, `#i<n` one that LLVM takes up to there, `#i=v` an immediate that PTX
//! does not write and that must be `v` (`align`: the access's alignment, `any`: whatever it is), `b(..)` the lower byte of a result or argument, `[%i<%j:n>]` an address with
//! `n` coordinates from argument `j`, `<%i>` the lanes of vector argument `i`, `T[%i]` the handle of a texture or surface as an
//! address, `T[%i<%j:n>]` the same with `n` coordinates and `T[%i,%s<%j:n>]` with a sampler, where three coordinates are padded to four
//! (manual 9.7.10.3), `<%i:3+>` three arguments so padded, `u:t` an operand that is not read, written `t`, and numbers, special registers, `WARP_SZ` and `_` are
//! themselves. Both sides read the column as a tree ([`Operand`]). A `?` ends
//! the name: the groups after it number the values of constant arguments that choose modifiers.
//!
//! A mnemonic is looked up with and without its defaults ([`Mnemonic::spellings`]). All rows are read both ways but for those that say less
//! than their instruction ([`by_name`]) and those that are another name of an instruction ([`by_mnemonic`]). Some intrinsics LLVM takes to touch no memory but what
//! their arguments point to, or less, while the instruction orders or moves other memory too: lowering then says so at the call.
//!
//! Invariants, tested: the instruction table has every mnemonic, as it is written here; LLVM 22 knows every name and agrees with every type; every argument and every result of an
//! intrinsic appears in its instruction exactly once.

mod asynchronous;
mod fragment;
mod matrix;
mod names;
mod operand;
pub mod registry;
mod table;
mod texture;

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use ptx_isa::{Component, Mnemonic, Opcode, SpecialReg};
use rustc_hash::FxHashMap as HashMap;

pub use names::base_name;
pub use operand::{Operand, Unwritten};

/// A type of an intrinsic's argument or result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// An integer of that many bits; 1 is a predicate.
    Int(u32),
    /// `half`.
    F16,
    /// `bfloat`.
    Bf16,
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `<2 x half>`, `.f16x2` in PTX.
    F16x2,
    /// `<2 x bfloat>`, `.bf16x2` in PTX.
    Bf16x2,
    /// A pointer into an address space, by LLVM's number.
    Ptr(u32),
    /// A vector of that many `i32`.
    Words(u32),
    /// A vector of that many `float`.
    Floats(u32),
    /// A vector of that many `i8`, one register in PTX.
    Bytes(u32),
}

impl Type {
    /// Whether it is a vector whose lanes are registers of their own in PTX.
    pub const fn is_lanes(self) -> bool {
        matches!(self, Type::Words(_) | Type::Floats(_))
    }
}

/// One intrinsic and its PTX instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntrinsicMapping {
    /// The intrinsic's full name, with overload suffixes.
    pub name: String,
    /// The PTX mnemonic: where rows of the instruction table differ in their operands alone, the first of them.
    pub mnemonic: Mnemonic,
    /// No result, one, or the fields of a struct.
    pub results: Vec<Type>,
    /// The arguments in LLVM's order.
    pub parameters: Vec<Type>,
    /// The operands in PTX's order, destinations first.
    pub operands: Vec<Operand>,
    /// The arguments that PTX does not write.
    pub unwritten: Vec<(usize, Unwritten)>,
}

impl IntrinsicMapping {
    /// Whether the instruction writes a predicate beside its result (`d|p`).
    pub fn has_result_pair(&self) -> bool {
        self.operands.contains(&Operand::ResultPair)
    }

    /// The special register that the row does nothing but read, such as `%tid.x`.
    pub fn special_register(&self) -> Option<(SpecialReg, Option<Component>)> {
        match self.operands.as_slice() {
            [Operand::Result(0), Operand::Special(register, component)] => Some((*register, *component)),
            _ => None,
        }
    }
}

/// All rows that a name finds, in the table's order.
pub fn rows() -> impl Iterator<Item = &'static IntrinsicMapping> {
    TABLE.rows.iter().take(TABLE.by_name.len()).filter_map(Sketch::row)
}

/// The rows of one intrinsic, by its full name. Rows that say less than their instruction, such as the lower half of a register, are
/// found here alone. There is more than one where an immediate argument chooses the mnemonic
/// (`bfind` and `bfind.shiftamt`).
pub fn by_name(name: &str) -> impl Iterator<Item = &'static IntrinsicMapping> {
    TABLE.named(name)
}

/// The rows of one mnemonic that lowering may use, preferred first: the caller chooses by the number and kind of operands. Modifiers that
/// are the default make no difference.
pub fn by_mnemonic(mnemonic: Mnemonic) -> impl Iterator<Item = &'static IntrinsicMapping> {
    let rows = TABLE.by_opcode.get(mnemonic.opcode().as_str()).map(OpcodeRows::by_mnemonic);
    let found = move |spelling: Mnemonic| rows.and_then(|rows| rows.get(&spelling)).into_iter().flatten();
    mnemonic.spellings().into_iter().flat_map(found).filter_map(|place| TABLE.rows.get(*place)?.row())
}

/// The row that reads a special register or a component of it.
pub fn by_special_register(
    register: SpecialReg,
    component: Option<Component>,
) -> Option<&'static IntrinsicMapping> {
    TABLE.rows.get(*TABLE.by_special_register.get(&(register, component))?)?.row()
}

/// A pattern: an intrinsic's name, its types, its PTX.
type Pattern = (&'static str, &'static str, &'static str);

/// A row as its pattern has it: what it is found by is known, the rest is read when somebody asks for it. A run asks for few of the
/// thousands of rows.
struct Sketch {
    pattern: Pattern,
    /// Which alternative stands for each group.
    choice: Vec<u8>,
    name: String,
    /// The text of the mnemonic, which is parsed when an instruction of its opcode is looked up.
    mnemonic: String,
    row: OnceLock<Option<IntrinsicMapping>>,
}

impl Sketch {
    /// The row; a test finds no pattern without one.
    fn row(&self) -> Option<&IntrinsicMapping> {
        self.row.get_or_init(|| row_of(self)).as_ref()
    }

    fn opcode(&self) -> &str {
        self.mnemonic.split_once('.').map_or(self.mnemonic.as_str(), |(opcode, _)| opcode)
    }
}

/// The rows of an opcode. A module has instructions of few opcodes, so that few of the thousands of mnemonics are parsed.
#[derive(Default)]
struct OpcodeRows {
    /// Their places, preferred ones first.
    places: Vec<usize>,
    by_mnemonic: OnceLock<HashMap<Mnemonic, Vec<usize>>>,
}

impl OpcodeRows {
    /// The places by mnemonic. Rows of the instruction table that differ only in their operands have the same places.
    fn by_mnemonic(&self) -> &HashMap<Mnemonic, Vec<usize>> {
        self.by_mnemonic.get_or_init(|| {
            let mut found: HashMap<Mnemonic, Vec<usize>> = HashMap::default();
            for place in &self.places {
                let text = &TABLE.rows[*place].mnemonic;
                let mnemonics = ptx_isa::candidates(text);
                debug_assert!(mnemonics.is_ok(), "`{text}` is no mnemonic");
                for mnemonic in mnemonics.into_iter().flatten() {
                    found.entry(mnemonic).or_default().push(*place);
                }
            }
            found
        })
    }
}

/// The expanded rows and where they are found.
struct Table {
    rows: Vec<Sketch>,
    /// Places in the order of the names.
    by_name: Vec<usize>,
    by_opcode: HashMap<String, OpcodeRows>,
    by_special_register: BTreeMap<(SpecialReg, Option<Component>), usize>,
}

impl Table {
    /// The rows of a name, in the table's order.
    fn named(&'static self, name: &str) -> impl Iterator<Item = &'static IntrinsicMapping> + use<> {
        let own = |place: &usize| self.rows[*place].name.as_str();
        let start = self.by_name.partition_point(|place| own(place) < name);
        let from_start = self.by_name.iter().skip(start);
        let count = from_start.clone().take_while(|place| own(place) == name).count();
        from_start.take(count).filter_map(|place| self.rows[*place].row())
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let lists = [table::ROWS, texture::ROWS, fragment::ROWS, matrix::ROWS, asynchronous::ROWS];
    let expanded = |patterns: &'static [Pattern]| patterns.iter().flat_map(|pattern| expand(*pattern));
    let mut rows: Vec<Sketch> = lists.into_iter().flat_map(expanded).collect();
    let both_ways = rows.len();
    rows.extend([table::BY_NAME, asynchronous::BY_NAME].into_iter().flat_map(expanded));
    let named = rows.len();
    rows.extend(expanded(table::BY_MNEMONIC));
    let mut by_mnemonic: Vec<usize> = (named..rows.len()).collect();
    let mut by_special_register = BTreeMap::new();
    for (place, sketch) in rows.iter().enumerate().take(both_ways) {
        // Only what moves can read a special register.
        let row = if sketch.opcode() == Opcode::Mov.as_str() { sketch.row() } else { None };
        match row.and_then(IntrinsicMapping::special_register) {
            Some(register) => {
                by_special_register.entry(register).or_insert(place);
            }
            None => by_mnemonic.push(place),
        }
    }
    let mut by_name: Vec<usize> = (0..named).collect();
    // Rows of one key stay in their order.
    by_name.sort_by_key(|place| &rows[*place].name);
    let mut by_opcode: HashMap<String, OpcodeRows> = HashMap::default();
    for place in by_mnemonic {
        if let Some(sketch) = rows.get(place) {
            by_opcode.entry(sketch.opcode().to_owned()).or_default().places.push(place);
        }
    }
    Table { rows, by_name, by_opcode, by_special_register }
});

/// Every row a pattern stands for.
fn expand(pattern: Pattern) -> Vec<Sketch> {
    let (name, _, ptx) = pattern;
    let groups: Vec<Vec<&str>> = groups_of(name);
    let total: usize = groups.iter().map(Vec::len).product();
    let mut sketches = Vec::with_capacity(total);
    for mut number in 0..total {
        let mut choice = vec![0; groups.len()];
        for (chosen, group) in choice.iter_mut().zip(&groups).rev() {
            *chosen = (number % group.len()) as u8;
            number /= group.len();
        }
        let texts = texts_of(&groups, &choice);
        let name = fill_name(name, &texts);
        let filled = substitute(first_word(ptx), |inside| choose(inside, &choice, &texts));
        let mnemonic = filled.split_once(' ').map_or(filled.as_str(), |(mnemonic, _)| mnemonic).to_owned();
        sketches.push(Sketch { pattern, choice, name, mnemonic, row: OnceLock::new() });
    }
    sketches
}

/// The chosen text of each group.
fn texts_of<'p>(groups: &[Vec<&'p str>], choice: &[u8]) -> Vec<&'p str> {
    groups.iter().zip(choice).filter_map(|(group, chosen)| group.get(usize::from(*chosen)).copied()).collect()
}

/// What comes before the first blank that is in no group.
fn first_word(ptx: &str) -> &str {
    let mut depth = 0;
    let end = ptx.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        byte == b' ' && depth == 0
    });
    end.and_then(|end| ptx.get(..end)).unwrap_or(ptx)
}

/// What the inside of braces stands for; `None` for a group that the name does not have.
fn choose(inside: &str, choice: &[u8], texts: &[&str]) -> Option<String> {
    let (label, alternatives) = inside.split_once(':').unwrap_or((inside, ""));
    // `T` follows the first group.
    let group = if label == "T" { 0 } else { usize::from(label.bytes().next()?.checked_sub(b'A')?) };
    let text = if inside.contains(':') {
        alternatives.split('|').nth(usize::from(*choice.get(group)?))
    } else {
        texts.get(group).copied()
    };
    text.map(str::to_owned)
}

/// The alternatives of each group in an intrinsic's name.
fn groups_of(pattern: &str) -> Vec<Vec<&str>> {
    pattern
        .split('{')
        .skip(1)
        .filter_map(|tail| tail.split_once('}'))
        .map(|(inside, _)| inside.split('|').collect())
        .collect()
}

/// The name with each group replaced by the chosen text.
fn fill_name(pattern: &str, texts: &[&str]) -> String {
    let mut texts = texts.iter();
    let filled = substitute(pattern, |_| texts.next().map(|text| (*text).to_owned()));
    filled.split_once('?').map_or(filled.as_str(), |(name, _)| name).to_owned()
}

/// Replaces each `{..}` by what `with` makes of its inside.
fn substitute(pattern: &str, mut with: impl FnMut(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut rest = pattern;
    while let Some((before, tail)) = rest.split_once('{') {
        let (inside, after) = tail.split_once('}').unwrap_or((tail, ""));
        result.push_str(before);
        let text = with(inside);
        debug_assert!(text.is_some(), "`{{{inside}}}` of `{pattern}` refers to no group");
        // Default: what is left names no instruction or type, and is no row.
        result.push_str(&text.unwrap_or_default());
        rest = after;
    }
    result + rest
}

/// Reads the row of a sketch; `None` when the instruction table does not have its mnemonic.
fn row_of(sketch: &Sketch) -> Option<IntrinsicMapping> {
    let (pattern, signature, ptx) = sketch.pattern;
    let groups = groups_of(pattern);
    let texts = texts_of(&groups, &sketch.choice);
    let choose = |inside: &str| choose(inside, &sketch.choice, &texts);
    let type_alias = signature.find("{T:").and_then(|at| {
        let inside = signature.get(at + 1..)?.split_once('}')?.0;
        choose(inside)
    });
    let signature = substitute(signature, choose);
    let (results, parameters) = signature.split_once('(').unwrap_or((&signature, ""));
    let types = |text: &str| -> Option<Vec<Type>> {
        let mut list = Vec::new();
        for part in text.trim_end_matches(')').split(',').filter(|part| !part.is_empty() && *part != "void") {
            let (word, count) = part.split_once('*').unwrap_or((part, "1"));
            let word = match (word, &type_alias) {
                ("T", Some(alias)) => alias.as_str(),
                ("A", _) => texts.first()?,
                ("B", _) => texts.get(1)?,
                _ => word,
            };
            list.extend(std::iter::repeat_n(type_of(word)?, count.parse().ok()?));
        }
        Some(list)
    };
    let ptx = substitute(ptx, choose);
    // Default: an instruction without operands is its mnemonic alone.
    let (operands, unwritten) = operand::operands(ptx.split_once(' ').map_or("", |(_, text)| text))?;
    Some(IntrinsicMapping {
        name: sketch.name.clone(),
        mnemonic: Mnemonic::from_text(&sketch.mnemonic).ok()?,
        results: types(results)?,
        parameters: types(parameters)?,
        operands,
        unwritten,
    })
}

fn type_of(word: &str) -> Option<Type> {
    Some(match word {
        "f16" => Type::F16,
        "bf16" => Type::Bf16,
        "f32" => Type::F32,
        "f64" => Type::F64,
        "f16x2" => Type::F16x2,
        "bf16x2" => Type::Bf16x2,
        _ => match word.split_at_checked(1)? {
            ("i", bits) => Type::Int(bits.parse().ok()?),
            ("p", space) => Type::Ptr(space.parse().ok()?),
            ("w", lanes) => Type::Words(lanes.parse().ok()?),
            ("v", lanes) => Type::Floats(lanes.parse().ok()?),
            ("y", lanes) => Type::Bytes(lanes.parse().ok()?),
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use inkwell::intrinsics::Intrinsic;
    use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum};

    use super::*;
    use crate::{Context, Module};

    fn llvm_type<'c>(context: &'c Context, ty: Type) -> BasicTypeEnum<'c> {
        let cx = context.inkwell();
        match ty {
            Type::Int(1) => cx.bool_type().into(),
            Type::Int(8) => cx.i8_type().into(),
            Type::Int(16) => cx.i16_type().into(),
            Type::Int(32) => cx.i32_type().into(),
            Type::Int(64) => cx.i64_type().into(),
            Type::Int(128) => cx.i128_type().into(),
            Type::Int(other) => panic!("no integer of {other} bits in the table"),
            Type::F16 => cx.f16_type().into(),
            Type::Bf16 => cx.bf16_type().into(),
            Type::F32 => cx.f32_type().into(),
            Type::F64 => cx.f64_type().into(),
            Type::F16x2 => cx.f16_type().vec_type(2).into(),
            Type::Bf16x2 => cx.bf16_type().vec_type(2).into(),
            Type::Words(lanes) => cx.i32_type().vec_type(lanes).into(),
            Type::Floats(lanes) => cx.f32_type().vec_type(lanes).into(),
            Type::Bytes(lanes) => cx.i8_type().vec_type(lanes).into(),
            Type::Ptr(space) => {
                cx.ptr_type(inkwell::AddressSpace::from(u16::try_from(space).unwrap())).into()
            }
        }
    }

    /// Intrinsics of every target are not in the register of this one.
    fn is_of_every_target(name: &str) -> bool {
        !name.starts_with("llvm.nvvm.")
    }

    #[test]
    fn llvm_knows_every_name_and_agrees_with_every_type() {
        let context = Context::new().expect("LLVM 22");
        let written = |ty: &Type| llvm_type(&context, *ty).print_to_string().to_string();
        let declarations = registry::declarations().unwrap();
        let known: BTreeMap<&str, &registry::Declaration> =
            declarations.iter().map(|declaration| (declaration.name.as_str(), declaration)).collect();
        for row in rows().filter(|row| !is_of_every_target(&row.name)) {
            let declaration = known.get(row.name.as_str()).unwrap_or_else(|| panic!("no {}", row.name));
            let result = match row.results.as_slice() {
                [] => "void".to_owned(),
                [one] => written(one),
                many => format!("{{ {} }}", many.iter().map(written).collect::<Vec<_>>().join(", ")),
            };
            assert_eq!(declaration.result, result, "{}", row.name);
            let types: Vec<String> = row.parameters.iter().map(written).collect();
            let theirs: Vec<&str> = declaration.parameters.iter().map(|one| one.ty.as_str()).collect();
            assert_eq!(theirs, types, "{}", row.name);
            let bounds = |at: usize| match declaration.parameters[at].takes {
                registry::Takes::Value => panic!("{}: argument {at} is not a constant", row.name),
                registry::Takes::Constant => None,
                registry::Takes::ConstantIn(low, high) => Some(low.cast_unsigned()..high.cast_unsigned()),
            };
            for operand in &row.operands {
                if let Operand::Immediate { argument, below } = operand {
                    let end = bounds(*argument).map(|range| range.end);
                    assert_eq!(end, *below, "{}: argument {argument}", row.name);
                }
            }
            for (argument, unwritten) in &row.unwritten {
                if let Unwritten::Fixed(value) = unwritten {
                    let agrees = bounds(*argument).is_none_or(|range| range.contains(value));
                    assert!(agrees, "{}: argument {argument} is not {value}", row.name);
                }
            }
        }
    }

    #[test]
    fn intrinsics_of_every_target_have_llvms_types() {
        let context = Context::new().expect("LLVM 22");
        let module = Module::new(&context, "rows");
        for row in rows().filter(|row| is_of_every_target(&row.name)) {
            if module.inkwell().get_function(&row.name).is_some() {
                continue;
            }
            let parameters: Vec<BasicMetadataTypeEnum<'_>> =
                row.parameters.iter().map(|ty| llvm_type(&context, *ty).into()).collect();
            let results: Vec<_> = row.results.iter().map(|ty| llvm_type(&context, *ty)).collect();
            let ty = match results.as_slice() {
                [] => context.inkwell().void_type().fn_type(&parameters, false),
                [one] => one.fn_type(&parameters, false),
                many => context.inkwell().struct_type(many, false).fn_type(&parameters, false),
            };
            let overloads = if row.name.matches('.').count() < 2 { Vec::new() } else { vec![results[0]] };
            let intrinsic = Intrinsic::find(&row.name).unwrap_or_else(|| panic!("no {}", row.name));
            let declared = intrinsic.get_declaration(module.inkwell(), &overloads);
            let declared = declared.unwrap_or_else(|| panic!("{} is overloaded otherwise", row.name));
            assert_eq!(declared.get_type(), ty, "{}", row.name);
            assert_eq!(declared.get_name().to_string_lossy(), row.name);
        }
    }

    #[test]
    fn every_argument_and_result_appears_once() {
        for row in rows() {
            let mut arguments = Vec::new();
            let mut results = Vec::new();
            for operand in &row.operands {
                operand.for_each(&mut |operand| match operand {
                    Operand::Result(field) => results.push(*field),
                    Operand::ByteResult => results.push(0),
                    Operand::ResultPair => results.extend([0, 1]),
                    Operand::Argument(i)
                    | Operand::Byte(i)
                    | Operand::Lanes(i)
                    | Operand::Address(i)
                    | Operand::Immediate { argument: i, .. } => arguments.push(*i),
                    Operand::Vector(_)
                    | Operand::Bracket(_)
                    | Operand::Number(_)
                    | Operand::Special(..)
                    | Operand::WarpSize
                    | Operand::Sink
                    | Operand::Padding
                    | Operand::Unread(_) => {}
                });
            }
            arguments.extend(row.unwritten.iter().map(|(argument, _)| *argument));
            arguments.sort_unstable();
            assert_eq!(arguments, (0..row.parameters.len()).collect::<Vec<_>>(), "{}", row.name);
            let leaves = match row.results.as_slice() {
                [Type::Words(lanes) | Type::Floats(lanes)] => *lanes as usize,
                fields => fields.len(),
            };
            assert_eq!(results, (0..leaves).collect::<Vec<_>>(), "{}", row.name);
        }
    }

    #[test]
    fn no_row_is_there_twice() {
        let mut seen = BTreeSet::new();
        for row in rows() {
            let fixed: Vec<_> = row
                .unwritten
                .iter()
                .filter(|(_, unwritten)| matches!(unwritten, Unwritten::Fixed(_)))
                .map(|fixed| format!("{fixed:?}"))
                .collect();
            assert!(seen.insert((row.name.clone(), fixed)), "{} is there twice", row.name);
        }
    }

    #[test]
    fn other_names_have_the_types_of_the_row_that_raising_finds() {
        let others = TABLE.rows.iter().skip(TABLE.by_name.len());
        for other in others.map(|sketch| sketch.row().unwrap()) {
            let own = by_name(&other.name).next().unwrap();
            assert_ne!(other.mnemonic, own.mnemonic, "{}", other.name);
            assert_eq!(
                (&other.results, &other.parameters, &other.operands, &other.unwritten),
                (&own.results, &own.parameters, &own.operands, &own.unwritten)
            );
            assert!(by_mnemonic(other.mnemonic).any(|row| row == other));
        }
    }

    #[test]
    fn the_instruction_table_has_every_mnemonic() {
        for sketch in &TABLE.rows {
            let row = sketch.row().unwrap_or_else(|| panic!("{}: no {}", sketch.name, sketch.mnemonic));
            assert_eq!(row.mnemonic.to_string(), sketch.mnemonic, "{}", sketch.name);
        }
        let both_ways = TABLE
            .by_opcode
            .values()
            .flat_map(|rows| &rows.places)
            .map(|place| TABLE.rows[*place].row().unwrap());
        for row in both_ways {
            assert!(by_mnemonic(row.mnemonic).any(|found| found == row), "{} is not found", row.name);
        }
    }

    #[test]
    fn patterns_expand_in_lockstep() {
        let of = |text: &str| by_mnemonic(Mnemonic::from_text(text).unwrap());
        let shfl = of("shfl.sync.bfly.b32").find(|row| row.has_result_pair()).unwrap();
        assert_eq!(shfl.name, "llvm.nvvm.shfl.sync.bfly.i32p");
        assert_eq!(shfl.results, [Type::Int(32), Type::Int(1)]);
        assert_eq!(shfl.operands.last(), Some(&Operand::Argument(0)));
        let max = by_name("llvm.nvvm.fmax.ftz.nan.xorsign.abs.f16x2").next().unwrap();
        assert_eq!(max.mnemonic.to_string(), "max.ftz.NaN.xorsign.abs.f16x2");
        let lanemask = by_special_register(SpecialReg::LanemaskLt, None).unwrap();
        assert_eq!(lanemask.name, "llvm.nvvm.read.ptx.sreg.lanemask.lt");
        let mulhi = of("mul.hi.u64").next().unwrap();
        assert_eq!(
            (mulhi.name.as_str(), mulhi.results.as_slice()),
            ("llvm.nvvm.mulhi.ull", [Type::Int(64)].as_slice())
        );
    }
}

//! Calls: LLVM's intrinsics, and instructions of PTX, as an intrinsic of NVPTX or as inline assembly, which mean what the
//! definition of the instruction specifies.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use ptx_diag::SourceFile;
use ptx_llvm_core::intrinsics::{self, IntrinsicMapping, Operand, Unwritten};
use ptx_llvm_core::view::{Call, Constant, Symbol, TypeId, Value as Name};

use super::{Datum, Frame};
use crate::prove::memory::Value;
use crate::prove::ptx::{Thread, body_of};
use crate::stage;

/// A text of PTX with the registers that it reads and writes.
#[derive(Default)]
struct Snippet<'t> {
    declarations: String,
    text: String,
    reads: Vec<(String, Value<'t>)>,
    writes: Vec<String>,
}

impl<'t> Frame<'_, 't> {
    pub(super) fn call(&mut self, call: &Call, result: TypeId) -> Result<Datum<'t>> {
        if !call.bundles.is_empty() {
            bail!("a call with bundles");
        }
        let snippet = match call.callee {
            Name::Asm(id) => {
                let asm = self.view.inline_asm(id);
                self.assembly(&asm.text, &asm.constraints, &call.args)?
            }
            Name::Const(id) => {
                let Constant::Symbol(Symbol::Function(function)) = self.view.constant(id) else {
                    bail!("a call of an address")
                };
                let name = self.view.function(*function).name.clone();
                let args: Result<Vec<Datum<'t>>> = call.args.iter().map(|&arg| self.operand(arg)).collect();
                let args = args.with_context(|| name.clone())?;
                let first = call.args.first().and_then(|&arg| self.view.value_type(self.function, arg));
                if let Some(datum) = self.generic(&name, &args, first).with_context(|| name.clone())? {
                    return Ok(datum);
                }
                self.row(&name, &args).with_context(|| format!("`{name}`"))?
            }
            _ => bail!("a call of an address"),
        };
        let mut results = self.execute(&snippet)?.into_iter();
        self.gathered(result, &mut results)
    }

    /// The results as the fields of a structure, each with the width of its type.
    fn gathered(&self, ty: TypeId, results: &mut dyn Iterator<Item = Value<'t>>) -> Result<Datum<'t>> {
        if let ptx_llvm_core::view::Type::Struct { fields } = self.view.ty(ty) {
            let parts = fields.iter().map(|&field| self.gathered(field, results));
            return Ok(Datum::Many(parts.collect::<Result<_>>()?));
        }
        let width = self.width(ty)?;
        let value = results.next().context("a result")?;
        if value.bits.width() == 8 && width == 16 {
            // The bits above a register of 8 bits are unspecified.
            return Ok(Datum::One(value.map(|bits| self.terms.fresh(8).concat(bits))));
        }
        if value.bits.width() < width {
            bail!("a result of {} bits for {width}", value.bits.width());
        }
        self.shaped(value.map(|bits| bits.trunc(width)), ty)
    }

    fn execute(&self, snippet: &Snippet<'t>) -> Result<Vec<Value<'t>>> {
        let head = crate::differential::head(self.home);
        let text = format!("{head}.func snippet()\n{{\n{}{}\n}}\n", snippet.declarations, snippet.text);
        let source = SourceFile::new("snippet.ptx", text.as_str());
        let module = stage::read(&source).with_context(|| text.clone())?;
        let body = body_of(&module, "snippet").context("a body")?;
        let mut thread = Thread::new(self.terms, &module, body);
        for (name, value) in &snippet.reads {
            if let Some(register) = thread.register(name) {
                let width = thread.value(register).bits.width();
                // The bits above a narrower value are unspecified.
                let above = width.saturating_sub(value.bits.width());
                let whole =
                    if above > 0 { value.map(|bits| self.terms.fresh(above).concat(bits)) } else { *value };
                thread.set(register, whole);
            }
        }
        thread.run().with_context(|| snippet.text.clone())?;
        let value = |name: &String| Some(thread.value(thread.register(name)?));
        snippet.writes.iter().map(|name| value(name).context("a result that is not written")).collect()
    }

    /// The instruction that an intrinsic represents.
    fn row(&self, name: &str, args: &[Datum<'t>]) -> Result<Snippet<'t>> {
        let constant = |at: usize| args.get(at).and_then(|arg| arg.one().ok()?.bits.as_number());
        let fits = |row: &&IntrinsicMapping| {
            row.unwritten.iter().all(|(at, unwritten)| match unwritten {
                Unwritten::Fixed(value) => constant(*at) == Some(u128::from(*value)),
                Unwritten::Alignment | Unwritten::Ignored => true,
            })
        };
        let row = intrinsics::by_name(name).find(fits).context("no row of the table of intrinsics")?;
        let mut snippet = Snippet::default();
        for (at, ty) in row.results.iter().enumerate() {
            let is_byte = row.operands.contains(&Operand::ByteResult);
            let ty = if is_byte { "b8" } else { declared(*ty)? };
            let _ = writeln!(snippet.declarations, ".reg .{ty} %d{at};");
            snippet.writes.push(format!("%d{at}"));
        }
        for (at, (ty, arg)) in row.parameters.iter().zip(args).enumerate() {
            if let Datum::Many(lanes) = arg
                && ty.is_lanes()
            {
                for (lane, value) in lanes.iter().enumerate() {
                    let value = value.one()?;
                    let _ = writeln!(snippet.declarations, ".reg .b{} %a{at}_{lane};", value.bits.width());
                    snippet.reads.push((format!("%a{at}_{lane}"), value));
                }
                continue;
            }
            let is_byte = row.operands.contains(&Operand::Byte(at));
            let (ty, value) = if is_byte {
                ("b8", arg.flat()?.map(|bits| bits.trunc(8)))
            } else {
                (declared(*ty)?, arg.flat()?)
            };
            let _ = writeln!(snippet.declarations, ".reg .{ty} %a{at};");
            snippet.reads.push((format!("%a{at}"), value));
        }
        let mut operands = Vec::new();
        for operand in &row.operands {
            let operand = if let Operand::Unread(own) = operand { own } else { operand };
            operands.push(match operand {
                Operand::Result(0) | Operand::ByteResult => "%d0".to_owned(),
                Operand::ResultPair => "%d0|%d1".to_owned(),
                Operand::Argument(at) | Operand::Byte(at) => format!("%a{at}"),
                Operand::Lanes(at) => {
                    let lanes = args.get(*at).context("an argument")?.many()?.len();
                    let lanes: Vec<String> = (0..lanes).map(|lane| format!("%a{at}_{lane}")).collect();
                    format!("{{{}}}", lanes.join(", "))
                }
                Operand::Immediate { argument, .. } => {
                    constant(*argument).context("a constant argument")?.to_string()
                }
                Operand::Number(number) => number.to_string(),
                _ => bail!("an operand of this kind"),
            });
        }
        let _ = write!(snippet.text, "{} {};", row.mnemonic, operands.join(", "));
        Ok(snippet)
    }

    /// Inline assembly: its operands become registers.
    fn assembly(&mut self, text: &str, constraints: &str, args: &[Name]) -> Result<Snippet<'t>> {
        let mut snippet = Snippet::default();
        let mut names = Vec::new();
        let mut args = args.iter();
        for (at, constraint) in constraints.split(',').enumerate() {
            if constraint.starts_with('~') {
                continue;
            }
            let letter = constraint.trim_start_matches(['=', '&']);
            let name = format!("%op{at}");
            if constraint.starts_with('=') {
                let _ = writeln!(snippet.declarations, ".reg .{} {name};", register(letter)?);
                snippet.writes.push(name.clone());
                names.push(name);
                continue;
            }
            let value = self.operand(*args.next().context("an argument")?)?.flat()?;
            if let Ok(tied) = letter.parse::<usize>() {
                let tied: &String = names.get(tied).context("a tied operand")?;
                snippet.reads.push((tied.clone(), value));
                names.push(tied.clone());
            } else if matches!(letter, "n" | "i") {
                names.push(value.bits.as_number().context("a constant operand")?.to_string());
            } else {
                let _ = writeln!(snippet.declarations, ".reg .{} {name};", register(letter)?);
                snippet.reads.push((name.clone(), value));
                names.push(name);
            }
        }
        snippet.text = substituted(text, &names)?;
        Ok(snippet)
    }
}

/// The text with its operands, `$0` or `${0}`, named; `$$` is a dollar sign.
fn substituted(text: &str, names: &[String]) -> Result<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out += before;
        if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        let braced = after.strip_prefix('{');
        let digits = braced.unwrap_or(after);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (number, after) = digits.split_at(end);
        out += names.get(number.parse::<usize>()?).context("an operand that is not there")?;
        rest = if braced.is_some() { after.strip_prefix('}').context("a brace")? } else { after };
    }
    Ok(out + rest)
}

/// The type of a register that a constraint asks for.
fn register(letter: &str) -> Result<&'static str> {
    Ok(match letter {
        "b" => "pred",
        "c" | "h" => "b16",
        "r" => "b32",
        "l" => "b64",
        "f" => "f32",
        "d" => "f64",
        "q" => "b128",
        _ => bail!("the constraint `{letter}`"),
    })
}

/// The type of a register that holds a value of an intrinsic.
fn declared(ty: intrinsics::Type) -> Result<&'static str> {
    use intrinsics::Type;
    Ok(match ty {
        Type::Int(1) => "pred",
        Type::Int(16) | Type::F16 | Type::Bf16 => "b16",
        Type::Int(32) | Type::F16x2 | Type::Bf16x2 | Type::Bytes(4) => "b32",
        Type::F32 => "f32",
        Type::Int(64) => "b64",
        Type::F64 => "f64",
        Type::Int(128) => "b128",
        _ => bail!("a value of this type"),
    })
}

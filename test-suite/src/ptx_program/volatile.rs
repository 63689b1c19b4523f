//! Volatile accesses, of local variables above all: each is one instruction of its own (manual 8.4.2), also where no result depends on it.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, ensure};
use ptx_diag::SourceFile;
use ptx_exec::Observation;

use super::Program;
use super::generate::Generator;
use super::judge::launch;
use super::syntax::*;
use crate::stage;

/// Bytes of a variable: two of the widest accesses.
const BYTES: u32 = 64;

/// The types and numbers of elements of accesses, and of those that only global memory has, on sm_100.
const SHAPES: &[(u32, u32)] =
    &[(8, 1), (16, 1), (32, 1), (32, 1), (64, 1), (64, 1), (8, 4), (16, 2), (32, 2), (32, 4), (64, 2)];
const WIDE: &[(u32, u32)] = &[(32, 8), (64, 4)];

pub(super) fn episode(g: &mut Generator) {
    // Two variables next to each other, whose accesses must not be taken for one.
    let space = *g.choose(&[Space::Local, Space::Local, Space::Local, Space::Global, Space::Shared]);
    let variables = [0; 2].map(|_| g.place(space, Type::b(8), Some(BYTES), 32));
    let accesses = |g: &mut Generator| {
        for variable in variables {
            for offset in (0..i64::from(BYTES)).step_by(8) {
                let from = g.value(64);
                g.store_to(variable, offset, Type::b(64), from);
            }
        }
        for _ in 0..g.rng.usize(4..12) {
            let variable = *g.choose(&variables);
            access(g, variable, space);
        }
    };
    if space == Space::Local { accesses(g) } else { g.alone(accesses) }
}

/// A load or store at an address that is written out, computed, or generic.
fn access(g: &mut Generator, variable: VariableId, space: Space) {
    let is_wide = space == Space::Global && g.sm >= 100 && g.rng.bool();
    let (bits, lanes) = *g.choose(if is_wide { WIDE } else { SHAPES });
    let (ty, bytes) = (Type::b(bits), bits / 8 * lanes);
    let offset = i64::from(g.rng.u32(..BYTES / bytes) * bytes);
    let mut at = Address { base: Base::Variable(variable), offset };
    let mut named = Some(space);
    if g.rng.bool() {
        let to = g.register(64);
        g.statement(What::AddressOf { ty: Type::u(64), to, variable, offset: 0 });
        at.base = Base::Register(to);
        if !is_wide && g.rng.bool() {
            let generic = g.register(64);
            g.statement(What::ConvertAddress { space, back: false, to: generic, from: to });
            (at.base, named) = (Base::Register(generic), None);
        }
    }
    let qualifier = if g.one_in(4) { "" } else { ".volatile" };
    let is_seen = g.rng.bool();
    // What a load under a guard leaves is not known.
    let guard = if g.one_in(4) { Some((g.predicate(), g.rng.bool())) } else { None };
    if g.rng.bool() {
        let values = stored(g, bits.max(16), lanes);
        let what = What::Store { qualifier, space: named, ty, from: gathered(values), at };
        g.guarded(guard, what);
    } else {
        let registers: Vec<Register> = (0..lanes).map(|_| g.register(bits.max(16))).collect();
        let to = gathered(registers.iter().copied().map(Operand::Register).collect());
        g.guarded(guard, What::Load { qualifier, space: named, ty, to, at });
        if is_seen && guard.is_none() && g.room() {
            for register in registers {
                g.observe(register, Type::b(bits.max(16)));
            }
        }
    }
}

/// The values of the elements of a store, without a constant where an element of a vector register is, too: `ptxas` refuses that.
fn stored(g: &mut Generator, bits: u32, lanes: u32) -> Vec<Operand> {
    let mut values: Vec<Operand> = (0..lanes).map(|_| g.value(bits)).collect();
    let vectors = &g.current.function.vectors;
    let is_component = |value: &Operand| match value {
        Operand::Register(register) => vectors.iter().any(|vector| vector.lanes.contains(register)),
        Operand::Immediate(_) => false,
    };
    if values.iter().any(is_component) {
        for value in &mut values {
            *value = Operand::Register(g.in_register(*value, bits));
        }
    }
    values
}

fn gathered(mut lanes: Vec<Operand>) -> Lanes {
    match lanes.pop() {
        Some(one) if lanes.is_empty() => Lanes::One(one),
        last => {
            lanes.extend(last);
            Lanes::Braces(lanes)
        }
    }
}

/// The version that a text needs, and that others have who need less.
pub(super) fn version(text: &str) -> &'static str {
    let wide = [".v8.", ".v4.b64"];
    match text {
        _ if text.contains(".volatile.local.") => "9.1",
        _ if wide.iter().any(|shape| text.contains(shape)) => "8.8",
        _ => "8.6",
    }
}

/// How often threads execute a volatile load (true) or store of so many bytes.
pub(super) type Accesses = BTreeMap<(bool, u32), u64>;

/// The volatile accesses that a program's threads execute in `ptx`, which is the program or what became of it.
///
/// # Errors
/// When it cannot be executed.
pub(super) fn accesses(program: &Program, ptx: &str) -> Result<Accesses> {
    let source = SourceFile::new("program.ptx", ptx.replace("trap;", "exit;"));
    let module = stage::read(&source)?;
    let verified = stage::verify(&module, &source)?;
    let observation = Observation { profile: true, ..Observation::default() };
    let observed = ptx_exec::run_observed(verified, &launch(program), &observation);
    observed.result.map_err(|error| anyhow!("execute: {error}"))?;
    let mut all = Accesses::new();
    for one in observed.profile.iter().filter(|one| one.instruction.contains(".volatile")) {
        let bytes = bytes(&one.instruction)?;
        *all.entry((one.instruction.starts_with("ld"), bytes)).or_default() += one.counts.threads;
    }
    Ok(all)
}

/// The bytes of an access: `ld.volatile.global.v2.b32` has 8.
fn bytes(mnemonic: &str) -> Result<u32> {
    let number = |word: &str| word.get(1..).and_then(|digits| digits.parse::<u32>().ok());
    let words: Vec<&str> = mnemonic.split('.').collect();
    let is_vector = |word: &&&str| word.starts_with('v') && number(word).is_some();
    let lanes = words.iter().find(is_vector);
    let bits = words.last().filter(|word| !is_vector(word)).and_then(|word| number(word)).unwrap_or_default();
    ensure!(bits > 0, "`{mnemonic}` has no type");
    Ok(bits / 8 * lanes.and_then(|word| number(word)).unwrap_or(1))
}

/// Holds that `ptx` has the volatile accesses of the program, of which each is one.
///
/// # Errors
/// Says which are more or fewer.
pub(super) fn compare(program: &Program, ptx: &str) -> Result<()> {
    let (found, wanted) = (accesses(program, ptx)?, accesses(program, &program.text)?);
    let kinds = wanted.keys().chain(found.keys()).copied();
    for kind @ (is_load, bytes) in kinds {
        let [found, wanted] = [&found, &wanted].map(|all| all.get(&kind).copied().unwrap_or_default());
        let what = if is_load { "loads" } else { "stores" };
        ensure!(found == wanted, "volatile: {found} {what} of {bytes} bytes instead of {wanted}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn an_access_has_the_bytes_of_its_elements() {
        let of = |mnemonic| bytes(mnemonic).ok();
        assert_eq!(of("ld.volatile.local.b32"), Some(4));
        assert_eq!(of("st.volatile.global.v8.b32"), Some(32));
        assert_eq!(of("ld.volatile.v4.u8"), Some(4));
        assert_eq!(of("ld.volatile.v4"), None);
    }
}

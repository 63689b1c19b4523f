//! `ptx-choose-addresses`: constant tables of addresses that PTX cannot write as initial values (manual 5.4.4): those of shared variables, which each block has
//! its own of.
//!
//! LLVM makes such a table of a `switch` that only chooses a variable; programs for other targets have them in their source. What is loaded
//! from it is chosen by the offset instead:
//!
//! ```text
//! @t = private constant [3 x ptr addrspace(3)] [ptr addrspace(3) @a, ptr addrspace(3) @b, ptr addrspace(3) @c]
//!
//! %p = getelementptr ptr addrspace(3), ptr @t, i64 %i
//! %v = load ptr addrspace(3), ptr %p
//! ```
//!
//! becomes
//!
//! ```text
//! %at = ptrtoint ptr (getelementptr ptr addrspace(3), ptr null, i64 %i) to i64
//! %is_a = icmp ult i64 %at, 8
//! %is_b = icmp ult i64 %at, 16
//! %b_or_c = select i1 %is_b, ptr addrspace(3) @b, ptr addrspace(3) @c
//! %v = select i1 %is_a, ptr addrspace(3) @a, ptr addrspace(3) %b_or_c
//! ```
//!
//! A table that is used in any other way stays as it is.

use std::collections::{HashMap, HashSet};

use ptx_llvm_core::build::{BinaryOp, CastOp, IntPredicate};
use ptx_llvm_core::edit::{
    AtomicOrder, Builder, Editor, Function, GepFlags, Inst, Layout, Opcode, Type, TypeKind, Value, Variable,
    edit,
};
use ptx_llvm_core::{LlvmError, Module, address_space};

use crate::pass::{Pass, Run, When};

#[cfg(test)]
mod tests;

/// Runs after each of LLVM's passes, which make such tables, and before raising.
pub(crate) const PASS: Pass = Pass {
    name: "ptx-choose-addresses",
    summary: "Replaces loads from constant tables of shared addresses, which PTX cannot initialize, by selections.",
    when: When::AfterEachOfLlvm,
    run: Run::Module(choose),
    parameters: &[],
};

/// A table of more values is chosen from by a function, if it is loaded from more than once.
const MOST_IN_PLACE: usize = 32;

/// Tables of more values stay: that is data, not choices of a program.
const MOST_VALUES: usize = 1 << 16;

/// Replaces loads from such tables, and removes the tables.
///
/// # Errors
///
/// What the editor refuses, which a valid module does not lead to.
pub fn choose_addresses(module: &mut Module<'_>) -> Result<(), LlvmError> {
    edit(module, choose)
}

fn choose(editor: &Editor<'_>) -> Result<(), LlvmError> {
    let layout = editor.layout();
    let tables: Vec<Variable<'_>> = editor.variables().filter(|variable| is_table(*variable)).collect();
    for variable in tables {
        if let Some(table) = Table::of(editor, &layout, variable) {
            table.replace(editor)?;
        }
    }
    Ok(())
}

/// Whether a variable is constant, cannot be replaced by another definition, and has the address of a shared variable in its value.
fn is_table(variable: Variable<'_>) -> bool {
    variable.is_constant()
        && variable.is_definitive()
        && variable.initializer().is_some_and(has_shared_address)
}

/// Whether a constant refers to a shared variable.
fn has_shared_address(constant: Value<'_>) -> bool {
    let (mut work, mut seen) = (vec![constant], HashSet::new());
    while let Some(constant) = work.pop() {
        if !seen.insert(constant) {
            continue;
        }
        if constant.as_variable().is_some() {
            if constant.ty().pointer_space() == Some(address_space::SHARED) {
                return true;
            }
        } else if !constant.is_symbol() {
            work.extend(constant.operands());
        }
    }
    false
}

/// A table, all of whose uses are loads.
struct Table<'a, 'e> {
    variable: Variable<'e>,
    layout: &'a Layout<'e>,
    /// Its values in the order of their offsets, which are in bytes.
    values: Vec<(u64, Value<'e>)>,
    /// The loads, each with its pointer.
    loads: Vec<(Inst<'e>, Value<'e>)>,
    /// The addresses that instructions compute from the variable's.
    derived: Vec<Inst<'e>>,
}

impl<'a, 'e> Table<'a, 'e> {
    /// `None` of a table with other uses, or of values that its loads do not load as they are.
    fn of(editor: &Editor<'e>, layout: &'a Layout<'e>, variable: Variable<'e>) -> Option<Self> {
        let mut table =
            Table { variable, layout, values: Vec::new(), loads: Vec::new(), derived: Vec::new() };
        table.add_values(variable.initializer()?, 0)?;
        let mut work = vec![variable.value()];
        while let Some(pointer) = work.pop() {
            for user in editor.users(pointer) {
                match (Use::of(user, pointer)?, user.as_inst()) {
                    (Use::Load, Some(load)) => table.loads.push((load, pointer)),
                    (Use::Load, None) => return None,
                    (Use::Address, inst) => {
                        table.derived.extend(inst);
                        work.push(user);
                    }
                }
            }
        }
        let fits = |load: Inst<'e>| table.values.iter().any(|(_, value)| value.ty() == load.ty());
        table.loads.iter().all(|(load, _)| fits(*load)).then_some(table)
    }

    fn add_values(&mut self, constant: Value<'e>, at: u64) -> Option<()> {
        let ty = constant.ty();
        let count = match ty.kind() {
            TypeKind::Array { length, .. } => length,
            TypeKind::Struct(count) => u64::from(count),
            _ => {
                self.values.push((at, constant));
                return (self.values.len() <= MOST_VALUES).then_some(());
            }
        };
        if count > MOST_VALUES as u64 {
            return None;
        }
        for element in 0..count as u32 {
            let value = constant.element(element)?;
            let offset = match ty.kind() {
                TypeKind::Array { element: ty, .. } => u64::from(element) * self.layout.abi_size(ty)?,
                _ => self.layout.field_offset(ty, element)?,
            };
            self.add_values(value, at + offset)?;
        }
        Some(())
    }

    fn replace(&self, editor: &Editor<'e>) -> Result<(), LlvmError> {
        let mut choosers: HashMap<Type<'e>, Function<'e>> = HashMap::new();
        for &(load, pointer) in &self.loads {
            let builder = editor.before(load)?;
            let offset = self.offset(editor, pointer, builder)?;
            let ty = load.ty();
            let values = self.values_of(ty);
            let chosen = if values.len() > MOST_IN_PLACE && self.loads.len() > 1 {
                let function = match choosers.get(&ty) {
                    Some(known) => *known,
                    None => self.chooser(editor, ty)?,
                };
                choosers.insert(ty, function);
                builder.call(function, &[offset])?
            } else {
                choice(builder, offset, &values)?
            };
            editor.replace(load, chosen)?;
        }
        // Those that are derived from others were found after them.
        for address in self.derived.iter().rev() {
            editor.erase(*address)?;
        }
        editor.erase_variable(self.variable);
        Ok(())
    }

    /// The values that a load of a type may give. An offset between two of them is undefined behaviour.
    fn values_of(&self, ty: Type<'e>) -> Vec<(u64, Value<'e>)> {
        self.values.iter().copied().filter(|(_, value)| value.ty() == ty).collect()
    }

    /// The offset in bytes of an address from the table's, as an integer of 64 bits. The pointer is the variable or derived from it.
    fn offset(
        &self,
        editor: &Editor<'e>,
        mut pointer: Value<'e>,
        builder: Builder<'_, 'e>,
    ) -> Result<Value<'e>, LlvmError> {
        let word = editor.integer(64);
        let mut sum = word.zero()?;
        while pointer != self.variable.value() {
            if pointer.opcode() == Some(Opcode::GetElementPtr) {
                let step = match self.constant_step(pointer) {
                    Some(step) => word.number(step as i64)?,
                    None => step_of(builder, pointer, word)?,
                };
                sum = builder.binary(BinaryOp::Add, sum, step)?;
            }
            let Some(base) = pointer.operand(0) else { break };
            pointer = base;
        }
        Ok(sum)
    }

    /// How far a `getelementptr` with constant indices goes, as a number that wraps.
    fn constant_step(&self, pointer: Value<'e>) -> Option<u64> {
        // Each index is of the type that the ones before lead to, as LLVM's verifier demands.
        let mut ty = pointer.gep_source()?;
        let mut step = 0_u64;
        for (at, index) in pointer.operands().skip(1).enumerate() {
            let number = index.as_signed()? as u64;
            if at > 0 {
                let field = match ty.kind() {
                    TypeKind::Struct(_) => Some(u32::try_from(number).ok()?),
                    _ => None,
                };
                if let Some(field) = field {
                    step = step.wrapping_add(self.layout.field_offset(ty, field)?);
                    ty = ty.field(field)?;
                    continue;
                }
                ty = match ty.kind() {
                    TypeKind::Array { element, .. } | TypeKind::Vector { element, .. } => element,
                    _ => return None,
                };
            }
            step = step.wrapping_add(number.wrapping_mul(self.layout.abi_size(ty)?));
        }
        Some(step)
    }

    /// A function that gives the value at an offset.
    fn chooser(&self, editor: &Editor<'e>, ty: Type<'e>) -> Result<Function<'e>, LlvmError> {
        let word = editor.integer(64);
        let name = [&self.variable.name()[..], b".at"].concat();
        let (function, block) = editor.add_function(&name, ty, &[word])?;
        let builder = editor.at_end(block);
        if let Some(offset) = function.parameter(0) {
            let value = choice(builder, offset, &self.values_of(ty))?;
            builder.ret(value)?;
        }
        Ok(function)
    }
}

/// How an address of a table is used.
enum Use {
    /// What it points to is loaded.
    Load,
    /// Another address is computed from it.
    Address,
}

impl Use {
    /// `None` of all other uses; the user has the pointer as an operand.
    fn of<'e>(user: Value<'e>, pointer: Value<'e>) -> Option<Self> {
        let is_pointer = user.ty().pointer_space().is_some();
        match user.opcode()? {
            Opcode::Load => {
                let load = user.as_inst()?;
                let is_plain = load.memory_order()?.0 == AtomicOrder::NotAtomic && !load.is_volatile();
                is_plain.then_some(Use::Load)
            }
            Opcode::GetElementPtr if user.operand(0) == Some(pointer) && is_pointer => Some(Use::Address),
            Opcode::AddrSpaceCast if is_pointer => Some(Use::Address),
            _ => None,
        }
    }
}

/// How far a `getelementptr` goes, from an address of zero.
fn step_of<'e>(builder: Builder<'_, 'e>, pointer: Value<'e>, word: Type<'e>) -> Result<Value<'e>, LlvmError> {
    let (Some(ty), Some(base)) = (pointer.gep_source(), pointer.operand(0)) else {
        return Err(LlvmError::Other { message: format!("no getelementptr: {pointer:?}") });
    };
    let indices: Vec<Value<'e>> = pointer.operands().skip(1).collect();
    let step = builder.gep(ty, base.ty().zero()?, &indices, GepFlags::default())?;
    builder.cast(CastOp::PtrToInt, step, word)
}

/// The value at an offset, by halves: as many comparisons one after another as the number of values has bits. The values are of one type, at least
/// one.
fn choice<'e>(
    builder: Builder<'_, 'e>,
    offset: Value<'e>,
    values: &[(u64, Value<'e>)],
) -> Result<Value<'e>, LlvmError> {
    let (low, high) = values.split_at(values.len() / 2);
    let Some(&(first, value)) = high.first() else {
        return Err(LlvmError::Other { message: "a load of a type that the table does not have".to_owned() });
    };
    if low.is_empty() {
        return Ok(value);
    }
    if let Some(offset_number) = offset.as_unsigned() {
        return choice(builder, offset, if offset_number >= first { high } else { low });
    }
    let (low, high) = (choice(builder, offset, low)?, choice(builder, offset, high)?);
    if low == high {
        return Ok(low);
    }
    let bound = offset.ty().number(first as i64)?;
    let is_low = builder.int_compare(IntPredicate::Ult, offset, bound)?;
    builder.select(is_low, low, high)
}

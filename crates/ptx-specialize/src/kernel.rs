//! The copy of a kernel in which what is assumed is constant.

use std::collections::HashMap;

use ptx_ir::{
    AddressBase, At, Body, Function, FunctionDirective, FunctionId, Immediate, Inst, Literal, Module,
    Operand, Param, RegId, Stmt, Symbol, VarId,
};
use ptx_isa::{Component, MemorySem, Mnemonic, ScalarType, Sem, SpecialReg, StateSpace, TypeKind, ptx};

use crate::read_only::load_through_read_only;
use crate::{Assumptions, SpecializeError, values};

/// Adds the copy, with parameters and variables of its own, without an item for it.
pub(crate) fn copy(
    module: &mut Module,
    original: FunctionId,
    name: &str,
    assumptions: &Assumptions,
) -> Result<FunctionId, SpecializeError> {
    let mut function = module.function(original).clone();
    let original = module.name(function.name).to_owned();
    let values = values::of_parameters(module, &original, &function.params, assumptions)?;
    function.name = module.strings.intern(name);
    let own = own_variables(module, &mut function);
    let values: HashMap<VarId, Vec<u8>> =
        values.into_iter().map(|(id, bytes)| (own.get(&id).copied().unwrap_or(id), bytes)).collect();
    if let Some(body) = &mut function.body {
        replace_special_registers(body, assumptions);
        replace_loads(body, &values);
        if assumptions.noalias {
            load_through_read_only(body, &function.params);
        }
    }
    if let Some(block) = assumptions.block {
        let says_block = |directive: &FunctionDirective| {
            matches!(directive, FunctionDirective::ReqNtid(_) | FunctionDirective::MaxNtid(_))
        };
        function.directives.retain(|(directive, _)| !says_block(directive));
        function.directives.insert(0, (FunctionDirective::ReqNtid(block.map(Some)), At::default()));
    }
    Ok(module.add_function(function))
}

/// Gives the function copies of its parameters and variables, and returns them by the original.
fn own_variables(module: &mut Module, function: &mut Function) -> HashMap<VarId, VarId> {
    let mut own = HashMap::new();
    let mut copied = |id: &mut VarId| {
        let copy = module.add_variable(module.variable(*id).clone());
        own.insert(*id, copy);
        *id = copy;
    };
    for param in &mut function.params {
        if let Param::Variable(id) = param {
            copied(id);
        }
    }
    if let Some(body) = &mut function.body {
        for statement in &mut body.statements {
            if let Stmt::Variable(id) = statement {
                copied(id);
            }
        }
        // Default: variables of the module are shared.
        body.map_variables(|id| own.get(&id).copied().unwrap_or(id));
    }
    // Default: as above.
    let map = |id: VarId| own.get(&id).copied().unwrap_or(id);
    for &copy in own.values() {
        if let Some(init) = &mut module.variables[copy.0 as usize].init {
            init.map_variables(&map);
        }
    }
    own
}

/// `mov.u32 %r1, %ntid.x` --> `mov.u32 %r1, 256`
fn replace_special_registers(body: &mut Body, assumptions: &Assumptions) {
    let constant = |operand: Operand| {
        let Operand::Special(register, Some(component)) = operand else { return operand };
        let extent = |extents: Option<[u32; 3]>| {
            let at = match component {
                Component::X => 0,
                Component::Y => 1,
                Component::Z => 2,
                _ => return None,
            };
            extents.map(|extents| extents[at])
        };
        let value = match register {
            SpecialReg::Ntid => extent(assumptions.block),
            SpecialReg::NCtaId => extent(assumptions.grid),
            // The only index.
            SpecialReg::Tid => extent(assumptions.block).filter(|&extent| extent == 1).map(|_| 0),
            SpecialReg::CtaId => extent(assumptions.grid).filter(|&extent| extent == 1).map(|_| 0),
            _ => None,
        };
        value.map_or(operand, |value| Operand::Immediate(Immediate::integer(value.into())))
    };
    body.map_operands(constant);
}

/// `ld.param.u32 %r1, [n]` --> `mov.b32 %r1, 5000`
///
/// Other uses of a parameter stay: it has the same value in memory.
fn replace_loads(body: &mut Body, values: &HashMap<VarId, Vec<u8>>) {
    let statements = std::mem::take(&mut body.statements);
    for statement in statements {
        let moves = match &statement {
            Stmt::Inst(inst) => constants_of_load(body, inst, values),
            _ => None,
        };
        match moves {
            Some(moves) => body.statements.extend(moves.into_iter().map(Stmt::Inst)),
            None => body.statements.push(statement),
        }
    }
}

/// The moves that a load of a parameter with a known value is; absent if it is another instruction, or one of its results cannot be written so.
fn constants_of_load(body: &mut Body, inst: &Inst, values: &HashMap<VarId, Vec<u8>>) -> Option<Vec<Inst>> {
    let is_load = inst.mnemonic.sem() == Sem::Memory(MemorySem::Load)
        && matches!(inst.mnemonic.space(), Some(StateSpace::Param | StateSpace::ParamEntry));
    if !is_load {
        return None;
    }
    let operands = body.operands(inst);
    let (bytes, offset) = operands.iter().find_map(|operand| match operand {
        Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), offset) => {
            Some((values.get(id)?, usize::try_from(*offset).ok()?))
        }
        _ => None,
    })?;
    let destinations: Vec<Operand> = match operands.first()? {
        Operand::Vector(list) => body.list(*list).to_vec(),
        other => vec![*other],
    };
    let ty = inst.mnemonic.scalar_type()?;
    let size = ty.bytes() as usize;
    let mut moves = Vec::new();
    for (number, destination) in destinations.into_iter().enumerate() {
        let register = match destination {
            Operand::Register(register) => register,
            Operand::Sink => continue,
            _ => return None,
        };
        let at = offset + number * size;
        let read = bytes.get(at..at.checked_add(size)?)?;
        let (mnemonic, constant) = constant(body, register, ty, read)?;
        moves.push((mnemonic, register, constant));
    }
    let instruction = |(mnemonic, register, constant): (Mnemonic, RegId, Immediate)| {
        let span = inst.at.0;
        let operands = [Operand::Register(register), Operand::Immediate(constant)].map(|one| (one, span));
        Inst { mnemonic, operands: body.add_list(operands), ..inst.clone() }
    };
    Some(moves.into_iter().map(instruction).collect())
}

/// The move of a loaded value to a register, which may be wider than the loaded type.
fn constant(body: &Body, register: RegId, ty: ScalarType, read: &[u8]) -> Option<(Mnemonic, Immediate)> {
    let mut all = [0; 8];
    all.get_mut(..read.len())?.copy_from_slice(read);
    let bits = u64::from_le_bytes(all);
    let loaded = ty.bits();
    let unused = 64 - loaded;
    let extended = match ty.kind() {
        TypeKind::Signed => ((bits << unused) as i64 >> unused) as u64,
        _ => bits,
    };
    let own = body.reg_type(register);
    let (mnemonic, width) = match own.bits() {
        16 => (ptx!("mov.b16"), 16),
        32 => (ptx!("mov.b32"), 32),
        64 => (ptx!("mov.b64"), 64),
        _ => return None,
    };
    let value = extended & u64::MAX >> (64 - width);
    Some(match own {
        ScalarType::F32 => (ptx!("mov.f32"), Immediate::F32(value as u32, Literal::Plain)),
        ScalarType::F64 => (ptx!("mov.f64"), Immediate::F64(value, Literal::Plain)),
        _ => match i64::try_from(value) {
            Ok(value) => (mnemonic, Immediate::integer(value)),
            Err(_) => (mnemonic, Immediate::U64(value, Literal::Plain)),
        },
    })
}

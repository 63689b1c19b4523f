//! Registers and local variables of a module as parameters: the rules of [`crate::thread_state`] in terms of functions.
//!
//! Each thread has one set of them, which all functions that it calls share. A verified module with such declarations is transformed to one without
//! them and with the same semantics, so that lowering and the interpreter need no rules for them: the kernel has the registers and variables, a
//! function has the registers that it or its callees use as parameters and returns them, and has the addresses of the variables as parameters.
//!
//! ```text
//! .reg .u32 r;                                what is read, printed and verified
//! .local .u32 a[4];
//! .func f() { ld.local.u32 r, [a]; ret; }
//! .entry k() { call f; .. }
//!
//! .func (.reg .u32 r) f(.reg .u32 r, .reg .u64 a) { ld.local.u32 r, [a]; ret; }
//! .entry k() { .reg .u32 r; .local .u32 a[4]; .reg .u64 t; mov.u64 t, a; call (r), f, (r, t); .. }
//! ```

use ptx_ir::{
    AddressBase, At, Body, FunctionId, FunctionKind, Inst, Item, Linkage, Module, Operand, Param, RegDecl,
    RegDeclId, RegId, Register, Stmt, Symbol, VarId, VectorShape, ZeroOffsets,
};
use ptx_isa::{ControlSem, Mnemonic, ScalarType, Sem, ptx};

use crate::thread_state::{Used, declared, registers, used};

/// Whether a module declares registers or local variables outside of functions.
pub(crate) fn is_needed(module: &Module) -> bool {
    declared(module).is_some()
}

/// Passes the module's registers and local variables from function to function.
pub(crate) fn hand_over(module: &mut Module) {
    let used = used(module);
    for id in module.function_ids() {
        // The body is taken out of the module while it is rewritten, since new names and variables go into the module meanwhile.
        let Some(mine) = used.get(id.0 as usize).filter(|used| !used.is_empty()) else { continue };
        let Some(mut body) = module.functions.get_mut(id.0 as usize).and_then(|f| f.body.take()) else {
            continue;
        };
        let is_kernel = module.function(id).kind == FunctionKind::Kernel;
        let at = module.function(id).at;
        let registers = own_registers(module, &mut body, mine, at);
        let locals = match is_kernel {
            true => own_variables(module, &mut body, mine),
            false => own_addresses(module, &mut body, mine, at),
        };
        pass_on(module, &mut body, &used, &registers, &locals);
        if !is_kernel {
            let param = |register: RegId| {
                body.registers.get(register.index()).map(|found| Param::Register(found.decl, register))
            };
            let passed: Vec<Param> = registers.iter().filter_map(|(_, own)| param(*own)).collect();
            let addresses = locals.iter().filter_map(|(_, local)| match local {
                Local::Address(register) => param(*register),
                Local::Variable(_) => None,
            });
            let function = &mut module.functions[id.0 as usize];
            function.results.extend(&passed);
            function.params.extend(passed.into_iter().chain(addresses));
        }
        module.functions[id.0 as usize].body = Some(body);
        if !is_kernel {
            declare_alike(module, id);
        }
    }
    let locals: Vec<VarId> = crate::thread_state::locals(module).collect();
    module.items.retain(|item| match item {
        Item::Registers(..) => false,
        Item::Variable(id) => !locals.contains(id),
        _ => true,
    });
}

/// Gives the declarations of a function the same parameters.
fn declare_alike(module: &mut Module, id: FunctionId) {
    let defined = module.function(id).clone();
    let Some(body) = defined.body else { return };
    let mut held = Body::default();
    (held.reg_decls, held.registers) = (body.reg_decls, body.registers);
    for function in &mut module.functions {
        if function.name == defined.name && function.body.is_none() {
            function.results.clone_from(&defined.results);
            function.params.clone_from(&defined.params);
            function.reg_params = Some(Box::new(held.clone()));
        }
    }
}

/// How a function accesses a local variable of the module.
#[derive(Clone, Copy)]
enum Local {
    /// The kernel has the variable.
    Variable(VarId),
    /// Its functions have its address.
    Address(RegId),
}

/// Declares a register of the function for each of the module's.
fn own_registers(
    module: &mut Module,
    body: &mut Body,
    used: &Used,
    at: At,
) -> Vec<((RegDeclId, u32), RegId)> {
    let mentioned: Vec<_> = registers(body).collect();
    body.module_registers.clear();
    let own = used.registers.iter().filter_map(|&(outer, number)| {
        let declared = module.registers.get(outer.0 as usize)?;
        let (ty, shape) = (declared.ty, declared.shape);
        let name = match declared.count {
            None => declared.name,
            Some(_) => {
                let name = format!("{}{number}", module.strings.get(declared.name));
                module.strings.intern(&name)
            }
        };
        let decl = RegDeclId(body.reg_decls.len() as u32);
        body.reg_decls.push(RegDecl { name, ty, shape, count: None, at });
        let register = Register { decl, number: 0 };
        // A register that the body mentions has a number there, in operands all over it; that number now means the function's own register. One that
        // only a callee uses gets a new number.
        let found = mentioned.iter().find(|(there, at, _)| (*there, *at) == (outer, number));
        let place = match found {
            Some((.., place)) => {
                body.registers[*place] = register;
                *place
            }
            None => {
                body.registers.push(register);
                body.registers.len() - 1
            }
        };
        Some(((outer, number), RegId(place as u32)))
    });
    own.collect()
}

/// Replaces the module's variables by variables of the kernel.
fn own_variables(module: &mut Module, body: &mut Body, used: &Used) -> Vec<(VarId, Local)> {
    let mut locals = Vec::new();
    for (place, &outer) in used.locals.iter().enumerate() {
        let mut variable = module.variable(outer).clone();
        variable.linkage = Linkage::Internal;
        let own = module.add_variable(variable);
        body.statements.insert(place, Stmt::Variable(own));
        locals.push((outer, own));
    }
    body.map_variables(|id| locals.iter().find(|(outer, _)| *outer == id).map_or(id, |(_, own)| *own));
    locals.into_iter().map(|(outer, own)| (outer, Local::Variable(own))).collect()
}

/// A register with the address of each of the module's local variables.
fn own_addresses(module: &mut Module, body: &mut Body, used: &Used, at: At) -> Vec<(VarId, Local)> {
    let mut addresses = Vec::new();
    for &outer in &used.locals {
        let name = format!("%{}", module.name(module.variable(outer).name));
        let name = module.strings.intern(&name);
        addresses.push((outer, new_register(body, name, ScalarType::U64, at)));
    }
    let address_of = |id: VarId| addresses.iter().find(|(outer, _)| *outer == id).map(|(_, own)| *own);
    narrow(module, body, &address_of);
    body.map_operands(|operand| match operand {
        Operand::Address(AddressBase::Symbol(Symbol::Variable(id)), offset) => match address_of(id) {
            Some(own) => Operand::Address(AddressBase::Register(own), offset),
            None => operand,
        },
        Operand::Symbol(Symbol::Variable(id), offset) => match address_of(id) {
            Some(own) if offset == 0 => Operand::Register(own),
            Some(own) => Operand::Sum(own, offset),
            None => operand,
        },
        _ => operand,
    });
    addresses.into_iter().map(|(outer, own)| (outer, Local::Address(own))).collect()
}

/// Truncates addresses to 32 bits before instructions that need no more: `mov.u32 %r1, a`.
fn narrow(module: &mut Module, body: &mut Body, address_of: &impl Fn(VarId) -> Option<RegId>) {
    let name = module.strings.intern("%low");
    for statement in std::mem::take(&mut body.statements) {
        let Stmt::Inst(mut inst) = statement else {
            body.statements.push(statement);
            continue;
        };
        let mut operands: Vec<_> =
            body.operands(&inst).iter().copied().zip(body.operand_spans(&inst).iter().copied()).collect();
        let is_narrow = matches!(operands.first(), Some((Operand::Register(result), _)) if body.reg_type(*result).bits() == 32);
        let wide = operands.iter_mut().filter(|_| is_narrow).find_map(|(operand, _)| match *operand {
            Operand::Symbol(Symbol::Variable(id), offset) => Some((operand, address_of(id)?, offset)),
            _ => None,
        });
        if let Some((operand, address, offset)) = wide {
            let low = new_register(body, name, ScalarType::U32, inst.at);
            *operand = match offset {
                0 => Operand::Register(low),
                _ => Operand::Sum(low, offset),
            };
            push(body, ptx!("cvt.u32.u64"), [Operand::Register(low), Operand::Register(address)], inst.at);
            inst.operands = body.add_list(operands);
        }
        body.statements.push(Stmt::Inst(inst));
    }
}

/// Adds to every call what the called function needs.
fn pass_on(
    module: &mut Module,
    body: &mut Body,
    used: &[Used],
    registers: &[((RegDeclId, u32), RegId)],
    locals: &[(VarId, Local)],
) {
    let name = module.strings.intern("%address");
    for statement in std::mem::take(&mut body.statements) {
        let Stmt::Inst(mut inst) = statement else {
            body.statements.push(statement);
            continue;
        };
        let &[results, callee, arguments, targets] = body.operands(&inst) else {
            body.statements.push(Stmt::Inst(inst));
            continue;
        };
        let callee = match callee {
            Operand::Symbol(Symbol::Function(id), 0)
                if inst.mnemonic.sem() == Sem::Control(ControlSem::Call) =>
            {
                module.definition(id)
            }
            _ => {
                body.statements.push(Stmt::Inst(inst));
                continue;
            }
        };
        if let Some(wanted) = used.get(callee.0 as usize).filter(|wanted| !wanted.is_empty()) {
            let passed = wanted.registers.iter().filter_map(|wanted| {
                let (_, own) = registers.iter().find(|(outer, _)| outer == wanted)?;
                Some(Operand::Register(*own))
            });
            let passed: Vec<Operand> = passed.collect();
            let mut addresses = Vec::new();
            for wanted in &wanted.locals {
                match locals.iter().find(|(outer, _)| outer == wanted) {
                    Some((_, Local::Address(own))) => addresses.push(Operand::Register(*own)),
                    Some((_, Local::Variable(own))) => {
                        let address = new_register(body, name, ScalarType::U64, inst.at);
                        let symbol = Operand::Symbol(Symbol::Variable(*own), 0);
                        push(body, ptx!("mov.u64"), [Operand::Register(address), symbol], inst.at);
                        addresses.push(Operand::Register(address));
                    }
                    None => {}
                }
            }
            let results = longer(body, results, &passed, inst.at);
            let arguments = longer(body, arguments, &[passed, addresses].concat(), inst.at);
            let callee = Operand::Symbol(Symbol::Function(callee), 0);
            let operands = [results, callee, arguments, targets];
            inst.operands = body.add_list(operands.map(|operand| (operand, inst.at.0)));
        }
        body.statements.push(Stmt::Inst(inst));
    }
}

/// A list of a call with more entries.
fn longer(body: &mut Body, list: Operand, more: &[Operand], at: At) -> Operand {
    let mut entries = match list {
        Operand::List(id) => body.list(id).to_vec(),
        Operand::Omitted => Vec::new(),
        single => vec![single],
    };
    entries.extend(more);
    if entries.is_empty() {
        return list;
    }
    Operand::List(body.add_list(entries.into_iter().map(|entry| (entry, at.0))))
}

fn new_register(body: &mut Body, name: ptx_ir::StrId, ty: ScalarType, at: At) -> RegId {
    let number = body.registers.len() as u32;
    let decl = RegDeclId(body.reg_decls.len() as u32);
    body.reg_decls.push(RegDecl { name, ty, shape: VectorShape::Scalar, count: Some(number + 1), at });
    body.registers.push(Register { decl, number });
    RegId(number)
}

fn push<const N: usize>(body: &mut Body, mnemonic: Mnemonic, operands: [Operand; N], at: At) {
    let operands = body.add_list(operands.map(|operand| (operand, at.0)));
    let zero_offsets = ZeroOffsets::Implied;
    body.statements.push(Stmt::Inst(Inst { guard: None, mnemonic, operands, zero_offsets, at }));
}

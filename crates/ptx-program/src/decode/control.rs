//! Branches, calls and block barriers (manual 9.7.12, 9.7.13.1).

use ptx_ir::{Body, Function, FunctionId, Module, Operand, Param, Stmt, Symbol};
use ptx_isa::{ControlSem, Field, Mod, Opcode, OperandKey, ScalarType};

use super::context::{Context, Decode};
use super::modifiers::UNIFORM;
use super::operand::{dst, src, src_given, src_operand};
use super::output::{Decoded, finding};
use super::reach::builtin;
use super::scope::VariableAddress;
use super::signature::{is_open, row_bits, rows_of};
use crate::codes;
use crate::layout::{bytes_of, immediate_bits};
use crate::program::{BarrierAction, BlockBarrier, Call, Callee, Effect, Slot};

/// The signature that a call is checked against, with the body in which its register parameters are declared.
#[derive(Clone, Copy)]
struct CallSignature<'m> {
    params: &'m [Param],
    results: usize,
    registers: Option<&'m Body>,
}

impl<'m> CallSignature<'m> {
    fn of(function: &'m Function) -> Self {
        let registers = function.body.as_ref().or(function.reg_params.as_deref());
        Self { params: &function.params, results: function.results.len(), registers }
    }

    /// The type of a scalar parameter.
    fn scalar_type(self, module: &Module, index: usize) -> Option<ScalarType> {
        match *self.params.get(index)? {
            Param::Variable(id) => module.variable(id).scalar_type(),
            Param::Register(decl, _) => self.registers?.reg_decls.get(decl.0 as usize).map(|decl| decl.ty),
        }
    }
}

/// Why modifiers of a row without modifiers are ignored.
const NO_MODIFIERS: &str = "it has none";

/// The decoder of control flow, and of instructions that suspend a thread or notify a tool.
pub(super) fn control_decoder(sem: ControlSem) -> Decode {
    match sem {
        ControlSem::Bra => branch,
        ControlSem::BrxIdx => branch_indexed,
        ControlSem::Call => call,
        ControlSem::Ret => |cx| cx.plain(Effect::Return, UNIFORM),
        ControlSem::Exit => |cx| cx.plain(Effect::Exit, NO_MODIFIERS),
        ControlSem::Trap => |cx| cx.plain(Effect::Trap, NO_MODIFIERS),
        ControlSem::Brkpt => |cx| cx.plain(Effect::Breakpoint, NO_MODIFIERS),
        ControlSem::Pmevent => |cx| cx.plain(Effect::Nothing, "there is no profiler"),
        ControlSem::Nanosleep => |cx| cx.plain(Effect::Pause, "a sleep has one type"),
    }
}

/// `bra`.
pub(super) fn branch(cx: &mut Context<'_>) -> Decoded<()> {
    let Operand::Label(label) = cx.operands[0] else {
        return finding(codes::OPERAND, cx.span(0), "a branch goes to a label");
    };
    cx.m.ignore(&[Field::Uni], UNIFORM);
    cx.pend(0, label, cx.span(0));
    cx.emit(Effect::Branch { target: 0 });
    Ok(())
}

/// `brx.idx`.
pub(super) fn branch_indexed(cx: &mut Context<'_>) -> Decoded<()> {
    let Operand::Label(list) = cx.operands[1] else {
        return finding(codes::OPERAND, cx.span(1), "an indexed branch needs a `.branchtargets` list");
    };
    let targets = ptx_ir::cfg::branch_targets(cx.scope.body, list);
    if targets.is_empty() {
        return finding(codes::UNDEFINED, cx.span(1), "the label is that of no `.branchtargets` list");
    }
    cx.m.ignore(&[Field::Uni], UNIFORM);
    let index = src(cx, 0)?;
    for (at, &label) in targets.iter().enumerate() {
        cx.pend(at, label, cx.span(1));
    }
    cx.emit(Effect::BranchIndexed { index, targets: vec![0; targets.len()].into() });
    Ok(())
}

/// `call`.
pub(super) fn call(cx: &mut Context<'_>) -> Decoded<()> {
    let ((results_at, results), (callee_at, callee)) =
        (cx.operand(OperandKey::Ret)?, cx.operand(OperandKey::Func)?);
    let (arguments_at, arguments) = cx.operand(OperandKey::Args)?;
    cx.m.ignore(&[Field::Uni], UNIFORM);
    let results = slots(cx, results_at, results, None)?;
    let (callee, signature) = match callee {
        Operand::Symbol(Symbol::Function(id), _) => {
            (function_named(cx, callee_at, id)?, Some(CallSignature::of(cx.scope.module.function(id))))
        }
        Operand::Register(register) => {
            (Callee::Address(crate::program::Src::register(cx.scope.row_of(register))), stated(cx))
        }
        _ => {
            return finding(codes::OPERAND, cx.span(callee_at), "expected a function or a register");
        }
    };
    let mut arguments = slots(cx, arguments_at, arguments, signature)?;
    if let Some(signature) = signature {
        let open = signature.params.last().is_some_and(|&param| is_open(cx.scope.module, param));
        if open && arguments.len() + 1 == signature.params.len() {
            arguments.push(Slot::Nothing);
        }
        if (signature.params.len(), signature.results) != (arguments.len(), results.len()) {
            let text = "what is called takes other numbers of arguments and results";
            return finding(codes::OPERAND, cx.inst.at.0, text);
        }
    }
    cx.emit(Effect::Call(Box::new(Call { callee, arguments: arguments.into(), results: results.into() })));
    Ok(())
}

/// The signature declared by the prototype of an indirect call, or of the first of its listed targets.
fn stated<'c>(cx: &Context<'c>) -> Option<CallSignature<'c>> {
    let Some((_, Operand::Label(label))) = cx.given(OperandKey::Targets) else { return None };
    let (module, body) = (cx.scope.module, cx.scope.body);
    body.statements.iter().find_map(|statement| match statement {
        Stmt::CallPrototype(own, prototype) if *own == label => Some(CallSignature {
            params: &prototype.params,
            results: prototype.results.len(),
            registers: Some(body),
        }),
        Stmt::CallTargets(own, targets) if *own == label => {
            targets.first().map(|&id| CallSignature::of(module.function(id)))
        }
        _ => None,
    })
}

fn function_named(cx: &Context<'_>, at: usize, id: FunctionId) -> Decoded<Callee> {
    if let Some(index) = cx.scope.reached.function(cx.scope.module, id) {
        return Ok(Callee::Function(index));
    }
    match builtin(cx.scope.module, id) {
        Some(builtin) => Ok(Callee::Builtin(builtin)),
        None => {
            let name = cx.scope.module.name(cx.scope.module.function(id).name);
            finding(
                codes::UNDEFINED,
                cx.span(at),
                format!("function `{name}` is declared and defined nowhere"),
            )
        }
    }
}

/// The arguments or results of a call; constants take the type of their parameter.
fn slots(
    cx: &mut Context<'_>,
    at: usize,
    operand: Operand,
    callee: Option<CallSignature<'_>>,
) -> Decoded<Vec<Slot>> {
    let Operand::List(list) = operand else { return Ok(Vec::new()) };
    let mut slots = Vec::new();
    for (index, &operand) in cx.scope.body.list(list).iter().enumerate() {
        slots.push(match operand {
            Operand::Register(register) => cx.scope.slot_of(register),
            Operand::Sink => Slot::Nothing,
            Operand::Symbol(Symbol::Variable(id), 0) => match cx.scope.variable_address(id, cx.span(at))? {
                VariableAddress::Frame(offset) => {
                    let size = bytes_of(cx.scope.module.variable(id));
                    Slot::Memory { offset, size: size as u32 }
                }
                VariableAddress::Fixed(..) => {
                    return finding(
                        codes::OPERAND,
                        cx.span(at),
                        "only parameter variables can be passed by name",
                    );
                }
            },
            Operand::Immediate(immediate) => {
                let ty = callee.and_then(|callee| callee.scalar_type(cx.scope.module, index));
                let Some(ty) = ty else {
                    return finding(
                        codes::UNSUPPORTED,
                        cx.span(at),
                        "the type of this constant is not known",
                    );
                };
                let bits = immediate_bits(immediate, ty, cx.span(at))?;
                let count = rows_of(ty);
                let first = match count {
                    1 => cx.constants.of(bits as u64),
                    _ => cx.constants.pair(bits as u64, (bits >> 64) as u64),
                };
                Slot::Rows { first, count, bits: row_bits(ty) }
            }
            _ => return finding(codes::OPERAND, cx.span(at), "this cannot be passed to a function"),
        });
    }
    Ok(slots)
}

/// `bar`, `barrier`.
pub(super) fn barrier(cx: &mut Context<'_>) -> Decoded<()> {
    let action = match (cx.m.get(Field::Action), cx.m.get(Field::Op)) {
        (Some(Mod::Arrive), _) => BarrierAction::Arrive,
        (Some(Mod::Red), Some(Mod::Popc)) => BarrierAction::Popc,
        (Some(Mod::Red), Some(Mod::And)) => BarrierAction::And,
        (Some(Mod::Red), Some(Mod::Or)) => BarrierAction::Or,
        (Some(Mod::Sync), None) => BarrierAction::Sync,
        _ => return cx.unsupported("it does nothing that is known"),
    };
    cx.m.ignore(&[Field::Cta], "there are no other barriers of this kind");
    cx.m.ignore_words(&[Mod::U32, Mod::Pred], "the operation has one type of result");
    let dst = match cx.find(OperandKey::D).or(cx.find(OperandKey::P)) {
        Some(at) => dst(cx, at)?,
        None => cx.scope.sink,
    };
    let id = src_operand(cx, OperandKey::A)?;
    let (count, predicate) = (src_given(cx, OperandKey::B)?, src_given(cx, OperandKey::C)?);
    let is_aligned = cx.m.opcode() == Opcode::Bar || cx.m.has(Mod::Aligned);
    let barrier = BlockBarrier { action, id, count, predicate, dst, is_aligned };
    cx.emit(Effect::BlockBarrier(Box::new(barrier)));
    Ok(())
}

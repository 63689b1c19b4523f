//! Counters in PTX: how often threads come to the blocks, instructions, accesses of memory or barriers of a program, on any GPU.
//!
//! Before each place that is counted one instruction adds 1 to a number in global memory; it needs no register, and has the guard of the instruction that it counts:
//!
//! ```text
//! $L__BB0_2:                            $L__BB0_2:
//!   ld.global.f32 %f1, [%rd4];            red.global.add.u64 [__ptx_counters+16], 1;
//!                                         ld.global.f32 %f1, [%rd4];
//! ```
//!
//! Nothing else changes. A host finds the numbers by name: the variable [`COUNTERS`] has an integer of 64 bits for each place, and [`PLACES`] a line of text for each.

use ptx_diag::Span;
use ptx_ir::cfg::{BlockId, Cfg};
use ptx_ir::{
    Body, FunctionId, Immediate, Initializer, Inst, Linkage, Module, Operand, Stmt, VarId, VarType, Variable,
    print_instruction,
};
use ptx_isa::{ControlSem, ScalarType, Sem, StateSpace, ptx};
use thiserror::Error;

/// The name of the variable with the counters: `.u64`, one for each place.
pub const COUNTERS: &str = "__ptx_counters";
/// The name of the variable with the places: a text that ends with a zero byte, in which each line is the function, the place in the source and the
/// instruction of a counter, with tabs between them.
pub const PLACES: &str = "__ptx_counter_places";

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Basic blocks, at their first instruction.
    Blocks,
    /// All instructions.
    Instructions,
    /// Instructions that access memory: loads, stores, atomic operations, copies, and those of textures and surfaces.
    Accesses,
    /// Barriers, and other instructions that threads execute together and that order memory.
    Barriers,
    /// Calls of functions.
    Calls,
}

/// A place with a counter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The function.
    pub function: String,
    /// The instruction, as it is printed.
    pub instruction: String,
    /// Where it is in the text of the module.
    pub span: Span,
}

/// Why a module cannot be instrumented.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum InstrumentError {
    /// It has counters already, or something of their names.
    #[error("the module has a `{0}` already")]
    Taken(&'static str),
    /// It has no such place.
    #[error("the module has no function with such an instruction")]
    Nothing,
}

/// Adds counters to all functions of a module, which has to be verified again. Returns their places in the order of the counters. `sources` gives what [`PLACES`] has for
/// the positions of instructions, one for each, such as `k.ptx:12`.
///
/// # Errors
///
/// [`InstrumentError`]
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_instrument::{Counted, instrument};
///
/// let text = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n  bar.sync 0;\n  ret;\n}";
/// let (mut module, _) = ptx_syntax::parse(&SourceFile::new("k.ptx", text));
/// let places = instrument(&mut module, Counted::Barriers, |spans| vec!["k.ptx:5".to_owned(); spans.len()]).unwrap();
/// assert_eq!((places.len(), places[0].instruction.as_str()), (1, "bar.sync 0"));
/// let printed = ptx_ir::print(&module);
/// assert!(printed.contains("red.global.add.u64 \t[__ptx_counters], 1;\n\tbar.sync \t0;"), "{printed}");
/// ```
pub fn instrument(
    module: &mut Module,
    counted: Counted,
    sources: impl FnOnce(&[Span]) -> Vec<String>,
) -> Result<Vec<Place>, InstrumentError> {
    for name in [COUNTERS, PLACES] {
        let taken = module.strings.find(name);
        let is_taken = taken.is_some_and(|id| {
            module.variables.iter().any(|variable| variable.name == id)
                || module.functions.iter().any(|function| function.name == id)
        });
        if is_taken {
            return Err(InstrumentError::Taken(name));
        }
    }
    let (mut places, mut found): (Vec<Place>, Vec<(FunctionId, Vec<usize>)>) = (Vec::new(), Vec::new());
    for id in module.function_ids() {
        let function = module.function(id);
        let Some(body) = &function.body else { continue };
        let at = counted_statements(body, counted);
        places.extend(at.iter().filter_map(|&at| match &body.statements[at] {
            Stmt::Inst(inst) => Some(Place {
                function: module.name(function.name).to_owned(),
                instruction: print_instruction(module, body, inst),
                span: inst.at.0,
            }),
            _ => None,
        }));
        found.push((id, at));
    }
    if places.is_empty() {
        return Err(InstrumentError::Nothing);
    }
    let counters = declare(module, &places, sources);
    let mut next = 0;
    for (id, at) in found {
        if let Some(body) = &mut module.function_mut(id).body {
            next = add_counters(body, (&at, counted), counters, next);
        }
    }
    Ok(places)
}

/// The indices of the statements that are counted, in order; all are instructions.
fn counted_statements(body: &Body, counted: Counted) -> Vec<usize> {
    let is_counted = |inst: &Inst| {
        let effects = inst.mnemonic.effects();
        let is_memory = effects.reads || effects.writes;
        let is_call = inst.mnemonic.sem() == Sem::Control(ControlSem::Call);
        match counted {
            Counted::Blocks => false,
            Counted::Instructions => true,
            Counted::Accesses => is_memory && !effects.convergent && !is_call && !is_parameter(inst),
            Counted::Barriers => is_memory && effects.convergent && !is_call,
            Counted::Calls => is_call,
        }
    };
    if counted == Counted::Blocks {
        let cfg = Cfg::new(body);
        let blocks = (0..cfg.blocks.len()).filter_map(|at| u32::try_from(at).ok());
        return blocks.filter_map(|block| cfg.first_inst(body, BlockId(block))).collect();
    }
    let statements = body.statements.iter().enumerate();
    statements
        .filter_map(|(at, statement)| match statement {
            Stmt::Inst(inst) if is_counted(inst) => Some(at),
            _ => None,
        })
        .collect()
}

/// Whether an access is of parameters, which are no memory that programs optimize.
fn is_parameter(inst: &Inst) -> bool {
    inst.mnemonic.space() == Some(StateSpace::Param)
}

/// Declares the counters and the texts of their places.
fn declare(module: &mut Module, places: &[Place], sources: impl FnOnce(&[Span]) -> Vec<String>) -> VarId {
    let spans: Vec<Span> = places.iter().map(|place| place.span).collect();
    let sources = sources(&spans);
    debug_assert_eq!(sources.len(), places.len(), "one for each");
    let mut text = String::new();
    for (Place { function, instruction, .. }, source) in places.iter().zip(&sources) {
        for part in [function, "\t", source, "\t", instruction, "\n"] {
            text.push_str(part);
        }
    }
    let bytes = text.bytes().chain([0]).map(|byte| Initializer::Value(Immediate::integer(byte.into())));
    let init = Initializer::list(bytes.collect());
    let name = module.strings.intern(PLACES);
    module.declare_variable(Variable {
        dims: vec![Some(text.len() as u64 + 1)],
        linkage: Linkage::Visible,
        init: Some(init),
        ..Variable::new(name, StateSpace::Global, VarType::Scalar(ScalarType::B8))
    });
    let name = module.strings.intern(COUNTERS);
    let counters = Variable::array(name, StateSpace::Global, ScalarType::U64, places.len() as u64);
    module.declare_variable(Variable { linkage: Linkage::Visible, ..counters })
}

/// Adds a counter before each of these statements, from a number on; returns the number after the last.
fn add_counters(body: &mut Body, (at, counted): (&[usize], Counted), counters: VarId, first: i64) -> i64 {
    let mut next = first;
    let statements = std::mem::take(&mut body.statements);
    let mut waiting = at.iter().copied().peekable();
    for (at, statement) in statements.into_iter().enumerate() {
        if waiting.next_if_eq(&at).is_some()
            && let Stmt::Inst(inst) = &statement
        {
            // A block is executed also where its first instruction is not.
            let guard = inst.guard.filter(|_| counted != Counted::Blocks);
            let position = inst.at;
            let operands = [Operand::memory_of(counters, 8 * next), Operand::integer(1)];
            let count = body.new_inst(guard, ptx!("red.global.add.u64"), &operands);
            debug_assert!(count.is_some(), "`red` has two operands");
            body.statements.extend(count.map(|count| Stmt::Inst(Inst { at: position, ..count })));
            next += 1;
        }
        body.statements.push(statement);
    }
    next
}

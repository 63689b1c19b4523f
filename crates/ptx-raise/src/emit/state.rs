//! The state of emitting one function, and the values that it has computed.

use std::rc::Rc;

use ptx_dwarf::Marks;
use ptx_ir::{BodyBuilder, FunctionKind, LabelId, Param, RegDeclId, RegId, Stmt, Symbol, VarId};
use ptx_llvm_core::DenormalMode;
use ptx_llvm_core::view::{BlockId, Function, FunctionId, InstId, Op, TypeId, Value};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::context::ModuleContext;
use crate::cover::Cover;
use crate::error::{INSTRUCTION, RaiseError, Result};
use crate::per_inst::PerInst;
use crate::registers::{Named, Rank, Wanted, Wish};
use crate::signature::Signature;
use crate::source_function::SourceFunction;
use crate::style::Names;
use crate::types::{Leaf, Scalar};
use crate::value::Val;

/// The leaves of a value.
pub(super) type Vals = Rc<[Val]>;

/// The state of emitting one function.
pub(crate) struct Emitter<'m, 'v, 'c> {
    pub(super) module: &'m mut ModuleContext<'v, 'c>,
    pub(super) id: FunctionId,
    pub(super) function: &'v Function,
    pub(super) source: SourceFunction<'v>,
    pub(super) signature: Signature,
    /// The decisions about the instructions.
    pub(super) cover: Cover<'v>,
    pub(super) builder: BodyBuilder,
    pub(super) frame: Frame,
    pub(super) blocks: Blocks,
    pub(super) computed: Computed,
    pub(super) registers: Registers,
    pub(super) names: LocalNames,
    /// The debug information of the body for DWARF.
    pub(super) marks: Marks,
    /// Whether floating-point results go to registers of bits for now.
    pub(super) as_bits: bool,
    /// Whether subnormal single-precision numbers count as zero (`"denormal-fp-math-f32"`).
    pub(super) flush: bool,
    /// How many statements the block had before the instruction that is emitted.
    pub(super) inst_start: usize,
}

/// Parameters, results and variables of the body.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) params: Vec<VarId>,
    pub(super) result: Option<VarId>,
    /// Parameters and results of a function that passes them in registers.
    pub(super) register_params: Vec<RegId>,
    pub(super) register_results: Vec<RegId>,
    /// The variable in which calls pass a variable number of arguments.
    pub(super) structures: Option<VarId>,
    /// Variables of the body, declared at its start.
    pub(super) locals: Vec<Stmt>,
}

impl Frame {
    fn of(declared: &ptx_ir::Function) -> Self {
        let (mut frame, mut results) = (Self::default(), Vec::new());
        for param in &declared.params {
            match param {
                Param::Variable(id) => frame.params.push(*id),
                Param::Register(_, register) => frame.register_params.push(*register),
            }
        }
        for result in &declared.results {
            match result {
                Param::Variable(id) => results.push(*id),
                Param::Register(_, register) => frame.register_results.push(*register),
            }
        }
        frame.result = results.first().copied();
        frame
    }
}

/// The blocks and properties of their text.
pub(super) struct Blocks {
    /// The blocks to emit, in LLVM's order.
    pub(super) layout: Vec<BlockId>,
    pub(super) emitted: HashSet<BlockId>,
    /// The block after each in the text.
    pub(super) following: HashMap<BlockId, BlockId>,
    /// The first blocks of loops that must not be unrolled.
    pub(super) rolled: HashSet<BlockId>,
    pub(super) labels: Vec<LabelId>,
    /// Blocks whose label some instruction uses.
    pub(super) targets: HashSet<BlockId>,
    /// Blocks whose label is among their statements.
    pub(super) labelled: HashSet<BlockId>,
    pub(super) current: BlockId,
    /// The positions, by block and statement, of `.loc` that are implied by the instructions' locations.
    pub(super) implied_locations: HashSet<(BlockId, usize)>,
}

/// The values that are computed so far.
pub(super) struct Computed {
    pub(super) args: Vec<Vals>,
    pub(super) values: PerInst<Vals>,
    /// The registers that predecessors write for a phi.
    pub(super) phi_inputs: HashMap<InstId, Vec<RegId>>,
    /// The registers of pairs of 16-bit integers that stay packed.
    pub(super) whole_pairs: HashMap<InstId, RegId>,
    /// The registers whose halves are in registers of their own, taken from them: elements of vectors.
    pub(super) halves: HashMap<[RegId; 2], RegId>,
    /// Those that the current block has joined, which other blocks need not come through.
    pub(super) joined_here: HashMap<[RegId; 2], RegId>,
}

/// Facts about registers.
#[derive(Default)]
pub(super) struct Registers {
    /// Registers with bytes of others.
    pub(super) bytes: HashMap<RegId, Byte>,
    /// The same number in single precision, for registers with bfloat numbers that were rounded from it without loss.
    pub(super) singles: HashMap<RegId, Val>,
    /// The values of 64-bit registers that are only written with a constant.
    pub(super) constants: HashMap<RegId, u64>,
    /// Registers that hold the handle of a texture, sampler or surface.
    pub(super) handles: HashMap<RegId, Symbol>,
    /// The registers that copies of the program write.
    pub(super) copies: HashSet<RegId>,
    /// The registers that inline assembly writes: it may be `volatile`.
    pub(super) assembled: HashSet<RegId>,
    /// Register declarations of inline assembly.
    pub(super) foreign: HashSet<RegDeclId>,
}

/// A byte of a word, in a separate register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Byte {
    /// The word.
    pub(super) whole: RegId,
    /// Which byte of it, from 0.
    pub(super) at: u64,
    /// The byte in a register of 32 bits, zero above.
    pub(super) wide: RegId,
}

/// Names of the body.
#[derive(Default)]
pub(super) struct LocalNames {
    /// The names of the body's variables that are LLVM's.
    pub(super) taken: HashSet<String>,
    /// The last number after labels that were requested for several blocks.
    pub(super) label_repeats: HashMap<String, u32>,
    pub(super) label_count: u32,
    /// The requested names for the registers of values.
    pub(super) wanted: Wanted,
}

impl<'m, 'v, 'c> Emitter<'m, 'v, 'c> {
    pub(super) fn new(
        module: &'m mut ModuleContext<'v, 'c>,
        id: FunctionId,
        source: SourceFunction<'v>,
        signature: Signature,
        entry: ptx_ir::FunctionId,
        cover: Cover<'v>,
        layout: Vec<BlockId>,
    ) -> Self {
        let declared = module.ir.function(entry);
        let frame = Frame::of(declared);
        let (mut builder, mut registers) = (BodyBuilder::new(), Registers::default());
        if let Some(held) = &declared.reg_params {
            registers.foreign.extend((0..held.reg_decls.len() as u32).map(RegDeclId));
            *builder.body_mut() = (**held).clone();
        }
        let function = source.function;
        let denormals = function.attributes.string("denormal-fp-math-f32");
        let denormals = denormals.or_else(|| function.attributes.string("denormal-fp-math"));
        let emitted = layout.iter().copied().collect();
        let following = layout.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
        Self {
            module,
            id,
            function,
            source,
            signature,
            cover,
            builder,
            frame,
            blocks: Blocks {
                layout,
                emitted,
                following,
                rolled: HashSet::default(),
                labels: Vec::new(),
                targets: HashSet::default(),
                labelled: HashSet::default(),
                current: BlockId::new(0),
                implied_locations: HashSet::default(),
            },
            computed: Computed {
                args: Vec::new(),
                values: PerInst::new(function.insts.len()),
                phi_inputs: HashMap::default(),
                whole_pairs: HashMap::default(),
                halves: HashMap::default(),
                joined_here: HashMap::default(),
            },
            registers,
            names: LocalNames::default(),
            marks: Marks::default(),
            as_bits: false,
            flush: denormals.and_then(DenormalMode::of).is_some_and(DenormalMode::is_ftz),
            inst_start: 0,
        }
    }

    /// The leaves of a type.
    pub(crate) fn leaves(&mut self, ty: TypeId) -> Result<Rc<[Leaf]>> {
        self.module.leaves.of(self.module.view, ty)
    }

    /// The type of an instruction's result.
    pub(super) fn type_of(&self, id: InstId) -> TypeId {
        self.function.inst(id).ty
    }

    /// The type of an operand.
    pub(super) fn value_type(&self, value: Value) -> Result<TypeId> {
        let ty = self.source.type_of(value);
        ty.ok_or_else(|| RaiseError::new(INSTRUCTION, "an operand that is not data"))
    }

    /// The leaves of an operand's type.
    pub(super) fn value_leaves(&mut self, value: Value) -> Result<Rc<[Leaf]>> {
        let ty = self.value_type(value)?;
        self.leaves(ty)
    }

    /// The leaves of an operand.
    pub(super) fn value(&mut self, value: Value) -> Result<Vals> {
        match value {
            Value::Arg(at) => {
                let known = self.computed.args.get(at as usize).cloned();
                known.ok_or_else(|| RaiseError::new(INSTRUCTION, "a parameter that does not exist"))
            }
            Value::Inst(id) => {
                let known = self.computed.values.get(id).cloned();
                known.ok_or_else(|| {
                    RaiseError::new(INSTRUCTION, "an operand that is not computed before its use")
                })
            }
            Value::Const(id) => self.constant(id, 0).map(Rc::from),
            Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => {
                Err(RaiseError::new(INSTRUCTION, "an operand that is not data"))
            }
        }
    }

    /// The only leaf of an operand, with its type.
    pub(super) fn scalar(&mut self, value: Value) -> Result<(Val, Scalar)> {
        let leaves = self.value_leaves(value)?;
        let values = self.value(value)?;
        match (&*leaves, &*values) {
            ([leaf], [val]) => Ok((*val, leaf.scalar)),
            _ => Err(RaiseError::new(INSTRUCTION, "an operand of several values where one is needed")),
        }
    }

    /// Sets an instruction's result, which must have the leaves of its type: LLVM's verifier accepts intrinsics on types that do not go
    /// together.
    pub(super) fn define(&mut self, id: InstId, values: Vals) -> Result<()> {
        if self.leaves(self.type_of(id))?.len() != values.len() {
            return Err(RaiseError::new(INSTRUCTION, "operands and a result of incompatible types"));
        }
        let is_phi = matches!(self.function.inst(id).op, Op::Phi { .. });
        self.want(Named::Inst(id), &values, if is_phi { Rank::Phi } else { Rank::Value });
        self.computed.values.insert(id, values);
        Ok(())
    }

    /// Sets an instruction's result of one leaf.
    pub(super) fn define_one(&mut self, id: InstId, value: Val) -> Result<()> {
        self.define(id, Rc::from([value]))
    }

    /// Records the registers of a value, for its name. If DWARF refers to registers, it supports only short names.
    pub(super) fn want(&mut self, named: Named, values: &[Val], rank: Rank) {
        if self.module.style.names == Names::Numbers || self.is_traced() {
            return;
        }
        // A register is called by the first of its values that has a name.
        let is_named = match named {
            Named::Parameter(at) => self.function.params.get(at).is_some_and(|own| !own.name.is_empty()),
            Named::Inst(id) => !self.function.inst(id).name.is_empty(),
        };
        if !is_named {
            return;
        }
        for (part, value) in values.iter().enumerate() {
            if let Val::Register(register, _) = value {
                let part = (values.len() > 1).then_some(part as u32);
                self.names.wanted.note(*register, Wish { rank, named, part });
            }
        }
    }

    /// Whether the function is a kernel.
    pub(super) fn is_kernel(&self) -> bool {
        self.signature.kind == FunctionKind::Kernel
    }
}

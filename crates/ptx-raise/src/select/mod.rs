//! Instruction selection: one function.
//!
//! Blocks are raised in an order in which definitions come before their uses (reverse post-order), each into a list of its own,
//! and put together in LLVM's order. A value is a list of leaves ([`Val`]); a leaf stays a constant or an address
//! not yet computed for as long as nothing needs it in a register. A phi has two registers a leaf: its predecessors write the first at
//! their ends, and its block copies it to the second at its start. So all phis of a block change at once, and a write on one
//! edge cannot disturb another edge.

mod address;
mod aggregate;
mod arithmetic;
mod asm;
mod atomic;
mod barrier;
mod block;
mod bulk;
mod bytes;
mod call;
mod carry;
mod cast;
mod chosen;
mod clamp;
mod combine;
mod compare;
mod constant;
mod constrained;
mod control;
mod debugging;
mod directed;
mod divide;
mod emit;
mod exchange;
mod exponent;
mod extent;
mod float;
mod fuse;
mod generic;
mod intrinsic;
mod lanes;
mod masked;
mod math;
mod memory;
mod narrow;
mod nvvm;
mod open;
mod ordering;
mod overflow;
mod packed;
mod passing;
mod predicate;
mod prologue;
mod quadruple;
mod readonly;
mod reference;
mod remainder;
mod root;
mod runs;
mod shape;
mod shorts;
mod sign;
mod spelling;
mod stack;
mod trace;
mod truths;
mod undefined;
mod variadic;
mod wide;
mod wide_cast;
mod words;

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::rc::Rc;

use ptx_ir::{Body, BodyBuilder, FunctionKind, LabelId, Param, RegDeclId, RegId, Stmt, Symbol, VarId};
use ptx_llvm::view::{
    BlockId, CastOp, Constant, FloatPredicate, Function, FunctionId, InstId, Op, TypeId, Value,
};

use self::bytes::Byte;
use self::clamp::Clamped;
use self::narrow::Widening;
use self::open::Division;
use self::passing::Piece;
use self::shorts::Pair;
use self::sign::SignField;
pub(crate) use self::spelling::Pattern;
use self::spelling::Spelling;
use crate::addresses::share_addresses;
use crate::coalesce::coalesce;
use crate::error::{INSTRUCTION, Raised, Refusal};
use crate::hoist::hoist;
use crate::module::ModuleRaiser;
use crate::per_inst::{InstSet, PerInst, Users};
use crate::registers::{Named, Rank, Wanted, Wish, name_registers};
use crate::signature::Signature;
use crate::style::Names;
use crate::types::{Leaf, Scalar};
use crate::value::Val;

/// The leaves of a value.
pub(crate) type Vals = Rc<[Val]>;

/// The state of raising one function.
pub(crate) struct FunctionRaiser<'m, 'v, 'c> {
    pub(crate) module: &'m mut ModuleRaiser<'v, 'c>,
    id: FunctionId,
    function: &'v Function,
    signature: Signature,
    params: Vec<VarId>,
    result: Option<VarId>,
    /// Parameters and results of a function that passes them in registers.
    register_params: Vec<RegId>,
    register_results: Vec<RegId>,
    pub(crate) builder: BodyBuilder,
    args: Vec<Vals>,
    values: PerInst<Vals>,
    /// The registers that predecessors write for a phi.
    phi_inputs: HashMap<InstId, Vec<RegId>>,
    /// How often each instruction's result is used by what is not fused with it.
    uses: Vec<u32>,
    /// The instructions that use each result.
    users: Users,
    /// The instructions that use each parameter.
    parameter_users: Users,
    /// Instructions whose work another one does.
    fused: InstSet,
    /// The `insertvalue` instructions that put into the result what its memory may hold as it is.
    idle_fields: HashSet<InstId>,
    /// Instructions that a PTX text stands in the place of.
    spellings: HashMap<InstId, Spelling>,
    /// What such texts take: it must be there as it is.
    text_inputs: HashSet<Value>,
    /// The place of the text that says an instruction.
    text_places: HashMap<InstId, InstId>,
    /// Everything that only such texts compute.
    spelled: InstSet,
    /// Choices that one shift says.
    clamped: HashMap<InstId, Clamped>,
    /// Divisions without their guards.
    divisions: HashMap<InstId, Division>,
    /// Shifts that extend a sign.
    sign_fields: HashMap<InstId, SignField>,
    /// Halves that are chosen before they are put side by side.
    joined: HashMap<InstId, chosen::Joined>,
    /// Pairs of 16-bit integers that stay whole, and their registers.
    pairs: HashMap<InstId, Pair>,
    whole_pairs: HashMap<InstId, RegId>,
    /// Loads of such pairs as numbers of 32 bits, and whether something needs the elements too.
    pair_loads: HashMap<InstId, bool>,
    /// Registers with bytes of others.
    bytes: HashMap<RegId, Byte>,
    /// Phis of vectors of bytes that words go into.
    word_phis: HashSet<InstId>,
    /// The same number in single precision, for registers with bfloat numbers that were rounded from it without loss.
    singles: HashMap<RegId, Val>,
    /// Loads that extend what they load.
    widened: HashMap<InstId, Widening>,
    /// Parameters of which only the low bits are read.
    narrow_parameters: HashMap<usize, Widening>,
    /// In code to debug, the casts in whose place such parameters are loaded.
    loading_casts: HashMap<InstId, usize>,
    /// Stores of the low bits of a wider value.
    narrowed: HashMap<InstId, Value>,
    /// Stores that write pieces of the function's result, with their places.
    returned_pieces: HashMap<InstId, u64>,
    /// Loads of the whole result, which is there already.
    returned: HashSet<InstId>,
    /// What becomes of the pieces of a call's result.
    received: HashMap<InstId, Vec<Piece>>,
    /// What the pieces of a call's argument are.
    passed: HashMap<(InstId, usize), Vec<Piece>>,
    labels: Vec<LabelId>,
    /// Blocks whose label some instruction names.
    targets: HashSet<BlockId>,
    /// Blocks whose label stands among their statements.
    labelled: HashSet<BlockId>,
    /// The blocks to emit, in LLVM's order.
    layout: Vec<BlockId>,
    emitted: HashSet<BlockId>,
    /// The block after each in the text.
    following: HashMap<BlockId, BlockId>,
    /// The first blocks of loops that must not be unrolled.
    rolled: HashSet<BlockId>,
    current: BlockId,
    /// The places, by block and statement, of `.loc` that follow from the instructions' locations.
    implied_locations: HashSet<(BlockId, usize)>,
    /// The variable in which calls pass a variable number of arguments.
    structures: Option<VarId>,
    /// Variables of the body, declared at its start.
    locals: Vec<Stmt>,
    /// Whether floating-point results go to registers of bits for now.
    as_bits: bool,
    /// Whether subnormal single-precision numbers count as zero (`"denormal-fp-math-f32"`).
    flush: bool,
    label_count: u32,
    /// How many statements the block had before the instruction that is selected.
    inst_start: usize,
    /// Register declarations of inline assembly.
    foreign: HashSet<RegDeclId>,
    /// Registers that hold the handle of a texture, sampler or surface.
    handles: HashMap<RegId, Symbol>,
    /// The names of the body's variables that are LLVM's.
    local_names: HashSet<String>,
    /// The last number behind labels that several blocks wanted.
    label_repeats: HashMap<String, u32>,
    /// The names that values want for their registers.
    wanted: Wanted,
    /// The registers that copies of the program write.
    copies: HashSet<RegId>,
    /// What DWARF wants to know of the body.
    marks: trace::Marks,
    /// What 64-bit registers hold that were filled with a constant; nothing else is written to them.
    constants: HashMap<RegId, u64>,
}

impl<'m, 'v, 'c> FunctionRaiser<'m, 'v, 'c> {
    pub(crate) fn new(
        module: &'m mut ModuleRaiser<'v, 'c>,
        id: FunctionId,
        function: &'v Function,
        signature: Signature,
        entry: ptx_ir::FunctionId,
    ) -> Self {
        let variables = |params: &[Param]| -> Vec<VarId> {
            params
                .iter()
                .filter_map(|param| match param {
                    Param::Variable(id) => Some(*id),
                    Param::Register(..) => None,
                })
                .collect()
        };
        let declared = module.ir.function(entry);
        let (params, results) = (variables(&declared.params), variables(&declared.results));
        let registers = |params: &[Param]| -> Vec<RegId> {
            params
                .iter()
                .filter_map(|param| match param {
                    Param::Register(_, register) => Some(*register),
                    Param::Variable(_) => None,
                })
                .collect()
        };
        let (register_params, register_results) = (registers(&declared.params), registers(&declared.results));
        let mut builder = BodyBuilder::new();
        let mut foreign = HashSet::default();
        if let Some(held) = &declared.reg_params {
            foreign.extend((0..held.reg_decls.len() as u32).map(RegDeclId));
            *builder.body_mut() = (**held).clone();
        }
        let denormals = function.attributes.string("denormal-fp-math-f32");
        let denormals = denormals.or_else(|| function.attributes.string("denormal-fp-math"));
        Self {
            module,
            id,
            function,
            signature,
            params,
            result: results.first().copied(),
            register_params,
            register_results,
            builder,
            args: Vec::new(),
            values: PerInst::new(function.insts.len()),
            phi_inputs: HashMap::default(),
            uses: vec![0; function.insts.len()],
            users: Users::default(),
            parameter_users: Users::default(),
            fused: InstSet::default(),
            idle_fields: HashSet::default(),
            spellings: HashMap::default(),
            text_inputs: HashSet::default(),
            text_places: HashMap::default(),
            spelled: InstSet::default(),
            clamped: HashMap::default(),
            divisions: HashMap::default(),
            sign_fields: HashMap::default(),
            joined: HashMap::default(),
            pairs: HashMap::default(),
            whole_pairs: HashMap::default(),
            pair_loads: HashMap::default(),
            bytes: HashMap::default(),
            word_phis: HashSet::default(),
            singles: HashMap::default(),
            widened: HashMap::default(),
            narrow_parameters: HashMap::default(),
            loading_casts: HashMap::default(),
            narrowed: HashMap::default(),
            returned_pieces: HashMap::default(),
            returned: HashSet::default(),
            received: HashMap::default(),
            passed: HashMap::default(),
            labels: Vec::new(),
            targets: HashSet::default(),
            labelled: HashSet::default(),
            layout: Vec::new(),
            emitted: HashSet::default(),
            following: HashMap::default(),
            rolled: HashSet::default(),
            current: BlockId::new(0),
            implied_locations: HashSet::default(),
            structures: None,
            locals: Vec::new(),
            as_bits: false,
            flush: denormals.is_some_and(|mode| mode.starts_with("preserve-sign")),
            label_count: 0,
            inst_start: 0,
            foreign,
            handles: HashMap::default(),
            local_names: HashSet::default(),
            label_repeats: HashMap::default(),
            wanted: Wanted::default(),
            copies: HashSet::default(),
            marks: trace::Marks::default(),
            constants: HashMap::default(),
        }
    }

    /// Raises the body. Findings about single instructions go to the module's list.
    pub(crate) fn run(mut self) -> Raised<Body> {
        let order = self.order_blocks();
        self.make_labels();
        self.count_uses();
        self.pass_directly()?;
        self.spell();
        self.spell_carries();
        self.find_clamped_shifts();
        self.find_divisions();
        self.find_sign_fields();
        self.find_pairs(&order);
        self.widen_accesses();
        self.find_joined();
        self.fuse();
        self.skip_converted();
        self.find_word_phis();
        self.make_phis()?;
        let mut parts: HashMap<BlockId, Vec<Stmt>> = HashMap::default();
        self.prologue()?;
        for block in order {
            self.block(block);
            let mut statements = std::mem::take(&mut self.builder.body_mut().statements);
            if block == BlockId::new(0) {
                self.order_parameters(&mut statements);
            }
            parts.insert(block, statements);
        }
        for local in std::mem::take(&mut self.locals) {
            self.builder.push(local);
        }
        self.drop_cuts(&mut parts);
        self.predicate(&mut parts);
        self.put_together(&mut parts);
        self.have_float_classes();
        let mut body = std::mem::take(&mut self.builder).finish();
        reference::drop_unread(&mut body, &self.handles, &self.constants);
        // In debugging code each register has a place of its own, which calls would have to preserve.
        if !self.module.target.is_debugging() {
            share_addresses(&mut body, &self.foreign);
        }
        let settled = coalesce(&mut body, &self.foreign, &self.copies, self.namesakes());
        if !self.module.target.is_debugging() {
            hoist(&mut body);
        }
        let settled = |register| settled.of(register);
        self.name_registers(&mut body, &settled);
        self.type_accesses(&mut body);
        self.trace(&mut body, &settled);
        Ok(body)
    }

    /// Whether the function is a kernel.
    fn is_kernel(&self) -> bool {
        self.signature.kind == FunctionKind::Kernel
    }

    /// One instruction; a refusal names it.
    fn inst(&mut self, id: InstId) {
        if let Some(parameter) = self.loading_casts.get(&id).copied()
            && let Err(refusal) = self.load_low_bits(parameter)
        {
            return self.refuse_inst(refusal, id);
        }
        if self.fused.contains(&id) {
            return;
        }
        self.as_bits = self.is_read_as_bits(id);
        self.inst_start = self.builder.body().statements.len();
        let result = match self.spellings.remove(&id) {
            Some(spelling) => self.emit_spelling(&spelling),
            None => self.select(id),
        };
        self.as_bits = false;
        let result = result.and_then(|()| self.check_shape(id));
        self.write_zero_offset(id);
        if let Err(refusal) = result {
            self.refuse_inst(refusal, id);
            self.define_anything(id);
        }
    }

    /// Whether a result is cast to bits: it needs no copy when it is in a register of bits from the start. What a phi takes should be in
    /// a register of the phi's type.
    fn is_read_as_bits(&self, id: InstId) -> bool {
        let users = self.users.get(id.index()).unwrap_or_default();
        let is_phi = |user: &InstId| matches!(self.function.inst(*user).op, Op::Phi { .. });
        let is_cast =
            |user: &InstId| matches!(self.function.inst(*user).op, Op::Cast { op: CastOp::BitCast, .. });
        users.iter().any(is_cast) && !users.iter().any(is_phi)
    }

    /// That a result has the leaves of its type: LLVM's verifier accepts intrinsics on types that do not go together.
    fn check_shape(&mut self, id: InstId) -> Raised<()> {
        let Some(values) = self.values.get(id).map(|values| values.len()) else { return Ok(()) };
        if self.leaves(self.type_of(id))?.len() == values {
            return Ok(());
        }
        Err(Refusal::new(INSTRUCTION, "operands and a result whose types do not go together"))
    }

    fn refuse_inst(&mut self, refusal: Refusal, id: InstId) {
        let text = self.module.llvm.instruction_text(self.id, id);
        let place = format!("function {}: {text}", self.function.name);
        self.module.refuse(refusal, &place);
    }

    /// Gives a refused instruction a value, so that its uses are not refused too.
    fn define_anything(&mut self, id: InstId) {
        let leaves = self.leaves(self.function.inst(id).ty).unwrap_or_else(|_| Rc::from([]));
        let values = leaves.iter().map(|_| Val::Bits(0)).collect();
        self.values.insert(id, values);
    }

    fn select(&mut self, id: InstId) -> Raised<()> {
        if let Some(pair) = self.pairs.get(&id).copied() {
            return self.compute_pair(id, pair);
        }
        if let Some(field) = self.sign_fields.get(&id).copied() {
            return self.extend_field(id, field);
        }
        if let Some(division) = self.divisions.get(&id).copied() {
            return self.divide_openly(id, division);
        }
        if let Some(joined) = self.joined.get(&id).copied() {
            return self.join_chosen(id, joined);
        }
        if let Some(shift) = self.clamped.get(&id).copied() {
            return self.shift_clamped(id, shift);
        }
        let function = self.function;
        let inst = function.inst(id);
        match &inst.op {
            Op::FNeg { value, .. } if self.is_quadruple(inst.ty) => {
                self.quadruple_sign(id, "fneg", &[*value]).map(|_| ())
            }
            Op::Binary { lhs, .. } if self.is_quadruple(inst.ty) => self.no_quadruple(id, &[*lhs]),
            Op::Ret { .. }
            | Op::Br { .. }
            | Op::CondBr { .. }
            | Op::Switch { .. }
            | Op::Invoke { .. }
            | Op::IndirectBr { .. }
            | Op::Unreachable => self.terminator(id),
            // The block made its registers before.
            Op::Phi { .. } => Ok(()),
            Op::FNeg { value, .. } => self.float_negate(id, *value),
            Op::Binary { op, lhs, rhs, fast, .. } => self.binary(id, *op, *lhs, *rhs, *fast),
            Op::Cast { op, value, .. } => match self.converted_number(id) {
                Some((number, space)) => self.convert_number(id, number, space),
                None => self.cast(id, *op, *value),
            },
            Op::ICmp { predicate, lhs, rhs } => self.int_compare(id, *predicate, *lhs, *rhs),
            Op::FCmp { predicate, lhs, rhs, .. } => {
                // These two compare nothing.
                if !matches!(predicate, FloatPredicate::True | FloatPredicate::False) {
                    self.no_quadruple(id, &[*lhs])?;
                }
                self.float_compare(id, *predicate, *lhs, *rhs)
            }
            Op::Select { cond, then, other, .. } => self.select_value(id, *cond, *then, *other),
            Op::Alloca { ty, count, align } => self.alloca(id, *ty, *count, *align),
            Op::Load { .. } => self.load(id),
            Op::Store { .. } => self.store(id),
            Op::Gep { source, base, indices, .. } => self.gep(id, *source, *base, indices),
            Op::ExtractElement { vector, index } => self.extract_element(id, *vector, *index),
            Op::InsertElement { vector, element, index } => {
                self.insert_element(id, *vector, *element, *index)
            }
            Op::ShuffleVector { a, b, mask } => self.shuffle_vector(id, *a, *b, mask),
            Op::ExtractValue { aggregate, indices } => self.extract_value(id, *aggregate, indices),
            Op::InsertValue { aggregate, element, indices } => {
                self.insert_value(id, *aggregate, *element, indices)
            }
            Op::Freeze { value } if debugging::is_copy(inst) => self.copy(id, *value),
            Op::Freeze { value } => {
                let frozen = match self.is_open(*value) {
                    true => self.unwritten(id)?,
                    false => self.value(*value)?,
                };
                self.define(id, frozen);
                Ok(())
            }
            Op::Fence { order, scope } => self.fence(*order, scope),
            Op::CmpXchg { .. } => self.compare_exchange(id),
            Op::AtomicRmw { .. } => self.atomic_rmw(id),
            Op::Call(call) => self.call(id, call),
            Op::VaArg { list } => self.next_argument(id, *list),
            Op::Other(name) => Err(Refusal::new(INSTRUCTION, format!("{name} has no counterpart in PTX"))),
        }
    }

    /// Whether a value is left open altogether.
    pub(super) fn is_open(&self, value: Value) -> bool {
        let Value::Const(id) = value else { return false };
        matches!(self.module.view.constant(id), Constant::Undef | Constant::Poison)
    }

    /// Registers that nothing writes hold some value, which is what freezing one that is left open gives.
    fn unwritten(&mut self, id: InstId) -> Raised<Vals> {
        let leaves = self.leaves(self.type_of(id))?;
        Ok(leaves.iter().map(|leaf| Val::reg(self.register_for(leaf.scalar))).collect())
    }

    /// The leaves of a type.
    pub(crate) fn leaves(&mut self, ty: TypeId) -> Raised<Rc<[Leaf]>> {
        self.module.leaves.of(self.module.view, ty)
    }

    /// The type of an instruction's result.
    fn type_of(&self, id: InstId) -> TypeId {
        self.function.inst(id).ty
    }

    /// The type of an operand.
    fn value_type(&self, value: Value) -> Raised<TypeId> {
        let ty = self.module.view.value_type(self.function, value);
        ty.ok_or_else(|| Refusal::new(INSTRUCTION, "an operand that is not data"))
    }

    /// The leaves of an operand's type.
    fn value_leaves(&mut self, value: Value) -> Raised<Rc<[Leaf]>> {
        let ty = self.value_type(value)?;
        self.leaves(ty)
    }

    /// The leaves of an operand.
    fn value(&mut self, value: Value) -> Raised<Vals> {
        match value {
            Value::Arg(at) => {
                let known = self.args.get(at as usize).cloned();
                known.ok_or_else(|| Refusal::new(INSTRUCTION, "a parameter that does not exist"))
            }
            Value::Inst(id) => {
                let known = self.values.get(id).cloned();
                known.ok_or_else(|| {
                    Refusal::new(INSTRUCTION, "an operand that is not computed before its use")
                })
            }
            Value::Const(id) => self.constant(id, 0).map(Rc::from),
            Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => {
                Err(Refusal::new(INSTRUCTION, "an operand that is not data"))
            }
        }
    }

    /// The only leaf of an operand, with what it holds.
    fn scalar(&mut self, value: Value) -> Raised<(Val, Scalar)> {
        let leaves = self.value_leaves(value)?;
        let values = self.value(value)?;
        match (&*leaves, &*values) {
            ([leaf], [val]) => Ok((*val, leaf.scalar)),
            _ => Err(Refusal::new(INSTRUCTION, "an operand of several values where one is needed")),
        }
    }

    /// Sets an instruction's result.
    fn define(&mut self, id: InstId, values: Vals) {
        let is_phi = matches!(self.function.inst(id).op, Op::Phi { .. });
        self.want(Named::Inst(id), &values, if is_phi { Rank::Phi } else { Rank::Value });
        self.values.insert(id, values);
    }

    /// Sets an instruction's result of one leaf.
    fn define_one(&mut self, id: InstId, value: Val) {
        self.define(id, Rc::from([value]));
    }

    /// Notes which registers hold a value, for its name. Where DWARF names registers it knows short names alone.
    fn want(&mut self, named: Named, values: &[Val], rank: Rank) {
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
                self.wanted.note(*register, Wish { rank, named, part });
            }
        }
    }

    /// Names the registers of the finished body, where the style has names.
    fn name_registers(&mut self, body: &mut Body, settled: &dyn Fn(RegId) -> RegId) {
        if self.module.style.names == Names::Numbers {
            return;
        }
        let wanted = std::mem::take(&mut self.wanted);
        let (function, was_ptx) = (self.function, self.module.was_ptx());
        let name_of = |named: Named| register_name(function, was_ptx, named);
        let floats = self.float_registers(body);
        name_registers(body, &mut self.module.ir.strings, wanted, settled, &self.foreign, &floats, &name_of);
    }
}

/// What PTX called the register of a value, or what LLVM calls the value.
fn register_name(function: &Function, was_ptx: bool, named: Named) -> Option<&str> {
    let name = match named {
        // PTX's own registers are called otherwise than the parameters that they hold.
        Named::Parameter(at) => {
            function.params.get(at).map_or("", |own| if was_ptx { "" } else { own.name.as_str() })
        }
        Named::Inst(id) => function.inst(id).name.as_str(),
    };
    // The lowering calls what a register is assigned again by its name, a dot and a number.
    match name.split_once('.') {
        // Names that LLVM's passes give begin with a dot where there was none to begin with.
        Some(("", _)) => None,
        Some((own, _)) if was_ptx => Some(own),
        Some(_) | None => Some(name).filter(|name| !name.is_empty()),
    }
}

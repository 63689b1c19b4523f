//! Decodes the body of a function.

use ptx_diag::{Diagnostic, Span};
use ptx_ir::{
    Body, FunctionId, FunctionKind, Guard as IrGuard, Inst as IrInst, LabelId, Module, Operand, Param, RegId,
    Stmt, Symbol, VarId,
};
use ptx_isa::{
    AsyncSem, ControlSem, Form, OperandKey, OperandKind, ScalarType, Sem, StateSpace, VideoSem, ptx,
};
use rustc_hash::FxHashMap;

use super::modifiers::Modifiers;
use super::{Constants, Decoded, Listing, Reached, finding};
use crate::error::codes;
use crate::layout::{Layout, align_up};
use crate::memory::AddressSize;
use crate::program::{
    Alu, Binary, Dst, Effect, FRAME_ALIGNMENT, Files, Guard, Inst, Op, Origin, Packing, Slot, Src, Ternary,
    Unary,
};

/// The interface and frame layout of a function.
#[derive(Debug, Default)]
pub(super) struct Signature {
    pub(super) params: Vec<Slot>,
    pub(super) results: Vec<Slot>,
    /// Bytes of local memory of a frame.
    pub(super) local: u32,
    /// Offsets of the variables in the frame.
    pub(super) frame: FxHashMap<VarId, u32>,
    /// Offsets of the parameters of a kernel in the parameter space.
    pub(super) kernel_params: FxHashMap<VarId, u32>,
}

/// Number of rows per element of a register.
pub(super) const fn rows_of(ty: ScalarType) -> u32 {
    if ty.bits() == 128 { 2 } else { 1 }
}

/// Mask of the bits used in a row of a register of this type.
pub(super) const fn row_bits(ty: ScalarType) -> u64 {
    if ty.bits() >= 64 { u64::MAX } else { (1 << ty.bits()) - 1 }
}

/// The rows of the registers of a function.
#[derive(Debug)]
pub(super) struct RegisterRows {
    /// The first row of each register.
    firsts: Vec<u32>,
    /// The number of rows.
    count: u32,
}

impl RegisterRows {
    pub(super) fn of(body: &Body) -> Self {
        let (firsts, count) = register_rows(body);
        Self { firsts, count }
    }

    /// The first row of a register of the function.
    pub(super) fn first(&self, register: RegId) -> u32 {
        let first = self.firsts.get(register.index()).copied();
        debug_assert!(first.is_some(), "a register of another function");
        // The row after all registers is none of them.
        first.unwrap_or(self.count)
    }

    fn slot(&self, body: &Body, register: RegId) -> Slot {
        let (ty, first) = (body.reg_type(register), Src::register(self.first(register)));
        Slot::Rows { first, count: body.decl(register).shape.lanes() * rows_of(ty), bits: row_bits(ty) }
    }
}

/// The first row of each register, and the total number of rows.
fn register_rows(body: &Body) -> (Vec<u32>, u32) {
    let mut next = 0u32;
    let firsts = (0..body.registers.len())
        .map(|index| {
            let first = next;
            let decl = body.decl(RegId(index as u32));
            next = next.saturating_add(decl.shape.lanes() * rows_of(decl.ty));
            first
        })
        .collect();
    (firsts, next)
}

/// The parameters of a kernel with their offsets and sizes in the parameter space, in order, and the total size.
pub(crate) type KernelParameters = (Vec<(VarId, u32, u32)>, u32);

/// Lays out the parameters of a kernel.
///
/// # Errors
/// Parameters that cannot be passed.
pub(crate) fn kernel_parameters(module: &Module, kernel: FunctionId) -> Decoded<KernelParameters> {
    let mut places = Vec::new();
    let mut next = 0u64;
    for param in &module.function(kernel).params {
        let Param::Variable(id) = *param else {
            return finding(codes::UNSUPPORTED, module.function(kernel).at.0, "a kernel takes no registers");
        };
        let variable = module.variable(id);
        let size = variable.bytes().filter(|&bytes| bytes <= 1 << 16);
        let Some(size) = size else {
            return finding(codes::SIZE, variable.at.0, "the parameter is larger than 65536 bytes");
        };
        let at = align_up(next, variable.alignment().into());
        next = at + size;
        places.push((id, at as u32, size as u32));
    }
    Ok((places, next as u32))
}

/// The maximum number of bytes that calls in a program pass to a parameter of unspecified size.
pub(super) fn open_room(module: &Module, functions: &[FunctionId]) -> u64 {
    let bodies = functions.iter().filter_map(|&id| module.function(id).body.as_ref());
    let passed = bodies.flat_map(|body| {
        let calls =
            body.instructions().filter(|(_, inst)| inst.mnemonic.sem() == Sem::Control(ControlSem::Call));
        calls.filter_map(|(_, inst)| {
            let arguments = inst.mnemonic.form().operand(OperandKey::Args)?;
            let Some(Operand::List(list)) = body.operands(inst).get(arguments) else { return None };
            let Some(Operand::Symbol(Symbol::Variable(id), _)) = body.list(*list).last() else { return None };
            module.variable(*id).bytes()
        })
    });
    passed.fold(0, u64::max)
}

/// Whether a parameter has unspecified size, taking as many bytes as a call passes.
pub(super) fn is_open(module: &Module, param: Param) -> bool {
    matches!(param, Param::Variable(id) if matches!(module.variable(id).dims.first(), Some(None | Some(0))))
}

/// Lays out the frame of a function, in which parameters of unspecified size get `open` bytes.
///
/// # Errors
/// Variables that do not fit in a frame.
pub(super) fn signature(module: &Module, id: FunctionId, open: u64) -> Decoded<Signature> {
    let function = module.function(id);
    let mut signature = Signature::default();
    let mut next = 0u64;
    let Some(body) = &function.body else { return Ok(signature) };
    let rows = RegisterRows::of(body);
    let is_kernel = function.kind == FunctionKind::Kernel;
    if is_kernel {
        let (places, _) = kernel_parameters(module, id)?;
        signature.kernel_params = places.into_iter().map(|(id, at, _)| (id, at)).collect();
    }
    // One slot for each variable, in program order; scopes do not share slots, so that an address stays valid for the whole call.
    let mut place = |signature: &mut Signature, id: VarId| -> Decoded<Slot> {
        let variable = module.variable(id);
        let align = variable.alignment();
        if align > FRAME_ALIGNMENT {
            let text = format!("alignments over {FRAME_ALIGNMENT} bytes on the stack cannot be executed");
            return finding(codes::UNSUPPORTED, variable.at.0, text);
        }
        let is_one = variable.count.is_none_or(|count| count <= 1);
        let is_open = is_open(module, Param::Variable(id));
        let size = if is_open { Some(open) } else { variable.bytes() };
        let size = size.filter(|&bytes| bytes <= 1 << 24 && is_one);
        let Some(size) = size else {
            return finding(
                codes::SIZE,
                variable.at.0,
                "the variable is too large for the stack of a thread",
            );
        };
        let at = align_up(next, align.into());
        next = at + size;
        if next > 1 << 26 {
            return finding(
                codes::SIZE,
                variable.at.0,
                "the variables of the function are too large for a stack",
            );
        }
        signature.frame.insert(id, at as u32);
        let (offset, size) = (at as u32, size as u32);
        Ok(if is_open { Slot::Open { offset, size } } else { Slot::Memory { offset, size } })
    };
    if !is_kernel {
        for (list, results) in [(&function.params, false), (&function.results, true)] {
            for param in list {
                let slot = match *param {
                    Param::Variable(id) => place(&mut signature, id)?,
                    Param::Register(_, register) => rows.slot(body, register),
                };
                if results { signature.results.push(slot) } else { signature.params.push(slot) }
            }
        }
    }
    for stmt in &body.statements {
        if let Stmt::Variable(id) = stmt
            && matches!(
                module.variable(*id).space,
                StateSpace::Local | StateSpace::Param | StateSpace::ParamFunc
            )
        {
            place(&mut signature, *id)?;
        }
    }
    signature.local = next as u32;
    Ok(signature)
}

/// A unary operation on whole registers.
pub(super) const fn unary(op: Unary, d: Dst, a: Src) -> Alu {
    Alu::Unary { op, packing: Packing::Whole, d, a }
}

/// A binary operation on whole registers.
pub(super) const fn binary(op: Binary, d: Dst, a: Src, b: Src) -> Alu {
    Alu::Binary { op, packing: Packing::Whole, d, a, b }
}

/// A ternary operation on whole registers.
pub(super) const fn ternary(op: Ternary, d: Dst, [a, b, c]: [Src; 3]) -> Alu {
    Alu::Ternary { op, packing: Packing::Whole, d, a, b, c }
}

/// The state of decoding a body.
pub(super) struct BodyDecoder<'a> {
    pub(super) module: &'a Module,
    pub(super) reached: &'a Reached,
    pub(super) layout: &'a Layout,
    pub(super) body: &'a Body,
    pub(super) signature: &'a Signature,
    pub(super) is_kernel: bool,
    /// The address size.
    pub(super) size: AddressSize,
    index: u32,
    rows: RegisterRows,
    /// The row of the condition code (manual 9.7.2).
    pub(super) carry: u32,
    /// The row that receives ignored results.
    pub(super) sink: u32,
    /// The first row for temporaries of an instruction, the number the current instruction uses, and the maximum over the function.
    temporaries: u32,
    used: u32,
    most: u32,
    labels: Vec<Option<u32>>,
    /// Branches with unresolved labels: instruction, index in its list of targets, label.
    pending: Vec<(u32, usize, LabelId, Span)>,
    /// The source line of the next instructions.
    line: Option<u32>,
    /// The used bytes of the next load.
    pub(super) used_bytes: u32,
}

/// The instruction being decoded, and the decoding output.
pub(super) struct Context<'c> {
    pub(super) inst: &'c IrInst,
    pub(super) m: Modifiers,
    pub(super) operands: &'c [Operand],
    pub(super) spans: &'c [Span],
    pub(super) guard: Option<Guard>,
    pub(super) program: &'c mut Listing,
    pub(super) constants: &'c mut Constants,
    index: u32,
    line: Option<u32>,
}

impl Context<'_> {
    /// Appends an instruction with the guard.
    pub(super) fn emit(&mut self, op: impl Into<Op>) {
        let guard = self.guard;
        self.emit_always(op.into(), guard);
    }

    /// Appends an instruction that only computes an operand; it does not need the guard.
    pub(super) fn prepare(&mut self, op: impl Into<Op>) {
        self.emit_always(op.into(), None);
    }

    fn emit_always(&mut self, op: Op, guard: Option<Guard>) {
        self.program.code.push(Inst { guard, op });
        let (span, mnemonic) = (self.inst.at.0, self.inst.mnemonic);
        self.program.origins.push(Origin { span, mnemonic, function: self.index, line: self.line });
    }

    /// The index of an operand; `None` if the row has no such operand.
    pub(super) fn find(&self, key: OperandKey) -> Option<usize> {
        self.m.form().operand(key)
    }

    /// The index and value of an operand that every row that gets here has.
    pub(super) fn operand(&self, key: OperandKey) -> Decoded<(usize, Operand)> {
        match self.find(key).and_then(|at| Some((at, *self.operands.get(at)?))) {
            Some(found) => Ok(found),
            None => self.unsupported(&format!("its row has no operand `{}`", key.as_str())),
        }
    }

    /// The index and value of an operand; `None` if the row has no such operand, or the program omits it.
    pub(super) fn given(&self, key: OperandKey) -> Option<(usize, Operand)> {
        let at = self.find(key)?;
        let operand = self.operands.get(at).filter(|operand| !operand.is_omitted())?;
        Some((at, *operand))
    }

    /// The position of an operand.
    pub(super) fn span(&self, at: usize) -> Span {
        self.spans.get(at).copied().unwrap_or(self.inst.at.0)
    }

    /// A diagnostic for an instruction that the interpreter cannot execute.
    pub(super) fn unsupported<T>(&self, why: &str) -> Decoded<T> {
        finding(codes::UNSUPPORTED, self.inst.at.0, format!("`{}` cannot be executed: {why}", self.m))
    }
}

/// Decodes one instruction.
pub(super) type Decode<'a> = fn(&mut BodyDecoder<'a>, &mut Context<'_>) -> Decoded<()>;

/// Whether the interpreter supports a row; individual modifiers may still be refused.
pub(crate) fn executes(form: &Form) -> bool {
    BodyDecoder::decoder(form.sem).is_some()
}

impl<'a> BodyDecoder<'a> {
    pub(super) fn new(
        module: &'a Module,
        reached: &'a Reached,
        layout: &'a Layout,
        id: FunctionId,
        index: u32,
        body: &'a Body,
        signature: &'a Signature,
    ) -> Self {
        let rows = RegisterRows::of(body);
        let count = rows.count;
        Self {
            module,
            reached,
            layout,
            body,
            signature,
            is_kernel: module.function(id).kind == FunctionKind::Kernel,
            size: layout.address_size,
            index,
            rows,
            carry: count,
            sink: count + 1,
            temporaries: count + 2,
            used: 0,
            most: 0,
            labels: vec![None; body.labels.len()],
            pending: Vec::new(),
            line: None,
            used_bytes: u32::MAX,
        }
    }

    /// Appends the function to the program; returns its number of rows and all diagnostics.
    pub(super) fn run(
        mut self,
        program: &mut Listing,
        constants: &mut Constants,
        files: &mut Files,
    ) -> (u32, Vec<Diagnostic>) {
        let mut errors = Vec::new();
        let mut last = None;
        for stmt in &self.body.statements {
            match stmt {
                Stmt::Inst(inst) => {
                    last = Some(inst);
                    if let Err(error) = self.instruction(inst, program, constants) {
                        errors.push(*error);
                    }
                    self.used_bytes = u32::MAX;
                }
                Stmt::Label(label) => {
                    if let Some(place) = self.labels.get_mut(label.0 as usize) {
                        *place = Some(program.code.len() as u32);
                    }
                }
                Stmt::BranchTargets(..)
                | Stmt::CallTargets(..)
                | Stmt::CallPrototype(..)
                | Stmt::Registers(..)
                | Stmt::Variable(_)
                | Stmt::ScopeStart
                | Stmt::ScopeEnd
                | Stmt::Comment(_)
                | Stmt::TrailingComment(_)
                | Stmt::Mark(_) => {}
                Stmt::Location(location) => {
                    self.line = files.line(location).map(|line| {
                        program.lines.push(line);
                        program.lines.len() as u32 - 1
                    });
                }
                Stmt::Pragma(texts) => {
                    let mut masks =
                        texts.iter().filter_map(|text| ptx_ir::used_bytes(self.module.name(*text)));
                    self.used_bytes = masks.next_back().unwrap_or(self.used_bytes);
                }
            }
        }
        // Falling off the end returns.
        let span = match last {
            Some(inst) => inst.at.0,
            // A body without instructions has no place of its own.
            None => Span::default(),
        };
        program.code.push(Inst { guard: None, op: Effect::Return.into() });
        program.origins.push(Origin { span, mnemonic: ptx!("ret"), function: self.index, line: self.line });
        self.resolve(program, &mut errors);
        (self.temporaries + self.most, errors)
    }

    fn instruction(
        &mut self,
        inst: &IrInst,
        program: &mut Listing,
        constants: &mut Constants,
    ) -> Decoded<()> {
        self.used = 0;
        let guard = inst
            .guard
            .map(|guard: IrGuard| Guard { row: self.row_of(guard.register), negated: guard.negated });
        let (operands, spans) = (self.body.operands(inst), self.body.operand_spans(inst));
        let (m, index, line) = (Modifiers::new(inst.mnemonic), self.index, self.line);
        let mut cx = Context { inst, m, operands, spans, guard, program, constants, index, line };
        if operands.len() != cx.m.form().operands.len() {
            let text = format!("`{}` has the wrong number of operands", cx.m);
            return finding(codes::OPERAND, inst.at.0, text);
        }
        // For an unsupported operation no modifier is to blame.
        let Some(decode) = Self::decoder(cx.m.sem()) else {
            return cx.unsupported(match cx.m.sem() {
                Sem::Async(AsyncSem::Fabric) => {
                    "there is no other device, and the manual does not define what a handle names"
                }
                _ => "the interpreter has no such operation",
            });
        };
        decode(self, &mut cx)?;
        self.fill_wide(&mut cx);
        match cx.m.untaken() {
            None => Ok(()),
            Some(modifier) => cx.unsupported(&format!("`.{}` is not supported", modifier.as_str())),
        }
    }

    /// Fills the remaining bits of 128-bit registers that receive a narrower result (manual 9.4.1).
    fn fill_wide(&self, cx: &mut Context<'_>) {
        for (at, place) in cx.m.form().operands.iter().enumerate() {
            let wide = matches!(place.kind, OperandKind::Wide(_) | OperandKind::WideVector(..))
                && place.role.is_written();
            if let (true, Some(ty), Some(&operand)) = (wide, cx.m.operand_type(at), cx.operands.get(at)) {
                self.elements(operand).into_iter().for_each(|element| self.fill_upper(cx, element, ty));
            }
        }
    }

    /// The decoder of instructions with these semantics; `None` for unsupported operations.
    fn decoder(sem: Sem) -> Option<Decode<'a>> {
        Some(match sem {
            Sem::Arith(sem) => Self::arith_decoder(sem),
            Sem::Bits(sem) => Self::bits_decoder(sem),
            Sem::Compare(sem) => Self::compare_decoder(sem),
            Sem::Video(VideoSem::Video) => Self::video,
            Sem::Video(VideoSem::VideoSimd) => Self::video_lanes,
            Sem::Move(sem) => Self::move_decoder(sem),
            Sem::Memory(sem) => Self::memory_decoder(sem),
            Sem::Async(sem) => return Self::async_decoder(sem),
            Sem::Texture(sem) => Self::texture_decoder(sem),
            Sem::Warp(sem) => Self::warp_decoder(sem),
            Sem::Block(sem) => Self::block_decoder(sem),
            Sem::Matrix(sem) => Self::matrix_decoder(sem),
            Sem::Control(sem) => Self::control_decoder(sem),
        })
    }

    /// An operation that no modifier affects, for the given reason.
    pub(super) fn plain(&mut self, cx: &mut Context<'_>, op: Effect, why: &'static str) -> Decoded<()> {
        cx.m.ignore_all(why);
        cx.emit(op);
        Ok(())
    }

    /// The first row of a register.
    pub(super) fn row_of(&self, register: RegId) -> u32 {
        self.rows.first(register)
    }

    /// A register as an argument or result of a call.
    pub(super) fn slot_of(&self, register: RegId) -> Slot {
        self.rows.slot(self.body, register)
    }

    /// A temporary row within the current instruction.
    pub(super) fn temporary(&mut self) -> Dst {
        let row = self.temporaries + self.used;
        self.used += 1;
        self.most = self.most.max(self.used);
        row
    }

    /// Records that a target of the instruction about to be emitted is a label.
    pub(super) fn pend(&mut self, cx: &Context<'_>, place: usize, label: LabelId, span: Span) {
        self.pending.push((cx.program.code.len() as u32, place, label, span));
    }

    fn resolve(&self, program: &mut Listing, errors: &mut Vec<Diagnostic>) {
        for &(pc, place, label, span) in &self.pending {
            let Some(target) = self.labels.get(label.0 as usize).copied().flatten() else {
                let name = self.module.name(self.body.labels[label.0 as usize].name);
                errors.push(Diagnostic::error(
                    codes::UNDEFINED,
                    span,
                    format!("no code follows label `{name}`"),
                ));
                continue;
            };
            match program.code.get_mut(pc as usize).map(|inst| &mut inst.op) {
                Some(Op::Effect(Effect::Branch { target: place })) => *place = target,
                Some(Op::Effect(Effect::BranchIndexed { targets, .. })) => {
                    if let Some(place) = targets.get_mut(place) {
                        *place = target;
                    }
                }
                _ => {}
            }
        }
    }
}

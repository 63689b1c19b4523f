//! Pieces of real kernels as kernels of their own, so that what passes make of whole computations can be proved.
//!
//! A piece is a row of statements that control enters at its beginning and leaves at its end: integer instructions, branches forward inside of it, and between
//! them anything else that the kernel does without branching. What the rest reads is stored at the end, and what it writes (a load, a special register, arithmetic
//! on floating-point numbers, a barrier's result) is an input:
//!
//! ```text
//! mov.u32    %r1, %tid.x;                 ld.global.b32  %r1, [%in];
//! shl.b32    %r2, %r1, 3;                 shl.b32    %r2, %r1, 3;
//! add.s64    %rd2, %rd1, 64;       -->    add.s64    %rd2, %rd1, 64;
//! ld.global.u32  %r3, [%rd2];             add.s32    %r4, %r2, %r3;
//! add.s32    %r4, %r2, %r3;               st.global.b64  [%out+16], %rd2; ..
//! ```

use std::collections::{BTreeSet, HashMap};

use ptx_gen::{Home, TARGETS};
use ptx_ir::{Body, Inst, Item, LabelId, Module, Operand, RegId, Stmt, VectorShape, print_statement};
use ptx_isa::{ControlSem, Mnemonic, PtxVersion, ScalarType, Sem};

use crate::differential::{Case, Nans, Register, is_scalar, name_of};

/// How many integer instructions a piece has at most, since solvers take more than proportional time for more.
const LONGEST: usize = 24;
/// Shorter ones say little.
const SHORTEST: usize = 4;

/// The pieces of a module's functions, in order, for the newest target.
pub fn blocks(module: &Module) -> Vec<Case> {
    let home = Home { version: PtxVersion::NEWEST, sm: TARGETS[0] };
    let functions = module.items.iter().filter_map(|item| match item {
        Item::Function(id) => module.function(*id).body.as_ref(),
        _ => None,
    });
    functions.flat_map(|body| Function::new(module, body).pieces(home)).collect()
}

/// A function with where its registers and labels are named.
struct Function<'m> {
    module: &'m Module,
    body: &'m Body,
    /// The first and the last statement that names a register.
    named: HashMap<RegId, (usize, usize)>,
    /// The first and the last branch to a label.
    branches: HashMap<LabelId, (usize, usize)>,
    /// Where labels are.
    labels: HashMap<LabelId, usize>,
}

/// What a statement is for a piece.
enum Part<'m> {
    /// It computes integers, and is in the piece.
    Computes(&'m Inst),
    /// What it reads is stored, and what it writes is an input.
    Outside(&'m Inst),
    /// A branch.
    Branch(&'m Inst, LabelId),
    /// A label.
    Label(LabelId),
    /// It has no effect.
    Nothing,
    /// No piece goes past it.
    End,
}

/// A piece that grows.
#[derive(Clone, Default)]
struct Piece {
    text: String,
    /// The integer instructions in it.
    count: usize,
    first: Option<Mnemonic>,
    /// Registers that are inputs, or read by what is outside.
    open: BTreeSet<RegId>,
    written: BTreeSet<RegId>,
    read: BTreeSet<RegId>,
    /// Labels of branches that were not met yet.
    pending: BTreeSet<LabelId>,
}

impl<'m> Function<'m> {
    fn new(module: &'m Module, body: &'m Body) -> Self {
        let (mut named, mut branches) = (HashMap::new(), HashMap::new());
        for (at, inst) in body.instructions() {
            body.for_each_register(inst, |register, _| {
                named.entry(register).or_insert((at, at)).1 = at;
            });
            for operand in body.operands(inst) {
                if let Operand::Label(label) = operand {
                    branches.entry(*label).or_insert((at, at)).1 = at;
                }
            }
        }
        let labels = body.statements.iter().enumerate().filter_map(|(at, statement)| match statement {
            Stmt::Label(label) => Some((*label, at)),
            _ => None,
        });
        Self { module, body, named, branches, labels: labels.collect() }
    }

    fn pieces(&self, home: Home) -> Vec<Case> {
        let mut cases = Vec::new();
        let mut from = 0;
        while from < self.body.statements.len() {
            let (piece, end) = self.longest(from);
            if piece.count >= SHORTEST {
                cases.extend(self.case(&piece, from, end, home));
            }
            from = end.max(from + 1);
        }
        cases
    }

    /// The longest piece from a statement on in which all branches arrive, and the statement after it.
    fn longest(&self, from: usize) -> (Piece, usize) {
        let mut piece = Piece::default();
        let mut whole = (Piece::default(), from);
        for at in from..self.body.statements.len() {
            if piece.count == LONGEST || !self.extend(&mut piece, from, at) {
                break;
            }
            if piece.pending.is_empty() {
                whole = (piece.clone(), at + 1);
            }
        }
        whole
    }

    /// Adds a statement; `false` if it cannot be in the piece.
    fn extend(&self, piece: &mut Piece, from: usize, at: usize) -> bool {
        match self.part(&self.body.statements[at]) {
            Part::End => return false,
            Part::Nothing => return true,
            Part::Label(label) => {
                // Control comes from branches in the piece alone.
                let inside = |(first, last): &(usize, usize)| from <= *first && *last < at;
                if !self.branches.get(&label).is_none_or(inside) {
                    return false;
                }
                piece.pending.remove(&label);
            }
            Part::Branch(inst, label) => {
                if self.labels.get(&label).is_none_or(|target| *target < at) {
                    return false;
                }
                self.reads(piece, inst);
                piece.pending.insert(label);
            }
            Part::Outside(inst) => return self.leaves(piece, inst),
            Part::Computes(inst) => {
                self.reads(piece, inst);
                let is_guarded = inst.guard.is_some() || !piece.pending.is_empty();
                self.body.for_each_register(inst, |register, role| {
                    if role.is_written() {
                        // What it keeps where it is not executed is an input.
                        if is_guarded && !piece.written.contains(&register) {
                            piece.open.insert(register);
                        }
                        piece.written.insert(register);
                    }
                });
                piece.count += 1;
                piece.first.get_or_insert(inst.mnemonic);
            }
        }
        piece.text += &print_statement(self.module, self.body, &self.body.statements[at]);
        piece.text.push('\n');
        true
    }

    fn reads(&self, piece: &mut Piece, inst: &Inst) {
        self.body.for_each_register(inst, |register, role| {
            if role.is_read() {
                if !piece.written.contains(&register) {
                    piece.open.insert(register);
                }
                piece.read.insert(register);
            }
        });
    }

    /// An instruction that is not in the piece: what it reads is observed; `false` if what it writes was a register of the piece before.
    fn leaves(&self, piece: &mut Piece, inst: &Inst) -> bool {
        let mut is_new = inst.guard.is_none() && piece.pending.is_empty();
        self.body.for_each_register(inst, |register, role| {
            if role.is_written() {
                is_new &= !piece.written.contains(&register)
                    && !piece.read.contains(&register)
                    && !piece.open.contains(&register);
            }
        });
        if is_new {
            self.body.for_each_register(inst, |register, _| {
                piece.open.insert(register);
            });
        }
        is_new
    }

    fn part(&self, statement: &'m Stmt) -> Part<'m> {
        match statement {
            Stmt::Inst(inst) => match (inst.mnemonic.sem(), self.body.operands(inst)) {
                (Sem::Control(ControlSem::Bra), [Operand::Label(label)]) => Part::Branch(inst, *label),
                (Sem::Control(_), _) => Part::End,
                _ if self.is_integer(inst) => Part::Computes(inst),
                _ => Part::Outside(inst),
            },
            Stmt::Label(label) => Part::Label(*label),
            Stmt::Location(_)
            | Stmt::Pragma(_)
            | Stmt::Comment(_)
            | Stmt::TrailingComment(_)
            | Stmt::Mark(_) => Part::Nothing,
            Stmt::Registers(..) => Part::Nothing,
            Stmt::Variable(_)
            | Stmt::ScopeStart
            | Stmt::ScopeEnd
            | Stmt::BranchTargets(..)
            | Stmt::CallTargets(..)
            | Stmt::CallPrototype(..) => Part::End,
        }
    }

    /// Whether an instruction computes integers from registers and constants.
    fn is_integer(&self, inst: &Inst) -> bool {
        let places = inst.mnemonic.form().operands.len();
        let is_plain = |ty: ScalarType| ty == ScalarType::Pred || ty.is_integer_or_bits();
        let mut is_integer = is_scalar(inst.mnemonic.form())
            && (0..places).filter_map(|at| inst.mnemonic.operand_type(at)).all(is_plain);
        self.body.for_each_operand(inst, |operand, _| {
            is_integer &= match operand {
                Operand::Register(register) | Operand::Not(register) => {
                    self.body.decl(register).shape == VectorShape::Scalar
                        && is_plain(self.body.reg_type(register))
                }
                Operand::Immediate(_) | Operand::Vector(_) | Operand::Sink | Operand::Omitted => true,
                _ => false,
            };
        });
        is_integer
    }

    /// The piece as an instruction that has several statements; `None` if registers have the same name.
    fn case(&self, piece: &Piece, from: usize, end: usize, home: Home) -> Option<Case> {
        let is_outside = |register: &RegId| {
            self.named.get(register).is_none_or(|(first, last)| *first < from || end <= *last)
        };
        let mut names = BTreeSet::new();
        let (mut registers, mut inner) = (Vec::new(), String::new());
        let all: BTreeSet<RegId> =
            piece.open.iter().chain(&piece.written).chain(&piece.read).copied().collect();
        for register in all {
            let name = name_of(self.module, self.body, register);
            let declared = self.body.reg_type(register);
            if self.body.decl(register).shape != VectorShape::Scalar || !names.insert(name.clone()) {
                return None;
            }
            if piece.open.contains(&register) || is_outside(&register) {
                registers.push(Register { name, declared, read: None, divides: false, computed: None });
            } else {
                inner += &format!(".reg .{} {name};\n", declared.as_str());
            }
        }
        Some(Case {
            mnemonic: piece.first?,
            text: format!("{{\n{inner}{}}}", piece.text),
            registers,
            home,
            nans: Nans::Any,
        })
    }
}

//! One instruction, with the registers that it names.

use ptx_gen::{Choices, Home, Instruction, Seeded, TARGETS, check, instruction_of, module};
use ptx_ir::{Body, Item, Module, Operand as IrOperand, RegId};
use ptx_isa::{
    ArithSem, AsyncSem, BlockSem, CompareSem, Effects, Form, MemorySem, Mnemonic, Mod, MoveSem, Operand,
    OperandKey, OperandKind, PtxVersion, Role, ScalarType, Sem, Sm, SmVariant, TextureSem, TypeKind,
};

/// The newest version that LLVM 22 writes.
const LLVM_VERSION: PtxVersion = PtxVersion::new(9, 0);
/// How often operands are generated until the verifier accepts.
const ATTEMPTS: usize = 24;

/// A register of an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// Its name, `%b32_0`.
    pub name: String,
    /// What it is declared as.
    pub declared: ScalarType,
    /// As what the instruction reads it, when it does.
    pub read: Option<ScalarType>,
    /// Whether it divides integers; what a division by zero gives is open (manual 9.7.1.8).
    pub divides: bool,
    /// What the instruction computes into it, when that is a floating-point number or several.
    pub computed: Option<ScalarType>,
}

/// Which bits a computed NaN may have where our emitter gives back what was lowered, without an optimizer between
/// (docs/mapping.md, "NaN bits").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nans {
    /// Those that PTX gives it.
    Exact,
    /// Those of any NaN.
    Any,
}

/// An instruction that is a function of registers.
#[derive(Clone, Debug)]
pub struct Case {
    /// The row with its modifiers.
    pub mnemonic: Mnemonic,
    /// The instruction, with what surrounds it: a chain of carries begins before and ends after it.
    pub text: String,
    /// The registers of the text.
    pub registers: Vec<Register>,
    /// The version and the architecture it is for.
    pub home: Home,
    /// What is asked of NaNs without an optimizer; with one, and from llc, they may have any bits.
    pub nans: Nans,
}

/// Whether all that instructions of a row do is to compute registers from registers and constants.
///
/// Conversions of addresses and tests of them depend on where memory lies, and are not.
pub fn is_scalar(form: &Form) -> bool {
    let on_addresses = matches!(
        form.sem,
        Sem::Move(MoveSem::Cvta | MoveSem::Isspacep)
            | Sem::Texture(TextureSem::Istypep)
            | Sem::Block(BlockSem::Mapa | BlockSem::Getctarank)
            | Sem::Memory(MemorySem::CreatePolicy)
    );
    let on_barriers =
        matches!(form.sem, Sem::Async(AsyncSem::MbarrierPendingCount) | Sem::Block(BlockSem::QueryCancel));
    let plain = |operand: &Operand| match operand.kind {
        OperandKind::Value(_)
        | OperandKind::Register(_)
        | OperandKind::Untyped(_)
        | OperandKind::Wide(_)
        | OperandKind::WideVector(..)
        | OperandKind::Vector(..)
        | OperandKind::Elements(..)
        | OperandKind::Registers(..)
        | OperandKind::Move(_)
        | OperandKind::Predicate
        | OperandKind::Immediate(..)
        | OperandKind::Braced(..)
        | OperandKind::Selected(..)
        | OperandKind::Signed(..) => true,
        OperandKind::CachePolicy
        | OperandKind::Address
        | OperandKind::AddressIn(_)
        | OperandKind::TensorAddress
        | OperandKind::LooseAddress
        | OperandKind::Bracketed(_)
        | OperandKind::Reference
        | OperandKind::Coordinates(_)
        | OperandKind::Label
        | OperandKind::BranchTargets
        | OperandKind::Callee
        | OperandKind::Results
        | OperandKind::Arguments
        | OperandKind::CallTargets => false,
    };
    let writes = form.operands.iter().any(|operand| operand.role == Role::Def);
    writes
        && form.effects == Effects::NONE
        && !on_addresses
        && !on_barriers
        && form.operands.iter().all(plain)
}

impl Case {
    /// The mnemonic with random operands, for the newest target or, as often, for an older one that the seed names;
    /// `None` when no attempt was accepted.
    pub fn generate(choices: &mut Seeded, mnemonic: Mnemonic, seed: u64) -> Option<Self> {
        let older = older(seed, &mnemonic).filter(|_| choices.below(2) == 0);
        let home = older.or_else(|| home(&mnemonic))?;
        Self::draw_at(choices, mnemonic, home)
    }

    /// The mnemonic with operands as general as they can be, for the newest target: of some random ones the one that reads the
    /// most registers, different ones.
    pub fn general(choices: &mut Seeded, mnemonic: Mnemonic) -> Option<Self> {
        const DRAWS: usize = 6;
        let home = home(&mnemonic)?;
        let read = |case: &Self| case.registers.iter().filter(|one| one.read.is_some()).count();
        let mut best: Option<Self> = None;
        for case in (0..DRAWS).filter_map(|_| Self::draw_at(choices, mnemonic, home)) {
            if best.as_ref().is_none_or(|best| read(best) < read(&case)) {
                best = Some(case);
            }
        }
        best
    }

    /// The mnemonic with random operands, for a target; `None` when no attempt was accepted.
    pub fn draw_at(choices: &mut Seeded, mnemonic: Mnemonic, home: Home) -> Option<Self> {
        (0..ATTEMPTS).find_map(|_| {
            let generated = instruction_of(choices, mnemonic);
            if !generated.symbols.is_empty() {
                return None;
            }
            let module = check(&module(home, [&generated]).text).ok()?;
            Self::of(choices, &module, &generated, home)
        })
    }

    /// An instruction of a mnemonic that the verifier accepts at home; a random one, which may be none.
    pub(super) fn instruction(choices: &mut Seeded, mnemonic: Mnemonic, home: Home) -> Option<Instruction> {
        let generated = instruction_of(choices, mnemonic);
        let alone = generated.symbols.is_empty() && generated.before.is_empty();
        let module = check(&module(home, [&generated]).text).ok().filter(|_| alone)?;
        Self::of(choices, &module, &generated, home).map(|_| generated)
    }

    /// The registers of the only instruction of a module besides `ret`; `None` when it reads special registers.
    fn of(choices: &mut Seeded, module: &Module, generated: &Instruction, home: Home) -> Option<Self> {
        let body = module.items.iter().find_map(|item| match item {
            Item::Function(id) => module.function(*id).body.as_ref(),
            _ => None,
        })?;
        let (_, inst) = body.instructions().next()?;
        if inst.mnemonic != generated.mnemonic {
            return None;
        }
        let mut registers = declared(generated);
        // What is written is not read, and the other way round; guards have no place.
        let mut name = |register: RegId, ty: Option<ScalarType>, written: bool, divides: bool| {
            let known = name_of(module, body, register);
            if let Some(found) = registers.iter_mut().find(|one| one.name == known) {
                if !written {
                    found.read = ty.or(Some(found.declared));
                    found.divides |= divides;
                }
                if written && computes(inst.mnemonic.sem()) {
                    found.computed = ty.filter(|ty| lanes(*ty).is_some());
                }
            }
        };
        if let Some(guard) = inst.guard {
            name(guard.register, None, false, false);
        }
        for (at, (place, operand)) in
            inst.mnemonic.form().operands.iter().zip(body.operands(inst)).enumerate()
        {
            let ty = inst.mnemonic.operand_type(at);
            let written = place.role.is_written();
            let divides = place.key == OperandKey::B && divides(&inst.mnemonic);
            for part in parts(body, *operand) {
                match part {
                    IrOperand::Register(register)
                    | IrOperand::Not(register)
                    | IrOperand::Element(register, _)
                    | IrOperand::Selected(register, _)
                    | IrOperand::Negated(register, _) => name(register, ty, written, divides),
                    IrOperand::Special(..) => return None,
                    IrOperand::Immediate(value) if divides && value.as_integer() == Some(0) => return None,
                    _ => {}
                }
            }
        }
        let (before, after) = carries(choices, inst.mnemonic.sem(), &mut registers);
        let text = format!("{before}{} {}{after}", generated.before, generated.text);
        // Copies and widening conversions pass on a NaN or make it quiet, as the hardware does (manual 9.7.9.21).
        // A difference with a mode is a sum with the opposite, also where that is a NaN (docs/mapping.md, "Exact floating point").
        let directed = [Mod::Rz, Mod::Rm, Mod::Rp].into_iter().any(|mode| generated.mnemonic.has(mode));
        let is_open = generated.mnemonic.sem() == Sem::Move(MoveSem::Cvt)
            || generated.mnemonic.sem() == Sem::Arith(ArithSem::Sub) && directed;
        let nans = if is_open { Nans::Any } else { Nans::Exact };
        Some(Self { mnemonic: generated.mnemonic, text: text.trim().to_owned(), registers, home, nans })
    }
}

/// The registers that an instruction names.
fn declared(generated: &Instruction) -> Vec<Register> {
    let of_type = |&ty: &ScalarType| {
        let names = (0..generated.registers.count(ty)).map(move |number| ptx_gen::register(ty, number));
        names.map(move |name| Register { name, declared: ty, read: None, divides: false, computed: None })
    };
    ScalarType::ALL.iter().flat_map(of_type).collect()
}

/// The name of a register in the text of its module.
pub(crate) fn name_of(module: &Module, body: &Body, register: RegId) -> String {
    let decl = body.decl(register);
    let number = decl.count.and(body.registers.get(register.index())).map(|register| register.number);
    format!("{}{}", module.name(decl.name), number.map_or(String::new(), |number| number.to_string()))
}

fn parts(body: &Body, operand: IrOperand) -> Vec<IrOperand> {
    match operand {
        IrOperand::Vector(list) | IrOperand::List(list) => body.list(list).to_vec(),
        single => vec![single],
    }
}

/// Whether it is a division of integers.
pub(super) fn divides(mnemonic: &Mnemonic) -> bool {
    let integers = mnemonic.scalar_type().is_some_and(ScalarType::is_integer_or_bits);
    matches!(mnemonic.sem(), Sem::Arith(ArithSem::Div | ArithSem::Rem)) && integers
}

/// Whether the result is computed, not copied: then LLVM may give a NaN other bits.
const fn computes(sem: Sem) -> bool {
    !matches!(sem, Sem::Move(MoveSem::Mov) | Sem::Compare(CompareSem::Selp | CompareSem::Slct))
}

/// The width of the exponent and of the fraction of the floating-point numbers that a type holds.
pub(super) fn lanes(ty: ScalarType) -> Option<(u32, u32)> {
    match ty {
        ScalarType::F16 | ScalarType::F16x2 => Some((5, 10)),
        ScalarType::Bf16 | ScalarType::Bf16x2 => Some((8, 7)),
        ScalarType::F32 | ScalarType::F32x2 => Some((8, 23)),
        ScalarType::F64 => Some((11, 52)),
        _ => None,
    }
}

/// What sets the carry flag before an instruction that may read it, and reads it after one that may write it (manual 9.7.2):
/// a sum or a difference, for the flag is the same thing in both.
fn carries(choices: &mut Seeded, sem: Sem, registers: &mut Vec<Register>) -> (String, String) {
    if !matches!(sem, Sem::Arith(ArithSem::AddCarry | ArithSem::SubCarry | ArithSem::MadCarry)) {
        return (String::new(), String::new());
    }
    for name in ["%cy0", "%cy1", "%cy2"] {
        let read = (name != "%cy2").then_some(ScalarType::U32);
        registers.push(Register {
            name: name.to_owned(),
            declared: ScalarType::U32,
            read,
            divides: false,
            computed: None,
        });
    }
    let setter =
        ["add.cc.u32 %cy2, %cy0, %cy1", "sub.cc.u32 %cy2, %cy0, %cy1", "mad.lo.cc.u32 %cy2, 1, %cy0, %cy1"];
    let reader = ["addc.u32 %cy2, 0, 0", "subc.u32 %cy2, 0, 0", "madc.lo.u32 %cy2, 0, 0, 5"];
    (
        format!("{}; ", setter[choices.below(setter.len())]),
        format!(" {};", reader[choices.below(reader.len())]),
    )
}

/// The newest version that llc writes and an architecture that it knows; the newest of all for what needs it.
fn home(mnemonic: &Mnemonic) -> Option<Home> {
    let sm = TARGETS
        .iter()
        .copied()
        .find(|&sm| known_to_llvm(sm) && mnemonic.limits().all(|limit| limit.admits(sm)));
    let old = mnemonic.limits().all(|limit| limit.ptx <= LLVM_VERSION);
    match sm {
        Some(sm) => Some(Home { version: if old { LLVM_VERSION } else { PtxVersion::NEWEST }, sm }),
        None => Home::of(mnemonic.since()),
    }
}

/// Targets for which LLVM selects other instructions, in turns by the seed; `None` when this one lacks the instruction.
fn older(seed: u64, mnemonic: &Mnemonic) -> Option<Home> {
    const ALL: [(u8, u8, Sm); 10] = [
        (7, 4, Sm::new(80)),
        (8, 3, Sm::new(75)),
        (8, 3, Sm::new(90)),
        (7, 0, Sm::new(70)),
        (8, 8, Sm::new(120)),
        (6, 3, Sm::new(53)),
        (8, 0, Sm::new(86)),
        (8, 4, Sm::new(89)),
        (6, 5, Sm::new(60)),
        (8, 6, Sm::new(100)),
    ];
    let (major, minor, sm) = ALL[(seed % ALL.len() as u64) as usize];
    let home = Home { version: PtxVersion::new(major, minor), sm };
    mnemonic.limits().all(|limit| limit.admits(sm) && limit.ptx <= home.version).then_some(home)
}

/// Whether LLVM 22 has the architecture.
pub(super) fn known_to_llvm(sm: Sm) -> bool {
    let older = (50..=100).contains(&sm.number);
    (older || matches!(sm.number, 103 | 110 | 120 | 121))
        && (sm.variant == SmVariant::Base || sm.number >= 90)
}

/// Whether llc takes modules of this version and architecture.
pub(super) fn compiles(home: Home) -> bool {
    home.version <= LLVM_VERSION && known_to_llvm(home.sm)
}

/// Puts things into another order.
pub(super) fn shuffle<T>(choices: &mut dyn Choices, all: &mut [T]) {
    for at in (1..all.len()).rev() {
        all.swap(at, choices.below(at + 1));
    }
}

/// Whether registers of the type hold floating-point numbers.
pub(super) fn is_floating(ty: ScalarType) -> bool {
    matches!(ty.kind(), TypeKind::Float | TypeKind::Packed) && lanes(ty).is_some()
}

//! Marks on the LLVM instructions that one PTX instruction was lowered to (mapping, "Mnemonics").
//!
//! `lop3`, a clamped shift and a sum with carry have exact equivalents in plain IR, but of several instructions. `!ptx.inst` on
//! the last of them has the PTX instruction as the text and constraints of inline assembly, and the number of the result that
//! this instruction computes. It is a hint: raising uses it only if the text still lowers to the same IR.
//!
//! ```text
//! lop3.b32 %r4, %r1, %r2, %r3, 0x6a;
//!
//! %x = and i32 %r1, %r2
//! %r4 = xor i32 %r3, %x, !ptx.inst !0
//! !0 = !{!"lop3.b32 $0, $1, $2, $3, 106;", !"=r,r,r,r", !"0"}
//! ```

use ptx_ir::Operand;
use ptx_isa::{ArithSem, BitsSem, Effects, Mnemonic, Mod, Opcode, ScalarType, Sem};
use ptx_llvm_core::build::Value;
use ptx_llvm_core::marks;

use crate::emit::{Emitter, Site};
use crate::slots::lane_of;
use crate::template::{Template, separated, written_operands};

/// The maximum number of instructions of one carry chain that is marked.
const LONGEST_CHAIN: usize = 64;

/// The instruction that last wrote the carry flag and those it follows, in one block.
#[derive(Default)]
pub(crate) struct Chain<'c> {
    links: Vec<Link<'c>>,
}

struct Link<'c> {
    statement: usize,
    made: Vec<Value<'c>>,
}

/// A text in the syntax of inline assembly, and the constraint of each operand.
#[derive(Default)]
struct Text {
    template: Template,
    outputs: Vec<String>,
    inputs: Vec<&'static str>,
}

impl<'c> Emitter<'_, '_, 'c> {
    /// Marks the instructions built since `before` for a PTX instruction, if there are several.
    pub(crate) fn mark(&mut self, site: Site<'_>, before: Option<Value<'c>>) {
        let mnemonic = site.inst.mnemonic;
        if mnemonic.effects() != Effects::NONE {
            return;
        }
        if matches!(mnemonic.sem(), Sem::Arith(ArithSem::AddCarry | ArithSem::SubCarry | ArithSem::MadCarry))
        {
            return self.link(site, before);
        }
        // Raising recognizes products of extended operands without a mark.
        if mnemonic.opcode() == Opcode::Mul && mnemonic.has(Mod::Wide) {
            return;
        }
        let fewest = fewest_steps(mnemonic);
        // Fast path: most instructions are lowered to one.
        if fewest > 1 && self.b.first_since(before) == self.b.last_instruction() {
            return;
        }
        let made = self.b.instructions_since(before);
        let steps = made.iter().filter(|value| value.converted().is_none()).count();
        if steps < fewest || made.iter().any(|value| value.is_asm_call()) {
            return;
        }
        self.mark_results(&[(site, made)]);
    }

    /// Marks the value of one PTX instruction as one that raising does not combine with its operands or users, nor write as another
    /// instruction. Optimization drops the mark.
    pub(crate) fn keep_apart(&self, value: Value<'c>) {
        if !value.is_constant() {
            self.types.attach(value, marks::LITERAL, self.types.metadata_strings(&[]));
        }
    }

    /// Continues a chain of carries, or begins one.
    fn link(&mut self, site: Site<'_>, before: Option<Value<'c>>) {
        // One mark for the whole chain, and not one for each instruction: the flag between two of them has no name in inline assembly, and
        // LLVM may insert other instructions in between.
        let continues = site.inst.mnemonic.reads_carry();
        if !continues {
            self.end_chain();
        } else if self.chain.links.is_empty() || self.chain.links.len() >= LONGEST_CHAIN {
            // The carry comes from another chain.
            self.chain.links.clear();
            return;
        }
        let made = self.b.instructions_since(before);
        self.chain.links.push(Link { statement: site.statement, made });
        if !site.inst.mnemonic.writes_carry() {
            self.end_chain();
        }
    }

    /// Marks the chain as a whole: the flag is live only between its instructions.
    pub(crate) fn end_chain(&mut self) {
        let links = std::mem::take(&mut self.chain.links);
        if links.len() < 2 {
            return;
        }
        let sites: Option<Vec<_>> =
            links.into_iter().map(|link| Some((self.site(link.statement)?, link.made))).collect();
        if let Some(sites) = sites {
            self.mark_results(&sites);
        }
    }

    fn mark_results(&self, sites: &[(Site<'_>, Vec<Value<'c>>)]) {
        let mut destinations = Vec::new();
        for (site, made) in sites {
            for operand in self.destinations(*site) {
                destinations.push((site.statement, made, operand));
            }
        }
        let mut text = Text::default();
        for (site, _) in sites {
            if self.write_instruction(*site, &mut text).is_none() {
                return;
            }
        }
        let constraints: Vec<&str> =
            text.outputs.iter().map(String::as_str).chain(text.inputs.iter().copied()).collect();
        let (constraints, text) = (constraints.join(","), text.template.text(text.outputs.len()));
        // The mark is attached to the value before conversions to the type that the register is kept in, such as the `bitcast` of a 32-bit
        // result to `float`: those are not part of the instruction, and are folded into their users.
        for (number, (statement, made, operand)) in destinations.into_iter().enumerate() {
            let Some(value) = self.result_of(statement, operand) else { continue };
            let mut root = value;
            while made.contains(&root)
                && let Some(inner) = root.converted()
                && (inner.ty().is_number() || inner.ty().pointer_space().is_some())
            {
                root = inner;
            }
            if made.contains(&root) {
                let parts = [text.as_str(), &constraints, &number.to_string()];
                self.types.attach(root, marks::INST, self.types.metadata_strings(&parts));
            }
        }
    }

    /// The registers an instruction writes, in the order of the text.
    fn destinations(&self, site: Site<'_>) -> Vec<Operand> {
        let places = site.operands.iter().zip(site.inst.mnemonic.form().operands);
        let written = places.filter(|(_, place)| place.role.is_written());
        let registers = written.flat_map(|(operand, _)| self.entries(*operand));
        registers.filter(|operand| matches!(operand, Operand::Register(_) | Operand::Element(..))).collect()
    }

    fn result_of(&self, statement: usize, operand: Operand) -> Option<Value<'c>> {
        let slot = match operand {
            Operand::Register(register) => self.analysis.slots.lane(register, 0),
            Operand::Element(register, component) => self.analysis.slots.lane(register, lane_of(component)),
            _ => return None,
        };
        self.analysis.ssa.written(statement, slot).map(|value| self.raw_value(value))
    }

    /// Appends an instruction to a text; `None` when an operand cannot be expressed there.
    fn write_instruction(&self, site: Site<'_>, text: &mut Text) -> Option<()> {
        if !text.template.is_empty() {
            text.template.push(" ");
        }
        let mnemonic = site.inst.mnemonic;
        text.template.push(&mnemonic.to_string());
        for (at, operand, before) in written_operands(mnemonic, site.operands) {
            text.template.push(before);
            let role = mnemonic.form().operands.get(at).map(|place| place.role)?;
            // The text has one place for a register, which is either a result or an operand.
            if role.is_written() && role.is_read() {
                return None;
            }
            let ty = mnemonic.operand_type(at).unwrap_or(ScalarType::B32);
            self.write_text_operand(text, site, operand, ty, role.is_written())?;
        }
        text.template.push(";");
        Some(())
    }

    /// The constant value of a register, if known. LLVM's builder folds it into the instructions that read it, and the text has to agree with the
    /// result: with a register in place of the number, raising would lower the text to different IR and drop the mark.
    fn known_number(&self, site: Site<'_>, operand: Operand, ty: ScalarType) -> Option<u64> {
        let Operand::Register(register) = operand else { return None };
        let declared = self.body.reg_type(register);
        if self.body.decl(register).shape.lanes() != 1
            || ty.is_float()
            || is_packed(ty)
            || declared.bits() != ty.bits()
            || ty.bits() < 16
        {
            return None;
        }
        let (_, value) = self.seen(site.statement, self.analysis.slots.lane(register, 0)).ok()?;
        value.as_constant_int()
    }

    fn write_text_operand(
        &self,
        text: &mut Text,
        site: Site<'_>,
        operand: Operand,
        ty: ScalarType,
        writes: bool,
    ) -> Option<()> {
        if !writes && let Some(number) = self.known_number(site, operand, ty) {
            text.template.push(&number.to_string());
            return Some(());
        }
        match operand {
            Operand::Sink => text.template.push("_"),
            Operand::Register(register) if self.body.decl(register).shape.lanes() == 1 => {
                text.register(ty, self.body.reg_type(register), writes)?;
            }
            Operand::Element(register, _) => text.register(ty, self.body.reg_type(register), writes)?,
            Operand::Not(register) => {
                text.template.push("!");
                text.register(ty, self.body.reg_type(register), writes)?;
            }
            Operand::Immediate(immediate) => text.template.immediate(immediate),
            Operand::Vector(list) => {
                text.template.push("{");
                for (entry, before) in separated(self.body.list(list)) {
                    text.template.push(before);
                    if matches!(entry, Operand::Vector(_) | Operand::List(_)) {
                        return None;
                    }
                    self.write_text_operand(text, site, entry, ty, writes)?;
                }
                text.template.push("}");
            }
            Operand::Register(_)
            | Operand::Special(..)
            | Operand::Selected(..)
            | Operand::Negated(..)
            | Operand::Sum(..)
            | Operand::SpecialSum(..)
            | Operand::Bracket(_)
            | Operand::Symbol(..)
            | Operand::Address(..)
            | Operand::Omitted
            | Operand::List(_)
            | Operand::Label(_) => return None,
        }
        Some(())
    }
}

/// Whether the type is one of several integers, or of two numbers of 32 bits, side by side: instructions on them take no constants.
fn is_packed(ty: ScalarType) -> bool {
    matches!(
        ty,
        ScalarType::U16x2 | ScalarType::S16x2 | ScalarType::U8x4 | ScalarType::S8x4 | ScalarType::F32x2
    )
}

/// The number of LLVM instructions from which on a PTX instruction is marked: a single one is raised to the same
/// instruction, except for those that LLVM replaces by another, and packed ones, which are raised in parts.
fn fewest_steps(mnemonic: Mnemonic) -> usize {
    let packed = mnemonic.scalar_type().is_some_and(is_packed);
    if packed
        || matches!(
            mnemonic.sem(),
            Sem::Bits(BitsSem::Lop3 | BitsSem::Cnot) | Sem::Arith(ArithSem::Neg | ArithSem::Testp)
        )
    {
        1
    } else {
        2
    }
}

impl Text {
    /// Appends a register that is read or written as `ty`.
    fn register(&mut self, ty: ScalarType, declared: ScalarType, writes: bool) -> Option<()> {
        let letter = match (ty, declared.bits()) {
            (ScalarType::F32, 32) => "f",
            (ScalarType::F64, 64) => "d",
            (_, 1) => "b",
            (_, 16) => "h",
            (_, 32) => "r",
            (_, 64) => "l",
            _ => return None,
        };
        if writes {
            self.template.output(self.outputs.len());
            self.outputs.push(format!("={letter}"));
        } else {
            self.template.input(self.inputs.len());
            self.inputs.push(letter);
        }
        Some(())
    }
}

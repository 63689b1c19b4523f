//! Operands for the places of a row (manual 6, 9.4).

use ptx_isa::{
    BlockSem, Component, Constants, ControlSem, Effects, Mnemonic, MoveSem, Note, Opaque, Operand,
    OperandKind, Role, ScalarType, Selection, Sem, SpecialReg, StateSpace, TextureSem, TypeKind,
    VectorLength, Width,
};

use crate::choices::Choices;
use crate::surroundings::{Registers, Symbol, Symbols, register};

/// Writes the operands of one instruction.
pub(crate) struct Writer<'c> {
    pub(crate) choices: &'c mut dyn Choices,
    pub(crate) mnemonic: Mnemonic,
    pub(crate) registers: Registers,
    pub(crate) symbols: Symbols,
    /// What must occur in the block before the instruction, and after it.
    pub(crate) before: String,
    pub(crate) after: String,
    addresses: usize,
    /// Whether the destination of a `mov` is a vector.
    unpacks: bool,
}

impl<'c> Writer<'c> {
    pub(crate) fn new(choices: &'c mut dyn Choices, mnemonic: Mnemonic, registers: Registers) -> Self {
        Self {
            choices,
            mnemonic,
            registers,
            symbols: Symbols::new(),
            before: String::new(),
            after: String::new(),
            addresses: 0,
            unpacks: false,
        }
    }

    /// All operands, as they follow the mnemonic; empty when the row has none.
    pub(crate) fn operands(&mut self) -> String {
        if self.mnemonic.sem() == Sem::Control(ControlSem::Call) {
            return self.call();
        }
        let places = self.mnemonic.form().operands;
        let mut spare = self.spare(places);
        let mut text = String::new();
        for place in places {
            if !self.stands(place, &mut spare) {
                continue;
            }
            if place.role == Role::DefPair {
                text.push('|');
            } else if !text.is_empty() {
                text.push_str(", ");
            }
            text += &self.operand(place);
        }
        text
    }

    /// How many of the operands that may be left out are written; the first ones are.
    fn spare(&mut self, places: &[Operand]) -> usize {
        let open = |place: &&Operand| place.role.is_optional() && !place.is_conditional();
        let most = places.iter().filter(open).count();
        self.choices.below(most + 1)
    }

    fn stands(&mut self, place: &Operand, spare: &mut usize) -> bool {
        match place.role {
            Role::Def | Role::Update | Role::Use => true,
            Role::DefPair => place.required || self.choices.chance(1, 2),
            Role::DefOpt | Role::UseOpt if self.is_without(place) => false,
            Role::DefOpt | Role::UseOpt if place.is_conditional() => self.mnemonic.asks_for(place),
            Role::DefOpt | Role::UseOpt => {
                let taken = *spare > 0;
                *spare -= usize::from(taken);
                taken
            }
        }
    }

    fn operand(&mut self, place: &Operand) -> String {
        let written = place.is_written();
        if written && self.is_discarded(place) {
            return "_".to_owned();
        }
        let own = |rule| self.mnemonic.register_type(rule).unwrap_or(ScalarType::B32);
        let is_constant = matches!(place.kind, OperandKind::Immediate(..));
        if place.constants != Constants::Any && (is_constant || self.choices.chance(1, 4)) {
            return self.constant_of(place.constants);
        }
        match place.kind {
            // Constants are generated above.
            OperandKind::Value(rule) | OperandKind::Wide(rule) if place.constants != Constants::Any => {
                let ty = own(rule);
                self.registers(ty, 1, written, Width::Same)
            }
            OperandKind::Value(rule) => {
                let ty = own(rule);
                self.value(ty, written, Width::Same)
            }
            OperandKind::Register(rule) => {
                let ty = own(rule);
                self.registers(ty, 1, written, Width::Same)
            }
            OperandKind::Untyped(rule) => {
                let ty = own(rule);
                let names = self.numbers(ty, 1, written).map(|number| register(ty, number));
                names.collect()
            }
            OperandKind::Wide(rule) => {
                let ty = own(rule);
                self.value(ty, written, Width::AtLeast)
            }
            OperandKind::WideVector(rule, length) => {
                let (ty, count) = (own(rule), self.mnemonic.vector_length(length));
                if count == 1 {
                    self.value(ty, written, Width::AtLeast)
                } else {
                    braced(&self.registers(ty, count, written, Width::AtLeast))
                }
            }
            OperandKind::Elements(rule, length) | OperandKind::Registers(rule, length) => {
                let count = match length {
                    VectorLength::Free => 1 << self.choices.below(3),
                    length => self.mnemonic.vector_length(length),
                };
                let ty = own(rule);
                let names = self.registers(ty, count, written, Width::Same);
                if count == 1 && self.choices.chance(3, 4) { names } else { braced(&names) }
            }
            OperandKind::Vector(rule, length) | OperandKind::Braced(rule, length) => {
                let (ty, count) = (own(rule), self.mnemonic.vector_length(length));
                braced(&self.registers(ty, count, written, Width::Same))
            }
            OperandKind::Move(rule) => {
                let ty = own(rule);
                self.moved(ty, written)
            }
            OperandKind::Predicate => self.predicate(written),
            OperandKind::Immediate(low, high) => self.choices.between(low, high).to_string(),
            OperandKind::CachePolicy => self.registers(ScalarType::B64, 1, false, Width::Same),
            OperandKind::Address | OperandKind::AddressIn(_) | OperandKind::TensorAddress => {
                self.address(place)
            }
            OperandKind::LooseAddress => {
                let address = self.address(place);
                match address.strip_prefix("[%").and_then(|rest| rest.strip_suffix(']')) {
                    Some(register) if !register.contains(['+', '-']) && self.choices.chance(1, 3) => {
                        format!("%{register}")
                    }
                    _ => address,
                }
            }
            OperandKind::Bracketed(parts) => self.bracketed(parts),
            OperandKind::Reference => self.reference(place),
            OperandKind::Coordinates(rule) => {
                let ty = own(rule);
                self.coordinates(ty)
            }
            OperandKind::Selected(rule, selection) => {
                let ty = own(rule);
                self.selected(ty, selection, written)
            }
            OperandKind::Signed(rule, selection) => {
                let ty = own(rule);
                let part = self.selected(ty, selection, written);
                let turned = part.starts_with('%') && self.choices.chance(1, 4);
                if turned { format!("-{part}") } else { part }
            }
            OperandKind::Label => {
                self.after += " L0:";
                "L0".to_owned()
            }
            OperandKind::BranchTargets => {
                self.before += " T0: .branchtargets L0, L1;";
                self.after += " L0: L1:";
                "T0".to_owned()
            }
            // Calls are written as a whole.
            OperandKind::Callee
            | OperandKind::Results
            | OperandKind::Arguments
            | OperandKind::CallTargets => String::new(),
        }
    }

    /// Whether `_` is written for a result: where there is none, and at times where the instruction synchronizes threads. Those
    /// executed for their results keep them, so that tests can compare them.
    fn is_discarded(&mut self, place: &Operand) -> bool {
        let may_be = place.discardable.is_some() && self.mnemonic.effects() == Effects::SYNC;
        self.is_without(place) || (place.role == Role::Def && may_be && self.choices.chance(1, 4))
    }

    fn is_without(&self, place: &Operand) -> bool {
        place.without.iter().any(|modifier| self.mnemonic.has(*modifier))
    }

    /// A register that agrees with the type, or sometimes, where it is read, a constant.
    fn value(&mut self, ty: ScalarType, written: bool, width: Width) -> String {
        if !written
            && self.choices.chance(1, 4)
            && let Some(constant) = self.constant(ty)
        {
            return constant;
        }
        self.registers(ty, 1, written, width)
    }

    /// So many registers of one type that agrees, with commas between them.
    fn registers(&mut self, ty: ScalarType, count: u8, written: bool, width: Width) -> String {
        let held = self.register_type(ty, width);
        let names: Vec<String> = self.numbers(held, count, written).map(|n| register(held, n)).collect();
        names.join(", ")
    }

    /// Neighbouring numbers of registers.
    fn numbers(&mut self, ty: ScalarType, count: u8, written: bool) -> std::ops::Range<u32> {
        let (known, count) = (self.registers.count(ty), u32::from(count));
        let room = known.checked_sub(count);
        let reused = !written && self.choices.chance(1, 4);
        let first = match room {
            Some(room) if reused => self.choices.below(room as usize + 1) as u32,
            _ => known,
        };
        self.registers.reserve(ty, first + count);
        first..first + count
    }

    fn register_type(&mut self, wanted: ScalarType, width: Width) -> ScalarType {
        let natural = if wanted.is_declarable() { wanted } else { wanted.as_bits().unwrap_or(wanted) };
        if self.choices.chance(3, 5) {
            return natural;
        }
        let agreeing: Vec<ScalarType> =
            ScalarType::ALL.iter().copied().filter(|&ty| agrees(wanted, ty, width)).collect();
        self.choices.pick(&agreeing).unwrap_or(natural)
    }

    /// One of the integers that a place takes; where the mnemonic decides, 0, which it always allows.
    fn constant_of(&mut self, constants: Constants) -> String {
        let value = match constants {
            Constants::Any | Constants::SparsitySelector | Constants::ScaleBytes => 0,
            Constants::LowWord(constants) => return self.constant_of(*constants),
            Constants::Elements(elements) => {
                let values: Vec<String> = elements.iter().map(|one| self.constant_of(*one)).collect();
                return braced(&values.join(", "));
            }
            Constants::Range(low, high) => self.choices.between(low, high),
            Constants::Multiple(step, low, high) => {
                step * self.choices.between(low / step, (high / step).min(1 << 20))
            }
            Constants::PowerOfTwo(low, high) => {
                1 << self.choices.between(i64::from(low.trailing_zeros()), i64::from(high.trailing_zeros()))
            }
            Constants::Either(one, other) => self.choices.pick(&[one, other]).unwrap_or(one),
        };
        value.to_string()
    }

    /// A constant of the type; `None` where it has no literal form (manual 4.5).
    fn constant(&mut self, ty: ScalarType) -> Option<String> {
        match ty.kind() {
            TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed if ty.bits() <= 64 => {
                let half = 1i64 << (ty.bits() - 1);
                let (low, high) = match ty.is_signed() {
                    true => (half.wrapping_neg(), half.wrapping_sub(1)),
                    false if ty.bits() == 64 => (0, i64::MAX),
                    false => (0, half.wrapping_mul(2).wrapping_sub(1)),
                };
                let value = self.choices.between(low, high);
                Some(match self.choices.below(4) {
                    0 if value >= 0 => format!("{value:#x}"),
                    _ => value.to_string(),
                })
            }
            TypeKind::Float if ty == ScalarType::F32 => {
                let bits = self.choices.bits() as u32;
                Some(if self.choices.chance(1, 2) { format!("0f{bits:08X}") } else { "1.5".to_owned() })
            }
            TypeKind::Float if ty == ScalarType::F64 => {
                let bits = self.choices.bits();
                Some(if self.choices.chance(1, 2) { format!("0d{bits:016X}") } else { "-2.25".to_owned() })
            }
            TypeKind::Bits
            | TypeKind::Unsigned
            | TypeKind::Signed
            | TypeKind::Float
            | TypeKind::Packed
            | TypeKind::Predicate => None,
        }
    }

    fn predicate(&mut self, written: bool) -> String {
        let name = self.registers(ScalarType::Pred, 1, written, Width::Same);
        if !written && self.choices.chance(1, 4) { format!("!{name}") } else { name }
    }

    /// The operands of `mov`, and addresses that are moved (manual 9.7.9.4).
    fn moved(&mut self, ty: ScalarType, written: bool) -> String {
        let is_move = self.mnemonic.sem() == Sem::Move(MoveSem::Mov);
        let packs = is_move && ty.kind() == TypeKind::Bits && ty.bits() >= 16;
        match self.choices.below(6) {
            // Either side may be a vector, not both.
            0 if packs && !self.unpacks => {
                self.unpacks = written;
                self.packed(ty, written)
            }
            1 if !written && is_move => match self.special(ty) {
                Some(name) => name,
                None => self.value(ty, written, Width::Same),
            },
            2 | 3 if !written => match self.moved_address(ty) {
                Some(name) => name,
                None => self.value(ty, written, Width::Same),
            },
            _ if is_move => self.value(ty, written, Width::Same),
            _ => self.registers(ty, 1, written, Width::Same),
        }
    }

    fn packed(&mut self, ty: ScalarType, written: bool) -> String {
        let halves = match ty.bits() {
            16 => &[(ScalarType::B8, 2)][..],
            32 => &[(ScalarType::B16, 2), (ScalarType::B8, 4)],
            64 => &[(ScalarType::B32, 2), (ScalarType::B16, 4)],
            _ => &[(ScalarType::B64, 2), (ScalarType::B32, 4)],
        };
        let (element, count) = self.choices.pick(halves).unwrap_or((ScalarType::B8, 2));
        braced(&self.registers(element, count, written, Width::Same))
    }

    fn special(&mut self, ty: ScalarType) -> Option<String> {
        let fitting: Vec<SpecialReg> = SpecialReg::all()
            .filter(|special| match special.scalar_type() {
                ScalarType::Pred => ty == ScalarType::Pred,
                own => ty.is_integer_or_bits() && own.bits() == ty.bits(),
            })
            .collect();
        let special = self.choices.pick(&fitting)?;
        let component = if special.is_vector() { self.choices.pick(&Component::ALL) } else { None };
        Some(component.map_or(special.to_string(), |part| format!("{special}.{}", part.as_str())))
    }

    fn moved_address(&mut self, ty: ScalarType) -> Option<String> {
        if !ty.is_integer_or_bits() || !matches!(ty.bits(), 32 | 64) {
            return None;
        }
        let symbol = match self.mnemonic.sem() {
            Sem::Move(MoveSem::Mov) | Sem::Texture(TextureSem::Istypep) => {
                let any = [Symbol::Global, Symbol::Shared, Symbol::Const, Symbol::Local, Symbol::Plain];
                self.choices.pick(&any)?
            }
            Sem::Block(BlockSem::Mapa | BlockSem::Getctarank) => Symbol::Shared,
            _ => self.variable_in(self.mnemonic.space()?, Role::Use)?,
        };
        self.symbols.insert(symbol);
        Some(symbol.name().to_owned())
    }

    /// A variable of a state space; parameters that are written are those of calls.
    fn variable_in(&self, space: StateSpace, role: Role) -> Option<Symbol> {
        match space {
            StateSpace::Global => Some(Symbol::Global),
            StateSpace::Shared | StateSpace::SharedCta | StateSpace::SharedCluster => Some(Symbol::Shared),
            StateSpace::Const => Some(Symbol::Const),
            StateSpace::Local => Some(Symbol::Local),
            StateSpace::Param if role == Role::Def => Some(Symbol::CallParameter),
            StateSpace::Param | StateSpace::ParamEntry => Some(Symbol::KernelParameter),
            StateSpace::ParamFunc => Some(Symbol::CallParameter),
            StateSpace::Reg | StateSpace::SpecialReg | StateSpace::Tex => None,
        }
    }

    /// `[base+offset]` in the space that the mnemonic names for it: the first address in the first space, and so on;
    /// addresses beyond those are barriers in shared memory.
    fn address(&mut self, place: &Operand) -> String {
        let spaces: Vec<StateSpace> = self.mnemonic.modifiers().filter_map(StateSpace::from_mod).collect();
        let at = self.addresses;
        self.addresses += 1;
        let is_tensor = place.kind == OperandKind::TensorAddress;
        let space = match (place.kind, spaces.get(at)) {
            (OperandKind::AddressIn(space), _) => Some(space),
            (_, Some(space)) => Some(*space),
            (_, None) if at > 0 && !spaces.is_empty() => Some(StateSpace::Shared),
            (_, None) => None,
        };
        let role = if self.mnemonic.effects().writes { Role::Def } else { Role::Use };
        let symbol = space.map_or(Some(Symbol::Global), |space| self.variable_in(space, role));
        let named = space == Some(StateSpace::ParamFunc) || self.choices.chance(1, 4);
        let base = match symbol {
            Some(symbol) if named && !is_tensor => {
                self.symbols.insert(symbol);
                symbol.name().to_owned()
            }
            _ => {
                // A barrier is in shared memory, also where its address is a generic one.
                let is_generic =
                    self.mnemonic.space().is_none() && self.mnemonic.sem().has(Note::WideAddress);
                let far = is_generic || matches!(space, None | Some(StateSpace::Global));
                let wide = (far || self.choices.chance(1, 4)) && !is_tensor;
                let ty = match wide {
                    true => ScalarType::U64,
                    false if is_tensor => ScalarType::B32,
                    false => ScalarType::U32,
                };
                self.registers(ty, 1, false, Width::Same)
            }
        };
        match self.choices.below(4) {
            0 => format!("[{base}+{}]", 128 * self.choices.below(4)),
            1 if base.starts_with('%') => format!("[{base}+-{}]", 128 * (1 + self.choices.below(4))),
            _ => format!("[{base}]"),
        }
    }

    fn bracketed(&mut self, parts: &[Operand]) -> String {
        let mut spare = self.spare(parts);
        let mut entries = Vec::new();
        for part in parts {
            if self.stands(part, &mut spare) {
                entries.push(self.operand(part));
            }
        }
        format!("[{}]", entries.join(", "))
    }

    /// A texture, sampler, surface or tensor map.
    fn reference(&mut self, place: &Operand) -> String {
        let symbol = match self.mnemonic.opaque(place.role) {
            Some(Opaque::Sampler) => Symbol::Sampler,
            Some(Opaque::Texture) => Symbol::Texture,
            Some(Opaque::Surface) => Symbol::Surface,
            None => Symbol::Global,
        };
        // A handle in a register does not show the mode, so that samplers are named.
        if symbol == Symbol::Sampler || self.choices.chance(1, 2) {
            self.symbols.insert(symbol);
            symbol.name().to_owned()
        } else {
            self.registers(ScalarType::U64, 1, false, Width::Same)
        }
    }

    /// The index of an array is an integer, beside which the other coordinates may be of any type that agrees with theirs.
    fn coordinates(&mut self, ty: ScalarType) -> String {
        let count = self.mnemonic.coordinates();
        if self.mnemonic.index_type().is_none() {
            let several = self.registers(ty, count, false, Width::Same);
            return if count == 1 && self.choices.chance(1, 2) { several } else { braced(&several) };
        }
        let first = self.registers(ScalarType::B32, 1, false, Width::Same);
        let rest = self.registers(ty, count - 1, false, Width::Same);
        format!("{{{first}, {rest}}}")
    }

    fn selected(&mut self, ty: ScalarType, selection: Selection, written: bool) -> String {
        let name = self.registers(ty, 1, written, Width::Same);
        let selectors: &[&str] = match selection {
            Selection::Whole => &[],
            Selection::One => &["b0", "b1", "b2", "b3", "h0", "h1"],
            Selection::Halves => &["h10", "h32", "h00", "h31"],
            Selection::Bytes => &["b3210", "b7654", "b0000", "b7531"],
            Selection::HalfMask => &["h0", "h1", "h10"],
            Selection::ByteMask => &["b0", "b3", "b10", "b320", "b3210"],
        };
        match self.choices.pick(selectors) {
            Some(selector) if written || self.choices.chance(1, 2) => format!("{name}.{selector}"),
            _ => name,
        }
    }

    /// A call by name, or through a register with the prototype or the targets (manual 9.7.12.5).
    fn call(&mut self) -> String {
        let pass = |symbols: &mut Symbols, before: &mut String| {
            symbols.insert(Symbol::InMemory);
            *before += " .param .b32 a0; .param .b32 r0;";
        };
        match self.choices.below(5) {
            0 => {
                self.symbols.insert(Symbol::Plain);
                "fn0".to_owned()
            }
            1 => {
                pass(&mut self.symbols, &mut self.before);
                "(r0), fn1, (a0)".to_owned()
            }
            2 => {
                self.symbols.insert(Symbol::InRegisters);
                let result = self.registers(ScalarType::B32, 1, true, Width::Same);
                let one = self.registers(ScalarType::B32, 1, false, Width::Same);
                let two = self.registers(ScalarType::B64, 1, false, Width::Same);
                format!("({result}), fn2, ({one}, {two})")
            }
            3 => {
                pass(&mut self.symbols, &mut self.before);
                self.before += " P0: .callprototype (.param .b32 _) _ (.param .b32 _);";
                let callee = self.registers(ScalarType::B64, 1, false, Width::Same);
                format!("(r0), {callee}, (a0), P0")
            }
            _ => {
                pass(&mut self.symbols, &mut self.before);
                self.before += " C0: .calltargets fn1;";
                let callee = self.registers(ScalarType::B64, 1, false, Width::Same);
                format!("(r0), {callee}, (a0), C0")
            }
        }
    }
}

fn braced(entries: &str) -> String {
    format!("{{{entries}}}")
}

/// Whether registers of a type may stand for another. Pairs of halves hold integers in few operands only, so that they never do
/// here.
fn agrees(wanted: ScalarType, held: ScalarType, width: Width) -> bool {
    let is_pair = held == ScalarType::F16x2 && wanted != held && wanted.kind() != TypeKind::Bits;
    held.is_declarable() && wanted.agrees(held, width) && !is_pair
}

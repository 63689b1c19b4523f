//! Instructions that are intrinsics, by the rows of [`ptx_llvm::intrinsics`].

use ptx_ir::{AddressBase, Operand};
use ptx_isa::{Role, ScalarType, StateSpace};
use ptx_llvm::build::{CastOp, Type, Value};
use ptx_llvm::intrinsics::{self, Operand as Place, Row, Type as RowType};

use crate::emit::{Emitter, Site};
use crate::errors::{Out, unsupported};
use crate::represent::llvm_space;

impl<'c> Emitter<'_, '_, 'c> {
    /// Lowers the instruction as the intrinsic a row pairs with its mnemonic; answers whether there was one.
    pub(crate) fn by_row(&mut self, site: Site<'_>) -> Out<bool> {
        let text = site.inst.mnemonic.to_string();
        self.by_row_named(site, &text).map(|call| call.is_some())
    }

    /// The same under another spelling of the mnemonic; gives the call.
    pub(crate) fn by_row_named(&mut self, site: Site<'_>, mnemonic: &str) -> Out<Option<Value<'c>>> {
        for row in intrinsics::by_mnemonic(mnemonic) {
            if self.row_fits(site, row) {
                return self.call_row(site, row).map(Some);
            }
        }
        Ok(None)
    }

    pub(crate) fn row_type(&self, ty: RowType) -> Type<'c> {
        match ty {
            RowType::Int(bits) => self.types.int(bits),
            RowType::F16 => self.types.f16(),
            RowType::Bf16 => self.types.bf16(),
            RowType::F32 => self.types.f32(),
            RowType::F64 => self.types.f64(),
            RowType::F16x2 => self.types.vector(self.types.f16(), 2),
            RowType::Bf16x2 => self.types.vector(self.types.bf16(), 2),
            RowType::Ptr(space) => self.types.pointer(space),
            RowType::Words(lanes) => self.types.vector(self.types.int(32), lanes),
        }
    }

    /// The operands the instruction writes, with their places in the form; a pair is one operand.
    fn written(&self, site: Site<'_>) -> Vec<usize> {
        let form = site.inst.mnemonic.form();
        (0..form.operands.len())
            .filter(|at| {
                let pair = form.operands.get(*at).is_some_and(|place| place.role == Role::DefPair);
                !pair && !site.operand(*at).is_omitted()
            })
            .collect()
    }

    fn pair(&self, site: Site<'_>) -> Option<usize> {
        let form = site.inst.mnemonic.form();
        let at = form.operands.iter().position(|place| place.role == Role::DefPair)?;
        (!site.operand(at).is_omitted()).then_some(at)
    }

    fn row_fits(&self, site: Site<'_>, row: &Row) -> bool {
        let written = self.written(site);
        if written.len() != row.written_operands() || self.pair(site).is_some() != row.has_result_pair() {
            return false;
        }
        let visible = row.operands.iter().filter(|place| place.is_written());
        visible.zip(written).all(|(place, at)| self.place_fits(site, place, at, row))
    }

    fn place_fits(&self, site: Site<'_>, place: &Place, at: usize, row: &Row) -> bool {
        let operand = site.operand(at);
        let list_len = match operand {
            Operand::Vector(list) => list.len(),
            _ => 1,
        };
        match place {
            Place::Result | Place::ResultPair => {
                matches!(operand, Operand::Register(_) | Operand::Sink | Operand::Element(..))
            }
            Place::ResultVector(fields) => fields.len() == list_len && fields.iter().all(Option::is_some),
            Place::Argument(argument) => {
                // Forms that differ only in a predicate for a number (`cp.async`) are different rows.
                let predicate = site.inst.mnemonic.operand_type(at) == Some(ScalarType::Pred);
                let wants_predicate = row.parameters.get(*argument) == Some(&RowType::Int(1));
                predicate == wants_predicate
                    && !matches!(operand, Operand::Vector(_) | Operand::Address(..) | Operand::List(_))
            }
            Place::ArgumentVector(_, count) => *count == list_len,
            Place::Address(argument) => {
                // An absolute or parameter address has no pointer of the row's space.
                let space = match row.parameters.get(*argument) {
                    Some(RowType::Ptr(space)) => *space,
                    _ => return false,
                };
                space != ptx_llvm::address_space::PARAM && matches!(operand, Operand::Address(..))
            }
            Place::Immediate(_) => matches!(operand, Operand::Immediate(_)),
            Place::Fixed(..) | Place::Alignment(_) => true,
            // Only in rows that are read by name.
            Place::ArgumentLanes(_) | Place::Coordinates(..) | Place::Ignored(_) => false,
            Place::Literal(text) => {
                matches!(operand, Operand::Immediate(value) if value.as_integer().map(|v| v.to_string()) == Some(text.clone()))
            }
        }
    }

    fn call_row(&mut self, site: Site<'_>, row: &'static Row) -> Out<Value<'c>> {
        let mut arguments: Vec<Option<Value<'c>>> = vec![None; row.parameters.len()];
        let mut give = |at: usize, value: Value<'c>| {
            if let Some(place) = arguments.get_mut(at) {
                *place = Some(value);
            }
        };
        let written = self.written(site);
        let mut next = written.iter().copied();
        for place in &row.operands {
            match place {
                Place::Fixed(argument, value) => {
                    let ty = self.parameter(row, *argument)?;
                    give(*argument, self.types.int_value(ty.int_bits().unwrap_or(32), *value));
                    continue;
                }
                Place::Alignment(argument) => {
                    let bytes = site.scalar_type()?.bytes();
                    give(*argument, self.types.int_value(32, u64::from(bytes)));
                    continue;
                }
                _ => {}
            }
            let Some(at) = next.next() else { return unsupported("an operand is missing") };
            let operand = site.operand(at);
            match place {
                Place::Argument(argument) => {
                    let ty = site.inst.mnemonic.operand_type(at).unwrap_or(ScalarType::B32);
                    let to = self.parameter(row, *argument)?;
                    let value = match operand {
                        Operand::Register(register) if to.pointer_space().is_some() => {
                            self.read(site.statement, self.analysis.slots.lane(register, 0), to)?
                        }
                        _ => self.operand_of(site, operand, ty)?,
                    };
                    give(*argument, self.resize(value, to)?);
                }
                Place::ArgumentVector(first, _) => {
                    let ty = site.ty(at)?;
                    for (offset, entry) in self.entries(operand).into_iter().enumerate() {
                        let to = self.parameter(row, first + offset)?;
                        let value = self.operand_of(site, entry, ty)?;
                        give(first + offset, self.bits_as(value, to)?);
                    }
                }
                Place::Address(argument) => {
                    let space = self.parameter(row, *argument)?.pointer_space().unwrap_or(0);
                    give(*argument, self.address_in(site, operand, space)?);
                }
                Place::Immediate(argument) => {
                    let Operand::Immediate(value) = operand else {
                        return unsupported("an operand is no constant");
                    };
                    let bits = self.parameter(row, *argument)?.int_bits().unwrap_or(32);
                    give(*argument, self.types.int_value(bits, value.as_integer().unwrap_or(0)));
                }
                Place::Result
                | Place::ResultPair
                | Place::ResultVector(_)
                | Place::Literal(_)
                | Place::ArgumentLanes(_)
                | Place::Coordinates(..)
                | Place::Ignored(_)
                | Place::Fixed(..)
                | Place::Alignment(_) => {}
            }
        }
        let Some(arguments) = arguments.into_iter().collect::<Option<Vec<_>>>() else {
            return unsupported("an argument of its intrinsic is missing");
        };
        let results: Vec<Type<'c>> = row.results.iter().map(|ty| self.row_type(*ty)).collect();
        let result = match results.as_slice() {
            [] => self.types.void(),
            [one] => *one,
            many => self.types.structure(many),
        };
        let call = self.intrinsic(&row.name, result, &arguments)?;
        self.take_results(site, row, call)?;
        Ok(call)
    }

    fn take_results(&mut self, site: Site<'_>, row: &Row, call: Value<'c>) -> Out<()> {
        let single = row.results.len() == 1;
        let written = self.written(site);
        for (place, at) in row.operands.iter().zip(written) {
            match place {
                Place::Result if single => self.define(site, at, call)?,
                Place::Result => {
                    let field = self.b.extract_field(call, 0)?;
                    self.define(site, at, field)?;
                }
                Place::ResultPair => {
                    let (first, second) = (self.b.extract_field(call, 0)?, self.b.extract_field(call, 1)?);
                    self.define(site, at, first)?;
                    if let Some(pair) = self.pair(site) {
                        self.define(site, pair, second)?;
                    }
                }
                Place::ResultVector(fields) => {
                    let ty = site.ty(at)?;
                    for (entry, field) in self.entries(site.operand(at)).into_iter().zip(fields) {
                        let Some(field) = field else { continue };
                        let value = if single { call } else { self.b.extract_field(call, *field as u32)? };
                        self.define_operand(site, entry, ty, value)?;
                    }
                }
                Place::Argument(_)
                | Place::ArgumentVector(..)
                | Place::ArgumentLanes(_)
                | Place::Coordinates(..)
                | Place::Ignored(_)
                | Place::Address(_)
                | Place::Immediate(_)
                | Place::Fixed(..)
                | Place::Alignment(_)
                | Place::Literal(_) => break,
            }
        }
        Ok(())
    }

    fn parameter(&self, row: &Row, at: usize) -> Out<Type<'c>> {
        match row.parameters.get(at) {
            Some(ty) => Ok(self.row_type(*ty)),
            None => unsupported("its intrinsic has no such argument"),
        }
    }

    /// The elements of a vector operand; any other operand is its own only element.
    pub(crate) fn entries(&self, operand: Operand) -> Vec<Operand> {
        match operand {
            Operand::Vector(list) | Operand::List(list) => self.body.list(list).to_vec(),
            Operand::Register(register) if self.body.decl(register).shape.lanes() > 1 => {
                let lanes = self.body.decl(register).shape.lanes() as usize;
                ptx_isa::Component::ALL.iter().take(lanes).map(|c| Operand::Element(register, *c)).collect()
            }
            single => vec![single],
        }
    }

    /// An address operand as a pointer into LLVM's space of that number.
    pub(crate) fn address_in(&self, site: Site<'_>, operand: Operand, space: u32) -> Out<Value<'c>> {
        let Operand::Address(base, offset) = operand else { return unsupported("an operand is no address") };
        let base = match base {
            AddressBase::Register(register) => {
                let slot = self.analysis.slots.lane(register, 0);
                self.read(site.statement, slot, self.types.pointer(space))?
            }
            AddressBase::Symbol(symbol) => {
                let address = self.symbol_address(symbol, 0)?;
                let to = self.types.pointer(space);
                // A variable named in a generic access is accessed where it lies, as `ptxas` does.
                let generic = space == ptx_llvm::address_space::GENERIC && address.ty() != to;
                if generic {
                    self.b.cast(CastOp::AddrSpaceCast, address, to)?
                } else {
                    self.bits_as(address, to)?
                }
            }
            AddressBase::Absolute => self.bits_as(self.types.int_value(64, 0), self.types.pointer(space))?,
        };
        self.advance(base, offset)
    }

    /// The address so many bytes on.
    pub(crate) fn advance(&self, base: Value<'c>, offset: i64) -> Out<Value<'c>> {
        if offset == 0 {
            return Ok(base);
        }
        Ok(self.b.offset(base, self.types.int_value(64, offset as u64))?)
    }

    /// LLVM's number of the space an instruction names.
    pub(crate) fn space_of(&self, space: Option<StateSpace>) -> Out<u32> {
        match llvm_space(space) {
            Some(space) => Ok(space),
            None => unsupported("the state space has no addresses"),
        }
    }
}

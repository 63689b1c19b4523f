//! Instructions that are intrinsics, by the rows of [`ptx_llvm::intrinsics`].

use ptx_ir::{AddressBase, Operand};
use ptx_isa::{AsyncSem, MatrixSem, MemorySem, Mnemonic, Role, ScalarType, Sem, StateSpace, TextureSem};
use ptx_llvm::build::{CastOp, Type, Value};
use ptx_llvm::intrinsics::{self, IntrinsicMapping, Operand as Place, Type as MappedType};

use crate::emit::{Emitter, Site};
use crate::errors::{Out, unsupported};
use crate::represent::accessed_space;

impl<'c> Emitter<'_, '_, 'c> {
    /// Lowers the instruction to the intrinsic of its mnemonic; inline assembly where there is none.
    pub(crate) fn intrinsic_or_inline(&mut self, site: Site<'_>) -> Out<()> {
        self.intrinsic_or_inline_as(site, Some(site.inst.mnemonic))
    }

    /// The same for another mnemonic that means the same with these operands.
    pub(crate) fn intrinsic_or_inline_as(&mut self, site: Site<'_>, mnemonic: Option<Mnemonic>) -> Out<()> {
        match self.lower_intrinsic(site, mnemonic)? {
            Some(_) => Ok(()),
            None => self.inline(site),
        }
    }

    /// Lowers the instruction to the intrinsic of a mnemonic and gives the call; nothing where no intrinsic takes its operands.
    pub(crate) fn lower_intrinsic(
        &mut self,
        site: Site<'_>,
        mnemonic: Option<Mnemonic>,
    ) -> Out<Option<Value<'c>>> {
        let Some(mnemonic) = mnemonic else { return Ok(None) };
        for mapping in intrinsics::by_mnemonic(mnemonic) {
            if self.mapping_fits(site, mapping) {
                return self.call_intrinsic(site, mapping).map(Some);
            }
        }
        Ok(None)
    }

    pub(crate) fn mapped_type(&self, ty: MappedType) -> Type<'c> {
        match ty {
            MappedType::Int(bits) => self.types.int(bits),
            MappedType::F16 => self.types.f16(),
            MappedType::Bf16 => self.types.bf16(),
            MappedType::F32 => self.types.f32(),
            MappedType::F64 => self.types.f64(),
            MappedType::F16x2 => self.types.vector(self.types.f16(), 2),
            MappedType::Bf16x2 => self.types.vector(self.types.bf16(), 2),
            MappedType::Ptr(space) => self.types.pointer(space),
            MappedType::Words(lanes) => self.types.vector(self.types.int(32), lanes),
            MappedType::Floats(lanes) => self.types.vector(self.types.f32(), lanes),
            MappedType::Bytes(lanes) => self.types.vector(self.types.int(8), lanes),
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

    fn mapping_fits(&self, site: Site<'_>, mapping: &IntrinsicMapping) -> bool {
        let written = self.written(site);
        if written.len() != mapping.written_operands()
            || self.pair(site).is_some() != mapping.has_result_pair()
        {
            return false;
        }
        let visible = mapping.operands.iter().filter(|place| place.is_written());
        visible.zip(written).all(|(place, at)| self.operand_fits(site, place, at, mapping))
    }

    fn operand_fits(&self, site: Site<'_>, place: &Place, at: usize, mapping: &IntrinsicMapping) -> bool {
        let operand = match place {
            Place::Argument(_) => self.alone(site.operand(at)),
            _ => site.operand(at),
        };
        let list_len = match operand {
            Operand::Vector(list) => list.len(),
            _ => 1,
        };
        match place {
            Place::Result | Place::ByteResult | Place::ResultPair => {
                matches!(operand, Operand::Register(_) | Operand::Sink | Operand::Element(..))
            }
            Place::ResultVector(fields) => {
                fields.len() == list_len
                    && fields.iter().all(Option::is_some)
                    && matches!(operand, Operand::Vector(_) | Operand::Register(_))
            }
            Place::Byte(_) => matches!(operand, Operand::Register(_) | Operand::Element(..)),
            Place::Argument(argument) => {
                // Forms that differ only in a predicate for a number (`cp.async`) are different rows.
                let predicate = site.inst.mnemonic.operand_type(at) == Some(ScalarType::Pred);
                let wants_predicate = mapping.parameters.get(*argument) == Some(&MappedType::Int(1));
                predicate == wants_predicate
                    && !matches!(operand, Operand::Vector(_) | Operand::Address(..) | Operand::List(_))
            }
            Place::ArgumentVector(_, count) => *count == list_len,
            Place::Address(argument) => {
                // An absolute or parameter address has no pointer of the intrinsic's space.
                let space = match mapping.parameters.get(*argument) {
                    Some(MappedType::Ptr(space)) => *space,
                    _ => return false,
                };
                space != ptx_llvm::address_space::PARAM && matches!(operand, Operand::Address(..))
            }
            Place::Immediate { below, .. } => match operand {
                Operand::Immediate(value) => {
                    below.is_none_or(|below| value.as_integer().is_some_and(|number| number < below))
                }
                _ => false,
            },
            Place::Fixed(..) | Place::Alignment(_) => true,
            Place::ArgumentLanes(argument) => {
                let lanes = list_len as u32;
                [MappedType::Words(lanes), MappedType::Floats(lanes)]
                    .iter()
                    .any(|ty| mapping.parameters.get(*argument) == Some(ty))
                    || (list_len == 1 && mapping.parameters.get(*argument) == Some(&MappedType::Int(32)))
            }
            Place::Ignored(_) => true,
            Place::PaddedVector(_) => list_len == 4,
            Place::Coordinates(_, _, count) => match self.bracketed(operand).as_slice() {
                [Operand::Register(_), coordinates] => self.entries(*coordinates).len() == *count,
                _ => false,
            },
            Place::Texel { sampler, count, .. } => {
                let parts = self.bracketed(operand);
                let handles = if sampler.is_some() { 2 } else { 1 };
                let given = parts.get(handles).map_or(0, |coordinates| self.entries(*coordinates).len());
                parts.len() == handles + usize::from(*count > 0) && given == padded(*count)
            }
            Place::Literal(text) if text == "_" => operand == Operand::Sink,
            Place::Unread(_) => true,
            Place::Literal(text) => {
                matches!(operand, Operand::Immediate(value) if value.as_integer().map(|v| v.to_string()) == Some(text.clone()))
            }
        }
    }

    fn call_intrinsic(&mut self, site: Site<'_>, mapping: &'static IntrinsicMapping) -> Out<Value<'c>> {
        let mut arguments: Vec<Option<Value<'c>>> = vec![None; mapping.parameters.len()];
        let mut give = |at: usize, value: Value<'c>| {
            if let Some(place) = arguments.get_mut(at) {
                *place = Some(value);
            }
        };
        let written = self.written(site);
        let mut next = written.iter().copied();
        for place in &mapping.operands {
            match place {
                Place::Ignored(argument) => {
                    let ty = self.parameter(mapping, *argument)?;
                    give(*argument, ty.zero());
                    continue;
                }
                Place::Fixed(argument, value) => {
                    let ty = self.parameter(mapping, *argument)?;
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
                Place::Argument(argument) | Place::Byte(argument) => {
                    let operand = self.alone(operand);
                    let ty = site.inst.mnemonic.operand_type(at).unwrap_or(ScalarType::B32);
                    let to = self.parameter(mapping, *argument)?;
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
                        let to = self.parameter(mapping, first + offset)?;
                        let value = self.operand_of(site, entry, ty)?;
                        give(first + offset, self.resize(value, to)?);
                    }
                }
                Place::PaddedVector(first) => {
                    for (offset, entry) in self.entries(operand).into_iter().take(3).enumerate() {
                        give(
                            first + offset,
                            self.coordinate(site, entry, self.parameter(mapping, first + offset)?)?,
                        );
                    }
                }
                Place::ArgumentLanes(argument) => {
                    let ty = site.ty(at)?;
                    let whole = self.parameter(mapping, *argument)?;
                    let entries = self.entries(operand);
                    let Some((element, _)) = whole.vector_parts() else {
                        let [single] = entries.as_slice() else {
                            return unsupported("it has too many lanes");
                        };
                        give(*argument, self.bits_as(self.operand_of(site, *single, ty)?, whole)?);
                        continue;
                    };
                    let mut vector = whole.poison();
                    for (index, entry) in entries.into_iter().enumerate() {
                        let value = self.bits_as(self.operand_of(site, entry, ty)?, element)?;
                        vector = self.b.insert_element(vector, value, index as u32)?;
                    }
                    give(*argument, vector);
                }
                Place::Coordinates(pointer, first, _) => {
                    let parts = self.bracketed(operand);
                    let [Operand::Register(register), coordinates] = parts.as_slice() else {
                        return unsupported("its coordinates are not beside the map");
                    };
                    let to = self.parameter(mapping, *pointer)?;
                    give(*pointer, self.read(site.statement, self.analysis.slots.lane(*register, 0), to)?);
                    for (offset, entry) in self.entries(*coordinates).into_iter().enumerate() {
                        give(
                            first + offset,
                            self.coordinate(site, entry, self.parameter(mapping, first + offset)?)?,
                        );
                    }
                }
                Place::Texel { texture, sampler, first, count } => {
                    let parts = self.bracketed(operand);
                    let mut parts = parts.into_iter();
                    for handle in [Some(*texture), *sampler].into_iter().flatten() {
                        let Some(part) = parts.next() else { return unsupported("a handle is missing") };
                        give(handle, self.coordinate(site, part, self.types.int(64))?);
                    }
                    let coordinates = parts.next().map_or_else(Vec::new, |list| self.entries(list));
                    for (offset, entry) in coordinates.into_iter().take(*count).enumerate() {
                        give(
                            first + offset,
                            self.coordinate(site, entry, self.parameter(mapping, first + offset)?)?,
                        );
                    }
                }
                Place::Address(argument) => {
                    let space = self.parameter(mapping, *argument)?.pointer_space().unwrap_or(0);
                    give(*argument, self.address_in(site, operand, space)?);
                }
                Place::Immediate { argument, .. } => {
                    let Operand::Immediate(value) = operand else {
                        return unsupported("an operand is not a constant");
                    };
                    let bits = self.parameter(mapping, *argument)?.int_bits().unwrap_or(32);
                    give(*argument, self.types.int_value(bits, value.as_integer().unwrap_or(0)));
                }
                Place::Result
                | Place::ByteResult
                | Place::ResultPair
                | Place::ResultVector(_)
                | Place::Literal(_)
                | Place::Unread(_)
                | Place::Ignored(_)
                | Place::Fixed(..)
                | Place::Alignment(_) => {}
            }
        }
        let Some(arguments) = arguments.into_iter().collect::<Option<Vec<_>>>() else {
            return unsupported("an argument of its intrinsic is missing");
        };
        let results: Vec<Type<'c>> = mapping.results.iter().map(|ty| self.mapped_type(*ty)).collect();
        let result = match results.as_slice() {
            [] => self.types.void(),
            [one] => *one,
            many => self.types.structure(many),
        };
        let function = self.intrinsic_function(&mapping.name, result, &arguments)?;
        let effects = site.inst.mnemonic.effects();
        let touches = effects.reads || effects.writes;
        let call = if touches && !accesses_arguments(site) && function.limits_memory() {
            self.b.call_ordered(function, &arguments)?
        } else {
            self.b.call(function, &arguments)?
        };
        if effects.convergent {
            call.add_call_flag(self.types, "convergent");
        }
        self.take_results(site, mapping, call)?;
        Ok(call)
    }

    /// The only element of a vector of one; any other operand as it is.
    fn alone(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Vector(list) => match self.body.list(list) {
                [single] => *single,
                _ => operand,
            },
            _ => operand,
        }
    }

    /// The parts of an operand in brackets.
    fn bracketed(&self, operand: Operand) -> Vec<Operand> {
        match operand {
            Operand::Bracket(list) => self.body.list(list).to_vec(),
            Operand::Address(AddressBase::Register(register), 0) => vec![Operand::Register(register)],
            Operand::Address(AddressBase::Symbol(symbol), 0) => vec![Operand::Symbol(symbol, 0)],
            other => vec![other],
        }
    }

    /// A handle, a coordinate or an offset: its register says of what type it is.
    fn coordinate(&self, site: Site<'_>, operand: Operand, to: Type<'c>) -> Out<Value<'c>> {
        let value = match operand {
            Operand::Register(register) => self.operand_of(site, operand, self.body.reg_type(register))?,
            Operand::Element(register, _) => self.operand_of(site, operand, self.body.reg_type(register))?,
            Operand::Symbol(symbol, 0) => self.symbol_address(symbol, 0)?,
            Operand::Immediate(value) => {
                let ty = match (to.is_float(), to.bits()) {
                    (true, _) => ScalarType::F32,
                    (false, Some(64)) => ScalarType::B64,
                    (false, Some(16)) => ScalarType::B16,
                    (false, _) => ScalarType::B32,
                };
                self.constant(value, ty)?
            }
            _ => return unsupported("a coordinate is not a register"),
        };
        self.resize(value, to)
    }

    fn take_results(&mut self, site: Site<'_>, mapping: &IntrinsicMapping, call: Value<'c>) -> Out<()> {
        let single = mapping.results.len() == 1;
        let written = self.written(site);
        for (place, at) in mapping.operands.iter().zip(written) {
            match place {
                Place::Result if matches!(mapping.results.as_slice(), [MappedType::Bytes(_)]) => {
                    let whole = self.types.int(call.ty().bits().unwrap_or(32));
                    self.define(site, at, self.bits_as(call, whole)?)?;
                }
                Place::ByteResult => {
                    let byte = self.b.cast(CastOp::Trunc, call, self.types.int(8))?;
                    self.define(site, at, byte)?;
                }
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
                        let value = match (single, call.ty().vector_parts()) {
                            (true, Some(_)) if mapping.results.first().is_some_and(|ty| ty.is_lanes()) => {
                                self.b.extract_element(call, *field as u32)?
                            }
                            (true, _) => call,
                            (false, _) => self.b.extract_field(call, *field as u32)?,
                        };
                        self.define_element(site, entry, ty, value)?;
                    }
                }
                Place::Argument(_)
                | Place::Byte(_)
                | Place::ArgumentVector(..)
                | Place::ArgumentLanes(_)
                | Place::PaddedVector(_)
                | Place::Texel { .. }
                | Place::Coordinates(..)
                | Place::Ignored(_)
                | Place::Address(_)
                | Place::Immediate { .. }
                | Place::Fixed(..)
                | Place::Alignment(_)
                | Place::Unread(_)
                | Place::Literal(_) => break,
            }
        }
        Ok(())
    }

    /// Gives a destination the lower part of a value that is wider than its register, or all of it.
    fn define_element(
        &mut self,
        site: Site<'_>,
        entry: Operand,
        ty: ScalarType,
        value: Value<'c>,
    ) -> Out<()> {
        let width = match entry {
            Operand::Register(register) | Operand::Element(register, _) => {
                self.body.reg_type(register).bits()
            }
            _ => return Ok(()),
        };
        let wider = value.ty().int_bits().is_some_and(|bits| bits > width);
        let value = if wider { self.b.cast(CastOp::Trunc, value, self.types.int(width))? } else { value };
        self.define_operand(site, entry, ty, value)
    }

    fn parameter(&self, mapping: &IntrinsicMapping, at: usize) -> Out<Type<'c>> {
        match mapping.parameters.get(at) {
            Some(ty) => Ok(self.mapped_type(*ty)),
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
        let Operand::Address(base, offset) = operand else {
            return unsupported("an operand is not an address");
        };
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
            AddressBase::Absolute => {
                self.bits_as(self.types.int_value(self.address_bits(), 0), self.types.pointer(space))?
            }
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
        match accessed_space(space, self.function.kind) {
            Some(space) => Ok(space),
            None => unsupported("the state space has no addresses"),
        }
    }
}

/// How many coordinates PTX writes for so many: vectors of three are padded to four (manual 9.7.10.3).
const fn padded(count: usize) -> usize {
    if count == 3 { 4 } else { count }
}

/// Whether the instruction accesses no memory but at its operands, and at once or in the order of its own kind, as LLVM says of its
/// intrinsic.
fn accesses_arguments(site: Site<'_>) -> bool {
    matches!(
        site.inst.mnemonic.sem(),
        Sem::Memory(MemorySem::LoadUniform | MemorySem::Prefetch | MemorySem::ApplyPriority)
            | Sem::Async(
                AsyncSem::CpAsync
                    | AsyncSem::MbarrierInval
                    | AsyncSem::StoreBulk
                    | AsyncSem::TensormapReplace
            )
            | Sem::Matrix(
                MatrixSem::Ldmatrix | MatrixSem::Stmatrix | MatrixSem::WmmaLoad | MatrixSem::WmmaStore
            )
            | Sem::Texture(
                TextureSem::Tex
                    | TextureSem::Tld4
                    | TextureSem::Txq
                    | TextureSem::SurfaceLoad
                    | TextureSem::SurfaceStore
                    | TextureSem::SurfaceQuery
            )
    )
}

//! The data of an object file: for each kernel the function that C calls and its description, and the variables.

use ptx_host_rt::{About, VERSION};
use ptx_llvm_core::build::Volatility::Ordinary;
use ptx_llvm_core::build::{Builder, GlobalSpec, Linkage, Type, Types, Value};
use ptx_llvm_core::host::HostMachine;
use ptx_llvm_core::{LlvmError, Module};

use super::addresses::{Addresses, Memory, Target};
use super::{AotError, CType, Made, Unit, UnitKernel, parameters, warp_function};
use crate::aot::header::exported;

/// The alignment of variables, which is at least that of every PTX variable and vector.
const ALIGNMENT: u32 = 128;

/// The entry point of the runtime library.
const RUN: &str = "ptx_host_run";

/// Adds symbols to a module.
pub(super) struct Symbols<'a, 'c> {
    pub(super) module: &'a Module<'c>,
    pub(super) machine: &'a HostMachine,
    pub(super) unit: &'a Unit<'a>,
}

impl<'c> Symbols<'_, 'c> {
    /// Adds everything.
    pub(super) fn add(
        &self,
        addresses: &Addresses,
        kernels: &[(&UnitKernel, Vec<Made>)],
    ) -> Result<(), AotError> {
        if let Some(fault) = addresses.fault {
            return Err(AotError::Variable(format!(
                "a variable has a first value that is not compiled ahead of time: {fault}"
            )));
        }
        let types = Types::new(self.module.context());
        let constant = self.variables(types, addresses)?;
        for (kernel, made) in kernels {
            self.kernel(types, kernel, made, constant)?;
        }
        Ok(())
    }

    /// Adds the variables; returns the constant memory.
    fn variables(&self, types: Types<'c>, addresses: &Addresses) -> Result<Value<'c>, LlvmError> {
        let exported = exported(self.unit.images[0]);
        let mut places = Vec::new();
        for (number, memory) in addresses.variables.iter().enumerate() {
            let name = exported.iter().find(|variable| variable.address == memory.addresses[0]);
            let (name, linkage) = match name {
                Some(variable) => (variable.symbol.clone(), Linkage::External),
                None => (format!("variable.{number}"), Linkage::Internal),
            };
            // The type of the value depends on where it has addresses, but not on the addresses, whose variables may not exist yet.
            let ty = self.value(types, memory, &[], &|_| Ok(types.pointer(0).zero()))?.ty();
            places.push((self.global(&name, ty, linkage)?, memory));
        }
        let place = |target: &Target| -> Result<Value<'c>, LlvmError> {
            let (variable, _) =
                places.get(target.variable).ok_or_else(|| defect("an address of no variable"))?;
            variable.constant_offset(types, target.offset)
        };
        for (variable, memory) in &places {
            self.module.set_initializer(*variable, self.value(types, memory, &[], &place)?)?;
        }
        let value = self.value(types, &addresses.constant, &addresses.used, &place)?;
        let constant = self.global("constant.memory", value.ty(), Linkage::Internal)?;
        self.module.set_initializer(constant, value)?;
        Ok(constant)
    }

    fn global(&self, name: &str, ty: Type<'c>, linkage: Linkage) -> Result<Value<'c>, LlvmError> {
        if self.module.named_global(name).is_some() {
            return Err(defect("two symbols of one name"));
        }
        self.module.global(GlobalSpec { name, ty, space: 0, align: ALIGNMENT, linkage, initializer: None })
    }

    /// The value of a variable, followed by addresses.
    fn value(
        &self,
        types: Types<'c>,
        memory: &Memory,
        after: &[Target],
        place: &dyn Fn(&Target) -> Result<Value<'c>, LlvmError>,
    ) -> Result<Value<'c>, LlvmError> {
        let (mut parts, mut done) = (Vec::new(), 0);
        for (&at, target) in &memory.words {
            let bytes =
                memory.bytes.get(done..at).ok_or_else(|| defect("an address outside of a variable"))?;
            parts.push(types.bytes_value(bytes));
            parts.push(place(target)?);
            done = at + 8;
        }
        let rest = memory.bytes.get(done..).ok_or_else(|| defect("an address outside of a variable"))?;
        let mut rest = rest.to_vec();
        if !after.is_empty() {
            rest.resize(rest.len() + memory.bytes.len().next_multiple_of(8) - memory.bytes.len(), 0);
        }
        parts.push(types.bytes_value(&rest));
        for target in after {
            parts.push(place(target)?);
        }
        types.packed_value(&parts)
    }

    fn constant(&self, name: &str, value: Value<'c>, align: u32) -> Result<Value<'c>, LlvmError> {
        let initializer = Some(value);
        let linkage = Linkage::Internal;
        self.module.global(GlobalSpec { name, ty: value.ty(), space: 0, align, linkage, initializer })
    }

    /// Adds the symbols of a kernel.
    fn kernel(
        &self,
        types: Types<'c>,
        kernel: &UnitKernel,
        made: &[Made],
        constant: Value<'c>,
    ) -> Result<(), AotError> {
        let UnitKernel { symbol, prepared: [prepared, _], .. } = kernel;
        let mut codes = Vec::new();
        for Made { name, .. } in made {
            let code = self.module.named_global(name).ok_or_else(|| defect("a kernel without code"))?;
            self.module.function(name, warp_function(types))?.set_linkage(Linkage::Internal);
            codes.push(code);
        }
        let about = serde_json::to_vec(&self.about(kernel, made)?)
            .map_err(|error| LlvmError::Other { message: error.to_string() })?;
        let text = self.constant(&format!("{symbol}.about"), types.bytes_value(&about), 1)?;
        let codes = types.array_value(types.pointer(0), &codes)?;
        let codes = self.constant(&format!("{symbol}.codes"), codes, 8)?;
        let length = types.int_value(64, about.len() as u64);
        let null = types.pointer(0).zero();
        let described = types.packed_value(&[text, length, codes, constant, null])?;
        let described = self.constant(&format!("{symbol}.kernel"), described, 8)?;

        let parameters = parameters(prepared);
        let pointer = types.pointer(0);
        let mut arguments = vec![pointer];
        arguments.extend(parameters.iter().map(|(_, ty)| ir_type(types, *ty)));
        let function = self.module.function(symbol, types.function(types.int(32), &arguments))?;
        if function.is_defined() {
            return Err(defect("two symbols of one name").into());
        }
        self.machine.set_function(types, function);
        let builder = Builder::new(types);
        builder.position_at_end(function.append_block(types, "entry"));
        let size = prepared.parameter_bytes().max(1) as u64;
        let space = types.array(types.int(8), size);
        let params = builder.alloca(space, ALIGNMENT)?;
        for (value, (parameter, ty)) in function.parameters().into_iter().skip(1).zip(&parameters) {
            pass(&builder, types, value, params, parameter.offset, *ty)?;
        }
        let run = types.function(types.int(32), &[pointer; 3]);
        let run = self.module.function(RUN, run)?;
        let launch =
            function.parameters().first().copied().ok_or_else(|| defect("a function without parameters"))?;
        let status = builder.call(run, &[described, launch, params])?;
        builder.ret(Some(status))?;
        Ok(())
    }

    fn about(&self, kernel: &UnitKernel, made: &[Made]) -> Result<About, AotError> {
        let prepared = &kernel.prepared[0];
        let shared = |dynamic_shared: u32| {
            let block = kernel.blocks.first().copied();
            let block = block.ok_or_else(|| defect("a kernel for no shape of blocks"))?;
            let shape =
                ptx_exec::Shape { grid: [1; 3], block, cluster: None, dynamic_shared, cooperative: false };
            let geometry = prepared.check(&shape, &ptx_exec::Limits::default());
            geometry.map(|geometry| geometry.shared).map_err(|_| AotError::Kernel {
                kernel: prepared.name().to_owned(),
                place: None,
                why: "its shared memory is too large".to_owned(),
            })
        };
        Ok(About {
            version: VERSION.to_owned(),
            kernel: prepared.name().to_owned(),
            files: self.unit.files.clone(),
            params: prepared.parameter_bytes() as u32,
            // One byte starts where all dynamic memory does.
            shared: [shared(0)?, shared(1)? - 1],
            heap: prepared.needs_heap(),
            shapes: made.iter().map(|made| made.about.clone()).collect(),
        })
    }
}

fn defect(what: &str) -> LlvmError {
    LlvmError::Other { message: format!("an object file would have {what}") }
}

fn ir_type(types: Types<'_>, ty: CType) -> Type<'_> {
    match ty {
        CType::Int(bits, _) => types.int(bits),
        CType::F32 => types.f32(),
        CType::F64 => types.f64(),
        CType::Pointer | CType::Bytes(_) => types.pointer(0),
    }
}

/// Stores an argument to the parameter space.
fn pass<'c>(
    builder: &Builder<'c>,
    types: Types<'c>,
    value: Value<'c>,
    params: Value<'c>,
    offset: u32,
    ty: CType,
) -> Result<(), LlvmError> {
    let at = |base: Value<'c>, offset: u32| builder.offset(base, types.int_value(64, offset.into()));
    let CType::Bytes(bytes) = ty else {
        return builder.store(value, at(params, offset)?, 1, Ordinary).map(drop);
    };
    let mut done = 0;
    while done < bytes {
        let step = if bytes - done >= 8 { 8 } else { 1 };
        let part = builder.load(types.int(8 * step), at(value, done)?, 1, Ordinary)?;
        builder.store(part, at(params, offset + done)?, 1, Ordinary)?;
        done += step;
    }
    Ok(())
}

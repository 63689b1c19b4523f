//! How much of lowered PTX LLVM can look into: accesses through pointers it can follow, instructions kept as assembly.

use std::ops::AddAssign;

use anyhow::{Context as _, Result};
use ptx_isa::{MatrixSem, Sem, TextureSem};
use ptx_llvm_core::view::{
    Call, CastOp, ConstExpr, ConstId, Constant, Function, Inst, Op, Type, Value, View,
};
use ptx_llvm_core::{Module as Llvm, address_space};

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Accesses to memory that are not to parameters.
    pub accesses: u64,
    /// Those whose address comes to no `inttoptr`, back through arithmetic, casts, phis and selects.
    pub known: u64,
    /// PTX instructions.
    pub instructions: u64,
    /// Calls of inline assembly, each of which carries one PTX instruction.
    pub assembly: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.accesses += other.accesses;
        self.known += other.known;
        self.instructions += other.instructions;
        self.assembly += other.assembly;
    }
}

/// Counts in `llvm`, the unoptimized lowering of `module`.
///
/// # Errors
/// When the view of the IR cannot be made.
pub fn count(module: &ptx_ir::Module, llvm: &Llvm<'_>) -> Result<Counts> {
    let view = View::new(llvm).context("the IR cannot be looked at")?;
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let mut counts = Counts {
        instructions: bodies.map(|body| body.instructions().count() as u64).sum(),
        ..Counts::default()
    };
    for function in &view.functions {
        let origins = Origins::new(&view, function);
        for inst in &function.insts {
            origins.count(inst, &mut counts);
        }
    }
    Ok(counts)
}

/// Where a pointer may come from: a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Origin(u8);

impl Origin {
    /// A number.
    const NUMBER: Self = Self(1);
    /// A parameter, or the place of an argument.
    const PARAM: Self = Self(2);
    /// A symbol, a pointer loaded or passed, a variable on the stack.
    const POINTER: Self = Self(4);

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The origins of a function's pointers.
struct Origins<'v> {
    view: &'v View,
    function: &'v Function,
    of_inst: Vec<Origin>,
}

impl<'v> Origins<'v> {
    fn new(view: &'v View, function: &'v Function) -> Self {
        let mut origins = Self { view, function, of_inst: vec![Origin::default(); function.insts.len()] };
        loop {
            let mut changed = false;
            for (at, inst) in function.insts.iter().enumerate() {
                let new = origins.inst(inst).or(origins.of_inst[at]);
                changed |= new != origins.of_inst[at];
                origins.of_inst[at] = new;
            }
            if !changed {
                return origins;
            }
        }
    }

    fn inst(&self, inst: &Inst) -> Origin {
        match &inst.op {
            Op::Gep { base, .. } => self.value(*base),
            Op::Cast { op: CastOp::IntToPtr, .. } => Origin::NUMBER,
            // A variable of the PTX program is cast to its space first; what is not holds an argument.
            Op::Cast { op: CastOp::AddrSpaceCast, value, .. } => match self.value(*value) {
                Origin::PARAM if !self.is_param_space(*value) => Origin::POINTER,
                origin => origin,
            },
            Op::Cast { op: CastOp::BitCast, value, .. } | Op::Freeze { value } => self.value(*value),
            Op::Phi { incoming } => {
                incoming.iter().map(|(value, _)| self.value(*value)).fold(Origin::default(), Origin::or)
            }
            Op::Select { then, other, .. } => self.value(*then).or(self.value(*other)),
            Op::Alloca { .. } => Origin::PARAM,
            _ => Origin::POINTER,
        }
    }

    fn is_pointer(&self, value: Value) -> bool {
        let ty = self.view.value_type(self.function, value).map(|ty| self.view.ty(ty));
        matches!(ty, Some(Type::Pointer { .. }))
    }

    fn is_param_space(&self, value: Value) -> bool {
        let ty = self.view.value_type(self.function, value).map(|ty| self.view.ty(ty));
        matches!(ty, Some(Type::Pointer { space: address_space::PARAM }))
    }

    fn value(&self, value: Value) -> Origin {
        match value {
            Value::Inst(id) => self.of_inst.get(id.index()).copied().unwrap_or_default(),
            Value::Arg(index) => {
                let param = self.function.params.get(index as usize);
                let in_place = param.is_some_and(|param| param.attributes.ty("byval").is_some());
                if in_place || self.is_param_space(value) { Origin::PARAM } else { Origin::POINTER }
            }
            Value::Const(id) => self.constant(id),
            Value::Block(_) | Value::Asm(_) | Value::Metadata(_) => Origin::default(),
        }
    }

    fn constant(&self, mut id: ConstId) -> Origin {
        loop {
            id = match self.view.constant(id) {
                Constant::Expr(ConstExpr::Gep { base, .. }) => *base,
                Constant::Expr(ConstExpr::Cast { op: CastOp::IntToPtr, .. }) => return Origin::NUMBER,
                Constant::Expr(ConstExpr::Cast { value, .. }) => *value,
                Constant::Undef | Constant::Poison => return Origin::default(),
                _ => return Origin::POINTER,
            };
        }
    }

    fn count(&self, inst: &Inst, counts: &mut Counts) {
        match &inst.op {
            Op::Load { ptr, .. }
            | Op::Store { ptr, .. }
            | Op::CmpXchg { ptr, .. }
            | Op::AtomicRmw { ptr, .. } => self.access(*ptr, counts),
            Op::Call(call) => self.call(call, counts),
            _ => {}
        }
    }

    fn access(&self, address: Value, counts: &mut Counts) {
        let origin = self.value(address);
        if origin != Origin::PARAM && !self.is_param_space(address) {
            counts.accesses += 1;
            counts.known += u64::from(origin.0 & Origin::NUMBER.0 == 0);
        }
    }

    fn call(&self, call: &Call, counts: &mut Counts) {
        match call.callee {
            Value::Asm(id) => {
                counts.assembly += 1;
                let asm = self.view.inline_asm(id);
                if !accesses_memory(&asm.text) {
                    return;
                }
                let outputs = asm.constraints.split(',').filter(|c| c.starts_with('=')).count();
                for place in address_places(&asm.text) {
                    let argument = place.checked_sub(outputs).and_then(|at| call.args.get(at));
                    let Some(argument) = argument else { continue };
                    let address = self.behind_bits(*argument);
                    match self.is_pointer(address) {
                        true => self.access(address, counts),
                        false => counts.accesses += 1,
                    }
                }
            }
            Value::Const(id) => {
                let Constant::Symbol(symbol) = self.view.constant(id) else { return };
                let name = self.view.symbol_name(*symbol);
                if !name.starts_with("llvm.nvvm.") || name.contains(".isspacep.") || name.contains(".mapa") {
                    return;
                }
                let pointers = call.args.iter().filter(|argument| self.is_pointer(**argument));
                pointers.for_each(|argument| self.access(*argument, counts));
            }
            _ => {}
        }
    }

    /// The pointer whose bits a number is, or the number itself.
    fn behind_bits(&self, value: Value) -> Value {
        let Value::Inst(id) = value else { return value };
        match &self.function.inst(id).op {
            Op::Cast { op: CastOp::PtrToInt, value: pointer, .. } => *pointer,
            Op::Cast { op: CastOp::ZExt | CastOp::Trunc, value: inner, .. } => match *inner {
                Value::Inst(id) => match &self.function.inst(id).op {
                    Op::Cast { op: CastOp::PtrToInt, value: pointer, .. } => *pointer,
                    _ => value,
                },
                _ => value,
            },
            _ => value,
        }
    }
}

/// Whether brackets in this instruction hold addresses: not those of tensor memory, nor textures and surfaces.
fn accesses_memory(text: &str) -> bool {
    let mnemonic = text.split_whitespace().next().unwrap_or_default().trim_end_matches(';');
    let rows = ptx_isa::candidates(mnemonic).unwrap_or_default();
    !rows.first().is_some_and(|row| {
        matches!(
            row.sem(),
            Sem::Texture(
                TextureSem::Tex
                    | TextureSem::Tld4
                    | TextureSem::Txq
                    | TextureSem::SurfaceLoad
                    | TextureSem::SurfaceStore
                    | TextureSem::SurfaceReduce
                    | TextureSem::SurfaceQuery
            ) | Sem::Matrix(MatrixSem::TensorMemory | MatrixSem::Tcgen05Mma)
        )
    })
}

/// The numbers of the operands that are first in brackets: `[$3]`, `[$3+8]`.
fn address_places(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.split("[$").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use ptx_llvm_core::Context;

    use super::*;

    fn counted(body: &str) -> (u64, u64, u64) {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"\n\
             @g = external addrspace(1) global [8 x i32]\n\
             define ptx_kernel void @k(ptr addrspace(1) %p, i64 %n, ptr byval([16 x i8]) %s, i1 %c) {{\n{body}\nret void\n}}\n"
        );
        let context = Context::new().expect("LLVM 22");
        let llvm = Llvm::parse(&context, "test", text.as_bytes()).expect("the text is LLVM IR");
        let counts = count(&ptx_ir::Module::default(), &llvm).expect("a view");
        (counts.accesses, counts.known, counts.assembly)
    }

    #[test]
    fn addresses_are_followed_through_arithmetic_and_selects() {
        let known = "%q = getelementptr i8, ptr addrspace(1) %p, i64 %n\n\
                     %r = select i1 %c, ptr addrspace(1) %q, ptr addrspace(1) @g\n\
                     store i32 0, ptr addrspace(1) %r";
        assert_eq!(counted(known), (1, 1, 0));
        let number = "%q = inttoptr i64 %n to ptr addrspace(1)\n\
                      %r = select i1 %c, ptr addrspace(1) %q, ptr addrspace(1) @g\n\
                      store i32 0, ptr addrspace(1) %r";
        assert_eq!(counted(number), (1, 0, 0));
    }

    #[test]
    fn parameters_and_places_of_arguments_are_not_counted() {
        let body = "%a = alloca i32\n%x = load i32, ptr %s\nstore i32 %x, ptr %a";
        assert_eq!(counted(body), (0, 0, 0));
        let variable = "%a = alloca i32\n%l = addrspacecast ptr %a to ptr addrspace(5)\n\
                        store i32 1, ptr addrspace(5) %l";
        assert_eq!(counted(variable), (1, 1, 0));
    }

    #[test]
    fn addresses_in_assembly_count() {
        let body = "%b = ptrtoint ptr addrspace(1) %p to i64\n\
                    %x = call i32 asm \"ld.global.b32 $0, [$1+4];\", \"=r,l\"(i64 %b)\n\
                    call void asm sideeffect \"st.global.b32 [$0], $1;\", \"l,r\"(i64 %n, i32 %x)";
        assert_eq!(counted(body), (2, 1, 2));
    }
}

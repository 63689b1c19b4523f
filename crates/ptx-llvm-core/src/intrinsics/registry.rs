//! LLVM's own register of NVPTX intrinsics: their names, types and which arguments are constants.
//!
//! [`super::rows`] says what they mean in PTX; the register says what there is, so that nothing is forgotten.
//! Only what LLVM's verifier accepts in a call is listed.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::types::AsTypeRef;
use inkwell::values::{AnyValue, FunctionValue};
use llvm_sys::core::{
    LLVMGetIntrinsicDeclaration, LLVMIntrinsicGetName, LLVMIntrinsicGetType, LLVMIntrinsicIsOverloaded,
    LLVMLookupIntrinsicID,
};
use llvm_sys::prelude::LLVMTypeRef;

use crate::{Context, LlvmError, Module};

/// How every name of the target begins.
const PREFIX: &str = "llvm.nvvm.";
/// An intrinsic that is there in LLVM 22, to find the others beside it: LLVM numbers those of a target in a row.
const KNOWN: &str = "llvm.nvvm.activemask";
/// The first target in LLVM's register.
const FIRST_TARGET: &str = "llvm.aarch64.";
/// No intrinsic of the target is overloaded in more types.
const MOST_TYPES: usize = 4;
/// The address spaces that pointers are tried in: all but that of tensor memory, which no overloaded intrinsic accesses.
const SPACES: [u16; 7] = [0, 1, 3, 4, 5, 7, 101];

/// One intrinsic, at one choice of the types it is overloaded in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The name without the types it is overloaded in.
    pub intrinsic: String,
    /// The full name.
    pub name: String,
    /// The result's type, as LLVM IR writes it.
    pub result: String,
    /// The parameters.
    pub parameters: Vec<Parameter>,
}

/// One parameter of an intrinsic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its type, as LLVM IR writes it.
    pub ty: String,
    /// What is allowed there.
    pub takes: Takes,
}

/// What an intrinsic takes for a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Any value of the type.
    Value,
    /// A constant (`immarg`).
    Constant,
    /// A constant from the first number up to, but without, the second (`immarg range`).
    ConstantIn(i64, i64),
}

/// Every intrinsic of the target at every choice of types that LLVM's verifier accepts, in LLVM's order.
///
/// # Errors
///
/// [`LlvmError::Missing`] when LLVM's library cannot be loaded.
pub fn declarations() -> Result<Vec<Declaration>, LlvmError> {
    let context = Context::new()?;
    let types = candidates(&context);
    let mut list = Vec::new();
    for id in ids() {
        let intrinsic = name_of(id);
        for choice in choices(&context, id, &types) {
            list.extend(declare(&context, id, &intrinsic, &choice));
        }
    }
    Ok(list)
}

/// The names of the intrinsics that no target owns, without the types they are overloaded in, in LLVM's order.
///
/// # Errors
///
/// [`LlvmError::Missing`] when LLVM's library cannot be loaded.
pub fn generic_names() -> Result<Vec<String>, LlvmError> {
    let _context = Context::new()?;
    // LLVM numbers them first; those of the targets follow, by the targets' names.
    let names = (1..u32::MAX).map(name_of);
    Ok(names.take_while(|name| !name.starts_with(FIRST_TARGET)).collect())
}

/// The numbers of the target's intrinsics.
fn ids() -> Vec<u32> {
    // SAFETY: the name and its length describe a string constant.
    let known = unsafe { LLVMLookupIntrinsicID(KNOWN.as_ptr().cast(), KNOWN.len()) };
    // Other targets' intrinsics lie on both sides, so that neither walk leaves LLVM's table.
    let is_ours = |id: &u32| *id != 0 && name_of(*id).starts_with(PREFIX);
    let mut ids: Vec<u32> = (0..known).rev().take_while(is_ours).collect();
    ids.reverse();
    ids.extend((known..u32::MAX).take_while(is_ours));
    ids
}

fn name_of(id: u32) -> String {
    let mut length = 0;
    // SAFETY: the number is one of LLVM's; the name is LLVM's own constant, and its length comes with it.
    unsafe {
        let start = LLVMIntrinsicGetName(id, &raw mut length);
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// The types an intrinsic may be overloaded in.
fn candidates(context: &Context) -> Vec<LLVMTypeRef> {
    let cx = context.inkwell();
    let mut types: Vec<LLVMTypeRef> = Vec::new();
    for space in SPACES {
        types.push(cx.ptr_type(inkwell::AddressSpace::from(space)).as_type_ref());
    }
    for integer in [cx.i8_type(), cx.i16_type(), cx.i32_type(), cx.i64_type(), cx.i128_type()] {
        types.push(integer.as_type_ref());
    }
    for float in [cx.f16_type(), cx.bf16_type(), cx.f32_type(), cx.f64_type()] {
        types.push(float.as_type_ref());
    }
    for pair in [cx.f16_type(), cx.bf16_type(), cx.f32_type()] {
        types.push(pair.vec_type(2).as_type_ref());
    }
    for (element, lanes) in [(cx.i8_type(), 4), (cx.i16_type(), 2), (cx.i32_type(), 2), (cx.i32_type(), 4)] {
        types.push(element.vec_type(lanes).as_type_ref());
    }
    types
}

/// Every combination of types for the places where they matter; none of them is checked.
fn choices(context: &Context, id: u32, types: &[LLVMTypeRef]) -> Vec<Vec<LLVMTypeRef>> {
    // SAFETY: the number is one of LLVM's.
    if unsafe { LLVMIntrinsicIsOverloaded(id) } == 0 {
        return vec![Vec::new()];
    }
    let cx = context.inkwell();
    let (one, other) = (cx.i32_type().as_type_ref(), cx.i64_type().as_type_ref());
    let type_with = |choice: &[LLVMTypeRef]| {
        // SAFETY: the types live in the context, and LLVM reads only as many as the intrinsic has, which are fewer.
        unsafe { LLVMIntrinsicGetType(context.raw(), id, choice.as_ptr().cast_mut(), choice.len()) }
    };
    let alike = type_with(&[one; MOST_TYPES]);
    let matters = |place: &usize| {
        let mut choice = [one; MOST_TYPES];
        if let Some(slot) = choice.get_mut(*place) {
            *slot = other;
        }
        type_with(&choice) != alike
    };
    let places = (0..MOST_TYPES).take_while(matters).count();
    let mut list = vec![Vec::new()];
    for _ in 0..places {
        let longer = |choice: Vec<LLVMTypeRef>| {
            types.iter().map(move |ty| choice.iter().copied().chain([*ty]).collect::<Vec<_>>())
        };
        list = list.into_iter().flat_map(longer).collect();
    }
    list
}

/// The intrinsic at these types, when the verifier accepts a call of it.
fn declare(context: &Context, id: u32, intrinsic: &str, choice: &[LLVMTypeRef]) -> Option<Declaration> {
    let module = Module::new(context, "registry");
    let (types, count) = (choice.as_ptr().cast_mut(), choice.len());
    // SAFETY: module and types live in the context, and there are as many types as the intrinsic is overloaded in.
    let function =
        unsafe { FunctionValue::new(LLVMGetIntrinsicDeclaration(module.raw(), id, types, count)) }?;
    let ty = function.get_type();
    let name = function.get_name().to_string_lossy().into_owned();
    let result = match ty.get_return_type() {
        Some(ty) => ty.print_to_string().to_string(),
        None => "void".to_owned(),
    };
    let written = function.print_to_string().to_string();
    let ranges = ranges_of(&written, function.count_params() as usize);
    let constant = Attribute::get_named_enum_kind_id("immarg");
    let mut parameters = Vec::new();
    for (at, ty) in (0u32..).zip(ty.get_param_types()) {
        let is_constant = function.get_enum_attribute(AttributeLoc::Param(at), constant).is_some();
        let ty = ty.print_to_string().to_string();
        let takes = match ranges.get(at as usize).copied().flatten() {
            _ if !is_constant => Takes::Value,
            Some((low, high)) => Takes::ConstantIn(low, high),
            None => Takes::Constant,
        };
        parameters.push(Parameter { ty, takes });
    }
    let declaration = Declaration { intrinsic: intrinsic.to_owned(), name, result, parameters };
    declaration.is_accepted(context).then_some(declaration)
}

impl Declaration {
    /// A module with one function `name` that calls the intrinsic with its own parameters, and with `constants` for the
    /// arguments that must be constants, in their order.
    pub fn call(&self, name: &str, constants: &[i64]) -> String {
        let mut constants = constants.iter();
        let mut constant = || {
            let next = constants.next();
            debug_assert!(next.is_some(), "{} has more constants", self.name);
            // Default: 0 is a constant of every type; the verifier judges it.
            next.copied().unwrap_or(0)
        };
        let (mut formal, mut actual) = (Vec::new(), Vec::new());
        for (at, parameter) in self.parameters.iter().enumerate() {
            let ty = &parameter.ty;
            match (parameter.takes, ty.as_str()) {
                (_, "metadata") => actual.push(format!("{ty} !0")),
                (Takes::Value, _) => {
                    formal.push(format!("{ty} %a{at}"));
                    actual.push(format!("{ty} %a{at}"));
                }
                (_, "i1") => {
                    let text = if constant() == 1 { "true" } else { "false" };
                    actual.push(format!("{ty} {text}"));
                }
                (Takes::Constant | Takes::ConstantIn(..), _) => {
                    actual.push(format!("{ty} {}", constant()));
                }
            }
        }
        let (formal, actual, result) = (formal.join(", "), actual.join(", "), &self.result);
        let types: Vec<&str> = self.parameters.iter().map(|parameter| parameter.ty.as_str()).collect();
        let (before, after) =
            if result == "void" { (String::new(), "void") } else { ("%r = ".to_owned(), "") };
        let back = if after.is_empty() { format!("{result} %r") } else { after.to_owned() };
        format!(
            "declare {result} @{callee}({types})\ndefine {result} @{name}({formal}) {{\n  {before}call {result} \
             @{callee}({actual})\n  ret {back}\n}}\n!0 = !{{}}\n",
            callee = self.name,
            types = types.join(", "),
        )
    }

    /// The constants to try for each argument that must be one.
    pub fn constants(&self) -> Vec<Vec<i64>> {
        let wanted = self.parameters.iter().filter(|parameter| parameter.takes != Takes::Value);
        wanted
            .filter(|parameter| parameter.ty != "metadata")
            .map(|parameter| match parameter.takes {
                Takes::ConstantIn(low, high) if high - low <= MOST_CONSTANTS => (low..high).collect(),
                Takes::ConstantIn(low, high) => vec![low, low + 1, high - 1],
                Takes::Value | Takes::Constant if parameter.ty == "i1" => vec![0, 1],
                Takes::Value | Takes::Constant => UNBOUNDED.to_vec(),
            })
            .collect()
    }

    /// Whether LLVM's verifier accepts a call, with some of the constants.
    fn is_accepted(&self, context: &Context) -> bool {
        let first: Vec<i64> = self.constants().iter().filter_map(|list| list.first().copied()).collect();
        let last: Vec<i64> = self.constants().iter().filter_map(|list| list.last().copied()).collect();
        [first, last].iter().any(|constants| {
            let text = self.call("f", constants);
            Module::parse_text(context, "registry", text.as_bytes())
                .is_ok_and(|module| module.verify().is_ok())
        })
    }
}

/// A range with more numbers is tried at its ends.
const MOST_CONSTANTS: i64 = 8;
/// Constants without a range; the last one is a count of registers (manual 9.7.19.5) and a number of bytes.
const UNBOUNDED: [i64; 4] = [0, 1, 4, 128];

/// The range of each parameter in a declaration's text, where it has one: LLVM's C API does not give it.
fn ranges_of(declaration: &str, parameters: usize) -> Vec<Option<(i64, i64)>> {
    let signature = declaration.rsplit_once("declare ").and_then(|(_, rest)| rest.split_once('('));
    let Some((_, inside)) = signature else {
        debug_assert!(false, "LLVM prints no declaration: {declaration}");
        return vec![None; parameters];
    };
    let mut ranges = Vec::with_capacity(parameters);
    let (mut depth, mut start) = (0usize, 0usize);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' | b'<' | b'{' | b'[' => depth += 1,
            b',' | b')' if depth == 0 => {
                ranges.push(inside.get(start..at).and_then(range_in));
                start = at + 1;
                if byte == b')' {
                    break;
                }
            }
            b')' | b'>' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    ranges.resize(parameters, None);
    ranges
}

/// The numbers of `range(i32 0, 4)`.
fn range_in(parameter: &str) -> Option<(i64, i64)> {
    let (_, rest) = parameter.split_once("range(")?;
    let (_, numbers) = rest.split_once(')')?.0.split_once(' ')?;
    let (low, high) = numbers.split_once(", ")?;
    Some((low.parse().ok()?, high.parse().ok()?))
}

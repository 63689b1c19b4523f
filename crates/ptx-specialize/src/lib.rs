//! Kernels for launches of which the shape or arguments are known.
//!
//! Input: a module and [`Assumptions`] about the launches of one of its kernels. Output: the module with another kernel, of the same parameters, that does the same
//! in such launches; the kernel itself stays. In it, special registers and loads of parameters are constants, and `.reqntid` says the block, from which
//! LLVM and `ptxas` know the range of `%tid`. The rest is left to their passes: loops whose trip count is known now, branches that never go one way, divisions by
//! constants.
//!
//! ```text
//! .visible .entry scale(            .visible .entry scale_0079874b1cc1862b(
//!   .param .u32 n, ..)                .param .u32 n, ..) .reqntid 256, 1, 1
//!   ld.param.u32 %r1, [n];            mov.b32 %r1, 5000;
//!   mov.u32 %r2, %ntid.x;             mov.u32 %r2, 256;
//! ```
//!
//! The new kernel must only be launched as assumed. The module says how, for a host to check: a variable `scale_0079874b1cc1862b_assumptions`, in which the text of the
//! assumptions ends with a zero byte. The digits of the name are a hash of that text.

mod assumptions;
mod error;
mod kernel;
mod known;
mod names;
mod read_only;
mod values;

pub use assumptions::{AssumptionError, Assumptions, Number};
pub use error::SpecializeError;
pub use known::{Specialization, specializations};
pub use names::ASSUMPTIONS;
pub use values::number_parameters;

use names::{entry, name_of_copy};
use ptx_ir::{
    FunctionDirective, FunctionId, Immediate, Initializer, Item, Linkage, Literal, Module, VarType, Variable,
};
use ptx_isa::{ScalarType, StateSpace};

/// What [`specialize`] adds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specialized {
    /// The kernel that it was made of.
    pub original: String,
    /// The new kernel.
    pub name: String,
}

/// Adds a kernel for launches that are as assumed. The module has to be verified again.
///
/// # Errors
///
/// [`SpecializeError`] for a kernel, parameter or value that the module does not have room for, and for shapes that the kernel cannot be launched with.
///
/// ```
/// use ptx_diag::SourceFile;
/// use ptx_specialize::{Assumptions, specialize};
///
/// let source = SourceFile::new("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n) { ret; }");
/// let (mut module, _) = ptx_syntax::parse(&source);
/// let assumed: Assumptions = "block=256 arg0=5000".parse().unwrap();
/// let specialized = specialize(&mut module, &assumed).unwrap();
/// assert_eq!((specialized.original.as_str(), module.functions.len()), ("k", 2));
/// ```
pub fn specialize(module: &mut Module, assumptions: &Assumptions) -> Result<Specialized, SpecializeError> {
    let original = entry(module, assumptions.entry.as_deref())?;
    let name = module.name(module.function(original).name).to_owned();
    let assumptions = Assumptions { entry: Some(name.clone()), ..assumptions.clone() };
    check_shape(module, original, &assumptions)?;
    let text = assumptions.to_string();
    let specialized = name_of_copy(&name, &text);
    if let Some(taken) = taken(module, &[&specialized, &format!("{specialized}{ASSUMPTIONS}")]) {
        return Err(SpecializeError::Taken(taken));
    }
    let new = kernel::copy(module, original, &specialized, &assumptions)?;
    let described = describe(module, &format!("{specialized}{ASSUMPTIONS}"), &text);
    let at = module.items.iter().position(|item| *item == Item::Function(original));
    // Default: functions have an item.
    let at = at.map_or(module.items.len(), |at| at + 1);
    module.items.splice(at..at, [Item::Variable(described), Item::Function(new)]);
    Ok(Specialized { original: name, name: specialized })
}

/// One of these names, if the module has it.
fn taken(module: &Module, names: &[&str]) -> Option<String> {
    let functions = module.functions.iter().map(|function| function.name);
    let mut all = functions.chain(module.variables.iter().map(|variable| variable.name));
    all.find_map(|name| names.iter().find(|taken| **taken == module.name(name)))
        .map(|name| (*name).to_owned())
}

/// Rejects blocks that a directive of the kernel rules out.
fn check_shape(
    module: &Module,
    kernel: FunctionId,
    assumptions: &Assumptions,
) -> Result<(), SpecializeError> {
    let Some(block) = assumptions.block else { return Ok(()) };
    for (directive, _) in &module.function(kernel).directives {
        let (is_possible, directive) = match directive {
            FunctionDirective::ReqNtid(required) => {
                // Default: a block has one thread in omitted dimensions.
                (required.map(|extent| extent.unwrap_or(1)) == block, ".reqntid")
            }
            FunctionDirective::MaxNtid(most) => {
                // Default: as above.
                let most: u64 = most.iter().map(|extent| u64::from(extent.unwrap_or(1))).product();
                (block.map(u64::from).iter().product::<u64>() <= most, ".maxntid")
            }
            _ => continue,
        };
        if !is_possible {
            return Err(SpecializeError::Block { block, directive });
        }
    }
    Ok(())
}

/// A variable with a text that ends with a zero byte.
fn describe(module: &mut Module, name: &str, text: &str) -> ptx_ir::VarId {
    let bytes: Vec<u8> = text.bytes().chain([0]).collect();
    let byte = |byte: &u8| Initializer::Value(Immediate::S64(i64::from(*byte), Literal::Plain));
    let name = module.strings.intern(name);
    let variable = Variable {
        dims: vec![Some(bytes.len() as u64)],
        linkage: Linkage::Visible,
        init: Some(Initializer::list(bytes.iter().map(byte).collect())),
        ..Variable::new(name, StateSpace::Global, VarType::Scalar(ScalarType::B8))
    };
    module.add_variable(variable)
}

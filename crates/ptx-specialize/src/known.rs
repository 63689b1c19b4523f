//! The kernels of a module that were made for known launches, as a host finds them.

use std::collections::HashMap;

use ptx_ir::{FunctionKind, Immediate, Initializer, Module, Variable};

use crate::names::{ASSUMPTIONS, name_of_copy};
use crate::{Assumptions, values};

/// A kernel that was made for known launches.
#[derive(Clone, PartialEq, Debug)]
pub struct Specialization {
    /// Its name.
    pub name: String,
    /// What is assumed of its launches.
    pub assumptions: Assumptions,
    /// The bytes of the arguments that are assumed, little endian, with the index of their parameter.
    arguments: Vec<(usize, Vec<u8>)>,
}

impl Specialization {
    /// Whether a launch is as assumed: its grid in blocks, its blocks in threads, and the bytes of arguments by the index of their parameter.
    pub fn fits<'a>(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        argument: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> bool {
        let is = |assumed: Option<[u32; 3]>, extents| assumed.is_none_or(|assumed| assumed == extents);
        is(self.assumptions.grid, grid)
            && is(self.assumptions.block, block)
            && self.arguments.iter().all(|(index, bytes)| argument(*index) == Some(bytes))
    }

    /// How much is assumed.
    fn count(&self) -> usize {
        let assumed = &self.assumptions;
        assumed.arguments.len()
            + usize::from(assumed.block.is_some())
            + usize::from(assumed.grid.is_some())
            + usize::from(assumed.noalias)
    }
}

/// The kernels that were made for known launches, by the name of the kernel that they were made of; those of which more is assumed come first.
///
/// They are found by their variables ([`crate::ASSUMPTIONS`]), also in a module that has been optimized and printed since. A variable counts only if its text is in
/// normal form, has the hash that is part of its name, and names kernels with the same parameters: other variables may have such names, too.
pub fn specializations(module: &Module) -> HashMap<String, Vec<Specialization>> {
    let kernels: HashMap<&str, _> = module
        .functions
        .iter()
        .filter(|function| function.kind == FunctionKind::Kernel && function.body.is_some())
        .map(|function| (module.name(function.name), function))
        .collect();
    let mut found: HashMap<String, Vec<Specialization>> = HashMap::new();
    for variable in &module.variables {
        let Some(name) = module.name(variable.name).strip_suffix(ASSUMPTIONS) else { continue };
        let Some((text, assumptions)) = assumptions_of(variable) else { continue };
        let Some(entry) = assumptions.entry.clone() else { continue };
        if name_of_copy(&entry, &text) != name {
            continue;
        }
        let (Some(original), Some(copy)) = (kernels.get(entry.as_str()), kernels.get(name)) else {
            continue;
        };
        let arguments = values::bytes_of_arguments(module, &copy.params, &assumptions);
        if let Some(arguments) = arguments.filter(|_| original.params.len() == copy.params.len()) {
            let one = Specialization { name: name.to_owned(), assumptions, arguments };
            found.entry(entry).or_default().push(one);
        }
    }
    for kernels in found.values_mut() {
        kernels.sort_by(|a, b| b.count().cmp(&a.count()).then_with(|| a.name.cmp(&b.name)));
    }
    found
}

/// The text of a variable up to its zero byte, if it is the normal form of assumptions.
fn assumptions_of(variable: &Variable) -> Option<(String, Assumptions)> {
    let mut bytes = bytes_of(variable.init.as_ref()?)?;
    // The last bytes may be omitted, which are zero.
    let room = variable.dims.first().copied().flatten()?;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    (room > end as u64).then(|| bytes.truncate(end))?;
    let text = String::from_utf8(bytes).ok()?;
    let assumptions: Assumptions = text.parse().ok()?;
    (assumptions.to_string() == text).then_some((text, assumptions))
}

/// The bytes of a list of numbers.
fn bytes_of(init: &Initializer) -> Option<Vec<u8>> {
    let byte = |value: &Initializer| match value {
        Initializer::Value(Immediate::S64(value, _)) => u8::try_from(*value).ok(),
        Initializer::Value(Immediate::U64(value, _)) => u8::try_from(*value).ok(),
        _ => None,
    };
    match init {
        Initializer::List(values) => values.iter().map(byte).collect(),
        Initializer::Integers(values) => values.iter().map(|value| u8::try_from(value).ok()).collect(),
        _ => None,
    }
}

//! Dynamic shared memory (manual 5.1.8): one variable in LLVM IR, of as many names in PTX as the program declared.

use ptx_ir::{Module, VarId, VarType, Variable};
use ptx_isa::{ScalarType, StateSpace};
use ptx_llvm_core::view::{Global, View};
use ptx_llvm_core::{DYNAMIC_SHARED, DYNAMIC_SHARED_NAMES, address_space};
use rustc_hash::FxHashSet as HashSet;

use crate::names;

/// One name of dynamic shared memory.
pub(crate) struct DynamicArray {
    pub(crate) variable: VarId,
    /// The functions that used this name.
    functions: Vec<String>,
}

/// Whether a variable is the whole of dynamic shared memory.
pub(crate) fn is_whole(global: &Global) -> bool {
    global.name == DYNAMIC_SHARED && global.space == address_space::SHARED && global.initializer.is_none()
}

/// The name that a function used.
pub(crate) fn name_in(arrays: &[DynamicArray], function: &str) -> Option<VarId> {
    let used = |array: &&DynamicArray| array.functions.iter().any(|name| name == function);
    arrays.iter().find(used).map(|array| array.variable)
}

/// Declares each name that `!ptx.dynamic_shared` has, with its type and the greatest alignment of all: LLVM may have used
/// the memory through any of them. Without that list there is one array of bytes.
pub(crate) fn arrays(
    view: &View,
    ir: &mut Module,
    symbols: &mut HashSet<String>,
    least: u32,
) -> Vec<DynamicArray> {
    let entries: Vec<Vec<&str>> =
        view.named(DYNAMIC_SHARED_NAMES).iter().map(|node| view.strings(*node)).collect();
    let entries = if entries.is_empty() { vec![vec![DYNAMIC_SHARED]] } else { entries };
    let aligns = entries.iter().filter_map(|entry| entry.get(2)?.parse::<u32>().ok());
    let align = aligns.filter(|align| align.is_power_of_two()).fold(least.max(1), u32::max);
    let mut known: Vec<(&str, DynamicArray)> = Vec::new();
    for entry in &entries {
        let Some(&name) = entry.first() else { continue };
        let functions = entry.iter().skip(3).map(|function| (*function).to_owned());
        if let Some((_, array)) = known.iter_mut().find(|(own, _)| *own == name) {
            array.functions.extend(functions);
            continue;
        }
        let ty = entry.get(1).and_then(|text| ScalarType::from_ptx(text)).unwrap_or(ScalarType::B8);
        // No other symbol has the name of the LLVM variable.
        let is_taken = |own: &str| own != DYNAMIC_SHARED && symbols.contains(own);
        let own = names::free(names::escape(name).into_owned(), is_taken);
        symbols.insert(own.clone());
        let own = ir.strings.intern(&own);
        let variable = ir.add_variable(Variable {
            dims: vec![None],
            align: Some(align),
            linkage: ptx_ir::Linkage::Extern,
            ..Variable::new(own, StateSpace::Shared, VarType::Scalar(ty))
        });
        known.push((name, DynamicArray { variable, functions: functions.collect() }));
    }
    known.into_iter().map(|(_, array)| array).collect()
}

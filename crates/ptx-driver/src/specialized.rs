//! Kernels for known launches: how long they may be.

use ptx_llvm::{Module, instruction_count};
use ptx_specialize::{Assumptions, Specialized};

/// How many times the instructions of a kernel its copy may have.
const MOST_GROWTH: usize = 4;

/// Below this number of instructions, growth does not matter.
const FEW: usize = 200;

/// The assumptions to try next when a kernel has grown too much with `assumed`: one argument is left out, each in turn, and then all of them. `tried` is what was
/// left out before, as it was returned with the assumptions. `None` when there is nothing left to try.
pub fn with_fewer_arguments(assumed: &Assumptions, tried: Option<LeftOut>) -> Option<(Assumptions, LeftOut)> {
    let after = |index: &&usize| match tried {
        None => true,
        Some(LeftOut::One(tried)) => **index > tried,
        Some(LeftOut::All) => false,
    };
    let next = assumed.arguments.keys().find(after).copied().filter(|_| assumed.arguments.len() > 1);
    let mut fewer = assumed.clone();
    let left_out = match next {
        Some(index) => {
            fewer.arguments.remove(&index);
            LeftOut::One(index)
        }
        None if tried == Some(LeftOut::All) => return None,
        None => {
            fewer.arguments.clear();
            LeftOut::All
        }
    };
    (!fewer.is_empty()).then_some((fewer, left_out))
}

/// The arguments that are left out of assumptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// The one with this index.
    One(usize),
    /// All of them.
    All,
}

/// Whether a copy has grown too much: what it saves does not pay for its size in the instruction cache.
pub fn has_grown_too_much(module: &Module<'_>, copy: &Specialized) -> bool {
    let [before, after] = [&copy.original, &copy.name].map(|name| instruction_count(module, name));
    match (before, after) {
        (Some(before), Some(after)) => after > FEW && after > before * MOST_GROWTH,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_left_out_one_by_one_and_then_all() {
        let assumed: Assumptions = "block=8 arg1=5 arg3=6".parse().expect("assumptions");
        let (mut tried, mut texts) = (None, Vec::new());
        while let Some((next, left_out)) = with_fewer_arguments(&assumed, tried) {
            texts.push(next.to_string());
            tried = Some(left_out);
        }
        assert_eq!(texts, ["block=8,1,1 arg3=6", "block=8,1,1 arg1=5", "block=8,1,1"]);
        let alone: Assumptions = "arg1=5".parse().expect("assumptions");
        assert_eq!(with_fewer_arguments(&alone, None), None);
    }
}

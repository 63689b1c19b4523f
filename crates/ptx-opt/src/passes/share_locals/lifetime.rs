//! Where local variables are alive: the instructions from a start to the ends that are reached from there.

use std::collections::{HashMap, HashSet};

use ptx_llvm_core::edit::{Flow, Inst};

/// How many blocks are visited for all variables, for each block of the function: what is alive in few blocks costs little, and variables beyond this are
/// not shared.
const VISITS_PER_BLOCK: usize = 32;

/// Where a variable may be alive: ranges of instructions of the function, numbered block by block, both ends included.
pub(super) type Lifetime = Vec<(u32, u32)>;

/// A marker: the number of its instruction, and whether it starts a lifetime.
type Marker = (u32, bool);

/// The instructions of a function by numbers.
struct Numbering {
    /// The numbers of the first and the last instruction of each block.
    blocks: Vec<(u32, u32)>,
    /// The markers of each variable in each block that has some, in their order.
    markers: Vec<HashMap<usize, Vec<Marker>>>,
}

/// Where each of these variables is alive; absent for one whose lifetime was not computed.
pub(super) fn lifetimes<'e>(flow: &Flow<'e>, locals: &[Inst<'e>]) -> Vec<Option<Lifetime>> {
    let numbering = number(flow, locals);
    let mut visits = VISITS_PER_BLOCK * flow.blocks().len();
    numbering.markers.iter().map(|markers| lifetime(flow, &numbering.blocks, markers, &mut visits)).collect()
}

fn number<'e>(flow: &Flow<'e>, locals: &[Inst<'e>]) -> Numbering {
    let by_value: HashMap<_, usize> =
        locals.iter().enumerate().map(|(at, local)| (local.value(), at)).collect();
    let mut numbering =
        Numbering { blocks: Vec::new(), markers: locals.iter().map(|_| HashMap::new()).collect() };
    let mut next = 0;
    for (block, instructions) in flow.blocks().iter().map(|block| block.instructions()).enumerate() {
        let first = next;
        for inst in instructions {
            let is_start = super::is_start(inst);
            if is_start || super::is_end(inst) {
                let local = inst.operand(0).and_then(|object| by_value.get(&object));
                if let Some(&local) = local {
                    let markers: &mut Vec<Marker> = numbering.markers[local].entry(block).or_default();
                    markers.push((next, is_start));
                }
            }
            next += 1;
        }
        // A block has a terminator at least.
        numbering.blocks.push((first, next.saturating_sub(1)));
    }
    numbering
}

/// The ranges that control may reach from a start without an end between; absent if that takes more visits than there are.
fn lifetime(
    flow: &Flow<'_>,
    blocks: &[(u32, u32)],
    markers: &HashMap<usize, Vec<Marker>>,
    visits: &mut usize,
) -> Option<Lifetime> {
    let mut ranges = Lifetime::new();
    let mut alive_after = Vec::new();
    for (&block, markers) in markers {
        let mut from = None;
        for &(at, is_start) in markers {
            match (is_start, from) {
                (true, None) => from = Some(at),
                (false, Some(first)) => {
                    ranges.push((first, at));
                    from = None;
                }
                _ => {}
            }
        }
        if let Some(first) = from {
            ranges.push((first, blocks[block].1));
            alive_after.push(block);
        }
    }
    let mut entered = HashSet::new();
    while let Some(block) = alive_after.pop() {
        for &to in flow.successors_of(block) {
            if !entered.insert(to) {
                continue;
            }
            *visits = visits.checked_sub(1)?;
            let (first, last) = blocks[to];
            match markers.get(&to).and_then(|markers| markers.first()) {
                // After a start it is in the ranges already.
                Some(&(at, _)) => ranges.push((first, at)),
                None => {
                    ranges.push((first, last));
                    alive_after.push(to);
                }
            }
        }
    }
    Some(ranges)
}

//! What a function does with its parameters that not every value is fit for.

use ptx_llvm_core::view::{Call, CastOp, Constant, Function, Op, Symbol, Type, Value, View};

/// A demand on an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// It names the lanes that take part: all of them.
    Members,
    /// It is the stride of a matrix of `wmma`: at least so many elements, which no row or column has more than.
    Stride(u8),
    /// It is the rank of a block in a cluster, which has one.
    Rank,
    /// It is the metadata of a sparse matrix, of which not all is valid.
    Metadata,
    /// It names the byte or the thread with the scales of a matrix.
    ScaleIndex,
    /// It counts bytes of a bulk copy, a multiple of 16.
    BulkBytes,
    /// It points to a matrix of `wmma`, which reaches far with a stride.
    Matrix,
    /// It points to shared memory, whatever its type says.
    Shared,
    /// It points to an initialized `mbarrier` object.
    Barrier,
    /// It points to integers of widths that fill no bytes, whose other bits are zero.
    OddIntegers,
}

/// The demands that can be read off the function's own instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// On the parameters.
    parameters: Vec<(u32, Use)>,
    /// How many lanes there may be at most: those that constant masks name.
    pub(super) lanes: Option<u32>,
}

impl Uses {
    pub(super) fn of(view: &View, function: &Function) -> Self {
        let (mut uses, mut lanes) = (Vec::new(), None);
        for inst in &function.insts {
            match &inst.op {
                Op::Call(call) => {
                    let Some(name) = callee(view, call) else { continue };
                    for (at, demand) in demands(name, call.args.len()) {
                        let Some(&value) = call.args.get(at) else { continue };
                        uses.extend(parameter_of(function, value).map(|parameter| (parameter, demand)));
                        if let (Use::Members, Value::Const(id)) = (demand, value)
                            && let Constant::Int(words) = view.constant(id)
                        {
                            let named = words.first().map_or(0, |&mask| (mask as u32).trailing_ones()).max(1);
                            lanes = Some(lanes.map_or(named, |lanes: u32| lanes.min(named)));
                        }
                    }
                }
                Op::Load { ptr, .. } => {
                    if let Type::Int { bits } = view.ty(inst.ty)
                        && !bits.is_multiple_of(8)
                    {
                        uses.extend(
                            parameter_of(function, *ptr).map(|parameter| (parameter, Use::OddIntegers)),
                        );
                    }
                }
                _ => {}
            }
        }
        Self { parameters: uses, lanes }
    }

    /// Whether there is such a demand on a parameter.
    pub(super) fn has(&self, parameter: usize, demand: Use) -> bool {
        self.parameters.iter().any(|&(at, found)| at as usize == parameter && found == demand)
    }

    /// Whether there is such a demand on any parameter.
    pub(super) fn any(&self, demand: Use) -> bool {
        self.parameters.iter().any(|&(_, found)| found == demand)
    }
}

/// The name of the function that a call names.
fn callee<'v>(view: &'v View, call: &Call) -> Option<&'v str> {
    let Value::Const(id) = call.callee else { return None };
    let Constant::Symbol(Symbol::Function(id)) = view.constant(id) else { return None };
    Some(view.function(*id).name.as_str())
}

/// The arguments of an intrinsic with demands.
fn demands(name: &str, count: usize) -> Vec<(usize, Use)> {
    let Some(name) = name.strip_prefix("llvm.nvvm.") else { return Vec::new() };
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let is_vote = name.starts_with("vote.") && name.contains("sync");
    if is_vote || begins(&["shfl.sync.", "match.", "elect.sync", "bar.warp.sync"]) {
        vec![(0, Use::Members)]
    } else if begins(&["redux.sync."]) {
        vec![(1, Use::Members)]
    } else if begins(&["wmma."]) {
        let longest = if name.contains("m8n8k128") { 128 } else { 32 };
        let stride = name.contains(".stride.").then_some((count.saturating_sub(1), Use::Stride(longest)));
        [(0, Use::Matrix)].into_iter().chain(stride).collect()
    } else if begins(&["mma.sp.", "mma.block.scale."]) {
        selectors(name, count)
    } else if begins(&["ldmatrix.", "stmatrix.", "mbarrier.init"]) {
        vec![(0, Use::Shared)]
    } else if begins(&["mbarrier.", "cp.async.mbarrier."]) {
        vec![(0, Use::Barrier)]
    } else if begins(&["cp.async.bulk.global.to.shared.", "cp.async.bulk.shared.cta.to.cluster"]) {
        vec![(1, Use::Barrier), (3, Use::BulkBytes)]
    } else if begins(&["cp.async.bulk.shared.cta.to.global"]) {
        vec![(2, Use::BulkBytes)]
    } else if begins(&["st.bulk"]) {
        vec![(0, Use::Shared), (1, Use::BulkBytes)]
    } else if begins(&["mapa"]) {
        vec![(0, Use::Shared), (1, Use::Rank)]
    } else if begins(&["getctarank"]) {
        vec![(0, Use::Shared)]
    } else {
        Vec::new()
    }
}

/// The demands of products that are sparse or have scales: the last operands are metadata and selector, then for each of
/// two matrices scales, a byte and a thread.
fn selectors(name: &str, count: usize) -> Vec<(usize, Use)> {
    let of_scales = if name.contains("block.scale.") { 6 } else { 0 };
    let Some(end) = count.checked_sub(of_scales) else { return Vec::new() };
    let metadata = name.starts_with("mma.sp.").then(|| (end.saturating_sub(2), Use::Metadata));
    let indices = [1, 2, 4, 5].into_iter().filter(|_| of_scales > 0).map(|at| (end + at, Use::ScaleIndex));
    metadata.into_iter().chain(indices).collect()
}

/// The parameter that a value is, or that its address is computed from.
fn parameter_of(function: &Function, mut value: Value) -> Option<u32> {
    // Without phis no value leads back to itself.
    loop {
        value = match value {
            Value::Arg(at) => return Some(at),
            Value::Inst(id) => match &function.inst(id).op {
                Op::Gep { base, .. } => *base,
                Op::Cast { op: CastOp::AddrSpaceCast | CastOp::BitCast, value, .. }
                | Op::Freeze { value } => *value,
                _ => return None,
            },
            _ => return None,
        };
    }
}

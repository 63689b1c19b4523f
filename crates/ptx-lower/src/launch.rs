//! Properties of all launches of a kernel that its directives specify, as ranges of special registers (manual 10, 11.4, 11.7).

use ptx_ir::{Function, FunctionDirective, FunctionKind};
use ptx_isa::{Component, SpecialReg};

/// Extents in three dimensions, or how large their product may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    /// Nothing is known.
    Any,
    /// The product is at most this; a single dimension may be as large (manual 11.4.2).
    AtMost(u64),
    /// Each dimension is exactly this.
    Exactly([u64; 3]),
}

/// The three extents of a directive.
pub(crate) fn extents(values: [Option<u32>; 3]) -> [u64; 3] {
    // Default: an extent that is not written is 1 (manual 11.4.2).
    values.map(|value| u64::from(value.unwrap_or(1)))
}

impl Extent {
    fn exactly(values: [Option<u32>; 3]) -> Self {
        Self::Exactly(extents(values)).unless_empty()
    }

    fn at_most(values: [Option<u32>; 3]) -> Self {
        extents(values)
            .into_iter()
            .try_fold(1, u64::checked_mul)
            .map_or(Self::Any, Self::AtMost)
            .unless_empty()
    }

    /// No launch has an extent of zero; a directive with one specifies nothing.
    fn unless_empty(self) -> Self {
        match self {
            Self::AtMost(0) => Self::Any,
            Self::Exactly(extents) if extents.contains(&0) => Self::Any,
            known => known,
        }
    }

    /// The smallest and the largest extent of a dimension.
    fn of(self, dimension: usize) -> Option<(u64, u64)> {
        match self {
            Self::Any => None,
            Self::AtMost(product) => Some((1, product)),
            Self::Exactly(extents) => extents.get(dimension).map(|extent| (*extent, *extent)),
        }
    }

    /// The smallest and the largest product.
    fn product(self) -> Option<(u64, u64)> {
        match self {
            Self::Any => None,
            Self::AtMost(product) => Some((1, product)),
            Self::Exactly(extents) => {
                let product = extents.iter().copied().try_fold(1, u64::checked_mul)?;
                Some((product, product))
            }
        }
    }
}

/// Properties of every launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LaunchFacts {
    threads: Extent,
    cluster: Extent,
}

impl LaunchFacts {
    /// The properties that a function's directives specify. A device function runs in the launches of the kernels that
    /// reach it, which are unknown.
    pub(crate) fn of(function: &Function) -> Self {
        let mut facts = Self { threads: Extent::Any, cluster: Extent::Any };
        if function.kind != FunctionKind::Kernel {
            return facts;
        }
        for (directive, _) in &function.directives {
            match directive {
                FunctionDirective::ReqNtid(values) => facts.threads = Extent::exactly(*values),
                FunctionDirective::MaxNtid(values) => facts.threads = Extent::at_most(*values),
                FunctionDirective::ReqNCtaPerCluster(values) => facts.cluster = Extent::exactly(*values),
                FunctionDirective::MaxClusterRank(rank) => {
                    facts.cluster = Extent::AtMost(u64::from(*rank)).unless_empty();
                }
                FunctionDirective::MinNCtaPerSm(_)
                | FunctionDirective::MaxNCtaPerSm(_)
                | FunctionDirective::MaxNReg(_)
                | FunctionDirective::NoReturn
                | FunctionDirective::Pragma(_)
                | FunctionDirective::ExplicitCluster
                | FunctionDirective::BlocksAreClusters
                | FunctionDirective::Language(_)
                | FunctionDirective::LocalMaxNReg(_)
                | FunctionDirective::MinPerCtaMemory(_)
                | FunctionDirective::AbiPreserve(_)
                | FunctionDirective::AbiPreserveControl(_)
                | FunctionDirective::Attribute(_) => {}
            }
        }
        facts
    }

    /// The range of a special register's values, the first and the one after the last, if LLVM's declaration does not have it:
    /// specified by the directives, or true of every launch.
    pub(crate) fn range(&self, register: SpecialReg, component: Option<Component>) -> Option<(u64, u64)> {
        let (least, most) = register.values(component);
        let (first, last) = match self.of_directives(register, component) {
            // A range at the call replaces the declaration's.
            Some((first, last)) => (first.max(least), last.min(most)),
            None if declares_no_range(register) => (least, most),
            None => return None,
        };
        (first <= last).then_some((first, last.checked_add(1)?))
    }

    /// The first and the last value by the directives alone.
    fn of_directives(&self, register: SpecialReg, component: Option<Component>) -> Option<(u64, u64)> {
        let dimension = match component {
            Some(Component::X) | None => 0,
            Some(Component::Y) => 1,
            Some(Component::Z) => 2,
            Some(Component::W) => return None,
        };
        let index = |(_, most): (u64, u64)| Some((0, most.checked_sub(1)?));
        match register {
            SpecialReg::Tid => index(self.threads.of(dimension)?),
            SpecialReg::Ntid => self.threads.of(dimension),
            SpecialReg::ClusterCtaId => index(self.cluster.of(dimension)?),
            SpecialReg::ClusterNCtaId => self.cluster.of(dimension),
            SpecialReg::ClusterCtaRank => index(self.cluster.product()?),
            SpecialReg::ClusterNCtaRank => self.cluster.product(),
            _ => None,
        }
    }
}

/// Whether LLVM 22 declares the register's intrinsic without a range although there is one.
fn declares_no_range(register: SpecialReg) -> bool {
    use SpecialReg::*;
    matches!(
        register,
        LanemaskEq | LanemaskLe | LanemaskLt | LanemaskGe | LanemaskGt | NWarpId | NSmId | ClusterNCtaRank
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: [Component; 3] = [Component::X, Component::Y, Component::Z];

    fn ranges(facts: LaunchFacts, register: SpecialReg) -> Vec<Option<(u64, u64)>> {
        THREADS.map(|component| facts.range(register, Some(component))).to_vec()
    }

    #[test]
    fn required_extents_hold_for_each_dimension() {
        let facts =
            LaunchFacts { threads: Extent::exactly([Some(128), Some(2), None]), cluster: Extent::Any };
        assert_eq!(ranges(facts, SpecialReg::Tid), [Some((0, 128)), Some((0, 2)), Some((0, 1))]);
        assert_eq!(ranges(facts, SpecialReg::Ntid), [Some((128, 129)), Some((2, 3)), Some((1, 2))]);
        assert_eq!(facts.range(SpecialReg::CtaId, Some(Component::X)), None);
        assert_eq!(facts.range(SpecialReg::ClusterCtaRank, None), None);
    }

    #[test]
    fn largest_extents_hold_for_their_product_only() {
        // Manual 11.4.2: the directive does not limit a single dimension. A block has no more than 64 threads in z.
        let facts =
            LaunchFacts { threads: Extent::at_most([Some(16), Some(16), None]), cluster: Extent::Any };
        assert_eq!(ranges(facts, SpecialReg::Tid), [Some((0, 256)), Some((0, 256)), Some((0, 64))]);
        assert_eq!(ranges(facts, SpecialReg::Ntid), [Some((1, 257)), Some((1, 257)), Some((1, 65))]);
    }

    #[test]
    fn ranks_in_a_cluster_are_below_the_product() {
        let facts = LaunchFacts { threads: Extent::Any, cluster: Extent::exactly([Some(2), Some(3), None]) };
        assert_eq!(facts.range(SpecialReg::ClusterCtaRank, None), Some((0, 6)));
        assert_eq!(facts.range(SpecialReg::ClusterNCtaRank, None), Some((6, 7)));
        assert_eq!(facts.range(SpecialReg::ClusterCtaId, Some(Component::Y)), Some((0, 3)));
        let facts = LaunchFacts { threads: Extent::Any, cluster: Extent::AtMost(8) };
        assert_eq!(facts.range(SpecialReg::ClusterNCtaRank, None), Some((1, 9)));
    }

    #[test]
    fn extents_that_cannot_be_say_nothing() {
        assert_eq!(Extent::exactly([Some(0), None, None]), Extent::Any);
        assert_eq!(Extent::at_most([Some(0), Some(7), None]), Extent::Any);
        let all = Extent::at_most([Some(u32::MAX); 3]);
        assert_eq!(all, Extent::Any, "the product is beyond 64 bits");
        let facts =
            LaunchFacts { threads: Extent::at_most([Some(u32::MAX), None, None]), cluster: Extent::Any };
        assert_eq!(facts.range(SpecialReg::Tid, Some(Component::X)), Some((0, 1024)));
        // More than a block can have: such a kernel is never launched.
        let facts = LaunchFacts { threads: Extent::exactly([Some(4096), None, None]), cluster: Extent::Any };
        assert_eq!(facts.range(SpecialReg::Ntid, Some(Component::X)), None);
    }
}

//! The clusters of a launch (manual 11.7, 11.8.1).

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{At, FunctionDirective};

use crate::error::codes;
use crate::extents::all_dims;
use crate::launch::{Dim3, Shape};

/// Maximum blocks of a cluster: the limit of GPUs for a kernel that allows more than the portable 8.
const MOST_BLOCKS: u64 = 16;

/// The grid and its division into clusters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Clusters {
    /// Blocks of the grid.
    pub(crate) grid: Dim3,
    /// Blocks of a cluster.
    pub(crate) shape: Dim3,
    /// Whether the launch or the kernel specifies the cluster shape.
    pub(crate) is_explicit: bool,
}

fn show([x, y, z]: Dim3) -> String {
    format!("{x} x {y} x {z}")
}

impl Clusters {
    /// Determines the clusters of a launch of a kernel.
    ///
    /// # Errors
    /// Shapes that contradict the kernel's directives, exceed the limits of GPUs, or do not divide the grid.
    pub(crate) fn new(directives: &[(FunctionDirective, At)], launch: &Shape) -> Result<Self, Diagnostics> {
        let mut findings = Diagnostics::new();
        let (mut required, mut most, mut explicit_only, mut in_clusters) = (None, None, None, false);
        for (directive, at) in directives {
            match directive {
                FunctionDirective::ReqNCtaPerCluster(dims) => {
                    required = Some((all_dims(*dims), at.0));
                }
                FunctionDirective::MaxClusterRank(rank) => most = Some((u64::from(*rank), at.0)),
                FunctionDirective::ExplicitCluster => explicit_only = Some(at.0),
                FunctionDirective::BlocksAreClusters => in_clusters = true,
                _ => {}
            }
        }
        let given = launch.cluster.or(required.map(|(dims, _)| dims));
        let shape = match given {
            Some(shape) => shape,
            // Each block is a cluster.
            None => [1; 3],
        };
        let blocks = shape.iter().fold(1u64, |product, &dim| product.saturating_mul(dim.into()));
        let mut refuse = |span, text: String| findings.push(Diagnostic::error(codes::SHAPE, span, text));
        if let Some((dims, span)) = required.filter(|&(dims, _)| dims != shape) {
            refuse(span, format!("the kernel needs clusters of {} blocks, not {}", show(dims), show(shape)));
        }
        if let Some((most, span)) = most.filter(|&(most, _)| blocks > most) {
            refuse(span, format!("the kernel takes at most {most} blocks in a cluster, not {blocks}"));
        }
        if let (Some(span), None) = (explicit_only, given) {
            refuse(span, "the kernel needs a launch that gives the shape of its clusters".to_owned());
        }
        let mut refuse = |text: String, help: String| {
            findings.push(Diagnostic::error_without_place(codes::SHAPE, text).with_help(help));
        };
        let grid = match in_clusters {
            true => std::array::from_fn(|axis| launch.grid[axis].saturating_mul(shape[axis])),
            false => launch.grid,
        };
        if blocks == 0 || blocks > MOST_BLOCKS {
            refuse(
                format!("a cluster of {} blocks cannot be launched", show(shape)),
                format!("every extent is at least 1; at most {MOST_BLOCKS} blocks in all"),
            );
        } else if grid.iter().zip(shape).any(|(grid, cluster)| !grid.is_multiple_of(cluster)) {
            refuse(
                format!("a grid of {} blocks does not fall into clusters of {}", show(grid), show(shape)),
                "every extent of the grid must be a multiple of that of the clusters".to_owned(),
            );
        }
        if findings.has_errors() {
            return Err(findings);
        }
        Ok(Self { grid, shape, is_explicit: given.is_some() })
    }
}

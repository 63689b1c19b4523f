//! Checks the extents of a grid and its blocks, against what there can be and against a kernel's directives.

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{At, FunctionDirective};

use crate::error::codes;
use crate::launch::{Dim3, Shape};

/// Maximum threads of a block (compute capabilities 2.0 and later).
pub const MOST_THREADS: u64 = 1024;

/// Maximum threads of a block along each axis.
pub const LARGEST_BLOCK: Dim3 = [1024, 1024, 64];

/// Maximum blocks of a grid along each axis.
pub const LARGEST_GRID: Dim3 = [i32::MAX as u32, 65535, 65535];

fn show([x, y, z]: Dim3) -> String {
    format!("{x} x {y} x {z}")
}

/// Checks the grid and block extents.
pub(crate) fn check_shape(grid: Dim3, block: Dim3) -> Result<(), Diagnostics> {
    let within = |dims: Dim3, largest: Dim3| {
        dims.iter().zip(largest).all(|(&dim, largest)| (1..=largest).contains(&dim))
    };
    if !within(grid, LARGEST_GRID) {
        let text = format!("a grid of {} blocks cannot be launched", show(grid));
        let help = format!("every extent is at least 1; at most {}", show(LARGEST_GRID));
        let mut findings = Diagnostics::new();
        findings.push(Diagnostic::error_without_place(codes::SHAPE, text).with_help(help));
        return Err(findings);
    }
    let threads: u64 = block.iter().map(|&dim| u64::from(dim)).product();
    if !within(block, LARGEST_BLOCK) || threads > MOST_THREADS {
        let text = format!("a block of {} threads cannot be launched", show(block));
        let help =
            format!("every extent is at least 1; at most {}, and {MOST_THREADS} in all", show(LARGEST_BLOCK));
        let mut findings = Diagnostics::new();
        findings.push(Diagnostic::error_without_place(codes::SHAPE, text).with_help(help));
        return Err(findings);
    }
    Ok(())
}

/// The dimensions of a directive.
pub(crate) fn all_dims(dims: [Option<u32>; 3]) -> [u32; 3] {
    // Default: those that a directive leaves out are 1 (manual 11.4).
    dims.map(|dim| dim.unwrap_or(1))
}

/// Checks the launch against the kernel's directives (manual 11.4).
pub(crate) fn check_directives(
    directives: &[(FunctionDirective, At)],
    launch: &Shape,
) -> Result<(), Diagnostics> {
    let mut findings = Diagnostics::new();
    let threads: u64 = launch.block.iter().map(|&dim| u64::from(dim)).product();
    let named = |dims: &[Option<u32>; 3]| all_dims(*dims);
    for (directive, at) in directives {
        let text = match directive {
            FunctionDirective::ReqNtid(dims) if named(dims) != launch.block => {
                format!(
                    "the kernel needs blocks of {} threads, not {}",
                    show(named(dims)),
                    show(launch.block)
                )
            }
            FunctionDirective::MaxNtid(dims) => {
                let most: u64 = named(dims).iter().map(|&dim| u64::from(dim)).product();
                if threads <= most {
                    continue;
                }
                format!("the kernel takes at most {most} threads in a block, not {threads}")
            }
            FunctionDirective::ReqNtid(_)
            // See `Clusters`.
            | FunctionDirective::ReqNCtaPerCluster(_)
            | FunctionDirective::BlocksAreClusters
            | FunctionDirective::MinNCtaPerSm(_)
            | FunctionDirective::MaxNCtaPerSm(_)
            | FunctionDirective::MaxNReg(_)
            | FunctionDirective::NoReturn
            | FunctionDirective::Pragma(_)
            | FunctionDirective::ExplicitCluster
            | FunctionDirective::MaxClusterRank(_)
            | FunctionDirective::AbiPreserve(_)
            | FunctionDirective::AbiPreserveControl(_)
            | FunctionDirective::Language(_)
            | FunctionDirective::LocalMaxNReg(_)
            | FunctionDirective::MinPerCtaMemory(_)
            | FunctionDirective::Attribute(_) => continue,
        };
        findings.push(Diagnostic::error(codes::SHAPE, at.0, text));
    }
    if findings.has_errors() { Err(findings) } else { Ok(()) }
}

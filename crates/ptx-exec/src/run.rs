//! From a launch to its outcome.

use std::num::NonZeroUsize;

use ptx_diag::{Diagnostic, Diagnostics};
use ptx_ir::{FunctionDirective, FunctionId, Module};
use ptx_verify::Verified;

use crate::decode::{decode, kernel_parameters, reach};
use crate::error::{ExecError, TrapKind, codes};
use crate::launch::{Argument, Dim3, Launch, Outcome};
use crate::layout::{Object, lay_out, nearest};
use crate::machine::{self, Geometry, Setup};
use crate::memory::{ALLOCATION_SHIFT, Allocation, Concurrency, GlobalMemory, Space};

/// The most threads of a block, and the most along each axis (compute capabilities 2.0 and later).
const MOST_THREADS: u64 = 1024;
const LARGEST_BLOCK: Dim3 = [1024, 1024, 64];
/// The most blocks along each axis.
const LARGEST_GRID: Dim3 = [i32::MAX as u32, 65535, 65535];

/// Launches a kernel and waits for it.
///
/// # Errors
/// [`ExecError::Refused`] when the launch does not fit the module or something the kernel reaches cannot be executed;
/// [`ExecError::Trap`] when a thread was stopped.
pub fn run(module: Verified<'_>, launch: &Launch) -> Result<Outcome, ExecError> {
    let module = &*module.written_out();
    let refused = ExecError::Refused;
    check_shape(launch).map_err(refused)?;
    let reached = reach(module, &launch.entry).map_err(refused)?;
    let Some(&kernel) = reached.functions.first() else { return Err(refused(Diagnostics::new())) };
    check_kernel(module, kernel, launch).map_err(refused)?;
    let buffers: Vec<&[u8]> = launch.arguments.iter().filter_map(buffer).collect();
    let params = pass_arguments(module, kernel, &launch.arguments).map_err(refused)?;
    let layout = lay_out(module, &reached, buffers.len(), launch).map_err(refused)?;
    if layout.shared > launch.limits.shared.min(u32::MAX.into()) {
        let (needs, limit) = (layout.shared, launch.limits.shared);
        return Err(refused(one(
            codes::SIZE,
            format!("a block needs {needs} bytes of shared memory of {limit} there are"),
        )));
    }
    let mut objects = argument_objects(module, kernel, &launch.arguments);
    objects.extend(layout.objects(module, launch.dynamic_shared));
    let program = decode(module, &reached, &layout).map_err(refused)?;

    let mut allocations: Vec<Allocation> =
        buffers.iter().map(|bytes| Allocation::from_bytes(bytes)).collect();
    allocations.extend(layout.allocations());
    let heap_size = if reached.needs_heap { launch.limits.heap } else { 0 };
    let heap = (GlobalMemory::base(allocations.len()), heap_size as u64);
    if heap_size > 0 {
        allocations.push(Allocation::from_bytes(&vec![0; heap_size]));
    }
    let host = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let threads = launch.threads.unwrap_or(host);
    let geometry = Geometry {
        grid: launch.grid,
        block: launch.block,
        shared: layout.shared as u32,
        dynamic_shared: launch.dynamic_shared,
    };
    let alone = threads == NonZeroUsize::MIN || geometry.blocks() == 1;
    let concurrency = if alone { Concurrency::Single } else { Concurrency::Many };
    let setup = Setup {
        program: &program,
        geometry,
        global: GlobalMemory::new(allocations, concurrency),
        constant: layout.constant,
        params,
        heap,
        limits: launch.limits.clone(),
        completion: launch.completion,
        threads,
    };
    let finished = machine::run(setup).map_err(|mut trap| {
        if let TrapKind::Fault(fault) = &trap.kind
            && fault.space != Space::Local
        {
            trap.object = nearest(fault, &objects);
        }
        ExecError::Trap(trap)
    })?;
    let mut next = 0;
    let mut contents = |argument: &Argument| {
        buffer(argument)?;
        next += 1;
        finished.global.bytes_of(next - 1)
    };
    Ok(Outcome {
        buffers: launch.arguments.iter().map(&mut contents).collect(),
        output: finished.output,
        warp_instructions: finished.executed[0],
        thread_instructions: finished.executed[1],
    })
}

/// The buffers among the arguments, and the parameters themselves.
fn argument_objects(module: &Module, kernel: FunctionId, arguments: &[Argument]) -> Vec<Object> {
    let Ok((places, total)) = kernel_parameters(module, kernel) else { return Vec::new() };
    let parameters = "the kernel's parameters".to_owned();
    let mut objects = vec![Object { name: parameters, space: Space::Param, address: 0, bytes: total.into() }];
    let mut buffers = 0;
    for (index, ((id, ..), argument)) in places.into_iter().zip(arguments).enumerate() {
        let Some(bytes) = buffer(argument) else { continue };
        let name = format!("argument {index} (`{}`)", module.name(module.variable(id).name));
        let (address, bytes) = (GlobalMemory::base(buffers), bytes.len() as u64);
        objects.push(Object { name, space: Space::Global, address, bytes });
        buffers += 1;
    }
    objects
}

fn buffer(argument: &Argument) -> Option<&[u8]> {
    match argument {
        Argument::Buffer(bytes) => Some(bytes),
        Argument::Bytes(_) => None,
    }
}

fn one(code: ptx_diag::Code, text: impl Into<String>) -> Diagnostics {
    let mut findings = Diagnostics::new();
    findings.push(Diagnostic::error_without_place(code, text));
    findings
}

fn show([x, y, z]: Dim3) -> String {
    format!("{x} x {y} x {z}")
}

fn check_shape(launch: &Launch) -> Result<(), Diagnostics> {
    let (grid, block) = (launch.grid, launch.block);
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
    if launch.cluster != [1; 3] {
        return Err(one(
            codes::UNSUPPORTED,
            format!("clusters of {} blocks cannot be executed yet", show(launch.cluster)),
        ));
    }
    Ok(())
}

/// Checks the launch against the kernel's directives (manual 11.4).
fn check_kernel(module: &Module, kernel: FunctionId, launch: &Launch) -> Result<(), Diagnostics> {
    let mut findings = Diagnostics::new();
    if module.address_size() != 64 {
        let text = "only modules with `.address_size 64` can be executed";
        findings.push(Diagnostic::error_without_place(codes::UNSUPPORTED, text));
    }
    let threads: u64 = launch.block.iter().map(|&dim| u64::from(dim)).product();
    let named = |dims: &[Option<u32>; 3]| dims.map(|dim| dim.unwrap_or(1));
    for (directive, at) in &module.function(kernel).directives {
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
            FunctionDirective::ReqNCtaPerCluster(dims) if named(dims) != launch.cluster => {
                format!(
                    "the kernel needs clusters of {} blocks, which cannot be executed yet",
                    show(named(dims))
                )
            }
            FunctionDirective::BlocksAreClusters => {
                "a grid given in clusters (`.blocksareclusters`) cannot be executed yet".to_owned()
            }
            FunctionDirective::ReqNtid(_)
            | FunctionDirective::ReqNCtaPerCluster(_)
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

/// The contents of the parameter space.
fn pass_arguments(
    module: &Module,
    kernel: FunctionId,
    arguments: &[Argument],
) -> Result<Vec<u8>, Diagnostics> {
    let mut findings = Diagnostics::new();
    let (places, total) = match kernel_parameters(module, kernel) {
        Ok(places) => places,
        Err(finding) => {
            findings.push(*finding);
            return Err(findings);
        }
    };
    let function = module.function(kernel);
    if places.len() != arguments.len() {
        let (name, takes) = (module.name(function.name), places.len());
        let text = format!("kernel `{name}` takes {takes} arguments, {} were given", arguments.len());
        findings.push(Diagnostic::error(codes::ARGUMENTS, function.at.0, text));
        return Err(findings);
    }
    let mut params = vec![0; total as usize];
    let mut buffers = 0;
    for (index, ((id, at, size), argument)) in places.into_iter().zip(arguments).enumerate() {
        let variable = module.variable(id);
        let mut report = |text: String| {
            let name = module.name(variable.name);
            let text = format!("argument {index} for parameter `{name}` of {size} bytes {text}");
            findings.push(Diagnostic::error(codes::ARGUMENTS, variable.at.0, text));
        };
        let bytes = match argument {
            Argument::Bytes(bytes) => bytes.clone(),
            Argument::Buffer(bytes) => {
                if bytes.len() as u64 > 1 << ALLOCATION_SHIFT {
                    report(format!("is a buffer of {} bytes, too large", bytes.len()));
                }
                buffers += 1;
                GlobalMemory::base(buffers - 1).to_le_bytes().to_vec()
            }
        };
        if bytes.len() != size as usize {
            report(format!("has {} bytes", bytes.len()));
            continue;
        }
        if let Some(place) = params.get_mut(at as usize..at as usize + size as usize) {
            place.copy_from_slice(&bytes);
        }
    }
    if findings.has_errors() { Err(findings) } else { Ok(params) }
}

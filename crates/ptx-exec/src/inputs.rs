//! The inputs of a launch: where its buffers and variables are, the contents of the parameters, and its textures.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use ptx_diag::{Diagnostic, Diagnostics, counted};
use ptx_ir::{FunctionId, Module, VarId};
use ptx_program::decode::{Reached, kernel_parameters};
use ptx_program::layout::{Ground, Layout, VariableAddresses, lay_out};
use ptx_program::memory::{ALLOCATION_SHIFT, AddressSize};
use ptx_program::texture::{opaque_name, opaque_of};

use crate::error::{codes, one};
use crate::launch::{Argument, Launch};
use crate::memory::{Arena, Multicast, Region};
use crate::texture::{TextureSet, check_given};

/// The textures of a launch, and the memory of their images.
pub(crate) fn textures(
    module: &Module,
    launch: &Launch,
    bases: &[Option<u64>],
) -> Result<TextureSet, Diagnostics> {
    let mut findings = Diagnostics::new();
    let handles = launch.arguments.iter().enumerate();
    let handles = handles.filter_map(|(index, argument)| match argument {
        Argument::Handle(handle) => Some((index, *handle)),
        Argument::Bytes(_) | Argument::Buffer(_) | Argument::Multimem(_) | Argument::Tensor(..) => None,
    });
    check_given(module, &launch.textures, handles, &mut findings);
    if findings.has_errors() {
        return Err(findings);
    }
    let buffer_at = |index: usize| {
        let bytes = launch.buffer(index)?.len() as u64;
        Some(((*bases.get(index)?)?, bytes))
    };
    TextureSet::place(launch.textures.clone(), &buffer_at)
}

/// The available parallelism of the host.
pub(crate) fn host_threads() -> NonZeroUsize {
    static THREADS: OnceLock<NonZeroUsize> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// The address of a buffer that has been placed.
pub(crate) fn base_of(bases: &[Option<u64>], number: usize) -> u64 {
    let base = bases.get(number).copied().flatten();
    debug_assert!(base.is_some(), "{number} is no buffer");
    // Default: relocations and arguments have been checked.
    base.unwrap_or(0)
}

/// The address of the buffer of each argument that has one, and of each further buffer.
///
/// # Errors
/// If there is not enough room for all of them.
pub(crate) fn buffer_bases(arena: &mut Arena, launch: &Launch) -> Result<Vec<Option<u64>>, Diagnostics> {
    let place = |number| {
        let Some(bytes) = launch.buffer(number) else { return Ok(None) };
        let text = || format!("there is no room for the {} bytes of {}", bytes.len(), launch.call(number));
        let base = arena.place(bytes.len() as u64, 1);
        base.map(Some).ok_or_else(|| one(codes::SIZE, text()))
    };
    (0..launch.numbers()).map(place).collect()
}

/// Lays out the variables; also returns the memory of the global ones.
pub(crate) fn place_variables(
    module: &Module,
    reached: &Reached,
    arena: &mut Arena,
    launch: &Launch,
) -> Result<(Layout, Vec<Region>), Diagnostics> {
    let mut place_global = |_: &str, bytes: u64, align: u64| arena.place(bytes, align);
    let ground = Ground {
        known: &VariableAddresses::default(),
        limit: launch.limits.variables,
        place_global: &mut place_global,
    };
    let (layout, findings) = lay_out(module, reached, ground);
    if findings.has_errors() {
        return Err(findings);
    }
    let region = |(id, bytes): &(VarId, Vec<u8>)| {
        let name = format!("variable `{}`", module.name(module.variable(*id).name));
        layout.address(*id).map(|(_, base)| arena.region(base, bytes, name))
    };
    let regions = layout.globals.iter().filter_map(region).collect();
    Ok((layout, regions))
}

/// The multimem objects among the arguments. Members that are not buffers were refused before.
pub(crate) fn multicasts(launch: &Launch, bases: &[Option<u64>]) -> Vec<Multicast> {
    let base_of = |&index: &usize| Some(((*bases.get(index)?)?, launch.buffer(index)?.len() as u64));
    let objects = launch.arguments.iter().filter_map(|argument| match argument {
        Argument::Multimem(members) => Some(members.iter().filter_map(base_of).collect::<Vec<_>>()),
        Argument::Bytes(_) | Argument::Buffer(_) | Argument::Tensor(..) | Argument::Handle(_) => None,
    });
    let multicast = |places: Vec<(u64, u64)>| Multicast {
        // Default: an object without members has no memory.
        bytes: places.iter().map(|(_, bytes)| *bytes).min().unwrap_or(0),
        members: places.iter().map(|(base, _)| *base).collect(),
    };
    objects.map(multicast).collect()
}

/// The contents of the parameter space.
pub(crate) fn pass_arguments(
    module: &Module,
    kernel: FunctionId,
    launch: &Launch,
    bases: &[Option<u64>],
) -> Result<Vec<u8>, Diagnostics> {
    let (address_size, arguments) = (AddressSize::of(module), &launch.arguments);
    launch.check_relocations(address_size)?;
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
        let text = format!("kernel `{name}` takes {}, not {}", counted(takes, "argument"), arguments.len());
        findings.push(Diagnostic::error(codes::ARGUMENTS, function.at.0, text));
        return Err(findings);
    }
    let mut params = vec![0; total as usize];
    let mut multicasts = 0;
    for (index, ((id, at, size), argument)) in places.into_iter().zip(arguments).enumerate() {
        let variable = module.variable(id);
        let mut report = |text: String| {
            let name = module.name(variable.name);
            let text = format!("argument {index} for parameter `{name}` of {size} bytes {text}");
            findings.push(Diagnostic::error(codes::ARGUMENTS, variable.at.0, text));
        };
        let opaque = opaque_of(variable);
        if let (Some(opaque), false) = (opaque, matches!(argument, Argument::Handle(_))) {
            report(format!("is not the handle of a {}", opaque_name(opaque)));
            continue;
        }
        let bytes = match argument {
            Argument::Handle(handle) => {
                if opaque.is_some_and(|opaque| opaque != handle.opaque()) {
                    report(format!("is the handle of a {}", opaque_name(handle.opaque())));
                }
                handle.value().to_le_bytes().to_vec()
            }
            Argument::Bytes(bytes) => {
                let mut bytes = bytes.clone();
                launch.apply_relocations(index, &mut bytes, bases, address_size);
                bytes
            }
            Argument::Buffer(bytes) | Argument::Tensor(_, bytes) => {
                if bytes.len() as u64 > 1 << ALLOCATION_SHIFT {
                    report(format!("is a buffer of {} bytes, too large", bytes.len()));
                }
                let base = base_of(bases, index);
                match argument {
                    Argument::Tensor(map, _) => map.moved_by(base).to_bytes().to_vec(),
                    _ => base.to_le_bytes()[..address_size.bytes() as usize].to_vec(),
                }
            }
            Argument::Multimem(_) if address_size == AddressSize::Bits32 => {
                report("is a multimem address, which takes 64 bits".to_owned());
                continue;
            }
            Argument::Multimem(members) => {
                let sizes = members.iter().map(|&member| launch.buffer(member).map(<[u8]>::len));
                let sizes: Option<Vec<usize>> = sizes.collect();
                match sizes {
                    Some(sizes) if !sizes.is_empty() && sizes.windows(2).all(|pair| pair[0] == pair[1]) => {}
                    _ => report("is a multimem address of what are not buffers of one size".to_owned()),
                }
                multicasts += 1;
                Multicast::base(multicasts - 1).to_le_bytes().to_vec()
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

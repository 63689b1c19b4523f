//! Kernels compiled for a processor: an object file and its header.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ptx_cli::{ExitStatus, Failure, Output, code};
use ptx_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use ptx_driver::Sources;
use ptx_exec::{AddressSize, DeviceHeap, Dim3, Image, Limits, Memory, Prepared, Shape, Surroundings};
use ptx_host::aot::{self, AotError, Product, Unit, UnitKernel};
use ptx_ir::{FunctionDirective, Module};
use ptx_llvm_core::host::{Cpu, HostMachine};
use ptx_llvm_core::{LlvmError, OptLevel};
use ptx_verify::Verified;

use crate::arguments::{Arguments, Emit, Target};
use crate::failures::rejected_in;

/// Compiles the kernels of a module and writes the output and the header.
pub(crate) fn compile(
    arguments: &Arguments,
    sources: &Sources,
    verified: Verified<'_>,
) -> Result<(), Failure> {
    let product = match arguments.product() {
        Emit::Ll => Product::Ll,
        Emit::Bc => Product::Bc,
        Emit::Asm => Product::Asm,
        Emit::Obj => Product::Obj,
        Emit::Ptx | Emit::None => return Ok(()),
    };
    let files: Vec<String> = sources.files().iter().map(|file| file.name().to_owned()).collect();
    let cpu = cpu(arguments).map_err(|error| failed(arguments, &error))?;
    let rejected = |found: Diagnostics| rejected_in(sources, &found);
    let images = [image(verified).map_err(rejected)?, image(verified).map_err(rejected)?];
    let kernels = kernels(arguments, &images).map_err(rejected)?;
    let position = |span: Span| {
        let place = sources.place(span);
        place.map_or((u32::MAX, 0, 0), |(file, place)| {
            let number = files.iter().position(|name| name == file.name());
            debug_assert!(number.is_some(), "{} is no input", file.name());
            // Default: as asserted.
            let number = number.unwrap_or(0);
            (number as u32, place.line, place.column)
        })
    };
    let unit = Unit { images: [&images[0], &images[1]], files: files.clone(), position: &position, kernels };
    let compiled = arguments.report.terminal().step("compile", || aot::compile(&unit, &cpu, product));
    let bytes = compiled.map_err(|errors| {
        let mut found = Diagnostics::new();
        errors.into_iter().for_each(|error| found.push(finding(error)));
        rejected(found)
    })?;
    let header = header_path(arguments);
    if let Some(path) = &header {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Output::File(path.clone()).write(aot::header(&unit, &name).as_bytes())?;
    }
    Output::from_argument(arguments.output.as_deref()).write(&bytes)
}

/// The path of the header; `None` if neither the header nor the output has a name.
pub fn header_path(arguments: &Arguments) -> Option<PathBuf> {
    let beside = || {
        let output = arguments.output.as_deref().filter(|path| *path != Path::new("-"))?;
        Some(output.with_extension("h"))
    };
    arguments.target.header.clone().or_else(beside)
}

fn cpu(arguments: &Arguments) -> Result<Cpu, LlvmError> {
    let mut cpu = match arguments.target.target {
        Some(Target::X86) => Cpu::baseline("x86-64-v2")?,
        Some(Target::Arm) => Cpu::baseline("aarch64")?,
        Some(Target::Host | Target::Gpu(_)) | None => Cpu::host()?,
    };
    if let Some(name) = &arguments.target.cpu {
        cpu = Cpu::of(&cpu.triple, name, "");
    }
    // This fails if LLVM does not have such a processor.
    HostMachine::new(&cpu, OptLevel::O2)?;
    Ok(cpu)
}

/// Allocates the variables of a module in separate memory.
fn image(verified: Verified<'_>) -> Result<Arc<Image>, Diagnostics> {
    let memory = Memory::with_addresses(AddressSize::of(verified.module()));
    Image::new(verified, Surroundings { memory, heap: DeviceHeap::default(), limits: Limits::default() })
}

/// The requested kernels, each with the shapes of its blocks.
fn kernels(arguments: &Arguments, images: &[Arc<Image>; 2]) -> Result<Vec<UnitKernel>, Diagnostics> {
    let all: Vec<String> = images[0].kernels().into_iter().map(str::to_owned).collect();
    let wanted = if arguments.target.entry.is_empty() { &all } else { &arguments.target.entry };
    let (mut kernels, mut found, mut symbols) = (Vec::new(), Diagnostics::new(), HashSet::new());
    if wanted.is_empty() {
        found.push(Diagnostic::error_without_place(code::NOT_COMPILED, "the module has no kernel"));
    }
    for name in wanted {
        let prepare = || Ok([images[0].kernel(name)?, images[1].kernel(name)?]);
        let kernel = prepare().and_then(|prepared: [Prepared; 2]| {
            let blocks = blocks(arguments, &prepared[0])?;
            Ok((prepared, blocks))
        });
        let (prepared, blocks) = match kernel {
            Ok(kernel) => kernel,
            Err(more) => {
                found.append(more);
                continue;
            }
        };
        let mut symbol = aot::identifier(name);
        while !symbols.insert(symbol.clone()) {
            symbol.push('_');
        }
        kernels.push(UnitKernel { symbol, prepared, blocks });
    }
    if found.has_errors() { Err(found) } else { Ok(kernels) }
}

/// The shapes of the blocks of a kernel: the one that it requires, or those of the command line.
fn blocks(arguments: &Arguments, prepared: &Prepared) -> Result<Vec<Dim3>, Diagnostics> {
    let module = prepared.image().module();
    let (span, required) = required(module, prepared.name());
    let mut blocks = required.map_or_else(|| arguments.target.block.clone(), |block| vec![block]);
    blocks.sort_unstable();
    blocks.dedup();
    if blocks.is_empty() {
        let mut found = Diagnostics::new();
        let text = format!("the block shape of the kernel `{}` is not specified", prepared.name());
        let finding = Diagnostic::error(code::NO_SHAPE, span, text);
        found
            .push(finding.with_help(
                "specify the threads of a block with --block, as in --block 256 or --block 16,16",
            ));
        return Err(found);
    }
    for &block in &blocks {
        prepared.check(&Shape { block, ..Shape::default() }, &Limits::default())?;
    }
    Ok(blocks)
}

/// The position of a kernel, and the shape of blocks that it requires.
fn required(module: &Module, name: &str) -> (Span, Option<Dim3>) {
    let kernel = module.functions.iter().find(|function| module.name(function.name) == name);
    let Some(kernel) = kernel else { return (Span::default(), None) };
    let required = kernel.directives.iter().find_map(|(directive, _)| match directive {
        // Default: a block has one thread in omitted dimensions.
        FunctionDirective::ReqNtid(extents) => Some(extents.map(|extent| extent.unwrap_or(1))),
        _ => None,
    });
    (kernel.at.0, required)
}

fn finding(error: AotError) -> Diagnostic {
    let text = error.to_string();
    match error {
        AotError::Kernel { place: Some((span, mnemonic)), .. } => {
            Diagnostic::error(code::NOT_COMPILED, span, text).with_label(format!("`{mnemonic}`"))
        }
        AotError::Kernel { place: None, .. } | AotError::Variable(_) | AotError::Llvm(_) => {
            Diagnostic::error_without_place(code::NOT_COMPILED, text)
        }
    }
}

/// The failure that the processor is not known.
fn failed(arguments: &Arguments, error: &LlvmError) -> Failure {
    let names: Vec<String> = arguments.inputs.iter().map(|path| path.display().to_string()).collect();
    let finding = Diagnostic::error_without_place(code::USAGE, error.to_string());
    let file = SourceFile::new(names.join(" "), Vec::new());
    let mut found = Diagnostics::new();
    found.push(finding);
    Failure::about_several(ExitStatus::Usage, vec![(file, found)])
}

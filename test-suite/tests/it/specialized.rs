//! Kernels for known launches (`ptx-specialize`): all that a launch says is assumed, and the results are those that the launch expects.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use ptx_diag::SourceFile;
use ptx_ir::{FunctionKind, Module, Param};
use ptx_isa::{ScalarType, TypeKind};
use ptx_llvm::{Context, Gpu};
use ptx_specialize::{Assumptions, Number, specialize};
use test_suite::directive::{Ending, Launch, Level, Role, parse};
use test_suite::stage;

/// The PTX files below a folder of cases, in order.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder of cases");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|suffix| suffix == "ptx"));
    files.sort();
    files
}

/// What a launch says of its shape, and of the arguments that are numbers.
fn assumptions(module: &Module, launch: &Launch) -> Assumptions {
    let mut found = Assumptions {
        entry: Some(launch.entry.clone()),
        block: Some(launch.block),
        grid: Some(launch.grid),
        ..Assumptions::default()
    };
    let kernel = module
        .functions
        .iter()
        .find(|function| function.kind == FunctionKind::Kernel && module.name(function.name) == launch.entry);
    let params = kernel.map(|kernel| kernel.params.as_slice()).unwrap_or_default();
    for (index, (argument, param)) in launch.arguments.iter().zip(params).enumerate() {
        let Param::Variable(id) = param else { continue };
        let variable = module.variable(*id);
        let (Role::Value, Some(ty), true) =
            (argument.role, variable.scalar_type(), variable.dims.is_empty() && variable.pointer.is_none())
        else {
            continue;
        };
        let mut bytes = [0; 8];
        let Some(to) = bytes.get_mut(..argument.bytes.len()) else { continue };
        to.copy_from_slice(&argument.bytes);
        let bits = u64::from_le_bytes(bytes);
        let number = match ty {
            ScalarType::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
            ScalarType::F64 => Number::Float(f64::from_bits(bits)),
            _ if ty.kind() == TypeKind::Signed => {
                let unused = 64 - ty.bits();
                Number::Integer(i128::from((bits << unused).cast_signed() >> unused))
            }
            _ => Number::Integer(bits.into()),
        };
        found.arguments.insert(index, number);
    }
    found
}

/// Executes a launch with a kernel that is made for it: `level` of LLVM's passes, or none at all.
fn check(path: &Path, launch: &Launch, level: Option<Level>) -> Result<()> {
    let text = std::fs::read_to_string(path)?;
    let source = SourceFile::new(path.display().to_string(), text);
    let mut module = stage::read_and_verify(&source)?;
    let assumed = assumptions(&module, launch);
    let made = specialize(&mut module, &assumed).with_context(|| assumed.to_string())?;
    let text = match level {
        None => ptx_ir::print(&module),
        Some(level) => {
            let context = Context::new()?;
            let mut llvm = stage::lower(&module, &source, &context, level)?;
            ptx_opt::unroll_specialized(&mut llvm, &[&made.name], Gpu::default())?;
            stage::raise(&mut llvm)?
        }
    };
    ensure!(text.contains(&format!("{}_assumptions", made.name)), "the module says what is assumed");
    let launch = Launch { entry: made.name, ..launch.clone() };
    stage::execute(&SourceFile::new("specialized.ptx", text), &launch, NonZeroUsize::MIN, None)
}

/// Checks every launch of these files that has to finish.
fn check_all(files: &[PathBuf], level: Option<Level>) {
    let mut checked = 0;
    for path in files {
        let text = std::fs::read_to_string(path).expect("readable");
        let directives = parse(path, &text).expect("directives");
        for launch in directives.launches.iter().filter(|launch| launch.ending == Ending::Finish) {
            let result = check(path, launch, level);
            result.unwrap_or_else(|error| panic!("{} {}: {error:?}", path.display(), launch.entry));
            checked += 1;
        }
    }
    assert!(checked >= files.len() / 2, "{checked} launches of {} files", files.len());
}

#[test]
fn kernels_for_launches_of_the_benchmark_compute_the_same() {
    check_all(&files("bench"), Some(Level::O3));
}

#[test]
fn constants_alone_change_no_result() {
    for folder in ["bench", "cuda"] {
        check_all(&files(folder), None);
    }
}

#[test]
fn kernels_for_launches_of_other_compilers_compute_the_same() {
    for folder in ["cuda", "triton"] {
        let files = testing::sample("launches of kernels for them alone", files(folder), 6);
        check_all(&files, Some(Level::O3));
    }
}

//! Reads modules from their source formats into one linked module.

use ptx_diag::{Diagnostic, Diagnostics, Finding, SourceFile};
use ptx_exec::codes;
use ptx_ir::{Module as Tree, Symbol};
use ptx_link::device_runtime::{FILE_NAME, device_runtime, of_module};
use ptx_link::{Sources, Unit, link, unresolved};
use ptx_program::Builtin;
use ptx_verify::verify;

use crate::DeviceError;
use crate::error::findings;

/// Reads files and links them.
pub(crate) fn read(files: Vec<SourceFile>) -> Result<(Tree, Sources, Vec<Finding>), DeviceError> {
    let (mut trees, mut found, mut failed) = (Vec::new(), Vec::new(), false);
    let mut texts = Vec::new();
    for file in files {
        match as_ptx(&file) {
            Ok((text, warnings)) => {
                found.extend(findings_of(&file, &warnings));
                texts.push(text);
            }
            Err(errors) => {
                found.extend(findings_of(&file, &errors));
                failed = true;
            }
        }
    }
    for file in &texts {
        let (tree, findings_of_file) = ptx_syntax::parse(file);
        failed |= findings_of_file.has_errors();
        found.extend(findings_of(file, &findings_of_file));
        trees.push(tree);
    }
    if failed {
        return Err(DeviceError::Module(found));
    }
    if let Some((file, tree)) = runtime(&trees, &texts)? {
        texts.push(file);
        trees.push(tree);
    }
    // A single module is verified later.
    for (tree, file) in trees.iter().zip(&texts).filter(|_| trees.len() > 1) {
        let findings_of_file = verify(tree).map_or_else(|found| found, |(_, found)| found);
        failed |= findings_of_file.has_errors();
        found.extend(findings_of(file, &findings_of_file));
    }
    if failed {
        return Err(DeviceError::Module(found));
    }
    let sources = Sources::new(texts).map_err(|error| DeviceError::Internal(error.to_string()))?;
    let units = trees.iter().zip(sources.files());
    let units: Vec<Unit<'_>> = units.map(|(module, source)| Unit { module, source }).collect();
    let (tree, more) =
        link(&units, &sources).map_err(|found| DeviceError::Module(findings(&sources, &found)))?;
    found.extend(findings(&sources, &more));
    Ok((tree, sources, found))
}

/// The functions of CUDA's device runtime that these modules use, as another module.
fn runtime(trees: &[Tree], files: &[SourceFile]) -> Result<Option<(SourceFile, Tree)>, DeviceError> {
    let modules: Vec<&Tree> = trees.iter().collect();
    let text = device_runtime(&modules).map_err(|refused| {
        let files = files.iter().enumerate();
        let of_files = files.flat_map(|(number, file)| findings_of(file, &of_module(&refused, number)));
        DeviceError::Module(of_files.collect())
    })?;
    Ok(text.map(|text| {
        let file = SourceFile::new(FILE_NAME, text);
        let (tree, found) = ptx_syntax::parse(&file);
        debug_assert!(!found.has_errors(), "{found:?}");
        (file, tree)
    }))
}

/// The functions and variables that a module uses and does not define.
pub(crate) fn undefined(tree: &Tree) -> Diagnostics {
    let mut findings = Diagnostics::new();
    for reference in unresolved(tree) {
        let (what, name) = match reference.symbol {
            Symbol::Function(id) => ("function", tree.name(tree.function(id).name)),
            Symbol::Variable(id) => ("variable", tree.name(tree.variable(id).name)),
        };
        if Builtin::named(name).is_some() {
            continue;
        }
        let text = format!("{what} `{name}` is declared and defined nowhere");
        let finding = Diagnostic::error(codes::UNDEFINED, reference.used, text);
        let is_elsewhere = reference.used != reference.at;
        let finding =
            if is_elsewhere { finding.with_related(reference.at, "declared here") } else { finding };
        findings.push(finding.with_help("link the module that defines it"));
    }
    findings
}

/// The diagnostics about a file that was read separately, so that positions are relative to it.
fn findings_of(file: &SourceFile, found: &Diagnostics) -> Vec<Finding> {
    // Default: a file that has been read fits, alone, into the positions of diagnostics.
    Sources::new(vec![file.clone()]).map(|own| findings(&own, found)).unwrap_or_default()
}

/// Converts a file to PTX, with warnings. LLVM IR is raised to the text that is executed, so that errors have locations in it.
#[cfg(feature = "llvm")]
fn as_ptx(file: &SourceFile) -> Result<(SourceFile, Diagnostics), Diagnostics> {
    use ptx_driver::{
        InputKind, JudgedText, Style, TargetChoice, explain, llvm_context, print_checked, raise, read_llvm,
    };

    if InputKind::of(file.name().as_ref(), file.text()) == InputKind::Ptx {
        return Ok((file.clone(), Diagnostics::new()));
    }
    let context = llvm_context(file)?;
    let (mut module, mut warnings) = read_llvm(&context, file)?;
    let (tree, more) = raise(&mut module, TargetChoice::default())?;
    warnings.append(more);
    let name = format!("{} (as PTX)", file.name());
    let raised = (TargetChoice::default(), Style::default());
    let text =
        print_checked(&tree, &name).map_err(|bad| explain(&bad, &module, raised, JudgedText::Unknown))?;
    Ok((SourceFile::new(name, text), warnings))
}

/// Accepts a PTX file: LLVM IR is refused by its file name or the magic of bitcode.
#[cfg(not(feature = "llvm"))]
fn as_ptx(file: &SourceFile) -> Result<(SourceFile, Diagnostics), Diagnostics> {
    use ptx_diag::Code;

    let extension = std::path::Path::new(file.name()).extension().and_then(|extension| extension.to_str());
    let is_bitcode = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"].iter().any(|magic| file.text().starts_with(*magic));
    if !matches!(extension, Some("ll" | "bc")) && !is_bitcode {
        return Ok((file.clone(), Diagnostics::new()));
    }
    let message = "this is LLVM IR, which requires the feature `llvm` of ptx-device";
    let mut found = Diagnostics::new();
    found.push(
        Diagnostic::error_without_place(Code("I0008"), message)
            .with_help("enable the feature, or translate the file with ll2ptx"),
    );
    Err(found)
}

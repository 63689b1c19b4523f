//! Modules of PTX and what needs no LLVM: parsing, verification, linking, printing.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::{Deref, DerefMut};

use ptx_diag::{Diagnostic, Diagnostics, Finding, SourceFile};
use ptx_ir::Module;
use ptx_link::{Sources, Unit};

use crate::Error;

/// The name of a text in diagnostics that was given none.
const NAMELESS: &str = "<ptx>";

/// A [`Module`] of PTX, as which it can be used, with the text it was read from, which diagnostics quote. It is shown as PTX.
///
/// The module may be changed. Diagnostics about what was added have no meaningful location, unless the module is [read again](PtxModule::reread).
#[derive(Clone, Debug)]
pub struct PtxModule {
    module: Module,
    sources: Sources,
    warnings: Diagnostics,
}

impl PtxModule {
    /// The texts that it was read from.
    pub fn sources(&self) -> &[SourceFile] {
        self.sources.files()
    }

    /// The warnings about its text.
    pub fn warnings(&self) -> Vec<Finding> {
        findings(&self.sources, &self.warnings)
    }

    /// The module of its own printed text, to which the locations in diagnostics then refer: after a change, for example.
    ///
    /// # Errors
    ///
    /// The module is not one that PTX can express, such as two functions of one name.
    pub fn reread(&self) -> Result<Self, Error> {
        parse_named("<printed>", ptx_ir::print(&self.module))
    }

    /// The module itself, without its text.
    pub fn into_module(self) -> Module {
        self.module
    }

    #[cfg(feature = "llvm")]
    pub(crate) fn add_warnings(&mut self, warnings: Diagnostics) {
        self.warnings.append(warnings);
    }

    fn error(&self, found: &Diagnostics) -> Error {
        error(&self.sources, found)
    }
}

impl Deref for PtxModule {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.module
    }
}

impl DerefMut for PtxModule {
    fn deref_mut(&mut self) -> &mut Module {
        &mut self.module
    }
}

impl Borrow<Module> for PtxModule {
    fn borrow(&self) -> &Module {
        &self.module
    }
}

impl fmt::Display for PtxModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&ptx_ir::print(&self.module))
    }
}

/// A module that obeys the rules of the PTX manual, which [`verify`](fn@verify) has checked; lowering requires it.
#[derive(Clone, Debug)]
pub struct Verified<'m> {
    proof: ptx_verify::Verified<'m>,
    module: &'m PtxModule,
    warnings: Diagnostics,
}

impl<'m> Verified<'m> {
    /// The warnings of the verifier.
    pub fn warnings(&self) -> Vec<Finding> {
        findings(&self.module.sources, &self.warnings)
    }

    /// The proof that the functions of the other crates take.
    pub fn proof(&self) -> ptx_verify::Verified<'m> {
        self.proof
    }

    #[cfg(feature = "llvm")]
    pub(crate) fn error(&self, found: &Diagnostics) -> Error {
        self.module.error(found)
    }
}

impl Deref for Verified<'_> {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.module.module
    }
}

impl Borrow<Module> for Verified<'_> {
    fn borrow(&self) -> &Module {
        &self.module.module
    }
}

fn findings(sources: &Sources, found: &Diagnostics) -> Vec<Finding> {
    let files = sources.split(found);
    files.iter().flat_map(|(file, found)| found.iter().map(|one| Finding::new(file, one))).collect()
}

fn error(sources: &Sources, found: &Diagnostics) -> Error {
    let files = sources.split(found);
    Error::about(files.iter().map(|(file, found)| (file, found)))
}

/// The sources of files, unless they are too large.
fn sources_of(files: Vec<SourceFile>) -> Result<Sources, Error> {
    Sources::new(files).map_err(|error| {
        let mut found = Diagnostics::new();
        found.push(Diagnostic::error_without_place(ptx_syntax::codes::TOO_LARGE, error.to_string()));
        Error::about([(&SourceFile::new(NAMELESS, ""), &found)])
    })
}

/// Reads PTX.
///
/// # Errors
///
/// All errors of the text.
///
/// ```
/// let module = ptx_llvm::parse(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }")?;
/// let kernels: Vec<&str> = module.kernels().map(|kernel| module.name(kernel.name)).collect();
/// assert_eq!(kernels, ["k"]);
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn parse(text: impl Into<Vec<u8>>) -> Result<PtxModule, Error> {
    parse_named(NAMELESS, text)
}

/// Reads PTX that has a name in diagnostics, which is usually the path of its file.
///
/// # Errors
///
/// All errors of the text.
///
/// ```
/// let error = ptx_llvm::parse_named("empty.ptx", "?").unwrap_err();
/// assert_eq!(error.findings()[0].file, "empty.ptx");
/// ```
pub fn parse_named(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Result<PtxModule, Error> {
    let sources = sources_of(vec![SourceFile::new(name, text)])?;
    let (mut module, mut warnings) = (Module::default(), Diagnostics::new());
    for file in sources.files() {
        (module, warnings) = ptx_syntax::parse(file);
    }
    if warnings.has_errors() {
        Err(error(&sources, &warnings))
    } else {
        Ok(PtxModule { module, sources, warnings })
    }
}

/// Checks a module by the rules of the PTX manual.
///
/// # Errors
///
/// All errors, with the warnings.
///
/// ```
/// let module = ptx_llvm::parse(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { cp.async.wait_all; }")?;
/// let error = ptx_llvm::verify(&module).unwrap_err();
/// assert!(error.to_string().contains("sm_80"), "{error}");
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn verify(module: &PtxModule) -> Result<Verified<'_>, Error> {
    match ptx_verify::verify(module) {
        Ok((proof, warnings)) => Ok(Verified { proof, module, warnings }),
        Err(found) => Err(module.error(&found)),
    }
}

/// Prints a module in canonical form, with its comments.
///
/// ```
/// let module = ptx_llvm::parse(".version 8.0 .target sm_80 .address_size 64 .visible .entry k(){ret;}")?;
/// assert!(ptx_llvm::print(&module).starts_with(".version 8.0\n.target sm_80\n.address_size 64\n"));
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn print(module: &impl Borrow<Module>) -> String {
    ptx_ir::print(module.borrow())
}

/// Verifies modules and links them into one.
///
/// # Errors
///
/// The errors of the verifier; definitions of the same name, declarations that do not agree, targets that exclude each other.
///
/// ```
/// let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
/// let caller = ptx_llvm::parse(format!("{head}.extern .func f();\n.visible .entry k() {{ call f; ret; }}"))?;
/// let callee = ptx_llvm::parse(format!("{head}.visible .func f() {{ ret; }}"))?;
/// let linked = ptx_llvm::link(&[caller, callee])?;
/// let f = linked.find_function("f").unwrap();
/// assert!(linked.function(f).body.is_some());
/// # Ok::<(), ptx_llvm::Error>(())
/// ```
pub fn link(modules: &[PtxModule]) -> Result<PtxModule, Error> {
    let (mut parts, mut files) = (Vec::new(), Vec::new());
    for module in modules {
        verify(module)?;
        // The positions in a module that was linked are not those of one file.
        let part =
            if module.sources().len() == 1 { Cow::Borrowed(module) } else { Cow::Owned(module.reread()?) };
        files.extend(part.sources().iter().cloned());
        parts.push(part);
    }
    let sources = sources_of(files)?;
    let units: Vec<Unit<'_>> =
        parts.iter().zip(sources.files()).map(|(part, source)| Unit { module: part, source }).collect();
    match ptx_link::link(&units, &sources) {
        Ok((module, warnings)) => Ok(PtxModule { module, sources, warnings }),
        Err(found) => Err(error(&sources, &found)),
    }
}

//! Links: their inputs, results and messages.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use ptx_device::{Device, DeviceError, DeviceOptions, ErrorKind, Module};
use ptx_diag::SourceFile;
use ptx_image::{Files, container};
use ptx_isa::{PtxVersion, Sm};
use ptx_link::{Sources, Unit};
use ptx_verify::known_targets;

use crate::inputs;
use crate::options::Options;

macro_rules! results {
    ($($number:literal $name:ident $symbol:literal;)*) => {
        /// `nvJitLinkResult`.
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct NvJitLinkResult(pub u32);

        #[allow(missing_docs)]
        impl NvJitLinkResult {
            $(pub const $name: Self = Self($number);)*
        }

        /// Each result with its name in `nvJitLink.h`.
        pub const RESULTS: &[(NvJitLinkResult, &str)] = &[$((NvJitLinkResult($number), $symbol)),*];
    };
}

results! {
    0 SUCCESS "NVJITLINK_SUCCESS";
    1 UNRECOGNIZED_OPTION "NVJITLINK_ERROR_UNRECOGNIZED_OPTION";
    2 MISSING_ARCH "NVJITLINK_ERROR_MISSING_ARCH";
    3 INVALID_INPUT "NVJITLINK_ERROR_INVALID_INPUT";
    4 PTX_COMPILE "NVJITLINK_ERROR_PTX_COMPILE";
    5 NVVM_COMPILE "NVJITLINK_ERROR_NVVM_COMPILE";
    6 INTERNAL "NVJITLINK_ERROR_INTERNAL";
    7 THREADPOOL "NVJITLINK_ERROR_THREADPOOL";
    8 UNRECOGNIZED_INPUT "NVJITLINK_ERROR_UNRECOGNIZED_INPUT";
    9 FINALIZE "NVJITLINK_ERROR_FINALIZE";
    10 NULL_INPUT "NVJITLINK_ERROR_NULL_INPUT";
    11 INCOMPATIBLE_OPTIONS "NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS";
    12 INCORRECT_INPUT_TYPE "NVJITLINK_ERROR_INCORRECT_INPUT_TYPE";
    13 ARCH_MISMATCH "NVJITLINK_ERROR_ARCH_MISMATCH";
    14 OUTDATED_LIBRARY "NVJITLINK_ERROR_OUTDATED_LIBRARY";
    15 MISSING_FATBIN "NVJITLINK_ERROR_MISSING_FATBIN";
    16 UNRECOGNIZED_ARCH "NVJITLINK_ERROR_UNRECOGNIZED_ARCH";
    17 UNSUPPORTED_ARCH "NVJITLINK_ERROR_UNSUPPORTED_ARCH";
    18 LTO_NOT_ENABLED "NVJITLINK_ERROR_LTO_NOT_ENABLED";
}

/// Why a function fails; the text is added to the error log of the link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub result: NvJitLinkResult,
    pub text: String,
}

impl Failure {
    pub fn new(result: NvJitLinkResult, text: impl Into<String>) -> Self {
        Self { result, text: text.into() }
    }
}

/// A link.
#[derive(Debug)]
pub struct Link {
    options: Options,
    files: Files,
    /// The images, once it is complete.
    done: Option<Done>,
    errors: String,
    info: String,
}

#[derive(Debug)]
struct Done {
    image: Vec<u8>,
    /// With `-ptx`, the linked module as text, and the zero that ends it.
    ptx: Option<Vec<u8>>,
}

impl Link {
    pub fn new(options: Options) -> Self {
        let files = Files { registers: options.registers, ..Files::default() };
        Self { options, files, done: None, errors: String::new(), info: String::new() }
    }

    /// Adds an input.
    pub fn add(&mut self, kind: u32, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        if self.done.is_some() {
            return Err(Failure::new(NvJitLinkResult::INVALID_INPUT, "the link is complete"));
        }
        let files = inputs::read(kind, name, bytes, self.options.architecture.number.into())?;
        self.files.list.extend(files.list);
        self.files.registers = self.files.registers.or(files.registers);
        Ok(())
    }

    /// Checks and links the inputs.
    pub fn complete(&mut self) -> Result<(), Failure> {
        if self.done.is_some() {
            return Ok(());
        }
        if self.files.list.is_empty() {
            // As in NVIDIA's linker, what is linked of nothing is an image of nothing, unless there should be intermediate code.
            if self.options.lto {
                let text = "there is nothing to link, although -lto expects intermediate code";
                return Err(Failure::new(NvJitLinkResult::NVVM_COMPILE, text));
            }
            self.files.list.push(("empty.ptx".to_owned(), empty_module(self.options.architecture)?));
        }
        let architecture = Some(self.options.architecture);
        let device = Device::with(DeviceOptions { architecture, ..DeviceOptions::default() });
        let module = Module::link(&device, self.files.list.iter().cloned()).map_err(|error| {
            let result = match &error {
                // As NVIDIA's linker.
                DeviceError::Module(_) if error.kind() == ErrorKind::UndefinedSymbol => {
                    NvJitLinkResult::INTERNAL
                }
                DeviceError::Module(_) => NvJitLinkResult::PTX_COMPILE,
                DeviceError::Target { .. } => NvJitLinkResult::ARCH_MISMATCH,
                _ => NvJitLinkResult::FINALIZE,
            };
            Failure::new(result, format!("{}{error}", undefined_references(&error)))
        })?;
        for warning in module.warnings() {
            self.tell(&warning.text);
        }
        if self.options.verbose {
            let kernels = module.kernels().join(", ");
            self.tell(&format!(
                "{} files are linked for {}: {kernels}",
                self.files.list.len(),
                self.options.architecture
            ));
        }
        let ptx = if self.options.ptx { Some(linked_text(&self.files)?) } else { None };
        self.done = Some(Done { image: container::pack(&self.files), ptx });
        Ok(())
    }

    /// The linked image, which takes the place of a cubin.
    pub fn image(&self) -> Result<&[u8], Failure> {
        match &self.done {
            Some(Done { ptx: None, image }) => Ok(image),
            Some(_) => Err(Failure::new(NvJitLinkResult::INCOMPATIBLE_OPTIONS, "the link is to PTX")),
            None => Err(incomplete()),
        }
    }

    /// The linked PTX, with a zero at its end.
    pub fn ptx(&self) -> Result<&[u8], Failure> {
        match &self.done {
            Some(Done { ptx: Some(ptx), .. }) => Ok(ptx),
            Some(_) => Err(Failure::new(
                NvJitLinkResult::INCOMPATIBLE_OPTIONS,
                "PTX requires the options -lto and -ptx",
            )),
            None => Err(incomplete()),
        }
    }

    /// The messages, with a zero at their end.
    pub fn log(&self, errors: bool) -> Vec<u8> {
        let text = if errors { &self.errors } else { &self.info };
        // A message may quote a name with a zero, which would end the log for its reader.
        text.bytes().map(|byte| if byte == 0 { b'?' } else { byte }).chain([0]).collect()
    }

    /// Keeps the reason of a failure for the error log.
    pub fn keep(&mut self, failure: &Failure) {
        self.errors += &failure.text;
        self.errors.push('\n');
    }

    fn tell(&mut self, text: &str) {
        self.info += text;
        self.info.push('\n');
    }
}

/// What NVIDIA's linker tells of symbols that are defined nowhere, which programs look for in the log: a line for each.
fn undefined_references(error: &DeviceError) -> String {
    let DeviceError::Module(findings) = error else { return String::new() };
    if error.kind() != ErrorKind::UndefinedSymbol {
        return String::new();
    }
    // The messages quote the names.
    let names = findings.iter().filter_map(|finding| Some((finding.message.split('`').nth(1)?, finding)));
    names
        .map(|(name, finding)| format!("error   : Undefined reference to '{name}' in '{}'\n", finding.file))
        .collect()
}

/// The text of a module without functions.
fn empty_module(architecture: Sm) -> Result<Vec<u8>, Failure> {
    let (target, version) = known_targets()
        .find(|&(known, _)| known == architecture)
        .ok_or_else(|| Failure::new(NvJitLinkResult::UNRECOGNIZED_ARCH, architecture.to_string()))?;
    // 64-bit addresses came with PTX 2.3.
    let version = version.max(PtxVersion::new(2, 3));
    Ok(format!(".version {version}\n.target {target}\n.address_size 64\n").into_bytes())
}

fn incomplete() -> Failure {
    Failure::new(NvJitLinkResult::INVALID_INPUT, "the link is not complete")
}

/// The files as one module. They have been checked.
fn linked_text(files: &Files) -> Result<Vec<u8>, Failure> {
    let internal = |text: String| Failure::new(NvJitLinkResult::INTERNAL, text);
    let texts = files.list.iter().map(|(name, text)| SourceFile::new(name.clone(), text.clone()));
    let sources = Sources::new(texts.collect()).map_err(|error| internal(error.to_string()))?;
    let trees: Vec<_> = sources.files().iter().map(|file| ptx_syntax::parse(file).0).collect();
    let units: Vec<Unit<'_>> =
        trees.iter().zip(sources.files()).map(|(module, source)| Unit { module, source }).collect();
    let (tree, _) = ptx_link::link(&units, &sources).map_err(|found| {
        let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
        internal(messages.join("\n"))
    })?;
    let mut text = ptx_ir::print(&tree).into_bytes();
    text.push(0);
    Ok(text)
}

type Shared = Arc<Mutex<Link>>;

/// The links by their handles.
#[derive(Debug, Default)]
struct Table {
    last: u64,
    links: HashMap<u64, Shared>,
}

static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);

/// Locks a mutex. What it protects is valid even if a thread panicked meanwhile.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a link; gives its handle.
pub fn insert(link: Link) -> u64 {
    let mut table = lock(&TABLE);
    // Handles are smaller than any pointer of the process, so that no pointer is taken for a handle.
    table.last += 1;
    let handle = table.last;
    table.links.insert(handle, Arc::new(Mutex::new(link)));
    handle
}

/// The link of a handle.
pub fn get(handle: u64) -> Option<Shared> {
    lock(&TABLE).links.get(&handle).cloned()
}

/// Forgets a link.
pub fn remove(handle: u64) -> Option<Shared> {
    lock(&TABLE).links.remove(&handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

    fn link(options: &[&str]) -> Link {
        Link::new(Options::read(options.iter().copied()).unwrap())
    }

    #[test]
    fn registers_are_those_of_the_options_or_of_the_first_input() {
        let packed = container::pack(&Files { registers: Some(40), ..Files::of_text("a", KERNEL) });
        for (options, registers) in [(&["-arch=sm_80"][..], 40), (&["-arch=sm_80", "-maxrregcount=32"], 32)] {
            let mut link = link(options);
            link.add(1, "", &packed).unwrap();
            link.complete().unwrap();
            let files = container::unpack(link.image().unwrap()).unwrap();
            assert_eq!(files.registers, Some(registers));
        }
    }

    #[test]
    fn results_are_of_the_kind_that_was_asked_for_and_not_before_the_end() {
        let mut to_image = link(&["-arch=sm_80"]);
        to_image.add(2, "k.ptx", KERNEL.as_bytes()).unwrap();
        assert!(to_image.image().is_err());
        to_image.complete().unwrap();
        to_image.complete().unwrap();
        assert!(to_image.image().is_ok() && to_image.ptx().is_err());
        assert!(to_image.add(2, "k.ptx", KERNEL.as_bytes()).is_err());
        let mut to_ptx = link(&["-arch=sm_80", "-lto", "-ptx"]);
        to_ptx.add(2, "k.ptx", KERNEL.as_bytes()).unwrap();
        to_ptx.complete().unwrap();
        assert!(to_ptx.image().is_err());
        assert!(to_ptx.ptx().unwrap().ends_with(b"\0"));
    }

    #[test]
    fn nothing_is_linked_to_a_module_without_functions() {
        for architecture in ["sm_20", "sm_80", "sm_90a", "sm_121f"] {
            let mut link = link(&[&format!("-arch={architecture}")]);
            link.complete().unwrap();
            let files = container::unpack(link.image().unwrap()).unwrap();
            let [(_, text)] = &files.list[..] else { panic!("{files:?}") };
            assert!(String::from_utf8_lossy(text).contains(&format!(".target {architecture}\n")));
        }
        let mut link = link(&["-arch=sm_80", "-lto"]);
        assert_eq!(link.complete().unwrap_err().result, NvJitLinkResult::NVVM_COMPILE);
    }

    #[test]
    fn undefined_symbols_are_named_as_nvidias_linker_names_them() {
        let caller = KERNEL.replace(
            ".visible .entry k() { ret; }",
            ".extern .func f();\n.extern .global .u32 v;\n.visible .entry k() { .reg .b32 %r; call f, (); ld.global.u32 %r, [v]; ret; }",
        );
        let mut link = link(&["-arch=sm_80"]);
        link.add(2, "k.ptx", caller.as_bytes()).unwrap();
        let failure = link.complete().unwrap_err();
        assert_eq!(failure.result, NvJitLinkResult::INTERNAL);
        let start = "error   : Undefined reference to 'f' in 'k.ptx'\nerror   : Undefined reference to 'v' in 'k.ptx'\n";
        assert!(failure.text.starts_with(start), "{}", failure.text);
    }

    #[test]
    fn damaged_inputs_are_errors() {
        let packed = container::pack(&Files::of_text("a", KERNEL));
        let mut random = fastrand::Rng::with_seed(1);
        for round in 0..2_000 {
            let mut bytes = if round % 2 == 0 { packed.clone() } else { KERNEL.as_bytes().to_vec() };
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            bytes.truncate(random.usize(..=bytes.len()));
            let mut link = link(&["-arch=sm_80"]);
            // It must return, with an error or without.
            if link.add(random.u32(..12), "a", &bytes).is_ok() {
                let _ = link.complete();
            }
        }
    }
}

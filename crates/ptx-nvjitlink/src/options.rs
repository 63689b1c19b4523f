//! The options of a link: texts such as `-arch=sm_90`.

use ptx_isa::Sm;
use ptx_verify::known_targets;

use crate::link::{Failure, NvJitLinkResult};

/// What the options select.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub architecture: Sm,
    /// The most registers of a thread.
    pub registers: Option<u32>,
    /// Whether intermediate code may be linked, which makes PTX of it with `-ptx`.
    pub lto: bool,
    pub ptx: bool,
    pub verbose: bool,
}

/// Options that concern machine code alone; those that have a value by their prefix.
const OF_MACHINE_CODE: &[&str] = &[
    "-O",
    "-Ofast-compile=",
    "-device-stack-protector=",
    "-fma=",
    "-ftz=",
    "-g",
    "-jump-table-density=",
    "-kernels-used=",
    "-lineinfo",
    "-no-cache",
    "-optimize-unused-variables",
    "-prec-div=",
    "-prec-sqrt=",
    "-split-compile-extended=",
    "-split-compile=",
    "-time",
    "-variables-used=",
    "-Xnvvm=",
    "-Xptxas=",
];

/// Whether an option is one of a list: those that end with `=`, and `-O`, are prefixes; the others are whole options.
fn is_listed(option: &str) -> bool {
    OF_MACHINE_CODE.iter().any(|&listed| {
        let goes_on = listed.ends_with('=') || listed == "-O";
        if goes_on { option.starts_with(listed) } else { option == listed }
    })
}

impl Options {
    /// Reads the options. Of two that contradict each other the later one counts.
    ///
    /// # Errors
    /// An unknown option, or no architecture.
    pub fn read<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, Failure> {
        let mut architecture = None;
        let mut options =
            Self { architecture: Sm::new(75), registers: None, lto: false, ptx: false, verbose: false };
        let mut texts = texts.into_iter();
        while let Some(text) = texts.next() {
            // `-arch sm_90` as two options.
            let value = |name: &str, texts: &mut dyn Iterator<Item = &'a str>| {
                if text == name { texts.next() } else { text.strip_prefix(name)?.strip_prefix('=') }
            };
            if let Some(name) = value("-arch", &mut texts) {
                architecture = Some(read_architecture(name)?);
            } else if let Some(count) = value("-maxrregcount", &mut texts) {
                let count: u32 = count.parse().map_err(|_| unrecognized(text))?;
                options.registers = Some(count).filter(|&count| count > 0);
            } else if text == "-lto" {
                options.lto = true;
            } else if text == "-ptx" {
                options.ptx = true;
            } else if text == "-verbose" {
                options.verbose = true;
            } else if !is_listed(text) {
                return Err(unrecognized(text));
            }
        }
        if options.ptx && !options.lto {
            return Err(Failure::new(NvJitLinkResult::INCOMPATIBLE_OPTIONS, "-ptx requires -lto"));
        }
        let missing = || Failure::new(NvJitLinkResult::MISSING_ARCH, "the option -arch=sm_NN is missing");
        options.architecture = architecture.ok_or_else(missing)?;
        Ok(options)
    }
}

fn unrecognized(text: &str) -> Failure {
    Failure::new(NvJitLinkResult::UNRECOGNIZED_OPTION, format!("there is no option `{text}`"))
}

/// Reads `sm_NN`, or `compute_NN`, which is for links to PTX.
fn read_architecture(name: &str) -> Result<Sm, Failure> {
    let number = name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_"));
    if !number.is_some_and(|number| number.starts_with(|digit: char| digit.is_ascii_digit())) {
        return Err(unrecognized(&format!("-arch={name}")));
    }
    let known = Sm::from_text(name).filter(|&sm| known_targets().any(|(known, _)| known == sm));
    known.ok_or_else(|| {
        Failure::new(NvJitLinkResult::UNRECOGNIZED_ARCH, format!("there is no architecture `{name}`"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_clients() {
        let read =
            Options::read(["-arch=sm_90a", "-O3", "-lineinfo", "-g", "-maxrregcount=32", "-Xptxas=-v"])
                .unwrap();
        assert_eq!((read.architecture, read.registers), (Sm::arch(90), Some(32)));
        assert!(!read.lto);
        assert!(Options::read(["-lto", "-ptx", "-arch", "sm_80"]).unwrap().ptx);
        assert_eq!(Options::read(["-arch=compute_80", "-lto", "-ptx"]).unwrap().architecture, Sm::new(80));
    }

    #[test]
    fn wrong_options_are_errors() {
        for (options, result) in [
            (&["-arch=sm_90", "-nope"][..], NvJitLinkResult::UNRECOGNIZED_OPTION),
            (&["-arch=sm_90", "-gg"], NvJitLinkResult::UNRECOGNIZED_OPTION),
            (&["-arch=sm_90", "-maxrregcount=x"], NvJitLinkResult::UNRECOGNIZED_OPTION),
            (&["-O3"], NvJitLinkResult::MISSING_ARCH),
            (&["-arch"], NvJitLinkResult::UNRECOGNIZED_OPTION),
            // What nvJitLink 13.5 answers.
            (&["-arch=90"], NvJitLinkResult::UNRECOGNIZED_OPTION),
            (&["-arch=sm_XX"], NvJitLinkResult::UNRECOGNIZED_OPTION),
            (&["-arch=sm_"], NvJitLinkResult::UNRECOGNIZED_OPTION),
            (&["-arch=compute_xx", "-lto", "-ptx"], NvJitLinkResult::UNRECOGNIZED_OPTION),
            (&["-arch=sm_91"], NvJitLinkResult::UNRECOGNIZED_ARCH),
            (&["-arch=sm_999"], NvJitLinkResult::UNRECOGNIZED_ARCH),
            (&["-arch=sm_90", "-ptx"], NvJitLinkResult::INCOMPATIBLE_OPTIONS),
        ] {
            assert_eq!(Options::read(options.iter().copied()).unwrap_err().result, result, "{options:?}");
        }
    }
}

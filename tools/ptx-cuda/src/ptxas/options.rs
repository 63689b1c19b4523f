//! The options of `ptxas`. A long name has two dashes and a short one has one; the value is the next argument, or follows `=`, or, for `-O` and `-m`,
//! the name.

use std::ffi::OsString;
use std::path::PathBuf;

use ptx_isa::Sm;
use ptx_verify::known_targets;

/// The inputs and settings of an assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub inputs: Vec<Input>,
    pub output: PathBuf,
    pub architecture: Sm,
    /// Whether the architecture is a virtual one (`compute_80`): the input is only checked.
    pub only_check: bool,
    /// Whether the result is linked later (`-c`), so that it may use what it does not define.
    pub relocatable: bool,
    /// The most registers of a thread.
    pub registers: Option<u32>,
    /// The kernels that must be there.
    pub entries: Vec<String>,
    pub verbose: bool,
    pub hide_warnings: bool,
    pub deny_warnings: bool,
    pub warn_on_spills: bool,
    pub warn_on_local_memory: bool,
    /// Messages about the options themselves.
    pub warnings: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            output: PathBuf::from("elf.o"),
            architecture: Sm::new(75),
            only_check: false,
            relocatable: false,
            registers: None,
            entries: Vec::new(),
            verbose: false,
            hide_warnings: false,
            deny_warnings: false,
            warn_on_spills: false,
            warn_on_local_memory: false,
            warnings: Vec::new(),
        }
    }
}

/// An input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// The text itself.
    Text(String),
}

/// The task of a command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    Assemble(Box<Options>),
    Help,
    Version,
    /// The architectures.
    Architectures,
    /// The versions of PTX.
    Versions,
}

/// The effect of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// It concerns machine code alone: its speed, debugging, and the choice among results that PTX allows.
    None,
    /// The stand-in cannot do it, for this reason.
    Refused(&'static str),
    Architecture,
    Output,
    Relocatable,
    Registers,
    Entries,
    Level,
    Machine,
    Boolean,
    Verbose,
    HideWarnings,
    DenyWarnings,
    WarnOnSpills,
    WarnOnLocalMemory,
    Text,
    OptionsFile,
    Help,
    Version,
    Architectures,
    Versions,
}

const NOT_KEPT: &str = "the driver takes launch bounds from the PTX alone";

const INSTRUMENTED: &str = "the driver checks memory by itself";

/// Long name, short name, whether it has a value, effect.
const OPTIONS: &[(&str, &str, bool, Effect)] = &[
    ("Ofast-compile", "Ofc", true, Effect::None),
    ("allow-expensive-optimizations", "allow-expensive-optimizations", true, Effect::Boolean),
    ("apply-controls", "apply-controls", true, Effect::Refused("controls are for parts of ptxas")),
    ("compile-as-tools-patch", "astoolspatch", false, Effect::Refused("patches are machine code")),
    ("compile-only", "c", false, Effect::Relocatable),
    ("compiler-annotations", "annotate", false, Effect::None),
    ("def-load-cache", "dlcm", true, Effect::None),
    ("def-store-cache", "dscm", true, Effect::None),
    ("device-debug", "g", false, Effect::None),
    ("device-function-maxrregcount", "func-maxrregcount", true, Effect::None),
    ("device-stack-protector", "device-stack-protector", true, Effect::Boolean),
    ("disable-optimizer-constants", "disable-optimizer-consts", false, Effect::None),
    ("disable-warnings", "w", false, Effect::HideWarnings),
    ("dont-merge-basicblocks", "no-bb-merge", false, Effect::None),
    ("enable-func-clone-sc", "enable-func-clone-sc", true, Effect::Boolean),
    ("entry", "e", true, Effect::Entries),
    ("extensible-whole-program", "ewp", false, Effect::Relocatable),
    // Without it operations may be contracted; the driver never contracts any.
    ("fmad", "fmad", true, Effect::Boolean),
    ("force-load-cache", "flcm", true, Effect::None),
    ("force-store-cache", "fscm", true, Effect::None),
    ("g-tensor-memory-access-check", "g-tmem-access-check", false, Effect::None),
    ("generate-line-info", "lineinfo", false, Effect::None),
    ("gno-fabric-access-check", "gno-fabric-access-check", false, Effect::None),
    ("gno-tensor-memory-access-check", "gno-tmem-access-check", false, Effect::None),
    ("gpu-name", "arch", true, Effect::Architecture),
    ("help", "h", false, Effect::Help),
    ("input-as-string", "ias", true, Effect::Text),
    ("jobserver", "jobserver", false, Effect::None),
    // For targets before sm_70, which are not assembled.
    ("legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", false, Effect::None),
    ("list-arch", "arch-ls", false, Effect::Architectures),
    ("list-version", "version-ls", false, Effect::Versions),
    ("machine", "m", true, Effect::Machine),
    ("make-errors-visible-at-exit", "make-errors-visible-at-exit", false, Effect::None),
    ("maxntid", "maxntid", true, Effect::Refused(NOT_KEPT)),
    ("maxrregcount", "maxrregcount", true, Effect::Registers),
    ("minnctapersm", "minnctapersm", true, Effect::Refused(NOT_KEPT)),
    ("opt-level", "O", true, Effect::Level),
    ("optimize-float-atomics", "opt-fp-atomics", false, Effect::None),
    ("options-file", "optf", true, Effect::OptionsFile),
    ("output-file", "o", true, Effect::Output),
    ("override-directive-values", "override-directive-values", false, Effect::None),
    ("position-independent-code", "pic", true, Effect::Boolean),
    ("preserve-relocs", "preserve-relocs", false, Effect::None),
    // It is not documented; Triton uses it.
    ("regAllocOptLevel", "regAllocOptLevel", true, Effect::None),
    ("register-usage-level", "regUsageLevel", true, Effect::None),
    ("return-at-end", "ret-end", false, Effect::None),
    ("sanitize", "sanitize", true, Effect::Refused(INSTRUMENTED)),
    ("sp-bounds-check", "sp-bounds-check", false, Effect::None),
    ("split-compile", "split-compile", true, Effect::None),
    (
        "suppress-async-bulk-multicast-advisory-warning",
        "suppress-async-bulk-multicast-advisory-warning",
        false,
        Effect::None,
    ),
    ("suppress-debug-info", "suppress-debug-info", false, Effect::None),
    ("suppress-double-demote-warning", "suppress-double-demote-warning", false, Effect::None),
    (
        "suppress-position-independent-code-warning",
        "suppress-position-independent-code-warning",
        false,
        Effect::None,
    ),
    ("suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", false, Effect::None),
    ("suppress-stack-size-warning", "suppress-stack-size-warning", false, Effect::None),
    ("verbose", "v", false, Effect::Verbose),
    ("verbose2", "v2", false, Effect::Verbose),
    ("version", "V", false, Effect::Version),
    // It concerns the speed of machine code.
    ("warn-on-double-precision-use", "warn-double-usage", false, Effect::None),
    ("warn-on-local-memory-usage", "warn-lmem-usage", false, Effect::WarnOnLocalMemory),
    ("warn-on-spills", "warn-spills", false, Effect::WarnOnSpills),
    ("warning-as-error", "Werror", false, Effect::DenyWarnings),
];

/// Option files in option files.
const MOST_FILES: usize = 16;

/// The fewest and the most registers that `-maxrregcount` selects.
const REGISTERS: std::ops::RangeInclusive<u32> = 24..=255;

type Row = &'static (&'static str, &'static str, bool, Effect);

/// The option that an argument names, with the value that is attached to it.
fn named(argument: &str) -> Option<(Row, Option<&str>)> {
    let (text, is_long) = match argument.strip_prefix("--") {
        Some(text) => (text, true),
        None => (argument.strip_prefix('-')?, false),
    };
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let row = |name: &str| OPTIONS.iter().find(|row| (if is_long { row.0 } else { row.1 }) == name);
    if let Some(row) = row(name) {
        return Some((row, value));
    }
    // `-O3`, `-m64`
    let attached = text.split_at_checked(1).filter(|(name, _)| !is_long && ["O", "m"].contains(name));
    attached.and_then(|(name, value)| Some((row(name)?, Some(value))))
}

/// Reads the command line.
///
/// # Errors
/// What is wrong with it, as `ptxas` would say it.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Request, String> {
    let mut reader = Reader { options: Options::default(), files: 0, architecture: None };
    if let Some(request) = reader.read(arguments)? {
        return Ok(request);
    }
    Ok(if reader.options.inputs.is_empty() {
        Request::Help
    } else {
        Request::Assemble(Box::new(reader.options))
    })
}

struct Reader {
    options: Options,
    /// The option files that were read.
    files: usize,
    /// The architecture as it was given.
    architecture: Option<String>,
}

impl Reader {
    fn read(&mut self, mut arguments: impl Iterator<Item = OsString>) -> Result<Option<Request>, String> {
        while let Some(argument) = arguments.next() {
            let Some(text) = argument.to_str().filter(|text| text.len() > 1 && text.starts_with('-')) else {
                match argument.to_str().and_then(|text| text.strip_prefix('@')) {
                    Some(file) => {
                        if let Some(request) = self.read_file(file)? {
                            return Ok(Some(request));
                        }
                    }
                    None => self.options.inputs.push(Input::File(argument.into())),
                }
                continue;
            };
            let ((long, short, has_value, effect), attached) =
                named(text).ok_or_else(|| format!("Unknown option '{}'", text.trim_start_matches('-')))?;
            let value = match (has_value, attached) {
                (true, Some(value)) => OsString::from(value),
                (true, None) => {
                    arguments.next().ok_or_else(|| format!("argument expected after '{text}'"))?
                }
                (false, None) => OsString::new(),
                (false, Some(_)) => {
                    let name = if text.starts_with("--") { format!("--{long}") } else { format!("-{short}") };
                    return Err(format!("no argument expected after '{name}'"));
                }
            };
            if let Some(request) = self.apply(long, *effect, value)? {
                return Ok(Some(request));
            }
        }
        Ok(None)
    }

    fn apply(&mut self, name: &str, effect: Effect, value: OsString) -> Result<Option<Request>, String> {
        let options = &mut self.options;
        if effect == Effect::Output {
            options.output = value.into();
            return Ok(None);
        }
        let value = value.into_string().map_err(|value| format!("'{}': expected text", value.display()))?;
        match effect {
            Effect::None => {}
            Effect::Refused(reason) => {
                return Err(format!("option '{name}' is not supported by this stand-in: {reason}"));
            }
            Effect::Architecture => self.set_architecture(value)?,
            Effect::Output => {}
            Effect::Relocatable => options.relocatable = true,
            Effect::Registers => self.set_registers(&value)?,
            Effect::Entries => options.entries.extend(value.split(',').map(str::to_owned)),
            Effect::Level => {
                value.parse::<u32>().map_err(|_| format!("'{value}': expected a number"))?;
            }
            Effect::Machine if value != "64" => {
                return Err(format!("Value '{value}' is not defined for option 'machine'"));
            }
            Effect::Machine => {}
            Effect::Boolean if value != "true" && value != "false" => {
                return Err(format!("'{value}': expected true or false"));
            }
            Effect::Boolean => {}
            Effect::Verbose => options.verbose = true,
            Effect::HideWarnings => options.hide_warnings = true,
            Effect::DenyWarnings => options.deny_warnings = true,
            Effect::WarnOnSpills => options.warn_on_spills = true,
            Effect::WarnOnLocalMemory => options.warn_on_local_memory = true,
            Effect::Text => options.inputs.push(Input::Text(value)),
            Effect::OptionsFile => return self.read_file(&value),
            Effect::Help => return Ok(Some(Request::Help)),
            Effect::Version => return Ok(Some(Request::Version)),
            Effect::Architectures => return Ok(Some(Request::Architectures)),
            Effect::Versions => return Ok(Some(Request::Versions)),
        }
        Ok(None)
    }

    fn set_architecture(&mut self, value: String) -> Result<(), String> {
        if value.starts_with("lto_") {
            return Err(format!(
                "'{value}' is for intermediate code of NVVM, which this stand-in does not write"
            ));
        }
        let sm = Sm::from_text(&value).filter(|&sm| known_targets().any(|(known, _)| known == sm));
        let Some(sm) = sm.filter(|sm| sm.number >= Options::default().architecture.number) else {
            return Err(format!("Value '{value}' is not defined for option 'gpu-name'"));
        };
        self.options.architecture = sm;
        self.options.only_check = value.starts_with("compute_");
        if self.architecture.as_ref().is_some_and(|old| *old != value) {
            let text =
                "incompatible redefinition for option 'gpu-name', the last value of this option was used";
            self.options.warnings.push(text.to_owned());
        }
        self.architecture = Some(value);
        Ok(())
    }

    fn set_registers(&mut self, value: &str) -> Result<(), String> {
        let (least, most) = (*REGISTERS.start(), *REGISTERS.end());
        self.options.registers = match value {
            "archmax" => None,
            "archmin" => Some(least),
            _ => {
                let given: u32 = value
                    .parse()
                    .map_err(|_| format!("Invalid value '{value}' for option 'maxrregcount'"))?;
                if given > most {
                    let text = format!("Too big maxrregcount value specified {given}, will be ignored");
                    self.options.warnings.push(text);
                } else if given < least {
                    let text =
                        format!("adjusting per thread register count of {given} to lower bound of {least}");
                    self.options.warnings.push(text);
                }
                Some(given.max(least)).filter(|&count| count <= most)
            }
        };
        Ok(())
    }

    fn read_file(&mut self, name: &str) -> Result<Option<Request>, String> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err("too many option files".to_owned());
        }
        let text = std::fs::read_to_string(name)
            .map_err(|error| format!("Options file '{name}' could not be opened: {error}"))?;
        let words = words(&text).ok_or_else(|| format!("a quote is not closed in options file '{name}'"))?;
        // Files of files are read here, so this is not lazy.
        self.read(words.into_iter())
    }
}

/// The words of an option file: between white space, or in quotes. `None` if a quote is not closed.
fn words(text: &str) -> Option<Vec<OsString>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take().map(OsString::from)),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(OsString::from));
    quote.is_none().then_some(words)
}

/// The names of all options, for `--help`.
pub fn help() -> String {
    let mut text = String::from(
        "Usage  : ptxas [options] <ptx file>,...\n\n\
         The stand-in for ptxas of ptx-llvm: it checks PTX and writes it in the form that the driver of ptx-llvm loads, not machine code.\n\n\
         Options\n=======\n\n",
    );
    for (long, short, has_value, effect) in OPTIONS {
        let value = if *has_value { " <value>" } else { "" };
        let note = match effect {
            Effect::None | Effect::Boolean | Effect::Level => {
                "\n        Accepted; it decides about machine code alone.".to_owned()
            }
            Effect::Refused(reason) => format!("\n        Not supported: {reason}."),
            _ => String::new(),
        };
        text += &format!("--{long}{value}  (-{short}){note}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Result<Options, String> {
        match parse(line.split(' ').map(OsString::from))? {
            Request::Assemble(options) => Ok(*options),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn the_command_line_of_triton() {
        let line = "-lineinfo --fmad=false -v --opt-level 1 --regAllocOptLevel=2 --gpu-name=sm_90a /tmp/a.ptx -o /tmp/a.ptx.o";
        let read = options(line).unwrap();
        assert_eq!(read.architecture, Sm::arch(90));
        assert_eq!(read.output, PathBuf::from("/tmp/a.ptx.o"));
        assert_eq!(read.inputs, [Input::File("/tmp/a.ptx".into())]);
        assert!(read.verbose && !read.relocatable && !read.only_check);
    }

    #[test]
    fn names_have_the_dashes_that_ptxas_wants() {
        for good in
            ["-arch=sm_80 k", "-arch sm_80 k", "--gpu-name sm_80 k", "--gpu-name=sm_80 k -O3 -m64 -O=2"]
        {
            assert_eq!(options(good).unwrap().architecture, Sm::new(80), "{good}");
        }
        for (bad, why) in [
            ("--arch=sm_80 k", "Unknown option 'arch=sm_80'"),
            ("-gpu-name=sm_80 k", "Unknown option 'gpu-name=sm_80'"),
            ("-vfoo k", "Unknown option 'vfoo'"),
            ("-Ofast k", "'fast': expected a number"),
            ("-m32 k", "Value '32' is not defined for option 'machine'"),
            ("-arch=sm_81 k", "Value 'sm_81' is not defined for option 'gpu-name'"),
            ("-arch=sm_70 k", "Value 'sm_70' is not defined for option 'gpu-name'"),
            ("-v=true k", "no argument expected after '-v'"),
            ("k -o", "argument expected after '-o'"),
            ("-fmad=1 k", "'1': expected true or false"),
            ("-maxrregcount=x k", "Invalid value 'x' for option 'maxrregcount'"),
        ] {
            assert_eq!(options(bad).unwrap_err(), why, "{bad}");
        }
        assert!(options("-maxntid 128 k").unwrap_err().contains("not supported by this stand-in"));
    }

    #[test]
    fn registers_are_within_bounds() {
        let of = |text: &str| {
            options(&format!("-maxrregcount={text} k")).map(|read| (read.registers, read.warnings.len()))
        };
        assert_eq!(of("32"), Ok((Some(32), 0)));
        assert_eq!(of("16"), Ok((Some(24), 1)));
        assert_eq!(of("300"), Ok((None, 1)));
        assert_eq!(of("archmax"), Ok((None, 0)));
    }

    #[test]
    fn words_of_option_files() {
        let read = words("-v  \"a b\" -o 'x'y\n").unwrap();
        assert_eq!(read, ["-v", "a b", "-o", "xy"]);
        assert_eq!(words("'a"), None);
    }

    #[test]
    fn names_are_not_given_twice() {
        for (index, (long, short, ..)) in OPTIONS.iter().enumerate() {
            assert!(OPTIONS[..index].iter().all(|row| row.0 != *long && row.1 != *short), "{long}");
        }
    }
}

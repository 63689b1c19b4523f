//! The plan of a launch, from the command line and the launch file.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use ptx_cli::{ExitStatus, Failure, Output, ReadError, code, is_same_file, read_at_most, refuse_input};
use ptx_diag::{Code, Diagnostic};
use ptx_exec::{Completion, Reconvergence};

use crate::argument_spec::{ArgumentSpec, BufferSource, DeferredPart, TextureSpec};
use crate::arguments::Arguments;
use crate::contents::no_image;
use crate::engine::{Engine, processor};
use crate::expected::ExpectSpec;
use crate::launch_file::{self, LaunchFile};
use crate::profile::Destination;
use crate::spec::{Dimensions, PrintSpec, ReferenceSpec};

/// A launch, checked as far as it can be without the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The engine that executes the kernel.
    pub engine: Engine,
    /// The kernel's name, in the module or in the source; `None` for the only kernel of the module.
    pub entry: Option<String>,
    /// Blocks in each dimension.
    pub grid: Dimensions,
    /// Threads of a block in each dimension.
    pub block: Dimensions,
    /// Blocks of a cluster in each dimension; `None` for the shape that the kernel requires, or one block.
    pub cluster: Option<Dimensions>,
    /// Whether all blocks have to be resident at the same time.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The kernel's arguments.
    pub args: Vec<ArgumentSpec>,
    /// Buffers that are not parameters, with their names.
    pub buffers: Vec<(String, ArgumentSpec)>,
    /// The textures, surfaces and samplers of the module.
    pub references: Vec<ReferenceSpec>,
    /// Buffers to show afterwards.
    pub print: Vec<PrintSpec>,
    /// What buffers have to have afterwards.
    pub expect: Vec<ExpectSpec>,
    /// Host threads; `None` for one per core.
    pub threads: Option<NonZeroUsize>,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// Where threads reconverge after a divergent branch.
    pub reconvergence: Reconvergence,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// The launch file that it was read from.
    pub file: Option<PathBuf>,
}

impl Plan {
    /// Reads a launch file, if there is one; arguments of the command line override it.
    ///
    /// # Errors
    ///
    /// A launch file that cannot be read or parsed is rejected; missing or invalid values are wrong usage.
    pub fn new(arguments: &Arguments, launch: Option<&Path>) -> Result<Self, Failure> {
        let file = match launch {
            Some(path) => read_launch_file(path)?,
            None => LaunchFile::default(),
        };
        let written = file.engine.as_deref().map(engine).transpose()?;
        let args = if arguments.args.is_empty() { file.args } else { arguments.args.clone() };
        let print = if arguments.print.is_empty() { file.print } else { arguments.print.clone() };
        let references =
            if arguments.references.is_empty() { file.references } else { arguments.references.clone() };
        let expect = if arguments.expect.is_empty() { file.expect } else { arguments.expect.clone() };
        let mut plan = Self {
            engine: arguments.engine.or(written).unwrap_or(Engine::Auto),
            entry: arguments.entry.clone().or(file.entry),
            grid: given(arguments.grid.or(file.grid), "--grid")?,
            block: given(arguments.block.or(file.block), "--block")?,
            cluster: arguments.cluster.or(file.cluster),
            cooperative: arguments.cooperative || file.cooperative,
            // Default: no dynamic shared memory.
            shared: shared(arguments.shared.or(file.shared).unwrap_or(0))?,
            args,
            buffers: file.buffers,
            references,
            print,
            expect,
            completion: arguments.completion.or(file.completion).unwrap_or(Completion::Eager),
            reconvergence: arguments.reconvergence.or(file.reconvergence).unwrap_or(Reconvergence::Early),
            threads: arguments.threads.or(file.threads).map(threads).transpose()?,
            timeout: arguments.timeout.or(file.timeout).map(timeout).transpose()?,
            file: launch.map(Path::to_owned),
        };
        plan.expect_filled();
        plan.check()?;
        Ok(plan)
    }

    /// Adds the expectations that are keys of buffers.
    fn expect_filled(&mut self) {
        let arguments =
            self.args.iter().enumerate().map(|(index, spec)| (BufferSource::Argument(index), spec));
        let buffers = self.buffers.iter().map(|(name, spec)| (BufferSource::Buffer(name.clone()), spec));
        let more = arguments.chain(buffers).filter_map(|(buffer, spec)| {
            let ArgumentSpec::Filled(filled) = spec else { return None };
            let (file, tolerance) = filled.expected.clone()?;
            Some(ExpectSpec { buffer, file, ty: filled.ty, tolerance })
        });
        let more: Vec<ExpectSpec> = more.collect();
        self.expect.extend(more);
    }

    /// All values in the syntax of arguments: the arguments, the references, and the further buffers.
    pub fn all(&self) -> impl Iterator<Item = &ArgumentSpec> {
        let references = self.references.iter().map(|reference| &reference.shown);
        self.args.iter().chain(references).chain(self.buffers.iter().map(|(_, buffer)| buffer))
    }

    /// The index in the launch of a buffer in global memory.
    ///
    /// # Errors
    /// Wrong usage, if it is not a buffer in global memory.
    pub fn number(&self, source: &BufferSource) -> Result<usize, Failure> {
        match source {
            BufferSource::Argument(index) => {
                let found = self.args.get(*index).and_then(ArgumentSpec::global_buffer);
                found.map(|_| *index).ok_or_else(|| usage(format!("argument {index} is not a buffer")))
            }
            BufferSource::Buffer(name) => {
                let found = self.buffers.iter().position(|(known, _)| known == name);
                found.map(|at| self.args.len() + at).ok_or_else(|| no_buffer(name))
            }
            BufferSource::Own(_) => Err(usage(format!("{source} has no number"))),
        }
    }

    /// The index of a view's buffer in [`Plan::all`].
    ///
    /// # Errors
    /// Wrong usage, if the view has no buffer.
    pub fn viewed(&self, view: &PrintSpec) -> Result<usize, Failure> {
        self.position("--print", &view.buffer)
    }

    /// The index in [`Plan::all`] of the buffer that an option names.
    ///
    /// # Errors
    /// Wrong usage, if it is not a buffer.
    pub fn position(&self, option: &str, buffer: &BufferSource) -> Result<usize, Failure> {
        let written = self.args.len() + self.references.len();
        match buffer {
            BufferSource::Argument(index) => match self.all().take(written).nth(*index) {
                None => Err(usage(format!("{option} {index}: there is no such argument"))),
                Some(argument) if argument.buffer().is_none() => {
                    Err(usage(format!("{option} {index}: the argument is not a buffer")))
                }
                Some(_) => Ok(*index),
            },
            BufferSource::Buffer(name) => {
                let found = self.buffers.iter().position(|(known, _)| known == name);
                found.map(|at| written + at).ok_or_else(|| no_buffer(name))
            }
            BufferSource::Own(_) => Err(usage(format!("{option}: {buffer} cannot be named"))),
        }
    }

    /// Rejects outputs that would replace an input file or the launch file, or another output. A buffer can be written to the file
    /// of its initial contents.
    ///
    /// # Errors
    /// Wrong usage, with the file.
    pub fn refuse_outputs(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        let outputs: Vec<&Path> = self.all().filter_map(ArgumentSpec::output).collect();
        for (at, output) in outputs.iter().enumerate() {
            let read = inputs.iter().chain(&self.file).map(PathBuf::as_path);
            refuse_input(&Output::File((*output).to_owned()), read)?;
            if outputs.iter().take(at).any(|earlier| is_same_file(earlier, output)) {
                let shown = output.display();
                return Err(usage(format!(
                    "two buffers would be written to `{shown}`, and the first be lost"
                )));
            }
        }
        Ok(())
    }

    /// Rejects views, addresses, maps and textures of missing buffers and images, and two references with the same name.
    fn check(&self) -> Result<(), Failure> {
        for (at, reference) in self.references.iter().enumerate() {
            if self.references.iter().take(at).any(|earlier| earlier.name == reference.name) {
                return Err(usage(format!("the reference `{}` is given twice", reference.name)));
            }
        }
        self.print.iter().try_for_each(|view| self.viewed(view).map(drop))?;
        self.expect.iter().try_for_each(|spec| self.position("--expect", &spec.buffer).map(drop))?;
        self.all().enumerate().try_for_each(|(at, argument)| self.check_sources(at, argument))
    }

    fn check_sources(&self, at: usize, argument: &ArgumentSpec) -> Result<(), Failure> {
        match argument {
            ArgumentSpec::TensorMap(spec) if spec.source.own().is_none() => {
                self.number(&spec.source).map(drop)
            }
            ArgumentSpec::Texture(spec) => self.check_texture(at, spec),
            ArgumentSpec::Composed(composed) | ArgumentSpec::ComposedBuffer(composed) => {
                composed.parts.iter().try_for_each(|(_, part)| match part {
                    DeferredPart::Address(source, _) => self.number(source).map(drop),
                    DeferredPart::Argument(inner) => self.check_sources(at, inner),
                })
            }
            ArgumentSpec::TensorMap(_)
            | ArgumentSpec::Bytes(_)
            | ArgumentSpec::Number(..)
            | ArgumentSpec::Filled(_)
            | ArgumentSpec::In(_)
            | ArgumentSpec::Out(..)
            | ArgumentSpec::InOut(..)
            | ArgumentSpec::Zero(_)
            | ArgumentSpec::Sampler(_) => Ok(()),
        }
    }

    /// Textures and surfaces without their own image use that of an earlier one; linear memory is that of a buffer.
    fn check_texture(&self, at: usize, spec: &TextureSpec) -> Result<(), Failure> {
        match (spec.image(), &spec.source) {
            (_, BufferSource::Own(_)) => Ok(()),
            (Some(_), BufferSource::Buffer(_)) => self.number(&spec.source).map(drop),
            (Some(_), other) => match self.number(other) {
                Ok(_) => Ok(()),
                Err(_) => {
                    Err(usage(format!("texture or surface of argument {other}, which is not a buffer")))
                }
            },
            (None, BufferSource::Argument(index)) if *index < at => match self.all().nth(*index) {
                Some(ArgumentSpec::Texture(other)) if other.image().is_some() => Ok(()),
                _ => Err(no_image(&spec.source)),
            },
            (None, other) => Err(no_image(other)),
        }
    }
}

fn no_buffer(name: &str) -> Failure {
    usage(format!("there is no buffer `{name}`; the field `buffers` of a launch file names them"))
}

/// Rejects output files of a launch that several programs share, because each program would replace the output of the one before it.
///
/// # Errors
///
/// Wrong usage, if there is an output file; a launch file that cannot be read or parsed is rejected.
pub fn refuse_shared_outputs(arguments: &Arguments) -> Result<(), Failure> {
    let file = match &arguments.launch {
        Some(path) => read_launch_file(path)?,
        None => LaunchFile::default(),
    };
    let args = if arguments.args.is_empty() { file.args } else { arguments.args.clone() };
    let references =
        if arguments.references.is_empty() { file.references } else { arguments.references.clone() };
    let references = references.into_iter().map(|reference| reference.shown);
    let buffers = file.buffers.into_iter().map(|(_, buffer)| buffer);
    let shared = |path: &Path, help: &str| {
        let message = format!("every program of the folder would write `{}`", path.display());
        let finding = Diagnostic::error_without_place(code::USAGE, message).with_help(help);
        Err(Failure::about(ExitStatus::Usage, "<command line>", finding))
    };
    if let Some(page) = arguments.profile.as_ref().and_then(Destination::file) {
        return shared(page, "write the page of one program at a time");
    }
    for argument in args.into_iter().chain(references).chain(buffers) {
        if let Some(path) = argument.output() {
            return shared(
                path,
                "use a launch file for each program, k.json for k.ptx, with separate file names",
            );
        }
    }
    Ok(())
}

fn read_launch_file(path: &Path) -> Result<LaunchFile, Failure> {
    /// The maximum size of a launch file in bytes.
    const MOST: u64 = 256 << 20;
    let text = read_at_most(path, MOST).map_err(|error| match error {
        ReadError::System(error) => unreadable(path, &error.to_string()),
        ReadError::TooLarge(_) => unreadable(path, "a launch file has at most 256 MiB"),
    })?;
    let folder = path.parent().unwrap_or(path);
    launch_file::parse(&text, folder).map_err(|message| {
        about(ExitStatus::Rejected, code::LAUNCH_FILE, &path.display().to_string(), message)
    })
}

fn given<T>(value: Option<T>, option: &str) -> Result<T, Failure> {
    value.ok_or_else(|| usage(format!("{option} is missing, on the command line and in a launch file")))
}

/// The engine of a launch file.
fn engine(name: &str) -> Result<Engine, Failure> {
    Engine::from_str(name, false).map_err(|_| {
        let all: Vec<&str> = Engine::value_variants().iter().map(|engine| engine.name()).collect();
        usage(format!("`{name}` is not an engine; expected {}", all.join(" or ")))
    })
}

/// Rejects a CPU (`--cpu`) whose code this process's CPU cannot execute.
///
/// # Errors
/// Such a CPU, a name that LLVM does not have, or LLVM is not available.
pub fn executes(name: &str) -> Result<(), Failure> {
    let executes = processor(None).and_then(|host| host.executes(&processor(Some(name))?));
    match executes {
        Ok(true) => Ok(()),
        Ok(false) => Err(usage(format!("--cpu={name}: this machine's CPU lacks some of its features"))),
        Err(error) => Err(usage(format!("--cpu={name}: {error}"))),
    }
}

fn shared(bytes: u64) -> Result<u32, Failure> {
    u32::try_from(bytes)
        .map_err(|_| usage(format!("--shared {bytes}: a block has less than 4 GiB of shared memory")))
}

fn threads(count: usize) -> Result<NonZeroUsize, Failure> {
    let count = NonZeroUsize::new(count)
        .ok_or_else(|| usage("--threads 0: at least one thread is needed".to_owned()))?;
    // More threads than cores would only wait for each other.
    let most = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    Ok(count.min(most))
}

fn timeout(seconds: f64) -> Result<Duration, Failure> {
    /// About thirty years: no launch takes longer, and clocks can count it.
    const MOST: f64 = 1e9;
    if seconds > MOST {
        return Err(usage(format!(
            "--timeout {seconds:e}: a time-out is at most {MOST:e} seconds; leave it out for none"
        )));
    }
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| usage(format!("--timeout {seconds:e}: a time-out is a number of seconds above 0")))
}

pub(crate) fn unreadable(path: &Path, error: &str) -> Failure {
    let name = path.display().to_string();
    about(ExitStatus::Rejected, code::UNREADABLE, &name, format!("cannot read `{name}`: {error}"))
}

pub(crate) fn usage(message: String) -> Failure {
    about(ExitStatus::Usage, code::USAGE, "<command line>", message)
}

pub(crate) fn about(status: ExitStatus, code: Code, name: &str, message: String) -> Failure {
    Failure::about(status, name, Diagnostic::error_without_place(code, message))
}

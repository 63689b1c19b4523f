//! What is to be launched: the command line and the launch file put together, and the buffers read.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use ptx_cli::{ExitStatus, Failure, code};
use ptx_diag::{Code, Diagnostic};
use ptx_exec::texture::{Handle, Storage, Surface, Texture, Textures};
use ptx_exec::{Argument, Completion, Launch, Limits};

use crate::arguments::Arguments;
use crate::engine::Engine;
use crate::launch_file::{self, LaunchFile};
use crate::spec::{ArgumentSpec, Dimensions, PrintSpec, ReferenceSpec};
use crate::tensor::Source;
use crate::texture::{Shown, TextureSpec};

/// All buffers of a launch together hold at most this many bytes.
const MAX_BUFFER_BYTES: u64 = 16 << 30;

/// A launch, checked as far as it can be without the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// What executes the kernel.
    pub engine: Engine,
    /// The kernel's name.
    pub entry: String,
    /// Blocks in each dimension.
    pub grid: Dimensions,
    /// Threads of a block in each dimension.
    pub block: Dimensions,
    /// Blocks of a cluster in each dimension; `None` for what the kernel requires, or one block.
    pub cluster: Option<Dimensions>,
    /// Whether all blocks have to be there at once.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The kernel's arguments.
    pub args: Vec<ArgumentSpec>,
    /// The textures and surfaces of the module.
    pub references: Vec<ReferenceSpec>,
    /// Buffers to show afterwards.
    pub print: Vec<PrintSpec>,
    /// Host threads; `None` for one a core.
    pub threads: Option<NonZeroUsize>,
    /// When asynchronous operations complete.
    pub completion: Completion,
    /// When to give up.
    pub timeout: Option<Duration>,
}

impl Plan {
    /// Reads a launch file, when there is one, and lets the command line win over it.
    ///
    /// # Errors
    ///
    /// A launch file that cannot be read or understood is rejected; what is missing or makes no sense is wrong usage.
    pub fn new(arguments: &Arguments, launch: Option<&Path>) -> Result<Self, Failure> {
        let file = match launch {
            Some(path) => read_launch_file(path)?,
            None => LaunchFile::default(),
        };
        let written = file.engine.as_deref().map(engine).transpose()?;
        let args =
            if arguments.args.is_empty() { file.args.unwrap_or_default() } else { arguments.args.clone() };
        let print =
            if arguments.print.is_empty() { file.print.unwrap_or_default() } else { arguments.print.clone() };
        let references = if arguments.references.is_empty() {
            file.references.unwrap_or_default()
        } else {
            arguments.references.clone()
        };
        let shown = references.iter().map(|reference| reference.shown.clone());
        let all: Vec<ArgumentSpec> = args.iter().cloned().chain(shown).collect();
        check_views(&all, &print)?;
        check_maps(&args)?;
        check_textures(&all, args.len())?;
        Ok(Self {
            engine: arguments.engine.or(written).unwrap_or_default(),
            entry: given(arguments.entry.clone().or(file.entry), "--entry")?,
            grid: given(arguments.grid.or(file.grid), "--grid")?,
            block: given(arguments.block.or(file.block), "--block")?,
            cluster: arguments.cluster.or(file.cluster),
            cooperative: arguments.cooperative || file.cooperative.unwrap_or(false),
            shared: shared(arguments.shared.or(file.shared).unwrap_or(0))?,
            args,
            references,
            print,
            completion: arguments.completion.or(file.completion).unwrap_or_default(),
            threads: arguments.threads.or(file.threads).map(threads).transpose()?,
            timeout: arguments.timeout.or(file.timeout).map(timeout).transpose()?,
        })
    }

    /// The launch, with the buffers' first contents read from their files.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or buffers too large for this machine.
    pub fn launch(&self) -> Result<Launch, Failure> {
        let mut left = MAX_BUFFER_BYTES;
        let mut textures = Textures::default();
        let mut arguments = self
            .written()
            .map(|argument| self.content(argument, &mut textures, &mut left))
            .collect::<Result<Vec<_>, _>>()?;
        let named = arguments.split_off(self.args.len());
        for (reference, argument) in self.references.iter().zip(named) {
            if let Argument::Handle(handle) = argument {
                textures.references.push((reference.name.clone(), handle));
            }
        }
        self.print.iter().try_for_each(|view| check_count(view, &arguments))?;
        Ok(Launch {
            entry: self.entry.clone(),
            grid: self.grid.0,
            block: self.block.0,
            cluster: self.cluster.map(|dimensions| dimensions.0),
            dynamic_shared: self.shared,
            cooperative: self.cooperative,
            arguments,
            textures,
            threads: self.threads,
            completion: self.completion,
            limits: Limits { timeout: self.timeout, ..Limits::default() },
        })
    }

    /// All that is written as arguments are: the arguments, and then the references.
    pub fn written(&self) -> impl Iterator<Item = &ArgumentSpec> {
        self.args.iter().chain(self.references.iter().map(|reference| &reference.shown))
    }

    /// What each of them holds after a launch, which left these buffers and images.
    pub fn contents(
        &self,
        buffers: Vec<Option<Vec<u8>>>,
        images: &[Option<Vec<u8>>],
    ) -> Vec<Option<Vec<u8>>> {
        let mut images = images.iter();
        let mut buffers = buffers.into_iter();
        let content = |argument: &ArgumentSpec| {
            let buffer = buffers.next().flatten();
            match argument {
                ArgumentSpec::Texture(spec) if spec.image().is_some() => images.next().cloned().flatten(),
                _ => buffer,
            }
        };
        self.written().map(content).collect()
    }

    /// A texture or surface, with an image where it brings one.
    fn texture(
        &self,
        spec: &TextureSpec,
        textures: &mut Textures,
        left: &mut u64,
    ) -> Result<Argument, Failure> {
        let brings = |argument: &&ArgumentSpec| matches!(argument, ArgumentSpec::Texture(spec) if spec.image().is_some());
        let image = match (spec.image(), &spec.source) {
            (None, Source::Argument(index)) => self.written().take(*index).filter(brings).count(),
            (None, Source::Own(_)) => 0,
            (Some(image), source) => {
                let mut image = image.clone();
                if let Source::Own(own) = source
                    && let Argument::Buffer(bytes) = self.content(own, textures, left)?
                {
                    image.storage = Storage::Array(bytes);
                }
                textures.images.push(image);
                textures.images.len() - 1
            }
        };
        Ok(Argument::Handle(match &spec.shown {
            Shown::Texture(texture) => {
                textures.textures.push(Texture { image, ..*texture });
                Handle::Texture(textures.textures.len() - 1)
            }
            Shown::Surface(surface) => {
                textures.surfaces.push(Surface { image, ..*surface });
                Handle::Surface(textures.surfaces.len() - 1)
            }
        }))
    }

    /// What an argument holds when the launch begins.
    fn content(
        &self,
        argument: &ArgumentSpec,
        textures: &mut Textures,
        left: &mut u64,
    ) -> Result<Argument, Failure> {
        let bytes = match argument {
            ArgumentSpec::Bytes(bytes) => return Ok(Argument::Bytes(bytes.clone())),
            ArgumentSpec::Texture(spec) => return self.texture(spec, textures, left),
            ArgumentSpec::TensorMap(spec) => {
                let encoded = |address| spec.encode(address).map_err(|error| usage(error.to_string()));
                return match &spec.source {
                    Source::Argument(index) => {
                        let before = self.args.iter().take(*index).filter_map(ArgumentSpec::global_buffer);
                        let map = encoded(Argument::buffer_address(before.count()))?;
                        Ok(Argument::Bytes(map.to_bytes().to_vec()))
                    }
                    Source::Own(own) => match self.content(own, textures, left)? {
                        Argument::Buffer(bytes) => Ok(Argument::Tensor(encoded(0)?, bytes)),
                        other => Ok(other),
                    },
                };
            }
            ArgumentSpec::In(path) | ArgumentSpec::InOut(path, _) => {
                let size = fs::metadata(path).map(|metadata| metadata.len());
                take(left, size.unwrap_or(0))?;
                fs::read(path).map_err(|error| unreadable(path, &error.to_string()))?
            }
            ArgumentSpec::Out(count, _) | ArgumentSpec::Zero(count) => {
                take(left, *count)?;
                zeroed(*count)?
            }
        };
        Ok(Argument::Buffer(bytes))
    }
}

/// Tensor maps are of buffers.
fn check_maps(args: &[ArgumentSpec]) -> Result<(), Failure> {
    for argument in args {
        let ArgumentSpec::TensorMap(spec) = argument else { continue };
        if let Source::Argument(index) = spec.source
            && args.get(index).and_then(ArgumentSpec::global_buffer).is_none()
        {
            return Err(usage(format!("tensormap={index}: argument {index} is not a buffer")));
        }
    }
    Ok(())
}

/// Textures and surfaces without an image show that of one before them; linear memory is that of a buffer.
fn check_textures(all: &[ArgumentSpec], args: usize) -> Result<(), Failure> {
    for (at, argument) in all.iter().enumerate() {
        let ArgumentSpec::Texture(spec) = argument else { continue };
        let Source::Argument(index) = spec.source else { continue };
        let found = all.get(index);
        let mistake = match (spec.image(), found) {
            (Some(_), Some(found)) if index < args && found.is_plain_buffer() => continue,
            (Some(_), _) => "is not a buffer",
            (None, Some(ArgumentSpec::Texture(other))) if index < at && other.image().is_some() => continue,
            (None, _) => "is not a texture or surface before this one that has an image of its own",
        };
        return Err(usage(format!("texture or surface of argument {index}, which {mistake}")));
    }
    Ok(())
}

/// Refuses output files of a launch that several programs share, since each would replace what the one before it wrote.
///
/// # Errors
///
/// Wrong usage when there is one; a launch file that cannot be read or understood is rejected.
pub fn refuse_shared_outputs(arguments: &Arguments) -> Result<(), Failure> {
    let args = match &arguments.launch {
        Some(path) if arguments.args.is_empty() => read_launch_file(path)?.args.unwrap_or_default(),
        _ => arguments.args.clone(),
    };
    let references = match &arguments.launch {
        Some(path) if arguments.references.is_empty() => {
            read_launch_file(path)?.references.unwrap_or_default()
        }
        _ => arguments.references.clone(),
    };
    for argument in args.into_iter().chain(references.into_iter().map(|reference| reference.shown)) {
        if let Some(path) = argument.output() {
            let finding = Diagnostic::error_without_place(
                code::USAGE,
                format!("every program of the folder would write `{}`", path.display()),
            )
            .with_help("a launch file beside each program, k.json for k.ptx, names files of its own");
            return Err(Failure::about(ExitStatus::Usage, "<command line>", finding));
        }
    }
    Ok(())
}

/// Refuses to show more elements than a buffer has.
fn check_count(view: &PrintSpec, arguments: &[Argument]) -> Result<(), Failure> {
    let Some(Argument::Buffer(bytes) | Argument::Tensor(_, bytes)) = arguments.get(view.index) else {
        return Ok(());
    };
    let there = bytes.len() / view.ty.size();
    match view.count {
        Some(count) if count > there as u64 => {
            let (index, ty) = (view.index, view.ty.name());
            let message = format!(
                "--print {index}:{ty}:{count}: the buffer of argument {index} has {} bytes, which are {there} of {ty}",
                bytes.len()
            );
            Err(usage(message))
        }
        _ => Ok(()),
    }
}

fn take(left: &mut u64, count: u64) -> Result<(), Failure> {
    *left = left.checked_sub(count).ok_or_else(|| {
        let gigabytes = MAX_BUFFER_BYTES >> 30;
        let message =
            format!("{count} bytes for a buffer: all buffers together may have at most {gigabytes} GiB");
        about(ExitStatus::Rejected, code::BUFFERS, "<command line>", message)
    })?;
    Ok(())
}

/// Asks first whether there is so much memory, for a failed allocation would end the process.
fn zeroed(count: u64) -> Result<Vec<u8>, Failure> {
    let too_large = || {
        let message = format!("a buffer of {count} bytes is larger than the memory there is");
        about(ExitStatus::Rejected, code::BUFFERS, "<command line>", message)
    };
    let count = usize::try_from(count).map_err(|_| too_large())?;
    let mut probe = Vec::<u8>::new();
    probe.try_reserve_exact(count).map_err(|_| too_large())?;
    drop(probe);
    Ok(vec![0; count])
}

fn read_launch_file(path: &Path) -> Result<LaunchFile, Failure> {
    let text = fs::read(path).map_err(|error| unreadable(path, &error.to_string()))?;
    let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    launch_file::parse(&text, &folder).map_err(|message| {
        about(ExitStatus::Rejected, code::LAUNCH_FILE, &path.display().to_string(), message)
    })
}

fn check_views(args: &[ArgumentSpec], views: &[PrintSpec]) -> Result<(), Failure> {
    for view in views {
        match args.get(view.index) {
            None => return Err(usage(format!("--print {}: there is no such argument", view.index))),
            Some(argument) if argument.buffer().is_none() => {
                return Err(usage(format!("--print {}: the argument is not a buffer", view.index)));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn given<T>(value: Option<T>, option: &str) -> Result<T, Failure> {
    value.ok_or_else(|| usage(format!("{option} is missing, on the command line and in a launch file")))
}

/// The engine of a launch file.
fn engine(name: &str) -> Result<Engine, Failure> {
    let known = |engine: &Engine| engine.to_possible_value().map(|value| value.get_name().to_owned());
    Engine::from_str(name, false).map_err(|_| {
        let all: Vec<String> = Engine::value_variants().iter().filter_map(known).collect();
        usage(format!("`{name}` is not an engine; expected {}", all.join(" or ")))
    })
}

fn shared(bytes: u64) -> Result<u32, Failure> {
    u32::try_from(bytes)
        .map_err(|_| usage(format!("--shared {bytes}: a block has less than 4 GiB of shared memory")))
}

fn threads(count: usize) -> Result<NonZeroUsize, Failure> {
    let count = NonZeroUsize::new(count)
        .ok_or_else(|| usage("--threads 0: at least one thread is needed".to_owned()))?;
    // More of them would only wait for each other.
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

fn unreadable(path: &Path, error: &str) -> Failure {
    let name = path.display().to_string();
    about(ExitStatus::Rejected, code::UNREADABLE, &name, format!("cannot read `{name}`: {error}"))
}

fn usage(message: String) -> Failure {
    about(ExitStatus::Usage, code::USAGE, "<command line>", message)
}

fn about(status: ExitStatus, code: Code, name: &str, message: String) -> Failure {
    Failure::about(status, name, Diagnostic::error_without_place(code, message))
}

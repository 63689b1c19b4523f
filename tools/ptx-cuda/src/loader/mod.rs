//! Runs programs that are compiled for a GPU with LLVM's libc: the counterpart of `llvm-gpu-loader`.
//!
//! Such a program has three kernels (`libc/startup/gpu`): `_begin` is launched with one thread, `_start` with the threads that the command line asks for,
//! whose `main` it calls, and `_end` with one. While they run, the program calls the host through memory (`channel`), which this process answers.

mod calls;
mod channel;
mod heap;
mod print;
mod streams;

use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use cuda::device_options;
use ptx_device::{Argument, Device, DeviceError, Engine, Kernel, MemoryKind, Module, Shape};

use self::calls::{Host, Next};
use self::channel::{CLIENT_BYTES, Channel, LANES, Layout, pause};
use self::heap::Heap;
use self::streams::Streams;
use crate::arguments::LoaderArguments;
use crate::error::{Error, write_stderr};

/// The most bytes that a program can allocate.
const HEAP: u64 = 1 << 30;

/// The program's data for its calls of the host.
const CLIENT: &str = "__llvm_rpc_client";

/// Runs a program, and ends the process as the program does.
///
/// # Errors
/// If it cannot be loaded, or one of its kernels is stopped.
pub fn run(arguments: &LoaderArguments) -> Result<(), Error> {
    let [image, words @ ..] = &arguments.words[..] else {
        return Err(Error { status: 2, message: "there is no image".to_owned() });
    };
    let program = Program::load(Path::new(image), arguments)?;
    program.call_constructors_later()?;
    let argv = program.list(&[std::slice::from_ref(image), words].concat())?;
    let environment = std::env::vars_os().map(|(name, value)| [name, value].join(OsStr::new("=")));
    let envp = program.list(&environment.collect::<Vec<_>>())?;
    let result = program.device.allocate(4).map_err(stopped)?;
    program.device.write(result, &[0; 4]).map_err(stopped)?;
    let argc = words.len() as u32 + 1;
    let start: Vec<Argument> = vec![argc.into(), argv.into(), envp.into(), result.into()];
    let status = |program: &Program| -> Result<u32, Error> {
        let mut status = [0; 4];
        program.device.read(result, &mut status).map_err(stopped)?;
        Ok(u32::from_le_bytes(status))
    };
    // Memory that is not used costs nothing; a device with less memory has a smaller heap.
    let heap_bytes = program.device.properties().memory_bytes.map_or(HEAP, |bytes| (bytes / 2).min(HEAP));
    let heap = program.device.allocate(heap_bytes).map_err(stopped)?;
    let mut host = Host { heap: Heap::new(heap, heap_bytes), streams: Streams::new() };
    let done = (|| {
        if let Some(ending) = program.launch("_begin", &Shape::default(), &start[..3], &mut host)? {
            return Ok(ending);
        }
        if let Some(ending) = program.launch("_start", &arguments.shape(), &start, &mut host)? {
            return Ok(ending);
        }
        let status = status(&program)?;
        // Versions of libc before 23 end the process here.
        let has_status = !program.kernel("_end")?.parameters().is_empty();
        let end: Vec<Argument> = if has_status { vec![status.into()] } else { Vec::new() };
        let ending = program.launch("_end", &Shape::default(), &end, &mut host)?;
        Ok(ending.unwrap_or(Ending::Exit(status as i32)))
    })();
    end_at_once(&done?)
}

/// How a program ended.
enum Ending {
    Exit(i32),
    Abort,
}

/// The module of a program on a device.
struct Program {
    device: Device,
    module: Module,
    /// Calls of the host, if it makes any.
    calls: Option<(u64, Layout)>,
    tells_resources: bool,
}

impl Program {
    fn load(path: &Path, arguments: &LoaderArguments) -> Result<Self, Error> {
        let mut options = device_options().map_err(Error::rejected)?;
        // A launch that both engines begin is executed twice in part, which calls of the host must not be.
        if options.engine == Engine::Automatic {
            options.engine = Engine::Interpreter;
        }
        let Some(architecture) = options.architecture else {
            return Err(Error::rejected("the device has no architecture"));
        };
        let bytes = read(path).map_err(|error| Error::with("read", path, error))?;
        let files = ptx_image::read(&bytes, architecture.number.into())
            .map_err(|error| Error::with("load", path, error))?;
        let device = Device::with(options);
        device.print_to(|text| {
            // An error of writing to standard output cannot be reported.
            let _ = std::io::stdout().lock().write_all(text);
        });
        let module = Module::link(&device, files.list).map_err(|error| Error::rejected(error.to_string()))?;
        let mut program =
            Self { device, module, calls: None, tells_resources: arguments.print_resource_usage };
        for kernel in ["_begin", "_start", "_end"] {
            program.kernel(kernel)?;
        }
        program.set_up_calls(&arguments.shape())?;
        Ok(program)
    }

    fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        self.module.kernel(name).map_err(|_| {
            Error::rejected(format!(
                "the image has no kernel {name}: it is not linked with the startup code of LLVM's libc"
            ))
        })
    }

    /// Gives the program memory through which it calls the host.
    fn set_up_calls(&mut self, shape: &Shape) -> Result<(), Error> {
        let Some(client) = self.module.variable(CLIENT) else { return Ok(()) };
        if client.bytes != CLIENT_BYTES {
            let bytes = client.bytes;
            return Err(Error::rejected(format!(
                "{CLIENT} has {bytes} bytes, not {CLIENT_BYTES}: the image is made with another version of LLVM's libc than 20 to 22"
            )));
        }
        let product = |sizes: [u32; 3]| sizes.iter().map(|&size| u64::from(size)).product::<u64>();
        let warps = product(shape.block).div_ceil(LANES as u64).saturating_mul(product(shape.grid));
        let layout = Layout::for_warps(warps);
        let address = self.device.allocate_in(MemoryKind::Host, layout.bytes()).map_err(stopped)?;
        self.device.fill(address, &[0; 8], layout.bytes() / 8).map_err(stopped)?;
        self.device.write(client.address, &layout.client(address)).map_err(stopped)?;
        self.calls = Some((address, layout));
        Ok(())
    }

    /// Makes lists of the constructors and destructors, which the program calls itself. The linker for GPUs makes no such lists: each function has a variable with
    /// its address, whose name ends in its priority.
    fn call_constructors_later(&self) -> Result<(), Error> {
        for kind in ["init", "fini"] {
            let names = ["start", "end"].map(|end| format!("__{kind}_array_{end}"));
            let ends = names.each_ref().map(|name| self.module.variable(name));
            let [Some(start), Some(end)] = ends else { continue };
            let prefix = format!("__{kind}_array_object_");
            let mut found = Vec::new();
            for name in self.module.variables().into_iter().filter(|name| name.starts_with(&prefix)) {
                let priority = name.rsplit('_').next().and_then(|digits| digits.parse::<u16>().ok());
                let Some(priority) = priority else {
                    return Err(Error::rejected(format!("{name} does not end in a priority")));
                };
                found.push((priority, name));
            }
            found.sort_by_key(|&(priority, _)| priority);
            let list = self.device.allocate(8 * found.len().max(1) as u64).map_err(stopped)?;
            for (index, variable) in
                found.iter().filter_map(|(_, name)| self.module.variable(name)).enumerate()
            {
                self.device.copy(list + 8 * index as u64, variable.address, 8).map_err(stopped)?;
            }
            let past = list + 8 * found.len() as u64;
            self.device.write(start.address, &list.to_le_bytes()).map_err(stopped)?;
            self.device.write(end.address, &past.to_le_bytes()).map_err(stopped)?;
        }
        Ok(())
    }

    /// Memory with these texts, and a list of their addresses before them, which ends with a null address.
    fn list(&self, texts: &[OsString]) -> Result<u64, Error> {
        let lengths = texts.iter().map(|text| text.len() as u64 + 1);
        let first = 8 * (texts.len() as u64 + 1);
        let list = self.device.allocate_in(MemoryKind::Host, first + lengths.clone().sum::<u64>());
        let list = list.map_err(stopped)?;
        let mut at = list + first;
        let mut bytes = Vec::new();
        for length in lengths {
            bytes.extend(at.to_le_bytes());
            at += length;
        }
        bytes.extend([0; 8]);
        for text in texts {
            bytes.extend(text.as_bytes());
            bytes.push(0);
        }
        self.device.write(list, &bytes).map_err(stopped)?;
        Ok(list)
    }

    /// Launches a kernel and answers its calls until it ends, or the program does.
    fn launch(
        &self,
        name: &str,
        shape: &Shape,
        arguments: &[Argument],
        host: &mut Host,
    ) -> Result<Option<Ending>, Error> {
        let kernel = self.kernel(name)?;
        if self.tells_resources {
            let registers = kernel.attributes().registers;
            host.streams.write(
                streams::Output::Stdout,
                format!("Executing kernel {name}:\n{name:>6} registers: {registers}\n").as_bytes(),
            );
        }
        let Some((address, layout)) = self.calls else {
            return kernel.launch(shape, arguments).map(|_| None).map_err(stopped);
        };
        let Some(words) = self.device.words(address) else {
            return Err(Error::rejected("the memory for calls of the host is gone"));
        };
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let launch = scope.spawn(|| {
                let launched = kernel.launch(shape, arguments);
                ended.store(true, Ordering::Release);
                launched
            });
            if let Some(ending) = serve(&Channel::new(words, layout, &ended), &ended, host)? {
                end_at_once(&ending);
            }
            let launched = launch.join().map_err(|_| Error::rejected("the launch ended with a panic"))?;
            launched.map(|_| None).map_err(stopped)
        })
    }
}

/// Answers calls until the kernel has ended.
fn serve(channel: &Channel, ended: &AtomicBool, host: &mut Host) -> Result<Option<Ending>, Error> {
    let (mut turns, mut start) = (0, 0);
    loop {
        // The kernel may have ended after its last call.
        let is_last = ended.load(Ordering::Acquire);
        let Some(mut port) = channel.next_call(start) else {
            if is_last {
                return Ok(None);
            }
            pause(&mut turns);
            continue;
        };
        (turns, start) = (0, port.index + 1);
        match host.answer(&mut port) {
            Ok(Next::GoOn) => {}
            Ok(Next::Exit(status)) => return Ok(Some(Ending::Exit(status))),
            Ok(Next::Abort) => return Ok(Some(Ending::Abort)),
            Ok(Next::Unknown(reason)) => {
                end_with(&reason);
            }
            // A kernel that was stopped reports the reason itself.
            Err(_) => return Ok(None),
        }
    }
}

/// Ends the process while a kernel runs, which would not end by itself.
fn end_at_once(ending: &Ending) -> ! {
    // An error of writing to standard output cannot be reported.
    let _ = std::io::stdout().flush();
    match ending {
        Ending::Exit(status) => std::process::exit(*status),
        Ending::Abort => std::process::abort(),
    }
}

fn end_with(reason: &str) -> ! {
    write_stderr(&format!("ptx-cuda: error: {reason}\n"));
    end_at_once(&Ending::Exit(1))
}

/// The bytes of a file, or of standard input for `-`.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A kernel was stopped, or the device cannot do its work.
fn stopped(error: DeviceError) -> Error {
    Error { status: 3, message: error.to_string() }
}

//! Launches of kernels that are linked into a program.

use std::sync::OnceLock;
use std::time::Duration;

use ptx_exec::engine::{Stop, System, SystemHeap};
use ptx_exec::{Dim3, Geometry, LARGEST_GRID, Limits, TrapKind};
use ptx_program::Program;

use crate::about::{About, ForShape, VERSION};
use crate::frame::WarpCode;
use crate::grid::launch;
use crate::job::{Compiled, Given};

/// A kernel of an object file.
#[derive(Debug)]
pub struct Linked {
    about: About,
    /// For each shape the program in which the runtime looks up instructions.
    programs: Vec<Program>,
}

/// The parameters of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Blocks of the grid.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
    /// Host threads that blocks are spread over; 0 for as many as the host has.
    pub threads: u32,
    /// Time limit; `None` for no limit.
    pub timeout: Option<Duration>,
}

/// Why a launch has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The object is of another version.
    Version(String),
    /// The launch does not fit the kernel.
    Refused(String),
    /// A thread was stopped.
    Stopped {
        /// The reason.
        kind: TrapKind,
        /// Description of the reason, place and thread.
        text: String,
    },
}

impl Linked {
    /// Parses the metadata of a kernel in an object file.
    ///
    /// # Errors
    /// [`Failure::Version`].
    pub fn new(text: &[u8]) -> Result<Self, Failure> {
        /// The field common to all versions.
        #[derive(serde::Deserialize)]
        struct Versioned {
            version: String,
        }
        let unreadable =
            |error| Failure::Version(format!("the object's description of the kernel is not one: {error}"));
        let Versioned { version } = serde_json::from_slice(text).map_err(unreadable)?;
        if version != VERSION {
            let text =
                format!("the object was made by version {version}, and this runtime is of version {VERSION}");
            return Err(Failure::Version(text));
        }
        let about: About = serde_json::from_slice(text).map_err(unreadable)?;
        let programs = about.shapes.iter().map(ForShape::program).collect();
        Ok(Self { about, programs })
    }

    /// Bytes of its parameter space.
    pub fn parameter_bytes(&self) -> usize {
        self.about.params as usize
    }

    /// Number of block shapes for which it has code.
    pub fn shapes(&self) -> usize {
        self.about.shapes.len()
    }

    /// Runs all blocks of a launch and waits for them; returns the output of `printf`, also if a thread was stopped.
    ///
    /// # Safety
    /// `codes` are the functions of the object, one for each shape, and `constant` is its constant memory. The kernel
    /// only accesses memory that it may access, through addresses in `params`.
    pub unsafe fn launch(
        &self,
        codes: &[WarpCode],
        constant: &[u8],
        params: &[u8],
        request: &Request,
    ) -> (Vec<u8>, Result<(), Failure>) {
        let (shape, geometry) = match self.check(request) {
            Ok(checked) => checked,
            Err(text) => return (Vec::new(), Err(Failure::Refused(text))),
        };
        let about = &self.about.shapes[shape];
        let Some((&code, program)) = codes.get(shape).zip(self.programs.get(shape)) else {
            let text = "the object has no code for the shape".to_owned();
            return (Vec::new(), Err(Failure::Refused(text)));
        };
        let limits = Limits::default();
        let system = System::new(heap(if self.about.heap { limits.heap } else { 0 }), limits.output);
        let threads = match request.threads {
            0 => std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN).get(),
            threads => threads as usize,
        };
        let given = Given {
            timeout: request.timeout,
            threads,
            system: Some(&system),
            ..Given::new(program, geometry, params, constant)
        };
        let ForShape { waits, is_patient, runs_blocks, stack, .. } = *about;
        let stack = stack as usize;
        let compiled = Compiled { code, waits, is_patient, runs_blocks, is_heavy: false, stack, sites: 0 };
        // SAFETY: by this function's contract; the program contains what the runtime looks up.
        let result = unsafe { launch(&compiled, &given) };
        let failure = |mut stop: Stop| {
            if stop.pc.is_some_and(|pc| about.calls.contains(&pc)) {
                match stop.kind {
                    TrapKind::Trap => stop.kind = TrapKind::Stack,
                    TrapKind::BranchIndex(address) => stop.kind = TrapKind::CallTarget(address),
                    _ => {}
                }
            }
            let text = self.describe(about, &geometry, &stop);
            Failure::Stopped { kind: stop.kind, text }
        };
        (system.output(), result.map_err(failure))
    }

    /// The shape index of a launch, and its geometry.
    fn check(&self, request: &Request) -> Result<(usize, Geometry), String> {
        let Request { grid, block, shared: dynamic, .. } = *request;
        let kernel = &self.about.kernel;
        let show = |[x, y, z]: Dim3| format!("{x} x {y} x {z}");
        let is_outside = |(extent, most): (&u32, &u32)| *extent == 0 || extent > most;
        if grid.iter().zip(&LARGEST_GRID).any(is_outside) {
            let (grid, most) = (show(grid), show(LARGEST_GRID));
            return Err(format!("a grid of {grid} blocks; it has at least 1 x 1 x 1 and at most {most}"));
        }
        let Some(shape) = self.about.shapes.iter().position(|shape| shape.block == block) else {
            let known: Vec<String> = self.about.shapes.iter().map(|shape| show(shape.block)).collect();
            let (block, known) = (show(block), known.join(", "));
            return Err(format!(
                "the kernel `{kernel}` was compiled for blocks of {known} threads, not of {block}; `ptx2ll --block` takes others"
            ));
        };
        let [fixed, start] = self.about.shared;
        let bytes = if dynamic == 0 { fixed.into() } else { u64::from(start) + u64::from(dynamic) };
        let limit = Limits::default().shared;
        if bytes > limit {
            return Err(format!("a block needs {bytes} bytes of shared memory of {limit} there are"));
        }
        let geometry = Geometry {
            grid,
            block,
            cluster: [1; 3],
            is_explicit_cluster: false,
            shared: bytes as u32,
            dynamic_shared: dynamic,
        };
        Ok((shape, geometry))
    }

    fn describe(&self, about: &ForShape, geometry: &Geometry, stop: &Stop) -> String {
        let About { files, kernel, .. } = &self.about;
        let place = |pc: u32| {
            let place = about.places.get(pc as usize);
            let found =
                place.and_then(|&(file, line, column)| Some((files.get(file as usize)?, line, column)));
            match found {
                Some((file, line, column)) => format!("{file}:{line}:{column}: "),
                None => String::new(),
            }
        };
        let ([bx, by, bz], [tx, ty, tz]) = (stop.block, geometry.thread(stop.warp, stop.lane));
        let kind = &stop.kind;
        let (at, thread) = match stop.pc {
            Some(pc) => (place(pc), format!(", thread ({tx}, {ty}, {tz})")),
            None => (String::new(), String::new()),
        };
        let mut text = format!("{at}{kind}; in kernel {kernel}, block ({bx}, {by}, {bz}){thread}");
        for (pc, what) in &stop.related {
            text.push_str(&format!("\n{}{what}", place(*pc)));
        }
        text
    }
}

/// The heap of the process, which is created for the first launch of a kernel that uses it; an empty one for other kernels.
fn heap(bytes: usize) -> &'static SystemHeap {
    static NONE: OnceLock<SystemHeap> = OnceLock::new();
    static HEAP: OnceLock<SystemHeap> = OnceLock::new();
    if bytes == 0 {
        return NONE.get_or_init(|| SystemHeap::new(0, 0));
    }
    HEAP.get_or_init(|| {
        // Kernels may keep addresses in it, so it is never freed.
        let memory: &'static mut [u128] = Box::leak(vec![0; bytes / size_of::<u128>()].into());
        SystemHeap::new(memory.as_mut_ptr().expose_provenance() as u64, bytes)
    })
}

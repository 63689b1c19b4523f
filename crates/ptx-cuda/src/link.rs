//! Linking. The result is a container with the files, which are linked when it is loaded as a module. They are also linked before, to report
//! errors.

use std::ffi::c_int;
use std::sync::Mutex;

use ptx_image::{Files, Kind};

use crate::context;
use crate::driver::{Driver, lock};
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, objects};
use crate::image::{self, JitOptions};
use crate::pointer::{Text, host_bytes};

objects! { Link, 11; }

/// `CUjitInputType`.
const CUBIN: c_int = 0;

const PTX: c_int = 1;

const FATBIN: c_int = 2;

const OBJECT: c_int = 3;

const LIBRARY: c_int = 4;

/// Files to be linked.
#[derive(Debug)]
pub struct Link {
    pub state: Mutex<State>,
    pub options: JitOptions,
}

#[derive(Debug, Default)]
pub struct State {
    pub files: Files,
    /// What was returned; the caller may read it until the link is destroyed.
    pub done: Option<Box<[u8]>>,
}

impl Link {
    pub fn add(&self, kind: c_int, name: &str, address: u64, size: usize) -> Answer {
        if address == 0 {
            return Err(Failure::value("the data to be linked are null"));
        }
        let gpu = context::current().map_or_else(|_| Driver::gpu(0), |context| Ok(context.gpu))?;
        let bytes = host_bytes(address, size);
        let is_archive = Kind::of(bytes) == Kind::Archive;
        let files = match kind {
            PTX | CUBIN | FATBIN => image::read(address, Some(size), gpu),
            // The functions of libcudadevrt are part of the linker; other libraries have no PTX.
            LIBRARY | OBJECT if is_archive && name.contains("cudadevrt") => Ok(Files::default()),
            LIBRARY | OBJECT => {
                Err(Failure::because(CUresult::NO_BINARY_FOR_GPU, "objects and libraries are machine code"))
            }
            6.. => Err(Failure::value(format!("there is no kind {kind} of data to be linked"))),
            _ => Err(Failure::because(CUresult::NOT_SUPPORTED, "intermediate code of NVVM")),
        };
        let mut files = match files {
            Ok(files) => files,
            Err(failure) => {
                // Default: a failure without a reason is its result.
                self.options.tell(&failure.reason.clone().unwrap_or_else(|| failure.result.name()), "")?;
                return Err(failure);
            }
        };
        let mut state = lock(&self.state);
        if state.done.is_some() {
            return Err(Failure::because(CUresult::INVALID_VALUE, "the link is complete"));
        }
        if let [(file, _)] = &mut files.list[..]
            && !name.is_empty()
        {
            *file = name.to_owned();
        }
        state.files.list.append(&mut files.list);
        state.files.registers = state.files.registers.or(self.options.registers);
        Ok(())
    }
}

pub fn add(link: Handle<Link>, kind: c_int, data: u64, size: usize, name: Text) -> Answer {
    // Default: data without a name are named after their kind.
    link.get()?.add(kind, &name.optional().unwrap_or_default(), data, size)
}

//! Linking. What it returns is a container with the files, which are linked when it is loaded as a module; they are linked once before, for
//! the errors.

use std::ffi::{c_int, c_uint};
use std::sync::{Arc, Mutex};

use crate::context;
use crate::driver::{Driver, lock};
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, Object, objects};
use crate::image::{self, Files, JitOptions};
use crate::pointer::{In, Out, Text, host_bytes};

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
    state: Mutex<State>,
    options: JitOptions,
}

#[derive(Debug, Default)]
struct State {
    files: Files,
    /// What was returned; the caller may read it until the link is destroyed.
    done: Option<Box<[u8]>>,
}

impl Link {
    fn add(&self, kind: c_int, name: &str, address: u64, size: usize) -> Answer {
        if address == 0 {
            return Err(Failure::value("the data to be linked are null"));
        }
        let gpu = context::current().map_or_else(|_| Driver::gpu(0), |context| Ok(context.gpu))?;
        let bytes = host_bytes(address, size);
        let is_archive = bytes.starts_with(b"!<arch>\n");
        let files = match kind {
            PTX | CUBIN | FATBIN => image::read(address, Some(size), gpu),
            // The functions of libcudadevrt are part of the linker; no other library is of PTX.
            LIBRARY | OBJECT if is_archive && name.contains("cudadevrt") => Ok(Vec::new()),
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
        if let [(file, _)] = &mut files[..]
            && !name.is_empty()
        {
            *file = name.to_owned();
        }
        state.files.append(&mut files);
        Ok(())
    }
}

fn add(link: Handle<Link>, kind: c_int, data: u64, size: usize, name: Text) -> Answer {
    // Default: data without a name get one by what they are.
    link.get()?.add(kind, &name.optional().unwrap_or_default(), data, size)
}

fn add_file(link: Handle<Link>, kind: c_int, path: Text) -> Answer {
    let link = link.get()?;
    let path = String::from_utf8_lossy(path.bytes()?).into_owned();
    let failed =
        |error: std::io::Error| Failure::because(CUresult::FILE_NOT_FOUND, format!("{path}: {error}"));
    let mut bytes = std::fs::read(&path).map_err(failed)?;
    let size = bytes.len();
    bytes.extend([0; 64]);
    link.add(kind, &path, bytes.as_ptr() as u64, size)
}

fn create(count: c_uint, options: In<c_uint>, values: Out<usize>, link: Out<Handle<Link>>) -> Answer {
    context::current()?;
    link.require()?;
    let options = JitOptions::read(count, options, values)?;
    link.set(Link::table().insert(Arc::new(Link { state: Mutex::default(), options }))?)
}

entries! {
    fn cuLinkCreate(count: c_uint, options: In<c_uint>, values: Out<usize>, link: Out<Handle<Link>>) {
        create(count, options, values, link)
    }

    fn cuLinkCreate_v2(count: c_uint, options: In<c_uint>, values: Out<usize>, link: Out<Handle<Link>>) {
        create(count, options, values, link)
    }

    fn cuLinkAddData(link: Handle<Link>, kind: c_int, data: u64, size: usize, name: Text, _count: c_uint, _options: In<c_uint>, _values: In<u64>) {
        add(link, kind, data, size, name)
    }

    fn cuLinkAddData_v2(link: Handle<Link>, kind: c_int, data: u64, size: usize, name: Text, _count: c_uint, _options: In<c_uint>, _values: In<u64>) {
        add(link, kind, data, size, name)
    }

    fn cuLinkAddFile(link: Handle<Link>, kind: c_int, path: Text, _count: c_uint, _options: In<c_uint>, _values: In<u64>) {
        add_file(link, kind, path)
    }

    fn cuLinkAddFile_v2(link: Handle<Link>, kind: c_int, path: Text, _count: c_uint, _options: In<c_uint>, _values: In<u64>) {
        add_file(link, kind, path)
    }

    fn cuLinkComplete(link: Handle<Link>, image: Out<*const u8>, size: Out<usize>) {
        let gpu = context::current()?.gpu;
        let link = link.get()?;
        image.require()?;
        let mut state = lock(&link.state);
        if state.done.is_none() {
            if state.files.is_empty() {
                return Err(Failure::because(CUresult::INVALID_IMAGE, "there is nothing to link"));
            }
            image::load(gpu, &state.files, &link.options)?;
            state.done = Some(image::pack(&state.files).into());
        }
        let done = state.done.as_ref().ok_or(CUresult::UNKNOWN)?;
        size.set_if_wanted(done.len());
        image.set(done.as_ptr())
    }

    fn cuLinkDestroy(link: Handle<Link>) {
        link.remove().map(drop)
    }
}

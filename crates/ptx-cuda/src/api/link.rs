//! Linking. The result is a container with the files, which are linked when it is loaded as a module. They are also linked before, to report
//! errors.

use std::ffi::{c_int, c_uint};
use std::sync::{Arc, Mutex};

use ptx_image::container;

use crate::context;
use crate::driver::lock;
use crate::entry::entries;
use crate::error::{Answer, CUresult, Failure};
use crate::handle::{Handle, Object};
use crate::image::{self, JitOptions};
use crate::link::{Link, add};
use crate::pointer::{In, Out, Text};

fn add_file(link: Handle<Link>, kind: c_int, path: Text) -> Answer {
    let link = link.get()?;
    let path = String::from_utf8_lossy(path.bytes()?).into_owned();
    let failed =
        |error: std::io::Error| Failure::because(CUresult::FILE_NOT_FOUND, format!("{path}: {error}"));
    let bytes = std::fs::read(&path).map_err(failed)?;
    link.add(kind, &path, bytes.as_ptr() as u64, bytes.len())
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
            if state.files.list.is_empty() {
                return Err(Failure::because(CUresult::INVALID_IMAGE, "there is nothing to link"));
            }
            image::load(gpu, &state.files, &link.options)?;
            state.done = Some(container::pack(&state.files).into());
        }
        let done = state.done.as_ref().ok_or(CUresult::UNKNOWN)?;
        size.set_if_wanted(done.len());
        image.set(done.as_ptr())
    }

    fn cuLinkDestroy(link: Handle<Link>) {
        link.remove().map(drop)
    }
}

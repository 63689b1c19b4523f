//! The functions that programs call. `nvJitLink.h` lets a program call the functions of its own version, such as `__nvJitLinkCreate_13_0`, or, without
//! inline functions, those without a version, which are also those that Python programs look up.

use std::ffi::c_uint;

use crate::link::{self, Failure, Link, NvJitLinkResult, lock};
use crate::options::Options;
use crate::pointers::{self, In, Out, Text};

/// What `nvJitLinkVersion` reports, unless `PTX_NVJITLINK_VERSION` selects another version. From 12.3 on programs expect that intermediate code of NVVM is
/// linked, and compile to it instead of PTX: Numba does so whenever it can. For 12.2 they take PTX.
const VERSION: (c_uint, c_uint) = (12, 2);

/// The version that is reported.
fn version() -> Result<(c_uint, c_uint), Failure> {
    let Some(chosen) = std::env::var_os("PTX_NVJITLINK_VERSION").filter(|chosen| !chosen.is_empty()) else {
        return Ok(VERSION);
    };
    let parsed = chosen.to_str().and_then(|text| {
        let (major, minor) = text.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    let wrong =
        || Failure::new(NvJitLinkResult::INTERNAL, "PTX_NVJITLINK_VERSION is not a version, as in 13.5");
    parsed.ok_or_else(wrong)
}

type Answer = Result<(), Failure>;

/// Runs the body of a function without a link. The reason of a failure is dropped, since it is kept in the log of a link.
fn without_link(body: impl FnOnce() -> Answer) -> NvJitLinkResult {
    match ptx_cabi::try_call(body) {
        Ok(()) => NvJitLinkResult::SUCCESS,
        Err(failure) => failure.result,
    }
}

/// Runs the body of a function with a link, whose log gets the reason of a failure.
fn with(handle: u64, body: impl FnOnce(&mut Link) -> Answer) -> NvJitLinkResult {
    without_link(|| {
        let unknown = || Failure::new(NvJitLinkResult::INVALID_INPUT, "there is no such handle");
        let link = link::get(handle).ok_or_else(unknown)?;
        let mut link = lock(&link);
        body(&mut link).inspect_err(|failure| link.keep(failure))
    })
}

fn create(handle: Out<u64>, count: c_uint, options: In<Text>) -> NvJitLinkResult {
    without_link(|| {
        handle.require()?;
        let options = pointers::texts(options, count)?;
        let read = Options::read(options.iter().map(String::as_str))?;
        handle.set(link::insert(Link::new(read)))
    })
}

fn destroy(handle: Out<u64>) -> NvJitLinkResult {
    without_link(|| {
        let unknown = || Failure::new(NvJitLinkResult::INVALID_INPUT, "there is no such handle");
        link::remove(handle.get()?).map(drop).ok_or_else(unknown)?;
        // As with NVIDIA's, the handle is null afterwards.
        handle.set(0)
    })
}

fn add_data(handle: u64, kind: c_uint, data: In<u8>, size: usize, name: Text) -> NvJitLinkResult {
    // Default: data without a name are named after their kind.
    with(handle, |link| link.add(kind, &name.optional().unwrap_or_default(), &pointers::bytes(data, size)?))
}

fn add_file(handle: u64, kind: c_uint, name: Text) -> NvJitLinkResult {
    with(handle, |link| {
        let path = pointers::path(name)?;
        let shown = path.display().to_string();
        let failed =
            |error| Failure::new(NvJitLinkResult::INVALID_INPUT, format!("cannot read {shown}: {error}"));
        let bytes = std::fs::read(&path).map_err(failed)?;
        link.add(kind, &shown, &bytes)
    })
}

fn complete(handle: u64) -> NvJitLinkResult {
    with(handle, Link::complete)
}

fn image_size(handle: u64, size: Out<usize>) -> NvJitLinkResult {
    with(handle, |link| size.set(link.image()?.len()))
}

fn image(handle: u64, to: Out<u8>) -> NvJitLinkResult {
    with(handle, |link| to.set_all(link.image()?.iter().copied()))
}

fn ptx_size(handle: u64, size: Out<usize>) -> NvJitLinkResult {
    with(handle, |link| size.set(link.ptx()?.len()))
}

fn ptx(handle: u64, to: Out<u8>) -> NvJitLinkResult {
    with(handle, |link| to.set_all(link.ptx()?.iter().copied()))
}

fn no_intermediate_code<T>(handle: u64, _to: Out<T>) -> NvJitLinkResult {
    with(handle, |_| {
        let text = "intermediate code of NVVM (LTO-IR) is not made";
        Err(Failure::new(NvJitLinkResult::INCOMPATIBLE_OPTIONS, text))
    })
}

fn log_size(handle: u64, size: Out<usize>, errors: bool) -> NvJitLinkResult {
    with(handle, |link| size.set(link.log(errors).len()))
}

fn log(handle: u64, to: Out<u8>, errors: bool) -> NvJitLinkResult {
    with(handle, |link| to.set_all(link.log(errors)))
}

#[unsafe(no_mangle)]
extern "C" fn nvJitLinkVersion(major: Out<c_uint>, minor: Out<c_uint>) -> NvJitLinkResult {
    without_link(|| {
        let version = version()?;
        major.require()?;
        minor.set(version.1)?;
        major.set(version.0)
    })
}

/// One name of a function.
macro_rules! export {
    ($symbol:expr, ($($arg:ident: $ty:ty),*) $body:block) => {
        const _: () = {
            #[unsafe(export_name = $symbol)]
            extern "C" fn exported($($arg: $ty),*) -> NvJitLinkResult $body
        };
    };
}

/// All names of functions: without a version, and with that of each release.
macro_rules! exports {
    ($(fn $name:ident $args:tt $body:block)*) => {
        $(
            export!(concat!("nvJitLink", stringify!($name)), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_0"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_1"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_2"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_3"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_4"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_5"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_6"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_7"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_8"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_12_9"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_13_0"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_13_1"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_13_2"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_13_3"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_13_4"), $args $body);
            export!(concat!("__nvJitLink", stringify!($name), "_13_5"), $args $body);
        )*
    };
}

exports! {
    fn Create(handle: Out<u64>, count: c_uint, options: In<Text>) { create(handle, count, options) }
    fn Destroy(handle: Out<u64>) { destroy(handle) }
    fn AddData(handle: u64, kind: c_uint, data: In<u8>, size: usize, name: Text) {
        add_data(handle, kind, data, size, name)
    }
    fn AddFile(handle: u64, kind: c_uint, name: Text) { add_file(handle, kind, name) }
    fn Complete(handle: u64) { complete(handle) }
    fn GetLinkedCubinSize(handle: u64, size: Out<usize>) { image_size(handle, size) }
    fn GetLinkedCubin(handle: u64, to: Out<u8>) { image(handle, to) }
    fn GetLinkedPtxSize(handle: u64, size: Out<usize>) { ptx_size(handle, size) }
    fn GetLinkedPtx(handle: u64, to: Out<u8>) { ptx(handle, to) }
    fn GetLinkedLTOIRSize(handle: u64, size: Out<usize>) { no_intermediate_code(handle, size) }
    fn GetLinkedLTOIR(handle: u64, to: Out<u8>) { no_intermediate_code(handle, to) }
    fn GetErrorLogSize(handle: u64, size: Out<usize>) { log_size(handle, size, true) }
    fn GetErrorLog(handle: u64, to: Out<u8>) { log(handle, to, true) }
    fn GetInfoLogSize(handle: u64, size: Out<usize>) { log_size(handle, size, false) }
    fn GetInfoLog(handle: u64, to: Out<u8>) { log(handle, to, false) }
}

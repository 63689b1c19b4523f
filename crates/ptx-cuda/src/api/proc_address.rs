//! Version, initialization and the addresses of functions.

use std::ffi::{c_int, c_uint, c_void};

use crate::driver::Driver;
use crate::entry::unchecked_entries;
use crate::error::{CUresult, Failure};
use crate::pointer::{In, Out, Text};
use crate::proc_address::{Found, VERSION, get};

unchecked_entries! {
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(Failure::value("the flags of cuInit are 0"));
        }
        Driver::start()
    }

    fn cuDriverGetVersion(version: Out<c_int>) {
        version.set(VERSION as c_int)
    }

    fn cuGetProcAddress(symbol: Text, function: Out<*const c_void>, version: c_int, flags: u64) {
        match get(symbol, function, version, flags)? {
            Found::Yes => Ok(()),
            Found::No | Found::TooOld => Err(CUresult::NOT_FOUND.into()),
        }
    }

    fn cuGetProcAddress_v2(symbol: Text, function: Out<*const c_void>, version: c_int, flags: u64, status: Out<c_int>) {
        let found = get(symbol, function, version, flags)?;
        status.set_if_wanted(found as c_int);
        // Without a pointer to a status, a name that is not found is an error.
        if found == Found::Yes || !status.is_null() { Ok(()) } else { Err(CUresult::NOT_FOUND.into()) }
    }

    // The tables of functions that NVIDIA's own libraries ask for are not part of CUDA's documented interface.
    fn cuGetExportTable(table: Out<*const c_void>, id: In<[u8; 16]>) {
        let id = id.get()?;
        table.set(std::ptr::null())?;
        let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        Err(Failure::because(CUresult::NOT_FOUND, format!("there is no table {digits}")))
    }
}

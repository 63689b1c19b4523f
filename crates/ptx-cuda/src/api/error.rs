//! Results of the driver, with their names and texts.

use crate::entry::unchecked_entries;
use crate::error::CUresult;
use crate::pointer::Out;

unchecked_entries! {
    fn cuGetErrorName(error: CUresult, name: Out<*const libc::c_char>) {
        let found = error.find();
        name.set(found.as_ref().map_or(std::ptr::null(), |(_, name, _)| name.as_ptr()))?;
        found.map(drop)
    }

    fn cuGetErrorString(error: CUresult, text: Out<*const libc::c_char>) {
        let found = error.find();
        text.set(found.as_ref().map_or(std::ptr::null(), |(_, _, text)| text.as_ptr()))?;
        found.map(drop)
    }
}

//! Events.

use std::ffi::c_uint;

use crate::functions::{
    cuEventCreate, cuEventDestroy_v2, cuEventElapsedTime_v2, cuEventQuery, cuEventRecordWithFlags,
    cuEventSynchronize, cuStreamWaitEvent,
};
use crate::pointer::Out;
use crate::types::Handle;
use crate::{entries, stream_entries};

entries! {
    fn cudaEventCreate(event: Out<Handle>) {
        cuEventCreate(event, 0)
    }

    fn cudaEventCreateWithFlags(event: Out<Handle>, flags: c_uint) {
        cuEventCreate(event, flags)
    }

    fn cudaEventDestroy(event: Handle) {
        cuEventDestroy_v2(event)
    }

    fn cudaEventQuery(event: Handle) {
        cuEventQuery(event)
    }

    fn cudaEventSynchronize(event: Handle) {
        cuEventSynchronize(event)
    }

    fn cudaEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle) {
        cuEventElapsedTime_v2(milliseconds, start, end)
    }

    fn cudaEventElapsedTime_v2(milliseconds: Out<f32>, start: Handle, end: Handle) {
        cuEventElapsedTime_v2(milliseconds, start, end)
    }
}

stream_entries! {
    fn cudaEventRecord / cudaEventRecord_ptsz |null| (event: Handle, stream: Handle) {
        cuEventRecordWithFlags(event, null.stream(stream), 0)
    }

    fn cudaEventRecordWithFlags / cudaEventRecordWithFlags_ptsz |null| (event: Handle, stream: Handle, flags: c_uint) {
        cuEventRecordWithFlags(event, null.stream(stream), flags)
    }

    fn cudaStreamWaitEvent / cudaStreamWaitEvent_ptsz |null| (stream: Handle, event: Handle, flags: c_uint) {
        cuStreamWaitEvent(null.stream(stream), event, flags)
    }
}

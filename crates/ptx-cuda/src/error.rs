//! Results of the driver, with their names and texts.

use std::ffi::CStr;

use ptx_cabi::ArgumentError;
use ptx_device::DeviceError;

/// A result of a function of the driver, `CUresult`.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CUresult(pub u32);

/// What a function returns instead of success, and why, for the log.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The result.
    pub result: CUresult,
    /// The reason, where the result code alone does not tell it.
    pub reason: Option<String>,
}

/// The result of the body of a function.
pub type Answer<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure with a reason.
    pub fn because(result: CUresult, reason: impl Into<String>) -> Self {
        Self { result, reason: Some(reason.into()) }
    }

    /// An invalid argument.
    pub fn value(reason: impl Into<String>) -> Self {
        Self::because(CUresult::INVALID_VALUE, reason)
    }
}

impl ptx_cabi::Failure for Failure {
    fn internal() -> Self {
        Self::because(CUresult::UNKNOWN, "internal error")
    }

    fn line(&self) -> Option<String> {
        let is_error = self.result != CUresult::NOT_READY;
        is_error.then(|| ptx_cabi::line(&self.result.name(), self.reason.as_deref()))
    }
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        let result = match error {
            ArgumentError::Null(_) | ArgumentError::TooLong => CUresult::INVALID_VALUE,
            ArgumentError::NotUtf8 => CUresult::NOT_FOUND,
        };
        Self::because(result, error.to_string())
    }
}

impl From<CUresult> for Failure {
    fn from(result: CUresult) -> Self {
        Self { result, reason: None }
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        let result = CUresult(error.kind().cuda_result());
        Self::because(result, error.to_string())
    }
}

macro_rules! results {
    ($($number:literal $name:ident $symbol:literal $text:literal;)*) => {
        impl CUresult {
            $(pub const $name: CUresult = CUresult($number);)*
        }

        /// Each result with its name in `cuda.h` and its text.
        pub const RESULTS: &[(CUresult, &CStr, &CStr)] = &[$((CUresult($number), $symbol, $text)),*];
    };
}

results! {
    0 SUCCESS c"CUDA_SUCCESS" c"no error";
    1 INVALID_VALUE c"CUDA_ERROR_INVALID_VALUE" c"invalid argument";
    2 OUT_OF_MEMORY c"CUDA_ERROR_OUT_OF_MEMORY" c"out of memory";
    3 NOT_INITIALIZED c"CUDA_ERROR_NOT_INITIALIZED" c"initialization error";
    4 DEINITIALIZED c"CUDA_ERROR_DEINITIALIZED" c"driver shutting down";
    5 PROFILER_DISABLED c"CUDA_ERROR_PROFILER_DISABLED" c"profiler disabled while using external profiling tool";
    6 PROFILER_NOT_INITIALIZED c"CUDA_ERROR_PROFILER_NOT_INITIALIZED" c"profiler not initialized: call cudaProfilerInitialize()";
    7 PROFILER_ALREADY_STARTED c"CUDA_ERROR_PROFILER_ALREADY_STARTED" c"profiler already started";
    8 PROFILER_ALREADY_STOPPED c"CUDA_ERROR_PROFILER_ALREADY_STOPPED" c"profiler already stopped";
    34 STUB_LIBRARY c"CUDA_ERROR_STUB_LIBRARY" c"CUDA driver is a stub library";
    36 CALL_REQUIRES_NEWER_DRIVER c"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER" c"API call requires a newer CUDA driver";
    46 DEVICE_UNAVAILABLE c"CUDA_ERROR_DEVICE_UNAVAILABLE" c"CUDA-capable device(s) is/are busy or unavailable";
    47 MULTICAST_RESOURCE_FULL c"CUDA_ERROR_MULTICAST_RESOURCE_FULL" c"multicast resources are full";
    100 NO_DEVICE c"CUDA_ERROR_NO_DEVICE" c"no CUDA-capable device is detected";
    101 INVALID_DEVICE c"CUDA_ERROR_INVALID_DEVICE" c"invalid device ordinal";
    102 DEVICE_NOT_LICENSED c"CUDA_ERROR_DEVICE_NOT_LICENSED" c"device is not licensed";
    200 INVALID_IMAGE c"CUDA_ERROR_INVALID_IMAGE" c"device kernel image is invalid";
    201 INVALID_CONTEXT c"CUDA_ERROR_INVALID_CONTEXT" c"invalid device context";
    202 CONTEXT_ALREADY_CURRENT c"CUDA_ERROR_CONTEXT_ALREADY_CURRENT" c"context already current";
    205 MAP_FAILED c"CUDA_ERROR_MAP_FAILED" c"mapping of buffer object failed";
    206 UNMAP_FAILED c"CUDA_ERROR_UNMAP_FAILED" c"unmapping of buffer object failed";
    207 ARRAY_IS_MAPPED c"CUDA_ERROR_ARRAY_IS_MAPPED" c"array is mapped";
    208 ALREADY_MAPPED c"CUDA_ERROR_ALREADY_MAPPED" c"resource already mapped";
    209 NO_BINARY_FOR_GPU c"CUDA_ERROR_NO_BINARY_FOR_GPU" c"no kernel image is available for execution on the device";
    210 ALREADY_ACQUIRED c"CUDA_ERROR_ALREADY_ACQUIRED" c"resource already acquired";
    211 NOT_MAPPED c"CUDA_ERROR_NOT_MAPPED" c"resource not mapped";
    212 NOT_MAPPED_AS_ARRAY c"CUDA_ERROR_NOT_MAPPED_AS_ARRAY" c"resource not mapped as array";
    213 NOT_MAPPED_AS_POINTER c"CUDA_ERROR_NOT_MAPPED_AS_POINTER" c"resource not mapped as pointer";
    214 ECC_UNCORRECTABLE c"CUDA_ERROR_ECC_UNCORRECTABLE" c"uncorrectable ECC error encountered";
    215 UNSUPPORTED_LIMIT c"CUDA_ERROR_UNSUPPORTED_LIMIT" c"limit is not supported on this architecture";
    216 CONTEXT_ALREADY_IN_USE c"CUDA_ERROR_CONTEXT_ALREADY_IN_USE" c"exclusive-thread device already in use by a different thread";
    217 PEER_ACCESS_UNSUPPORTED c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" c"peer access is not supported between these two devices";
    218 INVALID_PTX c"CUDA_ERROR_INVALID_PTX" c"a PTX JIT compilation failed";
    219 INVALID_GRAPHICS_CONTEXT c"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT" c"invalid OpenGL or DirectX context";
    220 NVLINK_UNCORRECTABLE c"CUDA_ERROR_NVLINK_UNCORRECTABLE" c"uncorrectable NVLink error detected during the execution";
    221 JIT_COMPILER_NOT_FOUND c"CUDA_ERROR_JIT_COMPILER_NOT_FOUND" c"PTX JIT compiler library not found";
    222 UNSUPPORTED_PTX_VERSION c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION" c"the provided PTX was compiled with an unsupported toolchain.";
    223 JIT_COMPILATION_DISABLED c"CUDA_ERROR_JIT_COMPILATION_DISABLED" c"PTX JIT compilation was disabled";
    224 UNSUPPORTED_EXEC_AFFINITY c"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY" c"the provided execution affinity is not supported";
    225 UNSUPPORTED_DEVSIDE_SYNC c"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC" c"the provided PTX contains unsupported call to cudaDeviceSynchronize";
    226 CONTAINED c"CUDA_ERROR_CONTAINED" c"the error was contained";
    227 INSUFFICIENT_LOADER_VERSION c"CUDA_ERROR_INSUFFICIENT_LOADER_VERSION" c"the loader is too old for this image";
    300 INVALID_SOURCE c"CUDA_ERROR_INVALID_SOURCE" c"device kernel image is invalid";
    301 FILE_NOT_FOUND c"CUDA_ERROR_FILE_NOT_FOUND" c"file not found";
    302 SHARED_OBJECT_SYMBOL_NOT_FOUND c"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND" c"shared object symbol not found";
    303 SHARED_OBJECT_INIT_FAILED c"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED" c"shared object initialization failed";
    304 OPERATING_SYSTEM c"CUDA_ERROR_OPERATING_SYSTEM" c"OS call failed or operation not supported on this OS";
    400 INVALID_HANDLE c"CUDA_ERROR_INVALID_HANDLE" c"invalid resource handle";
    401 ILLEGAL_STATE c"CUDA_ERROR_ILLEGAL_STATE" c"the operation cannot be performed in the present state";
    402 LOSSY_QUERY c"CUDA_ERROR_LOSSY_QUERY" c"attempted introspection would be semantically lossy";
    500 NOT_FOUND c"CUDA_ERROR_NOT_FOUND" c"named symbol not found";
    600 NOT_READY c"CUDA_ERROR_NOT_READY" c"device not ready";
    700 ILLEGAL_ADDRESS c"CUDA_ERROR_ILLEGAL_ADDRESS" c"an illegal memory access was encountered";
    701 LAUNCH_OUT_OF_RESOURCES c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" c"too many resources requested for launch";
    702 LAUNCH_TIMEOUT c"CUDA_ERROR_LAUNCH_TIMEOUT" c"the launch timed out and was terminated";
    703 LAUNCH_INCOMPATIBLE_TEXTURING c"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING" c"launch uses incompatible texturing mode";
    704 PEER_ACCESS_ALREADY_ENABLED c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED" c"peer access is already enabled";
    705 PEER_ACCESS_NOT_ENABLED c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED" c"peer access has not been enabled";
    708 PRIMARY_CONTEXT_ACTIVE c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" c"cannot set while device is active in this process";
    709 CONTEXT_IS_DESTROYED c"CUDA_ERROR_CONTEXT_IS_DESTROYED" c"context is destroyed";
    710 ASSERT c"CUDA_ERROR_ASSERT" c"device-side assert triggered";
    711 TOO_MANY_PEERS c"CUDA_ERROR_TOO_MANY_PEERS" c"peer mapping resources exhausted";
    712 HOST_MEMORY_ALREADY_REGISTERED c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" c"part or all of the requested memory range is already mapped";
    713 HOST_MEMORY_NOT_REGISTERED c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" c"pointer does not correspond to a registered memory region";
    714 HARDWARE_STACK_ERROR c"CUDA_ERROR_HARDWARE_STACK_ERROR" c"hardware stack error";
    715 ILLEGAL_INSTRUCTION c"CUDA_ERROR_ILLEGAL_INSTRUCTION" c"an illegal instruction was encountered";
    716 MISALIGNED_ADDRESS c"CUDA_ERROR_MISALIGNED_ADDRESS" c"misaligned address";
    717 INVALID_ADDRESS_SPACE c"CUDA_ERROR_INVALID_ADDRESS_SPACE" c"operation not supported on global/shared address space";
    718 INVALID_PC c"CUDA_ERROR_INVALID_PC" c"invalid program counter";
    719 LAUNCH_FAILED c"CUDA_ERROR_LAUNCH_FAILED" c"unspecified launch failure";
    720 COOPERATIVE_LAUNCH_TOO_LARGE c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" c"too many blocks in cooperative launch";
    721 TENSOR_MEMORY_LEAK c"CUDA_ERROR_TENSOR_MEMORY_LEAK" c"tensor memory was not freed";
    800 NOT_PERMITTED c"CUDA_ERROR_NOT_PERMITTED" c"operation not permitted";
    801 NOT_SUPPORTED c"CUDA_ERROR_NOT_SUPPORTED" c"operation not supported";
    802 SYSTEM_NOT_READY c"CUDA_ERROR_SYSTEM_NOT_READY" c"system not yet initialized";
    803 SYSTEM_DRIVER_MISMATCH c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" c"system has unsupported display driver / cuda driver combination";
    804 COMPAT_NOT_SUPPORTED_ON_DEVICE c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE" c"forward compatibility was attempted on non supported HW";
    805 MPS_CONNECTION_FAILED c"CUDA_ERROR_MPS_CONNECTION_FAILED" c"MPS client failed to connect to the MPS control daemon or the MPS server";
    806 MPS_RPC_FAILURE c"CUDA_ERROR_MPS_RPC_FAILURE" c"MPS server failed to make remote procedure call";
    807 MPS_SERVER_NOT_READY c"CUDA_ERROR_MPS_SERVER_NOT_READY" c"MPS server is not ready to accept new MPS client requests";
    808 MPS_MAX_CLIENTS_REACHED c"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED" c"MPS server reached the maximum number of clients";
    809 MPS_MAX_CONNECTIONS_REACHED c"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED" c"MPS server reached the maximum number of connections";
    810 MPS_CLIENT_TERMINATED c"CUDA_ERROR_MPS_CLIENT_TERMINATED" c"MPS client has been terminated";
    811 CDP_NOT_SUPPORTED c"CUDA_ERROR_CDP_NOT_SUPPORTED" c"CUDA dynamic parallelism is not supported";
    812 CDP_VERSION_MISMATCH c"CUDA_ERROR_CDP_VERSION_MISMATCH" c"CUDA dynamic parallelism versions do not match";
    900 STREAM_CAPTURE_UNSUPPORTED c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" c"operation not permitted when stream is capturing";
    901 STREAM_CAPTURE_INVALIDATED c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" c"operation failed due to a previous error during capture";
    902 STREAM_CAPTURE_MERGE c"CUDA_ERROR_STREAM_CAPTURE_MERGE" c"operation would result in a merge of separate capture sequences";
    903 STREAM_CAPTURE_UNMATCHED c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED" c"capture was not ended in the same stream as it began";
    904 STREAM_CAPTURE_UNJOINED c"CUDA_ERROR_STREAM_CAPTURE_UNJOINED" c"capturing stream has unjoined work";
    905 STREAM_CAPTURE_ISOLATION c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION" c"dependency created on uncaptured work in another stream";
    906 STREAM_CAPTURE_IMPLICIT c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT" c"operation would make the legacy stream depend on a capturing blocking stream";
    907 CAPTURED_EVENT c"CUDA_ERROR_CAPTURED_EVENT" c"operation not permitted on an event last recorded in a capturing stream";
    908 STREAM_CAPTURE_WRONG_THREAD c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD" c"attempt to terminate a thread-local capture sequence from another thread";
    909 TIMEOUT c"CUDA_ERROR_TIMEOUT" c"wait operation timed out";
    910 GRAPH_EXEC_UPDATE_FAILURE c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE" c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    911 EXTERNAL_DEVICE c"CUDA_ERROR_EXTERNAL_DEVICE" c"an asynchronous error has occurred in an external entity outside of CUDA";
    912 INVALID_CLUSTER_SIZE c"CUDA_ERROR_INVALID_CLUSTER_SIZE" c"a kernel launch error has occurred due to cluster misconfiguration";
    913 FUNCTION_NOT_LOADED c"CUDA_ERROR_FUNCTION_NOT_LOADED" c"the function handle is not loaded when calling a function that requires a loaded function";
    914 INVALID_RESOURCE_TYPE c"CUDA_ERROR_INVALID_RESOURCE_TYPE" c"the operation is invalid for this type of resource";
    915 INVALID_RESOURCE_CONFIGURATION c"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION" c"the configuration of resources is insufficient or invalid";
    916 KEY_ROTATION c"CUDA_ERROR_KEY_ROTATION" c"an asynchronous error occurred in a key rotation sequence";
    917 STREAM_DETACHED c"CUDA_ERROR_STREAM_DETACHED" c"the stream is detached";
    918 GRAPH_RECAPTURE_FAILURE c"CUDA_ERROR_GRAPH_RECAPTURE_FAILURE" c"the graph could not be captured again";
    919 FABRIC_NOT_READY c"CUDA_ERROR_FABRIC_NOT_READY" c"the fabric is not ready";
    999 UNKNOWN c"CUDA_ERROR_UNKNOWN" c"unknown error";
}

impl CUresult {
    pub fn find(self) -> Answer<&'static (CUresult, &'static CStr, &'static CStr)> {
        Ok(RESULTS.iter().find(|(result, ..)| *result == self).ok_or(CUresult::INVALID_VALUE)?)
    }

    /// Its name in `cuda.h`, for the log.
    pub fn name(self) -> String {
        self.find().map_or_else(|_| self.0.to_string(), |(_, name, _)| name.to_string_lossy().into_owned())
    }
}

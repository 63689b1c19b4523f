//! Results of the runtime, with their names and texts.

use std::cell::Cell;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

use ptx_cabi::ArgumentError;

/// A result of a function of the runtime, `cudaError_t`. Those of the driver have the same numbers.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error(pub u32);

/// What a function returns instead of success, and why, for the log.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The result.
    pub error: Error,
    /// The reason, where the result code alone does not tell it.
    pub reason: Option<String>,
}

/// The result of the body of a function.
pub type Answer<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure with a reason.
    pub fn because(error: Error, reason: impl Into<String>) -> Self {
        Self { error, reason: Some(reason.into()) }
    }

    /// An invalid argument.
    pub fn value(reason: impl Into<String>) -> Self {
        Self::because(Error::INVALID_VALUE, reason)
    }
}

impl ptx_cabi::Failure for Failure {
    fn internal() -> Self {
        Self::because(Error::UNKNOWN, "internal error")
    }

    fn line(&self) -> Option<String> {
        let is_error = self.error != Error::NOT_READY;
        is_error.then(|| ptx_cabi::line(&self.error.name(), self.reason.as_deref()))
    }
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        Self::value(error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, reason: None }
    }
}

impl Error {
    pub const SUCCESS: Error = Error(0);
    pub const INVALID_VALUE: Error = Error(1);
    pub const INVALID_CONFIGURATION: Error = Error(9);
    pub const INVALID_PITCH: Error = Error(12);
    pub const INVALID_SYMBOL: Error = Error(13);
    pub const INVALID_CHANNEL_DESCRIPTOR: Error = Error(20);
    pub const INVALID_COPY_DIRECTION: Error = Error(21);
    pub const INSUFFICIENT_DRIVER: Error = Error(35);
    pub const CALL_REQUIRES_NEWER_DRIVER: Error = Error(36);
    pub const MISSING_CONFIGURATION: Error = Error(52);
    pub const INVALID_DEVICE_FUNCTION: Error = Error(98);
    pub const NO_DEVICE: Error = Error(100);
    pub const INVALID_DEVICE: Error = Error(101);
    pub const INVALID_KERNEL_IMAGE: Error = Error(200);
    pub const NO_KERNEL_IMAGE: Error = Error(209);
    pub const INVALID_HANDLE: Error = Error(400);
    pub const SYMBOL_NOT_FOUND: Error = Error(500);
    pub const NOT_READY: Error = Error(600);
    pub const CONTEXT_IS_DESTROYED: Error = Error(709);
    pub const NOT_SUPPORTED: Error = Error(801);
    pub const UNKNOWN: Error = Error(999);

    /// Its name and text.
    pub fn find(self) -> Option<(&'static CStr, &'static CStr)> {
        ERRORS.iter().find(|(number, ..)| *number == self.0).map(|&(_, name, text)| (name, text))
    }

    /// Whether it is sticky: all later calls return it until the device is reset.
    pub fn is_sticky(self) -> bool {
        matches!(self.0, 214 | 220 | 226 | 700 | 702 | 710 | 714..=719 | 721 | 911)
    }

    /// Its name in the header, for the log.
    pub fn name(self) -> String {
        self.find().map_or_else(|| self.0.to_string(), |(name, _)| name.to_string_lossy().into_owned())
    }
}

thread_local! {
    /// The last error of a call of the thread, and the number of resets of devices at that time.
    static LAST: Cell<(Error, u64)> = const { Cell::new((Error::SUCCESS, 0)) };
}

/// The number of resets of devices: a sticky error from before the last one is dropped in all threads.
static RESETS: AtomicU64 = AtomicU64::new(0);

fn resets() -> u64 {
    RESETS.load(Ordering::Acquire)
}

/// Remembers the result of a call that failed.
pub fn remember(error: Error) {
    // An operation that has not ended yet is no error.
    if error != Error::NOT_READY && !last().is_sticky() {
        LAST.set((error, resets()));
    }
}

/// The last error of the thread.
pub fn last() -> Error {
    let (error, since) = LAST.get();
    if error.is_sticky() && since != resets() { Error::SUCCESS } else { error }
}

/// The last error of the thread, which is forgotten unless it stays until the device is reset.
pub fn take_last() -> Error {
    let last = last();
    if !last.is_sticky() {
        LAST.set((Error::SUCCESS, 0));
    }
    last
}

/// Forgets the last error of the thread, and errors that stay until a device is reset.
pub fn forget() {
    LAST.set((Error::SUCCESS, 0));
    RESETS.fetch_add(1, Ordering::AcqRel);
}

/// Each result with its name in `driver_types.h` and the text that `cudaGetErrorString` returns.
pub const ERRORS: &[(u32, &CStr, &CStr)] = &[
    (0, c"cudaSuccess", c"no error"),
    (1, c"cudaErrorInvalidValue", c"invalid argument"),
    (2, c"cudaErrorMemoryAllocation", c"out of memory"),
    (3, c"cudaErrorInitializationError", c"initialization error"),
    (4, c"cudaErrorCudartUnloading", c"driver shutting down"),
    (5, c"cudaErrorProfilerDisabled", c"profiler disabled while using external profiling tool"),
    (6, c"cudaErrorProfilerNotInitialized", c"profiler not initialized: call cudaProfilerInitialize()"),
    (7, c"cudaErrorProfilerAlreadyStarted", c"profiler already started"),
    (8, c"cudaErrorProfilerAlreadyStopped", c"profiler already stopped"),
    (9, c"cudaErrorInvalidConfiguration", c"invalid configuration argument"),
    (10, c"cudaErrorVersionTranslation", c"Driver is newer than runtime and returned parameters the runtime cannot process"),
    (12, c"cudaErrorInvalidPitchValue", c"invalid pitch argument"),
    (13, c"cudaErrorInvalidSymbol", c"invalid device symbol"),
    (16, c"cudaErrorInvalidHostPointer", c"invalid host pointer"),
    (17, c"cudaErrorInvalidDevicePointer", c"invalid device pointer"),
    (18, c"cudaErrorInvalidTexture", c"invalid texture reference"),
    (19, c"cudaErrorInvalidTextureBinding", c"texture is not bound to a pointer"),
    (20, c"cudaErrorInvalidChannelDescriptor", c"invalid channel descriptor"),
    (21, c"cudaErrorInvalidMemcpyDirection", c"invalid copy direction for memcpy"),
    (22, c"cudaErrorAddressOfConstant", c"invalid address of constant"),
    (23, c"cudaErrorTextureFetchFailed", c"fetch from texture failed"),
    (24, c"cudaErrorTextureNotBound", c"cannot fetch from a texture that is not bound"),
    (25, c"cudaErrorSynchronizationError", c"incorrect use of __syncthreads()"),
    (26, c"cudaErrorInvalidFilterSetting", c"linear filtering not supported for non-float type"),
    (27, c"cudaErrorInvalidNormSetting", c"read as normalized float not supported for data type"),
    (28, c"cudaErrorMixedDeviceExecution", c"device emulation mode and device execution mode cannot be mixed"),
    (31, c"cudaErrorNotYetImplemented", c"feature not yet implemented"),
    (32, c"cudaErrorMemoryValueTooLarge", c"memory size or pointer value too large to fit in 32 bit"),
    (34, c"cudaErrorStubLibrary", c"CUDA driver is a stub library"),
    (35, c"cudaErrorInsufficientDriver", c"CUDA driver version is insufficient for CUDA runtime version"),
    (36, c"cudaErrorCallRequiresNewerDriver", c"API call is not supported in the installed CUDA driver"),
    (37, c"cudaErrorInvalidSurface", c"invalid surface reference"),
    (43, c"cudaErrorDuplicateVariableName", c"duplicate global variable looked up by string name"),
    (44, c"cudaErrorDuplicateTextureName", c"duplicate texture looked up by string name"),
    (45, c"cudaErrorDuplicateSurfaceName", c"duplicate surface looked up by string name"),
    (46, c"cudaErrorDevicesUnavailable", c"CUDA-capable device(s) is/are busy or unavailable"),
    (49, c"cudaErrorIncompatibleDriverContext", c"incompatible driver context"),
    (52, c"cudaErrorMissingConfiguration", c"__global__ function call is not configured"),
    (53, c"cudaErrorPriorLaunchFailure", c"unspecified launch failure in prior launch"),
    (65, c"cudaErrorLaunchMaxDepthExceeded", c"launch would exceed maximum depth of nested launches"),
    (66, c"cudaErrorLaunchFileScopedTex", c"launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)"),
    (67, c"cudaErrorLaunchFileScopedSurf", c"launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)"),
    (68, c"cudaErrorSyncDepthExceeded", c"cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"),
    (69, c"cudaErrorLaunchPendingCountExceeded", c"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    (98, c"cudaErrorInvalidDeviceFunction", c"invalid device function"),
    (100, c"cudaErrorNoDevice", c"no CUDA-capable device is detected"),
    (101, c"cudaErrorInvalidDevice", c"invalid device ordinal"),
    (102, c"cudaErrorDeviceNotLicensed", c"device doesn't have valid Grid license"),
    (103, c"cudaErrorSoftwareValidityNotEstablished", c"integrity checks failed"),
    (127, c"cudaErrorStartupFailure", c"startup failure in cuda runtime"),
    (200, c"cudaErrorInvalidKernelImage", c"device kernel image is invalid"),
    (201, c"cudaErrorDeviceUninitialized", c"invalid device context"),
    (205, c"cudaErrorMapBufferObjectFailed", c"mapping of buffer object failed"),
    (206, c"cudaErrorUnmapBufferObjectFailed", c"unmapping of buffer object failed"),
    (207, c"cudaErrorArrayIsMapped", c"array is mapped"),
    (208, c"cudaErrorAlreadyMapped", c"resource already mapped"),
    (209, c"cudaErrorNoKernelImageForDevice", c"no kernel image is available for execution on the device"),
    (210, c"cudaErrorAlreadyAcquired", c"resource already acquired"),
    (211, c"cudaErrorNotMapped", c"resource not mapped"),
    (212, c"cudaErrorNotMappedAsArray", c"resource not mapped as array"),
    (213, c"cudaErrorNotMappedAsPointer", c"resource not mapped as pointer"),
    (214, c"cudaErrorECCUncorrectable", c"uncorrectable ECC error encountered"),
    (215, c"cudaErrorUnsupportedLimit", c"limit is not supported on this architecture"),
    (216, c"cudaErrorDeviceAlreadyInUse", c"exclusive-thread device already in use by a different thread"),
    (217, c"cudaErrorPeerAccessUnsupported", c"peer access is not supported between these two devices"),
    (218, c"cudaErrorInvalidPtx", c"a PTX JIT compilation failed"),
    (219, c"cudaErrorInvalidGraphicsContext", c"invalid OpenGL or DirectX context"),
    (220, c"cudaErrorNvlinkUncorrectable", c"uncorrectable NVLink error detected during the execution"),
    (221, c"cudaErrorJitCompilerNotFound", c"PTX JIT compiler library not found"),
    (222, c"cudaErrorUnsupportedPtxVersion", c"the provided PTX was compiled with an unsupported toolchain."),
    (223, c"cudaErrorJitCompilationDisabled", c"PTX JIT compilation was disabled"),
    (224, c"cudaErrorUnsupportedExecAffinity", c"the provided execution affinity is not supported"),
    (225, c"cudaErrorUnsupportedDevSideSync", c"the provided PTX contains unsupported call to cudaDeviceSynchronize"),
    (226, c"cudaErrorContained", c"Invalid access of peer GPU memory over nvlink or a hardware error"),
    (227, c"cudaErrorInsufficientLoaderVersion", c"Loader version is insufficient for fatbin"),
    (300, c"cudaErrorInvalidSource", c"device kernel image is invalid"),
    (301, c"cudaErrorFileNotFound", c"file not found"),
    (302, c"cudaErrorSharedObjectSymbolNotFound", c"shared object symbol not found"),
    (303, c"cudaErrorSharedObjectInitFailed", c"shared object initialization failed"),
    (304, c"cudaErrorOperatingSystem", c"OS call failed or operation not supported on this OS"),
    (400, c"cudaErrorInvalidResourceHandle", c"invalid resource handle"),
    (401, c"cudaErrorIllegalState", c"the operation cannot be performed in the present state"),
    (402, c"cudaErrorLossyQuery", c"attempted introspection would be semantically lossy"),
    (500, c"cudaErrorSymbolNotFound", c"named symbol not found"),
    (600, c"cudaErrorNotReady", c"device not ready"),
    (700, c"cudaErrorIllegalAddress", c"an illegal memory access was encountered"),
    (701, c"cudaErrorLaunchOutOfResources", c"too many resources requested for launch"),
    (702, c"cudaErrorLaunchTimeout", c"the launch timed out and was terminated"),
    (703, c"cudaErrorLaunchIncompatibleTexturing", c"launch uses incompatible texturing mode"),
    (704, c"cudaErrorPeerAccessAlreadyEnabled", c"peer access is already enabled"),
    (705, c"cudaErrorPeerAccessNotEnabled", c"peer access has not been enabled"),
    (708, c"cudaErrorSetOnActiveProcess", c"cannot set while device is active in this process"),
    (709, c"cudaErrorContextIsDestroyed", c"context is destroyed"),
    (710, c"cudaErrorAssert", c"device-side assert triggered"),
    (711, c"cudaErrorTooManyPeers", c"peer mapping resources exhausted"),
    (712, c"cudaErrorHostMemoryAlreadyRegistered", c"part or all of the requested memory range is already mapped"),
    (713, c"cudaErrorHostMemoryNotRegistered", c"pointer does not correspond to a registered memory region"),
    (714, c"cudaErrorHardwareStackError", c"hardware stack error"),
    (715, c"cudaErrorIllegalInstruction", c"an illegal instruction was encountered"),
    (716, c"cudaErrorMisalignedAddress", c"misaligned address"),
    (717, c"cudaErrorInvalidAddressSpace", c"operation not supported on global/shared address space"),
    (718, c"cudaErrorInvalidPc", c"invalid program counter"),
    (719, c"cudaErrorLaunchFailure", c"unspecified launch failure"),
    (720, c"cudaErrorCooperativeLaunchTooLarge", c"too many blocks in cooperative launch"),
    (721, c"cudaErrorTensorMemoryLeak", c"tensor memory not completely freed"),
    (800, c"cudaErrorNotPermitted", c"operation not permitted"),
    (801, c"cudaErrorNotSupported", c"operation not supported"),
    (802, c"cudaErrorSystemNotReady", c"system not yet initialized"),
    (803, c"cudaErrorSystemDriverMismatch", c"system has unsupported display driver / cuda driver combination"),
    (804, c"cudaErrorCompatNotSupportedOnDevice", c"forward compatibility was attempted on non supported HW"),
    (805, c"cudaErrorMpsConnectionFailed", c"MPS client failed to connect to the MPS control daemon or the MPS server"),
    (806, c"cudaErrorMpsRpcFailure", c"the remote procedural call between the MPS server and the MPS client failed"),
    (807, c"cudaErrorMpsServerNotReady", c"MPS server is not ready to accept new MPS client requests"),
    (808, c"cudaErrorMpsMaxClientsReached", c"the hardware resources required to create MPS client have been exhausted"),
    (809, c"cudaErrorMpsMaxConnectionsReached", c"the hardware resources required to support device connections have been exhausted"),
    (810, c"cudaErrorMpsClientTerminated", c"the MPS client has been terminated by the server"),
    (811, c"cudaErrorCdpNotSupported", c"is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it"),
    (812, c"cudaErrorCdpVersionMismatch", c"unsupported interaction between different versions of CUDA Dynamic Parallelism"),
    (900, c"cudaErrorStreamCaptureUnsupported", c"operation not permitted when stream is capturing"),
    (901, c"cudaErrorStreamCaptureInvalidated", c"operation failed due to a previous error during capture"),
    (902, c"cudaErrorStreamCaptureMerge", c"operation would result in a merge of separate capture sequences"),
    (903, c"cudaErrorStreamCaptureUnmatched", c"capture was not ended in the same stream as it began"),
    (904, c"cudaErrorStreamCaptureUnjoined", c"capturing stream has unjoined work"),
    (905, c"cudaErrorStreamCaptureIsolation", c"dependency created on uncaptured work in another stream"),
    (906, c"cudaErrorStreamCaptureImplicit", c"operation would make the legacy stream depend on a capturing blocking stream"),
    (907, c"cudaErrorCapturedEvent", c"operation not permitted on an event last recorded in a capturing stream"),
    (908, c"cudaErrorStreamCaptureWrongThread", c"attempt to terminate a thread-local capture sequence from another thread"),
    (909, c"cudaErrorTimeout", c"wait operation timed out"),
    (910, c"cudaErrorGraphExecUpdateFailure", c"the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"),
    (911, c"cudaErrorExternalDevice", c"an async error has occured in external entity outside of CUDA"),
    (912, c"cudaErrorInvalidClusterSize", c"a kernel launch error has occurred due to cluster misconfiguration"),
    (913, c"cudaErrorFunctionNotLoaded", c"the function handle is not loaded when calling an API that requires a loaded function"),
    (914, c"cudaErrorInvalidResourceType", c"one or more resources passed in are not valid resource types for the operation"),
    (915, c"cudaErrorInvalidResourceConfiguration", c"one or more resources are insufficient or non-applicable for the operation"),
    (917, c"cudaErrorStreamDetached", c"API call not permitted since the green context associated with the stream has been destroyed"),
    (918, c"cudaErrorGraphRecaptureFailure", c"recapturing to the source graph failed and had to be terminated"),
    (919, c"cudaErrorFabricNotReady", c"GPU fabric is not ready within the probe wait budget; application may retry (see CUDA_FABRIC_INIT_TIMEOUT_MS)"),
    (999, c"cudaErrorUnknown", c"unknown error"),
    (10000, c"cudaErrorApiFailureBase", c"api failure base"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_kernels_stay_until_a_reset() {
        remember(Error::INVALID_DEVICE);
        remember(Error::NOT_READY);
        assert_eq!((take_last(), take_last()), (Error::INVALID_DEVICE, Error::SUCCESS));
        let illegal_address = Error(700);
        remember(illegal_address);
        remember(Error::INVALID_VALUE);
        assert_eq!((take_last(), take_last()), (illegal_address, illegal_address));
        std::thread::spawn(forget).join().unwrap();
        assert_eq!(take_last(), Error::SUCCESS);
        remember(Error::INVALID_VALUE);
        assert_eq!(last(), Error::INVALID_VALUE);
        forget();
        assert_eq!(last(), Error::SUCCESS);
    }
}

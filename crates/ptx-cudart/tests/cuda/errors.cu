// Errors: of launches, of arguments, which one is the last, and those that stay until the device is reset.

#include <cstring>

#include "expect.h"

__global__ void store(int *to, int index) { to[index + threadIdx.x] = 1; }

__global__ void __launch_bounds__(64) small(int *to) { *to = 1; }

__global__ void halt() { __trap(); }

int main() {
    EXPECT(cudaGetLastError() == cudaSuccess && cudaPeekAtLastError() == cudaSuccess);
    EXPECT(!std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
    EXPECT(!std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    EXPECT(!std::strcmp(cudaGetErrorName(cudaError_t(12345)), "unrecognized error code"));

    int *memory;
    OK(cudaMalloc(&memory, 64 * sizeof(int)));
    EXPECT(cudaMalloc(&memory, size_t(1) << 40) == cudaErrorMemoryAllocation);
    // The last error is the last one that was returned, and is returned once.
    EXPECT(cudaSetDevice(99) == cudaErrorInvalidDevice);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice && cudaPeekAtLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);

    // Launches of no or too many threads, with too much memory, and for which there is no kernel.
    store<<<1, 2048>>>(memory, 0);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    store<<<0, 1>>>(memory, 0);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    store<<<dim3(1, 70000), 1>>>(memory, 0);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    store<<<1, 1, 1 << 20>>>(memory, 0);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    small<<<1, 128>>>(memory);
    EXPECT(cudaGetLastError() != cudaSuccess);
    void *arguments[] = {&memory};
    EXPECT_RESULT(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)&memory, 1, 1, arguments, 0, 0));
    EXPECT_RESULT(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)nullptr, 1, 1, arguments, 0, 0));

    // Arguments.
    char bytes[16];
    EXPECT_RESULT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(bytes, bytes, 4, cudaMemcpyKind(9)));
    EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy(bytes, bytes, 4, cudaMemcpyHostToDevice));
    EXPECT_RESULT(cudaErrorInvalidPitchValue, cudaMemcpy2D(bytes, 2, memory, 8, 4, 2, cudaMemcpyDeviceToHost));
    EXPECT_RESULT(cudaErrorInvalidValue, cudaMalloc((int **)nullptr, 4));
    EXPECT_RESULT(cudaErrorInvalidValue, cudaFree(memory + 1));
    EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(cudaStream_t(0x1234)));
    EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventRecord(cudaEvent_t(nullptr)));
    cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t array;
    EXPECT_RESULT(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &three, 8, 8));

    // What has not happened yet is no error.
    cudaEvent_t event;
    cudaStream_t stream;
    OK(cudaEventCreate(&event));
    OK(cudaStreamCreate(&stream));
    OK(cudaLaunchHostFunc(stream, [](void *) { for (volatile int i = 0; i < 30000000; i = i + 1) {} }, nullptr));
    OK(cudaEventRecord(event, stream));
    EXPECT(cudaEventQuery(event) == cudaErrorNotReady);
    EXPECT(cudaGetLastError() == cudaSuccess);
    OK(cudaStreamSynchronize(stream));

    // An access out of bounds: the launch succeeds, and all calls fail after it.
    store<<<1, 32>>>(memory, 60);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress && cudaGetLastError() == cudaErrorIllegalAddress);
    int *more;
    EXPECT(cudaMalloc(&more, 4) == cudaErrorIllegalAddress);
    store<<<1, 1>>>(memory, 0);
    EXPECT(cudaPeekAtLastError() == cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    EXPECT(cudaGetLastError() == cudaSuccess);
    OK(cudaMalloc(&memory, 64));
    store<<<1, 16>>>(memory, 0);
    OK(cudaDeviceSynchronize());

    halt<<<1, 1>>>();
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    OK(cudaDeviceReset());
    return passed();
}

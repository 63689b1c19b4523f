// The runtime and the driver in one program: contexts, streams, memory and functions are the same.

#include <cuda.h>

#include <cstring>

#include "expect.h"

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

__global__ void add(int *items, int amount) { items[threadIdx.x] += amount; }

static const char other[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 items)
{
    .reg .b64 %a<3>;
    .reg .b32 %r<4>;
    ld.param.u64 %a0, [items];
    mov.u32 %r0, %tid.x;
    mad.wide.u32 %a1, %r0, 4, %a0;
    ld.global.u32 %r1, [%a1];
    ld.global.u32 %r2, [factor];
    mul.lo.u32 %r1, %r1, %r2;
    st.global.u32 [%a1], %r1;
    ret;
})";

int main() {
    // A context of the driver's is used where it is current.
    CUdevice device;
    CUcontext own, current, primary;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 1));
    DRIVER(cuCtxCreate(&own, nullptr, 0, device));
    int number = -1;
    OK(cudaGetDevice(&number));
    EXPECT(number == 1);
    int *items, host[32] = {};
    OK(cudaMalloc(&items, sizeof(host)));
    OK(cudaMemset(items, 0, sizeof(host)));
    add<<<1, 32>>>(items, 2);
    DRIVER(cuMemcpyDtoH(host, (CUdeviceptr)items, sizeof(host)));
    EXPECT(host[31] == 2);
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == own);

    // The runtime makes the primary context current.
    OK(cudaSetDevice(0));
    DRIVER(cuCtxGetCurrent(&current));
    DRIVER(cuDevicePrimaryCtxRetain(&primary, 0));
    EXPECT(current == primary);
    DRIVER(cuMemAlloc((CUdeviceptr *)&items, sizeof(host)));
    OK(cudaMemset(items, 0, sizeof(host)));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    add<<<1, 32, 0, stream>>>(items, 5);
    cudaFunction_t function;
    OK(cudaGetFuncBySymbol(&function, (const void *)add));
    int amount = 1;
    void *arguments[] = {&items, &amount};
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr));
    DRIVER(cuStreamSynchronize(stream));

    // A library that the program loads.
    cudaLibrary_t library;
    cudaKernel_t kernel;
    OK(cudaLibraryLoadData(&library, other, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "scale"));
    EXPECT_RESULT(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "none"));
    OK(cudaLaunchKernel((const void *)kernel, 1, 32, arguments, 0, 0));
    OK(cudaMemcpy(host, items, sizeof(host), cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 18 && host[31] == 18);
    int *factor;
    size_t bytes;
    OK(cudaLibraryGetGlobal((void **)&factor, &bytes, library, "factor"));
    EXPECT(bytes == 4);
    OK(cudaLibraryUnload(library));

    // Functions of the driver, by name.
    void *address = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &address, 12000, cudaEnableDefault, &found));
    EXPECT(address == (void *)cuMemAlloc && found == cudaDriverEntryPointSuccess);
    cudaGetDriverEntryPointByVersion("cuNone", &address, 12000, cudaEnableDefault, &found);
    EXPECT(address == nullptr && found == cudaDriverEntryPointSymbolNotFound);
    cudaGetLastError();

    // What is not supported says so.
    cudaIpcMemHandle_t shared;
    EXPECT_RESULT(cudaErrorNotSupported, cudaIpcGetMemHandle(&shared, items));
    DRIVER(cuDevicePrimaryCtxRelease(0));
    DRIVER(cuCtxDestroy(own));
    return passed();
}

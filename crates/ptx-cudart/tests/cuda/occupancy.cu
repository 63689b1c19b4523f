// Dynamic shared memory, attributes of kernels, occupancy, and kernels by their handles.

#include <cstring>
#include <vector>

#include "expect.h"

__global__ void reverse(int *items, int count) {
    extern __shared__ int shared[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) shared[i] = items[i];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) items[i] = shared[count - 1 - i];
}

__global__ void __launch_bounds__(256, 2) with_static(float *out, int shift) {
    __shared__ float rows[32][33];
    rows[threadIdx.x % 32][threadIdx.x / 32] = float(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = rows[(threadIdx.x + shift) % 32][threadIdx.x / 32];
}

int main() {
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, with_static));
    EXPECT(attributes.sharedSizeBytes == 32 * 33 * sizeof(float) && attributes.maxThreadsPerBlock == 256);
    EXPECT(attributes.ptxVersion == 90 && attributes.binaryVersion == 90 && attributes.numRegs > 0);
    OK(cudaFuncGetAttributes(&attributes, reverse));
    EXPECT(attributes.sharedSizeBytes == 0 && attributes.maxDynamicSharedSizeBytes == 48 << 10);

    const int count = 20000;
    std::vector<int> host(count);
    for (int i = 0; i < count; i++) host[i] = i;
    int *items;
    OK(cudaMalloc(&items, count * sizeof(int)));
    OK(cudaMemcpy(items, host.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    // More than a kernel has unless it asks for it.
    reverse<<<1, 256, count * sizeof(int)>>>(items, count);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    int most = 0;
    OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(most >= int(count * sizeof(int)));
    EXPECT_RESULT(cudaErrorInvalidValue, cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1));
    OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, count * sizeof(int)));
    OK(cudaFuncSetAttribute(reverse, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    OK(cudaFuncSetCacheConfig(reverse, cudaFuncCachePreferShared));
    reverse<<<1, 256, count * sizeof(int)>>>(items, count);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host.data(), items, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) EXPECT(host[i] == count - 1 - i);
    OK(cudaFuncGetAttributes(&attributes, reverse));
    EXPECT(attributes.maxDynamicSharedSizeBytes == int(count * sizeof(int)));

    int blocks = 0, fewer = 0, grid = 0, block = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 128, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, reverse, 128, 60000));
    EXPECT(blocks > fewer && fewer == 3);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, with_static, 0, 0));
    EXPECT(block == 256 && grid > 0);
    size_t bytes = 0;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, reverse, 2, 128));
    EXPECT(bytes > 60000 && bytes < 128 << 10);

    // By the kernel's handle, its name, and its parameters.
    cudaKernel_t kernel;
    OK(cudaGetKernel(&kernel, with_static));
    float *out, values[256];
    OK(cudaMalloc(&out, sizeof(values)));
    int shift = 3;
    void *arguments[] = {&out, &shift};
    OK(cudaLaunchKernel((const void *)kernel, 1, 256, arguments, 0, 0));
    OK(cudaMemcpy(values, out, sizeof(values), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++) EXPECT(values[i] == float(i / 32 * 32 + (i % 32 + 3) % 32));
    const char *name;
    OK(cudaFuncGetName(&name, (const void *)with_static));
    EXPECT(std::strstr(name, "with_static"));
    size_t offset, size;
    OK(cudaFuncGetParamInfo((const void *)with_static, 1, &offset, &size));
    EXPECT(offset == 8 && size == 4);
    EXPECT_RESULT(cudaErrorInvalidValue, cudaFuncGetParamInfo((const void *)with_static, 2, &offset, &size));
    return passed();
}

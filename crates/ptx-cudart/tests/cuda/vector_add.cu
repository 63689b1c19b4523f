// Addition of vectors: allocation, copies, a launch, versions, and what is known of the device and of pointers.

#include <cstring>
#include <vector>

#include "expect.h"

__global__ void add(const float *a, const float *b, float *sum, int count) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) sum[index] = a[index] + b[index];
}

__global__ void nothing() {}

int main() {
    int version = 0, devices = 0, device = -1;
    OK(cudaRuntimeGetVersion(&version));
    EXPECT(version == CUDART_VERSION);
    OK(cudaDriverGetVersion(&version));
    EXPECT(version >= 13000);
    OK(cudaGetDeviceCount(&devices));
    EXPECT(devices == 2);
    OK(cudaGetDevice(&device));
    EXPECT(device == 0);

    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
    EXPECT(properties.major == 9 && properties.minor == 0 && properties.clusterLaunch == 1);
    EXPECT(properties.totalGlobalMem == size_t(1) << 30 && properties.sharedMemPerBlock == 48 << 10);
    EXPECT(properties.maxGridSize[0] == 2147483647 && properties.maxGridSize[2] == 65535);
    EXPECT(std::strlen(properties.name) > 0 && properties.unifiedAddressing == 1);
    int value = 0;
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == properties.multiProcessorCount);

    const int count = 10000;
    std::vector<float> a(count), b(count), sum(count);
    for (int i = 0; i < count; i++) a[i] = float(i), b[i] = 0.5f * float(i);
    float *da, *db, *dsum;
    OK(cudaMalloc(&da, count * sizeof(float)));
    OK(cudaMalloc(&db, count * sizeof(float)));
    OK(cudaMalloc(&dsum, count * sizeof(float)));
    OK(cudaMemcpy(da, a.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(db, b.data(), count * sizeof(float), cudaMemcpyDefault));
    OK(cudaMemset(dsum, 0xff, count * sizeof(float)));
    add<<<(count + 255) / 256, 256>>>(da, db, dsum, count);
    OK(cudaGetLastError());
    nothing<<<3, 5>>>();
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(sum.data(), dsum, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) EXPECT(sum[i] == 1.5f * float(i));

    // The same by the address of the kernel.
    int half = count / 2;
    void *arguments[] = {&db, &db, &dsum, &half};
    OK(cudaLaunchKernel((const void *)add, dim3(40), dim3(128), arguments, 0, 0));
    OK(cudaMemcpy(sum.data(), dsum, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) EXPECT(sum[i] == (i < half ? 1.0f : 1.5f) * float(i));

    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, da + 7));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0 && attributes.devicePointer == da + 7);
    OK(cudaPointerGetAttributes(&attributes, a.data()));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered && attributes.hostPointer == a.data());
    float *pinned;
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaPointerGetAttributes(&attributes, pinned));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned && attributes.devicePointer == pinned);
    OK(cudaFreeHost(pinned));

    size_t available, total;
    OK(cudaMemGetInfo(&available, &total));
    EXPECT(available <= total - 3 * count * sizeof(float));
    OK(cudaFree(da));
    OK(cudaFree(db));
    OK(cudaFree(dsum));
    OK(cudaFree(nullptr));

    // Another device has memory and binaries of its own.
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&da, 256));
    OK(cudaMemset(da, 0, 256));
    add<<<1, 64>>>(da, da, da, 64);
    OK(cudaDeviceSynchronize());
    OK(cudaPointerGetAttributes(&attributes, da));
    EXPECT(attributes.device == 1);
    OK(cudaGetDevice(&device));
    EXPECT(device == 1);
    OK(cudaDeviceReset());
    EXPECT_RESULT(cudaErrorInvalidValue, cudaFree(da));
    OK(cudaMalloc(&da, 256));
    add<<<1, 64>>>(da, da, da, 64);
    OK(cudaDeviceSynchronize());
    return passed();
}

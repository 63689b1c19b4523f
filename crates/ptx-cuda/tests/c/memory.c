/* Kinds of memory, copies of two and three dimensions, fills, pools and virtual memory. */

#include <unistd.h>

#include "expect.h"

static CUfunction scale;

/* Applies `scale` with a factor of 2 to words. */
static void twice(CUdeviceptr at, uint32_t n)
{
    uint32_t factor = 2;
    void *arguments[] = { &at, &factor, &n };
    OK(cuLaunchKernel(scale, (n + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    OK(cuCtxSynchronize());
}

static void host(void)
{
    uint32_t *pinned, own[64];
    CUdeviceptr address, managed;
    unsigned flags;
    int is_managed, ordinal;
    CUmemorytype type;
    OK(cuMemHostAlloc((void **)&pinned, 256, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&address, pinned, 0));
    OK(cuMemHostGetFlags(&flags, pinned));
    EXPECT(flags & CU_MEMHOSTALLOC_DEVICEMAP);
    for (uint32_t i = 0; i < 64; i++)
        pinned[i] = own[i] = i + 1;
    twice(address, 64);
    for (uint32_t i = 0; i < 64; i++)
        EXPECT(pinned[i] == 2 * (i + 1) + i);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address + 8));
    EXPECT(type == CU_MEMORYTYPE_HOST);
    GIVES(cuMemHostRegister(pinned, 64, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuMemFreeHost(pinned));

    OK(cuMemHostRegister(own, sizeof own, 0));
    OK(cuMemHostGetDevicePointer(&address, own, 0));
    twice(address, 64);
    OK(cuMemHostUnregister(own));
    EXPECT(own[5] == 2 * 6 + 5);
    GIVES(cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    GIVES(cuMemHostRegister((void *)(uintptr_t)0x1000, 4096, 0), CUDA_ERROR_INVALID_VALUE);

    OK(cuMemAllocManaged(&managed, 256, CU_MEM_ATTACH_GLOBAL));
    memset((void *)managed, 0, 256);
    twice(managed, 64);
    EXPECT(((uint32_t *)managed)[63] == 63);
    OK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    EXPECT(is_managed & 1);
    OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, managed));
    EXPECT(ordinal == 0);
    CUmemLocation location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 };
    OK(cuMemPrefetchAsync(managed, 256, location, 0, NULL));
    OK(cuMemAdvise(managed, 256, CU_MEM_ADVISE_SET_READ_MOSTLY, location));
    GIVES(cuMemAdvise(managed, 512, CU_MEM_ADVISE_SET_READ_MOSTLY, location), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(managed));
    GIVES(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)own), CUDA_ERROR_INVALID_VALUE);
}

/* Element (x, y, z) of a box of W x H x D bytes is x + 10 y + 100 z. */
static void boxes(void)
{
    enum { W = 7, H = 5, D = 2 };
    uint8_t from[D][H][W], to[D][H][W], row[W];
    CUdeviceptr memory;
    size_t pitch;
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                from[z][y][x] = x + 10 * y + 100 * z;
    OK(cuMemAllocPitch(&memory, &pitch, W, H * D, 4));
    EXPECT(pitch >= W && pitch % 512 == 0);
    OK(cuMemsetD8(memory, 0xee, pitch * H * D));
    CUDA_MEMCPY3D in = {
        .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from, .srcPitch = W, .srcHeight = H,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = memory, .dstPitch = pitch, .dstHeight = H,
        .WidthInBytes = W, .Height = H, .Depth = D,
    };
    OK(cuMemcpy3D(&in));
    /* A part of it, back to another place. */
    memset(to, 0, sizeof to);
    CUDA_MEMCPY3D out = {
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = memory, .srcPitch = pitch, .srcHeight = H,
        .srcXInBytes = 2, .srcY = 1, .srcZ = 0,
        .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, .dstPitch = W, .dstHeight = H, .dstXInBytes = 1, .dstY = 2,
        .WidthInBytes = 4, .Height = 3, .Depth = D,
    };
    OK(cuMemcpy3D(&out));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                int is_in = x >= 1 && x < 5 && y >= 2 && y < 5;
                EXPECT(to[z][y][x] == (is_in ? (x + 1) + 10 * (y - 1) + 100 * z : 0));
            }
    CUDA_MEMCPY2D line = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = memory, .srcPitch = pitch, .srcY = 3,
        .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = row, .WidthInBytes = W, .Height = 1,
    };
    OK(cuMemcpy2D(&line));
    EXPECT(row[0] == 30 && row[W - 1] == 36);
    line.srcY = 2 * H * D;
    GIVES(cuMemcpy2D(&line), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemsetD2D16(memory, pitch, 0x1234, 3, 2));
    OK(cuMemcpyDtoH(row, memory + pitch, W));
    EXPECT(row[0] == 0x34 && row[5] == 0x12 && row[6] == 16);
    GIVES(cuMemsetD2D32(memory + 1, pitch, 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemsetD8(memory, 0, pitch * H * D + 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(memory));
}

static void pools(void)
{
    CUmemoryPool pool, standard, found;
    CUdeviceptr memory, other;
    CUstream stream;
    cuuint64_t used;
    uint32_t words[64];
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
    };
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuDeviceGetDefaultMemPool(&standard, 0));
    OK(cuMemPoolCreate(&pool, &properties));
    OK(cuDeviceSetMemPool(0, pool));
    OK(cuDeviceGetMemPool(&found, 0));
    EXPECT(found == pool);
    memory = 1;
    OK(cuMemAllocAsync(&memory, 0, stream));
    EXPECT(memory == 0);
    OK(cuMemFreeAsync(memory, stream));
    OK(cuMemAllocAsync(&memory, 256, stream));
    OK(cuMemAllocFromPoolAsync(&other, 1000, standard, stream));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT(used == 256);
    OK(cuMemsetD32Async(memory, 9, 64, stream));
    OK(cuMemcpyDtoHAsync(words, memory, 256, stream));
    OK(cuMemFreeAsync(memory, stream));
    OK(cuMemFreeAsync(other, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT(words[63] == 9);
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    EXPECT(used == 0);
    GIVES(cuMemFreeAsync(memory, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemPoolDestroy(pool));
    GIVES(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetMemPool(&found, 0));
    EXPECT(found == standard);
    OK(cuStreamDestroy(stream));
}

static void virtual_memory(void)
{
    CUmemGenericAllocationHandle handle;
    CUdeviceptr range;
    size_t unit;
    uint32_t word;
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
    };
    CUmemAccessDesc access = { .location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    OK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    OK(cuMemAddressReserve(&range, 4 * unit, 0, 0, 0));
    EXPECT(range % unit == 0);
    OK(cuMemCreate(&handle, 2 * unit, &properties, 0));
    GIVES(cuMemCreate(&handle, unit + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemMap(range, unit, unit, handle, 0));
    OK(cuMemMap(range + unit, unit, 0, handle, 0));
    GIVES(cuMemMap(range, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemcpyHtoD(range, &word, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemSetAccess(range, 2 * unit, &access, 1));
    OK(cuMemRelease(handle));
    /* Across both mappings. */
    OK(cuMemsetD8(range, 0, unit));
    OK(cuMemsetD8(range + unit, 0, unit));
    twice(range + unit - 64, 16);
    OK(cuMemcpyDtoH(&word, range + unit - 4, 4));
    EXPECT(word == 15);
    GIVES(cuMemAddressFree(range, 4 * unit), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(range, 2 * unit));
    GIVES(cuMemUnmap(range, 2 * unit), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemcpyDtoH(&word, range, 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressFree(range, 4 * unit));
}

static void slowly(void *data)
{
    (void)data;
    usleep(20000);
}

/* Copies between devices, and of any memory by `cuMemcpy`. */
static void two_devices(void)
{
    CUcontext own, other;
    CUdeviceptr here, there;
    uint32_t word = 77, back = 0;
    OK(cuCtxGetCurrent(&own));
    OK(cuMemAlloc(&here, 4));
    OK(cuCtxCreate(&other, NULL, 0, 1));
    OK(cuMemAlloc(&there, 4));
    OK(cuMemcpy(here, (CUdeviceptr)(uintptr_t)&word, 4));
    OK(cuMemcpyPeer(there, other, here, own, 4));
    OK(cuMemcpy((CUdeviceptr)(uintptr_t)&back, there, 4));
    EXPECT(back == 77);
    /* A copy in a default stream waits for earlier work of both devices. */
    OK(cuMemsetD32(there, 0, 1));
    OK(cuLaunchHostFunc(NULL, slowly, NULL));
    OK(cuMemsetD32Async(there, 5, 1, NULL));
    OK(cuCtxPushCurrent(own));
    OK(cuMemcpyDtoD(here, there, 4));
    OK(cuMemcpyDtoH(&back, here, 4));
    EXPECT(back == 5);
    OK(cuCtxPopCurrent(NULL));
    OK(cuCtxDestroy(other));
    GIVES(cuMemFree(there), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(here));
}

int main(void)
{
    CUcontext context;
    CUmodule module;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, SCALE));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    host();
    boxes();
    pools();
    virtual_memory();
    two_devices();
    printf("passed\n");
    return 0;
}

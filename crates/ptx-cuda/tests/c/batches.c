/* Batches of copies and of operations on managed memory; multicast, which needs connected devices. */

#include "expect.h"

enum { N = 64 };

static void set(void *data)
{
    *(uint32_t *)data = 0x55;
}

static void lines(CUstream stream)
{
    CUdeviceptr memory, to[3], from[3];
    size_t sizes[3] = { 4, 8, 4 }, first[2] = { 0, 2 }, wrong[2] = { 0, 3 }, failed = 0;
    uint32_t words[4] = { 1, 2, 3, 4 }, found[4], late = 0;
    CUmemcpyAttributes attributes[2] = {
        { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL },
        { .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM },
    };
    OK(cuMemAlloc(&memory, 16));
    /* In the stream of the copies, which does not wait for the default stream. */
    OK(cuMemsetD32Async(memory, 0, 4, stream));
    to[0] = memory;
    to[1] = memory + 4;
    to[2] = memory + 12;
    from[0] = (CUdeviceptr)&words[0];
    from[1] = (CUdeviceptr)&words[1];
    from[2] = (CUdeviceptr)&late;
    /* The first two are read during the call, the last in the order of the stream. */
    OK(cuLaunchHostFunc(stream, set, &late));
    OK(cuMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 2, stream));
    words[0] = words[1] = words[2] = 99;
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(found, memory, 16));
    EXPECT(found[0] == 1 && found[1] == 2 && found[2] == 3 && found[3] == 0x55);

    GIVES(cuMemcpyBatchAsync(to, from, sizes, 3, attributes, wrong, 2, stream), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 0, stream), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemcpyBatchAsync(to, from, sizes, 0, attributes, first, 2, stream), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 2, NULL), CUDA_ERROR_INVALID_VALUE);
    attributes[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    GIVES(cuMemcpyBatchAsync(to, from, sizes, 3, attributes, first, 2, stream), CUDA_ERROR_INVALID_VALUE);
    /* The function of CUDA 12.8 says which one is wrong; none is done. */
    CUresult (*with_index)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, size_t *, CUstream);
    OK(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&with_index, 12080, 0, NULL));
    attributes[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
    to[1] = memory + 12;
    words[0] = 77;
    GIVES(with_index(to, from, sizes, 3, attributes, first, 2, &failed, stream), CUDA_ERROR_INVALID_VALUE);
    EXPECT(failed == 1);
    OK(cuStreamSynchronize(stream));
    OK(cuMemcpyDtoH(found, memory, 16));
    EXPECT(found[0] == 1);
    OK(cuMemFree(memory));
}

/* A box of 2 x 2 x 2 texels from the middle of an array, which was filled from memory with gaps, and back. */
static void boxes(CUstream stream)
{
    enum { WIDTH = 4, HEIGHT = 3, DEPTH = 2, ROW = 6, ROWS = 4 };
    static uint32_t texels[DEPTH][ROWS][ROW];
    uint32_t part[2][2][2] = { 0 };
    CUarray array, narrow;
    CUDA_ARRAY3D_DESCRIPTOR description = { .Width = WIDTH, .Height = HEIGHT, .Depth = DEPTH, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1 };
    OK(cuArray3DCreate(&array, &description));
    description.Format = CU_AD_FORMAT_UNSIGNED_INT8;
    OK(cuArray3DCreate(&narrow, &description));
    for (uint32_t z = 0; z < DEPTH; ++z)
        for (uint32_t y = 0; y < ROWS; ++y)
            for (uint32_t x = 0; x < ROW; ++x)
                texels[z][y][x] = 100 * z + 10 * y + x;
    CUDA_MEMCPY3D_BATCH_OP fill = {
        .src = { .type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr = { .ptr = (CUdeviceptr)texels, .rowLength = ROW, .layerHeight = ROWS } },
        .dst = { .type = CU_MEMCPY_OPERAND_TYPE_ARRAY, .op.array = { .array = array } },
        .extent = { WIDTH, HEIGHT, DEPTH }, .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    };
    CUDA_MEMCPY3D_BATCH_OP back = {
        .src = { .type = CU_MEMCPY_OPERAND_TYPE_ARRAY, .op.array = { .array = array, .offset = { 1, 1, 0 } } },
        .dst = { .type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr = { .ptr = (CUdeviceptr)part } },
        .extent = { 2, 2, 2 }, .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    };
    OK(cuMemcpy3DBatchAsync(1, &fill, 0, stream));
    OK(cuMemcpy3DWithAttributesAsync(&back, 0, stream));
    OK(cuStreamSynchronize(stream));
    for (uint32_t z = 0; z < 2; ++z)
        for (uint32_t y = 0; y < 2; ++y)
            for (uint32_t x = 0; x < 2; ++x)
                EXPECT(part[z][y][x] == 100 * z + 10 * (y + 1) + x + 1);

    CUDA_MEMCPY3D_BATCH_OP several[2] = { fill, back };
    GIVES(cuMemcpy3DBatchAsync(2, several, 1, stream), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemcpy3DBatchAsync(0, several, 0, stream), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemcpy3DBatchAsync(2, several, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    several[1].src.op.array.offset.x = 3;
    size_t failed = 0;
    CUresult (*with_index)(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long, CUstream);
    OK(cuGetProcAddress("cuMemcpy3DBatchAsync", (void **)&with_index, 12080, 0, NULL));
    GIVES(with_index(2, several, &failed, 0, stream), CUDA_ERROR_INVALID_VALUE);
    EXPECT(failed == 1);
    several[1] = back;
    several[1].extent.depth = 0;
    GIVES(cuMemcpy3DBatchAsync(2, several, 0, stream), CUDA_ERROR_INVALID_VALUE);
    several[0].src.op.ptr.rowLength = WIDTH - 1;
    GIVES(cuMemcpy3DBatchAsync(1, several, 0, stream), CUDA_ERROR_INVALID_VALUE);
    several[0].src = (CUmemcpy3DOperand){ .type = CU_MEMCPY_OPERAND_TYPE_ARRAY, .op.array = { .array = narrow } };
    GIVES(cuMemcpy3DBatchAsync(1, several, 0, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(array));
    OK(cuArrayDestroy(narrow));
}

static void managed(CUstream stream)
{
    CUdeviceptr memory, usual, ranges[2];
    size_t sizes[2] = { 4, 8 }, first[1] = { 0 }, wrong[1] = { 1 };
    CUmemLocation location = { .type = CU_MEM_LOCATION_TYPE_DEVICE };
    OK(cuMemAllocManaged(&memory, 4 * N, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemAlloc(&usual, 4 * N));
    ranges[0] = memory;
    ranges[1] = memory + 16;
    OK(cuMemPrefetchBatchAsync(ranges, sizes, 2, &location, first, 1, 0, stream));
    OK(cuMemDiscardBatchAsync(ranges, sizes, 2, 0, stream));
    OK(cuMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, &location, first, 1, 0, stream));
    GIVES(cuMemPrefetchBatchAsync(ranges, sizes, 2, &location, wrong, 1, 0, stream), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemPrefetchBatchAsync(ranges, sizes, 2, &location, first, 1, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    ranges[1] = usual;
    GIVES(cuMemDiscardBatchAsync(ranges, sizes, 2, 0, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree(memory));
    OK(cuMemFree(usual));
}

/* The devices have no switch between them. */
static void multicast(void)
{
    int is_supported = 1;
    size_t granularity;
    CUmemGenericAllocationHandle handle;
    CUmulticastObjectProp properties = { .numDevices = 2, .size = 2 << 20 };
    OK(cuDeviceGetAttribute(&is_supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
    EXPECT(!is_supported);
    GIVES(cuMulticastGetGranularity(&granularity, &properties, CU_MULTICAST_GRANULARITY_MINIMUM), CUDA_ERROR_NOT_SUPPORTED);
    GIVES(cuMulticastCreate(&handle, &properties), CUDA_ERROR_NOT_SUPPORTED);
    GIVES(cuMulticastAddDevice(1, 0), CUDA_ERROR_NOT_SUPPORTED);
    GIVES(cuMulticastBindMem(1, 0, 1, 0, 4096, 0), CUDA_ERROR_NOT_SUPPORTED);
    GIVES(cuMulticastBindAddr(1, 0, 4096, 4096, 0), CUDA_ERROR_NOT_SUPPORTED);
    GIVES(cuMulticastUnbind(1, 0, 0, 4096), CUDA_ERROR_NOT_SUPPORTED);
}

int main(void)
{
    CUcontext context;
    CUstream stream;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    lines(stream);
    boxes(stream);
    managed(stream);
    multicast();
    /* A range of the host that cannot be mapped. */
    GIVES(cuMemHostRegister((void *)0x1000, (size_t)1 << 62, 0), CUDA_ERROR_INVALID_VALUE);
    puts("passed");
    return 0;
}

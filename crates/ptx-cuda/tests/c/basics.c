/* Initialization, devices, contexts, modules, memory, launches, streams, events, errors and entry points. */

#include "expect.h"

static CUfunction function_of(const char *ptx, const char *name)
{
    CUmodule module;
    CUfunction function;
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, name));
    return function;
}

static void before_initialization(void)
{
    int number;
    const char *text;
    CUcontext context;
    OK(cuDriverGetVersion(&number));
    EXPECT(number >= 13020);
    GIVES(cuDeviceGetCount(&number), CUDA_ERROR_NOT_INITIALIZED);
    GIVES(cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED);
    GIVES(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    EXPECT(!strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT(!strcmp(text, "out of memory"));
    GIVES(cuGetErrorString((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT(text == NULL);
    GIVES(cuGetErrorString(CUDA_SUCCESS, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void devices(void)
{
    CUdevice device;
    CUuuid one, other;
    int count, value, major, minor;
    size_t bytes;
    char name[64], id[16];
    OK(cuDeviceGetCount(&count));
    EXPECT(count == 2);
    GIVES(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
    GIVES(cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
    GIVES(cuDeviceGet(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGet(&device, 1));
    OK(cuDeviceGetName(name, sizeof name, device));
    EXPECT(strlen(name) > 0);
    OK(cuDeviceGetName(name, 4, device));
    EXPECT(strlen(name) == 3);
    GIVES(cuDeviceGetName(name, 0, device), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    EXPECT(major == 9 && minor == 0);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    EXPECT(value == 32);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device));
    EXPECT(value == 227 * 1024);
    for (int which = 1; which < CU_DEVICE_ATTRIBUTE_MAX; which++)
        OK(cuDeviceGetAttribute(&value, which, device));
    GIVES(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, device), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuDeviceGetAttribute(NULL, 1, device), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceTotalMem(&bytes, device));
    EXPECT(bytes == 1 << 30);
    OK(cuDeviceGetUuid(&one, 0));
    OK(cuDeviceGetUuid(&other, 1));
    EXPECT(memcmp(&one, &other, sizeof one));
    OK(cuDeviceGetPCIBusId(id, sizeof id, 1));
    OK(cuDeviceGetByPCIBusId(&device, id));
    EXPECT(device == 1);
    OK(cuDeviceCanAccessPeer(&value, 0, 1));
    EXPECT(value == 0);
}

static void contexts(void)
{
    CUcontext primary, again, own, found;
    CUdevice device;
    unsigned flags;
    int active;
    size_t limit;
    unsigned long long id, other;
    OK(cuCtxGetCurrent(&found));
    EXPECT(found == NULL);
    GIVES(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    GIVES(cuCtxPopCurrent(&found), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT(!active);
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuDevicePrimaryCtxRetain(&again, 0));
    EXPECT(primary == again);
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT(active);
    OK(cuCtxCreate(&own, NULL, 0, 1));
    OK(cuCtxGetCurrent(&found));
    EXPECT(found == own);
    OK(cuCtxGetDevice(&device));
    EXPECT(device == 1);
    OK(cuCtxGetDevice_v2(&device, primary));
    EXPECT(device == 0);
    OK(cuCtxPushCurrent(primary));
    OK(cuCtxGetDevice(&device));
    EXPECT(device == 0);
    OK(cuCtxPopCurrent(&found));
    EXPECT(found == primary);
    OK(cuCtxGetId(own, &id));
    OK(cuCtxGetId(primary, &other));
    EXPECT(id != other);
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    EXPECT(limit == 4096);
    GIVES(cuCtxGetLimit(&limit, 100), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 32));
    OK(cuCtxGetLimit(&limit, CU_LIMIT_MAX_L2_FETCH_GRANULARITY));
    EXPECT(limit == 32);
    GIVES(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 129), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0), CUDA_ERROR_UNSUPPORTED_LIMIT);
    GIVES(cuCtxGetLimit(&limit, CU_LIMIT_MAX), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 256 << 20));
    OK(cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE));
    EXPECT(limit == 256 << 20);
    GIVES(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, (size_t)4 << 30), CUDA_ERROR_OUT_OF_MEMORY);
    GIVES(cuCtxEnablePeerAccess(primary, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    GIVES(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxDestroy(own));
    GIVES(cuCtxDestroy(own), CUDA_ERROR_INVALID_CONTEXT);
    GIVES(cuCtxSetCurrent(own), CUDA_ERROR_INVALID_CONTEXT);
    GIVES(cuCtxSetCurrent((CUcontext)(uintptr_t)0x1234), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuDevicePrimaryCtxRelease(0));
    GIVES(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    GIVES(cuCtxSetCurrent(primary), CUDA_ERROR_INVALID_CONTEXT);
}

static void launches(void)
{
    enum { N = 1000 };
    uint32_t data[N], factor = 3, n = N;
    CUdeviceptr memory, base;
    size_t bytes, total, size;
    CUfunction function = function_of(SCALE, "scale");
    CUmodule module;
    CUfunction other;
    for (int i = 0; i < N; i++)
        data[i] = i * i;
    OK(cuMemGetInfo(&bytes, &total));
    EXPECT(total == 1 << 30 && bytes <= total);
    OK(cuMemAlloc(&memory, sizeof data));
    OK(cuMemcpyHtoD(memory, data, sizeof data));

    void *arguments[] = { &memory, &factor, &n };
    OK(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    /* The same with one buffer for all. */
    struct { CUdeviceptr data; uint32_t factor, n; } all = { memory, 5, N };
    size = sizeof all;
    void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &all, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END };
    OK(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    OK(cuMemcpyDtoH(data, memory, sizeof data));
    for (uint32_t i = 0; i < N; i++)
        EXPECT(data[i] == (i * i * 3 + i) * 5 + i);

    size = 12;
    GIVES(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuLaunchKernel(function, 0, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 49153, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 100000, NULL, arguments, NULL));
    GIVES(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300000), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_HANDLE);
    GIVES(cuLaunchKernel((CUfunction)&n, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_HANDLE);

    OK(cuMemGetAddressRange(&base, &size, memory + 100));
    EXPECT(base == memory && size == sizeof data);
    GIVES(cuMemcpyHtoD(memory + 4, data, sizeof data), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemcpyDtoH(data, (CUdeviceptr)(uintptr_t)data, 4), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemAlloc(&base, 0), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemAlloc(&base, (size_t)1 << 40), CUDA_ERROR_OUT_OF_MEMORY);
    GIVES(cuMemFree(memory + 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(0));
    OK(cuMemFree(memory));
    GIVES(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);

    GIVES(cuModuleLoadData(&module, "this is no PTX"), CUDA_ERROR_INVALID_PTX);
    GIVES(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
    /* ELF files of the host (62) and of CUDA (190) without PTX. */
    struct { uint8_t magic[16]; uint16_t type, machine; uint32_t version; uint64_t more[3]; uint32_t flags; uint16_t sizes[6]; } elf = {
        { 0x7f, 'E', 'L', 'F', 2, 1, 1 }, 2, 62, 1, { 0 }, 0, { 64 },
    };
    GIVES(cuModuleLoadData(&module, &elf), CUDA_ERROR_NO_BINARY_FOR_GPU);
    elf.machine = 190;
    GIVES(cuModuleLoadData(&module, &elf), CUDA_ERROR_NO_BINARY_FOR_GPU);
    elf.magic[4] = 9;
    GIVES(cuModuleLoadData(&module, &elf), CUDA_ERROR_INVALID_IMAGE);
    GIVES(cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuModuleLoadData(&module, SCALE));
    GIVES(cuModuleGetFunction(&other, module, "none"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleUnload(module));
    GIVES(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

/* The messages of compilation reach the buffers of the caller. */
static void messages(void)
{
    char errors[200] = "";
    CUmodule module;
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { errors, (void *)sizeof errors };
    GIVES(cuModuleLoadDataEx(&module, HEAD ".visible .entry k() { bla; }", 2, options, values), CUDA_ERROR_INVALID_PTX);
    EXPECT(strstr(errors, "bla"));
    EXPECT((size_t)values[1] == strlen(errors) + 1);
}

static void host_function(void *data)
{
    CUdeviceptr memory;
    /* It would wait for itself. */
    GIVES(cuCtxSynchronize(), CUDA_ERROR_NOT_PERMITTED);
    GIVES(cuMemAlloc(&memory, 4), CUDA_ERROR_NOT_PERMITTED);
    *(int *)data += 1;
}

static void streams(void)
{
    enum { N = 64 };
    uint32_t *data, factor = 1, n = N;
    int calls = 0;
    float milliseconds;
    CUdeviceptr memory;
    CUstream stream, other;
    CUevent start, end, plain;
    CUfunction function = function_of(SCALE, "scale");
    CUcontext context, current;
    OK(cuMemAllocHost((void **)&data, N * sizeof *data));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreateWithPriority(&other, CU_STREAM_DEFAULT, -1));
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
    OK(cuEventQuery(start));
    GIVES(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemAlloc(&memory, N * sizeof *data));
    OK(cuMemsetD32Async(memory, 7, N, stream));
    OK(cuEventRecord(start, stream));
    void *arguments[] = { &memory, &factor, &n };
    for (int i = 0; i < 10; i++)
        OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, stream, arguments, NULL));
    OK(cuEventRecord(end, stream));
    OK(cuStreamWaitEvent(other, end, 0));
    OK(cuMemcpyDtoHAsync(data, memory, N * sizeof *data, other));
    OK(cuLaunchHostFunc(other, host_function, &calls));
    OK(cuStreamSynchronize(other));
    EXPECT(calls == 1);
    for (int i = 0; i < N; i++)
        EXPECT(data[i] == 7u + 10u * i);
    OK(cuStreamQuery(stream));
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds > 0);
    OK(cuEventElapsedTime(&milliseconds, end, start));
    EXPECT(milliseconds < 0);
    GIVES(cuEventElapsedTime(&milliseconds, plain, end), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamGetCtx(stream, &context));
    OK(cuCtxGetCurrent(&current));
    EXPECT(context == current);
    OK(cuStreamDestroy(stream));
    GIVES(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    GIVES(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(start));
    GIVES(cuEventRecord(start, NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFreeHost(data));
    GIVES(cuMemFreeHost(data), CUDA_ERROR_INVALID_VALUE);
}

static void entry_points(void)
{
    void *function;
    CUdriverProcAddressQueryResult found;
    const void *table;
    CUuuid id = { "unknown" };
    OK(cuGetProcAddress("cuMemcpyHtoD", &function, 13000, 0, &found));
    EXPECT(function == (void *)cuMemcpyHtoD && found == CU_GET_PROC_ADDRESS_SUCCESS);
    OK(cuGetProcAddress("cuGraphicsUnregisterResource", &function, 13000, 0, &found));
    GIVES(((CUresult(*)(void *))function)(NULL), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuGetProcAddress("cuNothing", &function, 13000, 0, &found));
    EXPECT(function == NULL && found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    GIVES(cuGetProcAddress("cuNothing", &function, 13000, 0, NULL), CUDA_ERROR_NOT_FOUND);
    OK(cuGetProcAddress("cuKernelGetName", &function, 12000, 0, &found));
    EXPECT(found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    EXPECT(cuGetExportTable(&table, &id) != CUDA_SUCCESS && table == NULL);
}

int main(void)
{
    CUcontext context;
    before_initialization();
    OK(cuInit(0));
    devices();
    contexts();
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    launches();
    messages();
    streams();
    entry_points();
    OK(cuCtxSynchronize());
    OK(cuDevicePrimaryCtxRelease(0));
    printf("passed\n");
    return 0;
}

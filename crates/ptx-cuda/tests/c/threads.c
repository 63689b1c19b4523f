/* Many threads at once, each with streams, modules and memory of its own; the order of the legacy stream; waits for words. */

#include <pthread.h>
#include <unistd.h>

#include "expect.h"

static CUcontext context;
static CUfunction scale;

static void *work(void *data)
{
    enum { N = 256 };
    uint32_t words[N], factor = 1, n = N, seed = (uint32_t)(uintptr_t)data;
    OK(cuCtxSetCurrent(context));
    for (int round = 0; round < 20; round++) {
        CUmodule module;
        CUfunction function;
        CUdeviceptr memory;
        CUstream stream;
        OK(cuModuleLoadData(&module, SCALE));
        OK(cuModuleGetFunction(&function, module, "scale"));
        OK(cuStreamCreate(&stream, round % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
        OK(cuMemAllocAsync(&memory, sizeof words, stream));
        OK(cuMemsetD32Async(memory, seed + round, N, stream));
        void *arguments[] = { &memory, &factor, &n };
        for (int i = 0; i < 5; i++)
            OK(cuLaunchKernel(function, 2, 1, 1, N / 2, 1, 1, 0, stream, arguments, NULL));
        OK(cuMemcpyDtoHAsync(words, memory, sizeof words, stream));
        for (uint32_t i = 0; i < N; i++)
            EXPECT(words[i] == seed + round + 5 * i);
        OK(cuMemFreeAsync(memory, stream));
        OK(cuStreamSynchronize(stream));
        OK(cuStreamDestroy(stream));
        OK(cuModuleUnload(module));
    }
    return NULL;
}

static void slowly(void *data)
{
    usleep(20000);
    *(int *)data += 1;
}

/* Work of the legacy stream waits for that of blocking streams, and theirs for it. */
static void order(void)
{
    int value = 0;
    uint32_t word;
    CUdeviceptr memory;
    CUstream blocking, free_stream;
    OK(cuMemAlloc(&memory, 4));
    OK(cuMemsetD32(memory, 0, 1));
    OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&free_stream, CU_STREAM_NON_BLOCKING));
    OK(cuLaunchHostFunc(blocking, slowly, &value));
    OK(cuMemsetD32Async(memory, 1, 1, blocking));
    OK(cuMemcpyDtoH(&word, memory, 4));
    EXPECT(word == 1 && value == 1);
    OK(cuLaunchHostFunc(NULL, slowly, &value));
    GIVES(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    OK(cuStreamQuery(free_stream));
    OK(cuMemsetD32Async(memory, 2, 1, blocking));
    OK(cuStreamSynchronize(blocking));
    EXPECT(value == 2);
    /* Another one goes on. */
    OK(cuStreamWaitValue32(free_stream, memory, 7, CU_STREAM_WAIT_VALUE_EQ));
    GIVES(cuStreamQuery(free_stream), CUDA_ERROR_NOT_READY);
    OK(cuStreamWriteValue32(blocking, memory, 7, 0));
    OK(cuStreamSynchronize(free_stream));
    GIVES(cuStreamWriteValue32(blocking, memory + 1, 7, 0), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuStreamWaitValue32(blocking, 64, 7, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamDestroy(blocking));
    OK(cuStreamDestroy(free_stream));
    OK(cuMemFree(memory));
}

/* The default stream of a thread is its own, and is ordered with the legacy one. */
static void own_streams(void)
{
    unsigned long long legacy, own;
    OK(cuStreamGetId(CU_STREAM_LEGACY, &legacy));
    OK(cuStreamGetId(CU_STREAM_PER_THREAD, &own));
    EXPECT(legacy != own);
    unsigned long long null;
    OK(cuStreamGetId(NULL, &null));
    EXPECT(null == legacy);
    CUresult (*per_thread)(CUstream, unsigned long long *);
    OK(cuGetProcAddress("cuStreamGetId", (void **)&per_thread, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    OK(per_thread(NULL, &null));
    EXPECT(null == own);
    int value = 0;
    OK(cuLaunchHostFunc(CU_STREAM_PER_THREAD, slowly, &value));
    OK(cuStreamSynchronize(CU_STREAM_LEGACY));
    EXPECT(value == 1);
}

/* Destructors of a program's own objects call the driver when its objects for the thread are gone. */
static void when_it_ends(void *data)
{
    CUcontext current, other;
    CUstream stream;
    OK(cuCtxGetCurrent(&current));
    EXPECT(current == NULL);
    GIVES(cuCtxSetCurrent(context), CUDA_ERROR_DEINITIALIZED);
    GIVES(cuCtxPopCurrent(&current), CUDA_ERROR_DEINITIALIZED);
    GIVES(cuStreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&other, 0));
    EXPECT(other == context);
    OK(cuDevicePrimaryCtxRelease(0));
    OK(cuCtxDestroy(data));
}

static pthread_key_t key;

static void *end(void *data)
{
    CUcontext own;
    OK(cuCtxCreate(&own, NULL, 0, 0));
    OK(cuCtxPopCurrent(NULL));
    OK(cuCtxSetCurrent(context));
    EXPECT(pthread_setspecific(key, own) == 0);
    return data;
}

int main(void)
{
    pthread_t threads[8];
    CUmodule module;
    size_t before, after, total;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, SCALE));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    order();
    own_streams();
    OK(cuCtxSynchronize());
    OK(cuMemGetInfo(&before, &total));
    for (uintptr_t i = 0; i < 8; i++)
        EXPECT(pthread_create(&threads[i], NULL, work, (void *)(i * 1000)) == 0);
    for (int i = 0; i < 8; i++)
        EXPECT(pthread_join(threads[i], NULL) == 0);
    EXPECT(pthread_key_create(&key, when_it_ends) == 0);
    EXPECT(pthread_create(&threads[0], NULL, end, NULL) == 0);
    EXPECT(pthread_join(threads[0], NULL) == 0);
    OK(cuCtxSynchronize());
    OK(cuMemGetInfo(&after, &total));
    EXPECT(before == after);
    printf("passed\n");
    return 0;
}

/* Many launches and modules, of several threads: memory does not grow. The arguments are the number of launches and of modules. */

#include <pthread.h>
#include <unistd.h>

#include "expect.h"

enum { THREADS = 4 };

static CUcontext context;
static CUfunction add;
static CUdeviceptr sum;
static unsigned long launches, modules;

static const char *ptx = HEAD
    ".visible .global .align 4 .b8 data[65536];\n"
    ".visible .entry add(.param .u64 to)\n"
    "{\n"
    "    .reg .b64 %a;\n"
    "    ld.param.u64 %a, [to]; red.global.add.u64 [%a], 1;\n"
    "    ret;\n"
    "}\n";

/* Bytes of memory that are in use. */
static size_t resident(void)
{
    size_t all = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    EXPECT(file && fscanf(file, "%zu %zu", &all, &pages) == 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void *launch(void *unused)
{
    CUstream stream;
    void *arguments[] = { &sum };
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (unsigned long i = 0; i < launches / THREADS; i++)
        OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    OK(cuStreamSynchronize(stream));
    OK(cuStreamDestroy(stream));
    return unused;
}

static void *load(void *unused)
{
    OK(cuCtxSetCurrent(context));
    for (unsigned long i = 0; i < modules / THREADS; i++) {
        CUmodule module;
        CUfunction function;
        void *arguments[] = { &sum };
        OK(cuModuleLoadData(&module, ptx));
        OK(cuModuleGetFunction(&function, module, "add"));
        OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, arguments, NULL));
        OK(cuModuleUnload(module));
    }
    return unused;
}

static void in_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        EXPECT(!pthread_create(&threads[i], NULL, work, NULL));
    for (int i = 0; i < THREADS; i++)
        EXPECT(!pthread_join(threads[i], NULL));
}

int main(int count, char **arguments)
{
    CUmodule module;
    uint64_t total;
    size_t before, after;
    unsigned long wanted[2];
    EXPECT(count == 3);
    for (int i = 0; i < 2; i++)
        wanted[i] = strtoul(arguments[1 + i], NULL, 10) / THREADS * THREADS;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&add, module, "add"));
    OK(cuMemAlloc(&sum, 8));
    OK(cuMemsetD32(sum, 0, 2));
    OK(cuCtxSynchronize());
    /* What is allocated once, with what is kept of the last 1000 modules to report uses of their memory. */
    launches = 4000;
    modules = 1200;
    in_threads(launch);
    in_threads(load);
    before = resident();
    launches = wanted[0];
    modules = wanted[1];
    in_threads(launch);
    in_threads(load);
    after = resident();
    OK(cuMemcpyDtoH(&total, sum, 8));
    EXPECT(total == 4000 + 1200 + wanted[0] + wanted[1]);
    if (after > before + (24 << 20)) {
        printf("%zu bytes grow to %zu\n", before, after);
        return 1;
    }
    printf("passed\n");
    return 0;
}

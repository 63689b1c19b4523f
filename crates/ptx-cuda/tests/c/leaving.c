/* A process that ends while kernels run and threads wait for them. The argument is how it ends. */

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "expect.h"

static CUcontext context;
static CUfunction forever;

static const char *ptx = HEAD
    ".visible .entry forever()\n"
    "{\n"
    "again: bra again;\n"
    "}\n";

static void *wait_for_it(void *unused)
{
    CUstream stream;
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuLaunchKernel(forever, 2, 1, 1, 64, 1, 1, 0, stream, NULL, NULL));
    cuStreamSynchronize(stream);
    return unused;
}

int main(int count, char **arguments)
{
    CUmodule module;
    pthread_t thread;
    EXPECT(count == 2);
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&forever, module, "forever"));
    for (int i = 0; i < 3; i++)
        EXPECT(!pthread_create(&thread, NULL, wait_for_it, NULL));
    OK(cuLaunchKernel(forever, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    usleep(100000);
    printf("passed\n");
    fflush(stdout);
    if (!strcmp(arguments[1], "exit"))
        exit(0);
    if (!strcmp(arguments[1], "_exit"))
        _exit(0);
    if (!strcmp(arguments[1], "kill"))
        raise(SIGKILL);
    return 0;
}

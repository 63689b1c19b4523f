/* A kernel that is stopped: the error stays until the context is destroyed, and its report is written once. */

#include "expect.h"

static const char *ptx =
    HEAD
    ".visible .entry store(.param .u64 to) { .reg .b64 %a; ld.param.u64 %a, [to]; st.global.u32 [%a], 1; ret; }\n"
    ".visible .entry stop() { trap; }\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 text[8] = {104, 101, 108, 108, 111, 10, 0};\n"
    ".visible .entry hello()\n"
    "{\n"
    "    .reg .b64 %f, %z;\n"
    "    mov.u64 %f, text; cvta.global.u64 %f, %f; mov.u64 %z, 0;\n"
    "    { .param .b64 f; .param .b64 a; .param .b32 r;\n"
    "      st.param.b64 [f], %f; st.param.b64 [a], %z; call.uni (r), vprintf, (f, a); }\n"
    "    ret;\n"
    "}\n";

static void stops(const char *kernel, int64_t offset, CUresult wanted)
{
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory, to, more;
    CUstream stream;
    uint32_t word;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, kernel));
    OK(cuMemAlloc(&memory, 4));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    to = memory + offset;
    void *arguments[] = { &to };
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    GIVES(cuStreamSynchronize(stream), wanted);
    GIVES(cuCtxSynchronize(), wanted);
    GIVES(cuMemcpyDtoH(&word, memory, 4), wanted);
    GIVES(cuMemAlloc(&more, 4), wanted);
    GIVES(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), wanted);
    GIVES(cuStreamQuery(stream), wanted);
    OK(cuDevicePrimaryCtxReset(0));
    GIVES(cuModuleGetFunction(&function, module, kernel), CUDA_ERROR_INVALID_HANDLE);
    GIVES(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
}

static void prints(void)
{
    CUcontext context;
    CUmodule module;
    CUfunction function;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, "hello"));
    printf("before ");
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuCtxSynchronize());
    printf("after\n");
}

int main(void)
{
    OK(cuInit(0));
    stops("store", 4, CUDA_ERROR_ILLEGAL_ADDRESS);
    stops("store", 1, CUDA_ERROR_MISALIGNED_ADDRESS);
    stops("stop", 0, CUDA_ERROR_LAUNCH_FAILED);
    prints();
    printf("passed\n");
    return 0;
}

/* Libraries, their kernels and variables, linking, fat binaries, attributes and occupancy. */

#include "expect.h"

#define CALLER \
    HEAD \
    ".extern .func (.param .b32 r) seven();\n" \
    ".visible .global .align 4 .u32 result = 3;\n" \
    ".visible .const .align 4 .u32 limit = 9;\n" \
    ".visible .entry k()\n" \
    "{\n" \
    "    .reg .u32 %r;\n" \
    "    { .param .b32 r; call.uni (r), seven, (); ld.param.b32 %r, [r]; }\n" \
    "    st.global.u32 [result], %r;\n" \
    "    ret;\n" \
    "}\n"
#define CALLEE HEAD ".visible .func (.param .b32 r) seven() { st.param.b32 [r], 7; ret; }\n"

static const char *shared =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u32 a, .param .u64 b) .maxntid 256, 1, 1\n"
    "{\n"
    "    .shared .align 4 .b8 data[1024]; .local .align 8 .b8 own[64]; .reg .b32 %r; .reg .b64 %a;\n"
    "    mov.u64 %a, own; cvta.local.u64 %a, %a; st.u32 [%a], 1; mov.u32 %r, data; st.shared.u32 [%r], 1; ret;\n"
    "}\n";

static void libraries(void)
{
    CUlibrary library, found;
    CUkernel kernel, again;
    CUmodule module;
    CUfunction function;
    CUdeviceptr address;
    size_t size;
    unsigned count;
    uint32_t word;
    const char *name;
    CUdeviceptr memory;
    uint32_t factor = 2, n = 4, words[4] = { 1, 1, 1, 1 };
    OK(cuLibraryLoadData(&library, SCALE, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "scale"));
    OK(cuLibraryGetKernel(&again, library, "scale"));
    EXPECT(kernel == again);
    GIVES(cuLibraryGetKernel(&again, library, "none"), CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryGetKernelCount(&count, library));
    EXPECT(count == 1);
    OK(cuLibraryEnumerateKernels(&again, 1, library));
    EXPECT(kernel == again);
    OK(cuKernelGetName(&name, kernel));
    EXPECT(!strcmp(name, "scale"));
    OK(cuKernelGetLibrary(&found, kernel));
    EXPECT(found == library);
    OK(cuKernelGetFunction(&function, kernel));
    OK(cuFuncGetModule(&module, function));
    OK(cuMemAlloc(&memory, sizeof words));
    OK(cuMemcpyHtoD(memory, words, sizeof words));
    void *arguments[] = { &memory, &factor, &n };
    /* A kernel is launched like a function. */
    OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CUlaunchConfig config = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1,
    };
    OK(cuLaunchKernelEx(&config, function, arguments, NULL));
    OK(cuMemcpyDtoH(words, memory, sizeof words));
    EXPECT(words[3] == (1 * 2 + 3) * 2 + 3);
    size_t offset;
    OK(cuKernelGetParamInfo(kernel, 2, &offset, &size));
    EXPECT(offset == 12 && size == 4);
    GIVES(cuKernelGetParamInfo(kernel, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    OK(cuLibraryUnload(library));
    GIVES(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
    GIVES(cuKernelGetName(&name, kernel), CUDA_ERROR_INVALID_HANDLE);
    GIVES(cuKernelGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuFuncGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree(memory));

    OK(cuLibraryLoadData(&library, HEAD ".visible .global .align 4 .u32 x = 5;\n", NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetGlobal(&address, &size, library, "x"));
    OK(cuMemcpyDtoH(&word, address, 4));
    EXPECT(word == 5 && size == 4);
    OK(cuLibraryUnload(library));
}

static void links(void)
{
    CUlinkState link;
    CUmodule module;
    CUfunction function;
    CUdeviceptr address;
    void *image;
    size_t size;
    uint32_t word;
    char errors[300] = "";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { errors, (void *)sizeof errors };
    OK(cuLinkCreate(0, NULL, NULL, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, CALLER, sizeof CALLER, "caller.ptx", 0, NULL, NULL));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, CALLEE, sizeof CALLEE, "callee.ptx", 0, NULL, NULL));
    OK(cuLinkComplete(link, &image, &size));
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&function, module, "k"));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    OK(cuModuleGetGlobal(&address, &size, module, "result"));
    OK(cuMemcpyDtoH(&word, address, 4));
    EXPECT(word == 7 && size == 4);
    OK(cuModuleGetGlobal(&address, NULL, module, "limit"));
    OK(cuMemcpyDtoH(&word, address, 4));
    EXPECT(word == 9);
    GIVES(cuModuleGetGlobal(&address, NULL, module, "none"), CUDA_ERROR_NOT_FOUND);

    /* Without the callee. */
    OK(cuLinkCreate(2, options, values, &link));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, CALLER, sizeof CALLER, "caller.ptx", 0, NULL, NULL));
    EXPECT(cuLinkComplete(link, &image, &size) != CUDA_SUCCESS);
    EXPECT(strstr(errors, "seven"));
    OK(cuLinkDestroy(link));
    GIVES(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
    GIVES(cuModuleLoadData(&module, CALLER), CUDA_ERROR_INVALID_PTX);
}

/* A fat binary with the text as it is: a header of 16 bytes, one of 64 bytes and the text. */
static void fat(void)
{
    struct {
        uint32_t magic; uint16_t version, head; uint64_t rest;
        uint16_t kind, entry_version; uint32_t entry_head; uint64_t bytes; uint32_t packed, unknown[2], sm; uint64_t zero, flags, more, unpacked;
        char text[sizeof CALLEE];
    } binary = {
        0xba55ed50, 1, 16, 64 + sizeof CALLEE, 1, 0x101, 64, sizeof CALLEE, 0, { 0 }, 80, 0, 0, 0, 0, CALLEE,
    };
    struct { uint32_t magic, version; const void *data; void *name; } wrapper = { 0x466243b1, 1, &binary, NULL };
    CUmodule module;
    OK(cuModuleLoadData(&module, &binary));
    OK(cuModuleUnload(module));
    OK(cuModuleLoadFatBinary(&module, &wrapper));
    OK(cuModuleUnload(module));
    binary.sm = 120;
    GIVES(cuModuleLoadData(&module, &binary), CUDA_ERROR_NO_BINARY_FOR_GPU);
    binary.sm = 80;
    /* Machine code is an ELF file. */
    binary.kind = 2;
    GIVES(cuModuleLoadData(&module, &binary), CUDA_ERROR_INVALID_IMAGE);
    binary.bytes = 1 << 20;
    GIVES(cuModuleLoadData(&module, &binary), CUDA_ERROR_INVALID_IMAGE);
}

static void attributes(void)
{
    CUmodule module;
    CUfunction function;
    int value, grid;
    size_t bytes;
    OK(cuModuleLoadData(&module, shared));
    OK(cuModuleGetFunction(&function, module, "k"));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    EXPECT(value == 1024);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function));
    EXPECT(value == 64);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    EXPECT(value == 256);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
    EXPECT(value == 90);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function));
    EXPECT(value == 90);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    EXPECT(value == 47 * 1024);
    GIVES(cuFuncGetAttribute(&value, 1000, function), CUDA_ERROR_INVALID_VALUE);
    /* 2,048 threads of a multiprocessor, 32 blocks, and 228 KiB of which a block takes 100 KiB and 2 KiB more. */
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 256, 0));
    EXPECT(value == 8);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 32, 0));
    EXPECT(value == 32);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 32, 100 * 1024));
    EXPECT(value == 2);
    OK(cuOccupancyMaxPotentialBlockSize(&grid, &value, function, NULL, 0, 0));
    EXPECT(value == 256 && grid > 0);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 2, 256));
    EXPECT(bytes == 112 * 1024);
    uint32_t a = 0;
    uint64_t b = 0;
    void *arguments[] = { &a, &b };
    GIVES(cuLaunchKernel(function, 1, 1, 1, 257, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuLaunchCooperativeKernel(function, 100000, 1, 1, 256, 1, 1, 0, NULL, arguments), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    OK(cuLaunchCooperativeKernel(function, 4, 1, 1, 256, 1, 1, 0, NULL, arguments));
    CUlaunchAttribute cluster = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = { 2, 1, 1 } };
    CUlaunchConfig config = {
        .gridDimX = 4, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1, .attrs = &cluster, .numAttrs = 1,
    };
    OK(cuLaunchKernelEx(&config, function, arguments, NULL));
    OK(cuOccupancyMaxActiveClusters(&value, function, &config));
    EXPECT(value > 0);
    cluster.value.clusterDim.x = 3;
    GIVES(cuLaunchKernelEx(&config, function, arguments, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    cluster.id = 1000;
    GIVES(cuLaunchKernelEx(&config, function, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize());
    OK(cuModuleUnload(module));
}

static void word_is(CUlibrary library, int expected, int next)
{
    CUdeviceptr address;
    int word;
    OK(cuLibraryGetGlobal(&address, NULL, library, "word"));
    OK(cuMemcpyDtoH(&word, address, 4));
    EXPECT(word == expected);
    OK(cuMemcpyHtoD(address, &next, 4));
}

/* A device that is reset has the initial values of a library's variables, and no other device has. */
static void reset(void)
{
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 word = 3;\n";
    CUlibrary library;
    CUcontext context;
    OK(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    word_is(library, 3, 5);
    OK(cuDevicePrimaryCtxRetain(&context, 1));
    OK(cuCtxPushCurrent(context));
    word_is(library, 3, 6);
    word_is(library, 6, 7);
    OK(cuCtxPopCurrent(NULL));
    OK(cuDevicePrimaryCtxReset(1));
    word_is(library, 5, 5);
    OK(cuDevicePrimaryCtxRetain(&context, 1));
    OK(cuCtxPushCurrent(context));
    word_is(library, 3, 3);
    OK(cuCtxPopCurrent(NULL));
    OK(cuDevicePrimaryCtxRelease(1));
    OK(cuLibraryUnload(library));
}

int main(void)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    libraries();
    links();
    fat();
    reset();
    attributes();
    printf("passed\n");
    return 0;
}

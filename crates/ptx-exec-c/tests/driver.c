/* Calls the functions that a driver needs: kinds of errors, memory, attributes. What is expected follows from the kernels, and from CUDA's documentation. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ptx_exec.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char *stores =
    HEAD
    ".visible .entry store(.param .u64 to, .param .u32 value)\n"
    "{\n"
    "    .reg .b64 %a; .reg .b32 %v;\n"
    "    ld.param.u64 %a, [to]; ld.param.u32 %v, [value]; st.global.u32 [%a], %v;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry stop() { trap; }\n";

static void check_kinds(PtxDevice *device)
{
    PtxModule *module;
    PtxKernel *store, *stop;
    uint32_t *memory, value = 7;
    OK(ptx_module_load(device, "stores.ptx", stores, &module));
    EXPECT(ptx_last_error_kind() == PTX_ERROR_NONE);
    OK(ptx_kernel_get(module, "store", &store));
    OK(ptx_kernel_get(module, "stop", &stop));
    OK(ptx_malloc(device, 4, (void **)&memory));
    PtxShape one = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    void *at = memory + 1;
    const void *arguments[] = { &at, &value };
    FAILS(ptx_launch(store, &one, arguments, NULL), PTX_STOPPED, "out of bounds");
    KIND(PTX_ERROR_ILLEGAL_ADDRESS);
    at = (char *)memory + 1;
    FAILS(ptx_launch(store, &one, arguments, NULL), PTX_STOPPED, "not aligned");
    KIND(PTX_ERROR_MISALIGNED);
    FAILS(ptx_launch(stop, &one, NULL, NULL), PTX_STOPPED, "`trap`");
    KIND(PTX_ERROR_TRAP);
    FAILS(ptx_kernel_get(module, "none", &stop), PTX_NOT_FOUND, "none");
    KIND(PTX_ERROR_NOT_FOUND);
    FAILS(ptx_malloc(NULL, 4, &at), PTX_INVALID_VALUE, "null pointer");
    KIND(PTX_ERROR_INVALID_VALUE);
    EXPECT(strcmp(ptx_error_kind_name(PTX_ERROR_MISALIGNED), "PTX_ERROR_MISALIGNED") == 0);
    EXPECT(strcmp(ptx_error_kind_name(PTX_ERROR_NONE), "PTX_ERROR_NONE") == 0);
    EXPECT(ptx_error_kind_cuda_result(PTX_ERROR_NONE) == 0);
    EXPECT(ptx_error_kind_cuda_result(PTX_ERROR_MISALIGNED) == 716);
    EXPECT(ptx_error_kind_cuda_result(PTX_ERROR_ILLEGAL_ADDRESS) == 700);
    EXPECT(ptx_error_kind_cuda_result(PTX_ERROR_OUT_OF_MEMORY) == 2);
    EXPECT(ptx_error_kind_cuda_result(1000) == 999);
    PtxFile cubin = { .name = "a", .contents = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\276\0", .bytes = 20 };
    PtxModule *none;
    FAILS(ptx_module_load_files(device, 1, &cubin, &none), PTX_INVALID_MODULE, "this is a cubin");
    KIND(PTX_ERROR_NO_BINARY);
    OK(ptx_free(device, memory));
    OK(ptx_kernel_destroy(store));
    OK(ptx_kernel_destroy(stop));
    OK(ptx_module_destroy(module));
}

/* Bytes of memory that the process has touched. */
static long resident(void)
{
    long pages = 0, size = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &size, &pages) != 2)
        return -1;
    fclose(file);
    return pages * 4096;
}

static void check_memory(void)
{
    PtxDeviceOptions options = { .memory = 1ull << 40 };
    PtxDevice *device;
    PtxProperties properties;
    uint64_t used;
    char *memory, *more;
    OK(ptx_device_create(&options, &device));
    OK(ptx_device_properties(device, &properties));
    EXPECT(properties.memory_bytes == 1ull << 40);
    /* Memory costs nothing until it is touched. */
    long before = resident();
    OK(ptx_malloc(device, 2048ull << 20, (void **)&memory));
    EXPECT(before < 0 || resident() - before < 64 << 20);
    memory[1ull << 30] = 1;
    OK(ptx_device_used_bytes(device, &used));
    EXPECT(used == 2048ull << 20 && memory[(1ull << 30) + 1] == 0);
    OK(ptx_free(device, memory));
    FAILS(ptx_malloc(device, 1ull << 41, (void **)&more), PTX_OUT_OF_MEMORY, "");
    KIND(PTX_ERROR_OUT_OF_MEMORY);
    OK(ptx_device_destroy(device));

    /* The size of the machine by default. */
    OK(ptx_device_create(NULL, &device));
    OK(ptx_device_properties(device, &properties));
    if (properties.memory_bytes > 0) {
        FAILS(ptx_malloc(device, properties.memory_bytes + 1, (void **)&more), PTX_OUT_OF_MEMORY, "out of memory");
        EXPECT(strcmp(ptx_status_name(PTX_OUT_OF_MEMORY), "PTX_OUT_OF_MEMORY") == 0);
    }
    OK(ptx_device_destroy(device));

    /* As the CUDA driver, 512 bytes at least. */
    options = (PtxDeviceOptions){ .lenient_bounds = 1, .memory = 1024 };
    OK(ptx_device_create(&options, &device));
    OK(ptx_malloc(device, 4, (void **)&memory));
    OK(ptx_copy_in(device, memory + 508, "abcd", 4));
    FAILS(ptx_copy_in(device, memory + 509, "abcd", 4), PTX_INVALID_MEMORY, "out of bounds");
    OK(ptx_malloc(device, 4, (void **)&more));
    FAILS(ptx_malloc(device, 4, (void **)&more), PTX_OUT_OF_MEMORY, "1024 bytes are used of 1024");
    OK(ptx_device_destroy(device));
}

static const char *shared_text =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .shared .align 16 .b8 s[];\n"
    ".visible .entry k(.param .u64 to, .param .u32 value, .param .u64 last) .maxntid 256\n"
    "{\n"
    "    .reg .b64 %a, %l; .reg .b32 %v; .local .b32 w[4];\n"
    "    ld.param.u64 %a, [to]; ld.param.u32 %v, [value]; ld.param.u64 %l, [last];\n"
    "    st.local.u32 [w], 1; st.shared.u32 [s], %v; st.global.u32 [%a], %v; st.global.u64 [%a + 8], %l;\n"
    "    ret;\n"
    "}\n";

static void check_attributes(void)
{
    PtxDeviceOptions options = { .architecture = 90, .opt_in_shared = 1 };
    PtxDevice *device;
    PtxModule *module;
    PtxKernel *kernel;
    PtxKernelAttributes found;
    PtxMultiprocessor limits;
    uint32_t blocks, threads;
    OK(ptx_device_create(&options, &device));
    OK(ptx_module_load(device, "shared.ptx", shared_text, &module));
    OK(ptx_kernel_get(module, "k", &kernel));
    OK(ptx_kernel_attributes(kernel, &found));
    EXPECT(found.max_threads == 256 && found.ptx_version == 80 && found.target == 90 && found.local_bytes == 16);
    EXPECT(found.dynamic_shared_bytes == 49152 && found.parameter_bytes == 24 && found.required_block[0] == 0);
    EXPECT(found.registers >= 8 && found.registers <= 16);
    OK(ptx_kernel_occupancy(kernel, 256, 0, &blocks));
    EXPECT(blocks == 8);
    OK(ptx_kernel_occupancy(kernel, 512, 0, &blocks));
    EXPECT(blocks == 0);
    OK(ptx_kernel_best_block(kernel, 100 << 10, 0, &threads, &blocks));
    EXPECT(threads == 256 && blocks == 2);
    OK(ptx_architecture_limits(75, &limits));
    EXPECT(limits.threads == 1024 && limits.blocks == 16 && limits.block_shared_bytes == 65536);

    /* One buffer with all parameters. */
    struct { uint64_t to; uint32_t value, unused; uint64_t last; } buffer = { .value = 5, .last = 6 };
    uint64_t *memory;
    OK(ptx_malloc_in(device, PTX_MEMORY_MANAGED, 16, (void **)&memory));
    buffer.to = (uint64_t)memory;
    PtxShape one = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .dynamic_shared = 50000 };
    FAILS(ptx_launch_buffer(kernel, &one, &buffer, sizeof buffer, NULL), PTX_INVALID_LAUNCH, "50000 bytes of dynamic shared");
    KIND(PTX_ERROR_SHARED_MEMORY);
    OK(ptx_kernel_set_dynamic_shared(kernel, 50000));
    OK(ptx_launch_buffer(kernel, &one, &buffer, sizeof buffer, NULL));
    EXPECT(memory[0] == 5 && memory[1] == 6);
    FAILS(ptx_launch_buffer(kernel, &one, &buffer, 25, NULL), PTX_INVALID_ARGUMENTS, "have 24 bytes, not 25");
    FAILS(ptx_kernel_set_dynamic_shared(kernel, 232449), PTX_INVALID_LAUNCH, "more than the 232448");

    /* What is at an address. */
    PtxRegion region;
    OK(ptx_pointer_region(device, (char *)memory + 15, &region));
    EXPECT(region.start == memory && region.bytes == 16);
    EXPECT(region.kind == PTX_REGION_ALLOCATION && region.memory == PTX_MEMORY_MANAGED);
    FAILS(ptx_pointer_region(device, (char *)memory + 16, &region), PTX_NOT_FOUND, "no memory");
    static int own[4];
    OK(ptx_register(device, own, sizeof own, true));
    OK(ptx_pointer_region(device, own + 1, &region));
    EXPECT(region.start == own && region.kind == PTX_REGION_REGISTERED && region.memory == PTX_MEMORY_HOST);
    OK(ptx_unregister(device, own));
    FAILS(ptx_malloc_in(device, 3, 16, (void **)&memory), PTX_INVALID_VALUE, "expected 0, 1 or 2");
    OK(ptx_kernel_destroy(kernel));
    OK(ptx_module_destroy(module));
    OK(ptx_device_destroy(device));
}

static void check_limits(void)
{
    static const char *loops =
        HEAD ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
        ".visible .entry loop() { next: bra next; }\n"
        ".visible .entry take() { .param .b64 n; .param .b64 p; st.param.b64 [n], 4096; call (p), malloc, (n); ret; }\n";
    PtxDeviceOptions options = { .go_on_after_stop = 1, .engine = PTX_ENGINE_INTERPRETER };
    PtxDevice *device;
    PtxModule *module;
    PtxKernel *loop, *take;
    PtxProperties properties;
    uint64_t used;
    OK(ptx_device_create(&options, &device));
    OK(ptx_module_load(device, "loops.ptx", loops, &module));
    OK(ptx_device_set_limit(device, PTX_LIMIT_TIME, 50));
    OK(ptx_device_set_limit(device, PTX_LIMIT_STACK, 4096));
    OK(ptx_device_set_limit(device, PTX_LIMIT_OUTPUT, 100));
    OK(ptx_device_set_limit(device, PTX_LIMIT_HEAP, 65536));
    FAILS(ptx_device_set_limit(device, 4, 1), PTX_INVALID_VALUE, "expected 0 to 3");
    OK(ptx_device_properties(device, &properties));
    EXPECT(properties.stack_bytes == 4096 && properties.heap_bytes == 65536);
    PtxShape one = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    OK(ptx_kernel_get(module, "loop", &loop));
    FAILS(ptx_launch(loop, &one, NULL, NULL), PTX_STOPPED, "time limit");
    KIND(PTX_ERROR_TIMEOUT);
    OK(ptx_device_set_limit(device, PTX_LIMIT_TIME, 0));
    OK(ptx_kernel_get(module, "take", &take));
    OK(ptx_device_used_bytes(device, &used));
    EXPECT(used == 65536);
    FAILS(ptx_device_set_limit(device, PTX_LIMIT_HEAP, 131072), PTX_INVALID_VALUE, "heap");
    OK(ptx_launch(take, &one, NULL, NULL));
    OK(ptx_kernel_destroy(loop));
    OK(ptx_kernel_destroy(take));
    OK(ptx_module_destroy(module));
    OK(ptx_device_destroy(device));
}

int main(void)
{
    PtxDeviceOptions options = { .go_on_after_stop = 1 };
    PtxDevice *device;
    OK(ptx_device_create(&options, &device));
    check_kinds(device);
    check_memory();
    check_attributes();
    check_limits();
    OK(ptx_device_destroy(device));
    puts("ok");
    return 0;
}

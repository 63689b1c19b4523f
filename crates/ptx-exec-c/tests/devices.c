/* Calls the functions of devices, modules, streams and `ptx_run`, and several at once. What is expected follows from the kernels, which are a few lines each. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ptx_exec.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char *kernels =
    HEAD
    ".visible .global .align 8 .u64 total = 5;\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
    ".visible .entry add(.param .u64 to, .param .u32 step, .param .u64 n)\n"
    "{\n"
    "    .reg .b32 %s, %i; .reg .b64 %a, %v, %n; .reg .pred %p;\n"
    "    ld.param.u64 %a, [to]; ld.param.u32 %s, [step]; ld.param.u64 %n, [n];\n"
    "    mov.u32 %i, %tid.x; mad.wide.u32 %a, %i, 8, %a;\n"
    "    cvt.u64.u32 %v, %s; mad.lo.u64 %v, %v, %n, 0;\n"
    "    red.global.add.u64 [%a], %v; red.global.add.u64 [total], %v;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry hello()\n"
    "{\n"
    "    .reg .b64 %f, %z;\n"
    "    mov.u64 %f, text; cvta.global.u64 %f, %f; mov.u64 %z, 0;\n"
    "    { .param .b64 f; .param .b64 a; .param .b32 r;\n"
    "      st.param.b64 [f], %f; st.param.b64 [a], %z; call.uni (r), vprintf, (f, a); }\n"
    "    ret;\n"
    "}\n"
    ".visible .entry stop() { trap; }\n"
    ".visible .entry explain()\n"
    "{\n"
    "    .reg .b64 %f, %z;\n"
    "    mov.u64 %f, text; cvta.global.u64 %f, %f; mov.u64 %z, 0;\n"
    "    { .param .b64 f; .param .b64 a; .param .b32 r;\n"
    "      st.param.b64 [f], %f; st.param.b64 [a], %z; call.uni (r), vprintf, (f, a); }\n"
    "    trap;\n"
    "}\n";

static void print(const char *text, size_t bytes, void *user)
{
    strncat(user, text, bytes);
}

/* As gpuocelot declares it; a declaration that differs would not compile. */
void ptx_run(const char *ptx, int nargs, void **args, int lx, int ly, int lz, int gx, int gy, int gz, int smem);

static const char *run_text =
    HEAD
    ".global .align 8 .u64 before = 7;\n"
    ".visible .entry first(.param .u64 to, .param .u32 value, .param .u16 small)\n"
    "{\n"
    "    .reg .b64 %a, %v, %b; .reg .b32 %x; .reg .b16 %h;\n"
    "    ld.param.u64 %a, [to]; ld.param.u32 %x, [value]; ld.param.u16 %h, [small];\n"
    "    cvt.u64.u32 %v, %x; cvt.u64.u16 %b, %h; add.u64 %v, %v, %b;\n"
    "    atom.global.add.u64 %b, [before], 1; add.u64 %v, %v, %b;\n"
    "    st.u64 [%a], %v;\n"
    "    ret;\n"
    "}\n"
    ".visible .entry second() { trap; }\n";

/* Runs a kernel a hundred times, on its own stack. */
static void *hammer(void *argument)
{
    size_t thread = (size_t)argument;
    for (size_t n = 0; n < 100; n++) {
        unsigned long long result = 0;
        void *args[] = { &result, (void *)(n | 0xffff00000000), (void *)(thread | 0x10000) };
        ptx_run(run_text, 3, args, 1, 1, 1, 1, 1, 1, 0);
        EXPECT(strcmp(ptx_last_error(), "") == 0);
        EXPECT(result == n + thread + 7);
    }
    return NULL;
}

static void check_run(void)
{
    unsigned long long result = 0, numbers[4] = { 0 };
    void *args[] = { &result, (void *)3, (void *)4 };
    OK(ptx_try_run(run_text, 3, args, 1, 1, 1, 1, 1, 1, 0));
    EXPECT(result == 14);
    /* Wild, null, misaligned and read-only addresses are errors. */
    args[0] = (void *)0x100000000000;
    FAILS(ptx_try_run(run_text, 3, args, 1, 1, 1, 1, 1, 1, 0), PTX_STOPPED, "out of bounds");
    ptx_run(run_text, 3, args, 1, 1, 1, 1, 1, 1, 0);
    EXPECT(strstr(ptx_last_error(), "out of bounds") != NULL);
    args[0] = NULL;
    FAILS(ptx_try_run(run_text, 3, args, 1, 1, 1, 1, 1, 1, 0), PTX_STOPPED, "out of bounds");
    args[0] = (char *)&result + 4;
    FAILS(ptx_try_run(run_text, 3, args, 1, 1, 1, 1, 1, 1, 0), PTX_STOPPED, "not aligned");
    static const unsigned long long constant = 1;
    args[0] = (void *)&constant;
    FAILS(ptx_try_run(run_text, 3, args, 1, 1, 1, 1, 1, 1, 0), PTX_STOPPED, "read-only");
    args[0] = numbers + 1;
    OK(ptx_register_memory(numbers, sizeof numbers));
    FAILS(ptx_register_memory(numbers + 3, 1), PTX_INVALID_MEMORY, "overlap");
    OK(ptx_try_run(run_text, 3, args, 1, 1, 1, 1, 1, 1, 0));
    OK(ptx_unregister_memory(numbers));
    EXPECT(numbers[0] == 0 && numbers[1] == 14);
    FAILS(ptx_try_run(run_text, 2, args, 1, 1, 1, 1, 1, 1, 0), PTX_INVALID_ARGUMENTS, "takes 3 arguments");
    FAILS(ptx_try_run(run_text, 3, args, 1, -1, 1, 1, 1, 1, 0), PTX_INVALID_LAUNCH, "(1, -1, 1) threads");
    FAILS(ptx_try_run(NULL, 0, NULL, 1, 1, 1, 1, 1, 1, 0), PTX_INVALID_VALUE, "null");
    FAILS(ptx_try_run("nothing", 0, NULL, 1, 1, 1, 1, 1, 1, 0), PTX_INVALID_MODULE, "ptx:1:1: error[");
    char printed[16] = "";
    OK(ptx_run_print_to(print, printed));
    EXPECT(printed[0] == 0);
    OK(ptx_run_print_to(NULL, NULL));
    pthread_t threads[4];
    for (size_t n = 0; n < 4; n++)
        EXPECT(pthread_create(&threads[n], NULL, hammer, (void *)n) == 0);
    for (size_t n = 0; n < 4; n++)
        EXPECT(pthread_join(threads[n], NULL) == 0);
}

static const char sum_text[] =
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "declare i32 @twice(i32)\n"
    "define ptx_kernel void @k(ptr addrspace(1) %to) {\n"
    "  %v = call i32 @twice(i32 21)\n"
    "  store i32 %v, ptr addrspace(1) %to\n"
    "  ret void\n"
    "}\n"
    "what is after the length is not read";
static const char twice_text[] =
    HEAD
    ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
    "{\n"
    "    .reg .b32 %x;\n"
    "    ld.param.b32 %x, [x]; add.u32 %x, %x, %x; st.param.b32 [r], %x;\n"
    "    ret;\n"
    "}\n"
    "what is after the length is not read";

/* Files with lengths; in LLVM IR where the library takes it. */
static void check_files(const PtxDevice *device)
{
    size_t tail = strlen("what is after the length is not read");
    PtxFile files[] = {
        { "sum.ll", sum_text, sizeof sum_text - 1 - tail },
        { "twice.ptx", twice_text, sizeof twice_text - 1 - tail },
    };
    PtxModule *module;
    size_t count;
    OK(ptx_module_load_files(device, 1, files + 1, &module));
    OK(ptx_module_kernel_count(module, &count));
    EXPECT(count == 0);
    OK(ptx_module_destroy(module));
    files[1].bytes += 4;
    FAILS(ptx_module_load_files(device, 1, files + 1, &module), PTX_INVALID_MODULE, "twice.ptx:10:1: error[");
    files[1].bytes -= 4;
    FAILS(ptx_module_load_files(device, 0, files, &module), PTX_INVALID_VALUE, "no file");
    PtxFile nothing = { "nothing", NULL, 1 };
    FAILS(ptx_module_load_files(device, 1, &nothing, &module), PTX_INVALID_VALUE, "`contents`");
#ifdef WITH_LLVM
    PtxKernel *kernel;
    unsigned *to;
    PtxShape shape = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    const void *arguments[] = { &to };
    OK(ptx_malloc(device, 4, (void **)&to));
    OK(ptx_module_load_files(device, 2, files, &module));
    OK(ptx_kernel_get(module, "k", &kernel));
    OK(ptx_launch(kernel, &shape, arguments, NULL));
    EXPECT(*to == 42);
    PtxFile file;
    OK(ptx_module_file(module, 0, &file));
    EXPECT(strcmp(file.name, "sum.ll (as PTX)") == 0 && memchr(file.contents, '.', file.bytes) != NULL);
    OK(ptx_kernel_destroy(kernel));
    OK(ptx_module_destroy(module));
    OK(ptx_free(device, to));
    files[0].bytes += 4;
    FAILS(ptx_module_load_files(device, 1, files, &module), PTX_INVALID_MODULE, "sum.ll:8:1: error[I0001]");
#else
    FAILS(ptx_module_load_files(device, 2, files, &module), PTX_INVALID_MODULE, "feature `llvm`");
#endif
}

/* A device whose addresses have 32 bits, for modules of that size. */
static void check_narrow(const PtxDevice *wide)
{
    const char *text = ".version 8.0\n.target sm_80\n.address_size 32\n"
                       ".visible .entry twice(.param .u32 p)\n"
                       "{ .reg .b32 %p, %v; ld.param.u32 %p, [p]; ld.u32 %v, [%p]; add.u32 %v, %v, %v; st.u32 [%p], %v; ret; }\n";
    PtxDeviceOptions options = { .has_32_bit_addresses = 1 };
    PtxDevice *device;
    PtxModule *module;
    PtxKernel *twice;
    void *pointer;
    unsigned value = 21, address;
    const void *arguments[] = { &address };
    PtxShape shape = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    FAILS(ptx_module_load(wide, "twice.ptx", text, &module), PTX_INVALID_MODULE, "32");
    OK(ptx_device_create(&options, &device));
    OK(ptx_module_load(device, "twice.ptx", text, &module));
    OK(ptx_kernel_get(module, "twice", &twice));
    OK(ptx_malloc(device, 4, &pointer));
    address = (unsigned)(size_t)pointer;
    EXPECT(address == (size_t)pointer);
    OK(ptx_copy_in(device, pointer, &value, 4));
    OK(ptx_launch(twice, &shape, arguments, NULL));
    OK(ptx_copy_out(device, &value, pointer, 4));
    EXPECT(value == 42);
    OK(ptx_kernel_destroy(twice));
    OK(ptx_module_destroy(module));
    OK(ptx_device_destroy(device));
}

static void count_call(void *user)
{
    *(int *)user += 1;
}

/* Copies in both directions, patterns and functions, in the order of the stream. */
static void check_copies(const PtxDevice *device, const PtxStream *stream)
{
    unsigned char *data, in[64], out[3][64];
    unsigned short pattern = 0x0201;
    int calls = 0;
    OK(ptx_malloc(device, 64, (void **)&data));
    for (int i = 0; i < 64; i++)
        in[i] = i;
    OK(ptx_stream_fill_pattern(stream, data, &pattern, 2, 32));
    OK(ptx_stream_copy_out(stream, out[0], data, 64));
    OK(ptx_stream_call(stream, count_call, &calls));
    OK(ptx_stream_copy_in(stream, data, in, 64));
    memset(in, 0xff, 64); /* it was read before the function returned */
    OK(ptx_stream_copy_out(stream, out[1], data, 64));
    OK(ptx_stream_copy(stream, data, data + 32, 32));
    OK(ptx_stream_copy_out(stream, out[2], data, 64));
    OK(ptx_stream_call(stream, count_call, &calls));
    OK(ptx_stream_synchronize(stream));
    OK(ptx_stream_query(stream));
    EXPECT(calls == 2);
    for (int i = 0; i < 64; i++)
        EXPECT(out[0][i] == 1 + i % 2 && out[1][i] == i && out[2][i] == (i < 32 ? i + 32 : i));
    OK(ptx_stream_copy_out(stream, out[0], data + 60, 8));
    FAILS(ptx_stream_synchronize(stream), PTX_INVALID_MEMORY, "bytes");
    EXPECT(out[0][0] == 1);
    FAILS(ptx_stream_call(stream, NULL, NULL), PTX_INVALID_VALUE, "`function`");
    FAILS(ptx_stream_copy_out(stream, NULL, data, 8), PTX_INVALID_VALUE, "`to`");
    OK(ptx_free(device, data));
}

int main(void)
{
    PtxDeviceOptions options = { .architecture = 80, .threads = 2, .timeout = 60000, .heap = 1 << 20 };
    PtxDevice *device;
    OK(ptx_device_create(&options, &device));
    PtxProperties properties;
    OK(ptx_device_properties(device, &properties));
    EXPECT(properties.architecture == 80 && properties.warp_size == 32 && properties.threads_per_block == 1024);
    EXPECT(properties.block[2] == 64 && properties.grid[0] == 2147483647 && properties.grid[1] == 65535);
    EXPECT(properties.heap_bytes == 1 << 20 && properties.cooperative_blocks > 0);
    options.completion = 9;
    PtxDevice *none;
    FAILS(ptx_device_create(&options, &none), PTX_INVALID_VALUE, "`completion` is 9; expected 0, 1 or 2");
    EXPECT(strcmp(ptx_status_name(PTX_STOPPED), "PTX_STOPPED") == 0);

    PtxModule *module;
    FAILS(ptx_module_load(device, "bad.ptx", HEAD "x", &module), PTX_INVALID_MODULE, "bad.ptx:4:1: error[");
    FAILS(ptx_module_load(device, "late.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n", &module), PTX_INVALID_MODULE, "sm_90");
    FAILS(ptx_module_load(NULL, "a", "b", &module), PTX_INVALID_VALUE, "null pointer");
    const char *names[] = { "kernels.ptx", "more.ptx" };
    const char *texts[] = { kernels, HEAD ".visible .entry more() { ret; }" };
    OK(ptx_module_link(device, 2, names, texts, &module));
    size_t count;
    OK(ptx_module_kernel_count(module, &count));
    const char *name;
    OK(ptx_module_kernel_name(module, 4, &name));
    EXPECT(count == 5 && strcmp(name, "more") == 0);
    FAILS(ptx_module_kernel_name(module, 5, &name), PTX_NOT_FOUND, "no kernel 5");

    PtxFile file;
    OK(ptx_module_file(module, 1, &file));
    EXPECT(strcmp(file.name, "more.ptx") == 0 && file.bytes == strlen(texts[1]) && memcmp(file.contents, texts[1], file.bytes) == 0);
    FAILS(ptx_module_file(module, 2, &file), PTX_NOT_FOUND, "no file 2");
    check_files(device);
    check_narrow(device);

    PtxKernel *add, *hello, *stop, *explain, *missing;
    OK(ptx_kernel_get(module, "add", &add));
    OK(ptx_kernel_get(module, "hello", &hello));
    OK(ptx_kernel_get(module, "explain", &explain));
    OK(ptx_kernel_get(module, "stop", &stop));
    FAILS(ptx_kernel_get(module, "missing", &missing), PTX_NOT_FOUND, "`missing`");
    OK(ptx_kernel_parameter_count(add, &count));
    PtxParameter parameter;
    OK(ptx_kernel_parameter(add, 2, &parameter));
    EXPECT(count == 3 && strcmp(parameter.name, "n") == 0 && parameter.bytes == 8 && parameter.offset == 16);

    unsigned long long *data, *total;
    OK(ptx_malloc(device, 64, (void **)&data));
    size_t bytes;
    OK(ptx_module_variable(module, "total", (void **)&total, &bytes));
    EXPECT(*total == 5 && bytes == 8);
    FAILS(ptx_module_variable(module, "none", (void **)&total, NULL), PTX_NOT_FOUND, "`none`");
    unsigned long long one = 1, seven = 7, copy[8];
    OK(ptx_fill_pattern(device, data, &one, 8, 8));
    OK(ptx_copy_in(device, data + 1, &seven, 8));
    OK(ptx_copy(device, data + 2, data + 1, 8));
    OK(ptx_copy_out(device, copy, data, 64));
    EXPECT(copy[0] == 1 && copy[1] == 7 && copy[2] == 7 && copy[3] == 1);
    FAILS(ptx_copy_in(device, data + 8, &seven, 8), PTX_INVALID_MEMORY, "offset 64 of allocation");

    PtxShape shape = { .grid = { 1, 1, 1 }, .block = { 8, 1, 1 } };
    unsigned step = 3;
    unsigned long long n = 10;
    const void *arguments[] = { &data, &step, &n };
    OK(ptx_launch(add, &shape, arguments, NULL));
    EXPECT(data[0] == 31 && data[1] == 37 && *total == 5 + 8 * 30);
    OK(ptx_module_reset(module));
    EXPECT(*total == 5);
    shape.block[0] = 2000;
    FAILS(ptx_launch(add, &shape, arguments, NULL), PTX_INVALID_LAUNCH, "2000");
    shape.block[0] = 8;

    PtxStream *stream, *other;
    PtxEvent *begin, *end;
    double milliseconds;
    OK(ptx_stream_create(device, &stream));
    OK(ptx_stream_create(device, &other));
    OK(ptx_event_create(&begin));
    OK(ptx_event_create(&end));
    FAILS(ptx_event_elapsed(begin, end, &milliseconds), PTX_NOT_READY, "not recorded");
    check_copies(device, stream);
    OK(ptx_event_query(begin));
    OK(ptx_event_record(begin, stream));
    OK(ptx_stream_copy_in(stream, data, copy, 64));
    for (int times = 0; times < 100; times++)
        OK(ptx_launch(add, &shape, arguments, stream));
    OK(ptx_event_record(end, stream));
    OK(ptx_stream_wait(other, end));
    OK(ptx_stream_copy(other, data + 1, data, 8));
    OK(ptx_stream_synchronize(other));
    OK(ptx_event_synchronize(end));
    OK(ptx_stream_synchronize(stream));
    EXPECT(data[0] == 3001 && data[1] == 3001 && data[2] == 3007);
    OK(ptx_event_elapsed(begin, end, &milliseconds));
    EXPECT(milliseconds > 0);

    char printed[16] = "";
    OK(ptx_device_print_to(device, print, printed));
    shape.block[0] = 1;
    OK(ptx_launch(hello, &shape, NULL, NULL));
    EXPECT(strcmp(printed, "hi\n") == 0);
    /* What a kernel prints before it is stopped is passed on before the error is known. */
    FAILS(ptx_launch(explain, &shape, NULL, NULL), PTX_STOPPED, "`trap`");
    EXPECT(strcmp(printed, "hi\nhi\n") == 0);
    OK(ptx_device_recover(device));

    unsigned long long own[8] = { 0 };
    unsigned long long *to = own;
    arguments[0] = &to;
    FAILS(ptx_launch(add, &shape, arguments, NULL), PTX_STOPPED, "out of bounds");
    FAILS(ptx_launch(hello, &shape, NULL, NULL), PTX_STOPPED, "out of bounds");
    FAILS(ptx_device_synchronize(device), PTX_STOPPED, "out of bounds");
    OK(ptx_device_recover(device));
    OK(ptx_register(device, own, sizeof own, true));
    OK(ptx_launch(add, &shape, arguments, NULL));
    OK(ptx_unregister(device, own));
    EXPECT(own[0] == 30 && own[1] == 0);
    OK(ptx_launch(stop, &shape, NULL, stream));
    FAILS(ptx_stream_synchronize(stream), PTX_STOPPED, "`trap`");
    EXPECT(strstr(ptx_last_error_json(), "\"details\":{\"block\":[0,0,0],\"function\":\"stop\",\"instruction\":\"trap\"") != NULL);
    EXPECT(strchr(ptx_last_error_json(), '\n') == NULL);
    OK(ptx_device_recover(device));
    OK(ptx_device_synchronize(device));
    EXPECT(*ptx_last_error_json() == 0);
    OK(ptx_free(device, data));
    FAILS(ptx_free(device, data), PTX_INVALID_MEMORY, "was freed");

    OK(ptx_event_destroy(begin));
    OK(ptx_event_destroy(end));
    OK(ptx_stream_destroy(stream));
    OK(ptx_stream_destroy(other));
    OK(ptx_kernel_destroy(add));
    OK(ptx_kernel_destroy(hello));
    OK(ptx_kernel_destroy(explain));
    OK(ptx_kernel_destroy(stop));
    OK(ptx_module_destroy(module));
    OK(ptx_device_destroy(device));
    check_run();
    printf("ok\n");
    return 0;
}

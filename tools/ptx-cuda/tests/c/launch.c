// Loads an image from a file, launches its kernel `twice` on 1, 2, 3, 4, and prints the architecture and the numbers. Declarations are those that it uses.

#include <stdio.h>
#include <stdlib.h>

typedef struct context *CUcontext;
typedef struct module *CUmodule;
typedef struct function *CUfunction;
typedef struct stream *CUstream;

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuCtxSetCurrent(CUcontext context);
int cuCtxSynchronize(void);
int cuModuleLoad(CUmodule *module, const char *file);
int cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
int cuFuncGetAttribute(int *value, int attribute, CUfunction function);
int cuMemAlloc_v2(unsigned long long *address, size_t bytes);
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes);
int cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   CUstream stream, void **arguments, void **extra);

static void check(int result, const char *what) {
    if (result != 0) {
        printf("%s: %d\n", what, result);
        exit(4);
    }
}

#define CHECK(call) check(call, #call)

int main(int count, char **arguments) {
    int devices = 0, major = 0, minor = 0, registers = 0;
    size_t memory = 0;
    unsigned numbers[4] = {1, 2, 3, 4};
    unsigned long long address = 0;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    if (count != 2) return 5;
    CHECK(cuInit(0));
    CHECK(cuDeviceGetCount(&devices));
    CHECK(cuDeviceGetAttribute(&major, 75, 0));
    CHECK(cuDeviceGetAttribute(&minor, 76, 0));
    CHECK(cuDeviceTotalMem_v2(&memory, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoad(&module, arguments[1]));
    CHECK(cuModuleGetFunction(&function, module, "twice"));
    CHECK(cuFuncGetAttribute(&registers, 4, function));
    CHECK(cuMemAlloc_v2(&address, sizeof numbers));
    CHECK(cuMemcpyHtoD_v2(address, numbers, sizeof numbers));
    void *values[] = {&address};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, NULL, values, NULL));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH_v2(numbers, address, sizeof numbers));
    printf("%d devices of %d.%d, %zu bytes, %d registers: %u %u %u %u\n", devices, major, minor, memory, registers, numbers[0], numbers[1],
           numbers[2], numbers[3]);
    return 0;
}

// Launches a kernel in OpenCL C on the first device of the first platform: OPENCL_SOURCE is its file, OPENCL_KERNEL its name, OPENCL_SHAPE
// blocks and threads of a block in x and y. Buffers are used where they are.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "bench.h"

#include <fstream>
#include <sstream>

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static std::vector<cl_mem> buffers;
static size_t threads[2], block[2];

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL status %d\n", what, status);
    exit(1);
}

static std::string variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

void prepare(const Arguments &arguments)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, nullptr), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "context");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "queue");
    std::stringstream text;
    text << std::ifstream(variable("OPENCL_SOURCE")).rdbuf();
    const std::string source = text.str();
    const char *pointer = source.c_str();
    cl_program program = clCreateProgramWithSource(context, 1, &pointer, nullptr, &status);
    check(status, "source");
    status = clBuildProgram(program, 1, &device, "", nullptr, nullptr);
    if (status != CL_SUCCESS) {
        char log[4096] = {};
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
        fputs(log, stderr);
        check(status, "build");
    }
    kernel = clCreateKernel(program, variable("OPENCL_KERNEL").c_str(), &status);
    check(status, "kernel");
    for (size_t at = 0; at < arguments.list.size(); at++) {
        const Arguments::One &one = arguments.list[at];
        if (!one.words) {
            check(clSetKernelArg(kernel, at, sizeof one.word, &one.word), "argument");
            continue;
        }
        buffers.push_back(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, one.bytes, one.words, &status));
        check(status, "buffer");
        check(clSetKernelArg(kernel, at, sizeof buffers.back(), &buffers.back()), "argument");
    }
    std::stringstream shape(variable("OPENCL_SHAPE"));
    shape >> threads[0] >> threads[1] >> block[0] >> block[1];
    // Some implementations compile when a shape is first launched: one block, after which buffers are as they were.
    std::vector<std::vector<uint32_t>> before;
    for (const Arguments::One &one : arguments.list)
        before.emplace_back(one.words, one.words + one.bytes / 4);
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, block, block, 0, nullptr, nullptr), "first launch");
    check(clFinish(queue), "first launch");
    size_t next = 0, buffer = 0;
    for (const Arguments::One &one : arguments.list) {
        if (one.words)
            check(clEnqueueWriteBuffer(queue, buffers[buffer++], CL_TRUE, 0, one.bytes, before[next].data(), 0, nullptr, nullptr), "buffer");
        next++;
    }
    for (int axis = 0; axis < 2; axis++)
        threads[axis] *= block[axis];
}

void launch(const Arguments &)
{
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, threads, block, 0, nullptr, nullptr), "launch");
    check(clFinish(queue), "launch");
}

void finish(const Arguments &arguments)
{
    size_t next = 0;
    for (const Arguments::One &one : arguments.list) {
        if (!one.words)
            continue;
        cl_int status;
        void *there = clEnqueueMapBuffer(queue, buffers[next++], CL_TRUE, CL_MAP_READ, 0, one.bytes, 0, nullptr, nullptr, &status);
        check(status, "result");
        if (there != one.words)
            memcpy(one.words, there, one.bytes);
    }
}

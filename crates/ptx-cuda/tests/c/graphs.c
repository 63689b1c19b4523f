/* Graphs: nodes of each kind, changes, clones, and capture of streams. */

#include "expect.h"

enum { N = 64 };

static CUfunction scale;
static CUdeviceptr memory;

static CUDA_KERNEL_NODE_PARAMS kernel(void **arguments)
{
    CUDA_KERNEL_NODE_PARAMS parameters = {
        .func = scale, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = N, .blockDimY = 1, .blockDimZ = 1,
        .kernelParams = arguments,
    };
    return parameters;
}

static uint32_t word(int index)
{
    uint32_t found;
    OK(cuMemcpyDtoH(&found, memory + 4 * index, 4));
    return found;
}

static void count(void *data)
{
    ++*(int *)data;
}

/* Words become 5, then 5 * 3 + i; with other arguments 5 * 4 + i. */
static void built(void)
{
    uint32_t factor = 3, n = N, copied[N];
    int calls = 0;
    void *arguments[] = { &memory, &factor, &n };
    CUgraph graph, clone, child;
    CUgraphExec executable;
    CUgraphNode fill, launch, copy, call, inner, found[8], empty;
    CUgraphNodeType type;
    CUcontext context;
    size_t number;
    OK(cuCtxGetCurrent(&context));
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS set = { .dst = memory, .value = 5, .elementSize = 4, .width = N, .height = 1 };
    OK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &set, context));
    CUDA_KERNEL_NODE_PARAMS parameters = kernel(arguments);
    OK(cuGraphAddKernelNode(&launch, graph, &fill, 1, &parameters));
    /* Arguments are copied. */
    factor = 99;
    CUDA_MEMCPY3D box = {
        .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = memory, .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = copied,
        .WidthInBytes = sizeof copied, .Height = 1, .Depth = 1,
    };
    OK(cuGraphAddMemcpyNode(&copy, graph, &launch, 1, &box, context));
    OK(cuGraphCreate(&child, 0));
    CUDA_HOST_NODE_PARAMS host = { .fn = count, .userData = &calls };
    OK(cuGraphAddHostNode(&inner, child, NULL, 0, &host));
    OK(cuGraphAddChildGraphNode(&call, graph, &copy, 1, child));
    OK(cuGraphDestroy(child));
    OK(cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    OK(cuGraphAddDependencies(graph, &call, &empty, NULL, 1));
    GIVES(cuGraphAddDependencies(graph, &call, &empty, NULL, 1), CUDA_ERROR_INVALID_VALUE);

    OK(cuGraphGetNodes(graph, NULL, &number));
    EXPECT(number == 5);
    number = 8;
    OK(cuGraphGetNodes(graph, found, &number));
    EXPECT(number == 5 && found[0] == fill && found[5] == NULL);
    OK(cuGraphGetRootNodes(graph, NULL, &number));
    EXPECT(number == 1);
    OK(cuGraphGetEdges(graph, NULL, NULL, NULL, &number));
    EXPECT(number == 4);
    OK(cuGraphNodeGetType(copy, &type));
    EXPECT(type == CU_GRAPH_NODE_TYPE_MEMCPY);
    number = 1;
    OK(cuGraphNodeGetDependentNodes(launch, found, NULL, &number));
    EXPECT(found[0] == copy);

    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuCtxSynchronize());
    for (uint32_t i = 0; i < N; i++)
        EXPECT(copied[i] == 15 + i);
    EXPECT(calls == 1);

    /* Other arguments, for the executable graph only. */
    factor = 4;
    OK(cuGraphExecKernelNodeSetParams(executable, launch, &parameters));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuCtxSynchronize());
    EXPECT(copied[N - 1] == 20 + N - 1 && calls == 2);
    CUDA_KERNEL_NODE_PARAMS got;
    OK(cuGraphKernelNodeGetParams(launch, &got));
    EXPECT(got.func == scale && got.blockDimX == N && *(uint32_t *)got.kernelParams[1] == 3);
    OK(cuGraphNodeSetEnabled(executable, launch, 0));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuCtxSynchronize());
    EXPECT(copied[7] == 5);

    /* A clone has its own nodes; the executable graph takes over what they do. */
    OK(cuGraphClone(&clone, graph));
    OK(cuGraphNodeFindInClone(&found[0], launch, clone));
    factor = 6;
    OK(cuGraphKernelNodeSetParams(found[0], &parameters));
    CUgraphExecUpdateResultInfo result;
    OK(cuGraphNodeSetEnabled(executable, launch, 1));
    OK(cuGraphExecUpdate(executable, clone, &result));
    EXPECT(result.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    OK(cuGraphLaunch(executable, NULL));
    OK(cuCtxSynchronize());
    EXPECT(copied[2] == 32);
    OK(cuGraphDestroyNode(found[0]));
    GIVES(cuGraphExecUpdate(executable, clone, &result), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    EXPECT(result.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    OK(cuGraphDestroy(clone));

    OK(cuGraphAddDependencies(graph, &empty, &fill, NULL, 1));
    CUgraphExec other;
    GIVES(cuGraphInstantiate(&other, graph, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(graph));
    GIVES(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuGraphNodeGetType(launch, &type), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(executable));
    GIVES(cuGraphLaunch(executable, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* Memory of the graph itself. */
static void allocations(void)
{
    uint32_t factor = 3, n = N;
    CUgraph graph;
    CUgraphExec executable;
    CUgraphNode allocate, launch, release, fill;
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    OK(cuGraphCreate(&graph, 0));
    CUDA_MEM_ALLOC_NODE_PARAMS wanted = {
        .poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } }, .bytesize = 4 * N,
    };
    OK(cuGraphAddMemAllocNode(&allocate, graph, NULL, 0, &wanted));
    EXPECT(wanted.dptr != 0);
    CUDA_MEMSET_NODE_PARAMS set = { .dst = wanted.dptr, .value = 1, .elementSize = 4, .width = N, .height = 1 };
    OK(cuGraphAddMemsetNode(&fill, graph, &allocate, 1, &set, context));
    void *arguments[] = { &wanted.dptr, &factor, &n };
    CUDA_KERNEL_NODE_PARAMS parameters = kernel(arguments);
    OK(cuGraphAddKernelNode(&launch, graph, &fill, 1, &parameters));
    OK(cuGraphAddMemFreeNode(&release, graph, &launch, 1, wanted.dptr));
    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuCtxSynchronize());
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
}

/* Two streams, of which one joins the capture by an event. */
static void captured(void)
{
    uint32_t factor = 2, n = N;
    void *arguments[] = { &memory, &factor, &n };
    CUstream stream, other;
    CUevent forked, joined;
    CUgraph graph, empty;
    CUgraphExec executable;
    CUstreamCaptureStatus status;
    size_t number;
    CUdeviceptr more;
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&joined, CU_EVENT_DISABLE_TIMING));
    OK(cuMemsetD32(memory, 100, N));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GIVES(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
    OK(cuMemsetD32Async(memory, 1, N, stream));
    OK(cuEventRecord(forked, stream));
    OK(cuStreamWaitEvent(other, forked, 0));
    OK(cuLaunchKernel(scale, 1, 1, 1, N, 1, 1, 0, other, arguments, NULL));
    OK(cuEventRecord(joined, other));
    OK(cuStreamIsCapturing(other, &status));
    EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    GIVES(cuEventQuery(joined), CUDA_ERROR_CAPTURED_EVENT);
    OK(cuStreamWaitEvent(stream, joined, 0));
    OK(cuLaunchKernel(scale, 1, 1, 1, N, 1, 1, 0, stream, arguments, NULL));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuStreamIsCapturing(other, &status));
    EXPECT(status == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuGraphGetNodes(graph, NULL, &number));
    EXPECT(number == 3);
    /* Nothing has been done so far. */
    EXPECT(word(3) == 100);
    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphLaunch(executable, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT(word(3) == (1 * 2 + 3) * 2 + 3);

    /* What waits for the stream ends the capture with an error. */
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GIVES(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    GIVES(cuStreamEndCapture(stream, &empty), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GIVES(cuMemAlloc(&more, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    GIVES(cuStreamEndCapture(stream, &empty), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemAlloc(&more, 4));
    OK(cuMemFree(more));
    GIVES(cuLaunchKernel(scale, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    OK(cuEventRecord(forked, stream));
    OK(cuStreamWaitEvent(other, forked, 0));
    OK(cuMemsetD32Async(memory, 1, N, other));
    GIVES(cuStreamEndCapture(other, &empty), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    GIVES(cuStreamEndCapture(stream, &empty), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(cuEventRecord(forked, stream));
    OK(cuStreamWaitEvent(other, forked, 0));
    OK(cuMemsetD32Async(memory, 1, N, other));
    GIVES(cuStreamEndCapture(stream, &empty), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    /* A stream that has been joined may be destroyed before the capture ends; what has not is missed in the end. */
    for (int is_joined = 0; is_joined < 2; is_joined++) {
        CUstream short_lived;
        OK(cuStreamCreate(&short_lived, CU_STREAM_NON_BLOCKING));
        OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        OK(cuEventRecord(forked, stream));
        OK(cuStreamWaitEvent(short_lived, forked, 0));
        OK(cuMemsetD32Async(memory, 1, 1, short_lived));
        OK(cuEventRecord(joined, short_lived));
        if (is_joined) OK(cuStreamWaitEvent(stream, joined, 0));
        OK(cuStreamDestroy(short_lived));
        if (is_joined) {
            OK(cuStreamEndCapture(stream, &empty));
            OK(cuGraphDestroy(empty));
        } else {
            GIVES(cuStreamEndCapture(stream, &empty), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
        }
    }
    GIVES(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);

    /* The event is of no capture any more. */
    OK(cuStreamWaitEvent(other, forked, 0));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuStreamDestroy(stream));
    OK(cuStreamDestroy(other));
}

int main(void)
{
    CUcontext context;
    CUmodule module;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, SCALE));
    OK(cuModuleGetFunction(&scale, module, "scale"));
    OK(cuMemAlloc(&memory, 4 * N));
    built();
    allocations();
    captured();
    printf("passed\n");
    return 0;
}

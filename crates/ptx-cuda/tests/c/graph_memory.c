/* Memory that nodes of graphs allocate: freed in the graph, by calls, by another graph, and at the next launch. */

#include "expect.h"

enum { N = 64 };

static CUcontext context;

static CUDA_MEM_ALLOC_NODE_PARAMS wanted(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS parameters = {
        .poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } }, .bytesize = 4 * N,
    };
    return parameters;
}

/* A graph that allocates memory and sets its words to a value. */
static CUgraph filling(CUdeviceptr *memory, unsigned value, CUgraphNode *last)
{
    CUgraph graph;
    CUgraphNode allocate;
    CUDA_MEM_ALLOC_NODE_PARAMS parameters = wanted();
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemAllocNode(&allocate, graph, NULL, 0, &parameters));
    CUDA_MEMSET_NODE_PARAMS set = { .dst = parameters.dptr, .value = value, .elementSize = 4, .width = N, .height = 1 };
    OK(cuGraphAddMemsetNode(last, graph, &allocate, 1, &set, context));
    *memory = parameters.dptr;
    return graph;
}

static uint32_t word(CUdeviceptr memory)
{
    uint32_t found;
    OK(cuMemcpyDtoH(&found, memory + 4 * (N - 1), 4));
    return found;
}

static uint64_t used(CUgraphMem_attribute attribute)
{
    cuuint64_t bytes;
    OK(cuDeviceGetGraphMemAttribute(0, attribute, &bytes));
    return bytes;
}

static void freed_in_the_graph(void)
{
    CUdeviceptr memory;
    CUgraphNode fill, release;
    CUgraph graph = filling(&memory, 1, &fill), other;
    CUgraphExec executable;
    OK(cuGraphAddMemFreeNode(&release, graph, &fill, 1, memory));
    GIVES(cuGraphAddMemFreeNode(&release, graph, &fill, 1, memory), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphCreate(&other, 0));
    GIVES(cuGraphAddMemFreeNode(&release, other, NULL, 0, memory), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(other));
    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuGraphLaunch(executable, NULL));
    /* It is not allocated outside the graph. */
    GIVES(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuMemFreeAsync(memory, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize());
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
}

static void freed_by_calls(void)
{
    CUdeviceptr memory;
    CUgraphNode fill;
    CUgraph graph = filling(&memory, 7, &fill);
    CUgraphExec executable;
    GIVES(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphLaunch(executable, NULL));
    EXPECT(word(memory) == 7);
    GIVES(cuGraphLaunch(executable, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(memory));
    GIVES(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphLaunch(executable, NULL));
    OK(cuMemFreeAsync(memory, NULL));
    GIVES(cuMemFreeAsync(memory, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphLaunch(executable, NULL));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    /* What is still allocated outlives its graph. */
    EXPECT(word(memory) == 7);
    OK(cuMemsetD32(memory, 8, N));
    EXPECT(word(memory) == 8);
    OK(cuMemFree(memory));
    GIVES(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
}

static void freed_by_another_graph(void)
{
    CUdeviceptr memory, usual;
    CUgraphNode fill, release;
    CUgraph graph = filling(&memory, 3, &fill), other;
    CUgraphExec first, second;
    OK(cuMemAlloc(&usual, 4));
    OK(cuGraphCreate(&other, 0));
    /* It is not that of an allocation node. */
    GIVES(cuGraphAddMemFreeNode(&release, other, NULL, 0, usual), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(usual));
    GIVES(cuGraphAddMemFreeNode(&release, other, NULL, 0, memory + 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphAddMemFreeNode(&release, other, NULL, 0, memory));
    GIVES(cuGraphAddMemFreeNode(&release, graph, &fill, 1, memory), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiate(&first, graph, 0));
    OK(cuGraphInstantiate(&second, other, 0));
    GIVES(cuGraphLaunch(second, NULL), CUDA_ERROR_INVALID_VALUE);
    for (int round = 0; round < 3; ++round) {
        OK(cuGraphLaunch(first, NULL));
        GIVES(cuGraphLaunch(first, NULL), CUDA_ERROR_INVALID_VALUE);
        OK(cuGraphLaunch(second, NULL));
        GIVES(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    }
    OK(cuGraphExecDestroy(first));
    OK(cuGraphExecDestroy(second));
    OK(cuGraphDestroy(graph));
    OK(cuGraphDestroy(other));
}

static void freed_at_the_next_launch(void)
{
    CUdeviceptr memory;
    CUgraphNode fill;
    CUgraph graph = filling(&memory, 5, &fill);
    CUgraphExec executable;
    OK(cuGraphInstantiate(&executable, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    for (int round = 0; round < 3; ++round) {
        OK(cuGraphLaunch(executable, NULL));
        EXPECT(word(memory) == 5);
        OK(cuMemsetD32(memory, 6, N));
    }
    OK(cuMemFree(memory));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuMemFree(memory));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
}

/* Graphs with such nodes keep their nodes, and are neither copied nor launched from two executable graphs. */
static void restrictions(void)
{
    CUdeviceptr memory;
    CUgraphNode fill, node, allocate;
    CUgraph graph = filling(&memory, 1, &fill), copy, parent;
    CUgraphExec executable, second;
    size_t one = 1;
    OK(cuGraphNodeGetDependencies(fill, &allocate, NULL, &one));
    GIVES(cuGraphDestroyNode(fill), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuGraphRemoveDependencies(graph, &allocate, &fill, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuGraphClone(&copy, graph), CUDA_ERROR_INVALID_VALUE);
    CUgraphNodeParams other = { .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC, .alloc = { .poolProps = wanted().poolProps, .bytesize = 4 * N } };
    GIVES(cuGraphNodeSetParams(allocate, &other), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphCreate(&parent, 0));
    GIVES(cuGraphAddChildGraphNode(&node, parent, NULL, 0, graph), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiate(&executable, graph, 0));
    GIVES(cuGraphInstantiate(&second, graph, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphExecDestroy(executable));

    /* The ownership of such a graph can be passed to a node. */
    CUgraphNodeParams moved = { .type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = { .graph = graph, .ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE } };
    OK(cuGraphAddNode(&node, parent, NULL, NULL, 0, &moved));
    GIVES(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuGraphInstantiate(&second, graph, 0), CUDA_ERROR_INVALID_VALUE);
    CUDA_MEM_ALLOC_NODE_PARAMS more = wanted();
    GIVES(cuGraphAddMemAllocNode(&allocate, graph, NULL, 0, &more), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiate(&executable, parent, 0));
    OK(cuGraphLaunch(executable, NULL));
    EXPECT(word(memory) == 1);
    GIVES(cuGraphLaunch(executable, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(memory));
    OK(cuGraphLaunch(executable, NULL));
    OK(cuMemFree(memory));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(parent));
    GIVES(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
}

static void captured(void)
{
    CUstream stream;
    CUdeviceptr memory, kept, usual;
    CUgraph graph, empty;
    CUgraphExec executable;
    CUgraphNodeType type;
    CUgraphNode nodes[8];
    size_t number = 8;
    OK(cuMemAlloc(&usual, 4));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuMemAllocAsync(&memory, 4 * N, stream));
    OK(cuMemAllocAsync(&kept, 4 * N, stream));
    OK(cuMemsetD32Async(memory, 9, N, stream));
    OK(cuMemcpyDtoDAsync(kept, memory, 4 * N, stream));
    /* A free node is for memory of an allocation node alone. */
    GIVES(cuMemFreeAsync(usual, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFreeAsync(memory, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuMemFree(usual));
    OK(cuGraphGetNodes(graph, nodes, &number));
    EXPECT(number == 5);
    OK(cuGraphNodeGetType(nodes[0], &type));
    EXPECT(type == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    OK(cuGraphNodeGetType(nodes[4], &type));
    EXPECT(type == CU_GRAPH_NODE_TYPE_MEM_FREE);
    OK(cuGraphInstantiate(&executable, graph, 0));
    OK(cuGraphLaunch(executable, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT(word(kept) == 9);
    /* A graph with such nodes is not captured itself. */
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GIVES(cuGraphLaunch(executable, stream), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamEndCapture(stream, &empty));
    OK(cuGraphDestroy(empty));
    /* Work that uses the memory was queued before it is freed, and the graph is destroyed meanwhile. */
    OK(cuMemsetD32Async(kept, 10, N, stream));
    OK(cuMemFreeAsync(kept, stream));
    OK(cuGraphExecDestroy(executable));
    OK(cuGraphDestroy(graph));
    OK(cuStreamSynchronize(stream));
    GIVES(cuMemFree(kept), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamDestroy(stream));
}

static void attributes(void)
{
    CUdeviceptr memory;
    CUgraphNode fill;
    cuuint64_t none = 0, some = 1;
    EXPECT(used(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == 0);
    OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &none));
    EXPECT(used(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) == 0);
    CUgraph graph = filling(&memory, 1, &fill);
    EXPECT(used(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) >= 4 * N && used(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) >= 4 * N);
    OK(cuGraphDestroy(graph));
    EXPECT(used(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT) == 0 && used(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= 4 * N);
    GIVES(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &some), CUDA_ERROR_INVALID_VALUE);
    GIVES(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &none), CUDA_ERROR_INVALID_VALUE);
}

int main(void)
{
    size_t before, after, total;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuMemGetInfo(&before, &total));
    freed_in_the_graph();
    freed_by_calls();
    freed_by_another_graph();
    freed_at_the_next_launch();
    restrictions();
    captured();
    attributes();
    OK(cuMemGetInfo(&after, &total));
    EXPECT(before == after);
    puts("passed");
    return 0;
}

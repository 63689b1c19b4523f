// Graphs: built and captured, instantiated, updated, launched, copied; nodes of all kinds and their parameters.

#include <vector>

#include "expect.h"

__device__ int total;

__global__ void add(int *items, int amount) { items[threadIdx.x] += amount; }

__global__ void scale(int *items, int factor) { items[threadIdx.x] *= factor; }

__global__ void sum(const int *items, int count) {
    for (int i = 0; i < count; i++) total += items[i];
}

static void CUDART_CB count_call(void *data) { ++*(int *)data; }

static void built() {
    int *items, host[32], result[32], calls = 0, zero = 0, found = -1, amount = 5, factor = 3, count = 32;
    OK(cudaMalloc(&items, sizeof(host)));
    for (int i = 0; i < 32; i++) host[i] = i;
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t in, reset, added, scaled, summed, out, call, from_symbol, join;
    OK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, items, host, sizeof(host), cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeToSymbol(&reset, graph, nullptr, 0, total, &zero, sizeof(zero), 0, cudaMemcpyHostToDevice));
    cudaKernelNodeParams launch = {};
    void *add_arguments[] = {&items, &amount};
    launch.func = (void *)add;
    launch.gridDim = dim3(1);
    launch.blockDim = dim3(32);
    launch.kernelParams = add_arguments;
    OK(cudaGraphAddKernelNode(&added, graph, &in, 1, &launch));
    void *scale_arguments[] = {&items, &factor};
    launch.func = (void *)scale;
    launch.kernelParams = scale_arguments;
    OK(cudaGraphAddKernelNode(&scaled, graph, &added, 1, &launch));
    void *sum_arguments[] = {&items, &count};
    launch.func = (void *)sum;
    launch.blockDim = dim3(1);
    launch.kernelParams = sum_arguments;
    cudaGraphNode_t before[] = {scaled, reset};
    OK(cudaGraphAddKernelNode(&summed, graph, before, 2, &launch));
    OK(cudaGraphAddMemcpyNode1D(&out, graph, &scaled, 1, result, items, sizeof(result), cudaMemcpyDeviceToHost));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, graph, &summed, 1, &found, total, sizeof(found), 0, cudaMemcpyDeviceToHost));
    cudaGraphNode_t last[] = {out, from_symbol};
    OK(cudaGraphAddEmptyNode(&join, graph, last, 2));
    cudaHostNodeParams host_call = {count_call, &calls};
    OK(cudaGraphAddHostNode(&call, graph, &join, 1, &host_call));

    size_t nodes = 0, edges = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    EXPECT(nodes == 9 && edges == 9);
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(scaled, &type));
    EXPECT(type == cudaGraphNodeTypeKernel);
    cudaKernelNodeParams read;
    OK(cudaGraphKernelNodeGetParams(scaled, &read));
    EXPECT(read.func == (void *)scale && read.blockDim.x == 32 && *(int *)read.kernelParams[1] == 3);
    cudaMemcpy3DParms copy;
    OK(cudaGraphMemcpyNodeGetParams(in, &copy));
    EXPECT(copy.kind == cudaMemcpyHostToDevice && copy.srcPtr.ptr == host && copy.dstPtr.ptr == items && copy.extent.width == 128);

    cudaGraphExec_t executable;
    OK(cudaGraphInstantiate(&executable, graph, 0));
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    for (int run = 0; run < 3; run++) OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
    int expected = 0;
    for (int i = 0; i < 32; i++) expected += 3 * (i + 5);
    for (int i = 0; i < 32; i++) EXPECT(result[i] == 3 * (i + 5));
    EXPECT(calls == 3 && found == expected);

    // Other arguments, in what is instantiated, and in the graph.
    factor = 4;
    launch.func = (void *)scale;
    launch.blockDim = dim3(32);
    launch.kernelParams = scale_arguments;
    OK(cudaGraphExecKernelNodeSetParams(executable, scaled, &launch));
    OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++) EXPECT(result[i] == 4 * (i + 5));
    amount = -1;
    launch.func = (void *)add;
    launch.kernelParams = add_arguments;
    OK(cudaGraphKernelNodeSetParams(added, &launch));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(executable, graph, &info));
    EXPECT(info.result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++) EXPECT(result[i] == 3 * (i - 1));
    OK(cudaGraphNodeSetEnabled(executable, scaled, 0));
    OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++) EXPECT(result[i] == i - 1);

    // A copy, and the graph as a node of another.
    cudaGraph_t clone, parent;
    cudaGraphNode_t same, child, fill;
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&same, scaled, clone));
    OK(cudaGraphGetNodes(clone, nullptr, &nodes));
    EXPECT(nodes == 9 && same != scaled);
    OK(cudaGraphCreate(&parent, 0));
    OK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, clone));
    cudaMemsetParams bytes = {};
    bytes.dst = items;
    bytes.value = 0x7f;
    bytes.elementSize = 1;
    bytes.width = 64;
    bytes.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, parent, &child, 1, &bytes));
    cudaGraphExec_t whole;
    OK(cudaGraphInstantiate(&whole, parent, 0));
    OK(cudaGraphLaunch(whole, stream));
    OK(cudaMemcpyAsync(host, items, sizeof(host), cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++) EXPECT(host[i] == (i < 16 ? 0x7f7f7f7f : 3 * (i - 1)));
    OK(cudaGraphExecDestroy(whole));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(parent));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(items));
}

static void captured() {
    int *items, host[32] = {}, calls = 0;
    OK(cudaMalloc(&items, sizeof(host)));
    cudaStream_t stream, other;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&other));
    cudaEvent_t fork, join;
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(items, 0, sizeof(host), stream));
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(other, fork, 0));
    add<<<1, 16, 0, stream>>>(items, 7);
    add<<<1, 16, 0, other>>>(items + 16, 9);
    OK(cudaLaunchHostFunc(other, count_call, &calls));
    OK(cudaEventRecord(join, other));
    OK(cudaStreamWaitEvent(stream, join, 0));
    scale<<<1, 32, 0, stream>>>(items, 2);
    OK(cudaMemcpyAsync(host, items, sizeof(host), cudaMemcpyDeviceToHost, stream));
    cudaStreamCaptureStatus status;
    unsigned long long id;
    cudaGraph_t capturing;
    OK(cudaStreamGetCaptureInfo(stream, &status, &id, &capturing, nullptr, nullptr, nullptr));
    EXPECT(status == cudaStreamCaptureStatusActive);
    EXPECT_RESULT(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
    cudaGraph_t graph;
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();

    // Again, without what a capture cannot have.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaMemsetAsync(items, 0, sizeof(host), stream));
    OK(cudaEventRecord(fork, stream));
    OK(cudaStreamWaitEvent(other, fork, 0));
    add<<<1, 16, 0, stream>>>(items, 7);
    add<<<1, 16, 0, other>>>(items + 16, 9);
    OK(cudaLaunchHostFunc(other, count_call, &calls));
    OK(cudaEventRecord(join, other));
    OK(cudaStreamWaitEvent(stream, join, 0));
    // What has been joined is not needed any more.
    OK(cudaStreamDestroy(other));
    scale<<<1, 32, 0, stream>>>(items, 2);
    OK(cudaMemcpyAsync(host, items, sizeof(host), cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    EXPECT(calls == 0 && host[0] == 0);
    cudaGraphExec_t executable;
    OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cudaGraphUpload(executable, stream));
    for (int run = 0; run < 2; run++) OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(calls == 2);
    for (int i = 0; i < 32; i++) EXPECT(host[i] == (i < 16 ? 14 : 18));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(items));
}

// Nodes by their general description, with memory that the graph allocates.
static void described() {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams allocation = {};
    allocation.type = cudaGraphNodeTypeMemAlloc;
    allocation.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    allocation.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    allocation.alloc.bytesize = 128;
    cudaGraphNode_t allocated, filled, added, copied, freed;
    OK(cudaGraphAddNode(&allocated, graph, nullptr, nullptr, 0, &allocation));
    int *items = (int *)allocation.alloc.dptr, amount = 3;
    cudaGraphNodeParams fill = {};
    fill.type = cudaGraphNodeTypeMemset;
    fill.memset.dst = items;
    fill.memset.elementSize = 4;
    fill.memset.value = 11;
    fill.memset.width = 32;
    fill.memset.height = 1;
    OK(cudaGraphAddNode(&filled, graph, &allocated, nullptr, 1, &fill));
    cudaGraphNodeParams kernel = {};
    void *arguments[] = {&items, &amount};
    kernel.type = cudaGraphNodeTypeKernel;
    kernel.kernel.func = (void *)add;
    kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1);
    kernel.kernel.blockDim.x = 32;
    kernel.kernel.kernelParams = arguments;
    OK(cudaGraphAddNode(&added, graph, &filled, nullptr, 1, &kernel));
    int host[32] = {};
    cudaGraphNodeParams copy = {};
    copy.type = cudaGraphNodeTypeMemcpy;
    copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(items, 128, 128, 1);
    copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(host, 128, 128, 1);
    copy.memcpy.copyParams.extent = make_cudaExtent(128, 1, 1);
    copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    OK(cudaGraphAddNode(&copied, graph, &added, nullptr, 1, &copy));
    OK(cudaGraphAddMemFreeNode(&freed, graph, &copied, 1, items));
    cudaGraphInstantiateParams instantiate = {};
    cudaGraphExec_t executable;
    OK(cudaGraphInstantiateWithParams(&executable, graph, &instantiate));
    EXPECT(instantiate.result_out == cudaGraphInstantiateSuccess);
    OK(cudaGraphLaunch(executable, 0));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) EXPECT(host[i] == 14);
    amount = 4;
    OK(cudaGraphExecNodeSetParams(executable, added, &kernel));
    OK(cudaGraphLaunch(executable, 0));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) EXPECT(host[i] == 15);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

int main() {
    built();
    captured();
    described();
    return passed();
}

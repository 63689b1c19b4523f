// Streams and events: order, priorities, callbacks, functions of the host, and the default streams.

#include <atomic>
#include <vector>

#include "expect.h"

__global__ void append(int *list, int *length, int value) { list[atomicAdd(length, 1)] = value; }

__global__ void scale(int *items, int count, int factor) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) items[i] *= factor;
}

static std::atomic<int> calls;

static void CUDART_CB called(cudaStream_t, cudaError_t status, void *data) {
    EXPECT(status == cudaSuccess);
    *(int *)data += 100;
    calls++;
}

int main() {
    const int count = 1 << 14, streams = 4;
    int least, greatest;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest <= least);
    cudaStream_t stream[streams];
    OK(cudaStreamCreate(&stream[0]));
    OK(cudaStreamCreateWithFlags(&stream[1], cudaStreamNonBlocking));
    OK(cudaStreamCreateWithPriority(&stream[2], cudaStreamNonBlocking, greatest));
    OK(cudaStreamCreateWithPriority(&stream[3], cudaStreamDefault, least));
    int priority;
    unsigned flags;
    OK(cudaStreamGetPriority(stream[2], &priority));
    OK(cudaStreamGetFlags(stream[2], &flags));
    EXPECT(priority == greatest && flags == cudaStreamNonBlocking);
    unsigned long long id[2];
    OK(cudaStreamGetId(stream[0], &id[0]));
    OK(cudaStreamGetId(stream[1], &id[1]));
    EXPECT(id[0] != id[1]);

    int *pinned, *device[streams];
    OK(cudaHostAlloc(&pinned, count * sizeof(int), cudaHostAllocDefault));
    for (int i = 0; i < count; i++) pinned[i] = i;
    std::vector<std::vector<int>> result(streams, std::vector<int>(count));
    cudaEvent_t start, end;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    OK(cudaEventRecord(start, stream[0]));
    int data[streams] = {1, 2, 3, 4};
    for (int i = 0; i < streams; i++) {
        OK(cudaMalloc(&device[i], count * sizeof(int)));
        OK(cudaMemcpyAsync(device[i], pinned, count * sizeof(int), cudaMemcpyHostToDevice, stream[i]));
        scale<<<16, 64, 0, stream[i]>>>(device[i], count, i + 2);
        OK(cudaStreamAddCallback(stream[i], called, &data[i], 0));
        scale<<<4, 32, 0, stream[i]>>>(device[i], count, 3);
        OK(cudaLaunchHostFunc(stream[i], [](void *at) { *(int *)at *= 2; }, &data[i]));
        OK(cudaMemcpyAsync(result[i].data(), device[i], count * sizeof(int), cudaMemcpyDeviceToHost, stream[i]));
    }
    OK(cudaEventRecord(end, stream[0]));
    for (int i = 0; i < streams; i++) {
        OK(cudaStreamSynchronize(stream[i]));
        OK(cudaStreamQuery(stream[i]));
        EXPECT(data[i] == 2 * (i + 1 + 100));
        for (int j = 0; j < count; j++) EXPECT(result[i][j] == j * (i + 2) * 3);
    }
    EXPECT(calls == streams);
    float milliseconds = -1;
    OK(cudaEventSynchronize(end));
    OK(cudaEventQuery(end));
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds >= 0);

    // Two streams in the order that an event gives, and the legacy stream after and before blocking ones.
    int *list, *length, host[32];
    OK(cudaMalloc(&list, sizeof(host)));
    OK(cudaMalloc(&length, sizeof(int)));
    OK(cudaMemset(length, 0, sizeof(int)));
    OK(cudaDeviceSynchronize());
    cudaEvent_t done;
    OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (int i = 0; i < 8; i++) {
        append<<<1, 1, 0, stream[1]>>>(list, length, 2 * i);
        OK(cudaEventRecord(done, stream[1]));
        OK(cudaStreamWaitEvent(stream[2], done, 0));
        append<<<1, 1, 0, stream[2]>>>(list, length, 2 * i + 1);
        OK(cudaEventRecord(done, stream[2]));
        OK(cudaStreamWaitEvent(stream[1], done, 0));
    }
    OK(cudaStreamSynchronize(stream[2]));
    for (int i = 0; i < 8; i++) {
        append<<<1, 1, 0, i % 2 ? stream[0] : cudaStreamLegacy>>>(list, length, 16 + i);
        append<<<1, 1>>>(list, length, 24 + i);
    }
    OK(cudaMemcpy(host, list, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) EXPECT(host[i] == i);
    for (int i = 0; i < 8; i++) EXPECT(host[16 + 2 * i] == 16 + i && host[17 + 2 * i] == 24 + i);
    EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, done, done));

    for (int i = 0; i < streams; i++) {
        OK(cudaStreamDestroy(stream[i]));
        OK(cudaFree(device[i]));
    }
    EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaStreamQuery(stream[0]));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(done));
    OK(cudaFreeHost(pinned));
    return passed();
}

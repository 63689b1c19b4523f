// Threads of the host, each with its own default stream, device, and last error. Compiled with --default-stream per-thread.

#include <atomic>
#include <thread>
#include <vector>

#include "expect.h"

__global__ void add(int *items, int amount) { items[threadIdx.x] += amount; }

static std::atomic<bool> is_open;

static void CUDART_CB wait_until_open(void *) {
    while (!is_open) std::this_thread::yield();
}

static void work(int number) {
    OK(cudaSetDevice(number % 2));
    int *items, host[32];
    OK(cudaMalloc(&items, sizeof(host)));
    OK(cudaMemset(items, 0, sizeof(host)));
    for (int i = 0; i < 50; i++) add<<<1, 32>>>(items, number + 1);
    EXPECT(cudaSetDevice(1000 + number) == cudaErrorInvalidDevice);
    OK(cudaMemcpy(host, items, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) EXPECT(host[i] == 50 * (number + 1));
    int device = -1;
    OK(cudaGetDevice(&device));
    EXPECT(device == number % 2);
    OK(cudaFree(items));
}

int main() {
    EXPECT(cudaSetDevice(-5) == cudaErrorInvalidDevice);
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++) threads.emplace_back(work, i);
    for (std::thread &thread : threads) thread.join();
    // Errors of other threads are theirs.
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);

    // The default stream of this thread waits, and that of another does not wait for it.
    int *items, host[32];
    OK(cudaMalloc(&items, sizeof(host)));
    OK(cudaMemset(items, 0, sizeof(host)));
    OK(cudaStreamSynchronize(0));
    OK(cudaLaunchHostFunc(0, wait_until_open, nullptr));
    EXPECT(cudaStreamQuery(0) == cudaErrorNotReady);
    std::thread([&] {
        add<<<1, 32>>>(items, 4);
        OK(cudaMemcpyAsync(host, items, sizeof(host), cudaMemcpyDeviceToHost));
        OK(cudaStreamSynchronize(0));
    }).join();
    EXPECT(host[0] == 4 && host[31] == 4);
    EXPECT(cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady);
    is_open = true;
    OK(cudaStreamSynchronize(0));
    OK(cudaFree(items));
    return passed();
}

// Managed memory: variables and allocations that the host and the device access, advice and prefetches.

#include <vector>

#include "expect.h"

__managed__ int counter = 3;
__managed__ float weights[4] = {1, 2, 3, 4};

struct Node {
    int value;
    Node *next;
};

__global__ void visit(Node *list) {
    for (Node *node = list; node; node = node->next) {
        node->value *= 2;
        counter++;
    }
    weights[1] += 0.5f;
}

__global__ void fill(int *items, int value) { items[blockIdx.x * blockDim.x + threadIdx.x] = value; }

int main() {
    EXPECT(counter == 3 && weights[3] == 4.0f);
    counter = 10;
    int managed = 0;
    OK(cudaDeviceGetAttribute(&managed, cudaDevAttrManagedMemory, 0));
    EXPECT(managed == 1);
    Node *list = nullptr;
    for (int i = 0; i < 20; i++) {
        Node *node;
        OK(cudaMallocManaged(&node, sizeof(Node)));
        *node = Node{i, list};
        list = node;
    }
    visit<<<1, 1>>>(list);
    OK(cudaDeviceSynchronize());
    EXPECT(counter == 30 && weights[1] == 2.5f);
    for (int i = 19; list; i--) {
        EXPECT(list->value == 2 * i);
        Node *next = list->next;
        OK(cudaFree(list));
        list = next;
    }

    int *items;
    const size_t bytes = 64 * 32 * sizeof(int);
    OK(cudaMallocManaged(&items, bytes));
    cudaMemLocation device = {}, host = {};
    device.type = cudaMemLocationTypeDevice;
    host.type = cudaMemLocationTypeHost;
    OK(cudaMemAdvise(items, bytes, cudaMemAdviseSetPreferredLocation, device));
    OK(cudaMemPrefetchAsync(items, bytes, device, 0, 0));
    fill<<<64, 32>>>(items, 42);
    OK(cudaMemPrefetchAsync(items, bytes, host, 0, 0));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64 * 32; i++) EXPECT(items[i] == 42);
    OK(cudaMemset(items, 0, bytes));
    OK(cudaDeviceSynchronize());
    EXPECT(items[100] == 0);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, items + 1));
    EXPECT(attributes.type == cudaMemoryTypeManaged);
    EXPECT(attributes.devicePointer == items + 1 && attributes.hostPointer == items + 1);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamAttachMemAsync(stream, items, 0, cudaMemAttachSingle));
    OK(cudaStreamSynchronize(stream));
    OK(cudaFree(items));

    // The variable, by its name.
    int seven = 7, read = 0;
    OK(cudaMemcpyToSymbol(counter, &seven, sizeof(seven)));
    OK(cudaDeviceSynchronize());
    EXPECT(counter == 7);
    OK(cudaMemcpyFromSymbol(&read, counter, sizeof(read)));
    EXPECT(read == 7);
    return passed();
}

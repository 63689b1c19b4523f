// The other file of `separate.cu`.

#include "expect.h"

__device__ int calls;
__constant__ int offsets[4];

__device__ int combine(int a, int b) {
    atomicAdd(&calls, 1);
    return 10 * a + b;
}

void set_offsets() {
    int host[4] = {1, 2, 3, 4};
    OK(cudaMemcpyToSymbol(offsets, host, sizeof(host)));
}

int number_of_calls() {
    int host = 0;
    OK(cudaMemcpyFromSymbol(&host, calls, sizeof(host)));
    return host;
}

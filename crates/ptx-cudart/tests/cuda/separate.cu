// A program of two files whose device code is linked: the kernel is here, what it calls in `separate_part.cu`.

#include "expect.h"

extern __device__ int calls;
extern __constant__ int offsets[4];
__device__ int combine(int a, int b);

__global__ void kernel(int *out) { out[threadIdx.x] = combine(threadIdx.x, offsets[threadIdx.x % 4]); }

void set_offsets();
int number_of_calls();

int main() {
    set_offsets();
    int *out, host[32];
    OK(cudaMalloc(&out, sizeof(host)));
    kernel<<<1, 32>>>(out);
    OK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) EXPECT(host[i] == 10 * i + (i % 4 + 1));
    EXPECT(number_of_calls() == 32);
    return passed();
}

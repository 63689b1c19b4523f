// A histogram of bytes, in shared memory first.
extern "C" __global__ void buckets(const unsigned *in, unsigned *out, int words) {
    __shared__ unsigned counts[64];
    if (threadIdx.x < 64) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        unsigned word = in[i];
        for (int b = 0; b < 4; b++) atomicAdd(&counts[(word >> (8 * b) & 255) >> 2], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

// One sum for each 512 numbers: a tree in shared memory, half as many threads in each step. Blocks of 256 threads.
extern "C" __global__ void reduce_smem(unsigned count, const float *__restrict__ from, float *__restrict__ sums)
{
    __shared__ float part[256];
    const unsigned own = threadIdx.x, at = 2 * blockDim.x * blockIdx.x + own;
    float sum = at < count ? from[at] : 0.0f;
    if (at + blockDim.x < count)
        sum += from[at + blockDim.x];
    part[own] = sum;
    for (unsigned half = blockDim.x / 2; half != 0; half /= 2) {
        __syncthreads();
        if (own < half)
            part[own] += part[own + half];
    }
    if (own == 0)
        sums[blockIdx.x] = part[0];
}

// One sum for each 512 numbers: each warp adds by shuffles, and the first warp adds what the warps have. Blocks of 256 threads.
__device__ float of_warp(float value)
{
    for (int distance = 16; distance != 0; distance /= 2)
        value += __shfl_down_sync(~0u, value, distance);
    return value;
}

extern "C" __global__ void reduce_shfl(unsigned count, const float *__restrict__ from, float *__restrict__ sums)
{
    __shared__ float of_warps[32];
    const unsigned own = threadIdx.x, lane = own % 32, at = 2 * blockDim.x * blockIdx.x + own;
    float sum = at < count ? from[at] : 0.0f;
    if (at + blockDim.x < count)
        sum += from[at + blockDim.x];
    sum = of_warp(sum);
    if (lane == 0)
        of_warps[own / 32] = sum;
    __syncthreads();
    if (own >= 32)
        return;
    sum = of_warp(lane < blockDim.x / 32 ? of_warps[lane] : 0.0f);
    if (lane == 0)
        sums[blockIdx.x] = sum;
}

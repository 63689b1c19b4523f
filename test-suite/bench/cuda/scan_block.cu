// Prefix sums of each 512 numbers, inclusive: nine steps, from one half of shared memory to the other.
constexpr int LENGTH = 512;

extern "C" __global__ void scan_block(const int *__restrict__ from, int *__restrict__ sums)
{
    __shared__ int half[2][LENGTH];
    const int own = threadIdx.x, at = blockIdx.x * LENGTH + own;
    int now = 0;
    half[now][own] = from[at];
    __syncthreads();
    for (int distance = 1; distance < LENGTH; distance *= 2) {
        const int before = own >= distance ? half[now][own - distance] : 0;
        half[now ^ 1][own] = half[now][own] + before;
        now ^= 1;
        __syncthreads();
    }
    sums[at] = half[now][own];
}

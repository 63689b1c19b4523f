// Sums of 33 neighbours, from a tile in shared memory with a halo.
#define RADIUS 16
extern "C" __global__ void stencil1d(const int *in, int *out, int n) {
    __shared__ int tile[128 + 2 * RADIUS];
    int at = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + RADIUS;
    tile[t] = at < n ? in[at] : 0;
    if (threadIdx.x < RADIUS) {
        tile[t - RADIUS] = at >= RADIUS ? in[at - RADIUS] : 0;
        tile[t + blockDim.x] = at + (int)blockDim.x < n ? in[at + blockDim.x] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int o = -RADIUS; o <= RADIUS; o++) sum += tile[t + o];
    if (at < n) out[at] = sum;
}

// Prefix sums: 16 elements for each thread, their sums by shuffles, those of warps in shared memory.
extern "C" __global__ void scan16(const int *in, int *out) {
    __shared__ int warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    int own[16], sum = 0;
    for (int i = 0; i < 16; i++) own[i] = sum += in[first + i];
    int all = sum;
    for (int o = 1; o < 32; o *= 2) {
        int left = __shfl_up_sync(~0u, all, o);
        if (lane >= o) all += left;
    }
    if (lane == 31) warps[warp] = all;
    __syncthreads();
    int before = all - sum;
    for (int w = 0; w < warp; w++) before += warps[w];
    for (int i = 0; i < 16; i++) out[first + i] = before + own[i];
}

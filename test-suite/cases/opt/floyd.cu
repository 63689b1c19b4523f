// Shortest paths within a tile of distances that one block holds.
extern "C" __global__ void floyd(int *distances, int n) {
    extern __shared__ int d[];
    int *block = distances + blockIdx.x * n * n;
    int x = threadIdx.x, y = threadIdx.y;
    d[y * n + x] = block[y * n + x];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        int through = d[y * n + k] + d[k * n + x];
        __syncthreads();
        if (through < d[y * n + x]) d[y * n + x] = through;
    }
    block[y * n + x] = d[y * n + x];
}

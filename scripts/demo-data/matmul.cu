// c = a * b for row-major n x n matrices, one 16 x 16 tile of c for each block; n need not be a multiple of 16.
constexpr int TILE = 16;

extern "C" __global__ void matmul(int n, const float* a, const float* b, float* c) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.x * TILE + threadIdx.x;

    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        const int k_a = start + threadIdx.x;
        const int k_b = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < n && k_a < n ? a[row * n + k_a] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = k_b < n && column < n ? b[k_b * n + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        c[row * n + column] = sum;
    }
}

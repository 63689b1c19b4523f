// A product of matrices with any sizes, by tiles of 16 x 16, each thread two rows.
extern "C" __global__ void gemm_tile(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta) {
    __shared__ float ta[32][17], tb[16][17];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 32 + y;
    float s0 = 0.0f, s1 = 0.0f;
    for (int from = 0; from < k; from += 16) {
        ta[y][x] = row < m && from + x < k ? a[row * k + from + x] : 0.0f;
        ta[y + 16][x] = row + 16 < m && from + x < k ? a[(row + 16) * k + from + x] : 0.0f;
        tb[y][x] = column < n && from + y < k ? b[(from + y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            s0 += ta[y][i] * tb[i][x];
            s1 += ta[y + 16][i] * tb[i][x];
        }
        __syncthreads();
    }
    if (column < n && row < m) c[row * n + column] = alpha * s0 + beta * c[row * n + column];
    if (column < n && row + 16 < m) c[(row + 16) * n + column] = alpha * s1 + beta * c[(row + 16) * n + column];
}

// C = A * B for square matrices, through tiles in shared memory. The block is a tile; n is a multiple of its side.
constexpr int SIDE = 32;

extern "C" __global__ void matmul_tiled(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ float left[SIDE][SIDE], right[SIDE][SIDE];
    const int x = threadIdx.x, y = threadIdx.y;
    const float *a_next = a + (blockIdx.y * SIDE + y) * n + x;
    const float *b_next = b + y * n + blockIdx.x * SIDE + x;
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += SIDE) {
        left[y][x] = a_next[tile];
        right[y][x] = b_next[tile * n];
        __syncthreads();
        for (int k = 0; k < SIDE; k++)
            sum = fmaf(left[y][k], right[k][x], sum);
        __syncthreads();
    }
    c[(blockIdx.y * SIDE + y) * n + blockIdx.x * SIDE + x] = sum;
}

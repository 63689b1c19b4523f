// The transposed matrix, by tiles of 32 x 32 in shared memory, four elements a thread. The row of 33 keeps banks apart.
constexpr int SIDE = 32, ROWS = 8;

extern "C" __global__ void transpose(int n, const float *__restrict__ from, float *__restrict__ to)
{
    __shared__ float tile[SIDE][SIDE + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    for (int below = 0; below < SIDE; below += ROWS)
        tile[y + below][x] = from[(top + y + below) * n + left + x];
    __syncthreads();
    for (int below = 0; below < SIDE; below += ROWS)
        to[(left + y + below) * n + top + x] = tile[x][y + below];
}

// C = A * B for square matrices: each thread reads a row and a column from global memory.
extern "C" __global__ void matmul_naive(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || row >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = fmaf(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

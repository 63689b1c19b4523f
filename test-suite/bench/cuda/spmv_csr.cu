// y = A * x for a sparse matrix in compressed rows, a row a thread.
extern "C" __global__ void spmv_csr(
    int rows, const int *__restrict__ starts, const int *__restrict__ columns, const float *__restrict__ values,
    const float *__restrict__ x, float *__restrict__ y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int end = starts[row + 1];
    float sum = 0.0f;
    for (int at = starts[row]; at < end; at++)
        sum = fmaf(values[at], x[columns[at]], sum);
    y[row] = sum;
}

#pragma OPENCL FP_CONTRACT OFF

kernel void spmv_csr(
    int rows, global const int *restrict starts, global const int *restrict columns, global const float *restrict values,
    global const float *restrict x, global float *restrict y)
{
    const int row = get_global_id(0);
    if (row >= rows)
        return;
    const int end = starts[row + 1];
    float sum = 0.0f;
    for (int at = starts[row]; at < end; at++)
        sum = fma(values[at], x[columns[at]], sum);
    y[row] = sum;
}

#pragma OPENCL FP_CONTRACT OFF

kernel void matmul_naive(int n, global const float *restrict a, global const float *restrict b, global float *restrict c)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column >= n || row >= n)
        return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum = fma(a[row * n + k], b[k * n + column], sum);
    c[row * n + column] = sum;
}

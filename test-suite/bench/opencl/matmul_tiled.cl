#pragma OPENCL FP_CONTRACT OFF

#define SIDE 32

kernel void matmul_tiled(int n, global const float *restrict a, global const float *restrict b, global float *restrict c)
{
    local float left[SIDE][SIDE], right[SIDE][SIDE];
    const int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < n; tile += SIDE) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; k++)
            sum = fma(left[y][k], right[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

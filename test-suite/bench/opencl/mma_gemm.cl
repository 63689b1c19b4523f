#pragma OPENCL FP_CONTRACT OFF

// OpenCL C has no matrix instructions: each thread makes 16 elements of a tile of 64 x 32, from tiles of 16 columns in local memory.
#define TALL 64
#define WIDE 32
#define DEEP 16

kernel void mma_gemm(int n, global const half *restrict a, global const half *restrict transposed, global float *restrict c)
{
    local float left[TALL][DEEP], right[WIDE][DEEP];
    const int own = get_local_id(0), top = get_group_id(1) * TALL, first = get_group_id(0) * WIDE;
    const int column = own % WIDE, rows = own / WIDE * (TALL / 4);
    float sums[TALL / 4];
    for (int row = 0; row < TALL / 4; row++)
        sums[row] = 0.0f;
    for (int k = 0; k < n; k += DEEP) {
        for (int at = own; at < TALL * DEEP; at += 128)
            left[at / DEEP][at % DEEP] = vload_half((top + at / DEEP) * n + k + at % DEEP, a);
        for (int at = own; at < WIDE * DEEP; at += 128)
            right[at / DEEP][at % DEEP] = vload_half((first + at / DEEP) * n + k + at % DEEP, transposed);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int row = 0; row < TALL / 4; row++)
            for (int step = 0; step < DEEP; step++)
                sums[row] = fma(left[rows + row][step], right[column][step], sums[row]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int row = 0; row < TALL / 4; row++)
        c[(top + rows + row) * n + first + column] = sums[row];
}

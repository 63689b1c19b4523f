#pragma OPENCL FP_CONTRACT OFF

#define SIDE 32
#define ROWS 8

kernel void transpose(int n, global const float *restrict from, global float *restrict to)
{
    local float tile[SIDE][SIDE + 1];
    const int x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * SIDE, top = get_group_id(1) * SIDE;
    for (int below = 0; below < SIDE; below += ROWS)
        tile[y + below][x] = from[(top + y + below) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int below = 0; below < SIDE; below += ROWS)
        to[(left + y + below) * n + top + x] = tile[x][y + below];
}

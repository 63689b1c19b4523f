#pragma OPENCL FP_CONTRACT OFF

#define LENGTH 512

kernel void scan_block(global const int *restrict from, global int *restrict sums)
{
    local int halves[2][LENGTH];
    const int own = get_local_id(0), at = get_global_id(0);
    int now = 0;
    halves[now][own] = from[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 1; distance < LENGTH; distance *= 2) {
        const int before = own >= distance ? halves[now][own - distance] : 0;
        halves[now ^ 1][own] = halves[now][own] + before;
        now ^= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[at] = halves[now][own];
}

#pragma OPENCL FP_CONTRACT OFF

kernel void reduce_smem(uint count, global const float *restrict from, global float *restrict sums)
{
    local float part[256];
    const uint threads = get_local_size(0), own = get_local_id(0), at = 2 * threads * get_group_id(0) + own;
    float sum = at < count ? from[at] : 0.0f;
    if (at + threads < count)
        sum += from[at + threads];
    part[own] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_of_them = threads / 2; half_of_them != 0; half_of_them /= 2) {
        if (own < half_of_them)
            part[own] += part[own + half_of_them];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (own == 0)
        sums[get_group_id(0)] = part[0];
}

#pragma OPENCL FP_CONTRACT OFF

kernel void histogram(uint count, global const uint *restrict from, global uint *restrict counts)
{
    local uint table[256];
    const uint own = get_local_id(0);
    table[own] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = get_global_id(0); at < count; at += get_global_size(0))
        atomic_inc(table + from[at] % 256);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(counts + own, table[own]);
}

#pragma OPENCL FP_CONTRACT OFF

#define LENGTH 1024u
#define THREADS (LENGTH / 2)

kernel void bitonic(global uint *restrict numbers)
{
    local uint part[LENGTH];
    global uint *own = numbers + get_group_id(0) * LENGTH;
    const uint thread = get_local_id(0);
    part[thread] = own[thread];
    part[thread + THREADS] = own[thread + THREADS];
    for (uint run = 2; run <= LENGTH; run *= 2)
        for (uint distance = run / 2; distance != 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint low = 2 * thread - (thread & (distance - 1)), high = low + distance;
            const uint first = part[low], second = part[high];
            const bool descends = (low & run) != 0;
            if ((first > second) != descends) {
                part[low] = second;
                part[high] = first;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    own[thread] = part[thread];
    own[thread + THREADS] = part[thread + THREADS];
}

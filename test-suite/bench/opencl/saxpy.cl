#pragma OPENCL FP_CONTRACT OFF

kernel void saxpy(uint count, float scale, global const float *restrict x, global float *restrict y)
{
    const uint at = get_global_id(0);
    if (at < count)
        y[at] = fma(scale, x[at], y[at]);
}

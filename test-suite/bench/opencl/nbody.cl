#pragma OPENCL FP_CONTRACT OFF

#define BLOCK 256

kernel void nbody(int count, global const float4 *restrict bodies, global float4 *restrict accelerations)
{
    local float4 others[BLOCK];
    const float4 body = bodies[get_global_id(0)];
    float sum_x = 0.0f, sum_y = 0.0f, sum_z = 0.0f;
    for (int first = 0; first < count; first += BLOCK) {
        others[get_local_id(0)] = bodies[first + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < BLOCK; k++) {
            const float4 other = others[k];
            const float x = other.x - body.x, y = other.y - body.y, z = other.z - body.z;
            const float near = rsqrt(fma(x, x, fma(y, y, fma(z, z, 1e-3f))));
            const float pull = other.w * near * (near * near);
            sum_x = fma(x, pull, sum_x);
            sum_y = fma(y, pull, sum_y);
            sum_z = fma(z, pull, sum_z);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[get_global_id(0)] = (float4)(sum_x, sum_y, sum_z, 0.0f);
}

// Gravity between all pairs of bodies (x, y, z, mass), a block's worth of them at a time in shared memory. The number of bodies is
// a multiple of the 256 threads of a block.
constexpr int BLOCK = 256;
constexpr float SOFTENING = 1e-3f;

extern "C" __global__ void nbody(int count, const float4 *__restrict__ bodies, float4 *__restrict__ accelerations)
{
    __shared__ float4 others[BLOCK];
    const int own = blockIdx.x * BLOCK + threadIdx.x;
    const float4 body = bodies[own];
    float3 sum = {0.0f, 0.0f, 0.0f};
    for (int first = 0; first < count; first += BLOCK) {
        others[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) {
            const float4 other = others[k];
            const float x = other.x - body.x, y = other.y - body.y, z = other.z - body.z;
            const float near = rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, SOFTENING))));
            const float pull = other.w * near * (near * near);
            sum.x = fmaf(x, pull, sum.x);
            sum.y = fmaf(y, pull, sum.y);
            sum.z = fmaf(z, pull, sum.z);
        }
        __syncthreads();
    }
    accelerations[own] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}
